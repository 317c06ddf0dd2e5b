/* mapreduce_end.c - what a MapReduce job has left becomes its end; see mapreduce.h.
 *
 * The name of its history says how it ended, whole or not at all; the ResourceManager's word counts where there is
 * none.  Of the output go _SUCCESS, which says nothing any more, and _temporary, which its committer has left; it is
 * renamed to its staged place, once. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/names.h"
#include "base/text.h"
#include "base/world.h"
#include "executor/hadoop/mapreduce.h"
#include "executor/hadoop/rm.h"
#include "hdfs/hdfs.h"

/* A master that is done says so before it has written its history, which takes long on a busy node. */
#define HISTORY_MS 60000
/* One that was killed may never have come to that; one that the ResourceManager forgot may commit as long:
 * yarn.app.mapreduce.am.job.committer.commit-window. */
#define ENDED_MS 10000
#define LOG_MOST 8192     /* of what a task said */
#define MASTER_MOST 65536 /* of what a master said, which says much */
#define CONTENTS "LogContents:\n"
#define XML_MOST ((int64_t)1 << 26)
#define TAIL ((int64_t)1 << 20) /* of a history, where its end stands */
#define SEARCHES 8              /* at once */

typedef struct pingo__executor_hadoop hadoop;
typedef struct pingo__executor_hadoop_job job_of;
typedef struct pingo__executor_hadoop_mapreduce_own own_of;
typedef struct pingo__executor_hadoop_history history_of;

void pingo__executor_hadoop_mapreduce_fail(hadoop *h, job_of *job, enum pingo_end_reason reason,
                                           const char *message)
{
    struct pingo_job_end end = {.exit_code = reason == PINGO_END_EXITED ? 1 : 0};
    pingo__executor_end(&end, reason, message);
    pingo__executor_hadoop_ended(h, job, &end);
}

/* ---- its history ------------------------------------------------------------------------------------------ */

struct search { /* read aside: a DataNode that is away holds up nobody else */
    struct pingo__executor_hadoop_aside aside;
    struct pingo__arena arena;
    char *directory;
    char *path;       /* of the one that was found */
    const char *conf; /* of the properties that its master had; NULL: there is none */
    int64_t length;
    history_of history;                /* UNHEARD: there is none */
    struct pingo__buffer told, theirs; /* theirs: what stands in conf */
};

static int take_file(void *context, const char *path, const struct pingo__hdfs_status *status,
                     struct pingo_error *err)
{
    struct search *s = context;
    const char *slash = strrchr(path, '/');
    history_of found;
    if (status->is_directory || !slash)
        return 0;
    pingo__executor_hadoop_history_name(slash + 1, &found);
    bool is_conf = pingo__text_glob("job_*_conf.xml", slash + 1);
    if (!is_conf && found.state == PINGO__HADOOP_UNHEARD)
        return 0;
    char *whole = pingo__arena_format(&s->arena, "%s/%s", s->directory, path);
    if (is_conf) {
        s->conf = whole;
    } else {
        s->history = found;
        s->length = status->length;
        s->path = whole;
    }
    return whole ? 0 : pingo__fail_memory(err);
}

static int read_conf(hadoop *h, struct pingo__executor_hadoop_aside *aside, struct pingo_error *err)
{
    struct search *s = (struct search *)aside;
    return pingo__executor_hadoop_get(h, s->conf, (struct pingo__hdfs_range){0, XML_MOST},
                                      &s->theirs, err);
}

