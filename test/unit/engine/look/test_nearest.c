/* test_nearest.c - the nearest action that was known before another: the same name, the fewest differences, the latest; and
 * the remarks, where things lay and which files of a directory changed. */
#include "unit/engine/look/told.h"

#include "engine/look/nearest.h"
#include "unit/engine/memory.h"

/* ---- what is asked, as text --------------------------------------------------------------- */

/* A path below the box. */
static const char *below(const struct box *b, const char *path)
{
    return path && strncmp(path, b->root, strlen(b->root)) == 0 ? path + strlen(b->root) + 1 : path;
}

static const char *value_of(const struct pingo_difference *d, const char *value)
{
    bool is_hashed = strncmp(d->field, "input ", 6) == 0 || strncmp(d->field, "parent ", 7) == 0;

    return !value ? "-" : is_hashed ? "#" : value;
}

static void tell_difference(const struct box *b, const struct pingo_difference *d, struct told *t)
{
    add(t, "%s %s>%s", d->field, value_of(d, d->before), value_of(d, d->after));
    if (d->before_path || d->after_path)
        add(t, " %s>%s", d->before_path ? below(b, d->before_path) : "-",
            d->after_path ? below(b, d->after_path) : "-");
    if (d->changed_files)
        add(t, " of %zu:", d->changed_files);
    for (size_t i = 0; i < d->nfiles && i < 6; i++)
        add(t, " %s%s", d->files[i].before ? d->files[i].after ? "" : "-" : "+", d->files[i].path);
    add(t, "; ");
}

/* "WORKFLOW INHERITED: DIFFERENCES", "" where there is none; the rows of actions below before are looked at. */
static int nearest_of(struct box *b, const struct pingo_hash *hash, int64_t before, struct told *t,
                      struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo_why why = {.id = 1, .name = "a1", .hash = *hash};
    struct pingo__engine_subject subject = {.store = b->store, .arena = &arena, .before = before};
    int rc = pingo__engine_nearest_tell(&subject, &why, err);

    *t = (struct told){.n = 0};
    if (!rc && why.has_nearest)
        add(t, "%lld %zu: ", (long long)why.nearest_workflow, why.inherited);
    for (size_t i = 0; !rc && i < why.ndifferences; i++)
        tell_difference(b, &why.differences[i], t);
    pingo__arena_clear(&arena);
    return rc;
}

static void expect(struct box *b, int64_t workflow, int64_t before, const char *want)
{
    struct pingo_hash hash = box_hash(b, workflow, 1);
    struct told t;
    struct pingo_error err;

    well(nearest_of(b, &hash, before, &t, &err), &err);
    assert_string_equal(t.text, want);
}

static void write_file(const struct box *b, const char *name, const char *text)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", b->root, name);
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void make_directory(const struct box *b, const char *name)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", b->root, name);
    assert_int_equal(mkdir(path, 0755), 0);
}

/* ---- which ---------------------------------------------------------------------------------- */

#define ONE(more) W("{'id':1,'name':'a1','type':'command-line'," more "}")

static void test_nearest__has_the_fewest_differences(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, ONE("'command':['x'],'env':{'A':'1','B':'1'}"));
    expect(b, 1, INT64_MAX, ""); /* itself is none */
    box_submit(b, ONE("'command':['x'],'env':{'A':'2','B':'2'}"));
    box_submit(b, ONE("'command':['y'],'env':{'A':'3','B':'3'}"));
    box_submit(b, "{'name':'w','actions':[{'id':1,'name':'other','type':'command-line','command':"
                  "['x'],'env':{'A':'1','B':'3'}}]}");
    box_submit(b, ONE("'command':['x'],'env':{'A':'1','B':'2'}"));
    /* Of those before it with one difference the latest. */
    expect(b, 5, 5, "2 0: env A 2>1; ");
    expect(b, 5, 2, "1 0: env B 1>2; ");
    expect(b, 5, 1, "");
    /* What is equal to it tells nothing, whoever submitted it. */
    box_submit(b, ONE("'command':['x'],'env':{'A':'1','B':'2'}"));
    expect(b, 6, INT64_MAX, "2 0: env A 2>1; ");
    box_submit(b, ONE("'command':['x'],'env':{'A':'1'},'salt':'s'"));
    expect(b, 7, 7, "5 0: env B 2>-; salt ->s; "); /* the sixth was to make nothing */
    box_close(b);
}

