/* datasets.c - lists of datasets, and looking at one.
 *
 * A list is made in two steps: which ones, and in which order, in one pass over the
 * rows; then what there is to tell of each, a page at a time, so that no transaction is
 * open while the caller is told, and a list that is cut short costs little.  Nothing here
 * changes a dataset (retain.c does). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/growing.h"
#include "base/map.h"
#include "base/text.h"
#include "engine/engine.h"
#include "engine/look/page.h"
#include "store/dataset/dataset_query.h"
#include "manager/dataset/suspects.h"
#include "store/submission/labels.h"

/* ---- look ------------------------------------------------------------------------------------- */

/* The path of its row, as people see it. */
static int show_path(struct pingo_store *store, struct pingo__arena *arena,
                     struct pingo_dataset_status *s, struct pingo_error *err)
{
    if (s->path && !(s->path = pingo__pool_shown(&store->pool, arena, s->path)))
        return pingo__fail_memory(err);
    return 0;
}

#define PAGE PINGO__PAGE_ROWS
struct page {
    struct pingo__arena arena;
    struct pingo_dataset_status *told;
    size_t n;
};

struct found {
    int64_t id, value_ms; /* -1: not asked for */
    int64_t key;          /* by which it stands where it does; then by age, and by id: */
    int64_t last_used_ms;
    struct pingo_hash hash;
};

/* Where another page ended. */
struct place {
    struct found found;
    struct pingo_dataset_status status; /* with words to compare */
};

struct search {
    struct pingo_dataset_query query;
    struct pingo__arena arena; /* of the hashes that are the keys of sought, and of patterns */
    struct pingo__map named;   /* the names that are asked for; */
    const char **patterns;     /* those of them with a wildcard */
    size_t npatterns;
    bool values, by_value; /* they are asked for; it is ordered by them */
    struct pingo__map sought; /* hashes that meet as many conditions as the value says, from the first on */
    uint32_t nmet; /* how many conditions were looked for: labels, and to be of many submissions */
    struct pingo__engine_page page;
    struct place place;
    bool more; /* than the page has room for */
    struct found *found;
    size_t n, capacity;
};

/* There may be as many as there are datasets: each is looked at once. */
static int take_names(struct search *s, struct pingo_error *err)
{
    const struct pingo_dataset_query *q = &s->query;
    s->patterns = pingo__arena_array(&s->arena, q->nnames, sizeof *s->patterns);
    if (!s->patterns)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < q->nnames; i++) {
        if (!pingo__map_set(&s->named, q->names[i], strlen(q->names[i]), 0))
            return pingo__fail_memory(err);
        if (pingo__text_is_glob(q->names[i]))
            s->patterns[s->npatterns++] = q->names[i];
    }
    return 0;
}

static bool has_name(const struct search *s, const char *name)
{
    if (!s->query.nnames)
        return true;
    if (pingo__map_get(&s->named, name, strlen(name)) != PINGO__MAP_NONE)
        return true;
    for (size_t i = 0; i < s->npatterns; i++)
        if (pingo__text_glob(s->patterns[i], name))
            return true;
    return false;
}

static int compare(int64_t x, int64_t y)
{
    return (x > y) - (x < y);
}

/* In the order of the query, but for words. */
static int compare_found(enum pingo_dataset_order order, const struct found *x,
                         const struct found *y)
{
    bool rises = order == PINGO_DATASETS_BY_STATE;
    int by = rises ? compare(x->key, y->key) : compare(y->key, x->key);
    if (!by)
        by = compare(y->last_used_ms, x->last_used_ms);
    return by ? by : compare(y->id, x->id);
}

/* Was it told on an earlier page? */
static bool is_told(const struct search *s, const struct found *x, const char *text)
{
    enum pingo_dataset_order order = s->query.order;
    int by = 0;
    if (!s->page.begun)
        return false;
    if (order == PINGO_DATASETS_BY_USER)
        by = strcmp(text, s->place.status.user);
    else if (order == PINGO_DATASETS_BY_NAME)
        by = strcmp(text, s->place.status.name);
    if (!by)
        by = compare_found(order, x, &s->place.found);
    return s->query.reverse ? by >= 0 : by <= 0;
}

/* As many as the page has room for, and one: the rest need not be read.  What is sorted later is needed whole. */
static bool is_enough(const struct search *s)
{
    return s->query.limit && s->n > s->query.limit && !s->query.reverse && !s->values;
}

