/* parallel.h - the same for each of many: threads take the numbers below n, one after the other. */
#ifndef PINGO__BASE_PARALLEL_H
#define PINGO__BASE_PARALLEL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pingo/error.h>

#define PINGO__PARALLEL_MOST 256 /* threads */

struct pingo__parallel {
    size_t n;
    size_t threads; /* 0: one a processor that we may use, up to 8; 1: it is done on the caller's own */
    /* On any of them: each number once.  Other than 0 stops all. */
    int (*run)(void *context, size_t i, struct pingo_error *err);
    /* On the caller's, every tenth of a second and in the end; NULL: nobody.  Other than 0 stops all. */
    int (*tell)(void *context, size_t done);
    void *context;
    /* its own: */
    atomic_size_t next, done;
    atomic_bool stop;
    pthread_t caller;
    int64_t told_ms;
    pthread_mutex_t lock; /* of the rest */
    pthread_cond_t ended;
    size_t nrunning;
    int rc;
    struct pingo_error why;
};

/* p: the first part; the rest zero.  The error of one of those that failed; PINGO_EINTERRUPTED, and no words, where
 * tell stopped it. */
int pingo__parallel_run(struct pingo__parallel *p, struct pingo_error *err);
/* Within run, where that takes long: is it to stop? */
bool pingo__parallel_stops(struct pingo__parallel *p);

#endif
