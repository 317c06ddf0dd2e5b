/* output.c - what an executor delivers, looked at before it is published.
 *
 * What always holds: what lies at the staged path is looked at without following it; nothing but
 * what is the pool's own becomes read-only.  What the executor says of it is checked as far as that
 * does not mean reading everything once more. */
#include "manager/attempt/callback.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "digest/content.h"

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
static int compare(const struct pingo__pool_state *st, struct pingo_job_end *end)
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

/* What is read of it, and what is found. */
struct walk {
    struct pingo__digest_content_options options;
    struct pingo__digest_content content;
};

/* Reads it, or walks through it; 0 and a reason in end where it cannot be kept. */
static int walk(struct pingo__manager_context *c, const char *name, struct walk *w,
                struct pingo_job_end *end, struct pingo_error *err)
{
    struct pingo_error why = {0};
    w->options.output_of = c->pool->place;
    w->options.label = "output";
    int rc = pingo__pool_read(c->pool, name, &w->options, &w->content, &why);
    if (rc == PINGO_EINPUT)
        return refuse(end, "%.190s", why.message);
    return rc ? pingo__fail(err, rc, "%s", why.message) : 0;
}

/* Nobody's digest is believed: one that is wrong would be kept with the dataset for ever. */
static int take(struct pingo__manager_context *c, const char *name, struct pingo_job_end *end,
                struct pingo_error *err)
{
    static const struct pingo_hash unsaid;
    bool told = end->output_kind != PINGO_OUTPUT_NONE;
    struct walk w = {.options = {.make_readonly = true, .root_may_move = true}};
    const struct pingo__digest_content *content = &w.content;
    int rc = walk(c, name, &w, end, err);
    if (rc || end->reason == PINGO_END_BAD_OUTPUT)
        return rc;
    if (told && end->size_bytes != content->size_bytes)
        return refuse(end, "its executor says %" PRId64 " bytes, but there are %" PRId64,
                      end->size_bytes, content->size_bytes);
    if (told && memcmp(&end->content, &unsaid, sizeof unsaid) != 0 &&
        memcmp(&end->content, &content->hash, sizeof end->content) != 0)
        return refuse(end, "its content is not the one that its executor says");
    end->output_mark = pingo__digest_content_mark(content);
    end->output_kind = content->is_directory ? PINGO_OUTPUT_DIRECTORY : PINGO_OUTPUT_FILE;
    end->size_bytes = content->size_bytes;
    end->content = content->hash;
    return 0;
}

/* All of it, in the words of somebody who has not looked: links, special files, other names. */
static int look_through(struct pingo__manager_context *c, const char *path,
                        struct pingo_job_end *end, struct pingo_error *err)
{
    struct walk w = {.options = {.only_stamp = true}};
    int rc = walk(c, path, &w, end, err);
    if (!rc && end->reason != PINGO_END_BAD_OUTPUT && w.content.has_other_names)
        rc = pingo__pool_make_private(c->pool, path, err);
    if (!rc && end->reason != PINGO_END_BAD_OUTPUT)
        rc = take(c, path, end, err);
    return rc;
}

int pingo__manager_output_look(struct pingo__manager_context *c, const char *path, bool checked,
                               struct pingo_job_end *end, struct pingo_error *err)
{
    struct pingo__pool_state st;
    int rc = pingo__pool_state(c->pool, path, &st, err);
    if (rc)
        return rc;
    if (!st.exists && end->output_kind != PINGO_OUTPUT_NONE)
        return pingo__fail(err, PINGO_ENOTFOUND, "%s/%s: the output is gone", c->pool->place, path);
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

int pingo__manager_output_published(struct pingo__manager_context *c, const char *object,
                                    struct pingo__pool_state *root, struct pingo_job_end *end,
                                    struct pingo_error *err)
{
    struct pingo__digest_content_options options = {
        .make_readonly = true, .root_may_move = true, .no_follow = true};
    struct pingo__digest_content content;
    struct pingo_error why = {0};
    int rc = pingo__pool_state(c->pool, object, root, err);
    if (rc || *object == '/' || !pingo__pool_is_remote(c->pool))
        return rc;
    rc = pingo__pool_read(c->pool, object, &options, &content, &why);
    if (rc) /* what was just sent is not given up: the pool is asked again */
        pingo__fail(err, rc = rc == PINGO_EINPUT ? PINGO_EIO : rc, "%s", why.message);
    if (!rc) {
        end->content = content.hash;
        end->size_bytes = content.size_bytes;
        end->output_mark = pingo__digest_content_mark(&content);
    }
    return rc;
}
