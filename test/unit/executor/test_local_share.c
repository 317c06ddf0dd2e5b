/* Several clients of one supervisor; admission; hostile clients. */
#include "unit/executor/harness.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "executor/local/wire.h"

/* Each job notes when it begins and ends; the most that ran at once follows. */
#define NOTE "echo b >> ../../../../notes; sleep 0.1; echo e >> ../../../../notes; echo x > output"

static int most_at_once(const struct box *b)
{
    char path[160];
    int now = 0, most = 0, c;
    snprintf(path, sizeof path, "%s/notes", b->root);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while ((c = fgetc(file)) != EOF) {
        now += c == 'b' ? 1 : c == 'e' ? -1 : 0;
        most = now > most ? now : most;
    }
    fclose(file);
    unlink(path);
    return most;
}

static void test_local_share__slots_count_over_all_clients(void **state)
{
    struct box a, c;
    (void)state;
    box_open(&a);
    c = a;
    c.executor = box_open_executor(&c);
    for (int64_t i = 1; i <= 5; i++) {
        box_start(&a, &(struct spec){.action = i, .script = NOTE});
        box_start(&c, &(struct spec){.action = 100 + i, .script = NOTE});
    }
    box_turn(&c, 10);
    box_wait_all(&a, 5);
    box_wait_all(&c, 5);
    for (size_t i = 0; i < 5; i++) { /* each hears of its own alone */
        assert_true(a.ends[i].key.action <= 5);
        assert_true(c.ends[i].key.action > 100);
    }
    assert_int_equal(most_at_once(&a), 2);
    c.type->close(c.executor);
    free(c.ends);
    free(c.started);
    box_close(&a);
}

static void test_local_share__a_newer_client_sets_the_slots(void **state)
{
    struct box a, c;
    (void)state;
    box_open(&a);
    box_run(&a, &(struct spec){.action = 1, .script = "echo x > output"});
    c = a;
    c.ends = NULL;
    c.started = NULL;
    c.nends = c.nstarted = 0;
    c.slots = 4;
    c.executor = box_open_executor(&c);
    assert_int_equal(c.type->slots(c.executor), 4);
    for (int64_t i = 11; i <= 18; i++)
        box_start(&c, &(struct spec){.action = i, .script = NOTE});
    box_wait_all(&c, 8);
    assert_int_equal(most_at_once(&c), 4);
    c.type->close(c.executor);
    c.slots = 1;
    c.executor = box_open_executor(&c);
    for (int64_t i = 21; i <= 23; i++)
        box_start(&c, &(struct spec){.action = i, .script = NOTE});
    box_wait_all(&c, 11);
    assert_int_equal(most_at_once(&c), 1);
    c.type->close(c.executor);
    free(c.ends);
    free(c.started);
    box_close(&a);
}

static void test_local_share__cpus_and_memory_are_admitted(void **state)
{
    struct box b;
    (void)state;
    box_init(&b);
    b.slots = 4;
    b.memory_bytes = 100000000;
    b.executor = box_open_executor(&b);
    for (int64_t i = 1; i <= 4; i++)
        box_start(&b, &(struct spec){.action = i, .cpus = 2, .script = NOTE});
    box_wait_all(&b, 4);
    assert_int_equal(most_at_once(&b), 2);
    for (int64_t i = 11; i <= 14; i++)
        box_start(&b, &(struct spec){.action = i, .memory_bytes = 40000000, .script = NOTE});
    box_wait_all(&b, 8);
    assert_int_equal(most_at_once(&b), 2);
    /* More than there is: alone, and nobody overtakes it. */
    box_start(&b, &(struct spec){.action = 21, .script = NOTE});
    box_start(&b, &(struct spec){.action = 22, .cpus = 9, .script = NOTE});
    box_start(&b, &(struct spec){.action = 23, .memory_bytes = 900000000, .script = NOTE});
    box_start(&b, &(struct spec){.action = 24, .script = NOTE});
    box_wait_all(&b, 12);
    assert_int_equal(most_at_once(&b), 1);
    for (size_t i = 8; i < 12; i++) {
        assert_true(pingo_job_end_is_success(&b.ends[i]));
        assert_int_equal(b.ends[i].key.action, 13 + (int64_t)i);
    }
    box_close(&b);
}

