/* request.c - what handlers ask of a request. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "serve/route/route.h"

#define OWN 256 /* descriptors that are not for clients */

static const char *value_of(const struct pingo__http_field *pairs, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(pairs[i].name, name) == 0)
            return pairs[i].value;
    return NULL;
}

const char *serve_query(const struct serve_request *request, const char *name)
{
    return value_of(request->query, request->nquery, name);
}

const char *serve_asked(const struct serve_request *request, const char *header)
{
    return value_of(request->headers, request->nheaders, header);
}

/* ---- what a client would rather have: Accept and Accept-Encoding (RFC 9110, 12.5) ------------------ */

/* Of "a/b;q=0.5;...", length bytes: in thousandths. */
static int quality_of(const char *range, size_t length)
{
    for (const char *p = range; p && p < range + length;
         p = memchr(p, ';', (size_t)(range + length - p))) {
        p += strspn(p, "; \t");
        if (strncasecmp(p, "q=", 2) != 0)
            continue;
        int q = p[2] == '1' ? 1000 : 0;
        const char *digits = p[2] == '0' && p[3] == '.' ? p + 4 : "";
        for (int unit = 100; unit > 0 && *digits >= '0' && *digits <= '9'; unit /= 10, digits++)
            q += unit * (*digits - '0');
        return q;
    }
    return 1000;
}

/* How closely a range is a type: 0: not at all; 3: it is. */
static int fit_of(const char *range, size_t n, const char *type, size_t length)
{
    size_t family = strcspn(type, "/") + 1;
    if (n == length && strncasecmp(range, type, n) == 0)
        return 3;
    if (n == family + 1 && range[family] == '*' && strncasecmp(range, type, family) == 0)
        return 2;
    const char *any = memchr(type, '/', length) ? "*/*" : "*";
    return n == strlen(any) && memcmp(range, any, n) == 0;
}

int serve_quality(const struct serve_request *request, const char *header, const char *type)
{
    const char *p = serve_asked(request, header);
    int best = 0, quality = 0;
    if (!p || (strchr(type, '/') && p[strspn(p, " \t,")] == '\0'))
        return 1000; /* of codings, nothing is none */
    for (; *p; p += strcspn(p, ",")) {
        p += strspn(p, ", \t");
        size_t length = strcspn(p, ","), n = strcspn(p, ",; \t");
        int fit = fit_of(p, n, type, strcspn(type, "; "));
        if (fit > best) {
            best = fit;
            quality = quality_of(p, length);
        }
    }
    return quality;
}

/* ---- the call ------------------------------------------------------------------------------------ */

/* What is wrong with the i-th pair of a query, as an answer; false: nothing. */
static bool refuse_pair(const struct serve_request *r, size_t i, struct serve_answer *answer)
{
    const char *names = r->route->names, *name = r->query[i].name;
    char listed[72];
    snprintf(listed, sizeof listed, "%.64s*", name);
    bool is_list = pingo__text_is_among(names, listed);
    if (!is_list && (strchr(name, '*') || !pingo__text_is_among(names, name)))
        serve_refuse(answer, 400, "there is no \"%.64s\" to ask here; there is %s", name,
                     *names ? names : "nothing");
    else if (!is_list && value_of(r->query, i, name))
        serve_refuse(answer, 400, "\"%.64s\" stands twice, and one of them would not count", name);
    else
        return false;
    return true;
}

void serve_call(struct serve_worker *worker, const struct serve_request *request,
                struct serve_answer *answer)
{
    struct serve_ask ask = {.worker = worker,
                            .store = worker ? worker->store : NULL,
                            .arena = worker ? &worker->arena : NULL,
                            .err = worker ? &worker->err : NULL,
                            .request = request,
                            .answer = answer};
    for (size_t i = 0; request->route->names && i < request->nquery; i++)
        if (refuse_pair(request, i, answer))
            return;
    request->route->handler(&ask);
}

bool serve_is_known(const struct serve_request *request, struct serve_answer *answer)
{
    const char *known = serve_asked(request, "if-none-match");
    char quoted[sizeof answer->etag + 3];
    snprintf(quoted, sizeof quoted, "\"%s\"", answer->etag);
    if (!known || answer->etag[0] == '\0' || (strcmp(known, "*") != 0 && !strstr(known, quoted)))
        return false;
    pingo__buffer_clear(&answer->body);
    pingo__file_close(answer->fd);
    answer->fd = -1;
    answer->status = 304;
    return true;
}

int serve_descriptor(int fd)
{
    struct rlimit limit;
    if (fd < 0)
        return -errno;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return fd;
    rlim_t own = limit.rlim_cur < 4 * OWN ? limit.rlim_cur / 4 : OWN;
    if ((rlim_t)fd < limit.rlim_cur - own) /* numbers are given from the lowest */
        return fd;
    close(fd);
    return -EMFILE;
}

int serve_unnamed(const char *directory)
{
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
        return fd;
    char path[4096];
    snprintf(path, sizeof path, "%s/serve.XXXXXX", directory);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

const char *serve_map(const struct serve_request *request)
{
    if (request->body < 0 || request->body_bytes == 0)
        return NULL;
    void *body = mmap(NULL, (size_t)request->body_bytes, PROT_READ, MAP_PRIVATE, request->body, 0);
    return body == MAP_FAILED ? NULL : body;
}

void serve_unmap(const struct serve_request *request, const char *body)
{
    if (body)
        munmap((void *)(uintptr_t)body, (size_t)request->body_bytes);
}
