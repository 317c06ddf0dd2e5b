/* command_links.h - which of an action's links its command mentions.
 *
 * A path below in/ is a mention of the link that it names or leads through, and of all links that
 * lie below it.  Time is linear in the paths and in the number of links. */
#ifndef PINGO__WORKFLOW_COMMAND_LINKS_H
#define PINGO__WORKFLOW_COMMAND_LINKS_H

#include <pingo/workflow.h>

#include "base/map.h"

struct pingo__workflow_command_links {
    const struct pingo_action *action;
    size_t nlinks;           /* parents, then inputs */
    bool *links;             /* mentioned? and, from nlinks, the same of folders of names */
    struct pingo__map names; /* links and, from nlinks, folders */
};

enum pingo__workflow_mention {
    PINGO__MENTIONS_NOTHING = 0,
    PINGO__MENTIONS_LINK, /* or what lies below it */
    PINGO__MENTIONS_FOLDER,
    PINGO__MENTIONS_URI /* what is no file is fetched by the command: no link is made */
};

/* In the arena, with which they go.  false: no memory. */
bool pingo__workflow_command_links_init(struct pingo__workflow_command_links *links,
                                        const struct pingo_action *action,
                                        struct pingo__arena *arena);
/* Notes a path below in/, n bytes without a slash at either end. */
enum pingo__workflow_mention pingo__workflow_command_links_mention(
    struct pingo__workflow_command_links *links, const char *path, size_t n);
/* The name of the i-th link; "" where it was wrong. */
const char *pingo__workflow_command_links_name(const struct pingo__workflow_command_links *links,
                                               size_t i);
/* Was the i-th link mentioned, or need it not be? */
bool pingo__workflow_command_links_is_mentioned(const struct pingo__workflow_command_links *links,
                                                size_t i);

#endif
