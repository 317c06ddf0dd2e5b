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

/* What is there is looked at alone: a pipe, for one, would be waited for. */
static int try_file(const char *path)
{
    struct stat st;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0)
        return close(fd) == 0 && unlink(path) == 0 ? 0 : errno;
    if (errno != EEXIST)
        return errno;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return EISDIR;
    return access(path, W_OK) == 0 ? 0 : errno;
}

int cli_page_check(const char *path)
{
    FILE *template;
    int found = open_template(&template);
    if (found != CLI_OK)
        return found;
    fclose(template);
    int error = try_file(path);
    return error == 0 ? CLI_OK : cli_file_error("write", path, error);
}

void cli_page_open(struct pingo__writer *page, const char *view)
{
    *page = (struct pingo__writer){0};
    pingo__writer_open(page, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(page, "view", view);
    pingo__writer_open(page, "answers", PINGO__WRITER_OBJECT);
}

/* Outside of a string JSON has none of these; within, nothing may look like the end of the script. */
static void put_data(FILE *out, const struct pingo__buffer *data)
{
    for (size_t i = 0; i < data->length; i++)
        if (data->data[i] == '<')
            fputs("\\u003c", out);
        else
            putc(data->data[i], out);
}

static int put_page(const struct pingo__buffer *data, FILE *template, const char *path)
{
    char *line = NULL;
    size_t capacity = 0;
    FILE *out = fopen(path, "we"); /* a link, a pipe and a mode stay what they are */
    if (!out)
        return cli_file_error("write", path, errno);
    while (getline(&line, &capacity, template) >= 0)
        if (strcmp(line, PLACE) == 0)
            put_data(out, data);
        else
            fputs(line, out);
    free(line);
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed)
        return cli_file_error("write", path, errno);
    return ferror(template) ? cli_file_error("read", "report.html", EIO) : CLI_OK;
}

int cli_page_close(struct pingo__writer *page, const char *path, int rc)
{
    FILE *template = NULL;
    pingo__writer_close(page);
    pingo__writer_close(page);
    if (rc == CLI_OK && page->out.failed) {
        cli_message("out of memory");
        rc = CLI_INTERNAL;
    }
    if (rc == CLI_OK)
        rc = open_template(&template);
    if (rc == CLI_OK)
        rc = put_page(&page->out, template, path);
    if (template)
        fclose(template);
    pingo__writer_clear(page);
    if (rc == CLI_OK)
        cli_note("wrote %s", path);
    return rc;
}
