/* arena.c - memory that is freed at once: a list of blocks, the newest of which
 * is filled from both ends: texts from the top, so that nothing is lost between them
 * and what must be aligned.  Blocks grow with the arena, so that a small one stays
 * small and a large one makes few calls.  What is lent is zeroed then, for most of a
 * block is never lent; a large piece comes zeroed from the system, which may put that off. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BLOCK ((size_t)4096)
#define LARGEST_BLOCK ((size_t)1 << 20)

struct pingo__arena_block {
    struct pingo__arena_block *next;
    alignas(max_align_t) char bytes[];
};

void pingo__arena_clear(struct pingo__arena *a)
{
    struct pingo__arena_block *next;
    for (struct pingo__arena_block *b = a->blocks; b; b = next) {
        next = b->next;
        free(b);
    }
    *a = (struct pingo__arena){0};
}

void pingo__arena_reset(struct pingo__arena *a)
{
    struct pingo__arena_block *kept = a->blocks;
    if (!kept)
        return;
    size_t size = a->size;
    a->blocks = kept->next;
    pingo__arena_clear(a);
    kept->next = NULL;
    a->blocks = kept;
    a->size = a->top = size;
}

static struct pingo__arena_block *block_new(size_t size, bool is_zeroed)
{
    size_t all = sizeof(struct pingo__arena_block) + size;
    if (all < size)
        return NULL;
    return is_zeroed ? calloc(1, all) : malloc(all);
}

/* A large piece gets a block of its own behind the newest, whose rest stays in use. */
static void *lend_apart(struct pingo__arena *a, size_t size, bool is_zeroed)
{
    struct pingo__arena_block *b = block_new(size, is_zeroed);
    if (!b)
        return NULL;
    if (!a->blocks) {
        b->next = NULL;
        a->blocks = b;
        a->used = a->top = a->size = size;
    } else {
        b->next = a->blocks->next;
        a->blocks->next = b;
    }
    return b->bytes;
}

static void *lend(struct pingo__arena *a, size_t size, size_t alignment, bool is_zeroed)
{
    size_t start = (a->used + alignment - 1) & ~(alignment - 1); /* a power of two */
    if (!a->blocks || start > a->top || size > a->top - start) {
        size_t grown = a->blocks ? a->size * 2 : FIRST_BLOCK;
        if (grown < FIRST_BLOCK)
            grown = FIRST_BLOCK;
        if (grown > LARGEST_BLOCK)
            grown = LARGEST_BLOCK;
        if (size > grown / 4)
            return lend_apart(a, size, is_zeroed);
        struct pingo__arena_block *b = block_new(grown, false);
        if (!b)
            return NULL;
        b->next = a->blocks;
        a->blocks = b;
        a->size = a->top = grown;
        a->used = start = 0;
    }
    if (alignment == 1)
        start = a->top -= size;
    else
        a->used = start + size;
    return is_zeroed ? memset(a->blocks->bytes + start, 0, size) : a->blocks->bytes + start;
}

void *pingo__arena_alloc(struct pingo__arena *a, size_t size)
{
    return lend(a, size == 0 ? 1 : size, alignof(max_align_t), true);
}

void *pingo__arena_array(struct pingo__arena *a, size_t n, size_t size)
{
    /* A type's size is a multiple of its alignment, which is that of a number or a pointer at most. */
    size_t alignment = size & (~size + 1);
    if (size == 0 || n > SIZE_MAX / size)
        return NULL;
    if (alignment > alignof(uint64_t))
        alignment = alignof(uint64_t);
    return lend(a, n == 0 ? 1 : n * size, alignment, true);
}

bool pingo__arena_room(struct pingo__arena *a, void **array, size_t n, size_t *capacity, size_t size)
{
    size_t grown = *capacity ? *capacity * 2 : 8;
    if (n < *capacity)
        return true;
    void *copy = pingo__arena_array(a, grown, size);
    if (!copy)
        return false;
    if (n)
        memcpy(copy, *array, n * size);
    *array = copy;
    *capacity = grown;
    return true;
}

char *pingo__arena_text(struct pingo__arena *a, const char *text, size_t length)
{
    if (length == SIZE_MAX)
        return NULL;
    char *copy = lend(a, length + 1, 1, false);
    if (!copy)
        return NULL;
    copy[length] = '\0';
    return length ? memcpy(copy, text, length) : copy;
}

char *pingo__arena_vformat(struct pingo__arena *a, const char *format, va_list args)
{
    char small[160];
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, format, again);
    va_end(again);
    if (n >= 0 && (size_t)n < sizeof small)
        return pingo__arena_text(a, small, (size_t)n);
    char *text = n < 0 ? NULL : lend(a, (size_t)n + 1, 1, false);
    if (text)
        vsnprintf(text, (size_t)n + 1, format, args);
    return text;
}

char *pingo__arena_format(struct pingo__arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = pingo__arena_vformat(a, format, args);
    va_end(args);
    return text;
}
