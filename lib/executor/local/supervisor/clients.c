/* clients.c - the schedulers that are connected.
 *
 * What a client has sent counts also when it died right after.  So before
 * "it is not here" is said of a job, everything that any client has sent is
 * read: a start that still lay in a socket could otherwise follow the answer. */
#include "executor/local/supervisor/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "executor/local/place.h"

static void take_out(struct pingo__client *client)
{
    struct pingo__supervisor *s = client->supervisor;
    for (struct pingo__client **at = &s->clients; *at != NULL; at = &(*at)->next) {
        if (*at == client) {
            *at = client->next;
            break;
        }
    }
    pingo__queue_consider_idle(s);
}

static void on_free(struct pingo__channel *channel)
{
    free(channel->owner);
}

static void on_end(struct pingo__channel *channel)
{
    take_out(channel->owner);
}

/* What it runs it has to end first; clients stay, and hand out what they have again to the next supervisor. */
static void make_way(struct pingo__client *client)
{
    struct pingo__supervisor *s = client->supervisor;
    const char *what = pingo__bounds_stricter(&s->bounds, &client->bounds);
    char text[sizeof s->trouble];
    if (what == NULL || s->retires)
        return;
    s->retires = true;
    s->wanted = client->bounds;
    snprintf(
        text, sizeof text,
        "process %ld was started under a stricter limit than this one (%s): it ends after the %zu "
        "actions that it runs, and until then nothing starts",
        (long)getpid(), what, s->busy);
    pingo__clients_tell_trouble(s, text);
    pingo__queue_consider_idle(s);
}

static bool greet(struct pingo__client *client, struct pingo__buffer_reader *body)
{
    struct pingo__supervisor *s = client->supervisor;
    struct pingo__wire_settings settings;
    uint32_t version = pingo__buffer_read_u32(body);
    struct pingo__buffer *out = pingo__channel_out(client->channel);
    if (body->failed)
        return false;
    if (version == PINGO__WIRE_VERSION) {
        if (!pingo__wire_get_settings(body, &settings) || !pingo__bounds_get(body, &client->bounds))
            return false;
        make_way(client);
        if (s->ending)
            return false;
        if (settings.slots > 65536)
            settings.slots = 65536;
        s->settings = settings;
        client->greeted = true;
    }
    size_t begun = pingo__wire_begin(out, PINGO__WIRE_WELCOME);
    pingo__buffer_u32(out, PINGO__WIRE_VERSION);
    pingo__buffer_u64(out, s->set_serial);
    pingo__wire_end(out, begun);
    if (client->greeted && s->trouble[0] != '\0')
        pingo__clients_tell_how(client);
    pingo__channel_flush(client->channel);
    if (client->greeted)
        pingo__crew_configure(s);
    return true;
}

static void drop(struct pingo__supervisor *s, struct pingo_job_key key, const char *attempt_dir)
{
    struct pingo__item *item = pingo__queue_take(s, key);
    if (item == NULL && pingo__queue_holder(s, key) == NULL) {
        pingo__clients_drain(s);
        item = pingo__queue_take(s, key);
    }
    /* A worker that has it will find the file, say so, and then the file goes. */
    if (item != NULL || pingo__queue_holder(s, key) == NULL)
        pingo__queue_bury(attempt_dir);
    pingo__item_free(item);
}

static void kill_job(struct pingo__supervisor *s, struct pingo_job_key key)
{
    struct pingo__item *item = pingo__queue_take(s, key);
    struct pingo__hand *hand = pingo__queue_holder(s, key);
    if (item == NULL && hand == NULL) {
        pingo__clients_drain(s);
        item = pingo__queue_take(s, key);
        hand = pingo__queue_holder(s, key);
    }
    if (item != NULL) {
        pingo__ledger_record(s, key, PINGO_END_KILLED, "killed before it started");
        pingo__item_free(item);
        pingo__clients_ring_now(s);
    } else if (hand != NULL && hand->channel != NULL) {
        struct pingo__buffer *out = pingo__channel_out(hand->channel);
        size_t begun = pingo__wire_begin(out, PINGO__WIRE_KILL);
        pingo__runner_put_key(out, key);
        pingo__wire_end(out, begun);
        pingo__channel_flush(hand->channel);
        pingo__crew_continue(hand);
    }
}

