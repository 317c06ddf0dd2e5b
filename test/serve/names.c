/* names.c - preloaded: a service of users' names that does not answer while the file $NAMES_HELD is there, and says in
 * $NAMES_HELD.by that it was asked then. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *held(const char *name)
{
    char by[4096];
    snprintf(by, sizeof by, "%s.by", getenv("NAMES_HELD"));
    while (access(getenv("NAMES_HELD"), F_OK) == 0) {
        close(open(by, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        usleep(1000);
    }
    return dlsym(RTLD_NEXT, name);
}

struct passwd *getpwuid(uid_t uid)
{
    return ((struct passwd * (*)(uid_t)) held("getpwuid"))(uid);
}

int getpwuid_r(uid_t uid, struct passwd *row, char *texts, size_t size, struct passwd **found)
{
    return ((int (*)(uid_t, struct passwd *, char *, size_t, struct passwd **))held("getpwuid_r"))(
        uid, row, texts, size, found);
}