/* The shelf: what grew goes before what came before it, in its order, and all that is freed gathers for it. */
static void test_local_share__what_grew_is_not_starved(void **state)
{
    struct box b;
    char go[160];
    (void)state;
    box_init(&b);
    b.slots = 4;
    b.memory_bytes = 100 << 20;
    b.executor = box_open_executor(&b);
    assert_int_equal(b.type->memory_most(b.executor, NULL), 100 << 20);
    for (int64_t i = 1; i <= 6; i++)
        box_start(
            &b, &(struct spec){
                    .action = i,
                    .memory_bytes = 40 << 20,
                    .script =
                        i < 3 ? "until [ -e ../../../../go ]; do sleep 0.02; done; echo x > output"
                              : NOTE});
    for (int64_t until = now_ms() + PATIENCE_MS; b.nstarted < 2 && now_ms() < until;)
        box_turn(&b, 1000);
    box_start(&b,
              &(struct spec){.action = 21, .memory_bytes = 90 << 20, .grew = true, .script = NOTE});
    box_start(&b,
              &(struct spec){.action = 22, .memory_bytes = 80 << 20, .grew = true, .script = NOTE});
    box_turn(&b, 10);
    snprintf(go, sizeof go, "%s/go", b.root);
    fclose(fopen(go, "w"));
    box_wait_all(&b, 8);
    for (size_t i = 2; i < 4; i++)
        assert_int_equal(b.ends[i].key.action, 19 + (int64_t)i);
    assert_int_equal(most_at_once(&b), 2);
    box_close(&b);
}

static void test_local_share__starts_are_told(void **state)
{
    struct box b;
    char go[200];
    (void)state;
    box_open(&b);
    box_start(&b, &(struct spec){.action = 7,
                                 .script = "until [ -e ../../../../go ]; do sleep 0.02; done; "
                                           "echo x > output"});
    for (int64_t until = now_ms() + PATIENCE_MS;
         b.nstarted == 0 && b.nends == 0 && now_ms() < until;)
        box_turn(&b, 1000);
    assert_int_equal(b.nstarted, 1);
    assert_int_equal(b.nends, 0);
    assert_int_equal(b.started[0].action, 7);
    snprintf(go, sizeof go, "%s/go", b.root);
    fclose(fopen(go, "w"));
    box_wait(&b, 7, 1);
    box_close(&b);
}

static void test_local_share__ends_are_told_until_they_are_forgotten(void **state)
{
    struct box b;
    (void)state;
    box_open(&b);
    b.remember = true;
    box_run(&b, &(struct spec){.action = 7, .script = "echo x > output"});
    size_t repeats = b.repeats;
    box_collect(&b);
    box_collect(&b);
    assert_int_equal(b.repeats, repeats + 2);
    b.type->forget(b.executor, (struct pingo_job_key){7, 1});
    box_collect(&b);
    assert_int_equal(b.repeats, repeats + 2);
    assert_int_equal(b.type->timeout_ms(b.executor), -1);
    box_close(&b);
}

static void test_local_share__a_key_is_started_once(void **state)
{
    struct box b;
    struct pingo_error err = {0};
    (void)state;
    box_open(&b);
    box_start(&b, &(struct spec){.action = 1, .script = "echo x > output"});
    assert_int_equal(
        box_try_start(&b, &(struct spec){.action = 1, .script = "echo x > output"}, &err),
        PINGO_EEXISTS);
    box_wait(&b, 1, 1);
    assert_int_equal(b.nends, 1);
    box_close(&b);
}

static void test_local_share__a_missing_helper_is_an_error(void **state)
{
    struct box b;
    struct pingo_error err = {0};
    (void)state;
    box_init(&b);
    struct pingo_executor_context context = {.version = 1,
                                             .store_dir = b.store,
                                             .store_id = "x",
                                             .pool_dir = b.pool,
                                             .helper_dir = "/nowhere"};
    assert_int_equal(b.type->open(&context, &b.executor, &err), PINGO_EEXECUTOR);
    assert_non_null(strstr(err.message, "/nowhere/pingo-supervisor"));
    box_remove(&b);
}