static void list(struct pingo__client *client)
{
    struct pingo__supervisor *s = client->supervisor;
    pingo__clients_drain(s);
    struct pingo__buffer *out = pingo__channel_out(client->channel);
    size_t begun = pingo__wire_begin(out, PINGO__WIRE_LISTED);
    for (struct pingo__item *item = s->first; item != NULL; item = item->next)
        pingo__runner_put_key(out, item->key);
    for (struct pingo__item *item = s->ghosts; item != NULL; item = item->next)
        pingo__runner_put_key(out, item->key);
    for (size_t i = 0; i < s->nhands; i++)
        if (s->hands[i] != NULL && s->hands[i]->item != NULL)
            pingo__runner_put_key(out, s->hands[i]->item->key);
    pingo__wire_end(out, begun);
    pingo__channel_flush(client->channel);
}

static bool obey(struct pingo__client *client, struct pingo__wire_frame *frame)
{
    struct pingo__supervisor *s = client->supervisor;
    struct pingo_job_key key;
    const char *text;
    switch (frame->kind) {
    case PINGO__WIRE_START:
        if (!pingo__queue_add(s, &frame->body))
            return false;
        pingo__crew_dispatch(s);
        return true;
    case PINGO__WIRE_DROP:
        key = pingo__runner_get_key(&frame->body);
        text = pingo__runner_get_text(&frame->body);
        if (text == NULL || text[0] != '/')
            return false;
        drop(s, key, text);
        return true;
    case PINGO__WIRE_KILL:
        key = pingo__runner_get_key(&frame->body);
        if (!frame->body.failed)
            kill_job(s, key);
        return !frame->body.failed;
    case PINGO__WIRE_LIST:
        list(client);
        return true;
    case PINGO__WIRE_TRIM:
        return pingo__ledger_trim(s, &frame->body);
    default:
        return false;
    }
}

static bool on_frame(struct pingo__channel *channel, struct pingo__wire_frame *frame)
{
    struct pingo__client *client = channel->owner;
    if (frame->kind == PINGO__WIRE_HELLO)
        return greet(client, &frame->body);
    return client->greeted && obey(client, frame);
}

/* Nobody shall knock for ever: who cannot be taken in is let go, and comes again. */
static bool turn_away(struct pingo__supervisor *s)
{
    if ((errno != EMFILE && errno != ENFILE) || s->spare < 0)
        return false;
    close(s->spare);
    int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0)
        close(fd);
    s->spare = fcntl(s->dir, F_DUPFD_CLOEXEC, 10);
    return fd >= 0;
}

static void take_in(struct pingo__supervisor *s)
{
    int fd;
    while ((fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        if (!pingo__place_peer_is_self(fd)) {
            close(fd);
            continue;
        }
        struct pingo__client *client = calloc(1, sizeof *client);
        if (client == NULL) {
            close(fd);
            continue;
        }
        client->supervisor = s;
        client->channel = pingo__channel_open(&s->loop, fd, client);
        if (client->channel == NULL) {
            free(client);
            continue;
        }
        client->channel->on_frame = on_frame;
        client->channel->on_end = on_end;
        client->channel->on_free = on_free;
        client->next = s->clients;
        s->clients = client;
        uv_timer_stop(&s->idle);
    }
}

static void accept_all(struct pingo__supervisor *s)
{
    do
        take_in(s);
    while (turn_away(s));
}

static void on_accept(uv_poll_t *handle, int status, int events)
{
    (void)status;
    (void)events;
    accept_all(handle->data);
}

bool pingo__clients_listen(struct pingo__supervisor *s)
{
    s->listener = pingo__place_listen(s->dir);
    s->spare = fcntl(s->dir, F_DUPFD_CLOEXEC, 10);
    if (s->listener < 0 || uv_poll_init(&s->loop, &s->accept, s->listener) != 0)
        return false;
    s->accept.data = s;
    return uv_poll_start(&s->accept, UV_READABLE, on_accept) == 0;
}

/* Reading may end a client and take it out of the list, so each is asked once, by a mark. */
void pingo__clients_drain(struct pingo__supervisor *s)
{
    uint64_t round = ++s->drains;
    struct pingo__client *client;
    accept_all(s);
    do {
        for (client = s->clients; client != NULL && client->drained >= round; client = client->next)
            continue;
        if (client != NULL) {
            client->drained = round;
            pingo__channel_read(client->channel);
        }
    } while (client != NULL);
}
