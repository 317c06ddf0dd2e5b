/* metrics.c - numbers for monitoring: Prometheus' text, or OpenMetrics where Accept asks for it.
 *
 * What is counted by rows is read in a time that does not grow with the store's history (<pingo/summary.h>). */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "serve/api/ask.h"
#include "serve/route/routes.h"
#include "serve/work/counts.h"
#include "serve/work/ticks.h"
#include "serve/work/work.h"

#define CLASSIC "text/plain; version=0.0.4; charset=utf-8"
#define OPEN "application/openmetrics-text; version=1.0.0; charset=utf-8"

enum family { GAUGE, COUNTER, HISTOGRAM, SUMMARY };
struct page {
    struct serve_worker *worker;
    struct pingo__buffer *b;
    bool is_open; /* OpenMetrics */
};

/* What a family is; its samples follow.  name: of a counter without its _total. */
static void put_family(struct page *p, enum family family, const char *name, const char *help)
{
    static const char *const types[] = {"gauge", "counter", "histogram", "summary"};
    const char *total = family == COUNTER && !p->is_open ? "_total" : "";
    const char *unit = strrchr(name, '_');
    pingo__buffer_format(p->b, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, total, help, name, total,
                         types[family]);
    if (p->is_open && unit && (strcmp(unit, "_seconds") == 0 || strcmp(unit, "_bytes") == 0))
        pingo__buffer_format(p->b, "# UNIT %s %s\n", name, unit + 1);
}

struct label {
    const char *name, *value; /* name NULL: there is none */
};

static void put_value(struct page *p, const char *name, const char *suffix,
                      const struct label labels[2], double value)
{
    char mark = '{';
    pingo__buffer_format(p->b, "%s%s", name, suffix);
    for (int i = 0; i < 2 && labels; i++) {
        if (!labels[i].name)
            continue;
        pingo__buffer_format(p->b, "%c%s=\"", mark, labels[i].name);
        for (const char *v = labels[i].value; *v; v++)
            if (*v == '\n')
                pingo__buffer_text(p->b, "\\n");
            else
                pingo__buffer_format(p->b, *v == '\\' || *v == '"' ? "\\%c" : "%c", *v);
        pingo__buffer_char(p->b, '"');
        mark = ',';
    }
    pingo__buffer_format(p->b, "%s %.15g\n", mark == ',' ? "}" : "", value);
}

static void put_gauge(struct page *p, const char *name, const char *help, double value)
{
    put_family(p, GAUGE, name, help);
    put_value(p, name, "", NULL, value);
}

static void put_counter(struct page *p, const char *name, const char *help, double value)
{
    put_family(p, COUNTER, name, help);
    put_value(p, name, "_total", NULL, value);
}

static double seconds(int64_t ms)
{
    return (double)ms / 1000;
}

static void put_times(struct page *p, const char *name, struct label label,
                      const struct serve_times *times)
{
    char bound[32];
    struct label labels[2] = {label, {"le", bound}};
    for (int i = 0; i < SERVE_BOUNDS; i++) {
        snprintf(bound, sizeof bound, "%g", (double)serve_bounds[i] / 1000000);
        put_value(p, name, "_bucket", labels, (double)times->within[i]);
    }
    labels[1].value = "+Inf";
    put_value(p, name, "_bucket", labels, (double)times->n);
    labels[1].name = NULL;
    put_value(p, name, "_sum", labels, (double)times->us / 1000000);
    put_value(p, name, "_count", labels, (double)times->n);
}

/* ---- the store ----------------------------------------------------------------------------------- */

static int put_load(struct page *p)
{
    struct pingo_load load = {.size = sizeof load};
    int rc = pingo_store_load(p->worker->store, &load, &p->worker->err);
    if (rc != 0)
        return rc;
    const struct {
        enum pingo_action_state state;
        int64_t n;
    } states[] = {{PINGO_ACTION_WAITING, load.waiting},
                  {PINGO_ACTION_READY, load.ready},
                  {PINGO_ACTION_PROCESSING, load.processing},
                  {PINGO_ACTION_SUBMITTED, load.submitted},
                  {PINGO_ACTION_RUNNING, load.running}};
    put_family(p, GAUGE, "pingo_actions", "Actions that have not ended, by state.");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        struct label label[2] = {{"state", pingo_action_state_name(states[i].state)}};
        put_value(p, "pingo_actions", "", label, (double)states[i].n);
    }
    put_gauge(p, "pingo_workflows", "Submissions with something unfinished.",
              (double)load.nworkflows);
    put_gauge(p, "pingo_workflows_paused", "Of them, those that are paused.", (double)load.npaused);
    put_gauge(p, "pingo_slots", "Slots that actions have in hand.", (double)load.slots);
    return 0;
}

static int on_executor(void *context, const struct pingo_executor_load *load)
{
    struct label armed[2] = {{"executor", load->executor}, {"kind", "armed"}};
    struct label running[2] = {{"executor", load->executor}, {"kind", "running"}};
    put_value(context, "pingo_executor_slots", "", armed, (double)load->armed);
    put_value(context, "pingo_executor_slots", "", running, (double)load->running);
    return 0;
}

