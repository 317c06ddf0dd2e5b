/* wfformat.c - from a document that was taken apart to the tasks of a run, parents first.
 *
 * A task is a child of those that it names as parents, those that name it as a child,
 * and those whose outputs it reads.  What describes a task is hashed in an encoding
 * with lengths: "pingo wfformat 1", the program, the arguments, the files that no task
 * makes with their sizes; and apart from that, of each parent the files taken from it.
 * A "pingoHash" describes all of that, in a run in which it failed as in one in which it
 * was computed, so it stands for it: "pingo wfformat 1" and the text alone.
 * Names are plain ones (wfformat_names.h). */
#include "lab/traces/wfformat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "digest/sha256.h"
#include "lab/traces/wfformat_names.h"
#include "lab/traces/wfformat_read.h"
#include "workflow/workflow.h"

struct edge {
    uint32_t child, parent;
};

struct taken { /* a file that a task reads */
    uint32_t producer;
    const char *name;
    int64_t size_bytes;
};

struct graph {
    struct pingo__lab_wf_document d;
    struct pingo__lab_wf_names names;
    struct pingo__lab_wf_instance *instance;
    struct pingo_error *err;
    struct edge *edges; /* sorted by child, then parent; each once */
    size_t nedges, edges_capacity;
    struct pingo__workflow_graph tasks; /* made of the edges */
    uint32_t *place;                    /* of each task in their order */
    struct taken *taken;
    struct pingo__buffer buffer;
};

static int no_memory(const struct graph *g)
{
    return pingo__fail_memory(g->err);
}

/* ---- edges ---------------------------------------------------------------------------- */

static int add_edge(struct graph *g, uint32_t child, uint32_t parent)
{
    if (!PINGO__ARENA_ROOM(&g->d.arena, g->edges, g->nedges, g->edges_capacity))
        return no_memory(g);
    g->edges[g->nedges++] = (struct edge){child, parent};
    return 0;
}

/* The edges that the strings of a list mean. */
static int add_listed(struct graph *g, uint32_t task, const struct pingo__json_value *list,
                      bool are_parents)
{
    int rc = 0;
    for (const struct pingo__json_value *v = pingo__json_first(list); !rc && v;
         v = pingo__json_next(v)) {
        uint32_t other = pingo__lab_wf_task_of(&g->d, v);
        if (other == task)
            pingo__json_reader_wrong(&g->d.r, v, "a task is not its own %s",
                                     are_parents ? "parent" : "child");
        rc = g->d.r.rc;
        if (!rc)
            rc = are_parents ? add_edge(g, task, other) : add_edge(g, other, task);
    }
    return rc;
}

static int by_child(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->child != y->child)
        return x->child < y->child ? -1 : 1;
    return x->parent < y->parent ? -1 : x->parent > y->parent;
}

static int collect_edges(struct graph *g)
{
    size_t kept = 0;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < g->d.ntasks; i++) {
        const struct pingo__lab_wf_draft *task = &g->d.tasks[i];
        rc = add_listed(g, i, task->parents, true);
        if (!rc)
            rc = add_listed(g, i, task->children, false);
        for (uint32_t k = 0; !rc && k < task->ninputs; k++) {
            uint32_t producer = g->d.files[g->d.inputs.files[task->first_input + k]].producer;
            if (producer != PINGO__WF_NOBODY && producer != i)
                rc = add_edge(g, i, producer);
        }
    }
    if (rc)
        return rc;
    if (g->nedges)
        qsort(g->edges, g->nedges, sizeof *g->edges, by_child);
    for (size_t i = 0; i < g->nedges; i++)
        if (!kept || by_child(&g->edges[kept - 1], &g->edges[i]) != 0)
            g->edges[kept++] = g->edges[i];
    g->nedges = kept;
    return 0;
}

/* ---- order ---------------------------------------------------------------------------- */

/* The first of the parents that are not in order; pending: how many of each task are not. */
static uint32_t stuck_parent(const struct graph *g, const uint32_t *pending, uint32_t task)
{
    uint32_t k = g->tasks.first[task];
    while (!pending[g->tasks.parents[k]])
        k++;
    return g->tasks.parents[k];
}

