/* follow.c - pingo --server status --follow: what changes, as the server's stream of events tells it.
 *
 * The stream is read as it comes, and its messages are looked at outside the client, so that names and states can be
 * asked for meanwhile, by another one.  A stream that breaks is resumed behind the last message that was told. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/backoff.h"
#include "base/error.h"
#include "remote/remote.h"
#include "signals.h"
#include "status.h"

#define MESSAGE_MOST (16u << 20)
#define TRIES 6        /* in vain, one after the other, */
#define TRIES_BEGUN 20 /* and once there was a stream: a minute */
#define PAUSE_FIRST_MS 200
#define PAUSE_MOST_MS 4000
#define ID_SIZE 32

struct following {
    struct cli_remote *r;     /* of the stream */
    struct cli_remote asking; /* of all else */
    struct cli_following told;
    struct pingo__buffer came;
    char last[ID_SIZE]; /* the message that was told last; "": none */
    bool has_begun;
    int tries;
    struct pingo_error wrong;
};

/* Nothing more is to be told. */
static bool is_over(const struct following *f)
{
    return f->told.has_ended || f->told.is_unread;
}

/* ---- a message --------------------------------------------------------------------------------------------- */

/* The changes of one kind, in their order. */
static int tell_changes(struct following *f, const char *data)
{
    struct pingo__view_change *rows = NULL;
    size_t n = 0;
    char *text = cli_format("{\"items\":%s}", data);
    int rc = cli_remote_read(f->r, text, strlen(text));
    const struct pingo__json_value *list =
        rc == 0
            ? pingo__json_reader_member(&f->r->reader, f->r->root, "items", PINGO__JSON_ARRAY, true)
            : NULL;
    for (const struct pingo__json_value *v = pingo__json_first(list); v; v = pingo__json_next(v)) {
        rows = cli_more(rows, n, sizeof *rows);
        rows[n] = (struct pingo__view_change){0};
        n += cli_remote_row(f->r, v, &pingo__view_change, &rows[n]) &&
             rows[n].change.event.kind != 0; /* else it is of what this program does not know */
    }
    if (rc == 0)
        rc = cli_remote_misread(f->r, f->r->reader.rc);
    if (rc == 0 && n > 0)
        qsort(rows, n, sizeof *rows, pingo__array_by_id);
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = cli_follow_change(&f->told, &rows[i].change);
    free(rows);
    free(text);
    return rc;
}

/* The value of a line that begins so; NULL: it does not. */
static const char *value_of(const char *line, const char *name)
{
    size_t n = strlen(name);
    return strncmp(line, name, n) == 0 ? line + n + (line[n] == ' ') : NULL;
}

/* A message without the empty line at its end; its lines are cut apart.  We ask for no data of several lines. */
static int tell_message(struct following *f, char *text)
{
    const char *kind = "", *data = NULL, *id = NULL;
    char *rest = NULL;
    int rc = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        kind = value_of(line, "event:") ? value_of(line, "event:") : kind;
        data = value_of(line, "data:") ? value_of(line, "data:") : data;
        id = value_of(line, "id:") ? value_of(line, "id:") : id;
    }
    if (data && pingo__text_is_among("action|dataset|workflow|reset", kind))
        rc = tell_changes(f, data);
    else if (strcmp(kind, "begin") == 0 && !f->has_begun && f->told.workflow)
        rc = cli_follow_state(&f->told, id ? (int64_t)strtoll(id, NULL, 10) : 0);
    f->has_begun = f->has_begun || strcmp(kind, "begin") == 0;
    if (rc == 0 && id && strlen(id) < ID_SIZE && strspn(id, "0123456789") == strlen(id))
        strcpy(f->last, id);
    return rc;
}

