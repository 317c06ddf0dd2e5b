/* action.c - the rules that concern one action alone. */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "workflow/check.h"
#include "workflow/draft.h"
#include "workflow/resources.h"

static void add_id(struct pingo_problem_sink *sink, const struct pingo_action_spec *spec,
                   struct pingo_action *action)
{
    action->id = spec->id;
    if (spec->id >= 0 && spec->id <= PINGO_ID_MAX)
        return;
    action->id = PINGO__NO_ID;
    if (spec->id != PINGO__REPORTED_ID)
        pingo__workflow_report(sink, "/id", "\"id\" must be an integer from 0 to %lld; it is %lld",
                               (long long)PINGO_ID_MAX, (long long)spec->id);
}

static void add_name(struct pingo_problem_sink *sink, const struct pingo_action_spec *spec,
                     struct pingo_action *action)
{
    action->name = "";
    if (spec->name == pingo__workflow_reported)
        return;
    if (!spec->name) {
        pingo__workflow_report(sink, "", "\"name\" is missing: an action needs a name");
        return;
    }
    if (spec->name[0] == '\0')
        pingo__workflow_report(sink, "/name", "\"name\" is empty: an action needs a name");
    action->name = pingo__workflow_copy_text(sink, spec->name, "/name");
}

/* "command-line", "external", ... */
static const char *known_types(struct pingo__workflow_draft *d)
{
    const char *list = "";
    for (size_t i = 0; i < d->ntypes; i++)
        list = pingo__workflow_pointer(d, "%s%s\"%s\"", list, i == 0 ? "" : ", ", d->types[i]->name);
    return list;
}

/* A type that nobody here knows: its name is all that is known of it. */
static const struct pingo_action_type *placeholder(struct pingo__workflow_draft *d, const char *name)
{
    struct pingo_action_type *type =
        pingo__workflow_draft_array(d, &d->workflow->arena, 1, sizeof *type);
    char *copy = pingo__arena_text(&d->workflow->arena, name, strlen(name));
    d->no_memory = d->no_memory || !type || !copy;
    if (type)
        *type = (struct pingo_action_type){.abi_version = PINGO_ACTION_TYPE_ABI, .name = copy};
    return copy ? type : NULL;
}

static void add_type(struct pingo_problem_sink *sink, const struct pingo_action_spec *spec,
                     struct pingo_action *action)
{
    struct pingo__workflow_draft *d = sink->draft;
    action->type = NULL;
    if (spec->type == pingo__workflow_reported)
        return;
    if (!spec->type) {
        pingo__workflow_report(sink, "", "\"type\" is missing: the known types are %s",
                               known_types(d));
        return;
    }
    action->type = pingo__workflow_draft_type(d, spec->type);
    if (!action->type && d->options.any_type)
        action->type = placeholder(d, spec->type);
    else if (!action->type)
        pingo__workflow_report(sink, "/type", "unknown type \"%.*s\": the known types are %s",
                               pingo__workflow_quoted(spec->type), spec->type, known_types(d));
}

/* A program's name, as "tools" and "versions" take it: not empty, and no relative path.  Else it is
 * reported: what names the thing. */
static bool check_program(struct pingo_problem_sink *sink, const char *pointer, const char *what,
                          const char *name)
{
    if (!name || name[0] == '\0')
        pingo__workflow_report(sink, pointer, "a %s's name is empty: write the name of a program",
                               what);
    else if (name[0] != '/' && strchr(name, '/'))
        pingo__workflow_report(
            sink, pointer,
            "the %s \"%.*s\" is a relative path: write a name that is found on the "
            "command's PATH, or an absolute path; a program of your own can be an input",
            what, pingo__workflow_quoted(name), name);
    else
        return true;
    return false;
}

static void add_tools(struct pingo_problem_sink *sink, const struct pingo_action_spec *spec,
                      struct pingo_action *action)
{
    struct pingo__workflow_draft *d = sink->draft;
    const char **tools = pingo__workflow_draft_list(d, spec->ntools, sizeof *tools, &action->ntools);
    for (size_t i = 0; i < action->ntools; i++) {
        const char *tool = spec->tools[i];
        tools[i] = "";
        if (tool == pingo__workflow_reported)
            continue;
        const char *pointer = pingo__workflow_pointer(d, "/tools/%zu", i);
        if (check_program(sink, pointer, "tool", tool))
            tools[i] = pingo__workflow_copy_text(sink, tool, pointer);
    }
    action->tools = tools;
}

