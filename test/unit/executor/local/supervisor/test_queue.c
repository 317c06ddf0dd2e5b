/* test_queue.c - jobs that wait: their order, what fits beside what runs, and when there is nothing to do. */
#include "unit/executor/local/supervisor/made.h"

/* The actions that wait, in order. */
static void expect_queue(const char *actions)
{
    char text[200] = "";
    struct pingo__executor_item **last = &s.first;
    for (struct pingo__executor_item *item = s.first; item; last = &item->next, item = item->next)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%lld ",
                 (long long)item->key.action);
    assert_string_equal(text, actions);
    assert_ptr_equal(s.last, last);
}

static void take(int64_t action)
{
    struct pingo__executor_item *item =
        pingo__executor_queue_take(&s, (struct pingo_job_key){action, 1});
    assert_non_null(item);
    assert_null(item->next);
    pingo__executor_item_free(item);
}

/* The shelf comes first, each in the order in which it came. */
static void test_queue__order(void **state)
{
    (void)state;
    add(&(struct spec){.action = 9, .grew = true});
    expect_queue("9 ");
    take(9);
    expect_queue("");
    for (int64_t i = 1; i <= 3; i++)
        add(&(struct spec){.action = i});
    add(&(struct spec){.action = 21, .grew = true});
    add(&(struct spec){.action = 22, .grew = true});
    add(&(struct spec){.action = 4});
    expect_queue("21 22 1 2 3 4 ");
    take(4);
    take(21);
    take(2);
    expect_queue("22 1 3 ");
    add(&(struct spec){.action = 5});
    add(&(struct spec){.action = 23, .grew = true});
    expect_queue("22 23 1 3 5 ");
    assert_null(pingo__executor_queue_take(&s, (struct pingo_job_key){1, 2}));
}

static void test_queue__what_runs_is_not_taken_again(void **state)
{
    (void)state;
    add(&(struct spec){.action = 1});
    add(&(struct spec){.action = 2});
    put_in_hand(1, 1);
    make_ghost(2);
    add(&(struct spec){.action = 1});
    add(&(struct spec){.action = 2});
    expect_queue("");
    assert_ptr_equal(pingo__executor_queue_holder(&s, (struct pingo_job_key){1, 1}), s.hands[1]);
    assert_null(pingo__executor_queue_holder(&s, (struct pingo_job_key){2, 1}));
    take_from_hand(1);
}

/* Whatever the bytes are, nothing waits then that was not whole. */
static void test_queue__a_head_that_is_cut_off(void **state)
{
    struct pingo__buffer b = {0};
    size_t least = 0;
    (void)state;
    put_job(&b, &(struct spec){.action = 1});
    for (size_t n = 0; n <= b.length; n++) {
        char *bytes = malloc(n + 1); /* no longer than it is */
        assert_non_null(bytes);
        memcpy(bytes, b.data, n);
        struct pingo__buffer_reader body = {bytes, n, 0, false};
        bool added = pingo__executor_queue_add(&s, NULL, &body, false);
        assert_int_equal(added, s.first != NULL);
        least = added && least == 0 ? n : least;
        if (added)
            take(1);
        free(bytes);
    }
    assert_in_range(least, 16 + 3 * 8 + strlen(attempt_of(1)), b.length);
    pingo__buffer_clear(&b);
}

/* What runs: one of 2 cpus and 40 MB, of 4 and 100. */
static void test_queue__what_fits(void **state)
{
    static const struct {
        int64_t cpus, mb;
        bool fits;
    } rows[] = {{1, 0, true},   {2, 0, true},  {3, 0, false},  {1, 60, true},
                {1, 61, false}, {9, 0, false}, {1, 101, false}};
    (void)state;
    s.settings.slots = 4;
    s.settings.memory_bytes = 100 << 20;
    add(&(struct spec){.action = 1, .cpus = 2, .memory_bytes = 40 << 20});
    for (int round = 0; round < 3; round++) { /* nothing runs; a worker has it; it is a ghost */
        if (round == 1)
            put_in_hand(0, 1);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            add(&(struct spec){.action = 2, .cpus = rows[i].cpus, .memory_bytes = rows[i].mb << 20});
            struct pingo__executor_item *item =
                pingo__executor_queue_take(&s, (struct pingo_job_key){2, 1});
            assert_int_equal(pingo__executor_queue_fits(&s, item), round == 0 || rows[i].fits);
            assert_int_equal(pingo__executor_queue_granted(&s, item),
                             rows[i].cpus < 4 ? rows[i].cpus : 4);
            pingo__executor_item_free(item);
        }
        if (round == 1) {
            s.ghosts = s.hands[0]->item;
            s.hands[0]->item = NULL;
            take_from_hand(0);
        }
    }
}

