/* test_asking.c - a store whose pool is not on this machine works as any other, and no call of a scheduler waits for it. */
#include "unit/engine/far.h"

#include "manager/asking.h"

/* ---- the tests -------------------------------------------------------------------------------- */

static void test_asking__it_hangs(void **state)
{
    struct box *b = far_box();
    (void)state;
    int64_t w = box_submit(b, CHAIN).workflow;
    atomic_store(&far_is.hangs, true);
    for (int i = 0; i < 50; i++) { /* each returns */
        tick(b);
        report_all(b);
        usleep(1000);
    }
    assert_int_equal(box_workflow(b, w), PINGO_WORKFLOW_RUNNING);
    assert_int_equal(atomic_load(&far_is.published), 0);
    atomic_store(&far_is.hangs, false);
    finish(b, w);
    assert_clean(b);
    box_close(b);
}

static size_t nwarned;
static void count_warnings(void *context, enum pingo_log_level level, const char *message)
{
    (void)context;
    nwarned += level == PINGO_LOG_WARNING && strstr(message, "far pool") != NULL;
}

static void test_asking__it_is_away(void **state)
{
    static const int kinds[] = {PINGO_EAWAY, PINGO_ESTATE, PINGO_EIO};
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        struct box *b = far_box();
        b->s->context.log = count_warnings;
        nwarned = 0;
        int64_t w = box_submit(b, CHAIN).workflow;
        TICK_UNTIL(b, (report_all(b), box_state(b, w, 1) == PINGO_ACTION_FINISHED));
        atomic_store(&far_is.fails, kinds[k]);
        TICK_UNTIL(b, nwarned > 0);
        for (int i = 0; i < 100; i++) {
            tick(b);
            report_all(b);
            usleep(1000);
        }
        assert_true(tick(b).reading > 0);
        assert_int_equal(nwarned, 1);
        assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE state = 8"), 0); /* FAILED */
        int64_t again = box_submit(b, CHAIN).workflow; /* as the store says */
        atomic_store(&far_is.fails, 0);
        finish(b, w);
        finish(b, again);
        assert_int_equal(count_objects(b, "far"), 3);
        assert_clean(b);
        box_close(b);
    }
}

static void test_asking__it_is_full(void **state)
{
    struct box *b = far_box();
    (void)state;
    int64_t w = box_submit(b, W(A(1, ""))).workflow;
    atomic_store(&far_is.full, PINGO_ENOSPACE);
    TICK_UNTIL(b, (report_all(b), b->fake.n == 2)); /* it is tried again, and does not fail */
    atomic_store(&far_is.full, 0);
    finish(b, w);
    assert_int_equal(count_objects(b, "far"), 1);
    box_close(b);
}

/* ---- what is put outside it --------------------------------------------------------------------- */

/* A file of so many bytes, old enough that its times tell. */
static void write_old(const char *path, const char *text)
{
    struct timespec old[2] = {{1600000000, 0}, {1600000000, 0}};
    unlink(path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
}

static uint64_t inode(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return (uint64_t)st.st_ino;
}

static void test_asking__exports(void **state)
{
    struct box *b = far_box();
    struct pingo_export_options force = {.version = 1, .force = true},
                                link = {.version = 1, .link = true};
    struct pingo_error err;
    char to[200], path[220];
    (void)state;
    finish(b, box_submit(b, W(A(1, ""))).workflow);
    snprintf(to, sizeof to, "%s/results", b->root);
    snprintf(path, sizeof path, "%s/a1", to);
    well(pingo_store_export(b->store, &(struct pingo_action_name){1, NULL}, to, NULL, &err), &err);
    uint64_t first = inode(path);
    for (int i = 0; i < 3;
         i++) { /* it is what it was: also where it has other times, or nobody knows them */
        well(pingo_store_export(b->store, &(struct pingo_action_name){1, NULL}, to, NULL, &err),
             &err);
        assert_int_equal(inode(path), first);
        assert_int_equal(utimensat(AT_FDCWD, path, NULL, 0), 0);
        if (i == 1)
            assert_int_equal(
                box_changed(&b->store->db, &err, "UPDATE written SET stamp = NULL", NONE), 1);
    }
    assert_int_equal(far_is.taken, 1); /* nothing is brought here to be compared */
    assert_int_equal(box_changed(&b->store->db, &err, "DELETE FROM written", NONE), 1);
    well(pingo_store_export(b->store, &(struct pingo_action_name){1, NULL}, to, NULL, &err),
         &err); /* whoever has put it there */
    assert_int_equal(inode(path), first);
    assert_int_equal(far_is.taken, 2);
    write_old(path, "b1");
    assert_int_equal(
        pingo_store_export(b->store, &(struct pingo_action_name){1, NULL}, to, NULL, &err),
        PINGO_EEXISTS);
    assert_non_null(strstr(err.message, "was not written by Pingo"));
    assert_int_equal(
        pingo_store_export(b->store, &(struct pingo_action_name){1, NULL}, to, &link, &err),
        PINGO_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "without links"));
    struct pingo_hash hash = box_hash(b, 1, 1);
    atomic_store(&far_is.fails, PINGO_EAWAY);
    well(pingo_store_check_dataset(b->store, &hash, &err), &err);
    atomic_store(&far_is.fails, PINGO_EIO);
    assert_int_equal(pingo_store_check_dataset(b->store, &hash, &err), PINGO_EIO);
    atomic_store(&far_is.fails, 0);
    well(pingo_store_export(b->store, &(struct pingo_action_name){1, NULL}, to, &force, &err), &err);
    write_old(path, "b1");
    assert_int_equal(
        pingo_store_export(b->store, &(struct pingo_action_name){1, NULL}, to, NULL, &err),
        PINGO_EEXISTS);
    assert_non_null(strstr(err.message, "was changed since Pingo wrote it"));
    well(pingo_store_export(b->store, &(struct pingo_action_name){1, NULL}, to, &force, &err), &err);
    well(pingo_store_export(b->store, &(struct pingo_action_name){1, NULL}, to, NULL, &err), &err);
    assert_int_equal(box_int(b, "SELECT count(*) FROM writing"), 0);
    box_close(b);
}

