/* decide.c - the pool against its budget: what it holds, what would go now, and the
 * Decision Manager's part of a tick. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/full.h"
#include "base/growing.h"
#include "base/times.h"
#include "engine/scheduler.h"
#include "manager/decision/shortfall.h"
#include "store/decision/evictions.h"
#include "store/action/full.h"

#define DAY_MS (INT64_C(24) * 60 * 60 * 1000)
#define ROOM_BYTES (INT64_C(4) << 20) /* with so much left it is not the bytes that lack */

/* ---- the budget ------------------------------------------------------------------------------ */

static int64_t share_of(int64_t bytes, int64_t millionths)
{
    return bytes / PINGO__ENGINE_WHOLE * millionths +
           bytes % PINGO__ENGINE_WHOLE * millionths / PINGO__ENGINE_WHOLE;
}

int pingo__engine_setting_budget(struct pingo_store *store, struct pingo__manager_budget *budget,
                                 struct pingo_error *err)
{
    int64_t bytes = -1, days = -1, high = 0, low = 0, with_copies = 0;
    int rc = pingo__engine_setting_number(store, "pool.budget", &bytes, err);
    *budget = (struct pingo__manager_budget){
        .budget_bytes = -1, .high_bytes = -1, .low_bytes = -1, .leaf_ms = -1, .thousandths = 1000};
    if (!rc)
        rc = pingo__manager_copies_known(&store->context, &budget->copies, err);
    if (!rc)
        rc = pingo__engine_setting_number(store, "pool.countReplicas", &with_copies, err);
    if (!rc && with_copies)
        budget->thousandths = budget->copies;
    if (rc || bytes < 0)
        return rc;
    rc = pingo__engine_setting_number(store, "pool.highWatermark", &high, err);
    if (!rc)
        rc = pingo__engine_setting_number(store, "pool.lowWatermark", &low, err);
    if (!rc)
        rc = pingo__engine_setting_number(store, "pool.leafDays", &days, err);
    if (rc)
        return rc;
    budget->budget_bytes = bytes;
    budget->high_bytes = share_of(bytes, high);
    budget->low_bytes = share_of(bytes, low < high ? low : high);
    if (days >= 0)
        budget->leaf_ms = days * DAY_MS;
    return 0;
}

/* ---- what it holds ------------------------------------------------------------------------ */

static void fill_usage(struct pingo_store *store, const struct pingo__manager_budget *b,
                       const struct pingo__store_usage *usual, struct pingo__store_held *held,
                       struct pingo_pool_usage *usage)
{
    struct pingo__store_usage own = *usual, *u = &own;
    int64_t content_bytes = pingo__store_usage_used(u);
    pingo__store_usage_scale(u, held, b->thousandths);
    *usage = (struct pingo_pool_usage){
        .budget_bytes = b->budget_bytes,
        .high_bytes = b->high_bytes,
        .low_bytes = b->low_bytes,
        .used_bytes = pingo__store_usage_used(u),
        .stored_bytes = u->bytes[PINGO_DATASET_STORED],
        .kept_bytes = held->kept_bytes,
        .claimed_bytes = held->claimed_bytes,
        .candidate_bytes = pingo__store_usage_candidates(u, held),
        .leaf_bytes = u->bytes[PINGO_DATASET_LEAF],
        .leaving_bytes = pingo__store_usage_of(u, pingo__rules_dataset_is_leaving),
        .undeletable_bytes = u->undeletable_bytes,
        .failed_bytes = u->failed_bytes,
        .file_system_bytes = pingo__pool_is_remote(&store->pool) /* nobody waits in a view */
                                 ? -1
                                 : pingo__pool_space(&store->pool).free_bytes,
        .nstored = (size_t)u->ndatasets[PINGO_DATASET_STORED],
        .nleaves = (size_t)u->ndatasets[PINGO_DATASET_LEAF],
        .orphan_bytes = u->orphan_bytes,
        .content_bytes = content_bytes,
        .replicated_bytes = pingo__store_usage_part(content_bytes, b->copies)};
}

