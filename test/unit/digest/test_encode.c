/* test_encode.c - what the description of an action, and so its hash, depends on, and what not. */
#include "unit/digest/whole.h"

#include "base/buffer.h"
#include "digest/encoding.h"
#include "digest/originals.h"

static char *replace(const char *text, const char *from, const char *to)
{
    const char *found = strstr(text, from);
    size_t size = strlen(text) + strlen(to) + 1;
    char *out = malloc(size);

    if (found == NULL)
        fail_msg("%s is not in the text", from);
    assert_non_null(out);
    snprintf(out, size, "%.*s%s%s", (int)(found - text), text, to, found + strlen(from));
    return out;
}

static char *replace_all(const char *text, const char *from, const char *to)
{
    char *out = replace(text, from, to);

    while (strstr(out, from) != NULL) {
        char *next = replace(out, from, to);

        free(out);
        out = next;
    }
    return out;
}

static void test_encode__does_not_depend_on(void **state)
{
    static const struct {
        const char *from, *to;
    } rows[] = {
        {"\"name\": \"w\"", "\"name\": \"other\""},
        {"\"name\": \"it\"", "\"name\": \"other\""},
        {"\"name\": \"one\"", "\"name\": \"other\""},
        {"\"id\": 2,", "\"id\":\n\t 2 ,"},
        {"{\"name\": \"w\"", "{\"startActionId\": 1, \"endActionId\": 7, \"name\": \"w\""},
        {"{\"name\": \"w\"", "{\"x-note\": {\"a\": [1]}, \"name\": \"w\""},
        {"\"retries\": 1", "\"retries\": 5"},
        {"\"keep\": true", "\"x-k\": null"},
        {"{\"cpus\": 1}", "{\"cpus\": 4, \"memoryMB\": 10, \"timeLimitSeconds\": 5}"},
        {"\"salt\": \"s\"", "\"salt\": \"\\u0073\""},
        {"\"type\": \"command-line\"", "\"type\": \"command-line\", \"forceComputation\": true"},
        {"\"env\": {\"A\": \"a\", \"B\": \"b\"}", "\"env\": {\"B\": \"b\", \"A\": \"a\"}"},
        {"\"env\": {\"A\": \"a\", \"B\": \"b\"}",
         "\"env\": {\"B\": \"b\", \"A\": \"a\", \"E\": \"e\"}"},
        {"\"B\": \"lost\"", "\"B\": \"found\""},
        {"\"output\": \"out\"", "\"output\": \"out\", \"stdout\": false"},
        {"\"results/r\"", "\"/base/x/..//results/./r\""},
        {"{\"id\": 1, \"as\": \"left\"}, {\"id\": 2, \"as\": \"right\"}",
         "{\"as\": \"right\", \"id\": 2}, {\"id\": 1, \"as\": \"left\"}"},
        {"\"path\": \"p\"", "\"path\": \"elsewhere/q\""},
        {"\"tools\": [\"sh\", \"/bin/cat\"]", "\"tools\": [\"/bin/cat\", \"sh\"]"},
        {"\"tools\": [\"sh\", \"/bin/cat\"]", "\"tools\": [\"sh\", \"/bin/cat\", \"sh\"]"},
    };
    struct pingo_hash before = hash_of_action(whole, 7);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = replace(whole, rows[i].from, rows[i].to);
        struct pingo_hash after = hash_of_action(text, 7);

        if (!same_hash(&before, &after))
            fail_msg("%s -> %s", rows[i].from, rows[i].to);
        free(text);
    }
}

static void test_encode__does_not_depend_on_ids(void **state)
{
    char *text = replace_all(whole, "\"id\": 1,", "\"id\": 9007199254740991,");
    struct pingo_hash before = hash_of_action(whole, 8), after;

    (void)state;
    after = hash_of_action(text, 8);
    assert_true(same_hash(&before, &after));
    free(text);
}

