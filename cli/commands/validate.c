/* validate.c - pingo validate: every violation of the rules, with its place.  Needs no store. */
#include <unistd.h>

#include "answer.h"

static bool file_exists(void *context, const char *path)
{
    (void)context;
    return access(path, F_OK) == 0;
}

static void print_json(struct cli *cli, const struct pingo_problems *problems, bool valid)
{
    struct cli_answer a;
    cli_list_within(&a, cli, &pingo__view_verdict, &(struct pingo__view_verdict){valid});
    for (size_t i = 0; i < pingo_problems_count(problems); i++)
        cli_row(&a, pingo_problems_at(problems, i));
    cli_list_end(&a, NULL, 0);
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct cli_document document;
    struct pingo_workflow *workflow = NULL;
    struct pingo_problems *problems = NULL;
    int rc = cli_document_read(&document, cli_operand(args, 0), 0);
    if (rc != CLI_OK)
        return rc;
    struct pingo_workflow_options options = {.version = 1,
                                             .base_dir = document.base_dir,
                                             .strict = cli_flag(args, "strict"),
                                             .file_exists = file_exists};
    rc = pingo_workflow_parse(&(struct pingo_document){document.text, document.length, &problems},
                              &options, &workflow, &cli->err);
    if (rc != 0 && (!cli->json || pingo_problems_count(problems) == 0)) {
        rc = cli_submit_failed(cli, &document, problems);
    } else if (cli->json) {
        print_json(cli, problems, rc == 0);
        rc = cli_exit_of(rc);
    } else if (!cli_is_quiet()) {
        cli_problems_show(document.label, 100, problems, 0);
        size_t n = pingo_workflow_count(workflow);
        cli_print_clean(stdout, document.label);
        printf(" is valid: %zu action%s\n", n, n == 1 ? "" : "s");
    }
    pingo_problems_free(problems);
    pingo_workflow_free(workflow);
    return rc;
}

const struct cli_command cli_validate = {"validate", "file", run, CLI_PRINTS(&pingo__view_verdict)};
