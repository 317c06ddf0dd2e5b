/* wfformat_target.h - what must hold of importing a run, whatever the bytes; for the fuzzer and for the tests.
 *
 * Reading ends without a crash, with a run or one line that tells the place.  What was read
 * can be arranged in every way, and the history prints lines that read back.
 * Where this does not hold, the program ends. */
#ifndef PINGO_TEST_WFFORMAT_TARGET_H
#define PINGO_TEST_WFFORMAT_TARGET_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pingo-lab/import.h>

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

/* Every line, printed and read again. */
static void check_history(const struct pingo_history *history)
{
    struct pingo_history *again;
    struct pingo_error err;

    must(pingo_history_new(&again, &err) == 0, "there is memory");
    for (uint32_t i = 0; i < pingo_history_count_submissions(history); i++) {
        char *line;

        must(pingo_history_print_line(history, i, NULL, &line, &err) == 0, "a line can be printed");
        must(pingo_history_read_line(again, line, strlen(line), i + 1, &err) == 0,
             "what is printed can be read");
        free(line);
    }
    must(pingo_history_count_actions(again) == pingo_history_count_actions(history),
         "both have the same actions");
    pingo_history_free(again);
}

static void check_kinds(struct pingo_import *import)
{
    for (int as = PINGO_IMPORT_GROWTH; as <= PINGO_IMPORT_TARGETS; as++) {
        struct pingo_import_options options = {
            .version = 1, .as = (enum pingo_import_as)as, .nsubmissions = 4, .every = 1};
        struct pingo_history *history;
        struct pingo_error err;

        must(pingo_import_arrange(import, &options, &history, &err) == 0,
             "what was read can be arranged");
        must(pingo_history_count_submissions(history) == 4, "as often as it was asked for");
        check_history(history);
        pingo_history_free(history);
    }
}

static void fuzz_wfformat(const uint8_t *data, size_t size)
{
    struct pingo_import *import;
    struct pingo_import_facts facts = {.size = sizeof facts};
    struct pingo_error err;
    int rc;

    must(pingo_import_new(&import, &err) == 0, "there is memory");
    rc = pingo_import_wfformat(import, "a-2b", (const char *)data, size, &err);
    must(rc == 0 || rc == PINGO_EINVAL, "nothing else happens");
    if (rc) {
        must(rc == err.code && strncmp(err.message, "line ", 5) == 0, "the place is told");
        for (const char *c = err.message; *c; c++)
            must((unsigned char)*c >= ' ', "a message is one line");
    }
    must(pingo_import_look(import, &facts, &err) == 0, "it can be looked at");
    must(facts.nruns == (rc == 0), "what is wrong is not added");
    if (rc == 0)
        check_kinds(import);
    pingo_import_free(import);
}

/* The bytes of a file.  Returns 1 where it cannot be read. */
static inline int fuzz_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t size = 0, got = 1;

    if (in == NULL) {
        perror(path);
        return 1;
    }
    while (got > 0) {
        uint8_t *bigger = realloc(data, size + 65536);

        if (bigger == NULL)
            abort();
        data = bigger;
        got = fread(data + size, 1, 65536, in);
        size += got;
    }
    fclose(in);
    /* Exactly as long as the text, so that a byte read behind it is found. */
    data = realloc(data, size > 0 ? size : 1);
    if (data == NULL)
        abort();
    fuzz_wfformat(data, size);
    free(data);
    return 0;
}

#endif
