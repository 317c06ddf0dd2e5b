/* body.c - a body goes to a file without a name as it comes: nobody's memory holds it, and nothing is left of it where
 * the server dies.  While a piece is written, nothing more is read. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "serve/loop/connection.h"

static void fail(struct connection *c, int error)
{
    bool is_full = error == ENOSPC || error == EDQUOT || error == EFBIG;
    bool is_busy = error == EMFILE || error == ENFILE || error == ENOMEM;
    c->loop->steps->wrong(c,
                          is_full   ? 507
                          : is_busy ? 503
                                    : 500,
                          is_full ? "the disk of the store is full: make room there, such as by "
                                    "pingo rm, and send it again"
                                  : strerror(error));
}

bool loop_body_begin(struct connection *c)
{
    int fd = serve_descriptor(serve_unnamed(c->loop->serve->directory));
    if (fd < 0)
        fail(c, -fd);
    else
        c->request.body = fd;
    return fd >= 0;
}

void loop_body_piece(struct connection *c)
{
    pingo__buffer_append(&c->piece, c->parser.piece, c->parser.npiece);
    c->request.body_bytes += (int64_t)c->parser.npiece;
    if (c->piece.failed)
        fail(c, ENOMEM);
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
            fail(c, n < 0 ? (int)-n : EIO);
        } else if ((size_t)n < c->piece.length) {
            memmove(c->piece.data, c->piece.data + n, c->piece.length - (size_t)n);
            c->piece.length -= (size_t)n;
            c->written += n;
            loop_body_flush(c);
        } else {
            c->written += n;
            pingo__buffer_reset(&c->piece);
            if (c->state == SERVE_WORK)
                c->loop->steps->call(c);
            loop_read(c);
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
        fail(c, -rc);
    }
    return false;
}
