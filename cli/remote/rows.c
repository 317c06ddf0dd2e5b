/* rows.c - the rows of a view, read from the JSON that the view has written.
 *
 * What a column works out of other members is not read; some views are put right after it (get_ of dataset.c,
 * attempt.c and feed.c, has_nearest of plan.c). */
#include <stdlib.h>
#include <string.h>

#include <pingo/executor.h>

#include "base/times.h"
#include "remote/remote.h"

#define STATES_MOST 15

static void put_number(const struct pingo__view_column *c, void *at, int64_t number)
{
    if (c->size == sizeof number)
        memcpy(at, &number, sizeof number);
    else if (c->size == sizeof(int32_t))
        memcpy(at, &(int32_t){(int32_t)number}, sizeof(int32_t));
}

/* A number as it is written. */
static bool read_spelling(struct cli_remote *r, const struct pingo__json_value *v, char text[32])
{
    size_t length = 0;
    const char *spelled = pingo__json_reader_expect(&r->reader, v, PINGO__JSON_NUMBER)
                              ? pingo__json_spelling(&r->reader.element, v, &length)
                              : NULL;
    text[0] = '\0';
    if (spelled && length < 32) {
        memcpy(text, spelled, length);
        text[length] = '\0';
    }
    return spelled;
}

/* An integer, with a sign or without. */
static bool read_number(struct cli_remote *r, const struct pingo__json_value *v, int64_t *number)
{
    char text[32];
    if (read_spelling(r, v, text) && !pingo__text_to_int64(text, INT64_MIN, INT64_MAX, number))
        pingo__json_reader_wrong(&r->reader, v, "expected a whole number");
    return r->reader.rc == 0;
}

static void read_real(struct cli_remote *r, const struct pingo__view_column *c,
                      const struct pingo__json_value *v, void *at)
{
    char text[32];
    if (c->type == PINGO__TYPE_DOUBLE && c->size == sizeof(double) && read_spelling(r, v, text))
        memcpy(at, &(double){strtod(text, NULL)}, sizeof(double));
}

/* The number of a name. */
static void read_name(struct cli_remote *r, const struct pingo__view_column *c,
                      const struct pingo__json_value *v, void *at)
{
    if (!pingo__json_reader_expect(&r->reader, v, PINGO__JSON_STRING))
        return;
    for (int i = 0; i < 64; i++) {
        const char *name = c->names(i);
        if (name && strcmp(name, pingo__json_text(v)) == 0) {
            put_number(c, at, i);
            return;
        }
    }
    pingo__json_reader_wrong(&r->reader, v, "\"%.40s\" is no word for it that this program knows",
                             pingo__json_text(v));
}

static void read_time(struct cli_remote *r, const struct pingo__view_column *c,
                      const struct pingo__json_value *v, void *at)
{
    int64_t time_ms;
    if (!pingo__json_reader_expect(&r->reader, v, PINGO__JSON_STRING))
        return;
    if (!pingo__times_parse(pingo__json_text(v), false, &time_ms))
        pingo__json_reader_wrong(&r->reader, v, "expected a time of RFC 3339");
    else
        put_number(c, at, time_ms);
}

static void *room(struct cli_remote *r, const struct pingo__json_value *v, size_t size, size_t *n)
{
    *n = 0;
    for (const struct pingo__json_value *at = pingo__json_first(v); at; at = pingo__json_next(at))
        ++*n;
    void *list = pingo__arena_array(&r->arena, 2 * *n + 1, size);
    if (!list)
        pingo__json_reader_no_memory(&r->reader);
    return list;
}

/* An object of texts, or structs one behind the other. */
static void read_list(struct cli_remote *r, const struct pingo__view_column *c,
                      const struct pingo__json_value *v, char *row)
{
    bool is_pairs = c->kind == PINGO__VIEW_PAIRS;
    size_t n, size = is_pairs ? sizeof(char *) : c->of->size;
    if (!pingo__json_reader_expect(&r->reader, v, is_pairs ? PINGO__JSON_OBJECT : PINGO__JSON_ARRAY))
        return;
    char *list = room(r, v, size, &n), *to = list;
    for (const struct pingo__json_value *at = pingo__json_first(v); list && at && r->reader.rc == 0;
         at = pingo__json_next(at)) {
        if (is_pairs && pingo__json_reader_expect(&r->reader, at, PINGO__JSON_STRING)) {
            ((const char **)(void *)to)[0] = pingo__json_key(at);
            ((const char **)(void *)to)[1] = pingo__json_text(at);
        } else if (!is_pairs) {
            cli_remote_row(r, at, c->of, to);
        }
        to += is_pairs ? 2 * size : size;
    }
    n = is_pairs ? 2 * n : n;
    if (list && r->reader.rc == 0) {
        memcpy(row + c->offset, &list, sizeof list);
        memcpy(row + c->count, &n, sizeof n);
    }
}