static int read_history(hadoop *h, struct pingo__executor_hadoop_aside *aside,
                        struct pingo_error *err)
{
    struct search *s = (struct search *)aside;
    struct pingo__buffer bytes = {0};
    int rc = s->directory ? pingo__hdfs_walk(h->hdfs, s->directory, take_file, s, err)
                          : pingo__fail_memory(err);
    if (rc == PINGO_ENOTFOUND)
        rc = 0;
    if (!rc && s->path) {
        int64_t from = s->length > TAIL ? s->length - TAIL : 0;
        rc = pingo__executor_hadoop_get(h, s->path, (struct pingo__hdfs_range){from, TAIL}, &bytes,
                                        err);
        if (!rc && !bytes.failed)
            pingo__executor_hadoop_history_events(bytes.data, bytes.length, &s->history, &s->told);
    }
    if (!rc && s->conf)
        rc = read_conf(h, aside, err);
    pingo__buffer_clear(&bytes);
    return rc;
}

static void clear(struct pingo__executor_hadoop_aside *aside)
{
    struct search *s = (struct search *)aside;
    pingo__arena_clear(&s->arena);
    pingo__buffer_clear(&s->told);
    pingo__buffer_clear(&s->theirs);
}

static int start_search(hadoop *h, job_of *job, pingo__executor_hadoop_aside_fn *run,
                        const char *conf, struct pingo_error *err)
{
    if (!pingo__executor_hadoop_aside_has_room(h, job, run, SEARCHES))
        return 0;
    struct search *s = calloc(1, sizeof *s);
    if (!s)
        return pingo__fail_memory(err);
    *s = (struct search){.aside = {.run = run, .clear = clear},
                         .conf = conf,
                         .directory = pingo__executor_hadoop_far(h, job, "history"),
                         .history = {.state = PINGO__HADOOP_UNHEARD}};
    return pingo__executor_hadoop_aside_start(h, job, &s->aside, err);
}

/* ---- what it was told --------------------------------------------------------------------------------------- */

/* By this text of Hadoop's: *why "": it is as it should be. */
static int compare_with(job_of *job, struct pingo__buffer *theirs, char why[200],
                        struct pingo_error *err)
{
    char *ours = pingo__executor_hadoop_near_text(job, "job.xml"), source[64];
    own_of *own = job->own;
    const char *text = pingo__buffer_cstr(theirs);
    int rc = text && ours ? 0 : pingo__fail_memory(err);
    snprintf(source, sizeof source, "/%lld.%lld/job.xml<", (long long)job->job.key.action,
             (long long)job->job.key.epoch);
    if (!rc)
        own->is_kept = pingo__executor_hadoop_xml_is_kept(ours, text, source, why);
    free(ours);
    return rc;
}

static int start_comparing(hadoop *h, job_of *job, struct pingo_error *err)
{
    char application[PINGO__HADOOP_ID_SIZE], *staged;
    own_of *own = job->own;
    int rc = pingo__executor_hadoop_mapreduce_staged(h, job, application, &staged, err);
    char *conf = staged ? pingo__arena_format(&job->arena, "%s/job.xml", staged) : NULL;
    own->is_seen = !rc && !conf;
    return conf ? start_search(h, job, read_conf, conf, err) : rc;
}

