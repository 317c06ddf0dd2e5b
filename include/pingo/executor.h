/* executor.h - for those who write an executor: what runs jobs somewhere.
 *
 * An executor is a table of functions.  The Action Manager decides what runs;
 * the executor starts it, and reports each end whole or not at all, also when
 * no scheduler was there to see it.  Starting and giving up are ordered so that
 * exactly one wins: a job that was revoked can never start, a job that started
 * is killed and seen gone before its end is reported.
 * All functions of one open executor are called from one thread at a time, and
 * none of them may block for longer than a message to a local process takes.
 * What the executor talks to may be down for a while: then revoke, kill, adopt and
 * collect return PINGO_EAWAY.  Nothing fails for that, the other executors go on, and
 * it is asked again after a pause; start may return it as any error.
 * The whole contract is a page: pingo-executor(7).
 * Source: thesis 3.3 and 3.5. */
#ifndef PINGO_EXECUTOR_H
#define PINGO_EXECUTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pingo/digest.h>
#include <pingo/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Older tables are taken too: those of version 1 end behind trim, those of version 2 behind ends, those of version 3
 * behind check, those of version 4 behind takes_places, those of version 5 behind check_text. */
#define PINGO_EXECUTOR_ABI 6

/* By whom actions are run that name none, where the setting executor is not set. */
#define PINGO_EXECUTOR_DEFAULT "local"

/* An attempt, known in the whole store by (action, epoch).  Fixed: it never grows. */
struct pingo_job_key {
    int64_t action; /* the row, not the id in a workflow */
    int64_t epoch;
};

struct pingo_job_link {
    const char *name; /* the link in/NAME; may have folders, with '/' between */
    const char *target; /* absolute path; NULL: a parent's output that has a place alone, see takes_places */
    /* An original: if it is a regular file of at most PINGO_JOB_COPY_MAX bytes, a copy of it is put there
     * rather than a link. */
    bool copy;
    const struct pingo_hash *content; /* SHA-256 that a copy must have, else the job has not started;
                                         NULL: any */
    int64_t mark; /* of a parent's directory, by which it is seen that nothing in it was touched; else 0 */
};

#define PINGO_JOB_COPY_MAX 1048576 /* 1 MiB */

/* What is to be run.  Everything is borrowed for the call of start. */
struct pingo_job {
    struct pingo_job_key key;
    const char *store_id; /* with key: the name by which a remote engine can find it again */
    const char *name;     /* the action's, for people */
    const char *type;     /* the action's */
    struct pingo_hash hash;
    const char *const *argv; /* ends with NULL; argv[0] is looked up on the job's PATH */
    const char *const *env;  /* NAME=VALUE, ends with NULL; the whole environment but for
                                HOME, TMPDIR, PINGO_CPUS and PINGO_MEMORY_MB, which start adds */
    const char *payload;     /* of external actions: their description; else NULL */
    const struct pingo_job_link *links;
    size_t nlinks;
    const char *attempt_dir; /* the scratch directory's parent, POOL/attempts/ACTION.EPOCH:
                                the gate, see pingo-executor(7) */
    const char *staged_path; /* where the finished output is put: POOL/staged/ACTION.EPOCH */
    const char *output;      /* the name that the command makes; NULL: standard output is it */
    int64_t cpus;            /* slots it takes, at least 1 */
    int64_t memory_bytes;    /* 0: no limit */
    int64_t time_limit_ms;   /* 0: none */
    void *arena;             /* the library's; see pingo_job_text() */
    int64_t workflow;        /* the submission */
    int64_t id;              /* of the action in its workflow */
    int64_t priority;        /* of the submission: greater first */
    int64_t attempt;  /* the number of the try, from 1: more than 1 after failures and losses */
    const char *user; /* the label of who submitted it */
    const char *executor_options; /* JSON: the action's executorOptions, an object of strings and numbers with the
                                     workflow's; NULL: none */
    /* Run it in a sandbox, where the machine has one: it can read the system's directories, the
     * targets of its links and what is readable, and write its own directories alone. */
    bool confine;
    const char *const *readable; /* absolute paths, ends with NULL; NULL: none */
    bool grew; /* an attempt of it died of memory, and this one has more: it goes before those that have not */
    int64_t gpus;                         /* 0: none */
    const struct pingo_counter *licences; /* held while it runs, in byte order of the names */
    size_t nlicences;
    /* Where an engine finds the same without this machine's files: a URL, such as webhdfs://HOST:PORT/PATH, or a path
     * where the pool is a directory.  Of each link, as they are in links; NULL: it has none, as originals. */
    const char *const *places;
    /* Of attempt_dir and staged_path, likewise; NULL: there is none but this machine's.  The output may be put at
     * either, and not at both. */
    const char *attempt_place, *staged_place;
    /* The originals, those that are no files among them, for which there is no link; of a library that knows them: */
    const struct pingo_described_input *inputs;
    size_t ninputs;
};

