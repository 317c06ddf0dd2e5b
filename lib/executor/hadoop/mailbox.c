/* mailbox.c - see mailbox.h. */
#include "executor/hadoop/mailbox.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/world.h"
#include "runner/record/job.h"

typedef struct pingo__executor_hadoop_mailbox mailbox;
typedef struct pingo__executor_hadoop_order order_row;
typedef struct pingo__executor_hadoop_report report_row;

struct pingo__executor_hadoop_mailbox {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* an order, an answer, fewer that wait, trouble, the end */
    int users;
    struct pingo__executor_hadoop_bells bells;
    STAILQ_HEAD(orders, pingo__executor_hadoop_order) orders;
    report_row *first_report, **last_report;
    size_t nopen;
    bool is_obeying; /* an order was taken, and is not answered */
    bool is_busy;    /* orders were taken, and how many jobs are open was not said since */
    bool has_taken;  /* likewise, of those that bring something */
    bool is_woken;   /* since orders were taken last */
    char trouble[300];
    bool has_ended, is_abandoned;
};

/* ---- life ----------------------------------------------------------------------------------------- */

static void free_box(mailbox *box)
{
    for (order_row *order; (order = STAILQ_FIRST(&box->orders));) {
        STAILQ_REMOVE_HEAD(&box->orders, next);
        pingo__executor_hadoop_order_free(order);
    }
    pingo__executor_hadoop_report_free(box->first_report);
    pingo__file_close(box->bells.told);
    pthread_cond_destroy(&box->changed);
    pthread_mutex_destroy(&box->lock);
    free(box);
}

int pingo__executor_hadoop_box_new(mailbox **out, struct pingo_error *err)
{
    mailbox *box = calloc(1, sizeof *box);
    *out = NULL;
    if (!box)
        return pingo__fail_memory(err);
    pthread_mutex_init(&box->lock, NULL);
    pthread_cond_init(&box->changed, NULL);
    box->users = 2;
    STAILQ_INIT(&box->orders);
    box->last_report = &box->first_report;
    box->bells.told = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (box->bells.told < 0) {
        int rc = pingo__fail_os(err, errno, "a descriptor to wait on", "executor hadoop");
        free_box(box);
        return rc;
    }
    *out = box;
    return 0;
}

void pingo__executor_hadoop_box_leave(mailbox *box)
{
    pthread_mutex_lock(&box->lock);
    bool last = --box->users == 0;
    pthread_mutex_unlock(&box->lock);
    if (last)
        free_box(box);
}

/* ---- orders --------------------------------------------------------------------------------------- */

order_row *pingo__executor_hadoop_order_new(enum pingo__executor_hadoop_order_kind kind,
                                            struct pingo_job_key key)
{
    order_row *order = calloc(1, sizeof *order);
    if (order) {
        order->kind = kind;
        order->key = key;
    }
    return order;
}

void pingo__executor_hadoop_order_free(order_row *order)
{
    if (order)
        pingo__arena_clear(&order->arena);
    free(order);
}

/* Under the lock.  NULL: there is none that waits. */
static order_row *withdraw(mailbox *box, enum pingo__executor_hadoop_order_kind kind,
                           struct pingo_job_key key)
{
    order_row *order = STAILQ_FIRST(&box->orders);
    while (order && !(order->kind == kind && pingo__runner_key_is(order->key, key)))
        order = STAILQ_NEXT(order, next);
    if (order)
        STAILQ_REMOVE(&box->orders, order, pingo__executor_hadoop_order, next);
    return order;
}

/* A job that the thread did not have. */
static bool brings(const order_row *order)
{
    return order->kind == PINGO__HADOOP_START || order->kind == PINGO__HADOOP_ADOPT;
}

/* Of what is settled the last word counts: it comes each second, and the thread may be long at something else. */
void pingo__executor_hadoop_box_post(mailbox *box, order_row *order)
{
    order_row *old = NULL;
    pthread_mutex_lock(&box->lock);
    if (order->kind == PINGO__HADOOP_TRIM)
        old = withdraw(box, PINGO__HADOOP_TRIM, order->key);
    STAILQ_INSERT_TAIL(&box->orders, order, next);
    if (order->kind == PINGO__HADOOP_REVOKE || order->kind == PINGO__HADOOP_KILL ||
        order->kind == PINGO__HADOOP_ADOPT)
        box->bells.urgent = true;
    pthread_cond_broadcast(&box->changed);
    pthread_mutex_unlock(&box->lock);
    pingo__executor_hadoop_order_free(old);
}

bool pingo__executor_hadoop_box_recall(mailbox *box, struct pingo_job_key key)
{
    pthread_mutex_lock(&box->lock);
    order_row *found = withdraw(box, PINGO__HADOOP_START, key);
    pthread_mutex_unlock(&box->lock);
    pingo__executor_hadoop_order_free(found);
    return found;
}

order_row *pingo__executor_hadoop_box_take(mailbox *box)
{
    pthread_mutex_lock(&box->lock);
    box->bells.urgent = box->is_woken = false; /* all are taken now, one after the other */
    order_row *order = STAILQ_FIRST(&box->orders);
    if (order) {
        STAILQ_REMOVE_HEAD(&box->orders, next);
        box->is_busy = box->is_obeying = true;
        box->has_taken = box->has_taken || brings(order);
    }
    pthread_mutex_unlock(&box->lock);
    return order;
}

void pingo__executor_hadoop_box_answer(mailbox *box, order_row *order)
{
    bool is_asked = order->kind == PINGO__HADOOP_REVOKE || order->kind == PINGO__HADOOP_ADOPT;
    pthread_mutex_lock(&box->lock);
    bool is_dropped = order->is_dropped || !is_asked;
    order->is_answered = true;
    box->is_obeying = false;
    pthread_cond_broadcast(&box->changed);
    pthread_mutex_unlock(&box->lock);
    if (is_dropped) /* the second of the two has it */
        pingo__executor_hadoop_order_free(order);
}