static void test_encode__does_not_depend_on_what_else_is_in_the_workflow(void **state)
{
    char *text = replace(whole, " {\"id\": 1,",
                         " {\"id\": 99, \"name\": \"n\", \"type\": \"external\", "
                         "\"description\": \"other\", \"parentActions\": [{\"id\": 8}]},"
                         " {\"id\": 1,");
    struct pingo_hash before = hash_of_action(whole, 8), after = hash_of_action(text, 8);

    (void)state;
    assert_true(same_hash(&before, &after));
    free(text);
}

/* Each of these is another action, and each has another child. */
static void test_encode__depends_on(void **state)
{
    static const struct {
        const char *from, *to;
    } rows[] = {
        {"\"description\": \"first\"", "\"description\": \"First\""},
        {"\"command\": [\"sort\", \"in/left\", \"in/right\"]",
         "\"command\": [\"sort\", \"in/left\"]"},
        {"\"command\": [\"sort\", \"in/left\", \"in/right\"]",
         "\"command\": [\"sort\", \"in/right\", \"in/left\"]"},
        {"\"command\": [\"sort\", \"in/left\", \"in/right\"]",
         "\"command\": [\"sort\", \"in/left in/right\"]"},
        {"\"command\": [\"sort\", \"in/left\", \"in/right\"]",
         "\"command\": \"sort in/left in/right\""},
        {"\"sort\", ", "\"sort\", \"\", "},
        {"\"A\": \"a\"", "\"A\": \"\""},
        {"\"A\": \"a\"", "\"Aa\": \"\""},
        {"\"A\": \"a\"", "\"a\": \"a\""},
        {"\"A\": \"a\", ", ""},
        {"\"E\": \"e\"", "\"E\": \"f\""},
        {"\"output\": \"out\"", "\"output\": \"Out\""},
        {"\"output\": \"out\", ", ""},
        {"\"output\": \"out\"", "\"stdout\": true"},
        {"\"salt\": \"s\"", "\"salt\": \"\""},
        {"\"salt\": \"s\",", ""},
        {"\"isManaged\": false, \"outputPath\": \"results/r\",", ""},
        {"\"results/r\"", "\"results/R\""},
        {"{\"id\": 1, \"as\": \"left\"}", "{\"id\": 1, \"as\": \"Left\"}"},
        {"{\"id\": 1, \"as\": \"left\"}", "{\"id\": 1}"},
        {"{\"id\": 1, \"as\": \"left\"}, ", ""},
        {"{\"id\": 1, \"as\": \"left\"}, {\"id\": 2, \"as\": \"right\"}",
         "{\"id\": 2, \"as\": \"left\"}, {\"id\": 1, \"as\": \"right\"}"},
        {"{\"id\": 2, \"as\": \"right\"}", "{\"id\": 1, \"as\": \"right\"}"},
        {"\"name\": \"x\"", "\"name\": \"X\""},
        {"\"uri\": \"u\"", "\"uri\": \"U\""},
        {"\"version\": \"1\"", "\"version\": \"2\""},
        {"\"uri\": \"u\", \"version\": \"1\"", "\"uri\": \"u1\", \"version\": \"x\""},
        {"\"00112233", "\"10112233"},
        {"\"tools\": [\"sh\", \"/bin/cat\"]", "\"tools\": [\"sh\"]"},
        {"\"tools\": [\"sh\", \"/bin/cat\"]", "\"tools\": [\"sh\", \"cat\"]"},
        {"\"tools\": [\"sh\", \"/bin/cat\"]", "\"tools\": [\"sh\", \"/bin/ls\"]"},
    };
    struct pingo_hash seen[1 + sizeof rows / sizeof *rows];
    struct pingo_hash children[1 + sizeof rows / sizeof *rows];
    size_t n = 1;

    (void)state;
    seen[0] = hash_of_action(whole, 7);
    children[0] = hash_of_action(whole, 8);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = replace(whole, rows[i].from, rows[i].to);

        seen[n] = hash_of_action(text, 7);
        children[n] = hash_of_action(text, 8);
        for (size_t k = 0; k < n; k++)
            if (same_hash(&seen[k], &seen[n]) || same_hash(&children[k], &children[n]))
                fail_msg("%s -> %s", rows[i].from, rows[i].to);
        n++;
        free(text);
    }
}

