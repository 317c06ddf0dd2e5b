/* test_links.c - in/NAME: what a command finds there, what is used again, and what was touched: links.c. */
#include "unit/runner/ground.h"

#include "digest/content.h"
#include "runner/steps.h"
#include "unit/unread.h"

static const struct pingo_job_link *at;

static int make(struct ground *g, size_t n)
{
    g->job.nlinks = n;
    return pingo__runner_links_make(&g->scratch, &g->job, &at);
}

static bool leads_to(const struct ground *g, const char *name, const char *target)
{
    char got[256];
    ssize_t n = readlink(ground_work(g, name), got, sizeof got - 1);
    got[n > 0 ? n : 0] = '\0';
    return strcmp(got, target) == 0;
}

static void next_attempt(struct ground *g, int action)
{
    pingo__runner_links_keep(&g->scratch, &g->job);
    pingo__runner_scratch_release(&g->scratch, g->pool.dir);
    ground_claim(g, action);
}

static void test_links__links_copies_and_folders(void **state)
{
    struct ground *g = ground_new();
    (void)state;
    const char *original = ground_path(g, "original");
    ground_write(original, "#!/bin/sh\n", 0755);
    g->links[0] = (struct pingo_job_link){.name = "parent", .target = g->pool.root};
    g->links[1] = (struct pingo_job_link){.name = "script", .target = original, .copy = true};
    g->links[2] = (struct pingo_job_link){.name = "include/sys/a.h", .target = original};
    assert_int_equal(make(g, 3), 0);
    assert_true(leads_to(g, "in/parent", g->pool.root));
    assert_true(leads_to(g, "in/include/sys/a.h", original));
    assert_true(ground_is(ground_work(g, "in/script"), "#!/bin/sh\n"));
    assert_int_equal(ground_mode(ground_work(g, "in/script")), 0555);
    ground_free(g);
}

static void test_links__none_leads_out_of_in(void **state)
{
    static const char *const names[] = {"..", "../a", "a/../../b", "/a", "a//b", "a/", "", "."};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ground *g = ground_new();
        g->links[0] = (struct pingo_job_link){.name = names[i], .target = "/etc/passwd"};
        assert_int_equal(make(g, 1), -EINVAL);
        assert_ptr_equal(at, &g->links[0]);
        assert_int_equal(access(ground_work(g, "a"), F_OK), -1);
        ground_free(g);
    }
    struct ground *g = ground_new(); /* nor through a link that was made just before */
    g->links[0] = (struct pingo_job_link){.name = "a", .target = g->pool.root};
    g->links[1] = (struct pingo_job_link){.name = "a/b", .target = "/etc/passwd"};
    assert_true(make(g, 2) < 0);
    assert_int_equal(access(ground_path(g, "b"), F_OK), -1);
    ground_free(g);
}

static void test_links__a_copy_has_the_content_that_it_should(void **state)
{
    struct ground *g = ground_new();
    struct pingo_hash other = {{1}};
    (void)state;
    ground_write(ground_path(g, "original"), "now", 0644);
    g->links[0] = (struct pingo_job_link){
        .name = "x", .target = ground_path(g, "original"), .copy = true, .content = &other};
    assert_int_equal(make(g, 1), -ESTALE);
    ground_free(g);
}

