/* report_html.c - a report as one page with plots, which needs nothing else. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "message.h"
#include "plot.h"
#include "report.h"

struct page {
    const struct cli *cli;
    const struct pingo_report *r;
    FILE *out;
};

/* An <svg> element, or the status of what failed. */
static int put_plot(const struct page *p, int status, char *svg)
{
    if (status == CLI_OK)
        fputs(svg, p->out);
    free(svg);
    return status;
}

/* ---- sums ---------------------------------------------------------------------------- */

static void put_sums(const struct page *p)
{
    const struct pingo_history_row *h = &p->r->history;
    char from[CLI_TEXT_SIZE], until[CLI_TEXT_SIZE], text[CLI_TEXT_SIZE], evicted[CLI_TEXT_SIZE];
    cli_format_time(from, p->r->from_ms, p->cli->time_style);
    cli_format_time(until, p->r->until_ms, p->cli->time_style);
    char *line =
        cli_format("%s to %s: %" PRIu64 " submissions of %" PRIu64 " actions: %" PRIu64
                   " computed, %" PRIu64 " joined, %" PRIu64 " reused, %" PRIu64 " skipped.",
                   from, until, h->nsubmissions, h->nmentions, h->ncomputed, h->njoined, h->nreused,
                   h->nskipped);
    cli_html_paragraph(p->out, line);
    free(line);
    cli_html_figures_begin(p->out);
    cli_format_duration(text, h->spent_ms);
    cli_html_figure(p->out, text, "compute time spent");
    cli_format_duration(text, h->saved_ms);
    cli_html_figure(p->out, text, "saved by reuse");
    cli_format_duration(text, p->r->lost_ms);
    cli_html_figure(p->out, text, "lost to evictions");
    cli_report_percent(text, pingo_history_reuse_rate(h));
    cli_html_figure(p->out, text, "hit rate");
    cli_format_size(evicted, p->r->evicted_bytes);
    line = cli_format("%zu", p->r->nevictions);
    char *what = cli_format("evictions, %s", evicted);
    cli_html_figure(p->out, line, what);
    cli_html_figures_end(p->out);
    free(line);
    free(what);
}

/* ---- over time -------------------------------------------------------------------------- */

/* One number more than there are steps: each holds until the next begins, the last to the end. */
struct times {
    double *x, *held, *budget, *spent, *saved, *lost;
    size_t n;
};

static void clear_times(struct times *t)
{
    free(t->x);
    free(t->held);
    free(t->budget);
    free(t->spent);
    free(t->saved);
    free(t->lost);
}

static void fill_times(struct times *t, const struct pingo_report *r)
{
    double *all[6], spent = 0, saved = 0, lost = 0;
    size_t n = r->nsteps;
    for (size_t i = 0; i < 6; i++)
        all[i] = cli_alloc((n + 1) * sizeof *all[i]);
    *t = (struct times){all[0], all[1], all[2], all[3], all[4], all[5], n > 0 ? n + 1 : 0};
    for (size_t i = 0; i < t->n; i++) {
        const struct pingo_report_step *s = &r->steps[i < n ? i : n - 1];
        t->x[i] = (double)(i == n ? r->until_ms : i == 0 ? r->from_ms : s->from_ms);
        t->held[i] = (double)s->held_bytes;
        t->budget[i] = (double)r->usage.budget_bytes;
        t->spent[i] = spent;
        t->saved[i] = saved;
        t->lost[i] = lost;
        spent += (double)s->spent_ms;
        saved += (double)s->saved_ms;
        lost += (double)s->lost_ms;
    }
}

static int put_use(const struct page *p, const struct times *t)
{
    const struct cli_plot_series series[] = {
        {"held", CLI_PLOT_AREA, t->x, t->held, t->n},
        {"budget (now)", CLI_PLOT_DASHES, t->x, t->budget, t->n},
    };
    const struct cli_plot plot = {.id = "use",
                                  .title = "Bytes held over time, and the budget",
                                  .ylabel = "held",
                                  .xlabel = "time",
                                  .x = CLI_AXIS_TIME,
                                  .y = CLI_AXIS_BYTES,
                                  .from_zero = true,
                                  .series = series,
                                  .nseries = p->r->usage.budget_bytes < 0 ? 1 : 2};
    char *svg = NULL;
    cli_html_heading(p->out, "The budget's use over time");
    int status = cli_plot_svg(&plot, &svg);
    return put_plot(p, status, svg);
}