/* One command of "versions". */
static void add_version(struct pingo_problem_sink *sink, size_t i,
                        const struct pingo_version_command *given,
                        struct pingo_version_command *command)
{
    struct pingo__workflow_draft *d = sink->draft;
    const char *pointer = pingo__workflow_pointer(d, "/versions/%zu", i);
    if (given->nargv == 0 || !given->argv) {
        pingo__workflow_report(
            sink, pointer,
            "a command of \"versions\" is empty: write a program and its arguments, such "
            "as [\"samtools\", \"--version\"]");
        return;
    }
    const char **argv =
        pingo__workflow_draft_array(d, &d->workflow->arena, given->nargv, sizeof *argv);
    if (!argv)
        return;
    if (given->argv[0] != pingo__workflow_reported)
        check_program(sink, pingo__workflow_pointer(d, "%s/0", pointer), "program", given->argv[0]);
    for (size_t k = 0; k < given->nargv; k++) {
        if (!given->argv[k] && k > 0)
            pingo__workflow_report(sink, pingo__workflow_pointer(d, "%s/%zu", pointer, k),
                                   "an argument is NULL");
        argv[k] = given->argv[k] ? pingo__workflow_copy_text(sink, given->argv[k], pointer) : "";
    }
    command->argv = argv;
    command->nargv = given->nargv;
}

static void add_versions(struct pingo_problem_sink *sink, const struct pingo_action_spec *spec)
{
    struct pingo_action_more *more = &sink->draft->more;
    struct pingo_version_command *versions =
        pingo__workflow_draft_list(sink->draft, spec->nversions, sizeof *versions, &more->nversions);
    for (size_t i = 0; i < more->nversions; i++)
        if (spec->versions[i].argv != &pingo__workflow_reported_list)
            add_version(sink, i, &spec->versions[i], &versions[i]);
    more->versions = versions;
}

/* Two actions that write to one path would each destroy the other's output. */
static void check_output_path_is_free(struct pingo_problem_sink *sink, const char *path)
{
    struct pingo__workflow_draft *d = sink->draft;
    uint32_t before;
    if (!pingo__map_insert(&d->output_paths, path, strlen(path), (uint32_t)sink->action, &before)) {
        d->no_memory = true;
        return;
    }
    if (before == PINGO__MAP_NONE)
        return;
    const struct pingo_action *other = &d->workflow->actions[before];
    pingo__workflow_report(
        sink, "/outputPath",
        "the action %lld \"%.*s\" writes to %s too: give each action a path of its own",
        (long long)other->id, pingo__workflow_quoted(other->name), other->name, path);
}

const char *pingo__workflow_absolute_path(struct pingo_problem_sink *sink, const char *pointer,
                                          const char *given)
{
    struct pingo__workflow_draft *d = sink->draft;
    if (given[0] != '/' && !d->options.base_dir) {
        pingo__workflow_report(
            sink, pointer,
            "the path \"%.*s\" is relative and there is no directory that it starts "
            "at: write an absolute path",
            pingo__workflow_quoted(given), given);
        return NULL;
    }
    char *path = pingo__path_join(d->options.base_dir, given);
    const char *copy = path ? pingo__workflow_copy_text(sink, path, pointer) : NULL;
    d->no_memory = d->no_memory || !path;
    free(path);
    return copy;
}

static void add_output_path(struct pingo_problem_sink *sink, const struct pingo_action_spec *spec,
                            struct pingo_action *action)
{
    struct pingo__workflow_draft *d = sink->draft;
    const char *given = spec->output_path;
    action->is_managed = !spec->unmanaged;
    if (given == pingo__workflow_reported)
        return;
    if (!given) {
        if (spec->unmanaged)
            pingo__workflow_report(sink, "/isManaged", "%s needs %s: say where the output goes",
                                   pingo__workflow_words(d, "\"isManaged\": false", "unmanaged"),
                                   pingo__workflow_words(d, "\"outputPath\"", "output_path"));
        return;
    }
    if (!spec->unmanaged) {
        pingo__workflow_report(sink, "/outputPath", "%s goes with %s: add that, or leave it out",
                               pingo__workflow_words(d, "\"outputPath\"", "output_path"),
                               pingo__workflow_words(d, "\"isManaged\": false", "unmanaged"));
        return;
    }
    const char *path = pingo__workflow_absolute_path(sink, "/outputPath", given);
    if (!path)
        return;
    if (given[0] == '\0' || strcmp(path, "/") == 0)
        pingo__workflow_report(sink, "/outputPath",
                               "\"outputPath\" must name a file or directory that can be made");
    action->output_path = path;
    check_output_path_is_free(sink, path);
}

