/* output.c - see output.h. */
#include "manager/attempt/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "digest/content.h"
#include "manager/dataset/copy.h"

static int refuse(struct pingo_job_end *end, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int refuse(struct pingo_job_end *end, const char *format, ...)
{
    va_list args;

    end->reason = PINGO_END_BAD_OUTPUT;
    va_start(args, format);
    vsnprintf(end->message, sizeof end->message, format, args);
    va_end(args);
    return 0;
}

/* As the executor said?  What it left out is filled in. */
static int compare(const struct pingo__pool_stat *st, struct pingo_job_end *end)
{
    bool directory = end->output_kind == PINGO_OUTPUT_DIRECTORY;

    if (end->output_kind == PINGO_OUTPUT_NONE)
        return 0;
    if (directory != st->directory)
        return refuse(end, "its executor says that it is a %s, but it is a %s",
                      directory ? "directory" : "file", directory ? "file" : "directory");
    if (end->size_bytes < 0 || (!directory && end->size_bytes != st->size_bytes))
        return refuse(end, "its executor says %" PRId64 " bytes, but there are %" PRId64,
                      end->size_bytes, st->size_bytes);
    return 0;
}

/* Files that have other names: they may be somebody's, and what is kept must not change with them. */
static int make_private(struct pingo__context *c, const char *path, const char *full,
                        struct pingo_error *err)
{
    char *copy_name = malloc(strlen(path) + 8), *copy = malloc(strlen(full) + 8);
    int rc = copy_name && copy ? 0 : pingo__fail_memory(err);

    if (!rc) {
        sprintf(copy_name, "%s.copy", path);
        sprintf(copy, "%s.copy", full);
        rc = pingo__pool_trash(c->pool, copy_name, err); /* of a try that was cut short */
    }
    if (!rc) {
        rc = pingo__copy_tree(c->world, full, copy);
        rc = rc < 0 ? pingo__fail_os(err, -rc, "copying to", copy) : 0;
    }
    if (!rc)
        rc = pingo__pool_trash(c->pool, path, err);
    if (!rc) {
        rc = c->world->rename(c->world->context, c->pool->fd, copy_name, c->pool->fd, path, 1);
        rc = rc < 0 ? pingo__fail_os(err, -rc, "putting a copy at", full) : 0;
    }
    free(copy_name);
    free(copy);
    return rc;
}

/* Reads it, or walks through it; 0 and a reason in end where it cannot be kept. */
static int walk(struct pingo__context *c, const char *full, struct pingo__content_options *options,
                struct pingo__content *content, struct pingo_job_end *end, struct pingo_error *err)
{
    struct pingo_error why = {0};
    int rc;

    options->world = c->world;
    options->output_of = c->pool->path;
    options->label = "output";
    rc = pingo__content_read(full, options, content, &why);
    if (rc == PINGO_EINPUT)
        return refuse(end, "%.190s", why.message);
    return rc ? pingo__fail(err, rc, "%s", why.message) : 0;
}

/* Nobody's digest is believed: one that is wrong would be kept with the dataset for ever. */
static int take(struct pingo__context *c, const char *full, struct pingo_job_end *end,
                struct pingo_error *err)
{
    bool told = end->output_kind != PINGO_OUTPUT_NONE;
    struct pingo__content_options options = {.make_readonly = true, .root_may_move = true};
    struct pingo__content content;
    int rc = walk(c, full, &options, &content, end, err);

    if (rc || end->reason == PINGO_END_BAD_OUTPUT)
        return rc;
    if (told && end->size_bytes != content.size_bytes)
        return refuse(end, "its executor says %" PRId64 " bytes, but there are %" PRId64,
                      end->size_bytes, content.size_bytes);
    if (told && memcmp(&end->content, &content.hash, sizeof end->content) != 0)
        return refuse(end, "its content is not the one that its executor says");
    end->output_mark = pingo__content_mark(&content);
    end->output_kind = content.is_directory ? PINGO_OUTPUT_DIRECTORY : PINGO_OUTPUT_FILE;
    end->size_bytes = content.size_bytes;
    end->content = content.hash;
    return 0;
}

/* All of it, in the words of somebody who has not looked: links, special files, other names. */
static int look_through(struct pingo__context *c, const char *path, struct pingo_job_end *end,
                        struct pingo_error *err)
{
    struct pingo__content_options options = {.only_stamp = true};
    struct pingo__content content;
    struct pingo__arena arena;
    char *full;
    int rc;

    pingo__arena_init(&arena);
    full = pingo__pool_full_path(c->pool, &arena, path);
    rc = full ? walk(c, full, &options, &content, end, err) : pingo__fail_memory(err);
    if (!rc && end->reason != PINGO_END_BAD_OUTPUT && content.has_other_names)
        rc = make_private(c, path, full, err);
    if (!rc && end->reason != PINGO_END_BAD_OUTPUT)
        rc = take(c, full, end, err);
    pingo__arena_clear(&arena);
    return rc;
}

int pingo__output_look(struct pingo__context *c, const char *path, bool checked,
                       struct pingo_job_end *end, struct pingo_error *err)
{
    struct pingo__pool_stat st;
    int rc = pingo__pool_stat(c->pool, path, &st, err);

    if (rc)
        return rc;
    if (!st.exists && end->output_kind != PINGO_OUTPUT_NONE)
        return pingo__fail(err, PINGO_ENOTFOUND, "%s/%s: the output is gone", c->pool->path, path);
    if (!st.exists) {
        end->reason = PINGO_END_NO_OUTPUT;
        snprintf(end->message, sizeof end->message, "there is nothing at %.170s", path);
        return 0;
    }
    if (st.other_kind)
        return refuse(end, "it is a %s; an output is a file or a directory",
                      st.link ? "symbolic link" : "special file");
    rc = compare(&st, end);
    if (rc || end->reason == PINGO_END_BAD_OUTPUT || (checked && end->output_kind))
        return rc;
    return look_through(c, path, end, err);
}
