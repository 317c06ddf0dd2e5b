/* history_read.c - the exchange format, pingo-history(5): one line, one submission.
 *
 * The text has passed the strict check of json/document.h before anything here
 * looks at it, so what is walked through is sound JSON; what is checked here is
 * what it means.  Nothing enters the history before the whole line is understood. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/times.h"
#include "decision/history/history.h"
#include "json/document.h"
#include "json/scan.h"

struct reader {
    struct pingo__json_document d; /* its arena takes decoded strings, too */
    struct pingo__json_scan s;
    struct pingo__decision_history_text *source;
    struct pingo_error *err;
    struct pingo_history_mention *mentions;
    uint32_t *offsets; /* where each mention begins */
    struct pingo_hash *parents;
    size_t nmentions, mentions_capacity, offsets_capacity, nparents, parents_capacity;
};

struct value {
    size_t offset;
    enum pingo__json_kind kind;
    const char *text; /* of a string: without quotes and escapes, not ended */
    size_t length;
    int64_t integer; /* of a number; -1 where it is none from 0 to 2^53-1 */
    bool is_true;
};

/* The keys of an action and of a submission. */
enum { HASH, PARENTS, SIZE_BYTES, COMPUTE_MS, LEAF, FORCED, UNMANAGED, DECISION, ACTION_KEYS };
static const char *const action_keys[ACTION_KEYS] = {"hash", "parents", "sizeBytes", "computeMs",
                                                     "leaf", "forced",  "unmanaged", "decision"};
enum { LINE_KEYS = 4 };
static const char *const line_keys[LINE_KEYS] = {"at", "user", "workflow", "actions"};

static size_t key_among(const char *const *keys, size_t n, const char *key)
{
    size_t i = 0;
    while (i < n && (keys[i][0] != key[0] || strcmp(keys[i], key) != 0))
        i++;
    return i;
}

/* ---- what is wrong -------------------------------------------------------------------- */

/* key: of the action that is read now (index nmentions), or NULL; of the submission: action false. */
static int wrong(struct reader *r, size_t offset, bool action, const char *key, const char *message)
{
    char pointer[128];
    if (action)
        snprintf(pointer, sizeof pointer, "%s/actions/%zu%s%.30s", r->source->pointer, r->nmentions,
                 key ? "/" : "", key ? key : "");
    else
        snprintf(pointer, sizeof pointer, "%s%s%.30s", r->source->pointer, key ? "/" : "",
                 key ? key : "");
    r->source->wrong = offset;
    return pingo__fail(r->err, PINGO_EINVAL, "%s%s%s", pointer, *pointer ? ": " : "", message);
}

static int no_memory(struct reader *r)
{
    return pingo__fail_memory(r->err);
}

/* A key that nobody knows. */
static int unknown(struct reader *r, size_t offset, bool action, const char *key)
{
    const char *near = action ? pingo__text_nearest(key, action_keys, ACTION_KEYS)
                              : pingo__text_nearest(key, line_keys, LINE_KEYS);
    char message[160];
    snprintf(message, sizeof message, "unknown key%s%s%s; a key that starts with \"x-\" is free",
             near ? ": did you mean \"" : "", near ? near : "", near ? "\"" : "");
    return wrong(r, offset, action, key, message);
}

/* ---- values --------------------------------------------------------------------------- */

static bool text_of(struct reader *r, const struct pingo__json_token *token, const char **text,
                    size_t *length)
{
    *text = r->s.text + token->offset + 1;
    *length = token->end - token->offset - 2;
    if (token->has_escapes)
        *text = pingo__json_decode(&r->s, token, &r->d.arena, length);
    return *text;
}

/* The value that begins here; an array or object is only looked at, not passed.  false: no memory. */
static bool read_value(struct reader *r, struct value *v)
{
    struct pingo__json_token token = {.integer = -1};
    char c = r->s.text[r->s.at];
    *v = (struct value){
        .offset = r->s.at, .kind = pingo__json_kind_of(c), .integer = -1, .is_true = c == 't'};
    if (v->kind < PINGO__JSON_ARRAY)
        pingo__json_scan_scalar(&r->s, &token);
    if (v->kind == PINGO__JSON_NUMBER)
        v->integer = token.integer;
    return v->kind != PINGO__JSON_STRING || text_of(r, &token, &v->text, &v->length);
}

