/* html.c - pages of HTML that need nothing else. */
#include "html.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exit.h"
#include "message.h"
#include "text.h"

/* ---- the file ------------------------------------------------------------------------ */

/* That of the file that is replaced, or the usual one. */
static mode_t mode_of(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0)
        return st.st_mode & 0777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Where a link leads, so that the link stays; what is not there yet is itself. */
static char *target_of(const char *path)
{
    char *real = realpath(path, NULL);
    return real != NULL ? real : cli_copy(path);
}

/* A device, a pipe or a directory must never be replaced by a file: what is no regular file is written to
 * as it is, and a directory refuses that. */
static bool is_special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static bool is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int cli_html_open(struct cli_html_file *file, const char *path)
{
    *file = (struct cli_html_file){.path = target_of(path)};
    int fd;
    if (is_special(path)) {
        fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    } else {
        file->beside = cli_format("%s.XXXXXX", file->path);
        fd = mkostemp(file->beside, O_CLOEXEC);
    }
    if (fd >= 0)
        file->out = fdopen(fd, "w");
    if (file->out != NULL && (file->beside == NULL || fchmod(fd, mode_of(file->path)) == 0))
        return CLI_OK;
    int status = cli_file_error("write", path, errno);
    if (fd >= 0 && file->out == NULL)
        close(fd);
    cli_html_close(file, false);
    return status;
}

int cli_html_close(struct cli_html_file *file, bool keep)
{
    int error = 0, status = CLI_OK;
    bool written = file->out != NULL;
    if (written && (fflush(file->out) != 0 || ferror(file->out)))
        error = errno != 0 ? errno : EIO;
    if (written && fclose(file->out) != 0 && error == 0)
        error = errno;
    if (keep && error == 0 && file->beside != NULL && rename(file->beside, file->path) != 0)
        error = errno;
    if (written && file->beside != NULL && (!keep || error != 0))
        unlink(file->beside);
    if (keep && error != 0)
        status = cli_file_error("write", file->path, error);
    free(file->path);
    free(file->beside);
    *file = (struct cli_html_file){NULL, NULL, NULL};
    return status;
}

int cli_html_check(const char *path)
{
    struct cli_html_file file;
    if (is_directory(path))
        return cli_file_error("write", path, EISDIR);
    if (is_special(path))
        return access(path, W_OK) == 0 ? CLI_OK : cli_file_error("write", path, errno);
    int status = cli_html_open(&file, path);
    return status == CLI_OK ? cli_html_close(&file, false) : status;
}

/* ---- text ------------------------------------------------------------------------------ */

void cli_html_text(FILE *out, const char *text)
{
    while (*text != '\0') {
        size_t n = cli_utf8_length(text);
        unsigned char c = (unsigned char)*text;
        if (n == 0 || (n == 1 && (c == 0x7f || (c < 0x20 && c != '\n' && c != '\t'))) ||
            (n == 2 && c == 0xc2 && (unsigned char)text[1] < 0xa0))
            fputs("\xef\xbf\xbd", out);
        else if (c == '<')
            fputs("&lt;", out);
        else if (c == '>')
            fputs("&gt;", out);
        else if (c == '&')
            fputs("&amp;", out);
        else if (c == '"')
            fputs("&quot;", out);
        else if (c == '\'')
            fputs("&#39;", out);
        else
            fwrite(text, 1, n, out);
        text += n > 0 ? n : 1;
    }
}

static void element(FILE *out, const char *name, const char *text)
{
    fprintf(out, "<%s>", name);
    cli_html_text(out, text);
    fprintf(out, "</%s>\n", name);
}

/* ---- the page ---------------------------------------------------------------------------- */

/* Light or dark as the reader's system is; plots take the colour of the text. */
static const char style[] =
    ":root{color-scheme:light dark;--ink:#1f2328;--paper:#ffffff;--faint:#59636e;--line:#d1d9e0}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--faint:#9198a1;"
    "--line:#3d444d}}\n"
    "body{margin:2rem auto;max-width:60rem;padding:0 1rem;color:var(--ink);background:var(--paper);"
    "font:16px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.2rem}\n"
    "p,figcaption,th,.figure span{color:var(--faint)}\n"
    "svg.plot{display:block;width:100%;height:auto;color:var(--ink)}\n"
    "svg.plot .gridline{stroke:currentColor;stroke-opacity:.2}\n"
    ".figures{display:flex;flex-wrap:wrap;gap:1.5rem 2.5rem}\n"
    ".figure b{display:block;font-size:1.5rem;font-variant-numeric:tabular-nums}\n"
    ".wide{overflow-x:auto}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.3rem .6rem;text-align:left;border-bottom:1px solid var(--line);"
    "vertical-align:top;overflow-wrap:anywhere}\n"
    "th{font-weight:600;white-space:nowrap}\n"
    ".n{text-align:right;white-space:nowrap}\n"
    "@media print{:root{--ink:#000;--paper:#fff;--faint:#444;--line:#bbb}}\n";

void cli_html_begin(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
          out);
    element(out, "title", title);
    fprintf(out, "<style>\n%s</style>\n</head>\n<body>\n", style);
    element(out, "h1", title);
}

void cli_html_end(FILE *out)
{
    fputs("</body>\n</html>\n", out);
}

void cli_html_heading(FILE *out, const char *text)
{
    element(out, "h2", text);
}

void cli_html_paragraph(FILE *out, const char *text)
{
    element(out, "p", text);
}

void cli_html_figures_begin(FILE *out)
{
    fputs("<div class=\"figures\">\n", out);
}

void cli_html_figure(FILE *out, const char *number, const char *what)
{
    fputs("<div class=\"figure\"><b>", out);
    cli_html_text(out, number);
    fputs("</b><span>", out);
    cli_html_text(out, what);
    fputs("</span></div>\n", out);
}

void cli_html_figures_end(FILE *out)
{
    fputs("</div>\n", out);
}

static void cell(FILE *out, const char *name, bool right, const char *text)
{
    fprintf(out, right ? "<%s class=\"n\">" : "<%s>", name);
    cli_html_text(out, text);
    fprintf(out, "</%s>", name);
}

void cli_html_table_begin(FILE *out, const char *const *headings)
{
    fputs("<div class=\"wide\"><table>\n<thead><tr>", out);
    for (; *headings != NULL; headings++)
        cell(out, "th", **headings == '>', *headings + (**headings == '>'));
    fputs("</tr></thead>\n<tbody>\n", out);
}

void cli_html_table_row(FILE *out, const char *const *headings, const char *const *cells)
{
    fputs("<tr>", out);
    for (size_t i = 0; headings[i] != NULL; i++)
        cell(out, "td", *headings[i] == '>', cells[i]);
    fputs("</tr>\n", out);
}

void cli_html_table_end(FILE *out)
{
    fputs("</tbody>\n</table></div>\n", out);
}
