/* wfformat_read.c - takes a WfFormat document apart, of version 1.2 to 1.6.
 *
 * Up to 1.4 a task has everything with it; from 1.5 on there is what was to be done,
 * "specification", and what was measured, "execution".  Keys that are not needed
 * are not looked at.  Nextflow writes 0 for what is short: a time has a floor. */
#include "lab/traces/wfformat_read.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "json/scan.h"

#define SEVERAL (UINT32_MAX - 1) /* tasks have this name */
#define SHORTEST_NEXTFLOW_MS 50

/* ---- numbers: by their digits and not by way of double, so that they are the same on every machine --------- */

bool pingo__lab_wf_decimal(const char *text, size_t length, int shift, int64_t max, int64_t *number)
{
    struct pingo__json_decimal d = pingo__json_decimal(text, length);
    uint64_t digits = d.digits, weight = 1;
    int power = d.power + shift;
    if (digits == 0 || power < -18) {
        *number = 0;
        return digits == 0 || !d.below;
    }
    for (; power > 0 && digits <= (uint64_t)max; power--)
        digits *= 10;
    for (; power < 0; power++)
        weight *= 10;
    digits = digits / weight + (digits % weight >= weight - digits % weight);
    *number = (int64_t)digits;
    return !d.below && digits <= (uint64_t)max;
}

int64_t pingo__lab_wf_number(struct pingo__json_reader *r, const struct pingo__json_value *v,
                             int shift)
{
    int64_t number, max = PINGO__WF_NUMBER_MAX;
    size_t length;
    if (!pingo__json_reader_expect(r, v, PINGO__JSON_NUMBER))
        return -1;
    const char *spelling = pingo__json_spelling(&r->element, v, &length);
    if (!spelling) {
        pingo__json_reader_no_memory(r);
        return -1;
    }
    if (pingo__lab_wf_decimal(spelling, length, shift, max, &number))
        return number;
    for (; shift > 0; shift--)
        max /= 10;
    pingo__json_reader_wrong(r, v, "expected a number from 0 to %" PRId64, max);
    return -1;
}

/* ---- tasks ---------------------------------------------------------------------------- */

/* An array of strings, or NULL. */
static const struct pingo__json_value *strings(struct pingo__lab_wf_document *d,
                                               const struct pingo__json_value *object,
                                               const char *key)
{
    const struct pingo__json_value *list =
        pingo__json_reader_member(&d->r, object, key, PINGO__JSON_ARRAY, false);
    for (const struct pingo__json_value *v = pingo__json_first(list); v; v = pingo__json_next(v))
        pingo__json_reader_expect(&d->r, v, PINGO__JSON_STRING);
    return list;
}

static void read_command(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task,
                         const struct pingo__json_value *object)
{
    const struct pingo__json_value *command =
        pingo__json_reader_member(&d->r, object, "command", PINGO__JSON_OBJECT, false);
    if (!command)
        return;
    task->program = pingo__json_reader_text(&d->r, command, "program", false);
    task->arguments = strings(d, command, "arguments");
}

static void read_runtime(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task,
                         const struct pingo__json_value *v)
{
    int64_t shortest = d->system == PINGO__WF_NEXTFLOW ? SHORTEST_NEXTFLOW_MS : 1;
    int64_t ms = pingo__lab_wf_number(&d->r, v, 3);
    task->compute_ms = ms < shortest ? shortest : ms;
}

/* Notes what a name stands for.  Did it stand for another task already?  Then it stands for several. */
static bool note_name(struct pingo__lab_wf_document *d, struct pingo__map *map, const char *name,
                      uint32_t task)
{
    size_t length = strlen(name);
    uint32_t other;
    if (!pingo__map_insert(map, name, length, task, &other) ||
        (other != PINGO__MAP_NONE && !pingo__map_set(map, name, length, SEVERAL)))
        pingo__json_reader_no_memory(&d->r);
    return other != PINGO__MAP_NONE;
}

/* Makes the task known by its id, its name, and both. */
static void register_task(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task)
{
    uint32_t me = (uint32_t)(task - d->tasks);
    const char *name = task->name, *id = task->id;
    bool repeats = note_name(d, &d->by_name, name, me);
    if (!id && repeats)
        pingo__json_reader_wrong(&d->r, task->value, "two tasks have the name \"%.100s\" and no id",
                                 name);
    if (!id || d->r.rc != 0)
        return;
    if (note_name(d, &d->by_id, id, me))
        pingo__json_reader_wrong(&d->r, task->value, "two tasks have the id \"%.100s\"", id);
    const char *both = pingo__arena_format(&d->arena, "%s_%s", name, id);
    if (both)
        note_name(d, &d->by_both, both, me);
    else
        pingo__json_reader_no_memory(&d->r);
}

