/* units.c - sizes and durations, as people read and write them. */
#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

const char *pingo__units_print_size(char out[PINGO__UNITS_SIZE], int64_t bytes)
{
    static const char units[] = "KMGTPE";
    if (bytes < 0)
        return strcpy(out, "-");
    if (bytes < 1024) {
        snprintf(out, PINGO__UNITS_SIZE, "%" PRId64 " B", bytes);
        return out;
    }
    double value = (double)bytes / 1024;
    size_t unit = 0;
    for (; value >= 1023.5 && unit < 5; unit++)
        value /= 1024;
    snprintf(out, PINGO__UNITS_SIZE, value < 99.95 ? "%.1f %ciB" : "%.0f %ciB", value, units[unit]);
    return out;
}

/* The bytes of a unit; 0: it is none. */
static int64_t size_unit(const char *unit)
{
    static const char letters[] = "kmgtp";
    const char *letter = *unit != '\0' ? strchr(letters, pingo__text_lower(*unit)) : NULL;
    int64_t base = 1024, bytes = 1;
    if (!letter)
        return *unit == '\0' || (pingo__text_lower(*unit) == 'b' && unit[1] == '\0');
    unit++;
    if (pingo__text_lower(unit[0]) == 'i' && pingo__text_lower(unit[1]) == 'b') {
        unit += 2;
    } else if (pingo__text_lower(unit[0]) == 'b') {
        base = 1000;
        unit++;
    }
    if (*unit != '\0')
        return 0;
    for (const char *l = letters; l <= letter; l++)
        bytes *= base;
    return bytes;
}

bool pingo__units_parse_size(const char *text, int64_t *bytes)
{
    int64_t whole, part = 0, scale = 1;
    const char *c = text;
    if (!pingo__text_digits(&c, &whole))
        return false;
    if (*c == '.') {
        for (c++; *c >= '0' && *c <= '9'; c++)
            if (scale < 1000) { /* more would be lost in the units that people use */
                part = 10 * part + (*c - '0');
                scale *= 10;
            }
        if (scale == 1)
            return false;
    }
    bool space = *c == ' ';
    c += space;
    int64_t unit = size_unit(c);
    if (unit == 0 || (scale > 1 && unit == 1) || (space && *c == '\0') ||
        __builtin_mul_overflow(whole, unit, &whole))
        return false;
    return !__builtin_add_overflow(whole, unit / scale * part + unit % scale * part / scale, bytes);
}

const char *pingo__units_print_duration(char out[PINGO__UNITS_SIZE], int64_t duration_ms)
{
    int64_t s = duration_ms / 1000 + (duration_ms % 1000 >= 500);
    if (duration_ms < 0)
        strcpy(out, "-");
    else if (duration_ms < 1000)
        snprintf(out, PINGO__UNITS_SIZE, "%" PRId64 " ms", duration_ms);
    else if (duration_ms < 59950)
        snprintf(out, PINGO__UNITS_SIZE, "%.1f s", (double)duration_ms / 1000);
    else if (s < 3600)
        snprintf(out, PINGO__UNITS_SIZE, "%" PRId64 " min %02" PRId64 " s", s / 60, s % 60);
    else if (s < 86400)
        snprintf(out, PINGO__UNITS_SIZE, "%" PRId64 " h %02" PRId64 " min", s / 3600, s / 60 % 60);
    else
        snprintf(out, PINGO__UNITS_SIZE, "%" PRId64 " d %02" PRId64 " h", s / 86400, s / 3600 % 24);
    return out;
}

bool pingo__units_parse_duration(const char *text, int64_t *duration_ms)
{
    static const struct {
        const char *unit;
        int64_t ms;
    } units[] = {{"ms", 1},      {"s", 1000},     {"m", 60000},
                 {"h", 3600000}, {"d", 86400000}, {"w", INT64_C(7) * 86400000}};
    int64_t count;
    if (!pingo__text_digits(&text, &count) || count > 1000000000)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(text, units[i].unit) == 0) {
            *duration_ms = count * units[i].ms;
            return true;
        }
    return false;
}
