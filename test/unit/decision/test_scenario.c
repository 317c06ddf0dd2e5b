/* Scenarios: what is read, what is refused and where, and what is decided on them. */
#include "reference.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

/* Rows are written with ' for ". */
static const char history[] =
    "'history':[{'at':'2026-11-20T12:00:00Z','user':'u','workflow':'w','actions':["
    "{'hash':'" A "','parents':[],'sizeBytes':100,'computeMs':1000},"
    "{'hash':'" B "','parents':['" A "'],'sizeBytes':200,'computeMs':10},"
    "{'hash':'" C "','parents':['" B "'],'sizeBytes':300,'computeMs':20,'leaf':true}]}]";

static char *quoted(const char *before, const char *after)
{
    size_t length = strlen(before) + strlen(after) + sizeof history + 2;
    char *text = malloc(length);
    assert_non_null(text);
    snprintf(text, length, "%s%s%s", before, history, after);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    return text;
}

struct told {
    char order[8]; /* the first digit of each hash */
    int n;
};

static int note(void *context, const struct pingo_scenario_victim *victim)
{
    struct told *told = context;
    assert_in_range(told->n, 0, 6);
    assert_true(victim->reason[0] != '\0');
    told->order[told->n++] = (char)("abc"[victim->hash.bytes[0] / 0x11 - 0xa]);
    return 0;
}

static const struct {
    const char *rest, *algorithm, *victims;
    uint64_t freed, shortfall;
} rows[] = {
    {",'stored':[{'hash':'" A "'},{'hash':'" B "'}],'freeBytes':100}", "largest-first", "b", 200, 0},
    {",'stored':[{'hash':'" A "'},{'hash':'" B "'}],'freeBytes':201}", "largest-first", "ba", 300, 0},
    {",'stored':[{'hash':'" A "','sizeBytes':900},{'hash':'" B "'}],'freeBytes':1}",
     "largest-first", "a", 900, 0},
    {",'stored':[{'hash':'" A "'},{'hash':'" B "','claims':1}],'freeBytes':150}", "largest-first",
     "a", 100, 50},
    {",'stored':[{'hash':'" A "','kept':true},{'hash':'" B "','claims':0,'kept':false},"
     "{'hash':'" C "','leaf':true}],'freeBytes':1000}",
     "chain", "b", 200, 800},
    {",'stored':[],'freeBytes':7,'x-note':{'a':[1]}}", "chain", "", 0, 7},
    {",'stored':[{'hash':'" B "','x-y':[]},{'hash':'" A "'}],'freeBytes':1}", "dtr", "b", 200, 0},
    /* a: 1000 ms by 100 bytes; b: 9000020 ms by 200 bytes. */
    {",'stored':[{'hash':'" B "','computeMs':9000000},{'hash':'" A "'}],'freeBytes':1}", "dtr", "a",
     100, 0},
};

static void test_scenario__decides(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = quoted("{", rows[i].rest);
        struct pingo_scenario *scenario = NULL;
        struct pingo_decision_result result = {.size = sizeof result};
        struct pingo_error err = {0};
        if (pingo_scenario_parse(text, strlen(text), &scenario, &err) != 0)
            fail_msg("row %zu: %s", i, err.message);
        free(text);                               /* it borrows nothing */
        for (int again = 0; again < 2; again++) { /* it does not change */
            struct told told = {0};
            assert_int_equal(
                pingo_scenario_decide(scenario,
                                      &(struct pingo_scenario_options){
                                          .version = 1,
                                          .algorithm = pingo_decision_find(rows[i].algorithm),
                                          .values = NULL,
                                          .victim = note,
                                          .context = &told},
                                      &result, &err),
                0);
            assert_string_equal(told.order, rows[i].victims);
            assert_int_equal(result.nvictims, strlen(rows[i].victims));
            assert_int_equal(result.freed_bytes, rows[i].freed);
            assert_int_equal(result.shortfall_bytes, rows[i].shortfall);
        }
        pingo_scenario_free(scenario);
    }
}

/* A reason tells what the score was made of: with those gone that go before. */
static int note_reason(void *context, const struct pingo_scenario_victim *victim)
{
    char *text = context;
    strcat(text, victim->reason);
    strcat(text, "; ");
    return 0;
}

static int stop(void *context, const struct pingo_scenario_victim *victim)
{
    (void)victim;
    ++*(int *)context;
    return 1;
}

