/* mailbox.c - see mailbox.h. */
#include "executor/hadoop/mailbox.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "runner/record/job.h"

typedef struct pingo__executor_hadoop_mailbox mailbox;
typedef struct pingo__executor_hadoop_order order_row;
typedef struct pingo__executor_hadoop_report report_row;

struct pingo__executor_hadoop_mailbox {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* an answer, fewer that wait, trouble, the end */
    int users;
    int wake_fd, told_fd, stop_fd;
    int urgent_fd; /* readable while an order waits that closes a gate, or asks about one */
    order_row *first, *last;
    report_row *first_report, *last_report;
    size_t unsubmitted;
    bool is_obeying; /* an order was taken, and is not answered */
    bool is_busy;    /* orders were taken, and how many wait was not said since */
    char trouble[300];
    bool has_ended, is_abandoned;
};

/* ---- life ----------------------------------------------------------------------------------------- */

static void free_box(mailbox *box)
{
    while (box->first) {
        order_row *order = box->first;
        box->first = order->next;
        pingo__executor_hadoop_order_free(order);
    }
    while (box->first_report) {
        report_row *report = box->first_report;
        box->first_report = report->next;
        pingo__executor_hadoop_report_free(report);
    }
    const int fds[] = {box->wake_fd, box->told_fd, box->stop_fd, box->urgent_fd};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    pthread_cond_destroy(&box->changed);
    pthread_mutex_destroy(&box->lock);
    free(box);
}

