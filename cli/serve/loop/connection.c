/* connection.c - the life of a connection: what comes is parsed, one request at a time; what takes too long is
 * ended. */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "serve/loop/connection.h"
#include "serve/work/counts.h"

void loop_begin(struct connection *c)
{
    if (c->answer.held)
        serve_work_must(c->loop->work, c->answer.held);
    serve_answer_clear(&c->answer);
    pingo__file_close(c->request.body);
    free(c->file_bytes);
    c->file_bytes = NULL;
    pingo__buffer_clear(&c->piece);
    memset(&c->request, 0, sizeof c->request);
    c->request.body = -1;
    c->written = 0;
    c->headed_ns = 0;
    serve_count_add(&c->loop->serve->counts->streams, -(int64_t)c->is_streaming);
    c->is_head = c->is_refused = c->is_streaming = c->in_chunks = c->is_changed = false;
}

/* Frees it once nobody uses it. */
static void maybe_free(struct connection *c)
{
    if (c->held_by > 0)
        return;
    loop_begin(c);
    pingo__http_parser_clear(&c->parser);
    pingo__buffer_clear(&c->early);
    free(c);
}

void loop_unhold(struct connection *c)
{
    c->held_by--;
    if (c->state == SERVE_CLOSED)
        maybe_free(c);
}

static void on_closed(uv_handle_t *handle)
{
    struct connection *c = handle->data;
    struct loop *loop = c->loop;
    LIST_REMOVE(c, all);
    serve_count_add(&loop->serve->counts->connections, -1);
    loop->nconnections--;
    loop_unhold(c);
    loop_listen_again(loop);
}

void loop_close(struct connection *c)
{
    if (c->state == SERVE_CLOSED)
        return;
    c->state = SERVE_CLOSED;
    c->held_by++;
    uv_close(&c->handle, on_closed);
}

/* What comes before its turn is kept, up to a limit; then the client waits. */
static void keep_early(struct connection *c, const char *bytes, size_t n)
{
    if (n > 0)
        pingo__buffer_append(&c->early, bytes, n);
    if (c->early.failed) {
        loop_close(c);
    } else if (c->early.length >= EARLY_BYTES && !c->stopped) {
        c->stopped = true;
        uv_read_stop(&c->stream);
    }
}

static bool is_reading(const struct connection *c)
{
    return c->state == SERVE_HEAD || c->state == SERVE_BODY;
}

/* Takes bytes as far as the connection's state lets it. */
static void feed(struct connection *c, const char *bytes, size_t n)
{
    enum pingo__http_event event = PINGO__HTTP_WRONG;
    c->feeding = true;
    while (is_reading(c) && event != PINGO__HTTP_MORE) {
        size_t taken;
        event = pingo__http_parse(&c->parser, bytes, n, &taken);
        bytes += taken;
        n -= taken;
        if (event == PINGO__HTTP_HEADED)
            c->loop->steps->headed(c);
        else if (event == PINGO__HTTP_PIECE)
            c->loop->steps->piece(c);
        else if (event == PINGO__HTTP_ENDED)
            c->loop->steps->ended(c);
        else if (event == PINGO__HTTP_WRONG)
            c->loop->steps->wrong(c, c->parser.status, c->parser.wrong);
    }
    c->feeding = false;
    if (c->state == SERVE_BODY && !c->loop->steps->flush(c) && !c->stopped) {
        c->stopped = true;
        uv_read_stop(&c->stream);
    }
    if (c->state != SERVE_CLOSED && c->state != SERVE_LINGER)
        keep_early(c, bytes, n);
}

static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    struct connection *c = handle->data;
    (void)suggested;
    *buffer = uv_buf_init(c->loop->bytes, sizeof c->loop->bytes);
}

/* The client sends no more; it may still read what it asked for, but no stream lives on. */
static void on_end(struct connection *c)
{
    c->left = true;
    if (is_reading(c) || c->state >= SERVE_LINGER || c->state == SERVE_HELD || c->is_streaming)
        loop_close(c);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer)
{
    struct connection *c = stream->data;
    if (n == UV_EOF) {
        on_end(c);
    } else if (n < 0) {
        loop_close(c);
    } else if (n > 0 && c->state != SERVE_LINGER) {
        if (is_reading(c) && c->early.length == 0) {
            if (c->state == SERVE_BODY || pingo__http_parser_is_idle(&c->parser))
                c->since_ms = (int64_t)uv_now(&c->loop->uv);
            feed(c, buffer->base, (size_t)n);
        } else {
            keep_early(c, buffer->base, (size_t)n);
        }
    }
}

