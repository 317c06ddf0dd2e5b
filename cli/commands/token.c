/* token.c - pingo token: what lets somebody in to a server of a store. */
#include <string.h>

#include "answer.h"
#include "remote/remote.h"

static void warn(struct cli *cli, const struct pingo__view_made_token *made)
{
    if (made->token.role == PINGO_ROLE_VIEWER)
        cli_note("%s may look at everything in this store", made->token.user);
    else
        cli_note("%s may run any command as this Unix user, and read all that this user may read: "
                 "who may submit can",
                 made->token.user);
    cli_note("it is not told again; take it back: %s token revoke %s%s", cli_program(cli),
             made->token.name[0] == '-' ? "-- " : "", cli_word(made->token.name));
}

static int create(struct cli *cli, const struct cli_args *args, const char *name)
{
    int64_t lasts_ms = cli_duration(args, "expires", -1);
    char text[PINGO_TOKEN_SIZE];
    struct pingo__view_made_token made = {.text = text};
    struct pingo_token_options options = {
        .version = 1,
        .name = name,
        .user = cli_value(args, "user"),
        .role = (enum pingo_role)(PINGO_ROLE_VIEWER + cli_choice(args, "role", 0)),
        .expires_ms = lasts_ms < 0    ? 0
                      : lasts_ms == 0 ? -1
                                      : pingo__world_wall_ms() + lasts_ms};
    if (cli_check(args) != CLI_OK)
        return CLI_USAGE;
    made.name = name;
    if (pingo_store_token_create(cli->store, &options, text, &cli->err) != 0 ||
        pingo_store_tokens(cli->store, NULL, pingo__view_take_made, &made, &cli->err) != 0)
        return cli_error(cli);
    cli_answer(cli, CLI_DATA, &pingo__view_token_made, &made);
    warn(cli, &made);
    return CLI_OK;
}

CLI_ROWS(on_token, struct pingo_token)

static int list(struct cli *cli, const struct cli_args *args)
{
    struct pingo_token_query query = {.version = 1, .all = cli_flag(args, "all")};
    struct cli_answer a;
    cli_list(&a, cli, &pingo__view_token);
    return cli_list_end(&a, NULL, pingo_store_tokens(cli->store, &query, on_token, &a, &cli->err));
}

static int revoke(struct cli *cli, const char *name)
{
    if (pingo_store_token_revoke(cli->store, name, &cli->err) != 0)
        return cli_error(cli);
    cli_answer(cli, CLI_NOTE, &pingo__view_token_revoked,
               &(struct pingo__view_made_token){.text = name});
    return CLI_OK;
}

static int tell_url(struct cli *cli, const struct cli_args *args)
{
    (void)args;
    struct pingo__view_way_in page = {0};
    struct cli_ask ask = {
        .method = "POST", .path = "/v1/page/code", .view = &pingo__view_way_in, .row = &page};
    if (cli_remote_ask(cli->remote, &ask) != 0)
        return cli_error(cli);
    cli_answer(cli, CLI_DATA, &pingo__view_way_in, &page);
    cli_note("it is good once, and for a minute, on this machine");
    return CLI_OK;
}

/* The server that runs is asked, as its owner: the codes are in its memory alone. */
static int url(struct cli *cli, const struct cli_args *args)
{
    const char *socket = cli_format("%s/serve.sock", pingo_store_directory(cli->store));
    return cli_remote_with(cli, args, socket, tell_url);
}

static const char *const verbs[] = {
    "create", "make one, and print it",    "list", "the tokens that are good",
    "revoke", "make one good for nothing", "url",  "let a browser in",
    NULL};

static int run(struct cli *cli, const struct cli_args *args)
{
    const char *verb = cli_operand(args, 0), *name = cli_operand(args, 1);
    bool creates = strcmp(verb, "create") == 0, lists = strcmp(verb, "list") == 0;
    bool tells_url = strcmp(verb, "url") == 0, is_alone = lists || tells_url;
    if (!creates && !is_alone && strcmp(verb, "revoke") != 0)
        return cli_usage(args, "\"%s\" is none of create, list, revoke and url", cli_shown(verb));
    if (is_alone == !!name)
        return is_alone ? cli_usage(args, "%s takes no name", verb)
                        : cli_usage(args, "which token? give it a name");
    if (!lists && cli_flag(args, "all"))
        return cli_usage(args, "--all goes with list");
    if (!creates &&
        (cli_value(args, "role") || cli_value(args, "user") || cli_value(args, "expires")))
        return cli_usage(args, "--role, --user and --expires go with create");
    int rc = cli_open(cli);
    return rc != CLI_OK ? rc
           : creates    ? create(cli, args, name)
           : lists      ? list(cli, args)
           : tells_url  ? url(cli, args)
                        : revoke(cli, name);
}

const struct cli_command cli_token = {"token", "verb token?", run, .verbs = verbs,
                                      CLI_DOCUMENTS({"create", &pingo__view_token_made, false},
                                                    {"list", &pingo__view_token, true},
                                                    {"revoke", &pingo__view_token_revoked, false},
                                                    {"url", &pingo__view_way_in, false})};
