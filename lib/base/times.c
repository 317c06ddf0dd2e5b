/* times.c - times of RFC 3339, and of HTTP.
 *
 * The calendar's formulas count days from 1 March of year 0, so that the leap
 * day is the last of its year. */
#include "base/times.h"

#include <stdio.h>
#include <string.h>

#define DAY_MS INT64_C(86400000)

static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    int64_t y = month > 2 ? year : year - 1;
    int64_t era_day = 365 * y + y / 4 - y / 100 + y / 400;
    return era_day + (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1 - 719468;
}

static void day_of(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
    int64_t z = days + 719468, era = z / 146097, in_era = z % 146097;
    int64_t y = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t in_year = in_era - (365 * y + y / 4 - y / 100);
    int64_t m = (5 * in_year + 2) / 153;
    *day = in_year - (153 * m + 2) / 5 + 1;
    *month = m < 10 ? m + 3 : m - 9;
    *year = y + era * 400 + (*month <= 2);
}

/* n digits at *text, then this character ('\0': nothing is looked at); moves on. */
static bool number(const char **text, int n, char then, int64_t max, int64_t *value)
{
    *value = 0;
    for (int i = 0; i < n; i++, (*text)++) {
        if (**text < '0' || **text > '9')
            return false;
        *value = *value * 10 + (**text - '0');
    }
    if (then) {
        if (**text != then)
            return false;
        (*text)++;
    }
    return *value <= max;
}

static int64_t fraction_ms(const char **text)
{
    int64_t ms = 0, weight = 100;
    for (; **text >= '0' && **text <= '9'; (*text)++, weight /= 10)
        ms += (**text - '0') * weight;
    return ms;
}

/* "Z", or "+01:30"; in ms. */
static bool offset_of(const char *text, int64_t *offset_ms)
{
    *offset_ms = 0;
    if (*text == 'Z' || *text == 'z')
        return text[1] == '\0';
    if (*text != '+' && *text != '-')
        return false;
    int sign = *text++ == '-' ? -1 : 1;
    int64_t hours, minutes;
    if (!number(&text, 2, ':', 23, &hours) || !number(&text, 2, '\0', 59, &minutes) || *text)
        return false;
    *offset_ms = sign * (hours * 60 + minutes) * 60000;
    return true;
}

/* The part behind the day: hours to the offset, in ms since midnight UTC. */
static bool clock_of(const char *text, int64_t *clock_ms)
{
    int64_t hour, minute, second, ms = 0, offset_ms;
    if (!number(&text, 2, ':', 23, &hour) || !number(&text, 2, ':', 59, &minute) ||
        !number(&text, 2, '\0', 60, &second))
        return false;
    if (*text == '.') {
        text++;
        if (*text < '0' || *text > '9')
            return false;
        ms = fraction_ms(&text);
    }
    if (!offset_of(text, &offset_ms))
        return false;
    *clock_ms = ((hour * 60 + minute) * 60 + second) * 1000 + ms - offset_ms;
    return true;
}

bool pingo__times_parse(const char *text, bool may_be_day, int64_t *time_ms)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t year, month, day, clock_ms = 0;
    if (!number(&text, 4, '-', 9999, &year) || !number(&text, 2, '-', 12, &month) ||
        !number(&text, 2, '\0', 31, &day))
        return false;
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (month < 1 || day < 1 || day > lengths[month - 1] + (month == 2 && is_leap))
        return false;
    if (!(*text == '\0' && may_be_day) &&
        ((*text != 'T' && *text != 't') || !clock_of(text + 1, &clock_ms)))
        return false;
    *time_ms = days_of(year, month, day) * DAY_MS + clock_ms;
    return *time_ms >= 0;
}

const char *pingo__times_print(char out[PINGO__TIMES_SIZE], int64_t time_ms)
{
    /* Years have four digits there. */
    int64_t last = days_of(9999, 12, 31) * DAY_MS + DAY_MS - 1, year, month, day;
    if (time_ms > last)
        time_ms = last;
    int64_t in_day = time_ms % DAY_MS;
    day_of(time_ms / DAY_MS, &year, &month, &day);
    snprintf(out, PINGO__TIMES_SIZE, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", (int)year, (int)month,
             (int)day, (int)(in_day / 3600000), (int)(in_day / 60000 % 60),
             (int)(in_day / 1000 % 60), (int)(in_day % 1000));
    return out;
}

const char *pingo__times_print_seconds(char out[PINGO__TIMES_SIZE], int64_t time_ms)
{
    pingo__times_print(out, time_ms);
    strcpy(strchr(out, '.'), "Z");
    return out;
}

const char *pingo__times_print_http(char out[PINGO__TIMES_SIZE], int64_t time_ms)
{
    static const char days[] = "ThuFriSatSunMonTueWed",
                      months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char text[PINGO__TIMES_SIZE];
    pingo__times_print(text, time_ms);
    int month = 10 * (text[5] - '0') + text[6] - '0';
    snprintf(out, PINGO__TIMES_SIZE, "%.3s, %.2s %.3s %.4s %.8s GMT",
             days + 3 * (time_ms / DAY_MS % 7), text + 8, months + 3 * (month - 1), text, text + 11);
    return out;
}
