/* error.h - the one list of errors.
 *
 * Every fallible function returns int: 0 or a negative PINGO_E*.  Its last
 * parameter, but for a few whose number says all, is a `struct pingo_error *`
 * that may be NULL; it is filled in only when the function fails.  The struct has
 * a fixed size, so reporting an error never allocates.  Numbers are never used
 * again for another meaning. */
#ifndef PINGO_ERROR_H
#define PINGO_ERROR_H

#include <pingo/version.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pingo_error_code {
    PINGO_OK = 0,           /* nothing failed */
    PINGO_ENOMEM = -1,      /* out of memory */
    PINGO_EINVAL = -2,      /* an argument breaks the function's contract */
    PINGO_EWORKFLOW = -3,   /* the workflow breaks a rule; see the problems */
    PINGO_ENOSTORE = -4,    /* there is no store here */
    PINGO_ESTORE = -5,      /* the store cannot be used: damaged, wrong place, no permission */
    PINGO_EVERSION = -6,    /* the store or a plug-in was made for another version */
    PINGO_EBUSY = -7,       /* the store's lock was not had within lock_timeout_ms */
    PINGO_EIO = -8,         /* the operating system refused; the message names the path */
    PINGO_ENOTFOUND = -9,   /* no such workflow, action, dataset or key */
    PINGO_EEXISTS = -10,    /* the thing to be made is there already */
    PINGO_EINPUT = -11,     /* an original dataset is missing, unreadable or of a forbidden kind */
    PINGO_ECOLLISION = -12, /* equal hashes, unequal descriptions */
    PINGO_ESTALE = -13,     /* (action, epoch) is not current: the attempt was given up */
    PINGO_ENOSPACE = -14,   /* the pool's file system is full and nothing can go */
    PINGO_ELIMIT = -15,     /* the input is larger than a configured limit */
    PINGO_ECLAIMED = -16,   /* the dataset is claimed by an unfinished action */
    PINGO_EUNSUPPORTED = -17, /* this build or this platform cannot do it */
    PINGO_EAMBIGUOUS = -18,   /* a name or prefix names more than one thing */
    PINGO_EEXECUTOR = -19,    /* an executor could not be reached or refused the job */
    PINGO_ESTATE = -20,       /* the object's state does not allow it */
    PINGO_ECORRUPT = -21,     /* bytes that Pingo wrote do not read back as it wrote them */
    PINGO_EINTERRUPTED = -22, /* a callback asked to stop */
    PINGO_EAWAY =
        -23, /* what is asked does not answer, or cannot be looked at, now; it is asked again */
    PINGO_EKEY = -24,       /* the key of the request stands for another request */
    PINGO_EPENDING = -25,   /* a request with this key is being worked on */
    PINGO_EFORBIDDEN = -26, /* whoever the handle works for may not do it */
    PINGO_EQUOTA = -27      /* the user has as much as he may have */
};

#define PINGO_ERROR_MESSAGE_SIZE 1024 /* bytes of a message with its NUL */

/* Fixed: it never grows. */
struct pingo_error {
    int code;                               /* a PINGO_E*; 0 when nothing failed */
    char message[PINGO_ERROR_MESSAGE_SIZE]; /* one line, UTF-8, ends with NUL */
};

/* The symbol of a code, such as "PINGO_EBUSY"; "PINGO_E?" for unknown ones.
 * Static text, never NULL.  Any thread. */
PINGO_API const char *pingo_error_name(int code);

/* What a code means in one English phrase.  Static text, never NULL.  Any thread. */
PINGO_API const char *pingo_error_text(int code);

#ifdef __cplusplus
}
#endif
#endif
