/* text.h - small things about strings that several rooms need. */
#ifndef PINGO__BASE_TEXT_H
#define PINGO__BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* The nearest of n candidates to word by edit distance, if near enough to suggest; else one that
 * begins alike; else NULL. */
const char *pingo__text_nearest(const char *word, const char *const *candidates, size_t n);
/* The words with the separator between them, as many as have room.  Returns out. */
const char *pingo__text_join(char *out, size_t size, const char *const *words, size_t n,
                             const char *separator);
/* Which one of "a|b|c" (NULL: nothing) the word is, from 0; -1: none. */
int pingo__text_place(const char *list, const char *word);
static inline bool pingo__text_is_among(const char *list, const char *word)
{
    return pingo__text_place(list, word) >= 0;
}
/* The small letter of a large one of ASCII; any other byte is itself. */
static inline char pingo__text_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}
/* Is it a byte of a UTF-8 character that is not its first? */
static inline bool pingo__text_is_inside(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}
/* How many bytes the well-formed UTF-8 character at text has, 1 to 4; 0: there is none. */
size_t pingo__text_utf8_next(const char *text, size_t length);
/* Is it valid UTF-8 without NUL? */
bool pingo__text_is_utf8(const char *text, size_t length);
/* A decimal integer, nothing around it, within [min, max]. */
bool pingo__text_to_int64(const char *text, int64_t min, int64_t max, int64_t *value);
/* The decimal digits that stand there; moves *at behind them.  false, and it stays: there are none, or too many. */
bool pingo__text_digits(const char **at, int64_t *number);
/* [-]DIGITS[.DIGITS], at most 16 digits, whatever the locale; no integer that a double would round. */
bool pingo__text_to_real(const char *text, double *value);
/* Does text match a pattern as a shell's: * any characters, ? one, [a-z] one of them, [!a-z] one of no
 * such; a bracket that does not close stands for itself. */
bool pingo__text_glob(const char *pattern, const char *text);
/* Has it a *, ? or [? */
bool pingo__text_is_glob(const char *text);
/* Lower-case hex; out has room for 2n+1. */
void pingo__text_hex(const void *bytes, size_t n, char *out);
/* Reads 2n lower-case hex digits into n bytes, and nothing behind the first character that is none. */
bool pingo__text_from_hex(const char *hex, size_t n, void *bytes);
/* What a hexadecimal digit of either case is worth; -1: c is none. */
int pingo__text_hex_digit(char c);
/* Appends text for a URL: what is no letter, digit or character of kept as %XX. */
void pingo__text_percent(struct pingo__buffer *b, const char *text, const char *kept);
/* base64url without padding (RFC 4648, section 5), behind what is in the buffer. */
void pingo__text_base64url(struct pingo__buffer *b, const void *bytes, size_t n);
/* Reads it up to the first character that is no digit of it; as many bytes as there are, and as have room.  Returns how
 * many. */
size_t pingo__text_from_base64url(const char *text, void *bytes, size_t size);
/* The length of the character at text, which is not empty, as bytes.  *shown: it; or "?" for a byte that is no UTF-8,
 * and for what a terminal obeys instead of showing it: control characters, also those of C1, and what turns the
 * direction of writing or ends a line. */
size_t pingo__text_clean_next(const char *text, const char **shown, size_t *nshown);
/* Appends text, made fit for a terminal so, of at most max bytes: what is longer is cut, and ends with "...". */
void pingo__text_clean(struct pingo__buffer *b, const char *text, size_t max);
/* The same into size bytes, with a NUL; "" where there is no memory. */
void pingo__text_clean_to(char *to, size_t size, const char *text);
/* How many columns of a terminal n bytes take: 2 each character of East Asia, none a mark that stands on another; 1 all
 * else, also a byte that is no UTF-8. */
size_t pingo__text_width(const char *text, size_t n);

#endif
