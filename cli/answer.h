/* answer.h - what a command answers on standard output, by the views: with --json a document, else lines of text. */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "session.h"
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
    /* Of a list that comes in pages, for its query: */
    bool is_page; /* a part was asked for */
    size_t limit;
    const char *after;            /* of --after; NULL: the beginning */
    char next[PINGO_CURSOR_SIZE]; /* where it goes on; "": it does not */
};

/* Prints what a writer holds, and gives it back.  Memory that was not there is told at the end of the program. */
void cli_write(struct cli *cli, struct pingo__writer *w);
/* A writer to a stream. */
void cli_writer(struct pingo__writer *w, FILE *out);

/* Where lines for people go: data to standard output, talk too but not with --quiet, notes to standard error and
 * not with --quiet. */
enum cli_way { CLI_DATA, CLI_TALK, CLI_NOTE };

/* With --json: prints a row as an object; else the lines of its view. */
void cli_answer(struct cli *cli, enum cli_way way, const struct pingo__view_table *view,
                const void *row);
/* A line of a template, also with --json; nothing where nothing is left of it. */
void cli_say(struct cli *cli, enum cli_way way, const char *line,
             const struct pingo__view_table *view, const void *row);
/* The same, not printed.  Yours. */
char *cli_text(struct cli *cli, const char *line, const struct pingo__view_table *view,
               const void *row);

/* A list of rows: an array; with --csv a line each below the keys; else what their view's lines are, or a table with a
 * heading above its first row. */
void cli_list(struct cli_answer *a, struct cli *cli, const struct pingo__view_table *rows);
/* The same within an object that has a stream of them, whose lines stand above and below; row: of the object, as far
 * as it is known before. */
void cli_list_within(struct cli_answer *a, struct cli *cli, const struct pingo__view_table *whole,
                     const void *row);
/* A list of the store's that can go on where it ended, by --limit and --after: with --after an object of the rows and
 * the next cursor.  least: that --limit takes.  Opens the store.  CLI_OK, or the exit status after a message. */
int cli_pages(struct cli_answer *a, const struct cli_args *args,
              const struct pingo__view_table *page, int64_t least);
/* Its limit and cursors, among the members of a query. */
#define CLI_PART(a) .limit = (a).limit, .after = (a).after, .next = (a).next
/* Other than 0: standard output takes no more. */
int cli_row(void *answer, const void *row);
/* A function for the library that gives each row to another, as a server's rows are (remote.h), or prints it. */
#define CLI_EACH(name, fn, type)                                                                   \
    static int name(void *context, const type *row)                                                \
    {                                                                                              \
        return fn(context, row);                                                                   \
    }
#define CLI_ROWS(name, type) CLI_EACH(name, cli_row, type)
/* The end; row: of the object around it, whole.  rc: of the function that told the rows, its error in cli->err.
 * CLI_OK (also where a row was the last one that standard output took), or the exit status after a message. */
int cli_list_end(struct cli_answer *a, const void *row, int rc);
/* The same of rows around which nothing is known later; rc is an exit status, and what is not CLI_OK was told: it.
 * What was done before that is printed, whatever became of the rest: no document where nothing was. */
int cli_list_close(struct cli_answer *a, int rc);
/* Instead, where something failed and was told: what was not printed yet is not. */
void cli_list_drop(struct cli_answer *a);

#endif
