/* bench_executor.c - trivial actions a second through the local executor, against the bound of a
 * bare vfork and exec loop of the same command with as many at once, in interleaved rounds.
 *
 *   bench_executor HELPER_DIR [ACTIONS [SLOTS [ROUNDS]]]      in $TMPDIR or /tmp */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pingo/executor.h>

#define AHEAD 512

static const char *const argv_of_job[] = {"/bin/sh", "-c", "echo hello > $OUT", NULL};
static const char *const env_of_job[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "OUT=output", NULL};

struct bench {
    const struct pingo_executor_type *type;
    void *executor;
    char pool[128];
    long ended, failed;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void on_ended(void *context, const struct pingo_job_end *end)
{
    struct bench *b = context;
    b->ended++;
    if (!pingo_job_end_is_success(end)) {
        b->failed++;
        fprintf(stderr, "reason %d exit %d: %s\n", (int)end->reason, end->exit_code, end->message);
    }
    b->type->forget(b->executor, end->key);
}

static void start(struct bench *b, int64_t action)
{
    char attempt[160], staged[160];
    struct pingo_error err = {0};
    struct pingo_job job = {.key = {action, 1},
                            .store_id = "bench",
                            .name = "bench",
                            .type = "command-line",
                            .argv = argv_of_job,
                            .env = env_of_job,
                            .attempt_dir = attempt,
                            .staged_path = staged,
                            .output = "output",
                            .cpus = 1};
    snprintf(attempt, sizeof attempt, "%s/attempts/%lld.1", b->pool, (long long)action);
    snprintf(staged, sizeof staged, "%s/staged/%lld.1", b->pool, (long long)action);
    if (b->type->start(b->executor, &job, &err) != 0) {
        fprintf(stderr, "start: %s\n", err.message);
        exit(1);
    }
}

static double run_executor(struct bench *b, int64_t first, long n)
{
    struct pingo_executor_reports reports = {.context = b, .ended = on_ended};
    struct pingo_error err;
    long started = 0;
    double begun = now();
    b->ended = 0;
    while (b->ended < n) {
        while (started < n && started - b->ended < AHEAD)
            start(b, first + started++);
        if (b->type->collect(b->executor, &reports, &err) != 0) {
            fprintf(stderr, "collect: %s\n", err.message);
            exit(1);
        }
        if (b->ended == n)
            break;
        struct pollfd polled = {b->type->poll_fd(b->executor), POLLIN, 0};
        poll(&polled, 1, (int)b->type->timeout_ms(b->executor));
    }
    return now() - begun;
}

/* In a function of its own, so that vfork clobbers nothing.  Each writes a file of its own, for
 * writing one file again and again is slower on ext4. */
static void spawn_bare(const char *directory, long i)
{
    char out[32];
    const char *const env[] = {env_of_job[0], out, NULL};
    snprintf(out, sizeof out, "OUT=bare.%ld", i);
    if (vfork() == 0) {
        if (chdir(directory) == 0)
            execve(argv_of_job[0], (char **)(uintptr_t)argv_of_job, (char **)(uintptr_t)env);
        _exit(127);
    }
}

/* The bound: nothing but vfork, chdir, exec and wait, with `slots` at once. */
static double run_bound(const char *directory, long n, long slots)
{
    static long files;
    double begun = now();
    long started = 0, ended = 0;
    while (ended < n) {
        for (; started < n && started - ended < slots; started++)
            spawn_bare(directory, files++);
        if (wait(NULL) > 0)
            ended++;
    }
    return now() - begun;
}

int main(int argc, char **argv)
{
    const char *base = getenv("TMPDIR") == NULL ? "/tmp" : getenv("TMPDIR");
    char root[64], store[80], path[160], command[80];
    long n = argc > 2 ? atol(argv[2]) : 5000, slots = argc > 3 ? atol(argv[3]) : 2;
    long rounds = argc > 4 ? atol(argv[4]) : 3;
    struct bench b = {.type = pingo_executor_local()};
    struct pingo_error err = {0};
    snprintf(root, sizeof root, "%.32s/pingo-bench-XXXXXX", base);
    if (argc < 2 || mkdtemp(root) == NULL) {
        fprintf(stderr, "usage: bench_executor HELPER_DIR [ACTIONS [SLOTS [ROUNDS]]]\n");
        return 2;
    }
    snprintf(store, sizeof store, "%s/store", root);
    snprintf(b.pool, sizeof b.pool, "%s/pool", root);
    mkdir(store, 0700);
    mkdir(b.pool, 0755);
    snprintf(path, sizeof path, "%s/attempts", b.pool);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/staged", b.pool);
    mkdir(path, 0755);
    struct pingo_executor_context context = {.version = 1,
                                             .store_dir = store,
                                             .store_id = "bench",
                                             .pool_dir = b.pool,
                                             .slots = slots,
                                             .helper_dir = argv[1]};
    if (b.type->open(&context, &b.executor, &err) != 0) {
        fprintf(stderr, "open: %s\n", err.message);
        return 1;
    }
    for (long round = 0; round < rounds; round++) {
        double bound = run_bound(b.pool, n, slots);
        double ours = run_executor(&b, 1 + round * n, n);
        printf("bound %.0f/s  executor %.0f/s  bound/executor %.2f\n", (double)n / bound,
               (double)n / ours, ours / bound);
    }
    b.type->close(b.executor);
    snprintf(command, sizeof command, "rm -rf %s", root);
    if (system(command) != 0)
        return 1;
    return b.failed == 0 ? 0 : 1;
}
