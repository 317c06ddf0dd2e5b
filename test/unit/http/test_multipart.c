/* test_multipart.c - forms: what is read of them, and what is refused, and in which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fuzz/http_target.h"

/* Parts as "name|filename|data;". */
static void test_multipart__forms_are_read_or_refused(void **state)
{
    (void)state;
#define PART(head, data) "--b\r\n" head "\r\n\r\n" data "\r\n"
#define NAMED(rest) "Content-Disposition: form-data; name=" rest
#define LAST "--b--\r\n"
    static const char form[] = "multipart/form-data; boundary=b";
    static const struct {
        const char *type, *body, *said; /* said: the parts, or what is wrong begins with it */
    } rows[] = {
        {form, LAST, ""},
        {form, PART(NAMED("\"a\""), "1") LAST, "a||1;"},
        {form, PART(NAMED("\"a\""), "1") "--b--", "a||1;"},
        {form, PART(NAMED("\"a\""), "") PART(NAMED("\"\"; filename=\"x y\""), "\r\n") LAST,
         "a||;|x y|\r\n;"},
        {form, "--b\r\n" NAMED("\"a\"") "\r\n\r\n--b--", "a||;"},
        {"Multipart/Form-Data; charset=x; Boundary=\"b\"", PART(NAMED("\"a\""), "1") LAST, "a||1;"},
        {form, PART("content-type: text/plain\r\n" NAMED("\"a\\\"%22%2f\\x\""), "1") LAST,
         "a\"\"%2f\\x||1;"},
        {form, PART(NAMED("\"a\""), "x--b--\n--b\r--b") LAST, "a||x--b--\n--b\r--b;"},
        {"multipart/form-data", LAST, "the type"},
        {"multipart/form-data; boundary=", LAST, "the type"},
        {"multipart/form-data; boundary=\"b", LAST, "the type"},
        {"multipart/form-data; boundary=b@", LAST, "the type"},
        {form, "", "the body"},
        {form, "\r\n" LAST, "the body"},
        {form, "x" LAST, "the body"},
        {form, "--b", "something"},
        {form, "--b-", "something"},
        {form, "--b--x", "something"},
        {form, LAST "\r\n", "something"},
        {form, "--b \r\n", "something"},
        {form, "--b\n", "something"},
        {form, PART(NAMED("\"a\""), "1\r\n--bc") LAST, "something"},
        {form, PART(NAMED("\"a\""), "1"), "a part does not end"},
        {form, "--b\r\n" NAMED("\"a\""), "a part's headers do not end"},
        {form, "--b\r\n" NAMED("\"a\"") "\r\n\r\n1", "a part does not end"},
        {form, "--b\r\n\r\n1\r\n" LAST, "a part has no"},
        {form, PART(NAMED("\"a\"") "\r\n" NAMED("\"b\""), "1") LAST, "a part has two"},
        {form, PART(NAMED("\"a\"; name=\"b\""), "1") LAST, "a part's Content"},
        {form, PART(NAMED("\"a\"; filename=\"b\"; filename=\"c\""), "1") LAST, "a part's Content"},
        {form, PART(NAMED("\"a\"; filename*=UTF-8''c"), "1") LAST, "a part's Content"},
        {form, PART(NAMED("a"), "1") LAST, "a part's Content"},
        {form, PART(NAMED("\"a"), "1") LAST, "a part's Content"},
        {form, PART("Content-Disposition: attachment; name=\"a\"", "1") LAST, "a part's Content"},
        {form, PART("Content-Disposition: form-data", "1") LAST, "a part's Content"},
        {form, PART(NAMED("\"a\"") "\r\n x: y", "1") LAST, "a part's header is none"},
        {form, PART(NAMED("\"a\"") "\r\nx : y", "1") LAST, "a part's header is none"},
        {form, PART(NAMED("\"a\xff\""), "1") LAST, "a part's header is none"},
        {form, PART(NAMED("\"a\tb\001\""), "1") LAST, "a part's header is none"},
        {form, PART(NAMED("\"a\"") "\r\nContent-Transfer-Encoding: base64", "1") LAST,
         "a part has a transfer"},
        {form, PART("a:\r\nb:\r\nc:\r\nd:\r\ne:\r\nf:\r\ng:\r\nh:\r\n" NAMED("\"a\""), "") LAST,
         "a part has too many"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__buffer said = {0};
        http_form(rows[i].type, rows[i].body, strlen(rows[i].body), &said);
        const char *text = pingo__buffer_cstr(&said);
        if (strncmp(text, rows[i].said, strlen(rows[i].said)) != 0 ||
            (strlen(rows[i].said) == 0 && said.length > 0))
            fail_msg("row %zu: %s\ngives %s\nnot %s", i, rows[i].body, text, rows[i].said);
        pingo__buffer_clear(&said);
    }
}

/* As many parts as there may be, and one more; data is the body's own. */
static void test_multipart__as_many_parts_as_may_be(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        struct pingo__buffer body = {0};
        struct pingo__arena arena = {0};
        for (int i = 0; i < PINGO__HTTP_PARTS + more; i++)
            pingo__buffer_format(&body, PART(NAMED("\"p%d\""), "%d"), i, i);
        pingo__buffer_text(&body, LAST);
        struct pingo__http_form f = {
            .type = "multipart/form-data; boundary=b", .body = body.data, .length = body.length};
        const char *wrong = pingo__http_multipart(&arena, &f);
        if (more) {
            assert_string_equal(wrong, "there are too many parts");
        } else {
            assert_null(wrong);
            assert_int_equal(f.nparts, PINGO__HTTP_PARTS);
            assert_string_equal(f.parts[99].name, "p99");
            assert_int_equal(f.parts[99].length, 2);
            assert_true(f.parts[99].data > f.body && f.parts[99].data < f.body + f.length);
        }
        pingo__arena_clear(&arena);
        pingo__buffer_clear(&body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multipart__forms_are_read_or_refused),
        cmocka_unit_test(test_multipart__as_many_parts_as_may_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
