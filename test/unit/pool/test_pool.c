/* test_pool.c - what holds for a pool of every kind: what its table promises, and what pool.c does with it. */
#include "pools.h"

#include "base/error.h"

#define OBJECT "objects/aa/" HASH ".7.2"
#define OTHER "objects/aa/" HASH ".8.1"
static const struct pingo_job_key key = {7, 2};

/* ---- life ------------------------------------------------------------------------------- */

static void test_pool__belongs_to_a_store(void **state)
{
    struct pools *p = pools_new(*state);
    struct pingo__pool other;
    struct pingo_error why = {0};
    char identity[64], again[64], noted[128];

    assert_int_equal(pingo__pool_open(&other, &p->site, "another", &why), PINGO_ESTORE);
    assert_int_equal(pingo__pool_create(&p->site, "another", &why), PINGO_ESTORE);
    assert_int_equal(pingo__pool_create(&p->site, ID, &why), 0); /* its own: it is made whole */
    assert_int_equal(pingo__pool_destroy(&p->site, "another", NULL, &why), PINGO_ESTORE);
    assert_true(pingo__pool_is_of(&p->site, ID));
    assert_false(pingo__pool_is_of(&p->site, "another"));
    assert_false(pingo__pool_is_destroyed(&p->site));
    WELL(p->kind->identity(p->pool.handle, identity, err));
    p->kind->noted(p->pool.handle, noted, sizeof noted);
    assert_string_equal(noted, "");
    p->kind->note(p->pool.handle, "/some/store");
    p->kind->note(p->pool.handle, "/another/store");
    pingo__pool_close(&p->pool);
    pools_open(p);
    WELL(p->kind->identity(p->pool.handle, again, err));
    assert_string_equal(identity, again);
    p->kind->noted(p->pool.handle, noted, sizeof noted);
    assert_string_equal(noted, "/another/store");
    pools_free(p);
}

static int keep(void *context, const char *path, const char *why)
{
    assert_true(*why);
    *(size_t *)context += strstr(path, "mine") != NULL;
    return 0;
}

static void test_pool__is_taken_apart(void **state)
{
    struct pools *p = pools_new(*state);
    size_t kept = 0;
    struct pingo__pool_told told = {keep, &kept};

    pools_put(p, "objects/mine", "x");
    pools_put(p, "staged/mine", "x");
    pools_put_tree(p, "attempts/7.2");
    pools_put_tree(p, "trash/anything");
    pools_put_tree(p, "staged/7.2");
    WELL(pingo__pool_publish(&p->pool, key, OBJECT, err));
    pingo__pool_close(&p->pool);
    WELL(pingo__pool_destroy(&p->site, ID, &told, err));
    assert_int_equal(kept, 2);
    assert_false(pingo__pool_is_of(&p->site, ID));
    assert_int_equal(pingo__tree_remove(AT_FDCWD, p->dir), 0);
    free(p);
}

static void test_pool__of_no_kind(void **state)
{
    const struct pingo__pool_site site = {pingo__world_real(), "nosuch://x", "/tmp/near"};
    struct pingo__pool pool;
    struct pingo_error why = {0};
    char *place;

    (void)state;
    assert_int_equal(pingo__pool_open(&pool, &site, ID, &why), PINGO_EINVAL);
    assert_non_null(strstr(why.message, "nosuch"));
    assert_false(pingo__pool_is_of(&site, ID));
    place = pingo__pool_place("/here", "nosuch://x");
    assert_string_equal(place, "nosuch://x");
    free(place);
    place = pingo__pool_place("/here", "a/../b");
    assert_string_equal(place, "/here/b");
    free(place);
}

/* ---- what lies there ---------------------------------------------------------------------- */

