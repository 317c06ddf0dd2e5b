/* session.h - what commands share: the store, workflow files, problems, submit options. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <pingo.h>

#include "args.h"
#include "message.h"

/* Finds and opens the store into cli->store, unless it lies behind a server, or an option was wrong.  CLI_OK, or the
 * exit status after a message. */
int cli_open(struct cli *cli);
/* The same for a command that changes many things, each in a transaction of its own: before it tells of them it syncs
 * once.  Not for what deletes files. */
int cli_open_for_many(struct cli *cli);
int cli_sync(struct cli *cli);
/* As cli_open(), but quietly does nothing where there is no usable store. */
void cli_open_if_there(struct cli *cli);
/* cli_open() and a scheduler.  max_jobs 0: no limit.  *scheduler: yours. */
int cli_open_scheduler(struct cli *cli, int64_t max_jobs, struct pingo_scheduler **scheduler);

/* A workflow's text and where its relative paths start. */
struct cli_document {
    char *text;
    size_t length;
    char *base_dir;
    const char *label; /* the operand, or "standard input" */
};
/* Reads an operand: a file, or "-" for standard input.  limit_bytes: at most so many and one more
 * are read (0: 1 GiB).  CLI_OK, or the exit status after a message. */
int cli_document_read(struct cli_document *document, const char *operand, size_t limit_bytes);
/* The store's limit on documents; 0 where there is none open. */
size_t cli_document_limit(struct cli *cli);

/* An absolute form of path: joined to the working directory.  Yours. */
char *cli_absolute(const char *path);

#define CLI_WARNINGS_SHOWN 10 /* where something else than validate was asked for */

/* What is wrong with a workflow and told: so much of each kind, and of the rest how much it is. */
struct cli_problems {
    const char *label;
    size_t most_warnings;
    size_t nerrors, nwarnings; /* until now; 0 */
};

/* "LABEL:LINE:COLUMN: error: MESSAGE (POINTER)" on standard error; with --quiet errors alone. */
void cli_problem_show(struct cli_problems *shown, const struct pingo_problem *problem);
/* Behind all of them.  code: what came of it; 0. */
void cli_problems_rest(const struct cli_problems *shown, int code);
/* All of it. */
struct cli_problems cli_problems_show(const char *label, size_t most_warnings,
                                      const struct pingo_problems *problems, int code);
/* What a document says, with any type of action; NULL: it is no workflow.  problems: of it; NULL. */
struct pingo_workflow *cli_document_parse(const struct cli_document *document,
                                          struct pingo_problems **problems);
/* After a failed parse, plan or submit whose problems were shown: what came of it, in cli->err.  The exit status. */
int cli_problems_end(struct cli *cli, const struct cli_problems *shown);
/* The same, with the problems where there are some. */
int cli_submit_failed(struct cli *cli, const struct cli_document *document,
                      const struct pingo_problems *problems);

#define CLI_PRIORITY_MOST 1000000000
/* What plan, submit and run take: --target, --force, --tag, ...  CLI_OK, or CLI_USAGE after a message. */
int cli_submit_options_read(struct pingo_submit_options *submit, struct cli *cli,
                            const struct cli_args *args);

/* Progress of hashing, for pingo_identify_options: a line on a terminal; stops on a signal. */
int cli_hash_progress(void *context, const struct pingo_identify_progress *progress);

/* commands/submit.c: reads the operand (file or "-") and submits it to the open store.  Warnings go to standard error.
 * CLI_OK, or the exit status after a message. */
int cli_submit_operand(struct cli *cli, struct pingo_submit_options *submit, const char *operand,
                       struct pingo_submission *submission);

#endif
