/* clients.c - the schedulers that are connected.
 *
 * What a client has sent counts even if it died right after.  So before this says that a job is not here, it reads all
 * that any client has sent: a start that is still in a socket would otherwise follow the answer. */
#include "executor/local/supervisor/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "executor/local/place.h"

static void take_out(struct pingo__executor_client *client)
{
    struct pingo__executor_supervisor *s = client->supervisor;
    for (struct pingo__executor_client **at = &s->clients; *at; at = &(*at)->next) {
        if (*at == client) {
            *at = client->next;
            break;
        }
    }
    for (struct pingo__executor_item *item = s->first; item; item = item->next)
        if (item->client == client)
            item->client = NULL;
}

static void on_free(struct pingo__executor_channel *channel)
{
    free(channel->owner);
}

static void on_end(struct pingo__executor_channel *channel)
{
    take_out(channel->owner);
}

static void give_back(struct pingo__executor_client *client, bool grew, const char *body, size_t n)
{
    struct pingo__buffer *out = pingo__executor_channel_begin(
        client->channel, grew ? PINGO__WIRE_START_FIRST : PINGO__WIRE_START);
    pingo__buffer_append(out, body, n);
    pingo__executor_channel_send(client->channel);
}

/* It ends after what it runs; what waits goes back to clients, who stay connected, for the next supervisor. */
static void make_way(struct pingo__executor_client *client, const char *why)
{
    struct pingo__executor_supervisor *s = client->supervisor;
    if (s->retires)
        return;
    s->retires = true;
    s->wanted = client->bounds;
    pingo__executor_clients_tell_trouble(s, why);
    struct pingo__executor_item *item;
    while ((item = s->first)) {
        pingo__executor_queue_take(s, item->key);
        if (item->client)
            give_back(item->client, item->grew, item->body, item->length);
        pingo__executor_item_free(item);
    }
}

static void look_at_bounds(struct pingo__executor_client *client)
{
    struct pingo__executor_supervisor *s = client->supervisor;
    const char *what = pingo__executor_bounds_stricter(&s->bounds, &client->bounds);
    char why[sizeof s->trouble];
    client->is_elsewhere = client->bounds.view != pingo__executor_bounds_view();
    if (!what)
        return;
    snprintf(why, sizeof why,
             "process %ld was started under a stricter limit than this one (%s): it ends when the "
             "actions that it runs have ended (%zu), and until then nothing starts",
             (long)getpid(), what, s->busy);
    make_way(client, why);
    pingo__executor_queue_consider_idle(s); /* with nothing to do it ends before it welcomes anybody */
}

/* Its actions would not find what it knows of, such as files whose content it has read. */
static bool start(struct pingo__executor_client *client, struct pingo__executor_wire_frame *frame)
{
    if (client->is_elsewhere)
        make_way(client,
                 "it is in another container (namespace of mounts, users or networks): it ends "
                 "after the actions that it runs, and until then nothing starts");
    bool grew = frame->kind == PINGO__WIRE_START_FIRST;
    if (!client->supervisor->retires)
        return pingo__executor_queue_add(client->supervisor, client, &frame->body, grew);
    give_back(client, grew, frame->body.data, frame->body.length);
    return true;
}

static bool greet(struct pingo__executor_client *client, struct pingo__buffer_reader *body)
{
    struct pingo__executor_supervisor *s = client->supervisor;
    struct pingo__executor_wire_settings settings;
    uint32_t version = pingo__buffer_read_u32(body);
    if (body->failed)
        return false;
    if (version == PINGO__WIRE_VERSION) {
        if (!pingo__executor_wire_get_settings(body, &settings) ||
            !pingo__executor_bounds_get(body, &client->bounds))
            return false;
        look_at_bounds(client);
        if (s->ending)
            return false;
        if (settings.slots > 65536)
            settings.slots = 65536;
        s->settings = settings;
        client->greeted = true;
    }
    struct pingo__buffer *out = pingo__executor_channel_begin(client->channel, PINGO__WIRE_WELCOME);
    pingo__buffer_u32(out, PINGO__WIRE_VERSION);
    pingo__buffer_u64(out, s->set_serial);
    pingo__executor_channel_end(client->channel);
    if (client->greeted && s->trouble[0] != '\0')
        pingo__executor_clients_tell_how(client);
    pingo__executor_channel_flush(client->channel);
    if (client->greeted)
        pingo__executor_crew_configure(s);
    return true;
}

/* The job, if it waits; else *hand is the worker that has it, if it is here. */
static struct pingo__executor_item *take(struct pingo__executor_supervisor *s,
                                         struct pingo_job_key key,
                                         struct pingo__executor_hand **hand)
{
    struct pingo__executor_item *item = pingo__executor_queue_take(s, key);
    *hand = pingo__executor_queue_holder(s, key);
    if (!item && !*hand) {
        pingo__executor_clients_drain(s);
        item = pingo__executor_queue_take(s, key);
        *hand = pingo__executor_queue_holder(s, key);
    }
    return item;
}

