/* request.c - a request, from its head to its answer: who may answer it, where it is answered, and when again. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "serve/loop/connection.h"
#include "serve/work/handle.h"
#include "serve/work/ticks.h"

#define JOB_OF(job_) ((struct connection *)((char *)(job_)-offsetof(struct connection, job)))

/* Says no.  What the client still sends of this request is not read, so the connection ends with it. */
static void refuse(struct connection *c)
{
    if (c->parser.length == 0 && c->state == SERVE_HEAD) {
        c->is_refused = true;
        return;
    }
    c->keeps_alive = c->keeps_alive && c->parser.length == 0;
    snprintf(c->type, sizeof c->type, "%s", c->answer.type);
    c->state = SERVE_WORK;
    loop_send(c);
}

void loop_wrong(struct connection *c, int status, const char *why)
{
    c->keeps_alive = false;
    serve_refuse(&c->answer, status, "%s", why);
    snprintf(c->type, sizeof c->type, "%s", c->answer.type);
    c->state = SERVE_WORK;
    loop_send(c);
}

/* ---- its body ------------------------------------------------------------------------------------
 *
 * It goes to a file without a name as it comes: nobody's memory holds it, and nothing is left of it where the server
 * dies.  While a piece is written, nothing more is read. */

static void fail_body(struct connection *c, int error)
{
    bool is_full = error == ENOSPC || error == EDQUOT || error == EFBIG;
    bool is_busy = error == EMFILE || error == ENFILE || error == ENOMEM;
    int status = is_full ? 507 : is_busy ? 503 : 500;
    loop_wrong(c, status,
               is_full ? "the disk of the store is full: make room there, such as by pingo rm, and "
                         "send it again"
                       : strerror(error));
}

static bool begin_body(struct connection *c)
{
    int fd = serve_descriptor(serve_unnamed(c->loop->serve->directory));
    if (fd < 0)
        fail_body(c, -fd);
    else
        c->request.body = fd;
    return fd >= 0;
}

void loop_body_piece(struct connection *c)
{
    pingo__buffer_append(&c->piece, c->parser.piece, c->parser.npiece);
    c->request.body_bytes += (int64_t)c->parser.npiece;
    if (c->piece.failed)
        fail_body(c, ENOMEM);
}

static void on_written(uv_fs_t *fs)
{
    struct connection *c = fs->data;
    ssize_t n = fs->result;
    c->in_file = false;
    uv_fs_req_cleanup(fs);
    if (c->state != SERVE_CLOSED) {
        c->since_ms = (int64_t)uv_now(&c->loop->uv);
        if (n <= 0) {
            fail_body(c, n < 0 ? (int)-n : EIO);
        } else {
            memmove(c->piece.data, c->piece.data + n, c->piece.length - (size_t)n);
            c->piece.length -= (size_t)n;
            c->written += n;
            if (loop_body_flush(c)) {
                if (c->state == SERVE_WORK)
                    loop_call(c);
                loop_read(c);
            }
        }
    }
    loop_unhold(c);
}

bool loop_body_flush(struct connection *c)
{
    if (c->piece.length == 0)
        return true;
    uv_buf_t buffer = uv_buf_init(c->piece.data, (unsigned)c->piece.length);
    c->fs.data = c;
    c->held_by++;
    c->in_file = true;
    int rc = uv_fs_write(&c->loop->uv, &c->fs, c->request.body, &buffer, 1, c->written, on_written);
    if (rc != 0) {
        c->held_by--;
        c->in_file = false;
        fail_body(c, -rc);
    }
    return false;
}

/* ---- its answer ---------------------------------------------------------------------------------- */

static bool find_route(struct connection *c)
{
    struct serve_request *r = &c->request;
    const char *method = c->parser.method;
    c->is_head = strcmp(method, "HEAD") == 0;
    r->method = c->is_head ? "GET" : method;
    r->path = c->parser.path;
    c->answer.is_wes = strncmp(r->path, "/ga4gh/", 7) == 0;
    r->query = c->parser.query;
    r->nquery = c->parser.nquery;
    r->headers = c->parser.headers;
    r->nheaders = c->parser.nheaders;
    r->route = serve_match(&c->parser.arena, method, r->path, &c->match);
    r->parts = c->match.parts;
    r->nparts = c->match.nparts;
    if (r->route)
        return true;
    if (c->match.allowed[0] == '\0') {
        serve_refuse(&c->answer, 404, "there is no %.512s here", r->path);
        return false;
    }
    serve_refuse(&c->answer, 405, "this takes %s", c->match.allowed);
    serve_header(&c->answer, "Allow", "%s", c->match.allowed);
    return false;
}

/* The body is welcome. */
static void take_body(struct connection *c)
{
    c->parser.most_bytes = c->request.route->most_bytes;
    if (c->parser.length > c->parser.most_bytes) {
        loop_wrong(c, 413, "the body is too long");
        return;
    }
    c->state = SERVE_BODY;
    c->since_ms = (int64_t)uv_now(&c->loop->uv);
    if (!begin_body(c) || !c->parser.expects)
        return;
    static char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    uv_buf_t buffer = uv_buf_init(go_on, sizeof go_on - 1);
    if (uv_try_write(&c->stream, &buffer, 1) != (int)buffer.len)
        loop_close(c); /* a client that does not read an empty connection */
}

