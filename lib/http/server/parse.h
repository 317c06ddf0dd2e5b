/* parse.h - requests of HTTP/1.1 (RFC 9112) out of bytes, strictly: bytes in, events out.
 *
 * Nothing is guessed: what two parsers could read differently is refused, and the connection ends with it.  Lines end
 * with CRLF; HTTP/1.1 has one Host; a body has one Content-Length of digits, or Transfer-Encoding: chunked, never both;
 * a header's name is a token with the colon right behind it, and a line goes on in no other; the target is a path with
 * its query, alone (origin-form) or behind http://HOST (absolute-form), which then is the Host.  No NUL, no control
 * characters, no trailers.  An event is told as soon as its bytes are there, and the same whatever pieces they come in.
 * Pure: no clock, no file, no socket. */
#ifndef PINGO__HTTP_SERVER_PARSE_H
#define PINGO__HTTP_SERVER_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"

#define PINGO__HTTP_LINE ((size_t)8 << 10)  /* of the longest line, */
#define PINGO__HTTP_HEAD ((size_t)32 << 10) /* and of all together */
#define PINGO__HTTP_HEADERS 100
#define PINGO__HTTP_QUERIES 100

struct pingo__http_field {
    const char *name, *value;
};

enum pingo__http_event {
    PINGO__HTTP_MORE,   /* all bytes were taken, and more are needed */
    PINGO__HTTP_HEADED, /* the head is whole; look at it, and set most_bytes */
    PINGO__HTTP_PIECE,  /* of the body: piece, npiece */
    PINGO__HTTP_ENDED,  /* the request is whole; the next call begins another one */
    PINGO__HTTP_WRONG   /* it is refused: status, wrong.  No further call. */
};

struct pingo__http_parser {
    /* From HEADED on until the call after ENDED, borrowed. */
    const char *method; /* as it came */
    const char *path;   /* decoded: UTF-8, no control characters, no empty part, no "." and ".." */
    const struct pingo__http_field *query; /* decoded: UTF-8, no NUL, and + is a space */
    const struct pingo__http_field *headers; /* names in lower case; a repeated one is a list: "a, b" */
    size_t nquery, nheaders;
    int64_t length; /* of the body: 0: there is none; -1: it comes in chunks */
    bool is_old;    /* HTTP/1.0 */
    bool keeps_alive;
    bool expects; /* 100 Continue, before it sends the body */

    const char *piece; /* in the bytes of the call */
    size_t npiece;

    int status;        /* 400, 413, 414, 417, 431, 501, 505 */
    const char *wrong; /* static */

    int64_t most_bytes; /* of the body; what is longer is 413; the caller's to set at HEADED, INT64_MAX before */

    /* Its own. */
    int state;
    int64_t left;          /* of the body, or of a chunk */
    int64_t had;           /* of the body so far */
    size_t nhead;          /* bytes of the head so far */
    size_t nextension;     /* and of a chunk's line */
    int digits;            /* of a chunk's size */
    bool had_cr;           /* the byte before was one */
    const char *authority; /* of the target, which then counts instead of the Host; NULL: it had none */
    struct pingo__buffer line;
    struct pingo__http_field *fields; /* headers, while they are read */
    struct pingo__arena arena;        /* of the request */
};

void pingo__http_parser_init(struct pingo__http_parser *p);
void pingo__http_parser_clear(struct pingo__http_parser *p);
/* Is it between two requests? */
bool pingo__http_parser_is_idle(const struct pingo__http_parser *p);
/* Takes some of n bytes, *taken of them, up to an event.  Call it again with the rest, be it nothing, until it is
 * MORE. */
enum pingo__http_event pingo__http_parse(struct pingo__http_parser *p, const char *bytes, size_t n,
                                         size_t *taken);

/* Parts of it, for pingo__http_parse() alone: 0, or the status, with p->wrong. */
int pingo__http_refuse(struct pingo__http_parser *p, int status, const char *wrong);
int pingo__http_read_target(struct pingo__http_parser *p, const char *target, size_t n);
int pingo__http_read_header(struct pingo__http_parser *p, char *line, size_t n);
int pingo__http_check_head(struct pingo__http_parser *p);
/* A character of a token (RFC 9110, 5.6.2)? */
bool pingo__http_is_token(char c);

#endif
