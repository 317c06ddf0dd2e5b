/* test_feed.c - what was committed is in the feed, whole and in order, whoever did it and whoever dies; who is too far
 * behind looks again. */
#include "unit/engine/box.h"

#include <signal.h>
#include <sys/wait.h>

#include "store/feed.h"
#include "store/transition.h"

struct seen {
    struct pingo_change last;
    size_t n, stop_after, nmany, nall;
    struct pingo_event events[4096];
};

static int on_change(void *context, const struct pingo_change *change)
{
    struct seen *s = context;

    assert_true(change->number > s->last.number);
    assert_true(change->at_ms > 0);
    s->last = *change;
    s->nmany += change->event.kind == PINGO_EVENT_MANY;
    s->nall += change->event.kind == PINGO_EVENT_MANY && change->event.workflow < 0;
    assert_true(s->n < sizeof s->events / sizeof *s->events);
    s->events[s->n++] = change->event;
    return s->stop_after && s->n == s->stop_after;
}

static struct seen *follow(struct box *b, int64_t *at)
{
    static struct seen s;
    struct pingo_error err;

    s = (struct seen){.n = 0};
    well(pingo_store_follow(b->store, at, on_change, &s, &err), &err);
    return &s;
}

static bool equal(const struct pingo_event *a, const struct pingo_event *b)
{
    return a->kind == b->kind && a->workflow == b->workflow && a->action == b->action &&
           a->epoch == b->epoch && a->from == b->from && a->to == b->to && a->id == b->id &&
           memcmp(&a->hash, &b->hash, sizeof a->hash) == 0;
}

/* Each change begins where the one before has ended, also of what is paused and then killed. */
static void test_feed__a_paused_one_is_killed(void **state)
{
    struct box *b = box_new();
    int64_t at = 0, state_now = PINGO_WORKFLOW_RUNNING;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    follow(b, &at);
    well(pingo_store_pause_workflow(b->store, 1, NULL, &err), &err);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, NULL, &err), &err);
    const struct seen *s = follow(b, &at);
    for (size_t i = 0; i < s->n; i++)
        if (s->events[i].kind == PINGO_EVENT_WORKFLOW) {
            assert_int_equal(s->events[i].from, state_now);
            state_now = s->events[i].to;
        }
    assert_int_equal(state_now, PINGO_WORKFLOW_KILLED);
    box_close(b);
}

/* What the callback of a handle is told is what the feed has. */
static void test_feed__has_what_was_committed(void **state)
{
    struct box *b = box_new();
    int64_t at = 0, mid = 0, now = -1, changes = 0;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_finish_all(b);
    struct seen *s = follow(b, &at);
    assert_int_equal(s->n, b->nevents);
    assert_true(s->n > 8);
    for (size_t i = 0; i < s->n; i++)
        assert_true(equal(&s->events[i], &b->events[i]));
    well(pingo_store_changes(b->store, &changes, &err), &err);
    assert_int_equal(changes, at);
    assert_int_equal(follow(b, &at)->n, 0);
    assert_int_equal(follow(b, &now)->n, 0);
    assert_int_equal(now, at);
    /* From the middle of a commit on. */
    for (int64_t from = 0; from < at; from++) {
        mid = from;
        assert_int_equal(follow(b, &mid)->n, at - from);
        assert_int_equal(mid, at);
    }
    /* Stopped, and gone on with. */
    static struct seen part;
    part = (struct seen){.stop_after = 3};
    mid = 0;
    assert_int_equal(pingo_store_follow(b->store, &mid, on_change, &part, &err), PINGO_EINTERRUPTED);
    assert_int_equal(mid, 3);
    assert_int_equal(follow(b, &mid)->n, at - 3);
    /* What is taken back was never there. */
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_workflow_kill(&b->store->db, 1, 5, &err), &err);
    pingo__store_db_rollback(&b->store->db);
    assert_int_equal(follow(b, &at)->n, 0);
    box_reopen(b);
    box_submit(b, W(A(3, "")));
    assert_true(follow(b, &at)->n > 0);
    box_close(b);
}

static char *many_actions(int n)
{
    char *text = malloc((size_t)n * 96 + 64), *p = text;

    assert_non_null(text);
    p += sprintf(p, "{'name':'w','actions':[");
    for (int i = 1; i <= n; i++)
        p += sprintf(p, "%s{'id':%d,'name':'a%d','type':'command-line','command':['x%d']}",
                     i > 1 ? "," : "", i, i, i);
    strcpy(p, "]}");
    return text;
}

