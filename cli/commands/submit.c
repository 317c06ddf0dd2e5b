/* submit.c - pingo submit: puts a workflow into the store and prints its number. */
#include "session.h"

#include <stdlib.h>

#include "remote/remote.h"
#include "signals.h"

int cli_submit_operand(struct cli *cli, struct pingo_submit_options *submit, const char *operand,
                       struct pingo_submission *submission)
{
    struct cli_document document;
    struct pingo_problems *problems = NULL;
    int rc = cli_document_read(&document, operand, cli_document_limit(cli));
    if (rc != CLI_OK)
        return rc;
    submit->base_dir = document.base_dir;
    rc = pingo_store_submit(cli->store,
                            &(struct pingo_document){document.text, document.length, &problems},
                            submit, submission, &cli->err);
    cli_progress_clear();
    if (rc != 0)
        rc = cli_submit_failed(cli, &document, problems);
    else
        cli_problems_show(document.label, CLI_WARNINGS_SHOWN, problems, 0);
    submit->base_dir = NULL;
    pingo_problems_free(problems);
    free(document.text); /* it may be much */
    return rc;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct pingo_submit_options submit;
    struct pingo_submission submission = {.size = sizeof submission};
    int rc = cli_submit_options_read(&submit, cli, args);
    if (rc == CLI_OK)
        rc = cli_open(cli);
    cli_signals_catch();
    if (rc == CLI_OK)
        rc = cli->remote ? cli_remote_submit(cli->remote, cli_operand(args, 0), &submission)
                         : cli_submit_operand(cli, &submit, cli_operand(args, 0), &submission);
    if (rc == CLI_OK)
        cli_answer(cli, CLI_DATA, &pingo__view_submission, &submission);
    return rc;
}

const struct cli_command cli_submit = {"submit", "file", run, CLI_PRINTS(&pingo__view_submission)};
