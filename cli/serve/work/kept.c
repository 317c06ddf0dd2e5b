/* kept.c - see kept.h. */
#include "serve/work/kept.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mix.h"

#define KEPT_MS 100
#define TAG_MS 1000
#define NKEPT 256
#define QUESTION_MOST 1024
#define BODY_MOST 65536

/* Each where its question says; a newer one replaces an older. */
struct answer {
    char question[QUESTION_MOST];
    size_t asked; /* its bytes */
    int64_t version, writes, now_ms;
    char type[64], etag[sizeof((struct serve_answer *)0)->etag];
    char *body; /* NULL: of this one the tag alone is known */
    size_t length;
};
struct serve_kept {
    pthread_mutex_t mutex;
    struct pingo_store *store;
    struct answer answers[NKEPT];
};

int serve_kept_open(const char *directory, struct serve_kept **kept, struct pingo_error *err)
{
    struct serve_kept *k = *kept = calloc(1, sizeof *k);
    if (!k)
        return pingo__fail_memory(err);
    pthread_mutex_init(&k->mutex, NULL);
    int rc = pingo_store_open(directory, NULL, &k->store, err);
    if (rc == 0)
        return 0;
    serve_kept_close(k);
    *kept = NULL;
    return rc;
}

void serve_kept_close(struct serve_kept *kept)
{
    if (!kept)
        return;
    for (size_t i = 0; i < NKEPT; i++)
        free(kept->answers[i].body);
    pingo_store_close(kept->store);
    pthread_mutex_destroy(&kept->mutex);
    free(kept);
}

int64_t serve_kept_version(struct serve_kept *kept, int64_t before)
{
    int64_t version;
    pthread_mutex_lock(&kept->mutex);
    int rc = pingo_store_data_version(kept->store, &version, NULL);
    pthread_mutex_unlock(&kept->mutex);
    return rc == 0 ? version : before;
}

static struct answer *place(struct serve_kept *kept, const struct serve_kept_at *at)
{
    uint64_t number = 0;
    for (size_t i = 0; i < at->question->length; i++)
        number = pingo__mix(number ^ (unsigned char)at->question->data[i]);
    return &kept->answers[number % NKEPT];
}

/* Under the mutex. */
static bool is_true(const struct answer *k, const struct serve_kept_at *at)
{
    const struct pingo__buffer *q = at->question;
    return at->version >= 0 && k->version == at->version && k->writes == at->writes &&
           k->asked == q->length && memcmp(k->question, q->data, q->length) == 0;
}

bool serve_kept_recall(struct serve_kept *kept, struct serve_kept_at *at,
                       struct pingo__arena *arena, struct serve_answer *answer)
{
    at->version = -1;
    if (!kept || at->question->failed)
        return false;
    pthread_mutex_lock(&kept->mutex);
    if (pingo_store_data_version(kept->store, &at->version, NULL) != 0)
        at->version = -1;
    const struct answer *k = place(kept, at);
    int64_t age_ms = at->now_ms - k->now_ms;
    bool is_kept = arena && is_true(k, at) && k->body && age_ms < KEPT_MS;
    if (is_true(k, at) && age_ms < TAG_MS)
        memcpy(answer->etag, k->etag, sizeof answer->etag);
    if (is_kept) {
        answer->type =
            k->type[0] == '\0' ? NULL : pingo__arena_text(arena, k->type, strlen(k->type));
        pingo__buffer_append(&answer->body, k->body, k->length);
    }
    pthread_mutex_unlock(&kept->mutex);
    return is_kept;
}

static void replace(struct answer *k, const struct serve_kept_at *at,
                    const struct serve_answer *answer, bool is_whole)
{
    const struct pingo__buffer *b = &answer->body;
    char *body = is_whole ? malloc(b->length + 1) : NULL;
    if (body && b->length > 0)
        memcpy(body, b->data, b->length);
    free(k->body);
    k->body = body;
    k->length = b->length;
    memcpy(k->question, at->question->data, at->question->length);
    k->asked = at->question->length;
    k->version = at->version;
    k->writes = at->writes;
    k->now_ms = at->now_ms;
    snprintf(k->type, sizeof k->type, "%s", answer->type ? answer->type : "");
    memcpy(k->etag, answer->etag, sizeof k->etag);
}

void serve_kept_keep(struct serve_kept *kept, const struct serve_kept_at *at,
                     const struct serve_answer *answer)
{
    if (!kept || at->version < 0 || at->question->length > QUESTION_MOST || answer->body.failed)
        return;
    bool is_whole = !answer->of_now && answer->headers.length == 0 && !answer->held &&
                    answer->body.length <= BODY_MOST &&
                    (!answer->type || strlen(answer->type) < sizeof kept->answers->type);
    pthread_mutex_lock(&kept->mutex);
    replace(place(kept, at), at, answer, is_whole);
    pthread_mutex_unlock(&kept->mutex);
}
