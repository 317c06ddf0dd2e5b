/* test_arm.c - a bundle's way out: all of it lies in HDFS, and on this machine's disk, before YARN is asked; what YARN does not
 * take leaves nothing. */
#include "unit/executor/hadoop/before.h"

#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

#include "executor/hadoop/bundle.h"

#define ID "application_17_0001"

/* A ResourceManager: it gives an id, and takes one application, or says this of it. */
static struct {
    int fd;
    pthread_t thread;
    const char *status, *said;
    char body[65536];
} rm;

static void answer(int fd, const char *status, const char *body)
{
    char text[600];
    int n = snprintf(text, sizeof text,
                     "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
                     "Connection: close\r\n\r\n%s",
                     status, strlen(body), body);
    assert_int_equal(send(fd, text, (size_t)n, MSG_NOSIGNAL), n);
}

static void *serve(void *context)
{
    static char text[sizeof rm.body];
    (void)context;
    for (int fd; (fd = accept(rm.fd, NULL, NULL)) >= 0; close(fd)) {
        size_t n = 0, length = 0;
        char *end = NULL;
        for (ssize_t got = 1; got > 0 && (!end || n < (size_t)(end + 4 - text) + length);) {
            got = recv(fd, text + n, sizeof text - 1 - n, 0);
            n += got > 0 ? (size_t)got : 0;
            text[n] = '\0';
            end = strstr(text, "\r\n\r\n");
            const char *header = end ? strcasestr(text, "content-length:") : NULL;
            length = header ? (size_t)atoi(header + 15) : 0;
        }
        if (strstr(text, "new-application")) {
            answer(fd, "200 OK",
                   "{\"application-id\":\"" ID "\",\"maximum-resource-capability\":"
                   "{\"memory\":4096,\"vCores\":4}}");
        } else {
            snprintf(rm.body, sizeof rm.body, "%s", end ? end + 4 : "");
            answer(fd, rm.status, rm.said);
        }
    }
    return NULL;
}

static int begin_with_rm(void **state)
{
    static char fs[] = "hdfs://x:8020", user[] = "me";
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t n = sizeof where;
    char name[32];
    begin(state);
    h.fs = fs;
    h.user = user;
    h.containers = h.bundle = 10;
    h.am_memory_mb = 256;
    h.helper_dir = scratch;
    h.runner = (struct pingo_runner_options){.version = 1, .log_bytes = 1000, .grace_ms = 1};
    rm.status = "202 Accepted";
    rm.said = "";
    rm.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(rm.fd, (struct sockaddr *)&where, sizeof where), 0);
    assert_int_equal(listen(rm.fd, 16), 0);
    assert_int_equal(getsockname(rm.fd, (struct sockaddr *)&where, &n), 0);
    assert_int_equal(pthread_create(&rm.thread, NULL, serve, NULL), 0);
    snprintf(name, sizeof name, "127.0.0.1:%d", ntohs(where.sin_port));
    pingo__executor_hadoop_rm_close(h.rm);
    WELL(pingo__executor_hadoop_rm_open(name, "me", pingo__executor_hadoop_box_bells(h.box), &h.rm,
                                        err));
    fault(0, "simple", "GETDELEGATIONTOKEN", 100);
    unlink(at("%s/%s", "pingo-hadoop-runner"));
    write_file(at("%s/%s", "pingo-hadoop-runner"), "program", 0755);
    return 0;
}

static int finish_with_rm(void **state)
{
    shutdown(rm.fd, SHUT_RDWR);
    pthread_join(rm.thread, NULL);
    close(rm.fd);
    h.helper_dir = NULL;
    return finish(state);
}

static job_of *handed(int64_t action, int64_t memory_bytes)
{
    static const char *const argv[] = {"true", NULL}, *const env[] = {NULL};
    job_of *job = pingo_jobs_add(h.jobs, ATTEMPT(action));
    assert_non_null(job);
    job->kind = &pingo__executor_hadoop_commands;
    job->job = (struct pingo_job){.key = ATTEMPT(action),
                                  .store_id = "s",
                                  .name = "count",
                                  .type = "command-line",
                                  .argv = argv,
                                  .env = env,
                                  .output = "output",
                                  .attempt_dir = "/near",
                                  .staged_path = "/near",
                                  .cpus = 1,
                                  .memory_bytes = memory_bytes};
    job->job.attempt_place =
        pingo__arena_format(&job->arena, "%s/attempts/%lld.1", place, (long long)action);
    job->job.staged_place =
        pingo__arena_format(&job->arena, "%s/staged/%lld.1", place, (long long)action);
    struct pingo__executor_hadoop_attempt *own = calloc(1, sizeof *own);
    assert_non_null(own);
    own->options.priority = -1;
    job->own = own;
    return job;
}

