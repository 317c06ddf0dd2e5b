/* guard.h - who asks, and may he: what a browser is used for by others, peers of the unix socket, tokens, roles. */
#ifndef SERVE_GUARD_H
#define SERVE_GUARD_H

#include <sys/types.h>

#include "serve/route/route.h"

#define SERVE_USER 256

struct serve_guard {
    uid_t owner;       /* of the store */
    const char *hosts; /* names besides those of this machine by which the server is called, "a b" */
    int64_t proxy;     /* the uid that may say for whom it asks; -1: none */
};

/* Who is at the other end of a unix socket, by his uid; nobody where it is not known. */
struct serve_peer {
    const struct serve_guard *guard;
    bool is_socket;
    int64_t uid; /* -1: not known */
    bool is_proxy;
    struct serve_who who; /* user NULL: nobody has looked yet, or nobody is known */
    char user[SERVE_USER];
    char address[48]; /* of TCP */
};
/* Looks up what stands behind the uid, once.  That may be on another machine: not for the loop. */
void serve_guard_peer(struct serve_peer *peer);
/* Of a user, by the setting serve.users: "alice=submitter bob=viewer". */
enum serve_role serve_guard_role(const char *users, const char *user);

/* What the loop can say of a request's head: is it for us, and no web page's doing behind its user's back?  May its
 * body be of this type?  false: the answer says no. */
bool serve_guard_head(const struct serve_peer *peer, const struct serve_request *request,
                      struct serve_answer *answer);
/* On a worker: who asks, by peer and token, into request->who, with room in user and way; and may he do this?
 * false: the answer says no. */
struct serve_name {
    char user[SERVE_USER], way[SERVE_USER];
};
bool serve_guard_who(struct serve_worker *worker, struct serve_peer *peer, struct serve_name *name,
                     struct serve_request *request, struct serve_answer *answer);
/* The headers that each answer has. */
extern const char serve_guard_headers[];

#endif
