/* pages.c - see pages.h. */
#include "serve/guard/pages.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "base/world.h"

#define CODE_MS 60000
#define TOKEN_MS (12 * 3600 * INT64_C(1000))
#define PAGES 64 /* at once; the oldest makes room */

struct page {
    char text[SERVE_PAGE_TEXT];
    int64_t until_ms;
};

static struct {
    pthread_mutex_t mutex;
    struct page codes[PAGES], tokens[PAGES];
} pages = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static bool make(struct page *all, int64_t life_ms, char text[SERVE_PAGE_TEXT])
{
    const struct pingo__world *world = pingo__world_real();
    unsigned char random[(SERVE_PAGE_TEXT - 1) / 2];
    if (world->random(world->context, random, sizeof random) != 0)
        return false;
    pingo__text_hex(random, sizeof random, text);
    struct page *oldest = all;
    for (size_t i = 1; i < PAGES; i++)
        if (all[i].until_ms < oldest->until_ms)
            oldest = &all[i];
    memcpy(oldest->text, text, SERVE_PAGE_TEXT);
    oldest->until_ms = pingo__world_monotonic_ms() + life_ms;
    return true;
}

/* In the same time wherever they differ. */
static bool is_equal(const char *a, const char *b)
{
    unsigned different = 0;
    for (size_t i = 0; i < SERVE_PAGE_TEXT; i++)
        different |= (unsigned char)a[i] ^ (unsigned char)b[i];
    return different == 0;
}

static struct page *find(struct page *all, const char *text)
{
    struct page *found = NULL;
    if (strlen(text) != SERVE_PAGE_TEXT - 1)
        return NULL;
    for (size_t i = 0; i < PAGES; i++)
        if (is_equal(all[i].text, text) && all[i].until_ms > pingo__world_monotonic_ms())
            found = &all[i];
    return found;
}

bool serve_pages_code(char code[SERVE_PAGE_TEXT])
{
    pthread_mutex_lock(&pages.mutex);
    bool is_made = make(pages.codes, CODE_MS, code);
    pthread_mutex_unlock(&pages.mutex);
    return is_made;
}

bool serve_pages_take(const char *code, char token[SERVE_PAGE_TEXT])
{
    pthread_mutex_lock(&pages.mutex);
    struct page *page = find(pages.codes, code);
    if (page)
        memset(page, 0, sizeof *page);
    bool is_made = page && make(pages.tokens, TOKEN_MS, token);
    pthread_mutex_unlock(&pages.mutex);
    return is_made;
}

bool serve_pages_check(const char *token)
{
    pthread_mutex_lock(&pages.mutex);
    bool is_there = find(pages.tokens, token);
    pthread_mutex_unlock(&pages.mutex);
    return is_there;
}