/* ---- three collisions that another system's keys have --------------------------------- */

#define ACTION(id, rest) "{\"id\": " #id ", \"name\": \"n\", \"type\": \"command-line\", " rest "}"
#define WORKFLOW(actions) "{\"name\": \"w\", \"actions\": [" actions "]}"
#define DECLARED(name, digit)                                                                      \
    "{\"name\": \"" name "\", \"path\": \"" name "\", \"sha256\": "                                \
    "\"0000000000000000000000000000000000000000000000000000000000000" #digit "\"}"

static void assert_differ(const char *one, const char *other, int64_t id)
{
    struct pingo_hash a = hash_of_action(one, id), b = hash_of_action(other, id);

    assert_false(same_hash(&a, &b));
}

static void test_encode__two_swapped_inputs_differ(void **state)
{
    (void)state;
    assert_differ(
        WORKFLOW(ACTION(1, "\"command\": \"paste in/a in/b > output\", \"inputs\": [" DECLARED(
                               "a", 001) ", " DECLARED("b", 002) "]")),
        WORKFLOW(ACTION(1, "\"command\": \"paste in/a in/b > output\", \"inputs\": [" DECLARED(
                               "a", 002) ", " DECLARED("b", 001) "]")),
        1);
}

static void test_encode__two_swapped_parents_differ(void **state)
{
    (void)state;
#define TWO                                                                                        \
    ACTION(1, "\"command\": \"echo 1 > output\"")                                                  \
    "," ACTION(2, "\"command\": \"echo 2 > output\"") ","
    assert_differ(WORKFLOW(TWO ACTION(3, "\"command\": \"paste in/* > output\", "
                                         "\"parentActions\": [{\"id\": 1}, {\"id\": 2}]")),
                  WORKFLOW(TWO ACTION(3, "\"command\": \"paste in/* > output\", "
                                         "\"parentActions\": [{\"id\": 2}, {\"id\": 1}]")),
                  3);
}

/* An action has one output; it is a directory where there are several.  Who reads another
 * file of it runs another command, and who makes another output is another parent. */
static void test_encode__two_outputs_of_one_parent_differ(void **state)
{
    (void)state;
    assert_differ(
        WORKFLOW(ACTION(1, "\"command\": \"mkdir output; touch output/a output/b\"") "," ACTION(
            2, "\"command\": \"cat in/p/a > output\", "
               "\"parentActions\": [{\"id\": 1, \"as\": \"p\"}]")),
        WORKFLOW(ACTION(1, "\"command\": \"mkdir output; touch output/a output/b\"") "," ACTION(
            2, "\"command\": \"cat in/p/b > output\", "
               "\"parentActions\": [{\"id\": 1, \"as\": \"p\"}]")),
        2);
    assert_differ(WORKFLOW(ACTION(1, "\"command\": \"touch a b\", \"output\": \"a\"") "," ACTION(
                      2, "\"command\": \"cat in/p > output\", "
                         "\"parentActions\": [{\"id\": 1, \"as\": \"p\"}]")),
                  WORKFLOW(ACTION(1, "\"command\": \"touch a b\", \"output\": \"b\"") "," ACTION(
                      2, "\"command\": \"cat in/p > output\", "
                         "\"parentActions\": [{\"id\": 1, \"as\": \"p\"}]")),
                  2);
}

/* ---- types that differ ------------------------------------------------------------------ */

static const struct pingo_key sum_keys[] = {
    {.key = "of", .kinds = PINGO_KEY_TEXTS, .required = true},
    {.key = "note", .kinds = PINGO_KEY_TEXT},
    {.key = "times", .kinds = PINGO_KEY_NUMBER | PINGO_KEY_TEXT},
};

