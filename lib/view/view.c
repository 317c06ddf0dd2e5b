/* view.c - values of a row, and a row as JSON and as CSV. */
#include "view/view.h"

#include <string.h>

#include <pingo/digest.h>

#include "base/quoting.h"
#include "base/times.h"

#define SHARE_DIGITS 4
#define RATIO_DIGITS 6

static const char *at(const void *row, const struct pingo__view_column *c)
{
    return (const char *)row + c->offset;
}

static size_t count_of(const void *row, const struct pingo__view_column *c)
{
    size_t n;
    memcpy(&n, (const char *)row + c->count, sizeof n);
    return n;
}

static const void *pointer_at(const void *row, const struct pingo__view_column *c)
{
    const void *pointer;
    memcpy(&pointer, at(row, c), sizeof pointer);
    return pointer;
}

const void *pingo__view_part(const void *row, const struct pingo__view_column *c)
{
    return !row ? NULL : c->type == PINGO__TYPE_POINTER ? pointer_at(row, c) : at(row, c);
}

/* A number of whatever size. */
static int64_t number_at(const void *row, const struct pingo__view_column *c)
{
    int64_t wide;
    int32_t narrow;
    if (c->size == sizeof wide) {
        memcpy(&wide, at(row, c), sizeof wide);
        return wide;
    }
    memcpy(&narrow, at(row, c), sizeof narrow);
    return c->type == PINGO__TYPE_UNSIGNED ? (int64_t)(uint32_t)narrow : narrow;
}

static void read_member(const struct pingo__view_column *c, const void *row,
                        struct pingo__view_value *v)
{
    if (c->type == PINGO__TYPE_BOOL)
        memcpy(&v->flag, at(row, c), sizeof v->flag);
    else if (c->type == PINGO__TYPE_DOUBLE)
        memcpy(&v->real, at(row, c), sizeof v->real);
    else if (c->type == PINGO__TYPE_TEXT)
        v->text = c->size == sizeof(char *) ? pointer_at(row, c) : at(row, c);
    else if (c->type != PINGO__TYPE_NONE)
        v->number = number_at(row, c);
    else if (c->kind == PINGO__VIEW_HASH)
        v->hash = (const void *)at(row, c);
}

static bool is_zero(const struct pingo_hash *hash)
{
    static const struct pingo_hash zero;
    return memcmp(hash, &zero, sizeof zero) == 0;
}

/* Is it null by what it is? */
static bool is_missing(const struct pingo__view_column *c, const struct pingo__view_value *v)
{
    if (c->kind == PINGO__VIEW_TEXT || c->kind == PINGO__VIEW_JSON || c->kind == PINGO__VIEW_NAME)
        return !v->text || ((c->null & PINGO__NULL_EMPTY) && *v->text == '\0');
    if (c->kind == PINGO__VIEW_HASH)
        return !v->hash || ((c->null & PINGO__NULL_MISSING) && is_zero(v->hash));
    if (pingo__view_is_real(c->kind))
        return (c->null & PINGO__NULL_MISSING) && v->real < 0;
    if (pingo__view_is_number(c->kind))
        return (c->null && v->number < 0) || ((c->null & PINGO__NULL_ZERO) && v->number == 0);
    return c->kind == PINGO__VIEW_FLAG && v->number < 0;
}

