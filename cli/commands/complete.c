/* complete.c - what the completion scripts of shells ask: hidden, quiet, never an error.
 *
 * pingo complete -- WORD...: the words of a command line without "pingo"; the last one is being
 * typed and may be empty.  Prints a candidate a line, with a tab and its meaning where there is
 * one; ":file" and ":directory" ask the shell to complete those itself. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "elsewhere.h"
#include "session.h"
#include "texts.h"

struct completion {
    struct cli *cli;
    const char *word; /* being typed */
    char *name;       /* the one that was offered last, for lists in which equal ones follow */
    bool has_server;  /* that is meant, and not a store here */
    bool is_dashed;   /* what begins with - would be an option, and not what is offered */
    const char *key;  /* of config: whose value is offered */
    bool has_check;   /* of config: its operand is an executor */
    bool has_schema;  /* of help: its operand is a command with --json */
};

static void offer(const struct completion *c, const char *candidate, const char *meaning)
{
    if (strncmp(candidate, c->word, strlen(c->word)) != 0 || strpbrk(candidate, "\t\n") ||
        (c->is_dashed && candidate[0] == '-'))
        return;
    cli_print_clean(stdout, candidate);
    if (meaning && *meaning != '\0') {
        putchar('\t');
        cli_print_clean(stdout, meaning);
    }
    putchar('\n');
}

static void offer_commands(const struct completion *c)
{
    for (const struct cli_command *const *p = cli_commands(); *p; p++)
        if (!c->has_schema || cli_option_find(*p, "json", strlen("json")))
            offer(c, (*p)->name, cli_help_of((*p)->name)->summary);
}

static void offer_options(const struct completion *c, const struct cli_command *command)
{
    char text[64];
    for (const struct cli_option *o = cli_options(command); o->long_name; o++) {
        snprintf(text, sizeof text, "--%s", o->long_name);
        offer(c, text, o->help);
    }
}

/* A function for the library that offers of each row a name, and what it means.  Equal names are one to the shell. */
#define OFFERS(function, type, name, meaning)                                                      \
    static int function(void *context, const type *row)                                            \
    {                                                                                              \
        offer(context, row->name, meaning);                                                        \
        return 0;                                                                                  \
    }
OFFERS(offer_workflow_name, struct pingo_workflow_status, name, NULL)
OFFERS(offer_token, struct pingo_token, name, row->user)
OFFERS(offer_user, struct pingo_share, user, NULL)

static int offer_workflow(void *context, const struct pingo_workflow_status *s)
{
    char number[32], meaning[128];
    snprintf(number, sizeof number, "%" PRId64, s->workflow);
    snprintf(meaning, sizeof meaning, "%s %.80s", pingo_workflow_state_name(s->state), s->name);
    offer(context, number, meaning);
    return 0;
}

static int offer_action(void *context, const struct pingo_action_status *s)
{
    char id[32];
    snprintf(id, sizeof id, "%" PRId64, s->id);
    offer(context, s->name, id);
    return 0;
}

#define LABELS_OF 20 /* workflows, where none is named */

static int offer_labels(void *context, const struct pingo_action_status *s)
{
    for (size_t i = 0; i + 1 < s->nlabels; i += 2) {
        char *label = cli_format("%s=%s", s->labels[i], s->labels[i + 1]);
        offer(context, label, NULL); /* equal ones are one to the shell */
        free(label);
    }
    return 0;
}

static int offer_labels_of(void *context, const struct pingo_workflow_status *s)
{
    struct completion *c = context;
    pingo_store_actions(c->cli->store,
                        &(struct pingo_action_query){.version = 1, .workflow = s->workflow},
                        offer_labels, c, NULL);
    return 0;
}

static int offer_dataset(void *context, const struct pingo_dataset_status *s)
{
    char hash[CLI_SHORT_HASH];
    cli_short_hash(hash, &s->hash);
    offer(context, hash, s->name);
    return 0;
}

