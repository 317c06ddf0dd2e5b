/* version.h - the version of the library, and how its symbols are exported. */
#ifndef PINGO_VERSION_H
#define PINGO_VERSION_H

#define PINGO_VERSION_MAJOR 0
#define PINGO_VERSION_MINOR 1
#define PINGO_VERSION_PATCH 0
#define PINGO_VERSION "0.1.0"

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

#ifdef __cplusplus
}
#endif
#endif
