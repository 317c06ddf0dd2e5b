/* The sandbox: what a confined command can do and cannot, as root too; small originals are copies. */
#include "base/sandbox.h"
#include "digest/sha256.h"
#include "unit/executor/harness.h"

static void write_file(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

/* What a script may do and may not, one line each; it says what it could. */
static const char tries[] =
    "try() { if ( eval \"$1\" ) 2>/dev/null; then echo \"can $1\"; else echo \"no $1\"; fi; }\n"
    "exec >output\n"
    "try 'cat in/x >/dev/null'; try 'echo y >>in/x'; try 'rm $(readlink in/x)'\n"
    "try 'cat in/d/f >/dev/null'; try 'ls in/d/ >/dev/null'; try '>in/d/new'\n"
    "try 'cat $outside/file >/dev/null'; try 'ls $outside >/dev/null'; try '>$outside/new'\n"
    "try 'mv $outside/file $outside/moved'; try 'ln $outside/file here'\n"
    "try 'cat $outside/listed/f >/dev/null'; try '>$outside/listed/f'; try '$outside/tool'\n"
    "try '>/tmp/pingo-test-evil'; try '>/dev/shm/pingo-test-evil'; try '>/etc/pingo-test-evil'\n"
    "try '>../stray'; try 'mkdir a b; >a/f; mv a/f b/f'; try '>$TMPDIR/f; mv $TMPDIR/f .'\n"
    "try 'echo x >/dev/null'; try 'head -c 1 /dev/urandom >/dev/null'; try 'echo said "
    ">/dev/stderr'\n"
    "try 'cat /proc/self/status >/dev/null'; try 'cp /bin/true t; ./t'\n"
    "echo said >/dev/stderr\n";

static const char allowed[] =
    "can cat in/x >/dev/null\nno echo y >>in/x\nno rm $(readlink in/x)\n"
    "can cat in/d/f >/dev/null\ncan ls in/d/ >/dev/null\nno >in/d/new\n"
    "no cat $outside/file >/dev/null\nno ls $outside >/dev/null\nno >$outside/new\n"
    "no mv $outside/file $outside/moved\nno ln $outside/file here\n"
    "can cat $outside/listed/f >/dev/null\nno >$outside/listed/f\ncan $outside/tool\n"
    "no >/tmp/pingo-test-evil\nno >/dev/shm/pingo-test-evil\nno >/etc/pingo-test-evil\n"
    "no >../stray\ncan mkdir a b; >a/f; mv a/f b/f\ncan >$TMPDIR/f; mv $TMPDIR/f .\n"
    "can echo x >/dev/null\ncan head -c 1 /dev/urandom >/dev/null\ncan echo said >/dev/stderr\n"
    "can cat /proc/self/status >/dev/null\ncan cp /bin/true t; ./t\n";

struct outside { /* beside the pool: a file, a directory, a tool; what is listed of it may be read */
    char env[96], x[120], d[120], listed[120], tool[120];
    const char *envs[3];
    struct pingo_job_link links[2];
    const char *readable[3];
};

static void make_outside(const struct box *b, struct outside *o)
{
    char path[160];
    snprintf(o->env, sizeof o->env, "outside=%s/outside", b->root);
    const char *root = o->env + strlen("outside=");
    snprintf(o->x, sizeof o->x, "%s/x", root);
    snprintf(o->d, sizeof o->d, "%s/d", root);
    snprintf(o->listed, sizeof o->listed, "%s/listed", root);
    snprintf(o->tool, sizeof o->tool, "%s/tool", root);
    assert_int_equal(mkdir(root, 0755) | mkdir(o->d, 0755) | mkdir(o->listed, 0755), 0);
    snprintf(path, sizeof path, "%s/file", root);
    write_file(path, "secret\n", 0644);
    snprintf(path, sizeof path, "%s/f", o->d);
    write_file(path, "f\n", 0644);
    snprintf(path, sizeof path, "%s/f", o->listed);
    write_file(path, "f\n", 0644);
    write_file(o->x, "x\n", 0644);
    write_file(o->tool, "#!/bin/sh\nexit 0\n", 0755);
    o->envs[0] = "PATH=/usr/bin:/bin";
    o->envs[1] = o->env;
    o->envs[2] = NULL;
    o->links[0] = (struct pingo_job_link){.name = "x", .target = o->x};
    o->links[1] = (struct pingo_job_link){.name = "d", .target = o->d};
    o->readable[0] = o->listed;
    o->readable[1] = o->tool;
    o->readable[2] = NULL;
}

static void test_local_sandbox__what_is_allowed_and_nothing_else(void **state)
{
    struct outside o;
    struct box b;
    (void)state;
    if (pingo__sandbox_abi() < 3)
        skip();
    box_open(&b);
    make_outside(&b, &o);
    struct spec spec = {.action = 1,
                        .script = tries,
                        .env = o.envs,
                        .links = o.links,
                        .nlinks = 2,
                        .readable = o.readable,
                        .confine = true};
    struct pingo_job_end *end = box_run(&b, &spec);
    assert_true(pingo_job_end_is_success(end));
    assert_true(end->confined);
    assert_false(end->denied);
    box_expect_text(&b, "staged/1.1", allowed);
    box_expect_text(&b, "attempts/1.1/stderr", "said\n");
    assert_int_equal(access("/tmp/pingo-test-evil", F_OK), -1);
    /* Not confined, the same can more. */
    spec.action = 2;
    spec.confine = false;
    spec.script = "cat $outside/file >output";
    end = box_run(&b, &spec);
    assert_true(pingo_job_end_is_success(end));
    assert_false(end->confined);
    box_close(&b);
}

static void test_local_sandbox__a_denial_is_told(void **state)
{
    struct box b;
    (void)state;
    if (pingo__sandbox_abi() < 1)
        skip();
    box_open(&b);
    struct spec spec = {.action = 1, .confine = true, .script = "echo x >/dev/shm/pingo-evil"};
    struct pingo_job_end *end = box_run(&b, &spec);
    assert_true(end->denied && end->confined && end->exit_code != 0);
    assert_non_null(strstr(end->message, "the sandbox may have denied it"));
    spec =
        (struct spec){.action = 2, .confine = true, .script = "unshare -m true && echo x >output"};
    end = box_run(&b, &spec);
    if (end->exit_code != 0)
        assert_true(end->denied);
    spec = (struct spec){.action = 3, .confine = true, .script = "mkdir m; mount -t tmpfs x m"};
    end = box_run(&b, &spec);
    assert_true(end->denied && end->exit_code != 0);
    assert_non_null(strstr(end->message, "\"sandbox\": false"));
    spec = (struct spec){.action = 4, .confine = true, .script = "exit 3"};
    end = box_run(&b, &spec);
    assert_true(end->confined && !end->denied && end->message[0] == '\0');
    box_close(&b);
}

/* Beyond some hundred inputs the pool's objects can be read as a whole, and nothing else. */
static void test_local_sandbox__a_thousand_inputs(void **state)
{
    enum { N = 1000 };
    struct pingo_job_link *links = calloc(N, sizeof *links);
    char(*names)[16] = calloc(N, sizeof *names), (*targets)[160] = calloc(N, sizeof *targets);
    char path[160];
    struct box b;
    (void)state;
    if (pingo__sandbox_abi() < 1)
        skip();
    box_open(&b);
    snprintf(path, sizeof path, "%s/objects", b.pool);
    mkdir(path, 0755);
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "%03d", i);
        /* Every tenth lies elsewhere. */
        snprintf(targets[i], sizeof targets[i], "%s/%s%d", i % 10 == 0 ? b.root : b.pool,
                 i % 10 == 0 ? "o" : "objects/o", i);
        write_file(targets[i], "x", 0444);
        links[i] = (struct pingo_job_link){.name = names[i], .target = targets[i]};
    }
    struct spec spec = {.action = 1,
                        .confine = true,
                        .links = links,
                        .nlinks = N,
                        .script = "cat in/* >output; ls $(dirname $(readlink in/001)) >/dev/null; "
                                  "! echo y >>in/001 || exit 4; ! cat ../../../stray || exit 5"};
    snprintf(path, sizeof path, "%s/stray", b.root);
    write_file(path, "stray", 0644);
    struct pingo_job_end *end = box_run(&b, &spec);
    assert_true(pingo_job_end_is_success(end));
    assert_int_equal(end->size_bytes, N);
    box_close(&b);
    free(links);
    free(names);
    free(targets);
}

