/* test_access.c - tokens are good as long as they are, and what was done is told. */
#include "unit/engine/box.h"

/* ---- tokens ------------------------------------------------------------------------------- */

static int make(struct box *b, const char *name, int64_t expires_ms, char *text,
                struct pingo_error *err)
{
    struct pingo_token_options options = {.version = 1,
                                          .name = name,
                                          .user = "ada",
                                          .role = PINGO_ROLE_SUBMITTER,
                                          .expires_ms = expires_ms};

    return pingo_store_token_create(b->store, &options, text, err);
}

static int count_tokens(void *context, const struct pingo_token *token)
{
    UNUSED(token);
    ++*(int *)context;
    return 0;
}

static int tokens_of(struct box *b, bool all)
{
    struct pingo_token_query query = {.version = 1, .all = all};
    struct pingo_error err;
    int n = 0;

    well(pingo_store_tokens(b->store, &query, count_tokens, &n, &err), &err);
    return n;
}

static void test_access__a_token_is_good_as_long_as_it_is(void **state)
{
    struct box *b = box_new();
    char text[PINGO_TOKEN_SIZE], other[PINGO_TOKEN_SIZE], third[PINGO_TOKEN_SIZE];
    struct pingo_token t = {.size = sizeof t};
    struct pingo_error err;
    int64_t day_ms = 24 * 60 * 60 * 1000LL;

    UNUSED(state);
    well(make(b, "laptop", 0, text, &err), &err);
    assert_int_equal(strlen(text), PINGO_TOKEN_SIZE - 1);
    assert_int_equal(strncmp(text, "pingo_", 6), 0);
    assert_int_equal(
        strspn(text + 6, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"), 43);
    well(pingo_store_token_check(b->store, text, &t, &err), &err);
    assert_string_equal(t.name, "laptop");
    assert_string_equal(t.user, "ada");
    assert_int_equal(t.role, PINGO_ROLE_SUBMITTER);
    assert_int_equal(t.expires_ms - t.created_ms, 90 * day_ms);
    assert_int_equal(t.used_ms, -1);
    assert_int_equal(t.revoked_ms, -1);
    /* Nobody can read it in the store. */
    assert_int_equal(box_int(b, "SELECT count(*) FROM token WHERE instr(digest, 'pingo_') OR name "
                                "LIKE 'pingo_%'"),
                     0);
    /* That it was used is noted once an hour. */
    well(pingo_store_token_check(b->store, text, &t, &err), &err);
    assert_true(t.used_ms > 0);
    box_int(b, "UPDATE token SET used_ms = 5 RETURNING 1");
    well(pingo_store_token_check(b->store, text, &t, &err), &err);
    assert_int_equal(t.used_ms, 5);
    well(pingo_store_token_check(b->store, text, &t, &err), &err);
    assert_true(t.used_ms > 5);

    assert_int_equal(make(b, "laptop", 0, other, &err), PINGO_EEXISTS);
    assert_string_equal(other, "");
    well(make(b, "desk", -1, other, &err), &err);
    assert_string_not_equal(text, other);
    assert_int_equal(tokens_of(b, false), 2);
    well(pingo_store_token_revoke(b->store, "laptop", &err), &err);
    assert_int_equal(pingo_store_token_check(b->store, text, &t, &err), PINGO_ESTATE);
    assert_int_equal(pingo_store_token_revoke(b->store, "laptop", &err), PINGO_ENOTFOUND);
    well(pingo_store_token_check(b->store, other, &t, &err), &err);
    assert_int_equal(t.expires_ms, -1);
    /* One that has expired gives its name away. */
    box_int(b, "UPDATE token SET expires_ms = 7 WHERE name = 'desk' RETURNING 1");
    assert_int_equal(pingo_store_token_check(b->store, other, &t, &err), PINGO_ESTATE);
    assert_int_equal(tokens_of(b, false), 0);
    well(make(b, "desk", 0, third, &err), &err);
    well(pingo_store_token_check(b->store, third, &t, &err), &err);
    assert_int_equal(tokens_of(b, false), 1);
    assert_int_equal(tokens_of(b, true), 3);

    other[20] = other[20] == 'x' ? 'y' : 'x';
    assert_int_equal(pingo_store_token_check(b->store, other, &t, &err), PINGO_ENOTFOUND);
    assert_int_equal(pingo_store_token_check(b->store, "", &t, &err), PINGO_ENOTFOUND);
    assert_int_equal(make(b, "", 0, other, &err), PINGO_EINVAL);
    assert_int_equal(make(b, "a\nb", 0, other, &err), PINGO_EINVAL);
    assert_int_equal(make(b, "late", -2, other, &err), PINGO_EINVAL);
    assert_int_equal(make(b, "late", 1, other, &err), PINGO_EINVAL);
    assert_int_equal(tokens_of(b, true), 3);
    box_close(b);
}

/* Somebody else holds the lock: who comes with a token does not wait. */
static void test_access__a_token_is_checked_beside_a_writer(void **state)
{
    struct box *b = box_new();
    struct pingo_store *other = NULL;
    char text[PINGO_TOKEN_SIZE];
    struct pingo_token t = {.size = sizeof t};
    struct pingo_error err;

    UNUSED(state);
    well(make(b, "laptop", 0, text, &err), &err);
    well(pingo_store_open(b->dir, NULL, &other, &err), &err);
    well(pingo__store_db_begin(&other->db, &err), &err);
    well(pingo_store_token_check(b->store, text, &t, &err), &err);
    pingo__store_db_rollback(&other->db);
    assert_int_equal(box_int(b, "SELECT used_ms IS NULL FROM token"), 1);
    pingo_store_close(other);
    box_close(b);
}

/* ---- what was done ------------------------------------------------------------------------ */

struct seen {
    int n;
    char verbs[512];
};

static int on_audit(void *context, const struct pingo_audit *a)
{
    struct seen *seen = context;

    seen->n++;
    assert_true(a->at_ms > 0);
    snprintf(seen->verbs + strlen(seen->verbs), 64, "%s ", a->verb);
    return 0;
}

static void test_access__what_was_done_comes_in_pages(void **state)
{
    struct box *b = box_new();
    char next[PINGO_CURSOR_SIZE] = "";
    struct seen seen = {.n = 0};
    struct pingo_error err;

    UNUSED(state);
    for (int i = 0; i < 5; i++) {
        char verb[2] = {(char)('a' + i), '\0'};
        struct pingo_audit a = {0, i % 2 ? "ada" : "bob", "socket", verb, "x", "done"};
        well(pingo_store_audit(b->store, &a, &err), &err);
    }
    struct pingo_audit_query q = {.version = 1, .limit = 2, .after = next, .next = next};
    do
        well(pingo_store_audits(b->store, &q, on_audit, &seen, &err), &err);
    while (*next);
    assert_int_equal(seen.n, 5);
    assert_string_equal(seen.verbs, "e d c b a ");
    seen = (struct seen){.n = 0};
    q = (struct pingo_audit_query){.version = 1, .user = "ada"};
    well(pingo_store_audits(b->store, &q, on_audit, &seen, &err), &err);
    assert_string_equal(seen.verbs, "d b ");
    assert_int_equal(pingo_store_audit(b->store, &(struct pingo_audit){0}, &err), PINGO_EINVAL);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_access__a_token_is_good_as_long_as_it_is),
        cmocka_unit_test(test_access__a_token_is_checked_beside_a_writer),
        cmocka_unit_test(test_access__what_was_done_comes_in_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
