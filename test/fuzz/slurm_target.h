/* slurm_target.h - what must hold of what is sent to Slurm and read from it, whatever the bytes; for the fuzzer and for the
 * tests.
 *
 * The script is two words, and sh gives them back as they are; reading replies ends without a crash, and what it tells is
 * whole.  Where this does not hold, the program ends. */
#ifndef PINGO_TEST_SLURM_TARGET_H
#define PINGO_TEST_SLURM_TARGET_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor/slurm/slurm.h"
#include "json/value.h"

static inline void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

/* One word as a POSIX shell reads it: what is in single quotes, behind a backslash, or plain.  Behind it stands `end`. */
static inline const char *shell_word(const char *text, char end, char *word)
{
    static const char special[] = "|&;<>()$`\"*?[]#~ \t\n";
    while (*text != end && *text) {
        if (*text == '\'') {
            for (text++; *text != '\''; text++) {
                must(*text != '\0', "a quote ends");
                *word++ = *text;
            }
            text++;
        } else if (*text == '\\') {
            *word++ = text[1];
            text += 2;
        } else {
            must(!strchr(special, *text), "nothing special stands outside quotes");
            *word++ = *text++;
        }
    }
    *word = '\0';
    return text;
}

static inline void fuzz_script(const char *runner, const char *dir)
{
    static const char head[] = "#!/bin/sh\nexec ";
    struct pingo__buffer b = {0};
    char *word = malloc(4 * (strlen(runner) + strlen(dir)) + 64);
    pingo__executor_slurm_script(&b, runner, dir, false);
    const char *text = pingo__buffer_cstr(&b);
    must(word && text && strncmp(text, head, strlen(head)) == 0, "it begins as it should");
    text = shell_word(text + strlen(head), ' ', word);
    must(strcmp(word, runner) == 0, "the first word is the runner");
    text = shell_word(text + 1, '\n', word);
    must(strcmp(word, dir) == 0 && strcmp(text, "\n") == 0,
         "the second the directory, and no more");
    free(word);
    pingo__buffer_clear(&b);
}

/* A job of any names: its body is JSON, and its strings are what was meant. */
static inline void fuzz_submission(const char *name, const char *dir)
{
    struct pingo_job job = {.key = {3, 4},
                            .store_id = "0123456789abcdef",
                            .name = name,
                            .attempt_dir = dir,
                            .cpus = 2,
                            .memory_bytes = 1,
                            .time_limit_ms = 1};
    struct pingo__executor_slurm_request r = {.options = {name}};
    struct pingo__arena arena = {0};
    struct pingo__buffer b = {0};
    struct pingo__json_document d;
    struct pingo__json_fault fault = {.pointer = NULL};
    struct pingo_job_key key;
    must(pingo__executor_slurm_request_make(&job, "/x/pingo-runner", 5000, &arena, &r) == 0,
         "there is memory");
    struct pingo__executor_slurm_record back = {.comment = r.comment};
    must(pingo__executor_slurm_key(&back, job.store_id, &key) && key.action == 3 && key.epoch == 4,
         "the comment tells the key");
    for (const char *c = r.comment; *c; c++)
        must(*c >= ' ' && *c <= '~' && *c != '|', "a comment is harmless in any list");
    for (int version = 36; version < 44; version += 7) {
        pingo__buffer_reset(&b);
        pingo__executor_slurm_body(&b, &r, version);
        must(!b.failed && pingo__json_open(&d, b.data, b.length, &fault, NULL) == 0,
             "the body is JSON");
        must(d.nmembers == (version < 40 ? 2 : 1),
             "of a script and a job, which has it since v0.0.40");
        pingo__json_close(&d);
    }
    pingo__buffer_clear(&b);
    pingo__arena_clear(&arena);
}

static inline void check_record(void *context, const struct pingo__executor_slurm_record *r)
{
    struct pingo_job_key key = {0, 0};
    ++*(size_t *)context;
    if (r->partition)
        return;
    must(r->id > 0 && r->state, "a job has an id and a state");
    if (pingo__executor_slurm_key(r, "0123456789abcdef", &key))
        must(key.action > 0 && key.epoch > 0, "a key is one");
    must(pingo__executor_slurm_state_of(r->state) <= PINGO__SLURM_GONE, "a state is one");
    must(r->wait_status >= 0 && r->wait_status <= 65535, "and a wait status");
}

/* The number of jobs that were told. */
static inline size_t fuzz_reply(const uint8_t *data, size_t size)
{
    struct pingo__executor_slurm_reply reply;
    struct pingo__executor_slurm_record record;
    char token[PINGO__SLURM_TOKEN_MOST], *text = malloc(size + 1);
    size_t n = 0;
    must(text != NULL, "there is memory");
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    must(pingo__executor_slurm_reply_read(text, size, check_record, &n, &reply) == 0,
         "a reply is read");
    must(reply.job_id >= 0 && strnlen(reply.error, sizeof reply.error) < sizeof reply.error,
         "it is whole");
    if (pingo__executor_slurm_token_read(text, size, token))
        for (const char *c = token; *c; c++)
            must(*c > ' ' && *c <= '~', "a token can stand in a header");
    pingo__executor_slurm_token_lasts_s(text, 0);
    if (pingo__executor_slurm_line_read(text, &record))
        must(record.id > 0 && record.state && record.name, "a line is whole");
    if (size > 0)
        memcpy(text, data, size);
    if (pingo__executor_slurm_node_read(text, &record))
        must(record.memory_mb > 0 && record.partition, "a node is whole");
    free(text);
    return n;
}

static inline void fuzz_slurm(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 2);
    must(text != NULL, "there is memory");
    if (size > 0)
        memcpy(text, data, size);
    text[size] = text[size + 1] = '\0';
    const char *second = text + strlen(text) + (strlen(text) < size);
    fuzz_script(text, second);
    fuzz_submission(text, second);
    free(text);
    fuzz_reply(data, size);
}

#endif
