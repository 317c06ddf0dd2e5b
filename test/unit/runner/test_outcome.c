/* test_outcome.c - ends as bytes: whole or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "runner/record/job.h"

static struct pingo_job_end make_end(int64_t action)
{
    struct pingo_job_end end = {.size = sizeof end};
    end.key = (struct pingo_job_key){action, 3};
    end.reason = PINGO_END_MEMORY_LIMIT;
    end.exit_code = 255;
    end.signal = 64;
    end.started_ms = 1700000000000;
    end.ended_ms = INT64_MAX;
    end.wall_ms = 1;
    end.user_ms = 2;
    end.system_ms = 3;
    end.max_rss_bytes = 4;
    end.output_kind = PINGO_OUTPUT_DIRECTORY;
    end.size_bytes = -1;
    memset(end.content.bytes, 0xab, sizeof end.content.bytes);
    strcpy(end.message, "why");
    return end;
}

static void test_outcome__a_record_reads_back(void **state)
{
    char record[PINGO__RUNNER_OUTCOME_SIZE];
    struct pingo_job_end end = make_end(INT64_MIN), back;
    (void)state;
    pingo__runner_outcome_encode(&end, record);
    assert_true(pingo__runner_outcome_decode(record, &back));
    assert_memory_equal(&end, &back, sizeof end);
    for (size_t i = 0; i < sizeof record; i++) { /* each byte counts */
        record[i] ^= 1;
        assert_false(pingo__runner_outcome_decode(record, &back));
        record[i] ^= 1;
    }
}

static void test_outcome__a_long_message_is_cut_between_characters(void **state)
{
    char record[PINGO__RUNNER_OUTCOME_SIZE];
    struct pingo_job_end end = make_end(1), back;
    (void)state;
    for (size_t i = 0; i + 2 < sizeof end.message; i += 2)
        memcpy(end.message + i, "\xc3\xa9", 3);
    pingo__runner_outcome_encode(&end, record);
    assert_true(pingo__runner_outcome_decode(record, &back));
    assert_int_equal(strlen(back.message), 118);
    assert_memory_equal(back.message, end.message, 118);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outcome__a_record_reads_back),
        cmocka_unit_test(test_outcome__a_long_message_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
