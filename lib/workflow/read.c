/* read.c - single values: kinds and spellings, and what would be right. */
#include "workflow/read.h"

#include "base/path.h"
#include "base/text.h"

bool pingo__workflow_is_free_key(const char *key)
{
    return key[0] == 'x' && key[1] == '-';
}

/* What a message calls the value: its key, or "element N".  What was opened by itself is called by the last part of
 * its pointer. */
static const char *called(struct pingo_problem_sink *r, const struct pingo__json_value *v,
                          const char *pointer)
{
    const char *last = pingo__path_last(pointer), *key = pingo__json_key(v);
    if (!key && last[0] >= '0' && last[0] <= '9')
        return pingo__workflow_pointer(r->draft, "element %.20s", last);
    key = key ? key : last;
    return pingo__workflow_pointer(r->draft, "\"%.*s\"", pingo__workflow_quoted(key), key);
}

bool pingo__workflow_read_is(struct pingo_problem_sink *r, const struct pingo__json_value *v,
                             const char *pointer, enum pingo__json_kind kind, const char *words)
{
    if (pingo__json_kind(v) == kind)
        return true;
    pingo__workflow_report(r, pointer, "%s must be %s, not %s", called(r, v, pointer), words,
                           pingo__json_kind_name(pingo__json_kind(v)));
    return false;
}

size_t pingo__workflow_read_count(const struct pingo__json_value *v)
{
    size_t n = 0;
    for (v = pingo__json_first(v); v; v = pingo__json_next(v))
        n++;
    return n;
}

const char *pingo__workflow_read_text(struct pingo_problem_sink *r,
                                      const struct pingo__json_value *v, const char *pointer)
{
    if (!pingo__workflow_read_is(r, v, pointer, PINGO__JSON_STRING, "a string"))
        return pingo__workflow_reported;
    return pingo__json_text(v);
}

const char *const *pingo__workflow_read_texts(struct pingo_problem_sink *r,
                                              const struct pingo__json_value *v,
                                              const char *pointer, size_t *n)
{
    struct pingo__workflow_draft *d = r->draft;
    *n = 0;
    if (!pingo__workflow_read_is(r, v, pointer, PINGO__JSON_ARRAY, "an array of strings"))
        return NULL;
    const char **texts =
        pingo__workflow_draft_array(d, &d->scratch, pingo__workflow_read_count(v), sizeof *texts);
    if (!texts)
        return NULL;
    for (v = pingo__json_first(v); v; v = pingo__json_next(v), (*n)++) {
        if (pingo__json_kind(v) == PINGO__JSON_STRING)
            texts[*n] = pingo__json_text(v);
        else
            texts[*n] =
                pingo__workflow_read_text(r, v, pingo__workflow_pointer(d, "%s/%zu", pointer, *n));
    }
    return texts;
}

const char *const *pingo__workflow_read_pairs(struct pingo_problem_sink *r,
                                              const struct pingo__json_value *v,
                                              const char *pointer, size_t *n)
{
    struct pingo__workflow_draft *d = r->draft;
    *n = 0;
    if (!pingo__workflow_read_is(r, v, pointer, PINGO__JSON_OBJECT, "an object of strings"))
        return NULL;
    const char **pairs = pingo__workflow_draft_array(
        d, &d->scratch, 2 * pingo__workflow_read_count(v), sizeof *pairs);
    if (!pairs)
        return NULL;
    for (v = pingo__json_first(v); v; v = pingo__json_next(v), *n += 2) {
        const char *key = pingo__json_key(v);
        pairs[*n] = key;
        if (pingo__json_kind(v) == PINGO__JSON_STRING)
            pairs[*n + 1] = pingo__json_text(v);
        else
            pairs[*n + 1] =
                pingo__workflow_read_text(r, v, pingo__workflow_pointer_to_key(d, pointer, key));
    }
    return pairs;
}

bool pingo__workflow_read_flag(struct pingo_problem_sink *r, const struct pingo__json_value *v,
                               const char *pointer, bool fallback)
{
    if (!pingo__workflow_read_is(r, v, pointer, PINGO__JSON_BOOLEAN, "true or false"))
        return fallback;
    return pingo__json_is_true(v);
}

/* Returns what was meant, where that is plain, so that what refers to it is not wrong too. */
static int64_t report_no_integer(struct pingo_problem_sink *r, const struct pingo__json_value *v,
                                 const char *pointer, const struct pingo__workflow_range *range)
{
    enum pingo__json_kind kind = pingo__json_kind(v);
    const char *found = pingo__json_kind_name(kind), *right = "";
    int64_t meant = -1;
    if (kind == PINGO__JSON_STRING) {
        const char *text = pingo__json_text(v);
        if (!pingo__text_to_int64(text, range->min, range->max, &meant))
            meant = -1;
        found = pingo__workflow_pointer(r->draft, "the string \"%.*s\"",
                                        pingo__workflow_quoted(text), text);
    } else if (kind == PINGO__JSON_NUMBER) {
        size_t length;
        const char *spelling = pingo__json_spelling(&r->draft->source->element, v, &length);
        if (!spelling) {
            r->draft->no_memory = true;
            return range->fallback;
        }
        found = pingo__workflow_pointer(r->draft, "%.*s", (int)length, spelling);
        meant = pingo__json_nearly_integer(v);
    }
    if (meant >= range->min && meant <= range->max)
        right = pingo__workflow_pointer(r->draft, ": write %lld", (long long)meant);
    pingo__workflow_report(r, pointer, "%s must be an integer from %lld to %lld, not %s%s",
                           called(r, v, pointer), (long long)range->min, (long long)range->max,
                           found, right);
    return range->takes_meant && right[0] != '\0' ? meant : range->fallback;
}

int64_t pingo__workflow_read_integer(struct pingo_problem_sink *r, const struct pingo__json_value *v,
                                     const char *pointer, const struct pingo__workflow_range *range)
{
    int64_t integer;
    struct pingo__json_element *e = &r->draft->source->element;
    if (pingo__json_integer(e, v, &integer) && integer >= range->min && integer <= range->max)
        return integer;
    r->draft->no_memory |= e->no_memory;
    return e->no_memory ? range->fallback : report_no_integer(r, v, pointer, range);
}

const char *pingo__workflow_read_options(struct pingo_problem_sink *r,
                                         const struct pingo__json_value *v)
{
    struct pingo__workflow_draft *d = r->draft;
    size_t length;
    if (!pingo__workflow_read_is(r, v, "/executorOptions", PINGO__JSON_OBJECT,
                                 "an object of strings and numbers"))
        return pingo__workflow_reported;
    const char *spelling = pingo__json_spelling(&d->source->element, v, &length);
    const char *copy = spelling ? pingo__arena_text(&d->scratch, spelling, length) : NULL;
    d->no_memory = d->no_memory || !copy;
    return copy ? copy : pingo__workflow_reported;
}
