/* scan.c - strings, numbers and words of JSON text, RFC 8259 to the letter.
 *
 * What always holds: no byte past `length` is read, the first fault is the one
 * that is told, and nothing here depends on the locale. */
#include "json/scan.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "json/document.h"

bool pingo__json_fault_at(struct pingo__json_scan *s, size_t offset, const char *format, ...)
{
    if (s->message[0] != '\0')
        return false;
    s->fault_offset = offset;
    va_list args;
    va_start(args, format);
    vsnprintf(s->message, sizeof s->message, format, args);
    va_end(args);
    return false;
}

bool pingo__json_expected(struct pingo__json_scan *s, const char *what)
{
    unsigned char c = s->at < s->length ? (unsigned char)s->text[s->at] : 0;
    if (s->at >= s->length)
        return pingo__json_fault_at(s, s->length, "expected %s, found the end of the text", what);
    if (c == '/' || c == '#')
        return pingo__json_fault_at(s, s->at,
                                    "expected %s, found '%c': JSON has no comments; a key that "
                                    "starts with \"x-\" is a free annotation",
                                    what, c);
    if (c == '\'')
        return pingo__json_fault_at(s, s->at, "expected %s, found ': strings are in double quotes",
                                    what);
    if (c >= 0x20 && c < 0x7f)
        return pingo__json_fault_at(s, s->at, "expected %s, found '%c'", what, c);
    return pingo__json_fault_at(s, s->at, "expected %s, found byte 0x%02x", what, c);
}

void pingo__json_skip_space(struct pingo__json_scan *s)
{
    while (s->at < s->length) {
        char c = s->text[s->at];
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
            return;
        s->at++;
    }
}

