/* kept.h - what many ask for is made once: the newest answers of the readers are given again while they are true.
 *
 * An answer is true as long as nobody has written to the store (pingo_store_data_version()), and this server nothing.
 * What does not lie there, such as the free bytes of a disk, is at most 100 ms old, and a second where a client that
 * has the answer (If-None-Match) is told that it is the same; an answer that is of the moment says so. */
#ifndef SERVE_KEPT_H
#define SERVE_KEPT_H

#include "serve/route/route.h"

/* For any thread.  It has a handle of its own, by whose eyes all see whether somebody has written. */
struct serve_kept;
int serve_kept_open(const char *directory, struct serve_kept **kept, struct pingo_error *err);
/* NULL: nothing. */
void serve_kept_close(struct serve_kept *kept);
/* Another number as soon as anybody has written to the store; the one before where it is not known. */
int64_t serve_kept_version(struct serve_kept *kept, int64_t before);

/* What is asked, by whom, and how things were before it was looked up. */
struct serve_kept_at {
    const struct pingo__buffer *question; /* all of it, which decides */
    int64_t writes;                       /* of this server */
    int64_t now_ms;
    int64_t version; /* of the store: noted by serve_kept_recall(); -1: not known, and nothing is kept */
};
/* true: the answer is there, as the handler would make it, its type in the arena (NULL: it is not asked for).  The
 * answer's tag is set where it is known, also without that.  kept: NULL where none are. */
bool serve_kept_recall(struct serve_kept *kept, struct serve_kept_at *at,
                       struct pingo__arena *arena, struct serve_answer *answer);
/* Of a whole document; of one that is large, or of the moment, its tag alone. */
void serve_kept_keep(struct serve_kept *kept, const struct serve_kept_at *at,
                     const struct serve_answer *answer);

#endif
