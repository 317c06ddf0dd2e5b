/* states.c - see states.h. */
#include "executor/slurm/states.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/text.h"
#include "executor/context.h"
#include "rules/effects.h"

#define NAME "pingo-"
#define BUNDLE "b."                      /* before that of a list, where other jobs have a number */
#define MEMORY_SAID "memory limit"       /* slurmstepd: "Exceeded job memory limit" */
#define OOM_SAID "oom-kill"              /* slurmstepd: "Detected 1 oom-kill event(s)" */
#define USAGE_SAID "usage: pingo-runner" /* that it does not know what is asked of it */

static const struct {
    const char *name;
    enum pingo__executor_slurm_state state;
} states[] = {
    {"RUNNING", PINGO__SLURM_RUNS},
    {"COMPLETING", PINGO__SLURM_ENDS},
    {"SUSPENDED", PINGO__SLURM_RUNS},
    {"STOPPED", PINGO__SLURM_RUNS},
    {"SIGNALING", PINGO__SLURM_RUNS},
    {"STAGE_OUT", PINGO__SLURM_RUNS},
    {"COMPLETED", PINGO__SLURM_OVER},
    {"FAILED", PINGO__SLURM_OVER},
    {"CANCELLED", PINGO__SLURM_CANCELLED},
    {"REVOKED", PINGO__SLURM_CANCELLED},
    {"TIMEOUT", PINGO__SLURM_TIMEOUT},
    {"DEADLINE", PINGO__SLURM_TIMEOUT},
    {"OUT_OF_MEMORY", PINGO__SLURM_OUT_OF_MEMORY},
    {"NODE_FAIL", PINGO__SLURM_NODE_FAIL},
    {"BOOT_FAIL", PINGO__SLURM_NODE_FAIL},
    {"LAUNCH_FAILED", PINGO__SLURM_NODE_FAIL},
    {"PREEMPTED", PINGO__SLURM_NODE_FAIL},
};

enum pingo__executor_slurm_state pingo__executor_slurm_state_of(const char *name)
{
    size_t n = strcspn(name, " +"); /* "CANCELLED by 0" */
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strlen(states[i].name) == n && strncmp(states[i].name, name, n) == 0)
            return states[i].state;
    return PINGO__SLURM_WAITS;
}

bool pingo__executor_slurm_is_over(enum pingo__executor_slurm_state state)
{
    return state >= PINGO__SLURM_OVER;
}

/* ---- the key --------------------------------------------------------------------------------- */

void pingo__executor_slurm_name(char name[PINGO__SLURM_NAME_SIZE], const char *mark,
                                struct pingo_job_key key)
{
    snprintf(name, PINGO__SLURM_NAME_SIZE, NAME "%.*s-%lld.%lld", PINGO__EXECUTOR_MARK_SIZE, mark,
             (long long)key.action, (long long)key.epoch);
}

static bool read_number(const char **text, char end, int64_t *number)
{
    bool is = pingo__text_digits(text, number) && *number > 0 &&
              (**text == end || (end == ' ' && !**text));
    *text += is;
    return is;
}

/* What stands behind our mark; NULL: it is not ours. */
static const char *behind(const char *text, const char *mark)
{
    size_t n = strlen(NAME), nmark = strlen(mark);
    return text && strncmp(text, NAME, n) == 0 && strncmp(text + n, mark, nmark) == 0 &&
                   text[n + nmark] == '-'
               ? text + n + nmark + 1
               : NULL;
}

static bool read_key(const char *text, const char *mark, struct pingo_job_key *key)
{
    text = behind(text, mark);
    return text && read_number(&text, '.', &key->action) && read_number(&text, ' ', &key->epoch);
}

bool pingo__executor_slurm_key(const struct pingo__executor_slurm_record *record, const char *mark,
                               struct pingo_job_key *key)
{
    return read_key(record->name, mark, key) || read_key(record->comment, mark, key);
}

