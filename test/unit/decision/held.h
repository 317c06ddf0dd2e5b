/* held.h - how much memory the program holds. */
#ifndef TEST_DECISION_HELD_H
#define TEST_DECISION_HELD_H

#include <malloc.h>
#include <stddef.h>

/* Bytes of memory that the program holds now. */
static inline size_t in_use(void)
{
    struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
}

#endif