void pingo__view_read(const struct pingo__view_table *view, const struct pingo__view_column *c,
                      const void *row, struct pingo__view_value *v)
{
    memset(v, 0, sizeof *v);
    v->is_null = (c->null & PINGO__NULL_ROW) && !view->has(row);
    if (v->is_null)
        return;
    if (c->get)
        c->get(row, v);
    else
        read_member(c, row, v);
    if (c->kind == PINGO__VIEW_FLAG)
        v->flag = v->flag || v->number > 0;
    if (c->kind == PINGO__VIEW_NAME && !v->is_null && c->names)
        v->text = c->names((int)v->number);
    v->is_null = v->is_null || is_missing(c, v);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_scalar(struct pingo__writer *w, const struct pingo__view_column *c,
                       const struct pingo__view_value *v)
{
    char text[PINGO_HASH_HEX_SIZE > PINGO__TIMES_SIZE ? PINGO_HASH_HEX_SIZE : PINGO__TIMES_SIZE];
    if (v->is_null) {
        if (!(c->null & PINGO__NULL_ABSENT))
            pingo__writer_null(w, c->key);
        return;
    }
    switch (c->kind) {
    case PINGO__VIEW_FLAG:
        pingo__writer_flag(w, c->key, v->flag);
        break;
    case PINGO__VIEW_COUNT:
    case PINGO__VIEW_BYTES:
    case PINGO__VIEW_MS:
        pingo__writer_int(w, c->key, v->number);
        break;
    case PINGO__VIEW_TIME:
        pingo__writer_text(w, c->key, pingo__times_print(text, v->number));
        break;
    case PINGO__VIEW_SHARE:
        pingo__writer_real(w, c->key, v->real, SHARE_DIGITS);
        break;
    case PINGO__VIEW_RATIO:
        pingo__writer_real(w, c->key, v->real, RATIO_DIGITS);
        break;
    case PINGO__VIEW_HASH:
        pingo_hash_to_hex(v->hash, text);
        pingo__writer_text(w, c->key, text);
        break;
    case PINGO__VIEW_TEXT:
    case PINGO__VIEW_NAME:
        pingo__writer_text(w, c->key, v->text);
        break;
    case PINGO__VIEW_JSON:
        pingo__writer_raw(w, c->key, v->text);
        break;
    default:
        if (v->is_text)
            pingo__writer_text(w, c->key, v->text);
        else
            pingo__writer_real(w, c->key, v->real, -1);
        break;
    }
}

static void put_texts(struct pingo__writer *w, const struct pingo__view_table *view,
                      const struct pingo__view_column *c, const void *row)
{
    bool pairs = c->kind == PINGO__VIEW_PAIRS;
    const char *const *texts = c->put ? NULL : pointer_at(row, c);
    size_t n = c->put ? 0 : count_of(row, c);
    if (c->put && (c->null & PINGO__NULL_ROW) && !view->has(row))
        return;
    pingo__writer_open(w, c->key, pairs ? PINGO__WRITER_OBJECT : PINGO__WRITER_ARRAY);
    for (size_t i = 0; i + pairs < n; i += 1 + pairs)
        pingo__writer_text(w, pairs ? texts[i] : NULL, texts[i + pairs]);
    if (c->put)
        c->put(w, row);
    pingo__writer_close(w);
}

struct element {
    struct pingo__writer *w;
    const struct pingo__view_table *view;
};

static void put_element(void *context, const void *row)
{
    const struct element *e = context;
    pingo__view_object(e->w, NULL, e->view, row);
}

void pingo__view_each(const struct pingo__view_column *c, const void *row,
                      void (*fn)(void *context, const void *element), void *context)
{
    const char *element = c->each ? NULL : pointer_at(row, c);
    size_t n = c->each ? 0 : count_of(row, c);
    for (size_t i = 0; i < n; i++, element += c->of->size)
        fn(context, element);
    if (c->each)
        c->each(row, fn, context);
}

/* What belongs to the document itself stands on lines of its own. */
static void put_list(struct pingo__writer *w, const struct pingo__view_column *c, const void *row)
{
    pingo__writer_open(w, c->key, w->depth == 1 ? PINGO__WRITER_LINES : PINGO__WRITER_ARRAY);
    pingo__view_each(c, row, put_element, &(struct element){w, c->of});
    pingo__writer_close(w);
}

static void put_members(struct pingo__writer *w, const struct pingo__view_table *view,
                        const void *row);

static void put_column(struct pingo__writer *w, const struct pingo__view_table *view,
                       const struct pingo__view_column *c, const void *row)
{
    struct pingo__view_value v;
    switch (c->kind) {
    case PINGO__VIEW_PAIRS:
    case PINGO__VIEW_TEXTS:
        put_texts(w, view, c, row);
        break;
    case PINGO__VIEW_LIST:
        put_list(w, c, row);
        break;
    case PINGO__VIEW_ANY:
        pingo__writer_open(w, c->key, PINGO__WRITER_OBJECT);
        c->put(w, row);
        pingo__writer_close(w);
        break;
    case PINGO__VIEW_MEMBERS:
        put_members(w, c->of, pingo__view_part(row, c));
        break;
    case PINGO__VIEW_OBJECT:
        if (((c->null & PINGO__NULL_ROW) && !view->has(row)) || !pingo__view_part(row, c))
            pingo__writer_null(w, c->key);
        else
            pingo__view_object(w, c->key, c->of, pingo__view_part(row, c));
        break;
    default:
        pingo__view_read(view, c, row, &v);
        put_scalar(w, c, &v);
        break;
    }
}

static const struct pingo__view_column *stream_of(const struct pingo__view_table *view)
{
    for (size_t i = 0; i < view->ncolumns; i++)
        if (view->columns[i].kind == PINGO__VIEW_STREAM)
            return &view->columns[i];
    return view->columns + view->ncolumns;
}

static void put_columns(struct pingo__writer *w, const struct pingo__view_table *view,
                        const void *row, const struct pingo__view_column *from,
                        const struct pingo__view_column *until)
{
    for (const struct pingo__view_column *c = from; c < until; c++)
        if (c->key || c->kind == PINGO__VIEW_MEMBERS)
            put_column(w, view, c, row);
}

/* Those of a row up to a STREAM. */
static void put_members(struct pingo__writer *w, const struct pingo__view_table *view,
                        const void *row)
{
    put_columns(w, view, row, view->columns, stream_of(view));
}

void pingo__view_object(struct pingo__writer *w, const char *key,
                        const struct pingo__view_table *view, const void *row)
{
    pingo__writer_open(w, key, PINGO__WRITER_OBJECT);
    put_members(w, view, row);
    pingo__writer_close(w);
}

void pingo__view_open(struct pingo__writer *w, const struct pingo__view_table *view, const void *row)
{
    pingo__writer_open(w, NULL, PINGO__WRITER_OBJECT);
    put_members(w, view, row);
    pingo__writer_open(w, stream_of(view)->key, PINGO__WRITER_LINES);
}

const struct pingo__view_table *pingo__view_stream(const struct pingo__view_table *view)
{
    return stream_of(view)->of;
}

void pingo__view_close(struct pingo__writer *w, const struct pingo__view_table *view,
                       const void *row)
{
    pingo__writer_close(w);
    put_columns(w, view, row, stream_of(view) + 1, view->columns + view->ncolumns);
    pingo__writer_close(w);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Calls put for each column that is one value, those of MEMBERS too. */
static void each_value(struct pingo__buffer *b, const struct pingo__view_table *view,
                       const void *row, size_t *n,
                       void (*put)(struct pingo__buffer *b, const struct pingo__view_table *view,
                                   const struct pingo__view_column *c, const void *row))
{
    for (size_t i = 0; i < view->ncolumns; i++) {
        const struct pingo__view_column *c = &view->columns[i];
        if (c->kind == PINGO__VIEW_MEMBERS)
            each_value(b, c->of, pingo__view_part(row, c), n, put);
        if (!c->key || c->kind >= PINGO__VIEW_PAIRS)
            continue;
        if ((*n)++ > 0)
            pingo__buffer_char(b, ',');
        put(b, view, c, row);
    }
}

static void put_key(struct pingo__buffer *b, const struct pingo__view_table *view,
                    const struct pingo__view_column *c, const void *row)
{
    (void)view;
    (void)row;
    pingo__buffer_text(b, c->key);
}

/* As in JSON, but text has the quotes of CSV. */
static void put_field(struct pingo__buffer *b, const struct pingo__view_table *view,
                      const struct pingo__view_column *c, const void *row)
{
    struct pingo__view_column bare = *c;
    struct pingo__view_value v;
    struct pingo__writer w = {0};
    pingo__view_read(view, c, row, &v);
    if (v.is_null)
        return;
    if (v.text) {
        pingo__quoting_csv(b, v.text);
        return;
    }
    bare.key = NULL;
    put_scalar(&w, &bare, &v);
    size_t quotes = w.out.length > 0 && w.out.data[0] == '"';
    pingo__buffer_append(b, w.out.data + quotes, w.out.length - 2 * quotes);
    b->failed = b->failed || w.out.failed;
    pingo__writer_clear(&w);
}

void pingo__view_csv_keys(struct pingo__buffer *b, const struct pingo__view_table *view)
{
    size_t n = 0;
    each_value(b, view, NULL, &n, put_key);
    pingo__buffer_char(b, '\n');
}

void pingo__view_csv(struct pingo__buffer *b, const struct pingo__view_table *view, const void *row)
{
    size_t n = 0;
    each_value(b, view, row, &n, put_field);
    pingo__buffer_char(b, '\n');
}
