/* decision_manager.c - see decision_manager.h.  What it looks at is in survey.c. */
#include "manager/decision/decision_manager.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "manager/decision/shortfall.h"
#include "store/check.h"
#include "store/dataset/objects.h"
#include "store/decision/evictions.h"
#include "store/transition.h"
#include "store/dataset/wishes.h"

#define AT_ONCE 1000 /* victims in one transaction, so that nobody waits long for the lock */
#define DISK_SHARE 5 /* percent of what the pool uses: the first step when the disk is full */
#define LOOK_ANYWAY_MS 60000 /* time passes, and leaves become old */
#define CLAIMS_CHEAP 2000    /* a look reads the claims: up to so many at each change ... */
#define CLAIMS_A_ROW 50 /* ... of more, so many for each row that has changed since the last look */
#define FOREIGN_ROWS                                                                               \
    10 /* what another process is taken to have changed, where it has changed something */
#define SAY_AGAIN_MS 600000 /* a shortfall that comes and goes is not told each time */

void pingo__manager_decisions_init(struct pingo__manager_decisions *m,
                                   struct pingo__manager_context *c)
{
    *m = (struct pingo__manager_decisions){.c = c};
    pingo__manager_survey_init(&m->survey, c);
}

void pingo__manager_decisions_clear(struct pingo__manager_decisions *m)
{
    pingo__manager_survey_clear(&m->survey);
    free(m->broken);
    pingo__manager_decisions_init(m, m->c);
}

/* ---- how much ---------------------------------------------------------------------------------- */

int64_t pingo__manager_budget_excess(const struct pingo__manager_budget *b,
                                     const struct pingo__store_usage *usage)
{
    int64_t used = pingo__store_usage_part(pingo__store_usage_used(usage), b->thousandths);
    return b->budget_bytes >= 0 && used > b->high_bytes
               ? pingo__manager_budget_length(b, used - b->low_bytes)
               : 0;
}

int64_t pingo__manager_budget_length(const struct pingo__manager_budget *b, int64_t bytes)
{
    int64_t n = b->thousandths ? b->thousandths : 1000;
    return bytes / n * 1000 + (bytes % n * 1000 + n - 1) / n;
}

/* What a decision is made for. */
struct purpose {
    const struct pingo__manager_budget *budget;
    int64_t disk_bytes; /* to be freed on a full disk, what is on its way out included */
};

static int count_needed(struct pingo__manager_decisions *m, const struct purpose *p,
                        const struct pingo__store_usage *usage, int64_t *bytes,
                        struct pingo_error *err)
{
    int64_t leaving = 0;
    int rc = p->disk_bytes ? pingo__store_candidate_leaving(m->c->db, &leaving, err) : 0;
    *bytes = pingo__manager_budget_excess(p->budget, usage);
    if (*bytes < p->disk_bytes - leaving)
        *bytes = p->disk_bytes - leaving;
    return rc;
}

/* What the next try lacks.  A full disk once more, though room was made: twice as much is made now. */
static int64_t disk_bytes(struct pingo__manager_decisions *m,
                          const struct pingo__manager_disk *disk, const struct pingo__store_usage *u)
{
    int64_t used = pingo__store_usage_used(u), now = pingo__manager_now_ms(m->c);
    if (disk->started_ms <= m->decided_ms && m->decided_ms <= now)
        return disk->lacking_bytes; /* it knew nothing of the room that was made */
    m->decided_ms = now;
    m->disk_share = m->disk_share ? m->disk_share * 2 : DISK_SHARE;
    m->disk_share = m->disk_share < 100 ? m->disk_share : 100;
    int64_t share = used / 100 * m->disk_share + used % 100 * m->disk_share / 100 + 1;
    return share > disk->lacking_bytes ? share : disk->lacking_bytes;
}

/* ---- leaves that nobody used for long ------------------------------------------------------------ */

struct leaves {
    struct pingo__arena arena;
    struct pingo__store_dataset_row *list;
    size_t n, capacity;
};

static int on_old_leaf(void *context, const void *row, struct pingo_error *err)
{
    struct leaves *l = context;
    const struct pingo__store_candidate *leaf = row;
    if (!PINGO__ARENA_ROOM(&l->arena, l->list, l->n, l->capacity))
        return pingo__fail_memory(err);
    l->list[l->n++] = (struct pingo__store_dataset_row){.id = leaf->dataset,
                                                        .hash = leaf->hash,
                                                        .generation = leaf->generation,
                                                        .state = PINGO_DATASET_LEAF};
    return 0;
}

