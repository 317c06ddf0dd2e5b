/* test_suspects.c - datasets that are other files than were published: their content decides: suspects.c. */
#include "unit/engine/box.h"

#include "manager/dataset/suspects.h"

#define N 20

static struct pingo__arena arena;

/* A store with the outputs of N actions. */
static struct box *full(void)
{
    struct box *b = box_new();
    char text[4096] = "{'name':'w','actions':[";

    for (int i = 1; i <= N; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%s{'id':%d,'name':'a%d','type':'command-line','command':['x%d']}",
                 i > 1 ? "," : "", i, i, i);
    strcat(text, "]}");
    box_submit(b, text);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    return b;
}

static struct pingo__store_dataset_row row_of(struct box *b, int64_t dataset)
{
    struct pingo__store_dataset_row row;
    struct pingo_error err;

    well(pingo__store_dataset_get(&b->store->db, dataset, &arena, &row, &err), &err);
    assert_int_equal(row.id, dataset);
    return row;
}

static const char *path_of(struct box *b, int64_t dataset)
{
    static char path[400];

    snprintf(path, sizeof path, "%s/pool/%s", b->dir, row_of(b, dataset).path);
    return path;
}

/* The same bytes as another file, as a copy of the store has them. */
static void replace(const char *path, char first)
{
    char text[16], other[420];
    int fd = open(path, O_RDONLY);
    ssize_t n = read(fd, text, sizeof text);

    assert_true(n > 0);
    close(fd);
    text[0] = first ? first : text[0];
    snprintf(other, sizeof other, "%s.new", path);
    fd = open(other, O_WRONLY | O_CREAT | O_EXCL, 0444);
    assert_int_equal(write(fd, text, (size_t)n), n);
    close(fd);
    assert_int_equal(rename(other, path), 0);
}

static enum pingo__manager_presence look(struct box *b, int64_t dataset, bool verifies)
{
    struct pingo__store_dataset_row row = row_of(b, dataset);
    enum pingo__manager_presence is;
    struct pingo_error err;

    well(verifies ? pingo__manager_dataset_verify(&b->store->context, &row, &is, &err)
                  : pingo__manager_dataset_look(&b->store->context, &row, &is, &err),
         &err);
    return is;
}

static bool is_other(struct box *b, struct pingo__manager_suspects *s, int64_t dataset)
{
    struct pingo__store_dataset_row row = row_of(b, dataset);
    struct pingo_error err;
    bool is;

    well(pingo__manager_suspects_judge(s, &row, &is, &err), &err);
    return is;
}

static void test_suspects__what_has_the_content_stays(void **state)
{
    struct box *b = full();
    struct pingo__manager_suspects s = {.c = &b->store->context};
    struct pingo_error err;

    UNUSED(state);
    for (int i = 1; i <= N; i++) /* the last two are others */
        replace(path_of(b, i), i > N - 2 ? '?' : 0);
    assert_int_equal(look(b, 1, false), PINGO__SUSPECT);
    for (int i = 1; i <= N; i++)
        assert_false(is_other(b, &s, i)); /* as long as it was not read */
    assert_false(is_other(b, &s, 1));     /* noted once */
    assert_true(pingo__manager_suspects_is_any_unread(&s));
    well(pingo__manager_suspects_read(&s, NULL, &err), &err);
    assert_false(pingo__manager_suspects_is_any_unread(&s));
    for (int i = 1; i <= N; i++) {
        assert_int_equal(is_other(b, &s, i), i > N - 2);
        assert_int_equal(look(b, i, false), i > N - 2 ? PINGO__SUSPECT : PINGO__THERE);
    }
    pingo__manager_suspects_clear(&s);
    pingo__arena_clear(&arena);
    box_close(b);
}

static int stop(void *context, const struct pingo_identify_progress *progress)
{
    ++*(size_t *)context;
    assert_true(progress->files_done <= progress->files);
    return 1;
}

static void test_suspects__reading_can_be_stopped(void **state)
{
    struct box *b = full();
    struct pingo__manager_suspects s = {.c = &b->store->context};
    size_t told = 0;
    struct pingo_identify_options options = {.version = 1, .progress = stop, .context = &told};
    struct pingo_error err;

    UNUSED(state);
    replace(path_of(b, 1), 0);
    assert_false(is_other(b, &s, 1));
    assert_int_equal(pingo__manager_suspects_read(&s, &options, &err), PINGO_EINTERRUPTED);
    assert_int_equal(told, 1);
    assert_true(pingo__manager_suspects_is_any_unread(&s));
    assert_int_equal(look(b, 1, false), PINGO__SUSPECT); /* nothing was written down */
    well(pingo__manager_suspects_read(&s, NULL, &err), &err);
    assert_int_equal(look(b, 1, false), PINGO__THERE);
    pingo__manager_suspects_clear(&s);
    pingo__arena_clear(&arena);
    box_close(b);
}

static void test_suspects__one_alone(void **state)
{
    struct box *b = full();

    UNUSED(state);
    assert_int_equal(look(b, 1, true), PINGO__THERE);
    replace(path_of(b, 1), 0);
    assert_int_equal(look(b, 1, true), PINGO__THERE);
    assert_int_equal(look(b, 1, false), PINGO__THERE); /* it was learned */
    replace(path_of(b, 1), '?');
    assert_int_equal(look(b, 1, true), PINGO__CHANGED);
    assert_int_equal(chmod(path_of(b, 2), 0555), 0); /* another mode is another dataset */
    assert_int_equal(look(b, 2, false), PINGO__GONE);
    assert_int_equal(look(b, 2, true), PINGO__CHANGED);
    assert_int_equal(unlink(path_of(b, 3)), 0);
    assert_int_equal(look(b, 3, true), PINGO__GONE);
    assert_int_equal(unlink(path_of(b, 4)), 0);
    assert_int_equal(mkdir(path_of(b, 4), 0755), 0);
    assert_int_equal(look(b, 4, true), PINGO__CHANGED);
    pingo__arena_clear(&arena);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_suspects__what_has_the_content_stays),
        cmocka_unit_test(test_suspects__reading_can_be_stopped),
        cmocka_unit_test(test_suspects__one_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
