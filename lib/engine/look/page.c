/* page.c - see page.h.  A cursor is "LIST.N.N.N.N". */
#include "engine/look/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

int pingo__engine_page_begin(struct pingo__engine_page *p, int rc, struct pingo_error *err)
{
    char text[PINGO_CURSOR_SIZE], *rest = text, *word;
    size_t n = 0;
    p->n = PINGO__PAGE_ROWS;
    if (rc || !p->after || !*p->after)
        return rc;
    if (snprintf(text, sizeof text, "%s", p->after) < (int)sizeof text &&
        strcmp(strsep(&rest, "."), p->list) == 0)
        while (n < PINGO__PAGE_KEYS && (word = strsep(&rest, ".")) &&
               pingo__text_to_int64(word, INT64_MIN, INT64_MAX, &p->at[n]))
            n++;
    if (n != PINGO__PAGE_KEYS || rest)
        return pingo__fail(err, PINGO_EINVAL,
                           "\"%.80s\" is no place in this list: give what `next` was", p->after);
    p->begun = true;
    return 0;
}

bool pingo__engine_page_goes_on(struct pingo__engine_page *p, int rc)
{
    bool is_full =
        p->limit && p->told == p->limit && !p->next; /* whether there is more is not asked */
    pingo__arena_clear(&p->arena);
    return !rc && !p->more && !is_full && p->n == PINGO__PAGE_ROWS;
}

bool pingo__engine_page_takes(struct pingo__engine_page *p, int rc, size_t i, size_t n)
{
    p->n = n;
    if (rc || i >= n)
        return false;
    p->more = p->limit && p->told == p->limit;
    p->told += !p->more;
    return !p->more;
}

int pingo__engine_page_end(struct pingo__engine_page *p, int rc)
{
    pingo__arena_clear(&p->arena);
    if (p->next && (!p->more || !p->told))
        *p->next = '\0';
    else if (p->next)
        snprintf(p->next, PINGO_CURSOR_SIZE, "%s.%" PRId64 ".%" PRId64 ".%" PRId64 ".%" PRId64,
                 p->list, p->at[0], p->at[1], p->at[2], p->at[3]);
    return rc;
}
