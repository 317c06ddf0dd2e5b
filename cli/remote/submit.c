/* submit.c - pingo --server: a workflow is sent, for submit and plan, or submitted once more. */
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "remote/remote.h"

#define FILES_SHOWN 10
#define KEY_SIZE 64

struct body {
    const char *text;
    size_t length, at;
};

static ssize_t give(void *context, char *bytes, size_t size)
{
    struct body *b = context;
    size_t n = b->length - b->at < size ? b->length - b->at : size;
    memcpy(bytes, b->text + b->at, n);
    b->at += n;
    return (ssize_t)n;
}

/* The "errors" or "warnings" of the answer, as many as there are actions maybe. */
static struct cli_problems show_problems(struct cli_remote *r, const char *label, const char *key)
{
    struct cli_problems shown = {label, CLI_WARNINGS_SHOWN, 0, 0};
    const struct pingo__json_value *list =
        r->root ? pingo__json_reader_member(&r->reader, r->root, key, PINGO__JSON_ARRAY, false)
                : NULL;
    for (const struct pingo__json_value *v = pingo__json_first(list); v; v = pingo__json_next(v)) {
        struct pingo_problem p = {.times = 1};
        if (!cli_remote_row(r, v, &pingo__view_problem, &p))
            break;
        cli_problem_show(&shown, &p);
    }
    cli_problems_rest(&shown, r->cli->err.code);
    return shown;
}

/* Which of the files that it names are here, where a server elsewhere cannot see them. */
static void tell_files(struct cli_remote *r, const struct cli_document *document)
{
    struct pingo_workflow *workflow = cli_document_parse(document, NULL);
    size_t n = 0;
    for (size_t i = 0; workflow && i < pingo_workflow_count(workflow); i++) {
        const struct pingo_action *a = pingo_workflow_action(workflow, i);
        for (size_t k = 0; k < a->ninputs; k++)
            if (a->inputs[k].path && access(a->inputs[k].path, F_OK) == 0 && n++ < FILES_SHOWN)
                cli_tell("%s is on this machine, where the server may not see it (input \"%s\" of "
                         "action %" PRId64 ")",
                         a->inputs[k].path, a->inputs[k].name, a->id);
    }
    if (n > FILES_SHOWN)
        cli_tell("and %zu more", n - FILES_SHOWN);
    pingo_workflow_free(workflow);
    cli_try("put the inputs where %s can read them, and name them by the absolute paths that they "
            "have there",
            r->where);
}

static int submit_failed(struct cli_remote *r, const struct cli_document *document)
{
    int code = r->cli->err.code;
    bool is_answer = code == PINGO_EWORKFLOW || code == PINGO_EINPUT;
    struct cli_problems shown = show_problems(r, document->label, "errors");
    int rc = shown.nerrors == 0 ? cli_error(r->cli) : cli_problems_end(r->cli, &shown);
    if (is_answer && !r->is_socket)
        tell_files(r, document);
    return rc;
}

/* All that the command line says of it. */
static char *submit_path(struct cli_remote *r, const struct cli_document *document, const char *to)
{
    char *path = cli_copy(to);
    cli_remote_query_options(r, &path, "target*|force*|tag|strict|force-outputs|once|why");
    if (cli_flag(r->args, "priority"))
        cli_remote_query_number(
            &path, "priority",
            cli_number(r->args, "priority", -CLI_PRIORITY_MOST, CLI_PRIORITY_MOST, 0));
    cli_remote_query(&path, "baseDir", r->is_socket ? document->base_dir : NULL);
    return path;
}

/* The same for each try: whichever of them arrives, it is one submission. */
static int make_key(struct cli_remote *r, char key[KEY_SIZE])
{
    unsigned char random[16];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return pingo__fail(&r->cli->err, PINGO_EIO, "there are no random numbers");
    int n = snprintf(key, KEY_SIZE, "Idempotency-Key: ");
    pingo__text_hex(random, sizeof random, key + n);
    return 0;
}

