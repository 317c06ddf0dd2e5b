/* command_line.c - the action type "command-line": an array is executed
 * directly, a string is given to a shell.
 *
 * The environment's constants belong to the version of the encoding: they never
 * come from who submits or ticks. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/path.h"
#include "workflow/kinds.h"
#include "workflow/types/command_line.h"
#include "workflow/workflow.h"

#define OUTPUT_LENGTH_MAX 255

/* ---- rules --------------------------------------------------------------------- */

static void validate_command(const struct pingo_field *command, struct pingo_problem_sink *sink)
{
    if (command->kind == PINGO_FIELD_TEXT && command->values[0][0] == '\0')
        pingo_problem_add(sink, PINGO_SEVERITY_ERROR, "/command",
                          "\"command\" is empty: write a command for the shell, or an array of a "
                          "program and its arguments");
    if (command->kind == PINGO_FIELD_TEXTS && command->nvalues == 0)
        pingo_problem_add(sink, PINGO_SEVERITY_ERROR, "/command",
                          "\"command\" is empty: write a program and its arguments");
    else if (command->kind == PINGO_FIELD_TEXTS && command->values[0][0] == '\0')
        pingo_problem_add(sink, PINGO_SEVERITY_ERROR, "/command/0",
                          "the program's name is empty: write its name or path");
}

static void validate_output(const struct pingo_field *output, struct pingo_problem_sink *sink)
{
    const char *name = output->values[0];
    if (!pingo__path_is_plain(name) || strlen(name) > OUTPUT_LENGTH_MAX)
        pingo_problem_add(sink, PINGO_SEVERITY_ERROR, "/output",
                          "\"output\" must be the plain name of a file or directory: without a "
                          "slash, not \".\" or \"..\", at most %d bytes",
                          OUTPUT_LENGTH_MAX);
    else if (strcmp(name, "in") == 0)
        pingo_problem_add(sink, PINGO_SEVERITY_ERROR, "/output",
                          "\"output\" may not be \"in\": there lie the inputs");
}

static void validate(const struct pingo_action *action, struct pingo_problem_sink *sink,
                     const struct pingo_workflow_options *options)
{
    const struct pingo_field *command = pingo_action_field(action, "command");
    const struct pingo_field *output = pingo_action_field(action, "output");
    if (output)
        validate_output(output, sink);
    if (!command)
        return;
    validate_command(command, sink);
    pingo__workflow_command_warn(action, command, sink, options);
}

/* ---- rendering ------------------------------------------------------------------- */

static const struct pingo_action_type command_line;

/* What stands before a command that is a string.  Descriptions of encoding 1 have no shell. */
static bool find_shell(const struct pingo_field *shell, const char *const **words, size_t *n)
{
    static const char *const bash[] = {"/bin/bash", "-euo", "pipefail", "-c"};
    static const char *const sh[] = {"/bin/sh", "-c"};
    if (shell && shell->kind == PINGO_FIELD_TEXTS) {
        *words = shell->values;
        *n = shell->nvalues;
        return true;
    }
    *words = sh;
    *n = sizeof sh / sizeof sh[0];
    if (!shell)
        return true;
    if (strcmp(shell->values[0], "bash") != 0)
        return strcmp(shell->values[0], "sh") == 0;
    *words = bash;
    *n = sizeof bash / sizeof bash[0];
    return true;
}

static int render_argv(const struct pingo_field *command, const struct pingo_field *shell,
                       struct pingo_job *job, struct pingo_error *err)
{
    const char *const *words = NULL;
    size_t nwords = 0;
    if (command->kind == PINGO_FIELD_TEXT && !find_shell(shell, &words, &nwords))
        return pingo__fail(err, PINGO_ECORRUPT, "the shell \"%s\" is not known", shell->values[0]);
    size_t n = nwords + command->nvalues;
    const char **argv = pingo_job_memory(job, (n + 1) * sizeof *argv);
    if (!argv)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const char *word = i < nwords ? words[i] : command->values[i - nwords];
        argv[i] = pingo_job_text(job, word, strlen(word));
        if (!argv[i])
            return pingo__fail_memory(err);
    }
    argv[n] = NULL;
    job->argv = argv;
    return 0;
}

