/* What a job sees, and what becomes of its output, through the whole of client, supervisor and
 * worker. */
#include "unit/executor/harness.h"

static void test_local__publishes_a_file(void **state)
{
    struct box b;
    struct stat st;
    char path[200];
    struct pingo_hash expected;
    (void)state;
    box_open(&b);
    struct pingo_job_end *end =
        box_run(&b, &(struct spec){.action = 1, .script = "echo hello > output"});
    assert_true(pingo_job_end_is_success(end));
    assert_int_equal(end->output_kind, PINGO_OUTPUT_FILE);
    assert_int_equal(end->size_bytes, 6);
    assert_true(end->max_rss_bytes > 0);
    assert_true(end->ended_ms >= end->started_ms && end->started_ms > 1600000000000);
    box_expect_text(&b, "staged/1.1", "hello\n");
    snprintf(path, sizeof path, "%s/staged/1.1", b.pool);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0222, 0);
    assert_int_equal(pingo_content_hash(path, &expected, NULL), 0);
    assert_memory_equal(&expected, &end->content, sizeof expected);
    box_expect_count(&b, "attempts", 0);
    box_close(&b);
}

static void test_local__publishes_a_directory(void **state)
{
    struct box b;
    struct stat st;
    char path[200];
    (void)state;
    box_open(&b);
    struct pingo_job_end *end = box_run(
        &b, &(struct spec){.action = 1,
                           .output = "made",
                           .script = "mkdir -p made/sub made/empty; echo a > made/a; "
                                     "echo bc > made/sub/b; ln -s a made/link; chmod 555 made"});
    assert_true(pingo_job_end_is_success(end));
    assert_int_equal(end->output_kind, PINGO_OUTPUT_DIRECTORY);
    assert_int_equal(end->size_bytes, 2 + 3 + 1);
    box_expect_text(&b, "staged/1.1/sub/b", "bc\n");
    snprintf(path, sizeof path, "%s/staged/1.1/sub", b.pool);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0222, 0);
    box_close(&b);
}

static void test_local__standard_output_can_be_the_output(void **state)
{
    struct box b;
    (void)state;
    box_open(&b);
    b.log_bytes = 0;
    for (int64_t i = 1; i <= 2; i++) {
        struct pingo_job_end *end =
            box_run(&b, &(struct spec){.action = i, .standard_output = true, .script = "echo out"});
        assert_true(pingo_job_end_is_success(end));
        assert_int_equal(end->size_bytes, 4);
    }
    box_expect_text(&b, "staged/1.1", "out\n");
    box_expect_text(&b, "staged/2.1", "out\n");
    box_expect_count(&b, "attempts", 0);
    box_close(&b);
}

static void test_local__environment_is_exact(void **state)
{
    static const char *const env[] = {"PATH=/usr/bin:/bin", "B=2 3", "PINGO_CPUS=99", NULL};
    static const char *const argv[] = {"env", NULL};
    struct box b;
    char expected[400];
    (void)state;
    box_open(&b);
    assert_int_equal(setenv("LEAKED", "yes", 1), 0);
    box_run(&b, &(struct spec){.action = 5,
                               .argv = argv,
                               .env = env,
                               .standard_output = true,
                               .cpus = 7,
                               .memory_bytes = 100 * 1048576});
    snprintf(expected, sizeof expected,
             "PATH=/usr/bin:/bin\nB=2 3\nHOME=%s/attempts/5.1/work\nTMPDIR=%s/attempts/5.1/tmp\n"
             "PINGO_CPUS=2\n"
             "PINGO_MEMORY_MB=100\n",
             b.pool, b.pool);
    box_expect_text(&b, "staged/5.1", expected);
    box_run(&b, &(struct spec){.action = 6,
                               .standard_output = true,
                               .script = "pwd; umask; echo $HOME; cat; ls -A"});
    snprintf(expected, sizeof expected, "%s/attempts/6.1/work\n0022\n%s/attempts/6.1/work\n",
             b.pool, b.pool);
    box_expect_text(&b, "staged/6.1", expected);
    box_close(&b);
}