int pingo__executor_hadoop_mapreduce_compare(hadoop *h, job_of *job, struct pingo_error *err)
{
    char why[200] = "";
    own_of *own = job->own;
    if (!job->aside)
        return start_comparing(h, job, err);
    struct search *s = (struct search *)pingo__executor_hadoop_aside_take(h, job, err);
    int rc = s->aside.rc ? s->aside.rc : compare_with(job, &s->theirs, why, err);
    rc = rc == PINGO_ENOTFOUND ? 0 : rc;
    pingo__executor_hadoop_aside_free(&s->aside);
    if (!rc && *why)
        rc = pingo__executor_hadoop_rm_kill(h->rm, job->application, PINGO__HADOOP_CHANGED, err);
    own->is_seen = !rc;
    if (!rc && *why)
        pingo__executor_hadoop_mapreduce_fail(h, job, PINGO_END_EXITED, why);
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

/* By what its master had, too, whose node may have a configuration of its own: end->message where that is wrong. */
static int compare_again(job_of *job, struct search *s, struct pingo_job_end *end,
                         struct pingo_error *err)
{
    const own_of *own = job->own;
    char why[200] = "";
    int rc = s->conf ? compare_with(job, &s->theirs, why, err) : 0;
    if (!rc && !*why && !own->is_kept) {
        end->reason = PINGO_END_LOST;
        snprintf(why, sizeof why, "nothing tells with what configuration Hadoop has run it");
    }
    end->exit_code = *why && end->reason == PINGO_END_EXITED ? 1 : 0;
    memcpy(end->message, why, sizeof why);
    return rc;
}

static int succeed(hadoop *h, job_of *job, struct search *s, struct pingo_job_end *end,
                   struct pingo_error *err)
{
    struct pingo__hdfs_summary summary = {.bytes = 0};
    int rc = compare_again(job, s, end, err);
    if (rc)
        return rc;
    bool is_other = *end->message;
    rc = is_other ? 0 : stage(h, job, &summary, err);
    if (rc == PINGO_ENOTFOUND) {
        end->reason = PINGO_END_NO_OUTPUT;
        snprintf(
            end->message, sizeof end->message, "%s",
            "nothing lies where its output was to be: its OutputFormat writes none there, or the "
            "cluster marks mapreduce.output.fileoutputformat.outputdir final");
        rc = 0;
    } else if (rc) {
        return rc;
    } else if (!is_other) {
        end->output_kind = PINGO_OUTPUT_DIRECTORY;
        end->size_bytes = summary.bytes;
    }
    pingo__executor_hadoop_ended(h, job, end);
    return rc;
}

/* ---- what Hadoop says of a failure ------------------------------------------------------------------------ */

struct log {
    const char *whose, *container, *node, *name;
};

/* Its end, as far as its node tells it: *n bytes within raw; NULL: nothing. */
static const char *fetch_log(hadoop *h, const struct log *log, int most, struct pingo__buffer *raw,
                             size_t *n)
{
    char path[200], tail[40], application[PINGO__HADOOP_ID_SIZE];
    struct pingo__executor_hadoop_question q = {.method = "GET", .path = path, .raw = raw};
    struct pingo__executor_hadoop_reply a;
    snprintf(path, sizeof path, "/ws/v1/node/containers/%s/logs/%s?size=-%d", log->container,
             log->name, most);
    snprintf(tail, sizeof tail, "\nEnd of LogType:%s", log->name);
    bool is_told = pingo__executor_hadoop_application_of(log->container, application) &&
                   pingo__executor_hadoop_rm_ask_node(h->rm, log->node, &q, &a) == 0 &&
                   a.status == 200;
    const char *all = is_told ? pingo__buffer_cstr(raw) : NULL,
               *said = all ? strstr(all, CONTENTS) : NULL, *end = said ? strstr(said, tail) : NULL;
    if (!end)
        return NULL;
    said += strlen(CONTENTS);
    *n = end >= said ? (size_t)(end - said) + 1 : 0;
    return said;
}

/* Goes behind what the client said, where people look; said: NULL: its node does not tell it. */
static void keep_log(job_of *job, const struct log *log, const char *said, size_t n)
{
    struct pingo__buffer text = {0};
    size_t most = n < LOG_MOST ? n : LOG_MOST;
    pingo__buffer_format(&text, "%s of %s (%s on %s):\n", log->name, log->whose, log->container,
                         log->node);
    if (said)
        pingo__buffer_append(&text, said + n - most, most);
    else
        pingo__buffer_text(&text, "its node does not tell it\n");
    char *path = pingo__executor_hadoop_near(job, "stderr");
    int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644) : -1;
    const struct pingo__world *world = pingo__world_real();
    if (fd >= 0 && !text.failed)
        world->write(world->context, fd, text.data, text.length);
    pingo__file_close(fd);
    pingo__buffer_clear(&text);
}

