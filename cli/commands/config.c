/* config.c - pingo config: the settings of a store. */
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "json.h"
#include "message.h"
#include "session.h"

struct printer {
    const struct cli *cli;
    struct cli_json json;
};

static int on_setting(void *context, const char *key, const char *value, const char *default_value,
                      const char *meaning)
{
    struct printer *p = context;
    if (p->cli->json) {
        cJSON *o = cli_json_object();
        cli_json_text(o, "key", key);
        cli_json_text(o, "value", value);
        cli_json_text(o, "default", default_value);
        cli_json_text(o, "meaning", meaning);
        cli_json_item(&p->json, NULL, o);
        return 0;
    }
    bool changed = value != NULL && (default_value == NULL || strcmp(value, default_value) != 0);
    printf("%s%s%s = %s", cli_colour(stdout, changed ? CLI_BOLD : CLI_PLAIN), key,
           cli_colour(stdout, CLI_PLAIN), value != NULL ? value : "");
    if (changed)
        printf("   (default: %s)",
               default_value != NULL && *default_value != '\0' ? default_value : "none");
    printf("\n    %s\n", meaning);
    return 0;
}

static int list(struct cli *cli)
{
    struct printer p = {.cli = cli};
    struct pingo_error err = {0};
    cli_json_begin(&p.json, stdout);
    if (cli->json)
        cli_json_open(&p.json, NULL, '[');
    int rc = pingo_store_settings(cli->store, on_setting, &p, &err);
    if (cli->json)
        cli_json_close(&p.json);
    return rc == 0 ? CLI_OK : cli_error(cli, &err);
}

static int get(struct cli *cli, const char *key)
{
    struct pingo_error err = {0};
    char *value = NULL;
    if (pingo_store_get(cli->store, key, &value, &err) != 0)
        return cli_error(cli, &err);
    if (cli->json) {
        cJSON *o = cli_json_object();
        cli_json_text(o, "key", key);
        cli_json_text(o, "value", value);
        cli_json_print(stdout, o);
    } else {
        printf("%s\n", value);
    }
    free(value);
    return CLI_OK;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct pingo_error err = {0};
    const char *key = cli_operand(args, 0), *value = cli_operand(args, 1);
    bool unset = cli_flag(args, "unset");
    if (unset && (key == NULL || value != NULL))
        return cli_usage(args, "--unset takes a key and no value");
    int status = cli_open(cli);
    if (status != CLI_OK)
        return status;
    if (key == NULL)
        return list(cli);
    if (value == NULL && !unset)
        return get(cli, key);
    return pingo_store_set(cli->store, key, value, &err) == 0 ? CLI_OK : cli_error(cli, &err);
}

static const struct cli_option options[] = {
    {0, "unset", NULL, "put KEY back to its default"},
};
static const int exits[] = {CLI_NOTFOUND, 0};
static const char *const operands[] = {"key", "value", NULL};

const struct cli_command cli_config = {
    .name = "config",
    .synopsis = "[KEY [VALUE]]",
    .summary = "show or change settings",
    .description =
        "Alone: every setting with its value, its default and its meaning.  With a key: its\n"
        "value.  With a key and a value: changes it.  Settings are the store's and hold for\n"
        "every process that uses it.",
    .example = "  pingo config\n  pingo config executor.slots 4\n"
               "  pingo config --unset executor.slots\n",
    CLI_OPTIONS(options),
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .max_operands = 2,
    .operands = operands,
    .run = run,
};
