/* parse.c - JSON text -> workflow.
 *
 * The strict pass comes first: a fault of syntax is told alone.  Then every
 * rule is checked, and all that is broken is told together. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "workflow/check.h"
#include "workflow/read.h"

#define DEFAULT_MAX_BYTES ((size_t)1 << 30)
/* {"id":1,"name":"a","type":"t"} and a comma */
#define SHORTEST_ACTION ((size_t)31)

/* ---- what it says besides its actions ------------------------------------------------- */

typedef struct pingo_problem_sink reader;
typedef const struct pingo__json_value json;

static void read_name(reader *r, json *v)
{
    pingo__workflow_draft_set_name(r->draft, pingo__workflow_read_text(r, v, "/name"));
}

static void read_env(reader *r, json *v)
{
    size_t n;
    const char *const *pairs = pingo__workflow_read_pairs(r, v, "/env", &n);
    if (pairs)
        pingo__workflow_draft_set_env(r->draft, pairs, n);
}

static void read_labels(reader *r, json *v)
{
    size_t n;
    const char *const *pairs = pingo__workflow_read_pairs(r, v, "/labels", &n);
    if (pairs)
        pingo__workflow_draft_set_labels(r->draft, pairs, n);
}

static void read_options(reader *r, json *v)
{
    const char *text = pingo__workflow_read_options(r, v);
    if (text != pingo__workflow_reported)
        pingo__workflow_draft_set_options(r->draft, text);
}

static void read_shell(reader *r, json *v)
{
    static const struct pingo_key key = {.key = "shell", .kinds = PINGO_KEY_TEXT | PINGO_KEY_TEXTS};
    struct pingo_field shell = {key.key, PINGO__REPORTED_KIND, NULL, 0};
    pingo__workflow_read_field(r, v, &key, &shell);
    if (shell.kind != PINGO__REPORTED_KIND)
        pingo__workflow_draft_set_shell(r->draft, &shell);
}

static const struct pingo__workflow_range any_id = {0, PINGO_ID_MAX, PINGO__NO_ID, false};

static void read_start(reader *r, json *v)
{
    r->draft->workflow->start_id = pingo__workflow_read_integer(r, v, "/startActionId", &any_id);
}

static void read_end(reader *r, json *v)
{
    r->draft->workflow->end_id = pingo__workflow_read_integer(r, v, "/endActionId", &any_id);
}

#define KEYS(_)                                                                                    \
    _(name, read_name)                                                                             \
    _(actions, NULL)                                                                               \
    _(env, read_env)                                                                               \
    _(startActionId, read_start)                                                                   \
    _(endActionId, read_end)                                                                       \
    _(labels, read_labels)                                                                         \
    _(shell, read_shell)                                                                           \
    _(executorOptions, read_options)
#define KEY(key, reader) #key,
#define READER(key, reader) reader,
static const char *const keys[] = {KEYS(KEY)};
static void (*const readers[])(reader *r, json *v) = {KEYS(READER)};
#define NKEYS (sizeof keys / sizeof *keys)

static void read_head(reader *r)
{
    struct pingo__workflow_draft *d = r->draft;
    const struct pingo__json_document *doc = &d->source->document;
    for (size_t i = 0; i < doc->nmembers && !d->no_memory; i++) {
        const struct pingo__json_member *m = &doc->members[i];
        size_t k = 0;
        while (k < NKEYS && strcmp(keys[k], m->key) != 0)
            k++;
        pingo__arena_reset(&d->scratch);
        if (k == NKEYS && !pingo__workflow_is_free_key(m->key))
            pingo__workflow_report_unknown_key(r, pingo__workflow_pointer_to_key(d, "", m->key),
                                               m->key, keys, NKEYS);
        if (k == NKEYS || !readers[k])
            continue;
        json *v = pingo__workflow_source_member(d->source, m);
        if (v)
            readers[k](r, v);
        else
            d->no_memory = true;
    }
    if (!pingo__json_member(doc, "name"))
        pingo__workflow_draft_set_name(d, NULL);
}

/* ---- the whole ------------------------------------------------------------------------ */

/* In the memory of one action, or in its description. */
static size_t bytes_of(const char *const *texts, size_t n)
{
    size_t bytes = n * sizeof *texts;
    for (size_t i = 0; i < n; i++)
        bytes += strlen(texts[i]);
    return bytes;
}

