/* route.h - what a request is to who answers it, what an answer is, and the table of who answers what.
 *
 * A handler is a function of a request and its answer.  It runs on the thread that its route names: a reader's, the
 * writer's or the intake's, with a handle to the store of its own; or the loop's, without one and without waiting for
 * anything.  It knows nothing of sockets, and can be called by a test as it is.
 * What it may count on: who asks has the route's role; where the method is not GET the handle works for him
 * (pingo_store_act_for()), so that what he may, and that he did it, is the library's to say and to note; the body has
 * the route's type; path and query are UTF-8, the path without control characters. */
#ifndef SERVE_ROUTE_H
#define SERVE_ROUTE_H

#include <pingo.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/writer.h"
#include "http/server/parse.h"

struct pingo__view_table;

enum serve_role { SERVE_NOBODY, SERVE_VIEWER, SERVE_SUBMITTER, SERVE_ADMIN };
/* INTAKE: what reads the inputs of a workflow, which may take as long as they are large; nobody who wants to end
 * something waits behind it. */
enum serve_by { SERVE_BY_LOOP, SERVE_BY_READER, SERVE_BY_WRITER, SERVE_BY_INTAKE };

struct serve_who {
    enum serve_role role;
    const char *user; /* NULL: nobody is known */
    const char *way;  /* "socket", "token NAME", "page", "proxy"; NULL likewise */
};

struct serve_route;
struct serve_worker;

/* Borrowed for the call; the same for each call of one request. */
struct serve_request {
    const char *method; /* of the route: HEAD comes as GET */
    const char *path;   /* decoded, without the query */
    const struct serve_route *route;
    const char *const *parts; /* what the {...} of the route's pattern matched, in order */
    size_t nparts;
    const struct pingo__http_field *query; /* decoded, in order */
    size_t nquery;
    const struct pingo__http_field *headers; /* names in lower case; no name stands twice but for lists */
    size_t nheaders;
    int body; /* a file without a name that holds it, at its beginning; -1: there is none */
    int64_t body_bytes;
    struct serve_who who;
    int64_t waited_ms; /* since the first call */
    bool is_changed;   /* the store has changed since the call before */
    void *state;       /* what the call before left in the answer's */
};

/* What becomes of an answer. */
enum serve_next {
    SERVE_WHOLE = 0, /* it is sent, and that is it */
    SERVE_AGAIN, /* nothing is sent; the handler is called again with the same request, such as for Prefer: wait */
    /* The beginning of a stream: head and body so far are sent, and the handler is called again for the next bytes of
     * the body, with all else as it was; once it leaves SERVE_WHOLE, the stream has ended. */
    SERVE_STREAM
};

/* The handler's to fill; zeroed before, but for fd -1. */
struct serve_answer {
    bool is_wes; /* errors have the members that GA4GH's clients look for, too: set by the loop */
    bool of_now; /* it tells of the moment, not of the store: the next who asks is answered anew */
    int status;  /* 0: 200 */
    const char *type;             /* NULL: application/json; static, or of the worker's arena */
    struct pingo__buffer body;    /* what is sent, unless there is fd */
    struct pingo__buffer headers; /* serve_header() */
    char etag[80]; /* without quotes; "": none.  If-None-Match is answered with it. */
    int fd;        /* instead of the body: sent from there, and closed by the loop; -1: none */
    int64_t offset, length;
    /* What it holds in the store: an own job (work/work.h) that lets it go, done once it was sent or never will be;
     * NULL. */
    struct serve_job *held;
    enum serve_next next;
    /* Of SERVE_AGAIN and SERVE_STREAM: the handler is called again when the store has changed (but at most four times a
     * second), where on_change says so, and after pause_ms (0: with on_change only then; else as soon as what there is
     * was sent). */
    bool on_change;
    int64_t pause_ms;
    void *state;               /* for the next call */
    void (*drop)(void *state); /* called once nobody calls again; on any thread; NULL */
};

struct serve; /* what holds for the whole program: work/work.h */

/* What a handler works with. */
struct serve_worker {
    struct pingo_store *store; /* its own */
    struct pingo__arena arena; /* emptied before each call; what the answer points to may lie here */
    struct pingo_error err;    /* for what fails */
    struct serve *serve;
};

/* A call of a handler: what is asked, of whom, and what is answered.  What is wrong in it is told once, by the first
 * thing that is: the rest may be read on. */
