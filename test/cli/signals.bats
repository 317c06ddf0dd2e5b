#!/usr/bin/env bats
# What run does on INT, TERM and HUP, with real processes.
load helper

# slow.json: "first" says that it started, waits for the file go, and writes; "second" reads it.
slow() {
    jq -n --arg d "$PWD" '{name: "slow", actions: [
        {id: 1, name: "first", type: "command-line",
         command: "echo $$ > \($d)/started; while [ ! -e \($d)/go ]; do sleep 0.05; done; echo a > output"},
        {id: 2, name: "second", type: "command-line", command: "cp in/a output", parentActions: [{id: 1, as: "a"}]}]}' >slow.json
}

start() {
    : >out 2>err # what an earlier one said; this one may be late to empty them
    "$PINGO" run "$@" slow.json >out 2>err &
    runner=$!
    STARTED=$runner
    until_true test -s started
}

# Waits for the run; its status in $status, what it said in $stderr.
ended() {
    status=0
    wait "$runner" || status=$?
    output=$(cat out)
    stderr=$(cat err)
}

state_of() { pingo status last --json | jq -r ".actions[$1].state"; }

@test "BUS, as of memory that a full disk cannot hold: it is told, and run N goes on" {
    open_store
    slow
    start
    kill -BUS "$runner"
    ended
    ends_with 7
    says "its disk is full or broken, or a quota is reached; nothing is lost"
    touch go
    go run 1
    ends_with 0
}

@test "the first INT starts nothing more and waits; run N goes on" {
    open_store
    slow
    start
    kill -INT "$runner"
    until_true grep -q "nothing more starts" err
    kill -0 "$runner"
    touch go
    ended
    ends_with 130
    says "pingo run 1"
    says "pingo kill 1"
    [ -z "$output" ]
    [ "$(state_of 0)" = FINISHED ]
    [ "$(state_of 1)" = READY ]
    go run 1 --json
    ends_with 0
    json '.ran == 1 and .ranBefore == 1'
    go status last --json
    json 'all(.actions[]; .state == "FINISHED" and .attempts == 1)'
}

@test "the second INT says that what another workflow needs goes on" {
    open_store
    slow
    pingo submit -q slow.json
    start
    kill -INT "$runner"
    until_true grep -q "nothing more starts" err
    kill -INT "$runner"
    until_true grep -q "^1 of what runs goes on, and is waited for: other workflows need it" err
    touch go
    ended
    ends_with 130
    [ "$(grep -c "other workflows need" err)" -eq 1 ]
    [ "$(pingo status 1 first --json | jq -r ".actions[0].state")" = FINISHED ]
}

@test "the second INT ends what runs, without counting a retry" {
    open_store
    slow
    start
    pid=$(cat started)
    kill -INT "$runner"
    until_true grep -q "nothing more starts" err
    kill -INT "$runner"
    ended
    ends_with 130
    says "ending what runs"
    says "pingo run 1"
    run ! kill -0 "$pid"
    [ "$(state_of 0)" = READY ]
    touch go
    go run -q 1
    ends_with 0
    go fsck
    ends_with 0
}

@test "TERM leaves what runs running; the end is kept for whoever comes" {
    open_store
    slow
    start
    pid=$(cat started)
    kill -TERM "$runner"
    ended
    ends_with 143
    says "left running"
    says "pingo wait 1"
    says "pingo kill 1"
    kill -0 "$pid"
    touch go
    until_true eval "! kill -0 $pid 2>/dev/null"
    go run -q 1
    ends_with 0
    go status last --json
    json 'all(.actions[]; .state == "FINISHED" and .attempts == 1)'
}

@test "HUP too" {
    open_store
    slow
    start
    kill -HUP "$runner"
    ended
    ends_with 129
    kill -0 "$(cat started)"
    touch go
    go run -q 1
    ends_with 0
}

@test "the way on names the store when -C did" {
    mkdir elsewhere
    pingo -C elsewhere init >/dev/null
    pingo -C elsewhere config sandbox off
    slow
    start -C elsewhere
    kill -TERM "$runner"
    ended
    says "pingo -C elsewhere run 1"
    touch go
    go -C elsewhere run -q 1
    ends_with 0
}

@test "kill from another process: the run ends with 1 and says so" {
    open_store
    slow
    start
    pid=$(cat started)
    go kill last
    ends_with 0
    says "killed 2 actions"
    ended
    ends_with 1
    says "killed: 1 action"
    says "cancelled: 1 action that had not started"
    says "skipped 0; 0 failed, 1 killed, 1 cancelled in "
    says "was killed"
    run ! kill -0 "$pid"
    go status last --json
    json '.state == "KILLED"'
}

@test "kill -9 of the run: the next one goes on, and nothing that ran runs again" {
    open_store
    slow
    start
    kill -KILL "$runner"
    ended
    ends_with 137
    touch go
    go run -q 1
    ends_with 0
    go status last --json
    json '.state == "FINISHED" and all(.actions[]; .attempts == 1)'
    go fsck
    ends_with 0
}

@test "whoever started it ignores CHLD: what is run is waited for all the same" {
    open_store
    printf '#!/bin/sh\ncat >>%s/told\n' "$PWD" >tell
    chmod 755 tell
    pingo config hook.command "$PWD/tell"
    jq -n '{name: "v", actions: [{id: 1, name: "a", type: "command-line", command: "echo 1 > output", versions: [["uname", "-r"]]}]}' >v.json
    run timeout --foreground 600 env --ignore-signal=CHLD "$PINGO" run v.json
    ends_with 0
    [ "$(jq -s length told)" = 1 ]
    go hooks --json
    json 'map(.state) == ["delivered"]'
}
