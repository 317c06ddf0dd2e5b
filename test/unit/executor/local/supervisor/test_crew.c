/* test_crew.c - the workers of a supervisor: hired when there is a job for them, let go when there is no slot, and what is left
 * when one dies. */
#include "unit/executor/local/supervisor/made.h"
#include "base/tree.h"
#include "unit/unread.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#define UP "echo $$ > up.tmp; mv up.tmp up; "

static int ready(void **state)
{
    set_up(state);
    s.child.data = &s;
    return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static void go_on(void)
{
    pingo__executor_crew_dispatch(&s);
    turn();
    pingo__executor_crew_on_child(&s.child, SIGCHLD);
    nap(1);
}

#define UNTIL(holds)                                                                               \
    for (int64_t until = now_ms() + PATIENCE_MS; !(holds);) {                                      \
        assert_true(now_ms() < until);                                                             \
        go_on();                                                                                   \
    }

static bool is_empty(void)
{
    for (size_t i = 0; i < s.nhands; i++)
        if (s.hands[i])
            return false;
    return true;
}

static int let_go(void **state)
{
    pingo__executor_crew_dismiss(&s);
    s.retires = true;
    UNTIL(is_empty() && !s.ghosts);
    return tear_down(state);
}

/* 0: it has not been written yet. */
static pid_t read_pid(const char *part)
{
    char *text = box_read(&box, part);
    pid_t pid = text && strchr(text, '\n') ? (pid_t)strtol(text, NULL, 10) : 0;
    free(text);
    return pid;
}

static pid_t wait_pid(const char *part)
{
    pid_t pid;
    UNTIL((pid = read_pid(part)) != 0);
    return pid;
}

/* One worker a slot, and the same for the next job. */
static void test_crew__jobs_go_to_whoever_is_free(void **state)
{
    struct pingo_job_end end;
    (void)state;
    s.settings.slots = 1;
    for (int64_t i = 1; i <= 3; i++)
        add(&(struct spec){.action = i, .script = "echo $PPID > output"});
    UNTIL(ends_of(3, &end) == 1);
    for (int64_t i = 1; i <= 3; i++) {
        assert_int_equal(ends_of(i, &end), 1);
        assert_true(pingo_job_end_is_success(&end));
    }
    char *first = box_read(&box, "staged/1.1"), *last = box_read(&box, "staged/3.1");
    assert_string_equal(first, last);
    free(first);
    free(last);
    UNTIL(s.busy == 0);
    assert_true(s.rings);
    assert_int_equal(s.nhands, 1);
    assert_null(s.hands[0]->item);
}

static struct {
    bool (*on_frame)(struct pingo__executor_channel *channel,
                     struct pingo__executor_wire_frame *frame);
    bool clears[8]; /* behind each frame */
    size_t n;
} heard;

static bool note_frame(struct pingo__executor_channel *channel,
                       struct pingo__executor_wire_frame *frame)
{
    const struct pingo__executor_hand *hand = channel->owner;
    bool is_well = heard.on_frame(channel, frame);
    assert_true(heard.n < sizeof heard.clears / sizeof *heard.clears);
    heard.clears[heard.n++] = hand->clears;
    return is_well;
}

/* What a worker still has to clear away holds up no job for which there is another slot. */
static void test_crew__who_clears_up_is_asked_last(void **state)
{
    struct pingo_job_end end;
    char go[160];
    (void)state;
    s.settings.slots = 2;
    add(&(struct spec){.action = 1,
                       .script = UP "while [ ! -e go ]; do sleep 0.01; done; echo $PPID > output"});
    wait_pid("attempts/1.1/work/up");
    heard.n = 0;
    heard.on_frame = s.hands[0]->channel->on_frame;
    s.hands[0]->channel->on_frame = note_frame;
    snprintf(go, sizeof go, "%s/attempts/1.1/work/go", box.pool);
    make_file(go, "");
    UNTIL(ends_of(1, &end) == 1 && s.busy == 0 && !s.hands[0]->clears);
    assert_int_equal(heard.n, 2);
    assert_true(heard.clears[0]);  /* it has ended, */
    assert_false(heard.clears[1]); /* and is cleared away */
    s.hands[0]->clears = true;
    add(&(struct spec){.action = 2, .script = "echo $PPID > output"});
    UNTIL(ends_of(2, &end) == 1 && s.busy == 0);
    char *first = box_read(&box, "staged/1.1"), *second = box_read(&box, "staged/2.1");
    assert_string_not_equal(first, second);
    free(first);
    free(second);
}

/* Where no other can be hired it takes the job when it is ready, and there is nothing to tell anybody. */
static void test_crew__who_clears_up_is_waited_for(void **state)
{
    struct rlimit files, none;
    (void)state;
    add(&(struct spec){.action = 1, .script = "echo $PPID > output"});
    UNTIL(s.busy == 0 && s.nhands > 0 && s.hands[0] && !s.hands[0]->clears);
    s.hands[0]->clears = true;
    add(&(struct spec){.action = 2, .script = "echo $PPID > output"});
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    none = (struct rlimit){0, files.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    pingo__executor_crew_dispatch(&s);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    assert_non_null(s.first);
    assert_string_equal(s.trouble, "");
    s.hands[0]->clears = false;
    UNTIL(ends_of(2, NULL) == 1 && s.busy == 0);
    assert_null(s.hands[1]);
}

/* Whom nobody can ask for anything any more does not try for ever. */
static void test_crew__of_a_store_that_is_gone(void **state)
{
    struct rlimit files, none;
    (void)state;
    add(&(struct spec){.action = 1});
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    none = (struct rlimit){0, files.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    pingo__executor_crew_dispatch(&s);
    assert_false(s.ending);
    assert_true(uv_is_active((uv_handle_t *)&s.reaper));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    assert_int_equal(pingo__tree_remove(AT_FDCWD, box.store), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    pingo__executor_crew_dispatch(&s);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    assert_true(s.ending);
}

/* Its family is killed before anybody hears that the job is lost, and another takes its place. */
static void test_crew__a_worker_that_dies(void **state)
{
    struct pingo_job_end end;
    (void)state;
    s.settings.slots = 1;
    add(&(struct spec){.action = 1, .script = "setsid sh -c '" UP "exec sleep 300' & wait"});
    add(&(struct spec){.action = 2, .script = "echo x > output"});
    pid_t left = wait_pid("attempts/1.1/work/up"), worker = s.hands[0]->pid;
    assert_int_equal(kill(worker, SIGKILL), 0);
    UNTIL(ends_of(1, &end) == 1);
    assert_true(is_gone(left));
    assert_int_equal(end.reason, PINGO_END_LOST);
    assert_null(s.ghosts);
    UNTIL(ends_of(2, &end) == 1);
    assert_true(pingo_job_end_is_success(&end));
    assert_int_not_equal(s.hands[0]->pid, worker);
    assert_int_equal(ends_of(1, NULL), 1);
}

/* It had recorded the end before it died: that is the end. */
static void test_crew__an_end_that_was_recorded_is_not_lost(void **state)
{
    struct pingo_job_end end;
    (void)state;
    add(&(struct spec){.action = 1});
    add(&(struct spec){.action = 2});
    assert_true(pingo__executor_ledger_record(&s, (struct pingo_job_key){1, 1}, PINGO_END_KILLED,
                                              "killed"));
    make_ghost(1);
    make_ghost(2);
    make_file(attempt_of(2), ""); /* and somebody had given this one up */
    is_away = true;
    pingo__executor_crew_on_reaper(&s.reaper);
    is_away = false;
    assert_non_null(s.ghosts); /* until it is known what is recorded */
    int journal = s.journal;
    s.journal = open("/dev/full", O_WRONLY | O_CLOEXEC);
    pingo__executor_crew_on_reaper(&s.reaper);
    assert_non_null(s.ghosts); /* until its end can be written */
    assert_true(uv_is_active((uv_handle_t *)&s.reaper));
    assert_int_equal(access(attempt_of(2), F_OK), 0);
    close(s.journal);
    s.journal = journal;
    pingo__executor_crew_on_reaper(&s.reaper);
    assert_null(s.ghosts);
    assert_int_equal(ends_of(1, &end), 1);
    assert_int_equal(end.reason, PINGO_END_KILLED);
    assert_int_equal(ends_of(2, &end), 1);
    assert_int_equal(end.reason, PINGO_END_LOST);
    assert_int_equal(access(attempt_of(2), F_OK), -1);
}

/* Whoever waits for its end hears it, and the mark goes only then. */
static void test_crew__what_was_given_up(void **state)
{
    struct pingo_job_end end;
    (void)state;
    make_file(attempt_of(1), "");
    add(&(struct spec){.action = 1, .script = "echo x > output"});
    UNTIL(ends_of(1, &end) == 1);
    assert_int_equal(end.reason, PINGO_END_NOT_STARTED);
    assert_int_equal(access(attempt_of(1), F_OK), -1);
    assert_int_equal(s.busy, 0);
    assert_int_equal(box_count(&box, "staged"), 0);
}

static void test_crew__nothing_starts_when_it_makes_way(void **state)
{
    (void)state;
    add(&(struct spec){.action = 1});
    s.retires = true;
    pingo__executor_crew_dispatch(&s);
    s.retires = false;
    s.ending = true;
    pingo__executor_crew_dispatch(&s);
    s.ending = false;
    assert_non_null(s.first);
    assert_int_equal(s.nhands, 0);
}

/* Fewer slots: who is idle beyond them goes, who runs something stays until it is done. */
static void test_crew__fewer_slots(void **state)
{
    char go[160];
    (void)state;
    s.settings.slots = 3;
    snprintf(go, sizeof go, "%s/go", box.root);
    for (int64_t i = 1; i <= 3; i++)
        add(&(struct spec){.action = i,
                           .script = i == 2 ? "while [ ! -e ../../../../go ]; do sleep 0.01; done"
                                            : UP "while [ ! -e ../up ]; do sleep 0.01; done"});
    pingo__executor_crew_dispatch(&s);
    assert_int_equal(s.busy, 3);
    for (int64_t i = 1; i <= 3; i += 2) {
        char up[160];
        snprintf(up, sizeof up, "attempts/%lld.1/work/up", (long long)i);
        wait_pid(up);
        snprintf(up, sizeof up, "%s/up", attempt_of(i));
        make_file(up, "");
    }
    UNTIL(s.busy == 1);
    s.settings.slots = 1;
    pingo__executor_crew_configure(&s);
    UNTIL(!s.hands[2]);
    assert_non_null(s.hands[0]);
    assert_non_null(s.hands[1]->item);
    make_file(go, "");
    UNTIL(ends_of(2, NULL) == 1);
    add(&(struct spec){.action = 4, .script = "echo x > output"});
    UNTIL(ends_of(4, NULL) == 1);
    assert_null(s.hands[1]->item);
}

/* A command can stop its worker, which would then look after nothing: it goes on, and clients hear of it. */
static void test_crew__a_worker_that_was_stopped(void **state)
{
    struct peer p = greet();
    struct pingo__executor_wire_frame frame = {0};
    (void)state;
    add(&(struct spec){.action = 1, .script = "kill -STOP $PPID; echo x > output"});
    UNTIL(s.nhands > 0 && s.hands[0] && s.hands[0]->stopped);
    assert_true(uv_is_active((uv_handle_t *)&s.stops));
    uv_timer_start(&s.stops, s.stops.timer_cb, 0, 1); /* now */
    UNTIL(hear(&p, &frame) && frame.kind == PINGO__WIRE_TROUBLE);
    assert_int_equal(pingo__buffer_read_u8(&frame.body), PINGO__TROUBLE_NOTE);
    assert_non_null(strstr(pingo__runner_get_text(&frame.body), "attempt 1.1, was stopped"));
    UNTIL(ends_of(1, NULL) == 1);
    assert_false(s.hands[0]->stopped);
    hang_up(&p);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_crew__##name, ready, let_go)
    const struct CMUnitTest tests[] = {
        TEST(jobs_go_to_whoever_is_free),
        TEST(who_clears_up_is_asked_last),
        TEST(who_clears_up_is_waited_for),
        TEST(of_a_store_that_is_gone),
        TEST(a_worker_that_dies),
        TEST(an_end_that_was_recorded_is_not_lost),
        TEST(what_was_given_up),
        TEST(nothing_starts_when_it_makes_way),
        TEST(fewer_slots),
        TEST(a_worker_that_was_stopped),
    };
    be_another(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
