/* test_confine.c - the sandbox of one attempt, and failures that look like it: confine.c. */
#include "unit/runner/ground.h"

#include "runner/steps.h"

struct cell {
    struct ground *g;
    struct pingo__sandbox sandbox;
    struct pingo__runner_logs logs;
};

static void cell_open(struct cell *c, int abi)
{
    c->g = ground_new();
    c->g->job.confine = true;
    c->sandbox = (struct pingo__sandbox){.abi = abi};
    assert_int_equal(pingo__runner_logs_open(&c->logs, c->g->scratch.dir, 65536, false), 0);
}

static void cell_close(struct cell *c)
{
    pingo__runner_logs_close(&c->logs);
    pingo__sandbox_clear(&c->sandbox);
    ground_free(c->g);
}

static int ruleset_of(struct cell *c)
{
    int ruleset;
    assert_int_equal(
        pingo__runner_confine(&c->sandbox, &c->g->scratch, &c->logs, &c->g->job, &ruleset), 0);
    return ruleset;
}

/* The exit status of a script within. */
static int run(struct cell *c, const char *script)
{
    struct pingo__runner_command command;
    bool at_exec;
    int ruleset = ruleset_of(c), null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(ruleset >= 0);
    c->g->argv[2] = script;
    assert_int_equal(
        pingo__runner_command_init(&command, &c->g->job, &(struct pingo__runner_grant){1, 0}), 0);
    const struct pingo__runner_command_places places = {
        c->g->scratch.work, {null, c->logs.fds[0], c->logs.fds[1]}, -1, ruleset, -1};
    pid_t pid = pingo__runner_command_start(&command, &places, &at_exec);
    if (ruleset != c->g->scratch.ruleset)
        close(ruleset);
    assert_true(pid > 0);
    pingo__runner_command_clear(&command);
    close(null);
    return reap(pid);
}

static void test_confine__only_what_is_its_own(void **state)
{
    struct cell c;
    char script[900];
    (void)state;
    if (pingo__sandbox_abi() < 1)
        skip();
    cell_open(&c, pingo__sandbox_abi());
    ground_write(ground_path(c.g, "declared"), "d", 0644);
    ground_write(ground_path(c.g, "readable"), "r", 0644);
    ground_write(ground_path(c.g, "other"), "o", 0644);
    const char *readable[] = {ground_path(c.g, "readable"), "/there/is/none", NULL};
    c.g->links[0] = (struct pingo_job_link){.name = "in", .target = ground_path(c.g, "declared")};
    c.g->job.nlinks = 1;
    c.g->job.readable = readable;
    c.g->job.nreadable = 2;
    snprintf(script, sizeof script,
             "cat %s/declared %s/readable > got && ! cat %s/other && ! echo x > %s/declared &&"
             "echo y > \"$TMPDIR/y\" && echo z > /dev/stderr && [ $(cat got) = dr ]",
             c.g->pool.root, c.g->pool.root, c.g->pool.root, c.g->pool.root);
    assert_int_equal(run(&c, script), 0);
    assert_true(ground_is(ground_path(c.g, "declared"), "d"));
    cell_close(&c);
}

/* One after the other in one scratch: what one of them may read the next one may not, and who opens its logs by name
 * can, though they are others than those of the last. */
