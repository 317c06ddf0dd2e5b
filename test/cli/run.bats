#!/usr/bin/env bats
# run, wait, tick: what is printed where, reuse, failures.
load helper

@test "run: everything the first time, nothing the second; standard output stays empty" {
    words
    store
    go run words.json
    ends_with 0
    [ -z "$output" ]
    says "workflow 1"
    says "3 to compute"
    says "finished 1 split"
    says "ran 3, reused 0, skipped 0"
    go run words.json
    ends_with 0
    [ -z "$output" ]
    says "ran 0, reused 2, skipped 1"
    [ "$(sort <text.txt >/dev/null; cat "$(pingo path last count)")" -eq 9 ]
}

@test "run -q says nothing when all is well" {
    words
    store
    go run -q words.json
    ends_with 0
    [ -z "$output$stderr" ]
}

@test "run --json: one document with the status of each workflow" {
    words
    store
    one 'echo x > output'
    go run -q --json words.json one.json
    ends_with 0
    [ -z "$stderr" ]
    json '.workflows | length == 2'
    json '.workflows[0] | .workflow == 1 and .name == "words" and .state == "FINISHED" and (.actions | length) == 3'
    json '.ran == 4 and .reused == 0 and .skipped == 0'
    go run --json words.json
    json '.ran == 0 and .reused == 2 and .skipped == 1 and .savedMs >= 0'
    json '[.workflows[0].actions[] | .state, .wallMs, .attempts] | all(. == null)'
}

@test "run: an equal action that was killed before the other one ended has saved nothing" {
    store
    jq -n '{name: "w", actions: [range(2) | {id: ., name: "a\(.)", type: "command-line", command: "sleep .1; echo > output"}]}' >w.json
    pingo submit w.json
    pingo kill last a1
    go run --json last
    ends_with 1
    json '.ran == 1 and .joined == 1 and .savedMs == 0'
}

@test "run: each line on standard error is written at once" {
    words
    store
    # What keeps the bounds of messages tells what was one write.
    python3 - "$PINGO" <<'END'
import socket, subprocess, sys
ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
subprocess.run([sys.argv[1], "run", "words.json"], stderr=its, check=True)
its.close()
writes = list(iter(lambda: ours.recv(4096), b""))
assert len(writes) > 4 and all(w.endswith(b"\n") for w in writes), writes
END
}

@test "run takes numbers, files and standard input together" {
    words
    store
    pingo submit words.json
    one 'echo x > output'
    run --separate-stderr bash -c '"$1" run 1 one.json - <words.json' - "$PINGO"
    ends_with 0
    go status --json
    json 'length == 3 and all(.[]; .state == "FINISHED")'
    go run last
    ends_with 0
    says "had ended before"
    go run 77
    ends_with 5
    says "77"
    cp one.json 12
    go run ./12
    ends_with 0
}

@test "a failure: its status, the last ten lines of its standard error, its scratch directory; status 1" {
    store
    one 'seq 15 >&2; exit 3'
    go run one.json
    ends_with 1
    [ -z "$output" ]
    says "failed: 1 one: exit status 3"
    says "  | 6"
    says "  | 15"
    [[ $stderr != *"  | 5"* ]]
    says "scratch directory: /"
    says "repeat it by hand: pingo log --command 1 1 >again.sh"
    says "pingo: workflow 1 failed"
    says "once more, but for what has finished: pingo run FILE, or unchanged pingo rerun 1"
    dir=$(sed -n 's/^  scratch directory: //p' <<<"$stderr")
    [ -d "$dir" ]
    go run -q one.json
    ends_with 1
    says "exit status 3"
}

