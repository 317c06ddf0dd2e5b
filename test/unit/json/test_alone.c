/* test_alone.c - the tree that json/alone makes is the one that cJSON makes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <cJSON.h>
#include <math.h>
#include <string.h>

#include "json/document.h"

#define cJSON_ParseWithLengthOpts parse_alone
#define cJSON_Delete delete_alone
cJSON *cJSON_ParseWithLengthOpts(const char *text, size_t length, const char **end,
                                 cJSON_bool whole);
void cJSON_Delete(cJSON *n);
#include "json/alone/cjson.c"
#undef cJSON_ParseWithLengthOpts
#undef cJSON_Delete

static void compare(const cJSON *a, const cJSON *b)
{
    assert_int_equal(a->type & 0xff, b->type & 0xff);
    if (a->string || b->string)
        assert_string_equal(a->string, b->string);
    if (b->type == cJSON_String)
        assert_string_equal(a->valuestring, b->valuestring);
    if (b->type == cJSON_Number)
        assert_true(a->valuedouble >= b->valuedouble && a->valuedouble <= b->valuedouble);
    assert_true(!a->child == !b->child && !a->next == !b->next);
    if (a->child)
        assert_true(!a->child->prev->next);
    const cJSON *n = a->child, *m = b->child;
    for (; n && m; n = n->next, m = m->next) {
        assert_true(!n->next || n->next->prev == n);
        compare(n, m);
    }
    assert_true(!n && !m);
}

static void test_alone__as_cjson_does(void **state)
{
    static const char *const texts[] = {
        "{}",
        "[]",
        " 17 ",
        "\"a\\u00e9\\n\"",
        "null",
        "[true,false,null,-1.5e3,0]",
        "{\"a\":{},\"b\":[],\"\\u0041\\\\\":[[[]],{\"c\":[1,{\"d\":\"\\ud83d\\ude00\"}, 2]}], "
        "\"e\" : 1e-3 }",
        "{\"FileStatus\":{\"fileId\":16392,\"length\":0,\"pathSuffix\":\"\",\"type\":\"DIRECTORY\"}"
        "}\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct pingo__json_document d;
        struct pingo__json_fault fault;
        const char *end, *other_end;
        assert_int_equal(pingo__json_open(&d, texts[i], strlen(texts[i]), &fault, NULL), 0);
        size_t left = d.length - d.offset;
        cJSON *mine = parse_alone(d.text + d.offset, left, &end, 0);
        cJSON *theirs = cJSON_ParseWithLengthOpts(d.text + d.offset, left, &other_end, 0);
        assert_non_null(mine);
        assert_non_null(theirs);
        compare(mine, theirs);
        assert_ptr_equal(end, other_end);
        delete_alone(mine);
        cJSON_Delete(theirs);
        pingo__json_close(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alone__as_cjson_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
