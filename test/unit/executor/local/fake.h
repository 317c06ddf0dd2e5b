/* fake.h - a local executor that is open, and a supervisor that is this test: it listens where the client looks for one,
 * reads what comes and answers what a test wants. */
#ifndef PINGO_TEST_LOCAL_FAKE_H
#define PINGO_TEST_LOCAL_FAKE_H

#include "unit/executor/harness.h"

#include <sys/socket.h>

#include "base/tree.h"
#include "executor/local/client.h"
#include "executor/local/place.h"

struct fake {
    struct box b; /* its store and pool; its helper is a script of the test's */
    struct pingo__executor_local *local;
    int dir, listener, fd; /* STORE/executor; -1: none */
    struct pingo__executor_inbox in;
    struct pingo__executor_wire_frame frame; /* that was read last */
    char logged[600];                        /* what was said last */
    size_t nlogs;
};

static inline void fake_log(void *context, const char *message)
{
    struct fake *f = context;
    f->nlogs++;
    snprintf(f->logged, sizeof f->logged, "%s", message);
}

/* What is started where nobody listens. */
static inline void fake_helper(const struct fake *f, const char *script)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", f->b.helper, PINGO__PLACE_HELPER);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    assert_true(fd >= 0);
    dprintf(fd, "#!/bin/sh\n%s\n", script);
    close(fd);
}

/* The store as an executor finds it, and not open yet. */
static inline void fake_init(struct fake *f)
{
    memset(f, 0, sizeof *f);
    f->dir = f->listener = f->fd = -1;
    box_init(&f->b);
    snprintf(f->b.helper, sizeof f->b.helper, "%s/libexec", f->b.root);
    assert_int_equal(mkdir(f->b.helper, 0755), 0);
    fake_helper(f, "echo 'nobody is to be started' >&3");
    alarm(120); /* who waits for what does not come has no end */
}

static inline void fake_listen(struct fake *f)
{
    if (f->dir < 0)
        f->dir = pingo__executor_place_open(f->b.store, true, NULL);
    f->listener = pingo__executor_place_listen(f->dir);
    assert_true(f->listener >= 0);
}

static inline void fake_open(struct fake *f)
{
    f->b.executor = f->local = box_open_executor(&f->b);
    f->local->log = (struct pingo__executor_log){fake_log, f};
    /* Who waits before it tries again waits longer than any test. */
    f->local->pauses = (struct pingo_backoff){.first_ms = 600000, .most_ms = 600000};
}

static inline int fake_set_up(void **state)
{
    static struct fake f;
    fake_init(&f);
    fake_listen(&f);
    fake_open(&f);
    *state = &f;
    return 0;
}

static inline void fake_hang_up(struct fake *f)
{
    close(f->fd);
    f->fd = -1;
    pingo__buffer_clear(&f->in.bytes);
    f->in.at = 0;
}

static inline int fake_tear_down(void **state)
{
    struct fake *f = *state;
    f->b.type->close(f->local);
    if (f->fd >= 0)
        fake_hang_up(f);
    if (f->listener >= 0)
        close(f->listener);
    if (f->dir >= 0)
        close(f->dir);
    free(f->b.ends);
    free(f->b.started);
    alarm(0);
    return pingo__tree_remove(AT_FDCWD, f->b.root);
}

/* Takes the client in, which has connected. */
static inline void fake_accept(struct fake *f)
{
    f->fd = accept4(f->listener, NULL, NULL, SOCK_CLOEXEC);
    assert_true(f->fd >= 0);
}

/* The next frame is of this kind; what it gives is good until the next call. */
static inline struct pingo__buffer_reader *fake_expect(struct fake *f,
                                                       enum pingo__executor_wire_kind kind)
{
    while (!pingo__executor_inbox_next(&f->in, &f->frame))
        assert_true(pingo__executor_inbox_fill(&f->in, f->fd, true) > 0);
    assert_int_equal(f->frame.kind, kind);
    return &f->frame.body;
}

/* Nothing more has come. */
static inline void fake_expect_silence(struct fake *f)
{
    char byte;
    assert_false(pingo__executor_inbox_next(&f->in, &f->frame));
    assert_int_equal(recv(f->fd, &byte, 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
}

static inline void fake_say(struct fake *f, enum pingo__executor_wire_kind kind, const void *body,
                            size_t n)
{
    struct pingo__buffer out = {0};
    size_t begun = pingo__executor_wire_begin(&out, kind);
    pingo__buffer_append(&out, body, n);
    pingo__executor_wire_end(&out, begun);
    assert_int_equal(send(f->fd, out.data, out.length, MSG_NOSIGNAL), out.length);
    pingo__buffer_clear(&out);
}

static inline void fake_say_keys(struct fake *f, enum pingo__executor_wire_kind kind,
                                 const int64_t *actions, size_t n)
{
    struct pingo__buffer body = {0};
    for (size_t i = 0; i < n; i++)
        pingo__runner_put_key(&body, (struct pingo_job_key){actions[i], 1});
    fake_say(f, kind, body.data, body.length);
    pingo__buffer_clear(&body);
}

static inline void fake_say_trouble(struct fake *f, enum pingo__executor_wire_trouble trouble,
                                    const char *text)
{
    struct pingo__buffer body = {0};
    pingo__buffer_u8(&body, (uint8_t)trouble);
    pingo__runner_put_text(&body, text);
    fake_say(f, PINGO__WIRE_TROUBLE, body.data, body.length);
    pingo__buffer_clear(&body);
}

static inline void fake_welcome(struct fake *f, uint32_t version, uint64_t serial)
{
    struct pingo__buffer body = {0};
    pingo__buffer_u32(&body, version);
    pingo__buffer_u64(&body, serial);
    fake_say(f, PINGO__WIRE_WELCOME, body.data, body.length);
    pingo__buffer_clear(&body);
}

/* What a frame holds first. */
static inline void fake_expect_key(struct fake *f, enum pingo__executor_wire_kind kind,
                                   int64_t action)
{
    struct pingo_job_key key = pingo__runner_get_key(fake_expect(f, kind));
    assert_int_equal(key.action, action);
    assert_int_equal(key.epoch, 1);
}

/* The client, which has something to say, connects and is welcome. */
static inline void fake_meet(struct fake *f)
{
    pingo__executor_link_advance(f->local);
    assert_int_equal(f->local->state, PINGO__LOCAL_GREETING);
    fake_accept(f);
    fake_expect(f, PINGO__WIRE_HELLO);
    fake_welcome(f, PINGO__WIRE_VERSION, 1);
    pingo__executor_link_poll(f->local);
    assert_int_equal(f->local->state, PINGO__LOCAL_UP);
}

/* Appends the end of a job to a journal, as a worker does. */
static inline void fake_end(struct fake *f, int64_t action, int exit_code)
{
    char boot[PINGO__JOURNAL_BOOT_SIZE], name[128];
    struct pingo_job_end end = {
        .size = sizeof end, .key = {action, 1}, .reason = PINGO_END_EXITED, .exit_code = exit_code};
    assert_int_equal(pingo__executor_journal_boot_id(boot), 0);
    snprintf(name, sizeof name, "journal.%s.0001.1.there.example.000001", boot);
    if (f->dir < 0)
        f->dir = pingo__executor_place_open(f->b.store, true, NULL);
    int fd = openat(f->dir, name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(pingo__executor_journal_append(fd, &end), 0);
    close(fd);
}

#endif