/* A command may have done anything to what the next one is to use again. */
static void test_links__what_is_kept_is_looked_at(void **state)
{
    struct ground *g = ground_new();
    struct stat before, after;
    (void)state;
    ground_write(ground_path(g, "original"), "one", 0644);
    g->links[0] = (struct pingo_job_link){.name = "a", .target = "/nowhere/a"};
    g->links[1] = (struct pingo_job_link){.name = "b", .target = "/nowhere/b"};
    g->links[2] = (struct pingo_job_link){
        .name = "c", .target = strdup(ground_path(g, "original")), .copy = true};
    assert_int_equal(make(g, 3), 0);
    assert_int_equal(lstat(ground_work(g, "in/a"), &before), 0);
    next_attempt(g, 2);
    struct pingo_job_link b = g->links[1];
    g->links[1] = g->links[2]; /* b is wanted no more */
    assert_int_equal(make(g, 2), 0);
    assert_int_equal(lstat(ground_work(g, "in/a"), &after), 0);
    assert_int_equal(before.st_ino, after.st_ino); /* the same link */
    assert_int_equal(lstat(ground_work(g, "in/b"), &after), -1);
    g->links[2] = g->links[1];
    g->links[1] = b;
    /* The command puts its own in their place. */
    assert_int_equal(unlink(ground_work(g, "in/a")), 0);
    assert_int_equal(symlink("/etc/passwd", ground_work(g, "in/a")), 0);
    assert_int_equal(mkdir(ground_work(g, "in/b"), 0700), 0);
    ground_write(ground_work(g, "in/b/stray"), "x", 0600);
    assert_int_equal(chmod(ground_work(g, "in/c"), 0644), 0);
    ground_write(ground_work(g, "in/c"), "two", 0444);
    assert_int_equal(chmod(ground_work(g, "in"), 0555), 0);
    next_attempt(g, 3);
    assert_int_equal(make(g, 3), 0);
    assert_true(leads_to(g, "in/a", "/nowhere/a"));
    assert_true(leads_to(g, "in/b", "/nowhere/b"));
    assert_true(ground_is(ground_work(g, "in/c"), "one"));
    assert_int_equal(ground_mode(ground_work(g, "in")), 0755);
    free((char *)(uintptr_t)g->links[2].target);
    pingo__runner_links_clear(&g->scratch);
    ground_free(g);
}

/* Of another job's: a link that stays would be an input that nobody asked for. */
static void test_links__what_is_kept_and_cannot_be_read(void **state)
{
    struct ground *g = ground_new();
    (void)state;
    g->links[0] = (struct pingo_job_link){.name = "a", .target = "/nowhere/a"};
    g->links[1] = (struct pingo_job_link){.name = "b", .target = "/nowhere/b"};
    assert_int_equal(make(g, 2), 0);
    next_attempt(g, 2);
    is_away = true;
    assert_int_equal(make(g, 1), -EIO);
    is_away = false;
    ground_free(g);
}

static void test_links__are_they_the_same(void **state)
{
    struct ground *g = ground_new();
    struct pingo__digest_content_options options = {
        .only_stamp = true, .root_may_move = true, .no_follow = true};
    struct pingo__digest_content content;
    (void)state;
    const char *parent = ground_path(g, "parent"), *file = ground_path(g, "parent/f");
    assert_int_equal(mkdir(parent, 0755), 0);
    ground_write(file, "one", 0644);
    assert_int_equal(pingo__digest_content_read(parent, &options, &content, NULL), 0);
    g->links[0] = (struct pingo_job_link){
        .name = "a", .target = parent, .mark = pingo__digest_content_mark(&content)};
    g->job.nlinks = 1;
    assert_true(pingo__runner_links_are_same(&g->job, &g->orders));
    g->links[0].mark++;
    assert_false(pingo__runner_links_are_same(&g->job, &g->orders));
    g->links[0].mark--;
    assert_int_equal(chmod(file, 0600), 0);
    assert_false(pingo__runner_links_are_same(&g->job, &g->orders));
    g->links[0].mark = 0; /* nobody has said how it was */
    assert_true(pingo__runner_links_are_same(&g->job, &g->orders));
    ground_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links__links_copies_and_folders),
        cmocka_unit_test(test_links__none_leads_out_of_in),
        cmocka_unit_test(test_links__a_copy_has_the_content_that_it_should),
        cmocka_unit_test(test_links__what_is_kept_is_looked_at),
        cmocka_unit_test(test_links__what_is_kept_and_cannot_be_read),
        cmocka_unit_test(test_links__are_they_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
