/* test_archive.c - what ended long ago moves when that is asked for, and when a scheduler has nothing else to do. */
#include "unit/store/archive/months.h"

#include <sys/file.h>
#include <time.h>

/* Two submissions, of which one ended so long ago. */
static struct box *old_and_new(int days)
{
    struct box *b = box_new();
    char sql[120];

    b->s->archive_ms = INT64_MAX; /* not by the scheduler */
    months_finish(b, 1);
    months_finish(b, 2);
    snprintf(sql, sizeof sql,
             "UPDATE workflow SET ended_ms = 1000 * CAST(strftime('%%s') AS INTEGER) -"
             " %d * 86400000 WHERE id = 1",
             days);
    box_run(b, sql);
    return b;
}

static int64_t archived(struct box *b)
{
    return box_int(b, "SELECT count(*) FROM workflow WHERE archived");
}

static void test_archive__what_is_old_enough_moves(void **state)
{
    struct box *b = old_and_new(8);
    struct pingo_archive_options o = {.version = 1, .dry_run = true};
    struct pingo_archived a = {.size = sizeof a};
    struct pingo_error err;

    UNUSED(state);
    well(pingo_store_archive(b->store, &o, &a, &err), &err);
    assert_true(a.workflows == 1 && a.attempts == 1 && a.sealed == 0);
    assert_int_equal(archived(b), 0); /* it was only counted */
    well(pingo_store_set(b->store, "archive.afterDays", "9", &err), &err);
    well(pingo_store_archive(b->store, NULL, &a, &err), &err);
    assert_int_equal(a.workflows, 0);
    well(pingo_store_set(b->store, "archive.afterDays", "never", &err), &err);
    well(pingo_store_archive(b->store, NULL, &a, &err), &err);
    assert_int_equal(a.workflows, 0);
    well(pingo_store_set(b->store, "archive.afterDays", NULL, &err), &err); /* seven */
    well(pingo_store_archive(b->store, NULL, &a, &err), &err);
    assert_true(a.workflows == 1 && a.attempts == 1 && a.sealed == 0);
    assert_int_equal(archived(b), 1);
    o = (struct pingo_archive_options){.version = 1, .before_ms = INT64_MAX, .seal = true};
    well(pingo_store_archive(b->store, &o, &a, &err), &err); /* whatever the setting says */
    assert_int_equal(a.workflows, 1);
    assert_true(a.sealed > 0);
    assert_int_equal(months_attempts(b, 1), 1);
    assert_int_equal(months_attempts(b, 2), 1);
    well(pingo_store_archive(b->store, NULL, NULL, &err), &err);
    box_clean(b);
    box_close(b);
}

static int stop(void *context, const struct pingo_archived *so_far)
{
    assert_int_equal(so_far->workflows, 1);
    ++*(int *)context;
    return 1;
}

static void test_archive__who_may_and_when(void **state)
{
    struct box *b = old_and_new(8);
    int n = 0;
    struct pingo_archive_options o = {.version = 1, .before_ms = -1};
    struct pingo_archived a = {.size = 0};
    struct pingo_caller bob = {1, "bob", PINGO_ROLE_SUBMITTER, "a test"};
    struct pingo_error err;
    char path[120];

    UNUSED(state);
    assert_int_equal(pingo_store_archive(b->store, NULL, &a, &err), PINGO_EINVAL);
    assert_int_equal(pingo_store_archive(b->store, &o, NULL, &err), PINGO_EINVAL);
    assert_string_equal(err.message, "a time or a size is negative");
    o = (struct pingo_archive_options){.version = 1, .part_bytes = -1};
    assert_int_equal(pingo_store_archive(b->store, &o, NULL, &err), PINGO_EINVAL);
    well(pingo_store_act_for(b->store, &bob, &err), &err);
    assert_int_equal(pingo_store_archive(b->store, NULL, NULL, &err), PINGO_EFORBIDDEN);
    assert_string_equal(err.message, "bob is a submitter, and may not archive workflows");
    well(pingo_store_act_for(b->store, NULL, &err), &err);
    /* Another process is at it. */
    snprintf(path, sizeof path, "%s/archive", b->dir);
    mkdir(path, 0700);
    strcat(path, "/lock");
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(pingo_store_archive(b->store, NULL, NULL, &err), PINGO_EBUSY);
    assert_non_null(strstr(err.message, ": another process moves to the archive"));
    assert_int_equal(archived(b), 0);
    close(fd);
    o = (struct pingo_archive_options){.version = 1, .progress = stop, .context = &n};
    a.size = sizeof a;
    assert_int_equal(pingo_store_archive(b->store, &o, &a, &err), PINGO_EINTERRUPTED);
    assert_int_equal(n, 1);
    well(pingo_store_archive(b->store, NULL, &a, &err), &err); /* goes on where that was */
    assert_int_equal(archived(b), 1);
    assert_int_equal(months_attempts(b, 1), 1);
    box_clean(b);
    box_close(b);
}