/* What the task said that could not be done. */
static void keep_task(hadoop *h, job_of *job, const history_of *history)
{
    char whose[120];
    struct log log = {whose, history->container, history->node, "stderr"};
    struct pingo__buffer raw = {0};
    size_t n = 0;
    snprintf(whose, sizeof whose, "%s, which could not be done", history->attempt);
    const char *said = fetch_log(h, &log, LOG_MOST, &raw, &n);
    keep_log(job, &log, said, n);
    pingo__buffer_clear(&raw);
}

struct diagnosis {
    char message[sizeof((struct pingo__executor_hadoop_app *)0)->diagnostics + 220];
    bool was_away; /* a daemon of Hadoop's */
};

/* A master that ran the tasks itself may be ended by one of them before it has written its history (exit status 66 of a
 * reduce whose map has failed), and none can where HDFS is away: then its own log says of what.  The message stays as
 * it was, where that tells nothing. */
static void ask_master(hadoop *h, job_of *job, const struct pingo__executor_hadoop_app *app,
                       struct diagnosis *d)
{
    struct log log = {"the job's master, which left no history", app->master, app->master_node,
                      "syslog"};
    struct pingo__buffer raw = {0}, end = {0};
    char exception[200] = "";
    size_t n = 0;
    const char *said = fetch_log(h, &log, MASTER_MOST, &raw, &n);
    pingo__buffer_append(&end, said ? said : "", n);
    if (said && pingo__buffer_cstr(&end))
        pingo__executor_hadoop_exception(end.data, exception, sizeof exception);
    d->was_away = !end.failed && pingo__executor_hadoop_was_away(pingo__buffer_cstr(&end));
    keep_log(job, &log, said, n);
    if (*exception)
        snprintf(d->message, sizeof d->message, "%s (%s)", exception, app->diagnostics);
    pingo__buffer_clear(&raw);
    pingo__buffer_clear(&end);
}

/* YARN ends all processes of a container at once: its task may tell first what that did to it ("subprocess failed with
 * code 143", "Filesystem closed"), and the history keeps that alone.  The master hears the rest. */
static bool was_ended_for_memory(hadoop *h, const history_of *history,
                                 const struct pingo__executor_hadoop_app *app, struct diagnosis *d)
{
    struct log log = {"", app->master, app->master_node, "syslog"};
    struct pingo__buffer raw = {0};
    const char *line;
    size_t n = 0;
    bool is =
        *app->master && fetch_log(h, &log, MASTER_MOST, &raw, &n) &&
        pingo__executor_hadoop_task_was_memory(pingo__buffer_cstr(&raw), history->attempt, &line);
    if (is)
        snprintf(d->message, sizeof d->message, "YARN ended a task: %.*s", (int)strcspn(line, "\n"),
                 line);
    pingo__buffer_clear(&raw);
    return is;
}

static enum pingo_end_reason reason_of(const job_of *job, const history_of *history,
                                       const struct pingo__executor_hadoop_app *app,
                                       enum pingo__executor_hadoop_state state)
{
    const own_of *own = job->own;
    bool is_cut = app->state == PINGO__HADOOP_KILLED;
    if (own->is_overdue || (is_cut && strstr(app->diagnostics, PINGO__HADOOP_OVERDUE)))
        return PINGO_END_TIME_LIMIT;
    if (job->is_killed || (is_cut && strstr(app->diagnostics, PINGO__HADOOP_GIVEN_UP)))
        return PINGO_END_KILLED;
    if (state == PINGO__HADOOP_GONE || history->was_away ||
        pingo__executor_hadoop_was_away(app->diagnostics))
        return PINGO_END_LOST;
    return history->was_memory || pingo__executor_hadoop_was_memory(app->diagnostics)
               ? PINGO_END_MEMORY_LIMIT
               : PINGO_END_EXITED;
}

