/* outside_files.h - names outside the pool, as others write them and find them. */
#ifndef TEST_OUTSIDE_FILES_H
#define TEST_OUTSIDE_FILES_H

#include "digest/sha256.h"
#include "manager/dataset/outside.h"
#include "unit/engine/box.h"

/* A new file, whatever was there before. */
static inline void outside_write(const char *path, const char *text)
{
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

/* A link to text, or a file with it. */
static inline void outside_holds(const char *path, const char *text)
{
    char there[64] = "";
    if (readlink(path, there, sizeof there - 1) < 0) {
        int fd = open(path, O_RDONLY | O_NOFOLLOW);
        if (fd < 0)
            fail_msg("%s: %s", path, strerror(errno));
        assert_true(read(fd, there, sizeof there - 1) >= 0);
        close(fd);
    }
    assert_string_equal(there, text);
}

static inline int outside_entries(const char *path)
{
    DIR *dir = opendir(path);
    int n = 0;
    assert_non_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n - 2;
}

/* A link is put at a path, by the steps that an export takes; between: what others do before it is placed. */
static inline int outside_put(struct box *b, const char *path, const char *text,
                              void (*between)(const char *path), bool force)
{
    struct pingo__manager_context *c = &b->s->context;
    struct pingo__manager_outside x = {
        .c = c,
        .path = path,
        .from = text,
        .hint = "move it away",
        .force = force,
        .made = {.kind = PINGO__WRITTEN_LINK, .size_bytes = (int64_t)strlen(text)}};
    struct pingo_error err;

    pingo__digest_sha256(text, strlen(text), &x.made.content);
    well(pingo__manager_outside_look(&x, &err), &err);
    int rc = pingo__manager_outside_allowed(&x, &err);
    if (!rc) {
        well(pingo__store_db_begin(c->db, &err), &err);
        well(pingo__store_db_end(c->db, pingo__manager_outside_begin(&x, &err), &err), &err);
        well(pingo__manager_outside_copy(&x, &err), &err);
        if (between)
            between(path);
        rc = pingo__manager_outside_place(&x, &err);
    }
    if (!rc) {
        well(pingo__store_db_begin(c->db, &err), &err);
        well(pingo__store_db_end(c->db, pingo__manager_outside_end(&x, &err), &err), &err);
    }
    pingo__manager_outside_clear(&x);
    return rc;
}

#endif
