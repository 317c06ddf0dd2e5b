/* listing.c - see listing.h.  An entry: its kind, its mark, its path, NUL. */
#include "digest/listing.h"

#include <string.h>

void pingo__digest_listing_add(struct pingo__digest_listing *listing,
                               const struct pingo__digest_listing_entry *entry)
{
    size_t length = strlen(entry->path) + 1;
    if (listing->too_long)
        return;
    if (listing->bytes.length + 1 + PINGO__LISTING_MARK + length > PINGO__LISTING_LIMIT) {
        listing->too_long = true;
        pingo__buffer_clear(&listing->bytes);
        return;
    }
    pingo__buffer_char(&listing->bytes, entry->kind);
    pingo__buffer_append(&listing->bytes, entry->mark, PINGO__LISTING_MARK);
    pingo__buffer_append(&listing->bytes, entry->path, length);
}

/* ---- comparing ----------------------------------------------------------------------------- */

struct side {
    const char *at, *end;
    struct pingo__digest_listing_entry entry;
    bool has;         /* there is an entry */
    const char *told; /* this directory was told as a whole; NULL */
    bool broken;
};

static bool is_below(const char *path, const char *directory)
{
    size_t n = strlen(directory);
    return strncmp(path, directory, n) == 0 && path[n] == '/';
}

/* The next entry that is not below what was told. */
static void next(struct side *s)
{
    const size_t head = 1 + PINGO__LISTING_MARK;
    do {
        const char *nul = NULL;
        size_t left = (size_t)(s->end - s->at);
        s->has = left > 0;
        if (!s->has)
            return;
        if (left > head)
            nul = memchr(s->at + head, '\0', left - head);
        if (!nul) {
            s->broken = true;
            s->has = false;
            return;
        }
        s->entry.kind = s->at[0];
        memcpy(s->entry.mark, s->at + 1, PINGO__LISTING_MARK);
        s->entry.path = s->at + head;
        s->at = nul + 1;
    } while (s->told && is_below(s->entry.path, s->told));
    s->told = NULL;
}

static void start(struct side *s, const struct pingo__digest_listing_text *text)
{
    *s = (struct side){.at = text->n ? text->bytes : ""};
    s->end = s->at + text->n;
    next(s);
}

/* In the order of the walk: name by name, so an end comes first, and a slash before any other byte. */
static int rank(char c)
{
    return c == '\0' ? 0 : c == '/' ? 1 : 2 + (unsigned char)c;
}

static int compare_paths(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return rank(*a) - rank(*b);
}

static void pass(struct side *s, bool alone)
{
    s->told = alone && s->entry.kind == 'd' ? s->entry.path : NULL;
    next(s);
}

int pingo__digest_listing_compare(const struct pingo__digest_listing_text *before,
                                  const struct pingo__digest_listing_text *after,
                                  pingo__digest_listing_fn fn, void *context)
{
    struct side a, b;
    start(&a, before);
    start(&b, after);
    while (a.has || b.has) {
        int order = !a.has ? 1 : !b.has ? -1 : compare_paths(a.entry.path, b.entry.path);
        bool both_directories = order == 0 && a.entry.kind == 'd' && b.entry.kind == 'd';
        if (order != 0 ||
            (!both_directories && (a.entry.kind != b.entry.kind ||
                                   memcmp(a.entry.mark, b.entry.mark, PINGO__LISTING_MARK) != 0)))
            fn(context, order <= 0 ? &a.entry : NULL, order >= 0 ? &b.entry : NULL);
        if (order <= 0)
            pass(&a, !both_directories);
        if (order >= 0)
            pass(&b, !both_directories);
    }
    return a.broken || b.broken ? PINGO_ECORRUPT : 0;
}