static void fail(hadoop *h, job_of *job, struct pingo_job_end *end, const history_of *history,
                 const struct pingo__executor_hadoop_app *app)
{
    struct diagnosis d = {.was_away = false};
    struct pingo__executor_hadoop_reply largest;
    bool has_history = history->state != PINGO__HADOOP_UNHEARD;
    enum pingo__executor_hadoop_state state = has_history ? history->state : app->state;
    snprintf(d.message, sizeof d.message, "%s",
             *history->message ? history->message : app->diagnostics);
    end->reason = reason_of(job, history, app, state);
    if (*history->container && end->reason != PINGO_END_KILLED)
        keep_task(h, job, history);
    if (*history->container && end->reason == PINGO_END_EXITED &&
        was_ended_for_memory(h, history, app, &d))
        end->reason = PINGO_END_MEMORY_LIMIT;
    else if (!has_history && *app->master && end->reason == PINGO_END_EXITED)
        ask_master(h, job, app, &d);
    end->reason = d.was_away ? PINGO_END_LOST : end->reason;
    end->exit_code = end->reason == PINGO_END_EXITED ? 1 : 0;
    if (end->reason == PINGO_END_MEMORY_LIMIT && !h->largest_mb) /* who makes it grow will ask */
        pingo__executor_hadoop_new_app(h, &largest, NULL);
    snprintf(end->message, sizeof end->message, "%s%.180s",
             state == PINGO__HADOOP_KILLED && end->reason == PINGO_END_EXITED ? "it was killed: "
                                                                              : "",
             end->reason == PINGO_END_KILLED ? "" : d.message);
    pingo__executor_hadoop_ended(h, job, end);
}

/* Since when it is over, as a scheduler before this one has seen it, too: that may have been a tick that left at once.
 * A file beside job.xml remembers. */
static int64_t over_since(job_of *job)
{
    struct stat st;
    int64_t age_ms = 0;
    char *path = pingo__executor_hadoop_near(job, "over");
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644) : -1;
    if (fd >= 0 && fstat(fd, &st) == 0)
        age_ms = pingo__world_wall_ms() - (int64_t)st.st_mtime * 1000;
    pingo__file_close(fd);
    return pingo__world_monotonic_ms() - (age_ms > 0 ? age_ms : 0);
}

static int conclude(hadoop *h, job_of *job, const struct pingo__executor_hadoop_app *app,
                    struct search *s, struct pingo_error *err)
{
    struct pingo_job_end end = {.reason = PINGO_END_EXITED};
    const history_of *history = &s->history;
    own_of *own = job->own;
    bool is_cut = app->state == PINGO__HADOOP_KILLED || app->state == PINGO__HADOOP_GONE;
    bool has_none = history->state == PINGO__HADOOP_UNHEARD, well = false;
    int rc = 0;
    if (has_none && !own->over_ms)
        own->over_ms = over_since(job);
    if (has_none && pingo__world_monotonic_ms() - own->over_ms < (is_cut ? ENDED_MS : HISTORY_MS))
        return 0; /* the master writes it about now */
    if (has_none && app->state == PINGO__HADOOP_GONE)
        rc = has_succeeded(h, job, &well, err);
    if (rc)
        return rc;
    fill(&end, history, app);
    if (s->told.length > 0)
        pingo__executor_hadoop_tells(h, job, pingo__buffer_take(&s->told));
    if (well || (has_none ? app->state : history->state) == PINGO__HADOOP_SUCCEEDED)
        return succeed(h, job, s, &end, err);
    fail(h, job, &end, history, app);
    return 0;
}

int pingo__executor_hadoop_mapreduce_conclude(hadoop *h, job_of *job,
                                              const struct pingo__executor_hadoop_app *app,
                                              struct pingo_error *err)
{
    if (!job->aside)
        return start_search(h, job, read_history, NULL, err);
    struct search *s = (struct search *)pingo__executor_hadoop_aside_take(h, job, err);
    int rc = s->aside.rc ? s->aside.rc : conclude(h, job, app, s, err);
    pingo__executor_hadoop_aside_free(&s->aside);
    return rc;
}