void pingo__executor_hadoop_box_wake(mailbox *box)
{
    pthread_mutex_lock(&box->lock);
    box->is_woken = true;
    pthread_cond_broadcast(&box->changed);
    pthread_mutex_unlock(&box->lock);
}

void pingo__executor_hadoop_box_drop(mailbox *box, order_row *order)
{
    pthread_mutex_lock(&box->lock);
    bool is_ours = order->is_answered;
    order->is_dropped = true;
    pthread_mutex_unlock(&box->lock);
    if (is_ours)
        pingo__executor_hadoop_order_free(order);
}

/* ---- waiting -------------------------------------------------------------------------------------- */

static bool is_so(const mailbox *box, enum pingo__executor_hadoop_awaited what,
                  const order_row *order)
{
    switch (what) {
    case PINGO__HADOOP_ANSWERED:
        return order->is_answered;
    case PINGO__HADOOP_OBEYED:
        return STAILQ_EMPTY(&box->orders) && !box->is_obeying;
    case PINGO__HADOOP_SETTLED:
        return (STAILQ_EMPTY(&box->orders) && !box->is_busy && !box->nopen) || *box->trouble;
    case PINGO__HADOOP_ORDERED:
        return !STAILQ_EMPTY(&box->orders) || box->is_woken || box->bells.stop;
    default:
        return box->has_ended;
    }
}

bool pingo__executor_hadoop_box_await(mailbox *box, enum pingo__executor_hadoop_awaited what,
                                      const order_row *order, int64_t limit_ms)
{
    int64_t at_ms = pingo__world_monotonic_ms() + limit_ms;
    struct timespec until = {at_ms / 1000, at_ms % 1000 * 1000000};
    int rc = 0;
    pthread_mutex_lock(&box->lock);
    while (!is_so(box, what, order) && rc == 0)
        rc = pthread_cond_clockwait(&box->changed, &box->lock, CLOCK_MONOTONIC, &until);
    bool is = is_so(box, what, order);
    pthread_mutex_unlock(&box->lock);
    return is;
}

bool pingo__executor_hadoop_box_stop(mailbox *box, int64_t limit_ms)
{
    pthread_mutex_lock(&box->lock);
    box->bells.stop = true;
    pthread_cond_broadcast(&box->changed);
    pthread_mutex_unlock(&box->lock);
    pingo__executor_hadoop_box_await(box, PINGO__HADOOP_LEFT, NULL, limit_ms);
    pthread_mutex_lock(&box->lock);
    bool has_ended = box->has_ended;
    box->is_abandoned = !has_ended;
    pthread_mutex_unlock(&box->lock);
    return has_ended;
}

const struct pingo__executor_hadoop_bells *pingo__executor_hadoop_box_bells(const mailbox *box)
{
    return &box->bells;
}

bool pingo__executor_hadoop_box_ended(mailbox *box)
{
    pthread_mutex_lock(&box->lock);
    box->has_ended = true;
    bool is_awaited = !box->is_abandoned;
    pthread_cond_broadcast(&box->changed);
    pthread_mutex_unlock(&box->lock);
    return is_awaited;
}

void pingo__executor_hadoop_report_free(report_row *report)
{
    for (report_row *next; report; report = next) {
        next = report->next;
        free(report->json);
        free(report);
    }
}

/* ---- reports -------------------------------------------------------------------------------------- */

bool pingo__executor_hadoop_box_report(mailbox *box, const report_row *told)
{
    report_row *report = malloc(sizeof *report);
    if (!report)
        return false;
    *report = *told;
    report->next = NULL;
    pthread_mutex_lock(&box->lock);
    *box->last_report = report;
    box->last_report = &report->next;
    pthread_mutex_unlock(&box->lock);
    uint64_t one = 1;
    while (write(box->bells.told, &one, sizeof one) < 0 && errno == EINTR)
        ;
    return true;
}

report_row *pingo__executor_hadoop_box_reports(mailbox *box)
{
    uint64_t n;
    pthread_mutex_lock(&box->lock);
    while (read(box->bells.told, &n, sizeof n) < 0 && errno == EINTR)
        ;
    report_row *all = box->first_report;
    box->first_report = NULL;
    box->last_report = &box->first_report;
    pthread_mutex_unlock(&box->lock);
    return all;
}

void pingo__executor_hadoop_box_say(mailbox *box, size_t nopen, const char *trouble)
{
    pthread_mutex_lock(&box->lock);
    box->nopen = nopen;
    box->is_busy = box->has_taken = false;
    snprintf(box->trouble, sizeof box->trouble, "%s", trouble ? trouble : "");
    pthread_cond_broadcast(&box->changed);
    pthread_mutex_unlock(&box->lock);
}

size_t pingo__executor_hadoop_box_busy(mailbox *box)
{
    pthread_mutex_lock(&box->lock);
    size_t n = box->nopen + (box->has_taken && !*box->trouble);
    for (const order_row *order = STAILQ_FIRST(&box->orders); order && !*box->trouble;
         order = STAILQ_NEXT(order, next))
        n += brings(order);
    pthread_mutex_unlock(&box->lock);
    return n;
}

bool pingo__executor_hadoop_box_trouble(mailbox *box, char *text, size_t size)
{
    pthread_mutex_lock(&box->lock);
    snprintf(text, size, "%s", box->trouble);
    pthread_mutex_unlock(&box->lock);
    return *text;
}