/* On a worker: may who asks do this? */
static void ask(struct serve_worker *worker, struct serve_job *job)
{
    struct connection *c = JOB_OF(job);
    pingo__arena_reset(&worker->arena);
    serve_guard_who(worker, &c->peer, &c->name, &c->request, &c->answer);
}

/* It may lie in the worker's memory. */
static void note_type(struct connection *c)
{
    if (!c->is_streaming)
        snprintf(c->type, sizeof c->type, "%s",
                 c->answer.type ? c->answer.type : "application/json");
}

static void run(struct serve_worker *worker, struct serve_job *job)
{
    struct connection *c = JOB_OF(job);
    pingo__arena_reset(&worker->arena);
    /* Of a stream it is asked again once something has changed, such as its token, and now and then: a token expires
     * while nothing changes. */
    bool is_known = c->is_streaming && !c->request.is_changed && c->called_ms - c->asked_ms < ASK_MS;
    c->asked_ms = is_known ? c->asked_ms : c->called_ms;
    if (is_known || serve_guard_who(worker, &c->peer, &c->name, &c->request, &c->answer))
        serve_handle(worker, &c->request, &c->answer);
    note_type(c);
}

static void lost(struct serve_worker *worker, struct serve_job *job)
{
    struct connection *c = JOB_OF(job);
    pingo__buffer_clear(&c->answer.body);
    pingo__buffer_clear(&c->answer.headers);
    serve_problem(&c->answer, &worker->err, NULL);
    note_type(c);
}

/* was_held: it is called again, whatever waits: of streams all are told what changes, however many they are. */
static void give(struct connection *c, enum serve_by by, bool was_held,
                 void (*run_job)(struct serve_worker *worker, struct serve_job *job))
{
    c->job.run = run_job;
    c->job.lost = lost;
    if (was_held) {
        serve_work_must(c->loop->work, &c->job);
    } else if (!serve_work_give(c->loop->work, by, &c->job)) {
        serve_refuse(&c->answer, 503, "too many requests wait; try again");
        refuse(c);
        return;
    }
    c->held_by++;
    c->loop->nworking++;
}

void loop_headed(struct connection *c)
{
    loop_begin(c);
    c->is_first = false;
    c->keeps_alive = c->parser.keeps_alive && c->loop->stops_ms == 0;
    c->began_ms = (int64_t)uv_now(&c->loop->uv);
    c->headed_ns = uv_hrtime();
    if (!find_route(c) || !serve_guard_head(&c->peer, &c->request, &c->answer)) {
        refuse(c);
        return;
    }
    if (c->parser.length == 0)
        return;
    if (c->request.route->most_bytes == 0) {
        serve_refuse(&c->answer, 413, "this takes no body");
        refuse(c);
    } else if (c->request.route->role != SERVE_NOBODY) {
        c->state = SERVE_ASK; /* before it may fill our disk */
        give(c, SERVE_BY_READER, false, ask);
    } else {
        take_body(c);
    }
}

void loop_ended(struct connection *c)
{
    c->state = SERVE_WORK;
    if (c->is_refused)
        refuse(c);
    else if (loop_body_flush(c))
        loop_call(c);
}

void loop_call(struct connection *c)
{
    struct serve_request *r = &c->request;
    int64_t now_ms = (int64_t)uv_now(&c->loop->uv);
    bool was_held = c->state == SERVE_HELD;
    c->state = SERVE_WORK;
    r->waited_ms = now_ms - c->began_ms;
    r->is_changed = c->is_changed;
    r->state = c->answer.state;
    c->is_changed = false;
    c->called_ms = now_ms;
    pingo__buffer_clear(&c->answer.body);
    pingo__buffer_clear(&c->answer.headers);
    c->answer.next = SERVE_WHOLE;
    c->answer.status = 0;
    c->answer.etag[0] = '\0';
    if (r->body >= 0)
        lseek(r->body, 0, SEEK_SET);
    if (r->route->by != SERVE_BY_LOOP) {
        give(c, r->route->by, was_held, run);
        return;
    }
    serve_handle(NULL, r, &c->answer);
    note_type(c);
    loop_send(c);
}

static void take_answer(struct connection *c)
{
    bool is_write = strcmp(c->request.method, "GET") != 0;
    if (is_write && c->job.run == run) /* whether the client has waited for the answer or not */
        serve_ticks_wake(c->loop->serve->ticks);
    if (c->state == SERVE_CLOSED)
        return;
    if (c->job.run == run) {
        loop_send(c);
    } else if (c->answer.status != 0) {
        refuse(c);
    } else {
        take_body(c);
        loop_read(c);
    }
}

void loop_done(struct loop *loop)
{
    struct serve_job *next;
    for (struct serve_job *job = serve_work_done(loop->work); job; job = next) {
        next = job->next;
        loop->nworking--;
        if (job == &loop->looking) {
            loop->is_looking = false;
            continue;
        }
        struct connection *c = JOB_OF(job);
        take_answer(c);
        loop_unhold(c);
    }
}