static bool sum_describes(const struct pingo_field *field)
{
    return strcmp(field->key, "note") != 0;
}

static const struct pingo_action_type sum_type = {
    .abi_version = PINGO_ACTION_TYPE_ABI,
    .name = "sum",
    .keys = sum_keys,
    .nkeys = 3,
    .parents_are_unordered = true,
    .describes = sum_describes,
};

static struct pingo_hash hash_of_sum(const char *rest)
{
    const struct pingo_action_type *types[] = {&sum_type};
    struct pingo_workflow_options options = {.version = 1, .types = types, .ntypes = 1};
    char text[1024];

    snprintf(text, sizeof text,
             "{\"name\": \"w\", \"actions\": ["
             "{\"id\": 1, \"name\": \"1\", \"type\": \"external\", \"description\": \"1\"},"
             "{\"id\": 2, \"name\": \"2\", \"type\": \"external\", \"description\": \"2\"},"
             "{\"id\": 3, \"name\": \"2\", \"type\": \"external\", \"description\": \"2\"},"
             "{\"id\": 4, \"name\": \"4\", \"type\": \"sum\", %s}]}",
             rest);
    return hash_with(text, 4, &options);
}

static void test_encode__of_a_type_without_an_order_of_parents(void **state)
{
    struct pingo_hash both =
        hash_of_sum("\"of\": [], \"parentActions\": [{\"id\": 1}, {\"id\": 2}]");
    static const char *const same[] = {
        "\"of\": [], \"parentActions\": [{\"id\": 2}, {\"id\": 1}]",
        "\"of\": [], \"parentActions\": [{\"id\": 1, \"as\": \"z\"}, {\"id\": 2, \"as\": \"a\"}]",
        "\"of\": [], \"parentActions\": [{\"id\": 3}, {\"id\": 1}]",
    };
    static const char *const other[] = {
        "\"of\": [], \"parentActions\": [{\"id\": 1}]",
        "\"of\": [], \"parentActions\": [{\"id\": 1}, {\"id\": 2}, {\"id\": 3}]",
        "\"of\": [\"\"], \"parentActions\": [{\"id\": 1}, {\"id\": 2}]",
    };

    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct pingo_hash hash = hash_of_sum(same[i]);

        assert_true(same_hash(&both, &hash));
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        struct pingo_hash hash = hash_of_sum(other[i]);

        assert_false(same_hash(&both, &hash));
    }
}

static void test_encode__leaves_out_what_a_type_does_not_describe(void **state)
{
    struct pingo_hash without = hash_of_sum("\"of\": [\"a\"]");
    struct pingo_hash with = hash_of_sum("\"of\": [\"a\"], \"note\": \"what for\"");

    (void)state;
    assert_true(same_hash(&without, &with));
}

/* The record of a number, as pingo-hash(7) has it, and what is read of it. */
static void test_encode__of_a_number(void **state)
{
    static const char record[] = "F\x13\0\0\0\5\0\0\0timesn\5\0\0\00012345";
    const struct pingo_action_type *types[] = {&sum_type};
    struct pingo_workflow_options options = {.version = 1, .types = types, .ntypes = 1};
    struct pingo_hash number = hash_of_sum("\"of\": [], \"times\": 12345");
    struct pingo_hash text = hash_of_sum("\"of\": [], \"times\": \"12345\"");
    struct pingo_workflow *workflow =
        parse_with("{\"name\": \"w\", \"actions\": [{\"id\": 1, \"name\": \"1\", \"type\": \"sum\","
                   "\"of\": [], \"times\": 12345}]}",
                   &options);
    struct pingo_digests *digests = digest(workflow);
    struct pingo_description *d = NULL;
    const struct pingo_field *fields;
    char broken[256];
    size_t length, n;
    const char *bytes = pingo_digests_description(digests, 0, &length), *at;

    (void)state;
    assert_false(same_hash(&number, &text));
    at = memmem(bytes, length, record, sizeof record - 1);
    assert_non_null(at);
    assert_int_equal(pingo_description_decode(bytes, length, &d, NULL), 0);
    fields = pingo_description_fields(d, &n);
    assert_int_equal(n, 2);
    assert_int_equal(fields[1].kind, PINGO_FIELD_NUMBER);
    assert_string_equal(fields[1].values[0], "12345");
    pingo_description_free(d);
    /* Only the one spelling is read. */
    memcpy(broken, bytes, length);
    broken[at - bytes + (ptrdiff_t)sizeof record - 1 - 5] = '0';
    assert_int_equal(pingo_description_decode(broken, length, &d, NULL), PINGO_ECORRUPT);
    pingo_digests_free(digests);
    pingo_workflow_free(workflow);
}

