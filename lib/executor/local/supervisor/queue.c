/* queue.c - jobs that wait, and the order in which they start.
 *
 * First in, first out, store-wide: the head of the queue waits until it fits and no job overtakes it, so small jobs
 * never starve a large one; slots may stay empty meanwhile.  A job that wants more slots or memory than there is runs
 * alone.  The queue begins with the shelf (Columbus thesis 5.3): jobs that died of memory and have more now, in their
 * order; all that is freed gathers for the first of them. */
#include "executor/local/supervisor/state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executor/local/place.h"

#define IDLE_MS 5000

void pingo__executor_item_free(struct pingo__executor_item *item)
{
    if (!item)
        return;
    free(item->attempt_dir);
    free(item->body);
    free(item);
}

struct pingo__executor_hand *pingo__executor_queue_holder(struct pingo__executor_supervisor *s,
                                                          struct pingo_job_key key)
{
    for (size_t i = 0; i < s->nhands; i++) {
        struct pingo__executor_hand *hand = s->hands[i];
        if (hand && hand->item && pingo__runner_key_is(hand->item->key, key))
            return hand;
    }
    return NULL;
}

static bool is_here(struct pingo__executor_supervisor *s, struct pingo_job_key key)
{
    /* New keys come at the end; only a confused client repeats one. */
    for (struct pingo__executor_item *item = s->ghosts; item; item = item->next)
        if (pingo__runner_key_is(item->key, key))
            return true;
    return pingo__executor_queue_holder(s, key);
}

static void enqueue(struct pingo__executor_supervisor *s, struct pingo__executor_item *item)
{
    struct pingo__executor_item **at = &s->first;
    while (item->grew && *at && (*at)->grew)
        at = &(*at)->next;
    at = item->grew ? at : s->last;
    item->next = *at;
    *at = item;
    if (s->last == at)
        s->last = &item->next;
}

bool pingo__executor_queue_add(struct pingo__executor_supervisor *s,
                               struct pingo__executor_client *client,
                               const struct pingo__buffer_reader *body, bool grew)
{
    struct pingo__buffer_reader head = *body;
    struct pingo__runner_job job;
    if (!pingo__runner_get_job_head(&head, &job))
        return false;
    if (is_here(s, job.key))
        return true;
    struct pingo__executor_item *item = calloc(1, sizeof *item);
    if (!item)
        return false;
    item->client = client;
    item->key = job.key;
    item->cpus = job.cpus;
    item->memory_bytes = job.memory_bytes;
    item->attempt_dir = strdup(job.attempt_dir);
    item->body = malloc(body->length);
    item->length = body->length;
    if (!item->attempt_dir || !item->body) {
        pingo__executor_item_free(item);
        return false;
    }
    memcpy(item->body, body->data, body->length);
    item->grew = grew;
    enqueue(s, item);
    return true;
}

struct pingo__executor_item *pingo__executor_queue_take(struct pingo__executor_supervisor *s,
                                                        struct pingo_job_key key)
{
    for (struct pingo__executor_item **at = &s->first; *at; at = &(*at)->next) {
        struct pingo__executor_item *item = *at;
        if (!pingo__runner_key_is(item->key, key))
            continue;
        *at = item->next;
        if (s->last == &item->next)
            s->last = at;
        item->next = NULL;
        return item;
    }
    return NULL;
}

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t pingo__executor_queue_granted(const struct pingo__executor_supervisor *s,
                                      const struct pingo__executor_item *item)
{
    return min(item->cpus, s->settings.slots);
}

/* What a job takes of slots and memory: never more than there is, so that it fits when alone. */
struct share {
    int64_t cpus, memory_bytes;
};

static void add_share(const struct pingo__executor_supervisor *s,
                      const struct pingo__executor_item *item, struct share *sum)
{
    bool alone = item->memory_bytes > s->settings.memory_bytes;
    sum->cpus += alone ? s->settings.slots : pingo__executor_queue_granted(s, item);
    sum->memory_bytes += min(item->memory_bytes, s->settings.memory_bytes);
}

bool pingo__executor_queue_fits(const struct pingo__executor_supervisor *s,
                                const struct pingo__executor_item *item)
{
    struct share sum = {0, 0};
    if (s->busy == 0 && !s->ghosts)
        return true;
    add_share(s, item, &sum);
    for (size_t i = 0; i < s->nhands; i++)
        if (s->hands[i] && s->hands[i]->item)
            add_share(s, s->hands[i]->item, &sum);
    for (const struct pingo__executor_item *ghost = s->ghosts; ghost; ghost = ghost->next)
        add_share(s, ghost, &sum);
    return sum.cpus <= s->settings.slots && sum.memory_bytes <= s->settings.memory_bytes;
}

void pingo__executor_queue_bury(const char *attempt_dir)
{
    struct stat st;
    if (lstat(attempt_dir, &st) == 0 && S_ISREG(st.st_mode))
        unlink(attempt_dir);
}

/* ---- nothing to do --------------------------------------------------------------------------- */

void pingo__executor_queue_finish(struct pingo__executor_supervisor *s)
{
    s->ending = true;
    unlinkat(s->dir, PINGO__PLACE_SOCKET, 0);
    uv_stop(&s->loop);
}

static void on_idle(uv_timer_t *handle)
{
    pingo__executor_queue_finish(handle->data);
}

/* Who clears up holds the lock until he is done, and the next supervisor could not begin. */
static bool is_clearing(const struct pingo__executor_supervisor *s)
{
    for (size_t i = 0; i < s->nhands; i++)
        if (s->hands[i] && s->hands[i]->clears)
            return true;
    return false;
}

void pingo__executor_queue_consider_idle(struct pingo__executor_supervisor *s)
{
    bool is_free = s->busy == 0 && !s->ghosts && !is_clearing(s);
    if (s->retires && is_free && !s->ending)
        pingo__executor_queue_finish(s);
    else if (s->clients || s->first || !is_free)
        uv_timer_stop(&s->idle);
    else if (!uv_is_active((uv_handle_t *)&s->idle))
        uv_timer_start(&s->idle, on_idle, IDLE_MS, 0);
}
