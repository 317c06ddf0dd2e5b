/* request.c - see request.h. */
#include "http/request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

static const char *const methods[] = {"GET", "PUT", "DELETE", "POST", "PATCH"};

/* Nothing in it ends a line, and so begins another header or request. */
static bool is_printable(const char *text, char least)
{
    for (; *text; text++)
        if (*text < least || *text > '~')
            return false;
    return true;
}

static int add_headers(const struct pingo__http_curl *curl, struct pingo__http_entry *e,
                       const char *const *headers, struct pingo_error *err)
{
    static const char *const ours[] = {"Expect:",
                                       NULL}; /* a server that waits for leave costs a second */
    for (int round = 0; round < 2; round++)
        for (const char *const *h = round ? headers : ours; h && *h; h++) {
            if (!is_printable(*h, ' ') || !strchr(*h, ':'))
                return pingo__fail(err, PINGO_EINVAL, "a header that cannot be sent");
            struct curl_slist *more = curl->slist_append(e->headers, *h);
            if (!more)
                return pingo__fail_memory(err);
            e->headers = more;
        }
    return 0;
}

static int fill(const struct pingo__http_curl *curl, struct pingo__http_entry *e, const char *base,
                const struct pingo__http_request *request, struct pingo_error *err)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i], request->method) == 0)
            e->method = methods[i];
    bool leads_on = pingo__http_url_leads_on(request->path);
    if (!e->method || (request->path[0] != '/' && !leads_on) || !is_printable(request->path, '!') ||
        (request->stream && request->body))
        return pingo__fail(err, PINGO_EINVAL, "%s %s: no such request", request->method,
                           request->path);
    if (request->negotiates && !curl->can_negotiate)
        return pingo__fail(err, PINGO_EUNSUPPORTED,
                           "the server asks for Kerberos, which this libcurl lacks (Debian: "
                           "install libcurl4)");
    size_t nbase = leads_on ? 0 : strlen(base), npath = strlen(request->path) + 1;
    e->url = malloc(nbase + npath);
    e->body = request->body ? malloc(request->length + 1) : NULL;
    if (!e->url || (request->body && !e->body))
        return pingo__fail_memory(err);
    memcpy(e->url, base, nbase);
    memcpy(e->url + nbase, request->path, npath);
    if (request->length)
        memcpy(e->body, request->body, request->length);
    e->length = request->body ? request->length : 0;
    e->stream = request->stream;
    e->negotiates = request->negotiates;
    e->reply.own = request->own;
    return 0;
}

int pingo__http_entry_new(const struct pingo__http_curl *curl, const char *base,
                          const struct pingo__http_request *request,
                          struct pingo__http_entry **entry, struct pingo_error *err)
{
    struct pingo__http_entry *e = calloc(1, sizeof *e);
    int rc = e ? fill(curl, e, base, request, err) : pingo__fail_memory(err);
    if (!rc)
        rc = add_headers(curl, e, request->headers, err);
    if (rc) {
        pingo__http_entry_free(curl, e);
        e = NULL;
    }
    *entry = e;
    return rc;
}

void pingo__http_entry_free(const struct pingo__http_curl *curl, struct pingo__http_entry *entry)
{
    if (!entry)
        return;
    if (entry->headers)
        curl->slist_free_all(entry->headers);
    pingo__buffer_clear(&entry->in);
    free(entry->url);
    free(entry->body);
    free(entry->location);
    free(entry->type);
    free(entry);
}

size_t pingo__http_entry_take_body(char *bytes, size_t size, size_t n, void *entry)
{
    struct pingo__http_entry *e = entry;
    e->moved += (int64_t)(size * n);
    if (e->stream && e->stream->take && (e->status == 200 || e->status == 206))
        return e->stream->take(e->stream->context, bytes, size * n) ? size * n
                                                                    : CURL_WRITEFUNC_ERROR;
    if (size * n > e->max_bytes - e->in.length) {
        e->too_much = true;
        return CURL_WRITEFUNC_ERROR;
    }
    pingo__buffer_append(&e->in, bytes, size * n);
    return e->in.failed ? CURL_WRITEFUNC_ERROR : size * n;
}

size_t pingo__http_entry_give(char *bytes, size_t size, size_t n, void *entry)
{
    struct pingo__http_entry *e = entry;
    ssize_t got = e->stream->give(e->stream->context, bytes, size * n);
    if (got < 0 || (got == 0 && e->given < e->stream->length))
        return CURL_READFUNC_ABORT;
    e->given += got;
    e->moved += got;
    return (size_t)got;
}

/* The value of a header of that name (with its colon), into *value; one that is not plain is none. */
static void read_value(const char *line, size_t n, const char *name, char **value)
{
    size_t from = strlen(name);
    if (n <= from || strncasecmp(line, name, from) != 0)
        return;
    while (n > 0 && (line[n - 1] == '\r' || line[n - 1] == '\n' || line[n - 1] == ' '))
        n--;
    while (from < n && line[from] == ' ')
        from++;
    free(*value);
    *value = strndup(line + (from < n ? from : n), from < n ? n - from : 0);
    if (*value && !is_printable(*value, ' ')) {
        free(*value);
        *value = NULL;
    }
}

/* A line with its end; before the last reply others may come (100 Continue). */
static void read_header(struct pingo__http_entry *e, const char *line, size_t n)
{
    if (n > 12 && memcmp(line, "HTTP/", 5) == 0) {
        const char *space = memchr(line, ' ', n - 3);
        e->status = space ? (space[1] - '0') * 100 + (space[2] - '0') * 10 + space[3] - '0' : 0;
    }
    read_value(line, n, "location:", &e->location);
    read_value(line, n, "content-type:", &e->type);
    if (e->location && !is_printable(e->location, '!')) {
        free(e->location);
        e->location = NULL;
    }
}

size_t pingo__http_entry_take_header(char *bytes, size_t size, size_t n, void *entry)
{
    struct pingo__http_entry *e = entry;
    read_header(e, bytes, size * n);
    e->moved += (int64_t)(size * n);
    e->header_bytes += size * n;
    e->too_much = e->too_much || e->header_bytes > e->max_bytes;
    return e->too_much ? CURL_WRITEFUNC_ERROR : size * n;
}
