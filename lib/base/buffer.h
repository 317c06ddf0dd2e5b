/* buffer.h - a growing string of bytes with a sticky failure: append what you
 * like, look at `failed` once.  Integers are little-endian. */
#ifndef PINGO__BASE_BUFFER_H
#define PINGO__BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pingo__buffer {
    char *data; /* not NUL-terminated, but see pingo__buffer_text(); NULL while empty */
    size_t length;
    size_t capacity;
    bool failed; /* memory ran out; further appends do nothing */
};

/* What is zeroed is an empty one; frees, and leaves such a one. */
void pingo__buffer_clear(struct pingo__buffer *b);
void pingo__buffer_reset(struct pingo__buffer *b); /* empties, keeps the memory */
void pingo__buffer_append(struct pingo__buffer *b, const void *bytes, size_t n);
void pingo__buffer_text(struct pingo__buffer *b, const char *text);
void pingo__buffer_char(struct pingo__buffer *b, char c);
void pingo__buffer_format(struct pingo__buffer *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* In decimal. */
void pingo__buffer_integer(struct pingo__buffer *b, int64_t value);
void pingo__buffer_u8(struct pingo__buffer *b, uint8_t v);
void pingo__buffer_u32(struct pingo__buffer *b, uint32_t v);
void pingo__buffer_u64(struct pingo__buffer *b, uint64_t v);
/* u32 length, then the bytes. */
void pingo__buffer_counted(struct pingo__buffer *b, const void *bytes, size_t n);
/* Ends the data with a NUL that length does not count, and returns it; NULL when failed.
 * Borrowed until the next append. */
const char *pingo__buffer_cstr(struct pingo__buffer *b);
/* Like cstr, but the memory is now yours (free()), and the buffer empty.  NULL when failed. */
char *pingo__buffer_take(struct pingo__buffer *b);

/* Reading back what was written: a cursor with a sticky failure. */
struct pingo__buffer_reader {
    const char *data;
    size_t length;
    size_t at;
    bool failed; /* the bytes ended too early */
};
uint8_t pingo__buffer_read_u8(struct pingo__buffer_reader *r);
uint32_t pingo__buffer_read_u32(struct pingo__buffer_reader *r);
uint64_t pingo__buffer_read_u64(struct pingo__buffer_reader *r);
/* Borrowed from data; NULL when failed. */
const char *pingo__buffer_read_bytes(struct pingo__buffer_reader *r, size_t n);
const char *pingo__buffer_read_counted(struct pingo__buffer_reader *r, size_t *n);

#endif
