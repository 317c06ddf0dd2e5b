/* link.c - a client's connection with the supervisor of its store.
 *
 * Nothing is sent before the supervisor's welcome, so a connection to one that is just ending costs nothing.  Of what
 * was sent on a connection that broke only what came back, or did not get out, is sent again; else it is on the list
 * after the next welcome, in a journal, or lost.  No supervisor serves before the workers of the last one are gone, so
 * what is lost runs nowhere. */
#include "executor/local/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/world.h"
#include "executor/local/place.h"

#define SEND_AHEAD 65536u /* bytes handed to the channel; the rest can still be taken back */
#define LOOK_MS 500       /* how often who waits for an answer looks whether there can be one */
#define OTHER_MS 8000     /* one of another version, which ends when nobody has asked it for 5 s */

static void on_retry(uv_timer_t *timer)
{
    struct pingo__executor_local *local = timer->data;
    local->waiting = false;
}

static void retry_in(struct pingo__executor_local *local, int64_t pause_ms)
{
    local->state = PINGO__LOCAL_DOWN;
    local->waiting = true;
    uv_update_time(&local->loop);
    uv_timer_start(&local->retry, on_retry, (uint64_t)pause_ms, 0);
}

static void retry_later(struct pingo__executor_local *local)
{
    retry_in(local, pingo_backoff_next(&local->pauses));
}

/* Waiting does not help: the next caller gets the error. */
static void fail(struct pingo__executor_local *local)
{
    local->failure_told = false;
    local->hindered_ms = 0;
    retry_later(local);
}

static void hello(struct pingo__executor_local *local)
{
    struct pingo__executor_bounds bounds;
    struct pingo__buffer *out = pingo__executor_channel_begin(local->channel, PINGO__WIRE_HELLO);
    pingo__buffer_u32(out, PINGO__WIRE_VERSION);
    pingo__executor_wire_put_settings(out, &local->settings);
    pingo__executor_bounds_read(&bounds);
    pingo__executor_bounds_put(out, &bounds);
    pingo__executor_channel_send(local->channel);
    local->asked_ms = pingo__world_monotonic_ms();
}

static void ask(struct pingo__executor_local *local)
{
    if (local->asked++ == 0)
        local->asked_ms = pingo__world_monotonic_ms();
    local->listed = false;
    pingo__executor_channel_begin(local->channel, PINGO__WIRE_LIST);
    pingo__executor_channel_send(local->channel);
}

void pingo__executor_link_prod(struct pingo__executor_local *local)
{
    if (local->state == PINGO__LOCAL_UP && local->asked == 0)
        ask(local);
}

bool pingo__executor_local_is_unsure(const struct pingo__executor_local *local,
                                     const struct pingo__executor_local_job *job)
{
    return job->link && job->link != local->link && !pingo_jobs_has_ended(job);
}

static bool has_unsure(const struct pingo__executor_local *local)
{
    const struct pingo__executor_local_job *job = NULL;
    while ((job = pingo_jobs_next(local->jobs, job)))
        if (pingo__executor_local_is_unsure(local, job))
            return true;
    return false;
}

/* A start that a supervisor which makes way has not done, or never got. */
static bool come_back(struct pingo__executor_local *local, struct pingo__executor_wire_frame *frame)
{
    struct pingo__buffer_reader head = frame->body;
    struct pingo_job_key key = pingo__runner_get_key(&head);
    struct pingo__executor_local_job *job = pingo_jobs_find(local->jobs, key);
    if (head.failed || !job)
        return !head.failed; /* it was given up since */
    job->link = 0;
    if (job->killed) {
        pingo__executor_ends_say(local, key, PINGO_END_KILLED, "killed before it started");
        return true;
    }
    struct pingo__executor_local_frame *again = pingo__executor_frame_begin(frame->kind);
    if (!again)
        return false;
    again->key = key;
    pingo__buffer_append(&again->bytes, frame->body.data, frame->body.length);
    return pingo__executor_frames_append(&local->back, again);
}

static bool on_welcome(struct pingo__executor_local *local, struct pingo__buffer_reader *body)
{
    uint32_t version = pingo__buffer_read_u32(body);
    uint64_t serial = pingo__buffer_read_u64(body);
    if (body->failed)
        return false;
    if (version != PINGO__WIRE_VERSION) {
        pingo__fail(
            &local->failure, PINGO_EEXECUTOR,
            "the supervisor of %s is of another version of Pingo (it speaks %u, this program %u); "
            "it ends a few seconds after what it runs: try again in a moment",
            local->store_dir, version, PINGO__WIRE_VERSION);
        local->failure_told = false;
        local->hindered_ms = 0;
        retry_in(local, OTHER_MS);
        return false;
    }
    local->state = PINGO__LOCAL_UP;
    pingo__executor_trouble_forget(local);
    local->pauses.next_ms = 0;
    local->failure.code = 0;
    local->set_serial = serial;
    local->rung = local->rescan = true;
    pingo__executor_frames_prepend(&local->out, &local->back);
    if (has_unsure(local))
        ask(local);
    return true;
}