/* Its output lies in the far pool before Pingo looks at it. */
static void test_asking__output_path(void **state)
{
    struct box *b = far_box();
    struct pingo_error err;
    struct pingo_hash content;
    int64_t n = 0;
    char text[600], path[200], there[200], found[4096];
    (void)state;
    snprintf(path, sizeof path, "%s/mine", b->root);
    snprintf(text, sizeof text, W(A(1, ",'isManaged':false,'outputPath':'%s'")), path);
    int64_t w = box_submit(b, text).workflow;
    TICK_UNTIL(b, fake_job(&b->fake, "a1"));
    struct job *j = fake_job(&b->fake, "a1");
    box_report(b, "a1", PINGO_END_EXITED, 0, "a1");
    memset(&j->end.content, 0, sizeof j->end.content);
    snprintf(there, sizeof there, "%s/far/staged/%s", b->root, strrchr(j->staged, '/') + 1);
    assert_int_equal(rename(j->staged, there), 0);
    TICK_UNTIL(b, box_workflow(b, w) == PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_state(b, w, 1), PINGO_ACTION_FINISHED);
    well(pingo_content_hash(path, &content, &err), &err);
    well(pingo__db_number(&b->store->db, &err, &n,
                          "SELECT count(*) FROM object o JOIN written w ON w.content = o.content"
                          " WHERE w.content = ?",
                          BLOB(&content, sizeof content)),
         &err);
    assert_int_equal(n, 1);            /* what it is on this machine */
    TICK_UNTIL(b, is_clean(b, found)); /* what is left of it goes */
    assert_clean(b);
    finish(b, box_submit(b, text).workflow); /* what lies there is its own */
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE state = 7"), 0);
    box_close(b);
}

/* A budget means each byte once, or with all its copies. */
static void test_asking__counts_replicas(void **state)
{
    struct box *b = far_box();
    struct pingo_pool_usage u = {.size = sizeof u};
    struct pingo_decide_summary summary = {.size = sizeof summary};
    struct pingo_decide_options options = {.version = 1, .free_bytes = 3};
    struct pingo_error err;
    (void)state;
    far_is.copies = 2;
    well(pingo_store_set(b->store, "pool.budget", "7", &err), &err);
    finish(b, box_submit(b, CHAIN).workflow);
    TICK_UNTIL(b, b->s->context.ncopies); /* of two bytes each */
    well(pingo_store_usage(b->store, &u, &err), &err);
    assert_int_equal(u.used_bytes, 6);
    assert_int_equal(u.content_bytes, 6);
    assert_int_equal(u.replicated_bytes, 12);
    well(pingo_store_set(b->store, "pool.countReplicas", "on", &err), &err);
    well(pingo_store_usage(b->store, &u, &err), &err);
    assert_int_equal(u.used_bytes, 12);
    assert_int_equal(u.leaf_bytes, 4);
    assert_int_equal(u.stored_bytes, 8);
    assert_int_equal(u.content_bytes, 6);
    well(pingo_store_decide(b->store, &options, &summary, &err), &err);
    assert_int_equal(summary.nvictims, 1);
    assert_int_equal(summary.free_bytes, 3);
    assert_int_equal(summary.freed_bytes, 4);
    TICK_UNTIL(b, box_int(b, "SELECT count(*) FROM eviction") == 2); /* 12 - 4 is still more than 7 */
    assert_clean(b);
    assert_int_equal(pingo_store_set(b->store, "pool.countReplicas", "2", &err), PINGO_EINVAL);
    box_close(b);
    b = box_new();
    assert_int_equal(pingo_store_set(b->store, "pool.countReplicas", "on", &err), PINGO_EINVAL);
    assert_non_null(strstr(err.message, "only those in HDFS"));
    well(pingo_store_set(b->store, "pool.countReplicas", "off", &err), &err);
    box_close(b);
}

