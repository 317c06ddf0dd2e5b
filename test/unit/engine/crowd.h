/* crowd.h - what a crowd of users has to do with: some actions, of which any submits some, jobs that end when the test says
 * so and must have found what they read, and a clock. All is drawn from a seed, so that a course can be had again. */
#ifndef TEST_ENGINE_CROWD_H
#define TEST_ENGINE_CROWD_H

#include "unit/engine/garble.h"

enum { MOST = 14, PLACES = 3, ORIGINALS = 3 };

/* An outputPath is in the hash, and the scratch directory is called otherwise each time. */
#define HERE "/proc/self/cwd"

/* What an action is in all workflows of a course. */
struct one {
    unsigned parents[3], nparents;
    unsigned same;     /* equal where hashes are */
    unsigned place;    /* of its outputPath; 0: its dataset is in the pool */
    unsigned original; /* that it reads; 0: none */
    unsigned retries;
};

struct crowd_scheduler {
    struct pingo_store *store;
    struct pingo_scheduler *s;
};

struct crowd {
    uint64_t seed, rng;
    bool is_wild;             /* there are upheavals: crowd_upheaval.h */
    struct one all[MOST + 1]; /* from 1 */
    unsigned n;
    bool taken[MOST + 1]; /* into the workflow that is written */
    struct box *b;
    struct crowd_scheduler others[2];
    int64_t nworkflows;
    bool may_harm, is_harmed; /* somebody takes bytes away, or has */
    bool has_died;            /* somebody was killed, */
    bool is_dying;            /* or is just now: what he is told means nothing */
    bool has_ended;
    char finding[512];
    struct agree_log course; /* what was done; nothing in it differs the next time */
};

static inline unsigned below(struct crowd *c, unsigned n)
{
    return (unsigned)draw(&c->rng, n);
}

/* From 1 to n; 1 where there is none. */
static inline unsigned any(struct crowd *c, unsigned n)
{
    return 1 + below(c, n > 0 ? n : 1);
}

#define note(c, ...) agree_say(&(c)->course, __VA_ARGS__)

/* Whoever asks may be told no, but never that something is broken. */
static inline void answered(struct crowd *c, const char *what, int rc, const struct pingo_error *err)
{
    static const int broken[] = {PINGO_EINVAL,     PINGO_EIO,   PINGO_ESTORE, PINGO_ECORRUPT,
                                 PINGO_ECOLLISION, PINGO_EBUSY, PINGO_ENOMEM, PINGO_ENOSPACE};

    note(c, "%s: %s\n", what, rc ? pingo_error_name(rc) : "well");
    if (c->is_dying)
        return;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        if (rc == broken[i])
            fail_msg("%s: %s: %s", what, pingo_error_name(rc), err->message);
}

/* ---- time, which is drawn as well ----------------------------------------------------------------- */

static int64_t crowd_clock_ms, crowd_jumped_ms;

static inline int64_t crowd_monotonic_ns(void *context)
{
    UNUSED(context);
    return crowd_clock_ms * 1000000;
}

static inline int64_t crowd_now_ns(void *context)
{
    return crowd_monotonic_ns(context) + crowd_jumped_ms * 1000000;
}

static inline void set_clock(struct pingo_store *store)
{
    static struct pingo__world world;

    if (!world.now_ns) { /* else threads of another scheduler may look at it */
        world = *pingo__world_real();
        world.now_ns = crowd_now_ns;
        world.monotonic_ns = crowd_monotonic_ns;
    }
    store->context.world = store->db.world = &world;
}

/* ---- files -------------------------------------------------------------------------------------- */