/* ---- copies -------------------------------------------------------------------------- */

static void expect(struct box *b, const struct spec *spec, const char *text)
{
    char part[64];
    struct pingo_job_end *end = box_run(b, spec);
    if (!pingo_job_end_is_success(end))
        fail_msg("%lld: reason %d, exit %d: %s", (long long)spec->action, end->reason,
                 end->exit_code, end->message);
    snprintf(part, sizeof part, "staged/%lld.1", (long long)spec->action);
    box_expect_text(b, part, text);
}

static void test_local_sandbox__small_originals_are_copied(void **state)
{
    struct outside o;
    struct pingo_hash content;
    struct box b;
    (void)state;
    box_open(&b);
    make_outside(&b, &o);
    pingo__digest_sha256("x\n", 2, &content);
    assert_int_equal(chmod(o.x, 0750), 0);
    const struct pingo_job_link links[] = {
        {.name = "x", .target = o.x, .copy = true, .content = &content},
        {.name = "d", .target = o.d, .copy = true},
        {.name = "absent", .target = "/nowhere", .copy = true}};
    struct spec spec = {.action = 1, .links = links, .nlinks = 3};
    spec.script = "stat -c '%N %F %a' in/x | sed 's/^[^ ]* //' >output; test -L in/d; "
                  "test -L in/absent; cat in/x >>output; chmod 666 in/x; echo evil >in/x";
    expect(&b, &spec, "regular file 555\nx\n");
    /* What the last command made of its copy is not what the next one gets. */
    spec.action = 2;
    spec.script = "stat -c %a in/x >output; cat in/x >>output; rm in/x; ln -s /etc/passwd in/x";
    expect(&b, &spec, "555\nx\n");
    spec.action = 3;
    spec.script = "cat in/x >output; mkdir -p e; mv in/x e; mkdir in/x";
    expect(&b, &spec, "x\n");
    spec.action = 4;
    spec.script = "cat in/x >output; stat -c %Y in/x >>output";
    char text[64];
    struct stat st;
    assert_int_equal(stat(o.x, &st), 0);
    snprintf(text, sizeof text, "x\n%lld\n", (long long)st.st_mtime);
    expect(&b, &spec, text);
    /* The original is as it was. */
    spec = (struct spec){.action = 5, .env = o.envs, .script = "cat $outside/x >output"};
    expect(&b, &spec, "x\n");
    box_close(&b);
}

