/* box.h - a store in a scratch directory, a scheduler on it, and an executor whose jobs end when
 * the test says so.  Names of actions are those of their jobs.  SQL looks at rows directly. */
#ifndef TEST_ENGINE_BOX_H
#define TEST_ENGINE_BOX_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pingo.h>
#include <pingo/executor.h>

#include "engine/engine.h"
#include "engine/scheduler.h"
#include "pool/posix/posix.h"

#define UNUSED(x) (void)(x)

/* ---- an executor that does as it is told -------------------------------------------------- */

struct job {
    struct pingo_job_key key;
    char name[32], staged[256], dir[256];
    size_t nlinks;
    char links[8][256];
    bool revoked, killed, ended, forgotten, adopted, grew;
    bool sees_gpus; /* their devices are open to it */
    int64_t memory_mb;
    struct pingo_job_end end;
};

struct fake {
    struct job jobs[2048];
    size_t n;
    int start_error;    /* what start returns */
    bool cannot_revoke; /* jobs count as started at once */
    bool knows_nothing; /* adopt finds nothing */
    bool tells_started;
    bool is_away; /* what it talks to does not answer */
    int64_t memory_most;
    int64_t counted; /* so many GPUs there are, and of each licence; 0: it does not count */
};

static inline int fake_away(const struct fake *f, struct pingo_error *err)
{
    if (f->is_away && err)
        snprintf(err->message, sizeof err->message, "the controller does not answer");
    return f->is_away ? PINGO_EAWAY : 0;
}

/* The executor's open is told nothing of the test. */
static struct fake *fake_now;

static inline struct job *fake_at(struct fake *f, struct pingo_job_key key)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->jobs[i].key.action == key.action && f->jobs[i].key.epoch == key.epoch)
            return &f->jobs[i];
    return NULL;
}

/* The newest job of this name that has neither ended nor been revoked. */
static inline struct job *fake_job(struct fake *f, const char *name)
{
    for (size_t i = f->n; i-- > 0;)
        if (strcmp(f->jobs[i].name, name) == 0 && !f->jobs[i].ended && !f->jobs[i].revoked)
            return &f->jobs[i];
    return NULL;
}

static inline int fake_open(const struct pingo_executor_context *context, void **executor,
                            struct pingo_error *err)
{
    UNUSED(context);
    UNUSED(err);
    *executor = fake_now;
    return 0;
}

static inline void fake_close(void *executor)
{
    UNUSED(executor);
}

static inline int fake_start(void *executor, const struct pingo_job *job, struct pingo_error *err)
{
    struct fake *f = executor;
    struct job *j = &f->jobs[f->n];

    if (f->start_error) {
        if (err)
            snprintf(err->message, sizeof err->message, "it does not start");
        return f->start_error;
    }
    assert_true(f->n < sizeof f->jobs / sizeof *f->jobs);
    assert_null(fake_at(f, job->key));
    memset(j, 0, sizeof *j);
    j->key = job->key;
    snprintf(j->name, sizeof j->name, "%s", job->name);
    snprintf(j->staged, sizeof j->staged, "%s", job->staged_path);
    snprintf(j->dir, sizeof j->dir, "%s", job->attempt_dir);
    for (j->nlinks = 0; j->nlinks < job->nlinks && j->nlinks < 8; j->nlinks++)
        snprintf(j->links[j->nlinks], sizeof *j->links, "%s", job->links[j->nlinks].target);
    j->memory_mb = job->memory_bytes >> 20;
    j->grew = job->grew;
    for (const char *const *path = job->readable; path && *path; path++)
        j->sees_gpus = j->sees_gpus || strcmp(*path, "/dev/nvidia0") == 0;
    f->n++;
    return 0;
}

