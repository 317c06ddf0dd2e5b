/* send.c - answers go out as the client takes them: at once what the system has room for, then what is left, a piece of
 * a file at a time.  A stream that is too far behind is closed: who follows it comes again, and says where it was. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/times.h"
#include "base/world.h"
#include "http/server/reason.h"
#include "serve/loop/connection.h"
#include "serve/work/counts.h"
#include "serve/work/handle.h"

#define FILE_BYTES ((size_t)64 << 10)
#define TOGETHER ((size_t)16 << 10) /* a body of so much goes with its head */

struct writing {
    uv_write_t request;
    struct connection *c;
    char *bytes;
};

static void go_on(struct connection *c);

/* libuv may have written all at once of which it tells later: on_sent() goes on then, and nobody else. */
bool loop_is_sent(const struct connection *c)
{
    return c->nwritings == 0 && uv_stream_get_write_queue_size(&c->stream) == 0;
}

static void on_sent(uv_write_t *request, int status)
{
    struct writing *w = (struct writing *)request;
    struct connection *c = w->c;
    free(w->bytes);
    free(w);
    if (status != 0 && c->state != SERVE_CLOSED)
        loop_close(c);
    c->since_ms = (int64_t)uv_now(&c->loop->uv);
    c->nwritings--;
    if (c->state != SERVE_CLOSED && loop_is_sent(c))
        go_on(c);
    loop_unhold(c);
}

/* Sends what a buffer holds, which is empty then. */
static void put(struct connection *c, struct pingo__buffer *b)
{
    if (c->state == SERVE_CLOSED || b->failed) {
        loop_close(c);
        pingo__buffer_clear(b);
        return;
    }
    int done = 0;
    uv_buf_t buffer = uv_buf_init(b->data, (unsigned)b->length);
    if (b->length > 0 && uv_stream_get_write_queue_size(&c->stream) == 0) {
        done = uv_try_write(&c->stream, &buffer, 1);
        c->since_ms = (int64_t)uv_now(&c->loop->uv);
    }
    if (done < 0 && done != UV_EAGAIN)
        loop_close(c);
    size_t at = done > 0 ? (size_t)done : 0;
    struct writing *w = at < b->length && c->state != SERVE_CLOSED ? malloc(sizeof *w) : NULL;
    if (w) {
        w->c = c;
        buffer = uv_buf_init(b->data + at, (unsigned)(b->length - at));
        w->bytes = pingo__buffer_take(b);
        c->held_by++;
        c->nwritings++;
        if (uv_write(&w->request, &c->stream, &buffer, 1, on_sent) != 0) {
            c->held_by--;
            c->nwritings--;
            free(w->bytes);
            free(w);
            loop_close(c);
        }
    } else if (at < b->length) {
        loop_close(c);
    }
    pingo__buffer_clear(b);
}

/* No body follows. */
static bool has_no_body(const struct connection *c)
{
    return c->is_head || c->answer.status == 304;
}

/* An answer begins. */
static void count(struct connection *c)
{
    bool is_timed = c->headed_ns > 0 && serve_wait_ms(&c->request) == 0;
    serve_count_answer(c->loop->serve->counts, c->request.route, c->answer.status,
                       is_timed ? (int64_t)(uv_hrtime() - c->headed_ns) / 1000 : -1);
}

