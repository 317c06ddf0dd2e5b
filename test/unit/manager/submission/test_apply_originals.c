/* test_apply_originals.c - what an action reads of files, tools and versions becomes rows by which its start compares them; the
 * same where it is planned again, by its description. */
#include "unit/engine/box.h"

static const char *rows_of(struct box *b, const char *workflow)
{
    static char text[1024];
    struct pingo_error err;
    struct pingo__arena arena = {0};
    struct pingo__store_action_original_list list = {.arena = &arena};
    int64_t action = box_int(b, workflow);
    size_t n = 0;

    well(pingo__store_action_original_list(&b->store->db, action, &list, &err), &err);
    text[0] = '\0';
    for (size_t i = 0; i < list.n; i++) {
        const struct pingo__store_action_original *o = &list.rows[i];
        n += (size_t)snprintf(text + n, sizeof text - n, "%d %s %s %02x;", (int)o->kind, o->name,
                              strrchr(o->path, '/') + 1, o->hash.bytes[0]);
    }
    pingo__arena_clear(&arena);
    return text;
}

#define READS                                                                                      \
    "'inputs':[{'name':'text','path':'in.txt'},{'name':'old','path':'in.txt','identity':'stat'}"   \
    ",{'name':'far','uri':'s3://a/b','version':'1'}],'tools':['sort'],"                            \
    "'versions':[['sort','--version'],['ls','--version'],['ls','--help']]"
#define READER "{'id':2,'name':'a2','type':'command-line','command':['x']," READS P(FROM(1)) "}"

static void write_input(struct box *b, char path[128])
{
    snprintf(path, 128, "%s/in.txt", b->root);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("text", file);
    fclose(file);
}

static void test_apply_originals__rows_of_what_is_read(void **state)
{
    struct box *b = box_new();
    char first[1024], path[128];
    struct pingo_error err = {0};

    UNUSED(state);
    write_input(b, path);
    box_submit(b, W(A(1, "") "," READER));
    snprintf(first, sizeof first, "%s",
             rows_of(b, "SELECT id FROM action WHERE position = 1 ORDER BY id DESC LIMIT 1"));
    /* A URI is the command's business, a version's program is there once, and not where it is a tool. */
    assert_non_null(strstr(first, " text in.txt "));
    assert_non_null(strstr(first, " old in.txt "));
    assert_null(strstr(first, "far"));
    assert_non_null(strstr(first, " sort sort "));
    assert_ptr_equal(strstr(first, " sort "), strstr(first, " sort sort "));
    assert_non_null(strstr(first, " ls ls "));
    int n = 0;
    for (const char *at = first; (at = strchr(at, ';')); at++)
        n++;
    assert_int_equal(n, 4);

    /* Its input is lost: it is planned again, with what was hashed then. */
    box_tick(b);
    box_finish(b, "a1");
    assert_int_equal(unlink(fake_job(&b->fake, "a2")->links[0]), 0);
    box_report(b, "a2", PINGO_END_EXITED, 1, "");
    box_tick(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE position = 0"), 2);
    const char *again =
        rows_of(b, "SELECT id FROM action WHERE position = 1 ORDER BY id DESC LIMIT 1");
    assert_string_equal(again, first);

    assert_int_equal(unlink(path), 0);
    struct pingo_submission s = {.size = sizeof s};
    assert_int_equal(box_try_submit(b,
                                    W("{'id':1,'name':'a1','type':'command-line','command':['y'],"
                                      "'inputs':[{'name':'text','path':'in.txt','sha256':'"
                                      "aa0123456789abcdef0123456789abcdef0123456789abcdef0123456789"
                                      "abcd'}]}"),
                                    NULL, &s, &err),
                     PINGO_EINPUT);
    assert_non_null(strstr(err.message, "is not there, and the action must be computed"));
    box_close(b);
}

static struct {
    struct box *b;
    const struct pingo__world *real;
    int nopened;
} watch;

static int open_watched(void *context, int dir, const char *path, int flags, mode_t mode)
{
    watch.nopened += watch.b->store->db.writing && strstr(path, "sort") != NULL;
    return watch.real->open(context, dir, path, flags, mode);
}

/* Others wait for the lock: where a tool lies is looked for, and it is read by who starts it. */
static void test_apply_originals__no_tool_is_read_under_the_lock(void **state)
{
    struct box *b = box_new();
    struct pingo__world world = *b->s->context.world;
    const char *text =
        W("{'id':1,'name':'a1','type':'command-line','command':['x'],'tools':['sort']}");

    UNUSED(state);
    watch.b = b;
    watch.real = b->s->context.world;
    world.open = open_watched;
    box_submit(b, text);
    box_submit(b, text); /* it joins, and is promoted */
    box_tick(b);
    b->s->context.world = &world;
    box_fail(b, "a1");
    b->s->context.world = watch.real;
    assert_int_equal(box_state(b, 2, 1), PINGO_ACTION_SUBMITTED);
    assert_int_equal(watch.nopened, 0);
    box_close(b);
}

/* As the first did: inputs by what was hashed, and programs of versions, though only what they said is in the hash. */
static void test_apply_originals__a_promoted_joiner_compares_all(void **state)
{
    struct box *b = box_new();
    const char *text = W("{'id':1,'name':'a1','type':'command-line','command':['x']," READS "}");
    char first[1024], path[128];

    UNUSED(state);
    write_input(b, path);
    box_submit(b, text);
    snprintf(first, sizeof first, "%s", rows_of(b, "SELECT id FROM action WHERE workflow = 1"));
    assert_non_null(strstr(first, " ls ls "));
    box_submit(b, text);
    box_tick(b);
    box_fail(b, "a1");
    assert_int_equal(box_state(b, 2, 1), PINGO_ACTION_SUBMITTED);
    assert_string_equal(rows_of(b, "SELECT id FROM action WHERE workflow = 2"), first);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apply_originals__rows_of_what_is_read),
        cmocka_unit_test(test_apply_originals__no_tool_is_read_under_the_lock),
        cmocka_unit_test(test_apply_originals__a_promoted_joiner_compares_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
