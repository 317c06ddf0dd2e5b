/* connection.h - what the files of the loop share: its listeners, its connections and their requests.
 *
 * A connection is in one state at a time, and has one request at a time; what a client sends before its turn waits. */
#ifndef SERVE_CONNECTION_H
#define SERVE_CONNECTION_H

#include <sys/queue.h>
#include <uv.h>

#include "serve/loop/loop.h"

#define READERS 4
#define WAITING ((size_t)1024) /* requests that wait for each kind of thread */
#define CONNECTIONS 12000      /* at once; who comes then waits in the system's queue */
#define READ_BYTES ((size_t)64 << 10)
#define EARLY_BYTES ((size_t)64 << 10)   /* that may come before their turn */
#define BEHIND_BYTES ((size_t)256 << 10) /* a stream that is so much behind is closed */
#define ROUND_MS 100                     /* between looks at what waits for a change */
#define SECOND_MS 1000                   /* between looks at what takes too long */
#define CHANGE_MS 250                    /* a stream is told of changes at most so often */
#define ASK_MS 10000                     /* who waits for a change is asked again who he is */
#define HEAD_MS 10000                    /* for a whole head */
#define IDLE_MS                                                                                    \
    60000 /* between requests; half as long each second that somebody waits for a place, */
#define IDLE_LEAST_MS 1000 /* down to this */
#define KEEP_S 60          /* of silence, until a client of TCP is asked whether it is there */
#define STALL_MS 30000     /* without a byte of a body, or taken of an answer */
#define COMMENT_MS 15000   /* an event stream is not silent for longer */
#define LINGER_MS 2000     /* after the last answer, for what is on its way */
#define STOP_MS 5000       /* for requests that are being answered when the server stops */

enum serve_state {
    SERVE_HEAD,   /* the next request is read */
    SERVE_BODY,   /* its body is */
    SERVE_ASK,    /* who it is from is being looked up; then the body */
    SERVE_WORK,   /* it is being answered */
    SERVE_HELD,   /* its handler will be called again */
    SERVE_SEND,   /* the last of its answer is being sent */
    SERVE_LINGER, /* all is sent; what still comes is dropped until the client has gone */
    SERVE_CLOSED
};

struct connection {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
    };
    struct loop *loop;
    LIST_ENTRY(connection) all;
    enum serve_state state;
    int64_t since_ms; /* the last progress in this state */
    size_t unsent;    /* of an answer, when it was last looked at */
    bool feeding;     /* bytes are being parsed up the stack */
    bool stopped;     /* nothing is read */
    bool left;        /* the client sends no more */
    bool is_first;    /* no request was answered yet */
    int held_by;      /* threads and files that still use this */
    int nwritings;    /* of which libuv has yet to tell that they are over */
    bool in_file;     /* a piece of the body is being written */
    struct serve_peer peer;
    struct serve_name name;
    struct pingo__http_parser parser;
    struct pingo__buffer early; /* what came before its turn */

    /* The request. */
    struct serve_match match;
    struct serve_request request;
    bool is_head;    /* HEAD */
    bool is_refused; /* the answer says no, once the request is whole */
    bool keeps_alive;
    int64_t began_ms;
    uint64_t headed_ns; /* when its head was whole; 0: it never was */
    struct serve_job job;
    struct pingo__buffer piece; /* of the body, on its way to the file */
    int64_t written;
    uv_fs_t fs;

    /* Its answer. */
    struct serve_answer answer;
    char type[96];
    bool is_streaming; /* its head was sent */
    bool in_chunks;
    bool is_changed;
    int64_t due_ms, called_ms; /* HELD */
    int64_t asked_ms;          /* when it was looked up last who asks */
    int64_t spoke_ms;          /* when a stream last said something */
    char *file_bytes;          /* those of its file that are being sent */
};

struct listener {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
    };
    struct loop *loop;
    bool is_socket;
    bool waits; /* somebody does, for a place among the connections */
};

/* What files below call of those above them, so that none needs each other: listen, connection, send, request,
 * loop. */
struct steps {
    void (*connect)(struct listener *listener);
    void (*headed)(struct connection *c);
    void (*piece)(struct connection *c);
    bool (*flush)(struct connection *c);
    void (*ended)(struct connection *c);
    void (*wrong)(struct connection *c, int status, const char *why);
    void (*call)(struct connection *c);
    void (*comment)(struct connection *c);
};

#define LISTENERS 16
struct loop {
    uv_loop_t uv;
    const struct steps *steps;
    const struct serve_loop_options *options;
    struct serve *serve;
    struct serve_work *work;
    uv_async_t done;
    uv_timer_t timer;
    uv_signal_t term, interrupt;
    struct listener listeners[LISTENERS];
    size_t nlisteners;
    LIST_HEAD(, connection) connections;
    size_t nconnections, most;
    int64_t idle_ms;  /* what is idle for longer gives up its place */
    size_t nworking;  /* jobs that threads have */
    int64_t stops_ms; /* when it was told to stop; 0: it was not */
    int64_t looked_ms;
    int lock; /* held for life, so that one server serves a store's socket */
    char socket[4096], url[64];
    const char *bound[2]; /* sockets that this server has made; they go with it */
    size_t nbound;
    struct serve_job looking; /* for changes */
    bool is_looking;
    int64_t version, seen; /* of the store, and what who waits was told of */
    char bytes[READ_BYTES];
};

/* listen.c */
int loop_listen(struct loop *loop, struct pingo_error *err);
void loop_listen_stop(struct loop *loop);
/* A connection has gone: who waits may come. */
void loop_listen_again(struct loop *loop);

/* connection.c: its life */
void loop_connect(struct listener *listener);
void loop_read(struct connection *c); /* go on with what the client sends */
void loop_close(struct connection *c);
void loop_begin(struct connection *c);  /* forgets the request before */
void loop_unhold(struct connection *c); /* a thread or a file has let go */
/* Looks at what takes too long. */
void loop_look(struct connection *c, int64_t now_ms);

/* request.c: uploads */
void loop_body_piece(struct connection *c);
/* Hands on what was gathered.  false: nothing is read until that is done. */
bool loop_body_flush(struct connection *c);

/* And a request, from its head to its answer. */
void loop_headed(struct connection *c);
void loop_ended(struct connection *c);
void loop_wrong(struct connection *c, int status, const char *why);
void loop_call(struct connection *c); /* its handler */
void loop_done(struct loop *loop);    /* what the threads have answered */

/* send.c: answers */
void loop_send(struct connection *c);          /* what the handler left */
bool loop_is_sent(const struct connection *c); /* all of it */
void loop_bye(struct connection *c); /* ends a stream, of events well, any other before its end */
void loop_comment(struct connection *c);

#endif