/* For action types: a copy of a text that lives as long as the job.  NULL when there is no memory left. */
PINGO_API char *pingo_job_text(struct pingo_job *job, const char *text, size_t length);
/* The same for size bytes that are not text: zeroed, aligned for any type; NULL when there is none left. */
PINGO_API void *pingo_job_memory(struct pingo_job *job, size_t size);

enum pingo_end_reason {
    PINGO_END_EXITED = 0,       /* exit_code tells */
    PINGO_END_SIGNALED = 1,     /* signal tells */
    PINGO_END_TIME_LIMIT = 2,   /* ended for time_limit_ms */
    PINGO_END_MEMORY_LIMIT = 3, /* ended for memory_bytes */
    PINGO_END_NO_OUTPUT = 4,    /* exited 0 but the output is not there */
    PINGO_END_KILLED = 5,       /* ended because kill was called */
    PINGO_END_LOST = 6,         /* the helper or node that ran it is gone; nobody runs it now */
    PINGO_END_NO_SPACE = 7,     /* the file system was full */
    PINGO_END_NOT_STARTED = 8,  /* could not be started; message says why; not the action's fault */
    PINGO_END_BAD_OUTPUT =
        9 /* exited 0, but the output cannot be kept: a link, a special file, a link in it
                                   that leads out of it; message says which.  Never tried again */
};

/* Why a job is to be ended. */
enum pingo_kill_reason {
    PINGO_KILL_WANTED = 1,      /* somebody killed it, or its workflow; or it was given up */
    PINGO_KILL_INTERRUPTED = 2, /* the scheduler was interrupted: the action will be READY again */
    PINGO_KILL_TIME_LIMIT = 3,  /* it has run for time_limit_ms */
    PINGO_KILL_REVOKED = 4 /* it had not started and must not: drop it, there is no end to report */
};

enum pingo_output_kind { PINGO_OUTPUT_NONE = 0, PINGO_OUTPUT_FILE = 1, PINGO_OUTPUT_DIRECTORY = 2 };

struct pingo_job_end {
    size_t size; /* set by you: sizeof; see <pingo/version.h> */
    struct pingo_job_key key;
    enum pingo_end_reason reason;
    int exit_code;                       /* of EXITED and NO_OUTPUT */
    int signal;                          /* of SIGNALED */
    int64_t started_ms, ended_ms;        /* wall clock, ms since 1970 UTC */
    int64_t wall_ms, user_ms, system_ms; /* -1: not known */
    int64_t max_rss_bytes;               /* likewise */
    /* The output at staged_path, where the job succeeded.  All of it is read before it is published, and nothing that
     * is said here is believed: what is no file or directory, or of another kind, size or content than is said, is
     * BAD_OUTPUT; what has other names (hard links) is copied. */
    enum pingo_output_kind output_kind;
    int64_t size_bytes; /* apparent bytes of all files and links; with NO_SPACE what it held (0: unknown) */
    struct pingo_hash content; /* as pingo_content_hash() gives; all of it 0: it is not said */
    char message[200];         /* what to add for a person; may be empty */
    bool confined;             /* it ran in a sandbox */
    bool denied;               /* it failed, and the sandbox may be why */
    /* Nothing in the directories behind its links was touched: who ran it has looked, or nobody could.
     * false: the scheduler looks, which takes a walk through each of them. */
    bool inputs_same;
    int64_t output_mark; /* the library's own; leave it 0 */
    char node[64];       /* the machine that ran it; "": unknown.  Read of tables since version 2 */
};

