/* test_memo.c - a pool that is asked on another thread: each question once, the same answer each time, and none of what could not
 * be answered. */
#include "digest/sha256.h"
#include "unit/pool/pools.h"

#include "digest/originals.h"
#include "pool/memo.h"

#define NAME "objects/aa/x"
#define KEY ((struct pingo_job_key){.action = 7, .epoch = 1})
#define LATER PINGO__POOL_LATER

/* A pool at a directory whose backend fails as it is told. */
static struct {
    struct pools *p;
    struct pingo__pool_backend backend;
    int state_fails; /* what its state returns; 0: it answers */
    int nstates;
} its;

static int told_state(void *pool, const char *name, struct pingo__pool_state *state,
                      struct pingo_error *err)
{
    its.nstates++;
    if (its.state_fails) {
        snprintf(err->message, sizeof err->message, "it is down");
        return its.state_fails;
    }
    return its.p->kind->state(pool, name, state, err);
}

static struct pingo__pool_memo *open_memo(void)
{
    memset(&its, 0, sizeof its);
    for (const struct pingo__pool_backend *const *b = pingo__pool_backends; *b; b++)
        if (!*(*b)->scheme)
            its.p = pools_new(*b);
    its.backend = *its.p->kind;
    its.backend.state = told_state;
    its.p->pool.backend = &its.backend;
    struct pingo__pool_memo *memo = pingo__pool_memo_new(&its.p->pool, KEY);
    assert_non_null(memo);
    assert_false(pingo__pool_memo_is_open(memo));
    return memo;
}

static void close_memo(struct pingo__pool_memo *memo)
{
    pingo__pool_memo_free(memo);
    its.p->pool.backend = its.p->kind;
    pools_free(its.p);
}

static void put(const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", its.p->place, name);
    *strrchr(path, '/') = '\0';
    assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
    snprintf(path, sizeof path, "%s/%s", its.p->place, name);
    pools_write(path, text, 0600);
}

static bool lies(const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", its.p->place, name);
    return access(path, F_OK) == 0;
}

static int state_of(struct pingo__pool_memo *memo, const char *name, bool *exists)
{
    struct pingo__pool_state state = {.exists = false};
    int rc = pingo__pool_memo_state(memo, name, &state, NULL);
    *exists = state.exists;
    return rc;
}

static void test_memo__a_question_has_one_answer(void **state)
{
    struct pingo__pool_memo *memo = open_memo();
    bool exists;
    (void)state;
    for (int i = 0; i < 3; i++) /* however often it is asked before */
        assert_int_equal(state_of(memo, NAME, &exists), LATER);
    assert_int_equal(its.nstates, 0); /* nobody waited */
    assert_true(pingo__pool_memo_is_open(memo));
    WELL(pingo__pool_memo_ask(memo, err));
    assert_int_equal(its.nstates, 1);
    assert_false(pingo__pool_memo_is_open(memo));
    put(NAME, "it comes later");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(state_of(memo, NAME, &exists), 0);
        assert_false(exists);
    }
    WELL(pingo__pool_memo_ask(memo, err)); /* nothing is open: nothing is asked */
    assert_int_equal(its.nstates, 1);
    assert_int_equal(state_of(memo, NAME ".other", &exists),
                     LATER); /* of another name it is another */
    close_memo(memo);
}

static void test_memo__where_there_is_no_answer_it_is_asked_again(void **state)
{
    static const int away[] = {PINGO_EIO, PINGO_ENOMEM, PINGO_ESTATE, PINGO_EAWAY, PINGO_ESTORE};
    struct pingo__pool_memo *memo = open_memo();
    struct pingo_error why;
    bool exists;
    (void)state;
    put(NAME, "text");
    assert_int_equal(state_of(memo, NAME, &exists), LATER);
    assert_int_equal(state_of(memo, NAME ".other", &exists), LATER);
    for (size_t i = 0; i < sizeof away / sizeof *away; i++) {
        its.state_fails = away[i];
        assert_int_equal(pingo__pool_memo_ask(memo, &why), away[i]);
        assert_non_null(strstr(why.message, "it is down"));
        assert_int_equal(its.nstates, (int)i + 1); /* the rest is open still */
        assert_true(pingo__pool_memo_is_open(memo));
        assert_int_equal(state_of(memo, NAME, &exists), LATER);
    }
    its.state_fails = 0;
    WELL(pingo__pool_memo_ask(memo, err));
    assert_int_equal(state_of(memo, NAME, &exists), 0);
    assert_true(exists);
    assert_int_equal(state_of(memo, NAME ".other", &exists), 0);
    assert_false(exists);
    /* An error that says something of what was asked is its answer. */
    assert_int_equal(state_of(memo, "objects/aa/y", &exists), LATER);
    its.state_fails = PINGO_ENOTFOUND;
    WELL(pingo__pool_memo_ask(memo, err));
    assert_int_equal(state_of(memo, "objects/aa/y", &exists), PINGO_ENOTFOUND);
    close_memo(memo);
}

