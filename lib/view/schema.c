/* schema.c - the JSON Schema of what a view writes. */

#include "view/view.h"

#define MOST_NAMES 64

static const char *type_of(enum pingo__view_kind kind)
{
    static const char *const types[PINGO__VIEW_STREAM + 1] = {
        [PINGO__VIEW_FLAG] = "boolean",  [PINGO__VIEW_COUNT] = "integer",
        [PINGO__VIEW_BYTES] = "integer", [PINGO__VIEW_MS] = "integer",
        [PINGO__VIEW_SHARE] = "number",  [PINGO__VIEW_RATIO] = "number",
        [PINGO__VIEW_REAL] = "number",   [PINGO__VIEW_PAIRS] = "object",
        [PINGO__VIEW_JSON] = "object",   [PINGO__VIEW_ANY] = "object",
        [PINGO__VIEW_OBJECT] = "object", [PINGO__VIEW_TEXTS] = "array",
        [PINGO__VIEW_LIST] = "array",    [PINGO__VIEW_STREAM] = "array"};
    return types[kind] ? types[kind] : "string";
}

/* Can it be null, where it is there? */
static bool may_be_null(const struct pingo__view_column *c)
{
    return (c->null & ~(unsigned)PINGO__NULL_BLANK) && !(c->null & PINGO__NULL_ABSENT);
}

static void put_type(struct pingo__writer *w, const struct pingo__view_column *c)
{
    bool scalar = c->kind == PINGO__VIEW_SCALAR;
    if (!may_be_null(c) && !scalar) {
        pingo__writer_text(w, "type", type_of(c->kind));
        return;
    }
    pingo__writer_open(w, "type", PINGO__WRITER_ARRAY);
    pingo__writer_text(w, NULL, type_of(c->kind));
    if (scalar)
        pingo__writer_text(w, NULL, "number");
    if (may_be_null(c))
        pingo__writer_text(w, NULL, "null");
    pingo__writer_close(w);
}

static void put_names(struct pingo__writer *w, const struct pingo__view_column *c)
{
    pingo__writer_open(w, "enum", PINGO__WRITER_ARRAY);
    for (int i = 0; i < MOST_NAMES; i++)
        if (c->names(i))
            pingo__writer_text(w, NULL, c->names(i));
    if (may_be_null(c))
        pingo__writer_null(w, NULL);
    pingo__writer_close(w);
}

static void put_texts_only(struct pingo__writer *w, const char *key)
{
    pingo__writer_open(w, key, PINGO__WRITER_OBJECT);
    pingo__writer_text(w, "type", "string");
    pingo__writer_close(w);
}

static void put_members(struct pingo__writer *w, const struct pingo__view_table *view);

static void put_column(struct pingo__writer *w, const struct pingo__view_column *c)
{
    pingo__writer_open(w, c->key, PINGO__WRITER_OBJECT);
    put_type(w, c);
    pingo__writer_text(w, "description", c->meaning);
    if (c->kind == PINGO__VIEW_NAME && c->names)
        put_names(w, c);
    else if (c->kind == PINGO__VIEW_TIME)
        pingo__writer_text(w, "format", "date-time");
    else if (c->kind == PINGO__VIEW_HASH)
        pingo__writer_text(w, "pattern", "^[0-9a-f]{64}$");
    else if (c->kind == PINGO__VIEW_TEXTS)
        put_texts_only(w, "items");
    else if (c->kind == PINGO__VIEW_PAIRS)
        put_texts_only(w, "additionalProperties");
    else if (c->kind == PINGO__VIEW_OBJECT)
        put_members(w, c->of);
    if ((c->kind == PINGO__VIEW_LIST || c->kind == PINGO__VIEW_STREAM) && c->of)
        pingo__view_schema_of(w, "items", c->of);
    pingo__writer_close(w);
}

static void put_required(struct pingo__writer *w, const struct pingo__view_column *c)
{
    if (!(c->null & PINGO__NULL_ABSENT))
        pingo__writer_text(w, NULL, c->key);
}

/* Calls put for each column with a key, those of MEMBERS too. */
static void each_key(struct pingo__writer *w, const struct pingo__view_table *view,
                     void (*put)(struct pingo__writer *w, const struct pingo__view_column *c))
{
    for (size_t i = 0; i < view->ncolumns; i++) {
        const struct pingo__view_column *c = &view->columns[i];
        if (c->kind == PINGO__VIEW_MEMBERS)
            each_key(w, c->of, put);
        else if (c->key)
            put(w, c);
    }
}

static void put_members(struct pingo__writer *w, const struct pingo__view_table *view)
{
    pingo__writer_open(w, "properties", PINGO__WRITER_OBJECT);
    each_key(w, view, put_column);
    pingo__writer_close(w);
    pingo__writer_open(w, "required", PINGO__WRITER_ARRAY);
    each_key(w, view, put_required);
    pingo__writer_close(w);
    pingo__writer_flag(w, "additionalProperties", false);
}

void pingo__view_schema_of(struct pingo__writer *w, const char *key,
                           const struct pingo__view_table *view)
{
    pingo__writer_open(w, key, PINGO__WRITER_OBJECT);
    pingo__writer_text(w, "type", "object");
    put_members(w, view);
    pingo__writer_close(w);
}

static void put_document(struct pingo__writer *w, const struct pingo__view_document *d)
{
    if (d->when)
        pingo__writer_text(w, "title", d->when);
    pingo__writer_text(w, "type", d->is_list ? "array" : "object");
    if (d->is_list)
        pingo__view_schema_of(w, "items", d->view);
    else
        put_members(w, d->view);
}

void pingo__view_schema(struct pingo__writer *w, const char *title,
                        const struct pingo__view_document *documents)
{
    pingo__writer_open(w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(w, "$schema", "https://json-schema.org/draft/2020-12/schema");
    pingo__writer_text(w, "title", title);
    pingo__writer_open(w, "anyOf", PINGO__WRITER_LINES);
    for (const struct pingo__view_document *d = documents; d->view; d++) {
        pingo__writer_open(w, NULL, PINGO__WRITER_OBJECT);
        put_document(w, d);
        pingo__writer_close(w);
    }
    pingo__writer_close(w);
    pingo__writer_close(w);
}
