/* table.c - a row as a line of a table for people. */
#include <inttypes.h>
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
        pingo__buffer_integer(b, time_ms / 1000);
    else if (style->times == PINGO__TIMES_RELATIVE)
        put_age(b, style->now_ms / 1000 - time_ms / 1000);
    else if (style->times == PINGO__TIMES_LOCAL && localtime_r(&seconds, &tm) &&
             strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm) > 0)
        pingo__buffer_text(b, text);
    else
        pingo__buffer_text(b, pingo__times_print_seconds(text, time_ms));
}

const char *pingo__view_path(const char *path, const char *here)
{
    size_t n = here ? strlen(here) : 0;
    return n > 1 && strncmp(path, here, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

/* Puts n bytes in front of what stands from there on. */
static void insert(struct pingo__buffer *b, size_t from, const char *text, size_t n)
{
    size_t length = b->length - from;
    pingo__buffer_append(b, text, n);
    if (b->failed)
        return;
    memmove(b->data + from + n, b->data + from, length);
    memcpy(b->data + from, text, n);
}

/* What stands from there on. */
static void pad(struct pingo__buffer *b, size_t from, int width)
{
    static const char spaces[] = "                                                ";
    int wide = width < 0 ? -width : width, most = (int)sizeof spaces - 1, missing = 0;
    if (wide > 0 && !b->failed)
        missing = wide - (int)pingo__text_width(b->data + from, b->length - from);
    for (int n; missing > 0; missing -= n) {
        n = missing < most ? missing : most;
        insert(b, width > 0 ? from : b->length, spaces, (size_t)n);
    }
}

void pingo__view_pad(struct pingo__buffer *b, const char *text, int width)
{
    size_t from = b->length;
    pingo__buffer_text(b, text);
    pad(b, from, width);
}

static void put_value(struct pingo__buffer *b, const struct pingo__view_column *c,
                      const struct pingo__view_value *v, const struct pingo__view_style *style)
{
    char text[PINGO_HASH_HEX_SIZE];
    const char *words = v->text ? v->text : "";
    switch (c->kind) {
    case PINGO__VIEW_COUNT:
        pingo__buffer_integer(b, v->number);
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
        pingo__text_clean(b, c->is_path ? pingo__view_path(words, style->here) : words,
                          c->cut > 0 ? c->cut : SIZE_MAX);
        break;
    }
}

static void put_cell(struct pingo__view_out *out, const struct pingo__view_table *view,
                     const struct pingo__view_column *c, const void *row)
{
    struct pingo__view_value v;
    if (c->cell) {
        c->cell(row, out);
        return;
    }
    pingo__view_read(view, c, row, &v);
    if (!v.is_null)
        put_value(out->b, c, &v, out->style);
    else if (!(c->null & PINGO__NULL_BLANK))
        pingo__buffer_char(out->b, '-');
}

void pingo__view_cell(struct pingo__buffer *b, const struct pingo__view_style *style,
                      const struct pingo__view_place *place, int width)
{
    struct pingo__view_out out = {.b = b, .style = style, .from = b->length};
    if (place->row)
        put_cell(&out, place->view, place->column, place->row);
    else
        pingo__buffer_text(b, place->column->heading);
    bool painted = style->paint && out.tone != PINGO__TONE_PLAIN && b->length > out.from;
    pad(b, out.from, width);
    if (!painted)
        return;
    const char *begin = style->paint(out.tone);
    insert(b, out.from, begin, strlen(begin));
    pingo__buffer_text(b, style->paint(PINGO__TONE_PLAIN));
}

static bool is_shown(const struct pingo__view_column *c, const struct pingo__view_style *style)
{
    return c->heading && (c->option == 0 || (style->shown & 1u << c->option));
}

/* Two spaces stand between cells.  row NULL: the headings. */
static void add_cells(struct pingo__buffer *b, const struct pingo__view_style *style,
                      const struct pingo__view_table *view, const void *row, size_t *n)
{
    for (size_t i = 0; i < view->ncolumns; i++) {
        const struct pingo__view_column *c = &view->columns[i];
        if (c->kind == PINGO__VIEW_MEMBERS)
            add_cells(b, style, c->of, pingo__view_part(row, c), n);
        if (!is_shown(c, style))
            continue;
        pingo__buffer_text(b, (*n)++ > 0 ? "  " : "");
        pingo__view_cell(b, style, &(struct pingo__view_place){view, c, row}, c->width);
    }
}

void pingo__view_line(struct pingo__buffer *b, const struct pingo__view_table *view,
                      const void *row, const struct pingo__view_style *style)
{
    size_t n = 0;
    bool bold = !row && style->paint;
    pingo__buffer_text(b, style->indent ? style->indent : "");
    size_t begin = b->length;
    pingo__buffer_text(b, bold ? style->paint(PINGO__TONE_BOLD) : "");
    add_cells(b, style, view, row, &n);
    while (b->length > begin && b->data[b->length - 1] == ' ')
        b->length--;
    pingo__buffer_text(b, bold ? style->paint(PINGO__TONE_PLAIN) : "");
    pingo__buffer_char(b, '\n');
}