static void read_hash(struct cli_remote *r, const struct pingo__json_value *v, void *at)
{
    if (pingo__json_reader_expect(&r->reader, v, PINGO__JSON_STRING) &&
        pingo_hash_from_hex(pingo__json_text(v), at) != 0)
        pingo__json_reader_wrong(&r->reader, v, "expected 64 digits of a hash");
}

/* An object of which nothing is known, as it is written. */
static void read_json(struct cli_remote *r, const struct pingo__json_value *v, void *at)
{
    size_t length;
    const char *text = pingo__json_reader_expect(&r->reader, v, PINGO__JSON_OBJECT)
                           ? pingo__json_spelling(&r->reader.element, v, &length)
                           : NULL;
    char *copy = text ? pingo__arena_text(&r->arena, text, length) : NULL;
    if (text && !copy)
        pingo__json_reader_no_memory(&r->reader);
    memcpy(at, &copy, sizeof copy);
}

/* A struct of the arena's. */
static void read_elsewhere(struct cli_remote *r, const struct pingo__view_column *c,
                           const struct pingo__json_value *v, void *at)
{
    void *row = pingo__arena_alloc(&r->arena, c->of->size);
    if (!row)
        pingo__json_reader_no_memory(&r->reader);
    else if (cli_remote_row(r, v, c->of, row))
        memcpy(at, &row, sizeof row);
}

static void read_value(struct cli_remote *r, const struct pingo__view_column *c,
                       const struct pingo__json_value *v, char *row)
{
    int64_t number;
    const char *text;
    switch (c->kind) {
    case PINGO__VIEW_TEXT:
        if (c->size == sizeof text && pingo__json_reader_expect(&r->reader, v, PINGO__JSON_STRING)) {
            text = pingo__json_text(v);
            memcpy(row + c->offset, &text, sizeof text);
        }
        break;
    case PINGO__VIEW_FLAG:
        if (!pingo__json_reader_expect(&r->reader, v, PINGO__JSON_BOOLEAN))
            break;
        if (c->type == PINGO__TYPE_BOOL)
            memcpy(row + c->offset, &(bool){pingo__json_is_true(v)}, sizeof(bool));
        else
            put_number(c, row + c->offset, pingo__json_is_true(v));
        break;
    case PINGO__VIEW_COUNT:
    case PINGO__VIEW_BYTES:
    case PINGO__VIEW_MS:
        if (read_number(r, v, &number))
            put_number(c, row + c->offset, number);
        break;
    case PINGO__VIEW_SHARE:
    case PINGO__VIEW_RATIO:
    case PINGO__VIEW_REAL:
        read_real(r, c, v, row + c->offset);
        break;
    case PINGO__VIEW_TIME:
        read_time(r, c, v, row + c->offset);
        break;
    case PINGO__VIEW_HASH:
        read_hash(r, v, row + c->offset);
        break;
    case PINGO__VIEW_NAME:
        read_name(r, c, v, row + c->offset);
        break;
    case PINGO__VIEW_JSON:
        read_json(r, v, row + c->offset);
        break;
    case PINGO__VIEW_PAIRS:
    case PINGO__VIEW_LIST:
        read_list(r, c, v, row);
        break;
    case PINGO__VIEW_OBJECT:
        if (c->type == PINGO__TYPE_POINTER)
            read_elsewhere(r, c, v, row + c->offset);
        else
            cli_remote_row(r, v, c->of, row + c->offset);
        break;
    default:
        break;
    }
}

/* What null, and what is not there, is: unknown. */
static void read_nothing(const struct pingo__view_column *c, char *row)
{
    static const char nothing[] = "";
    const char *text = nothing;
    bool is_number = pingo__view_is_number(c->kind) || c->kind == PINGO__VIEW_FLAG;
    if (is_number && c->type == PINGO__TYPE_SIGNED && !(c->null & PINGO__NULL_ZERO))
        put_number(c, row + c->offset, -1);
    if (c->kind == PINGO__VIEW_TEXT && c->type == PINGO__TYPE_TEXT && c->size == sizeof text &&
        !(c->null & PINGO__NULL_MISSING))
        memcpy(row + c->offset, &text, sizeof text);
}