static int put_executors(struct page *p)
{
    put_family(p, GAUGE, "pingo_executor_slots",
               "Attempts that executors have in hand: armed, or running.");
    return pingo_store_executor_loads(p->worker->store, on_executor, p, &p->worker->err);
}

struct totals {
    struct pingo__arena *arena;
    struct pingo_total *all;
    size_t n, capacity;
};

static int on_total(void *context, const struct pingo_total *total)
{
    struct totals *t = context;
    if (!PINGO__ARENA_ROOM(t->arena, t->all, t->n, t->capacity))
        return 1;
    t->all[t->n] = *total;
    t->all[t->n].executor = pingo__arena_text(t->arena, total->executor, strlen(total->executor));
    return !t->all[t->n++].executor;
}

/* Of all executors together, one family after the other. */
static int put_totals(struct page *p)
{
    static const struct {
        const char *name, *help;
        size_t offset;
    } kinds[] = {
        {"pingo_attempt_seconds", "What attempts took.", offsetof(struct pingo_total, wall_ms)},
        {"pingo_attempt_cpu_seconds", "What they took of processors.",
         offsetof(struct pingo_total, cpu_ms)},
        {"pingo_queue_wait_seconds", "How long executors had them before they started.",
         offsetof(struct pingo_total, wait_ms)},
    };
    struct totals t = {.arena = &p->worker->arena};
    int rc = pingo_store_totals(p->worker->store, on_total, &t, &p->worker->err);
    if (rc != 0)
        return rc;
    put_family(p, COUNTER, "pingo_attempts", "Attempts that ended, by what they failed of.");
    for (size_t i = 0; i < t.n; i++) {
        const char *category = pingo_failure_category_name(t.all[i].category);
        struct label labels[2] = {{"executor", t.all[i].executor},
                                  {"reason", t.all[i].category ? category : "done"}};
        put_value(p, "pingo_attempts", "_total", labels, (double)t.all[i].ended);
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        put_family(p, SUMMARY, kinds[k].name, kinds[k].help);
        for (size_t i = 0; i < t.n;) {
            const char *executor = t.all[i].executor;
            int64_t ms = 0, n = 0;
            for (; i < t.n && strcmp(t.all[i].executor, executor) == 0; i++) {
                ms += *(const int64_t *)((const char *)&t.all[i] + kinds[k].offset);
                n += t.all[i].ended;
            }
            struct label label[2] = {{"executor", executor}};
            put_value(p, kinds[k].name, "_sum", label, seconds(ms));
            put_value(p, kinds[k].name, "_count", label, (double)n);
        }
    }
    return 0;
}

static int put_pool(struct page *p)
{
    struct pingo_pool_usage u = {.size = sizeof u};
    int rc = pingo_store_usage(p->worker->store, &u, &p->worker->err);
    if (rc != 0)
        return rc;
    const struct {
        const char *kind;
        int64_t bytes;
    } kinds[] = {{"stored", u.stored_bytes},          {"leaf", u.leaf_bytes},
                 {"leaving", u.leaving_bytes},        {"undeletable", u.undeletable_bytes},
                 {"failed", u.failed_bytes},          {"orphan", u.orphan_bytes},
                 {"file_system", u.file_system_bytes}};
    put_family(p, GAUGE, "pingo_pool_bytes",
               "What the pool holds, by kind; file_system: what is free there.");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].bytes >= 0)
            put_value(p, "pingo_pool_bytes", "", (struct label[2]){{"kind", kinds[i].kind}},
                      (double)kinds[i].bytes);
    put_gauge(p, "pingo_pool_used_bytes", "What counts against the budget.", (double)u.used_bytes);
    if (u.budget_bytes >= 0)
        put_gauge(p, "pingo_pool_budget_bytes", "What it may hold.", (double)u.budget_bytes);
    return 0;
}

struct evictions {
    struct page *page;
    int of; /* which number is put */
};
static const char *const evictions[][2] = {
    {"pingo_evictions", "Datasets that were let go to make room."},
    {"pingo_evicted_bytes", "What they held."},
    {"pingo_regret_seconds", "What it took to make such datasets again."}};

static int on_eviction(void *context, const struct pingo_eviction_total *t)
{
    const struct evictions *e = context;
    const double numbers[] = {(double)t->nevictions, (double)t->evicted_bytes,
                              seconds(t->regret_ms)};
    put_value(e->page, evictions[e->of][0], "_total",
              (struct label[2]){{"algorithm", t->algorithm}}, numbers[e->of]);
    return 0;
}

static int put_evictions(struct page *p)
{
    struct evictions e = {.page = p};
    int rc = 0;
    for (; rc == 0 && e.of < 3; e.of++) {
        put_family(p, COUNTER, evictions[e.of][0], evictions[e.of][1]);
        rc = pingo_store_eviction_totals(p->worker->store, on_eviction, &e, &p->worker->err);
    }
    return rc;
}

