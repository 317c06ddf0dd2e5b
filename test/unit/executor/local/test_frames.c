/* test_frames.c - what waits to be sent to the supervisor: its order, and what is taken out of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "executor/local/client.h"

static void add(struct pingo__executor_local_frames *frames, int64_t action)
{
    struct pingo__executor_local_frame *frame = pingo__executor_frame_begin(PINGO__WIRE_START);
    assert_non_null(frame);
    frame->key = (struct pingo_job_key){action, 1};
    assert_true(pingo__executor_frames_append(frames, frame));
}

/* They are these, in this order; none is left. */
static void are(struct pingo__executor_local_frames *frames, const char *actions)
{
    for (; *actions; actions++) {
        assert_non_null(STAILQ_FIRST(frames));
        assert_int_equal(STAILQ_FIRST(frames)->key.action, *actions - '0');
        pingo__executor_frames_drop(frames);
    }
    assert_null(STAILQ_FIRST(frames));
    assert_ptr_equal(frames->stqh_last, &frames->stqh_first);
}

static void test_frames__one_is_taken_wherever_it_stands(void **state)
{
    struct pingo__executor_local_frames frames = STAILQ_HEAD_INITIALIZER(frames);
    (void)state;
    for (int taken = 1; taken <= 3; taken++) {
        for (int i = 1; i <= 3; i++)
            add(&frames, i);
        assert_false(pingo__executor_frames_take(&frames, (struct pingo_job_key){taken, 2}));
        assert_true(pingo__executor_frames_take(&frames, (struct pingo_job_key){taken, 1}));
        assert_false(pingo__executor_frames_take(&frames, (struct pingo_job_key){taken, 1}));
        add(&frames, 4);
        are(&frames, taken == 1 ? "234" : taken == 2 ? "134" : "124");
    }
}

static void test_frames__what_came_back_goes_first(void **state)
{
    struct pingo__executor_local_frames out = STAILQ_HEAD_INITIALIZER(out),
                                        back = STAILQ_HEAD_INITIALIZER(back);
    (void)state;
    static const char *const wanted[2][3] = {{"4", "14", "124"}, {"34", "134", "1234"}};
    for (int nout = 0; nout <= 1; nout++)
        for (int nback = 0; nback <= 2; nback++) {
            for (int i = 1; i <= nback; i++)
                add(&back, i);
            if (nout)
                add(&out, 3);
            pingo__executor_frames_prepend(&out, &back);
            are(&back, "");
            add(&out, 4);
            are(&out, wanted[nout][nback]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames__one_is_taken_wherever_it_stands),
        cmocka_unit_test(test_frames__what_came_back_goes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
