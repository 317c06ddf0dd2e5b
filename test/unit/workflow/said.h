/* said.h - texts for tests, and what is said of them.
 *
 * A ' stands for ", in a text as in what is said.  What is said is a line for each
 * problem: "LINE:COLUMN POINTER MESSAGE", warnings with "W " before. */
#ifndef PINGO_TEST_SAID_H
#define PINGO_TEST_SAID_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pingo/workflow.h>

static inline char *with_quotes(const char *text)
{
    char *copy = strdup(text);

    assert_non_null(copy);
    for (char *c = copy; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    return copy;
}

/* What is said, as rows have it; free(). */
static inline char *described(const struct pingo_problems *problems)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    for (size_t i = 0; i < pingo_problems_count(problems); i++) {
        const struct pingo_problem *p = pingo_problems_at(problems, i);

        fprintf(out, "%s%s%zu:%zu %s %s", i == 0 ? "" : "\n",
                p->severity == PINGO_SEVERITY_WARNING ? "W " : "", p->line, p->column, p->pointer,
                p->message);
    }
    fclose(out);
    for (char *c = text; *c != '\0'; c++)
        if (*c == '"')
            *c = '\'';
    return text;
}

#endif
