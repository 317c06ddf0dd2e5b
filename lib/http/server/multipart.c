/* multipart.c - see multipart.h. */
#include "http/server/multipart.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "http/server/parse.h"

#define BOUNDARY 70 /* characters at most (RFC 2046, 5.1.1) */
#define HEADERS 8   /* of a part */

struct reader {
    struct pingo__arena *arena;
    const char *at, *end;
    char mark[4 + BOUNDARY + 1]; /* CRLF, two dashes, the boundary */
    size_t nmark;
};

/* Of "multipart/form-data; boundary=X" or ="X". */
static bool read_boundary(struct reader *r, const char *type)
{
    static const char others[] = "'()+_,-./:=? ";
    const char *p = type + strcspn(type, ";");
    while (*p == ';' && strncasecmp(p + 1 + strspn(p + 1, " \t"), "boundary=", 9) != 0)
        p += 1 + strcspn(p + 1, ";");
    if (*p != ';')
        return false;
    p += 1 + strspn(p + 1, " \t") + 9;
    bool is_quoted = *p == '"';
    p += is_quoted;
    size_t n = is_quoted ? strcspn(p, "\"") : strcspn(p, "; \t");
    if (n == 0 || n > BOUNDARY || p[n - 1] == ' ' || (is_quoted && p[n] != '"'))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!pingo__http_is_token(p[i]) && !strchr(others, p[i]))
            return false;
    memcpy(r->mark, "\r\n--", 4);
    memcpy(r->mark + 4, p, n);
    r->nmark = n + 4;
    return true;
}

/* The next line without its end; NULL: there is none whole. */
static const char *read_line(struct reader *r, size_t *n)
{
    const char *line = r->at;
    size_t most = (size_t)(r->end - r->at);
    most = most < PINGO__HTTP_LINE ? most : PINGO__HTTP_LINE;
    const char *end = memchr(line, '\r', most);
    if (!end || end + 1 >= r->end || end[1] != '\n')
        return NULL;
    *n = (size_t)(end - line);
    r->at = end + 2;
    return line;
}

static bool is_clean(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (((unsigned char)text[i] < ' ' && text[i] != '\t') || text[i] == 127)
            return false;
    return pingo__text_is_utf8(text, n);
}

static const char *skip_space(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

/* What stands in double quotes at *p, where \" and, as browsers write it, %22 are a quote. */
static const char *read_quoted(struct reader *r, const char **p, const char *end)
{
    if (*p == end || **p != '"')
        return NULL;
    char *text = pingo__arena_alloc(r->arena, (size_t)(end - *p)), *out = text;
    for (++*p; text && *p < end && **p != '"'; ++*p) {
        bool is_escaped = **p == '\\' && end - *p > 1 && ((*p)[1] == '"' || (*p)[1] == '\\');
        bool is_browsers = end - *p > 2 && memcmp(*p, "%22", 3) == 0;
        *p += is_escaped ? 1 : is_browsers ? 2 : 0;
        *out++ = is_browsers ? '"' : **p;
    }
    if (!text || *p == end)
        return NULL;
    ++*p;
    *out = '\0';
    return text;
}

/* form-data; name="..."[; filename="..."] */
static const char *read_disposition(struct reader *r, const char *p, const char *end,
                                    struct pingo__http_part *part)
{
    static const char wrong[] =
        "a part's Content-Disposition is not form-data; name=\"...\"; filename=\"...\"";
    if (part->name)
        return "a part has two Content-Disposition";
    if (end - p < 9 || strncasecmp(p, "form-data", 9) != 0)
        return wrong;
    for (p += 9; p < end;) {
        p = skip_space(p, end);
        if (p == end || *p++ != ';')
            return wrong;
        p = skip_space(p, end);
        bool is_name = end - p > 5 && strncasecmp(p, "name=", 5) == 0;
        bool is_file = end - p > 9 && strncasecmp(p, "filename=", 9) == 0;
        const char **into = is_name ? &part->name : &part->filename;
        p += is_name ? 5 : 9;
        if ((!is_name && !is_file) || *into || !(*into = read_quoted(r, &p, end)))
            return wrong;
    }
    return part->name ? NULL : wrong;
}

static const char *read_headers(struct reader *r, struct pingo__http_part *part)
{
    static const char disposition[] = "content-disposition",
                      encoding[] = "content-transfer-encoding";
    for (int i = 0; i <= HEADERS; i++) {
        size_t n, name = 0;
        const char *line = read_line(r, &n), *wrong = NULL;
        if (!line)
            return "a part's headers do not end";
        if (n == 0)
            return part->name ? NULL : "a part has no Content-Disposition";
        while (name < n && pingo__http_is_token(line[name]))
            name++;
        if (name == 0 || name == n || line[name] != ':' || !is_clean(line, n))
            return "a part's header is none";
        const char *end = line + n, *value = skip_space(line + name + 1, end);
        if (name == sizeof disposition - 1 && strncasecmp(line, disposition, name) == 0)
            wrong = read_disposition(r, value, end, part);
        else if (name == sizeof encoding - 1 && strncasecmp(line, encoding, name) == 0)
            wrong = "a part has a transfer encoding";
        if (wrong)
            return wrong;
    }
    return "a part has too many headers";
}

/* Behind a boundary: is it the last one? */
static const char *read_end(struct reader *r, bool *is_last)
{
    size_t left = (size_t)(r->end - r->at);
    *is_last = left >= 2 && memcmp(r->at, "--", 2) == 0;
    r->at += *is_last ? 2 : 0;
    left -= *is_last ? 2 : 0;
    if (*is_last && left == 0)
        return NULL;
    if (left < 2 || memcmp(r->at, "\r\n", 2) != 0 || (*is_last && left > 2))
        return "something stands behind a boundary";
    r->at += 2;
    return NULL;
}

const char *pingo__http_multipart(struct pingo__arena *arena, struct pingo__http_form *form)
{
    struct reader r = {.arena = arena, .at = form->body, .end = form->body + form->length};
    size_t capacity = 0;
    bool is_last = false;
    const char *wrong;
    form->parts = NULL;
    form->nparts = 0;
    if (!read_boundary(&r, form->type))
        return "the type has no boundary";
    if (form->length < r.nmark - 2 || memcmp(form->body, r.mark + 2, r.nmark - 2) != 0)
        return "the body does not begin with the boundary";
    r.at += r.nmark - 2;
    while (!(wrong = read_end(&r, &is_last)) && !is_last) {
        struct pingo__http_part part = {0};
        if (form->nparts == PINGO__HTTP_PARTS)
            return "there are too many parts";
        if ((wrong = read_headers(&r, &part)))
            return wrong;
        /* An empty part has the line end of its headers for its own. */
        const char *end = memmem(r.at - 2, (size_t)(r.end - r.at) + 2, r.mark, r.nmark);
        if (!end)
            return "a part does not end";
        part.data = r.at;
        part.length = end < r.at ? 0 : (size_t)(end - r.at);
        if (!PINGO__ARENA_ROOM(arena, form->parts, form->nparts, capacity))
            return "out of memory";
        form->parts[form->nparts++] = part;
        r.at = end + r.nmark;
    }
    return wrong;
}
