/* lists.c - pingo --server: lists, which come in pages, and documents, which are printed as they came. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "remote/remote.h"

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

int cli_remote_tell(struct cli_remote *r, const char *path, struct cli_answer *a, bool is_whole)
{
    struct cli_remote_list list = {path, a->rows, cli_row, a, a, is_whole};
    return cli_remote_each(r, &list);
}

int cli_remote_document(struct cli_remote *r, const char *path)
{
    if (!r->cli->json) {
        cli_message("%s of a server is told as JSON alone", r->args->command->name);
        cli_try("--json");
        return CLI_USAGE;
    }
    if (cli_remote_ask(r, &(struct cli_ask){.path = path}) != 0)
        return cli_error(r->cli);
    cli_print_said(r->reply.body, r->reply.length);
    return CLI_OK;
}

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

bool cli_remote_fits(const char *word)
{
    for (const char *at = word; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 127 || *at == '\\')
            return false;
    return pingo__path_is_plain(word);
}

int cli_remote_workflow(struct cli_remote *r, const char *word, struct pingo__view_workflow *row)
{
    if (!cli_remote_fits(word))
        return pingo__fail(&r->cli->err, PINGO_ENOTFOUND,
                           "\"%s\" is not a workflow's number; give a number or \"last\"", word);
    return cli_remote_get(r, &pingo__view_workflow, row, "/v1/workflows/%s", word);
}

int cli_remote_action(struct cli_remote *r, int64_t workflow, const char **word)
{
    struct named named = {*word, NULL};
    if (cli_remote_fits(*word))
        return 0;
    char *path = cli_remote_path("/v1/workflows/%d/actions", workflow);
    cli_remote_query(&path, "action", *word);
    int rc = cli_remote_each(
        r, &(struct cli_remote_list){path, &pingo__view_action, on_named, &named, NULL, false});
    if (rc == 0 && !named.id)
        rc = pingo__fail(&r->cli->err, PINGO_ENOTFOUND, "no action has the id or the name \"%s\"",
                         *word);
    *word = named.id ? named.id : *word;
    return rc;
}
