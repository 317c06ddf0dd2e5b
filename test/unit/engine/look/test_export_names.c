/* test_export_names.c - what exports are called: no part of a path begins with a dot, none is obeyed by a terminal, and no
 * path is another's or lies below it. */
#include "unit/engine/box.h"

#include "engine/look/export.h"

static const char *const labels[] = {"sample", "s/1", "empty", "", "dot", ".x"};

/* An action. */
struct named {
    int64_t id;
    const char *name, *output;
};

/* The names, each with a space behind it. */
static int names_of(const struct named *actions, size_t n, const char *pattern, char *text,
                    struct pingo_error *err)
{
    struct pingo__engine_exported all[8] = {{.nlabels = 0}};
    struct pingo__engine_export_list list = {.actions = all, .n = n};
    char *names[8] = {NULL};

    list.named.workflow.id = 12;
    for (size_t i = 0; i < n; i++)
        all[i] = (struct pingo__engine_exported){
            .node = {.user_id = actions[i].id, .name = actions[i].name},
            .output = actions[i].output,
            .labels = labels,
            .nlabels = 6};
    int rc = pingo__engine_export_names(&list, pattern, names, err);
    *text = '\0';
    for (size_t i = 0; i < n; i++) {
        if (!rc)
            sprintf(text + strlen(text), "%s ", names[i]);
        free(names[i]);
    }
    return rc;
}

static void expect(const struct named *actions, size_t n, const char *pattern, const char *want)
{
    char text[4096];
    struct pingo_error err;

    well(names_of(actions, n, pattern, text, &err), &err);
    assert_string_equal(text, want);
}

/* One action with the id 7. */
static void expect_one(const char *name, const char *output, const char *pattern, const char *want)
{
    expect(&(struct named){7, name, output}, 1, pattern, want);
}

static void expect_error(const struct named *actions, size_t n, const char *pattern, int rc,
                         const char *message)
{
    char text[4096];
    struct pingo_error err;

    assert_int_equal(names_of(actions, n, pattern, text, &err), rc);
    if (!strstr(err.message, message))
        fail_msg("%s: %s", pattern, err.message);
}

static void test_export_names__have_the_suffixes_of_the_output(void **state)
{
    static const char *const rows[][3] = {
        {"words", "x.txt", "words.txt "},
        {"words.txt", "x.txt", "words.txt "},
        {"call", "o.vcf.gz", "call.vcf.gz "},
        {"call.vcf", "o.vcf.gz", "call.vcf.gz "},
        {"call.gz", "o.vcf.gz", "call.vcf.gz "},
        {"call", "", "call "},
        {"call.txt", "", "call.txt "},
        {"call", ".hidden", "call "},
        {"call", "o.", "call "},
        {".txt", "o.txt", "_txt.txt "},
    };

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_one(rows[i][0], rows[i][1], NULL, rows[i][2]);
}

static void test_export_names__are_safe(void **state)
{
    static const char *const rows[][2] = {
        {"../../etc/passwd", "_._.._etc_passwd "},
        {"", "_ "},
        {".", "_ "},
        {"..", "_. "},
        {"/", "_ "},
        {"a/b", "a_b "},
        {"a\nb\x1b[2J\x7f", "a_b_[2J_ "},
        {"a\xc2\x9b"
         "b",
         "a_b "}, /* a C1 control */
        {"a\xe2\x80\xae"
         "b\xe2\x81\xa6"
         "c\xd8\x9c"
         "d",
         "a_b_c_d "}, /* they turn the direction of writing */
        {"a\xe2\x80\xa8"
         "b\xe2\x80\xa9"
         "c\xef\xbb\xbf"
         "d",
         "a_b_c_d "},                      /* U+2028 and U+2029 end a line; a byte order mark */
        {"caf\xc3\xa9 ", "caf\xc3\xa9  "}, /* what is no such thing stays */
    };

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_one(rows[i][0], "", NULL, rows[i][1]);
    /* Nor is what a label or an output is called. */
    expect_one("a", "o./../x", "{name}{ext}", "a._.._x ");
    expect_one("a", "", "{label.sample}/{label.dot}/{label.empty}/{label.dot}{label.dot}",
               "s_1/_x/_/_x.x ");
}

