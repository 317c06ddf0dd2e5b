/* make.c - making a pool in HDFS: what cannot be made leaves nothing. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "pool/hdfs/hdfs.h"

struct making {
    struct pingo__hdfs *fs;
    bool made[PINGO__PARTS + 1]; /* the last: the pool's own directory */
};

static int see_one(void *context, const char *name, const struct pingo__hdfs_status *status,
                   struct pingo_error *err)
{
    (void)name;
    (void)status;
    (void)err;
    *(bool *)context = true;
    return PINGO_EINTERRUPTED;
}

/* What is there is not ours: a tick would empty it. */
static int make_part(struct making *m, enum pingo__name_part i, struct pingo_error *err)
{
    const char *part = pingo__name_parts[i];
    struct pingo__hdfs_status status;
    bool has_some = false;
    int rc = pingo__hdfs_status(m->fs, part, &status, err);
    if (rc)
        return rc;
    if (status.exists && status.is_directory)
        rc = pingo__hdfs_list(m->fs, part, see_one, &has_some, err);
    if (status.exists && (!status.is_directory || has_some))
        return pingo__fail(err, PINGO_EEXISTS,
                           "%s is there already and is %s; a pool keeps its own files under that "
                           "name: choose another directory",
                           part, status.is_directory ? "not empty" : "no directory");
    if (!rc)
        rc = pingo__hdfs_make(m->fs, part, err);
    m->made[i] = !rc && !status.exists;
    return rc ? rc : pingo__hdfs_set_mode(m->fs, part, 0700, err);
}

/* store_id NULL: the pool has its marker. */
static int make(struct making *m, const char *store_id, struct pingo_error *err)
{
    struct pingo__hdfs_status own;
    char text[80];
    int rc = pingo__hdfs_status(m->fs, "", &own, err);
    if (!rc && own.exists && !own.is_directory)
        return pingo__fail(err, PINGO_EEXISTS, "it is a file, and a pool is a directory");
    m->made[PINGO__PARTS] = !rc && !own.exists;
    for (enum pingo__name_part i = 0; !rc && i < PINGO__PARTS; i++)
        rc = make_part(m, i, err);
    if (!rc && store_id)
        snprintf(text, sizeof text, "%s\n", store_id);
    return rc || !store_id
               ? rc
               : pingo__hdfs_put_bytes(m->fs, PINGO__NAME_MARKER, text, strlen(text), err);
}

/* Who is kept out by nobody but the cluster hears how to come in. */
static const char *advice(int rc, const char *message)
{
    return rc == PINGO_ENOSPACE ? "; hdfs dfs -count -q tells what a directory may hold"
           : strstr(message, "Permission denied")
               ? "; take a directory of your own, or another user: webhdfs://USER@HOST..."
               : "";
}

int pingo__pool_hdfs_create(const struct pingo__pool_site *site, const char *store_id,
                            struct pingo_error *err)
{
    struct making m = {.fs = NULL};
    struct pingo_error why = {0};
    char id[80];
    int rc = pingo__pool_hdfs_connect(site, &m.fs, err);
    if (rc)
        return rc;
    rc = pingo__pool_hdfs_marker(m.fs, id, &why);
    if (!rc && *id && strcmp(id, store_id) != 0)
        rc = pingo__pool_fail_taken(site, id, err);
    else if (!rc)
        rc = make(&m, *id ? NULL : store_id, &why);
    if (rc && rc != PINGO_ESTORE)
        pingo__fail(err, rc, "%s: no pool can be made there: %s%s", site->place, why.message,
                    advice(rc, why.message));
    for (size_t i = 0; rc && i <= PINGO__PARTS; i++)
        if (m.made[i])
            pingo__hdfs_remove_empty(m.fs, i < PINGO__PARTS ? pingo__name_parts[i] : "", NULL);
    pingo__hdfs_close(m.fs);
    return rc;
}
