/* test_crowd.c - many do at one store what they like, with three schedulers and jobs that end as it happens: each job finds
 * what it is to read, fsck finds nothing, and when nobody disturbs any more every action ends.
 *
 * Without arguments: a course of each of some seeds.  test_crowd SECONDS [SEED]: of one seed after the other until the
 * time is over, from one that it tells (make soak); in 0 seconds of the first alone. */
#include "unit/engine/crowd_upheaval.h"
#include "unit/share.h"

#include <time.h>

enum { STEPS = 150, STUCK = 50, WILD = 1000 /* from this seed on there are upheavals as well */ };

/* ---- what anybody may do ------------------------------------------------------------------------ */

static void submitted(struct crowd *c, const char *what, int rc, const struct pingo_error *err,
                      const struct pingo_submission *s)
{
    answered(c, what, rc, err);
    if (rc == 0 && s->workflow > c->nworkflows)
        c->nworkflows = s->workflow;
}

static void submit(struct crowd *c)
{
    struct pingo_submission submission = {.size = sizeof submission};
    struct pingo_error err;
    char target[16], forced[16], *text = write_workflow(c);
    const char *targets[] = {target}, *all_forced[] = {forced};
    struct pingo_submit_options o = {
        .version = 3, .base_dir = HERE, .targets = targets, .forced = all_forced};

    o.user = one_in(&c->rng, 2) ? "ann" : "bob";
    o.ntargets = one_in(&c->rng, 6);
    o.nforced = one_in(&c->rng, 8);
    o.priority = one_in(&c->rng, 5) ? (int64_t)below(c, 7) - 3 : 0;
    o.force_outputs = one_in(&c->rng, 2);
    snprintf(target, sizeof target, "%u", any_taken(c));
    snprintf(forced, sizeof forced, "%u", any_taken(c));
    for (const char *p = text; *p; p += strnlen(p, 400))
        note(c, "%.400s", p);
    note(c, " for %s, forced %s\n", o.ntargets ? target : "all", o.nforced ? forced : "none");
    submitted(c, "submit", box_try_submit(c->b, text, &o, &submission, &err), &err, &submission);
    free(text);
}

static int64_t any_workflow(struct crowd *c)
{
    int64_t workflow = any(c, (unsigned)c->nworkflows);

    note(c, "workflow %" PRId64 ", ", workflow);
    return workflow;
}

static void submit_again(struct crowd *c)
{
    struct pingo_submission submission = {.size = sizeof submission};
    struct pingo_error err;
    struct pingo_submit_options o = {.version = 3, .user = "cat", .force_outputs = true};
    int rc = pingo_store_submit_again(c->b->store, any_workflow(c), &o, &submission, &err);

    submitted(c, "submit again", rc, &err, &submission);
}

/* What it deletes is gone, but the scheduler learns of it now or with its next tick. */
static void tick(struct crowd *c, struct pingo_scheduler *s)
{
    struct pingo_tick_result r = {.size = sizeof r};
    struct pingo_error err;
    int rc = pingo_scheduler_tick(s, &r, &err);

    note(c, "%zu settled, %zu evicted, ", r.settled, r.evicted);
    answered(c,
             s == c->b->s          ? "tick"
             : s == c->others[0].s ? "second tick"
                                   : "third tick",
             rc, &err);
    if (one_in(&c->rng, 2))
        answered(c, "drain", pingo_scheduler_drain(s, NULL, &err), &err);
    else if (!pingo__manager_datasets_is_idle(&s->datasets))
        pingo__manager_workers_wait(s->context.workers, 60000);
}

static void tick_first(struct crowd *c)
{
    tick(c, c->b->s);
}

