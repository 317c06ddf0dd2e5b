/* records.c - see records.h. */
#include "records.h"

#include <string.h>

const char *cli_records_word(struct cli_records *r, const char *text)
{
    uint32_t at = text ? pingo__map_get(&r->names, text, strlen(text)) : 0;
    if (!text)
        return NULL;
    if (at != PINGO__MAP_NONE)
        return r->words[at];
    r->words = cli_more(r->words, r->nwords, sizeof *r->words);
    char *copy = pingo__arena_text(&r->arena, text, strlen(text));
    if (!copy || !pingo__map_insert(&r->names, copy, strlen(copy), (uint32_t)r->nwords, NULL)) {
        r->cli->lacks_memory = true;
        return "";
    }
    return r->words[r->nwords++] = copy;
}

static int on_workflow(void *context, const struct pingo_workflow_status *s)
{
    struct cli_records *r = context;
    r->name = cli_copy(s->name);
    r->submitted_ms = s->submitted_ms;
    return 0;
}

static int on_action(void *context, const struct pingo_action_status *s)
{
    struct cli_records *r = context;
    bool ran = s->attempts > 0;
    r->list = cli_more(r->list, r->n, sizeof *r->list);
    char *name = pingo__arena_text(&r->arena, s->name, strlen(s->name));
    r->list[r->n++] =
        (struct cli_record){.id = s->id,
                            .name = name ? name : "",
                            .hash = s->hash,
                            .state = s->state,
                            .is_cached = !ran && (s->state == 0 ? s->decision == PINGO_PLAN_REUSE
                                                                : s->state == PINGO_ACTION_FINISHED),
                            .wall_ms = ran ? s->wall_ms : -1,
                            .cpu_ms = ran && s->user_ms >= 0 ? s->user_ms + s->system_ms : -1,
                            .max_rss_bytes = ran ? s->max_rss_bytes : -1,
                            .started_ms = ran ? s->started_ms : -1,
                            .ended_ms = ran ? s->ended_ms : -1,
                            .size_bytes = -1,
                            .node = cli_records_word(r, s->node)};
    r->cli->lacks_memory = !name || r->cli->lacks_memory;
    return r->cli->lacks_memory;
}

static int on_dataset(void *context, const struct pingo_dataset_status *s)
{
    struct cli_record *one = context;
    one->size_bytes = s->size_bytes;
    if (one->started_ms < 0)
        one->wall_ms = s->compute_ms;
    return 0;
}

int cli_records_read(struct cli_records *r, bool with_datasets)
{
    struct cli *cli = r->cli;
    struct pingo_action_query query = {.version = 1, .workflow = r->workflow};
    int rc = pingo_store_workflow(cli->store, r->workflow, on_workflow, r, &cli->err);
    if (!rc)
        rc = pingo_store_actions(cli->store, &query, on_action, r, &cli->err);
    for (size_t i = 0; !rc && i < r->n; i++) {
        struct cli_record *one = &r->list[i];
        if (one->is_cached ||
            (with_datasets && (one->state == 0 || one->state == PINGO_ACTION_FINISHED)))
            rc = pingo_store_dataset(cli->store, &one->hash, on_dataset, one, &cli->err);
        if (rc == PINGO_ENOTFOUND)
            rc = 0; /* it was erased meanwhile */
    }
    return !rc ? CLI_OK : cli->lacks_memory ? CLI_INTERNAL : cli_error(cli);
}

void cli_records_clear(struct cli_records *r)
{
    pingo__map_clear(&r->names);
    pingo__arena_clear(&r->arena);
}