enum { ENOUGH = 1 };

static int keep_found(void *context, const void *row, struct pingo_error *err)
{
    struct search *s = context;
    const struct pingo__store_dataset_found *one = row;
    struct found found = {.id = one->id,
                          .value_ms = -1,
                          .key = one->key,
                          .last_used_ms = one->last_used_ms,
                          .hash = one->hash};
    if (!has_name(s, one->name) || (!s->by_value && is_told(s, &found, one->text)))
        return 0;
    if (s->nmet && pingo__map_get(&s->sought, found.hash.bytes, PINGO_HASH_SIZE) != s->nmet)
        return 0;
    if (!PINGO__ARRAY_ROOM(s->found, s->capacity, s->n, 1))
        return pingo__fail_memory(err);
    s->found[s->n++] = found;
    return is_enough(s) ? ENOUGH : 0;
}

static int by_value(const void *a, const void *b)
{
    return compare_found(PINGO_DATASETS_BY_VALUE, a, b);
}

/* The values of what was found; those that are too small go. */
static int add_values(struct pingo_store *store, struct search *s, struct pingo_error *err)
{
    struct pingo_history *history = NULL;
    int64_t *values = NULL;
    size_t kept = 0;
    int rc = pingo_store_history(store, NULL, &history, err);
    if (!rc) {
        values = malloc(((size_t)pingo_history_count_actions(history) + 1) * sizeof *values);
        rc = values ? pingo_history_values(history, values, err) : pingo__fail_memory(err);
    }
    for (size_t i = 0; !rc && i < s->n; i++) {
        uint32_t action = pingo_history_find(history, &s->found[i].hash);
        s->found[i].value_ms = action == PINGO_HISTORY_NONE ? 0 : values[action];
        if (s->by_value)
            s->found[i].key = s->found[i].value_ms;
        if (s->found[i].value_ms >= s->query.min_value_ms &&
            !(s->by_value && is_told(s, &s->found[i], "")))
            s->found[kept++] = s->found[i];
    }
    s->n = kept;
    if (!rc && s->n > 1 && s->by_value)
        qsort(s->found, s->n, sizeof *s->found, by_value);
    free(values);
    pingo_history_free(history);
    return rc;
}

static int add_sought(void *context, const void *row, struct pingo_error *err)
{
    struct search *s = context;
    uint32_t had = pingo__map_get(&s->sought, row, PINGO_HASH_SIZE), next = s->nmet + 1;
    if ((had == PINGO__MAP_NONE ? 0 : had) != s->nmet)
        return 0; /* it lacks one before, or was here already */
    bool fits = had == PINGO__MAP_NONE
                    ? pingo__map_keep(&s->sought, &s->arena, row, PINGO_HASH_SIZE, next)
                    : pingo__map_set(&s->sought, row, PINGO_HASH_SIZE, next);
    return fits ? 0 : pingo__fail_memory(err);
}

/* The hashes that have all labels, and are of the submissions where these are of many; then the query no longer asks
 * for them. */
static int find_sought(struct pingo_store *store, struct search *s, struct pingo_error *err)
{
    struct pingo_dataset_query *q = &s->query;
    const struct pingo__store_each each = {.fn = add_sought, .context = s};
    bool of_many = false;
    int rc = pingo__engine_check_labels(q->labels, q->nlabels, err);
    for (; !rc && s->nmet < q->nlabels; s->nmet++) {
        const char *label = q->labels[s->nmet], *equals = strchr(label, '=');
        char *key = pingo__arena_text(&s->arena, label, (size_t)(equals - label));
        const struct pingo__store_label_asked asked = {key, equals + 1, q->maker};
        rc = key ? pingo__store_labels_each_hash(&store->db, &asked, &each, err)
                 : pingo__fail_memory(err);
    }
    if (!rc && !q->maker && (q->user || q->workflow || q->workflow_name))
        rc = pingo__store_dataset_of_many(&store->db, q, &of_many, err);
    if (rc || !of_many)
        return rc;
    rc = pingo__store_dataset_each_hash(&store->db, q, &each, err);
    s->nmet++;
    q->user = q->workflow_name = NULL;
    q->workflow = 0;
    return rc;
}

