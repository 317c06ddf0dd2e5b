/* embed-process.c - runs a workflow with an executor whose jobs outlive it.
 *
 *     cc -D_GNU_SOURCE -o embed-process *.c $(pkg-config --cflags --libs libpingo)
 *     embed-process STORE WORKFLOW.json [LIBEXEC]
 *
 * LIBEXEC: where pingo-runner lies, if not where it is installed.
 * Kill it at any moment, as hard as you like, and start it again with the same words: it finds its submission by
 * its tag and the running jobs by their directories, and starts nothing twice. */
#include <stdio.h>
#include <stdlib.h>

#include <pingo.h>

#include "process.h"

static char *read_all(const char *path, size_t *length)
{
    FILE *f = fopen(path, "r");
    char *text = NULL;
    *length = 0;
    if (f == NULL)
        return NULL;
    for (size_t n = 1; n > 0; *length += n) {
        char *more = realloc(text, *length + 65536);
        if (more == NULL)
            break;
        text = more;
        n = fread(text + *length, 1, 65536, f);
    }
    fclose(f);
    return text;
}

int main(int argc, char **argv)
{
    const struct pingo_executor_type *executors[] = {&process_executor};
    struct pingo_scheduler_options options = {.version = 1, .executors = executors, .nexecutors = 1};
    struct pingo_submit_options submit = {.version = 1, .once = true};
    struct pingo_scheduler *scheduler = NULL;
    struct pingo_store *store = NULL;
    struct pingo_submission submission = {.size = sizeof submission};
    enum pingo_workflow_state state = PINGO_WORKFLOW_FAILED;
    struct pingo_error err;
    size_t length;
    char *text;
    int rc;

    text = argc == 3 || argc == 4 ? read_all(argv[2], &length) : NULL;
    if (text == NULL) {
        fprintf(stderr, "usage: embed-process STORE WORKFLOW.json [LIBEXEC]\n");
        return 2;
    }
    submit.tag = argv[2];
    options.helper_dir = argv[3];
    rc = pingo_store_init(argv[1], NULL, &err);
    if (rc == 0 || rc == PINGO_EEXISTS)
        rc = pingo_store_open(argv[1], NULL, &store, &err);
    if (rc == 0)
        rc = pingo_scheduler_open(store, &options, &scheduler, &err);
    if (rc == 0)
        rc = pingo_store_submit(store, &(struct pingo_document){text, length, NULL}, &submit,
                                &submission, &err);
    if (rc == 0) {
        printf("workflow %lld%s\n", (long long)submission.workflow,
               submission.found ? ", submitted before" : "");
        fflush(stdout);
        rc = pingo_scheduler_run(scheduler, &submission.workflow, 1, NULL, &err);
    }
    if (rc == 0)
        rc = pingo_store_workflow_state(store, submission.workflow, &state, &err);
    if (rc == 0)
        printf("workflow %lld: %s\n", (long long)submission.workflow,
               pingo_workflow_state_name(state));
    else
        fprintf(stderr, "%s: %s\n", pingo_error_name(rc), err.message);
    pingo_scheduler_close(scheduler);
    pingo_store_close(store);
    free(text);
    return rc == 0 && state == PINGO_WORKFLOW_FINISHED ? 0 : 1;
}
