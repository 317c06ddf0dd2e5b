/* The exchange format, pingo-history(5): what is read, what is refused and where, and the way there
 * and back. */
#include "unit/decision/submissions.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define HEAD "{'at':'2026-11-20T12:00:00Z','user':'u','workflow':'w','actions':["

static char *quoted(const char *row)
{
    char *text = strdup(row);

    assert_non_null(text);
    for (char *p = text; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    return text;
}

static int read_row(struct pingo_history *h, const char *row, struct pingo_error *err)
{
    char *text = quoted(row);
    size_t n = strlen(text);
    char *exact = malloc(n + 1); /* so that reading past the end is seen */
    int rc;

    assert_non_null(exact);
    memcpy(exact, text, n);
    exact = realloc(exact, n ? n : 1);
    rc = pingo_history_read_line(h, exact, n, 3, err);
    free(exact);
    free(text);
    return rc;
}

static void test_history_format__reads_a_line(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    struct pingo_history_submission s = {.size = sizeof s};
    struct pingo_error err = {0};
    size_t n;

    assert_int_equal(read_row(h,
                              "{'x-note':[1,{'a':['}']}],'at':'2026-11-20T12:00:00.250+01:00',"
                              "'user':'\\u00e4','workflow':'a\\\"b','actions':[{'hash':'" B
                              "','parents':['" A "'],'sizeBytes':9007199254740991,'computeMs':null,"
                              "'forced':true,'decision':'compute','x-a':[[],{}]},"
                              "{'hash':'" A "','computeMs':0,'leaf':false,'decision':'skip'}]}\n",
                              &err),
                     0);
    assert_int_equal(pingo_history_submission(h, 0, &s), 0);
    assert_int_equal(s.at_ms, INT64_C(1763636400250) + INT64_C(365) * 86400000);
    assert_string_equal(s.user, "\xc3\xa4");
    assert_string_equal(s.workflow, "a\"b");
    assert_int_equal(s.actions[0], 1);
    assert_int_equal(s.flags[0], PINGO_HISTORY_COMPUTED | PINGO_HISTORY_FORCED | PINGO_HISTORY_LEAF);
    assert_int_equal(s.flags[1], PINGO_HISTORY_SKIPPED);
    assert_true(pingo_history_size(h, 1) == INT64_C(9007199254740991));
    assert_int_equal(pingo_history_compute(h, 1), -1);
    assert_int_equal(pingo_history_compute(h, 0), 0);
    assert_int_equal(*pingo_history_parents(h, 1, &n), 0);
    assert_int_equal(read_row(h, " \t\r\n", &err), 0);
    assert_int_equal(read_row(h, "", &err), 0);
    assert_int_equal(pingo_history_count_submissions(h), 1);
    /* parents that are known already need not be said again */
    assert_int_equal(read_row(h, HEAD "{'hash':'" A "'},{'hash':'" B "'}]}", &err), 0);
    assert_int_equal(
        read_row(h, "{'at':5,'user':'','workflow':'','actions':[{'hash':'" A "'}]}", &err), 0);
    assert_int_equal(pingo_history_submission(h, 2, &s), 0);
    assert_int_equal(s.at_ms, 5);
    pingo_history_free(h);
}

static void test_history_format__reads_times(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms; /* -1: refused */
    } rows[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"1970-01-01T01:00:00+01:00", 0},
        {"1970-01-01T00:00:00+00:01", -1},
        {"1969-12-31T23:59:59Z", -1},
        {"2000-02-29T23:59:59.9999Z", INT64_C(951868799999)},
        {"2024-02-29t00:00:00z", INT64_C(1709164800000)},
        {"2100-03-01T00:00:00-00:30", INT64_C(4107544200000)},
        {"9999-12-31T23:59:59.999Z", INT64_C(253402300799999)},
        {"2100-02-29T00:00:00Z", -1},
        {"2026-13-01T00:00:00Z", -1},
        {"2026-00-01T00:00:00Z", -1},
        {"2026-01-00T00:00:00Z", -1},
        {"2026-04-31T00:00:00Z", -1},
        {"2026-01-01T24:00:00Z", -1},
        {"2026-01-01T00:60:00Z", -1},
        {"2026-01-01T00:00:00", -1},
        {"2026-01-01T00:00:00.Z", -1},
        {"2026-01-01T00:00:00ZZ", -1},
        {"2026-01-01T00:00:00+1:00", -1},
        {"2026-01-01T00:00:00+01:00x", -1},
        {"2026-01-01 00:00:00Z", -1},
        {"2026-01-01", -1},
        {"", -1},
    };
    struct pingo_history *h = new_history();
    struct pingo_history_submission s = {.size = sizeof s};
    uint32_t n = 0;
    char line[256];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(line, sizeof line,
                 "{'at':'%s','user':'u','workflow':'w','actions':[{'hash':'" A "'}]}", rows[i].text);
        assert_int_equal(read_row(h, line, NULL), rows[i].ms < 0 ? PINGO_EINVAL : 0);
        if (rows[i].ms < 0)
            continue;
        assert_int_equal(pingo_history_submission(h, n++, &s), 0);
        assert_true(s.at_ms == rows[i].ms);
    }
    pingo_history_free(h);
}

