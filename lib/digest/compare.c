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
    bool inherited;                            /* what is told is */
    struct pingo__buffer field, before, after; /* readable */
};

static void start(struct teller *t)
{
    t->inherited = false;
    pingo__buffer_reset(&t->field);
    pingo__buffer_reset(&t->before);
    pingo__buffer_reset(&t->after);
}

static size_t first_difference(const struct pingo__buffer *a, const struct pingo__buffer *b)
{
    size_t i = 0;
    while (i < a->length && i < b->length && a->data[i] == b->data[i])
        i++;
    return i;
}

/* Tells what start() and the caller put into field, before and after. */
static void tell(struct teller *t, bool has_before, bool has_after)
{
    size_t at = first_difference(&t->before, &t->after);
    if (t->stopped || t->no_memory)
        return;
    pingo__digest_readable_shorten(&t->before, at);
    pingo__digest_readable_shorten(&t->after, at);
    const char *field = pingo__buffer_cstr(&t->field);
    const char *before = has_before ? pingo__buffer_cstr(&t->before) : NULL;
    const char *after = has_after ? pingo__buffer_cstr(&t->after) : NULL;
    t->no_memory = !field || (has_before && !before) || (has_after && !after);
    if (t->no_memory)
        return;
    if (t->told < INT_MAX)
        t->told++;
    struct pingo_difference difference = {
        .field = field, .before = before, .after = after, .inherited = t->inherited};
    t->stopped = t->fn(t->context, &difference) != 0;
}

/* Two texts of which either may be NULL: not there.  name: of a variable or other pair of the field; NULL. */
static void compare_text(struct teller *t, const char *field, const char *name, const char *before,
                         const char *after)
{
    if (before == after || (before && after && strcmp(before, after) == 0))
        return;
    start(t);
    pingo__buffer_text(&t->field, field);
    if (name) {
        pingo__buffer_char(&t->field, ' ');
        pingo__quoting_shown(&t->field, name);
    }
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

static void compare_pairs(struct teller *t, const struct pingo_field *a, const struct pingo_field *b)
{
    size_t i = 0, k = 0;
    while (i < a->nvalues || k < b->nvalues) {
        int order = i >= a->nvalues ? 1 : k >= b->nvalues ? -1 : strcmp(a->values[i], b->values[k]);
        compare_text(t, a->key, order <= 0 ? a->values[i] : b->values[k],
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

/* Of one key; either may be NULL, where it is not there. */
static void compare_field(struct teller *t, const struct pingo_field *a, const struct pingo_field *b)
{
    bool kinds_differ = a && b && a->kind != b->kind;
    if (a && b && same_values(a, b))
        return;
    if (a && b && a->kind == PINGO_FIELD_PAIRS && !kinds_differ) {
        compare_pairs(t, a, b);
        return;
    }
    start(t);
    pingo__quoting_shown(&t->field, a ? a->key : b->key);
    if (a)
        show_field(&t->before, a, kinds_differ);
    if (b)
        show_field(&t->after, b, kinds_differ);
    tell(t, a, b);
}

/* ---- inputs, tools, versions, parents ------------------------------------------------- */

static bool are_equal(const struct pingo__digest_piece *a, const struct pingo__digest_piece *b)
{
    const struct pingo_described_input *x = a->input, *y = b->input;
    if (!x)
        return memcmp(a->hash, b->hash, sizeof *a->hash) == 0;
    return strcmp(x->kind, y->kind) == 0 && strcmp(x->identity, y->identity) == 0 &&
           (!x->version || strcmp(x->version, y->version) == 0);
}

static void show(const struct pingo__digest_piece *piece, struct pingo__buffer *out)
{
    if (!piece->input) {
        char hex[PINGO_HASH_HEX_SIZE];
        pingo_hash_to_hex(piece->hash, hex);
        pingo__buffer_text(out, hex);
        return;
    }
    pingo__buffer_text(out, piece->input->kind);
    pingo__buffer_char(out, ' ');
    pingo__quoting_shown(out, piece->input->identity);
    if (piece->input->version) {
        pingo__buffer_text(out, " version ");
        pingo__quoting_shown(out, piece->input->version);
    }
}

/* Either may be NULL, where it is not there. */
static void tell_pieces(struct teller *t, enum pingo__digest_piece_kind kind,
                        const struct pingo__digest_piece *a, const struct pingo__digest_piece *b)
{
    static const char *const words[] = {"field", "input", "tool", "version", "parent"};
    const struct pingo_field *name = a ? &a->name : &b->name;
    start(t);
    pingo__buffer_text(&t->field, words[kind]);
    if (name->nvalues > 0) {
        pingo__buffer_char(&t->field, ' ');
        pingo__digest_readable_field(&t->field, name);
    }
    if (a)
        show(a, &t->before);
    if (b)
        show(b, &t->after);
    t->inherited = kind == PINGO__PIECE_PARENT && ((a && b) || name->nvalues == 0);
    tell(t, a, b);
}

static void compare_pieces(struct teller *t, enum pingo__digest_piece_kind kind,
                           const struct pingo_description *a, const struct pingo_description *b)
{
    struct pingo__digest_piece x, y;
    for (size_t i = 0, k = 0;;) {
        bool has_x = pingo__digest_piece_at(a, kind, i, &x);
        bool has_y = pingo__digest_piece_at(b, kind, k, &y);
        if (!has_x && !has_y)
            return;
        int order = !has_x ? 1 : !has_y ? -1 : pingo__digest_piece_order(&x, &y);
        if (kind == PINGO__PIECE_FIELD)
            compare_field(t, order <= 0 ? x.field : NULL, order >= 0 ? y.field : NULL);
        else if (order != 0 || !are_equal(&x, &y))
            tell_pieces(t, kind, order <= 0 ? &x : NULL, order >= 0 ? &y : NULL);
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
    compare_text(&t, "encoding", NULL, encodings[before->encoding], encodings[after->encoding]);
    compare_text(&t, "type", NULL, before->type, after->type);
    compare_pieces(&t, PINGO__PIECE_FIELD, before, after);
    compare_text(&t, "salt", NULL, before->salt, after->salt);
    compare_text(&t, "outputPath", NULL, before->output_path, after->output_path);
    for (enum pingo__digest_piece_kind kind = PINGO__PIECE_INPUT; kind <= PINGO__PIECE_PARENT;
         kind++)
        compare_pieces(&t, kind, before, after);
    pingo__buffer_clear(&t.field);
    pingo__buffer_clear(&t.before);
    pingo__buffer_clear(&t.after);
    return t.no_memory ? PINGO_ENOMEM : t.told;
}