static inline int fake_revoke(void *executor, struct pingo_job_key key, const char *dir,
                              bool *revoked, struct pingo_error *err)
{
    struct fake *f = executor;
    struct job *j = fake_at(f, key);

    UNUSED(dir);
    if (fake_away(f, err))
        return PINGO_EAWAY;
    *revoked = !f->cannot_revoke && !(j && j->ended);
    if (j && *revoked)
        j->revoked = true;
    return 0;
}

static inline int fake_kill(void *executor, struct pingo_job_key key, struct pingo_error *err)
{
    struct job *j = fake_at(executor, key);

    if (fake_away(executor, err))
        return PINGO_EAWAY;
    if (j)
        j->killed = true;
    return 0;
}

static inline int fake_adopt(void *executor, const struct pingo_job_key *keys, size_t n,
                             bool *found, struct pingo_error *err)
{
    struct fake *f = executor;

    if (fake_away(f, err))
        return PINGO_EAWAY;
    for (size_t i = 0; i < n; i++) {
        struct job *j = fake_at(f, keys[i]);

        found[i] = !f->knows_nothing && j && !j->revoked;
        if (found[i])
            j->adopted = true;
    }
    return 0;
}

static inline int fake_collect(void *executor, const struct pingo_executor_reports *r,
                               struct pingo_error *err)
{
    struct fake *f = executor;

    if (fake_away(f, err))
        return PINGO_EAWAY;
    for (size_t i = 0; i < f->n; i++) {
        if (f->tells_started && !f->jobs[i].revoked && !f->jobs[i].forgotten)
            r->started(r->context, f->jobs[i].key);
        if (f->jobs[i].ended && !f->jobs[i].forgotten)
            r->ended(r->context, &f->jobs[i].end);
    }
    return 0;
}

static inline void fake_forget(void *executor, struct pingo_job_key key)
{
    struct job *j = fake_at(executor, key);

    if (j)
        j->forgotten = true;
}

static inline int fake_poll_fd(void *executor)
{
    UNUSED(executor);
    return -1;
}

static inline int64_t fake_timeout_ms(void *executor)
{
    UNUSED(executor);
    return -1;
}

static inline int64_t fake_slots(void *executor)
{
    UNUSED(executor);
    return 4;
}

static inline int64_t fake_counted(void *executor, const char *licence)
{
    const struct fake *f = executor;

    UNUSED(licence);
    return f->counted ? f->counted : -1;
}

static inline int64_t fake_memory_most(void *executor, const char *options)
{
    UNUSED(options);
    return ((struct fake *)executor)->memory_most;
}

static const char *const fake_types[] = {"command-line", NULL};
static const struct pingo_executor_type fake_type = {
    .abi_version = PINGO_EXECUTOR_ABI,
    .name = "fake",
    .action_types = fake_types,
    .open = fake_open,
    .close = fake_close,
    .start = fake_start,
    .revoke = fake_revoke,
    .kill = fake_kill,
    .adopt = fake_adopt,
    .collect = fake_collect,
    .forget = fake_forget,
    .poll_fd = fake_poll_fd,
    .timeout_ms = fake_timeout_ms,
    .slots = fake_slots,
    .memory_most = fake_memory_most,
    .counted = fake_counted,
};
static const struct pingo_executor_type *const fake_list[] = {&fake_type};

/* ---- the box -------------------------------------------------------------------------------- */

struct box {
    char root[64], dir[80];
    struct pingo_store *store;
    struct pingo_scheduler *s;
    struct fake fake;
    bool external; /* set before box_open: external actions instead of the fake's */
    struct pingo_event events[8192];
    size_t nevents;
    char log[1024]; /* the last message */
};

static inline void box_event(void *context, const struct pingo_event *event)
{
    struct box *b = context;

    assert_true(b->nevents < sizeof b->events / sizeof *b->events);
    /* The commit is over: the lock is free and no transaction is open. */
    assert_true(!b->store || !b->store->db.writing);
    b->events[b->nevents++] = *event;
}

