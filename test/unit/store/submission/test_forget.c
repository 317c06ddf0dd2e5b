/* test_forget.c - what a person wrote goes with the last submission that has it; what others have stays. */
#include "unit/store/rows.h"

#include "store/submission/forget.h"

#define L ",'labels':{'k':'v'}"
/* Two submissions of one text, and one of another that has a1 as well. */
static struct box *three(void)
{
    struct box *b = box_new();

    box_submit(b, W(A(1, L) "," A(2, P(FROM(1)))));
    box_submit(b, W(A(1, L) "," A(2, P(FROM(1)))));
    box_submit(b, W(A(1, "") "," A(3, "")));
    return rows_begin(b);
}

static int64_t documents(struct box *b)
{
    struct pingo_error err;
    int64_t n = -1;

    well(pingo__store_forget_documents(&b->store->db, &n, &err), &err);
    return n;
}

static int64_t shares(struct box *b, int64_t workflow)
{
    struct pingo_error err;
    int64_t other = -1;

    well(pingo__store_forget_shares(&b->store->db, workflow, &other, &err), &err);
    return other;
}

static void test_forget__a_text_goes_with_its_last_submission(void **state)
{
    struct box *b = three();
    struct pingo_error err;

    UNUSED(state);
    rows_run(b, "UPDATE action SET message = 'secret'");
    rows_run(b, "UPDATE workflow SET tag = 'secret'");
    assert_int_equal(documents(b), 0);
    assert_int_equal(shares(b, 1), 2);
    well(pingo__store_forget_workflow(&b->store->db, 1, &err), &err);
    assert_int_equal(box_int(b, "SELECT count(*) FROM workflow WHERE tag IS NULL"), 1);
    assert_int_equal(
        box_int(b, "SELECT count(*) FROM action WHERE workflow = 1 AND message IS NOT NULL"), 0);
    assert_int_equal(documents(b), 0); /* the second has it, too */
    assert_int_equal(shares(b, 1), 2);
    assert_int_equal(shares(b, 2), 2);
    well(pingo__store_forget_workflow(&b->store->db, 2, &err), &err);
    assert_int_equal(shares(b, 1), 0);
    assert_int_equal(documents(b), 1);
    assert_int_equal(documents(b), 0); /* once */
    assert_int_equal(box_int(b, "SELECT count(*) FROM document WHERE length(text) > 0"), 1);
    assert_int_equal(box_int(b, "SELECT count(*) FROM document WHERE name = '(forgotten)'"), 1);
    assert_int_equal(box_int(b, "SELECT count(*) FROM label"), 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM node WHERE name = 'a2'"), 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM node WHERE name = 'a3'"), 1);
    rows_close(b);
}

/* Of others the submission is looked at, not the text. */
static void test_forget__costs_the_same_among_many_texts(void **state)
{
    struct box *b = three();
    struct pingo_error err;

    UNUSED(state);
    int changes = sqlite3_total_changes(b->store->db.sqlite);
    well(pingo__store_forget_workflow(&b->store->db, 3, &err), &err);
    /* Its actions, which say nothing, are not written. */
    assert_int_equal(sqlite3_total_changes(b->store->db.sqlite) - changes, 1);
    assert_int_equal(documents(b), 1);
    int64_t before = box_steps(b);
    assert_int_equal(documents(b), 0);
    int64_t few = box_steps(b) - before;
    rows_run(b, "WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < 1000)"
                " INSERT INTO document(digest, base_dir, name, nactions, text)"
                " SELECT randomblob(32), '', '', 0, x'00' FROM i;"
                "INSERT INTO graph(document, originals, plain) SELECT id, randomblob(32), 1"
                " FROM document WHERE name = '';"
                "INSERT INTO workflow(graph, state, user, priority, submitted_ms, unfinished,"
                " ncompute, nreuse, njoin, nskip) SELECT id, 2, '', 0, 0, 0, 0, 0, 0, 0"
                " FROM graph WHERE document > 2");
    before = box_steps(b);
    assert_int_equal(documents(b), 0);
    assert_true(box_steps(b) - before <= few + 50 * 1000);
    rows_close(b);
}

