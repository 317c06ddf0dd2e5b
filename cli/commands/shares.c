/* shares.c - pingo shares: users, what falls to them, what they use, and their quotas. */
#include <string.h>

#include "base/path.h"
#include "remote/remote.h"

CLI_ROWS(on_share, struct pingo_share)

static int list(struct cli *cli)
{
    struct cli_answer a;
    cli_list(&a, cli, &pingo__view_share);
    int rc = cli->remote ? cli_remote_tell(cli->remote, "/v1/shares", &a, true)
                         : pingo_store_shares(cli->store, NULL, on_share, &a, &cli->err);
    return cli_list_end(&a, NULL, rc);
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

static void put_quota(struct pingo__writer *w, const char *key, int64_t quota)
{
    if (quota > 0)
        pingo__writer_int(w, key, quota);
    else if (quota < 0)
        pingo__writer_null(w, key);
}

static int set_there(struct cli_remote *r, const char *user,
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
    int rc = cli_remote_ask(r, &(struct cli_ask){.method = "PUT",
                                                 .path = cli_remote_path("/v1/shares/%s", user),
                                                 .body = cli_take(&w.out),
                                                 .view = &pingo__view_share,
                                                 .row = &share});
    return rc == 0 ? on_set(r->cli, &share) : rc;
}

static int set(struct cli *cli, const char *user, const struct pingo_share_options *options)
{
    struct pingo_share_query query = {.version = 1, .user = user};
    int rc = cli->remote ? set_there(cli->remote, user, options)
                         : pingo_store_set_share(cli->store, user, options, &cli->err);
    if (rc == 0 && !cli->remote)
        rc = pingo_store_shares(cli->store, &query, on_set, cli, &cli->err);
    return rc == 0 ? CLI_OK : cli_error(cli);
}

static const char *const verbs[] = {"set", "set the weight and the quotas of a user", NULL};

/* *user NULL: they are listed. */
static int read_options(const struct cli_args *args, const char **user,
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
    if (verb && args->cli->remote && !pingo__path_is_plain(*user))
        return cli_usage(args, "\"%s\" is no user whom a server can be told of", cli_shown(*user));
    if (verb && !sets)
        return cli_usage(args, "set what? --weight, --slots, --actions or --bytes");
    if (verb && args->cli->csv)
        return cli_usage(args, "--csv is for the list of all: set prints no table");
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
    int rc = read_options(args, &user, &options);
    if (rc == CLI_OK)
        rc = cli_open(cli);
    return rc != CLI_OK ? rc : user ? set(cli, user, &options) : list(cli);
}

const struct cli_command cli_shares = {
    "shares", "verb? user?", run, .verbs = verbs,
    CLI_DOCUMENTS({NULL, &pingo__view_share, true}, {"set", &pingo__view_share, false})};