static void test_pool__in_and_out(void **state)
{
    struct pools *p = pools_new(*state);
    struct pingo__digest_content_options options = {.no_follow = true, .make_readonly = true};
    struct pingo__digest_content in, out;
    struct pingo__pool_state st;
    struct pingo_error why = {0};

    pools_tree(pools_path(p, "tree"));
    WELL(pingo__digest_content_read(pools_path(p, "tree"), &options, &in, err));
    WELL(p->kind->stage(p->pool.handle, pools_path(p, "tree"), "staged/7.2", err));
    st = pools_state(p, "staged/7.2");
    assert_true(st.exists && st.directory && !st.other_kind && !st.link);
    st = pools_state(p, "staged/7.2/a");
    assert_true(st.exists && !st.directory && !st.executable && st.size_bytes == 3);
    assert_true(pools_state(p, "staged/7.2/b/c").executable);
    assert_false(pools_has(p, "staged/7.2/nothing"));
    assert_false(pools_has(p, "staged/7.2/a/below"));
    WELL(pingo__pool_read(&p->pool, "staged/7.2", &options, &out, err));
    assert_memory_equal(&in.hash, &out.hash, sizeof in.hash);
    assert_int_equal(in.size_bytes, out.size_bytes);
    assert_true(out.is_directory && out.files == 2);

    WELL(pingo__pool_copy_out(&p->pool, "staged/7.2", pools_path(p, "copy"), 0777, err));
    WELL(pingo__digest_content_read(pools_path(p, "copy"), &options, &out, err));
    assert_memory_equal(&in.hash, &out.hash, sizeof in.hash);

    /* Neither way replaces anything. */
    assert_int_equal(p->kind->stage(p->pool.handle, pools_path(p, "tree/a"), "staged/7.2", &why),
                     PINGO_EEXISTS);
    assert_true(pools_state(p, "staged/7.2").directory);
    assert_int_equal(
        pingo__pool_copy_out(&p->pool, "staged/7.2/a", pools_path(p, "tree/b/c"), 0777, &why),
        PINGO_EEXISTS);
    assert_int_not_equal(
        p->kind->stage(p->pool.handle, pools_path(p, "nothing"), "staged/8.1", &why), 0);
    pools_free(p);
}

static void test_pool__opens_what_is_there(void **state)
{
    struct pools *p = pools_new(*state);
    struct pingo_error why = {0};
    struct pingo__arena arena = {0};
    const char *path;
    char bytes[16];
    struct stat st;
    int fd;

    pools_put(p, "staged/7.2", "some");
    WELL(pingo__pool_publish(&p->pool, key, OBJECT, err));
    WELL(pingo__pool_open_entry(&p->pool, OBJECT, &fd, err));
    assert_int_equal(read(fd, bytes, sizeof bytes), 4);
    close(fd);
    WELL(pingo__pool_open_entry(&p->pool, p->dir, &fd, err)); /* outside: as it is */
    close(fd);
    assert_int_equal(pingo__pool_open_entry(&p->pool, OTHER, &fd, &why), PINGO_ENOTFOUND);
    assert_int_equal(fd, -1);
    for (int i = 0; i < 2; i++)
        WELL(pingo__pool_make_attempt_dir(&p->pool, key, err));
    WELL(pingo__pool_attempt_dir(&p->pool, &arena, key, &path, err));
    assert_int_equal(stat(path, &st), 0);
    assert_true(S_ISDIR(st.st_mode));
    pingo__arena_clear(&arena);
    pools_free(p);
}

static void test_pool__stamps(void **state)
{
    struct pools *p = pools_new(*state);
    struct pingo__stamp first, second, moved;

    pools_put(p, "staged/1.1", "text");
    pools_put(p, "staged/2.1", "text");
    const char *from =
        p->kind->is_remote ? OTHER : "staged/1.1"; /* what leaves this machine gets another */
    if (p->kind->is_remote)
        WELL(p->kind->move(p->pool.handle, "staged/1.1", OTHER, err));
    first = pools_state(p, from).stamp;
    second = pools_state(p, "staged/2.1").stamp;
    assert_true(pingo__stamp_is_same(&first, &first));
    assert_false(pingo__stamp_is_same(&first, &second));
    WELL(p->kind->move(p->pool.handle, from, OBJECT, err));
    WELL(p->kind->seal(p->pool.handle, OBJECT, err));
    moved = pools_state(p, OBJECT).stamp;
    assert_true(pingo__stamp_is_same(&first, &moved));
    pools_free(p);
}

