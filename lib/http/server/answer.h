/* answer.h - the heads of answers as bytes. */
#ifndef PINGO__HTTP_SERVER_ANSWER_H
#define PINGO__HTTP_SERVER_ANSWER_H

#include <stdint.h>

#include "base/buffer.h"

/* What a status means, as its line says it; "Unknown" where that is not known.  Static. */
const char *pingo__http_reason(int status);

/* How the end of a body is told. */
enum pingo__http_framing {
    PINGO__HTTP_LENGTH, /* Content-Length */
    PINGO__HTTP_CHUNKS, /* chunks, each as pingo__http_chunk_begin() and _end() frame it */
    PINGO__HTTP_CLOSE,  /* the connection's end, of HTTP/1.0 */
    PINGO__HTTP_NONE    /* there is none: 1xx, 204, 304 */
};

struct pingo__http_head {
    int status;
    int64_t date_ms; /* since 1970 */
    enum pingo__http_framing framing;
    int64_t length;   /* of LENGTH */
    bool keeps_alive; /* the connection, behind this answer */
};
/* The status line, Date, the framing, Connection.  Other header lines and an empty one follow. */
void pingo__http_head(struct pingo__buffer *b, const struct pingo__http_head *head);
/* Before n bytes of a chunk, n more than 0; "\r\n" follows them, and "0\r\n\r\n" the last. */
void pingo__http_chunk(struct pingo__buffer *b, size_t n);

#endif