static void tick_other(struct crowd *c)
{
    struct pingo_store_options options = {.version = 1};
    struct pingo_error err;
    unsigned which = c->is_wild ? below(c, 2) : 0;
    struct crowd_scheduler *o = &c->others[which];
    bool leaves = o->s && one_in(&c->rng, 8);

    if (leaves && c->is_wild && one_in(&c->rng, 2)) {
        die_in_tick(c, o);
        return;
    }
    if (leaves) {
        leave(o);
        return;
    }
    if (!o->s) {
        well(pingo_store_open(c->b->dir, &options, &o->store, &err), &err);
        set_clock(o->store);
        open_scheduler(c, o->store, &o->s, c->is_wild ? 1 + which : 2);
    }
    if (c->is_wild && one_in(&c->rng, 6))
        change_scope(c, o->s);
    tick(c, o->s);
}

/* The executor may have lost what it had. */
static void first_dies(struct crowd *c)
{
    struct crowd_scheduler first = {c->b->store, c->b->s};
    unsigned how = c->is_wild ? below(c, 3) : 0;

    c->b->store = NULL; /* who looks at an event would look at it */
    c->b->s = NULL;
    if (how == 0)
        leave(&first);
    else if (how == 1)
        die(c, &first);
    else
        die_in_tick(c, &first);
    come(c);
    c->b->fake.knows_nothing = one_in(&c->rng, 4);
}

static void kill_any(struct crowd *c)
{
    struct pingo_error err;
    struct pingo_action_name of = {any_workflow(c), NULL};
    char id[16];

    snprintf(id, sizeof id, "%u", any(c, c->n));
    if (one_in(&c->rng, 2))
        of.action = id;
    note(c, "action %s, ", of.action ? id : "-");
    answered(c, "kill", pingo_store_kill(c->b->store, &of, NULL, &err), &err);
}

static void adopt(struct crowd *c)
{
    struct pingo_error err;
    struct pingo_hash hash;
    unsigned id = any(c, c->n);
    char action[16];
    struct pingo_action_name of = {any_workflow(c), action};

    snprintf(action, sizeof action, "%u", id);
    put("adopted", content_of(c, id));
    note(c, "action %s, ", action);
    answered(c, "adopt", pingo_store_adopt(c->b->store, &of, HERE "/adopted", &hash, &err), &err);
}

/* Of what is there, or being made; all 0: of nothing. */
static struct pingo_hash any_dataset(struct crowd *c)
{
    struct pingo_hash hash = {{0}};
    sqlite3_stmt *stmt = NULL;
    unsigned n =
        (unsigned)box_int(c->b, "SELECT count(*) FROM dataset WHERE state BETWEEN 1 AND 8");

    assert_int_equal(pingo__db_query(&c->b->store->db, NULL, &stmt,
                                     "SELECT id, hash FROM dataset WHERE state BETWEEN 1 AND 8"
                                     " ORDER BY id LIMIT 1 OFFSET ?",
                                     INT(any(c, n) - 1)),
                     0);
    if (sqlite3_step(stmt) == SQLITE_ROW) {
        note(c, "dataset %" PRId64 ", ", (int64_t)sqlite3_column_int64(stmt, 0));
        memcpy(hash.bytes, sqlite3_column_blob(stmt, 1), PINGO_HASH_SIZE);
    }
    sqlite3_reset(stmt);
    return hash;
}

static void rule_dataset(struct crowd *c)
{
    struct pingo_store *store = c->b->store;
    struct pingo_error err;
    struct pingo_hash hash = any_dataset(c);
    unsigned what = below(c, 8);

    if (what < 3)
        answered(c, "remove", pingo_store_remove(store, &hash, &err), &err);
    else if (what < 6)
        answered(c, "release", pingo_store_release(store, &hash, NULL, &err), &err);
    else
        answered(c, "keep", pingo_store_keep(store, &hash, NULL, &err), &err);
}

static void rule_workflow(struct crowd *c)
{
    struct pingo_store *store = c->b->store;
    struct pingo_error err;
    struct pingo_released r = {.size = sizeof r};
    int64_t workflow = any_workflow(c);
    unsigned what = below(c, 26);

    if (what < 8)
        answered(c, "pause", pingo_store_pause_workflow(store, workflow, NULL, &err), &err);
    else if (what < 16)
        answered(c, "resume", pingo_store_resume_workflow(store, workflow, NULL, &err), &err);
    else if (what < 24)
        answered(c, "release", pingo_store_release_workflow(store, workflow, &r, &err), &err);
    else if (what < 25)
        answered(c, "forget", pingo_store_forget(store, &workflow, 1, NULL, &err), &err);
    else
        answered(c, "priority", pingo_store_set_priority(store, workflow, below(c, 5), &err), &err);
}

