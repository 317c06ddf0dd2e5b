/* answers.c - what Slurm's answers change.
 *
 * An answer that did not come says nothing: the job is searched for by its key.  Only a list that was asked for later,
 * and that the job is not in, says that Slurm does not have it; of a job with an id only that the id is unknown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/world.h"
#include "executor/slurm/slurm.h"

#define TELL_EVERY_MS 600000
#define STRAYS 64 /* cancelled at once */
#define LISTS_TOLD 3
#define FORGOTTEN_MS 30000 /* Slurm says at once of what it is told to end that it ends */
#define TRIES 3            /* submissions of one attempt, where the answers do not come */

typedef struct pingo__executor_slurm_job job_of_slurm;

static void has_ended(job_of_slurm *job, enum pingo__executor_slurm_state state, int64_t list)
{
    job->phase = PINGO__SLURM_ENDED;
    job->state = state;
    job->over_ms = pingo__world_monotonic_ms();
    job->look_at_ms = 0;
    job->since_list = list;
    job->confirmed = false;
}

static void copy(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", text ? text : "");
}

/* ---- what is told of jobs ------------------------------------------------------------------------ */

/* What only an administrator or another request can change is told now and then. */
static void tell_why_it_waits(struct pingo__executor_slurm *s, const char *reason)
{
    static const char usual[] = "None|Priority|Resources|BeginTime|Prolog|Cleaning|Licenses|"
                                "JobArrayTaskLimit";
    int64_t now = pingo__world_monotonic_ms();
    bool was_told = s->waits_told_ms && now - s->waits_told_ms < TELL_EVERY_MS;
    if (was_told || !*reason || pingo__text_is_among(usual, reason))
        return;
    s->waits_told_ms = now;
    pingo__executor_say(&s->log, "slurm: a job waits for this reason, says Slurm: %s", reason);
}

struct told {                                      /* what a record says of one of ours */
    const struct pingo__executor_slurm_call *call; /* which it answers */
    const struct pingo__executor_slurm_record *record;
    struct pingo_job_key key;
    struct pingo__executor_slurm_bundle *bundle; /* NULL: it is no task of an array */
    int64_t task;
};

static void note(job_of_slurm *job, const struct pingo__executor_slurm_record *record)
{
    job->wait_status = record->wait_status;
    copy(job->reason, sizeof job->reason, record->reason);
    if (record->nodes && *record->nodes)
        copy(job->node, sizeof job->node, record->nodes);
}

static void take(struct pingo__executor_slurm *s, job_of_slurm *job, const struct told *told)
{
    const struct pingo__executor_slurm_record *record = told->record;
    enum pingo__executor_slurm_state state = pingo__executor_slurm_state_of(record->state);
    int64_t restarts = record->restarts > 0 ? record->restarts : 0;
    bool is_same = job->id == record->id;
    bool again =
        (is_same || state == PINGO__SLURM_WAITS) && restarts > (is_same ? job->restarts : 0);
    if (job->id != record->id) {
        job->phase = PINGO__SLURM_SUBMITTED;
        job->id = record->id;
        job->is_seen = true;
        job->cancel_asked = job->runs = job->is_named = false;
        job->since_list = s->lists;
        pingo__arena_clear(&job->arena);
    }
    pingo__executor_slurm_bind(job, told->bundle, told->task);
    if (state != job->state)
        s->news_ms = pingo__world_monotonic_ms();
    job->restarts = restarts;
    note(job, record);
    if (pingo__executor_slurm_is_over(state)) {
        has_ended(job, state, s->lists);
        return;
    }
    job->state = state;
    /* A controller that was killed forgets that, too. */
    if (job->cancel_asked && state < PINGO__SLURM_ENDS &&
        pingo__world_monotonic_ms() - job->cancelled_ms > FORGOTTEN_MS)
        job->cancel_asked = false;
    if (state == PINGO__SLURM_WAITS)
        tell_why_it_waits(s, job->reason);
    if (state == PINGO__SLURM_ENDS)
        pingo__executor_slurm_settle_early(s, job);
    job->runs = state != PINGO__SLURM_WAITS;
    /* Queued again after it began, it would find the gate closed: whoever began it is gone. */
    if (again) {
        has_ended(job, PINGO__SLURM_NODE_FAIL, s->lists);
        job->requeued = true;
    }
}

