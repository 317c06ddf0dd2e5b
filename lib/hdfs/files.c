/* files.c - what lies where, and other names for it.
 *
 * A change is settled by numbers: what has the number of the file at the name that it was to get was renamed, be it
 * that no answer said so, or that another try of libcurl's was told that there is nothing any more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "hdfs/inside.h"

#define TRIES 4               /* without an answer */
#define ENTRIES_MOST 20000000 /* of a directory; HDFS's own limit is a million, or what is set */

/* The path is as callers write it. */
static int ask(struct pingo__hdfs *fs, const struct pingo__hdfs_question *as_told,
               struct pingo__hdfs_answer *a, struct pingo_error *err)
{
    struct pingo__hdfs_question q = *as_told;
    char *path = pingo__hdfs_path(fs, q.path);
    q.path = path;
    q.changes = strcmp(q.method, "GET") != 0;
    int rc = path && q.query ? pingo__hdfs_ask(fs, &q, a, err) : pingo__fail_memory(err);
    free(path);
    return rc == PINGO_EEXISTS && !q.changes ? PINGO_ENOTFOUND : rc; /* a file is in its way */
}

struct reply {
    struct pingo__hdfs_answer answer;
    struct pingo__json_reader json;
    const struct pingo__json_value *root; /* NULL: it is no JSON object */
};

/* What is told of a path.  Clear it in each case. */
static int get(struct pingo__hdfs *fs, const char *path, const char *query, struct reply *r,
               struct pingo_error *err)
{
    *r = (struct reply){.answer = {.status = 0}};
    int rc = ask(fs, &(struct pingo__hdfs_question){"GET", path, query, false}, &r->answer, err);
    if (!rc)
        r->root = pingo__hdfs_json_open(&r->json, &r->answer.body);
    return rc;
}

static void clear_reply(struct reply *r)
{
    pingo__json_reader_clear(&r->json);
    pingo__hdfs_answer_clear(&r->answer);
}

/* ---- what is there ------------------------------------------------------------------------------ */

int pingo__hdfs_status(struct pingo__hdfs *fs, const char *path, struct pingo__hdfs_status *status,
                       struct pingo_error *err)
{
    struct reply r;
    struct pingo_error why = {0};
    *status = (struct pingo__hdfs_status){.exists = false};
    int rc = get(fs, path, "op=GETFILESTATUS", &r, &why);
    if (!rc && !pingo__hdfs_json_status(&r.json, pingo__json_at(r.root, "FileStatus"), status))
        rc = pingo__hdfs_not_understood(path, &why);
    clear_reply(&r);
    return rc && rc != PINGO_ENOTFOUND ? pingo__fail(err, rc, "%s", why.message) : 0;
}

struct listing {
    const char *path;
    pingo__hdfs_entry_fn fn;
    void *context;
    char *last; /* told; NULL: none */
    int64_t left, told;
};

/* Of two names that come one behind the other: a NameNode's bytes have signs. */
static bool goes_up(const char *last, const char *name)
{
    size_t i = 0;
    while (last[i] && last[i] == name[i])
        i++;
    return (signed char)last[i] < (signed char)name[i] ||
           (unsigned char)last[i] < (unsigned char)name[i];
}

/* Names must go up: else a server could make us go round for ever. */
static int tell_one(struct listing *l, struct pingo__json_reader *j,
                    const struct pingo__json_value *v, struct pingo_error *err)
{
    struct pingo__hdfs_status status;
    const char *name = pingo__json_text_at(v, "pathSuffix", NULL);
    if (!name || !pingo__hdfs_json_status(j, v, &status))
        return pingo__hdfs_not_understood(l->path, err);
    if (!*name) /* it is that of a file */
        return pingo__fail(err, PINGO_ENOTFOUND, "%s: is no directory", l->path);
    if (strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
        (l->last && !goes_up(l->last, name)) || ++l->told > ENTRIES_MOST)
        return pingo__hdfs_not_understood(l->path, err);
    free(l->last);
    l->last = strdup(name);
    return l->last ? l->fn(l->context, name, &status, err) : pingo__fail_memory(err);
}