static void test_local_sandbox__a_copy_is_what_was_hashed(void **state)
{
    struct outside o;
    struct pingo_hash content;
    struct box b;
    (void)state;
    box_open(&b);
    make_outside(&b, &o);
    pingo__digest_sha256("another\n", 8, &content);
    const struct pingo_job_link link = {
        .name = "x", .target = o.x, .copy = true, .content = &content};
    struct spec spec = {
        .action = 1, .links = &link, .nlinks = 1, .script = "touch ../../../ran; cat in/x >output"};
    char path[160];
    struct pingo_job_end *end = box_run(&b, &spec);
    assert_int_equal(end->reason, PINGO_END_NOT_STARTED);
    assert_non_null(strstr(end->message, "in/x changed"));
    snprintf(path, sizeof path, "%s/ran", b.root);
    assert_int_equal(access(path, F_OK), -1);
    box_close(&b);
}

static void test_local_sandbox__large_ones_are_links_and_names_have_folders(void **state)
{
    struct outside o;
    struct box b;
    (void)state;
    box_open(&b);
    make_outside(&b, &o);
    const struct pingo_job_link links[] = {{.name = "include/sub/x.h", .target = o.x, .copy = true},
                                           {.name = "include/big", .target = o.listed, .copy = true},
                                           {.name = "include/sub/d", .target = o.d},
                                           {.name = "top", .target = o.x}};
    for (int64_t i = 1; i <= 2; i++)
        expect(&b,
               &(struct spec){.action = i,
                              .links = links,
                              .nlinks = 4,
                              .script = "find in -type f >output; find in -type l | sort >>output; "
                                        "cat in/include/sub/x.h >>output"},
               "in/include/sub/x.h\nin/include/big\nin/include/sub/d\nin/top\nx\n");
    /* One byte too many. */
    assert_int_equal(truncate(o.x, PINGO_JOB_COPY_MAX), 0);
    expect(&b,
           &(struct spec){.action = 3,
                          .links = links,
                          .nlinks = 1,
                          .script = "test ! -L in/*/*/x.h; echo $? >output"},
           "0\n");
    assert_int_equal(truncate(o.x, PINGO_JOB_COPY_MAX + 1), 0);
    expect(&b,
           &(struct spec){.action = 4,
                          .links = links,
                          .nlinks = 1,
                          .script = "test -L in/*/*/x.h; echo $? >output"},
           "0\n");
    const struct pingo_job_link wrong[] = {{.name = "a/../../evil", .target = o.x, .copy = true}};
    struct pingo_job_end *end =
        box_run(&b, &(struct spec){.action = 5, .links = wrong, .nlinks = 1, .script = "true"});
    assert_int_equal(end->reason, PINGO_END_NOT_STARTED);
    box_close(&b);
}

