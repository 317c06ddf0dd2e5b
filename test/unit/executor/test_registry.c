/* test_registry.c - what any table of an executor must be, and settings of its own: registry.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "executor/registry.h"

static const char *const types[] = {"command-line", NULL};

/* A table that is fine, under another name. */
static struct pingo_executor_type table(void)
{
    struct pingo_executor_type t = *pingo_executor_local();
    t.name = "mine";
    t.action_types = types;
    return t;
}

static void refused(const struct pingo_executor_type *t, int rc, const char *why)
{
    struct pingo_error err = {0};
    assert_int_equal(pingo__executor_check(t, &err), rc);
    if (!strstr(err.message, why))
        fail_msg("%s: not in: %s", why, err.message);
}

static void test_registry__builtins(void **state)
{
    size_t n = 0;
    (void)state;
    for (const struct pingo_executor_type *t; (t = pingo__executor_nth(n)); n++) {
        assert_int_equal(pingo__executor_check(t, NULL), 0);
        assert_ptr_equal(pingo__executor_builtin(t->name), t);
    }
    assert_true(n >= 2);
    assert_null(pingo__executor_builtin("none"));
    assert_true(pingo__executor_is_default("local"));
    assert_true(pingo__executor_type_runs(pingo_executor_local(), "command-line"));
    assert_false(pingo__executor_type_runs(pingo_executor_local(), "command"));
}

static void test_registry__what_a_table_needs(void **state)
{
    struct pingo_executor_type t = table();
    (void)state;
    assert_int_equal(pingo__executor_check(&t, NULL), 0);
    refused(NULL, PINGO_EINVAL, "NULL");
    t.name = "a b";
    refused(&t, PINGO_EINVAL, "1 to 64 letters");
    t.name = "external";
    refused(&t, PINGO_EINVAL, "the library's own");
    t = table();
    t.abi_version = PINGO_EXECUTOR_ABI + 1;
    refused(&t, PINGO_EVERSION, "made for ABI");
    t = table();
    t.action_types = types + 1;
    refused(&t, PINGO_EINVAL, "no type");
    t = table();
    t.slots = NULL;
    refused(&t, PINGO_EINVAL, "no function slots");
    t = table();
    t.revoke = NULL;
    refused(&t, PINGO_EINVAL, "no function revoke");
    t.revoke = table().revoke;
    t.trim = NULL; /* not needed */
    assert_int_equal(pingo__executor_check(&t, NULL), 0);
}

/* What an older table does not have is zero, whatever lies behind it in memory. */
static void test_registry__an_older_table(void **state)
{
    struct pingo_executor_type t = table();
    (void)state;
    t.abi_version = 1;
    t.nsettings = 999;
    assert_int_equal(pingo__executor_check(&t, NULL), 0);
    struct pingo_executor_type taken = pingo__executor_table(&t);
    assert_int_equal(taken.nsettings, 0);
    assert_null(taken.settings);
    assert_false(taken.is_trusted);
    assert_ptr_equal(taken.trim, t.trim);
    assert_null(pingo__executor_setting(&t, "slots"));
    t = table();
    t.abi_version = 2;
    t.memory_most = (int64_t(*)(void *, const char *))1;
    assert_true(pingo__executor_table(&t).nsettings);
    assert_null(pingo__executor_table(&t).memory_most);
    t = table();
    t.takes_places = true;
    assert_true(pingo__executor_table(&t).takes_places);
    t.abi_version = 3;
    t.check = (int (*)(const struct pingo_executor_context *, const struct pingo_check_options *,
                       struct pingo_error *))1;
    assert_false(pingo__executor_table(&t).takes_places);
    assert_non_null(pingo__executor_table(&t).check);
    t.check_text = (int (*)(const char *, const char *, struct pingo_error *))1;
    t.abi_version = 4;
    assert_null(pingo__executor_table(&t).check_text);
    t.abi_version = 5;
    t.busy = (size_t(*)(void *))1;
    assert_non_null(pingo__executor_table(&t).check_text);
    assert_null(pingo__executor_table(&t).busy);
    t.abi_version = 6;
    assert_non_null(pingo__executor_table(&t).busy);
}

static void test_registry__settings(void **state)
{
    static const struct pingo_executor_setting rows[] = {
        {"queue", PINGO_SETTING_TEXT, 0, 0, "all", "h"},
        {"most", PINGO_SETTING_NUMBER, 2, 9, NULL, "h"},
        {"room", PINGO_SETTING_SIZE, 0, 0, "1K", "h"},
        {"quiet", PINGO_SETTING_SWITCH, 0, 0, "off", "h"},
    };
    static const struct {
        const char *key, *value, *why; /* why NULL: it is right */
    } cases[] = {
        {"queue", "", NULL},
        {"most", "2", NULL},
        {"most", "9", NULL},
        {"most", "10", "a whole number from 2 to 9"},
        {"most", "1", "from 2 to 9"},
        {"most", "4x", "not a whole number"},
        {"most", "-3", "not a whole"},
        {"room", "1.5 GiB", NULL},
        {"room", "much", "a size"},
        {"quiet", "on", NULL},
        {"quiet", "yes", "neither on nor off"},
    };
    struct pingo_executor_type t = table();
    (void)state;
    t.settings = rows;
    t.nsettings = 4;
    assert_int_equal(pingo__executor_check(&t, NULL), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pingo_error err = {0};
        const struct pingo_executor_setting *row = pingo__executor_setting(&t, cases[i].key);
        assert_non_null(row);
        int rc = pingo__executor_setting_check("mine", row, cases[i].value, &err);
        assert_int_equal(rc, cases[i].why ? PINGO_EINVAL : 0);
        if (cases[i].why)
            assert_true(strstr(err.message, cases[i].why) && strstr(err.message, "executor.mine."));
    }
    char *texts[] = {NULL, "7", NULL, "on"};
    struct pingo__executor_values values = {rows, 4, texts};
    const struct pingo_executor_context context = {.version = 2, .settings = &values};
    assert_string_equal(pingo_executor_context_text(&context, "queue"), "all");
    assert_int_equal(pingo_executor_context_number(&context, "most"), 7);
    assert_int_equal(pingo_executor_context_number(&context, "room"), 1024);
    assert_int_equal(pingo_executor_context_number(&context, "quiet"), 1);
    assert_int_equal(pingo_executor_context_number(&context, "queue"), -1); /* no number */
    assert_int_equal(pingo_executor_context_number(&context, "none"), -1);
    assert_null(pingo_executor_context_text(&context, "none"));
}

static void test_registry__rows_that_cannot_be(void **state)
{
    static const struct pingo_executor_setting bad[] = {
        {"a.b", PINGO_SETTING_TEXT, 0, 0, NULL, "h"},
        {NULL, PINGO_SETTING_TEXT, 0, 0, NULL, "h"},
        {"a", PINGO_SETTING_TEXT, 0, 0, NULL, NULL},
        {"a", PINGO_SETTING_NUMBER, -1, 3, NULL, "h"},
        {"a", PINGO_SETTING_NUMBER, 3, 2, NULL, "h"},
        {"a", (enum pingo_executor_setting_kind)9, 0, 0, NULL, "h"},
        {"a", PINGO_SETTING_NUMBER, 1, 2, "3", "h"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pingo_executor_type t = table();
        t.settings = &bad[i];
        t.nsettings = 1;
        refused(&t, PINGO_EINVAL, "mine");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registry__builtins),
        cmocka_unit_test(test_registry__what_a_table_needs),
        cmocka_unit_test(test_registry__an_older_table),
        cmocka_unit_test(test_registry__settings),
        cmocka_unit_test(test_registry__rows_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
