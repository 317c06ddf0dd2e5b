/* args.h - the one place where command lines are taken apart, by the tables of command.h. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include "command.h"

struct cli_given {
    const struct cli_option *option;
    const char *value; /* NULL for flags */
};

/* A command line, taken apart.  Strings are those of argv. */
struct cli_args {
    struct cli *cli;
    const struct cli_command *command;
    struct cli_given *given;
    size_t ngiven;
    const char **operands;
    size_t noperands;
};

/* Makes room for the words.  Exits when there is no memory. */
void cli_args_init(struct cli_args *args, struct cli *cli);
/* Reads options (and operands) from argv[*at] on.  args->command NULL: only the options that stand
 * before the command, stops at the first operand, *at is its index.
 * CLI_OK, or CLI_USAGE after a message. */
int cli_args_parse(struct cli_args *args, int argc, char **argv, int *at);

/* The options of a command, which end with one without a name; NULL: those before any command. */
const struct cli_option *cli_options(const struct cli_command *command);
/* One of them by its long name, or by its letter; NULL. */
const struct cli_option *cli_option_find(const struct cli_command *command, const char *name,
                                         size_t length);
const struct cli_option *cli_option_of_letter(const struct cli_command *command, char name);

/* What operands a command takes. */
struct cli_operands {
    size_t min, max;
    char kind[32]; /* of the i-th, past the last one that of the last; "": it takes none */
};
void cli_operands_of(const struct cli_command *command, size_t i, struct cli_operands *operands);

bool cli_flag(const struct cli_args *args, const char *long_name);
/* The last value given, or NULL. */
const char *cli_value(const struct cli_args *args, const char *long_name);
/* All values in order.  *n their number; free() the list.  NULL when there are none. */
const char **cli_values(const struct cli_args *args, const char *long_name, size_t *n);
/* The values of options, or absent where they are not given.  What is wrong is told, and makes cli_check() and
 * cli_open() fail: read all first. */
int64_t cli_number(const struct cli_args *args, const char *long_name, int64_t min, int64_t max,
                   int64_t absent);
int64_t cli_time(const struct cli_args *args, const char *long_name, int64_t absent);
/* A period, by the two options of its ends: 0 where one is not given.  Never one that ends before it begins. */
struct cli_period {
    int64_t since_ms, until_ms;
};
struct cli_period cli_period(const struct cli_args *args, const char *since, const char *until);
int64_t cli_duration(const struct cli_args *args, const char *long_name, int64_t absent);
int64_t cli_size(const struct cli_args *args, const char *long_name, int64_t absent);
/* Which of the words that it takes, from 0. */
int cli_choice(const struct cli_args *args, const char *long_name, int absent);
/* CLI_OK, or CLI_USAGE where something was wrong. */
int cli_check(const struct cli_args *args);
/* The i-th operand, or NULL. */
const char *cli_operand(const struct cli_args *args, size_t i);

#endif
