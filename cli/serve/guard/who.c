/* who.c - who asks, on a thread that has a store: tokens and roles. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/world.h"
#include "serve/guard/guard.h"
#include "serve/guard/pages.h"
#include "serve/work/note.h"
#include "serve/work/work.h"

#define FAILURES 10 /* tokens that are none, a minute and address */
#define MINUTE_MS 60000
#define ADDRESSES 64

/* How often each address failed lately; the oldest makes room. */
static struct {
    pthread_mutex_t mutex;
    struct failure {
        char address[48];
        int64_t since_ms;
        int n;
    } all[ADDRESSES];
} failures = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Notes another one.  Were they too many? */
static bool fails_too_often(const char *address, int64_t now_ms)
{
    pthread_mutex_lock(&failures.mutex);
    struct failure *f = &failures.all[0];
    for (size_t i = 0; i < ADDRESSES; i++) {
        struct failure *other = &failures.all[i];
        if (strncmp(other->address, address, sizeof other->address - 1) == 0) {
            f = other;
            break;
        }
        if (other->since_ms < f->since_ms)
            f = other;
    }
    if (strncmp(f->address, address, sizeof f->address - 1) != 0 ||
        now_ms - f->since_ms >= MINUTE_MS) {
        snprintf(f->address, sizeof f->address, "%.47s", address);
        f->since_ms = now_ms;
        f->n = 0;
    }
    bool too_often = ++f->n > FAILURES;
    pthread_mutex_unlock(&failures.mutex);
    return too_often;
}

static bool refuse_token(const struct serve_peer *peer, const char *why, struct serve_answer *answer)
{
    if (fails_too_often(peer->is_socket ? peer->user : peer->address, pingo__world_monotonic_ms())) {
        serve_refuse(answer, 429, "too many tokens that are none");
        serve_header(answer, "Retry-After", "60");
        return false;
    }
    serve_refuse(answer, 401, "%s", why);
    serve_header(answer, "WWW-Authenticate", "Bearer realm=\"pingo\"");
    return false;
}

/* Of "Authorization: Bearer TOKEN". */
static bool check_token(struct serve_worker *worker, const struct serve_peer *peer,
                        struct serve_name *name, struct serve_request *r,
                        struct serve_answer *answer)
{
    const char *text = serve_asked(r, "authorization");
    struct pingo_token token = {.size = sizeof token};
    struct pingo_error err;
    if (strncasecmp(text, "Bearer ", 7) != 0)
        return refuse_token(peer, "Authorization is: Bearer TOKEN", answer);
    if (serve_pages_check(text + 7)) {
        snprintf(name->user, sizeof name->user, "%s", worker->serve->owner);
        r->who = (struct serve_who){SERVE_ADMIN, name->user, "page"};
        return true;
    }
    int rc = pingo_store_token_check(worker->store, text + 7, &token, &err);
    if (rc == PINGO_ENOTFOUND || rc == PINGO_ESTATE)
        return refuse_token(peer, err.message, answer);
    if (rc != 0) {
        serve_problem(answer, &err, NULL);
        return false;
    }
    snprintf(name->user, sizeof name->user, "%s", token.user);
    snprintf(name->way, sizeof name->way, "token %s", token.name);
    r->who = (struct serve_who){(enum serve_role)token.role, name->user, name->way};
    return true;
}

/* A proxy says who its user is.  Who has not logged in there is nobody, whoever the proxy itself runs as. */
static void ask_proxy(const struct serve_peer *peer, struct serve_name *name,
                      struct serve_request *r)
{
    const char *user = serve_asked(r, "x-forwarded-user");
    if (!peer->is_proxy)
        return;
    r->who = (struct serve_who){.role = SERVE_NOBODY};
    if (!user || !*user)
        return;
    snprintf(name->user, sizeof name->user, "%s", user);
    r->who = (struct serve_who){SERVE_NOBODY, name->user, "proxy"};
}

/* What he may now: it may have been taken from him since the server or his connection began. */
static bool ask_users(struct serve_worker *worker, struct serve_who *who,
                      struct serve_answer *answer)
{
    struct pingo_error err;
    char *users = NULL;
    if (who->role != SERVE_NOBODY || !who->user)
        return true;
    int rc = pingo_store_get(worker->store, "serve.users", &users, &err);
    if (rc != 0)
        serve_problem(answer, &err, NULL);
    else
        who->role = serve_guard_role(users, who->user);
    free(users);
    return rc == 0;
}

bool serve_guard_who(struct serve_worker *worker, struct serve_peer *peer, struct serve_name *name,
                     struct serve_request *r, struct serve_answer *answer)
{
    if (r->route->role == SERVE_NOBODY)
        return true;
    serve_guard_peer(peer);
    r->who = peer->who;
    ask_proxy(peer, name, r);
    if (!ask_users(worker, &r->who, answer))
        return false;
    if (serve_asked(r, "authorization") && !check_token(worker, peer, name, r, answer))
        return false;
    if (r->who.role == SERVE_NOBODY && !r->who.user)
        return refuse_token(peer, "this takes a token: Authorization: Bearer TOKEN", answer);
    if (r->who.role < r->route->role) {
        serve_note_refusal(worker, r, "the role does not allow it");
        serve_refuse(answer, 403, "%.128s may not do this", r->who.user);
        return false;
    }
    return true;
}
