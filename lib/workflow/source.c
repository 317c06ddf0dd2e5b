/* source.c - from a JSON pointer to an offset in the text. */
#include "workflow/draft.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define NOTHING SIZE_MAX

void pingo__workflow_source_clear(struct pingo__workflow_source *s)
{
    pingo__json_element_clear(&s->element);
    pingo__json_close(&s->document);
    free(s->offsets);
    s->offsets = NULL;
}

static const struct pingo__json_value *open_value(struct pingo__workflow_source *s, size_t owner,
                                                  size_t offset)
{
    if (s->owner != owner) {
        s->owner = NOTHING;
        if (!pingo__json_element_open(&s->element, offset))
            return NULL;
        s->owner = owner;
    }
    return s->element.root;
}

const struct pingo__json_value *pingo__workflow_source_member(struct pingo__workflow_source *s,
                                                              const struct pingo__json_member *member)
{
    return open_value(s, (size_t)(member - s->document.members), member->offset);
}

const struct pingo__json_value *pingo__workflow_source_action(struct pingo__workflow_source *s,
                                                              size_t offset)
{
    if (!PINGO__ARRAY_ROOM(s->offsets, s->capacity, s->noffsets, 1))
        return NULL;
    s->offsets[s->noffsets++] = (uint32_t)offset;
    return open_value(s, s->document.nmembers + s->noffsets - 1, offset);
}

/* The offset of what pointer names within the value that is open. */
static bool find_inside(struct pingo__workflow_source *s, const char *pointer, bool at_key,
                        size_t *offset)
{
    const struct pingo__json_value *v = pingo__json_find(&s->element, pointer);
    struct pingo__json_spot spot;
    if (!pingo__json_spot(&s->element, v, &spot))
        return false;
    *offset = at_key && spot.key != 0 ? spot.key : spot.value;
    return true;
}

static bool find_in_document(struct pingo__workflow_source *s, const char *pointer, bool at_key,
                             size_t *offset)
{
    const struct pingo__json_document *d = &s->document;
    const struct pingo__json_member *m = NULL;
    *offset = d->offset;
    if (pointer[0] != '/')
        return true;
    for (size_t i = 0; i < d->nmembers && !m; i++)
        if (pingo__json_part_is_key(pointer + 1, d->members[i].key))
            m = &d->members[i];
    if (!m)
        return true;
    *offset = at_key ? m->key_offset : m->offset;
    pointer += 1 + strcspn(pointer + 1, "/");
    if (*pointer == '\0')
        return true;
    return pingo__workflow_source_member(s, m) && find_inside(s, pointer, at_key, offset);
}

bool pingo__workflow_source_find(struct pingo__workflow_source *s, size_t action,
                                 const char *pointer, bool at_key, size_t *offset)
{
    if (action == PINGO__NO_ACTION || action >= s->noffsets)
        return find_in_document(s, pointer, at_key, offset);
    *offset = s->offsets[action];
    if (pointer[0] == '\0')
        return true;
    return open_value(s, s->document.nmembers + action, s->offsets[action]) &&
           find_inside(s, pointer, at_key, offset);
}
