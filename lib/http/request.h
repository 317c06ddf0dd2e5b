/* request.h - a request on its way, with what has come back so far. */
#ifndef PINGO__HTTP_REQUEST_H
#define PINGO__HTTP_REQUEST_H

#include <sys/queue.h>

#include "base/buffer.h"
#include "http/curl.h"
#include "http/http.h"

struct pingo__http_entry {
    STAILQ_ENTRY(pingo__http_entry) next;
    char *url, *body;
    size_t length;
    const char *method; /* static */
    struct curl_slist *headers;
    size_t max_bytes, header_bytes;
    bool too_much;
    const struct pingo__http_stream *stream;
    bool negotiates;
    int64_t given;               /* bytes of the stream */
    int64_t moved;               /* all bytes, either way */
    int status;                  /* as the reply's first line says it */
    char wrong[CURL_ERROR_SIZE]; /* what libcurl says of the try */
    char *location, *type;
    struct pingo__buffer in;
    struct pingo__http_reply reply;
};

/* First in, first out. */
STAILQ_HEAD(pingo__http_line, pingo__http_entry);

/* base: what the path stands behind.  PINGO_EINVAL, PINGO_EUNSUPPORTED, PINGO_ENOMEM. */
int pingo__http_entry_new(const struct pingo__http_curl *curl, const char *base,
                          const struct pingo__http_request *request,
                          struct pingo__http_entry **entry, struct pingo_error *err);
void pingo__http_entry_free(const struct pingo__http_curl *curl, struct pingo__http_entry *entry);
/* For curl: what arrives.  Another number than the bytes': enough. */
size_t pingo__http_entry_take_body(char *bytes, size_t size, size_t n, void *entry);
size_t pingo__http_entry_give(char *bytes, size_t size, size_t n, void *entry);
size_t pingo__http_entry_take_header(char *bytes, size_t size, size_t n, void *entry);

/* Does it begin with http[s]://HOST[:PORT]/? */
bool pingo__http_url_leads_on(const char *url);

#endif
