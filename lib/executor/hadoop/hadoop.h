/* hadoop.h - the executor that has a Hadoop cluster run attempts: what its files share.
 *
 * What talks to the cluster blocks, and does so on a thread of the executor's own.  The functions of the table put
 * orders into a mailbox and take reports out of it (mailbox.h); the thread holds the jobs, and has each kind of job go
 * on: commands (commands.c), which are bundled into applications of YARN's distributed shell, and map-reduce
 * (mapreduce.c).
 *
 * What always holds: all but the mailbox belongs to the thread; whatever the thread calls returns within a bounded
 * time, and soon when it is to stop; an attempt's gate lies in HDFS, or in its near directory, is passed once, and is
 * closed whatever the ResourceManager does; the id of an
 * application is kept before it is submitted, and a submission is repeated only under the same id; ends are read from
 * where the attempt left them, and the ResourceManager alone says only that nothing more is to come. */
#ifndef PINGO__EXECUTOR_HADOOP_HADOOP_H
#define PINGO__EXECUTOR_HADOOP_HADOOP_H

#include <pthread.h>

#include "hdfs/hdfs.h"
#include "executor/context.h"
#include "executor/hadoop/layout.h"

struct pingo__executor_hadoop;
struct pingo__executor_hadoop_rm;
struct pingo__executor_hadoop_bundle;

/* ---- applications, as the ResourceManager tells of them ---------------------------------------- */

enum pingo__executor_hadoop_state {
    PINGO__HADOOP_UNHEARD = 0, /* it has not been asked since, or did not answer: nothing is known */
    PINGO__HADOOP_WAITS,       /* NEW, ..., ACCEPTED, or what we do not know */
    PINGO__HADOOP_RUNS,
    PINGO__HADOOP_SUCCEEDED, /* from here on it is final */
    PINGO__HADOOP_FAILED,
    PINGO__HADOOP_KILLED,
    PINGO__HADOOP_GONE /* it says NotFoundException, and means this id */
};
static inline bool pingo__executor_hadoop_is_final(enum pingo__executor_hadoop_state state)
{
    return state >= PINGO__HADOOP_SUCCEEDED;
}

struct pingo__executor_hadoop_app {
    char id[PINGO__HADOOP_ID_SIZE];
    enum pingo__executor_hadoop_state state;
    char diagnostics[400];        /* fit to be shown, "": none */
    int64_t started_ms, ended_ms; /* by the ResourceManager's clock: when it was launched, */
    int64_t ran_ms;   /* and how long it has run; where that is not told, since it was submitted */
    int64_t percent;  /* of its work, as its master sees it */
    int64_t heard_ms; /* monotonic: when it was told last */
    /* Of its master's last try: where its logs are.  "": not told. */
    char master[PINGO__HADOOP_ID_SIZE], master_node[280];
};

/* ---- jobs ------------------------------------------------------------------------------------- */

struct pingo__executor_hadoop_aside;
typedef int pingo__executor_hadoop_aside_fn(struct pingo__executor_hadoop *h,
                                            struct pingo__executor_hadoop_aside *a,
                                            struct pingo_error *err);

enum pingo__executor_hadoop_phase {
    PINGO__HADOOP_HANDED,    /* to be armed */
    PINGO__HADOOP_ARMED,     /* to be submitted */
    PINGO__HADOOP_SUBMITTED, /* or may be: it is looked at from now on */
    PINGO__HADOOP_OVER       /* its end was reported */
};

struct pingo__executor_hadoop_job {
    const struct pingo__executor_hadoop_kind *kind;
    enum pingo__executor_hadoop_phase phase;
    struct pingo__arena arena;
    struct pingo_job
        job; /* a copy, all of it in the arena.  Of one that was adopted: key, attempt_dir, staged_path,
                             attempt_place and staged_place alone */
    char application[PINGO__HADOOP_ID_SIZE]; /* "": none yet */
    bool is_adopted, is_started, is_killed;
    bool is_unread;  /* adopted, and could not be read: its kind is not known yet */
    bool is_known;   /* it was looked at, and what that found is told; or it goes on without us */
    bool is_dubious; /* it is over, and left nothing: that is looked at for some time */
    bool is_brought; /* what it needs of this machine has a place in HDFS */
    struct pingo__executor_hadoop_aside *aside; /* what is done for it beside the thread; NULL: nothing */
    bool waits_aside; /* as much is done for others as may be at once: of this kind, and so many */
    pingo__executor_hadoop_aside_fn *waits_for;
    size_t waits_most;
    int64_t handed_ms, killed_ms; /* monotonic */
    int64_t look_at_ms;           /* monotonic: not before; look sets it anew */
    int64_t stuck_until_ms;       /* monotonic: nothing is tried before */
    void *own;                    /* the kind's, from calloc() alone */
};

