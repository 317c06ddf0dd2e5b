/* test_outside_recover.c - what those left beside their targets who died while they wrote. */
#include "unit/manager/dataset/outside_files.h"

/* Its copy goes where it had not been placed; what lay there before stays where that is not known to be ours. */
static void test_outside_recover__what_the_dead_left_goes(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_context *c = &b->s->context;
    char dir[96], path[128], beside[128];
    struct pingo__store_writing row = {
        .path = path, .temporary = beside, .owner = 4711, .kind = PINGO__WRITTEN_FILE};
    struct pingo_error err;

    UNUSED(state);
    snprintf(dir, sizeof dir, "%s/there", b->root);
    snprintf(path, sizeof path, "%s/file", dir);
    snprintf(beside, sizeof beside, "%s/.file.pingo-0", dir);
    assert_int_equal(mkdir(dir, 0755), 0);
    pingo__digest_sha256("new", 3, &row.content);
    for (int placed = 0; placed < 2; placed++) {
        outside_write(path, placed ? "new" : "old");
        outside_write(beside, placed ? "old" : "new");
        well(pingo__store_db_begin(c->db, &err), &err);
        well(pingo__store_db_end(c->db, pingo__store_writing_insert(c->db, &row, &err), &err), &err);
        well(pingo__manager_outside_recover(c, &err), &err);
        outside_holds(path, placed ? "new" : "old");
        assert_int_equal(outside_entries(dir), placed ? 2 : 1);
        assert_int_equal(box_int(b, "SELECT count(*) FROM writing"), 0);
    }
    outside_holds(beside, "old");
    assert_int_equal(unlink(beside), 0);
    assert_int_equal(mkfifo(beside, 0600), 0); /* what is of no kind of ours is not ours */
    well(pingo__store_db_begin(c->db, &err), &err);
    assert_int_equal(pingo__db_write(c->db, &err, "DELETE FROM written", NONE), 0);
    well(pingo__store_db_end(c->db, pingo__store_writing_insert(c->db, &row, &err), &err), &err);
    well(pingo__manager_outside_recover(c, &err), &err);
    assert_int_equal(outside_entries(dir), 2);
    box_close(b);
}

/* What the dead replaced goes where it is known to be ours, or was looked at before; what is there is ours then. */
static void test_outside_recover__of_what_lay_there_before_ours_goes(void **state)
{
    static const struct {
        const char *there, *beside, *known; /* known: as a file of ours at the path */
        enum pingo__store_written_kind kind;
        bool placed, goes, is_ours;
    } rows[] = {{"new", "old", "old", PINGO__WRITTEN_FILE, false, true, true},
                {"new", "old", "older", PINGO__WRITTEN_FILE, false, false, true},
                {"new", "old", "old", PINGO__WRITTEN_LINK, false, false, true},
                {"old", "new", "old", PINGO__WRITTEN_FILE, false, true, false},
                {"new", "somebody's", "new", PINGO__WRITTEN_FILE, true, true, true},
                {"somebody's", "old", "new", PINGO__WRITTEN_FILE, true, true, true}};
    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct box *b = box_new();
        struct pingo__manager_context *c = &b->s->context;
        char dir[96], path[128], beside[128];
        struct pingo__store_writing row = {.path = path,
                                           .temporary = beside,
                                           .owner = 4711,
                                           .placed = rows[i].placed,
                                           .kind = PINGO__WRITTEN_FILE};
        struct pingo__store_written known = {.kind = rows[i].kind}, now;
        struct pingo_error err;

        snprintf(dir, sizeof dir, "%s/there", b->root);
        snprintf(path, sizeof path, "%s/file", dir);
        snprintf(beside, sizeof beside, "%s/.file.pingo-0", dir);
        assert_int_equal(mkdir(dir, 0755), 0);
        pingo__digest_sha256("new", 3, &row.content);
        pingo__digest_sha256(rows[i].known, strlen(rows[i].known), &known.content);
        outside_write(path, rows[i].there);
        outside_write(beside, rows[i].beside);
        well(pingo__store_db_begin(c->db, &err), &err);
        well(pingo__store_written_set(c->db, path, &known, &err), &err);
        well(pingo__store_writing_insert(c->db, &row, &err), &err);
        if (rows[i].placed)
            well(pingo__store_writing_set_placed(c->db, beside, &err), &err);
        well(pingo__store_db_end(c->db, 0, &err), &err);
        well(pingo__manager_outside_recover(c, &err), &err);
        outside_holds(path, rows[i].there);
        assert_int_equal(outside_entries(dir), rows[i].goes ? 1 : 2);
        well(pingo__store_written_get(c->db, path, &now, &err), &err);
        assert_int_equal(memcmp(&now.content, &row.content, sizeof now.content) == 0,
                         rows[i].is_ours);
        box_close(b);
    }
}