/* A part is cut between characters, and has the id of the action. */
static void test_export_names__are_not_too_long(void **state)
{
    char name[300] = "", want[300] = "";

    UNUSED(state);
    for (int i = 0; i < 101; i++)
        strcat(name, "\xc3\xa9");
    name[0] = 'x', name[1] = 'y';
    strcpy(want, name);
    strcpy(want + 180, "-7 "); /* 202 bytes are cut to 180 */
    expect_one(name, "", NULL, want);
    memmove(name + 1, name, strlen(name) + 1); /* and here a character would be cut in two */
    strcpy(want, name);
    strcpy(want + 179, "-7/b ");
    expect_one(name, "", "{name}/b", want);
    memset(name, '\x80', 250); /* no text at all */
    name[250] = '\0';
    expect_one(name, "", "a/{name}", "a/-7 ");
    expect_one(name, "", NULL, "-7 ");
}

static void test_export_names__follow_a_template(void **state)
{
    static const struct named one = {7, "call.vcf", "o.vcf"};

    UNUSED(state);
    expect(&one, 1, "{name}", "call.vcf ");
    expect(&one, 1, "{name}{ext}", "call.vcf ");
    expect(&one, 1, "{ext}/{name}", "_vcf/call ");
    expect(&one, 1, "{workflow}-{id}-{output}", "12-7-o.vcf ");
    expect(&one, 1, "{{{id}}}", "{7} ");
    expect(&one, 1, "{hash}", "0000000000000000000000000000000000000000000000000000000000000000 ");
    expect_one("a", "", "{output}", "stdout ");
    expect_error(&one, 1, "{nme}", PINGO_EINVAL, "knows no {nme}");
    expect_error(&one, 1, "{}", PINGO_EINVAL, "knows no {}");
    expect_error(&one, 1, "{label.}", PINGO_EINVAL, "knows no {label.}");
    expect_error(&one, 1, "a{name", PINGO_EINVAL, "a \"{\" alone");
    expect_error(&one, 1, "a}", PINGO_EINVAL, "a \"}\" alone");
    expect_error(&one, 1, "{label.sampl}", PINGO_ENOTFOUND,
                 "action 7 (call.vcf) has no label \"sampl\"");
    static const char *const paths[] = {"", "/a", "a/", "a//b", "../a", "a/../b", "./a", ".a"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        expect_error(&one, 1, paths[i], PINGO_EINVAL, "a template is a relative path");
}

static void test_export_names__differ(void **state)
{
    static const struct named twice[] = {{1, "a", ""}, {2, "a", ""}, {3, "a-2", ""}, {4, "b", ""}},
                              other[] = {{1, "a", "o.x"}, {2, "a", "o.y"}},
                              below[] = {{1, "a", ""}, {2, "b", ""}};
    /* The id is no help here: both would be x-1.2-5. */
    static const struct named alike[] = {
        {1, "x", "o.2-5"}, {9, "x", "o.2-5"}, {5, "x-1.2", ""}, {7, "x-1.2", ""}};

    UNUSED(state);
    expect(twice, 4, NULL, "a-1 a-2 a-2-3 b ");
    expect(other, 2, NULL, "a.x a.y ");
    expect_error(twice, 4, "{name}", PINGO_EAMBIGUOUS,
                 "gives a to action 1 (a) and to action 2 (a); say {id}");
    expect(twice, 4, "{name}.{id}", "a.1 a.2 a-2.3 b.4 ");
    expect_error(alike, 4, NULL, PINGO_EAMBIGUOUS, "gives x-1.2-5 to action 1 (x)");
    expect(below, 2, "{id}/{name}", "1/a 2/b ");
    /* As deep as the template, whatever they are called: none lies below another. */
    expect((const struct named[]){{1, "o", ""}, {2, "o/x", ""}}, 2, "{name}", "o o_x ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_export_names__have_the_suffixes_of_the_output),
        cmocka_unit_test(test_export_names__are_safe),
        cmocka_unit_test(test_export_names__are_not_too_long),
        cmocka_unit_test(test_export_names__follow_a_template),
        cmocka_unit_test(test_export_names__differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
