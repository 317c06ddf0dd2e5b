/* version.h - the version of the library, and how its symbols are exported.
 *
 * While the major number is 0, a new minor number may change structures: a program is built for one
 * minor number, and the soname (libpingo.so.0.2) has the loader refuse another.  Versions that differ
 * in the last number alone can be exchanged.
 *
 * Structures grow at their ends, so that a program and a library that were built at other times fit:
 *   - options and queries begin with `unsigned version`, which you set to one that the header names; 0 is
 *     refused.  All else may be zero.  What came with a later version than yours is not looked at.
 *   - a result that you have memory for begins with `size_t size`, which you set before the call:
 *     `struct pingo_tick_result r = {.size = sizeof r};`.  No byte behind it is written, and what the library does
 *     not know of it is zero.  A size that was not set is refused.
 *   - tables of functions begin with `unsigned abi_version`: older ones than the library's are taken.
 *   - what the library lends you may be longer than your header says: look at it where it lies.
 *   - what stands by value in another structure, or in an array, does not grow: hashes, keys, names, errors, counts.
 *
 * PINGO_API before a declaration exports the function: nothing else is exported. */
#ifndef PINGO_VERSION_H
#define PINGO_VERSION_H

/* The version of the headers. */
#define PINGO_VERSION_MAJOR 0
#define PINGO_VERSION_MINOR 2
#define PINGO_VERSION_PATCH 0
#define PINGO_VERSION "0.2.0"

#if defined(__GNUC__)
#define PINGO_API __attribute__((visibility("default")))
#else
#define PINGO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is linked, as "MAJOR.MINOR.PATCH"; compare
 * it with PINGO_VERSION, that of the headers.  Static text.  Any thread. */
PINGO_API const char *pingo_version(void);

/* free() of the C library that this one uses, for what is "yours, free()": a binding, or a program with another
 * allocator, cannot know it otherwise.  memory: may be NULL.  Any thread. */
PINGO_API void pingo_free(void *memory);

#ifdef __cplusplus
}
#endif
#endif
