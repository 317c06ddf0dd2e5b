/* wire.c - frames and their bodies, see wire.h. */
#include "executor/local/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define HEADER 5u    /* u32 length, u8 kind */
#define KEEP 262144u /* bytes; a larger buffer is given back when it is empty */

size_t pingo__executor_wire_begin(struct pingo__buffer *b, enum pingo__executor_wire_kind kind)
{
    size_t begun = b->length;
    pingo__buffer_u32(b, 0);
    pingo__buffer_u8(b, (uint8_t)kind);
    return begun;
}

void pingo__executor_wire_end(struct pingo__buffer *b, size_t begun)
{
    if (b->failed)
        return;
    size_t length = b->length - begun - 4;
    for (size_t i = 0; i < 4; i++)
        b->data[begun + i] = (char)(unsigned char)(length >> (8 * i));
    if (length > PINGO__WIRE_MAX)
        b->failed = true;
}

ssize_t pingo__executor_inbox_fill(struct pingo__executor_inbox *inbox, int fd, bool wait)
{
    char chunk[PINGO__WIRE_CHUNK];
    ssize_t n;
    do
        n = recv(fd, chunk, sizeof chunk, wait ? 0 : MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno == EWOULDBLOCK ? -EAGAIN : -errno;
    pingo__buffer_append(&inbox->bytes, chunk, (size_t)n);
    return inbox->bytes.failed ? -ENOMEM : n;
}

static void forget_taken(struct pingo__executor_inbox *inbox)
{
    struct pingo__buffer *bytes = &inbox->bytes;
    size_t rest = bytes->length - inbox->at;
    if (rest > 0 && (inbox->at <= PINGO__WIRE_CHUNK || inbox->at <= rest))
        return;
    if (rest == 0 && bytes->capacity > KEEP)
        pingo__buffer_clear(bytes);
    else if (inbox->at > 0)
        memmove(bytes->data, bytes->data + inbox->at, rest);
    bytes->length = rest;
    inbox->at = 0;
}

bool pingo__executor_inbox_next(struct pingo__executor_inbox *inbox,
                                struct pingo__executor_wire_frame *frame)
{
    forget_taken(inbox);
    const char *bytes = inbox->bytes.data + inbox->at;
    size_t n = inbox->bytes.length - inbox->at;
    struct pingo__buffer_reader head = {bytes, n < HEADER ? n : HEADER, 0, false};
    uint32_t length = pingo__buffer_read_u32(&head);
    inbox->is_broken = !head.failed && (length < 1 || length > PINGO__WIRE_MAX);
    if (head.failed || inbox->is_broken || n < (size_t)length + 4)
        return false;
    frame->kind = pingo__buffer_read_u8(&head);
    frame->body = (struct pingo__buffer_reader){bytes + HEADER, length - 1, 0, false};
    inbox->at += (size_t)length + 4;
    return true;
}

/* ---- bodies -------------------------------------------------------------------------------- */

void pingo__executor_wire_put_settings(struct pingo__buffer *b,
                                       const struct pingo__executor_wire_settings *s)
{
    pingo__buffer_u64(b, (uint64_t)s->slots);
    pingo__buffer_u64(b, (uint64_t)s->memory_bytes);
    pingo__buffer_u64(b, (uint64_t)s->log_bytes);
    pingo__buffer_u64(b, (uint64_t)s->grace_ms);
    pingo__buffer_u8(b, s->lets_exceed);
}

bool pingo__executor_wire_get_settings(struct pingo__buffer_reader *r,
                                       struct pingo__executor_wire_settings *s)
{
    s->slots = (int64_t)pingo__buffer_read_u64(r);
    s->memory_bytes = (int64_t)pingo__buffer_read_u64(r);
    s->log_bytes = (int64_t)pingo__buffer_read_u64(r);
    s->grace_ms = (int64_t)pingo__buffer_read_u64(r);
    s->lets_exceed = pingo__buffer_read_u8(r) != 0;
    return !r->failed && s->slots > 0 && s->memory_bytes > 0 && s->log_bytes > 0 && s->grace_ms >= 0;
}
