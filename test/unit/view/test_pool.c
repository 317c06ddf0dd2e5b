/* test_pool.c - what the pool looks like against its budget. */
#include "unit/view/look.h"

static void test_pool__without_a_budget(void **state)
{
    struct pingo_pool_usage u = {.budget_bytes = -1,
                                 .high_bytes = -1,
                                 .low_bytes = -1,
                                 .used_bytes = 0,
                                 .file_system_bytes = -1};
    looks(&pingo__view_usage, &u,
          (struct looks){"{\"budgetBytes\":null,\"highBytes\":null,\"lowBytes\":null,\"usedBytes\":"
                         "0,\"storedBytes\":0,\"keptBytes\":0,\"claimedBytes\":0,"
                         "\"candidateBytes\":0,\"leafBytes\":0,\"leavingBytes\":0,"
                         "\"undeletableBytes\":0,\"failedBytes\":0,\"orphanBytes\":0,"
                         "\"fileSystemBytes\":null,\"contentBytes\":0,\"replicatedBytes\":0}\n",
                         ",,,0,0,0,0,0,0,0,0,0,0,,0,0\n",
                         "  used                0 B, and no budget (pingo config pool.budget)\n  "
                         "disk free             -\n"});
    (void)state;
}

static void test_pool__shares_of_a_budget_of_nothing_are_not_told(void **state)
{
    struct pingo_pool_usage u = {.budget_bytes = 2048,
                                 .high_bytes = 2000,
                                 .low_bytes = 1000,
                                 .used_bytes = 1024,
                                 .stored_bytes = 512,
                                 .kept_bytes = 256,
                                 .candidate_bytes = 256,
                                 .leaf_bytes = 512,
                                 .leaving_bytes = 100,
                                 .undeletable_bytes = 40,
                                 .file_system_bytes = 0,
                                 .content_bytes = 1024,
                                 .replicated_bytes = 3072};
    looks(
        &pingo__view_usage, &u,
        (struct looks){
            "{\"budgetBytes\":2048,\"highBytes\":2000,\"lowBytes\":1000,\"usedBytes\":1024,"
            "\"storedBytes\":512,\"keptBytes\":256,\"claimedBytes\":0,\"candidateBytes\":256,"
            "\"leafBytes\":512,\"leavingBytes\":100,\"undeletableBytes\":40,\"failedBytes\":0,"
            "\"orphanBytes\":0,\"fileSystemBytes\":0,\"contentBytes\":1024,\"replicatedBytes\":"
            "3072}\n",
            "2048,2000,1000,1024,512,256,0,256,512,100,40,0,0,0,1024,3072\n",
            "  used            1.0 KiB of a budget of 2.0 KiB; above 2.0 KiB it frees down to 1000 "
            "B\n    may go          256 B (12.5 % of the budget)\n    kept            256 B (12.5 "
            "% of the budget)\n    leaves          512 B (25.0 % of the budget)  pingo release "
            "lets them go\n    undeletable      40 B (2.0 % of the budget)  will be tried again\n  "
            "on its way out      60 B (2.9 % of the budget)\n  replicated      3.0 KiB  on disks, "
            "with all replicas; without 1.0 KiB\n  disk free           0 B\n"});
    u.budget_bytes = u.high_bytes = u.low_bytes = 0;
    looks(
        &pingo__view_usage, &u,
        (struct looks){
            "{\"budgetBytes\":0,\"highBytes\":0,\"lowBytes\":0,\"usedBytes\":1024,\"storedBytes\":"
            "512,\"keptBytes\":256,\"claimedBytes\":0,\"candidateBytes\":256,\"leafBytes\":512,"
            "\"leavingBytes\":100,\"undeletableBytes\":40,\"failedBytes\":0,\"orphanBytes\":0,"
            "\"fileSystemBytes\":0,\"contentBytes\":1024,\"replicatedBytes\":3072}\n",
            "0,0,0,1024,512,256,0,256,512,100,40,0,0,0,1024,3072\n",
            "  used            1.0 KiB of a budget of 0 B; above 0 B it frees down to 0 B\n    may "
            "go          256 B\n    kept            256 B\n    leaves          512 B  pingo "
            "release lets them go\n    undeletable      40 B  will be tried again\n  on its way "
            "out      60 B\n  replicated      3.0 KiB  on disks, with all replicas; without 1.0 "
            "KiB\n  disk free           0 B\n"});
    (void)state;
}

