/* test_compare.c - the differences of two descriptions: which are told, in which order, and how they are shown. */
#include "unit/digest/descriptions.h"

static char told[8192];

static int tell(void *context, const struct pingo_difference *difference)
{
    size_t used = strlen(told);

    snprintf(told + used, sizeof told - used, "%s: %s -> %s%s\n", difference->field,
             difference->before == NULL ? "(none)" : difference->before,
             difference->after == NULL ? "(none)" : difference->after,
             difference->inherited ? " (inherited)" : "");
    return context != NULL;
}

static int compare(const char *before, const char *after, int64_t id, void *context)
{
    struct pingo_description *a = describe(before, id), *b = describe(after, id);
    int r;

    told[0] = '\0';
    r = pingo_description_compare(a, b, tell, context);
    pingo_description_free(a);
    pingo_description_free(b);
    return r;
}

static void test_compare__tells_nothing_of_equal_ones(void **state)
{
    (void)state;
    assert_int_equal(compare(text_before, text_before, 7, NULL), 0);
    assert_string_equal(told, "");
}

static void test_compare__tells_each_field_in_order(void **state)
{
    static const char text_after[] =
        "{\"name\": \"w\", \"actions\": [\n"
        " {\"id\": 1, \"name\": \"one\", \"type\": \"external\", \"description\": \"second\"},\n"
        " {\"id\": 7, \"name\": \"it\", \"type\": \"command-line\",\n"
        "  \"command\": [\"sort\", \"-k\", \"2\\u001b\\n\"],\n"
        "  \"env\": {\"A\": \"aa\", \"C\": \"c\"},\n"
        "  \"parentActions\": [{\"id\": 1, \"as\": \"left\"}],\n"
        "  \"inputs\": [{\"name\": \"x\", \"uri\": \"u\", \"version\": \"2\"},\n"
        "    {\"name\": \"dir\", \"path\": \"/etc/skel\"},\n"
        "    {\"name\": \"y\", \"uri\": \"http://y\", \"version\": \"1\"}]}]}\n";
    struct pingo_description *d = describe(text_after, 7);
    struct pingo_description *before = describe(text_before, 7);
    char expected[4096], first[PINGO_HASH_HEX_SIZE], second[PINGO_HASH_HEX_SIZE];
    char sh[PINGO_HASH_HEX_SIZE], versions[3][PINGO_HASH_HEX_SIZE];
    size_t n;

    (void)state;
    pingo_hash_to_hex(&pingo_description_parents(before, &n)[0].hash, first);
    pingo_hash_to_hex(&pingo_description_parents(d, &n)[0].hash, second);
    pingo_hash_to_hex(&pingo_description_tools(before, &n)[0].content, sh);
    for (size_t i = 0; i < 3; i++)
        pingo_hash_to_hex(&pingo_description_versions(before, &n)[i].output, versions[i]);
    snprintf(expected, sizeof expected,
             "command: sort -k 'it'\\''s 2' '' -> sort -k '2\\x1b\\n'\n"
             "env A: a -> aa\n"
             "env B: b -> (none)\n"
             "env C: (none) -> c\n"
             "output: out -> output\n"
             "salt:  -> (none)\n"
             "outputPath: /base/results/r -> (none)\n"
             "input s: stat %s -> (none)\n"
             "input x: uri u version 1 -> uri u version 2\n"
             "input y: content 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
             " -> uri http://y version 1\n"
             "tool sh: %s -> (none)\n"
             "version echo 1: %s -> (none)\n"
             "version echo 1 '': %s -> (none)\n"
             "version echo 2: %s -> (none)\n"
             "parent left: %s -> %s (inherited)\n"
             "parent right: %s -> (none)\n",
             pingo_description_inputs(before, &n)[1].identity, sh, versions[0], versions[1],
             versions[2], first, second, first);
    assert_int_equal(compare(text_before, text_after, 7, NULL), 16);
    assert_string_equal(told, expected);
    pingo_description_free(d);
    pingo_description_free(before);
}

static void test_compare__tells_types_and_kinds(void **state)
{
#define ONE(rest) "{\"name\": \"w\", \"actions\": [{\"id\": 1, \"name\": \"n\", " rest "}]}"
    (void)state;
    compare(ONE("\"type\": \"command-line\", \"command\": \"true\", \"stdout\": true"),
            ONE("\"type\": \"command-line\", \"command\": [\"true\"]"), 1, NULL);
    assert_string_equal(told, "command: true (a string) -> true (an array)\n"
                              "shell: bash -> (none)\n"
                              "stdout: true -> false\n");
    compare(ONE("\"type\": \"command-line\", \"command\": \"true\""),
            ONE("\"type\": \"external\", \"description\": \"true\""), 1, NULL);
    assert_string_equal(told, "type: command-line -> external\n"
                              "command: true -> (none)\n"
                              "description: (none) -> true\n"
                              "env:  -> (none)\n"
                              "output: output -> (none)\n"
                              "shell: bash -> (none)\n"
                              "stdout: false -> (none)\n");
}