/* The id that we asked for may be another job's by now, one of ours too: ids of jobs that a controller forgot are given
 * to the next ones.  told: NULL: it is none of ours. */
static void look_at_id(struct pingo__executor_slurm *s,
                       const struct pingo__executor_slurm_call *call,
                       const struct pingo__executor_slurm_record *record, const struct told *told)
{
    job_of_slurm *job = pingo_jobs_find(s->jobs, call->key);
    bool same = told && (told->bundle ? told->bundle == (job ? job->bundle : NULL)
                                      : told->key.action == call->key.action &&
                                            told->key.epoch == call->key.epoch);
    if (call->kind == PINGO__SLURM_LOOK && !same && record->id == call->id && job &&
        !pingo_jobs_has_ended(job) && job->phase == PINGO__SLURM_SUBMITTED && job->id == record->id)
        has_ended(job, PINGO__SLURM_GONE, s->lists);
}

static void cancel(struct pingo__executor_slurm *s, struct pingo_job_key key, int64_t id,
                   int64_t task, int64_t ntasks)
{
    struct pingo__executor_slurm_call call = {
        .kind = PINGO__SLURM_CANCEL, .key = key, .id = id, .task = task, .ntasks = ntasks};
    if (id && s->way->ask(s->handle, &call, NULL, NULL) == 0)
        s->asked[PINGO__SLURM_CANCEL]++;
}

void pingo__executor_slurm_cancel_job(struct pingo__executor_slurm *s, const job_of_slurm *job)
{
    cancel(s, pingo_jobs_key(job), job->id, job->task, job->bundle ? 1 : 0);
}

/* A job of ours that nobody waits for, and that would find nothing to start: its attempt was given up while nobody
 * could cancel it, or a controller has forgotten that it was over.  Who has it in hand has its directory, too. */
static bool is_stray(struct pingo__executor_slurm *s, const struct told *told)
{
    struct pingo_runner_report report = {.size = sizeof report};
    bool asks = told->call->kind == PINGO__SLURM_LIST || told->call->number;
    if (!asks || s->asked[PINGO__SLURM_CANCEL] >= STRAYS || pingo_jobs_find(s->jobs, told->key) ||
        pingo__executor_slurm_state_of(told->record->state) >= PINGO__SLURM_ENDS)
        return false;
    char *dir = pingo__executor_slurm_dir(s, told->key);
    bool stray = dir && !pingo_runner_look(dir, &report, NULL) &&
                 (report.state == PINGO_RUNNER_REVOKED ||
                  (report.state == PINGO_RUNNER_NONE && pingo__executor_slurm_is_in_sight(s)));
    free(dir);
    return stray;
}

static void saw_one(struct pingo__executor_slurm *s, const struct told *told)
{
    const struct pingo__executor_slurm_record *record = told->record;
    job_of_slurm *job = pingo_jobs_find(s->jobs, told->key);
    bool over = pingo__executor_slurm_is_over(pingo__executor_slurm_state_of(record->state));
    if (!job || pingo_jobs_has_ended(job))
        return;
    job->was_listed = job->was_listed || told->call->kind == PINGO__SLURM_LIST;
    job->is_seen = job->is_seen || job->id == record->id;
    if (job->phase == PINGO__SLURM_SEARCHED ||
        (job->phase == PINGO__SLURM_SUBMITTED && job->id == record->id) ||
        (job->phase == PINGO__SLURM_ENDED && !over && job->id != record->id))
        take(s, job, told);
}

/* Slurm has cut the list of those that wait: what is not told may be there, and is not said to be gone. */
static void saw_rest(struct pingo__executor_slurm *s, struct told *told)
{
    for (; told->task < (int64_t)told->bundle->n; told->task++) {
        told->key = told->bundle->keys[told->task];
        job_of_slurm *job = pingo_jobs_find(s->jobs, told->key);
        if (job && job->phase == PINGO__SLURM_SEARCHED)
            saw_one(s, told);
        else if (job)
            job->was_listed = true;
    }
}