/* ---- the server ---------------------------------------------------------------------------------- */

static const char *name_of(size_t route)
{
    return route == SERVE_ROUTES_MOST - 1 ? "none" : serve_routes[route].operation;
}

static void put_requests(struct page *p, const struct serve_counts *counts)
{
    static const char *const classes[] = {"1xx", "2xx", "3xx", "4xx", "5xx"};
    put_family(p, COUNTER, "pingo_http_requests", "Requests that were answered.");
    for (size_t i = 0; i < SERVE_ROUTES_MOST; i++)
        for (int k = 0; k < 5; k++)
            if (counts->routes[i].by_status[k] > 0)
                put_value(p, "pingo_http_requests", "_total",
                          (struct label[2]){{"route", name_of(i)}, {"code", classes[k]}},
                          (double)counts->routes[i].by_status[k]);
    put_family(p, HISTOGRAM, "pingo_http_request_seconds",
               "From a request's head to the first byte of its answer.");
    for (size_t i = 0; i < SERVE_ROUTES_MOST; i++)
        if (counts->routes[i].times.n > 0)
            put_times(p, "pingo_http_request_seconds", (struct label){"route", name_of(i)},
                      &counts->routes[i].times);
    put_gauge(p, "pingo_http_connections", "Open connections.", (double)counts->connections);
    put_gauge(p, "pingo_event_streams", "Answers that go on: events, logs that are followed.",
              (double)counts->streams);
    put_counter(p, "pingo_event_streams_behind", "Streams that were closed for lagging behind.",
                (double)counts->behind);
    put_gauge(p, "pingo_event_lag_seconds",
              "How old the newest change was when the streams were told of it last.",
              seconds(counts->lag_ms));
}

static void put_waits(struct page *p, const struct serve_counts *counts)
{
    static const char *const names[SERVE_WRITERS] = {"changes", "submissions", "ticks"};
    put_family(p, COUNTER, "pingo_write_lock_wait_seconds",
               "How long the server's writers have waited for the lock of the store.");
    for (int i = 0; i < SERVE_WRITERS; i++)
        put_value(p, "pingo_write_lock_wait_seconds", "_total",
                  (struct label[2]){{"writer", names[i]}}, (double)counts->waited_us[i] / 1000000);
}

static void put_scheduler(struct page *p, struct serve *serve)
{
    if (!serve->ticks)
        return;
    put_family(p, HISTOGRAM, "pingo_tick_seconds", "Rounds of the scheduler.");
    put_times(p, "pingo_tick_seconds", (struct label){NULL, NULL}, &serve->counts->ticks);
    put_family(p, HISTOGRAM, "pingo_decision_seconds",
               "Decisions on what to let go, in rounds where one was due.");
    put_times(p, "pingo_decision_seconds", (struct label){NULL, NULL}, &serve->counts->decisions);
    put_counter(p, "pingo_failed_ticks", "Rounds that failed.", (double)serve->counts->failed_ticks);
    put_gauge(p, "pingo_last_tick_timestamp_seconds", "When the last one ended that did not.",
              seconds(serve_ticks_last(serve->ticks)));
}

static void put_process(struct page *p, const struct serve *serve)
{
    struct rusage used = {0};
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%*s %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    getrusage(RUSAGE_SELF, &used);
    put_counter(p, "process_cpu_seconds", "Processor time of the server.",
                (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                    (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000000);
    put_gauge(p, "process_resident_memory_bytes", "Memory of the server.",
              (double)pages * (double)sysconf(_SC_PAGESIZE));
    put_gauge(p, "process_start_time_seconds", "When it started.", seconds(serve->started_ms));
    struct label label[2] = {{"version", PINGO_VERSION}};
    if (p->is_open)
        pingo__buffer_text(p->b, "# HELP pingo_build What runs.\n# TYPE pingo_build info\n");
    else
        put_family(p, GAUGE, "pingo_build_info", "What runs.");
    put_value(p, "pingo_build", "_info", label, 1);
}

void serve_api_metrics(struct serve_ask *ask)
{
    static int (*const of_store[])(struct page *) = {put_load, put_executors, put_totals, put_pool,
                                                     put_evictions};
    struct page page = {.worker = ask->worker, .b = &ask->answer->body};
    page.is_open = serve_quality(ask->request, "accept", OPEN) >
                   serve_quality(ask->request, "accept", CLASSIC);
    for (size_t i = 0; i < sizeof of_store / sizeof *of_store && !ask->is_wrong; i++)
        serve_end(ask, of_store[i](&page));
    if (ask->is_wrong)
        return;
    put_requests(&page, ask->worker->serve->counts);
    put_waits(&page, ask->worker->serve->counts);
    put_scheduler(&page, ask->worker->serve);
    put_process(&page, ask->worker->serve);
    if (page.is_open)
        pingo__buffer_text(&ask->answer->body, "# EOF\n");
    ask->answer->of_now = true;
    ask->answer->type = page.is_open ? OPEN : CLASSIC;
    serve_header(ask->answer, "Vary", "Accept");
}