/* Did it succeed?  EXITED with 0 and an output. */
static inline bool pingo_job_end_is_success(const struct pingo_job_end *end)
{
    return end->reason == PINGO_END_EXITED && end->exit_code == 0 &&
           end->output_kind != PINGO_OUTPUT_NONE;
}

/* Fills in what an end says of the output at this path, and makes the output read-only: output_kind, size_bytes,
 * content.  It reads all of it, so call it where that blocks nobody.  Errors: PINGO_EINPUT (nothing is there, or what
 * cannot be kept: end->message tells, output_kind is NONE), PINGO_EINVAL (its size is not set), PINGO_EIO,
 * PINGO_ENOMEM.  Any thread. */
PINGO_API int pingo_job_end_output(struct pingo_job_end *end, const char *staged_path,
                                   struct pingo_error *err);

/* What an executor tells its scheduler, within collect.  An executor's functions must not call back the scheduler or
 * its store: what they may use are the functions of this header. */
struct pingo_executor_reports {
    void *context;
    void (*started)(void *context,
                    struct pingo_job_key key); /* a hint; may be left out or repeated */
    void (*ended)(void *context,
                  const struct pingo_job_end *end); /* repeated until forget is called */
    /* What the engine calls a job, such as "17_4", for people who look for it there: up to 31 bytes; may be left out,
     * repeated or changed.  NULL in libraries that do not know it. */
    void (*named)(void *context, struct pingo_job_key key, const char *name);
    /* What the engine tells of a job, for people, such as tasks and counters: a JSON object of at most 64 KiB, which is
     * shown as it is.  May be left out, repeated or changed, until the end was told.  NULL in libraries that do not
     * know it. */
    void (*progress)(void *context, struct pingo_job_key key, const char *json);
};

struct pingo_executor_context {
    unsigned version;      /* 3 */
    const char *store_dir; /* absolute, on a local disk */
    const char *store_id;
    const char *pool_dir; /* absolute: on this machine, with attempts/ and staged/ in it; the pool, where that is a
                               directory */
    int64_t slots;          /* 0: the executor's own default */
    int64_t memory_bytes;   /* sum of memory_bytes that may run at once; 0: the machine's memory */
    int64_t log_bytes;      /* cap of each log */
    int64_t grace_ms;       /* between TERM and KILL */
    const char *helper_dir; /* where helper programs lie; NULL: as installed */
    void (*log)(void *context, const char *message); /* in a function of the table; may be NULL */
    void *log_context;
    /* Since version 2. */
    const char *name;     /* of the table: what its settings, and its attempts, are kept under */
    const void *settings; /* the library's own; see below */
    /* Since version 3. */
    const char *pool_place; /* where an engine finds the pool: a URL, or a path; NULL: nowhere but here */
};

/* A setting of its own, as `pingo config` shows and checks it: executor.NAME.KEY. */
enum pingo_executor_setting_kind {
    PINGO_SETTING_TEXT = 0,
    PINGO_SETTING_NUMBER = 1,  /* whole, from min to max */
    PINGO_SETTING_SIZE = 2,    /* bytes, as pingo_size_parse() takes them, from min to max */
    PINGO_SETTING_SWITCH = 3,  /* on or off */
    PINGO_SETTING_COUNTERS = 4 /* NAME=NUMBER,...: of licences; or none */
};
struct pingo_executor_setting {
    const char *key; /* letters and digits */
    enum pingo_executor_setting_kind kind;
    int64_t min, max;          /* at least 0; both 0: no bounds */
    const char *default_value; /* as it would be written; NULL: none */
    const char *help;          /* a line */
};
/* In open: what such a setting is, or its default; NULL: it has none, or the table has no such key.  Borrowed for
 * the call. */
PINGO_API const char *pingo_executor_context_text(const struct pingo_executor_context *context,
                                                  const char *key);
/* The same of a number, a size, or a switch (on: 1); -1: none. */
PINGO_API int64_t pingo_executor_context_number(const struct pingo_executor_context *context,
                                                const char *key);

