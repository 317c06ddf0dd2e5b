/* select.c - which actions of a submission are meant: by id, by name, by pattern, by label. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/growing.h"
#include "base/text.h"
#include "engine/engine.h"
#include "engine/look/page.h"
#include "store/submission/labels.h"

/* How an action was found. */
enum { NOT_MEANT = 0, MEANT = 1, NAMED = 2 };

/* What lies between two of few is read with them where it is no more than this. */
#define PAGE_OF_FEW 16

/* What is looked at, and how much of it was found. */
struct search {
    struct pingo_store *store;
    const struct pingo_selection *s;
    struct pingo__store_workflow_row workflow;
    int64_t *named; /* the positions that words name, in order */
    size_t nnamed;
    struct pingo__store_number_list
        few; /* the positions outside of which none is meant, in order; where is_few */
    bool is_few;
    const char **patterns; /* the other words */
    size_t *matches;       /* of each of these */
    size_t npatterns;
    size_t found;
    struct pingo__engine_page page;
    pingo_selected_fn fn; /* NULL: they are counted */
    void *context;
};

static const struct pingo__growing_options_type options = {
    "pingo_selection", {offsetof(struct pingo_selection, limit), sizeof(struct pingo_selection)}};

static bool has_label(const char *const *labels, size_t n, const char *label)
{
    const char *equals = strchr(label, '=');
    size_t length = (size_t)(equals - label);
    for (size_t i = 0; i + 1 < n; i += 2)
        if (strlen(labels[i]) == length && memcmp(labels[i], label, length) == 0)
            return strcmp(labels[i + 1], equals + 1) == 0 ||
                   pingo__text_glob(equals + 1, labels[i + 1]);
    return false;
}

static int check_labels(const struct search *x, int64_t node, struct pingo__arena *arena,
                        bool *has_all, struct pingo_error *err)
{
    struct pingo__store_text_list labels = {.arena = arena};
    int rc = 0;
    *has_all = true;
    if (x->s->nlabels)
        rc = pingo__store_labels_read(&x->store->db, node, &labels, err);
    for (size_t i = 0; !rc && i < x->s->nlabels; i++)
        *has_all = *has_all && has_label(labels.rows, labels.n, x->s->labels[i]);
    return rc;
}

/* A word that is no id and no name may be a pattern. */
static int resolve_words(struct search *x, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < x->s->nactions; i++) {
        const char *word = x->s->actions[i];
        rc = pingo__store_node_resolve(&x->store->db, x->workflow.graph, word, &x->named[x->nnamed],
                                       err);
        if (!rc) {
            x->nnamed++;
        } else if (rc == PINGO_ENOTFOUND && pingo__text_is_glob(word)) {
            x->patterns[x->npatterns++] = word;
            rc = 0;
        }
    }
    if (x->nnamed)
        qsort(x->named, x->nnamed, sizeof *x->named, pingo__array_by_id);
    return rc;
}