static void test_scenario__tells_reasons_in_turn(void **unused)
{
    (void)unused;
    char *text = quoted("{", ",'stored':[{'hash':'" A "'},{'hash':'" B "'},{'hash':'" C
                             "','leaf':true}],'freeBytes':300}");
    char reasons[1024] = "";
    int calls = 0;
    struct pingo_scenario *scenario = NULL;
    struct pingo_error err = {0};
    assert_int_equal(pingo_scenario_parse(text, strlen(text), &scenario, &err), 0);
    free(text);
    assert_int_equal(pingo_scenario_decide(
                         scenario,
                         &(struct pingo_scenario_options){.version = 1,
                                                          .algorithm = pingo_decision_find("dtr"),
                                                          .values = NULL,
                                                          .victim = note_reason,
                                                          .context = reasons},
                         NULL, &err),
                     0);
    /* b goes first; then 10 ms of b lean on a, too. */
    assert_non_null(strstr(reasons, "10 ms lean on it"));
    assert_non_null(strstr(reasons, "; 1010 ms lean on it"));
    assert_int_equal(pingo_scenario_decide(
                         scenario,
                         &(struct pingo_scenario_options){.version = 1,
                                                          .algorithm = pingo_decision_find("dtr"),
                                                          .values = NULL,
                                                          .victim = stop,
                                                          .context = &calls},
                         NULL, &err),
                     PINGO_EINTERRUPTED);
    assert_int_equal(calls, 1);
    pingo_scenario_free(scenario);
}

static const struct {
    const char *before, *rest, *fault;
} wrong[] = {
    {"{", ",'stored':[]}", "line 1, column 1: a scenario has \"freeBytes\", a number"},
    {"{", ",'stored':[],'freeBytes':'1'}", "/freeBytes: expected a number, found a string"},
    {"{", ",'stored':[],'freeBytes':-1}", "/freeBytes: expected an integer from 0 to 2^53-1"},
    {"{", ",'stored':[],'freeBytes':1e2}", "/freeBytes: expected an integer"},
    {"{", ",'stored':[],'freeBytes':9007199254740992}", "/freeBytes: expected an integer"},
    {"{", ",'freeBytes':1}", "a scenario has \"stored\", an array"},
    {"{", ",'stored':{},'freeBytes':1}", "/stored: expected an array, found an object"},
    {"{'x':", ",'stored':[],'freeBytes':1}", "line 1, column "},
    {"{\n 'freebytes':1,", ",'stored':[]}",
     "line 2, column 2: unknown key \"freebytes\": did you mean \"freeBytes\""},
    {"{", ",'stored':[5],'freeBytes':1}", "/stored/0: expected an object, found a number"},
    {"{", ",'stored':[{}],'freeBytes':1}", "a stored dataset has a hash"},
    {"{", ",'stored':[{'hash':'abc'}],'freeBytes':1}", "64 lower-case hex digits"},
    {"{", ",'stored':[{'hash':7}],'freeBytes':1}", "64 lower-case hex digits"},
    {"{", ",'stored':[{'hash':'Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'}],'freeBytes':1}",
     "64 lower-case hex digits"},
    {"{", ",'stored':[{'hash':'dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd'}],'freeBytes':1}",
     "no submission of the history mentions this hash"},
    {"{", ",'stored':[{'hash':'" A "'},{'hash':'" A "'}],'freeBytes':1}",
     "/stored/1/hash: this dataset stands in stored already"},
    {"{", ",'stored':[{'hash':'" A "','sizeBytes':-1}],'freeBytes':1}",
     "/stored/0/sizeBytes: expected an integer"},
    {"{", ",'stored':[{'hash':'" A "','computeMs':'5'}],'freeBytes':1}",
     "/stored/0/computeMs: expected an integer"},
    {"{", ",'stored':[{'hash':'" A "','claims':true}],'freeBytes':1}",
     "/stored/0/claims: expected an integer"},
    {"{", ",'stored':[{'hash':'" A "','leaf':1}],'freeBytes':1}",
     "/stored/0/leaf: expected a boolean"},
    {"{", ",'stored':[{'hash':'" A "','size':1}],'freeBytes':1}", "/stored/0: unknown key \"size\""},
    {"{", ",'stored':[],'freeBytes':1}}", "line 1, column "},
    {"[", "]", "line 1, column "},
    {"[]", "", "line 1, column "},
    {"{'history':[],", ",'stored':[],'freeBytes':1}", "line 1, column "}, /* twice */
};

