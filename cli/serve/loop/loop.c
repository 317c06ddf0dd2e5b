/* loop.c - see loop.h: starts and stops, looks at the clock, and asks whether the store has changed. */
#include <stdlib.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/file.h"
#include "serve/loop/connection.h"
#include "serve/work/kept.h"
#include "serve/work/note.h"

#define DESCRIPTORS 26000 /* a connection takes up to two, a handle to the store some */

static const struct steps steps = {
    .connect = loop_connect,
    .headed = loop_headed,
    .piece = loop_body_piece,
    .flush = loop_body_flush,
    .ended = loop_ended,
    .wrong = loop_wrong,
    .call = loop_call,
    .comment = loop_comment,
};

static void on_done(uv_async_t *async)
{
    loop_done(async->data);
}

static void wake(void *context)
{
    uv_async_send(&((struct loop *)context)->done);
}

static void look_for_changes(struct serve_worker *worker, struct serve_job *job)
{
    struct loop *loop = (struct loop *)((char *)job - offsetof(struct loop, looking));
    loop->version = serve_kept_version(worker->serve->kept, loop->version);
}

/* Who waits for a change, and whose time has come? */
static void call_held(struct loop *loop, int64_t now_ms)
{
    bool waits = false;
    bool has_changed = !loop->is_looking && loop->version != loop->seen;
    if (has_changed)
        loop->seen = loop->version;
    /* Who is closed is in the list until on_closed() is called, from none of these. */
    for (struct connection *c = LIST_FIRST(&loop->connections); c; c = LIST_NEXT(c, all)) {
        if (c->state != SERVE_HELD && c->state != SERVE_WORK)
            continue;
        c->is_changed = c->is_changed || has_changed;
        if (c->state != SERVE_HELD) /* its answer is being written */
            continue;
        waits = waits || c->answer.on_change;
        bool is_told = c->answer.on_change && c->is_changed && now_ms - c->called_ms >= CHANGE_MS;
        /* Of what can wait no more is made than the client takes. */
        bool is_due =
            now_ms >= c->due_ms && (!c->is_streaming || c->answer.on_change || loop_is_sent(c));
        if (is_told || is_due)
            loop_call(c);
    }
    if (!waits || loop->is_looking)
        return;
    loop->looking.run = look_for_changes;
    loop->is_looking = serve_work_give(loop->work, SERVE_BY_READER, &loop->looking);
    loop->nworking += loop->is_looking;
}

static void stop_loop(struct loop *loop)
{
    uv_close((uv_handle_t *)&loop->done, NULL);
    uv_close((uv_handle_t *)&loop->timer, NULL);
    uv_close((uv_handle_t *)&loop->term, NULL);
    uv_close((uv_handle_t *)&loop->interrupt, NULL);
}

static void on_timer(uv_timer_t *timer)
{
    struct loop *loop = timer->data;
    int64_t now_ms = (int64_t)uv_now(&loop->uv);
    if (now_ms - loop->looked_ms >= SECOND_MS) {
        loop->looked_ms = now_ms;
        for (struct connection *c = LIST_FIRST(&loop->connections); c; c = LIST_NEXT(c, all))
            loop_look(c, now_ms);
        loop_listen_again(loop);
        serve_note_sums(loop->serve, false);
    }
    if (loop->stops_ms == 0) {
        call_held(loop, now_ms);
        return;
    }
    bool is_late = now_ms - loop->stops_ms > STOP_MS;
    for (struct connection *c = LIST_FIRST(&loop->connections); c; c = LIST_NEXT(c, all))
        if (is_late || (c->state == SERVE_LINGER && now_ms - c->since_ms > ROUND_MS))
            loop_close(c);
    if (LIST_EMPTY(&loop->connections) && (loop->nworking == 0 || is_late) &&
        !uv_is_closing((uv_handle_t *)timer))
        stop_loop(loop);
}

/* Nobody new; who is being answered has some time, the others none. */
static void on_signal(uv_signal_t *signal, int number)
{
    struct loop *loop = signal->data;
    (void)number;
    if (loop->stops_ms != 0)
        return;
    loop->stops_ms = (int64_t)uv_now(&loop->uv);
    loop_listen_stop(loop);
    for (struct connection *c = LIST_FIRST(&loop->connections); c; c = LIST_NEXT(c, all)) {
        bool is_idle = c->state == SERVE_HEAD && pingo__http_parser_is_idle(&c->parser);
        if (is_idle || c->state == SERVE_LINGER)
            loop_close(c);
        else if (c->state == SERVE_HELD && c->is_streaming)
            loop_bye(c);
        else if (c->state == SERVE_HELD)
            loop_send(c);
    }
    uv_timer_start(&loop->timer, on_timer, 0, ROUND_MS / 4);
}

static void raise_limit(struct loop *loop)
{
    struct rlimit limit;
    loop->most = CONNECTIONS;
    loop->idle_ms = IDLE_MS;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    if (limit.rlim_cur < DESCRIPTORS) {
        limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    size_t room = limit.rlim_cur >= 1024 ? (size_t)(limit.rlim_cur / 4 * 3 - 256) : 128;
    if (room < loop->most)
        loop->most = room;
}

static int start(struct loop *loop, struct pingo_error *err)
{
    struct serve_work_options work = {
        .serve = loop->serve, .readers = READERS, .most = WAITING, .wake = wake, .context = loop};
    int rc = uv_loop_init(&loop->uv);
    if (rc != 0)
        return pingo__fail(err, PINGO_EIO, "cannot start: %s", uv_strerror(rc));
    uv_async_init(&loop->uv, &loop->done, on_done);
    uv_timer_init(&loop->uv, &loop->timer);
    uv_signal_init(&loop->uv, &loop->term);
    uv_signal_init(&loop->uv, &loop->interrupt);
    loop->done.data = loop->timer.data = loop->term.data = loop->interrupt.data = loop;
    rc = loop_listen(loop, err);
    if (rc == 0)
        rc = serve_work_start(&work, &loop->work, err);
    if (rc != 0) {
        loop_listen_stop(loop);
        stop_loop(loop);
        return rc;
    }
    uv_timer_start(&loop->timer, on_timer, ROUND_MS, ROUND_MS);
    uv_signal_start(&loop->term, on_signal, SIGTERM);
    uv_signal_start(&loop->interrupt, on_signal, SIGINT);
    return 0;
}

int serve_loop_run(const struct serve_loop_options *options, struct pingo_error *err)
{
    struct loop *loop = calloc(1, sizeof *loop);
    if (!loop)
        return pingo__fail_memory(err);
    loop->steps = &steps;
    loop->options = options;
    loop->serve = options->serve;
    loop->lock = -1;
    raise_limit(loop);
    int rc = start(loop, err);
    if (rc == 0)
        options->listening(options->context, loop->url[0] ? loop->url : NULL, loop->socket);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    if (loop->nworking > 0) /* a thread waits for the store; what it does is whole, or not at all */
        return rc;
    serve_note_sums(loop->serve, true);
    serve_work_stop(loop->work);
    uv_loop_close(&loop->uv);
    pingo__file_close(loop->lock);
    free(loop);
    return rc;
}
