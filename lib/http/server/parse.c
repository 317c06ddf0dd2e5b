/* parse.c - see parse.h: lines of the head, and how the body is cut out of the bytes. */
#include "http/server/parse.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

enum {
    STATE_REQUEST, /* its line */
    STATE_HEADERS,
    STATE_BODY, /* of a known length */
    STATE_SIZE, /* the line before a chunk */
    STATE_EXTENSION,
    STATE_CHUNK,
    STATE_CHUNK_END, /* the CRLF behind it */
    STATE_LAST,      /* the CRLF behind the last */
    STATE_DONE,
    STATE_WRONG
};

#define EXTENSION_BYTES 256
#define SIZE_DIGITS 15 /* more than any disk has */

int pingo__http_refuse(struct pingo__http_parser *p, int status, const char *wrong)
{
    p->wrong = wrong;
    return p->status = status;
}

void pingo__http_parser_init(struct pingo__http_parser *p)
{
    memset(p, 0, sizeof *p);
    p->most_bytes = INT64_MAX;
}

void pingo__http_parser_clear(struct pingo__http_parser *p)
{
    pingo__arena_clear(&p->arena);
    pingo__buffer_clear(&p->line);
    pingo__http_parser_init(p);
}

bool pingo__http_parser_is_idle(const struct pingo__http_parser *p)
{
    return p->state == STATE_REQUEST && p->nhead == 0;
}

bool pingo__http_is_token(char c)
{
    return isalnum((unsigned char)c) || (c != '\0' && strchr("!#$%&'*+-.^_`|~", c));
}

