/* trace.c - pingo trace: when what of a workflow ran, in the words of other programs. */

#include "answer.h"
#include "records.h"
#include "select.h"
#include "view/columns.h"

/* ---- csv: the columns of Nextflow's trace.txt, as its "raw" writes them ---------------------------- */

struct traced {
    struct pingo_attempt attempt;
    char hash[CLI_SHORT_HASH];
    const char *status;
    int64_t number;     /* of the attempt */
    int64_t unmeasured; /* -1 */
};

#define ROW struct traced
static bool has_duration(const void *row)
{
    const struct traced *r = row;
    return r->attempt.ended_ms >= 0 && r->attempt.handed_ms >= 0;
}

static void get_cpu(const void *row, struct pingo__view_value *v)
{
    const struct pingo_attempt *a = &((const struct traced *)row)->attempt;
    v->is_null = a->user_ms < 0 || a->wall_ms <= 0;
    if (!v->is_null)
        v->number = (a->user_ms + a->system_ms) * 100 / a->wall_ms;
}

VALUE(get_duration, ROW, number, r->attempt.ended_ms - r->attempt.handed_ms)

static const struct pingo__view_column columns[] = {
    COLUMN("task_id", COUNT, attempt.id, "the id in the definition"),
    COLUMN("hash", TEXT, hash, "its first digits"),
    COLUMN("native_id", TEXT, attempt.job, "what its engine calls it", MISSING),
    COLUMN("name", TEXT, attempt.name, "of the action"),
    COLUMN("status", TEXT, status, "COMPLETED, FAILED, ABORTED, CACHED, RUNNING or SUBMITTED"),
    COLUMN("exit", COUNT, attempt.exit_code, "the exit code", MISSING),
    COLUMN("submit", COUNT, attempt.handed_ms, "when an executor was given it", MISSING),
    GETTER("duration", COUNT, get_duration, "from there to its end", .null = PINGO__NULL_ROW),
    COLUMN("realtime", COUNT, attempt.wall_ms, "how long it ran", MISSING),
    GETTER("%cpu", COUNT, get_cpu, "processor time, of that", MISSING),
    COLUMN("peak_rss", COUNT, attempt.max_rss_bytes, "bytes", MISSING),
    COLUMN("peak_vmem", COUNT, unmeasured, "not measured", MISSING),
    COLUMN("rchar", COUNT, unmeasured, "not measured", MISSING),
    COLUMN("wchar", COUNT, unmeasured, "not measured", MISSING),
    COLUMN("start", COUNT, attempt.started_ms, "when it started", MISSING),
    COLUMN("complete", COUNT, attempt.ended_ms, "when it ended", MISSING),
    COLUMN("attempt", COUNT, number, "the first, the second, ...", .null = PINGO__NULL_ZERO),
    COLUMN("queue", TEXT, attempt.executor, "who ran it", MISSING),
    COLUMN("hostname", TEXT, attempt.node, "where it ran", MISSING),
    COLUMN("workdir", TEXT, attempt.attempt_dir, "where its logs are, while they are kept", MISSING),
};
static const struct pingo__view_table view = VIEW_OF("trace", columns, ROW, has_duration);
#undef ROW

struct table {
    struct cli_answer answer;
    const struct cli_records *records;
    size_t at;      /* the record whose turn it is */
    int64_t number; /* of its attempts */
};

static const char *status_of(const struct pingo_attempt *a)
{
    if (!a->has_ended)
        return a->has_started ? "RUNNING" : "SUBMITTED";
    if (a->reason == PINGO_END_EXITED)
        return a->exit_code == 0 ? "COMPLETED" : "FAILED";
    return a->reason == PINGO_END_KILLED || a->reason == PINGO_END_NOT_STARTED ? "ABORTED"
                                                                               : "FAILED";
}

/* What was not computed, as far as the record that is meant. */
static int pass(struct table *t, int64_t id)
{
    int rc = 0;
    for (; rc == 0 && t->at < t->records->n && t->records->list[t->at].id != id; t->at++) {
        const struct cli_record *r = &t->records->list[t->at];
        struct traced row = {.attempt = {.id = r->id,
                                         .name = r->name,
                                         .exit_code = 0,
                                         .handed_ms = -1,
                                         .started_ms = -1,
                                         .ended_ms = -1,
                                         .user_ms = -1,
                                         .max_rss_bytes = -1,
                                         .wall_ms = r->wall_ms},
                             .status = "CACHED",
                             .unmeasured = -1};
        cli_short_hash(row.hash, &r->hash);
        rc = r->is_cached ? cli_row(&t->answer, &row) : 0;
        t->number = 0;
    }
    return rc;
}

static int on_attempt(void *context, const struct pingo_attempt *attempt)
{
    struct table *t = context;
    int rc = pass(t, attempt->id);
    if (rc != 0 || t->at == t->records->n)
        return rc;
    struct traced row = {
        .attempt = *attempt, .status = status_of(attempt), .number = ++t->number, .unmeasured = -1};
    cli_short_hash(row.hash, &t->records->list[t->at].hash);
    return cli_row(&t->answer, &row);
}

static int write_csv(struct cli_records *records)
{
    struct cli *cli = records->cli;
    struct table t = {.records = records};
    struct pingo_attempt_query query = {.version = 1, .workflow = records->workflow};
    cli->csv = true;
    cli_list(&t.answer, cli, &view);
    int rc = pingo_store_attempts(cli->store, &query, on_attempt, &t, &cli->err);
    if (rc == 0)
        pass(&t, -1);
    return cli_list_end(&t.answer, NULL, rc);
}

/* ---- all of them ------------------------------------------------------------------------------------ */

static int run(struct cli *cli, const struct cli_args *args)
{
    enum { CSV, CHROME, WFFORMAT };
    int format = cli_choice(args, "format", CSV);
    struct cli_records records = {.cli = cli};
    int rc = cli_open(cli);
    if (rc == CLI_OK)
        rc = cli_workflow_of(cli, cli_operand(args, 0), &records.workflow);
    if (rc != CLI_OK)
        return rc;
    rc = cli_records_read(&records, format == WFFORMAT);
    if (rc == CLI_OK)
        rc = format == CSV      ? write_csv(&records)
             : format == CHROME ? cli_timeline_write(&records)
                                : cli_wfformat_write(&records);
    cli_records_clear(&records);
    return rc;
}

const struct cli_command cli_trace = {.name = "trace", .operands = "workflow", .run = run};
