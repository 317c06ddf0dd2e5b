/* answers.c - what Slurm's answers change.
 *
 * An answer that did not come says nothing: the job is searched for by its key.  Only a list that was asked for later,
 * and that the job is not in, says that Slurm does not have it; of a job with an id only that the id is unknown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "executor/slurm/child.h"
#include "executor/slurm/slurm.h"

#define TELL_EVERY_MS 600000
#define STRAYS 64 /* cancelled at once */
#define TRIES 3   /* submissions of one attempt, where the answers do not come */

typedef struct pingo__executor_slurm_job job_of_slurm;

static void has_ended(job_of_slurm *job, enum pingo__executor_slurm_state state, int64_t list)
{
    job->phase = PINGO__SLURM_ENDED;
    job->state = state;
    job->over_ms = pingo__executor_slurm_now_ms();
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
    static const char *const usual[] = {"",          "None",      "Priority",
                                        "Resources", "BeginTime", "Prolog",
                                        "Cleaning",  "Licenses",  "JobArrayTaskLimit"};
    int64_t now = pingo__executor_slurm_now_ms();
    char text[240];
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strcmp(usual[i], reason) == 0)
            return;
    if (!s->log || (s->waits_told_ms && now - s->waits_told_ms < TELL_EVERY_MS))
        return;
    s->waits_told_ms = now;
    snprintf(text, sizeof text, "slurm: a job waits for this reason, says Slurm: %s", reason);
    s->log(s->log_context, text);
}

static void take(struct pingo__executor_slurm *s, job_of_slurm *job,
                 const struct pingo__executor_slurm_record *record)
{
    enum pingo__executor_slurm_state state = pingo__executor_slurm_state_of(record->state);
    int64_t restarts = record->restarts > 0 ? record->restarts : 0;
    bool again = job->id == record->id && restarts > job->restarts;
    if (job->id != record->id) {
        job->phase = PINGO__SLURM_SUBMITTED;
        job->id = record->id;
        job->is_seen = true;
        job->cancel_asked = job->runs = false;
        pingo__arena_clear(&job->arena);
    }
    if (state != job->state)
        s->news_ms = pingo__executor_slurm_now_ms();
    job->restarts = restarts;
    job->wait_status = record->wait_status;
    copy(job->reason, sizeof job->reason, record->reason);
    if (record->nodes && *record->nodes)
        copy(job->node, sizeof job->node, record->nodes);
    if (pingo__executor_slurm_is_over(state)) {
        has_ended(job, state, s->lists);
        return;
    }
    job->state = state;
    if (state == PINGO__SLURM_WAITS)
        tell_why_it_waits(s, job->reason);
    job->runs = state == PINGO__SLURM_RUNS;
    /* Queued again after it began, it would find the gate closed: whoever began it is gone. */
    if (again) {
        has_ended(job, PINGO__SLURM_NODE_FAIL, s->lists);
        job->requeued = true;
    }
}

/* The id that we asked for may be another job's by now, one of ours too: ids of jobs that a controller forgot are given
 * to the next ones. */
static void look_at_id(struct pingo__executor_slurm *s,
                       const struct pingo__executor_slurm_call *call,
                       const struct pingo__executor_slurm_record *record,
                       const struct pingo_job_key *of)
{
    job_of_slurm *job = pingo_jobs_find(s->jobs, call->key);
    bool same = of && of->action == call->key.action && of->epoch == call->key.epoch;
    if (call->kind == PINGO__SLURM_LOOK && !same && record->id == call->id && job &&
        !pingo_jobs_has_ended(job) && job->phase == PINGO__SLURM_SUBMITTED && job->id == record->id)
        has_ended(job, PINGO__SLURM_GONE, s->lists);
}

static void cancel(struct pingo__executor_slurm *s, struct pingo_job_key key, int64_t id)
{
    struct pingo__executor_slurm_call call = {PINGO__SLURM_CANCEL, key, id, 0};
    if (id && s->way->ask(s->handle, &call, NULL, NULL) == 0)
        s->asked[PINGO__SLURM_CANCEL]++;
}

/* Is the directory there, or could it be there? */
static bool is_in_sight(char *dir)
{
    char *end = strrchr(dir, '/');
    *end = '\0';
    bool there = access(dir, X_OK) == 0;
    *end = '/';
    return there;
}

/* A job of ours that nobody waits for, and that would find nothing to start: its attempt was given up while nobody could
 * cancel it, or a controller has forgotten that it was over.  Who has it in hand has its directory, too. */
static void cancel_stray(struct pingo__executor_slurm *s, struct pingo_job_key key, int64_t id)
{
    struct pingo_runner_report report = {.size = sizeof report};
    char *dir = pingo__executor_slurm_dir(s, key);
    if (s->asked[PINGO__SLURM_CANCEL] < STRAYS && dir && !pingo_runner_look(dir, &report, NULL) &&
        (report.state == PINGO_RUNNER_REVOKED ||
         (report.state == PINGO_RUNNER_NONE && is_in_sight(dir))))
        cancel(s, key, id);
    free(dir);
}

void pingo__executor_slurm_saw(struct pingo__executor_slurm *s,
                               const struct pingo__executor_slurm_call *call,
                               const struct pingo__executor_slurm_record *record)
{
    struct pingo_job_key key;
    bool ours = pingo__executor_slurm_key(record, s->mark, &key);
    look_at_id(s, call, record, ours ? &key : NULL);
    job_of_slurm *job = ours ? pingo_jobs_find(s->jobs, key) : NULL;
    bool over = pingo__executor_slurm_is_over(pingo__executor_slurm_state_of(record->state));
    if (ours && !job && !over && (call->kind == PINGO__SLURM_LIST || call->number))
        cancel_stray(s, key, record->id);
    if (!job || pingo_jobs_has_ended(job))
        return;
    job->was_listed = job->was_listed || call->kind == PINGO__SLURM_LIST;
    job->is_seen = job->is_seen || job->id == record->id;
    if (job->phase == PINGO__SLURM_SEARCHED ||
        (job->phase == PINGO__SLURM_SUBMITTED && job->id == record->id) ||
        (job->phase == PINGO__SLURM_ENDED && !over && job->id != record->id))
        take(s, job, record);
}

