/* documents.c - pingo --server: provenance and report, which a server tells as JSON alone, and lists of a pool.
 *
 * Of these documents the text for people is made of more than stands in them; what a program reads is theirs as it
 * came. */
#include <unistd.h>

#include "remote/remote.h"
#include "told.h"

/* One object, as the server wrote it; root: of it. */
static int print_document(struct cli_remote *r, const char *path)
{
    int rc = cli_remote_ask(r, &(struct cli_ask){.path = path});
    if (rc != 0)
        return rc;
    if (isatty(STDOUT_FILENO) == 1)
        cli_print_lines(stdout, r->reply.body, r->reply.length);
    else
        fwrite(r->reply.body, 1, r->reply.length, stdout);
    return 0;
}

static int refuse_text(const struct cli_args *args)
{
    cli_message("%s of a server is told as JSON alone", args->command->name);
    cli_try("--json");
    return CLI_USAGE;
}

/* ---- provenance ------------------------------------------------------------------------------------------- */

#define ANCESTORS_MOST 1000 /* that a server tells */

/* The hash of an action, for its dataset. */
static int find_hash(struct cli_remote *r, char hex[PINGO_HASH_HEX_SIZE])
{
    struct pingo_action_status status = {0};
    int rc = cli_remote_get(r, &pingo__view_action, &status, "/v1/workflows/%s/actions/%s",
                            cli_operand(r->args, 0), cli_operand(r->args, 1));
    pingo_hash_to_hex(&status.hash, hex);
    return rc;
}

int cli_remote_provenance(struct cli_remote *r)
{
    const char *dataset = cli_operand(r->args, 0);
    int64_t depth = cli_number(r->args, "depth", 0, INT32_MAX, -1);
    int64_t limit = cli_number(r->args, "limit", 0, ANCESTORS_MOST, 100);
    char hex[PINGO_HASH_HEX_SIZE];
    if (cli_check(r->args) != CLI_OK)
        return CLI_USAGE;
    if (!r->cli->json)
        return refuse_text(r->args);
    if (!cli_is_dataset(r->args))
        return CLI_USAGE;
    if (cli_operand(r->args, 1) && find_hash(r, hex) != 0)
        return cli_remote_error(r);
    char *path =
        cli_remote_path("/v1/datasets/%s/provenance", cli_operand(r->args, 1) ? hex : dataset);
    if (depth >= 0)
        cli_remote_query_number(&path, "depth", depth);
    cli_remote_query_number(&path, "limit", limit > 0 ? limit : ANCESTORS_MOST);
    if (print_document(r, path) != 0)
        return cli_remote_error(r);
    const struct pingo__json_value *more = pingo__json_at(r->root, "more");
    if (more && pingo__json_kind(more) == PINGO__JSON_BOOLEAN && pingo__json_is_true(more))
        cli_provenance_more(depth >= 0);
    return CLI_OK;
}

/* ---- report ----------------------------------------------------------------------------------------------- */

static int tell_evictions(struct cli_remote *r, const char *path)
{
    struct cli_answer a;
    cli_pages_begin(&a, r->args, &pingo__view_eviction_page, 1);
    int rc = cli_remote_end(r, &a, NULL, cli_remote_tell(r, path, &pingo__view_eviction, &a, false));
    if (rc == CLI_OK && !r->cli->json)
        cli_evictions_total(&a);
    return rc;
}

int cli_remote_report(struct cli_remote *r)
{
    bool evictions = cli_flag(r->args, "evictions");
    int64_t since = cli_time(r->args, "since", 0), until = cli_time(r->args, "until", 0);
    int64_t limit = cli_number(r->args, "limit", 1, evictions ? INT64_MAX : 1000, 0);
    char *path = cli_copy(evictions ? "/v1/pool/evictions" : "/v1/pool/report");
    if (cli_check(r->args) != CLI_OK)
        return CLI_USAGE;
    if (r->args->noperands > 0)
        return cli_usage(r->args, "of a workflow there is --html alone, which needs the store: the "
                                  "page of the server shows the same");
    if (!evictions && cli_flag(r->args, "after"))
        return cli_usage(r->args, "--after goes with --evictions");
    if (!evictions && !r->cli->json)
        return refuse_text(r->args);
    cli_remote_query_time(&path, "since", since);
    cli_remote_query_time(&path, "until", until);
    if (limit > 0 && !evictions)
        cli_remote_query_number(&path, "limit", limit);
    if (evictions)
        return tell_evictions(r, path);
    return print_document(r, path) == 0 ? CLI_OK : cli_remote_error(r);
}