static void put_head(struct connection *c)
{
    count(c);
    struct serve_answer *a = &c->answer;
    bool is_stream = a->next == SERVE_STREAM, is_empty = a->status == 304;
    bool ends_it = is_stream && c->parser.is_old; /* the body is as long as the connection lives */
    char date[PINGO__TIMES_SIZE];
    struct pingo__buffer b = {0};
    c->in_chunks = is_stream && !ends_it;
    c->keeps_alive = c->keeps_alive && !ends_it;
    pingo__buffer_format(&b, "HTTP/1.1 %d %s\r\nDate: %s\r\n", a->status,
                         pingo__http_reason(a->status),
                         pingo__times_print_http(date, pingo__world_wall_ms()));
    if (c->in_chunks)
        pingo__buffer_text(&b, "Transfer-Encoding: chunked\r\n");
    else if (!is_empty && !is_stream)
        pingo__buffer_format(&b, "Content-Length: %" PRId64 "\r\n",
                             a->fd >= 0 ? a->length : (int64_t)a->body.length);
    if (!c->keeps_alive)
        pingo__buffer_text(&b, "Connection: close\r\n");
    else if (c->parser.is_old)
        pingo__buffer_text(&b, "Connection: keep-alive\r\n");
    if (!is_empty)
        pingo__buffer_format(&b, "Content-Type: %s\r\n", c->type);
    if (a->etag[0])
        pingo__buffer_format(&b, "ETag: \"%s\"\r\n", a->etag);
    if (is_stream)
        pingo__buffer_text(&b, "X-Accel-Buffering: no\r\n");
    pingo__buffer_append(&b, a->headers.data, a->headers.length);
    const char *headers = pingo__buffer_cstr(&a->headers);
    if (!headers || !strstr(headers, "Cache-Control: "))
        pingo__buffer_text(&b, "Cache-Control: private, no-cache\r\n");
    pingo__buffer_text(&b, serve_guard_headers);
    pingo__buffer_text(&b, "\r\n");
    if (!is_stream && a->fd < 0 && a->body.length <= TOGETHER && !has_no_body(c)) {
        pingo__buffer_append(&b, a->body.data, a->body.length);
        pingo__buffer_clear(&a->body);
    }
    put(c, &b);
}

static void on_file(uv_fs_t *fs)
{
    struct connection *c = fs->data;
    ssize_t n = fs->result;
    uv_fs_req_cleanup(fs);
    if (c->state != SERVE_CLOSED) {
        struct pingo__buffer b = {0};
        if (n > 0)
            pingo__buffer_append(&b, c->file_bytes, (size_t)n);
        c->answer.offset += n;
        c->answer.length -= n;
        if (n <= 0) {
            loop_close(
                c); /* the file is shorter than it was: the client sees that something is missing */
        } else {
            put(c, &b);
            if (c->state != SERVE_CLOSED && loop_is_sent(c))
                go_on(c);
        }
    }
    loop_unhold(c);
}

static void read_file(struct connection *c)
{
    if (!c->file_bytes)
        c->file_bytes = malloc(FILE_BYTES);
    const struct serve_answer *a = &c->answer;
    size_t n = a->length < (int64_t)FILE_BYTES ? (size_t)a->length : FILE_BYTES;
    uv_buf_t buffer = uv_buf_init(c->file_bytes, (unsigned)n);
    c->fs.data = c;
    c->held_by++;
    if (!c->file_bytes ||
        uv_fs_read(&c->loop->uv, &c->fs, a->fd, &buffer, 1, a->offset, on_file) != 0) {
        c->held_by--;
        loop_close(c);
    }
}

static void on_shut(uv_shutdown_t *request, int status)
{
    struct connection *c = request->data;
    (void)status;
    free(request);
    loop_unhold(c);
}

/* Says that no more comes; what the client is still sending is dropped for a while, or it might lose the answer. */
static void linger(struct connection *c)
{
    uv_shutdown_t *request = c->left ? NULL : malloc(sizeof *request);
    c->state = SERVE_LINGER;
    c->since_ms = (int64_t)uv_now(&c->loop->uv);
    loop_begin(c);
    pingo__buffer_clear(&c->early);
    if (request) {
        request->data = c;
        c->held_by++;
    }
    if (!request || uv_shutdown(request, &c->stream, on_shut) != 0) {
        c->held_by -= request ? 1 : 0;
        free(request);
        loop_close(c);
        return;
    }
    loop_read(c);
}

/* The answer is whole and sent: the next request, or the end. */
static void end_answer(struct connection *c)
{
    c->since_ms = (int64_t)uv_now(&c->loop->uv);
    if (!c->keeps_alive || c->loop->stops_ms != 0) {
        linger(c);
        return;
    }
    loop_begin(c);
    c->state = SERVE_HEAD;
    loop_read(c);
}

/* All that was put is sent. */
static void go_on(struct connection *c)
{
    const struct serve_answer *a = &c->answer;
    if (c->state == SERVE_SEND && a->fd >= 0 && a->length > 0 && !has_no_body(c))
        read_file(c);
    else if (c->state == SERVE_SEND)
        end_answer(c);
    else if (c->state == SERVE_HELD && c->is_streaming && !a->on_change && a->pause_ms == 0)
        c->loop->steps->call(c);
}

