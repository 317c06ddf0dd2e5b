/* harness.h - a store and a pool in a scratch directory, an open local executor, and a record of
 * what it reported.  Everything that a test starts is ended by its process id. */
#ifndef PINGO_TEST_EXECUTOR_HARNESS_H
#define PINGO_TEST_EXECUTOR_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <pingo/executor.h>

#define PATIENCE_MS 300000

struct box {
    char root[64];
    char store[80], pool[80], helper[4096];
    int64_t slots, memory_bytes, log_bytes, grace_ms; /* 0: default */
    const struct pingo_executor_type *type;
    void *executor;
    struct pingo_job_end *ends; /* one for each key, the first report */
    size_t nends;
    struct pingo_job_key *started;
    size_t nstarted;
    size_t repeats;                                  /* reports of an end that was there */
    bool remember;                                   /* do not forget reported ends */
    void (*log)(void *context, const char *message); /* with the box */
};

static inline int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static inline void nap(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

static inline struct pingo_job_end *box_find(struct box *b, int64_t action, int64_t epoch)
{
    for (size_t i = 0; i < b->nends; i++)
        if (b->ends[i].key.action == action && b->ends[i].key.epoch == epoch)
            return &b->ends[i];
    return NULL;
}

static inline void box_on_ended(void *context, const struct pingo_job_end *end)
{
    struct box *b = context;
    if (box_find(b, end->key.action, end->key.epoch) != NULL) {
        b->repeats++;
    } else {
        b->ends = realloc(b->ends, (b->nends + 1) * sizeof *b->ends);
        assert_non_null(b->ends);
        b->ends[b->nends++] = *end;
    }
    if (!b->remember)
        b->type->forget(b->executor, end->key);
}

static inline void box_on_started(void *context, struct pingo_job_key key)
{
    struct box *b = context;
    b->started = realloc(b->started, (b->nstarted + 1) * sizeof *b->started);
    assert_non_null(b->started);
    b->started[b->nstarted++] = key;
}

static inline void *box_open_executor(const struct box *b)
{
    struct pingo_executor_context context = {.version = 1,
                                             .store_dir = b->store,
                                             .store_id = "test-store",
                                             .pool_dir = b->pool,
                                             .slots = b->slots,
                                             .memory_bytes = b->memory_bytes,
                                             .log_bytes = b->log_bytes,
                                             .grace_ms = b->grace_ms,
                                             .helper_dir = b->helper,
                                             .log = b->log,
                                             .log_context = (void *)(uintptr_t)b};
    struct pingo_error err = {0};
    void *executor = NULL;
    if (b->type->open(&context, &executor, &err) != 0)
        fail_msg("open: %s", err.message);
    return executor;
}

/* The helper lies in BUILD/libexec, the test below BUILD/test. */
static inline void box_find_helper(char *helper, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", helper, size - 32);
    assert_true(n > 0);
    helper[n] = '\0';
    while (strcmp(strrchr(helper, '/'), "/test") != 0)
        *strrchr(helper, '/') = '\0';
    strcpy(strrchr(helper, '/'), "/libexec");
}

static inline void box_init(struct box *b)
{
    char path[160];
    memset(b, 0, sizeof *b);
    b->type = pingo_executor_local();
    /* In memory where that is to be had: some disks take a millisecond to make or remove a link. */
    const char *base = getenv("PINGO_TEST_DIR");
    if (base == NULL || strlen(base) > 32)
        base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(b->root, sizeof b->root, "%s/pingo-executor-XXXXXX", base);
    assert_non_null(mkdtemp(b->root));
    snprintf(b->store, sizeof b->store, "%s/store", b->root);
    snprintf(b->pool, sizeof b->pool, "%s/pool", b->root);
    assert_int_equal(mkdir(b->store, 0700), 0);
    assert_int_equal(mkdir(b->pool, 0755), 0);
    snprintf(path, sizeof path, "%s/attempts", b->pool);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/staged", b->pool);
    assert_int_equal(mkdir(path, 0755), 0);
    box_find_helper(b->helper, sizeof b->helper);
    b->slots = 2;
    b->grace_ms = 300;
}

static inline void box_open(struct box *b)
{
    box_init(b);
    b->executor = box_open_executor(b);
}

/* The newest supervisor of the store, by the name of its running file; 0: none ran. */
static inline pid_t box_supervisor(const struct box *b)
{
    char path[160], newest[256] = "";
    snprintf(path, sizeof path, "%s/executor", b->store);
    DIR *list = opendir(path);
    struct dirent *entry;
    while (list != NULL && (entry = readdir(list)) != NULL)
        if (strncmp(entry->d_name, "running.", 8) == 0 && strcmp(entry->d_name, newest) > 0)
            snprintf(newest, sizeof newest, "%s", entry->d_name);
    if (list != NULL)
        closedir(list);
    long pid = 0; /* running.BOOTID.START.PID.HOST */
    sscanf(newest, "%*[^.].%*[^.].%*[^.].%ld", &pid);
    return (pid_t)pid;
}

/* Its workers: its children. */
static inline size_t box_workers(const struct box *b, pid_t *pids, size_t max)
{
    char path[64];
    long pid;
    size_t n = 0;
    pid_t supervisor = box_supervisor(b);
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)supervisor, (long)supervisor);
    FILE *file = fopen(path, "r");
    while (file != NULL && n < max && fscanf(file, "%ld", &pid) == 1)
        pids[n++] = (pid_t)pid;
    if (file != NULL)
        fclose(file);
    return n;
}