static void add_choices(struct pingo_problem_sink *sink, const struct pingo_action_spec *spec,
                        struct pingo_action *action)
{
    action->force_computation = spec->force_computation;
    action->keep = spec->keep;
    if ((int)spec->keep < PINGO_KEEP_DEFAULT || spec->keep > PINGO_KEEP_ALWAYS)
        pingo__workflow_report(sink, "/keep", "\"keep\" must be one of enum pingo_keep; it is %d",
                               (int)spec->keep);
    sink->draft->more.sandbox = spec->sandbox;
    if ((int)spec->sandbox < PINGO_SANDBOX_DEFAULT || spec->sandbox > PINGO_SANDBOX_ON)
        pingo__workflow_report(sink, "/sandbox",
                               "\"sandbox\" must be one of enum pingo_sandbox; it is %d",
                               (int)spec->sandbox);
    if (spec->salt && spec->salt != pingo__workflow_reported)
        action->salt = pingo__workflow_copy_text(sink, spec->salt, "/salt");
}

static void check_part(struct pingo_problem_sink *sink, enum pingo__workflow_part part, size_t i)
{
    struct pingo__workflow_draft *d = sink->draft;
    const char *wrong = d->check->wrong(d->check->context, &d->workflow->actions[sink->action],
                                        sink->action, part, i);
    static const char *const keys[] = {"inputs", "tools", "versions"};
    if (!wrong)
        return;
    pingo__workflow_report(sink,
                           pingo__workflow_pointer(d, "/%s/%zu%s", keys[part], i,
                                                   part == PINGO__PART_INPUT ? "/path" : ""),
                           "%s", wrong);
}

static void check_parts(struct pingo_problem_sink *sink, const struct pingo_action *action)
{
    for (size_t i = 0; i < action->ninputs; i++)
        if (action->inputs[i].path && !action->inputs[i].sha256)
            check_part(sink, PINGO__PART_INPUT, i);
    for (size_t i = 0; i < action->ntools; i++)
        if (action->tools[i][0] != '\0')
            check_part(sink, PINGO__PART_TOOL, i);
    for (size_t i = 0; i < action->more->nversions; i++)
        if (action->more->versions[i].nargv > 0)
            check_part(sink, PINGO__PART_VERSION, i);
}

/* Most actions have nothing more, or the same as the one before them. */
static const struct pingo_action_more *share_more(struct pingo__workflow_draft *d)
{
    if (memcmp(&d->more, &pingo__workflow_nothing_more, sizeof d->more) == 0)
        return &pingo__workflow_nothing_more;
    if (d->previous && memcmp(&d->more, d->previous, sizeof d->more) == 0)
        return d->previous;
    struct pingo_action_more *more =
        pingo__workflow_draft_array(d, &d->workflow->arena, 1, sizeof *more);
    if (!more)
        return &pingo__workflow_nothing_more;
    memcpy(more, &d->more, sizeof *more);
    d->previous = more;
    return more;
}

void pingo__workflow_draft_add(struct pingo__workflow_draft *d, const struct pingo_action_spec *spec)
{
    struct pingo_workflow *w = d->workflow;
    struct pingo_problem_sink sink = {d, w->nactions};
    if (w->nactions == d->capacity &&
        !pingo__workflow_draft_reserve(d, d->capacity == 0 ? 16 : d->capacity * 2))
        return;
    struct pingo_action *action = &w->actions[w->nactions++];
    memset(action, 0, sizeof *action);
    action->id = PINGO__NO_ID;
    action->name = "";
    action->more = &pingo__workflow_nothing_more;
    if (!spec)
        return;
    memset(&d->more, 0, sizeof d->more);
    add_id(&sink, spec, action);
    add_name(&sink, spec, action);
    add_type(&sink, spec, action);
    pingo__workflow_add_parents(&sink, spec, action);
    pingo__workflow_add_inputs(&sink, spec, action);
    pingo__workflow_check_links(&sink, spec);
    add_tools(&sink, spec, action);
    add_versions(&sink, spec);
    pingo__workflow_add_labels(&sink, spec);
    pingo__workflow_add_executor(&sink, spec);
    add_choices(&sink, spec, action);
    add_output_path(&sink, spec, action);
    pingo__workflow_add_numbers(&sink, spec, action);
    pingo__workflow_add_fields(&sink, spec, action);
    action->more = share_more(d);
    if (d->check)
        check_parts(&sink, action);
    if (action->type && action->type->validate && !d->no_memory)
        action->type->validate(action, &sink, &d->options);
}
