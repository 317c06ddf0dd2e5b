/* text.c - small things about strings.  Nothing here depends on the locale. */
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_WORD 64
#define MOST_DIGITS 16 /* of a number with a fraction */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

int pingo__text_place(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (int i = 0; list && *list != '\0'; i++) {
        size_t length = strcspn(list, "|");
        if (length == n && memcmp(list, word, n) == 0)
            return i;
        list += length + (list[length] == '|');
    }
    return -1;
}

/* Edit distance with swaps of neighbours, upper and lower case being equal.
 * Both are at most LONGEST_WORD bytes long. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t rows[3][LONGEST_WORD + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= nb; j++)
        last[j] = j;
    memset(before, 0, sizeof rows[0]);
    for (size_t i = 1; i <= na; i++) {
        size_t *spare = before;
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            char x = pingo__text_lower(a[i - 1]), y = pingo__text_lower(b[j - 1]);
            row[j] = least(least(row[j - 1], last[j]) + 1, last[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == pingo__text_lower(b[j - 2]) &&
                y == pingo__text_lower(a[i - 2]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
        before = last;
        last = row;
        row = spare;
    }
    return last[nb];
}

/* How many bytes two words have in common at their beginnings. */
static size_t common_prefix(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] != '\0' && pingo__text_lower(a[n]) == pingo__text_lower(b[n]))
        n++;
    return n;
}

const char *pingo__text_nearest(const char *word, const char *const *candidates, size_t n)
{
    size_t length = strlen(word), best = SIZE_MAX, longest = 3;
    const char *nearest = NULL, *begins_alike = NULL;
    if (length > LONGEST_WORD)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        size_t other = strlen(candidates[i]), prefix = common_prefix(word, candidates[i]);
        size_t longer = other > length ? other : length;
        if (prefix > longest) {
            longest = prefix;
            begins_alike = candidates[i];
        }
        if (other > LONGEST_WORD)
            continue;
        size_t d = distance(word, length, candidates[i], other);
        /* A third of the longer word may differ, and something must be left of it. */
        if (d < best && d <= (longer + 2) / 3 && d < longer) {
            best = d;
            nearest = candidates[i];
        }
    }
    return nearest ? nearest : begins_alike;
}

const char *pingo__text_join(char *out, size_t size, const char *const *words, size_t n,
                             const char *separator)
{
    size_t length = 0;
    out[0] = '\0';
    for (size_t i = 0; i < n && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, "%s%s", i == 0 ? "" : separator,
                                   words[i]);
    return out;
}

size_t pingo__text_utf8_next(const char *text, size_t length)
{
    const unsigned char *t = (const unsigned char *)text;
    if (length == 0)
        return 0;
    if (t[0] < 0x80)
        return 1;
    if (t[0] < 0xc2 || t[0] > 0xf4)
        return 0;
    size_t n = t[0] < 0xe0 ? 2 : t[0] < 0xf0 ? 3 : 4;
    /* The second byte shuts out long spellings, surrogates and what lies past U+10FFFF. */
    unsigned char low = t[0] == 0xe0 ? 0xa0 : t[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char high = t[0] == 0xed ? 0x9f : t[0] == 0xf4 ? 0x8f : 0xbf;
    if (length < n || t[1] < low || t[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if (!pingo__text_is_inside(text[i]))
            return 0;
    return n;
}

/* Eight bytes of ASCII, and no NUL among them?  false: it may be so all the same. */
static bool are_ascii(const char *text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t eight;
    memcpy(&eight, text, sizeof eight);
    return !((eight | (eight - ones)) & (ones << 7));
}

bool pingo__text_is_utf8(const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        if (length - i >= 8 && are_ascii(text + i)) {
            i += 8;
            continue;
        }
        size_t n = pingo__text_utf8_next(text + i, length - i);
        if (n == 0 || text[i] == '\0')
            return false;
        i += n;
    }
    return true;
}

bool pingo__text_to_int64(const char *text, int64_t min, int64_t max, int64_t *value)
{
    const char *digits = text + (text[0] == '-');
    size_t n = strspn(digits, "0123456789");
    if (n == 0 || digits[n] != '\0')
        return false;
    errno = 0;
    long long v = strtoll(text, NULL, 10);
    if (errno != 0 || v < min || v > max)
        return false;
    *value = v;
    return true;
}

bool pingo__text_digits(const char **at, int64_t *number)
{
    const char *c = *at;
    *number = 0;
    for (; *c >= '0' && *c <= '9'; c++)
        if (__builtin_mul_overflow(*number, INT64_C(10), number) ||
            __builtin_add_overflow(*number, (int64_t)(*c - '0'), number))
            return false;
    bool any = c > *at;
    *at = c;
    return any;
}

bool pingo__text_to_real(const char *text, double *value)
{
    bool negative = *text == '-', point = false;
    int64_t mantissa = 0;
    double scale = 1;
    int ndigits = 0;
    text += negative;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '.' && !point && at > text && at[1] != '\0') {
            point = true;
        } else if (*at >= '0' && *at <= '9' && ndigits < MOST_DIGITS) {
            mantissa = mantissa * 10 + (*at - '0');
            scale = point ? scale * 10 : scale;
            ndigits++;
        } else {
            return false;
        }
    }
    *value = (double)(negative ? -mantissa : mantissa) / scale;
    return ndigits > 0 && (point || mantissa <= INT64_C(1) << 53);
}

