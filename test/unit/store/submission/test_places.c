/* test_places.c - remarks where inputs lay, and descriptions: known ones give way to nothing but their own. */
#include "unit/store/rows.h"

#include "store/submission/places.h"

static uint32_t note(struct box *b, const struct pingo__digest_original *o, int64_t now_ms)
{
    struct pingo_error err;
    uint32_t id = 99;

    well(pingo__store_place_note(&b->store->db, o, now_ms, &id, &err), &err);
    return id;
}

static void test_places__a_place_is_one_of_path_and_content(void **state)
{
    struct box *b = rows_new(NULL);
    struct pingo__arena arena = {0};
    struct pingo__digest_original o = {.kind = PINGO__ORIGINAL_CONTENT,
                                       .path = "/in",
                                       .hash = {{1}},
                                       .size = 5,
                                       .mtime_ns = 7000000};
    struct pingo_place place;
    struct pingo_error err;

    UNUSED(state);
    uint32_t id = note(b, &o, 100);
    assert_int_not_equal(id, 0);
    o.size = 6;
    assert_int_equal(note(b, &o, 200), id); /* the same, seen again */
    well(pingo__store_place_get(&b->store->db, id, &arena, &place, &err), &err);
    assert_string_equal(place.path, "/in");
    assert_int_equal(place.size_bytes, 6);
    assert_int_equal(place.mtime_ms, 7);
    assert_int_equal(place.seen_ms, 200);
    assert_null(place.text);
    o.hash.bytes[0] = 2;
    assert_int_not_equal(note(b, &o, 300), id);
    o.error = PINGO_EINPUT; /* nobody saw it */
    assert_int_equal(note(b, &o, 300), 0);
    o.error = 0;
    o.path = NULL;
    assert_int_equal(note(b, &o, 300), 0);
    o = (struct pingo__digest_original){.kind = PINGO__ORIGINAL_DECLARED, .path = "/d", .size = 9};
    id = note(b, &o, 400);
    well(pingo__store_place_get(&b->store->db, id, &arena, &place, &err), &err);
    assert_int_equal(place.size_bytes, -1); /* it was not read */
    assert_int_equal(place.mtime_ms, -1);
    well(pingo__store_place_get(&b->store->db, 4711, &arena, &place, &err), &err);
    assert_null(place.path);
    assert_int_equal(place.seen_ms, -1);
    pingo__arena_clear(&arena);
    rows_close(b);
}

static void test_places__what_lay_in_a_directory(void **state)
{
    struct box *b = rows_new(NULL);
    struct pingo__arena arena = {0};
    char text[] = "a\nb\n";
    struct pingo__digest_original o = {.kind = PINGO__ORIGINAL_CONTENT,
                                       .path = "/dir",
                                       .hash = {{3}},
                                       .listing = text,
                                       .listing_length = 4};
    struct pingo_hash nobody = {{9}};
    struct pingo__store_bytes listing;
    struct pingo_error err;

    UNUSED(state);
    note(b, &o, 1);
    o.path = "/other"; /* the same content is listed once */
    note(b, &o, 2);
    well(pingo__store_tree_listing(&b->store->db, &o.hash, &arena, &listing, &err), &err);
    assert_int_equal(listing.n, 4);
    assert_memory_equal(listing.bytes, "a\nb\n", 4);
    assert_int_equal(box_int(b, "SELECT count(*) FROM tree_listing"), 1);
    well(pingo__store_tree_listing(&b->store->db, &nobody, &arena, &listing, &err), &err);
    assert_null(listing.bytes);
    pingo__arena_clear(&arena);
    rows_close(b);
}

/* Inserts a description; is_known: what is guessed, and what it is. */
static int insert(struct box *b, const char *text, const uint32_t *places, bool *is_known)
{
    struct pingo__store_definition d = {.hash = {{7}},
                                        .description = text,
                                        .length = strlen(text),
                                        .places = places,
                                        .nplaces = places ? 2 : 0};
    struct pingo_error err;

    return pingo__store_definition_insert(&b->store->db, &d, is_known, &err);
}

static void test_places__a_description_stands_once(void **state)
{
    static const uint32_t one[] = {1, 0}, two[] = {0, 2};
    struct pingo_hash hash = {{7}};
    struct box *b = rows_new(NULL);
    struct pingo__arena arena = {0};
    struct pingo__store_places places;
    struct pingo_error err;
    bool is_known = false;

    UNUSED(state);
    well(pingo__store_definition_places(&b->store->db, &hash, &arena, &places, &err), &err);
    assert_int_equal(places.n, 0);
    is_known = true; /* a wrong guess costs time alone */
    assert_int_equal(insert(b, "text", one, &is_known), 0);
    assert_false(is_known);
    assert_int_equal(insert(b, "text", NULL, &is_known), 0);
    assert_true(is_known);
    well(pingo__store_definition_places(&b->store->db, &hash, &arena, &places, &err), &err);
    assert_int_equal(places.n, 2); /* those that are known stay */
    assert_int_equal(places.ids[0], 1);
    assert_int_equal(insert(b, "text", two, &is_known), 0);
    well(pingo__store_definition_places(&b->store->db, &hash, &arena, &places, &err), &err);
    assert_int_equal(places.ids[1], 2);
    for (int guess = 0; guess < 2; guess++) {
        is_known = guess;
        assert_int_equal(insert(b, "other", NULL, &is_known), PINGO_ECOLLISION);
    }
    /* What was forgotten is told again. */
    rows_run(b, "UPDATE definition SET forgotten = 1, description = x'00', places = NULL");
    is_known = true;
    assert_int_equal(insert(b, "text", one, &is_known), 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM definition WHERE forgotten = 0 AND "
                                "description = CAST('text' AS BLOB)"),
                     1);
    pingo__arena_clear(&arena);
    rows_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places__a_place_is_one_of_path_and_content),
        cmocka_unit_test(test_places__what_lay_in_a_directory),
        cmocka_unit_test(test_places__a_description_stands_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
