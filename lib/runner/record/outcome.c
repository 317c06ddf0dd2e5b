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

/* The numbers of 64 bits: where each stands in a record. */
static const struct {
    size_t at, of;
} numbers[] = {
#define NUMBER(at, member)                                                                         \
    {                                                                                              \
        at, offsetof(struct pingo_job_end, member)                                                 \
    }
    NUMBER(8, key.action),    NUMBER(16, key.epoch),     NUMBER(32, started_ms),
    NUMBER(40, ended_ms),     NUMBER(48, wall_ms),       NUMBER(56, user_ms),
    NUMBER(64, system_ms),    NUMBER(72, max_rss_bytes), NUMBER(80, size_bytes),
    NUMBER(120, output_mark),
};
#define NNUMBERS (sizeof numbers / sizeof *numbers)
#define CONTENT_AT 88

/* A message that is too long is cut between two characters of UTF-8. */
static size_t message_length(const char *message)
{
    size_t n = strnlen(message, MESSAGE_SIZE);
    if (n == MESSAGE_SIZE)
        for (n--; n > 0 && ((unsigned char)message[n] & 0xc0) == 0x80; n--)
            continue;
    return n;
}

void pingo__runner_outcome_encode(const struct pingo_job_end *end,
                                  char record[PINGO__RUNNER_OUTCOME_SIZE])
{
    memset(record, 0, PINGO__RUNNER_OUTCOME_SIZE);
    put64(record, MAGIC);
    record[24] = (char)end->reason;
    record[25] = (char)end->output_kind;
    record[26] = (char)end->signal;
    record[27] = (char)(unsigned char)end->exit_code;
    record[28] = (char)((end->confined ? CONFINED : 0) | (end->denied ? DENIED : 0) |
                        (end->inputs_same ? INPUTS_SAME : 0));
    for (size_t i = 0; i < NNUMBERS; i++) {
        int64_t v;
        memcpy(&v, (const char *)end + numbers[i].of, sizeof v);
        put64(record + numbers[i].at, (uint64_t)v);
    }
    memcpy(record + CONTENT_AT, end->content.bytes, PINGO_HASH_SIZE);
    memcpy(record + MESSAGE_AT, end->message, message_length(end->message));
    put64(record + SUM_AT, pingo__runner_checksum(record, SUM_AT));
}

bool pingo__runner_outcome_decode(const char record[PINGO__RUNNER_OUTCOME_SIZE],
                                  struct pingo_job_end *end)
{
    if (get64(record) != MAGIC || get64(record + SUM_AT) != pingo__runner_checksum(record, SUM_AT) ||
        (unsigned char)record[24] > PINGO_END_BAD_OUTPUT ||
        (unsigned char)record[25] > PINGO_OUTPUT_DIRECTORY)
        return false;
    *end = (struct pingo_job_end){.size = sizeof *end,
                                  .reason = (enum pingo_end_reason)record[24],
                                  .output_kind = (enum pingo_output_kind)record[25],
                                  .signal = (unsigned char)record[26],
                                  .exit_code = (unsigned char)record[27],
                                  .confined = (record[28] & CONFINED) != 0,
                                  .denied = (record[28] & DENIED) != 0,
                                  .inputs_same = (record[28] & INPUTS_SAME) != 0};
    for (size_t i = 0; i < NNUMBERS; i++) {
        int64_t v = (int64_t)get64(record + numbers[i].at);
        memcpy((char *)end + numbers[i].of, &v, sizeof v);
    }
    memcpy(end->content.bytes, record + CONTENT_AT, PINGO_HASH_SIZE);
    memcpy(end->message, record + MESSAGE_AT, MESSAGE_SIZE - 1);
    return true;
}
