/* workflows.h - from a text straight to hashes, for tests. */
#ifndef TEST_DIGEST_WORKFLOWS_H
#define TEST_DIGEST_WORKFLOWS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include <pingo/action_type.h>
#include <pingo/digest.h>

static inline struct pingo_workflow *parse_with(const char *text,
                                                const struct pingo_workflow_options *options)
{
    struct pingo_workflow *workflow = NULL;
    struct pingo_problems *problems = NULL;
    struct pingo_error error = {0};

    if (pingo_workflow_parse(&(struct pingo_document){text, strlen(text), &problems}, options,
                             &workflow, &error) != 0)
        fail_msg("%s in %s", error.message, text);
    pingo_problems_free(problems);
    return workflow;
}

static inline struct pingo_workflow *parse_in(const char *text, const char *base_dir)
{
    struct pingo_workflow_options options = {.version = 1, .base_dir = base_dir};

    return parse_with(text, &options);
}

static inline struct pingo_digests *digest(const struct pingo_workflow *workflow)
{
    struct pingo_originals *originals = NULL;
    struct pingo_digests *digests = NULL;
    struct pingo_error error = {0};

    if (pingo_originals_identify(workflow, NULL, &originals, &error) != 0 ||
        pingo_workflow_hash(workflow, originals, &digests, &error) != 0)
        fail_msg("%s", error.message);
    pingo_originals_free(originals);
    return digests;
}

/* The hash of the action with this id. */
static inline struct pingo_hash hash_with(const char *text, int64_t id,
                                          const struct pingo_workflow_options *options)
{
    struct pingo_workflow *workflow = parse_with(text, options);
    struct pingo_digests *digests = digest(workflow);
    struct pingo_hash hash = *pingo_digests_hash(digests, pingo_workflow_find(workflow, id));

    pingo_digests_free(digests);
    pingo_workflow_free(workflow);
    return hash;
}

static inline struct pingo_hash hash_of_action(const char *text, int64_t id)
{
    struct pingo_workflow_options options = {.version = 1, .base_dir = "/base"};

    return hash_with(text, id, &options);
}

static inline bool same_hash(const struct pingo_hash *a, const struct pingo_hash *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

#endif