static int put_costs(const struct page *p, const struct times *t)
{
    const struct cli_plot_series series[] = {
        {"spent", CLI_PLOT_LINE, t->x, t->spent, t->n},
        {"lost to evictions", CLI_PLOT_LINE, t->x, t->lost, t->n},
        {"saved by reuse", CLI_PLOT_LINE, t->x, t->saved, t->n},
    };
    const struct cli_plot plot = {.id = "costs",
                                  .title = "Compute time spent, saved and lost, added up",
                                  .ylabel = "compute time, added up",
                                  .xlabel = "time",
                                  .x = CLI_AXIS_TIME,
                                  .y = CLI_AXIS_DURATION,
                                  .from_zero = true,
                                  .series = series,
                                  .nseries = 3};
    char *svg = NULL;
    cli_html_heading(p->out, "Compute time");
    int status = cli_plot_svg(&plot, &svg);
    return put_plot(p, status, svg);
}

/* ---- tables -------------------------------------------------------------------------------- */

/* What holds nothing is left out. */
static void put_part(const struct page *p, const char *const *headings, const char *name,
                     int64_t bytes)
{
    const struct pingo_pool_usage *u = &p->r->usage;
    char size[CLI_TEXT_SIZE], share[CLI_TEXT_SIZE];
    const char *cells[] = {name, size, share};
    if (bytes == 0)
        return;
    cli_format_size(size, bytes);
    cli_report_percent(
        share, u->budget_bytes > 0 && bytes >= 0 ? (double)bytes / (double)u->budget_bytes : -1);
    cli_html_table_row(p->out, headings, cells);
}

static void put_pool(const struct page *p)
{
    static const char *const headings[] = {"", ">bytes", ">of the budget", NULL};
    const struct pingo_pool_usage *u = &p->r->usage;
    cli_html_heading(p->out, "The pool now");
    cli_html_table_begin(p->out, headings);
    put_part(p, headings, "budget", u->budget_bytes);
    put_part(p, headings, "a decision is made above", u->high_bytes);
    put_part(p, headings, "and frees down to", u->low_bytes);
    put_part(p, headings, "used", u->used_bytes);
    put_part(p, headings, "stored: may go", u->candidate_bytes);
    put_part(p, headings, "stored: claimed", u->claimed_bytes);
    put_part(p, headings, "stored: kept", u->kept_bytes);
    put_part(p, headings, "leaves", u->leaf_bytes);
    put_part(p, headings, "undeletable", u->undeletable_bytes);
    put_part(p, headings, "scratch directories of failed actions", u->failed_bytes);
    put_part(p, headings, "orphans, which are no dataset's", u->orphan_bytes);
    put_part(p, headings, "on its way out (counts as freed)",
             u->leaving_bytes - u->undeletable_bytes);
    char free_text[CLI_TEXT_SIZE]; /* a share of the budget would say nothing */
    const char *cells[] = {"free on the file system", free_text, ""};
    cli_format_size(free_text, u->file_system_bytes);
    cli_html_table_row(p->out, headings, cells);
    cli_html_table_end(p->out);
}

static void put_states(const struct page *p)
{
    static const char *const headings[] = {"state", ">datasets", ">bytes", NULL};
    cli_html_heading(p->out, "Managed datasets by state");
    cli_html_table_begin(p->out, headings);
    for (int state = PINGO_DATASET_STORED; state <= PINGO_DATASET_DELETING; state++) {
        char size[CLI_TEXT_SIZE], count[24];
        const char *cells[] = {pingo_dataset_state_name(state), count, size};
        if (p->r->ndatasets[state] == 0)
            continue;
        cli_format_size(size, p->r->bytes[state]);
        snprintf(count, sizeof count, "%zu", p->r->ndatasets[state]);
        cli_html_table_row(p->out, headings, cells);
    }
    cli_html_table_end(p->out);
}

static void put_algorithms(const struct page *p)
{
    static const char *const headings[] = {"algorithm",   ">evictions", ">bytes", ">rescued",
                                           ">made again", ">lost",      NULL};
    cli_html_heading(p->out, "Evictions by algorithm");
    if (p->r->nalgorithms == 0) {
        cli_html_paragraph(p->out, "Nothing was evicted.");
        return;
    }
    cli_html_table_begin(p->out, headings);
    for (size_t i = 0; i < p->r->nalgorithms; i++) {
        const struct pingo_report_algorithm *a = &p->r->algorithms[i];
        char n[3][24], size[CLI_TEXT_SIZE], lost[CLI_TEXT_SIZE];
        const char *cells[] = {a->name, n[0], size, n[1], n[2], lost};
        snprintf(n[0], sizeof n[0], "%zu", a->nevictions);
        snprintf(n[1], sizeof n[1], "%zu", a->nrescued);
        snprintf(n[2], sizeof n[2], "%zu", a->nregretted);
        cli_format_size(size, a->evicted_bytes);
        cli_format_duration(lost, a->lost_ms);
        cli_html_table_row(p->out, headings, cells);
    }
    cli_html_table_end(p->out);
}

