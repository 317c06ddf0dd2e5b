/* test_hook_try.c - one try to tell somebody: which URLs there are, what a program or a server answers, and that nobody is
 * waited for longer than is said. */
#include "unit/engine/box.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

#include "engine/hooks.h"

/* ---- URLs ------------------------------------------------------------------------------------ */

static void test_hook_try__a_url_is_taken_apart(void **state)
{
    static char longest[400] = "http://";
    static const struct {
        const char *url, *server, *host, *with_port, *path, *wrong;
    } rows[] = {
        {"http://h", "http://h", "h", "h", "/", NULL},
        {"https://h.example:8443/a/b?c=d&e", "https://h.example:8443", "h.example",
         "h.example:8443", "/a/b?c=d&e", NULL},
        {"http://[::1]/x", "http://[::1]", "[::1]", "[::1]", "/x", NULL},
        {"http://[::1]:80/", "http://[::1]:80", "[::1]", "[::1]:80", "/", NULL},
        {"http://h/a://b", "http://h", "h", "h", "/a://b", NULL},
        {"", NULL, NULL, NULL, NULL, "a URL begins with http:// or https://"},
        {"h/x", NULL, NULL, NULL, NULL, "a URL begins with http:// or https://"},
        {"ftp://h/", NULL, NULL, NULL, NULL, "a URL begins with http:// or https://"},
        {"HTTP://h/", NULL, NULL, NULL, NULL, "a URL begins with http:// or https://"},
        {"unix:/run/x", NULL, NULL, NULL, NULL, "a URL begins with http:// or https://"},
        {"http://h?x", NULL, NULL, NULL, NULL, "behind the host comes a /"},
        {"http://h#x", NULL, NULL, NULL, NULL, "behind the host comes a /"},
        {"http://h/#x", NULL, NULL, NULL, NULL,
         "its path has characters that must be written as %XX, or a #"},
        {"http://h/a b", NULL, NULL, NULL, NULL,
         "its path has characters that must be written as %XX, or a #"},
        {"http://h/\r\nX: y", NULL, NULL, NULL, NULL,
         "its path has characters that must be written as %XX, or a #"},
        {"http://h/\xc3\xa4", NULL, NULL, NULL, NULL,
         "its path has characters that must be written as %XX, or a #"},
        {longest, NULL, NULL, NULL, NULL, "its host is too long"},
        /* What comes before an @ is no host, whoever reads it. */
        {"http://good:80@evil/", NULL, NULL, NULL, NULL, "behind http:// or https:// come a host"},
        {"http://good@evil/", NULL, NULL, NULL, NULL, "behind http:// or https:// come a host"},
        {"http://evil\\@good/", NULL, NULL, NULL, NULL, "behind http:// or https:// come a host"},
        {"http:///x", NULL, NULL, NULL, NULL, "behind http:// or https:// come a host"},
        {"http://h:0/", NULL, NULL, NULL, NULL, "behind http:// or https:// come a host"},
        {"http://h:65536/", NULL, NULL, NULL, NULL, "behind http:// or https:// come a host"},
        {"http://h:/", NULL, NULL, NULL, NULL, "behind http:// or https:// come a host"},
    };
    struct pingo__engine_hook_place place;

    UNUSED(state);
    memset(longest + 7, 'x', 300);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *wrong = pingo__engine_hook_place(rows[i].url, &place);
        if (!wrong != !rows[i].wrong || (wrong && !strstr(wrong, rows[i].wrong)))
            fail_msg("%s: %s", rows[i].url, wrong);
        if (wrong)
            continue;
        assert_string_equal(place.server, rows[i].server);
        assert_string_equal(place.host, rows[i].host);
        assert_string_equal(place.with_port, rows[i].with_port);
        assert_string_equal(place.path, rows[i].path);
    }
}

/* ---- a program ------------------------------------------------------------------------------- */

static atomic_bool leaves;

static enum pingo__engine_hook_result try_to(struct pingo__engine_hook_try t,
                                             struct pingo_error *message)
{
    t.id = "store-17";
    t.body = t.body ? t.body : "{\"workflow\": 1}";
    t.limit_ms = t.limit_ms ? t.limit_ms : 60000;
    t.leaves = &leaves;
    strcpy(message->message, "of the time before");
    return pingo__engine_hook_do(&t, message);
}

