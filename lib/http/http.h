/* http.h - requests to one server, and its replies; nothing here waits for anybody.
 *
 * A client is a queue: what is sent is worked on by drive, which the caller calls when the descriptor is readable, and
 * what came of it is taken with next.  Connections are kept.  Nothing is sent twice: whoever asks knows whether it may
 * be, and when.  What a server sends is taken as hostile: too much of it, too slowly, or less than it promised is no
 * reply.
 * Of the environment nothing counts: no proxies, no .netrc, no redirections.  One thread at a time; several clients
 * live side by side.  libcurl is loaded with the first request, so that who has no server pays nothing for it. */
#ifndef PINGO__HTTP_HTTP_H
#define PINGO__HTTP_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pingo/error.h>

struct pingo__http_client;

struct pingo__http_options { /* all of them are set */
    int64_t connect_ms;      /* until there is a connection, */
    int64_t whole_ms;        /* and until the reply is here */
    int64_t stall_ms;        /* of one with a stream instead: without a byte that moves */
    size_t max_bytes;        /* of a reply's body; and of its headers */
    unsigned connections;    /* at once */
    void (*drop)(void *own); /* of a request that close drops; may be NULL */
    const char *ca_file; /* whom TLS trusts, besides nobody; borrowed; NULL: those that the system trusts */
};

/* url: "http[s]://HOST[:PORT]" or "unix:/PATH" (a socket), and nothing behind it; *wrong: what is wrong with it,
 * static. */
bool pingo__http_url_is_valid(const char *url, const char **wrong);

/* Errors: PINGO_EINVAL (the url), PINGO_EIO (no descriptor), PINGO_ENOMEM. */
int pingo__http_open(const char *url, const struct pingo__http_options *options,
                     struct pingo__http_client **client, struct pingo_error *err);
/* What is on its way is dropped.  NULL is allowed. */
void pingo__http_close(struct pingo__http_client *client);

/* A body that goes by, however long.  Used on the thread that calls drive, until the reply is there. */
struct pingo__http_stream {
    /* The next bytes of what is sent, all in all `length`; fewer than that, or -1, end it.  NULL: nothing is. */
    ssize_t (*give)(void *context, char *bytes, size_t size);
    int64_t length;
    /* What comes with status 200, or 206; other replies are told as usual.  false: no more is wanted, which makes it
     * none.  NULL: it is told as usual. */
    bool (*take)(void *context, const char *bytes, size_t n);
    void *context;
};

struct pingo__http_request {
    const char *method; /* GET, POST, PUT, PATCH, DELETE */
    const char *path; /* with its query: begins with '/', printable ASCII without spaces; or, of another server than
                           the client's: http[s]://HOST[:PORT]/... */
    const char *const *headers; /* "Name: value", ends with NULL; NULL: none */
    const char *body;           /* NULL: none */
    size_t length;
    void *own;                               /* comes back with the reply */
    const struct pingo__http_stream *stream; /* borrowed until then; NULL: none.  With it no body. */
    bool negotiates; /* who we are is told by Kerberos, and then by a cookie */
};
/* Takes a copy.  Errors: PINGO_EINVAL (a path or a header that cannot be), PINGO_EUNSUPPORTED (libcurl cannot be
 * loaded, or lacks Kerberos), PINGO_EIO, PINGO_ENOMEM. */
int pingo__http_send(struct pingo__http_client *client, const struct pingo__http_request *request,
                     struct pingo_error *err);

enum pingo__http_result {
    PINGO__HTTP_REPLIED = 0, /* status and body */
    /* The server has not seen it. */
    PINGO__HTTP_UNSENT,
    PINGO__HTTP_UNTRUSTED, /* its certificate is not believed, nor would it be again */
    /* It may have seen it, and done it. */
    PINGO__HTTP_LOST,
    PINGO__HTTP_UNREAD /* its reply is longer than max_bytes, and would be again */
};

struct pingo__http_reply {
    void *own; /* of the request */
    enum pingo__http_result result;
    int status;       /* 200, ... */
    const char *body; /* with a NUL behind its end */
    size_t length;
    const char *location; /* where a redirection, which is not followed, leads; NULL: nowhere */
    const char *type;     /* what its body is, as Content-Type says; NULL: nothing said so */
    char message[256]; /* why there is no reply; with status 401, why no ticket was shown, if that is known */
};
/* The next that is over, in the order in which they end; false: there is none now.  *reply is good until the next
 * call. */
bool pingo__http_next(struct pingo__http_client *client, struct pingo__http_reply *reply);

/* Goes on with everything as far as that does not block. */
void pingo__http_drive(struct pingo__http_client *client);
/* Readable when drive has something to do, be it that time has passed. */
int pingo__http_poll_fd(const struct pingo__http_client *client);
/* Both, until one is over, which is taken as with next, or the time has passed: then false. */
bool pingo__http_wait(struct pingo__http_client *client, int most_ms,
                      struct pingo__http_reply *reply);
/* How many were sent and not taken with next. */
size_t pingo__http_count(const struct pingo__http_client *client);
/* A number that grows while bytes of what is being answered move, either way. */
int64_t pingo__http_moved(const struct pingo__http_client *client);

#endif
