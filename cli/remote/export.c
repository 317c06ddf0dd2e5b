/* export.c - pingo --server export: results, as files and directories of this machine.
 *
 * What comes is put beside its place under a name of its own, and then takes that place whole or not at all.  What lies
 * there already is replaced with --force alone, and then only where it is a file, a directory or a link. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/acl.h"
#include "base/called.h"
#include "base/copy.h"
#include "base/error.h"
#include "base/file.h"
#include "base/tree.h"
#include "base/world.h"
#include "remote/remote.h"

/* What a tar may be longer than what is in it: the headers of as many entries as are unpacked. */
#define TAR_MORE (INT64_C(2048) * 10000000)
/* How names begin of what has not taken its place; behind that of its directory stands ".d". */
#define PART ".pingo-export-"
#define IS_THERE "%s: is there already, and is not replaced: move it away, or say --force"

struct result {
    int64_t id;
    struct pingo_hash hash;
    char *name;
    char *file, *apart; /* what it is called in the directory, and where that repeats */
};
struct export
{
    struct cli_remote *r;
    struct cli_selection meant;
    const struct pingo_export_options *options;
    const char *directory;
    struct result *list;
    char **files; /* what each is called in the directory */
    size_t n;
    int fd;                   /* of what comes */
    int64_t size_bytes, came; /* of the dataset, as it is told */
    struct pingo_error wrong; /* why no more of it is taken */
};

/* ---- which, and what they are called ------------------------------------------------------------------- */

/* As pingo export does without --template. */
static char *file_of(const struct pingo_action *a, bool with_id)
{
    const struct pingo_field *output = pingo_action_field(a, "output");
    const char *suffixes =
        pingo__called_suffixes(output && output->nvalues > 0 ? output->values[0] : "");
    struct pingo__buffer b = {0};
    pingo__called_put(&b, 0, a->name, pingo__called_stem(a->name, suffixes));
    if (with_id)
        pingo__buffer_format(&b, "-%" PRId64, a->id);
    pingo__called_put(&b, 0, suffixes, strlen(suffixes));
    pingo__called_end(&b, 0, a->id);
    char *text = pingo__buffer_take(&b), *file = cli_copy(text ? text : "_");
    free(text);
    return file;
}

static int give_id(void *export, size_t i)
{
    struct export *e = export;
    e->files[i] = e->list[i].apart;
    return 0;
}

static int tell_apart(struct export *e)
{
    size_t clash[2];
    e->files = cli_alloc((e->n + 1) * sizeof *e->files);
    for (size_t i = 0; i < e->n; i++)
        e->files[i] = e->list[i].file;
    int rc = pingo__called_apart(e->files, e->n, give_id, e, clash);
    return rc == 0 ? 0 : pingo__fail(&e->r->cli->err, rc, "results cannot be told apart");
}

static void add(struct export *e, const struct pingo_action *a, const struct pingo_hash *hash)
{
    e->list = cli_more(e->list, e->n, sizeof *e->list);
    e->list[e->n++] =
        (struct result){a->id, *hash, cli_copy(a->name), file_of(a, false), file_of(a, true)};
}

/* As pingo export does without names. */
static int mean_wanted(void *selection, const void *row)
{
    const struct pingo_action_status *a = row;
    return a->is_wanted ? cli_mean_action(selection, row) : 0;
}

/* The actions that are meant, which come in the order of the definition, as they do in it. */
static int choose(struct export *e, const struct pingo_workflow *workflow)
{
    const struct cli_selection *s = &e->meant;
    size_t at = 0;
    for (size_t i = 0; i < pingo_workflow_count(workflow) && at < s->n; i++) {
        const struct pingo_action *a = pingo_workflow_action(workflow, i);
        if (s->list[at].id != a->id)
            continue;
        if (a->is_managed || !s->is_everything)
            add(e, a, &s->list[at].hash);
        at++;
    }
    if (at < s->n)
        return pingo__fail(&e->r->cli->err, PINGO_EIO,
                           "%s tells of an action %" PRId64 " that its workflow does not have",
                           e->r->where, s->list[at].id);
    return tell_apart(e);
}

static int find_results(struct export *e)
{
    struct pingo_workflow_options options = {.version = 1, .base_dir = "/", .any_type = true};
    struct pingo_workflow *workflow = NULL;
    struct cli_remote_list all = {
        .path = cli_remote_path("/v1/workflows/%d/actions", e->meant.workflow),
        .view = &pingo__view_action,
        .fn = mean_wanted,
        .context = &e->meant};
    struct cli_ask ask = {.path = cli_remote_path("/v1/workflows/%d/text", e->meant.workflow),
                          .is_raw = true};
    int rc = e->meant.is_everything ? cli_remote_each(e->r, &all) : 0;
    if (rc == 0)
        rc = cli_remote_ask(e->r, &ask);
    if (rc == 0)
        rc = pingo_workflow_parse(
            &(struct pingo_document){e->r->reply.body, e->r->reply.length, NULL}, &options,
            &workflow, &e->r->cli->err);
    if (rc == 0)
        rc = choose(e, workflow);
    pingo_workflow_free(workflow);
    return rc;
}

