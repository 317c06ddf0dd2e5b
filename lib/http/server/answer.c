/* answer.c - see answer.h. */
#include "http/server/answer.h"

#include <inttypes.h>

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

/* "Date: Sun, 06 Nov 1994 08:49:37 GMT", by arithmetic alone (proleptic Gregorian calendar, days from 1 March). */
static void put_date(struct pingo__buffer *b, int64_t ms)
{
    static const char days[] = "ThuFriSatSunMonTueWed",
                      months[] = "MarAprMayJunJulAugSepOctNovDecJanFeb";
    int64_t seconds = ms / 1000, day = seconds / 86400, second = seconds % 86400;
    int64_t z = day + 719468, era = z / 146097, doe = z % 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), month = (5 * doy + 2) / 153;
    int64_t year = era * 400 + yoe + (month >= 10);
    pingo__buffer_format(b,
                         "Date: %.3s, %02" PRId64 " %.3s %04" PRId64 " %02" PRId64 ":%02" PRId64
                         ":%02" PRId64 " GMT\r\n",
                         days + 3 * (day % 7), doy - (153 * month + 2) / 5 + 1, months + 3 * month,
                         year, second / 3600, second / 60 % 60, second % 60);
}

void pingo__http_head(struct pingo__buffer *b, const struct pingo__http_head *head)
{
    pingo__buffer_format(b, "HTTP/1.1 %d %s\r\n", head->status, pingo__http_reason(head->status));
    put_date(b, head->date_ms);
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