/* ---- what a view works out -------------------------------------------------------------------------- */

static void mend_dataset(const struct pingo__json_value *object, struct pingo_dataset_status *s)
{
    const struct pingo__json_value *keep = pingo__json_at(object, "keep");
    if (keep && pingo__json_kind(keep) == PINGO__JSON_BOOLEAN)
        s->keep = pingo__json_is_true(keep) ? PINGO_KEEP_ALWAYS : PINGO_KEEP_NEVER;
    s->user = pingo__json_text_at(object, "user", "");
}

/* Does the view say that word of the row, in that column? */
static bool says(const struct pingo__view_table *view, const char *key, const void *row,
                 const char *word)
{
    const struct pingo__view_column *c = view->columns;
    struct pingo__view_value value = {0};
    while (!c->key || strcmp(c->key, key) != 0)
        c++;
    pingo__view_read(view, c, row, &value);
    return strcmp(value.text ? value.text : "", word) == 0;
}

/* The end of which the view says the same. */
static void mend_attempt(const struct pingo__json_value *object, struct pingo_attempt *a)
{
    const char *word = pingo__json_text_at(object, "state", "");
    for (int i = -2; i <= PINGO_END_BAD_OUTPUT; i++) {
        a->has_started = i != -2;
        a->has_ended = i >= 0;
        a->reason = i < 0 ? -1 : i;
        if (says(&pingo__view_attempt, "state", a, word))
            return;
    }
}

/* Kind and states likewise; 0: none that is known. */
static void mend_change(const struct pingo__json_value *object, struct pingo__view_change *c)
{
    static const char *const keys[] = {"kind", "from", "to"};
    struct pingo_event *e = &c->change.event;
    for (int k = 0; k < 3; k++) {
        const char *word = pingo__json_text_at(object, keys[k], "");
        for (int i = *word != '\0' ? STATES_MOST : 0; i >= 0; i--) {
            e->kind = k == 0 ? (enum pingo_event_kind)i : e->kind;
            e->from = k == 1 ? i : e->from;
            e->to = k == 2 ? i : e->to;
            if (says(&pingo__view_change, keys[k], c, word))
                break;
        }
    }
}

/* Is something known of it? */
static bool has(const struct pingo__json_value *object, const char *key)
{
    const struct pingo__json_value *v = pingo__json_at(object, key);
    return v && pingo__json_kind(v) != PINGO__JSON_NULL;
}

static void mend(const struct pingo__json_value *object, const struct pingo__view_table *view,
                 void *row)
{
    if (view == &pingo__view_dataset)
        mend_dataset(object, row);
    else if (view == &pingo__view_attempt)
        mend_attempt(object, row);
    else if (view == &pingo__view_change)
        mend_change(object, row);
    else if (view == &pingo__view_why || view == &pingo__view_reason)
        ((struct pingo__view_why *)row)->why.has_nearest = has(object, "nearest");
    else if (view == &pingo__view_workflow || view == &pingo__view_workflow_actions)
        ((struct pingo__view_workflow *)row)->has_drivers = has(object, "driven");
}

/* ---- rows ------------------------------------------------------------------------------------------- */

static void read_columns(struct cli_remote *r, const struct pingo__json_value *object,
                         const struct pingo__view_table *view, char *row)
{
    for (size_t i = 0; i < view->ncolumns && r->reader.rc == 0; i++) {
        const struct pingo__view_column *c = &view->columns[i];
        if (c->kind == PINGO__VIEW_MEMBERS && c->type != PINGO__TYPE_POINTER)
            read_columns(r, object, c->of, row + c->offset);
        if (!c->key || c->get || c->put || c->each || c->kind == PINGO__VIEW_MEMBERS ||
            c->kind == PINGO__VIEW_STREAM)
            continue;
        const struct pingo__json_value *v = pingo__json_at(object, c->key);
        if (v && pingo__json_kind(v) != PINGO__JSON_NULL)
            read_value(r, c, v, row);
        else
            read_nothing(c, row);
    }
    if (r->reader.rc == 0)
        mend(object, view, row);
}

bool cli_remote_row(struct cli_remote *r, const struct pingo__json_value *object,
                    const struct pingo__view_table *view, void *row)
{
    if (!pingo__json_reader_expect(&r->reader, object, PINGO__JSON_OBJECT))
        return false;
    read_columns(r, object, view, row);
    return r->reader.rc == 0;
}
