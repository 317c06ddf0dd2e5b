/* Descriptions: what was encoded decodes, hostile bytes do no harm, and the
 * differences of two of them are told. */
#include "unit/digest/workflows.h"

#include "base/buffer.h"
#include "digest/originals.h"

static const char text_before[] =
    "{\"name\": \"w\", \"actions\": [\n"
    " {\"id\": 1, \"name\": \"one\", \"type\": \"external\", \"description\": \"first\"},\n"
    " {\"id\": 7, \"name\": \"it\", \"type\": \"command-line\",\n"
    "  \"command\": [\"sort\", \"-k\", \"it's 2\", \"\"],\n"
    "  \"env\": {\"A\": \"a\", \"B\": \"b\"}, \"output\": \"out\", \"salt\": \"\",\n"
    "  \"isManaged\": false, \"outputPath\": \"results/r\",\n"
    "  \"parentActions\": [{\"id\": 1, \"as\": \"left\"}, {\"id\": 1, \"as\": \"right\"}],\n"
    "  \"inputs\": [{\"name\": \"x\", \"uri\": \"u\", \"version\": \"1\"},\n"
    "    {\"name\": \"dir\", \"path\": \"/etc/skel\"},\n"
    "    {\"name\": \"s\", \"path\": \"/etc/passwd\", \"identity\": \"stat\"},\n"
    "    {\"name\": \"y\", \"path\": \"p\", \"sha256\": "
    "\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"}],\n"
    "  \"tools\": [\"sh\"], \"versions\": [[\"echo\", \"2\"], [\"echo\", \"1\", \"\"], "
    "[\"echo\", \"1\"]]}]}\n";

static struct pingo_description *describe(const char *text, int64_t id)
{
    struct pingo_workflow *workflow = parse_in(text, "/base");
    struct pingo_digests *digests = digest(workflow);
    struct pingo_description *description = NULL;
    struct pingo_error error = {0};
    size_t length;
    const void *bytes =
        pingo_digests_description(digests, pingo_workflow_find(workflow, id), &length);

    if (pingo_description_decode(bytes, length, &description, &error) != 0)
        fail_msg("%s", error.message);
    pingo_digests_free(digests);
    pingo_workflow_free(workflow);
    return description;
}

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
    assert_int_equal(pingo__digest_sha256("1\n", 2, &output), 0);
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

/* ---- hostile bytes ---------------------------------------------------------------------- */

/* The encoding of what was decoded, written once more and independently. */
static void encode(const struct pingo_description *d, struct pingo__buffer *out)
{
    static const char kinds[] = "?slbo";
    struct pingo__buffer p = {0};
    struct pingo_hash hash;
    size_t n;

#define TEXT(t) pingo__buffer_counted(&p, (t), strlen(t))
#define HASH(h) pingo__buffer_append(&p, (h).bytes, PINGO_HASH_SIZE)
#define RECORD(tag)                                                                                \
    do {                                                                                           \
        pingo__buffer_char(out, tag);                                                              \
        pingo__buffer_counted(out, p.data == NULL ? "" : p.data, p.length);                        \
        pingo__buffer_reset(&p);                                                                   \
    } while (0)
    pingo__buffer_format(out, "pingo-action-%u\n", pingo_description_encoding(d));
    pingo__buffer_text(&p, pingo_description_type(d));
    RECORD('T');
    for (size_t i = 0; i < (pingo_description_fields(d, &n), n); i++) {
        const struct pingo_field *f = &pingo_description_fields(d, &n)[i];

        TEXT(f->key);
        pingo__buffer_char(&p, kinds[f->kind]);
        for (size_t k = 0; k < f->nvalues; k++)
            TEXT(f->values[k]);
        RECORD('F');
    }
    if (pingo_description_salt(d) != NULL) {
        pingo__buffer_text(&p, pingo_description_salt(d));
        RECORD('S');
    }
    if (pingo_description_output_path(d) != NULL) {
        pingo__buffer_text(&p, pingo_description_output_path(d));
        RECORD('O');
    }
    for (size_t i = 0; i < (pingo_description_inputs(d, &n), n); i++) {
        const struct pingo_described_input *in = &pingo_description_inputs(d, &n)[i];

        TEXT(in->name);
        pingo__buffer_char(&p, in->kind[0] == 'c' ? 'f' : in->kind[0]);
        if (in->version != NULL) {
            TEXT(in->identity);
            TEXT(in->version);
        } else if (in->kind[0] == 's') {
            pingo__buffer_text(&p, in->identity);
        } else {
            assert_int_equal(pingo_hash_from_hex(in->identity, &hash), 0);
            HASH(hash);
        }
        RECORD('I');
    }
    for (size_t i = 0; i < (pingo_description_tools(d, &n), n); i++) {
        TEXT(pingo_description_tools(d, &n)[i].name);
        HASH(pingo_description_tools(d, &n)[i].content);
        RECORD('X');
    }
    for (size_t i = 0; i < (pingo_description_versions(d, &n), n); i++) {
        const struct pingo_described_version *version = &pingo_description_versions(d, &n)[i];

        pingo__buffer_u32(&p, (uint32_t)version->nargv);
        for (size_t k = 0; k < version->nargv; k++)
            TEXT(version->argv[k]);
        HASH(version->output);
        RECORD('V');
    }
    for (size_t i = 0; i < (pingo_description_parents(d, &n), n); i++) {
        const struct pingo_described_parent *parent = &pingo_description_parents(d, &n)[i];

        if (parent->role != NULL)
            TEXT(parent->role);
        HASH(parent->hash);
        RECORD(parent->role != NULL ? 'P' : 'Q');
    }
    pingo__buffer_clear(&p);
}

