/* client.h - the local executor as a scheduler has it open: its connection and its jobs.
 *
 * client.c is the table of functions, link.c the connection, frames.c what waits to be sent over it,
 * trouble.c what is in its way, ends.c the journals from which it learns of ends. */
#ifndef PINGO__LOCAL_CLIENT_H
#define PINGO__LOCAL_CLIENT_H

#include <sys/queue.h>
#include <uv.h>

#include "executor/context.h"
#include "executor/local/channel.h"
#include "executor/local/journal.h"

struct pingo__executor_local_job { /* what this client started or adopted and was not told to forget */
    uint64_t link; /* the connection on which it was sent or adopted; 0: not sent yet */
    bool adopting; /* an earlier client started it; being looked for */
    bool killed;   /* the supervisor was told to */
};

struct pingo__executor_local_status { /* the pipe of a supervisor that is starting */
    uv_poll_t poll;
    struct pingo__executor_local *local;
    int fd;
    char text[512];
    size_t n;
    bool waits; /* and what for was told */
};

struct pingo__executor_local_frame { /* a frame that waits to be sent */
    STAILQ_ENTRY(pingo__executor_local_frame) next;
    struct pingo_job_key key; /* of a START; else zero, as no job's is */
    struct pingo__buffer bytes;
};

STAILQ_HEAD(pingo__executor_local_frames, pingo__executor_local_frame);

enum pingo__executor_local_state {
    PINGO__LOCAL_DOWN = 0, /* no connection */
    PINGO__LOCAL_SPAWNING, /* a supervisor was started; it will say when it is ready */
    PINGO__LOCAL_GREETING, /* connected; welcome not yet heard */
    PINGO__LOCAL_UP
};

struct pingo__executor_local {
    char *store_dir, *pool_dir, *helper;
    char *licences; /* the setting */
    int64_t gpus;
    struct pingo__executor_wire_settings settings;
    struct pingo__executor_log log;

    uv_loop_t loop;
    uv_timer_t retry; /* try to connect again */
    uv_timer_t look;  /* while an answer is waited for */
    int dir;          /* STORE/executor; -1: not there yet */
    enum pingo__executor_local_state state;
    struct pingo__executor_channel *channel;
    uint64_t link;                               /* counts connections */
    struct pingo__executor_local_status *status; /* NULL unless SPAWNING */
    struct pingo_backoff pauses;                 /* before trying again */
    bool waiting;                                /* until retry fires */
    struct pingo_error failure;                  /* why the last try failed */
    bool failure_told;
    int64_t hindered_ms; /* it may go away by itself, and was met first then, by the monotonic clock; 0: neither */
    bool hindrance_told;
    char way[256]; /* why a supervisor made way last: two containers, which take turns, are told once */
    bool is_pool; /* what is in the way: nothing can be put among its attempts */
    enum pingo__executor_wire_trouble trouble; /* what the supervisor said last */
    bool stopped_told;                         /* that the supervisor is stopped */
    int64_t asked_ms;   /* since when it owes an answer, by the monotonic clock */
    bool died_starting; /* the last supervisor did, without a word */

    struct pingo__executor_local_frames out;  /* what waits to be sent */
    struct pingo__executor_local_frames back; /* what came back, for the next supervisor */
    struct pingo_jobs *jobs;                  /* of struct pingo__executor_local_job */
    struct pingo__executor_journals journals;
    bool has_journals;
    uint64_t set_serial;          /* of the set of journals that was scanned */
    bool rung;                    /* look into the journals */
    bool rescan;                  /* and look for new ones */
    unsigned asked;               /* lists that are on their way */
    bool listed;                  /* the last one has come */
    struct pingo__buffer keys;    /* it: 16 bytes a key */
    struct pingo__buffer started; /* notices to hand on: likewise */
    uint64_t looked_ms;           /* when the journals were read last, by the loop's clock */
};