static void test_pool__measures(void **state)
{
    struct pools *p = pools_new(*state);
    struct pingo__pool_extent x;

    pools_put_tree(p, "attempts/7.2");
    WELL(p->kind->measure(p->pool.handle, "attempts/7.2", 100, &x, err));
    assert_true(x.whole);
    assert_int_equal(x.bytes, 7); /* and the text of a link */
    assert_int_equal(x.entries, 6);
    WELL(p->kind->measure(p->pool.handle, "attempts/7.2/a", 100, &x, err));
    assert_int_equal(x.bytes, 3);
    WELL(p->kind->measure(p->pool.handle, "attempts/7.2", 3, &x, err));
    assert_false(x.whole);
    assert_int_equal(p->kind->measure(p->pool.handle, "attempts/9.9", 3, &x, NULL), PINGO_ENOTFOUND);
    assert_true(pingo__pool_is_large(&p->pool, "attempts/7.2", 100, 3));
    assert_true(pingo__pool_is_large(&p->pool, "attempts/7.2", 6, 100));
    assert_false(pingo__pool_is_large(&p->pool, "attempts/7.2", 7, 100));
    assert_false(pingo__pool_is_large(&p->pool, "attempts/9.9", 0, 0));
    assert_int_equal(pingo__pool_held_bytes(&p->pool, "attempts/9.9"), 0);
    pools_free(p);
}

static void test_pool__lists(void **state)
{
    struct pools *p = pools_new(*state);

    assert_int_equal(pools_count(p, PINGO__OBJECTS), 0);
    pools_put(p, "staged/7.2", "x");
    WELL(pingo__pool_publish(&p->pool, key, OBJECT, err));
    pools_put_tree(p, "staged/7.2");
    pools_put(p, "objects/stray", "x");
    pools_put(p, "objects/aa/stray", "x");
    pools_put_directory(p, "attempts/7.2");
    assert_true(pools_state(p, "attempts/7.2").directory);
    assert_int_equal(pools_count(p, PINGO__OBJECTS), 3);
    assert_int_equal(pools_count(p, PINGO__STAGED), 1);
    assert_int_equal(pools_count(p, PINGO__ATTEMPTS), 1);
    assert_int_equal(pools_count(p, PINGO__TRASH), 0);
    pools_free(p);
}

/* ---- moving and publishing ------------------------------------------------------------------- */

static void test_pool__a_move_replaces_nothing(void **state)
{
    struct pools *p = pools_new(*state);
    struct pingo_error why = {0};

    pools_put(p, "staged/1.1", "mine");
    pools_put(p, "staged/2.1", "theirs");
    pools_put_directory(p, "staged/3.1");
    pools_put_tree(p, "staged/4.1");
    assert_int_equal(p->kind->move(p->pool.handle, "staged/1.1", "staged/2.1", &why), PINGO_EEXISTS);
    assert_int_equal(p->kind->move(p->pool.handle, "staged/1.1", "staged/3.1", &why), PINGO_EEXISTS);
    assert_int_equal(p->kind->move(p->pool.handle, "staged/4.1", "staged/3.1", &why), PINGO_EEXISTS);
    assert_int_equal(p->kind->move(p->pool.handle, "staged/4.1", "staged/2.1", &why), PINGO_EEXISTS);
    assert_int_equal(p->kind->move(p->pool.handle, "staged/1.1", "staged/2.1/x", &why),
                     PINGO_EEXISTS);
    assert_int_equal(p->kind->move(p->pool.handle, "staged/5.1", "staged/6.1", &why),
                     PINGO_ENOTFOUND);
    assert_true(pools_is(p, "staged/1.1", "mine"));
    assert_true(pools_is(p, "staged/2.1", "theirs"));
    assert_true(pools_has(p, "staged/4.1/b/c"));
    assert_false(pools_has(p, "staged/3.1/a"));
    assert_false(pools_has(p, "staged/6.1"));
    pools_free(p);
}