/* Says which tasks make a cycle; seen: all false. */
static int cycle(struct graph *g, const uint32_t *pending, bool *seen)
{
    char names[360] = "";
    size_t length = 0;
    uint32_t at = 0;
    while (!pending[at])
        at++;
    for (; !seen[at]; at = stuck_parent(g, pending, at))
        seen[at] = true;
    uint32_t start = at;
    do {
        if (length + 70 < sizeof names)
            length += (size_t)snprintf(names + length, sizeof names - length, "\"%.60s\", ",
                                       g->d.tasks[at].name);
        at = stuck_parent(g, pending, at);
    } while (at != start);
    return pingo__json_reader_wrong(&g->d.r, g->d.tasks[at].value,
                                    "tasks make a cycle, each a child of the next: %s%s\"%.60s\"",
                                    names, length + 70 < sizeof names ? "" : "..., ",
                                    g->d.tasks[at].name);
}

static int sort_tasks(struct graph *g)
{
    uint32_t n = g->d.ntasks;
    uint32_t *pending = pingo__arena_array(&g->d.arena, n, sizeof *pending);
    uint32_t *first = pingo__arena_array(&g->d.arena, n + (size_t)1, sizeof *first);
    uint32_t *parents = pingo__arena_array(&g->d.arena, g->nedges + 1, sizeof *parents);
    bool *seen = pingo__arena_array(&g->d.arena, n, sizeof *seen);
    g->place = pingo__arena_array(&g->d.arena, n, sizeof *g->place);
    if (!pending || !first || !parents || !seen || !g->place)
        return no_memory(g);
    for (size_t i = 0; i < g->nedges; i++) {
        first[g->edges[i].child + 1]++;
        parents[i] = g->edges[i].parent;
    }
    for (uint32_t i = 0; i < n; i++)
        first[i + 1] += first[i];
    g->tasks = (struct pingo__workflow_graph){.n = n, .first = first, .parents = parents};
    if (!pingo__workflow_graph_sort(&g->tasks, &g->d.arena, pending))
        return no_memory(g);
    for (uint32_t at = 0; at < g->tasks.nplaced; at++)
        g->place[g->tasks.order[at]] = at;
    return g->tasks.nplaced == n ? 0 : cycle(g, pending, seen);
}

/* ---- what a task reads ------------------------------------------------------------------ */

static int by_producer(const void *a, const void *b)
{
    const struct taken *x = a, *y = b;
    if (x->producer != y->producer)
        return x->producer < y->producer ? -1 : 1;
    int names = strcmp(x->name, y->name);
    if (names || x->producer != PINGO__WF_NOBODY)
        return names;
    return x->size_bytes < y->size_bytes ? -1 : x->size_bytes > y->size_bytes;
}

/* Sorted by producer, each once; what nobody makes stands last.  *n: how many. */
static int collect_taken(struct graph *g, const struct pingo__lab_wf_draft *task, size_t *n)
{
    size_t kept = 0;
    for (uint32_t k = 0; k < task->ninputs; k++) {
        const struct pingo__lab_wf_file *f = &g->d.files[g->d.inputs.files[task->first_input + k]];
        const char *name = pingo__lab_wf_plain(&g->names, &g->d.arena, f->name);
        if (!name)
            return no_memory(g);
        g->taken[k] = (struct taken){f->producer, name, f->size_bytes};
    }
    if (task->ninputs)
        qsort(g->taken, task->ninputs, sizeof *g->taken, by_producer);
    for (uint32_t k = 0; k < task->ninputs; k++)
        if (!kept || by_producer(&g->taken[kept - 1], &g->taken[k]) != 0)
            g->taken[kept++] = g->taken[k];
    *n = kept;
    return 0;
}

static void add_text(struct graph *g, const char *text)
{
    pingo__buffer_counted(&g->buffer, text, strlen(text));
}

