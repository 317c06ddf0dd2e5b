/* page.c - see page.h. */
#include "page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elsewhere.h"
#include "message.h"

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
    return real ? real : cli_copy(path);
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

static int open_file(struct cli_page *page, const char *path)
{
    int fd;
    page->path = target_of(path);
    if (is_special(path)) {
        fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    } else {
        page->beside = cli_format("%s.XXXXXX", page->path);
        fd = mkostemp(page->beside, O_CLOEXEC);
    }
    if (fd >= 0)
        page->out = fdopen(fd, "w");
    if (page->out && (!page->beside || fchmod(fd, mode_of(page->path)) == 0))
        return CLI_OK;
    int rc = cli_file_error("write", path, errno);
    if (fd >= 0 && !page->out)
        close(fd);
    return rc;
}

/* Nothing is left of it, unless it is kept and was written well. */
static int close_file(struct cli_page *page, bool keep)
{
    int error = 0, rc = CLI_OK;
    bool written = page->out;
    if (written && (fflush(page->out) != 0 || ferror(page->out)))
        error = errno != 0 ? errno : EIO;
    if (written && fclose(page->out) != 0 && error == 0)
        error = errno;
    if (keep && error == 0 && page->beside && rename(page->beside, page->path) != 0)
        error = errno;
    if (written && page->beside && (!keep || error != 0))
        unlink(page->beside);
    if (keep && error != 0)
        rc = cli_file_error("write", page->path, error);
    return rc;
}

/* The page without its data, of which this is the place. */
#define PLACE "@DATA@\n"

static int open_template(FILE **out)
{
    char path[PATH_MAX];
    *out = cli_elsewhere_file("report.html", path) ? fopen(path, "re") : NULL;
    if (*out)
        return CLI_OK;
    cli_message("this pingo was built without its page (npm was missing, or could not be asked): "
                "install npm, and run make");
    return CLI_HELPER;
}

int cli_page_check(const char *path)
{
    struct cli_page page = {0};
    FILE *template;
    int found = open_template(&template);
    if (found != CLI_OK)
        return found;
    fclose(template);
    if (is_directory(path))
        return cli_file_error("write", path, EISDIR);
    if (is_special(path))
        return access(path, W_OK) == 0 ? CLI_OK : cli_file_error("write", path, errno);
    int rc = open_file(&page, path);
    close_file(&page, false);
    return rc;
}

int cli_page_open(struct cli_page *page, const char *path, const char *view)
{
    *page = (struct cli_page){0};
    int rc = open_file(page, path);
    if (rc != CLI_OK) {
        close_file(page, false);
        return rc;
    }
    pingo__writer_open(&page->w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(&page->w, "view", view);
    pingo__writer_open(&page->w, "answers", PINGO__WRITER_OBJECT);
    return CLI_OK;
}

/* Outside of a string JSON has none of these; within, nothing may look like the end of the script. */
static void put_data(const struct cli_page *page)
{
    for (size_t i = 0; i < page->w.out.length; i++)
        if (page->w.out.data[i] == '<')
            fputs("\\u003c", page->out);
        else
            putc(page->w.out.data[i], page->out);
}

/* false: it could not be read. */
static bool put_page(const struct cli_page *page, FILE *template)
{
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, template) >= 0)
        if (strcmp(line, PLACE) == 0)
            put_data(page);
        else
            fputs(line, page->out);
    free(line);
    return !ferror(template);
}

int cli_page_close(struct cli_page *page, const char *path, int rc)
{
    FILE *template = NULL;
    pingo__writer_close(&page->w);
    pingo__writer_close(&page->w);
    if (rc == CLI_OK && page->w.out.failed) {
        cli_message("out of memory");
        rc = CLI_INTERNAL;
    }
    if (rc == CLI_OK)
        rc = open_template(&template);
    if (rc == CLI_OK && !put_page(page, template))
        rc = cli_file_error("read", "report.html", errno);
    if (template)
        fclose(template);
    pingo__writer_clear(&page->w);
    int closed = close_file(page, rc == CLI_OK);
    rc = rc != CLI_OK ? rc : closed;
    if (rc == CLI_OK)
        cli_note("wrote %s", path);
    return rc;
}
