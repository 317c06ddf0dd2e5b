/* history_window.c - the newest part of a history: the rolling window.
 *
 * Source: thesis section 3.7, the Action Rolling Window. */
#include "decision/history.h"

static uint32_t mentions_of(const struct pingo_history *h, uint32_t submission)
{
    return h->lists[h->contents[h->items[submission].content].list].n;
}

int pingo_history_window_next(const struct pingo_history *h, uint64_t max_mentions,
                              struct pingo_history_window *w)
{
    if (w->end >= h->nitems)
        return PINGO_ENOTFOUND;
    w->nmentions += mentions_of(h, w->end++);
    while (w->nmentions > max_mentions && w->first + 1 < w->end)
        w->nmentions -= mentions_of(h, w->first++);
    return 0;
}
