/* args.c - takes command lines apart: --long, --long=VALUE, -s, -sVALUE, clusters of short flags,
 * "--".  Options and operands may be mixed.  What is unknown is answered with the nearest known. */
#include "args.h"

#include <inttypes.h>
#include <string.h>

#include "message.h"
#include "texts.h"

const struct cli_help *cli_help_of(const char *command)
{
    const struct cli_help *help = cli_helps;
    while (help->command && strcmp(help->command, command) != 0)
        help++;
    return help;
}

const struct cli_option *cli_options(const struct cli_command *command)
{
    return cli_help_of(command ? command->name : "pingo")->options;
}

const struct cli_option *cli_option_find(const struct cli_command *command, const char *name,
                                         size_t length)
{
    for (const struct cli_option *o = cli_options(command); o->long_name; o++)
        if (strlen(o->long_name) == length && memcmp(o->long_name, name, length) == 0)
            return o;
    return NULL;
}

const struct cli_option *cli_option_of_letter(const struct cli_command *command, char name)
{
    const struct cli_option *o = cli_options(command);
    while (o->long_name && o->short_name != name)
        o++;
    return o->long_name ? o : NULL;
}

void cli_operands_of(const struct cli_command *command, size_t i, struct cli_operands *operands)
{
    const char *at = command->operands ? command->operands : "";
    *operands = (struct cli_operands){.min = 0};
    for (size_t k = 0; *at != '\0'; k++) {
        size_t n = strcspn(at, " ?*+");
        if (k <= i)
            cli_cut(operands->kind, sizeof operands->kind, at, n);
        operands->min += at[n] != '?' && at[n] != '*';
        operands->max = at[n] == '*' || at[n] == '+' ? SIZE_MAX : operands->max + 1;
        at += n + strspn(at + n, " ?*+");
    }
}

void cli_args_init(struct cli_args *args, struct cli *cli)
{
    memset(args, 0, sizeof *args);
    args->cli = cli;
    args->operands = cli_alloc(((size_t)cli->argc + 1) * sizeof *args->operands);
}

static int unknown_option(const struct cli_command *command, const char *word, const char *name,
                          size_t length)
{
    const char *names[64];
    size_t n = 0;
    char wanted[64];
    if (command && cli_option_find(NULL, name, length)) {
        cli_message("pingo %s has no --%.*s", command->name, (int)length, name);
        cli_try("pingo %s --help", command->name);
        return CLI_USAGE;
    }
    for (const struct cli_option *o = cli_options(command); o->long_name && n < 64; o++)
        names[n++] = o->long_name;
    cli_cut(wanted, sizeof wanted, name, length);
    const char *instead = cli_option_hint(command ? command->name : NULL, wanted);
    const char *near = !instead && length > 1 ? pingo__text_nearest(wanted, names, n) : NULL;
    cli_message("unknown option %s%s%s%s", cli_shown(word), near ? "; did you mean --" : "",
                near ? near : "", near ? "?" : "");
    if (instead)
        cli_try("%s", instead);
    else
        cli_try("pingo%s%s --help", command ? " " : "", command ? command->name : "");
    return CLI_USAGE;
}

static int add(struct cli_args *args, const struct cli_option *option, const char *value)
{
    args->given = cli_more(args->given, args->ngiven, sizeof *args->given);
    args->given[args->ngiven++] = (struct cli_given){option, value};
    return CLI_OK;
}

static int needs_argument(const struct cli_option *option)
{
    cli_message("option --%s needs an argument: %s", option->long_name, option->argument);
    cli_tell("  %s: %s", option->argument, option->help);
    return CLI_USAGE;
}

static int parse_long(struct cli_args *args, int argc, char **argv, int *at)
{
    const char *word = argv[*at], *name = word + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const struct cli_option *o = cli_option_find(args->command, name, length);
    if (!o)
        return unknown_option(args->command, word, name, length);
    if (!o->argument) {
        if (equals) {
            cli_message("option --%s takes no argument", o->long_name);
            return CLI_USAGE;
        }
        return add(args, o, NULL);
    }
    if (equals)
        return add(args, o, equals + 1);
    if (*at + 1 >= argc)
        return needs_argument(o);
    return add(args, o, argv[++*at]);
}

static int parse_short(struct cli_args *args, int argc, char **argv, int *at)
{
    for (const char *p = argv[*at] + 1; *p != '\0'; p++) {
        const struct cli_option *o = cli_option_of_letter(args->command, *p);
        if (!o)
            return unknown_option(args->command, argv[*at], p, 1);
        if (!o->argument) {
            add(args, o, NULL);
            continue;
        }
        if (p[1] != '\0')
            return add(args, o, p + 1);
        if (*at + 1 >= argc)
            return needs_argument(o);
        return add(args, o, argv[++*at]);
    }
    return CLI_OK;
}

