/* wes.c - GA4GH WES 1.1 over the own API: runs are submissions, tasks are actions.
 *
 * Thin on purpose: a workflow comes as an attachment, nothing is ever fetched for somebody; inputs lie where the server
 * can read them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/times.h"
#include "http/server/multipart.h"
#include "serve/api/own.h"
#include "serve/api/submit.h"
#include "serve/route/routes.h"
#include "serve/work/work.h"

#define TYPE "PINGO" /* of workflows, in its version 1 */
#define PAGE 50
#define PAGE_MOST 1000
/* Of a run that failed it is looked up why: WES lets a page be shorter than was asked for. */
#define RUNS_MOST 100

static void put_time(struct pingo__writer *w, const char *key, int64_t ms)
{
    char text[PINGO__TIMES_SIZE];
    if (ms >= 0)
        pingo__writer_text(w, key, pingo__times_print_seconds(text, ms));
}

/* The address of something of this server, as the client knows it. */
static const char *url_of(struct serve_ask *ask, const char *path)
{
    const char *host = serve_asked(ask->request, "host");
    const char *scheme = serve_asked(ask->request, "x-forwarded-proto");
    bool is_tls = scheme && strcmp(scheme, "https") == 0;
    const char *url = pingo__arena_format(ask->arena, "http%s://%s%s", is_tls ? "s" : "",
                                          host ? host : "localhost", path);
    return url ? url : "";
}

static void put_log_urls(struct pingo__writer *w, struct serve_ask *ask, int64_t run, int64_t id)
{
    static const char *const names[] = {"stdout", "stderr"};
    char path[128];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "/v1/workflows/%" PRId64 "/actions/%" PRId64 "/%s", run, id,
                 names[i]);
        pingo__writer_text(w, names[i], url_of(ask, path));
    }
}

static void begin(struct pingo__writer *w)
{
    *w = (struct pingo__writer){0};
    pingo__writer_open(w, NULL, PINGO__WRITER_OBJECT);
}

/* ---- states -------------------------------------------------------------------------------------- */

struct failed {
    int64_t id; /* of the first action that failed; -1: none is known */
    bool by_itself;
};

static int on_failed(void *context, const struct pingo_action_status *a)
{
    *(struct failed *)context = (struct failed){a->id, a->exit_code > 0 || a->signal > 0};
    return 0;
}

/* What went wrong is told in the answer. */
static struct failed find_failed(struct serve_ask *ask, const struct pingo_workflow_status *s)
{
    struct failed f = {.id = -1, .by_itself = true};
    struct pingo_action_query query = {
        .version = 1, .workflow = s->workflow, .states = 1u << PINGO_ACTION_FAILED, .limit = 1};
    if (s->failed > 0)
        SERVE_CALL(ask, pingo_store_actions, &query, on_failed, &f);
    return f;
}

static const char *state_of(const struct pingo_workflow_status *s, const struct failed *f)
{
    switch (s->state) {
    case PINGO_WORKFLOW_FINISHED:
        return "COMPLETE";
    case PINGO_WORKFLOW_FAILED:
        return f->by_itself ? "EXECUTOR_ERROR" : "SYSTEM_ERROR";
    case PINGO_WORKFLOW_KILLED:
        return s->running > 0 ? "CANCELING" : "CANCELED";
    case PINGO_WORKFLOW_PAUSED:
        return "PAUSED";
    case PINGO_WORKFLOW_RUNNING:
        return s->running + s->finished + s->failed > 0 ? "RUNNING" : "QUEUED";
    }
    return "UNKNOWN";
}

static void put_tags(struct pingo__writer *w, const struct pingo_workflow_status *s)
{
    pingo__writer_open(w, "tags", PINGO__WRITER_OBJECT);
    if (s->tag)
        pingo__writer_text(w, "tag", s->tag);
    pingo__writer_close(w);
}

static void put_id(struct pingo__writer *w, int64_t run)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, run);
    pingo__writer_text(w, "run_id", text);
}

/* ---- the service --------------------------------------------------------------------------------- */

static void put_list(struct pingo__writer *w, const char *key, const char *only)
{
    pingo__writer_open(w, key, PINGO__WRITER_ARRAY);
    if (only)
        pingo__writer_text(w, NULL, only);
    pingo__writer_close(w);
}

