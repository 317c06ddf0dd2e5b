/* wire.h - what client, supervisor and workers say to each other.
 *
 * A frame is a u32 length (of what follows), a u8 kind and a body; integers are
 * little-endian.  All ends are of one user on one machine, yet a frame from
 * outside is read as hostile: a wrong one costs the connection, nothing else. */
#ifndef PINGO__LOCAL_WIRE_H
#define PINGO__LOCAL_WIRE_H

#include <sys/types.h>

#include "runner/record/job.h"

#define PINGO__WIRE_VERSION 6u
#define PINGO__WIRE_CHUNK 65536u   /* bytes that are received at once */
#define PINGO__WIRE_MAX (1u << 30) /* bytes of one frame: a job with millions of links fits */

enum pingo__executor_wire_kind {
    /* client to supervisor */
    PINGO__WIRE_HELLO = 1, /* u32 version, the settings, the bounds */
    PINGO__WIRE_START = 2, /* a job; also back to the client, where it is for another supervisor */
    PINGO__WIRE_DROP = 3,  /* key, text attempt_dir: it was revoked */
    PINGO__WIRE_KILL = 4,  /* key; also supervisor to worker */
    PINGO__WIRE_LIST = 5,  /* which jobs are here? */
    PINGO__WIRE_TRIM = 6,  /* what was read of the journals, and the unsettled keys */
    PINGO__WIRE_START_FIRST = 7, /* the same of one that goes before all that came with START */
    /* supervisor to client */
    PINGO__WIRE_WELCOME = 16, /* u32 version, u64 serial of the set of journals */
    PINGO__WIRE_STARTED = 17, /* key */
    PINGO__WIRE_BELL = 18,    /* u64 serial: look into the journals */
    PINGO__WIRE_LISTED = 19,  /* u32 n, n keys */
    PINGO__WIRE_TROUBLE = 20, /* u8 pingo__executor_wire_trouble, text: why nothing starts */
    /* supervisor to worker */
    PINGO__WIRE_CONFIG = 32,  /* the settings */
    PINGO__WIRE_JOURNAL = 33, /* text: the journal to write from now on */
    PINGO__WIRE_JOB = 34,     /* i64 granted cpus, then a job */
    /* worker to supervisor */
    PINGO__WIRE_DONE = 48,    /* key: its end is in the journal */
    PINGO__WIRE_REVOKED = 49, /* key: it was revoked and did not start */
    PINGO__WIRE_READY = 50    /* key: what was left of it is cleared away */
};

enum pingo__executor_wire_trouble {
    PINGO__TROUBLE_OVER = 0,   /* it does again */
    PINGO__TROUBLE_PASSES = 1, /* may pass by itself, but not for ever */
    PINGO__TROUBLE_ENDS = 2,   /* the supervisor ends after what it runs */
    PINGO__TROUBLE_YIELD = 3,  /* the same, and another client than this one shall start the next */
    PINGO__TROUBLE_NOTE = 4    /* nothing is in the way: words for people */
};

struct pingo__executor_wire_frame {
    uint8_t kind;
    struct pingo__buffer_reader body;
};

/* The settings that a client brings along; the newest win. */
struct pingo__executor_wire_settings {
    int64_t slots, memory_bytes, log_bytes, grace_ms;
    bool lets_exceed; /* the memory that a job asks for is no limit */
};

/* Appends a frame: begin, append the body, end(what begin gave). */
size_t pingo__executor_wire_begin(struct pingo__buffer *b, enum pingo__executor_wire_kind kind);
void pingo__executor_wire_end(struct pingo__buffer *b, size_t begun);

/* What came over a connection, of which frames are taken. */
struct pingo__executor_inbox {
    struct pingo__buffer bytes;
    size_t at;      /* so many of them were taken */
    bool is_broken; /* no frame can begin so: none follows */
};
/* Receives once; wait: until something comes.  How many bytes; -EAGAIN: there are none; 0, or another negative errno:
 * the other end is gone. */
ssize_t pingo__executor_inbox_fill(struct pingo__executor_inbox *inbox, int fd, bool wait);
/* The next frame, borrowed until the next call.  false: more bytes are needed, or it is broken. */
bool pingo__executor_inbox_next(struct pingo__executor_inbox *inbox,
                                struct pingo__executor_wire_frame *frame);

void pingo__executor_wire_put_settings(struct pingo__buffer *b,
                                       const struct pingo__executor_wire_settings *s);
bool pingo__executor_wire_get_settings(struct pingo__buffer_reader *r,
                                       struct pingo__executor_wire_settings *s);

/* ---- bounds.c: the bounds that a process is under and cannot lift again --------------------------- */

/* Hard limits, the nice value, and which files, users and networks there are for it.  The supervisor inherits them from
 * the process that starts it, and hands them down to every user's actions.  Each client therefore sends its own, and a
 * supervisor under stricter ones, or in another container, makes way for another. */

#define PINGO__BOUNDS_LIMITS 16 /* of getrlimit(2) */

struct pingo__executor_bounds {
    uint64_t hard[PINGO__BOUNDS_LIMITS];
    int64_t nice; /* above 0, or 0 */
    uint64_t view; /* of its root, of what is mounted where, and of its namespaces of users and networks: equal if a
                    * command finds the same */
};

uint64_t pingo__executor_bounds_view(void);
/* Of the calling thread: a nice value is a thread's. */
void pingo__executor_bounds_read(struct pingo__executor_bounds *b);
void pingo__executor_bounds_put(struct pingo__buffer *out, const struct pingo__executor_bounds *b);
bool pingo__executor_bounds_get(struct pingo__buffer_reader *in, struct pingo__executor_bounds *b);
/* Is one of ours stricter than one of theirs?  Its name, or NULL. */
const char *pingo__executor_bounds_stricter(const struct pingo__executor_bounds *ours,
                                            const struct pingo__executor_bounds *theirs);

#endif
