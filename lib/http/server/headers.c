/* headers.c - the lines of a head, and what they say together of the body and of the connection. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "http/server/parse.h"

#define LENGTH_DIGITS 18

/* Of these a second one is an error; of others a list is made. */
static bool is_single(const char *name)
{
    return pingo__text_is_among(
        "host|content-length|transfer-encoding|authorization|content-type|"
        "expect|origin|range|idempotency-key|x-forwarded-user|last-event-id",
        name);
}

int pingo__http_read_header(struct pingo__http_parser *p, char *line, size_t n)
{
    size_t name = 0;
    for (; name < n && pingo__http_is_token(line[name]); name++)
        line[name] = (char)tolower((unsigned char)line[name]);
    if (name == 0 || line[name] != ':')
        return pingo__http_refuse(p, 400, "a header is: NAME: VALUE");
    char *value = line + name + 1;
    size_t length = n - name - 1;
    for (; length > 0 && (*value == ' ' || *value == '\t'); length--)
        value++;
    while (length > 0 && (value[length - 1] == ' ' || value[length - 1] == '\t'))
        length--;
    if (!p->fields)
        p->fields = pingo__arena_array(&p->arena, PINGO__HTTP_HEADERS, sizeof *p->fields);
    struct pingo__http_field f = {pingo__arena_text(&p->arena, line, name),
                                  pingo__arena_text(&p->arena, value, length)};
    if (!p->fields || !f.name || !f.value)
        return pingo__http_refuse(p, 503, "out of memory");
    if (p->nheaders == PINGO__HTTP_HEADERS)
        return pingo__http_refuse(p, 431, "there are more than 100 headers");
    for (size_t i = 0; is_single(f.name) && i < p->nheaders; i++)
        if (strcmp(p->fields[i].name, f.name) == 0)
            return pingo__http_refuse(p, 400, "a header that stands once stands twice");
    p->headers = p->fields;
    p->fields[p->nheaders++] = f;
    return 0;
}

/* Those of one name become one, "a, b": once, at the end, or a head of many such lines is copied with each of them. */
static int join(struct pingo__http_parser *p)
{
    bool failed = false;
    for (size_t i = 0; i < p->nheaders && !failed; i++) {
        struct pingo__http_field *f = &p->fields[i];
        struct pingo__buffer all = {0};
        size_t n = i + 1;
        for (size_t k = n; k < p->nheaders; k++) {
            if (strcmp(p->fields[k].name, f->name) == 0)
                pingo__buffer_format(&all, "%s, %s", all.length == 0 ? f->value : "",
                                     p->fields[k].value);
            else
                p->fields[n++] = p->fields[k];
        }
        p->nheaders = n;
        if (all.length > 0)
            f->value = pingo__arena_text(&p->arena, all.data, all.length);
        failed = all.failed || !f->value;
        pingo__buffer_clear(&all);
    }
    return failed ? pingo__http_refuse(p, 503, "out of memory") : 0;
}

static struct pingo__http_field *find(const struct pingo__http_parser *p, const char *name)
{
    for (size_t i = 0; i < p->nheaders; i++)
        if (strcmp(p->fields[i].name, name) == 0)
            return &p->fields[i];
    return NULL;
}

static const char *header(const struct pingo__http_parser *p, const char *name)
{
    const struct pingo__http_field *f = find(p, name);
    return f ? f->value : NULL;
}

/* A name or an address, and perhaps a port: nothing that a log, a URL or a list of hosts reads differently. */
static bool is_host(const char *text)
{
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-._:[]", *c))
            return false;
    return *text;
}

static int check_host(struct pingo__http_parser *p)
{
    struct pingo__http_field *host = find(p, "host");
    if (!host && !p->is_old)
        return pingo__http_refuse(p, 400, "HTTP/1.1 has a Host");
    if ((host && !is_host(host->value)) || (p->authority && !is_host(p->authority)))
        return pingo__http_refuse(p, 400, "a Host is NAME or NAME:PORT");
    if (host && p->authority)
        host->value = p->authority;
    return 0;
}

static int check_length(struct pingo__http_parser *p)
{
    const char *length = header(p, "content-length"), *coding = header(p, "transfer-encoding");
    if (length && coding)
        return pingo__http_refuse(p, 400, "Content-Length and Transfer-Encoding exclude each other");
    if (coding && p->is_old)
        return pingo__http_refuse(p, 400, "HTTP/1.0 has no Transfer-Encoding");
    if (coding && strcasecmp(coding, "chunked") != 0)
        return pingo__http_refuse(p, 501, "the one Transfer-Encoding is chunked");
    p->length = coding ? -1 : 0;
    if (!length)
        return 0;
    size_t n = strspn(length, "0123456789");
    if (n == 0 || length[n] != '\0')
        return pingo__http_refuse(p, 400, "a Content-Length is digits");
    if (n > LENGTH_DIGITS)
        return pingo__http_refuse(p, 413, "the body is too long");
    for (size_t i = 0; i < n; i++)
        p->length = p->length * 10 + (length[i] - '0');
    return 0;
}

/* Is word in the list "a, b"? */
static bool has_word(const char *list, const char *word)
{
    for (size_t n = strlen(word); list && *list; list += strcspn(list, ",")) {
        list += strspn(list, ", \t");
        if (strncasecmp(list, word, n) == 0 && (list[n] == '\0' || strchr(", \t", list[n])))
            return true;
    }
    return false;
}

int pingo__http_check_head(struct pingo__http_parser *p)
{
    int rc = join(p);
    if (rc == 0)
        rc = check_host(p);
    if (rc == 0)
        rc = check_length(p);
    if (rc != 0)
        return rc;
    const char *connection = header(p, "connection"), *expect = header(p, "expect");
    p->keeps_alive =
        !has_word(connection, "close") && (!p->is_old || has_word(connection, "keep-alive"));
    if (expect && strcasecmp(expect, "100-continue") != 0)
        return pingo__http_refuse(p, 417, "the one thing to expect is 100-continue");
    p->expects = expect && !p->is_old && p->length != 0;
    return 0;
}
