/* datasets.c - pingo datasets: what the pool holds, the most recently used first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "json.h"
#include "message.h"
#include "session.h"

struct listing {
    struct cli *cli;
    struct pingo_dataset_status *list; /* path and name are copies */
    size_t n, capacity;
    int state; /* 0: all */
};

static int add(void *context, const struct pingo_dataset_status *s)
{
    struct listing *l = context;
    if (l->state != 0 && (int)s->state != l->state)
        return 0;
    if (l->n == l->capacity) {
        l->capacity = l->capacity * 2 + 64;
        l->list = cli_grow(l->list, l->capacity * sizeof *l->list);
    }
    struct pingo_dataset_status *copy = &l->list[l->n++];
    *copy = *s;
    copy->path = cli_copy(s->path);
    copy->name = cli_copy(s->name);
    return 0;
}

static int by_last_use(const void *a, const void *b)
{
    const struct pingo_dataset_status *x = a, *y = b;
    if (x->last_used_ms != y->last_used_ms)
        return x->last_used_ms < y->last_used_ms ? 1 : -1;
    int order = memcmp(x->hash.bytes, y->hash.bytes, PINGO_HASH_SIZE);
    return order != 0 ? order : (x->generation < y->generation) - (x->generation > y->generation);
}

static cJSON *to_json(const struct pingo_dataset_status *s)
{
    cJSON *o = cli_json_object();
    cli_json_hash(o, "hash", &s->hash);
    cli_json_text(o, "state", pingo_dataset_state_name((int)s->state));
    cli_json_known(o, "sizeBytes", s->size_bytes);
    cli_json_known(o, "computeMs", s->compute_ms);
    cli_json_text(o, "path", s->path);
    cli_json_int(o, "claims", s->claims);
    if (s->keep == PINGO_KEEP_DEFAULT)
        cli_json_null(o, "keep");
    else
        cli_json_flag(o, "keep", s->keep == PINGO_KEEP_ALWAYS);
    cli_json_time(o, "lastUsed", s->last_used_ms);
    cli_json_text(o, "name", s->name);
    cli_json_int(o, "generation", s->generation);
    cli_json_flag(o, "current", s->is_current);
    cli_json_flag(o, "managed", s->is_managed);
    cli_json_time(o, "made", s->made_ms);
    cli_json_content(o, "content", &s->content);
    cli_json_flag(o, "wasDifferent", s->was_different);
    return o;
}

static void print_row(const struct listing *l, const struct pingo_dataset_status *s)
{
    char hash[CLI_SHORT_HASH], size[CLI_TEXT_SIZE], time[CLI_TEXT_SIZE], used[CLI_TEXT_SIZE];
    char name[40];
    cli_short_hash(hash, &s->hash);
    cli_format_size(size, s->size_bytes);
    cli_format_duration(time, s->compute_ms);
    cli_format_time(used, s->last_used_ms, l->cli->time_style);
    cli_clean(name, sizeof name, s->name != NULL ? s->name : "");
    printf("%s  ", hash);
    cli_pad(stdout, pingo_dataset_state_name((int)s->state), 16);
    printf("  ");
    cli_pad_left(stdout, size, 9);
    printf("  ");
    cli_pad_left(stdout, time, 9);
    printf("  ");
    cli_pad(stdout, used, 20);
    printf("  %s%s%s%s%s\n", name, s->keep == PINGO_KEEP_ALWAYS ? "  (pinned)" : "",
           s->claims > 0 ? "  (claimed)" : "", s->is_managed ? "" : "  (unmanaged)",
           s->was_different ? "  (differs from an earlier generation)" : "");
}

static int state_of(const char *text)
{
    char upper[32];
    size_t n = strlen(text) < sizeof upper ? strlen(text) : sizeof upper - 1;
    for (size_t i = 0; i < n; i++)
        upper[i] = text[i] == '-'                     ? '_'
                   : text[i] >= 'a' && text[i] <= 'z' ? (char)(text[i] - 'a' + 'A')
                                                      : text[i];
    upper[n] = '\0';
    for (int state = PINGO_DATASET_TO_DELETE; state <= PINGO_DATASET_DELETED; state++)
        if (strcmp(upper, pingo_dataset_state_name(state)) == 0)
            return state;
    return 0;
}

static void print_all(const struct listing *l)
{
    int64_t bytes = 0;
    char all[CLI_TEXT_SIZE];
    if (l->n > 0)
        printf("%sHASH          STATE                  SIZE    COMPUTE  LAST USED             "
               "NAME%s\n",
               cli_colour(stdout, CLI_BOLD), cli_colour(stdout, CLI_PLAIN));
    for (size_t i = 0; i < l->n; i++) {
        print_row(l, &l->list[i]);
        if (l->list[i].size_bytes > 0 && l->list[i].path != NULL)
            bytes += l->list[i].size_bytes;
    }
    cli_format_size(all, bytes);
    cli_note("%zu dataset%s, %s", l->n, l->n == 1 ? "" : "s", all);
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct listing l = {.cli = cli};
    struct pingo_error err = {0};
    const char *state = cli_value(args, "state");
    if (state != NULL && (l.state = state_of(state)) == 0)
        return cli_usage(args, "--state takes one of TO_DELETE, TO_STORE, TO_LEAF, STORED, LEAF, "
                               "STORED_TO_DELETE, PROCESSING, DELETING, DELETED");
    int status = cli_open(cli);
    if (status != CLI_OK)
        return status;
    bool all = cli_flag(args, "all") || l.state == PINGO_DATASET_DELETED;
    if (pingo_store_datasets(cli->store, all, add, &l, &err) != 0)
        status = cli_error(cli, &err);
    if (l.n > 1)
        qsort(l.list, l.n, sizeof *l.list, by_last_use);
    if (status == CLI_OK && cli->json) {
        struct cli_json json;
        cli_json_begin(&json, stdout);
        cli_json_open(&json, NULL, '[');
        for (size_t i = 0; i < l.n; i++)
            cli_json_item(&json, NULL, to_json(&l.list[i]));
        cli_json_close(&json);
    } else if (status == CLI_OK) {
        print_all(&l);
    }
    for (size_t i = 0; i < l.n; i++) {
        free((char *)(uintptr_t)l.list[i].path);
        free((char *)(uintptr_t)l.list[i].name);
    }
    free(l.list);
    return status;
}

static const struct cli_option options[] = {
    {'s', "state", "STATE", "only those in this state, such as STORED or LEAF"},
    {'a', "all", NULL, "every generation, deleted ones too"},
};

const struct cli_command cli_datasets = {
    .name = "datasets",
    .synopsis = "",
    .summary = "list the datasets, the last used first",
    .description =
        "Lists the datasets: hash, state, size, what they took to compute, when they were last\n"
        "used, and the action that made them.  The last used come first.",
    .example = "  pingo datasets\n  pingo datasets --state STORED --time-style relative\n"
               "  pingo datasets --json | jq 'map(.sizeBytes // 0) | add'\n",
    CLI_OPTIONS(options),
    .flags = CLI_TAKES_JSON | CLI_TAKES_TIMES | CLI_NEEDS_STORE,
    .run = run,
};
