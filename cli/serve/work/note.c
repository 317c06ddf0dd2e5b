/* note.c - see note.h. */
#include "serve/work/note.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/work/log.h"
#include "serve/work/work.h"

struct note {
    struct serve_job job;
    char user[256], way[256], result[256];
    char object[256]; /* a path may have 8 KiB, and a million are kept */
    const char *verb;
};

static void write_note(struct serve_worker *worker, struct serve_job *job)
{
    struct note *n = (struct note *)job;
    struct pingo_audit audit = {
        .user = n->user, .way = n->way, .verb = n->verb, .object = n->object, .result = n->result};
    if (pingo_store_audit(worker->store, &audit, &worker->err) != 0)
        serve_log("a refusal is not in the audit: %s", worker->err.message);
}

void serve_note_refusal(struct serve_worker *worker, const struct serve_request *r, const char *why)
{
    struct note *n = strcmp(r->method, "GET") != 0 && worker->serve->work ? malloc(sizeof *n) : NULL;
    if (!n)
        return;
    n->job = (struct serve_job){.run = write_note, .is_own = true};
    n->verb = r->route->operation;
    snprintf(n->user, sizeof n->user, "%s", r->who.user ? r->who.user : "");
    snprintf(n->way, sizeof n->way, "%s", r->who.way ? r->who.way : "");
    snprintf(n->object, sizeof n->object, "%s", r->path);
    snprintf(n->result, sizeof n->result, "refused: %.240s", why);
    if (!serve_work_give(worker->serve->work, SERVE_BY_WRITER, &n->job)) {
        serve_log("a refusal is not in the audit: the writer is too busy");
        free(n);
    }
}