enum pingo_check_result {
    PINGO_CHECK_WELL = 0,
    PINGO_CHECK_NOTE = 1,    /* actions can run, and the user should know */
    PINGO_CHECK_WRONG = 2,   /* they cannot: the message says what is missing, and what to do */
    PINGO_CHECK_UNKNOWN = 3, /* that could not be seen now */
};
/* How an executor tries its settings; see pingo_store_check() in <pingo/scheduler.h>. */
struct pingo_check_options {
    unsigned version; /* 1 */
    /* Both may call back, the executor's own functions excepted.  Told of one thing after the other, as it is found:
     * what, a word ("pool"); message, a sentence. */
    void (*found)(void *context, enum pingo_check_result result, const char *what,
                  const char *message);
    bool (*is_wanted)(void *context); /* asked several times a second: false: leave; NULL: it is */
    void *context;                    /* of both */
    int64_t limit_ms;                 /* what is not seen by then is UNKNOWN; 0: a minute */
    const char *helper_dir;           /* where helper programs lie; NULL: as installed */
};

struct pingo_executor_type {
    unsigned abi_version; /* PINGO_EXECUTOR_ABI */
    /* "slurm", ...; as kept in the store.  "local" and "external" are the library's own. */
    const char *name;
    const char *const *action_types; /* the types it runs; ends with NULL */
    int (*open)(const struct pingo_executor_context *context, void **executor,
                struct pingo_error *err);
    /* Lets go; what runs goes on. */
    void (*close)(void *executor);
    /* Takes a job over.  May hold it armed; it will start when there is room.  An error means that
     * the job may or may not have been taken: the scheduler revokes before it tries again. */
    int (*start)(void *executor, const struct pingo_job *job, struct pingo_error *err);
    /* Gives up a job that has not started: *revoked true: it never will, and nothing is reported.
     * false: it has started (or ended); kill it if it is not wanted. */
    int (*revoke)(void *executor, struct pingo_job_key key, const char *attempt_dir, bool *revoked,
                  struct pingo_error *err);
    /* Ends a started job: TERM, grace, KILL to all of it; its end is reported when all are gone. */
    int (*kill)(void *executor, struct pingo_job_key key, struct pingo_error *err);
    /* Which of these jobs, of an owner that is gone, are here?  found[i]: it is armed, runs, or its
     * end will be reported; false: it does not run and never will.  Blocks at most some seconds. */
    int (*adopt)(void *executor, const struct pingo_job_key *keys, size_t nkeys, bool *found,
                 struct pingo_error *err);
    /* Sends what is pending and reports what happened, without blocking. */
    int (*collect)(void *executor, const struct pingo_executor_reports *reports,
                   struct pingo_error *err);
    /* The end was committed: it need not be reported again. */
    void (*forget)(void *executor, struct pingo_job_key key);
    /* Readable when collect has something to do; -1: none. */
    int (*poll_fd)(void *executor);
    /* Call collect after this many ms even if the descriptor is quiet; -1: never. */
    int64_t (*timeout_ms)(void *executor);
    /* How many jobs it runs at once: for arming ahead. */
    int64_t (*slots)(void *executor);
    /* May be NULL.  What the executor keeps of ends that are settled can go: the store, asked after the
     * last collect, waits for these attempts of this executor (whoever owns them) and no others. */
    void (*trim)(void *executor, const struct pingo_job_key *unsettled, size_t n);

    /* Since version 2; all may be left out. */
    const struct pingo_executor_setting *settings; /* of its own */
    size_t nsettings;
    /* Its jobs are in the hands of the process that has it open: while that one lives, stopped or not, no other
     * process is given them, and it tells its ends once. */
    bool in_process;
    /* Who ran a job has made its output complete and read-only and has read it, as pingo_job_end_output() does: the
     * scheduler believes what its ends say of the output. */
    bool is_trusted;
    /* For who only looks at a store: calls fn for each end that is still kept there, in no order. */
    int (*ends)(const char *store_dir, void (*fn)(void *context, const struct pingo_job_end *end),
                void *context, struct pingo_error *err);

