/* wfformat_read.c - takes a WfFormat document apart, of version 1.2 to 1.6.
 *
 * Up to 1.4 a task has everything with it; from 1.5 on there is what was to be done,
 * "specification", and what was measured, "execution".  Keys that are not needed
 * are not looked at.  Nextflow writes 0 for what is short: a time has a floor. */
#include "lab/traces/wfformat_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

#define SEVERAL (UINT32_MAX - 1) /* tasks have this name */
#define SHORTEST_NEXTFLOW_MS 50

static int no_memory(const struct pingo__lab_wf_document *d)
{
    return pingo__fail_memory(d->text.err);
}

/* ---- tasks ---------------------------------------------------------------------------- */

/* An array of strings; *list is NULL where it is not there. */
static int strings(struct pingo__lab_wf_document *d, const struct pingo__json_value *object,
                   const char *key, const struct pingo__json_value **list)
{
    int rc = pingo__lab_wf_optional(&d->text, object, key, PINGO__JSON_ARRAY, list);
    for (const struct pingo__json_value *v = !rc && *list ? pingo__json_first(*list) : NULL;
         !rc && v; v = pingo__json_next(v))
        rc = pingo__lab_wf_expect(&d->text, v, PINGO__JSON_STRING);
    return rc;
}

static int read_command(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task,
                        const struct pingo__json_value *object)
{
    const struct pingo__json_value *command;
    int rc = pingo__lab_wf_optional(&d->text, object, "command", PINGO__JSON_OBJECT, &command);
    if (rc || !command)
        return rc;
    rc = pingo__lab_wf_string(&d->text, command, "program", false, &task->program);
    return rc ? rc : strings(d, command, "arguments", &task->arguments);
}

static int read_runtime(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task,
                        const struct pingo__json_value *v)
{
    int64_t shortest = d->system == PINGO__WF_NEXTFLOW ? SHORTEST_NEXTFLOW_MS : 1;
    int rc = pingo__lab_wf_number(&d->text, v, 3, PINGO__WF_NUMBER_MAX, &task->compute_ms);
    if (!rc && task->compute_ms < shortest)
        task->compute_ms = shortest;
    return rc;
}

/* Makes the task known by its id, its name, and both. */
static int register_task(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task)
{
    uint32_t me = (uint32_t)(task - d->tasks), other;
    const char *name = task->name, *id = task->id;
    if (!pingo__map_insert(&d->by_name, name, strlen(name), me, &other) ||
        (other != PINGO__MAP_NONE && !pingo__map_set(&d->by_name, name, strlen(name), SEVERAL)))
        return no_memory(d);
    if (!id && other != PINGO__MAP_NONE)
        return pingo__lab_wf_wrong(&d->text, task->value,
                                   "two tasks have the name \"%.100s\" and no id", name);
    if (!id)
        return 0;
    if (!pingo__map_insert(&d->by_id, id, strlen(id), me, &other))
        return no_memory(d);
    if (other != PINGO__MAP_NONE)
        return pingo__lab_wf_wrong(&d->text, task->value, "two tasks have the id \"%.100s\"", id);
    size_t size = strlen(name) + strlen(id) + 2;
    char *both = pingo__arena_alloc(&d->arena, size);
    if (!both)
        return no_memory(d);
    snprintf(both, size, "%s_%s", name, id);
    if (!pingo__map_insert(&d->by_both, both, strlen(both), me, &other) ||
        (other != PINGO__MAP_NONE && !pingo__map_set(&d->by_both, both, strlen(both), SEVERAL)))
        return no_memory(d);
    return 0;
}

/* What every version has in the same way. */
static int read_task(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task,
                     bool needs_id)
{
    const struct pingo__json_value *v = task->value;
    int rc = pingo__lab_wf_expect(&d->text, v, PINGO__JSON_OBJECT);
    task->compute_ms = -1;
    task->first_input = (uint32_t)d->inputs.n;
    task->first_output = (uint32_t)d->outputs.n;
    if (!rc)
        rc = pingo__lab_wf_string(&d->text, v, "name", true, &task->name);
    if (!rc)
        rc = pingo__lab_wf_string(&d->text, v, "id", needs_id, &task->id);
    if (!rc)
        rc = pingo__lab_wf_string(&d->text, v, "category", false, &task->category);
    if (!rc)
        rc = strings(d, v, "parents", &task->parents);
    if (!rc)
        rc = strings(d, v, "children", &task->children);
    return rc ? rc : register_task(d, task);
}

