/* test_caller.c - roles and their words; who a handle works for may change what is his own, of which a note stands where
 * the change is. */
#include "unit/engine/box.h"

#include <pingo/archive.h>

static void test_caller__roles_have_words(void **state)
{
    static const char *const words[] = {"viewer", "submitter", "admin"};
    enum pingo_role role;

    UNUSED(state);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(pingo_role_name((enum pingo_role)(i + 1)), words[i]);
        assert_true(pingo_role_parse(words[i], &role));
        assert_int_equal(role, i + 1);
    }
    assert_null(pingo_role_name(0));
    assert_null(pingo_role_name((enum pingo_role)4));
    assert_false(pingo_role_parse("", &role));
    assert_false(pingo_role_parse("Admin", &role));
    assert_false(pingo_role_parse("admins", &role));
    assert_int_equal(role, PINGO_ROLE_ADMIN); /* as it was */
}

/* A caller who is none: the handle then works for the owner of the store. */
static void test_caller__who_is_none_is_refused(void **state)
{
    char longest[257];
    const struct {
        struct pingo_caller caller;
        const char *said;
    } rows[] = {
        {{1, NULL, PINGO_ROLE_ADMIN, "socket"}, "a caller has a user, a role and a way in"},
        {{1, "ada", PINGO_ROLE_ADMIN, NULL}, "a caller has a user, a role and a way in"},
        {{1, "ada", 0, "socket"}, "a caller has a user, a role and a way in"},
        {{1, "ada", (enum pingo_role)4, "socket"}, "a caller has a user, a role and a way in"},
        {{1, "", PINGO_ROLE_ADMIN, "socket"}, "a user is 1 to 255 bytes of UTF-8"},
        {{1, longest, PINGO_ROLE_ADMIN, "socket"}, "a user is 1 to 255 bytes of UTF-8"},
        {{1, "a\nb", PINGO_ROLE_ADMIN, "socket"}, "a user is 1 to 255 bytes of UTF-8"},
        {{1, "ada", PINGO_ROLE_ADMIN, "\xff"}, "a way in is 1 to 255 bytes of UTF-8"},
        {{2, "ada", PINGO_ROLE_ADMIN, "socket"}, "pingo_caller"},
    };
    struct box *b = box_new();
    struct pingo_caller ada = {1, "ada", PINGO_ROLE_VIEWER, "socket"};
    struct pingo_error err;

    UNUSED(state);
    memset(longest, 'x', 256);
    longest[256] = '\0';
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        well(pingo_store_act_for(b->store, &ada, &err), &err);
        assert_int_equal(pingo_store_act_for(b->store, &rows[i].caller, &err), PINGO_EINVAL);
        if (!strstr(err.message, rows[i].said))
            fail_msg("row %zu: %s", i, err.message);
        assert_string_equal(b->store->caller.user, "ada"); /* nobody may more for it */
        assert_int_equal(b->store->caller.role, ada.role);
    }
    ada.user = longest + 1;
    well(pingo_store_act_for(b->store, &ada, &err), &err);
    assert_string_equal(b->store->caller.user, longest + 1);
    assert_string_equal(pingo__engine_store_user(b->store), longest + 1);
    box_close(b);
}

/* ---- what he may ---------------------------------------------------------------------------- */

static int make_token(struct box *b, struct pingo_error *err)
{
    struct pingo_token_options options = {
        .version = 1, .name = "mine", .user = "ada", .role = PINGO_ROLE_SUBMITTER};
    char text[PINGO_TOKEN_SIZE];

    return pingo_store_token_create(b->store, &options, text, err);
}

static void be(struct box *b, const char *user, enum pingo_role role)
{
    struct pingo_caller caller = {.version = 1, .user = user, .role = role, .way = "a test"};
    struct pingo_error err;

    well(pingo_store_act_for(b->store, user ? &caller : NULL, &err), &err);
}

static int64_t submit_as(struct box *b, const char *user, const char *text)
{
    struct pingo_submit_options options = {.version = 3, .base_dir = b->root};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;

    be(b, user, PINGO_ROLE_SUBMITTER);
    well(box_try_submit(b, text, &options, &s, &err), &err);
    return s.workflow;
}

static int64_t notes(struct box *b)
{
    return box_int(b, "SELECT count(*) FROM audit");
}

static struct pingo_hash hash_at(struct box *b, int64_t workflow, int64_t id)
{
    struct pingo_hash hash;
    char number[32], text[32];
    struct pingo_error err;

