/* wfformat.c - a submission as a WfFormat document (WfCommons), version 1.5.
 *
 * A file is called by what it is: an output by its action's hash, an original by its name and its content, so that
 * equal work of two submissions has equal names.  "pingoHash" of a task, which the schema leaves to us, tells pingo
 * import what the command alone does not: the environment, tools, salts.  Source: github.com/wfcommons/WfFormat. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "base/mix.h"
#include "records.h"

#define FILE_DIGITS 32
#define CONTENT_DIGITS 16

struct file {
    const char *id;
    int64_t size_bytes;
};
struct document {
    struct cli_records *records;
    struct pingo_workflow *workflow;
    struct pingo__writer w;
    struct pingo__map ids; /* of files -> index in files; of outputs PINGO__MAP_NONE - 1 */
    struct file *originals;
    size_t noriginals;
    const char **outputs; /* of each action; NULL: it is not there */
    const char ***inputs; /* of each action the originals, ends with NULL; NULL: none */
    const char **list;    /* of the action that is asked about */
};

/* ---- files ------------------------------------------------------------------------------------------ */

/* Only what the schema takes in a name. */
static char *plain(char *text)
{
    for (char *at = text; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at) && !strchr("-_.", *at))
            *at = '_';
    return text;
}

/* A stat begins with a path, so all of it counts. */
static uint64_t number_of(const char *stat)
{
    uint64_t number = 0;
    for (; *stat != '\0'; stat++)
        number = pingo__mix(number ^ (unsigned char)*stat);
    return number;
}

static const char *original_of(struct document *d, const struct pingo_described_input *input,
                               int64_t size_bytes)
{
    char *id = strcmp(input->kind, "stat") == 0
                   ? cli_format("%s-%016" PRIx64, input->name, number_of(input->identity))
                   : cli_format("%s-%.*s", input->name, CONTENT_DIGITS, input->identity);
    plain(id);
    uint32_t known = PINGO__MAP_NONE;
    if (!pingo__map_insert(&d->ids, id, strlen(id), (uint32_t)d->noriginals, &known))
        d->records->cli->lacks_memory = true;
    if (known != PINGO__MAP_NONE) {
        free(id);
        return d->originals[known].id;
    }
    d->originals = cli_more(d->originals, d->noriginals, sizeof *d->originals);
    d->originals[d->noriginals++] = (struct file){id, size_bytes};
    return id;
}

static int on_provenance(void *context, const struct pingo_provenance *p)
{
    struct document *d = context;
    size_t n;
    const struct pingo_described_input *inputs = pingo_description_inputs(p->description, &n);
    const char **list = cli_alloc((n + 1) * sizeof *list);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (p->input_places[i].size_bytes >= 0)
            list[kept++] = original_of(d, &inputs[i], p->input_places[i].size_bytes);
    list[kept] = NULL;
    d->list = list;
    return 0;
}

/* Two actions of one hash make one dataset; here each has a file. */
static const char *output_of(struct document *d, const struct cli_record *r)
{
    char hex[PINGO_HASH_HEX_SIZE];
    uint32_t known = PINGO__MAP_NONE;
    pingo_hash_to_hex(&r->hash, hex);
    char *id = cli_format("%.*s", FILE_DIGITS, hex);
    if (!pingo__map_insert(&d->ids, id, strlen(id), PINGO__MAP_NONE - 1, &known))
        d->records->cli->lacks_memory = true;
    return known == PINGO__MAP_NONE ? id : cli_format("%s-%" PRId64, id, r->id);
}

static int find_files(struct document *d)
{
    struct cli *cli = d->records->cli;
    size_t n = d->records->n;
    d->outputs = cli_alloc((n + 1) * sizeof *d->outputs);
    d->inputs = cli_alloc((n + 1) * sizeof *d->inputs);
    for (size_t i = 0; i < n; i++) {
        const struct cli_record *r = &d->records->list[i];
        struct pingo_provenance_query query = {.version = 1, .hash = r->hash, .is_bounded = true};
        d->list = NULL;
        int rc = pingo_workflow_action(d->workflow, i)->ninputs > 0
                     ? pingo_store_provenance(cli->store, &query, on_provenance, d, &cli->err)
                     : 0;
        if (rc != 0 && rc != PINGO_ENOTFOUND)
            return cli_error(cli);
        d->inputs[i] = d->list;
        d->outputs[i] = r->size_bytes >= 0 ? output_of(d, r) : NULL;
    }
    return cli->lacks_memory ? CLI_INTERNAL : CLI_OK;
}

/* ---- what was to be done ------------------------------------------------------------------------------ */

static void write_id(struct pingo__writer *w, const char *key, int64_t id)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, id);
    pingo__writer_text(w, key, text);
}