struct serve_ask {
    struct serve_worker *worker; /* NULL, as the next three, on the loop */
    struct pingo_store *store;   /* the worker's */
    struct pingo__arena *arena;
    struct pingo_error *err;
    const struct serve_request *request;
    struct serve_answer *answer;
    bool is_wrong; /* and the answer tells what */
    bool is_own_known;
    const char *own; /* api/own.h */
};
typedef void (*serve_handler)(struct serve_ask *ask);

struct serve_route {
    const char *method;
    const char *pattern; /* "/v1/workflows/{workflow}": each {...} is one part that is not empty */
    enum serve_role role;
    enum serve_by by;
    serve_handler handler;
    const char *operation; /* its name in the document of the API */
    const char *names; /* all that its query may have, each once but "c*": "a|b|c*"; NULL: whatever it has */
    int64_t most_bytes; /* of a body; 0: none is taken */
    const char *type;   /* of a body; NULL: application/json */
};
/* The table (routes.h), which ends with a route without a method. */
extern const struct serve_route serve_routes[];

/* The route of a request.  parts: room for SERVE_PARTS; they lie in the arena.  NULL: there is none, and *allowed is
 * the methods of this path, "GET, POST"; "": there is no such path. */
#define SERVE_PARTS 8
struct serve_match {
    const char *parts[SERVE_PARTS];
    size_t nparts;
    char allowed[80];
};
const struct serve_route *serve_match(struct pingo__arena *arena, const char *method,
                                      const char *path, struct serve_match *match);

/* ---- what handlers ask of a request ---- */
/* The value of a query's name (of "c*" the first), or of a header's (in lower case); NULL: it has none. */
const char *serve_query(const struct serve_request *request, const char *name);
const char *serve_asked(const struct serve_request *request, const char *header);
/* How gladly the client takes a type, or a coding, in thousandths, by its "accept" or "accept-encoding"; 0: not at
 * all. */
int serve_quality(const struct serve_request *request, const char *header, const char *type);
/* Calls the request's handler, unless its query has a name that the route does not, such as a mistyped one, or one
 * twice: then the answer tells which. */
void serve_call(struct serve_worker *worker, const struct serve_request *request,
                struct serve_answer *answer);
/* The body as it lies in the file, mapped: read-only, of request->body_bytes bytes.  NULL: there is none, or it cannot
 * be.  serve_unmap() it. */
const char *serve_map(const struct serve_request *request);
void serve_unmap(const struct serve_request *request, const char *body);

/* What open() has returned for a client: its descriptor, or a negative errno.  -EMFILE is early: what the threads'
 * stores and the scheduler open has its place however many clients there are. */
int serve_descriptor(int fd);
/* A file without a name in the directory of the store, so that the disk that fills is the store's own, and nothing is
 * left of it where the server dies; as open() returns it. */
int serve_unnamed(const char *directory);

/* ---- what they answer ---- */
/* A row as --json prints it. */
void serve_json(struct serve_answer *answer, const struct pingo__view_table *view, const void *row);
/* What a writer without `take` has written; it is cleared. */
void serve_written(struct serve_answer *answer, struct pingo__writer *w);
/* name and value: without line ends, or the header is left out. */
void serve_header(struct serve_answer *answer, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Of an event stream: an event of type text/event-stream.  id, event: may be NULL; data: any lines. */
void serve_event(struct serve_answer *answer, const char *id, const char *event, const char *data,
                 size_t length);
/* Is etag, which is set in the answer, the one that the client has (If-None-Match)?  Then the answer is 304, and
 * nothing more is to be done. */
bool serve_is_known(const struct serve_request *request, struct serve_answer *answer);

/* Errors are application/problem+json (RFC 9457): what the library says, by its code; with the problems of a workflow
 * as "errors" (may be NULL).  What the answer had is dropped. */
void serve_problem(struct serve_answer *answer, const struct pingo_error *err,
                   const struct pingo_problems *problems);
/* The same of an own status. */
void serve_refuse(struct serve_answer *answer, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The HTTP status of a PINGO_E*. */
int serve_status_of(int code);

/* Frees what an answer has; what it holds in the store was let go before. */
void serve_answer_init(struct serve_answer *answer);
void serve_answer_clear(struct serve_answer *answer);

#endif
