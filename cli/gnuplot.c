/* gnuplot.c - running gnuplot, and making its SVG fit for a page. */
#include "gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exit.h"
#include "html.h"
#include "message.h"
#include "text.h"

/* A token: letters that no other text of a plot has, its number, and what makes it as long as its
 * text, since gnuplot leaves room by length. */
#define TOKEN "pQt"
#define TOKEN_DIGITS 4
#define TOKEN_LENGTH (sizeof TOKEN - 1 + TOKEN_DIGITS)

/* ---- the script ---------------------------------------------------------------------- */

static FILE *stream_of(char **text, size_t *length)
{
    FILE *stream = open_memstream(text, length);
    if (stream == NULL) {
        cli_message("memory could not be had");
        exit(CLI_INTERNAL);
    }
    return stream;
}

void cli_gnuplot_begin(struct cli_gnuplot *g, const char *id, const char *title, int width,
                       int height)
{
    *g = (struct cli_gnuplot){.id = id, .title = title};
    g->script = stream_of(&g->text, &g->length);
    fprintf(g->script,
            "set encoding utf8\n"
            "set terminal svg size %d,%d dynamic noenhanced font \"sans-serif,12\"\n",
            width, height);
}

void cli_gnuplot_text(struct cli_gnuplot *g, const char *text)
{
    size_t length = 0;
    for (const char *p = text; *p != '\0'; p++)
        length += ((unsigned char)*p & 0xc0) != 0x80;
    fprintf(g->script, "\"%s%0*zu", TOKEN, TOKEN_DIGITS, g->ntexts);
    for (size_t i = TOKEN_LENGTH; i < length; i++)
        putc('x', g->script);
    putc('"', g->script);
    g->texts = cli_grow(g->texts, (g->ntexts + 1) * sizeof *g->texts);
    g->texts[g->ntexts++] = cli_copy(text);
}

/* ---- running it --------------------------------------------------------------------------- */

/* What is in a file of memory, as text; yours. */
static char *read_all(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char *text = cli_alloc((size_t)(size < 0 ? 0 : size) + 1);
    size_t n = 0;
    ssize_t got;
    while (n < (size_t)size && (got = pread(fd, text + n, (size_t)size - n, (off_t)n)) > 0)
        n += (size_t)got;
    text[n] = '\0';
    return text;
}

static bool write_all(int fd, const char *text, size_t length)
{
    size_t n = 0;
    ssize_t put = 1;
    while (n < length && (put = write(fd, text + n, length - n)) > 0)
        n += (size_t)put;
    return n == length && lseek(fd, 0, SEEK_SET) == 0;
}