static bool is_plain(char c)
{
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

/* The four digits of \uXXXX, whose backslash is at offset; -1 where they are not there. */
static int32_t unicode_escape(const struct pingo__json_scan *s, size_t offset)
{
    int32_t v = 0;
    if (s->length - offset < 6 || s->text[offset] != '\\' || s->text[offset + 1] != 'u')
        return -1;
    for (size_t i = 2; i < 6; i++) {
        int digit = pingo__text_hex_digit(s->text[offset + i]);
        if (digit < 0)
            return -1;
        v = v * 16 + digit;
    }
    return v;
}

static bool scan_unicode_escape(struct pingo__json_scan *s)
{
    size_t offset = s->at;
    int32_t v = unicode_escape(s, offset);
    if (v < 0)
        return pingo__json_fault_at(s, offset, "\\u needs four hexadecimal digits");
    if (v == 0)
        return pingo__json_fault_at(s, offset, "U+0000 may not stand in a string");
    s->at += 6;
    if (v < 0xd800 || v > 0xdfff)
        return true;
    int32_t low = v < 0xdc00 ? unicode_escape(s, s->at) : -1;
    if (low < 0xdc00 || low > 0xdfff)
        return pingo__json_fault_at(s, offset,
                                    "\\u%04x is half of a surrogate pair and the other half is "
                                    "missing",
                                    (unsigned)v);
    s->at += 6;
    return true;
}

static bool scan_escape(struct pingo__json_scan *s)
{
    char c = s->length - s->at < 2 ? '\0' : s->text[s->at + 1];
    if (c == 'u')
        return scan_unicode_escape(s);
    if (c == '\0' || !strchr("\"\\/bfnrt", c))
        return pingo__json_fault_at(s, s->at,
                                    "a backslash in a string begins \\\" \\\\ \\/ \\b \\f \\n \\r "
                                    "\\t or \\uXXXX; write \\\\ for a backslash");
    s->at += 2;
    return true;
}

static bool control_fault(struct pingo__json_scan *s)
{
    unsigned c = (unsigned char)s->text[s->at];
    const char *right = c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\r' ? "\\r" : NULL;
    if (c == 0)
        return pingo__json_fault_at(s, s->at, "U+0000 may not stand in a string");
    if (right)
        return pingo__json_fault_at(s, s->at, "a raw %s in a string: write %s",
                                    c == '\n'   ? "line end"
                                    : c == '\t' ? "tab"
                                                : "carriage return",
                                    right);
    return pingo__json_fault_at(s, s->at, "a raw control character in a string: write \\u%04x", c);
}

bool pingo__json_scan_string(struct pingo__json_scan *s, struct pingo__json_token *token)
{
    token->offset = s->at++;
    token->has_escapes = false;
    for (;;) {
        size_t at = s->at;
        while (at < s->length && is_plain(s->text[at]))
            at++;
        s->at = at;
        if (s->at >= s->length)
            return pingo__json_fault_at(s, token->offset, "a string without an end: \" is missing");
        unsigned char c = (unsigned char)s->text[s->at];
        if (c == '"')
            break;
        if (c == '\\') {
            token->has_escapes = true;
            if (!scan_escape(s))
                return false;
            continue;
        }
        if (c < 0x20)
            return control_fault(s);
        size_t n = pingo__text_utf8_next(s->text + s->at, s->length - s->at);
        if (n == 0)
            return pingo__json_fault_at(s, s->at, "byte 0x%02x is not valid UTF-8 here", c);
        s->at += n;
    }
    token->end = ++s->at;
    return true;
}

static size_t skip_digits(struct pingo__json_scan *s)
{
    size_t start = s->at;
    while (s->at < s->length && s->text[s->at] >= '0' && s->text[s->at] <= '9')
        s->at++;
    return s->at - start;
}

/* The first 18 digits that count, and the power of ten that belongs to them. */
static size_t read_digits(const char *number, size_t n, size_t i, struct pingo__json_decimal *d)
{
    bool fraction = false;
    for (; i < n && number[i] != 'e' && number[i] != 'E'; i++) {
        if (number[i] == '.') {
            fraction = true;
        } else if (d->digits < UINT64_C(100000000000000000)) {
            d->digits = d->digits * 10 + (uint64_t)(number[i] - '0');
            d->power -= fraction;
        } else {
            d->power += !fraction;
        }
    }
    return i;
}

struct pingo__json_decimal pingo__json_decimal(const char *number, size_t n)
{
    struct pingo__json_decimal d = {.below = n > 0 && number[0] == '-'};
    size_t i = read_digits(number, n, d.below, &d);
    bool below = i + 1 < n && number[i + 1] == '-';
    int exponent = 0;
    for (i++; i < n; i++)
        if (number[i] != '-' && number[i] != '+' && exponent < 100000)
            exponent = exponent * 10 + (number[i] - '0');
    d.power += below ? -exponent : exponent;
    return d;
}

/* Is the magnitude of a well-spelled number within the range of a double?  By its digits alone:
 * strtod() would look at the locale. */
static bool fits_double(const char *number, size_t n)
{
    const uint64_t first = UINT64_C(10000000000000000); /* of 17 digits */
    struct pingo__json_decimal d = pingo__json_decimal(number, n);
    if (d.digits == 0)
        return true;
    for (; d.digits < first; d.power--)
        d.digits *= 10;
    for (; d.digits >= 10 * first; d.power++)
        d.digits /= 10;
    return d.power < 308 - 16 || (d.power == 308 - 16 && d.digits <= UINT64_C(17976931348623157));
}

static int64_t plain_integer(const char *number, size_t n)
{
    int64_t integer = 0;
    for (size_t i = 0; i < n; i++) {
        if (number[i] < '0' || number[i] > '9' || i == 16)
            return -1;
        integer = integer * 10 + (number[i] - '0');
    }
    return integer <= PINGO__JSON_INTEGER_MAX ? integer : -1;
}

static bool number_fault(struct pingo__json_scan *s, size_t offset)
{
    char c = s->at < s->length ? s->text[s->at] : '\0';
    if (c == '.' || c == 'e' || c == 'E')
        return pingo__json_fault_at(s, offset, "a number has digits before '%c'", c);
    return pingo__json_fault_at(s, offset, "a number needs a digit after '%c'", s->text[s->at - 1]);
}

/* Moves over the parts of a number: sign, digits, fraction, exponent. */
static bool scan_number_parts(struct pingo__json_scan *s)
{
    size_t offset = s->at;
    if (s->text[s->at] == '-')
        s->at++;
    size_t first = s->at;
    if (skip_digits(s) == 0)
        return number_fault(s, offset);
    if (s->text[first] == '0' && s->at - first > 1)
        return pingo__json_fault_at(s, offset, "a number may not begin with 0: leave the zero out");
    if (s->at < s->length && s->text[s->at] == '.') {
        s->at++;
        if (skip_digits(s) == 0)
            return number_fault(s, offset);
    }
    if (s->at < s->length && (s->text[s->at] == 'e' || s->text[s->at] == 'E')) {
        s->at++;
        if (s->at < s->length && (s->text[s->at] == '+' || s->text[s->at] == '-'))
            s->at++;
        if (skip_digits(s) == 0)
            return number_fault(s, offset);
    }
    return true;
}

static bool scan_number(struct pingo__json_scan *s, struct pingo__json_token *token)
{
    const char *number = s->text + s->at;
    token->offset = s->at;
    if (!scan_number_parts(s))
        return false;
    token->end = s->at;
    size_t n = token->end - token->offset;
    if (n > PINGO__JSON_NUMBER_LENGTH)
        return pingo__json_fault_at(s, token->offset, "a number may have at most %d characters",
                                    PINGO__JSON_NUMBER_LENGTH);
    token->integer = plain_integer(number, n);
    if (token->integer < 0 && !fits_double(number, n))
        return pingo__json_fault_at(
            s, token->offset, "the number %.*s is out of range: at most 1.7976931348623157e308",
            (int)n, number);
    return true;
}

static bool scan_word(struct pingo__json_scan *s, struct pingo__json_token *token)
{
    static const char *const words[] = {"true", "false", "null"};
    token->offset = s->at;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t n = strlen(words[i]);
        if (s->length - s->at >= n && memcmp(s->text + s->at, words[i], n) == 0) {
            s->at += n;
            token->end = s->at;
            return true;
        }
    }
    return pingo__json_expected(s, s->at > 0 ? "a value" : "JSON, which begins with '{'");
}

