/* thread.h - a thread of our own. */
#ifndef PINGO__BASE_THREAD_H
#define PINGO__BASE_THREAD_H

#include <pthread.h>

/* Born with all signals blocked: they are for the threads of whoever embeds us.  0 or an errno value. */
int pingo__thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

#endif
