/* collect.c - what executors report: jobs that started, and ends, each believed as far as it can be. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/text.h"
#include "json/document.h"
#include "manager/attempt/callback.h"
#include "manager/attempt/flight.h"

#define PROGRESS_MOST 65536 /* bytes */

struct collecting {
    struct pingo__manager_actions *m;
    size_t executor;
    int rc;
    struct pingo_error *err;
};

/* NULL: it is not one of the executor that tells of it. */
static struct pingo__manager_flight *find(const struct collecting *x, struct pingo_job_key key)
{
    struct pingo__manager_flight *f = pingo__manager_flight_find(x->m, key);
    return f && f->executor == x->executor ? f : NULL;
}

static void on_started(void *context, struct pingo_job_key key)
{
    struct collecting *x = context;
    struct pingo__manager_actions *m = x->m;
    struct pingo__manager_flight *f = find(x, key);
    if (!f || f->started)
        return;
    f->started = true;
    f->started_ms = pingo__manager_now_ms(m->c);
    f->removed_bytes = m->removed_bytes;
    f->news.started = m->has_news = true;
}

static void on_named(void *context, struct pingo_job_key key, const char *name)
{
    struct collecting *x = context;
    struct pingo__manager_flight *f = find(x, key);
    if (!f)
        return;
    snprintf(f->news.job, sizeof f->news.job, "%s", name);
    x->m->has_news = true;
}

/* It will stand in what others read as JSON. */
static bool is_object(const char *json)
{
    struct pingo__json_document document;
    size_t n = strlen(json);
    if (n > PROGRESS_MOST)
        return false;
    bool is = pingo__json_open(&document, json, n, NULL, NULL) == 0 &&
              document.kind == PINGO__JSON_OBJECT;
    pingo__json_close(&document);
    return is;
}

/* The newest of each alone is kept. */
static void on_progress(void *context, struct pingo_job_key key, const char *json)
{
    struct collecting *x = context;
    struct pingo__manager_flight *f = find(x, key);
    if (!f || !json || !is_object(json))
        return;
    free(f->news.progress);
    f->news.progress = strdup(json); /* only for people: it may fail */
    x->m->has_news = true;
}

/* One line of UTF-8, whoever wrote it. */
static void clean(char *text, size_t size)
{
    char copy[sizeof(struct pingo_job_end)];
    text[size - 1] = '\0';
    memcpy(copy, text, strlen(text) + 1);
    pingo__text_clean_to(text, size, copy);
}

/* An executor that tells what cannot be is wrong about it for ever: who ran the job is as good as gone. */
static void doubt(struct pingo__manager_actions *m, size_t executor, struct pingo_job_end *end)
{
    const char *name = m->executors[executor].type.name;
    struct pingo_job_key key = end->key;
    clean(end->message, sizeof end->message);
    clean(end->node, sizeof end->node);
    char wrong[120];
    if (pingo__manager_end_is_valid(end, wrong, sizeof wrong))
        return;
    *end = (struct pingo_job_end){.size = sizeof *end,
                                  .key = key,
                                  .reason = PINGO_END_LOST,
                                  .ended_ms = pingo__manager_now_ms(m->c)};
    snprintf(end->message, sizeof end->message, "executor \"%.40s\" told an end that cannot be: %s",
             name, wrong);
    pingo__manager_log(m->c, PINGO_LOG_WARNING, "attempt %lld.%lld: %s", (long long)key.action,
                       (long long)key.epoch, end->message);
}

static void not_its_own(struct pingo__manager_actions *m, size_t executor, struct pingo_job_key key)
{
    struct pingo__manager_executor *e = &m->executors[executor];
    if (e->is_told)
        return;
    e->is_told = true;
    pingo__manager_log(
        m->c, PINGO_LOG_WARNING,
        "executor \"%s\" told the end of attempt %lld.%lld, which it was not given or has"
        " told before; such ends change nothing",
        e->type.name, (long long)key.action, (long long)key.epoch);
}

static void on_ended(void *context, const struct pingo_job_end *end)
{
    struct collecting *x = context;
    struct pingo__manager_flight *f = find(x, end->key);
    if (!f) {
        not_its_own(x->m, x->executor, end->key);
        return;
    }
    if (x->rc || f->has_ended)
        return; /* repeated */
    struct pingo_job_end believed;
    pingo__growing_result_take(end, &believed, sizeof believed);
    believed.key = end->key;
    believed.size = end->size;
    if (believed.ended_ms == 0) /* what never began is over when it is told */
        believed.ended_ms = pingo__manager_now_ms(x->m->c);
    doubt(x->m, x->executor, &believed);
    pingo__manager_disk_explain(x->m->c, f->removed_bytes, &believed);
    x->rc = pingo__manager_end_add(x->m, &believed, x->err);
    f->has_ended = x->rc == 0;
}

int pingo__manager_collect(struct pingo__manager_actions *m, struct pingo_error *err)
{
    struct collecting x = {m, 0, 0, err};
    struct pingo_executor_reports reports = {&x, on_started, on_ended, on_named, on_progress};
    int rc = 0;
    for (; !rc && x.executor < m->nexecutors; x.executor++) {
        rc = pingo__manager_executor_collect(&m->executors[x.executor], &reports, err);
        rc = rc && rc != PINGO_EAWAY ? rc : x.rc;
    }
    m->removed_bytes = m->c->removed_bytes;
    return rc;
}