/* What stands in a document once, for all of its actions: a short text shall not make a workflow without bound. */
static bool is_shared_small(struct pingo_problem_sink *r, size_t nactions)
{
    struct pingo__workflow_draft *d = r->draft;
    size_t bytes = bytes_of(d->env.list, d->env.n) + bytes_of(d->labels.list, d->labels.n) +
                   bytes_of(d->executor_options.list, d->executor_options.n) +
                   bytes_of(d->shell.values, d->shell.nvalues);
    if (nactions == 0 || bytes <= d->options.max_bytes / nactions)
        return true;
    pingo__workflow_report(r, "",
                           "what the workflow gives to each of its %zu actions (\"env\", "
                           "\"labels\", \"executorOptions\", \"shell\") takes %zu bytes in "
                           "each: more than the %zu bytes in all that a workflow may have",
                           nactions, bytes, d->options.max_bytes);
    return false;
}

static void read_actions(struct pingo_problem_sink *r)
{
    struct pingo__workflow_draft *d = r->draft;
    const struct pingo__json_document *doc = &d->source->document;
    const struct pingo__json_member *m = pingo__json_member(doc, "actions");
    d->actions_reported = true;
    if (!m) {
        pingo__workflow_report(
            r, "", "\"actions\" is missing: a workflow needs an array with at least one");
        return;
    }
    if (m->kind != PINGO__JSON_ARRAY) {
        pingo__workflow_report(r, "/actions", "\"actions\" must be an array of objects, not %s",
                               pingo__json_kind_name(m->kind));
        return;
    }
    if (!is_shared_small(r, m->count))
        return;
    d->actions_reported = false;
    /* No more than may be sound: a text of a billion zeros shall not ask for room for them. */
    size_t n = doc->length / SHORTEST_ACTION;
    if (!pingo__workflow_draft_reserve(d, m->count < n ? m->count : n))
        return;
    for (size_t at = pingo__json_next_element(doc, m->offset + (size_t)1);
         at != 0 && !d->no_memory &&
         (d->workflow->nactions <= n || d->problems->nerrors < PINGO__PROBLEMS_MAX);
         at = pingo__json_next_element(doc, d->source->element.end))
        pingo__workflow_read_action(d, at);
}

static void read_document(struct pingo__workflow_draft *d)
{
    if (d->source->document.kind != PINGO__JSON_OBJECT) {
        pingo__workflow_report(&d->document, "",
                               "a workflow must be an object with \"name\" and \"actions\", not %s",
                               pingo__json_kind_name(d->source->document.kind));
        d->actions_reported = true;
        return;
    }
    read_head(&d->document);
    if (!d->no_memory)
        read_actions(&d->document);
}

int pingo__workflow_parse(const struct pingo__workflow_parse_source *what,
                          struct pingo_workflow **workflow, struct pingo_error *err)
{
    struct pingo_problems **problems = what->document.problems;
    struct pingo__workflow_source source = {.element.document = &source.document, .owner = SIZE_MAX};
    struct pingo__json_fault fault = {0};
    *workflow = NULL;
    if (problems)
        *problems = NULL;
    struct pingo__workflow_draft draft;
    int rc = pingo__workflow_draft_init(&draft, what->options, err);
    draft.check = what->check;
    if (rc != 0)
        goto out;
    if (draft.options.max_bytes == 0)
        draft.options.max_bytes = DEFAULT_MAX_BYTES;
    if (what->document.length > draft.options.max_bytes) {
        rc = pingo__json_too_long(what->document.length, draft.options.max_bytes, err);
        goto out;
    }
    rc = pingo__json_open(&source.document, what->document.text, what->document.length, &fault, err);
    draft.source = &source;
    if (rc == 0) {
        read_document(&draft);
    } else if (rc == PINGO_EWORKFLOW) {
        /* Nothing of such a text can be opened to look for a place: the fault has its own. */
        pingo__workflow_report_fault(&draft, fault.pointer, fault.offset, "%s", fault.message);
        draft.actions_reported = true;
    } else {
        goto out;
    }
    rc = pingo__workflow_draft_finish(&draft, workflow, problems, err);
out:
    free(fault.pointer);
    pingo__workflow_source_clear(&source);
    pingo__workflow_draft_clear(&draft);
    return rc;
}

int pingo_workflow_parse(const struct pingo_document *document,
                         const struct pingo_workflow_options *options,
                         struct pingo_workflow **workflow, struct pingo_error *err)
{
    struct pingo__workflow_parse_source source = {.document = *document, .options = options};
    return pingo__workflow_parse(&source, workflow, err);
}
