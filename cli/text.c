/* text.c - numbers, times and strings as people read them. */
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "exit.h"
#include "message.h"

bool cli_time_style_parse(const char *text, enum cli_time_style *style)
{
    static const char *const names[] = {"iso", "local", "relative", "epoch"};
    for (int i = 0; i < 4; i++)
        if (strcmp(text, names[i]) == 0) {
            *style = (enum cli_time_style)i;
            return true;
        }
    return false;
}

static void format_relative(char out[CLI_TEXT_SIZE], int64_t time_ms)
{
    static const struct {
        int64_t seconds;
        const char *unit;
    } units[] = {
        {365 * 86400, "year"}, {86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
    int64_t age = (int64_t)time(NULL) - time_ms / 1000;
    const char *when = age < 0 ? "from now" : "ago";
    if (age < 0)
        age = -age;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        int64_t n = age / units[i].seconds;
        if (n > 0) {
            snprintf(out, CLI_TEXT_SIZE, "%" PRId64 " %s%s %s", n, units[i].unit, n == 1 ? "" : "s",
                     when);
            return;
        }
    }
    snprintf(out, CLI_TEXT_SIZE, "just now");
}

void cli_format_time(char out[CLI_TEXT_SIZE], int64_t time_ms, enum cli_time_style style)
{
    time_t seconds = (time_t)(time_ms / 1000);
    struct tm tm;
    if (time_ms < 0)
        snprintf(out, CLI_TEXT_SIZE, "-");
    else if (style == CLI_TIME_EPOCH)
        snprintf(out, CLI_TEXT_SIZE, "%" PRId64, time_ms / 1000);
    else if (style == CLI_TIME_RELATIVE)
        format_relative(out, time_ms);
    else if (style == CLI_TIME_LOCAL && localtime_r(&seconds, &tm) != NULL)
        strftime(out, CLI_TEXT_SIZE, "%Y-%m-%d %H:%M:%S", &tm);
    else if (gmtime_r(&seconds, &tm) != NULL)
        strftime(out, CLI_TEXT_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm);
    else
        snprintf(out, CLI_TEXT_SIZE, "%" PRId64, time_ms / 1000);
}

void cli_format_rfc3339(char out[CLI_TEXT_SIZE], int64_t time_ms)
{
    time_t seconds = (time_t)(time_ms / 1000);
    struct tm tm;
    char day[CLI_TEXT_SIZE / 2];
    if (gmtime_r(&seconds, &tm) == NULL || strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm) == 0)
        snprintf(day, sizeof day, "1970-01-01T00:00:00");
    snprintf(out, CLI_TEXT_SIZE, "%s.%03dZ", day, (int)(time_ms % 1000));
}

void cli_format_size(char out[CLI_TEXT_SIZE], int64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 0) {
        snprintf(out, CLI_TEXT_SIZE, "-");
        return;
    }
    if (bytes < 1024) {
        snprintf(out, CLI_TEXT_SIZE, "%" PRId64 " B", bytes);
        return;
    }
    double value = (double)bytes / 1024;
    size_t unit = 0;
    while (value >= 1023.95 && unit < 5) {
        value /= 1024;
        unit++;
    }
    snprintf(out, CLI_TEXT_SIZE, value < 99.95 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

void cli_format_duration(char out[CLI_TEXT_SIZE], int64_t duration_ms)
{
    int64_t s = (duration_ms + 500) / 1000;
    if (duration_ms < 0)
        snprintf(out, CLI_TEXT_SIZE, "-");
    else if (duration_ms < 1000)
        snprintf(out, CLI_TEXT_SIZE, "%" PRId64 " ms", duration_ms);
    else if (duration_ms < 59950)
        snprintf(out, CLI_TEXT_SIZE, "%.1f s", (double)duration_ms / 1000);
    else if (s < 3600)
        snprintf(out, CLI_TEXT_SIZE, "%" PRId64 " min %02" PRId64 " s", s / 60, s % 60);
    else if (s < 86400)
        snprintf(out, CLI_TEXT_SIZE, "%" PRId64 " h %02" PRId64 " min", s / 3600, s / 60 % 60);
    else
        snprintf(out, CLI_TEXT_SIZE, "%" PRId64 " d %02" PRId64 " h", s / 86400, s / 3600 % 24);
}

/* ---- reading them ------------------------------------------------------------------- */

int64_t cli_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t cli_monotonic_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000 + 1;
}