static int start(const int fds[3], pid_t *pid)
{
    /* No settings of the user's: a plot looks the same everywhere. */
    char *const argv[] = {"gnuplot", "-d", NULL}, *const environment[] = {"LC_ALL=C", NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < 3 && error == 0; i++)
        error = posix_spawn_file_actions_adddup2(&actions, fds[i], i);
    if (error == 0)
        error = posix_spawnp(pid, "gnuplot", &actions, NULL, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static bool ends_well(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* *out: what it printed. */
static int run_script(const char *script, size_t length, char **out)
{
    int fds[3] = {memfd_create("script", MFD_CLOEXEC), memfd_create("plot", MFD_CLOEXEC),
                  memfd_create("errors", MFD_CLOEXEC)};
    pid_t pid = 0;
    int status = CLI_INTERNAL;
    int error = fds[0] < 0 || fds[1] < 0 || fds[2] < 0 || !write_all(fds[0], script, length)
                    ? errno
                    : start(fds, &pid);
    if (error == ENOENT) {
        cli_message("plots are drawn by gnuplot, which is not installed");
        cli_try("apt-get install gnuplot-nox");
        status = CLI_HELPER;
    } else if (error != 0) {
        cli_message("gnuplot cannot be run: %s", strerror(error));
    } else {
        bool well = ends_well(pid);
        *out = read_all(fds[1]);
        if (well && strstr(*out, "</svg>") != NULL)
            status = CLI_OK;
    }
    if (error == 0 && status != CLI_OK) {
        char *said = read_all(fds[2]), shown[200];
        cli_clean(shown, sizeof shown, said + strspn(said, "\n"));
        cli_message("gnuplot failed: %s", shown);
        free(said);
    }
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return status;
}

/* ---- its SVG -------------------------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The text for the token at p, which is passed; NULL where there is none. */
static const char *text_for(const struct cli_gnuplot *g, const char **p)
{
    char digits[TOKEN_DIGITS + 1] = {0};
    size_t number;
    if (!begins(*p, TOKEN))
        return NULL;
    strncpy(digits, *p + sizeof TOKEN - 1, TOKEN_DIGITS);
    number = (size_t)strtoul(digits, NULL, 10);
    if (number >= g->ntexts)
        return NULL;
    *p += TOKEN_LENGTH;
    *p += strspn(*p, "x");
    return g->texts[number];
}

/* What gnuplot writes and a page shall not have: colours that stand in the way of the page's, and groups
 * without anything in them.  How many bytes to pass over; 0: none. */
static size_t unwanted(const char *p)
{
    if (begins(p, " color=\"")) {
        const char *end = strchr(p + 8, '"');
        return end != NULL ? (size_t)(end + 1 - p) : 0;
    }
    if (begins(p, "<g fill=")) {
        const char *end = strchr(p, '>');
        return end != NULL && begins(end, ">\n</g>\n") ? (size_t)(end - p) + 7 : 0;
    }
    return 0;
}

/* The inside of the drawing: tokens become text, ids the plot's own, and the ink that of the page. */
static void mend(const struct cli_gnuplot *g, const char *p, const char *end, FILE *out)
{
    static const char *const ids[] = {"id='", "id=\"", "href='#"};
    static const char *const inks[] = {"rgb(  1,   2,   3)", "rgb(1,2,3)"};
    while (p < end) {
        const char *text = text_for(g, &p);
        size_t n = text == NULL ? unwanted(p) : 0;
        bool done = text != NULL || n > 0;
        if (text != NULL)
            cli_html_text(out, text);
        p += n;
        for (size_t i = 0; !done && i < 3; i++)
            if (begins(p, ids[i])) {
                fprintf(out, "%s%s-", ids[i], g->id);
                p += strlen(ids[i]);
                done = true;
            }
        for (size_t i = 0; !done && i < 2; i++)
            if (begins(p, inks[i])) {
                fputs("currentColor", out);
                p += strlen(inks[i]);
                done = true;
            }
        if (!done)
            putc(*p++, out);
    }
}

/* A tag from name to its end, which is taken out of [*p, end): what is before it is written. */
static void cut(const struct cli_gnuplot *g, const char **p, const char *name, const char *last,
                FILE *out)
{
    const char *from = strstr(*p, name), *to = from != NULL ? strstr(from, last) : NULL;
    if (to == NULL)
        return;
    mend(g, *p, from, out);
    *p = to + strlen(last);
}

static char *to_element(const struct cli_gnuplot *g, const char *drawn)
{
    char *svg = NULL;
    size_t length = 0;
    FILE *out = stream_of(&svg, &length);
    const char *root = strstr(drawn, "<svg"), *box = root != NULL ? strstr(root, "viewBox=") : NULL;
    const char *p = root != NULL ? strchr(root, '>') : NULL, *end = strstr(drawn, "</svg>");
    fputs("<svg class=\"plot\" role=\"img\" ", out);
    if (box != NULL && box < p)
        fwrite(box, 1, strcspn(box, "\n>"), out);
    fputs("><title>", out);
    cli_html_text(out, g->title);
    fputs("</title>", out);
    p = p != NULL ? p + 1 : drawn;
    cut(g, &p, "<title>", "</title>\n", out);
    cut(g, &p, "<desc>", "</desc>\n", out);
    if (strstr(p, "</defs>") != NULL && strstr(strstr(p, "</defs>"), "href='#") == NULL)
        cut(g, &p, "<defs>", "</defs>\n", out);     /* of marks, which it does not use */
    for (const char *before = NULL; before != p;) { /* its own names would show under the pointer */
        before = p;
        cut(g, &p, "<title>gnuplot_plot_", "</title>", out);
    }
    mend(g, p, end, out);
    fputs("</svg>\n", out);
    fclose(out);
    return svg;
}

int cli_gnuplot_check(void)
{
    static const char script[] = "set terminal svg\nplot x\n";
    char *drawn = NULL;
    int status = run_script(script, sizeof script - 1, &drawn);
    free(drawn);
    return status;
}

int cli_gnuplot_run(struct cli_gnuplot *g, char **svg)
{
    char *drawn = NULL;
    *svg = NULL;
    fclose(g->script);
    int status = run_script(g->text, g->length, &drawn);
    if (status == CLI_OK)
        *svg = to_element(g, drawn);
    free(drawn);
    for (size_t i = 0; i < g->ntexts; i++)
        free(g->texts[i]);
    free(g->texts);
    free(g->text);
    *g = (struct cli_gnuplot){0};
    return status;
}