/* The hash of the buffer, which is then empty. */
static int hash_buffer(struct graph *g, struct pingo_hash *hash)
{
    if (g->buffer.failed)
        return no_memory(g);
    pingo__digest_sha256(g->buffer.data, g->buffer.length, hash);
    pingo__buffer_reset(&g->buffer);
    return 0;
}

/* ---- what a task is ---------------------------------------------------------------------- */

/* Its program, or what is known of its kind; *kind: what stands for it among programs. */
static int program_of(struct graph *g, const struct pingo__lab_wf_draft *task, const char **program,
                      const char **kind)
{
    const char *text = task->program ? task->program : task->category;
    if (!text)
        text = pingo__arena_text(&g->d.arena, task->name, pingo__lab_wf_stem(task->name));
    if (text)
        text = pingo__lab_wf_plain(&g->names, &g->d.arena, text);
    *program = *kind = text;
    if (text && g->d.system == PINGO__WF_NEXTFLOW) /* whose programs are whole scripts */
        *kind = task->name;
    return text ? 0 : no_memory(g);
}

bool pingo__lab_wf_number_program(struct pingo__lab_wf_programs *p, struct pingo__arena *arena,
                                  const char *name, uint32_t *number)
{
    size_t length = strlen(name);
    *number = pingo__map_get(&p->numbers, name, length);
    if (*number != PINGO__MAP_NONE)
        return true;
    const char *copy = pingo__arena_text(arena, name, length);
    *number = (uint32_t)p->n;
    if (!copy || !PINGO__ARENA_ROOM(arena, p->names, p->n, p->capacity) ||
        !pingo__map_insert(&p->numbers, copy, length, *number, NULL))
        return false;
    p->names[p->n++] = copy;
    return true;
}

static int output_size(struct graph *g, const struct pingo__lab_wf_draft *task, int64_t *size_bytes)
{
    bool has_some = task->noutputs > 0 || !task->pingo_hash; /* what Pingo computed has an output */
    *size_bytes = g->d.nfiles && has_some ? 0 : -1;
    for (uint32_t k = 0; k < task->noutputs; k++) {
        int64_t size = g->d.files[g->d.outputs.files[task->first_output + k]].size_bytes;
        if (size < 0) {
            *size_bytes = -1;
            return 0;
        }
        *size_bytes += size;
        if (*size_bytes > PINGO__WF_NUMBER_MAX)
            return pingo__json_reader_wrong(
                &g->d.r, task->value, "the outputs of a task together have up to 2^53-1 bytes");
    }
    return 0;
}

/* The hash of what describes it, its parents aside; the buffer holds what it is. */
static int hash_self(struct graph *g, const struct pingo__lab_wf_draft *task, const char *program,
                     const struct taken *external, size_t nexternal)
{
    uint32_t narguments = 0;
    if (task->pingo_hash) {
        add_text(g, task->pingo_hash);
        return 0;
    }
    add_text(g, program);
    for (const struct pingo__json_value *v = pingo__json_first(task->arguments); v;
         v = pingo__json_next(v))
        narguments++;
    pingo__buffer_u32(&g->buffer, narguments);
    for (const struct pingo__json_value *v = pingo__json_first(task->arguments); v;
         v = pingo__json_next(v)) {
        const char *text = pingo__lab_wf_plain(&g->names, &g->d.arena, pingo__json_text(v));
        if (!text)
            return no_memory(g);
        add_text(g, text);
    }
    pingo__buffer_u32(&g->buffer, (uint32_t)nexternal);
    for (size_t i = 0; i < nexternal; i++) {
        add_text(g, external[i].name);
        pingo__buffer_u64(&g->buffer, (uint64_t)external[i].size_bytes);
    }
    return 0;
}