/* ---- datasets --------------------------------------------------------------------------------- */

struct first {
    const char *id, *title, *none;
    const struct pingo_report_dataset *list;
    size_t n;
    bool by_loss;
};

#define NBARS 10

static int put_bars(const struct page *p, const struct first *f)
{
    struct cli_bar bars[NBARS];
    char texts[NBARS][CLI_TEXT_SIZE], labels[NBARS][64];
    struct cli_bars plot = {.id = f->id, .title = f->title, .colour = f->by_loss, .bars = bars};
    char *svg = NULL;
    for (plot.n = 0; plot.n < f->n && plot.n < NBARS; plot.n++) {
        const struct pingo_report_dataset *d = &f->list[plot.n];
        int64_t ms = f->by_loss ? d->lost_ms : d->value_ms;
        char hash[CLI_SHORT_HASH];
        cli_short_hash(hash, &d->hash);
        cli_clean(labels[plot.n], sizeof labels[plot.n], *d->name != '\0' ? d->name : hash);
        cli_format_duration(texts[plot.n], ms);
        bars[plot.n] = (struct cli_bar){labels[plot.n], (double)ms, texts[plot.n]};
    }
    int status = cli_bars_svg(&plot, &svg);
    return put_plot(p, status, svg);
}

static int put_datasets(const struct page *p, const struct first *f)
{
    static const char *const headings[] = {"dataset", "name",     ">value", ">lost",
                                           ">size",   ">compute", "state",  NULL};
    cli_html_heading(p->out, f->title);
    if (f->n == 0) {
        cli_html_paragraph(p->out, f->none);
        return CLI_OK;
    }
    int status = put_bars(p, f);
    cli_html_table_begin(p->out, headings);
    for (size_t i = 0; i < f->n; i++) {
        const struct pingo_report_dataset *d = &f->list[i];
        char hash[CLI_SHORT_HASH], value[CLI_TEXT_SIZE], lost[CLI_TEXT_SIZE], size[CLI_TEXT_SIZE],
            time[CLI_TEXT_SIZE];
        const char *cells[] = {hash, d->name, value, lost, size, time, cli_report_state(d->state)};
        cli_short_hash(hash, &d->hash);
        cli_format_duration(value, d->value_ms);
        cli_format_duration(lost, d->lost_ms);
        cli_format_size(size, d->size_bytes);
        cli_format_duration(time, d->compute_ms);
        cli_html_table_row(p->out, headings, cells);
    }
    cli_html_table_end(p->out);
    return status;
}

/* ---- the page ------------------------------------------------------------------------------------ */

static int put_page(const struct page *p)
{
    const struct pingo_report *r = p->r;
    const struct first valuable = {
        "valuable", "The most valuable datasets", "Nothing was reused.", r->valuable, r->nvaluable,
        false};
    const struct first regretted = {"regretted",
                                    "The most regretted evictions",
                                    "Nothing that was evicted had to be made again.",
                                    r->regretted,
                                    r->nregretted,
                                    true};
    struct times t;
    fill_times(&t, r);
    cli_html_begin(p->out, "Pingo: what reuse saved, and what evictions cost");
    put_sums(p);
    int status = put_use(p, &t);
    if (status == CLI_OK)
        status = put_costs(p, &t);
    put_pool(p);
    put_states(p);
    put_algorithms(p);
    if (status == CLI_OK)
        status = put_datasets(p, &valuable);
    if (status == CLI_OK)
        status = put_datasets(p, &regretted);
    cli_html_end(p->out);
    clear_times(&t);
    return status;
}

int cli_report_html(const struct cli *cli, const struct pingo_report *report, const char *path)
{
    struct page page = {.cli = cli, .r = report};
    struct cli_html_file file;
    int status = cli_html_open(&file, path);
    if (status != CLI_OK)
        return status;
    page.out = file.out;
    status = put_page(&page);
    int closed = cli_html_close(&file, status == CLI_OK);
    if (status == CLI_OK && closed == CLI_OK)
        cli_note("wrote %s", path);
    return status != CLI_OK ? status : closed;
}