@test "a failure for want of a file that lies beside the workflow: what to declare is said" {
    store
    mkdir -p data
    echo 1 >data/a.csv
    one 'sort data/a.csv >output'
    go run one.json
    ends_with 1
    says "data/a.csv lies here, but a command runs in a directory of its own: name the file in \"inputs\""
    one 'sort data/b.csv >output'
    go run one.json
    ends_with 1
    says "No such file"
    [[ $stderr != *"lies here"* ]]
    one 'echo data/a.csv >&2; exit 1'
    go run one.json
    ends_with 1
    says "data/a.csv"
    [[ $stderr != *"lies here"* ]]
}

@test "a failure: what descends from it is cancelled, other branches go on" {
    words
    store
    jq '.actions[1].command = "exit 9" |
        .actions += [{id: 4, name: "after", type: "command-line", command: "cp in/x output", parentActions: [{id: 2, as: "x"}]}]' \
        words.json >fails.json
    go run fails.json
    ends_with 1
    says "cancelled: 1 action"
    says "ran 3"
    go status last
    prints "2 failed or not run"
    go status last --json
    json '.state == "FAILED" and ([.actions[].state] == ["FINISHED","FAILED","FINISHED","CANCELLED"])'
    json '.actions[1].exitCode == 9'
}

@test "a failure: a signal, a missing output, a time limit" {
    store
    one 'kill -SEGV $$'
    go run one.json
    ends_with 1
    says "signal 11"
    one 'true'
    go run one.json
    ends_with 1
    says output
    one 'sleep 1000 > output' '{"resources": {"timeLimitSeconds": 1}}'
    go run one.json
    ends_with 1
    says "time limit"
}

@test "retries: counted, and the last attempt's log is shown" {
    store
    one "echo try >> $PWD/tries; [ \$(wc -l < $PWD/tries) -ge 3 ] && echo ok > output" '{"retries": 3}'
    go run one.json
    ends_with 0
    [ "$(wc -l <tries)" -eq 3 ]
    go status last --json
    json '.actions[0].attempts == 3 and .actions[0].state == "FINISHED"'
}

@test "run: a workflow that is named twice counts once" {
    store
    one 'echo > output'
    pingo submit one.json
    go run --json 1 last 1
    ends_with 0
    json '.ran == 1 and [.workflows[].workflow] == [1]'
}

@test "run: who had to compute what was to be joined has run" {
    store
    one "until [ -e $PWD/go ]; do sleep 0.05; done; [ -e $PWD/bad ] && rm $PWD/bad && exit 1; echo > output"
    touch bad
    pingo submit one.json
    jq '.name = "two"' one.json >two.json
    pingo submit two.json
    pingo run --json 2 >two.out 3>&- &
    touch go
    wait $! || :
    output=$(cat two.out)
    json '.ran == 1 and .joined == 0'
}

@test "run: what was to be reused or skipped and had to be computed after all has run, and was not reused" {
    words
    store
    pingo run -q -t 1 words.json
    pingo submit words.json
    chmod -R u+w .pingo/pool/objects
    rm "$(pingo path last split)"
    go run last
    ends_with 0
    says "ran 3, reused 0, skipped 0"
    go status last
    prints "3 actions, as planned: 2 to compute, 1 reused, 0 joined, 0 skipped"
    prints "3 finished"
}

@test "--fail-fast kills the rest of the workflow" {
    store
    jq -n '{name: "f", actions: [
        {id: 1, name: "bad", type: "command-line", command: "sleep 0.2; exit 1"},
        {id: 2, name: "slow", type: "command-line", command: "sleep 1000; echo > output"}]}' >f.json
    go run --fail-fast f.json
    ends_with 1
    go status last --json
    json '[.actions[].state] == ["FAILED","KILLED"]'
}

@test "--fail-fast sees what fails without having run" {
    store
    echo one >in.txt
    jq -n --arg in "$PWD/in.txt" '{name: "f", actions: [
        {id: 1, name: "bad", type: "command-line", command: "cat in/in > output", inputs: [{name: "in", path: $in}]},
        {id: 2, name: "slow", type: "command-line", command: "sleep 1000; echo > output"}]}' >f.json
    pingo submit f.json
    echo two >>in.txt
    go run --fail-fast last
    ends_with 1
    go status last --json
    json '[.actions[].state] == ["FAILED","KILLED"]'
}