/* link.c */
/* Connects, starts a supervisor, sends what waits: whatever can be done now. */
void pingo__executor_link_advance(struct pingo__executor_local *local);
/* Advances, and runs the loop without waiting. */
void pingo__executor_link_poll(struct pingo__executor_local *local);
/* Connects, asks for the list and runs the loop until it has come.  PINGO_EEXECUTOR: not within
 * timeout_ms; PINGO_EAWAY: the supervisor that was started waits, for long perhaps. */
int pingo__executor_link_ask(struct pingo__executor_local *local, int64_t timeout_ms,
                             struct pingo_error *err);
/* Asks the supervisor something, unless an answer is on its way. */
void pingo__executor_link_prod(struct pingo__executor_local *local);
/* Was it sent on a connection that is gone, so that its state is unknown? */
bool pingo__executor_local_is_unsure(const struct pingo__executor_local *local,
                                     const struct pingo__executor_local_job *job);
/* Is there anything to be connected for? */
bool pingo__executor_link_is_wanted(const struct pingo__executor_local *local);
void pingo__executor_link_close(struct pingo__executor_local *local);
/* The list that came: marks our jobs that are on it as being on this connection. */
void pingo__executor_link_mark_listed(struct pingo__executor_local *local);

/* frames.c */
/* One to fill in; NULL: no memory. */
struct pingo__executor_local_frame *pingo__executor_frame_begin(enum pingo__executor_wire_kind kind);
/* It is yours no more.  false: no memory; it is freed. */
bool pingo__executor_frames_append(struct pingo__executor_local_frames *frames,
                                   struct pingo__executor_local_frame *frame);
/* Moves those of first before the others. */
void pingo__executor_frames_prepend(struct pingo__executor_local_frames *frames,
                                    struct pingo__executor_local_frames *first);
/* Frees the first one. */
void pingo__executor_frames_drop(struct pingo__executor_local_frames *frames);
/* Frees the start of this job.  true: there was one. */
bool pingo__executor_frames_take(struct pingo__executor_local_frames *frames,
                                 struct pingo_job_key key);

/* trouble.c */
/* local->failure is filled in, and may pass by itself. */
void pingo__executor_trouble_note(struct pingo__executor_local *local);
/* The same with these words. */
void pingo__executor_trouble_meet(struct pingo__executor_local *local, const char *what);
void pingo__executor_trouble_forget(struct pingo__executor_local *local);
/* After an attempt that could not be started: is it the pool, which lets none start? */
void pingo__executor_trouble_look_at_pool(struct pingo__executor_local *local);
/* What a supervisor says that starts nothing.  false: malformed. */
bool pingo__executor_trouble_read(struct pingo__executor_local *local,
                                  struct pingo__buffer_reader *body);
/* What may pass by itself is told when it does not pass soon, and is an error after a while. */
void pingo__executor_trouble_look(struct pingo__executor_local *local);
/* Says once, when the supervisor is stopped, or has not answered for long, that and how to go on.  true: it is so. */
bool pingo__executor_trouble_look_for_stop(struct pingo__executor_local *local);
/* There is no connection, and waiting will not bring one. */
bool pingo__executor_trouble_is_final(const struct pingo__executor_local *local);

/* ends.c */
/* Opens the journals, and passes over all that is there; PINGO_ENOTFOUND: nothing ever ran in this store. */
int pingo__executor_ends_skip(struct pingo__executor_local *local, struct pingo_error *err);
/* Notes what is new. */
int pingo__executor_ends_read(struct pingo__executor_local *local, struct pingo_error *err);
/* The same, and reads all from the start for the jobs that are being adopted. */
int pingo__executor_ends_read_adopted(struct pingo__executor_local *local, struct pingo_error *err);
/* An end that only this client knows of. */
void pingo__executor_ends_say(struct pingo__executor_local *local, struct pingo_job_key key,
                              enum pingo_end_reason reason, const char *message);
/* Is there an end of this job in any journal? */
int pingo__executor_ends_has(struct pingo__executor_local *local, struct pingo_job_key key,
                             bool *ended, struct pingo_error *err);

/* The ends of this boot that are still kept in STORE/executor, as pingo_executor_type.ends tells them. */
int pingo__executor_local_ends(const char *store_dir, pingo__executor_end_fn fn, void *context,
                               struct pingo_error *err);

#endif
