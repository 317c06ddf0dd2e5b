/* follow.c - one step: answers are taken, directories looked at, jobs submitted, cancelled, asked for.
 *
 * Few jobs are asked for one by one, many by a list; the pause between two rounds grows with the time without news,
 * and is never shorter than what a list costs Slurm. */
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/world.h"
#include "executor/slurm/slurm.h"

#define AT_ONCE 32   /* submissions on their way */
#define FEW 4        /* jobs that are asked for one by one */
#define BUSY_MS 3000 /* while there is more to submit, no list is asked for before */
#define SINCE_NEWS                                                                                 \
    8 /* so much of the time without news may pass before it is noticed that it ended */
#define HOOKED_MS 3000 /* where the hook will tell, it is asked on its own for so long after news */
#define WHOLE_MS 60000
#define LINGER_MS 10
#define SEARCH_MS 10000
#define TELL_MS 1000 /* trouble that lasts so long is told */
#define HELD_MS 1000 /* it is looked so often whether the way can be asked by now */

typedef struct pingo__executor_slurm_job job_of_slurm;

static bool ask(struct pingo__executor_slurm *s, const struct pingo__executor_slurm_call *call,
                const struct pingo__executor_slurm_request *request)
{
    struct pingo_error why = {0};
    if (s->way->ask(s->handle, call, request, &why)) {
        pingo__executor_slurm_meet(s, why.message);
        return false;
    }
    s->asked[call->kind]++;
    return true;
}

static job_of_slurm *next(struct pingo__executor_slurm *s, const job_of_slurm *job)
{
    do
        job = pingo_jobs_next(s->jobs, job);
    while (job && pingo_jobs_has_ended(job));
    return (job_of_slurm *)(uintptr_t)job;
}

static void take_answers(struct pingo__executor_slurm *s)
{
    struct pingo__executor_slurm_answer answer;
    bool is_silent = s->is_held;
    for (unsigned kind = 0; kind < PINGO__SLURM_KINDS; kind++)
        is_silent = is_silent || s->asked[kind];
    while (s->way->next(s->handle, &answer)) {
        pingo__executor_slurm_answered(s, &answer);
        is_silent = false;
    }
    if (!is_silent)
        s->heard_ms = pingo__world_monotonic_ms();
}

/* Whoever waits to be submitted hears why it cannot be, and is tried again by the scheduler; after a while also who may
 * have been submitted: the gate is closed to that job, and it is cancelled when it is seen. */
static void refuse_queued(struct pingo__executor_slurm *s, int64_t now)
{
    bool long_since = now - s->trouble_ms > SEARCH_MS;
    for (job_of_slurm *job = NULL; (job = next(s, job));)
        if (job->phase == PINGO__SLURM_QUEUED ||
            (job->phase == PINGO__SLURM_SEARCHED && long_since && job->arena.blocks)) {
            pingo__executor_slurm_refuse(s, job, s->trouble);
            s->trouble_refused = true;
        }
}

/* What waits and asks for the same as the first: they can be one array. */
static size_t gather(struct pingo__executor_slurm *s, job_of_slurm *first,
                     struct pingo_job_key *keys, size_t most)
{
    size_t n = 0;
    for (job_of_slurm *job = first; job && n < most; job = next(s, job))
        if (job->phase == PINGO__SLURM_QUEUED && !job->is_killed &&
            pingo__executor_slurm_request_is_like(&first->request, &job->request))
            keys[n++] = pingo_jobs_key(job);
    return n;
}

/* NULL: there are not two of them, or what an array needs cannot be had: then it is submitted alone. */
static struct pingo__executor_slurm_bundle *bundle(struct pingo__executor_slurm *s,
                                                   job_of_slurm *first)
{
    struct pingo__executor_slurm_bundle *b = NULL;
    size_t most = s->in_trouble ? 1 : (size_t)s->at_once_most;
    size_t waiting = pingo_jobs_count(s->jobs, false);
    most = most < waiting ? most : waiting;
    struct pingo_job_key *keys = most > 1 ? calloc(most, sizeof *keys) : NULL;
    size_t n = keys ? gather(s, first, keys, most) : 0;
    if (n > 1)
        pingo__executor_slurm_bundle_make(s, keys, n, &b);
    free(keys);
    return b;
}

