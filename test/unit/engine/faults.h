/* faults.h - a submission and a settling that are cut short by the Nth failure of something, for
 * every N: an error is told, nothing is lost or half done, and what is tried again ends well. */
#ifndef TEST_ENGINE_FAULTS_H
#define TEST_ENGINE_FAULTS_H

#include "unit/engine/box.h"

/* What fails.  arm(n): the Nth fails from now on, after n that succeed; disarm: nothing fails any
 * more, and tells whether something did. */
struct faults {
    void (*arm)(long n);
    bool (*disarm)(void);
    bool (*may_return)(int rc);
    long step;  /* from one N to the next, once the first hundred were tried */
    long least; /* so many N at least must have met a failure */
};

static inline long faults_next(const struct faults *f, long n)
{
    return n < 100 ? n + 1 : n + f->step;
}

/* A workflow that no other N has: an input that is computed, a reader, an equal action, an original. */
static inline void faults_text(char *text, size_t size, long n, const char *root)
{
    snprintf(text, size,
             "{'name':'w','actions':["
             "{'id':1,'name':'a%ld','type':'command-line','command':['x'],'salt':'%ld','retries':1,"
             "'inputs':[{'name':'i','path':'%s/original'}],'tools':['sh']},"
             "{'id':2,'name':'b%ld','type':'command-line','command':['y'],'keep':false" P(
                 "{'id':1}") "},"
                             "{'id':3,'name':'c%ld','type':'command-line','command':['y'],'keep':"
                             "false" P(
                                 "{'id':1}") "},"
                                             "{'id':4,'name':'d%ld','type':'command-line','command'"
                                             ":['z']" P("{'id':2},{'id':3}") "}]}",
             n, n, root, n, n, n);
}

static inline void faults_original(struct box *b)
{
    char path[128];
    int fd;

    snprintf(path, sizeof path, "%s/original", b->root);
    fd = open(path, O_WRONLY | O_CREAT, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "text\n", 5), 5);
    close(fd);
}

/* Rows of everything that a submission inserts. */
static inline int64_t faults_rows(struct box *b)
{
    return box_int(b,
                   "SELECT (SELECT count(*) FROM workflow) + (SELECT count(*) FROM plan) +"
                   " (SELECT count(*) FROM action) + (SELECT count(*) FROM dataset) +"
                   " (SELECT count(*) FROM document) + (SELECT count(*) FROM document_original) +"
                   " (SELECT count(*) FROM graph) + (SELECT count(*) FROM definition) +"
                   " (SELECT count(*) FROM dependency) + (SELECT count(*) FROM action_original) +"
                   " (SELECT count(*) FROM node) + (SELECT count(*) FROM graph_part) +"
                   " (SELECT count(*) FROM input) + (SELECT count(*) FROM progress)");
}

static inline void faults_in_submit(const struct faults *f)
{
    struct box *b = box_new();
    bool more = true;
    long tried = 0;

    faults_original(b);
    for (long n = 0; more; n = faults_next(f, n)) {
        struct pingo_submit_options options = {.version = 2, .base_dir = b->root, .user = "tester"};
        struct pingo_submission s = {.size = sizeof s};
        struct pingo_error err = {0};
        char text[2048], *json;
        int64_t before = faults_rows(b);
        size_t events = b->nevents;
        int rc;

        faults_text(text, sizeof text, n, b->root);
        json = json_of(text);
        f->arm(n);
        rc = pingo_store_submit(b->store, &(struct pingo_document){json, strlen(json), NULL},
                                &options, &s, &err);
        more = f->disarm();
        free(json);
        assert_false(b->store->db.writing);
        if (rc != 0) {
            if (!more || !f->may_return(rc) || !*err.message)
                fail_msg("N %ld: %s: %s", n, pingo_error_name(rc), err.message);
            assert_int_equal(faults_rows(b), before);
            assert_int_equal(b->nevents, events);
            s = box_submit(b, text); /* nothing stands in the way of trying again */
        }
        assert_int_equal(s.summary.compute, 3);
        b->nevents = 0;
        tried++;
        if (tried % 64 == 0)
            box_clean(b);
    }
    print_message("%ld places\n", tried);
    assert_true(tried > f->least);
    box_reopen(b);
    box_clean(b);
    box_close(b);
}