static bool on_frame(struct pingo__executor_channel *channel,
                     struct pingo__executor_wire_frame *frame)
{
    struct pingo__executor_local *local = channel->owner;
    struct pingo__buffer_reader *body = &frame->body;
    uint64_t serial;
    switch (frame->kind) {
    case PINGO__WIRE_WELCOME:
        return on_welcome(local, body);
    case PINGO__WIRE_BELL:
        serial = pingo__buffer_read_u64(body);
        local->rung = true;
        if (serial != local->set_serial)
            local->rescan = true;
        local->set_serial = serial;
        return !body->failed;
    case PINGO__WIRE_STARTED:
        if (body->length != 16)
            return false;
        pingo__buffer_append(&local->started, body->data + body->at, body->length);
        return true;
    case PINGO__WIRE_LISTED:
        pingo__buffer_reset(&local->keys);
        pingo__buffer_append(&local->keys, body->data + body->at, body->length - body->at);
        if (local->keys.failed || body->length % 16 != 0 || local->asked == 0)
            return false;
        local->listed = --local->asked == 0;
        return true;
    case PINGO__WIRE_START:
    case PINGO__WIRE_START_FIRST:
        return come_back(local, frame);
    case PINGO__WIRE_TROUBLE:
        return pingo__executor_trouble_read(local, body);
    default:
        return false;
    }
}

static void take_back_unsent(struct pingo__executor_local *local,
                             const struct pingo__executor_channel *channel)
{
    struct pingo__executor_inbox unsent = pingo__executor_channel_unsent_frames(channel);
    struct pingo__executor_wire_frame frame;
    while (pingo__executor_inbox_next(&unsent, &frame))
        if (frame.kind == PINGO__WIRE_START || frame.kind == PINGO__WIRE_START_FIRST)
            come_back(local, &frame);
}

static void on_end(struct pingo__executor_channel *channel)
{
    struct pingo__executor_local *local = channel->owner;
    bool was_up = local->state == PINGO__LOCAL_UP;
    take_back_unsent(local, channel);
    local->channel = NULL;
    local->asked = 0;
    local->listed = false;
    local->rung = local->rescan = true;
    local->state = PINGO__LOCAL_DOWN;
    if (!was_up) { /* it was just ending, or could not take us in */
        if (local->failure.code == 0 || local->failure_told)
            pingo__executor_trouble_meet(local, "it ended the connection before it answered");
        if (!local->waiting)
            retry_later(local);
    } else if (local->trouble == PINGO__TROUBLE_YIELD) {
        local->pauses.next_ms = local->pauses.most_ms;
        retry_later(local);
    } else if (local->trouble != PINGO__TROUBLE_ENDS && pingo_jobs_next(local->jobs, NULL)) {
        pingo__executor_say(&local->log, "the connection with the local supervisor ended");
    }
    local->trouble = PINGO__TROUBLE_OVER;
}

static void on_status_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void close_status(struct pingo__executor_local *local)
{
    struct pingo__executor_local_status *status = local->status;
    if (!status)
        return;
    local->status = NULL;
    uv_poll_stop(&status->poll);
    uv_close((uv_handle_t *)&status->poll, on_status_closed);
    close(status->fd);
}

/* The first line, in place; NULL: it is not whole, and more will come.  Notes before it are told: who has to ask the
 * supervisor something asks later. */
static const char *read_line(struct pingo__executor_local *local, bool ended)
{
    struct pingo__executor_local_status *status = local->status;
    char *newline;
    while ((newline = strchr(status->text, '\n'))) {
        *newline = '\0';
        if (strncmp(status->text, PINGO__PLACE_NOTE, strlen(PINGO__PLACE_NOTE)) != 0)
            return status->text;
        pingo__fail(&local->failure, PINGO_EAWAY, "the local supervisor of %s: %s",
                    local->store_dir, status->text + strlen(PINGO__PLACE_NOTE));
        if (!uv_is_active((uv_handle_t *)&local->look)) /* else who asks tells it */
            pingo__executor_say(&local->log, "%s", local->failure.message);
        local->failure_told = status->waits = true;
        status->n -= (size_t)(newline + 1 - status->text);
        memmove(status->text, newline + 1, status->n + 1);
    }
    return ended || status->n == sizeof status->text - 1 ? status->text : NULL;
}

