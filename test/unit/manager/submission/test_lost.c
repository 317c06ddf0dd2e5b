/* test_lost.c - an input is gone under many readers: they are planned again, so many in one transaction that nobody
 * waits long for the lock.  Counted in rows, not in time. */
#include "unit/engine/box.h"

enum { READERS = 1500, MOST = 500 };

/* The rows of actions that the transaction changes, and the most of any. */
struct watching {
    struct box *b;
    bool seen[2 * READERS + 100];
    int now, most, total, ncommits;
};

static void note_row(void *context, int operation, const char *database, const char *table,
                     sqlite3_int64 row)
{
    struct watching *w = context;

    UNUSED(operation);
    UNUSED(database);
    if (strcmp(table, "action") != 0)
        return;
    assert_in_range(row, 0, sizeof w->seen - 1);
    w->now += !w->seen[row];
    w->seen[row] = true;
}

static int note_commit(void *context)
{
    struct watching *w = context;

    w->most = w->now > w->most ? w->now : w->most;
    w->total += w->now;
    w->ncommits += w->now > 0;
    w->now = 0;
    memset(w->seen, 0, sizeof w->seen);
    return 0;
}

static char *readers_of(const char *first)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    fprintf(out, "{'name':'w','actions':[%s", first);
    for (int i = 2; i < 2 + READERS; i++)
        fprintf(out, ",{'id':%d,'name':'a%d','type':'command-line','command':['x%d']%s}", i, i, i,
                P(FROM(1)));
    fputs("]}", out);
    fclose(out);
    return text;
}

static void test_lost__readers_follow_in_slices(void **state)
{
    struct watching *w = calloc(1, sizeof *w);
    struct box *b = box_new();
    char *text = readers_of(A(1, "")), path[256];

    UNUSED(state);
    assert_non_null(w);
    box_submit(b, W(A(1, "")));
    box_finish_all(b);
    box_submit(b, text);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE workflow = 2"), READERS);
    snprintf(path, sizeof path, "rm -f '%s'/pool/objects/*/*", b->dir);
    assert_int_equal(system(path), 0);
    w->b = b;
    sqlite3_update_hook(b->store->db.sqlite, note_row, w);
    sqlite3_commit_hook(b->store->db.sqlite, note_commit, w);
    for (int i = 0; i < 20; i++)
        box_tick(b);
    sqlite3_update_hook(b->store->db.sqlite, NULL, NULL);
    sqlite3_commit_hook(b->store->db.sqlite, NULL, NULL);
    /* Each has one row still, waits for the one that makes its input again, and for nothing else. */
    assert_int_equal(box_int(b, "SELECT count(*) FROM lost"), 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE workflow = 2"), READERS + 1);
    assert_int_equal(box_state(b, 2, 2), PINGO_ACTION_WAITING);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE workflow = 2 AND state = 1"
                                " AND waits = 1"),
                     READERS);
    print_message("%d rows in %d transactions, at most %d\n", w->total, w->ncommits, w->most);
    assert_true(w->total >= READERS);
    assert_true(w->most <= MOST);
    box_finish(b, "a1");
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE state = 1"), 0);
    box_clean(b);
    box_close(b);
    free(text);
    free(w);
}

static void lose(struct box *b, const char *link)
{
    UNUSED(b);
    assert_int_equal(unlink(link), 0);
}

static void test_lost__a_lost_input_is_made_again(void **state)
{
    struct box *b = box_new();
    char path[256];

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(1)))));
    box_tick(b);
    box_finish(b, "a1");
    snprintf(path, sizeof path, "%s", fake_job(&b->fake, "a2")->links[0]);
    lose(b, path);
    box_report(b, "a2", PINGO_END_EXITED, 1, "");
    box_report(b, "a3", PINGO_END_EXITED, 0, "made of nothing");
    box_tick(b);
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_WAITING);
    assert_int_equal(box_state(b, 1, 3), PINGO_ACTION_WAITING); /* not believed */
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_SUBMITTED);
    box_clean(b);
    box_finish(b, "a1");
    assert_string_not_equal(fake_job(&b->fake, "a2")->links[0], path);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

static void test_lost__a_second_loss_fails(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_tick(b);
    for (int i = 0; i < 2; i++) {
        box_finish(b, "a1");
        lose(b, fake_job(&b->fake, "a2")->links[0]);
        box_fail(b, "a2");
    }
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_FAILED);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FAILED);
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost__readers_follow_in_slices),
        cmocka_unit_test(test_lost__a_lost_input_is_made_again),
        cmocka_unit_test(test_lost__a_second_loss_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
