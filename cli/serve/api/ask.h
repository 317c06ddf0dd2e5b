/* ask.h - what the handlers of the API share: the values of a query, lists in pages, files in ranges. */
#ifndef SERVE_API_ASK_H
#define SERVE_API_ASK_H

#include "serve/route/route.h"
#include "view/views.h"

/* Something is wrong: the answer says no, unless it does already; of 403 the audit tells why. */
void serve_ask_refuse(struct serve_ask *ask, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Yes: "", "true" or "1". */
bool serve_ask_flag(struct serve_ask *ask, const char *name);
/* An integer of [least, most]; absent where it is not there. */
struct serve_range {
    int64_t least, most, absent;
};
int64_t serve_ask_number(struct serve_ask *ask, const char *name, struct serve_range range);
/* As pingo_size_parse() takes it. */
int64_t serve_ask_size(struct serve_ask *ask, const char *name, int64_t absent);
/* A day or a time of RFC 3339 as ms; 0 where it is not there. */
int64_t serve_ask_time(struct serve_ask *ask, const char *name);
/* Names with commas between as bits, 1u << number, of all that stand there; first: of the numbers.  0: there are
 * none. */
unsigned serve_ask_names(struct serve_ask *ask, const char *name, const char *(*names)(int number),
                         int first);
/* Which of "a|b|c" it is, from 0; absent where it is not there. */
int serve_ask_word(struct serve_ask *ask, const char *name, const char *words, int absent);
/* All values of a name that may be repeated. */
const char *const *serve_ask_all(struct serve_ask *ask, const char *name, size_t *n);
/* A JSON object whose values are texts, numbers, true, false and null: what small requests are made of. */
struct serve_flat {
    const char *key;
    const char *value; /* of a number, true and false: as it stands; NULL: null */
};
/* Reads one, in the order of its members, into the arena.  NULL, or what is wrong with it: static, or in the
 * arena. */
const char *serve_flat_read(struct pingo__arena *arena, const char *text, size_t length,
                            struct serve_flat **members, size_t *n);
/* The body as such an object; example: of what it may be, for who sent none. */
struct serve_flat *serve_ask_body(struct serve_ask *ask, const char *example, size_t *n);
/* Each member of the body must be one of these, and is put there. */
struct serve_member {
    const char *key, *value; /* value: as in struct serve_flat */
    bool is_there;
};
void serve_ask_members(struct serve_ask *ask, struct serve_member *members, size_t n);
/* May who asks read logs and contents (own.c)?  Else something is wrong. */
void serve_ask_private(struct serve_ask *ask);
/* The first part of the path: a submission, by its number or "last"; one that is told to who asks (own.h). */
int64_t serve_ask_workflow(struct serve_ask *ask);
/* The first two: an action of a submission; without a second one its name is NULL. */
struct pingo_action_name serve_ask_action(struct serve_ask *ask);
/* The i-th part: a number. */
int64_t serve_ask_part(struct serve_ask *ask, size_t i);
/* A dataset, by its hash or at least 4 digits of its beginning; to who is told his own alone the others are not
 * there. */
struct pingo_hash serve_ask_dataset(struct serve_ask *ask, const char *prefix);

/* A page of a list: {"items": [...], "next": cursor or null}. */
struct serve_list {
    struct serve_ask *ask;
    const struct pingo__view_table *rows;
    struct pingo__writer json;
    size_t limit;
    const char *after;
    char next[PINGO_CURSOR_SIZE];
};
/* Its limit and cursors, among the members of a query. */
#define SERVE_PART(list) .limit = (list).limit, .after = (list).after, .next = (list).next
/* Reads limit and cursor. */
struct serve_list serve_list(struct serve_ask *ask, const struct pingo__view_table *rows);
/* Other than 0: no memory. */
int serve_row(void *list, const void *row);
/* The answer is the list, unless something is wrong. */
void serve_list_end(struct serve_list *list);
/* What a writer holds is the answer, unless something was wrong; clears it. */
void serve_ask_written(struct serve_ask *ask, struct pingo__writer *w);
/* A function for the library that writes each row as it is. */
#define SERVE_ROWS(name, type)                                                                     \
    static int name(void *list, const type *row)                                                   \
    {                                                                                              \
        return serve_row(list, row);                                                               \
    }
/* A handler: one of those that differ in what they give to a function. */
#define SERVE_HANDLER(handler, answer, ...)                                                        \
    void handler(struct serve_ask *ask)                                                            \
    {                                                                                              \
        answer(ask, __VA_ARGS__);                                                                  \
    }
/* Is something wrong?  rc: of the library, its error in ask->err. */
void serve_end(struct serve_ask *ask, int rc);
/* The same of a function of the library, fn(store, ..., err), which is called unless something was wrong before. */
#define SERVE_CALL(ask, fn, ...)                                                                   \
    ((ask)->is_wrong ? (void)0 : serve_end((ask), fn((ask)->store, __VA_ARGS__, (ask)->err)))
/* The answer is a list of all that a function of the library tells, fn(store, ..., list, err). */
#define SERVE_LIST(list, fn, ...)                                                                  \
    (SERVE_CALL((list)->ask, fn, __VA_ARGS__, (list)), serve_list_end(list))
/* The answer is the row, unless something is wrong. */
void serve_tell(struct serve_ask *ask, const struct pingo__view_table *view, const void *row);

/* Would the client rather have waited for an end (serve_wait_ms())?  Then false, and the answer is put off. */
bool serve_is_due(struct serve_ask *ask, bool is_final);

/* Opens what may be a plain file, of others than pingo as well: its descriptor, or a negative errno.  NULL: none is
 * there. */
int serve_open(const char *path);
/* Answers with a file: all of it, or the range that was asked for; most: of what is sent unasked, its end, 0: all.
 * fd, of serve_open(), is taken over.  No plain file: 404; there was no room for one more: 503. */
struct serve_file {
    int fd;
    int64_t most, tail; /* tail: how much of its end was asked for; -1: it was not */
    const char *type;
};
void serve_file(struct serve_ask *ask, const struct serve_file *file);

#endif
