/* answers.c - what NameNodes and DataNodes say, read as if they were hostile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "hdfs/inside.h"

const struct pingo__json_value *pingo__hdfs_json_open(struct pingo__json_reader *j,
                                                      const struct pingo__buffer *text)
{
    pingo__json_reader_open(j, text->data ? text->data : "", text->length, "an answer", NULL);
    return pingo__json_reader_value(j, j->document.offset, "");
}

int64_t pingo__hdfs_json_number(struct pingo__json_reader *j, const struct pingo__json_value *v,
                                const char *keys)
{
    return pingo__json_integer_at(&j->element, v, keys, -1);
}

bool pingo__hdfs_json_status(struct pingo__json_reader *j, const struct pingo__json_value *v,
                             struct pingo__hdfs_status *status)
{
    const char *type = pingo__json_text_at(v, "type", ""),
               *mode = pingo__json_text_at(v, "permission", "0");
    *status =
        (struct pingo__hdfs_status){.exists = true,
                                    .file_id = pingo__hdfs_json_number(j, v, "fileId"),
                                    .length = pingo__hdfs_json_number(j, v, "length"),
                                    .mtime_ms = pingo__hdfs_json_number(j, v, "modificationTime"),
                                    .replicas = pingo__hdfs_json_number(j, v, "replication"),
                                    .mode = (unsigned)strtoul(mode, NULL, 8) & 07777,
                                    .is_directory = strcmp(type, "DIRECTORY") == 0,
                                    .is_link = strcmp(type, "SYMLINK") == 0};
    return *type && status->file_id >= 0 && status->length >= 0 && status->mtime_ms >= 0;
}

int pingo__hdfs_not_understood(const char *path, struct pingo_error *err)
{
    return pingo__fail(err, PINGO_EIO, "%s: who answered does not speak WebHDFS as a NameNode does",
                       path);
}

/* ---- refusals --------------------------------------------------------------------------------- */

static const struct {
    const char *exception;
    enum pingo__hdfs_refusal refusal;
    int rc;
} meanings[] = {
    {"FileNotFoundException", PINGO__HDFS_FINAL, PINGO_ENOTFOUND},
    {"FileAlreadyExistsException", PINGO__HDFS_FINAL, PINGO_EEXISTS},
    {"ParentNotDirectoryException", PINGO__HDFS_FINAL, PINGO_EEXISTS},
    {"PathIsNotEmptyDirectoryException", PINGO__HDFS_FINAL, PINGO_EEXISTS},
    {"AlreadyBeingCreatedException", PINGO__HDFS_FINAL, PINGO_EEXISTS},
    {"DSQuotaExceededException", PINGO__HDFS_FINAL, PINGO_ENOSPACE},
    {"NSQuotaExceededException", PINGO__HDFS_FINAL, PINGO_ENOSPACE},
    {"QuotaExceededException", PINGO__HDFS_FINAL, PINGO_ENOSPACE},
    {"QuotaByStorageTypeExceededException", PINGO__HDFS_FINAL, PINGO_ENOSPACE},
    {"ClusterStorageCapacityExceededException", PINGO__HDFS_FINAL, PINGO_ENOSPACE},
    {"InvalidPathException", PINGO__HDFS_FINAL, PINGO_EINVAL},
    {"PathComponentTooLongException", PINGO__HDFS_FINAL, PINGO_EINVAL},
    {"StandbyException", PINGO__HDFS_STANDBY, PINGO_ESTATE},
    {"ObserverRetryOnActiveException", PINGO__HDFS_STANDBY, PINGO_ESTATE},
    {"RetriableException", PINGO__HDFS_LATER, PINGO_ESTATE},
    {"SafeModeException", PINGO__HDFS_LATER, PINGO_ESTATE},
    {"ConnectException", PINGO__HDFS_LATER, PINGO_EAWAY},
    {"SocketTimeoutException", PINGO__HDFS_LATER, PINGO_EAWAY},
    {"SocketException", PINGO__HDFS_LATER, PINGO_EAWAY},
    {"EOFException", PINGO__HDFS_LATER, PINGO_EAWAY}, /* a DataNode's NameNode has died */
    {"NoRouteToHostException", PINGO__HDFS_LATER, PINGO_EAWAY},
    {"UnknownHostException", PINGO__HDFS_LATER, PINGO_EAWAY},
};

/* Of an exception that says more by its words than by its name.  To who is no superuser it is a question of leave
 * whether something lies below a file. */
static enum pingo__hdfs_refusal by_words(const char *message, int *rc)
{
    bool is_below_file = strstr(message, "(is not a directory)");
    bool is_full = strstr(message, "could only be written to 0 of the") ||
                   strstr(message, "could only be replicated to 0 nodes");
    bool is_away = strstr(message, "There are 0 datanode(s) running") ||
                   strstr(message, "Failed to find datanode");
    bool is_lost = strstr(message, "No active nodes contain this block") ||
                   strstr(message, "Fail to get block ") ||
                   strstr(message, "Could not obtain block");
    *rc = is_away         ? PINGO_EAWAY
          : is_lost       ? PINGO_EINPUT
          : is_full       ? PINGO_ENOSPACE
          : is_below_file ? PINGO_EEXISTS
                          : PINGO_EIO;
    return is_away ? PINGO__HDFS_LATER : PINGO__HDFS_FINAL;
}

/* The first line of it: behind that comes a stack of Java's.  Whoever answers may be anybody: a terminal shows it. */
static const char *line_of(char *line, size_t size, const char *text)
{
    char first[512];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(text, "\n"), text);
    pingo__text_clean_to(line, size, first);
    return line;
}

/* "WORDS (EXCEPTION)", or the exception alone. */
static void explain(const char *message, const char *exception, char why[512])
{
    char words[381], name[101];
    bool is_said = *line_of(words, sizeof words, message);
    line_of(name, sizeof name, exception);
    snprintf(why, 512, "%s%s%s%s", words, is_said ? " (" : "", name, is_said ? ")" : "");
}

enum pingo__hdfs_refusal pingo__hdfs_refused(const struct pingo__hdfs_answer *a, int *rc,
                                             char why[512])
{
    struct pingo__json_reader j;
    const struct pingo__json_value *v =
        pingo__json_at(pingo__hdfs_json_open(&j, &a->body), "RemoteException");
    const char *exception = pingo__json_text_at(v, "exception", NULL),
               *message = pingo__json_text_at(v, "message", "");
    enum pingo__hdfs_refusal refusal = PINGO__HDFS_FINAL;
    *rc = PINGO_EIO;
    if (exception) {
        size_t i = 0, n = sizeof meanings / sizeof *meanings;
        while (i < n && strcmp(meanings[i].exception, exception) != 0)
            i++;
        refusal = i < n ? meanings[i].refusal : by_words(message, rc);
        *rc = i < n ? meanings[i].rc : *rc;
        explain(message, exception, why);
    } else if (a->status == 401) {
        snprintf(why, 512,
                 "the cluster asks for Kerberos, and takes no ticket of ours: kinit, or a "
                 "key table, gives one%s%s%s",
                 *a->no_ticket ? " (" : "", a->no_ticket, *a->no_ticket ? ")" : "");
    } else {
        refusal = a->status >= 502 ? PINGO__HDFS_LATER : PINGO__HDFS_FINAL;
        *rc = a->status >= 502 ? PINGO_EAWAY : PINGO_EIO;
        snprintf(why, 512, "answered %d, without words of WebHDFS", a->status);
    }
    pingo__json_reader_clear(&j);
    return refusal;
}
