/* encode.c - an action -> its canonical description; see encoding.h.
 *
 * What always holds: what comes out depends on what the action is, not on the
 * order in which inputs, tools or parents were given. */
#include "digest/encoding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pingo/action_type.h>

#include "base/error.h"
#include "digest/originals.h"
#include "workflow/kinds.h"

struct pingo__digest_encode_slot {
    const char *key; /* a text that ends with NUL, or the bytes of a hash */
    const struct pingo_version_command *command;
    uint32_t index;
};

typedef int (*compare_fn)(const void *, const void *);

void pingo__digest_encoder_init(struct pingo__digest_encoder *encoder)
{
    memset(encoder, 0, sizeof *encoder);
}

void pingo__digest_encoder_clear(struct pingo__digest_encoder *encoder)
{
    free(encoder->slots);
    pingo__digest_encoder_init(encoder);
}

static struct pingo__digest_encode_slot *slots_for(struct pingo__digest_encoder *encoder, size_t n)
{
    struct pingo__digest_encode_slot *slots;
    if (n <= encoder->capacity)
        return encoder->slots;
    if (n > SIZE_MAX / 2 / sizeof *slots)
        return NULL;
    slots = realloc(encoder->slots, 2 * n * sizeof *slots);
    if (!slots)
        return NULL;
    encoder->slots = slots;
    encoder->capacity = 2 * n;
    return slots;
}

static int by_text(const void *a, const void *b)
{
    const struct pingo__digest_encode_slot *x = a, *y = b;
    return strcmp(x->key, y->key);
}

static int by_hash(const void *a, const void *b)
{
    const struct pingo__digest_encode_slot *x = a, *y = b;
    return memcmp(x->key, y->key, PINGO_HASH_SIZE);
}

int pingo__digest_encoding_compare_commands(const char *const *a, size_t na, const char *const *b,
                                            size_t nb)
{
    int order = 0;
    for (size_t i = 0; order == 0 && i < na && i < nb; i++)
        order = strcmp(a[i], b[i]);
    return order != 0 ? order : na < nb ? -1 : na > nb;
}

static int by_command(const void *a, const void *b)
{
    const struct pingo_version_command *x = ((const struct pingo__digest_encode_slot *)a)->command;
    const struct pingo_version_command *y = ((const struct pingo__digest_encode_slot *)b)->command;
    return pingo__digest_encoding_compare_commands(x->argv, x->nargv, y->argv, y->nargv);
}

/* Nearly always there are few, or they are in order already. */
static void sort(struct pingo__digest_encode_slot *slots, size_t n, compare_fn compare)
{
    size_t sorted = n < 2 ? n : 1;
    while (sorted < n && compare(&slots[sorted - 1], &slots[sorted]) <= 0)
        sorted++;
    if (sorted == n)
        return;
    if (n > 16) {
        qsort(slots, n, sizeof *slots, compare);
        return;
    }
    for (; sorted < n; sorted++) {
        struct pingo__digest_encode_slot slot = slots[sorted];
        size_t at = sorted;
        for (; at > 0 && compare(&slots[at - 1], &slot) > 0; at--)
            slots[at] = slots[at - 1];
        slots[at] = slot;
    }
}

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

static void put_text(struct pingo__buffer *out, const char *text)
{
    size_t n = strlen(text);
    char number[4];
    set_number(number, n);
    put(out, number, sizeof number);
    put(out, text, n);
}

/* Starts a record and says where; its length is filled in at the end. */
static size_t begin(struct pingo__buffer *out, enum pingo__digest_record_tag tag)
{
    char head[5] = {(char)tag};
    put(out, head, sizeof head);
    return out->length;
}

static void end(struct pingo__buffer *out, size_t start)
{
    if (!out->failed)
        set_number(out->data + start - 4, out->length - start);
}

static void put_record(struct pingo__buffer *out, enum pingo__digest_record_tag tag,
                       const char *text)
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

static void put_fields(const struct pingo_action *action, struct pingo__buffer *out)
{
    for (size_t i = 0; i < action->nfields; i++) {
        const struct pingo_field *field = &action->fields[i];
        if (action->type->describes && !action->type->describes(field))
            continue;
        size_t start = begin(out, PINGO__RECORD_FIELD);
        put_text(out, field->key);
        put_letter(out, pingo__workflow_kind_find(field->kind)->letter);
        for (size_t v = 0; v < field->nvalues; v++)
            put_text(out, field->values[v]);
        end(out, start);
    }
}

/* "action 3 ("sort"): input "text": MESSAGE", MESSAGE naming the path. */
static int missing(const struct pingo_action *action, const char *what, const char *name,
                   const struct pingo__digest_original *original, struct pingo_error *err)
{
    return pingo__fail(err, original->error, "action %" PRId64 " (\"%.100s\"): %s \"%.200s\": %s",
                       action->id, action->name, what, name, original->message);
}

static void put_input(const struct pingo_input *input,
                      const struct pingo__digest_original *original, struct pingo__buffer *out)
{
    size_t start = begin(out, PINGO__RECORD_INPUT);
    put_text(out, input->name);
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
    end(out, start);
}

