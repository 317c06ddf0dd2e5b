/* tags.c - finding a submission again by its tag, or by the key of its request; and what is asked after every tick,
 * quickly. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "digest/sha256.h"
#include "engine/engine.h"

#define KEY_MS (24 * 60 * 60 * 1000)

int pingo__engine_label_check(const char *label, const char *what, size_t max,
                              struct pingo_error *err)
{
    size_t n = label ? strlen(label) : 0;
    bool printable = n > 0 && n <= max && pingo__text_is_utf8(label, n);
    for (size_t i = 0; printable && i < n; i++)
        printable = (unsigned char)label[i] >= 0x20 && label[i] != 0x7f;
    return !label || printable
               ? 0
               : pingo__fail(err, PINGO_EINVAL,
                             "%s is 1 to %zu bytes of UTF-8 without control characters", what, max);
}

static int tell_found(struct pingo_store *store, int64_t workflow,
                      struct pingo_submission *submission, struct pingo_error *err)
{
    struct pingo__store_workflow_row row;
    int rc = pingo__engine_workflow_row(store, workflow, NULL, &row, err);
    if (!rc)
        *submission = (struct pingo_submission){.workflow = workflow,
                                                .state = pingo__store_workflow_shown(&row),
                                                .summary = row.summary,
                                                .found = true};
    return rc;
}

int pingo__engine_tag_submitted(struct pingo_store *store,
                                const struct pingo_submit_options *options,
                                struct pingo_submission *submission, struct pingo_error *err)
{
    int64_t workflow = 0;
    if (!options->tag || !options->once)
        return 0;
    int rc = pingo__store_tag_find(&store->db, options->tag, &workflow, err);
    return rc || !workflow ? rc : tell_found(store, workflow, submission, err);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void append(struct pingo__buffer *b, const char *text)
{
    pingo__buffer_u8(b, !!text);
    pingo__buffer_counted(b, text ? text : "", text ? strlen(text) : 0);
}

static void append_all(struct pingo__buffer *b, const char *const *texts, size_t n)
{
    pingo__buffer_u64(b, n);
    for (size_t i = 0; i < n; i++)
        append(b, texts[i]);
}

/* All that a request asks for; text: the digest of its text and base_dir, which the digest of all takes the place
 * of. */
static int digest_request(const struct pingo_submit_options *o, struct pingo_hash *text,
                          struct pingo_error *err)
{
    struct pingo__buffer b = {0};
    pingo__buffer_append(&b, text->bytes, sizeof text->bytes);
    pingo__buffer_u8(&b, o->strict);
    pingo__buffer_u8(&b, o->force_outputs);
    pingo__buffer_u8(&b, o->once);
    pingo__buffer_u64(&b, (uint64_t)o->priority);
    append_all(&b, o->targets, o->ntargets);
    append_all(&b, o->forced, o->nforced);
    append(&b, o->tag);
    return pingo__digest_buffer(&b, text) ? pingo__fail_memory(err) : 0;
}

static int find_request(struct pingo_store *store, const struct pingo__store_request *asked,
                        struct pingo_submission *submission, struct pingo_error *err)
{
    struct pingo__store_request found;
    int rc = pingo__store_request_find(&store->db, asked, asked->at_ms - KEY_MS, &found, err);
    if (rc || !found.workflow)
        return rc;
    if (memcmp(&found.digest, &asked->digest, sizeof found.digest) != 0)
        return pingo__fail(err, PINGO_EKEY,
                           "the key \"%.80s\" was given to another request, which is workflow "
                           "%" PRId64 ": a new request has a new key",
                           asked->key, found.workflow);
    rc = tell_found(store, found.workflow, submission, err);
    if (!rc)
        submission->state = found.state; /* the answer is as it was */
    return rc;
}

int pingo__engine_key_take(struct pingo_store *store, const struct pingo_submit_options *options,
                           struct pingo__engine_key *key, struct pingo_submission *submission,
                           struct pingo_error *err)
{
    struct pingo__store_request *r = &key->request;
    int rc = pingo__engine_label_check(options->key, "a key", PINGO__LABEL_MAX, err);
    if (rc || !options->key)
        return rc;
    r->key = options->key;
    r->user = options->user ? options->user : pingo__engine_store_user(store);
    r->at_ms = pingo__manager_now_ms(&store->context);
    rc = digest_request(options, &r->digest, err);
    if (!rc)
        rc = pingo__store_request_take(&store->db, r, &key->is_held, err);
    if (!rc && !key->is_held)
        return pingo__fail(err, PINGO_EPENDING,
                           "the request with the key \"%.80s\" is being worked on: ask again",
                           r->key);
    return rc ? rc : find_request(store, r, submission, err);
}

int pingo__engine_key_note(struct pingo_store *store, struct pingo__engine_key *key,
                           const struct pingo_submission *submission, struct pingo_error *err)
{
    struct pingo__store_request *r = &key->request;
    r->workflow = submission->workflow;
    r->state = submission->state;
    return r->key ? pingo__store_request_note(&store->db, r, r->at_ms - KEY_MS, err) : 0;
}

void pingo__engine_key_let_go(struct pingo_store *store, struct pingo__engine_key *key)
{
    if (key->is_held)
        pingo__store_request_let_go(&store->db, &key->request);
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
        *state = pingo__store_workflow_shown(&row);
    return rc;
}