static void test_history_format__says_what_is_wrong_and_where(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected; /* of the message, a part */
    } rows[] = {
        {"[]", "line 3, column 1: expected an object"},
        {"{", "line 3, column 2: "},
        {"{} {}", "line 3, column 4: "},
        {"{'at':1,'at':2}", "stands twice"},
        {"{'user':'u','workflow':'w','actions':[]}", "line 3, column 1: a submission has \"at\""},
        {"{'at':1,'workflow':'w','actions':[]}", "has \"user\""},
        {"{'at':1,'user':'u','actions':[]}", "has \"workflow\""},
        {"{'at':1,'user':'u','workflow':'w'}", "has \"actions\""},
        {"{'at':1,'user':'u','workflow':'w','acctions':[]}", "did you mean \"actions\""},
        {"{'at':-1,'user':'u','workflow':'w','actions':[]}", "column 7: /at: expected a time"},
        {"{'at':1.0,'user':'u','workflow':'w','actions':[]}", "/at: expected a time"},
        {"{'at':null,'user':'u','workflow':'w','actions':[]}", "/at: expected a time"},
        {"{'at':1,'user':1,'workflow':'w','actions':[]}", "column 16: /user: expected a string"},
        {"{'at':1,'user':'u','workflow':[],'actions':[]}", "/workflow: expected a string"},
        {"{'at':1,'user':'u','workflow':'w','actions':{}}", "/actions: expected an array"},
        {"{'at':1,'user':'u','workflow':'w','actions':[]}", "/actions: a submission has at least"},
        {HEAD "5]}", "/actions/0: expected an object"},
        {HEAD "{}]}", "/actions/0: an action has a \"hash\""},
        {HEAD "{'hash':5}]}", "/actions/0/hash: expected a hash"},
        {HEAD "{'hash':'" A "a'}]}", "/actions/0/hash: expected a hash"},
        {HEAD "{'hash':'A" A "'}]}", "/actions/0/hash: expected a hash"},
        {HEAD "{'hash':'" A "'},{'hash':'" B "','parents':'" A "'}]}",
         "/actions/1/parents: expected an array"},
        {HEAD "{'hash':'" A "'},{'hash':'" B "','parents':['" A "',7]}]}",
         "/actions/1/parents/1: expected a hash"},
        {HEAD "{'hash':'" A "','parents':['" B "']}]}",
         "column 67: /actions/0: its parent " B " is no action of the same submission"},
        {HEAD "{'hash':'" A "','parents':['" A "']}]}", "/actions/0: its parents make a cycle"},
        {HEAD "{'hash':'" A "','sizeBytes':-1}]}", "/actions/0/sizeBytes: expected an integer"},
        {HEAD "{'hash':'" A "','sizeBytes':9007199254740992}]}", "/actions/0/sizeBytes: expected"},
        {HEAD "{'hash':'" A "','computeMs':1.5}]}", "/actions/0/computeMs: expected an integer"},
        {HEAD "{'hash':'" A "','computeMs':'1'}]}", "/actions/0/computeMs: expected an integer"},
        {HEAD "{'hash':'" A "','leaf':1}]}", "/actions/0/leaf: expected true or false"},
        {HEAD "{'hash':'" A "','forced':null}]}", "/actions/0/forced: expected true or false"},
        {HEAD "{'hash':'" A "','decision':'run'}]}", "/actions/0/decision: expected"},
        {HEAD "{'hash':'" A "','decision':{}}]}", "/actions/0/decision: expected"},
        {HEAD "{'hash':'" A "','size':1}]}", "/actions/0/size: unknown key"},
        {HEAD "{'hash':'" A "','sizeBites':1}]}", "did you mean \"sizeBytes\""},
    };
    struct pingo_history *h = new_history();

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pingo_error err = {0};

        assert_int_equal(read_row(h, rows[i].text, &err), PINGO_EINVAL);
        assert_int_equal(err.code, PINGO_EINVAL);
        if (!strstr(err.message, rows[i].expected))
            fail_msg("%s: said \"%s\"", rows[i].text, err.message);
        assert_int_equal(strncmp(err.message, "line 3, column ", 15), 0);
    }
    assert_int_equal(pingo_history_count_actions(h), 0);
    assert_int_equal(pingo_history_count_submissions(h), 0);
    pingo_history_free(h);
}

