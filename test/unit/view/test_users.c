/* test_users.c - what shares look like. */
#include "unit/view/look.h"

static void test_users__quotas_may_be_none(void **state)
{
    struct pingo_share s = {"ann" HOSTILE, 2, 0.25, 1, 5, 61000, 4096, 8, 100, 1 << 20};
    looks(&pingo__view_share, &s,
          (struct looks){"{\"user\":\"ann\\u001b[31m\xe2\x80\xae\",\"weight\":2,\"part\":0.2500,"
                         "\"running\":1,\"waiting\":5,\"usageMs\":61000,\"bytes\":4096,"
                         "\"maxSlots\":8,\"maxActions\":100,\"maxBytes\":1048576}\n",
                         "ann\x1b[31m\xe2\x80\xae,2,0.2500,1,5,61000,4096,8,100,1048576\n",
                         "ann?[31m?              2  25.0 %       1         5  1 min 01 s    4.0 "
                         "KiB          8          100    1.0 MiB\n"});
    s = (struct pingo_share){
        .user = "", .weight = 1, .max_slots = -1, .max_actions = -1, .max_bytes = -1};
    looks(&pingo__view_share, &s,
          (struct looks){
              "{\"user\":\"\",\"weight\":1,\"part\":0.0000,\"running\":0,\"waiting\":0,\"usageMs\":"
              "0,\"bytes\":0,\"maxSlots\":null,\"maxActions\":null,\"maxBytes\":null}\n",
              ",1,0.0000,0,0,0,0,,,\n",
              "                       1   0.0 %       0         0       0 ms        0 B          - "
              "           -          -\n"});
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_users__quotas_may_be_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