static void rule_any(struct crowd *c)
{
    rule_many(c, any_workflow(c));
}

static void cause_upheaval(struct crowd *c)
{
    unsigned what = below(c, 16);

    if (what < 2)
        switch_executor(c);
    else if (what < 5)
        jump(c);
    else if (what < 6)
        share(c);
    else if (what < 8)
        archive(c);
    else if (what < 9)
        destroy(c);
    else if (what < 12)
        interrupt(c, any_workflow(c));
    else
        rule_any(c);
}

static void set_budget(struct crowd *c)
{
    struct pingo_error err;
    char value[16];

    snprintf(value, sizeof value, "%u", below(c, 20));
    note(c, "%s, ", value);
    answered(c, "budget", pingo_store_set(c->b->store, "pool.budget", value, &err), &err);
}

static void change_original(struct crowd *c)
{
    char name[16], text[16];

    snprintf(name, sizeof name, "o%u", any(c, ORIGINALS));
    snprintf(text, sizeof text, "o%u", below(c, 3));
    note(c, "%s is %s\n", name, text);
    put(name, text);
}

/* Somebody writes to an outputPath, or takes away what is there. */
static void meddle(struct crowd *c)
{
    char name[16];

    if (!c->may_harm)
        return;
    c->is_harmed = true;
    snprintf(name, sizeof name, "u%u", any(c, PLACES));
    note(c, "meddle with %s\n", name);
    if (one_in(&c->rng, 2))
        unlink(name);
    else
        put(name, "mine");
}

static void lose(struct crowd *c)
{
    unsigned n = (unsigned)box_int(c->b, "SELECT count(*) FROM object WHERE path IS NOT NULL");
    sqlite3_stmt *stmt = NULL;
    char path[512] = "";

    if (!c->may_harm)
        return;
    assert_int_equal(pingo__db_query(&c->b->store->db, NULL, &stmt,
                                     "SELECT path, substr(path, 1, 1) = '/', id FROM object"
                                     " WHERE path IS NOT NULL ORDER BY id LIMIT 1 OFFSET ?",
                                     INT(any(c, n) - 1)),
                     0);
    if (sqlite3_step(stmt) == SQLITE_ROW) {
        snprintf(path, sizeof path, "%s%s%s", sqlite3_column_int(stmt, 1) ? "" : c->b->dir,
                 sqlite3_column_int(stmt, 1) ? "" : "/pool/",
                 (const char *)sqlite3_column_text(stmt, 0));
        note(c, "lose object %" PRId64 "\n", (int64_t)sqlite3_column_int64(stmt, 2));
    }
    sqlite3_reset(stmt);
    c->is_harmed = c->is_harmed || unlink(path) == 0;
}

/* ---- what must hold ------------------------------------------------------------------------------ */

static bool is_outside(struct crowd *c, const struct pingo_finding *f)
{
    int64_t managed = 1;

    assert_int_equal(pingo__db_number(&c->b->store->db, NULL, &managed,
                                      "SELECT max(managed) FROM dataset WHERE state = 5"
                                      " AND 'dataset ' || lower(hex(hash)) = ?",
                                      TEXT(f->object)),
                     0);
    return managed == 0;
}

/* Is it no fault?  What somebody took away; what a job that was given up has written; of who died, what lay at an
 * outputPath before he replaced it, and what he had put into the pool: it goes when the pool is swept. */
static bool is_excused(struct crowd *c, const struct pingo_finding *f)
{
    if (strncmp(f->object, "staged/", 7) == 0)
        return true;
    if (strncmp(f->object, "objects/", 8) == 0)
        return c->has_died;
    return strcmp(f->invariant, "I4") == 0 && strncmp(f->message, "its ", 4) == 0 &&
           (c->is_harmed || (c->has_died && is_outside(c, f))); /* file, or content */
}

