/* test_access.c - what tokens, who asks and the audit look like. */
#include "unit/view/look.h"

static void test_access__a_token_tells_what_it_may_and_until_when(void **state)
{
    struct pingo_token t = {.name = "n" HOSTILE,
                            .user = "a,\"b\"",
                            .role = PINGO_ROLE_SUBMITTER,
                            .created_ms = 1000,
                            .expires_ms = -1,
                            .used_ms = -1,
                            .revoked_ms = -1};
    looks(&pingo__view_token, &t,
          (struct looks){
              "{\"name\":\"n\\u001b[31m\xe2\x80\xae\",\"user\":\"a,\\\"b\\\"\",\"role\":"
              "\"submitter\",\"createdAt\":\"1970-01-01T00:00:01.000Z\",\"expiresAt\":null,"
              "\"usedAt\":null,\"revokedAt\":null}\n",
              "n\x1b[31m\xe2\x80\xae,\"a,\"\"b\"\"\",submitter,1970-01-01T00:00:01.000Z,,,\n",
              "n?[31m?           a,\"b\"         submitter   1970-01-01T00:00:01Z  -               "
              "      -                     -\n"});
    t.role = PINGO_ROLE_ADMIN;
    t.expires_ms = t.used_ms = t.revoked_ms = 86400000;
    looks(
        &pingo__view_token, &t,
        (struct looks){
            "{\"name\":\"n\\u001b[31m\xe2\x80\xae\",\"user\":\"a,\\\"b\\\"\",\"role\":\"admin\","
            "\"createdAt\":\"1970-01-01T00:00:01.000Z\",\"expiresAt\":\"1970-01-02T00:00:00.000Z\","
            "\"usedAt\":\"1970-01-02T00:00:00.000Z\",\"revokedAt\":\"1970-01-02T00:00:00.000Z\"}\n",
            "n\x1b[31m\xe2\x80\xae,\"a,\"\"b\"\"\",admin,1970-01-01T00:00:01.000Z,1970-01-02T00:00:"
            "00.000Z,1970-01-02T00:00:00.000Z,1970-01-02T00:00:00.000Z\n",
            "n?[31m?           a,\"b\"         admin       1970-01-01T00:00:01Z  "
            "1970-01-02T00:00:00Z  1970-01-02T00:00:00Z  1970-01-02T00:00:00Z\n"});
    (void)state;
}

static void test_access__its_text_is_told_once(void **state)
{
    struct pingo__view_made_token t = {
        .token = {.name = "laptop", .user = "ann", .role = PINGO_ROLE_VIEWER}, .text = "pingo_x"};
    looks(&pingo__view_token_made, &t,
          (struct looks){
              "{\"token\":\"pingo_x\",\"name\":\"laptop\",\"user\":\"ann\",\"role\":\"viewer\"}\n",
              "pingo_x,laptop,ann,viewer\n", "pingo_x\n"});
    t.text = "laptop" HOSTILE;
    looks(&pingo__view_token_revoked, &t,
          (struct looks){"{\"revoked\":\"laptop\\u001b[31m\xe2\x80\xae\"}\n",
                         "laptop\x1b[31m\xe2\x80\xae\n",
                         "laptop?[31m? is good for nothing any more\n"});
    struct pingo__view_way_in way = {"c", "http://localhost/#c"};
    looks(&pingo__view_way_in, &way,
          (struct looks){"{\"code\":\"c\",\"url\":\"http://localhost/#c\"}\n",
                         "c,http://localhost/#c\n", "http://localhost/#c\n"});
    (void)state;
}

static void test_access__who_asks_may_be_nobody(void **state)
{
    struct pingo__view_me me = {NULL, PINGO_ROLE_VIEWER};
    looks(&pingo__view_me, &me,
          (struct looks){"{\"user\":null,\"role\":\"viewer\"}\n", ",viewer\n", NULL});
    (void)state;
}

static void test_access__what_was_done(void **state)
{
    struct pingo_audit a = {.at_ms = 1,
                            .user = "ann",
                            .way = "token " HOSTILE,
                            .verb = "kill",
                            .object = "workflow 7",
                            .result = "done"};
    looks(&pingo__view_audit, &a,
          (struct looks){
              "{\"at\":\"1970-01-01T00:00:00.001Z\",\"user\":\"ann\",\"way\":\"token "
              "\\u001b[31m\xe2\x80\xae\",\"verb\":\"kill\",\"object\":\"workflow "
              "7\",\"result\":\"done\"}\n",
              "1970-01-01T00:00:00.001Z,ann,token \x1b[31m\xe2\x80\xae,kill,workflow 7,done\n",
              NULL});
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_access__a_token_tells_what_it_may_and_until_when),
        cmocka_unit_test(test_access__its_text_is_told_once),
        cmocka_unit_test(test_access__who_asks_may_be_nobody),
        cmocka_unit_test(test_access__what_was_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
