/* tell.c - what clients are told without having asked: bells, starts, trouble.
 *
 * Sending may end a client and take it out of the list; it is freed later, by the loop, so its next stays valid. */
#include <stdio.h>
#include <string.h>

#include "executor/local/supervisor/state.h"

#define RING_MS 20          /* at most one bell in so many ms while all slots are busy */
#define DEAF_BYTES 1048576u /* a client that does not read for so long gets no more hints */

static void say_trouble(struct pingo__executor_client *client,
                        enum pingo__executor_wire_trouble kind, const char *text)
{
    struct pingo__buffer *out = pingo__executor_channel_begin(client->channel, PINGO__WIRE_TROUBLE);
    pingo__buffer_u8(out, (uint8_t)kind);
    pingo__runner_put_text(out, text);
    pingo__executor_channel_send(client->channel);
}

void pingo__executor_clients_tell_how(struct pingo__executor_client *client)
{
    const struct pingo__executor_supervisor *s = client->supervisor;
    say_trouble(client,
                s->trouble[0] == '\0' ? PINGO__TROUBLE_OVER
                : !s->retires         ? PINGO__TROUBLE_PASSES
                : client->bounds.view == s->wanted.view &&
                        !pingo__executor_bounds_stricter(&client->bounds, &s->wanted)
                    ? PINGO__TROUBLE_ENDS
                    : PINGO__TROUBLE_YIELD,
                s->trouble);
}

static void send_all(struct pingo__executor_supervisor *s, enum pingo__executor_wire_kind kind,
                     uint64_t a, const uint64_t *b)
{
    for (struct pingo__executor_client *client = s->clients; client; client = client->next) {
        if (!client->greeted || pingo__executor_channel_unsent(client->channel) > DEAF_BYTES)
            continue;
        struct pingo__buffer *out = pingo__executor_channel_begin(client->channel, kind);
        pingo__buffer_u64(out, a);
        if (b)
            pingo__buffer_u64(out, *b);
        pingo__executor_channel_send(client->channel);
    }
}

static void ring_now(struct pingo__executor_supervisor *s)
{
    uv_timer_stop(&s->bell);
    s->rung_ms = uv_now(&s->loop);
    send_all(s, PINGO__WIRE_BELL, s->set_serial, NULL);
}

static void on_bell(uv_timer_t *handle)
{
    ring_now(handle->data);
}

void pingo__executor_clients_ring(struct pingo__executor_supervisor *s)
{
    uint64_t now = uv_now(&s->loop);
    if (!s->first || now - s->rung_ms >= RING_MS)
        ring_now(s);
    else if (!uv_is_active((uv_handle_t *)&s->bell))
        uv_timer_start(&s->bell, on_bell, RING_MS - (now - s->rung_ms), 0);
}

void pingo__executor_clients_tell_trouble(struct pingo__executor_supervisor *s, const char *text)
{
    if (strcmp(s->trouble, text) == 0)
        return;
    snprintf(s->trouble, sizeof s->trouble, "%s", text);
    for (struct pingo__executor_client *client = s->clients; client; client = client->next) {
        if (client->greeted)
            pingo__executor_clients_tell_how(client);
    }
}

void pingo__executor_clients_note(struct pingo__executor_supervisor *s, const char *text)
{
    for (struct pingo__executor_client *client = s->clients; client; client = client->next) {
        if (client->greeted)
            say_trouble(client, PINGO__TROUBLE_NOTE, text);
    }
}

void pingo__executor_clients_tell_started(struct pingo__executor_supervisor *s,
                                          struct pingo_job_key key)
{
    uint64_t epoch = (uint64_t)key.epoch;
    send_all(s, PINGO__WIRE_STARTED, (uint64_t)key.action, &epoch);
}
