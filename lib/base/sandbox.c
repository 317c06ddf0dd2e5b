/* sandbox.c - see sandbox.h.  The C library knows none of these calls, and the headers of a system
 * may be older than its kernel, so what is needed of them stands here. */
#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/world.h"

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444 /* on every machine */
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

#define ASK_VERSION 1u
#define PATH_BENEATH 1
#define REOPEN_MS 2000

enum {
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    READING = EXECUTE | READ_FILE | READ_DIR,
    ALL_OF_ABI_1 = (1 << 13) - 1, /* with removing and making entries of any kind */
    REFER = 1 << 13,              /* ABI 2: link or rename between directories */
    TRUNCATE = 1 << 14            /* ABI 3 */
};

struct ruleset {
    uint64_t handled;
};

struct beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

const char *const pingo__sandbox_places[] = {
    "/usr",      "/bin",      "/sbin",     "/lib",        "/lib32",           "/lib64",   "/libx32",
    "/etc",      "/opt",      "/proc",     "/sys",        "/etc/resolv.conf", /* often a link into /run */
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",     "/dev/tty", NULL};

int pingo__sandbox_abi(void)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, ASK_VERSION);
    return abi < 0 ? 0 : (int)abi;
}

static uint64_t known(int abi)
{
    uint64_t rights = abi >= 1 ? ALL_OF_ABI_1 : 0;
    if (abi >= 2)
        rights |= REFER;
    if (abi >= 3)
        rights |= TRUNCATE;
    return rights;
}

uint64_t pingo__sandbox_rights(enum pingo__sandbox_right right, int abi)
{
    static const uint64_t wanted[] = {
        [PINGO__SANDBOX_READ] = READING,
        [PINGO__SANDBOX_WRITE] = ALL_OF_ABI_1 | REFER | TRUNCATE,
        [PINGO__SANDBOX_LOG] = READ_FILE | WRITE_FILE | TRUNCATE,
    };
    return wanted[right] & known(abi);
}

void pingo__sandbox_clear(struct pingo__sandbox *sandbox)
{
    while (sandbox->nplaces > 0)
        close(sandbox->places[--sandbox->nplaces].fd);
    sandbox->opened_ms = 0;
}

bool pingo__sandbox_is_fresh(const struct pingo__sandbox *sandbox)
{
    return sandbox->opened_ms > 0 && pingo__world_monotonic_ms() - sandbox->opened_ms < REOPEN_MS;
}

/* Where /bin and its like are links into /usr, its rule is enough. */
static bool is_in_usr(int fd)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path);
    return n > 5 && memcmp(path, "/usr/", 5) == 0;
}

static uint64_t rights_of(int fd, enum pingo__sandbox_right right, int abi)
{
    const uint64_t of_files = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE;
    uint64_t rights = pingo__sandbox_rights(right, abi);
    struct stat st;
    if (fstat(fd, &st) != 0)
        return 0;
    if (S_ISCHR(st.st_mode))
        rights |= pingo__sandbox_rights(PINGO__SANDBOX_LOG, abi);
    return S_ISDIR(st.st_mode) ? rights
                               : rights & of_files; /* the kernel refuses others of a file */
}

/* What is mounted later over one of them is another directory, hence anew after a while. */
static void open_places(struct pingo__sandbox *sandbox)
{
    if (pingo__sandbox_is_fresh(sandbox))
        return;
    pingo__sandbox_clear(sandbox);
    for (size_t i = 0; pingo__sandbox_places[i]; i++) {
        int fd = open(pingo__sandbox_places[i], O_PATH | O_CLOEXEC);
        if (fd >= 0 && is_in_usr(fd)) {
            close(fd);
        } else if (fd >= 0) {
            sandbox->places[sandbox->nplaces].fd = fd;
            sandbox->places[sandbox->nplaces++].rights =
                rights_of(fd, PINGO__SANDBOX_READ, sandbox->abi);
        }
    }
    sandbox->opened_ms = pingo__world_monotonic_ms();
}

static int add_rule(int ruleset, int fd, uint64_t rights)
{
    struct beneath rule = {rights, fd};
    if (syscall(SYS_landlock_add_rule, ruleset, PATH_BENEATH, &rule, 0u) == 0)
        return 0;
    return errno == EBADFD ? 0 : -errno; /* a pipe or the like, which needs no rule */
}

int pingo__sandbox_begin(struct pingo__sandbox *sandbox)
{
    struct ruleset attributes = {known(sandbox->abi)};
    if (sandbox->abi < 1)
        return -EOPNOTSUPP;
    open_places(sandbox);
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0u);
    int rc = ruleset < 0 ? -errno : 0;
    for (size_t i = 0; rc == 0 && i < sandbox->nplaces; i++)
        rc = add_rule(ruleset, sandbox->places[i].fd, sandbox->places[i].rights);
    if (rc == 0)
        return ruleset;
    if (ruleset >= 0)
        close(ruleset);
    return rc;
}

int pingo__sandbox_allow_open(const struct pingo__sandbox *sandbox, int ruleset, int fd,
                              enum pingo__sandbox_right right)
{
    uint64_t rights = rights_of(fd, right, sandbox->abi);
    return rights == 0 ? -EBADF : add_rule(ruleset, fd, rights);
}

int pingo__sandbox_allow(const struct pingo__sandbox *sandbox, int ruleset, const char *path,
                         enum pingo__sandbox_right right)
{
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int rc = pingo__sandbox_allow_open(sandbox, ruleset, fd, right);
    close(fd);
    return rc;
}

int pingo__sandbox_enter(int ruleset)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_landlock_restrict_self, ruleset, 0u) != 0)
        return errno;
    return 0;
}

int pingo__sandbox_enter_read_only(const char *writable)
{
    const char *const places[] = {writable,   "/dev/null",   "/dev/zero",   "/dev/full",
                                  "/dev/tty", "/dev/random", "/dev/urandom"};
    int abi = pingo__sandbox_abi(), rc = 0;
    struct ruleset attributes = {known(abi) & ~(uint64_t)READING};
    if (abi < 1)
        return 0;
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0u);
    if (ruleset < 0)
        return errno;
    for (size_t i = 0; rc == 0 && i < sizeof places / sizeof *places; i++) {
        int fd = open(places[i], O_PATH | O_CLOEXEC);
        if (fd < 0)
            continue;
        rc = -add_rule(ruleset, fd, rights_of(fd, PINGO__SANDBOX_WRITE, abi) & attributes.handled);
        close(fd);
    }
    if (rc == 0)
        rc = pingo__sandbox_enter(ruleset);
    close(ruleset);
    return rc;
}
