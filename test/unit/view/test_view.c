/* test_view.c - a table of columns of every kind, as JSON, CSV, text and schema; and where there is no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <pingo/digest.h>

#include "unit/share.h"
#include "view/columns.h"
#include "view/views.h"

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

struct part {
    int64_t size;
};
struct thing {
    int32_t id;
    const char *name;
    char inside[16];
    bool flag;
    uint64_t bytes;
    int64_t ms, at;
    double share, ratio, real;
    struct pingo_hash hash;
    int state;
    const char *const *labels;
    size_t nlabels;
    struct part part, other;
    const struct part *pointer;
    const struct part *list;
    size_t nlist;
};

static const char *name_of(int value)
{
    return value == 1 ? "ONE" : value == 2 ? "TWO" : NULL;
}

static bool has_times(const void *row)
{
    return ((const struct thing *)row)->id != 0;
}

static void get_twice(const void *row, struct pingo__view_value *v)
{
    v->number = 2 * (int64_t)((const struct thing *)row)->bytes;
    v->is_null = false;
}

static void each_part(const void *row, void (*fn)(void *context, const void *element), void *context)
{
    fn(context, &(struct part){((const struct thing *)row)->id});
}

static void put_cell(const void *row, struct pingo__view_out *out)
{
    pingo__buffer_text(out->b, ((const struct thing *)row)->flag ? "note" : "");
    out->tone = PINGO__TONE_BAD;
}

#define ROW struct part
static const struct pingo__view_column part_columns[] = {
    COLUMN("sizeBytes", BYTES, size, "its size", MISSING, .heading = "SIZE", .width = 8)};
static const struct pingo__view_table part_view =
    VIEW_TEXT("part", part_columns, ROW, "[sizeBytes?part of {sizeBytes}]");
#undef ROW

#define ROW struct thing
static const struct pingo__view_column columns[] = {
    COLUMN("id", COUNT, id, "the id", .heading = "ID", .width = 4),
    COLUMN("name", TEXT, name, "the name", MISSING, .heading = "NAME", .width = -6, .cut = 9),
    COLUMN("inside", TEXT, inside, "an array", .null = PINGO__NULL_EMPTY),
    COLUMN("flag", FLAG, flag, "a flag"),
    COLUMN("bytes", BYTES, bytes, "a size", .heading = "BYTES", .width = 8, .option = 1),
    GETTER("twice", COUNT, get_twice, "a getter"),
    COLUMN("ms", MS, ms, "a duration", .null = PINGO__NULL_ROW),
    COLUMN("at", TIME, at, "a time", MISSING, .heading = "AT", .width = -20),
    COLUMN("share", SHARE, share, "a share", MISSING),
    COLUMN("ratio", RATIO, ratio, "a ratio"),
    COLUMN("real", REAL, real, "a real"),
    COLUMN("hash", HASH, hash, "a hash", MISSING),
    COLUMN("state", NAME, state, "a name", .names = name_of, .null = PINGO__NULL_ABSENT),
    ARRAY("labels", PAIRS, labels, nlabels, "pairs"),
    {.key = "part",
     .kind = PINGO__VIEW_OBJECT,
     .offset = offsetof(ROW, part),
     .of = &part_view,
     .meaning = "a struct"},
    {.key = "pointer",
     .kind = PINGO__VIEW_POINTER,
     .offset = offsetof(ROW, pointer),
     .of = &part_view,
     .meaning = "a pointer"},
    MEMBERS(other, &part_view),
    LIST("list", list, nlist, &part_view, "a list"),
    EACH("put", &part_view, each_part, "told"),
    CELL("NOTE", 0, put_cell),
    SHOWN("hidden", COUNT, id),
    {.name = "cell",
     .kind = PINGO__VIEW_TEXT,
     .type = PINGO__TYPE_TEXT,
     .size = sizeof(char *),
     .offset = offsetof(ROW, name),
     .cell = put_cell},
};
static const struct pingo__view_table view = {.name = "thing",
                                              .columns = columns,
                                              .ncolumns = sizeof columns / sizeof *columns,
                                              .size = sizeof(ROW),
                                              .has = has_times};
static const struct pingo__view_column stream_columns[] = {
    COLUMN("id", COUNT, id, "before"),
    STREAM("things", &part_view, "the stream"),
    COLUMN("flag", FLAG, flag, "behind"),
};
static const struct pingo__view_table stream = VIEW("stream", stream_columns, ROW);
#undef ROW

static const char *const labels[] = {"k", "v\"1\"", "l", ""};
static const struct part parts[] = {{1}, {-1}};

static struct thing full(void)
{
    return (struct thing){.id = 7,
                          .name = "a,\"b\"\x01\xff long name",
                          .inside = "in",
                          .flag = true,
                          .bytes = UINT64_C(9007199254740993),
                          .ms = 1500,
                          .at = INT64_C(1763632800123),
                          .share = 0.5,
                          .ratio = 1.25,
                          .real = 0.1,
                          .hash = {{0xab}},
                          .state = 2,
                          .labels = labels,
                          .nlabels = 4,
                          .part = {5},
                          .other = {2048},
                          .pointer = parts,
                          .list = parts,
                          .nlist = 2};
}

/* What was written since; borrowed until the next call. */
static const char *text_of(struct pingo__buffer *b)
{
    static char text[8192];
    assert_false(b->failed);
    assert_true(b->length < sizeof text);
    memcpy(text, b->length > 0 ? b->data : "", b->length);
    text[b->length] = '\0';
    pingo__buffer_clear(b);
    return text;
}