/* Ends all that runs well. */
static inline void faults_report(struct box *b)
{
    for (size_t i = 0; i < b->fake.n; i++)
        if (!b->fake.jobs[i].ended && !b->fake.jobs[i].revoked)
            box_report(b, b->fake.jobs[i].name, PINGO_END_EXITED, 0, b->fake.jobs[i].name);
}

/* Each tick of a workflow's way to its end fails at the Nth place, then goes on. */
static inline void faults_in_settle(const struct faults *f)
{
    struct box *b = box_new();
    bool more = true;
    long tried = 0;

    faults_original(b);
    for (long n = 0; more; n = faults_next(f, n)) {
        struct pingo_submission s = {.size = sizeof s};
        char text[2048];

        faults_text(text, sizeof text, n, b->root);
        s = box_submit(b, text);
        more = false;
        b->fake.n = 0;
        for (int round = 0; box_workflow(b, s.workflow) == PINGO_WORKFLOW_RUNNING; round++) {
            struct pingo_error err = {0};
            int rc;

            faults_report(b);
            b->nevents = 0;
            f->arm(n);
            rc = pingo_scheduler_tick(b->s, NULL, &err);
            more = f->disarm() || more;
            assert_false(b->store->db.writing);
            if (rc != 0 && (!f->may_return(rc) || !*err.message))
                fail_msg("N %ld: %s: %s", n, pingo_error_name(rc), err.message);
            box_tick(b);
            assert_true(round < 50);
        }
        assert_int_equal(box_workflow(b, s.workflow), PINGO_WORKFLOW_FINISHED);
        for (int64_t id = 1; id <= 4; id++)
            assert_int_equal(box_state(b, s.workflow, id), PINGO_ACTION_FINISHED);
        b->nevents = 0;
        tried++;
        if (tried % 64 == 0)
            box_clean(b);
    }
    print_message("%ld places\n", tried);
    assert_true(tried > f->least);
    assert_int_equal(box_int(b, "SELECT count(*) FROM claim"), 0);
    box_clean(b);
    box_reopen(b);
    box_tick(b);
    box_clean(b);
    box_close(b);
}

static inline void faults_set(struct box *b, const char *budget)
{
    struct pingo_error err;

    well(pingo_store_set(b->store, "pool.budget", budget, &err), &err);
}

/* A decision about all that there is fails at the Nth place, then is made. */
static inline void faults_in_decide(const struct faults *f)
{
    struct box *b = box_new();
    char text[2048];
    bool more = true;
    long tried = 0;

    faults_original(b);
    faults_text(text, sizeof text, 0, b->root);
    /* Each round adds a submission, and reading it takes some places more: the steps must outgrow that. */
    for (long n = 0; more; n += n < 30 ? 1 : 4 + f->step) {
        struct pingo_submission s = box_submit(b, text);
        struct pingo_error err = {0};
        int rc;

        b->fake.n = 0;
        while (box_workflow(b, s.workflow) == PINGO_WORKFLOW_RUNNING) {
            box_tick(b);
            faults_report(b);
        }
        well(pingo_store_release_workflow(b->store, s.workflow, NULL, &err), &err);
        faults_set(b, "0");
        pingo__manager_decisions_clear(&b->s->decisions);
        f->arm(n);
        rc = pingo_scheduler_tick(b->s, NULL, &err);
        more = f->disarm();
        assert_false(b->store->db.writing);
        if (rc != 0 && (!f->may_return(rc) || !*err.message))
            fail_msg("N %ld: %s: %s", n, pingo_error_name(rc), err.message);
        for (int round = 0; round < 3; round++)
            box_tick(b);
        /* What was stored and what was a result: each went once. */
        assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE state BETWEEN 4 AND 8"), 0);
        assert_int_equal(box_int(b, "SELECT count(*) FROM eviction"), 2 * (tried + 1));
        assert_int_equal(box_int(b, "SELECT count(*) FROM eviction WHERE regretted_ms IS NULL"), 2);
        faults_set(b, NULL);
        b->nevents = 0;
        tried++;
    }
    print_message("%ld places\n", tried);
    assert_true(tried > f->least / 3);
    box_clean(b);
    box_close(b);
}

#endif