/* A script in a directory. */
static const char *script(const char *root, const char *text)
{
    static char path[100];
    char making[104];

    snprintf(path, sizeof path, "%s/told", root);
    snprintf(making, sizeof making, "%s.new", path);
    FILE *f = fopen(making, "we");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\ncd '%s' || exit 99\n%s\n", root, text);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(making, 0700), 0);
    assert_int_equal(rename(making, path), 0);
    return path;
}

static void test_hook_try__what_becomes_of_a_program(void **state)
{
    static const struct {
        const char *script;
        int64_t limit_ms;
        enum pingo__engine_hook_result result;
        const char *said;
    } rows[] = {
        {"cat >got; printf ' %s' \"$PINGO_HOOK_ID\" >>got", 0, PINGO__HOOK_DONE, ""},
        {"echo well; exit 0", 0, PINGO__HOOK_DONE, ""}, /* who does not read it is told all the same */
        {"exit 3", 0, PINGO__HOOK_FAILED, "it ended with the status 3"},
        {"echo one >&2; echo two >&2; echo out; exit 1", 0, PINGO__HOOK_FAILED,
         "it ended with the status 1: one two"},
        {"kill -9 $$", 0, PINGO__HOOK_FAILED, "a signal ended it"},
        {"exec sleep 600", 20, PINGO__HOOK_FAILED, "it has not ended within 0 s"},
    };
    char root[] = "/tmp/pingo-unit-XXXXXX", path[64], got[64] = "";
    struct pingo_error message;

    UNUSED(state);
    assert_non_null(mkdtemp(root));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum pingo__engine_hook_result r =
            try_to((struct pingo__engine_hook_try){.way = PINGO_HOOK_COMMAND,
                                                   .target = script(root, rows[i].script),
                                                   .limit_ms = rows[i].limit_ms},
                   &message);
        if (r != rows[i].result || strcmp(message.message, rows[i].said) != 0)
            fail_msg("%s: %d %s", rows[i].script, (int)r, message.message);
    }
    snprintf(path, sizeof path, "%s/got", root);
    int fd = open(path, O_RDONLY);
    assert_true(read(fd, got, sizeof got - 1) > 0);
    close(fd);
    assert_string_equal(got, "{\"workflow\": 1} store-17");
    assert_int_equal(
        try_to((struct pingo__engine_hook_try){.way = PINGO_HOOK_COMMAND, .target = "/nowhere/told"},
               &message),
        PINGO__HOOK_FAILED);
    assert_string_equal(message.message, "it cannot be run: No such file or directory");
    atomic_store(&leaves, true); /* who leaves waits for nobody */
    assert_int_equal(
        try_to((struct pingo__engine_hook_try){.way = PINGO_HOOK_COMMAND,
                                               .target = script(root, "exec sleep 600")},
               &message),
        PINGO__HOOK_CUT);
    atomic_store(&leaves, false);
    box_remove(root);
}

/* ---- a server -------------------------------------------------------------------------------- */

struct server {
    int fd;
    int port;
    const char *answer; /* NULL: none */
    char got[2000];
    pthread_t thread;
};

/* Takes one request, whole, and answers it. */
static void *serve(void *context)
{
    struct server *s = context;
    size_t n = 0;
    int fd = accept(s->fd, NULL, NULL);

    while (fd >= 0 && !strstr(s->got, "}")) {
        ssize_t more = read(fd, s->got + n, sizeof s->got - 1 - n);
        if (more <= 0)
            break;
        n += (size_t)more;
    }
    if (s->answer && write(fd, s->answer, strlen(s->answer)) < 0)
        s->got[0] = '\0';
    if (!s->answer) /* silent until the other side leaves */
        while (read(fd, &(char){0}, 1) > 0)
            ;
    close(fd);
    return NULL;
}

