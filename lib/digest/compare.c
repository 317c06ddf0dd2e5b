/* compare.c - where two canonical descriptions differ, field by field.
 *
 * What always holds: equal descriptions give no difference, unequal ones at
 * least one; the order is that of the encoding.  Values are compared exactly,
 * and shown as readable.h says. */
#include <limits.h>
#include <string.h>

#include "base/quoting.h"
#include "digest/description.h"
#include "digest/encoding.h"
#include "digest/readable.h"
#include "workflow/kinds.h"

struct teller {
    pingo_difference_fn fn;
    void *context;
    int told;
    bool stopped, no_memory;
    struct pingo__buffer field, before, after; /* readable, at full length */
    struct pingo__buffer short_before, short_after;
};

/* One kind of named part: inputs, tools, parents. */
struct part {
    const char *word; /* "input" */
    size_t (*count)(const struct pingo_description *d);
    /* What tells it apart, as readable text; nothing where it has no name. */
    void (*name)(const struct pingo_description *d, size_t i, struct pingo__buffer *out);
    int (*order)(const struct pingo_description *a, size_t i, const struct pingo_description *b,
                 size_t k);
    bool (*equal)(const struct pingo_description *a, size_t i, const struct pingo_description *b,
                  size_t k);
    void (*show)(const struct pingo_description *d, size_t i, struct pingo__buffer *out);
};

static void start(struct teller *t)
{
    pingo__buffer_reset(&t->field);
    pingo__buffer_reset(&t->before);
    pingo__buffer_reset(&t->after);
    pingo__buffer_reset(&t->short_before);
    pingo__buffer_reset(&t->short_after);
}

static size_t first_difference(const char *a, const char *b)
{
    size_t i = 0;
    while (a && b && a[i] != '\0' && a[i] == b[i])
        i++;
    return i;
}

/* Tells what start() and the caller put into field, before and after. */
static void tell(struct teller *t, bool has_before, bool has_after)
{
    const char *before = has_before ? pingo__buffer_cstr(&t->before) : NULL;
    const char *after = has_after ? pingo__buffer_cstr(&t->after) : NULL;
    size_t at = first_difference(before, after);
    struct pingo_difference difference = {.field = pingo__buffer_cstr(&t->field)};
    if (t->stopped || t->no_memory)
        return;
    if (before) {
        pingo__digest_readable_shorten(&t->short_before, before, at);
        difference.before = pingo__buffer_cstr(&t->short_before);
    }
    if (after) {
        pingo__digest_readable_shorten(&t->short_after, after, at);
        difference.after = pingo__buffer_cstr(&t->short_after);
    }
    if (!difference.field || (has_before && !difference.before) || (has_after && !difference.after)) {
        t->no_memory = true;
        return;
    }
    if (t->told < INT_MAX)
        t->told++;
    t->stopped = t->fn(t->context, &difference) != 0;
}

/* Two texts of which either may be NULL: not there. */
static void compare_text(struct teller *t, const char *field, const char *before, const char *after)
{
    if (before == after || (before && after && strcmp(before, after) == 0))
        return;
    start(t);
    pingo__buffer_text(&t->field, field);
    if (before)
        pingo__quoting_shown(&t->before, before);
    if (after)
        pingo__quoting_shown(&t->after, after);
    tell(t, before, after);
}

/* ---- fields ------------------------------------------------------------------- */

static bool same_values(const struct pingo_field *a, const struct pingo_field *b)
{
    if (a->kind != b->kind || a->nvalues != b->nvalues)
        return false;
    for (size_t i = 0; i < a->nvalues; i++)
        if (strcmp(a->values[i], b->values[i]) != 0)
            return false;
    return true;
}

/* Of the variable or other pair of this name: its values, NULL where it is not there. */
static void compare_pair(struct teller *t, const char *key, const char *name, const char *before,
                         const char *after)
{
    if (before && after && strcmp(before, after) == 0)
        return;
    start(t);
    pingo__buffer_text(&t->field, key);
    pingo__buffer_char(&t->field, ' ');
    pingo__quoting_shown(&t->field, name);
    if (before)
        pingo__quoting_shown(&t->before, before);
    if (after)
        pingo__quoting_shown(&t->after, after);
    tell(t, before, after);
}

