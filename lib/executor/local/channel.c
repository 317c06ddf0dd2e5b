/* channel.c - see channel.h. */
#include "executor/local/channel.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define KEEP 262144u /* a buffer larger than this is given back when it is empty */

static void on_closed(uv_handle_t *handle)
{
    struct pingo__executor_channel *channel = handle->data;
    if (channel->on_free)
        channel->on_free(channel);
    pingo__buffer_clear(&channel->in.bytes);
    pingo__buffer_clear(&channel->out);
    free(channel);
}

void pingo__executor_channel_close(struct pingo__executor_channel *channel)
{
    if (!channel || channel->closed)
        return;
    channel->closed = true;
    uv_poll_stop(&channel->poll);
    uv_close((uv_handle_t *)&channel->poll, on_closed);
    close(channel->fd);
    channel->fd = -1;
}

static bool end_channel(struct pingo__executor_channel *channel)
{
    if (!channel->closed) {
        pingo__executor_channel_close(channel);
        channel->on_end(channel);
    }
    return false;
}

static bool hand_on(struct pingo__executor_channel *channel)
{
    struct pingo__executor_wire_frame frame;
    while (!channel->closed && pingo__executor_inbox_next(&channel->in, &frame))
        if (!channel->on_frame(channel, &frame))
            return false;
    return !channel->in.is_broken;
}

bool pingo__executor_channel_read(struct pingo__executor_channel *channel)
{
    bool alive = true, more = true;
    if (channel->closed || channel->reading)
        return !channel->closed;
    channel->reading = true;
    while (alive && more && !channel->closed) {
        ssize_t n = pingo__executor_inbox_fill(&channel->in, channel->fd, false);
        if (n == -EAGAIN)
            break;
        alive = n > 0 && hand_on(channel);
        more = n == (ssize_t)PINGO__WIRE_CHUNK;
    }
    channel->reading = false;
    if (!alive)
        return end_channel(channel);
    return !channel->closed;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct pingo__executor_channel *channel = poll->data;
    if (status < 0) { /* an error of the connection: what came before it counts */
        if (pingo__executor_channel_read(channel))
            end_channel(channel);
        return;
    }
    if ((events & UV_WRITABLE) != 0 && !pingo__executor_channel_flush(channel))
        return;
    if ((events & (UV_READABLE | UV_DISCONNECT)) != 0)
        pingo__executor_channel_read(channel);
}

static bool watch(struct pingo__executor_channel *channel, int events)
{
    if (channel->events == events)
        return true;
    channel->events = events;
    return uv_poll_start(&channel->poll, events, on_poll) == 0;
}

struct pingo__executor_channel *pingo__executor_channel_open(uv_loop_t *loop, int fd, void *owner)
{
    struct pingo__executor_channel *channel = calloc(1, sizeof *channel);
    if (!channel || uv_poll_init(loop, &channel->poll, fd) != 0) {
        free(channel);
        close(fd);
        return NULL;
    }
    channel->poll.data = channel;
    channel->fd = fd;
    channel->owner = owner;
    if (!watch(channel, UV_READABLE)) {
        pingo__executor_channel_close(channel);
        return NULL;
    }
    return channel;
}

struct pingo__buffer *pingo__executor_channel_begin(struct pingo__executor_channel *channel,
                                                    enum pingo__executor_wire_kind kind)
{
    channel->begun = pingo__executor_wire_begin(&channel->out, kind);
    return &channel->out;
}

void pingo__executor_channel_end(struct pingo__executor_channel *channel)
{
    pingo__executor_wire_end(&channel->out, channel->begun);
}

bool pingo__executor_channel_send(struct pingo__executor_channel *channel)
{
    pingo__executor_channel_end(channel);
    return pingo__executor_channel_flush(channel);
}

size_t pingo__executor_channel_unsent(const struct pingo__executor_channel *channel)
{
    return channel->out.length - channel->out_at;
}

struct pingo__executor_inbox pingo__executor_channel_unsent_frames(
    const struct pingo__executor_channel *channel)
{
    struct pingo__buffer_reader sent = {channel->out.data, channel->out_at, 0, false};
    size_t at = 0, n;
    while (pingo__buffer_read_counted(&sent, &n))
        at = sent.at;
    if (at == channel->out.length)
        return (struct pingo__executor_inbox){.at = 0};
    return (struct pingo__executor_inbox){
        .bytes = {.data = channel->out.data + at, .length = channel->out.length - at}};
}

bool pingo__executor_channel_flush(struct pingo__executor_channel *channel)
{
    if (channel->closed)
        return false;
    if (channel->out.failed)
        return end_channel(channel);
    while (channel->out_at < channel->out.length) {
        ssize_t n = send(channel->fd, channel->out.data + channel->out_at,
                         channel->out.length - channel->out_at, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return watch(channel, UV_READABLE | UV_WRITABLE) ? true : end_channel(channel);
        if (n < 0) /* what the other end said before it stopped listening counts */
            return pingo__executor_channel_read(channel) && watch(channel, UV_READABLE);
        channel->out_at += (size_t)n;
    }
    if (channel->out.capacity > KEEP)
        pingo__buffer_clear(&channel->out);
    pingo__buffer_reset(&channel->out);
    channel->out_at = 0;
    return watch(channel, UV_READABLE) ? true : end_channel(channel);
}
