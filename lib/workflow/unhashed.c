/* unhashed.c - what says where an action runs and how it is found, and enters no hash: labels, the
 * executor's name, its options.
 *
 * What a workflow says of labels and options holds for all its actions; where an action has the
 * same key, its own value goes first. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
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

/* A copy of the pairs in the workflow's arena, checked and sorted.  No list: no memory, or a program
 * gave no text. */
static struct pingo__workflow_pairs copy_labels(struct pingo_problem_sink *sink,
                                                const char *const *pairs, size_t n)
{
    struct pingo__workflow_pairs copy = {.n = 0};
    for (size_t i = 0; i < n; i++) {
        if (!pairs[i] || n % 2 != 0) {
            pingo__workflow_report(sink, "/labels",
                                   "a label has a name and a value: one of them is missing");
            return copy;
        }
        if (i % 2 == 0)
            check_label(sink, pairs[i]);
    }
    copy.list = pingo__workflow_copy_texts(sink, pairs, n, "/labels");
    copy.n = copy.list ? n : 0;
    pingo__workflow_sort_pairs(copy.list, copy.n);
    /* The strict pass finds it in text. */
    for (size_t i = 2; !sink->draft->source && i < copy.n; i += 2)
        if (strcmp(copy.list[i - 2], copy.list[i]) == 0)
            pingo__workflow_report(sink, "/labels", "the label \"%.*s\" stands twice: remove one",
                                   pingo__workflow_quoted(copy.list[i]), copy.list[i]);
    return copy;
}

void pingo__workflow_draft_set_labels(struct pingo__workflow_draft *d, const char *const *pairs,
                                      size_t npairs)
{
    d->labels = copy_labels(&d->document, pairs, npairs);
    d->workflow->labels = d->labels.list;
    d->workflow->nlabels = d->labels.n;
}

void pingo__workflow_add_labels(struct pingo_problem_sink *sink,
                                const struct pingo_action_spec *spec)
{
    struct pingo__workflow_draft *d = sink->draft;
    struct pingo__workflow_pairs own = {.n = 0};
    if (spec->nlabels > 0)
        own = copy_labels(sink, spec->labels, spec->nlabels);
    struct pingo__workflow_pairs labels = pingo__workflow_merge_pairs(d, &own, &d->labels);
    d->more.labels = labels.list;
    d->more.nlabels = labels.n;
}

/* ---- options ----------------------------------------------------------------------- */

/* A text in the workflow's arena, from a buffer, which is cleared.  NULL: no memory. */
static const char *keep(struct pingo__workflow_draft *d, struct pingo__buffer *text)
{
    const char *copy =
        text->failed ? NULL : pingo__arena_text(&d->workflow->arena, text->data, text->length);
    d->no_memory = d->no_memory || !copy;
    pingo__buffer_clear(text);
    return copy;
}

/* One member's value as JSON text, in the workflow's arena.  NULL: no memory, or reported. */
static const char *option_value(struct pingo_problem_sink *sink, struct pingo__json_element *e,
                                const struct pingo__json_member *member)
{
    struct pingo__workflow_draft *d = sink->draft;
    struct pingo__buffer text = {0};
    size_t length = 0;
    if (member->kind != PINGO__JSON_STRING && member->kind != PINGO__JSON_NUMBER) {
        pingo__workflow_report(
            sink, pingo__workflow_pointer_to_key(d, "/executorOptions", member->key),
            "\"%.*s\" must be a string or a number, not %s", pingo__workflow_quoted(member->key),
            member->key, pingo__json_kind_name(member->kind));
        return NULL;
    }
    bool is_open = pingo__json_element_open(e, member->offset);
    if (is_open && member->kind == PINGO__JSON_STRING) {
        pingo__writer_quote(&text, pingo__json_text(e->root));
    } else {
        const char *spelling = is_open ? pingo__json_spelling(e, e->root, &length) : NULL;
        text.failed = !spelling;
        if (spelling)
            pingo__buffer_append(&text, spelling, length);
    }
    return keep(d, &text);
}

