/* plot.c - a gnuplot script from series of numbers.
 *
 * Times are drawn as seconds since the first one, so that no digit is lost, and
 * their marks stand at round times of UTC. */
#include "plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exit.h"
#include "gnuplot.h"
#include "text.h"

#define WIDTH 760
#define HEIGHT 300
#define BAR_HEIGHT 24
#define LABEL_SIZE 33 /* bytes of a bar's label, with the NUL */

/* Each readable on white and on near-black. */
static const char *const colours[] = {"#3b82c4", "#d9772b", "#2f9e6e", "#c2519b",
                                      "#8a6fd1", "#a08030", "#4a93a8", "#b5544d"};
#define NCOLOURS (sizeof colours / sizeof colours[0])

/* ---- units -------------------------------------------------------------------------- */

struct scale {
    double by; /* a number is divided by it */
    const char *unit;
    int64_t zero; /* and taken from it before */
};

static struct scale scale_of(enum cli_plot_axis axis, double most)
{
    static const struct scale bytes[] = {
        {1, "bytes", 0},         {1024., "KiB", 0},          {1048576., "MiB", 0},
        {1073741824., "GiB", 0}, {1099511627776., "TiB", 0}, {0, NULL, 0}};
    static const struct scale durations[] = {{1, "ms", 0},       {1000, "s", 0},
                                             {60000, "min", 0},  {3600000, "h", 0},
                                             {86400000, "d", 0}, {0, NULL, 0}};
    const struct scale *s = axis == CLI_AXIS_BYTES ? bytes : durations;
    if (axis != CLI_AXIS_BYTES && axis != CLI_AXIS_DURATION)
        return (struct scale){1, NULL, 0};
    while (s[1].unit != NULL && most >= 2 * s[1].by)
        s++;
    return *s;
}

struct range {
    double least, most;
    bool any;
};

static void include(struct range *r, double value)
{
    r->least = r->any && r->least < value ? r->least : value;
    r->most = r->any && r->most > value ? r->most : value;
    r->any = true;
}

static bool is_shown(const struct cli_plot *plot, const struct cli_plot_series *s, size_t i)
{
    return isfinite(s->x[i]) && isfinite(s->y[i]) && (!plot->log_x || s->x[i] > 0);
}

static void measure(const struct cli_plot *plot, struct range *x, struct range *y)
{
    *x = *y = (struct range){0, 0, false};
    for (size_t k = 0; k < plot->nseries; k++)
        for (size_t i = 0; i < plot->series[k].n; i++)
            if (is_shown(plot, &plot->series[k], i)) {
                include(x, plot->series[k].x[i]);
                include(y, plot->series[k].y[i]);
            }
}

/* ---- marks of time --------------------------------------------------------------------- */

static void write_time(FILE *out, int64_t at_ms, int64_t step_ms, bool one_day)
{
    time_t seconds = (time_t)(at_ms / 1000);
    struct tm tm;
    char text[64];
    if (gmtime_r(&seconds, &tm) == NULL)
        return;
    const char *format = step_ms >= 86400000 ? "%Y-%m-%d"
                         : one_day           ? (step_ms < 60000 ? "%H:%M:%S" : "%H:%M")
                                             : "%m-%d %H:%M";
    if (strftime(text, sizeof text, format, &tm) == 0)
        return;
    fputs(text, out);
    if (step_ms < 1000)
        fprintf(out, ".%03d", (int)(at_ms % 1000));
}

/* At most eight, at multiples of a step that a clock knows. */
static void write_times(FILE *out, const struct range *x, const struct scale *scale)
{
    static const int64_t steps[] = {
        1,      2,      5,       10,      20,      50,       100,      200,      500,
        1000,   2000,   5000,    10000,   15000,   30000,    60000,    120000,   300000,
        600000, 900000, 1800000, 3600000, 7200000, 10800000, 21600000, 43200000, 86400000};
    int64_t from = (int64_t)x->least, to = (int64_t)x->most, step = 0;
    for (size_t i = 0;
         i < sizeof steps / sizeof steps[0] && (step == 0 || to / step - from / step > 7); i++)
        step = steps[i];
    if (to / step - from / step > 7)
        step = ((to - from) / 7 / 86400000 + 1) * 86400000;
    bool one_day = to - from < 86400000;
    fputs("set xtics (", out);
    for (int64_t at = (from + step - 1) / step * step, n = 0; at <= to; at += step, n++) {
        fputs(n > 0 ? ", \"" : "\"", out);
        write_time(out, at, step, one_day);
        fprintf(out, "\" %.3f", (double)(at - scale->zero) / scale->by);
    }
    fputs(")\n", out);
}

