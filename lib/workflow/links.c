/* links.c - roles and input names: what becomes a link in the directory in/. */
#include <stdio.h>
#include <string.h>

#include "workflow/draft.h"

static bool is_letter_or_digit(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* How many bytes of the name are a word; 0: it begins with none. */
static size_t word_length(const char *name)
{
    size_t n = 0;
    if (!is_letter_or_digit(name[0]))
        return 0;
    while (is_letter_or_digit(name[n]) || name[n] == '.' || name[n] == '-')
        n++;
    return n <= 64 ? n : 0;
}

bool pingo__workflow_is_word(const char *name)
{
    size_t n = word_length(name);
    return n > 0 && name[n] == '\0';
}

bool pingo__workflow_is_link_name(const char *name)
{
    for (size_t words = 1; words <= PINGO__WORDS_MAX; words++) {
        size_t n = word_length(name);
        if (n == 0 || name[n] == '\0')
            return n > 0;
        if (name[n] != '/')
            return false;
        name += n + 1;
    }
    return false;
}

/* The i-th position, from 1, with as many digits as n has. */
static const char *position_role(struct pingo_problem_sink *sink, size_t i, size_t n)
{
    static const char *const digits[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9"};
    if (n <= 9)
        return digits[i];
    char text[32];
    snprintf(text, sizeof text, "%0*zu", snprintf(NULL, 0, "%zu", n), i + 1);
    return pingo__workflow_copy_text(sink, text, "");
}

static const char *given_role(struct pingo_problem_sink *sink, size_t i, const char *role)
{
    if (pingo__workflow_is_word(role))
        return pingo__workflow_copy_text(sink, role, "");
    pingo__workflow_report(sink, pingo__workflow_pointer(sink->draft, "/parentActions/%zu/as", i),
                           "the role \"%.*s\" must be %s", pingo__workflow_quoted(role), role,
                           PINGO__WORD_RULE);
    return "";
}

void pingo__workflow_add_parents(struct pingo_problem_sink *sink,
                                 const struct pingo_action_spec *spec, struct pingo_action *action)
{
    struct pingo__workflow_draft *d = sink->draft;
    struct pingo_parent *parents =
        pingo__workflow_draft_list(d, spec->nparents, sizeof *parents, &action->nparents);
    for (size_t i = 0; i < action->nparents; i++) {
        const struct pingo_parent_spec *p = &spec->parents[i];
        /* The id stands in for the index until all ids are known. */
        _Static_assert(SIZE_MAX >= PINGO_ID_MAX, "Pingo needs a processor of 64 bits");
        parents[i].index = SIZE_MAX;
        if (p->id >= 0 && p->id <= PINGO_ID_MAX)
            parents[i].index = (size_t)p->id;
        else if (p->id != PINGO__REPORTED_ID)
            pingo__workflow_report(sink, pingo__workflow_pointer(d, "/parentActions/%zu/id", i),
                                   "\"id\" must be an integer from 0 to %lld; it is %lld",
                                   (long long)PINGO_ID_MAX, (long long)p->id);
        if (!p->as)
            parents[i].role = position_role(sink, i, spec->nparents);
        else
            parents[i].role = p->as == pingo__workflow_reported ? "" : given_role(sink, i, p->as);
    }
    action->parents = parents;
}

const char *pingo__workflow_link_name(const struct pingo_action *action, size_t i)
{
    if (i < action->nparents)
        return action->parents[i].role;
    return action->inputs[i - action->nparents].name;
}

/* Where the i-th link's name stands, and what it is called. */
static const char *place_of(struct pingo__workflow_draft *d, const struct pingo_action *action,
                            const struct pingo_action_spec *spec, size_t i, const char **what)
{
    *what = i < action->nparents ? "role" : "input name";
    if (i >= action->nparents)
        return pingo__workflow_pointer(d, "/inputs/%zu/name", i - action->nparents);
    /* A role that was not written has no place of its own. */
    return pingo__workflow_pointer(d, "/parentActions/%zu%s", i, spec->parents[i].as ? "/as" : "");
}

static void report_twice(struct pingo_problem_sink *sink, const struct pingo_action_spec *spec,
                         size_t first, size_t second)
{
    const struct pingo_action *action = &sink->draft->workflow->actions[sink->action];
    const char *what;
    const char *pointer = place_of(sink->draft, action, spec, second, &what);
    pingo__workflow_report(
        sink, pointer,
        "the %s \"%s\" is %s of this action already: all become links in the directory "
        "in/, so each needs a name of its own",
        what, pingo__workflow_link_name(action, second),
        first < action->nparents ? "a role" : "an input name");
}

/* Is a folder of the i-th name the name of another link? */
static void check_folders(struct pingo_problem_sink *sink, const struct pingo_action_spec *spec,
                          size_t i, const struct pingo__map *by_name)
{
    const struct pingo_action *action = &sink->draft->workflow->actions[sink->action];
    const char *name = pingo__workflow_link_name(action, i);
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        size_t length = (size_t)(slash - name);
        if (pingo__map_get(by_name, name, length) == PINGO__MAP_NONE)
            continue;
        const char *what;
        const char *pointer = place_of(sink->draft, action, spec, i, &what);
        pingo__workflow_report(
            sink, pointer,
            "the %s \"%s\" lies in in/%.*s, which is a role or an input of this action "
            "itself: no name may be a folder of another",
            what, name, (int)length, name);
        return;
    }
}

void pingo__workflow_check_links(struct pingo_problem_sink *sink,
                                 const struct pingo_action_spec *spec)
{
    const struct pingo_action *action = &sink->draft->workflow->actions[sink->action];
    size_t n = action->nparents + action->ninputs, first = 0; /* that has a name which was given */
    struct pingo__map seen = {.arena = &sink->draft->scratch};
    while (first < action->nparents && !spec->parents[first].as)
        first++;
    if (n < 2 || first == n)
        return;
    for (size_t i = 0; i < n && !sink->draft->no_memory; i++) {
        const char *name = pingo__workflow_link_name(action, i);
        if (name[0] == '\0')
            continue;
        uint32_t before;
        if (!pingo__map_insert(&seen, name, strlen(name), (uint32_t)i, &before))
            sink->draft->no_memory = true;
        else if (before != PINGO__MAP_NONE)
            report_twice(sink, spec, before, i);
    }
    for (size_t i = action->nparents; i < n && !sink->draft->no_memory; i++)
        check_folders(sink, spec, i, &seen);
}
