/* test_check.c - what a try of the settings finds and says: sbatch, squeue and scancel are scripts of this test, and so is
 * the runner that the job starts on its node.  With a real Slurm: test/slurm/check.t. */
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
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <pingo/version.h>

#include "base/file.h"
#include "base/tree.h"
#include "executor/registry.h"
#include "executor/slurm/slurm.h"

/* Who waits for nothing but time has waited: the clock says so. */
static int64_t waited_ms;

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    const struct timespec t = {timeout / 1000, timeout % 1000 * 1000000L};
    if (n > 0)
        return ppoll(fds, n, timeout < 0 ? NULL : &t, NULL);
    waited_ms += timeout;
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    long rc = syscall(SYS_clock_gettime, clock, t);
    if (clock == CLOCK_MONOTONIC)
        t->tv_sec += waited_ms / 1000;
    return (int)rc;
}

static struct {
    char root[64], pool[80], runner[80];
    int dir; /* of the scripts */
    const char *via, *url;
    struct {
        enum pingo_check_result result;
        char what[16], message[600];
    } found[16];
    size_t nfound;
    int left;         /* so often it is wanted yet */
    bool no_attempts; /* the pool has no such directory */
} box;

static void put(const char *name, const char *text)
{
    unlinkat(box.dir, name, 0);
    int fd = openat(box.dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

/* Runs the job at once. */
#define SBATCH "#!/bin/sh\ncat >\"${0%/*}/script\"\nsh \"${0%/*}/script\" >/dev/null\necho 12\n"
#define SAYS(state) "#!/bin/sh\necho '12|" state "|n1|pingo-check|'\n"
/* Answers as the real one does, but for what a test adds to it. */
#define RUNNER(version, ms, landlock)                                                              \
    "#!/bin/sh\n[ \"$1\" = --probe ] || exit 1\n"                                                  \
    "{ cat question; echo; echo " version "; echo n1; echo " ms "; id -u; echo " landlock          \
    "; } >answer\n"
#define NOW "$(date +%s)000"

static int set_up(void **state)
{
    char path[128];
    (void)state;
    memset(&box, 0, sizeof box);
    strcpy(box.root, "/tmp/pingo-check-XXXXXX");
    assert_non_null(mkdtemp(box.root));
    box.dir = open(box.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    snprintf(box.pool, sizeof box.pool, "%s/po'ol", box.root);
    assert_int_equal(mkdir(box.pool, 0755), 0);
    snprintf(box.runner, sizeof box.runner, "%s/run ner", box.root);
    put("run ner", RUNNER(PINGO_VERSION, NOW, "3"));
    put("sbatch", SBATCH);
    put("squeue", SAYS("COMPLETED|None"));
    put("scancel", "#!/bin/sh\necho \"$@\" >\"${0%/*}/cancelled\"\n");
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", box.root);
    assert_int_equal(setenv("PATH", path, 1), 0);
    box.via = "commands";
    box.left = 100000;
    alarm(120);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close(box.dir);
    alarm(0);
    return pingo__tree_remove(AT_FDCWD, box.root);
}

static void on_found(void *context, enum pingo_check_result result, const char *what,
                     const char *message)
{
    (void)context;
    assert_in_range(box.nfound, 0, 15);
    box.found[box.nfound].result = result;
    snprintf(box.found[box.nfound].what, 16, "%s", what);
    snprintf(box.found[box.nfound++].message, 600, "%s", message);
}

static bool is_wanted(void *context)
{
    (void)context;
    return box.left-- > 0;
}

/* Nothing stays of it in the pool. */
static void check(void)
{
    const struct pingo_executor_type *type = &pingo__executor_slurm;
    const char *texts[32] = {NULL};
    struct pingo__executor_values values = {type->settings, type->nsettings,
                                            (char **)(uintptr_t)texts};
    const struct pingo_executor_context context = {.version = 2,
                                                   .store_id = "0123456789abcdef",
                                                   .name = "slurm",
                                                   .settings = &values,
                                                   .pool_dir = box.pool};
    const struct pingo_check_options options = {
        .version = 1, .found = on_found, .is_wanted = is_wanted, .limit_ms = INT64_C(1000000000)};
    char path[128];
    for (size_t i = 0; i < values.n; i++)
        texts[i] = strcmp(values.rows[i].key, "via") == 0      ? box.via
                   : strcmp(values.rows[i].key, "url") == 0    ? box.url
                   : strcmp(values.rows[i].key, "runner") == 0 ? box.runner
                                                               : NULL;
    box.nfound = 0;
    snprintf(path, sizeof path, "%s/attempts", box.pool);
    assert_int_equal(mkdir(path, 0755), 0);
    if (box.no_attempts)
        rmdir(path);
    assert_int_equal(type->check(&context, &options, NULL), 0);
    assert_int_equal(rmdir(path), box.no_attempts ? -1 : 0);
}

/* The i-th thing that was found begins so. */
static void expect(size_t i, enum pingo_check_result result, const char *what, const char *message)
{
    assert_true(i < box.nfound);
    if (box.found[i].result != result || strcmp(box.found[i].what, what) != 0 ||
        strncmp(box.found[i].message, message, strlen(message)) != 0)
        fail_msg("%d %s: %s", (int)box.found[i].result, box.found[i].what, box.found[i].message);
}

static void test_check__all_is_well(void **state)
{
    static const char *const whats[] = {"reach", "job", "pool", "runner", "clock", "sandbox"};
    char text[256];
    (void)state;
    check();
    assert_int_equal(box.nfound, 6);
    for (size_t i = 0; i < 6; i++)
        expect(i, PINGO_CHECK_WELL, whats[i], "");
    expect(0, PINGO_CHECK_WELL, "reach", "sbatch, squeue and scancel are asked");
    expect(1, PINGO_CHECK_WELL, "job", "Slurm has run job 12 on n1");
    snprintf(text, sizeof text, "n1 reads and writes %s", box.pool);
    expect(2, PINGO_CHECK_WELL, "pool", text);
    snprintf(text, sizeof text, "%s runs on n1", box.runner);
    expect(3, PINGO_CHECK_WELL, "runner", text);
    expect(4, PINGO_CHECK_WELL, "clock", "n1 has the same time");
    expect(5, PINGO_CHECK_WELL, "sandbox", "n1 can confine actions");
    assert_int_equal(faccessat(box.dir, "cancelled", F_OK, 0), -1);
}

static void test_check__what_a_node_answers(void **state)
{
    static const struct {
        const char *runner;
        size_t i;
        enum pingo_check_result result;
        const char *what, *part;
    } rows[] = {
        {RUNNER("0.0.1", NOW, "3"), 3, PINGO_CHECK_WRONG, "runner",
         " on n1 is of version 0.0.1, and this is " PINGO_VERSION ": they have to be the same"},
        {RUNNER(PINGO_VERSION, "5000000", "3"), 4, PINGO_CHECK_NOTE, "clock", " s behind this"},
        {RUNNER(PINGO_VERSION, NOW "0", "3"), 4, PINGO_CHECK_NOTE, "clock", " s ahead of this"},
        {RUNNER(PINGO_VERSION, NOW, "0"), 5, PINGO_CHECK_NOTE, "sandbox",
         "n1 cannot confine actions"},
        {"#!/bin/sh\nprintf '%s\\n' other " PINGO_VERSION " n1 " NOW " 0 3 >answer\n", 2,
         PINGO_CHECK_WRONG, "pool", "n1 reads something else in "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put("run ner", rows[i].runner);
        check();
        assert_int_equal(box.nfound, 6);
        expect(rows[i].i, rows[i].result, rows[i].what, "");
        if (!strstr(box.found[rows[i].i].message, rows[i].part))
            fail_msg("%s", box.found[rows[i].i].message);
    }
}

static void test_check__nothing_comes(void **state)
{
    static const struct {
        const char *sbatch, *squeue, *runner; /* runner NULL: it is not there */
        enum pingo_check_result result;
        const char *what, *part;
    } rows[] = {
        {SBATCH, SAYS("COMPLETED|None"), NULL, PINGO_CHECK_WRONG, "runner",
         "/run ner is not there on n1: install Pingo there"},
        {SBATCH, SAYS("FAILED|NonZeroExitCode"), "#!/bin/sh\necho no libnettle >&2\nexit 127\n",
         PINGO_CHECK_WRONG, "runner", "/run ner cannot be run on n1: no libnettle"},
        {"#!/bin/sh\necho 12\n", SAYS("COMPLETED|None"), "", PINGO_CHECK_WRONG, "pool",
         "n1 does not see "},
        {"#!/bin/sh\necho 12\n", SAYS("NODE_FAIL|NodeFail"), "", PINGO_CHECK_UNKNOWN, "job",
         "job 12 ended on n1 before it could tell anything: NodeFail"},
        {"#!/bin/sh\necho 12\n", "#!/bin/sh\necho 'error: Invalid job id specified' >&2\nexit 1\n",
         "", PINGO_CHECK_UNKNOWN, "job", "job 12 ended on the node before it could tell anything"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put("sbatch", rows[i].sbatch);
        put("squeue", rows[i].squeue);
        put("run ner", rows[i].runner ? rows[i].runner : "");
        if (!rows[i].runner)
            unlinkat(box.dir, "run ner", 0);
        check();
        assert_int_equal(box.nfound, 2);
        expect(1, rows[i].result, rows[i].what, "");
        if (!strstr(box.found[1].message, rows[i].part))
            fail_msg("%s", box.found[1].message);
    }
}

/* A job that nobody waits for any longer is cancelled, though nobody waits. */
static void test_check__it_waits_for_its_turn(void **state)
{
    char cancelled[32];
    (void)state;
    put("sbatch", "#!/bin/sh\necho 12\n");
    put("squeue", "#!/bin/sh\necho '12|PENDING|Resources||pingo-check|'\n");
    box.left = 200;
    check();
    assert_int_equal(box.nfound, 2);
    expect(1, PINGO_CHECK_UNKNOWN, "job",
           "job 12 of Slurm's waits to be started, for the reason Resources; it is cancelled");
    assert_true(pingo__file_read(box.dir, "cancelled", cancelled, sizeof cancelled) > 0);
    assert_string_equal(cancelled, "12\n");
}

static void test_check__slurm_takes_no_job(void **state)
{
    (void)state;
    put("sbatch",
        "#!/bin/sh\necho 'sbatch: error: Invalid partition name specified' >&2\nexit 1\n");
    check();
    expect(1, PINGO_CHECK_WRONG, "job",
           "Slurm takes no job: sbatch: Invalid partition name specified; see sinfo");
    put("sbatch", "#!/bin/sh\necho 'error: Unable to contact (connect failure)' >&2\nexit 1\n");
    check();
    assert_int_equal(box.nfound, 2);
    expect(1, PINGO_CHECK_UNKNOWN, "job", "Slurm takes no job: sbatch: Unable to contact");
}

static void test_check__before_there_is_a_job(void **state)
{
    char text[256];
    (void)state;
    box.via = "post";
    check();
    assert_int_equal(box.nfound, 1);
    expect(0, PINGO_CHECK_WRONG, "settings", "executor.slurm.via is \"post\"; it can be");
    box.via = "rest";
    box.url = "http://127.0.0.1:1";
    check();
    assert_int_equal(box.nfound, 1);
    expect(0, PINGO_CHECK_UNKNOWN, "reach", "");
    assert_non_null(strstr(box.found[0].message, ": is it down, or is executor.slurm.url wrong?"));
    box.via = "commands";
    box.no_attempts = true;
    check();
    assert_int_equal(box.nfound, 2);
    snprintf(text, sizeof text, "%s cannot be written here: No such file or directory", box.pool);
    expect(1, PINGO_CHECK_WRONG, "pool", text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_check__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(all_is_well),           TEST(what_a_node_answers), TEST(nothing_comes),
        TEST(it_waits_for_its_turn), TEST(slurm_takes_no_job),  TEST(before_there_is_a_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
