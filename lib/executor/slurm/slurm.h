/* slurm.h - the executor that has a Slurm cluster run attempts: what its files share.
 *
 * A job is armed in its attempt's directory and submitted under its key; Slurm starts pingo-runner with that directory
 * on a node; when Slurm says that the job is over, the directory says how it ended.  So nothing here is remembered but
 * in memory: who comes after us looks at the directories, and asks Slurm by the keys.
 *
 * What always holds: a job that is not known to have been submitted is never submitted twice without the gate between
 * (pingo-runner(8)): of all that Slurm starts for an attempt one runs.  An id of Slurm's counts only together with the
 * key.  That Slurm does not answer is no end of anything. */
#ifndef PINGO__EXECUTOR_SLURM_SLURM_H
#define PINGO__EXECUTOR_SLURM_SLURM_H

#include "base/arena.h"
#include "base/buffer.h"
#include "executor/bundles.h"
#include "executor/context.h"
#include "executor/slurm/states.h"

/* ---- what Slurm is asked to run: submission.c, pure ------------------------------------------------ */

/* A script of one line, in which every word is quoted, and what the job may take.  The command of the action, its
 * environment and its inputs are no part of it: they stand in the attempt's directory, where pingo-runner reads
 * them. */

#define PINGO__SLURM_LOG                                                                           \
    "slurm.log" /* in the attempt's directory: what the job says besides its command */
#define PINGO__SLURM_SUBMISSION_MOST (4 << 20) /* bytes: of Slurm's */

/* What stands besides the job in a submission: a field of its JSON up to v0.0.38, the same from v0.0.40 on where that
 * is another, and a flag of sbatch. */
struct pingo__executor_slurm_option {
    const char *name, *later, *flag;
    enum {
        PINGO__SLURM_TEXT,
        PINGO__SLURM_NUMBER,
        PINGO__SLURM_NODE_LIST, /* later: a list */
        PINGO__SLURM_GRES       /* later: "gres/gpu:1" */
    } kind;
};
extern const struct pingo__executor_slurm_option pingo__executor_slurm_options[];

#define PINGO__SLURM_RUNNER_MB                                                                     \
    16 /* what the runner itself takes: the command's own limit is kept by it */
#define PINGO__SLURM_OPTIONS 12
#define PINGO__SLURM_PARTITION 0 /* where it stands among them */
struct pingo__executor_slurm_request {
    const char *name, *comment; /* the key */
    const char *script;
    const char *log;                           /* a pattern of a file name, as Slurm reads it */
    const char *array;                         /* "0-9": its tasks; NULL: it is none */
    int64_t cpus, memory_mb, minutes;          /* 0: the partition's own */
    const char *options[PINGO__SLURM_OPTIONS]; /* of the list above, in its order; NULL: not told */
};

struct pingo__executor_slurm_array {
    const char *name, *dir, *runner; /* name: as a job's; dir: where its list lies */
    size_t ntasks;
};

/* "#!/bin/sh\nexec RUNNER ATTEMPT_DIR\n", or of a list "... RUNNER --list LIST TASK\n": whatever the two are, they are
 * two words. */
void pingo__executor_slurm_script(struct pingo__buffer *b, const char *runner, const char *path,
                                  bool is_list);
/* A path as Slurm reads names of files: %j and the like in it stand for themselves.  false: it cannot be written so. */
bool pingo__executor_slurm_pattern(struct pingo__buffer *b, const char *path);
/* Texts in the arena.  defaults: options that count where the job has none of its own (JSON, as executor_options; each
 * may be NULL).  Errors: PINGO_EINVAL (an option that is none), PINGO_ENOMEM. */
int pingo__executor_slurm_request_make(const struct pingo_job *job, const char *runner,
                                       int64_t grace_ms, struct pingo__arena *arena,
                                       struct pingo__executor_slurm_request *request);
int pingo__executor_slurm_request_options(const char *json, struct pingo__arena *arena,
                                          struct pingo__executor_slurm_request *request,
                                          struct pingo_error *err);
/* Can it be submitted, and then be run?  PINGO_EINVAL: it is too large, and what. */
int pingo__executor_slurm_request_check(const struct pingo_job *job,
                                        const struct pingo__executor_slurm_request *request,
                                        struct pingo_error *err);
/* Do they ask for the same, but for whose they are? */
bool pingo__executor_slurm_request_is_like(const struct pingo__executor_slurm_request *a,
                                           const struct pingo__executor_slurm_request *b);
