/* shares.c - pingo shares: users, what falls to them, what they use, and their quotas. */
#include <string.h>

#include "told.h"

CLI_ROWS(on_share, struct pingo_share)

static int list(struct cli *cli)
{
    struct cli_answer a;
    cli_list(&a, cli, &pingo__view_share);
    return cli_list_end(&a, NULL, pingo_store_shares(cli->store, NULL, on_share, &a, &cli->err));
}

/* As it stands in the options: absent: as it is; 0: none. */
static int64_t quota(int64_t given)
{
    return given < 0 ? 0 : given ? given : -1;
}

static int on_set(void *context, const struct pingo_share *share)
{
    cli_answer(context, CLI_NOTE, &pingo__view_share, share);
    return 0;
}

static int set(struct cli *cli, const char *user, const struct pingo_share_options *options)
{
    struct pingo_share_query query = {.version = 1, .user = user};
    return pingo_store_set_share(cli->store, user, options, &cli->err) != 0 ||
                   pingo_store_shares(cli->store, &query, on_set, cli, &cli->err) != 0
               ? cli_error(cli)
               : CLI_OK;
}

static const char *const verbs[] = {"set", "set the weight and the quotas of a user", NULL};

int cli_shares_read(const struct cli_args *args, const char **user,
                    struct pingo_share_options *options)
{
    const char *verb = cli_operand(args, 0);
    bool sets = cli_value(args, "weight") || cli_value(args, "slots") ||
                cli_value(args, "actions") || cli_value(args, "bytes");
    *user = verb ? cli_operand(args, 1) : NULL;
    if (verb && strcmp(verb, "set") != 0)
        return cli_usage(args, "\"%s\" is not the word set: write set USER", cli_shown(verb));
    if (verb && !*user)
        return cli_usage(args, "whose? set takes a user");
    if (verb && !sets)
        return cli_usage(args, "set what? --weight, --slots, --actions or --bytes");
    if (!verb && sets)
        return cli_usage(args, "--weight, --slots, --actions and --bytes go with set");
    *options = (struct pingo_share_options){
        .version = 1,
        .weight = cli_number(args, "weight", 1, 10000, 0),
        .max_slots = quota(cli_number(args, "slots", 0, INT64_C(1) << 30, -1)),
        .max_actions = quota(cli_number(args, "actions", 0, INT64_C(1) << 40, -1)),
        .max_bytes = quota(cli_size(args, "bytes", -1))};
    return cli_check(args) != CLI_OK ? CLI_USAGE : CLI_OK;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    const char *user;
    struct pingo_share_options options;
    int rc = cli_shares_read(args, &user, &options);
    if (rc == CLI_OK)
        rc = cli_open(cli);
    return rc != CLI_OK ? rc : user ? set(cli, user, &options) : list(cli);
}

const struct cli_command cli_shares = {
    "shares", "verb? user?", run, .verbs = verbs,
    CLI_DOCUMENTS({NULL, &pingo__view_share, true}, {"set", &pingo__view_share, false})};
