/* inputs.c - the rules of original datasets: a path, or a uri with a version. */
#include <string.h>

#include "workflow/draft.h"

/* Where problems of one input go. */
struct spot {
    struct pingo_problem_sink *sink;
    size_t index;
};

static const char *at(const struct spot *spot, const char *key)
{
    return pingo__workflow_pointer(spot->sink->draft, "/inputs/%zu%s", spot->index, key);
}

#define report(spot, key, ...) pingo__workflow_report((spot)->sink, at(spot, key), __VA_ARGS__)

static bool is_given(const char *text)
{
    return text && text != pingo__workflow_reported;
}

static const char *copy(const struct spot *spot, const char *text, const char *key)
{
    /* The pointer is wanted only where UTF-8 is still to be checked. */
    return pingo__workflow_copy_text(spot->sink, text,
                                     spot->sink->draft->source ? "" : at(spot, key));
}

static void add_name(const struct spot *spot, const char *name, struct pingo_input *input)
{
    input->name = "";
    if (!name)
        report(spot, "", "\"name\" is missing: the command finds the input as in/NAME");
    else if (name != pingo__workflow_reported && !pingo__workflow_is_link_name(name))
        report(spot, "/name",
               "the input name \"%.*s\" must be %s; up to %d such words may be joined by /",
               pingo__workflow_quoted(name), name, PINGO__WORD_RULE, PINGO__WORDS_MAX);
    else if (name != pingo__workflow_reported)
        input->name = copy(spot, name, "/name");
}

static void add_path(const struct spot *spot, const char *given, struct pingo_input *input)
{
    if (given[0] == '\0') {
        report(spot, "/path", "\"path\" is empty: write the path of a file or directory");
        return;
    }
    input->path = pingo__workflow_absolute_path(spot->sink, at(spot, "/path"), given);
}

static void add_uri(const struct spot *spot, const struct pingo_input *given,
                    struct pingo_input *input)
{
    if (given->uri[0] == '\0')
        report(spot, "/uri", "\"uri\" is empty: write a URI");
    input->uri = copy(spot, given->uri, "/uri");
    if (!given->version)
        report(spot, "",
               "\"version\" is missing: it goes with \"uri\" and says which content is "
               "meant");
    else if (given->version != pingo__workflow_reported && given->version[0] == '\0')
        report(spot, "/version", "\"version\" is empty: say which content of the uri is meant");
    else if (given->version != pingo__workflow_reported)
        input->version = copy(spot, given->version, "/version");
}

/* Says what does not go with a uri. */
static void check_uri_alone(const struct spot *spot, const struct pingo_input *given)
{
    if (is_given(given->sha256))
        report(spot, "/sha256", "\"sha256\" goes with \"path\"; a \"uri\" has \"version\"");
    if (given->identity != PINGO_IDENTITY_CONTENT)
        report(spot, "/identity", "\"identity\" goes with \"path\"; a \"uri\" has \"version\"");
}

static bool is_sha256(const char *text)
{
    size_t n = strspn(text, "0123456789abcdef");
    return n == 64 && text[n] == '\0';
}

static void add_path_identity(const struct spot *spot, const struct pingo_input *given,
                              struct pingo_input *input)
{
    if (is_given(given->version))
        report(spot, "/version",
               "\"version\" goes with \"uri\"; a \"path\" is known by its content: leave "
               "it out");
    if ((int)given->identity < PINGO_IDENTITY_CONTENT || given->identity > PINGO_IDENTITY_STAT)
        report(spot, "/identity", "\"identity\" must be one of enum pingo_identity; it is %d",
               (int)given->identity);
    input->identity = given->identity;
    if (!is_given(given->sha256))
        return;
    if (!is_sha256(given->sha256))
        report(spot, "/sha256", "\"sha256\" must be 64 lower-case hexadecimal digits");
    else
        input->sha256 = copy(spot, given->sha256, "/sha256");
    if (given->identity == PINGO_IDENTITY_STAT)
        report(spot, "/identity", "%s and %s exclude each other: leave one out",
               pingo__workflow_words(spot->sink->draft, "\"identity\": \"stat\"",
                                     "PINGO_IDENTITY_STAT"),
               pingo__workflow_words(spot->sink->draft, "\"sha256\"", "sha256"));
}

static void add_input(const struct spot *spot, const struct pingo_input *given,
                      struct pingo_input *input)
{
    add_name(spot, given->name, input);
    if (given->path && given->uri) {
        report(spot, "", "an input has \"path\" or \"uri\", not both: leave one out");
        return;
    }
    if (!given->path && !given->uri) {
        report(spot, "", "an input needs \"path\", or \"uri\" and \"version\"");
        return;
    }
    if (given->uri) {
        if (given->uri != pingo__workflow_reported)
            add_uri(spot, given, input);
        check_uri_alone(spot, given);
        return;
    }
    if (given->path != pingo__workflow_reported)
        add_path(spot, given->path, input);
    add_path_identity(spot, given, input);
}

void pingo__workflow_add_inputs(struct pingo_problem_sink *sink,
                                const struct pingo_action_spec *spec, struct pingo_action *action)
{
    struct pingo_input *inputs =
        pingo__workflow_draft_list(sink->draft, spec->ninputs, sizeof *inputs, &action->ninputs);
    for (size_t i = 0; i < action->ninputs; i++) {
        struct spot spot = {sink, i};
        add_input(&spot, &spec->inputs[i], &inputs[i]);
    }
    action->inputs = inputs;
}
