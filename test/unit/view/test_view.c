/* test_view.c - a row with a column of every kind as JSON and CSV; and where there is no memory. */
#include "unit/share.h"
#include "unit/view/thing.h"

/* realloc is interposed: after so many calls each fails; below 0: none does. */
static long left = -1;

#if IS_SLOW
#define HIDDEN(name) __interceptor_##name
#else
#define HIDDEN(name) __libc_##name
#endif
extern void *HIDDEN(realloc)(void *old, size_t size);

__attribute__((visibility("default"))) void *realloc(void *old, size_t size)
{
    if (left == 0)
        return NULL;
    left -= left > 0;
    return HIDDEN(realloc)(old, size);
}

static const char *json_of(const struct thing *t)
{
    struct pingo__writer w = {0};
    pingo__view_object(&w, NULL, &view, t);
    return text_of(&w.out);
}

static void test_view__writes_every_kind_as_json(void **state)
{
    struct thing t = full();
    (void)state;
    assert_string_equal(
        json_of(&t),
        "{\"id\":7,\"name\":\"a,\\\"b\\\"\\u0001\xef\xbf\xbd long "
        "name\",\"inside\":\"in\",\"flag\":true,"
        "\"bytes\":9007199254740993,\"twice\":18014398509481986,\"ms\":1500,"
        "\"at\":\"2025-11-20T10:00:00.123Z\",\"share\":0.5000,\"ratio\":1.250000,\"real\":0.1,"
        "\"hash\":\"ab00000000000000000000000000000000000000000000000000000000000000\",\"state\":"
        "\"TWO\","
        "\"labels\":{\"k\":\"v\\\"1\\\"\",\"l\":\"\"},\"part\":{\"sizeBytes\":5},\"pointer\":{"
        "\"sizeBytes\":1},"
        "\"sizeBytes\":2048,\"list\":[\n{\"sizeBytes\":1},\n{\"sizeBytes\":null}\n],\"put\":[\n{"
        "\"sizeBytes\":7}\n]"
        "}\n");
}

static void test_view__knows_what_is_null_or_left_out(void **state)
{
    struct thing t = {.ms = 5, .at = -1, .share = -1, .part = {-1}, .other = {-1}, .state = 9};
    (void)state;
    assert_string_equal(
        json_of(&t),
        "{\"id\":0,\"name\":null,\"inside\":null,\"flag\":false,\"bytes\":0,\"twice\":0,"
        "\"ms\":null,\"at\":null,\"share\":null,\"ratio\":0.000000,\"real\":0,\"hash\":null,"
        "\"labels\":{},\"part\":{\"sizeBytes\":null},\"pointer\":null,\"sizeBytes\":null,"
        "\"list\":[],\"put\":[\n{\"sizeBytes\":0}\n]}\n");
}

static void test_view__has_the_keys_and_values_in_csv(void **state)
{
    struct pingo__buffer b = {0};
    struct thing t = full();
    (void)state;
    pingo__view_csv_keys(&b, &view);
    assert_string_equal(text_of(&b),
                        "id,name,inside,flag,bytes,twice,ms,at,share,ratio,real,hash,state,"
                        "sizeBytes\n");
    t.name = "a,\"b\"";
    t.other.size = -1;
    pingo__view_csv(&b, &view, &t);
    assert_string_equal(text_of(&b),
                        "7,\"a,\"\"b\"\"\",in,true,9007199254740993,18014398509481986,1500,"
                        "2025-11-20T10:00:00.123Z,0.5000,1.250000,0.1,"
                        "ab00000000000000000000000000000000000000000000000000000000000000,TWO,\n");
}

static void test_view__streams_what_is_long(void **state)
{
    struct pingo__writer w = {0};
    (void)state;
    pingo__view_open(&w, &stream, &(struct thing){.id = 3});
    pingo__view_object(&w, NULL, &part_view, &parts[0]);
    pingo__view_object(&w, NULL, &part_view, &parts[1]);
    pingo__view_close(&w, &stream, &(struct thing){.flag = true});
    assert_string_equal(
        text_of(&w.out),
        "{\"id\":3,\"things\":[\n{\"sizeBytes\":1},\n{\"sizeBytes\":null}\n],\"flag\":true}\n");
}

/* Each allocation fails in turn: `failed` tells, and nothing else happens. */
static void test_view__tells_where_there_is_no_memory(void **state)
{
    static const struct pingo__view_document documents[] = {{"here", &view, true}, {0}};
    struct thing t = full();
    struct pingo__view_style style = {.shown = 1u << 1};
    bool failed = true;
    int nfailed = 0;
    (void)state;
    for (long n = 0; failed; n++) {
        struct pingo__writer w = {0};
        struct pingo__buffer b = {0};
        left = n;
        pingo__view_object(&w, NULL, &view, &t);
        pingo__view_schema(&w, "title", documents);
        pingo__view_csv_keys(&b, &view);
        pingo__view_csv(&b, &view, &t);
        pingo__view_line(&b, &view, NULL, &style);
        pingo__view_line(&b, &view, &t, &style);
        pingo__view_say(&b, "{name} {id:80}", &view, &t, &style);
        left = -1;
        failed = w.out.failed || b.failed;
        nfailed += failed;
        pingo__writer_clear(&w);
        pingo__buffer_clear(&b);
    }
    assert_true(nfailed > 5);
}

static int taken(void *context, const char *bytes, size_t n)
{
    (void)bytes;
    *(size_t *)context += n;
    return *(size_t *)context > 100000;
}

static void test_writer__hands_out_pieces_and_keeps_a_failure(void **state)
{
    size_t n = 0;
    struct pingo__writer w = {.take = taken, .context = &n};
    (void)state;
    pingo__writer_open(&w, NULL, PINGO__WRITER_LINES);
    for (int i = 0; i < 5000; i++)
        pingo__writer_text(&w, NULL, "0123456789");
    assert_true(n > 32768 && n < 100000 && w.out.capacity < 100000);
    assert_int_equal(pingo__writer_flush(&w), 0);
    for (int i = 0; i < 9000; i++)
        pingo__writer_text(&w, NULL, "0123456789");
    pingo__writer_close(&w);
    assert_true(w.out.failed);
    pingo__writer_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_view__writes_every_kind_as_json),
        cmocka_unit_test(test_view__knows_what_is_null_or_left_out),
        cmocka_unit_test(test_view__has_the_keys_and_values_in_csv),
        cmocka_unit_test(test_view__streams_what_is_long),
        cmocka_unit_test(test_view__tells_where_there_is_no_memory),
        cmocka_unit_test(test_writer__hands_out_pieces_and_keeps_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