/* As if their user had released them. */
static int release_old_leaves(struct pingo__manager_decisions *m,
                              const struct pingo__manager_budget *budget, struct pingo_error *err)
{
    struct leaves l = {.list = NULL};
    int64_t before = pingo__manager_now_ms(m->c) - budget->leaf_ms;
    if (budget->leaf_ms < 0)
        return 0;
    int rc = pingo__store_candidate_each_old_leaf(m->c->db, before, on_old_leaf, &l, err);
    if (!rc && l.n && (rc = pingo__store_db_begin(m->c->db, err)) == 0) {
        l.n = 0; /* who waited for the lock has to look again: one may be asked for since */
        rc = pingo__store_candidate_each_old_leaf(m->c->db, before, on_old_leaf, &l, err);
        for (size_t i = 0; !rc && i < l.n; i++) {
            rc = pingo__store_dataset_move(m->c->db, &l.list[i], PINGO_DATASET_STORED, err);
            if (!rc)
                rc = pingo__store_wish_release_hash(m->c->db, &l.list[i].hash, err);
        }
        rc = pingo__store_db_end(m->c->db, rc, err);
    }
    if (!rc && l.n)
        pingo__manager_log(m->c, PINGO_LOG_INFO,
                           "%zu leaves were not used for %" PRId64
                           " days (pool.leafDays) and are released",
                           l.n, budget->leaf_ms / (INT64_C(24) * 60 * 60 * 1000));
    pingo__arena_clear(&l.arena);
    return rc;
}

/* ---- carrying out ---------------------------------------------------------------------------------- */

/* A generation goes, if nobody claims it. */
static int let_go(struct pingo__manager_decisions *m, const struct pingo__store_dataset_row *row,
                  struct pingo__store_eviction_row *entry, bool *went, struct pingo_error *err)
{
    struct pingo__store_dataset_change change = {
        .row = row, .to = PINGO_DATASET_STORED_TO_DELETE, .unclaimed = true};
    int rc = pingo__store_dataset_change(m->c->db, &change, went, err);
    entry->dataset = row->id;
    entry->told.hash = row->hash;
    return rc || !*went ? rc : pingo__store_eviction_insert(m->c->db, entry, err);
}

/* Those that have its bytes, too, go with it: else nothing would be freed. */
static int let_sharers_go(struct pingo__manager_decisions *m,
                          const struct pingo__store_dataset_row *row,
                          struct pingo__store_eviction_row *entry, struct pingo__arena *arena,
                          struct pingo_error *err)
{
    struct pingo__store_dataset_list sharers = {.arena = arena};
    int rc = pingo__store_dataset_list_sharers(m->c->db, row, &sharers, err);
    entry->told.size_bytes = 0;
    for (size_t i = 0; !rc && i < sharers.n; i++) {
        bool went;
        if (sharers.rows[i].state == PINGO_DATASET_STORED)
            rc = let_go(m, &sharers.rows[i], entry, &went, err);
    }
    return rc;
}

/* *went: it goes; else it is needed again, or gone. */
static int take(struct pingo__manager_decisions *m, const struct pingo__manager_victim *v,
                bool *went, struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__store_dataset_row row;
    struct pingo__store_eviction_row entry = {
        .workflow = m->survey.load.last,
        .told = {.evicted_ms = m->carried_ms,
                 .algorithm = pingo__manager_survey_algorithm(&m->survey),
                 .score = v->score,
                 .remake_ms = v->remake_ms,
                 .reason = v->reason}};
    bool kept = false;
    int rc = pingo__store_dataset_current(m->c->db, &v->hash, arena, &row, err);
    *went = false;
    if (rc || row.state != PINGO_DATASET_STORED || !row.managed || row.pinned)
        return rc;
    rc = row.shared ? pingo__store_candidate_is_kept(m->c->db, row.id, &kept, err) : 0;
    if (rc || kept)
        return rc;
    entry.told.size_bytes = row.size_bytes > 0 ? row.size_bytes : 0;
    rc = let_go(m, &row, &entry, went, err);
    return rc || !*went || !row.shared ? rc : let_sharers_go(m, &row, &entry, arena, err);
}

