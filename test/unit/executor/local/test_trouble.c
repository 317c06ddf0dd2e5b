/* test_trouble.c - what is in the way of a client: when it is told, when it is an error, and that it passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tree.h"
#include "base/world.h"
#include "executor/local/client.h"
#include "executor/local/place.h"

static struct pingo__executor_local local;
static char store[] = "/s", logged[600];
static int nlogs;

static void note(void *context, const char *message)
{
    (void)context;
    nlogs++;
    snprintf(logged, sizeof logged, "%s", message);
}

static int set_up(void **state)
{
    (void)state;
    local = (struct pingo__executor_local){.store_dir = store, .log = {note, NULL}};
    nlogs = 0;
    return 0;
}

/* As if it had been in the way for so much longer. */
static void wait_ms(int64_t ms)
{
    local.hindered_ms -= ms;
}

static void test_trouble__it_is_told_and_then_an_error(void **state)
{
    (void)state;
    pingo__executor_trouble_meet(&local, "no room");
    assert_int_equal(local.failure.code, PINGO_EEXECUTOR);
    assert_string_equal(local.failure.message, "the local supervisor of /s: no room");
    assert_true(local.failure_told); /* it may pass */
    pingo__executor_trouble_look(&local);
    assert_int_equal(nlogs, 0);
    wait_ms(1000);
    pingo__executor_trouble_look(&local);
    assert_string_equal(logged, "the local supervisor of /s: no room; it is tried again");
    pingo__executor_trouble_meet(&local, "no room"); /* the same trouble goes on */
    pingo__executor_trouble_look(&local);
    assert_int_equal(nlogs, 1);
    assert_true(local.failure_told);
    wait_ms(9000);
    pingo__executor_trouble_look(&local);
    assert_false(local.failure_told); /* the next call fails */
    assert_int_equal(local.hindered_ms, 0);
    assert_int_equal(nlogs, 1);
    /* From then on it begins anew. */
    pingo__executor_trouble_meet(&local, "no room");
    wait_ms(1000);
    pingo__executor_trouble_look(&local);
    assert_int_equal(nlogs, 2);
}

static void test_trouble__it_passes(void **state)
{
    (void)state;
    pingo__executor_trouble_meet(&local, "no room");
    wait_ms(20000);
    pingo__executor_trouble_forget(&local);
    assert_int_equal(local.failure.code, 0);
    pingo__executor_trouble_look(&local);
    assert_int_equal(nlogs, 0);
    assert_true(local.failure_told);
    /* What cannot pass stays. */
    local.failure.code = PINGO_EEXECUTOR;
    pingo__executor_trouble_forget(&local);
    assert_int_equal(local.failure.code, PINGO_EEXECUTOR);
}

static void test_trouble__who_asks_waits_for_what_may_pass(void **state)
{
    (void)state;
    assert_false(pingo__executor_trouble_is_final(&local)); /* nothing is in the way */
    pingo__executor_trouble_meet(&local, "no room");
    assert_false(pingo__executor_trouble_is_final(&local));
    wait_ms(3000);
    assert_true(pingo__executor_trouble_is_final(&local));
    local.state = PINGO__LOCAL_GREETING;
    assert_false(pingo__executor_trouble_is_final(&local));
    local.state = PINGO__LOCAL_DOWN;
    local.hindered_ms = 0;
    assert_true(pingo__executor_trouble_is_final(&local));
}

/* false: malformed. */
static bool hear(uint8_t kind, const char *text, size_t cut)
{
    struct pingo__buffer body = {0};
    pingo__buffer_u8(&body, kind);
    pingo__runner_put_text(&body, text);
    struct pingo__buffer_reader reader = {body.data, body.length - cut, 0, false};
    bool read = pingo__executor_trouble_read(&local, &reader);
    pingo__buffer_clear(&body);
    return read;
}