static void test_compare__stops_when_told(void **state)
{
    int stop = 1;

    (void)state;
    assert_int_equal(compare(ONE("\"type\": \"command-line\", \"command\": \"true\""),
                             ONE("\"type\": \"external\", \"description\": \"true\""), 1, &stop),
                     1);
    assert_string_equal(told, "type: command-line -> external\n");
}

/* What is shown of long texts holds the place where they differ, whole characters, and no
 * control characters. */
static void test_compare__shortens_around_the_difference(void **state)
{
    static char before[6000], after[6000], filler[3001];

    (void)state;
    for (size_t i = 0; i + 2 < sizeof filler; i += 2)
        memcpy(filler + i, "\xc3\xa9", 2);
    snprintf(before, sizeof before, ONE("\"type\": \"external\", \"description\": \"%sHERE%s\""),
             filler, filler + 1000);
    snprintf(after, sizeof after, ONE("\"type\": \"external\", \"description\": \"%sTHERE%s\""),
             filler, filler + 1000);
    assert_int_equal(compare(before, after, 1, NULL), 1);
    assert_non_null(strstr(told, "\xc3\xa9HERE\xc3\xa9"));
    assert_non_null(strstr(told, "\xc3\xa9THERE\xc3\xa9"));
    assert_true(strlen(told) < 400);
    assert_memory_equal(told, "description: ...\xc3\xa9", 18);
    assert_non_null(strstr(told, "\xc3\xa9... -> ...\xc3\xa9"));
}

/* Of the bytes of two descriptions. */
static int compare_bytes(const char *before, size_t nbefore, const char *after, size_t nafter)
{
    struct pingo_description *a = NULL, *b = NULL;
    int n;

    assert_int_equal(pingo_description_decode(before, nbefore, &a, NULL), 0);
    assert_int_equal(pingo_description_decode(after, nafter, &b, NULL), 0);
    told[0] = '\0';
    n = pingo_description_compare(a, b, tell, NULL);
    pingo_description_free(a);
    pingo_description_free(b);
    return n;
}

#define BYTES(b) (b), sizeof(b) - 1
#define ZEROS_8 "\0\0\0\0\0\0\0\0"
#define ZEROS ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8
#define HEX "00000000000000000000000000000000000000000000000000000000000000"

/* The encoding itself, and a type whose parents have lost their order. */
static void test_compare__tells_what_another_version_says(void **state)
{
    (void)state;
    assert_int_equal(
        compare_bytes(BYTES("pingo-action-1\nT\1\0\0\0x"), BYTES("pingo-action-2\nT\1\0\0\0x")), 1);
    assert_string_equal(told, "encoding: 1 -> 2\n");
    assert_int_equal(compare_bytes(BYTES("pingo-action-2\nT\1\0\0\0xP\45\0\0\0\1\0\0\0r" ZEROS),
                                   BYTES("pingo-action-2\nT\1\0\0\0xQ\40\0\0\0" ZEROS)),
                     2);
    assert_string_equal(told, "parent r: 00" HEX " -> (none)\n"
                              "parent: (none) -> 00" HEX " (inherited)\n");
    assert_int_equal(compare_bytes(BYTES("pingo-action-2\nT\1\0\0\0x"),
                                   BYTES("pingo-action-2\nT\1\0\0\0xS\0\0\0\0")),
                     1);
    assert_string_equal(told, "salt: (none) -> \n"); /* an empty one is one */
}

/* A parent that came or went is a change of its own, and so is what only sounds like a parent: the type's field. */
static void test_compare__tells_what_is_inherited(void **state)
{
#define CALLED_PARENT(value)                                                                       \
    "pingo-action-2\nT\1\0\0\0xF\25\0\0\0\6\0\0\0parento\1\0\0\0w\1\0\0\0" value
    (void)state;
    assert_int_equal(compare_bytes(BYTES(CALLED_PARENT("1")), BYTES(CALLED_PARENT("2"))), 1);
    assert_string_equal(told, "parent w: 1 -> 2\n");
    assert_int_equal(compare_bytes(BYTES("pingo-action-2\nT\1\0\0\0xP\45\0\0\0\1\0\0\0r" ZEROS),
                                   BYTES("pingo-action-2\nT\1\0\0\0xP\45\0\0\0\1\0\0\0s" ZEROS)),
                     2);
    assert_string_equal(told, "parent r: 00" HEX " -> (none)\nparent s: (none) -> 00" HEX "\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compare__tells_nothing_of_equal_ones),
        cmocka_unit_test(test_compare__tells_each_field_in_order),
        cmocka_unit_test(test_compare__tells_types_and_kinds),
        cmocka_unit_test(test_compare__stops_when_told),
        cmocka_unit_test(test_compare__shortens_around_the_difference),
        cmocka_unit_test(test_compare__tells_what_another_version_says),
        cmocka_unit_test(test_compare__tells_what_is_inherited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