/* The next bytes of a stream, which ends with them where nobody calls again. */
static void put_stream(struct connection *c)
{
    struct pingo__buffer *body = &c->answer.body, b = {0};
    bool ends = c->answer.next != SERVE_STREAM;
    bool was_behind = !loop_is_sent(c);
    if (body->length > 0 && !c->is_head) {
        if (c->in_chunks)
            pingo__buffer_format(&b, "%zx\r\n", body->length);
        pingo__buffer_append(&b, body->data, body->length);
        if (c->in_chunks)
            pingo__buffer_text(&b, "\r\n");
        c->spoke_ms = (int64_t)uv_now(&c->loop->uv);
    }
    if (ends && c->in_chunks)
        pingo__buffer_text(&b, "0\r\n\r\n");
    pingo__buffer_clear(body);
    put(c, &b);
    if (was_behind && uv_stream_get_write_queue_size(&c->stream) > BEHIND_BYTES) {
        serve_count_add(&c->loop->serve->counts->behind, 1);
        loop_close(c);
    }
}

/* Who waits for a change is called now and then without one, so that it is asked again who he is. */
static void hold(struct connection *c)
{
    int64_t pause_ms = c->answer.pause_ms;
    c->state = SERVE_HELD;
    c->due_ms = pause_ms > 0 ? c->called_ms + pause_ms : c->is_streaming ? INT64_MAX : 0;
    if (c->answer.on_change && (pause_ms <= 0 || pause_ms > ASK_MS))
        c->due_ms = c->called_ms + ASK_MS;
    if (loop_is_sent(c))
        go_on(c);
}

void loop_send(struct connection *c)
{
    struct serve_answer *a = &c->answer;
    bool was_streaming = c->is_streaming;
    if (c->loop->stops_ms != 0 && a->next != SERVE_WHOLE) {
        if (was_streaming) {
            loop_bye(c);
            return;
        }
        serve_refuse(a, 503, "the server stops");
        snprintf(c->type, sizeof c->type, "%s", a->type);
        a->next = SERVE_WHOLE;
    }
    if (was_streaming && a->status >= 400) {
        loop_close(c); /* too late to say so: the stream does not end well */
        return;
    }
    if (a->next == SERVE_AGAIN) {
        hold(c);
        return;
    }
    if (!was_streaming && a->status == 200 && a->etag[0])
        serve_is_known(&c->request, a);
    if (!was_streaming)
        put_head(c);
    if (a->next == SERVE_STREAM || was_streaming) {
        serve_count_add(&c->loop->serve->counts->streams, !was_streaming);
        c->is_streaming = true;
        put_stream(c);
    } else if (a->fd < 0 && a->body.length > 0 && !has_no_body(c)) {
        put(c, &a->body);
    }
    if (c->state == SERVE_CLOSED)
        return;
    if (a->next == SERVE_STREAM && !c->is_head) {
        hold(c);
        return;
    }
    c->state = SERVE_SEND;
    if (loop_is_sent(c))
        go_on(c);
}

void loop_bye(struct connection *c)
{
    struct serve_answer *a = &c->answer;
    if (strcmp(c->type, "text/event-stream") != 0) {
        loop_close(c); /* the client sees that something is missing */
        return;
    }
    pingo__buffer_reset(&a->body);
    pingo__buffer_text(&a->body, "event: bye\nretry: 1000\ndata: {}\n\n");
    a->next = SERVE_WHOLE;
    c->keeps_alive = false;
    put_stream(c);
    if (c->state == SERVE_CLOSED)
        return;
    c->state = SERVE_SEND;
    if (loop_is_sent(c))
        go_on(c);
}

void loop_comment(struct connection *c)
{
    c->spoke_ms = (int64_t)uv_now(&c->loop->uv);
    if (strcmp(c->type, "text/event-stream") != 0)
        return;
    pingo__buffer_reset(&c->answer.body);
    pingo__buffer_text(&c->answer.body, ":\n\n");
    put_stream(c);
}
