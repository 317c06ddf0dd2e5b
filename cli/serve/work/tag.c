/* tag.c - see tag.h. */
#include "serve/work/tag.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mix.h"
#include "base/world.h"
#include "serve/work/kept.h"
#include "serve/work/work.h"

/* What others change without a state, such as who goes on with a workflow, is seen after so long. */
#define GOOD_MS 1000
#define NKNOWN 1024

/* Tags of documents, each where its key says; a newer one replaces an older. */
static struct known {
    uint64_t key[2];
    int64_t changes, writes, at_ms;
    char etag[sizeof((struct serve_answer *)0)->etag];
} known[NKNOWN];
static int64_t nwrites; /* of this server: what it has changed, it tells as it is */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

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

static void mix_text(uint64_t h[2], const char *text)
{
    mix(h, text ? text : "", text ? strlen(text) + 1 : 1);
}

/* Of what is asked, by whom. */
static void key_of(const struct serve_request *r, uint64_t key[2])
{
    key[0] = 1;
    key[1] = (uint64_t)r->who.role;
    mix_text(key, r->path);
    for (size_t i = 0; i < r->nquery; i++) {
        mix_text(key, r->query[i].name);
        mix_text(key, r->query[i].value);
    }
    mix_text(key, r->who.user);
    mix_text(key, r->who.way);
    for (size_t i = 0; i < sizeof heard / sizeof *heard; i++)
        mix_text(key, serve_asked(r, heard[i]));
}

static bool recall(struct known *wanted)
{
    const struct known *k = &known[wanted->key[0] % NKNOWN];
    pthread_mutex_lock(&mutex);
    bool is_good = memcmp(k->key, wanted->key, sizeof k->key) == 0 &&
                   k->changes == wanted->changes && k->writes == wanted->writes &&
                   wanted->at_ms - k->at_ms < GOOD_MS;
    if (is_good)
        memcpy(wanted->etag, k->etag, sizeof wanted->etag);
    pthread_mutex_unlock(&mutex);
    return is_good;
}

static int64_t count_writes(int64_t more)
{
    pthread_mutex_lock(&mutex);
    int64_t n = nwrites += more;
    pthread_mutex_unlock(&mutex);
    return n;
}

void serve_tag_written(void)
{
    count_writes(1);
}

static void remember(const struct known *k)
{
    pthread_mutex_lock(&mutex);
    known[k->key[0] % NKNOWN] = *k;
    pthread_mutex_unlock(&mutex);
}

static void look(struct serve_worker *worker, const struct serve_request *request,
                 struct serve_answer *answer, struct known *now, const struct serve_kept_at *at)
{
    uint64_t digest[2] = {0, 0};
    serve_call(worker, request, answer);
    if ((answer->status != 0 && answer->status != 200) || answer->next != SERVE_WHOLE ||
        answer->fd >= 0 || request->state || answer->etag[0] != '\0')
        return;
    mix(digest, answer->body.data, answer->body.length);
    snprintf(now->etag, sizeof now->etag, "%016" PRIx64 "%016" PRIx64, digest[0], digest[1]);
    memcpy(answer->etag, now->etag, sizeof answer->etag);
    remember(now);
    serve_kept_keep(worker->serve->kept, at, answer);
}

void serve_tagged(struct serve_worker *worker, const struct serve_request *request,
                  struct serve_answer *answer)
{
    struct known now = {.at_ms = pingo__world_monotonic_ms(), .writes = count_writes(0)};
    struct serve_kept_at at = {.writes = now.writes, .now_ms = now.at_ms, .version = -1};
    int64_t wait_ms = serve_wait_ms(request);
    bool asks = serve_asked(request, "if-none-match");
    key_of(request, now.key);
    memcpy(at.key, now.key, sizeof at.key);
    if (wait_ms == 0 && serve_kept_recall(worker->serve->kept, &at, &worker->arena, answer)) {
        serve_is_known(request, answer);
        return;
    }
    if (pingo_store_changes(worker->store, &now.changes, NULL) != 0)
        now.changes = -1;
    if (asks && recall(&now))
        memcpy(answer->etag, now.etag, sizeof answer->etag);
    bool is_known = serve_is_known(request, answer);
    if (!is_known) {
        answer->etag[0] = '\0';
        look(worker, request, answer, &now, &at);
        is_known = answer->status <= 200 && serve_is_known(request, answer);
    }
    if (!is_known)
        return;
    if (request->waited_ms < wait_ms) {
        answer->next = SERVE_AGAIN;
        answer->on_change = true;
        answer->pause_ms = wait_ms - request->waited_ms;
    }
}