static void test_trouble__what_a_supervisor_says(void **state)
{
    (void)state;
    assert_true(hear(PINGO__TROUBLE_NOTE, "a word", 0));
    assert_string_equal(logged, "a word");
    assert_int_equal(local.trouble, PINGO__TROUBLE_OVER);
    assert_true(hear(PINGO__TROUBLE_PASSES, "too many processes", 0));
    assert_int_equal(local.trouble, PINGO__TROUBLE_PASSES);
    assert_string_equal(local.failure.message, "the local supervisor of /s: too many processes");
    assert_int_equal(nlogs, 1);
    assert_true(hear(PINGO__TROUBLE_OVER, "", 0));
    assert_int_equal(local.trouble, PINGO__TROUBLE_OVER);
    assert_int_equal(local.failure.code, 0);
    assert_int_equal(nlogs, 1);
    assert_true(hear(PINGO__TROUBLE_YIELD, "another is under ulimit -n", 0));
    assert_int_equal(local.trouble, PINGO__TROUBLE_YIELD);
    assert_string_equal(logged, "the local supervisor makes way: another is under ulimit -n");
    assert_true(hear(PINGO__TROUBLE_ENDS, "it was told to", 0));
    assert_int_equal(nlogs, 3);
    assert_true(hear(PINGO__TROUBLE_YIELD, "it was told to", 0)); /* again and again */
    assert_int_equal(nlogs, 3);
    local.log.take = NULL; /* nobody listens */
    assert_true(hear(PINGO__TROUBLE_NOTE, "a word", 0));
    assert_true(hear(PINGO__TROUBLE_ENDS, "it was told to", 0));
    assert_false(hear(PINGO__TROUBLE_NOTE + 1, "a word", 0));
    for (size_t cut = 1; cut < 12; cut++)
        assert_false(hear(PINGO__TROUBLE_PASSES, "a word", cut));
    assert_int_equal(nlogs, 3);
    assert_int_equal(local.trouble, PINGO__TROUBLE_ENDS);
}

/* Told once, with what to do about it; and it is no error as long as there is nothing to ask. */
static void test_trouble__a_supervisor_that_is_stopped(void **state)
{
    struct pingo__executor_channel channel = {.fd = -1};
    char root[] = "/tmp/pingo-trouble-XXXXXX", words[64], byte;
    int ready[2];
    (void)state;
    assert_false(pingo__executor_trouble_look_for_stop(&local)); /* there is no connection */
    assert_non_null(mkdtemp(root));
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    int dir = pingo__executor_place_open(root, true, NULL);
    pid_t pid = fork();
    if (pid == 0) {
        int listener = pingo__executor_place_listen(dir);
        if (listener < 0 || write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    channel.fd = pingo__executor_place_connect(dir);
    assert_true(channel.fd >= 0);
    local.channel = &channel;
    assert_false(pingo__executor_trouble_look_for_stop(&local));
    kill(pid, SIGSTOP);
    assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
    for (int i = 0; i < 2; i++)
        assert_true(pingo__executor_trouble_look_for_stop(&local));
    snprintf(words, sizeof words, "process %ld, is stopped", (long)pid);
    assert_non_null(strstr(logged, words));
    snprintf(words, sizeof words, "kill -CONT %ld lets it go on", (long)pid);
    assert_non_null(strstr(logged, words));
    assert_int_equal(nlogs, 1);
    assert_true(local.failure.code == PINGO_EEXECUTOR && local.failure_told);
    kill(pid, SIGCONT);
    assert_int_equal(waitpid(pid, NULL, WCONTINUED), pid);
    assert_false(pingo__executor_trouble_look_for_stop(&local));
    assert_int_equal(local.failure.code, 0);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(channel.fd);
    close(ready[0]);
    close(ready[1]);
    close(dir);
    assert_int_equal(pingo__tree_remove(AT_FDCWD, root), 0);
}

/* One that is not seen to be stopped, but owes an answer for long. */
static void test_trouble__a_supervisor_that_does_not_answer(void **state)
{
    (void)state;
    local.asked_ms = pingo__world_monotonic_ms() - 11000;
    assert_false(pingo__executor_trouble_look_for_stop(&local)); /* it owes none */
    local.state = PINGO__LOCAL_GREETING;
    assert_true(pingo__executor_trouble_look_for_stop(&local));
    assert_non_null(strstr(logged, "the local supervisor of /s, has not answered for ten seconds"));
    local.state = PINGO__LOCAL_UP;
    local.asked = 1;
    assert_true(pingo__executor_trouble_look_for_stop(&local));
    assert_int_equal(nlogs, 1);
    assert_true(local.failure.code == PINGO_EEXECUTOR && local.failure_told);
    local.asked_ms += 2000;
    assert_false(pingo__executor_trouble_look_for_stop(&local));
    assert_int_equal(local.failure.code, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(test_trouble__##name, set_up)
    const struct CMUnitTest tests[] = {
        TEST(it_is_told_and_then_an_error),     TEST(it_passes),
        TEST(who_asks_waits_for_what_may_pass), TEST(what_a_supervisor_says),
        TEST(a_supervisor_that_is_stopped),     TEST(a_supervisor_that_does_not_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
