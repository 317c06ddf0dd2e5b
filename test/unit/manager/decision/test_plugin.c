/* test_plugin.c - what a person wrote -> an algorithm and its values: names, what is near to one, and files that are no
 * plug-ins, of which nothing is left loaded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pingo/decision.h>
#include <pingo/error.h>

/* Is refused with this code, and its message says this; nothing is handed out. */
static void refuses(const char *text, int code, const char *says)
{
    struct pingo_decision_selection *s = NULL;
    struct pingo_error err = {.code = 0};
    assert_int_equal(pingo_decision_select(text, &s, &err), code);
    assert_int_equal(err.code, code);
    assert_null(s);
    if (!strstr(err.message, says))
        fail_msg("%s: %s", text, err.message);
}

static void test_plugin__names_are_those_of_the_list(void **state)
{
    (void)state;
    for (size_t i = 0; pingo_decision_at(i); i++) {
        const struct pingo_decision_algorithm *a = pingo_decision_at(i);
        struct pingo_decision_selection *s = NULL;
        assert_int_equal(pingo_decision_select(a->name, &s, NULL), 0);
        assert_ptr_equal(pingo_decision_selection_algorithm(s), a);
        for (size_t k = 0; k < a->nparameters; k++)
            assert_true(pingo_decision_selection_values(s)[k] == a->parameters[k].value);
        pingo_decision_selection_free(s);
    }
    refuses("", PINGO_EINVAL, "there is no algorithm \"\"");
    refuses("lrv", PINGO_EINVAL, "did you mean \"lru\"?");
    refuses("lru:no=1", PINGO_EINVAL, "no");
    pingo_decision_selection_free(NULL);
}

static char dir[] = "/tmp/pingo-unit-XXXXXX";

/* A shared object of this text, and its path. */
static const char *object(const char *name, const char *code)
{
    static char path[128];
    char command[256];
    snprintf(path, sizeof path, "%s/%s.so", dir, name);
    snprintf(command, sizeof command, "cc -shared -fPIC -x c -o %s -", path);
    FILE *compiler = popen(command, "w");
    assert_non_null(compiler);
    assert_true(fputs(code, compiler) >= 0);
    assert_int_equal(pclose(compiler), 0);
    return path;
}

static void refuses_object(const char *name, const char *code, int rc, const char *says)
{
    const char *path = object(name, code);
    refuses(path, rc, says);
    assert_null(dlopen(path, RTLD_NOW | RTLD_NOLOAD));
    unlink(path);
}

static void test_plugin__what_is_no_plug_in_is_refused(void **state)
{
    char path[128];
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/none.so", dir);
    refuses(path, PINGO_EIO, "the plug-in cannot be loaded: ");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("no object", f);
    fclose(f);
    refuses(path, PINGO_EIO, "the plug-in cannot be loaded: ");
    unlink(path);
    refuses_object("other", "int other;", PINGO_EIO, "it does not export pingo_decision_plugin");
    refuses_object("function", "void pingo_decision_plugin(void) {}", PINGO_EIO,
                   "is not the address of a table: pingo_decision_plugin");
    refuses_object("table", "const char pingo_decision_plugin[200] = {1};", PINGO_EIO,
                   "is not the address of a table: pingo_decision_plugin");
    refuses_object("null", "const void *const pingo_decision_plugin = 0;", PINGO_EIO,
                   "its pingo_decision_plugin is NULL");
    refuses_object("age",
                   "static const unsigned long long table[64] = {0x7fffffff7fffffff};"
                   "const void *const pingo_decision_plugin = table;",
                   PINGO_EVERSION, "age.so: ");
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plugin__names_are_those_of_the_list),
        cmocka_unit_test(test_plugin__what_is_no_plug_in_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