static void test_scenario__refuses_with_the_place(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char *text = quoted(wrong[i].before, wrong[i].rest);
        struct pingo_scenario *scenario = NULL;
        struct pingo_error err = {0};
        assert_int_equal(pingo_scenario_parse(text, strlen(text), &scenario, &err), PINGO_EINVAL);
        assert_null(scenario);
        if (strncmp(err.message, "line ", 5) != 0 || strstr(err.message, wrong[i].fault) == NULL)
            fail_msg("row %zu: \"%s\" lacks \"%s\"", i, err.message, wrong[i].fault);
        free(text);
    }
    static const char *const histories[][2] = {
        {"{\"freeBytes\":1,\"stored\":[],\n\"history\":[7]}",
         "line 2, column 12: /history/0: expected an object"},
        {"{\"freeBytes\":1,\"stored\":[],\n\"history\":[{\"at\":\"x\"}]}",
         "line 2, column 12: /history/0: a submission has \"user\""},
        {"{\"freeBytes\":1,\"stored\":[],\"history\":[\n{\"at\":1,\"user\":\"u\",\"workflow\":"
         "\"w\",\n"
         "\"actions\":[{\"hash\":\"" A "\"}]},\n{\"at\":1,\"user\":\"u\",\"workflow\":\"w\",\n"
         "\"actions\":[{\"hash\":\n\"zz\"}]}]}",
         "line 6, column 1: /history/1/actions/0/hash: expected a hash"},
        {"{\"freeBytes\":1,\"stored\":[],\"history\":[{\"at\":1,\"user\":\"u\",\"workflow\":\"w\","
         "\n"
         "\"actions\":[\n {\"hash\":\"" A "\",\"parents\":[\"" B "\"]}]}]}",
         "line 3, column 2: /history/0/actions/0: its parent " B},
        {" \n", "line 2, column 1: the text is empty: a scenario is an object"},
        {"", "line 1, column 1: the text is empty: a scenario is an object"},
    };
    for (size_t i = 0; i < sizeof histories / sizeof histories[0]; i++) {
        struct pingo_scenario *scenario = NULL;
        struct pingo_error err = {0};
        assert_int_equal(
            pingo_scenario_parse(histories[i][0], strlen(histories[i][0]), &scenario, &err),
            PINGO_EINVAL);
        if (strncmp(err.message, histories[i][1], strlen(histories[i][1])) != 0)
            fail_msg("\"%s\" is not \"%s\"", err.message, histories[i][1]);
    }
}

/* Any byte changed, any piece cut off: an error or a scenario, never a crash. */
static void test_scenario__survives_mutations(void **unused)
{
    (void)unused;
    struct world w = {.random = 99};
    char *text =
        quoted("{", ",'stored':[{'hash':'" A "','claims':1},{'hash':'" B "'}],'freeBytes':201}");
    size_t length = strlen(text), nread = 0, nrefused = 0;
    for (int round = 0; round < 6000; round++) {
        char *copy = malloc(length);
        struct pingo_scenario *scenario = NULL;
        struct pingo_error err = {0};
        size_t n = draw(&w, 4) == 0 ? draw(&w, length) : length;
        assert_non_null(copy);
        memcpy(copy, text, length);
        for (uint64_t k = draw(&w, 3); k > 0; k--)
            copy[draw(&w, length)] =
                draw(&w, 2) == 0 ? (char)draw(&w, 256) : "0[]{},:\"9-."[draw(&w, 11)];
        int rc = pingo_scenario_parse(copy, n, &scenario, &err);
        free(copy);
        if (rc == 0) {
            struct told told = {0};
            nread++;
            assert_int_equal(pingo_scenario_decide(scenario,
                                                   &(struct pingo_scenario_options){
                                                       .version = 1,
                                                       .algorithm = pingo_decision_find("chain"),
                                                       .values = NULL,
                                                       .victim = note,
                                                       .context = &told},
                                                   NULL, NULL),
                             0);
        } else {
            nrefused++;
            assert_int_equal(rc, PINGO_EINVAL);
        }
        pingo_scenario_free(scenario);
    }
    assert_true(nread > 100 && nrefused > 1000);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenario__decides),
        cmocka_unit_test(test_scenario__tells_reasons_in_turn),
        cmocka_unit_test(test_scenario__refuses_with_the_place),
        cmocka_unit_test(test_scenario__survives_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
