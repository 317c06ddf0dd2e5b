/* mapreduce_end.c - what a MapReduce job has left becomes its end; see mapreduce.h.
 *
 * The name of its history says how it ended, whole or not at all; the ResourceManager's word counts where there is none.
 * Of the output go _SUCCESS, which says nothing any more, and _temporary, which its committer has left; it is renamed to
 * its staged place, once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/names.h"
#include "executor/hadoop/mapreduce.h"
#include "executor/hadoop/replies.h"
#include "hdfs/hdfs.h"

/* A master that is done says so before it has written its history, which takes long on a busy node. */
#define HISTORY_MS 60000
/* One that was killed may never have come to that; one that the ResourceManager forgot may commit as long:
 * yarn.app.mapreduce.am.job.committer.commit-window. */
#define ENDED_MS 10000
#define TAIL ((int64_t)1 << 20) /* of a history, where its end stands */

typedef struct pingo__executor_hadoop hadoop;
typedef struct pingo__executor_hadoop_job job_of;
typedef struct pingo__executor_hadoop_mapreduce_own own_of;
typedef struct pingo__executor_hadoop_history history_of;

void pingo__executor_hadoop_mapreduce_fail(hadoop *h, job_of *job, enum pingo_end_reason reason,
                                           const char *message)
{
    struct pingo_job_end end = {.reason = reason, .exit_code = reason == PINGO_END_EXITED ? 1 : 0};
    snprintf(end.message, sizeof end.message, "%.199s", message);
    pingo__executor_hadoop_ended(h, job, &end);
}

/* ---- its history ------------------------------------------------------------------------------------------ */

struct search {
    hadoop *h;
    job_of *job;
    const char *directory;
    char *path; /* of the one that was found */
    int64_t length;
    history_of history;
};

static int take_file(void *context, const char *name, const struct pingo__hdfs_status *status,
                     struct pingo_error *err)
{
    struct search *s = context;
    history_of found;
    (void)err;
    pingo__executor_hadoop_history_name(name, &found);
    if (status->is_directory || found.state == PINGO__HADOOP_UNHEARD)
        return 0;
    s->history = found;
    s->length = status->length;
    s->path = pingo__arena_format(&s->job->arena, "%s/%s", s->directory, name);
    return 0;
}

static int take_user(void *context, const char *name, const struct pingo__hdfs_status *status,
                     struct pingo_error *err)
{
    struct search *s = context;
    const char *above = s->directory;
    char *below = pingo__arena_format(&s->job->arena, "%s/%s", above, name);
    if (!status->is_directory || s->path)
        return 0;
    s->directory = below;
    int rc =
        below ? pingo__hdfs_list(s->h->hdfs, below, take_file, s, err) : pingo__fail_memory(err);
    s->directory = above;
    return rc;
}

/* *history UNHEARD: there is none. */
static int read_history(hadoop *h, job_of *job, history_of *history, struct pingo__buffer *told,
                        struct pingo_error *err)
{
    struct search s = {.h = h, .job = job, .history = {.state = PINGO__HADOOP_UNHEARD}};
    struct pingo__buffer bytes = {0};
    s.directory = pingo__executor_hadoop_far(h, job, "history");
    int rc = s.directory ? pingo__hdfs_list(h->hdfs, s.directory, take_user, &s, err)
                         : pingo__fail_memory(err);
    if (rc == PINGO_ENOTFOUND)
        rc = 0;
    if (!rc && s.path) {
        int64_t from = s.length > TAIL ? s.length - TAIL : 0;
        rc = pingo__hdfs_get_bytes(h->hdfs, s.path, (struct pingo__hdfs_range){from, TAIL}, &bytes,
                                   err);
        if (!rc && !bytes.failed)
            pingo__executor_hadoop_history_events(bytes.data, bytes.length, &s.history, told);
    }
    pingo__buffer_clear(&bytes);
    *history = s.history;
    return rc;
}

/* ---- its output --------------------------------------------------------------------------------------------- */

/* Renamed to the staged place, also by a call before this one.  PINGO_ENOTFOUND: there is none. */
static int stage(hadoop *h, job_of *job, struct pingo__hdfs_summary *summary,
                 struct pingo_error *err)
{
    struct pingo__arena *arena = &job->arena;
    char staged[PINGO__NAME_SIZE];
    pingo__name_staged(staged, job->job.key.action, job->job.key.epoch);
    char *output = pingo__executor_hadoop_far(h, job, "output"),
         *temporary = pingo__arena_format(arena, "%s/_temporary", staged),
         *success = pingo__arena_format(arena, "%s/_SUCCESS", staged);
    struct pingo__hdfs_status is;
    if (!output || !temporary || !success)
        return pingo__fail_memory(err);
    int rc = pingo__hdfs_status(h->hdfs, output, &is, err);
    if (!rc && is.exists)
        rc = pingo__hdfs_make(h->hdfs, pingo__name_parts[PINGO__STAGED], err);
    if (!rc && is.exists)
        rc = pingo__hdfs_rename(h->hdfs, output, staged, err);
    if (rc == PINGO_EEXISTS) /* by a call before this one; a task that was late has made another */
        rc = 0;
    if (!rc)
        rc = pingo__hdfs_remove(h->hdfs, temporary, err);
    if (!rc)
        rc = pingo__hdfs_remove(h->hdfs, success, err);
    return rc ? rc : pingo__hdfs_summary(h->hdfs, staged, summary, err);
}

