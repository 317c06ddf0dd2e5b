/* wire.c - frames and their bodies, see wire.h.  Nothing here does input or output. */
#include "executor/local/wire.h"

#include <stdlib.h>
#include <string.h>

#define HEADER 5u /* u32 length, u8 kind */

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

int64_t pingo__executor_wire_next(const char *bytes, size_t n,
                                  struct pingo__executor_wire_frame *frame)
{
    struct pingo__buffer_reader head = {bytes, n < HEADER ? n : HEADER, 0, false};
    uint32_t length = pingo__buffer_read_u32(&head);
    if (head.failed)
        return 0;
    if (length < 1 || length > PINGO__WIRE_MAX)
        return -1;
    if (n < (size_t)length + 4)
        return 0;
    frame->kind = pingo__buffer_read_u8(&head);
    frame->body = (struct pingo__buffer_reader){bytes + HEADER, length - 1, 0, false};
    return (int64_t)length + 4;
}

void pingo__executor_wire_put_settings(struct pingo__buffer *b,
                                       const struct pingo__executor_wire_settings *s)
{
    pingo__buffer_u64(b, (uint64_t)s->slots);
    pingo__buffer_u64(b, (uint64_t)s->memory_bytes);
    pingo__buffer_u64(b, (uint64_t)s->log_bytes);
    pingo__buffer_u64(b, (uint64_t)s->grace_ms);
}

bool pingo__executor_wire_get_settings(struct pingo__buffer_reader *r,
                                       struct pingo__executor_wire_settings *s)
{
    s->slots = (int64_t)pingo__buffer_read_u64(r);
    s->memory_bytes = (int64_t)pingo__buffer_read_u64(r);
    s->log_bytes = (int64_t)pingo__buffer_read_u64(r);
    s->grace_ms = (int64_t)pingo__buffer_read_u64(r);
    return !r->failed && s->slots > 0 && s->memory_bytes > 0 && s->log_bytes > 0 && s->grace_ms >= 0;
}