static void test_local_share__a_store_may_lie_deep(void **state)
{
    struct box b;
    char deep[400];
    (void)state;
    box_init(&b);
    memset(deep, 'd', sizeof deep);
    size_t n = (size_t)snprintf(deep, sizeof deep, "%s/", b.root);
    memset(deep + n, 'd', 200);
    deep[n + 200] = '\0';
    assert_int_equal(mkdir(deep, 0700), 0);
    char link[160];
    struct pingo_executor_context context = {.version = 1,
                                             .store_dir = deep,
                                             .store_id = "x",
                                             .pool_dir = b.pool,
                                             .slots = 1,
                                             .helper_dir = b.helper};
    assert_int_equal(b.type->open(&context, &b.executor, NULL), 0);
    assert_true(pingo_job_end_is_success(
        box_run(&b, &(struct spec){.action = 1, .script = "echo x > output"})));
    /* So that the harness finds the supervisor. */
    snprintf(link, sizeof link, "%s/executor", b.store);
    snprintf(deep + n + 200, sizeof deep - n - 200, "/executor");
    assert_int_equal(symlink(deep, link), 0);
    box_close(&b);
}

static int connect_raw(const struct box *b)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/executor/local.sock", b->store);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* Sends bytes and waits until the supervisor drops the connection. */
static void expect_dropped(const struct box *b, const void *bytes, size_t n)
{
    char reply[256];
    int fd = connect_raw(b);
    if (send(fd, bytes, n, MSG_NOSIGNAL) < 0)
        assert_int_equal(errno, EPIPE);
    struct pollfd polled = {fd, POLLIN, 0};
    ssize_t got;
    do {
        assert_int_equal(poll(&polled, 1, PATIENCE_MS), 1);
        got = recv(fd, reply, sizeof reply, 0);
    } while (got > 0);
    close(fd);
}

static void put_hello(struct pingo__buffer *out)
{
    const struct pingo__executor_wire_settings settings = {2, 1 << 30, 1 << 20, 100, false};
    struct pingo__executor_bounds bounds;
    size_t begun = pingo__executor_wire_begin(out, PINGO__WIRE_HELLO);
    pingo__buffer_u32(out, PINGO__WIRE_VERSION);
    pingo__executor_wire_put_settings(out, &settings);
    pingo__executor_bounds_read(&bounds);
    pingo__executor_bounds_put(out, &bounds);
    pingo__executor_wire_end(out, begun);
}

static void test_local_share__hostile_clients_are_dropped(void **state)
{
    struct box b;
    struct stat st;
    char path[160];
    struct pingo__buffer out = {0};
    unsigned seed = 99;
    (void)state;
    box_open(&b);
    box_run(&b, &(struct spec){.action = 1, .script = "echo x > output"});
    snprintf(path, sizeof path, "%s/executor/local.sock", b.store);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    expect_dropped(&b, "\xff\xff\xff\xff\x01", 5); /* too long */
    expect_dropped(&b, "\0\0\0\0\0\0\0\0", 8);     /* empty */
    expect_dropped(&b, "\x01\0\0\0\x05", 5);       /* a list before a hello */
    expect_dropped(&b, "\x03\0\0\0\x01\x01\0", 7); /* a short hello */
    for (int i = 0; i < 200; i++) {
        pingo__buffer_reset(&out);
        put_hello(&out);
        seed = seed * 1103515245 + 12345;
        size_t begun =
            pingo__executor_wire_begin(&out, (enum pingo__executor_wire_kind)(seed >> 16) % 8);
        for (unsigned k = 0; k < (seed >> 8) % 90; k++)
            pingo__buffer_u8(&out, (uint8_t)((seed = seed * 1103515245 + 12345) >> 16) % 4);
        pingo__executor_wire_end(&out, begun);
        pingo__buffer_append(&out, "\xff\xff\xff\xff\xff", 5);
        expect_dropped(&b, out.data, out.length);
    }
    pid_t before = box_supervisor(&b);
    assert_true(pingo_job_end_is_success(
        box_run(&b, &(struct spec){.action = 2, .script = "echo x > output"})));
    assert_int_equal(box_supervisor(&b), before);
    pingo__buffer_clear(&out);
    box_close(&b);
}