/* A kind of job.  All functions are called on the thread, and may block for some seconds (each call of lib/hdfs, of the
 * ResourceManager, a child that is waited for), but look whether h->is_leaving between such calls.  Where they leave
 * something to be done aside (job->aside, or waits_aside) they return 0, and are called again when that is done.
 * PINGO_EAWAY from any: the cluster does not answer, and it is called again later. */
struct pingo__executor_hadoop_kind {
    size_t own_size; /* of what it keeps of each job, zero at first */
    /* Makes what the cluster will read, up to the gate.  PINGO_EINVAL: it can never be (wrong executorOptions, ...),
     * and fails with this message; another error: it has not started, revoke closes its gate. */
    int (*arm)(struct pingo__executor_hadoop *h, struct pingo__executor_hadoop_job *job,
               struct pingo_error *err);
    /* Asks the cluster, once per job until it returns 0 and phase is SUBMITTED; a kind may submit others with it that
     * are ARMED, too.  Its error: as arm's.  What may have been submitted is SUBMITTED: look finds out. */
    int (*submit)(struct pingo__executor_hadoop *h, struct pingo__executor_hadoop_job *job,
                  struct pingo_error *err);
    /* Looks at one that is SUBMITTED, when look_at_ms has come: calls _started, _named, _ended as far as it knows. */
    int (*look)(struct pingo__executor_hadoop *h, struct pingo__executor_hadoop_job *job,
                struct pingo_error *err);
    /* *revoked: it never starts, whoever still has it on its way.  Also of one that nobody has armed. */
    int (*revoke)(struct pingo__executor_hadoop *h, struct pingo__executor_hadoop_job *job,
                  bool *revoked, struct pingo_error *err);
    /* Has begun to end it: once, when is_killed was set; look reports the end.  killed_ms is now, unless it is set. */
    int (*kill)(struct pingo__executor_hadoop *h, struct pingo__executor_hadoop_job *job,
                struct pingo_error *err);
    /* Is an attempt of a scheduler that is gone one of this kind?  *found: it is armed, runs, or its end can be
     * reported: job, which has places and paths, is SUBMITTED (or ARMED) then.  false: it is not, or never will be:
     * its gate is closed. */
    int (*adopt)(struct pingo__executor_hadoop *h, struct pingo__executor_hadoop_job *job,
                 bool *found, struct pingo_error *err);
    /* Its end was taken, or it was revoked: what is kept of it can go, on this machine and in HDFS (but for logs). */
    void (*forget)(struct pingo__executor_hadoop *h, struct pingo__executor_hadoop_job *job);
};
extern const struct pingo__executor_hadoop_kind pingo__executor_hadoop_commands;
extern const struct pingo__executor_hadoop_kind pingo__executor_hadoop_mapreduce;

/* What a kind reports.  An end's size and key are filled in; the job is OVER then. */
void pingo__executor_hadoop_started(struct pingo__executor_hadoop *h,
                                    struct pingo__executor_hadoop_job *job);
void pingo__executor_hadoop_named(struct pingo__executor_hadoop *h,
                                  struct pingo__executor_hadoop_job *job, const char *name);
/* Takes the JSON (NULL: no memory). */
void pingo__executor_hadoop_tells(struct pingo__executor_hadoop *h,
                                  struct pingo__executor_hadoop_job *job, char *json);
void pingo__executor_hadoop_ended(struct pingo__executor_hadoop *h,
                                  struct pingo__executor_hadoop_job *job, struct pingo_job_end *end);

/* ---- what YARN is asked to run, as JSON: submission.c, pure ---------------------------------------- */

/* The distributed shell's master, and through it containers that all run one script. */

struct pingo__executor_hadoop_options { /* of executorOptions; NULL: not given */
    const char *queue, *node_label;
    int64_t priority; /* -1: not given */
};
/* Texts in the arena; json may be NULL.  PINGO_EINVAL: an option that is none. */
int pingo__executor_hadoop_options_read(const char *json, struct pingo__arena *arena,
                                        struct pingo__executor_hadoop_options *options,
                                        struct pingo_error *err);