/* "ok", or why not, or nothing when it died. */
static void on_status(uv_poll_t *handle, int error, int events)
{
    struct pingo__executor_local_status *status = handle->data;
    struct pingo__executor_local *local = status->local;
    (void)error;
    (void)events;
    ssize_t n = read(status->fd, status->text + status->n, sizeof status->text - 1 - status->n);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    status->n += n > 0 ? (size_t)n : 0;
    status->text[status->n] = '\0';
    const char *line = read_line(local, n <= 0);
    if (!line)
        return;
    local->state = PINGO__LOCAL_DOWN;
    if (strcmp(line, "ok") == 0) {
        local->died_starting = false;
        if (status->waits) /* no more */
            local->failure.code = 0;
    } else if (status->n == 0 && !local->died_starting) {
        local->died_starting = true; /* killed, or out of memory: once more, at once */
    } else if (strncmp(line, PINGO__PLACE_WAIT, strlen(PINGO__PLACE_WAIT)) == 0) {
        pingo__executor_trouble_meet(local, line + strlen(PINGO__PLACE_WAIT));
        retry_later(local);
    } else {
        pingo__fail(&local->failure, PINGO_EEXECUTOR, "the local supervisor of %s: %s",
                    local->store_dir, status->n > 0 ? line : "it ended before it was ready");
        fail(local);
    }
    close_status(local);
}

static void spawn(struct pingo__executor_local *local)
{
    int fd = -1;
    int rc = pingo__executor_place_spawn(local->helper, local->store_dir, local->pool_dir, &fd,
                                         &local->failure);
    if (rc == PINGO_EBUSY) {
        local->failure.code = PINGO_EEXECUTOR;
        pingo__executor_trouble_note(local);
        retry_later(local);
        return;
    }
    if (rc != 0) {
        fail(local);
        return;
    }
    struct pingo__executor_local_status *status = calloc(1, sizeof *status);
    if (!status || uv_poll_init(&local->loop, &status->poll, fd) != 0) {
        free(status);
        close(fd);
        pingo__fail_memory(&local->failure);
        fail(local);
        return;
    }
    status->poll.data = status;
    status->local = local;
    status->fd = fd;
    local->status = status;
    local->state = PINGO__LOCAL_SPAWNING;
    uv_poll_start(&status->poll, UV_READABLE | UV_DISCONNECT, on_status);
}

static void try_connect(struct pingo__executor_local *local)
{
    if (local->dir < 0) {
        int dir = pingo__executor_place_open(local->store_dir, true, &local->failure);
        if (dir < 0) {
            fail(local);
            return;
        }
        local->dir = dir;
    }
    int fd = pingo__executor_place_connect(local->dir);
    if (fd == -ENOENT || fd == -ECONNREFUSED) {
        spawn(local);
        return;
    }
    if (fd == -EAGAIN || (fd >= 0 && !pingo__executor_place_peer_is_self(fd))) {
        pingo__executor_trouble_meet(local, fd >= 0
                                                ? "somebody else's process answers in its place"
                                                : "too many others wait for it to take them in");
        pingo__file_close(fd);
        retry_later(local);
        return;
    }
    if (fd < 0) {
        pingo__fail(&local->failure, PINGO_EEXECUTOR,
                    "the local supervisor of %s cannot be reached: %s", local->store_dir,
                    strerror(-fd));
        fail(local);
        return;
    }
    local->channel = pingo__executor_channel_open(&local->loop, fd, local);
    if (!local->channel) {
        pingo__fail_memory(&local->failure);
        fail(local);
        return;
    }
    local->channel->on_frame = on_frame;
    local->channel->on_end = on_end;
    local->state = PINGO__LOCAL_GREETING;
    local->link++;
    hello(local);
}

static void send_some(struct pingo__executor_local *local)
{
    while (!STAILQ_EMPTY(&local->out) &&
           pingo__executor_channel_unsent(local->channel) < SEND_AHEAD) {
        struct pingo__executor_local_frame *frame = STAILQ_FIRST(&local->out);
        struct pingo__buffer *out = &local->channel->out;
        while (frame && out->length - local->channel->out_at < SEND_AHEAD) {
            struct pingo__executor_local_job *job = pingo_jobs_find(local->jobs, frame->key);
            pingo__buffer_append(out, frame->bytes.data, frame->bytes.length);
            if (job)
                job->link = local->link;
            pingo__executor_frames_drop(&local->out);
            frame = STAILQ_FIRST(&local->out);
        }
        if (!pingo__executor_channel_flush(local->channel))
            return;
    }
}

