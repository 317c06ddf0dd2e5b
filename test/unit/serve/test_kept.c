/* test_kept.c - answers that are given again: only to the same question, and only while they are true. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/work/kept.h"

static char directory[] = "/tmp/pingo-kept-XXXXXX", path[64];
static struct pingo_store *store; /* of somebody else */
static struct serve_kept *kept;
#define NQUESTIONS 600 /* more than have a place */

static int make(void **state)
{
    struct pingo_error err;
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(path, sizeof path, "%s/.pingo", directory);
    return pingo_store_init(path, NULL, &err) || pingo_store_open(path, NULL, &store, &err);
}

static int drop(void **state)
{
    struct pingo_error err;
    (void)state;
    pingo_store_close(store);
    return pingo_store_destroy(path, NULL, NULL, &err) || rmdir(directory);
}

static int open_kept(void **state)
{
    struct pingo_error err;
    (void)state;
    return serve_kept_open(path, &kept, &err);
}

static int close_kept(void **state)
{
    (void)state;
    serve_kept_close(kept);
    return 0;
}

/* What is asked now: the n-th question. */
static struct serve_kept_at question(size_t n)
{
    static char texts[NQUESTIONS][24];
    static struct pingo__buffer questions[NQUESTIONS];
    snprintf(texts[n], sizeof texts[n], "what is %zu?", n);
    questions[n] = (struct pingo__buffer){.data = texts[n], .length = strlen(texts[n])};
    return (struct serve_kept_at){&questions[n], 2, 1000, -1};
}

static struct serve_answer answer_of(const char *body)
{
    struct serve_answer answer;
    serve_answer_init(&answer);
    pingo__buffer_text(&answer.body, body);
    snprintf(answer.etag, sizeof answer.etag, "tag of %.16s", body);
    return answer;
}

/* NULL: nothing is recalled. */
static void recalls(struct serve_kept_at *at, const char *body)
{
    struct serve_answer answer;
    struct pingo__arena arena = {0};
    serve_answer_init(&answer);
    assert_int_equal(serve_kept_recall(kept, at, &arena, &answer), body != NULL);
    assert_string_equal(pingo__buffer_cstr(&answer.body), body ? body : "");
    if (body)
        assert_memory_equal(answer.etag, "tag of ", 7);
    serve_answer_clear(&answer);
    pingo__arena_clear(&arena);
}

/* Is looked up and not found, and made. */
static void make_answer(struct serve_kept_at *at, const char *body)
{
    struct serve_answer answer = answer_of(body);
    recalls(at, NULL);
    serve_kept_keep(kept, at, &answer);
    serve_answer_clear(&answer);
}

static void write_something(void)
{
    struct pingo_error err;
    static bool on;
    on = !on;
    assert_int_equal(pingo_store_set(store, "serve.private", on ? "on" : "off", &err), 0);
}

static void test_kept__is_given_while_it_is_true(void **state)
{
    struct serve_kept_at at = question(0);
    (void)state;
    make_answer(&at, "one");
    recalls(&at, "one");
    recalls(&at, "one");
    write_something();
    make_answer(&at, "a longer one");
    recalls(&at, "a longer one");
    at.writes++;
    make_answer(&at, "two");
    recalls(&at, "two");
}

static void test_kept__what_is_written_meanwhile_is_told(void **state)
{
    struct serve_kept_at at = question(0);
    struct serve_answer answer = answer_of("old, or new");
    (void)state;
    recalls(&at, NULL);
    write_something();
    serve_kept_keep(kept, &at, &answer); /* made before, or behind, what was written */
    recalls(&at, NULL);
    serve_answer_clear(&answer);
}

static void test_kept__is_not_old(void **state)
{
    struct serve_kept_at at = question(0);
    (void)state;
    make_answer(&at, "one");
    at.now_ms += 99;
    recalls(&at, "one");
    at.now_ms++;
    recalls(&at, NULL);
}

static void knows_tag(struct serve_kept_at *at, bool is_known)
{
    struct serve_answer answer;
    serve_answer_init(&answer);
    assert_false(serve_kept_recall(kept, at, NULL, &answer));
    assert_int_equal(strncmp(answer.etag, "tag of ", 7) == 0, is_known);
    serve_answer_clear(&answer);
}

static void test_kept__tag_is_known_longer(void **state)
{
    struct serve_kept_at at = question(0);
    struct serve_answer of_now = answer_of("of now");
    (void)state;
    make_answer(&at, "one");
    at.now_ms += 999;
    knows_tag(&at, true);
    at.now_ms++;
    knows_tag(&at, false);
    of_now.of_now = true;
    serve_kept_keep(kept, &at, &of_now);
    knows_tag(&at, true);
    recalls(&at, NULL);
    write_something();
    knows_tag(&at, false);
    serve_answer_clear(&of_now);
}