/* Whoever has a lock on the store, or a view of it, lets others wait as long as the pool takes. */
static void test_asking__nobody_asks_it_under_a_lock(void **state)
{
    struct box *b = far_box();
    struct pingo_error err = {0};
    struct pingo_hash hash;
    struct pingo_pool_usage usage = {.size = sizeof usage};
    struct pingo_decide_summary summary = {.size = sizeof summary};
    struct pingo_decide_options options = {.version = 1, .free_bytes = 1000};
    struct pingo_report *report;
    char path[200], *script = NULL;
    bool is = false;
    size_t n = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/mine", b->root);
    write_old(path, "c");
    int64_t w = box_submit(b, CHAIN).workflow, other;
    finish(b, w);
    well(pingo_store_set(b->store, "pool.budget", "1", &err), &err);
    well(pingo_store_keep_workflow(b->store, w, &n, &err), &err);
    assert_int_equal(n, 1);
    hash = box_hash(b, w, 2);
    well(pingo_store_keep(b->store, &hash, &is, &err), &err);
    assert_true(is);
    well(pingo_store_usage(b->store, &usage, &err), &err);
    well(pingo_store_decide(b->store, &options, &summary, &err), &err);
    well(pingo_store_report(b->store, NULL, &report, &err), &err);
    pingo_report_free(report);
    well(pingo_store_script(b->store, &(struct pingo_action_name){w, "a2"}, &script, &err), &err);
    free(script);
    well(pingo_store_export(b->store, &(struct pingo_action_name){w, NULL}, b->root,
                            &(struct pingo_export_options){.version = 1, .force = true}, &err),
         &err);
    well(pingo_store_release_workflow(b->store, w, NULL, &err), &err);
    hash = box_hash(b, w, 3);
    well(pingo_store_remove(b->store, &hash, &err), &err);
    finish(b, box_submit(b, CHAIN).workflow);
    other = box_submit(b, W(A(7, ",'retries':0"))).workflow;
    TICK_UNTIL(b, fake_job(&b->fake, "a7"));
    box_report(b, "a7", PINGO_END_EXITED, 1, "");
    TICK_UNTIL(b, box_state(b, other, 7) == PINGO_ACTION_FAILED);
    other = box_submit(b, W(A(7, ",'retries':0"))).workflow;
    well(pingo_store_adopt(b->store, &(struct pingo_action_name){other, "a7"}, path, NULL, &err),
         &err);
    assert_clean(b);
    assert_int_equal(atomic_load(&far_is.locked), 0);
    box_close(b);
}

/* ---- an engine that finds it itself ------------------------------------------------------------ */

static char placed[2000];

static int start_placed(void *executor, const struct pingo_job *job, struct pingo_error *err)
{
    size_t n = strlen(placed);
    struct pingo_job copy = *job;
    struct pingo_job_link *links = calloc(job->nlinks + 1, sizeof *links);
    n += (size_t)snprintf(placed + n, sizeof placed - n, "%s %s %s", job->name, job->attempt_place,
                          job->staged_place);
    for (size_t i = 0; i < job->nlinks; i++) {
        assert_null(job->links[i].target);
        n += (size_t)snprintf(placed + n, sizeof placed - n, " %s=%s", job->links[i].name,
                              job->places[i]);
    }
    copy.nlinks = 0;
    snprintf(placed + n, sizeof placed - n, "\n");
    free(links);
    return fake_start(executor, &copy, err);
}

