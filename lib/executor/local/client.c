/* client.c - the local executor: the table of functions of pingo_executor_local().
 *
 * Jobs are run by a supervisor, a program of its own that outlives this one; here
 * is what a scheduler sees of it.  The journals are the truth about ends, what
 * the supervisor says is a hint to read them. */
#include "executor/local/client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/names.h"
#include "base/path.h"
#include "base/room.h"
#include "base/machine.h"
#include "executor/local/place.h"
#include "executor/registry.h"

#define ADOPT_MS 30000 /* a dead supervisor's workers kill what they run first */
#define LOOK_MS 1000   /* journals are read so often without a hint */

static void clear(struct pingo__executor_local *local)
{
    pingo_jobs_free(local->jobs);
    pingo__executor_journals_clear(&local->journals);
    pingo__buffer_clear(&local->keys);
    pingo__buffer_clear(&local->started);
    pingo__file_close(local->dir);
    free(local->store_dir);
    free(local->pool_dir);
    free(local->helper);
    free(local->licences);
    free(local);
}

static void local_close(void *executor)
{
    struct pingo__executor_local *local = executor;
    if (local->state == PINGO__LOCAL_UP)
        pingo__executor_link_advance(local); /* what can be sent at once */
    pingo__executor_link_close(local);
    clear(local);
}

static int64_t or_default(int64_t value, int64_t fallback)
{
    return value > 0 ? value : fallback;
}

/* A setting of its own; 0: what is set for all executors counts. */
static int64_t own(const struct pingo_executor_context *context, const char *key)
{
    int64_t value = pingo_executor_context_number(context, key);
    return value < 0 ? 0 : value;
}

static int local_open(const struct pingo_executor_context *context, void **executor,
                      struct pingo_error *err)
{
    struct pingo__executor_local *local = calloc(1, sizeof *local);
    if (!local)
        return pingo__fail_memory(err);
    local->dir = -1;
    STAILQ_INIT(&local->out);
    STAILQ_INIT(&local->back);
    local->pauses = (struct pingo_backoff){.first_ms = 10, .most_ms = 1000};
    local->jobs = pingo_jobs_new(sizeof(struct pingo__executor_local_job));
    local->log = (struct pingo__executor_log){context->log, context->log_context};
    local->store_dir = strdup(context->store_dir);
    local->pool_dir = strdup(context->pool_dir);
    local->helper = pingo_executor_context_program(context, PINGO__PLACE_HELPER);
    int64_t slots = own(context, "slots"), bytes = own(context, "memoryMB") << 20;
    local->settings.slots = or_default(slots ? slots : context->slots, pingo__machine_slots());
    local->settings.memory_bytes =
        or_default(bytes ? bytes : context->memory_bytes, pingo__machine_memory());
    const struct pingo_runner_options runner = pingo__executor_context_runner(context);
    local->settings.log_bytes = runner.log_bytes;
    local->settings.grace_ms = runner.grace_ms;
    local->settings.lets_exceed = pingo_executor_context_number(context, "limitMemory") == 0;
    local->gpus = own(context, "gpus");
    const char *licences = pingo_executor_context_text(context, "licences");
    local->licences = strdup(licences ? licences : "none");
    int failed = 0,
        rc = local->jobs && local->store_dir && local->pool_dir && local->helper && local->licences
                 ? pingo__room_check(PINGO__ROOM_LOOP, 0, err)
                 : pingo__fail_memory(err);
    if (rc == 0 && (failed = uv_loop_init(&local->loop)) != 0)
        rc = pingo__fail(err, PINGO_EEXECUTOR, "an event loop cannot be made: %s",
                         uv_strerror(failed));
    if (rc != 0) {
        clear(local);
        return rc;
    }
    uv_timer_init(&local->loop, &local->retry);
    uv_timer_init(&local->loop, &local->look);
    local->retry.data = local;
    rc = pingo__executor_place_check(local->helper, err);
    if (rc == 0)
        rc = pingo__executor_ends_skip(local, err);
    if (rc != 0) {
        local_close(local);
        return rc;
    }
    *executor = local;
    return 0;
}

/* The job is neither held nor ended: did it pass the gate?  Then its directory is there. */
static bool had_started(const struct pingo__executor_local *local, struct pingo_job_key key)
{
    struct stat st;
    char name[PINGO__NAME_SIZE];
    pingo__name_attempt(name, key.action, key.epoch);
    char *dir = pingo__path_child(local->pool_dir, name);
    /* When in doubt, it counts. */
    bool started = !dir || (lstat(dir, &st) == 0 && S_ISDIR(st.st_mode));
    free(dir);
    return started;
}

