/* wants.c - see wants.h. */
#include "manager/attempt/wants.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "manager/attempt/action_manager.h"

#define PAGE 4096           /* actions */
#define PAGES_MAX 1000000   /* no more than that are known */
#define ANEW_AFTER_MS 60000 /* whatever happened */
#define FIRST_KIND (PINGO__WANT_FOREIGN + 1)

struct pingo__manager_want {
    size_t executor; /* index */
    const char *resources;
    int64_t nfailed;
};

void pingo__manager_wants_clear(struct pingo__manager_wants *w)
{
    for (size_t i = 0; i < w->npages; i++)
        free(w->pages[i]);
    free(w->pages);
    pingo__arena_clear(&w->arena);
    *w = (struct pingo__manager_wants){.version = -1};
}

void pingo__manager_wants_refresh(struct pingo__manager_actions *m)
{
    int64_t version = pingo__store_db_data_version(m->c->db);
    int64_t now_ms = pingo__manager_now_ms(m->c), age_ms = now_ms - m->wants.since_ms;
    if (version >= 0 && version == m->wants.version && age_ms >= 0 && age_ms < ANEW_AFTER_MS)
        return;
    pingo__manager_wants_clear(&m->wants);
    m->wants.version = version;
    m->wants.since_ms = now_ms;
}

unsigned pingo__manager_wants_get(const struct pingo__manager_wants *w, int64_t action)
{
    size_t page = (size_t)action / PAGE;
    return page < w->npages && w->pages[page] ? w->pages[page][(size_t)action % PAGE]
                                              : PINGO__WANT_UNKNOWN;
}

/* NULL: no memory, or none is to be. */
static uint8_t *page_of(struct pingo__manager_wants *w, size_t page)
{
    if (page >= PAGES_MAX)
        return NULL;
    if (page >= w->npages) {
        size_t more = page + 1 - w->npages;
        if (!PINGO__ARRAY_ROOM(w->pages, w->cpages, w->npages, more))
            return NULL;
        memset(w->pages + w->npages, 0, more * sizeof *w->pages);
        w->npages += more;
    }
    if (!w->pages[page])
        w->pages[page] = calloc(PAGE, 1);
    return w->pages[page];
}

void pingo__manager_wants_set(struct pingo__manager_wants *w, int64_t action, unsigned kind)
{
    if (pingo__manager_wants_get(w, action) == kind)
        return;
    uint8_t *page = page_of(w, (size_t)action / PAGE);
    if (page)
        page[(size_t)action % PAGE] = (uint8_t)kind;
}

unsigned pingo__manager_wants_find(const struct pingo__manager_wants *w, size_t executor,
                                   const struct pingo__store_asking *asking)
{
    for (size_t i = 0; i < w->nkinds; i++)
        if (w->kinds[i].executor == executor && w->kinds[i].nfailed == asking->nfailed &&
            strcmp(w->kinds[i].resources, asking->resources) == 0)
            return FIRST_KIND + (unsigned)i;
    return PINGO__WANT_UNKNOWN;
}

unsigned pingo__manager_wants_kind(struct pingo__manager_wants *w, size_t executor,
                                   const struct pingo__store_asking *asking)
{
    unsigned known = pingo__manager_wants_find(w, executor, asking);
    if (known != PINGO__WANT_UNKNOWN || FIRST_KIND + w->nkinds >= PINGO__WANTS ||
        !PINGO__ARENA_ROOM(&w->arena, w->kinds, w->nkinds, w->ckinds))
        return known;
    char *resources = pingo__arena_text(&w->arena, asking->resources, strlen(asking->resources));
    if (!resources)
        return PINGO__WANT_UNKNOWN;
    w->kinds[w->nkinds] = (struct pingo__manager_want){executor, resources, asking->nfailed};
    return FIRST_KIND + (unsigned)w->nkinds++;
}
