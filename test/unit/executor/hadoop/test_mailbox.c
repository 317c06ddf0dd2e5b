/* test_mailbox.c - orders one way, reports the other, between two threads of which neither waits for the other's work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor/hadoop/mailbox.h"

typedef struct pingo__executor_hadoop_order order_row;
#define KEY(n) ((struct pingo_job_key){n, 1})
static struct pingo__executor_hadoop_mailbox *box;

static int set_up(void **state)
{
    (void)state;
    return pingo__executor_hadoop_box_new(&box, NULL);
}

/* The last of the two takes it down, with what lies in it. */
static int tear_down(void **state)
{
    (void)state;
    pingo__executor_hadoop_box_leave(box);
    pingo__executor_hadoop_box_leave(box);
    return 0;
}

static order_row *post(enum pingo__executor_hadoop_order_kind kind, int64_t action)
{
    order_row *order = pingo__executor_hadoop_order_new(kind, KEY(action));
    assert_non_null(order);
    pingo__executor_hadoop_box_post(box, order);
    return order;
}

static bool rings(int fd)
{
    return poll(&(struct pollfd){fd, POLLIN, 0}, 1, 0) > 0;
}

static void take(int64_t action)
{
    order_row *order = pingo__executor_hadoop_box_take(box);
    assert_non_null(order);
    assert_int_equal(order->key.action, action);
    pingo__executor_hadoop_box_answer(box, order);
}

static void test_mailbox__orders_are_taken_in_turn(void **state)
{
    (void)state;
    assert_null(pingo__executor_hadoop_box_take(box));
    post(PINGO__HADOOP_START, 1);
    assert_false(pingo__executor_hadoop_box_bells(box)->urgent);
    post(PINGO__HADOOP_KILL, 2); /* that is not to wait for YARN */
    assert_true(pingo__executor_hadoop_box_bells(box)->urgent);
    take(1);
    take(2);
    assert_false(pingo__executor_hadoop_box_bells(box)->urgent);
    assert_null(pingo__executor_hadoop_box_take(box));
}

static void test_mailbox__what_nobody_has_taken_is_taken_back(void **state)
{
    (void)state;
    post(PINGO__HADOOP_START, 1);
    post(PINGO__HADOOP_START, 2);
    assert_true(pingo__executor_hadoop_box_recall(box, KEY(2)));
    assert_false(pingo__executor_hadoop_box_recall(box, KEY(2)));
    post(PINGO__HADOOP_START, 3); /* behind what is the last now */
    take(1);
    assert_false(pingo__executor_hadoop_box_recall(box, KEY(1)));
    take(3);
    post(PINGO__HADOOP_KILL, 4);
    assert_false(pingo__executor_hadoop_box_recall(box, KEY(4))); /* it is no start */
}

/* They come each second, however long the thread is at something else. */
static void test_mailbox__of_what_can_be_forgotten_the_last_word_counts(void **state)
{
    (void)state;
    post(PINGO__HADOOP_TRIM, 0);
    post(PINGO__HADOOP_START, 1);
    order_row *last = post(PINGO__HADOOP_TRIM, 0);
    take(1);
    order_row *order = pingo__executor_hadoop_box_take(box);
    assert_ptr_equal(order, last);
    pingo__executor_hadoop_box_answer(box, order);
    assert_null(pingo__executor_hadoop_box_take(box));
}

static void *answer_one(void *context)
{
    order_row *order;
    (void)context;
    while (!(order = pingo__executor_hadoop_box_take(box)))
        pingo__executor_hadoop_box_await(box, PINGO__HADOOP_ORDERED, NULL, 1000);
    order->revoked = true;
    pingo__executor_hadoop_box_answer(box, order);
    return NULL;
}

static void test_mailbox__an_answer_is_waited_for(void **state)
{
    pthread_t thread;
    (void)state;
    order_row *order = post(PINGO__HADOOP_REVOKE, 1);
    assert_false(pingo__executor_hadoop_box_await(box, PINGO__HADOOP_ANSWERED, order, 1));
    assert_false(pingo__executor_hadoop_box_await(box, PINGO__HADOOP_OBEYED, NULL, 1));
    assert_int_equal(pthread_create(&thread, NULL, answer_one, NULL), 0);
    assert_true(pingo__executor_hadoop_box_await(box, PINGO__HADOOP_ANSWERED, order, 60000));
    assert_true(order->revoked);
    pthread_join(thread, NULL);
    assert_true(pingo__executor_hadoop_box_await(box, PINGO__HADOOP_OBEYED, NULL, 0));
    pingo__executor_hadoop_box_drop(box, order);
    order = post(PINGO__HADOOP_REVOKE, 2); /* dropped before it is answered: who answers frees it */
    pingo__executor_hadoop_box_drop(box, order);
    take(2);
}