static void compare_pairs(struct teller *t, const struct pingo_field *a, const struct pingo_field *b)
{
    size_t i = 0, k = 0;
    while (i < a->nvalues || k < b->nvalues) {
        int order = i >= a->nvalues ? 1 : k >= b->nvalues ? -1 : strcmp(a->values[i], b->values[k]);
        compare_pair(t, a->key, order <= 0 ? a->values[i] : b->values[k],
                     order <= 0 ? a->values[i + 1] : NULL, order >= 0 ? b->values[k + 1] : NULL);
        i += order <= 0 ? 2 : 0;
        k += order >= 0 ? 2 : 0;
    }
}

static void show_field(struct pingo__buffer *out, const struct pingo_field *field, bool with_kind)
{
    pingo__digest_readable_field(out, field);
    if (with_kind)
        pingo__buffer_format(out, " (%s)", pingo__workflow_kind_find(field->kind)->called);
}

/* The fields with this key: either may be NULL, where it is not there. */
static void compare_field(struct teller *t, const char *key, const struct pingo_field *a,
                          const struct pingo_field *b)
{
    bool kinds_differ = a && b && a->kind != b->kind;
    if (a && b && same_values(a, b))
        return;
    if (a && b && a->kind == PINGO_FIELD_PAIRS && !kinds_differ) {
        compare_pairs(t, a, b);
        return;
    }
    start(t);
    pingo__quoting_shown(&t->field, key);
    if (a)
        show_field(&t->before, a, kinds_differ);
    if (b)
        show_field(&t->after, b, kinds_differ);
    tell(t, a, b);
}

static void compare_fields(struct teller *t, const struct pingo_description *a,
                           const struct pingo_description *b)
{
    size_t i = 0, k = 0;
    while (i < a->nfields || k < b->nfields) {
        int order = i >= a->nfields   ? 1
                    : k >= b->nfields ? -1
                                      : strcmp(a->fields[i].key, b->fields[k].key);
        compare_field(t, order <= 0 ? a->fields[i].key : b->fields[k].key,
                      order <= 0 ? &a->fields[i] : NULL, order >= 0 ? &b->fields[k] : NULL);
        i += order <= 0;
        k += order >= 0;
    }
}

/* ---- inputs, tools, parents ----------------------------------------------------- */

static size_t count_inputs(const struct pingo_description *d)
{
    return d->ninputs;
}

static void name_input(const struct pingo_description *d, size_t i, struct pingo__buffer *out)
{
    pingo__quoting_shown(out, d->inputs[i].name);
}

static int order_inputs(const struct pingo_description *a, size_t i,
                        const struct pingo_description *b, size_t k)
{
    return strcmp(a->inputs[i].name, b->inputs[k].name);
}

static bool equal_inputs(const struct pingo_description *a, size_t i,
                         const struct pingo_description *b, size_t k)
{
    const struct pingo_described_input *x = &a->inputs[i], *y = &b->inputs[k];
    return strcmp(x->kind, y->kind) == 0 && strcmp(x->identity, y->identity) == 0 &&
           (!x->version || strcmp(x->version, y->version) == 0);
}

static void show_input(const struct pingo_description *d, size_t i, struct pingo__buffer *out)
{
    pingo__buffer_text(out, d->inputs[i].kind);
    pingo__buffer_char(out, ' ');
    pingo__quoting_shown(out, d->inputs[i].identity);
    if (d->inputs[i].version) {
        pingo__buffer_text(out, " version ");
        pingo__quoting_shown(out, d->inputs[i].version);
    }
}

static void show_hash(const struct pingo_hash *hash, struct pingo__buffer *out)
{
    char hex[PINGO_HASH_HEX_SIZE];
    pingo_hash_to_hex(hash, hex);
    pingo__buffer_text(out, hex);
}

static size_t count_tools(const struct pingo_description *d)
{
    return d->ntools;
}

static void name_tool(const struct pingo_description *d, size_t i, struct pingo__buffer *out)
{
    pingo__quoting_shown(out, d->tools[i].name);
}

static int order_tools(const struct pingo_description *a, size_t i,
                       const struct pingo_description *b, size_t k)
{
    return strcmp(a->tools[i].name, b->tools[k].name);
}

static bool equal_tools(const struct pingo_description *a, size_t i,
                        const struct pingo_description *b, size_t k)
{
    return memcmp(&a->tools[i].content, &b->tools[k].content, sizeof(struct pingo_hash)) == 0;
}

static void show_tool(const struct pingo_description *d, size_t i, struct pingo__buffer *out)
{
    show_hash(&d->tools[i].content, out);
}

static size_t count_versions(const struct pingo_description *d)
{
    return d->nversions;
}