    /* The most bytes of memory that one job with these executor_options (NULL: none) can have: so far grows what dies
     * of memory.  0: not known; then it grows as far as its own maxMemoryMB says.  -1: not known now, for what the
     * executor talks to does not answer; then it grows.  It answers at once: -1 meanwhile.  Since version 3; may be
     * left out. */
    int64_t (*memory_most)(void *executor, const char *executor_options);
    /* How many GPUs (licence NULL), or of a licence, its jobs may hold at once, over all schedulers of the store: they
     * hand out no more, and an action that asks for more than there is fails.  -1, or no function: they do not
     * count. */
    int64_t (*counted)(void *executor, const char *licence);
    /* Tries whether jobs would run with these settings, as far as that can be tried, and tells what it finds; nothing
     * stays of what it did.  limit_ms and found are set.  An error: it could not even begin.
     * Since version 3; may be left out. */
    int (*check)(const struct pingo_executor_context *context,
                 const struct pingo_check_options *options, struct pingo_error *err);

    /* It finds what a pool has elsewhere at the places of a job: none of it is brought to this machine for a start,
     * and such links have no target.  Since version 4; may be left out. */
    bool takes_places;

    /* Can this be the text of its setting `key`, of kind PINGO_SETTING_TEXT?  Asked when somebody sets it, so that who
     * does hears what is wrong with it; open meets what was set before, or by who does not have the table.  Pure; any
     * thread.  Errors: PINGO_EINVAL, with a message that names the setting.  Since version 5; may be left out: any
     * text can be. */
    int (*check_text)(const char *key, const char *text, struct pingo_error *err);

    /* How many jobs it is bringing to its engine, or has adopted and is asking about for the first time: who left now
     * would leave that to be done anew, and so a scheduler that is about to leave ticks on.  0 where that does not get
     * on, for what it talks to does not answer.  It answers at once.  Since version 6; may be left out: none. */
    size_t (*busy)(void *executor);
};

/* ---- what each executor needs ---- */

/* The path of a program that Pingo brings, such as "pingo-runner": in helper_dir, or as installed.  Yours, free();
 * NULL: no memory.  Any thread. */
PINGO_API char *pingo_executor_context_program(const struct pingo_executor_context *context,
                                               const char *name);

/* How long to wait before asking again what did not answer, or had no news.  Fixed: it never grows. */
struct pingo_backoff {
    int64_t first_ms, most_ms; /* yours */
    int64_t next_ms;           /* 0: begins anew */
};
/* The pause now: each is twice as long as the one before, up to most_ms, and by chance up to a quarter more or less, so
 * that those who failed together do not come back together. */
PINGO_API int64_t pingo_backoff_next(struct pingo_backoff *backoff);

/* The jobs that an executor has in hand, by key, in the order in which they came, each with bytes of the executor's
 * own; ends are matched to them and told until they are forgotten.  One thread at a time. */
struct pingo_jobs;
/* size: of the executor's own bytes of each job.  NULL: no memory.  Free with pingo_jobs_free(). */
PINGO_API struct pingo_jobs *pingo_jobs_new(size_t size);
/* Forgets all of them.  NULL is allowed. */
PINGO_API void pingo_jobs_free(struct pingo_jobs *jobs);
/* The executor's own bytes of a job, which stay where they are until it is removed; a new one's are zero.  NULL: no
 * memory. */
PINGO_API void *pingo_jobs_add(struct pingo_jobs *jobs, struct pingo_job_key key);
/* The same of one that is there; NULL: it is not. */
PINGO_API void *pingo_jobs_find(const struct pingo_jobs *jobs, struct pingo_job_key key);
/* The one after previous (NULL: the first); NULL: there are no more. */
PINGO_API void *pingo_jobs_next(const struct pingo_jobs *jobs, const void *previous);
/* What a pointer that add, find or next gave stands for. */
PINGO_API struct pingo_job_key pingo_jobs_key(const void *own);
/* Was there an end of it? */
PINGO_API bool pingo_jobs_has_ended(const void *own);
/* How many have ended, or have not. */
PINGO_API size_t pingo_jobs_count(const struct pingo_jobs *jobs, bool ended);
/* For forget, and where a job was revoked. */
PINGO_API void pingo_jobs_remove(struct pingo_jobs *jobs, struct pingo_job_key key);
/* Notes an end, the first of several; one of a job that is not there is passed over. */
PINGO_API void pingo_jobs_end(struct pingo_jobs *jobs, const struct pingo_job_end *end);
/* For collect: reports each end that is noted.  The callback may remove the job that it is told of. */
PINGO_API void pingo_jobs_tell(struct pingo_jobs *jobs,
                               const struct pingo_executor_reports *reports);

