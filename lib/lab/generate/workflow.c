/* workflow.c - a submission of a history as a workflow that can be run for real.
 *
 * Thesis 4.2 has an action that takes "the size of an output in megabytes, the time
 * of execution in seconds, and a String to act as a differentiator".  Here it is a line of
 * shell, so that its hash needs no program of ours, and is the same on every machine.
 * The string is the beginning of the action's hash: the output repeats it, and it is
 * the role under which children read it.  An output depends on nothing else, and so never
 * grows with what lies above it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <pingo-lab/generate.h>

#include "base/array.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/growing.h"
#include "base/map.h"
#include "base/text.h"

#define MARK_SIZE 17 /* 16 digits and NUL */
#define SCALE_MAX 1e6
#define VALUE_MAX INT64_C(9007199254740991)
#define SECOND_US INT64_C(1000000)

/* What was read begins with the name under which it is read, as far as it goes. */
static const char check_parents[] =
    "for i in in/*; do read -r line <\"$i\" || [ -f \"$i\" ] || exit 1; "
    "case ${i#in/} in \"$line\"*) ;; *) echo \"$i holds something else\" >&2; exit 1;; esac; "
    "done; ";

struct maker {
    const struct pingo_history *history;
    double time_scale, size_scale;
    uint32_t *actions; /* of the workflow: each once, in the order in which they are mentioned */
    size_t n;
    struct pingo__map positions; /* of hashes */
    bool *forced;                /* of each */
    struct pingo__buffer command;
    struct pingo_parent_spec *parents; /* of one action */
    char (*roles)[MARK_SIZE];
    size_t parents_capacity, roles_capacity;
};

/* ---- which actions ------------------------------------------------------------------------------ */

static uint32_t position_of(const struct maker *m, uint32_t action)
{
    return pingo__map_get(&m->positions, pingo_history_hash(m->history, action)->bytes,
                          PINGO_HASH_SIZE);
}

/* A submission has the parents of all its actions, but may mention an action twice. */
static bool find_actions(struct maker *m, const struct pingo_history_submission *s)
{
    m->actions = calloc(s->nactions + 1, sizeof *m->actions);
    m->forced = calloc(s->nactions + 1, sizeof *m->forced);
    bool ok = m->actions && m->forced;
    for (size_t i = 0; ok && i < s->nactions; i++) {
        const struct pingo_hash *hash = pingo_history_hash(m->history, s->actions[i]);
        uint32_t at;
        ok = pingo__map_insert(&m->positions, hash->bytes, PINGO_HASH_SIZE, (uint32_t)m->n, &at);
        if (at == PINGO__MAP_NONE)
            m->actions[at = (uint32_t)m->n++] = s->actions[i];
        m->forced[at] = m->forced[at] || (s->flags[i] & PINGO_HISTORY_FORCED);
    }
    return ok;
}

/* ---- one action ----------------------------------------------------------------------------------- */

static void mark_of(const struct maker *m, uint32_t action, char mark[MARK_SIZE])
{
    pingo__text_hex(pingo_history_hash(m->history, action)->bytes, (MARK_SIZE - 1) / 2, mark);
}

/* In whole units; what is unknown counts as 0. */
static int64_t scaled(int64_t value, double scale)
{
    double x = value < 0 || scale < 0 ? 0 : (double)value * scale + 0.5;
    return x < (double)VALUE_MAX ? (int64_t)x : VALUE_MAX;
}

/* It sleeps beside its work, so that both together take the time. */
static const char *write_command(struct maker *m, uint32_t action, size_t nparents)
{
    struct pingo__buffer *b = &m->command;
    int64_t size = scaled(pingo_history_size(m->history, action), m->size_scale);
    int64_t time_us = scaled(pingo_history_compute(m->history, action), m->time_scale * 1000);
    char mark[MARK_SIZE];
    mark_of(m, action, mark);
    pingo__buffer_reset(b);
    if (time_us > 0)
        pingo__buffer_format(b, "sleep %" PRId64 ".%06" PRId64 " & ", time_us / SECOND_US,
                             time_us % SECOND_US);
    if (nparents > 0)
        pingo__buffer_text(b, check_parents);
    pingo__buffer_format(b, "yes %s | head -c %" PRId64 " >output || exit 1", mark, size);
    if (time_us > 0)
        pingo__buffer_text(b, "; wait");
    return pingo__buffer_cstr(b);
}