    snprintf(number, sizeof number, "%lld", (long long)workflow);
    snprintf(text, sizeof text, "%lld", (long long)id);
    well(pingo_store_resolve_dataset(b->store, number, text, &hash, &err), &err);
    return hash;
}

static bool is_of(struct box *b, const struct pingo_hash *hash, const char *user)
{
    struct pingo_error err;
    bool is = false;

    well(pingo_store_dataset_is_of(b->store, hash, user, &is, &err), &err);
    return is;
}

#define REFUSED(...) assert_int_equal((__VA_ARGS__), PINGO_EFORBIDDEN)

static void test_caller__each_changes_what_is_his(void **state)
{
    struct box *b = box_new();
    struct pingo_submit_options urgent = {.version = 3, .priority = 1};
    struct pingo_fsck_options repair = {.version = 1, .repair = true};
    bool clean = true;
    struct pingo_submit_options for_ada = {.version = 3, .user = "ada"};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;

    UNUSED(state);
    int64_t ada = submit_as(b, "ada", W(A(1, "") "," A(2, P(FROM(1)))));
    int64_t bob = submit_as(b, "bob", W(A(1, "") "," A(3, "")));
    assert_int_equal(notes(b), 2);
    REFUSED(pingo_store_kill(b->store, &(struct pingo_action_name){ada, NULL}, NULL, &err));
    REFUSED(pingo_store_pause_workflow(b->store, ada, NULL, &err));
    REFUSED(pingo_store_resume_workflow(b->store, ada, NULL, &err));
    REFUSED(pingo_store_set_priority(b->store, bob, 1, &err)); /* his own, but it is an admin's */
    REFUSED(pingo_store_release_workflow(b->store, ada, NULL, &err));
    REFUSED(pingo_store_keep_workflow(b->store, ada, NULL, &err));
    REFUSED(pingo_store_set(b->store, "pool.budget", "1G", &err));
    REFUSED(make_token(b, &err));
    REFUSED(pingo_store_fsck(b->store, &repair, &clean, &err));
    assert_false(clean);
    REFUSED(pingo_store_token_revoke(b->store, "mine", &err));
    REFUSED(pingo_store_forget(b->store, &bob, 1, NULL, &err));
    REFUSED(box_try_submit(b, W(A(4, "")), &urgent, &s, &err));
    REFUSED(box_try_submit(b, W(A(4, "")), &for_ada, &s, &err));
    assert_int_equal(notes(b), 2); /* what was not done is not noted as done */
    well(pingo_store_pause_workflow(b->store, bob, NULL, &err), &err);
    well(pingo_store_resume_workflow(b->store, bob, NULL, &err), &err);
    assert_int_equal(notes(b), 4);
    box_finish_all(b);
    struct pingo_hash shared = hash_at(b, bob, 1), own = hash_at(b, bob, 3),
                      hers = hash_at(b, ada, 2);
    assert_true(is_of(b, &hers, "ada") && is_of(b, &own, "bob") && is_of(b, &shared, "bob"));
    assert_false(is_of(b, &hers, "bob") || is_of(b, &own, "ada") || is_of(b, &own, "eve"));
    be(b, "bob", PINGO_ROLE_SUBMITTER);
    REFUSED(pingo_store_remove(b->store, &hers, &err));
    REFUSED(pingo_store_release(b->store, &hers, NULL, &err));
    REFUSED(pingo_store_keep(b->store, &hers, NULL, &err));
    well(pingo_store_keep(b->store, &shared, NULL, &err), &err); /* a result of his, made by her */
    well(pingo_store_release(b->store, &shared, NULL, &err), &err);
    well(pingo_store_remove(b->store, &own, &err), &err);
    be(b, "ada", PINGO_ROLE_VIEWER);
    REFUSED(pingo_store_release_workflow(b->store, ada, NULL, &err));
    REFUSED(box_try_submit(b, W(A(5, "")), NULL, &s, &err));
    be(b, "root", PINGO_ROLE_ADMIN);
    urgent.user = "ada"; /* which is an admin's, too */
    well(box_try_submit(b, W(A(4, "")), &urgent, &s, &err), &err);
    well(pingo_store_set_priority(b->store, s.workflow, -3, &err), &err);
    assert_int_equal(
        box_int(b, "SELECT min(priority = -3 AND queue = user) FROM action WHERE workflow = (SELECT"
                   " max(id) FROM workflow)"),
        1);
    well(pingo_store_set_priority(b->store, s.workflow, 7, &err), &err);
    assert_int_equal(
        box_int(b, "SELECT min(priority = 7 AND queue = 0) FROM action WHERE workflow = (SELECT"
                   " max(id) FROM workflow)"),
        1);
    assert_int_equal(pingo_store_set_priority(b->store, bob, 1, &err),
                     PINGO_ESTATE); /* it has ended */
    assert_int_equal(pingo_store_set_priority(b->store, 999, 1, &err), PINGO_ENOTFOUND);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){s.workflow, NULL}, NULL, &err),
         &err);
    well(pingo_store_remove(b->store, &hers, &err), &err);
    well(make_token(b, &err), &err);
    assert_int_equal(
        box_int(b, "SELECT count(*) FROM audit WHERE user = 'root' AND way = 'a test'"), 6);
    int64_t before = notes(b);
    struct pingo_archive_options dry = {.version = 1, .dry_run = true};
    well(pingo_store_archive(b->store, &dry, NULL, &err), &err); /* which changes nothing */
    assert_int_equal(notes(b), before);
    /* The owner of the store may everything, and of that nothing is noted. */
    be(b, NULL, 0);
    well(pingo_store_release_workflow(b->store, ada, NULL, &err), &err);
    assert_int_equal(notes(b), before);
    box_close(b);
}