struct pingo__executor_hadoop_submission {
    const char *id, *name, *tag;
    const char *queue, *node_label; /* NULL: the cluster's own */
    int64_t priority;               /* -1: the queue's own */
    const char *classpath;          /* of the master; NULL: as a distribution has it */
    int64_t master_mb, memory_mb, vcores, containers;
    const char *script; /* hdfs://...; the shell renames it */
    int64_t script_bytes, script_mtime_ms;
    const char *token; /* a delegation token of HDFS's, as Hadoop's programs know it; NULL: none is needed */
};
/* Look whether b failed. */
void pingo__executor_hadoop_body(struct pingo__buffer *b,
                                 const struct pingo__executor_hadoop_submission *s);

/* What a container needs above what the command may use: the runner, the shell, and copies of inputs in flight. */
#define PINGO__HADOOP_RUNNER_MB 64
/* In MB; a job without a limit gets 1024. */
int64_t pingo__executor_hadoop_container_mb(const struct pingo_job *job);

#define PINGO__HADOOP_PROGRAM "pingo-hadoop-runner"
#define PINGO__HADOOP_LIBRARY "libcjson.so.1" /* as the program asks for it, beside itself first */

struct pingo__executor_hadoop_program {
    char *bytes, *library;
    size_t n, nlibrary; /* 0: it needs none */
};
/* The script of a container: it takes program and library out of itself (they stand behind it), and runs the program
 * with these words.  token may be NULL.  Look whether b failed. */
void pingo__executor_hadoop_script(struct pingo__buffer *b, const char *const *words,
                                   const char *token,
                                   const struct pingo__executor_hadoop_program *program);

/* Can the text stand in a command or a variable of YARN's, past two shells, as it is? */
bool pingo__executor_hadoop_is_safe(const char *text);

/* ---- the executor ------------------------------------------------------------------------------ */

struct pingo__executor_hadoop {
    /* Of open, and the same ever after. */
    char tag[100]; /* of all that is ours: "pingo-", and what is of this store with this pool, lower case */
    struct pingo__arena texts; /* of the settings and the next ones */
    char *pool_dir;            /* the near directory: attempts/ and staged/ on this machine */
    char *pool_place;          /* the pool's URL: webhdfs://... ; NULL: the pool is not in HDFS */
    char *pool_path;           /* the same within HDFS: /user/me/pool */
    char *helper_dir;          /* NULL: as installed */
    struct pingo_runner_options runner;
    /* Settings executor.hadoop.*; NULL: not set. */
    char *fs;                /* hdfs://NN:8020, as Hadoop's own programs call it */
    const char *nameservice; /* in it: what stands for several NameNodes; NULL: it is one */
    char *user, *queue;
    char *am_classpath;                       /* of the distributed shell's master */
    char *java, *client_classpath, *conf_dir; /* of JobClient on this machine */
    int64_t am_memory_mb, bundle, containers, max_jobs, poll_ms;
    char unset[256]; /* what is missing for all kinds; "": nothing */

    /* Of the thread. */
    struct pingo__hdfs *hdfs;
    struct pingo__executor_hadoop_rm *rm;
    struct pingo_jobs *jobs; /* struct pingo__executor_hadoop_job of each */
    struct pingo__executor_hadoop_app *apps;
    size_t napps, apps_capacity;
    struct pingo__executor_hadoop_originals *originals;
    struct pingo__executor_hadoop_aside *asides;
    struct pingo__executor_hadoop_bundle *bundles; /* of commands */
    struct {
        char id[PINGO__HADOOP_ID_SIZE]; /* "": there is none */
        int64_t since_ms;               /* monotonic */
        int64_t memory_mb, vcores;      /* of the largest container; 0: not told */
    } next;                             /* application */
    int unlisted; /* a negative errno: lists on the disk that could not be read may hold others; 0: there are none */
    struct pingo__executor_hadoop_program program; /* bytes NULL: not read yet */
    struct pingo_backoff troubles;
    int64_t news_ms;            /* monotonic: when something changed last */
    int64_t step_at_ms;         /* a kind's step has something to do; 0: it has not */
    int64_t poll_at_ms;         /* when the ResourceManager is asked again */
    int64_t again_at_ms;        /* after trouble: nothing is asked before; 0: there is none */
    int64_t trouble_ms;         /* since when; 0: there is none */
    char trouble[300];          /* what is in the way; "": nothing */
    bool trouble_told;          /* in the log */
    _Atomic int64_t largest_mb; /* container that YARN gives; 0: not known yet */
    int64_t stuck_told_ms;      /* when one that is stuck was last told of; 0: never */
    int64_t first_armed_ms,
        armed_ms; /* when the first and the last were armed that are not submitted */

    struct pingo__executor_hadoop_mailbox *box;
    _Atomic bool is_leaving; /* set by close: nothing more is begun */
};