/* One of an array, or those that wait; strays beside each other are cancelled at once. */
static void saw_tasks(struct pingo__executor_slurm *s, struct told *told)
{
    struct pingo__executor_slurm_tasks tasks = {.rest = told->record->tasks};
    int64_t task, first = 0, n = 0, id = told->record->id;
    for (told->task = 0; pingo__executor_slurm_tasks_next(&tasks, &task) && task >= told->task &&
                         task < (int64_t)told->bundle->n;
         told->task = task + 1) {
        told->key = told->bundle->keys[told->task = task];
        saw_one(s, told);
        bool stray = is_stray(s, told);
        if (n > 0 && (!stray || task != first + n)) {
            cancel(s, told->bundle->keys[first], id, first, n);
            n = 0;
        }
        first = stray && n == 0 ? task : first;
        n += stray;
    }
    if (n > 0)
        cancel(s, told->bundle->keys[first], id, first, n);
    if (tasks.is_cut)
        saw_rest(s, told);
}

/* Its tasks may be anybody's who is searched for. */
static void note_unread(struct pingo__executor_slurm *s, int64_t id, const char *name)
{
    memcpy(s->unread, name, sizeof s->unread);
    if (!s->unread_told)
        pingo__executor_say(
            &s->log,
            "slurm: attempts/.bundles/%s/list in the pool cannot be read, so nobody "
            "knows what the tasks of job %lld are: who may be among them waits until "
            "it can be, or that job is over",
            name, (long long)id);
    s->unread_told = true;
}

static struct pingo__executor_slurm_bundle *bundle_of(struct pingo__executor_slurm *s,
                                                      const struct pingo__executor_slurm_call *call,
                                                      const struct pingo__executor_slurm_record *r,
                                                      const char *name)
{
    struct pingo__executor_slurm_bundle *b = pingo__executor_slurm_bundle_find(s, name);
    if (b || call->kind != PINGO__SLURM_LIST ||
        pingo__executor_slurm_state_of(r->state) >= PINGO__SLURM_ENDS ||
        strcmp(s->unread, name) == 0)
        return b;
    pingo__executor_slurm_bundles_load(s); /* another process has made it */
    b = pingo__executor_slurm_bundle_find(s, name);
    if (b)
        return b;
    if (!pingo__executor_slurm_bundle_is_gone(s, name))
        note_unread(s, r->id, name);
    else if (s->asked[PINGO__SLURM_CANCEL] < STRAYS) /* and with it all of its attempts */
        cancel(s, (struct pingo_job_key){0, 0}, r->id, 0, 0);
    return NULL;
}

void pingo__executor_slurm_saw(struct pingo__executor_slurm *s,
                               const struct pingo__executor_slurm_call *call,
                               const struct pingo__executor_slurm_record *record)
{
    if (call->kind >= PINGO__SLURM_NODES) {
        pingo__executor_slurm_sized(s, record);
        return;
    }
    if (s->seen) {
        s->seen->state = pingo__executor_slurm_state_of(record->state);
        note(s->seen, record);
        return;
    }
    struct told told = {.call = call, .record = record};
    char name[PINGO__BUNDLE_SIZE];
    bool alone = pingo__executor_slurm_key(record, s->mark, &told.key);
    if (!alone && pingo__executor_slurm_bundle_of(record, s->mark, name))
        told.bundle = bundle_of(s, call, record, name);
    look_at_id(s, call, record, alone || told.bundle ? &told : NULL);
    if (told.bundle)
        saw_tasks(s, &told);
    if (!alone)
        return;
    if (is_stray(s, &told))
        cancel(s, told.key, record->id, 0, 0);
    saw_one(s, &told);
}

/* ---- answers ------------------------------------------------------------------------------------- */

static void was_submitted(struct pingo__executor_slurm *s, job_of_slurm *job,
                          const struct pingo__executor_slurm_answer *a)
{
    job->phase = PINGO__SLURM_SUBMITTED;
    job->state = PINGO__SLURM_WAITS;
    job->id = a->id;
    job->is_seen = true;
    job->is_named = false;
    job->since_list = s->lists;
    pingo__arena_clear(&job->arena);
    if (*a->message) /* taken, and never to be started: the user shall hear why */
        pingo__executor_slurm_refuse(s, job, a->message);
}