int pingo__engine_usage_in_view(struct pingo_store *store, struct pingo_pool_usage *usage,
                                struct pingo__store_usage *u, struct pingo_error *err)
{
    struct pingo__manager_budget budget;
    struct pingo__store_held held;
    int rc = pingo__engine_setting_budget(store, &budget, err);
    if (!rc)
        rc = pingo__store_usage_read(&store->db, u, &held, err);
    if (!rc)
        fill_usage(store, &budget, u, &held, usage);
    return rc;
}

int pingo_store_usage(struct pingo_store *store, struct pingo_pool_usage *usage,
                      struct pingo_error *err)
{
    int rc = pingo__growing_result_check(usage, "pingo_pool_usage", err);
    if (!rc)
        rc = pingo__store_db_begin_read(&store->db, err);
    if (rc)
        return rc;
    struct pingo_pool_usage own;
    struct pingo__store_usage u;
    rc = pingo__engine_usage_in_view(store, &own, &u, err);
    pingo__store_db_rollback(&store->db);
    if (rc)
        return rc;
    if (pingo__pool_is_remote(&store->pool))
        own.file_system_bytes = pingo__pool_space(&store->pool).free_bytes;
    pingo__growing_result_put(usage, &own, sizeof own);
    return 0;
}

/* ---- what would go -------------------------------------------------------------------------- */

static int choose_algorithm(struct pingo_store *store, const char *given,
                            struct pingo__manager_survey *survey, struct pingo_error *err)
{
    char *text = NULL, *broken = NULL;
    if (given)
        return pingo__manager_survey_use(survey, given, err);
    int rc = pingo_store_get(store, "decision.algorithm", &text, err);
    if (!rc)
        rc = pingo__manager_decision_algorithm(&store->context, survey, text, &broken, err);
    free(broken);
    free(text);
    return rc;
}

/* A decision that nobody acts on. */
struct deciding {
    struct pingo_store *store;
    struct pingo_decide_options options;
    struct pingo__manager_survey survey;
    struct pingo__manager_choice choice;
    struct pingo_decide_summary summary;
};

static int tell(const struct deciding *d, const struct pingo__manager_victim *v,
                struct pingo_error *err)
{
    struct pingo_decided decided = {.hash = v->hash,
                                    .name = "",
                                    .score = v->score,
                                    .size_bytes = v->size_bytes,
                                    .compute_ms =
                                        pingo_history_compute(d->survey.load.history, v->dataset),
                                    .remake_ms = v->remake_ms,
                                    .reason = v->reason};
    struct pingo__arena arena = {0};
    const char *maker;
    int rc = pingo__store_action_name(&d->store->db, &v->hash, &arena, &maker, err);
    if (!rc && maker)
        decided.name = maker;
    if (!rc && d->options.decided(d->options.context, &decided))
        rc = pingo__engine_stopped(err);
    pingo__arena_clear(&arena);
    return rc;
}

static int decide(struct deciding *d, struct pingo_error *err)
{
    struct pingo_decide_summary *summary = &d->summary;
    struct pingo__manager_budget budget;
    int64_t free_bytes = d->options.free_bytes;
    int rc = choose_algorithm(d->store, d->options.algorithm, &d->survey, err);
    if (!rc)
        rc = pingo__engine_setting_budget(d->store, &budget, err);
    if (rc)
        return rc;
    int64_t old_ms =
        budget.leaf_ms >= 0 ? pingo__manager_now_ms(&d->store->context) - budget.leaf_ms : -1;
    rc = pingo__manager_survey_read(&d->survey, old_ms, err);
    if (rc)
        return rc;
    free_bytes = free_bytes < 0 ? pingo__manager_budget_excess(&budget, &d->survey.usage)
                                : pingo__manager_budget_length(&budget, free_bytes);
    rc = free_bytes > 0 ? pingo__manager_survey_choose(&d->survey, free_bytes, &d->choice, err) : 0;
    struct pingo_pool_usage usage;
    if (rc)
        return rc;
    fill_usage(d->store, &budget, &d->survey.usage, &d->survey.held_bytes, &usage);
    pingo__growing_result_put(d->options.usage, &usage, sizeof usage);
    summary->free_bytes = d->options.free_bytes < 0
                              ? pingo__store_usage_part(free_bytes, budget.thousandths)
                              : d->options.free_bytes;
    summary->nvictims = d->choice.n;
    summary->freed_bytes =
        pingo__store_usage_part((int64_t)d->choice.result.freed_bytes, budget.thousandths);
    summary->shortfall_bytes =
        pingo__store_usage_part((int64_t)d->choice.result.shortfall_bytes, budget.thousandths);
    summary->remake_ms = d->choice.together_ms;
    snprintf(summary->algorithm, sizeof summary->algorithm, "%s",
             pingo__manager_survey_algorithm(&d->survey));
    return 0;
}