static void test_pool__publishes(void **state)
{
    struct pools *p = pools_new(*state);
    struct pingo_error why = {0};
    struct pingo_hash before;

    assert_int_equal(pingo__pool_publish(&p->pool, key, OBJECT, &why), PINGO_ENOTFOUND);
    pools_put_tree(p, "staged/7.2");
    before = pools_hash(p, "staged/7.2");
    WELL(pingo__pool_publish(&p->pool, key, OBJECT, err));
    WELL(pingo__pool_sync(&p->pool, err));
    assert_false(pools_has(p, "staged/7.2"));
    struct pingo_hash after =
        pools_hash(p, OBJECT); /* what lies elsewhere has one of its own kind */
    assert_int_equal(memcmp(&before, &after, sizeof before) == 0, !pingo__pool_is_remote(&p->pool));
    WELL(pingo__pool_publish(&p->pool, key, OBJECT, err)); /* its commit had never come */
    assert_true(pools_has(p, OBJECT));
    assert_int_equal(p->pool.trashed, 0);
    pools_free(p);
}

/* What is there while the output is still staged is of a life that was taken back; it goes, whole. */
/* Of one that lies elsewhere: what is there, what comes here, and what of that goes. */
struct needed {
    const char *name;
    size_t asked;
};

static bool is_needed(void *context, const char *name)
{
    struct needed *n = context;
    n->asked++;
    return strcmp(name, n->name) == 0;
}

/* What was asked of a kind that can do everything. */
static char told[200];

static int told_fetch(void *pool, const char *name, struct pingo_error *err)
{
    (void)pool;
    snprintf(told, sizeof told, "fetch %s", name);
    return pingo__fail(err, PINGO_ENOTFOUND, "%s", told);
}

static int told_shed(void *pool, int64_t keep_bytes, bool (*is)(void *context, const char *name),
                     void *context, struct pingo_error *err)
{
    (void)pool;
    snprintf(told, sizeof told, "shed %d %d", (int)keep_bytes, is(context, OTHER));
    return pingo__fail(err, PINGO_EAWAY, "%s", told);
}

static int told_trim(void *pool, int64_t before_ms, struct pingo_error *err)
{
    (void)pool;
    snprintf(told, sizeof told, "trim %d", (int)before_ms);
    return pingo__fail(err, PINGO_EAWAY, "%s", told);
}

static void told_hurry(void *pool, bool hurries)
{
    (void)pool;
    snprintf(told, sizeof told, "hurry %d", hurries);
}

static void test_pool__what_a_kind_can_do_is_asked_of_it(void **state)
{
    struct pools *p = pools_new(*state);
    struct pingo__pool pool = p->pool;
    struct pingo__pool_backend kind = *p->kind;
    struct needed needed = {OTHER, 0};
    struct pingo_error why = {0};
    pool.backend = &kind;
    kind.fetch = told_fetch;
    kind.shed = told_shed;
    kind.trim = told_trim;
    kind.hurry = told_hurry;
    assert_int_equal(pingo__pool_fetch(&pool, OBJECT, &why), PINGO_ENOTFOUND);
    assert_string_equal(told, "fetch " OBJECT);
    WELL(pingo__pool_fetch(&pool, p->dir, err)); /* outside: it is here */
    assert_int_equal(pingo__pool_shed(&pool, 100, is_needed, &needed, &why), PINGO_EAWAY);
    assert_string_equal(told, "shed 100 1");
    assert_string_equal(why.message, told);
    assert_int_equal(pingo__pool_trim(&pool, 200, &why), PINGO_EAWAY);
    assert_string_equal(told, "trim 200");
    pingo__pool_hurry(&pool, true);
    assert_string_equal(told, "hurry 1");
    pools_free(p);
}

static void publish_tree(struct pools *p, struct pingo_job_key of, const char *object)
{
    struct pingo__digest_content_options options = {.no_follow = true, .make_readonly = true};
    struct pingo__digest_content content;
    char staged[PINGO__NAME_SIZE];
    pingo__name_staged(staged, of.action, of.epoch);
    pools_put_tree(p, staged);
    WELL(pingo__pool_read(&p->pool, staged, &options, &content, err));
    WELL(pingo__pool_publish(&p->pool, of, object, err));
}

static int no_syncfs(void *context, int fd)
{
    (void)context;
    (void)fd;
    return -EIO;
}