static void test_pool__a_decision_says_what_holds_the_space(void **state)
{
    struct pingo__view_decision d = {{.free_bytes = 100,
                                      .freed_bytes = 60,
                                      .shortfall_bytes = 40,
                                      .remake_ms = 5,
                                      .nvictims = 1,
                                      .algorithm = "chain"},
                                     {.budget_bytes = -1,
                                      .high_bytes = -1,
                                      .low_bytes = -1,
                                      .leaf_bytes = 30,
                                      .kept_bytes = 20,
                                      .claimed_bytes = 10,
                                      .failed_bytes = 4,
                                      .file_system_bytes = 5}};
    looks(&pingo__view_decision, &d,
          (struct looks){
              "{\"victims\":[],\"algorithm\":\"chain\",\"usage\":{\"budgetBytes\":null,"
              "\"highBytes\":null,\"lowBytes\":null,\"usedBytes\":0,\"storedBytes\":0,"
              "\"keptBytes\":20,\"claimedBytes\":10,\"candidateBytes\":0,\"leafBytes\":30,"
              "\"leavingBytes\":0,\"undeletableBytes\":0,\"failedBytes\":4,\"orphanBytes\":0,"
              "\"fileSystemBytes\":5,\"contentBytes\":0,\"replicatedBytes\":0},\"freeBytes\":100,"
              "\"freedBytes\":60,\"shortfallBytes\":40,\"remakeMs\":5}\n",
              "chain,100,60,40,5\n",
              "1 dataset would go, 60 B, 5 ms to make again, chosen by chain\n40 B more cannot be "
              "freed: leaves hold 30 B (pingo release), kept datasets 20 B, claimed ones 10 B, "
              "failed attempts 4 B (for pool.failedDays days)\n"});
    d.summary = (struct pingo_decide_summary){.algorithm = "lru"};
    looks(&pingo__view_decision, &d,
          (struct looks){
              "{\"victims\":[],\"algorithm\":\"lru\",\"usage\":{\"budgetBytes\":null,\"highBytes\":"
              "null,\"lowBytes\":null,\"usedBytes\":0,\"storedBytes\":0,\"keptBytes\":20,"
              "\"claimedBytes\":10,\"candidateBytes\":0,\"leafBytes\":30,\"leavingBytes\":0,"
              "\"undeletableBytes\":0,\"failedBytes\":4,\"orphanBytes\":0,\"fileSystemBytes\":5,"
              "\"contentBytes\":0,\"replicatedBytes\":0},\"freeBytes\":0,\"freedBytes\":0,"
              "\"shortfallBytes\":0,\"remakeMs\":0}\n",
              "lru,0,0,0,0\n",
              "the pool holds 0 B and has no budget (pool.budget): nothing has to go; --free SIZE "
              "tells what would go to free SIZE\n"});
    struct pingo_decided v = {.hash = {{0xab}},
                              .name = "d" HOSTILE,
                              .score = 1e-7,
                              .size_bytes = 5,
                              .compute_ms = -1,
                              .remake_ms = 0,
                              .reason = "a\nb"};
    looks(&pingo__view_decided, &v,
          (struct looks){
              "{\"hash\":\"ab00000000000000000000000000000000000000000000000000000000000000\","
              "\"name\":\"d\\u001b[31m\xe2\x80\xae\",\"sizeBytes\":5,\"computeMs\":null,"
              "\"remakeMs\":0,\"score\":1e-07,\"reason\":\"a\\nb\"}\n",
              "ab00000000000000000000000000000000000000000000000000000000000000,d\x1b["
              "31m\xe2\x80\xae,5,,0,1e-07,\"a\nb\"\n",
              "ab0000000000  d?[31m?                 5 B          0 ms         1e-07  a?b\n"});
    (void)state;
}

