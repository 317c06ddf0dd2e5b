/* hash.c - pingo hash: the hash of every action, or of an input.  Needs no store; where there is
 * one, its memory of content hashes saves reading. */
#include <inttypes.h>
#include <pingo.h>

#include "args.h"
#include "json.h"
#include "message.h"
#include "session.h"
#include "signals.h"

struct printer {
    const struct cli *cli;
    struct cli_json json;
    bool opened; /* the document was begun: not before there is something to say */
};

static void open_json(struct printer *p)
{
    if (!p->cli->json || p->opened)
        return;
    p->opened = true;
    cli_json_begin(&p->json, stdout);
    cli_json_open(&p->json, NULL, '[');
}

static void print_one(struct printer *p, int64_t id, const char *name, const struct pingo_hash *hash)
{
    if (p->cli->json) {
        open_json(p);
        cJSON *o = cli_json_object();
        cli_json_int(o, "id", id);
        cli_json_text(o, "name", name);
        cli_json_hash(o, "hash", hash);
        cli_json_item(&p->json, NULL, o);
        return;
    }
    char hex[PINGO_HASH_HEX_SIZE];
    pingo_hash_to_hex(hash, hex);
    printf("%s  %" PRId64 "  ", hex, id);
    cli_print_clean(stdout, name);
    putchar('\n');
}

static int on_planned(void *context, const struct pingo_planned *planned)
{
    print_one(context, planned->id, planned->name, &planned->hash);
    return 0;
}

static int with_store(struct printer *p, struct cli *cli, const struct cli_document *document,
                      struct pingo_problems **problems, struct pingo_error *err)
{
    struct pingo_submit_options options = {
        .version = 1, .base_dir = document->base_dir, .progress = cli_hash_progress, .context = cli};
    return pingo_store_hash(cli->store, document->text, document->length, &options, on_planned, p,
                            problems, err);
}

static int without_store(struct printer *p, struct cli *cli, const struct cli_document *document,
                         struct pingo_problems **problems, struct pingo_error *err)
{
    struct pingo_workflow_options options = {.version = 1, .base_dir = document->base_dir};
    struct pingo_identify_options identify = {
        .version = 1, .progress = cli_hash_progress, .context = cli};
    struct pingo_workflow *workflow = NULL;
    struct pingo_originals *originals = NULL;
    struct pingo_digests *digests = NULL;
    int rc =
        pingo_workflow_parse(document->text, document->length, &options, &workflow, problems, err);
    if (rc == 0)
        rc = pingo_originals_identify(workflow, &identify, &originals, err);
    if (rc == 0)
        rc = pingo_workflow_hash(workflow, originals, &digests, err);
    for (size_t i = 0; rc == 0 && i < pingo_workflow_count(workflow); i++) {
        const struct pingo_action *action = pingo_workflow_action(workflow, i);
        print_one(p, action->id, action->name, pingo_digests_hash(digests, i));
    }
    pingo_digests_free(digests);
    pingo_originals_free(originals);
    pingo_workflow_free(workflow);
    return rc;
}

static int hash_input(const struct cli *cli, const char *path)
{
    struct pingo_hash hash;
    struct pingo_error err = {0};
    char hex[PINGO_HASH_HEX_SIZE];
    if (pingo_content_hash(path, &hash, &err) != 0)
        return cli_error(cli, &err);
    pingo_hash_to_hex(&hash, hex);
    if (cli->json) {
        cJSON *o = cli_json_object();
        cli_json_text(o, "path", path);
        cli_json_text(o, "hash", hex);
        cli_json_print(stdout, o);
    } else {
        printf("%s\n", hex);
    }
    return CLI_OK;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct printer printer = {.cli = cli};
    struct cli_document document;
    struct pingo_problems *problems = NULL;
    struct pingo_error err = {0};
    const char *input = cli_value(args, "input"), *file = cli_operand(args, 0);
    if ((input == NULL) == (file == NULL))
        return cli_usage(args, "give a workflow file, or --input PATH");
    if (input != NULL)
        return hash_input(cli, input);
    cli_open_if_there(cli);
    int status = cli_document_read(&document, file, cli_document_limit(cli));
    if (status != CLI_OK)
        return status;
    cli_signals_catch();
    int rc;
    if (cli->store != NULL)
        rc = with_store(&printer, cli, &document, &problems, &err);
    else
        rc = without_store(&printer, cli, &document, &problems, &err);
    cli_progress_clear();
    if (rc != 0)
        status = cli_submit_failed(cli, &document, problems, &err);
    else if (cli->json)
        cli_json_close(&printer.json);
    pingo_problems_free(problems);
    cli_document_clear(&document);
    return status;
}

static const struct cli_option options[] = {
    {'i', "input", "PATH", "the content hash of this file or directory instead"},
};
static const int exits[] = {CLI_INVALID, CLI_NOTFOUND, CLI_INPUT, CLI_INTERRUPTED, 0};
static const char *const operands[] = {"file", NULL};

const struct cli_command cli_hash = {
    .name = "hash",
    .synopsis = "FILE | --input PATH",
    .summary = "print the hash of every action, or of an input",
    .description =
        "Prints the hash, the id and the name of every action of a workflow; reads its inputs\n"
        "to that end.  With --input: the content hash of one file or directory, as it enters\n"
        "the hashes of actions (pingo-hash(7)).  FILE - is standard input.  Needs no store;\n"
        "one that is there saves reading unchanged inputs again.",
    .example = "  pingo hash words.json\n  pingo hash --input corpus/\n",
    CLI_OPTIONS(options),
    .flags = CLI_TAKES_JSON,
    .exits = exits,
    .max_operands = 1,
    .operands = operands,
    .run = run,
};