/* ---- there and back ---------------------------------------------------------------------- */

static char *print_all(const struct pingo_history *h, const struct pingo_history_print_options *o)
{
    char *all = calloc(1, 1 << 20);
    size_t at = 0;

    assert_non_null(all);
    for (uint32_t i = 0; i < pingo_history_count_submissions(h); i++) {
        char *line = NULL;

        assert_int_equal(pingo_history_print_line(h, i, o, &line, NULL), 0);
        size_t n = strlen(line);
        assert_int_equal(line[n - 1], '\n');
        assert_true(at + n < 1 << 20);
        memcpy(all + at, line, n);
        at += n;
        free(line);
    }
    return all;
}

static struct pingo_history *read_all(const char *text)
{
    struct pingo_history *h = new_history();

    for (const char *p = text, *end; *p; p = end + 1) {
        end = strchr(p, '\n');
        assert_non_null(end);
        assert_int_equal(pingo_history_read_line(h, p, (size_t)(end - p + 1), 1, NULL), 0);
    }
    return h;
}

static struct pingo_history *make_some(void)
{
    struct pingo_history *h = new_history();

    assert_int_equal(submit(h, 1000, "ann", "one \"quoted\"\n", "a<:C b<a:C c<a,b:C* d<:J!"), 0);
    assert_int_equal(submit(h, 0, "bob", "two", "b:R a:S e<b:C* e<b:J*"), 0);
    assert_int_equal(
        pingo_history_append_again(h, &(struct pingo_history_again){0, 5000, "bob", NULL}, NULL), 0);
    assert_int_equal(submit(h, INT64_C(253402300799999), "", "", "z<"), 0);
    pingo_history_set_size(h, 0, 0);
    pingo_history_set_compute(h, 2, INT64_C(1) << 50);
    return h;
}

static void test_history_format__there_and_back_is_the_same(void **state)
{
    (void)state;
    struct pingo_history *h = make_some(), *again;
    char *text = print_all(h, NULL), *twice;

    again = read_all(text);
    twice = print_all(again, NULL);
    assert_string_equal(text, twice);
    assert_int_equal(pingo_history_count_actions(again), pingo_history_count_actions(h));
    for (uint32_t i = 0; i < pingo_history_count_submissions(h); i++) {
        struct pingo_history_submission s = {.size = sizeof s}, t = {.size = sizeof t};

        assert_int_equal(pingo_history_submission(h, i, &s), 0);
        assert_int_equal(pingo_history_submission(again, i, &t), 0);
        assert_int_equal(s.nactions, t.nactions);
        assert_memory_equal(s.flags, t.flags, s.nactions);
        assert_string_equal(s.workflow, t.workflow);
        assert_true(s.at_ms == t.at_ms);
    }
    free(text);
    free(twice);
    pingo_history_free(h);
    pingo_history_free(again);
}

static int turn(void *context, const struct pingo_hash *hash, struct pingo_hash *other)
{
    for (size_t i = 0; i < PINGO_HASH_SIZE; i++)
        other->bytes[i] = (uint8_t)(hash->bytes[i] ^ *(uint8_t *)context);
    return 0;
}

