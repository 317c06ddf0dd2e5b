/* inputs.c - see inputs.h. */
#include "manager/attempt/inputs.h"

#include <string.h>

#include "base/error.h"
#include "store/meta.h"
#include "store/dataset/objects.h"

/* The clock that stamps files is behind by up to a kernel tick. */
#define TICK_MS 20

/* ---- the memory of content hashes ---------------------------------------------------- */

struct pingo__manager_content_memory_entry {
    struct pingo__digest_file_stat st;
    struct pingo_hash hash;
};

struct pingo__manager_content_memory_version {
    struct pingo_hash key, output;
    const char *text;
};

/* For what the key of a version does not see, such as a library that was replaced in place. */
#define VERSIONS_FORGOTTEN_MS INT64_C(3600000)

static bool memory_find_version(void *context, const struct pingo_hash *key,
                                struct pingo_hash *output, char **text)
{
    struct pingo__manager_content_memory *m = context;
    struct pingo__store_version_output found;
    struct pingo__arena arena = {0};
    int rc = pingo__store_version_output_find(
        m->db, key, pingo__store_db_now_ms(m->db) - VERSIONS_FORGOTTEN_MS, &arena, &found);
    *output = found.output;
    *text = !rc && found.text ? strdup(found.text) : NULL;
    pingo__arena_clear(&arena);
    return *text;
}

static void memory_remember_version(void *context, const struct pingo_hash *key,
                                    const struct pingo_hash *output, const char *text)
{
    struct pingo__manager_content_memory *m = context;
    const char *copy = pingo__arena_text(&m->arena, text, strlen(text));
    if (!copy || !PINGO__ARENA_ROOM(&m->arena, m->versions, m->nversions, m->cversions))
        return; /* only a memory: the command is run once more next time */
    m->versions[m->nversions++] =
        (struct pingo__manager_content_memory_version){*key, *output, copy};
}

static bool memory_find(void *context, const struct pingo__digest_file_stat *st,
                        struct pingo_hash *hash)
{
    struct pingo__manager_content_memory *m = context;
    bool is_known = false;
    return pingo__store_file_content_find(m->db, st, &is_known, hash, NULL) == 0 && is_known;
}

static void memory_remember(void *context, const struct pingo__digest_file_stat *st,
                            const struct pingo_hash *hash)
{
    struct pingo__manager_content_memory *m = context;
    if (!PINGO__ARENA_ROOM(&m->arena, m->entries, m->n, m->capacity))
        return; /* only a memory: the file is read once more next time */
    m->entries[m->n++] = (struct pingo__manager_content_memory_entry){*st, *hash};
}

void pingo__manager_content_memory_init(struct pingo__manager_content_memory *m,
                                        struct pingo__store_db *db,
                                        struct pingo__digest_content_cache *cache)
{
    *m = (struct pingo__manager_content_memory){.db = db};
    *cache = (struct pingo__digest_content_cache){.context = m,
                                                  .find = memory_find,
                                                  .remember = memory_remember,
                                                  .find_version = memory_find_version,
                                                  .remember_version = memory_remember_version};
}

int pingo__manager_content_memory_save(struct pingo__manager_content_memory *m,
                                       struct pingo_error *err)
{
    int64_t now = pingo__store_db_now_ms(m->db);
    int rc = 0;
    for (size_t i = 0; !rc && i < m->n; i++)
        rc = pingo__store_file_content_remember(m->db, &m->entries[i].st, &m->entries[i].hash, err);
    if (!rc && m->nversions)
        rc = pingo__store_version_output_forget(m->db, now - VERSIONS_FORGOTTEN_MS, err);
    for (size_t i = 0; !rc && i < m->nversions; i++)
        rc = pingo__store_version_output_remember(
            m->db, &m->versions[i].key,
            &(struct pingo__store_version_output){m->versions[i].output, m->versions[i].text}, now,
            err);
    pingo__manager_content_memory_clear(m);
    return rc;
}

void pingo__manager_content_memory_clear(struct pingo__manager_content_memory *m)
{
    pingo__arena_clear(&m->arena);
    *m = (struct pingo__manager_content_memory){.db = m->db};
}

/* ---- datasets --------------------------------------------------------------------------- */

static bool is_mode_of(const struct pingo__store_dataset_row *row, bool executable)
{
    return row->directory || !row->mark || row->mark == pingo__digest_file_mark(executable);
}

bool pingo__manager_dataset_is_of(const struct pingo__store_dataset_row *row,
                                  const struct pingo__digest_content *content)
{
    return content->is_directory == row->directory && is_mode_of(row, content->is_executable) &&
           memcmp(&content->hash, &row->content, sizeof row->content) == 0;
}

