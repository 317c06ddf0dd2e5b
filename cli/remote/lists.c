/* lists.c - pingo --server: datasets, errors, shares and archive, and lists as such. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "remote/remote.h"
#include "signals.h"
#include "told.h"

#define PAGE 500
#define PAGES_MOST 1000000 /* of a list: none of ours is so long */

/* The rows of a page.  *n: how many; more than `most` are none that were asked for. */
static int tell_page(struct cli_remote *r, const struct cli_remote_list *list, void *row,
                     size_t most, size_t *n)
{
    int rc = 0;
    const struct pingo__json_value *items =
        pingo__json_reader_member(&r->reader, r->root, "items", PINGO__JSON_ARRAY, true);
    *n = 0;
    for (const struct pingo__json_value *v = pingo__json_first(items); v && rc == 0;
         v = pingo__json_next(v)) {
        if (*n == most)
            return pingo__fail(&r->cli->err, PINGO_EIO, "%s: a list has more than was asked for",
                               r->where);
        memset(row, 0, list->view->size);
        if (!cli_remote_row(r, v, list->view, row))
            break;
        rc = list->fn(list->context, row) != 0 ? PINGO_EINTERRUPTED : 0;
        ++*n;
    }
    return rc ? rc : cli_remote_misread(r, r->reader.rc);
}

/* Where the next page begins, of which it is sure that it is another one: a server that sends us round is noticed when
 * it comes again to the cursor that is kept, which is every second, fourth, eighth... one. */
struct pages {
    char next[PINGO_CURSOR_SIZE], kept[PINGO_CURSOR_SIZE];
    size_t n, keep_at;
};

static int turn_page(struct cli_remote *r, struct pages *p)
{
    const struct pingo__json_value *v = pingo__json_at(r->root, "next");
    bool is_end = !v || pingo__json_kind(v) == PINGO__JSON_NULL;
    const char *next = "";
    if (!is_end && !pingo__json_reader_expect(&r->reader, v, PINGO__JSON_STRING))
        return cli_remote_misread(r, r->reader.rc);
    if (!is_end)
        next = pingo__json_text(v);
    if (*next == '\0') {
        p->next[0] = '\0';
        return 0;
    }
    if (strlen(next) >= sizeof p->next)
        return pingo__fail(&r->cli->err, PINGO_EIO, "%s: the cursor of a list is too long",
                           r->where);
    if (strcmp(next, p->kept) == 0 || strcmp(next, p->next) == 0 || ++p->n > PAGES_MOST)
        return pingo__fail(&r->cli->err, PINGO_EIO, "%s: a list does not end", r->where);
    strcpy(p->next, next);
    if (p->n == p->keep_at) {
        strcpy(p->kept, next);
        p->keep_at *= 2;
    }
    return 0;
}

static int ask_page(struct cli_remote *r, const struct cli_remote_list *list, const char *next,
                    size_t limit)
{
    char *path = cli_copy(list->path);
    if (!list->is_whole)
        cli_remote_query_number(&path, "limit", (int64_t)limit);
    cli_remote_query(&path, "cursor", *next != '\0' ? next : NULL);
    int rc = cli_remote_ask(r, &(struct cli_ask){.path = path});
    free(path);
    return rc;
}

int cli_remote_each(struct cli_remote *r, const struct cli_remote_list *list)
{
    struct cli_answer *a = list->answer;
    struct pages pages = {.keep_at = 1};
    size_t left = a && a->limit > 0 ? a->limit : SIZE_MAX, n = 0;
    void *row = cli_alloc(list->view->size);
    int rc = 0;
    if (a && a->after && strlen(a->after) < sizeof pages.next)
        strcpy(pages.next, a->after);
    do {
        size_t limit = left < PAGE ? left : PAGE;
        rc = ask_page(r, list, pages.next, limit);
        if (rc == 0)
            rc = tell_page(r, list, row, list->is_whole ? SIZE_MAX : limit, &n);
        left -= rc == 0 && n < left ? n : left;
        left = rc == 0 && n == 0 ? 0 : left; /* a server that never ends its list */
        if (rc == 0)
            rc = turn_page(r, &pages);
    } while (rc == 0 && left > 0 && *pages.next != '\0');
    free(row);
    if (a)
        snprintf(a->next, sizeof a->next, "%s", pages.next);
    return rc;
}

