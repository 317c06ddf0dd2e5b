/* hooks.h - who asked for it is told that a submission has ended: a program is started, or a request sent.
 *
 * What always holds: rows of store/hooks.h say what is to be told; a try is ours in the store before it begins; nobody
 * waits for it on the scheduler's thread, and it ends within the setting hook.seconds; a request goes to hosts of the
 * setting hook.hosts alone.  Who dies between a delivery and its settling is followed by another, with the same
 * number. */
#ifndef PINGO__ENGINE_HOOKS_H
#define PINGO__ENGINE_HOOKS_H

#include <stdatomic.h>

#include <pingo/feed.h>

#include "manager/context.h"

struct pingo__engine_hooks {
    struct pingo_store *store; /* whose settings count */
    struct pingo__manager_context *c;
    size_t nhand;       /* in the hands of workers */
    int64_t looked_ms;  /* by the monotonic clock */
    atomic_bool leaves; /* what is in hand is given up at once */
};

/* Settles what was tried, and gives what is due to workers. */
int pingo__engine_hooks_tick(struct pingo__engine_hooks *h, struct pingo_error *err);
/* Tries what is due, once, and waits for it. */
int pingo__engine_hooks_finish(struct pingo__engine_hooks *h, struct pingo_error *err);
/* Before the workers go: what is in hand is cut short, and is due at once. */
void pingo__engine_hooks_close(struct pingo__engine_hooks *h);

/* A URL taken apart.  Returns what is wrong with it, static; NULL: nothing. */
struct pingo__engine_hook_place {
    char server[300];               /* http[s]://HOST[:PORT] */
    char host[300], with_port[300]; /* HOST, and HOST:PORT where it says one */
    const char *path;               /* borrowed; "/" where there is none */
};
const char *pingo__engine_hook_place(const char *url, struct pingo__engine_hook_place *place);
/* Is it one of the hosts, "HOST HOST:PORT"? */
bool pingo__engine_hook_may_lead(const struct pingo__engine_hook_place *place, const char *hosts);

/* ---- hook_try.c: one try, on another thread: no store ---- */

struct pingo__engine_hook_try {
    enum pingo_hook_way way;
    const char *target, *hosts; /* hosts: of the setting */
    const char *id;             /* of the header, and of the environment */
    const char *body;           /* JSON */
    int64_t limit_ms;
    const atomic_bool *leaves;
};
enum pingo__engine_hook_result {
    PINGO__HOOK_DONE,
    PINGO__HOOK_FAILED,
    PINGO__HOOK_REFUSED, /* it is not tried again */
    PINGO__HOOK_CUT      /* we leave */
};
/* message: why not. */
enum pingo__engine_hook_result pingo__engine_hook_do(const struct pingo__engine_hook_try *t,
                                                     struct pingo_error *message);

#endif
