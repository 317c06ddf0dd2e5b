/* text.c - a row as lines of text, by templates.
 *
 * A template is text in which stand
 *   {KEY}, {KEY:9}, {KEY:-9}   a value as a table shows it; in so many characters, to the right or to the left
 *   {KEY%OTHER}                its share of another, in percent
 *   {KEY|one|many}             a word by a number
 *   {pingo}                    how the program is called
 *   <label>                    what stands for itself, dim
 *   [KEY?then], [KEY?then|else]   what stands only where a value is not null (a flag: is true);
 *                              KEY>0?: and more than 0, KEY=WORD?: and is this word, !KEY...?: the opposite
 * A key is that of a column, or its name where it has no key; of what a column consists of, behind a point.
 * A line of which nothing is left is left out. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "view/view.h"

struct text {
    struct pingo__buffer *b;
    const struct pingo__view_table *view;
    const void *row;
    const struct pingo__view_style *style;
};

static bool find(struct pingo__view_place *f, const struct pingo__view_table *view, const void *row,
                 const char *key, size_t length)
{
    size_t head = 0;
    while (head < length && key[head] != '.')
        head++;
    const char *point = head < length ? key + head : NULL;
    for (size_t i = 0; i < view->ncolumns; i++) {
        const struct pingo__view_column *c = &view->columns[i];
        const char *name = c->key ? c->key : c->name;
        if (c->kind == PINGO__VIEW_MEMBERS && find(f, c->of, pingo__view_part(row, c), key, length))
            return true;
        if (!name || *name != *key || strncmp(name, key, head) != 0 || name[head] != '\0')
            continue;
        if (point)
            return find(f, c->of, pingo__view_part(row, c), point + 1, length - head - 1);
        *f = (struct pingo__view_place){view, c, row};
        return true;
    }
    return false;
}

static struct pingo__view_place find_key(const struct text *t, const char *key, size_t length)
{
    struct pingo__view_place f = {0};
    bool is_known = find(&f, t->view, t->row, key, length);
    assert(is_known);
    (void)is_known;
    return f;
}

/* The value, and as a number: of a flag 0 or 1, of a text its length.  A flag that is not set is null. */
static double number_of(const struct text *t, const char *key, size_t length,
                        struct pingo__view_value *v)
{
    struct pingo__view_place f = find_key(t, key, length);
    pingo__view_read(f.view, f.column, f.row, v);
    if (f.column->kind == PINGO__VIEW_FLAG) {
        v->is_null = v->is_null || !v->flag;
        return v->flag;
    }
    if (f.column->kind == PINGO__VIEW_TEXT || f.column->kind == PINGO__VIEW_NAME)
        return v->text ? (double)strlen(v->text) : 0;
    return pingo__view_is_real(f.column->kind) ? v->real : (double)v->number;
}

/* Does what stands before the question mark hold? */
static bool holds(const struct text *t, const char *at, size_t length)
{
    struct pingo__view_value v;
    bool opposite = *at == '!';
    at += opposite;
    length -= opposite;
    size_t n = strcspn(at, ">=?");
    double number = number_of(t, at, n, &v);
    bool does = !v.is_null && (at[n] != '>' || number > 0);
    if (does && at[n] == '=')
        does = strlen(v.text) == length - n - 1 && memcmp(v.text, at + n + 1, length - n - 1) == 0;
    return does != opposite;
}

/* Up to one of the ends of a key; these few are passed faster by hand. */
static size_t key_length(const char *at)
{
    size_t n = 0;
    while (at[n] != '}' && at[n] != ':' && at[n] != '%' && at[n] != '|' && at[n] != '\0')
        n++;
    return n;
}

/* Text that stands for itself, likewise. */
static size_t plain_length(const char *at)
{
    size_t n = 0;
    while (at[n] != '{' && at[n] != '[' && at[n] != '<' && at[n] != '>' && at[n] != '|' &&
           at[n] != ']' && at[n] != '\0')
        n++;
    return n;
}

