#!/usr/bin/env bats
# Outputs that are trouble: the action's failure at once, or none at all; never ten runs.
load helper

# As somebody whom modes bind: root is not.
as_user() {
    if [ "$(id -u)" -ne 0 ]; then
        "$@"
    else
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    fi
}

@test "output: hard links in a closed directory, and a closed working directory, are no trouble" {
    if [ "$(id -u)" -eq 0 ]; then
        chmod 755 "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR/.." "$BATS_TEST_TMPDIR"
        chown 65534:65534 .
    fi
    as_user test -x "$PINGO" -a -x . || skip "nobody cannot run it"
    as_user "$PINGO" init >/dev/null
    one 'mkdir -p output/d && echo 1 > output/d/a && ln output/d/a output/d/b && chmod a-w output/d'
    run --separate-stderr as_user "$PINGO" run -q one.json
    ends_with 0
    one 'echo x > output && chmod a-w output .'
    run --separate-stderr as_user "$PINGO" run -q one.json
    ends_with 0
}

@test "output: a limit on the size of files is an error of pingo, not its end" {
    run --separate-stderr bash -c 'ulimit -f 10; exec "$0" init' "$PINGO"
    ends_with 9
    says "I/O error (is the limit of the size of files low? ulimit -f)"
    rm -rf .pingo
    store
    run --separate-stderr bash -c 'ulimit -f 10; exec "$0" status' "$PINGO"
    ends_with 4
    says "cannot be read: disk I/O error (is the limit of the size of files low? ulimit -f)"
}

@test "output: who could not read an unmanaged output cannot read the one that replaces it" {
    local umask
    umask=$(umask)
    umask 022
    store
    one 'echo 1 >output' '{"isManaged": false, "outputPath": "out"}'
    pingo run -q one.json
    [ "$(stat -c %a out)" = 644 ]
    chmod 600 out
    one 'echo 2 >output' '{"isManaged": false, "outputPath": "out"}'
    pingo run -q one.json
    [ "$(cat out) $(stat -c %a out)" = "2 600" ]
    go fsck
    ends_with 0
    # What is known of it is known of what lies there now: it is replaced again.
    chmod 640 out
    one 'echo 3 >output; chmod +x output' '{"isManaged": false, "outputPath": "out"}'
    pingo run -q one.json
    [ "$(cat out) $(stat -c %a out)" = "3 750" ]
    # Its group is another one's than before: then it may what others may.
    if [ "$(id -u)" -eq 0 ]; then
        chgrp 65534 out
        chmod 664 out
        one 'echo 4 >output' '{"isManaged": false, "outputPath": "out"}'
        pingo run -q one.json
        [ "$(cat out) $(stat -c %a out)" = "4 644" ]
        chgrp 65534 out
        chmod 640 out
        one 'echo 5 >output' '{"isManaged": false, "outputPath": "out"}'
        pingo run -q one.json
        [ "$(cat out) $(stat -c %a out)" = "5 600" ]
    fi
    # A directory is closed as a whole.
    one 'mkdir output; echo 4 >output/f' '{"isManaged": false, "outputPath": "tree"}'
    pingo run -q one.json
    chmod 700 tree
    one 'mkdir output; echo 5 >output/f' '{"isManaged": false, "outputPath": "tree"}'
    pingo run -q one.json
    [ "$(cat tree/f) $(stat -c %a tree)" = "5 700" ]
    # Who may read one that replaces nothing says the umask.
    rm out
    one 'echo 6 >output' '{"isManaged": false, "outputPath": "out"}'
    pingo run -q one.json
    [ "$(stat -c %a out)" = 644 ]
    # So it is with exports.
    one 'echo 7 >output'
    pingo run -q one.json
    pingo export -q last there
    chmod 600 there/one
    one 'echo 8 >output'
    pingo run -q one.json
    pingo export -q last there
    [ "$(cat there/one) $(stat -c %a there/one)" = "8 600" ]
    umask "$umask"
}

@test "output: nobody reads the copy on its way who could not read what it replaces" {
    command -v strace >/dev/null || skip "no strace"
    store
    one 'echo 1 >output' '{"isManaged": false, "outputPath": "out"}'
    pingo run -q one.json
    chmod 600 out
    one 'echo 2 >output' '{"isManaged": false, "outputPath": "out"}'
    strace -f -o calls "$PINGO" run -q one.json
    grep -qE '/.out.pingo-.*O_CREAT.*, 0600(\)| <unfinished)' calls
    one 'mkdir output; echo 3 >output/f'
    pingo run -q one.json
    pingo export -q last there
    chmod 700 there/one
    one 'mkdir output; echo 4 >output/f'
    pingo run -q one.json
    strace -f -o calls "$PINGO" export -q last there
    grep -qE 'mkdir.*/.one.pingo-.*, 0700(\)| <unfinished)' calls
    [ "$(cat out there/one/f)" = "2
4" ]
}

@test "output: a link that goes up from another link, or through a process of /proc, leads out" {
    "$PINGO" init >/dev/null
    one 'mkdir output && ln -s . output/loop && ln -s loop/../secret output/l'
    run --separate-stderr "$PINGO" run -q one.json
    [ "$status" -eq 1 ]
    [[ $stderr == *"output/l: is a link out of the output"* ]]
    one 'mkdir output && ln -s /proc/self/cwd output/p'
    run --separate-stderr "$PINGO" run -q one.json
    [ "$status" -eq 1 ]
    [[ $stderr == *"output/p: is a link out of the output"* ]]
    one 'mkdir -p output/a/b && echo x > output/a/x && ln -s b/../x output/a/l && ln -s ../b/../../a output/a/b/m'
    run --separate-stderr "$PINGO" run -q one.json
    [ "$status" -eq 0 ]
}

@test "output: what is neither a file nor a directory is not replaced, and nobody is told to force that" {
    store
    mkfifo out
    one 'echo 1 >output' '{"isManaged": false, "outputPath": "out"}'
    go run one.json
    ends_with 5
    says "out: is there, and was not written by Pingo, and is not replaced: move it away"
    [ -z "$(grep -e --force-outputs <<<"$stderr")" ]
    go run --force-outputs one.json
    ends_with 5
    says "out: is neither a file nor a directory"
    [ -p out ]
}