static int put_inputs(struct pingo__digest_encoder *encoder, const struct pingo_action *action,
                      const struct pingo__digest_encode_source *source, struct pingo__buffer *out,
                      struct pingo_error *err)
{
    struct pingo__digest_encode_slot *slots = slots_for(encoder, action->ninputs);
    if (!slots && action->ninputs > 0)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < action->ninputs; i++)
        slots[i] = (struct pingo__digest_encode_slot){action->inputs[i].name, NULL, (uint32_t)i};
    sort(slots, action->ninputs, by_text);
    for (size_t i = 0; i < action->ninputs; i++) {
        const struct pingo_input *input = &action->inputs[slots[i].index];
        uint32_t ref = source->refs[slots[i].index];
        const struct pingo__digest_original *original =
            ref == UINT32_MAX ? NULL : &source->originals[ref];
        if (original && original->error != 0)
            return missing(action, "input", input->name, original, err);
        put_input(input, original, out);
    }
    return 0;
}

static int put_tools(struct pingo__digest_encoder *encoder, const struct pingo_action *action,
                     const struct pingo__digest_encode_source *source, struct pingo__buffer *out,
                     struct pingo_error *err)
{
    struct pingo__digest_encode_slot *slots = slots_for(encoder, action->ntools);
    if (!slots && action->ntools > 0)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < action->ntools; i++)
        slots[i] = (struct pingo__digest_encode_slot){action->tools[i], NULL, (uint32_t)i};
    sort(slots, action->ntools, by_text);
    for (size_t i = 0; i < action->ntools; i++) {
        const struct pingo__digest_original *original =
            &source->originals[source->refs[action->ninputs + slots[i].index]];
        if (i > 0 && strcmp(slots[i - 1].key, slots[i].key) == 0)
            continue; /* said twice is said once */
        if (original->error != 0)
            return missing(action, "tool", slots[i].key, original, err);
        size_t start = begin(out, PINGO__RECORD_TOOL);
        put_text(out, slots[i].key);
        put_hash(out, &original->hash);
        end(out, start);
    }
    return 0;
}

static int put_versions(struct pingo__digest_encoder *encoder, const struct pingo_action *action,
                        const struct pingo__digest_encode_source *source, struct pingo__buffer *out,
                        struct pingo_error *err)
{
    const uint32_t *refs = source->refs + action->ninputs + action->ntools;
    struct pingo__digest_encode_slot *slots = slots_for(encoder, action->nversions);
    if (!slots && action->nversions > 0)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < action->nversions; i++)
        slots[i] = (struct pingo__digest_encode_slot){NULL, &action->versions[i], (uint32_t)i};
    sort(slots, action->nversions, by_command);
    for (size_t i = 0; i < action->nversions; i++) {
        const struct pingo_version_command *command = slots[i].command;
        const struct pingo__digest_original *original = &source->originals[refs[slots[i].index]];
        if (i > 0 && by_command(&slots[i - 1], &slots[i]) == 0)
            continue; /* said twice is said once */
        if (original->error != 0)
            return pingo__fail(err, original->error, "action %" PRId64 " (\"%.100s\"): versions: %s",
                               action->id, action->name, original->message);
        size_t start = begin(out, PINGO__RECORD_VERSION);
        char number[4];
        set_number(number, command->nargv);
        put(out, number, sizeof number);
        for (size_t k = 0; k < command->nargv; k++)
            put_text(out, command->argv[k]);
        put_hash(out, &original->hash);
        end(out, start);
    }
    return 0;
}

static int put_parents(struct pingo__digest_encoder *encoder, const struct pingo_action *action,
                       const struct pingo_hash *hashes, struct pingo__buffer *out,
                       struct pingo_error *err)
{
    struct pingo__digest_encode_slot *slots = slots_for(encoder, action->nparents);
    bool unordered = action->type->parents_are_unordered;
    if (!slots && action->nparents > 0)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < action->nparents; i++) {
        const struct pingo_parent *parent = &action->parents[i];
        slots[i].key = unordered ? (const char *)hashes[parent->index].bytes : parent->role;
        slots[i].index = (uint32_t)parent->index;
    }
    sort(slots, action->nparents, unordered ? by_hash : by_text);
    for (size_t i = 0; i < action->nparents; i++) {
        size_t start = begin(out, unordered ? PINGO__RECORD_UNORDERED : PINGO__RECORD_PARENT);
        if (!unordered)
            put_text(out, slots[i].key);
        put_hash(out, &hashes[slots[i].index]);
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
    put_fields(action, out);
    if (action->salt)
        put_record(out, PINGO__RECORD_SALT, action->salt);
    if (!action->is_managed)
        put_record(out, PINGO__RECORD_OUTPUT, action->output_path);
    int rc = put_inputs(encoder, action, source, out, err);
    if (rc == 0)
        rc = put_tools(encoder, action, source, out, err);
    if (rc == 0)
        rc = put_versions(encoder, action, source, out, err);
    if (rc == 0)
        rc = put_parents(encoder, action, source->hashes, out, err);
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
