/* readable.c - values of a description as text for people; see readable.h. */
#include "digest/readable.h"

#include "base/quoting.h"
#include "base/text.h"
#include "workflow/kinds.h"

#define SHOWN_BYTES 160  /* of a shortened text */
#define LEADING_BYTES 40 /* shown of what comes before the difference */

void pingo__digest_readable_field(struct pingo__buffer *out, const struct pingo_field *field)
{
    if (pingo__workflow_kind_find(field->kind)->is_single) {
        pingo__quoting_shown(out, field->values[0]);
        return;
    }
    for (size_t i = 0; i < field->nvalues; i++) {
        bool is_value = field->kind == PINGO_FIELD_PAIRS && i % 2 == 1;
        if (i > 0)
            pingo__buffer_char(out, is_value ? '=' : ' ');
        pingo__quoting_shell_shown(out, field->values[i]);
    }
}

void pingo__digest_readable_shorten(struct pingo__buffer *text, size_t at)
{
    size_t length = text->length;
    size_t from = at > LEADING_BYTES ? at - LEADING_BYTES : 0;
    struct pingo__buffer cut = {.failed = text->failed};
    if (length <= SHOWN_BYTES)
        return;
    if (from > length - SHOWN_BYTES)
        from = length - SHOWN_BYTES;
    size_t to = from + SHOWN_BYTES;
    while (from > 0 && pingo__text_is_inside(text->data[from]))
        from--;
    while (to < length && pingo__text_is_inside(text->data[to]))
        to++;
    pingo__buffer_text(&cut, from > 0 ? "..." : "");
    pingo__buffer_append(&cut, text->data + from, to - from);
    pingo__buffer_text(&cut, to < length ? "..." : "");
    pingo__buffer_clear(text);
    *text = cut;
}
