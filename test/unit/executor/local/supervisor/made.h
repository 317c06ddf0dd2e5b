/* made.h - the inside of a supervisor, made by hand: its store and pool, its journal and its loop; jobs as they come in
 * frames; clients that are connected to it; and what its journals tell. */
#ifndef PINGO_TEST_SUPERVISOR_MADE_H
#define PINGO_TEST_SUPERVISOR_MADE_H

#include "unit/executor/harness.h"

#include <sys/wait.h>

#include "base/process.h"
#include "executor/local/place.h"
#include "executor/local/supervisor/state.h"

static struct box box;
static struct pingo__executor_supervisor s;

static inline int set_up(void **state)
{
    uv_timer_t *timers[] = {&s.bell, &s.notice, &s.idle, &s.reaper, &s.stops};
    char path[160];
    (void)state;
    memset(&s, 0, sizeof s);
    box_init(&box);
    s.store_dir = box.store;
    s.pool_dir = box.pool;
    s.lock = s.running = s.journal = s.listener = s.spare = -1;
    s.last = &s.first;
    s.settings = (struct pingo__executor_wire_settings){2, 1 << 30, 1 << 20, 100, false};
    assert_true((s.dir = pingo__executor_place_open(box.store, true, NULL)) >= 0);
    snprintf(path, sizeof path, "%s/attempts", box.pool);
    assert_true((s.attempts = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0);
    assert_int_equal(pingo__executor_journal_boot_id(s.boot), 0);
    snprintf(s.suffix, sizeof s.suffix, "%s.00000000000009.%ld.here", s.boot, (long)getpid());
    snprintf(s.running_name, sizeof s.running_name, "running.%s", s.suffix);
    s.running = openat(s.dir, s.running_name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(s.running >= 0);
    assert_int_equal(pingo__executor_ledger_open(&s), 0);
    pingo__executor_bounds_read(&s.bounds);
    assert_int_equal(uv_loop_init(&s.loop), 0);
    for (size_t i = 0; i < sizeof timers / sizeof *timers; i++) {
        uv_timer_init(&s.loop, timers[i]);
        timers[i]->data = &s;
    }
    return 0;
}

static inline void close_handle(uv_handle_t *handle, void *context)
{
    (void)context;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

static inline int tear_down(void **state)
{
    int fds[] = {s.dir, s.attempts, s.running, s.journal, s.listener, s.spare};
    struct pingo__executor_item *item;
    (void)state;
    while (s.clients) {
        struct pingo__executor_client *client = s.clients;
        s.clients = client->next;
        pingo__executor_channel_close(client->channel);
    }
    while ((item = s.first) || (item = s.ghosts)) {
        *(s.first ? &s.first : &s.ghosts) = item->next;
        pingo__executor_item_free(item);
    }
    uv_walk(&s.loop, close_handle, NULL);
    while (uv_run(&s.loop, UV_RUN_DEFAULT) != 0) /* again where it was told to stop */
        continue;
    assert_int_equal(uv_loop_close(&s.loop), 0);
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    free(s.hands);
    box_remove(&box);
    return 0;
}

/* ---- jobs --------------------------------------------------------------------------------------- */

static inline const char *attempt_of(int64_t action)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/attempts/%lld.1", box.pool, (long long)action);
    return path;
}

/* As in a START frame. */
static inline void put_job(struct pingo__buffer *out, const struct spec *spec)
{
    static const char *const env[] = {"PATH=/usr/bin:/bin", NULL};
    const char *const argv[] = {"/bin/sh", "-c", spec->script ? spec->script : ":", NULL};
    char attempt[160], staged[160];
    struct pingo_job job = {.key = {spec->action, 1},
                            .store_id = "test-store",
                            .name = "test",
                            .type = "command-line",
                            .argv = argv,
                            .env = env,
                            .output = "output",
                            .attempt_dir = attempt,
                            .staged_path = staged,
                            .cpus = spec->cpus ? spec->cpus : 1,
                            .memory_bytes = spec->memory_bytes};
    box_paths(&box, job.key, attempt, staged, sizeof attempt);
    pingo__runner_put_job(out, &job);
    assert_false(out->failed);
}

static inline void add(const struct spec *spec)
{
    struct pingo__buffer b = {0};
    put_job(&b, spec);
    struct pingo__buffer_reader body = {b.data, b.length, 0, false};
    assert_true(pingo__executor_queue_add(&s, NULL, &body, spec->grew));
    pingo__buffer_clear(&b);
}

/* A worker that runs it, without a process. */
static inline struct pingo__executor_hand *put_in_hand(size_t slot, int64_t action)
{
    struct pingo__executor_hand *hand = calloc(1, sizeof *hand);
    assert_non_null(hand);
    if (s.nhands <= slot) {
        s.hands = realloc(s.hands, (slot + 1) * sizeof(struct pingo__executor_hand *));
        assert_non_null(s.hands);
        memset(s.hands + s.nhands, 0, (slot + 1 - s.nhands) * sizeof(struct pingo__executor_hand *));
        s.nhands = slot + 1;
    }
    hand->supervisor = &s;
    hand->slot = slot;
    hand->item = pingo__executor_queue_take(&s, (struct pingo_job_key){action, 1});
    assert_non_null(hand->item);
    hand->journal = s.journal_serial;
    s.hands[slot] = hand;
    s.busy++;
    return hand;
}

static inline void take_from_hand(size_t slot)
{
    pingo__executor_item_free(s.hands[slot]->item);
    free(s.hands[slot]);
    s.hands[slot] = NULL;
    s.busy--;
}

/* Its worker died, and its family is being killed. */
static inline void make_ghost(int64_t action)
{
    struct pingo__executor_item *item =
        pingo__executor_queue_take(&s, (struct pingo_job_key){action, 1});
    assert_non_null(item);
    item->next = s.ghosts;
    s.ghosts = item;
}

/* ---- journals -------------------------------------------------------------------------------------- */

struct told_end {
    int64_t action;
    size_t n;
    struct pingo_job_end end; /* the last one */
};

static inline void on_told_end(void *context, const struct pingo_job_end *end)
{
    struct told_end *told = context;
    if (end->key.action != told->action)
        return;
    told->end = *end;
    told->n++;
}

/* How often the journals tell an end of it; the last one. */
static inline size_t ends_of(int64_t action, struct pingo_job_end *end)
{
    struct told_end told = {.action = action};
    assert_int_equal(pingo__executor_journals_scan(s.dir, on_told_end, &told), 0);
    if (end)
        *end = told.end;
    return told.n;
}

static inline bool is_in_store(const char *name)
{
    struct stat st;
    return fstatat(s.dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static inline void make_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* ---- clients --------------------------------------------------------------------------------------- */

struct peer {
    int fd;
    struct pingo__executor_inbox in;
    struct pingo__buffer out;
    size_t begun;
    bool ended; /* the supervisor has dropped it */
};

static inline void turn(void)
{
    uv_run(&s.loop, UV_RUN_NOWAIT);
}

static inline struct pingo__buffer *begin(struct peer *p, enum pingo__executor_wire_kind kind)
{
    p->begun = pingo__executor_wire_begin(&p->out, kind);
    return &p->out;
}

static inline void say(struct peer *p)
{
    pingo__executor_wire_end(&p->out, p->begun);
    ssize_t n = send(p->fd, p->out.data, p->out.length, MSG_NOSIGNAL);
    assert_true(n == (ssize_t)p->out.length || errno == EPIPE || errno == ECONNRESET);
    pingo__buffer_reset(&p->out);
}

static inline void say_key(struct peer *p, enum pingo__executor_wire_kind kind, int64_t action)
{
    pingo__runner_put_key(begin(p, kind), (struct pingo_job_key){action, 1});
    say(p);
}

/* The next frame that came.  false: none has, or it was dropped. */
static inline bool hear(struct peer *p, struct pingo__executor_wire_frame *frame)
{
    for (int i = 0; i < 10; i++) {
        turn();
        ssize_t n = p->ended ? -EAGAIN : pingo__executor_inbox_fill(&p->in, p->fd, false);
        p->ended = p->ended || (n <= 0 && n != -EAGAIN);
        if (pingo__executor_inbox_next(&p->in, frame))
            return true;
    }
    return false;
}

static inline struct pingo__buffer_reader expect(struct peer *p, enum pingo__executor_wire_kind kind)
{
    struct pingo__executor_wire_frame frame;
    assert_true(hear(p, &frame));
    assert_int_equal(frame.kind, kind);
    return frame.body;
}

static inline void expect_nothing(struct peer *p)
{
    struct pingo__executor_wire_frame frame;
    assert_false(hear(p, &frame));
    assert_false(p->ended);
}

static inline void expect_dropped(struct peer *p)
{
    struct pingo__executor_wire_frame frame;
    assert_false(hear(p, &frame));
    assert_true(p->ended);
}

static inline struct peer call_in(void)
{
    if (s.listener < 0)
        assert_true(pingo__executor_clients_listen(&s));
    struct peer p = {.fd = pingo__executor_place_connect(s.dir)};
    assert_true(p.fd >= 0);
    return p;
}

static inline void hang_up(struct peer *p)
{
    close(p->fd);
    pingo__buffer_clear(&p->in.bytes);
    pingo__buffer_clear(&p->out);
}

static inline void put_hello(struct peer *p, uint32_t version,
                             const struct pingo__executor_bounds *bounds)
{
    struct pingo__buffer *out = begin(p, PINGO__WIRE_HELLO);
    pingo__buffer_u32(out, version);
    pingo__executor_wire_put_settings(out, &s.settings);
    pingo__executor_bounds_put(out, bounds);
}

/* One that was let in. */
static inline struct peer greet(void)
{
    struct peer p = call_in();
    put_hello(&p, PINGO__WIRE_VERSION, &s.bounds);
    say(&p);
    expect(&p, PINGO__WIRE_WELCOME);
    return p;
}

/* ---- processes ------------------------------------------------------------------------------------- */

/* This program as the supervisor's: a worker, or all of it.  The system takes back what it leaves, so nobody looks for leaks. */
static inline void be_another(int argc, char **argv)
{
    if (argc == 6 && strcmp(argv[1], "--worker") == 0) {
        fcntl(3, F_SETFD, FD_CLOEXEC);
        _exit(pingo__executor_worker_main(3, argv[2], argv[3], argv[4], strtoul(argv[5], NULL, 10)));
    }
    if (argc == 4 && strcmp(argv[1], "--supervisor") == 0) {
        fcntl(3, F_SETFD, FD_CLOEXEC);
        _exit(pingo__executor_supervisor_main(argv[2], argv[3], 3));
    }
}

/* One that has our descriptor fd as its 3. */
static inline pid_t start_another(const char *const *argv, int fd)
{
    const struct pingo__process_start start = {
        .path = "/proc/self/exe",
        .argv = argv,
        .env = (const char *const *)environ,
        .fds = {PINGO__PROCESS_NULL, PINGO__PROCESS_SAME, PINGO__PROCESS_SAME, fd},
        .nfds = 4};
    pid_t pid;
    assert_int_equal(pingo__process_start(&start, &pid), 0);
    return pid;
}

static inline int exit_status(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Does a slot's note tell of this action? */
static inline bool is_noted(size_t slot, int64_t action)
{
    struct pingo_job_key key;
    return pingo__executor_running_read(s.running, slot, &key) && key.action == action;
}

#endif
