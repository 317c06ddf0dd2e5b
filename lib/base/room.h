/* room.h - are there threads and descriptors left?  libuv ends the process where it finds none. */
#ifndef PINGO__BASE_ROOM_H
#define PINGO__BASE_ROOM_H

#include <stddef.h>

#include <pingo/error.h>

/* Asked before an event loop is made, and before its pool of threads begins to work.  For a moment it takes some of
 * each and gives them back.  0, or PINGO_EIO: the message says what is short, and which limit it may be. */
int pingo__room_check(size_t nthreads, struct pingo_error *err);

#endif