/* What an action shares with the one before is not said anew, and changes no hash: each is as if it were alone. */
static void test_encode__does_not_depend_on_the_actions_beside(void **state)
{
    static const char *const more[] = {
        "",
        "",
        ", \"env\": {\"A\": \"2\"}",
        ", \"env\": {\"A\": \"2\"}",
        ", \"output\": \"x\"",
        "",
        ", \"stdout\": true",
        ", \"stdout\": true",
        ", \"shell\": \"sh\", \"stdout\": true",
        ", \"shell\": \"sh\"",
        "",
        ", \"salt\": \"s\"",
        "",
    };
    enum { MANY = sizeof more / sizeof more[0] };
    static const char format[] = "%s{\"id\": %zu, \"name\": \"n\", \"type\": \"command-line\","
                                 " \"command\": \"echo %zu\"%s}";
    static const char head[] = "{\"name\": \"w\", \"env\": {\"B\": \"1\"}, \"actions\": [";
    char all[4096], one[512];
    int at = snprintf(all, sizeof all, "%s", head);

    (void)state;
    for (size_t i = 0; i < MANY; i++)
        at += snprintf(all + at, sizeof all - (size_t)at, format, i ? ", " : "", i, i, more[i]);
    snprintf(all + at, sizeof all - (size_t)at, "]}");
    for (size_t i = 0; i < MANY; i++) {
        int n = snprintf(one, sizeof one, "%s", head);
        n += snprintf(one + n, sizeof one - (size_t)n, format, "", i, i, more[i]);
        snprintf(one + n, sizeof one - (size_t)n, "]}");
        struct pingo_hash alone = hash_with(one, (int64_t)i, NULL);
        struct pingo_hash among = hash_with(all, (int64_t)i, NULL);
        assert_true(same_hash(&alone, &among));
    }
}

/* ---- the encoder itself --------------------------------------------------------------------- */

/* pingo-hash(7), by hand. */
static void text_of(struct pingo__buffer *p, const char *text)
{
    pingo__buffer_counted(p, text, strlen(text));
}

static void record(struct pingo__buffer *out, char tag, struct pingo__buffer *p)
{
    pingo__buffer_char(out, tag);
    pingo__buffer_counted(out, p->data, p->length);
    pingo__buffer_reset(p);
}

static void named_hash(struct pingo__buffer *out, char tag, const char *name, uint8_t digit)
{
    struct pingo__buffer p = {0};
    struct pingo_hash hash = {{digit}};

    if (name)
        text_of(&p, name);
    pingo__buffer_append(&p, hash.bytes, sizeof hash.bytes);
    record(out, tag, &p);
    pingo__buffer_clear(&p);
}

static void put_input(struct pingo__buffer *out, const char *name, char letter, const char *rest,
                      size_t n)
{
    struct pingo__buffer p = {0};

    text_of(&p, name);
    pingo__buffer_char(&p, letter);
    pingo__buffer_append(&p, rest, n);
    record(out, 'I', &p);
    pingo__buffer_clear(&p);
}

