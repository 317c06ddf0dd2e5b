/* external.c - the action type "external": an opaque description for embedders
 * that run the work themselves. */
#include <string.h>

#include <pingo/action_type.h>

#include "base/error.h"
#include "workflow/kinds.h"
#include "workflow/workflow.h"

static void validate(const struct pingo_action *action, struct pingo_problem_sink *sink,
                     const struct pingo_workflow_options *options)
{
    const struct pingo_field *description = pingo_action_field(action, "description");
    (void)options;
    if (description && description->values[0][0] == '\0')
        pingo_problem_add(sink, PINGO_SEVERITY_ERROR, "/description",
                          "\"description\" is empty: say what is to be done");
}

static const struct pingo_action_type external;

static int render(const struct pingo_field *fields, size_t nfields, struct pingo_job *job,
                  struct pingo_error *err)
{
    static const char *const nothing[] = {NULL};
    int rc = pingo__workflow_kinds_check(&external, fields, nfields, err);
    if (rc != 0)
        return rc;
    const char *text = pingo__workflow_field(fields, nfields, "description")->values[0];
    job->payload = pingo_job_text(job, text, strlen(text));
    job->argv = nothing;
    job->env = nothing;
    job->output = "output";
    return job->payload ? 0 : pingo__fail_memory(err);
}

static const struct pingo_key keys[] = {
    {.key = "description", .kinds = PINGO_KEY_TEXT, .required = true},
};

static const struct pingo_action_type external = {
    .abi_version = PINGO_ACTION_TYPE_ABI,
    .is_embedders = true,
    .name = "external",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .validate = validate,
    .render = render,
};

const struct pingo_action_type *pingo_action_type_external(void)
{
    return &external;
}
