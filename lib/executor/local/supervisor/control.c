/* control.c - see control.h. */
#include "executor/local/supervisor/control.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

void pingo__executor_control_init(struct pingo__executor_control *control, int fd)
{
    memset(control, 0, sizeof *control);
    control->fd = fd;
}

bool pingo__executor_control_next(struct pingo__executor_control *control, bool wait,
                                  struct pingo__executor_wire_frame *frame)
{
    int rc;
    while ((rc = pingo__executor_inbox_next(&control->in, frame)) == 0 && !control->ended) {
        ssize_t n = pingo__executor_inbox_fill(&control->in, control->fd, wait);
        if (n == -EAGAIN)
            return false;
        control->ended = n <= 0;
    }
    control->ended = control->ended || rc < 0;
    return rc > 0;
}

void pingo__executor_control_tell(struct pingo__executor_control *control,
                                  enum pingo__executor_wire_kind kind, struct pingo_job_key key)
{
    char bytes[21] = {17, 0, 0, 0, (char)kind};
    for (size_t i = 0; i < 8; i++) {
        bytes[5 + i] = (char)(unsigned char)((uint64_t)key.action >> (8 * i));
        bytes[13 + i] = (char)(unsigned char)((uint64_t)key.epoch >> (8 * i));
    }
    for (size_t at = 0; at < sizeof bytes;) {
        ssize_t n = send(control->fd, bytes + at, sizeof bytes - at, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            control->ended = true;
            return;
        }
        at += (size_t)n;
    }
}