static int on_finding(void *context, const struct pingo_finding *f)
{
    struct crowd *c = context;

    if (!is_excused(c, f) && !c->finding[0])
        snprintf(c->finding, sizeof c->finding, "%s %s: %s", f->invariant, f->object, f->message);
    return 0;
}

static void check(struct crowd *c)
{
    struct pingo_fsck_options o = {.version = 1, .deep = true, .finding = on_finding, .context = c};
    struct pingo_error err;
    bool clean;

    answered(c, "check", pingo_store_fsck(c->b->store, &o, &clean, &err), &err);
    if (c->finding[0])
        fail_msg("fsck: %s", c->finding);
}

static void repair(struct crowd *c)
{
    char text[512];
    struct pingo_fsck_options o = {
        .version = 1, .repair = true, .finding = box_finding, .context = text};
    struct pingo_error err;
    bool clean;

    o.deep = one_in(&c->rng, 2);
    answered(c, "repair", pingo_store_fsck(c->b->store, &o, &clean, &err), &err);
}

/* Another process does something, and is killed before one of its commits. */
static void die_in_call(struct crowd *c)
{
    static void (*const calls[])(struct crowd * c) = {
        archive, adopt, repair, submit, kill_any, rule_any, rule_dataset, submit_again};
    struct pingo_store_options options = {.version = 1};
    struct pingo_store *own = NULL, *first = c->b->store;
    struct pingo_error err;
    int left = (int)below(c, 4);

    well(pingo_store_open(c->b->dir, &options, &own, &err), &err);
    set_clock(own);
    sqlite3_commit_hook(own->db.sqlite, crowd_count_down, &left);
    c->b->store = own;
    c->is_dying = c->has_died = true;
    note(c, "dies before commit %d: ", left);
    calls[below(c, sizeof calls / sizeof *calls)](c);
    c->is_dying = false;
    c->b->store = first;
    sqlite3_commit_hook(own->db.sqlite, crowd_refuse, NULL);
    pingo_store_close(own);
}

/* Every dataset in the pool holds what its action makes. */
static void check_contents(struct crowd *c)
{
    sqlite3_stmt *stmt = NULL;
    char path[512], content[16];

    assert_int_equal(
        pingo__db_query(&c->b->store->db, NULL, &stmt,
                        "SELECT o.path, n.user_id FROM dataset d"
                        " JOIN object o ON o.id = d.object JOIN node n ON n.hash = d.hash"
                        " WHERE d.state IN (4, 5, 6) AND d.managed = 1",
                        NONE),
        0);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        unsigned id = (unsigned)sqlite3_column_int(stmt, 1);

        snprintf(path, sizeof path, "%s/pool/%s", c->b->dir,
                 (const char *)sqlite3_column_text(stmt, 0));
        if (get(path, content) ? strcmp(content, content_of(c, id)) != 0 : !c->is_harmed)
            fail_msg("the dataset of a%u holds '%s'", id, content);
    }
    sqlite3_reset(stmt);
}

static void check_end(struct crowd *c)
{
    static const struct {
        const char *what, *sql;
    } none[] = {
        {"a dataset is still being made", "SELECT count(*) FROM dataset WHERE state IN (1, 2, 3)"},
        {"what is to go stays", "SELECT count(*) FROM dataset WHERE state IN (6, 7, 8)"},
        {"a workflow has not ended", "SELECT count(*) FROM workflow WHERE state NOT IN (2, 3, 4)"},
        {"a claim is left", "SELECT count(*) FROM claim"},
        {"an attempt is open", "SELECT count(*) FROM attempt WHERE state < 3 AND unwanted = 0"},
        {"something is counted that has ended",
         "SELECT count(*) FROM progress WHERE waiting + ready + processing + submitted + running"},
        {"more is stored than the budget",
         "SELECT count(*) FROM dataset WHERE state = 4 AND pinned = 0 AND managed = 1"
         " AND (SELECT sum(bytes) FROM usage WHERE state IN (4, 5, 6)) >"
         " (SELECT CAST(value AS INTEGER) FROM setting WHERE key = 'pool.budget')"},
    };

    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (box_int_of(c->b, none[i].sql) != 0)
            fail_msg("%s", none[i].what);
    check(c);
    check_contents(c);
}

