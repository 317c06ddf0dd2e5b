/* test_place.c - STORE/executor: where a supervisor is met and how it is started. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/tree.h"
#include "executor/local/place.h"

static char store[64];

static int set_up(void **state)
{
    (void)state;
    strcpy(store, "/tmp/pingo-place-XXXXXX");
    return mkdtemp(store) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return pingo__tree_remove(AT_FDCWD, store);
}

static void test_place__a_store_whose_path_is_too_long_for_a_socket(void **state)
{
    char deep[300];
    struct stat st;
    (void)state;
    snprintf(deep, sizeof deep, "%s/%0200d", store, 0);
    assert_int_equal(mkdir(deep, 0700), 0);
    assert_int_equal(pingo__executor_place_open(deep, false, NULL), PINGO_ENOTFOUND);
    int dir = pingo__executor_place_open(deep, true, NULL);
    assert_true(dir >= 0);
    assert_int_equal(pingo__executor_place_connect(dir), -ENOENT);
    int listener = pingo__executor_place_listen(dir);
    assert_true(listener >= 0);
    assert_int_equal(fstatat(dir, PINGO__PLACE_SOCKET, &st, 0), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    int fd = pingo__executor_place_connect(dir);
    assert_true(fd >= 0);
    assert_true(pingo__executor_place_peer_is_self(fd));
    assert_int_equal(pingo__executor_place_peer(fd), getpid());
    close(fd);
    close(listener);
    assert_int_equal(pingo__executor_place_connect(dir), -ECONNREFUSED);
    listener = pingo__executor_place_listen(dir); /* in the place of the one before */
    assert_true(listener >= 0);
    close(listener);
    close(dir);
}

/* What a helper finds: its arguments, no secrets, nothing to read, and a pipe to say how it goes. */
static void test_place__a_helper_is_started(void **state)
{
    char helper[128], text[600];
    struct pollfd polled = {-1, POLLIN, 0};
    size_t n = 0;
    (void)state;
    snprintf(helper, sizeof helper, "%s/helper", store);
    assert_int_equal(pingo__executor_place_check(helper, NULL), PINGO_EEXECUTOR);
    int fd = open(helper, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
    dprintf(fd, "#!/bin/sh\necho $1 $2 $SECRET $PATH $LD_TEST >&3\n"
                "read x && echo bad >&3; echo unseen\n");
    close(fd);
    assert_int_equal(pingo__executor_place_check(helper, NULL), 0);
    setenv("SECRET", "secret", 1);
    setenv("LD_TEST", "kept", 1);
    assert_int_equal(pingo__executor_place_spawn(helper, "/a store", "/a pool", &polled.fd, NULL),
                     0);
    for (ssize_t got = 1; got > 0; n += got > 0 ? (size_t)got : 0) {
        assert_int_equal(poll(&polled, 1, 300000), 1);
        got = read(polled.fd, text + n, sizeof text - 1 - n);
    }
    text[n] = '\0';
    close(polled.fd);
    assert_string_equal(text, "/a store /a pool /usr/local/bin:/usr/bin:/bin kept\n");
    assert_true(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD); /* it was waited for */
    struct pingo_error err = {0};
    assert_int_equal(chmod(helper, 0600), 0);
    assert_int_equal(pingo__executor_place_spawn(helper, "/a", "/b", &polled.fd, &err),
                     PINGO_EEXECUTOR);
    assert_non_null(strstr(err.message, helper));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_place__a_store_whose_path_is_too_long_for_a_socket,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_place__a_helper_is_started, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