static void test_local_sandbox__temporary_files_go(void **state)
{
    struct box b;
    (void)state;
    box_open(&b);
    expect(&b,
           &(struct spec){.action = 1,
                          .confine = true,
                          .script =
                              "mktemp >/dev/null; ls $TMPDIR | wc -l >output; ls -d $TMPDIR >&2"},
           "1\n");
    box_expect_count(&b, "attempts/1.1", 2); /* the logs */
    struct spec spec = {.action = 2, .script = "mktemp; mkdir -p $TMPDIR/a/b; exit 1"};
    assert_int_equal(box_run(&b, &spec)->exit_code, 1);
    box_expect_count(&b, "attempts/2.1", 3); /* its directory and the logs, for people */
    box_close(&b);
}

/* A ruleset that serves again is made anew after who could have replaced what it names. */
static void test_local_sandbox__again_in_the_same_directory(void **state)
{
    struct box b;
    (void)state;
    if (pingo__sandbox_abi() < 3)
        skip();
    box_init(&b);
    b.slots = 1;
    b.executor = box_open_executor(&b);
    for (int64_t i = 1; i <= 9; i++) {
        bool meddles = i % 3 == 0;
        const struct spec spec = {
            .action = i,
            .confine = !meddles,
            .script = meddles ? "rm ../stderr; : >../stderr; echo x >output"
                              : "echo x >$TMPDIR/f; mv $TMPDIR/f output; "
                                "echo said >/dev/stderr; ! echo x >/tmp/pingo-evil"};
        struct pingo_job_end *end = box_run(&b, &spec);
        if (!pingo_job_end_is_success(end))
            fail_msg("%lld: %d %d %s", (long long)i, end->reason, end->exit_code, end->message);
        assert_int_equal(end->confined, !meddles);
    }
    box_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_sandbox__what_is_allowed_and_nothing_else),
        cmocka_unit_test(test_local_sandbox__a_denial_is_told),
        cmocka_unit_test(test_local_sandbox__a_thousand_inputs),
        cmocka_unit_test(test_local_sandbox__small_originals_are_copied),
        cmocka_unit_test(test_local_sandbox__a_copy_is_what_was_hashed),
        cmocka_unit_test(test_local_sandbox__large_ones_are_links_and_names_have_folders),
        cmocka_unit_test(test_local_sandbox__temporary_files_go),
        cmocka_unit_test(test_local_sandbox__again_in_the_same_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