/* ---- one -------------------------------------------------------------------------------------------------- */

/* Does what has come begin as the tar of a directory? */
static bool is_like_tar(int fd)
{
    char magic[5];
    return pread(fd, magic, sizeof magic, 257) == sizeof magic &&
           memcmp(magic, "ustar", sizeof magic) == 0;
}

/* No more is taken than what was told of it, so that nobody fills the disk: a tar has its headers besides. */
static bool is_too_much(struct export *e)
{
    int64_t more = e->came - e->size_bytes;
    if (more <= 0 || (more < TAR_MORE && (e->came < 512 || is_like_tar(e->fd))))
        return false;
    pingo__fail(&e->wrong, PINGO_EIO, "%s sends more than the %" PRId64 " bytes that it tells of",
                e->r->where, e->came - more);
    return true;
}

static bool take(void *context, const char *bytes, size_t n)
{
    struct export *e = context;
    int rc = pingo__copy_write(e->fd, bytes, n);
    e->came += (int64_t)n;
    if (rc != 0)
        pingo__fail_os(&e->wrong, -rc, "cannot write", e->directory);
    return rc == 0 && !is_too_much(e);
}

/* Who may read it may run it; but where a file system knows no such bit, that is no reason not to have the file. */
static int let_run(struct export *e)
{
    struct stat st;
    return (fstat(e->fd, &st) == 0 && fchmod(e->fd, st.st_mode | (st.st_mode & 0444) >> 2) == 0) ||
                   errno == EPERM
               ? 0
               : pingo__fail_os(&e->r->cli->err, errno, "cannot be made executable", e->directory);
}

static int download(struct export *e, const char *hash, bool *is_tar)
{
    struct pingo_dataset_status dataset = {0};
    struct pingo__http_stream stream = {.take = take, .context = e};
    const char **type = &e->r->reply.type;
    struct cli_ask ask = {.path = cli_remote_path("/v1/datasets/%s/content", hash),
                          .stream = &stream,
                          .wrong = &e->wrong,
                          .is_raw = true};
    int rc = cli_remote_get(e->r, &pingo__view_dataset, &dataset, "/v1/datasets/%s", hash);
    if (rc != 0)
        return rc;
    if (dataset.size_bytes < 0) /* what comes meanwhile could not be told from what is cut */
        return pingo__fail(&e->r->cli->err, PINGO_ENOTFOUND,
                           "there is nothing of it any more, or not yet");
    e->size_bytes = dataset.size_bytes;
    e->came = 0;
    e->wrong.code = 0;
    rc = cli_remote_ask(e->r, &ask);
    *is_tar = rc == 0 && *type && strncmp(*type, "application/x-tar", 17) == 0;
    if (rc == 0 && !*is_tar && e->came != e->size_bytes)
        rc = pingo__fail(&e->r->cli->err, PINGO_EIO,
                         "%s sends %" PRId64 " bytes of the %" PRId64 " that it tells of",
                         e->r->where, e->came, e->size_bytes);
    if (rc == 0 && *type && strstr(*type, "executable=true"))
        rc = let_run(e);
    return rc;
}

/* Its lock says that whoever makes it lives, be it on another machine. */
static int make_part(const char *part)
{
    struct stat st = {0};
    int fd;
    do { /* until it is ours: who tidies up may have come before the lock */
        fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd >= 0 && flock(fd, LOCK_EX) == 0 && fstat(fd, &st) == 0 && st.st_nlink == 0 &&
             close(fd) == 0);
    return fd;
}

/* What those have left who were ended by force; a directory goes with the file beside it, which had the lock. */
static void tidy_up(const char *directory)
{
    DIR *dir = opendir(directory);
    for (const struct dirent *entry; dir && (entry = readdir(dir));) {
        if (strncmp(entry->d_name, PART, strlen(PART)) != 0)
            continue;
        char *part = cli_format("%s/%s", directory, entry->d_name);
        int fd = open(part, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
            pingo__tree_remove(AT_FDCWD, cli_format("%s.d", part));
            if (!strstr(entry->d_name, ".d"))
                pingo__tree_remove(AT_FDCWD, part);
        }
        pingo__file_close(fd);
    }
    if (dir)
        closedir(dir);
}

