/* lines.c - from an offset to line and column.
 *
 * A mark every 4 KiB says how many lines ended before it and where the newest
 * began: a look-up reads one piece of the text, and the marks of a text full of
 * line ends are no larger than those of any other. */
#include <stdlib.h>
#include <string.h>

#include "json/document.h"

#define PIECE ((size_t)4096)

struct pingo__json_mark {
    uint32_t lines;      /* that ended before this piece */
    uint32_t line_start; /* offset of the first byte of the line that goes on here */
};

/* Counts on from a mark to an offset. */
static struct pingo__json_mark count_lines(const struct pingo__json_document *d,
                                           struct pingo__json_mark mark, size_t from, size_t to)
{
    const char *end = d->text + to, *at = d->text + from;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        mark.lines++;
        mark.line_start = (uint32_t)(at - d->text);
    }
    return mark;
}

static bool make_marks(struct pingo__json_document *d)
{
    size_t n = d->length / PIECE + 1;
    d->marks = calloc(n, sizeof *d->marks);
    if (!d->marks)
        return false;
    for (size_t i = 1; i < n; i++)
        d->marks[i] = count_lines(d, d->marks[i - 1], (i - 1) * PIECE, i * PIECE);
    return true;
}

bool pingo__json_position(struct pingo__json_document *d, size_t offset, size_t *line,
                          size_t *column)
{
    if (!d->marks && !make_marks(d))
        return false;
    if (offset > d->length)
        offset = d->length;
    struct pingo__json_mark mark =
        count_lines(d, d->marks[offset / PIECE], offset / PIECE * PIECE, offset);
    *line = mark.lines + (size_t)1;
    *column = offset - mark.line_start + 1;
    return true;
}