/* Of each kind of original one, told out of order; a tool and a command twice. */
static const char various[] =
    "{\"name\": \"w\", \"actions\": [\n"
    " {\"id\": 1, \"name\": \"one\", \"type\": \"external\", \"description\": \"d\"},\n"
    " {\"id\": 2, \"name\": \"two\", \"type\": \"external\", \"description\": \"e\", \"salt\": "
    "\"s\",\n"
    "  \"parentActions\": [{\"id\": 1, \"as\": \"z\"}, {\"id\": 1, \"as\": \"b\"}],\n"
    "  \"inputs\": [{\"name\": \"t\", \"path\": \"t\"}, {\"name\": \"f\", \"path\": \"f\"},\n"
    "    {\"name\": \"u\", \"uri\": \"U\", \"version\": \"V\"},\n"
    "    {\"name\": \"s\", \"path\": \"s\", \"identity\": \"stat\"}],\n"
    "  \"tools\": [\"y\", \"x\", \"y\"],\n"
    "  \"versions\": [[\"y\", \"-v\"], [\"y\"], [\"y\", \"-v\"]]}]}\n";

static const struct pingo__digest_original originals[] = {
    {.kind = PINGO__ORIGINAL_CONTENT, .hash = {{1}}, .is_directory = true},
    {.kind = PINGO__ORIGINAL_CONTENT, .hash = {{2}}},
    {.kind = PINGO__ORIGINAL_STAT, .path = "/p", .size = 5, .mtime = "-7"},
    {.kind = PINGO__ORIGINAL_TOOL, .hash = {{3}}},
    {.kind = PINGO__ORIGINAL_TOOL, .hash = {{4}}},
    {.kind = PINGO__ORIGINAL_VERSION, .hash = {{5}}},
    {.kind = PINGO__ORIGINAL_VERSION, .hash = {{6}}},
    {.kind = PINGO__ORIGINAL_TOOL, .error = PINGO_EINPUT, .message = "there is none"},
};
/* Inputs t, f, u, s; tools y, x, y; commands. */
static const uint32_t refs[] = {0, 1, UINT32_MAX, 2, 3, 4, 3, 5, 6, 5};
static const struct pingo_hash parents[] = {{{7}}, {{8}}};

static void put_wanted(struct pingo__buffer *out)
{
    static const char hash[PINGO_HASH_SIZE] = {2}, tree[PINGO_HASH_SIZE] = {1};
    struct pingo__buffer p = {0};
    struct pingo_hash v = {{6}}, w = {{5}};

    pingo__buffer_text(out, "pingo-action-2\n");
    pingo__buffer_text(&p, "external");
    record(out, 'T', &p);
    text_of(&p, "description");
    pingo__buffer_char(&p, 's');
    text_of(&p, "e");
    record(out, 'F', &p);
    pingo__buffer_text(&p, "s");
    record(out, 'S', &p);
    put_input(out, "f", 'f', hash, sizeof hash);
    put_input(out, "s", 's', "/p 5 -7", 7);
    put_input(out, "t", 't', tree, sizeof tree);
    put_input(out, "u", 'u', "\1\0\0\0U\1\0\0\0V", 10);
    named_hash(out, 'X', "x", 4);
    named_hash(out, 'X', "y", 3);
    pingo__buffer_u32(&p, 1);
    text_of(&p, "y");
    pingo__buffer_append(&p, v.bytes, sizeof v.bytes);
    record(out, 'V', &p);
    pingo__buffer_u32(&p, 2);
    text_of(&p, "y");
    text_of(&p, "-v");
    pingo__buffer_append(&p, w.bytes, sizeof w.bytes);
    record(out, 'V', &p);
    named_hash(out, 'P', "b", 7);
    named_hash(out, 'P', "z", 7);
    pingo__buffer_clear(&p);
}