static bool ask_for_array(struct pingo__executor_slurm *s, struct pingo__executor_slurm_call *call,
                          const struct pingo__executor_slurm_request *like)
{
    struct pingo__executor_slurm_request request = *like;
    char name[PINGO__SLURM_NAME_SIZE];
    char *dir = pingo__executor_bundle_path(s->pool, call->bundle->name, "");
    struct pingo__executor_slurm_array array = {name, dir, s->runner, call->bundle->n};
    struct pingo__arena arena = {0};
    pingo__executor_slurm_bundle_name(name, s->mark, call->bundle->name);
    bool asked = dir && !pingo__executor_slurm_request_array(&request, &array, &arena) &&
                 ask(s, call, &request);
    pingo__arena_clear(&arena);
    free(dir);
    return asked;
}

static void submit(struct pingo__executor_slurm *s, job_of_slurm *job)
{
    struct pingo__executor_slurm_call call = {
        .kind = PINGO__SLURM_SUBMIT, .key = pingo_jobs_key(job), .bundle = bundle(s, job)};
    if (!call.bundle)
        pingo__executor_slurm_bind(job, NULL, 0);
    bool asked = call.bundle ? ask_for_array(s, &call, &job->request) : ask(s, &call, &job->request);
    if (!asked) {
        if (call.bundle)
            pingo__executor_bundle_remove(s->pool, call.bundle->name);
        return;
    }
    s->news_ms = pingo__world_monotonic_ms();
    if (!call.bundle) {
        job->phase = PINGO__SLURM_ASKED;
        return;
    }
    call.bundle->users++;
    for (size_t i = 0; i < call.bundle->n; i++) {
        job_of_slurm *one = pingo_jobs_find(s->jobs, call.bundle->keys[i]);
        one->phase = PINGO__SLURM_ASKED;
        pingo__executor_slurm_bind(one, call.bundle, (int64_t)i);
    }
}

static void settle(struct pingo__executor_slurm *s, int64_t now)
{
    for (job_of_slurm *job = NULL; (job = next(s, job));)
        if (job->phase == PINGO__SLURM_ENDED && job->look_at_ms <= now)
            pingo__executor_slurm_settle(s, job);
}

/* Its id alone does not say that it is ours: that it was seen under it since does. */
static bool is_to_be_cancelled(const job_of_slurm *job)
{
    return job->phase == PINGO__SLURM_SUBMITTED && job->is_killed && job->is_seen &&
           !job->cancel_asked;
}

static struct pingo__executor_slurm_call call_of(enum pingo__executor_slurm_kind kind,
                                                 const job_of_slurm *job)
{
    return (struct pingo__executor_slurm_call){.kind = kind,
                                               .key = pingo_jobs_key(job),
                                               .id = job->id,
                                               .task = job->task,
                                               .ntasks = job->bundle ? 1 : 0};
}

/* In trouble one submission tries whether it has passed. */
static void go_on(struct pingo__executor_slurm *s)
{
    bool full = s->room_at_ms > pingo__world_monotonic_ms();
    size_t at_once = full ? 0 : s->in_trouble || s->room_at_ms ? 1 : AT_ONCE;
    for (job_of_slurm *job = NULL; (job = next(s, job));) {
        struct pingo__executor_slurm_call cancel = call_of(PINGO__SLURM_CANCEL, job);
        if (job->phase == PINGO__SLURM_QUEUED && job->is_killed)
            pingo__executor_slurm_refuse(s, job, "");
        else if (job->phase == PINGO__SLURM_QUEUED && s->asked[PINGO__SLURM_SUBMIT] < at_once)
            submit(s, job);
        else if (is_to_be_cancelled(job) && (job->cancel_asked = ask(s, &cancel, NULL)))
            job->cancelled_ms = pingo__world_monotonic_ms();
    }
}

/* While there is a backlog, answers come faster than whoever has us open gets round to us. */
static void linger(struct pingo__executor_slurm *s)
{
    struct pollfd polled = {s->poll_fd, POLLIN, 0};
    for (int i = 0; i < LINGER_MS && s->asked[PINGO__SLURM_SUBMIT] == AT_ONCE; i++) {
        while (s->asked[PINGO__SLURM_SUBMIT] == AT_ONCE && poll(&polled, 1, 1) > 0)
            take_answers(s);
        go_on(s);
    }
}

