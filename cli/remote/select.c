/* select.c - pingo --server: which actions of a workflow are meant, by id, by name, by pattern and by label, as
 * select.c of the library says; the server's list is looked through, and told in its order. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "remote/remote.h"
#include "signals.h"

struct word {
    const char *text;
    bool is_named; /* by an id or a name; else it is a pattern */
    int64_t id;
    size_t matches;
};
struct search {
    struct cli_remote *r;
    struct word *words;
    size_t nwords, nlabels;
    const char **labels;
    struct cli_remote_selection *found;
};

static bool has_label(const struct pingo_action_status *s, const char *label)
{
    const char *equals = strchr(label, '=');
    size_t n = (size_t)(equals - label);
    for (size_t i = 0; i + 1 < s->nlabels; i += 2)
        if (strlen(s->labels[i]) == n && memcmp(s->labels[i], label, n) == 0)
            return strcmp(s->labels[i + 1], equals + 1) == 0 ||
                   pingo__text_glob(equals + 1, s->labels[i + 1]);
    return false;
}

static int look_at(void *context, const void *row)
{
    struct search *x = context;
    const struct pingo_action_status *s = row;
    bool is_meant = x->nwords == 0;
    for (size_t i = 0; i < x->nwords; i++) {
        struct word *w = &x->words[i];
        bool is_it = w->is_named ? w->id == s->id : pingo__text_glob(w->text, s->name);
        w->matches += is_it;
        is_meant = is_meant || is_it;
    }
    for (size_t i = 0; i < x->nlabels; i++)
        is_meant = is_meant && has_label(s, x->labels[i]);
    if (is_meant) {
        x->found->ids = cli_more(x->found->ids, x->found->n, sizeof *x->found->ids);
        x->found->ids[x->found->n++] = s->id;
    }
    return 0;
}

/* A word that is no id and no name may be a pattern. */
static int resolve(struct search *x, int64_t workflow, struct word *w)
{
    struct pingo_action_status action = {0};
    int rc = cli_remote_get(x->r, &pingo__view_action, &action, "/v1/workflows/%d/actions/%s",
                            workflow, w->text);
    w->is_named = rc == 0;
    w->id = action.id;
    return rc == PINGO_ENOTFOUND && pingo__text_is_glob(w->text) ? 0 : rc;
}

static int check_found(struct search *x, int64_t workflow)
{
    struct pingo_error *err = &x->r->cli->err;
    for (size_t i = 0; i < x->nwords; i++)
        if (x->words[i].matches == 0)
            return pingo__fail(err, PINGO_ENOTFOUND,
                               "no action of workflow %" PRId64 " has a name like \"%s\"", workflow,
                               x->words[i].text);
    if (x->found->n > 0)
        return 0;
    return pingo__fail(err, PINGO_ENOTFOUND,
                       "no %saction of workflow %" PRId64 " has the label%s %s",
                       x->nwords > 0 ? "such " : "", workflow, x->nlabels > 1 ? "s" : "",
                       x->nlabels > 0 ? x->labels[0] : "");
}

int cli_remote_select(struct cli_remote *r, int64_t workflow, struct cli_remote_selection *selection)
{
    const struct cli_args *args = r->args;
    struct search x = {.r = r, .nwords = args->noperands - 1, .found = selection};
    int rc = 0;
    x.labels = cli_values(args, "label", &x.nlabels);
    x.words = cli_alloc((x.nwords + 1) * sizeof *x.words);
    for (size_t i = 0; i < x.nlabels && rc == 0; i++)
        if (!strchr(x.labels[i], '=') || x.labels[i][0] == '=')
            rc = pingo__fail(&r->cli->err, PINGO_EINVAL, "\"%.100s\" is no label: KEY=VALUE",
                             x.labels[i]);
    for (size_t i = 0; i < x.nwords && rc == 0; i++) {
        x.words[i] = (struct word){.text = args->operands[i + 1]};
        rc = resolve(&x, workflow, &x.words[i]);
    }
    struct cli_remote_list all = {.path = cli_remote_path("/v1/workflows/%d/actions", workflow),
                                  .view = &pingo__view_action,
                                  .fn = look_at,
                                  .context = &x};
    if (rc == 0 && x.nwords == 1 && x.words[0].is_named && x.nlabels == 0)
        look_at(&x, &(struct pingo_action_status){.id = x.words[0].id});
    else if (rc == 0)
        rc = cli_remote_each(r, &all);
    if (rc == 0)
        rc = check_found(&x, workflow);
    return rc;
}

struct telling {
    struct cli_answer *answer;
    const struct cli_remote_selection *selection;
    size_t at;
};

/* The list comes in the same order again; what was not there before is passed over. */
static int tell(void *context, const void *row)
{
    struct telling *t = context;
    if (t->at == t->selection->n)
        return 1;
    if (((const struct pingo_action_status *)row)->id != t->selection->ids[t->at])
        return 0;
    t->at++;
    return cli_row(t->answer, row);
}

static int tell_one(struct cli_remote *r, int64_t workflow, int64_t id, struct cli_answer *a)
{
    struct pingo_action_status action = {0};
    int rc = cli_remote_get(r, &pingo__view_action, &action, "/v1/workflows/%d/actions/%d",
                            workflow, id);
    return rc ? rc : cli_row(a, &action) ? PINGO_EINTERRUPTED : 0;
}

int cli_remote_tell_selected(struct cli_remote *r, int64_t workflow,
                             const struct cli_remote_selection *selection, struct cli_answer *a)
{
    struct telling t = {a, selection, 0};
    struct cli_remote_list all = {.path = cli_remote_path("/v1/workflows/%d/actions", workflow),
                                  .view = &pingo__view_action,
                                  .fn = tell,
                                  .context = &t};
    int rc =
        selection->n == 1 ? tell_one(r, workflow, selection->ids[0], a) : cli_remote_each(r, &all);
    return rc == PINGO_EINTERRUPTED && cli_signal_caught() == 0 ? 0 : rc;
}
