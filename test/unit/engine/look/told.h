/* told.h - what a list tells, as one line of text. */
#ifndef TEST_ENGINE_LOOK_TOLD_H
#define TEST_ENGINE_LOOK_TOLD_H

#include "unit/engine/box.h"

struct told {
    char text[32768];
    size_t n;
};

static inline void add(struct told *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline void add(struct told *t, const char *format, ...)
{
    size_t length = strlen(t->text);
    va_list args;

    va_start(args, format);
    vsnprintf(t->text + length, sizeof t->text - length, format, args);
    va_end(args);
    t->n++;
}

#endif
