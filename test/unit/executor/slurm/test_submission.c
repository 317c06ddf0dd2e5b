/* test_submission.c - what Slurm is asked to run, in each version's words; whatever names and options are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mix.h"
#include "fuzz/slurm_target.h"

static const char store_id[] = "0123456789abcdef";

/* A real shell is asked, too. */
static void test_submission__hostile_names_are_one_word(void **state)
{
    static const char *const names[] = {"/plain/3.4",
                                        "/with space/3.4",
                                        "/quote'quote/3.4",
                                        "'; touch /tmp/pingo-hacked; '",
                                        "$(touch /tmp/pingo-hacked)",
                                        "`touch /tmp/pingo-hacked`",
                                        "/new\nline\ntouch /tmp/pingo-hacked\n/3.4",
                                        "\\",
                                        "/back\\slash'\\''",
                                        "-n",
                                        "*",
                                        "~root",
                                        "\xff\xfe\x01",
                                        "\"$HOME\"",
                                        "a#b !! %j &|<>",
                                        ""};
    enum { N = sizeof names / sizeof *names };
    (void)state;
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < N; k++) {
            fuzz_script(names[i], names[k]);
            fuzz_submission(names[i], names[k]);
        }
    for (size_t i = 0; i < N; i++) {
        struct pingo__buffer b = {0};
        char command[4096], said[256];
        pingo__executor_slurm_script(&b, "printf", names[i], false);
        assert_true(snprintf(command, sizeof command, "printf() { command printf %%s \"$1\"; }\n%s",
                             strstr(pingo__buffer_cstr(&b), "exec ") + strlen("exec ")) > 0);
        FILE *shell = popen(command, "r");
        size_t n = fread(said, 1, sizeof said - 1, shell);
        said[n] = '\0';
        assert_int_equal(pclose(shell), 0);
        assert_string_equal(said, names[i]);
        pingo__buffer_clear(&b);
    }
}

static void test_submission__by_chance(void **state)
{
    static const char letters[] = "ab'\"\\\n $`;|&<>(){}[]*?!#~%-=\t\r\x01\xc3\xa4/.0";
    uint8_t bytes[64];
    (void)state;
    for (uint64_t round = 0, x = 12; round < 3000; round++) {
        size_t n = (x = pingo__mix(x)) % sizeof bytes;
        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)letters[(x = pingo__mix(x)) % sizeof letters];
        fuzz_slurm(bytes, n);
    }
}