/* ---- answers ------------------------------------------------------------------------------------- */

static void was_submitted(struct pingo__executor_slurm *s, job_of_slurm *job,
                          const struct pingo__executor_slurm_answer *a)
{
    if (!job || job->phase != PINGO__SLURM_ASKED) { /* it was given up meanwhile */
        cancel(s, a->call.key, a->id);
        return;
    }
    job->phase = PINGO__SLURM_SUBMITTED;
    job->id = a->id;
    job->is_seen = true;
    pingo__arena_clear(&job->arena);
    if (*a->message) { /* taken, and never to be started: the user shall hear why */
        cancel(s, a->call.key, a->id);
        pingo__executor_slurm_refuse(s, job, a->message);
    }
}

static void submit_answered(struct pingo__executor_slurm *s, job_of_slurm *job,
                            const struct pingo__executor_slurm_answer *a)
{
    if (a->said == PINGO__SLURM_DONE) {
        was_submitted(s, job, a);
        return;
    }
    if (!job || job->phase != PINGO__SLURM_ASKED)
        return;
    if (a->said == PINGO__SLURM_UNSURE || a->said == PINGO__SLURM_AGAIN) {
        job->phase = PINGO__SLURM_SEARCHED;
        job->since_list = s->lists;
        job->tries++;
        s->list_wanted = true;
    } else if (a->said == PINGO__SLURM_DOWN) {
        job->phase = PINGO__SLURM_QUEUED;
    } else {
        pingo__executor_slurm_refuse(s, job, a->message);
    }
}

static void was_not_listed(job_of_slurm *job, int64_t number)
{
    if (job->phase == PINGO__SLURM_SUBMITTED) { /* purged? its id will tell */
        job->look_at_ms = -1;
    } else if (job->phase == PINGO__SLURM_SEARCHED && job->arena.blocks && job->tries < TRIES) {
        job->phase = PINGO__SLURM_QUEUED;
    } else if (job->phase == PINGO__SLURM_SEARCHED) {
        has_ended(job, PINGO__SLURM_GONE, number);
        job->confirmed = true;
    }
}

/* A list has been read to its end: who was searched for and is not in it is not there. */
static void list_answered(struct pingo__executor_slurm *s, int64_t number)
{
    int64_t now = pingo__executor_slurm_now_ms(), rest = now + 3 * (now - s->listed_ms);
    if (s->poll_at_ms < rest) /* Slurm has other work */
        s->poll_at_ms = rest;
    for (job_of_slurm *job = NULL; (job = pingo_jobs_next(s->jobs, job));) {
        bool listed = job->was_listed;
        job->was_listed = false;
        if (pingo_jobs_has_ended(job) || number <= job->since_list)
            continue;
        if (job->phase == PINGO__SLURM_ENDED)
            job->confirmed = true;
        else if (!listed)
            was_not_listed(job, number);
    }
}

static void recover(struct pingo__executor_slurm *s)
{
    if (s->trouble_told && s->log)
        s->log(s->log_context, "slurm answers again");
    if (s->in_trouble)
        s->poll_at_ms = 0;
    s->in_trouble = s->trouble_told = false;
    s->troubles.next_ms = 0;
}

void pingo__executor_slurm_answered(struct pingo__executor_slurm *s,
                                    const struct pingo__executor_slurm_answer *a)
{
    job_of_slurm *job =
        a->call.kind == PINGO__SLURM_LIST ? NULL : pingo_jobs_find(s->jobs, a->call.key);
    s->asked[a->call.kind]--;
    s->revoking -= a->call.kind == PINGO__SLURM_LOOK && a->call.number;
    if (a->said == PINGO__SLURM_DOWN || a->said == PINGO__SLURM_UNSURE)
        pingo__executor_slurm_meet(s, a->message);
    else if (a->said != PINGO__SLURM_AGAIN)
        recover(s);
    if (job)
        job->look_asked = job->look_asked && a->call.kind != PINGO__SLURM_LOOK;
    if (a->call.kind == PINGO__SLURM_SUBMIT)
        submit_answered(s, job, a);
    else if (a->call.kind == PINGO__SLURM_LIST && a->said == PINGO__SLURM_DONE)
        list_answered(s, a->call.number);
    else if (a->call.kind == PINGO__SLURM_LIST)
        s->list_wanted = true;
    else if (a->call.kind == PINGO__SLURM_LOOK && a->said == PINGO__SLURM_UNKNOWN && job &&
             job->phase == PINGO__SLURM_SUBMITTED && job->id == a->call.id)
        has_ended(job, PINGO__SLURM_GONE, s->lists);
    else if (a->call.kind == PINGO__SLURM_CANCEL && job && a->said != PINGO__SLURM_DONE &&
             a->said != PINGO__SLURM_UNKNOWN)
        job->cancel_asked = job->is_seen = false; /* again, when it is seen again */
}

void pingo__executor_slurm_meet(struct pingo__executor_slurm *s, const char *message)
{
    int64_t now = pingo__executor_slurm_now_ms();
    if (!s->in_trouble) {
        s->trouble_ms = now;
        s->trouble_refused = false;
    }
    s->in_trouble = true;
    s->again_at_ms = now + pingo_backoff_next(&s->troubles);
    copy(s->trouble, sizeof s->trouble, message);
}
