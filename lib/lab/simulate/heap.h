/* heap.h - a heap of pointers: the least one first. */
#ifndef PINGO__LAB_HEAP_H
#define PINGO__LAB_HEAP_H

#include <stdbool.h>
#include <stddef.h>

struct pingo__heap {
    void **items;
    size_t n, capacity;
    /* < 0: a comes before b; an order without ties. */
    int (*compare)(const void *a, const void *b);
};

void pingo__heap_init(struct pingo__heap *h, int (*compare)(const void *a, const void *b));
void pingo__heap_clear(struct pingo__heap *h);
/* false: no memory. */
bool pingo__heap_push(struct pingo__heap *h, void *item);
/* The least one; NULL where it is empty. */
void *pingo__heap_first(const struct pingo__heap *h);
void *pingo__heap_pop(struct pingo__heap *h);

#endif
