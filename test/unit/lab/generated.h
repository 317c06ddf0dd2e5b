/* generated.h - making histories and walking through them, for the tests of the generator. */
#ifndef TEST_SIMULATE_GENERATED_H
#define TEST_SIMULATE_GENERATED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pingo-lab/generate.h>

static inline struct pingo_history *generated(const char *family, uint64_t seed,
                                              const char *parameters)
{
    struct pingo_generate_options options = {
        .version = 1, .family = family, .seed = seed, .parameters = parameters};
    struct pingo_history *history = NULL;
    struct pingo_error err = {0};
    if (pingo_generate(&options, &history, &err) != 0)
        fail_msg("%s", err.message);
    return history;
}

static inline struct pingo_history_submission submission_of(const struct pingo_history *history,
                                                            uint32_t i)
{
    struct pingo_history_submission s = {.size = sizeof s};
    assert_int_equal(pingo_history_submission(history, i, &s), 0);
    return s;
}

#endif