static struct box *export_from;
static char export_to[128];

static void export_meanwhile(void *context, enum pingo_log_level level, const char *message)
{
    UNUSED(context);
    UNUSED(level);
    UNUSED(message);
    assert_int_equal(outside_put(export_from, export_to, "/second", NULL, true), 0);
}

/* While it is found out how far the dead came, another writes there: that is what is known of the path. */
static void test_outside_recover__what_is_written_while_the_dead_are_looked_at(void **state)
{
    struct box *b = export_from = box_new();
    struct pingo__manager_context *c = &b->s->context;
    char dir[96], beside[128];
    struct pingo__store_writing row = {.path = "there/file",
                                       .temporary = "there/.file.pingo-0",
                                       .owner = 4711,
                                       .kind = PINGO__WRITTEN_FILE};
    struct pingo_error err;

    UNUSED(state);
    snprintf(dir, sizeof dir, "%s/there", b->root);
    snprintf(export_to, sizeof export_to, "%s/file", dir);
    snprintf(beside, sizeof beside, "%s/.file.pingo-0", dir);
    assert_int_equal(mkdir(dir, 0755), 0);
    pingo__digest_sha256("new", 3, &row.content);
    outside_write(export_to, "new");
    outside_write(beside, "old");
    well(pingo__engine_scheduler_register(b->s, &err), &err);
    well(pingo__store_db_begin(c->db, &err), &err);
    well(pingo__store_db_end(c->db, pingo__store_writing_insert(c->db, &row, &err), &err), &err);
    c->log = export_meanwhile;
    well(pingo__manager_outside_recover(c, &err), &err);
    c->log = NULL;
    assert_int_equal(outside_put(b, export_to, "/third", NULL, false), 0); /* the second was ours */
    assert_int_equal(box_int(b, "SELECT count(*) FROM writing"), 0);
    box_close(b);
}

static bool is_append_only;
static char warned[512];

static int refusing_unlink(void *context, int dir, const char *name, int flags)
{
    return is_append_only ? -EPERM : pingo__world_real()->unlink(context, dir, name, flags);
}

static int refusing_rename(void *context, int dir, const char *from, const char *to, unsigned flags)
{
    return is_append_only ? -EPERM : pingo__world_real()->rename(context, dir, from, to, flags);
}

static void note_warning(void *context, enum pingo_log_level level, const char *message)
{
    UNUSED(context);
    assert_int_equal(level, PINGO_LOG_WARNING);
    snprintf(warned, sizeof warned, "%s", message);
}