static inline void put(const char *name, const char *text)
{
    FILE *file;

    unlink(name);
    file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Some actions with other hashes make the same. */
static inline const char *content_of(const struct crowd *c, unsigned id)
{
    static const char *const contents[] = {"c0", "c1", "c2", "c3", "c4"};

    return contents[c->all[id].same % 5];
}

/* At most 15 bytes.  Is it there? */
static inline bool get(const char *path, char content[16])
{
    FILE *file = fopen(path, "r");

    memset(content, 0, 16);
    if (!file)
        return false;
    content[fread(content, 1, 15, file)] = '\0';
    fclose(file);
    return true;
}

/* ---- workflows ---------------------------------------------------------------------------------- */

static inline void draw_action(struct crowd *c, unsigned id, unsigned outside)
{
    struct one *a = &c->all[id];
    unsigned tries = below(c, 4);

    a->same = id;
    for (unsigned k = 0; k < tries && id > 1; k++) {
        unsigned parent = any(c, id - 1);
        bool is_new = a->nparents < 3;

        for (unsigned i = 0; i < a->nparents; i++)
            is_new = is_new && a->parents[i] != parent;
        if (is_new)
            a->parents[a->nparents++] = parent;
    }
    if (below(c, 100) < outside)
        a->place = any(c, PLACES);
    if (one_in(&c->rng, 4))
        a->retries = below(c, 3);
    if (a->nparents == 0 || one_in(&c->rng, 6))
        a->original = any(c, ORIGINALS);
}

static inline void draw_actions(struct crowd *c)
{
    static const unsigned outside[] = {0, 5, 18, 18, 45}; /* of a hundred have an outputPath */
    unsigned percent = outside[below(c, 5)];

    c->n = 3 + below(c, MOST - 2);
    for (unsigned id = 1; id <= c->n; id++)
        if (id > 1 && one_in(&c->rng, 8))
            c->all[id] = c->all[any(c, id - 1)];
        else
            draw_action(c, id, percent);
}

/* Some actions, and what they need. */
static inline void take_actions(struct crowd *c)
{
    memset(c->taken, 0, sizeof c->taken);
    for (unsigned n = any(c, 3); n > 0; n--)
        c->taken[any(c, c->n)] = true;
    for (unsigned id = c->n; id > 0; id--)
        for (unsigned k = 0; c->taken[id] && k < c->all[id].nparents; k++)
            c->taken[c->all[id].parents[k]] = true;
}

static inline unsigned any_taken(struct crowd *c)
{
    unsigned id = any(c, c->n);

    while (!c->taken[id])
        id = any(c, c->n);
    return id;
}

static inline bool is_read(const struct crowd *c, unsigned id)
{
    for (unsigned i = id + 1; i <= c->n; i++)
        for (unsigned k = 0; c->taken[i] && k < c->all[i].nparents; k++)
            if (c->all[i].parents[k] == id)
                return true;
    return false;
}

/* What each who submits it may say otherwise. */
static inline void write_wishes(struct crowd *c, struct agree_log *text, unsigned id)
{
    unsigned need = below(c, 100), keep = below(c, 100), n = any(c, 4), memory = any(c, 100);

    if (below(c, 100) < 8)
        agree_say(text, ",'forceComputation':true");
    if (need < 10)
        agree_say(text, ",'resources':{'cpus':%u,'memoryMB':%u}", n, memory);
    else if (need < 15)
        agree_say(text, ",'resources':{'memoryMB':[%u,200],'licences':{'mat':%u}}", memory,
                  1 + n % 2);
    if (c->all[id].place == 0 && keep < 20 && is_read(c, id))
        agree_say(text, ",'keep':false");
    else if (c->all[id].place == 0 && keep > 94)
        agree_say(text, ",'keep':true");
}

static inline void write_action(struct crowd *c, struct agree_log *text, unsigned id,
                                bool is_place_free)
{
    const struct one *a = &c->all[id];

    agree_say(text, "{'id':%u,'name':'a%u','type':'command-line','command':['x%u']", id, id,
              a->same);
    if (a->place > 0 && is_place_free)
        agree_say(text, ",'isManaged':false,'outputPath':'u%u'", a->place);
    else if (a->place > 0)
        agree_say(text, ",'isManaged':false,'outputPath':'own%u'", id);
    for (unsigned k = 0; k < a->nparents; k++)
        agree_say(text, "%s{'id':%u,'as':'p%u'}%s", k == 0 ? ",'parentActions':[" : ",",
                  a->parents[k], k, k + 1 == a->nparents ? "]" : "");
    if (a->original > 0)
        agree_say(text, ",'inputs':[{'name':'o','path':'o%u'}]", a->original);
    if (a->retries > 0)
        agree_say(text, ",'retries':%u", a->retries);
    write_wishes(c, text, id);
    agree_say(text, "}");
}

/* Two of one workflow may not have the same outputPath. */
static inline char *write_workflow(struct crowd *c)
{
    struct agree_log text = {NULL, 0, 0};
    bool is_full[PLACES + 1] = {false};
    const char *comma = "";

    take_actions(c);
    agree_say(&text, "{'name':'w%u','actions':[", below(c, 3));
    for (unsigned id = 1; id <= c->n; id++)
        if (c->taken[id]) {
            agree_say(&text, "%s", comma);
            write_action(c, &text, id, !is_full[c->all[id].place]);
            is_full[c->all[id].place] = true;
            comma = ",";
        }
    agree_say(&text, "]}");
    return text.text;
}

/* ---- jobs --------------------------------------------------------------------------------------- */

/* Of either executor. */
static struct fake crowd_other_fake;

static inline struct job *any_job(struct crowd *c)
{
    struct fake *const fakes[] = {&c->b->fake, &crowd_other_fake};
    struct job *found = NULL;
    unsigned n = 0;

    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < fakes[k]->n; i++) {
            struct job *j = &fakes[k]->jobs[i];

            if (!j->ended && !j->revoked && one_in(&c->rng, ++n))
                found = j;
        }
    return found;
}

