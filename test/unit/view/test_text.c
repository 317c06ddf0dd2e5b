/* test_text.c - templates of lines for people. */
#include "unit/view/thing.h"

static const char *mark(enum pingo__view_tone tone)
{
    return tone == PINGO__TONE_PLAIN ? ">" : "<";
}

static void test_text__fills_in_templates(void **state)
{
    static const struct {
        const char *template, *said;
    } rows[] = {
        {"plain", "plain"},
        {"{id} {bytes} {ms}", "7 8.0 PiB 1.5 s"},
        {"{id:4}|{id:-4}|", "   7|7   |"},
        {"{part.sizeBytes}", "5 B"},
        {"{part.sizeBytes%bytes}", "0.0 %"},
        {"{id} thing{id||s}, {part.sizeBytes|one|more}", "7 things, more"},
        {"[id>0?yes|no] [!id>0?yes|no]", "yes no"},
        {"[ms?yes] [flag?is so|is not]", "yes is so"},
        {"[state=TWO?two][state=ONE?one][!state=ONE?, not one]", "two, not one"},
        {"[id>0?a[flag?b[!flag?c]]d|e[flag?f]]", "abd"},
        {"[!flag?{id}|[id>0?left {id}|none]]", "left 7"},
        {"{pingo} run", "pingo -C x run"},
        {"{hidden} [!hidden>0?no]", "7 "},
        {"{cell:6}.", "<  note>."},
    };
    struct thing t = full();
    struct pingo__view_style style = {.program = "pingo -C x", .paint = mark};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__buffer b = {0};
        pingo__view_say(&b, rows[i].template, &view, &t, &style);
        assert_string_equal(pingo__buffer_cstr(&b), rows[i].said);
        pingo__buffer_clear(&b);
    }
    /* What is null is "-", and is not; a line of which nothing is left is left out, an empty one is not. */
    static const char *const lines[] = {"{ms} [ms?is|is not]", "[ms?gone]", "", "[cell?{cell}]",
                                        NULL};
    struct thing none = {.ms = 5, .at = -1, .share = -1, .part = {-1}, .other = {-1}, .state = 9};
    struct pingo__buffer b = {0};
    style.indent = "  ";
    pingo__view_text(&b, lines, &view, &none, &style);
    assert_string_equal(pingo__buffer_cstr(&b), "  - is not\n  \n");
    pingo__buffer_reset(&b);
    pingo__view_parts(&b, &view, &t, &style);
    assert_string_equal(pingo__buffer_cstr(&b), "  part of 1 B\n  part of 7 B\n");
    pingo__buffer_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text__fills_in_templates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
