/* confine.h - a program that can write in one directory alone, by Landlock. */
#ifndef CLI_CONFINE_H
#define CLI_CONFINE_H

#include <spawn.h>
#include <sys/types.h>

/* As posix_spawn.  writable: the program, and all that it starts, can write below this directory and the usual devices
 * only, root or not; what it reads is free.  NULL, or a kernel without Landlock: nothing is denied. */
int cli_spawn_confined(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const argv[], char *const env[],
                       const char *writable);

#endif
