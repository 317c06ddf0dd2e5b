/* ask.c - see ask.h. */
#include "serve/api/ask.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/times.h"
#include "json/reader.h"
#include "serve/work/handle.h"

#define LIMIT 50
#define LIMIT_MOST 1000
#define BODY_MOST 65536 /* bytes: it is for small requests */

void serve_ask_refuse(struct serve_ask *ask, int status, const char *format, ...)
{
    char text[PINGO_ERROR_MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!ask->is_wrong && status == 403) /* which has a code, and the audit tells it */
        serve_end(ask, pingo__fail(ask->err, PINGO_EFORBIDDEN, "%s", text));
    else if (!ask->is_wrong)
        serve_refuse(ask->answer, status, "%s", text);
    ask->is_wrong = true;
}

/* The value of a name; NULL: there is none, or something is wrong already. */
static const char *value_of(struct serve_ask *ask, const char *name)
{
    return ask->is_wrong ? NULL : serve_query(ask->request, name);
}

static void wrong(struct serve_ask *ask, const char *name, const char *what, const char *value)
{
    serve_ask_refuse(ask, 400, "%s %s, not \"%.64s\"", name, what, value);
}

bool serve_ask_flag(struct serve_ask *ask, const char *name)
{
    const char *value = value_of(ask, name);
    if (!value || strcmp(value, "false") == 0 || strcmp(value, "0") == 0)
        return false;
    if (*value != '\0' && strcmp(value, "true") != 0 && strcmp(value, "1") != 0)
        wrong(ask, name, "is true or false", value);
    return true;
}

int64_t serve_ask_number(struct serve_ask *ask, const char *name, struct serve_range range)
{
    const char *text = value_of(ask, name);
    int64_t value = range.absent;
    if (text && !pingo__text_to_int64(text, range.least, range.most, &value))
        serve_ask_refuse(ask, 400, "%s is a number from %" PRId64 " to %" PRId64 ", not \"%.64s\"",
                         name, range.least, range.most, text);
    return value;
}

int64_t serve_ask_part(struct serve_ask *ask, size_t i)
{
    int64_t value = 0;
    if (!pingo__text_to_int64(ask->request->parts[i], 0, INT64_MAX, &value))
        serve_ask_refuse(ask, 404, "\"%.64s\" is no number", ask->request->parts[i]);
    return value;
}

int64_t serve_ask_size(struct serve_ask *ask, const char *name, int64_t absent)
{
    const char *value = value_of(ask, name);
    int64_t size = absent;
    if (value && !pingo_size_parse(value, &size))
        wrong(ask, name, "is a size, such as 65536, 64K or 1.5GiB", value);
    return size;
}

int64_t serve_ask_time(struct serve_ask *ask, const char *name)
{
    const char *value = value_of(ask, name);
    int64_t time_ms = 0;
    if (value && !pingo__times_parse(value, true, &time_ms))
        wrong(ask, name, "is a time, such as 2026-11-20T12:00:00Z or 2026-11-20", value);
    return time_ms;
}

/* "takes A, B, ...", for who gave none of them. */
static const char *words_of(const char *(*names)(int number), int first, char words[256])
{
    const char *all[32];
    size_t n = 0;
    while (n < 32 && names(first + (int)n)) {
        all[n] = names(first + (int)n);
        n++;
    }
    memcpy(words, "takes ", 7);
    pingo__text_join(words + 6, 250, all, n, ", ");
    return words;
}

static unsigned names_in(struct serve_ask *ask, const char *name, const char *p,
                         const char *(*names)(int number), int first)
{
    char words[256];
    unsigned bits = 0;
    while (p && !ask->is_wrong) {
        size_t length = strcspn(p, ",");
        int number = first;
        while (names(number) &&
               (strlen(names(number)) != length || memcmp(names(number), p, length) != 0))
            number++;
        if (!names(number))
            wrong(ask, name, words_of(names, first, words), p);
        bits |= 1u << number;
        p = p[length] == ',' ? p + length + 1 : NULL;
    }
    return bits;
}

unsigned serve_ask_names(struct serve_ask *ask, const char *name, const char *(*names)(int number),
                         int first)
{
    const struct serve_request *r = ask->request;
    unsigned bits = 0;
    for (size_t i = 0; i < r->nquery; i++)
        if (strcmp(r->query[i].name, name) == 0)
            bits |= names_in(ask, name, r->query[i].value, names, first);
    return bits;
}

int serve_ask_word(struct serve_ask *ask, const char *name, const char *words, int absent)
{
    const char *value = value_of(ask, name);
    char said[256];
    int place = value ? pingo__text_place(words, value) : absent;
    if (!value || place >= 0)
        return place;
    snprintf(said, sizeof said, "is one of %s", words);
    wrong(ask, name, said, value);
    return absent;
}

const char *const *serve_ask_all(struct serve_ask *ask, const char *name, size_t *n)
{
    const struct serve_request *r = ask->request;
    const char **all = pingo__arena_array(ask->arena, r->nquery + 1, sizeof *all);
    *n = 0;
    if (!all)
        serve_ask_refuse(ask, 503, "out of memory");
    for (size_t i = 0; all && i < r->nquery; i++)
        if (strcmp(r->query[i].name, name) == 0)
            all[(*n)++] = r->query[i].value;
    return all;
}

/* A copy, or no memory. */
static const char *keep(struct pingo__arena *arena, struct pingo__json_reader *r, const char *text,
                        size_t n)
{
    const char *copy = text ? pingo__arena_text(arena, text, n) : NULL;
    if (!copy)
        pingo__json_reader_no_memory(r);
    return copy;
}