static const char *json_of(const struct thing *t)
{
    struct pingo__writer w;
    pingo__writer_init(&w, NULL, NULL);
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
    struct pingo__buffer b;
    struct thing t = full();
    (void)state;
    pingo__buffer_init(&b);
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

static const char *paint(enum pingo__view_tone tone)
{
    return tone == PINGO__TONE_PLAIN ? "<>" : tone == PINGO__TONE_BOLD ? "<b>" : "<bad>";
}

static void test_view__lays_out_lines_of_text(void **state)
{
    struct pingo__buffer b;
    struct pingo__view_style style = {.shown = 0};
    struct thing t = full();
    (void)state;
    pingo__buffer_init(&b);
    pingo__view_line(&b, &view, NULL, &style);
    assert_string_equal(text_of(&b), "  ID  NAME    AT                        SIZE  NOTE\n");
    pingo__view_line(&b, &view, &t, &style);
    assert_string_equal(text_of(&b), "   7  a,\"b\"?...  2025-11-20T10:00:00Z   2.0 KiB  note\n");
    /* What is empty at the end is left out; what is unknown is "-". */
    t = (struct thing){.at = -1, .other = {-1}};
    pingo__view_line(&b, &view, &t, &style);
    assert_string_equal(text_of(&b), "   0  -       -                            -\n");
    style = (struct pingo__view_style){
        .shown = 1u << 1, .indent = "  ", .paint = paint, .times = PINGO__TIMES_EPOCH};
    pingo__view_line(&b, &view, NULL, &style);
    assert_string_equal(text_of(&b),
                        "  <b>  ID  NAME       BYTES  AT                        SIZE  NOTE<>\n");
    t = full();
    t.name = "\xc3\xa4";
    pingo__view_line(&b, &view, &t, &style);
    assert_string_equal(
        text_of(&b),
        "     7  \xc3\xa4        8.0 PiB  1763632800             2.0 KiB  <bad>note<>\n");
}

static void test_view__says_times_in_each_style(void **state)
{
    struct pingo__buffer b;
    struct pingo__view_style style = {.times = PINGO__TIMES_RELATIVE, .now_ms = 100000000};
    (void)state;
    pingo__buffer_init(&b);
    pingo__view_time(&b, 100000000 - 7200000, &style);
    assert_string_equal(text_of(&b), "2 hours ago");
    pingo__view_time(&b, 100000000 + 61000, &style);
    assert_string_equal(text_of(&b), "1 minute from now");
    pingo__view_time(&b, 100000000, &style);
    assert_string_equal(text_of(&b), "just now");
    pingo__view_time(&b, -1, &style);
    assert_string_equal(text_of(&b), "-");
}

static void test_view__streams_what_is_long(void **state)
{
    struct pingo__writer w;
    (void)state;
    pingo__writer_init(&w, NULL, NULL);
    pingo__view_open(&w, NULL, &stream, &(struct thing){.id = 3});
    pingo__view_object(&w, NULL, &part_view, &parts[0]);
    pingo__view_object(&w, NULL, &part_view, &parts[1]);
    pingo__view_close(&w, &stream, &(struct thing){.flag = true});
    assert_string_equal(
        text_of(&w.out),
        "{\"id\":3,\"things\":[\n{\"sizeBytes\":1},\n{\"sizeBytes\":null}\n],\"flag\":true}\n");
}

/* A validator reads the schemas of all commands in test/docs/json.t; this is about what a kind gives. */
static void test_view__tells_the_schema(void **state)
{
    static const struct pingo__view_document documents[] = {{"here", &view, true}, {0}};
    struct pingo__writer w;
    (void)state;
    pingo__writer_init(&w, NULL, NULL);
    pingo__view_schema(&w, "a title", documents);
    const char *text = text_of(&w.out);
    assert_non_null(
        strstr(text, "{\"title\":\"here\",\"type\":\"array\",\"items\":{\"type\":\"object\","));
    assert_non_null(
        strstr(text, "\"name\":{\"type\":[\"string\",\"null\"],\"description\":\"the name\"}"));
    assert_non_null(strstr(text, "\"id\":{\"type\":\"integer\",\"description\":\"the id\"}"));
    assert_non_null(strstr(text, "\"ms\":{\"type\":[\"integer\",\"null\"],"));
    assert_non_null(strstr(
        text,
        "\"state\":{\"type\":\"string\",\"description\":\"a name\",\"enum\":[\"ONE\",\"TWO\"]}"));
    assert_non_null(strstr(
        text, "\"required\":[\"id\",\"name\",\"inside\",\"flag\",\"bytes\",\"twice\",\"ms\",\"at\","
              "\"share\",\"ratio\",\"real\",\"hash\",\"labels\",\"part\",\"pointer\",\"sizeBytes\","
              "\"list\",\"put\"],\"additionalProperties\":false"));
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
        struct pingo__writer w;
        struct pingo__buffer b;
        pingo__writer_init(&w, NULL, NULL);
        pingo__buffer_init(&b);
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

static const char *mark(enum pingo__view_tone tone)
{
    return tone == PINGO__TONE_PLAIN ? ">" : "<";
}

static void test_text__fills_in_templates(void **state)
{
    static const struct {
        const char *template, *said;
    } rows[] = {
        {"plain", "plain"},
        {"{id} {bytes} {ms}", "7 8.0 PiB 1.5 s"},
        {"{id:4}|{id:-4}|", "   7|7   |"},
        {"{part.sizeBytes}", "5 B"},
        {"{part.sizeBytes%bytes}", "0.0 %"},
        {"{id} thing{id||s}, {part.sizeBytes|one|more}", "7 things, more"},
        {"[id>0?yes|no] [!id>0?yes|no]", "yes no"},
        {"[ms?yes] [flag?is so|is not]", "yes is so"},
        {"[state=TWO?two][state=ONE?one][!state=ONE?, not one]", "two, not one"},
        {"[id>0?a[flag?b[!flag?c]]d|e[flag?f]]", "abd"},
        {"[!flag?{id}|[id>0?left {id}|none]]", "left 7"},
        {"{pingo} run", "pingo -C x run"},
        {"{hidden} [!hidden>0?no]", "7 "},
        {"{cell:6}.", "<  note>."},
    };
    struct thing t = full();
    struct pingo__view_style style = {.program = "pingo -C x", .paint = mark};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__buffer b;
        pingo__buffer_init(&b);
        pingo__view_say(&b, rows[i].template, &view, &t, &style);
        assert_string_equal(pingo__buffer_cstr(&b), rows[i].said);
        pingo__buffer_clear(&b);
    }
    /* What is null is "-", and is not; a line of which nothing is left is left out, an empty one is not. */
    static const char *const lines[] = {"{ms} [ms?is|is not]", "[ms?gone]", "", "[cell?{cell}]",
                                        NULL};
    struct thing none = {.ms = 5, .at = -1, .share = -1, .part = {-1}, .other = {-1}, .state = 9};
    struct pingo__buffer b;
    pingo__buffer_init(&b);
    style.indent = "  ";
    pingo__view_text(&b, lines, &view, &none, &style);
    assert_string_equal(pingo__buffer_cstr(&b), "  - is not\n  \n");
    pingo__buffer_reset(&b);
    pingo__view_parts(&b, &view, &t, &style);
    assert_string_equal(pingo__buffer_cstr(&b), "  part of 1 B\n  part of 7 B\n");
    pingo__buffer_clear(&b);
}

static int taken(void *context, const char *bytes, size_t n)
{
    (void)bytes;
    *(size_t *)context += n;
    return *(size_t *)context > 100000;
}

static void test_writer__hands_out_pieces_and_keeps_a_failure(void **state)
{
    struct pingo__writer w;
    size_t n = 0;
    (void)state;
    pingo__writer_init(&w, taken, &n);
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
        cmocka_unit_test(test_view__lays_out_lines_of_text),
        cmocka_unit_test(test_view__says_times_in_each_style),
        cmocka_unit_test(test_view__streams_what_is_long),
        cmocka_unit_test(test_view__tells_the_schema),
        cmocka_unit_test(test_view__tells_where_there_is_no_memory),
        cmocka_unit_test(test_text__fills_in_templates),
        cmocka_unit_test(test_writer__hands_out_pieces_and_keeps_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