/* ---- a course ----------------------------------------------------------------------------------- */

static const struct {
    unsigned share; /* how often it is done */
    void (*what)(struct crowd *c);
} deeds[] = {{108, end_any},       {84, tick_first},   {56, submit},
             {32, rule_dataset},   {28, tick_other},   {26, rule_workflow},
             {20, kill_any},       {12, submit_again}, {8, set_budget},
             {8, change_original}, {8, first_dies},    {4, adopt},
             {4, meddle},          {2, lose},          {1, repair},
             {40, cause_upheaval}, {16, die_in_call}};

static void do_something(struct crowd *c)
{
    size_t n = sizeof deeds / sizeof *deeds - (c->is_wild ? 0 : 2);
    unsigned all = 0, at, i = 0;

    for (size_t k = 0; k < n; k++)
        all += deeds[k].share;
    for (at = below(c, all); at >= deeds[i].share; i++)
        at -= deeds[i].share;
    deeds[i].what(c);
    crowd_clock_ms += below(c, 2000);
    if (one_in(&c->rng, 20))
        check(c);
}

static void begin(struct crowd *c, uint64_t seed)
{
    struct pingo_error err;
    char name[16];

    free(c->course.text);
    *c = (struct crowd){.seed = seed, .rng = seed, .is_wild = seed >= WILD, .b = box_new()};
    crowd_clock_ms = INT64_C(1600000000000);
    crowd_jumped_ms = 0;
    memset(&crowd_other_fake, 0, sizeof crowd_other_fake);
    assert_int_equal(chdir(c->b->root), 0);
    box_leave(c->b);
    come(c);
    draw_actions(c);
    c->may_harm = one_in(&c->rng, 2);
    c->b->fake.cannot_revoke = c->b->fake.tells_started = one_in(&c->rng, 2);
    crowd_other_fake.tells_started = c->is_wild && one_in(&c->rng, 2);
    for (int i = 1; i <= ORIGINALS; i++) {
        snprintf(name, sizeof name, "o%d", i);
        put(name, "o");
    }
    well(pingo_store_set(c->b->store, "executor.maxStarts", "1000", &err), &err);
}

/* Nobody disturbs any more: all jobs end well.  left: SQL, how many actions are left. */
static void drive(struct crowd *c, const char *left)
{
    for (unsigned idle = 0; box_int_of(c->b, left) > 0; idle++) {
        box_tick(c->b);
        for (struct job *j; (j = any_job(c)); idle = 0)
            end_job(c, j, j->killed ? PINGO_END_KILLED : PINGO_END_EXITED, 0);
        box_tick(c->b);
        crowd_clock_ms += 200000; /* longer than any pause before another try */
        if (idle == STUCK)
            fail_msg("%" PRId64 " actions never end (%s), the first is %" PRId64,
                     box_int_of(c->b, left), left,
                     box_int(c->b, "SELECT min(id) FROM action WHERE state < 6"));
    }
}

/* Whoever runs one workflow alone, and what it waits for in others, paused or not, sees its end. */
static void drive_one(struct crowd *c)
{
    struct pingo_error err;
    int64_t workflow = any(c, (unsigned)c->nworkflows);
    char left[96];

    snprintf(left, sizeof left,
             "SELECT unfinished FROM workflow WHERE id = %" PRId64 " AND state = 1 AND paused = 0",
             workflow);
    well(pingo_scheduler_scope(c->b->s, &workflow, 1, &err), &err);
    drive(c, left);
    well(pingo_scheduler_scope(c->b->s, NULL, 0, &err), &err);
}

