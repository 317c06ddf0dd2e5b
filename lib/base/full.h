/* full.h - a disk that is full, for who fails on it: who makes room notes first that there was none. */
#ifndef PINGO__BASE_FULL_H
#define PINGO__BASE_FULL_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* What is said where it is no disk of the pool's that is full: what is deleted there helps nobody. */
#define PINGO__FULL_ELSEWHERE "its file system is not the pool's: make room there"

/* Bytes that are free on a directory's file system; as good as none where no file can be made; INT64_MAX: unknown. */
int64_t pingo__full_free_bytes(int dir);
/* Fewer than a few MB. */
bool pingo__full_is(int64_t free_bytes);
/* Nor can a few MB be written there: for who has failed, since a quota that is reached shows in no number.  They are
 * taken and given back, under this name, which nothing else has. */
bool pingo__full_refuses(int dir, const char *name);
/* If it is full, a file's time says so: of whoever lets go of anything, before that and when he has.  Returns full. */
bool pingo__full_note(int dir, const char *name, bool full);
/* Was that noted lately, and since a time by the clock of the file system?  That clock ticks coarsely: also where it
 * may have been. */
bool pingo__full_was(int dir, const char *name, const struct timespec *since);

#endif