static int tell_some(struct listing *l, struct pingo__json_reader *j, struct pingo_error *err)
{
    const struct pingo__json_value *list =
        pingo__json_at(j->element.root, "DirectoryListing.partialListing.FileStatuses.FileStatus");
    int rc = 0;
    l->left = pingo__hdfs_json_number(j, j->element.root, "DirectoryListing.remainingEntries");
    if (!list || pingo__json_kind(list) != PINGO__JSON_ARRAY || l->left < 0 ||
        (l->left > 0 && !pingo__json_first(list)))
        rc = pingo__hdfs_not_understood(l->path, err);
    for (const struct pingo__json_value *v = rc ? NULL : pingo__json_first(list); v && !rc;
         v = pingo__json_next(v))
        rc = pingo__json_kind(v) == PINGO__JSON_OBJECT ? tell_one(l, j, v, err)
                                                       : pingo__hdfs_not_understood(l->path, err);
    return rc;
}

int pingo__hdfs_list(struct pingo__hdfs *fs, const char *path, pingo__hdfs_entry_fn fn,
                     void *context, struct pingo_error *err)
{
    struct listing l = {.path = path, .fn = fn, .context = context, .left = 1};
    int rc = 0;
    while (!rc && l.left > 0) {
        struct reply r;
        char *query = pingo__hdfs_query("LISTSTATUS_BATCH", l.last ? "startAfter" : NULL, l.last);
        rc = get(fs, path, query, &r, err);
        if (!rc)
            rc = tell_some(&l, &r.json, err);
        clear_reply(&r);
        free(query);
    }
    free(l.last);
    return rc;
}

struct walk {
    const char *below; /* the directory that is listed, as it is told; "": the top */
    struct pingo__buffer path;
    char **waiting; /* directories */
    size_t n, capacity;
    pingo__hdfs_entry_fn fn;
    void *context;
};

static int on_entry(void *context, const char *name, const struct pingo__hdfs_status *status,
                    struct pingo_error *err)
{
    struct walk *w = context;
    pingo__buffer_reset(&w->path);
    pingo__buffer_format(&w->path, "%s%s%s", w->below, *w->below ? "/" : "", name);
    if (!pingo__buffer_cstr(&w->path) || !PINGO__ARRAY_ROOM(w->waiting, w->capacity, w->n, 1))
        return pingo__fail_memory(err);
    int rc = w->fn(w->context, w->path.data, status, err);
    if (rc || !status->is_directory)
        return rc;
    w->waiting[w->n] = strdup(w->path.data);
    return w->waiting[w->n++] ? 0 : pingo__fail_memory(err);
}

int pingo__hdfs_walk(struct pingo__hdfs *fs, const char *path, pingo__hdfs_entry_fn fn,
                     void *context, struct pingo_error *err)
{
    struct walk w = {.below = "", .fn = fn, .context = context};
    struct pingo__hdfs_status status;
    char *top = strdup("");
    int rc = top ? pingo__hdfs_status(fs, path, &status, err) : pingo__fail_memory(err);
    if (!rc && !status.exists)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "%s: is not there", path);
    if (!rc)
        rc = fn(context, "", &status, err);
    while (!rc && top && status.is_directory) {
        struct pingo__buffer at = {0};
        w.below = top;
        pingo__buffer_format(&at, "%s%s%s", path, *path && *top ? "/" : "", top);
        rc = pingo__buffer_cstr(&at) ? pingo__hdfs_list(fs, at.data, on_entry, &w, err)
                                     : pingo__fail_memory(err);
        pingo__buffer_clear(&at);
        free(top);
        top = w.n ? w.waiting[--w.n] : NULL;
    }
    free(top);
    while (w.n)
        free(w.waiting[--w.n]);
    free(w.waiting);
    pingo__buffer_clear(&w.path);
    return rc;
}

/* ---- numbers -------------------------------------------------------------------------------------- */