static void test_pool__an_eviction_may_be_rescued_or_regretted(void **state)
{
    struct pingo_eviction e = {.hash = {{0xab}},
                               .name = "d" HOSTILE,
                               .evicted_ms = 1000,
                               .algorithm = "chain",
                               .score = 2,
                               .size_bytes = 5,
                               .remake_ms = 6,
                               .reason = "",
                               .rescued_ms = -1,
                               .regretted_ms = -1,
                               .regret_ms = -1};
    looks(&pingo__view_eviction, &e,
          (struct looks){"{\"at\":\"1970-01-01T00:00:01.000Z\",\"hash\":"
                         "\"ab00000000000000000000000000000000000000000000000000000000000000\","
                         "\"sizeBytes\":5,\"remakeMs\":6,\"algorithm\":\"chain\",\"score\":2,"
                         "\"name\":\"d\\u001b[31m\xe2\x80\xae\",\"reason\":\"\",\"rescued\":null,"
                         "\"remade\":null,\"regretMs\":null}\n",
                         "1970-01-01T00:00:01.000Z,"
                         "ab00000000000000000000000000000000000000000000000000000000000000,5,6,"
                         "chain,2,d\x1b[31m\xe2\x80\xae,,,,\n",
                         "1970-01-01T00:00:01Z  ab0000000000        5 B       6 ms  chain          "
                         "                2  d?[31m?\n"});
    e.rescued_ms = 2000;
    e.reason = "r" HOSTILE;
    looks(&pingo__view_eviction, &e,
          (struct looks){
              "{\"at\":\"1970-01-01T00:00:01.000Z\",\"hash\":"
              "\"ab00000000000000000000000000000000000000000000000000000000000000\",\"sizeBytes\":"
              "5,\"remakeMs\":6,\"algorithm\":\"chain\",\"score\":2,\"name\":\"d\\u001b["
              "31m\xe2\x80\xae\",\"reason\":\"r\\u001b[31m\xe2\x80\xae\",\"rescued\":\"1970-01-"
              "01T00:00:02.000Z\",\"remade\":null,\"regretMs\":null}\n",
              "1970-01-01T00:00:01.000Z,"
              "ab00000000000000000000000000000000000000000000000000000000000000,5,6,chain,2,d\x1b["
              "31m\xe2\x80\xae,r\x1b[31m\xe2\x80\xae,1970-01-01T00:00:02.000Z,,\n",
              "1970-01-01T00:00:01Z  ab0000000000        5 B       6 ms  chain                     "
              "     2  d?[31m?  (rescued 1970-01-01T00:00:02Z)\n    r?[31m?\n"});
    e.rescued_ms = -1;
    e.regretted_ms = 3000;
    e.regret_ms = 0;
    looks(&pingo__view_eviction, &e,
          (struct looks){
              "{\"at\":\"1970-01-01T00:00:01.000Z\",\"hash\":"
              "\"ab00000000000000000000000000000000000000000000000000000000000000\",\"sizeBytes\":"
              "5,\"remakeMs\":6,\"algorithm\":\"chain\",\"score\":2,\"name\":\"d\\u001b["
              "31m\xe2\x80\xae\",\"reason\":\"r\\u001b[31m\xe2\x80\xae\",\"rescued\":null,"
              "\"remade\":\"1970-01-01T00:00:03.000Z\",\"regretMs\":0}\n",
              "1970-01-01T00:00:01.000Z,"
              "ab00000000000000000000000000000000000000000000000000000000000000,5,6,chain,2,d\x1b["
              "31m\xe2\x80\xae,r\x1b[31m\xe2\x80\xae,,1970-01-01T00:00:03.000Z,0\n",
              "1970-01-01T00:00:01Z  ab0000000000        5 B       6 ms  chain                     "
              "     2  d?[31m?  (made again 1970-01-01T00:00:03Z, 0 ms)\n    r?[31m?\n"});
    (void)state;
}

