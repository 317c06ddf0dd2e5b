/* table.c - a row as a line of a table for people. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <pingo/digest.h>

#include "base/text.h"
#include "base/times.h"
#include "base/units.h"
#include "view/view.h"

#define SHORT_HASH 12

static void put_age(struct pingo__buffer *b, int64_t age_s)
{
    static const struct {
        int64_t seconds;
        const char *unit;
    } units[] = {
        {365 * 86400, "year"}, {86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
    const char *when = age_s < 0 ? "from now" : "ago";
    if (age_s < 0)
        age_s = -age_s;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        int64_t n = age_s / units[i].seconds;
        if (n == 0)
            continue;
        pingo__buffer_format(b, "%" PRId64 " %s%s %s", n, units[i].unit, n == 1 ? "" : "s", when);
        return;
    }
    pingo__buffer_text(b, "just now");
}

void pingo__view_time(struct pingo__buffer *b, int64_t time_ms,
                      const struct pingo__view_style *style)
{
    char text[PINGO__TIMES_SIZE];
    time_t seconds = (time_t)(time_ms / 1000);
    struct tm tm;
    if (time_ms < 0)
        pingo__buffer_char(b, '-');
    else if (style->times == PINGO__TIMES_EPOCH)
        pingo__buffer_format(b, "%" PRId64, time_ms / 1000);
    else if (style->times == PINGO__TIMES_RELATIVE)
        put_age(b, style->now_ms / 1000 - time_ms / 1000);
    else if (style->times == PINGO__TIMES_LOCAL && localtime_r(&seconds, &tm) &&
             strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm) > 0)
        pingo__buffer_text(b, text);
    else
        pingo__buffer_text(b, pingo__times_print_seconds(text, time_ms));
}

/* Characters, not bytes. */
static int width_of(const char *text, size_t n)
{
    int width = 0;
    for (size_t i = 0; i < n; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

static void put_spaces(struct pingo__buffer *b, int n)
{
    for (; n > 0; n--)
        pingo__buffer_char(b, ' ');
}

void pingo__view_pad(struct pingo__buffer *b, const char *text, int width)
{
    int n = width_of(text, strlen(text)), missing = (width < 0 ? -width : width) - n;
    if (missing < 0)
        missing = 0;
    put_spaces(b, width > 0 ? missing : 0);
    pingo__buffer_text(b, text);
    put_spaces(b, width < 0 ? missing : 0);
}

static void put_value(struct pingo__buffer *b, const struct pingo__view_column *c,
                      const struct pingo__view_value *v, const struct pingo__view_style *style)
{
    char text[PINGO_HASH_HEX_SIZE];
    switch (c->kind) {
    case PINGO__VIEW_COUNT:
        pingo__buffer_format(b, "%" PRId64, v->number);
        break;
    case PINGO__VIEW_BYTES:
        pingo__buffer_text(b, pingo__units_print_size(text, v->number));
        break;
    case PINGO__VIEW_MS:
        pingo__buffer_text(b, pingo__units_print_duration(text, v->number));
        break;
    case PINGO__VIEW_TIME:
        pingo__view_time(b, v->number, style);
        break;
    case PINGO__VIEW_SHARE:
        pingo__buffer_format(b, "%.1f %%", v->real * 100);
        break;
    case PINGO__VIEW_RATIO:
        pingo__buffer_format(b, "%.3f", v->real);
        break;
    case PINGO__VIEW_REAL:
        pingo__buffer_format(b, "%.6g", v->real);
        break;
    case PINGO__VIEW_HASH:
        pingo_hash_to_hex(v->hash, text);
        pingo__buffer_append(b, text, c->cut > 0 ? c->cut : SHORT_HASH);
        break;
    case PINGO__VIEW_FLAG:
        pingo__buffer_text(b, v->flag ? "yes" : "no");
        break;
    default:
        pingo__text_clean(b, v->text ? v->text : "", c->cut > 0 ? c->cut : SIZE_MAX);
        break;
    }
}

enum pingo__view_tone pingo__view_cell(struct pingo__buffer *b, const struct pingo__view_table *view,
                                       const struct pingo__view_column *c, const void *row,
                                       const struct pingo__view_style *style)
{
    struct pingo__view_value v;
    if (c->cell)
        return c->cell(row, style, b);
    pingo__view_read(view, c, row, &v);
    if (!v.is_null)
        put_value(b, c, &v, style);
    else if (!(c->null & PINGO__NULL_BLANK))
        pingo__buffer_char(b, '-');
    return PINGO__TONE_PLAIN;
}

static bool is_shown(const struct pingo__view_column *c, const struct pingo__view_style *style)
{
    return c->heading && (c->option == 0 || (style->shown & 1u << c->option));
}

/* A line that grows: two spaces stand between its cells. */
struct line {
    struct pingo__buffer *b;
    const struct pingo__view_style *style;
    struct pingo__buffer cell;
    size_t begin, ncells;
};

static void add_cell(struct line *l, const struct pingo__view_column *c, const char *text,
                     enum pingo__view_tone tone)
{
    const char *(*paint)(enum pingo__view_tone) = l->style->paint;
    bool painted = paint && tone != PINGO__TONE_PLAIN && *text != '\0';
    if (l->ncells++ > 0)
        pingo__buffer_text(l->b, "  ");
    if (painted)
        pingo__buffer_text(l->b, paint(tone));
    pingo__view_pad(l->b, text, c->width);
    if (painted)
        pingo__buffer_text(l->b, paint(PINGO__TONE_PLAIN));
}

/* row NULL: the headings. */
static void add_cells(struct line *l, const struct pingo__view_table *view, const void *row)
{
    for (size_t i = 0; i < view->ncolumns; i++) {
        const struct pingo__view_column *c = &view->columns[i];
        enum pingo__view_tone tone = PINGO__TONE_PLAIN;
        if (c->kind == PINGO__VIEW_MEMBERS)
            add_cells(l, c->of, pingo__view_part(row, c));
        if (!is_shown(c, l->style))
            continue;
        pingo__buffer_reset(&l->cell);
        if (row)
            tone = pingo__view_cell(&l->cell, view, c, row, l->style);
        else
            pingo__buffer_text(&l->cell, c->heading);
        const char *text = pingo__buffer_cstr(&l->cell);
        add_cell(l, c, text ? text : "", tone);
    }
}

void pingo__view_line(struct pingo__buffer *b, const struct pingo__view_table *view,
                      const void *row, const struct pingo__view_style *style)
{
    struct line l = {.b = b, .style = style};
    pingo__buffer_init(&l.cell);
    if (style->indent)
        pingo__buffer_text(b, style->indent);
    l.begin = b->length;
    if (!row && style->paint)
        pingo__buffer_text(b, style->paint(PINGO__TONE_BOLD));
    add_cells(&l, view, row);
    while (b->length > l.begin && b->data[b->length - 1] == ' ')
        b->length--;
    if (!row && style->paint)
        pingo__buffer_text(b, style->paint(PINGO__TONE_PLAIN));
    pingo__buffer_char(b, '\n');
    b->failed = b->failed || l.cell.failed;
    pingo__buffer_clear(&l.cell);
}
