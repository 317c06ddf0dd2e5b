/* called.c - see called.h. */
#include "base/called.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pingo/error.h>

#include "base/map.h"
#include "base/text.h"

#define LONGEST 200 /* of one part of a path: of 255 bytes, to which a temporary name adds some */

const char *pingo__called_suffixes(const char *output)
{
    const char *dot = strchr(output + strspn(output, "."), '.');
    return dot && dot[1] ? dot : "";
}

static bool ends_with(const char *text, size_t n, const char *tail, size_t ntail)
{
    return n > ntail && memcmp(text + n - ntail, tail, ntail) == 0;
}

size_t pingo__called_stem(const char *name, const char *suffixes)
{
    size_t n = strlen(name), nsuffixes = strlen(suffixes);
    if (!nsuffixes)
        return n;
    if (ends_with(name, n, suffixes, nsuffixes))
        return n - nsuffixes;
    for (const char *dot = strrchr(suffixes, '.');
         dot && dot > suffixes;) { /* call.vcf, or call.gz */
        size_t head = (size_t)(dot - suffixes);
        if (ends_with(name, n, suffixes, head))
            return n - head;
        if (ends_with(name, n, dot, nsuffixes - head))
            return n - (nsuffixes - head);
        while (dot > suffixes && *--dot != '.') {
        }
    }
    return n;
}

void pingo__called_put(struct pingo__buffer *b, size_t part, const char *text, size_t length)
{
    for (size_t i = 0, step; i < length; i += step) {
        const char *at = text + i, *shown;
        bool leads = b->length == part && *at == '.';
        size_t nshown;
        step = pingo__text_clean_next(at, &shown, &nshown);
        bool is_obeyed = shown != at && pingo__text_utf8_next(at, length - i) > 0;
        if (*at == '/' || leads || is_obeyed)
            pingo__buffer_char(b, '_');
        else
            pingo__buffer_append(b, at, step);
    }
}

void pingo__called_end(struct pingo__buffer *b, size_t part, int64_t id)
{
    if (b->failed)
        return;
    if (b->length == part)
        pingo__buffer_char(b, '_');
    if (b->length - part > LONGEST) {
        b->length = part + LONGEST - 20;
        while (b->length > part && pingo__text_is_inside(b->data[b->length]))
            b->length--; /* not within a character */
        pingo__buffer_format(b, "-%" PRId64, id);
    }
}

/* ---- names that repeat ----------------------------------------------------------------------------------- */

enum mark { PLAIN, REPEATS, HAS_ID };

/* Marks what has the name of another.  marks NULL: that may not be; nor may it of two that have their ids. */
static int mark_repeats(char **names, size_t n, unsigned char *marks, size_t clash[2])
{
    struct pingo__map first = {0}; /* name -> the position that had it first */
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++) {
        uint32_t other = PINGO__MAP_NONE;
        if (!pingo__map_insert(&first, names[i], strlen(names[i]), (uint32_t)i, &other)) {
            rc = PINGO_ENOMEM;
        } else if (other != PINGO__MAP_NONE &&
                   (!marks || (marks[i] == HAS_ID && marks[other] == HAS_ID))) {
            clash[0] = other;
            clash[1] = i;
            rc = PINGO_EAMBIGUOUS;
        } else if (other != PINGO__MAP_NONE) {
            marks[i] = marks[i] == PLAIN ? REPEATS : marks[i];
            marks[other] = marks[other] == PLAIN ? REPEATS : marks[other];
        }
    }
    pingo__map_clear(&first);
    return rc;
}

int pingo__called_apart(char **names, size_t n, int (*with_id)(void *context, size_t i),
                        void *context, size_t clash[2])
{
    unsigned char *marks = with_id ? calloc(n + 1, sizeof *marks) : NULL;
    bool again = true;
    int rc = with_id && !marks ? PINGO_ENOMEM : 0;
    while (!rc && again) {
        rc = mark_repeats(names, n, marks, clash);
        again = false;
        for (size_t i = 0; !rc && marks && i < n; i++)
            if (marks[i] == REPEATS) {
                marks[i] = HAS_ID;
                again = true;
                rc = with_id(context, i);
            }
    }
    free(marks);
    return rc;
}
