/* timeline.c - the attempts of a submission as trace events, which chrome://tracing and Perfetto draw.
 *
 * A machine is a process, and each attempt that ran on it stands on the first thread that was free when it started, so
 * that no two of a thread overlap.  Source: "Trace Event Format" of the Chromium authors. */
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "records.h"

struct bar {
    const char *name, *executor, *node; /* of the records */
    int64_t id, epoch, started_ms, ended_ms, waited_ms;
    int64_t max_rss_bytes;
    int reason;
    int64_t exit_code;
    uint32_t process, thread;
};
struct timeline {
    struct cli_records *records;
    struct bar *bars;
    size_t n;
    struct pingo__writer w;
};

static int on_attempt(void *context, const struct pingo_attempt *a)
{
    struct timeline *t = context;
    if (!a->has_started)
        return 0;
    t->bars = cli_more(t->bars, t->n, sizeof *t->bars);
    t->bars[t->n++] = (struct bar){
        .name = cli_records_word(t->records, a->name),
        .executor = cli_records_word(t->records, a->executor ? a->executor : "?"),
        .node = cli_records_word(t->records, a->node ? a->node : ""),
        .id = a->id,
        .epoch = a->epoch,
        .started_ms = a->started_ms,
        .ended_ms = a->has_ended && a->ended_ms < a->started_ms ? a->started_ms : a->ended_ms,
        .waited_ms = a->handed_ms >= 0 ? a->started_ms - a->handed_ms : -1,
        .max_rss_bytes = a->max_rss_bytes,
        .reason = a->has_ended ? a->reason : -1,
        .exit_code = a->exit_code};
    return t->records->cli->lacks_memory;
}

static int by_machine(const void *a, const void *b)
{
    const struct bar *x = a, *y = b;
    if (strcmp(x->executor, y->executor) != 0)
        return strcmp(x->executor, y->executor);
    if (strcmp(x->node, y->node) != 0)
        return strcmp(x->node, y->node);
    return x->started_ms < y->started_ms ? -1 : x->started_ms > y->started_ms;
}

/* Threads of the bars of one machine, in the order of their starts.  ends: room for when each thread is free again. */
static void place(struct bar *bars, size_t n, uint32_t process, int64_t *ends)
{
    uint32_t threads = 0;
    for (size_t i = 0; i < n; i++) {
        struct bar *bar = &bars[i];
        uint32_t k = 0;
        while (k < threads && ends[k] > bar->started_ms)
            k++;
        threads += k == threads;
        bar->process = process;
        bar->thread = k + 1;
        /* What took no millisecond takes one here: it ends behind its beginning. */
        ends[k] = bar->reason < 0 ? INT64_MAX : bar->ended_ms + (bar->ended_ms == bar->started_ms);
    }
}

static void begin_event(struct timeline *t, const char *kind, const struct bar *bar)
{
    pingo__writer_open(&t->w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(&t->w, "ph", kind);
    pingo__writer_int(&t->w, "pid", bar->process);
    pingo__writer_int(&t->w, "tid", bar->thread);
}

static void write_machine(struct timeline *t, const struct bar *bar)
{
    char *name = cli_format("%s%s%s", bar->executor, *bar->node ? " on " : "", bar->node);
    begin_event(t, "M", &(struct bar){.process = bar->process});
    pingo__writer_text(&t->w, "name", "process_name");
    pingo__writer_open(&t->w, "args", PINGO__WRITER_OBJECT);
    pingo__writer_text(&t->w, "name", name);
    pingo__writer_close(&t->w);
    pingo__writer_close(&t->w);
}

/* One that still runs begins, and does not end. */
static void write_bar(struct timeline *t, const struct bar *bar)
{
    struct pingo__writer *w = &t->w;
    bool is_good = bar->reason == PINGO_END_EXITED && bar->exit_code == 0;
    begin_event(t, bar->reason < 0 ? "B" : "X", bar);
    pingo__writer_text(w, "name", bar->name);
    pingo__writer_text(w, "cat", bar->reason < 0 ? "running" : is_good ? "finished" : "failed");
    pingo__writer_int(w, "ts", (bar->started_ms - t->records->submitted_ms) * 1000);
    if (bar->reason >= 0)
        pingo__writer_int(w, "dur", (bar->ended_ms - bar->started_ms) * 1000);
    if (bar->reason >= 0 && !is_good)
        pingo__writer_text(w, "cname", "terrible");
    pingo__writer_open(w, "args", PINGO__WRITER_OBJECT);
    pingo__writer_int(w, "id", bar->id);
    pingo__writer_int(w, "epoch", bar->epoch);
    if (bar->waited_ms >= 0)
        pingo__writer_int(w, "waitedMs", bar->waited_ms);
    if (bar->exit_code >= 0)
        pingo__writer_int(w, "exitCode", bar->exit_code);
    if (bar->max_rss_bytes >= 0)
        pingo__writer_int(w, "maxRssBytes", bar->max_rss_bytes);
    pingo__writer_close(w);
    pingo__writer_close(w);
}

static void write_all(struct timeline *t)
{
    int64_t *ends = cli_alloc((t->n + 1) * sizeof *ends);
    uint32_t process = 0;
    if (t->n > 0)
        qsort(t->bars, t->n, sizeof *t->bars, by_machine);
    for (size_t i = 0, end; i < t->n; i = end) {
        for (end = i; end < t->n && t->bars[end].executor == t->bars[i].executor &&
                      t->bars[end].node == t->bars[i].node;)
            end++;
        place(t->bars + i, end - i, ++process, ends);
        write_machine(t, &t->bars[i]);
        for (size_t k = i; k < end; k++)
            write_bar(t, &t->bars[k]);
    }
}

int cli_timeline_write(struct cli_records *records)
{
    struct cli *cli = records->cli;
    struct timeline t = {.records = records};
    struct pingo_attempt_query query = {.version = 1, .workflow = records->workflow};
    if (pingo_store_attempts(cli->store, &query, on_attempt, &t, &cli->err) != 0)
        return cli->lacks_memory ? CLI_INTERNAL : cli_error(cli);
    cli_writer(&t.w, stdout);
    pingo__writer_open(&t.w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(&t.w, "displayTimeUnit", "ms");
    pingo__writer_open(&t.w, "otherData", PINGO__WRITER_OBJECT);
    pingo__writer_text(&t.w, "name", records->name);
    pingo__writer_int(&t.w, "workflow", records->workflow);
    pingo__writer_int(&t.w, "submittedMs", records->submitted_ms);
    pingo__writer_close(&t.w);
    pingo__writer_open(&t.w, "traceEvents", PINGO__WRITER_LINES);
    write_all(&t);
    pingo__writer_close(&t.w);
    pingo__writer_close(&t.w);
    cli_write(cli, &t.w);
    return CLI_OK;
}
