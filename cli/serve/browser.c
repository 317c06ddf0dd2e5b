/* browser.c - see browser.h.
 *
 * What stands in the arguments of a program can be read by every user of the machine, and whoever has the code has the
 * page: so the browser is given a file that only its owner can read, and that leads on. */
#include "serve/browser.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/process.h"
#include "message.h"
#include "serve/guard/pages.h"
#include "serve/page/page.h"

static const char *file_in(const char *directory)
{
    return cli_format("%s/serve.html", directory);
}

void serve_browser_close(const char *directory)
{
    unlink(file_in(directory));
}

static bool write_file(const char *path, const char *address)
{
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return false;
    bool is_written = dprintf(fd,
                              "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><meta "
                              "http-equiv=\"refresh\" content=\"0;url=%s\"><title>Pingo</title>"
                              "<a href=\"%s\">The page of Pingo</a></html>\n",
                              address, address) > 0;
    return close(fd) == 0 && is_written;
}

/* In a session of its own: what ends us does not end the browser.  It is not waited for. */
static void start(const char *path)
{
    const char *const words[] = {"xdg-open", path, NULL};
    struct pingo__process_start how = {
        .path = words[0],
        .argv = words,
        .env = (const char *const *)environ,
        .fds = {PINGO__PROCESS_NULL, PINGO__PROCESS_NULL, PINGO__PROCESS_NULL},
        .nfds = 3,
        .in_session = true};
    pid_t pid;
    pingo__process_start(&how, &pid);
}

void serve_browser_open(const char *url, const char *directory)
{
    char code[SERVE_PAGE_TEXT];
    if (!serve_pages[0].name || !serve_pages_code(code)) {
        cli_message("there is no page to open: npm was missing when this Pingo was built");
        return;
    }
    const char *address = cli_format("%s#t=%s", url, code);
    printf("%s\n", address);
    fflush(stdout);
    bool has_desktop = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
    const char *path = file_in(directory);
    if (has_desktop && isatty(STDERR_FILENO) && write_file(path, address))
        start(path);
}
