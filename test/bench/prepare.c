/* prepare.c - computes a workflow as fast as a store can take it, for the benchmarks.
 *
 * usage: prepare STORE FILE
 * Hands the store an executor of its own, as an embedder does, named "bench": it runs
 * command-line actions by making a small file where the output belongs, at once.  What a
 * store holds afterwards is what it would hold had the commands run. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <pingo/scheduler.h>
#include <pingo/store.h>

static const char content_text[] = "made by the benchmark\n";

/* ---- the executor --------------------------------------------------------------------- */

struct bench {
    struct pingo_job_end *ends; /* ended, in order; key.action 0: forgotten */
    size_t first, n, capacity;  /* what is before first was forgotten */
    struct pingo_hash content;
    bool content_is_known;
    int event_fd;
};

static int bench_open(const struct pingo_executor_context *context, void **executor,
                      struct pingo_error *err)
{
    (void)context, (void)err;
    struct bench *b = calloc(1, sizeof *b);
    if (b == NULL)
        return PINGO_ENOMEM;
    b->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (b->event_fd < 0) {
        free(b);
        return PINGO_EEXECUTOR;
    }
    *executor = b;
    return 0;
}

static void bench_close(void *executor)
{
    struct bench *b = executor;
    close(b->event_fd);
    free(b->ends);
    free(b);
}

static int fail(struct pingo_error *err, const char *path)
{
    if (err != NULL) {
        err->code = PINGO_EEXECUTOR;
        snprintf(err->message, sizeof err->message, "%s: %s", path, strerror(errno));
    }
    return PINGO_EEXECUTOR;
}

/* Room for one more end: what was forgotten goes first. */
static bool make_room(struct bench *b)
{
    if (b->n < b->capacity)
        return true;
    if (b->first > b->capacity / 2) {
        memmove(b->ends, b->ends + b->first, (b->n - b->first) * sizeof *b->ends);
        b->n -= b->first;
        b->first = 0;
        return true;
    }
    size_t capacity = b->capacity == 0 ? 256 : 2 * b->capacity;
    struct pingo_job_end *ends = realloc(b->ends, capacity * sizeof *ends);
    if (ends == NULL)
        return false;
    b->ends = ends;
    b->capacity = capacity;
    return true;
}

static int make_output(const char *path, struct pingo_error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return fail(err, path);
    bool ok = write(fd, content_text, sizeof content_text - 1) == (ssize_t)sizeof content_text - 1 &&
              fchmod(fd, 0444) == 0;
    if (!ok)
        fail(err, path);
    close(fd);
    return ok ? 0 : PINGO_EEXECUTOR;
}

static int bench_start(void *executor, const struct pingo_job *job, struct pingo_error *err)
{
    struct bench *b = executor;
    struct timespec now;
    if (!make_room(b))
        return PINGO_ENOMEM;
    int rc = make_output(job->staged_path, err);
    if (rc == 0 && !b->content_is_known)
        rc = pingo_content_hash(job->staged_path, &b->content, err);
    if (rc != 0)
        return rc;
    b->content_is_known = true;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    b->ends[b->n++] = (struct pingo_job_end){.size = sizeof(struct pingo_job_end),
                                             .key = job->key,
                                             .reason = PINGO_END_EXITED,
                                             .started_ms = now_ms,
                                             .ended_ms = now_ms,
                                             .wall_ms = 1,
                                             .output_kind = PINGO_OUTPUT_FILE,
                                             .size_bytes = sizeof content_text - 1,
                                             .content = b->content};
    return eventfd_write(b->event_fd, 1) == 0 ? 0 : fail(err, "eventfd");
}

/* A job has ended by the time that start returns: there is nothing to revoke or to kill. */
static int bench_revoke(void *executor, struct pingo_job_key key, const char *attempt_dir,
                        bool *revoked, struct pingo_error *err)
{
    (void)executor, (void)key, (void)attempt_dir, (void)err;
    *revoked = false;
    return 0;
}

static int bench_kill(void *executor, struct pingo_job_key key, struct pingo_error *err)
{
    (void)executor, (void)key, (void)err;
    return 0;
}

static int bench_adopt(void *executor, const struct pingo_job_key *keys, size_t nkeys, bool *found,
                       struct pingo_error *err)
{
    (void)executor, (void)keys, (void)err;
    memset(found, 0, nkeys * sizeof *found);
    return 0;
}