/* What every version has in the same way. */
static void read_task(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task,
                      bool needs_id)
{
    const struct pingo__json_value *v = task->value;
    task->compute_ms = -1;
    task->first_input = (uint32_t)d->inputs.n;
    task->first_output = (uint32_t)d->outputs.n;
    if (!pingo__json_reader_expect(&d->r, v, PINGO__JSON_OBJECT))
        return;
    task->name = pingo__json_reader_text(&d->r, v, "name", true);
    task->id = pingo__json_reader_text(&d->r, v, "id", needs_id);
    task->category = pingo__json_reader_text(&d->r, v, "category", false);
    task->pingo_hash = pingo__json_reader_text(&d->r, v, "pingoHash", false);
    task->parents = strings(d, v, "parents");
    task->children = strings(d, v, "children");
    if (d->r.rc == 0)
        register_task(d, task);
}

/* Up to 1.4: what a task has with it besides. */
static void read_rest(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task)
{
    const struct pingo__json_value *runtime = pingo__json_at(task->value, "runtimeInSeconds");
    read_command(d, task, task->value);
    if (!runtime)
        runtime = pingo__json_at(task->value, "runtime");
    if (runtime)
        read_runtime(d, task, runtime);
    pingo__lab_wf_read_entries(d, task);
}

static void read_tasks(struct pingo__lab_wf_document *d, const struct pingo__json_value *list,
                       bool is_split)
{
    uint32_t n = 0;
    for (const struct pingo__json_value *v = pingo__json_first(list); v; v = pingo__json_next(v))
        d->ntasks++;
    if (d->ntasks == 0 && list)
        pingo__json_reader_wrong(&d->r, list, "a workflow has at least one task");
    d->tasks = pingo__arena_array(&d->arena, d->ntasks, sizeof *d->tasks);
    if (!d->tasks)
        pingo__json_reader_no_memory(&d->r);
    for (const struct pingo__json_value *v = pingo__json_first(list); v && d->r.rc == 0;
         v = pingo__json_next(v)) {
        struct pingo__lab_wf_draft *task = &d->tasks[n++];
        task->value = v;
        read_task(d, task, is_split);
        if (d->r.rc == 0 && is_split) {
            read_command(d, task, v); /* of what was not measured */
            pingo__lab_wf_read_files(d, task, "inputFiles", false);
            pingo__lab_wf_read_files(d, task, "outputFiles", true);
        } else if (d->r.rc == 0) {
            read_rest(d, task);
        }
    }
}

uint32_t pingo__lab_wf_task_of(struct pingo__lab_wf_document *d, const struct pingo__json_value *v)
{
    const struct pingo__map *const maps[] = {&d->by_id, &d->by_name, &d->by_both};
    const char *name = pingo__json_text(v);
    uint32_t task = PINGO__MAP_NONE;
    for (size_t i = 0; i < sizeof maps / sizeof *maps && task == PINGO__MAP_NONE; i++)
        task = pingo__map_get(maps[i], name, strlen(name));
    if (task == PINGO__MAP_NONE)
        pingo__json_reader_wrong(&d->r, v, "no task has the id or the name \"%.100s\"", name);
    else if (task == SEVERAL)
        pingo__json_reader_wrong(&d->r, v, "several tasks have the name \"%.100s\"; expected an id",
                                 name);
    return d->r.rc == 0 ? task : 0;
}

/* ---- the document --------------------------------------------------------------------- */

/* From 1.5 on: what was measured of a task. */
static void read_measured(struct pingo__lab_wf_document *d, const struct pingo__json_value *v)
{
    if (!pingo__json_reader_expect(&d->r, v, PINGO__JSON_OBJECT))
        return;
    const struct pingo__json_value *id =
        pingo__json_reader_member(&d->r, v, "id", PINGO__JSON_STRING, true);
    uint32_t number = id ? pingo__lab_wf_task_of(d, id) : 0;
    const struct pingo__json_value *runtime =
        pingo__json_reader_member(&d->r, v, "runtimeInSeconds", PINGO__JSON_NUMBER, false);
    if (d->r.rc != 0)
        return;
    struct pingo__lab_wf_draft *task = &d->tasks[number];
    if (task->executed)
        pingo__json_reader_wrong(&d->r, v, "\"%.100s\" was executed twice", task->id);
    task->executed = true;
    if (runtime)
        read_runtime(d, task, runtime);
    read_command(d, task, v);
}

