/* test_adopt.c - an output that was made before Pingo becomes the dataset of an action that has not run; the user's own files
 * stay as they are, and what is refused changes nothing. */
#include "unit/engine/far.h"

#include "pool/posix/posix.h"
#include "unit/manager/dataset/outside_files.h"

/* A path in the scratch directory of the test. */
static const char *at(struct box *b, const char *below)
{
    static char path[200];

    snprintf(path, sizeof path, "%s%s%s", b->root, *below ? "/" : "", below);
    return path;
}

static int adopt(struct box *b, int64_t workflow, const char *action, const char *below,
                 struct pingo_error *err)
{
    return pingo_store_adopt(b->store, &(struct pingo_action_name){workflow, action}, at(b, below),
                             NULL, err);
}

static void test_adopt__a_file_is_the_output(void **state)
{
    struct box *b = box_new();
    struct pingo_hash hash = {{0}}, wanted;
    struct pingo_error err;
    struct stat st;

    UNUSED(state);
    box_submit(b, PAIR);
    outside_write(at(b, "old"), "made before");
    assert_int_equal(symlink("old", at(b, "link")), 0);
    well(pingo_store_adopt(b->store, &(struct pingo_action_name){1, "a1"}, at(b, "link"), &hash,
                           &err),
         &err);
    wanted = box_hash(b, 1, 1);
    assert_memory_equal(&hash, &wanted, sizeof hash);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FINISHED);
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_READY);
    assert_int_equal(box_int(b, "SELECT pinned FROM dataset WHERE id = 1"), 1);
    assert_int_equal(box_int(b, "SELECT size_bytes FROM object WHERE id = 1"), 11);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE adopted_from LIKE '%/old'"), 1);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt"), 0);
    assert_int_equal(stat(at(b, "old"), &st), 0); /* as it was */
    assert_int_equal(st.st_mode & 07777, 0644);
    outside_holds(at(b, "old"), "made before");
    box_tick(b);
    outside_holds(fake_job(&b->fake, "a2")->links[0], "made before");
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM owner"), 1); /* the scheduler */
    assert_int_equal(adopt(b, 1, "a1", "old", &err), PINGO_ESTATE);
    assert_string_equal(err.message,
                        "action 1 (a1) is FINISHED; submit the workflow again to adopt its output");
    box_clean(b);
    box_close(b);
}

/* A directory; equal actions end with it, and what came before it for nobody else does not run. */
static void test_adopt__a_directory_for_all_that_are_equal(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, PAIR);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2)))));
    assert_int_equal(mkdir(at(b, "old"), 0755), 0);
    outside_write(at(b, "old/file"), "one");
    assert_int_equal(symlink("file", at(b, "old/link")), 0);
    well(adopt(b, 2, "a2", "old", &err), &err); /* which is that of 1 */
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_CANCELLED);
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_FINISHED);
    assert_int_equal(
        box_int(b, "SELECT count(*) FROM action WHERE message ="
                   " 'not needed: the output of action 2 (a2) was adopted' AND workflow = 1"),
        1);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(b->fake.n, 1); /* a3 */
    outside_holds(at(b, "old/file"), "one");
    box_clean(b);
    box_close(b);
}

