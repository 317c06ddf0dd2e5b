/* untar.c - unpacks a directory that came as tar, from whom nothing is believed.
 *
 * Each entry is made below the directory's descriptor, step by step without following a link, so that nothing can be
 * written outside whatever the archive says; a link is made where it stays within, as those of a dataset do.  What GNU
 * tar writes of plain trees is read: files, directories, symbolic and hard links, long names; no devices, no sparse
 * files, no extended headers. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/tree.h"
#include "remote/remote.h"

#define BLOCK 512
#define NAME_MOST 4096
#define ENTRIES_MOST 10000000

struct header { /* of POSIX and of GNU tar */
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100];
    char magic[6], version[2], rest[247];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

struct untar {
    int from, top;
    const char *path;
    struct pingo_error *err;
    char name[NAME_MOST], link[NAME_MOST]; /* of the next entry, where they are long; "" */
};

static int wrong(struct untar *u, const char *name, const char *what)
{
    return pingo__fail(u->err, PINGO_EIO, "the server's archive is refused: \"%.200s\" %s", name,
                       what);
}

static int failed(struct untar *u, const char *name)
{
    return errno == EEXIST                      ? wrong(u, name, "is in it twice")
           : errno == ELOOP || errno == ENOTDIR ? wrong(u, name, "lies behind a link, or a file")
                                                : pingo__fail_os(u->err, errno, name, u->path);
}

static int read_block(struct untar *u, void *block, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = read(u->from, (char *)block + at, size - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return wrong(u, "", "ends before its end");
        at += (size_t)n;
    }
    return 0;
}

/* Octal digits; or, of what is large, GNU's bytes with the highest bit set.  -1: neither. */
static int64_t number_of(const char *text, size_t size)
{
    int64_t number = 0;
    bool is_binary = ((unsigned char)text[0] & 0x80) != 0;
    for (size_t i = is_binary; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (!is_binary && (c == '\0' || (c == ' ' && i > 0)))
            break;
        if (!is_binary && (c < '0' || c > '7'))
            return -1;
        if (number > INT64_MAX >> 9)
            return -1;
        number = is_binary ? number * 256 + c : number * 8 + (c - '0');
    }
    return number;
}

static bool is_sound(const struct header *h)
{
    int64_t sum = 8 * ' ';
    const unsigned char *bytes = (const unsigned char *)h;
    for (size_t i = 0; i < BLOCK; i++)
        sum += i >= offsetof(struct header, sum) && i < offsetof(struct header, type) ? 0 : bytes[i];
    return number_of(h->sum, sizeof h->sum) == sum;
}

/* ---- names ------------------------------------------------------------------------------------------------- */

/* Relative, and no part is "..". */
static bool is_inside(const char *name)
{
    if (*name == '/' || *name == '\0')
        return false;
    for (const char *at = name; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0'))
            return false;
    }
    return true;
}

/* Does a link at name lead to something below the top?  First it may go up, from where it lies, which is not behind a
 * link; then it goes down, be it by other links, which are as tame. */
static bool leads_inside(const char *name, const char *target)
{
    int depth = 0;
    bool goes_down = false;
    if (*target == '/' || *target == '\0')
        return false;
    for (const char *at = name, *slash; (slash = strchr(at, '/')); at = slash + 1)
        depth += slash[1] != '\0' && slash > at && !(slash == at + 1 && *at == '.');
    for (const char *at = target; at; at = strchr(at, '/')) {
        at += *at == '/';
        size_t n = strcspn(at, "/");
        bool goes_up = n == 2 && memcmp(at, "..", 2) == 0;
        if (goes_up && (goes_down || --depth < 0))
            return false;
        goes_down = goes_down || !(goes_up || n == 0 || (n == 1 && *at == '.'));
    }
    return true;
}