int pingo_store_decide(struct pingo_store *store, const struct pingo_decide_options *options,
                       struct pingo_decide_summary *summary, struct pingo_error *err)
{
    struct deciding d = {.store = store, .summary = {.size = sizeof d.summary}};
    int rc = PINGO__OPTIONS_TAKE(pingo_decide_options, options, &d.options, err);
    if (!options)
        d.options.free_bytes = -1;
    if (!rc && d.options.free_bytes < -1)
        rc = pingo__fail(err, PINGO_EINVAL, "free_bytes is %lld: a size, or -1",
                         (long long)d.options.free_bytes);
    if (!rc)
        rc = pingo__growing_result_check(summary, "pingo_decide_summary", err);
    if (!rc)
        rc = pingo__growing_result_check(d.options.usage, "pingo_pool_usage", err);
    const char *name = d.options.algorithm;
    if (!rc && name && name[strcspn(name, "/:")] == '/')
        rc = pingo__engine_may_load(store, err);
    if (rc)
        return rc;
    pingo__manager_survey_init(&d.survey, &store->context);
    rc = decide(&d, err);
    for (size_t i = 0; !rc && d.options.decided && i < d.choice.n; i++)
        rc = tell(&d, &d.choice.victims[i], err);
    pingo__manager_choice_clear(&d.choice);
    pingo__manager_survey_clear(&d.survey);
    if (!rc)
        pingo__growing_result_put(summary, &d.summary, sizeof d.summary);
    return rc;
}

const char *pingo__engine_evicted_text(struct pingo_store *store, const struct pingo_hash *hash,
                                       int64_t at_ms, struct pingo__arena *arena)
{
    struct pingo__store_eviction_row row;
    char day[PINGO__TIMES_SIZE];
    if (pingo__store_eviction_last(&store->db, &(struct pingo__store_missing){hash, at_ms}, arena,
                                   &row, NULL) ||
        !row.id)
        return NULL;
    return pingo__arena_format(arena, "evicted %.10s by %.60s",
                               pingo__times_print(day, row.told.evicted_ms), row.told.algorithm);
}

/* ---- in a tick ---------------------------------------------------------------------------------- */

/* Settings change seldom, and every tick asks for them. */
static int prefer_executor(struct pingo_scheduler *s, struct pingo_error *err)
{
    char *name = NULL;
    int rc = pingo_store_get(s->store, "executor", &name, err);
    if (!rc)
        rc = pingo__manager_actions_prefer(&s->actions,
                                           pingo__executor_is_default(name) ? NULL : name, err);
    free(name);
    return rc;
}

int pingo__engine_scheduler_read_sandbox(struct pingo_scheduler *s, struct pingo_error *err)
{
    const char **readable;
    int64_t on = 0;
    int rc = pingo__engine_setting_number(s->store, "sandbox", &on, err);
    if (!rc)
        rc = pingo__engine_setting_sandbox_read(s->store, &readable, err);
    if (rc)
        return rc;
    free(s->sandbox_read);
    s->context.sandbox_read = s->sandbox_read = readable;
    s->context.sandbox = on != 0;
    return 0;
}