/* The parents of a task, and what it takes from each. */
static int add_parents(struct graph *g, uint32_t number, struct pingo__lab_wf_task *task,
                       size_t ntaken, size_t *nused)
{
    struct pingo__lab_wf_instance *instance = g->instance;
    size_t k = 0;
    int rc = 0;
    task->first_parent = instance->nparents;
    for (uint32_t i = g->tasks.first[number]; !rc && i < g->tasks.first[number + 1]; i++) {
        struct pingo__lab_wf_parent *parent = &instance->parents[instance->nparents++];
        while (k < ntaken && g->taken[k].producer < g->tasks.parents[i])
            k++; /* its own output */
        for (; k < ntaken && g->taken[k].producer == g->tasks.parents[i]; k++)
            if (!g->d.tasks[number].pingo_hash)
                add_text(g, g->taken[k].name);
        parent->task = g->place[g->tasks.parents[i]];
        rc = hash_buffer(g, &parent->files);
    }
    task->nparents = instance->nparents - task->first_parent;
    while (k < ntaken && g->taken[k].producer != PINGO__WF_NOBODY)
        k++;
    *nused = k;
    return rc;
}

static int finish_task(struct graph *g, uint32_t place)
{
    uint32_t number = g->tasks.order[place];
    const struct pingo__lab_wf_draft *draft = &g->d.tasks[number];
    struct pingo__lab_wf_task *task = &g->instance->tasks[place];
    const char *program = NULL, *kind = NULL;
    size_t ntaken = 0, nused = 0;
    int rc = collect_taken(g, draft, &ntaken);
    task->compute_ms = draft->compute_ms;
    if (!rc)
        rc = add_parents(g, number, task, ntaken, &nused);
    if (!rc)
        rc = program_of(g, draft, &program, &kind);
    if (!rc) {
        add_text(g, "pingo wfformat 1");
        rc = hash_self(g, draft, program, g->taken + nused, ntaken - nused);
    }
    if (!rc)
        rc = hash_buffer(g, &task->self);
    struct pingo__lab_wf_instance *instance = g->instance;
    if (!rc &&
        !pingo__lab_wf_number_program(&instance->programs, &instance->arena, kind, &task->program))
        rc = no_memory(g);
    return rc ? rc : output_size(g, draft, &task->size_bytes);
}

/* ---- the instance ------------------------------------------------------------------------ */

static int finish(struct graph *g)
{
    struct pingo__lab_wf_instance *instance = g->instance;
    uint32_t most = 0;
    int rc = 0;
    for (uint32_t i = 0; i < g->d.ntasks; i++)
        most = g->d.tasks[i].ninputs > most ? g->d.tasks[i].ninputs : most;
    g->taken = pingo__arena_array(&g->d.arena, most + (size_t)1, sizeof *g->taken);
    instance->ntasks = g->d.ntasks;
    instance->name = pingo__arena_text(&instance->arena, g->d.name, strlen(g->d.name));
    instance->tasks =
        pingo__arena_array(&instance->arena, instance->ntasks, sizeof *instance->tasks);
    instance->parents =
        pingo__arena_array(&instance->arena, g->nedges + 1, sizeof *instance->parents);
    if (!g->taken || !instance->name || !instance->tasks || !instance->parents)
        return no_memory(g);
    for (uint32_t i = 0; !rc && i < instance->ntasks; i++)
        rc = finish_task(g, i);
    return rc;
}

int pingo__lab_wfformat_read(const char *text, size_t length,
                             struct pingo__lab_wf_instance *instance, struct pingo_error *err)
{
    struct graph g = {.instance = instance, .err = err};
    memset(instance, 0, sizeof *instance);
    int rc = pingo__lab_wf_document_read(&g.d, text, length, err);
    if (!rc)
        rc = collect_edges(&g);
    if (!rc)
        rc = sort_tasks(&g);
    if (!rc) {
        pingo__lab_wf_names_init(&g.names, &g.d);
        rc = finish(&g);
    }
    pingo__buffer_clear(&g.buffer);
    pingo__map_clear(&instance->programs.numbers);
    pingo__lab_wf_document_clear(&g.d);
    return rc;
}

void pingo__lab_wf_instance_clear(struct pingo__lab_wf_instance *instance)
{
    pingo__arena_clear(&instance->arena);
    memset(instance, 0, sizeof *instance);
}