/* The members of an open document, as sorted pairs of a key and a JSON text. */
static struct pingo__workflow_pairs option_pairs(struct pingo_problem_sink *sink,
                                                 const struct pingo__json_document *document)
{
    struct pingo__workflow_draft *d = sink->draft;
    struct pingo__json_element element = {.document = document};
    struct pingo__workflow_pairs pairs = {.n = 0};
    pairs.list = pingo__workflow_draft_array(d, &d->workflow->arena, 2 * document->nmembers,
                                             sizeof *pairs.list);
    for (size_t i = 0; pairs.list && i < document->nmembers; i++) {
        const char *value = option_value(sink, &element, &document->members[i]);
        if (!value)
            continue;
        pairs.list[pairs.n++] =
            pingo__workflow_copy_text(sink, document->members[i].key, "/executorOptions");
        pairs.list[pairs.n++] = value;
    }
    pingo__json_element_clear(&element);
    pingo__workflow_sort_pairs(pairs.list, pairs.n);
    return pairs;
}

/* From JSON text to pairs, in the workflow's arena. */
static struct pingo__workflow_pairs read_options(struct pingo_problem_sink *sink, const char *text)
{
    static const char pointer[] = "/executorOptions";
    struct pingo__json_document document;
    struct pingo__json_fault fault = {0};
    struct pingo__workflow_pairs pairs = {.n = 0};
    int rc = pingo__json_open(&document, text, strlen(text), &fault, NULL);
    if (rc == PINGO_ENOMEM)
        sink->draft->no_memory = true;
    else if (rc != 0)
        pingo__workflow_report(
            sink, pointer, "\"executorOptions\" must be a JSON object of strings and numbers: %s",
            fault.message);
    else if (document.kind != PINGO__JSON_OBJECT)
        pingo__workflow_report(
            sink, pointer, "\"executorOptions\" must be an object of strings and numbers, not %s",
            pingo__json_kind_name(document.kind));
    else
        pairs = option_pairs(sink, &document);
    free(fault.pointer);
    pingo__json_close(&document);
    return pairs;
}

void pingo__workflow_draft_set_options(struct pingo__workflow_draft *d, const char *text)
{
    d->executor_options = read_options(&d->document, text);
}

/* {"k1": v1, "k2": v2}, in the workflow's arena; NULL where there are none. */
static const char *write_options(struct pingo__workflow_draft *d,
                                 const struct pingo__workflow_pairs *pairs)
{
    struct pingo__buffer text = {0};
    if (pairs->n == 0)
        return NULL;
    for (size_t i = 0; i < pairs->n; i += 2) {
        pingo__buffer_text(&text, i == 0 ? "{" : ", ");
        pingo__writer_quote(&text, pairs->list[i]);
        pingo__buffer_format(&text, ": %s", pairs->list[i + 1]);
    }
    pingo__buffer_char(&text, '}');
    return keep(d, &text);
}

static void add_options(struct pingo_problem_sink *sink, const char *given)
{
    struct pingo__workflow_draft *d = sink->draft;
    if (!given || given == pingo__workflow_reported) {
        /* All actions share the workflow's text. */
        if (!d->options_text)
            d->options_text = write_options(d, &d->executor_options);
        d->more.executor_options = d->options_text;
        return;
    }
    struct pingo__workflow_pairs own = read_options(sink, given);
    struct pingo__workflow_pairs merged = pingo__workflow_merge_pairs(d, &own, &d->executor_options);
    d->more.executor_options = write_options(d, &merged);
}

void pingo__workflow_add_executor(struct pingo_problem_sink *sink,
                                  const struct pingo_action_spec *spec)
{
    const char *name = spec->executor;
    if (name && name != pingo__workflow_reported) {
        if (!pingo__workflow_is_word(name))
            pingo__workflow_report(sink, "/executor",
                                   "the executor's name \"%.*s\" must be %s, such as \"local\"",
                                   pingo__workflow_quoted(name), name, PINGO__WORD_RULE);
        sink->draft->more.executor = pingo__workflow_copy_text(sink, name, "/executor");
    }
    add_options(sink, spec->executor_options);
}
