/* test_values.c - what algorithms, paths, words and hooks may be as settings, and what is said where they cannot be. */
#include "unit/engine/box.h"

#include <limits.h>

#include "engine/values.h"

/* said: what is said behind "KEY: "; NULL: nothing is wrong. */
static void judged(int rc, const struct pingo_error *err, const char *value, const char *said)
{
    if (rc != (said ? PINGO_EINVAL : 0))
        fail_msg("%s gives %s", value, pingo_error_name(rc));
    if (!said)
        return;
    assert_int_equal(err->code, PINGO_EINVAL);
    if (strncmp(err->message, "a.key: ", 7) != 0 || !strstr(err->message + 7, said))
        fail_msg("%s: not \"%s\": %s", value, said, err->message);
}

static void test_values__an_algorithm_is_one_that_can_be_used(void **state)
{
    static const struct {
        const char *value;
        int rc;
    } rows[] = {{"lru", 0},
                {"gdsf:cost=local", 0},
                {"", PINGO_EINVAL},
                {"lru:", 0},
                {"lru:x=1", PINGO_EINVAL},
                {"random:seed=-1", PINGO_EINVAL},
                {"./mine.so", PINGO_EINVAL},
                {"mine/mine.so", PINGO_EINVAL},
                {"/no/such/mine.so", PINGO_EINVAL},
                {"/etc/passwd", PINGO_EINVAL}};
    struct box *b = box_new();
    struct pingo_error err;
    char *value = NULL;

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int rc = pingo_store_set(b->store, "decision.algorithm", rows[i].value, &err);

        if (rc != rows[i].rc)
            fail_msg("%s gives %s", rows[i].value, pingo_error_name(rc));
        if (rc) {
            assert_int_equal(err.code, rc);
            assert_non_null(strstr(err.message, "decision.algorithm"));
        }
    }
    well(pingo_store_get(b->store, "decision.algorithm", &value, &err), &err);
    assert_string_equal(value, "lru:");
    pingo_free(value);
    pingo_free(NULL);
    box_close(b);
}

static void test_values__paths_are_absolute_and_there(void **state)
{
    static char longest[5000];
    static const struct {
        const char *value, *said;
    } rows[] = {
        {"/", NULL},
        {"/etc:/tmp:/dev/null", NULL},
        {"", "\"\" is no absolute path; several have ':' between"},
        {"tmp", "\"tmp\" is no absolute path"},
        {"./tmp", "\"./tmp\" is no absolute path"},
        {"/tmp:", "\"\" is no absolute path"},
        {":/tmp", "\"\" is no absolute path"},
        {"/tmp::/etc", "\"\" is no absolute path"},
        {"/tmp: /etc", "\" /etc\" is no absolute path"},
        {"/tmp:/nowhere/at all:/etc", "/nowhere/at all: No such file or directory"},
        {"/dev/null/below", "/dev/null/below: Not a directory"},
        {longest, "is no absolute path"},
    };
    struct pingo_error err;

    UNUSED(state);
    memset(longest, '/', sizeof longest - 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        judged(pingo__engine_value_paths("a.key", rows[i].value, &err), &err, rows[i].value,
               rows[i].said);
}

static void test_values__paths_are_split(void **state)
{
    static const struct {
        const char *value, *paths[4];
    } rows[] = {
        {"/a", {"/a"}}, {"/a:/b c:/d", {"/a", "/b c", "/d"}}, {"", {""}}, {"/a:", {"/a", ""}}};
    struct pingo_error err;

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char **paths = NULL;
        size_t n = 0;

        well(pingo__engine_value_split(rows[i].value, &paths, &err), &err);
        for (; paths[n]; n++)
            assert_string_equal(paths[n], rows[i].paths[n]);
        assert_true(n < 4 && !rows[i].paths[n]);
        free(paths); /* all of it */
    }
}

static void test_values__words_are_names_or_roles(void **state)
{
    static char longest[257];
    static const struct {
        const char *value;
        bool are_roles;
        const char *said;
    } rows[] = {
        {"a", false, NULL},
        {"a b.example a=b", false, NULL},
        {longest + 1, false, NULL},
        {longest, false, "is not a name"},
        {"", false, "\"\" is not a name"},
        {" a", false, "\"\" is not a name"},
        {"a  b", false, "\"\" is not a name"},
        {"a ", false, "\"\" is not a name"},
        {"a\tb", false, "\"a?b\" is not a name"},
        {"a\x7f", false, "is not a name"},
        {"\xc3\xa4", false, "is not a name"},
        {"ada=admin", true, NULL},
        {"ada=admin bob=viewer @team=submitter", true, NULL},
        {"ada", true, "\"ada\" is not NAME=viewer, NAME=submitter or NAME=admin"},
        {"=admin", true, "\"=admin\" is not NAME=viewer"},
        {"ada=", true, "\"ada=\" is not NAME=viewer"},
        {"ada=admins", true, "\"ada=admins\" is not NAME=viewer"},
        {"ada=admi", true, "\"ada=admi\" is not NAME=viewer"},
        {"ada=Admin", true, "\"ada=Admin\" is not NAME=viewer"},
        {"ada=x=admin", true, "\"ada=x=admin\" is not NAME=viewer"},
        {"ada=admin bob", true, "\"bob\" is not NAME=viewer"},
    };
    struct pingo_error err;

    UNUSED(state);
    memset(longest, 'x', sizeof longest - 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        judged(pingo__engine_value_words("a.key", rows[i].value, rows[i].are_roles, &err), &err,
               rows[i].value, rows[i].said);
}

static void test_values__hooks_are_programs_or_urls(void **state)
{
    static char longest[PATH_MAX + 1];
    static const struct {
        const char *value;
        bool is_url;
        const char *said;
    } rows[] = {
        {"/bin/true", false, NULL},
        {"/", false, "\"/\" is not the absolute path of a program"},
        {"", false, "\"\" is not the absolute path of a program"},
        {"true", false, "\"true\" is not the absolute path of a program"},
        {"http://h/x", false, "is not the absolute path of a program"},
        {longest, false, "is not the absolute path of a program"},
        {longest + 1, false, "/ is no program"},
        {"/no/such", false, "/no/such: No such file or directory"},
        {"/etc/passwd", false, "/etc/passwd: Permission denied"},
        {"http://h/x", true, NULL},
        {"/bin/true", true, "\"/bin/true\": a URL begins with http:// or https://"},
    };
    struct pingo_error err;

    UNUSED(state);
    memset(longest, '/', sizeof longest - 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        judged(pingo__engine_value_hook("a.key", rows[i].value, rows[i].is_url, &err), &err,
               rows[i].value, rows[i].said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values__an_algorithm_is_one_that_can_be_used),
        cmocka_unit_test(test_values__paths_are_absolute_and_there),
        cmocka_unit_test(test_values__paths_are_split),
        cmocka_unit_test(test_values__words_are_names_or_roles),
        cmocka_unit_test(test_values__hooks_are_programs_or_urls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
