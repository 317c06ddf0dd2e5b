/* test_export.c - leaves out of the pool: which ones, under which names, that nothing of others is replaced, and that what
 * is not there keeps nothing else. */
#include "unit/engine/look/told.h"

static int on_exported(void *context, int64_t id, const char *name, const char *path, int64_t size)
{
    add(context, "%lld:%s:%s:%lld ", (long long)id, name, strrchr(path, '/') + 1, (long long)size);
    return 0;
}

/* Exports to "out" below the box. */
static int export(struct box *b, const char *action, struct pingo_export_options o,
                  struct pingo_error *err)
{
    char to[100];

    o.version = 1;
    snprintf(to, sizeof to, "%s/out", b->root);
    return pingo_store_export(b->store, &(struct pingo_action_name){1, action}, to, &o, err);
}

static void expect_error(struct box *b, const char *action, struct pingo_export_options o, int rc,
                         const char *message)
{
    struct pingo_error err;

    assert_int_equal(export(b, action, o, &err), rc);
    if (!strstr(err.message, message))
        fail_msg("%s: %s", message, err.message);
    /* What held the datasets has let them go. */
    assert_int_equal(box_int(b, "SELECT count(*) FROM hold"), 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM writing"), 0);
}

/* What lies at a path below "out" is this text; NULL: nothing. */
static void expect_file(struct box *b, const char *name, const char *want)
{
    char path[200], text[100];

    snprintf(path, sizeof path, "%s/out/%s", b->root, name);
    int fd = open(path, O_RDONLY);
    if (fd < 0 && !want)
        return;
    ssize_t n = read(fd, text, sizeof text - 1);
    assert_true(n >= 0);
    text[n] = '\0';
    close(fd);
    assert_string_equal(text, want ? want : "nothing");
}

static void write_file(struct box *b, const char *name, const char *text)
{
    char path[200];

    snprintf(path, sizeof path, "%s/out", b->root);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/out/%s", b->root, name);
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

/* Three leaves and what they are made of; an output has a name of its own. */
static struct box *three(void)
{
    struct box *b = box_new();

    box_submit(b, W(A(1, ",'labels':{'s':'x'}") "," A(2, P(FROM(1)) ",'output':'o.txt'") "," A(
                      3, P(FROM(1))) "," A(4, P(FROM(1)))));
    box_finish_all(b);
    return b;
}

static void test_export__the_leaves_or_what_is_asked_for(void **state)
{
    static const int64_t ids[] = {3, 1, 3}, none[] = {3, 9};
    struct box *b = three();
    struct told t = {.n = 0};
    struct pingo_export_options o = {.exported = on_exported, .context = &t};
    struct pingo_error err;

    UNUSED(state);
    well(export(b, NULL, o, &err), &err);
    assert_string_equal(t.text, "2:a2:a2.txt:2 3:a3:a3:2 4:a4:a4:2 ");
    expect_file(b, "a1", NULL);
    expect_file(b, "a2.txt", "a2");
    t = (struct told){.n = 0};
    well(export(b, "a1", o, &err), &err);
    assert_string_equal(t.text, "1:a1:a1:2 ");
    t = (struct told){.n = 0};
    o.ids = ids;
    o.nids = 3;
    o.name_template = "{workflow}/{id}";
    well(export(b, NULL, o, &err), &err); /* each once, in the order of the definition */
    assert_string_equal(t.text, "1:a1:1:2 3:a3:3:2 ");
    expect_file(b, "1/3", "a3");
    well(export(b, "a3", (struct pingo_export_options){.as = "plot.png"}, &err), &err);
    expect_file(b, "plot.png", "a3");
    expect_error(b, "a9", (struct pingo_export_options){0}, PINGO_ENOTFOUND, "a9");
    expect_error(b, NULL, (struct pingo_export_options){.ids = none, .nids = 2}, PINGO_ENOTFOUND,
                 "no action has the id 9");
    expect_error(b, NULL, (struct pingo_export_options){.name_template = "{label.s}"},
                 PINGO_ENOTFOUND, "has no label \"s\"");
    well(export(b, "a1", (struct pingo_export_options){.name_template = "{label.s}"}, &err), &err);
    expect_file(b, "x", "a1");
    box_clean(b);
    box_close(b);
}

static void test_export__a_name_that_is_none_is_refused(void **state)
{
    static const char *const bad[] = {"", ".", "..", "a/b", "../a", "/a"};
    struct box *b = three();
    struct pingo_export_options newer = {.version = 2};
    struct pingo_error err;
    char to[100];

    UNUSED(state);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_error(b, "a1", (struct pingo_export_options){.as = bad[i]}, PINGO_EINVAL,
                     "as is a plain name");
    expect_error(b, NULL, (struct pingo_export_options){.as = "a"}, PINGO_EINVAL, "of one action");
    expect_error(b, "a1", (struct pingo_export_options){.as = "a", .name_template = "{name}"},
                 PINGO_EINVAL, "without a template");
    expect_error(b, "a1", (struct pingo_export_options){.name_template = "../{name}"}, PINGO_EINVAL,
                 "a template is a relative path");
    snprintf(to, sizeof to, "%s/out", b->root);
    assert_int_equal(
        pingo_store_export(b->store, &(struct pingo_action_name){1, NULL}, to, &newer, &err),
        PINGO_EINVAL);
    assert_int_equal(
        pingo_store_export(b->store, &(struct pingo_action_name){7, NULL}, to, NULL, &err),
        PINGO_ENOTFOUND);
    assert_int_not_equal(access(to, F_OK), 0); /* nothing was made */
    assert_int_equal(
        pingo_store_export(b->store, &(struct pingo_action_name){1, NULL}, "", NULL, &err),
        PINGO_EINVAL);
    box_close(b);
}

/* All targets are looked at before the first is written. */
static void test_export__nothing_of_others_is_replaced(void **state)
{
    struct box *b = three();
    struct told t = {.n = 0};
    struct pingo_error err;

    UNUSED(state);
    write_file(b, "a3", "mine");
    expect_error(b, NULL, (struct pingo_export_options){0}, PINGO_EEXISTS,
                 "a3: is there, and was not written by Pingo");
    expect_file(b, "a2.txt", NULL);
    write_file(b, "a4", "mine too");
    expect_error(b, NULL, (struct pingo_export_options){0}, PINGO_EEXISTS,
                 " (and 1 more); nothing was exported");
    well(export(b, NULL, (struct pingo_export_options){.force = true}, &err), &err);
    expect_file(b, "a3", "a3");
    expect_file(b, "a4", "a4");
    write_file(b, "a3", "changed");
    expect_error(b, "a3", (struct pingo_export_options){0}, PINGO_EEXISTS,
                 "was changed since Pingo wrote it");
    expect_file(b, "a3", "changed");
    well(export(b, "a3", (struct pingo_export_options){.force = true}, &err), &err);
    /* What is ours, or is what it would become, is no obstacle. */
    well(export(b, NULL, (struct pingo_export_options){.exported = on_exported, .context = &t}, &err),
         &err);
    assert_int_equal(t.n, 3);
    /* A file where a directory is wanted. */
    well(export(b, "a3", (struct pingo_export_options){.as = "dir"}, &err), &err);
    assert_true(
        export(b, "a3", (struct pingo_export_options){.name_template = "dir/{name}"}, &err) < 0);
    expect_file(b, "dir", "a3");
    box_clean(b);
    box_close(b);
}

static void test_export__never_into_the_store(void **state)
{
    struct box *b = three();
    struct pingo_export_options force = {.version = 1, .force = true};
    struct pingo_error err;
    char path[200];

    UNUSED(state);
    snprintf(path, sizeof path, "%s/pool", b->dir);
    assert_int_equal(
        pingo_store_export(b->store, &(struct pingo_action_name){1, NULL}, path, &force, &err),
        PINGO_EINVAL);
    assert_non_null(strstr(err.message, "store"));
    assert_int_equal(pingo_store_check_target(b->store, path, &err), PINGO_EINVAL);
    assert_int_equal(pingo_store_check_target(b->store, b->root, &err), PINGO_EINVAL);
    write_file(b, "mine", "x");
    snprintf(path, sizeof path, "%s/out/mine", b->root);
    assert_int_equal(pingo_store_check_target(b->store, path, &err), PINGO_EEXISTS);
    assert_non_null(strstr(err.message, "--force-outputs"));
    strcat(path, "-not");
    well(pingo_store_check_target(b->store, path, &err), &err);
    box_clean(b);
    box_close(b);
}

static int unlink_dataset(void *context, const struct pingo_dataset_status *s)
{
    UNUSED(context);
    assert_int_equal(unlink(s->path), 0);
    return 0;
}

/* The rest is exported, and the first that is not there is told. */
static void test_export__what_is_not_there_keeps_nothing_else(void **state)
{
    struct box *b = three();
    struct pingo_hash gone = box_hash(b, 1, 3);
    struct told t = {.n = 0};
    struct pingo_export_options o = {.exported = on_exported, .context = &t};
    struct pingo_error err;
    char path[300];

    UNUSED(state);
    box_shut_place(b, ".3.1");
    expect_error(b, NULL, o, PINGO_EAWAY, ".3.1: looking at: Permission denied");
    assert_string_equal(t.text, "2:a2:a2.txt:2 4:a4:a4:2 ");
    box_shut_place(b, NULL);
    t = (struct told){.n = 0};
    well(pingo_store_dataset(b->store, &gone, unlink_dataset, NULL, &err), &err);
    expect_error(b, NULL, o, PINGO_ESTATE, "the output of action 3 (a3) was removed from the pool");
    assert_string_equal(t.text, "2:a2:a2.txt:2 4:a4:a4:2 ");
    expect_file(b, "a3", NULL);
    well(pingo_store_release_workflow(b->store, 1, NULL, &err), &err);
    gone = box_hash(b, 1, 4);
    well(pingo_store_remove(b->store, &gone, &err), &err);
    box_tick(b);
    expect_error(b, "a4", o, PINGO_ESTATE, "the output of action 4 (a4) is deleted");
    box_submit(b, W(A(7, "")));
    struct pingo_export_options plain = {.version = 1};
    snprintf(path, sizeof path, "%s/out", b->root);
    assert_int_equal(
        pingo_store_export(b->store, &(struct pingo_action_name){2, NULL}, path, &plain, &err),
        PINGO_ESTATE);
    assert_non_null(strstr(err.message, "the output of action 7 (a7) is not computed yet"));
    box_tick(b);
    box_fail(b, "a7");
    assert_int_equal(
        pingo_store_export(b->store, &(struct pingo_action_name){2, NULL}, path, &plain, &err),
        PINGO_ESTATE);
    assert_non_null(strstr(err.message, "(a7) is not there: it did not finish"));
    box_submit(b, W(A(7, ",'salt':'s'") "," A(8, "") "," A(9, "")));
    assert_int_equal(
        pingo_store_export(b->store, &(struct pingo_action_name){3, NULL}, path, &plain, &err),
        PINGO_ESTATE);
    assert_string_equal(err.message,
                        "the output of action 7 (a7) is not computed yet (and 2 more)");
    box_close(b);
}

static int stop_at_second(void *context, int64_t id, const char *name, const char *path,
                          int64_t size)
{
    on_exported(context, id, name, path, size);
    return ((struct told *)context)->n == 2;
}

/* What was written before is known as ours; the rest is not there. */
static void test_export__can_be_stopped_and_gone_on_with(void **state)
{
    struct box *b = three();
    struct told t = {.n = 0};
    struct pingo_error err;

    UNUSED(state);
    expect_error(b, NULL, (struct pingo_export_options){.exported = stop_at_second, .context = &t},
                 PINGO_EINTERRUPTED, "");
    expect_file(b, "a3", "a3");
    expect_file(b, "a4", NULL);
    assert_int_equal(box_int(b, "SELECT count(*) FROM written"), 2);
    well(export(b, NULL, (struct pingo_export_options){0}, &err), &err);
    expect_file(b, "a4", "a4");
    box_clean(b);
    box_close(b);
}

static void test_export__as_links(void **state)
{
    struct box *b = three();
    struct pingo_error err;
    char path[200], to[300];

    UNUSED(state);
    well(export(b, NULL, (struct pingo_export_options){.link = true}, &err), &err);
    snprintf(path, sizeof path, "%s/out/a3", b->root);
    ssize_t n = readlink(path, to, sizeof to - 1);
    assert_true(n > 0);
    to[n] = '\0';
    assert_memory_equal(to, b->dir, strlen(b->dir)); /* absolute, into the pool */
    expect_file(b, "a3", "a3");
    well(export(b, NULL, (struct pingo_export_options){0}, &err), &err); /* ours: replaced */
    assert_true(readlink(path, to, sizeof to) < 0);
    box_close(b);
}

/* More than are held in one transaction. */
static void test_export__many(void **state)
{
    enum { MANY = 150 };
    struct box *b = box_new();
    struct pingo__buffer text = {0};
    struct pingo_error err;
    char name[16];

    UNUSED(state);
    pingo__buffer_text(&text, "{'name':'w','actions':[");
    for (int i = 1; i <= MANY; i++)
        pingo__buffer_format(&text, "%s{'id':%d,'name':'n','type':'command-line','command':['%d']}",
                             i > 1 ? "," : "", i, i);
    pingo__buffer_text(&text, "]}");
    box_submit(b, pingo__buffer_cstr(&text));
    pingo__buffer_clear(&text);
    box_finish_all(b);
    well(export(b, NULL, (struct pingo_export_options){0}, &err), &err);
    for (int i = 1; i <= MANY; i++) {
        snprintf(name, sizeof name, "n-%d", i);
        expect_file(b, name, "n");
    }
    assert_int_equal(box_int(b, "SELECT count(*) FROM written"), MANY);
    box_close(b);
}

/* They are what was asked for, leaves or not. */
static void test_export__the_targets_of_a_submission(void **state)
{
    static const char *const targets[] = {"a1", "a3"};
    struct box *b = box_new();
    struct pingo_submit_options o = {
        .version = 2, .base_dir = b->root, .user = "tester", .targets = targets, .ntargets = 2};
    struct pingo_submission submission = {.size = sizeof submission};
    struct told t = {.n = 0};
    struct pingo_error err;

    UNUSED(state);
    well(box_try_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, "")), &o, &submission, &err),
         &err);
    box_finish_all(b);
    well(export(b, NULL, (struct pingo_export_options){.exported = on_exported, .context = &t}, &err),
         &err);
    assert_string_equal(t.text, "1:a1:a1:2 3:a3:a3:2 ");
    box_close(b);
}

