/* config.c - pingo config: the settings of a store. */
#include <stdlib.h>

#include "answer.h"
#include "args.h"
#include "message.h"
#include "session.h"
#include "view/columns.h"

#define ROW struct pingo__view_setting
static const struct pingo__view_column columns[] = {
    COLUMN("key", TEXT, key, "the key"),
    COLUMN("value", TEXT, value, "its value"),
};
static const struct pingo__view_table one_view = VIEW("setting", columns, ROW);
#undef ROW

static int on_setting(void *context, const char *key, const char *value, const char *default_value,
                      const char *meaning)
{
    return cli_row(context, &(struct pingo__view_setting){key, value, default_value, meaning});
}

static int list(struct cli *cli)
{
    struct cli_answer a;
    struct pingo_error err = {0};
    cli_list(&a, cli, &pingo__view_setting);
    int rc = pingo_store_settings(cli->store, on_setting, &a, &err);
    return cli_list_end(&a, NULL, rc, &err);
}

static int get(struct cli *cli, const char *key)
{
    struct pingo_error err = {0};
    char *value = NULL;
    if (pingo_store_get(cli->store, key, &value, &err) != 0)
        return cli_error(cli, &err);
    if (cli->json)
        cli_answer(cli, CLI_DATA, &one_view,
                   &(struct pingo__view_setting){.key = key, .value = value});
    else
        printf("%s\n", value);
    free(value);
    return CLI_OK;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct pingo_error err = {0};
    const char *key = cli_operand(args, 0), *value = cli_operand(args, 1);
    bool unset = cli_flag(args, "unset");
    if (unset && (!key || value))
        return cli_usage(args, "--unset takes a key and no value");
    int rc = cli_open(cli);
    if (rc != CLI_OK)
        return rc;
    if (!key)
        return list(cli);
    if (!value && !unset)
        return get(cli, key);
    return pingo_store_set(cli->store, key, value, &err) == 0 ? CLI_OK : cli_error(cli, &err);
}

static const struct pingo__view_document documents[] = {
    {"without operand", &pingo__view_setting, true}, {"with a key", &one_view, false}, {0}};

const struct cli_command cli_config = {
    .name = "config",
    .operands = "key? value?",
    .documents = documents,
    .run = run,
};