void loop_read(struct connection *c)
{
    if (c->feeding || c->state == SERVE_CLOSED)
        return;
    while (is_reading(c) && c->early.length > 0) {
        struct pingo__buffer early = c->early;
        c->early = (struct pingo__buffer){0};
        feed(c, early.data, early.length);
        bool is_stuck = c->early.length == early.length;
        pingo__buffer_clear(&early);
        if (is_stuck)
            break;
    }
    if (is_reading(c) && c->left) {
        loop_close(c);
    } else if (c->stopped && c->state != SERVE_CLOSED && c->early.length < EARLY_BYTES &&
               c->piece.length == 0) {
        c->stopped = false;
        uv_read_start(&c->stream, on_room, on_read);
    }
}

static void find_peer(struct connection *c)
{
    struct sockaddr_storage address;
    int size = sizeof address, fd = -1;
    c->peer.uid = -1;
    if (c->peer.is_socket) {
        struct ucred ucred;
        socklen_t length = sizeof ucred;
        if (uv_fileno(&c->handle, &fd) == 0 &&
            getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &ucred, &length) == 0)
            c->peer.uid = (int64_t)ucred.uid;
    } else if (uv_tcp_getpeername(&c->tcp, (struct sockaddr *)&address, &size) == 0) {
        if (address.ss_family == AF_INET)
            uv_ip4_name((struct sockaddr_in *)&address, c->peer.address, sizeof c->peer.address);
        else
            uv_ip6_name((struct sockaddr_in6 *)&address, c->peer.address, sizeof c->peer.address);
    }
    c->peer.guard = c->loop->options->guard;
}

/* Nobody is accepted for a while where there is no memory or descriptor: libuv has closed what it could not take. */
void loop_connect(struct listener *l)
{
    struct loop *loop = l->loop;
    struct connection *c = calloc(1, sizeof *c);
    if (!c) {
        l->waits = true;
        return;
    }
    c->loop = loop;
    c->is_first = true;
    c->since_ms = (int64_t)uv_now(&loop->uv);
    c->peer.is_socket = l->is_socket;
    pingo__http_parser_init(&c->parser);
    serve_answer_init(&c->answer);
    c->request.body = -1;
    if (l->is_socket)
        uv_pipe_init(&loop->uv, &c->pipe, 0);
    else
        uv_tcp_init(&loop->uv, &c->tcp);
    c->handle.data = c;
    LIST_INSERT_HEAD(&loop->connections, c, all);
    serve_count_add(&loop->serve->counts->connections, 1);
    loop->nconnections++;
    if (uv_accept(&l->stream, &c->stream) != 0) {
        loop_close(c);
        return;
    }
    if (!l->is_socket) {
        uv_tcp_nodelay(&c->tcp, 1);
        uv_tcp_keepalive(&c->tcp, 1, KEEP_S);
    }
    find_peer(c);
    uv_read_start(&c->stream, on_room, on_read);
}

/* What a state may take; -1: as long as it likes. */
static int64_t limit_of(const struct connection *c)
{
    bool is_behind = uv_stream_get_write_queue_size(&c->stream) > 0;
    switch (c->state) {
    case SERVE_HEAD:
        if ((c->is_first || !pingo__http_parser_is_idle(&c->parser)) && c->loop->idle_ms > HEAD_MS)
            return HEAD_MS;
        return c->loop->idle_ms;
    case SERVE_BODY:
        return c->in_file ? -1 : STALL_MS;
    case SERVE_SEND:
    case SERVE_HELD:
        return is_behind ? STALL_MS : -1;
    case SERVE_LINGER:
        return LINGER_MS;
    default:
        return -1;
    }
}

void loop_look(struct connection *c, int64_t now_ms)
{
    int64_t limit_ms = limit_of(c);
    size_t unsent = uv_stream_get_write_queue_size(&c->stream);
    if (unsent < c->unsent) /* libuv tells when all of it is sent; a slow client takes it in parts */
        c->since_ms = now_ms;
    c->unsent = unsent;
    if (c->is_streaming && c->state == SERVE_HELD && now_ms - c->spoke_ms >= COMMENT_MS)
        c->loop->steps->comment(c);
    if (limit_ms < 0 || now_ms - c->since_ms < limit_ms)
        return;
    bool is_asking = c->state == SERVE_BODY ||
                     (c->state == SERVE_HEAD && !pingo__http_parser_is_idle(&c->parser));
    if (is_asking && !c->left)
        c->loop->steps->wrong(c, 408, "the request did not come in time");
    else
        loop_close(c);
}