static void test_pool__the_report_of_a_store_where_nothing_happened(void **state)
{
    struct pingo_pool_usage u = {
        .budget_bytes = -1, .high_bytes = -1, .low_bytes = -1, .file_system_bytes = -1};
    struct pingo_history_row none = {.from_ms = -1};
    static const size_t ndatasets[PINGO_DATASET_DELETED + 1];
    static const int64_t bytes[PINGO_DATASET_DELETED + 1];
    struct pingo_report r = {.usage = &u,
                             .history = &none,
                             .ndatasets = ndatasets,
                             .bytes = bytes,
                             .nstates = sizeof bytes / sizeof *bytes};
    looks(
        &pingo__view_report, &r,
        (struct looks){
            "{\"from\":\"1970-01-01T00:00:00.000Z\",\"until\":\"1970-01-01T00:00:00.000Z\","
            "\"submissions\":0,\"mentions\":0,\"computed\":0,\"joined\":0,\"reused\":0,\"skipped\":"
            "0,\"reuseRate\":null,\"spentMs\":0,\"savedMs\":0,\"hitRate\":null,\"lostMs\":0,"
            "\"evictions\":0,\"evictedBytes\":0,\"pool\":{\"budgetBytes\":null,\"highBytes\":null,"
            "\"lowBytes\":null,\"usedBytes\":0,\"storedBytes\":0,\"keptBytes\":0,\"claimedBytes\":"
            "0,\"candidateBytes\":0,\"leafBytes\":0,\"leavingBytes\":0,\"undeletableBytes\":0,"
            "\"failedBytes\":0,\"orphanBytes\":0,\"fileSystemBytes\":null,\"contentBytes\":0,"
            "\"replicatedBytes\":0},\"states\":[\n{\"state\":\"STORED\",\"datasets\":0,\"bytes\":0}"
            ",\n{\"state\":\"LEAF\",\"datasets\":0,\"bytes\":0},\n{\"state\":\"STORED_TO_DELETE\","
            "\"datasets\":0,\"bytes\":0},\n{\"state\":\"PROCESSING\",\"datasets\":0,\"bytes\":0},"
            "\n{\"state\":\"DELETING\",\"datasets\":0,\"bytes\":0}\n],\"stepMs\":0,\"steps\":[],"
            "\"algorithms\":[],\"valuable\":[],\"regretted\":[]}\n",
            "1970-01-01T00:00:00.000Z,1970-01-01T00:00:00.000Z,0,0,0,0,0,0,,0,0,,0,0,0,0\n",
            "period          none: nothing has happened then\nsubmissions     "
            "0\nactions         0: 0 computed, 0 joined, 0 reused, 0 skipped\nhit rate        "
            "-\ncompute time    0 ms spent, 0 ms saved by reuse, 0 ms lost to evictions\nevictions "
            "      0, 0 B\n"});
    (void)state;
}