static int offer_name(void *context, const struct pingo_dataset_status *s)
{
    struct completion *c = context;
    if (c->name && strcmp(c->name, s->name) == 0)
        return 0;
    free(c->name);
    c->name = cli_copy(s->name);
    char hash[CLI_SHORT_HASH];
    cli_short_hash(hash, &s->hash);
    offer(c, s->name, hash);
    return 0;
}

static int offer_key(void *context, const char *key, const char *value, const char *default_value,
                     const char *meaning)
{
    (void)value;
    (void)default_value;
    offer(context, key, meaning);
    return 0;
}

/* What a setting's meaning tells of: "on: ...; off: ...". */
static int offer_value(void *context, const char *key, const char *value, const char *default_value,
                       const char *meaning)
{
    const struct completion *c = context;
    const char *next = strcmp(key, c->key) == 0 ? meaning : NULL;
    char word[32];
    (void)value;
    (void)default_value;
    for (const char *at = next; at; at = next ? next + strlen("; ") : NULL) {
        size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789");
        next = strstr(at, "; ");
        cli_cut(word, sizeof word, at, n);
        if (n > 0 && at[n] == ':')
            offer(c, word, NULL);
    }
    return 0;
}

/* One that has settings of its own, executor.NAME.KEY. */
static int offer_executor(void *context, const char *key, const char *value,
                          const char *default_value, const char *meaning)
{
    struct completion *c = context;
    const char *name = key + strlen("executor."), *end = strrchr(key, '.');
    (void)value;
    (void)default_value;
    (void)meaning;
    if (strncmp(key, "executor.", strlen("executor.")) != 0 || end < name)
        return 0;
    char *own = cli_format("%.*s", (int)(end - name), name);
    if (!c->name || strcmp(c->name, own) != 0)
        offer(c, own, NULL);
    free(c->name);
    c->name = own;
    return 0;
}

static bool open_quietly(const struct completion *c)
{
    bool is_asked = !c->cli->directory && cli_environment("PINGO_SERVER");
    if (!c->has_server && !is_asked)
        cli_open_if_there(c->cli);
    return c->cli->store;
}

static void offer_values(struct completion *c, const char *key)
{
    const char *name, *summary;
    bool is_algorithm = strcmp(key, "decision.algorithm") == 0;
    for (size_t i = 0; is_algorithm && (name = cli_algorithm_at(i, &summary)); i++)
        offer(c, name, summary);
    c->key = key;
    if (open_quietly(c))
        pingo_store_settings(c->cli->store, offer_value, c, NULL);
}

/* workflow: the first operand, for actions, or the key, for values. */
static void offer_kind(struct completion *c, const char *kinds, const char *workflow)
{
    if (pingo__text_is_among(kinds, "file") || pingo__text_is_among(kinds, "program"))
        printf(":file\n");
    if (pingo__text_is_among(kinds, "directory"))
        printf(":directory\n");
    if (pingo__text_is_among(kinds, "topic")) {
        offer_commands(c);
        if (!c->has_schema)
            offer(c, "exit", "the exit statuses");
    }
    if (pingo__text_is_among(kinds, "workflow") && open_quietly(c)) {
        offer(c, "last", "the newest");
        pingo_store_workflows(c->cli->store,
                              &(struct pingo_workflow_query){.version = 1, .limit = 50},
                              offer_workflow, c, NULL);
    }
    int64_t number;
    if (pingo__text_is_among(kinds, "action") && open_quietly(c) &&
        pingo_store_resolve_workflow(c->cli->store, workflow, &number, NULL) == 0)
        pingo_store_actions(c->cli->store,
                            &(struct pingo_action_query){.version = 1, .workflow = number},
                            offer_action, c, NULL);
    /* Hashes only once some digits are there: there may be a hundred thousand. */
    if (pingo__text_is_among(kinds, "dataset") && strlen(c->word) >= 2 && open_quietly(c))
        pingo_store_datasets(c->cli->store, NULL, offer_dataset, c, NULL);
    if (pingo__text_is_among(kinds, "name") && open_quietly(c)) {
        struct pingo_dataset_query query = {
            .version = 1, .order = PINGO_DATASETS_BY_NAME, .limit = 1000};
        pingo_store_datasets(c->cli->store, &query, offer_name, c, NULL);
    }
    if (pingo__text_is_among(kinds, "token") && open_quietly(c))
        pingo_store_tokens(c->cli->store, NULL, offer_token, c, NULL);
    if (pingo__text_is_among(kinds, "user") && open_quietly(c))
        pingo_store_shares(c->cli->store, NULL, offer_user, c, NULL);
    if (pingo__text_is_among(kinds, "key") && open_quietly(c))
        pingo_store_settings(c->cli->store, c->has_check ? offer_executor : offer_key, c, NULL);
    if (pingo__text_is_among(kinds, "value"))
        offer_values(c, workflow);
}