void pingo__manager_dataset_learn(struct pingo__store_dataset_row *row,
                                  const struct pingo__pool_state *root,
                                  const struct pingo__digest_content *content)
{
    row->stamp = root->stamp;
    if (row->managed || row->directory) /* the user may make a file of their own executable */
        row->mark = pingo__digest_content_mark(content);
}

int pingo__manager_dataset_look(struct pingo__manager_context *c,
                                const struct pingo__store_dataset_row *row,
                                enum pingo__manager_presence *is, struct pingo_error *err)
{
    struct pingo__pool_state st = {.exists = false};
    int rc = row->path ? pingo__pool_state(c->pool, row->path, &st, err) : 0;
    *is = PINGO__GONE;
    if (rc || !st.exists || st.other_kind || st.directory != row->directory ||
        (!st.directory && st.size_bytes != row->size_bytes) || !is_mode_of(row, st.executable))
        return rc;
    if (st.closed)
        return pingo__fail(err, PINGO_EAWAY, "%s: reading: Permission denied" PINGO__POOL_UNTIL,
                           row->path);
    *is = pingo__stamp_is_same(&st.stamp, &row->stamp) ? PINGO__THERE : PINGO__SUSPECT;
    return 0;
}

int pingo__manager_datasets_ask(struct pingo__manager_context *c,
                                const struct pingo__store_dataset_list *list, bool fetch,
                                struct pingo_error *err)
{
    struct pingo__pool_state st;
    int rc = 0;
    for (size_t i = 0; c->asking && i < list->n && (!rc || rc == PINGO__POOL_LATER); i++) {
        const char *path = list->rows[i].path;
        if (path && pingo__pool_state(c->pool, path, &st, err) == PINGO__POOL_LATER)
            rc = PINGO__POOL_LATER;
        int fetched = path && fetch ? pingo__pool_fetch(c->pool, path, err) : 0;
        rc = fetched ? fetched : rc;
    }
    return rc;
}

/* ---- was it touched? -------------------------------------------------------------------------- */

/* newest: all of it, and what of it is managed is made read-only again; NULL: its stamp.  PINGO_EINPUT: it cannot
 * be read. */
static int read_tree(struct pingo__manager_context *c, const struct pingo__store_dataset_row *row,
                     struct pingo__digest_newest *newest, struct pingo__digest_content *content,
                     struct pingo_error *err)
{
    struct pingo__digest_content_options options = {.only_stamp = !newest,
                                                    .newest = newest,
                                                    .root_may_move = true,
                                                    .make_readonly = newest && row->managed,
                                                    .no_follow = true};
    struct pingo_error why = {0};
    int rc = pingo__pool_read(c->pool, row->path, &options, content, &why);
    return rc && rc != PINGO_EINPUT ? pingo__fail(err, rc, "%s", why.message) : rc;
}

/* made_ms: when the dataset was; what was written since is no older. */
static int describe(struct pingo__digest_newest *newest, int64_t made_ms, struct pingo__arena *arena,
                    struct pingo__manager_change *change, struct pingo_error *err)
{
    const char *path = pingo__buffer_cstr(&newest->path);
    bool written = newest->mtime_ns / 1000000 > made_ms;
    if (path && *path)
        change->what = pingo__arena_format(
            arena, "it %s %s", written ? "writes into its inputs:" : "changed the mode of", path);
    return path && (!*path || change->what) ? 0 : pingo__fail_memory(err);
}

static int remember(struct pingo__manager_context *c, const struct pingo__store_dataset_row *row,
                    struct pingo_error *err)
{
    int rc = pingo__store_db_begin(c->db, err);
    return rc ? rc : pingo__store_db_end(c->db, pingo__store_object_set_root(c->db, row, err), err);
}

int pingo__manager_dataset_touched(struct pingo__manager_context *c,
                                   struct pingo__store_dataset_row *row, struct pingo__arena *arena,
                                   struct pingo__manager_change *change, struct pingo_error *err)
{
    struct pingo__digest_newest newest = {.ctime_ns = INT64_MIN};
    *change = (struct pingo__manager_change){.since_ms = change->since_ms, .later = true};
    if (!row->path || !row->directory || !row->mark)
        return 0;
    struct pingo__digest_content content;
    int rc = read_tree(c, row, NULL, &content, err);
    if (!rc && pingo__digest_content_mark(&content) == row->mark)
        return 0;
    if (!rc)
        rc = read_tree(c, row, &newest, &content, err);
    change->is_touched = rc == PINGO_EINPUT || (!rc && !pingo__manager_dataset_is_of(row, &content));
    if (!rc && !change->is_touched) {
        row->mark = pingo__digest_content_mark(&content);
        rc = remember(c, row, err);
    } else if (!rc) {
        change->later = newest.ctime_ns / 1000000 + TICK_MS >= change->since_ms;
        rc = describe(&newest, row->made_ms, arena, change, err);
    }
    pingo__buffer_clear(&newest.path);
    return rc == PINGO_EINPUT ? 0 : rc;
}
