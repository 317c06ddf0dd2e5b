/* rm.c - pingo rm: deletes datasets from the pool; pingo path: where they lie. */

#include <stdio.h>

#include "answer.h"
#include "select.h"
#include "view/columns.h"

struct removal {
    struct cli_each each;
    struct pingo__view_removed row;
};

static void on_removed(void *context, size_t i, const struct pingo_error *why)
{
    struct removal *r = context;
    const struct pingo_selected *one = &r->each.selection->list[i];
    char hex[PINGO_HASH_HEX_SIZE];
    r->each.cli->err = *why;
    cli_each_note(&r->each, i, why->code);
    if (why->code != 0)
        return;
    pingo_hash_to_hex(&one->hash, hex);
    if (r->row.n == 0)
        r->row.first = one->hash;
    r->row.hashes = cli_more(r->row.hashes, r->row.n, sizeof *r->row.hashes);
    r->row.hashes[r->row.n++] = cli_copy(hex);
    if (!r->each.cli->json)
        cli_note("deleted %.12s%s%s; a tick removes the bytes", hex, one->name ? "  " : "",
                 one->name ? one->name : "");
}

static int run_rm(struct cli *cli, const struct cli_args *args)
{
    struct cli_selection s;
    struct removal r = {.each = {.cli = cli, .selection = &s}};
    int rc = cli_select_datasets(cli, args, false, &s);
    if (rc != CLI_OK)
        return rc;
    struct pingo_hash *hashes = cli_alloc((s.n + 1) * sizeof *hashes);
    for (size_t i = 0; i < s.n; i++)
        hashes[i] = s.list[i].hash;
    struct pingo_removal removal = {.version = 1, .hashes = hashes, .nhashes = s.n};
    rc = pingo_store_remove_several(cli->store, &removal, on_removed, &r, &cli->err);
    rc = rc != 0 ? cli_error(cli) : cli_each_end(&r.each);
    r.row.passed = r.each.passed;
    if (r.row.n > 0 && cli->json)
        cli_answer(cli, CLI_DATA, &pingo__view_removed, &r.row);
    return rc;
}

struct place {
    struct pingo_hash hash;
    char *path;
    enum pingo_dataset_state state;
    const char *name; /* of the selection */
    bool was_made;
};

#define ROW struct place
static const struct pingo__view_column places[] = {
    COLUMN("hash", HASH, hash, "the dataset"),
    COLUMN("path", TEXT, path, "where it lies"),
    COLUMN("state", NAME, state, "its state", .names = pingo__view_dataset_state_name),
    COLUMN("name", TEXT, name, "of the action; null for a dataset that was named by its hash",
           MISSING),
};
static const struct pingo__view_table place_view = VIEW("path", places, ROW);
#undef ROW

struct search {
    struct cli *cli;
    struct place *list;
    size_t n;
    int status; /* of what is there, or should be, and is not as it should be */
};

static int take(void *context, const struct pingo_dataset_status *status)
{
    struct place *place = context;
    place->path = cli_copy(status->path);
    place->state = status->state;
    place->was_made = status->made_ms >= 0;
    return 0;
}

static int nothing(const struct place *p)
{
    cli_message("%s%sthere is nothing to find: the dataset is %s", p->name ? p->name : "",
                p->name ? ": " : "",
                p->was_made || pingo_dataset_state_is_pending(p->state)
                    ? pingo_dataset_state_name(p->state)
                    : "not made, for its action did not finish");
    cli_try("running the workflow again, which computes it");
    return CLI_NOTFOUND;
}

static int find_one(void *context, const struct cli_selection *s, const struct pingo_selected *one)
{
    struct search *search = context;
    struct place place = {.hash = one->hash, .name = one->name};
    struct cli *cli = search->cli;
    int rc = pingo_store_dataset(cli->store, &one->hash, take, &place, &cli->err), wrong = CLI_OK;
    bool there = rc == 0 && place.path && pingo_dataset_state_is_there(place.state);
    (void)s;
    if (there && pingo_store_check_dataset(cli->store, &one->hash, &cli->err) != 0)
        wrong = cli_error(cli);
    else if (rc == 0 && !there && one->is_named)
        wrong = nothing(&place);
    if (there && wrong == CLI_OK) {
        search->list = cli_more(search->list, search->n, sizeof *search->list);
        search->list[search->n++] = place;
        return 0;
    }
    search->status = search->status == CLI_OK ? wrong : search->status;
    return rc != 0 ? rc : wrong != CLI_OK ? 0 : PINGO_ENOTFOUND;
}

static void print_places(struct cli *cli, const struct search *search, bool alone)
{
    struct cli_answer a;
    for (size_t i = 0; !cli->json && i < search->n; i++) {
        cli_print_data(stdout, search->list[i].path);
        putchar('\n');
    }
    if (cli->json && alone)
        cli_answer(cli, CLI_DATA, &place_view, search->list);
    if (!cli->json || alone)
        return;
    cli_list(&a, cli, &place_view);
    for (size_t i = 0; i < search->n; i++)
        cli_row(&a, &search->list[i]);
    cli_list_end(&a, NULL, 0);
}

static int run_path(struct cli *cli, const struct cli_args *args)
{
    struct cli_selection s;
    struct search search = {.cli = cli};
    int rc = cli_select_datasets(cli, args, false, &s);
    if (rc != CLI_OK)
        return rc;
    rc = cli_each_dataset(cli, &s, find_one, &search);
    if (search.n > 0)
        print_places(cli, &search, s.n == 1);
    return rc == CLI_OK ? search.status : rc;
}

const struct cli_command cli_rm = {"rm", "workflow|dataset action*", run_rm, CLI_OPENS_STORE,
                                   CLI_PRINTS(&pingo__view_removed)};

const struct cli_command cli_path = {"path", "workflow|dataset action*", run_path, CLI_OPENS_STORE,
                                     CLI_DOCUMENTS({"where one is meant", &place_view, false},
                                                   {"where several are", &place_view, true})};