static void say_gone(struct pingo__executor_local *local, struct pingo_job_key key)
{
    if (had_started(local, key))
        pingo__executor_ends_say(local, key, PINGO_END_LOST, "the supervisor ended while it ran");
    else
        pingo__executor_ends_say(local, key, PINGO_END_NOT_STARTED,
                                 "the supervisor ended before it started it");
}

/* The list of a new connection has come and the journals were read.  A job that was sent on an earlier connection and
 * is in neither had waited in the queue of a supervisor that is gone: what had started would be in a journal as lost.
 * It never ran, and can be started again. */
static void reconcile(struct pingo__executor_local *local)
{
    pingo__executor_link_mark_listed(local);
    const struct pingo__executor_local_job *job = NULL;
    while ((job = pingo_jobs_next(local->jobs, job)))
        if (pingo__executor_local_is_unsure(local, job))
            say_gone(local, pingo_jobs_key(job));
    local->listed = false;
}

static int local_start(void *executor, const struct pingo_job *job, struct pingo_error *err)
{
    struct pingo__executor_local *local = executor;
    if (!job->argv || !job->argv[0] || job->cpus < 1 || job->memory_bytes < 0 ||
        job->time_limit_ms < 0)
        return pingo__fail(err, PINGO_EINVAL, "%s: a job needs a command and at least one cpu",
                           !job->name ? "job" : job->name);
    if (pingo_jobs_find(local->jobs, job->key))
        return pingo__fail(err, PINGO_EEXISTS, "attempt %lld.%lld was started before",
                           (long long)job->key.action, (long long)job->key.epoch);
    struct pingo__executor_local_frame *frame =
        pingo__executor_frame_begin(job->grew ? PINGO__WIRE_START_FIRST : PINGO__WIRE_START);
    if (!frame)
        return pingo__fail_memory(err);
    frame->key = job->key;
    pingo__runner_put_job(&frame->bytes, job);
    if (!pingo__executor_frames_append(&local->out, frame))
        return pingo__fail_memory(err);
    if (!pingo_jobs_add(local->jobs, job->key)) {
        pingo__executor_frames_take(&local->out, job->key);
        return pingo__fail_memory(err);
    }
    pingo__executor_link_advance(local); /* where that fails, collect tells */
    return 0;
}

static int send_key(struct pingo__executor_local *local, enum pingo__executor_wire_kind kind,
                    struct pingo_job_key key, const char *text)
{
    struct pingo__executor_local_frame *frame = pingo__executor_frame_begin(kind);
    if (!frame)
        return PINGO_ENOMEM;
    pingo__runner_put_key(&frame->bytes, key);
    if (text)
        pingo__runner_put_text(&frame->bytes, text);
    return pingo__executor_frames_append(&local->out, frame) ? 0 : PINGO_ENOMEM;
}

/* The file was made, so no worker can pass the gate.  One may have passed before and finished: its directory was used
 * again under another name, and its end is in a journal. */
static int tombstone_made(struct pingo__executor_local *local, struct pingo_job_key key,
                          const char *attempt_dir, bool *revoked, struct pingo_error *err)
{
    bool ended = false;
    int rc = pingo__executor_ends_has(local, key, &ended, err);
    if (rc != 0 || ended) {
        unlink(attempt_dir);
        return rc;
    }
    *revoked = true;
    pingo_jobs_remove(local->jobs, key);
    /* Without a supervisor there is nothing to drop; the next one removes the file. */
    if (local->state != PINGO__LOCAL_DOWN)
        send_key(local, PINGO__WIRE_DROP, key, attempt_dir);
    return 0;
}

/* A start that was not sent.  true: it never was. */
static bool take_back(struct pingo__executor_local *local, struct pingo_job_key key)
{
    return pingo__executor_frames_take(&local->out, key) ||
           pingo__executor_frames_take(&local->back, key);
}

static int local_revoke(void *executor, struct pingo_job_key key, const char *attempt_dir,
                        bool *revoked, struct pingo_error *err)
{
    struct pingo__executor_local *local = executor;
    struct stat st;
    *revoked = false;
    if (take_back(local, key)) {
        pingo_jobs_remove(local->jobs, key);
        *revoked = true;
        return 0;
    }
    int fd = open(attempt_dir, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0) {
        close(fd);
        return tombstone_made(local, key, attempt_dir, revoked, err);
    }
    if (errno != EEXIST)
        return pingo__fail_os(err, errno, "the attempt cannot be revoked", attempt_dir);
    if (lstat(attempt_dir, &st) == 0 && S_ISREG(st.st_mode)) {
        pingo_jobs_remove(local->jobs, key);
        *revoked = true; /* it was before */
    }
    return 0;
}

