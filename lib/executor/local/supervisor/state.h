/* state.h - the supervisor of a store: what it knows, and its parts.
 *
 * One thread, one libuv loop.  Nothing here is kept on disk but journals and
 * what runs: a queue that is lost with its supervisor was never started. */
#ifndef PINGO__SUPERVISOR_STATE_H
#define PINGO__SUPERVISOR_STATE_H

#include <uv.h>

#include "executor/local/channel.h"
#include "executor/local/journal.h"

struct pingo__executor_item { /* a job from its arrival to its end */
    struct pingo__executor_item *next;
    struct pingo__executor_client *client; /* who has sent it, while it waits; NULL: gone */
    struct pingo_job_key key;
    int64_t cpus, memory_bytes;
    bool grew; /* it lies on the shelf */
    char *attempt_dir;
    char *body; /* of the START frame; NULL once it was handed to a worker */
    size_t length;
};

struct pingo__executor_hand { /* a worker process */
    struct pingo__executor_supervisor *supervisor;
    pid_t pid;                               /* 0: it was reaped */
    struct pingo__executor_channel *channel; /* NULL: it is leaving or gone */
    struct pingo__executor_item *item;       /* what it runs */
    uint64_t journal;                        /* the serial of the journal that it writes */
    uint64_t since_ms;                       /* when it got its item */
    bool told;                               /* clients know that it started */
    bool clears;  /* its last item has ended, and it clears up after it */
    bool stopped; /* by SIGSTOP */
    size_t slot;
};

struct pingo__executor_client {
    struct pingo__executor_client *next;
    struct pingo__executor_supervisor *supervisor;
    struct pingo__executor_channel *channel;
    struct pingo__executor_bounds bounds;
    bool is_elsewhere; /* its actions would not find here what they find there */
    bool greeted;
};

struct pingo__executor_supervisor {
    uv_loop_t loop;
    const char *store_dir, *pool_dir;
    int dir, lock, attempts, running, journal, listener;
    int spare; /* a descriptor that can be had when there is no other */
    char boot[PINGO__JOURNAL_BOOT_SIZE];
    char suffix[176]; /* BOOTID.START.PID.HOST: of journals and of running */
    char running_name[192], journal_name[192];
    uint64_t journal_serial; /* of the journal being written */
    uint64_t journal_records;
    int64_t journal_room;                          /* bytes of it that have space on disk */
    uint64_t set_serial;                           /* grows when a journal is made or removed */
    struct pingo__executor_wire_settings settings; /* of the client that has greeted last */

    struct pingo__executor_item *first, **last; /* the queue */
    struct pingo__executor_item *ghosts; /* whose worker died and whose family is being killed */
    struct pingo__executor_hand **hands; /* by slot; NULL: none */
    size_t nhands;
    size_t busy;
    struct pingo__executor_client *clients;

    uv_poll_t accept;
    uv_signal_t child, term;
    uv_timer_t bell, notice, idle, reaper, stops;
    uv_prepare_t settle; /* before each wait: what the events before it come to */
    bool rings;          /* something ended, and clients are to hear of it */
    uint64_t rung_ms;
    char trouble[200]; /* why nothing starts, as clients were told; "": nothing is in the way */
    struct pingo__executor_bounds bounds; /* ours */
    struct pingo__executor_bounds wanted; /* of the client for which we make way, */
    bool retires;                         /* if we do: nothing more is started */
    bool ending;
};

/* supervisor.c */
int pingo__executor_supervisor_main(const char *store_dir, const char *pool_dir, int status);

/* clients.c */
bool pingo__executor_clients_listen(struct pingo__executor_supervisor *s);
/* Takes in what every client, also one that is dead by now, has sent. */
void pingo__executor_clients_drain(struct pingo__executor_supervisor *s);
/* The same, and nobody can send anything after it. */
void pingo__executor_clients_hang_up(struct pingo__executor_supervisor *s);

/* tell.c */
/* Something ended: rings, at once when no job waits for a slot, else soon. */
void pingo__executor_clients_ring(struct pingo__executor_supervisor *s);
void pingo__executor_clients_tell_started(struct pingo__executor_supervisor *s,
                                          struct pingo_job_key key);
