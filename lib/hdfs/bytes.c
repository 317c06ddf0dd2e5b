/* bytes.c - the bytes of one file, to and from DataNodes.
 *
 * A DataNode that loses its client closes the file as it is, shorter: so what was not answered is removed and sent
 * anew. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "hdfs/inside.h"

#define TRIES 4 /* without a byte more */

/* ---- up ------------------------------------------------------------------------------------------ */

struct giving {
    const struct pingo__hdfs_source *source;
    int64_t at;
    int failed; /* errno of the read */
};

static ssize_t give(void *context, char *bytes, size_t size)
{
    struct giving *g = context;
    int64_t left = g->source->length - g->at;
    size_t most = left < (int64_t)size ? (size_t)left : size;
    ssize_t n = (ssize_t)most;
    if (g->source->bytes)
        memcpy(bytes, g->source->bytes + g->at, most);
    else
        while ((n = pread(g->source->fd, bytes, most, g->at)) < 0 && errno == EINTR)
            continue;
    g->failed = n < 0 ? errno : n == 0 && most > 0 ? ESTALE : 0; /* it is shorter than it was */
    g->at += n > 0 ? n : 0;
    return g->failed ? -1 : n;
}

/* A NameNode's word where to send it; nothing is made by that. */
static int find_way(struct pingo__hdfs *fs, const char *path,
                    const struct pingo__hdfs_source *source, struct pingo__hdfs_answer *a,
                    struct pingo_error *err)
{
    char query[80];
    snprintf(query, sizeof query, "op=CREATE&overwrite=false&permission=%o", source->mode);
    int rc = pingo__hdfs_ask(fs, &(struct pingo__hdfs_question){"PUT", path, query, false}, a, err);
    if (rc)
        return rc;
    if (a->location && strstr(a->location, "data=true"))
        return pingo__fail(err, PINGO_EUNSUPPORTED,
                           "%s: HttpFS answers, whose renames replace what is there; name the "
                           "NameNodes' own web addresses",
                           path);
    return a->location ? 0 : pingo__hdfs_not_understood(path, err);
}

static int send_once(struct pingo__hdfs *fs, const char *path,
                     const struct pingo__hdfs_source *source, struct pingo_error *err)
{
    struct pingo__hdfs_answer way = {0}, a = {0};
    struct giving g = {source, 0, 0};
    const struct pingo__http_stream stream = {give, source->length, NULL, &g};
    int rc = find_way(fs, path, source, &way, err);
    if (!rc)
        rc = pingo__hdfs_follow(
            fs,
            &(struct pingo__http_request){.method = "PUT", .path = way.location, .stream = &stream},
            &a, err);
    if (rc && g.failed)
        rc = pingo__fail_os(err, g.failed, "reading what is sent to HDFS", path);
    pingo__hdfs_answer_clear(&way);
    pingo__hdfs_answer_clear(&a);
    return rc;
}

int pingo__hdfs_upload(struct pingo__hdfs *fs, const char *name,
                       const struct pingo__hdfs_source *source, struct pingo_error *err)
{
    char *path = pingo__hdfs_path(fs, name);
    int64_t pause = 0;
    int rc = path ? PINGO_EAWAY : pingo__fail_memory(err);
    for (int tries = 0; tries < TRIES && (rc == PINGO_EAWAY || (rc == PINGO_EEXISTS && tries > 0));
         tries++) {
        if (tries > 0) {
            pingo__hdfs_pause(fs, &pause);
            rc = pingo__hdfs_remove(fs, path, err);
            if (rc)
                break;
        }
        rc = send_once(fs, path, source, err);
    }
    free(path);
    return rc;
}

char *pingo__hdfs_beside(const char *path)
{
    struct pingo__buffer by = {0};
    pingo__buffer_format(&by, "%s.%016llx", path,
                         (unsigned long long)pingo__world_token(pingo__world_real()));
    return pingo__buffer_take(&by);
}

