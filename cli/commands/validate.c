/* validate.c - pingo validate: every violation of the rules, with its place.  Needs no store. */
#include <pingo.h>
#include <unistd.h>

#include "args.h"
#include "json.h"
#include "message.h"
#include "session.h"

static bool file_exists(void *context, const char *path)
{
    (void)context;
    return access(path, F_OK) == 0;
}

static void print_json(const struct pingo_problems *problems, bool valid)
{
    struct cli_json json;
    cli_json_begin(&json, stdout);
    cli_json_open(&json, NULL, '{');
    cJSON *head = cli_json_object();
    cli_json_flag(head, "valid", valid);
    cli_json_members(&json, head);
    cli_json_open(&json, "problems", '[');
    for (size_t i = 0; i < pingo_problems_count(problems); i++) {
        const struct pingo_problem *p = pingo_problems_at(problems, i);
        cJSON *o = cli_json_object();
        cli_json_text(o, "severity", p->severity == PINGO_SEVERITY_ERROR ? "error" : "warning");
        cli_json_int(o, "line", (int64_t)p->line);
        cli_json_int(o, "column", (int64_t)p->column);
        cli_json_text(o, "pointer", p->pointer);
        cli_json_text(o, "message", p->message);
        cli_json_int(o, "times", (int64_t)p->times);
        cli_json_item(&json, NULL, o);
    }
    cli_json_close(&json);
    cli_json_close(&json);
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct cli_document document;
    struct pingo_workflow *workflow = NULL;
    struct pingo_problems *problems = NULL;
    struct pingo_error err = {0};
    int status = cli_document_read(&document, cli_operand(args, 0), 0);
    if (status != CLI_OK)
        return status;
    struct pingo_workflow_options options = {.version = 1,
                                             .base_dir = document.base_dir,
                                             .strict = cli_flag(args, "strict"),
                                             .file_exists = file_exists};
    int rc =
        pingo_workflow_parse(document.text, document.length, &options, &workflow, &problems, &err);
    if (rc != 0 && (!cli->json || pingo_problems_count(problems) == 0)) {
        status = cli_submit_failed(cli, &document, problems, &err);
    } else if (cli->json) {
        print_json(problems, rc == 0);
        status = cli_exit_of(rc);
    } else if (!cli_is_quiet()) {
        cli_problems_show(document.label, problems);
        size_t n = pingo_workflow_count(workflow);
        cli_print_clean(stdout, document.label);
        printf(" is valid: %zu action%s\n", n, n == 1 ? "" : "s");
    }
    pingo_problems_free(problems);
    pingo_workflow_free(workflow);
    cli_document_clear(&document);
    return status;
}

static const struct cli_option options[] = {
    {0, "strict", NULL, "warnings are errors"},
};
static const int exits[] = {CLI_INVALID, CLI_NOTFOUND, 0};
static const char *const operands[] = {"file", NULL};

const struct cli_command cli_validate = {
    .name = "validate",
    .synopsis = "FILE",
    .summary = "check a workflow",
    .description =
        "Checks a workflow definition against all rules and tells every violation with its\n"
        "line, column and JSON pointer.  Warnings alone do not make it invalid.  FILE - is\n"
        "standard input.  Needs no store and reads no input.",
    .example = "  pingo validate words.json\n  jq -n -f make.jq | pingo validate -\n",
    CLI_OPTIONS(options),
    .flags = CLI_TAKES_JSON,
    .exits = exits,
    .min_operands = 1,
    .max_operands = 1,
    .operands = operands,
    .run = run,
};