static void test_pool__comes_near(void **state)
{
    struct pools *p = pools_new(*state);
    struct pingo__digest_content_options options = {.no_follow = true};
    struct pingo__digest_content there, again, here;
    struct needed needed = {OTHER, 0};
    struct pingo__arena arena = {0};
    const char *path, *uri;
    char *none;
    if (!pingo__pool_is_remote(&p->pool)) { /* all of it is near, and nothing to be done */
        WELL(pingo__pool_fetch(&p->pool, OBJECT, err));
        WELL(pingo__pool_shed(&p->pool, 0, is_needed, &needed, err));
        WELL(pingo__pool_uri(&p->pool, &arena, OBJECT, &uri, err));
        WELL(pingo__pool_path(&p->pool, &arena, OBJECT, &path, err));
        assert_string_equal(uri, path);
        pingo__arena_clear(&arena);
        pools_free(p);
        return;
    }
    publish_tree(p, key, OBJECT);
    publish_tree(p, (struct pingo_job_key){8, 1}, OTHER);
    WELL(pingo__pool_uri(&p->pool, &arena, OBJECT, &uri, err));
    assert_non_null(strstr(uri, "@"));
    assert_string_equal(uri + strlen(uri) - strlen(OBJECT), OBJECT);
    WELL(pingo__pool_read(&p->pool, OBJECT, &options, &there, err));
    WELL(pingo__pool_read(&p->pool, OTHER, &options, &again, err)); /* the same bytes elsewhere */
    assert_memory_equal(&there.hash, &again.hash, sizeof there.hash);
    assert_memory_not_equal(&there.stamp, &again.stamp, sizeof there.stamp);
    assert_true(there.is_directory && there.files == 3 &&
                there.size_bytes == 9); /* the link: a copy */

    /* A copy is here after fetch alone, and is what was sent. */
    WELL(p->kind->path(p->pool.handle, OBJECT, &none, err));
    assert_null(none);
    assert_int_equal(pingo__pool_fetch(&p->pool, "objects/aa/" HASH ".9.9", NULL), PINGO_ENOTFOUND);
    p->world.syncfs = no_syncfs;
    assert_int_not_equal(pingo__pool_fetch(&p->pool, OBJECT, NULL), 0);
    p->world.syncfs = pingo__world_real()->syncfs;
    WELL(p->kind->path(p->pool.handle, OBJECT, &none, err)); /* what is not on the disk is none */
    assert_null(none);
    for (int i = 0; i < 2; i++) {
        WELL(pingo__pool_fetch(&p->pool, OBJECT, err));
        WELL(pingo__pool_path(&p->pool, &arena, OBJECT "/b/c", &path, err));
        assert_int_equal(access(path, X_OK), 0);
    }
    WELL(pingo__pool_fetch(&p->pool, OTHER "/a", err)); /* as a whole */
    WELL(pingo__pool_copy_out(&p->pool, OBJECT, pools_path(p, "copy"), 0777, err));
    WELL(pingo__digest_content_read(pools_path(p, "copy"), &options, &here, err));
    assert_int_equal(here.size_bytes, 9);
    WELL(pingo__pool_path(&p->pool, &arena, OTHER, &path, err));
    WELL(pingo__digest_content_read(path, &options, &again, err));
    assert_memory_equal(&here.hash, &again.hash, sizeof here.hash);

    /* What is sent without links stays here, too. */
    pools_put(p, "staged/9.1", "x");
    WELL(p->kind->move(p->pool.handle, "staged/9.1", "objects/aa/" HASH ".9.1", err));
    WELL(pingo__pool_path(&p->pool, &arena, "objects/aa/" HASH ".9.1", &path, err));
    WELL(pingo__pool_trash(&p->pool, "objects/aa/" HASH ".9.1", err));
    assert_int_not_equal(access(path, F_OK), 0);

    /* Trimmed; what is needed stays, and what is gone there is gone here. */
    WELL(pingo__pool_shed(&p->pool, 100, is_needed, &needed, err));
    assert_int_equal(needed.asked, 0);
    WELL(pingo__pool_shed(&p->pool, 0, is_needed, &needed, err));
    assert_int_equal(needed.asked, 2);
    WELL(p->kind->path(p->pool.handle, OBJECT, &none, err));
    assert_null(none);
    WELL(pingo__pool_path(&p->pool, &arena, OTHER, &path, err));
    WELL(pingo__pool_trash(&p->pool, OTHER, err));
    assert_int_not_equal(access(path, F_OK), 0);
    pingo__arena_clear(&arena);
    pools_free(p);
}