/* Why nothing starts; "": it does again.  Sent to all clients, and to each new one. */
void pingo__executor_clients_tell_trouble(struct pingo__executor_supervisor *s, const char *text);
/* The same to one client. */
void pingo__executor_clients_tell_how(struct pingo__executor_client *client);
/* Words for people; nothing is in the way. */
void pingo__executor_clients_note(struct pingo__executor_supervisor *s, const char *text);

/* queue.c */
/* Takes over a START frame's body; grew: onto the shelf.  false: it is malformed. */
bool pingo__executor_queue_add(struct pingo__executor_supervisor *s,
                               struct pingo__executor_client *client,
                               const struct pingo__buffer_reader *body, bool grew);
/* Takes a waiting job out; NULL: it does not wait. */
struct pingo__executor_item *pingo__executor_queue_take(struct pingo__executor_supervisor *s,
                                                        struct pingo_job_key key);
void pingo__executor_item_free(struct pingo__executor_item *item);
/* Does it fit beside what runs? */
bool pingo__executor_queue_fits(const struct pingo__executor_supervisor *s,
                                const struct pingo__executor_item *item);
/* How many cpus it is told that it has. */
int64_t pingo__executor_queue_granted(const struct pingo__executor_supervisor *s,
                                      const struct pingo__executor_item *item);
/* Removes the file with which a scheduler gave the attempt up. */
void pingo__executor_queue_bury(const char *attempt_dir);
/* The worker that runs it, or NULL. */
struct pingo__executor_hand *pingo__executor_queue_holder(struct pingo__executor_supervisor *s,
                                                          struct pingo_job_key key);
/* Nothing to do: the clock that ends the supervisor starts, or it ends at once if it makes way; otherwise it stops. */
void pingo__executor_queue_consider_idle(struct pingo__executor_supervisor *s);
/* The door is closed, nothing more is started, and the loop ends. */
void pingo__executor_queue_finish(struct pingo__executor_supervisor *s);

/* crew.c */
/* Starts what fits, in order. */
void pingo__executor_crew_dispatch(struct pingo__executor_supervisor *s);
void pingo__executor_crew_configure(struct pingo__executor_supervisor *s);
void pingo__executor_crew_on_child(uv_signal_t *handle, int signal);
void pingo__executor_crew_on_reaper(uv_timer_t *handle);
/* It is to obey: one that is stopped goes on. */
void pingo__executor_crew_continue(struct pingo__executor_hand *hand);
/* Lets all workers go; they kill what they run. */
void pingo__executor_crew_dismiss(struct pingo__executor_supervisor *s);

/* ledger.c: the journals */
int pingo__executor_ledger_open(struct pingo__executor_supervisor *s);
/* Before a job is handed out: a new journal when this one is long, room on disk ahead. */
void pingo__executor_ledger_turn(struct pingo__executor_supervisor *s);
/* Records an end that no worker can.  false: it could not be written. */
bool pingo__executor_ledger_record(struct pingo__executor_supervisor *s, struct pingo_job_key key,
                                   enum pingo_end_reason reason, const char *message);
/* Removes journals of which nothing is needed; body of a TRIM frame.  false: malformed. */
bool pingo__executor_ledger_trim(struct pingo__executor_supervisor *s,
                                 struct pingo__buffer_reader *body);

/* worker.c: a worker's program, and what it notes of itself */
#define PINGO__WORKER_CONTROL_FD 3 /* its connection with the supervisor */
#define PINGO__WORKER_LOCK_FD 4    /* the store's lock, which it only holds */

/* control: the connection with the supervisor; returns the exit status. */
int pingo__executor_worker_main(int control, const char *store_dir, const char *pool_dir,
                                const char *running_name, size_t slot);

/* What each worker runs, for a supervisor that comes after a sudden end of all.
 *
 * STORE/executor/running.BOOTID.START.PID.HOST has the key of an attempt for each slot, overwritten in place; action 0:
 * nothing runs.  Nothing is synced, for after another boot it is void; what is written in one call, and stands in one
 * block, is there whole or not at all. */
/* 0 or a negative errno. */
int pingo__executor_running_write(int fd, size_t slot, struct pingo_job_key key);
/* false: the file ends before this slot. */
bool pingo__executor_running_read(int fd, size_t slot, struct pingo_job_key *key);

/* sweep.c */
/* What an earlier supervisor left: kills, records, removes.  The lock is held.  0, or a negative
 * errno with *what. */
int pingo__executor_sweep(struct pingo__executor_supervisor *s, const char **what);

#endif
