/* keep.c - pingo keep: datasets that are never evicted; pingo release: results are no longer kept for their own
 * sake. */
#include "answer.h"
#include "select.h"

struct retain {
    const struct pingo__view_table *view;
    int (*of_workflow)(struct pingo_store *store, int64_t workflow, struct pingo_released *released,
                       struct pingo_error *err);
    /* workflow: by which it was named; 0: by its hash. */
    int (*of_dataset)(struct pingo_store *store, int64_t workflow, const struct pingo_hash *hash,
                      struct pingo_released *released, struct pingo_error *err);
};

struct retaining {
    struct cli *cli;
    const struct retain *how;
    struct pingo_released all;
};

static int on_dataset(void *context, const struct cli_selection *s, const struct pingo_selected *d)
{
    struct retaining *r = context;
    struct pingo_released one = {.size = sizeof one};
    int rc = r->how->of_dataset(r->cli->store, s->workflow, &d->hash, &one, &r->cli->err);
    r->all.released += one.released;
    r->all.wanted += one.wanted;
    r->all.unmade += one.unmade;
    r->all.wanted_by = one.wanted > 0 ? one.wanted_by : r->all.wanted_by;
    r->all.wanted_by_others = r->all.wanted_by_others || one.wanted_by_others;
    return rc;
}

static int retain(struct cli *cli, const struct cli_args *args, const struct retain *how)
{
    struct cli_selection s;
    struct retaining r = {.cli = cli, .how = how, .all.size = sizeof r.all};
    int rc = cli_select_datasets(cli, args, true, &s);
    if (rc != CLI_OK)
        return rc;
    if (!s.is_everything)
        rc = cli_each_dataset(cli, &s, on_dataset, &r);
    else if (how->of_workflow(cli->store, s.workflow, &r.all, &cli->err) != 0)
        rc = cli_error(cli);
    int synced = cli_sync(cli);
    if (synced != CLI_OK)
        return synced;
    if (rc == CLI_OK || r.all.released > 0) /* of several some may have been */
        cli_answer(cli, CLI_NOTE, how->view, &r.all);
    return rc;
}

static int keep_workflow(struct pingo_store *store, int64_t workflow, struct pingo_released *r,
                         struct pingo_error *err)
{
    return pingo_store_keep_workflow(store, workflow, &r->released, err);
}

static int keep_dataset(struct pingo_store *store, int64_t workflow, const struct pingo_hash *hash,
                        struct pingo_released *r, struct pingo_error *err)
{
    bool changed = false;
    int rc = pingo_store_keep(store, hash, &changed, err);
    (void)workflow;
    r->released = changed;
    return rc;
}

static int run_keep(struct cli *cli, const struct cli_args *args)
{
    static const struct retain how = {&pingo__view_kept, keep_workflow, keep_dataset};
    int rc = cli_open_for_many(cli);
    return rc == CLI_OK ? retain(cli, args, &how) : rc;
}

static int release_dataset(struct pingo_store *store, int64_t workflow,
                           const struct pingo_hash *hash, struct pingo_released *r,
                           struct pingo_error *err)
{
    bool changed = false;
    if (workflow > 0)
        return pingo_store_release_dataset(store, workflow, hash, r, err);
    int rc = pingo_store_release(store, hash, &changed, err);
    r->released = changed;
    return rc;
}

static int run_release(struct cli *cli, const struct cli_args *args)
{
    static const struct retain how = {&pingo__view_released, pingo_store_release_workflow,
                                      release_dataset};
    const char *name = cli_value(args, "superseded");
    struct pingo_released r = {.size = sizeof r};
    if (!name && args->noperands == 0)
        return cli_usage(args, "which results? WORKFLOW [ACTION], a HASH, or --superseded NAME");
    if (name && (args->noperands > 0 || cli_flag(args, "label")))
        return cli_usage(args, "--superseded names all that is released");
    int rc = name ? cli_open(cli) : cli_open_for_many(cli);
    if (rc != CLI_OK)
        return rc;
    if (!name)
        return retain(cli, args, &how);
    if (pingo_store_release_superseded(cli->store, name, &r, &cli->err) != 0)
        return cli_error(cli);
    cli_answer(cli, CLI_NOTE, how.view, &r);
    return CLI_OK;
}

const struct cli_command cli_keep = {"keep", "workflow|dataset action*", run_keep,
                                     CLI_PRINTS(&pingo__view_kept)};

const struct cli_command cli_release = {"release", "workflow|dataset? action*", run_release,
                                        CLI_PRINTS(&pingo__view_released)};