static void test_history_format__anonymous_names_nobody_and_keeps_the_graph(void **state)
{
    (void)state;
    uint8_t key = 0x5a;
    struct pingo_history_print_options o = {
        .version = 1, .anonymous = true, .rehash = turn, .context = &key};
    struct pingo_history *h = make_some(), *again;
    char *text = print_all(h, &o), hex[PINGO_HASH_HEX_SIZE];
    struct pingo_history_submission s = {.size = sizeof s};
    char *line;

    assert_null(strstr(text, "ann"));
    assert_null(strstr(text, "bob"));
    assert_null(strstr(text, "one"));
    pingo_hash_to_hex(pingo_history_hash(h, 0), hex);
    assert_null(strstr(text, hex));
    again = read_all(text);
    assert_int_equal(pingo_history_count_edges(again), pingo_history_count_edges(h));
    for (uint32_t i = 0; i < pingo_history_count_actions(h); i++) {
        size_t n1, n2;
        const uint32_t *p1 = pingo_history_parents(h, i, &n1);
        const uint32_t *p2 = pingo_history_parents(again, i, &n2);

        assert_int_equal(n1, n2);
        assert_memory_equal(p1, p2, n1 * sizeof *p1);
        assert_true(pingo_history_size(h, i) == pingo_history_size(again, i));
    }
    assert_int_equal(pingo_history_submission(again, 1, &s), 0);
    assert_string_equal(s.user, "u2");
    assert_string_equal(s.workflow, "w2");
    o.rehash = NULL;
    assert_int_equal(pingo_history_print_line(h, 0, &o, &line, NULL), PINGO_EINVAL);
    assert_int_equal(pingo_history_print_line(h, 9, NULL, &line, NULL), PINGO_ENOTFOUND);
    free(text);
    pingo_history_free(h);
    pingo_history_free(again);
}

static void test_history_format__rehash_depends_on_the_salt(void **state)
{
    (void)state;
    struct pingo_hash one, two, hash = named("a", 1), x, y, z;

    assert_int_equal(pingo_history_salt(&one, NULL), 0);
    assert_int_equal(pingo_history_salt(&two, NULL), 0);
    assert_int_equal(pingo_history_rehash(&one, &hash, &x), 0);
    assert_int_equal(pingo_history_rehash(&one, &hash, &y), 0);
    assert_int_equal(pingo_history_rehash(&two, &hash, &z), 0);
    assert_memory_equal(&x, &y, sizeof x);
    assert_memory_not_equal(&x, &z, sizeof x);
    assert_memory_not_equal(&x, &hash, sizeof x);
}

static void test_history_format__mends_names_that_are_not_utf8(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    char *text;

    assert_int_equal(submit(h, 1, "a\xff\xfe", "\xc3", "a<"), 0);
    text = print_all(h, NULL);
    assert_non_null(strstr(text, "\"a\xef\xbf\xbd\xef\xbf\xbd\""));
    pingo_history_free(read_all(text));
    free(text);
    pingo_history_free(h);
}

/* ---- hostile lines ------------------------------------------------------------------------- */

static void test_history_format__survives_every_cut_and_change(void **state)
{
    (void)state;
    char *text =
        quoted(HEAD "{'hash':'" A "','parents':[],'sizeBytes':12,'computeMs':null},"
                    "{'hash':'" B "','parents':['" A "'],'leaf':true,'x-a':{'b':[1,'c']}}]}");
    size_t n = strlen(text);
    static const char bytes[] = "\"{}[],:\\0a\x80-tn \n";
    struct pingo_history *h = new_history();

    for (size_t i = 0; i < n; i++) {
        char *cut = malloc(i ? i : 1), *changed = malloc(n);

        assert_non_null(cut);
        assert_non_null(changed);
        memcpy(cut, text, i);
        if (i > 0)
            assert_int_equal(pingo_history_read_line(h, cut, i, 1, NULL), PINGO_EINVAL);
        memcpy(changed, text, n);
        for (size_t k = 0; k < sizeof bytes; k++) {
            struct pingo_history *other = new_history();
            int rc;

            changed[i] = bytes[k];
            rc = pingo_history_read_line(other, changed, n, 1, NULL);
            assert_true(rc == 0 || rc == PINGO_EINVAL);
            assert_int_equal(pingo_history_count_submissions(other), rc == 0);
            pingo_history_free(other);
        }
        free(cut);
        free(changed);
    }
    assert_int_equal(pingo_history_count_submissions(h), 0);
    free(text);
    pingo_history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history_format__reads_a_line),
        cmocka_unit_test(test_history_format__reads_times),
        cmocka_unit_test(test_history_format__says_what_is_wrong_and_where),
        cmocka_unit_test(test_history_format__there_and_back_is_the_same),
        cmocka_unit_test(test_history_format__anonymous_names_nobody_and_keeps_the_graph),
        cmocka_unit_test(test_history_format__rehash_depends_on_the_salt),
        cmocka_unit_test(test_history_format__mends_names_that_are_not_utf8),
        cmocka_unit_test(test_history_format__survives_every_cut_and_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
