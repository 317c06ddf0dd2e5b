/* Records of ends: whole or not at all. */
#include "unit/executor/harness.h"

#include "executor/local/journal.h"
#include "unit/unread.h"

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
    assert_int_equal(pingo__executor_journal_boot_id(d->boot), 0);
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
    struct pingo_job_end end = {.size = sizeof end};
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

static void expect(struct pingo__executor_journals *journals, struct seen *seen, const char *actions)
{
    char text[256] = "";
    seen->n = 0;
    assert_int_equal(pingo__executor_journals_read(journals, on_end, seen), 0);
    for (size_t i = 0; i < seen->n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%lld ",
                 (long long)seen->actions[i]);
    assert_string_equal(text, actions);
}

static void test_journal__torn_records_are_skipped(void **state)
{
    struct box_dir d;
    struct pingo__executor_journals journals;
    struct seen seen;
    char record[PINGO__RUNNER_OUTCOME_SIZE];
    struct pingo_job_end end;
    (void)state;
    dir_open(&d);
    int fd = append_to(&d, d.name);
    assert_int_equal(pingo__executor_journals_init(&journals, d.fd), 0);
    assert_int_equal(pingo__executor_journals_rescan(&journals), 0);
    expect(&journals, &seen, "");
    end = make_end(1);
    assert_int_equal(pingo__executor_journal_append(fd, &end), 0);
    expect(&journals, &seen, "1 ");
    expect(&journals, &seen, "");
    /* Half a record: perhaps more comes. */
    end = make_end(2);
    pingo__runner_outcome_encode(&end, record);
    assert_int_equal(write(fd, record, 100), 100);
    expect(&journals, &seen, "");
    assert_int_equal(write(fd, record + 100, sizeof record - 100), (ssize_t)sizeof record - 100);
    expect(&journals, &seen, "2 ");
    /* Half a record and then others: it is skipped. */
    assert_int_equal(write(fd, record, 100), 100);
    end = make_end(3);
    assert_int_equal(pingo__executor_journal_append(fd, &end), 0);
    expect(&journals, &seen, "3 ");
    /* A flipped byte. */
    record[50] ^= 4;
    assert_int_equal(write(fd, record, sizeof record), (ssize_t)sizeof record);
    expect(&journals, &seen, "");
    end = make_end(4);
    assert_int_equal(pingo__executor_journal_append(fd, &end), 0);
    expect(&journals, &seen, "4 ");
    /* A long torn stretch, longer than what is read at once. */
    char *zeroes = calloc(1, 100001);
    assert_non_null(zeroes);
    assert_int_equal(write(fd, zeroes, 100001), 100001);
    free(zeroes);
    end = make_end(5);
    assert_int_equal(pingo__executor_journal_append(fd, &end), 0);
    expect(&journals, &seen, "5 ");
    pingo__executor_journals_clear(&journals);
    close(fd);
    dir_close(&d);
}

static void test_journal__only_those_of_this_boot_count(void **state)
{
    static const char other[] = "journal.00000000-0000-0000-0000-000000000000.0001.1.000001";
    struct box_dir d;
    struct pingo__executor_journals journals;
    struct seen seen;
    struct pingo_job_end end = make_end(1);
    char second[200];
    (void)state;
    dir_open(&d);
    int fd = append_to(&d, other);
    assert_int_equal(pingo__executor_journal_append(fd, &end), 0);
    close(fd);
    assert_int_equal(pingo__executor_journals_init(&journals, d.fd), 0);
    assert_int_equal(pingo__executor_journals_rescan(&journals), 0);
    expect(&journals, &seen, "");
    snprintf(second, sizeof second, "journal.%s.0002.1.000001", d.boot);
    for (int64_t i = 2; i >= 1; i--) { /* older ones are read first */
        fd = append_to(&d, i == 2 ? second : d.name);
        end = make_end(i);
        assert_int_equal(pingo__executor_journal_append(fd, &end), 0);
        close(fd);
    }
    assert_int_equal(pingo__executor_journals_rescan(&journals), 0);
    expect(&journals, &seen, "1 2 ");
    assert_int_equal(unlinkat(d.fd, d.name, 0), 0);
    assert_int_equal(pingo__executor_journals_rescan(&journals), 0);
    assert_int_equal(journals.nfiles, 1);
    expect(&journals, &seen, "");
    pingo__executor_journals_clear(&journals);
    dir_close(&d);
}

/* What was not seen is not known to be gone, nor not to have ended. */
static void test_journal__a_directory_that_cannot_be_read_is_no_empty_one(void **state)
{
    struct box_dir d;
    struct pingo__executor_journals journals;
    struct seen seen;
    struct pingo_job_end end = make_end(1);
    bool found;
    (void)state;
    dir_open(&d);
    int fd = append_to(&d, d.name);
    assert_int_equal(pingo__executor_journal_append(fd, &end), 0);
    close(fd);
    assert_int_equal(pingo__executor_journals_init(&journals, d.fd), 0);
    assert_int_equal(pingo__executor_journals_rescan(&journals), 0);
    expect(&journals, &seen, "1 ");
    is_away = true;
    assert_int_equal(pingo__executor_journals_rescan(&journals), PINGO_EIO);
    assert_int_equal(pingo__executor_journals_find(d.fd, end.key, &found), PINGO_EIO);
    is_away = false;
    expect(&journals, &seen, ""); /* it was read before */
    pingo__executor_journals_clear(&journals);
    dir_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_journal__torn_records_are_skipped),
        cmocka_unit_test(test_journal__only_those_of_this_boot_count),
        cmocka_unit_test(test_journal__a_directory_that_cannot_be_read_is_no_empty_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
