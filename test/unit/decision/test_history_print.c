/* test_history_print.c - a submission as a line of the exchange format, pingo-history(5): there and back, and with the names
 * taken out. */
#include "unit/decision/submissions.h"

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

static void test_history_print__there_and_back_is_the_same(void **state)
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

/* All that is known, and nothing else: keys in their order, hashes of parents, "null" for what is not known. */
static void test_history_print__says_all_that_is_known(void **state)
{
    (void)state;
#define ZEROES "00000000000000000000000000000000000000000000000000000000000000"
    static const char *const wanted[] = {
        "{\"at\":\"1970-01-01T00:00:01.500Z\",\"user\":\"ann\",\"workflow\":\"o\\\"e\",\"actions\":"
        "["
        "{\"hash\":\"62" ZEROES "\",\"parents\":[\"61" ZEROES "\"],\"sizeBytes\":7,"
        "\"computeMs\":null,\"leaf\":true,\"forced\":false,\"decision\":\"compute\"},"
        "{\"hash\":\"61" ZEROES "\",\"parents\":[],\"sizeBytes\":null,"
        "\"computeMs\":0,\"leaf\":false,\"forced\":true}]}\n",
        "{\"at\":\"1970-01-01T00:00:00.000Z\",\"user\":\"\",\"workflow\":\"\",\"actions\":["
        "{\"hash\":\"61" ZEROES "\",\"parents\":[],\"sizeBytes\":null,"
        "\"computeMs\":0,\"leaf\":false,\"forced\":false,\"unmanaged\":true,"
        "\"decision\":\"compute\"}]}\n",
    };
    struct pingo_history *h = new_history();

    assert_int_equal(submit(h, 1500, "ann", "o\"e", "b<a:C* a<!"), 0);
    assert_int_equal(submit(h, 0, "", "", "a:C^"), 0);
    pingo_history_set_size(h, find(h, "b"), 7);
    pingo_history_set_compute(h, find(h, "a"), 0);
    for (uint32_t i = 0; i < 2; i++) {
        char *line = NULL;

        assert_int_equal(pingo_history_print_line(h, i, NULL, &line, NULL), 0);
        assert_string_equal(line, wanted[i]);
        free(line);
    }
    pingo_history_free(h);
}

static int turn(void *context, const struct pingo_hash *hash, struct pingo_hash *other)
{
    for (size_t i = 0; i < PINGO_HASH_SIZE; i++)
        other->bytes[i] = (uint8_t)(hash->bytes[i] ^ *(uint8_t *)context);
    return 0;
}

static void test_history_print__anonymous_names_nobody_and_keeps_the_graph(void **state)
{
    (void)state;
    uint8_t key = 0x5a;
    struct pingo_history_print_options o = {
        .version = 1, .anonymous = true, .rehash = turn, .context = &key};
    struct pingo_history *h = make_some(), *again;
    char *text = print_all(h, &o), hex[PINGO_HASH_HEX_SIZE];
    struct pingo_history_submission s = {.size = sizeof s};

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
    free(text);
    pingo_history_free(h);
    pingo_history_free(again);
}

/* Fails with the second hash that it is asked for. */
static int turn_once(void *context, const struct pingo_hash *hash, struct pingo_hash *other)
{
    *other = *hash;
    return ++*(int *)context > 1 ? PINGO_EIO : 0;
}

static void test_history_print__says_why_there_is_no_line(void **state)
{
    (void)state;
    int ncalls = 0;
    struct pingo_history_print_options o = {
        .version = 1, .anonymous = true, .rehash = turn_once, .context = &ncalls};
    struct pingo_history *h = make_some();
    struct pingo_error err = {0};
    char *line = (char *)h;

    assert_int_equal(pingo_history_print_line(h, 0, &o, &line, &err), PINGO_EIO);
    assert_string_equal(err.message, "a hash could not be made anonymous");
    assert_null(line);
    assert_int_equal(ncalls, 2);
    o.rehash = NULL;
    assert_int_equal(pingo_history_print_line(h, 0, &o, &line, &err), PINGO_EINVAL);
    assert_string_equal(err.message, "an anonymous line needs a rehash");
    assert_int_equal(pingo_history_print_line(h, 4, NULL, &line, &err), PINGO_ENOTFOUND);
    assert_string_equal(err.message, "the history has no submission 4");
    o.version = 2;
    line = (char *)h;
    assert_int_equal(pingo_history_print_line(h, 0, &o, &line, &err), PINGO_EINVAL);
    assert_null(line);
    pingo_history_free(h);
}

static void test_history_print__rehash_depends_on_the_salt(void **state)
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

static void test_history_print__mends_names_that_are_not_utf8(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history_print__there_and_back_is_the_same),
        cmocka_unit_test(test_history_print__says_all_that_is_known),
        cmocka_unit_test(test_history_print__anonymous_names_nobody_and_keeps_the_graph),
        cmocka_unit_test(test_history_print__says_why_there_is_no_line),
        cmocka_unit_test(test_history_print__rehash_depends_on_the_salt),
        cmocka_unit_test(test_history_print__mends_names_that_are_not_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
