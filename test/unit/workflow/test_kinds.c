/* test_kinds.c - a type with a number among its keys: from text and from programs, printed and read again. */
#include "unit/workflow/said.h"

#include <pingo/action_type.h>

static const struct pingo_key keys[] = {
    {.key = "reducers", .kinds = PINGO_KEY_NUMBER, .default_text = "1"},
    {.key = "retain", .kinds = PINGO_KEY_NUMBER | PINGO_KEY_TEXT},
};
static const struct pingo_action_type reduce = {
    .abi_version = PINGO_ACTION_TYPE_ABI, .name = "reduce", .keys = keys, .nkeys = 2};
static const struct pingo_action_type *const types[] = {&reduce};
static const struct pingo_workflow_options options = {.version = 1, .types = types, .ntypes = 1};

/* Of an action with these keys: the workflow, or what is said. */
static char *parse(const char *members, struct pingo_workflow **workflow)
{
    char text[400], *quoted;
    struct pingo_problems *problems = NULL;

    snprintf(text, sizeof text, "{'name':'w','actions':[{'id':1,'name':'a','type':'reduce'%s}]}",
             members);
    quoted = with_quotes(text);
    pingo_workflow_parse(&(struct pingo_document){quoted, strlen(quoted), &problems}, &options,
                         workflow, NULL);
    free(quoted);
    quoted = described(problems);
    pingo_problems_free(problems);
    return quoted;
}

static void assert_number(const struct pingo_workflow *w, const char *key, const char *digits)
{
    const struct pingo_field *field = pingo_action_field(pingo_workflow_action(w, 0), key);

    assert_non_null(field);
    assert_int_equal(field->kind, PINGO_FIELD_NUMBER);
    assert_int_equal(field->nvalues, 1);
    assert_string_equal(field->values[0], digits);
}

static void test_kinds__a_number_is_its_digits(void **state)
{
    struct pingo_workflow *w = NULL, *again = NULL;
    struct pingo_error err = {0};
    char *text = NULL, *said = parse(",'retain':9007199254740991", &w);
    size_t length;

    (void)state;
    assert_string_equal(said, "");
    free(said);
    assert_number(w, "reducers", "1");
    assert_number(w, "retain", "9007199254740991");
    assert_int_equal(pingo_workflow_print(w, &text, &length, &err), 0);
    assert_non_null(strstr(text, "\"reducers\":1,"));
    assert_int_equal(
        pingo_workflow_parse(&(struct pingo_document){text, length, NULL}, &options, &again, &err),
        0);
    assert_number(again, "reducers", "1");
    assert_number(again, "retain", "9007199254740991");
    free(text);
    pingo_workflow_free(w);
    pingo_workflow_free(again);
    free(parse(",'reducers':0,'retain':'for long'", &w));
    assert_number(w, "reducers", "0");
    assert_int_equal(pingo_action_field(pingo_workflow_action(w, 0), "retain")->kind,
                     PINGO_FIELD_TEXT);
    pingo_workflow_free(w);
}

static void test_kinds__a_number_has_one_spelling(void **state)
{
#define RANGE "must be an integer from 0 to 9007199254740991"
    static const char *const wrong[][2] = {
        {",'reducers':4.0", "'reducers' " RANGE ", not 4.0: write 4"},
        {",'reducers':4.5", "'reducers' " RANGE ", not 4.5"},
        {",'reducers':-1", "'reducers' " RANGE ", not -1"},
        {",'reducers':9007199254740992", "'reducers' " RANGE ", not 9007199254740992"},
        {",'reducers':'4'", "'reducers' " RANGE ", not a string"},
        {",'retain':true",
         "'retain' must be a string or an integer from 0 to 9007199254740991, not a boolean"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct pingo_workflow *w = NULL;
        char *said = parse(wrong[i][0], &w);

        assert_null(w);
        if (!strstr(said, wrong[i][1]))
            fail_msg("%s: %s", wrong[i][0], said);
        assert_null(strchr(said, '\n'));
        free(said);
    }
}

/* What a program hands in. */
static int build(const char *digits, size_t n)
{
    const char *const values[] = {digits, digits};
    struct pingo_field field = {"reducers", PINGO_FIELD_NUMBER, values, n};
    struct pingo_action_spec spec = {
        .version = 1, .name = "a", .type = "reduce", .fields = &field, .nfields = 1};
    struct pingo_workflow_builder *b = NULL;
    struct pingo_workflow *w = NULL;
    int rc;

    assert_int_equal(pingo_workflow_builder_new("w", &options, &b, NULL), 0);
    assert_int_equal(pingo_workflow_builder_add(b, &spec, NULL), 0);
    rc = pingo_workflow_builder_finish(b, &w, NULL, NULL);
    if (!rc)
        assert_number(w, "reducers", digits);
    pingo_workflow_free(w);
    pingo_workflow_builder_free(b);
    return rc;
}

static void test_kinds__a_number_of_a_program(void **state)
{
    static const char *const wrong[] = {
        "", "04", "00", "-0", "-1", "+4", " 4", "4 ", "4.0", "1e2", "9007199254740992"};

    (void)state;
    assert_int_equal(build("0", 1), 0);
    assert_int_equal(build("40", 1), 0);
    assert_int_equal(build("40", 2), PINGO_EWORKFLOW);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (build(wrong[i], 1) != PINGO_EWORKFLOW)
            fail_msg("\"%s\" is taken", wrong[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds__a_number_is_its_digits),
        cmocka_unit_test(test_kinds__a_number_has_one_spelling),
        cmocka_unit_test(test_kinds__a_number_of_a_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
