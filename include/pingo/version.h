/* version.h - the version of the library, and how its symbols are exported.
 *
 * While the major number is 0, a new minor number may change structures: a program is built for one
 * minor number, and the soname (libpingo.so.0.2) has the loader refuse another.  Versions that differ
 * in the last number alone can be exchanged.
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
