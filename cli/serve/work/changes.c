/* changes.c - see changes.h. */
#include "serve/work/changes.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/mix.h"

/* Each commit of any process is written into the database's log, which begins anew once it was copied back.  Its time
 * is the same for commits of a few milliseconds: what changes a state is counted, too. */
int64_t serve_changes(struct serve_worker *worker, int64_t before)
{
    char path[4096];
    struct stat st;
    snprintf(path, sizeof path, "%s/pingo.db-wal", pingo_store_directory(worker->store));
    if (stat(path, &st) != 0)
        return before;
    int64_t changes = 0;
    if (pingo_store_changes(worker->store, &changes, NULL) != 0)
        changes = 0;
    uint64_t at = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
    return (int64_t)(pingo__mix(at) + pingo__mix((uint64_t)st.st_size) + (uint64_t)changes);
}