static int bench_collect(void *executor, const struct pingo_executor_reports *reports,
                         struct pingo_error *err)
{
    struct bench *b = executor;
    eventfd_t woken;
    (void)err;
    (void)eventfd_read(b->event_fd, &woken); /* fails where nobody woke us, which is fine */
    for (size_t i = b->first; i < b->n; i++)
        if (b->ends[i].key.action != 0)
            reports->ended(reports->context, &b->ends[i]);
    return 0;
}

static void bench_forget(void *executor, struct pingo_job_key key)
{
    struct bench *b = executor;
    for (size_t i = b->first; i < b->n; i++) {
        if (b->ends[i].key.action != key.action || b->ends[i].key.epoch != key.epoch)
            continue;
        b->ends[i].key.action = 0;
        break;
    }
    while (b->first < b->n && b->ends[b->first].key.action == 0)
        b->first++;
}

static int bench_poll_fd(void *executor)
{
    return ((struct bench *)executor)->event_fd;
}

static int64_t bench_timeout_ms(void *executor)
{
    const struct bench *b = executor;
    return b->first < b->n ? 0 : -1;
}

static int64_t bench_slots(void *executor)
{
    (void)executor;
    return 512;
}

static const char *const bench_action_types[] = {"command-line", NULL};

static const struct pingo_executor_type bench_executor = {
    .abi_version = PINGO_EXECUTOR_ABI,
    .name = "bench",
    .action_types = bench_action_types,
    .open = bench_open,
    .close = bench_close,
    .start = bench_start,
    .revoke = bench_revoke,
    .kill = bench_kill,
    .adopt = bench_adopt,
    .collect = bench_collect,
    .forget = bench_forget,
    .poll_fd = bench_poll_fd,
    .timeout_ms = bench_timeout_ms,
    .slots = bench_slots,
};

/* ---- the program ------------------------------------------------------------------------- */

static char *read_file(const char *path, size_t *length)
{
    char *text = NULL;
    long size = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 &&
        fseek(file, 0, SEEK_SET) == 0 && (text = malloc((size_t)size)) != NULL &&
        fread(text, 1, (size_t)size, file) != (size_t)size) {
        free(text);
        text = NULL;
    }
    fclose(file);
    *length = (size_t)size;
    return text;
}

static int check_finished(void *context, const struct pingo_workflow_status *status)
{
    *(bool *)context = status->state == PINGO_WORKFLOW_FINISHED;
    return 0;
}

static int compute(struct pingo_store *store, const char *text, size_t length,
                   struct pingo_error *err)
{
    const struct pingo_executor_type *executors[] = {&bench_executor};
    struct pingo_scheduler_options options = {.version = 1, .executors = executors, .nexecutors = 1};
    struct pingo_scheduler *scheduler = NULL;
    struct pingo_submission submission = {.size = sizeof submission};
    /* As `pingo run` submits it from here: from another directory it would be another text, whose graph is written anew
     * when it is run for the first time. */
    char here[4096] = "";
    struct pingo_submit_options from = {.version = 1, .base_dir = getcwd(here, sizeof here)};
    bool finished = false;
    int rc = pingo_store_submit(store, &(struct pingo_document){text, length, NULL}, &from,
                                &submission, err);
    if (rc == 0)
        rc = pingo_scheduler_open(store, &options, &scheduler, err);
    if (rc == 0)
        rc = pingo_scheduler_run(scheduler, &submission.workflow, 1, NULL, err);
    if (rc == 0)
        rc = pingo_store_workflow(store, submission.workflow, check_finished, &finished, err);
    if (rc == 0 && !finished) {
        snprintf(err->message, sizeof err->message, "the workflow did not finish");
        rc = PINGO_ESTATE;
    }
    pingo_scheduler_close(scheduler);
    return rc;
}

int main(int argc, char **argv)
{
    struct pingo_error err = {0};
    struct pingo_store *store = NULL;
    size_t length = 0;
    if (argc != 3) {
        fprintf(stderr, "usage: prepare STORE FILE\n");
        return 2;
    }
    char *text = read_file(argv[2], &length);
    if (text == NULL) {
        fprintf(stderr, "%s: %s\n", argv[2], strerror(errno));
        return 1;
    }
    int rc = pingo_store_open(argv[1], NULL, &store, &err);
    if (rc == 0)
        rc = compute(store, text, length, &err);
    if (rc != 0)
        fprintf(stderr, "prepare: %s\n", err.message[0] ? err.message : pingo_error_text(rc));
    pingo_store_close(store);
    free(text);
    return rc != 0;
}