/* ---- jobs that run elsewhere ----
 *
 * What an executor needs whose engine starts jobs on machines that see the pool's file system under the same path.  It
 * arms an attempt, has the engine start `pingo-runner ATTEMPT_DIR` somewhere, and looks at the directory when the
 * engine says that the job is over.  The runner passes the gate, runs the command as the local executor would, makes
 * the output complete at staged_path and leaves the end: pingo-runner(8).  Each call blocks for some operations on
 * that file system.  Any thread. */

struct pingo_runner_options {
    unsigned version;  /* 1 */
    int64_t log_bytes; /* cap of each log */
    int64_t grace_ms;  /* between TERM and KILL */
    int64_t cpus;      /* what the command is told that it has; 0: the job's */
    bool unsynced; /* arm many so, and sync once with pingo_runner_sync() before the engine is asked */
};
/* In start, before the engine is asked: makes attempt_dir with the job in it, whole or not at all.  Errors:
 * PINGO_EINVAL (a job without a command), PINGO_EEXISTS (it was armed or given up before), PINGO_EVERSION,
 * PINGO_ENOSPACE, PINGO_EIO, PINGO_ENOMEM. */
PINGO_API int pingo_runner_arm(const struct pingo_job *job,
                               const struct pingo_runner_options *options, struct pingo_error *err);
/* Writes to the disk what was armed unsynced on the file system of attempt_dir, of however many attempts.  A job that a
 * power loss takes back is NONE again, and can be armed under a new epoch.  Errors: PINGO_EIO, PINGO_ENOSPACE. */
PINGO_API int pingo_runner_sync(const char *attempt_dir, struct pingo_error *err);
/* What revoke is asked: *revoked true: no runner will ever start it.  It holds also where nothing was armed yet.
 * Errors: PINGO_EIO, PINGO_ENOSPACE. */
PINGO_API int pingo_runner_revoke(const char *attempt_dir, bool *revoked, struct pingo_error *err);

enum pingo_runner_state {
    PINGO_RUNNER_NONE = 0,    /* it is not there */
    PINGO_RUNNER_ARMED = 1,   /* no runner has started it */
    PINGO_RUNNER_REVOKED = 2, /* it was given up, and never starts */
    PINGO_RUNNER_STARTED =
        3, /* a runner has it; if the engine says that its job is gone, it is LOST */
    PINGO_RUNNER_ENDED = 4 /* end says how, and node is filled in in it */
};
struct pingo_runner_report {
    size_t size; /* set by you: sizeof; see <pingo/version.h> */
    enum pingo_runner_state state;
    char node[64]; /* the machine that has started it; "": none has */
    int64_t pid;   /* of the runner there: ended by TERM, it ends what it runs, and says so */
    bool held; /* it lives.  false: it is gone; or it runs on another machine, and the file system has no locks that
                      are seen here */
    struct pingo_job_end end; /* it grows, so nothing ever follows it */
};
/* What an attempt's directory says.  An outcome that does not read back counts as LOST.  Errors: PINGO_EIO,
 * PINGO_ENOMEM. */
PINGO_API int pingo_runner_look(const char *attempt_dir, struct pingo_runner_report *report,
                                struct pingo_error *err);
/* After forget: removes what was kept for the executor.  Logs that something stands in stay. */
PINGO_API void pingo_runner_forget(const char *attempt_dir);

/* The local executor: this machine, store-wide slots.  NULL in a build WITHOUT="local".  Static.
 * Any thread. */
PINGO_API const struct pingo_executor_type *pingo_executor_local(void);

#ifdef __cplusplus
}
#endif
#endif
