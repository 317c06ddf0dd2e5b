/* target.c - a request's target: path and query, decoded strictly. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "http/server/parse.h"

static bool is_unreserved(char c)
{
    return isalnum((unsigned char)c) || strchr("-._~!$&'()*+,;=:@", c);
}

/* Decodes one character at *from, other than NUL; -1: it cannot stand there. */
static int decode(const char **from, const char *end, const char *others)
{
    char c = *(*from)++;
    if (c != '%')
        return c != '\0' && (is_unreserved(c) || strchr(others, c)) ? (unsigned char)c : -1;
    int high = end - *from >= 2 ? pingo__text_hex_digit((*from)[0]) : -1;
    int low = high >= 0 ? pingo__text_hex_digit((*from)[1]) : -1;
    *from += 2;
    int value = low >= 0 ? high * 16 + low : -1;
    return value > 0 ? value : -1;
}

/* Parts between slashes: none is empty but the last, none is "." or "..", and no slash was hidden. */
static const char *fault_of_path(const char *path)
{
    for (const char *part = path + 1;;) {
        size_t n = strcspn(part, "/");
        if (n == 0 && part[n] == '/')
            return "an empty part of the path";
        if ((n == 1 || n == 2) && strncmp(part, "..", n) == 0)
            return "the path has . or .. in it";
        if (part[n] == '\0')
            return NULL;
        part += n + 1;
    }
}

static int read_path(struct pingo__http_parser *p, const char *from, const char *end)
{
    char *path = pingo__arena_alloc(&p->arena, (size_t)(end - from) + 1);
    size_t n = 0;
    if (!path)
        return pingo__http_refuse(p, 503, "out of memory");
    while (from < end) {
        bool is_slash = *from == '/';
        int c = decode(&from, end, "/");
        if (c < ' ' || c == 127 || (c == '/' && !is_slash))
            return pingo__http_refuse(p, 400, "a character of the path that cannot be");
        path[n++] = (char)c;
    }
    p->path = path;
    const char *fault = fault_of_path(path);
    if (!fault && !pingo__text_is_utf8(path, n))
        fault = "the path is not UTF-8";
    return fault ? pingo__http_refuse(p, 400, fault) : 0;
}

/* NAME[=VALUE] */
static int read_pair(struct pingo__http_parser *p, struct pingo__http_field *pair, const char *from,
                     const char *end)
{
    char *text = pingo__arena_alloc(&p->arena, (size_t)(end - from) + 2);
    size_t n = 0;
    if (!text)
        return pingo__http_refuse(p, 503, "out of memory");
    pair->name = text;
    pair->value = NULL;
    while (from < end) {
        bool is_plus = *from == '+', is_equals = *from == '=' && !pair->value;
        int c = decode(&from, end, "/?");
        if (c < 0)
            return pingo__http_refuse(p, 400, "a character of the query that cannot be");
        text[n++] = (char)(is_equals ? '\0' : is_plus ? ' ' : c);
        if (is_equals)
            pair->value = text + n;
    }
    if (!pair->value)
        pair->value = text + n;
    if (!pingo__text_is_utf8(pair->name, strlen(pair->name)) ||
        !pingo__text_is_utf8(pair->value, strlen(pair->value)))
        return pingo__http_refuse(p, 400, "the query is not UTF-8");
    return 0;
}

static int read_query(struct pingo__http_parser *p, const char *from, const char *end)
{
    size_t n = 1;
    for (const char *c = from; c < end; c++)
        n += *c == '&';
    if (n > PINGO__HTTP_QUERIES)
        return pingo__http_refuse(p, 400, "the query has more than 100 parts");
    struct pingo__http_field *pairs = pingo__arena_array(&p->arena, n, sizeof *pairs);
    if (!pairs)
        return pingo__http_refuse(p, 503, "out of memory");
    p->query = pairs;
    int rc = 0;
    while (from < end && rc == 0) {
        const char *next = memchr(from, '&', (size_t)(end - from));
        if (!next)
            next = end;
        if (next > from)
            rc = read_pair(p, &pairs[p->nquery++], from, next);
        from = next < end ? next + 1 : end;
    }
    return rc;
}

/* "http://HOST", as proxies are asked, and who was written for one asks everybody (RFC 9112, 3.2.2).  *path: what is
 * behind it. */
static int read_authority(struct pingo__http_parser *p, const char **path, const char *end)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < 2 && !p->authority; i++) {
        size_t n = strlen(schemes[i]);
        const char *from = *path + n, *at = from;
        if ((size_t)(end - *path) < n || strncasecmp(*path, schemes[i], n) != 0)
            continue;
        while (at < end && *at != '/' && *at != '?')
            at++;
        *path = at;
        if (!(p->authority = pingo__arena_text(&p->arena, from, (size_t)(at - from))))
            return pingo__http_refuse(p, 503, "out of memory");
    }
    return 0;
}

int pingo__http_read_target(struct pingo__http_parser *p, const char *target, size_t n)
{
    static const char root[] = "/";
    const char *end = target + n;
    int rc = read_authority(p, &target, end);
    if (rc)
        return rc;
    if (!p->authority && (target == end || *target != '/'))
        return pingo__http_refuse(p, 400, "a target begins with /");
    const char *query = memchr(target, '?', (size_t)(end - target));
    const char *last = query ? query : end;
    rc = last > target ? read_path(p, target, last) : read_path(p, root, root + 1);
    if (rc == 0 && query)
        rc = read_query(p, query + 1, end);
    return rc;
}
