/* names.c - urls and paths: what can be, said before anything is sent. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "hdfs/inside.h"

#define ALNUM "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

static bool add_server(struct pingo__hdfs_place *p, const char *host, size_t n)
{
    const char *wrong, *port = memchr(host, ':', n);
    if (p->nservers == PINGO__HDFS_SERVERS || n == 0 || n > 270)
        return false;
    if (*host == '[')
        port = memchr(host, ']', n) ? strstr(host, "]:") : NULL;
    char *server = p->servers[p->nservers++];
    snprintf(server, sizeof *p->servers, "http%s://%.*s%s", p->tls ? "s" : "", (int)n, host,
             port && port < host + n ? ""
             : p->tls                ? ":9871"
                                     : ":9870");
    return pingo__http_url_is_valid(server, &wrong);
}

static bool read_servers(struct pingo__hdfs_place *p)
{
    for (const char *at = p->hosts; at < p->path;) {
        size_t n = strcspn(at, ",/");
        if (!add_server(p, at, n))
            return false;
        at += n + (at[n] == ',');
        if (at == p->path && at[-1] == ',')
            return false;
    }
    return p->nservers > 0;
}

bool pingo__hdfs_read_url(const char *url, struct pingo__hdfs_place *p, const char **wrong)
{
    static const char *const schemes[] = {"webhdfs://", "swebhdfs://"};
    *p = (struct pingo__hdfs_place){.hosts = NULL};
    *wrong = NULL;
    for (size_t i = 0; i < 2; i++)
        if (strncmp(url, schemes[i], strlen(schemes[i])) == 0) {
            p->hosts = url + strlen(schemes[i]);
            p->tls = i == 1;
        }
    if (!p->hosts) {
        *wrong = "it begins with webhdfs:// or swebhdfs://";
        return false;
    }
    p->path = p->hosts + strcspn(p->hosts, "/");
    const char *at = memchr(p->hosts, '@', (size_t)(p->path - p->hosts));
    size_t n = at ? (size_t)(at - p->hosts) : 0;
    snprintf(p->user, sizeof p->user, "%.*s", (int)n, p->hosts);
    if (at && (n == 0 || n >= sizeof p->user || strspn(p->user, ALNUM "._-$+") < n))
        *wrong = "before @ comes the name of a user";
    p->hosts += at ? n + 1 : 0;
    if (!*wrong && !read_servers(p))
        *wrong = "behind :// come one host or more, with commas between them, each perhaps with a "
                 "colon and the port of a NameNode's web address";
    if (!*wrong && *p->path != '/')
        *wrong = "behind the hosts comes a path, which begins with a slash";
    if (!*wrong && p->path[strspn(p->path, "/")])
        *wrong = pingo__hdfs_path_fault(p->path);
    return !*wrong;
}

const char *pingo__hdfs_name_fault(const char *name, size_t n)
{
    if (n == 0 || (n <= 2 && strspn(name, ".") >= n))
        return "HDFS has no names that are empty, \".\" or \"..\"";
    if (memchr(name, ':', n))
        return "HDFS can hold no name with a colon";
    if (n > PINGO__HDFS_NAME_MOST)
        return "HDFS can hold no name of more than 255 bytes";
    if (!pingo__text_is_utf8(name, n))
        return "HDFS can hold no name that is not UTF-8";
    if ((n == 9 && memcmp(name, ".snapshot", n) == 0) ||
        (n == 9 && memcmp(name, ".reserved", n) == 0))
        return "HDFS keeps this name for itself";
    return NULL;
}

const char *pingo__hdfs_path_fault(const char *path)
{
    size_t depth = 0;
    const char *fault = *path == '/' ? NULL : "a path in HDFS begins with a slash";
    if (strlen(path) > PINGO__HDFS_PATH_MOST)
        return "HDFS can hold no path of more than 8000 bytes";
    for (const char *at = path; !fault && *at;) {
        at += strspn(at, "/");
        size_t n = strcspn(at, "/");
        if (n > 0)
            fault = pingo__hdfs_name_fault(at, n);
        if (!fault && n > 0 && ++depth > PINGO__HDFS_DEPTH_MOST)
            fault = "HDFS can hold no more than 1000 directories within each other";
        at += n;
    }
    return fault;
}

void pingo__hdfs_encode(struct pingo__buffer *to, const char *text)
{
    pingo__text_percent(to, text, "-._~/");
}

char *pingo__hdfs_query(const char *op, const char *key, const char *value)
{
    struct pingo__buffer query = {0};
    pingo__buffer_format(&query, "op=%s", op);
    if (key) {
        pingo__buffer_format(&query, "&%s=", key);
        pingo__hdfs_encode(&query, value);
    }
    return pingo__buffer_take(&query);
}

char *pingo__hdfs_path(const struct pingo__hdfs *fs, const char *path)
{
    struct pingo__buffer whole = {0};
    if (*path != '/')
        pingo__buffer_text(&whole, fs->root);
    if (*path && *path != '/')
        pingo__buffer_char(&whole, '/');
    pingo__buffer_text(&whole, path);
    if (whole.length == 0)
        pingo__buffer_char(&whole, '/');
    return pingo__buffer_take(&whole);
}