/* From behind "{"; returns what stands behind "}". */
static const char *put_field(struct text *t, const char *at, bool shown)
{
    const char *end = strchr(at, '}');
    size_t n = key_length(at);
    struct pingo__view_value v;
    if (shown && at[n] == '%') {
        double part = number_of(t, at, n, &v);
        double whole = number_of(t, at + n + 1, (size_t)(end - at) - n - 1, &v);
        pingo__buffer_format(t->b, "%.1f %%", part / whole * 100);
    } else if (shown && at[n] == '|') {
        const char *bar = strchr(at + n + 1, '|');
        bool one = number_of(t, at, n, &v) == 1;
        pingo__buffer_append(t->b, one ? at + n + 1 : bar + 1,
                             (size_t)(one ? bar - (at + n + 1) : end - (bar + 1)));
    } else if (shown && n == 5 && memcmp(at, "pingo", n) == 0) {
        pingo__buffer_text(t->b, t->style->program ? t->style->program : "pingo");
    } else if (shown) {
        struct pingo__view_place place = find_key(t, at, n);
        pingo__view_cell(t->b, t->style, &place, at[n] == ':' ? atoi(at + n + 1) : 0);
    }
    return end + 1;
}

/* Up to one of the ends, or the end of the text. */
static const char *put_until(struct text *t, const char *at, const char *ends, bool shown)
{
    while (*at != '\0' && !(*ends != '\0' && strchr(ends, *at))) {
        if (*at == '{') {
            at = put_field(t, at + 1, shown);
        } else if (*at == '[') {
            const char *mark = strchr(at, '?');
            bool yes = shown && holds(t, at + 1, (size_t)(mark - at) - 1);
            at = put_until(t, mark + 1, "|]", yes);
            if (*at == '|')
                at = put_until(t, at + 1, "]", shown && !yes);
            at++;
        } else {
            bool tone = *at == '<' || *at == '>';
            size_t n = tone ? 1 : plain_length(at);
            n += n == 0; /* an end that is none here */
            if (shown && !tone)
                pingo__buffer_append(t->b, at, n);
            else if (shown && t->style->paint)
                pingo__buffer_text(
                    t->b, t->style->paint(*at == '<' ? PINGO__TONE_DIM : PINGO__TONE_PLAIN));
            at += n;
        }
    }
    return at;
}

void pingo__view_say(struct pingo__buffer *b, const char *template,
                     const struct pingo__view_table *view, const void *row,
                     const struct pingo__view_style *style)
{
    struct text t = {b, view, row, style};
    put_until(&t, template, "", true);
}

void pingo__view_text(struct pingo__buffer *b, const char *const *lines,
                      const struct pingo__view_table *view, const void *row,
                      const struct pingo__view_style *style)
{
    for (; lines && *lines; lines++) {
        size_t begin = b->length;
        pingo__buffer_text(b, style->indent ? style->indent : "");
        size_t empty = b->length;
        pingo__view_say(b, *lines, view, row, style);
        if (b->length > empty || **lines == '\0')
            pingo__buffer_char(b, '\n');
        else
            b->length = begin;
    }
}

struct part {
    struct pingo__buffer *b;
    const struct pingo__view_table *view;
    const struct pingo__view_style *style;
};

static void put_part(void *context, const void *row)
{
    const struct part *p = context;
    pingo__view_text(p->b, p->view->text, p->view, row, p->style);
}

void pingo__view_parts(struct pingo__buffer *b, const struct pingo__view_table *view,
                       const void *row, const struct pingo__view_style *style)
{
    for (size_t i = 0; i < view->ncolumns; i++) {
        const struct pingo__view_column *c = &view->columns[i];
        if (c->kind == PINGO__VIEW_LIST)
            pingo__view_each(c, row, put_part, &(struct part){b, c->of, style});
    }
}