static inline void box_log(void *context, enum pingo_log_level level, const char *message)
{
    struct box *b = context;

    UNUSED(level);
    snprintf(b->log, sizeof b->log, "%s", message);
}

static inline void well(int rc, const struct pingo_error *err)
{
    if (rc < 0)
        fail_msg("%s: %s", pingo_error_name(rc), err->message);
    assert_int_equal(rc, 0);
}

static inline void box_open_store(struct box *b)
{
    struct pingo_store_options options = {
        .version = 1, .event = box_event, .log = box_log, .context = b};
    struct pingo_error err;

    well(pingo_store_open(b->dir, &options, &b->store, &err), &err);
}

static inline void box_open_scheduler(struct box *b)
{
    struct pingo_scheduler_options options = {
        .version = 1, .executors = fake_list, .nexecutors = 1, .external = b->external};
    struct pingo_error err;

    fake_now = &b->fake;
    well(pingo_scheduler_open(b->store, &options, &b->s, &err), &err);
}

/* A new store, and a scheduler on it. */
static inline void box_open(struct box *b)
{
    struct pingo_error err;

    /* In memory where that can be had: these tests commit a great deal and lose no power. */
    strcpy(b->root,
           access("/dev/shm", W_OK) == 0 ? "/dev/shm/pingo-unit-XXXXXX" : "/tmp/pingo-unit-XXXXXX");
    assert_non_null(mkdtemp(b->root));
    snprintf(b->dir, sizeof b->dir, "%s/.pingo", b->root);
    well(pingo_store_init(b->dir, NULL, &err), &err);
    box_open_store(b);
    box_open_scheduler(b);
}

static inline void box_leave(struct box *b)
{
    pingo_scheduler_close(b->s);
    pingo_store_close(b->store);
    b->s = NULL;
    b->store = NULL;
}

/* As after a crash: another process is there, and the executor still has its jobs. */
static inline void box_reopen(struct box *b)
{
    box_leave(b);
    box_open_store(b);
    box_open_scheduler(b);
}

static inline int box_remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    UNUSED(st);
    UNUSED(ftw);
    if (kind == FTW_D)
        chmod(path, 0700);
    return 0;
}

static inline int box_unlink_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    UNUSED(st);
    UNUSED(kind);
    UNUSED(ftw);
    return remove(path);
}

static inline void box_remove(const char *root)
{
    nftw(root, box_remove_one, 16, FTW_PHYS);
    nftw(root, box_unlink_one, 16, FTW_PHYS | FTW_DEPTH);
}

static inline void box_close(struct box *b)
{
    box_leave(b);
    box_remove(b->root);
    free(b);
}

static inline struct box *box_new(void)
{
    struct box *b = calloc(1, sizeof *b);

    assert_non_null(b);
    box_open(b);
    return b;
}

/* ---- doing -------------------------------------------------------------------------------------- */

/* Quotes in texts are single ones. */
static inline char *json_of(const char *text)
{
    char *copy = strdup(text);

    assert_non_null(copy);
    for (char *p = copy; *p; p++)
        if (*p == '\'')
            *p = '"';
    return copy;
}

#define A(id, more)                                                                                \
    "{'id':" #id ",'name':'a" #id "','type':'command-line','command':['x" #id "']" more "}"
#define P(...) ",'parentActions':[" __VA_ARGS__ "]"
#define FROM(id) "{'id':" #id ",'as':'p" #id "'}"
#define W(actions) "{'name':'w','actions':[" actions "]}"

static inline int box_try_submit(struct box *b, const char *text,
                                 const struct pingo_submit_options *o,
                                 struct pingo_submission *submission, struct pingo_error *err)
{
    char *json = json_of(text);
    struct pingo_submit_options options = {.version = 2, .base_dir = b->root, .user = "tester"};
    int rc = pingo_store_submit(b->store, &(struct pingo_document){json, strlen(json), NULL},
                                o ? o : &options, submission, err);

    free(json);
    return rc;
}

