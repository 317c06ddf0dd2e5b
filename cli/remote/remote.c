/* remote.c - requests to a server, and what came of them. */
#include "remote/remote.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/backoff.h"
#include "base/error.h"
#include "base/world.h"
#include "signals.h"

#define CONNECT_MS 10000
#define WHOLE_MS 100000        /* more than what Prefer: wait asks for */
#define STALL_MS 86400000      /* inputs are hashed for long, and nothing is said meanwhile */
#define SILENCE_MS 60000       /* of what is followed; a server comments its events more often */
#define MOST_BYTES (64u << 20) /* of a document */
#define MOST_VALUES (4u << 20) /* in it: an honest plan, which has short rows, has no more */
#define LOOK_MS 100            /* until it is seen whether a signal came */
#define TRIES 6
#define GONE_MS 60000 /* so long is one that was there asked again */
#define PAUSE_FIRST_MS 200
#define PAUSE_MOST_MS 4000

/* ---- the connection -------------------------------------------------------------------------------------- */

/* A path is that of a socket. */
static char *url_of(struct cli_remote *r)
{
    const char *where = r->where;
    r->is_socket = strncmp(where, "unix:", 5) == 0 || where[0] == '/' || where[0] == '.';
    if (r->is_socket) {
        char *path = cli_absolute(strncmp(where, "unix:", 5) == 0 ? where + 5 : where);
        return cli_format("unix:%s", path);
    }
    char *url = cli_copy(where);
    size_t n = strlen(url);
    if (n > 0 && url[n - 1] == '/')
        url[n - 1] = '\0';
    return url;
}

int cli_remote_open(struct cli_remote *r)
{
    struct pingo__http_options options = {.connect_ms = CONNECT_MS,
                                          .whole_ms = WHOLE_MS,
                                          .stall_ms = STALL_MS,
                                          .max_bytes = MOST_BYTES,
                                          .connections = 2};
    char *url = url_of(r);
    int rc = cli_remote_authority(r, url, &options.ca_file);
    if (rc == 0)
        rc = pingo__http_open(url, &options, &r->client, &r->cli->err);
    return rc ? rc : cli_remote_token(r, url);
}

/* A host without what comes before it, and all else that is no URL. */
static int refuse_url(struct cli_remote *r)
{
    int rc = cli_error(r->cli);
    if (rc != CLI_USAGE || r->client)
        return rc;
    if (r->is_socket)
        cli_try("a shorter one, by a symbolic link to its directory");
    else if (*r->where != '\0' && !strstr(r->where, "://"))
        cli_try("--server %s, or the path of a socket, with a / or ./ before it",
                cli_word(cli_format("http://%s", r->where)));
    else
        cli_try("--server with a URL or a socket as pingo serve tells it when it starts");
    return rc;
}

int cli_remote_send(struct cli_remote *r, const struct cli_ask *ask)
{
    const char *headers[5] = {0};
    size_t n = 0;
    if (r->authorization)
        headers[n++] = r->authorization;
    if (ask->header)
        headers[n++] = ask->header;
    if (ask->body || (ask->stream && ask->stream->give))
        headers[n++] = "Content-Type: application/json";
    struct pingo__http_request request = {.method = ask->method ? ask->method : "GET",
                                          .path = ask->path,
                                          .headers = headers,
                                          .body = ask->body,
                                          .length = ask->body ? strlen(ask->body) : 0,
                                          .own = (void *)(uintptr_t)ask->stream,
                                          .stream = ask->stream};
    r->moved_ms = pingo__world_monotonic_ms();
    return pingo__http_send(r->client, &request, &r->cli->err);
}

/* Nothing has come for too long: a connection of which nobody told us that it is dead, such as by a proxy. */
static int give_up(struct cli_remote *r)
{
    r->reply = (struct pingo__http_reply){.result = PINGO__HTTP_LOST};
    snprintf(r->reply.message, sizeof r->reply.message, "%s: nothing came for %d s", r->where,
             SILENCE_MS / 1000);
    cli_remote_close(r);
    r->client = NULL;
    int rc = cli_remote_open(r);
    return rc != 0 ? rc : cli_remote_unanswered(r);
}

