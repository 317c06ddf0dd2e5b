/* logs.c - what attempts printed: whole, its end, a range, or as it grows. */
#include "serve/api/ask.h"
#include "serve/route/routes.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"

#define UNASKED ((int64_t)1 << 20) /* no more is sent, of its end, unless a range asks for it */
#define PIECE (64 << 10)           /* of a stream, at once */
#define PAUSE_MS 250               /* until a file that did not grow is looked at again */
#define LONG_PAUSE_MS 1000         /* after so many looks in vain */
#define SILENT 8

/* Of which attempt, as a look at the store tells. */
struct log {
    struct serve_ask *ask;
    int64_t workflow, epoch; /* epoch: -1: the last one, of whoever ran the action */
    enum pingo_log_stream stream;
    char *path; /* NULL: nothing is there */
    bool is_found, is_over;
};

static int on_attempt(void *context, const struct pingo_attempt *a)
{
    struct log *log = context;
    if (a->epoch != log->epoch)
        return 0;
    log->is_found = true;
    log->is_over = a->has_ended;
    if (a->attempt_dir)
        log->path = pingo__path_child(a->attempt_dir,
                                      log->stream == PINGO_STREAM_STDERR ? "stderr" : "stdout");
    return 0;
}

static int on_action(void *context, const struct pingo_action_status *s)
{
    struct log *log = context;
    log->is_over = s->state == 0 || pingo_action_state_is_final(s->state);
    return 0;
}

/* false: there is no such action or attempt, and the answer says so. */
static bool find(struct log *log)
{
    struct serve_ask *ask = log->ask;
    struct pingo_action_name name = {log->workflow, ask->request->parts[1]};
    if (log->epoch < 0) {
        SERVE_CALL(ask, pingo_store_action, &name, on_action, log);
        SERVE_CALL(ask, pingo_store_log_path, &name, log->stream, &log->path);
    } else {
        struct pingo_attempt_query query = {
            .version = 1, .workflow = log->workflow, .action = name.action};
        SERVE_CALL(ask, pingo_store_attempts, &query, on_attempt, log);
        if (!log->is_found)
            serve_ask_refuse(ask, 404, "the action has no attempt of this number");
    }
    return !ask->is_wrong;
}

/* ---- as it grows --------------------------------------------------------------------------------- */

struct follow {
    int fd;
    int64_t from, tail, workflow; /* from -1: it begins with its tail */
    bool is_over;                 /* when the store was looked at last */
    int silent;                   /* looks that found nothing, one after the other */
};

static void drop(void *state)
{
    struct follow *f = state;
    pingo__file_close(f->fd);
    free(f);
}

static struct follow *begin(struct serve_ask *ask, int64_t workflow, int64_t from, int64_t tail)
{
    struct follow *f = calloc(1, sizeof *f);
    tail = tail < 0 || tail > UNASKED ? UNASKED : tail;
    if (f)
        *f = (struct follow){.fd = -1, .workflow = workflow, .from = from, .tail = tail};
    else
        serve_refuse(ask->answer, 503, "out of memory");
    return f;
}

/* The next bytes of the file into the answer; how many. */
static ssize_t read_piece(struct follow *f, struct serve_answer *answer)
{
    char bytes[4096];
    ssize_t n = 1, all = 0;
    while (f->fd >= 0 && n > 0 && all < PIECE) {
        n = read(f->fd, bytes, sizeof bytes);
        if (n > 0)
            pingo__buffer_append(&answer->body, bytes, (size_t)n);
        all += n > 0 ? n : 0;
    }
    return all;
}

/* Is what is followed another attempt's by now?  Then that one's is, from its beginning. */
static ssize_t read_next(struct follow *f, const char *path, struct serve_answer *answer)
{
    struct stat old, new;
    int fd = f->fd >= 0 ? serve_open(path) : -1;
    if (fd < 0)
        return 0;
    bool is_next = fstat(f->fd, &old) == 0 && fstat(fd, &new) == 0 &&
                   (old.st_ino != new.st_ino || old.st_dev != new.st_dev);
    ssize_t n = is_next ? read_piece(f, answer) : 0; /* it may have grown meanwhile */
    if (is_next && n == 0) {
        close(f->fd);
        f->fd = fd;
        return read_piece(f, answer);
    }
    close(fd);
    return n;
}