/* Either refused, or canonical.  Returns whether it was accepted. */
static bool check_bytes(const void *bytes, size_t length)
{
    struct pingo_description *d = NULL;
    struct pingo__buffer again = {0};
    struct pingo_error error = {0};
    int r = pingo_description_decode(bytes, length, &d, &error);

    if (r != 0) {
        assert_int_equal(r, PINGO_ECORRUPT);
        assert_int_equal(error.code, PINGO_ECORRUPT);
        assert_null(d);
        return false;
    }
    encode(d, &again);
    assert_false(again.failed);
    assert_int_equal(again.length, length);
    assert_memory_equal(again.data, bytes, length);
    pingo__buffer_clear(&again);
    pingo_description_free(d);
    return true;
}

/* A copy in memory that ends where the bytes do, so that a sanitizer sees who reads past. */
static bool check_copy(const char *bytes, size_t length)
{
    char *copy = malloc(length == 0 ? 1 : length);
    bool accepted;

    assert_non_null(copy);
    if (length > 0)
        memcpy(copy, bytes, length);
    accepted = check_bytes(copy, length);
    free(copy);
    return accepted;
}

static char *copy_description(size_t *length)
{
    struct pingo_workflow *workflow = parse_in(text_before, "/base");
    struct pingo_digests *digests = digest(workflow);
    const void *bytes = pingo_digests_description(digests, 1, length);
    char *copy = malloc(*length);

    assert_non_null(copy);
    memcpy(copy, bytes, *length);
    pingo_digests_free(digests);
    pingo_workflow_free(workflow);
    return copy;
}

static void test_description__refuses_what_is_cut_off(void **state)
{
    size_t length;
    char *bytes = copy_description(&length);
    size_t accepted = 0;

    (void)state;
    assert_true(check_copy(bytes, length));
    for (size_t n = 0; n < length; n++)
        accepted += check_copy(bytes, n);
    /* Cut between two records, the rest is a description: after the type, 4 fields, salt, path,
     * 4 inputs, a tool, 3 versions and the first parent. */
    assert_int_equal(accepted, 16);
    free(bytes);
}

static void test_description__survives_every_change_of_a_byte(void **state)
{
    size_t length, accepted = 0;
    char *bytes = copy_description(&length);

    (void)state;
    for (size_t i = 0; i < length; i++) {
        char old = bytes[i];

        for (int c = 0; c < 256; c += 1 + (c > 4 && c < 250)) {
            bytes[i] = (char)c;
            accepted += check_copy(bytes, length);
        }
        bytes[i] = old;
    }
    assert_true(accepted > length); /* the bytes of texts and hashes may be others */
    free(bytes);
}

static uint32_t random_state = 12345;