static void drop(struct pingo__executor_supervisor *s, struct pingo_job_key key,
                 const char *attempt_dir)
{
    struct pingo__executor_hand *hand;
    struct pingo__executor_item *item = take(s, key, &hand);
    /* Else a worker has it: it will find the file and report that, and then the file is removed. */
    if (!hand)
        pingo__executor_queue_bury(attempt_dir);
    pingo__executor_item_free(item);
}

static void kill_job(struct pingo__executor_supervisor *s, struct pingo_job_key key)
{
    struct pingo__executor_hand *hand;
    struct pingo__executor_item *item = take(s, key, &hand);
    if (item) {
        pingo__executor_ledger_record(s, key, PINGO_END_KILLED, "killed before it started");
        pingo__executor_item_free(item);
        s->rings = true;
    } else if (hand && hand->channel) {
        struct pingo__buffer *out = pingo__executor_channel_begin(hand->channel, PINGO__WIRE_KILL);
        pingo__runner_put_key(out, key);
        pingo__executor_channel_send(hand->channel);
        pingo__executor_crew_continue(hand);
    }
}

static void list(struct pingo__executor_client *client)
{
    struct pingo__executor_supervisor *s = client->supervisor;
    pingo__executor_clients_drain(s);
    struct pingo__buffer *out = pingo__executor_channel_begin(client->channel, PINGO__WIRE_LISTED);
    for (struct pingo__executor_item *item = s->first; item; item = item->next)
        pingo__runner_put_key(out, item->key);
    for (struct pingo__executor_item *item = s->ghosts; item; item = item->next)
        pingo__runner_put_key(out, item->key);
    for (size_t i = 0; i < s->nhands; i++)
        if (s->hands[i] && s->hands[i]->item)
            pingo__runner_put_key(out, s->hands[i]->item->key);
    pingo__executor_channel_send(client->channel);
}

static bool obey(struct pingo__executor_client *client, struct pingo__executor_wire_frame *frame)
{
    struct pingo__executor_supervisor *s = client->supervisor;
    struct pingo_job_key key;
    const char *text;
    switch (frame->kind) {
    case PINGO__WIRE_START:
    case PINGO__WIRE_START_FIRST:
        return start(client, frame);
    case PINGO__WIRE_DROP:
        key = pingo__runner_get_key(&frame->body);
        text = pingo__runner_get_text(&frame->body);
        if (!text || text[0] != '/')
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
        return pingo__executor_ledger_trim(s, &frame->body);
    default:
        return false;
    }
}

static bool on_frame(struct pingo__executor_channel *channel,
                     struct pingo__executor_wire_frame *frame)
{
    struct pingo__executor_client *client = channel->owner;
    if (frame->kind == PINGO__WIRE_HELLO)
        return greet(client, &frame->body);
    return client->greeted && obey(client, frame);
}

/* Out of descriptors: accepts a connection and closes it, so that the client tries again later. */
static bool turn_away(struct pingo__executor_supervisor *s)
{
    if ((errno != EMFILE && errno != ENFILE) || s->spare < 0)
        return false;
    close(s->spare);
    int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    pingo__file_close(fd);
    s->spare = fcntl(s->dir, F_DUPFD_CLOEXEC, 10);
    return fd >= 0;
}

static void take_in(struct pingo__executor_supervisor *s)
{
    int fd;
    while ((fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        if (!pingo__executor_place_peer_is_self(fd)) {
            close(fd);
            continue;
        }
        struct pingo__executor_client *client = calloc(1, sizeof *client);
        if (!client) {
            close(fd);
            continue;
        }
        client->supervisor = s;
        client->channel = pingo__executor_channel_open(&s->loop, fd, client);
        if (!client->channel) {
            free(client);
            continue;
        }
        client->channel->on_frame = on_frame;
        client->channel->on_end = on_end;
        client->channel->on_free = on_free;
        client->next = s->clients;
        s->clients = client;
    }
}

static void accept_all(struct pingo__executor_supervisor *s)
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

bool pingo__executor_clients_listen(struct pingo__executor_supervisor *s)
{
    s->listener = pingo__executor_place_listen(s->dir);
    s->spare = fcntl(s->dir, F_DUPFD_CLOEXEC, 10);
    if (s->listener < 0 || uv_poll_init(&s->loop, &s->accept, s->listener) != 0)
        return false;
    s->accept.data = s;
    return uv_poll_start(&s->accept, UV_READABLE, on_accept) == 0;
}

/* Reading may end clients and take them out of the list; they are freed later, by the loop. */
void pingo__executor_clients_drain(struct pingo__executor_supervisor *s)
{
    accept_all(s);
    for (struct pingo__executor_client *client = s->clients; client; client = client->next)
        pingo__executor_channel_read(client->channel);
}

void pingo__executor_clients_hang_up(struct pingo__executor_supervisor *s)
{
    for (struct pingo__executor_client *client = s->clients; client; client = client->next)
        shutdown(client->channel->fd, SHUT_RD);
    pingo__executor_clients_drain(s);
}
