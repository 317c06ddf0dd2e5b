/* writer.h - JSON text, written element by element in constant memory.
 *
 * What is written stays in the buffer, or goes piece by piece to who takes it.  A failure is sticky: write what you
 * like, and look at it once.  Numbers of 64 bits lose no digit; bytes that are not UTF-8 become U+FFFD. */
#ifndef PINGO__BASE_WRITER_H
#define PINGO__BASE_WRITER_H

#include "base/buffer.h"

#define PINGO__WRITER_DEPTH 40

enum pingo__writer_level { PINGO__WRITER_OBJECT, PINGO__WRITER_ARRAY, PINGO__WRITER_LINES };

struct pingo__writer { /* what is zeroed is a new one, that nobody takes from */
    /* What nobody has taken yet; its `failed` is the writer's.  It may begin as another one, behind whose text is
     * written, and which becomes it again in the end. */
    struct pingo__buffer out;
    /* Other than 0: a failure.  NULL: all stays in out. */
    int (*take)(void *context, const char *bytes, size_t n);
    void *context;
    bool was_refused; /* who takes it failed: that is why `failed` */
    int depth;
    enum pingo__writer_level levels[PINGO__WRITER_DEPTH + 1];
    bool filled[PINGO__WRITER_DEPTH + 1]; /* this level has an element already */
};

void pingo__writer_clear(struct pingo__writer *w); /* what was not taken is lost */
/* Hands out what is left.  0, PINGO_ENOMEM or PINGO_EIO (who takes it failed). */
int pingo__writer_flush(struct pingo__writer *w);

/* key: NULL within an array and at the top.  LINES: an array with each element on a line of its own. */
void pingo__writer_open(struct pingo__writer *w, const char *key, enum pingo__writer_level level);
void pingo__writer_close(struct pingo__writer *w); /* the last one ends the document with a newline */
void pingo__writer_text(struct pingo__writer *w, const char *key, const char *text); /* NULL: null */
void pingo__writer_int(struct pingo__writer *w, const char *key, int64_t value);
void pingo__writer_flag(struct pingo__writer *w, const char *key, bool value);
void pingo__writer_null(struct pingo__writer *w, const char *key);
/* json: as it is, such as the digits of a number. */
void pingo__writer_raw(struct pingo__writer *w, const char *key, const char *json);
/* With so many digits behind the point; -1: as few as give the number back. */
void pingo__writer_real(struct pingo__writer *w, const char *key, double value, int digits);

/* A string with its quotes. */
void pingo__writer_quote(struct pingo__buffer *b, const char *text);

#endif