bool cli_parse_duration(const char *text, int64_t *duration_ms)
{
    static const struct {
        const char *unit;
        int64_t ms;
    } units[] = {{"ms", 1},          {"s", 1000},     {"m", 60000},
                 {"h", 3600 * 1000}, {"d", 86400000}, {"w", INT64_C(7) * 86400000}};
    char number[20];
    size_t digits = strspn(text, "0123456789");
    int64_t count;
    if (digits >= sizeof number)
        return false;
    memcpy(number, text, digits);
    number[digits] = '\0';
    if (!cli_number(number, 0, 1000000000, &count))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(text + digits, units[i].unit) == 0) {
            *duration_ms = count * units[i].ms;
            return true;
        }
    return false;
}

/* RFC 3339, the day alone if you like, an offset or Z. */
static bool moment_of(const char *text, int64_t *time_ms)
{
    struct tm tm = {0}, same;
    const char *rest = strptime(text, "%Y-%m-%d", &tm);
    int64_t ms = 0, weight = 100, hours, minutes, offset = 0;
    if (rest == NULL)
        return false;
    if (*rest != '\0') {
        if ((*rest != 'T' && *rest != 't') || (rest = strptime(rest + 1, "%H:%M:%S", &tm)) == NULL)
            return false;
        if (*rest == '.')
            for (rest++; *rest >= '0' && *rest <= '9'; rest++, weight /= 10)
                ms += (*rest - '0') * weight;
        char number[3] = {0};
        if (*rest == '+' || *rest == '-') {
            if (strlen(rest) != 6 || rest[3] != ':' ||
                !cli_number(memcpy(number, rest + 1, 2), 0, 23, &hours) ||
                !cli_number(memcpy(number, rest + 4, 2), 0, 59, &minutes))
                return false;
            offset = (hours * 60 + minutes) * 60000 * (*rest == '-' ? -1 : 1);
        } else if (strcmp(rest, "Z") != 0 && strcmp(rest, "z") != 0) {
            return false;
        }
    }
    same = tm;
    time_t seconds = timegm(&tm);
    if (tm.tm_mday != same.tm_mday || tm.tm_mon != same.tm_mon) /* 30 February */
        return false;
    *time_ms = (int64_t)seconds * 1000 + ms - offset;
    return *time_ms >= 0;
}

bool cli_parse_time(const char *text, int64_t *time_ms)
{
    int64_t ago;
    if (cli_parse_duration(text, &ago))
        *time_ms = cli_now_ms() - ago;
    else if (!moment_of(text, time_ms))
        return false;
    if (*time_ms <= 0)
        *time_ms = 1; /* 0 means: no bound */
    return true;
}

void cli_short_hash(char out[CLI_SHORT_HASH], const struct pingo_hash *hash)
{
    char hex[PINGO_HASH_HEX_SIZE];
    pingo_hash_to_hex(hash, hex);
    memcpy(out, hex, CLI_SHORT_HASH - 1);
    out[CLI_SHORT_HASH - 1] = '\0';
}

bool cli_hash_is_zero(const struct pingo_hash *hash)
{
    for (size_t i = 0; i < PINGO_HASH_SIZE; i++)
        if (hash->bytes[i] != 0)
            return false;
    return true;
}

size_t cli_utf8_length(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    if (p[0] < 0x80)
        return 1;
    if (p[0] >= 0xc2 && p[0] <= 0xdf)
        return (p[1] & 0xc0) == 0x80 ? 2 : 0;
    if (p[0] >= 0xe0 && p[0] <= 0xef) {
        unsigned char low = p[0] == 0xe0 ? 0xa0 : 0x80, high = p[0] == 0xed ? 0x9f : 0xbf;
        return p[1] >= low && p[1] <= high && (p[2] & 0xc0) == 0x80 ? 3 : 0;
    }
    if (p[0] >= 0xf0 && p[0] <= 0xf4) {
        unsigned char low = p[0] == 0xf0 ? 0x90 : 0x80, high = p[0] == 0xf4 ? 0x8f : 0xbf;
        return p[1] >= low && p[1] <= high && (p[2] & 0xc0) == 0x80 && (p[3] & 0xc0) == 0x80 ? 4 : 0;
    }
    return 0;
}

/* Characters that a terminal obeys instead of showing them: controls (C0, DEL, C1), and those that turn the direction
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

/* The length of the character at text, which is not empty; *shown: it, or "?" for what is none or is obeyed. */
static size_t clean_next(const char *text, const char **shown, size_t *nshown)
{
    size_t length = cli_utf8_length(text);
    bool bad = length == 0 || is_obeyed((const unsigned char *)text, length);
    *shown = bad ? "?" : text;
    *nshown = bad ? 1 : length;
    return length == 0 ? 1 : length;
}