/* How carrying out has gone so far. */
struct progress {
    size_t at, taken, refused; /* victims */
    bool *took;                /* one flag a victim */
    int64_t left_bytes;        /* still needed */
    bool exhausted;            /* all that might go was chosen */
};

/* Some victims, in one transaction. */
static int take_some(struct pingo__manager_decisions *m, const struct purpose *p,
                     struct pingo__manager_choice *choice, struct progress *done,
                     struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    size_t end = choice->n - done->at < AT_ONCE ? choice->n : done->at + AT_ONCE;
    m->carried_ms = pingo__manager_now_ms(m->c);
    int rc = pingo__store_db_begin(m->c->db, err);
    struct pingo__store_usage usage;
    if (!rc)
        rc = pingo__store_usage_read(m->c->db, &usage, NULL, err);
    if (!rc)
        rc = count_needed(m, p, &usage, &done->left_bytes, err);
    for (; !rc && done->at < end && done->left_bytes > 0; done->at++) {
        const struct pingo__manager_victim *v = &choice->victims[done->at];
        bool *went = &done->took[done->at];
        rc = take(m, v, went, &arena, err);
        done->taken += *went;
        done->refused += !*went;
        done->left_bytes -= *went ? v->size_bytes : 0;
        pingo__arena_reset(&arena);
    }
    pingo__arena_clear(&arena);
    return pingo__store_db_end(m->c->db, rc, err);
}

static int carry_out(struct pingo__manager_decisions *m, const struct purpose *p,
                     struct pingo__manager_choice *choice, struct progress *done,
                     struct pingo_error *err)
{
    done->took = pingo__arena_array(&choice->arena, choice->n + 1, sizeof *done->took);
    int rc = done->took ? 0 : pingo__fail_memory(err);
    do {
        size_t from = done->at;
        if (!rc)
            rc = take_some(m, p, choice, done, err);
        for (size_t i = from; !rc && i < done->at; i++)
            if (done->took[i]) /* only now: what was not committed is still there */
                rc = pingo__manager_survey_evicted(&m->survey, choice->victims[i].dataset, err);
    } while (!rc && done->left_bytes > 0 && done->at < choice->n);
    return rc;
}

/* ---- deciding ---------------------------------------------------------------------------------------- */

/* why: on entry why it cannot be used; on return the error. */
static int break_algorithm(struct pingo__manager_context *c, struct pingo__manager_survey *survey,
                           const char *text, char **broken, struct pingo_error *why)
{
    char *copy = strdup(text);
    if (!copy)
        return pingo__fail_memory(why);
    free(*broken);
    *broken = copy;
    pingo__manager_log(c, PINGO_LOG_WARNING,
                       "decision.algorithm is %s, which cannot be used: %s; " PINGO_DECISION_DEFAULT
                       " decides instead",
                       text, why->message);
    return pingo__manager_survey_use(survey, PINGO_DECISION_DEFAULT, why);
}

int pingo__manager_decision_algorithm(struct pingo__manager_context *c,
                                      struct pingo__manager_survey *survey, const char *text,
                                      char **broken, struct pingo_error *err)
{
    struct pingo_error why = {0};
    if (*broken && strcmp(*broken, text) == 0)
        return pingo__manager_survey_use(survey, PINGO_DECISION_DEFAULT, err);
    int rc = pingo__manager_survey_use(survey, text, &why);
    if (rc && rc != PINGO_ENOMEM)
        rc = break_algorithm(c, survey, text, broken, &why);
    return rc ? pingo__fail(err, rc, "%s", why.message) : 0;
}

/* One decision, from the survey to the ledger. */
static int decide_once(struct pingo__manager_decisions *m, const struct purpose *p,
                       struct progress *done, struct pingo_error *err)
{
    struct pingo__manager_choice choice = {.n = 0};
    int64_t need;
    int rc = pingo__manager_survey_read(&m->survey, -1, err);
    if (!rc)
        rc = count_needed(m, p, &m->survey.usage, &need, err);
    if (rc)
        return rc;
    *done = (struct progress){.taken = done->taken};
    if (need <= 0)
        return 0;
    rc = pingo__manager_survey_choose(&m->survey, need, &choice, err);
    done->exhausted = choice.result.shortfall_bytes > 0;
    if (!rc)
        rc = carry_out(m, p, &choice, done, err);
    pingo__manager_choice_clear(&choice);
    return rc;
}

