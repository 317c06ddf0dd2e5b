/* columns.h - the words in which the tables of columns are written.
 *
 * Before a table, ROW is the struct that it reads.  Behind the words come what the column means, and, by their names,
 * other members of struct pingo__view_column. */
#ifndef PINGO__VIEW_COLUMNS_H
#define PINGO__VIEW_COLUMNS_H

#include "view/names.h"
#include "view/view.h"

/* clang-format off */
#define PINGO__TYPE_OF(value)                                                                      \
    _Generic((value), bool : PINGO__TYPE_BOOL, int : PINGO__TYPE_SIGNED,                           \
             unsigned : PINGO__TYPE_UNSIGNED, long : PINGO__TYPE_SIGNED,                           \
             unsigned long : PINGO__TYPE_UNSIGNED, long long : PINGO__TYPE_SIGNED,                 \
             unsigned long long : PINGO__TYPE_UNSIGNED, double : PINGO__TYPE_DOUBLE,               \
             char * : PINGO__TYPE_TEXT, const char * : PINGO__TYPE_TEXT, default : PINGO__TYPE_NONE)
#define PINGO__AT(member) .offset = offsetof(ROW, member)
#define PINGO__MEMBER(kind_, member)                                                               \
    .kind = PINGO__VIEW_##kind_, .type = PINGO__TYPE_OF(((ROW *)0)->member),                       \
    .size = sizeof(((ROW *)0)->member), PINGO__AT(member)
#define PINGO__COUNTED(kind_, member, count_)                                                      \
    .kind = PINGO__VIEW_##kind_, PINGO__AT(member), .count = offsetof(ROW, count_)

/* key, kind, member of ROW, meaning */
#define COLUMN(key_, kind_, member, ...) {.key = (key_), PINGO__MEMBER(kind_, member), __VA_ARGS__}
/* key, kind, the function that reads it, meaning */
#define GETTER(key_, kind_, get_, ...)                                                             \
    {.key = (key_), .kind = PINGO__VIEW_##kind_, .get = (get_), .meaning = __VA_ARGS__}
/* A function for GETTER: sets a field of the value to what is worked out of the row r. */
#define VALUE(name, row_type, field, ...)                                                          \
    static void name(const void *row, struct pingo__view_value *v)                                 \
    {                                                                                              \
        const row_type *r = row;                                                                   \
        v->field = (__VA_ARGS__);                                                                  \
    }
/* A function for has of a view, of the row r. */
#define HAS(name, row_type, ...)                                                                   \
    static bool name(const void *row)                                                              \
    {                                                                                              \
        const row_type *r = row;                                                                   \
        return (__VA_ARGS__);                                                                      \
    }
/* heading, width, the function that writes it, or kind and member of ROW; only in text */
#define CELL(heading_, width_, ...) {HEADED(heading_, width_), .cell = __VA_ARGS__}
#define CELL_OF(heading_, width_, kind_, member)                                                   \
    {HEADED(heading_, width_), PINGO__MEMBER(kind_, member)}
/* name, kind, member of ROW; and the function that reads it: only for templates */
#define SHOWN(name_, kind_, member) {.name = (name_), PINGO__MEMBER(kind_, member), MISSING}
#define SHOWN_BY(name_, kind_, get_)                                                               \
    {.name = (name_), .kind = PINGO__VIEW_##kind_, .get = (get_), MISSING}
#define SHOWN_AS(name_, cell_) {.name = (name_), .cell = (cell_)}
/* key, view, meaning */
#define STREAM(key_, view_, ...)                                                                   \
    {.key = (key_), .kind = PINGO__VIEW_STREAM, .of = (view_), .meaning = __VA_ARGS__}
/* key, member of ROW, member with the number, view, meaning */
#define LIST(key_, member, count_, view_, ...)                                                     \
    {.key = (key_), PINGO__COUNTED(LIST, member, count_), .of = (view_), .meaning = __VA_ARGS__}
/* key, PAIRS or TEXTS, member of ROW, member with the number, meaning */
#define ARRAY(key_, kind_, member, count_, ...)                                                    \
    {.key = (key_), PINGO__COUNTED(kind_, member, count_), .meaning = __VA_ARGS__}
/* key, ANY or TEXTS, the function that writes what is in it, meaning */
#define PUTTER(key_, kind_, put_, ...)                                                             \
    {.key = (key_), .kind = PINGO__VIEW_##kind_, .put = (put_), .meaning = __VA_ARGS__}
/* key, view, the function that tells the elements, meaning */
#define EACH(key_, view_, each_, ...)                                                              \
    {.key = (key_), .kind = PINGO__VIEW_LIST, .of = (view_), .each = (each_), .meaning = __VA_ARGS__}
/* key, member of ROW, its view, meaning */
#define OBJECT(key_, member, view_, ...)                                                           \
    {.key = (key_), .kind = PINGO__VIEW_OBJECT, PINGO__AT(member), .of = (view_),                  \
     .meaning = __VA_ARGS__}
/* Where a pointer leads, which is never NULL; and: NULL is null. */
#define OBJECT_AT(key_, member, view_, ...)                                                        \
    OBJECT(key_, member, view_, __VA_ARGS__, .type = PINGO__TYPE_POINTER)
#define POINTER(key_, member, view_, ...) OBJECT_AT(key_, member, view_, __VA_ARGS__, MISSING)
/* member of ROW, its view; and: where a pointer of ROW leads */
#define MEMBERS(member, ...)                                                                       \
    {.kind = PINGO__VIEW_MEMBERS, PINGO__AT(member), .of = __VA_ARGS__}
#define MEMBERS_AT(member, view_) MEMBERS(member, view_, .type = PINGO__TYPE_POINTER)

/* The view of a part of a list of these rows. */
#define PAGE_OF(symbol, rows_)                                                                     \
    static const struct pingo__view_column symbol##_columns[] = {                                  \
        STREAM("rows", (rows_), "the rows, as without --after"),                                   \
        {.key = "next", .kind = PINGO__VIEW_TEXT, .type = PINGO__TYPE_TEXT, .size = sizeof(char *), \
         .null = PINGO__NULL_MISSING | PINGO__NULL_EMPTY,                                          \
         .meaning = "for --after, to go on where this part ends; null: it is the end"},            \
    };                                                                                             \
    const struct pingo__view_table symbol = VIEW("page", symbol##_columns, struct pingo__view_page)
#define LINES(...) (const char *const[]){__VA_ARGS__, NULL}
#define MISSING .null = PINGO__NULL_MISSING
/* In text it stands under this, in so many columns of a terminal. */
#define HEADED(heading_, width_) .heading = (heading_), .width = (width_)
/* The view of a table of columns; where some of them are for the rows that has() says; with lines for people, instead
 * of the table or above it, and below. */
#define VIEW(name_, columns_, row) VIEW_OF(name_, columns_, row, NULL)
#define VIEW_OF(name_, columns_, row, ...)                                                         \
    {.name = (name_), .columns = (columns_), .ncolumns = sizeof(columns_) / sizeof *(columns_),    \
     .size = sizeof(row), .has = __VA_ARGS__}
#define VIEW_TEXT(name_, columns_, row, ...)                                                       \
    VIEW_OF(name_, columns_, row, NULL, .text = LINES(__VA_ARGS__))
#define VIEW_TAIL(name_, columns_, row, ...)                                                       \
    VIEW_OF(name_, columns_, row, NULL, .tail = LINES(__VA_ARGS__))
/* clang-format on */

#endif