int pingo__engine_scheduler_read_settings(struct pingo_scheduler *s, struct pingo_error *err)
{
    int64_t version = pingo__store_db_data_version(&s->store->db), /* others' changes */
        serial = s->store->settings_serial + s->context.ncopies;
    char *algorithm = NULL;
    if (s->algorithm && version == s->settings_version && serial == s->settings_serial)
        return 0;
    int64_t failed_days = 0;
    int rc = pingo__engine_setting_budget(s->store, &s->budget, err);
    if (!rc)
        rc = pingo__engine_setting_number(s->store, "executor.maxStarts", &s->context.max_starts,
                                          err);
    if (!rc)
        rc = pingo__engine_setting_number(s->store, "pool.failedDays", &failed_days, err);
    if (!rc)
        rc = pingo__engine_setting_number(s->store, "pool.cache", &s->context.cache_bytes, err);
    if (!rc)
        s->context.failed_ms = failed_days * DAY_MS;
    if (!rc)
        rc = pingo__engine_scheduler_read_sandbox(s, err);
    if (!rc)
        rc = prefer_executor(s, err);
    if (!rc)
        rc = pingo_store_get(s->store, "decision.algorithm", &algorithm, err);
    free(s->algorithm);
    s->algorithm = algorithm;
    s->budget.algorithm = algorithm;
    if (rc)
        return rc;
    s->settings_version = version;
    s->settings_serial = serial;
    return 0;
}

int pingo__engine_decide_tick(struct pingo_scheduler *s, struct pingo_tick_result *r,
                              struct pingo_error *err)
{
    struct pingo__manager_disk *disk = &s->actions.disk;
    if (disk->is_new)
        pingo__manager_disk_look(disk, &s->context);
    struct pingo__manager_decided decided;
    int rc = pingo__manager_decisions_tick(&s->decisions, &s->budget, disk, &decided, err);
    if (rc)
        return rc;
    disk->is_new = false;
    r->evicted = decided.nevicted;
    r->shortfall_bytes = decided.shortfall_bytes;
    r->decision_us = decided.took_us;
    snprintf(r->shortfall_message, sizeof r->shortfall_message, "%s", decided.message);
    return 0;
}

/* Who holds the space, and who wants it. */
static int tell_stuck(struct pingo_scheduler *s, struct pingo_tick_result *r,
                      struct pingo_error *err)
{
    char wants[120] = "";
    int64_t free_bytes = pingo__pool_space(s->context.pool).free_bytes;
    bool is_other = free_bytes - s->actions.disk.held_bytes > ROOM_BYTES;
    struct pingo__store_full_most full;
    struct pingo__store_usage u;
    struct pingo__store_held held;
    int rc = pingo__store_usage_read(&s->store->db, &u, &held, err);
    if (!rc)
        rc = pingo__store_full_most(&s->store->db, &full, err);
    if (rc)
        return rc;
    char wrote[PINGO__UNITS_SIZE];
    if (full.bytes > 0)
        snprintf(wants, sizeof wants, "; action %" PRId64 " of workflow %" PRId64 " had written %s",
                 full.user_id, full.workflow, pingo__units_print_size(wrote, full.bytes));
    char holders[PINGO__HOLDERS_SIZE];
    pingo__manager_shortfall_holders(&u, &held, holders, sizeof holders);
    char free_text[PINGO__UNITS_SIZE];
    snprintf(r->space_message, sizeof r->space_message,
             "%s: the file system is full%s (%s free), and nothing in the pool may go: %s; make"
             " room on it, or let something go: pingo release, rm or kill%s",
             s->store->pool_dir, is_other ? ", or has no inode left, or a quota is reached" : "",
             free_bytes >= 0 ? pingo__units_print_size(free_text, free_bytes) : "unknown", holders,
             wants);
    return 0;
}

/* A disk that is full, nothing running whose end could help, and nothing to delete. */
int pingo__engine_look_at_space(struct pingo_scheduler *s, struct pingo_tick_result *r,
                                struct pingo_error *err)
{
    const struct pingo__manager_disk *disk = &s->actions.disk;
    bool may_be_freed = false;
    if (!disk->is_full || s->actions.nflights)
        return 0;
    if (*disk->elsewhere) {
        r->stuck_for_space = true;
        snprintf(r->space_message, sizeof r->space_message, "%s; %s", disk->elsewhere,
                 PINGO__FULL_ELSEWHERE);
        return 0;
    }
    if (disk->was_freed || r->deleting || pingo__manager_disk_has_more_room(disk, &s->context))
        return 0;
    int rc = pingo__manager_disk_may_be_freed(&s->context, &may_be_freed, err);
    r->stuck_for_space = !rc && !may_be_freed; /* else something will go */
    return r->stuck_for_space ? tell_stuck(s, r, err) : rc;
}