/* A task's time is what its work takes: what failed, or runs, has done none of it. */
static bool is_measured(const struct cli_record *r)
{
    return r->wall_ms >= 0 && (r->state == 0 || r->state == PINGO_ACTION_FINISHED);
}

/* Of a shell's line the program is its first word, and the rest one argument. */
static void write_command(struct pingo__writer *w, const struct pingo_action *action)
{
    const struct pingo_field *f = pingo_action_field(action, "command");
    const char *first = f && f->nvalues > 0 ? f->values[0] : pingo_action_type_name(action);
    bool is_line = f && f->kind == PINGO_FIELD_TEXT;
    size_t blank = is_line ? strspn(first, " \t\n") : 0;
    size_t length = is_line ? strcspn(first + blank, " \t\n") : strlen(first);
    char *program = cli_format("%.*s", (int)length, first + blank);
    const char *rest = first + blank + length;
    rest += strspn(rest, " \t\n");
    pingo__writer_open(w, "command", PINGO__WRITER_OBJECT);
    if (*program != '\0')
        pingo__writer_text(w, "program", program);
    pingo__writer_open(w, "arguments", PINGO__WRITER_ARRAY);
    if (is_line && *rest != '\0')
        pingo__writer_text(w, NULL, rest);
    for (size_t i = 1; f && !is_line && i < f->nvalues; i++)
        if (f->values[i][0] != '\0')
            pingo__writer_text(w, NULL, f->values[i]);
    pingo__writer_close(w);
    pingo__writer_close(w);
    free(program);
}

static void write_task(struct document *d, size_t i)
{
    struct pingo__writer *w = &d->w;
    const struct pingo_action *action = pingo_workflow_action(d->workflow, i);
    char hex[PINGO_HASH_HEX_SIZE];
    size_t n;
    const uint32_t *children = pingo_workflow_children(d->workflow, i, &n);
    pingo__writer_open(w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(w, "name", action->name);
    write_id(w, "id", action->id);
    pingo__writer_open(w, "parents", PINGO__WRITER_ARRAY);
    for (size_t k = 0; k < action->nparents; k++)
        write_id(w, NULL, pingo_workflow_action(d->workflow, action->parents[k].index)->id);
    pingo__writer_close(w);
    pingo__writer_open(w, "children", PINGO__WRITER_ARRAY);
    for (size_t k = 0; k < n; k++)
        write_id(w, NULL, pingo_workflow_action(d->workflow, children[k])->id);
    pingo__writer_close(w);
    pingo__writer_open(w, "inputFiles", PINGO__WRITER_ARRAY);
    for (const char **at = d->inputs[i]; at && *at; at++)
        pingo__writer_text(w, NULL, *at);
    for (size_t k = 0; k < action->nparents; k++)
        if (d->outputs[action->parents[k].index])
            pingo__writer_text(w, NULL, d->outputs[action->parents[k].index]);
    pingo__writer_close(w);
    pingo__writer_open(w, "outputFiles", PINGO__WRITER_ARRAY);
    if (d->outputs[i])
        pingo__writer_text(w, NULL, d->outputs[i]);
    pingo__writer_close(w);
    pingo_hash_to_hex(&d->records->list[i].hash, hex);
    pingo__writer_text(w, "pingoHash", hex);
    if (!is_measured(&d->records->list[i]))
        write_command(w, action); /* else it stands with what was measured */
    pingo__writer_close(w);
}

static void write_file(struct pingo__writer *w, const char *id, int64_t size_bytes)
{
    pingo__writer_open(w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(w, "id", id);
    pingo__writer_int(w, "sizeInBytes", size_bytes);
    pingo__writer_close(w);
}

static void write_specification(struct document *d)
{
    pingo__writer_open(&d->w, "specification", PINGO__WRITER_OBJECT);
    pingo__writer_open(&d->w, "tasks", PINGO__WRITER_LINES);
    for (size_t i = 0; i < d->records->n; i++)
        write_task(d, i);
    pingo__writer_close(&d->w);
    pingo__writer_open(&d->w, "files", PINGO__WRITER_LINES);
    for (size_t i = 0; i < d->noriginals; i++)
        write_file(&d->w, d->originals[i].id, d->originals[i].size_bytes);
    for (size_t i = 0; i < d->records->n; i++)
        if (d->outputs[i])
            write_file(&d->w, d->outputs[i], d->records->list[i].size_bytes);
    pingo__writer_close(&d->w);
    pingo__writer_close(&d->w);
}

/* ---- what was measured --------------------------------------------------------------------------------- */

static void write_seconds(struct pingo__writer *w, const char *key, int64_t ms)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64 ".%03d", ms / 1000, (int)(ms % 1000));
    pingo__writer_raw(w, key, text);
}

