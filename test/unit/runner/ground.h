/* ground.h - a claimed scratch directory, and a job for it: what the parts of a runner are tested on. */
#ifndef PINGO_TEST_RUNNER_GROUND_H
#define PINGO_TEST_RUNNER_GROUND_H

#include "unit/runner/attempts.h"

#include "runner/steps.h"
#include "runner/record/job.h"

struct ground {
    struct pool pool;
    struct pingo__runner_scratch scratch;
    struct pingo__runner_job job;
    struct pingo_job_link links[4];
    const char *argv[4];
    enum pingo_end_reason order; /* what the master says, */
    int asked;                   /* and how often it was asked */
    struct pingo__runner_master master;
    struct pingo__runner_orders orders;
    struct pingo_job_end end;
};

static enum pingo_end_reason ground_take(struct pingo__runner_master *master,
                                         struct pingo_job_key key)
{
    struct ground *g = master->context;
    (void)key;
    g->asked++;
    return g->order;
}

static inline void ground_claim(struct ground *g, int action)
{
    static const char *env[] = {"PATH=/usr/bin:/bin", NULL}, *none[] = {NULL};
    name_attempt(&g->pool, action);
    assert_int_equal(pingo__runner_scratch_claim(&g->scratch, g->pool.dir), 0);
    g->job = (struct pingo__runner_job){.key = {action, 1},
                                        .cpus = 1,
                                        .attempt_dir = g->pool.dir,
                                        .staged_path = g->pool.staged,
                                        .output = "output",
                                        .argv = g->argv,
                                        .nargv = 3,
                                        .env = env,
                                        .nenv = 1,
                                        .links = g->links,
                                        .readable = none};
    g->orders = (struct pingo__runner_orders){.master = &g->master, .key = g->job.key};
    g->end = (struct pingo_job_end){.size = sizeof g->end};
}

static inline struct ground *ground_new(void)
{
    struct ground *g = calloc(1, sizeof *g);
    char path[128];
    if (!g)
        abort();
    pool_open(&g->pool);
    snprintf(path, sizeof path, "%s/attempts", g->pool.root);
    pingo__runner_scratch_init(&g->scratch, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    g->master = (struct pingo__runner_master){-1, ground_take, g};
    g->order = PINGO_END_EXITED;
    memcpy(g->argv, (const char *[]){"sh", "-c", "true", NULL}, sizeof g->argv);
    ground_claim(g, 1);
    return g;
}

static inline void ground_free(struct ground *g)
{
    pingo__runner_scratch_leave(&g->scratch);
    close(g->scratch.attempts);
    pool_close(&g->pool);
    free(g);
}

/* A path below the pool; up to four at a time. */
static inline const char *ground_path(const struct ground *g, const char *name)
{
    static char paths[4][256];
    static size_t n;
    char *path = paths[n++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", g->pool.root, name);
    return path;
}

/* The same below work/ of the attempt. */
static inline const char *ground_work(const struct ground *g, const char *name)
{
    static char paths[4][256];
    static size_t n;
    char *path = paths[n++ % 4];
    snprintf(path, sizeof paths[0], "%s/work/%s", g->pool.dir, name);
    return path;
}

static inline void ground_write(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static inline bool ground_is(const char *path, const char *text)
{
    char got[256];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, got, sizeof got - 1);
    if (fd >= 0)
        close(fd);
    got[n > 0 ? n : 0] = '\0';
    return n >= 0 && strcmp(got, text) == 0;
}

static inline mode_t ground_mode(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

#endif