void serve_api_wes_info(struct serve_ask *ask)
{
    struct pingo_load load = {.size = sizeof load};
    struct pingo__writer w;
    SERVE_CALL(ask, pingo_store_load, &load);
    begin(&w);
    pingo__writer_text(&w, "id", "pingo");
    pingo__writer_text(&w, "name", "Pingo");
    pingo__writer_raw(&w, "type",
                      "{\"group\":\"org.ga4gh\",\"artifact\":\"wes\",\"version\":\"1.1.0\"}");
    pingo__writer_open(&w, "organization", PINGO__WRITER_OBJECT);
    pingo__writer_text(&w, "name", ask->worker->serve->owner);
    pingo__writer_text(&w, "url", url_of(ask, "/"));
    pingo__writer_close(&w);
    pingo__writer_text(&w, "version", PINGO_VERSION);
    pingo__writer_raw(&w, "workflow_type_versions",
                      "{\"" TYPE "\":{\"workflow_type_version\":[\"1\"]}}");
    put_list(&w, "supported_wes_versions", "1.1.0");
    put_list(&w, "supported_filesystem_protocols", "file");
    pingo__writer_raw(&w, "workflow_engine_versions",
                      "{\"pingo\":{\"workflow_engine_version\":[\"" PINGO_VERSION "\"]}}");
    put_list(&w, "default_workflow_engine_parameters", NULL);
    pingo__writer_open(&w, "system_state_counts", PINGO__WRITER_OBJECT);
    pingo__writer_int(&w, "RUNNING", load.nworkflows - load.npaused);
    pingo__writer_int(&w, "PAUSED", load.npaused);
    pingo__writer_close(&w);
    pingo__writer_text(&w, "auth_instructions_url", url_of(ask, "/openapi.json"));
    pingo__writer_raw(&w, "tags", "{}");
    pingo__writer_close(&w);
    serve_ask_written(ask, &w);
}

/* ---- lists --------------------------------------------------------------------------------------- */

struct rows {
    struct serve_ask *ask;
    struct pingo__writer w;
    int64_t run;
    size_t limit;
    const char *after;
    char next[PINGO_CURSOR_SIZE];
};

static void rows_begin(struct rows *r, struct serve_ask *ask, const char *key)
{
    *r = (struct rows){.ask = ask};
    int64_t size = serve_ask_number(ask, "page_size", (struct serve_range){1, INT64_MAX, PAGE});
    r->limit = size < PAGE_MOST ? (size_t)size : PAGE_MOST;
    r->after = serve_query(ask->request, "page_token");
    begin(&r->w);
    pingo__writer_open(&r->w, key, PINGO__WRITER_ARRAY);
}

static void rows_end(struct rows *r)
{
    if (!r->ask->is_wrong) {
        pingo__writer_close(&r->w);
        pingo__writer_text(&r->w, "next_page_token", r->next);
        pingo__writer_close(&r->w);
    }
    serve_ask_written(r->ask, &r->w);
}

static int on_run(void *context, const struct pingo_workflow_status *s)
{
    struct rows *r = context;
    struct failed failed = {.id = -1};
    if (s->state == PINGO_WORKFLOW_FAILED)
        failed = find_failed(r->ask, s);
    pingo__writer_open(&r->w, NULL, PINGO__WRITER_OBJECT);
    put_id(&r->w, s->workflow);
    pingo__writer_text(&r->w, "state", state_of(s, &failed));
    put_time(&r->w, "start_time", s->submitted_ms);
    put_time(&r->w, "end_time", s->ended_ms);
    put_tags(&r->w, s);
    pingo__writer_close(&r->w);
    return r->ask->is_wrong || r->w.out.failed;
}

void serve_api_wes_runs(struct serve_ask *ask)
{
    struct rows r;
    rows_begin(&r, ask, "runs");
    r.limit = r.limit < RUNS_MOST ? r.limit : RUNS_MOST;
    struct pingo_workflow_query query = {.version = 1, .user = serve_own(ask), SERVE_PART(r)};
    SERVE_CALL(ask, pingo_store_workflows, &query, on_run, &r);
    rows_end(&r);
}

static void put_task(struct pingo__writer *w, struct serve_ask *ask, int64_t run,
                     const struct pingo_action_status *a)
{
    char id[24];
    snprintf(id, sizeof id, "%" PRId64, a->id);
    pingo__writer_text(w, "id", id);
    pingo__writer_text(w, "name", a->name);
    put_time(w, "start_time", a->started_ms);
    put_time(w, "end_time", a->ended_ms);
    put_log_urls(w, ask, run, a->id);
    if (a->exit_code >= 0)
        pingo__writer_int(w, "exit_code", a->exit_code);
    put_list(w, "system_logs", a->message && *a->message ? a->message : NULL);
}

static int on_task(void *context, const struct pingo_action_status *a)
{
    struct rows *r = context;
    pingo__writer_open(&r->w, NULL, PINGO__WRITER_OBJECT);
    put_task(&r->w, r->ask, r->run, a);
    pingo__writer_close(&r->w);
    return r->w.out.failed;
}

