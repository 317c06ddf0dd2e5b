/* handle.c - see handle.h.
 *
 * A tag is a digest of the document, so that whatever changes it changes the tag.  As long as it is remembered
 * (kept.h), a client that asks with it is answered before anything is looked up. */
#include "serve/work/handle.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/copy.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mix.h"
#include "base/world.h"
#include "serve/work/kept.h"
#include "serve/work/note.h"
#include "serve/work/work.h"

#define JSON "application/json"
#define LARGE ((size_t)1 << 20) /* of a body */
#define SPARED 16               /* of what is free on the disk a body takes no greater part */

static _Atomic int64_t nwrites; /* of this server: what it has changed, it tells as it is */

int64_t serve_wait_ms(const struct serve_request *request)
{
    const char *prefer = serve_asked(request, "prefer"), *at = prefer;
    while (at && (at = strstr(at, "wait=")) && at != prefer && !strchr(" \t,;", at[-1]))
        at++;
    if (!at)
        return 0;
    int64_t seconds = 0;
    for (at += 5; *at >= '0' && *at <= '9' && seconds < 60; at++)
        seconds = 10 * seconds + *at - '0';
    return 1000 * (seconds < 60 ? seconds : 60);
}

static void mix(uint64_t h[2], const char *bytes, size_t n)
{
    uint64_t word;
    for (; n > 0;
         bytes += sizeof word < n ? sizeof word : n, n -= sizeof word < n ? sizeof word : n) {
        word = 0;
        memcpy(&word, bytes, n < sizeof word ? n : sizeof word);
        h[0] = pingo__mix(h[0] ^ word);
        h[1] = pingo__mix(h[1] + pingo__mix(word) + n);
    }
}

/* What an answer may be made of, beside path, query and who asks. */
static const char *const heard[] = {"accept", "host", "x-forwarded-proto"};

static void add_text(struct pingo__buffer *question, const char *text)
{
    pingo__buffer_counted(question, text ? text : "", text ? strlen(text) : 0);
}

/* What is asked, by whom: all of it, for no two who ask for something else may have the same. */
static void question_of(const struct serve_request *r, struct pingo__buffer *question)
{
    pingo__buffer_integer(question, r->who.role);
    add_text(question, r->who.user);
    add_text(question, r->who.way);
    for (size_t i = 0; i < sizeof heard / sizeof *heard; i++)
        add_text(question, serve_asked(r, heard[i]));
    add_text(question, r->path);
    for (size_t i = 0; i < r->nquery; i++) {
        add_text(question, r->query[i].name);
        add_text(question, r->query[i].value);
    }
}

static void look(struct serve_worker *worker, const struct serve_request *request,
                 struct serve_answer *answer, const struct serve_kept_at *at)
{
    uint64_t digest[2] = {0, 0};
    answer->etag[0] = '\0';
    serve_call(worker, request, answer);
    if ((answer->status != 0 && answer->status != 200) || answer->next != SERVE_WHOLE ||
        answer->fd >= 0 || request->state || answer->etag[0] != '\0')
        return;
    mix(digest, answer->body.data, answer->body.length);
    snprintf(answer->etag, sizeof answer->etag, "%016" PRIx64 "%016" PRIx64, digest[0], digest[1]);
    serve_kept_keep(worker->serve->kept, at, answer);
}

/* Calls the handler of what only reads, unless its answer is known. */
static void read_tagged(struct serve_worker *worker, const struct serve_request *request,
                        struct serve_answer *answer)
{
    struct pingo__buffer question = {0};
    struct serve_kept_at at = {.question = &question,
                               .now_ms = pingo__world_monotonic_ms(),
                               .writes = nwrites,
                               .version = -1};
    int64_t wait_ms = serve_wait_ms(request);
    question_of(request, &question);
    bool is_there =
        serve_kept_recall(worker->serve->kept, &at, wait_ms == 0 ? &worker->arena : NULL, answer);
    bool is_known = serve_is_known(request, answer);
    if (!is_known && !is_there) {
        look(worker, request, answer, &at);
        is_known = answer->status <= 200 && serve_is_known(request, answer);
    }
    if (is_known && request->waited_ms < wait_ms) {
        answer->next = SERVE_AGAIN;
        answer->on_change = true;
        answer->pause_ms = wait_ms - request->waited_ms;
    }
    pingo__buffer_clear(&question);
}

static void refuse_type(struct serve_answer *answer, const char *type)
{
    char said[64]; /* type goes with what was answered */
    snprintf(said, sizeof said, "%s", type);
    serve_refuse(answer, 406, "this is %s, and Accept does not take that", said);
}

/* What changes something, the worker's handle does for who asks.  false: the answer says no. */
static bool act_for(struct serve_worker *worker, const struct serve_who *who,
                    struct serve_answer *answer)
{
    struct pingo_caller caller = {.version = 1,
                                  .user = who->user,
                                  .role = (enum pingo_role)who->role,
                                  .way = who->way ? who->way : ""};
    int rc = who->user ? pingo_store_act_for(worker->store, &caller, &worker->err)
                       : pingo__fail(&worker->err, PINGO_EFORBIDDEN, "who asks is not known");
    if (rc != 0)
        serve_problem(answer, &worker->err, NULL);
    return rc == 0;
}

/* What is large waits for its client, who may be slow, in a file; in memory where the disk has little room, which is
 * for those who write. */
static void put_aside(const struct serve *serve, struct serve_answer *answer)
{
    struct pingo__buffer *body = &answer->body;
    struct statvfs fs;
    bool has_room = statvfs(serve->directory, &fs) == 0 &&
                    (int64_t)body->length < pingo__file_blocks(&fs, fs.f_bavail) / SPARED;
    int fd = has_room ? serve_descriptor(serve_unnamed(serve->directory)) : -1;
    if (fd < 0 || pingo__copy_write(fd, body->data, body->length) != 0) {
        pingo__file_close(fd);
        return;
    }
    answer->fd = fd;
    answer->length = (int64_t)body->length;
    pingo__buffer_clear(body);
}

void serve_handle(struct serve_worker *worker, const struct serve_request *request,
                  struct serve_answer *answer)
{
    if (worker)
        pingo__arena_reset(&worker->arena);
    bool is_read = strcmp(request->method, "GET") == 0;
    if (!is_read && serve_quality(request, "accept", JSON) == 0)
        refuse_type(answer, JSON); /* before anything is done */
    else if (worker && is_read)
        read_tagged(worker, request, answer);
    else if (!worker || act_for(worker, &request->who, answer))
        serve_call(worker, request, answer);
    if (worker && !is_read)
        pingo_store_act_for(worker->store, NULL, NULL);
    if (!is_read)
        nwrites++;
    const char *type = answer->type ? answer->type : JSON;
    bool is_first = !request->state && answer->next != SERVE_AGAIN;
    if (is_read && is_first && answer->status < 300 && serve_quality(request, "accept", type) == 0)
        refuse_type(answer, type);
    if (answer->status == 403 && worker)
        serve_note_refusal(worker, request, worker->err.message);
    if (answer->body.failed || answer->headers.failed)
        serve_refuse(answer, 503, "out of memory");
    if (answer->status == 0)
        answer->status = 200;
    if (worker && answer->next == SERVE_WHOLE && answer->body.length > LARGE && !request->state)
        put_aside(worker->serve, answer);
}
