/* test_decode.c - bytes that are no canonical description are refused and do no harm; what is accepted is canonical. */
#include "unit/digest/descriptions.h"

#include "base/buffer.h"

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

static void test_decode__refuses_what_is_cut_off(void **state)
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

static void test_decode__survives_every_change_of_a_byte(void **state)
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
static void test_decode__survives_random_records(void **state)
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

static void test_decode__refuses_what_is_not_canonical(void **state)
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

static void test_decode__says_what_is_wrong(void **state)
{
#define SAID(b, s)                                                                                 \
    {                                                                                              \
        (b), sizeof(b) - 1, (s)                                                                    \
    }
    static const struct {
        const char *bytes;
        size_t length;
        const char *said;
    } rows[] = {
        SAID("", "it does not start with pingo-action-2 or pingo-action-1"),
        SAID("pingo-action-3\nT\1\0\0\0x",
             "it does not start with pingo-action-2 or pingo-action-1"),
        SAID(MAGIC, "no type"),
        SAID(MAGIC "S\0\0\0\0", "no type"),
        SAID(MAGIC "T\1\0\0\0xZ\0\0\0\0", "an unknown record"),
        SAID(MAGIC_1 "T\1\0\0\0xV\0\0\0\0", "an unknown record"),
        SAID(MAGIC "T\1\0\0\0xO\0\0\0\0S\0\0\0\0", "records out of order"),
        SAID(MAGIC "T\1\0\0\0xT\1\0\0\0x", "records out of order"),
        SAID(MAGIC "T\1\0\0\0xS\5\0\0\0abcd", "cut off"),
        SAID(MAGIC "T\1\0\0\0xP\44\0\0\0\0\0\0\0" ZEROS "Q\40\0\0\0" ZEROS,
             "parents with and without roles"),
        SAID(MAGIC "T\1\0\0\0xQ\41\0\0\0" ZEROS "\0",
             "a record does not hold what its kind asks for"),
        SAID(MAGIC "T\1\0\0\0xI\5\0\0\0\0\0\0\0z", "a record does not hold what its kind asks for"),
        SAID(MAGIC "T\1\0\0\0xX\43\0\0\0\0\0\0\0" ZEROS_8 ZEROS_8 ZEROS_8 "1234567",
             "a record does not hold what its kind asks for"),
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo_description *d = NULL;
        struct pingo_error error = {0};
        char said[128];

        assert_int_equal(pingo_description_decode(rows[i].bytes, rows[i].length, &d, &error),
                         PINGO_ECORRUPT);
        snprintf(said, sizeof said, "not a canonical description: %s", rows[i].said);
        assert_string_equal(error.message, said);
        assert_null(d);
    }
}

/* What Pingo 0.1 made; parents without a role, of which two may be equal. */
static void test_decode__reads_the_first_encoding(void **state)
{
    static const char bytes[] = MAGIC_1 "T\1\0\0\0xQ\40\0\0\0" ZEROS "Q\40\0\0\0" ZEROS
                                        "Q\40\0\0\0" ZEROS_8 ZEROS_8 ZEROS_8 "\0\0\0\0\0\0\0\1";
    const struct pingo_described_parent *parents;
    struct pingo_description *d = NULL;
    size_t n;

    (void)state;
    assert_int_equal(pingo_description_decode(bytes, sizeof bytes - 1, &d, NULL), 0);
    assert_int_equal(pingo_description_encoding(d), 1);
    assert_string_equal(pingo_description_type(d), "x");
    parents = pingo_description_parents(d, &n);
    assert_int_equal(n, 3);
    assert_null(parents[0].role);
    assert_true(same_hash(&parents[0].hash, &parents[1].hash));
    assert_int_equal(parents[2].hash.bytes[31], 1);
    pingo_description_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode__refuses_what_is_cut_off),
        cmocka_unit_test(test_decode__survives_every_change_of_a_byte),
        cmocka_unit_test(test_decode__survives_random_records),
        cmocka_unit_test(test_decode__refuses_what_is_not_canonical),
        cmocka_unit_test(test_decode__says_what_is_wrong),
        cmocka_unit_test(test_decode__reads_the_first_encoding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
