/* report.c - saying what breaks a rule, and where.
 *
 * Places are looked up only here, so a workflow without problems pays nothing. */
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "workflow/draft.h"

#define QUOTED_MAX 60

const char pingo__workflow_reported[] = "";
const char *const pingo__workflow_reported_list = pingo__workflow_reported;

/* The pointer from the root, and where in the text it leads. */
static bool place(struct pingo_problem_sink *sink, const char *pointer, bool at_key,
                  struct pingo__workflow_noted *noted)
{
    struct pingo__workflow_draft *d = sink->draft;
    bool in_action = sink->action != PINGO__NO_ACTION;
    noted->problem.pointer =
        in_action ? pingo__workflow_pointer(d, "/actions/%zu%s", sink->action, pointer) : pointer;
    if (!d->source)
        noted->place = in_action ? sink->action + 1 : 0;
    else if (!pingo__workflow_source_find(d->source, sink->action, pointer, at_key, &noted->place))
        d->no_memory = true;
    return !d->no_memory;
}

static void note(struct pingo_problem_sink *sink, const struct pingo_problem *problem, bool at_key,
                 const char *format, va_list args)
{
    struct pingo__workflow_draft *d = sink->draft;
    struct pingo__workflow_noted noted = {.problem = *problem};
    bool is_warning = problem->severity == PINGO_SEVERITY_WARNING;
    if (is_warning && d->options.strict)
        noted.problem.severity = PINGO_SEVERITY_ERROR;
    if (pingo__workflow_problems_are_enough(d->problems, noted.problem.severity) ||
        !place(sink, problem->pointer, at_key, &noted))
        return;
    if (!pingo__workflow_problems_note(d->problems, &noted, is_warning, format, args))
        d->no_memory = true;
}

void pingo_problem_add(struct pingo_problem_sink *sink, enum pingo_severity severity,
                       const char *pointer, const char *format, ...)
{
    struct pingo_problem problem = {.severity = severity, .pointer = pointer};
    va_list args;
    va_start(args, format);
    note(sink, &problem, false, format, args);
    va_end(args);
}

void pingo__workflow_report_key(struct pingo_problem_sink *sink, const char *pointer,
                                const char *format, ...)
{
    struct pingo_problem problem = {.severity = PINGO_SEVERITY_ERROR, .pointer = pointer};
    va_list args;
    va_start(args, format);
    note(sink, &problem, true, format, args);
    va_end(args);
}

void pingo__workflow_report_fault(struct pingo__workflow_draft *d, const char *pointer,
                                  size_t offset, const char *format, ...)
{
    va_list args;
    struct pingo__workflow_noted noted = {
        .problem = {.severity = PINGO_SEVERITY_ERROR, .pointer = pointer}, .place = offset};
    va_start(args, format);
    if (!pingo__workflow_problems_note(d->problems, &noted, false, format, args))
        d->no_memory = true;
    va_end(args);
}

void *pingo__workflow_draft_array(struct pingo__workflow_draft *d, struct pingo__arena *arena,
                                  size_t n, size_t size)
{
    void *array = pingo__arena_array(arena, n, size);
    if (!array)
        d->no_memory = true;
    return array;
}

void *pingo__workflow_draft_list(struct pingo__workflow_draft *d, size_t n, size_t size,
                                 size_t *count)
{
    void *list = n > 0 ? pingo__workflow_draft_array(d, &d->workflow->arena, n, size) : NULL;
    *count = list ? n : 0;
    return list;
}

const char *pingo__workflow_pointer(struct pingo__workflow_draft *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = pingo__arena_vformat(&d->scratch, format, args);
    va_end(args);
    d->no_memory = d->no_memory || !text;
    return text ? text : "";
}

const char *pingo__workflow_pointer_to_key(struct pingo__workflow_draft *d, const char *prefix,
                                           const char *key)
{
    struct pingo__buffer b = {0};
    pingo__buffer_text(&b, prefix);
    pingo__json_pointer_add(&b, key);
    const char *text = b.failed ? NULL : pingo__arena_text(&d->scratch, b.data, b.length);
    d->no_memory = d->no_memory || !text;
    pingo__buffer_clear(&b);
    return text ? text : "";
}

const char *pingo__workflow_words(const struct pingo__workflow_draft *d, const char *of_text,
                                  const char *of_c)
{
    return d->source ? of_text : of_c;
}

int pingo__workflow_quoted(const char *text)
{
    size_t length = strnlen(text, QUOTED_MAX + 4), used = 0;
    while (used < length) {
        size_t n = pingo__text_utf8_next(text + used, length - used);
        if (used + (n == 0 ? 1 : n) > QUOTED_MAX)
            break;
        used += n == 0 ? 1 : n;
    }
    return (int)used;
}

void pingo__workflow_report_unknown_key(struct pingo_problem_sink *sink, const char *pointer,
                                        const char *key, const char *const *known, size_t n)
{
    const char *nearest = pingo__text_nearest(key, known, n);
    struct pingo__buffer list = {0};
    if (nearest) {
        pingo__workflow_report_key(sink, pointer, "unknown key \"%.*s\": did you mean \"%s\"?",
                                   pingo__workflow_quoted(key), key, nearest);
        return;
    }
    for (size_t i = 0; i < n; i++)
        pingo__buffer_format(&list, "%s%s", i == 0 ? "" : ", ", known[i]);
    if (!pingo__buffer_cstr(&list))
        sink->draft->no_memory = true;
    else
        pingo__workflow_report_key(
            sink, pointer, "unknown key \"%.*s\": the keys here are %s, and x-... for annotations",
            pingo__workflow_quoted(key), key, list.data);
    pingo__buffer_clear(&list);
}

const char *pingo__workflow_copy_text(struct pingo_problem_sink *sink, const char *text,
                                      const char *pointer)
{
    struct pingo__workflow_draft *d = sink->draft;
    size_t length = strlen(text);
    if (!d->source && !pingo__text_is_utf8(text, length)) {
        pingo__workflow_report(sink, pointer, "not valid UTF-8");
        return "";
    }
    const char *copy = pingo__arena_text(&d->workflow->arena, text, length);
    if (!copy)
        d->no_memory = true;
    return copy ? copy : "";
}