/* ---- asking what became of them ---------------------------------------------------------------- */

/* Where there is nothing new, and nobody is looked for, Slurm need not tell all of it again.  Its clock is not ours,
 * and may be set back: now and then all is asked for. */
static int64_t since(struct pingo__executor_slurm *s, int64_t now)
{
    if (!s->list_wanted && s->clock_ms && s->known_ms && now - s->whole_ms < WHOLE_MS)
        return (s->known_ms + s->clock_ms) / 1000;
    s->whole_ms = now;
    s->clock_ms = 0;
    return 0;
}

static void list(struct pingo__executor_slurm *s)
{
    struct pingo__executor_slurm_call call = {.kind = PINGO__SLURM_LIST, .number = ++s->lists};
    s->listed_ms = pingo__world_monotonic_ms();
    call.since = since(s, s->listed_ms);
    s->list_wanted = !ask(s, &call, NULL);
}

static int64_t list_due_ms(const struct pingo__executor_slurm *s)
{
    int64_t due = s->listed_ms + s->polls.first_ms;
    return due > s->list_at_ms ? due : s->list_at_ms;
}

static void look(struct pingo__executor_slurm *s, job_of_slurm *job)
{
    struct pingo__executor_slurm_call call = call_of(PINGO__SLURM_LOOK, job);
    job->look_at_ms = 0;
    job->look_asked = ask(s, &call, NULL);
}

/* The hook tells when a job is about to end, and then no more: an epilog may take its time. */
static bool is_any_ending(struct pingo__executor_slurm *s)
{
    const job_of_slurm *job = next(s, NULL);
    while (job && !(job->phase == PINGO__SLURM_SUBMITTED && job->state == PINGO__SLURM_ENDS))
        job = next(s, job);
    return job;
}

static void poll_all(struct pingo__executor_slurm *s, size_t there)
{
    bool many = there > FEW || s->list_wanted;
    int64_t now = pingo__world_monotonic_ms();
    for (job_of_slurm *job = NULL; !many && (job = next(s, job));) /* only a list tells of these */
        many =
            job->bundle && job->phase == PINGO__SLURM_SUBMITTED && job->state == PINGO__SLURM_WAITS;
    if (many && now >= s->list_at_ms)
        list(s);
    for (job_of_slurm *job = NULL; (job = next(s, job));)
        if (job->phase == PINGO__SLURM_SUBMITTED && !job->look_asked &&
            (!many || job->look_at_ms < 0))
            look(s, job);
    bool hooked = s->woken_ns && now - s->news_ms > HOOKED_MS && !is_any_ending(s);
    s->polls.next_ms = hooked ? s->poll_ms : (now - s->news_ms) / SINCE_NEWS;
    s->poll_at_ms = now + pingo_backoff_next(&s->polls);
}

/* Has the hook touched its file? */
static void look_for_hook(struct pingo__executor_slurm *s)
{
    struct stat st;
    if (!s->wake || stat(s->wake, &st) != 0)
        return;
    int64_t ns = pingo__file_time_ns(&st.st_mtim);
    if (ns != s->woken_ns) {
        s->poll_at_ms = 0;
        s->news_ms = pingo__world_monotonic_ms();
    }
    s->woken_ns = ns;
}

static void poll_if_due(struct pingo__executor_slurm *s, int64_t now)
{
    size_t there = 0, searched = 0, coming = 0;
    for (job_of_slurm *job = NULL; (job = next(s, job));) {
        there += job->phase == PINGO__SLURM_SUBMITTED;
        searched += job->phase == PINGO__SLURM_SEARCHED;
        coming += job->phase <= PINGO__SLURM_ASKED;
    }
    s->list_wanted = s->list_wanted || searched;
    if (there)
        look_for_hook(s);
    bool due = now >= s->poll_at_ms || s->in_trouble || (s->list_wanted && now >= list_due_ms(s));
    if (coming && !searched && now < s->listed_ms + BUSY_MS) /* a list holds submissions up */
        return;
    if (due && (there || s->list_wanted) && !s->asked[PINGO__SLURM_LIST] &&
        !s->asked[PINGO__SLURM_LOOK])
        poll_all(s, there);
}