int pingo__hdfs_summary(struct pingo__hdfs *fs, const char *path, struct pingo__hdfs_summary *s,
                        struct pingo_error *err)
{
    struct reply r;
    int rc = get(fs, path, "op=GETCONTENTSUMMARY", &r, err);
    if (!rc) {
        const struct pingo__json_value *v = pingo__json_at(r.root, "ContentSummary");
        *s = (struct pingo__hdfs_summary){
            .bytes = pingo__hdfs_json_number(&r.json, v, "length"),
            .stored_bytes = pingo__hdfs_json_number(&r.json, v, "spaceConsumed"),
            .files = pingo__hdfs_json_number(&r.json, v, "fileCount"),
            .directories = pingo__hdfs_json_number(&r.json, v, "directoryCount"),
            .quota_bytes = pingo__hdfs_json_number(&r.json, v, "spaceQuota")};
        if (s->bytes < 0 || s->stored_bytes < 0 || s->files < 0 || s->directories < 0)
            rc = pingo__hdfs_not_understood(path, err);
    }
    clear_reply(&r);
    return rc;
}

/* What a cluster refuses to tell is unknown. */
static bool is_untold(int rc)
{
    return rc && rc != PINGO_EAWAY && rc != PINGO_ESTATE && rc != PINGO_EINTERRUPTED &&
           rc != PINGO_ENOMEM;
}

int pingo__hdfs_space(struct pingo__hdfs *fs, const char *path, struct pingo__hdfs_space *space,
                      struct pingo_error *err)
{
    struct reply r;
    struct pingo__hdfs_summary own = {.quota_bytes = -1};
    struct pingo_error why = {0};
    *space = (struct pingo__hdfs_space){-1, -1, -1, -1};
    int rc = get(fs, path, "op=GETSTATUS", &r, &why); /* 3.4 and newer know it */
    space->free_bytes = pingo__hdfs_json_number(&r.json, r.root, "FsStatus.remaining");
    space->used_bytes = pingo__hdfs_json_number(&r.json, r.root, "FsStatus.used");
    clear_reply(&r);
    if (!rc || is_untold(rc))
        rc = pingo__hdfs_summary(fs, path, &own, &why);
    if (rc)
        return is_untold(rc) ? 0 : pingo__fail(err, rc, "%s", why.message);
    space->own_bytes = own.bytes;
    space->own_stored_bytes = own.stored_bytes;
    int64_t left = own.quota_bytes < 0                  ? -1
                   : own.quota_bytes > own.stored_bytes ? own.quota_bytes - own.stored_bytes
                                                        : 0;
    if (left >= 0 && (space->free_bytes < 0 || left < space->free_bytes)) {
        space->free_bytes = left;
        space->used_bytes = own.stored_bytes;
    }
    return 0;
}

static bool is_word(const char *text)
{
    return *text && strlen(text) < 72 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") ==
               strlen(text);
}

/* Does each DataNode that ever came still come?  false, too, where the NameNode does not say it. */
static bool are_all_there(struct pingo__hdfs *fs)
{
    static const char *const numbers[] = {"NumDeadDataNodes", "NumStaleDataNodes"};
    struct pingo__buffer url = {0};
    struct reply r = {.answer = {.status = 0}};
    pingo__buffer_format(&url, "%s/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState",
                         fs->place.servers[atomic_load(&fs->serving) % fs->place.nservers]);
    struct pingo__http_request request = {.method = "GET",
                                          .path = pingo__buffer_cstr(&url),
                                          .negotiates = atomic_load(&fs->negotiates)};
    if (pingo__hdfs_follow(fs, &request, &r.answer, NULL) == 0)
        r.root = pingo__hdfs_json_open(&r.json, &r.answer.body);
    const struct pingo__json_value *bean = pingo__json_at(r.root, "beans");
    bean = bean && pingo__json_kind(bean) == PINGO__JSON_ARRAY ? pingo__json_first(bean) : NULL;
    bool are = bean;
    for (size_t i = 0; are && i < 2; i++)
        are = pingo__hdfs_json_number(&r.json, bean, numbers[i]) == 0;
    clear_reply(&r);
    pingo__buffer_clear(&url);
    return are;
}

