/* inside.h - what the files of this folder share: a file system's NameNodes, and questions to them. */
#ifndef PINGO__HDFS_INSIDE_H
#define PINGO__HDFS_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "hdfs/hdfs.h"
#include "http/http.h"
#include "json/reader.h"

#define PINGO__HDFS_PATH_MOST 8000 /* bytes; HDFS's own limits, as the next ones */
#define PINGO__HDFS_NAME_MOST 255
#define PINGO__HDFS_DEPTH_MOST 1000

struct pingo__hdfs_line; /* a connection, idle or in somebody's hand */

struct pingo__hdfs {
    struct pingo__hdfs_place place;
    char *url, *root, *token,
        *ca_file; /* root: the path, without a slash at its end; "": all of it */
    const struct pingo__world *world;
    int64_t patience_ms;
    int (*guard)(void *context, struct pingo_error *err);
    void *guard_context;
    struct pingo__http_options http;
    atomic_uint serving; /* who of the servers answered last */
    atomic_bool negotiates, stopped;
    atomic_bool hurries, has_hurried; /* has_hurried: and a question was given up since */
    bool shares_outages;
    atomic_bool is_away;  /* somebody has waited in vain; then */
    pthread_mutex_t lock; /* of the next */
    struct pingo_error why;
    bool is_probed;    /* somebody asks */
    int64_t probed_ms; /* and when he did last */
    struct pingo__hdfs_line *idle;
};

/* ---- names ------------------------------------------------------------------------------------- */

/* NULL: HDFS can hold an entry of this name, or one at this absolute path; else why not, static. */
const char *pingo__hdfs_name_fault(const char *name, size_t n);
const char *pingo__hdfs_path_fault(const char *path);
/* As it stands in an url: all but letters, digits and "-._~/" by their bytes. */
void pingo__hdfs_encode(struct pingo__buffer *to, const char *text);

/* ---- questions --------------------------------------------------------------------------------- */

struct pingo__hdfs_question {
    const char *method, *path; /* absolute */
    const char *query;         /* op=..., encoded */
    bool changes;              /* it is not asked again where no answer came */
};

struct pingo__hdfs_answer {
    int status;                /* 200..., 307; 0: none came */
    bool lost;                 /* it may have been heard */
    struct pingo__buffer body; /* ends with a NUL */
    char *location;
    char no_ticket[256]; /* why none was shown; "": one was, or it is not known */
};
void pingo__hdfs_answer_clear(struct pingo__hdfs_answer *a);

/* Whoever of the NameNodes serves is asked.  An error, too, where it refuses.  Clear the answer in each case. */
int pingo__hdfs_ask(struct pingo__hdfs *fs, const struct pingo__hdfs_question *q,
                    struct pingo__hdfs_answer *a, struct pingo_error *err);
/* Once, to whomever a NameNode's answer leads: a DataNode.  PINGO_EAWAY where no answer came. */
int pingo__hdfs_follow(struct pingo__hdfs *fs, const struct pingo__http_request *request,
                       struct pingo__hdfs_answer *a, struct pingo_error *err);
/* What a query begins with; NULL: no memory.  Free it. */
char *pingo__hdfs_query(const char *op, const char *key, const char *value);

/* ---- bytes -------------------------------------------------------------------------------------- */

/* Where the bytes of a file come from: memory, or a descriptor whose bytes from 0 on are read. */
struct pingo__hdfs_source {
    const char *bytes;
    int fd;
    int64_t length;
    unsigned mode;
};
/* Under this name itself, which must be nobody else's: what a try left there is removed. */
int pingo__hdfs_upload(struct pingo__hdfs *fs, const char *name,
                       const struct pingo__hdfs_source *source, struct pingo_error *err);
/* All bytes of the range, in their order; take returns 0 or a PINGO_E*. */
struct pingo__hdfs_sink {
    int (*take)(void *context, const char *bytes, size_t n);
    void *context;
};
int pingo__hdfs_download(struct pingo__hdfs *fs, const char *name, struct pingo__hdfs_range range,
                         const struct pingo__hdfs_sink *sink, struct pingo_error *err);
/* A name beside this one that nobody else has.  Yours; NULL: no memory. */
char *pingo__hdfs_beside(const char *path);
/* Before something is tried again, each time longer; *next_ms: 0 at first.  Ends early where calls are to stop. */
void pingo__hdfs_pause(struct pingo__hdfs *fs, int64_t *next_ms);

/* ---- answers, pure ------------------------------------------------------------------------------ */

/* NULL: it is no JSON object, or there is no memory.  The text stays until j is cleared. */
const struct pingo__json_value *pingo__hdfs_json_open(struct pingo__json_reader *j,
                                                      const struct pingo__buffer *text);
/* -1: no number from 0 on. */
int64_t pingo__hdfs_json_number(struct pingo__json_reader *j, const struct pingo__json_value *v,
                                const char *keys);
/* false: it is no status of anything. */
bool pingo__hdfs_json_status(struct pingo__json_reader *j, const struct pingo__json_value *v,
                             struct pingo__hdfs_status *status);

enum pingo__hdfs_refusal {
    PINGO__HDFS_FINAL,   /* rc says what it is */
    PINGO__HDFS_STANDBY, /* another one may serve */
    PINGO__HDFS_LATER    /* safe mode, just starting, a DataNode that reaches no NameNode */
};
/* What a status from 400 on means: *rc, and a text of one line in why. */
enum pingo__hdfs_refusal pingo__hdfs_refused(const struct pingo__hdfs_answer *a, int *rc,
                                             char why[512]);
/* It was answered, and not as WebHDFS does: PINGO_EIO. */
int pingo__hdfs_not_understood(const char *path, struct pingo_error *err);

#endif