static void test_adopt__what_is_refused_changes_nothing(void **state)
{
    static const struct {
        int64_t workflow;
        const char *action, *path;
        int rc;
        const char *said;
    } rows[] = {
        {1, NULL, "old", PINGO_EINVAL, "an action and a path are needed"},
        {1, "a1", "nowhere", PINGO_EINPUT, "/nowhere: No such file or directory"},
        {1, "nobody", "old", PINGO_ENOTFOUND, "nobody"},
        {9, "a1", "old", PINGO_ENOTFOUND, "there is no workflow 9"},
        {1, "a1", "", PINGO_EINVAL, ": holds the store itself, and is no output"},
        {1, "a1", ".pingo", PINGO_EINVAL, "/.pingo: holds the store itself"},
        {1, "a1", "here/.pingo/pool", PINGO_EINVAL, "/.pingo/pool: holds the store itself"},
        {1, "a1", "out", PINGO_EINPUT, "/out: cannot be kept: "},
        {1, "a1", "fifo", PINGO_EINPUT, "/fifo: is neither a file, a directory nor a link"},
        {1, "a1", "pipes", PINGO_EINPUT, "/pipes/pipe: is neither a file, a directory nor a link"},
        {1, "a5", "old", PINGO_ESTATE,
         "action 5 (a5): its output is unmanaged, and is always computed"},
        {1, "a6", "old", PINGO_ESTATE, "action 6 (a6) is being computed"},
        {2, "a1", "old", PINGO_ESTATE,
         "action 1 (a1) is reused or skipped in workflow 2: it needs no output"},
    };
    struct box *b = box_new();
    struct pingo_submit_options o = {
        .version = 2, .base_dir = b->root, .targets = (const char *const[]){"a2"}, .ntargets = 1};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_caller bob = {1, "bob", PINGO_ROLE_SUBMITTER, "a test"};
    struct pingo_error err;

    UNUSED(state);
    outside_write(at(b, "old"), "one");
    assert_int_equal(mkdir(at(b, "out"), 0755), 0);
    assert_int_equal(symlink("../old", at(b, "out/link")), 0); /* it leads out */
    assert_int_equal(mkfifo(at(b, "fifo"), 0644), 0);
    assert_int_equal(mkdir(at(b, "pipes"), 0755), 0);
    assert_int_equal(mkfifo(at(b, "pipes/pipe"), 0644), 0);
    assert_int_equal(symlink(".", at(b, "here")), 0);
    box_submit(b, W(A(1, P(FROM(6))) "," A(
                      6, "") ",{'id':5,'name':'a5','type':'command-line',"
                             "'command':'x','isManaged':false,'outputPath':'elsewhere',"
                             "'parentActions':[{'id':6,'as':'p6'}]}"));
    well(box_try_submit(b, W(A(1, "") "," A(2, "")), &o, &s, &err), &err);
    box_tick(b); /* a6 is in hand */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int rc = adopt(b, rows[i].workflow, rows[i].action, rows[i].path, &err);
        if (rc != rows[i].rc || !strstr(err.message, rows[i].said))
            fail_msg("row %zu: %s: %s", i, pingo_error_name(rc), err.message);
    }
    assert_int_equal(
        pingo_store_adopt(b->store, &(struct pingo_action_name){1, "a1"}, "", NULL, &err),
        PINGO_EINVAL);
    well(pingo_store_act_for(b->store, &bob, &err), &err);
    assert_int_equal(adopt(b, 1, "a1", "old", &err), PINGO_EFORBIDDEN);
    well(pingo_store_act_for(b->store, NULL, &err), &err);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_WAITING);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE adopted_from IS NOT NULL"), 0);
    assert_int_equal(outside_entries(at(b, ".pingo/pool/staged")), 0);
    box_tick(b); /* copies that were not kept go with the trash */
    assert_int_equal(outside_entries(at(b, ".pingo/pool/trash")), 0);
    assert_int_equal(count_objects(b, ".pingo/pool"), 0);
    outside_holds(at(b, "old"), "one");
    box_clean(b);
    box_close(b);
}

/* ---- others meanwhile ----------------------------------------------------------------------- */

static struct box *swept;

/* Another process, whose hour it is, comes by while what is adopted is brought to the disk. */
static int sync_and_sweep(void *context, int fd)
{
    struct pingo_error err;
    bool must = true;

    well(pingo__engine_sweep_tick(&swept->s->context, swept->store, &must, &err), &err);
    return pingo__world_real()->syncfs(context, fd);
}

static void test_adopt__a_sweep_leaves_what_is_adopted_just_now(void **state)
{
    struct box *b = swept = box_new();
    struct pingo__world world = *pingo__world_real();
    struct pingo_store *other;
    struct pingo_error err;

    UNUSED(state);
    world.syncfs = sync_and_sweep;
    box_submit(b, PAIR);
    outside_write(at(b, "old"), "made before");
    well(pingo_store_open(b->dir, NULL, &other, &err), &err);
    ((struct pingo__pool_directory *)other->pool.handle)->world = &world;
    well(pingo_store_adopt(other, &(struct pingo_action_name){1, "a1"}, at(b, "old"), NULL, &err),
         &err);
    pingo_store_close(other);
    box_tick(b);
    assert_non_null(fake_job(&b->fake, "a2"));
    outside_holds(fake_job(&b->fake, "a2")->links[0], "made before");
    box_finish_all(b);
    box_clean(b);
    box_close(b);
}

static void adopt_first(void)
{
    struct pingo_error err;

    well(adopt(swept, 1, "a1", "first", &err), &err);
}

/* Two adopt for one action; the second is refused, and the first one's object stays. */
static void test_adopt__who_is_refused_leaves_what_another_adopted(void **state)
{
    struct box *b = swept = far_box();
    struct pingo_store *other;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, PAIR);
    outside_write(at(b, "first"), "first");
    outside_write(at(b, "second"), "second");
    well(pingo_store_open(b->dir, NULL, &other, &err), &err);
    far_is.meanwhile = adopt_first;
    assert_int_equal(
        pingo_store_adopt(other, &(struct pingo_action_name){1, "a1"}, at(b, "second"), NULL, &err),
        PINGO_ESTATE);
    pingo_store_close(other);
    assert_int_equal(count_objects(b, "far"), 1);
    finish(b, 1);
    assert_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adopt__a_file_is_the_output),
        cmocka_unit_test(test_adopt__a_directory_for_all_that_are_equal),
        cmocka_unit_test(test_adopt__what_is_refused_changes_nothing),
        cmocka_unit_test(test_adopt__a_sweep_leaves_what_is_adopted_just_now),
        cmocka_unit_test(test_adopt__who_is_refused_leaves_what_another_adopted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
