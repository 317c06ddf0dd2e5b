/* files.c - files as answers: whole, the end of them, or a range (RFC 9110, 14). */
#include "serve/api/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

struct span {
    int64_t from, length;
};

/* "bytes=A-B", "bytes=A-" or "bytes=-N".  false: it is no such one, or several, and is as if it were not there.
 * length -1: none of it is there. */
static bool read_range(const char *text, int64_t size, struct span *span)
{
    int64_t first, last;
    if (strncmp(text, "bytes=", 6) != 0)
        return false;
    text += 6;
    first = pingo__text_digits(&text, &first) ? first : -1;
    if (*text++ != '-')
        return false;
    last = pingo__text_digits(&text, &last) ? last : -1;
    if (*text != '\0' || (first < 0 && last < 0) || (first >= 0 && last >= 0 && last < first))
        return false;
    span->from = first >= 0 ? first : last < size ? size - last : 0;
    int64_t end = first >= 0 && last >= 0 && last < size ? last + 1 : size;
    span->length = span->from < end ? end - span->from : -1;
    return true;
}

/* Of which state of the file an answer is. */
static void tag_file(struct serve_answer *answer, const struct stat *st)
{
    snprintf(answer->etag, sizeof answer->etag, "%jx-%jx-%jx%09lx", (uintmax_t)st->st_ino,
             (uintmax_t)st->st_size, (uintmax_t)st->st_mtim.tv_sec,
             (unsigned long)st->st_mtim.tv_nsec);
}

/* A range is for the state that the client has (If-Range), if it says which. */
static const char *range_of(struct serve_ask *ask)
{
    char quoted[sizeof ask->answer->etag + 3];
    const char *only = serve_asked(ask->request, "if-range");
    snprintf(quoted, sizeof quoted, "\"%s\"", ask->answer->etag);
    return !only || strcmp(only, quoted) == 0 ? serve_asked(ask->request, "range") : NULL;
}

int serve_open(const char *path)
{
    if (!path)
        return -ENOENT;
    return serve_descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
}

void serve_file(struct serve_ask *ask, const struct serve_file *file)
{
    struct serve_answer *answer = ask->answer;
    struct stat st;
    if (file->fd == -EMFILE || file->fd == -ENFILE || file->fd == -ENOMEM) {
        serve_refuse(answer, 503, "the file cannot be opened now: %s", strerror(-file->fd));
        return;
    }
    if (file->fd < 0 || fstat(file->fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        pingo__file_close(file->fd);
        serve_refuse(answer, 404, "there is nothing of it any more, or not yet");
        return;
    }
    struct span span = {0, st.st_size};
    tag_file(answer, &st);
    const char *range = file->tail < 0 ? range_of(ask) : NULL;
    bool is_part = range && read_range(range, st.st_size, &span);
    if (is_part && span.length < 0) {
        close(file->fd);
        serve_refuse(answer, 416, "there is no such range in %jd bytes", (intmax_t)st.st_size);
        serve_header(answer, "Content-Range", "bytes */%jd", (intmax_t)st.st_size);
        return;
    }
    int64_t most = file->tail >= 0              ? file->tail
                   : is_part || file->most == 0 ? INT64_MAX
                                                : file->most;
    if (!is_part && span.length > most)
        span = (struct span){st.st_size - most, most};
    answer->fd = file->fd;
    answer->offset = span.from;
    answer->length = span.length;
    answer->type = file->type;
    answer->status = is_part ? 206 : 200;
    serve_header(answer, "Accept-Ranges", "bytes");
    if (is_part)
        serve_header(answer, "Content-Range", "bytes %" PRId64 "-%" PRId64 "/%jd", span.from,
                     span.from + span.length - 1, (intmax_t)st.st_size);
    else if (span.from > 0)
        serve_header(answer, "Pingo-Left-Out", "%" PRId64, span.from);
}