/* Up to 1.4: what a task has with it besides. */
static int read_rest(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task)
{
    const struct pingo__json_value *runtime = pingo__lab_wf_member(task->value, "runtimeInSeconds");
    int rc = read_command(d, task, task->value);
    if (!runtime)
        runtime = pingo__lab_wf_member(task->value, "runtime");
    if (!rc && runtime)
        rc = read_runtime(d, task, runtime);
    return rc ? rc : pingo__lab_wf_read_entries(d, task);
}

static int read_tasks(struct pingo__lab_wf_document *d, const struct pingo__json_value *list,
                      bool is_split)
{
    uint32_t n = 0;
    int rc = 0;
    for (const struct pingo__json_value *v = pingo__json_first(list); v; v = pingo__json_next(v))
        d->ntasks++;
    if (d->ntasks == 0)
        return pingo__lab_wf_wrong(&d->text, list, "a workflow has at least one task");
    d->tasks = pingo__arena_array(&d->arena, d->ntasks, sizeof *d->tasks);
    if (!d->tasks)
        return no_memory(d);
    for (const struct pingo__json_value *v = pingo__json_first(list); !rc && v;
         v = pingo__json_next(v)) {
        struct pingo__lab_wf_draft *task = &d->tasks[n++];
        task->value = v;
        rc = read_task(d, task, is_split);
        if (!rc && is_split)
            rc = pingo__lab_wf_read_files(d, task, "inputFiles", false);
        if (!rc && is_split)
            rc = pingo__lab_wf_read_files(d, task, "outputFiles", true);
        if (!rc && !is_split)
            rc = read_rest(d, task);
    }
    return rc;
}

int pingo__lab_wf_task_of(struct pingo__lab_wf_document *d, const struct pingo__json_value *v,
                          uint32_t *task)
{
    const char *name = pingo__json_text(v);
    size_t length = strlen(name);
    *task = pingo__map_get(&d->by_id, name, length);
    if (*task == PINGO__MAP_NONE)
        *task = pingo__map_get(&d->by_name, name, length);
    if (*task == PINGO__MAP_NONE)
        *task = pingo__map_get(&d->by_both, name, length);
    if (*task == PINGO__MAP_NONE)
        return pingo__lab_wf_wrong(&d->text, v, "no task has the id or the name \"%.100s\"", name);
    if (*task == SEVERAL)
        return pingo__lab_wf_wrong(&d->text, v,
                                   "several tasks have the name \"%.100s\"; expected an id", name);
    return 0;
}

/* ---- the document --------------------------------------------------------------------- */

/* From 1.5 on: what was measured of a task. */
static int read_measured(struct pingo__lab_wf_document *d, const struct pingo__json_value *v)
{
    const struct pingo__json_value *id, *runtime;
    uint32_t number;
    int rc = pingo__lab_wf_expect(&d->text, v, PINGO__JSON_OBJECT);
    if (!rc)
        rc = pingo__lab_wf_needed(&d->text, v, "id", PINGO__JSON_STRING, &id);
    if (!rc)
        rc = pingo__lab_wf_task_of(d, id, &number);
    if (rc)
        return rc;
    struct pingo__lab_wf_draft *task = &d->tasks[number];
    if (task->executed)
        return pingo__lab_wf_wrong(&d->text, v, "\"%.100s\" was executed twice", task->id);
    task->executed = true;
    rc = pingo__lab_wf_optional(&d->text, v, "runtimeInSeconds", PINGO__JSON_NUMBER, &runtime);
    if (!rc && runtime)
        rc = read_runtime(d, task, runtime);
    return rc ? rc : read_command(d, task, v);
}

static int read_execution(struct pingo__lab_wf_document *d)
{
    const struct pingo__json_value *execution, *list;
    int rc = pingo__lab_wf_optional(&d->text, d->text.element.root, "execution", PINGO__JSON_OBJECT,
                                    &execution);
    if (rc || !execution)
        return rc;
    rc = pingo__lab_wf_needed(&d->text, execution, "tasks", PINGO__JSON_ARRAY, &list);
    for (const struct pingo__json_value *v = rc ? NULL : pingo__json_first(list); !rc && v;
         v = pingo__json_next(v))
        rc = read_measured(d, v);
    return rc;
}