int cli_args_parse(struct cli_args *args, int argc, char **argv, int *at)
{
    bool options = true;
    for (; *at < argc; ++*at) {
        const char *word = argv[*at];
        int rc = CLI_OK;
        if (options && strcmp(word, "--") == 0) {
            options = false;
        } else if (options && strncmp(word, "--", 2) == 0) {
            rc = parse_long(args, argc, argv, at);
        } else if (options && word[0] == '-' && word[1] != '\0') {
            rc = parse_short(args, argc, argv, at);
        } else {
            if (!args->command)
                return CLI_OK;
            options = options && !args->command->stops_at_operand;
            args->operands[args->noperands++] = word;
        }
        if (rc != CLI_OK)
            return rc;
    }
    return CLI_OK;
}

bool cli_flag(const struct cli_args *args, const char *long_name)
{
    for (size_t i = 0; i < args->ngiven; i++)
        if (strcmp(args->given[i].option->long_name, long_name) == 0)
            return true;
    return false;
}

const char *cli_value(const struct cli_args *args, const char *long_name)
{
    for (size_t i = args->ngiven; i-- > 0;)
        if (strcmp(args->given[i].option->long_name, long_name) == 0)
            return args->given[i].value;
    return NULL;
}

const char **cli_values(const struct cli_args *args, const char *long_name, size_t *n)
{
    *n = 0;
    if (!cli_flag(args, long_name))
        return NULL;
    const char **values = cli_alloc((args->ngiven + 1) * sizeof *values);
    for (size_t i = 0; i < args->ngiven; i++)
        if (strcmp(args->given[i].option->long_name, long_name) == 0)
            values[(*n)++] = args->given[i].value;
    return values;
}

static int64_t wrong(const struct cli_args *args, int64_t absent)
{
    args->cli->is_wrong = true;
    return absent;
}

int cli_check(const struct cli_args *args)
{
    return args->cli->is_wrong ? CLI_USAGE : CLI_OK;
}

int64_t cli_number(const struct cli_args *args, const char *long_name, int64_t min, int64_t max,
                   int64_t absent)
{
    const char *text = cli_value(args, long_name);
    int64_t value = absent;
    if (!text || pingo__text_to_int64(text, min, max, &value))
        return value;
    char *most = max < INT64_C(1) << 40 ? cli_format("to %" PRId64, max) : cli_copy("on");
    cli_usage(args, "--%s takes a whole number from %" PRId64 " %s, not \"%s\"", long_name, min,
              most, cli_shown(text));
    return wrong(args, absent);
}

static int64_t value_of(const struct cli_args *args, const char *long_name, int64_t absent,
                        bool (*parse)(const char *text, int64_t *value), const char *what)
{
    const char *text = cli_value(args, long_name);
    int64_t value = absent;
    if (!text || parse(text, &value))
        return value;
    cli_usage(args, "--%s takes %s", long_name, what);
    return wrong(args, absent);
}

int64_t cli_time(const struct cli_args *args, const char *long_name, int64_t absent)
{
    return value_of(args, long_name, absent, cli_parse_time,
                    "a time such as 2026-11-20 or 2026-11-20T08:00:00Z, or how long ago, such as "
                    "90s, 15m, 6h, 7d or 2w");
}

struct cli_period cli_period(const struct cli_args *args, const char *since, const char *until)
{
    struct cli_period p = {cli_time(args, since, 0), cli_time(args, until, 0)};
    if (cli_value(args, until) && p.since_ms > p.until_ms && cli_check(args) == CLI_OK) {
        cli_usage(args, "--%s %s is later than --%s %s: nothing was between them", since,
                  cli_shown(cli_value(args, since)), until, cli_shown(cli_value(args, until)));
        wrong(args, 0);
    }
    return p;
}

int64_t cli_duration(const struct cli_args *args, const char *long_name, int64_t absent)
{
    return value_of(args, long_name, absent, pingo__units_parse_duration,
                    "a duration such as 250ms, 90s, 15m, 6h, 7d or 2w");
}

int64_t cli_size(const struct cli_args *args, const char *long_name, int64_t absent)
{
    return value_of(args, long_name, absent, pingo__units_parse_size,
                    "a size in bytes, or such as 64K, 500M, 1.5 GiB or 2TB");
}

int cli_choice(const struct cli_args *args, const char *long_name, int absent)
{
    const char *text = cli_value(args, long_name), *words[16];
    if (!text)
        return absent;
    char *copy = cli_copy(cli_option_find(args->command, long_name, strlen(long_name))->words);
    int n = 0, found = -1;
    for (char *rest = NULL, *at = copy; (words[n] = strtok_r(at, "|", &rest)); at = NULL, n++)
        found = strcmp(words[n], text) == 0 ? n : found;
    if (found < 0) {
        const char *near = pingo__text_nearest(text, words, (size_t)n);
        char *list = NULL;
        for (int i = 0; i < n; i++)
            cli_append(&list, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " or ", words[i]);
        cli_usage(args, "--%s takes %s, not \"%s\"%s%s%s", long_name, list, cli_shown(text),
                  near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
        found = (int)wrong(args, absent);
    }
    return found;
}

const char *cli_operand(const struct cli_args *args, size_t i)
{
    return i < args->noperands ? args->operands[i] : NULL;
}