static int local_kill(void *executor, struct pingo_job_key key, struct pingo_error *err)
{
    struct pingo__executor_local *local = executor;
    if (take_back(local, key)) {
        pingo__executor_ends_say(local, key, PINGO_END_KILLED, "killed before it started");
        return 0;
    }
    struct pingo__executor_local_job *job = pingo_jobs_find(local->jobs, key);
    if (job)
        job->killed = true;
    return send_key(local, PINGO__WIRE_KILL, key, NULL) == 0 ? 0 : pingo__fail_memory(err);
}

/* List first, journals second: in the other order an attempt that ends in between is in neither. */
static int find_all(struct pingo__executor_local *local, struct pingo_error *err)
{
    int rc = pingo__executor_link_ask(local, ADOPT_MS, err);
    if (rc == 0)
        rc = pingo__executor_ends_read_adopted(local, err);
    if (rc == 0)
        reconcile(local);
    return rc;
}

static int local_adopt(void *executor, const struct pingo_job_key *keys, size_t nkeys, bool *found,
                       struct pingo_error *err)
{
    struct pingo__executor_local *local = executor;
    int rc = 0;
    memset(found, 0, nkeys * sizeof *found);
    if (local->dir < 0) {
        int dir = pingo__executor_place_open(local->store_dir, false, err);
        if (dir < 0) /* without the directory nothing was ever run here */
            return dir == PINGO_ENOTFOUND ? 0 : dir;
        local->dir = dir;
    }
    for (size_t i = 0; i < nkeys && rc == 0; i++) {
        found[i] = pingo_jobs_find(local->jobs, keys[i]);
        struct pingo__executor_local_job *job = pingo_jobs_add(local->jobs, keys[i]);
        rc = job ? 0 : PINGO_ENOMEM;
        if (job)
            job->adopting = !found[i];
    }
    rc = rc == 0 ? find_all(local, err) : pingo__fail_memory(err);
    for (size_t i = 0; i < nkeys; i++) {
        struct pingo__executor_local_job *job = pingo_jobs_find(local->jobs, keys[i]);
        if (!job || !job->adopting)
            continue;
        job->adopting = false;
        if (rc == 0 && !pingo_jobs_has_ended(job) && job->link != local->link &&
            !had_started(local, keys[i]))
            say_gone(local, keys[i]);
        found[i] = rc == 0 && (pingo_jobs_has_ended(job) || job->link == local->link);
        if (!found[i])
            pingo_jobs_remove(local->jobs, keys[i]);
    }
    return rc;
}

static void tell_started(struct pingo__executor_local *local,
                         const struct pingo_executor_reports *reports)
{
    struct pingo__buffer_reader reader = {local->started.data, local->started.length, 0, false};
    while (reader.at < reader.length) {
        struct pingo_job_key key = pingo__runner_get_key(&reader);
        if (reports->started && pingo_jobs_find(local->jobs, key))
            reports->started(reports->context, key);
    }
    pingo__buffer_reset(&local->started);
}

static int local_collect(void *executor, const struct pingo_executor_reports *reports,
                         struct pingo_error *err)
{
    struct pingo__executor_local *local = executor;
    int rc = 0;
    pingo__executor_link_poll(local);
    pingo__executor_trouble_look(local);
    bool due = pingo_jobs_count(local->jobs, false) > 0 &&
               uv_now(&local->loop) - local->looked_ms >= LOOK_MS;
    if (due)
        pingo__executor_trouble_look_for_stop(local);
    if (local->rung || local->listed || due) {
        local->rescan = local->rescan || due;
        rc = pingo__executor_ends_read(local, err);
    }
    if (rc == 0 && local->listed)
        reconcile(local);
    for (size_t i = 0; i < local->journals.nfiles; i++)
        local->journals.files[i]->marked = local->journals.files[i]->offset;
    tell_started(local, reports);
    pingo_jobs_tell(local->jobs, reports);
    if (rc == 0 && local->failure.code != 0 && !local->failure_told) {
        local->failure_told = true;
        rc = pingo__fail(err, local->failure.code, "%s", local->failure.message);
    }
    return rc;
}

static void local_forget(void *executor, struct pingo_job_key key)
{
    struct pingo__executor_local *local = executor;
    pingo_jobs_remove(local->jobs, key);
}

