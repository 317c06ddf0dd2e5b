/* wfformat_read.h - a WfFormat document taken apart, of whatever version, before it is understood.
 *
 * Strings are those of the document's text: they live as long as it does. */
#ifndef PINGO__LAB_WFFORMAT_READ_H
#define PINGO__LAB_WFFORMAT_READ_H

#include "base/arena.h"
#include "base/map.h"
#include "json/reader.h"

#define PINGO__WF_NOBODY UINT32_MAX                    /* no task */
#define PINGO__WF_NUMBER_MAX INT64_C(9007199254740991) /* 2^53 - 1 */

enum pingo__lab_wf_system { PINGO__WF_OTHER, PINGO__WF_MAKEFLOW, PINGO__WF_NEXTFLOW };

struct pingo__lab_wf_file {
    const char *name;
    int64_t size_bytes; /* -1: unknown */
    uint32_t producer;  /* a task; PINGO__WF_NOBODY */
    bool sized_by_producer;
};

struct pingo__lab_wf_draft { /* a task */
    const struct pingo__json_value *value;
    const char *name, *id;                     /* id: NULL */
    const char *program, *category;            /* NULL */
    const char *pingo_hash;                    /* of what Pingo exported: what describes it; NULL */
    const struct pingo__json_value *arguments; /* an array of strings, or NULL */
    const struct pingo__json_value *parents, *children; /* arrays of strings, or NULL */
    uint32_t first_input, ninputs, first_output, noutputs;
    int64_t compute_ms; /* -1 */
    bool executed;      /* its record of the execution was seen */
};

struct pingo__lab_wf_list { /* indexes of files */
    uint32_t *files;
    size_t n, capacity;
};

struct pingo__lab_wf_document {
    struct pingo__json_reader r; /* "workflow" is open */
    struct pingo__arena arena;
    enum pingo__lab_wf_system system;
    const char *name;
    struct pingo__lab_wf_draft *tasks;
    uint32_t ntasks;
    struct pingo__lab_wf_file *files;
    size_t nfiles, files_capacity;
    bool files_are_listed; /* each is in a list of its own, with its size */
    struct pingo__lab_wf_list inputs, outputs;
    struct pingo__map by_id, by_name, by_both, by_file;
};

/* Takes a text apart; each list of strings in it is one.  Clear the document in each case. */
int pingo__lab_wf_document_read(struct pingo__lab_wf_document *d, const char *text, size_t length,
                                struct pingo_error *err);
void pingo__lab_wf_document_clear(struct pingo__lab_wf_document *d);

/* In what follows, what fails is the reader's. */

/* From 1.5 on: the list of all files, each with its size. */
void pingo__lab_wf_read_file_list(struct pingo__lab_wf_document *d,
                                  const struct pingo__json_value *list);
/* From 1.5 on: a task's inputFiles or outputFiles, which are ids of files. */
void pingo__lab_wf_read_files(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task,
                              const char *key, bool are_outputs);
/* Up to 1.4: a task's files, with size and link. */
void pingo__lab_wf_read_entries(struct pingo__lab_wf_document *d, struct pingo__lab_wf_draft *task);

/* The task that a string of parents or children means: by its id, its name, or, as older versions have it,
 * by NAME_ID; 0 where that is wrong. */
uint32_t pingo__lab_wf_task_of(struct pingo__lab_wf_document *d, const struct pingo__json_value *v);

/* A number from 0 on, times 10^shift, rounded to the nearest integer, PINGO__WF_NUMBER_MAX at most; -1 where it is
 * none, which is wrong. */
int64_t pingo__lab_wf_number(struct pingo__json_reader *r, const struct pingo__json_value *v,
                             int shift);

/* The spelling of a JSON number, times 10^shift, rounded half up.  false: it is below 0 or above max,
 * which is less than 10^18. */
bool pingo__lab_wf_decimal(const char *spelling, size_t length, int shift, int64_t max,
                           int64_t *number);

#endif