static void write_time(struct pingo__writer *w, const char *key, int64_t ms)
{
    char text[PINGO__TIMES_SIZE];
    pingo__times_print(text, ms);
    pingo__writer_text(w, key, text);
}

static void write_measured(struct document *d, size_t i)
{
    struct pingo__writer *w = &d->w;
    const struct cli_record *r = &d->records->list[i];
    const struct pingo_action *action = pingo_workflow_action(d->workflow, i);
    pingo__writer_open(w, NULL, PINGO__WRITER_OBJECT);
    write_id(w, "id", r->id);
    write_seconds(w, "runtimeInSeconds", r->wall_ms);
    if (r->started_ms >= 0)
        write_time(w, "executedAt", r->started_ms);
    write_command(w, action);
    if (action->cpus > 0)
        pingo__writer_int(w, "coreCount", action->cpus);
    if (r->cpu_ms >= 0 && r->wall_ms > 0)
        pingo__writer_real(w, "avgCPU", (double)r->cpu_ms * 100 / (double)r->wall_ms, 2);
    if (r->max_rss_bytes >= 0)
        pingo__writer_int(w, "memoryInBytes", r->max_rss_bytes);
    if (r->node) {
        pingo__writer_open(w, "machines", PINGO__WRITER_ARRAY);
        pingo__writer_text(w, NULL, r->node);
        pingo__writer_close(w);
    }
    pingo__writer_close(w);
}

static void write_execution(struct document *d)
{
    const struct cli_records *r = d->records;
    int64_t from = INT64_MAX, until = 0;
    bool is_any = false;
    for (size_t i = 0; i < r->n; i++) {
        is_any = is_any || is_measured(&r->list[i]);
        from = r->list[i].started_ms >= 0 && r->list[i].started_ms < from ? r->list[i].started_ms
                                                                          : from;
        until = r->list[i].ended_ms > until ? r->list[i].ended_ms : until;
    }
    if (!is_any)
        return;
    from = from == INT64_MAX ? r->submitted_ms : from;
    pingo__writer_open(&d->w, "execution", PINGO__WRITER_OBJECT);
    write_seconds(&d->w, "makespanInSeconds", until > from ? until - from : 0);
    write_time(&d->w, "executedAt", from);
    pingo__writer_open(&d->w, "tasks", PINGO__WRITER_LINES);
    for (size_t i = 0; i < r->n; i++)
        if (is_measured(&r->list[i]))
            write_measured(d, i);
    pingo__writer_close(&d->w);
    if (r->nwords > 0)
        pingo__writer_open(&d->w, "machines", PINGO__WRITER_ARRAY);
    for (size_t i = 0; i < r->nwords; i++) {
        pingo__writer_open(&d->w, NULL, PINGO__WRITER_OBJECT);
        pingo__writer_text(&d->w, "nodeName", r->words[i]);
        pingo__writer_close(&d->w);
    }
    if (r->nwords > 0)
        pingo__writer_close(&d->w);
    pingo__writer_close(&d->w);
}

/* ---- the document ---------------------------------------------------------------------------------------- */

static void write_document(struct document *d)
{
    struct pingo__writer *w = &d->w;
    cli_writer(w, stdout);
    pingo__writer_open(w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(w, "name", d->records->name);
    write_time(w, "createdAt", d->records->submitted_ms);
    pingo__writer_text(w, "schemaVersion", "1.5");
    pingo__writer_open(w, "runtimeSystem", PINGO__WRITER_OBJECT);
    pingo__writer_text(w, "name", "Pingo");
    pingo__writer_text(w, "version", pingo_version());
    pingo__writer_close(w);
    pingo__writer_open(w, "workflow", PINGO__WRITER_OBJECT);
    write_specification(d);
    write_execution(d);
    pingo__writer_close(w);
    pingo__writer_close(w);
    cli_write(d->records->cli, w);
}

int cli_wfformat_write(struct cli_records *records)
{
    struct cli *cli = records->cli;
    struct document d = {.records = records};
    struct pingo_workflow_options options = {.version = 1, .base_dir = "/", .any_type = true};
    char *text = NULL;
    size_t length;
    int rc = pingo_store_text(cli->store, records->workflow, &text, &length, &cli->err);
    if (rc == 0)
        rc = pingo_workflow_parse(&(struct pingo_document){text, length, NULL}, &options,
                                  &d.workflow, &cli->err);
    free(text);
    rc = rc != 0 ? cli_error(cli) : find_files(&d);
    if (rc == CLI_OK)
        write_document(&d);
    pingo__map_clear(&d.ids);
    pingo_workflow_free(d.workflow);
    return rc;
}