/* As in a directory to which things can only be added: whoever comes tries again, and tells where it is. */
static void test_outside_recover__what_cannot_be_removed_is_not_forgotten(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_context *c = &b->s->context;
    struct pingo__world world = *pingo__world_real();
    char dir[96], path[128], words[160];
    struct pingo_error err;

    UNUSED(state);
    snprintf(dir, sizeof dir, "%s/there", b->root);
    snprintf(path, sizeof path, "%s/file", dir);
    snprintf(words, sizeof words, "%s/.file.pingo-", dir);
    assert_int_equal(mkdir(dir, 0755), 0);
    well(pingo__engine_scheduler_register(b->s, &err), &err);
    world.unlink = refusing_unlink;
    world.rename = refusing_rename;
    const struct pingo__world *real = c->world;
    c->world = &world;
    c->log = note_warning;
    is_append_only = true;
    assert_int_equal(outside_put(b, path, "/first", NULL, false), PINGO_EIO);
    assert_ptr_equal(strstr(warned, words), warned);
    box_run(b, "UPDATE writing SET owner = 4711");
    for (int i = 0; i < 2; i++) {
        warned[0] = '\0';
        well(pingo__manager_outside_recover(c, &err), &err);
        assert_ptr_equal(strstr(warned, words), warned);
        assert_int_equal(outside_entries(dir), 1);
        assert_int_equal(box_int(b, "SELECT count(*) FROM writing"), 1);
        warned[0] = '\0';
        well(pingo__manager_outside_recover(c, &err), &err); /* a second later */
        assert_string_equal(warned, "");
        c->left_ms = 0;
    }
    assert_int_equal(symlink("/first", path),
                     0); /* somebody else's, though ours was to be the same */
    assert_int_equal(outside_put(b, path, "/second", NULL, false), PINGO_EEXISTS);
    assert_int_equal(unlink(path), 0);
    is_append_only = false;
    outside_write(path, "/first"); /* somebody else's, and the same */
    well(pingo__manager_outside_recover(c, &err), &err);
    assert_int_equal(outside_entries(dir), 1);
    outside_holds(path, "/first");
    assert_int_equal(box_int(b, "SELECT count(*) FROM writing"), 0);
    c->world = real;
    c->log = NULL;
    box_close(b);
}

static int closed_stat(void *context, int dir, const char *name, int flags, struct stat *st)
{
    UNUSED(context);
    UNUSED(dir);
    UNUSED(name);
    UNUSED(flags);
    UNUSED(st);
    return -EACCES;
}

static int told;

static void count_told(void *context, enum pingo_log_level level, const char *message)
{
    UNUSED(context);
    UNUSED(message);
    told += level == PINGO_LOG_INFO;
}

/* Who ticks each second says once of each what cannot be looked at, and goes on to look. */
static void test_outside_recover__what_cannot_be_looked_at_is_told_once(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_context *c = &b->s->context;
    struct pingo__world world = *pingo__world_real();
    char path[128];
    struct pingo__store_writing row = {.path = path, .owner = 4711, .kind = PINGO__WRITTEN_FILE};
    struct pingo_error err;

    UNUSED(state);
    snprintf(path, sizeof path, "%s/file", b->root);
    well(pingo__store_db_begin(c->db, &err), &err);
    for (int i = 0; i < 2; i++) {
        row.temporary = i ? "/.1" : "/.0";
        well(pingo__store_writing_insert(c->db, &row, &err), &err);
    }
    well(pingo__store_db_end(c->db, 0, &err), &err);
    world.stat = closed_stat;
    const struct pingo__world *real = c->world;
    c->world = &world;
    c->log = count_told;
    for (int i = 0; i < 3; i++)
        well(pingo__manager_outside_recover(c, &err), &err);
    assert_int_equal(told, 2);
    c->left_ms = 0; /* an hour later */
    well(pingo__manager_outside_recover(c, &err), &err);
    assert_int_equal(told, 4);
    c->world = real;
    well(pingo__manager_outside_recover(c, &err), &err);
    assert_int_equal(box_int(b, "SELECT count(*) FROM writing"), 0);
    c->log = NULL;
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outside_recover__what_the_dead_left_goes),
        cmocka_unit_test(test_outside_recover__of_what_lay_there_before_ours_goes),
        cmocka_unit_test(test_outside_recover__what_is_written_while_the_dead_are_looked_at),
        cmocka_unit_test(test_outside_recover__what_cannot_be_removed_is_not_forgotten),
        cmocka_unit_test(test_outside_recover__what_cannot_be_looked_at_is_told_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