/* "NAME=VALUE" */
static const char *assignment(struct pingo_job *job, const char *name, const char *value)
{
    size_t nn = strlen(name), nv = strlen(value);
    char *text = pingo_job_memory(job, nn + nv + 2);
    if (!text)
        return NULL;
    memcpy(text, name, nn);
    text[nn] = '=';
    memcpy(text + nn + 1, value, nv + 1);
    return text;
}

const char *const pingo__workflow_command_constants[PINGO__COMMAND_CONSTANTS][2] = {
    {"LANG", "C.UTF-8"}, {"PATH", PINGO__PATH_OF_COMMANDS}, {"TZ", "UTC"}};

/* The value of a declared variable, or NULL. */
static const char *variable(const struct pingo_field *declared, const char *name)
{
    for (size_t i = 0; declared && i + 1 < declared->nvalues; i += 2)
        if (strcmp(declared->values[i], name) == 0)
            return declared->values[i + 1];
    return NULL;
}

const char *pingo__workflow_command_path(const struct pingo_field *fields, size_t nfields)
{
    const struct pingo_field *env = pingo__workflow_field(fields, nfields, "env");
    const char *declared = !env || env->kind != PINGO_FIELD_PAIRS ? NULL : variable(env, "PATH");
    return declared ? declared : pingo__workflow_command_constants[1][1];
}

static int render_env(const struct pingo_field *declared, struct pingo_job *job,
                      struct pingo_error *err)
{
    size_t n = 0, nvalues = declared ? declared->nvalues : 0;
    const char **env =
        pingo_job_memory(job, (nvalues / 2 + PINGO__COMMAND_CONSTANTS + 1) * sizeof *env);
    if (!env)
        return pingo__fail_memory(err);
    for (size_t c = 0; c < PINGO__COMMAND_CONSTANTS; c++) {
        const char *const *constant = pingo__workflow_command_constants[c];
        if (!variable(declared, constant[0]))
            env[n++] = assignment(job, constant[0], constant[1]);
    }
    for (size_t i = 0; i < nvalues; i += 2)
        env[n++] = assignment(job, declared->values[i], declared->values[i + 1]);
    for (size_t i = 0; i < n; i++)
        if (!env[i])
            return pingo__fail_memory(err);
    qsort(env, n, sizeof *env, pingo__array_by_text);
    env[n] = NULL;
    job->env = env;
    return 0;
}

static int render(const struct pingo_field *fields, size_t nfields, struct pingo_job *job,
                  struct pingo_error *err)
{
    const struct pingo_field *command = pingo__workflow_field(fields, nfields, "command");
    const struct pingo_field *env = pingo__workflow_field(fields, nfields, "env");
    const struct pingo_field *output = pingo__workflow_field(fields, nfields, "output");
    const struct pingo_field *to_stdout = pingo__workflow_field(fields, nfields, "stdout");
    int rc = pingo__workflow_kinds_check(&command_line, fields, nfields, err);
    if (rc == 0)
        rc = render_argv(command, pingo__workflow_field(fields, nfields, "shell"), job, err);
    if (rc == 0)
        rc = render_env(env, job, err);
    if (rc != 0)
        return rc;
    job->payload = NULL;
    job->output = NULL;
    if (to_stdout && strcmp(to_stdout->values[0], "true") == 0)
        return 0;
    job->output = pingo_job_text(job, output->values[0], strlen(output->values[0]));
    return job->output ? 0 : pingo__fail_memory(err);
}

static const struct pingo_key keys[] = {
    {.key = "command", .kinds = PINGO_KEY_TEXT | PINGO_KEY_TEXTS, .required = true},
    {.key = "env", .kinds = PINGO_KEY_PAIRS, .merges_env = true},
    {.key = "output", .kinds = PINGO_KEY_TEXT, .default_text = "output"},
    {.key = "shell",
     .kinds = PINGO_KEY_TEXT | PINGO_KEY_TEXTS,
     .default_text = "bash",
     .takes_shell = true,
     .with_text = "command"},
    {.key = "stdout", .kinds = PINGO_KEY_FLAG, .default_text = "false"},
};

static const struct pingo_action_type command_line = {
    .abi_version = PINGO_ACTION_TYPE_ABI,
    .name = "command-line",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .validate = validate,
    .render = render,
};

const struct pingo_action_type *pingo_action_type_command_line(void)
{
    return &command_line;
}