static void read_split(struct pingo__lab_wf_document *d, const struct pingo__json_value *workflow)
{
    struct pingo__json_reader *r = &d->r;
    const struct pingo__json_value *specification =
        pingo__json_reader_member(r, workflow, "specification", PINGO__JSON_OBJECT, true);
    const struct pingo__json_value *files =
        pingo__json_reader_member(r, specification, "files", PINGO__JSON_ARRAY, false);
    d->files_are_listed = files;
    pingo__lab_wf_read_file_list(d, files);
    read_tasks(d, pingo__json_reader_member(r, specification, "tasks", PINGO__JSON_ARRAY, true),
               true);
    const struct pingo__json_value *execution =
        pingo__json_reader_member(r, workflow, "execution", PINGO__JSON_OBJECT, false);
    if (!execution)
        return;
    const struct pingo__json_value *list =
        pingo__json_reader_member(r, execution, "tasks", PINGO__JSON_ARRAY, true);
    for (const struct pingo__json_value *v = pingo__json_first(list); v && r->rc == 0;
         v = pingo__json_next(v))
        read_measured(d, v);
}

/* The system that ran it: "runtimeSystem", which was "wms" up to 1.4. */
static void read_system(struct pingo__lab_wf_document *d)
{
    const struct pingo__json_member *m = pingo__json_member(&d->r.document, "runtimeSystem");
    if (!m)
        m = pingo__json_member(&d->r.document, "wms");
    if (!m)
        return;
    const struct pingo__json_value *v =
        pingo__json_reader_open_member(&d->r, m->key, PINGO__JSON_OBJECT);
    const char *name = pingo__json_reader_text(&d->r, v, "name", false);
    if (name && strcasecmp(name, "makeflow") == 0)
        d->system = PINGO__WF_MAKEFLOW;
    if (name && strcasecmp(name, "nextflow") == 0)
        d->system = PINGO__WF_NEXTFLOW;
}

/* 2 to 6; 0: none of these. */
static int read_version(struct pingo__lab_wf_document *d)
{
    const struct pingo__json_value *v =
        pingo__json_reader_open_member(&d->r, "schemaVersion", PINGO__JSON_STRING);
    const char *version = v ? pingo__json_text(v) : "1.2";
    if (strlen(version) == 3 && strncmp(version, "1.", 2) == 0 && version[2] >= '2' &&
        version[2] <= '6')
        return version[2] - '0';
    pingo__json_reader_wrong(&d->r, v,
                             "version \"%.40s\" is not known; expected \"1.2\", \"1.3\", \"1.4\", "
                             "\"1.5\" or \"1.6\"",
                             version);
    return 0;
}

static void read_members(struct pingo__lab_wf_document *d)
{
    int minor = read_version(d);
    const struct pingo__json_value *v =
        pingo__json_reader_open_member(&d->r, "name", PINGO__JSON_STRING);
    const char *name = v ? pingo__json_text(v) : "";
    d->name = pingo__arena_text(&d->arena, name, strlen(name));
    if (!d->name)
        pingo__json_reader_no_memory(&d->r);
    read_system(d);
    v = pingo__json_reader_open_member(&d->r, "workflow", PINGO__JSON_OBJECT);
    if (minor >= 5)
        read_split(d, v);
    else
        read_tasks(d,
                   pingo__json_reader_member(&d->r, v, minor == 2 ? "jobs" : "tasks",
                                             PINGO__JSON_ARRAY, true),
                   false);
}

int pingo__lab_wf_document_read(struct pingo__lab_wf_document *d, const char *text, size_t length,
                                struct pingo_error *err)
{
    memset(d, 0, sizeof *d);
    if (pingo__json_reader_open(&d->r, text, length, "a WfFormat document", err) == 0)
        read_members(d);
    return d->r.rc;
}

void pingo__lab_wf_document_clear(struct pingo__lab_wf_document *d)
{
    pingo__map_clear(&d->by_id);
    pingo__map_clear(&d->by_name);
    pingo__map_clear(&d->by_both);
    pingo__map_clear(&d->by_file);
    pingo__json_reader_clear(&d->r);
    pingo__arena_clear(&d->arena);
}
