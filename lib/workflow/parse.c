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

static const char *const keys[] = {"name",        "actions", "env",   "startActionId",
                                   "endActionId", "labels",  "shell", "executorOptions"};

/* The only problem of a text that is no JSON. */
static int report_fault(struct pingo__workflow_draft *d, const struct pingo__json_fault *fault,
                        struct pingo_problems **problems, struct pingo_error *err)
{
    /* Nothing of such a text can be opened to look for a place: the fault has its own. */
    pingo__workflow_report_fault(d, fault->pointer, fault->offset, fault->message);
    if (d->no_memory)
        return pingo__fail_memory(err);
    pingo__workflow_problems_fail(d->problems, err);
    if (problems) {
        *problems = d->problems;
        d->problems = NULL;
    }
    return PINGO_EWORKFLOW;
}

/* The value of a member, opened; NULL where there is no such member or no memory. */
static const struct pingo__json_value *open_member(struct pingo__workflow_draft *d, const char *key)
{
    const struct pingo__json_member *m = pingo__json_member(&d->source->document, key);
    if (!m || d->no_memory)
        return NULL;
    pingo__arena_reset(&d->scratch);
    const struct pingo__json_value *v = pingo__workflow_source_member(d->source, m);
    if (!v)
        d->no_memory = true;
    return v;
}

static void read_mark(struct pingo__workflow_read *r, const char *key, const char *pointer,
                      int64_t *id)
{
    static const struct pingo__workflow_range any_id = {0, PINGO_ID_MAX, PINGO__NO_ID, false};
    const struct pingo__json_value *v = open_member(r->draft, key);
    if (v)
        *id = pingo__workflow_read_integer(r, v, pointer, &any_id);
}

static void read_shell(struct pingo__workflow_read *r)
{
    const struct pingo__json_value *v = open_member(r->draft, "shell");
    struct pingo_field shell = {"shell", PINGO_FIELD_TEXT, NULL, 1};
    if (!v)
        return;
    if (pingo__json_kind(v) == PINGO__JSON_STRING) {
        const char *text = pingo__json_text(v);
        shell.values = &text;
        pingo__workflow_draft_set_shell(r->draft, &shell);
    } else if (pingo__json_kind(v) != PINGO__JSON_ARRAY) {
        pingo__workflow_report(&r->sink, "/shell", "\"shell\" must be %s, not %s",
                               pingo__workflow_kind_words(r->draft, PINGO_KEY_TEXT | PINGO_KEY_TEXTS),
                               pingo__json_kind_name(pingo__json_kind(v)));
    } else {
        shell.kind = PINGO_FIELD_TEXTS;
        shell.values = pingo__workflow_read_texts(r, v, "/shell", &shell.nvalues);
        if (shell.values)
            pingo__workflow_draft_set_shell(r->draft, &shell);
    }
}

/* What the workflow says for all its actions. */
static void read_defaults(struct pingo__workflow_read *r)
{
    struct pingo__workflow_draft *d = r->draft;
    const struct pingo__json_value *v = open_member(d, "env");
    size_t n;
    const char *const *pairs = v ? pingo__workflow_read_pairs(r, v, "/env", &n) : NULL;
    if (pairs)
        pingo__workflow_draft_set_env(d, pairs, n);
    v = open_member(d, "labels");
    pairs = v ? pingo__workflow_read_pairs(r, v, "/labels", &n) : NULL;
    if (pairs)
        pingo__workflow_draft_set_labels(d, pairs, n);
    v = open_member(d, "executorOptions");
    const char *text =
        v ? pingo__workflow_read_options(r, v, "/executorOptions") : pingo__workflow_reported;
    if (text != pingo__workflow_reported)
        pingo__workflow_draft_set_options(d, text);
    read_shell(r);
}

