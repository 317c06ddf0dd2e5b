/* test_failure.c - what a failed attempt is counted as: a row a case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <pingo/executor.h>

#include "base/text.h"
#include "rules/failure.h"

static void test_failure__lines_that_are_alike(void **state)
{
    static const struct {
        const char *line, *text;
    } rows[] = {
        {"plain words", "plain words"},
        {"  spaces\t and   tabs ", "spaces and tabs"},
        {"line 17 of 230: 3.14", "line # of #: #.#"},
        {"\033[1;31merror:\033[0m bad \033]0;title\007thing", "error: bad thing"},
        {"\033]8;;http://x\033\\link", "link"},
        {"\033]0;title", ""},
        {"\033[m\033[Kred\033(B\033[m text", "red text"},
        {"\033[31", ""},
        {"\033", ""},
        {"cat: /var/tmp/a.12/in/data.csv: No such file", "cat: data.csv: No such file"},
        {"open in/first: ./x ../y ~/z a/b/c", "open first: x y z c"},
        {"--file=/etc/pass wd", "--file=pass wd"},
        {"in /usr/lib/ and / alone", "in lib/ and / alone"},
        {"try http://HOST:PORT", "try http://HOST:PORT"},
        {"http://h1:80/a/b?x=c/d", "http://h#:#/b?x=d"},
        {"from https://a.org/x/y.gz: 404", "from https://a.org/y.gz: #"},
        {"file:///a/b, x:/a/b, //a/b", "file:///b, x:b, b"},
        {"hdfs://[::1]:9/a/", "hdfs://[::#]:a/"},
        {"x://", "x://"},
        {"at 0x7ffde3a1, 0XAB, 0x", "at #, #, #x"},
        {"commit 3f9a1c of deadbeef", "commit # of deadbeef"},
        {"of zzab12ef34", "of zzab#ef#"},
        {"id 123e4567-e89b-12d3-a456-426614174000.", "id #."},
        {"job_123e4567-E89B-12D3-a456-426614174000_x", "job_#_x"},
        {"Float64Array", "Float#Array"},
        {"r\xc3\xa9sum\xc3\xa9 12", "r\xc3\xa9sum\xc3\xa9 #"},
        {"bad \xff byte, \xe2\x80\xae turned, \x01 obeyed", "bad ? byte, ? turned, ? obeyed"},
        {"", ""},
        {"   ", ""},
    };
    char text[PINGO__FAILURE_TEXT + 1], line[100];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) { /* whatever comes behind the line */
        int n = snprintf(line, sizeof line, "%sa/9", rows[i].line);
        pingo__rules_failure_normalise(line, (size_t)n - 3, text);
        assert_string_equal(text, rows[i].text);
    }
}

static void test_failure__cut_at_a_character(void **state)
{
    char line[1001] = "", text[PINGO__FAILURE_TEXT + 1];
    (void)state;
    for (size_t i = 0; i < 4; i++) { /* whatever is before, no character is cut in two */
        memset(line, 'x', i);
        line[i] = '\0';
        while (strlen(line) < 900)
            strcat(line, "\xe2\x82\xac");
        pingo__rules_failure_normalise(line, strlen(line), text);
        assert_in_range(strlen(text), PINGO__FAILURE_TEXT - 2, PINGO__FAILURE_TEXT);
        assert_true(pingo__text_is_utf8(text, strlen(text)));
    }
}

/* Whatever bytes come, what is left is short, UTF-8, and nothing that a terminal obeys. */
static void test_failure__any_bytes(void **state)
{
    static const char some[] = "\033[];m/.0x9afA-_ \r\xc3\xa9\xe2\x80\xff\a~=:";
    char line[301], text[PINGO__FAILURE_TEXT + 1];
    unsigned seed = 1;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        size_t n = (seed = seed * 1103515245u + 12345u) >> 16 & 255;
        for (size_t k = 0; k < n; k++)
            line[k] = some[((seed = seed * 1103515245u + 12345u) >> 16) % (sizeof some - 1)];
        line[n] = '\0';
        char *exact = strdup(line);
        assert_non_null(exact);
        pingo__rules_failure_normalise(exact, n, text);
        free(exact);
        assert_true(strlen(text) <= PINGO__FAILURE_TEXT);
        assert_true(pingo__text_is_utf8(text, strlen(text)));
        assert_null(strpbrk(text, "\033\r\n\a"));
    }
}

