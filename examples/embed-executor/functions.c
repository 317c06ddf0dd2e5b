/* functions.c - an action type of this program's own: {"type": "text", "function": "upper"}.
 *
 * The table says which keys such an action has, checks what their kinds cannot say, and turns what
 * was hashed into what an executor is told.  The function's name is in the hash; when a function's
 * code changes what it computes, give it another name, or the actions another salt. */
#include <ctype.h>
#include <string.h>

#include "functions.h"

static void upper(FILE *in, FILE *out)
{
    for (int c; (c = getc(in)) != EOF;)
        putc(toupper(c), out);
}

static void lines(FILE *in, FILE *out)
{
    long n = 0;
    for (int c; (c = getc(in)) != EOF;)
        n += c == '\n';
    fprintf(out, "%ld lines\n", n);
}

static const struct function functions[] = {{"upper", upper}, {"lines", lines}};

const struct function *find_function(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

static void validate(const struct pingo_action *action, struct pingo_problem_sink *sink,
                     const struct pingo_workflow_options *options)
{
    const struct pingo_field *field = pingo_action_field(action, "function");
    (void)options;
    if (field != NULL && find_function(field->values[0]) == NULL)
        pingo_problem_add(sink, PINGO_SEVERITY_ERROR, "/function",
                          "\"%s\" is no function; there are \"upper\" and \"lines\"",
                          field->values[0]);
}

/* From what was hashed to what is run: the name of the function goes to the executor as payload. */
static int render(const struct pingo_field *fields, size_t nfields, struct pingo_job *job,
                  struct pingo_error *err)
{
    (void)err;
    if (nfields != 1 || strcmp(fields[0].key, "function") != 0)
        return PINGO_ECORRUPT;
    job->payload = pingo_job_text(job, fields[0].values[0], strlen(fields[0].values[0]));
    return job->payload != NULL ? 0 : PINGO_ENOMEM;
}

static const struct pingo_key keys[] = {
    {.key = "function", .kinds = PINGO_KEY_TEXT, .required = true}};

const struct pingo_action_type text_type = {.abi_version = PINGO_ACTION_TYPE_ABI,
                                            .name = "text",
                                            .keys = keys,
                                            .nkeys = 1,
                                            .validate = validate,
                                            .render = render};