/* One array job for n requests that are like this one; dir: that of the bundle of this name.  PINGO_ENOMEM. */
int pingo__executor_slurm_request_array(struct pingo__executor_slurm_request *request,
                                        const struct pingo__executor_slurm_array *array,
                                        struct pingo__arena *arena);
/* What the job asks for of GPUs and licences joins its options gres and licenses; a gres that speaks of GPUs itself
 * stays.  0 or PINGO_ENOMEM. */
int pingo__executor_slurm_request_counters(const struct pingo_job *job, struct pingo__arena *arena,
                                           struct pingo__executor_slurm_request *request);
/* The body of a submission, as versions of the interface want it (38: v0.0.38); look whether b failed. */
void pingo__executor_slurm_body(struct pingo__buffer *b,
                                const struct pingo__executor_slurm_request *request, int version);

/* ---- asking Slurm ---------------------------------------------------------------------------- */

/* Attempts that are one array job of Slurm's.  POOL/attempts/.bundles/NAME/list holds their keys, that of task 0 first;
 * pingo-runner reads it on the node, and who comes after us finds by it whose the tasks are.  NAME is the content's own
 * hash, so a list is never changed, and is there whole or not at all.  It goes with the last of its attempts; what was
 * left behind is found by trim. */
struct pingo__executor_slurm_bundle {
    struct pingo__executor_slurm_bundle *next;
    char name[PINGO__BUNDLE_SIZE];
    size_t n;
    size_t users;                /* jobs in hand and calls on their way that mean it */
    size_t left;                 /* attempts of it that we have not seen the last of */
    bool is_looked_at;           /* a LOOK at all of it is on its way */
    struct pingo_job_key keys[]; /* of task 0, 1, ... */
};

enum pingo__executor_slurm_kind {
    PINGO__SLURM_SUBMIT,
    PINGO__SLURM_LIST,      /* all jobs that Slurm knows */
    PINGO__SLURM_LOOK,      /* one, by its id */
    PINGO__SLURM_CANCEL,    /* one, by its id, or several tasks of an array */
    PINGO__SLURM_NODES,     /* how much memory each has, and which partitions it is of */
    PINGO__SLURM_PARTITIONS /* which one is the default */
};
enum { PINGO__SLURM_KINDS = PINGO__SLURM_PARTITIONS + 1 };

struct pingo__executor_slurm_call {
    enum pingo__executor_slurm_kind kind;
    struct pingo_job_key key; /* of SUBMIT, LOOK and CANCEL */
    int64_t id;               /* of LOOK and CANCEL */
    int64_t task,
        ntasks;     /* of LOOK and CANCEL: these of the array with that id; 0 tasks: all of it */
    int64_t number; /* of LIST: how many there were before; of LOOK: 1: its attempt was revoked */
    int64_t since; /* of LIST: Slurm's time in s; what has changed since then is asked for; 0: all */
    struct pingo__executor_slurm_bundle *bundle; /* of SUBMIT: an array of these; of LOOK: all of it */
};

enum pingo__executor_slurm_said {
    PINGO__SLURM_DONE = 0,
    PINGO__SLURM_REFUSED, /* by Slurm, and nothing happened */
    PINGO__SLURM_FULL,    /* the same: so many jobs it does not take now, or not at once */
    PINGO__SLURM_UNKNOWN, /* there is no such job */
    PINGO__SLURM_DOWN,    /* nobody was there, and nothing happened */
    PINGO__SLURM_UNSURE,  /* it may have happened */
    PINGO__SLURM_AGAIN    /* the same, but what was in the way is gone */
};

struct pingo__executor_slurm_answer {
    struct pingo__executor_slurm_call call;
    enum pingo__executor_slurm_said said;
    int64_t id;        /* of SUBMIT */
    char message[400]; /* for a person; with DONE: it will not start, and why */
    bool is_unchanged; /* of LIST: nothing is told, as nothing has changed */
    int64_t newest_s;  /* of LIST: the latest time of Slurm's in it; 0: not told */
};

/* "12", "12_7" or "12_[7-9]", whatever the brackets are. */
void pingo__executor_slurm_call_id(const struct pingo__executor_slurm_call *call, const char *open,
                                   const char *close, char *text, size_t size);

struct pingo__executor_slurm;