static void name_version(const struct pingo_description *d, size_t i, struct pingo__buffer *out)
{
    const struct pingo_described_version *version = &d->versions[i];
    const struct pingo_field command = {"", PINGO_FIELD_TEXTS, version->argv, version->nargv};
    pingo__digest_readable_field(out, &command);
}

static int order_versions(const struct pingo_description *a, size_t i,
                          const struct pingo_description *b, size_t k)
{
    const struct pingo_described_version *x = &a->versions[i], *y = &b->versions[k];
    return pingo__digest_encoding_compare_commands(x->argv, x->nargv, y->argv, y->nargv);
}

static bool equal_versions(const struct pingo_description *a, size_t i,
                           const struct pingo_description *b, size_t k)
{
    return memcmp(&a->versions[i].output, &b->versions[k].output, sizeof(struct pingo_hash)) == 0;
}

static void show_version(const struct pingo_description *d, size_t i, struct pingo__buffer *out)
{
    show_hash(&d->versions[i].output, out);
}

static size_t count_parents(const struct pingo_description *d)
{
    return d->nparents;
}

static void name_parent(const struct pingo_description *d, size_t i, struct pingo__buffer *out)
{
    if (d->parents[i].role)
        pingo__quoting_shown(out, d->parents[i].role);
}

/* By role; without roles by hash; and those with a role first, where a type has changed its mind. */
static int order_parents(const struct pingo_description *a, size_t i,
                         const struct pingo_description *b, size_t k)
{
    const struct pingo_described_parent *x = &a->parents[i], *y = &b->parents[k];
    if (!x->role && !y->role)
        return memcmp(&x->hash, &y->hash, sizeof x->hash);
    if (!x->role || !y->role)
        return x->role ? -1 : 1;
    return strcmp(x->role, y->role);
}

static bool equal_parents(const struct pingo_description *a, size_t i,
                          const struct pingo_description *b, size_t k)
{
    return memcmp(&a->parents[i].hash, &b->parents[k].hash, sizeof(struct pingo_hash)) == 0;
}

static void show_parent(const struct pingo_description *d, size_t i, struct pingo__buffer *out)
{
    show_hash(&d->parents[i].hash, out);
}

static const struct part parts[] = {
    {"input", count_inputs, name_input, order_inputs, equal_inputs, show_input},
    {"tool", count_tools, name_tool, order_tools, equal_tools, show_tool},
    {"version", count_versions, name_version, order_versions, equal_versions, show_version},
    {"parent", count_parents, name_parent, order_parents, equal_parents, show_parent},
};

static void compare_part(struct teller *t, const struct part *part,
                         const struct pingo_description *a, const struct pingo_description *b)
{
    size_t na = part->count(a), nb = part->count(b), i = 0, k = 0;
    while (i < na || k < nb) {
        int order = i >= na ? 1 : k >= nb ? -1 : part->order(a, i, b, k);
        if (order != 0 || !part->equal(a, i, b, k)) {
            start(t);
            pingo__buffer_text(&t->field, part->word);
            pingo__buffer_char(&t->field, ' ');
            size_t length = t->field.length;
            part->name(order <= 0 ? a : b, order <= 0 ? i : k, &t->field);
            if (t->field.length == length) /* it has no name */
                t->field.length--;
            if (order <= 0)
                part->show(a, i, &t->before);
            if (order >= 0)
                part->show(b, k, &t->after);
            tell(t, order <= 0, order >= 0);
        }
        i += order <= 0;
        k += order >= 0;
    }
}

int pingo_description_compare(const struct pingo_description *before,
                              const struct pingo_description *after, pingo_difference_fn fn,
                              void *context)
{
    static const char *const encodings[] = {"0", "1", "2"};
    struct teller t = {.fn = fn, .context = context};
    compare_text(&t, "encoding", encodings[before->encoding], encodings[after->encoding]);
    compare_text(&t, "type", before->type, after->type);
    compare_fields(&t, before, after);
    compare_text(&t, "salt", before->salt, after->salt);
    compare_text(&t, "outputPath", before->output_path, after->output_path);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        compare_part(&t, &parts[i], before, after);
    pingo__buffer_clear(&t.field);
    pingo__buffer_clear(&t.before);
    pingo__buffer_clear(&t.after);
    pingo__buffer_clear(&t.short_before);
    pingo__buffer_clear(&t.short_after);
    return t.no_memory ? PINGO_ENOMEM : t.told;
}
