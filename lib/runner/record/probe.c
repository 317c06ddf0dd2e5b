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

#include "base/file.h"
#include "base/machine.h"
#include "base/sandbox.h"
#include "base/text.h"
#include "base/world.h"

int pingo__runner_probe_ask(int dir, const char *question)
{
    return pingo__file_write(dir, "question", question, strlen(question), true);
}

void pingo__runner_probe_print(const char *question, char text[PINGO__RUNNER_PROBE_SIZE])
{
    char host[64];
    pingo__machine_host(host);
    snprintf(text, PINGO__RUNNER_PROBE_SIZE,
             "%.39s\n" PINGO_VERSION "\n%s\n%" PRId64 "\n%" PRId64 "\n%" PRId64 "\n", question,
             host, pingo__world_wall_ms(), (int64_t)geteuid(), (int64_t)pingo__sandbox_abi());
}

int pingo__runner_probe_answer(const char *path)
{
    char question[40], text[PINGO__RUNNER_PROBE_SIZE];
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ssize_t n = dir < 0 ? -errno : pingo__file_read(dir, "question", question, sizeof question);
    if (n >= 0)
        pingo__runner_probe_print(question, text);
    int rc = n < 0 ? (int)n : pingo__file_replace(dir, "answer", text, strlen(text), true);
    pingo__file_close(dir);
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

bool pingo__runner_probe_parse(char text[PINGO__RUNNER_PROBE_SIZE], struct pingo__runner_probe *p)
{
    char *at = text;
    *p = (struct pingo__runner_probe){.owner = -1};
    return take_text(&at, p->question, sizeof p->question) &&
           take_text(&at, p->version, sizeof p->version) &&
           take_text(&at, p->host, sizeof p->host) && take_number(&at, &p->wall_ms) &&
           take_number(&at, &p->user) && take_number(&at, &p->landlock);
}

bool pingo__runner_probe_read(int dir, struct pingo__runner_probe *p)
{
    char text[PINGO__RUNNER_PROBE_SIZE];
    struct stat st;
    *p = (struct pingo__runner_probe){.owner = -1};
    if (pingo__file_read(dir, "answer", text, sizeof text) <= 0 ||
        !pingo__runner_probe_parse(text, p))
        return false;
    if (fstatat(dir, "answer", &st, AT_SYMLINK_NOFOLLOW) == 0)
        p->owner = (int64_t)st.st_uid;
    return true;
}