static void test_confine__one_after_the_other(void **state)
{
    struct cell c;
    char script[600];
    (void)state;
    if (pingo__sandbox_abi() < 1)
        skip();
    cell_open(&c, pingo__sandbox_abi());
    struct pingo__runner_scratch *s = &c.g->scratch;
    ground_write(ground_path(c.g, "in"), "i", 0644);
    c.g->links[0] = (struct pingo_job_link){.name = "in", .target = ground_path(c.g, "in")};
    snprintf(script, sizeof script, "echo x > /dev/stdout && ! cat %s/in", c.g->pool.root);
    assert_int_equal(run(&c, script), 0);
    int kept = s->ruleset;
    assert_true(kept >= 0);
    assert_int_equal(run(&c, script), 0);
    assert_int_equal(s->ruleset, kept);
    c.g->job.nlinks = 1;
    assert_int_equal(run(&c, script), 1); /* it can be read */
    assert_int_equal(s->ruleset, -1);
    c.g->job.nlinks = 0;
    assert_int_equal(run(&c, script), 0);
    c.g->job.confine = false;
    assert_int_equal(ruleset_of(&c), -1);
    assert_int_equal(s->ruleset, -1);
    pingo__runner_logs_close(&c.logs); /* as an unconfined command can do it */
    assert_int_equal(unlinkat(s->dir, "stdout", 0), 0);
    close(openat(s->dir, "stdout", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    assert_int_equal(pingo__runner_logs_open(&c.logs, s->dir, 65536, false), 0);
    c.g->job.confine = true;
    assert_int_equal(run(&c, script), 0);
    c.sandbox.opened_ms -= 5000; /* what is mounted since is another directory */
    kept = s->ruleset;
    c.g->job.output = NULL;
    assert_int_equal(run(&c, script), 0);
    assert_true(kept >= 0 && s->ruleset == -1);
    cell_close(&c);
}

static void test_confine__who_is_not_to_be_or_cannot_be(void **state)
{
    struct cell c;
    (void)state;
    cell_open(&c, pingo__sandbox_abi());
    c.g->job.confine = false;
    assert_int_equal(ruleset_of(&c), -1);
    cell_close(&c);
    cell_open(&c, 0); /* a kernel that has none */
    assert_int_equal(ruleset_of(&c), -1);
    cell_close(&c);
}

static void test_confine__what_may_come_from_it(void **state)
{
    static const struct {
        const char *said;
        bool denied;
        const char *message;
    } rows[] = {
        {"", false, ""},
        {"all is well", false, ""},
        {"cat: /x: Permission denied\n", true, "may have denied"},
        {"ln: 'a' => 'in/a': Invalid cross-device link\n", true, "may have denied"},
        {"mount: /mnt: Operation not permitted.\n", true, "\"sandbox\": false"},
        {"sudo: The \"no new privileges\" flag is set\n", true, "\"sandbox\": false"},
    };
    struct cell c;
    char text[9001];
    (void)state;
    cell_open(&c, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(ftruncate(c.logs.fds[1], 0), 0);
        pingo__runner_logs_say(&c.logs, rows[i].said);
        c.g->end = (struct pingo_job_end){.size = sizeof c.g->end};
        pingo__runner_confine_explain(&c.g->scratch, &c.g->end); /* it ran outside */
        assert_false(c.g->end.denied);
        assert_string_equal(c.g->end.message, "");
        c.g->end.confined = true;
        pingo__runner_confine_explain(&c.g->scratch, &c.g->end);
        assert_int_equal(c.g->end.denied, rows[i].denied);
        assert_non_null(strstr(c.g->end.message, rows[i].message));
    }
    memset(text, 'x', sizeof text - 1); /* long ago: not why it ended */
    text[sizeof text - 1] = '\0';
    pingo__runner_logs_say(&c.logs, text);
    c.g->end = (struct pingo_job_end){.size = sizeof c.g->end, .confined = true};
    pingo__runner_confine_explain(&c.g->scratch, &c.g->end);
    assert_false(c.g->end.denied);
    strcpy(c.g->end.message, "why"); /* what is known stays */
    pingo__runner_logs_say(&c.logs, "Permission denied");
    pingo__runner_confine_explain(&c.g->scratch, &c.g->end);
    assert_true(c.g->end.denied);
    assert_string_equal(c.g->end.message, "why");
    cell_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_confine__only_what_is_its_own),
        cmocka_unit_test(test_confine__one_after_the_other),
        cmocka_unit_test(test_confine__who_is_not_to_be_or_cannot_be),
        cmocka_unit_test(test_confine__what_may_come_from_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
