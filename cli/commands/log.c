/* log.c - pingo log: what the last attempt of an action printed, or a script that repeats it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "remote/remote.h"
#include "running.h"
#include "signals.h"
#include "view/columns.h"

struct target {
    struct cli *cli;
    struct pingo_action_name name;
    const char *path; /* of a server */
    struct pingo__view_ran ran;
};

/* All but its strings. */
static int take_look(void *look, const struct pingo_action_status *status)
{
    *(struct pingo_action_status *)look = *status;
    return 0;
}

static bool is_final(enum pingo_action_state state)
{
    return state == 0 || pingo_action_state_is_final(state);
}

/* Copies what is there from where the file stands, made fit for a terminal if it goes there; the number of bytes.
 * *failed: the errno of a read that did. */
static size_t copy_rest(FILE *file, int *failed)
{
    char bytes[16384];
    bool is_terminal = isatty(STDOUT_FILENO) == 1;
    size_t n, all = 0;
    clearerr(file);
    while ((n = fread(bytes, 1, sizeof bytes, file)) > 0) {
        size_t whole = is_terminal ? cli_whole_characters(bytes, n) : n;
        if (whole < n && fseek(file, -(long)(n - whole), SEEK_CUR) != 0)
            whole = n;
        cli_print_said(bytes, whole);
        all += whole;
    }
    *failed = ferror(file) ? errno : *failed;
    return all;
}

static FILE *open_log(const struct target *t, enum pingo_log_stream stream, struct pingo_error *err)
{
    char *path = NULL;
    FILE *file = NULL;
    int rc = pingo_store_log_path(t->cli->store, &t->name, stream, &path, err);
    if (rc == 0 && path)
        file = fopen(path, "re");
    if (rc == 0)
        err->code = 0;
    free(path);
    return file;
}

static int tell_unread(int failed)
{
    cli_message("a log cannot be read to its end: %s", strerror(failed));
    return CLI_INTERNAL;
}

/* Both or one of the logs as they are now.  *shown: anything printed. */
static int show(const struct target *t, bool out, bool error, bool *shown)
{
    static const char *const titles[] = {"", "standard output", "standard error"};
    int failed = 0;
    for (int stream = PINGO_STREAM_STDOUT; stream <= PINGO_STREAM_STDERR; stream++) {
        if (stream == PINGO_STREAM_STDOUT ? !out : !error)
            continue;
        FILE *file = open_log(t, (enum pingo_log_stream)stream, &t->cli->err);
        if (!file && t->cli->err.code != 0)
            return cli_error(t->cli);
        if (!file)
            continue;
        if (out && error)
            printf("%s==> %s <==\n", *shown ? "\n" : "", titles[stream]);
        copy_rest(file, &failed);
        fclose(file);
        *shown = true;
    }
    return failed ? tell_unread(failed) : CLI_OK;
}

/* The log of the next attempt takes the place of one that does not grow. */
static size_t copy_next(const struct target *t, enum pingo_log_stream stream, FILE **file,
                        int *failed)
{
    struct stat old, new;
    FILE *next = open_log(t, stream, &t->cli->err);
    if (!next)
        return 0;
    bool is_next = fstat(fileno(*file), &old) == 0 && fstat(fileno(next), &new) == 0 &&
                   (old.st_ino != new.st_ino || old.st_dev != new.st_dev);
    size_t n = is_next ? copy_rest(*file, failed) : 0; /* it may have grown meanwhile */
    fclose(is_next ? *file : next);
    *file = is_next ? next : *file;
    return is_next ? n + copy_rest(*file, failed) : 0;
}

/* Prints both logs as they grow, until the action has ended. */
static int follow(const struct target *t, bool out, bool error, bool *shown)
{
    FILE *files[3] = {NULL, NULL, NULL};
    bool wanted[3] = {false, out, error};
    struct pingo_action_status look = {0};
    int64_t changes = 0;
    int rc = CLI_OK, failed = 0;
    cli_signals_catch();
    while (rc == CLI_OK && cli_signal_caught() == 0) {
        if (cli_has_changed(t->cli, &changes) &&
            pingo_store_action(t->cli->store, &t->name, take_look, &look, &t->cli->err) != 0) {
            rc = cli_error(t->cli);
            break;
        }
        size_t copied = 0;
        failed = 0;
        for (int i = 1; i <= 2; i++) {
            if (wanted[i] && !files[i])
                files[i] = open_log(t, (enum pingo_log_stream)i, &t->cli->err);
            size_t n = files[i] ? copy_rest(files[i], &failed) : 0;
            copied +=
                n > 0 || !files[i] ? n : copy_next(t, (enum pingo_log_stream)i, &files[i], &failed);
            *shown = *shown || files[i];
        }
        fflush(stdout);
        if (copied == 0 && is_final(look.state))
            break;
        struct timespec pause = {.tv_nsec = copied > 0 ? 20000000 : 100000000};
        nanosleep(&pause, NULL);
    }
    for (int i = 1; i <= 2; i++)
        if (files[i])
            fclose(files[i]);
    if (rc == CLI_OK && cli_signal_caught() != 0)
        return cli_signal_status();
    return rc == CLI_OK && failed ? tell_unread(failed) : rc;
}

static int print_script(const struct target *t)
{
    char *script = NULL;
    if (t->cli->remote)
        return cli_remote_script(t->cli->remote, t->path);
    if (pingo_store_script(t->cli->store, &t->name, &script, &t->cli->err) != 0)
        return cli_error(t->cli);
    cli_print_said(script, strlen(script));
    free(script);
    return CLI_OK;
}

