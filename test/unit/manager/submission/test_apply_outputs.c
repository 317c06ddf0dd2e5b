/* test_apply_outputs.c - whose turn it is at a file that has several paths. */
#include "unit/engine/box.h"

#define AT(path) ",'isManaged':false,'outputPath':'" path "'"

/* "real/mine" is "link/mine", to which one writes whom another reads. */
static struct box *two_paths(void)
{
    struct box *b = box_new();
    char path[200];

    snprintf(path, sizeof path, "%s/real", b->root);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/link", b->root);
    assert_int_equal(symlink("real", path), 0);
    box_submit(b, W(A(1, AT("link/mine")) "," A(2, P(FROM(1)))));
    return b;
}

/* A file has as many paths as lead to its directory: who writes to it waits for who writes to it by another path, and
 * for who is to read what lies there. */
static void test_apply_outputs__who_writes_by_another_path_waits_too(void **state)
{
    struct box *b = two_paths();

    UNUSED(state);
    box_submit(b, W(A(3, AT("real/mine"))));
    box_submit(b, W(A(4, AT("link/../link/mine"))));
    box_submit(b, W(A(5, AT("mine"))));
    box_tick(b);
    assert_non_null(fake_job(&b->fake, "a1"));
    assert_null(fake_job(&b->fake, "a3"));
    assert_null(fake_job(&b->fake, "a4"));
    assert_non_null(fake_job(&b->fake, "a5")); /* another file of that name */
    box_finish(b, "a1");
    box_submit(b, W(A(6, AT("link/mine")))); /* a2 claims what lies there */
    assert_null(fake_job(&b->fake, "a3"));
    box_finish(b, "a2");
    assert_non_null(fake_job(&b->fake, "a3"));
    assert_null(fake_job(&b->fake, "a4"));
    box_finish(b, "a3");
    assert_non_null(fake_job(&b->fake, "a4"));
    assert_null(fake_job(&b->fake, "a6"));
    box_finish(b, "a4");
    box_finish(b, "a6");
    box_finish(b, "a5");
    box_clean(b);
    box_close(b);
}

/* What was made before is there to be read still. */
static void test_apply_outputs__who_writes_waits_for_who_claims_what_lies_behind_a_link(void **state)
{
    struct box *b = two_paths();

    UNUSED(state);
    box_tick(b);
    box_finish(b, "a1");
    box_submit(b, W(A(3, AT("link/mine"))));
    box_tick(b);
    assert_null(fake_job(&b->fake, "a3"));
    box_finish(b, "a2");
    assert_non_null(fake_job(&b->fake, "a3"));
    box_finish(b, "a3");
    box_clean(b);
    box_close(b);
}

static int nresolved;
static int count_resolve(void *context, const char *path, char *real)
{
    nresolved++;
    return pingo__world_real()->resolve(context, path, real);
}

/* Thousands may be unfinished, and each submission asks, under the lock. */
static void test_apply_outputs__of_other_names_the_file_system_is_not_asked(void **state)
{
    struct box *b = two_paths();
    char text[8000] = "{'name':'w','actions':[";
    size_t n = strlen(text);

    UNUSED(state);
    for (int i = 10; i < 40; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "%s{'id':%d,'name':'o','type':'command-line','command':'true',"
                              "'isManaged':false,'outputPath':'link/%d'}",
                              i > 10 ? "," : "", i, i);
    snprintf(text + n, sizeof text - n, "]}");
    box_submit(b, text);
    struct pingo__world world = *b->store->context.world;
    world.resolve = count_resolve;
    b->store->context.world = &world;
    box_submit(b, W(A(3, AT("real/mine"))));
    b->store->context.world = pingo__world_real();
    assert_in_range(nresolved, 1, 10);
    box_tick(b);
    assert_non_null(fake_job(&b->fake, "a1"));
    assert_null(fake_job(&b->fake, "a3"));
    box_close(b);
}

/* How often the writers of a file were asked for. */
static int64_t count_asked(const struct box *b)
{
    int64_t n = 0;

    for (sqlite3_stmt *s = sqlite3_next_stmt(b->store->db.sqlite, NULL); s;
         s = sqlite3_next_stmt(b->store->db.sqlite, s))
        if (strstr(sqlite3_sql(s), "node n ON n.output_path"))
            n += sqlite3_stmt_status(s, SQLITE_STMTSTATUS_RUN, 0);
    return n;
}

static void test_apply_outputs__whom_a_writer_waits_for_is_asked_once(void **state)
{
    struct box *b = two_paths();
    int64_t before = count_asked(b);

    UNUSED(state);
    box_submit(b, W(A(3, AT("real/mine")) "," A(4, AT("other"))));
    assert_int_equal(count_asked(b) - before, 2);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apply_outputs__who_writes_by_another_path_waits_too),
        cmocka_unit_test(test_apply_outputs__who_writes_waits_for_who_claims_what_lies_behind_a_link),
        cmocka_unit_test(test_apply_outputs__of_other_names_the_file_system_is_not_asked),
        cmocka_unit_test(test_apply_outputs__whom_a_writer_waits_for_is_asked_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
