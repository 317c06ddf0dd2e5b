/* Records of ends: whole or not at all. */
#include "unit/executor/harness.h"

#include "executor/local/journal.h"
#include "executor/local/wire.h"

struct box_dir {
    char path[64];
    int fd;
    char boot[PINGO__JOURNAL_BOOT_SIZE];
    char name[160];
};

static void dir_open(struct box_dir *d)
{
    strcpy(d->path, "/tmp/pingo-journal-XXXXXX");
    assert_non_null(mkdtemp(d->path));
    d->fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(d->fd >= 0);
    assert_int_equal(pingo__journal_boot_id(d->boot), 0);
    snprintf(d->name, sizeof d->name, "journal.%s.0001.1.000001", d->boot);
}

static void dir_close(struct box_dir *d)
{
    char command[128];
    close(d->fd);
    snprintf(command, sizeof command, "rm -rf %s", d->path);
    assert_int_equal(system(command), 0);
}

static int append_to(const struct box_dir *d, const char *name)
{
    int fd = openat(d->fd, name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    return fd;
}

static struct pingo_job_end make_end(int64_t action)
{
    struct pingo_job_end end;
    memset(&end, 0, sizeof end);
    end.key = (struct pingo_job_key){action, 3};
    end.reason = PINGO_END_MEMORY_LIMIT;
    end.exit_code = 255;
    end.signal = 64;
    end.started_ms = 1700000000000;
    end.ended_ms = INT64_MAX;
    end.wall_ms = 1;
    end.user_ms = 2;
    end.system_ms = 3;
    end.max_rss_bytes = 4;
    end.output_kind = PINGO_OUTPUT_DIRECTORY;
    end.size_bytes = -1;
    memset(end.content.bytes, 0xab, sizeof end.content.bytes);
    strcpy(end.message, "why");
    return end;
}

static void test_journal__a_record_reads_back(void **state)
{
    char record[PINGO__JOURNAL_RECORD];
    struct pingo_job_end end = make_end(INT64_MIN), back;
    (void)state;
    pingo__journal_encode(&end, record);
    assert_true(pingo__journal_decode(record, &back));
    assert_memory_equal(&end, &back, sizeof end);
    for (size_t i = 0; i < sizeof record; i++) { /* each byte counts */
        record[i] ^= 1;
        assert_false(pingo__journal_decode(record, &back));
        record[i] ^= 1;
    }
}

static void test_journal__a_long_message_is_cut_between_characters(void **state)
{
    char record[PINGO__JOURNAL_RECORD];
    struct pingo_job_end end = make_end(1), back;
    (void)state;
    for (size_t i = 0; i + 2 < sizeof end.message; i += 2)
        memcpy(end.message + i, "\xc3\xa9", 3);
    pingo__journal_encode(&end, record);
    assert_true(pingo__journal_decode(record, &back));
    assert_int_equal(strlen(back.message), 118);
    assert_memory_equal(back.message, end.message, 118);
}

struct seen {
    int64_t actions[64];
    size_t n;
};

static void on_end(void *context, const struct pingo_job_end *end)
{
    struct seen *seen = context;
    assert_true(seen->n < 64);
    seen->actions[seen->n++] = end->key.action;
}

static void expect(struct pingo__journals *journals, struct seen *seen, const char *actions)
{
    char text[256] = "";
    seen->n = 0;
    assert_int_equal(pingo__journals_read(journals, on_end, seen), 0);
    for (size_t i = 0; i < seen->n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%lld ",
                 (long long)seen->actions[i]);
    assert_string_equal(text, actions);
}

static void test_journal__torn_records_are_skipped(void **state)
{
    struct box_dir d;
    struct pingo__journals journals;
    struct seen seen;
    char record[PINGO__JOURNAL_RECORD];
    struct pingo_job_end end;
    (void)state;
    dir_open(&d);
    int fd = append_to(&d, d.name);
    pingo__journals_init(&journals, d.fd, d.boot);
    assert_int_equal(pingo__journals_rescan(&journals), 0);
    expect(&journals, &seen, "");
    end = make_end(1);
    assert_int_equal(pingo__journal_append(fd, &end), 0);
    expect(&journals, &seen, "1 ");
    expect(&journals, &seen, "");
    /* Half a record: perhaps more comes. */
    end = make_end(2);
    pingo__journal_encode(&end, record);
    assert_int_equal(write(fd, record, 100), 100);
    expect(&journals, &seen, "");
    assert_int_equal(write(fd, record + 100, sizeof record - 100), (ssize_t)sizeof record - 100);
    expect(&journals, &seen, "2 ");
    /* Half a record and then others: it is skipped. */
    assert_int_equal(write(fd, record, 100), 100);
    end = make_end(3);
    assert_int_equal(pingo__journal_append(fd, &end), 0);
    expect(&journals, &seen, "3 ");
    /* A flipped byte. */
    record[50] ^= 4;
    assert_int_equal(write(fd, record, sizeof record), (ssize_t)sizeof record);
    expect(&journals, &seen, "");
    end = make_end(4);
    assert_int_equal(pingo__journal_append(fd, &end), 0);
    expect(&journals, &seen, "4 ");
    /* A long torn stretch, longer than what is read at once. */
    char *zeroes = calloc(1, 100001);
    assert_non_null(zeroes);
    assert_int_equal(write(fd, zeroes, 100001), 100001);
    free(zeroes);
    end = make_end(5);
    assert_int_equal(pingo__journal_append(fd, &end), 0);
    expect(&journals, &seen, "5 ");
    pingo__journals_clear(&journals);
    close(fd);
    dir_close(&d);
}

static void test_journal__only_those_of_this_boot_count(void **state)
{
    static const char other[] = "journal.00000000-0000-0000-0000-000000000000.0001.1.000001";
    struct box_dir d;
    struct pingo__journals journals;
    struct seen seen;
    struct pingo_job_end end = make_end(1);
    char second[200];
    (void)state;
    dir_open(&d);
    int fd = append_to(&d, other);
    assert_int_equal(pingo__journal_append(fd, &end), 0);
    close(fd);
    pingo__journals_init(&journals, d.fd, d.boot);
    assert_int_equal(pingo__journals_rescan(&journals), 0);
    expect(&journals, &seen, "");
    snprintf(second, sizeof second, "journal.%s.0002.1.000001", d.boot);
    for (int64_t i = 2; i >= 1; i--) { /* older ones are read first */
        fd = append_to(&d, i == 2 ? second : d.name);
        end = make_end(i);
        assert_int_equal(pingo__journal_append(fd, &end), 0);
        close(fd);
    }
    assert_int_equal(pingo__journals_rescan(&journals), 0);
    expect(&journals, &seen, "1 2 ");
    assert_int_equal(unlinkat(d.fd, d.name, 0), 0);
    assert_int_equal(pingo__journals_rescan(&journals), 0);
    assert_int_equal(journals.nfiles, 1);
    expect(&journals, &seen, "");
    pingo__journals_clear(&journals);
    dir_close(&d);
}

static void test_journal__jobs_read_back_from_frames(void **state)
{
    static const char *const argv[] = {"a", "", NULL}, *const env[] = {"X=1", NULL};
    static const char *const readable[] = {"/r", "/s", NULL};
    const struct pingo_hash content = {{7}};
    const struct pingo_job_link links[] = {
        {.name = "n", .target = "/t"},
        {.name = "d/o", .target = "/o", .copy = true},
        {.name = "p", .target = "/p", .copy = true, .content = &content}};
    const struct pingo_job job = {.key = {1, 2},
                                  .argv = argv,
                                  .env = env,
                                  .links = links,
                                  .nlinks = 3,
                                  .confine = true,
                                  .readable = readable,
                                  .attempt_dir = "/a",
                                  .staged_path = "/s",
                                  .output = "o",
                                  .cpus = 3,
                                  .memory_bytes = 4,
                                  .time_limit_ms = 5};
    struct pingo__buffer b;
    struct pingo__wire_frame frame;
    struct pingo__runner_job back;
    (void)state;
    pingo__buffer_init(&b);
    size_t begun = pingo__wire_begin(&b, PINGO__WIRE_START);
    pingo__wire_put_job(&b, &job);
    pingo__wire_end(&b, begun);
    for (size_t n = 0; n < b.length; n++)
        assert_int_equal(pingo__wire_next(b.data, n, &frame), 0);
    assert_int_equal(pingo__wire_next(b.data, b.length, &frame), (int64_t)b.length);
    assert_int_equal(pingo__wire_get_job(&frame.body, &back), 0);
    assert_string_equal(back.argv[0], "a");
    assert_string_equal(back.argv[1], "");
    assert_null(back.argv[2]);
    assert_string_equal(back.env[0], "X=1");
    assert_string_equal(back.links[0].target, "/t");
    assert_false(back.links[0].copy);
    assert_true(back.links[1].copy);
    assert_null(back.links[1].content);
    assert_memory_equal(back.links[2].content, &content, sizeof content);
    assert_true(back.confine);
    assert_string_equal(back.readable[1], "/s");
    assert_null(back.readable[2]);
    assert_string_equal(back.output, "o");
    assert_int_equal(back.cpus, 3);
    pingo__wire_job_clear(&back);
    /* Cut anywhere, it is refused. */
    for (size_t n = 5; n < b.length; n++) {
        char *cut = malloc(n - 5 + 1); /* of exactly that size, for the sanitizer */
        assert_non_null(cut);
        memcpy(cut, b.data + 5, n - 5);
        struct pingo__reader reader = {cut, n - 5, 0, false};
        assert_int_equal(pingo__wire_get_job(&reader, &back), PINGO_ECORRUPT);
        pingo__wire_job_clear(&back);
        free(cut);
    }
    pingo__buffer_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_journal__a_record_reads_back),
        cmocka_unit_test(test_journal__a_long_message_is_cut_between_characters),
        cmocka_unit_test(test_journal__torn_records_are_skipped),
        cmocka_unit_test(test_journal__only_those_of_this_boot_count),
        cmocka_unit_test(test_journal__jobs_read_back_from_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