int cli_remote_tell(struct cli_remote *r, const char *path, const struct pingo__view_table *view,
                    struct cli_answer *a, bool is_whole)
{
    struct cli_remote_list list = {path, view, cli_row, a, a, is_whole};
    return cli_remote_each(r, &list);
}

int cli_remote_end(struct cli_remote *r, struct cli_answer *a, const void *row, int rc)
{
    if (rc == 0 || (rc == PINGO_EINTERRUPTED && cli_signal_caught() == 0))
        return cli_list_end(a, row, rc);
    cli_list_drop(a);
    return cli_remote_error(r);
}

/* ---- actions ---------------------------------------------------------------------------------------------- */

struct named {
    const char *name, *id;
};

static int on_named(void *context, const void *row)
{
    struct named *n = context;
    const struct pingo_action_status *s = row;
    if (strcmp(s->name, n->name) == 0) /* not only like it */
        n->id = cli_format("%" PRId64, s->id);
    return 0;
}

int cli_remote_action(struct cli_remote *r, const char *workflow, const char **word)
{
    struct named named = {*word, NULL};
    if (!strpbrk(*word, "/\\") && strcmp(*word, ".") != 0 && strcmp(*word, "..") != 0)
        return 0;
    char *path = cli_remote_path("/v1/workflows/%s/actions", workflow);
    cli_remote_query(&path, "action", *word);
    int rc = cli_remote_each(
        r, &(struct cli_remote_list){path, &pingo__view_action, on_named, &named, NULL, false});
    if (rc == 0 && !named.id)
        rc = pingo__fail(&r->cli->err, PINGO_ENOTFOUND, "no action has the id or the name \"%s\"",
                         *word);
    *word = named.id ? named.id : *word;
    return rc;
}

/* ---- datasets --------------------------------------------------------------------------------------------- */

static int on_dataset(void *datasets, const void *row)
{
    return cli_dataset_row(datasets, row);
}

/* Asks for one row of a list. */
static int ask_one(struct cli_remote *r, char *path)
{
    cli_remote_query_number(&path, "limit", 1);
    return cli_remote_ask(r, &(struct cli_ask){.path = path});
}

static bool any_named(void *remote, const char *name)
{
    struct cli_remote *r = remote;
    char *path = cli_copy("/v1/datasets?all=true");
    cli_remote_query(&path, "name", name);
    return ask_one(r, path) == 0 && pingo__json_first(pingo__json_at(r->root, "items"));
}

int cli_remote_datasets(struct cli_remote *r)
{
    struct cli_datasets d = {0};
    char *path = cli_copy("/v1/datasets");
    cli_remote_query_options(r, &path,
                             "state*|user|workflow|label*|min-size|max-size|sort|reverse|all");
    cli_remote_query_time(&path, "newer", cli_time(r->args, "newer", 0));
    cli_remote_query_time(&path, "older", cli_time(r->args, "older", 0));
    for (size_t i = 0; i < r->args->noperands; i++)
        cli_remote_query(&path, "name", r->args->operands[i]);
    cli_pages_begin(&d.answer, r->args, &pingo__view_dataset_page, 1);
    if (cli_check(r->args) != CLI_OK)
        return CLI_USAGE;
    const char *sort = cli_value(r->args, "sort");
    d.answer.style.shown = sort && strcmp(sort, "value") == 0 ? 1u << 1 : 0;
    struct cli_remote_list list = {path, &pingo__view_dataset, on_dataset, &d, &d.answer, false};
    int rc = cli_remote_end(r, &d.answer, NULL, cli_remote_each(r, &list));
    if (rc == CLI_OK && d.answer.n == 0 && r->args->noperands > 0)
        return cli_datasets_none(r->args, any_named, r);
    if (rc == CLI_OK && !r->cli->json)
        cli_datasets_total(r->cli, &d);
    return rc;
}

/* ---- errors ----------------------------------------------------------------------------------------------- */

static int on_sum(void *errors, const void *row)
{
    return cli_errors_row(errors, row);
}

/* They come whole: what is beyond the limit is summed there. */
static int tell_sums(struct cli_remote *r, struct cli_errors *e, char **path)
{
    cli_remote_query_number(path, "limit", (int64_t)e->query.limit);
    cli_errors_begin(e, r->args);
    struct cli_remote_list list = {*path, &pingo__view_errors, on_sum, e, &e->answer, true};
    return cli_remote_each(r, &list);
}