static bool is_problem(const struct pingo__http_reply *reply)
{
    static const char type[] = "application/problem+json";
    return reply->type && strncmp(reply->type, type, strlen(type)) == 0;
}

int cli_remote_look(struct cli_remote *r, bool *is_over)
{
    struct pingo__http_reply *reply = &r->reply;
    *is_over = false;
    if (cli_signal_caught() != 0)
        return pingo__fail(&r->cli->err, PINGO_EINTERRUPTED, "interrupted");
    *is_over = pingo__http_wait(r->client, LOOK_MS, reply);
    if (*is_over && reply->status >= 502 && reply->status <= 504 && !is_problem(reply)) {
        reply->result = PINGO__HTTP_LOST;
        snprintf(reply->message, sizeof reply->message,
                 "%.150s: a proxy answered with the status %d", r->where, reply->status);
    }
    int64_t moved = pingo__http_moved(r->client), now_ms = pingo__world_monotonic_ms();
    if (moved != r->moved)
        r->moved_ms = now_ms;
    r->moved = moved;
    return !*is_over && r->follows && now_ms - r->moved_ms > SILENCE_MS ? give_up(r) : 0;
}

/* Until one of those that were sent is over. */
int cli_remote_take(struct cli_remote *r)
{
    bool is_over = false;
    int rc = 0;
    while (rc == 0 && !is_over)
        rc = cli_remote_look(r, &is_over);
    return rc;
}

/* ---- answers ------------------------------------------------------------------------------------------------ */

static void close_reader(struct cli_remote *r)
{
    pingo__json_reader_clear(&r->reader);
    pingo__arena_reset(&r->arena);
    r->root = NULL;
}

static void drop_kept(struct cli_remote *r)
{
    pingo__json_reader_clear(&r->kept);
    pingo__arena_clear(&r->kept_arena);
}

void cli_remote_keep(struct cli_remote *r)
{
    drop_kept(r);
    r->kept = r->reader;
    r->kept_arena = r->arena;
    r->reader = (struct pingo__json_reader){0};
    r->arena = (struct pingo__arena){0};
}

int cli_remote_misread(struct cli_remote *r, int rc)
{
    if (rc != PINGO_EINVAL)
        return rc;
    pingo__error_prefix(&r->cli->err, "%s answers what is not of pingo's API", r->where);
    return r->cli->err.code = PINGO_EIO;
}

int cli_remote_read(struct cli_remote *r, const char *text, size_t length)
{
    close_reader(r);
    int rc = pingo__json_reader_open(&r->reader, text, length, "the server's answer", &r->cli->err);
    if (rc == 0 && r->reader.document.nvalues > MOST_VALUES)
        return pingo__fail(&r->cli->err, PINGO_EIO, "%s: an answer has more than %u values",
                           r->where, MOST_VALUES);
    if (rc == 0)
        r->root = pingo__json_reader_value(&r->reader, r->reader.document.offset, "");
    return rc || r->reader.rc ? cli_remote_misread(r, rc ? rc : r->reader.rc) : 0;
}

bool cli_remote_is_busy(const struct pingo__http_reply *reply)
{
    return reply->result == PINGO__HTTP_REPLIED && (reply->status == 429 || reply->status == 503);
}

int cli_remote_refused(struct cli_remote *r)
{
    const struct pingo__http_reply *reply = &r->reply;
    static const struct {
        int status, code;
    } codes[] = {{401, PINGO_EFORBIDDEN}, {403, PINGO_EFORBIDDEN}, {404, PINGO_ENOTFOUND},
                 {409, PINGO_ESTATE},     {413, PINGO_ELIMIT},     {429, PINGO_EBUSY},
                 {503, PINGO_EBUSY},      {507, PINGO_ENOSPACE},   {400, PINGO_EINVAL},
                 {422, PINGO_EWORKFLOW}};
    int code = PINGO_EIO;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        code = codes[i].status == reply->status ? codes[i].code : code;
    bool is_read = is_problem(reply) && cli_remote_read(r, reply->body, reply->length) == 0;
    const char *name = is_read ? pingo__json_reader_text(&r->reader, r->root, "code", false) : NULL;
    const char *detail =
        is_read ? pingo__json_reader_text(&r->reader, r->root, "detail", false) : NULL;
    for (int i = -1; name && strcmp(pingo_error_name(i), "PINGO_E?") != 0; i--)
        code = strcmp(pingo_error_name(i), name) == 0 ? i : code;
    if (detail)
        r->refused = reply->status;
    if (detail)
        return pingo__fail(&r->cli->err, code, "%.900s", detail);
    return pingo__fail(&r->cli->err, code,
                       "%s answered with the status %d, and not as pingo serve does", r->where,
                       reply->status);
}