static void test_pool__publishes_over_another_life(void **state)
{
    struct pools *p = pools_new(*state);

    pools_put(p, "staged/7.2", "former");
    WELL(pingo__pool_publish(&p->pool, key, OBJECT, err));
    pools_put(p, "staged/7.2", "latter");
    WELL(pingo__pool_publish(&p->pool, key, OBJECT, err));
    assert_true(pools_is(p, OBJECT, "latter"));
    assert_int_equal(pools_count(p, PINGO__TRASH), 1);
    assert_int_equal(p->pool.trashed, 1);
    pools_free(p);
}

/* Of a pool that does not say whether an object is there. */
static int silent_state(void *pool, const char *name, struct pingo__pool_state *state,
                        struct pingo_error *err)
{
    struct pools *p = pool; /* of the tests */
    if (strcmp(name, OBJECT) == 0) {
        snprintf(err->message, sizeof err->message, "silent");
        return PINGO_EAWAY;
    }
    return p->kind->state(p->pool.handle, name, state, err);
}

static int same_move(void *pool, const char *from, const char *to, struct pingo_error *err)
{
    struct pools *p = pool;
    return p->kind->move(p->pool.handle, from, to, err);
}

static void test_pool__publishes_where_nobody_answers(void **state)
{
    struct pools *p = pools_new(*state);
    struct pingo__pool_backend silent = *p->kind;
    struct pingo__pool pool = p->pool;
    struct pingo_error why = {0};

    silent.state = silent_state;
    silent.move = same_move;
    pool.backend = &silent;
    pool.handle = p;
    pools_put(p, "staged/7.2", "former");
    WELL(pingo__pool_publish(&p->pool, key, OBJECT, err));
    assert_int_equal(pingo__pool_publish(&pool, key, OBJECT, &why),
                     PINGO_EAWAY); /* not: it is gone */
    pools_put(p, "staged/7.2", "latter");
    assert_int_equal(pingo__pool_publish(&pool, key, OBJECT, &why), PINGO_EAWAY);
    assert_string_equal(why.message, "silent");
    assert_true(pools_is(p, OBJECT, "former")); /* and so is all that lies beside it */
    assert_true(pools_is(p, "staged/7.2", "latter"));
    assert_int_equal(pools_count(p, PINGO__TRASH), 0);
    pools_free(p);
}

static void test_pool__a_file_in_the_way(void **state)
{
    struct pools *p = pools_new(*state);

    pools_put(p, "objects/aa", "not a directory");
    pools_put(p, "staged/7.2", "output");
    WELL(pingo__pool_publish(&p->pool, key, OBJECT, err));
    assert_true(pools_is(p, OBJECT, "output"));
    assert_int_equal(pools_count(p, PINGO__TRASH), 1);
    pools_free(p);
}

static void test_pool__makes_private(void **state)
{
    struct pools *p = pools_new(*state);
    struct pingo__stamp before, after;
    char *path;
    WELL(p->kind->path(p->pool.handle, "staged/7.2", &path, err));

    if (!path) { /* where no process of this machine reaches, no file has other names */
        pools_free(p);
        return;
    }
    free(path);
    pools_put_tree(p, "staged/7.2");
    pools_put(p, "staged/7.2.copy", "of a try that was cut short");
    before = pools_state(p, "staged/7.2").stamp;
    struct pingo_hash hash = pools_hash(p, "staged/7.2");
    WELL(pingo__pool_make_private(&p->pool, "staged/7.2", err));
    after = pools_state(p, "staged/7.2").stamp;
    assert_false(pingo__stamp_is_same(&before, &after));
    assert_memory_equal(&hash, &(struct pingo_hash[]){pools_hash(p, "staged/7.2")}, sizeof hash);
    assert_int_equal(pools_count(p, PINGO__STAGED), 1);
    pools_free(p);
}

/* As of a pool elsewhere: attempts work in a directory of this machine, and what was published has no path. */
static int far_path(void *pool, const char *name, char **path, struct pingo_error *err)
{
    struct pools *p = pool; /* of the tests; the pool itself is not asked */
    (void)err;
    *path = strncmp(name, "objects", 7) == 0 ? NULL : strdup(pools_path(p, name));
    return 0;
}