/* Where no submission is as the query asks, that is said, with what is spelt alike. */
static int check_submission(struct pingo_store *store, const struct pingo_dataset_query *q,
                            struct pingo_error *err)
{
    const char *near = NULL;
    bool is_any = true;
    int rc = q->user || q->workflow || q->workflow_name
                 ? pingo__store_workflow_is_any(&store->db, q, &is_any, err)
                 : 0;
    if (rc || is_any)
        return rc;
    if (q->workflow)
        return pingo__fail(err, PINGO_ENOTFOUND, "there is no workflow %" PRId64 "%s%s",
                           q->workflow, q->user ? " of user " : "", q->user ? q->user : "");
    if (!q->workflow_name)
        return pingo__fail(err, PINGO_ENOTFOUND, "user %s has submitted nothing to this store",
                           q->user);
    struct pingo__arena arena = {0};
    struct pingo__store_text_list names = {.arena = &arena};
    if (pingo__store_workflow_names(&store->db, 4096, &names, err) == 0)
        near = pingo__text_nearest(q->workflow_name, names.rows, names.n);
    if (near && strcmp(near, q->workflow_name) == 0)
        near = NULL; /* somebody else's */
    pingo__fail(err, PINGO_ENOTFOUND, "no workflow named \"%s\" was submitted%s%s%s%s%s",
                q->workflow_name, q->user ? " by " : "", q->user ? q->user : "",
                near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    pingo__arena_clear(&arena);
    return PINGO_ENOTFOUND;
}

/* Which ones, in order. */
static int find_all(struct pingo_store *store, struct search *s, struct pingo_error *err)
{
    const struct pingo_dataset_query *q = &s->query;
    s->by_value = q->order == PINGO_DATASETS_BY_VALUE;
    s->values = q->values || q->min_value_ms > 0 || s->by_value;
    int rc = check_submission(store, q, err);
    if (!rc)
        rc = find_sought(store, s, err);
    if (!rc)
        rc = pingo__store_dataset_each_found(
            &store->db, q, s->page.begun && !q->reverse ? &s->place.found.last_used_ms : NULL,
            &(struct pingo__store_each){.fn = keep_found, .context = s}, err);
    rc = rc == ENOUGH ? 0 : rc;
    if (!rc && s->values)
        rc = add_values(store, s, err);
    for (size_t i = 0; !rc && q->reverse && i < s->n / 2; i++) {
        struct found one = s->found[i];
        s->found[i] = s->found[s->n - 1 - i];
        s->found[s->n - 1 - i] = one;
    }
    s->more = q->limit && s->n > q->limit;
    if (s->more)
        s->n = q->limit;
    return rc;
}

/* Reads up to PAGE of what was found, in one view; *n: how many.  A state may have changed since. */
static int read_page(struct pingo_store *store, const struct search *s, size_t first,
                     struct page *page, struct pingo_error *err)
{
    page->told = pingo__arena_array(&page->arena, PAGE, sizeof *page->told);
    int rc = page->told ? pingo__store_db_begin_read(&store->db, err) : pingo__fail_memory(err);
    if (rc)
        return rc;
    for (size_t i = first; !rc && i < s->n && i < first + PAGE; i++) {
        struct pingo_dataset_status *t = &page->told[page->n];
        rc = pingo__store_dataset_status(&store->db, s->found[i].id, &page->arena, t, err);
        t->value_ms = s->found[i].value_ms;
        page->n += t->generation && !(s->query.states && !(s->query.states >> t->state & 1));
    }
    pingo__store_db_rollback(&store->db);
    return rc;
}

static int tell_found(struct pingo_store *store, const struct search *s, pingo_dataset_status_fn fn,
                      void *context, struct pingo_error *err)
{
    int rc = 0;
    for (size_t first = 0; !rc && first < s->n; first += PAGE) {
        struct page page = {.n = 0};
        rc = read_page(store, s, first, &page, err);
        for (size_t i = 0; !rc && i < page.n; i++) {
            rc = show_path(store, &page.arena, &page.told[i], err);
            if (!rc && fn(context, &page.told[i]))
                rc = pingo__engine_stopped(err);
        }
        pingo__arena_clear(&page.arena);
    }
    return rc;
}

/* Where the page begins: not at one of another maker, whose name and user it would be compared by. */
static int find_place(struct pingo_store *store, struct search *s, struct pingo_error *err)
{
    static const char *const lists[] = {"d", "ds", "db", "dv", "du", "dw", "dn"};
    const struct pingo_dataset_query *q = &s->query;
    s->page = (struct pingo__engine_page){lists[q->order], q->limit, q->after, .next = q->next};
    int rc = pingo__engine_page_begin(&s->page, 0, err);
    if (rc || !s->page.begun)
        return rc;
    rc = pingo__store_dataset_status(&store->db, s->page.at[0], &s->arena, &s->place.status, err);
    const char *maker = q->maker ? q->maker : s->place.status.user;
    if (!rc && (!s->place.status.generation || strcmp(s->place.status.user, maker) != 0))
        rc = pingo__fail(err, PINGO_EINVAL, "\"%.80s\" is no place in this list", q->after);
    if (rc)
        return rc;
    s->place.found =
        (struct found){.id = s->page.at[0], .key = s->page.at[1], .last_used_ms = s->page.at[2]};
    return 0;
}

static int check_query(const struct pingo_dataset_query *q, struct pingo_error *err)
{
    if ((unsigned)q->order > PINGO_DATASETS_BY_NAME || q->min_bytes < 0 || q->below_bytes < 0 ||
        q->min_value_ms < 0 || q->since_ms < 0 || q->until_ms < 0 || q->workflow < 0)
        return pingo__fail(err, PINGO_EINVAL, "the query has an order or a bound that is none");
    return 0;
}

int pingo_store_datasets(struct pingo_store *store, const struct pingo_dataset_query *query,
                         pingo_dataset_status_fn fn, void *context, struct pingo_error *err)
{
    static const struct pingo__growing_options_type type = {
        "pingo_dataset_query",
        {offsetof(struct pingo_dataset_query, maker), sizeof(struct pingo_dataset_query)}};
    struct search s = {.n = 0};
    int rc = pingo__growing_options_take(&type, query, &s.query, err);
    if (!rc)
        rc = check_query(&s.query, err);
    if (rc)
        return rc;
    rc = find_place(store, &s, err);
    if (!rc)
        rc = take_names(&s, err);
    if (!rc)
        rc = find_all(store, &s, err);
    pingo__map_clear(&s.named);
    pingo__map_clear(&s.sought);
    pingo__arena_clear(&s.arena);
    if (!rc)
        rc = tell_found(store, &s, fn, context, err);
    if (!rc && s.n) {
        const struct found *last = &s.found[s.n - 1];
        s.page = (struct pingo__engine_page){s.page.list, .next = s.page.next, .told = s.n,
                                             .at = {last->id, last->key, last->last_used_ms},
                                             .more = s.more};
    }
    free(s.found);
    return pingo__engine_page_end(&s.page, rc);
}

int pingo_store_dataset(struct pingo_store *store, const struct pingo_hash *hash,
                        pingo_dataset_status_fn fn, void *context, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_dataset_row row;
    struct pingo_dataset_status status;
    int rc = pingo__engine_dataset_row(store, hash, &arena, &row, err);
    if (!rc)
        rc = pingo__store_dataset_status(&store->db, row.id, &arena, &status, err);
    if (!rc)
        rc = show_path(store, &arena, &status, err);
    if (!rc && fn(context, &status))
        rc = pingo__engine_stopped(err);
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_store_check_dataset(struct pingo_store *store, const struct pingo_hash *hash,
                              struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_dataset_row row;
    struct pingo_error why = {0};
    enum pingo__manager_presence is = PINGO__THERE;
    int rc = pingo__engine_dataset_row(store, hash, &arena, &row, err);
    if (!rc && !pingo__store_dataset_is_whole(&row))
        rc = pingo__fail(err, PINGO_ESTATE, "the dataset is %s",
                         pingo_dataset_state_name(row.state));
    if (!rc)
        rc = pingo__manager_dataset_verify(&store->context, &row, &is, &why);
    if (pingo__pool_is_remote(&store->pool) &&
        (why.code == PINGO_EAWAY || why.code == PINGO_ESTATE)) {
        rc = 0; /* nobody can say it now: it is as the store says */
        is = PINGO__THERE;
    } else if (why.code) {
        pingo__fail(err, rc, "%s", why.message);
    }
    if (!rc && is != PINGO__THERE)
        rc = pingo__fail(err, PINGO_ESTATE,
                         "%s: %s; run the workflow again with the action that makes it as a "
                         "target to have the dataset back",
                         row.path,
                         is == PINGO__CHANGED ? "was changed since it was made"
                         : row.managed        ? "vanished from the pool"
                                              : "is gone");
    pingo__arena_clear(&arena);
    return rc;
}
