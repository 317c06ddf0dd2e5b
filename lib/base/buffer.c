/* buffer.c - a growing string of bytes, and a cursor that reads one back.
 *
 * What always holds: after a failure the data is that before the failed append,
 * and nothing more is added.  Integers are little-endian on every machine. */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL 40 /* bytes of what is formatted */

void pingo__buffer_clear(struct pingo__buffer *b)
{
    free(b->data);
    *b = (struct pingo__buffer){0};
}

void pingo__buffer_reset(struct pingo__buffer *b)
{
    b->length = 0;
    b->failed = false;
}

/* Room for n more bytes and a NUL. */
static bool make_room(struct pingo__buffer *b, size_t n)
{
    size_t capacity = b->capacity < 64 ? 64 : b->capacity;
    if (b->failed)
        return false;
    if (n < b->capacity - b->length)
        return true;
    bool fits = n <= SIZE_MAX / 4 - b->length;
    while (fits && capacity <= b->length + n)
        capacity *= 2;
    char *data = fits ? realloc(b->data, capacity) : NULL;
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->capacity = capacity;
    return true;
}

void pingo__buffer_append(struct pingo__buffer *b, const void *bytes, size_t n)
{
    if (n == 0 || !make_room(b, n))
        return;
    memcpy(b->data + b->length, bytes, n);
    b->length += n;
}

void pingo__buffer_text(struct pingo__buffer *b, const char *text)
{
    pingo__buffer_append(b, text, strlen(text));
}

void pingo__buffer_char(struct pingo__buffer *b, char c)
{
    if (!make_room(b, 1))
        return;
    b->data[b->length++] = c;
}

void pingo__buffer_format(struct pingo__buffer *b, const char *format, ...)
{
    va_list args;
    if (!make_room(b, USUAL))
        return;
    va_start(args, format);
    size_t room = b->capacity - b->length;
    int n = vsnprintf(b->data + b->length, room, format, args);
    va_end(args);
    if (n < 0)
        b->failed = true;
    if (n < 0 || !make_room(b, (size_t)n))
        return;
    if ((size_t)n >= room) {
        va_start(args, format);
        vsnprintf(b->data + b->length, (size_t)n + 1, format, args);
        va_end(args);
    }
    b->length += (size_t)n;
}

void pingo__buffer_integer(struct pingo__buffer *b, int64_t value)
{
    char digits[20];
    size_t n = sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do
        digits[--n] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (value < 0)
        digits[--n] = '-';
    pingo__buffer_append(b, digits + n, sizeof digits - n);
}

static void append_number(struct pingo__buffer *b, uint64_t v, size_t n)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(v >> (8 * i));
    pingo__buffer_append(b, bytes, n);
}

void pingo__buffer_u8(struct pingo__buffer *b, uint8_t v)
{
    append_number(b, v, 1);
}

void pingo__buffer_u32(struct pingo__buffer *b, uint32_t v)
{
    append_number(b, v, 4);
}

void pingo__buffer_u64(struct pingo__buffer *b, uint64_t v)
{
    append_number(b, v, 8);
}

void pingo__buffer_counted(struct pingo__buffer *b, const void *bytes, size_t n)
{
    if (n > UINT32_MAX) {
        b->failed = true;
        return;
    }
    pingo__buffer_u32(b, (uint32_t)n);
    pingo__buffer_append(b, bytes, n);
}

const char *pingo__buffer_cstr(struct pingo__buffer *b)
{
    if (!make_room(b, 1))
        return NULL;
    b->data[b->length] = '\0';
    return b->data;
}

char *pingo__buffer_take(struct pingo__buffer *b)
{
    if (!pingo__buffer_cstr(b))
        return NULL;
    char *data = b->data;
    *b = (struct pingo__buffer){0};
    return data;
}

const char *pingo__buffer_read_bytes(struct pingo__buffer_reader *r, size_t n)
{
    if (r->failed || n > r->length - r->at) {
        r->failed = true;
        return NULL;
    }
    /* Also for n = 0 over no data at all a pointer that is not NULL. */
    const char *bytes = r->data ? r->data + r->at : "";
    r->at += n;
    return bytes;
}

static uint64_t read_number(struct pingo__buffer_reader *r, size_t n)
{
    const char *bytes = pingo__buffer_read_bytes(r, n);
    uint64_t v = 0;
    if (!bytes)
        return 0;
    for (size_t i = 0; i < n; i++)
        v |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    return v;
}

uint8_t pingo__buffer_read_u8(struct pingo__buffer_reader *r)
{
    return (uint8_t)read_number(r, 1);
}

uint32_t pingo__buffer_read_u32(struct pingo__buffer_reader *r)
{
    return (uint32_t)read_number(r, 4);
}

uint64_t pingo__buffer_read_u64(struct pingo__buffer_reader *r)
{
    return read_number(r, 8);
}

const char *pingo__buffer_read_counted(struct pingo__buffer_reader *r, size_t *n)
{
    *n = pingo__buffer_read_u32(r);
    const char *bytes = pingo__buffer_read_bytes(r, *n);
    if (!bytes)
        *n = 0;
    return bytes;
}
