/* test_access.c - tokens are good as long as they are, a key stands for one request, and who a handle works for may
 * change what is his own, of which a note stands where the change is. */
#include "unit/engine/box.h"

#include <sys/wait.h>

#include "store/submission/users.h"

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

/* ---- keys of requests --------------------------------------------------------------------- */

static int submit(struct pingo_store *store, const char *text, const char *key, int64_t priority,
                  struct pingo_submission *s, struct pingo_error *err)
{
    char *json = json_of(text);
    struct pingo_submit_options options = {
        .version = 3, .user = "ada", .key = key, .priority = priority};
    int rc = pingo_store_submit(store, &(struct pingo_document){json, strlen(json), NULL}, &options,
                                s, err);

    free(json);
    return rc;
}

static void test_access__a_key_stands_for_one_request(void **state)
{
    struct box *b = box_new();
    struct pingo_submission s = {.size = sizeof s}, again = {.size = sizeof again};
    struct pingo_error err;

    UNUSED(state);
    well(submit(b->store, W(A(1, "")), "k1", 0, &s, &err), &err);
    assert_false(s.found);
    box_finish_all(b);
    well(submit(b->store, W(A(1, "")), "k1", 0, &again, &err), &err);
    assert_true(again.found);
    assert_int_equal(again.workflow, s.workflow);
    assert_int_equal(again.state, s.state); /* the same answer, whatever became of it */
    assert_int_equal(again.summary.compute, 1);
    /* A dry run of what was seen leaves nothing. */
    assert_int_equal(submit(b->store, W(A(2, "")), "k1", 0, &again, &err), PINGO_EKEY);
    assert_int_equal(submit(b->store, W(A(1, "")), "k1", -1, &again, &err), PINGO_EKEY);
    well(submit(b->store, W(A(1, "")), "k2", 0, &again, &err), &err);
    assert_int_equal(again.workflow, 2);
    /* What failed stands for nothing. */
    assert_int_equal(submit(b->store, "{'name':'w'}", "k3", 0, &again, &err), PINGO_EWORKFLOW);
    well(submit(b->store, W(A(3, "")), "k3", 0, &again, &err), &err);
    assert_int_equal(box_int(b, "SELECT count(*) FROM workflow"), 3);
    /* After a day it is new. */
    box_int(b, "UPDATE request SET at_ms = at_ms - 86400001 WHERE key = 'k1' RETURNING 1");
    well(submit(b->store, W(A(2, "")), "k1", 0, &again, &err), &err);
    assert_false(again.found);
    assert_int_equal(box_int(b, "SELECT count(*) FROM request"), 3);
    assert_int_equal(submit(b->store, W(A(2, "")), "", 0, &again, &err), PINGO_EINVAL);
    box_close(b);
}

