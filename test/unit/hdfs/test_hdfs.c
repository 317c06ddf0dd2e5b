/* test_hdfs.c - files in a real HDFS, where PINGO_TEST_HDFS is its url (test/hadoop/hdfs.t); what no real one does when it is
 * told is tested by file. */
#include "unit/hdfs/served.h"

struct racer {
    pthread_t thread;
    struct pingo__hdfs *fs;
    char to[32];
    int rc;
};

static void *race(void *context)
{
    struct racer *r = context;
    r->rc = pingo__hdfs_rename(r->fs, "race/from", r->to, NULL);
    return NULL;
}

static void test_hdfs__real(void **state)
{
    enum { RACERS = 4, MANY = 1100 };
    struct racer racers[RACERS];
    struct pingo__hdfs *fs;
    struct pingo__hdfs_space space;
    struct pingo__hdfs_summary sum;
    char text[PINGO__HDFS_CHECKSUM_SIZE], again[PINGO__HDFS_CHECKSUM_SIZE], *token;
    (void)state;
    if (!getenv("PINGO_TEST_HDFS"))
        skip();
    WELL(pingo__hdfs_open(getenv("PINGO_TEST_HDFS"), NULL, &fs, err));
    pingo__tree_remove(AT_FDCWD, at("%s/%s", "tree"));
    pingo__tree_remove(AT_FDCWD, at("%s/%s", "back"));
    check_trees(fs);

    /* One of several who rename the same has it. */
    for (int round = 0; round < 5; round++) {
        put(fs, "race/from", "text");
        int won = 0;
        for (int i = 0; i < RACERS; i++) {
            racers[i] = (struct racer){.fs = fs};
            snprintf(racers[i].to, sizeof racers[i].to, "race/to.%d.%d", round, i);
            assert_int_equal(pthread_create(&racers[i].thread, NULL, race, &racers[i]), 0);
        }
        for (int i = 0; i < RACERS; i++) {
            pthread_join(racers[i].thread, NULL);
            assert_true(racers[i].rc == 0 || racers[i].rc == PINGO_ENOTFOUND);
            assert_int_equal(is_there(fs, racers[i].to), racers[i].rc == 0);
            won += racers[i].rc == 0;
        }
        assert_int_equal(won, 1);
    }

    /* More than one answer holds; gone in one go. */
    for (int i = 0; i < MANY; i++) {
        char name[32];
        snprintf(name, sizeof name, "many/%d", i);
        WELL(pingo__hdfs_make(fs, name, err));
    }
    assert_int_equal(entries(fs, "many"), MANY);
    WELL(pingo__hdfs_summary(fs, "many", &sum, err));
    assert_true(sum.directories == MANY + 1 && sum.files == 0 && sum.bytes == 0);
    WELL(pingo__hdfs_remove(fs, "many", err));
    assert_false(is_there(fs, "many"));

    put(fs, "c/1", "text");
    put(fs, "c/2", "text");
    WELL(pingo__hdfs_checksum(fs, "c/1", text, err));
    WELL(pingo__hdfs_checksum(fs, "c/2", again, err));
    assert_string_equal(text, again);
    WELL(pingo__hdfs_space(fs, "c", &space, err));
    assert_true(space.free_bytes > 0 && space.used_bytes >= 8);
    FAILS(pingo__hdfs_make(fs, "c/1/x", err), PINGO_EEXISTS, "not a directory");
    FAILS(pingo__hdfs_rename(fs, "c/2", "c/1/x", err), PINGO_EEXISTS, "not a directory");
    FAILS(pingo__hdfs_remove_empty(fs, "c", err), PINGO_EEXISTS, "not empty");
    WELL(pingo__hdfs_token(fs, "me", &token, err));
    free(token);
    WELL(pingo__hdfs_remove(fs, "c", err));
    pingo__hdfs_close(fs);
}

/* For test/hadoop/hdfs.t: one call; says what came of it. */
static int act(const char *what, const char *from, const char *to)
{
    struct pingo_error why = {0};
    struct pingo__hdfs *fs = NULL;
    const char *patience_ms = getenv("PINGO_TEST_PATIENCE_MS");
    struct pingo__hdfs_options options = {.patience_ms = patience_ms ? atoi(patience_ms) : 0};
    int rc = pingo__hdfs_open(getenv("PINGO_TEST_HDFS"), &options, &fs, &why);
    if (!rc && strcmp(what, "put") == 0)
        rc = pingo__hdfs_put_tree(fs, from, to, NULL, &why);
    else if (!rc && strcmp(what, "get") == 0)
        rc = pingo__hdfs_get_tree(fs, from, to, 0777, &why);
    for (int i = 0; !rc && strcmp(what, "move") == 0 && i < 300; i++) { /* FROM/0 to TO/0, ... */
        char a[64], b[64];
        snprintf(a, sizeof a, "%s/%d", from, i);
        snprintf(b, sizeof b, "%s/%d", to, i);
        rc = pingo__hdfs_make(fs, a, &why);
        if (!rc)
            rc = pingo__hdfs_move(fs, a, b, &why);
    }
    printf("%d %s\n", rc, rc ? why.message : "well");
    pingo__hdfs_close(fs);
    return rc != 0;
}

int main(int argc, char **argv)
{
    if (argc == 4)
        return act(argv[1], argv[2], argv[3]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hdfs__real)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