bool pingo__json_scan_scalar(struct pingo__json_scan *s, struct pingo__json_token *token)
{
    char c = s->text[s->at];
    return c == '"'                             ? pingo__json_scan_string(s, token)
           : c == '-' || (c >= '0' && c <= '9') ? scan_number(s, token)
                                                : scan_word(s, token);
}

enum pingo__json_kind pingo__json_kind_of(char c)
{
    return c == '{'               ? PINGO__JSON_OBJECT
           : c == '['             ? PINGO__JSON_ARRAY
           : c == '"'             ? PINGO__JSON_STRING
           : c == 't' || c == 'f' ? PINGO__JSON_BOOLEAN
           : c == 'n'             ? PINGO__JSON_NULL
                                  : PINGO__JSON_NUMBER;
}

void pingo__json_skip_value(struct pingo__json_scan *s)
{
    size_t depth = 0;
    do {
        struct pingo__json_token token;
        char c = s->text[s->at];
        depth += c == '[' || c == '{';
        depth -= c == ']' || c == '}';
        if (strchr("[]{},: \n\t\r", c))
            s->at++;
        else
            pingo__json_scan_scalar(s, &token);
    } while (depth > 0);
}

static size_t put_utf8(char *out, uint32_t v)
{
    static const unsigned char heads[] = {0, 0, 0xc0, 0xe0, 0xf0}; /* by length */
    size_t n = v < 0x80 ? 1 : v < 0x800 ? 2 : v < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; v >>= 6)
        out[i] = (char)(0x80 | (v & 0x3f));
    out[0] = (char)(heads[n] | v);
    return n;
}

/* Writes what the escape at *at stands for, and moves behind it. */
static size_t decode_escape(const struct pingo__json_scan *s, size_t *at, char *out)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char c = s->text[*at + 1];
    if (c != 'u') {
        *at += 2;
        *out = meanings[strchr(names, c) - names];
        return 1;
    }
    uint32_t v = (uint32_t)unicode_escape(s, *at);
    *at += 6;
    if (v >= 0xd800 && v <= 0xdfff) {
        v = 0x10000 + ((v - 0xd800) << 10) + ((uint32_t)unicode_escape(s, *at) - 0xdc00);
        *at += 6;
    }
    return put_utf8(out, v);
}

char *pingo__json_decode(const struct pingo__json_scan *s, const struct pingo__json_token *token,
                         struct pingo__arena *arena, size_t *length)
{
    size_t at = token->offset + 1, end = token->end - 1, used = 0;
    /* No escape is shorter than what it stands for. */
    char *out = pingo__arena_text(arena, s->text + at, end - at);
    if (!out)
        return NULL;
    *length = end - at;
    if (!token->has_escapes)
        return out;
    while (at < end) {
        if (s->text[at] == '\\')
            used += decode_escape(s, &at, out + used);
        else
            out[used++] = s->text[at++];
    }
    out[used] = '\0';
    *length = used;
    return out;
}
