/* test_output.c - what executors deliver is looked at before it is published: links, special files, wrong sizes and
 * kinds, files that are somebody else's; and what a crash leaves in the pool goes. */
#include "unit/engine/box.h"

#include "manager/attempt/callback.h"

/* Runs a shell command with $OUT, the staged path, and $B, the box's root. */
static void shell(struct box *b, const char *out, const char *command)
{
    setenv("OUT", out, 1);
    setenv("B", b->root, 1);
    assert_int_equal(system(command), 0);
}

static int64_t count_in(struct box *b, const char *where)
{
    char command[256];
    FILE *f;
    long n = -1;

    snprintf(command, sizeof command,
             "find %s/pool/%s -mindepth 1 ! -type d -o -name '*.*.*' | wc -l", b->dir, where);
    f = popen(command, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld", &n), 1);
    pclose(f);
    return n;
}

static const struct {
    const char *command;
    enum pingo_output_kind kind;
    int64_t size;
    const char *said; /* NULL: it is published */
    bool unsaid;      /* nothing of its content */
} deliveries[] = {
    {"echo hi >$OUT", PINGO_OUTPUT_FILE, 3, NULL, false},
    {"mkdir $OUT; echo hi >$OUT/x", PINGO_OUTPUT_DIRECTORY, 3, NULL, false},
    {"echo ho >$OUT", PINGO_OUTPUT_FILE, 3, NULL, true},
    {"ln -s /etc/passwd $OUT", PINGO_OUTPUT_FILE, 5, "symbolic link", false},
    {"ln -s $B/outside $OUT", PINGO_OUTPUT_DIRECTORY, 5, "symbolic link", false},
    {"mkfifo $OUT", PINGO_OUTPUT_FILE, 0, "special file", false},
    {"mknod $OUT c 1 3 2>/dev/null || mkfifo $OUT", PINGO_OUTPUT_FILE, 0, "special file", false},
    {"echo hi >$OUT", PINGO_OUTPUT_FILE, -5, "-5 bytes", false},
    {"echo hi >$OUT", PINGO_OUTPUT_FILE, 4, "there are 3", false},
    {"echo hi >$OUT", PINGO_OUTPUT_DIRECTORY, 3, "it is a file", false},
    {"mkdir $OUT", PINGO_OUTPUT_FILE, 0, "it is a directory", false},
    {"mkdir $OUT; echo hi >$OUT/x", PINGO_OUTPUT_DIRECTORY, 1 << 20, "there are 3", false},
    {"mkdir $OUT; mkfifo $OUT/x", PINGO_OUTPUT_DIRECTORY, 0, "output/x", false},
    {"mkdir $OUT; ln -s $B/outside $OUT/x", PINGO_OUTPUT_DIRECTORY, 40, "output/x: is a link", false},
    {"echo ho >$OUT", PINGO_OUTPUT_FILE, 3, "its content is not", false},
    {"head -c 70000 /dev/zero >$OUT", PINGO_OUTPUT_FILE, 70000, "its content is not", false},
    {"head -c 2000000 /dev/zero >$OUT", PINGO_OUTPUT_FILE, 2000000, "its content is not", false},
};

static void test_output__are_checked_whoever_made_them(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < sizeof deliveries / sizeof *deliveries; i++) {
        struct box *b = box_new();
        struct job *j;

        shell(b, "", "mkdir -m 0777 $B/outside; echo mine >$B/outside/f; chmod 0666 $B/outside/f");
        box_submit(b, W(A(1, ",'retries':3")));
        box_tick(b);
        j = fake_job(&b->fake, "a1");
        box_report(b, "a1", PINGO_END_EXITED, 0, "hi\n");
        assert_int_equal(unlink(j->staged), 0);
        shell(b, j->staged, deliveries[i].command);
        j->end.output_kind = deliveries[i].kind;
        j->end.size_bytes = deliveries[i].size;
        if (!deliveries[i].said && deliveries[i].kind == PINGO_OUTPUT_DIRECTORY)
            assert_int_equal(pingo_content_hash(j->staged, &j->end.content, NULL), 0);
        if (deliveries[i].unsaid)
            j->end.content = (struct pingo_hash){{0}};
        box_read_all(b);
        if (deliveries[i].said) {
            assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
            if (!box_int(b, "SELECT count(*) FROM action WHERE message LIKE 'exit status 0%'"))
                fail_msg("%s: no message", deliveries[i].command);
            assert_int_equal(count_in(b, "objects"), 0);
        } else {
            assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FINISHED);
        }
        assert_int_equal(b->fake.n, 1); /* it is not tried again */
        shell(b, "", "test $(stat -c %a $B/outside) = 777 && test $(stat -c %a $B/outside/f) = 666");
        box_clean(b);
        box_close(b);
    }
}

static struct box *with_external(const char *command)
{
    struct box *b = calloc(1, sizeof *b);
    const struct pingo_external_job *job = NULL;
    struct pingo_job_end end = {.size = sizeof end, .reason = PINGO_END_EXITED};
    struct pingo_error err;

