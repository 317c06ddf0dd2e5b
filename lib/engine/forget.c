/* forget.c - a submission's text, descriptions and logs are erased; numbers and hashes stay.
 *
 * What always holds: what a submission that is not forgotten needs is left whole; the history has the same
 * numbers, hashes and edges as before, so that decisions are the same.  In this order: rows, in one
 * transaction; files; then the database's own files.  Done again after a crash it ends the work. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/growing.h"
#include "digest/likeness.h"
#include "engine/engine.h"
#include "manager/dataset/reclaim.h"
#include "store/submission/forget.h"

struct forget {
    struct pingo_store *store;
    const int64_t *workflows;
    size_t n;
    struct pingo__arena arena;
    struct pingo_forgotten result;
    struct pingo_error left; /* why files are left: the first reason */
};

/* ---- what nothing else needs ------------------------------------------------------------- */

static int redact(struct forget *f, const struct pingo_hash *hash, struct pingo__buffer *buffer,
                  struct pingo_error *err)
{
    struct pingo__store_db *db = &f->store->db;
    struct pingo__store_bytes known;
    struct pingo__arena arena = {0};
    bool is_new = false;
    pingo__buffer_reset(buffer);
    int rc = pingo__store_definition_get(db, hash, &arena, &known, err);
    if (!rc && known.bytes) {
        rc = pingo__digest_likeness_redacted(known.bytes, known.n, buffer, err);
        struct pingo__store_bytes redacted = {buffer->data, buffer->length};
        if (!rc)
            rc = pingo__store_forget_definition(db, hash, &redacted, &is_new, err);
        f->result.descriptions += is_new;
    }
    pingo__arena_clear(&arena);
    return rc;
}

static int forget_descriptions(struct forget *f, struct pingo_error *err)
{
    struct pingo__buffer buffer = {0};
    struct pingo__store_hash_list hashes = {.arena = &f->arena};
    int rc = pingo__store_forget_list(&f->store->db, &hashes, err);
    for (size_t i = 0; !rc && i < hashes.n; i++)
        rc = redact(f, &hashes.rows[i], &buffer, err);
    pingo__buffer_clear(&buffer);
    return rc ? rc : pingo__store_forget_places(&f->store->db, err);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static int check_ended(struct forget *f, int64_t number, struct pingo_error *err)
{
    struct pingo__store_workflow_row row;
    int rc = pingo__engine_workflow_row(f->store, number, &f->arena, &row, err);
    if (!rc && (row.state == PINGO_WORKFLOW_RUNNING || row.unfinished))
        rc = pingo__fail(err, PINGO_ESTATE,
                         "workflow %" PRId64 " has not ended: kill it, or wait, and then forget it",
                         number);
    return rc;
}

static int forget_rows(struct forget *f, struct pingo_error *err)
{
    struct pingo__store_db *db = &f->store->db;
    int64_t ntexts = 0;
    int rc = 0;
    for (size_t i = 0; !rc && i < f->n; i++)
        rc = check_ended(f, f->workflows[i], err);
    for (size_t i = 0; !rc && i < f->n; i++)
        rc = pingo__store_forget_workflow(db, f->workflows[i], err);
    if (!rc)
        rc = pingo__store_forget_documents(db, &ntexts, err);
    f->result.texts = (size_t)ntexts;
    for (size_t i = 0; !rc && i < f->n; i++) {
        int64_t other = 0;
        rc = pingo__store_forget_shares(db, f->workflows[i], &other, err);
        f->result.shared += other != 0;
        f->result.shared_by = other ? other : f->result.shared_by;
    }
    return rc ? rc : forget_descriptions(f, err);
}

/* ---- files ------------------------------------------------------------------------------------ */

static int forget_attempts(struct forget *f, int64_t workflow, struct pingo_error *err)
{
    struct pingo__store_key_list list = {.arena = &f->arena};
    int rc = pingo__store_attempt_list_of_workflow(&f->store->db, workflow, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++) {
        char name[PINGO__NAME_SIZE];
        pingo__name_attempt(name, list.rows[i].action, list.rows[i].epoch);
        struct pingo__pool_state st;
        struct pingo_error why = {0};
        rc = pingo__pool_state(&f->store->pool, name, &st, &why);
        if (!rc && st.exists) {
            rc = pingo__pool_trash(&f->store->pool, name, &why);
            f->result.attempts += rc == 0;
        }
        if (rc && !f->left.code)
            f->left = why;
        rc = rc && pingo__pool_is_remote(&f->store->pool) ? pingo__fail(err, rc, "%s", why.message)
                                                          : 0;
    }
    return rc;
}

/* What a detached run of it said: it may hold the last lines of logs. */
static int forget_run(struct forget *f, int64_t workflow, struct pingo_error *err)
{
    const struct pingo__world *w = f->store->context.world;
    char *path =
        pingo__arena_format(&f->arena, "%s/runs/%" PRId64 ".log", f->store->directory, workflow);
    int rc = path ? w->unlink(w->context, AT_FDCWD, path, 0) : -ENOMEM;
    return rc < 0 && rc != -ENOENT ? pingo__fail_os(err, -rc, "removing", path) : 0;
}

static void forget_failures(struct forget *f, struct pingo_error *err)
{
    struct pingo__store_db *db = &f->store->db;
    int rc = pingo__store_db_begin(db, err);
    if (!rc)
        rc = pingo__store_failure_forget(db, f->workflows, f->n, err);
    pingo__store_db_end(db, rc, err);
}

static int forget_all(struct forget *f, struct pingo_error *err)
{
    int rc = pingo__store_db_begin(&f->store->db, err);
    for (size_t i = 0; !rc && i < f->n; i++) {
        char object[64];
        snprintf(object, sizeof object, "workflow %" PRId64, f->workflows[i]);
        rc = pingo__engine_may_rule(f->store, "forget", object, err);
    }
    if (!rc)
        rc = forget_rows(f, err);
    rc = pingo__store_db_end(&f->store->db, rc, err);
    if (!rc) /* a month of the archive that is away keeps no logs */
        forget_failures(f, &f->left);
    for (size_t i = 0; !rc && i < f->n; i++)
        rc = forget_attempts(f, f->workflows[i], err);
    for (size_t i = 0; !rc && i < f->n; i++)
        rc = forget_run(f, f->workflows[i], err);
    if (!rc && f->result.attempts)
        rc = pingo__manager_trash_empty(&f->store->context, err);
    if (!rc)
        rc = pingo__store_forget_rewrite(&f->store->db, err);
    return !rc && f->left.code
               ? pingo__fail(err, f->left.code, "not all is forgotten: %s", f->left.message)
               : rc;
}

int pingo_store_forget(struct pingo_store *store, const int64_t *workflows, size_t n,
                       struct pingo_forgotten *forgotten, struct pingo_error *err)
{
    struct forget f = {.store = store, .workflows = workflows, .n = n};
    int rc = pingo__growing_result_check(forgotten, "pingo_forgotten", err);
    if (rc)
        return rc;
    rc = forget_all(&f, err);
    if (rc)
        f.result = (struct pingo_forgotten){0};
    pingo__growing_result_put(forgotten, &f.result, sizeof f.result);
    pingo__arena_clear(&f.arena);
    return rc;
}
