/* crew.c - the workers: started when first needed, one a slot.
 *
 * A worker that dies leaves its job's family to this process, which is their
 * subreaper: they are killed, and only when nobody of them is left is the job
 * recorded as lost, unless the worker had recorded its end before. */
#include "executor/local/supervisor/state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "base/room.h"
#include "runner/runner.h"

#define REAP_MS 5
#define NOTICE_MS 25    /* a job that was handed out so long ago and has started is told of */
#define STOPPED_MS 2000 /* a worker that was stopped so long ago goes on */
#define RETRY_MS 500    /* after a worker could not be started */

/* The scheduler that revoked it may have died before it could note that in the store, and another one, which was told
 * that the job is here, waits for its end.  A record that is not needed does no harm. */
static void revoked(struct pingo__executor_supervisor *s, const struct pingo__executor_item *item)
{
    if (!pingo__executor_ledger_record(s, item->key, PINGO_END_NOT_STARTED,
                                       "it was given up before it started"))
        return; /* the file stays, so that it cannot start */
    pingo__executor_queue_bury(item->attempt_dir);
}

static bool on_frame(struct pingo__executor_channel *channel,
                     struct pingo__executor_wire_frame *frame)
{
    struct pingo__executor_hand *hand = channel->owner;
    struct pingo__executor_supervisor *s = hand->supervisor;
    struct pingo_job_key key = pingo__runner_get_key(&frame->body);
    if (frame->kind == PINGO__WIRE_READY) {
        hand->clears = false;
        return !frame->body.failed;
    }
    if (frame->body.failed || !hand->item || !pingo__runner_key_is(hand->item->key, key))
        return false;
    struct pingo__executor_item *item = hand->item;
    hand->item = NULL;
    hand->clears = true;
    s->busy--;
    if (frame->kind == PINGO__WIRE_REVOKED)
        revoked(s, item);
    else
        s->journal_records++;
    pingo__executor_item_free(item);
    s->rings = true;
    return true;
}

/* The rest is done when the process is reaped. */
static void on_end(struct pingo__executor_channel *channel)
{
    struct pingo__executor_hand *hand = channel->owner;
    hand->channel = NULL;
    if (hand->pid != 0)
        kill(hand->pid, SIGKILL);
}

static void send_config(struct pingo__executor_hand *hand)
{
    struct pingo__buffer *out = pingo__executor_channel_begin(hand->channel, PINGO__WIRE_CONFIG);
    pingo__executor_wire_put_settings(out, &hand->supervisor->settings);
    pingo__executor_channel_end(hand->channel);
}

/* The worker gets its connection as descriptor 3 and the lock as 4, nothing else.  Its pid, or a negative errno. */
static pid_t spawn(struct pingo__executor_supervisor *s, int control, size_t slot)
{
    char number[32];
    const char *const argv[] = {"pingo-worker",  "--worker", s->store_dir, s->pool_dir,
                                s->running_name, number,     NULL};
    const struct pingo__process_start start = {
        .path = "/proc/self/exe",
        .argv = argv,
        .env = (const char *const *)environ,
        .fds = {PINGO__PROCESS_SAME, PINGO__PROCESS_SAME, PINGO__PROCESS_SAME, control, s->lock},
        .nfds = 5};
    pid_t pid;
    snprintf(number, sizeof number, "%zu", slot);
    int rc = pingo__process_start(&start, &pid);
    return rc ? rc : pid;
}