/* A submission of very many actions is a row of a few bytes, whoever is not told one by one anyway. */
static void test_feed__many_changes_are_one(void **state)
{
    struct box *b = box_new();
    int64_t at = 0;
    char *text = many_actions(1000);
    struct seen *s;

    UNUSED(state);
    box_submit(b, text);
    s = follow(b, &at);
    assert_int_equal(s->n, 2); /* of the submission, and of datasets */
    assert_int_equal(s->nmany, 2);
    assert_int_equal(s->nall, 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM feed"), 1);
    assert_true(box_int(b, "SELECT length(events) FROM feed") < 100);
    assert_true(b->nevents >= 2000); /* the callback is told all */
    free(text);
    box_close(b);
}

/* Of very many submissions, too. */
static void test_feed__too_many_to_name_are_all(void **state)
{
    struct box *b = box_new();
    struct pingo__store_db *db = &b->store->db;
    int64_t at = 0;
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_db_begin(db, &err), &err);
    for (int64_t i = 1; i <= 600; i++)
        well(pingo__store_db_note(db,
                                  &(struct pingo_event){
                                      .kind = PINGO_EVENT_WORKFLOW, .workflow = i, .to = 1, .id = -1},
                                  &err),
             &err);
    well(pingo__store_db_commit(db, &err), &err);
    assert_int_equal(follow(b, &at)->nall, 1);
    box_close(b);
}

/* The ring has room for so many; who is behind that, or comes from another time, looks again. */
static void test_feed__who_is_too_far_behind_looks_again(void **state)
{
    struct box *b = box_new();
    int64_t at = 0, late = 1, early = 0, far = 0;
    struct seen *s;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_finish_all(b);
    follow(b, &at);
    /* As if there had been many more. */
    box_int(b, "INSERT INTO feed(id, at_ms, events) SELECT max(id) + 300000 - max(id) % 4096, 1, "
               "x'0301020100000000000000' FROM feed RETURNING 1");
    box_submit(b, W(A(2, "")));
    box_finish_all(b);
    for (int i = 3; box_int(b, "SELECT min(id) FROM feed") < 100000; i++) {
        assert_true(i < 4000);
        box_int(b, "INSERT INTO feed(id, at_ms, events) SELECT max(id) + 4090, 1, "
                   "x'0301020100000000000000' FROM feed RETURNING 1");
        box_submit(b, W(A(2, "")));
    }
    far = box_int(b, "SELECT max(id) FROM feed");
    assert_true(box_int(b, "SELECT max(id) - min(id) FROM feed") <= 200000 + 4096);
    s = follow(b, &late);
    assert_int_equal(s->n, 1);
    assert_int_equal(s->nall, 1);
    assert_int_equal(late, far);
    early = far + 5;
    s = follow(b, &early);
    assert_int_equal(s->nall, 1);
    assert_int_equal(early, far);
    box_close(b);
}

struct slow {
    struct box *b;
    int64_t from, number, lost_to;
};

/* While the first one is told, the ring goes round. */
static int on_slow(void *context, const struct pingo_change *change)
{
    struct slow *s = context;
    char sql[160];

    snprintf(sql, sizeof sql,
             "DELETE FROM feed WHERE id > %lld; INSERT INTO feed(id, at_ms, events)"
             " VALUES(%lld, 1, x'0301020100000000000000')",
             (long long)s->from + 64, (long long)s->from + 2000);
    if (change->number == s->from + 1)
        assert_int_equal(sqlite3_exec(s->b->store->db.sqlite, sql, NULL, NULL, NULL), SQLITE_OK);
    if (change->event.kind == PINGO_EVENT_MANY && change->event.workflow < 0)
        s->lost_to = change->number;
    else
        assert_int_equal(change->number, (s->lost_to ? s->lost_to : s->number) + 1);
    s->number = change->number;
    return 0;
}

static void test_feed__a_slow_one_is_told_that_the_ring_went_round(void **state)
{
    struct box *b = box_new();
    struct slow s = {.b = b};
    struct pingo_error err;
    int64_t at;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    at = s.from = s.number = box_int(b, "SELECT max(id) FROM feed");
    for (int i = 0; i < 70; i++)
        box_int(b, "INSERT INTO feed(id, at_ms, events) SELECT max(id) + 1, 1, "
                   "x'0301020100000000000000' FROM feed RETURNING 1");
    well(pingo_store_follow(b->store, &at, on_slow, &s, &err), &err);
    assert_int_equal(s.lost_to, s.from + 1999);
    assert_int_equal(at, s.from + 2000);
    box_close(b);
}

/* ---- killed at its commits ---------------------------------------------------------------- */