/* The pool changes for it once. */
static void test_memo__publishes_once(void **state)
{
    struct pingo__pool_memo *memo = open_memo();
    struct pingo__arena arena = {0};
    struct pingo_error why;
    const char *staged = NULL;
    (void)state;
    WELL(pingo__pool_staged_path(&its.p->pool, &arena, KEY, &staged, err));
    pools_write(staged, "one", 0600);
    assert_int_equal(pingo__pool_memo_publish(memo, KEY, NAME, NULL), LATER);
    assert_false(lies(NAME));
    WELL(pingo__pool_memo_ask(memo, err));
    assert_true(lies(NAME));
    pools_write(staged, "two", 0600);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pingo__pool_memo_publish(memo, KEY, NAME, NULL), 0);
        WELL(pingo__pool_memo_ask(memo, err));
    }
    assert_int_equal(access(staged, F_OK), 0);
    /* What is not staged, and was not published, is told as often as it is asked. */
    struct pingo_job_key other = {.action = 8, .epoch = 1};
    assert_int_equal(pingo__pool_memo_publish(memo, other, "objects/aa/z", NULL), LATER);
    WELL(pingo__pool_memo_ask(memo, err));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pingo__pool_memo_publish(memo, other, "objects/aa/z", &why),
                         PINGO_ENOTFOUND);
        assert_true(*why.message);
    }
    pingo__arena_clear(&arena);
    close_memo(memo);
}

static void test_memo__what_goes_to_the_trash_is_noted(void **state)
{
    struct pingo__pool_memo *memo = open_memo();
    (void)state;
    put(NAME, "text");
    for (int i = 0; i < 3; i++)
        WELL(pingo__pool_memo_trash(memo, NAME, false, err));
    assert_true(lies(NAME));
    assert_true(pingo__pool_memo_is_open(memo));
    assert_int_equal(pingo__pool_memo_trashed(memo), 0);
    WELL(pingo__pool_memo_ask(memo, err));
    assert_false(lies(NAME));
    assert_int_equal(pingo__pool_memo_trashed(memo), 1);
    assert_int_equal(pingo__pool_memo_trashed(memo), 0);
    put(NAME, "another of that name");
    WELL(pingo__pool_memo_trash(memo, NAME, false, err));
    WELL(pingo__pool_memo_ask(memo, err));
    assert_true(lies(NAME));
    close_memo(memo);
}

struct names {
    int n, stops_at;
};
static int on_name(void *context, const char *name, struct pingo_error *err)
{
    struct names *names = context;
    (void)err;
    assert_non_null(strstr(name, "attempts/"));
    names->n++;
    return names->n == names->stops_at ? PINGO_ECORRUPT : 0;
}

static void test_memo__tells_all_names(void **state)
{
    struct pingo__pool_memo *memo = open_memo();
    struct names all = {0}, stops = {.stops_at = 2};
    char name[64];
    (void)state;
    for (int i = 1; i <= 3; i++) {
        snprintf(name, sizeof name, "attempts/%d.1", i);
        put(name, "");
    }
    assert_int_equal(pingo__pool_memo_each(memo, PINGO__ATTEMPTS, on_name, &all, NULL), LATER);
    assert_int_equal(all.n, 0);
    WELL(pingo__pool_memo_ask(memo, err));
    assert_int_equal(pingo__pool_memo_each(memo, PINGO__ATTEMPTS, on_name, &all, NULL), 0);
    assert_int_equal(all.n, 3);
    assert_int_equal(pingo__pool_memo_each(memo, PINGO__ATTEMPTS, on_name, &stops, NULL),
                     PINGO_ECORRUPT);
    assert_int_equal(stops.n, 2);
    close_memo(memo);
}

/* To look at a stamp and to read the bytes are two questions. */
static void test_memo__reads_what_is_asked_for(void **state)
{
    struct pingo__pool_memo *memo = open_memo();
    struct pingo__digest_content_options stamp = {.world = &its.p->world, .only_stamp = true},
                                         whole = {.world = &its.p->world};
    struct pingo__digest_content a = {.size_bytes = -1}, b = {.size_bytes = -1};
    struct pingo_hash hash;
    (void)state;
    put(NAME, "text");
    assert_int_equal(pingo__pool_memo_read(memo, NAME, &stamp, &a, NULL), LATER);
    WELL(pingo__pool_memo_ask(memo, err));
    assert_int_equal(pingo__pool_memo_read(memo, NAME, &stamp, &a, NULL), 0);
    assert_int_equal(pingo__pool_memo_read(memo, NAME, &whole, &b, NULL), LATER);
    WELL(pingo__pool_memo_ask(memo, err));
    assert_int_equal(pingo__pool_memo_read(memo, NAME, &whole, &b, NULL), 0);
    pingo__digest_sha256("text", 4, &hash);
    assert_memory_equal(&b.hash, &hash, sizeof hash);
    assert_int_equal(b.size_bytes, 4);
    assert_memory_equal(&a.stamp, &b.stamp, sizeof a.stamp);
    close_memo(memo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memo__a_question_has_one_answer),
        cmocka_unit_test(test_memo__where_there_is_no_answer_it_is_asked_again),
        cmocka_unit_test(test_memo__publishes_once),
        cmocka_unit_test(test_memo__what_goes_to_the_trash_is_noted),
        cmocka_unit_test(test_memo__tells_all_names),
        cmocka_unit_test(test_memo__reads_what_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
