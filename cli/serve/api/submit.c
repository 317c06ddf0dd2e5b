/* submit.c - workflows come in: submitted, planned, validated.
 *
 * The text is the body, which lies in a file: it is mapped, and copied nowhere. */
#include "serve/api/submit.h"
#include "serve/api/own.h"
#include "serve/route/routes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct submit {
    struct serve_ask *ask;
    struct pingo_submit_options options;
    const char *text;
    size_t length;
    struct pingo_problems *problems;
};

/* Relative paths start where the client says, if it is on this machine as the owner of the store is. */
static const char *ask_base_dir(struct serve_ask *ask)
{
    const char *dir = serve_query(ask->request, "baseDir");
    const char *way = ask->request->who.way;
    if (!dir || ask->is_wrong)
        return NULL;
    if (!way || strcmp(way, "socket") != 0)
        serve_ask_refuse(ask, 403, "baseDir is for clients of the socket: give absolute paths");
    else if (dir[0] != '/')
        serve_ask_refuse(ask, 400, "baseDir is an absolute path, not \"%.64s\"", dir);
    return ask->is_wrong ? NULL : dir;
}

static void ask_options(struct submit *s)
{
    struct serve_ask *ask = s->ask;
    s->options.version = 3;
    s->options.base_dir = ask_base_dir(ask);
    s->options.strict = serve_ask_flag(ask, "strict");
    s->options.force_outputs = serve_ask_flag(ask, "forceOutputs");
    s->options.targets = serve_ask_all(ask, "target", &s->options.ntargets);
    s->options.forced = serve_ask_all(ask, "force", &s->options.nforced);
}

/* What is empty is a text as well, of which is told what it lacks.  false: there is none, and the answer says so. */
static bool map_text(struct submit *s)
{
    const struct serve_request *r = s->ask->request;
    if (s->ask->is_wrong)
        return false;
    s->length = (size_t)r->body_bytes;
    s->text = s->length > 0 ? serve_map(r) : "";
    if (!s->text)
        serve_ask_refuse(s->ask, 503, "the text cannot be mapped");
    return s->text;
}

/* rc: of what was done with the text. */
static bool has_failed(struct submit *s, int rc)
{
    if (rc != 0)
        serve_problem(s->ask->answer, s->ask->err, s->problems);
    s->ask->is_wrong = s->ask->is_wrong || rc != 0;
    return rc != 0;
}

static void done(struct submit *s)
{
    if (s->length > 0)
        serve_unmap(s->ask->request, s->text);
    pingo_problems_free(s->problems);
}

static struct pingo_workflow *parse(struct submit *s)
{
    struct pingo_workflow_options options = {
        .version = 1, .base_dir = s->options.base_dir, .strict = s->options.strict};
    struct pingo_workflow *workflow = NULL;
    pingo_workflow_parse(&(struct pingo_document){s->text, s->length, &s->problems}, &options,
                         &workflow, s->ask->err);
    return workflow;
}

/* Does it name files that who sends it may not?  Then the answer says so. */
static bool may_name(struct submit *s)
{
    const char *roots;
    struct pingo_workflow *workflow = NULL;
    serve_roots(s->ask, &roots);
    if (roots && !has_failed(s, (workflow = parse(s)) ? 0 : s->ask->err->code))
        serve_roots_check(s->ask, roots, workflow);
    pingo_workflow_free(workflow);
    if (!s->ask->is_wrong) {
        pingo_problems_free(s->problems);
        s->problems = NULL;
    }
    return !s->ask->is_wrong;
}

/* The row, with the problems in its list. */
static void write_answer(struct submit *s, const struct pingo__view_table *view, const void *row)
{
    struct pingo__writer w = {0};
    pingo__view_open(&w, view, row);
    for (size_t i = 0; i < pingo_problems_count(s->problems); i++)
        pingo__view_object(&w, NULL, &pingo__view_problem, pingo_problems_at(s->problems, i));
    pingo__view_close(&w, view, row);
    serve_written(s->ask->answer, &w);
}

static void write_submitted(struct submit *s, const struct pingo_submission *submission)
{
    write_answer(s, &pingo__view_submitted, submission);
    s->ask->answer->status = submission->found ? 200 : 201;
    serve_header(s->ask->answer, "Location", "/v1/workflows/%" PRId64, submission->workflow);
}

