/* wes_submit.c - runs of WES come in, and are cancelled. */
#include <string.h>

#include "http/server/multipart.h"
#include "serve/api/submit.h"
#include "serve/api/wes.h"
#include "serve/route/routes.h"

static void answer_id(struct serve_ask *ask, int64_t run)
{
    struct pingo__writer w = {0};
    pingo__writer_open(&w, NULL, PINGO__WRITER_OBJECT);
    serve_wes_id(&w, run);
    pingo__writer_close(&w);
    serve_written(ask->answer, &w);
}

/* What has ended is left as it is. */
void serve_api_wes_cancel(struct serve_ask *ask)
{
    int64_t run = serve_ask_workflow(ask);
    size_t killed;
    if (ask->is_wrong)
        return;
    int rc = pingo_store_kill(ask->store, &(struct pingo_action_name){run, NULL}, &killed, ask->err);
    serve_end(ask, rc == PINGO_ESTATE ? 0 : rc);
    if (!ask->is_wrong)
        answer_id(ask, run);
}

struct wish {
    const struct pingo__http_part *text; /* the attachment */
    const char *url, *tag;
};

static bool is_text(const struct pingo__http_part *part, const char *text)
{
    return part->length == strlen(text) && memcmp(part->data, text, part->length) == 0;
}

/* An object without members, or nothing. */
static bool is_nothing(const struct pingo__http_part *part)
{
    size_t n = 0;
    for (size_t i = 0; i < part->length && n < 3; i++)
        n += part->data[i] != '\0' && strchr(" \t\r\n", part->data[i]) ? 0
             : part->data[i] == (n == 0 ? '{' : '}')                   ? 1
                                                                       : 3;
    return n == 0 || n == 2;
}

/* {"tag": "..."}, and nothing else. */
static const char *read_tags(struct serve_ask *ask, const struct pingo__http_part *part,
                             struct wish *wish)
{
    struct serve_flat *members;
    size_t n;
    if (is_nothing(part))
        return NULL;
    if (serve_flat_read(ask->arena, part->data, part->length, &members, &n) || n != 1 ||
        strcmp(members[0].key, "tag") != 0 || !members[0].value)
        return "tags is an object with one member, tag";
    wish->tag = members[0].value;
    return NULL;
}

/* What is wrong with a part; NULL: nothing. */
static const char *read_part(struct serve_ask *ask, const struct pingo__http_part *part,
                             struct wish *wish)
{
    static const struct {
        const char *name, *value, *wrong;
    } fixed[] = {
        {"workflow_type", SERVE_WES_TYPE, "workflow_type is " SERVE_WES_TYPE},
        {"workflow_type_version", "1", "workflow_type_version is 1"},
        {"workflow_engine", "pingo", "workflow_engine is pingo"},
        {"workflow_engine_version", PINGO_VERSION, "workflow_engine_version is " PINGO_VERSION},
        {"workflow_params", NULL, "a workflow of Pingo has no parameters: workflow_params is {}"},
        {"workflow_engine_parameters", NULL, "there are no workflow_engine_parameters"},
    };
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(part->name, fixed[i].name) == 0)
            return (fixed[i].value ? is_text(part, fixed[i].value) : is_nothing(part))
                       ? NULL
                       : fixed[i].wrong;
    if (strcmp(part->name, "tags") == 0)
        return read_tags(ask, part, wish);
    if (strcmp(part->name, "workflow_url") == 0) {
        wish->url = pingo__arena_text(ask->arena, part->data, part->length);
        return wish->url ? NULL : "out of memory";
    }
    if (strcmp(part->name, "workflow_attachment") != 0)
        return "there is a part that a run does not have";
    if (wish->text)
        return "one attachment is taken, the workflow: inputs lie where the server can read them";
    wish->text = part;
    return part->filename ? NULL : "the attachment has no filename";
}

static const char *read_wish(struct serve_ask *ask, const char *body, struct wish *wish)
{
    struct pingo__http_form form = {.type = serve_asked(ask->request, "content-type"),
                                    .body = body,
                                    .length = (size_t)ask->request->body_bytes};
    const char *wrong = pingo__http_multipart(ask->arena, &form);
    for (size_t i = 0; i < form.nparts && !wrong; i++)
        wrong = read_part(ask, &form.parts[i], wish);
    if (!wrong && (!wish->text || !wish->url || strcmp(wish->text->filename, wish->url) != 0))
        wrong = "workflow_url is the filename of the workflow_attachment: nothing is fetched";
    return wrong;
}

void serve_api_wes_submit(struct serve_ask *ask)
{
    struct wish wish = {0};
    struct pingo_submission submission = {.size = sizeof submission};
    const char *body = serve_map(ask->request);
    const char *wrong = body ? read_wish(ask, body, &wish) : "there is no body";
    if (wrong)
        serve_ask_refuse(ask, 400, "%s", wrong);
    struct pingo_submit_options options = {
        .version = 3, .tag = wish.tag, .key = serve_asked(ask->request, "idempotency-key")};
    if (!ask->is_wrong &&
        serve_submit_text(ask, wish.text->data, wish.text->length, &options, &submission))
        answer_id(ask, submission.workflow);
    serve_unmap(ask->request, body);
}
