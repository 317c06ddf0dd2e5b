/* channel.h - one connection that speaks frames, on a libuv loop.
 *
 * Reads whole frames and hands them on; buffers what is to be sent and sends it
 * when the other end takes it.  Never blocks.  A channel that ended tells it
 * once and is then freed by the loop. */
#ifndef PINGO__LOCAL_CHANNEL_H
#define PINGO__LOCAL_CHANNEL_H

#include <uv.h>

#include "executor/local/wire.h"

struct pingo__executor_channel {
    uv_poll_t poll;
    int fd;
    int events; /* what poll watches for */
    struct pingo__executor_inbox in;
    struct pingo__buffer out; /* out_at bytes of it were sent */
    size_t out_at;
    size_t begun; /* where the frame that was begun last stands in out */
    bool closed;
    bool reading; /* inside pingo__executor_channel_read() */
    void *owner;
    /* Returns false when the frame is wrong: the channel is closed. */
    bool (*on_frame)(struct pingo__executor_channel *channel,
                     struct pingo__executor_wire_frame *frame);
    /* The other end is gone or was dropped, and what it said before was handed on; called once, never by
     * pingo__executor_channel_close(). */
    void (*on_end)(struct pingo__executor_channel *channel);
    /* The memory goes now; may be NULL. */
    void (*on_free)(struct pingo__executor_channel *channel);
};

/* Takes over a connected, non-blocking descriptor.  NULL: no memory, or the loop refused (the
 * descriptor is then closed). */
struct pingo__executor_channel *pingo__executor_channel_open(uv_loop_t *loop, int fd, void *owner);
/* Closes at once; what was not sent is lost.  The memory goes when the loop runs. */
void pingo__executor_channel_close(struct pingo__executor_channel *channel);
/* Begins a frame: append its body to what this gives, then call end. */
struct pingo__buffer *pingo__executor_channel_begin(struct pingo__executor_channel *channel,
                                                    enum pingo__executor_wire_kind kind);
void pingo__executor_channel_end(struct pingo__executor_channel *channel);
/* The same, and sends it: end and flush. */
bool pingo__executor_channel_send(struct pingo__executor_channel *channel);
/* Sends what the other end takes.  May end the channel; then false. */
bool pingo__executor_channel_flush(struct pingo__executor_channel *channel);
/* Bytes that wait to be sent. */
size_t pingo__executor_channel_unsent(const struct pingo__executor_channel *channel);
/* The frames that were not sent, or not whole; borrowed from the channel. */
struct pingo__executor_inbox pingo__executor_channel_unsent_frames(
    const struct pingo__executor_channel *channel);
/* Reads and hands on all that is there.  May end the channel; then false. */
bool pingo__executor_channel_read(struct pingo__executor_channel *channel);

#endif
