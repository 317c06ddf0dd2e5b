/* history_read.c - the exchange format, pingo-history(5): one line, one submission.
 *
 * The text has passed the strict check of json/document.h before anything here
 * looks at it, so what is walked through is sound JSON; what is checked here is
 * what it means.  Nothing enters the history before the whole line is understood. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"
#include "base/times.h"
#include "decision/history.h"

struct reader {
    struct pingo__json_reader *json;
    const char *pointer; /* of the submission */
    struct pingo__arena names;
    struct pingo_history_mention *mentions;
    uint32_t *offsets; /* where each mention begins */
    struct pingo_hash *parents;
    size_t nmentions, mentions_capacity, offsets_capacity, nparents, parents_capacity;
};

static const char *const keys_of_line[] = {"at", "user", "workflow", "actions"};

/* Which of the keys it is; n: none, which is wrong where it does not begin with "x-". */
static size_t which(struct reader *r, const struct pingo__json_value *v, const char *const *keys,
                    size_t n)
{
    char pointer[128];
    size_t k = 0;
    while (k < n && strcmp(keys[k], v->key) != 0)
        k++;
    if (k < n || strncmp(v->key, "x-", 2) == 0)
        return k;
    const char *near = pingo__text_nearest(v->key, keys, n);
    snprintf(pointer, sizeof pointer, "%s/%.30s", r->json->pointer, v->key);
    pingo__json_reader_wrong_at(r->json, v->key_offset, pointer,
                                "unknown key%s%s%s; a key that starts with \"x-\" is free",
                                near ? ": did you mean \"" : "", near ? near : "", near ? "\"" : "");
    return n;
}

/* ---- an action ------------------------------------------------------------------------ */

static void read_hash(struct reader *r, const struct pingo__json_value *v, struct pingo_hash *hash)
{
    if (v->kind != PINGO__JSON_STRING || strlen(v->text) != 2 * PINGO_HASH_SIZE ||
        !pingo__text_from_hex(v->text, PINGO_HASH_SIZE, hash->bytes))
        pingo__json_reader_wrong(r->json, v,
                                 "expected a hash, a string of 64 lower-case hexadecimal digits");
}

static void read_parents(struct reader *r, const struct pingo__json_value *array,
                         struct pingo_history_mention *m)
{
    if (array->kind != PINGO__JSON_ARRAY)
        pingo__json_reader_wrong(r->json, array, "expected an array of hashes");
    m->has_parents = true;
    for (const struct pingo__json_value *v = array->first; v && !r->json->rc; v = v->next) {
        if (!PINGO__ARRAY_ROOM(r->parents, r->parents_capacity, r->nparents, 1)) {
            pingo__json_reader_no_memory(r->json);
            return;
        }
        read_hash(r, v, &r->parents[r->nparents++]);
        m->nparents++;
    }
}

static void read_number(struct reader *r, const struct pingo__json_value *v, int64_t *number)
{
    if (v->kind != PINGO__JSON_NULL && v->integer < 0)
        pingo__json_reader_wrong(r->json, v, "expected an integer from 0 to 2^53-1, or null");
    *number = v->integer;
}

static void read_flag(struct reader *r, const struct pingo__json_value *v, unsigned flag,
                      unsigned *flags)
{
    if (v->kind != PINGO__JSON_BOOLEAN)
        pingo__json_reader_wrong(r->json, v, "expected true or false");
    *flags = v->is_true ? *flags | flag : *flags & ~flag;
}

static void read_decision(struct reader *r, const struct pingo__json_value *v, unsigned *flags)
{
    static const char *const names[] = {"skip", "reuse", "join", "compute"};
    unsigned i = v->kind == PINGO__JSON_STRING ? 0 : 4;
    while (i < 4 && strcmp(v->text, names[i]) != 0)
        i++;
    if (i == 4)
        pingo__json_reader_wrong(r->json, v,
                                 "expected \"compute\", \"join\", \"reuse\" or \"skip\"");
    else
        *flags |= PINGO_HISTORY_SKIPPED + i;
}

static void read_members(struct reader *r, const struct pingo__json_value *action,
                         struct pingo_history_mention *m)
{
    static const char *const keys[] = {"hash", "parents", "sizeBytes", "computeMs",
                                       "leaf", "forced",  "decision"};
    bool has_hash = false;
    for (const struct pingo__json_value *v = action->first; v && !r->json->rc; v = v->next) {
        size_t key = which(r, v, keys, 7);
        if (key == 0)
            read_hash(r, v, &m->hash);
        else if (key == 1)
            read_parents(r, v, m);
        else if (key < 4)
            read_number(r, v, key == 2 ? &m->size_bytes : &m->compute_ms);
        else if (key == 6)
            read_decision(r, v, &m->flags);
        else if (key == 4)
            m->flags &= ~PINGO_HISTORY_LEAF_IF_LAST;
        if (key == 4 || key == 5)
            read_flag(r, v, key == 4 ? PINGO_HISTORY_LEAF : PINGO_HISTORY_FORCED, &m->flags);
        has_hash = has_hash || key == 0;
    }
    if (!has_hash)
        pingo__json_reader_wrong(r->json, action, "an action has a \"hash\"");
}

