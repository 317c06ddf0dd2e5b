/* plot.h - series of numbers in, a plot as an <svg> element for a page out.
 *
 * gnuplot draws.  Lines, axes and text have the colour of the text around the plot, so that it is
 * readable on light and on dark; series have colours that are readable on both.  Any text may
 * come from anybody: none of it reaches gnuplot. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include <stdbool.h>
#include <stddef.h>

/* What the numbers of an axis are, and so its unit. */
enum cli_plot_axis {
    CLI_AXIS_NUMBER = 0,
    CLI_AXIS_TIME,    /* ms since 1970 UTC; of x alone */
    CLI_AXIS_BYTES,   /* shown in the binary unit that fits the largest */
    CLI_AXIS_DURATION /* ms, likewise */
};

enum cli_plot_style {
    CLI_PLOT_LINE = 0,
    CLI_PLOT_POINTS, /* a line with a mark at each point */
    CLI_PLOT_STEPS,  /* a value holds until the next one */
    CLI_PLOT_AREA,   /* the same, filled down to the axis */
    CLI_PLOT_DASHES
};

struct cli_plot_series {
    const char *name;
    enum cli_plot_style style;
    const double *x, *y; /* n of each; a point that is not finite is left out */
    size_t n;
};

struct cli_plot {
    const char *id;     /* letters and digits; of its own in a page */
    const char *title;  /* read aloud where the plot cannot be seen */
    const char *xlabel; /* the unit is added; NULL: none */
    const char *ylabel;
    enum cli_plot_axis x, y;
    bool log_x;     /* of numbers alone; marks are at the values, where they are few */
    bool from_zero; /* y begins with 0 */
    const struct cli_plot_series *series;
    size_t nseries;
};
/* *svg: yours, free().  CLI_OK, or the exit status after a message: CLI_HELPER where there is no gnuplot. */
int cli_plot_svg(const struct cli_plot *plot, char **svg);

struct cli_bar {
    const char *label; /* what is too long is cut */
    double value;      /* 0 or more */
    const char *text;  /* stands at the end of the bar */
};
struct cli_bars {
    const char *id, *title;
    unsigned colour;            /* that of the series with this index */
    const struct cli_bar *bars; /* from above */
    size_t n;
};
/* Bars that lie; likewise. */
int cli_bars_svg(const struct cli_bars *bars, char **svg);

#endif
