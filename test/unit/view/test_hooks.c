/* test_hooks.c - what it looks like that somebody is told of an end. */
#include "unit/view/look.h"

#include <pingo/feed.h>

static void test_hooks__what_is_over_is_not_due(void **state)
{
    struct pingo_hook h = {.number = 1,
                           .workflow = 2,
                           .way = PINGO_HOOK_URL,
                           .state = PINGO_HOOK_PENDING,
                           .target = "http://x/" HOSTILE,
                           .tries = 2,
                           .made_ms = 1000,
                           .due_ms = 5000,
                           .done_ms = -1,
                           .message = "no answer"};
    looks(
        &pingo__view_hook, &h,
        (struct looks){
            "{\"number\":1,\"workflow\":2,\"state\":\"pending\",\"way\":\"url\",\"tries\":2,"
            "\"ended\":\"1970-01-01T00:00:01.000Z\",\"due\":\"1970-01-01T00:00:05.000Z\",\"done\":"
            "null,\"target\":\"http://x/\\u001b[31m\xe2\x80\xae\",\"message\":\"no answer\"}\n",
            "1,2,pending,url,2,1970-01-01T00:00:01.000Z,1970-01-01T00:00:05.000Z,,http://x/"
            "\x1b[31m\xe2\x80\xae,no answer\n",
            "     1         2  pending    url          2  1970-01-01T00:00:01Z  http://x/?[31m?    "
            "             no answer\n"});
    h.state = PINGO_HOOK_GIVEN_UP;
    h.done_ms = 6000;
    looks(&pingo__view_hook, &h,
          (struct looks){"{\"number\":1,\"workflow\":2,\"state\":\"given "
                         "up\",\"way\":\"url\",\"tries\":2,\"ended\":\"1970-01-01T00:00:01.000Z\","
                         "\"due\":null,\"done\":\"1970-01-01T00:00:06.000Z\",\"target\":\"http://x/"
                         "\\u001b[31m\xe2\x80\xae\",\"message\":\"no answer\"}\n",
                         "1,2,given "
                         "up,url,2,1970-01-01T00:00:01.000Z,,1970-01-01T00:00:06.000Z,http://x/"
                         "\x1b[31m\xe2\x80\xae,no answer\n",
                         "     1         2  given up   url          2  1970-01-01T00:00:01Z  "
                         "http://x/?[31m?                 no answer\n"});
    h.state = PINGO_HOOK_DELIVERED;
    h.way = PINGO_HOOK_COMMAND;
    h.message = "";
    looks(&pingo__view_hook, &h,
          (struct looks){
              "{\"number\":1,\"workflow\":2,\"state\":\"delivered\",\"way\":\"command\",\"tries\":"
              "2,\"ended\":\"1970-01-01T00:00:01.000Z\",\"due\":null,\"done\":\"1970-01-01T00:00:"
              "06.000Z\",\"target\":\"http://x/\\u001b[31m\xe2\x80\xae\",\"message\":null}\n",
              "1,2,delivered,command,2,1970-01-01T00:00:01.000Z,,1970-01-01T00:00:06.000Z,http://x/"
              "\x1b[31m\xe2\x80\xae,\n",
              "     1         2  delivered  command      2  1970-01-01T00:00:01Z  "
              "http://x/?[31m?\n"});
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hooks__what_is_over_is_not_due),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
