/* resources.c - see resources.h: the rules, the way into a text, and what a try gets of that. */
#include "workflow/resources.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/writer.h"
#include "json/reader.h"

#define TRIES_MAX 100 /* of a list */

#define AMOUNT(key, member, where, min, max, fallback)                                             \
    {                                                                                              \
        "/resources/" key, min, max, fallback, offsetof(struct pingo_action_spec, member),         \
            offsetof(struct pingo_action_spec, member##_by_try), offsetof(struct where, member),   \
            offsetof(struct pingo_action_more, member##_by_try)                                    \
    }
/* Of the first three all have a number, and a column. */
enum { NCOMMON = 3 };
static const struct pingo__workflow_amount amounts[] = {
    AMOUNT("cpus", cpus, pingo_action, 1, PINGO__CPUS_MAX, 1),
    AMOUNT("memoryMB", memory_mb, pingo_action, 1, PINGO__MEMORY_MB_MAX, 0),
    AMOUNT("timeLimitSeconds", time_limit_seconds, pingo_action, 1, PINGO__TIME_LIMIT_SECONDS_MAX, 0),
    AMOUNT("gpus", gpus, pingo_action_more, 0, PINGO__CPUS_MAX, 0)};
enum { NAMOUNTS = sizeof amounts / sizeof *amounts };

const struct pingo__workflow_amount *pingo__workflow_amount(size_t i)
{
    return i < NAMOUNTS ? &amounts[i] : NULL;
}

static const char *key_of(const struct pingo__workflow_amount *amount)
{
    return strrchr(amount->pointer, '/') + 1;
}

#define AT(type, base, offset) ((type *)((char *)(base) + (offset)))
#define AT_CONST(type, base, offset) ((const type *)((const char *)(base) + (offset)))

/* ---- rules ---------------------------------------------------------------------------- */

static int64_t in_range(struct pingo_problem_sink *sink, const char *pointer, int64_t value,
                        int64_t min, int64_t max)
{
    const char *last = strrchr(pointer, '/') + 1;
    bool is_element = last[0] >= '0' && last[0] <= '9';
    if (value >= min && value <= max)
        return value;
    pingo__workflow_report(sink, pointer, "%s%s%s must be an integer from %lld to %lld; it is %lld",
                           is_element ? "element " : "\"", last, is_element ? "" : "\"",
                           (long long)min, (long long)max, (long long)value);
    return min;
}

/* base: the action, or its more. */
static void add_amount(struct pingo_problem_sink *sink, const struct pingo_action_spec *spec,
                       void *base, const struct pingo__workflow_amount *amount)
{
    const struct pingo_by_try *given = AT_CONST(struct pingo_by_try, spec, amount->spec_list);
    struct pingo_by_try *list = AT(struct pingo_by_try, &sink->draft->more, amount->list);
    int64_t *one = AT(int64_t, base, amount->built), value = *AT_CONST(int64_t, spec, amount->spec);
    *one = amount->fallback;
    if (given->n == 0) {
        if (value != 0)
            *one = in_range(sink, amount->pointer, value, amount->min, amount->max);
        return;
    }
    if (given->n > TRIES_MAX) {
        pingo__workflow_report(sink, amount->pointer,
                               "\"%s\" has %zu elements: up to %d tries can differ", key_of(amount),
                               given->n, TRIES_MAX);
        return;
    }
    int64_t *values = pingo__workflow_draft_list(sink->draft, given->n, sizeof *values, &list->n);
    for (size_t i = 0; i < list->n; i++)
        values[i] =
            in_range(sink, pingo__workflow_pointer(sink->draft, "%s/%zu", amount->pointer, i),
                     given->values[i], amount->min, amount->max);
    list->values = values;
    *one = values ? values[0] : amount->fallback;
}

static void add_growth(struct pingo_problem_sink *sink, const struct pingo_action_spec *spec,
                       const struct pingo_action *action)
{
    static const char pointer[] = "/resources/maxMemoryMB";
    struct pingo_action_more *more = &sink->draft->more;
    const struct pingo_by_try *list = &more->memory_mb_by_try;
    int64_t most = action->memory_mb;
    more->no_growth = spec->no_growth;
    if (spec->max_memory_mb == 0)
        return;
    more->max_memory_mb = in_range(sink, pointer, spec->max_memory_mb, 1, PINGO__MEMORY_MB_MAX);
    for (size_t i = 0; i < list->n; i++)
        most = list->values[i] > most ? list->values[i] : most;
    if (more->no_growth)
        pingo__workflow_report(sink, pointer,
                               "\"maxMemoryMB\" says how far memory may grow, and %s that it may "
                               "not: leave one of them out",
                               pingo__workflow_words(sink->draft, "\"grow\": false", "no_growth"));
    else if (most > more->max_memory_mb)
        pingo__workflow_report(sink, pointer,
                               "\"maxMemoryMB\" is %lld, but \"memoryMB\" asks for %lld already",
                               (long long)more->max_memory_mb, (long long)most);
}

bool pingo__workflow_is_licence(const char *name)
{
    char first[66];
    size_t n = strcspn(name, "@");
    if (name[n] == '\0' || n >= sizeof first)
        return pingo__workflow_is_word(name);
    memcpy(first, name, n);
    first[n] = '\0';
    return pingo__workflow_is_word(first) && pingo__workflow_is_word(name + n + 1);
}

static void add_licences(struct pingo_problem_sink *sink, const struct pingo_action_spec *spec)
{
    struct pingo__workflow_draft *d = sink->draft;
    struct pingo_action_more *more = &d->more;
    struct pingo_counter *licences =
        pingo__workflow_draft_list(d, spec->nlicences, sizeof *licences, &more->nlicences);
    for (size_t i = 0; i < more->nlicences; i++) {
        const char *name = spec->licences[i].name ? spec->licences[i].name : "";
        const char *pointer = pingo__workflow_pointer_to_key(d, "/resources/licences", name);
        if (!pingo__workflow_is_licence(name))
            pingo__workflow_report_key(
                sink, pointer,
                "the licence's name \"%.*s\" must be %s; two such words may be "
                "joined by @",
                pingo__workflow_quoted(name), name, PINGO__WORD_RULE);
        licences[i].name = pingo__workflow_copy_text(sink, name, pointer);
        licences[i].n = spec->licences[i].n;
        if (licences[i].n < 1 || licences[i].n > PINGO__CPUS_MAX)
            pingo__workflow_report(
                sink, pointer, "\"%.*s\" must be an integer from 1 to %d; it is %lld",
                pingo__workflow_quoted(name), name, PINGO__CPUS_MAX, (long long)licences[i].n);
    }
    if (licences)
        qsort(licences, more->nlicences, sizeof *licences, pingo__array_by_text);
    for (size_t i = 1; i < more->nlicences; i++) /* the strict pass finds it in text */
        if (!d->source && pingo__array_by_text(&licences[i - 1], &licences[i]) == 0)
            pingo__workflow_report(sink, "/resources/licences",
                                   "the licence \"%.*s\" stands twice: remove one",
                                   pingo__workflow_quoted(licences[i].name), licences[i].name);
    more->licences = licences;
}

void pingo__workflow_add_numbers(struct pingo_problem_sink *sink,
                                 const struct pingo_action_spec *spec, struct pingo_action *action)
{
    action->retries = in_range(sink, "/retries", spec->retries, 0, PINGO__RETRIES_MAX);
    for (size_t i = 0; i < NAMOUNTS; i++)
        add_amount(sink, spec, i < NCOMMON ? (void *)action : &sink->draft->more, &amounts[i]);
    add_growth(sink, spec, action);
    add_licences(sink, spec);
}

/* ---- text ----------------------------------------------------------------------------- */

/* The next member of the object that begins at start. */
static void print_key(struct pingo__buffer *b, size_t start, const char *key)
{
    pingo__buffer_text(b, b->length == start ? "{" : ", ");
    pingo__writer_quote(b, key);
    pingo__buffer_text(b, ": ");
}

static void print_list(struct pingo__buffer *b, const struct pingo_by_try *list)
{
    for (size_t i = 0; i < list->n; i++)
        pingo__buffer_format(b, "%s%lld", i == 0 ? "[" : ", ", (long long)list->values[i]);
    pingo__buffer_char(b, ']');
}

void pingo__workflow_resources_print(struct pingo__buffer *b, const struct pingo_action *a,
                                     bool only_rare)
{
    const struct pingo_action_more *more = a->more;
    size_t start = b->length;
    for (size_t i = 0; i < NAMOUNTS; i++) {
        const struct pingo_by_try *list = AT_CONST(struct pingo_by_try, more, amounts[i].list);
        int64_t one = *AT_CONST(int64_t, i < NCOMMON ? (const void *)a : more, amounts[i].built);
        if (list->n == 0 && (one == amounts[i].fallback || (only_rare && i < NCOMMON)))
            continue;
        print_key(b, start, key_of(&amounts[i]));
        if (list->n > 0)
            print_list(b, list);
        else
            pingo__buffer_format(b, "%lld", (long long)one);
    }
    if (more->max_memory_mb != 0) {
        print_key(b, start, "maxMemoryMB");
        pingo__buffer_format(b, "%lld", (long long)more->max_memory_mb);
    }
    if (more->no_growth) {
        print_key(b, start, "grow");
        pingo__buffer_text(b, "false");
    }
    for (size_t i = 0; i < more->nlicences; i++) {
        if (i == 0)
            print_key(b, start, "licences");
        print_key(b, i == 0 ? b->length : start, more->licences[i].name);
        pingo__buffer_format(b, "%lld", (long long)more->licences[i].n);
    }
    pingo__buffer_text(b, more->nlicences > 0 ? "}" : "");
    pingo__buffer_text(b, b->length > start ? "}" : "");
}

/* The number, or that of the try; beyond the end of a list the last holds. */
static void take_amount(struct pingo__json_reader *reader, const struct pingo__json_value *v,
                        int64_t n, int64_t *amount)
{
    if (v && pingo__json_kind(v) == PINGO__JSON_ARRAY) {
        v = pingo__json_first(v);
        while (n-- > 1 && v && pingo__json_next(v))
            v = pingo__json_next(v);
    }
    if (v)
        *amount = pingo__json_reader_integer(reader, v);
}

static void take_licences(struct pingo__json_reader *reader, const struct pingo__json_value *object,
                          struct pingo__workflow_resources *r, struct pingo__arena *arena)
{
    struct pingo_counter *licences = NULL;
    size_t capacity = 0;
    r->nlicences = 0;
    for (object = pingo__json_first(object); object; object = pingo__json_next(object)) {
        const char *name = pingo__json_key(object);
        const char *copy = pingo__arena_text(arena, name, strlen(name));
        if (!copy || !PINGO__ARENA_ROOM(arena, licences, r->nlicences, capacity)) {
            pingo__json_reader_no_memory(reader);
            return;
        }
        licences[r->nlicences++] =
            (struct pingo_counter){copy, pingo__json_reader_integer(reader, object)};
    }
    r->licences = licences;
}

int pingo__workflow_resources_take(struct pingo__workflow_resources *r, const char *rare, int64_t n,
                                   struct pingo__arena *arena, struct pingo_error *err)
{
    int64_t *const into[NAMOUNTS] = {&r->cpus, &r->memory_mb, &r->time_limit_s, &r->gpus};
    struct pingo__json_reader reader;
    if (!rare)
        return 0;
    int rc = pingo__json_reader_open(&reader, rare, strlen(rare), "an action's resources", err);
    const struct pingo__json_value *v =
        rc ? NULL : pingo__json_reader_value(&reader, reader.document.offset, "");
    for (size_t i = 0; v && i < NAMOUNTS; i++)
        take_amount(&reader, pingo__json_at(v, key_of(&amounts[i])), n, into[i]);
    if (v) {
        const struct pingo__json_value *grow = pingo__json_at(v, "grow");
        take_amount(&reader, pingo__json_at(v, "maxMemoryMB"), n, &r->max_memory_mb);
        r->no_growth = grow && !pingo__json_is_true(grow);
        take_licences(&reader, pingo__json_at(v, "licences"), r, arena);
    }
    rc = reader.rc;
    pingo__json_reader_clear(&reader);
    return rc;
}