static struct pingo__executor_hand *hire(struct pingo__executor_supervisor *s, size_t slot)
{
    int ends[2];
    struct pingo__executor_hand *hand = calloc(1, sizeof *hand);
    if (!hand || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        free(hand);
        return NULL;
    }
    hand->supervisor = s;
    hand->slot = slot;
    hand->pid = spawn(s, ends[1], slot);
    int error_number = hand->pid < 0 ? -hand->pid : ENOMEM;
    close(ends[1]);
    if (hand->pid > 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
        hand->channel = pingo__executor_channel_open(&s->loop, ends[0], hand);
    else
        close(ends[0]);
    if (!hand->channel) { /* a process that got no connection ends by itself */
        free(hand);
        errno = error_number;
        return NULL;
    }
    hand->channel->on_frame = on_frame;
    hand->channel->on_end = on_end;
    send_config(hand);
    s->hands[slot] = hand;
    return hand;
}

static bool make_room(struct pingo__executor_supervisor *s)
{
    size_t wanted = (size_t)s->settings.slots;
    if (s->nhands >= wanted)
        return true;
    struct pingo__executor_hand **hands =
        realloc(s->hands, wanted * sizeof(struct pingo__executor_hand *));
    if (!hands)
        return false;
    memset(hands + s->nhands, 0, (wanted - s->nhands) * sizeof(struct pingo__executor_hand *));
    s->hands = hands;
    s->nhands = wanted;
    return true;
}

/* What could not be done is tried again, as long as there is a store in which anybody could ask for it. */
static void try_later(struct pingo__executor_supervisor *s)
{
    struct stat st;
    if (fstat(s->dir, &st) == 0 && st.st_nlink == 0)
        pingo__executor_queue_finish(s);
    else
        uv_timer_start(&s->reaper, pingo__executor_crew_on_reaper, RETRY_MS, 0);
}

/* An idle worker, else a new one in a free slot, else one that still clears up.  NULL: all are busy, or a process
 * cannot be started now. */
static struct pingo__executor_hand *find_hand(struct pingo__executor_supervisor *s)
{
    struct pingo__executor_hand *clears = NULL;
    size_t vacant = s->nhands;
    for (size_t i = 0; i < s->nhands && i < (size_t)s->settings.slots; i++) {
        struct pingo__executor_hand *hand = s->hands[i];
        if (!hand && vacant == s->nhands)
            vacant = i;
        else if (hand && hand->pid != 0 && hand->channel && !hand->item && !hand->clears)
            return hand;
        else if (hand && hand->pid != 0 && hand->channel && !hand->item)
            clears = hand;
    }
    if (vacant == s->nhands)
        return clears;
    errno = ENOMEM;
    struct pingo__executor_hand *hand = hire(s, vacant);
    if (!hand && s->busy == 0 && !clears) { /* nothing goes on until there is one */
        char text[sizeof s->trouble];
        snprintf(text, sizeof text, "a worker cannot be started: %s%s", strerror(errno),
                 errno == EAGAIN ? " (" PINGO__ROOM_PROCESSES ")" : "");
        pingo__executor_clients_tell_trouble(s, text);
    }
    if (!hand)
        try_later(s);
    else
        pingo__executor_clients_tell_trouble(s, "");
    return hand;
}

/* Its worker notes what has passed the gate; until then it may still be given up. */
static bool has_started(struct pingo__executor_supervisor *s,
                        const struct pingo__executor_hand *hand)
{
    struct pingo_job_key key;
    return pingo__executor_running_read(s->running, hand->slot, &key) &&
           pingo__runner_key_is(key, hand->item->key);
}

static void on_notice(uv_timer_t *handle)
{
    struct pingo__executor_supervisor *s = handle->data;
    bool more = false;
    for (size_t i = 0; i < s->nhands; i++) {
        struct pingo__executor_hand *hand = s->hands[i];
        if (!hand || !hand->item || hand->told)
            continue;
        if (uv_now(&s->loop) - hand->since_ms >= NOTICE_MS && has_started(s, hand)) {
            hand->told = true;
            pingo__executor_clients_tell_started(s, hand->item->key);
        } else {
            more = true;
        }
    }
    if (more)
        uv_timer_start(&s->notice, on_notice, NOTICE_MS, 0);
}

static void hand_out(struct pingo__executor_supervisor *s, struct pingo__executor_hand *hand,
                     struct pingo__executor_item *item)
{
    pingo__executor_ledger_turn(s);
    if (hand->journal != s->journal_serial) {
        pingo__runner_put_text(pingo__executor_channel_begin(hand->channel, PINGO__WIRE_JOURNAL),
                               s->journal_name);
        pingo__executor_channel_end(hand->channel);
        hand->journal = s->journal_serial;
    }
    struct pingo__buffer *out = pingo__executor_channel_begin(hand->channel, PINGO__WIRE_JOB);
    pingo__buffer_u64(out, (uint64_t)pingo__executor_queue_granted(s, item));
    pingo__buffer_append(out, item->body, item->length);
    pingo__executor_channel_end(hand->channel);
    free(item->body);
    item->body = NULL;
    item->next = NULL;
    hand->item = item;
    hand->told = false;
    hand->since_ms = uv_now(&s->loop);
    s->busy++;
    pingo__executor_channel_flush(hand->channel);
    if (!uv_is_active((uv_handle_t *)&s->notice))
        uv_timer_start(&s->notice, on_notice, NOTICE_MS, 0);
}

void pingo__executor_crew_dispatch(struct pingo__executor_supervisor *s)
{
    struct pingo__executor_hand *hand;
    if (s->ending || s->retires || !make_room(s))
        return;
    while (s->first && pingo__executor_queue_fits(s, s->first) && (hand = find_hand(s))) {
        struct pingo__executor_item *item = s->first;
        s->first = item->next;
        if (!s->first)
            s->last = &s->first;
        hand_out(s, hand, item);
    }
}

void pingo__executor_crew_configure(struct pingo__executor_supervisor *s)
{
    for (size_t i = 0; i < s->nhands; i++) {
        struct pingo__executor_hand *hand = s->hands[i];
        if (!hand || !hand->channel)
            continue;
        if (i >= (size_t)s->settings.slots && !hand->item) {
            pingo__executor_channel_close(hand->channel); /* it ends by itself */
            hand->channel = NULL;
        } else {
            send_config(hand);
            pingo__executor_channel_flush(hand->channel);
        }
    }
}

static void reaped(struct pingo__executor_supervisor *s, pid_t pid)
{
    for (size_t i = 0; i < s->nhands; i++) {
        struct pingo__executor_hand *hand = s->hands[i];
        if (!hand || hand->pid != pid)
            continue;
        hand->pid = 0;
        struct pingo__executor_channel *channel = hand->channel;
        if (channel) {
            pingo__executor_channel_read(channel); /* what it said last; that may end it */
            pingo__executor_channel_close(channel);
        }
        if (hand->item) {
            hand->item->next = s->ghosts;
            s->ghosts = hand->item;
            s->busy--;
        }
        pingo__runner_scratch_sweep(s->attempts, pid);
        s->hands[i] = NULL;
        free(hand);
        uv_timer_start(&s->reaper, pingo__executor_crew_on_reaper, 0, 0);
        return;
    }
}

void pingo__executor_crew_continue(struct pingo__executor_hand *hand)
{
    if (hand->stopped && hand->pid != 0)
        kill(hand->pid, SIGCONT);
    hand->stopped = false;
}

/* An action can stop its worker, which would then miss its end and its time limit. */
static void on_stops(uv_timer_t *handle)
{
    struct pingo__executor_supervisor *s = handle->data;
    bool more = false;
    char text[128];
    for (size_t i = 0; i < s->nhands; i++) {
        struct pingo__executor_hand *hand = s->hands[i];
        more = more || (hand && hand->stopped);
        if (!hand || !hand->stopped || !hand->item || !has_started(s, hand))
            continue;
        snprintf(text, sizeof text,
                 "process %ld, which looks after attempt %lld.%lld, was stopped: it goes on now",
                 (long)hand->pid, (long long)hand->item->key.action,
                 (long long)hand->item->key.epoch);
        pingo__executor_crew_continue(hand);
        pingo__executor_clients_note(s, text);
    }
    if (!more)
        uv_timer_stop(handle);
}

static void note_stop(struct pingo__executor_supervisor *s, pid_t pid, bool stopped)
{
    for (size_t i = 0; i < s->nhands; i++)
        if (s->hands[i] && s->hands[i]->pid == pid)
            s->hands[i]->stopped = stopped;
    if (stopped)
        uv_timer_start(&s->stops, on_stops, STOPPED_MS, STOPPED_MS);
}

void pingo__executor_crew_on_child(uv_signal_t *handle, int signal)
{
    struct pingo__executor_supervisor *s = handle->data;
    pid_t pid;
    int status;
    (void)signal;
    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0)
        if (WIFSTOPPED(status) || WIFCONTINUED(status))
            note_stop(s, pid, WIFSTOPPED(status));
        else
            reaped(s, pid);
}

