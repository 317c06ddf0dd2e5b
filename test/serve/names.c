/* names.c - preloaded: a service of users' names that does not answer while the file $NAMES_HELD is there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

static void *held(const char *name)
{
    while (access(getenv("NAMES_HELD"), F_OK) == 0)
        usleep(1000);
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