/* What asks for more memory than there is has all of it, and is told so. */
static void test_local__no_more_memory_is_told_than_there_is(void **state)
{
    struct box b;
    (void)state;
    box_init(&b);
    b.memory_bytes = 64 * 1048576;
    b.executor = box_open_executor(&b);
    box_run(&b, &(struct spec){.action = 1,
                               .standard_output = true,
                               .script = "echo $PINGO_MEMORY_MB",
                               .memory_bytes = (int64_t)1000000 * 1048576});
    box_expect_text(&b, "staged/1.1", "64\n");
    box_close(&b);
}

static void test_local__a_declared_home_stands(void **state)
{
    static const char *const env[] = {"HOME=/nowhere", NULL};
    struct box b;
    (void)state;
    box_open(&b);
    box_run(&b, &(struct spec){.action = 1,
                               .env = env,
                               .standard_output = true,
                               .script = "echo $HOME $PINGO_CPUS"});
    box_expect_text(&b, "staged/1.1", "/nowhere 1\n");
    box_close(&b);
}

static void test_local__no_descriptor_and_no_signal_state_leaks(void **state)
{
    struct box b;
    (void)state;
    int leaked = open("/", O_RDONLY); /* without close-on-exec, as a host program may */
    assert_true(leaked >= 0);
    signal(SIGHUP, SIG_IGN);
    box_open(&b);
    box_run(&b, &(struct spec){.action = 1,
                               .standard_output = true,
                               .script = "i=0; while test $i -lt 64; do "
                                         "test -e /proc/$$/fd/$i && echo $i; i=$((i+1)); done; "
                                         "while read -r name value; do case $name in "
                                         "Sig[BI]*) echo $name $value;; esac; "
                                         "done < /proc/$$/status; readlink /proc/$$/fd/0"});
    box_expect_text(&b, "staged/1.1",
                    "0\n1\n2\nSigBlk: 0000000000000000\nSigIgn: 0000000000000000\n/dev/null\n");
    box_close(&b);
    signal(SIGHUP, SIG_DFL);
    close(leaked);
}

static void test_local__a_job_leads_a_session_of_its_own(void **state)
{
    struct box b;
    (void)state;
    box_open(&b);
    box_run(&b, &(struct spec){.action = 1,
                               .standard_output = true,
                               .script = "read -r pid comm st ppid pgrp sess rest < /proc/$$/stat; "
                                         "test $pid = $$ -a $pgrp = $$ -a $sess = $$ && echo yes"});
    box_expect_text(&b, "staged/1.1", "yes\n");
    box_close(&b);
}

static void test_local__links_lead_to_the_inputs(void **state)
{
    struct box b;
    char target[160];
    (void)state;
    box_open(&b);
    snprintf(target, sizeof target, "%s/a file", b.root);
    FILE *file = fopen(target, "w");
    assert_non_null(file);
    fputs("content\n", file);
    fclose(file);
    const struct pingo_job_link links[] = {{.name = "text", .target = target},
                                           {.name = "2", .target = "/nowhere"}};
    struct pingo_job_end *end = box_run(
        &b,
        &(struct spec){.action = 1,
                       .links = links,
                       .nlinks = 2,
                       .script = "cat in/text > output; readlink in/2 >> output; ls in >> output"});
    assert_true(pingo_job_end_is_success(end));
    box_expect_text(&b, "staged/1.1", "content\n/nowhere\n2\ntext\n");
    assert_int_equal(access(target, F_OK), 0);
    /* The next one in the same directory has none. */
    box_run(&b, &(struct spec){.action = 2, .standard_output = true, .script = "ls -A; ls -A .."});
    box_expect_text(&b, "staged/2.1", "stderr\nstdout\ntmp\nwork\n");
    box_close(&b);
}