static void read_head(struct pingo__workflow_read *r)
{
    struct pingo__workflow_draft *d = r->draft;
    const struct pingo__json_document *doc = &d->source->document;
    for (size_t i = 0; i < doc->nmembers; i++) {
        const char *key = doc->members[i].key;
        bool known = pingo__workflow_is_free_key(key);
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
            known = known || strcmp(keys[k], key) == 0;
        if (!known)
            pingo__workflow_report_unknown_key(&r->sink, pingo__workflow_pointer_to_key(d, "", key),
                                               key, keys, sizeof keys / sizeof keys[0]);
    }
    const struct pingo__json_value *v = open_member(d, "name");
    if (!d->no_memory)
        pingo__workflow_draft_set_name(d, v ? pingo__workflow_read_text(r, v, "/name") : NULL);
    read_defaults(r);
    read_mark(r, "startActionId", "/startActionId", &d->workflow->start_id);
    read_mark(r, "endActionId", "/endActionId", &d->workflow->end_id);
}

static void read_actions(struct pingo__workflow_read *r)
{
    struct pingo__workflow_draft *d = r->draft;
    const struct pingo__json_document *doc = &d->source->document;
    const struct pingo__json_member *m = pingo__json_member(doc, "actions");
    d->actions_reported = true;
    if (!m) {
        pingo__workflow_report(
            &r->sink, "", "\"actions\" is missing: a workflow needs an array with at least one");
        return;
    }
    if (m->kind != PINGO__JSON_ARRAY) {
        pingo__workflow_report(&r->sink, "/actions",
                               "\"actions\" must be an array of objects, not %s",
                               pingo__json_kind_name(m->kind));
        return;
    }
    d->actions_reported = false;
    /* No more than may be sound: a text of a billion zeros shall not ask for room for them. */
    size_t n = doc->length / SHORTEST_ACTION;
    if (!pingo__workflow_draft_reserve(d, m->count < n ? m->count : n))
        return;
    for (size_t at = pingo__json_next_element(doc, m->offset + (size_t)1);
         at != 0 && !d->no_memory && !d->problems->is_full;
         at = pingo__json_next_element(doc, d->source->element.end))
        pingo__workflow_read_action(d, at);
}

static void read_document(struct pingo__workflow_draft *d)
{
    struct pingo__workflow_read r = {d, {d, PINGO__NO_ACTION}};
    if (d->source->document.kind != PINGO__JSON_OBJECT) {
        pingo__workflow_report(&r.sink, "",
                               "a workflow must be an object with \"name\" and \"actions\", not %s",
                               pingo__json_kind_name(d->source->document.kind));
        d->actions_reported = true;
        return;
    }
    read_head(&r);
    if (!d->no_memory)
        read_actions(&r);
}

int pingo__workflow_parse(const struct pingo__workflow_parse_source *what,
                          struct pingo_workflow **workflow, struct pingo_problems **problems,
                          struct pingo_error *err)
{
    struct pingo__workflow_source *source = NULL;
    struct pingo__json_fault fault = {0};
    *workflow = NULL;
    if (problems)
        *problems = NULL;
    struct pingo__workflow_draft draft;
    int rc = pingo__workflow_draft_init(&draft, what->options, err);
    draft.check = what->check;
    if (rc != 0)
        goto out;
    source = calloc(1, sizeof *source);
    if (!source) {
        rc = pingo__fail_memory(err);
        goto out;
    }
    rc = pingo__json_open(&source->document, what->text, what->length,
                          draft.options.max_bytes == 0 ? DEFAULT_MAX_BYTES : draft.options.max_bytes,
                          &fault, err);
    pingo__workflow_source_init(source);
    draft.source = source;
    if (rc == PINGO_EWORKFLOW)
        rc = report_fault(&draft, &fault, problems, err);
    if (rc != 0)
        goto out;
    read_document(&draft);
    rc = pingo__workflow_draft_finish(&draft, workflow, problems, err);
out:
    free(fault.pointer);
    if (source)
        pingo__workflow_source_clear(source);
    free(source);
    draft.source = NULL;
    pingo__workflow_draft_clear(&draft);
    return rc;
}

int pingo_workflow_parse(const char *text, size_t length,
                         const struct pingo_workflow_options *options,
                         struct pingo_workflow **workflow, struct pingo_problems **problems,
                         struct pingo_error *err)
{
    struct pingo__workflow_parse_source source = {.text = text, .length = length, .options = options};
    return pingo__workflow_parse(&source, workflow, problems, err);
}
