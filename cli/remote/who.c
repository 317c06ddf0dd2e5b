/* who.c - pingo --server: who asks, by a token, and which server is believed, by its certificate. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "remote/remote.h"

#define TOKEN_MOST 256

/* Only its owner may read a file with a token. */
static int read_token(struct cli *cli, const char *path, char token[TOKEN_MOST])
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t n = -1;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
        (st.st_mode & 077) == 0)
        n = read(fd, token, TOKEN_MOST - 1);
    else if (fd >= 0)
        errno = 0;
    int error = errno;
    pingo__file_close(fd);
    if (n < 0 && error == 0)
        return pingo__fail(
            &cli->err, PINGO_EINVAL,
            "PINGO_TOKEN_FILE: %s must be a file of yours that nobody else may read: "
            "chmod 600",
            path);
    if (n < 0)
        return pingo__fail_os(&cli->err, error, "PINGO_TOKEN_FILE", path);
    token[n] = '\0';
    token[strcspn(token, "\r\n")] = '\0';
    return 0;
}

static bool is_token(const char *text)
{
    return *text != '\0' && strlen(text) < TOKEN_MOST - 1 &&
           text[strspn(text,
                       "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~+/=")] ==
               '\0';
}

/* What goes over a network unencrypted is no secret any more. */
static bool is_local(const char *url)
{
    static const char *const hosts[] = {"localhost", "127.0.0.1", "[::1]"};
    const char *host = url + strlen("http://");
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        if (strncmp(host, hosts[i], strlen(hosts[i])) == 0 &&
            (host[strlen(hosts[i])] == ':' || host[strlen(hosts[i])] == '\0'))
            return true;
    return false;
}

int cli_remote_token(struct cli_remote *r, const char *url)
{
    struct cli *cli = r->cli;
    char file_token[TOKEN_MOST];
    const char *token = cli_environment("PINGO_TOKEN");
    const char *path = cli_environment("PINGO_TOKEN_FILE");
    int rc = 0;
    if (!token && path) {
        rc = read_token(cli, path, file_token);
        token = file_token;
    }
    if (rc || !token || r->is_socket)
        return rc;
    if (!is_token(token))
        return pingo__fail(&cli->err, PINGO_EINVAL,
                           "PINGO_TOKEN, or what PINGO_TOKEN_FILE names, is no token: pingo token "
                           "create makes one");
    if (strncmp(url, "http://", 7) == 0 && !is_local(url))
        return pingo__fail(&cli->err, PINGO_EINVAL,
                           "%s: a token is not sent unencrypted to another machine: give https://",
                           url);
    r->authorization = cli_format("Authorization: Bearer %s", token);
    return 0;
}

int cli_remote_authority(struct cli_remote *r, const char *url, const char **file)
{
    *file = strncmp(url, "https://", 8) == 0 ? cli_environment("PINGO_CACERT") : NULL;
    return *file && access(*file, R_OK) != 0
               ? pingo__fail_os(&r->cli->err, errno, "PINGO_CACERT names it, and it cannot be read",
                                *file)
               : 0;
}