static inline struct pingo_submission box_submit(struct box *b, const char *text)
{
    struct pingo_submission submission = {.size = sizeof submission};
    struct pingo_error err;

    well(box_try_submit(b, text, NULL, &submission, &err), &err);
    return submission;
}

/* So many actions, ten a layer, each with two parents in the layer before. */
static inline struct pingo_submission box_submit_layers(struct box *b, int n)
{
    struct pingo__buffer text = {0};

    pingo__buffer_format(&text, "{'name':'w','actions':[");
    for (int i = 0; i < n; i++) {
        pingo__buffer_format(&text, "%s{'id':%d,'name':'a%d','type':'command-line','command':'%d'",
                             i ? "," : "", i, i, i);
        if (i >= 10)
            pingo__buffer_format(&text, ",'parentActions':[{'id':%d},{'id':%d}]", i - 10,
                                 i / 10 * 10 - 10 + (i + 1) % 10);
        pingo__buffer_format(&text, "}");
    }
    pingo__buffer_format(&text, "]}");
    struct pingo_submission s = box_submit(b, pingo__buffer_cstr(&text));
    pingo__buffer_clear(&text);
    return s;
}

/* A tick, and what it deletes has gone. */
static inline struct pingo_tick_result box_tick(struct box *b)
{
    struct pingo_tick_result r = {.size = sizeof r};
    struct pingo_error err;
    size_t deleted = 0;

    well(pingo_scheduler_tick(b->s, &r, &err), &err);
    well(pingo_scheduler_drain(b->s, &deleted, &err), &err);
    r.deleted += deleted;
    return r;
}

/* Ticks until no other thread reads anything. */
static inline void box_read_all(struct box *b)
{
    for (int i = 0; box_tick(b).reading > 0; i++) {
        assert_true(i < 6000);
        usleep(10000);
    }
}

static const char *box_shut; /* what has this in its name lies in a place that is closed */
static int box_shut_error = EACCES;

static inline int box_stat(void *context, int dir, const char *name, int flags, struct stat *st)
{
    return strstr(name, box_shut) ? -box_shut_error
                                  : pingo__world_real()->stat(context, dir, name, flags, st);
}

static inline int box_rename(void *context, int dir, const char *from, const char *to,
                             unsigned flags)
{
    return strstr(to, box_shut) ? -box_shut_error
                                : pingo__world_real()->rename(context, dir, from, to, flags);
}

/* NULL: all is open again. */
static inline void box_shut_place(struct box *b, const char *part)
{
    static struct pingo__world world;

    box_shut = part;
    world = *pingo__world_real();
    if (part) {
        world.stat = box_stat;
        world.rename = box_rename;
    }
    b->store->pool.world = &world;
    ((struct pingo__pool_directory *)b->store->pool.handle)->world = &world;
}

static inline void box_large(const char *path, size_t size)
{
    char *bytes = malloc(size);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);

    assert_non_null(bytes);
    assert_true(fd >= 0);
    memset(bytes, 'x', size);
    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
    free(bytes);
}

/* The job ends; on success with this content. */
static inline void box_end(struct box *b, struct job *j, enum pingo_end_reason reason, int code,
                           const char *content)
{
    char making[sizeof b->root + 8];
    int fd;

    j->ended = true;
    j->end = (struct pingo_job_end){.size = sizeof(struct pingo_job_end),
                                    .key = j->key,
                                    .reason = reason,
                                    .exit_code = code,
                                    .started_ms = 1000,
                                    .ended_ms = 2000,
                                    .wall_ms = 10};
    if (reason != PINGO_END_EXITED || code != 0)
        return;
    /* It appears whole: who makes it may be killed. */
    snprintf(making, sizeof making, "%s/making", b->root);
    unlink(making);
    fd = open(making, O_WRONLY | O_CREAT | O_EXCL, 0444);
    if (fd < 0)
        fail_msg("%s: %s", making, strerror(errno));
    assert_int_equal(write(fd, content, strlen(content)), strlen(content));
    close(fd);
    if (renameat2(AT_FDCWD, making, AT_FDCWD, j->staged, RENAME_NOREPLACE) != 0)
        fail_msg("%s of %s: %s", j->staged, j->name, strerror(errno));
    j->end.output_kind = PINGO_OUTPUT_FILE;
    j->end.size_bytes = (int64_t)strlen(content);
    assert_int_equal(pingo_content_hash(j->staged, &j->end.content, NULL), 0);
}

