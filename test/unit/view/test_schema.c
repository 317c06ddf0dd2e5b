/* test_schema.c - the schema of what a view writes. */
#include "unit/view/thing.h"

/* A validator reads the schemas of all commands in test/docs/json.t; this is about what a kind gives. */
static void test_schema__tells_the_schema(void **state)
{
    static const struct pingo__view_document documents[] = {{"here", &view, true}, {0}};
    struct pingo__writer w = {0};
    (void)state;
    pingo__view_schema(&w, "a title", documents);
    const char *text = text_of(&w.out);
    assert_non_null(
        strstr(text, "{\"title\":\"here\",\"type\":\"array\",\"items\":{\"type\":\"object\","));
    assert_non_null(
        strstr(text, "\"name\":{\"type\":[\"string\",\"null\"],\"description\":\"the name\"}"));
    assert_non_null(strstr(text, "\"id\":{\"type\":\"integer\",\"description\":\"the id\"}"));
    assert_non_null(strstr(text, "\"ms\":{\"type\":[\"integer\",\"null\"],"));
    assert_non_null(strstr(
        text,
        "\"state\":{\"type\":\"string\",\"description\":\"a name\",\"enum\":[\"ONE\",\"TWO\"]}"));
    assert_non_null(strstr(
        text, "\"required\":[\"id\",\"name\",\"inside\",\"flag\",\"bytes\",\"twice\",\"ms\",\"at\","
              "\"share\",\"ratio\",\"real\",\"hash\",\"labels\",\"part\",\"pointer\",\"sizeBytes\","
              "\"list\",\"put\"],\"additionalProperties\":false"));
}

/* Of one of several documents the title tells when it is printed; what a page has besides its rows stands behind them. */
static void test_schema__tells_of_each_document(void **state)
{
    static const struct pingo__view_document documents[] = {
        {NULL, &pingo__view_health, false}, {"with \"x\"", &pingo__view_hook_page, false}, {0}};
    struct pingo__writer w = {0};
    (void)state;
    pingo__view_schema(&w, "t", documents);
    const char *text = text_of(&w.out);
    assert_non_null(strstr(text, "\"anyOf\":[\n{\"type\":\"object\",\"properties\":{\"status\":"));
    assert_non_null(strstr(text, "{\"title\":\"with \\\"x\\\"\",\"type\":\"object\",\"properties\":"
                                 "{\"rows\":{\"type\":\"array\",\"description\":"));
    assert_non_null(strstr(text, "\"next\":{\"type\":[\"string\",\"null\"],"));
    assert_non_null(
        strstr(text, "\"required\":[\"rows\",\"next\"],\"additionalProperties\":false}"));
}

/* A name that is null stands among the words that it can be; a hash is 64 digits; what may be left out is not required. */
static void test_schema__tells_what_a_value_can_be(void **state)
{
    struct pingo__writer w = {0};
    (void)state;
    pingo__view_schema_of(&w, NULL, &pingo__view_action);
    const char *text = text_of(&w.out);
    assert_non_null(strstr(text, "\"CANCELLED\",null]"));
    assert_non_null(strstr(text, "\"pattern\":\"^[0-9a-f]{64}$\""));
    assert_non_null(strstr(text, "\"additionalProperties\":{\"type\":\"string\"}"));
    pingo__view_schema_of(&w, NULL, &pingo__view_parameter);
    text = text_of(&w.out);
    assert_non_null(strstr(text, "\"default\":{\"type\":[\"string\",\"number\"],"));
    assert_non_null(strstr(text, "\"items\":{\"type\":\"string\"}"));
    assert_non_null(strstr(text, "\"required\":[\"name\",\"default\",\"meaning\"]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schema__tells_the_schema),
        cmocka_unit_test(test_schema__tells_of_each_document),
        cmocka_unit_test(test_schema__tells_what_a_value_can_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