static void start(struct server *s, const char *answer)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;

    *s = (struct server){.answer = answer};
    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(s->fd >= 0);
    assert_int_equal(bind(s->fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(s->fd, (struct sockaddr *)&at, &size), 0);
    assert_int_equal(listen(s->fd, 1), 0);
    s->port = ntohs(at.sin_port);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void stop(struct server *s)
{
    assert_int_equal(pthread_join(s->thread, NULL), 0);
    close(s->fd);
}

static void test_hook_try__what_a_server_answers(void **state)
{
    static const struct {
        const char *answer;
        int64_t limit_ms;
        enum pingo__engine_hook_result result;
        const char *said;
    } rows[] = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 0, PINGO__HOOK_DONE, ""},
        {"HTTP/1.1 204 No Content\r\n\r\n", 0, PINGO__HOOK_DONE, ""},
        {"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n", 0, PINGO__HOOK_FAILED,
         "it was answered with the status 500"},
        {"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", 0,
         PINGO__HOOK_FAILED, "it was answered with the status 302"}, /* nobody goes there */
        {"nonsense\r\n\r\n", 0, PINGO__HOOK_FAILED, ""},
        {NULL, 30, PINGO__HOOK_FAILED, ""},
    };
    struct pingo_error message;

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct server s;
        char url[64];
        start(&s, rows[i].answer);
        snprintf(url, sizeof url, "http://127.0.0.1:%d/ended?x=1", s.port);
        enum pingo__engine_hook_result r =
            try_to((struct pingo__engine_hook_try){.way = PINGO_HOOK_URL,
                                                   .target = url,
                                                   .hosts = "other 127.0.0.1",
                                                   .limit_ms = rows[i].limit_ms},
                   &message);
        stop(&s);
        if (r != rows[i].result || (r != PINGO__HOOK_DONE && !*message.message) ||
            !strstr(message.message, rows[i].said))
            fail_msg("row %zu: %d %s", i, (int)r, message.message);
        if (i)
            continue;
        assert_non_null(strstr(s.got, "POST /ended?x=1 HTTP/1.1\r\n"));
        assert_non_null(strstr(s.got, "Content-Type: application/json\r\n"));
        assert_non_null(strstr(s.got, "Pingo-Event: workflow.ended\r\n"));
        assert_non_null(strstr(s.got, "Idempotency-Key: store-17\r\n"));
        assert_non_null(strstr(s.got, "\r\n\r\n{\"workflow\": 1}"));
    }
}

static void test_hook_try__who_leaves_waits_for_no_server(void **state)
{
    struct server s;
    struct pingo_error message;
    char url[64];

    UNUSED(state);
    start(&s, NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", s.port);
    atomic_store(&leaves, true);
    assert_int_equal(try_to((struct pingo__engine_hook_try){.way = PINGO_HOOK_URL,
                                                            .target = url,
                                                            .hosts = "127.0.0.1"},
                            &message),
                     PINGO__HOOK_CUT);
    atomic_store(&leaves, false);
    shutdown(s.fd, SHUT_RDWR); /* perhaps nobody has come */
    stop(&s);
}

/* Nothing is sent to a host that is not listed, and it is not tried again. */
static void test_hook_try__only_to_hosts_that_are_listed(void **state)
{
    static const struct {
        const char *url, *hosts;
        enum pingo__engine_hook_result result;
        const char *said;
    } rows[] = {
        {"http://127.0.0.1:1/", "", PINGO__HOOK_REFUSED, "127.0.0.1 does not stand in hook.hosts"},
        {"http://127.0.0.1:1/", "127.0.0.2 127.0.0.11 127.0.0 127.0.0.1:2", PINGO__HOOK_REFUSED,
         "127.0.0.1 does not stand in hook.hosts"},
        {"http://127.0.0.1:1/", "127.0.0.1:11", PINGO__HOOK_REFUSED, "does not stand in"},
        {"http://LOCALHOST:1/", "localhosts", PINGO__HOOK_REFUSED, "LOCALHOST does not stand"},
        {"nothing", "nothing", PINGO__HOOK_REFUSED, "a URL begins with http:// or https://"},
        /* These may be asked, and nobody is there. */
        {"http://127.0.0.1:1/", "127.0.0.1", PINGO__HOOK_FAILED, ""},
        {"http://127.0.0.1:1/", "a b 127.0.0.1:1", PINGO__HOOK_FAILED, ""},
        {"http://LOCALHOST:1/", "localhost", PINGO__HOOK_FAILED, ""},
    };
    struct pingo_error message;

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum pingo__engine_hook_result r = try_to(
            (struct pingo__engine_hook_try){
                .way = PINGO_HOOK_URL, .target = rows[i].url, .hosts = rows[i].hosts},
            &message);
        if (r != rows[i].result || !*message.message || !strstr(message.message, rows[i].said))
            fail_msg("row %zu: %d %s", i, (int)r, message.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hook_try__a_url_is_taken_apart),
        cmocka_unit_test(test_hook_try__what_becomes_of_a_program),
        cmocka_unit_test(test_hook_try__what_a_server_answers),
        cmocka_unit_test(test_hook_try__who_leaves_waits_for_no_server),
        cmocka_unit_test(test_hook_try__only_to_hosts_that_are_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