/* A DataNode that restarts, or is overloaded, refuses for a while; what is on none is lost only while all are there. */
int pingo__hdfs_checksum(struct pingo__hdfs *fs, const char *path,
                         char text[PINGO__HDFS_CHECKSUM_SIZE], struct pingo_error *err)
{
    struct pingo__hdfs_answer a = {0};
    int rc = PINGO_EAWAY;
    int64_t pause = 0;
    for (int tries = 0;
         tries < TRIES && (rc == PINGO_EAWAY || rc == PINGO_EIO || rc == PINGO_EINPUT); tries++) {
        if (tries)
            pingo__hdfs_pause(fs, &pause);
        pingo__hdfs_answer_clear(&a);
        rc = ask(fs, &(struct pingo__hdfs_question){"GET", path, "op=GETFILECHECKSUM", false}, &a,
                 err);
        if (!rc && a.location) {
            char *to = a.location;
            a.location = NULL;
            rc = pingo__hdfs_follow(fs, &(struct pingo__http_request){.method = "GET", .path = to},
                                    &a, err);
            free(to);
        }
    }
    if (rc == PINGO_EINPUT && !are_all_there(fs))
        rc = PINGO_EIO;
    if (!rc) {
        struct pingo__json_reader j;
        const struct pingo__json_value *v =
            pingo__json_at(pingo__hdfs_json_open(&j, &a.body), "FileChecksum");
        const char *algorithm = pingo__json_text_at(v, "algorithm", ""),
                   *bytes = pingo__json_text_at(v, "bytes", "");
        if (is_word(algorithm) && is_word(bytes))
            snprintf(text, PINGO__HDFS_CHECKSUM_SIZE, "%s:%s", algorithm, bytes);
        else
            rc = pingo__hdfs_not_understood(path, err);
        pingo__json_reader_clear(&j);
    }
    pingo__hdfs_answer_clear(&a);
    return rc;
}

/* ---- changes ---------------------------------------------------------------------------------------- */

/* One that does no harm where it was done before. */
static int change(struct pingo__hdfs *fs, const char *method, const char *path, const char *query,
                  struct pingo_error *err)
{
    int rc = PINGO_EAWAY;
    bool lost = true;
    for (int tries = 0; tries < TRIES && lost; tries++) {
        struct pingo__hdfs_answer a = {0};
        rc = ask(fs, &(struct pingo__hdfs_question){method, path, query, false}, &a, err);
        lost = rc == PINGO_EAWAY && a.lost;
        pingo__hdfs_answer_clear(&a);
    }
    return rc;
}

int pingo__hdfs_make(struct pingo__hdfs *fs, const char *path, struct pingo_error *err)
{
    return change(fs, "PUT", path, "op=MKDIRS", err);
}

int pingo__hdfs_remove(struct pingo__hdfs *fs, const char *path, struct pingo_error *err)
{
    return change(fs, "DELETE", path, "op=DELETE&recursive=true", err);
}

int pingo__hdfs_remove_empty(struct pingo__hdfs *fs, const char *path, struct pingo_error *err)
{
    return change(fs, "DELETE", path, "op=DELETE&recursive=false", err);
}

int pingo__hdfs_touch(struct pingo__hdfs *fs, const char *path, int64_t mtime_ms,
                      struct pingo_error *err)
{
    char query[64];
    snprintf(query, sizeof query, "op=SETTIMES&modificationtime=%lld", (long long)mtime_ms);
    return change(fs, "PUT", path, query, err);
}

int pingo__hdfs_set_mode(struct pingo__hdfs *fs, const char *path, unsigned mode,
                         struct pingo_error *err)
{
    char query[64];
    snprintf(query, sizeof query, "op=SETPERMISSION&permission=%o", mode & 0777);
    return change(fs, "PUT", path, query, err);
}

struct move {
    const char *from, *to;
    int64_t file_id; /* of what is at `from` */
    bool is_still;   /* and is there after an answer that was lost */
};