/* ---- marks of a logarithmic axis ------------------------------------------------------ */

#define VALUES 12

/* The values themselves, where they are few: the powers of ten say little of a short range. */
static void write_values(FILE *out, const struct cli_plot *plot)
{
    double values[VALUES];
    size_t n = 0;
    for (size_t k = 0; k < plot->nseries; k++)
        for (size_t i = 0; i < plot->series[k].n; i++) {
            size_t at = 0;
            if (!is_shown(plot, &plot->series[k], i))
                continue;
            while (at < n && values[at] != plot->series[k].x[i])
                at++;
            if (at == VALUES)
                return;
            values[at] = plot->series[k].x[i];
            n += at == n;
        }
    fputs("set xtics (", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s\"%g\" %.9g", i > 0 ? ", " : "", values[i], values[i]);
    fputs(")\n", out);
}

/* ---- a plot --------------------------------------------------------------------------------- */

static void write_label(struct cli_gnuplot *g, const char *axis, const char *label, const char *unit)
{
    if (label == NULL)
        return;
    char *text = unit != NULL ? cli_format("%s (%s)", label, unit) : cli_copy(label);
    fprintf(g->script, "set %slabel ", axis);
    cli_gnuplot_text(g, text);
    fprintf(g->script, " textcolor " CLI_GNUPLOT_INK "\n");
    free(text);
}

static void write_frame(FILE *out)
{
    fputs("set border 3 linecolor " CLI_GNUPLOT_INK "\n"
          "set tics nomirror out scale 0.5 textcolor " CLI_GNUPLOT_INK "\n"
          "set key outside top left horizontal reverse Left samplen 2 textcolor " CLI_GNUPLOT_INK
          "\nset style fill solid 0.3 noborder\n",
          out);
}

static void write_data(FILE *out, const struct cli_plot *plot, const struct scale *x,
                       const struct scale *y)
{
    for (size_t k = 0; k < plot->nseries; k++) {
        const struct cli_plot_series *s = &plot->series[k];
        fprintf(out, "$d%zu << EOD\n", k);
        for (size_t i = 0; i < s->n; i++)
            if (is_shown(plot, s, i))
                fprintf(out, "%.9g %.9g\n", (s->x[i] - (double)x->zero) / x->by, s->y[i] / y->by);
        fputs("EOD\n", out);
    }
}

static bool has_points(const struct cli_plot *plot, const struct cli_plot_series *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (is_shown(plot, s, i))
            return true;
    return false;
}

static void write_series(struct cli_gnuplot *g, const struct cli_plot *plot)
{
    static const char *const styles[] = {[CLI_PLOT_LINE] = "lines lw 2",
                                         [CLI_PLOT_POINTS] = "linespoints lw 2 pt 7 ps 0.5",
                                         [CLI_PLOT_STEPS] = "steps lw 2",
                                         [CLI_PLOT_AREA] = "fillsteps",
                                         [CLI_PLOT_DASHES] = "lines lw 2 dt (8,5)"};
    const char *before = "plot ";
    for (size_t k = 0; k < plot->nseries; k++) {
        if (!has_points(plot, &plot->series[k]))
            continue;
        const char *colour = colours[k % NCOLOURS];
        fprintf(g->script, "%s$d%zu using 1:2 with %s lc rgb \"%s\" title ", before, k,
                styles[plot->series[k].style], colour);
        cli_gnuplot_text(g, plot->series[k].name);
        if (plot->series[k].style == CLI_PLOT_AREA) /* its upper edge */
            fprintf(g->script, ", $d%zu using 1:2 with steps lc rgb \"%s\" notitle", k, colour);
        before = ", ";
    }
    putc('\n', g->script);
}

