/* answer.h - what a command answers on standard output, by the views: with --json a document, else lines of text. */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include <pingo/error.h>

#include "command.h"
#include "view/views.h"

struct cli_answer {
    struct cli *cli;
    const struct pingo__view_table *whole; /* the object around the rows; NULL: they are an array alone */
    const struct pingo__view_table *rows;
    enum { CLI_ANSWER_TEXT, CLI_ANSWER_JSON, CLI_ANSWER_CSV } form;
    struct pingo__writer json;
    struct pingo__buffer line;
    struct pingo__view_style style;
    size_t n; /* rows so far */
};

/* How text looks on a stream that a person reads: times as --time-style says. */
struct pingo__view_style cli_style(const struct cli *cli, FILE *stream);
/* Prints what a writer holds, and gives it back.  Memory that was not there is told at the end of the program. */
void cli_write(struct cli *cli, struct pingo__writer *w);
/* A writer to a stream. */
void cli_writer(struct pingo__writer *w, FILE *out);
/* Likewise of a buffer of text, to standard output. */
void cli_put(struct cli *cli, struct pingo__buffer *b);

/* With --json: prints a row as an object, and returns true. */
bool cli_answer(struct cli *cli, const struct pingo__view_table *view, const void *row);

/* A list of rows: an array, or a table with a heading above its first row. */
void cli_list(struct cli_answer *a, struct cli *cli, const struct pingo__view_table *rows);
/* The same within an object that has a stream of them; row: of the object, as far as it is known before. */
void cli_list_within(struct cli_answer *a, struct cli *cli, const struct pingo__view_table *whole,
                     const void *row);
/* CSV instead of a table, with the keys above. */
void cli_list_csv(struct cli_answer *a);
/* Other than 0: standard output takes no more. */
int cli_row(struct cli_answer *a, const void *row);
/* The end; row: of the object around it, whole.  rc: of the function that told the rows.  CLI_OK (also where a row
 * was the last one that standard output took), or the exit status after a message. */
int cli_list_end(struct cli_answer *a, const void *row, int rc, const struct pingo_error *err);
/* Instead, where something failed and was told: what was not printed yet is not. */
void cli_list_drop(struct cli_answer *a);

/* .documents of a command that prints one kind of object, or an array of them. */
#define CLI_PRINTS(view_)                                                                          \
    .documents = (const struct pingo__view_document[])                                             \
    {                                                                                              \
        {NULL, (view_), false},                                                                    \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define CLI_PRINTS_LIST(view_)                                                                     \
    .documents = (const struct pingo__view_document[])                                             \
    {                                                                                              \
        {NULL, (view_), true},                                                                     \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

#endif
