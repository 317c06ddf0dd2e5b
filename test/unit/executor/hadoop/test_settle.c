/* test_settle.c - the directory of an attempt in HDFS: its gate is closed over whatever lies there, and what it tells. */
#include "unit/executor/hadoop/yarn.h"

#include "executor/hadoop/bundle.h"
#include "runner/record/job.h"

#define STARTED "started.container_1_0001_01_000002.node1.45454.8042"

static int take_name(void *context, const char *name, const struct pingo__hdfs_status *status,
                     struct pingo_error *err)
{
    char *names = context;
    (void)err;
    snprintf(names + strlen(names), 200 - strlen(names), "%s%s ", name,
             status->is_directory ? "/" : "");
    return 0;
}

static void test_settle__a_gate_is_closed_whatever_lies_there(void **state)
{
    static const struct {
        const char *lie[3]; /* before; with '/' behind it: a directory */
        const char *after;
        bool revoked;
    } rows[] = {
        {{NULL}, "revoked/ ", true},
        {{"job"}, "revoked ", true},
        {{"revoked"}, "revoked ", true},
        {{"revoked", "job"}, "revoked ", true},
        {{"revoked/", "job"}, "revoked/ ", true},
        {{STARTED}, STARTED " ", false},
        {{"revoked/", STARTED}, "revoked/ " STARTED " ", false},
        {{"revoked/", "job", STARTED}, "revoked/ " STARTED " ", false},
        {{STARTED, "outcome"}, "outcome " STARTED " ", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo_job_key key = {(int64_t)i + 1, 1};
        char path[128], names[200] = "";
        bool revoked = !rows[i].revoked;
        for (size_t k = 0; k < 3 && rows[i].lie[k]; k++) {
            const char *name = rows[i].lie[k];
            snprintf(path, sizeof path, "attempts/%zu.1/%s", i + 1, name);
            assert_int_equal(
                path[strlen(path) - 1] == '/'
                    ? (path[strlen(path) - 1] = '\0', pingo__hdfs_make(h.hdfs, path, NULL))
                    : pingo__hdfs_put_bytes(h.hdfs, path, "x", 1, NULL),
                0);
        }
        for (int again = 0; again < 2; again++) {
            assert_int_equal(pingo__executor_hadoop_close_gate(&h, key, &revoked, NULL), 0);
            assert_int_equal(revoked, rows[i].revoked);
        }
        snprintf(path, sizeof path, "attempts/%zu.1", i + 1);
        assert_int_equal(pingo__hdfs_list(h.hdfs, path, take_name, names, NULL), 0);
        assert_string_equal(names, rows[i].after);
    }
}

static struct pingo__executor_hadoop_sight look_at(int64_t action)
{
    struct pingo__executor_hadoop_sight sight;
    WELL(pingo__executor_hadoop_read(&h, (struct pingo_job_key){action, 1}, &sight, err));
    return sight;
}

static void test_settle__what_a_directory_tells(void **state)
{
    struct pingo_job_end end = {.size = sizeof end, .key = {100, 1}, .exit_code = 3};
    struct pingo__executor_hadoop_sight sight;
    char record[PINGO__RUNNER_OUTCOME_SIZE];
    (void)state;
    assert_int_equal(look_at(100).lies, PINGO_RUNNER_NONE);
    put(h.hdfs, "attempts/100.1/job", "x");
    assert_int_equal(look_at(100).lies, PINGO_RUNNER_ARMED);
    put(h.hdfs, "attempts/100.1/" STARTED, "x");
    put(h.hdfs, "attempts/100.1/stdout", "");
    sight = look_at(100);
    assert_int_equal(sight.lies, PINGO_RUNNER_STARTED);
    assert_string_equal(sight.owner.node, "node1");
    assert_true(sight.has_logs);
    pingo__runner_outcome_encode(&end, record);
    WELL(pingo__hdfs_put_bytes(h.hdfs, "attempts/100.1/outcome", record, sizeof record, err));
    sight = look_at(100);
    assert_int_equal(sight.lies, PINGO_RUNNER_ENDED);
    assert_int_equal(sight.end.exit_code, 3);
}

/* Whoever writes there may write anything: what does not read back is a loss, not an end. */
static void test_settle__an_outcome_that_is_none(void **state)
{
    char record[PINGO__RUNNER_OUTCOME_SIZE + 1] = "";
    static const size_t sizes[] = {0, 1, PINGO__RUNNER_OUTCOME_SIZE, PINGO__RUNNER_OUTCOME_SIZE + 1};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        WELL(pingo__hdfs_remove(h.hdfs, "attempts/101.1", err));
        WELL(pingo__hdfs_put_bytes(h.hdfs, "attempts/101.1/outcome", record, sizes[i], err));
        struct pingo__executor_hadoop_sight sight = look_at(101);
        assert_int_equal(sight.lies, PINGO_RUNNER_ENDED);
        assert_int_equal(sight.end.reason, PINGO_END_LOST);
        assert_non_null(strstr(sight.end.message, "does not read back"));
    }
}

