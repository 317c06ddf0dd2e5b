/* graph.c - a submission of very many actions, for pictures: a letter an action, and the actions around one. */
#include <stdlib.h>

#include "serve/api/ask.h"
#include "serve/route/routes.h"

/* By what struct pingo_states says of an action. */
static const char letters[] = "?wrpsRFXKC......-=+c";

static void put_states(struct pingo__writer *w, int64_t workflow, const struct pingo_states *states,
                       char *text)
{
    for (size_t i = 0; i < states->n; i++)
        text[i] = states->states[i] < sizeof letters - 1 ? letters[states->states[i]] : '?';
    text[states->n] = '\0';
    pingo__writer_open(w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_int(w, "workflow", workflow);
    pingo__writer_text(w, "states", text);
    if (states->depths) {
        pingo__writer_open(w, "ids", PINGO__WRITER_ARRAY);
        for (size_t i = 0; i < states->n; i++)
            pingo__writer_int(w, NULL, states->ids[i]);
        pingo__writer_close(w);
        pingo__writer_open(w, "depths", PINGO__WRITER_ARRAY);
        for (size_t i = 0; i < states->n; i++)
            pingo__writer_int(w, NULL, states->depths[i]);
        pingo__writer_close(w);
    }
    pingo__writer_close(w);
}

void serve_api_states(struct serve_ask *ask)
{
    int64_t workflow = serve_ask_workflow(ask);
    bool with_depths = serve_ask_flag(ask, "depths");
    struct pingo_states *states = NULL;
    struct pingo__writer w = {0};
    SERVE_CALL(ask, pingo_store_states, workflow, with_depths, &states);
    if (!states)
        return;
    char *text = pingo__arena_array(ask->arena, states->n + 1, 1);
    if (text)
        put_states(&w, workflow, states, text);
    else
        w.out.failed = true;
    serve_written(ask->answer, &w);
    free(states);
}

SERVE_ROWS(on_neighbour, struct pingo_neighbour)

void serve_api_graph(struct serve_ask *ask)
{
    struct serve_list list = serve_list(ask, &pingo__view_neighbour);
    struct pingo_neighbour_query query = {
        .version = 1,
        .workflow = serve_ask_workflow(ask),
        .action = serve_query(ask->request, "around"),
        .hops = (size_t)serve_ask_number(ask, "hops", (struct serve_range){1, 1000, 2}),
        .limit = (size_t)serve_ask_number(ask, "limit", (struct serve_range){1, 200, 200})};
    if (!query.action)
        serve_ask_refuse(ask, 400, "around is missing: the id or the unique name of an action");
    SERVE_LIST(&list, pingo_store_neighbours, &query, on_neighbour);
}