    assert_non_null(b);
    b->external = true;
    box_open(b);
    shell(b, "", "mkdir -m 0777 $B/outside; echo mine >$B/outside/f; chmod 0666 $B/outside/f");
    box_submit(b, W("{'id':1,'name':'e','type':'external','description':'x','retries':2}"));
    box_tick(b);
    well(pingo_external_next(b->s, &job, &err), &err);
    assert_non_null(job);
    end.key = job->key;
    well(pingo_external_start(b->s, end.key, &err), &err);
    shell(b, job->output_path, command);
    well(pingo_external_end(b->s, &end, &err), &err);
    box_tick(b);
    return b;
}

/* A tick never follows what is at the staged path, and changes no mode outside the pool. */
static void test_output__of_external_jobs_are_not_followed(void **state)
{
    static const char *const refused[] = {"ln -s $B/outside $OUT", "ln -s $B/outside/f $OUT",
                                          "mkfifo $OUT", "mkdir $OUT; ln -s $B/outside/f $OUT/f"};

    UNUSED(state);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct box *b = with_external(refused[i]);

        assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
        shell(b, "", "test $(stat -c %a $B/outside) = 777 && test $(stat -c %a $B/outside/f) = 666");
        box_clean(b);
        box_close(b);
    }
}

/* A hard link to somebody's file: the dataset is a copy, and the file stays as it is. */
static void test_output__share_no_file_with_anybody(void **state)
{
    static const char *const made[] = {"ln $B/outside/f $OUT",
                                       "mkdir $OUT; ln $B/outside/f $OUT/f; ln $OUT/f $OUT/g"};

    UNUSED(state);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        struct box *b = with_external(made[i]);

        assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FINISHED);
        shell(b, "",
              "test $(stat -c %a%h $B/outside/f) = 6661 && echo changed >$B/outside/f &&"
              " grep -rq mine $B/.pingo/pool/objects && ! grep -rq changed $B/.pingo/pool/objects");
        box_clean(b);
        box_close(b);
    }
}

/* As the rename of an earlier try, which died before its commit. */
static void publish_only(struct box *b, const char *name, char object[400])
{
    struct job *j = fake_job(&b->fake, name);
    struct pingo__arena arena = {0};
    struct pingo__manager_settling s;
    struct pingo_error err;

    box_report(b, name, PINGO_END_EXITED, 0, "one");
    s = (struct pingo__manager_settling){.c = &b->s->context, .arena = &arena, .end = j->end};
    well(pingo__manager_callback_prepare(&s, &err), &err);
    assert_non_null(s.object);
    snprintf(object, 400, "%s/pool/%s", b->dir, s.object);
    pingo__arena_clear(&arena);
    assert_int_equal(access(object, F_OK), 0);
}

/* Who ran it took its end with it: the attempt is lost, and what it had published goes. */
static void test_output__of_lost_attempts_are_reclaimed(void **state)
{
    struct box *b = box_new();
    char object[400];

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    publish_only(b, "a1", object);
    b->fake.knows_nothing = true;
    b->fake.jobs[0].ended = false;
    b->fake.jobs[0].revoked = true; /* it will report nothing more */
    box_reopen(b);
    box_tick(b);
    assert_int_not_equal(access(object, F_OK), 0);
    b->fake.knows_nothing = false;
    box_tick(b);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(count_in(b, "objects"), 1);
    box_clean(b);
    box_close(b);
}

/* Who died after its last commit had nothing open, but may have left files. */
static void test_output__of_the_dead_are_swept_at_once(void **state)
{
    struct box *b = box_new();
    const char *shard = "mkdir -p -m 700 $B/.pingo/pool/objects/ab; touch "
                        "$B/.pingo/pool/objects/ab/"
                        "ab00000000000000000000000000000000000000000000000000000000000000.77.1";

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    box_finish(b, "a1");
    shell(b, "", "touch $B/.pingo/pool/staged/1.1; touch $B/.pingo/pool/staged/1.1.copy");
    shell(b, "", "touch $B/.pingo/pool/staged/mine");
    shell(b, "", shard);
    assert_int_equal(count_in(b, "objects"), 2);
    box_int(b, "INSERT INTO owner(boot_id, pid, started_ms) VALUES('x', 1, 1) RETURNING id");
    box_reopen(b);
    box_tick(b);
    assert_int_equal(count_in(b, "objects"), 1);
    shell(b, "", "test \"$(ls $B/.pingo/pool/staged)\" = mine && rm $B/.pingo/pool/staged/mine");
    box_clean(b);
    box_close(b);
}

/* A database that was put back counts its attempts anew: their names may be taken, by other bytes. */
static void test_output__replace_those_of_another_life(void **state)
{
    struct box *b = box_new();
    char object[400];
    int fd;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    publish_only(b, "a1", object);
    fd = open(b->fake.jobs[0].staged, O_WRONLY | O_CREAT | O_EXCL, 0444);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "two", 3), 3);
    close(fd);
    assert_int_equal(pingo_content_hash(b->fake.jobs[0].staged, &b->fake.jobs[0].end.content, NULL),
                     0);
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FINISHED);
    shell(b, object, "test \"$(cat $OUT)\" = two && test -z \"$(ls $B/.pingo/pool/staged)\"");
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output__are_checked_whoever_made_them),
        cmocka_unit_test(test_output__of_external_jobs_are_not_followed),
        cmocka_unit_test(test_output__share_no_file_with_anybody),
        cmocka_unit_test(test_output__of_lost_attempts_are_reclaimed),
        cmocka_unit_test(test_output__of_the_dead_are_swept_at_once),
        cmocka_unit_test(test_output__replace_those_of_another_life),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
