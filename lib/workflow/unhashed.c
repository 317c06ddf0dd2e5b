/* unhashed.c - what says where an action runs and how it is found, and enters no hash: labels, the
 * executor's name, its options.
 *
 * What a workflow says of labels and options holds for all its actions; where an action has the
 * same key, its own value goes first. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "json/document.h"
#include "json/value.h"
#include "base/writer.h"
#include "workflow/draft.h"

/* ---- labels ----------------------------------------------------------------------- */

static void check_label(struct pingo_problem_sink *sink, const char *name)
{
    if (name != pingo__workflow_reported && !pingo__workflow_is_word(name))
        pingo__workflow_report_key(sink,
                                   pingo__workflow_pointer_to_key(sink->draft, "/labels", name),
                                   "the label's name \"%.*s\" must be %s",
                                   pingo__workflow_quoted(name), name, PINGO__WORD_RULE);
}

/* A copy of the pairs in the workflow's arena, checked and sorted.  NULL: no memory, or a program
 * gave no text. */
static const char **copy_labels(struct pingo_problem_sink *sink, const char *const *pairs, size_t n)
{
    struct pingo__workflow_draft *d = sink->draft;
    const char **copy = pingo__workflow_draft_array(d, &d->workflow->arena, n, sizeof *copy);
    if (!copy)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (!pairs[i] || n % 2 != 0) {
            pingo__workflow_report(sink, "/labels",
                                   "a label has a name and a value: one of them is missing");
            return NULL;
        }
        if (i % 2 == 0)
            check_label(sink, pairs[i]);
        copy[i] = pingo__workflow_copy_text(sink, pairs[i], "/labels");
    }
    if (!pingo__workflow_sort_pairs(copy, n))
        d->no_memory = true;
    /* The strict pass finds it in text. */
    for (size_t i = 2; !d->source && i < n; i += 2)
        if (strcmp(copy[i - 2], copy[i]) == 0)
            pingo__workflow_report(sink, "/labels", "the label \"%.*s\" stands twice: remove one",
                                   pingo__workflow_quoted(copy[i]), copy[i]);
    return copy;
}

void pingo__workflow_draft_set_labels(struct pingo__workflow_draft *d, const char *const *pairs,
                                      size_t npairs)
{
    struct pingo_problem_sink sink = {d, PINGO__NO_ACTION};
    d->workflow->labels = copy_labels(&sink, pairs, npairs);
    d->workflow->nlabels = d->workflow->labels ? npairs : 0;
}

void pingo__workflow_add_labels(struct pingo_problem_sink *sink,
                                const struct pingo_action_spec *spec, struct pingo_action *action)
{
    const struct pingo_workflow *w = sink->draft->workflow;
    action->labels = w->labels;
    action->nlabels = w->nlabels;
    if (spec->nlabels == 0)
        return;
    action->labels = copy_labels(sink, spec->labels, spec->nlabels);
    action->nlabels = action->labels ? spec->nlabels : 0;
    if (action->labels && w->nlabels > 0)
        action->labels = pingo__workflow_merge_pairs(sink->draft, action->labels, action->nlabels,
                                                     w->labels, w->nlabels, &action->nlabels);
}

/* ---- options ----------------------------------------------------------------------- */

/* One member's value as JSON text, in the workflow's arena.  NULL: no memory, or reported. */
static const char *option_value(struct pingo_problem_sink *sink, struct pingo__json_element *e,
                                const struct pingo__json_member *member)
{
    struct pingo__workflow_draft *d = sink->draft;
    struct pingo__buffer text;
    const char *copy = NULL;
    size_t length = 0;
    if (member->kind != PINGO__JSON_STRING && member->kind != PINGO__JSON_NUMBER) {
        pingo__workflow_report(sink, "/executorOptions",
                               "the option \"%.*s\" must be a string or a number, "
                               "not %s",
                               pingo__workflow_quoted(member->key), member->key,
                               pingo__json_kind_name(member->kind));
        return NULL;
    }
    pingo__buffer_init(&text);
    if (!pingo__json_element_open(e, member->offset)) {
        text.failed = true;
    } else if (member->kind == PINGO__JSON_STRING) {
        pingo__writer_quote(&text, pingo__json_text(e->root));
    } else {
        const char *spelling = pingo__json_spelling(e, e->root, &length);
        if (!spelling)
            text.failed = true;
        else
            pingo__buffer_append(&text, spelling, length);
    }
    if (!text.failed)
        copy = pingo__arena_text(&d->workflow->arena, text.data, text.length);
    d->no_memory = d->no_memory || !copy;
    pingo__buffer_clear(&text);
    return copy;
}