static int local_poll_fd(void *executor)
{
    struct pingo__executor_local *local = executor;
    return uv_backend_fd(&local->loop);
}

static int64_t sooner(int64_t a, int64_t b)
{
    return a < 0 || b < a ? b : a;
}

static int64_t local_timeout_ms(void *executor)
{
    struct pingo__executor_local *local = executor;
    bool can_send = local->state == PINGO__LOCAL_UP && !STAILQ_EMPTY(&local->out) &&
                    pingo__executor_channel_unsent(local->channel) == 0;
    bool can_connect = local->state == PINGO__LOCAL_DOWN && !local->waiting &&
                       pingo__executor_link_is_wanted(local);
    if (can_send || can_connect || local->rung || local->listed)
        return 0;
    int64_t timeout = uv_loop_alive(&local->loop) ? uv_backend_timeout(&local->loop) : -1;
    if (pingo_jobs_count(local->jobs, true) > 0)
        timeout = sooner(timeout, PINGO__EXECUTOR_UNSETTLED_MS);
    else if (pingo_jobs_next(local->jobs, NULL))
        timeout = sooner(timeout, LOOK_MS);
    return timeout;
}

static int64_t local_slots(void *executor)
{
    const struct pingo__executor_local *local = executor;
    return local->settings.slots;
}

static int64_t local_memory_most(void *executor, const char *options)
{
    const struct pingo__executor_local *local = executor;
    (void)options;
    return local->settings.memory_bytes;
}

static int64_t local_counted(void *executor, const char *licence)
{
    const struct pingo__executor_local *local = executor;
    int64_t n = local->gpus;
    if (licence)
        n = pingo__executor_counters_find(local->licences, licence);
    return n;
}

static void local_trim(void *executor, const struct pingo_job_key *unsettled, size_t n)
{
    struct pingo__executor_local *local = executor;
    if (local->state != PINGO__LOCAL_UP || local->journals.nfiles == 0 ||
        !STAILQ_EMPTY(&local->out)) /* who does not read now is not told more and more of it */
        return;
    struct pingo__executor_local_frame *frame = pingo__executor_frame_begin(PINGO__WIRE_TRIM);
    if (!frame)
        return; /* another time */
    pingo__buffer_u32(&frame->bytes, (uint32_t)n);
    for (size_t i = 0; i < n; i++)
        pingo__runner_put_key(&frame->bytes, unsettled[i]);
    for (size_t i = 0; i < local->journals.nfiles; i++) {
        pingo__runner_put_text(&frame->bytes, local->journals.files[i]->name);
        pingo__buffer_u64(&frame->bytes, (uint64_t)local->journals.files[i]->marked);
    }
    pingo__executor_frames_append(&local->out, frame);
}

const struct pingo_executor_type *pingo_executor_local(void)
{
    static const char *const action_types[] = {"command-line", NULL};
    static const struct pingo_executor_setting settings[] = {
        {"gpus", PINGO_SETTING_NUMBER, 0, 64, "0", "how many GPUs this machine has for actions"},
        {"licences", PINGO_SETTING_COUNTERS, 0, 0, "none",
         "how many licences actions may hold at once: NAME=NUMBER, with ',' between several"},
        {"limitMemory", PINGO_SETTING_SWITCH, 0, 0, "on",
         "is an action ended that uses more than its memoryMB?  off: only the kernel ends it"},
        {"memoryMB", PINGO_SETTING_NUMBER, 0, INT64_C(1) << 30, "0",
         "sum of resources.memoryMB that may run at once here; 0: executor.memoryMB"},
        {"slots", PINGO_SETTING_NUMBER, 0, 4096, "0",
         "how many actions run at once on this machine; 0: executor.slots"}};
    static const struct pingo_executor_type type = {
        .abi_version = PINGO_EXECUTOR_ABI,
        .name = "local",
        .action_types = action_types,
        .open = local_open,
        .close = local_close,
        .start = local_start,
        .revoke = local_revoke,
        .kill = local_kill,
        .adopt = local_adopt,
        .collect = local_collect,
        .forget = local_forget,
        .poll_fd = local_poll_fd,
        .timeout_ms = local_timeout_ms,
        .slots = local_slots,
        .trim = local_trim,
        .settings = settings,
        .nsettings = sizeof settings / sizeof *settings,
        .is_trusted = true,
        .ends = pingo__executor_local_ends,
        .memory_most = local_memory_most,
        .counted = local_counted,
    };
    return &type;
}
