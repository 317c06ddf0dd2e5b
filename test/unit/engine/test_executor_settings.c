/* test_executor_settings.c - settings of executors' own: executor.NAME.KEY, which keys there are, and who checks them. */
#include "unit/engine/box.h"

#include "base/error.h"
#include "engine/executor_settings.h"

/* ---- keys ------------------------------------------------------------------------------------ */

#define LETTERS_64 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz0123456789_-"

static void test_executor_settings__a_key_has_a_name_and_a_key(void **state)
{
    static const struct {
        const char *key, *name; /* name NULL: it is of another form */
    } rows[] = {
        {"executor.slurm.url", "slurm"},
        {"executor.my.own.url", "my.own"}, /* the key is what stands behind the last point */
        {"executor.a.b", "a"},
        {"executor." LETTERS_64 ".url", LETTERS_64},
        {"executor." LETTERS_64 "x.url", NULL},
        {"executor.slots", NULL}, /* of all of them */
        {"executor..url", NULL},
        {"executor.slurm.", NULL},
        {"executor.a b.url", NULL},
        {"executor", NULL},
        {"pool.slurm.url", NULL},
        {"", NULL},
    };
    struct pingo__engine_executor_key k;

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (pingo__engine_executor_key_split(rows[i].key, &k) != (rows[i].name != NULL))
            fail_msg("%s", rows[i].key);
        if (!rows[i].name)
            continue;
        assert_string_equal(k.name, rows[i].name);
        assert_null(k.row); /* that is looked up by another function */
    }
}

static void test_executor_settings__ones_own_are_known(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    b->store->options.executors = fake_list;
    assert_null(pingo__engine_executor_known(b->store, "fake"));
    b->store->options.nexecutors = 1;
    assert_ptr_equal(pingo__engine_executor_known(b->store, "fake"), &fake_type);
    assert_null(pingo__engine_executor_known(b->store, "fak"));
    assert_ptr_equal(pingo__engine_executor_known(b->store, "external"),
                     pingo__executor_builtin("external"));
    box_close(b);
}

/* All of those that are known, and of others what is set. */
static void test_executor_settings__lists_what_there_is(void **state)
{
    struct pingo_executor_setting rows[] = {
        {"url", PINGO_SETTING_TEXT, 0, 0, NULL, "where it listens"},
        {"jobs", PINGO_SETTING_NUMBER, 1, 50, "7", "how many at once"}};
    struct pingo_executor_type own = fake_type;
    const struct pingo_executor_type *list[] = {&own};
    struct box *b = box_new();
    struct pingo__arena arena = {0};
    struct pingo__engine_setting_list told = {.arena = &arena};
    struct pingo_error err;
    size_t nown = 0, nothers = 0, nbuiltin = 0;

    UNUSED(state);
    own.settings = rows;
    own.nsettings = 2;
    b->store->options.executors = list;
    b->store->options.nexecutors = 1;
    well(pingo_store_set(b->store, "executor.fake.jobs", "3", &err), &err);
    well(pingo_store_set(b->store, "executor.none.depth", "3", &err), &err);
    well(pingo_store_set(b->store, "executor.slots", "3", &err), &err);
    well(pingo__engine_executor_setting_add(b->store, &told, &err), &err);
    for (size_t i = 0; i < told.n; i++)
        if (strncmp(told.rows[i].key, "executor.fake.", 14) ==
            0) { /* once, whether it is set or not */
            assert_string_equal(told.rows[i].key + 14, rows[nown].key);
            assert_ptr_equal(told.rows[i].default_value, rows[nown].default_value);
            assert_ptr_equal(told.rows[i].meaning, rows[nown].help);
            nown++;
        } else if (strcmp(told.rows[i].key, "executor.none.depth") == 0) {
            assert_null(told.rows[i].default_value);
            assert_non_null(strstr(told.rows[i].meaning, "\"none\""));
            nothers++;
        } else {
            nbuiltin++;
        }
    assert_int_equal(nown, 2);
    assert_int_equal(nothers, 1);
    size_t all = 0;
    for (size_t i = 0; pingo__executor_nth(i); i++)
        all += pingo__executor_table(pingo__executor_nth(i)).nsettings;
    assert_int_equal(nbuiltin, all);
    pingo__arena_clear(&arena);
    b->store->options.nexecutors = 0;
    box_close(b);
}

/* ---- their values ---------------------------------------------------------------------------- */

static const struct pingo_executor_setting own_settings[] = {
    {"url", PINGO_SETTING_TEXT, 0, 0, NULL, "where it listens"},
    {"jobs", PINGO_SETTING_NUMBER, 1, 50, "7", "how many at once"},
    {"room", PINGO_SETTING_SIZE, 0, 0, "1K", "bytes"},
    {"fast", PINGO_SETTING_SWITCH, 0, 0, "off", "or slow"},
};
static char own_said[2][200]; /* what open was told, by tables in the order of their names */

static int own_open(const struct pingo_executor_context *context, void **executor,
                    struct pingo_error *err)
{
    const char *url = pingo_executor_context_text(context, "url");

    assert_int_equal(context->version, 3);
    assert_null(pingo_executor_context_text(context, "nothing"));
    assert_int_equal(pingo_executor_context_number(context, "nothing"), -1);
    assert_int_equal(pingo_executor_context_number(context, "url"), -1);
    snprintf(own_said[strcmp(context->name, "one") != 0], sizeof own_said[0], "%s %s %d %d %d",
             context->name, url ? url : "-", (int)pingo_executor_context_number(context, "jobs"),
             (int)pingo_executor_context_number(context, "room"),
             (int)pingo_executor_context_number(context, "fast"));
    return fake_open(context, executor, err);
}

