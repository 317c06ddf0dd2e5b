/* errand_target.h - what must hold of reading the job of an attempt, whatever the bytes; for the fuzzer and for the tests.
 *
 * Reading ends without a crash, every text that it gives ends within the bytes, and what is read is written
 * to the same bytes.  Where this does not hold, the program ends. */
#ifndef PINGO_TEST_ERRAND_TARGET_H
#define PINGO_TEST_ERRAND_TARGET_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/record/attempt.h"

static inline void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static inline void check_text(const struct pingo__runner_errand *errand, size_t n, const char *text)
{
    must(text >= errand->bytes && text < errand->bytes + n, "a text lies in the bytes");
    must(memchr(text, '\0', (size_t)(errand->bytes + n - text)) != NULL, "and ends there");
}

static inline void check_texts(const struct pingo__runner_errand *errand, size_t n,
                               const char *const *texts)
{
    for (; *texts != NULL; texts++)
        check_text(errand, n, *texts);
}

/* What an executor would write, without the checksum.  Yours, free(). */
static inline uint8_t *fuzz_errand_of(const struct pingo_job *job, size_t *n)
{
    struct pingo__buffer b = {0};
    pingo__runner_errand_put(&b, job, &(struct pingo_runner_options){.version = 1});
    *n = b.length - 8;
    return (uint8_t *)pingo__buffer_take(&b);
}

static inline void check_errand(const struct pingo__runner_errand *errand, size_t n)
{
    const struct pingo__runner_job *job = &errand->job;
    check_texts(errand, n, job->argv);
    check_texts(errand, n, job->env);
    check_texts(errand, n, job->readable);
    check_text(errand, n, job->attempt_dir);
    check_text(errand, n, job->staged_path);
    for (size_t i = 0; i < job->nlinks; i++) {
        check_text(errand, n, job->links[i].name);
        check_text(errand, n, job->links[i].target);
    }
    must(job->nargv > 0 && job->cpus > 0 && errand->options.cpus > 0, "there is something to run");
}

/* The bytes with a checksum behind them.  What reading them gives. */
static inline int fuzz_errand(const uint8_t *data, size_t size)
{
    struct pingo__runner_errand errand = {.bytes = malloc(size + 8)};
    must(errand.bytes != NULL, "there is memory");
    if (size > 0)
        memcpy(errand.bytes, data, size);
    uint64_t sum = pingo__runner_checksum(errand.bytes, size);
    for (size_t i = 0; i < 8; i++)
        errand.bytes[size + i] = (char)(unsigned char)(sum >> (8 * i));
    int rc = pingo__runner_errand_parse(&errand, size + 8);
    must(rc == 0 || rc == PINGO_ECORRUPT || rc == PINGO_EVERSION, "nothing else happens");
    if (rc == 0)
        check_errand(&errand, size + 8);
    pingo__runner_errand_clear(&errand);
    return rc;
}

#endif