static void test_pool__without_paths(void **state)
{
    struct pools *p = pools_new(*state);
    struct pingo__pool_backend far = *p->kind;
    struct pingo__pool pool = p->pool;
    struct pingo__arena arena = {0};
    struct pingo_error why = {0};
    const char *path = NULL;
    char shown[512];

    far.path = far_path;
    far.place = NULL;
    pool.backend = &far;
    pool.handle = p;
    WELL(pingo__pool_attempt_dir(&pool, &arena, key, &path, err));
    assert_string_equal(path, pools_path(p, "attempts/7.2"));
    WELL(pingo__pool_staged_path(&pool, &arena, key, &path, err));
    assert_string_equal(path, pools_path(p, "staged/7.2"));
    assert_int_equal(pingo__pool_path(&pool, &arena, OBJECT, &path, &why), PINGO_ESTATE);
    assert_non_null(strstr(why.message, OBJECT ": lies in no directory of this machine"));
    snprintf(shown, sizeof shown, "%s/%s", p->place, OBJECT);
    assert_string_equal(pingo__pool_shown(&pool, &arena, OBJECT), shown);
    assert_string_equal(pingo__pool_shown(&pool, &arena, "/outside"), "/outside");
    assert_false(pingo__pool_shares_space(&pool, p->dir));
    WELL(pingo__pool_make_private(&pool, OBJECT, err));
    pingo__arena_clear(&arena);
    pools_free(p);
}

/* ---- the way out ------------------------------------------------------------------------------- */

static void test_pool__trash(void **state)
{
    struct pools *p = pools_new(*state);
    struct pingo__pool fork = pingo__pool_fork(&p->pool, key);
    struct pingo__buffer names = {0};
    bool more;

    WELL(pingo__pool_trash(&p->pool, "staged/7.2", err)); /* nothing there is fine */
    pools_put_tree(p, "staged/7.2");
    pools_put(p, "staged/8.1", "x");
    WELL(pingo__pool_trash(&p->pool, "staged/7.2", err));
    fork.serial = 0;
    WELL(pingo__pool_trash(&fork, "staged/8.1", err));
    assert_int_equal(pools_count(p, PINGO__STAGED), 0);
    WELL(pingo__pool_list_trash(&p->pool, 1, &names, &more, err));
    assert_true(more && names.length > 0);
    WELL(pingo__pool_list_trash(&p->pool, 2, &names, &more, err));
    assert_false(more);
    for (size_t at = 0; at < names.length; at += strlen(names.data + at) + 1) {
        struct pingo__pool_removal removal = {.serial = p->pool.serial++};

        pingo__pool_remove_trash(&p->pool, names.data + at, 5, &removal);
        assert_false(removal.failed); /* the first twice: it is gone, as if somebody else had it */
    }
    assert_int_equal(pools_count(p, PINGO__TRASH), 0);
    pingo__buffer_clear(&names);
    pools_free(p);
}

static void remove_dataset(struct pools *p, int64_t dataset, const char *name, bool well)
{
    struct pingo__pool_removal removal = {.serial = p->pool.serial++};

    pingo__pool_remove_dataset(&p->pool, dataset, name, &removal);
    assert_int_equal(removal.failed, !well);
    assert_int_equal(removal.rest.why[0] == '\0', well);
    assert_false(removal.in_trash);
}

static void test_pool__removes_a_dataset(void **state)
{
    struct pools *p = pools_new(*state);

    pools_put_tree(p, "staged/7.2");
    WELL(pingo__pool_publish(&p->pool, key, OBJECT, err));
    remove_dataset(p, 3, OBJECT, true);
    assert_false(pools_has(p, OBJECT));
    remove_dataset(p, 3, OBJECT, true); /* after an earlier try */
    pools_put_tree(p, "trash/d.3");     /* whose half is left */
    remove_dataset(p, 3, OBJECT, true);
    pools_put_tree(p, "trash/d.3");
    remove_dataset(p, 3, "trash/d.3", true);
    assert_int_equal(pools_count(p, PINGO__TRASH), 0);
    pools_put_tree(p, "trash/d.3"); /* of a store that is no more */
    pools_put(p, "staged/7.2", "x");
    WELL(pingo__pool_publish(&p->pool, key, OBJECT, err));
    remove_dataset(p, 3, OBJECT, true);
    assert_int_equal(pools_count(p, PINGO__TRASH), 0);
    assert_int_equal(pools_count(p, PINGO__OBJECTS), 0);
    pools_free(p);
}