void serve_api_wes_tasks(struct serve_ask *ask)
{
    struct rows r;
    rows_begin(&r, ask, "task_logs");
    r.run = serve_ask_workflow(ask);
    struct pingo_action_query query = {.version = 1, .workflow = r.run, SERVE_PART(r)};
    SERVE_CALL(ask, pingo_store_actions, &query, on_task, &r);
    rows_end(&r);
}

/* ---- one ----------------------------------------------------------------------------------------- */

struct one {
    struct serve_ask *ask;
    struct pingo__writer w;
    int64_t run;
    bool is_short;
};

static int on_one_task(void *context, const struct pingo_action_status *a)
{
    struct one *o = context;
    put_task(&o->w, o->ask, o->run, a);
    return 0;
}

void serve_api_wes_task(struct serve_ask *ask)
{
    struct one o = {.ask = ask, .run = serve_ask_workflow(ask)};
    begin(&o.w);
    SERVE_CALL(ask, pingo_store_action, &(struct pingo_action_name){o.run, ask->request->parts[1]},
               on_one_task, &o);
    pingo__writer_close(&o.w);
    serve_ask_written(ask, &o.w);
}

static int on_output(void *context, const struct pingo_dataset_status *d)
{
    struct one *o = context;
    char hex[PINGO_HASH_HEX_SIZE], path[sizeof hex + 32];
    pingo_hash_to_hex(&d->hash, hex);
    snprintf(path, sizeof path, "/v1/datasets/%s/content", hex);
    pingo__writer_open(&o->w, hex, PINGO__WRITER_OBJECT);
    pingo__writer_text(&o->w, "name", serve_own_row(o->ask, d).name);
    pingo__writer_text(&o->w, "location", url_of(o->ask, path));
    pingo__writer_close(&o->w);
    return 0;
}

static int on_last(void *context, const struct pingo_action_status *a)
{
    *(int64_t *)context = a->id;
    return 0;
}

/* The action whose logs a person would look at: the first that failed, else any. */
static int64_t telling_action(struct serve_ask *ask, int64_t run, const struct failed *failed)
{
    int64_t id = failed->id;
    struct pingo_action_query query = {.version = 1, .workflow = run, .limit = 1};
    if (id < 0)
        SERVE_CALL(ask, pingo_store_actions, &query, on_last, &id);
    return id;
}

static void put_run_log(struct one *o, const struct pingo_workflow_status *s,
                        const struct failed *failed)
{
    char path[64];
    int64_t id = telling_action(o->ask, o->run, failed);
    pingo__writer_raw(&o->w, "request",
                      "{\"workflow_params\":{},\"workflow_type\":\"" TYPE
                      "\",\"workflow_type_version\":\"1\",\"workflow_url\":\"workflow.json\"}");
    pingo__writer_open(&o->w, "run_log", PINGO__WRITER_OBJECT);
    pingo__writer_text(&o->w, "name", s->name);
    put_list(&o->w, "cmd", NULL);
    put_time(&o->w, "start_time", s->submitted_ms);
    put_time(&o->w, "end_time", s->ended_ms);
    if (id >= 0)
        put_log_urls(&o->w, o->ask, o->run, id);
    put_list(&o->w, "system_logs", NULL);
    pingo__writer_close(&o->w);
    snprintf(path, sizeof path, "/ga4gh/wes/v1/runs/%" PRId64 "/tasks", o->run);
    pingo__writer_text(&o->w, "task_logs_url", url_of(o->ask, path));
    pingo__writer_null(&o->w, "task_logs");
}

static int on_one_run(void *context, const struct pingo_workflow_status *s)
{
    struct one *o = context;
    struct failed failed = find_failed(o->ask, s);
    put_id(&o->w, s->workflow);
    pingo__writer_text(&o->w, "state", state_of(s, &failed));
    if (!o->is_short)
        put_run_log(o, s, &failed);
    return o->ask->is_wrong;
}

static void answer_run(struct serve_ask *ask, bool is_short)
{
    struct one o = {.ask = ask, .run = serve_ask_workflow(ask), .is_short = is_short};
    struct pingo_dataset_query results = {
        .version = 1, .workflow = o.run, .states = 1u << PINGO_DATASET_LEAF};
    begin(&o.w);
    SERVE_CALL(ask, pingo_store_workflow, o.run, on_one_run, &o);
    if (!is_short) {
        pingo__writer_open(&o.w, "outputs", PINGO__WRITER_OBJECT);
        SERVE_CALL(ask, pingo_store_datasets, &results, on_output, &o);
        pingo__writer_close(&o.w);
    }
    pingo__writer_close(&o.w);
    serve_ask_written(ask, &o.w);
}

SERVE_HANDLER(serve_api_wes_run, answer_run, false)
SERVE_HANDLER(serve_api_wes_status, answer_run, true)

/* ---- runs come in, and are cancelled --------------------------------------------------------------- */

