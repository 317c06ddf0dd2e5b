/* html.h - pages of HTML that need nothing else: the head with its style, text, tables, and the file.
 *
 * What a page shows comes from anywhere: text goes through cli_html_text(), which leaves no
 * character that HTML could take for its own. */
#ifndef CLI_HTML_H
#define CLI_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A file that is there whole or not at all: it is written beside, and renamed.  What is there and is no
 * regular file, such as a device or a pipe, is written to as it is: beside is NULL then. */
struct cli_html_file {
    FILE *out;
    char *path, *beside;
};
/* Could it be written?  For what takes long; leaves all as it is.  CLI_OK, or as cli_html_open(). */
int cli_html_check(const char *path);
/* CLI_OK, or the exit status after a message. */
int cli_html_open(struct cli_html_file *file, const char *path);
/* keep false: nothing is left.  CLI_OK, or the exit status after a message; path is as it was then. */
int cli_html_close(struct cli_html_file *file, bool keep);

/* The page's head, up to its first heading. */
void cli_html_begin(FILE *out, const char *title);
void cli_html_end(FILE *out);
void cli_html_heading(FILE *out, const char *text);
void cli_html_paragraph(FILE *out, const char *text);
/* Text of anybody's, also fit for a quoted attribute: what is not UTF-8, and control characters, become
 * U+FFFD. */
void cli_html_text(FILE *out, const char *text);

/* Numbers in a row, large, each with what it is: begin, then any number of them, then end. */
void cli_html_figures_begin(FILE *out);
void cli_html_figure(FILE *out, const char *number, const char *what);
void cli_html_figures_end(FILE *out);

/* headings: ends with NULL; one that begins with '>' is of numbers, which stand on the right. */
void cli_html_table_begin(FILE *out, const char *const *headings);
/* As many cells as there are headings. */
void cli_html_table_row(FILE *out, const char *const *headings, const char *const *cells);
void cli_html_table_end(FILE *out);

#endif