static void test_pool__the_report_of_one_where_something_did(void **state)
{
    struct pingo_pool_usage u = {
        .budget_bytes = -1, .high_bytes = -1, .low_bytes = -1, .file_system_bytes = -1};
    struct pingo_history_row row = {.from_ms = -1,
                                    .nsubmissions = 2,
                                    .nmentions = 4,
                                    .ncomputed = 1,
                                    .nreused = 3,
                                    .spent_ms = 5,
                                    .saved_ms = 15};
    static const struct pingo_report_step steps[] = {{0, 10, 5, 15, 0, 0}};
    static const struct pingo_report_algorithm algorithms[] = {{"chain", 1, 0, 5, 1, 7}};
    static const struct pingo_report_dataset datasets[] = {{{{0xab}}, "", 0, -1, -1, 0, 7, 1}};
    static const size_t ndatasets[PINGO_DATASET_DELETED + 1] = {[PINGO_DATASET_LEAF] = 1};
    static const int64_t bytes[PINGO_DATASET_DELETED + 1] = {[PINGO_DATASET_LEAF] = 2048};
    struct pingo_report r = {.until_ms = 1000,
                             .usage = &u,
                             .history = &row,
                             .ndatasets = ndatasets,
                             .bytes = bytes,
                             .nstates = sizeof bytes / sizeof *bytes,
                             .nevictions = 1,
                             .evicted_bytes = 5,
                             .lost_ms = 7,
                             .step_ms = 1000,
                             .steps = steps,
                             .nsteps = 1,
                             .algorithms = algorithms,
                             .nalgorithms = 1,
                             .valuable = datasets,
                             .nvaluable = 1,
                             .regretted = datasets,
                             .nregretted = 1};
    looks(&pingo__view_report, &r,
          (struct looks){
              "{\"from\":\"1970-01-01T00:00:00.000Z\",\"until\":\"1970-01-01T00:00:01.000Z\","
              "\"submissions\":2,\"mentions\":4,\"computed\":1,\"joined\":0,\"reused\":3,"
              "\"skipped\":0,\"reuseRate\":0.7500,\"spentMs\":5,\"savedMs\":15,\"hitRate\":0.7500,"
              "\"lostMs\":7,\"evictions\":1,\"evictedBytes\":5,\"pool\":{\"budgetBytes\":null,"
              "\"highBytes\":null,\"lowBytes\":null,\"usedBytes\":0,\"storedBytes\":0,"
              "\"keptBytes\":0,\"claimedBytes\":0,\"candidateBytes\":0,\"leafBytes\":0,"
              "\"leavingBytes\":0,\"undeletableBytes\":0,\"failedBytes\":0,\"orphanBytes\":0,"
              "\"fileSystemBytes\":null,\"contentBytes\":0,\"replicatedBytes\":0},\"states\":[\n{"
              "\"state\":\"STORED\",\"datasets\":0,\"bytes\":0},\n{\"state\":\"LEAF\",\"datasets\":"
              "1,\"bytes\":2048},\n{\"state\":\"STORED_TO_DELETE\",\"datasets\":0,\"bytes\":0},\n{"
              "\"state\":\"PROCESSING\",\"datasets\":0,\"bytes\":0},\n{\"state\":\"DELETING\","
              "\"datasets\":0,\"bytes\":0}\n],\"stepMs\":1000,\"steps\":[\n{\"from\":\"1970-01-"
              "01T00:00:00.000Z\",\"heldBytes\":10,\"spentMs\":5,\"savedMs\":15,\"lostMs\":0,"
              "\"evictedBytes\":0}\n],\"algorithms\":[\n{\"algorithm\":\"chain\",\"evictions\":1,"
              "\"evictedBytes\":5,\"rescued\":0,\"regrets\":1,\"lostMs\":7}\n],\"valuable\":[\n{"
              "\"hash\":\"ab00000000000000000000000000000000000000000000000000000000000000\","
              "\"valueMs\":0,\"lostMs\":7,\"sizeBytes\":null,\"computeMs\":null,\"state\":null,"
              "\"name\":\"\",\"regrets\":1}\n],\"regretted\":[\n{\"hash\":"
              "\"ab00000000000000000000000000000000000000000000000000000000000000\",\"valueMs\":0,"
              "\"lostMs\":7,\"sizeBytes\":null,\"computeMs\":null,\"state\":null,\"name\":\"\","
              "\"regrets\":1}\n]}\n",
              "1970-01-01T00:00:00.000Z,1970-01-01T00:00:01.000Z,2,4,1,0,3,0,0.7500,5,15,0.7500,7,"
              "1,5,1000\n",
              "period          1970-01-01T00:00:00Z to 1970-01-01T00:00:01Z\nsubmissions     "
              "2\nactions         4: 1 computed, 0 joined, 3 reused, 0 skipped\nhit rate        "
              "75.0 %\ncompute time    5 ms spent, 15 ms saved by reuse, 7 ms lost to "
              "evictions\nevictions       1, 5 B\n  LEAF                     1    2.0 KiB\n"});
    looks(&pingo__view_report_dataset, &datasets[0],
          (struct looks){
              "{\"hash\":\"ab00000000000000000000000000000000000000000000000000000000000000\","
              "\"valueMs\":0,\"lostMs\":7,\"sizeBytes\":null,\"computeMs\":null,\"state\":null,"
              "\"name\":\"\",\"regrets\":1}\n",
              "ab00000000000000000000000000000000000000000000000000000000000000,0,7,,,,,1\n",
              "ab0000000000         0 ms       7 ms          -          -  -\n"});
    looks(&pingo__view_report_algorithm, &algorithms[0],
          (struct looks){
              "{\"algorithm\":\"chain\",\"evictions\":1,\"evictedBytes\":5,\"rescued\":0,"
              "\"regrets\":1,\"lostMs\":7}\n",
              "chain,1,5,0,1,7\n",
              "chain                         1        5 B        0           1         7 ms\n"});
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool__without_a_budget),
        cmocka_unit_test(test_pool__shares_of_a_budget_of_nothing_are_not_told),
        cmocka_unit_test(test_pool__a_decision_says_what_holds_the_space),
        cmocka_unit_test(test_pool__an_eviction_may_be_rescued_or_regretted),
        cmocka_unit_test(test_pool__the_report_of_a_store_where_nothing_happened),
        cmocka_unit_test(test_pool__the_report_of_one_where_something_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