int cli_plot_svg(const struct cli_plot *plot, char **svg)
{
    struct cli_gnuplot g;
    struct range x, y;
    measure(plot, &x, &y);
    if (!x.any) { /* gnuplot draws no empty plot */
        *svg = cli_copy("");
        return CLI_OK;
    }
    struct scale xs = scale_of(plot->x, x.most), ys = scale_of(plot->y, y.most);
    if (plot->x == CLI_AXIS_TIME)
        xs = (struct scale){1000, NULL, (int64_t)x.least};
    cli_gnuplot_begin(&g, plot->id, plot->title, WIDTH, HEIGHT);
    write_frame(g.script);
    fputs("set grid ytics\n", g.script);
    write_label(&g, "x", plot->xlabel, plot->x == CLI_AXIS_TIME ? "UTC" : xs.unit);
    write_label(&g, "y", plot->ylabel, ys.unit);
    if (plot->x == CLI_AXIS_TIME)
        write_times(g.script, &x, &xs);
    if (plot->log_x) {
        fputs("set logscale x\n", g.script);
        write_values(g.script, plot);
    }
    double left = (x.least - (double)xs.zero) / xs.by, right = (x.most - (double)xs.zero) / xs.by;
    if (right > left)
        fprintf(g.script, "set xrange [%.9g:%.9g]\n", left, right);
    if (plot->from_zero)
        fprintf(g.script, "set yrange [0:%.9g]\n", y.most > 0 ? y.most / ys.by * 1.08 : 1.0);
    write_data(g.script, plot, &xs, &ys);
    write_series(&g, plot);
    return cli_gnuplot_run(&g, svg);
}

/* ---- bars ----------------------------------------------------------------------------------------- */

int cli_bars_svg(const struct cli_bars *bars, char **svg)
{
    struct cli_gnuplot g;
    double most = 0;
    for (size_t i = 0; i < bars->n; i++)
        most = bars->bars[i].value > most ? bars->bars[i].value : most;
    if (most <= 0) {
        *svg = cli_copy("");
        return CLI_OK;
    }
    cli_gnuplot_begin(&g, bars->id, bars->title, WIDTH, 20 + BAR_HEIGHT * (int)bars->n);
    write_frame(g.script);
    /* Room on the right for what stands at the end of the longest bar. */
    fprintf(g.script,
            "unset border\nunset key\nunset xtics\nset tics scale 0\n"
            "set style fill solid 0.8 noborder\nset lmargin 32\nset rmargin 1\n"
            "set tmargin 0.5\nset bmargin 0.5\nset xrange [0:1.25]\nset yrange [0.5:%zu.5]\n"
            "set ytics (",
            bars->n);
    for (size_t i = 0; i < bars->n; i++) {
        char label[LABEL_SIZE];
        cli_clean(label, sizeof label, bars->bars[i].label);
        fputs(i > 0 ? ", " : "", g.script);
        cli_gnuplot_text(&g, label);
        fprintf(g.script, " %zu", bars->n - i);
    }
    fputs(")\n", g.script);
    for (size_t i = 0; i < bars->n; i++) {
        fprintf(g.script, "set label %zu ", i + 1);
        cli_gnuplot_text(&g, bars->bars[i].text);
        fprintf(g.script, " at %.9g,%zu left offset 0.6,0 textcolor " CLI_GNUPLOT_INK "\n",
                bars->bars[i].value / most, bars->n - i);
    }
    fputs("$d << EOD\n", g.script);
    for (size_t i = 0; i < bars->n; i++)
        fprintf(g.script, "%.9g %zu\n", bars->bars[i].value / most, bars->n - i);
    fprintf(g.script,
            "EOD\nplot $d using (0):2:(0):1:($2-0.35):($2+0.35) with boxxyerror lc rgb \"%s\" "
            "notitle\n",
            colours[bars->colour % NCOLOURS]);
    return cli_gnuplot_run(&g, svg);
}
