/* test_curl.c - libcurl is found when it is needed, whole; who lacks it is told what to install. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "http/curl.h"

static bool is_missing;

/* In place of the C library's. */
void *dlopen(const char *file, int flags)
{
    void *(*real)(const char *, int);
    void *function = dlsym(RTLD_NEXT, "dlopen");
    memcpy(&real, &function, sizeof real);
    return is_missing ? NULL : real(file, flags);
}

char *dlerror(void)
{
    static char text[] = "libcurl.so.4: cannot open shared object file";
    return text;
}

static void test_curl__is_whole(void **state)
{
    struct pingo__http_curl curl;
    struct pingo_error err = {0};
    (void)state;
    if (pingo__http_curl_load(&curl, &err))
        fail_msg("%s", err.message);
#define IS_THERE(name) assert_non_null(*(void **)&curl.name);
    PINGO__HTTP_CURL_FUNCTIONS(IS_THERE)
#undef IS_THERE
    struct curl_slist *list = curl.slist_append(NULL, "a");
    assert_string_equal(list->data, "a");
    curl.slist_free_all(list);
}

static void test_curl__who_lacks_it_is_told(void **state)
{
    struct pingo__http_curl curl;
    struct pingo_error err = {0};
    (void)state;
    is_missing = true;
    assert_int_equal(pingo__http_curl_load(&curl, &err), PINGO_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "install libcurl4"));
    assert_non_null(strstr(err.message, "cannot open shared object file"));
    is_missing = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curl__is_whole),
        cmocka_unit_test(test_curl__who_lacks_it_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