static void answer_id(struct serve_ask *ask, int64_t run)
{
    struct pingo__writer w;
    begin(&w);
    put_id(&w, run);
    pingo__writer_close(&w);
    serve_written(ask->answer, &w);
}

/* What has ended is left as it is. */
void serve_api_wes_cancel(struct serve_ask *ask)
{
    int64_t run = serve_ask_workflow(ask);
    size_t killed;
    if (ask->is_wrong)
        return;
    int rc = pingo_store_kill(ask->store, &(struct pingo_action_name){run, NULL}, &killed, ask->err);
    serve_end(ask, rc == PINGO_ESTATE ? 0 : rc);
    if (!ask->is_wrong)
        answer_id(ask, run);
}

struct wish {
    const struct pingo__http_part *text; /* the attachment */
    const char *url, *tag;
};

static bool is_text(const struct pingo__http_part *part, const char *text)
{
    return part->length == strlen(text) && memcmp(part->data, text, part->length) == 0;
}

/* An object without members, or nothing. */
static bool is_nothing(const struct pingo__http_part *part)
{
    size_t n = 0;
    for (size_t i = 0; i < part->length && n < 3; i++)
        n += part->data[i] != '\0' && strchr(" \t\r\n", part->data[i]) ? 0
             : part->data[i] == (n == 0 ? '{' : '}')                   ? 1
                                                                       : 3;
    return n == 0 || n == 2;
}

/* {"tag": "..."}, and nothing else. */
static const char *read_tags(struct serve_ask *ask, const struct pingo__http_part *part,
                             struct wish *wish)
{
    struct serve_flat *members;
    size_t n;
    if (is_nothing(part))
        return NULL;
    if (serve_flat_read(ask->arena, part->data, part->length, &members, &n) || n != 1 ||
        strcmp(members[0].key, "tag") != 0 || !members[0].value)
        return "tags is an object with one member, tag";
    wish->tag = members[0].value;
    return NULL;
}

/* What is wrong with a part; NULL: nothing. */
static const char *read_part(struct serve_ask *ask, const struct pingo__http_part *part,
                             struct wish *wish)
{
    static const struct {
        const char *name, *value, *wrong;
    } fixed[] = {
        {"workflow_type", TYPE, "workflow_type is " TYPE},
        {"workflow_type_version", "1", "workflow_type_version is 1"},
        {"workflow_engine", "pingo", "workflow_engine is pingo"},
        {"workflow_engine_version", PINGO_VERSION, "workflow_engine_version is " PINGO_VERSION},
        {"workflow_params", NULL, "a workflow of Pingo has no parameters: workflow_params is {}"},
        {"workflow_engine_parameters", NULL, "there are no workflow_engine_parameters"},
    };
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(part->name, fixed[i].name) == 0)
            return (fixed[i].value ? is_text(part, fixed[i].value) : is_nothing(part))
                       ? NULL
                       : fixed[i].wrong;
    if (strcmp(part->name, "tags") == 0)
        return read_tags(ask, part, wish);
    if (strcmp(part->name, "workflow_url") == 0) {
        wish->url = pingo__arena_text(ask->arena, part->data, part->length);
        return wish->url ? NULL : "out of memory";
    }
    if (strcmp(part->name, "workflow_attachment") != 0)
        return "there is a part that a run does not have";
    if (wish->text)
        return "one attachment is taken, the workflow: inputs lie where the server can read them";
    wish->text = part;
    return part->filename ? NULL : "the attachment has no filename";
}

static const char *read_wish(struct serve_ask *ask, const char *body, struct wish *wish)
{
    struct pingo__http_form form = {.type = serve_asked(ask->request, "content-type"),
                                    .body = body,
                                    .length = (size_t)ask->request->body_bytes};
    const char *wrong = pingo__http_multipart(ask->arena, &form);
    for (size_t i = 0; i < form.nparts && !wrong; i++)
        wrong = read_part(ask, &form.parts[i], wish);
    if (!wrong && (!wish->text || !wish->url || strcmp(wish->text->filename, wish->url) != 0))
        wrong = "workflow_url is the filename of the workflow_attachment: nothing is fetched";
    return wrong;
}

void serve_api_wes_submit(struct serve_ask *ask)
{
    struct wish wish = {0};
    struct pingo_submission submission = {.size = sizeof submission};
    const char *body = serve_map(ask->request);
    const char *wrong = body ? read_wish(ask, body, &wish) : "there is no body";
    if (wrong)
        serve_ask_refuse(ask, 400, "%s", wrong);
    struct pingo_submit_options options = {
        .version = 3, .tag = wish.tag, .key = serve_asked(ask->request, "idempotency-key")};
    if (!ask->is_wrong &&
        serve_submit_text(ask, wish.text->data, wish.text->length, &options, &submission))
        answer_id(ask, submission.workflow);
    serve_unmap(ask->request, body);
}
