/* test_archive.c - what month files look like. */
#include "unit/view/look.h"

static void test_archive__a_file_that_is_gone_has_no_size(void **state)
{
    struct pingo_archive_file f = {"2026-11.db", true, 3, 40, 8192, 0, 86400000};
    looks(&pingo__view_archive_file, &f,
          (struct looks){
              "{\"file\":\"2026-11.db\",\"sealed\":true,\"workflows\":3,\"attempts\":40,\"bytes\":"
              "8192,\"firstEnd\":\"1970-01-01T00:00:00.000Z\",\"lastEnd\":\"1970-01-02T00:00:00."
              "000Z\"}\n",
              "2026-11.db,true,3,40,8192,1970-01-01T00:00:00.000Z,1970-01-02T00:00:00.000Z\n",
              "2026-11.db               yes          3          40    8.0 KiB  "
              "1970-01-01T00:00:00Z  1970-01-02T00:00:00Z\n"});
    f = (struct pingo_archive_file){"2026-12.db", false, 0, 0, -1, -1, -1};
    looks(&pingo__view_archive_file, &f,
          (struct looks){"{\"file\":\"2026-12.db\",\"sealed\":false,\"workflows\":0,\"attempts\":0,"
                         "\"bytes\":null,\"firstEnd\":null,\"lastEnd\":null}\n",
                         "2026-12.db,false,0,0,,,\n",
                         "2026-12.db                no          0           0          -           "
                         "          -                     -\n"});
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archive__a_file_that_is_gone_has_no_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
