/* test_description.c - looking at a description: what was encoded, and its pieces in their order. */
#include "unit/digest/descriptions.h"

#include "digest/description.h"
#include "digest/sha256.h"

static void test_description__decodes_what_was_encoded(void **state)
{
    struct pingo_description *d = describe(text_before, 7);
    const struct pingo_field *fields;
    const struct pingo_described_input *inputs;
    const struct pingo_described_tool *tools;
    const struct pingo_described_version *versions;
    const struct pingo_described_parent *parents;
    struct pingo_hash output;
    size_t n;

    (void)state;
    assert_string_equal(pingo_description_type(d), "command-line");
    assert_string_equal(pingo_description_salt(d), "");
    assert_string_equal(pingo_description_output_path(d), "/base/results/r");
    fields = pingo_description_fields(d, &n);
    assert_int_equal(n, 4);
    assert_string_equal(fields[0].key, "command");
    assert_int_equal(fields[0].kind, PINGO_FIELD_TEXTS);
    assert_int_equal(fields[0].nvalues, 4);
    assert_string_equal(fields[0].values[2], "it's 2");
    assert_string_equal(fields[1].key, "env");
    assert_int_equal(fields[1].kind, PINGO_FIELD_PAIRS);
    assert_int_equal(fields[1].nvalues, 4);
    assert_string_equal(fields[1].values[3], "b");
    assert_string_equal(fields[2].key, "output");
    assert_int_equal(fields[2].kind, PINGO_FIELD_TEXT);
    assert_string_equal(fields[2].values[0], "out");
    assert_string_equal(fields[3].key, "stdout");
    assert_int_equal(fields[3].kind, PINGO_FIELD_FLAG);
    assert_string_equal(fields[3].values[0], "false");
    inputs = pingo_description_inputs(d, &n);
    assert_int_equal(n, 4);
    assert_string_equal(inputs[0].name, "dir");
    assert_string_equal(inputs[0].kind, "tree");
    assert_string_equal(inputs[1].name, "s");
    assert_string_equal(inputs[1].kind, "stat");
    assert_memory_equal(inputs[1].identity, "/etc/passwd ", 12);
    assert_string_equal(inputs[2].name, "x");
    assert_string_equal(inputs[2].kind, "uri");
    assert_string_equal(inputs[2].identity, "u");
    assert_string_equal(inputs[2].version, "1");
    assert_string_equal(inputs[3].kind, "content");
    assert_string_equal(inputs[3].identity,
                        "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff");
    assert_null(inputs[3].version);
    tools = pingo_description_tools(d, &n);
    assert_int_equal(n, 1);
    assert_string_equal(tools[0].name, "sh");
    versions = pingo_description_versions(d, &n);
    assert_int_equal(n, 3);
    assert_int_equal(versions[0].nargv, 2);
    assert_string_equal(versions[0].argv[1], "1");
    assert_int_equal(versions[1].nargv, 3);
    assert_string_equal(versions[1].argv[2], "");
    assert_string_equal(versions[2].argv[1], "2");
    pingo__digest_sha256("1\n", 2, &output);
    assert_true(same_hash(&versions[0].output, &output));
    assert_int_equal(pingo_description_encoding(d), 2);
    parents = pingo_description_parents(d, &n);
    assert_int_equal(n, 2);
    assert_string_equal(parents[0].role, "left");
    assert_string_equal(parents[1].role, "right");
    assert_true(same_hash(&parents[0].hash, &parents[1].hash));
    pingo_description_free(d);
    d = describe(text_before, 1);
    assert_null(pingo_description_salt(d));
    assert_null(pingo_description_output_path(d));
    pingo_description_free(d);
}

/* What it lists, one kind after the other, by that by which it is sorted. */
static void test_description__has_pieces_in_order(void **state)
{
    static const size_t counts[] = {4, 4, 1, 3, 2};
    static const char *const names[][4] = {{"command", "env", "output", "stdout"},
                                           {"dir", "s", "x", "y"},
                                           {"sh"},
                                           {"echo", "echo", "echo"},
                                           {"left", "right"}};
    struct pingo_description *d = describe(text_before, 7);
    struct pingo__digest_piece piece, before;

    (void)state;
    for (enum pingo__digest_piece_kind kind = PINGO__PIECE_FIELD; kind <= PINGO__PIECE_PARENT;
         kind++) {
        assert_int_equal(pingo__digest_piece_count(d, kind), counts[kind]);
        for (size_t i = 0; i < counts[kind]; i++) {
            assert_true(pingo__digest_piece_at(d, kind, i, &piece));
            assert_string_equal(piece.name.values[0], names[kind][i]);
            assert_int_equal(piece.input != NULL, kind == PINGO__PIECE_INPUT);
            assert_int_equal(piece.hash != NULL, kind >= PINGO__PIECE_TOOL);
            assert_int_equal(pingo__digest_piece_order(&piece, &piece), 0);
            if (i > 0) {
                assert_true(pingo__digest_piece_order(&before, &piece) < 0);
                assert_true(pingo__digest_piece_order(&piece, &before) > 0);
            }
            before = piece;
        }
        assert_false(pingo__digest_piece_at(d, kind, counts[kind], &piece));
    }
    pingo_description_free(d);
    pingo_description_free(NULL);
}

/* Parents without a role: by hash, and behind those that have one. */
static void test_description__orders_what_has_no_name(void **state)
{
    static const struct pingo_hash low = {{1}}, high = {{2}};
    static const char *const role = "z";
    struct pingo__digest_piece a = {.hash = &low}, b = {.hash = &high}, named = {.hash = &high};

    (void)state;
    named.name = (struct pingo_field){"", PINGO_FIELD_TEXT, &role, 1};
    assert_true(pingo__digest_piece_order(&a, &b) < 0);
    assert_true(pingo__digest_piece_order(&b, &a) > 0);
    assert_int_equal(pingo__digest_piece_order(&a, &a), 0);
    assert_true(pingo__digest_piece_order(&named, &a) < 0);
    assert_true(pingo__digest_piece_order(&a, &named) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_description__decodes_what_was_encoded),
        cmocka_unit_test(test_description__has_pieces_in_order),
        cmocka_unit_test(test_description__orders_what_has_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