/* How many of these positions, which are in order, are below one. */
static size_t count_below(const int64_t *positions, size_t n, int64_t position)
{
    size_t low = 0;
    while (low < n) {
        size_t middle = low + (n - low) / 2;
        if (positions[middle] < position)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* Where only what is named need be looked at, or what has a label.  What patterns match is counted among all. */
static int find_few(struct search *x, struct pingo__arena *arena, struct pingo_error *err)
{
    int rc = 0;
    x->is_few = x->s->nactions && !x->npatterns;
    x->few = (struct pingo__store_number_list){.arena = arena, .rows = x->named, .n = x->nnamed};
    for (size_t i = 0; !rc && !x->is_few && !x->s->nactions && i < x->s->nlabels; i++) {
        const char *label = x->s->labels[i], *equals = strchr(label, '=');
        if (pingo__text_is_glob(equals + 1))
            continue;
        const char *pair[] = {pingo__arena_text(arena, label, (size_t)(equals - label)), equals + 1};
        rc = pair[0] ? pingo__store_labels_positions(&x->store->db, x->workflow.graph, pair,
                                                     &x->few, err)
                     : pingo__fail_memory(err);
        x->is_few = true;
    }
    return rc;
}

static int how_meant(struct search *x, const struct pingo__store_node *node)
{
    int how = x->s->nactions ? NOT_MEANT : MEANT;
    for (size_t i = 0; i < x->npatterns; i++)
        if (pingo__text_glob(x->patterns[i], node->name)) {
            x->matches[i]++;
            how = MEANT;
        }
    size_t at = count_below(x->named, x->nnamed, node->position);
    return at < x->nnamed && x->named[at] == node->position ? NAMED : how;
}

/* Some that are looked at, in one view, and how each is meant. */
struct looked {
    struct pingo__arena arena;
    struct pingo__store_planned_list list;
    int how[PINGO__ACTIONS_PAGE];
};

static int read_page(struct search *x, const struct pingo__store_page *page, struct looked *l,
                     struct pingo_error *err)
{
    bool has_all = false;
    int rc = pingo__store_db_begin_read(&x->store->db, err);
    if (rc)
        return rc;
    rc = pingo__store_planned_list(&x->store->db, page, &l->list, err);
    for (size_t i = 0; !rc && i < l->list.n; i++) {
        const struct pingo__store_node *node = &l->list.rows[i].node;
        l->how[i] = how_meant(x, node);
        if (l->how[i] != NOT_MEANT)
            rc = check_labels(x, node->id, &l->arena, &has_all, err);
        if (!has_all)
            l->how[i] = NOT_MEANT;
    }
    pingo__store_db_rollback(&x->store->db);
    return rc;
}

/* Tells of one that is meant, and counts it. */
static int tell(struct search *x, const struct pingo__store_planned *p, int how,
                struct pingo_error *err)
{
    struct pingo_selected selected = {.id = p->node.user_id,
                                      .name = p->node.name,
                                      .hash = p->node.hash,
                                      .is_wanted = p->is_wanted,
                                      .is_named = how == NAMED};
    x->found++;
    if (!x->fn || !pingo__engine_page_takes(&x->page, 0, 0, 1))
        return 0;
    x->page.at[0] = p->node.position;
    return x->fn(x->context, &selected) ? pingo__engine_stopped(err) : 0;
}

static int look_at_page(struct search *x, const struct pingo__store_page *page,
                        struct pingo_error *err)
{
    struct looked l = {.list.arena = &l.arena};
    int rc = read_page(x, page, &l, err);
    for (size_t i = 0; !rc && !x->page.more && i < l.list.n; i++)
        if (l.how[i] != NOT_MEANT)
            rc = tell(x, &l.list.rows[i], l.how[i], err);
    pingo__arena_clear(&l.arena);
    return rc;
}

/* The next page, of no more than lies between some of the few.  Returns false: there is none. */
static bool next_page(const struct search *x, struct pingo__store_page *page)
{
    const int64_t *few = x->few.rows;
    page->from += page->n;
    page->n = x->is_few ? PAGE_OF_FEW : PINGO__ACTIONS_PAGE;
    if (!x->is_few)
        return page->from < x->workflow.nactions;
    size_t first = count_below(few, x->few.n, page->from);
    if (first == x->few.n)
        return false;
    page->from = few[first];
    page->n = few[count_below(few, x->few.n, page->from + page->n) - 1] - page->from + 1;
    return true;
}

/* From a position on. */
static int look_at_all(struct search *x, int64_t from, struct pingo_error *err)
{
    struct pingo__store_page page = {x->workflow.id, from, 0};
    int rc = 0;
    while (!rc && !x->page.more && next_page(x, &page))
        rc = look_at_page(x, &page, err);
    return rc;
}

/* Nothing is told where a word means nothing. */
static int check_found(const struct search *x, struct pingo_error *err)
{
    const struct pingo_selection *s = x->s;
    for (size_t i = 0; i < x->npatterns; i++)
        if (!x->matches[i])
            return pingo__fail(err, PINGO_ENOTFOUND,
                               "no action of workflow %" PRId64 " has a name like \"%s\"",
                               x->workflow.id, x->patterns[i]);
    if (x->found)
        return 0;
    return pingo__fail(err, PINGO_ENOTFOUND,
                       "no %saction of workflow %" PRId64 " has the label%s %s",
                       s->nactions ? "such " : "", x->workflow.id, s->nlabels > 1 ? "s" : "",
                       s->nlabels ? s->labels[0] : "");
}

int pingo__engine_check_labels(const char *const *labels, size_t n, struct pingo_error *err)
{
    for (size_t i = 0; i < n; i++) {
        const char *equals = strchr(labels[i], '=');
        if (!equals || equals == labels[i])
            return pingo__fail(err, PINGO_EINVAL, "\"%s\" is no label: write KEY=VALUE", labels[i]);
    }
    return 0;
}

int pingo_store_select(struct pingo_store *store, const struct pingo_selection *selection,
                       pingo_selected_fn fn, void *context, struct pingo_error *err)
{
    struct pingo_selection own;
    struct search x = {.store = store, .s = &own};
    struct pingo__arena arena = {0};
    int rc = pingo__growing_options_take(&options, selection, &own, err);
    if (!rc)
        rc = pingo__engine_check_labels(own.labels, own.nlabels, err);
    x.page = (struct pingo__engine_page){"s", own.limit, own.after, .next = own.next};
    rc = pingo__engine_page_begin(&x.page, rc, err);
    if (rc)
        return rc;
    x.named = pingo__arena_array(&arena, own.nactions + 1, sizeof *x.named);
    x.matches = pingo__arena_array(&arena, own.nactions + 1, sizeof *x.matches);
    x.patterns = pingo__arena_array(&arena, own.nactions + 1, sizeof *x.patterns);
    rc = x.named && x.matches && x.patterns
             ? pingo__engine_submission_get(store, own.workflow, &arena, &x.workflow, err)
             : pingo__fail_memory(err);
    if (!rc)
        rc = resolve_words(&x, err);
    if (!rc)
        rc = find_few(&x, &arena, err);
    bool is_checked = x.page.begun || own.nactions + own.nlabels == 0; /* else all are meant */
    if (!rc && !is_checked)
        rc = look_at_all(&x, 0, err);
    if (!rc && !is_checked)
        rc = check_found(&x, err);
    x.fn = fn;
    x.context = context;
    if (!rc)
        rc = look_at_all(&x, x.page.begun ? x.page.at[0] + 1 : 0, err);
    pingo__arena_clear(&arena);
    return pingo__engine_page_end(&x.page, rc);
}