/* to: the path that takes it.  key: a header; NULL. */
static int send_document(struct cli_remote *r, const struct cli_document *document, const char *to,
                         const char *key)
{
    struct body body = {document->text, document->length, 0};
    struct pingo__http_stream stream = {
        .give = give, .length = (int64_t)document->length, .context = &body};
    return cli_remote_ask(r, &(struct cli_ask){.method = "POST",
                                               .path = submit_path(r, document, to),
                                               .header = key,
                                               .stream = &stream,
                                               .rewind = &body.at,
                                               .is_safe = true});
}

int cli_remote_submit(struct cli_remote *r, const char *operand, struct pingo_submission *submission)
{
    struct cli_document document;
    char key[KEY_SIZE];
    int rc = cli_document_read(&document, operand, 0);
    if (rc != CLI_OK)
        return rc;
    if (make_key(r, key) != 0 || send_document(r, &document, "/v1/workflows", key) != 0)
        return submit_failed(r, &document);
    if (!cli_remote_row(r, r->root, &pingo__view_submission, submission)) {
        cli_remote_misread(r, r->reader.rc);
        return cli_error(r->cli);
    }
    show_problems(r, document.label, "warnings");
    return CLI_OK;
}

/* The reason of an action, whole. */
static const struct pingo_why *reason_of(const struct pingo__view_planned *row,
                                         struct pingo_why *why)
{
    const struct pingo_planned *p = &row->planned;
    *why = row->why->why;
    why->id = p->id;
    why->name = p->name;
    why->hash = p->hash;
    why->decision = p->decision;
    why->reason_text = p->reason_text;
    return why;
}

int cli_remote_plan(struct cli_remote *r, const struct cli_document *document, pingo_planned_fn fn,
                    void *context, struct pingo__view_plan *plan)
{
    if (send_document(r, document, "/v1/plan", NULL) != 0)
        return submit_failed(r, document);
    const struct pingo__json_value *list =
        pingo__json_reader_member(&r->reader, r->root, "actions", PINGO__JSON_ARRAY, true);
    cli_remote_row(r, r->root, &pingo__view_plan, plan);
    for (const struct pingo__json_value *v = pingo__json_first(list); v; v = pingo__json_next(v)) {
        struct pingo__view_planned row = {0};
        struct pingo_why why;
        if (!cli_remote_row(r, v, &pingo__view_planned, &row))
            break;
        row.planned.why = row.why ? reason_of(&row, &why) : NULL;
        if (fn(context, &row.planned) != 0)
            break;
    }
    return cli_remote_misread(r, r->reader.rc) == 0 ? CLI_OK : cli_error(r->cli);
}

static int submit_again(struct cli_remote *r, int64_t workflow, struct cli_answer *a)
{
    struct pingo_submission submission = {.size = sizeof submission};
    char key[KEY_SIZE];
    struct cli_ask ask = {.method = "POST",
                          .path = cli_remote_path("/v1/workflows/%d/rerun", workflow),
                          .header = key,
                          .is_safe = true,
                          .view = &pingo__view_submission,
                          .row = &submission};
    int rc = make_key(r, key);
    if (rc == 0)
        rc = cli_remote_ask(r, &ask);
    if (rc == 0)
        cli_row(a, &submission);
    return rc;
}

/* What is submitted once more runs there; nothing is where one of the workflows is not there.  "last" is the last one
 * before this command. */
int cli_remote_rerun(struct cli_remote *r)
{
    struct cli_answer a;
    int64_t *workflows = NULL;
    int rc = cli_workflows_of(r->cli, r->args, &workflows);
    if (rc != CLI_OK)
        return rc;
    cli_list(&a, r->cli, &pingo__view_submission);
    for (size_t i = 0; rc == 0 && i < r->args->noperands; i++)
        rc = submit_again(r, workflows[i], &a);
    if (rc == 0 || a.n > 0) /* those that are submitted are told, whatever became of the others */
        cli_list_end(&a, NULL, 0);
    cli_list_drop(&a);
    return rc == 0 ? CLI_OK : cli_error(r->cli);
}
