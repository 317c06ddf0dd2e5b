/* url.c - which urls of servers there are. */
#include <stdlib.h>
#include <string.h>

#include "http/http.h"
#include "base/text.h"

#define HTTP "http://"
#define UNIX "unix:"
#define SOCKET_PATH_MOST 107 /* of an address of a socket */

static bool is_port(const char *text)
{
    int64_t port;
    return pingo__text_to_int64(text, 1, 65535, &port);
}

static bool is_host(const char *text, size_t n)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    if (n > 2 && text[0] == '[' && text[n - 1] == ']') /* of IPv6 */
        return strspn(text + 1, "0123456789abcdefABCDEF:.") == n - 2;
    return n > 0 && n <= 253 && strspn(text, plain) >= n;
}

bool pingo__http_url_is_valid(const char *url, const char **wrong)
{
    *wrong = NULL;
    if (strncmp(url, UNIX, strlen(UNIX)) == 0) {
        const char *path = url + strlen(UNIX);
        if (path[0] != '/' || !path[1])
            *wrong = "behind unix: comes the absolute path of a socket";
        else if (strlen(path) > SOCKET_PATH_MOST)
            *wrong = "the path of a socket has at most 107 bytes";
    } else if (strncmp(url, HTTP, strlen(HTTP)) == 0) {
        const char *host = url + strlen(HTTP), *port = strrchr(host, ':');
        if (port && strchr(port, ']'))
            port = NULL;
        if (!is_host(host, port ? (size_t)(port - host) : strlen(host)) ||
            (port && !is_port(port + 1)))
            *wrong = "behind http:// come a host, perhaps a colon and a port, and nothing more";
    } else {
        *wrong = "it begins with http:// or unix:";
    }
    return !*wrong;
}
