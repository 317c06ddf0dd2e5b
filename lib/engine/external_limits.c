/* external_limits.c - time limits of external jobs that an earlier process had taken: whoever ticks knows them, whether
 * or not the embedder asks what was adopted. */
#include "engine/scheduler.h"
#include "executor/external/external.h"
#include "manager/attempt/flight.h"
#include "manager/attempt/job.h"

/* Since when it runs, and how long it may.  A damaged row has no limit. */
static int learn(struct pingo_scheduler *s, struct pingo_job_key key, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_action_row a;
    struct pingo__store_attempt_row attempt = {.state = 0};
    int64_t limit_ms = 0;
    int rc = pingo__store_action_get(&s->store->db, key.action, &arena, &a, err);
    if (!rc && a.epoch == key.epoch) /* else it was killed meanwhile */
        rc = pingo__store_attempt_get(&s->store->db, key, &arena, &attempt, err);
    if (!rc && attempt.key.action)
        rc = pingo__manager_time_limit(&a, &arena, &limit_ms, err);
    if (!rc || rc == PINGO_EINVAL)
        pingo__executor_external_limit(s->external, key, limit_ms);
    if (attempt.state >= PINGO__ATTEMPT_STARTED)
        pingo__executor_external_start(s->external, key, attempt.started_ms);
    pingo__arena_clear(&arena);
    return rc == PINGO_EINVAL ? 0 : rc;
}

int pingo__engine_external_learn(struct pingo_scheduler *s, struct pingo_error *err)
{
    const void *at = NULL;
    struct pingo_job_key key;
    int rc = 0;
    while (!rc && pingo__executor_external_adopted(s->external, &at, &key)) {
        const struct pingo__manager_flight *f = pingo__manager_flight_find(&s->actions, key);
        if (!pingo__executor_external_knows(s->external, key) && !(f && f->has_ended))
            rc = learn(s, key, err);
    }
    return rc;
}