static uint32_t next_random(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

/* Records of the right shape in any order, with texts that often repeat. */
static void test_description__survives_random_records(void **state)
{
    static const char tags[] = "TFSOIXVPQZ", letters[] = "slboftu\0";
    int accepted = 0;

    (void)state;
    for (int round = 0; round < 60000; round++) {
        struct pingo__buffer b = {0};
        unsigned records = next_random() % 5;

        pingo__buffer_text(&b,
                           next_random() % 2 == 0 ? "pingo-action-1\nT\1" : "pingo-action-2\nT\1");
        pingo__buffer_append(&b, "\0\0\0x", 4);
        for (unsigned i = 0; i < records; i++) {
            struct pingo__buffer p = {0};
            unsigned parts = next_random() % 4;

            for (unsigned k = 0; k < parts; k++) {
                pingo__buffer_counted(&p, &"ab"[next_random() % 2], next_random() % 2);
                if (k == 0 && next_random() % 2 != 0)
                    pingo__buffer_char(&p, letters[next_random() % 8]);
            }
            if (next_random() % 2 != 0)
                pingo__buffer_append(&p, "0123456789abcdef0123456789abcdef", 32);
            pingo__buffer_char(&b, tags[next_random() % 10]);
            pingo__buffer_counted(&b, p.data == NULL ? "" : p.data, p.length);
            pingo__buffer_clear(&p);
        }
        accepted += check_copy(b.data, b.length);
        pingo__buffer_clear(&b);
    }
    assert_true(accepted > 1000);
}

static void test_description__refuses_what_is_not_canonical(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
    } rows[] = {
#define MAGIC "pingo-action-2\n"
#define MAGIC_1 "pingo-action-1\n"
#define ZEROS_8 "\0\0\0\0\0\0\0\0"
#define ZEROS ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8
#define ROW(b) {(b), sizeof(b) - 1}
        ROW(""),
        ROW(MAGIC),
        ROW("pingo-action-3\nT\1\0\0\0x"),
        ROW(MAGIC "T\1\0\0\0xV\44\0\0\0\0\0\0\0" ZEROS),         /* a command of nothing */
        ROW(MAGIC "T\1\0\0\0xV\44\0\0\0\377\377\377\377" ZEROS), /* of more than there is */
        ROW(MAGIC "T\1\0\0\0xV\50\0\0\0\1\0\0\0\0\0\0\0" ZEROS
                  "V\50\0\0\0\1\0\0\0\0\0\0\0" ZEROS),             /* one twice */
        ROW(MAGIC_1 "T\1\0\0\0xV\50\0\0\0\1\0\0\0\0\0\0\0" ZEROS), /* too early */
        ROW(MAGIC "S\0\0\0\0"),                                    /* no type */
        ROW(MAGIC "T\1\0\0\0xT\1\0\0\0x"),                         /* two */
        ROW(MAGIC "T\1\0\0\0xS\0\0\0\0S\0\0\0\0"),                 /* two salts */
        ROW(MAGIC "T\1\0\0\0xO\0\0\0\0S\0\0\0\0"),                 /* order of tags */
        ROW(MAGIC "T\1\0\0\0\0"),                                  /* NUL in a text */
        ROW(MAGIC "T\1\0\0\0xF\6\0\0\0\1\0\0\0as"),                /* a string without one */
        ROW(MAGIC "T\1\0\0\0xF\12\0\0\0\1\0\0\0ab\0\0\0\0"),       /* a boolean of "" */
        ROW(MAGIC "T\1\0\0\0xF\12\0\0\0\1\0\0\0ao\0\0\0\0"),       /* a name without a value */
        ROW(MAGIC "T\1\0\0\0xF\6\0\0\0\1\0\0\0al"
                  "F\6\0\0\0\1\0\0\0al"), /* one key twice */
        ROW(MAGIC "T\1\0\0\0xF\6\0\0\0\1\0\0\0bl"
                  "F\6\0\0\0\1\0\0\0al"),                        /* order of keys */
        ROW(MAGIC "T\1\0\0\0xS\377\377\377\377"),                /* longer than there is */
        ROW(MAGIC "T\1\0\0\0xF\11\0\0\0\1\0\0\0al\377\377\377"), /* a length cut off */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (check_copy(rows[i].bytes, rows[i].length))
            fail_msg("row %zu", i);
    assert_true(check_copy(MAGIC "T\1\0\0\0xF\6\0\0\0\1\0\0\0al"
                                 "F\6\0\0\0\1\0\0\0bl",
                           43));
    assert_false(check_copy(NULL, 0));
}

/* ---- differences --------------------------------------------------------------------------- */

static char told[8192];

static int tell(void *context, const struct pingo_difference *difference)
{
    size_t used = strlen(told);

    snprintf(told + used, sizeof told - used, "%s: %s -> %s\n", difference->field,
             difference->before == NULL ? "(none)" : difference->before,
             difference->after == NULL ? "(none)" : difference->after);
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
             "parent left: %s -> %s\n"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_description__decodes_what_was_encoded),
        cmocka_unit_test(test_description__refuses_what_is_cut_off),
        cmocka_unit_test(test_description__survives_every_change_of_a_byte),
        cmocka_unit_test(test_description__survives_random_records),
        cmocka_unit_test(test_description__refuses_what_is_not_canonical),
        cmocka_unit_test(test_compare__tells_nothing_of_equal_ones),
        cmocka_unit_test(test_compare__tells_each_field_in_order),
        cmocka_unit_test(test_compare__tells_types_and_kinds),
        cmocka_unit_test(test_compare__stops_when_told),
        cmocka_unit_test(test_compare__shortens_around_the_difference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