extern const struct pingo_executor_type pingo__executor_hadoop;

/* How long to wait before asking again, when there was no news since then: the longer there was none, the longer. */
int64_t pingo__executor_hadoop_pause_ms(const struct pingo__executor_hadoop *h, int64_t since_ms);
/* Something is new: who polls does so soon. */
void pingo__executor_hadoop_hurry(struct pingo__executor_hadoop *h);
/* Is it an error of a cluster that does not answer, or of our leaving: to be tried again, and no end of anything? */
bool pingo__executor_hadoop_is_away(int rc);
/* What the ResourceManager said in the last poll of the application of this id; NULL: nothing yet.  Borrowed until
 * the next step. */
const struct pingo__executor_hadoop_app *pingo__executor_hadoop_app(
    const struct pingo__executor_hadoop *h, const char *id);
/* Asks for that one now, to be sure: *app is what it says, GONE included.  PINGO_EAWAY: it does not answer. */
int pingo__executor_hadoop_ask(struct pingo__executor_hadoop *h, const char *id,
                               struct pingo__executor_hadoop_app *app, struct pingo_error *err);
/* A new id, and what the largest container may have.  Errors: as pingo__executor_hadoop_rm_new(). */
struct pingo__executor_hadoop_reply;
int pingo__executor_hadoop_new_app(struct pingo__executor_hadoop *h,
                                   struct pingo__executor_hadoop_reply *reply,
                                   struct pingo_error *err);
/* As pingo__hdfs_get_bytes of what a NameNode has just told of, so that PINGO_EAWAY means a DataNode: PINGO_EIO, for
 * that is nobody else's trouble.  Any thread. */
int pingo__executor_hadoop_get(struct pingo__executor_hadoop *h, const char *path,
                               struct pingo__hdfs_range range, struct pingo__buffer *bytes,
                               struct pingo_error *err);
