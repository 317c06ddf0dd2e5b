/* test_provenance.c - what the origin of a dataset looks like. */
#include "unit/digest/workflows.h"
#include "unit/view/look.h"

/* The description of an action, as a store keeps it. */
static struct pingo_description *described(const char *text, size_t i)
{
    struct pingo_workflow *workflow = parse_in(text, "/base");
    struct pingo_digests *digests = digest(workflow);
    struct pingo_description *d = NULL;
    size_t length;
    const void *bytes = pingo_digests_description(digests, i, &length);
    assert_int_equal(pingo_description_decode(bytes, length, &d, NULL), 0);
    pingo_digests_free(digests);
    pingo_workflow_free(workflow);
    return d;
}

static const char whole[] =
    "{\"name\":\"w\",\"actions\":[{\"id\":1,\"name\":\"a\",\"type\":\"command-line\",\"command\":"
    "\"x\"},"
    "{\"id\":2,\"name\":\"b\",\"type\":\"command-line\",\"command\":\"one "
    "\\u001b[31m\\ntwo\",\"salt\":\"s\","
    "\"env\":{\"K\":\"a b\"},\"parentActions\":[{\"id\":1,\"as\":\"p\"}],"
    "\"inputs\":[{\"name\":\"u\",\"uri\":\"http://x/y\",\"version\":\"3\"}],"
    "\"versions\":[[\"echo\",\"it's\"]]}]}";

static void test_provenance__tells_all_that_entered_the_hash(void **state)
{
    static const char *const labels[] = {"l", "v" HOSTILE};
    struct pingo_place input = {.size_bytes = -1, .mtime_ms = -1, .seen_ms = 1000};
    struct pingo_place version = {"/bin/echo", 100, 2000, 3000, "it's" HOSTILE};
    struct pingo_provenance p = {.hash = {{0xab}},
                                 .name = "b" HOSTILE,
                                 .state = PINGO_DATASET_LEAF,
                                 .workflow = 7,
                                 .made_ms = 1000,
                                 .compute_ms = 5,
                                 .size_bytes = 0,
                                 .content = {{0xcd}},
                                 .input_places = &input,
                                 .version_places = &version,
                                 .labels = labels,
                                 .nlabels = 2,
                                 .adopted_from = "/x"};
    struct pingo_description *d = described(whole, 1);
    p.description = d;
    looks_with(
        &pingo__view_provenance, &p, &(struct pingo__view_style){.here = "/bin"},
        (struct looks){
            "{\"hash\":\"ab00000000000000000000000000000000000000000000000000000000000000\","
            "\"name\":\"b\\u001b[31m\xe2\x80\xae\",\"type\":\"command-line\",\"state\":\"LEAF\","
            "\"workflow\":7,\"made\":\"1970-01-01T00:00:01.000Z\",\"computeMs\":5,\"sizeBytes\":0,"
            "\"content\":\"cd00000000000000000000000000000000000000000000000000000000000000\","
            "\"adoptedFrom\":\"/"
            "x\",\"salt\":\"s\",\"outputPath\":null,\"labels\":{\"l\":\"v\\u001b[31m\xe2\x80\xae\"}"
            ",\"description\":{\"command\":\"one \\u001b[31m\\ntwo\",\"env\":{\"K\":\"a "
            "b\"},\"output\":\"output\",\"shell\":\"bash\",\"stdout\":false},\"inputs\":[\n{"
            "\"name\":\"u\",\"kind\":\"uri\",\"identity\":\"http://x/"
            "y\",\"version\":\"3\",\"path\":null,\"sizeBytes\":null,\"modified\":null,\"seen\":"
            "\"1970-01-01T00:00:01.000Z\"}\n],\"tools\":[],\"versions\":[\n{\"command\":[\"echo\","
            "\"it's\"],\"output\":"
            "\"a53006eb431e3d7bd1016d0cb428baaa300d48273f3b6bc3909d098ec79fd6ba\",\"text\":\"it'"
            "s\\u001b[31m\xe2\x80\xae\",\"path\":\"/bin/"
            "echo\",\"seen\":\"1970-01-01T00:00:03.000Z\"}\n],\"parents\":[\n{\"as\":\"p\","
            "\"hash\":\"a2efb9061d07f9ccf7bb1bfb80ce673c1a6b8086e7bb57ec6f596304560d6048\"}\n]}\n",
            "ab00000000000000000000000000000000000000000000000000000000000000,b\x1b["
            "31m\xe2\x80\xae,command-line,LEAF,7,1970-01-01T00:00:01.000Z,5,0,"
            "cd00000000000000000000000000000000000000000000000000000000000000,/x,s,\n",
            "ab0000000000  b?[31m?\n  state     LEAF, 0 B, computed in 5 ms, adopted from /x by "
            "workflow 7, 1970-01-01T00:00:01Z\n  label     l=v?[31m?\n  command   one ?[31m\n      "
            "      two\n  env       K='a b'\n  output    output\n  shell     bash\n  salt      s\n "
            " input     u = http://x/y version 3\n  version   echo 'it'\\''s' = it's?[31m? (output "
            "a53006eb431e)\n            echo, 100 B, of 1970-01-01T00:00:02Z\n  parent    p = "
            "a2efb9061d07\n"});
    pingo_description_free(d);
    (void)state;
}

