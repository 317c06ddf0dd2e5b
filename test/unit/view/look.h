/* look.h - what a row looks like in every form: JSON, which its own schema must allow, CSV, and text for a terminal. */
#ifndef TEST_VIEW_LOOK_H
#define TEST_VIEW_LOOK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include <cJSON.h>

#include "view/views.h"

#define HOSTILE "\x1b[31m\xe2\x80\xae" /* what a terminal would obey */

/* ---- a schema, as far as the views write one ---- */

static inline bool look_is_of(const cJSON *value, const char *type)
{
    return strcmp(type, "string") == 0 ? cJSON_IsString(value)
           : strcmp(type, "integer") == 0
               ? cJSON_IsNumber(value) && value->valuedouble == (double)(int64_t)value->valuedouble
           : strcmp(type, "number") == 0  ? cJSON_IsNumber(value)
           : strcmp(type, "boolean") == 0 ? cJSON_IsBool(value)
           : strcmp(type, "null") == 0    ? cJSON_IsNull(value)
           : strcmp(type, "object") == 0  ? cJSON_IsObject(value)
                                          : cJSON_IsArray(value);
}

static inline void look_check_type(const cJSON *schema, const cJSON *value, const char *where)
{
    const cJSON *types = cJSON_GetObjectItemCaseSensitive(schema, "type"), *type, *name;
    const cJSON *names = cJSON_GetObjectItemCaseSensitive(schema, "enum");
    bool is_one = cJSON_IsString(types) && look_is_of(value, types->valuestring);
    if (cJSON_IsArray(types))
        cJSON_ArrayForEach(type, types) is_one |= look_is_of(value, type->valuestring);
    if (!is_one)
        fail_msg("%s is not of the type that its schema tells", where);
    bool is_named = !names;
    if (names)
        cJSON_ArrayForEach(name, names) is_named |= cJSON_Compare(name, value, true);
    if (!is_named)
        fail_msg("%s is none of the words that its schema tells", where);
}

static inline void look_check(const cJSON *schema, const cJSON *value, const char *where)
{
    const cJSON *properties = cJSON_GetObjectItemCaseSensitive(schema, "properties"), *each;
    const cJSON *items = cJSON_GetObjectItemCaseSensitive(schema, "items"), *of;
    look_check_type(schema, value, where);
    if (properties && cJSON_IsObject(value)) {
        cJSON_ArrayForEach(each, value)
        {
            of = cJSON_GetObjectItemCaseSensitive(properties, each->string);
            if (!of)
                fail_msg("%s.%s is not in the schema", where, each->string);
            look_check(of, each, each->string);
        }
        cJSON_ArrayForEach(
            each,
            cJSON_GetObjectItemCaseSensitive(
                schema, "required")) if (!cJSON_GetObjectItemCaseSensitive(value, each->valuestring))
            fail_msg("%s has no %s", where, each->valuestring);
    }
    if (items && cJSON_IsArray(value))
        cJSON_ArrayForEach(each, value) look_check(items, each, where);
}

static inline void look_check_schema(const struct pingo__view_table *view, const char *json)
{
    struct pingo__writer w = {0};
    pingo__view_schema_of(&w, NULL, view);
    cJSON *schema = cJSON_Parse(pingo__buffer_cstr(&w.out)), *value = cJSON_Parse(json);
    assert_non_null(schema);
    if (!value)
        fail_msg("no JSON: %s", json);
    look_check(schema, value, view->name);
    cJSON_Delete(schema);
    cJSON_Delete(value);
    pingo__writer_clear(&w);
}

/* ---- the forms ---- */

static inline size_t look_fields(const char *line)
{
    size_t n = 1;
    for (bool quoted = false; *line; line++) {
        quoted ^= *line == '"';
        n += *line == ',' && !quoted;
    }
    return n;
}

/* What is written for a row, a form in a buffer each. */
struct look {
    struct pingo__buffer json, csv, text;
};

static inline bool look_streams(const struct pingo__view_table *view)
{
    bool does = false;
    for (size_t i = 0; i < view->ncolumns; i++)
        does |= view->columns[i].kind == PINGO__VIEW_STREAM;
    return does;
}

static inline void look_json(struct look *l, const struct pingo__view_table *view, const void *row)
{
    struct pingo__writer w = {0};
    if (look_streams(view)) {
        pingo__view_open(&w, view, row);
        pingo__view_close(&w, view, row);
    } else {
        pingo__view_object(&w, NULL, view, row);
    }
    l->json = w.out;
    look_check_schema(view, pingo__buffer_cstr(&l->json));
}

/* A line of a table, or the lines of which the view consists, its lists and its tail. */
static inline void look_text(struct look *l, const struct pingo__view_table *view, const void *row,
                             const struct pingo__view_style *style)
{
    if (!view->text && !view->tail)
        pingo__view_line(&l->text, view, row, style);
    pingo__view_text(&l->text, view->text, view, row, style);
    pingo__view_parts(&l->text, view, row, style);
    pingo__view_text(&l->text, view->tail, view, row, style);
    for (const char *p = pingo__buffer_cstr(&l->text); *p; p++)
        if ((unsigned char)*p < ' ' && *p != '\n')
            fail_msg("a terminal would obey byte %d of %s", *p, pingo__buffer_cstr(&l->text));
}

static inline void look_clear(struct look *l)
{
    pingo__buffer_clear(&l->json);
    pingo__buffer_clear(&l->csv);
    pingo__buffer_clear(&l->text);
}

static inline struct look look_at(const struct pingo__view_table *view, const void *row,
                                  const struct pingo__view_style *style)
{
    struct look l = {.csv = {0}};
    look_json(&l, view, row);
    pingo__view_csv_keys(&l.csv, view);
    size_t keys = look_fields(pingo__buffer_cstr(&l.csv));
    pingo__buffer_reset(&l.csv);
    pingo__view_csv(&l.csv, view, row);
    assert_int_equal(look_fields(pingo__buffer_cstr(&l.csv)), keys);
    look_text(&l, view, row, style);
    assert_false(l.json.failed || l.csv.failed || l.text.failed);
    return l;
}

/* The forms of a row; csv and text NULL: they are not told. */
struct looks {
    const char *json, *csv, *text;
};
static inline void looks_with(const struct pingo__view_table *view, const void *row,
                              const struct pingo__view_style *style, struct looks told)
{
    struct look l = look_at(view, row, style);
    assert_string_equal(pingo__buffer_cstr(&l.json), told.json);
    if (told.csv)
        assert_string_equal(pingo__buffer_cstr(&l.csv), told.csv);
    if (told.text)
        assert_string_equal(pingo__buffer_cstr(&l.text), told.text);
    look_clear(&l);
}

static inline void looks(const struct pingo__view_table *view, const void *row, struct looks told)
{
    looks_with(view, row, &(struct pingo__view_style){.times = PINGO__TIMES_ISO}, told);
}

#endif