/* ---- the files ------------------------------------------------------------------------------- */

static int on_file(void *context, const struct pingo_archive_file *file)
{
    struct pingo_archive_file *last = context;
    static char name[40];

    snprintf(name, sizeof name, "%s", file->name);
    *last = *file;
    last->name = name;
    return 0;
}

static int refuse(void *context, const struct pingo_archive_file *file)
{
    UNUSED(context);
    UNUSED(file);
    return 1;
}

static void test_archive__its_files_are_told(void **state)
{
    struct box *b = old_and_new(8);
    struct pingo_archive_file file = {.name = NULL};
    struct pingo_error err;
    char path[200], name[40];
    struct stat st;

    UNUSED(state);
    well(pingo_store_archive_files(b->store, on_file, &file, &err), &err);
    assert_null(file.name);
    well(pingo_store_archive(b->store, NULL, NULL, &err), &err);
    well(pingo_store_archive_files(b->store, on_file, &file, &err), &err);
    time_t then = time(NULL) - 8 * 86400;
    strftime(name, sizeof name, "%Y-%m.db", gmtime(&then));
    assert_string_equal(file.name, name);
    assert_false(file.sealed);
    assert_true(file.workflows == 1 && file.attempts == 1);
    int64_t ended_ms = box_int(b, "SELECT ended_ms FROM workflow WHERE id = 1");
    assert_true(file.first_ms == ended_ms && file.last_ms == ended_ms);
    snprintf(path, sizeof path, "%s/archive/%s", b->dir, file.name);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(file.bytes, st.st_size);
    assert_int_equal(pingo_store_archive_files(b->store, refuse, NULL, &err), PINGO_EINTERRUPTED);
    assert_int_equal(unlink(path), 0);
    well(pingo_store_archive_files(b->store, on_file, &file, &err), &err);
    assert_int_equal(file.bytes, -1); /* it is gone, and that is seen */
    box_close(b);
}

/* ---- by a scheduler -------------------------------------------------------------------------- */

static void test_archive__an_idle_scheduler_moves_what_is_old(void **state)
{
    struct box *b = old_and_new(8);
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    b->s->archive_ms = 0;
    box_tick(b); /* it starts something */
    assert_int_equal(archived(b), 0);
    well(pingo_store_set(b->store, "archive.afterDays", "never", &err), &err);
    pingo__engine_archive_tick(b->s);
    assert_int_equal(archived(b), 0);
    assert_true(b->s->archive_ms > pingo__world_monotonic_ms()); /* not before a minute has passed */
    well(pingo_store_set(b->store, "archive.afterDays", NULL, &err), &err);
    pingo__engine_archive_tick(b->s);
    assert_int_equal(archived(b), 0);
    for (int i = 0; i < 20 && !archived(b); i++) {
        b->s->archive_ms = 0;
        box_tick(b);
    }
    assert_int_equal(archived(b), 1);
    assert_string_equal(b->log, "");
    box_clean(b);
    box_close(b);
}

/* What runs goes on. */
static void test_archive__what_fails_is_logged(void **state)
{
    struct box *b = old_and_new(8);
    char path[100];

    UNUSED(state);
    snprintf(path, sizeof path, "%s/archive", b->dir);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600); /* a file is in the way */
    assert_true(fd >= 0);
    close(fd);
    b->s->archive_ms = 0;
    box_tick(b);
    assert_non_null(strstr(b->log, "nothing moves to the archive: "));
    assert_non_null(strstr(b->log, "/archive"));
    assert_true(b->s->archive_ms > pingo__world_monotonic_ms());
    assert_int_equal(archived(b), 0);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archive__what_is_old_enough_moves),
        cmocka_unit_test(test_archive__who_may_and_when),
        cmocka_unit_test(test_archive__its_files_are_told),
        cmocka_unit_test(test_archive__an_idle_scheduler_moves_what_is_old),
        cmocka_unit_test(test_archive__what_fails_is_logged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
