/* test_wire.c - frames over a connection, whole, in pieces and hostile: wire.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "executor/local/wire.h"

static int ends[2];
static struct pingo__executor_inbox inbox;
static struct pingo__executor_wire_frame frame;

static int set_up(void **state)
{
    (void)state;
    memset(&inbox, 0, sizeof inbox);
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
}

static int tear_down(void **state)
{
    (void)state;
    pingo__buffer_clear(&inbox.bytes);
    close(ends[0]);
    return ends[1] < 0 ? 0 : close(ends[1]);
}

/* A frame with so many bytes of body. */
static struct pingo__buffer make(enum pingo__executor_wire_kind kind, size_t n)
{
    struct pingo__buffer b = {0};
    size_t begun = pingo__executor_wire_begin(&b, kind);
    for (size_t i = 0; i < n; i++)
        pingo__buffer_u8(&b, (uint8_t)i);
    pingo__executor_wire_end(&b, begun);
    assert_false(b.failed);
    return b;
}

static void is_frame(enum pingo__executor_wire_kind kind, size_t n)
{
    assert_true(pingo__executor_inbox_next(&inbox, &frame));
    assert_int_equal(frame.kind, kind);
    assert_int_equal(frame.body.length, n);
    for (size_t i = 0; i < n; i += 997)
        assert_int_equal(pingo__buffer_read_u8(&(struct pingo__buffer_reader){
                             frame.body.data, frame.body.length, i, false}),
                         (uint8_t)i);
}

static void test_wire__byte_by_byte(void **state)
{
    struct pingo__buffer b = make(PINGO__WIRE_KILL, 40);
    (void)state;
    assert_int_equal(pingo__executor_inbox_fill(&inbox, ends[0], false), -EAGAIN);
    for (size_t i = 0; i < b.length; i++) {
        assert_false(pingo__executor_inbox_next(&inbox, &frame) || inbox.is_broken);
        assert_int_equal(write(ends[1], b.data + i, 1), 1);
        assert_int_equal(pingo__executor_inbox_fill(&inbox, ends[0], i % 2), 1);
    }
    is_frame(PINGO__WIRE_KILL, 40);
    assert_false(pingo__executor_inbox_next(&inbox, &frame) || inbox.is_broken);
    pingo__buffer_clear(&b);
}

static void test_wire__many_at_once_and_large_ones(void **state)
{
    static const size_t sizes[] = {0, 1, 70000, 3, 600000, 5};
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct pingo__buffer b = make(PINGO__WIRE_START, sizes[i]);
            for (size_t at = 0; at < b.length;) {
                ssize_t n = write(ends[1], b.data + at, b.length - at);
                if (n < 0)
                    _exit(1);
                at += (size_t)n;
            }
        }
        _exit(0);
    }
    close(ends[1]);
    ends[1] = -1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ssize_t n = 1;
        while (n > 0 && !pingo__executor_inbox_next(&inbox, &frame))
            n = pingo__executor_inbox_fill(&inbox, ends[0], true);
        assert_true(n > 0 && inbox.at > 0);
        assert_int_equal(frame.body.length, sizes[i]);
    }
    while (pingo__executor_inbox_fill(&inbox, ends[0], true) > 0)
        continue;
    assert_int_equal(pingo__executor_inbox_fill(&inbox, ends[0], true), 0); /* gone */
    assert_false(pingo__executor_inbox_next(&inbox, &frame) || inbox.is_broken);
    assert_true(inbox.bytes.capacity < 1 << 20); /* what a large one took was given back */
}

static void test_wire__hostile_lengths(void **state)
{
    static const uint32_t lengths[] = {0, PINGO__WIRE_MAX + 1, UINT32_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        pingo__buffer_reset(&inbox.bytes);
        inbox.at = 0;
        pingo__buffer_u32(&inbox.bytes, lengths[i]);
        pingo__buffer_u8(&inbox.bytes, PINGO__WIRE_KILL);
        assert_false(pingo__executor_inbox_next(&inbox, &frame));
        assert_true(inbox.is_broken);
    }
}

static void test_wire__settings(void **state)
{
    const struct pingo__executor_wire_settings good = {4, 1 << 20, 100, 0, true};
    struct pingo__executor_wire_settings bad[] = {good, good, good, good}, got;
    (void)state;
    bad[0].slots = 0;
    bad[1].memory_bytes = -1;
    bad[2].log_bytes = 0;
    bad[3].grace_ms = -1;
    for (size_t i = 0; i < 5; i++) {
        struct pingo__buffer b = {0};
        pingo__executor_wire_put_settings(&b, i < 4 ? &bad[i] : &good);
        struct pingo__buffer_reader r = {b.data, b.length, 0, false};
        assert_int_equal(pingo__executor_wire_get_settings(&r, &got), i == 4);
        if (i == 4) {
            assert_memory_equal(&got, &good,
                                offsetof(struct pingo__executor_wire_settings, lets_exceed));
            assert_true(got.lets_exceed);
        }
        r = (struct pingo__buffer_reader){b.data, b.length - 1, 0, false};
        assert_false(pingo__executor_wire_get_settings(&r, &got));
        pingo__buffer_clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_wire__byte_by_byte, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wire__many_at_once_and_large_ones, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wire__hostile_lengths, set_up, tear_down),
        cmocka_unit_test(test_wire__settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