/* The directory of an entry, and its last part in name.  -1 after a message; else close it. */
static int parent_of(struct untar *u, const char *name, const char **last)
{
    char part[NAME_MOST];
    int at = fcntl(u->top, F_DUPFD_CLOEXEC, 3);
    for (const char *slash; at >= 0 && (slash = strchr(name, '/')) && slash[1] != '\0';
         name = slash + 1) {
        size_t n = (size_t)(slash - name);
        memcpy(part, name, n);
        part[n] = '\0';
        int next = n == 0 ? fcntl(at, F_DUPFD_CLOEXEC, 3)
                          : openat(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int error = errno;
        close(at);
        at = next;
        errno = error;
    }
    if (at < 0)
        failed(u, name);
    *last = name;
    return at;
}

/* ---- entries ------------------------------------------------------------------------------------------------- */

static int copy_bytes(struct untar *u, int to, int64_t size)
{
    char bytes[64 * BLOCK];
    int rc = 0;
    for (int64_t left = (size + BLOCK - 1) / BLOCK * BLOCK; rc == 0 && left > 0;) {
        size_t n = left < (int64_t)sizeof bytes ? (size_t)left : sizeof bytes;
        rc = read_block(u, bytes, n);
        size_t wanted = size < (int64_t)n ? (size_t)size : n;
        for (size_t at = 0; rc == 0 && to >= 0 && at < wanted;) {
            ssize_t written = write(to, bytes + at, wanted - at);
            if (written < 0 && errno != EINTR)
                rc = pingo__fail_os(u->err, errno, "cannot write", u->path);
            at += written > 0 ? (size_t)written : 0;
        }
        left -= (int64_t)n;
        size -= (int64_t)wanted;
    }
    return rc;
}

static int make_file(struct untar *u, int parent, const char *last, const struct header *h)
{
    int64_t size = number_of(h->size, sizeof h->size);
    mode_t mode = number_of(h->mode, sizeof h->mode) & 0111 ? 0777 : 0666;
    int fd = openat(parent, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0)
        return failed(u, last);
    int rc = copy_bytes(u, fd, size);
    if (close(fd) != 0 && rc == 0)
        rc = pingo__fail_os(u->err, errno, "cannot write", u->path);
    return rc;
}

/* Another name of a file that is there already. */
static int make_hard_link(struct untar *u, int parent, const char *last, const char *target)
{
    const char *target_last;
    struct stat st;
    int from = is_inside(target) ? parent_of(u, target, &target_last) : -1;
    if (from < 0)
        return is_inside(target) ? u->err->code : wrong(u, last, "is a link that leads out");
    int rc = fstatat(from, target_last, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode)
                 ? wrong(u, last, "is a link to what is no file")
             : linkat(from, target_last, parent, last, 0) != 0 ? failed(u, last)
                                                               : 0;
    close(from);
    return rc;
}

static int make(struct untar *u, const struct header *h, const char *name, const char *target)
{
    const char *last;
    if (!is_inside(name))
        return wrong(u, name, "does not lie below it");
    if (h->type == '5' && strspn(name, "./") == strlen(name))
        return 0; /* the top itself */
    int rc = 0, parent = parent_of(u, name, &last);
    if (parent < 0)
        return u->err->code;
    char part[NAME_MOST];
    snprintf(part, sizeof part, "%s", last);
    part[strcspn(part, "/")] = '\0'; /* "a/" of a directory */
    if (h->type == '0' || h->type == '\0')
        rc = make_file(u, parent, part, h);
    else if (h->type == '5')
        rc = mkdirat(parent, part, 0777) != 0 ? failed(u, name) : 0;
    else if (h->type == '1')
        rc = make_hard_link(u, parent, part, target);
    else if (h->type == '2' && leads_inside(name, target))
        rc = symlinkat(target, parent, part) != 0 ? failed(u, name) : 0;
    else
        rc = wrong(u, name,
                   h->type == '2' ? "is a link that leads out" : "is of a kind that is not taken");
    close(parent);
    return rc;
}

/* A name that is too long for a header stands before it, as the bytes of an entry. */
static int read_long(struct untar *u, const struct header *h, char name[NAME_MOST])
{
    int64_t size = number_of(h->size, sizeof h->size);
    char bytes[NAME_MOST + BLOCK];
    if (size < 1 || size >= NAME_MOST)
        return wrong(u, "", "has a name that is too long");
    int rc = read_block(u, bytes, (size_t)((size + BLOCK - 1) / BLOCK * BLOCK));
    if (rc == 0) {
        memcpy(name, bytes, (size_t)size);
        name[size] = '\0';
    }
    return rc;
}

static int read_entry(struct untar *u, bool *is_end)
{
    struct header h;
    static const struct header nothing;
    char name[sizeof h.name + 1], target[sizeof h.link + 1];
    int rc = read_block(u, &h, sizeof h);
    *is_end = rc == 0 && memcmp(&h, &nothing, sizeof h) == 0;
    if (rc != 0 || *is_end)
        return rc;
    snprintf(name, sizeof name, "%.*s", (int)sizeof h.name, h.name);
    snprintf(target, sizeof target, "%.*s", (int)sizeof h.link, h.link);
    if (!is_sound(&h) || number_of(h.size, sizeof h.size) < 0 || memcmp(h.magic, "ustar", 5) != 0)
        return wrong(u, name, "is no entry of tar");
    if (h.type == 'L' || h.type == 'K')
        return read_long(u, &h, h.type == 'L' ? u->name : u->link);
    rc = make(u, &h, *u->name ? u->name : name, *u->link ? u->link : target);
    u->name[0] = u->link[0] = '\0';
    return rc;
}

int cli_remote_untar(int fd, const char *path, struct pingo_error *err)
{
    struct untar u = {.from = fd, .path = path, .err = err};
    bool is_end = false;
    if (lseek(fd, 0, SEEK_SET) != 0 || mkdir(path, 0777) != 0)
        return pingo__fail_os(err, errno, "cannot be made", path);
    u.top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int rc = u.top < 0 ? pingo__fail_os(err, errno, "cannot be opened", path) : 0;
    for (size_t n = 0; rc == 0 && !is_end; n++)
        rc = n < ENTRIES_MOST ? read_entry(&u, &is_end) : wrong(&u, "", "has too many entries");
    pingo__file_close(u.top);
    return rc;
}