/* How Slurm is asked.  No function blocks. */
struct pingo__executor_slurm_way {
    /* Errors: PINGO_EINVAL (a setting), PINGO_EIO, PINGO_ENOMEM. */
    int (*open)(struct pingo__executor_slurm *s, void **way, struct pingo_error *err);
    void (*close)(void *way);
    /* Can it be asked?  false: not yet, or *why tells what is in the way. */
    bool (*is_ready)(void *way, const char **why);
    /* request: of SUBMIT.  Errors as in open. */
    int (*ask)(void *way, const struct pingo__executor_slurm_call *call,
               const struct pingo__executor_slurm_request *request, struct pingo_error *err);
    /* Goes on, and gives an answer if there is one.  Jobs that are told go to pingo__executor_slurm_saw() before. */
    bool (*next)(void *way, struct pingo__executor_slurm_answer *answer);
    int64_t (*timeout_ms)(void *way); /* -1, or NULL: its descriptors tell */
    const char *(*about)(void *way);  /* once it was ready: who is asked, for a person */
};
extern const struct pingo__executor_slurm_way pingo__executor_slurm_rest;
extern const struct pingo__executor_slurm_way pingo__executor_slurm_commands;

/* ---- by what slurmrestd knows us: token.c --------------------------------------------------------- */

/* Fetched from a file or from a command, beside us, and renewed before it expires.  It never stands on a command line,
 * in a message or in a file of ours. */

struct pingo__child;

#define PINGO__SLURM_TOKEN_MOST 8192

struct pingo__executor_slurm_token {
    const char *source; /* a file, or a command; NULL: none is needed */
    int poll_fd;        /* an epoll, to which commands are added */
    struct pingo__child *child;
    char text[PINGO__SLURM_TOKEN_MOST]; /* "": there is none */
    int64_t fetched_ms, renew_ms;       /* monotonic; 0: we do not know when */
    char wrong[300];
};

/* Is there one that is good as far as we know?  Else it is being fetched, or *why tells why it cannot be. */
bool pingo__executor_slurm_token_is_there(struct pingo__executor_slurm_token *t, const char **why);
/* slurmrestd did not know us.  true: it was an old one, and the next will be better. */
bool pingo__executor_slurm_token_was_refused(struct pingo__executor_slurm_token *t);
/* By this machine's clock, which may not be right. */
bool pingo__executor_slurm_token_has_expired(const struct pingo__executor_slurm_token *t);
void pingo__executor_slurm_token_clear(struct pingo__executor_slurm_token *t);

/* "SLURM_JWT=TOKEN" or "TOKEN", and white space, of n bytes and a NUL: the token.  false: there is none.  Pure. */
bool pingo__executor_slurm_token_read(const char *said, size_t n,
                                      char token[PINGO__SLURM_TOKEN_MOST]);
/* Is a source the token itself, set by mistake?  It would stand on a shell's command line, and in messages.  Pure. */
bool pingo__executor_slurm_token_is_one(const char *source);
/* How many seconds after now (since 1970) it expires; -1: it does not say.  Pure. */
int64_t pingo__executor_slurm_token_lasts_s(const char *token, int64_t now_s);

/* ---- the executor ---------------------------------------------------------------------------- */

enum pingo__executor_slurm_phase {
    PINGO__SLURM_QUEUED,    /* armed, and to be submitted */
    PINGO__SLURM_ASKED,     /* the submission is on its way */
    PINGO__SLURM_SEARCHED,  /* it may have been submitted: a list will tell */
    PINGO__SLURM_SUBMITTED, /* Slurm has it under id */
    PINGO__SLURM_ENDED /* Slurm says that it is over, or does not know it: the directory tells */
};

struct pingo__executor_slurm_job { /* our bytes of a job */
    enum pingo__executor_slurm_phase phase;
    struct pingo__arena arena; /* of request, until it was accepted */
    struct pingo__executor_slurm_request request;
    int64_t id;
    struct pingo__executor_slurm_bundle *bundle; /* NULL: it is no task of an array */
    int64_t task;
    unsigned tries;     /* submissions whose answer did not come */
    int64_t since_list; /* SEARCHED, ENDED: what a list of a greater number says counts */
    bool was_listed;    /* by the list that is being read */
    bool requeued;      /* by Slurm, after it had begun */
    bool is_seen;       /* under its id, since it was killed */
    bool is_named;      /* its id was told */
    bool runs, is_killed, cancel_asked, look_asked, confirmed;
    int64_t over_ms;      /* monotonic: since when it is ENDED */
    int64_t cancelled_ms; /* monotonic: when Slurm was asked last to end it */
    int64_t look_at_ms;   /* at its directory: not before */
    enum pingo__executor_slurm_state state;
    int64_t wait_status, restarts;
    char reason[128], node[64];
};

