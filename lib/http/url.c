/* url.c - which urls of servers there are. */
#include <stdio.h>
#include <string.h>

#include "http/request.h"
#include "base/text.h"

static const char *const schemes[] = {"http://", "https://", NULL};
#define UNIX "unix:"
#define SOCKET_PATH_MOST 107 /* of an address of a socket */

static bool is_host(const char *text, size_t n)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    if (n > 2 && text[0] == '[' && text[n - 1] == ']') /* of IPv6 */
        return strspn(text + 1, "0123456789abcdefABCDEF:.") == n - 2;
    return n > 0 && n <= 253 && strspn(text, plain) >= n;
}

/* What stands behind http:// or https://; NULL: neither does. */
static const char *host_of(const char *url)
{
    for (size_t i = 0; schemes[i]; i++)
        if (strncmp(url, schemes[i], strlen(schemes[i])) == 0)
            return url + strlen(schemes[i]);
    return NULL;
}

static bool is_server(const char *host, size_t n)
{
    char text[300];
    int64_t number;
    snprintf(text, sizeof text, "%.*s", (int)n, host);
    char *port = strrchr(text, ':');
    if (port && strchr(port, ']'))
        port = NULL;
    if (n >= sizeof text || (port && !pingo__text_to_int64(port + 1, 1, 65535, &number)))
        return false;
    return is_host(text, port ? (size_t)(port - text) : n);
}

bool pingo__http_url_leads_on(const char *url)
{
    const char *host = host_of(url);
    size_t n = host ? strcspn(host, "/") : 0;
    return host && host[n] == '/' && is_server(host, n);
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
    } else if (host_of(url)) {
        if (!is_server(host_of(url), strlen(host_of(url))))
            *wrong =
                "behind http:// or https:// come a host, perhaps a colon and a port, and nothing "
                "more";
    } else {
        *wrong = "it begins with http://, https:// or unix:";
    }
    return !*wrong;
}
