/* token.c - delegation tokens: what WebHDFS gives, and what Hadoop's own programs find.
 *
 * A token is base64url of four texts, each behind its length: an identifier, a password, a kind and a service.  WebHDFS
 * marks what it gives as its own kind, and who speaks to the NameNode's other port passes that over; the NameNode makes
 * no difference. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/text.h"
#include "hdfs/inside.h"

#define KIND "HDFS_DELEGATION_TOKEN"
#define NAMESERVICE "ha-hdfs:"
#define FIELDS 4
#define TOKEN_MOST 65536

/* Hadoop's variable length: a byte, or how many follow (-113: one, ... -120: eight), the highest first. */
static bool read_length(const unsigned char **at, size_t *left, size_t *length)
{
    int first = *left > 0 ? (signed char)**at : -1;
    size_t nbytes = first >= 0 ? 0 : (size_t)(-112 - first);
    if (first < -114 || (first < 0 && first > -113) || *left < nbytes + 1)
        return false; /* or longer than any token */
    *length = first >= 0 ? (size_t)first : 0;
    for (size_t i = 0; i < nbytes; i++)
        *length = *length << 8 | (*at)[1 + i];
    *at += nbytes + 1;
    *left -= nbytes + 1;
    return *length <= *left;
}

/* Where each of them ends. */
static bool find_fields(const unsigned char *bytes, size_t n, const unsigned char *ends[FIELDS])
{
    for (int i = 0; i < FIELDS; i++) {
        size_t length;
        if (!read_length(&bytes, &n, &length))
            return false;
        ends[i] = bytes += length;
        n -= length;
    }
    return n == 0;
}

static void put_field(struct pingo__buffer *b, const void *bytes, size_t n)
{
    if (n > 255)
        pingo__buffer_u8(b, (unsigned char)-114);
    else if (n > 127)
        pingo__buffer_u8(b, (unsigned char)-113);
    if (n > 255)
        pingo__buffer_u8(b, (unsigned char)(n >> 8));
    pingo__buffer_u8(b, (unsigned char)n);
    pingo__buffer_append(b, bytes, n);
}

int pingo__hdfs_token_for_hadoop(const char *token, const char *nameservice, char **out,
                                 struct pingo_error *err)
{
    struct pingo__buffer bytes = {0}, text = {0}, service = {0};
    const unsigned char *ends[FIELDS];
    size_t n = strlen(token);
    *out = NULL;
    unsigned char *decoded = n < TOKEN_MOST ? malloc(n + 1) : NULL;
    if (n < TOKEN_MOST && !decoded)
        return pingo__fail_memory(err);
    if (!decoded || !find_fields(decoded, pingo__text_from_base64url(token, decoded, n), ends)) {
        free(decoded);
        return pingo__hdfs_not_understood("a delegation token", err);
    }
    pingo__buffer_append(&bytes, decoded, (size_t)(ends[1] - decoded));
    put_field(&bytes, KIND, strlen(KIND));
    if (nameservice) {
        pingo__buffer_format(&service, NAMESERVICE "%s", nameservice);
        put_field(&bytes, service.data, service.length);
    } else
        pingo__buffer_append(&bytes, ends[2], (size_t)(ends[3] - ends[2]));
    pingo__text_base64url(&text, bytes.data, bytes.length);
    text.failed = text.failed || bytes.failed || service.failed;
    *out = text.failed ? NULL : pingo__buffer_take(&text);
    pingo__buffer_clear(&text);
    pingo__buffer_clear(&bytes);
    pingo__buffer_clear(&service);
    free(decoded);
    return *out ? 0 : pingo__fail_memory(err);
}
