/* session.c - the store, workflow files and their problems, submit options.
 *
 * Nothing here prints data: messages go to standard error, results to the caller. */
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "elsewhere.h"
#include "running.h"
#include "signals.h"

/* A workflow of a hundred thousand actions can have as many warnings. */
#define ERRORS_SHOWN 100

static void on_log(void *context, enum pingo_log_level level, const char *message)
{
    struct cli *cli = context;
    const char *reason = strstr(message, " waits: ");
    if (level != PINGO_LOG_WARNING ||
        (reason && cli->waits && strstr(cli->waits, reason + strlen(" waits: "))))
        return; /* a look at the store has told it already */
    cli_message("%s", message);
    if (reason)
        cli_append(&cli->waits, "%s\n", message);
}

static void on_event(void *context, const struct pingo_event *event)
{
    struct cli *cli = context;
    if (cli->watch)
        cli_watch_event(cli->watch, event);
}

/* As where it was removed. */
#define NO_PATH "the working directory has no path: %s"

static int open_store(struct cli *cli, bool syncs_later, struct pingo_error *err)
{
    const char *environment = cli_environment("PINGO_DIR");
    char *start = getcwd(NULL, 0), *directory = NULL;
    struct pingo_store_options options = {
        .version = 2, .log = on_log, .event = on_event, .context = cli, .syncs_later = syncs_later};
    int rc = start || cli->directory || environment
                 ? pingo_store_discover(cli->directory, environment, start, &directory, err)
                 : pingo__fail(err, PINGO_ENOSTORE, NO_PATH, strerror(errno));
    if (rc == 0)
        rc = pingo_store_open(directory, &options, &cli->store, err);
    free(directory);
    free(start);
    return rc;
}

static int open_here(struct cli *cli, bool syncs_later)
{
    if (cli->is_wrong)
        return CLI_USAGE;
    if (cli->store || cli->remote)
        return CLI_OK;
    return open_store(cli, syncs_later, &cli->err) == 0 ? CLI_OK : cli_error(cli);
}

int cli_open(struct cli *cli)
{
    return open_here(cli, false);
}

int cli_open_for_many(struct cli *cli)
{
    return open_here(cli, true);
}

int cli_sync(struct cli *cli)
{
    return !cli->store || pingo_store_sync(cli->store, &cli->err) == 0 ? CLI_OK : cli_error(cli);
}

void cli_open_if_there(struct cli *cli)
{
    if (!cli->store && open_store(cli, false, NULL) != 0)
        cli->store = NULL;
}

int cli_open_scheduler(struct cli *cli, int64_t max_jobs, struct pingo_scheduler **scheduler)
{
    char helpers[PATH_MAX];
    int rc = cli_open(cli);
    if (rc != CLI_OK)
        return rc;
    struct pingo_scheduler_options options = {
        .version = 1,
        .max_jobs = max_jobs,
        .helper_dir = cli_elsewhere_find("pingo-supervisor", helpers) ? helpers : NULL};
    if (pingo_scheduler_open(cli->store, &options, scheduler, &cli->err) != 0)
        return cli_error(cli);
    return CLI_OK;
}

char *cli_absolute(const char *path)
{
    if (path[0] == '/')
        return cli_copy(path);
    const char *here = cli_here();
    if (!here) {
        cli_message(NO_PATH, strerror(errno));
        cli_try("cd to one that is there");
        exit(CLI_INTERNAL);
    }
    return strcmp(path, ".") == 0 ? cli_copy(here) : cli_format("%s/%s", here, path);
}

size_t cli_document_limit(struct cli *cli)
{
    char *value = NULL;
    int64_t limit = 0;
    if (!cli->store || pingo_store_get(cli->store, "workflow.maxBytes", &value, NULL) != 0)
        return 0;
    if (!pingo_size_parse(value, &limit))
        limit = 0;
    free(value);
    return (size_t)limit;
}

/* Without links: the same file has the same base from wherever it is named.  A file that is itself a
 * link counts where the link lies. */
static char *base_of(const char *operand)
{
    char *path = cli_absolute(strcmp(operand, "-") == 0 ? "." : operand);
    if (strcmp(operand, "-") != 0) {
        char *slash = strrchr(path, '/');
        slash[slash == path ? 1 : 0] = '\0';
    }
    char *real = cli_own(realpath(path, NULL));
    return real ? real : path;
}

/* Reads until the end or one byte past the limit, whose excess the library reports. */
static int read_all(FILE *file, size_t limit, struct cli_document *document)
{
    size_t capacity = 1 << 16;
    document->text = cli_alloc(capacity);
    for (;;) {
        size_t room = capacity - document->length;
        size_t n = fread(document->text + document->length, 1, room, file);
        document->length += n;
        if (n < room || document->length > limit)
            break;
        capacity *= 2;
        document->text = cli_grow(document->text, capacity);
    }
    return ferror(file) ? errno : 0;
}

int cli_document_read(struct cli_document *document, const char *operand, size_t limit_bytes)
{
    memset(document, 0, sizeof *document);
    bool is_stdin = strcmp(operand, "-") == 0;
    document->label = is_stdin ? "standard input" : operand;
    FILE *file = is_stdin ? stdin : fopen(operand, "re");
    size_t limit = limit_bytes > 0 ? limit_bytes : (size_t)1 << 30;
    int error = file ? read_all(file, limit, document) : errno;
    if (file && !is_stdin)
        fclose(file);
    if (error != 0)
        return cli_file_error("read", document->label, error);
    document->base_dir = base_of(operand);
    return CLI_OK;
}