static int has_succeeded(hadoop *h, job_of *job, bool *has, struct pingo_error *err)
{
    char *success = pingo__executor_hadoop_far(h, job, "output/_SUCCESS");
    struct pingo__hdfs_status is = {.exists = false};
    int rc = success ? pingo__hdfs_status(h->hdfs, success, &is, err) : pingo__fail_memory(err);
    *has = !rc && is.exists;
    return rc;
}

/* ---- the end -------------------------------------------------------------------------------------------------- */

static void fill(struct pingo_job_end *end, const history_of *history,
                 const struct pingo__executor_hadoop_app *app)
{
    end->started_ms = history->started_ms > 0 ? history->started_ms : app->started_ms;
    end->ended_ms = history->ended_ms > 0 ? history->ended_ms : app->ended_ms;
    if (end->ended_ms > end->started_ms && end->started_ms > 0)
        end->wall_ms = end->ended_ms - end->started_ms;
    end->user_ms = history->cpu_ms;
    end->max_rss_bytes = history->memory_bytes;
}

static int succeed(hadoop *h, job_of *job, struct pingo_job_end *end, struct pingo_error *err)
{
    struct pingo__hdfs_summary summary = {.bytes = 0};
    int rc = stage(h, job, &summary, err);
    if (rc == PINGO_ENOTFOUND) {
        end->reason = PINGO_END_NO_OUTPUT;
        snprintf(
            end->message, sizeof end->message, "%s",
            "nothing lies where its output was to be: its OutputFormat writes none there, or the "
            "cluster marks mapreduce.output.fileoutputformat.outputdir final");
        rc = 0;
    } else if (rc) {
        return rc;
    } else {
        end->output_kind = PINGO_OUTPUT_DIRECTORY;
        end->size_bytes = summary.bytes;
    }
    pingo__executor_hadoop_ended(h, job, end);
    return rc;
}

static void fail(hadoop *h, job_of *job, struct pingo_job_end *end, const history_of *history,
                 const struct pingo__executor_hadoop_app *app)
{
    const own_of *own = job->own;
    const char *message = *history->message ? history->message : app->diagnostics;
    enum pingo__executor_hadoop_state state =
        history->state != PINGO__HADOOP_UNHEARD ? history->state : app->state;
    end->exit_code = 1;
    if (own->is_overdue)
        end->reason = PINGO_END_TIME_LIMIT;
    else if (job->is_killed)
        end->reason = PINGO_END_KILLED;
    else if (state == PINGO__HADOOP_GONE)
        end->reason = PINGO_END_LOST;
    else if (history->was_memory || pingo__executor_hadoop_was_memory(app->diagnostics))
        end->reason = PINGO_END_MEMORY_LIMIT;
    if (end->reason != PINGO_END_EXITED)
        end->exit_code = 0;
    snprintf(end->message, sizeof end->message, "%s%.180s",
             state == PINGO__HADOOP_KILLED && !job->is_killed && !own->is_overdue
                 ? "it was killed: "
                 : "",
             end->reason == PINGO_END_KILLED ? "" : message);
    pingo__executor_hadoop_ended(h, job, end);
}

int pingo__executor_hadoop_mapreduce_conclude(hadoop *h, job_of *job,
                                              const struct pingo__executor_hadoop_app *app,
                                              struct pingo_error *err)
{
    struct pingo_job_end end = {.reason = PINGO_END_EXITED};
    struct pingo__buffer told = {0};
    history_of history;
    bool well = false;
    own_of *own = job->own;
    int64_t now = pingo__executor_hadoop_now_ms();
    int rc = read_history(h, job, &history, &told, err);
    own->over_ms = own->over_ms ? own->over_ms : now;
    bool is_cut = app->state == PINGO__HADOOP_KILLED || app->state == PINGO__HADOOP_GONE;
    if (!rc && history.state == PINGO__HADOOP_UNHEARD &&
        now - own->over_ms < (is_cut ? ENDED_MS : HISTORY_MS)) {
        pingo__buffer_clear(&told);
        return 0; /* the master writes it about now */
    }
    if (!rc && history.state == PINGO__HADOOP_UNHEARD && app->state == PINGO__HADOOP_GONE)
        rc = has_succeeded(h, job, &well, err);
    well = well || (history.state != PINGO__HADOOP_UNHEARD ? history.state : app->state) ==
                       PINGO__HADOOP_SUCCEEDED;
    if (!rc) {
        fill(&end, &history, app);
        if (told.length > 0)
            pingo__executor_hadoop_tells(h, job, pingo__buffer_take(&told));
        if (well)
            rc = succeed(h, job, &end, err);
        else
            fail(h, job, &end, &history, app);
    }
    pingo__buffer_clear(&told);
    return rc;
}
