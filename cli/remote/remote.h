/* remote.h - pingo --server: the commands that work over the API of pingo serve, pingo-api(7).
 *
 * What a server answers is taken as hostile: read strictly, by the tables of the views, into the structs that the
 * library would have told, and printed by the same views.  What did not get an answer is asked again where that is
 * safe. */
#ifndef CLI_REMOTE_REMOTE_H
#define CLI_REMOTE_REMOTE_H

#include "answer.h"
#include "base/arena.h"
#include "http/http.h"
#include "json/reader.h"
#include "select.h"

struct cli_remote {
    struct cli *cli;
    const struct cli_args *args;
    const char *where; /* the server, as it was named */
    bool is_socket;    /* of this machine */
    struct pingo__http_client *client;
    const char *authorization; /* a header; NULL: none */
    bool has_answered;         /* once */
    bool follows;              /* what is silent for a minute is given up, with PINGO_EAWAY */
    int64_t moved, moved_ms;   /* bytes so far, and when the last of them did */
    int refused; /* the status by which pingo serve refused the last request; 0: it did not */
    struct pingo__http_reply reply;       /* the last answer, good until the next one */
    struct pingo__json_reader reader;     /* of it */
    struct pingo__arena arena;            /* of its rows */
    const struct pingo__json_value *root; /* of it; NULL: nothing is open */
    struct pingo__json_reader kept; /* of an answer whose row is used while others are asked for */
    struct pingo__arena kept_arena;
};

/* Is a server meant, by --server or PINGO_SERVER, and does the command ask one?  *rc: CLI_OK, or the exit status after
 * a message: then it is not to be run.  where: the server. */
bool cli_remote_is_meant(struct cli *cli, const struct cli_args *args, const char **where, int *rc);
/* Runs a command there. */
int cli_remote_run(struct cli *cli, const struct cli_args *args, const char *where);
/* Calls run with a connection, and returns what it does. */
int cli_remote_with(struct cli *cli, const struct cli_args *args, const char *where,
                    int (*run)(struct cli *cli, const struct cli_args *args));

/* ---- remote.c: requests ---- */

/* A connection, of which cli, args and where are set.  0 or a PINGO_E* in cli->err; close it in each case. */
int cli_remote_open(struct cli_remote *r);
void cli_remote_close(struct cli_remote *r);

struct cli_ask {
    const char *method; /* NULL: GET */
    const char *path;   /* from cli_remote_path() */
    const char *header; /* one more; NULL */
    const char *body;   /* JSON; NULL: none */
    size_t *rewind;     /* set to 0 before each try; NULL */
    bool is_safe;       /* a POST that may be sent again */
    const struct pingo__http_stream *stream;
    const struct pingo_error *wrong; /* why its taker wants no more; NULL, or code 0: it does */
    bool is_raw;                     /* the answer is no JSON */
    const struct pingo__view_table *view; /* of which the answer is a row; NULL: of none */
    void *row;                            /* where it goes */
};
/* A path by a format in which %s is a text, which is escaped, and %d an int64_t.  It stays until the program ends. */
char *cli_remote_path(const char *format, ...);
char *cli_remote_path_of(const char *format, va_list *args);
/* Behind it "?name=value" or "&name=value", escaped; nothing where value is NULL. */
void cli_remote_query(char **path, const char *name, const char *value);
/* A number likewise, and a time, of which nothing is put where it is 0. */
void cli_remote_query_number(char **path, const char *name, int64_t number);
void cli_remote_query_time(char **path, const char *name, int64_t time_ms);
/* Those of the options "a|b*" that were given, of b all of them; "min-size" is minSize there, and a flag is true. */
void cli_remote_query_options(struct cli_remote *r, char **path, const char *options);
/* The answer is in reply, its JSON in reader and root.  0 or a PINGO_E* in cli->err. */
int cli_remote_ask(struct cli_remote *r, const struct cli_ask *ask);
/* A document, as a row of a view; its path as cli_remote_path() takes it. */
int cli_remote_get(struct cli_remote *r, const struct pingo__view_table *view, void *row,
                   const char *path, ...);
/* The row that was read last stays, until another one is to stay. */
void cli_remote_keep(struct cli_remote *r);
/* Several requests at once, until all are over or a signal came. */
int cli_remote_send(struct cli_remote *r, const struct cli_ask *ask);
int cli_remote_take(struct cli_remote *r);
/* A tenth of a second of it, at most: whether one is over, into reply.  What a proxy answers in the server's stead is
 * no answer. */