const char *pingo__executor_slurm_advice(const char *error)
{
    static const struct {
        const char *said, *advice;
    } rows[] = {
        {"nvalid partition",
         "; see sinfo, and setting executor.slurm.partition, or partition in executorOptions"},
        {"nvalid account", "; see sacctmgr show associations, and setting executor.slurm.account, "
                           "or account in executorOptions"},
        {"nvalid qos", "; see sacctmgr show qos, and qos in executorOptions"},
        {"nvalid license", "; see scontrol show licenses"},
        {"partition configuration not available", "; more processors than its nodes have, or more "
                                                  "time than its MaxTime: sinfo -o '%P %c %l'"},
        {"node configuration is not available", "; no node has so much: sinfo -o '%N %c %m %G'"},
        {PINGO__SLURM_UNSPECIFIED,
         "; it may be that the site's rules do not take such a job: sbatch tells "
         "why, with the same options"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(error, rows[i].said))
            return rows[i].advice;
    return "";
}

/* ---- arrays ---------------------------------------------------------------------------------- */

void pingo__executor_slurm_bundle_name(char name[PINGO__SLURM_NAME_SIZE], const char *mark,
                                       const char bundle[PINGO__BUNDLE_SIZE])
{
    snprintf(name, PINGO__SLURM_NAME_SIZE, NAME "%.*s-" BUNDLE "%.16s", PINGO__EXECUTOR_MARK_SIZE,
             mark, bundle);
}

bool pingo__executor_slurm_bundle_of(const struct pingo__executor_slurm_record *record,
                                     const char *mark, char bundle[PINGO__BUNDLE_SIZE])
{
    const char *const texts[] = {record->name, record->comment};
    for (size_t i = 0; record->tasks && i < sizeof texts / sizeof *texts; i++) {
        const char *text = behind(texts[i], mark);
        if (!text || strncmp(text, BUNDLE, strlen(BUNDLE)) != 0)
            continue;
        text += strlen(BUNDLE);
        size_t n = strspn(text, "0123456789abcdef");
        if (n != PINGO__BUNDLE_SIZE - 1 || (text[n] && text[n] != ' '))
            continue;
        memcpy(bundle, text, n);
        bundle[n] = '\0';
        return true;
    }
    return false;
}

static int64_t number_or(const char **text, int64_t other)
{
    int64_t number;
    return pingo__text_digits(text, &number) && number <= INT32_MAX ? number : other;
}

bool pingo__executor_slurm_tasks_next(struct pingo__executor_slurm_tasks *t, int64_t *task)
{
    if (t->step == 0 || t->next > t->last) {
        t->rest += t->step && *t->rest == ',';
        t->is_cut = strncmp(t->rest, "...", 3) == 0;
        int64_t first = number_or(&t->rest, -1);
        if (first < 0)
            return false;
        t->next = t->last = first;
        t->step = 1;
        if (*t->rest == '-' && t->rest++)
            t->last = number_or(&t->rest, first);
        if (*t->rest == ':' && t->rest++)
            t->step = number_or(&t->rest, 1);
        t->step = t->step > 0 ? t->step : 1;
    }
    *task = t->next;
    t->next += t->step;
    return true;
}

/* ---- ends ------------------------------------------------------------------------------------ */

static bool was_memory(const struct pingo__executor_slurm_over *over)
{
    return over->state == PINGO__SLURM_OUT_OF_MEMORY || strstr(over->said, MEMORY_SAID) ||
           strstr(over->said, OOM_SAID);
}

bool pingo__executor_slurm_was_ended(const struct pingo_job_end *end)
{
    int by = pingo__rules_end_signal(end);
    return end->reason == PINGO_END_KILLED || by == SIGKILL || by == SIGTERM;
}

void pingo__executor_slurm_judge(const struct pingo__executor_slurm_over *over,
                                 struct pingo_job_end *end)
{
    if (!pingo__executor_slurm_was_ended(end))
        return;
    if (was_memory(over))
        pingo__executor_end(end, PINGO_END_MEMORY_LIMIT,
                            "Slurm ended it: it used more memory than its job has");
    else if (over->state == PINGO__SLURM_TIMEOUT)
        pingo__executor_end(end, PINGO_END_TIME_LIMIT, "");
    else if (over->is_killed)
        pingo__executor_end(end, PINGO_END_KILLED, "");
    else if (over->state == PINGO__SLURM_NODE_FAIL)
        pingo__executor_end(end, PINGO_END_LOST, "Slurm took its node away, or preempted it");
}

static void describe(const struct pingo__executor_slurm_over *over, const char *what, char *text,
                     size_t size)
{
    static const char *const words[] = {"waits",
                                        "runs",
                                        "is about to end",
                                        "is over",
                                        "was cancelled, and not by Pingo",
                                        "had no time left",
                                        "had no memory left",
                                        "lost its node, or was preempted",
                                        "is not known any more"};
    int status = (int)over->wait_status;
    size_t n = (size_t)snprintf(text, size, "%s: Slurm says that it %s", what, words[over->state]);
    if (n < size && WIFEXITED(status) && WEXITSTATUS(status))
        n += (size_t)snprintf(text + n, size - n, ", exit status %d", WEXITSTATUS(status));
    else if (n < size && WIFSIGNALED(status))
        n += (size_t)snprintf(text + n, size - n, ", signal %d", WTERMSIG(status));
    if (n < size && *over->reason && strcmp(over->reason, "None") != 0)
        n += (size_t)snprintf(text + n, size - n, " (%.40s)", over->reason);
    if (n + 8 < size && *over->said) {
        memcpy(text + n, ": ", 2);
        pingo__text_clean_to(text + n + 2, size - n - 2, over->said); /* cut between two characters */
    }
}

void pingo__executor_slurm_lost(const struct pingo__executor_slurm_over *over,
                                struct pingo_job_end *end)
{
    char text[sizeof end->message];
    describe(over, "its runner left no outcome", text, sizeof text);
    if (was_memory(over))
        pingo__executor_end(end, PINGO_END_MEMORY_LIMIT,
                            "Slurm ended it: it used more memory than its job has");
    else if (over->state == PINGO__SLURM_TIMEOUT)
        pingo__executor_end(end, PINGO_END_TIME_LIMIT, "");
    else if (over->is_killed || over->state == PINGO__SLURM_CANCELLED)
        pingo__executor_end(end, PINGO_END_KILLED, over->is_killed ? "" : text);
    else
        pingo__executor_end(end, PINGO_END_LOST, text);
}

/* Where the job itself could say nothing, the likeliest reason is that its node sees other files than we do. */
void pingo__executor_slurm_not_started(const struct pingo__executor_slurm_over *over,
                                       struct pingo_job_end *end)
{
    char text[sizeof end->message];
    describe(over, "its job ended before it began", text, sizeof text);
    size_t n = strlen(text);
    if (strstr(over->said, USAGE_SAID))
        snprintf(text, sizeof text, "%.120s is of another version where its job was started",
                 over->runner);
    else if (over->state == PINGO__SLURM_OVER && !*over->said && over->wait_status)
        snprintf(text + n, sizeof text - n, "; do its nodes see the pool and %s?", over->runner);
    pingo__executor_end(end, over->is_killed ? PINGO_END_KILLED : PINGO_END_NOT_STARTED, text);
}