int pingo__executor_hadoop_box_new(mailbox **out, struct pingo_error *err)
{
    mailbox *box = calloc(1, sizeof *box);
    pthread_condattr_t monotonic;
    *out = NULL;
    if (!box)
        return pingo__fail_memory(err);
    pthread_mutex_init(&box->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&box->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    box->users = 2;
    box->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    box->told_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    box->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    box->urgent_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (box->wake_fd < 0 || box->told_fd < 0 || box->stop_fd < 0 || box->urgent_fd < 0) {
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

static void ring(int fd)
{
    uint64_t one = 1;
    while (write(fd, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

static void hush(int fd)
{
    uint64_t n;
    while (read(fd, &n, sizeof n) < 0 && errno == EINTR)
        ;
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

void pingo__executor_hadoop_box_post(mailbox *box, order_row *order)
{
    pthread_mutex_lock(&box->lock);
    order->next = NULL;
    *(box->last ? &box->last->next : &box->first) = order;
    box->last = order;
    if (order->kind == PINGO__HADOOP_REVOKE || order->kind == PINGO__HADOOP_KILL ||
        order->kind == PINGO__HADOOP_ADOPT)
        ring(box->urgent_fd);
    pthread_mutex_unlock(&box->lock);
    ring(box->wake_fd);
}

static void unlink_order(mailbox *box, order_row **at)
{
    order_row *order = *at;
    *at = order->next;
    if (box->last == order) {
        box->last = box->first;
        while (box->last && box->last->next)
            box->last = box->last->next;
    }
    order->next = NULL;
}

bool pingo__executor_hadoop_box_recall(mailbox *box, struct pingo_job_key key)
{
    order_row *found = NULL;
    pthread_mutex_lock(&box->lock);
    for (order_row **at = &box->first; *at && !found; at = &(*at)->next)
        if ((*at)->kind == PINGO__HADOOP_START && pingo__runner_key_is((*at)->key, key)) {
            found = *at;
            unlink_order(box, at);
            break;
        }
    pthread_mutex_unlock(&box->lock);
    pingo__executor_hadoop_order_free(found);
    return found;
}

order_row *pingo__executor_hadoop_box_take(mailbox *box)
{
    pthread_mutex_lock(&box->lock);
    hush(box->wake_fd);
    hush(box->urgent_fd); /* all are taken now, one after the other */
    order_row *order = box->first;
    if (order) {
        unlink_order(box, &box->first);
        box->is_busy = box->is_obeying = true;
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

static struct timespec in_ms(int64_t ms)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += (time_t)(ms / 1000);
    at.tv_nsec += (long)(ms % 1000) * 1000000;
    if (at.tv_nsec >= 1000000000) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000;
    }
    return at;
}

bool pingo__executor_hadoop_box_await(mailbox *box, const order_row *order, int64_t limit_ms)
{
    struct timespec until = in_ms(limit_ms);
    int rc = 0;
    pthread_mutex_lock(&box->lock);
    while (!order->is_answered && rc == 0)
        rc = pthread_cond_timedwait(&box->changed, &box->lock, &until);
    bool is_answered = order->is_answered;
    pthread_mutex_unlock(&box->lock);
    return is_answered;
}

bool pingo__executor_hadoop_box_obeyed(mailbox *box, int64_t limit_ms)
{
    struct timespec until = in_ms(limit_ms);
    int rc = 0;
    pthread_mutex_lock(&box->lock);
    while ((box->first || box->is_obeying) && rc == 0)
        rc = pthread_cond_timedwait(&box->changed, &box->lock, &until);
    pthread_mutex_unlock(&box->lock);
    return rc == 0;
}

bool pingo__executor_hadoop_box_settle(mailbox *box, int64_t limit_ms)
{
    struct timespec until = in_ms(limit_ms);
    int rc = 0;
    pthread_mutex_lock(&box->lock);
    while ((box->first || box->is_busy || box->unsubmitted) && !*box->trouble && rc == 0)
        rc = pthread_cond_timedwait(&box->changed, &box->lock, &until);
    pthread_mutex_unlock(&box->lock);
    return rc == 0;
}

void pingo__executor_hadoop_box_wait(mailbox *box, int64_t limit_ms)
{
    struct pollfd polled[] = {{box->wake_fd, POLLIN, 0}, {box->stop_fd, POLLIN, 0}};
    poll(polled, 2, limit_ms < 0 ? -1 : limit_ms > 3600000 ? 3600000 : (int)limit_ms);
}

bool pingo__executor_hadoop_box_stop(mailbox *box, int64_t limit_ms)
{
    struct timespec until = in_ms(limit_ms);
    int rc = 0;
    ring(box->stop_fd);
    pthread_mutex_lock(&box->lock);
    while (!box->has_ended && rc == 0)
        rc = pthread_cond_timedwait(&box->changed, &box->lock, &until);
    bool has_ended = box->has_ended;
    box->is_abandoned = !has_ended;
    pthread_mutex_unlock(&box->lock);
    return has_ended;
}

int pingo__executor_hadoop_box_stop_fd(const mailbox *box)
{
    return box->stop_fd;
}

int pingo__executor_hadoop_box_urgent_fd(const mailbox *box)
{
    return box->urgent_fd;
}

bool pingo__executor_hadoop_box_is_stopped(mailbox *box)
{
    struct pollfd polled = {box->stop_fd, POLLIN, 0};
    return poll(&polled, 1, 0) > 0;
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
    if (report)
        free(report->json);
    free(report);
}

/* ---- reports -------------------------------------------------------------------------------------- */

void pingo__executor_hadoop_box_report(mailbox *box, report_row *report)
{
    pthread_mutex_lock(&box->lock);
    report->next = NULL;
    *(box->last_report ? &box->last_report->next : &box->first_report) = report;
    box->last_report = report;
    pthread_mutex_unlock(&box->lock);
    ring(box->told_fd);
}

report_row *pingo__executor_hadoop_box_reports(mailbox *box)
{
    pthread_mutex_lock(&box->lock);
    hush(box->told_fd);
    report_row *all = box->first_report;
    box->first_report = box->last_report = NULL;
    pthread_mutex_unlock(&box->lock);
    return all;
}

int pingo__executor_hadoop_box_told_fd(const mailbox *box)
{
    return box->told_fd;
}

void pingo__executor_hadoop_box_say(mailbox *box, size_t unsubmitted, const char *trouble)
{
    pthread_mutex_lock(&box->lock);
    box->unsubmitted = unsubmitted;
    box->is_busy = false;
    snprintf(box->trouble, sizeof box->trouble, "%s", trouble ? trouble : "");
    pthread_cond_broadcast(&box->changed);
    pthread_mutex_unlock(&box->lock);
}

bool pingo__executor_hadoop_box_trouble(mailbox *box, char *text, size_t size)
{
    pthread_mutex_lock(&box->lock);
    snprintf(text, size, "%s", box->trouble);
    pthread_mutex_unlock(&box->lock);
    return *text;
}
