/* gnuplot.h - running gnuplot, and making its SVG fit for a page.
 *
 * A script names text by tokens alone: gnuplot runs commands that it finds in strings.  The text is
 * put in their place afterwards. */
#ifndef CLI_GNUPLOT_H
#define CLI_GNUPLOT_H

#include <stddef.h>
#include <stdio.h>

struct cli_gnuplot {
    FILE *script; /* yours to write, once begun */
    char *text;   /* of the script */
    size_t length;
    const char *id, *title;
    char **texts; /* one a token */
    size_t ntexts;
};

/* The colour in which a script draws what shall have the colour of the page's text. */
#define CLI_GNUPLOT_INK "rgb \"#010203\""

/* Begins a script with the terminal of so many pixels.  id, title: as in plot.h; borrowed. */
void cli_gnuplot_begin(struct cli_gnuplot *g, const char *id, const char *title, int width,
                       int height);
/* Writes a quoted token that stands for text. */
void cli_gnuplot_text(struct cli_gnuplot *g, const char *text);
/* Draws next to nothing, to tell at once whether gnuplot is there and works: CLI_OK, or the exit status after a
 * message. */
int cli_gnuplot_check(void);
/* Runs the script and frees it.  *svg: yours.  CLI_OK, or the exit status after a message. */
int cli_gnuplot_run(struct cli_gnuplot *g, char **svg);

#endif
