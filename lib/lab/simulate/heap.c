/* heap.c - see heap.h: a binary heap in an array. */
#include "lab/simulate/heap.h"

#include <stdlib.h>

#include "base/array.h"

void pingo__lab_heap_clear(struct pingo__lab_heap *h)
{
    free(h->items);
    *h = (struct pingo__lab_heap){.compare = h->compare};
}

bool pingo__lab_heap_push(struct pingo__lab_heap *h, void *item)
{
    size_t at = h->n;
    if (!PINGO__ARRAY_ROOM(h->items, h->capacity, h->n, 1))
        return false;
    h->n++;
    for (; at > 0 && h->compare(item, h->items[(at - 1) / 2]) < 0; at = (at - 1) / 2)
        h->items[at] = h->items[(at - 1) / 2];
    h->items[at] = item;
    return true;
}

void *pingo__lab_heap_first(const struct pingo__lab_heap *h)
{
    return h->n > 0 ? h->items[0] : NULL;
}

void *pingo__lab_heap_pop(struct pingo__lab_heap *h)
{
    void *first = pingo__lab_heap_first(h);
    size_t at = 0;
    if (!first)
        return NULL;
    void *last = h->items[--h->n];
    for (size_t child = 1; child < h->n; child = 2 * at + 1) {
        if (child + 1 < h->n && h->compare(h->items[child + 1], h->items[child]) < 0)
            child++;
        if (h->compare(last, h->items[child]) <= 0)
            break;
        h->items[at] = h->items[child];
        at = child;
    }
    if (h->n > 0)
        h->items[at] = last;
    return first;
}
