/* mailbox.h - between the scheduler's thread and the executor's own: orders one way, reports the other.
 *
 * What always holds: the lock is held for some instructions, never while anybody waits for the cluster; an order
 * belongs to who posts it until it is posted, then to the box; one that is asked about (REVOKE, ADOPT) comes back as
 * answered, and is freed by who asked, or with the box.  The box goes with the last of its two users. */
#ifndef PINGO__EXECUTOR_HADOOP_MAILBOX_H
#define PINGO__EXECUTOR_HADOOP_MAILBOX_H

#include <sys/queue.h>

#include "executor/hadoop/hadoop.h"

enum pingo__executor_hadoop_order_kind {
    PINGO__HADOOP_START,
    PINGO__HADOOP_REVOKE,
    PINGO__HADOOP_KILL,
    PINGO__HADOOP_ADOPT,
    PINGO__HADOOP_FORGET,
    PINGO__HADOOP_TRIM /* keys: what is not settled */
};

struct pingo__executor_hadoop_order {
    STAILQ_ENTRY(pingo__executor_hadoop_order) next; /* the box's */
    struct pingo__executor_hadoop_order *next_asked; /* of who has asked, and waits for an answer */
    enum pingo__executor_hadoop_order_kind kind;
    struct pingo_job_key key; /* of all but ADOPT and TRIM */
    struct pingo__arena arena;
    struct pingo_job job;       /* of START: a copy, in the arena */
    struct pingo_job_key *keys; /* of ADOPT and TRIM, in the arena */
    bool *found;                /* of ADOPT */
    size_t nkeys;
    bool is_answered, is_dropped, revoked;
    int rc;
    struct pingo_error why;
};

enum pingo__executor_hadoop_report_kind {
    PINGO__HADOOP_HAS_STARTED,
    PINGO__HADOOP_IS_NAMED,
    PINGO__HADOOP_TELLS, /* its progress */
    PINGO__HADOOP_HAS_ENDED,
    PINGO__HADOOP_SAYS /* a line for the log */
};
struct pingo__executor_hadoop_report {
    struct pingo__executor_hadoop_report *next;
    enum pingo__executor_hadoop_report_kind kind;
    struct pingo_job_key key;
    char text[500]; /* of IS_NAMED: up to 31 bytes */
    char *json;     /* of TELLS: ours */
    struct pingo_job_end end;
};

struct pingo__executor_hadoop_mailbox;

/* PINGO_EIO, PINGO_ENOMEM. */
int pingo__executor_hadoop_box_new(struct pingo__executor_hadoop_mailbox **out,
                                   struct pingo_error *err);
/* By each of the two. */
void pingo__executor_hadoop_box_leave(struct pingo__executor_hadoop_mailbox *box);

struct pingo__executor_hadoop_bells {
    int told;          /* a descriptor, readable when there are reports */
    _Atomic bool stop; /* the thread is to end */
    _Atomic bool urgent; /* an order waits that shall not wait for the ResourceManager: REVOKE, KILL, ADOPT */
};
const struct pingo__executor_hadoop_bells *pingo__executor_hadoop_box_bells(
    const struct pingo__executor_hadoop_mailbox *box);

enum pingo__executor_hadoop_awaited {
    PINGO__HADOOP_ANSWERED, /* this order is */
    PINGO__HADOOP_OBEYED,   /* no order is open, whatever trouble there is */
    PINGO__HADOOP_SETTLED,  /* nor is a job, as _box_say() tells; or there is trouble */
    PINGO__HADOOP_ORDERED, /* an order waits; or something was done aside; or the thread is to end */
    PINGO__HADOOP_LEFT     /* the thread has ended */
};
/* Waits until it is so, at most so long.  Is it?  order: of ANSWERED, else NULL. */
bool pingo__executor_hadoop_box_await(struct pingo__executor_hadoop_mailbox *box,
                                      enum pingo__executor_hadoop_awaited what,
                                      const struct pingo__executor_hadoop_order *order,
                                      int64_t limit_ms);

/* ---- the scheduler's side ---- */
struct pingo__executor_hadoop_order *pingo__executor_hadoop_order_new(
    enum pingo__executor_hadoop_order_kind kind, struct pingo_job_key key);
void pingo__executor_hadoop_order_free(struct pingo__executor_hadoop_order *order);
void pingo__executor_hadoop_box_post(struct pingo__executor_hadoop_mailbox *box,
                                     struct pingo__executor_hadoop_order *order);
/* An order to start that nobody has taken yet is taken back.  false: there is none. */
bool pingo__executor_hadoop_box_recall(struct pingo__executor_hadoop_mailbox *box,
                                       struct pingo_job_key key);
/* All that was reported since, in order.  Yours. */
struct pingo__executor_hadoop_report *pingo__executor_hadoop_box_reports(
    struct pingo__executor_hadoop_mailbox *box);
/* With those behind it. */
void pingo__executor_hadoop_report_free(struct pingo__executor_hadoop_report *report);
/* What is in the way; false: nothing. */
bool pingo__executor_hadoop_box_trouble(struct pingo__executor_hadoop_mailbox *box, char *text,
                                        size_t size);
/* How many jobs wait to be submitted, or to be heard of, as far as the thread knows and orders say; where there is
 * trouble those alone that _box_say() told. */
size_t pingo__executor_hadoop_box_busy(struct pingo__executor_hadoop_mailbox *box);
/* Tells the thread to end, and waits for that at most so long; false: it is still busy, and will free what is its. */
bool pingo__executor_hadoop_box_stop(struct pingo__executor_hadoop_mailbox *box, int64_t limit_ms);
/* An order that was asked about, answered or not: nobody waits for it any more. */
void pingo__executor_hadoop_box_drop(struct pingo__executor_hadoop_mailbox *box,
                                     struct pingo__executor_hadoop_order *order);

/* ---- the thread's ---- */
/* Something was done aside: the thread shall look.  Any thread. */
void pingo__executor_hadoop_box_wake(struct pingo__executor_hadoop_mailbox *box);
/* The next order, which is to be answered in any case; NULL: none. */
struct pingo__executor_hadoop_order *pingo__executor_hadoop_box_take(
    struct pingo__executor_hadoop_mailbox *box);
void pingo__executor_hadoop_box_answer(struct pingo__executor_hadoop_mailbox *box,
                                       struct pingo__executor_hadoop_order *order);
/* Takes a copy, and the json.  false: no memory. */
bool pingo__executor_hadoop_box_report(struct pingo__executor_hadoop_mailbox *box,
                                       const struct pingo__executor_hadoop_report *report);
/* nopen: how many are not submitted, or not heard of, and get on; trouble: NULL: none. */
void pingo__executor_hadoop_box_say(struct pingo__executor_hadoop_mailbox *box, size_t nopen,
                                    const char *trouble);
/* The last that the thread does but to leave.  false: nobody waits for it any more. */
bool pingo__executor_hadoop_box_ended(struct pingo__executor_hadoop_mailbox *box);

#endif