static int count(void *n)
{
    ++*(int *)n;
    return 0;
}

/* Each transaction waits for the disk. */
static void test_export__many_of_a_copied_store(void **state)
{
    enum { MANY = 100 };
    struct box *b = box_new();
    struct pingo_export_options o = {.name_template = "{name}"};
    static int64_t ids[MANY];
    struct pingo_error err;
    int transactions = 0;

    UNUSED(state);
    box_submit_layers(b, MANY);
    box_finish_all(b);
    box_copy_pool(b);
    for (int i = 0; i < MANY; i++)
        ids[i] = i;
    o.ids = ids;
    o.nids = MANY;
    sqlite3_commit_hook(b->store->db.sqlite, count, &transactions);
    well(export(b, NULL, o, &err), &err);
    sqlite3_commit_hook(b->store->db.sqlite, NULL, NULL);
    expect_file(b, "a99", "a99");
    assert_in_range(transactions, 1, MANY / 2);
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_export__the_leaves_or_what_is_asked_for),
        cmocka_unit_test(test_export__the_targets_of_a_submission),
        cmocka_unit_test(test_export__a_name_that_is_none_is_refused),
        cmocka_unit_test(test_export__nothing_of_others_is_replaced),
        cmocka_unit_test(test_export__never_into_the_store),
        cmocka_unit_test(test_export__what_is_not_there_keeps_nothing_else),
        cmocka_unit_test(test_export__can_be_stopped_and_gone_on_with),
        cmocka_unit_test(test_export__as_links),
        cmocka_unit_test(test_export__many),
        cmocka_unit_test(test_export__many_of_a_copied_store),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
