/* Whose turn it is: the chooser, the parts, and use that grows old. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "plan/share.h"

static const struct pingo_hash hash;
static const struct pingo__plan_rank_key some = {0, 1, 0, &hash}, other = {0, 2, 0, &hash},
                                         admins = {5, 9, 0, &hash}, lower = {3, 1, 0, &hash},
                                         urgent = {1, 3, 0, &hash};

static void test_plan_share__chooses(void **state)
{
    static const struct {
        const char *what;
        struct pingo__plan_sharer users[3];
        size_t next;
    } cases[] = {
        {"nobody has anything", {{1, 1, 0, 0, 0, 0, NULL, 0}}, SIZE_MAX},
        {"one user alone, whatever he has used",
         {{1, 1, 99, 1 << 30, 0, 0, &some, 0}, {2, 1, 0, 0, 0, 0, NULL, 0}},
         0},
        {"fewest slots",
         {{1, 1, 2, 0, 0, 0, &some, 0}, {2, 1, 1, 99, 0, 0, &other, 0}, {3, 1, 3, 0, 0, 0, &some, 0}},
         1},
        {"fewest slots for his weight",
         {{1, 1, 2, 0, 0, 0, &some, 0}, {2, 3, 5, 0, 0, 0, &other, 0}},
         1},
        {"as many slots: least use",
         {{1, 1, 1, 50, 0, 0, &some, 0}, {2, 1, 1, 49, 0, 0, &other, 0}},
         1},
        {"least use, whoever comes first",
         {{1, 1, 1, 49, 0, 0, &some, 0}, {2, 1, 1, 50, 0, 0, &other, 0}},
         0},
        {"least use for his weight",
         {{1, 1, 0, 50, 0, 0, &some, 0}, {2, 3, 0, 149, 0, 0, &other, 0}},
         1},
        {"all equal: the lower number",
         {{7, 1, 1, 1, 0, 0, &some, 0}, {2, 1, 1, 1, 0, 0, &other, 0}},
         1},
        {"all equal, and in order", {{2, 1, 1, 1, 0, 0, &other, 0}, {7, 1, 1, 1, 0, 0, &some, 0}}, 0},
        {"a priority above 0 is before all shares",
         {{1, 1, 0, 0, 0, 0, &some, 0},
          {2, 1, 9, 99, 0, 0, &lower, 0},
          {3, 1, 8, 0, 0, 0, &admins, 0}},
         2},
        {"be it 1", {{1, 1, 9, 0, 0, 0, &urgent, 0}, {2, 1, 0, 0, 0, 0, &other, 0}}, 0},
        {"a quota that is full", {{1, 1, 1, 0, 1, 0, &some, 0}, {2, 1, 9, 0, 0, 0, &other, 0}}, 1},
        {"what he may have for the moment",
         {{1, 1, 1, 0, 0, 1, &some, 0}, {2, 1, 9, 0, 0, 9, &other, 0}},
         SIZE_MAX},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (pingo__plan_share_next(cases[i].users, 3) != cases[i].next)
            fail_msg("%s", cases[i].what);
}

static void test_plan_share__allots(void **state)
{
    static const struct {
        int64_t slots, weights[3], running[3];
        bool next[3];
        int64_t parts[3];
    } cases[] = {
        {4, {1, 1, 1}, {0, 0, 0}, {true, true, false}, {2, 2, 0}},
        {4, {1, 3, 1}, {0, 0, 0}, {true, true, false}, {1, 3, 0}},
        {4, {1, 1, 1}, {4, 0, 0}, {true, true, false}, {2, 2, 0}},
        {4, {1, 1, 1}, {0, 0, 1}, {true, true, false}, {2, 2, 1}}, /* rounded up */
        {8, {1, 1, 1}, {0, 0, 1}, {true, false, false}, {7, 0, 1}},
        {2, {1, 1, 1}, {0, 0, 0}, {true, true, true}, {1, 1, 1}},
        {0, {1, 1, 1}, {0, 0, 0}, {true, true, true}, {0, 0, 0}},
        {4, {1, 1, 1}, {0, 0, -2}, {true, true, false}, {2, 2, 0}}, /* a count that is damaged */
        {4, {1, 1, 1}, {0, 0, INT64_MAX / 2}, {true, true, false}, {2, 2, 2}}, /* likewise */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pingo__plan_sharer users[3];
        for (size_t k = 0; k < 3; k++)
            users[k] = (struct pingo__plan_sharer){.user = (int64_t)k,
                                                   .weight = cases[i].weights[k],
                                                   .running = cases[i].running[k],
                                                   .next = cases[i].next[k] ? &some : NULL};
        pingo__plan_share_allot(users, 3, cases[i].slots);
        for (size_t k = 0; k < 3; k++)
            if (users[k].part != cases[i].parts[k])
                fail_msg("case %zu, user %zu: %d", i, k, (int)users[k].part);
    }
}

/* A quota is no part: who may have more than he wants leaves it to the others, and who may have less does, too. */
static void test_plan_share__allots_within_quotas(void **state)
{
    struct pingo__plan_sharer users[] = {{.user = 1, .weight = 1, .quota = 2, .next = &some},
                                         {.user = 2, .weight = 1, .next = &some},
                                         {.user = 3, .weight = 1, .quota = 5, .running = 1},
                                         {.user = 4, .weight = 1, .quota = 5}};
    static const int64_t parts[] = {2, 6, 1, 0};
    (void)state;
    pingo__plan_share_allot(users, 4, 9);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(users[i].part, parts[i]);
}