static int tell_failures(struct cli_remote *r, struct cli_errors *e, const char *path)
{
    cli_pages_begin(&e->answer, r->args, &pingo__view_failed_page, 1);
    return cli_remote_tell(r, path, &pingo__view_failed, &e->answer, false);
}

struct met {
    pingo_summary_fn fn;
    void *context;
};

static int on_met(void *context, const void *row)
{
    struct met *met = context;
    return met->fn(met->context, row);
}

static int all_there(void *context, enum pingo_summary_by by, pingo_summary_fn fn, void *told)
{
    struct cli_remote *r = context;
    struct met met = {fn, told};
    char *path = cli_copy("/v1/errors");
    cli_remote_query(&path, "by", by == PINGO_SUMMARY_BY_NODE ? "node" : "executor");
    cli_remote_query_time(&path, "from", 1);
    cli_remote_query_number(&path, "limit", 1000);
    struct cli_remote_list list = {path, &pingo__view_errors, on_met, &met, NULL, true};
    return cli_remote_each(r, &list) == 0 ? CLI_OK : cli_remote_error(r);
}

/* As cli_check_submitted(). */
static int check_user(struct cli_remote *r, const char *user)
{
    char *path = cli_copy("/v1/datasets");
    cli_remote_query(&path, "user", user);
    return ask_one(r, path) == 0 ? CLI_OK : cli_remote_error(r);
}

int cli_remote_errors(struct cli_remote *r)
{
    struct cli_errors e;
    int rc = cli_errors_read(&e, r->args);
    if (rc != CLI_OK)
        return rc;
    char *path = cli_copy(e.is_list ? "/v1/errors/attempts" : "/v1/errors");
    cli_remote_query_options(r, &path, "by|step|error|executor|node|user|name");
    cli_remote_query_time(&path, "from", e.query.since_ms);
    cli_remote_query_time(&path, "to", e.query.until_ms);
    rc = e.is_list ? tell_failures(r, &e, path) : tell_sums(r, &e, &path);
    rc = cli_remote_end(r, &e.answer, NULL, rc);
    if (rc == CLI_OK && e.answer.n == 0 && e.query.user)
        rc = check_user(r, e.query.user);
    return rc == CLI_OK ? cli_errors_none(&e, all_there, r) : rc;
}

/* ---- shares ----------------------------------------------------------------------------------------------- */

/* In the options 0 is: as it is; below: no quota. */
static void put_quota(struct pingo__writer *w, const char *key, int64_t quota)
{
    if (quota > 0)
        pingo__writer_int(w, key, quota);
    else if (quota < 0)
        pingo__writer_null(w, key);
}

static int set_share(struct cli_remote *r, const char *user,
                     const struct pingo_share_options *options)
{
    struct pingo_share share = {0};
    struct pingo__writer w = {0};
    pingo__writer_open(&w, NULL, PINGO__WRITER_OBJECT);
    put_quota(&w, "weight", options->weight);
    put_quota(&w, "maxSlots", options->max_slots);
    put_quota(&w, "maxActions", options->max_actions);
    put_quota(&w, "maxBytes", options->max_bytes);
    pingo__writer_close(&w);
    char *body = cli_take(&w.out);
    struct cli_ask ask = {.method = "PUT",
                          .path = cli_remote_path("/v1/shares/%s", user),
                          .body = body,
                          .length = strlen(body),
                          .is_safe = true,
                          .view = &pingo__view_share,
                          .row = &share};
    int rc = cli_remote_ask(r, &ask);
    if (rc != 0)
        return cli_remote_error(r);
    cli_answer(r->cli, CLI_NOTE, &pingo__view_share, &share);
    return CLI_OK;
}

int cli_remote_shares(struct cli_remote *r)
{
    const char *user;
    struct pingo_share_options options;
    struct cli_answer a;
    int rc = cli_shares_read(r->args, &user, &options);
    if (rc != CLI_OK || user)
        return rc != CLI_OK ? rc : set_share(r, user, &options);
    cli_list(&a, r->cli, &pingo__view_share);
    return cli_remote_end(r, &a, NULL,
                          cli_remote_tell(r, "/v1/shares", &pingo__view_share, &a, true));
}

/* ---- archive ---------------------------------------------------------------------------------------------- */

int cli_remote_archive(struct cli_remote *r)
{
    struct cli_answer a;
    cli_list(&a, r->cli, &pingo__view_archive_file);
    return cli_remote_end(r, &a, NULL,
                          cli_remote_tell(r, "/v1/archive", &pingo__view_archive_file, &a, true));
}
