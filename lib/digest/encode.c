/* encode.c - an action -> its canonical description; see encoding.h.
 *
 * What always holds: what comes out depends on what the action is, not on the
 * order in which inputs, tools or parents were given. */
#include "digest/encoding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pingo/action_type.h>

#include "base/array.h"
#include "base/error.h"
#include "digest/originals.h"
#include "workflow/kinds.h"

void pingo__digest_encoder_clear(struct pingo__digest_encoder *encoder)
{
    free(encoder->slots);
    *encoder = (struct pingo__digest_encoder){0};
}

int pingo__digest_encoding_compare_commands(const char *const *a, size_t na, const char *const *b,
                                            size_t nb)
{
    int order = 0;
    for (size_t i = 0; order == 0 && i < na && i < nb; i++)
        order = strcmp(a[i], b[i]);
    return order != 0 ? order : na < nb ? -1 : na > nb;
}

static int compare(const void *a, const void *b)
{
    const struct pingo__digest_encode_slot *x = a, *y = b;
    if (x->nwords == 0)
        return memcmp(x->hash, y->hash, sizeof *x->hash);
    return pingo__digest_encoding_compare_commands(x->words, x->nwords, y->words, y->nwords);
}

/* Nearly always they are in order already. */
static void sort(struct pingo__digest_encode_slot *slots, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (compare(&slots[i - 1], &slots[i]) > 0) {
            qsort(slots, n, sizeof *slots, compare);
            return;
        }
}

static struct pingo__digest_encode_slot slot_of(const struct pingo_action *action,
                                                enum pingo__workflow_part part, size_t i,
                                                const struct pingo_hash *hashes)
{
    struct pingo__digest_encode_slot slot = {.nwords = 1, .index = i};
    if (part == PINGO__PART_INPUT) {
        slot.words = &action->inputs[i].name;
    } else if (part == PINGO__PART_TOOL) {
        slot.words = &action->tools[i];
    } else if (part == PINGO__PART_VERSION) {
        slot.words = action->more->versions[i].argv;
        slot.nwords = action->more->versions[i].nargv;
    } else {
        slot.words = &action->parents[i].role;
        slot.nwords = !action->type->parents_are_unordered;
        slot.hash = &hashes[action->parents[i].index];
    }
    return slot;
}

size_t pingo__digest_encode_count(const struct pingo_action *action, enum pingo__workflow_part part)
{
    return part == PINGO__PART_PARENT  ? action->nparents
           : part == PINGO__PART_INPUT ? action->ninputs
           : part == PINGO__PART_TOOL  ? action->ntools
                                       : action->more->nversions;
}

int pingo__digest_encode_sorted(struct pingo__digest_encoder *encoder,
                                const struct pingo_action *action, enum pingo__workflow_part part,
                                const struct pingo_hash *hashes, size_t *n)
{
    size_t count = pingo__digest_encode_count(action, part), kept = 0;
    bool may_repeat = part == PINGO__PART_TOOL || part == PINGO__PART_VERSION;
    *n = 0;
    if (count == 0)
        return 0;
    if (!PINGO__ARRAY_ROOM(encoder->slots, encoder->capacity, 0, count))
        return PINGO_ENOMEM;
    struct pingo__digest_encode_slot *slots = encoder->slots;
    for (size_t i = 0; i < count; i++)
        slots[i] = slot_of(action, part, i, hashes);
    sort(slots, count);
    for (size_t i = 0; i < count; i++)
        if (!may_repeat || i == 0 || compare(&slots[kept - 1], &slots[i]) != 0)
            slots[kept++] = slots[i];
    *n = kept;
    return 0;
}

size_t pingo__digest_encode_first_ref(const struct pingo_action *action,
                                      enum pingo__workflow_part part)
{
    return part == PINGO__PART_INPUT  ? 0
           : part == PINGO__PART_TOOL ? action->ninputs
                                      : action->ninputs + action->ntools;
}

/* ---- writing ------------------------------------------------------------------------ */

/* pingo__buffer_append(), but where there is room, as nearly always, in line: a description
 * is made of some thirty small pieces. */
static inline void put(struct pingo__buffer *out, const void *bytes, size_t n)
{
    if (out->failed || n >= out->capacity - out->length) {
        pingo__buffer_append(out, bytes, n);
        return;
    }
    memcpy(out->data + out->length, bytes, n);
    out->length += n;
}

/* A length that does not fit makes the description too long, which is told in the end. */
static inline void set_number(char *at, size_t n)
{
    at[0] = (char)(unsigned char)n; /* one by one: compilers make one store of it */
    at[1] = (char)(unsigned char)(n >> 8);
    at[2] = (char)(unsigned char)(n >> 16);
    at[3] = (char)(unsigned char)(n >> 24);
}

static void put_number(struct pingo__buffer *out, size_t n)
{
    char number[4];
    set_number(number, n);
    put(out, number, sizeof number);
}

/* Its length, and it. */
static void put_text(struct pingo__buffer *out, const char *text)
{
    size_t n = strlen(text);
    put_number(out, n);
    put(out, text, n);
}

/* Starts a record and says where; its length is filled in at the end. */
static size_t begin(struct pingo__buffer *out, char tag)
{
    char head[5] = {tag};
    put(out, head, sizeof head);
    return out->length;
}

static void end(struct pingo__buffer *out, size_t start)
{
    if (!out->failed)
        set_number(out->data + start - 4, out->length - start);
}

