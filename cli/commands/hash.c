/* hash.c - pingo hash: the hash of every action, or of an input.  Needs no store; where there is
 * one, its memory of content hashes saves reading. */
#include <stdlib.h>

#include "answer.h"
#include "signals.h"
#include "view/columns.h"

#define ROW struct pingo_planned
static const struct pingo__view_column columns[] = {
    COLUMN("id", COUNT, id, "the id in the definition"),
    COLUMN("name", TEXT, name, "the name"),
    COLUMN("hash", HASH, hash, "the hash of the action", .cut = PINGO_HASH_HEX_SIZE - 1),
};
static const struct pingo__view_table view =
    VIEW_TEXT("action", columns, ROW, "{hash}  {id}  {name}");
#undef ROW

struct input {
    const char *path;
    struct pingo_hash hash;
};
#define ROW struct input
static const struct pingo__view_column input_columns[] = {
    COLUMN("path", TEXT, path, "as it was given"),
    COLUMN("hash", HASH, hash, "the digest of its content", .cut = PINGO_HASH_HEX_SIZE - 1),
};
static const struct pingo__view_table input_view = VIEW_TEXT("input", input_columns, ROW, "{hash}");
#undef ROW

CLI_ROWS(on_planned, struct pingo_planned)

static int with_store(struct cli_answer *a, struct cli *cli, const struct cli_document *document,
                      struct pingo_problems **problems, struct pingo_error *err)
{
    struct pingo_submit_options options = {.version = 1,
                                           .base_dir = document->base_dir,
                                           .progress = cli_hash_progress,
                                           .planned = on_planned,
                                           .context = a};
    return pingo_store_hash(cli->store,
                            &(struct pingo_document){document->text, document->length, problems},
                            &options, err);
}

static int without_store(struct cli_answer *a, struct cli *cli, struct cli_document *document,
                         struct pingo_problems **problems, struct pingo_error *err)
{
    struct pingo_workflow_options options = {.version = 1, .base_dir = document->base_dir};
    struct pingo_identify_options identify = {
        .version = 1, .progress = cli_hash_progress, .context = cli};
    struct pingo_workflow *workflow = NULL;
    struct pingo_originals *originals = NULL;
    struct pingo_digests *digests = NULL;
    int rc =
        pingo_workflow_parse(&(struct pingo_document){document->text, document->length, problems},
                             &options, &workflow, err);
    free(document->text); /* what is hashed may be much */
    document->text = NULL;
    if (rc == 0)
        rc = pingo_originals_identify(workflow, &identify, &originals, err);
    if (rc == 0)
        rc = pingo_workflow_hash(workflow, originals, &digests, err);
    for (size_t i = 0; rc == 0 && i < pingo_workflow_count(workflow); i++) {
        const struct pingo_action *action = pingo_workflow_action(workflow, i);
        struct pingo_planned one = {
            .id = action->id, .name = action->name, .hash = *pingo_digests_hash(digests, i)};
        on_planned(a, &one);
    }
    pingo_digests_free(digests);
    pingo_originals_free(originals);
    pingo_workflow_free(workflow);
    return rc;
}

static int hash_input(struct cli *cli, const char *path)
{
    struct input input = {.path = path};
    if (pingo_content_hash(path, &input.hash, &cli->err) != 0)
        return cli_error(cli);
    cli_answer(cli, CLI_DATA, &input_view, &input);
    return CLI_OK;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct pingo_problems *problems = NULL;
    const char *input = cli_value(args, "input"), *file = cli_operand(args, 0);
    if ((!input) == (!file))
        return cli_usage(args, "give a workflow file, or --input PATH");
    if (input)
        return hash_input(cli, input);
    cli_open_if_there(cli);
    struct cli_document document;
    int rc = cli_document_read(&document, file, cli_document_limit(cli));
    if (rc != CLI_OK)
        return rc;
    cli_signals_catch();
    struct cli_answer answer;
    cli_list(&answer, cli, &view);
    if (cli->store)
        rc = with_store(&answer, cli, &document, &problems, &cli->err);
    else
        rc = without_store(&answer, cli, &document, &problems, &cli->err);
    cli_progress_clear();
    if (rc != 0)
        rc = cli_submit_failed(cli, &document, problems);
    rc = cli_list_close(&answer, rc);
    pingo_problems_free(problems);
    return rc;
}

const struct cli_command cli_hash = {
    "hash", "file?", run, CLI_DOCUMENTS({NULL, &view, true}, {"with --input", &input_view, false})};