static void was_not_submitted(struct pingo__executor_slurm *s, job_of_slurm *job,
                              const struct pingo__executor_slurm_answer *a)
{
    if (a->said == PINGO__SLURM_UNSURE || a->said == PINGO__SLURM_AGAIN) {
        job->phase = PINGO__SLURM_SEARCHED;
        job->since_list = s->lists;
        job->tries++;
        s->list_wanted = true;
    } else if (a->said == PINGO__SLURM_DOWN || a->said == PINGO__SLURM_FULL) {
        job->phase = PINGO__SLURM_QUEUED;
    } else {
        pingo__executor_slurm_refuse(s, job, a->message);
    }
}

/* So many it does not take, now or ever: half as many, at last one after the other, and later. */
static void meet_full(struct pingo__executor_slurm *s, const struct pingo__executor_slurm_answer *a)
{
    if (a->call.bundle) {
        s->at_once_most = (int64_t)a->call.bundle->n / 2;
        return;
    }
    if (!s->room_at_ms)
        pingo__executor_say(&s->log, "slurm: it takes no more jobs now (%s); they wait here",
                            a->message);
    s->room_at_ms = pingo__world_monotonic_ms() + pingo_backoff_next(&s->room);
}

/* What it took shows that there is room for more. */
static void has_room(struct pingo__executor_slurm *s)
{
    s->at_once_most = s->at_once_most * 2 < s->bundle_most ? s->at_once_most * 2 : s->bundle_most;
    s->room_at_ms = s->room.next_ms = 0;
}

static void one_submit_answered(struct pingo__executor_slurm *s, struct pingo_job_key key,
                                const struct pingo__executor_slurm_answer *a, int64_t task)
{
    job_of_slurm *job = pingo_jobs_find(s->jobs, key);
    bool waits = job && job->phase == PINGO__SLURM_ASKED;
    bool taken = a->said == PINGO__SLURM_DONE;
    if (taken && waits)
        was_submitted(s, job, a);
    else if (waits)
        was_not_submitted(s, job, a);
    else if (taken && !*a->message) /* it was given up meanwhile */
        cancel(s, key, a->id, task, a->call.bundle ? 1 : 0);
}

static void submit_answered(struct pingo__executor_slurm *s,
                            const struct pingo__executor_slurm_answer *a)
{
    struct pingo__executor_slurm_bundle *b = a->call.bundle;
    if (a->said == PINGO__SLURM_FULL)
        meet_full(s, a);
    else if (a->said == PINGO__SLURM_DONE)
        has_room(s);
    if (a->said == PINGO__SLURM_DONE && *a->message)
        cancel(s, a->call.key, a->id, 0, 0);
    if (!b)
        one_submit_answered(s, a->call.key, a, 0);
    for (size_t i = 0; b && i < b->n; i++)
        one_submit_answered(s, b->keys[i], a, (int64_t)i);
    if (b && (a->said == PINGO__SLURM_FULL || a->said == PINGO__SLURM_DOWN))
        pingo__executor_bundle_remove(s->pool, b->name);
    if (b)
        b->users--;
}

static void was_not_listed(job_of_slurm *job, int64_t number)
{
    if (job->phase == PINGO__SLURM_SUBMITTED && !job->bundle) { /* purged? its id will tell */
        job->look_at_ms = -1;
    } else if (job->phase == PINGO__SLURM_SEARCHED && job->arena.blocks && job->tries < TRIES) {
        job->phase = PINGO__SLURM_QUEUED;
    } else if (job->phase == PINGO__SLURM_SEARCHED || job->phase == PINGO__SLURM_SUBMITTED) {
        has_ended(job, PINGO__SLURM_GONE, number);
        job->confirmed = true;
    }
}

/* The latest of its times is in Slurm's past. */
static void learn_clock(struct pingo__executor_slurm *s, int64_t newest_s, int64_t now)
{
    if (newest_s > 0 && newest_s < INT32_MAX * INT64_C(4) &&
        (!s->clock_ms || newest_s * 1000 - now > s->clock_ms))
        s->clock_ms = newest_s * 1000 - now;
}

