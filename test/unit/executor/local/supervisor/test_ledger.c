/* test_ledger.c - the journals: a new one when one is long, room ahead, and which of them go when a scheduler tells what its
 * store still waits for. */
#include "unit/executor/local/supervisor/made.h"

#include "runner/record/job.h"

static void record(int64_t action)
{
    assert_true(pingo__executor_ledger_record(&s, (struct pingo_job_key){action, 1}, PINGO_END_LOST,
                                              "because"));
}

/* A scheduler has read so many bytes of it, and its store waits for this action; 0: for none. */
static bool trim(const char *name, uint64_t offset, int64_t waits_for)
{
    struct pingo__buffer b = {0};
    pingo__buffer_u32(&b, waits_for ? 2 : 0);
    if (waits_for) {
        pingo__runner_put_key(&b, (struct pingo_job_key){waits_for, 1});
        pingo__runner_put_key(&b, (struct pingo_job_key){77, 7});
    }
    pingo__runner_put_text(&b, name);
    pingo__buffer_u64(&b, offset);
    struct pingo__buffer_reader body = {b.data, b.length, 0, false};
    bool fine = pingo__executor_ledger_trim(&s, &body);
    pingo__buffer_clear(&b);
    return fine;
}

static void test_ledger__records(void **state)
{
    struct pingo_job_end end;
    (void)state;
    record(5);
    assert_int_equal(ends_of(5, &end), 1);
    assert_int_equal(end.reason, PINGO_END_LOST);
    assert_string_equal(end.message, "because");
    assert_true(end.started_ms > 0 && end.started_ms == end.ended_ms);
    int journal = s.journal; /* the disk is full */
    s.journal = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_false(
        pingo__executor_ledger_record(&s, (struct pingo_job_key){6, 1}, PINGO_END_LOST, "x"));
    close(s.journal);
    s.journal = journal;
}

static void test_ledger__a_long_one_is_followed_by_another(void **state)
{
    char first[sizeof s.journal_name];
    struct stat st;
    (void)state;
    memcpy(first, s.journal_name, sizeof first);
    assert_int_equal(fstat(s.journal, &st), 0);
    assert_int_equal(st.st_size, 0); /* the room that it takes ahead is no part of it */
    pingo__executor_ledger_turn(&s);
    assert_string_equal(s.journal_name, first);
    s.journal_records = 16384;
    uint64_t set = s.set_serial;
    pingo__executor_ledger_turn(&s);
    assert_string_not_equal(s.journal_name, first);
    assert_int_equal(s.journal_serial, 2);
    assert_int_equal(s.journal_records, 0);
    assert_int_equal(s.set_serial, set + 1);
    assert_true(is_in_store(first) && is_in_store(s.journal_name));
    s.journal_records = 16384; /* where none can be made, this one grows on */
    char taken[sizeof s.journal_name + 8];
    snprintf(taken, sizeof taken, "journal.%s.000003", s.suffix);
    assert_int_equal(mkdirat(s.dir, taken, 0700), 0);
    pingo__executor_ledger_turn(&s);
    assert_int_equal(s.journal_serial, 2);
    record(9);
    assert_int_equal(unlinkat(s.dir, taken, AT_REMOVEDIR), 0);
}

/* An end that the store waits for stays, and so does what was not read to its end, or is still written. */
static void test_ledger__only_what_is_settled_goes(void **state)
{
    char first[sizeof s.journal_name];
    (void)state;
    record(5);
    record(6);
    memcpy(first, s.journal_name, sizeof first);
    assert_true(trim(first, 2 * PINGO__RUNNER_OUTCOME_SIZE, 0));
    assert_true(is_in_store(first)); /* it is the one that is written */
    add(&(struct spec){.action = 8});
    put_in_hand(0, 8);
    assert_int_equal(pingo__executor_ledger_open(&s), 0);
    assert_true(trim(first, 2 * PINGO__RUNNER_OUTCOME_SIZE, 0));
    assert_true(is_in_store(first)); /* a worker may still write to it */
    s.hands[0]->journal = s.journal_serial;
    assert_true(trim(first, PINGO__RUNNER_OUTCOME_SIZE, 0));
    assert_true(is_in_store(first)); /* the last record was not read */
    assert_true(trim(first, 2 * PINGO__RUNNER_OUTCOME_SIZE, 6));
    assert_true(is_in_store(first));
    uint64_t set = s.set_serial;
    assert_true(trim(first, 2 * PINGO__RUNNER_OUTCOME_SIZE, 4));
    assert_false(is_in_store(first));
    assert_int_equal(s.set_serial, set + 1);
    take_from_hand(0);
}