/* Who works on it is asked by the kernel: it is free when its process is dead. */
static void test_access__a_key_is_worked_on_once(void **state)
{
    struct box *b = box_new();
    struct pingo__store_request asked = {.user = "ada", .key = "k1"};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;
    int up[2], status;
    bool is_taken = false;
    char byte;

    UNUSED(state);
    assert_int_equal(pipe(up), 0);
    pid_t child = fork();
    if (child == 0) {
        struct pingo_store *own = NULL;
        bool took = pingo_store_open(b->dir, NULL, &own, NULL) == 0 &&
                    pingo__store_request_take(&own->db, &asked, &is_taken, NULL) == 0 && is_taken;
        if (write(up[1], took ? "y" : "n", 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(up[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    assert_int_equal(submit(b->store, W(A(1, "")), "k1", 0, &s, &err), PINGO_EPENDING);
    well(submit(b->store, W(A(1, "")), "k2", 0, &s, &err), &err);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    well(submit(b->store, W(A(1, "")), "k1", 0, &s, &err), &err);
    assert_false(s.found);
    close(up[0]);
    close(up[1]);
    box_close(b);
}

/* ---- for whom a handle works -------------------------------------------------------------- */

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

static void test_access__each_changes_what_is_his(void **state)
{
    struct box *b = box_new();
    struct pingo_submit_options urgent = {.version = 3, .priority = 1};
    struct pingo_submission s = {.size = sizeof s};
    char text[PINGO_TOKEN_SIZE];
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
    REFUSED(make(b, "mine", 0, text, &err));
    REFUSED(pingo_store_token_revoke(b->store, "mine", &err));
    REFUSED(pingo_store_forget(b->store, &bob, 1, NULL, &err));
    REFUSED(box_try_submit(b, W(A(4, "")), &urgent, &s, &err));
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
    well(make(b, "mine", 0, text, &err), &err);
    assert_int_equal(
        box_int(b, "SELECT count(*) FROM audit WHERE user = 'root' AND way = 'a test'"), 6);
    /* The owner of the store may everything, and of that nothing is noted. */
    int64_t before = notes(b);
    be(b, NULL, 0);
    well(pingo_store_release_workflow(b->store, ada, NULL, &err), &err);
    assert_int_equal(notes(b), before);
    box_close(b);
}

static int64_t submit_at(struct box *b, const char *user, int64_t priority, const char *text)
{
    struct pingo_submit_options options = {
        .version = 3, .base_dir = b->root, .user = user, .priority = priority};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;

    well(box_try_submit(b, text, &options, &s, &err), &err);
    return s.workflow;
}

/* In whose queue the actions of the first submission stand: ",1,2," of several, "1" of one, "0": before all. */
static void stand(struct box *b, const char *first, const char *second)
{
    struct pingo_error err;

    for (int i = 0; i < 2; i++) {
        int64_t is = 0;
        well(pingo__db_number(
                 &b->store->db, &err, &is,
                 "SELECT coalesce((SELECT users FROM joint j WHERE j.id = a.queue),"
                 " CAST(a.queue AS TEXT)) = ?1 FROM action a WHERE workflow = 1 AND position = ?2",
                 TEXT(i ? second : first), INT(i)),
             &err);
        if (!is)
            fail_msg("action %d is not in %s", i + 1, i ? second : first);
    }
}

static void set_priority(struct box *b, int64_t workflow, int64_t priority)
{
    struct pingo_error err;

    well(pingo_store_set_priority(b->store, workflow, priority, &err), &err);
}

static void test_access__a_priority_that_was_set_leaves_each_his_place(void **state)
{
    struct box *b = box_new();
    const char *text = W(A(1, "") "," A(2, P(FROM(1))));

    UNUSED(state);
    int64_t ada = submit_at(b, "ada", 0, text);
    int64_t bob = submit_at(b, "bob", 0, text);
    stand(b, ",1,2,", ",1,2,");
    /* Hers, though it was in hand in his turn and was taken back. */
    box_int(b, "UPDATE action SET user = 2 WHERE workflow = 1 RETURNING 1");
    set_priority(b, ada, 5);
    stand(b, "0", "0");
    set_priority(b, ada, 0);
    stand(b, ",1,2,", ",1,2,");
    /* His, who joined it. */
    set_priority(b, bob, 5);
    stand(b, "0", "0");
    set_priority(b, bob, 0);
    stand(b, ",1,2,", ",1,2,");
    /* Her own, who asks for a part of it in haste. */
    int64_t urgent = submit_at(b, "ada", 1, W(A(1, "")));
    stand(b, "0", ",1,2,");
    set_priority(b, urgent, 0);
    stand(b, ",1,2,", ",1,2,");
    submit_at(b, "ada", 0, text);
    stand(b, ",1,2,", ",1,2,");
    submit_at(b, "cat", 0, W(A(1, "")));
    stand(b, ",1,2,3,", ",1,2,");
    set_priority(b, ada, 1);
    set_priority(b, ada, -2);
    stand(b, ",1,2,3,", ",1,2,");
    box_finish_all(b);
    assert_int_equal(box_int(b, "SELECT sum(running) FROM user"), 0);
    box_clean(b);
    box_close(b);
}

/* With one user alone too, and where a run claims for the submission that has what was lifted. */
static void test_access__ones_own_haste_lifts_what_it_waits_for(void **state)
{
    struct box *b = box_new();
    int64_t only = submit_at(b, "ada", 0, W(A(1, "") "," A(2, "")));
    struct pingo_error err;

    UNUSED(state);
    submit_at(b, "ada", 1, W(A(2, "")));
    stand(b, "1", "0");
    well(pingo_scheduler_scope(b->s, &only, 1, &err), &err);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    assert_string_equal(b->fake.jobs[0].name, "a2");
    box_clean(b);
    box_close(b);
}

/* What waits for actions of different users is in a queue of all of them, each once. */
static void test_access__queues_of_several_are_merged(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    int64_t joint;

    UNUSED(state);
    submit_at(b, "ada", 0, W(A(1, "") "," A(2, "")));
    submit_at(b, "bob", 0, W(A(3, "") "," A(4, "")));
    submit_at(b, "cat", 0, W(A(3, "")));
    submit_at(b, "cat", 0, W(A(2, "")));
    stand(b, "1", ",1,3,");
    joint = box_int(b, "SELECT id FROM joint WHERE users = ',2,3,'");
    assert_true(joint < 0);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_queue_join(&b->store->db, 1, joint, &err), &err);
    well(pingo__store_queue_join(&b->store->db, 2, joint, &err), &err);
    well(pingo__store_db_end(&b->store->db, 0, &err), &err);
    stand(b, ",1,2,3,", ",1,2,3,");
    box_close(b);
}

/* A result of two users is removed by none of them, but by an admin. */
static void test_access__what_others_want_is_an_admins(void **state)
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

/* ---- what is in a dataset ----------------------------------------------------------------- */

static int on_entry(void *context, const char *name, bool is_directory, int64_t size)
{
    UNUSED(name);
    *(int64_t *)context += is_directory ? 1000 : size;
    return 0;
}

static void test_access__content_is_held_while_it_is_read(void **state)
{
    struct box *b = box_new();
    struct pingo_content *c = NULL;
    struct pingo_error err;
    char byte = 0;
    int64_t size = 0, sum = 0;
    int fd = -1;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    struct pingo_hash hash = hash_at(b, 1, 1);
    assert_int_equal(pingo_store_content(b->store, &hash, &c, &err), PINGO_ESTATE);
    assert_null(c);
    box_finish_all(b);
    well(pingo_store_content(b->store, &hash, &c, &err), &err);
    assert_int_equal(pingo_store_remove(b->store, &hash, &err), PINGO_ECLAIMED);
    well(pingo_content_open(c, NULL, &fd, &size, &err), &err);
    assert_int_equal(size, 2);
    assert_int_equal(read(fd, &byte, 1), 1);
    assert_int_equal(byte, 'a');
    close(fd);
    assert_int_equal(pingo_content_open(c, "x", &fd, &size, &err), PINGO_ENOTFOUND);
    assert_int_equal(pingo_content_open(c, "..", &fd, &size, &err), PINGO_EINVAL);
    assert_int_equal(pingo_content_list(c, NULL, on_entry, &sum, &err), PINGO_ESTATE);
    pingo_content_close(c);
    well(pingo_store_remove(b->store, &hash, &err), &err);
    box_tick(b);
    box_tick(b);
    assert_int_equal(pingo_store_content(b->store, &hash, &c, &err), PINGO_ESTATE);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_access__a_token_is_good_as_long_as_it_is),
        cmocka_unit_test(test_access__a_token_is_checked_beside_a_writer),
        cmocka_unit_test(test_access__a_key_stands_for_one_request),
        cmocka_unit_test(test_access__a_key_is_worked_on_once),
        cmocka_unit_test(test_access__each_changes_what_is_his),
        cmocka_unit_test(test_access__a_priority_that_was_set_leaves_each_his_place),
        cmocka_unit_test(test_access__ones_own_haste_lifts_what_it_waits_for),
        cmocka_unit_test(test_access__queues_of_several_are_merged),
        cmocka_unit_test(test_access__what_others_want_is_an_admins),
        cmocka_unit_test(test_access__what_was_done_comes_in_pages),
        cmocka_unit_test(test_access__content_is_held_while_it_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
