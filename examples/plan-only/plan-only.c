/* plan-only.c - parse, hash and plan a workflow without any store.
 *
 *     cc -o plan-only *.c $(pkg-config --cflags --libs libpingo)
 *     plan-only WORKFLOW.json [HASH...]
 *
 * prints each action's hash and what would happen to it if the datasets of the given hashes were
 * stored somewhere.  This is all that a program needs that keeps results in a place of its own: the
 * planner asks a function of yours what is known of a hash.  Such a program links what planning
 * needs and nothing else: no database, no event loop. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pingo.h>

struct known {
    char **hashes; /* hex */
    int nhashes;
};

/* What do you know of this hash?  A program with a cache would look into it. */
static int look_up(void *context, const struct pingo_hash *hash, size_t action,
                   enum pingo_known *known, struct pingo_error *err)
{
    const struct known *mine = context;
    char hex[PINGO_HASH_HEX_SIZE];
    (void)action;
    (void)err; /* to be filled in by a look-up that can fail */
    pingo_hash_to_hex(hash, hex);
    *known = PINGO_KNOWN_NOTHING;
    for (int i = 0; i < mine->nhashes; i++)
        if (strcmp(mine->hashes[i], hex) == 0)
            *known = PINGO_KNOWN_STORED;
    return 0;
}

/* The whole file, to be freed; NULL where it cannot be read. */
static char *read_file(const char *path, size_t *length)
{
    size_t capacity = 1 << 16;
    char *text = malloc(capacity), *more;
    FILE *file = fopen(path, "rb");

    *length = 0;
    while (text != NULL && file != NULL) {
        *length += fread(text + *length, 1, capacity - *length, file);
        if (*length < capacity)
            break;
        more = realloc(text, capacity *= 2);
        if (more == NULL)
            free(text);
        text = more;
    }
    if (file == NULL || ferror(file)) {
        free(text);
        text = NULL;
    }
    if (file != NULL)
        fclose(file);
    return text;
}

/* Errors and warnings come as a list, each with its place in the text. */
static void print_problems(const char *path, const struct pingo_problems *problems)
{
    for (size_t i = 0; i < pingo_problems_count(problems); i++) {
        const struct pingo_problem *p = pingo_problems_at(problems, i);
        fprintf(stderr, "%s:%zu:%zu: %s: %s\n", path, p->line, p->column,
                p->severity == PINGO_SEVERITY_ERROR ? "error" : "warning", p->message);
    }
}

static void print_plan(const struct pingo_workflow *workflow, const struct pingo_digests *digests,
                       const struct pingo_plan_entry *entries)
{
    for (size_t i = 0; i < pingo_workflow_count(workflow); i++) {
        char hex[PINGO_HASH_HEX_SIZE];
        pingo_hash_to_hex(pingo_digests_hash(digests, i), hex);
        printf("%s %-7s %s (%s)\n", hex,
               pingo_plan_decision_name((enum pingo_plan_decision)entries[i].decision),
               pingo_workflow_action(workflow, i)->name,
               pingo_plan_reason_text((enum pingo_plan_reason)entries[i].reason));
    }
}

/* text -> workflow -> originals -> hashes -> plan.  Every step has one owner and one free. */
static int plan(const char *path, const char *text, size_t length, struct known *known)
{
    char base[PATH_MAX];
    struct pingo_workflow_options options = {.version = 1};
    struct pingo_workflow *workflow = NULL;
    struct pingo_problems *problems = NULL;
    struct pingo_originals *originals = NULL;
    struct pingo_digests *digests = NULL;
    struct pingo_plan_entry *entries = NULL;
    struct pingo_error err = {0};
    int rc;

    /* Relative paths in the definition start where the file lies. */
    if (realpath(path, base) == NULL)
        return PINGO_EIO;
    *strrchr(base, '/') = '\0';
    options.base_dir = *base != '\0' ? base : "/";

    rc = pingo_workflow_parse(&(struct pingo_document){text, length, &problems}, &options,
                              &workflow, &err);
    print_problems(path, problems);
    if (rc == 0)
        rc = pingo_originals_identify(workflow, NULL, &originals, &err);
    if (rc == 0)
        rc = pingo_workflow_hash(workflow, originals, &digests, &err);
    if (rc == 0 && (entries = calloc(pingo_workflow_count(workflow), sizeof *entries)) == NULL)
        rc = PINGO_ENOMEM;
    if (rc == 0)
        rc = pingo_plan(
            workflow, digests,
            &(struct pingo_plan_options){.version = 1, .lookup = look_up, .context = known},
            entries, &err);
    if (rc == 0) {
        struct pingo_plan_summary summary = pingo_plan_sum(entries, pingo_workflow_count(workflow));
        print_plan(workflow, digests, entries);
        printf("%zu to compute, %zu to reuse, %zu to join, %zu to skip\n", summary.compute,
               summary.reuse, summary.join, summary.skip);
    } else if (rc != PINGO_EWORKFLOW) {
        fprintf(stderr, "%s: %s\n", pingo_error_name(rc), err.message);
    }
    free(entries);
    pingo_digests_free(digests);
    pingo_originals_free(originals);
    pingo_problems_free(problems);
    pingo_workflow_free(workflow);
    return rc;
}

int main(int argc, char **argv)
{
    struct known known = {argv + 2, argc - 2};
    size_t length;
    char *text;
    int rc;

    if (argc < 2) {
        fprintf(stderr, "usage: plan-only WORKFLOW.json [HASH...]\n");
        return 2;
    }
    text = read_file(argv[1], &length);
    if (text == NULL) {
        fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
        return 1;
    }
    rc = plan(argv[1], text, length, &known);
    free(text);
    return rc == 0 ? 0 : 1;
}
