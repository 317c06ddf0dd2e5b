/* heap.h - a heap of pointers: the least one first. */
#ifndef PINGO__LAB_HEAP_H
#define PINGO__LAB_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* With its compare alone it is empty. */
struct pingo__lab_heap {
    void **items;
    size_t n, capacity;
    /* < 0: a comes before b; an order without ties. */
    int (*compare)(const void *a, const void *b);
};

void pingo__lab_heap_clear(struct pingo__lab_heap *h);
/* false: no memory. */
bool pingo__lab_heap_push(struct pingo__lab_heap *h, void *item);
/* The least one; NULL where it is empty. */
void *pingo__lab_heap_first(const struct pingo__lab_heap *h);
void *pingo__lab_heap_pop(struct pingo__lab_heap *h);

#endif
