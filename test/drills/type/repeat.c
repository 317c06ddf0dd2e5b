/* repeat.c - the action type "repeat": a text so many times, a line each. */
#include <string.h>

#include <pingo/action_type.h>

#include "base/error.h"

static const struct pingo_key keys[] = {
    {.key = "text", .kinds = PINGO_KEY_TEXT, .required = true},
    {.key = "times", .kinds = PINGO_KEY_NUMBER, .default_text = "2"},
};

static void validate(const struct pingo_action *action, struct pingo_problem_sink *sink,
                     const struct pingo_workflow_options *options)
{
    const struct pingo_field *times = pingo_action_field(action, "times");
    (void)options;
    if (times && strlen(times->values[0]) > 6)
        pingo_problem_add(sink, PINGO_SEVERITY_ERROR, "/times",
                          "\"times\" is %s: at most 999999 lines are made", times->values[0]);
}

static int render(const struct pingo_field *fields, size_t nfields, struct pingo_job *job,
                  struct pingo_error *err)
{
    static const char *const env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", NULL};
    static const char script[] =
        "i=0; while [ $i -lt $2 ]; do echo \"$1\"; i=$((i+1)); done >output";
    if (nfields != 2 || fields[1].kind != PINGO_FIELD_NUMBER)
        return pingo__fail(err, PINGO_ECORRUPT, "a repeat action without a number");
    const char *words[] = {"/bin/sh", "-c", script, "sh", fields[0].values[0], fields[1].values[0]};
    const char **argv = pingo_job_memory(job, 7 * sizeof *argv);
    bool failed = !argv;
    for (size_t i = 0; !failed && i < 6; i++)
        failed = !(argv[i] = pingo_job_text(job, words[i], strlen(words[i])));
    job->argv = argv;
    job->env = env;
    job->output = "output";
    return failed ? pingo__fail_memory(err) : 0;
}

static const struct pingo_action_type repeat = {.abi_version = PINGO_ACTION_TYPE_ABI,
                                                .name = "repeat",
                                                .keys = keys,
                                                .nkeys = 2,
                                                .validate = validate,
                                                .render = render};

const struct pingo_action_type *pingo_action_type_repeat(void)
{
    return &repeat;
}
