/* exec.c - pingo exec: one cached command without a workflow file.
 *
 * Builds a workflow of one action, runs it like any other, and hands its output on. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"
#include "base/walk.h"
#include "base/world.h"
#include "running.h"
#include "signals.h"
#include "status.h"

struct parts {
    struct pingo_input *inputs;
    size_t ninputs;
    const char **tools;
    size_t ntools;
    const char **pairs; /* of --env: name, value, ... */
    size_t nenv;
    char *action_name;
};

static void take_inputs(struct parts *p, const struct cli_args *args)
{
    const char **paths = cli_values(args, "input", &p->ninputs);
    p->inputs = cli_alloc(p->ninputs * sizeof *p->inputs);
    const struct cli_input_name *names = cli_input_names(paths, p->ninputs);
    for (size_t i = 0; i < p->ninputs; i++)
        p->inputs[i] = (struct pingo_input){.name = names[i].text, .path = paths[i]};
}

static int take_env(struct parts *p, const struct cli_args *args)
{
    size_t n;
    const char **values = cli_values(args, "env", &n);
    p->pairs = cli_alloc(2 * n * sizeof *p->pairs);
    for (size_t i = 0; i < n; i++) {
        size_t length = strcspn(values[i], "=");
        if (length == 0 || values[i][length] == '\0')
            return cli_usage(args, "--env takes NAME=VALUE");
        p->pairs[2 * i] = cli_format("%.*s", (int)length, values[i]);
        p->pairs[2 * i + 1] = values[i] + length + 1;
        p->nenv++;
    }
    return CLI_OK;
}

/* With --output a/b.txt the action is named "b", so that its export is "b.txt". */
static char *action_name(const char *command, const char *output)
{
    char *name = cli_copy(pingo__path_last(output ? output : command));
    char *dot = output ? strrchr(name, '.') : NULL;
    if (dot && dot != name)
        *dot = '\0';
    return name;
}

static int build(struct cli *cli, const struct cli_args *args, const struct parts *p,
                 struct pingo_workflow **workflow)
{
    const char *output = cli_value(args, "output"), *yes = "true";
    struct pingo_field fields[3];
    size_t n = 0;
    fields[n++] =
        (struct pingo_field){"command", PINGO_FIELD_TEXTS, args->operands, args->noperands};
    if (output)
        fields[n++] = (struct pingo_field){"output", PINGO_FIELD_TEXT, &output, 1};
    else
        fields[n++] = (struct pingo_field){"stdout", PINGO_FIELD_FLAG, &yes, 1};
    if (p->nenv > 0)
        fields[n++] = (struct pingo_field){"env", PINGO_FIELD_PAIRS, p->pairs, 2 * p->nenv};
    struct pingo_action_spec spec = {.version = 1,
                                     .id = 1,
                                     .name = p->action_name,
                                     .type = "command-line",
                                     .inputs = p->inputs,
                                     .ninputs = p->ninputs,
                                     .tools = p->tools,
                                     .ntools = p->ntools,
                                     .fields = fields,
                                     .nfields = n,
                                     .salt = cli_value(args, "salt"),
                                     .force_computation = cli_flag(args, "force")};
    char *here = cli_absolute(".");
    struct pingo_workflow_options options = {.version = 1, .base_dir = here};
    struct pingo_workflow_builder *builder = NULL;
    struct pingo_problems *problems = NULL;
    char *name = cli_format("exec %s", pingo__path_last(args->operands[0]));
    int rc = pingo_workflow_builder_new(name, &options, &builder, &cli->err);
    if (rc == 0)
        rc = pingo_workflow_builder_add(builder, &spec, &cli->err);
    if (rc == 0)
        rc = pingo_workflow_builder_finish(builder, workflow, &problems, &cli->err);
    if (rc != 0 && pingo_problems_count(problems) > 0)
        cli_problems_show("exec", CLI_WARNINGS_SHOWN, problems, rc);
    if (rc != 0)
        rc = pingo_problems_count(problems) > 0 ? cli_exit_of(rc) : cli_error(cli);
    pingo_problems_free(problems);
    pingo_workflow_builder_free(builder);
    return rc;
}

static int take_path(void *context, const struct pingo_dataset_status *status)
{
    *(char **)context = cli_copy(status->path);
    return 0;
}

/* Copies a file, which is closed; NULL: nothing.  0 or the errno of a read that failed. */
static int copy(FILE *file, FILE *out)
{
    char bytes[65536];
    size_t n;
    while (file && (n = fread(bytes, 1, sizeof bytes, file)) > 0)
        if (fwrite(bytes, 1, n, out) < n)
            break;
    int failed = file && ferror(file) ? errno : 0;
    if (file)
        fclose(file);
    return failed;
}