bool pingo__executor_link_is_wanted(const struct pingo__executor_local *local)
{
    return !STAILQ_EMPTY(&local->out) || pingo_jobs_count(local->jobs, false) > 0;
}

void pingo__executor_link_advance(struct pingo__executor_local *local)
{
    if (local->state == PINGO__LOCAL_DOWN && !local->waiting && pingo__executor_link_is_wanted(local))
        try_connect(local);
    if (local->state == PINGO__LOCAL_UP)
        send_some(local);
}

void pingo__executor_link_poll(struct pingo__executor_local *local)
{
    pingo__executor_link_advance(local);
    uv_run(&local->loop, UV_RUN_NOWAIT);
    if (!STAILQ_EMPTY(&local->out) || local->state == PINGO__LOCAL_DOWN) {
        pingo__executor_link_advance(local);
        uv_run(&local->loop, UV_RUN_NOWAIT); /* so that the descriptor watches what is new */
    }
}

/* Waiting for an answer: until when, and whether there can be one. */
struct waiting {
    struct pingo__executor_local *local;
    unsigned left; /* looks */
    bool passed;
};

static void on_look(uv_timer_t *timer)
{
    struct waiting *waiting = timer->data;
    pingo__executor_trouble_look(waiting->local);
    if (--waiting->left == 0 || pingo__executor_trouble_look_for_stop(waiting->local))
        waiting->passed = true;
}

static bool cannot_answer(const struct pingo__executor_local *local)
{
    return (local->status && local->status->waits) || pingo__executor_trouble_is_final(local);
}

int pingo__executor_link_ask(struct pingo__executor_local *local, int64_t timeout_ms,
                             struct pingo_error *err)
{
    struct waiting waiting = {local, (unsigned)(timeout_ms / LOOK_MS) + 1, false};
    bool sent = false;
    uint64_t link = 0;
    uv_update_time(&local->loop);
    if (local->state == PINGO__LOCAL_DOWN && !local->hindered_ms) {
        uv_run(&local->loop, UV_RUN_NOWAIT);
        if (!local->waiting)
            local->failure.code = 0; /* an earlier try's */
    }
    if (local->state == PINGO__LOCAL_SPAWNING)
        uv_run(&local->loop, UV_RUN_NOWAIT); /* it may be ready by now */
    local->look.data = &waiting;
    uv_timer_start(&local->look, on_look, LOOK_MS, LOOK_MS);
    while (!waiting.passed && !cannot_answer(local) &&
           !(sent && link == local->link && local->listed)) {
        if (local->state == PINGO__LOCAL_DOWN && !local->waiting)
            try_connect(local);
        if (local->state == PINGO__LOCAL_UP && (!sent || link != local->link)) {
            ask(local);
            sent = true;
            link = local->link;
        }
        uv_run(&local->loop, UV_RUN_ONCE);
    }
    uv_timer_stop(&local->look);
    if (!waiting.passed && !cannot_answer(local))
        return 0;
    local->failure_told = true;
    if (local->failure.code != 0)
        return pingo__fail(err, local->failure.code, "%s", local->failure.message);
    return pingo__fail(err, PINGO_EEXECUTOR, "the local supervisor of %s does not answer",
                       local->store_dir);
}

void pingo__executor_link_mark_listed(struct pingo__executor_local *local)
{
    struct pingo__buffer_reader reader = {local->keys.data, local->keys.length, 0, false};
    while (reader.at < reader.length) {
        struct pingo_job_key key = pingo__runner_get_key(&reader);
        struct pingo__executor_local_job *job = pingo_jobs_find(local->jobs, key);
        if (job)
            job->link = local->link;
    }
}

void pingo__executor_link_close(struct pingo__executor_local *local)
{
    pingo__executor_channel_close(local->channel);
    local->channel = NULL;
    close_status(local);
    pingo__executor_frames_prepend(&local->out, &local->back);
    while (!STAILQ_EMPTY(&local->out))
        pingo__executor_frames_drop(&local->out);
    uv_close((uv_handle_t *)&local->retry, NULL);
    uv_close((uv_handle_t *)&local->look, NULL);
    uv_run(&local->loop, UV_RUN_DEFAULT);
    uv_loop_close(&local->loop);
}