static int decide(struct pingo__manager_decisions *m, const struct purpose *p,
                  struct progress *done, struct pingo_error *err)
{
    struct pingo_error why = {0};
    int rc =
        pingo__manager_decision_algorithm(m->c, &m->survey, p->budget->algorithm, &m->broken, err);
    if (!rc)
        rc = decide_once(m, p, done, &why);
    if (rc && m->survey.at_fault && (!m->broken || strcmp(m->broken, p->budget->algorithm) != 0)) {
        rc = break_algorithm(m->c, &m->survey, p->budget->algorithm, &m->broken, &why);
        if (!rc)
            rc = decide_once(m, p, done, &why);
    }
    if (rc && why.code)
        return pingo__fail(err, rc, "%s", why.message);
    return rc;
}

/* ---- a tick --------------------------------------------------------------------------------------------- */

/* Is all as it was when the last decision ended short, or nearly?  Then the next one would, too. */
static bool nothing_changed(struct pingo__manager_decisions *m)
{
    int64_t age = pingo__manager_now_ms(m->c) - m->looked_ms;
    if (!m->is_short || age < 0 || age >= LOOK_ANYWAY_MS)
        return false;
    int64_t version = pingo__store_db_data_version(m->c->db);
    if (version != m->version)
        m->changes -= FOREIGN_ROWS;
    m->version = version;
    int64_t changed = pingo__store_db_changes(m->c->db) - m->changes;
    return changed == 0 || changed < m->patience;
}

static void warn(struct pingo__manager_decisions *m, int64_t over, bool begins)
{
    int64_t now = pingo__manager_now_ms(m->c);
    if (m->said_bytes && over / 2 < m->said_bytes && !(begins && now - m->said_ms >= SAY_AGAIN_MS))
        return;
    m->said_bytes = over;
    m->said_ms = now;
    pingo__manager_log(m->c, PINGO_LOG_WARNING, "%s", m->message);
}

/* What holds the space that could not be freed. */
static int tell_shortfall(struct pingo__manager_decisions *m, const struct pingo__manager_budget *b,
                          const struct progress *done, struct pingo_error *err)
{
    const int64_t marks[] = {b->budget_bytes, b->high_bytes, b->low_bytes};
    bool was_short = m->is_short;
    struct pingo__store_usage usage;
    struct pingo__store_held held;
    int rc = pingo__store_usage_read(m->c->db, &usage, &held, err);
    if (rc)
        return rc;
    pingo__store_usage_scale(&usage, &held, b->thousandths);
    int64_t used = pingo__store_usage_used(&usage);
    m->shortfall_bytes = used > b->low_bytes ? used - b->low_bytes : 0;
    m->message[0] = '\0';
    m->is_short = false;
    if (!m->shortfall_bytes)
        return 0;
    pingo__manager_shortfall_text(&usage, &held, marks, m->message, sizeof m->message);
    m->is_short = used > b->high_bytes && done->exhausted && !done->refused;
    if (m->is_short)
        warn(m, used - b->high_bytes, !was_short);
    return 0;
}

/* done->exhausted: nothing may go, so that nothing need be known of the history. */
static int begin_look(struct pingo__manager_decisions *m, const struct purpose *p,
                      struct progress *done, struct pingo_error *err)
{
    struct pingo__store_usage usage;
    struct pingo__store_held held;
    int rc = release_old_leaves(m, p->budget, err);
    if (!rc)
        rc = pingo__store_usage_read(m->c->db, &usage, &held, err);
    if (!rc)
        rc = count_needed(m, p, &usage, &done->left_bytes, err);
    done->exhausted = !rc && pingo__store_usage_candidates(&usage, &held) <= 0;
    return rc;
}