static void test_encode__writes_what_the_manual_says(void **state)
{
    struct pingo_workflow *workflow = parse_in(various, "/base");
    struct pingo__digest_encode_source source = {originals, refs, parents};
    const struct pingo_action *action = pingo_workflow_action(workflow, 1);
    struct pingo__digest_encoder encoder = {0};
    struct pingo__buffer out = {0}, wanted = {0};

    (void)state;
    put_wanted(&wanted);
    pingo__buffer_text(&out, "before");
    for (int again = 0; again < 2; again++) { /* it appends, and an encoder is good for many */
        assert_int_equal(pingo__digest_encode_action(&encoder, action, &source, &out, NULL), 0);
        assert_int_equal(out.length, 6 + (size_t)(again + 1) * wanted.length);
        assert_memory_equal(out.data + out.length - wanted.length, wanted.data, wanted.length);
    }
    assert_int_equal(pingo__digest_encode_first_ref(action, PINGO__PART_INPUT), 0);
    assert_int_equal(pingo__digest_encode_first_ref(action, PINGO__PART_TOOL), 4);
    assert_int_equal(pingo__digest_encode_first_ref(action, PINGO__PART_VERSION), 7);
    pingo__buffer_clear(&out);
    pingo__buffer_clear(&wanted);
    pingo__digest_encoder_clear(&encoder);
    pingo__digest_encoder_clear(&encoder); /* it is empty, and can be used again */
    pingo_workflow_free(workflow);
}

/* The first that is missing, in the order of the description. */
static void test_encode__names_what_is_missing(void **state)
{
    static const struct {
        size_t at; /* of refs: what is missing */
        const char *said;
    } rows[] = {
        {0, "action 2 (\"two\"): input \"t\": there is none"},
        {5, "action 2 (\"two\"): tool \"x\": there is none"},
        {8, "action 2 (\"two\"): versions: there is none"},
    };
    struct pingo_workflow *workflow = parse_in(various, "/base");
    struct pingo__digest_encoder encoder = {0};
    struct pingo__buffer out = {0};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t own[sizeof refs / sizeof *refs];
        struct pingo__digest_encode_source source = {originals, own, parents};
        struct pingo_error error = {0};

        memcpy(own, refs, sizeof own);
        own[rows[i].at] = 7;
        assert_int_equal(pingo__digest_encode_action(&encoder, pingo_workflow_action(workflow, 1),
                                                     &source, &out, &error),
                         PINGO_EINPUT);
        assert_string_equal(error.message, rows[i].said);
    }
    out.failed = true;
    assert_int_equal(pingo__digest_encode_action(&encoder, pingo_workflow_action(workflow, 0),
                                                 &(struct pingo__digest_encode_source){0}, &out,
                                                 NULL),
                     PINGO_ENOMEM);
    pingo__buffer_clear(&out);
    pingo__digest_encoder_clear(&encoder);
    pingo_workflow_free(workflow);
}