/* How many hashes nothing else needs; *hash: one of them. */
static size_t unneeded(struct box *b, struct pingo_hash *hash)
{
    struct pingo__arena arena = {0};
    struct pingo__store_hash_list list = {.arena = &arena};
    struct pingo_error err;

    well(pingo__store_forget_list(&b->store->db, &list, &err), &err);
    if (list.n)
        *hash = list.rows[0];
    pingo__arena_clear(&arena);
    return list.n;
}

static void test_forget__hashes_that_nothing_needs(void **state)
{
    struct box *b = three();
    struct pingo_hash second = box_hash(b, 1, 2), hash;
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_forget_workflow(&b->store->db, 1, &err), &err);
    assert_int_equal(unneeded(b, &hash), 0);
    well(pingo__store_forget_workflow(&b->store->db, 2, &err), &err);
    assert_int_equal(unneeded(b, &hash), 1); /* the third has a1 as well */
    assert_memory_equal(&hash, &second, sizeof hash);
    rows_run(b, "UPDATE definition SET forgotten = 1 WHERE hash = (SELECT hash FROM node WHERE"
                " name = 'a2' LIMIT 1)");
    assert_int_equal(unneeded(b, &hash), 0);
    rows_close(b);
}

static void test_forget__a_description_is_replaced_once(void **state)
{
    struct box *b = three();
    struct pingo_hash hash = box_hash(b, 1, 1);
    const struct pingo__store_bytes bare = {"bare", 4};
    struct pingo_error err;
    bool is_new = false;

    UNUSED(state);
    well(pingo__store_forget_definition(&b->store->db, &hash, &bare, &is_new, &err), &err);
    assert_true(is_new);
    assert_int_equal(
        box_int(b, "SELECT count(*) FROM definition WHERE description = CAST('bare' AS BLOB)"
                   " AND places IS NULL"),
        1);
    well(pingo__store_forget_definition(&b->store->db, &hash, &bare, &is_new, &err), &err);
    assert_false(is_new);
    rows_close(b);
}

static void test_forget__places_that_nothing_has_go(void **state)
{
    struct box *b = three();
    struct pingo_error err;

    UNUSED(state);
    rows_run(b, "DELETE FROM place");
    rows_run(b, "INSERT INTO place(id, path, content, seen_ms) VALUES(1, '/a', zeroblob(32), 1),"
                " (2, '/b', randomblob(32), 1), (9, '/c', randomblob(32), 1)");
    rows_run(b, "INSERT INTO tree_listing SELECT content, x'00' FROM place WHERE id > 1");
    rows_run(b, "UPDATE definition SET places = x'0900000000000000' WHERE hash ="
                " (SELECT hash FROM node WHERE name = 'a1' LIMIT 1)");
    well(pingo__store_forget_places(&b->store->db, &err), &err);
    assert_int_equal(box_int(b, "SELECT count(*) FROM place"), 1);
    assert_int_equal(box_int(b, "SELECT max(id) FROM place"), 9);
    assert_int_equal(box_int(b, "SELECT count(*) FROM tree_listing"), 1);
    rows_close(b);
}

/* What was deleted is not in the file any more. */
static void test_forget__the_file_is_written_anew(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    char path[128], *bytes = NULL;
    struct stat st;

    UNUSED(state);
    rows_begin(b);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    rows_begin(b);
    rows_run(b, "INSERT INTO meta(key, value) VALUES('k', 'what nobody is to read')");
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    rows_begin(b);
    rows_run(b, "DELETE FROM meta WHERE key = 'k'");
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    well(pingo__store_forget_rewrite(&b->store->db, &err), &err);
    static const char *const names[] = {"pingo.db", "pingo.db-wal"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", b->dir, names[i]);
        int fd = open(path, O_RDONLY);
        if (fd < 0)
            continue;
        assert_int_equal(fstat(fd, &st), 0);
        bytes = malloc((size_t)st.st_size + 1);
        assert_non_null(bytes);
        assert_int_equal(read(fd, bytes, (size_t)st.st_size), st.st_size);
        assert_null(memmem(bytes, (size_t)st.st_size, "what nobody", 11));
        free(bytes);
        close(fd);
    }
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forget__a_text_goes_with_its_last_submission),
        cmocka_unit_test(test_forget__costs_the_same_among_many_texts),
        cmocka_unit_test(test_forget__hashes_that_nothing_needs),
        cmocka_unit_test(test_forget__a_description_is_replaced_once),
        cmocka_unit_test(test_forget__places_that_nothing_has_go),
        cmocka_unit_test(test_forget__the_file_is_written_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
