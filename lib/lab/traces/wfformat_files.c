/* wfformat_files.c - the files of a WfFormat document, and which task makes and which reads them.
 *
 * What always holds: a file has at most one producer, and stands among its outputs
 * once.  Sizes are bytes: Makeflow writes kilobytes, but for the data base "nt". */
#include "lab/traces/wfformat_read.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

static int no_memory(const struct pingo__lab_wf_document *d)
{
    return pingo__fail_memory(d->text.err);
}

static int file_size(struct pingo__lab_wf_document *d, const char *name,
                     const struct pingo__json_value *v, int64_t *size_bytes)
{
    const char *base = strrchr(name, '/');
    bool kilobytes = d->system == PINGO__WF_MAKEFLOW && strcmp(base ? base + 1 : name, "nt") != 0;
    return pingo__lab_wf_number(&d->text, v, kilobytes ? 3 : 0, PINGO__WF_NUMBER_MAX, size_bytes);
}

/* The file of that name, which is new where it is not known. */
static int file_of(struct pingo__lab_wf_document *d, const char *name, uint32_t *file)
{
    *file = pingo__map_get(&d->by_file, name, strlen(name));
    if (*file != PINGO__MAP_NONE)
        return 0;
    struct pingo__lab_wf_file *files =
        pingo__arena_more(&d->arena, d->files, d->nfiles, &d->files_capacity, sizeof *files);
    if (!files || !pingo__map_insert(&d->by_file, name, strlen(name), (uint32_t)d->nfiles, NULL))
        return no_memory(d);
    d->files = files;
    files[d->nfiles] = (struct pingo__lab_wf_file){name, -1, PINGO__WF_NOBODY, false};
    *file = (uint32_t)d->nfiles++;
    return 0;
}

static int add_input(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task,
                     uint32_t file)
{
    uint32_t *files = pingo__arena_more(&d->arena, d->inputs.files, d->inputs.n,
                                        &d->inputs.capacity, sizeof *files);
    if (!files)
        return no_memory(d);
    d->inputs.files = files;
    files[d->inputs.n++] = file;
    task->ninputs++;
    return 0;
}

/* What a task makes; a file that stands there twice counts once. */
static int add_output(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task,
                      uint32_t file, const struct pingo__json_value *v)
{
    struct pingo__lab_wf_file *f = &d->files[file];
    uint32_t me = (uint32_t)(task - d->tasks);
    if (f->producer == me)
        return 0;
    if (f->producer != PINGO__WF_NOBODY)
        return pingo__lab_wf_wrong(&d->text, v,
                                   "\"%.100s\" is an output of two tasks, also of \"%.100s\"",
                                   f->name, d->tasks[f->producer].name);
    uint32_t *files = pingo__arena_more(&d->arena, d->outputs.files, d->outputs.n,
                                        &d->outputs.capacity, sizeof *files);
    if (!files)
        return no_memory(d);
    d->outputs.files = files;
    files[d->outputs.n++] = file;
    f->producer = me;
    task->noutputs++;
    return 0;
}

int pingo__lab_wf_read_file_list(struct pingo__lab_wf_document *d,
                                 const struct pingo__json_value *list)
{
    for (const struct pingo__json_value *v = pingo__json_first(list); v; v = pingo__json_next(v)) {
        const struct pingo__json_value *size;
        size_t known = d->nfiles;
        const char *name;
        int rc = pingo__lab_wf_expect(&d->text, v, PINGO__JSON_OBJECT);
        if (!rc)
            rc = pingo__lab_wf_string(&d->text, v, "id", true, &name);
        if (!rc)
            rc = pingo__lab_wf_needed(&d->text, v, "sizeInBytes", PINGO__JSON_NUMBER, &size);
        uint32_t file;
        if (!rc)
            rc = file_of(d, name, &file);
        if (!rc && file < known)
            rc = pingo__lab_wf_wrong(&d->text, v, "two files have the id \"%.100s\"", name);
        if (!rc)
            rc = file_size(d, name, size, &d->files[file].size_bytes);
        if (rc)
            return rc;
    }
    return 0;
}