/* Kills the processes that dead workers left.  true: there are none. */
static bool kill_orphans(struct pingo__executor_supervisor *s)
{
    struct pingo__runner_family family = {0};
    pid_t *spared = calloc(s->nhands + 1, sizeof *spared);
    size_t n = 0;
    bool none = false;
    for (size_t i = 0; spared && i < s->nhands; i++)
        if (s->hands[i] && s->hands[i]->pid != 0)
            spared[n++] = s->hands[i]->pid;
    if (spared && pingo__runner_family_find(&family, spared, n)) {
        none = family.n == 0;
        pingo__runner_family_kill(&family);
    }
    pingo__runner_family_clear(&family);
    free(spared);
    return none;
}

void pingo__executor_crew_on_reaper(uv_timer_t *handle)
{
    struct pingo__executor_supervisor *s = handle->data;
    if (s->ghosts && !kill_orphans(s)) {
        uv_timer_start(&s->reaper, pingo__executor_crew_on_reaper, REAP_MS, 0);
        return;
    }
    while (s->ghosts) {
        struct pingo__executor_item *item = s->ghosts;
        bool has_ended;
        if (pingo__executor_journals_find(s->dir, item->key, &has_ended) != 0 ||
            (!has_ended && !pingo__executor_ledger_record(s, item->key, PINGO_END_LOST,
                                                          "its worker ended while it ran"))) {
            try_later(s);
            return;
        }
        s->ghosts = item->next;
        pingo__executor_queue_bury(item->attempt_dir);
        pingo__executor_item_free(item);
        s->rings = true;
    }
}

void pingo__executor_crew_dismiss(struct pingo__executor_supervisor *s)
{
    for (size_t i = 0; i < s->nhands; i++) {
        if (!s->hands[i] || !s->hands[i]->channel)
            continue;
        pingo__executor_channel_close(s->hands[i]->channel);
        s->hands[i]->channel = NULL;
        pingo__executor_crew_continue(s->hands[i]);
    }
}
