/* problems.c - the list of what is wrong with a workflow, in the order of the text. */
#include "workflow/draft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

void pingo_problems_free(struct pingo_problems *problems)
{
    if (!problems)
        return;
    pingo__map_clear(&problems->warnings);
    pingo__arena_clear(&problems->arena);
    free(problems->items);
    free(problems);
}

size_t pingo_problems_count(const struct pingo_problems *problems)
{
    return problems ? problems->count + (problems->more[0].times > 0) + (problems->more[1].times > 0)
                    : 0;
}

const struct pingo_problem *pingo_problems_at(const struct pingo_problems *problems, size_t i)
{
    if (i >= pingo_problems_count(problems))
        return NULL;
    if (i < problems->count)
        return &problems->items[i].problem;
    return &problems->more[i > problems->count || problems->more[0].times == 0];
}

bool pingo__workflow_problems_are_enough(struct pingo_problems *p, enum pingo_severity severity)
{
    bool is_error = severity == PINGO_SEVERITY_ERROR;
    if ((is_error ? p->nerrors : p->nwarnings) < PINGO__PROBLEMS_MAX)
        return false;
    size_t times = p->more[is_error].times + 1;
    p->more[is_error] = (struct pingo_problem){severity,
                                               0,
                                               0,
                                               "",
                                               is_error ? "more errors, which are not told"
                                                        : "more warnings, which are not told",
                                               times};
    p->nerrors += is_error;
    return true;
}

/* A message is one line, whatever stands in the names that it quotes. */
static char *message_text(struct pingo__arena *arena, const char *format, va_list args)
{
    char *text = pingo__arena_vformat(arena, format, args);
    for (char *c = text; c && *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = ' ';
    return text;
}

bool pingo__workflow_problems_note(struct pingo_problems *p,
                                   const struct pingo__workflow_noted *problem, bool is_warning,
                                   const char *format, va_list args)
{
    const char *message = message_text(&p->arena, format, args);
    uint32_t before = PINGO__MAP_NONE;
    if (!message)
        return false;
    if (is_warning &&
        !pingo__map_insert(&p->warnings, message, strlen(message), (uint32_t)p->count, &before))
        return false;
    if (before != PINGO__MAP_NONE) {
        p->items[before].problem.times++;
        return true;
    }
    if (!PINGO__ARRAY_ROOM(p->items, p->capacity, p->count, 1))
        return false;
    struct pingo__workflow_noted *noted = &p->items[p->count];
    *noted = *problem;
    noted->problem.pointer =
        pingo__arena_text(&p->arena, problem->problem.pointer, strlen(problem->problem.pointer));
    noted->problem.message = message;
    noted->problem.times = 1;
    noted->number = p->count;
    if (!noted->problem.pointer)
        return false;
    p->count++;
    p->nerrors += problem->problem.severity == PINGO_SEVERITY_ERROR;
    p->nwarnings += problem->problem.severity == PINGO_SEVERITY_WARNING;
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct pingo__workflow_noted *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

void pingo__workflow_problems_sort(struct pingo_problems *p, const struct pingo__json_document *text)
{
    struct pingo__json_place place = {0};
    if (p->count > 1)
        qsort(p->items, p->count, sizeof *p->items, compare);
    for (size_t i = 0; text && i < p->count; i++) {
        pingo__json_go_on(text, &place, p->items[i].place);
        p->items[i].problem.line = place.line;
        p->items[i].problem.column = place.column;
    }
    for (size_t i = 0; text && i < 2; i++) {
        if (p->more[i].times == 0)
            continue;
        pingo__json_go_on(text, &place, text->length);
        p->more[i].line = place.line;
        p->more[i].column = place.column;
    }
}

int pingo__workflow_problems_fail(const struct pingo_problems *p, struct pingo_error *err)
{
    const struct pingo_problem *first = NULL;
    char place[64] = "", more[64] = "";
    for (size_t i = 0; i < p->count && !first; i++)
        if (p->items[i].problem.severity == PINGO_SEVERITY_ERROR)
            first = &p->items[i].problem;
    if (!first)
        return pingo__fail(err, PINGO_EWORKFLOW, "%s", pingo_error_text(PINGO_EWORKFLOW));
    if (first->line > 0)
        snprintf(place, sizeof place, "%zu:%zu: ", first->line, first->column);
    if (p->nerrors > 1)
        snprintf(more, sizeof more, " (and %zu more)", p->nerrors - 1);
    return pingo__fail(err, PINGO_EWORKFLOW, "%s%.200s%s%.600s%s", place, first->pointer,
                       first->pointer[0] == '\0' ? "" : ": ", first->message, more);
}
