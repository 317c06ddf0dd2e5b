/* error.h - filling in struct pingo_error. */
#ifndef PINGO__BASE_ERROR_H
#define PINGO__BASE_ERROR_H

#include <stdbool.h>

#include <pingo/error.h>

/* Writes code and message into err (which may be NULL) and returns code, so that
 * `return pingo__fail(err, PINGO_EIO, "%s: ...", path);` is one line. */
int pingo__fail(struct pingo_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a refused system call: "PATH: what: strerror(error_number)".  error_number is an
 * errno value; ENOMEM gives PINGO_ENOMEM, ENOSPC and EDQUOT give PINGO_ENOSPACE, else PINGO_EIO. */
int pingo__fail_os(struct pingo_error *err, int error_number, const char *what, const char *path);

/* Does an errno value say that a disk, or a quota, is full? */
bool pingo__error_is_full(int error_number);

/* Does an errno value say that nothing lies at a path, rather than that it cannot be looked at? */
bool pingo__error_is_absent(int error_number);

/* "out of memory": PINGO_ENOMEM. */
int pingo__fail_memory(struct pingo_error *err);

/* Puts "prefix: " before the message that is there. */
void pingo__error_prefix(struct pingo_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