struct pingo__executor_slurm_partition {
    char name[64];
    int64_t memory_mb; /* of its largest node */
    bool is_default;
};
struct pingo__executor_slurm_sizes {
    struct pingo__executor_slurm_partition *list;
    size_t n, capacity;
    bool wanted[PINGO__SLURM_KINDS],
        had[PINGO__SLURM_KINDS]; /* of NODES and PARTITIONS: to be asked; answered */
    int64_t asked_ms;            /* monotonic; 0: never */
};

struct pingo__executor_slurm {
    char mark[PINGO__EXECUTOR_MARK_SIZE];
    struct pingo__arena texts;      /* of the next seven */
    char *pool, *runner, *defaults; /* defaults: options as JSON */
    char *url, *user, *token, *wake;
    int64_t max_jobs, poll_ms, bundle_most;
    struct pingo_runner_options options;
    struct pingo__executor_log log;
    struct pingo_jobs *jobs;
    const struct pingo__executor_slurm_way *way;
    void *handle; /* of the way; NULL: unset tells why there is none */
    char unset[256];
    int poll_fd; /* an epoll of all that the way waits for */

    struct pingo__executor_slurm_bundle *bundles;
    int64_t at_once_most;      /* attempts in an array, as far as Slurm takes them */
    struct pingo_backoff room; /* while it takes no more, */
    int64_t room_at_ms;        /* it is asked again then; 0: it takes more */

    size_t asked[PINGO__SLURM_KINDS]; /* calls on their way, by kind */
    size_t revoking;                  /* LOOKs among them at jobs that are to be cancelled */
    int64_t heard_ms;  /* monotonic: when it said something last, or was not asked anything */
    bool is_held;      /* the way was not ready, and has its reasons */
    bool is_unreached; /* the way was not ready, for nobody is there */
    struct pingo__executor_slurm_job *seen; /* in a check alone: its job */
    int64_t lists;                          /* how many were asked for */
    char unread[PINGO__BUNDLE_SIZE]; /* of the array in it whose tasks nobody knows; "": there is none */
    bool unread_told;
    bool list_wanted;
    unsigned lists_failed; /* in a row; another is not asked for before list_at_ms */
    struct pingo_backoff list_failures;
    int64_t list_at_ms;
    int64_t known_ms; /* when the last list was asked for that was answered; 0: none was */
    int64_t whole_ms; /* when all jobs were asked for, not only if something has changed */
    int64_t clock_ms; /* Slurm's clock is at least so much before ours that is monotonic; 0: unknown */
    struct pingo_backoff polls;
    int64_t news_ms;               /* monotonic: when something changed */
    int64_t poll_at_ms, listed_ms; /* monotonic: the next round; when a list was asked for */
    int64_t woken_ns;              /* when the hook touched its file */

    struct pingo__executor_slurm_sizes sizes;
    bool in_trouble, trouble_told, trouble_refused;
    char trouble[300];
    int64_t waits_told_ms; /* when it was told last why jobs wait in Slurm; 0: never */
    struct pingo_backoff troubles;
    int64_t trouble_ms, again_at_ms; /* since when; when it is asked again */
};

extern const struct pingo_executor_type pingo__executor_slurm;

/* All but telling: takes answers, looks at directories, submits, cancels, polls. */
void pingo__executor_slurm_step(struct pingo__executor_slurm *s);
/* Once, if there is some that lasts so long, and no action's message says it. */
void pingo__executor_slurm_tell_trouble(struct pingo__executor_slurm *s, int64_t since_ms);
/* In how many ms a step has something to do; -1: the descriptor tells. */
int64_t pingo__executor_slurm_timeout_ms(struct pingo__executor_slurm *s);
/* Of a way: a job that Slurm tells. */
void pingo__executor_slurm_saw(struct pingo__executor_slurm *s,
                               const struct pingo__executor_slurm_call *call,
                               const struct pingo__executor_slurm_record *record);
/* answers.c: what came of a call. */
void pingo__executor_slurm_answered(struct pingo__executor_slurm *s,
                                    const struct pingo__executor_slurm_answer *answer);
