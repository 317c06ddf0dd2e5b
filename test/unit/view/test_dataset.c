/* test_dataset.c - what the status of a dataset looks like. */
#include "unit/view/look.h"

static void test_dataset__one_that_was_never_made(void **state)
{
    struct pingo_dataset_status d = {.hash = {{0xab}},
                                     .generation = 1,
                                     .state = PINGO_DATASET_TO_LEAF,
                                     .is_current = true,
                                     .is_managed = true,
                                     .size_bytes = -1,
                                     .compute_ms = -1,
                                     .made_ms = -1,
                                     .last_used_ms = -1,
                                     .name = "d" HOSTILE,
                                     .user = "",
                                     .value_ms = -1};
    looks(&pingo__view_dataset, &d,
          (struct looks){
              "{\"hash\":\"ab00000000000000000000000000000000000000000000000000000000000000\","
              "\"state\":\"TO_LEAF\",\"sizeBytes\":null,\"computeMs\":null,\"valueMs\":null,"
              "\"lastUsed\":null,\"name\":\"d\\u001b[31m\xe2\x80\xae\",\"path\":null,\"claims\":0,"
              "\"keep\":null,\"generation\":1,\"current\":true,\"managed\":true,\"made\":null,"
              "\"content\":null,\"wasDifferent\":false,\"leaf\":true,\"workflow\":null,\"user\":"
              "null,\"labels\":{},\"adoptedFrom\":null}\n",
              "ab00000000000000000000000000000000000000000000000000000000000000,TO_LEAF,,,,,d\x1b["
              "31m\xe2\x80\xae,,0,,1,true,true,,,false,true,,,\n",
              "ab0000000000  TO_LEAF                   -          -  -                     "
              "d?[31m?\n"});
    (void)state;
}

static void test_dataset__one_of_which_all_is_known(void **state)
{
    static const char *const labels[] = {"k", "v,\"", "l", ""};
    struct pingo_dataset_status d = {.hash = {{0xab}},
                                     .generation = 2,
                                     .state = PINGO_DATASET_STORED,
                                     .keep = PINGO_KEEP_ALWAYS,
                                     .size_bytes = 0,
                                     .compute_ms = 0,
                                     .content = {{0xcd}},
                                     .path = "/p/ab",
                                     .claims = 1,
                                     .made_ms = 1000,
                                     .last_used_ms = 2000,
                                     .name = "d",
                                     .was_different = true,
                                     .workflow = 3,
                                     .user = "ann",
                                     .value_ms = 1500,
                                     .labels = labels,
                                     .nlabels = 4,
                                     .adopted_from = "/x" HOSTILE};
    looks_with(
        &pingo__view_dataset, &d, &(struct pingo__view_style){.shown = 1u << 1},
        (struct looks){
            "{\"hash\":\"ab00000000000000000000000000000000000000000000000000000000000000\","
            "\"state\":\"STORED\",\"sizeBytes\":0,\"computeMs\":0,\"valueMs\":1500,\"lastUsed\":"
            "\"1970-01-01T00:00:02.000Z\",\"name\":\"d\",\"path\":\"/p/"
            "ab\",\"claims\":1,\"keep\":true,\"generation\":2,\"current\":false,\"managed\":false,"
            "\"made\":\"1970-01-01T00:00:01.000Z\",\"content\":"
            "\"cd00000000000000000000000000000000000000000000000000000000000000\",\"wasDifferent\":"
            "true,\"leaf\":false,\"workflow\":3,\"user\":\"ann\",\"labels\":{\"k\":\"v,\\\"\","
            "\"l\":\"\"},\"adoptedFrom\":\"/x\\u001b[31m\xe2\x80\xae\"}\n",
            "ab00000000000000000000000000000000000000000000000000000000000000,STORED,0,0,1500,1970-"
            "01-01T00:00:02.000Z,d,/p/"
            "ab,1,true,2,false,false,1970-01-01T00:00:01.000Z,"
            "cd00000000000000000000000000000000000000000000000000000000000000,true,false,3,ann,/"
            "x\x1b[31m\xe2\x80\xae\n",
            "ab0000000000  STORED                  0 B       0 ms      1.5 s  1970-01-01T00:00:02Z "
            " d  (pinned)  (claimed)  (unmanaged)  (differs from an earlier generation)  "
            "(adopted)\n"});
    d.keep = PINGO_KEEP_NEVER;
    d.name = "0123456789012345678901234567890123456789";
    d.was_different = false;
    d.adopted_from = NULL;
    d.claims = 0;
    d.is_managed = true;
    looks(
        &pingo__view_dataset, &d,
        (struct looks){
            "{\"hash\":\"ab00000000000000000000000000000000000000000000000000000000000000\","
            "\"state\":\"STORED\",\"sizeBytes\":0,\"computeMs\":0,\"valueMs\":1500,\"lastUsed\":"
            "\"1970-01-01T00:00:02.000Z\",\"name\":\"0123456789012345678901234567890123456789\","
            "\"path\":\"/p/"
            "ab\",\"claims\":0,\"keep\":false,\"generation\":2,\"current\":false,\"managed\":true,"
            "\"made\":\"1970-01-01T00:00:01.000Z\",\"content\":"
            "\"cd00000000000000000000000000000000000000000000000000000000000000\",\"wasDifferent\":"
            "false,\"leaf\":false,\"workflow\":3,\"user\":\"ann\",\"labels\":{\"k\":\"v,\\\"\","
            "\"l\":\"\"},\"adoptedFrom\":null}\n",
            "ab00000000000000000000000000000000000000000000000000000000000000,STORED,0,0,1500,1970-"
            "01-01T00:00:02.000Z,0123456789012345678901234567890123456789,/p/"
            "ab,0,false,2,false,true,1970-01-01T00:00:01.000Z,"
            "cd00000000000000000000000000000000000000000000000000000000000000,false,false,3,ann,\n",
            "ab0000000000  STORED                  0 B       0 ms  1970-01-01T00:00:02Z  "
            "012345678901234567890123456789012345...\n"});
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dataset__one_that_was_never_made),
        cmocka_unit_test(test_dataset__one_of_which_all_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