/* From the first byte on. */
static int keep_out(struct export *e, const char *part, const char *path)
{
    struct pingo__acl list;
    struct stat there, st;
    if (lstat(path, &there) != 0 || S_ISLNK(there.st_mode) || lstat(part, &st) != 0)
        return 0;
    mode_t may = pingo__file_may(there.st_mode, there.st_gid == st.st_gid);
    may |= (may & 044) >> 2; /* who may read it may run it, or enter it */
    pingo__acl_read(path, &list);
    mode_t mode = st.st_mode & (0700 | may);
    int failed = -pingo__acl_write(part, &list, mode);
    return failed == 0 || failed == EPERM /* a file system without modes */
               ? 0
               : pingo__fail_os(&e->r->cli->err, failed, "keeping who may read it", path);
}

/* Puts what has come under `part` at path. */
static int place(struct export *e, const char *part, const char *path, bool is_tar)
{
    const struct pingo__world *world = pingo__world_real();
    struct pingo_error *err = &e->r->cli->err;
    unsigned flags = e->options->force ? 0 : RENAME_NOREPLACE;
    const char *from = is_tar ? cli_format("%s.d", part) : part;
    int rc = is_tar ? cli_remote_untar(e->fd, from, err) : 0;
    if (rc == 0 && is_tar)
        rc = keep_out(e, from, path);
    if (rc == 0) {
        int failed = world->rename(world->context, AT_FDCWD, from, path, flags);
        bool is_taken =
            failed == -EEXIST || failed == -ENOTEMPTY || failed == -ENOTDIR || failed == -EISDIR;
        if (is_taken && e->options->force)
            failed = world->rename(world->context, AT_FDCWD, from, path, RENAME_EXCHANGE);
        rc = is_taken && flags ? pingo__fail(err, PINGO_EEXISTS, IS_THERE, path)
             : failed          ? pingo__fail_os(err, -failed, "cannot be put there", path)
                               : 0;
    }
    int left = pingo__tree_remove(AT_FDCWD, from); /* or what was there */
    if (left != 0)
        cli_message("%s: was made for a moment, and cannot be removed: %s", from, strerror(-left));
    return rc;
}

/* May what lies there be replaced? */
static int check(struct export *e, size_t i)
{
    char *path = cli_format("%s/%s", e->directory, e->files[i]);
    struct stat st;
    bool is_there = lstat(path, &st) == 0;
    if (is_there && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode))
        return pingo__fail(
            &e->r->cli->err, PINGO_EEXISTS,
            "%s: is neither a file nor a directory, and is not replaced: move it away", path);
    if (is_there && S_ISDIR(st.st_mode) && access(cli_format("%s/.pingo", path), F_OK) == 0)
        return pingo__fail(&e->r->cli->err, PINGO_EEXISTS,
                           "%s: holds a store, and is not replaced: move it away", path);
    return is_there && !e->options->force
               ? pingo__fail(&e->r->cli->err, PINGO_EEXISTS, IS_THERE, path)
               : 0;
}

static int export_one(struct export *e, size_t i)
{
    const struct result *result = &e->list[i];
    struct pingo_error *err = &e->r->cli->err;
    char hex[PINGO_HASH_HEX_SIZE], *path = cli_format("%s/%s", e->directory, e->files[i]);
    char *part = cli_format("%s/" PART "%ld-%" PRId64, e->directory, (long)getpid(), result->id);
    struct stat st;
    bool is_tar = false;
    pingo_hash_to_hex(&result->hash, hex);
    e->fd = make_part(part);
    int rc = e->fd < 0 ? pingo__fail_os(err, errno, "cannot make a file in it", e->directory)
                       : keep_out(e, part, path);
    if (rc == 0)
        rc = download(e, hex, &is_tar);
    int64_t size = rc == 0 && fstat(e->fd, &st) == 0 && !is_tar ? st.st_size : -1;
    if (rc == 0)
        rc = place(e, part, path, is_tar);
    if (e->fd >= 0) {
        unlink(part);
        close(e->fd);
    }
    if (rc == 0)
        e->options->exported(e->options->context, result->id, result->name, path, size);
    return rc;
}

int cli_remote_export(struct cli_remote *r, const struct cli_selection *meant,
                      const char *directory, const struct pingo_export_options *options)
{
    struct export e = {.r = r, .meant = *meant, .directory = directory, .options = options};
    int rc = find_results(&e);
    if (rc == 0)
        tidy_up(directory);
    for (size_t i = 0; i < e.n && rc == 0; i++)
        rc = check(&e, i);
    if (rc == 0 && mkdir(directory, 0777) != 0 && errno != EEXIST)
        rc = pingo__fail_os(&r->cli->err, errno, "cannot be made", directory);
    for (size_t i = 0; i < e.n && rc == 0; i++)
        rc = export_one(&e, i);
    return rc;
}
