/* wfformat_files.c - the files of a WfFormat document, and which task makes and which reads them.
 *
 * What always holds: a file has at most one producer, and stands among its outputs
 * once.  Sizes are bytes: Makeflow writes kilobytes, but for the data base "nt". */
#include "lab/traces/wfformat_read.h"

#include <string.h>
#include <strings.h>

#include "base/path.h"

/* -1: unknown. */
static int64_t file_size(struct pingo__lab_wf_document *d, const char *name,
                         const struct pingo__json_value *v)
{
    bool kilobytes = d->system == PINGO__WF_MAKEFLOW && strcmp(pingo__path_last(name), "nt") != 0;
    return v ? pingo__lab_wf_number(&d->r, v, kilobytes ? 3 : 0) : -1;
}

/* The file of that name, which is new where it is not known; NULL where nothing is read any more. */
static struct pingo__lab_wf_file *file_of(struct pingo__lab_wf_document *d, const char *name)
{
    if (!name || d->r.rc != 0)
        return NULL;
    uint32_t file = pingo__map_get(&d->by_file, name, strlen(name));
    if (file != PINGO__MAP_NONE)
        return &d->files[file];
    if (!PINGO__ARENA_ROOM(&d->arena, d->files, d->nfiles, d->files_capacity) ||
        !pingo__map_insert(&d->by_file, name, strlen(name), (uint32_t)d->nfiles, NULL)) {
        pingo__json_reader_no_memory(&d->r);
        return NULL;
    }
    d->files[d->nfiles] = (struct pingo__lab_wf_file){name, -1, PINGO__WF_NOBODY, false};
    return &d->files[d->nfiles++];
}

static void add_to(struct pingo__lab_wf_document *d, struct pingo__lab_wf_list *list, uint32_t *n,
                   const struct pingo__lab_wf_file *file)
{
    if (!PINGO__ARENA_ROOM(&d->arena, list->files, list->n, list->capacity)) {
        pingo__json_reader_no_memory(&d->r);
        return;
    }
    list->files[list->n++] = (uint32_t)(file - d->files);
    ++*n;
}

/* What a task reads or makes; a file that stands among its outputs twice counts once. */
static void add_file(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task,
                     struct pingo__lab_wf_file *file, bool is_output,
                     const struct pingo__json_value *v)
{
    uint32_t me = (uint32_t)(task - d->tasks);
    if (!is_output) {
        add_to(d, &d->inputs, &task->ninputs, file);
    } else if (file->producer == PINGO__WF_NOBODY) {
        file->producer = me;
        add_to(d, &d->outputs, &task->noutputs, file);
    } else if (file->producer != me) {
        pingo__json_reader_wrong(&d->r, v,
                                 "\"%.100s\" is an output of two tasks, also of \"%.100s\"",
                                 file->name, d->tasks[file->producer].name);
    }
}

void pingo__lab_wf_read_file_list(struct pingo__lab_wf_document *d,
                                  const struct pingo__json_value *list)
{
    for (const struct pingo__json_value *v = pingo__json_first(list); v && d->r.rc == 0;
         v = pingo__json_next(v)) {
        size_t known = d->nfiles;
        if (!pingo__json_reader_expect(&d->r, v, PINGO__JSON_OBJECT))
            return;
        const char *name = pingo__json_reader_text(&d->r, v, "id", true);
        const struct pingo__json_value *size =
            pingo__json_reader_member(&d->r, v, "sizeInBytes", PINGO__JSON_NUMBER, true);
        struct pingo__lab_wf_file *file = file_of(d, name);
        if (file && d->nfiles == known)
            pingo__json_reader_wrong(&d->r, v, "two files have the id \"%.100s\"", name);
        else if (file)
            file->size_bytes = file_size(d, name, size);
    }
}

void pingo__lab_wf_read_files(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task,
                              const char *key, bool are_outputs)
{
    const struct pingo__json_value *list =
        pingo__json_reader_member(&d->r, task->value, key, PINGO__JSON_ARRAY, false);
    for (const struct pingo__json_value *v = pingo__json_first(list); v && d->r.rc == 0;
         v = pingo__json_next(v)) {
        size_t known = d->nfiles;
        bool is_text = pingo__json_reader_expect(&d->r, v, PINGO__JSON_STRING);
        struct pingo__lab_wf_file *file = is_text ? file_of(d, pingo__json_text(v)) : NULL;
        if (file && d->nfiles > known && d->files_are_listed)
            pingo__json_reader_wrong(
                &d->r, v, "no file in /workflow/specification/files has the id \"%.100s\"",
                file->name);
        else if (file)
            add_file(d, task, file, are_outputs, v);
    }
}

/* Up to 1.4: the size of a file stands wherever it is used, or not; that at the task that makes it counts, else
 * the largest. */
static void note_size(struct pingo__lab_wf_file *f, int64_t size_bytes, bool is_output)
{
    if (size_bytes < 0)
        return;
    if (is_output || (!f->sized_by_producer && size_bytes > f->size_bytes))
        f->size_bytes = size_bytes;
    f->sized_by_producer = f->sized_by_producer || is_output;
}

/* The name of a file with the path before it; NULL where that is wrong. */
static const char *file_name(struct pingo__lab_wf_document *d, const struct pingo__json_value *v)
{
    const char *name = pingo__json_reader_text(&d->r, v, "name", true);
    const char *path = pingo__json_reader_text(&d->r, v, "path", false);
    if (!name || !path)
        return name;
    const char *joined = pingo__arena_format(&d->arena, "%s%s", path, name);
    if (!joined)
        pingo__json_reader_no_memory(&d->r);
    return joined;
}

/* Up to 1.4: an entry of a task's files. */
static void read_entry(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task,
                       const struct pingo__json_value *v)
{
    if (!pingo__json_reader_expect(&d->r, v, PINGO__JSON_OBJECT))
        return;
    const char *name = file_name(d, v);
    const struct pingo__json_value *link =
        pingo__json_reader_member(&d->r, v, "link", PINGO__JSON_STRING, true);
    bool is_output = link && strcasecmp(pingo__json_text(link), "output") == 0;
    if (link && !is_output && strcasecmp(pingo__json_text(link), "input") != 0)
        pingo__json_reader_wrong(&d->r, link, "expected \"input\" or \"output\"");
    if (d->r.rc != 0)
        return;
    const struct pingo__json_value *size = pingo__json_at(v, "sizeInBytes");
    int64_t size_bytes = file_size(d, name, size ? size : pingo__json_at(v, "size"));
    struct pingo__lab_wf_file *file = file_of(d, name);
    if (!file)
        return;
    note_size(file, size_bytes, is_output);
    add_file(d, task, file, is_output, v);
}

void pingo__lab_wf_read_entries(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task)
{
    const struct pingo__json_value *list =
        pingo__json_reader_member(&d->r, task->value, "files", PINGO__JSON_ARRAY, false);
    for (const struct pingo__json_value *v = pingo__json_first(list); v && d->r.rc == 0;
         v = pingo__json_next(v))
        read_entry(d, task, v);
}