/* Whose name does not say which container it is in cannot be asked for: the application is over, and that decides. */
static void test_settle__who_started_and_left_nothing_is_lost(void **state)
{
    struct pingo__executor_hadoop_bundle alone = {.n = 1}, many = {.n = 2};
    struct {
        const char *diagnostics;
        struct pingo__executor_hadoop_bundle *bundle;
        enum pingo_end_reason reason;
    } rows[] = {
        {"a\nb", NULL, PINGO_END_LOST},
        {"running beyond physical memory limits", &alone, PINGO_END_MEMORY_LIMIT},
        {"running beyond physical memory limits", &many, PINGO_END_LOST},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__executor_hadoop_app app = {.id = "application_1_0001",
                                                 .state = PINGO__HADOOP_FAILED};
        struct pingo__executor_hadoop_attempt *own = calloc(1, sizeof *own);
        job_of *job = pingo_jobs_add(h.jobs, ATTEMPT(200 + (int64_t)i));
        char path[128];
        assert_true(own && job);
        own->bundle = rows[i].bundle;
        job->own = own;
        snprintf(app.diagnostics, sizeof app.diagnostics, "%s", rows[i].diagnostics);
        snprintf(path, sizeof path, "attempts/%zu.1/started.somewhere", 200 + i);
        put(h.hdfs, path, "x");
        struct pingo__executor_hadoop_sight sight = look_at(200 + (int64_t)i);
        WELL(pingo__executor_hadoop_settle(&h, job, &app, &sight, err));
        snprintf(path, sizeof path, "ended %zu %d", 200 + i, (int)rows[i].reason);
        const char *said = reported();
        if (!strstr(said, path))
            fail_msg("%s: %s", path, said);
        snprintf(path, sizeof path, "attempts/%zu.1/kill", 200 + i);
        assert_true(is_there(h.hdfs, path)); /* for one that runs all the same */
    }
}

/* Its node is away, and a ResourceManager that does not tell of nodes does not tell that it is lost. */
static void test_settle__a_node_is_lost_only_where_that_is_told(void **state)
{
#define NODES "GET /ws/v1/cluster/nodes"
    static const struct {
        struct yarn_row says;
        bool is_lost;
    } rows[] = {
        {{NODES, "200 OK", "{\"nodes\":null}"}, true},
        {{NODES, "200 OK", "{\"nodes\":{\"node\":[{\"id\":\"127.0.0.1:1\",\"state\":\"RUNNING\"}]}}"},
         false},
        {{NODES, "500 x", "{\"RemoteException\":{\"exception\":\"x\",\"message\":\"x\"}}"}, false},
        {{NODES, "403 x", "{\"RemoteException\":{\"exception\":\"x\",\"message\":\"x\"}}"}, false},
        {{NODES, "401 x", "<html>"}, false},
    };
    (void)state;
    yarn_open();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct pingo__executor_hadoop_app app = {.id = "application_1_0001",
                                                       .state = PINGO__HADOOP_FAILED};
        char path[128];
        job_of *job = pingo_jobs_add(h.jobs, ATTEMPT(300 + (int64_t)i));
        assert_true(job && (job->own = calloc(1, sizeof(struct pingo__executor_hadoop_attempt))));
        yarn_says(&rows[i].says, 1);
        snprintf(path, sizeof path,
                 "attempts/%zu.1/started.container_1_0001_01_000002.127.0.0.1.1.1", 300 + i);
        put(h.hdfs, path, "x");
        struct pingo__executor_hadoop_sight sight = look_at(300 + (int64_t)i);
        pingo__executor_hadoop_settle(&h, job, &app, &sight, NULL);
        snprintf(path, sizeof path, "ended %zu", 300 + i);
        if ((strstr(reported(), path) != NULL) != rows[i].is_lost)
            fail_msg("%s: %s", rows[i].says.status, rows[i].says.body);
    }
    yarn_close();
}

/* The application is over, and its node says that the container runs: who leaves waits for it for a while, not for as
 * long as that is so. */
static void test_settle__a_container_that_does_not_end(void **state)
{
    static const struct yarn_row row = {"GET /ws/v1/node/containers/", "200 OK",
                                        "{\"container\":{\"state\":\"RUNNING\"}}"};
    const struct pingo__executor_hadoop_app app = {.id = "application_1_0001",
                                                   .state = PINGO__HADOOP_KILLED};
    struct pingo__executor_hadoop_attempt *own = calloc(1, sizeof *own);
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    char path[128];
    (void)state;
    job_of *job = pingo_jobs_add(h.jobs, ATTEMPT(400));
    assert_true(job && (job->own = own));
    yarn_open();
    yarn_says(&row, 1);
    assert_int_equal(getsockname(yarn.fd, (struct sockaddr *)&at, &size), 0);
    snprintf(path, sizeof path, "attempts/400.1/started.container_1_0001_01_000002.127.0.0.1.1.%d",
             ntohs(at.sin_port));
    put(h.hdfs, path, "x");
    struct pingo__executor_hadoop_sight sight = look_at(400);
    WELL(pingo__executor_hadoop_settle(&h, job, &app, &sight, err));
    assert_true(job->is_dubious);
    own->over_ms -= 600000;
    WELL(pingo__executor_hadoop_settle(&h, job, &app, &sight, err));
    assert_false(job->is_dubious);
    yarn_close();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_settle__##name, begin, finish)
    const struct CMUnitTest tests[] = {
        TEST(a_gate_is_closed_whatever_lies_there),
        TEST(what_a_directory_tells),
        TEST(an_outcome_that_is_none),
        TEST(who_started_and_left_nothing_is_lost),
        TEST(a_container_that_does_not_end),
        TEST(a_node_is_lost_only_where_that_is_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
