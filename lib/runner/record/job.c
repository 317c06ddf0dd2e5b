/* job.c - see job.h.  Nothing here does input or output. */
#include "runner/record/job.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pingo__runner_put_key(struct pingo__buffer *b, struct pingo_job_key key)
{
    pingo__buffer_u64(b, (uint64_t)key.action);
    pingo__buffer_u64(b, (uint64_t)key.epoch);
}

struct pingo_job_key pingo__runner_get_key(struct pingo__buffer_reader *r)
{
    struct pingo_job_key key;
    key.action = (int64_t)pingo__buffer_read_u64(r);
    key.epoch = (int64_t)pingo__buffer_read_u64(r);
    return key;
}

void pingo__runner_put_text(struct pingo__buffer *b, const char *text)
{
    pingo__buffer_counted(b, text, strlen(text) + 1);
}

const char *pingo__runner_get_text(struct pingo__buffer_reader *r)
{
    size_t n = 0;
    const char *text = pingo__buffer_read_counted(r, &n);
    if (!text)
        return NULL;
    if (n == 0 || memchr(text, '\0', n) != text + n - 1) {
        r->failed = true;
        return NULL;
    }
    return text;
}

static void put_texts(struct pingo__buffer *b, const char *const *texts)
{
    size_t n = 0;
    while (texts && texts[n])
        n++;
    pingo__buffer_u32(b, (uint32_t)n);
    for (size_t i = 0; i < n; i++)
        pingo__runner_put_text(b, texts[i]);
}

static void put_link(struct pingo__buffer *b, const struct pingo_job_link *link)
{
    bool has_content = link->copy && link->content;
    pingo__runner_put_text(b, link->name);
    pingo__runner_put_text(b, link->target);
    pingo__buffer_u8(b, (uint8_t)(link->copy + has_content));
    if (has_content)
        pingo__buffer_append(b, link->content, sizeof *link->content);
    pingo__buffer_u64(b, (uint64_t)link->mark);
}

void pingo__runner_put_job(struct pingo__buffer *b, const struct pingo_job *job)
{
    pingo__runner_put_key(b, job->key);
    pingo__buffer_u64(b, (uint64_t)job->cpus);
    pingo__buffer_u64(b, (uint64_t)job->memory_bytes);
    pingo__buffer_u64(b, (uint64_t)job->time_limit_ms);
    pingo__runner_put_text(b, job->attempt_dir);
    pingo__runner_put_text(b, job->staged_path);
    pingo__buffer_u8(b, job->output ? 1 : 0);
    if (job->output)
        pingo__runner_put_text(b, job->output);
    put_texts(b, job->argv);
    put_texts(b, job->env);
    pingo__buffer_u32(b, (uint32_t)job->nlinks);
    for (size_t i = 0; i < job->nlinks; i++)
        put_link(b, &job->links[i]);
    pingo__buffer_u8(b, job->confine);
    put_texts(b, job->readable);
}

/* A directory of this machine, or the URL of one. */
static bool is_place(const char *text)
{
    return text[0] == '/' || (text[0] && strstr(text + 1, "://"));
}

bool pingo__runner_get_job_head(struct pingo__buffer_reader *r, struct pingo__runner_job *job)
{
    memset(job, 0, sizeof *job);
    job->key = pingo__runner_get_key(r);
    job->cpus = (int64_t)pingo__buffer_read_u64(r);
    job->memory_bytes = (int64_t)pingo__buffer_read_u64(r);
    job->time_limit_ms = (int64_t)pingo__buffer_read_u64(r);
    job->attempt_dir = pingo__runner_get_text(r);
    return !r->failed && job->cpus >= 1 && job->memory_bytes >= 0 && job->time_limit_ms >= 0 &&
           is_place(job->attempt_dir);
}

/* Each text takes at least 5 bytes, so a count that the frame cannot hold is seen before memory
 * is asked for. */
static int get_texts(struct pingo__buffer_reader *r, const char ***texts, size_t *n)
{
    *n = pingo__buffer_read_u32(r);
    if (r->failed || *n > (r->length - r->at) / 5)
        return PINGO_ECORRUPT;
    *texts = calloc(*n + 1, sizeof **texts);
    if (!*texts)
        return PINGO_ENOMEM;
    for (size_t i = 0; i < *n; i++)
        (*texts)[i] = pingo__runner_get_text(r);
    return r->failed ? PINGO_ECORRUPT : 0;
}

static void get_link(struct pingo__buffer_reader *r, struct pingo_job_link *link)
{
    link->name = pingo__runner_get_text(r);
    link->target = pingo__runner_get_text(r);
    uint8_t kind = pingo__buffer_read_u8(r);
    link->copy = kind > 0;
    if (kind > 1) /* bytes, so wherever they lie is fine */
        link->content = (const void *)pingo__buffer_read_bytes(r, sizeof *link->content);
    link->mark = (int64_t)pingo__buffer_read_u64(r);
}

static int get_links(struct pingo__buffer_reader *r, struct pingo__runner_job *job)
{
    job->nlinks = pingo__buffer_read_u32(r);
    if (r->failed || job->nlinks > (r->length - r->at) / 19)
        return PINGO_ECORRUPT;
    job->links = calloc(job->nlinks + 1, sizeof *job->links);
    if (!job->links)
        return PINGO_ENOMEM;
    for (size_t i = 0; i < job->nlinks; i++)
        get_link(r, &job->links[i]);
    return r->failed ? PINGO_ECORRUPT : 0;
}

int pingo__runner_get_job(struct pingo__buffer_reader *r, struct pingo__runner_job *job)
{
    if (!pingo__runner_get_job_head(r, job))
        return PINGO_ECORRUPT;
    job->staged_path = pingo__runner_get_text(r);
    if (pingo__buffer_read_u8(r) != 0)
        job->output = pingo__runner_get_text(r);
    int rc = r->failed ? PINGO_ECORRUPT : 0;
    if (rc == 0)
        rc = get_texts(r, &job->argv, &job->nargv);
    if (rc == 0)
        rc = get_texts(r, &job->env, &job->nenv);
    if (rc == 0)
        rc = get_links(r, job);
    if (rc == 0) {
        job->confine = pingo__buffer_read_u8(r) != 0;
        rc = get_texts(r, &job->readable, &job->nreadable);
    }
    if (rc == 0 && (job->nargv == 0 || r->at != r->length || !is_place(job->staged_path)))
        rc = PINGO_ECORRUPT;
    return rc;
}

void pingo__runner_job_clear(struct pingo__runner_job *job)
{
    free(job->argv);
    free(job->env);
    free(job->links);
    free(job->readable);
    memset(job, 0, sizeof *job);
}

/* ---- the end ------------------------------------------------------------------------------------ */

void pingo__runner_fail(struct pingo_job_end *end, enum pingo_end_reason reason, const char *format,
                        ...)
{
    va_list arguments;
    end->reason = reason;
    end->output_kind = PINGO_OUTPUT_NONE;
    va_start(arguments, format);
    vsnprintf(end->message, sizeof end->message, format, arguments);
    va_end(arguments);
}

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