/* Of the character at text; 1 for a byte that is none. */
static size_t char_length(const char *text)
{
    size_t n = pingo__text_utf8_next(text, strnlen(text, 4));
    return n ? n : 1;
}

/* Matches one character c, of n bytes, against the set at p ("[" stands there); *after: behind it.  NULL of
 * *after: it is no set. */
static bool in_set(const char *p, const char *c, size_t n, const char **after)
{
    bool negated = p[1] == '!' || p[1] == '^', found = false;
    const char *first = p + 1 + negated, *at = first;
    for (*after = NULL; *at != '\0' && (*at != ']' || at == first);) {
        size_t low = char_length(at);
        const char *end = at + low;
        if (end[0] == '-' && end[1] != '\0' && end[1] != ']') {
            size_t high = char_length(end + 1);
            /* The order of UTF-8 is that of its bytes, and the first one tells the length. */
            found = found ||
                    (memcmp(c, at, least(n, low)) >= 0 && memcmp(c, end + 1, least(n, high)) <= 0);
            at = end + 1 + high;
        } else {
            found = found || (n == (size_t)(end - at) && memcmp(c, at, n) == 0);
            at = end;
        }
    }
    if (*at == ']')
        *after = at + 1;
    return found != negated;
}

bool pingo__text_glob(const char *pattern, const char *text)
{
    const char *star = NULL, *again = NULL; /* behind the last *, and where it was tried last */
    const char *p = pattern, *t = text;
    while (*t != '\0') {
        size_t n = char_length(t);
        const char *after = NULL;
        bool matches = false;
        if (*p == '*') {
            star = ++p;
            again = t;
            continue;
        }
        if (*p == '?') {
            after = p + 1;
            matches = true;
        } else if (*p == '[') {
            matches = in_set(p, t, n, &after);
        }
        if (!after) {
            matches = *p == *t;
            after = p + 1;
            n = 1;
        }
        if (matches) {
            p = after;
            t += n;
        } else if (star) {
            p = star;
            t = ++again;
        } else {
            return false;
        }
    }
    while (*p == '*')
        p++;
    return *p == '\0';
}

bool pingo__text_is_glob(const char *text)
{
    return text[strcspn(text, "*?[")] != '\0';
}

void pingo__text_hex(const void *bytes, size_t n, char *out)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *b = bytes;
    for (size_t i = 0; i < n; i++) {
        *out++ = digits[b[i] >> 4];
        *out++ = digits[b[i] & 15];
    }
    *out = '\0';
}

/* What a lower-case hex digit counts, plus one. */
static const unsigned char hex_digits[256] = {
    ['0'] = 1, ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16};

bool pingo__text_from_hex(const char *hex, size_t n, void *bytes)
{
    unsigned char *out = bytes;
    for (size_t i = 0; i < n; i++) {
        unsigned high = hex_digits[(unsigned char)hex[2 * i]];
        unsigned low = high == 0 ? 0 : hex_digits[(unsigned char)hex[2 * i + 1]];
        if (low == 0)
            return false;
        out[i] = (unsigned char)((high - 1) << 4 | (low - 1));
    }
    return true;
}

int pingo__text_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    char low = (char)(c | 32);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

void pingo__text_percent(struct pingo__buffer *b, const char *text, const char *kept)
{
    for (; *text; text++) {
        bool is_letter = (*text | 32) >= 'a' && (*text | 32) <= 'z';
        if (is_letter || (*text >= '0' && *text <= '9') || strchr(kept, *text))
            pingo__buffer_char(b, *text);
        else
            pingo__buffer_format(b, "%%%02X", (unsigned)(unsigned char)*text);
    }
}

