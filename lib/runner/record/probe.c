/* probe.c - see probe.h.
 *
 * A line each; whatever stands in an answer, reading it ends well. */
#include "runner/record/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pingo/version.h>

#include "base/copy.h"
#include "base/file.h"
#include "base/sandbox.h"
#include "base/text.h"
#include "base/world.h"

#define ANSWER_SIZE 512
#define WRITTEN "answer.copy"

static int write_file(int dir, const char *name, const char *text)
{
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    int rc = fd < 0 ? -errno : pingo__copy_write(fd, text, strlen(text));
    if (!rc && fsync(fd) != 0)
        rc = -errno;
    if (fd >= 0)
        close(fd);
    return rc;
}

int pingo__runner_probe_ask(int dir, const char *question)
{
    return write_file(dir, "question", question);
}

int pingo__runner_probe_answer(const char *path)
{
    struct pingo__runner_probe p = {.landlock = pingo__sandbox_abi()};
    char text[ANSWER_SIZE];
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ssize_t n = dir < 0 ? -errno : pingo__file_read(dir, "question", p.question, sizeof p.question);
    gethostname(p.host, sizeof p.host - 1);
    snprintf(text, sizeof text, "%s\n" PINGO_VERSION "\n%s\n%" PRId64 "\n%" PRId64 "\n%" PRId64 "\n",
             p.question, p.host, pingo__world_wall_ms(), (int64_t)geteuid(), p.landlock);
    int rc = n < 0 ? (int)n : write_file(dir, WRITTEN, text);
    if (!rc && renameat(dir, WRITTEN, dir, "answer") != 0)
        rc = -errno;
    if (dir >= 0)
        close(dir);
    return rc;
}

static bool take_text(char **at, char *to, size_t size)
{
    char *line = strsep(at, "\n");
    bool fits = line && *at && strlen(line) < size;
    if (fits)
        strcpy(to, line);
    return fits;
}

static bool take_number(char **at, int64_t *number)
{
    char *line = strsep(at, "\n");
    return line && *at && pingo__text_to_int64(line, 0, INT64_MAX, number);
}

bool pingo__runner_probe_read(int dir, struct pingo__runner_probe *p)
{
    char text[ANSWER_SIZE], *at = text;
    struct stat st;
    *p = (struct pingo__runner_probe){.owner = -1};
    if (pingo__file_read(dir, "answer", text, sizeof text) <= 0)
        return false;
    if (fstatat(dir, "answer", &st, AT_SYMLINK_NOFOLLOW) == 0)
        p->owner = (int64_t)st.st_uid;
    return take_text(&at, p->question, sizeof p->question) &&
           take_text(&at, p->version, sizeof p->version) &&
           take_text(&at, p->host, sizeof p->host) && take_number(&at, &p->wall_ms) &&
           take_number(&at, &p->user) && take_number(&at, &p->landlock);
}
