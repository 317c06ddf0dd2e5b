/* test_commands.c - Slurm is asked through its commands: with which words, and what their answers mean.  The commands are
 * scripts of this test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/tree.h"
#include "executor/slurm/slurm.h"

static const struct pingo__executor_slurm_way *const way = &pingo__executor_slurm_commands;

static struct {
    struct pingo__executor_slurm s;
    struct pingo__executor_slurm_job seen; /* what was told last of a job */
    void *handle;
    char root[64];
    int dir;
} box;

static void put(const char *name, const char *text, mode_t mode)
{
    int fd = openat(box.dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

/* Notes what it is asked, its environment and its input, and says what lies there. */
static const char command[] = "#!/bin/sh\n"
                              "cd \"${0%/*}\"\n"
                              "printf '%s\\n' \"${0##*/}\" \"$@\" >args; cat >in\n"
                              "tr '\\0' '\\n' </proc/$$/environ >env\n"
                              "cat out; cat err >&2; exit $(cat status)\n";

static int set_up(void **state)
{
    static const char *const names[] = {"sbatch", "squeue", "scancel", "sinfo"};
    char path[128];
    (void)state;
    memset(&box, 0, sizeof box);
    strcpy(box.root, "/tmp/pingo-commands-XXXXXX");
    assert_non_null(mkdtemp(box.root));
    box.dir = open(box.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put(names[i], command, 0755);
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", box.root);
    assert_int_equal(setenv("PATH", path, 1), 0);
    box.s.poll_fd = epoll_create1(EPOLL_CLOEXEC);
    box.s.seen = &box.seen;
    alarm(120);
    return way->open(&box.s, &box.handle, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    way->close(box.handle);
    free(box.s.sizes.list);
    close(box.s.poll_fd);
    close(box.dir);
    alarm(0);
    return pingo__tree_remove(AT_FDCWD, box.root);
}

/* What the next command says. */
static void says(const char *out, const char *err, const char *status)
{
    put("out", out, 0644);
    put("err", err, 0644);
    put("status", status, 0644);
}

static struct pingo__executor_slurm_answer ask(const struct pingo__executor_slurm_call *call,
                                               const struct pingo__executor_slurm_request *request)
{
    struct pingo__executor_slurm_answer answer;
    assert_int_equal(way->ask(box.handle, call, request, NULL), 0);
    while (!way->next(box.handle, &answer)) {
        assert_true(way->timeout_ms(box.handle) > 0);
        poll(&(struct pollfd){box.s.poll_fd, POLLIN, 0}, 1, 1000);
    }
    assert_int_equal(answer.call.kind, call->kind);
    return answer;
}

static void expect(const char *name, const char *text)
{
    char own[2048];
    assert_true(pingo__file_read(box.dir, name, own, sizeof own) >= 0);
    assert_string_equal(own, text);
}

static const struct pingo__executor_slurm_request request = {
    .name = "pingo-s-1.2",
    .comment = "pingo-s-1.2 a b",
    .log = "/p/slurm.log",
    .script = "#!/bin/sh\nexec 'r'\n",
    .cpus = 2,
};

static void test_commands__a_submission(void **state)
{
    struct pingo__executor_slurm_request own = request;
    const struct pingo__executor_slurm_call submit = {.kind = PINGO__SLURM_SUBMIT};
    (void)state;
    says("12\n", "", "0");
    struct pingo__executor_slurm_answer a = ask(&submit, &own);
    assert_int_equal(a.said, PINGO__SLURM_DONE);
    assert_int_equal(a.id, 12);
    assert_string_equal(a.message, "");
    expect("args", "sbatch\n--parsable\n--export=ALL\n--no-requeue\n--chdir=/\n--input=/dev/null\n"
                   "--ntasks=1\n--nodes=1\n--job-name=pingo-s-1.2\n--comment=pingo-s-1.2 a b\n"
                   "--output=/p/slurm.log\n--error=/p/slurm.log\n--cpus-per-task=2\n");
    expect("in", request.script);
    own.array = "0-9";
    own.memory_mb = 100;
    own.minutes = 5;
    own.options[PINGO__SLURM_PARTITION] = "a; rm -r /";
    says("7;far\n", "sbatch: a word besides\n", "0"); /* in a cluster with a name */
    a = ask(&submit, &own);
    assert_int_equal(a.said, PINGO__SLURM_DONE);
    assert_int_equal(a.id, 7);
    char args[2048];
    pingo__file_read(box.dir, "args", args, sizeof args);
    assert_non_null(strstr(args, "\n--array=0-9\n--cpus-per-task=2\n--mem=100M\n--time=5\n"
                                 "--partition=a; rm -r /\n"));
}

static void test_commands__their_words(void **state)
{
    static const struct {
        struct pingo__executor_slurm_call call;
        const char *args;
    } rows[] = {
        {{.kind = PINGO__SLURM_LIST},
         "squeue\n--noheader\n--all\n--array\n--states=all\n--format=%i|%T|%r|%N|%j|%k\n--me\n"},
        {{.kind = PINGO__SLURM_LOOK, .id = 12},
         "squeue\n--noheader\n--all\n--array\n--states=all\n--format=%i|%T|%r|%N|%j|%k\n--jobs="
         "12\n"},
        {{.kind = PINGO__SLURM_CANCEL, .id = 12}, "scancel\n12\n"},
        {{.kind = PINGO__SLURM_CANCEL, .id = 12, .task = 7, .ntasks = 1}, "scancel\n12_7\n"},
        {{.kind = PINGO__SLURM_CANCEL, .id = 12, .task = 7, .ntasks = 3}, "scancel\n12_[7-9]\n"},
        {{.kind = PINGO__SLURM_NODES}, "sinfo\n--Node\n--noheader\n--all\n--format=%P|%m\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        says("", "", "0");
        assert_int_equal(ask(&rows[i].call, NULL).said, PINGO__SLURM_DONE);
        expect("args", rows[i].args);
        expect("in", "");
    }
}

/* Settings of people for Slurm's commands, and secrets, are not for them. */
static void test_commands__their_environment(void **state)
{
    char env[512];
    (void)state;
    setenv("SQUEUE_FORMAT", "%i", 1);
    setenv("SECRET", "secret", 1);
    setenv("SLURM_CONF", "/etc/my.conf", 1);
    says("", "", "0");
    ask(&(struct pingo__executor_slurm_call){.kind = PINGO__SLURM_LIST}, NULL);
    pingo__file_read(box.dir, "env", env, sizeof env);
    assert_non_null(strstr(env, "SLURM_CONF=/etc/my.conf\n"));
    assert_non_null(strstr(env, "PATH="));
    assert_null(strstr(env, "SECRET"));
    assert_null(strstr(env, "SQUEUE_FORMAT"));
    unsetenv("SLURM_CONF");
}

static void test_commands__what_they_list_is_told(void **state)
{
    (void)state;
    says("nonsense\n12|FAILED|NonZeroExitCode|n1|pingo-check|\n\n", "", "0");
    ask(&(struct pingo__executor_slurm_call){.kind = PINGO__SLURM_LOOK, .id = 12}, NULL);
    assert_int_equal(box.seen.state, PINGO__SLURM_OVER);
    assert_string_equal(box.seen.reason, "NonZeroExitCode");
    assert_string_equal(box.seen.node, "n1");
    says("debug*|4000\nnonsense\nbig|8000\n", "", "0");
    ask(&(struct pingo__executor_slurm_call){.kind = PINGO__SLURM_NODES}, NULL);
    assert_int_equal(box.s.sizes.n, 2);
    assert_true(box.s.sizes.list[0].is_default);
    assert_int_equal(box.s.sizes.list[1].memory_mb, 8000);
}

/* Slurm's number 2050, as sbatch says it. */
#define LIMITED                                                                                    \
    "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit "  \
    "limit, user's size and/or time limits)\n"

static void test_commands__what_went_wrong(void **state)
{
    static struct pingo__executor_slurm_bundle bundle;
    static const struct pingo__executor_slurm_call submit = {.kind = PINGO__SLURM_SUBMIT},
                                                   array = {.kind = PINGO__SLURM_SUBMIT,
                                                            .bundle = &bundle},
                                                   look = {.kind = PINGO__SLURM_LOOK, .id = 12};
    static const struct {
        const struct pingo__executor_slurm_call *call;
        const char *out, *err, *status;
        enum pingo__executor_slurm_said said;
        const char *message;
    } rows[] = {
        {&submit, "",
         "sbatch: error: invalid partition specified: x\n"
         "sbatch: error: Batch job submission failed: Invalid partition name specified\n",
         "1", PINGO__SLURM_REFUSED,
         "sbatch: Batch job submission failed: Invalid partition name specified; see sinfo, and"},
        {&submit, "", "sbatch: error: Unable to contact slurm controller (connect failure)\n", "1",
         PINGO__SLURM_DOWN, "sbatch: Unable to contact slurm controller (connect failure)"},
        {&submit, "", "sbatch: error: Socket timed out on send/recv operation\n", "1",
         PINGO__SLURM_UNSURE, "sbatch: Socket timed out on send/recv operation"},
        {&submit, "", "sbatch: error: Requested node configuration is not available\n", "1",
         PINGO__SLURM_REFUSED, "sbatch: Requested node configuration is not available; no node"},
        {&submit, "", "sbatch: error: Invalid job array specification\n", "1", PINGO__SLURM_REFUSED,
         "sbatch: Invalid job array specification"},
        {&array, "", "sbatch: error: Invalid job array specification\n", "1", PINGO__SLURM_FULL,
         "sbatch: Invalid job array specification"},
        {&submit, "", "sbatch: error: AssocMaxSubmitJobLimit\n" LIMITED, "1", PINGO__SLURM_REFUSED,
         "sbatch: Batch job submission failed: Job violates accounting/QOS policy"},
        {&array, "", "sbatch: error: AssocMaxSubmitJobLimit\n" LIMITED, "1", PINGO__SLURM_FULL,
         "sbatch: Batch job submission failed: Job violates accounting/QOS policy"},
        {&submit, "",
         "sbatch: error: your site wants an account\n"
         "sbatch: error: Batch job submission failed: Unspecified error\n",
         "1", PINGO__SLURM_REFUSED, "sbatch: your site wants an account"},
        {&submit, "", "sbatch: error: Batch job submission failed: Unspecified error\n", "1",
         PINGO__SLURM_REFUSED, "sbatch: Batch job submission failed: Unspecified error; it may be"},
        {&submit, "", "", "1", PINGO__SLURM_REFUSED, "sbatch: it said nothing"},
        {&submit, "", "", "127", PINGO__SLURM_DOWN, "sbatch: it said nothing"},
        {&submit, "", "", "killed", PINGO__SLURM_UNSURE, "sbatch: it said nothing"},
        {&submit, "taken\n", "", "0", PINGO__SLURM_UNSURE, "sbatch: it said nothing"},
        {&submit, "0\n", "", "0", PINGO__SLURM_UNSURE, "sbatch: it said nothing"},
        {&submit, "", "sbatch: error: \033[31mred\n", "1", PINGO__SLURM_REFUSED, "sbatch: "},
        {&submit, "", "sbatch: error: Invalid job id specified\n", "1", PINGO__SLURM_REFUSED,
         "sbatch: Invalid job id specified"},
        {&look, "", "slurm_load_jobs error: Invalid job id specified\n", "1", PINGO__SLURM_UNKNOWN,
         "squeue: Invalid job id specified"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        says(rows[i].out, rows[i].err, rows[i].status);
        if (strcmp(rows[i].status, "killed") == 0)
            put("sbatch", "#!/bin/sh\nkill -9 $$\n", 0755);
        const struct pingo__executor_slurm_answer a = ask(rows[i].call, &request);
        put("sbatch", command, 0755);
        if (a.said != rows[i].said ||
            strncmp(a.message, rows[i].message, strlen(rows[i].message)) != 0)
            fail_msg("row %zu: %d %s", i, (int)a.said, a.message);
        assert_null(strchr(a.message, '\033'));
        assert_int_equal(a.id, 0);
    }
}

static void test_commands__where_there_are_none(void **state)
{
    (void)state;
    setenv("PATH", "/nowhere", 1);
    const struct pingo__executor_slurm_answer a =
        ask(&(struct pingo__executor_slurm_call){.kind = PINGO__SLURM_LIST}, NULL);
    assert_int_equal(a.said, PINGO__SLURM_DOWN);
    assert_memory_equal(a.message, "squeue: ", 8);
}

static size_t children(void)
{
    char path[64];
    long pid;
    size_t n = 0;
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    while (fscanf(file, "%ld", &pid) == 1)
        n++;
    fclose(file);
    return n;
}

/* A few at a time, each answer once; and who leaves leaves nobody running. */
static void test_commands__a_few_at_a_time(void **state)
{
    struct pingo__executor_slurm_answer answer;
    bool answered[20] = {false};
    const char *why = "";
    (void)state;
    assert_true(way->is_ready(box.handle, &why));
    assert_null(why);
    assert_int_equal(way->timeout_ms(box.handle), -1);
    says("", "", "0");
    for (int64_t i = 0; i < 20; i++)
        assert_int_equal(
            way->ask(box.handle,
                     &(struct pingo__executor_slurm_call){.kind = PINGO__SLURM_LOOK, .id = i + 1},
                     NULL, NULL),
            0);
    for (int n = 0; n < 20;) {
        if (way->next(box.handle, &answer)) {
            assert_false(answered[answer.call.id - 1]);
            answered[answer.call.id - 1] = true;
            n++;
            continue;
        }
        assert_in_range(children(), 1, 8);
        poll(&(struct pollfd){box.s.poll_fd, POLLIN, 0}, 1, 1000);
    }
    assert_false(way->next(box.handle, &answer));
    put("squeue", "#!/bin/sh\nexec sleep 1000\n", 0755);
    for (int64_t i = 0; i < 3; i++)
        assert_int_equal(way->ask(box.handle,
                                  &(struct pingo__executor_slurm_call){.kind = PINGO__SLURM_LIST},
                                  NULL, NULL),
                         0);
    assert_false(way->next(box.handle, &answer));
    assert_int_equal(children(), 3);
    way->close(box.handle);
    assert_int_equal(children(), 0);
    assert_int_equal(way->open(&box.s, &box.handle, NULL), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_commands__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_submission),           TEST(their_words),     TEST(their_environment),
        TEST(what_they_list_is_told), TEST(what_went_wrong), TEST(where_there_are_none),
        TEST(a_few_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