static void test_asking__places(void **state)
{
    struct pingo_executor_type type = fake_type;
    const struct pingo_executor_type *list[] = {&type};
    struct pingo_scheduler_options options = {.version = 1, .executors = list, .nexecutors = 1};
    struct box *b = far_box();
    struct pingo_error err;
    (void)state;
    type.takes_places = true;
    type.start = start_placed;
    pingo_scheduler_close(b->s);
    well(pingo_scheduler_open(b->store, &options, &b->s, &err), &err);
    int64_t w = box_submit(b, W(A(1, "") "," A(2, P(FROM(1))))).workflow;
    finish(b, w);
    assert_int_equal(atomic_load(&far_is.fetched), 0);
    assert_non_null(strstr(placed, "a1 far://somewhere/attempts/1.1 far://somewhere/staged/1.1\n"));
    assert_non_null(strstr(placed, " p1=far://somewhere/objects/"));
    box_close(b);
}

static int on_adopted(void *context, const struct pingo_external_job *job)
{
    char **input = context;
    assert_int_equal(job->ninputs, 1);
    *input = strdup(job->inputs[0].target);
    return 0;
}

/* Who takes over what an earlier process had taken is told where its input lies, and waits for nobody. */
static void test_asking__external_jobs_are_adopted(void **state)
{
    static const char two[] =
        W("{'id':1,'name':'a1','type':'external','description':'x'},"
          "{'id':2,'name':'a2','type':'external','description':'y'" P(FROM(1)) "}");
    struct box *b = far_box();
    const struct pingo_external_job *job = NULL;
    struct pingo_error err;
    char *input = NULL;
    (void)state;
    pingo_scheduler_close(b->s);
    b->external = true;
    box_open_scheduler(b);
    box_submit(b, two);
    TICK_UNTIL(b, (well(pingo_external_next(b->s, &job, &err), &err), job));
    well(pingo_external_start(b->s, job->key, &err), &err);
    FILE *f = fopen(job->output_path, "wx");
    assert_non_null(f);
    fputs("1", f);
    fclose(f);
    well(pingo_external_end(
             b->s, &(struct pingo_job_end){.size = sizeof(struct pingo_job_end), .key = job->key},
             &err),
         &err);
    TICK_UNTIL(b, (well(pingo_external_next(b->s, &job, &err), &err), job));
    box_leave(b);
    far_open_box(b);
    well(pingo_external_adopted(b->s, on_adopted, &input, &err), &err);
    assert_non_null(input);
    assert_int_equal(access(input, R_OK), 0);
    free(input);
    box_close(b);
}

static void test_asking__where_an_attempt_is(void **state)
{
    struct box *b = far_box();
    struct pingo__arena arena = {0};
    struct pingo_job_key key = {7, 1};
    struct pingo_error err;
    const char *dir;
    char path[200];
    (void)state;
    well(pingo__pool_attempt_left(&b->store->pool, &arena, key, &dir, &err), &err);
    assert_null(dir);
    snprintf(path, sizeof path, "%s/far/attempts/7.1", b->root);
    assert_int_equal(mkdir(path, 0755), 0);
    well(pingo__pool_attempt_left(&b->store->pool, &arena, key, &dir, &err), &err);
    assert_null(dir); /* it is not asked */
    snprintf(path, sizeof path, "%s/near/attempts/7.1", b->dir);
    assert_int_equal(mkdir(path, 0755), 0);
    well(pingo__pool_attempt_left(&b->store->pool, &arena, key, &dir, &err), &err);
    assert_string_equal(dir, path);
    pingo__arena_clear(&arena);
    box_close(b);
}

/* What is thrown away between two purposes goes there at the latest when all is closed.  Who opens it again gives names
 * of its own there: what was thrown away before keeps its. */
static void test_asking__what_is_thrown_away_has_a_name_of_its_own(void **state)
{
    struct box *b = far_box();
    struct pingo__manager_context *c = &b->s->context;
    struct pingo_error err;
    char path[256];
    (void)state;
    snprintf(path, sizeof path, "%s/far/staged/9.9", b->root);
    for (int round = 0; round < 3; round++) {
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fclose(f);
        well(pingo__pool_trash(c->pool, "staged/9.9", &err), &err);
        pingo__manager_asking_close(c);
        assert_int_not_equal(access(path, F_OK), 0);
        well(pingo__manager_asking_open(c, &err), &err);
    }
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_asking__it_hangs),
        cmocka_unit_test(test_asking__what_is_thrown_away_has_a_name_of_its_own),
        cmocka_unit_test(test_asking__it_is_away),
        cmocka_unit_test(test_asking__it_is_full),
        cmocka_unit_test(test_asking__exports),
        cmocka_unit_test(test_asking__output_path),
        cmocka_unit_test(test_asking__counts_replicas),
        cmocka_unit_test(test_asking__nobody_asks_it_under_a_lock),
        cmocka_unit_test(test_asking__places),
        cmocka_unit_test(test_asking__where_an_attempt_is),
        cmocka_unit_test(test_asking__external_jobs_are_adopted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
