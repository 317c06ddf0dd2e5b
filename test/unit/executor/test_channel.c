/* test_channel.c - two ends of a connection on a loop: channel.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "executor/local/channel.h"

struct end {
    struct pingo__executor_channel *channel; /* NULL: it ended */
    size_t nframes, nbytes, nended, nfreed;
    bool refuses; /* the next frame is wrong */
};

static uv_loop_t loop;
static struct end a, b;

static bool on_frame(struct pingo__executor_channel *channel,
                     struct pingo__executor_wire_frame *frame)
{
    struct end *end = channel->owner;
    end->nframes++;
    end->nbytes += frame->body.length;
    return !end->refuses;
}

static void on_end(struct pingo__executor_channel *channel)
{
    struct end *end = channel->owner;
    end->nended++;
    end->channel = NULL;
}

static void on_free(struct pingo__executor_channel *channel)
{
    ((struct end *)channel->owner)->nfreed++;
}

static void open_end(struct end *end, int fd)
{
    memset(end, 0, sizeof *end);
    end->channel = pingo__executor_channel_open(&loop, fd, end);
    assert_non_null(end->channel);
    end->channel->on_frame = on_frame;
    end->channel->on_end = on_end;
    end->channel->on_free = on_free;
}

static int set_up(void **state)
{
    int fds[2];
    (void)state;
    if (uv_loop_init(&loop) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) != 0)
        return -1;
    open_end(&a, fds[0]);
    open_end(&b, fds[1]);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pingo__executor_channel_close(a.channel);
    pingo__executor_channel_close(b.channel);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(a.nfreed, 1);
    assert_int_equal(b.nfreed, 1);
    return uv_loop_close(&loop);
}

static void say(struct end *end, size_t n)
{
    struct pingo__buffer *out = pingo__executor_channel_begin(end->channel, PINGO__WIRE_START);
    for (size_t i = 0; i < n; i++)
        pingo__buffer_u8(out, 1);
    assert_true(pingo__executor_channel_send(end->channel));
}

/* More than a socket holds: it waits, nobody blocks, and nothing is lost. */
static void test_channel__what_is_not_taken_waits(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++)
        say(&a, 100000);
    assert_true(pingo__executor_channel_unsent(a.channel) > 0);
    assert_int_equal(b.nframes, 0);
    while (b.nframes < 20)
        uv_run(&loop, UV_RUN_ONCE);
    assert_int_equal(b.nbytes, 2000000);
    assert_int_equal(pingo__executor_channel_unsent(a.channel), 0);
    say(&b, 3);
    while (a.nframes < 1)
        uv_run(&loop, UV_RUN_ONCE);
}

static void test_channel__an_end_is_told_once(void **state)
{
    (void)state;
    say(&a, 3); /* what was said before it ended counts */
    pingo__executor_channel_close(a.channel);
    while (b.nended == 0)
        uv_run(&loop, UV_RUN_ONCE);
    uv_run(&loop, UV_RUN_NOWAIT);
    assert_int_equal(b.nframes, 1);
    assert_int_equal(b.nended, 1);
    assert_int_equal(a.nended, 0); /* who closes knows */
    a.channel = NULL;
}

static void test_channel__a_wrong_frame_costs_the_connection(void **state)
{
    (void)state;
    b.refuses = true;
    say(&a, 1);
    say(&a, 2);
    while (b.nended == 0 || a.nended == 0)
        uv_run(&loop, UV_RUN_ONCE);
    assert_int_equal(b.nframes, 1); /* the second was not handed on */
}

static void test_channel__bytes_that_are_no_frame(void **state)
{
    (void)state;
    assert_int_equal(send(a.channel->fd, "\0\0\0\0\0", 5, 0), 5);
    while (b.nended == 0)
        uv_run(&loop, UV_RUN_ONCE);
    assert_int_equal(b.nframes, 0);
    while (a.nended == 0)
        uv_run(&loop, UV_RUN_ONCE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_channel__what_is_not_taken_waits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_channel__an_end_is_told_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_channel__a_wrong_frame_costs_the_connection, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_channel__bytes_that_are_no_frame, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