/* What says nothing for long is looked at more seldom. */
static void say_when(struct follow *f, struct serve_answer *answer, ssize_t n)
{
    f->silent = n > 0 ? 0 : f->silent + 1;
    answer->on_change = n == 0;
    answer->pause_ms = n > 0 ? 0 : f->silent <= SILENT ? PAUSE_MS : LONG_PAUSE_MS;
}

/* Of a log that is shorter than what the client has had of one, it has had nothing: it is another attempt's. */
static void find_begin(const struct follow *f)
{
    off_t size = lseek(f->fd, 0, SEEK_END), tail = size > f->tail ? size - f->tail : 0;
    lseek(f->fd, f->from < 0 ? tail : f->from <= size ? f->from : 0, SEEK_SET);
}

/* Whether it is over is asked before it is read, so that nothing of its end is missed. */
static void go_on(struct log *log, struct follow *f)
{
    struct serve_answer *answer = log->ask->answer;
    answer->state = f;
    answer->drop = drop;
    if (f->fd < 0 && (f->fd = serve_open(log->path)) >= 0)
        find_begin(f);
    ssize_t n = read_piece(f, answer);
    if (n == 0)
        n = read_next(f, log->path, answer);
    answer->type = "text/plain; charset=utf-8";
    f->is_over = log->is_over;
    answer->next = n == 0 && log->is_over ? SERVE_WHOLE : SERVE_STREAM;
    say_when(f, answer, n);
}

/* ---- the handlers -------------------------------------------------------------------------------- */

/* Of a log that is followed, where nothing has changed in the store: that is asked again once it has, and now and
 * then. */
static bool has_only_grown(const struct serve_request *request, struct serve_answer *answer)
{
    struct follow *f = request->state;
    if (!f || f->fd < 0 || request->is_changed || f->silent % SILENT == SILENT - 1)
        return false;
    answer->state = f;
    answer->drop = drop;
    answer->type = "text/plain; charset=utf-8";
    answer->next = SERVE_STREAM;
    ssize_t n = read_piece(f, answer);
    say_when(f, answer, n);
    return n > 0 || !f->is_over;
}

static void answer_log(struct serve_ask *ask, enum pingo_log_stream stream)
{
    struct log log = {.ask = ask, .stream = stream, .epoch = -1};
    struct follow *follow = ask->request->state;
    if (has_only_grown(ask->request, ask->answer))
        return;
    bool follows = serve_ask_flag(ask, "follow");
    int64_t tail = serve_ask_size(ask, "tail", -1);
    int64_t from = serve_ask_number(ask, "from", (struct serve_range){0, INT64_MAX, -1});
    if (from >= 0 && (!follows || tail >= 0))
        serve_ask_refuse(ask, 400, "from goes with follow, and without tail");
    serve_ask_private(ask);
    log.workflow = follow ? follow->workflow : serve_ask_workflow(ask);
    if (ask->request->nparts > 2)
        log.epoch = serve_ask_part(ask, 2);
    bool is_found = find(&log);
    if (is_found && follows && !follow)
        follow = begin(ask, log.workflow, from, tail);
    if (is_found && follows && follow)
        go_on(&log, follow);
    else if (is_found && !follows)
        serve_file(ask, &(struct serve_file){serve_open(log.path), UNASKED, tail,
                                             "text/plain; charset=utf-8"});
    free(log.path);
}

SERVE_HANDLER(serve_api_stdout, answer_log, PINGO_STREAM_STDOUT)
SERVE_HANDLER(serve_api_stderr, answer_log, PINGO_STREAM_STDERR)
