/* error.c - the list of errors, and filling in struct pingo_error.
 *
 * What always holds: a message is one line of valid UTF-8 that ends with NUL,
 * whatever was put into it; what does not fit is cut at a character. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const struct {
    int code;
    const char *name;
    const char *text;
} error_list[] = {
    {PINGO_OK, "PINGO_OK", "no error"},
    {PINGO_ENOMEM, "PINGO_ENOMEM", "out of memory"},
    {PINGO_EINVAL, "PINGO_EINVAL", "an argument breaks the function's contract"},
    {PINGO_EWORKFLOW, "PINGO_EWORKFLOW", "the workflow breaks a rule"},
    {PINGO_ENOSTORE, "PINGO_ENOSTORE", "there is no store here"},
    {PINGO_ESTORE, "PINGO_ESTORE", "the store cannot be used"},
    {PINGO_EVERSION, "PINGO_EVERSION", "made for another version"},
    {PINGO_EBUSY, "PINGO_EBUSY", "the store's lock was not had in time"},
    {PINGO_EIO, "PINGO_EIO", "the operating system refused"},
    {PINGO_ENOTFOUND, "PINGO_ENOTFOUND", "no such thing"},
    {PINGO_EEXISTS, "PINGO_EEXISTS", "it is there already"},
    {PINGO_EINPUT, "PINGO_EINPUT",
     "an original dataset is missing, unreadable or of a forbidden kind"},
    {PINGO_ECOLLISION, "PINGO_ECOLLISION", "equal hashes, unequal descriptions"},
    {PINGO_ESTALE, "PINGO_ESTALE", "the attempt was given up"},
    {PINGO_ENOSPACE, "PINGO_ENOSPACE", "the file system is full and nothing can go"},
    {PINGO_ELIMIT, "PINGO_ELIMIT", "the input is larger than a configured limit"},
    {PINGO_ECLAIMED, "PINGO_ECLAIMED", "the dataset is claimed by an unfinished action"},
    {PINGO_EUNSUPPORTED, "PINGO_EUNSUPPORTED", "this build or this platform cannot do it"},
    {PINGO_EAMBIGUOUS, "PINGO_EAMBIGUOUS", "it names more than one thing"},
    {PINGO_EEXECUTOR, "PINGO_EEXECUTOR", "an executor could not be reached or refused the job"},
    {PINGO_ESTATE, "PINGO_ESTATE", "the object's state does not allow it"},
    {PINGO_ECORRUPT, "PINGO_ECORRUPT", "stored bytes do not read back as they were written"},
    {PINGO_EINTERRUPTED, "PINGO_EINTERRUPTED", "a callback asked to stop"},
    {PINGO_EAWAY, "PINGO_EAWAY", "what is asked does not answer, or cannot be looked at, now"},
    {PINGO_EKEY, "PINGO_EKEY", "the key of the request stands for another request"},
    {PINGO_EPENDING, "PINGO_EPENDING", "a request with this key is being worked on"},
    {PINGO_EFORBIDDEN, "PINGO_EFORBIDDEN", "this user may not do it"},
    {PINGO_EQUOTA, "PINGO_EQUOTA", "this user has as much as he may have"},
};

const char *pingo_error_name(int code)
{
    for (size_t i = 0; i < sizeof error_list / sizeof error_list[0]; i++)
        if (error_list[i].code == code)
            return error_list[i].name;
    return "PINGO_E?";
}

const char *pingo_error_text(int code)
{
    for (size_t i = 0; i < sizeof error_list / sizeof error_list[0]; i++)
        if (error_list[i].code == code)
            return error_list[i].text;
    return "unknown error";
}

/* Copies text into the message: one line, valid UTF-8, cut at a character. */
static void set_message(struct pingo_error *err, const char *text)
{
    size_t length = strlen(text), used = 0;
    for (size_t i = 0; i < length;) {
        size_t n = pingo__text_utf8_next(text + i, length - i);
        bool plain = n > 1 || (n == 1 && (unsigned char)text[i] >= 0x20 && text[i] != 0x7f);
        if (used + (plain ? n : 1) >= sizeof err->message)
            break;
        if (plain) {
            memcpy(err->message + used, text + i, n);
            used += n;
            i += n;
        } else {
            err->message[used++] = text[i] == '\n' ? ' ' : '?';
            i++;
        }
    }
    err->message[used] = '\0';
}

/* Room for two long paths and what is said of them. */
#define SCRATCH_SIZE 10240
#define GAP "..."

/* What is too long loses its middle, at characters: the place stands at the beginning, the reason at the end. */
static void shorten(char *text)
{
    size_t length = strlen(text), room = PINGO_ERROR_MESSAGE_SIZE - sizeof GAP;
    size_t head = room / 2;
    if (length < PINGO_ERROR_MESSAGE_SIZE)
        return;
    while (head > room / 2 - 3 && pingo__text_is_inside(text[head]))
        head--;
    size_t tail = length - (room - head);
    for (int i = 0; i < 3 && pingo__text_is_inside(text[tail]); i++)
        tail++;
    memcpy(text + head, GAP, sizeof GAP - 1);
    memmove(text + head + sizeof GAP - 1, text + tail, length - tail + 1);
}

int pingo__fail(struct pingo_error *err, int code, const char *format, ...)
{
    va_list args;
    if (!err)
        return code;
    va_start(args, format);
    char text[SCRATCH_SIZE];
    if (vsnprintf(text, sizeof text, format, args) < 0)
        text[0] = '\0';
    va_end(args);
    err->code = code;
    shorten(text);
    set_message(err, text);
    return code;
}

bool pingo__error_is_full(int error_number)
{
    return error_number == ENOSPC || error_number == EDQUOT;
}

bool pingo__error_is_absent(int error_number)
{
    return error_number == ENOENT || error_number == ENOTDIR || error_number == ELOOP ||
           error_number == ENAMETOOLONG;
}

int pingo__fail_os(struct pingo_error *err, int error_number, const char *what, const char *path)
{
    char reason[128];
    int code = PINGO_EIO;
    if (error_number == ENOMEM)
        code = PINGO_ENOMEM;
    else if (pingo__error_is_full(error_number))
        code = PINGO_ENOSPACE;
    /* The GNU strerror_r: no locale of ours, no shared buffer. */
    return pingo__fail(err, code, "%s: %s: %s", path, what,
                       strerror_r(error_number, reason, sizeof reason));
}

int pingo__fail_memory(struct pingo_error *err)
{
    return pingo__fail(err, PINGO_ENOMEM, "out of memory");
}

void pingo__error_prefix(struct pingo_error *err, const char *format, ...)
{
    char prefix[SCRATCH_SIZE - PINGO_ERROR_MESSAGE_SIZE - 8], message[PINGO_ERROR_MESSAGE_SIZE];
    va_list args;
    if (!err)
        return;
    va_start(args, format);
    int n = vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);
    memcpy(message, err->message, sizeof message);
    if (n >= 0)
        pingo__fail(err, err->code, "%s: %s", prefix, message);
}