static void test_mailbox__all_is_submitted_or_there_is_trouble(void **state)
{
    char text[100];
    (void)state;
    assert_true(pingo__executor_hadoop_box_await(box, PINGO__HADOOP_SETTLED, NULL, 0));
    post(PINGO__HADOOP_START, 1);
    assert_false(pingo__executor_hadoop_box_await(box, PINGO__HADOOP_SETTLED, NULL, 1));
    take(1);
    assert_false(pingo__executor_hadoop_box_await(box, PINGO__HADOOP_SETTLED, NULL,
                                                  1)); /* nobody has said how many wait */
    assert_int_equal(pingo__executor_hadoop_box_busy(box), 1);
    pingo__executor_hadoop_box_say(box, 2, NULL);
    assert_int_equal(pingo__executor_hadoop_box_busy(box), 2);
    assert_false(pingo__executor_hadoop_box_await(box, PINGO__HADOOP_SETTLED, NULL, 1));
    assert_false(pingo__executor_hadoop_box_trouble(box, text, sizeof text));
    pingo__executor_hadoop_box_say(box, 1, "no answer");
    assert_true(pingo__executor_hadoop_box_await(box, PINGO__HADOOP_SETTLED, NULL, 0));
    assert_true(pingo__executor_hadoop_box_trouble(box, text, sizeof text));
    assert_string_equal(text, "no answer");
    assert_int_equal(pingo__executor_hadoop_box_busy(box), 1);
    pingo__executor_hadoop_box_say(box, 0, NULL);
    assert_true(pingo__executor_hadoop_box_await(box, PINGO__HADOOP_SETTLED, NULL, 0));
    post(PINGO__HADOOP_TRIM, 0); /* for which nobody stays */
    assert_int_equal(pingo__executor_hadoop_box_busy(box), 0);
    take(0);
    assert_int_equal(pingo__executor_hadoop_box_busy(box), 0);
}

static void test_mailbox__reports_come_in_order(void **state)
{
    (void)state;
    for (int64_t i = 1; i <= 2; i++) {
        const struct pingo__executor_hadoop_report report = {.key = KEY(i), .json = strdup("{}")};
        assert_true(pingo__executor_hadoop_box_report(box, &report));
    }
    assert_true(rings(pingo__executor_hadoop_box_bells(box)->told));
    struct pingo__executor_hadoop_report *all = pingo__executor_hadoop_box_reports(box);
    assert_false(rings(pingo__executor_hadoop_box_bells(box)->told));
    assert_int_equal(all->key.action, 1);
    assert_int_equal(all->next->key.action, 2);
    assert_null(all->next->next);
    pingo__executor_hadoop_report_free(all);
    assert_null(pingo__executor_hadoop_box_reports(box));
}

static void test_mailbox__who_stops_waits_only_so_long(void **state)
{
    (void)state;
    assert_false(pingo__executor_hadoop_box_stop(box, 1));
    assert_true(pingo__executor_hadoop_box_await(box, PINGO__HADOOP_ORDERED, NULL, 0));
    assert_false(pingo__executor_hadoop_box_ended(box)); /* nobody waits for that any more */
    assert_true(pingo__executor_hadoop_box_stop(box, 0));
}

static void test_mailbox__what_lies_in_it_goes_with_it(void **state)
{
    const struct pingo__executor_hadoop_report report = {.json = strdup("{}")};
    (void)state;
    post(PINGO__HADOOP_START, 1);
    post(PINGO__HADOOP_REVOKE, 2);
    assert_true(pingo__executor_hadoop_box_report(box, &report));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_mailbox__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(orders_are_taken_in_turn),
        TEST(what_nobody_has_taken_is_taken_back),
        TEST(of_what_can_be_forgotten_the_last_word_counts),
        TEST(an_answer_is_waited_for),
        TEST(all_is_submitted_or_there_is_trouble),
        TEST(reports_come_in_order),
        TEST(who_stops_waits_only_so_long),
        TEST(what_lies_in_it_goes_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