int pingo__lab_wf_read_files(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task,
                             const char *key, bool are_outputs)
{
    const struct pingo__json_value *list;
    int rc = pingo__lab_wf_optional(&d->text, task->value, key, PINGO__JSON_ARRAY, &list);
    for (const struct pingo__json_value *v = !rc && list ? pingo__json_first(list) : NULL; !rc && v;
         v = pingo__json_next(v)) {
        size_t known = d->nfiles;
        uint32_t file;
        rc = pingo__lab_wf_expect(&d->text, v, PINGO__JSON_STRING);
        if (!rc)
            rc = file_of(d, pingo__json_text(v), &file);
        if (!rc && file == known && d->files_are_listed)
            rc = pingo__lab_wf_wrong(
                &d->text, v, "no file in /workflow/specification/files has the id \"%.100s\"",
                pingo__json_text(v));
        if (!rc)
            rc = are_outputs ? add_output(d, task, file, v) : add_input(d, task, file);
    }
    return rc;
}

/* Up to 1.4: the size of a file stands wherever it is used; that at the task that makes it counts, else
 * the largest. */
static void note_size(struct pingo__lab_wf_file *f, int64_t size_bytes, bool is_output)
{
    if (is_output || (!f->sized_by_producer && size_bytes > f->size_bytes))
        f->size_bytes = size_bytes;
    f->sized_by_producer = f->sized_by_producer || is_output;
}

/* The name of a file with the path before it. */
static int file_name(struct pingo__lab_wf_document *d, const struct pingo__json_value *v,
                     const char **name)
{
    const char *path = NULL;
    int rc = pingo__lab_wf_string(&d->text, v, "name", true, name);
    if (!rc)
        rc = pingo__lab_wf_string(&d->text, v, "path", false, &path);
    if (rc || !path)
        return rc;
    size_t size = strlen(path) + strlen(*name) + 1;
    char *joined = pingo__arena_alloc(&d->arena, size);
    if (!joined)
        return no_memory(d);
    snprintf(joined, size, "%s%s", path, *name);
    *name = joined;
    return 0;
}

/* Up to 1.4: an entry of a task's files. */
static int read_entry(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task,
                      const struct pingo__json_value *v)
{
    const struct pingo__json_value *size = NULL, *link;
    int64_t size_bytes = -1;
    const char *name;
    int rc = pingo__lab_wf_expect(&d->text, v, PINGO__JSON_OBJECT);
    if (!rc)
        rc = file_name(d, v, &name);
    if (!rc)
        rc = pingo__lab_wf_needed(&d->text, v, "link", PINGO__JSON_STRING, &link);
    if (rc)
        return rc;
    bool is_output = strcasecmp(pingo__json_text(link), "output") == 0;
    if (!is_output && strcasecmp(pingo__json_text(link), "input") != 0)
        return pingo__lab_wf_wrong(&d->text, link, "expected \"input\" or \"output\"");
    size = pingo__lab_wf_member(v, "sizeInBytes");
    if (!size)
        size = pingo__lab_wf_member(v, "size");
    if (size)
        rc = file_size(d, name, size, &size_bytes);
    uint32_t file;
    if (!rc)
        rc = file_of(d, name, &file);
    if (rc)
        return rc;
    note_size(&d->files[file], size_bytes, is_output);
    return is_output ? add_output(d, task, file, v) : add_input(d, task, file);
}

int pingo__lab_wf_read_entries(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task)
{
    const struct pingo__json_value *list;
    int rc = pingo__lab_wf_optional(&d->text, task->value, "files", PINGO__JSON_ARRAY, &list);
    for (const struct pingo__json_value *v = !rc && list ? pingo__json_first(list) : NULL; !rc && v;
         v = pingo__json_next(v))
        rc = read_entry(d, task, v);
    return rc;
}
