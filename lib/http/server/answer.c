/* answer.c - see answer.h. */
#include "http/server/answer.h"

#include <inttypes.h>

#include "base/times.h"

const char *pingo__http_reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } all[] = {
        {100, "Continue"},
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {206, "Partial Content"},
        {304, "Not Modified"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {406, "Not Acceptable"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {410, "Gone"},
        {412, "Precondition Failed"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {416, "Range Not Satisfiable"},
        {417, "Expectation Failed"},
        {421, "Misdirected Request"},
        {422, "Unprocessable Content"},
        {428, "Precondition Required"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {505, "HTTP Version Not Supported"},
        {507, "Insufficient Storage"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].status == status)
            return all[i].reason;
    return "Unknown";
}

void pingo__http_head(struct pingo__buffer *b, const struct pingo__http_head *head)
{
    char date[PINGO__TIMES_SIZE];
    pingo__buffer_format(b, "HTTP/1.1 %d %s\r\n", head->status, pingo__http_reason(head->status));
    pingo__buffer_format(b, "Date: %s\r\n", pingo__times_print_http(date, head->date_ms));
    if (head->framing == PINGO__HTTP_LENGTH)
        pingo__buffer_format(b, "Content-Length: %" PRId64 "\r\n", head->length);
    else if (head->framing == PINGO__HTTP_CHUNKS)
        pingo__buffer_text(b, "Transfer-Encoding: chunked\r\n");
    if (!head->keeps_alive || head->framing == PINGO__HTTP_CLOSE)
        pingo__buffer_text(b, "Connection: close\r\n");
}

void pingo__http_chunk(struct pingo__buffer *b, size_t n)
{
    pingo__buffer_format(b, "%zx\r\n", n);
}