void serve_api_submit(struct serve_ask *ask)
{
    struct submit s = {.ask = ask};
    struct pingo_submission submission = {.size = sizeof submission};
    ask_options(&s);
    s.options.priority =
        serve_ask_number(ask, "priority", (struct serve_range){-1000000000, 1000000000, 0});
    s.options.tag = serve_query(ask->request, "tag");
    s.options.once = serve_ask_flag(ask, "once");
    s.options.key = serve_asked(ask->request, "idempotency-key");
    if (map_text(&s) && may_name(&s)) {
        int rc =
            pingo_store_submit(ask->store, &(struct pingo_document){s.text, s.length, &s.problems},
                               &s.options, &submission, ask->err);
        /* What was found by a tag, and changes nothing, may be somebody else's. */
        if (!has_failed(&s, rc) && (!submission.found || serve_own_has_it(ask, submission.workflow)))
            write_submitted(&s, &submission);
    }
    done(&s);
}

/* What it names is looked at again: the setting, or a link, may be another by now. */
static bool may_again(struct submit *s, int64_t workflow)
{
    struct serve_ask *ask = s->ask;
    const char *roots;
    char *text = NULL, *base_dir = NULL;
    serve_roots(ask, &roots);
    if (roots)
        SERVE_CALL(ask, pingo_store_text, workflow, &text, &s->length);
    if (roots)
        SERVE_CALL(ask, pingo_store_base_dir, workflow, &base_dir);
    s->text = text;
    s->options.base_dir = base_dir;
    bool may = !ask->is_wrong && (!roots || may_name(s));
    pingo_problems_free(s->problems);
    s->problems = NULL;
    s->options.base_dir = NULL; /* it is the store's to know what is submitted again */
    free(text);
    free(base_dir);
    return may;
}

void serve_api_rerun(struct serve_ask *ask)
{
    struct submit s = {.ask = ask};
    struct pingo_submission submission = {.size = sizeof submission};
    int64_t workflow = serve_ask_workflow(ask);
    s.options.version = 3;
    s.options.key = serve_asked(ask->request, "idempotency-key");
    if (may_again(&s, workflow) &&
        !has_failed(
            &s, pingo_store_submit_again(ask->store, workflow, &s.options, &submission, ask->err)))
        write_submitted(&s, &submission);
}

bool serve_submit_text(struct serve_ask *ask, const char *text, size_t length,
                       const struct pingo_submit_options *options,
                       struct pingo_submission *submission)
{
    struct submit s = {.ask = ask, .options = *options, .text = text, .length = length};
    bool is_submitted =
        may_name(&s) &&
        !has_failed(&s, pingo_store_submit(ask->store,
                                           &(struct pingo_document){text, length, &s.problems},
                                           options, submission, ask->err));
    pingo_problems_free(s.problems);
    return is_submitted;
}

struct planning {
    struct serve_ask *ask;
    struct pingo__writer *w;
};

/* Reasons are not grouped: who prints them does that. */
static int on_planned(void *context, const struct pingo_planned *planned)
{
    struct planning *p = context;
    struct pingo__view_why why = {0};
    if (planned->why)
        why.why = serve_own_why(p->ask, planned->why);
    pingo__view_object(p->w, NULL, &pingo__view_planned,
                       &(struct pingo__view_planned){*planned, planned->why ? &why : NULL});
    return p->w->out.failed;
}

void serve_api_plan(struct serve_ask *ask)
{
    struct submit s = {.ask = ask};
    struct pingo__view_plan plan = {.totals.size = sizeof plan.totals};
    struct pingo_workflow *workflow = NULL;
    struct pingo__writer w = {0};
    struct planning planning = {ask, &w};
    ask_options(&s);
    s.options.why = serve_ask_flag(ask, "why");
    s.options.planned = on_planned;
    s.options.context = &planning;
    if (map_text(&s) && may_name(&s) &&
        !has_failed(&s, (workflow = parse(&s)) ? 0 : ask->err->code)) {
        plan.workflow = pingo_workflow_name(workflow);
        pingo_problems_free(s.problems);
        s.problems = NULL;
        pingo__view_open(&w, &pingo__view_plan, &plan);
        if (!has_failed(&s, pingo_store_plan(ask->store,
                                             &(struct pingo_document){s.text, s.length, &s.problems},
                                             &s.options, &plan.totals, ask->err))) {
            pingo__view_close(&w, &pingo__view_plan, &plan);
            serve_written(ask->answer, &w);
        }
    }
    pingo__writer_clear(&w);
    pingo_workflow_free(workflow);
    done(&s);
}

void serve_api_validate(struct serve_ask *ask)
{
    struct submit s = {.ask = ask};
    s.options.base_dir = ask_base_dir(ask);
    s.options.strict = serve_ask_flag(ask, "strict");
    if (!map_text(&s))
        return;
    struct pingo_workflow *workflow = parse(&s);
    if (!workflow && pingo_problems_count(s.problems) == 0)
        has_failed(&s, ask->err->code);
    else
        write_answer(&s, &pingo__view_verdict, &(struct pingo__view_verdict){workflow});
    pingo_workflow_free(workflow);
    done(&s);
}