static int print_output(struct cli *cli, const struct pingo_hash *hash)
{
    char *path = NULL;
    if (pingo_store_dataset(cli->store, hash, take_path, &path, &cli->err) != 0)
        return cli_error(cli);
    FILE *file = path ? fopen(path, "re") : NULL;
    if (!file) {
        cli_message("cannot read the output%s%s: %s", path ? " " : "", path ? path : "",
                    path ? strerror(errno) : "it is gone");
        return CLI_INTERNAL;
    }
    cli_signals_release();
    int failed = copy(file, stdout); /* what is not taken is told by main */
    if (failed)
        cli_message("cannot read the output %s to its end: %s", path, strerror(failed));
    return failed ? CLI_INTERNAL : CLI_OK;
}

/* ./NAME, and nothing of the user's under that name is lost. */
static int write_output(struct cli *cli, int64_t workflow, const char *output, bool force)
{
    struct pingo_export_options options = {.version = 1, .as = output, .force = force};
    if (pingo_store_export(cli->store, &(struct pingo_action_name){workflow, "1"}, ".", &options,
                           &cli->err) == 0)
        return CLI_OK;
    int rc = cli_error(cli);
    cli_try("%s export %" PRId64 " DIR", cli_program(cli), workflow);
    return rc;
}

/* Is it, or something in it, as new?  What cannot be looked through may be. */
static bool holds_as_new(const char *path, int64_t as_ns)
{
    struct stat st;
    struct pingo__walk w;
    if (stat(path, &st) != 0)
        return false;
    pingo__walk_init(&w, pingo__world_real(), false);
    bool is = pingo__file_time_ns(&st.st_mtim) >= as_ns ||
              (S_ISDIR(st.st_mode) && pingo__walk_enter(&w, AT_FDCWD, path, 0) != 0);
    while (!is && w.depth > 0) {
        const char *name = pingo__walk_next(&w);
        if (!name)
            is = pingo__walk_leave(&w) != 0;
        else
            is = fstatat(w.fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
                 pingo__file_time_ns(&st.st_mtim) >= as_ns ||
                 (S_ISDIR(st.st_mode) && pingo__walk_enter(&w, w.fd, name, O_NOFOLLOW) != 0);
    }
    pingo__walk_clear(&w);
    return is;
}

/* What is equal stays, and would be older than what it was made of: make(1) would ask for it again each time.  A tool
 * that is found on the PATH is none of its targets. */
static void renew(const char *output, const struct parts *p)
{
    struct stat there;
    bool is_older = false;
    if (lstat(output, &there) != 0)
        return;
    int64_t made_ns = pingo__file_time_ns(&there.st_mtim);
    for (size_t i = 0; i < p->ninputs && !is_older; i++)
        is_older = holds_as_new(p->inputs[i].path, made_ns);
    for (size_t i = 0; i < p->ntools && !is_older; i++)
        is_older = strchr(p->tools[i], '/') && holds_as_new(p->tools[i], made_ns);
    if (is_older)
        utimensat(AT_FDCWD, output, NULL, AT_SYMLINK_NOFOLLOW);
}

/* Equal, or the one lies in the other. */
static bool meet(const char *a, const char *b)
{
    return pingo__path_is_below(a, b) || pingo__path_is_below(b, a);
}

/* The output would replace what the command reads: by the paths as they are given, and as they are. */
static int check_inputs(const struct cli_args *args, const char *output, const struct parts *p)
{
    char *here = cli_absolute("."), *real_here = cli_own(realpath(".", NULL));
    char *target = cli_format("%s/%s", here, output);
    char *real_target = cli_format("%s/%s", real_here ? real_here : here, output);
    int rc = CLI_OK;
    for (size_t i = 0; i < p->ninputs && rc == CLI_OK; i++) {
        char *path = cli_absolute(p->inputs[i].path),
             *real = cli_own(realpath(p->inputs[i].path, NULL));
        if (meet(path, target) || (real && meet(real, real_target)))
            rc = cli_usage(args, "--output %s would replace or change the input %s", output,
                           p->inputs[i].path);
    }
    return rc;
}

/* Before anything runs: may ./NAME be written? */
static int check_output(struct cli *cli, const struct cli_args *args, const struct parts *p)
{
    const char *output = cli_value(args, "output");
    struct stat there;
    int rc = output ? check_inputs(args, output, p) : CLI_OK;
    if (!output || rc != CLI_OK)
        return rc;
    if (lstat(output, &there) != 0 && access(".", W_OK) != 0)
        return cli_file_error("write into", ".", errno);
    rc = pingo_store_check_target(cli->store, output, &cli->err);
    if (rc == PINGO_EEXISTS && cli_flag(args, "force-outputs") && lstat(output, &there) == 0 &&
        (S_ISREG(there.st_mode) || S_ISDIR(there.st_mode) || S_ISLNK(there.st_mode)))
        rc = 0;
    return rc == 0 ? CLI_OK : cli_error(cli);
}

struct result {
    struct pingo_action_status status; /* without its strings */
    char *why;                         /* it failed */
};

static int take_result(void *context, const struct pingo_action_status *s)
{
    struct result *r = context;
    r->status = *s;
    r->why = cli_failure_text(s);
    return 0;
}

/* What the command said on standard error, where a log of it is left. */
static void copy_stderr(struct cli *cli, int64_t workflow)
{
    char *path = NULL;
    if (pingo_store_log_path(cli->store, &(struct pingo_action_name){workflow, "1"},
                             PINGO_STREAM_STDERR, &path, NULL) == 0 &&
        path)
        copy(fopen(path, "re"), stderr);
    free(path);
}

static int tell_failure(const struct result *r, const char *command)
{
    const struct pingo_action_status *s = &r->status;
    cli_message("%s %s: %s", command, s->state == PINGO_ACTION_KILLED ? "was killed" : "failed",
                r->why);
    if (s->signal > 0)
        return 128 + (int)s->signal;
    return s->exit_code > 0 && s->exit_code < 256 ? (int)s->exit_code : CLI_FAILED;
}

static int finish(struct cli *cli, const struct cli_args *args, const struct parts *p,
                  int64_t workflow)
{
    struct result result = {0};
    const char *output = cli_value(args, "output");
    int rc = CLI_OK;
    if (pingo_store_action(cli->store, &(struct pingo_action_name){workflow, "1"}, take_result,
                           &result, &cli->err) != 0)
        return cli_error(cli);
    if (result.status.decision == PINGO_PLAN_COMPUTE)
        copy_stderr(cli, workflow);
    if (result.status.state != 0 && !pingo_action_state_is_final(result.status.state))
        rc = cli_tell_paused(cli, workflow);
    else if (result.status.state != 0 && result.status.state != PINGO_ACTION_FINISHED)
        rc = tell_failure(&result, args->operands[0]);
    else if (output)
        rc = write_output(cli, workflow, output, cli_flag(args, "force-outputs"));
    else
        rc = print_output(cli, &result.status.hash);
    if (output && rc == CLI_OK)
        renew(output, p);
    return rc;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct parts parts = {0};
    struct pingo_workflow *workflow = NULL;
    struct pingo_submission submission = {.size = sizeof submission};
    struct pingo_submit_options options = {
        .version = 1, .progress = cli_hash_progress, .context = cli};
    const char *output = cli_value(args, "output");
    if (output && cli_flag(args, "stdout"))
        return cli_usage(args, "either --output or --stdout");
    if (!output && cli_flag(args, "force-outputs"))
        return cli_usage(args, "--force-outputs goes with --output");
    take_inputs(&parts, args);
    parts.tools = cli_values(args, "tool", &parts.ntools);
    parts.action_name = action_name(args->operands[0], output);
    int rc = take_env(&parts, args);
    if (rc == CLI_OK)
        rc = cli_open(cli);
    if (rc == CLI_OK)
        rc = build(cli, args, &parts, &workflow);
    if (rc == CLI_OK)
        rc = check_output(cli, args, &parts);
    if (rc != CLI_OK)
        goto out;
    cli_signals_catch();
    if (pingo_store_submit_workflow(cli->store, workflow, &options, &submission, &cli->err) != 0) {
        rc = cli_error(cli);
        goto out;
    }
    struct cli_running running = {
        .workflows = &submission.workflow, .nworkflows = 1, .unwatched = true};
    if (submission.state == PINGO_WORKFLOW_RUNNING || cli_has_notices(cli))
        rc = cli_run_workflows(cli, &running);
    if (rc == CLI_OK)
        rc = finish(cli, args, &parts, submission.workflow);
out:
    pingo_workflow_free(workflow);
    return rc;
}

const struct cli_command cli_exec = {"exec", "program file*", run, .stops_at_operand = true};