/* Asks Slurm to end it; it was seen under its id. */
void pingo__executor_slurm_cancel_job(struct pingo__executor_slurm *s,
                                      const struct pingo__executor_slurm_job *job);
/* Something is in the way: no more is asked for a while, and who is to be submitted waits with the reason. */
void pingo__executor_slurm_meet(struct pingo__executor_slurm *s, const char *message);

/* bundle.c */
/* The bundle of these attempts, which is on the disk then.  Errors: PINGO_EIO, PINGO_ENOMEM; *bundle: NULL. */
int pingo__executor_slurm_bundle_make(struct pingo__executor_slurm *s,
                                      const struct pingo_job_key *keys, size_t n,
                                      struct pingo__executor_slurm_bundle **bundle);
/* Of those that we know; NULL: none. */
struct pingo__executor_slurm_bundle *pingo__executor_slurm_bundle_find(
    const struct pingo__executor_slurm *s, const char *name);
/* Gets to know all that are on the disk, as far as memory goes. */
void pingo__executor_slurm_bundles_load(struct pingo__executor_slurm *s);
/* Is it nowhere on the disk, though the pool is in sight? */
bool pingo__executor_slurm_bundle_is_gone(const struct pingo__executor_slurm *s, const char *name);
/* As the executor's trim. */
void pingo__executor_slurm_bundles_trim(void *executor, const struct pingo_job_key *unsettled,
                                        size_t n);
/* Those that nobody means are forgotten; all: the others too. */
void pingo__executor_slurm_bundles_forget(struct pingo__executor_slurm *s, bool all);

/* settings.c */
#define PINGO__SLURM_SETTINGS 11
#define PINGO__SLURM_USER_SIZE 256
extern const struct pingo_executor_setting pingo__executor_slurm_settings[PINGO__SLURM_SETTINGS];
/* Fills in what they say, and where things lie. */
int pingo__executor_slurm_read_settings(struct pingo__executor_slurm *s,
                                        const struct pingo_executor_context *context,
                                        struct pingo_error *err);
/* As in struct pingo_executor_type. */
int pingo__executor_slurm_check_text(const char *key, const char *text, struct pingo_error *err);

/* check.c: as in struct pingo_executor_type. */
int pingo__executor_slurm_check(const struct pingo_executor_context *context,
                                const struct pingo_check_options *options, struct pingo_error *err);

/* sizes.c.  As memory_most of struct pingo_executor_type: asks, and waits for no answer. */
int64_t pingo__executor_slurm_memory_most(void *executor, const char *executor_options);
/* Asks; true: the answer may still come, so who died of memory is told of later. */
bool pingo__executor_slurm_sizes_are_awaited(struct pingo__executor_slurm *s);
/* A node or a partition that Slurm tells. */
void pingo__executor_slurm_sized(struct pingo__executor_slurm *s,
                                 const struct pingo__executor_slurm_record *record);

/* settle.c.  POOL/attempts/ACTION.EPOCH; yours, NULL: no memory. */
char *pingo__executor_slurm_dir(const struct pingo__executor_slurm *s, struct pingo_job_key key);
/* What is not there is gone: else its file system may be away for a moment. */
bool pingo__executor_slurm_is_in_sight(const struct pingo__executor_slurm *s);
/* Of a job that is ENDED: its end, if the directory tells, or nothing more is to come. */
void pingo__executor_slurm_settle(struct pingo__executor_slurm *s,
                                  struct pingo__executor_slurm_job *job);
/* Slurm tidies up behind it: its end, if the directory tells one that Slurm has nothing to add to. */
void pingo__executor_slurm_settle_early(struct pingo__executor_slurm *s,
                                        struct pingo__executor_slurm_job *job);
/* It never starts, and has ended; unless somebody has started it. */
void pingo__executor_slurm_close_gate(struct pingo__executor_slurm *s,
                                      struct pingo__executor_slurm_job *job, const char *message);
/* It was not submitted, and says why: it never starts. */
void pingo__executor_slurm_refuse(struct pingo__executor_slurm *s,
                                  struct pingo__executor_slurm_job *job, const char *message);
/* It is task number `task` of this bundle, which may be NULL, from now on. */
void pingo__executor_slurm_bind(struct pingo__executor_slurm_job *job,
                                struct pingo__executor_slurm_bundle *bundle, int64_t task);
/* As forget of struct pingo_executor_type: lets go of what Slurm and we keep of an attempt. */
void pingo__executor_slurm_drop(void *executor, struct pingo_job_key key);

#endif