/* Is the lock free: neither supervisor nor worker lives? */
static inline bool box_is_unlocked(const struct box *b)
{
    char path[160];
    snprintf(path, sizeof path, "%s/executor/local.lock", b->store);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT;
    bool freed = flock(fd, LOCK_EX | LOCK_NB) == 0;
    close(fd);
    return freed;
}

static inline void box_wait_unlocked(const struct box *b)
{
    int64_t until = now_ms() + PATIENCE_MS;
    while (!box_is_unlocked(b)) {
        assert_true(now_ms() < until);
        nap(2);
    }
}

/* Also one that was just started and waits for the lock. */
static inline void box_end_supervisor(const struct box *b)
{
    int64_t until = now_ms() + PATIENCE_MS;
    for (int quiet = 0; quiet < 10;) {
        if (box_is_unlocked(b)) {
            quiet++;
        } else {
            pid_t pid = box_supervisor(b);
            quiet = 0;
            if (pid > 0)
                kill(pid, SIGTERM);
        }
        assert_true(now_ms() < until);
        nap(3);
    }
}

static inline void box_remove(const struct box *b)
{
    char command[160];
    snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", b->root, b->root);
    assert_int_equal(system(command), 0);
}

static inline void box_close(struct box *b)
{
    b->type->close(b->executor);
    box_end_supervisor(b);
    box_remove(b);
    free(b->ends);
    free(b->started);
}

static inline void box_collect(struct box *b)
{
    struct pingo_executor_reports reports = {
        .context = b, .started = box_on_started, .ended = box_on_ended};
    struct pingo_error err = {0};
    if (b->type->collect(b->executor, &reports, &err) != 0)
        fail_msg("collect: %s", err.message);
}

/* One turn of a scheduler's loop. */
static inline void box_turn(struct box *b, int64_t most_ms)
{
    box_collect(b);
    int64_t timeout = b->type->timeout_ms(b->executor);
    if (timeout < 0 || timeout > most_ms)
        timeout = most_ms;
    struct pollfd polled = {b->type->poll_fd(b->executor), POLLIN, 0};
    poll(&polled, 1, (int)timeout);
    box_collect(b);
}

static inline struct pingo_job_end *box_wait(struct box *b, int64_t action, int64_t epoch)
{
    int64_t until = now_ms() + PATIENCE_MS;
    struct pingo_job_end *end;
    while ((end = box_find(b, action, epoch)) == NULL) {
        if (now_ms() > until)
            fail_msg("no end of %lld.%lld", (long long)action, (long long)epoch);
        box_turn(b, 1000);
    }
    return end;
}

static inline void box_wait_all(struct box *b, size_t n)
{
    int64_t until = now_ms() + 2 * PATIENCE_MS;
    while (b->nends < n) {
        if (now_ms() > until)
            fail_msg("only %zu ends of %zu", b->nends, n);
        box_turn(b, 1000);
    }
}

struct spec {              /* a job, as tests write it */
    int64_t action, epoch; /* epoch 0: 1 */
    const char *script;    /* for /bin/sh -c; or argv */
    const char *const *argv, *const *env;
    const char *output; /* NULL: "output" */
    bool standard_output;
    int64_t cpus, memory_bytes, time_limit_ms;
    const struct pingo_job_link *links;
    size_t nlinks;
    bool confine, grew;
    const char *const *readable;
};

static inline void box_paths(const struct box *b, struct pingo_job_key key, char *attempt,
                             char *staged, size_t size)
{
    snprintf(attempt, size, "%s/attempts/%lld.%lld", b->pool, (long long)key.action,
             (long long)key.epoch);
    snprintf(staged, size, "%s/staged/%lld.%lld", b->pool, (long long)key.action,
             (long long)key.epoch);
}

