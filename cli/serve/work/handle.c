/* handle.c - see handle.h. */
#include "serve/work/handle.h"

#include <stdio.h>
#include <string.h>

#include "serve/work/note.h"
#include "serve/work/tag.h"

#define JSON "application/json"
static void refuse_type(struct serve_answer *answer, const char *type)
{
    char said[64]; /* type goes with what was answered */
    snprintf(said, sizeof said, "%s", type);
    serve_refuse(answer, 406, "this is %s, and Accept does not take that", said);
}

void serve_handle(struct serve_worker *worker, const struct serve_request *request,
                  struct serve_answer *answer)
{
    if (worker) {
        pingo__arena_reset(&worker->arena);
        worker->err.code = 0;
    }
    bool is_read = strcmp(request->method, "GET") == 0;
    if (!is_read && serve_quality(request, JSON) == 0)
        refuse_type(answer, JSON); /* before anything is done */
    else if (worker && is_read)
        serve_tagged(worker, request, answer);
    else
        serve_call(worker, request, answer);
    if (!is_read)
        serve_tag_written();
    const char *type = answer->type ? answer->type : JSON;
    bool is_first = !request->state && answer->next != SERVE_AGAIN;
    if (is_read && is_first && answer->status < 300 && serve_quality(request, type) == 0)
        refuse_type(answer, type);
    if (answer->status == 403 && worker)
        serve_note_refusal(worker, request,
                           worker->err.code == PINGO_EFORBIDDEN ? worker->err.message
                                                                : "this may not be");
    if (answer->body.failed || answer->headers.failed)
        serve_refuse(answer, 503, "out of memory");
    if (answer->status == 0)
        answer->status = 200;
}