/* The newest job of this name does. */
static inline void box_report(struct box *b, const char *name, enum pingo_end_reason reason,
                              int code, const char *content)
{
    struct job *j = fake_job(&b->fake, name);

    if (!j)
        fail_msg("there is no job %s", name);
    box_end(b, j, reason, code, content);
}

static inline void box_finish(struct box *b, const char *name)
{
    box_report(b, name, PINGO_END_EXITED, 0, name);
    box_tick(b);
}

static inline void box_fail(struct box *b, const char *name)
{
    box_report(b, name, PINGO_END_EXITED, 1, "");
    box_tick(b);
}

/* Ticks and finishes whatever runs until nothing does. */
static inline void box_finish_all(struct box *b)
{
    bool any = true;

    while (any) {
        any = false;
        box_tick(b);
        for (size_t i = 0; i < b->fake.n; i++)
            if (!b->fake.jobs[i].ended && !b->fake.jobs[i].revoked) {
                box_report(b, b->fake.jobs[i].name, PINGO_END_EXITED, 0, b->fake.jobs[i].name);
                any = true;
            }
    }
    box_tick(b);
}

/* ---- looking ------------------------------------------------------------------------------------- */

/* What SQLite counted of its statements so far (SQLITE_STMTSTATUS_...). */
static inline int64_t box_counted(const struct box *b, int what)
{
    int64_t n = 0;

    for (sqlite3_stmt *s = sqlite3_next_stmt(b->store->db.sqlite, NULL); s;
         s = sqlite3_next_stmt(b->store->db.sqlite, s))
        n += sqlite3_stmt_status(s, what, 0);
    return n;
}

/* How much its machine did so far, of which each row that is read takes several. */
static inline int64_t box_steps(const struct box *b)
{
    return box_counted(b, SQLITE_STMTSTATUS_VM_STEP);
}

