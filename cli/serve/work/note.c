/* note.c - see note.h.
 *
 * What always holds: each refusal is in the audit, waits for the writer, or is counted in a sum that will be there; and
 * there are at most (SINGLE + 1) * SUMS + 1 rows a minute, whatever is asked. */
#include "serve/work/note.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/world.h"
#include "serve/work/work.h"

#define MINUTE_MS 60000
#define SINGLE 20 /* that are noted as they are */
#define SUMS 64

struct note {
    struct serve_job job;
    char user[256], way[256], result[256];
    char object[256]; /* a path may have 8 KiB, and a million are kept */
    const char *verb;
};

/* Of a user and his way in, since a moment that is at most a minute ago. */
struct sum {
    char user[256], way[256];
    char object[256]; /* of the last one */
    const char *verb; /* likewise; NULL: a free place */
    int64_t since_ms;
    int64_t nnoted, n; /* n: that are not noted */
};
/* Behind the others: all that had no place. */
static struct {
    pthread_mutex_t mutex;
    struct sum all[SUMS + 1];
} sums = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void write_note(struct serve_worker *worker, struct serve_job *job)
{
    struct note *n = (struct note *)job;
    struct pingo_audit audit = {
        .user = n->user, .way = n->way, .verb = n->verb, .object = n->object, .result = n->result};
    if (pingo_store_audit(worker->store, &audit, &worker->err) != 0)
        serve_log("a refusal is not in the audit: %s", worker->err.message);
}

/* The last of a sum.  false: not now. */
static bool give(struct serve *serve, const struct sum *sum, const char *result)
{
    struct note *n = serve->work ? malloc(sizeof *n) : NULL;
    if (!n)
        return false;
    n->job = (struct serve_job){.run = write_note, .is_own = true};
    n->verb = sum->verb;
    memcpy(n->user, sum->user, sizeof n->user);
    memcpy(n->way, sum->way, sizeof n->way);
    memcpy(n->object, sum->object, sizeof n->object);
    snprintf(n->result, sizeof n->result, "refused: %.240s", result);
    bool is_given = serve_work_give(serve->work, SERVE_BY_WRITER, &n->job);
    if (!is_given)
        free(n);
    return is_given;
}

/* Tells what was counted, and makes room.  Where the writer is too busy, it is counted on. */
static void end_sum(struct serve *serve, struct sum *sum)
{
    char result[80];
    snprintf(result, sizeof result, "%" PRId64 " more within a minute, of which this is the last",
             sum->n);
    if (sum->n == 0 || give(serve, sum, result))
        memset(sum, 0, sizeof *sum);
}

/* Where his are counted. */
static struct sum *find(const char *user, const char *way)
{
    struct sum *room = NULL;
    for (struct sum *s = sums.all; s < sums.all + SUMS; s++) {
        if (s->verb && strcmp(s->user, user) == 0 && strcmp(s->way, way) == 0)
            return s;
        room = room || s->verb ? room : s;
    }
    bool is_others = !room;
    room = room ? room : sums.all + SUMS;
    if (!room->verb) {
        snprintf(room->user, sizeof room->user, "%s", is_others ? "(others)" : user);
        snprintf(room->way, sizeof room->way, "%s", is_others ? "" : way);
        room->since_ms = pingo__world_monotonic_ms();
        room->nnoted = is_others ? SINGLE : 0;
    }
    return room;
}

void serve_note_refusal(struct serve_worker *worker, const struct serve_request *r, const char *why)
{
    if (strcmp(r->method, "GET") == 0)
        return;
    pthread_mutex_lock(&sums.mutex);
    struct sum *sum = find(r->who.user ? r->who.user : "", r->who.way ? r->who.way : "");
    sum->verb = r->route->operation;
    snprintf(sum->object, sizeof sum->object, "%s", r->path);
    if (sum->nnoted < SINGLE && give(worker->serve, sum, why))
        sum->nnoted++;
    else
        sum->n++;
    pthread_mutex_unlock(&sums.mutex);
}

void serve_note_sums(struct serve *serve, bool all)
{
    int64_t now_ms = pingo__world_monotonic_ms();
    pthread_mutex_lock(&sums.mutex);
    for (struct sum *s = sums.all; s <= sums.all + SUMS; s++)
        if (s->verb && (all || now_ms - s->since_ms >= MINUTE_MS))
            end_sum(serve, s);
    pthread_mutex_unlock(&sums.mutex);
}