/* From behind an element to the next one: true, or past the end of the array or object. */
static bool next(struct reader *r)
{
    pingo__json_skip_space(&r->s);
    char c = r->s.text[r->s.at++];
    pingo__json_skip_space(&r->s);
    return c == ',';
}

/* Into an array or object: true if it is not empty. */
static bool enter(struct reader *r)
{
    r->s.at++;
    pingo__json_skip_space(&r->s);
    char c = r->s.text[r->s.at];
    if (c != ']' && c != '}')
        return true;
    r->s.at++;
    return false;
}

static bool hash_of(const struct value *v, struct pingo_hash *hash)
{
    return v->kind == PINGO__JSON_STRING && v->length == 2 * PINGO_HASH_SIZE &&
           pingo__text_from_hex(v->text, PINGO_HASH_SIZE, hash->bytes);
}

static bool is_text(const struct value *v, const char *text)
{
    return v->kind == PINGO__JSON_STRING && v->length == strlen(text) &&
           memcmp(v->text, text, v->length) == 0;
}

/* ---- an action ------------------------------------------------------------------------ */

static const char not_hash[] = "expected a hash, a string of 64 lower-case hexadecimal digits";

static int read_parents(struct reader *r, struct pingo_history_mention *m, const struct value *array)
{
    if (array->kind != PINGO__JSON_ARRAY)
        return wrong(r, array->offset, true, "parents", "expected an array of hashes");
    m->has_parents = true;
    for (bool more = enter(r); more; more = next(r)) {
        struct value v;
        if (!PINGO__ARRAY_ROOM(r->parents, r->parents_capacity, r->nparents, 1) ||
            !read_value(r, &v))
            return no_memory(r);
        if (!hash_of(&v, &r->parents[r->nparents])) {
            char key[48];
            snprintf(key, sizeof key, "parents/%zu", m->nparents);
            return wrong(r, v.offset, true, key, not_hash);
        }
        r->nparents++;
        m->nparents++;
    }
    return 0;
}

static int read_number(struct reader *r, const struct value *v, const char *key, int64_t *number)
{
    if (v->kind == PINGO__JSON_NULL)
        return 0;
    if (v->integer < 0)
        return wrong(r, v->offset, true, key, "expected an integer from 0 to 2^53-1, or null");
    *number = v->integer;
    return 0;
}

static int read_flag(struct reader *r, const struct value *v, const char *key, unsigned flag,
                     unsigned *flags)
{
    if (v->kind != PINGO__JSON_BOOLEAN)
        return wrong(r, v->offset, true, key, "expected true or false");
    *flags = v->is_true ? *flags | flag : *flags & ~flag;
    return 0;
}

static int read_decision(struct reader *r, const struct value *v, unsigned *flags)
{
    static const char *const names[] = {"skip", "reuse", "join", "compute"};
    for (unsigned i = 0; i < 4; i++) {
        if (is_text(v, names[i])) {
            *flags |= PINGO_HISTORY_SKIPPED + i;
            return 0;
        }
    }
    return wrong(r, v->offset, true, "decision",
                 "expected \"compute\", \"join\", \"reuse\" or \"skip\"");
}

static int read_member(struct reader *r, struct pingo_history_mention *m, const char *key,
                       size_t key_offset, bool *has_hash)
{
    struct value v;
    if (!read_value(r, &v))
        return no_memory(r);
    switch (key_among(action_keys, ACTION_KEYS, key)) {
    case HASH:
        *has_hash = true;
        return hash_of(&v, &m->hash) ? 0 : wrong(r, v.offset, true, key, not_hash);
    case PARENTS:
        return read_parents(r, m, &v);
    case SIZE_BYTES:
        return read_number(r, &v, key, &m->size_bytes);
    case COMPUTE_MS:
        return read_number(r, &v, key, &m->compute_ms);
    case LEAF:
        m->flags &= ~PINGO_HISTORY_LEAF_IF_LAST;
        return read_flag(r, &v, key, PINGO_HISTORY_LEAF, &m->flags);
    case FORCED:
        return read_flag(r, &v, key, PINGO_HISTORY_FORCED, &m->flags);
    case UNMANAGED:
        return read_flag(r, &v, key, PINGO_HISTORY_UNMANAGED, &m->flags);
    case DECISION:
        return read_decision(r, &v, &m->flags);
    default:
        break;
    }
    if (strncmp(key, "x-", 2) != 0)
        return unknown(r, key_offset, true, key);
    if (v.kind == PINGO__JSON_ARRAY || v.kind == PINGO__JSON_OBJECT)
        pingo__json_skip_value(&r->s);
    return 0;
}