/* ---- words to choose from ------------------------------------------------------ */

/* The name with what stands before it in a list: for "lru,ch" also "lru,chain". */
static void offer_element(const struct completion *c, bool is_list, const char *name,
                          const char *meaning)
{
    const char *comma = is_list ? strrchr(c->word, ',') : NULL;
    char *text =
        comma ? cli_format("%.*s%s", (int)(comma - c->word) + 1, c->word, name) : cli_copy(name);
    offer(c, text, meaning);
    free(text);
}

/* Options with words of their own to choose from; false: this is none. */
static bool offer_choice(const struct completion *c, const struct cli_command *command,
                         const struct cli_option *option)
{
    bool is_list = strcmp(option->argument, "LIST") == 0;
    const char *word, *meaning = NULL;
    size_t n = 0;
    while (command && command->choice && (word = command->choice(option->long_name, n, &meaning))) {
        offer_element(c, is_list, word, meaning);
        n++;
    }
    if (strcmp(option->long_name, "algorithm") == 0 && strchr(c->word, '/') &&
        (!is_list || !strchr(c->word, ',')))
        printf(":file\n");
    return n > 0;
}

/* Of the actions of a workflow; NULL: of the newest ones. */
static void offer_all_labels(struct completion *c, const char *workflow)
{
    int64_t number;
    if (!open_quietly(c))
        return;
    if (!workflow)
        pingo_store_workflows(c->cli->store,
                              &(struct pingo_workflow_query){.version = 1, .limit = LABELS_OF},
                              offer_labels_of, c, NULL);
    else if (pingo_store_resolve_workflow(c->cli->store, workflow, &number, NULL) == 0)
        pingo_store_workflow(c->cli->store, number, offer_labels_of, c, NULL);
}

/* workflow: the first operand. */
static void offer_argument(struct completion *c, const struct cli_command *command,
                           const struct cli_option *option, const char *workflow)
{
    for (const char *at = option->words; at && *at != '\0'; at += strspn(at, "|")) {
        char word[32];
        cli_cut(word, sizeof word, at, strcspn(at, "|"));
        offer(c, word, NULL);
        at += strcspn(at, "|");
    }
    if (offer_choice(c, command, option))
        return;
    if (strcmp(option->argument, "DIR") == 0)
        printf(":directory\n");
    else if (strcmp(option->argument, "PATH") == 0 || strcmp(option->argument, "FILE") == 0)
        printf(":file\n");
    else if (strcmp(option->argument, "STATE") == 0)
        for (enum pingo_dataset_state s = 1; pingo_dataset_state_name(s); s++)
            offer(c, pingo_dataset_state_name(s), NULL);
    else if (strcmp(option->long_name, "label") == 0)
        offer_all_labels(c, workflow);
    else if (strcmp(option->argument, "WORKFLOW") == 0)
        offer_kind(c, "workflow", NULL);
    else if (strcmp(option->long_name, "user") == 0)
        offer_kind(c, "user", NULL);
    else if (strcmp(option->long_name, "superseded") == 0 && open_quietly(c))
        pingo_store_workflows(c->cli->store,
                              &(struct pingo_workflow_query){.version = 1, .limit = 50},
                              offer_workflow_name, c, NULL);
}

