/* config.c - pingo config: the settings of a store. */
#include <stdlib.h>
#include <string.h>

#include <pingo/scheduler.h>

#include "answer.h"
#include "elsewhere.h"
#include "signals.h"
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

static int failed(struct cli *cli)
{
    int rc = cli_error(cli);
    if (cli->err.code == PINGO_ENOTFOUND)
        cli_try("%s config, which lists all settings", cli_program(cli));
    return rc;
}

static int get(struct cli *cli, const char *key)
{
    char *value = NULL;
    if (pingo_store_get(cli->store, key, &value, &cli->err) != 0)
        return failed(cli);
    if (cli->json)
        cli_answer(cli, CLI_DATA, &one_view,
                   &(struct pingo__view_setting){.key = key, .value = value});
    else
        printf("%s\n", value);
    free(value);
    return CLI_OK;
}

/* ---- trying an executor's settings ------------------------------------------------------------ */

#define SOON_MS 10000 /* when a setting was changed */
#define LONG_MS 120000

struct checking {
    struct cli *cli;
    struct cli_answer *answer; /* NULL: only what is not well is told */
    const char *executor;
    int worst;
};

static void on_found(void *context, enum pingo_check_result result, const char *what,
                     const char *message)
{
    struct checking *c = context;
    c->worst = (int)result > c->worst ? (int)result : c->worst;
    if (c->answer)
        cli_row(c->answer, &(struct pingo__view_check){c->executor, what, message, (int)result});
    else if (result == PINGO_CHECK_WRONG)
        cli_message("executor %s, %s: %s", c->executor, what, message);
    else if (result != PINGO_CHECK_WELL)
        cli_note("executor %s, %s: %s", c->executor, what, message);
}

static bool is_wanted(void *context)
{
    (void)context;
    return !cli_signal_caught();
}

static int check(struct checking *c, int64_t limit_ms)
{
    struct pingo_check_options options = {
        .version = 1, .found = on_found, .is_wanted = is_wanted, .context = c, .limit_ms = limit_ms};
    char helpers[4096];
    if (cli_elsewhere_find("pingo-runner", helpers))
        options.helper_dir = helpers;
    cli_signals_catch();
    return pingo_store_check(c->cli->store, c->executor, &options, &c->cli->err);
}

/* The one that the actions use that name none. */
static char *executor_set(struct cli *cli)
{
    char *name = NULL;
    return pingo_store_get(cli->store, "executor", &name, NULL) == 0 ? name : NULL;
}

/* pingo config --check [EXECUTOR] */
static int check_all(struct cli *cli, const char *executor)
{
    struct cli_answer a;
    char *set = executor ? NULL : executor_set(cli);
    struct checking c = {.cli = cli, .answer = &a, .executor = executor ? executor : set};
    cli_list(&a, cli, &pingo__view_check);
    int rc = check(&c, LONG_MS);
    if (rc == PINGO_EUNSUPPORTED) { /* it needs no settings */
        cli_note("%s", cli->err.message);
        rc = 0;
    }
    rc = cli_list_end(&a, NULL, rc);
    free(set);
    return rc != CLI_OK                   ? rc
           : cli_signal_caught()          ? cli_signal_status()
           : c.worst >= PINGO_CHECK_WRONG ? CLI_FAILED
                                          : CLI_OK;
}

/* What was set is kept whatever is found: the cluster may be down, or the next setting makes it right. */
static void check_changed(struct cli *cli, const char *key)
{
    char *set = executor_set(cli);
    struct checking c = {.cli = cli, .executor = set};
    size_t n = set ? strlen(set) : 0;
    bool is_its = set && strncmp(key, "executor.", 9) == 0 && strncmp(key + 9, set, n) == 0 &&
                  key[9 + n] == '.';
    int rc =
        set && (is_its || strcmp(key, "executor") == 0) ? check(&c, SOON_MS) : PINGO_EUNSUPPORTED;
    if (rc == PINGO_ENOTFOUND) { /* another program may have it */
        cli_note("%s; actions that name none wait for one that has it", cli->err.message);
    } else if (rc == 0) {
        if (c.worst == PINGO_CHECK_UNKNOWN)
            cli_note(
                "it could not be tried whether executor %s runs actions; later: %s config --check",
                set, cli_program(cli));
        else if (c.worst == PINGO_CHECK_WRONG)
            cli_note("set all the same; when that is mended: %s config --check", cli_program(cli));
        else
            cli_note("executor %s was tried, and runs actions", set);
    }
    free(set);
}

/* ---- the command --------------------------------------------------------------------------------- */

static int run(struct cli *cli, const struct cli_args *args)
{
    const char *key = cli_operand(args, 0), *value = cli_operand(args, 1);
    bool unset = cli_flag(args, "unset"), checks = cli_flag(args, "check");
    if (unset && (!key || value))
        return cli_usage(args, "--unset takes a key and no value");
    if (checks && (unset || value))
        return cli_usage(args, "--check takes the name of an executor, or nothing");
    if (cli_flag(args, "no-check") && !value && !unset)
        return cli_usage(args, "--no-check goes with a key and a value, or --unset");
    int rc = cli_open(cli);
    if (rc != CLI_OK)
        return rc;
    if (checks)
        return check_all(cli, key);
    if (!key)
        return list(cli);
    if (!value && !unset)
        return get(cli, key);
    if (pingo_store_set(cli->store, key, value, &cli->err) != 0)
        return failed(cli);
    if (!cli_flag(args, "no-check"))
        check_changed(cli, key);
    return CLI_OK;
}

const struct cli_command cli_config = {
    "config", "key? value?", run,
    CLI_DOCUMENTS({"without operand", &pingo__view_setting, true}, {"with a key", &one_view, false},
                  {"with --check", &pingo__view_check, true})};