static void put_record(struct pingo__buffer *out, char tag, const char *text)
{
    size_t start = begin(out, tag);
    put(out, text, strlen(text));
    end(out, start);
}

static void put_letter(struct pingo__buffer *out, char letter)
{
    put(out, &letter, 1);
}

static void put_hash(struct pingo__buffer *out, const struct pingo_hash *hash)
{
    put(out, hash->bytes, PINGO_HASH_SIZE);
}

static void put_field(const struct pingo_action *action, const struct pingo_field *field,
                      struct pingo__buffer *out)
{
    if (action->type->describes && !action->type->describes(field))
        return;
    size_t start = begin(out, PINGO__RECORD_FIELD);
    put_text(out, field->key);
    put_letter(out, pingo__workflow_kind_find(field->kind)->letter);
    for (size_t v = 0; v < field->nvalues; v++)
        put_text(out, field->values[v]);
    end(out, start);
}

/* "action 3 ("sort"): input "text": MESSAGE", MESSAGE naming the path. */
static int missing(const struct pingo_action *action, enum pingo__workflow_part part,
                   const char *name, const struct pingo__digest_original *original,
                   struct pingo_error *err)
{
    static const char *const words[] = {"input", "tool", "versions"};
    bool named = part != PINGO__PART_VERSION;
    return pingo__fail(err, original->error, "action %" PRId64 " (\"%.100s\"): %s%s%.200s%s: %s",
                       action->id, action->name, words[part], named ? " \"" : "", named ? name : "",
                       named ? "\"" : "", original->message);
}

/* What an input is, behind its name. */
static void put_input(const struct pingo_input *input,
                      const struct pingo__digest_original *original, struct pingo__buffer *out)
{
    if (!original) {
        put_letter(out, PINGO__INPUT_URI);
        put_text(out, input->uri);
        put_text(out, input->version);
    } else if (original->kind == PINGO__ORIGINAL_STAT) {
        put_letter(out, PINGO__INPUT_STAT);
        pingo__buffer_format(out, "%s %" PRId64 " %s", original->path, original->size,
                             original->mtime);
    } else {
        put_letter(out, original->is_directory ? PINGO__INPUT_TREE : PINGO__INPUT_FILE);
        put_hash(out, &original->hash);
    }
}

struct slots {
    const struct pingo__digest_encode_slot *list;
    size_t n;
    struct pingo__buffer *out;
};

/* The records of a part, from its sorted slots. */
static int put_part(const struct pingo_action *action, enum pingo__workflow_part part,
                    const struct pingo__digest_encode_source *source, struct slots slots,
                    struct pingo_error *err)
{
    static const char tags[] = {PINGO__RECORD_INPUT, PINGO__RECORD_TOOL, PINGO__RECORD_VERSION,
                                PINGO__RECORD_PARENT};
    const uint32_t *refs = source->refs + pingo__digest_encode_first_ref(action, part);
    struct pingo__buffer *out = slots.out;
    for (size_t i = 0; i < slots.n; i++) {
        const struct pingo__digest_encode_slot *slot = &slots.list[i];
        const struct pingo__digest_original *original = NULL;
        if (part != PINGO__PART_PARENT && refs[slot->index] != UINT32_MAX)
            original = &source->originals[refs[slot->index]];
        if (original && original->error != 0)
            return missing(action, part, slot->words[0], original, err);
        size_t start = begin(out, slot->nwords == 0 ? PINGO__RECORD_UNORDERED : tags[part]);
        if (part == PINGO__PART_VERSION)
            put_number(out, slot->nwords);
        for (size_t k = 0; k < slot->nwords; k++)
            put_text(out, slot->words[k]);
        if (part == PINGO__PART_INPUT)
            put_input(&action->inputs[slot->index], original, out);
        else
            put_hash(out, slot->hash ? slot->hash : &original->hash);
        end(out, start);
    }
    return 0;
}

int pingo__digest_encode_action(struct pingo__digest_encoder *encoder,
                                const struct pingo_action *action,
                                const struct pingo__digest_encode_source *source,
                                struct pingo__buffer *out, struct pingo_error *err)
{
    size_t start = out->length;
    put(out, PINGO__ENCODING_MAGIC, PINGO__ENCODING_MAGIC_SIZE);
    put_record(out, PINGO__RECORD_TYPE, action->type->name);
    for (size_t i = 0; i < action->nfields; i++)
        put_field(action, &action->fields[i], out);
    if (action->salt)
        put_record(out, PINGO__RECORD_SALT, action->salt);
    if (!action->is_managed)
        put_record(out, PINGO__RECORD_OUTPUT, action->output_path);
    int rc = 0;
    for (enum pingo__workflow_part part = 0; rc == 0 && part < PINGO__NPARTS; part++) {
        struct slots slots = {.out = out};
        if (pingo__digest_encode_count(action, part) == 0)
            continue;
        rc = pingo__digest_encode_sorted(encoder, action, part, source->hashes, &slots.n);
        slots.list = encoder->slots;
        rc = rc != 0 ? pingo__fail_memory(err) : put_part(action, part, source, slots, err);
    }
    if (rc != 0)
        return rc;
    if (out->failed)
        return pingo__fail_memory(err);
    if (out->length - start > UINT32_MAX)
        return pingo__fail(err, PINGO_ELIMIT,
                           "action %" PRId64 " (\"%.100s\"): its description is over 4 GiB",
                           action->id, action->name);
    return 0;
}
