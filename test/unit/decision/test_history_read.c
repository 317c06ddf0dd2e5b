/* test_history_read.c - lines of the exchange format, pingo-history(5): what is read, what is refused and where, and hostile
 * ones. */
#include "unit/decision/submissions.h"

#include "decision/history/history.h"
#include "fuzz/history_target.h"

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

static void test_history_read__reads_a_line(void **state)
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
                              "'forced':true,'unmanaged':true,'decision':'compute','x-a':[[],{}]},"
                              "{'hash':'" A "','computeMs':0,'leaf':false,'decision':'skip'}]}\n",
                              &err),
                     0);
    assert_int_equal(pingo_history_submission(h, 0, &s), 0);
    assert_int_equal(s.at_ms, INT64_C(1763636400250) + INT64_C(365) * 86400000);
    assert_string_equal(s.user, "\xc3\xa4");
    assert_string_equal(s.workflow, "a\"b");
    assert_int_equal(s.actions[0], 1);
    assert_int_equal(s.flags[0], PINGO_HISTORY_COMPUTED | PINGO_HISTORY_FORCED |
                                     PINGO_HISTORY_UNMANAGED | PINGO_HISTORY_LEAF);
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

static void test_history_read__reads_times(void **state)
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

static void test_history_read__says_what_is_wrong_and_where(void **state)
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
        {HEAD "{'hash':'" A "','unmanaged':1}]}", "/actions/0/unmanaged: expected true or false"},
        {HEAD "{'hash':'" A "','decision':'run'}]}", "/actions/0/decision: expected"},
        {HEAD "{'hash':'" A "','decision':{}}]}", "/actions/0/decision: expected"},
        {HEAD "{'hash':'" A "','size':1}]}", "/actions/0/size: unknown key"},
        {HEAD "{'hash':'" A "','sizeBites':1}]}", "did you mean \"sizeBytes\""},
        {HEAD "{'hash':'" A "','unmanagd':true}]}", "did you mean \"unmanaged\""},
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

/* Without the number of a line, and as a piece of a document that knows its own places. */
static void test_history_read__tells_the_place_in_a_piece(void **state)
{
    (void)state;
    static const struct {
        const char *text, *alone, *piece;
        size_t wrong;
    } rows[] = {
        {" []", "column 2: expected an object, one submission a line",
         "/history/7: expected an object, one submission a line", 1},
        {"{'at':[}", "column 8: ", "/history/7/at", 7},
        {"{'at':-1,'user':'u','workflow':'w','actions':[]}", "column 7: /at: expected a time",
         "/history/7/at: expected a time from 1970 on, such as \"2026-11-20T12:00:00.000Z\"", 6},
        {HEAD "{'hash':'" A "'},{'hash':'" B "','leaf':0}]}",
         "column 225: /actions/1/leaf: expected true",
         "/history/7/actions/1/leaf: expected true or false", 224},
        {HEAD "{'hash':'" A "'},{'hash':'" B "','parents':['" B "']}]}",
         "column 143: /actions/1: its parents make a cycle",
         "/history/7/actions/1: its parents make a cycle", 142},
        {HEAD "{'hash':'" A "','parents':['" B "']}]}", "column 67: /actions/0: its parent " B,
         "/history/7/actions/0: its parent " B " is no action of the same submission", 66},
    };
    struct pingo_history *h = new_history();

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = quoted(rows[i].text);
        struct pingo__decision_history_text piece = {
            .text = text, .length = strlen(text), .pointer = "/history/7", .wrong = 99};
        struct pingo_error err = {0};

        assert_int_equal(pingo__decision_history_read(h, &piece, &err), PINGO_EINVAL);
        if (strncmp(err.message, rows[i].piece, strlen(rows[i].piece)) != 0)
            fail_msg("%s: said \"%s\"", rows[i].text, err.message);
        assert_int_equal(piece.wrong, rows[i].wrong);
        assert_int_equal(pingo_history_read_line(h, text, strlen(text), 0, &err), PINGO_EINVAL);
        if (strncmp(err.message, rows[i].alone, strlen(rows[i].alone)) != 0)
            fail_msg("%s: said \"%s\"", rows[i].text, err.message);
        free(text);
    }
    assert_int_equal(pingo_history_count_actions(h), 0);
    pingo_history_free(h);
}

/* A key is no other one because it begins like it, and is told no longer than fits. */
static void test_history_read__takes_keys_whole(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    struct pingo_error err = {0};

    assert_int_equal(read_row(h, HEAD "{'hash':'" A "','leaf\\u0020':true}]}", &err), PINGO_EINVAL);
    assert_non_null(strstr(err.message, "/actions/0/leaf : unknown key: did you mean \"leaf\""));
    assert_int_equal(read_row(h, HEAD "{'hash':'" A "','" A "':true}]}", &err), PINGO_EINVAL);
    assert_non_null(strstr(err.message, "/actions/0/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: unknown key; a "
                                        "key that starts with \"x-\" is free"));
    assert_int_equal(read_row(h, HEAD "{'h\\u0061sh':'" A "','x-" A "':[true]}]}", &err), 0);
    pingo_history_free(h);
}

/* ---- hostile lines ------------------------------------------------------------------------- */

static void test_history_read__survives_every_cut_and_change(void **state)
{
    (void)state;
    uint8_t *text = (uint8_t *)quoted(
        HEAD "{'hash':'" A "','parents':[],'sizeBytes':12,'computeMs':null},"
             "{'hash':'" B "','parents':['" A "'],'leaf':true,'x-a':{'b':[1,'c']}}]}");
    size_t n = strlen((char *)text);
    static const char bytes[] = "\"{}[],:\\0a\x80-tn \n";

    assert_int_equal(fuzz_history(text, n), 1);
    for (size_t i = 0; i < n; i++) {
        uint8_t byte = text[i];

        assert_int_equal(fuzz_history(text, i), 0);
        for (size_t k = 0; k < sizeof bytes; k++) {
            text[i] = (uint8_t)bytes[k];
            fuzz_history(text, n);
        }
        text[i] = byte;
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history_read__reads_a_line),
        cmocka_unit_test(test_history_read__reads_times),
        cmocka_unit_test(test_history_read__says_what_is_wrong_and_where),
        cmocka_unit_test(test_history_read__tells_the_place_in_a_piece),
        cmocka_unit_test(test_history_read__takes_keys_whole),
        cmocka_unit_test(test_history_read__survives_every_cut_and_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