/* ---- a step ------------------------------------------------------------------------------------ */

void pingo__executor_slurm_tell_trouble(struct pingo__executor_slurm *s, int64_t since_ms)
{
    if (!s->in_trouble || s->trouble_told || s->trouble_refused ||
        pingo__world_monotonic_ms() - s->trouble_ms < since_ms)
        return; /* or it is told of the actions that wait */
    s->trouble_told = true;
    pingo__executor_say(&s->log, "slurm: %s; what runs there goes on, and it is asked again",
                        s->trouble);
}

static void ask_sizes(struct pingo__executor_slurm *s)
{
    for (unsigned kind = PINGO__SLURM_NODES; kind < PINGO__SLURM_KINDS; kind++)
        s->sizes.wanted[kind] = s->sizes.wanted[kind] &&
                                !ask(s, &(struct pingo__executor_slurm_call){.kind = kind}, NULL);
}

void pingo__executor_slurm_step(struct pingo__executor_slurm *s)
{
    const char *why = NULL;
    int64_t now = pingo__world_monotonic_ms();
    if (s->handle)
        take_answers(s);
    settle(s, now);
    if (!s->handle)
        return;
    bool may = !s->in_trouble || now >= s->again_at_ms;
    bool wanted = may && (pingo_jobs_next(s->jobs, NULL) || s->sizes.wanted[PINGO__SLURM_NODES]);
    bool ready = wanted && s->way->is_ready(s->handle, &why);
    if (s->is_held && ready)
        s->heard_ms = now;
    s->is_held = wanted && !ready && !why;
    if (why)
        pingo__executor_slurm_meet(s, why);
    if (ready) {
        ask_sizes(s);
        poll_if_due(s, now);
        go_on(s);
        linger(s);
        if (s->in_trouble && s->again_at_ms <= now) /* what comes of it decides */
            s->again_at_ms = now + s->troubles.most_ms;
    }
    if (s->in_trouble && (!may || why))
        refuse_queued(s, now);
    pingo__executor_slurm_tell_trouble(s, TELL_MS);
    take_answers(s);
}

/* -1: an answer that is on its way tells. */
static int64_t due_of(const struct pingo__executor_slurm *s, const job_of_slurm *job)
{
    bool asked = s->asked[PINGO__SLURM_LIST] || s->asked[PINGO__SLURM_LOOK];
    int64_t listed = list_due_ms(s), free = s->listed_ms + BUSY_MS;
    if (job->phase == PINGO__SLURM_ENDED)
        return job->look_at_ms;
    if (s->in_trouble)
        return s->again_at_ms;
    if (job->phase == PINGO__SLURM_QUEUED && s->room_at_ms)
        return s->asked[PINGO__SLURM_SUBMIT] ? -1 : s->room_at_ms;
    if (job->phase == PINGO__SLURM_QUEUED)
        return s->asked[PINGO__SLURM_SUBMIT] < AT_ONCE ? 0 : -1;
    if (is_to_be_cancelled(job))
        return 0;
    if (asked || job->phase == PINGO__SLURM_ASKED)
        return -1;
    if (job->phase == PINGO__SLURM_SEARCHED)
        return listed < s->poll_at_ms ? listed : s->poll_at_ms;
    return s->asked[PINGO__SLURM_SUBMIT] && s->poll_at_ms < free ? free : s->poll_at_ms;
}

int64_t pingo__executor_slurm_timeout_ms(struct pingo__executor_slurm *s)
{
    int64_t now = pingo__world_monotonic_ms(), due = -1;
    if (!s->handle)
        return -1;
    int64_t way = s->way->timeout_ms ? s->way->timeout_ms(s->handle) : -1;
    for (job_of_slurm *job = NULL; (job = next(s, job));) {
        int64_t at = due_of(s, job);
        if (s->is_held && job->phase != PINGO__SLURM_ENDED && at >= 0 && at < now + HELD_MS)
            at = now + HELD_MS;
        if (at >= 0 && (due < 0 || at < due))
            due = at;
    }
    due = due < 0 ? -1 : due > now ? due - now : 0;
    return way >= 0 && (due < 0 || way < due) ? way : due;
}