int cli_remote_unanswered(struct cli_remote *r)
{
    return pingo__fail(&r->cli->err, PINGO_EAWAY, "%s%s", r->reply.message,
                       r->reply.result == PINGO__HTTP_LOST ? ": the answer did not come" : "");
}

/* Is there something else than an answer, which the same request may get later? */
static bool is_worth_another(struct cli_remote *r, const struct cli_ask *ask)
{
    const struct pingo__http_reply *reply = &r->reply;
    bool is_safe = !ask->method || strcmp(ask->method, "POST") != 0 || ask->is_safe;
    if (reply->result != PINGO__HTTP_REPLIED) /* of what is taken as it comes, some was */
        return reply->result == PINGO__HTTP_UNSENT ||
               (reply->result == PINGO__HTTP_LOST && is_safe && !(ask->stream && ask->stream->take));
    return cli_remote_is_busy(reply) ||
           (is_safe && reply->status == 409 && cli_remote_refused(r) == PINGO_EPENDING);
}

/* RFC 9110, 4.1: so many bytes any server takes; ours take so many parts of a query. */
#define TARGET_MOST 8000
#define PARTS_MOST 100

static int check_size(struct cli_remote *r, const char *path)
{
    size_t nparts = 0;
    for (const char *c = path; *c != '\0'; c++)
        nparts += *c == '?' || *c == '&';
    if (strlen(path) <= TARGET_MOST && nparts <= PARTS_MOST)
        return 0;
    return pingo__fail(
        &r->cli->err, PINGO_ELIMIT,
        "too many are named for one request to a server: name fewer, or what is like "
        "them all (a pattern, a label)");
}

int cli_remote_ask(struct cli_remote *r, const struct cli_ask *ask)
{
    const struct pingo__http_reply *reply = &r->reply;
    int64_t pause_ms = 0;
    if (check_size(r, ask->path) != 0)
        return PINGO_ELIMIT;
    r->refused = 0;
    for (int tries = 1;; tries++) {
        if (ask->rewind)
            *ask->rewind = 0;
        int rc = cli_remote_send(r, ask);
        if (rc == 0)
            rc = cli_remote_take(r);
        if (rc != 0)
            return rc;
        r->has_answered = r->has_answered || reply->result == PINGO__HTTP_REPLIED;
        if (tries == TRIES || !is_worth_another(r, ask))
            break;
        poll(NULL, 0, (int)pingo__backoff_next(&pause_ms, PAUSE_FIRST_MS, PAUSE_MOST_MS));
    }
    if (ask->wrong && ask->wrong->code != 0) {
        r->cli->err = *ask->wrong;
        return r->cli->err.code;
    }
    if (reply->result != PINGO__HTTP_REPLIED)
        return cli_remote_unanswered(r);
    if (reply->status < 200 || reply->status > 299)
        return cli_remote_refused(r);
    int rc = ask->is_raw ? 0 : cli_remote_read(r, reply->body, reply->length);
    return rc == 0 && ask->view && !cli_remote_row(r, r->root, ask->view, ask->row)
               ? cli_remote_misread(r, r->reader.rc)
               : rc;
}

int cli_remote_get(struct cli_remote *r, const struct pingo__view_table *view, void *row,
                   const char *path, ...)
{
    va_list args;
    va_start(args, path);
    struct cli_ask ask = {.path = cli_remote_path_of(path, &args), .view = view, .row = row};
    va_end(args);
    return cli_remote_ask(r, &ask);
}

