/* main.c - pingo-supervisor: runs the local attempts of one store.
 *
 *   pingo-supervisor STORE POOL                          started by libpingo
 *   pingo-supervisor --worker STORE POOL RUNNING SLOT    started by itself
 *
 * Not for use by hand.  Nothing that the starting program left open, blocked,
 * or ignored is passed on. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/room.h"
#include "executor/local/place.h"
#include "runner/runner.h"
#include "executor/local/supervisor/state.h"

static int worker(char **argv)
{
    char *end;
    unsigned long slot = strtoul(argv[5], &end, 10);
    if (*end != '\0' || fcntl(PINGO__WORKER_CONTROL_FD, F_SETFD, FD_CLOEXEC) != 0 ||
        fcntl(PINGO__WORKER_LOCK_FD, F_SETFD, FD_CLOEXEC) != 0)
        return 2;
    closefrom(PINGO__WORKER_LOCK_FD + 1);
    pingo__runner_ground_of_commands();
    return pingo__executor_worker_main(PINGO__WORKER_CONTROL_FD, argv[2], argv[3], argv[4], slot);
}

static int supervisor(char **argv)
{
    if (fcntl(PINGO__PLACE_STATUS_FD, F_SETFD, FD_CLOEXEC) != 0) {
        fprintf(stderr, "pingo-supervisor: it is started by pingo, not by hand\n");
        return 2;
    }
    closefrom(PINGO__PLACE_STATUS_FD + 1);
    pid_t pid = fork();
    if (pid < 0)
        dprintf(PINGO__PLACE_STATUS_FD, PINGO__PLACE_WAIT "it cannot start a process: %s (%s)\n",
                strerror(errno), PINGO__ROOM_PROCESSES);
    if (pid != 0)
        return pid < 0 ? 1 : 0;
    if (setsid() < 0 || chdir("/") != 0)
        return 1;
    pingo__runner_ground_reset();
    return pingo__executor_supervisor_main(argv[1], argv[2], PINGO__PLACE_STATUS_FD);
}

int main(int argc, char **argv)
{
    pingo__runner_ground_of_signals();
    umask(022);
    if (argc == 6 && strcmp(argv[1], "--worker") == 0)
        return worker(argv);
    if (argc == 3 && argv[1][0] == '/' && argv[2][0] == '/')
        return supervisor(argv);
    fprintf(stderr, "pingo-supervisor runs the local attempts of a pingo store; "
                    "it is started by pingo, not by hand\n");
    return 2;
}