static int add_to_workflow(struct maker *m, size_t position, struct pingo_workflow_builder *builder,
                           struct pingo_error *err)
{
    uint32_t action = m->actions[position];
    size_t nparents;
    const uint32_t *parents = pingo_history_parents(m->history, action, &nparents);
    char name[16];
    const char *command = write_command(m, action, nparents);
    /* "yes" is to be ended by the pipe that "head" closes. */
    static const char *const shell = "sh";
    struct pingo_field fields[] = {{"command", PINGO_FIELD_TEXT, &command, 1},
                                   {"shell", PINGO_FIELD_TEXT, &shell, 1}};
    struct pingo_action_spec spec = {.version = 1,
                                     .id = (int64_t)position + 1,
                                     .name = name,
                                     .type = "command-line",
                                     .nparents = nparents,
                                     .fields = fields,
                                     .nfields = 2,
                                     .force_computation = m->forced[position]};
    if (!command || !PINGO__ARRAY_ROOM(m->parents, m->parents_capacity, 0, nparents) ||
        !PINGO__ARRAY_ROOM(m->roles, m->roles_capacity, 0, nparents))
        return pingo__fail_memory(err);
    snprintf(name, sizeof name, "a%" PRIu32, action);
    for (size_t i = 0; i < nparents; i++) {
        mark_of(m, parents[i], m->roles[i]);
        m->parents[i].id = (int64_t)position_of(m, parents[i]) + 1;
        m->parents[i].as = m->roles[i];
    }
    spec.parents = m->parents;
    return pingo_workflow_builder_add(builder, &spec, err);
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static int read_scales(struct maker *m, const struct pingo_generate_workflow_options *options,
                       struct pingo_error *err)
{
    struct pingo_generate_workflow_options o;
    int rc = PINGO__OPTIONS_TAKE(pingo_generate_workflow_options, options, &o, err);
    if (rc != 0)
        return rc;
    m->time_scale = o.time_scale != 0 ? o.time_scale : 1;
    m->size_scale = o.size_scale != 0 ? o.size_scale : 1;
    if (!(m->time_scale <= SCALE_MAX) || !(m->size_scale > 0 && m->size_scale <= SCALE_MAX))
        return pingo__fail(err, PINGO_EINVAL, "a scale is a number greater than 0, at most %.0f",
                           SCALE_MAX);
    return 0;
}

static int print(struct maker *m, const char *name, char **text, struct pingo_error *err)
{
    size_t length;
    struct pingo_workflow_builder *builder = NULL;
    struct pingo_workflow *workflow = NULL;
    int rc = pingo_workflow_builder_new(name, NULL, &builder, err);
    for (size_t i = 0; rc == 0 && i < m->n; i++)
        rc = add_to_workflow(m, i, builder, err);
    if (rc == 0)
        rc = pingo_workflow_builder_finish(builder, &workflow, NULL, err);
    if (rc == 0)
        rc = pingo_workflow_print(workflow, text, &length, err);
    pingo_workflow_free(workflow);
    pingo_workflow_builder_free(builder);
    return rc;
}

int pingo_generate_workflow(const struct pingo_history *history, uint32_t submission,
                            const struct pingo_generate_workflow_options *options, char **text,
                            struct pingo_error *err)
{
    struct maker m = {.history = history};
    struct pingo_history_submission s = {.size = sizeof s};
    int rc = read_scales(&m, options, err);
    *text = NULL;
    if (rc != 0)
        return rc;
    if (pingo_history_submission(history, submission, &s) != 0)
        return pingo__fail(err, PINGO_ENOTFOUND, "the history has no submission %" PRIu32,
                           submission);
    if (!find_actions(&m, &s))
        rc = pingo__fail_memory(err);
    if (rc == 0)
        rc = print(&m, s.workflow[0] != '\0' ? s.workflow : "unnamed", text, err);
    pingo__map_clear(&m.positions);
    pingo__buffer_clear(&m.command);
    free(m.actions);
    free(m.forced);
    free(m.parents);
    free(m.roles);
    return rc;
}
