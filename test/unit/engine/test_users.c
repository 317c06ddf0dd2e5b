/* test_users.c - shares and quotas of users: what they are set to, and what is told of them. */
#include "unit/engine/box.h"

#include <pingo/users.h>

static void set(struct box *b, const char *user, struct pingo_share_options o)
{
    struct pingo_error err;

    o.version = 1;
    well(pingo_store_set_share(b->store, user, &o, &err), &err);
}

static void submit_as(struct box *b, const char *user, const char *text)
{
    struct pingo_submit_options o = {.version = 2, .base_dir = b->root, .user = user};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;

    well(box_try_submit(b, text, &o, &s, &err), &err);
}

struct told {
    struct box *b;
    int n;
    char names[100];
    struct pingo_share last; /* without its text */
};

/* It may call back. */
static int on_share(void *context, const struct pingo_share *share)
{
    struct told *t = context;
    int64_t workflow;
    struct pingo_error err;

    if (t->b)
        well(pingo_store_resolve_workflow(t->b->store, "last", &workflow, &err), &err);
    snprintf(t->names + strlen(t->names), sizeof t->names - strlen(t->names), "%s ", share->user);
    t->n++;
    t->last = *share;
    t->last.user = NULL;
    return t->b == NULL && t->n == 2;
}

static struct pingo_share share_of(struct box *b, const char *user)
{
    struct told t = {.b = b};
    struct pingo_error err;

    well(pingo_store_shares(b->store, &(struct pingo_share_query){.version = 1, .user = user},
                            on_share, &t, &err),
         &err);
    assert_int_equal(t.n, 1);
    return t.last;
}

static void test_users__are_told_with_what_they_have(void **state)
{
    struct box *b = box_new();
    struct pingo_share s;

    UNUSED(state);
    submit_as(b, "ada", W(A(1, ",'resources':{'cpus':2}") "," A(2, P(FROM(1)))));
    s = share_of(b, "ada");
    assert_int_equal(s.weight, 1);
    assert_true(s.part == 1.0);
    assert_int_equal(s.running, 0);
    assert_int_equal(s.waiting, 2);
    assert_int_equal(s.usage_ms + s.bytes, 0);
    assert_true(s.max_slots == -1 && s.max_actions == -1 && s.max_bytes == -1);
    box_tick(b);
    s = share_of(b, "ada");
    assert_int_equal(s.running, 2); /* slots */
    assert_int_equal(s.waiting, 1);
    box_finish_all(b);
    set(b, "bob", (struct pingo_share_options){.weight = 3});
    s = share_of(b, "ada");
    assert_int_equal(s.running + s.waiting, 0);
    assert_int_equal(s.bytes, 2); /* of its result */
    assert_true(s.part == 0.25);
    s = share_of(b, "bob");
    assert_true(s.part == 0.75);
    assert_int_equal(s.bytes, 0);
    box_close(b);
}

/* It is told as it is by now: a half-life ago it was twice as much. */
static void test_users__old_use_is_worth_less(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    submit_as(b, "ada", W(A(1, "")));
    well(pingo_store_set(b->store, "share.halfLifeHours", "2", &err), &err);
    box_run(b, "UPDATE user SET usage_ms = 1000000, as_of_ms = 1000 *"
               " (CAST(strftime('%s') AS INTEGER) - 7200)");
    assert_in_range(share_of(b, "ada").usage_ms, 480000, 501000);
    assert_int_equal(box_int(b, "SELECT usage_ms FROM user"), 1000000); /* who looks books nothing */
    box_close(b);
}

static void test_users__quotas_are_set_one_by_one(void **state)
{
    struct box *b = box_new();
    struct pingo_submission submission = {.size = sizeof submission};
    struct pingo_submit_options o = {.version = 2, .base_dir = b->root, .user = "ada"};
    struct pingo_share s;
    struct pingo_error err;

    UNUSED(state);
    submit_as(b, "ada", W(A(9, "")));
    set(b, "ada",
        (struct pingo_share_options){
            .weight = 10000, .max_slots = 2, .max_actions = 3, .max_bytes = 4});
    set(b, "ada", (struct pingo_share_options){.max_slots = -1}); /* the rest as it is */
    s = share_of(b, "ada");
    assert_int_equal(s.weight, 10000);
    assert_int_equal(s.max_slots, -1);
    assert_int_equal(s.max_actions, 3);
    assert_int_equal(s.max_bytes, 4);
    assert_int_equal(box_try_submit(b, W(A(1, "") "," A(2, "") "," A(3, "")), &o, &submission, &err),
                     PINGO_EQUOTA);
    set(b, "ada", (struct pingo_share_options){.max_actions = -1, .max_bytes = -1});
    well(box_try_submit(b, W(A(1, "") "," A(2, "") "," A(3, "")), &o, &submission, &err), &err);
    box_close(b);
}