void cli_remote_pause_until(int64_t due_ms)
{
    int64_t now = pingo__world_monotonic_ms();
    if (now < due_ms && cli_signal_caught() == 0)
        poll(NULL, 0, (int)(due_ms - now));
}

bool cli_remote_is_asked_again(const struct cli_remote *r, int rc, int64_t *gone_ms)
{
    bool is_told = rc != 0 && cli_remote_is_busy(&r->reply);
    if ((rc != PINGO_EAWAY && !is_told) || !r->has_answered || cli_signal_caught() != 0)
        return false;
    if (*gone_ms == 0) {
        *gone_ms = pingo__world_monotonic_ms();
        cli_note("%s%s; it is asked for a minute", is_told ? r->cli->err.message : r->where,
                 is_told ? "" : " does not answer");
    }
    return pingo__world_monotonic_ms() - *gone_ms < GONE_MS;
}

/* What to do about a server that does not answer. */
static void try_server(const struct cli_remote *r)
{
    const char *path = strncmp(r->where, "unix:", 5) == 0 ? r->where + 5 : r->where;
    struct stat st;
    if (r->is_socket && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        cli_try("the socket in it: --server %s",
                cli_word(cli_format("%s%s.pingo/serve.sock", path,
                                    path[strlen(path) - 1] == '/' ? "" : "/")));
    else if (r->is_socket && access(path, W_OK) != 0 && errno == EACCES)
        cli_try("as a user who may write to that socket: those of its group may, where pingo serve "
                "--socket made it");
    else if (strstr(r->cli->err.message, "certificate has expired"))
        cli_try("whoever keeps the server has to renew its certificate");
    else if (r->reply.result == PINGO__HTTP_UNTRUSTED)
        cli_try("PINGO_CACERT=FILE, with the certificates (PEM) of who signed that of the server, "
                "which must be for the name in the URL");
    else if (r->reply.status != 0)
        cli_try("is pingo serve running behind it?");
    else if (strncmp(r->where, "https://", 8) == 0)
        cli_try("http:// if no proxy is before it: pingo serve itself speaks no https");
    else
        cli_try("is pingo serve running there?  It says where it listens when it starts");
}

/* And about what pingo serve refused. */
static void try_next(const struct cli_remote *r)
{
    bool is_named = cli_value(r->args, "server");
    if (r->refused == 401 && r->authorization)
        cli_try(
            "a new token: pingo token create NAME --role submitter, on the machine of the store");
    else if (r->refused == 401 && !r->is_socket)
        cli_try("put a token of pingo token create into PINGO_TOKEN, or into a file of mode 600 "
                "that PINGO_TOKEN_FILE names");
    else if (r->refused == 403 && r->authorization)
        cli_try("pingo token list, on the machine of the store: it tells the role of this token");
    else if (r->refused == 0 && r->reply.status == 413)
        cli_try("whoever keeps the proxy before the server: it takes no more (nginx: "
                "client_max_body_size)");
    else if (r->refused == 404)
        cli_try("pingo%s%s status", is_named ? " --server " : "",
                is_named ? cli_word(r->where) : "");
}

static int on_failed(struct cli *cli)
{
    bool is_away = cli->err.code == PINGO_EAWAY && cli->remote->refused == 0;
    (is_away ? try_server : try_next)(cli->remote);
    return is_away ? CLI_NOSTORE : CLI_OK; /* as where there is no store */
}

void cli_remote_close(struct cli_remote *r)
{
    close_reader(r);
    drop_kept(r);
    pingo__arena_clear(&r->arena);
    pingo__http_close(r->client);
}

int cli_remote_with(struct cli *cli, const struct cli_args *args, const char *where,
                    int (*run)(struct cli *cli, const struct cli_args *args))
{
    struct cli_remote r = {.cli = cli, .args = args, .where = where};
    cli_signals_catch();
    cli->remote = &r;
    cli->failed = on_failed;
    int rc = cli_remote_open(&r) != 0 ? refuse_url(&r) : run(cli, args);
    cli_remote_close(&r);
    cli->remote = NULL;
    return rc;
}
