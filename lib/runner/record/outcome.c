/* outcome.c - see outcome.h. */
#include "runner/record/outcome.h"

#include <string.h>

#define MAGIC UINT64_C(0x31646e456f676e69) /* never equal in its first bytes to another offset */
#define MESSAGE_AT 128
#define MESSAGE_SIZE 120
#define SUM_AT 248
#define CONFINED 1
#define DENIED 2
#define INPUTS_SAME 4

static void put64(char *at, uint64_t v)
{
    for (size_t i = 0; i < 8; i++)
        at[i] = (char)(unsigned char)(v >> (8 * i));
}

static uint64_t get64(const char *at)
{
    uint64_t v = 0;
    for (size_t i = 0; i < 8; i++)
        v |= (uint64_t)(unsigned char)at[i] << (8 * i);
    return v;
}

uint64_t pingo__runner_checksum(const char *bytes, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return h ^ (h >> 29);
}

void pingo__runner_outcome_encode(const struct pingo_job_end *end,
                                  char record[PINGO__RUNNER_OUTCOME_SIZE])
{
    memset(record, 0, PINGO__RUNNER_OUTCOME_SIZE);
    put64(record, MAGIC);
    put64(record + 8, (uint64_t)end->key.action);
    put64(record + 16, (uint64_t)end->key.epoch);
    record[24] = (char)end->reason;
    record[25] = (char)end->output_kind;
    record[26] = (char)end->signal;
    record[27] = (char)(unsigned char)end->exit_code;
    record[28] = (char)((end->confined ? CONFINED : 0) | (end->denied ? DENIED : 0) |
                        (end->inputs_same ? INPUTS_SAME : 0));
    put64(record + 32, (uint64_t)end->started_ms);
    put64(record + 40, (uint64_t)end->ended_ms);
    put64(record + 48, (uint64_t)end->wall_ms);
    put64(record + 56, (uint64_t)end->user_ms);
    put64(record + 64, (uint64_t)end->system_ms);
    put64(record + 72, (uint64_t)end->max_rss_bytes);
    put64(record + 80, (uint64_t)end->size_bytes);
    memcpy(record + 88, end->content.bytes, PINGO_HASH_SIZE);
    put64(record + 120, (uint64_t)end->output_mark);
    size_t n = strnlen(end->message, sizeof end->message);
    if (n >= MESSAGE_SIZE) { /* cut between two characters of UTF-8 */
        n = MESSAGE_SIZE - 1;
        while (n > 0 && ((unsigned char)end->message[n] & 0xc0) == 0x80)
            n--;
    }
    memcpy(record + MESSAGE_AT, end->message, n);
    put64(record + SUM_AT, pingo__runner_checksum(record, SUM_AT));
}

bool pingo__runner_outcome_decode(const char record[PINGO__RUNNER_OUTCOME_SIZE],
                                  struct pingo_job_end *end)
{
    if (get64(record) != MAGIC || get64(record + SUM_AT) != pingo__runner_checksum(record, SUM_AT) ||
        (unsigned char)record[24] > PINGO_END_BAD_OUTPUT ||
        (unsigned char)record[25] > PINGO_OUTPUT_DIRECTORY)
        return false;
    *end = (struct pingo_job_end){.size = sizeof *end};
    end->key.action = (int64_t)get64(record + 8);
    end->key.epoch = (int64_t)get64(record + 16);
    end->reason = (enum pingo_end_reason)record[24];
    end->output_kind = (enum pingo_output_kind)record[25];
    end->signal = (unsigned char)record[26];
    end->exit_code = (unsigned char)record[27];
    end->confined = (record[28] & CONFINED) != 0;
    end->denied = (record[28] & DENIED) != 0;
    end->inputs_same = (record[28] & INPUTS_SAME) != 0;
    end->started_ms = (int64_t)get64(record + 32);
    end->ended_ms = (int64_t)get64(record + 40);
    end->wall_ms = (int64_t)get64(record + 48);
    end->user_ms = (int64_t)get64(record + 56);
    end->system_ms = (int64_t)get64(record + 64);
    end->max_rss_bytes = (int64_t)get64(record + 72);
    end->size_bytes = (int64_t)get64(record + 80);
    memcpy(end->content.bytes, record + 88, PINGO_HASH_SIZE);
    end->output_mark = (int64_t)get64(record + 120);
    memcpy(end->message, record + MESSAGE_AT, MESSAGE_SIZE - 1);
    return true;
}