struct paths {
    struct pingo__view_ran ran;
    char *stream[3]; /* by enum pingo_log_stream */
};
#define ROW struct paths
static const struct pingo__view_column columns[] = {
    MEMBERS(ran, &pingo__view_ran),
    COLUMN("stdout", TEXT, stream[PINGO_STREAM_STDOUT],
           "where the log lies; null where it was empty, or is gone", MISSING),
    COLUMN("stderr", TEXT, stream[PINGO_STREAM_STDERR], "likewise", MISSING),
};
static const struct pingo__view_table view = VIEW("logs", columns, ROW);
#undef ROW

static int print_paths(const struct target *t)
{
    struct paths p = {.ran = t->ran};
    int rc = 0;
    for (int i = 1; i <= 2 && rc == 0; i++)
        rc = pingo_store_log_path(t->cli->store, &t->name, (enum pingo_log_stream)i, &p.stream[i],
                                  &t->cli->err);
    if (rc == 0)
        cli_answer(t->cli, CLI_DATA, &view, &p);
    free(p.stream[1]);
    free(p.stream[2]);
    return rc == 0 ? CLI_OK : cli_error(t->cli);
}

static void tell_whose(const struct pingo_action_status *look, const struct pingo__view_ran *ran)
{
    static const char *const words[] = {"skipped", "reused", "joined", "computed"};
    if (ran->ran_workflow == 0 || (look->state != 0 && look->decision != PINGO_PLAN_JOIN))
        return;
    cli_note("%s here: what follows is of workflow %" PRId64 ", action %" PRId64,
             words[look->decision], ran->ran_workflow, ran->ran_id);
}

static void tell_empty(const struct pingo_action_status *look, const struct pingo__view_ran *ran)
{
    if (!is_final(look->state))
        cli_note("nothing yet: the action is %s", pingo_action_state_name(look->state));
    else if (look->adopted_from)
        cli_note("nothing ran: the output was adopted");
    else if (look->attempts > 0 || (ran->ran_workflow && look->decision != PINGO_PLAN_COMPUTE) ||
             (look->state == 0 && look->decision == PINGO_PLAN_REUSE))
        cli_note("the logs are empty, or older than pool.%sDays",
                 look->state == PINGO_ACTION_FAILED ? "failed" : "log");
    else if (look->state == 0)
        cli_note("nothing ran: the action was skipped");
    else
        cli_note("nothing ran: the action was %s before it started",
                 pingo_action_state_name(look->state));
}

static int look_there(struct target *t, struct pingo_action_status *look)
{
    struct cli_remote *r = t->cli->remote;
    int rc = cli_remote_action(r, t->name.workflow, &t->name.action);
    char *path = cli_remote_path("/v1/workflows/%d/actions/%s", t->name.workflow, t->name.action);
    struct cli_ask asks[] = {
        {.path = path, .view = &pingo__view_action, .row = look},
        {.path = cli_format("%s/ran", path), .view = &pingo__view_ran, .row = &t->ran}};
    for (int i = 0; i < 2 && rc == 0; i++)
        rc = cli_remote_ask(r, &asks[i]);
    t->path = path;
    return rc;
}

static int look_here(struct target *t, struct pingo_action_status *look)
{
    struct cli *cli = t->cli;
    int rc = pingo_store_action(cli->store, &t->name, take_look, look, &cli->err);
    if (rc == 0)
        rc = pingo_store_ran(cli->store, &t->name, &t->ran.ran_workflow, &t->ran.ran_id, &cli->err);
    t->ran.workflow = t->name.workflow;
    return rc;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct target t = {.cli = cli, .name.action = cli_operand(args, 1)};
    struct pingo_action_status look = {0};
    bool out = cli_flag(args, "stdout"), error = cli_flag(args, "stderr"), shown = false;
    bool wanted[] = {out || !error, error || !out}, is_command = cli_flag(args, "command");
    if (cli->json && cli->remote)
        return cli_usage(args, "--json tells paths of logs, which are those of the server; "
                               "without it, pingo log prints what is there");
    if (is_command && (cli->json || out || error || cli_flag(args, "follow")))
        return cli_usage(args, "--command goes without --json, --stdout, --stderr and --follow");
    if (cli->json && (out || error || cli_flag(args, "follow")))
        return cli_usage(args, "--json goes without --stdout, --stderr and --follow");
    int rc = cli_workflow_of(cli, cli_operand(args, 0), &t.name.workflow);
    if (rc != CLI_OK)
        return rc;
    if ((cli->remote ? look_there : look_here)(&t, &look) != 0)
        return cli_not_found(cli, cli_operand(args, 0));
    if (is_command)
        return print_script(&t);
    if (cli->json)
        return print_paths(&t);
    tell_whose(&look, &t.ran);
    rc = cli->remote                ? cli_remote_logs(cli->remote, t.path, wanted, &shown)
         : cli_flag(args, "follow") ? follow(&t, wanted[0], wanted[1], &shown)
                                    : show(&t, wanted[0], wanted[1], &shown);
    if (rc == CLI_OK && !shown)
        tell_empty(&look, &t.ran);
    return rc;
}

const struct cli_command cli_log = {"log", "workflow action", run, CLI_OPENS_STORE,
                                    CLI_PRINTS(&view)};