static int read_split(struct pingo__lab_wf_document *d)
{
    const struct pingo__json_value *specification, *files, *tasks;
    int rc = pingo__lab_wf_needed(&d->text, d->text.element.root, "specification",
                                  PINGO__JSON_OBJECT, &specification);
    if (!rc)
        rc = pingo__lab_wf_optional(&d->text, specification, "files", PINGO__JSON_ARRAY, &files);
    if (!rc && files) {
        d->files_are_listed = true;
        rc = pingo__lab_wf_read_file_list(d, files);
    }
    if (!rc)
        rc = pingo__lab_wf_needed(&d->text, specification, "tasks", PINGO__JSON_ARRAY, &tasks);
    if (!rc)
        rc = read_tasks(d, tasks, true);
    return rc ? rc : read_execution(d);
}

/* The system that ran it: "runtimeSystem", which was "wms" up to 1.4. */
static int read_system(struct pingo__lab_wf_document *d)
{
    const struct pingo__json_member *m = pingo__json_member(&d->text.document, "runtimeSystem");
    const char *name = NULL;
    if (!m)
        m = pingo__json_member(&d->text.document, "wms");
    if (!m)
        return 0;
    int rc = pingo__lab_wf_open(&d->text, m->key, PINGO__JSON_OBJECT);
    if (!rc)
        rc = pingo__lab_wf_string(&d->text, d->text.element.root, "name", false, &name);
    if (!rc && name && strcasecmp(name, "makeflow") == 0)
        d->system = PINGO__WF_MAKEFLOW;
    if (!rc && name && strcasecmp(name, "nextflow") == 0)
        d->system = PINGO__WF_NEXTFLOW;
    return rc;
}

/* *minor: 2 to 6. */
static int read_version(struct pingo__lab_wf_document *d, int *minor)
{
    int rc = pingo__lab_wf_open(&d->text, "schemaVersion", PINGO__JSON_STRING);
    const char *version = rc ? "" : pingo__json_text(d->text.element.root);
    if (rc)
        return rc;
    if (strlen(version) != 3 || strncmp(version, "1.", 2) != 0 || version[2] < '2' ||
        version[2] > '6')
        return pingo__lab_wf_wrong(
            &d->text, d->text.element.root,
            "version \"%.40s\" is not known; expected \"1.2\", \"1.3\", \"1.4\", "
            "\"1.5\" or \"1.6\"",
            version);
    *minor = version[2] - '0';
    return 0;
}

static int read_members(struct pingo__lab_wf_document *d)
{
    int minor = 0;
    int rc = read_version(d, &minor);
    if (!rc)
        rc = pingo__lab_wf_open(&d->text, "name", PINGO__JSON_STRING);
    if (rc)
        return rc;
    const char *name = pingo__json_text(d->text.element.root);
    d->name = pingo__arena_text(&d->arena, name, strlen(name));
    if (!d->name)
        return no_memory(d);
    rc = read_system(d);
    if (!rc)
        rc = pingo__lab_wf_open(&d->text, "workflow", PINGO__JSON_OBJECT);
    if (rc || minor >= 5)
        return rc ? rc : read_split(d);
    const struct pingo__json_value *tasks;
    rc = pingo__lab_wf_needed(&d->text, d->text.element.root, minor == 2 ? "jobs" : "tasks",
                              PINGO__JSON_ARRAY, &tasks);
    return rc ? rc : read_tasks(d, tasks, false);
}

int pingo__lab_wf_document_read(struct pingo__lab_wf_document *d, const char *text, size_t length,
                                struct pingo_error *err)
{
    memset(d, 0, sizeof *d);
    d->text.err = err;
    pingo__arena_init(&d->arena);
    struct pingo__json_fault fault;
    int rc = pingo__json_open(&d->text.document, text, length, &fault, err);
    pingo__json_element_init(&d->text.element, &d->text.document);
    pingo__map_init(&d->by_id);
    pingo__map_init(&d->by_name);
    pingo__map_init(&d->by_both);
    pingo__map_init(&d->by_file);
    if (rc == PINGO_EWORKFLOW)
        rc = pingo__lab_wf_wrong_at(&d->text, fault.offset, fault.pointer ? fault.pointer : "",
                                    fault.message);
    else if (!rc && d->text.document.kind != PINGO__JSON_OBJECT)
        rc = pingo__lab_wf_wrong_at(&d->text, d->text.document.offset, "",
                                    "a WfFormat document is an object");
    free(fault.pointer);
    return rc ? rc : read_members(d);
}

void pingo__lab_wf_document_clear(struct pingo__lab_wf_document *d)
{
    pingo__map_clear(&d->by_id);
    pingo__map_clear(&d->by_name);
    pingo__map_clear(&d->by_both);
    pingo__map_clear(&d->by_file);
    pingo__json_element_clear(&d->text.element);
    pingo__json_close(&d->text.document);
    pingo__arena_clear(&d->arena);
}