/* A million namesakes that came since, in its workflow or later, are not looked at. */
static void test_nearest__is_found_however_many_came_later(void **state)
{
    struct pingo__buffer many = {0};
    struct box *b = box_new();
    int64_t steps[4];

    UNUSED(state);
    box_submit(b, ONE("'command':['x']"));
    box_submit(b, ONE("'command':['y']"));
    pingo__buffer_format(&many, "{'name':'w','actions':[");
    for (int i = 1; i <= 2000; i++)
        pingo__buffer_format(&many,
                             "%s{'id':%d,'name':'a1','type':'command-line','command':['z','%d']}",
                             i > 1 ? "," : "", i, i);
    pingo__buffer_format(&many, "]}");
    steps[0] = box_steps(b);
    expect(b, 2, 2, "1 0: command x>y; ");
    steps[1] = box_steps(b);
    box_submit(b, pingo__buffer_cstr(&many));
    steps[2] = box_steps(b);
    expect(b, 2, 2, "1 0: command x>y; ");
    expect(b, 3, 3, "2 0: command y>z 1; ");
    steps[3] = box_steps(b);
    assert_in_range(steps[3] - steps[2], 1, 2 * (steps[1] - steps[0] + 8000));
    assert_in_range(steps[1] - steps[0], 1, 1500); /* nor is it much to find that there are few */
    pingo__buffer_clear(&many);
    box_close(b);
}

/* Where no other hash has its name, that is seen at once. */
static void test_nearest__is_not_looked_for_where_nobody_has_the_name(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, ONE("'command':['x']"));
    int64_t before = box_steps(b);
    expect(b, 1, 1, "");
    assert_in_range(box_steps(b) - before, 1, 140);
    box_close(b);
}

static void test_nearest__knows_what_is_inherited(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(2, "") "," A(1, P("{'id':2,'as':'p'}"))));
    box_submit(b, W(A(2, ",'salt':'s'") "," A(1, P("{'id':2,'as':'p'}"))));
    expect(b, 2, 3, "1 1: parent p #>#; ");
    box_submit(b, W(A(2, ",'salt':'s'") "," A(1, P("{'id':2,'as':'q'}"))));
    /* A parent that came or went is none that differs in turn. */
    expect(b, 3, 5, "2 0: parent p #>-; parent q ->#; ");
    box_submit(b, W(A(2, ",'salt':'t'") "," A(1, P("{'id':2,'as':'p'},{'id':2,'as':'q'}"))));
    expect(b, 4, 7, "3 1: parent p ->#; parent q #>#; ");
    box_close(b);
}

/* ---- the remarks ---------------------------------------------------------------------------- */

static void test_nearest__tells_where_inputs_lay(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    write_file(b, "one", "1");
    write_file(b, "two", "2");
    box_submit(b, ONE("'command':['x'],'inputs':[{'name':'i','path':'one'}]"));
    box_submit(b, ONE("'command':['x'],'inputs':[{'name':'i','path':'two'}]"));
    expect(b, 2, 2, "1 0: input i #># one>two; ");
    box_submit(b, ONE("'command':['x'],'inputs':[{'name':'j','path':'two'}]"));
    expect(b, 3, 3, "2 0: input i #>- two>-; input j -># ->two; ");
    box_close(b);
}

/* A submission with a directory d and what was done to it. */
static struct box *changed_directory(void)
{
    struct box *b = box_new();
    static const char text[] = ONE("'command':['x'],'inputs':[{'name':'i','path':'d'}]");
    char path[100];

    make_directory(b, "d");
    make_directory(b, "d/s");
    write_file(b, "d/a", "1");
    write_file(b, "d/s/b", "2");
    write_file(b, "d/z", "3");
    box_submit(b, text);
    write_file(b, "d/a", "2");
    snprintf(path, sizeof path, "%s/d/s/b", b->root);
    assert_int_equal(unlink(path), 0);
    write_file(b, "d/new", "4");
    box_submit(b, text);
    return b;
}