/* Called again when it is done. */
static void arm(job_of *job)
{
    WELL(pingo__executor_hadoop_arm(&h, job, err));
    assert_non_null(job->aside);
    wait_aside(job);
    WELL(pingo__executor_hadoop_arm(&h, job, err));
    assert_null(job->aside);
    job->phase = PINGO__HADOOP_ARMED;
}

static job_of *armed(int64_t action, int64_t memory_bytes)
{
    job_of *job = handed(action, memory_bytes);
    arm(job);
    return job;
}

/* An answer may have been lost; and of one that has gone meanwhile nothing stays. */
static void test_arm__its_job_lies_in_hdfs_once(void **state)
{
    (void)state;
    job_of *job = armed(7, 0);
    assert_true(is_there(h.hdfs, "attempts/7.1/job"));
    arm(job);
    job = handed(8, 0);
    WELL(pingo__executor_hadoop_arm(&h, job, err));
    wait_aside(job);
    assert_true(is_there(h.hdfs, "attempts/8.1/job"));
    pingo__executor_hadoop_aside_drop(job);
    pingo__executor_hadoop_asides_free(&h, false);
    assert_false(is_there(h.hdfs, "attempts/8.1"));
}

static void test_arm__two_become_one_application(void **state)
{
    job_of *jobs[] = {armed(1, 0), armed(2, 0)};
    (void)state;
    WELL(pingo__executor_hadoop_bundle_make(&h, jobs, 2, err));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(jobs[i]->phase, PINGO__HADOOP_SUBMITTED);
        assert_string_equal(jobs[i]->application, ID);
    }
    assert_true(is_there(h.hdfs, "attempts/1.1/job") && is_there(h.hdfs, "attempts/2.1/job"));
    assert_true(holds(h.hdfs, "bundles/" ID "/list", "1.1\n2.1\n"));
    assert_true(is_there(h.hdfs, "bundles/" ID "/script"));
    assert_non_null(strstr(rm.body, "\"" ID "\""));
    assert_non_null(strstr(rm.body, "pingo: count and 1 more"));
    assert_non_null(strstr(rm.body, "pingo-mark"));
    assert_string_equal(reported(), "named 1 0" ID "; named 2 0" ID);
    assert_non_null(pingo__executor_hadoop_bundle_of(&h, ATTEMPT(2)));
}

static void test_arm__more_than_a_container_has_is_refused_at_once(void **state)
{
    job_of *job = handed(3, INT64_C(1) << 40);
    (void)state;
    FAILS(pingo__executor_hadoop_arm(&h, job, err), PINGO_EINVAL,
          "yarn.scheduler.maximum-allocation-mb");
    assert_null(job->aside);
    assert_false(is_there(h.hdfs, "attempts/3.1/job"));
}

static void test_arm__what_yarn_does_not_take_leaves_nothing(void **state)
{
    job_of *job = armed(4, 0);
    (void)state;
    rm.status = "400 Bad Request";
    rm.said = "{\"RemoteException\":{\"exception\":\"BadRequestException\",\"message\":\"no such "
              "queue\"}}";
    FAILS(pingo__executor_hadoop_bundle_make(&h, &job, 1, err), PINGO_EEXECUTOR, "no such queue");
    assert_int_equal(job->phase, PINGO__HADOOP_ARMED);
    assert_false(is_there(h.hdfs, "bundles/" ID));
    assert_null(pingo__executor_hadoop_bundle_of(&h, ATTEMPT(4)));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_arm__##name, begin_with_rm, finish_with_rm)
    const struct CMUnitTest tests[] = {
        TEST(its_job_lies_in_hdfs_once),
        TEST(two_become_one_application),
        TEST(more_than_a_container_has_is_refused_at_once),
        TEST(what_yarn_does_not_take_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