/* A line for the log, "hadoop: ..." in front. */
void pingo__executor_hadoop_log(struct pingo__executor_hadoop *h, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What the links of a job lead to on this machine, files or directories, gets a place (job->job.places) where the
 * cluster has a copy of it: uploaded once, by its content, aside; job->is_brought once all have.  is_wanted: NULL: all
 * links.  Errors: as lib/hdfs's, but PINGO_EINPUT where one cannot be read, or has changed, and PINGO_EINVAL where HDFS
 * cannot hold it. */
int pingo__executor_hadoop_bring(struct pingo__executor_hadoop *h,
                                 struct pingo__executor_hadoop_job *job,
                                 bool (*is_wanted)(const void *context, const char *link),
                                 const void *context, struct pingo_error *err);

/* ---- aside.c ---- */

/* Something that is done for a job on a thread of its own; the first of what whoever starts it hands over, and finds
 * there again. */
struct pingo__executor_hadoop_aside {
    pingo__executor_hadoop_aside_fn *run; /* on that thread; reads of the job what lies in its arena; looks at
                                             h->is_leaving */
    void (*clear)(struct pingo__executor_hadoop_aside *a); /* what it holds, not itself; NULL: nothing */
    int rc;                                                /* of run, with why */
    struct pingo_error why;
    /* aside.c's */
    struct pingo__executor_hadoop *h;
    struct pingo__executor_hadoop_aside *next;
    pthread_t thread;
    _Atomic bool is_done;
    bool is_dropped; /* its job is gone, and has left: */
    struct pingo__arena kept;
};
/* Do fewer than `most` run of this kind?  Else job waits_aside. */
bool pingo__executor_hadoop_aside_has_room(struct pingo__executor_hadoop *h,
                                           struct pingo__executor_hadoop_job *job,
                                           pingo__executor_hadoop_aside_fn *of, size_t most);
/* a: from malloc(); it is the job's from now on, and cleared where it cannot be started. */
int pingo__executor_hadoop_aside_start(struct pingo__executor_hadoop *h,
                                       struct pingo__executor_hadoop_job *job,
                                       struct pingo__executor_hadoop_aside *a,
                                       struct pingo_error *err);
/* The job's, which is done: yours.  err: of its rc. */
struct pingo__executor_hadoop_aside *pingo__executor_hadoop_aside_take(
    struct pingo__executor_hadoop *h, struct pingo__executor_hadoop_job *job,
    struct pingo_error *err);
/* One that is nobody's, with what it holds. */
void pingo__executor_hadoop_aside_free(struct pingo__executor_hadoop_aside *a);
/* Is what the job waits for done, and is there room for what it wants done? */
bool pingo__executor_hadoop_aside_is_over(struct pingo__executor_hadoop *h,
                                          struct pingo__executor_hadoop_job *job);
/* The job, which has one, goes: it keeps the arena until it is done. */
void pingo__executor_hadoop_aside_drop(struct pingo__executor_hadoop_job *job);
/* Those of jobs that are gone, as far as they are done; all: each, when it is. */
void pingo__executor_hadoop_asides_free(struct pingo__executor_hadoop *h, bool all);

/* ---- settings.c ---- */

#define PINGO__HADOOP_SETTINGS 13
extern const struct pingo_executor_setting pingo__executor_hadoop_settings[PINGO__HADOOP_SETTINGS];
/* Fills in what they say, where things lie, and what is missing. */
int pingo__executor_hadoop_read_settings(struct pingo__executor_hadoop *h,
                                         const struct pingo_executor_context *context,
                                         struct pingo_error *err);
/* As in struct pingo_executor_type. */
int pingo__executor_hadoop_check_text(const char *key, const char *text, struct pingo_error *err);

/* ---- check.c, originals.c ---- */

/* As the check of struct pingo_executor_type. */
int pingo__executor_hadoop_check(const struct pingo_executor_context *context,
                                 const struct pingo_check_options *options, struct pingo_error *err);
/* What the cluster has copies of in POOL/originals, as far as it was seen there; used on any thread.  PINGO_ENOMEM. */
int pingo__executor_hadoop_originals_new(struct pingo__executor_hadoop_originals **out,
                                         struct pingo_error *err);
void pingo__executor_hadoop_originals_free(struct pingo__executor_hadoop_originals *originals);

/* ---- follow.c ---- */

/* The thread's function: takes orders and has the jobs go on, until it is stopped; the executor (context) is the
 * thread's then. */
void *pingo__executor_hadoop_follow(void *context);
/* It was not taken: it never starts, unless it has all the same.  Its code PINGO_EINVAL: it fails. */
int pingo__executor_hadoop_refuse(struct pingo__executor_hadoop *h,
                                  struct pingo__executor_hadoop_job *job,
                                  const struct pingo_error *why, struct pingo_error *err);
/* With all that its settings say, and the means to ask the cluster, which is not asked yet; (*out)->unset says what is
 * missing, or wrong.  Errors: PINGO_ENOMEM, PINGO_EIO. */
int pingo__executor_hadoop_new(const struct pingo_executor_context *context,
                               struct pingo__executor_hadoop_mailbox *box,
                               struct pingo__executor_hadoop **out, struct pingo_error *err);
/* Once the thread is over: all that h holds.  NULL is allowed. */
void pingo__executor_hadoop_free(struct pingo__executor_hadoop *h);

/* ---- orders.c ---- */

/* From now on it is of this kind, with bytes of its own that are zero.  false: no memory. */
bool pingo__executor_hadoop_show_to(struct pingo__executor_hadoop_job *job,
                                    const struct pingo__executor_hadoop_kind *kind);
/* As its kind's revoke; of one that is_unread that of each. */
int pingo__executor_hadoop_revoke(struct pingo__executor_hadoop *h,
                                  struct pingo__executor_hadoop_job *job, bool *revoked,
                                  struct pingo_error *err);
/* Which kind has left it, of those that are asked one after the other; not *found: none, and it never will start.  An
 * error: is_unread, and to be asked again. */
int pingo__executor_hadoop_recognize(struct pingo__executor_hadoop *h,
                                     struct pingo__executor_hadoop_job *job, bool *found,
                                     struct pingo_error *err);
/* All that wait. */
void pingo__executor_hadoop_take_orders(struct pingo__executor_hadoop *h);
/* Ends one that is_killed: who has not been submitted never is; else its kind ends it, once that is known. */
int pingo__executor_hadoop_end_job(struct pingo__executor_hadoop *h,
                                   struct pingo__executor_hadoop_job *job, struct pingo_error *err);

/* ---- common.c ---- */

/* The cluster does not answer; nothing is asked for a while. */
void pingo__executor_hadoop_meet(struct pingo__executor_hadoop *h, const struct pingo_error *why);
/* What was tried for this one failed, by none of the cluster's troubles: it is tried again after a while. */
void pingo__executor_hadoop_stuck(struct pingo__executor_hadoop *h,
                                  struct pingo__executor_hadoop_job *job,
                                  const struct pingo_error *why);
/* Asks the ResourceManager for the applications of all jobs. */
int pingo__executor_hadoop_poll(struct pingo__executor_hadoop *h, struct pingo_error *err);

#endif
