/* room.h - are there threads and descriptors left?  libuv ends the process where it finds none. */
#ifndef PINGO__BASE_ROOM_H
#define PINGO__BASE_ROOM_H

#include <errno.h>
#include <stddef.h>

#include <pingo/error.h>

#define PINGO__ROOM_LOOP 8 /* descriptors of a loop, and of what else begins with it */
#define PINGO__ROOM_PROCESSES "are processes limited? ulimit -u, or the container's"
#define PINGO__ROOM_MEMORY "is the limit of memory low? ulimit -v, or the container's"
/* What to say behind the error of something that takes a descriptor. */
#define PINGO__ROOM_FILES(error) ((error) == EMFILE ? " (is the limit low? ulimit -n)" : "")

/* Asked before an event loop is made, before its pool of threads begins to work, and where there is no way on without.
 * For a moment it takes so many of each and gives them back.  0, or PINGO_EIO: the message says what is short, and
 * which limit it may be. */
int pingo__room_check(size_t ndescriptors, size_t nthreads, struct pingo_error *err);

#endif
