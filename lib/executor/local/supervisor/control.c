/* control.c - see control.h. */
#include "executor/local/supervisor/control.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define CHUNK 65536u
#define KEEP 1048576u

void pingo__executor_control_init(struct pingo__executor_control *control, int fd)
{
    memset(control, 0, sizeof *control);
    control->fd = fd;
    pingo__buffer_init(&control->in);
}

static void compact(struct pingo__executor_control *control)
{
    struct pingo__buffer *in = &control->in;
    size_t rest = in->length - control->in_at;
    if (rest == 0 && in->capacity > KEEP) {
        pingo__buffer_clear(in);
    } else if (control->in_at > 0) {
        memmove(in->data, in->data + control->in_at, rest);
        in->length = rest;
    }
    control->in_at = 0;
}

bool pingo__executor_control_next(struct pingo__executor_control *control, bool wait,
                                  struct pingo__executor_wire_frame *frame)
{
    char chunk[CHUNK];
    compact(control);
    for (;;) {
        int64_t size = pingo__executor_wire_next(control->in.data, control->in.length, frame);
        if (size > 0) {
            control->in_at = (size_t)size;
            return true;
        }
        if (size < 0 || control->in.failed)
            control->ended = true;
        if (control->ended)
            return false;
        ssize_t n = recv(control->fd, chunk, sizeof chunk, wait ? 0 : MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return false;
        if (n <= 0)
            control->ended = true;
        else
            pingo__buffer_append(&control->in, chunk, (size_t)n);
    }
}

void pingo__executor_control_tell(struct pingo__executor_control *control,
                                  enum pingo__executor_wire_kind kind, struct pingo_job_key key)
{
    char bytes[21] = {17, 0, 0, 0, (char)kind};
    for (size_t i = 0; i < 8; i++) {
        bytes[5 + i] = (char)(unsigned char)((uint64_t)key.action >> (8 * i));
        bytes[13 + i] = (char)(unsigned char)((uint64_t)key.epoch >> (8 * i));
    }
    for (size_t at = 0; at < sizeof bytes;) {
        ssize_t n = send(control->fd, bytes + at, sizeof bytes - at, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            control->ended = true;
            return;
        }
        at += (size_t)n;
    }
}