static void test_kept__of_another_question_is_not_given(void **state)
{
    size_t nlost = 0;
    (void)state;
    for (size_t n = 0; n < NQUESTIONS; n++) {
        struct serve_kept_at at = question(n);
        make_answer(&at, at.question->data);
        recalls(&at, at.question->data);
    }
    for (size_t n = 0; n < NQUESTIONS; n++) {
        struct serve_answer answer;
        struct pingo__arena arena = {0};
        struct serve_kept_at at = question(n);
        serve_answer_init(&answer);
        if (serve_kept_recall(kept, &at, &arena, &answer))
            assert_string_equal(pingo__buffer_cstr(&answer.body), at.question->data);
        else
            nlost++;
        serve_answer_clear(&answer);
        pingo__arena_clear(&arena);
    }
    assert_in_range(nlost, 1, NQUESTIONS - 1);
}

/* It may be as long as a client likes, and there may have been no memory for it. */
static void test_kept__of_half_a_question_is_not_given(void **state)
{
    char text[1025];
    struct pingo__buffer half = {.data = text, .length = 1024};
    struct serve_kept_at at = {&half, 2, 1000, -1};
    (void)state;
    memset(text, 'x', sizeof text);
    make_answer(&at, "one");
    recalls(&at, "one");
    half.length++;
    make_answer(&at, "two");
    recalls(&at, NULL);
    half.length--;
    half.failed = true;
    make_answer(&at, "three");
    recalls(&at, NULL);
}

static void keep(struct serve_kept_at *at, struct serve_answer *answer)
{
    recalls(at, NULL);
    serve_kept_keep(kept, at, answer);
    serve_answer_clear(answer);
}

static void test_kept__is_a_small_document_without_more(void **state)
{
    struct serve_kept_at at = question(0);
    struct serve_answer of_now = answer_of("of now"), headed = answer_of("with a header");
    char large[65538];
    (void)state;
    of_now.of_now = true;
    keep(&at, &of_now);
    recalls(&at, NULL);
    serve_header(&headed, "Vary", "Accept");
    keep(&at, &headed);
    recalls(&at, NULL);
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    make_answer(&at, large);
    recalls(&at, NULL);
    large[sizeof large - 2] = '\0';
    make_answer(&at, large);
    recalls(&at, large);
    write_something();
    make_answer(&at, "");
    recalls(&at, "");
}

static void test_kept__has_its_type(void **state)
{
    struct serve_kept_at at = question(0);
    struct serve_answer answer = answer_of("tag of"), again;
    struct pingo__arena arena = {0};
    char type[80] = "text/plain; charset=utf-8";
    (void)state;
    answer.type = type;
    recalls(&at, NULL);
    serve_kept_keep(kept, &at, &answer);
    memset(type, 'x', sizeof type - 1); /* as an arena is used again */
    serve_answer_init(&again);
    assert_true(serve_kept_recall(kept, &at, &arena, &again));
    assert_string_equal(again.type, "text/plain; charset=utf-8");
    serve_answer_clear(&again);
    pingo__arena_clear(&arena);
    write_something();
    keep(&at, &answer); /* its type is too long */
    recalls(&at, NULL);
}

static void test_kept__knows_when_anybody_has_written(void **state)
{
    struct pingo_error err;
    (void)state;
    int64_t before = serve_kept_version(kept, 0);
    assert_int_equal(serve_kept_version(kept, 0), before);
    assert_int_equal(pingo_store_set(store, "pool.budget", "7G", &err), 0);
    assert_int_not_equal(serve_kept_version(kept, before), before);
}

static void test_kept__nothing_where_nothing_is_kept(void **state)
{
    struct pingo_error err;
    struct serve_kept_at at = question(0);
    (void)state;
    assert_int_not_equal(serve_kept_open("/nowhere", &kept, &err), 0);
    assert_null(kept);
    make_answer(&at, "one");
    recalls(&at, NULL);
    serve_kept_close(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_kept, close_kept)
int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_kept__is_given_while_it_is_true),
                                       TEST(test_kept__what_is_written_meanwhile_is_told),
                                       TEST(test_kept__is_not_old),
                                       TEST(test_kept__tag_is_known_longer),
                                       TEST(test_kept__of_another_question_is_not_given),
                                       TEST(test_kept__of_half_a_question_is_not_given),
                                       TEST(test_kept__is_a_small_document_without_more),
                                       TEST(test_kept__has_its_type),
                                       TEST(test_kept__knows_when_anybody_has_written),
                                       cmocka_unit_test(test_kept__nothing_where_nothing_is_kept)};
    return cmocka_run_group_tests(tests, make, drop);
}
