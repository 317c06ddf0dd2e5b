/* command.h - what a command is.
 *
 * Each command lies in a file of its own and declares itself as a constant struct cli_command; commands.c of each
 * program lists them.  Its options and its help are those of its page, man/pingo-NAME.1. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include <pingo/error.h>

#include "exit.h"
#include "text.h"

struct pingo_store;
struct cli_remote;
struct cli_watch;

/* What holds for the whole call of the program. */
struct cli {
    int argc;
    char **argv;           /* as they were given */
    const char *directory; /* of -C; NULL */
    bool json, csv;        /* csv: lists are; one of them at the most */
    enum pingo__view_times time_style;
    struct pingo_store *store; /* once cli_open() was called */
    struct cli_remote *remote; /* the store lies behind a server (remote/remote.h); NULL: here */
    /* If it does, behind the message of an error: what to do about it.  CLI_OK, or the exit status, where that is
     * another one. */
    int (*failed)(struct cli *cli);
    struct pingo_error err;  /* of what failed last */
    struct cli_watch *watch; /* told of events while workflows run; NULL */
    char *waits;             /* what was said of actions that wait, together; NULL */
    bool lacks_memory;       /* for what was to be printed */
    bool is_wrong;           /* an option's value was, and was told */
};

struct cli_option {
    char short_name;       /* 0: none */
    const char *long_name; /* without dashes */
    const char *argument;  /* what it takes, for people ("FILE"); NULL: a flag */
    const char *help;      /* a sentence */
    const char *words;     /* that it takes, "a|b|c"; NULL: others */
};

struct cli_args;

/* What its page does not say (texts.h). */
struct cli_command {
    const char *name;
    /* What each operand is, in order: "?" behind it: it may be left out, "+": one or more, "*": any number.  For
     * completion: file, directory, program, workflow, action, dataset, name, key, value (of that key), topic, token,
     * user, verb (one of the words below), or several, as "file|workflow". */
    const char *operands;
    int (*run)(struct cli *cli, const struct cli_args *args);
    bool opens_store;              /* it is open when the command runs */
    bool stops_at_operand;         /* options end at the first operand */
    void (*more)(struct cli *cli); /* prints what the help adds from the library's tables; NULL */
    const char *const *verbs; /* a word, its meaning, the next word ..., for completion; ends with NULL */
    /* The i-th of the words that an option takes, for completion; NULL past the end.  *meaning: of the word. */
    const char *(*choice)(const char *option, size_t i, const char **meaning);
    const struct pingo__view_document
        *documents;      /* what --json prints; ends with one without view; NULL: nothing */
    const char *program; /* has the command; NULL: this one */
};

/* clang-format off */
#define CLI_OPENS_STORE .opens_store = true
/* .documents of a command: one kind of object, an array of them, or several. */
#define CLI_PRINTS(view_) CLI_DOCUMENTS({NULL, (view_), false})
#define CLI_PRINTS_LIST(view_) CLI_DOCUMENTS({NULL, (view_), true})
#define CLI_DOCUMENTS(...) .documents = (const struct pingo__view_document[]){__VA_ARGS__, {0}}
/* clang-format on */

/* commands.c, of each program: all commands in the order in which help shows them, ends with NULL; and what help
 * says before them. */
const struct cli_command *const *cli_commands(void);
extern const char cli_overview[];
/* NULL where there is none of this name. */
const struct cli_command *cli_command_find(const char *name);
/* What to say of a word that is no command: "; did you mean \"rm\" or \"release\"?" by what it means, or by
 * what is spelt like it; "" where nothing is near. */
#define CLI_HINT_SIZE 128
const char *cli_command_hint(char hint[CLI_HINT_SIZE], const char *word);
/* For .choice: the i-th built-in algorithm, and what it is; NULL past the end. */
const char *cli_algorithm_at(size_t i, const char **summary);
/* What does here what an option of that name (without dashes) does elsewhere; NULL: nothing is known.  command: NULL
 * before any. */
const char *cli_option_hint(const char *command, const char *word);

#endif