/* The directory of links is kept between jobs; whatever one did to it, the next finds its own. */
static void test_local__kept_links_are_those_of_the_job(void **state)
{
    static const char *const meddling[] = {
        ":",
        "rm in/a",
        "ln -sfn /evil in/a",
        "rm in/a; mkdir -p in/a/b/c",
        "touch in/more",
        "chmod 0 in",
        "rm -r in; ln -s / in",
        "rm -r in; mkdir in; ln -s /one in/a",
        "rm in/a; echo /one > in/a",
    };
    const struct pingo_job_link first[] = {{.name = "a", .target = "/one"},
                                           {.name = "b", .target = "/two"},
                                           {.name = "z", .target = "/last"}};
    const struct pingo_job_link second[] = {{.name = "a", .target = "/one"},
                                            {.name = "b", .target = "/other"},
                                            {.name = "c", .target = "/two"}};
    struct box b;
    (void)state;
    box_init(&b);
    b.slots = 1;
    b.executor = box_open_executor(&b);
    for (size_t i = 0; i < sizeof meddling / sizeof meddling[0]; i++) {
        char script[128], staged[32];
        int64_t action = 10 * (int64_t)(i + 1);
        snprintf(script, sizeof script, "echo x > output; %s", meddling[i]);
        assert_true(pingo_job_end_is_success(box_run(
            &b, &(struct spec){.action = action, .links = first, .nlinks = 3, .script = script})));
        box_run(&b, &(struct spec){.action = action + 1,
                                   .links = second,
                                   .nlinks = 3,
                                   .standard_output = true,
                                   .script = "ls -A . in; cd in; readlink a b c"});
        snprintf(staged, sizeof staged, "staged/%lld.1", (long long)action + 1);
        box_expect_text(&b, staged, ".:\nin\n\nin:\na\nb\nc\n/one\n/other\n/two\n");
        box_run(&b,
                &(struct spec){.action = action + 2, .standard_output = true, .script = "ls -A"});
        snprintf(staged, sizeof staged, "staged/%lld.1", (long long)action + 2);
        box_expect_text(&b, staged, "");
    }
    box_close(&b);
}

static void test_local__twenty_thousand_links_work(void **state)
{
    enum { N = 20000 };
    struct box b;
    struct pingo_job_link *links = calloc(N, sizeof *links);
    (void)state;
    assert_non_null(links);
    box_open(&b);
    for (size_t i = 0; i < N; i++) {
        char name[16];
        snprintf(name, sizeof name, "%05zu", i);
        links[i].name = strdup(name);
        links[i].target = "/an/absolute/path/that/is/about/as/long/as/those/of/a/pool/objects/aa";
    }
    struct pingo_job_end *end = box_run(
        &b, &(struct spec){
                .action = 1, .links = links, .nlinks = N, .script = "ls in | wc -l > output"});
    assert_true(pingo_job_end_is_success(end));
    box_expect_text(&b, "staged/1.1", "20000\n");
    for (size_t i = 0; i < N; i++)
        free((char *)(uintptr_t)links[i].name);
    free(links);
    box_close(&b);
}

static void test_local__a_name_of_a_link_cannot_lead_out(void **state)
{
    const struct pingo_job_link links[] = {{.name = "../../evil", .target = "/etc/passwd"}};
    struct box b;
    (void)state;
    box_open(&b);
    struct pingo_job_end *end = box_run(
        &b, &(struct spec){.action = 1, .links = links, .nlinks = 1, .script = "echo x > output"});
    assert_int_equal(end->reason, PINGO_END_NOT_STARTED);
    assert_non_null(strstr(end->message, "in/../../evil"));
    box_close(&b);
}

