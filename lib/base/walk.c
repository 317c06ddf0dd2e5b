/* walk.c - see walk.h. */
#include "base/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void pingo__walk_init(struct pingo__walk *w, const struct pingo__world *world, bool sorted)
{
    *w = (struct pingo__walk){.world = world, .sorted = sorted, .fd = -1};
}

static void clear_level(struct pingo__walk_level *level)
{
    pingo__buffer_clear(&level->text);
    free(level->names);
}

static void close_directory(struct pingo__walk *w)
{
    if (w->fd >= 0)
        w->world->close(w->world->context, w->fd);
    w->fd = -1;
}

void pingo__walk_clear(struct pingo__walk *w)
{
    while (w->depth > 0)
        clear_level(&w->levels[--w->depth]);
    free(w->levels);
    close_directory(w);
    pingo__walk_init(w, w->world, w->sorted);
}

static int read_names(const struct pingo__world *world, int fd, struct pingo__walk_level *level)
{
    struct pingo__dir *dir = NULL;
    int rc = world->open(world->context, fd, ".", O_RDONLY | O_DIRECTORY, 0);
    if (rc >= 0)
        rc = world->dir_open(world->context, rc, &dir);
    if (rc < 0)
        return rc;
    const char *name;
    while (!(rc = world->dir_next(world->context, dir, &name)) && name) {
        pingo__buffer_append(&level->text, name, strlen(name) + 1);
        level->n++;
    }
    world->dir_close(world->context, dir);
    return rc == 0 && level->text.failed ? -ENOMEM : rc;
}

static int sort_names(struct pingo__walk_level *level)
{
    const char *at = level->text.data;
    level->names = calloc(level->n + 1, sizeof *level->names);
    if (!level->names)
        return -ENOMEM;
    for (size_t i = 0; i < level->n; i++, at += strlen(at) + 1)
        level->names[i] = at;
    qsort(level->names, level->n, sizeof *level->names, pingo__array_by_text);
    return 0;
}

int pingo__walk_enter(struct pingo__walk *w, int dir, const char *name, int flags)
{
    const struct pingo__world *world = w->world;
    struct pingo__walk_level level = {.n = 0};
    int fd = world->open(world->context, dir, name, O_RDONLY | O_DIRECTORY | flags, 0);
    if (fd < 0)
        return fd;
    int rc = world->stat(world->context, fd, "", AT_EMPTY_PATH, &level.st);
    if (rc == 0)
        rc = read_names(world, fd, &level);
    if (rc == 0 && w->sorted)
        rc = sort_names(&level);
    if (rc == 0 && !PINGO__ARRAY_ROOM(w->levels, w->capacity, w->depth, 1))
        rc = -ENOMEM;
    if (rc < 0) {
        clear_level(&level);
        world->close(world->context, fd);
        return rc;
    }
    close_directory(w);
    w->fd = fd;
    w->levels[w->depth++] = level;
    return 0;
}

const char *pingo__walk_next(struct pingo__walk *w)
{
    struct pingo__walk_level *level = &w->levels[w->depth - 1];
    if (level->next == level->n)
        return level->name = NULL;
    level->name = level->names ? level->names[level->next] : level->text.data + level->at;
    level->at += strlen(level->name) + 1;
    level->next++;
    return level->name;
}

int pingo__walk_leave(struct pingo__walk *w)
{
    const struct pingo__world *world = w->world;
    int fd = -1;
    if (w->depth > 1) {
        const struct stat *above = &w->levels[w->depth - 2].st;
        fd = world->open(world->context, w->fd, "..", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
        if (fd < 0)
            return fd;
        struct stat st;
        int rc = world->stat(world->context, fd, "", AT_EMPTY_PATH, &st);
        if (rc == 0 && (st.st_dev != above->st_dev || st.st_ino != above->st_ino))
            rc = -ESTALE;
        if (rc < 0) {
            world->close(world->context, fd);
            return rc;
        }
    }
    close_directory(w);
    w->fd = fd;
    clear_level(&w->levels[--w->depth]);
    return 0;
}

void pingo__walk_path(const struct pingo__walk *w, struct pingo__buffer *path)
{
    for (size_t i = 0; i < w->depth && w->levels[i].name; i++) {
        if (i > 0)
            pingo__buffer_char(path, '/');
        pingo__buffer_text(path, w->levels[i].name);
    }
}