/* One statement, or several, as a transaction. */
static inline void box_run(struct box *b, const char *sql)
{
    struct pingo_error err;

    well(pingo__store_db_begin(&b->store->db, &err), &err);
    if (sqlite3_exec(b->store->db.sqlite, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(b->store->db.sqlite));
    well(pingo__store_db_commit(&b->store->db, &err), &err);
}

/* How many rows a statement has changed; -1: it failed. */
#define box_changed(db, err, ...)                                                                  \
    (pingo__db_write(db, err, __VA_ARGS__) ? -1 : sqlite3_changes((db)->sqlite))

/* The first column of the first row; -1 where there is none.  SQL is literal text. */
#define box_int(b, ...) box_int_of(b, __VA_ARGS__)
static inline int64_t box_int_of(struct box *b, const char *sql)
{
    int64_t value = -1;
    struct pingo_error err;
    int rc = pingo__db_number(&b->store->db, &err, &value, sql, NONE);

    if (rc < 0)
        fail_msg("%s: %s", sql, err.message);
    return value;
}

/* The state of the newest row of an action of a workflow; 0: none. */
static inline int box_state(struct box *b, int64_t workflow, int64_t id)
{
    int64_t value = 0;

    assert_int_equal(
        pingo__db_number(&b->store->db, NULL, &value,
                         "SELECT a.state FROM action a JOIN workflow w ON w.id = a.workflow"
                         " JOIN graph_node n ON n.graph = w.graph AND n.position = a.position"
                         " WHERE a.workflow = ? AND n.user_id = ?"
                         " ORDER BY a.id DESC LIMIT 1",
                         INT(workflow), INT(id)),
        0);
    return (int)value;
}

/* The state of the current or newest generation that an action of any workflow makes. */
static inline int box_dataset(struct box *b, int64_t id)
{
    int64_t value = 0;

    assert_int_equal(
        pingo__db_number(&b->store->db, NULL, &value,
                         "SELECT d.state FROM dataset d WHERE d.hash = (SELECT hash FROM node"
                         " WHERE user_id = ? LIMIT 1) ORDER BY d.current DESC, d.generation DESC",
                         INT(id)),
        0);
    return (int)value;
}

/* Of an action of a submission. */
static inline struct pingo_hash box_hash(struct box *b, int64_t workflow, int64_t id)
{
    struct pingo_hash hash;
    sqlite3_stmt *stmt = NULL;

    assert_int_equal(
        pingo__db_query(&b->store->db, NULL, &stmt,
                        "SELECT n.hash FROM workflow w JOIN graph_node n ON n.graph = w.graph"
                        " WHERE w.id = ? AND n.user_id = ?",
                        INT(workflow), INT(id)),
        0);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    memcpy(hash.bytes, sqlite3_column_blob(stmt, 0), PINGO_HASH_SIZE);
    sqlite3_reset(stmt);
    return hash;
}

static inline int box_workflow(struct box *b, int64_t workflow)
{
    int64_t value = 0;

    assert_int_equal(pingo__db_number(&b->store->db, NULL, &value,
                                      "SELECT state FROM workflow WHERE id = ?", INT(workflow)),
                     0);
    return (int)value;
}

static inline int box_finding(void *context, const struct pingo_finding *finding)
{
    char *text = context;

    snprintf(text, 512, "%s %s: %s", finding->invariant, finding->object, finding->message);
    return 0;
}

/* Who sets a state by hand counts it; no object is shared. */
#define BOX_COUNT                                                                                  \
    "UPDATE usage SET (ndatasets, bytes) = (SELECT count(*), coalesce(sum(o.size_bytes), 0) FROM"  \
    " dataset d JOIN object o ON o.id = d.object WHERE d.managed = 1 AND d.state = usage.state)"

/* The same bytes as other files, as a copy of the store has them. */
static inline void box_copy_pool(struct box *b)
{
    char text[1000];

    snprintf(
        text, sizeof text,
        "cd '%s/pool/objects' && find . -type f -exec sh -c 'cp -p $0 $0.n && mv $0.n $0' {} ';'",
        b->dir);
    assert_int_equal(system(text), 0);
}

/* fsck finds nothing. */
static inline void box_clean(struct box *b)
{
    char text[512] = "";
    struct pingo_fsck_options options = {
        .version = 1, .deep = true, .finding = box_finding, .context = text};
    struct pingo_error err;
    bool clean = false;

    well(pingo_store_fsck(b->store, &options, &clean, &err), &err);
    if (!clean)
        fail_msg("fsck: %s", text);
}

/* The job met a full disk when it had written so much; it had started just now. */
static inline struct pingo_tick_result box_disk_full(struct box *b, const char *name, int64_t held)
{
    struct job *j = fake_job(&b->fake, name);

    assert_non_null(j);
    usleep(2000); /* later than what was freed before */
    box_report(b, name, PINGO_END_NO_SPACE, 0, "");
    j->end.started_ms = j->end.ended_ms = pingo__manager_now_ms(&b->s->context);
    j->end.size_bytes = held;
    return box_tick(b);
}

/* The pause before it is tried again is over. */
static inline void box_try_again(struct box *b)
{
    box_int(b, "UPDATE action SET not_before_ms = 0 WHERE state = 2 RETURNING 1");
    b->s->actions.closed_ms = 0;
    box_tick(b);
}

#endif
