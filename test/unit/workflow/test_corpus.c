/* test_corpus.c - the files of the fuzzer's corpus once more, as they are and broken off. */
#include "unit/workflow/said.h"

#include <dirent.h>

#include "fuzz/workflow_target.h"

#define CORPUS "test/fuzz/corpus/workflow"

static void test_corpus__replays(void **state)
{
    DIR *dir = opendir(CORPUS); /* tests run at the root of the tree */
    struct dirent *entry;
    size_t n = 0;

    (void)state;
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        char path[512];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", CORPUS, entry->d_name);
        assert_int_equal(fuzz_file(path), 0);
        n++;
    }
    closedir(dir);
    assert_true(n >= 20);
}

/* A text that ends anywhere is never sound, and never read past its end. */
static void test_corpus__texts_that_end_anywhere(void **state)
{
    static const char row[] =
        "{'name':'w\\u20ac\\ud83d\\ude00','env':{'A':'1'},'x-y':[-1.5e-3,true,null],"
        "'actions':[{'id':1,'name':'\xc3\xa9','type':'command-line','command':['x'],"
        "'inputs':[{'name':'a','path':'p'}]},{'id':2,'name':'b','type':'external',"
        "'description':'d','parentActions':[{'id':1,'as':'r'}],'resources':{'cpus':2}}]}";
    char *text = with_quotes(row);

    (void)state;
    for (size_t n = 0; n <= strlen(text); n++) {
        uint8_t *piece = malloc(n > 0 ? n : 1);
        struct pingo_workflow *w;

        assert_non_null(piece);
        memcpy(piece, text, n);
        fuzz_workflow(piece, n);
        assert_int_equal(
            pingo_workflow_parse(&(struct pingo_document){(char *)piece, n, NULL},
                                 &(struct pingo_workflow_options){.version = 1, .base_dir = "/base"},
                                 &w, NULL),
            n == strlen(text) ? 0 : PINGO_EWORKFLOW);
        pingo_workflow_free(w);
        free(piece);
    }
    free(text);
}

/* Each byte of a sound text, changed in some ways. */
static void test_corpus__texts_with_a_wrong_byte(void **state)
{
    static const char row[] = "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line',"
                              "'command':'cat in/1','parentActions':[{'id':20}]},{'id':20,"
                              "'name':'b','type':'external','description':'d'}]}";
    static const char wrong[] = "\"\\{}[]:,0-.e x\xff\x01";
    char *text = with_quotes(row);

    (void)state;
    for (size_t i = 0; i < strlen(text); i++) {
        char kept = text[i];

        for (size_t k = 0; k < sizeof wrong; k++) {
            text[i] = wrong[k];
            fuzz_workflow((const uint8_t *)text, sizeof row - 1);
        }
        text[i] = kept;
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corpus__replays),
        cmocka_unit_test(test_corpus__texts_that_end_anywhere),
        cmocka_unit_test(test_corpus__texts_with_a_wrong_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
