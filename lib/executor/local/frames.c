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
    *frames->last = frame;
    frames->last = &frame->next;
    return true;
}

void pingo__executor_frames_prepend(struct pingo__executor_local_frames *frames,
                                    struct pingo__executor_local_frames *first)
{
    if (!first->first)
        return;
    *first->last = frames->first;
    if (!frames->first)
        frames->last = first->last;
    frames->first = first->first;
    *first = (struct pingo__executor_local_frames){NULL, &first->first};
}

static void drop(struct pingo__executor_local_frames *frames,
                 struct pingo__executor_local_frame **at)
{
    struct pingo__executor_local_frame *frame = *at;
    *at = frame->next;
    if (frames->last == &frame->next)
        frames->last = at;
    frame_free(frame);
}

void pingo__executor_frames_drop(struct pingo__executor_local_frames *frames)
{
    drop(frames, &frames->first);
}

bool pingo__executor_frames_take(struct pingo__executor_local_frames *frames,
                                 struct pingo_job_key key)
{
    for (struct pingo__executor_local_frame **at = &frames->first; *at; at = &(*at)->next)
        if (pingo__runner_key_is((*at)->key, key)) {
            drop(frames, at);
            return true;
        }
    return false;
}