/* What is known is left to who answers; TRACE and CONNECT never are. */
static int read_method(struct pingo__http_parser *p, const char *method, size_t n)
{
    static const char *const known[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
    for (size_t i = 0; i < n; i++)
        if (!pingo__http_is_token(method[i]))
            return pingo__http_refuse(p, 400, "a method is a token");
    for (size_t i = 0; i < sizeof known / sizeof known[0] && !p->method; i++)
        if (n == strlen(known[i]) && memcmp(known[i], method, n) == 0)
            p->method = known[i];
    return p->method ? 0 : pingo__http_refuse(p, n == 0 ? 400 : 501, "there is no such method");
}

static int read_version(struct pingo__http_parser *p, const char *version, size_t n)
{
    if (n != 8 || memcmp(version, "HTTP/", 5) != 0 || !isdigit((unsigned char)version[5]) ||
        version[6] != '.' || !isdigit((unsigned char)version[7]))
        return pingo__http_refuse(p, 400, "a request is: METHOD /PATH HTTP/1.1");
    if (version[5] != '1' || version[7] > '1')
        return pingo__http_refuse(p, 505, "HTTP/1.1 and HTTP/1.0 are spoken here");
    p->is_old = version[7] == '0';
    return 0;
}

static int read_request_line(struct pingo__http_parser *p, const char *line, size_t n)
{
    const char *end = line + n, *target = memchr(line, ' ', n);
    const char *version = target ? memchr(target + 1, ' ', (size_t)(end - target) - 1) : NULL;
    if (!version)
        return pingo__http_refuse(p, 400, "a request is: METHOD /PATH HTTP/1.1");
    int rc = read_method(p, line, (size_t)(target - line));
    if (rc == 0)
        rc = read_version(p, version + 1, (size_t)(end - version) - 1);
    if (rc == 0)
        rc = pingo__http_read_target(p, target + 1, (size_t)(version - target) - 1);
    return rc;
}

/* A line without its CRLF.  *is_whole: it is the empty one that ends the head. */
static int end_line(struct pingo__http_parser *p, bool *is_whole)
{
    char *line = pingo__buffer_cstr(&p->line) ? p->line.data : NULL;
    size_t n = p->line.length;
    int rc;
    *is_whole = p->state == STATE_HEADERS && n == 0;
    if (!line)
        rc = pingo__http_refuse(p, 503, "out of memory");
    else if (*is_whole)
        rc = pingo__http_check_head(p);
    else if (p->state == STATE_REQUEST)
        rc = read_request_line(p, line, n);
    else
        rc = pingo__http_read_header(p, line, n);
    p->state = STATE_HEADERS;
    pingo__buffer_reset(&p->line);
    return rc;
}

/* Why a byte cannot stand in a line; NULL: it can. */
static const char *fault_of(const struct pingo__http_parser *p, char c)
{
    if (p->had_cr)
        return c == '\n' ? NULL : "a line ends with CRLF, and CR stands nowhere else";
    if (c == '\n')
        return "a line ends with CRLF";
    bool is_control = ((unsigned char)c < ' ' && c != '\t' && c != '\r') || c == 127;
    return is_control ? "a control character" : NULL;
}

/* One byte of the head. */
static int take_byte(struct pingo__http_parser *p, char c, bool *is_whole)
{
    const char *fault = fault_of(p, c);
    if (fault)
        return pingo__http_refuse(p, 400, fault);
    if (++p->nhead > PINGO__HTTP_HEAD)
        return pingo__http_refuse(p, 431, "the head is longer than 32 KiB");
    bool ends = p->had_cr;
    p->had_cr = c == '\r';
    if (ends)
        return end_line(p, is_whole);
    if (p->had_cr)
        return 0;
    if (p->line.length == PINGO__HTTP_LINE)
        return p->state == STATE_REQUEST
                   ? pingo__http_refuse(p, 414, "the request's line is longer than 8 KiB")
                   : pingo__http_refuse(p, 431, "a header is longer than 8 KiB");
    pingo__buffer_char(&p->line, c);
    return 0;
}

static int take_head(struct pingo__http_parser *p, const char *bytes, size_t n, size_t *taken)
{
    bool is_whole = false;
    int rc = 0;
    while (*taken < n && rc == 0 && !is_whole)
        rc = take_byte(p, bytes[(*taken)++], &is_whole);
    if (rc != 0 || !is_whole)
        return rc;
    pingo__buffer_clear(&p->line);
    p->left = p->length > 0 ? p->length : 0;
    p->state = p->length < 0 ? STATE_SIZE : p->length > 0 ? STATE_BODY : STATE_DONE;
    return 0;
}

/* A line "SIZE[;EXTENSION]" before a chunk; extensions are not looked at. */
static int take_size(struct pingo__http_parser *p, char c)
{
    if (p->had_cr) {
        if (c != '\n')
            return pingo__http_refuse(p, 400, "a line ends with CRLF");
        p->had_cr = false;
        p->state = p->left > 0 ? STATE_CHUNK : STATE_LAST;
        if (p->left > p->most_bytes - p->had)
            return pingo__http_refuse(p, 413, "the body is too long");
        return 0;
    }
    if (c == '\r' && p->digits > 0) {
        p->had_cr = true;
        return 0;
    }
    if (p->state == STATE_EXTENSION || (c == ';' && p->digits > 0)) {
        p->state = STATE_EXTENSION;
        bool is_text = c == '\t' || ((unsigned char)c >= ' ' && c != 127);
        if (!is_text || ++p->nextension > EXTENSION_BYTES)
            return pingo__http_refuse(p, 400, "a chunk's extension that cannot be");
        return 0;
    }
    int digit = pingo__text_hex_digit(c);
    if (digit < 0)
        return pingo__http_refuse(p, 400, "a chunk begins with its size, in hexadecimal digits");
    if (++p->digits > SIZE_DIGITS)
        return pingo__http_refuse(p, 413, "the body is too long");
    p->left = p->left * 16 + digit;
    return 0;
}

/* The CRLF behind a chunk, or behind all of them. */
static int take_crlf(struct pingo__http_parser *p, char c)
{
    if (c != (p->had_cr ? '\n' : '\r'))
        return pingo__http_refuse(p, 400,
                                  p->state == STATE_LAST ? "there are no trailers here"
                                                         : "a chunk is longer than its size says");
    if (!p->had_cr) {
        p->had_cr = true;
        return 0;
    }
    p->had_cr = false;
    p->left = 0;
    p->digits = 0;
    p->nextension = 0;
    p->state = p->state == STATE_LAST ? STATE_DONE : STATE_SIZE;
    return 0;
}

/* What lies between the pieces of a body. */
static int take_framing(struct pingo__http_parser *p, const char *bytes, size_t n, size_t *taken)
{
    int rc = 0;
    if (p->length > p->most_bytes)
        return pingo__http_refuse(p, 413, "the body is too long");
    while (rc == 0 && *taken < n && p->state >= STATE_SIZE && p->state <= STATE_LAST &&
           p->state != STATE_CHUNK) {
        char c = bytes[(*taken)++];
        rc = p->state < STATE_CHUNK ? take_size(p, c) : take_crlf(p, c);
    }
    return rc;
}

static enum pingo__http_event take_piece(struct pingo__http_parser *p, const char *bytes, size_t n,
                                         size_t *taken)
{
    size_t most = n - *taken;
    p->piece = bytes + *taken;
    p->npiece = (int64_t)most < p->left ? most : (size_t)p->left;
    *taken += p->npiece;
    p->had += (int64_t)p->npiece;
    p->left -= (int64_t)p->npiece;
    if (p->left == 0)
        p->state = p->state == STATE_BODY ? STATE_DONE : STATE_CHUNK_END;
    return PINGO__HTTP_PIECE;
}

/* Ready for the next request; what the one before had in memory is kept for it, but for much. */
static void begin(struct pingo__http_parser *p)
{
    struct pingo__arena arena = p->arena;
    pingo__buffer_clear(&p->line);
    pingo__http_parser_init(p);
    if (arena.size > PINGO__HTTP_LINE)
        pingo__arena_clear(&arena);
    pingo__arena_reset(&arena);
    p->arena = arena;
}

enum pingo__http_event pingo__http_parse(struct pingo__http_parser *p, const char *bytes, size_t n,
                                         size_t *taken)
{
    *taken = 0;
    int rc = 0;
    bool is_head = p->state == STATE_REQUEST || p->state == STATE_HEADERS;
    if (is_head && pingo__http_parser_is_idle(p))
        begin(p);
    if (is_head)
        rc = take_head(p, bytes, n, taken);
    else if (p->state != STATE_WRONG)
        rc = take_framing(p, bytes, n, taken);
    if (rc != 0 || p->state == STATE_WRONG) {
        p->state = STATE_WRONG;
        return PINGO__HTTP_WRONG;
    }
    if (is_head)
        return p->state > STATE_HEADERS ? PINGO__HTTP_HEADED : PINGO__HTTP_MORE;
    if (p->state == STATE_DONE) {
        p->state = STATE_REQUEST;
        p->nhead = 0;
        return PINGO__HTTP_ENDED;
    }
    if (*taken < n && (p->state == STATE_BODY || p->state == STATE_CHUNK))
        return take_piece(p, bytes, n, taken);
    return PINGO__HTTP_MORE;
}