/* The option that a word ends with still waiting for its argument; NULL. */
static const struct cli_option *waits_for_argument(const struct cli_command *command,
                                                   const char *word)
{
    const struct cli_option *o = NULL;
    if (strncmp(word, "--", 2) == 0)
        o = cli_option_find(command, word + 2, strlen(word + 2));
    else if (word[0] == '-' && word[1] != '\0' && word[2] == '\0')
        o = cli_option_of_letter(command, word[1]);
    return o && o->argument ? o : NULL;
}

const char *cli_algorithm_at(size_t i, const char **summary)
{
    const struct pingo_decision_algorithm *algorithm = pingo_decision_at(i);
    *summary = algorithm ? algorithm->summary : NULL;
    return algorithm ? algorithm->name : NULL;
}

/* The shell has not put the home directory in the place of ~ yet. */
static const char *at_home(const char *path)
{
    const char *home = getenv("HOME");
    return home && path[0] == '~' && path[1] == '/' ? cli_format("%s%s", home, path + 1) : path;
}

/* Whose names are to be offered, as an option says. */
static void take(struct completion *c, const char *option, const char *value)
{
    if (strcmp(option, "directory") == 0)
        c->cli->directory = at_home(value);
    c->has_server = c->has_server || strcmp(option, "server") == 0;
}

/* The same of an option that has its argument in the same word. */
static void take_whole(struct completion *c, const char *word)
{
    static const struct {
        const char *begin, *option;
    } all[] = {{"--directory=", "directory"}, {"-C", "directory"}, {"--server=", "server"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t n = strlen(all[i].begin);
        if (strncmp(word, all[i].begin, n) == 0 && word[n] != '\0')
            take(c, all[i].option, word + n);
    }
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct completion c = {.cli = cli};
    const struct cli_command *command = NULL;
    const char *operand = NULL; /* the first one, before the word */
    const struct cli_option *waiting = NULL;
    bool has_options = true; /* they may come, until -- or a command of its own */
    size_t nbefore = 0, n = args->noperands;
    if (n == 0)
        return CLI_OK;
    c.word = cli_operand(args, n - 1);
    for (size_t i = 0; i + 1 < n; i++) {
        const char *word = cli_operand(args, i);
        if (waiting) {
            take(&c, waiting->long_name, word);
            waiting = NULL;
        } else if (has_options && word[0] == '-' && word[1] != '\0') {
            waiting = waits_for_argument(command, word);
            has_options = strcmp(word, "--") != 0;
            c.has_check = c.has_check || strcmp(word, "--check") == 0;
            c.has_schema = c.has_schema || strcmp(word, "--schema") == 0;
            take_whole(&c, word);
        } else if (!command) {
            command = cli_command_find(word);
            if (!command)
                return CLI_OK;
            if (command->program)
                return cli_elsewhere_run(cli, command);
        } else {
            operand = nbefore++ == 0 ? word : operand;
            has_options = has_options && !command->stops_at_operand;
        }
    }
    const char *equals = strncmp(c.word, "--", 2) == 0 ? strchr(c.word, '=') : NULL;
    if (!waiting && has_options && equals) {
        waiting = cli_option_find(command, c.word + 2, (size_t)(equals - c.word) - 2);
        waiting = waiting && waiting->argument ? waiting : NULL;
        c.word = equals + 1;
    }
    if (waiting) {
        offer_argument(&c, command, waiting, operand);
    } else if (has_options && c.word[0] == '-') {
        offer_options(&c, command);
    } else if (!command) {
        offer_commands(&c);
    } else {
        struct cli_operands takes;
        c.is_dashed = has_options;
        cli_operands_of(command, nbefore, &takes);
        if (pingo__text_is_among(takes.kind, "verb"))
            for (const char *const *at = command->verbs; *at; at += 2)
                offer(&c, at[0], at[1]);
        else if (nbefore < takes.max)
            offer_kind(&c, takes.kind, operand);
    }
    return CLI_OK;
}

const struct cli_command cli_complete = {.name = "complete", .operands = "word*", .run = run};