void cli_problem_show(struct cli_problems *shown, const struct pingo_problem *p)
{
    bool is_error = p->severity == PINGO_SEVERITY_ERROR;
    size_t before = is_error ? shown->nerrors : shown->nwarnings++;
    shown->nerrors += is_error ? p->times : 0; /* of errors: those that are not told one by one */
    if (is_error ? before >= ERRORS_SHOWN : before >= shown->most_warnings || cli_is_quiet())
        return;
    cli_progress_clear();
    cli_print_clean(stderr, shown->label);
    if (p->line > 0)
        fprintf(stderr, ":%zu:%zu", p->line, p->column);
    fprintf(stderr, ": %s%s:%s ", cli_colour(stderr, is_error ? PINGO__TONE_BAD : PINGO__TONE_BUSY),
            is_error ? "error" : "warning", cli_colour(stderr, PINGO__TONE_PLAIN));
    cli_print_clean(stderr, p->message);
    if (p->times > 1)
        fprintf(stderr, "; and so in %zu more place%s", p->times - 1, p->times == 2 ? "" : "s");
    if (p->pointer[0] != '\0') {
        fputs(" (", stderr);
        cli_print_clean(stderr, p->pointer);
        putc(')', stderr);
    }
    putc('\n', stderr);
}

static void show_rest(const char *label, size_t n, size_t most, const char *what, const char *all)
{
    if (n > most)
        cli_message("%s: %zu more %s%s%s", label, n - most, what, n - most == 1 ? "" : "s", all);
}

void cli_problems_rest(const struct cli_problems *shown, int code)
{
    bool are_few = shown->most_warnings < ERRORS_SHOWN;
    if (!cli_is_quiet())
        show_rest(shown->label, shown->nwarnings, shown->most_warnings, "warning",
                  are_few ? "; all of them: pingo validate"
                          : "; all of them: pingo validate --json");
    show_rest(shown->label, shown->nerrors, ERRORS_SHOWN, "error",
              code == PINGO_EINPUT ? "" : "; more of them: pingo validate --json");
}

struct cli_problems cli_problems_show(const char *label, size_t most_warnings,
                                      const struct pingo_problems *problems, int code)
{
    struct cli_problems shown = {label, most_warnings, 0, 0};
    for (size_t i = 0; i < pingo_problems_count(problems); i++)
        cli_problem_show(&shown, pingo_problems_at(problems, i));
    cli_problems_rest(&shown, code);
    return shown;
}

struct pingo_workflow *cli_document_parse(const struct cli_document *document,
                                          struct pingo_problems **problems)
{
    struct pingo_workflow_options options = {
        .version = 1, .base_dir = document->base_dir, .any_type = true};
    struct pingo_workflow *workflow = NULL;
    pingo_workflow_parse(&(struct pingo_document){document->text, document->length, problems},
                         &options, &workflow, NULL);
    return workflow;
}

int cli_problems_end(struct cli *cli, const struct cli_problems *shown)
{
    size_t n = shown->nerrors;
    int code = n > 0 ? cli->err.code : 0;
    if (code == PINGO_EINPUT)
        cli_message("%s: %zu of its inputs, tools and versions cannot be read", shown->label, n);
    else if (code == PINGO_EWORKFLOW)
        cli_message("%s is not a valid workflow: %zu error%s", shown->label, n, n == 1 ? "" : "s");
    else
        return cli_error(cli);
    return cli_exit_of(code);
}

int cli_submit_failed(struct cli *cli, const struct cli_document *document,
                      const struct pingo_problems *problems)
{
    struct cli_problems shown =
        cli_problems_show(document->label, CLI_WARNINGS_SHOWN, problems, cli->err.code);
    if (cli->err.code == PINGO_EINTERRUPTED && cli_signal_caught() != 0) {
        cli_message("interrupted; nothing was submitted");
        return cli_signal_status();
    }
    return cli_problems_end(cli, &shown);
}

int cli_submit_options_read(struct pingo_submit_options *submit, struct cli *cli,
                            const struct cli_args *args)
{
    *submit = (struct pingo_submit_options){
        .version = 2,
        .strict = cli_flag(args, "strict"),
        .force_outputs = cli_flag(args, "force-outputs"),
        .progress = cli_hash_progress,
        .context = cli,
        .tag = cli_value(args, "tag"),
        .once = cli_flag(args, "once"),
        .priority = cli_number(args, "priority", -CLI_PRIORITY_MOST, CLI_PRIORITY_MOST, 0),
        .user = cli_value(args, "user")};
    submit->targets = cli_values(args, "target", &submit->ntargets);
    submit->forced = cli_values(args, "force", &submit->nforced);
    if (submit->once && !submit->tag)
        return cli_usage(args, "--once goes with --tag");
    return cli_check(args);
}

int cli_hash_progress(void *context, const struct pingo_identify_progress *progress)
{
    (void)context;
    if (cli_has_progress() && progress->bytes >= 64 << 20) {
        char done[PINGO__UNITS_SIZE], all[PINGO__UNITS_SIZE];
        pingo__units_print_size(done, (int64_t)progress->bytes_done);
        pingo__units_print_size(all, (int64_t)progress->bytes);
        cli_progress_show("hashing inputs: %s of %s, %llu of %llu files", done, all,
                          (unsigned long long)progress->files_done,
                          (unsigned long long)progress->files);
    }
    return cli_signal_caught() != 0;
}
