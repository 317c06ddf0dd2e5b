/* columns.h - the words in which the tables of columns are written.
 *
 * Before a table, ROW is the struct that it reads.  Behind the words come what the column means, and, by their names,
 * other members of struct pingo__view_column. */
#ifndef PINGO__VIEW_COLUMNS_H
#define PINGO__VIEW_COLUMNS_H

#include "view/names.h"
#include "view/view.h"

#define PINGO__TYPE_OF(value)                                                                      \
    _Generic((value), bool                                                                         \
             : PINGO__TYPE_BOOL, int                                                               \
             : PINGO__TYPE_SIGNED, unsigned                                                        \
             : PINGO__TYPE_UNSIGNED, long                                                          \
             : PINGO__TYPE_SIGNED, unsigned long                                                   \
             : PINGO__TYPE_UNSIGNED, long long                                                     \
             : PINGO__TYPE_SIGNED, unsigned long long                                              \
             : PINGO__TYPE_UNSIGNED, double                                                        \
             : PINGO__TYPE_DOUBLE, char *                                                          \
             : PINGO__TYPE_TEXT, const char *                                                      \
             : PINGO__TYPE_TEXT, default                                                           \
             : PINGO__TYPE_NONE)

/* key, kind, member of ROW, meaning */
#define COLUMN(key_, kind_, member, ...)                                                           \
    {                                                                                              \
        .key = (key_), .kind = PINGO__VIEW_##kind_, .type = PINGO__TYPE_OF(((ROW *)0)->member),    \
        .size = sizeof(((ROW *)0)->member), .offset = offsetof(ROW, member), __VA_ARGS__           \
    }
/* key, kind, the function that reads it, meaning */
#define GETTER(key_, kind_, get_, ...)                                                             \
    {                                                                                              \
        .key = (key_), .kind = PINGO__VIEW_##kind_, .get = (get_), .meaning = __VA_ARGS__          \
    }
/* heading, width, the function that writes it; only in text */
#define CELL(heading_, width_, ...)                                                                \
    {                                                                                              \
        .heading = (heading_), .width = (width_), .cell = __VA_ARGS__                              \
    }
/* key, view, meaning */
#define STREAM(key_, view_, ...)                                                                   \
    {                                                                                              \
        .key = (key_), .kind = PINGO__VIEW_STREAM, .of = (view_), .meaning = __VA_ARGS__           \
    }
/* key, member of ROW, member with the number, view, meaning */
#define LIST(key_, member, count_, view_, ...)                                                     \
    {                                                                                              \
        .key = (key_), .kind = PINGO__VIEW_LIST, .offset = offsetof(ROW, member),                  \
        .count = offsetof(ROW, count_), .of = (view_), .meaning = __VA_ARGS__                      \
    }
/* key, PAIRS or TEXTS, member of ROW, member with the number, meaning */
#define ARRAY(key_, kind_, member, count_, ...)                                                    \
    {                                                                                              \
        .key = (key_), .kind = PINGO__VIEW_##kind_, .offset = offsetof(ROW, member),               \
        .count = offsetof(ROW, count_), .meaning = __VA_ARGS__                                     \
    }
/* key, view, the function that writes the elements, meaning */
#define PUTTER(key_, kind_, view_, put_, ...)                                                      \
    {                                                                                              \
        .key = (key_), .kind = PINGO__VIEW_##kind_, .of = (view_), .put = (put_),                  \
        .meaning = __VA_ARGS__                                                                     \
    }
/* key, member of ROW, its view, meaning */
#define OBJECT(key_, member, view_, ...)                                                           \
    {                                                                                              \
        .key = (key_), .kind = PINGO__VIEW_OBJECT, .offset = offsetof(ROW, member), .of = (view_), \
        .meaning = __VA_ARGS__                                                                     \
    }
/* Where a pointer leads, which is never NULL. */
#define OBJECT_AT(key_, member, view_, ...)                                                        \
    {                                                                                              \
        .key = (key_), .kind = PINGO__VIEW_OBJECT, .type = PINGO__TYPE_POINTER,                    \
        .offset = offsetof(ROW, member), .of = (view_), .meaning = __VA_ARGS__                     \
    }
/* Where a pointer leads; NULL: null. */
#define POINTER(key_, member, view_, ...)                                                          \
    {                                                                                              \
        .key = (key_), .kind = PINGO__VIEW_POINTER, .offset = offsetof(ROW, member),               \
        .of = (view_), .meaning = __VA_ARGS__                                                      \
    }
/* member of ROW, its view */
#define MEMBERS(member, view_)                                                                     \
    {                                                                                              \
        .kind = PINGO__VIEW_MEMBERS, .offset = offsetof(ROW, member), .of = (view_)                \
    }

/* Where a pointer of ROW leads. */
#define MEMBERS_AT(member, view_)                                                                  \
    {                                                                                              \
        .kind = PINGO__VIEW_MEMBERS, .type = PINGO__TYPE_POINTER, .offset = offsetof(ROW, member), \
        .of = (view_)                                                                              \
    }

#define MISSING .null = PINGO__NULL_MISSING
/* The view of a table of columns; and where some of them are for the rows that has() says. */
#define VIEW(name_, columns_, row) VIEW_OF(name_, columns_, row, NULL)
#define VIEW_OF(name_, columns_, row, has_)                                                        \
    {                                                                                              \
        .name = (name_), .columns = (columns_), .ncolumns = sizeof(columns_) / sizeof *(columns_), \
        .size = sizeof(row), .has = (has_)                                                         \
    }

#endif
