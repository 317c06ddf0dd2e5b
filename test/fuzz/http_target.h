/* http_target.h - what must hold of the parser of requests, whatever the bytes; for the fuzzer and for the tests.
 *
 * The same bytes give the same events in whatever pieces they come, what is told keeps its promises, and nothing is told
 * behind what was refused.  Where this does not hold, the program ends. */
#ifndef PINGO_TEST_HTTP_TARGET_H
#define PINGO_TEST_HTTP_TARGET_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "http/server/multipart.h"
#include "http/server/parse.h"

#define HTTP_MOST 100000 /* of a body */

static inline void http_must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static inline void http_must_text(const char *text)
{
    http_must(pingo__text_is_utf8(text, strlen(text)), "what is decoded is UTF-8");
}

static inline void http_headed(const struct pingo__http_parser *p, struct pingo__buffer *events)
{
    pingo__buffer_format(events, "%s %s %d %d %d %lld", p->method, p->path, p->is_old,
                         p->keeps_alive, p->expects, (long long)p->length);
    http_must_text(p->path);
    for (const char *at = p->path; *at; at++)
        http_must((unsigned char)*at >= ' ' && *at != 127, "a path has no control characters");
    http_must(p->path[0] == '/' && !strstr(p->path, "//") && !strstr(p->path, "/../"),
              "a path is one");
    http_must(p->nheaders <= PINGO__HTTP_HEADERS && p->nquery <= PINGO__HTTP_QUERIES, "limits");
    for (size_t i = 0; i < p->nquery; i++) {
        http_must_text(p->query[i].name);
        http_must_text(p->query[i].value);
        pingo__buffer_format(events, " %s=%s", p->query[i].name, p->query[i].value);
    }
    for (size_t i = 0; i < p->nheaders; i++) {
        for (size_t k = 0; k < i; k++)
            http_must(strcmp(p->headers[i].name, p->headers[k].name) != 0, "a header stands once");
        pingo__buffer_format(events, "\n%s: %s", p->headers[i].name, p->headers[i].value);
    }
    pingo__buffer_text(events, "\n");
}

/* The events of the bytes up to `first`, and of the rest in pieces of `size`. */
static inline void http_events(const uint8_t *data, size_t n, size_t first, size_t size,
                               struct pingo__buffer *events)
{
    struct pingo__http_parser p;
    pingo__http_parser_init(&p);
    enum pingo__http_event event = PINGO__HTTP_MORE;
    bool in_body = false;
    size_t at = 0, calls = 0;
    while (event != PINGO__HTTP_WRONG && (at < n || event != PINGO__HTTP_MORE)) {
        size_t end = at < first ? first : at + size, taken = 0;
        if (end > n || end < at)
            end = n;
        event = pingo__http_parse(&p, (const char *)data + at, end - at, &taken);
        http_must(taken <= end - at, "no more is taken than there is");
        http_must(++calls <= 4 * n + 8, "it comes to an end");
        at += taken;
        if (event == PINGO__HTTP_HEADED) {
            p.most_bytes = HTTP_MOST;
            http_headed(&p, events);
        }
        if (event == PINGO__HTTP_PIECE) {
            http_must(p.npiece > 0 && p.piece + p.npiece == (const char *)data + at, "a piece");
            if (!in_body)
                pingo__buffer_text(events, "body ");
            pingo__buffer_append(events, p.piece, p.npiece);
        } else if (event != PINGO__HTTP_MORE && in_body) {
            pingo__buffer_text(events, "\n");
        }
        in_body = event == PINGO__HTTP_PIECE || (in_body && event == PINGO__HTTP_MORE);
        if (event == PINGO__HTTP_ENDED)
            pingo__buffer_text(events, "ended\n");
    }
    if (event == PINGO__HTTP_WRONG)
        pingo__buffer_format(events, "%d %s", p.status, p.wrong);
    pingo__http_parser_clear(&p);
}

/* A form's parts as "name|filename|data;", or what is wrong with it; from memory that ends where it does. */
static inline void http_form(const char *type, const char *body, size_t n,
                             struct pingo__buffer *said)
{
    struct pingo__arena arena = {0};
    char *copy = malloc(n > 0 ? n : 1);
    if (!copy)
        abort();
    memcpy(copy, body, n);
    struct pingo__http_form form = {.type = type, .body = copy, .length = n};
    const char *wrong = pingo__http_multipart(&arena, &form);
    for (size_t i = 0; i < form.nparts && !wrong; i++) {
        const struct pingo__http_part *p = &form.parts[i];
        http_must(p->data >= copy && p->length <= (size_t)(copy + n - p->data),
                  "a part of the body");
        pingo__buffer_format(said, "%s|%s|", p->name, p->filename ? p->filename : "");
        pingo__buffer_append(said, p->data, p->length);
        pingo__buffer_char(said, ';');
    }
    if (wrong)
        pingo__buffer_text(said, wrong);
    pingo__arena_clear(&arena);
    free(copy);
}

static inline void fuzz_http(const uint8_t *data, size_t n)
{
    struct pingo__buffer form = {0};
    http_form("multipart/form-data; boundary=b", (const char *)data, n, &form);
    pingo__buffer_clear(&form);
    struct pingo__buffer whole = {0}, other = {0};
    http_events(data, n, n, n, &whole);
    size_t step = n < 2048 ? 1 : n / 64;
    for (size_t first = 0; first < n; first += step) {
        pingo__buffer_reset(&other);
        http_events(data, n, first, first == 0 ? 1 : n, &other);
        http_must(other.length == whole.length &&
                      (whole.length == 0 || memcmp(other.data, whole.data, whole.length) == 0),
                  "the same bytes give the same events");
    }
    pingo__buffer_clear(&whole);
    pingo__buffer_clear(&other);
}

#endif