/* Nothing behind a line's text is looked at, whatever the room that it was given. */
static void test_provenance__reads_no_further_than_a_line(void **state)
{
    char value[200], shown[240];
    const char *const labels[] = {"l", value};
    struct pingo_description *d = described(whole, 1);
    struct pingo_place place = {.size_bytes = -1};
    struct pingo_provenance p = {.description = d,
                                 .name = "b",
                                 .input_places = &place,
                                 .version_places = &place,
                                 .labels = labels,
                                 .nlabels = 2};
    struct pingo__view_style style = {.here = "/"};
    (void)state;
    for (int n = 50; n < 140; n++) {
        struct look l;
        snprintf(value, sizeof value, "%0*d", n, 7);
        snprintf(shown, sizeof shown, "  label     l=%s\n", value);
        l = look_at(&pingo__view_provenance, &p, &style);
        assert_non_null(strstr(pingo__buffer_cstr(&l.text), shown));
        look_clear(&l);
    }
    pingo_description_free(d);
}

/* A path below the directory where one is, and only such a one, is shown without it. */
static void test_provenance__of_what_was_never_made(void **state)
{
    struct pingo_place version = {"/bin2/echo", -1, -1, 3000, NULL};
    struct pingo_place input = {.size_bytes = -1, .mtime_ms = -1, .seen_ms = -1};
    struct pingo_provenance p = {.hash = {{0xab}},
                                 .name = "",
                                 .made_ms = -1,
                                 .compute_ms = -1,
                                 .size_bytes = -1,
                                 .input_places = &input,
                                 .version_places = &version};
    struct pingo_description *d = described(whole, 1);
    p.description = d;
    looks_with(
        &pingo__view_provenance, &p, &(struct pingo__view_style){.here = "/bin"},
        (struct looks){
            "{\"hash\":\"ab00000000000000000000000000000000000000000000000000000000000000\","
            "\"name\":\"\",\"type\":\"command-line\",\"state\":null,\"workflow\":null,\"made\":"
            "null,\"computeMs\":null,\"sizeBytes\":null,\"content\":null,\"adoptedFrom\":null,"
            "\"salt\":\"s\",\"outputPath\":null,\"labels\":{},\"description\":{\"command\":\"one "
            "\\u001b[31m\\ntwo\",\"env\":{\"K\":\"a "
            "b\"},\"output\":\"output\",\"shell\":\"bash\",\"stdout\":false},\"inputs\":[\n{"
            "\"name\":\"u\",\"kind\":\"uri\",\"identity\":\"http://x/"
            "y\",\"version\":\"3\",\"path\":null,\"sizeBytes\":null,\"modified\":null,\"seen\":"
            "null}\n],\"tools\":[],\"versions\":[\n{\"command\":[\"echo\",\"it's\"],\"output\":"
            "\"a53006eb431e3d7bd1016d0cb428baaa300d48273f3b6bc3909d098ec79fd6ba\",\"text\":null,"
            "\"path\":\"/bin2/"
            "echo\",\"seen\":\"1970-01-01T00:00:03.000Z\"}\n],\"parents\":[\n{\"as\":\"p\","
            "\"hash\":\"a2efb9061d07f9ccf7bb1bfb80ce673c1a6b8086e7bb57ec6f596304560d6048\"}\n]}\n",
            "ab00000000000000000000000000000000000000000000000000000000000000,,command-line,,,,,,,,"
            "s,\n",
            "ab0000000000  \n  state     never computed\n  command   one ?[31m\n            two\n  "
            "env       K='a b'\n  output    output\n  shell     bash\n  salt      s\n  input     u "
            "= http://x/y version 3\n  version   echo 'it'\\''s' = output a53006eb431e\n           "
            " /bin2/echo\n  parent    p = a2efb9061d07\n"});
    pingo_description_free(d);
    p.description = d = described(whole, 0);
    looks(&pingo__view_provenance, &p,
          (struct looks){
              "{\"hash\":\"ab00000000000000000000000000000000000000000000000000000000000000\","
              "\"name\":\"\",\"type\":\"command-line\",\"state\":null,\"workflow\":null,\"made\":"
              "null,\"computeMs\":null,\"sizeBytes\":null,\"content\":null,\"adoptedFrom\":null,"
              "\"salt\":null,\"outputPath\":null,\"labels\":{},\"description\":{\"command\":\"x\","
              "\"env\":{},\"output\":\"output\",\"shell\":\"bash\",\"stdout\":false},\"inputs\":[],"
              "\"tools\":[],\"versions\":[],\"parents\":[]}\n",
              "ab00000000000000000000000000000000000000000000000000000000000000,,command-line,,,,,,"
              ",,,\n",
              "ab0000000000  \n  state     never computed\n  command   x\n  output    output\n  "
              "shell     bash\n"});
    pingo_description_free(d);
    struct pingo__view_origin origin = {{{0xab}}, true};
    looks(&pingo__view_origin, &origin,
          (struct looks){
              "{\"hash\":\"ab00000000000000000000000000000000000000000000000000000000000000\","
              "\"actions\":[],\"more\":true}\n",
              "ab00000000000000000000000000000000000000000000000000000000000000,true\n", NULL});
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_provenance__tells_all_that_entered_the_hash),
        cmocka_unit_test(test_provenance__reads_no_further_than_a_line),
        cmocka_unit_test(test_provenance__of_what_was_never_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