int cli_remote_look(struct cli_remote *r, bool *is_over);
/* A text into reader and root, as that of an answer. */
int cli_remote_read(struct cli_remote *r, const char *text, size_t length);
/* Does it ask us to come later: the server, or a proxy that lets nobody ask often? */
bool cli_remote_is_busy(const struct pingo__http_reply *reply);
/* What an answer other than 2xx says, into cli->err: its PINGO_E*. */
int cli_remote_refused(struct cli_remote *r);
/* That it is none that could be read (rc: of the reader), or that none came, likewise. */
int cli_remote_misread(struct cli_remote *r, int rc);
int cli_remote_unanswered(struct cli_remote *r);

/* Is a server asked again that does not answer (rc), or asks us to come later?  One that answered before is, for a
 * minute; *gone_ms: since when it does not. */
bool cli_remote_is_asked_again(const struct cli_remote *r, int rc, int64_t *gone_ms);

/* A server that answers at once, though it was asked to wait, is not asked without a pause; less, where a signal
 * comes.  monotonic. */
void cli_remote_pause_until(int64_t due_ms);

/* ---- lists.c ---- */

/* Each row of a list in pages, of which the path is without limit and cursor.  list: whose limit, after and next hold.
 * fn: other than 0 ends it, with that. */
typedef int (*cli_remote_fn)(void *context, const void *row);
struct cli_remote_list {
    const char *path;
    const struct pingo__view_table *view;
    cli_remote_fn fn;
    void *context;
    struct cli_answer *answer;
    bool is_whole; /* the list comes in one piece */
};
int cli_remote_each(struct cli_remote *r, const struct cli_remote_list *list);

/* May it stand in a path as it is?  What is empty, or could be read as more than one part, may not. */
bool cli_remote_fits(const char *word);
/* A workflow by its number, or the last one.  0 or a PINGO_E* in cli->err. */
int cli_remote_workflow(struct cli_remote *r, const char *word, struct pingo__view_workflow *row);
/* What names an action, as a path may say it: *word is its id where its name can be no part of a path.  0 or a PINGO_E*
 * in cli->err. */
int cli_remote_action(struct cli_remote *r, int64_t workflow, const char **word);
/* The rows of a list, into an answer that is begun (cli_pages(); is_whole: cli_list()). */
int cli_remote_tell(struct cli_remote *r, const char *path, struct cli_answer *a, bool is_whole);

/* Prints what a server answers as it came, if it is JSON that is asked for: an exit status. */
int cli_remote_document(struct cli_remote *r, const char *path);

/* ---- who.c ---- */

/* The token of the environment into authorization, where the server is none of this machine's sockets.  0 or a PINGO_E*
 * in cli->err. */
int cli_remote_token(struct cli_remote *r, const char *url);
/* Who may have signed the certificate of a server: a file, borrowed; *file NULL: those whom the system trusts.
 * Likewise. */
int cli_remote_authority(struct cli_remote *r, const char *url, const char **file);

/* ---- rows.c ---- */
/* Reads an object into a row of a view; texts are borrowed from the reader, lists from the arena.  What is not in it is
 * unknown.  false: it is not what the view says, and the reader tells why. */
bool cli_remote_row(struct cli_remote *r, const struct pingo__json_value *object,
                    const struct pingo__view_table *view, void *row);

/* ---- submit.c ---- */
/* Submits an operand, as the options say; warnings are told.  An exit status. */
int cli_remote_submit(struct cli_remote *r, const char *operand,
                      struct pingo_submission *submission);
/* What would become of a document; *plan stays until the next request.  fn: other than 0 ends it.  Likewise. */
int cli_remote_plan(struct cli_remote *r, const struct cli_document *document, pingo_planned_fn fn,
                    void *context, struct pingo__view_plan *plan);

/* ---- what is done elsewhere in another way: exit statuses, but for that of export ---- */
int cli_remote_rerun(struct cli_remote *r);
int cli_remote_follow(struct cli_remote *r);
/* The logs of an action, of which this is the path, or the script.  wanted: standard output, standard error. */
int cli_remote_logs(struct cli_remote *r, const char *action, const bool wanted[2], bool *shown);
int cli_remote_script(struct cli_remote *r, const char *action);
/* As pingo_store_export(), but for links and templates. */
int cli_remote_export(struct cli_remote *r, const struct cli_selection *meant,
                      const char *directory, const struct pingo_export_options *options);

/* untar.c: unpacks a file that a server sent into a new directory at an absolute path, below which everything stays: no
 * "..", no link that leads out, no devices.  Errors: PINGO_EIO (also where it is no such archive), PINGO_ENOSPACE; what
 * was unpacked is the caller's to remove. */
int cli_remote_untar(int fd, const char *path, struct pingo_error *err);

#endif