int pingo__hdfs_put_bytes(struct pingo__hdfs *fs, const char *path, const void *bytes,
                          size_t length, struct pingo_error *err)
{
    struct pingo__hdfs_source source = {length ? bytes : "", -1, (int64_t)length, 0644};
    struct pingo__hdfs_status status;
    char *by = pingo__hdfs_beside(path);
    int rc = by ? pingo__hdfs_upload(fs, by, &source, err) : pingo__fail_memory(err);
    if (!rc)
        rc = pingo__hdfs_status(fs, by, &status, err);
    if (!rc && (!status.exists || status.length != source.length))
        rc = pingo__fail(err, PINGO_EIO, "%s: HDFS has %lld bytes of it, not %lld", path,
                         status.exists ? (long long)status.length : 0LL, (long long)length);
    if (!rc)
        rc = pingo__hdfs_move(fs, by, path, err);
    if (rc && by)
        pingo__hdfs_remove(fs, by, NULL);
    free(by);
    return rc;
}

/* ---- down ------------------------------------------------------------------------------------------ */

struct taking {
    const struct pingo__hdfs_sink *sink;
    int64_t left;
    int failed; /* a PINGO_E* */
};

static bool take(void *context, const char *bytes, size_t n)
{
    struct taking *t = context;
    if ((int64_t)n > t->left)
        t->failed = PINGO_EIO; /* more than was asked for */
    else
        t->failed = t->sink->take(t->sink->context, bytes, n);
    t->left -= t->failed ? 0 : (int64_t)n;
    return !t->failed;
}

int pingo__hdfs_download(struct pingo__hdfs *fs, const char *name, struct pingo__hdfs_range range,
                         const struct pingo__hdfs_sink *sink, struct pingo_error *err)
{
    struct taking t = {sink, range.most, 0};
    const struct pingo__http_stream stream = {NULL, 0, take, &t};
    char *path = pingo__hdfs_path(fs, name);
    int64_t pause = 0;
    int rc = path ? 0 : pingo__fail_memory(err);
    for (int tries = 0; !rc && t.left > 0;) {
        struct pingo__hdfs_answer way = {0}, a = {0};
        int64_t before = t.left;
        char query[96];
        snprintf(query, sizeof query, "op=OPEN&offset=%lld&length=%lld",
                 (long long)(range.offset + range.most - t.left), (long long)t.left);
        rc = pingo__hdfs_ask(fs, &(struct pingo__hdfs_question){"GET", path, query, false}, &way,
                             err);
        if (!rc)
            rc = pingo__hdfs_follow(fs,
                                    &(struct pingo__http_request){
                                        .method = "GET", .path = way.location, .stream = &stream},
                                    &a, err);
        pingo__hdfs_answer_clear(&way);
        pingo__hdfs_answer_clear(&a);
        rc = rc == PINGO_EINPUT ? PINGO_EIO : rc; /* they may come back */
        tries = t.left < before ? 0 : tries + 1;
        if (t.failed)
            rc = pingo__fail(err, t.failed, "%s: cannot be taken as it comes", path);
        else if (t.left > 0 && (!rc || rc == PINGO_EAWAY)) {
            rc = tries < TRIES ? 0
                               : pingo__fail(err, PINGO_EAWAY, "%s: its bytes do not come", path);
            pingo__hdfs_pause(fs, &pause);
        }
    }
    free(path);
    return rc;
}

static int append(void *context, const char *bytes, size_t n)
{
    struct pingo__buffer *to = context;
    pingo__buffer_append(to, bytes, n);
    return to->failed ? PINGO_ENOMEM : 0;
}

int pingo__hdfs_get_bytes(struct pingo__hdfs *fs, const char *path, struct pingo__hdfs_range range,
                          struct pingo__buffer *bytes, struct pingo_error *err)
{
    const struct pingo__hdfs_sink sink = {append, bytes};
    struct pingo__hdfs_status status;
    int rc = pingo__hdfs_status(fs, path, &status, err);
    if (!rc && (!status.exists || status.is_directory || status.is_link))
        rc = pingo__fail(err, PINGO_ENOTFOUND, "%s: is %s", path,
                         status.exists ? "no file" : "not there");
    int64_t left = rc || status.length <= range.offset ? 0 : status.length - range.offset;
    range.most = left < range.most ? left : range.most;
    return rc ? rc : pingo__hdfs_download(fs, path, range, &sink, err);
}
