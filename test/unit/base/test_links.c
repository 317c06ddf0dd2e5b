/* test_links.c - which links lead out of an original, which out of an output, and which out of one of another machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/links.h"

static const struct {
    const char *target;
    size_t levels;
    bool of_original, of_output;
} rows[] = {
    {"a", 0, false, false},
    {"../a", 0, true, true},
    {"../a", 1, false, false},
    {"../../a", 1, true, true},
    {"b/../../a", 0, true, true},
    {"./b/../a", 0, false, false},
    {"/usr/bin/python3", 0, true, false},
    {"/bin/sh", 3, true, false},
    {"/lib64/ld-linux-x86-64.so.2", 0, true, false},
    {"/etc/ssl/certs", 0, true, false},
    {"/opt/conda/bin/x", 0, true, false},
    {"/dev/null", 0, true, false},
    {"/run", 0, true, false},
    {"/run/user/1000/x", 0, true, true},
    {"/dev/shm/x", 0, true, true},
    {"/home/me/x", 0, true, true},
    {"/usr/../home/me/x", 0, true, true},
    {"/usrlocal/x", 0, true, true},
    {"/", 0, true, true},
    /* What /proc shows of a process leads anywhere. */
    {"/proc/self/root/home/me/x", 0, true, true},
    {"/proc/self/cwd", 0, true, true},
    {"/proc/1/task/1/cwd/x", 0, true, true},
    {"/proc/self/mounts", 0, true, false},
    {"/proc/self/fd/1", 0, true, false},
    /* The pool may lie in one of the system's directories, and is none. */
    {"/opt/data/pool/objects/ab/x", 0, true, true},
    {"/opt/data/pool", 0, true, true},
    {"/opt/data/pool2/x", 0, true, false},
};

static bool leads_out(const char *target, size_t levels, const char *pool)
{
    const struct pingo__links_place place = {pingo__world_real(), -1, levels, pool};
    char text[64];

    snprintf(text, sizeof text, "%s", target);
    bool out = pingo__links_lead_out(&place, text);
    assert_string_equal(text, target);
    return out;
}

static void test_links__that_lead_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *target = rows[i].target;
        bool is_in_pool = strcmp(target, "/opt/data/pool") == 0 || strstr(target, "/pool/");

        if (leads_out(target, rows[i].levels, NULL) != rows[i].of_original)
            fail_msg("%s of an original", target);
        if (leads_out(target, rows[i].levels, "/opt/data/pool") != rows[i].of_output)
            fail_msg("%s of an output", target);
        if (leads_out(target, rows[i].levels, "") != (rows[i].of_output && !is_in_pool))
            fail_msg("%s of an output that came from elsewhere", target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_links__that_lead_out)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
