/* test_forget.c - what a person wrote into a submission is erased, from the files too; what others need, and what decisions
 * go by, stays. */
#include "unit/engine/box.h"

#include <pingo/pool.h>

#include "unit/manager/dataset/outside_files.h"
#include "unit/manager/dataset/removing.h"

/* A word that stands in the text, in a description, and in a log. */
#define WORD "s3cr3t"
#define SECRET(id, more)                                                                           \
    "{'id':" #id ",'name':'a" #id "','type':'command-line','command':['x" #id                      \
    "'],'env':{'T':'" WORD "'}" more "}"

static int nfound;

static int look(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    UNUSED(st);
    UNUSED(ftw);
    if (kind != FTW_F)
        return 0;
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    size_t at = 0;
    bool found = false;
    for (int c; !found && (c = fgetc(f)) != EOF;) {
        at = c == WORD[at] ? at + 1 : c == WORD[0];
        found = at == strlen(WORD);
    }
    fclose(f);
    nfound += found;
    return 0;
}

/* In how many files of the store it stands. */
static int found(struct box *b)
{
    nfound = 0;
    assert_int_equal(nftw(b->dir, look, 16, FTW_PHYS), 0);
    return nfound;
}

static struct pingo_forgotten forget(struct box *b, int64_t workflow)
{
    struct pingo_forgotten f = {.size = sizeof f};
    struct pingo_error err;

    well(pingo_store_forget(b->store, &workflow, 1, &f, &err), &err);
    return f;
}

/* Every attempt of it has said the word. */
static void finish(struct box *b)
{
    box_tick(b);
    for (size_t i = 0; i < b->fake.n; i++)
        if (!b->fake.jobs[i].ended) {
            char path[300];
            mkdir(b->fake.jobs[i].dir, 0700);
            snprintf(path, sizeof path, "%s/stderr", b->fake.jobs[i].dir);
            outside_write(path, WORD);
        }
    box_finish_all(b);
}

static void test_forget__the_word_is_gone_and_the_results_are_not(void **state)
{
    struct box *b = box_new();
    struct pingo_forgotten f;
    struct pingo_pool_usage before = {.size = sizeof before}, after = {.size = sizeof after};
    struct pingo_submission s;
    struct pingo_error err;
    char path[200];

    UNUSED(state);
    box_submit(b, W(SECRET(1, "") "," SECRET(2, "")));
    finish(b);
    snprintf(path, sizeof path, "%s/runs", b->dir);
    mkdir(path, 0700);
    strcat(path, "/1.log");
    outside_write(path, WORD);
    assert_true(found(b) >= 4);
    struct pingo_hash hash = box_hash(b, 1, 1);
    well(pingo_store_usage(b->store, &before, &err), &err);
    f = forget(b, 1);
    assert_int_equal(f.texts, 1);
    assert_int_equal(f.descriptions, 2);
    assert_int_equal(f.attempts, 2);
    assert_int_equal(f.shared, 0);
    assert_int_equal(found(b), 0);
    assert_int_equal(access(path, F_OK), -1);
    struct pingo_hash now = box_hash(b, 1, 1);
    assert_memory_equal(&hash, &now, sizeof hash);
    well(pingo_store_usage(b->store, &after, &err), &err);
    assert_int_equal(after.used_bytes, before.used_bytes);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_LEAF);
    f = forget(b, 1); /* there is nothing left to erase */
    assert_int_equal(f.texts + f.descriptions + f.attempts, 0);
    /* The same again is reused, and known again. */
    s = box_submit(b, W(SECRET(1, "") "," SECRET(2, "")));
    assert_int_equal(s.summary.reuse, 2);
    assert_true(found(b) > 0);
    f = forget(b, 2);
    assert_int_equal(f.descriptions, 2);
    assert_int_equal(found(b), 0);
    box_clean(b);
    box_close(b);
}

/* It is not passed over in silence that a log lies there still. */
static void test_forget__what_cannot_be_removed_is_told(void **state)
{
    struct box *b = box_new();
    char dir[160], from[200], to[200];

    UNUSED(state);
    box_submit(b, W(SECRET(1, "")));
    finish(b);
    snprintf(dir, sizeof dir, "%s/pool/attempts/1.1", b->dir);
    snprintf(from, sizeof from, "%s/stderr", dir);
    snprintf(to, sizeof to, "%s/stubborn", dir);
    assert_int_equal(rename(from, to), 0);
    be_stubborn(b, -EBUSY, 0);
    *b->log = '\0';
    forget(b, 1);
    assert_int_equal(found(b), 1);
    assert_non_null(strstr(b->log, "/stubborn: cannot be deleted"));
    be_stubborn(b, 0, 0);
    box_close(b);
}

static void test_forget__what_another_needs_stays(void **state)
{
    struct box *b = box_new();
    struct pingo_forgotten f;

    UNUSED(state);
    box_submit(b, W(SECRET(1, "") "," SECRET(2, "")));
    finish(b);
    box_submit(b, W(SECRET(1, "") "," SECRET(2, ""))); /* the same text */
    box_submit(b, W(SECRET(1, "")));                   /* one of its actions */
    f = forget(b, 1);
    assert_int_equal(f.texts, 0);
    assert_int_equal(f.descriptions, 0);
    assert_int_equal(f.shared, 1);
    assert_int_equal(f.shared_by, 2);
    assert_true(found(b) > 0);
    f = forget(b, 2);
    assert_int_equal(f.texts, 1);
    assert_int_equal(f.descriptions, 1); /* a2: the third has the other */
    assert_int_equal(f.shared, 0);
    assert_true(found(b) > 0);
    f = forget(b, 3);
    assert_int_equal(f.texts + f.descriptions, 2);
    assert_int_equal(found(b), 0);
    box_clean(b);
    box_close(b);
}

static void test_forget__all_of_them_or_none(void **state)
{
    static const int64_t running[] = {1, 2}, nobody[] = {1, 9}, one[] = {1};
    struct box *b = box_new();
    struct pingo_forgotten f = {.size = sizeof f, .texts = 7};
    struct pingo_caller bob = {1, "bob", PINGO_ROLE_SUBMITTER, "a test"};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(SECRET(1, "")));
    finish(b);
    box_submit(b, W(SECRET(3, "")));
    int before = found(b);
    assert_int_equal(pingo_store_forget(b->store, running, 2, &f, &err), PINGO_ESTATE);
    assert_string_equal(err.message,
                        "workflow 2 has not ended: kill it, or wait, and then forget it");
    assert_int_equal(f.texts, 0);
    assert_int_equal(pingo_store_forget(b->store, nobody, 2, &f, &err), PINGO_ENOTFOUND);
    f.size = 0;
    assert_int_equal(pingo_store_forget(b->store, one, 1, &f, &err), PINGO_EINVAL);
    well(pingo_store_act_for(b->store, &bob, &err), &err);
    assert_int_equal(pingo_store_forget(b->store, one, 1, NULL, &err), PINGO_EFORBIDDEN);
    assert_string_equal(err.message, "bob is a submitter, and may not forget workflow 1");
    well(pingo_store_act_for(b->store, NULL, &err), &err);
    assert_int_equal(found(b), before);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){2, NULL}, NULL, &err), &err);
    well(pingo_store_forget(b->store, running, 2, NULL, &err), &err);
    assert_int_equal(found(b), 0);
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forget__the_word_is_gone_and_the_results_are_not),
        cmocka_unit_test(test_forget__what_cannot_be_removed_is_told),
        cmocka_unit_test(test_forget__what_another_needs_stays),
        cmocka_unit_test(test_forget__all_of_them_or_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
