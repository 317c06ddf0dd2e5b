/* frames.c - what waits to be sent to the supervisor, see client.h. */
#include <stdlib.h>

#include "executor/local/client.h"

struct pingo__executor_local_frame *pingo__executor_frame_begin(enum pingo__executor_wire_kind kind)
{
    struct pingo__executor_local_frame *frame = calloc(1, sizeof *frame);
    if (frame)
        pingo__executor_wire_begin(&frame->bytes, kind);
    return frame;
}

static void frame_free(struct pingo__executor_local_frame *frame)
{
    pingo__buffer_clear(&frame->bytes);
    free(frame);
}

bool pingo__executor_frames_append(struct pingo__executor_local_frames *frames,
                                   struct pingo__executor_local_frame *frame)
{
    pingo__executor_wire_end(&frame->bytes, 0);
    if (frame->bytes.failed) {
        frame_free(frame);
        return false;
    }
    STAILQ_INSERT_TAIL(frames, frame, next);
    return true;
}

void pingo__executor_frames_prepend(struct pingo__executor_local_frames *frames,
                                    struct pingo__executor_local_frames *first)
{
    STAILQ_CONCAT(first, frames);
    STAILQ_CONCAT(frames, first);
}

static void drop(struct pingo__executor_local_frames *frames,
                 struct pingo__executor_local_frame *frame)
{
    STAILQ_REMOVE(frames, frame, pingo__executor_local_frame, next);
    frame_free(frame);
}

void pingo__executor_frames_drop(struct pingo__executor_local_frames *frames)
{
    drop(frames, STAILQ_FIRST(frames));
}

bool pingo__executor_frames_take(struct pingo__executor_local_frames *frames,
                                 struct pingo_job_key key)
{
    struct pingo__executor_local_frame *frame = STAILQ_FIRST(frames);
    while (frame && !pingo__runner_key_is(frame->key, key))
        frame = STAILQ_NEXT(frame, next);
    if (frame)
        drop(frames, frame);
    return frame;
}
