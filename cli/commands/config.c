/* config.c - pingo config: the settings of a store. */
#include <stdlib.h>

#include "answer.h"
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
    cli_list(&a, cli, &pingo__view_setting);
    int rc = pingo_store_settings(cli->store, on_setting, &a, &cli->err);
    return cli_list_end(&a, NULL, rc);
}

static int get(struct cli *cli, const char *key)
{
    char *value = NULL;
    if (pingo_store_get(cli->store, key, &value, &cli->err) != 0)
        return cli_error(cli);
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
    return pingo_store_set(cli->store, key, value, &cli->err) == 0 ? CLI_OK : cli_error(cli);
}

const struct cli_command cli_config = {"config", "key? value?", run,
                                       CLI_DOCUMENTS({"without operand", &pingo__view_setting, true},
                                                     {"with a key", &one_view, false})};