static void test_ledger__an_earlier_supervisors_go_too(void **state)
{
    char old[128];
    (void)state;
    snprintf(old, sizeof old, "journal.%s.00000000000001.1.000009", s.boot);
    close(openat(s.dir, old, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    assert_true(trim(old, 0, 0));
    assert_false(is_in_store(old));
}

/* With nothing that runs also the one that is written, if it has some length. */
static void test_ledger__when_all_is_quiet(void **state)
{
    char first[sizeof s.journal_name];
    (void)state;
    memcpy(first, s.journal_name, sizeof first);
    record(5);
    s.journal_records = 1024;
    add(&(struct spec){.action = 8});
    make_ghost(8); /* its end is to come */
    assert_true(trim(first, PINGO__RUNNER_OUTCOME_SIZE, 0));
    assert_string_equal(s.journal_name, first);
    pingo__executor_item_free(s.ghosts);
    s.ghosts = NULL;
    assert_true(trim(first, PINGO__RUNNER_OUTCOME_SIZE, 0));
    assert_string_not_equal(s.journal_name, first);
    assert_false(is_in_store(first));
    assert_true(is_in_store(s.journal_name));
}

/* A name leads to no other file, whoever sends it. */
static void test_ledger__names_that_are_none(void **state)
{
    char foreign[200], beside[200];
    (void)state;
    snprintf(foreign, sizeof foreign, "journal.%s.mine", "00000000-0000-0000-0000-000000000000");
    close(openat(s.dir, foreign, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    snprintf(beside, sizeof beside, "%s/journal.%s.1", box.store, s.boot);
    make_file(beside, "");
    const char *const names[] = {foreign, s.running_name, PINGO__PLACE_LOCK, ".", "..", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(trim(names[i], 1 << 20, 0));
    assert_true(trim(beside, 1 << 20, 0));
    snprintf(beside, sizeof beside, "../journal.%s.1", s.boot);
    assert_true(trim(beside, 1 << 20, 0));
    assert_true(is_in_store(beside));
    snprintf(beside, sizeof beside, "journal.%s.d", s.boot);
    assert_int_equal(mkdirat(s.dir, beside, 0700), 0);
    snprintf(beside, sizeof beside, "journal.%s.d/../../journal.%s.1", s.boot, s.boot);
    assert_true(trim(beside, 1 << 20, 0));
    assert_true(is_in_store(beside) && is_in_store(foreign) && is_in_store(s.running_name));
}

static void test_ledger__a_body_that_is_cut_off(void **state)
{
    struct pingo__buffer b = {0};
    (void)state;
    pingo__buffer_u32(&b, 2);
    pingo__runner_put_key(&b, (struct pingo_job_key){1, 1});
    pingo__runner_put_key(&b, (struct pingo_job_key){2, 1});
    size_t keys = b.length;
    pingo__runner_put_text(&b, "journal");
    pingo__buffer_u64(&b, 0);
    for (size_t n = 0; n <= b.length; n++) {
        struct pingo__buffer_reader body = {b.data, n, 0, false};
        assert_int_equal(pingo__executor_ledger_trim(&s, &body), n == keys || n == b.length);
    }
    pingo__buffer_reset(&b);
    pingo__buffer_u32(&b, UINT32_MAX);
    struct pingo__buffer_reader body = {b.data, b.length, 0, false};
    assert_false(pingo__executor_ledger_trim(&s, &body));
    pingo__buffer_clear(&b);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_ledger__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(records),
        TEST(a_long_one_is_followed_by_another),
        TEST(only_what_is_settled_goes),
        TEST(an_earlier_supervisors_go_too),
        TEST(when_all_is_quiet),
        TEST(names_that_are_none),
        TEST(a_body_that_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
