/* tags.c - finding a submission again by its tag; and what is asked after every tick, quickly. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "engine/engine.h"

#define TAG_MAX 255

int pingo__engine_tag_check(const char *tag, struct pingo_error *err)
{
    size_t n = tag ? strlen(tag) : 0;
    bool printable = n > 0 && n <= TAG_MAX && pingo__text_is_utf8(tag, n);
    for (size_t i = 0; printable && i < n; i++)
        printable = (unsigned char)tag[i] >= 0x20 && tag[i] != 0x7f;
    return !tag || printable
               ? 0
               : pingo__fail(err, PINGO_EINVAL,
                             "a tag is 1 to %d bytes of UTF-8 without control characters", TAG_MAX);
}

int pingo__engine_tag_note(struct pingo_store *store, const struct pingo_submit_options *options,
                           const struct pingo_submission *submission, struct pingo_error *err)
{
    return options->tag ? pingo__store_tag_set(&store->db, submission->workflow, options->tag, err)
                        : 0;
}

int pingo__engine_tag_submitted(struct pingo_store *store,
                                const struct pingo_submit_options *options,
                                struct pingo_submission *submission, struct pingo_error *err)
{
    int64_t workflow = 0;
    if (!options->tag || !options->once)
        return 0;
    int rc = pingo__store_tag_find(&store->db, options->tag, &workflow, err);
    if (rc || !workflow)
        return rc;
    struct pingo__store_workflow_row row;
    rc = pingo__engine_workflow_row(store, workflow, NULL, &row, err);
    if (!rc)
        *submission = (struct pingo_submission){.workflow = workflow,
                                                .state = (enum pingo_workflow_state)row.state,
                                                .summary = row.summary,
                                                .found = true};
    return rc;
}

int pingo_store_find_tag(struct pingo_store *store, const char *tag, int64_t *workflow,
                         struct pingo_error *err)
{
    *workflow = 0;
    int rc = pingo__store_tag_find(&store->db, tag, workflow, err);
    if (!rc && !*workflow)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "no submission has the tag \"%s\"", tag);
    return rc;
}

int pingo_store_workflow_state(struct pingo_store *store, int64_t workflow,
                               enum pingo_workflow_state *state, struct pingo_error *err)
{
    struct pingo__store_workflow_row row;
    int rc = pingo__engine_workflow_row(store, workflow, NULL, &row, err);
    if (!rc)
        *state = (enum pingo_workflow_state)row.state;
    return rc;
}