/* It reads what its parents made, unless somebody took that away.  One that nobody waits for any more may find anything. */
static inline void check_inputs(struct crowd *c, const struct job *j)
{
    const struct one *a = &c->all[atoi(j->name + 1)];
    char content[16];
    int64_t wanted = 0;

    assert_int_equal(
        pingo__db_number(&c->b->store->db, NULL, &wanted,
                         "SELECT count(*) FROM action a JOIN attempt t ON t.action = a.id AND"
                         " t.epoch = a.epoch WHERE a.id = ? AND a.epoch = ?"
                         " AND a.state IN (4, 5) AND t.unwanted = 0",
                         INT(j->key.action), INT(j->key.epoch)),
        0);
    if (c->is_harmed || wanted != 1)
        return;
    if (j->nlinks != a->nparents + (a->original > 0))
        fail_msg("%s has %zu links", j->name, j->nlinks);
    for (size_t i = 0; i < j->nlinks; i++) {
        bool is_right = false;

        if (strncmp(j->links[i], HERE "/o", strlen(HERE "/o")) == 0 &&
            strlen(j->links[i]) == strlen(HERE "/oN"))
            continue;
        if (!get(j->links[i], content))
            fail_msg("%s does not find %s", j->name, j->links[i]);
        for (unsigned k = 0; k < a->nparents; k++)
            is_right = is_right || strcmp(content, content_of(c, a->parents[k])) == 0;
        if (!is_right)
            fail_msg("%s reads '%s' in %s", j->name, content, j->links[i]);
    }
}

static inline void end_job(struct crowd *c, struct job *j, enum pingo_end_reason reason, int code)
{
    note(c, "%s (%" PRId64 ".%" PRId64 ")%s ends: %d, %d\n", j->name, j->key.action, j->key.epoch,
         j->killed ? ", killed," : "", (int)reason, code);
    if (reason == PINGO_END_EXITED && code == 0)
        check_inputs(c, j);
    box_end(c->b, j, reason, code, content_of(c, (unsigned)atoi(j->name + 1)));
    j->end.wall_ms = 10 + below(c, 500);
}

static inline void end_any(struct crowd *c)
{
    static const enum pingo_end_reason rare[] = {
        PINGO_END_LOST,       PINGO_END_LOST,         PINGO_END_LOST,       PINGO_END_LOST,
        PINGO_END_BAD_OUTPUT, PINGO_END_BAD_OUTPUT,   PINGO_END_KILLED,     PINGO_END_KILLED,
        PINGO_END_NO_SPACE,   PINGO_END_MEMORY_LIMIT, PINGO_END_TIME_LIMIT, PINGO_END_NOT_STARTED};
    struct job *j = any_job(c);
    unsigned percent = below(c, 100);

    if (!j)
        return;
    if (j->killed && !one_in(&c->rng, 3))
        end_job(c, j, PINGO_END_KILLED, 0);
    else if (percent < 88)
        end_job(c, j, PINGO_END_EXITED, percent < 70 ? 0 : 1);
    else
        end_job(c, j, rare[percent - 88], 0);
    if (j->end.reason == PINGO_END_NO_SPACE)
        j->end.size_bytes = below(c, 3000);
}

#endif