void cli_clean(char *out, size_t size, const char *text)
{
    size_t n = 0, fits = 0; /* of out: so much, and "..." */
    bool cut = false;
    while (*text != '\0' && !cut) {
        const char *shown;
        size_t nshown, length = clean_next(text, &shown, &nshown);
        cut = n + nshown >= size;
        if (cut)
            break;
        memcpy(out + n, shown, nshown);
        n += nshown;
        if (n + 4 <= size)
            fits = n;
        text += length;
    }
    strcpy(out + (cut ? fits : n), cut ? "..." : "");
}

void cli_cut(char *out, size_t size, const char *text, size_t length)
{
    if (length >= size)
        length = size - 1;
    memcpy(out, text, length);
    out[length] = '\0';
}

void cli_print_clean(FILE *out, const char *text)
{
    while (*text != '\0') {
        const char *shown;
        size_t nshown, length = clean_next(text, &shown, &nshown);
        fwrite(shown, 1, nshown, out);
        text += length;
    }
}

void cli_print_data(FILE *out, const char *text)
{
    if (isatty(fileno(out)))
        cli_print_clean(out, text);
    else
        fputs(text, out);
}

void cli_print_lines(FILE *out, const char *bytes, size_t n)
{
    char character[5];
    for (size_t i = 0, length; i < n; i += length) {
        cli_cut(character, sizeof character, bytes + i, n - i < 4 ? n - i : 4);
        const char *shown = " ";
        size_t nshown = 1;
        length = 1;
        if (bytes[i] == '\n' || bytes[i] == '\t')
            shown = bytes + i;
        else if (bytes[i] == '\0')
            shown = "?";
        else if (bytes[i] != '\r')
            length = clean_next(character, &shown, &nshown);
        fwrite(shown, 1, nshown, out);
    }
}

size_t cli_whole_characters(const char *bytes, size_t n)
{
    for (size_t tail = 1; tail <= 3 && tail < n; tail++) {
        unsigned char c = (unsigned char)bytes[n - tail];
        if (c >= 0xc2) /* begins one of so many bytes */
            return tail < (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u) ? n - tail : n;
        if (c < 0x80)
            break;
    }
    return n;
}

static int width_of(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

void cli_pad(FILE *out, const char *text, int width)
{
    int n = width_of(text);
    fputs(text, out);
    fprintf(out, "%*s", n < width ? width - n : 0, "");
}

void cli_pad_left(FILE *out, const char *text, int width)
{
    int n = width_of(text);
    fprintf(out, "%*s%s", n < width ? width - n : 0, "", text);
}

/* Levenshtein; words longer than the row are never near. */
static size_t distance(const char *a, const char *b)
{
    size_t row[65], n = strlen(b);
    if (n > 64 || strlen(a) > 64)
        return SIZE_MAX;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < n; j++) {
            size_t best = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j + 1] + 1 < best)
                best = row[j + 1] + 1;
            row[j + 1] = best;
        }
    }
    return row[n];
}

const char *cli_nearest(const char *word, const char *const *candidates, size_t n)
{
    const char *nearest = NULL;
    size_t best = strlen(word) / 3 + 2; /* first distance that is too far */
    for (size_t i = 0; i < n; i++) {
        size_t d = distance(word, candidates[i]);
        if (d < best && d < strlen(candidates[i])) {
            best = d;
            nearest = candidates[i];
        }
    }
    return nearest;
}

bool cli_is_among(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, word, n) == 0 && (at[n] == '\0' || at[n] == '|'))
            return true;
    }
    return false;
}

bool cli_number(const char *text, int64_t min, int64_t max, int64_t *value)
{
    const char *digits = *text == '-' ? text + 1 : text;
    if (*digits == '\0' || strspn(digits, "0123456789") != strlen(digits))
        return false;
    errno = 0;
    long long v = strtoll(text, NULL, 10);
    if (errno != 0 || v < min || v > max)
        return false;
    *value = v;
    return true;
}

void *cli_alloc(size_t size)
{
    return cli_grow(NULL, size);
}

void *cli_grow(void *memory, size_t size)
{
    void *grown = realloc(memory, size == 0 ? 1 : size);
    if (grown == NULL) { /* whatever is formatted would take memory */
        fputs("pingo: memory could not be had\n", stderr);
        exit(CLI_INTERNAL);
    }
    return grown;
}

char *cli_copy(const char *text)
{
    return text == NULL ? NULL : cli_format("%s", text);
}

char *cli_format(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = cli_alloc(n < 0 ? 1 : (size_t)n + 1);
    va_start(list, format);
    vsnprintf(text, n < 0 ? 1 : (size_t)n + 1, format, list);
    va_end(list);
    return text;
}

void cli_print_csv_field(const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}
