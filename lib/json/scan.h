/* scan.h - the tokens of JSON text, checked to the letter; shared by document.c
 * and value.c.  The functions move `at` behind what they read, or note a fault. */
#ifndef PINGO__JSON_SCAN_H
#define PINGO__JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/document.h"

struct pingo__json_scan {
    const char *text;
    size_t length, at;
    size_t fault_offset;
    char message[320]; /* of the fault; "" while there is none */
};

struct pingo__json_token {
    size_t offset, end; /* of a string: with its quotes */
    bool has_escapes;   /* of a string */
    int64_t integer;    /* of a number: it, where it is from 0 to 2^53-1 and spelled so; else -1 */
};

#define PINGO__JSON_INTEGER_MAX INT64_C(9007199254740991) /* 2^53-1 */

/* A number: DIGITS times ten to the power, and below zero or not.  Of the digits the first 18 that count. */
struct pingo__json_decimal {
    bool below;
    uint64_t digits;
    int power;
};
/* Of a well-spelled number, whatever the locale. */
struct pingo__json_decimal pingo__json_decimal(const char *number, size_t n);

/* What the value that begins with this byte is. */
enum pingo__json_kind pingo__json_kind_of(char c);

/* Notes a fault at an offset.  Always false, for `return`. */
bool pingo__json_fault_at(struct pingo__json_scan *s, size_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected WHAT, found ..." at `at`. */
bool pingo__json_expected(struct pingo__json_scan *s, const char *what);

void pingo__json_skip_space(struct pingo__json_scan *s);
bool pingo__json_scan_string(struct pingo__json_scan *s, struct pingo__json_token *token);
/* A string, number or word. */
bool pingo__json_scan_scalar(struct pingo__json_scan *s, struct pingo__json_token *token);
/* Past a value of a text that was checked, whatever is in it. */
void pingo__json_skip_value(struct pingo__json_scan *s);

/* The bytes of a string that scan_string accepted, without quotes and escapes, in the arena and
 * ended with NUL.  NULL: no memory. */
char *pingo__json_decode(const struct pingo__json_scan *s, const struct pingo__json_token *token,
                         struct pingo__arena *arena, size_t *length);

#endif
