/* loop.h - the thread that has the sockets: it reads requests, has them answered and writes the answers.
 *
 * It waits for nothing but its sockets: no store, no lock, no disk.  What takes time is given to work/. */
#ifndef SERVE_LOOP_H
#define SERVE_LOOP_H

#include "serve/guard/guard.h"
#include "serve/work/work.h"

struct serve_loop_options {
    struct serve *serve;
    const struct serve_guard *guard;
    const char *socket; /* besides the store's own, for others: mode 0660; NULL: none */
    const char *group;  /* of that; NULL or "": as it comes */
    bool no_tcp;
    int port;            /* of 127.0.0.1 and [::1]; 0: any */
    const char *address; /* another one to listen on, for a proxy; NULL: none */
    /* Once everybody can connect; url: of TCP; NULL: there is none.  socket: the store's. */
    void (*listening)(void *context, const char *url, const char *socket);
    void *context;
};

/* Serves until INT or TERM.  0 or PINGO_E*; what went wrong is in err. */
int serve_loop_run(const struct serve_loop_options *options, struct pingo_error *err);

#endif
