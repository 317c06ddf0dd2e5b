/* test_table.c - a row as a line of a table for people. */
#include "unit/view/thing.h"

#include "view/views.h"

static const char *paint(enum pingo__view_tone tone)
{
    return tone == PINGO__TONE_PLAIN ? "<>" : tone == PINGO__TONE_BOLD ? "<b>" : "<bad>";
}

static void test_table__lays_out_lines_of_text(void **state)
{
    struct pingo__buffer b = {0};
    struct pingo__view_style style = {.shown = 0};
    struct thing t = full();
    (void)state;
    pingo__view_line(&b, &view, NULL, &style);
    assert_string_equal(text_of(&b), "  ID  NAME    AT                        SIZE  NOTE\n");
    pingo__view_line(&b, &view, &t, &style);
    assert_string_equal(text_of(&b), "   7  a,\"b\"?...  2025-11-20T10:00:00Z   2.0 KiB  note\n");
    /* What is empty at the end is left out; what is unknown is "-". */
    t = (struct thing){.at = -1, .other = {-1}};
    pingo__view_line(&b, &view, &t, &style);
    assert_string_equal(text_of(&b), "   0  -       -                            -\n");
    style = (struct pingo__view_style){
        .shown = 1u << 1, .indent = "  ", .paint = paint, .times = PINGO__TIMES_EPOCH};
    pingo__view_line(&b, &view, NULL, &style);
    assert_string_equal(text_of(&b),
                        "  <b>  ID  NAME       BYTES  AT                        SIZE  NOTE<>\n");
    t = full();
    t.name = "\xc3\xa4";
    pingo__view_line(&b, &view, &t, &style);
    assert_string_equal(
        text_of(&b),
        "     7  \xc3\xa4        8.0 PiB  1763632800             2.0 KiB  <bad>note<>\n");
}

static void test_table__says_times_in_each_style(void **state)
{
    struct pingo__buffer b = {0};
    struct pingo__view_style style = {.times = PINGO__TIMES_RELATIVE, .now_ms = 100000000};
    (void)state;
    pingo__view_time(&b, 100000000 - 7200000, &style);
    assert_string_equal(text_of(&b), "2 hours ago");
    pingo__view_time(&b, 100000000 + 61000, &style);
    assert_string_equal(text_of(&b), "1 minute from now");
    pingo__view_time(&b, 100000000, &style);
    assert_string_equal(text_of(&b), "just now");
    pingo__view_time(&b, -1, &style);
    assert_string_equal(text_of(&b), "-");
}

/* What follows a name stands in its column, whatever the name is written in, and however wide the column is. */
static void test_table__columns_are_those_of_a_terminal(void **state)
{
    static const struct {
        const char *text;
        int width;
        const char *said;
    } rows[] = {
        {"abc", 5, "  abc|"},
        {"abc", -5, "abc  |"},
        {"abcdef", -5, "abcdef|"},
        {"\xe6\xbc\xa2\xe5\xad\x97", -5, "\xe6\xbc\xa2\xe5\xad\x97 |"}, /* two wide ones */
        {"e\xcc\x81", -3, "e\xcc\x81  |"},                              /* one mark */
        {"\xf0\x9f\x98\x80", 3, " \xf0\x9f\x98\x80|"},
        {"\xff", 2, " \xff|"},
        {"", 60, "                                                            |"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__buffer b = {0};
        pingo__view_pad(&b, rows[i].text, rows[i].width);
        pingo__buffer_char(&b, '|');
        assert_string_equal(text_of(&b), rows[i].said);
    }
}

/* From a server, or damaged. */
static void test_table__a_number_without_a_name_is_shown(void **state)
{
    const struct pingo__view_workflow w = {
        .status = {.name = "w", .user = "u", .state = (enum pingo_workflow_state)77}};
    const struct pingo_action_status a = {.name = "a", .state = (enum pingo_action_state)77};
    const struct pingo_action_status none = {.name = "a", .decision = (enum pingo_plan_decision)77};
    const struct pingo_planned p = {.name = "a", .decision = (enum pingo_plan_decision)77};
    const struct pingo_hook h = {.state = (enum pingo_hook_state)77};
    const struct {
        const struct pingo__view_table *view;
        const void *row;
    } rows[] = {{&pingo__view_workflow, &w},
                {&pingo__view_action, &a},
                {&pingo__view_action, &none},
                {&pingo__view_planned, &p},
                {&pingo__view_hook, &h}};
    struct pingo__buffer b = {0};
    struct pingo__view_style style = {.shown = 0};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pingo__view_line(&b, rows[i].view, rows[i].row, &style);
        assert_non_null(strstr(text_of(&b), " ?"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table__lays_out_lines_of_text),
        cmocka_unit_test(test_table__says_times_in_each_style),
        cmocka_unit_test(test_table__a_number_without_a_name_is_shown),
        cmocka_unit_test(test_table__columns_are_those_of_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