static int own_check_text(const char *key, const char *text, struct pingo_error *err)
{
    assert_string_equal(key, "url"); /* the only text */
    return strcmp(text, "nowhere") != 0
               ? 0
               : pingo__fail(err, PINGO_EINVAL, "executor.one.url: %s", text);
}

static int write_line(void *context, const char *key, const char *value, const char *def,
                      const char *meaning)
{
    char *text = context;

    if (strncmp(key, "executor", 8) == 0)
        snprintf(text + strlen(text), 4000 - strlen(text), "%s=%s/%s %s\n", key,
                 value ? value : "NULL", def ? def : "NULL", meaning);
    return 0;
}

static int set(struct box *b, const char *key, const char *value, const char *said)
{
    struct pingo_error err = {0};
    int rc = pingo_store_set(b->store, key, value, &err);

    if (rc && !strstr(err.message, said))
        fail_msg("not \"%s\": %s", said, err.message);
    return rc;
}

static void test_executor_settings__are_checked_by_who_knows_them(void **state)
{
    struct box *b = box_new();
    struct pingo_executor_type one = fake_type, two;
    const struct pingo_executor_type *list[] = {&one, &two};
    struct pingo_store_options options = {.version = 1, .executors = list, .nexecutors = 2};
    struct pingo_scheduler_options both = {.version = 1, .executors = list, .nexecutors = 2};
    struct pingo_scheduler *s = NULL;
    struct pingo_error err = {0};
    char text[4000] = "", *value;

    UNUSED(state);
    one.name = "one";
    one.open = own_open;
    one.settings = own_settings;
    one.nsettings = 4;
    one.check_text = own_check_text;
    two = one;
    two.name = "two";
    /* Who does not have them keeps what it is told. */
    assert_int_equal(set(b, "executor.one.jobs", "many", ""), 0);
    assert_non_null(strstr(b->log, "does not have executor \"one\""));
    assert_int_equal(set(b, "executor.external.slots", "1", "\"external\" has none of its own"),
                     PINGO_ENOTFOUND);
    assert_int_equal(pingo_store_get(b->store, "executor.one.url", &value, &err), PINGO_ENOTFOUND);
    well(pingo_store_settings(b->store, write_line, text, &err), &err);
    assert_non_null(strstr(text, "executor.one.jobs=many/NULL of executor \"one\", which"));
    pingo_scheduler_close(b->s);
    b->s = NULL;
    pingo_store_close(b->store);
    well(pingo_store_open(b->dir, &options, &b->store, &err), &err);
    /* Who opens it sees that it is wrong. */
    assert_int_equal(pingo_scheduler_open(b->store, &both, &s, &err), PINGO_EINVAL);
    assert_non_null(strstr(err.message, "executor.one.jobs: \"many\" is not a whole number from 1 "
                                        "to 50"));
    assert_int_equal(set(b, "executor.one.jobs", "51", "from 1 to 50"), PINGO_EINVAL);
    assert_int_equal(set(b, "executor.one.fast", "yes", "neither on nor off"), PINGO_EINVAL);
    assert_int_equal(set(b, "executor.one.room", "much", "a size"), PINGO_EINVAL);
    assert_int_equal(set(b, "executor.one.url", "nowhere", "one.url: nowhere"), PINGO_EINVAL);
    assert_int_equal(set(b, "executor.one.url", NULL, ""), 0);
    assert_int_equal(set(b, "executor.one.job", "3", "\"one\" has url, jobs"), PINGO_ENOTFOUND);
    assert_int_equal(set(b, "executor.one.jobs", "50", ""), 0);
    assert_int_equal(set(b, "executor.two.fast", "on", ""), 0);
    assert_int_equal(set(b, "executor.two.room", "2M", ""), 0);
    assert_int_equal(set(b, "executor.two.url", "http://x", ""), 0);
    well(pingo_scheduler_open(b->store, &both, &s, &err), &err);
    assert_string_equal(own_said[0], "one - 50 1024 0");
    assert_string_equal(own_said[1], "two http://x 7 2097152 1");
    pingo_scheduler_close(s);
    assert_int_equal(set(b, "executor.one.jobs", NULL, ""), 0);
    well(pingo_store_get(b->store, "executor.one.jobs", &value, &err), &err);
    assert_string_equal(value, "7");
    free(value);
    *text = '\0';
    well(pingo_store_settings(b->store, write_line, text, &err), &err);
    assert_non_null(strstr(text, "executor.memoryMB=0/0")); /* in byte order */
    assert_true(strstr(text, "executor.memoryMB") <
                strstr(text, "executor.one.fast=off/off or slow"));
    assert_true(strstr(text, "executor.one.url=NULL/NULL where") < strstr(text, "executor.slots="));
    assert_true(strstr(text, "executor.slots=") < strstr(text, "executor.two.fast=on/off or slow"));
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_executor_settings__a_key_has_a_name_and_a_key),
        cmocka_unit_test(test_executor_settings__ones_own_are_known),
        cmocka_unit_test(test_executor_settings__lists_what_there_is),
        cmocka_unit_test(test_executor_settings__are_checked_by_who_knows_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