@test "run tells of its own workflows alone, also where an action is another's as well" {
    store
    one 'sleep 0.2; echo 1 > output'
    pingo submit one.json
    jq '.actions[0].name = "two"' one.json >two.json
    go run two.json
    ends_with 0
    says 'finished 1 two'
    ! grep -q 'finished 1 one' <<<"$stderr"
}

@test "run --target and --force" {
    words
    store
    go run --target split words.json
    ends_with 0
    says "ran 1"
    go run words.json
    says "ran 2"
    go run --force count words.json
    says "ran 1"
    go status last --json
    json '.actions[2].decision == "compute" and .actions[2].state == "FINISHED"'
}

@test "what another one's forced repeat has made meanwhile is not made again" {
    store
    one "echo >>$PWD/ran; echo 1 >output"
    pingo submit -q one.json
    pingo run -q --force one one.json
    go run 1
    ends_with 0
    says "ran 0, reused 0, joined 1"
    [ "$(wc -l <ran)" -eq 1 ]
    go status 1
    prints "an equal action computed it"
}

@test "what a forced repeat has made, and has vanished from the pool since, is made again" {
    store
    one "echo >>$PWD/ran; echo 1 >output"
    pingo submit -q one.json
    pingo run -q --force one one.json
    rm -f "$(pingo path 2 one)"
    go run 1
    ends_with 0
    says "ran 1, reused 0"
    [ "$(wc -l <ran)" -eq 2 ]
    [ "$(cat "$(pingo path 1 one)")" = 1 ]
}

@test "of what is over, however it ended, status tells its decisions as what was planned" {
    store
    one 'exit 1'
    go run -q one.json
    ends_with 1
    go status last
    prints "1 action, as planned: 1 to compute, 0 reused, 0 joined, 0 skipped"
}

@test "run -j bounds what this run starts at once" {
    store
    mkdir marks
    jq -n --arg d "$PWD/marks" '{name: "j", actions: [range(4) | {id: ., name: "n\(.)", type: "command-line", salt: "\(.)",
        command: "touch \($d)/$$; ls \($d) | wc -l > output; sleep 0.15; rm \($d)/$$"}]}' >j.json
    go run -q -j 1 j.json
    ends_with 0
    for i in 0 1 2 3; do
        [ "$(cat "$(pingo path last n$i)")" -eq 1 ]
    done
}

@test "an invalid file among several: what was submitted before is named" {
    words
    store
    echo '{}' >bad.json
    go run words.json bad.json
    ends_with 3
    says "run 1"
    go run 1
    ends_with 0
}

@test "tick starts what is ready, exits, and a later one collects it" {
    words
    store
    pingo submit words.json
    go tick --json
    ends_with 0
    json '(.started | type) == "number" and has("recovered") and has("settled") and has("deleted") and has("active") and has("idle")'
    finished() { pingo tick >/dev/null && [ "$(pingo status last --json | jq -r .state)" = FINISHED ]; }
    until_true finished
    go tick
    ends_with 0
    prints "started 0"
}

@test "wait: until somebody else has run it; status 1 when it failed" {
    words
    store
    pingo submit words.json
    "$PINGO" wait --grace 600s --json last >waited &
    waiter=$!
    STARTED=$waiter
    sleep 0.2
    [ ! -s waited ]
    pingo run -q 1
    wait "$waiter"
    [ "$(jq -c . waited)" = '{"workflows":[{"workflow":1,"state":"FINISHED"}]}' ]
    go wait
    ends_with 0
    one 'exit 1'
    pingo run -q one.json || :
    go wait last
    ends_with 1
    says "FAILED"
    go wait 99
    ends_with 5
}