static const struct {
    struct pingo__rules_ended e; /* reason, code, signal, success, asked, input, message, log */
    enum pingo_failure_category category;
    int64_t exit_code, signal;
    const char *text;
} ends[] = {
    {{PINGO_END_EXITED, 0, 0, true, false, NULL, "", "warning 1"}, 0, 0, -1, ""},
    {{PINGO_END_EXITED, 3, 0, false, false, NULL, "", "a\nno such 12\n\n \033[0m\n"},
     PINGO_FAILURE_COMMAND,
     3,
     -1,
     "no such #"},
    {{PINGO_END_EXITED, 3, 0, false, false, NULL, "", "10 %\r20 %\r"},
     PINGO_FAILURE_COMMAND,
     3,
     -1,
     "# %"},
    {{PINGO_END_EXITED, 3, 0, false, false, NULL, "denied it", ""},
     PINGO_FAILURE_COMMAND,
     3,
     -1,
     "denied it"},
    {{PINGO_END_EXITED, 3, 0, false, false, NULL, "", ""},
     PINGO_FAILURE_COMMAND,
     3,
     -1,
     "exit status 3"},
    {{PINGO_END_EXITED, 0, 0, false, false, NULL, "", "x"}, PINGO_FAILURE_OUTPUT, 0, -1, "no output"},
    {{PINGO_END_EXITED, 3, 0, false, false, "an input 7 changed", "", "x"},
     PINGO_FAILURE_INPUT,
     -1,
     -1,
     "an input # changed"},
    {{PINGO_END_EXITED, 0, 0, true, false, "", "", "x"},
     PINGO_FAILURE_INPUT,
     -1,
     -1,
     "an input changed"},
    {{PINGO_END_SIGNALED, 0, 11, false, false, NULL, "", ""},
     PINGO_FAILURE_SIGNAL,
     -1,
     11,
     "ended by signal 11"},
    {{PINGO_END_SIGNALED, 0, 6, false, false, NULL, "", "assert x\n"},
     PINGO_FAILURE_SIGNAL,
     -1,
     6,
     "assert x"},
    {{PINGO_END_TIME_LIMIT, 0, 0, false, false, NULL, "", ""}, PINGO_FAILURE_TIME, -1, -1, "time limit"},
    {{PINGO_END_MEMORY_LIMIT, 0, 0, false, false, NULL, "", "MemoryError"},
     PINGO_FAILURE_MEMORY,
     -1,
     -1,
     "MemoryError"},
    {{PINGO_END_NO_OUTPUT, 0, 0, false, false, NULL, "it made /a/b no output", "x"},
     PINGO_FAILURE_OUTPUT,
     0,
     -1,
     "it made b no output"},
    {{PINGO_END_BAD_OUTPUT, 0, 0, false, false, NULL, "", ""}, PINGO_FAILURE_OUTPUT, 0, -1, "no output"},
    {{PINGO_END_KILLED, 0, 0, false, true, "gone", "", "x"}, PINGO_FAILURE_KILLED, -1, -1, "killed"},
    {{PINGO_END_KILLED, 0, 0, false, false, NULL, "", "x"},
     PINGO_FAILURE_NODE,
     -1,
     -1,
     "its attempt was lost"},
    {{PINGO_END_LOST, 0, 0, false, false, NULL, "node n17 is down", ""},
     PINGO_FAILURE_NODE,
     -1,
     -1,
     "node n# is down"},
    {{PINGO_END_NO_SPACE, 0, 0, false, false, NULL, "", ""},
     PINGO_FAILURE_SPACE,
     -1,
     -1,
     "no space left"},
    {{PINGO_END_NOT_STARTED, 0, 0, false, false, NULL, "sbatch: 503", ""},
     PINGO_FAILURE_REFUSED,
     -1,
     -1,
     "sbatch: #"},
};

static void test_failure__categories(void **state)
{
    struct pingo__rules_failure f;
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        pingo__rules_failure_of(&ends[i].e, &f);
        assert_int_equal(f.category, ends[i].category);
        assert_int_equal(f.exit_code, ends[i].exit_code);
        assert_int_equal(f.signal, ends[i].signal);
        assert_string_equal(f.text, ends[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failure__lines_that_are_alike),
        cmocka_unit_test(test_failure__cut_at_a_character),
        cmocka_unit_test(test_failure__any_bytes),
        cmocka_unit_test(test_failure__categories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