static void test_submission__limits_are_rounded_up(void **state)
{
    static const struct {
        int64_t memory, time_ms, grace_ms, mb, minutes;
    } rows[] = {{0, 0, 5000, 0, 0},
                {1, 1, 5000, 17, 1},
                {100 << 20, 60000, 5000, 116, 2},
                {(100 << 20) + 1, 24999, 5000, 117, 1},
                {100 << 20, 25001, 5000, 116, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo_job job = {.key = {1, 1},
                                .store_id = store_id,
                                .attempt_dir = "/p/attempts/1.1",
                                .cpus = 3,
                                .memory_bytes = rows[i].memory,
                                .time_limit_ms = rows[i].time_ms};
        struct pingo__executor_slurm_request r = {.cpus = 0};
        struct pingo__arena arena = {0};
        assert_int_equal(
            pingo__executor_slurm_request_make(&job, "/r", rows[i].grace_ms, &arena, &r), 0);
        assert_int_equal(r.memory_mb, rows[i].mb);
        assert_int_equal(r.minutes, rows[i].minutes);
        assert_int_equal(r.cpus, 3);
        assert_string_equal(r.name, "pingo-0123456789abcdef-1.1");
        assert_string_equal(r.comment, "pingo-0123456789abcdef-1.1 ");
        pingo__arena_clear(&arena);
    }
}

static void test_submission__what_is_too_large(void **state)
{
    static char word[131073], option[4 << 20];
    const char *argv[64] = {"sh", NULL}, *env[] = {"A=b", NULL};
    struct pingo_job job = {.argv = argv, .env = env};
    struct pingo__executor_slurm_request r = {.script = "#!/bin/sh\n"};
    struct pingo_error err = {0};
    (void)state;
    assert_int_equal(pingo__executor_slurm_request_check(&job, &r, &err), 0);
    memset(word, 'x', 131071); /* what Linux takes */
    argv[1] = word;
    assert_int_equal(pingo__executor_slurm_request_check(&job, &r, &err), 0);
    word[131071] = 'x';
    assert_int_equal(pingo__executor_slurm_request_check(&job, &r, &err), PINGO_EINVAL);
    assert_non_null(strstr(err.message, "131072 bytes"));
    word[131071] = '\0';
    for (size_t i = 1; i < 34; i++)
        argv[i] = word;
    assert_int_equal(pingo__executor_slurm_request_check(&job, &r, &err), PINGO_EINVAL);
    assert_non_null(strstr(err.message, "command and environment"));
    argv[1] = NULL;
    memset(option, 'x', sizeof option - 1);
    r.options[3] = option;
    assert_int_equal(pingo__executor_slurm_request_check(&job, &r, &err), PINGO_EINVAL);
    assert_non_null(strstr(err.message, "executorOptions"));
}

static void test_submission__the_body(void **state)
{
    struct pingo__executor_slurm_request r = {.name = "n",
                                              .comment = "c",
                                              .script = "#!/bin/sh\n",
                                              .log = "/l",
                                              .cpus = 2,
                                              .memory_mb = 30,
                                              .minutes = 4};
    struct pingo__arena arena = {0};
    struct pingo__buffer b = {0};
    struct pingo_error err = {0};
    (void)state;
    assert_int_equal(
        pingo__executor_slurm_request_options(
            "{\"partition\":\"p \\\"q\",\"nice\":-5,\"gres\":\"gpu:1\"}", &arena, &r, &err),
        0);
    pingo__executor_slurm_body(&b, &r, 38);
    assert_string_equal(
        pingo__buffer_cstr(&b),
        "{\"script\":\"#!/bin/"
        "sh\\n\",\"job\":{\"name\":\"n\",\"comment\":\"c\",\"environment\":{\"PATH\":"
        "\"/usr/local/bin:/usr/bin:/bin\"},\"current_working_directory\":\"/\","
        "\"standard_input\":\"/dev/null\",\"standard_output\":\"/l\",\"standard_error\":\"/l\","
        "\"tasks\":1,\"nodes\":[1,1],\"cpus_per_task\":2,\"memory_per_node\":30,\"time_limit\":4,"
        "\"partition\":\"p \\\"q\",\"gres\":\"gpu:1\",\"nice\":-5}}\n");
    pingo__buffer_clear(&b);
    pingo__arena_clear(&arena);
}

static void test_submission__gpus_and_licences(void **state)
{
    static const struct pingo_counter two[] = {{"a@s", 1}, {"matlab", 2}};
    static const struct {
        int64_t gpus;
        size_t nlicences;
        const char *options;
        int version;
        const char *asked; /* in the body */
    } rows[] = {{0, 0, "{}", 38, "\"nodes\":[1,1],\"cpus_per_task\":0}}"},
                {2, 0, "{}", 38, "\"gres\":\"gpu:2\"}}"},
                {2, 0, "{\"gres\":\"gpu:a100:1\"}", 38, "\"gres\":\"gpu:a100:1\"}}"},
                {2, 0, "{\"gres\":\"nic:1\"}", 40, "\"tres_per_node\":\"gres/nic:1,gres/gpu:2\"}}"},
                {1, 0, "{}", 40, "\"tres_per_node\":\"gres/gpu:1\"}}"},
                {0, 2, "{}", 38, "\"licenses\":\"a@s:1,matlab:2\"}}"},
                {1, 2, "{\"licenses\":\"b\"}", 38,
                 "\"licenses\":\"b,a@s:1,matlab:2\",\"gres\":\"gpu:1\"}}"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo_job job = {
            .gpus = rows[i].gpus, .licences = two, .nlicences = rows[i].nlicences};
        struct pingo__executor_slurm_request r = {
            .name = "n", .comment = "c", .script = "s", .log = "l"};
        struct pingo__arena arena = {0};
        struct pingo__buffer b = {0};
        struct pingo_error err = {0};
        assert_int_equal(pingo__executor_slurm_request_options(rows[i].options, &arena, &r, &err),
                         0);
        assert_int_equal(pingo__executor_slurm_request_counters(&job, &arena, &r), 0);
        pingo__executor_slurm_body(&b, &r, rows[i].version);
        if (!strstr(pingo__buffer_cstr(&b), rows[i].asked))
            fail_msg("%s is not in %s", rows[i].asked, pingo__buffer_cstr(&b));
        pingo__buffer_clear(&b);
        pingo__arena_clear(&arena);
    }
}

static void test_submission__options_that_are_none(void **state)
{
    static const struct {
        const char *json, *message;
    } rows[] = {{"{\"argv\":\"x\"}", "no option \"argv\"; it has partition"},
                {"{\"nice\":\"low\"}", "whole number"},
                {"{\"nice\":1.5}", "whole number"},
                {"{", "executorOptions"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__executor_slurm_request r = {.cpus = 1};
        struct pingo__arena arena = {0};
        struct pingo_error err = {0};
        assert_int_equal(pingo__executor_slurm_request_options(rows[i].json, &arena, &r, &err),
                         PINGO_EINVAL);
        assert_non_null(strstr(err.message, rows[i].message));
        pingo__arena_clear(&arena);
    }
}

static void test_submission__names_of_files(void **state)
{
    struct pingo__buffer b = {0};
    (void)state;
    assert_true(pingo__executor_slurm_pattern(&b, "/100%/%j x"));
    assert_string_equal(pingo__buffer_cstr(&b), "/100%%/%%j x");
    assert_false(pingo__executor_slurm_pattern(&b, "/a\\b"));
    assert_false(pingo__executor_slurm_pattern(&b, "/a\nb"));
    pingo__buffer_clear(&b);
}

/* Those become one array job, so whatever they ask for must be the same. */
static void test_submission__what_is_like_what(void **state)
{
    const struct pingo__executor_slurm_request a = {.name = "a",
                                                    .comment = "x",
                                                    .script = "s",
                                                    .log = "l",
                                                    .cpus = 2,
                                                    .memory_mb = 30,
                                                    .minutes = 4,
                                                    .options = {[1] = "account"}};
    struct pingo__executor_slurm_request b = a, others[6] = {a, a, a, a, a, a};
    (void)state;
    b.name = "b";
    b.comment = "y";
    b.script = "t";
    b.log = "m";
    b.options[1] = (char[]){"account"};
    assert_true(pingo__executor_slurm_request_is_like(&a, &b));
    others[0].cpus = 1;
    others[1].memory_mb = 31;
    others[2].minutes = 0;
    others[3].options[1] = "other";
    others[4].options[1] = NULL;
    others[5].options[0] = "partition";
    for (size_t i = 0; i < 6; i++) {
        assert_false(pingo__executor_slurm_request_is_like(&a, &others[i]));
        assert_false(pingo__executor_slurm_request_is_like(&others[i], &a));
    }
}

/* One script for all: its task's number leads pingo-runner to its attempt. */
static void test_submission__an_array(void **state)
{
    struct pingo__executor_slurm_request r = {.cpus = 2, .script = "s", .log = "l"};
    const struct pingo__executor_slurm_array array = {"n-b.1", "/p/.bundles/1%", "/the runner", 20};
    struct pingo__arena arena = {0};
    struct pingo__buffer b = {0};
    (void)state;
    assert_int_equal(pingo__executor_slurm_request_array(&r, &array, &arena), 0);
    assert_string_equal(r.array, "0-19");
    assert_string_equal(r.name, "n-b.1");
    assert_non_null(strstr(r.script, "exec '/the runner' "));
    assert_non_null(strstr(r.script, "/p/.bundles/1%"));
    assert_string_equal(r.log, "/p/.bundles/1%%/%a.log");
    assert_int_equal(r.cpus, 2);
    for (int version = 38; version <= 43; version++) {
        pingo__buffer_reset(&b);
        pingo__executor_slurm_body(&b, &r, version);
        assert_non_null(strstr(pingo__buffer_cstr(&b), "\"array\":\"0-19\""));
        /* Since 0.0.40 the script is a part of the job. */
        assert_int_equal(strncmp(b.data, "{\"script\"", 9) == 0, version < 40);
    }
    pingo__buffer_clear(&b);
    pingo__arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_submission__hostile_names_are_one_word),
        cmocka_unit_test(test_submission__by_chance),
        cmocka_unit_test(test_submission__limits_are_rounded_up),
        cmocka_unit_test(test_submission__what_is_too_large),
        cmocka_unit_test(test_submission__the_body),
        cmocka_unit_test(test_submission__gpus_and_licences),
        cmocka_unit_test(test_submission__options_that_are_none),
        cmocka_unit_test(test_submission__names_of_files),
        cmocka_unit_test(test_submission__what_is_like_what),
        cmocka_unit_test(test_submission__an_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