/* The members of an open document, as sorted pairs. */
static const char **option_pairs(struct pingo_problem_sink *sink,
                                 const struct pingo__json_document *document, size_t *n)
{
    struct pingo__workflow_draft *d = sink->draft;
    struct pingo__json_element element;
    const char **pairs =
        pingo__workflow_draft_array(d, &d->workflow->arena, 2 * document->nmembers, sizeof *pairs);
    pingo__json_element_init(&element, document);
    for (size_t i = 0; pairs && i < document->nmembers; i++) {
        const char *value = option_value(sink, &element, &document->members[i]);
        if (!value)
            continue;
        pairs[*n] = pingo__workflow_copy_text(sink, document->members[i].key, "/executorOptions");
        pairs[*n + 1] = value;
        *n += 2;
    }
    pingo__json_element_clear(&element);
    if (pairs && !pingo__workflow_sort_pairs(pairs, *n))
        d->no_memory = true;
    return pairs;
}

/* From JSON text to sorted pairs of a key and a JSON text, in the workflow's arena. */
static const char **read_options(struct pingo_problem_sink *sink, const char *text, size_t *n)
{
    struct pingo__json_document document;
    struct pingo__json_fault fault = {0};
    const char **pairs = NULL;
    int rc = pingo__json_open(&document, text, strlen(text), SIZE_MAX, &fault, NULL);
    *n = 0;
    if (rc == PINGO_ENOMEM)
        sink->draft->no_memory = true;
    else if (rc != 0)
        pingo__workflow_report(
            sink, "/executorOptions",
            "\"executorOptions\" must be a JSON object of strings and numbers: %s", fault.message);
    else if (document.kind != PINGO__JSON_OBJECT)
        pingo__workflow_report(
            sink, "/executorOptions",
            "\"executorOptions\" must be an object of strings and numbers, not %s",
            pingo__json_kind_name(document.kind));
    else
        pairs = option_pairs(sink, &document, n);
    free(fault.pointer);
    pingo__json_close(&document);
    return pairs;
}

void pingo__workflow_draft_set_options(struct pingo__workflow_draft *d, const char *text)
{
    struct pingo_problem_sink sink = {d, PINGO__NO_ACTION};
    d->options_pairs = read_options(&sink, text, &d->noptions);
}

/* {"k1": v1, "k2": v2}, in the workflow's arena; NULL where there are none. */
static const char *write_options(struct pingo__workflow_draft *d, const char *const *pairs, size_t n)
{
    struct pingo__buffer text;
    const char *copy = NULL;
    if (n == 0)
        return NULL;
    pingo__buffer_init(&text);
    for (size_t i = 0; i < n; i += 2) {
        pingo__buffer_text(&text, i == 0 ? "{" : ", ");
        pingo__writer_quote(&text, pairs[i]);
        pingo__buffer_format(&text, ": %s", pairs[i + 1]);
    }
    pingo__buffer_char(&text, '}');
    if (!text.failed)
        copy = pingo__arena_text(&d->workflow->arena, text.data, text.length);
    d->no_memory = d->no_memory || !copy;
    pingo__buffer_clear(&text);
    return copy;
}

static void add_options(struct pingo_problem_sink *sink, const char *given,
                        struct pingo_action *action)
{
    struct pingo__workflow_draft *d = sink->draft;
    size_t nown, n;
    if (!given || given == pingo__workflow_reported) {
        /* All actions share the workflow's text. */
        if (!d->options_text)
            d->options_text = write_options(d, d->options_pairs, d->noptions);
        action->executor_options = d->options_text;
        return;
    }
    const char **own = read_options(sink, given, &nown);
    if (!own)
        return;
    const char **merged =
        pingo__workflow_merge_pairs(d, own, nown, d->options_pairs, d->noptions, &n);
    if (merged)
        action->executor_options = write_options(d, merged, n);
}

void pingo__workflow_add_executor(struct pingo_problem_sink *sink,
                                  const struct pingo_action_spec *spec, struct pingo_action *action)
{
    const char *name = spec->executor;
    if (name && name != pingo__workflow_reported) {
        if (!pingo__workflow_is_word(name))
            pingo__workflow_report(sink, "/executor",
                                   "the executor's name \"%.*s\" must be %s, such as \"local\"",
                                   pingo__workflow_quoted(name), name, PINGO__WORD_RULE);
        action->executor = pingo__workflow_copy_text(sink, name, "/executor");
    }
    add_options(sink, spec->executor_options, action);
}
