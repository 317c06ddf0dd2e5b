/* test_remove.c - many datasets are removed in few commits, what is claimed or gone stays and is told, and one is as many. */
#include "unit/engine/box.h"

enum { MANY = 450 };

/* So many actions. */
static char *many(void)
{
    size_t size = 200 * (size_t)(MANY + 2), n = 0;
    char *text = malloc(size);

    assert_non_null(text);
    n += (size_t)snprintf(text, size, "{\"name\": \"w\", \"actions\": [");
    for (int i = 1; i <= MANY; i++)
        n += (size_t)snprintf(text + n, size - n,
                              "%s{\"id\": %d, \"name\": \"a%d\", \"type\": \"command-line\","
                              " \"command\": \"echo %d\"}",
                              i > 1 ? ", " : "", i, i, i);
    snprintf(text + n, size - n, "]}");
    return text;
}

static int count_commit(void *context)
{
    ++*(int *)context;
    return 0;
}

struct told {
    size_t n, removed, refused;
    int code[MANY + 10];
    char message[200];
};

static void on_removed(void *context, size_t index, const struct pingo_error *why)
{
    struct told *t = context;

    assert_int_equal(index, t->n); /* in order */
    t->code[t->n++] = why->code;
    t->removed += !why->code;
    t->refused += why->code != 0;
    if (why->code)
        snprintf(t->message, sizeof t->message, "%.190s", why->message);
}

static struct told remove_all(struct box *b, const struct pingo_hash *hashes, size_t n, int *commits)
{
    struct pingo_removal removal = {.version = 1, .hashes = hashes, .nhashes = n};
    struct told t = {.n = 0};
    struct pingo_error err;

    *commits = 0;
    sqlite3_commit_hook(b->store->db.sqlite, count_commit, commits);
    well(pingo_store_remove_several(b->store, &removal, on_removed, &t, &err), &err);
    sqlite3_commit_hook(b->store->db.sqlite, NULL, NULL);
    assert_int_equal(t.n, n);
    return t;
}

static struct pingo_hash hash_of(struct box *b, int id)
{
    struct pingo_hash hash;
    struct pingo_error err;
    char name[20];

    snprintf(name, sizeof name, "%d", id);
    well(pingo_store_resolve_dataset(b->store, "1", name, &hash, &err), &err);
    return hash;
}

static void test_remove__many_go_in_few_commits_for_users_too(void **state)
{
    const struct pingo_caller ada = {1, "ada", PINGO_ROLE_ADMIN, "socket"};
    struct pingo_error err;
    struct box *b = box_new();
    struct pingo_hash hashes[MANY];
    struct told t;
    char *text = many();
    int commits;

    UNUSED(state);
    box_submit(b, text);
    free(text);
    for (int i = 0; i < MANY && box_workflow(b, 1) != PINGO_WORKFLOW_FINISHED; i++)
        box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    for (int i = 0; i < MANY; i++)
        hashes[i] = hash_of(b, i + 1);
    /* One is deleted before. */
    t = remove_all(b, &hashes[7], 1, &commits);
    assert_int_equal(t.removed, 1);
    assert_int_equal(commits, 1);
    well(pingo_store_act_for(b->store, &ada, &err), &err);
    t = remove_all(b, hashes, MANY, &commits);
    assert_int_equal(t.removed, MANY - 1);
    assert_int_equal(t.code[7], PINGO_ESTATE);
    assert_string_equal(t.message,
                        "the dataset is being deleted already; the next tick removes its bytes");
    assert_int_equal(commits, 3); /* of 200 each */
    assert_int_equal(box_int(b, "SELECT count(*) FROM audit"), MANY - 1);
    well(pingo_store_act_for(b->store, NULL, &err), &err);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(box_dataset(b, i + 1), PINGO_DATASET_STORED_TO_DELETE);
    t = remove_all(b, hashes, 0, &commits);
    assert_int_equal(t.n + (size_t)commits, 0);
    box_clean(b);
    box_close(b);
}

#define CHAIN W(A(1, "") "," A(2, "") "," A(3, P(FROM(1))))

/* The first is claimed by the third, which has not run; the second may go. */
static struct box *claimed(struct pingo_hash hashes[3])
{
    struct box *b = box_new();

    box_submit(b, CHAIN);
    box_tick(b);
    box_finish(b, "a1");
    box_finish(b, "a2");
    for (int i = 0; i < 3; i++)
        hashes[i] = hash_of(b, i + 1);
    return b;
}

static void test_remove__what_is_claimed_stays_and_the_others_go(void **state)
{
    struct pingo_hash hashes[3];
    struct box *b = claimed(hashes);
    struct told t;
    int commits;

    UNUSED(state);
    t = remove_all(b, hashes, 3, &commits);
    assert_int_equal(commits, 1);
    assert_int_equal(t.code[0], PINGO_ECLAIMED); /* by 3, which has not run */
    assert_int_equal(t.code[1], 0);
    assert_int_equal(t.code[2], PINGO_ESTATE);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED);
    assert_int_equal(box_dataset(b, 2), PINGO_DATASET_STORED_TO_DELETE);
    box_clean(b);
    box_close(b);
}

/* What was done is noted, and nothing else. */
static void test_remove__what_stays_is_not_in_the_audit(void **state)
{
    const struct pingo_caller ada = {1, "ada", PINGO_ROLE_ADMIN, "socket"};
    struct pingo_hash hashes[3];
    struct box *b = claimed(hashes);
    struct pingo_error err;
    int commits;

    UNUSED(state);
    well(pingo_store_act_for(b->store, &ada, &err), &err);
    assert_int_equal(remove_all(b, hashes, 3, &commits).removed, 1);
    assert_int_equal(box_dataset(b, 2), PINGO_DATASET_STORED_TO_DELETE);
    assert_int_equal(box_int(b, "SELECT count(*) FROM audit"), 1);
    well(pingo_store_act_for(b->store, NULL, &err), &err);
    box_clean(b);
    box_close(b);
}

static void test_remove__what_nobody_knows_is_told(void **state)
{
    struct box *b = box_new();
    struct pingo_hash hashes[2] = {{{1}}, {{2}}};
    struct pingo_removal removal = {.version = 1, .hashes = hashes, .nhashes = 2};
    struct told t;
    struct pingo_error err;
    int commits;

    UNUSED(state);
    box_submit(b, CHAIN);
    t = remove_all(b, hashes, 2, &commits);
    assert_int_equal(t.refused, 2);
    assert_int_equal(t.code[0], PINGO_ENOTFOUND);
    well(pingo_store_remove_several(b->store, &removal, NULL, NULL, &err), &err);
    removal.version = 0;
    assert_int_equal(pingo_store_remove_several(b->store, &removal, NULL, NULL, &err), PINGO_EINVAL);
    removal.version = 2;
    assert_int_equal(pingo_store_remove_several(b->store, &removal, NULL, NULL, &err), PINGO_EINVAL);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_remove__many_go_in_few_commits_for_users_too),
        cmocka_unit_test(test_remove__what_is_claimed_stays_and_the_others_go),
        cmocka_unit_test(test_remove__what_stays_is_not_in_the_audit),
        cmocka_unit_test(test_remove__what_nobody_knows_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
