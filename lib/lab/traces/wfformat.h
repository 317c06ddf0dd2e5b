/* wfformat.h - a WfFormat document, read: what is known of the tasks of one run.
 *
 * Nothing of the text is kept but names: a task has the hash of what describes it,
 * its parents with the hash of the files taken from them, its size and its time. */
#ifndef PINGO__LAB_WFFORMAT_H
#define PINGO__LAB_WFFORMAT_H

#include <stddef.h>
#include <stdint.h>

#include <pingo/digest.h>
#include <pingo/error.h>

#include "base/arena.h"
#include "base/map.h"

struct pingo__lab_wf_task {
    struct pingo_hash self; /* of program, arguments and external inputs */
    uint32_t program;       /* index into the instance's programs */
    uint32_t first_parent, nparents;
    int64_t size_bytes, compute_ms; /* -1: unknown */
};

struct pingo__lab_wf_parent {
    uint32_t task;
    struct pingo_hash files; /* of the names of those that are taken from it */
};

/* Kinds of tasks: names, each once, by their numbers from 0 on. */
struct pingo__lab_wf_programs {
    const char **names;
    size_t n, capacity;
    struct pingo__map numbers;
};
/* The number of a program, which gets one where it has none; all but the map lies in the arena.  false: no memory. */
bool pingo__lab_wf_number_program(struct pingo__lab_wf_programs *programs,
                                  struct pingo__arena *arena, const char *name, uint32_t *number);

/* Parents stand before their children. */
struct pingo__lab_wf_instance {
    struct pingo__arena arena; /* holds all below */
    const char *name;          /* as in the document */
    struct pingo__lab_wf_task *tasks;
    struct pingo__lab_wf_parent *parents; /* of the tasks, one behind the other */
    struct pingo__lab_wf_programs programs;
    uint32_t ntasks, nparents;
};

/* Reads a document of version 1.2 to 1.6.  The instance must be cleared in each case.
 * Errors: PINGO_EINVAL ("line 3, column 14: /workflow/tasks/0/name: ..."), PINGO_ELIMIT, PINGO_ENOMEM. */
int pingo__lab_wfformat_read(const char *text, size_t length,
                             struct pingo__lab_wf_instance *instance, struct pingo_error *err);
void pingo__lab_wf_instance_clear(struct pingo__lab_wf_instance *instance);

#endif