/* A row that says anything else than a dataset's name removes nothing. */
static void test_pool__removes_nothing_else(void **state)
{
    static const char *const names[] = {
        "staged/1.1", "attempts/1.1", "trash/d.4", "objects/../staged/1.1", "objects", "",
        ".",          "pingo-pool",   "/tmp"};
    struct pools *p = pools_new(*state);

    pools_put(p, "staged/1.1", "x");
    pools_put(p, "attempts/1.1", "x");
    pools_put(p, "trash/d.4", "x");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove_dataset(p, 3, names[i], false);
    assert_true(pools_has(p, "staged/1.1") && pools_has(p, "attempts/1.1"));
    assert_true(pools_has(p, "trash/d.4"));
    assert_true(pingo__pool_is_of(&p->site, ID));
    pools_free(p);
}

static void test_pool__removes_what_is_deep_and_wide(void **state)
{
    struct pools *p = pools_new(*state);
    struct pingo__pool_rest rest;
    char name[32];
    int dir, below;

    assert_int_equal(mkdir(pools_path(p, "deep"), 0755), 0);
    dir = open(pools_path(p, "deep"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < 1500; i++) {
        snprintf(name, sizeof name, "file-%d", i);
        if (i < 300)
            close(openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
        assert_int_equal(mkdirat(dir, "a-directory-with-a-long-name", 0755), 0);
        below = openat(dir, "a-directory-with-a-long-name", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(below >= 0);
        close(dir);
        dir = below;
    }
    close(dir);
    WELL(p->kind->stage(p->pool.handle, pools_path(p, "deep"), "trash/deep", err));
    assert_true(p->kind->remove(p->pool.handle, "trash/deep", &rest));
    assert_int_equal(pools_count(p, PINGO__TRASH), 0);
    assert_true(p->kind->remove(p->pool.handle, "trash/deep", &rest)); /* absent is well */
    pools_free(p);
}

/* ---- all kinds ------------------------------------------------------------------------------------ */

#define OF_A_KIND(test)                                                                            \
    {                                                                                              \
#test, test, NULL, NULL, NULL                                                              \
    }

int main(void)
{
    struct CMUnitTest tests[] = {
        OF_A_KIND(test_pool__belongs_to_a_store),
        OF_A_KIND(test_pool__is_taken_apart),
        OF_A_KIND(test_pool__of_no_kind),
        OF_A_KIND(test_pool__in_and_out),
        OF_A_KIND(test_pool__opens_what_is_there),
        OF_A_KIND(test_pool__stamps),
        OF_A_KIND(test_pool__measures),
        OF_A_KIND(test_pool__lists),
        OF_A_KIND(test_pool__a_move_replaces_nothing),
        OF_A_KIND(test_pool__publishes),
        OF_A_KIND(test_pool__what_a_kind_can_do_is_asked_of_it),
        OF_A_KIND(test_pool__comes_near),
        OF_A_KIND(test_pool__publishes_over_another_life),
        OF_A_KIND(test_pool__publishes_where_nobody_answers),
        OF_A_KIND(test_pool__a_file_in_the_way),
        OF_A_KIND(test_pool__makes_private),
        OF_A_KIND(test_pool__without_paths),
        OF_A_KIND(test_pool__trash),
        OF_A_KIND(test_pool__removes_a_dataset),
        OF_A_KIND(test_pool__removes_nothing_else),
        OF_A_KIND(test_pool__removes_what_is_deep_and_wide),
    };
    int failed = 0;

    for (size_t i = 0; pingo__pool_backends[i]; i++) {
        if (!pools_can(pingo__pool_backends[i]))
            continue;
        for (size_t k = 0; k < sizeof tests / sizeof *tests; k++)
            tests[k].initial_state = (void *)pingo__pool_backends[i];
        failed += cmocka_run_group_tests_name(
            *pingo__pool_backends[i]->scheme ? pingo__pool_backends[i]->scheme : "posix", tests,
            NULL, NULL);
    }
    return failed;
}