/* 0: `to` has the number; PINGO_ENOTFOUND: it has not. */
static int settle(struct pingo__hdfs *fs, struct move *m, struct pingo_error *err)
{
    struct pingo__hdfs_status here, there;
    int rc = pingo__hdfs_status(fs, m->to, &there, err);
    m->is_still = false;
    if (rc || (there.exists && there.file_id == m->file_id))
        return rc;
    rc = pingo__hdfs_status(fs, m->from, &here, err);
    m->is_still = !rc && here.exists && here.file_id == m->file_id;
    return rc ? rc : pingo__fail(err, PINGO_ENOTFOUND, "%s: is not there any more", m->from);
}

/* *again: no answer came, and it was not done. */
static int try_move(struct pingo__hdfs *fs, struct move *m, const char *query, bool *again,
                    struct pingo_error *err)
{
    struct pingo__hdfs_answer a = {0};
    struct pingo_error why = {0}, unsettled = {0};
    int rc = ask(fs, &(struct pingo__hdfs_question){"PUT", m->from, query, false}, &a, &why);
    bool lost = rc == PINGO_EAWAY && a.lost;
    pingo__hdfs_answer_clear(&a);
    *again = false;
    if (lost || rc == PINGO_ENOTFOUND || rc == PINGO_EEXISTS) {
        int settled = settle(fs, m, &unsettled);
        *again = lost && m->is_still;
        if (settled != PINGO_ENOTFOUND || (lost && !m->is_still)) {
            rc = settled;
            why = unsettled;
        }
    }
    return rc ? pingo__fail(err, rc, "%s", why.message) : 0;
}

int pingo__hdfs_rename(struct pingo__hdfs *fs, const char *from, const char *to,
                       struct pingo_error *err)
{
    struct pingo__hdfs_status status = {.exists = false};
    struct move move = {.from = from, .to = to};
    char *target = pingo__hdfs_path(fs, to),
         *query =
             target ? pingo__hdfs_query("RENAME&renameoptions=NONE", "destination", target) : NULL;
    const char *fault = target ? pingo__hdfs_path_fault(target) : NULL;
    int rc = !query  ? pingo__fail_memory(err)
             : fault ? pingo__fail(err, PINGO_EINVAL, "%s: %s", to, fault)
                     : pingo__hdfs_status(fs, from, &status, err);
    if (!rc && !status.exists)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "%s: is not there", from);
    bool again = !rc;
    move.file_id = status.file_id;
    for (int tries = 0; again && tries < TRIES; tries++)
        rc = try_move(fs, &move, query, &again, err);
    free(query);
    free(target);
    return rc;
}

int pingo__hdfs_move(struct pingo__hdfs *fs, const char *from, const char *to,
                     struct pingo_error *err)
{
    const char *slash = strrchr(to, '/');
    struct pingo__hdfs_status status;
    struct pingo_error why = {0};
    int rc = pingo__hdfs_rename(fs, from, to, err);
    if (rc != PINGO_ENOTFOUND || !slash || slash == to)
        return rc;
    int looked = pingo__hdfs_status(fs, from, &status, &why);
    if (looked || !status.exists)
        return looked ? pingo__fail(err, looked, "%s", why.message) : rc;
    char *above = strndup(to, (size_t)(slash - to));
    rc = above ? pingo__hdfs_make(fs, above, err) : pingo__fail_memory(err);
    if (!rc)
        rc = pingo__hdfs_rename(fs, from, to, err);
    free(above);
    return rc;
}

/* ---- who we are ---------------------------------------------------------------------------------------- */

int pingo__hdfs_token(struct pingo__hdfs *fs, const char *renewer, char **token,
                      struct pingo_error *err)
{
    struct reply r;
    char *query = pingo__hdfs_query("GETDELEGATIONTOKEN", "renewer", renewer);
    int rc = get(fs, "/", query, &r, err);
    const struct pingo__json_value *v = pingo__json_at(r.root, "Token");
    const char *text = pingo__json_text_at(v, "urlString", NULL);
    *token = text ? strdup(text) : NULL;
    if (!rc && (!v || (!text && pingo__json_kind(v) != PINGO__JSON_NULL)))
        rc = pingo__hdfs_not_understood("a delegation token", err);
    else if (text && !*token)
        rc = pingo__fail_memory(err);
    clear_reply(&r);
    free(query);
    return rc;
}