/* What takes more memory than there is runs alone: nothing is put beside it, however small. */
static void test_queue__alone(void **state)
{
    (void)state;
    s.settings.slots = 4;
    s.settings.memory_bytes = 100 << 20;
    add(&(struct spec){.action = 1, .memory_bytes = INT64_MAX});
    add(&(struct spec){.action = 2});
    put_in_hand(0, 1);
    assert_false(pingo__executor_queue_fits(&s, s.first));
    take_from_hand(0);
}

/* Only what can be a scheduler's mark. */
static void test_queue__only_a_file_is_buried(void **state)
{
    char elsewhere[160];
    struct stat st;
    (void)state;
    make_file(attempt_of(1), "");
    pingo__executor_queue_bury(attempt_of(1));
    assert_int_equal(lstat(attempt_of(1), &st), -1);
    pingo__executor_queue_bury(attempt_of(1));
    assert_int_equal(mkdir(attempt_of(1), 0755), 0);
    pingo__executor_queue_bury(attempt_of(1));
    assert_int_equal(lstat(attempt_of(1), &st), 0);
    snprintf(elsewhere, sizeof elsewhere, "%s/mine", box.root);
    make_file(elsewhere, "mine");
    assert_int_equal(symlink(elsewhere, attempt_of(2)), 0);
    pingo__executor_queue_bury(attempt_of(2));
    assert_int_equal(lstat(attempt_of(2), &st), 0);
    assert_int_equal(access(elsewhere, F_OK), 0);
}

static bool is_idle(void)
{
    pingo__executor_queue_consider_idle(&s);
    return uv_is_active((uv_handle_t *)&s.idle);
}

static void test_queue__nothing_to_do(void **state)
{
    struct pingo__executor_client client = {.greeted = true};
    (void)state;
    assert_true(is_idle());
    s.clients = &client;
    assert_false(is_idle());
    s.clients = NULL;
    add(&(struct spec){.action = 1});
    assert_false(is_idle());
    put_in_hand(0, 1);
    assert_false(is_idle());
    take_from_hand(0);
    add(&(struct spec){.action = 2});
    make_ghost(2);
    assert_false(is_idle());
    assert_false(s.ending);
}

/* Its worker has the lock until it is done: the next supervisor would wait for that, and give up. */
static void test_queue__clearing_up(void **state)
{
    (void)state;
    add(&(struct spec){.action = 1});
    struct pingo__executor_hand *hand = put_in_hand(0, 1);
    pingo__executor_item_free(hand->item);
    hand->item = NULL;
    hand->clears = true;
    s.busy--;
    assert_false(is_idle());
    s.retires = true;
    assert_false(is_idle());
    assert_false(s.ending);
    hand->clears = s.retires = false;
    assert_true(is_idle());
    free(hand);
    s.hands[0] = NULL;
}

/* Who makes way ends at once when nothing runs, also while jobs wait; and nobody is let in any more. */
static void test_queue__making_way(void **state)
{
    (void)state;
    assert_true(pingo__executor_clients_listen(&s));
    add(&(struct spec){.action = 1});
    add(&(struct spec){.action = 2});
    put_in_hand(0, 1);
    s.retires = true;
    pingo__executor_queue_consider_idle(&s);
    assert_false(s.ending);
    assert_true(is_in_store(PINGO__PLACE_SOCKET));
    take_from_hand(0);
    pingo__executor_queue_consider_idle(&s);
    assert_true(s.ending);
    assert_false(is_in_store(PINGO__PLACE_SOCKET));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_queue__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(order),
        TEST(what_runs_is_not_taken_again),
        TEST(a_head_that_is_cut_off),
        TEST(what_fits),
        TEST(alone),
        TEST(only_a_file_is_buried),
        TEST(nothing_to_do),
        TEST(clearing_up),
        TEST(making_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