static const char base64url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void pingo__text_base64url(struct pingo__buffer *b, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    unsigned word = 0, bits = 0;
    for (size_t i = 0; i < n; i++) {
        word = word << 8 | p[i];
        for (bits += 8; bits >= 6; bits -= 6)
            pingo__buffer_char(b, base64url[word >> (bits - 6) & 63]);
    }
    if (bits > 0)
        pingo__buffer_char(b, base64url[word << (6 - bits) & 63]);
}

size_t pingo__text_from_base64url(const char *text, void *bytes, size_t size)
{
    unsigned char *out = bytes;
    unsigned word = 0, bits = 0;
    size_t n = 0;
    for (const char *d; *text && (d = strchr(base64url, *text)); text++) {
        word = word << 6 | (unsigned)(d - base64url);
        bits += 6;
        if (bits >= 8 && n < size)
            out[n++] = (unsigned char)(word >> (bits -= 8));
    }
    return n;
}

/* What a terminal obeys instead of showing them: controls (C0, DEL, C1), and those that turn the direction
 * of what stands around them or end a line. */
static bool is_obeyed(const unsigned char *p, size_t length)
{
    if (length == 1)
        return p[0] < 0x20 || p[0] == 0x7f;
    if (length == 2)
        return (p[0] == 0xc2 && p[1] < 0xa0) || (p[0] == 0xd8 && p[1] == 0x9c);
    if (length != 3)
        return false;
    if (p[0] == 0xe2 && p[1] == 0x80)
        return p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae);
    return (p[0] == 0xe2 && p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9) ||
           (p[0] == 0xef && p[1] == 0xbb && p[2] == 0xbf);
}

size_t pingo__text_clean_next(const char *text, const char **shown, size_t *nshown)
{
    size_t length = pingo__text_utf8_next(text, strnlen(text, 4));
    bool bad = length == 0 || is_obeyed((const unsigned char *)text, length);
    *shown = bad ? "?" : text;
    *nshown = bad ? 1 : length;
    return length == 0 ? 1 : length;
}

void pingo__text_clean(struct pingo__buffer *b, const char *text, size_t max)
{
    size_t begin = b->length, fits = begin; /* where "..." can stand */
    while (*text != '\0') {
        const char *shown;
        size_t plain = 0;
        while (text[plain] >= ' ' && text[plain] < 0x7f)
            plain++;
        if (plain > 0 && max - (b->length - begin) >= plain + 3) {
            pingo__buffer_append(b, text, plain);
            fits = b->length;
            text += plain;
            continue;
        }
        size_t nshown, length = pingo__text_clean_next(text, &shown, &nshown);
        if (b->length - begin + nshown > max) {
            b->length = b->failed ? b->length : fits;
            pingo__buffer_text(b, "...");
            return;
        }
        pingo__buffer_append(b, shown, nshown);
        if (b->length - begin + 3 <= max)
            fits = b->length;
        text += length;
    }
}

void pingo__text_clean_to(char *to, size_t size, const char *text)
{
    struct pingo__buffer b = {0};
    pingo__text_clean(&b, text, size - 1);
    const char *clean = pingo__buffer_cstr(&b);
    snprintf(to, size, "%s", clean ? clean : "");
    pingo__buffer_clear(&b);
}

struct range {
    uint32_t from, to;
};
/* What takes two columns, and none: marks on the character before, and what joins or varies characters.  By whole
 * blocks.  Source: Unicode 15, EastAsianWidth.txt (W and F) and UnicodeData.txt (Mn, Cf). */
static const struct range wide[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},
    {0x4e00, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f},   {0xff01, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};
static const struct range none[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x064b, 0x065f}, {0x1ab0, 0x1aff},
    {0x1dc0, 0x1dff}, {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
};

static bool is_in(const struct range *ranges, size_t n, uint32_t c)
{
    size_t i = 0;
    while (i < n && ranges[i].to < c)
        i++;
    return i < n && ranges[i].from <= c;
}

static size_t width_of(const char *text, size_t length)
{
    uint32_t c = (unsigned char)text[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++)
        c = c << 6 | ((unsigned char)text[i] & 0x3f);
    return is_in(wide, sizeof wide / sizeof *wide, c)   ? 2
           : is_in(none, sizeof none / sizeof *none, c) ? 0
                                                        : 1;
}

size_t pingo__text_width(const char *text, size_t n)
{
    size_t width = 0;
    for (size_t i = 0, length; i < n; i += length) {
        length = pingo__text_utf8_next(text + i, n - i);
        width += length < 2 ? 1 : width_of(text + i, length);
        length += length == 0;
    }
    return width;
}