/* A list has been read to its end: who was searched for and is not in it is not there. */
static void was_listed(struct pingo__executor_slurm *s, const struct pingo__executor_slurm_answer *a)
{
    int64_t now = pingo__world_monotonic_ms(), rest = now + 3 * (now - s->listed_ms);
    if (s->poll_at_ms < rest) /* Slurm has other work */
        s->poll_at_ms = rest;
    s->known_ms = s->listed_ms;
    learn_clock(s, a->newest_s, now);
    for (job_of_slurm *job = NULL; (job = pingo_jobs_next(s->jobs, job));) {
        bool listed = job->was_listed || a->is_unchanged;
        job->was_listed = false;
        if (pingo_jobs_has_ended(job) || a->call.number <= job->since_list)
            continue;
        if (job->phase == PINGO__SLURM_ENDED)
            job->confirmed = true;
        else if (!listed && !(*s->unread && job->phase == PINGO__SLURM_SEARCHED))
            was_not_listed(job, a->call.number);
    }
    s->unread[0] = '\0';
}

/* What does not answer for ever is asked less and less often, and the user hears of it. */
static void list_answered(struct pingo__executor_slurm *s,
                          const struct pingo__executor_slurm_answer *a)
{
    bool well = a->said == PINGO__SLURM_DONE, told = s->lists_failed >= LISTS_TOLD;
    if (well)
        was_listed(s, a);
    s->list_wanted = s->list_wanted || !well;
    s->lists_failed = well ? 0 : s->lists_failed + (a->said != PINGO__SLURM_DOWN);
    if (well)
        s->list_at_ms = s->list_failures.next_ms = 0;
    else if (s->lists_failed > 1)
        s->list_at_ms = pingo__world_monotonic_ms() + pingo_backoff_next(&s->list_failures);
    if (told != (s->lists_failed >= LISTS_TOLD))
        pingo__executor_say(&s->log, "slurm: %s%s",
                            well ? "it tells of its jobs again"
                                 : "it does not tell of its jobs, and is asked again: ",
                            a->message);
}

static void recover(struct pingo__executor_slurm *s)
{
    if (s->trouble_told)
        pingo__executor_say(&s->log, "slurm answers again");
    if (s->in_trouble)
        s->poll_at_ms = 0;
    s->in_trouble = s->trouble_told = s->trouble_refused = false;
    s->troubles.next_ms = 0;
}

static void look_answered(struct pingo__executor_slurm *s, job_of_slurm *job,
                          const struct pingo__executor_slurm_answer *a)
{
    s->revoking -= a->call.number > 0;
    if (a->call.bundle) {
        a->call.bundle->is_looked_at = false;
        a->call.bundle->users--;
    }
    if (!job)
        return;
    job->look_asked = false;
    if (a->said != PINGO__SLURM_UNKNOWN || job->phase != PINGO__SLURM_SUBMITTED ||
        job->id != a->call.id)
        return;
    if (a->call.ntasks) /* it waits, or is gone: only a list tells */
        s->list_wanted = true;
    else
        has_ended(job, PINGO__SLURM_GONE, s->lists);
}

void pingo__executor_slurm_answered(struct pingo__executor_slurm *s,
                                    const struct pingo__executor_slurm_answer *a)
{
    job_of_slurm *job =
        a->call.kind == PINGO__SLURM_LIST ? NULL : pingo_jobs_find(s->jobs, a->call.key);
    s->asked[a->call.kind]--;
    if (a->said == PINGO__SLURM_DOWN || a->said == PINGO__SLURM_UNSURE)
        pingo__executor_slurm_meet(s, a->message);
    else if (a->said != PINGO__SLURM_AGAIN)
        recover(s);
    s->sizes.had[a->call.kind] = a->said == PINGO__SLURM_DONE;
    if (a->call.kind == PINGO__SLURM_SUBMIT)
        submit_answered(s, a);
    else if (a->call.kind == PINGO__SLURM_LIST)
        list_answered(s, a);
    else if (a->call.kind == PINGO__SLURM_LOOK)
        look_answered(s, job, a);
    else if (job && a->said != PINGO__SLURM_DONE && a->said != PINGO__SLURM_UNKNOWN)
        job->cancel_asked = job->is_seen = false; /* again, when it is seen again */
}

void pingo__executor_slurm_meet(struct pingo__executor_slurm *s, const char *message)
{
    int64_t now = pingo__world_monotonic_ms();
    s->trouble_ms = s->in_trouble ? s->trouble_ms : now;
    s->in_trouble = true;
    s->again_at_ms = now + pingo_backoff_next(&s->troubles);
    copy(s->trouble, sizeof s->trouble, message);
}