/* As it is told; NULL: it is null, or wrong. */
static const char *read_value(struct pingo__arena *arena, struct pingo__json_reader *r,
                              const struct pingo__json_value *v)
{
    enum pingo__json_kind kind = pingo__json_kind(v);
    size_t n = 0;
    if (kind == PINGO__JSON_ARRAY || kind == PINGO__JSON_OBJECT)
        pingo__json_reader_wrong(r, v, "expected a text, a number, true, false or null");
    if (kind == PINGO__JSON_NULL || r->rc != 0)
        return NULL;
    if (kind == PINGO__JSON_STRING)
        return keep(arena, r, pingo__json_text(v), strlen(pingo__json_text(v)));
    const char *spelling = pingo__json_spelling(&r->element, v, &n);
    return keep(arena, r, spelling, n);
}

const char *serve_flat_read(struct pingo__arena *arena, const char *text, size_t length,
                            struct serve_flat **members, size_t *n)
{
    struct pingo__json_reader r;
    struct pingo_error err = {0};
    *n = 0;
    if (length > BODY_MOST)
        return "it is too long";
    pingo__json_reader_open(&r, text, length, "the body", &err);
    const struct pingo__json_value *v =
        pingo__json_first(pingo__json_reader_value(&r, r.document.offset, ""));
    *members = pingo__arena_array(arena, r.document.nmembers + 1, sizeof **members);
    if (!*members)
        pingo__json_reader_no_memory(&r);
    for (; v && r.rc == 0; v = pingo__json_next(v)) {
        const char *key = pingo__json_key(v);
        (*members)[*n].key = keep(arena, &r, key, strlen(key));
        (*members)[(*n)++].value = read_value(arena, &r, v);
    }
    bool is_wrong = r.rc != 0;
    pingo__json_reader_clear(&r);
    const char *wrong = is_wrong ? pingo__arena_text(arena, err.message, strlen(err.message)) : NULL;
    return is_wrong && !wrong ? "out of memory" : wrong;
}

struct serve_flat *serve_ask_body(struct serve_ask *ask, const char *example, size_t *n)
{
    const char *body = serve_map(ask->request), *what = "there is none";
    struct serve_flat *members = NULL;
    *n = 0;
    if (body)
        what = serve_flat_read(ask->arena, body, (size_t)ask->request->body_bytes, &members, n);
    serve_unmap(ask->request, body);
    if (what)
        serve_ask_refuse(ask, 400, "the body is an object such as %s: %s", example, what);
    return members;
}

void serve_ask_members(struct serve_ask *ask, struct serve_member *members, size_t n)
{
    size_t nbody, k;
    char example[64];
    snprintf(example, sizeof example, "{\"%s\": ...}", members[0].key);
    const struct serve_flat *body = serve_ask_body(ask, example, &nbody);
    for (size_t i = 0; i < nbody && !ask->is_wrong; i++) {
        for (k = 0; k < n && strcmp(members[k].key, body[i].key) != 0; k++)
            continue;
        if (k == n)
            serve_ask_refuse(ask, 400, "the body has no \"%.64s\" here", body[i].key);
        else
            members[k] = (struct serve_member){members[k].key, body[i].value, true};
    }
}

/* ---- what is answered ---------------------------------------------------------------------------- */

struct serve_list serve_list(struct serve_ask *ask, const struct pingo__view_table *rows)
{
    struct serve_list list = {.ask = ask, .rows = rows, .after = value_of(ask, "cursor")};
    list.limit = (size_t)serve_ask_number(ask, "limit", (struct serve_range){1, LIMIT_MOST, LIMIT});
    pingo__writer_open(&list.json, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_open(&list.json, "items", PINGO__WRITER_LINES);
    return list;
}

int serve_row(void *list, const void *row)
{
    struct serve_list *l = list;
    pingo__view_object(&l->json, NULL, l->rows, row);
    return l->json.out.failed;
}

void serve_list_end(struct serve_list *list)
{
    if (!list->ask->is_wrong) {
        pingo__writer_close(&list->json);
        pingo__writer_text(&list->json, "next", *list->next ? list->next : NULL);
        pingo__writer_close(&list->json);
    }
    serve_ask_written(list->ask, &list->json);
}

void serve_ask_written(struct serve_ask *ask, struct pingo__writer *w)
{
    if (!ask->is_wrong)
        serve_written(ask->answer, w);
    pingo__writer_clear(w);
}

void serve_end(struct serve_ask *ask, int rc)
{
    if (rc != 0 && !ask->is_wrong)
        serve_problem(ask->answer, ask->err, NULL);
    ask->is_wrong = ask->is_wrong || rc != 0;
}

void serve_tell(struct serve_ask *ask, const struct pingo__view_table *view, const void *row)
{
    if (!ask->is_wrong)
        serve_json(ask->answer, view, row);
}

bool serve_is_due(struct serve_ask *ask, bool is_final)
{
    int64_t wait_ms = serve_wait_ms(ask->request);
    if (wait_ms > 0 && !ask->is_wrong)
        serve_header(ask->answer, "Preference-Applied", "wait=%" PRId64, wait_ms / 1000);
    if (is_final || ask->is_wrong || serve_asked(ask->request, "if-none-match") ||
        ask->request->waited_ms >= wait_ms)
        return true;
    ask->answer->next = SERVE_AGAIN;
    ask->answer->on_change = true;
    ask->answer->pause_ms = wait_ms - ask->request->waited_ms;
    return false;
}