static void test_encode__orders_commands(void **state)
{
    static const struct {
        const char *a[3];
        size_t na;
        const char *b[3];
        size_t nb;
        int order;
    } rows[] = {
        {{"a"}, 1, {"a"}, 1, 0},
        {{"a"}, 1, {"b"}, 1, -1},
        {{"a", "b"}, 2, {"a"}, 1, 1}, /* the shorter one first */
        {{"a", "b"}, 2, {"a", "c"}, 2, -1},
        {{"a", "z"}, 2, {"ab"}, 1, -1}, /* argument by argument */
        {{"a", ""}, 2, {"a"}, 1, 1},
        {{"A"}, 1, {"a"}, 1, -1},
        {{"\x7f"}, 1, {"\xc3\xa9"}, 1, -1}, /* by bytes */
        {{NULL}, 0, {"a"}, 1, -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int there =
            pingo__digest_encoding_compare_commands(rows[i].a, rows[i].na, rows[i].b, rows[i].nb);
        int back =
            pingo__digest_encoding_compare_commands(rows[i].b, rows[i].nb, rows[i].a, rows[i].na);

        assert_int_equal((there > 0) - (there < 0), rows[i].order);
        assert_int_equal((back > 0) - (back < 0), -rows[i].order);
    }
}

/* However many there are, and in whichever order: few are sorted otherwise than many. */
static void test_encode__sorts_few_and_many(void **state)
{
    static const size_t counts[] = {1, 2, 16, 17, 60};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char text[4096];
        int at = snprintf(text, sizeof text,
                          "{\"name\": \"w\", \"actions\": [{\"id\": 1, \"name\": \"n\", \"type\": "
                          "\"external\", \"description\": \"x\", \"tools\": [");
        struct pingo__digest_encoder encoder = {0};
        size_t n;

        for (size_t k = 0; k < counts[i]; k++) /* each twice, the last first */
            at += snprintf(text + at, sizeof text - (size_t)at, "\"t%02zu\", \"t%02zu\"%s",
                           counts[i] - 1 - k, k, k + 1 < counts[i] ? ", " : "]}]}");
        struct pingo_workflow *workflow = parse_in(text, "/");
        const struct pingo_action *action = pingo_workflow_action(workflow, 0);
        assert_int_equal(pingo__digest_encode_sorted(&encoder, action, PINGO__PART_TOOL, NULL, &n),
                         0);
        assert_int_equal(n, counts[i]);
        for (size_t k = 0; k < n; k++) {
            char name[8];

            snprintf(name, sizeof name, "t%02zu", k % 100);
            assert_string_equal(encoder.slots[k].words[0], name);
            assert_string_equal(action->tools[encoder.slots[k].index], name);
        }
        assert_int_equal(pingo__digest_encode_sorted(&encoder, action, PINGO__PART_INPUT, NULL, &n),
                         0);
        assert_int_equal(n, 0);
        pingo__digest_encoder_clear(&encoder);
        pingo_workflow_free(workflow);
    }
}

/* Lengths take four bytes, the lowest first. */
static void test_encode__of_a_long_text(void **state)
{
    enum { LENGTH = 0x12345 };
    static const char record[] = "F\x59\x23\1\0\x0b\0\0\0descriptions\x45\x23\1\0xxx";
    char *value = malloc(LENGTH + 1);
    size_t length;

    (void)state;
    assert_non_null(value);
    memset(value, 'x', LENGTH);
    value[LENGTH] = '\0';
    char *text = replace("{\"name\": \"w\", \"actions\": [{\"id\": 1, \"name\": \"1\","
                         "\"type\": \"external\", \"description\": \"LONG\"}]}",
                         "LONG", value);
    struct pingo_workflow *workflow = parse_in(text, "/base");
    struct pingo_digests *digests = digest(workflow);
    const char *bytes = pingo_digests_description(digests, 0, &length);
    assert_non_null(memmem(bytes, length, record, sizeof record - 1));
    pingo_digests_free(digests);
    pingo_workflow_free(workflow);
    free(text);
    free(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_encode__does_not_depend_on),
        cmocka_unit_test(test_encode__does_not_depend_on_ids),
        cmocka_unit_test(test_encode__does_not_depend_on_what_else_is_in_the_workflow),
        cmocka_unit_test(test_encode__depends_on),
        cmocka_unit_test(test_encode__two_swapped_inputs_differ),
        cmocka_unit_test(test_encode__two_swapped_parents_differ),
        cmocka_unit_test(test_encode__two_outputs_of_one_parent_differ),
        cmocka_unit_test(test_encode__of_a_type_without_an_order_of_parents),
        cmocka_unit_test(test_encode__leaves_out_what_a_type_does_not_describe),
        cmocka_unit_test(test_encode__of_a_number),
        cmocka_unit_test(test_encode__of_a_long_text),
        cmocka_unit_test(test_encode__does_not_depend_on_the_actions_beside),
        cmocka_unit_test(test_encode__writes_what_the_manual_says),
        cmocka_unit_test(test_encode__names_what_is_missing),
        cmocka_unit_test(test_encode__orders_commands),
        cmocka_unit_test(test_encode__sorts_few_and_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
