/* contents.h - content identities of what lies in the scratch directory, and a tree with one of everything. */
#ifndef TEST_DIGEST_CONTENTS_H
#define TEST_DIGEST_CONTENTS_H

#include "unit/digest/files.h"

#include "digest/content.h"

static struct pingo_error error;

static inline struct pingo_hash hash_of(const char *name)
{
    struct pingo_hash hash;

    error.message[0] = '\0';
    if (pingo_content_hash(at(name), &hash, &error) != 0)
        fail_msg("%s", error.message);
    return hash;
}

/* Refused, with a message that names a place and says why. */
static inline void assert_refused(const char *name, const char *where, const char *why)
{
    struct pingo_hash hash;

    assert_int_equal(pingo_content_hash(at(name), &hash, &error), PINGO_EINPUT);
    assert_int_equal(error.code, PINGO_EINPUT);
    if (strncmp(error.message, at(where), strlen(at(where))) != 0 ||
        error.message[strlen(at(where))] != ':' || strstr(error.message, why) == NULL)
        fail_msg("not \"%s: ...%s\": %s", at(where), why, error.message);
}

#define assert_same(a, b) assert_memory_equal(&(a), &(b), sizeof(struct pingo_hash))
#define assert_other(a, b) assert_memory_not_equal(&(a), &(b), sizeof(struct pingo_hash))

/* A tree with one of everything below the directory name. */
static inline void put_tree(const char *name)
{
    char path[256];

    put_dir(name);
    snprintf(path, sizeof path, "%s/a", name);
    put_file(path, "alpha");
    snprintf(path, sizeof path, "%s/a.b", name);
    put_file(path, "dot");
    snprintf(path, sizeof path, "%s/B", name);
    put_file(path, "upper");
    snprintf(path, sizeof path, "%s/run", name);
    put_file(path, "#!/bin/sh\n");
    assert_int_equal(chmod(at(path), 0755), 0);
    snprintf(path, sizeof path, "%s/sub", name);
    put_dir(path);
    snprintf(path, sizeof path, "%s/sub/empty", name);
    put_dir(path);
    snprintf(path, sizeof path, "%s/sub/deep", name);
    put_file(path, "deep");
    snprintf(path, sizeof path, "%s/sub/up", name);
    put_link(path, "../a");
    snprintf(path, sizeof path, "%s/sub/zz", name);
    put_file(path, "last");
    snprintf(path, sizeof path, "%s/dangling", name);
    put_link(path, "nowhere");
}

#endif
