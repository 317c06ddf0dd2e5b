/* history_time.c - times of RFC 3339, by arithmetic alone: no zone, no locale, no clock.
 *
 * The calendar's formulas count days from 1 March of year 0, so that the leap
 * day is the last of its year. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decision/history.h"

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

/* n digits at *text, then one of these characters (NULL: nothing is looked at); moves on. */
static bool number(const char **text, int n, char then, int64_t max, int64_t *value)
{
    *value = 0;
    for (int i = 0; i < n; i++, (*text)++) {
        if (**text < '0' || **text > '9')
            return false;
        *value = *value * 10 + (**text - '0');
    }
    if (then) {
        if (**text != then && !(then == 'T' && **text == 't'))
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
    int64_t hours, minutes;
    int sign = *text == '-' ? -1 : 1;

    *offset_ms = 0;
    if (*text == 'Z' || *text == 'z')
        return text[1] == '\0';
    if (*text != '+' && *text != '-')
        return false;
    text++;
    if (!number(&text, 2, ':', 23, &hours) || !number(&text, 2, '\0', 59, &minutes) || *text)
        return false;
    *offset_ms = sign * (hours * 60 + minutes) * 60000;
    return true;
}

bool pingo__history_time_read(const char *text, int64_t *at_ms)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t year, month, day, hour, minute, second, ms = 0, offset_ms;
    bool is_leap;

    if (!number(&text, 4, '-', 9999, &year) || !number(&text, 2, '-', 12, &month) ||
        !number(&text, 2, 'T', 31, &day) || !number(&text, 2, ':', 23, &hour) ||
        !number(&text, 2, ':', 59, &minute) || !number(&text, 2, '\0', 60, &second))
        return false;
    is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (month < 1 || day < 1 || day > lengths[month - 1] + (month == 2 && is_leap))
        return false;
    if (*text == '.') {
        text++;
        if (*text < '0' || *text > '9')
            return false;
        ms = fraction_ms(&text);
    }
    if (!offset_of(text, &offset_ms))
        return false;
    *at_ms = days_of(year, month, day) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000 + ms -
             offset_ms;
    return *at_ms >= 0;
}

void pingo__history_time_print(int64_t at_ms, char text[PINGO__HISTORY_TIME_SIZE])
{
    /* Years have four digits there. */
    int64_t last = days_of(9999, 12, 31) * DAY_MS + DAY_MS - 1, year, month, day, in_day;

    if (at_ms > last)
        at_ms = last;
    in_day = at_ms % DAY_MS;
    day_of(at_ms / DAY_MS, &year, &month, &day);
    snprintf(text, PINGO__HISTORY_TIME_SIZE, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", (int)year,
             (int)month, (int)day, (int)(in_day / 3600000), (int)(in_day / 60000 % 60),
             (int)(in_day / 1000 % 60), (int)(in_day % 1000));
}
