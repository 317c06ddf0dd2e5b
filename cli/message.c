/* message.c - messages, the progress line, colours.  The only state is whether a progress line
 * stands on the terminal now, and whether --quiet was given. */
#include "message.h"

#include <errno.h>
#include <search.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "args.h"
#include "base/array.h"
#include "base/full.h"
#include "signals.h"

static bool line_stands, quiet;

void cli_be_quiet(void)
{
    quiet = true;
}

bool cli_is_quiet(void)
{
    return quiet;
}

static bool is_terminal(FILE *stream)
{
    const char *term = getenv("TERM");
    return isatty(fileno(stream)) && (!term || strcmp(term, "dumb") != 0);
}

const char *cli_colour(FILE *stream, enum pingo__view_tone tone)
{
    static const char *const codes[] = {
        [PINGO__TONE_PLAIN] = "\033[0m",  [PINGO__TONE_BOLD] = "\033[1m",
        [PINGO__TONE_DIM] = "\033[2m",    [PINGO__TONE_BAD] = "\033[31m",
        [PINGO__TONE_GOOD] = "\033[32m",  [PINGO__TONE_BUSY] = "\033[33m",
        [PINGO__TONE_MARKED] = "\033[36m"};
    return cli_environment("NO_COLOR") || !is_terminal(stream) ? "" : codes[tone];
}

bool cli_has_progress(void)
{
    return !quiet && is_terminal(stderr);
}

void cli_progress_show(const char *format, ...)
{
    char text[256];
    if (!cli_has_progress())
        return;
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    struct winsize size;
    int columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
    fprintf(stderr, "\r\033[K%.*s", columns - 1, text);
    fflush(stderr);
    line_stands = true;
}

void cli_progress_clear(void)
{
    if (!line_stands)
        return;
    fputs("\r\033[K", stderr);
    line_stands = false;
}

/* Formatted and cleaned. */
__attribute__((nonnull(1))) static void say(const char *format, va_list list)
{
    char *text = cli_vformat(format, list);
    cli_print_clean(stderr, text);
    putc('\n', stderr);
    free(text);
}

void cli_said(const char *head, enum pingo__view_tone tone, const char *format, ...)
{
    va_list list;
    cli_progress_clear();
    if (*head != '\0')
        fprintf(stderr, "%s%s%s", cli_colour(stderr, tone), head,
                cli_colour(stderr, PINGO__TONE_PLAIN));
    va_start(list, format);
    say(format, list);
    va_end(list);
}

/* Is there no such file, or does its state not allow it? */
static bool is_about_the_path(int error)
{
    static const int errors[] = {ENOENT, ENOTDIR, EISDIR, EACCES,
                                 EPERM,  EROFS,   ELOOP,  ENAMETOOLONG};
    size_t n = sizeof errors / sizeof *errors;
    return lfind(&error, errors, &n, sizeof error, pingo__array_by_number);
}

int cli_file_error(const char *verb, const char *path, int error)
{
    cli_message("cannot %s %s: %s", verb, path, strerror(error != 0 ? error : EIO));
    return is_about_the_path(error) ? CLI_NOTFOUND : CLI_INTERNAL;
}

int cli_exit_of(int code)
{
    static const enum cli_exit statuses[] = {
        [-PINGO_EINVAL] = CLI_USAGE,        [-PINGO_EWORKFLOW] = CLI_INVALID,
        [-PINGO_ELIMIT] = CLI_INVALID,      [-PINGO_ENOSTORE] = CLI_NOSTORE,
        [-PINGO_ESTORE] = CLI_NOSTORE,      [-PINGO_EVERSION] = CLI_NOSTORE,
        [-PINGO_ENOTFOUND] = CLI_NOTFOUND,  [-PINGO_EEXISTS] = CLI_NOTFOUND,
        [-PINGO_ESTALE] = CLI_NOTFOUND,     [-PINGO_ECLAIMED] = CLI_NOTFOUND,
        [-PINGO_EAMBIGUOUS] = CLI_NOTFOUND, [-PINGO_ESTATE] = CLI_NOTFOUND,
        [-PINGO_EKEY] = CLI_NOTFOUND,       [-PINGO_EFORBIDDEN] = CLI_NOTFOUND,
        [-PINGO_EQUOTA] = CLI_NOTFOUND,     [-PINGO_EBUSY] = CLI_BUSY,
        [-PINGO_EPENDING] = CLI_BUSY,       [-PINGO_ENOSPACE] = CLI_NOSPACE,
        [-PINGO_EINPUT] = CLI_INPUT,        [-PINGO_EINTERRUPTED] = CLI_INTERRUPTED};
    size_t i = (size_t)-code, n = sizeof statuses / sizeof *statuses;
    return code == PINGO_OK ? CLI_OK : i < n && statuses[i] ? (int)statuses[i] : CLI_INTERNAL;
}

const char *cli_program(struct cli *cli)
{
    static char *text;
    if (!cli->directory)
        return "pingo";
    return text ? text : (text = cli_format("pingo -C %s", cli_word(cli->directory)));
}

int cli_error(struct cli *cli)
{
    const struct pingo_error *err = &cli->err;
    const char *program = cli_program(cli);
    char message[PINGO_ERROR_MESSAGE_SIZE];
    if (err->code == PINGO_EINTERRUPTED && cli_signal_caught() != 0)
        return cli_signal_status();
    pingo__text_clean_to(message, sizeof message,
                         err->message[0] != '\0' ? err->message : pingo_error_text(err->code));
    cli_message("%s", message);
    int rc = cli->remote ? cli->failed(cli) : CLI_OK;
    if (rc != CLI_OK)
        return rc;
    switch (err->code) {
    case PINGO_ENOSTORE:
        if (!cli->store) /* else there was one */
            cli_try("%s init", program);
        break;
    case PINGO_EBUSY:
        cli_try("again when the other process is done");
        break;
    case PINGO_ENOSPACE:
        if (cli->store && !strstr(err->message, PINGO__FULL_ELSEWHERE))
            cli_try(
                "%s datasets to see what holds the space, %s rm, release or kill to give some up",
                program, program);
        break;
    case PINGO_ECORRUPT:
        cli_try("%s fsck", program);
        break;
    case PINGO_ECLAIMED:
        cli_try("again when those actions have ended, or %s kill WORKFLOW", program);
        break;
    default:
        break;
    }
    return cli_exit_of(err->code);
}

int cli_error_of(struct cli *cli, const char *label)
{
    if (cli->err.code == PINGO_ENOMEM)
        return cli_error(cli);
    cli_message("%s: %s", label, cli->err.message);
    return cli_exit_of(cli->err.code);
}

int cli_usage(const struct cli_args *args, const char *format, ...)
{
    cli_progress_clear();
    fprintf(stderr, "%spingo:%s %s: ", cli_colour(stderr, PINGO__TONE_BAD),
            cli_colour(stderr, PINGO__TONE_PLAIN), args->command->name);
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
    cli_try("pingo %s --help", args->command->name);
    return CLI_USAGE;
}
