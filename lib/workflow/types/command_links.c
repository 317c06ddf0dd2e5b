/* command_links.c - see command_links.h. */
#include "workflow/types/command_links.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 600 /* of a path that may name a link; a longer one leads below one at most */

const char *pingo__workflow_command_links_name(const struct pingo__workflow_command_links *links,
                                               size_t i)
{
    const struct pingo_action *a = links->action;
    return i < a->nparents ? a->parents[i].role : a->inputs[i - a->nparents].name;
}

static bool is_uri(const struct pingo__workflow_command_links *links, size_t i)
{
    const struct pingo_action *a = links->action;
    return i >= a->nparents && a->inputs[i - a->nparents].uri;
}

/* The names, and the folders in them, each once. */
static bool fill_names(struct pingo__workflow_command_links *links)
{
    size_t most = 0, nfolders = 0;
    for (size_t i = 0; i < links->nlinks; i++)
        for (const char *c = pingo__workflow_command_links_name(links, i); *c != '\0'; c++)
            most += *c == '/';
    links->links = calloc(links->nlinks, sizeof *links->links);
    links->folders = calloc(most + 1, sizeof *links->folders);
    if (!links->links || !links->folders || !pingo__map_reserve(&links->names, links->nlinks + most))
        return false;
    for (size_t i = 0; i < links->nlinks; i++) {
        const char *name = pingo__workflow_command_links_name(links, i), *slash = name;
        uint32_t before = 0;
        if (!pingo__map_insert(&links->names, name, strlen(name), (uint32_t)i, NULL))
            return false;
        while ((slash = strchr(slash, '/'))) {
            if (!pingo__map_insert(&links->names, name, (size_t)(slash - name),
                                   (uint32_t)(links->nlinks + nfolders), &before))
                return false;
            nfolders += before == PINGO__MAP_NONE;
            slash++;
        }
    }
    return true;
}

bool pingo__workflow_command_links_init(struct pingo__workflow_command_links *links,
                                        const struct pingo_action *action)
{
    memset(links, 0, sizeof *links);
    links->action = action;
    links->nlinks = action->nparents + action->ninputs;
    links->is_few = links->nlinks <= PINGO__FEW_LINKS;
    if (!links->is_few)
        return fill_names(links);
    links->links = links->few;
    return true;
}

void pingo__workflow_command_links_clear(struct pingo__workflow_command_links *links)
{
    if (!links->is_few) {
        free(links->links);
        free(links->folders);
    }
    pingo__map_clear(&links->names);
}

static enum pingo__workflow_mention note_link(struct pingo__workflow_command_links *links, size_t i)
{
    if (is_uri(links, i))
        return PINGO__MENTIONS_URI;
    links->links[i] = true;
    return PINGO__MENTIONS_LINK;
}

static enum pingo__workflow_mention mention_few(struct pingo__workflow_command_links *links,
                                                const char *path, size_t n)
{
    enum pingo__workflow_mention found = PINGO__MENTIONS_NOTHING;
    for (size_t i = 0; i < links->nlinks; i++) {
        const char *name = pingo__workflow_command_links_name(links, i);
        size_t length = strlen(name), common = n < length ? n : length;
        if (length == 0 || memcmp(name, path, common) != 0)
            continue;
        if (length == n || (length < n && path[length] == '/')) {
            found = note_link(links, i);
        } else if (length > n && name[n] == '/') {
            note_link(links, i);
            found = PINGO__MENTIONS_FOLDER;
        }
    }
    return found;
}

static enum pingo__workflow_mention mention_many(struct pingo__workflow_command_links *links,
                                                 const char *path, size_t n)
{
    uint32_t at;
    if (n <= MOST_BYTES) {
        at = pingo__map_get(&links->names, path, n);
        if (at != PINGO__MAP_NONE && at < links->nlinks)
            return note_link(links, at);
        if (at != PINGO__MAP_NONE) {
            links->folders[at - links->nlinks] = true;
            return PINGO__MENTIONS_FOLDER;
        }
    }
    for (size_t i = 0; i < n && i <= MOST_BYTES; i++) {
        at = path[i] == '/' ? pingo__map_get(&links->names, path, i) : PINGO__MAP_NONE;
        if (at != PINGO__MAP_NONE && at < links->nlinks)
            return note_link(links, at);
    }
    return PINGO__MENTIONS_NOTHING;
}

enum pingo__workflow_mention pingo__workflow_command_links_mention(
    struct pingo__workflow_command_links *links, const char *path, size_t n)
{
    if (n == 0)
        return PINGO__MENTIONS_NOTHING;
    return links->is_few ? mention_few(links, path, n) : mention_many(links, path, n);
}

bool pingo__workflow_command_links_is_mentioned(const struct pingo__workflow_command_links *links,
                                                size_t i)
{
    const char *name = pingo__workflow_command_links_name(links, i), *slash = name;
    if (links->links[i] || name[0] == '\0' || is_uri(links, i))
        return true;
    while (!links->is_few && (slash = strchr(slash, '/'))) {
        uint32_t at = pingo__map_get(&links->names, name, (size_t)(slash - name));
        if (at != PINGO__MAP_NONE && at >= links->nlinks && links->folders[at - links->nlinks])
            return true;
        slash++;
    }
    return false;
}