static inline int box_try_start(struct box *b, const struct spec *spec, struct pingo_error *err)
{
    static const char *const env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", NULL};
    const char *const argv[] = {"/bin/sh", "-c", spec->script, NULL};
    char attempt[160], staged[160];
    struct pingo_job job = {.key = {spec->action, spec->epoch == 0 ? 1 : spec->epoch},
                            .store_id = "test-store",
                            .name = "test",
                            .type = "command-line",
                            .argv = spec->argv != NULL ? spec->argv : argv,
                            .env = spec->env != NULL ? spec->env : env,
                            .links = spec->links,
                            .nlinks = spec->nlinks,
                            .output = spec->standard_output  ? NULL
                                      : spec->output != NULL ? spec->output
                                                             : "output",
                            .cpus = spec->cpus == 0 ? 1 : spec->cpus,
                            .memory_bytes = spec->memory_bytes,
                            .time_limit_ms = spec->time_limit_ms,
                            .confine = spec->confine,
                            .grew = spec->grew,
                            .readable = spec->readable};
    box_paths(b, job.key, attempt, staged, sizeof attempt);
    job.attempt_dir = attempt;
    job.staged_path = staged;
    return b->type->start(b->executor, &job, err);
}

static inline void box_start(struct box *b, const struct spec *spec)
{
    struct pingo_error err = {0};
    if (box_try_start(b, spec, &err) != 0)
        fail_msg("start: %s", err.message);
}

/* Starts and waits. */
static inline struct pingo_job_end *box_run(struct box *b, const struct spec *spec)
{
    box_start(b, spec);
    return box_wait(b, spec->action, spec->epoch == 0 ? 1 : spec->epoch);
}

static inline bool box_revoke(struct box *b, int64_t action)
{
    char attempt[160], staged[160];
    struct pingo_job_key key = {action, 1};
    struct pingo_error err = {0};
    bool revoked = false;
    box_paths(b, key, attempt, staged, sizeof attempt);
    if (b->type->revoke(b->executor, key, attempt, &revoked, &err) != 0)
        fail_msg("revoke: %s", err.message);
    return revoked;
}

/* The text of POOL/PART, or NULL; free it. */
static inline char *box_read(const struct box *b, const char *part)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", b->pool, part);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return NULL;
    size_t size = 0, n;
    char *text = calloc(1, 1), chunk[4096];
    while ((n = fread(chunk, 1, sizeof chunk, file)) > 0) {
        text = realloc(text, size + n + 1);
        assert_non_null(text);
        memcpy(text + size, chunk, n);
        size += n;
        text[size] = '\0';
    }
    fclose(file);
    return text;
}

static inline void box_expect_text(const struct box *b, const char *part, const char *expected)
{
    char *text = box_read(b, part);
    if (text == NULL)
        fail_msg("%s is not there", part);
    assert_string_equal(text, expected);
    free(text);
}

/* How many entries POOL/PART has whose names do not begin with a dot. */
static inline size_t box_count(const struct box *b, const char *part)
{
    char path[256];
    size_t n = 0;
    snprintf(path, sizeof path, "%s/%s", b->pool, part);
    DIR *list = opendir(path);
    struct dirent *entry;
    assert_non_null(list);
    while ((entry = readdir(list)) != NULL)
        n += entry->d_name[0] != '.';
    closedir(list);
    return n;
}

/* Waits until there are so many: workers tidy up after they have told the end. */
static inline void box_expect_count(const struct box *b, const char *part, size_t n)
{
    for (int64_t until = now_ms() + PATIENCE_MS; box_count(b, part) != n && now_ms() < until;)
        nap(1);
    assert_int_equal(box_count(b, part), n);
}

static inline bool is_gone(pid_t pid)
{
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return true;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'Z';
    fclose(file);
    return state == 'Z';
}

/* Waits until a command has written a number into POOL/PART. */
static inline pid_t box_wait_pid(struct box *b, const char *part)
{
    int64_t until = now_ms() + PATIENCE_MS;
    for (;;) {
        char *text = box_read(b, part);
        pid_t pid = text == NULL || strchr(text, '\n') == NULL ? 0 : (pid_t)strtol(text, NULL, 10);
        free(text);
        if (pid > 0)
            return pid;
        if (now_ms() > until)
            fail_msg("nothing in %s", part);
        if (b->executor != NULL)
            box_turn(b, 5);
        else
            nap(5);
    }
}

#endif
