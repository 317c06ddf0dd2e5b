/* log.c - pingo --server log: the logs of an action, as they are or as they grow. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "remote/remote.h"

#define PAUSE_MS 500 /* after a log that was cut */

struct printing {
    const char *title; /* NULL: none */
    bool any;
    int64_t had;              /* bytes of what is followed, */
    bool has_ended;           /* as it seems */
    struct pingo_error wrong; /* with standard output */
};

/* What a command said, whatever it is. */
static bool print(void *context, const char *bytes, size_t n)
{
    struct printing *p = context;
    if (n > 0 && !p->any && p->title)
        printf("%s\n", p->title);
    p->any = p->any || n > 0;
    p->had += (int64_t)n;
    errno = EIO;
    cli_print_said(bytes, n);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    pingo__fail(&p->wrong, PINGO_EIO, "cannot write to standard output: %s", strerror(errno));
    clearerr(stdout); /* it is told once */
    return false;
}

/* All of it comes by, however long it is: a log without a range is cut at a MiB. */
static int show(struct cli_remote *r, const char *path, struct printing *p)
{
    const struct pingo__http_reply *reply = &r->reply;
    struct pingo__http_stream stream = {.take = print, .context = p};
    int rc = cli_remote_ask(r, &(struct cli_ask){.path = path,
                                                 .header = "Range: bytes=0-",
                                                 .stream = &stream,
                                                 .wrong = &p->wrong,
                                                 .is_raw = true});
    /* The action is there: 404 and 416 say that its log is empty, or gone. */
    bool is_empty = rc != 0 && r->cli->err.code != PINGO_EINTERRUPTED && !p->any &&
                    reply->result == PINGO__HTTP_REPLIED &&
                    (reply->status == 404 || reply->status == 416);
    return is_empty ? 0 : rc;
}

/* Those that have not ended grow side by side, from where they broke off; false is_cut: all have ended. */
static int follow_on(struct cli_remote *r, char *const *paths, struct printing *p, bool *is_cut)
{
    struct pingo__http_stream streams[2];
    int rc = 0, sent = 0;
    *is_cut = false;
    for (int i = 0; i < 2 && rc == 0; i++) {
        if (!paths[i] || p[i].has_ended)
            continue;
        char *path = cli_format("%s?follow=1&from=%" PRId64, paths[i], p[i].had);
        streams[i] = (struct pingo__http_stream){.take = print, .context = &p[i]};
        rc = cli_remote_send(
            r, &(struct cli_ask){.path = path, .stream = &streams[i], .is_raw = true});
        sent++;
    }
    for (; sent > 0 && rc == 0; sent--) {
        rc = cli_remote_take(r);
        if (rc == PINGO_EAWAY) { /* both were silent */
            *is_cut = true;
            return 0;
        }
        const struct pingo__http_reply *reply = &r->reply;
        struct printing *one = &p[reply->own == &streams[1]];
        if (rc == 0 && one->wrong.code != 0)
            rc = pingo__fail(&r->cli->err, one->wrong.code, "%s", one->wrong.message);
        else if (rc == 0 && reply->result == PINGO__HTTP_REPLIED && reply->status == 200)
            one->has_ended = true;
        else if (rc == 0 && reply->result == PINGO__HTTP_REPLIED && !cli_remote_is_busy(reply))
            rc = cli_remote_refused(r);
        else
            *is_cut = true;
    }
    return rc;
}

/* A server that goes may come again.  What is an attempt's that has begun meanwhile is told from its beginning.  The
 * end of a log is believed of an action that had ended before: to a proxy that speaks HTTP/1.0 to the server what broke
 * off has ended. */
static int follow(struct cli_remote *r, char *const *paths, const char *action, struct printing *p)
{
    int64_t gone_ms = 0, attempt = 0, asked_ms = -PAUSE_MS;
    bool is_cut = true;
    int rc = 0;
    r->follows = true;
    while (rc == 0 && is_cut) {
        struct pingo_action_status now = {0};
        cli_remote_pause_until(asked_ms + PAUSE_MS);
        asked_ms = pingo__world_monotonic_ms();
        rc = cli_remote_ask(
            r, &(struct cli_ask){.path = action, .view = &pingo__view_action, .row = &now});
        bool is_gone = cli_remote_is_asked_again(r, rc, &gone_ms);
        int64_t last =
            now.attempts > 0 ? now.attempts : 1; /* which is waited for before it starts */
        if (rc == 0 && attempt != last)
            p[0].had = p[1].had = 0;
        attempt = rc == 0 ? last : attempt;
        if (rc == 0)
            rc = follow_on(r, paths, p, &is_cut);
        if (rc == 0 && now.state != 0 && !pingo_action_state_is_final(now.state)) {
            p[0].has_ended = p[1].has_ended = false;
            is_cut = true;
        }
        gone_ms = is_gone ? gone_ms : 0;
        rc = is_gone ? 0 : rc;
    }
    return rc;
}

int cli_remote_logs(struct cli_remote *r, const char *action, const bool wanted[2], bool *shown)
{
    static const char *const names[] = {"stdout", "stderr"};
    static const char *const titles[] = {"==> standard output <==", "==> standard error <=="};
    bool follows = cli_flag(r->args, "follow");
    struct printing p[2] = {{0}, {0}};
    char *paths[2];
    int rc = 0;
    for (int i = 0; i < 2; i++)
        paths[i] = wanted[i] ? cli_format("%s/%s", action, names[i]) : NULL;
    if (follows)
        rc = follow(r, paths, action, p);
    for (int i = 0; i < 2 && rc == 0 && !follows; i++) {
        char *title = cli_format("%s%s", i > 0 && p[0].any ? "\n" : "", titles[i]);
        p[i].title = wanted[0] && wanted[1] ? title : NULL;
        rc = paths[i] ? show(r, paths[i], &p[i]) : 0;
    }
    *shown = p[0].any || p[1].any;
    return rc == 0 ? CLI_OK : cli_error(r->cli);
}

int cli_remote_script(struct cli_remote *r, const char *action)
{
    struct printing p = {0};
    return show(r, cli_format("%s/script", action), &p) == 0 ? CLI_OK : cli_error(r->cli);
}
