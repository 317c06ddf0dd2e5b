/* The golden vectors of test/data/hash: workflows, and the hashes that a second
 * implementation, written from pingo-hash(7), gave them.  Their originals are made
 * below a scratch directory that stands for /, so that paths, times and tools that
 * enter hashes are the same on every machine. */
#include "unit/digest/files.h"
#include "unit/digest/workflows.h"

#include "base/program.h"
#include "digest/originals.h"

#define VECTORS "test/data/hash/"

static struct pingo__world world;

/* Absolute paths are looked up below the scratch directory. */
static const char *below(int dir, const char *name, char *path)
{
    if (dir != AT_FDCWD || name[0] != '/')
        return name;
    snprintf(path, 2 * PATH_MAX, "%s%s", scratch, name);
    return path;
}

static int open_below(void *context, int dir, const char *name, int flags, mode_t mode)
{
    char path[2 * PATH_MAX];

    return pingo__world_real()->open(context, dir, below(dir, name, path), flags, mode);
}

static int stat_below(void *context, int dir, const char *name, int flags, struct stat *st)
{
    char path[2 * PATH_MAX];

    return pingo__world_real()->stat(context, dir, below(dir, name, path), flags, st);
}

static int run_below(void *context, const struct pingo__program *program,
                     struct pingo__program_end *end)
{
    struct pingo__program moved = *program;
    char path[2 * PATH_MAX];

    moved.path = below(AT_FDCWD, program->path, path);
    return pingo__world_real()->run(context, &moved, end);
}

static int make_originals(void **state)
{
    char command[2 * PATH_MAX];

    if (make_scratch(state) != 0)
        return -1;
    world = *pingo__world_real();
    world.open = open_below;
    world.stat = stat_below;
    world.run = run_below;
    snprintf(command, sizeof command, "sh " VECTORS "originals.sh '%s'", scratch);
    return system(command) == 0 ? 0 : -1;
}

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);

    if (file == NULL)
        fail_msg("%s: tests run in the directory of the Makefile", path);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

static void check_hashes(const char *name, const struct pingo_workflow *workflow,
                         const struct pingo_digests *digests)
{
    char path[256], hex[PINGO_HASH_HEX_SIZE];
    char *hashes;
    size_t n = 0;

    snprintf(path, sizeof path, VECTORS "%s.hashes", name);
    hashes = read_all(path);
    for (char *line = strtok(hashes, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char *hash;
        size_t i = pingo_workflow_find(workflow, strtoll(line, &hash, 10));

        assert_true(i != SIZE_MAX);
        pingo_hash_to_hex(pingo_digests_hash(digests, i), hex);
        if (strcmp(hash + 1, hex) != 0)
            fail_msg("%s, action %s is %s", name, line, hex);
        n++;
    }
    assert_int_equal(n, pingo_workflow_count(workflow));
    free(hashes);
}

static void check(const char *name)
{
    char path[256];
    char *text;
    struct pingo_workflow *workflow;
    struct pingo_originals *originals = NULL;
    struct pingo_digests *digests = NULL;
    struct pingo__digest_identify what = {.world = &world};
    struct pingo_error error = {0};

    snprintf(path, sizeof path, VECTORS "%s.json", name);
    text = read_all(path);
    what.workflow = workflow = parse_in(text, "/golden");
    if (pingo__digest_originals_identify(&what, &originals, &error) != 0 ||
        pingo_workflow_hash(workflow, originals, &digests, &error) != 0)
        fail_msg("%s", error.message);
    check_hashes(name, workflow, digests);
    pingo_digests_free(digests);
    pingo_originals_free(originals);
    pingo_workflow_free(workflow);
    free(text);
}

static void test_golden__example_of_the_manual(void **state)
{
    (void)state;
    check("example");
}

static void test_golden__fields(void **state)
{
    (void)state;
    check("fields");
}

static void test_golden__map_reduce(void **state)
{
    (void)state;
    check("map_reduce");
}

static void test_golden__shells(void **state)
{
    (void)state;
    check("shells");
}

static void test_golden__versions(void **state)
{
    (void)state;
    check("versions");
}

static void test_golden__inputs(void **state)
{
    (void)state;
    check("inputs");
}

static void test_golden__parents(void **state)
{
    (void)state;
    check("parents");
}

static void test_golden__places(void **state)
{
    (void)state;
    check("places");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden__example_of_the_manual),
        cmocka_unit_test(test_golden__fields),
        cmocka_unit_test(test_golden__inputs),
        cmocka_unit_test(test_golden__map_reduce),
        cmocka_unit_test(test_golden__shells),
        cmocka_unit_test(test_golden__versions),
        cmocka_unit_test(test_golden__parents),
        cmocka_unit_test(test_golden__places),
    };

    return cmocka_run_group_tests(tests, make_originals, remove_scratch);
}