static int look(struct pingo__manager_decisions *m, const struct purpose *p, bool for_budget,
                struct pingo__manager_decided *decided, struct pingo_error *err)
{
    struct progress done = {.at = 0};
    int64_t nclaims = 0;
    m->version =
        pingo__store_db_data_version(m->c->db); /* what others do from now on is looked at later */
    const struct pingo__world *world = m->c->db->world;
    int64_t from_ns = world->monotonic_ns(world->context);
    int rc = begin_look(m, p, &done, err);
    if (!rc && !done.exhausted)
        rc = decide(m, p, &done, err);
    decided->took_us = (world->monotonic_ns(world->context) - from_ns) / 1000;
    decided->nevicted = done.taken;
    if (done.taken)
        pingo__manager_log(m->c, PINGO_LOG_INFO, "%zu datasets are let go, chosen by %s",
                           done.taken, pingo__manager_survey_algorithm(&m->survey));
    if (!rc && for_budget && done.left_bytes > 0)
        rc = tell_shortfall(m, p->budget, &done, err);
    else
        m->is_short = false;
    if (!rc && m->is_short)
        rc = pingo__store_candidate_count_claims(m->c->db, &nclaims, err);
    m->patience = nclaims > CLAIMS_CHEAP ? (nclaims - CLAIMS_CHEAP) / CLAIMS_A_ROW : 0;
    m->changes = pingo__store_db_changes(m->c->db);
    m->looked_ms = pingo__manager_now_ms(m->c);
    return rc;
}

/* Files with holes may be longer than their disk, but a damaged number would let all go: so once it is asked of the
 * pool how long what is so long is, and all is counted anew. */
static int doubt(struct pingo__manager_decisions *m, struct pingo__store_usage *usage,
                 struct pingo_error *err)
{
    struct pingo__pool_space space = pingo__pool_space(m->c->pool);
    struct pingo__arena arena = {0};
    struct pingo__store_dataset_list longer = {.arena = &arena};
    const struct pingo__pool *pool = m->c->patient;
    if (m->counted || space.free_bytes < 0 || space.taken_bytes < 0 ||
        pingo__store_usage_used(usage) <= space.free_bytes + space.taken_bytes)
        return 0;
    m->counted = true;
    int rc = pingo__store_dataset_list_longer(m->c->db, space.free_bytes + space.taken_bytes,
                                              &longer, err);
    for (size_t i = 0; !rc && i < longer.n; i++) {
        struct pingo__pool_extent extent = {.bytes = 0};
        if (longer.rows[i].path &&
            pool->backend->measure(pool->handle, longer.rows[i].path, SIZE_MAX, &extent, NULL) == 0)
            longer.rows[i].size_bytes = extent.bytes;
    }
    if (!rc)
        rc = pingo__store_db_begin(m->c->db, err);
    for (size_t i = 0; !rc && i < longer.n; i++)
        rc = pingo__store_object_set_size(m->c->db, longer.rows[i].object,
                                          longer.rows[i].size_bytes, err);
    if (!rc)
        rc = pingo__store_check_usage(m->c->db, err);
    rc = pingo__store_db_end(m->c->db, rc, err);
    pingo__arena_clear(&arena);
    return rc ? rc : pingo__store_usage_read(m->c->db, usage, NULL, err);
}

int pingo__manager_decisions_tick(struct pingo__manager_decisions *m,
                                  const struct pingo__manager_budget *b,
                                  const struct pingo__manager_disk *disk,
                                  struct pingo__manager_decided *decided, struct pingo_error *err)
{
    struct purpose p = {.budget = b};
    bool full = disk->is_new;
    int rc = 0;
    *decided = (struct pingo__manager_decided){.message = "", .took_us = -1};
    if (!disk->is_full)
        m->disk_share = 0;
    if (b->budget_bytes < 0 && !full) {
        m->is_short = false;
        return 0;
    }
    if (full || !nothing_changed(m)) {
        m->shortfall_bytes = 0;
        struct pingo__store_usage usage;
        rc = pingo__store_usage_read(m->c->db, &usage, NULL, err);
        if (!rc && (full || pingo__manager_budget_excess(b, &usage) > 0))
            rc = doubt(m, &usage, err);
        if (rc)
            return rc;
        bool over = pingo__manager_budget_excess(b, &usage) > 0;
        if (full)
            p.disk_bytes = disk_bytes(m, disk, &usage);
        if (over || p.disk_bytes > 0)
            rc = look(m, &p, over, decided, err);
        else
            m->is_short = false;
    }
    decided->shortfall_bytes = m->shortfall_bytes;
    decided->message = m->shortfall_bytes ? m->message : "";
    return rc;
}
