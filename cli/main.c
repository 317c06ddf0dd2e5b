/* main.c - finds the command, takes the line apart, runs it.
 *
 * A command that could not print what it had to never ends with status 0. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "signals.h"
#include "elsewhere.h"
#include "remote/remote.h"
#include "session.h"
#include "texts.h"

/* What --directory, --quiet, --json, --csv and --time-style say. */
static int apply_common(struct cli *cli, const struct cli_args *args)
{
    cli->directory = cli_value(args, "directory");
    cli->json = cli_flag(args, "json");
    cli->csv = cli_flag(args, "csv");
    if (cli->directory && *cli->directory == '\0')
        return cli_usage(args, "--directory takes a directory");
    if (cli->csv && cli->json)
        return cli_usage(args, "--csv and --json exclude each other");
    if (cli_flag(args, "quiet"))
        cli_be_quiet();
    cli->time_style = (enum pingo__view_times)cli_choice(args, "time-style", 0);
    return cli_check(args);
}

/* An option before the command that the command does not take is an error too. */
static int check_common(const struct cli_args *args)
{
    for (size_t i = 0; i < args->ngiven; i++)
        if (!cli_option_find(args->command, args->given[i].option->long_name,
                             strlen(args->given[i].option->long_name)))
            return cli_usage(args, "there is no --%s", args->given[i].option->long_name);
    return CLI_OK;
}

static int check_operands(const struct cli_args *args)
{
    const char *name = args->command->name;
    struct cli_operands takes;
    cli_operands_of(args->command, 0, &takes);
    if (args->noperands < takes.min)
        return cli_usage(args, "an operand is missing: pingo %s %s", name,
                         cli_help_of(name)->synopsis);
    if (args->noperands > takes.max)
        return cli_usage(args, "one operand too many: \"%s\"", cli_shown(args->operands[takes.max]));
    return CLI_OK;
}

static int unknown_command(const char *word)
{
    char hint[CLI_HINT_SIZE];
    cli_message("there is no command \"%s\"%s", cli_shown(word), cli_command_hint(hint, word));
    cli_try("%s help", program_invocation_short_name);
    return CLI_USAGE;
}

static int run_command(struct cli *cli, struct cli_args *args, int argc, char **argv, int at)
{
    args->command = cli_command_find(argv[at]);
    if (!args->command) {
        cli_elsewhere_try(cli, at);
        return unknown_command(argv[at]);
    }
    if (args->command->program)
        return cli_elsewhere_run(cli, args->command);
    at++;
    int rc = cli_args_parse(args, argc, argv, &at);
    if (rc == CLI_OK && cli_flag(args, "help")) {
        cli_help_command(cli, args->command);
        return CLI_OK;
    }
    if (rc == CLI_OK)
        rc = check_common(args);
    if (rc == CLI_OK)
        rc = check_operands(args);
    if (rc == CLI_OK)
        rc = apply_common(cli, args);
    const char *server = NULL;
    if (rc == CLI_OK && cli_remote_is_meant(cli, args, &server, &rc))
        return rc == CLI_OK ? cli_remote_run(cli, args, server) : rc;
    if (rc == CLI_OK && args->command->opens_store)
        rc = cli_open(cli);
    return rc == CLI_OK ? args->command->run(cli, args) : rc;
}

/* A full disk behind standard output must not look like success. */
static int finish_output(struct cli *cli, int status)
{
    if (cli->lacks_memory) {
        cli_message("out of memory");
        return CLI_INTERNAL;
    }
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (errno != 0)
        cli_message("cannot write to standard output: %s", strerror(errno));
    else /* it failed earlier, and nobody has kept why */
        cli_message("cannot write to standard output");
    return CLI_INTERNAL;
}

/* Who closed a standard stream wants nothing of it: that is no error, and its number must not become a file of the
 * store's. */
static void open_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDWR) != fd)
            _exit(CLI_INTERNAL);
}

int main(int argc, char **argv)
{
    open_standard_streams();
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ); /* a line is one write */
    struct cli cli = {.argc = argc, .argv = argv};
    int at = 1;
    signal(SIGCHLD,
           SIG_DFL); /* whoever started us may ignore it: then how a program ended is told to nobody */
    signal(SIGXFSZ, SIG_IGN); /* a file may not grow more: an error of who writes it, not the end */
    cli_signals_tell_full();
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        argv[1] = argv[1] + 2;
    struct cli_args args;
    cli_args_init(&args, &cli);
    int status = cli_args_parse(&args, argc, argv, &at);
    if (status == CLI_OK && cli_flag(&args, "help")) {
        cli_help_overview(stdout);
    } else if (status == CLI_OK && at >= argc) {
        cli_help_overview(stderr);
        status = CLI_USAGE;
    } else if (status == CLI_OK) {
        status = run_command(&cli, &args, argc, argv, at);
    }
    cli_progress_clear();
    pingo_store_close(cli.store);
    return finish_output(&cli, status);
}