static void test_local__directories_are_used_again_only_when_clean(void **state)
{
    static const char *const dirt[] = {
        "echo x > output; mkdir -p deep/er; touch deep/er/file .hidden; chmod 0 deep",
        "echo x > output; touch ../stray",
        "echo x > output; chmod 700 .; chmod 777 ..",
        "echo x > output; mv ../work ../other; mkdir ../work",
        "echo x > output; rm ../stdout; ln -s /etc/passwd ../stdout",
        "echo x > output; echo said",
        "echo x > output; echo said >&2",
        "echo x > output; chmod 600 ../stderr",
        "echo x > output; i=0; while test $i -lt 500; do mkdir d; cd d; i=$((i+1)); done",
    };
    struct box b;
    (void)state;
    box_open(&b);
    b.type->close(b.executor);
    b.slots = 1; /* the same worker for all */
    b.executor = box_open_executor(&b);
    for (size_t i = 0; i < sizeof dirt / sizeof dirt[0]; i++) {
        char staged[32];
        int64_t action = 10 * (int64_t)(i + 1);
        box_run(&b, &(struct spec){.action = action, .script = dirt[i]});
        struct pingo_job_end *end = box_run(
            &b, &(struct spec){.action = action + 1,
                               .script = "exec > output; ls -A; stat -c '%A %n %s' .. . ../*"});
        if (!pingo_job_end_is_success(end))
            fail_msg("after '%s': reason %d", dirt[i], (int)end->reason);
        snprintf(staged, sizeof staged, "staged/%lld.1", (long long)action + 1);
        char *text = box_read(&b, staged);
        assert_non_null(text);
        char *sizes = strstr(text, "drwxr-xr-x ..");
        assert_non_null(sizes);
        assert_memory_equal(text, "output\n", 7);
        assert_ptr_equal(sizes, text + 7);
        assert_non_null(strstr(text, "-rw-r--r-- ../stderr 0\n-rw-r--r-- ../stdout 0\n"));
        assert_non_null(strstr(text, "drwxr-xr-x ../work"));
        assert_null(strstr(text, "stray"));
        free(text);
    }
    box_expect_text(&b, "attempts/60.1/stdout", "said\n");
    box_expect_text(&b, "attempts/70.1/stderr", "said\n");
    box_close(&b);
}

static void test_local__a_failure_leaves_its_directory(void **state)
{
    struct box b;
    const struct pingo_job_link links[] = {{.name = "x", .target = "/x"}};
    (void)state;
    box_open(&b);
    struct pingo_job_end *end =
        box_run(&b, &(struct spec){.action = 1,
                                   .links = links,
                                   .nlinks = 1,
                                   .script = "echo part > output; echo why >&2; exit 3"});
    assert_int_equal(end->reason, PINGO_END_EXITED);
    assert_int_equal(end->exit_code, 3);
    assert_int_equal(end->output_kind, PINGO_OUTPUT_NONE);
    box_expect_text(&b, "attempts/1.1/work/output", "part\n");
    box_expect_text(&b, "attempts/1.1/stderr", "why\n");
    assert_int_equal(box_count(&b, "attempts/1.1/work/in"), 1);
    assert_int_equal(box_count(&b, "staged"), 0);
    box_close(&b);
}

static void test_local__files_with_other_names_are_copied(void **state)
{
    struct box b;
    struct stat st;
    char path[160], script[400];
    (void)state;
    box_open(&b);
    snprintf(path, sizeof path, "%s/mine", b.root);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("mine\n", file);
    fclose(file);
    snprintf(script, sizeof script, "ln %s output", path);
    assert_true(pingo_job_end_is_success(box_run(&b, &(struct spec){.action = 1, .script = script})));
    snprintf(script, sizeof script, "mkdir -p output/d; ln %s output/d/f", path);
    assert_true(pingo_job_end_is_success(box_run(&b, &(struct spec){.action = 2, .script = script})));
    box_expect_text(&b, "staged/1.1", "mine\n");
    box_expect_text(&b, "staged/2.1/d/f", "mine\n");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_nlink, 1);
    assert_int_equal(st.st_mode & 0777, 0644);
    box_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local__publishes_a_file),
        cmocka_unit_test(test_local__publishes_a_directory),
        cmocka_unit_test(test_local__standard_output_can_be_the_output),
        cmocka_unit_test(test_local__environment_is_exact),
        cmocka_unit_test(test_local__no_more_memory_is_told_than_there_is),
        cmocka_unit_test(test_local__a_declared_home_stands),
        cmocka_unit_test(test_local__no_descriptor_and_no_signal_state_leaks),
        cmocka_unit_test(test_local__a_job_leads_a_session_of_its_own),
        cmocka_unit_test(test_local__links_lead_to_the_inputs),
        cmocka_unit_test(test_local__kept_links_are_those_of_the_job),
        cmocka_unit_test(test_local__twenty_thousand_links_work),
        cmocka_unit_test(test_local__a_name_of_a_link_cannot_lead_out),
        cmocka_unit_test(test_local__directories_are_used_again_only_when_clean),
        cmocka_unit_test(test_local__a_failure_leaves_its_directory),
        cmocka_unit_test(test_local__files_with_other_names_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
