/* history_target.h - what must hold of reading a history, whatever the bytes; for the fuzzer and for the tests.
 *
 * A line is read whole, or changes nothing and its place is told; parents come before children, both ways; and what is
 * printed is read to a history that prints the same.  Where this does not hold, the program ends. */
#ifndef PINGO_TEST_HISTORY_TARGET_H
#define PINGO_TEST_HISTORY_TARGET_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pingo/history.h>

static inline void history_must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

/* From memory that ends where the line does. */
static inline void history_line(struct pingo_history *h, const uint8_t *line, size_t n,
                                size_t number)
{
    struct pingo_error err = {0};
    uint32_t submissions = pingo_history_count_submissions(h);
    uint32_t actions = pingo_history_count_actions(h);
    size_t edges = pingo_history_count_edges(h);
    char *text = malloc(n > 0 ? n : 1);
    history_must(text != NULL, "there is memory");
    memcpy(text, line, n);
    int rc = pingo_history_read_line(h, text, n, number, &err);
    free(text);
    history_must(rc == 0 || rc == PINGO_EINVAL, "nothing else happens");
    if (rc == 0)
        return;
    history_must(strncmp(err.message, "line ", 5) == 0, "the place is told");
    history_must(pingo_history_count_submissions(h) == submissions &&
                     pingo_history_count_actions(h) == actions &&
                     pingo_history_count_edges(h) == edges,
                 "what is wrong changes nothing");
}

static inline void history_actions(const struct pingo_history *h)
{
    for (uint32_t a = 0; a < pingo_history_count_actions(h); a++) {
        size_t n;
        const uint32_t *parents = pingo_history_parents(h, a, &n);
        for (size_t i = 0; i < n; i++)
            history_must(parents[i] < a, "a parent comes before its children");
        uint32_t at = pingo_history_children(h, a), last = UINT32_MAX, child;
        while ((child = pingo_history_next_child(h, &at)) != PINGO_HISTORY_NONE) {
            history_must(child > a && child < last, "children fall, and come behind");
            last = child;
        }
        history_must(pingo_history_find(h, pingo_history_hash(h, a)) == a, "a hash is found");
    }
}

static inline char *history_print(const struct pingo_history *h, uint32_t submission)
{
    struct pingo_error err;
    char *line = NULL;
    history_must(pingo_history_print_line(h, submission, NULL, &line, &err) == 0,
                 "a submission is printed");
    return line;
}

/* How many submissions there are. */
static inline uint32_t fuzz_history(const uint8_t *data, size_t size)
{
    struct pingo_history *h, *again;
    struct pingo_error err;
    size_t number = 1;
    history_must(pingo_history_new(&h, &err) == 0 && pingo_history_new(&again, &err) == 0,
                 "there is memory");
    for (size_t at = 0, n; at < size; at += n + 1, number++) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        n = end ? (size_t)(end - data) - at : size - at;
        history_line(h, data + at, n, number);
    }
    history_actions(h);
    uint32_t submissions = pingo_history_count_submissions(h);
    for (uint32_t i = 0; i < submissions; i++) {
        char *line = history_print(h, i);
        history_must(pingo_history_read_line(again, line, strlen(line), 1, &err) == 0,
                     "what is printed is read");
        char *same = history_print(again, i);
        history_must(strcmp(line, same) == 0, "and prints the same");
        free(line);
        free(same);
    }
    pingo_history_free(h);
    pingo_history_free(again);
    return submissions;
}

#endif
