/* token.c - see slurm.h. */
#include "executor/slurm/slurm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/world.h"
#include "base/child.h"
#include "base/file.h"
#include "json/reader.h"

#define COMMAND_MS 60000
#define SAID_MOST (PINGO__SLURM_TOKEN_MOST + 64) /* with what may stand around it */
#define OLD_MS 5000      /* one that is younger is not renewed because it was refused */
#define EARLY_MOST_S 120 /* it is renewed so long before it expires, */
#define EARLY_PART 5     /* and no more than this part of its time */

/* ---- what it is ------------------------------------------------------------------------------- */

#define SPACE " \t\r\n"

/* Behind white space and the name that scontrol gives it. */
static const char *begin(const char *said)
{
    static const char prefix[] = "SLURM_JWT=";
    said += strspn(said, SPACE);
    return strncmp(said, prefix, strlen(prefix)) == 0 ? said + strlen(prefix) : said;
}

bool pingo__executor_slurm_token_read(const char *said, size_t n,
                                      char token[PINGO__SLURM_TOKEN_MOST])
{
    const char *from = begin(said);
    size_t length = 0;
    while (from[length] > ' ' && from[length] <= '~')
        length++;
    const char *end = from + length + strspn(from + length, SPACE);
    if (length == 0 || length >= PINGO__SLURM_TOKEN_MOST || end != said + n)
        return false;
    snprintf(token, PINGO__SLURM_TOKEN_MOST, "%.*s", (int)length, from);
    return true;
}

bool pingo__executor_slurm_token_is_one(const char *source)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    source = begin(source);
    size_t n = strspn(source, letters);
    return n >= 10 && strncmp(source, "eyJ", 3) == 0 && source[n] == '.' &&
           strspn(source + n + 1, letters) > 0;
}

int64_t pingo__executor_slurm_token_lasts_s(const char *token, int64_t now_s)
{
    char payload[PINGO__SLURM_TOKEN_MOST];
    const char *dot = strchr(token, '.');
    struct pingo__json_reader r;
    int64_t expires = -1;
    size_t n = dot ? pingo__text_from_base64url(dot + 1, payload, sizeof payload) : 0;
    pingo__json_reader_open(&r, payload, n, "a token", NULL);
    pingo__json_integer(&r.element, pingo__json_reader_open_member(&r, "exp", PINGO__JSON_NUMBER),
                        &expires);
    pingo__json_reader_clear(&r);
    return expires < 0 ? -1 : expires > now_s ? expires - now_s : 0;
}

/* ---- fetching it ------------------------------------------------------------------------------ */

static int64_t lasts_s(const struct pingo__executor_slurm_token *t)
{
    return pingo__executor_slurm_token_lasts_s(t->text, pingo__world_wall_ms() / 1000);
}

bool pingo__executor_slurm_token_has_expired(const struct pingo__executor_slurm_token *t)
{
    return t->source && lasts_s(t) == 0;
}

static void take(struct pingo__executor_slurm_token *t, const char *said, size_t n)
{
    if (!pingo__executor_slurm_token_read(said, n, t->text)) {
        snprintf(t->wrong, sizeof t->wrong,
                 "executor.slurm.token: what \"%.150s\" gives is no token", t->source);
        return;
    }
    t->fetched_ms = pingo__world_monotonic_ms();
    int64_t lasts = lasts_s(t);
    int64_t early = lasts / EARLY_PART < EARLY_MOST_S ? lasts / EARLY_PART : EARLY_MOST_S;
    t->renew_ms = lasts < 0 ? 0 : t->fetched_ms + (lasts - early) * 1000;
    if (lasts >= 0 && t->renew_ms < t->fetched_ms + OLD_MS) /* clocks differ, or it is an old one */
        t->renew_ms = t->fetched_ms + OLD_MS;
}

/* The beginning of a file, with a NUL; its length, or a negative errno. */
static ssize_t read_beginning(const char *path, char bytes[SAID_MOST])
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, bytes, SAID_MOST - 1);
    n = n < 0 ? -errno : n;
    pingo__file_close(fd);
    bytes[n > 0 ? n : 0] = '\0';
    return n;
}

/* By its mode: root may execute whatever anybody can.  Where all files have such a mode, a token is one still. */
static bool is_file(const char *source)
{
    struct stat st;
    char bytes[SAID_MOST];
    if (source[0] != '/' || stat(source, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    bool is = !(st.st_mode & 0111) ||
              (read_beginning(source, bytes) > 0 && pingo__executor_slurm_token_is_one(bytes));
    explicit_bzero(bytes, sizeof bytes);
    return is;
}

static void read_file(struct pingo__executor_slurm_token *t)
{
    char bytes[SAID_MOST];
    ssize_t n = read_beginning(t->source, bytes);
    if (n < 0)
        snprintf(t->wrong, sizeof t->wrong, "executor.slurm.token: %.150s: %s", t->source,
                 strerror((int)-n));
    else
        take(t, bytes, (size_t)n);
    explicit_bzero(bytes, sizeof bytes);
}

static void start_command(struct pingo__executor_slurm_token *t)
{
    const char *argv[] = {"/bin/sh", "-c", t->source, NULL};
    struct epoll_event event = {.events = EPOLLIN};
    int rc = pingo__child_start(
        &(struct pingo__child_program){.argv = argv, .limit_ms = COMMAND_MS}, &t->child);
    if (rc)
        snprintf(t->wrong, sizeof t->wrong, "executor.slurm.token: /bin/sh: cannot be run: %s",
                 strerror(-rc));
    else
        epoll_ctl(t->poll_fd, EPOLL_CTL_ADD, pingo__child_fd(t->child), &event);
}

static void end_command(struct pingo__executor_slurm_token *t, int status)
{
    struct pingo__buffer said = {0};
    pingo__child_said(t->child, status != 0, SAID_MOST, &said);
    if (status == 0 && pingo__buffer_cstr(&said)) {
        take(t, said.data, said.length);
    } else {
        char shown[121] = "";
        if (pingo__buffer_cstr(&said))
            pingo__text_clean_to(shown, sizeof shown, said.data);
        snprintf(t->wrong, sizeof t->wrong,
                 "executor.slurm.token: \"%.100s\" ended with status %d%s%s", t->source, status,
                 *shown ? ": " : "", shown);
    }
    pingo__buffer_clear(&said);
    pingo__child_free(t->child);
    t->child = NULL;
}

static bool is_good(const struct pingo__executor_slurm_token *t)
{
    return !t->source || (*t->text && (!t->renew_ms || pingo__world_monotonic_ms() < t->renew_ms));
}

bool pingo__executor_slurm_token_is_there(struct pingo__executor_slurm_token *t, const char **why)
{
    int status;
    t->wrong[0] = '\0';
    if (t->child && pingo__child_has_ended(t->child, &status))
        end_command(t, status);
    if (!is_good(t) && !t->child && !*t->wrong) {
        if (is_file(t->source))
            read_file(t);
        else
            start_command(t);
    }
    if (*t->wrong)
        *why = t->wrong;
    return is_good(t);
}

bool pingo__executor_slurm_token_was_refused(struct pingo__executor_slurm_token *t)
{
    bool old = t->source && pingo__world_monotonic_ms() - t->fetched_ms >= OLD_MS;
    if (old)
        t->text[0] = '\0';
    return old;
}

void pingo__executor_slurm_token_clear(struct pingo__executor_slurm_token *t)
{
    pingo__child_free(t->child);
    explicit_bzero(t->text, sizeof t->text);
}