static void test_caller__is_told_what_he_may_not(void **state)
{
    const struct pingo_decide_options plugin = {.version = 1, .algorithm = "/none/such.so"};
    struct box *b = box_new();
    struct pingo_submit_options urgent = {.version = 3, .priority = 1};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;
    char said[200], hex[PINGO_HASH_HEX_SIZE];

    UNUSED(state);
    int64_t ada = submit_as(b, "ada", W(A(1, "") "," A(2, "")));
    submit_as(b, "bob", W(A(1, "")));
    box_finish_all(b);
    struct pingo_hash shared = hash_at(b, 1, 1), hers = hash_at(b, 1, 2);
#define TOLD(call, text)                                                                           \
    REFUSED(call);                                                                                 \
    assert_string_equal(err.message, text)
    TOLD(pingo_store_keep_workflow(b->store, ada, NULL, &err),
         "workflow 1 is of ada: bob may not change it");
    TOLD(pingo_store_set(b->store, "pool.budget", "1G", &err),
         "bob is a submitter, and may not set pool.budget");
    TOLD(pingo_store_set_priority(b->store, ada, 1, &err),
         "bob is a submitter, and may not set the priority of workflow 1");
    TOLD(box_try_submit(b, W(A(4, "")), &urgent, &s, &err),
         "bob is a submitter, and may not submit with a priority above 0");
    pingo_hash_to_hex(&hers, hex);
    snprintf(said, sizeof said, "dataset %s is of somebody else: bob may not remove it", hex);
    TOLD(pingo_store_remove(b->store, &hers, &err), said);
    pingo_hash_to_hex(&shared, hex);
    snprintf(said, sizeof said,
             "dataset %s is a result that others want, too: bob may not remove it", hex);
    TOLD(pingo_store_remove(b->store, &shared, &err), said);
    be(b, "eve", PINGO_ROLE_VIEWER);
    TOLD(box_try_submit(b, W(A(4, "")), NULL, &s, &err), "eve is a viewer, and may not submit");
    TOLD(pingo_store_pause_workflow(b->store, ada, NULL, &err),
         "eve is a viewer, and may not pause");
    TOLD(pingo_store_decide(b->store, &plugin, NULL, &err),
         "eve is a viewer, and may not have plug-ins loaded");
    assert_int_equal(notes(b), 2); /* what was not done is not noted */
    box_close(b);
}

/* A result of two users is removed by none of them, but by an admin. */
static void test_caller__what_others_want_is_an_admins(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    submit_as(b, "ada", W(A(1, "")));
    submit_as(b, "bob", W(A(1, "")));
    box_finish_all(b);
    struct pingo_hash shared = hash_at(b, 1, 1);
    for (int i = 0; i < 2; i++) {
        be(b, i ? "ada" : "bob", PINGO_ROLE_SUBMITTER);
        REFUSED(pingo_store_remove(b->store, &shared, &err));
    }
    well(pingo_store_release_workflow(b->store, 1, NULL, &err), &err); /* she lets it go: it is his */
    be(b, "bob", PINGO_ROLE_SUBMITTER);
    well(pingo_store_remove(b->store, &shared, &err), &err);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_caller__roles_have_words),
        cmocka_unit_test(test_caller__who_is_none_is_refused),
        cmocka_unit_test(test_caller__each_changes_what_is_his),
        cmocka_unit_test(test_caller__is_told_what_he_may_not),
        cmocka_unit_test(test_caller__what_others_want_is_an_admins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