static void let_end(struct crowd *c)
{
    struct pingo_error err;

    c->b->fake.knows_nothing = false;
    leave(&c->others[0]);
    leave(&c->others[1]);
    for (unsigned i = 0; c->is_wild && i < 3; i++)
        drive_one(c);
    for (int64_t w = 1; w <= c->nworkflows; w++)
        pingo_store_resume_workflow(c->b->store, w, NULL, &err);
    drive(c, "SELECT count(*) FROM action WHERE state < 6");
    for (int i = 0; i < 4; i++)
        box_tick(c->b);
}

static void run_course(struct crowd *c, uint64_t seed)
{
    begin(c, seed);
    for (unsigned i = 0; i < STEPS; i++)
        do_something(c);
    let_end(c);
    check_end(c);
    assert_int_equal(chdir("/"), 0);
    box_close(c->b);
    c->has_ended = true;
}

/* ---- the tests ---------------------------------------------------------------------------------- */

/* Of a course that failed: how to have it again, and what was done last. */
static int tell(void **state)
{
    struct crowd *c = *state;
    size_t before = c->course.length > 4000 ? c->course.length - 4000 : 0;

    if (!c->has_ended && c->b)
        fprintf(stderr,
                "seed %" PRIu64 ": have it again with test_crowd 0 %" PRIu64
                "; the store is left in %s; what was done last:\n%s\n",
                c->seed, c->seed, c->b->root, c->course.text + before);
    free(c->course.text);
    c->course = (struct agree_log){NULL, 0, 0};
    return 0;
}

static void test_crowd__of_a_seed(void **state)
{
    struct crowd *c = *state;

    run_course(c, c->seed);
}

static void test_crowd__the_same_seed_is_the_same_course(void **state)
{
    struct crowd *c = *state;
    struct agree_log first;

    run_course(c, c->seed);
    first = c->course;
    c->course = (struct agree_log){NULL, 0, 0};
    run_course(c, c->seed);
    if (strcmp(first.text, c->course.text) != 0)
        fail_msg("seed %" PRIu64 " went another way", c->seed);
    free(first.text);
}

/* Each found something once: actions that never ended, one that waited for nothing, a dataset of no state, one that was
 * replaced under who was to read it. */
static const uint64_t seeds[] = {67, 95, 106, 119, 129, 174, 188, 340, 383, 511, 512, 525, 1048};
#define NFOUND (sizeof seeds / sizeof *seeds)
#define NSEEDS SHARE(NFOUND + 80, NFOUND)

/* What comes after those: by turns a calm course and one with upheavals. */
static uint64_t seed_at(size_t i)
{
    size_t more = i - NFOUND + 2;

    return i < NFOUND ? seeds[i] : more / 2 + (more % 2 ? WILD : 0);
}

static int run_some(void)
{
    static struct crowd crowds[NSEEDS + 1];
    static char names[NSEEDS][40];
    struct CMUnitTest tests[NSEEDS + 1] = {{"test_crowd__the_same_seed_is_the_same_course",
                                            test_crowd__the_same_seed_is_the_same_course, NULL,
                                            tell, &crowds[NSEEDS]}};

    crowds[NSEEDS].seed = 1;
    for (size_t i = 0; i < NSEEDS; i++) {
        crowds[i].seed = seed_at(i);
        snprintf(names[i], sizeof names[i], "test_crowd__of_seed_%" PRIu64, crowds[i].seed);
        tests[i + 1] = (struct CMUnitTest){names[i], test_crowd__of_a_seed, NULL, tell, &crowds[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

struct longer {
    struct crowd crowd; /* first: tell() is told of it */
    time_t until;
};

static void test_crowd__for_long(void **state)
{
    struct longer *l = *state;
    uint64_t first = l->crowd.seed, next = first;

    do
        run_course(&l->crowd, next++);
    while (time(NULL) < l->until);
    printf("a crowd at one store: %" PRIu64 " courses from seed %" PRIu64 "\n", next - first, first);
}

int main(int argc, char **argv)
{
    static struct longer l;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate_setup_teardown(test_crowd__for_long, NULL, tell, &l),
    };

    if (argc < 2)
        return run_some();
    l.until = time(NULL) + strtol(argv[1], NULL, 10);
    l.crowd.seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