/* The key that begins here, for comparing: shortened to size. */
static bool read_key(struct reader *r, char *key, size_t size)
{
    struct pingo__json_token token;
    const char *text;
    size_t length;
    pingo__json_scan_string(&r->s, &token);
    if (!text_of(r, &token, &text, &length))
        return false;
    length = length < size ? length : size - 1;
    memcpy(key, text, length);
    key[length] = '\0';
    pingo__json_skip_space(&r->s);
    r->s.at++; /* the colon */
    pingo__json_skip_space(&r->s);
    return true;
}

static int read_action(struct reader *r)
{
    size_t offset = r->s.at;
    bool has_hash = false;
    int rc = 0;
    if (!PINGO__ARRAY_ROOM(r->mentions, r->mentions_capacity, r->nmentions, 1) ||
        !PINGO__ARRAY_ROOM(r->offsets, r->offsets_capacity, r->nmentions, 1))
        return no_memory(r);
    struct pingo_history_mention *m = &r->mentions[r->nmentions];
    *m = (struct pingo_history_mention){
        .size_bytes = -1, .compute_ms = -1, .flags = PINGO_HISTORY_LEAF_IF_LAST};
    r->offsets[r->nmentions] = (uint32_t)offset;
    if (r->s.text[offset] != '{')
        return wrong(r, offset, true, NULL, "expected an object");
    for (bool more = enter(r); !rc && more; more = !rc && next(r)) {
        size_t key_offset = r->s.at;
        char key[32];
        rc = read_key(r, key, sizeof key) ? read_member(r, m, key, key_offset, &has_hash)
                                          : no_memory(r);
    }
    if (!rc && !has_hash)
        rc = wrong(r, offset, true, NULL, "an action has a \"hash\"");
    r->nmentions += !rc;
    return rc;
}

static int read_actions(struct reader *r, size_t offset)
{
    size_t at = 0;
    int rc = 0;
    r->s.at = offset;
    for (bool more = enter(r); !rc && more; more = !rc && next(r))
        rc = read_action(r);
    for (size_t i = 0; !rc && i < r->nmentions; i++) {
        r->mentions[i].parents = r->mentions[i].nparents ? &r->parents[at] : NULL;
        at += r->mentions[i].nparents;
    }
    if (!rc && !r->nmentions)
        rc = wrong(r, offset, false, "actions", "a submission has at least one action");
    return rc;
}

/* ---- a submission ---------------------------------------------------------------------- */

static int read_name(struct reader *r, const struct pingo__json_member *m, const char **name)
{
    if (m->kind != PINGO__JSON_STRING)
        return wrong(r, m->offset, false, m->key, "expected a string");
    r->s.at = m->offset;
    struct value v;
    if (!read_value(r, &v))
        return no_memory(r);
    *name = pingo__arena_text(&r->d.arena, v.text, v.length);
    return *name ? 0 : no_memory(r);
}

/* A time of RFC 3339, or ms since 1970. */
static int read_time(struct reader *r, const struct pingo__json_member *m, int64_t *at_ms)
{
    const char *text = NULL;
    if (m->kind == PINGO__JSON_NUMBER) {
        r->s.at = m->offset;
        struct value v;
        read_value(r, &v);
        *at_ms = v.integer;
        if (v.integer >= 0)
            return 0;
    } else if (m->kind == PINGO__JSON_STRING) {
        int rc = read_name(r, m, &text);
        if (rc || pingo__times_parse(text, false, at_ms))
            return rc;
    }
    return wrong(r, m->offset, false, m->key,
                 "expected a time from 1970 on, such as \"2026-11-20T12:00:00.000Z\"");
}