/* A start whose head is fine and whose rest is not: the worker refuses it and lives. */
static void test_local_share__a_malformed_job_is_refused(void **state)
{
    struct box b;
    struct pingo__buffer out = {0};
    char reply[64];
    bool found = false;
    (void)state;
    box_open(&b);
    box_run(&b, &(struct spec){.action = 1, .script = "echo x > output"});
    put_hello(&out);
    int fd = connect_raw(&b);
    assert_int_equal(send(fd, out.data, out.length, 0), (ssize_t)out.length);
    assert_true(recv(fd, reply, sizeof reply, 0) > 0); /* welcome */
    pingo__buffer_reset(&out);
    size_t begun = pingo__executor_wire_begin(&out, PINGO__WIRE_START);
    pingo__runner_put_key(&out, (struct pingo_job_key){50, 1});
    pingo__buffer_u64(&out, 1);
    pingo__buffer_u64(&out, 0);
    pingo__buffer_u64(&out, 0);
    pingo__runner_put_text(&out, "/nowhere/50.1");
    pingo__runner_put_text(&out, "/nowhere/staged");
    pingo__buffer_u8(&out, 0);
    pingo__buffer_u32(&out, 4000000000u); /* so many words of a command */
    pingo__executor_wire_end(&out, begun);
    assert_int_equal(send(fd, out.data, out.length, 0), (ssize_t)out.length);
    close(fd);
    assert_int_equal(b.type->adopt(b.executor, &(struct pingo_job_key){50, 1}, 1, &found, NULL), 0);
    assert_true(found);
    struct pingo_job_end *end = box_wait(&b, 50, 1);
    assert_int_equal(end->reason, PINGO_END_NOT_STARTED);
    assert_true(pingo_job_end_is_success(
        box_run(&b, &(struct spec){.action = 2, .script = "echo x > output"})));
    pingo__buffer_clear(&out);
    box_close(&b);
}

static void test_local_share__settings_come_while_a_job_runs(void **state)
{
    struct box a, c;
    char go[160];
    bool found = false;
    (void)state;
    box_init(&a);
    a.slots = 1;
    a.log_bytes = 5000;
    a.executor = box_open_executor(&a);
    snprintf(go, sizeof go, "%s/go", a.root);
    box_start(&a, &(struct spec){.action = 1,
                                 .script = "while [ ! -e ../../../../go ]; do sleep 0.02; done; "
                                           "echo x > output"});
    for (int64_t until = now_ms() + PATIENCE_MS; a.nstarted == 0;) {
        assert_true(now_ms() < until);
        box_turn(&a, 50);
    }
    c = a;
    c.ends = NULL;
    c.started = NULL;
    c.nends = c.nstarted = 0;
    c.log_bytes = 10;
    c.executor = box_open_executor(&c);
    box_start(
        &c, &(struct spec){.action = 2, .script = "printf 0123456789abcdef >&2; echo x > output"});
    /* The supervisor has told the worker when it answers. */
    assert_int_equal(c.type->adopt(c.executor, &(struct pingo_job_key){2, 1}, 1, &found, NULL), 0);
    close(open(go, O_WRONLY | O_CREAT, 0644));
    assert_true(pingo_job_end_is_success(box_wait(&c, 2, 1)));
    box_expect_text(&c, "attempts/2.1/stderr", "0123456789\npingo: log cut at 10 bytes\n");
    c.type->close(c.executor);
    free(c.ends);
    free(c.started);
    box_wait(&a, 1, 1);
    box_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_share__slots_count_over_all_clients),
        cmocka_unit_test(test_local_share__a_newer_client_sets_the_slots),
        cmocka_unit_test(test_local_share__cpus_and_memory_are_admitted),
        cmocka_unit_test(test_local_share__what_grew_is_not_starved),
        cmocka_unit_test(test_local_share__starts_are_told),
        cmocka_unit_test(test_local_share__ends_are_told_until_they_are_forgotten),
        cmocka_unit_test(test_local_share__a_key_is_started_once),
        cmocka_unit_test(test_local_share__a_missing_helper_is_an_error),
        cmocka_unit_test(test_local_share__a_store_may_lie_deep),
        cmocka_unit_test(test_local_share__hostile_clients_are_dropped),
        cmocka_unit_test(test_local_share__a_malformed_job_is_refused),
        cmocka_unit_test(test_local_share__settings_come_while_a_job_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
