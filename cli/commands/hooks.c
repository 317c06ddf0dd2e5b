/* hooks.c - pingo hooks: who was told that workflows have ended, and who could not be. */
#include <pingo/feed.h>

#include "answer.h"

CLI_ROWS(on_hook, struct pingo_hook)

static int run(struct cli *cli, const struct cli_args *args)
{
    struct cli_answer a;
    bool failed = cli_flag(args, "failed");
    int rc = cli_pages(&a, args, &pingo__view_hook_page, 1);
    if (rc != CLI_OK)
        return rc;
    struct pingo_hook_query query = {
        .version = 1, .states = failed ? 1u << PINGO_HOOK_GIVEN_UP : 0, CLI_PART(a)};
    rc = cli_list_end(&a, NULL, pingo_store_hooks(cli->store, &query, on_hook, &a, &cli->err));
    if (rc == CLI_OK && a.n == 0 && !cli->json)
        cli_note(failed ? "nothing was given up"
                        : "nobody was to be told; hook.command and hook.url say "
                          "who is");
    return rc;
}

const struct cli_command cli_hooks = {"hooks", NULL, run,
                                      CLI_DOCUMENTS({"without --after", &pingo__view_hook, true},
                                                    {"with --after", &pingo__view_hook_page, false})};
