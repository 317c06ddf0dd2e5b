/* failure.c - see failure.h. */
#include "rules/failure.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pingo/executor.h>

#include "base/text.h"

#define UUID_SIZE 36
#define HEX_LEAST 6 /* digits of what is taken for hex without 0x */

/* ---- a line without what differs ------------------------------------------------------------ */

/* What is read, and what was written of it. */
struct line {
    const char *at, *end;
    char *text;
    size_t n;
    bool is_full;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* In names of files, as far as one can tell where they end. */
static bool is_path(char c)
{
    return is_word(c) || (unsigned char)c >= 0x80 || (c && strchr("/._-+~@%#", c));
}

static void put(struct line *l, const char *bytes, size_t n)
{
    bool is_space = n == 1 && *bytes == ' ';
    if (is_space && (l->n == 0 || l->text[l->n - 1] == ' '))
        return;
    l->is_full = l->is_full || l->n + n > PINGO__FAILURE_TEXT; /* at a character's boundary */
    if (l->is_full)
        return;
    memcpy(l->text + l->n, bytes, n);
    l->n += n;
}

static void put_number(struct line *l)
{
    if (l->n == 0 || l->text[l->n - 1] != '#')
        put(l, "#", 1);
}

/* The length of what a terminal obeys at text, which begins with ESC. */
static size_t escape_length(const char *text, const char *end)
{
    const char *p = text + 1;
    if (p < end && *p == '[') {
        for (p++; p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p <= 0x3f; p++)
            ;
        return (size_t)(p - text) + (p < end);
    }
    if (p < end && *p == ']') {
        while (p < end && *p != '\a' && *p != '\033')
            p++;
        return (size_t)(p - text) + (p < end) + (p + 1 < end && *p == '\033');
    }
    while (p < end && *p >= 0x20 && *p <= 0x2f) /* of a character set: ESC ( B */
        p++;
    return (size_t)(p - text) + (p < end);
}

static bool is_uuid(const char *p, const char *end)
{
    if (end - p < UUID_SIZE || (end - p > UUID_SIZE && is_word(p[UUID_SIZE])))
        return false;
    for (size_t i = 0; i < UUID_SIZE; i++)
        if (i == 8 || i == 13 || i == 18 || i == 23 ? p[i] != '-' : !is_hex(p[i]))
            return false;
    return true;
}

/* How much of a word is hex: 0x..., or so many digits, one of them decimal, that it is no word. */
static size_t hex_length(const char *p, const char *end)
{
    bool is_marked = end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && is_hex(p[2]);
    bool has_digit = is_marked;
    size_t n = is_marked ? 2 : 0;
    for (; p + n < end && is_hex(p[n]); n++)
        has_digit = has_digit || is_digit(p[n]);
    if (p + n < end && is_word(p[n]))
        return 0;
    return is_marked || (has_digit && n >= HEX_LEAST) ? n : 0;
}

/* A run of letters and digits, or what stands for it. */
static void take_word(struct line *l)
{
    size_t n = is_uuid(l->at, l->end) ? UUID_SIZE : hex_length(l->at, l->end);
    if (n > 0) {
        put_number(l);
        l->at += n;
        return;
    }
    while (l->at < l->end && is_word(*l->at))
        if (is_digit(*l->at)) {
            put_number(l);
            while (l->at < l->end && is_digit(*l->at))
                l->at++;
        } else {
            put(l, l->at++, 1);
        }
}

/* Of a path the last name is left: where that begins; at, where there is none. */
static const char *last_name(const char *at, const char *end)
{
    const char *slash = NULL, *p = at;
    for (; p < end && is_path(*p); p++)
        if (*p == '/' && p + 1 < end && is_path(p[1]) && p[1] != '/')
            slash = p;
    return slash ? slash + 1 : at;
}

/* Behind the colon of a URL: up to where its path begins, for the host is no part of that; 0 elsewhere. */
static size_t host_length(const struct line *l)
{
    const char *p = l->at + 2;
    if (l->n == 0 || l->text[l->n - 1] != ':' || l->end - l->at < 2 || memcmp(l->at, "//", 2) != 0)
        return 0;
    while (p < l->end && *p != '/' && (is_path(*p) || *p == ':'))
        p++;
    return (size_t)(p - l->at) + (p < l->end && *p == '/');
}

void pingo__rules_failure_normalise(const char *line, size_t n, char text[PINGO__FAILURE_TEXT + 1])
{
    struct line l = {line, line + n, text, 0, false};
    const char *host_end = line;
    bool is_inside = false; /* of what may be a path */
    while (l.at < l.end && !l.is_full) {
        const char *shown = NULL;
        size_t nshown = 0;
        if (*l.at == '\033') {
            l.at += escape_length(l.at, l.end);
            continue;
        }
        if (!is_inside && l.at >= host_end) {
            host_end = l.at + host_length(&l);
            l.at = host_end > l.at ? l.at : last_name(l.at, l.end);
        }
        is_inside = is_path(*l.at) && l.at + 1 != host_end;
        if (is_word(*l.at)) {
            take_word(&l);
            continue;
        }
        size_t length = isspace((unsigned char)*l.at) || !*l.at
                            ? 1
                            : pingo__text_clean_next(l.at, &shown, &nshown);
        put(&l, shown ? shown : " ", shown ? nshown : 1);
        l.at += length;
    }
    while (l.n > 0 && text[l.n - 1] == ' ')
        l.n--;
    text[l.n] = '\0';
}

/* ---- what it is ------------------------------------------------------------------------------ */

/* The last line in which something is left. */
static void last_line(const char *log, char text[PINGO__FAILURE_TEXT + 1])
{
    const char *end = log + strlen(log);
    text[0] = '\0';
    while (end > log && !*text) {
        const char *at = end;
        while (at > log && at[-1] != '\n' && at[-1] != '\r')
            at--;
        pingo__rules_failure_normalise(at, (size_t)(end - at), text);
        end = at > log ? at - 1 : log;
    }
}

static enum pingo_failure_category category_of(const struct pingo__rules_ended *e)
{
    static const enum pingo_failure_category categories[] = {
        [PINGO_END_NOT_STARTED] = PINGO_FAILURE_REFUSED,
        [PINGO_END_NO_SPACE] = PINGO_FAILURE_SPACE,
        [PINGO_END_LOST] = PINGO_FAILURE_NODE,
        [PINGO_END_KILLED] = PINGO_FAILURE_NODE,
        [PINGO_END_SIGNALED] = PINGO_FAILURE_SIGNAL,
        [PINGO_END_TIME_LIMIT] = PINGO_FAILURE_TIME,
        [PINGO_END_MEMORY_LIMIT] = PINGO_FAILURE_MEMORY,
        [PINGO_END_NO_OUTPUT] = PINGO_FAILURE_OUTPUT,
        [PINGO_END_BAD_OUTPUT] = PINGO_FAILURE_OUTPUT};
    bool is_known = (uint64_t)e->reason < sizeof categories / sizeof *categories;
    enum pingo_failure_category is = is_known ? categories[e->reason] : PINGO_FAILURE_NONE;
    if (e->reason == PINGO_END_KILLED && e->was_asked)
        return PINGO_FAILURE_KILLED;
    if (is == PINGO_FAILURE_REFUSED || is == PINGO_FAILURE_SPACE || is == PINGO_FAILURE_NODE)
        return is; /* whatever became of its inputs */
    if (e->input)
        return PINGO_FAILURE_INPUT;
    if (is || e->is_success)
        return is;
    return e->exit_code == 0 ? PINGO_FAILURE_OUTPUT : PINGO_FAILURE_COMMAND;
}

/* Where nothing else was said. */
static void say_how(const struct pingo__rules_failure *f, char text[PINGO__FAILURE_TEXT + 1])
{
    static const char *const words[] = {[PINGO_FAILURE_COMMAND] = "exit status",
                                        [PINGO_FAILURE_SIGNAL] = "ended by signal",
                                        [PINGO_FAILURE_MEMORY] = "out of memory",
                                        [PINGO_FAILURE_TIME] = "time limit",
                                        [PINGO_FAILURE_INPUT] = "an input changed",
                                        [PINGO_FAILURE_OUTPUT] = "no output",
                                        [PINGO_FAILURE_SPACE] = "no space left",
                                        [PINGO_FAILURE_NODE] = "its attempt was lost",
                                        [PINGO_FAILURE_REFUSED] = "could not be started",
                                        [PINGO_FAILURE_KILLED] = "killed"};
    int64_t number = f->category == PINGO_FAILURE_COMMAND  ? f->exit_code
                     : f->category == PINGO_FAILURE_SIGNAL ? f->signal
                                                           : -1;
    if (number >= 0)
        snprintf(text, PINGO__FAILURE_TEXT + 1, "%s %" PRId64, words[f->category], number);
    else
        snprintf(text, PINGO__FAILURE_TEXT + 1, "%s", words[f->category]);
}

void pingo__rules_failure_of(const struct pingo__rules_ended *e, struct pingo__rules_failure *f)
{
    bool exited = e->reason == PINGO_END_EXITED || e->reason == PINGO_END_NO_OUTPUT ||
                  e->reason == PINGO_END_BAD_OUTPUT;
    f->category = category_of(e);
    f->reason = e->reason;
    f->exit_code = exited && f->category != PINGO_FAILURE_INPUT ? e->exit_code : -1;
    f->signal = e->reason == PINGO_END_SIGNALED ? e->signal : -1;
    f->text[0] = '\0';
    switch (f->category) {
    case PINGO_FAILURE_NONE:
        return;
    case PINGO_FAILURE_COMMAND:
    case PINGO_FAILURE_SIGNAL:
    case PINGO_FAILURE_MEMORY:
    case PINGO_FAILURE_TIME:
        last_line(e->log, f->text);
        break;
    case PINGO_FAILURE_INPUT:
        pingo__rules_failure_normalise(e->input, strlen(e->input), f->text);
        break;
    default:
        break;
    }
    if (!*f->text)
        pingo__rules_failure_normalise(e->message, strlen(e->message), f->text);
    if (!*f->text)
        say_how(f, f->text);
}

const char *pingo_failure_category_name(enum pingo_failure_category category)
{
    static const char *const names[] = {"none",   "command", "signal", "memory",  "time",  "input",
                                        "output", "space",   "node",   "refused", "killed"};
    return (size_t)category < sizeof names / sizeof *names ? names[category] : NULL;
}