/* A store knows everybody who ever submitted, and parts are allotted before each claim. */
static void test_plan_share__allots_quickly_where_many_have_nothing(void **state)
{
    enum { USERS = 20000, TIMES = 10 };
    struct pingo__plan_sharer *users = calloc(USERS, sizeof *users);
    (void)state;
    assert_non_null(users);
    for (size_t i = 0; i < USERS; i++)
        users[i] = (struct pingo__plan_sharer){.user = (int64_t)i, .weight = 1};
    users[USERS - 1].next = &some;
    clock_t before = clock();
    for (size_t i = 0; i < TIMES; i++)
        pingo__plan_share_allot(users, USERS, 4);
    assert_true(clock() - before < CLOCKS_PER_SEC);
    assert_int_equal(users[0].part, 0);
    assert_int_equal(users[USERS - 1].part, 4);
    free(users);
}

static void test_plan_share__halves_use(void **state)
{
    int64_t day = 86400000, as_of = 0;
    (void)state;
    assert_int_equal(pingo__plan_share_decay(1000000, &as_of, day / 1024 - 1, day), 1000000);
    assert_int_equal(as_of, 0);
    assert_in_range(pingo__plan_share_decay(1000000, &as_of, day, day), 499999, 500000);
    assert_int_equal(as_of, day);
    as_of = 0;
    assert_in_range(pingo__plan_share_decay(1000000, &as_of, day / 2, day), 707106, 707107);
    as_of = 0;
    assert_int_equal(pingo__plan_share_decay(INT64_MAX, &as_of, 200 * day, day), 0);
    as_of = day; /* the clock was set back */
    assert_int_equal(pingo__plan_share_decay(7, &as_of, 0, day), 7);
    assert_int_equal(as_of, day);
    /* In small steps as in a large one. */
    int64_t usage = INT64_C(1) << 40;
    as_of = 0;
    for (int64_t t = 0; t <= day; t += day / 1024)
        usage = pingo__plan_share_decay(usage, &as_of, t, day);
    assert_in_range(usage, (INT64_C(1) << 39) - 100000, (INT64_C(1) << 39) + 100000);
}

/* Whatever lengths the actions have, and with a slot for everybody: weights say who gets how much time, and nobody waits longer than others' actions
 * take that run. */
static void test_plan_share__keeps_weights_and_starves_nobody(void **state)
{
    enum { USERS = 5, SLOTS = 28, ROUNDS = 200000 };
    static const int64_t weights[USERS] = {1, 1, 2, 3, 7};
    (void)state;
    for (uint32_t seed = 1; seed <= 5; seed++) {
        struct pingo__plan_sharer users[USERS];
        struct {
            size_t user;
            int64_t end_ms, ms;
        } slots[SLOTS] = {{0, 0, 0}};
        int64_t now_ms = 0, used[USERS] = {0}, all = 0, served[USERS] = {0};
        uint32_t random = seed;
        for (size_t i = 0; i < USERS; i++)
            users[i] =
                (struct pingo__plan_sharer){.user = (int64_t)i, .weight = weights[i], .next = &some};
        for (size_t round = 0; round < ROUNDS; round++) {
            size_t s = round;
            if (round >= SLOTS) {
                s = 0;
                for (size_t i = 1; i < SLOTS; i++)
                    s = slots[i].end_ms < slots[s].end_ms ? i : s;
                now_ms = slots[s].end_ms;
                users[slots[s].user].running--;
                users[slots[s].user].usage_ms += slots[s].ms;
                used[slots[s].user] += slots[s].ms;
                all += slots[s].ms;
            }
            size_t u = pingo__plan_share_next(users, USERS);
            random = random * 1664525u + 1013904223u;
            slots[s].user = u;
            slots[s].ms = 1 + (random >> 8) % (u == 1 ? 5000 : 500); /* one has long ones */
            slots[s].end_ms = now_ms + slots[s].ms;
            users[u].running++;
            served[u] = now_ms;
            for (size_t i = 0; i < USERS; i++)
                if (now_ms - served[i] > 30000)
                    fail_msg("user %zu waits since %d at %d", i, (int)served[i], (int)now_ms);
        }
        int64_t sum = 1 + 1 + 2 + 3 + 7;
        for (size_t i = 0; i < USERS; i++) {
            double part = (double)used[i] / (double)all, due = (double)weights[i] / (double)sum;
            if (part < due * 0.9 || part > due * 1.1)
                fail_msg("user %zu has %f of the time, and should have %f", i, part, due);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_share__chooses),
        cmocka_unit_test(test_plan_share__allots),
        cmocka_unit_test(test_plan_share__allots_within_quotas),
        cmocka_unit_test(test_plan_share__allots_quickly_where_many_have_nothing),
        cmocka_unit_test(test_plan_share__halves_use),
        cmocka_unit_test(test_plan_share__keeps_weights_and_starves_nobody),
    };
    return cmocka_run_group_tests_name("plan/share", tests, NULL, NULL);
}