/* All that are whole; a signal is looked at between two. */
static int tell_messages(struct following *f)
{
    int rc = 0;
    size_t at = 0;
    const char *end;
    while (rc == 0 && !is_over(f) && cli_signal_caught() == 0 && f->came.length > at + 1 &&
           (end = memmem(f->came.data + at, f->came.length - at, "\n\n", 2))) {
        size_t n = (size_t)(end - f->came.data) - at;
        char *text = cli_format("%.*s", (int)n, f->came.data + at);
        at += n + 2;
        f->tries = 0;
        rc = tell_message(f, text);
        free(text);
    }
    if (at > 0)
        memmove(f->came.data, f->came.data + at, f->came.length - at);
    f->came.length -= at;
    return rc;
}

/* ---- the stream ----------------------------------------------------------------------------------------------- */

static bool take(void *context, const char *bytes, size_t n)
{
    struct following *f = context;
    if (n > MESSAGE_MOST - f->came.length)
        pingo__fail(&f->wrong, PINGO_EIO, "%s: a message of its stream is too long", f->r->where);
    else
        pingo__buffer_append(&f->came, bytes, n);
    if (f->came.failed)
        pingo__fail_memory(&f->wrong);
    return f->wrong.code == 0;
}

/* What a stream that is over means: 0: it is asked for again. */
static int judge(struct following *f)
{
    const struct pingo__http_reply *reply = &f->r->reply;
    if (f->wrong.code != 0)
        return pingo__fail(&f->r->cli->err, f->wrong.code, "%s", f->wrong.message);
    bool is_refused =
        reply->result == PINGO__HTTP_REPLIED && reply->status != 200 && !cli_remote_is_busy(reply);
    if (!is_refused && ++f->tries < (f->has_begun ? TRIES_BEGUN : TRIES))
        return 0;
    return reply->result == PINGO__HTTP_REPLIED ? cli_remote_refused(f->r)
                                                : cli_remote_unanswered(f->r);
}

static int read_stream(struct following *f, const char *path)
{
    char header[ID_SIZE + 16];
    snprintf(header, sizeof header, "Last-Event-ID: %s", f->last);
    struct pingo__http_stream stream = {.take = take, .context = f};
    struct cli_ask ask = {
        .path = path, .header = *f->last ? header : NULL, .stream = &stream, .is_raw = true};
    bool has_closed = false;
    f->came.length = 0;
    int rc = cli_remote_send(f->r, &ask);
    while (rc == 0 && !has_closed && !is_over(f)) {
        rc = cli_remote_look(f->r, &has_closed);
        has_closed = has_closed || rc == PINGO_EAWAY;
        rc = rc == PINGO_EAWAY ? 0 : rc;
        if (rc == 0)
            rc = tell_messages(f);
    }
    if (rc == 0 && has_closed && !is_over(f))
        rc = judge(f);
    return rc;
}

static int follow(struct following *f)
{
    char *path = cli_copy("/v1/events");
    int64_t pause_ms = 0;
    int rc = 0;
    if (f->told.workflow)
        cli_remote_query_number(&path, "workflow", f->told.workflow);
    while (rc == 0 && !is_over(f)) {
        rc = read_stream(f, path);
        pause_ms = f->tries <= 1 ? 0 : pause_ms;
        if (rc == 0 && !is_over(f))
            poll(NULL, 0, (int)pingo__backoff_next(&pause_ms, PAUSE_FIRST_MS, PAUSE_MOST_MS));
    }
    return rc;
}

int cli_remote_follow(struct cli_remote *r)
{
    struct following f = {
        .r = r, .asking = {.cli = r->cli, .args = r->args, .where = r->where}, .told.cli = r->cli};
    struct pingo__view_workflow w = {0};
    int rc = cli_remote_open(&f.asking);
    if (rc == 0 && r->args->noperands > 0)
        rc = cli_remote_workflow(r, r->args->operands[0], &w);
    f.told.workflow = w.status.workflow;
    r->follows = true;
    r->cli->remote = &f.asking;
    if (rc == 0)
        rc = follow(&f);
    r->cli->remote = r;
    pingo__buffer_clear(&f.came);
    cli_remote_close(&f.asking);
    if (rc != 0)
        return cli_error(r->cli);
    return !f.told.has_ended || f.told.state == PINGO_WORKFLOW_FINISHED ? CLI_OK : CLI_FAILED;
}
