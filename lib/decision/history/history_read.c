/* history_read.c - the exchange format, pingo-history(5): one line, one submission.
 *
 * The text has passed the strict check of json/document.h before anything here
 * looks at it; what is checked here is what it means.  One action is open at a time.
 * Nothing enters the history before the whole line is understood. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/times.h"
#include "decision/history/history.h"
#include "json/value.h"

typedef const struct pingo__json_value json;

struct reader {
    struct pingo__json_document d; /* its arena takes names, too */
    struct pingo__json_element open;
    struct pingo__decision_history_text *source;
    struct pingo_error *err;
    struct pingo_history_mention *mentions;
    uint32_t *offsets; /* where each mention begins */
    struct pingo_hash *parents;
    size_t nmentions, mentions_capacity, offsets_capacity, nparents, parents_capacity;
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

static int no_memory(struct reader *r)
{
    return pingo__fail_memory(r->err);
}

/* key: of the action that is read now (index nmentions), or NULL; of the submission: action false. */
static int wrong(struct reader *r, size_t offset, bool action, const char *key, const char *message)
{
    char pointer[128];
    if (r->open.no_memory) /* then it need not be wrong */
        return no_memory(r);
    if (action)
        snprintf(pointer, sizeof pointer, "%s/actions/%zu%s%.30s", r->source->pointer, r->nmentions,
                 key ? "/" : "", key ? key : "");
    else
        snprintf(pointer, sizeof pointer, "%s%s%.30s", r->source->pointer, key ? "/" : "",
                 key ? key : "");
    r->source->wrong = offset;
    return pingo__fail(r->err, PINGO_EINVAL, "%s%s%s", pointer, *pointer ? ": " : "", message);
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

/* Of a value of the action that is read now. */
static int wrong_value(struct reader *r, json *v, const char *key, const char *message)
{
    struct pingo__json_spot spot;
    if (!pingo__json_spot(&r->open, v, &spot))
        return no_memory(r);
    return wrong(r, spot.value, true, key, message);
}

/* ---- an action ------------------------------------------------------------------------ */

static const char not_hash[] = "expected a hash, a string of 64 lower-case hexadecimal digits";

static bool hash_of(json *v, struct pingo_hash *hash)
{
    const char *text = pingo__json_text(v);
    return text && strlen(text) == 2 * PINGO_HASH_SIZE &&
           pingo__text_from_hex(text, PINGO_HASH_SIZE, hash->bytes);
}

static int read_parents(struct reader *r, struct pingo_history_mention *m, json *array)
{
    if (pingo__json_kind(array) != PINGO__JSON_ARRAY)
        return wrong_value(r, array, "parents", "expected an array of hashes");
    m->has_parents = true;
    for (json *v = pingo__json_first(array); v; v = pingo__json_next(v)) {
        if (!PINGO__ARRAY_ROOM(r->parents, r->parents_capacity, r->nparents, 1))
            return no_memory(r);
        if (!hash_of(v, &r->parents[r->nparents])) {
            char key[48];
            snprintf(key, sizeof key, "parents/%zu", m->nparents);
            return wrong_value(r, v, key, not_hash);
        }
        r->nparents++;
        m->nparents++;
    }
    return 0;
}

static int read_number(struct reader *r, json *v, const char *key, int64_t *number)
{
    if (pingo__json_kind(v) == PINGO__JSON_NULL || pingo__json_integer(&r->open, v, number))
        return 0;
    return wrong_value(r, v, key, "expected an integer from 0 to 2^53-1, or null");
}

static int read_flag(struct reader *r, json *v, const char *key, unsigned flag, unsigned *flags)
{
    if (pingo__json_kind(v) != PINGO__JSON_BOOLEAN)
        return wrong_value(r, v, key, "expected true or false");
    *flags = pingo__json_is_true(v) ? *flags | flag : *flags & ~flag;
    return 0;
}

static int read_decision(struct reader *r, json *v, unsigned *flags)
{
    static const char *const names[] = {"skip", "reuse", "join", "compute"};
    const char *text = pingo__json_text(v);
    for (unsigned i = 0; text && i < 4; i++) {
        if (strcmp(text, names[i]) == 0) {
            *flags |= PINGO_HISTORY_SKIPPED + i;
            return 0;
        }
    }
    return wrong_value(r, v, "decision", "expected \"compute\", \"join\", \"reuse\" or \"skip\"");
}

static int read_member(struct reader *r, struct pingo_history_mention *m, json *v, bool *has_hash)
{
    const char *key = pingo__json_key(v);
    struct pingo__json_spot spot;
    switch (key_among(action_keys, ACTION_KEYS, key)) {
    case HASH:
        *has_hash = true;
        return hash_of(v, &m->hash) ? 0 : wrong_value(r, v, key, not_hash);
    case PARENTS:
        return read_parents(r, m, v);
    case SIZE_BYTES:
        return read_number(r, v, key, &m->size_bytes);
    case COMPUTE_MS:
        return read_number(r, v, key, &m->compute_ms);
    case LEAF:
        m->flags &= ~PINGO_HISTORY_LEAF_IF_LAST;
        return read_flag(r, v, key, PINGO_HISTORY_LEAF, &m->flags);
    case FORCED:
        return read_flag(r, v, key, PINGO_HISTORY_FORCED, &m->flags);
    case UNMANAGED:
        return read_flag(r, v, key, PINGO_HISTORY_UNMANAGED, &m->flags);
    case DECISION:
        return read_decision(r, v, &m->flags);
    default:
        break;
    }
    if (strncmp(key, "x-", 2) == 0)
        return 0;
    return pingo__json_spot(&r->open, v, &spot) ? unknown(r, spot.key, true, key) : no_memory(r);
}

static int read_action(struct reader *r, size_t offset)
{
    bool has_hash = false;
    int rc = 0;
    if (!PINGO__ARRAY_ROOM(r->mentions, r->mentions_capacity, r->nmentions, 1) ||
        !PINGO__ARRAY_ROOM(r->offsets, r->offsets_capacity, r->nmentions, 1) ||
        !pingo__json_element_open(&r->open, offset))
        return no_memory(r);
    struct pingo_history_mention *m = &r->mentions[r->nmentions];
    *m = (struct pingo_history_mention){
        .size_bytes = -1, .compute_ms = -1, .flags = PINGO_HISTORY_LEAF_IF_LAST};
    r->offsets[r->nmentions] = (uint32_t)offset;
    if (pingo__json_kind(r->open.root) != PINGO__JSON_OBJECT)
        return wrong(r, offset, true, NULL, "expected an object");
    for (json *v = pingo__json_first(r->open.root); !rc && v; v = pingo__json_next(v))
        rc = read_member(r, m, v, &has_hash);
    if (!rc && !has_hash)
        rc = wrong(r, offset, true, NULL, "an action has a \"hash\"");
    r->nmentions += !rc;
    return rc;
}

static int read_actions(struct reader *r, size_t offset)
{
    size_t at = 0;
    int rc = 0;
    for (size_t next = pingo__json_next_element(&r->d, offset + 1); !rc && next;
         next = rc ? 0 : pingo__json_next_element(&r->d, r->open.end))
        rc = read_action(r, next);
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
    if (!pingo__json_element_open(&r->open, m->offset))
        return no_memory(r);
    const char *text = pingo__json_text(r->open.root);
    *name = pingo__arena_text(&r->d.arena, text, strlen(text));
    return *name ? 0 : no_memory(r);
}

/* A time of RFC 3339, or ms since 1970. */
static int read_time(struct reader *r, const struct pingo__json_member *m, int64_t *at_ms)
{
    const char *text = NULL;
    if (m->kind == PINGO__JSON_NUMBER) {
        if (!pingo__json_element_open(&r->open, m->offset))
            return no_memory(r);
        if (pingo__json_integer(&r->open, r->open.root, at_ms))
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

static bool is_blank(const struct pingo__decision_history_text *text)
{
    size_t i = 0;
    while (i < text->length && memchr(" \t\r\n", text->text[i], 4))
        i++;
    return i == text->length;
}

int pingo__decision_history_read(struct pingo_history *h, struct pingo__decision_history_text *text,
                                 struct pingo_error *err)
{
    struct reader r = {.source = text, .err = err};
    struct pingo_history_entry entry = {.nmentions = 0};
    struct pingo__json_fault fault = {.pointer = NULL};
    uint32_t blame = PINGO_HISTORY_NONE;
    text->wrong = 0;
    if (is_blank(text))
        return 0;
    r.open.document = &r.d;
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
    pingo__json_element_clear(&r.open);
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
