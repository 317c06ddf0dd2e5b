/* workflow_target.h - what must hold of parsing, whatever the bytes; for the fuzzer and for the tests.
 *
 * Parsing ends without a crash; problems have places within the text, in its
 * order; what parses is printed, and the print parses to a workflow that prints
 * the same.  Where this does not hold, the program ends. */
#ifndef PINGO_TEST_WORKFLOW_TARGET_H
#define PINGO_TEST_WORKFLOW_TARGET_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pingo/workflow.h>

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static bool some_files_exist(void *context, const char *path)
{
    (void)context;
    return strlen(path) % 2 == 0;
}

static void check_problems(const struct pingo_problems *problems, size_t size)
{
    size_t line = 1, column = 1;

    for (size_t i = 0; i < pingo_problems_count(problems); i++) {
        const struct pingo_problem *p = pingo_problems_at(problems, i);

        must(p->line >= 1 && p->column >= 1 && p->line + p->column <= size + 2,
             "a place is in the text");
        must(p->line > line || (p->line == line && p->column >= column),
             "problems are in the order of the text");
        must(p->pointer[0] == '\0' || p->pointer[0] == '/', "a pointer is one");
        must(p->message[0] != '\0' && strchr(p->message, '\n') == NULL, "a message is one line");
        line = p->line;
        column = p->column;
    }
}

static void check_print(const struct pingo_workflow *w)
{
    struct pingo_workflow_options options = {.version = 1};
    struct pingo_workflow *again;
    struct pingo_error err;
    char *first, *second;
    size_t n, m;

    must(pingo_workflow_print(w, &first, &n, &err) == 0, "a workflow can be printed");
    must(pingo_workflow_parse(&(struct pingo_document){first, n, NULL}, &options, &again, &err) == 0,
         "what is printed parses");
    must(pingo_workflow_print(again, &second, &m, &err) == 0, "and prints again");
    must(n == m && memcmp(first, second, n) == 0, "to the same text");
    free(first);
    free(second);
    pingo_workflow_free(again);
}

static void fuzz_workflow(const uint8_t *data, size_t size)
{
    struct pingo_workflow_options options = {
        .version = 1, .base_dir = "/base", .file_exists = some_files_exist};
    struct pingo_workflow *w;
    struct pingo_problems *problems;
    struct pingo_error err;
    int r = pingo_workflow_parse(&(struct pingo_document){(const char *)data, size, &problems},
                                 &options, &w, &err);

    must((r == 0) == (w != NULL), "there is a workflow or an error");
    must(r == 0 || r == PINGO_EWORKFLOW, "nothing else happens");
    must(r == 0 || pingo_problems_count(problems) > 0, "an error is told");
    check_problems(problems, size);
    if (w != NULL)
        check_print(w);
    pingo_workflow_free(w);
    pingo_problems_free(problems);
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
    fuzz_workflow(data, size);
    free(data);
    return 0;
}

#endif