static void test_users__who_was_there_first_is_told_first(void **state)
{
    struct box *b = box_new();
    struct told t = {.b = b};
    struct pingo_share_query q = {.version = 1, .user = "eve"};
    struct pingo_error err;

    UNUSED(state);
    well(pingo_store_shares(b->store, NULL, on_share, &t, &err), &err);
    assert_int_equal(t.n, 0);
    set(b, "zoe", (struct pingo_share_options){.weight = 1}); /* who has asked for nothing yet */
    submit_as(b, "bob", W(A(1, "")));
    submit_as(b, "ada", W(A(1, "")));
    submit_as(b, "bob", W(A(2, "")));
    well(pingo_store_shares(b->store, NULL, on_share, &t, &err), &err);
    assert_string_equal(t.names, "zoe bob ada ");
    t = (struct told){.b = NULL}; /* stops at the second */
    assert_int_equal(pingo_store_shares(b->store, NULL, on_share, &t, &err), PINGO_EINTERRUPTED);
    assert_int_equal(t.n, 2);
    assert_int_equal(pingo_store_shares(b->store, &q, on_share, &t, &err), PINGO_ENOTFOUND);
    assert_string_equal(err.message, "there is no user \"eve\" in this store");
    q.version = 2;
    assert_int_equal(pingo_store_shares(b->store, &q, on_share, &t, &err), PINGO_EINVAL);
    box_close(b);
}

static void test_users__what_cannot_be_is_refused(void **state)
{
    char longest[257];
    const struct {
        const char *user;
        struct pingo_share_options options;
        const char *said;
    } rows[] = {
        {NULL, {.version = 1}, "whose share?"},
        {"", {.version = 1}, "a user is 1 to 255 bytes of UTF-8 without control characters"},
        {"a\nb", {.version = 1}, "a user is 1 to 255 bytes"},
        {longest, {.version = 1}, "a user is 1 to 255 bytes"},
        {"ada", {.version = 2}, "pingo_share_options"},
        {"ada", {.version = 1, .weight = -1}, "a weight is from 1 to 10000"},
        {"ada", {.version = 1, .weight = 10001}, "a weight is from 1 to 10000"},
        {"ada", {.version = 1, .max_slots = -2}, "a quota is at least 1, or none"},
        {"ada", {.version = 1, .max_actions = -2}, "a quota is at least 1, or none"},
        {"ada", {.version = 1, .max_bytes = INT64_MIN}, "a quota is at least 1, or none"},
    };
    struct pingo_caller bob = {1, "bob", PINGO_ROLE_SUBMITTER, "a test"};
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    memset(longest, 'x', 256);
    longest[256] = '\0';
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(pingo_store_set_share(b->store, rows[i].user, &rows[i].options, &err),
                         PINGO_EINVAL);
        if (!strstr(err.message, rows[i].said))
            fail_msg("row %zu: %s", i, err.message);
    }
    well(pingo_store_act_for(b->store, &bob, &err), &err); /* not even one's own */
    assert_int_equal(pingo_store_set_share(b->store, "bob",
                                           &(struct pingo_share_options){.version = 1, .weight = 9},
                                           &err),
                     PINGO_EFORBIDDEN);
    assert_string_equal(err.message, "bob is a submitter, and may not set the share of bob");
    assert_int_equal(box_int(b, "SELECT count(*) FROM user"), 0);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_users__are_told_with_what_they_have),
        cmocka_unit_test(test_users__old_use_is_worth_less),
        cmocka_unit_test(test_users__quotas_are_set_one_by_one),
        cmocka_unit_test(test_users__who_was_there_first_is_told_first),
        cmocka_unit_test(test_users__what_cannot_be_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