static void read_action(struct reader *r, size_t offset)
{
    char pointer[sizeof r->json->pointer];
    snprintf(pointer, sizeof pointer, "%s/actions/%zu", r->pointer, r->nmentions);
    const struct pingo__json_value *action = pingo__json_reader_value(r->json, offset, pointer);
    if (!PINGO__ARRAY_ROOM(r->mentions, r->mentions_capacity, r->nmentions, 1) ||
        !PINGO__ARRAY_ROOM(r->offsets, r->offsets_capacity, r->nmentions, 1))
        pingo__json_reader_no_memory(r->json);
    else if (action && action->kind != PINGO__JSON_OBJECT)
        pingo__json_reader_wrong(r->json, action, "expected an object");
    if (r->json->rc)
        return;
    struct pingo_history_mention *m = &r->mentions[r->nmentions];
    *m = (struct pingo_history_mention){
        .size_bytes = -1, .compute_ms = -1, .flags = PINGO_HISTORY_LEAF_IF_LAST};
    r->offsets[r->nmentions++] = (uint32_t)offset;
    read_members(r, action, m);
}

/* ---- a submission ---------------------------------------------------------------------- */

static const char *read_name(struct reader *r, const struct pingo__json_value *v)
{
    if (v->kind != PINGO__JSON_STRING) {
        pingo__json_reader_wrong(r->json, v, "expected a string");
        return NULL;
    }
    const char *name = pingo__arena_text(&r->names, v->text, strlen(v->text));
    if (!name)
        pingo__json_reader_no_memory(r->json);
    return name;
}

/* A time of RFC 3339, or ms since 1970. */
static int64_t read_time(struct reader *r, const struct pingo__json_value *v)
{
    int64_t at_ms = v->integer;
    if (at_ms < 0 && (v->kind != PINGO__JSON_STRING || !pingo__times_parse(v->text, false, &at_ms)))
        pingo__json_reader_wrong(
            r->json, v, "expected a time from 1970 on, such as \"2026-11-20T12:00:00.000Z\"");
    return at_ms;
}

/* All but the actions; where their array begins. */
static size_t read_head(struct reader *r, const struct pingo__json_value *line,
                        struct pingo_history_entry *entry)
{
    const struct pingo__json_value *members[5] = {NULL};
    if (line->kind != PINGO__JSON_OBJECT)
        pingo__json_reader_wrong(r->json, line, "expected an object, one submission a line");
    for (const struct pingo__json_value *v = line->first; v && !r->json->rc; v = v->next)
        members[which(r, v, keys_of_line, 4)] = v;
    for (size_t k = 0; k < 4 && !r->json->rc; k++)
        if (!members[k])
            pingo__json_reader_wrong(r->json, line, "a submission has \"%s\"", keys_of_line[k]);
    if (r->json->rc)
        return 0;
    entry->at_ms = read_time(r, members[0]);
    entry->user = read_name(r, members[1]);
    entry->workflow = read_name(r, members[2]);
    if (members[3]->kind != PINGO__JSON_ARRAY)
        pingo__json_reader_wrong(r->json, members[3], "expected an array");
    return members[3]->offset;
}

static void read_submission(struct reader *r, size_t offset, struct pingo_history_entry *entry)
{
    struct pingo__json_reader *json = r->json;
    const struct pingo__json_value *line = pingo__json_reader_flat(json, offset, r->pointer);
    size_t end = json->element.end, parents = 0;
    size_t actions = line ? read_head(r, line, entry) : 0;
    size_t at = json->rc ? 0 : pingo__json_next_element(&json->document, actions + 1);
    if (!json->rc && !at) {
        char pointer[64];
        snprintf(pointer, sizeof pointer, "%s/actions", r->pointer);
        pingo__json_reader_wrong_at(json, actions, pointer, "a submission has at least one action");
    }
    for (; at && !json->rc; at = pingo__json_next_element(&json->document, json->element.end))
        read_action(r, at);
    for (size_t i = 0; i < r->nmentions; i++) {
        r->mentions[i].parents = r->mentions[i].nparents ? &r->parents[parents] : NULL;
        parents += r->mentions[i].nparents;
    }
    entry->mentions = r->mentions;
    entry->nmentions = r->nmentions;
    json->element.end = end; /* for whoever goes on behind it */
}

int pingo__decision_history_read(struct pingo_history *h, struct pingo__json_reader *json,
                                 size_t offset, const char *pointer)
{
    struct reader r = {.json = json, .pointer = pointer};
    struct pingo_history_entry entry = {.nmentions = 0};
    uint32_t blame = PINGO_HISTORY_NONE;
    read_submission(&r, offset, &entry);
    if (!json->rc) {
        json->rc = pingo__decision_history_append(h, &entry, &blame, json->err);
        if (blame != PINGO_HISTORY_NONE)
            pingo__error_prefix(json->err, "%s/actions/%lu", pointer, (unsigned long)blame);
        if (json->rc == PINGO_EINVAL)
            pingo__json_reader_place(json, blame != PINGO_HISTORY_NONE ? r.offsets[blame] : offset);
    }
    pingo__arena_clear(&r.names);
    free(r.mentions);
    free(r.offsets);
    free(r.parents);
    return json->rc;
}

int pingo_history_read_line(struct pingo_history *h, const char *text, size_t length, size_t line,
                            struct pingo_error *err)
{
    struct pingo__json_reader json;
    if (pingo__json_is_blank(text, length))
        return 0;
    int rc = pingo__json_reader_open_line(&json, text, length, line, err);
    if (!rc)
        rc = pingo__decision_history_read(h, &json, json.document.offset, "");
    pingo__json_reader_clear(&json);
    return rc;
}
