/* tell.c - what clients are told without having asked: bells, starts, trouble. */
#include <stdio.h>
#include <string.h>

#include "executor/local/supervisor/state.h"

#define RING_MS 20          /* at most one bell in so many ms while all slots are busy */
#define DEAF_BYTES 1048576u /* a client that does not read for so long gets no more hints */

static void say_trouble(struct pingo__client *client, enum pingo__wire_trouble kind,
                        const char *text)
{
    struct pingo__buffer *out = pingo__channel_out(client->channel);
    size_t begun = pingo__wire_begin(out, PINGO__WIRE_TROUBLE);
    pingo__buffer_u8(out, (uint8_t)kind);
    pingo__runner_put_text(out, text);
    pingo__wire_end(out, begun);
    pingo__channel_flush(client->channel);
}

void pingo__clients_tell_how(struct pingo__client *client)
{
    const struct pingo__supervisor *s = client->supervisor;
    say_trouble(client,
                s->trouble[0] == '\0' ? PINGO__TROUBLE_OVER
                : !s->retires         ? PINGO__TROUBLE_PASSES
                : pingo__bounds_stricter(&client->bounds, &s->wanted) == NULL ? PINGO__TROUBLE_ENDS
                                                                              : PINGO__TROUBLE_YIELD,
                s->trouble);
}

static void send_all(struct pingo__supervisor *s, enum pingo__wire_kind kind, uint64_t a,
                     const uint64_t *b)
{
    struct pingo__client *next;
    for (struct pingo__client *client = s->clients; client != NULL; client = next) {
        struct pingo__buffer *out = pingo__channel_out(client->channel);
        next = client->next;
        if (!client->greeted || pingo__channel_unsent(client->channel) > DEAF_BYTES)
            continue;
        size_t begun = pingo__wire_begin(out, kind);
        pingo__buffer_u64(out, a);
        if (b != NULL)
            pingo__buffer_u64(out, *b);
        pingo__wire_end(out, begun);
        pingo__channel_flush(client->channel);
    }
}

void pingo__clients_ring_now(struct pingo__supervisor *s)
{
    uv_timer_stop(&s->bell);
    s->rung_ms = uv_now(&s->loop);
    send_all(s, PINGO__WIRE_BELL, s->set_serial, NULL);
}

static void on_bell(uv_timer_t *handle)
{
    pingo__clients_ring_now(handle->data);
}

void pingo__clients_ring(struct pingo__supervisor *s)
{
    uint64_t now = uv_now(&s->loop);
    if (s->first == NULL || now - s->rung_ms >= RING_MS)
        pingo__clients_ring_now(s);
    else if (!uv_is_active((uv_handle_t *)&s->bell))
        uv_timer_start(&s->bell, on_bell, RING_MS - (now - s->rung_ms), 0);
}

void pingo__clients_tell_trouble(struct pingo__supervisor *s, const char *text)
{
    struct pingo__client *next;
    if (strcmp(s->trouble, text) == 0)
        return;
    snprintf(s->trouble, sizeof s->trouble, "%s", text);
    for (struct pingo__client *client = s->clients; client != NULL; client = next) {
        next = client->next;
        if (client->greeted)
            pingo__clients_tell_how(client);
    }
}

void pingo__clients_note(struct pingo__supervisor *s, const char *text)
{
    struct pingo__client *next;
    for (struct pingo__client *client = s->clients; client != NULL; client = next) {
        next = client->next;
        if (client->greeted)
            say_trouble(client, PINGO__TROUBLE_NOTE, text);
    }
}

void pingo__clients_tell_started(struct pingo__supervisor *s, struct pingo_job_key key)
{
    uint64_t epoch = (uint64_t)key.epoch;
    send_all(s, PINGO__WIRE_STARTED, (uint64_t)key.action, &epoch);
}
