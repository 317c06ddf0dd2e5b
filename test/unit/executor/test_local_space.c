/* A full disk is not the command's fault.  Needs a small file system, which only root can mount:
 * skipped for others. */
#include "unit/executor/harness.h"

#include <sys/mount.h>

static bool box_open_small(struct box *b)
{
    char path[160];
    box_init(b);
    if (mount("tmpfs", b->pool, "tmpfs", 0, "size=2m,nr_inodes=200") != 0) {
        box_remove(b);
        return false;
    }
    snprintf(path, sizeof path, "%s/attempts", b->pool);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/staged", b->pool);
    assert_int_equal(mkdir(path, 0755), 0);
    b->executor = box_open_executor(b);
    return true;
}

static void box_close_small(struct box *b)
{
    b->type->close(b->executor);
    box_end_supervisor(b);
    assert_int_equal(umount2(b->pool, MNT_DETACH), 0);
    box_remove(b);
    free(b->ends);
    free(b->started);
}

static void remove_all(const struct box *b, const char *part)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s/%s", b->pool, part);
    assert_int_equal(system(command), 0);
}

static void fill(const struct box *b)
{
    char command[200];
    snprintf(command, sizeof command, "head -c 9000000 /dev/zero >%s/filler 2>/dev/null", b->pool);
    assert_int_not_equal(system(command), 0);
}

static void test_local_space__a_command_that_fills_the_disk(void **state)
{
    struct box b;
    (void)state;
    if (!box_open_small(&b))
        skip();
    struct pingo_job_end *end =
        box_run(&b, &(struct spec){.action = 1, .script = "head -c 5000000 /dev/zero > output"});
    assert_int_equal(end->reason, PINGO_END_NO_SPACE);
    assert_non_null(strstr(end->message, "full"));
    assert_true(end->size_bytes > 1000000); /* what it held, and holds no more: */
    end = box_run(&b, &(struct spec){.action = 2, .script = "exit 1"});
    assert_int_equal(end->reason, PINGO_END_EXITED);
    assert_int_equal(end->size_bytes, 0);
    /* On a disk that others have filled the next one cannot be prepared. */
    fill(&b);
    end = box_run(&b, &(struct spec){.action = 5, .script = "exit 1"});
    assert_int_equal(end->reason, PINGO_END_NO_SPACE);
    remove_all(&b, "filler");
    end = box_run(&b, &(struct spec){.action = 3, .script = "exit 1"});
    assert_int_equal(end->reason, PINGO_END_EXITED);
    assert_true(pingo_job_end_is_success(
        box_run(&b, &(struct spec){.action = 4, .script = "echo x > output"})));
    box_close_small(&b);
}

static void test_local_space__no_inode_for_the_links(void **state)
{
    struct pingo_job_link links[300];
    char names[300][8];
    struct box b;
    (void)state;
    if (!box_open_small(&b))
        skip();
    for (size_t i = 0; i < 300; i++) {
        snprintf(names[i], sizeof names[i], "%zu", i);
        links[i] = (struct pingo_job_link){.name = names[i], .target = "/x"};
    }
    struct pingo_job_end *end = box_run(
        &b, &(struct spec){.action = 1, .links = links, .nlinks = 300, .script = "echo x > output"});
    assert_int_equal(end->reason, PINGO_END_NO_SPACE);
    assert_non_null(strstr(end->message, "in/"));
    remove_all(&b, "attempts/1.1");
    assert_true(pingo_job_end_is_success(
        box_run(&b, &(struct spec){.action = 2, .script = "echo x > output"})));
    box_close_small(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_space__a_command_that_fills_the_disk),
        cmocka_unit_test(test_local_space__no_inode_for_the_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
