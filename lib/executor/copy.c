/* copy.c - a job outlives the call of start; see context.h. */
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "executor/context.h"

struct copying {
    struct pingo__arena *arena;
    bool failed;
};

static void *bytes(struct copying *c, const void *from, size_t n)
{
    void *to = c->failed || n == 0 ? NULL : pingo__arena_alloc(c->arena, n);
    if (to)
        memcpy(to, from, n);
    c->failed = c->failed || (n && !to);
    return to;
}

static char *text(struct copying *c, const char *from)
{
    return from ? bytes(c, from, strlen(from) + 1) : NULL;
}

/* n texts, or as many as there are before a NULL, which is copied, too. */
static const char *const *texts(struct copying *c, const char *const *from, size_t n, bool is_ended)
{
    while (from && is_ended && from[n])
        n++;
    const char **to = from && !c->failed ? pingo__arena_array(c->arena, n + 1, sizeof *to) : NULL;
    c->failed = c->failed || (from && !to);
    for (size_t i = 0; to && i < n; i++)
        to[i] = text(c, from[i]);
    return to;
}

static void copy_links(struct copying *c, struct pingo_job *to)
{
    struct pingo_job_link *links = bytes(c, to->links, to->nlinks * sizeof *links);
    for (size_t i = 0; links && i < to->nlinks; i++) {
        links[i].name = text(c, links[i].name);
        links[i].target = text(c, links[i].target);
        if (links[i].content)
            links[i].content = bytes(c, links[i].content, sizeof *links[i].content);
    }
    to->links = links;
}

static void copy_inputs(struct copying *c, struct pingo_job *to)
{
    struct pingo_described_input *inputs = bytes(c, to->inputs, to->ninputs * sizeof *inputs);
    for (size_t i = 0; inputs && i < to->ninputs; i++) {
        inputs[i].name = text(c, inputs[i].name);
        inputs[i].kind = text(c, inputs[i].kind);
        inputs[i].identity = text(c, inputs[i].identity);
        inputs[i].version = text(c, inputs[i].version);
    }
    to->inputs = inputs;
}

static void copy_licences(struct copying *c, struct pingo_job *to)
{
    struct pingo_counter *licences = bytes(c, to->licences, to->nlicences * sizeof *licences);
    for (size_t i = 0; licences && i < to->nlicences; i++)
        licences[i].name = text(c, licences[i].name);
    to->licences = licences;
}

int pingo__executor_copy(struct pingo__arena *arena, const struct pingo_job *job,
                         struct pingo_job *to, struct pingo_error *err)
{
    struct copying c = {.arena = arena};
    *to = *job;
    to->arena = NULL;
    const char **const single[] = {&to->store_id,      &to->name,        &to->type,
                                   &to->payload,       &to->attempt_dir, &to->staged_path,
                                   &to->output,        &to->user,        &to->executor_options,
                                   &to->attempt_place, &to->staged_place};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        *single[i] = text(&c, *single[i]);
    to->argv = texts(&c, job->argv, 0, true);
    to->env = texts(&c, job->env, 0, true);
    to->readable = texts(&c, job->readable, 0, true);
    to->places = texts(&c, job->places, job->nlinks, false);
    copy_inputs(&c, to);
    copy_links(&c, to);
    copy_licences(&c, to);
    return c.failed ? pingo__fail_memory(err) : 0;
}