static void test_nearest__tells_what_changed_in_a_directory(void **state)
{
    struct box *b = changed_directory();

    UNUSED(state);
    expect(b, 2, 2, "1 0: input i #># d>d of 3: a +new -s/b; ");
    /* Where nobody kept what lay in it, there is no remark; nor where that does not read back. */
    box_run(b, "UPDATE tree_listing SET listing = x'ff00'");
    expect(b, 2, 2, "1 0: input i #># d>d; ");
    box_run(b, "DELETE FROM tree_listing");
    expect(b, 2, 2, "1 0: input i #># d>d; ");
    box_close(b);
}

/* Of very many files the first ones. */
static void test_nearest__tells_the_first_of_many_files(void **state)
{
    struct box *b = box_new();
    char name[32];

    UNUSED(state);
    make_directory(b, "d");
    write_file(b, "d/a", "1");
    box_submit(b, ONE("'command':['x'],'inputs':[{'name':'i','path':'d'}]"));
    for (int i = 0; i < 150; i++) {
        snprintf(name, sizeof name, "d/n%03d", i);
        write_file(b, name, "1");
    }
    box_submit(b, ONE("'command':['x'],'inputs':[{'name':'i','path':'d'}]"));
    expect(b, 2, 2, "1 0: input i #># d>d of 150: +n000 +n001 +n002 +n003 +n004 +n005; ");
    box_close(b);
}

static void submit_long(struct box *b, int value, const char *salt)
{
    struct pingo__buffer text = {0};

    pingo__buffer_format(&text,
                         "{'name':'w','actions':[{'id':1,'name':'a1','type':'command-line',"
                         "'command':['x%s'],'salt':'%s','env':{",
                         salt, salt);
    for (int i = 0; i < 90; i++)
        pingo__buffer_format(&text, "%s'A%d':'%d%080d'", i ? "," : "", i, value, i);
    pingo__buffer_text(&text, "}}]}");
    box_submit(b, pingo__buffer_cstr(&text));
    pingo__buffer_clear(&text);
}

/* Three: of the first the second has many differences of long values, the third has two of the second. */
static struct box *many_differences(void)
{
    struct box *b = box_new();

    submit_long(b, 0, "s");
    submit_long(b, 1, "s");
    submit_long(b, 1, "t");
    return b;
}

/* Whatever allocation fails, it is told, and nothing else than what is so. */
static void fails_in(struct box *b, int64_t workflow)
{
    struct pingo_hash hash = box_hash(b, workflow, 1);
    struct told want, t;
    struct pingo_error err;
    bool more = true;
    long met = 0;

    well(nearest_of(b, &hash, workflow, &want, &err), &err);
    for (long n = 0; more; n++) {
        arm(n);
        int rc = nearest_of(b, &hash, workflow, &t, &err);
        more = disarm();
        met += more;
        if (rc ? !may_return(rc) || !*err.message : strcmp(t.text, want.text) != 0)
            fail_msg("N %ld: %d %s, %s", n, rc, t.text, err.message);
    }
    assert_true(met > 20);
}

static void test_nearest__tells_all_or_that_it_has_no_memory(void **state)
{
    struct box *b = changed_directory();

    UNUSED(state);
    fails_in(b, 2);
    box_close(b);
    b = many_differences();
    fails_in(b, 2);
    fails_in(b, 3);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest__has_the_fewest_differences),
        cmocka_unit_test(test_nearest__is_found_however_many_came_later),
        cmocka_unit_test(test_nearest__is_not_looked_for_where_nobody_has_the_name),
        cmocka_unit_test(test_nearest__knows_what_is_inherited),
        cmocka_unit_test(test_nearest__tells_where_inputs_lay),
        cmocka_unit_test(test_nearest__tells_what_changed_in_a_directory),
        cmocka_unit_test(test_nearest__tells_the_first_of_many_files),
        cmocka_unit_test(test_nearest__tells_all_or_that_it_has_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