/* Commits as fast as it can, until it is killed. */
static void work(const char *dir)
{
    struct box *b = calloc(1, sizeof *b);
    struct pingo_store *store = NULL;
    struct pingo_error err;

    if (!b || pingo_store_open(dir, NULL, &store, &err) != 0)
        _exit(1);
    for (int i = 0; i < 100000; i++) {
        char text[256];
        struct pingo_submission s = {.size = sizeof s};
        struct pingo_submit_options options = {.version = 1};
        snprintf(text, sizeof text,
                 "{\"name\":\"w\",\"actions\":[{\"id\":1,\"name\":\"a\",\"type\":\"command-line\","
                 "\"command\":[\"x%d-%d\"]}]}",
                 (int)getpid(), i);
        if (pingo_store_submit(store, &(struct pingo_document){text, strlen(text), NULL}, &options,
                               &s, &err) != 0 ||
            (i % 2 && pingo_store_kill(store, &(struct pingo_action_name){s.workflow, NULL}, NULL,
                                       &err) != 0))
            _exit(1);
    }
    _exit(0);
}

struct states {
    int64_t workflows[8192], actions[8192], last;
};

static int on_state(void *context, const struct pingo_change *change)
{
    struct states *s = context;
    const struct pingo_event *e = &change->event;
    int64_t *is =
        e->kind == PINGO_EVENT_ACTION ? &s->actions[e->action] : &s->workflows[e->workflow];

    assert_int_equal(change->number, s->last + 1); /* none is missing */
    s->last = change->number;
    if (e->kind == PINGO_EVENT_DATASET)
        return 0;
    assert_true(e->action < 8192 && e->workflow < 8192);
    assert_int_equal(*is, e->from);
    *is = e->to;
    return 0;
}

static int64_t state_of(struct box *b, const char *sql, int64_t id)
{
    int64_t state = 0;
    struct pingo_error err;

    well(pingo__db_number(&b->store->db, &err, &state, sql, INT(id)), &err);
    return state;
}

static void test_feed__whoever_is_killed_it_is_whole(void **state)
{
    static struct states s;
    struct box *b = box_new();
    struct pingo_error err;
    int64_t at = 0;

    UNUSED(state);
    for (int round = 0; round < 12; round++) {
        int64_t before = box_int(b, "SELECT count(*) FROM workflow");
        pid_t child = fork();
        if (child == 0)
            work(b->dir);
        while (box_int(b, "SELECT count(*) FROM workflow") < before + 20)
            assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
        usleep((unsigned)round * 331);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        well(pingo_store_follow(b->store, &at, on_state, &s, &err), &err);
        for (int64_t i = 1; i <= box_int(b, "SELECT max(id) FROM workflow"); i++)
            assert_int_equal(state_of(b, "SELECT state FROM workflow WHERE id = ?", i),
                             s.workflows[i]);
        for (int64_t i = 1; i <= box_int(b, "SELECT max(id) FROM action"); i++)
            assert_int_equal(state_of(b, "SELECT state FROM action WHERE id = ?", i), s.actions[i]);
    }
    box_close(b);
}

/* Whoever else writes, whatever it is: a setting has no event. */
static void test_feed__what_another_handle_writes_is_seen(void **state)
{
    struct box *b = box_new();
    int64_t first = 0, own = 0, others = 0, again = 0;
    struct pingo_error err;
    struct pingo_store *other;

    UNUSED(state);
    well(pingo_store_open(b->dir, NULL, &other, &err), &err);
    well(pingo_store_data_version(b->store, &first, &err), &err);
    well(pingo_store_set(b->store, "serve.private", "on", &err), &err);
    well(pingo_store_data_version(b->store, &own, &err), &err);
    assert_int_equal(own, first);
    well(pingo_store_set(other, "serve.private", "off", &err), &err);
    well(pingo_store_data_version(b->store, &others, &err), &err);
    assert_int_not_equal(others, first);
    well(pingo_store_data_version(b->store, &again, &err), &err);
    assert_int_equal(again, others);
    pingo_store_close(other);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_feed__a_paused_one_is_killed),
        cmocka_unit_test(test_feed__has_what_was_committed),
        cmocka_unit_test(test_feed__what_another_handle_writes_is_seen),
        cmocka_unit_test(test_feed__many_changes_are_one),
        cmocka_unit_test(test_feed__too_many_to_name_are_all),
        cmocka_unit_test(test_feed__who_is_too_far_behind_looks_again),
        cmocka_unit_test(test_feed__a_slow_one_is_told_that_the_ring_went_round),
        cmocka_unit_test(test_feed__whoever_is_killed_it_is_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
