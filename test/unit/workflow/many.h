/* many.h - texts of very many actions, written one by one. */
#ifndef PINGO_TEST_MANY_H
#define PINGO_TEST_MANY_H

#include "unit/share.h"
#include "unit/workflow/said.h"

struct text {
    char *data;
    size_t size;
    FILE *out;
};

static inline void begin(struct text *t)
{
    t->data = NULL;
    t->out = open_memstream(&t->data, &t->size);
    assert_non_null(t->out);
    fputs("{\"name\":\"w\",\"actions\":[", t->out);
}

static inline void add(struct text *t, long long id, const char *more)
{
    fprintf(t->out,
            "%s{\"id\":%lld,\"name\":\"n%lld\",\"type\":\"external\",\"description\":\"d\"%s",
            ftell(t->out) > 30 ? "," : "", id, id % 1000, more);
}

static inline int parse(struct text *t, struct pingo_workflow **w, struct pingo_problems **problems)
{
    struct pingo_error err;
    int r;

    fputs("]}", t->out);
    fclose(t->out);
    r = pingo_workflow_parse(&(struct pingo_document){t->data, t->size, problems}, NULL, w, &err);
    free(t->data);
    return r;
}

#endif
