/* command_links.c - see command_links.h. */
#include "workflow/types/command_links.h"

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

bool pingo__workflow_command_links_init(struct pingo__workflow_command_links *links,
                                        const struct pingo_action *action,
                                        struct pingo__arena *arena)
{
    size_t nfolders = 0;
    *links = (struct pingo__workflow_command_links){
        .action = action, .nlinks = action->nparents + action->ninputs, .names.arena = arena};
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
    links->links = pingo__arena_array(arena, links->nlinks + nfolders, sizeof *links->links);
    return links->links;
}

static enum pingo__workflow_mention note_link(struct pingo__workflow_command_links *links, size_t i)
{
    if (is_uri(links, i))
        return PINGO__MENTIONS_URI;
    links->links[i] = true;
    return PINGO__MENTIONS_LINK;
}

enum pingo__workflow_mention pingo__workflow_command_links_mention(
    struct pingo__workflow_command_links *links, const char *path, size_t n)
{
    uint32_t at;
    if (n == 0)
        return PINGO__MENTIONS_NOTHING;
    if (n <= MOST_BYTES) {
        at = pingo__map_get(&links->names, path, n);
        if (at != PINGO__MAP_NONE && at < links->nlinks)
            return note_link(links, at);
        if (at != PINGO__MAP_NONE) {
            links->links[at] = true;
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

bool pingo__workflow_command_links_is_mentioned(const struct pingo__workflow_command_links *links,
                                                size_t i)
{
    const char *name = pingo__workflow_command_links_name(links, i), *slash = name;
    if (links->links[i] || name[0] == '\0' || is_uri(links, i))
        return true;
    while ((slash = strchr(slash, '/'))) {
        uint32_t at = pingo__map_get(&links->names, name, (size_t)(slash - name));
        if (at != PINGO__MAP_NONE && at >= links->nlinks && links->links[at])
            return true;
        slash++;
    }
    return false;
}