static int check_keys(struct reader *r)
{
    if (r->d.kind != PINGO__JSON_OBJECT)
        return wrong(r, r->d.offset, false, NULL, "expected an object, one submission a line");
    for (size_t i = 0; i < r->d.nmembers; i++) {
        const struct pingo__json_member *m = &r->d.members[i];
        if (strncmp(m->key, "x-", 2) != 0 && key_among(line_keys, LINE_KEYS, m->key) == LINE_KEYS)
            return unknown(r, m->key_offset, false, m->key);
    }
    for (size_t k = 0; k < LINE_KEYS; k++) {
        char message[64];
        snprintf(message, sizeof message, "a submission has \"%s\"", line_keys[k]);
        if (!pingo__json_member(&r->d, line_keys[k]))
            return wrong(r, r->d.offset, false, NULL, message);
    }
    return 0;
}

static int read_submission(struct reader *r, struct pingo_history_entry *entry)
{
    int rc = check_keys(r);
    if (!rc)
        rc = read_time(r, pingo__json_member(&r->d, "at"), &entry->at_ms);
    if (!rc)
        rc = read_name(r, pingo__json_member(&r->d, "user"), &entry->user);
    if (!rc)
        rc = read_name(r, pingo__json_member(&r->d, "workflow"), &entry->workflow);
    if (rc)
        return rc;
    const struct pingo__json_member *actions = pingo__json_member(&r->d, "actions");
    if (actions->kind != PINGO__JSON_ARRAY)
        return wrong(r, actions->offset, false, "actions", "expected an array");
    rc = read_actions(r, actions->offset);
    entry->mentions = r->mentions;
    entry->nmentions = r->nmentions;
    return rc;
}

static int not_json(struct reader *r, struct pingo__json_fault *fault)
{
    const char *pointer = fault->pointer ? fault->pointer : "";
    pingo__fail(r->err, PINGO_EINVAL, "%s%s%s%s", r->source->pointer, pointer,
                *r->source->pointer || *pointer ? ": " : "", fault->message);
    r->source->wrong = fault->offset;
    free(fault->pointer);
    return PINGO_EINVAL;
}

int pingo__decision_history_read(struct pingo_history *h, struct pingo__decision_history_text *text,
                                 struct pingo_error *err)
{
    struct reader r = {.s = {.text = text->text, .length = text->length}, .source = text, .err = err};
    struct pingo_history_entry entry = {.nmentions = 0};
    struct pingo__json_fault fault = {.pointer = NULL};
    uint32_t blame = PINGO_HISTORY_NONE;
    text->wrong = 0;
    pingo__json_skip_space(&r.s);
    if (r.s.at == r.s.length)
        return 0;
    int rc = pingo__json_open(&r.d, text->text, text->length, &fault, err);
    if (rc == PINGO_EWORKFLOW)
        rc = not_json(&r, &fault);
    if (!rc)
        rc = read_submission(&r, &entry);
    if (!rc) {
        rc = pingo__decision_history_append(h, &entry, &blame, err);
        if (rc == PINGO_EINVAL && blame != PINGO_HISTORY_NONE) {
            text->wrong = r.offsets[blame];
            pingo__error_prefix(err, "%s/actions/%lu", text->pointer, (unsigned long)blame);
        }
    }
    free(r.mentions);
    free(r.offsets);
    free(r.parents);
    pingo__json_close(&r.d);
    return rc;
}

int pingo_history_read_line(struct pingo_history *h, const char *text, size_t length, size_t line,
                            struct pingo_error *err)
{
    struct pingo__decision_history_text source = {.text = text, .length = length, .pointer = ""};
    int rc = pingo__decision_history_read(h, &source, err);
    if (rc == PINGO_EINVAL && line)
        pingo__error_prefix(err, "line %zu, column %zu", line, source.wrong + 1);
    else if (rc == PINGO_EINVAL)
        pingo__error_prefix(err, "column %zu", source.wrong + 1);
    return rc;
}
