#!/usr/bin/env bats
# Paused workflows, for whom a run claims, and who goes on: with real processes.
load helper

# flow NAME ACTION... : NAME.json, independent actions; each is "name=command".
flow() {
    local name=$1
    shift
    jq -n --arg name "$name" '{name: $name, actions: [$ARGS.positional | to_entries[] |
        (.value | capture("(?<n>[^=]*)=(?<c>.*)"; "m")) as $a |
        {id: (.key + 1), name: $a.n, type: "command-line", command: $a.c}]}' --args "$@" >"$name.json"
}

state() { pingo status "$1" --json | jq -r '.state'; }
action() { pingo status "$1" "$2" --json | jq -r '.actions[0].state'; }

# long.json: three actions; each says that it started, and waits for the file go.
long() {
    local wait="echo \$\$ >> $PWD/started; while [ ! -e $PWD/go ]; do sleep 0.05; done; echo"
    flow long "one=$wait 1 > output" "two=$wait 2 > output" "three=$wait 3 > output"
}

states() { pingo status "$1" --json | jq -r '[.actions[].state] | sort | join(" ")'; }

start() {
    : >out 2>err # what an earlier one said; this one may be late to empty them
    "$PINGO" run "$@" >out 2>err &
    runner=$!
    STARTED="$STARTED $runner"
}

ended() {
    status=0
    wait "$runner" || status=$?
    output=$(cat out)
    stderr=$(cat err)
}

@test "a workflow that was interrupted does not come back with another one" {
    open_store
    pingo config executor.slots 1
    long
    start long.json
    until_true test -s started
    kill -INT "$runner"
    until_true grep -q "nothing more starts" err
    grep -q "waiting for what runs (1)" err
    touch go
    ended
    ends_with 130
    says "stopped, paused: 1; go on: pingo run 1; kill: pingo kill 1"
    [ "$(state 1)" = PAUSED ]
    flow other "one=echo other > output"
    go run other.json
    ends_with 0
    go tick
    go run --all
    ends_with 0
    go run
    ends_with 0
    says "nothing is unfinished but what is paused"
    [ "$(state 1)" = PAUSED ]
    [ "$(states 1)" = "FINISHED READY READY" ]
    [ "$(wc -l <started)" -eq 1 ]
    go status
    prints PAUSED
    go run 1
    ends_with 0
    says "workflow 1 was paused; it goes on"
    says "ran 2 (1 before), reused 0"
    [ "$(state 1)" = FINISHED ]
    go run --json 1
    json '.ran == 0 and .ranBefore == 0'
}

@test "a run claims for its own workflows alone; tick and run --all for all" {
    open_store
    flow a "one=echo a1 > output" "two=echo a2 > output"
    flow b "one=echo b1 > output"
    flow c "one=echo c1 > output"
    pingo submit --priority 9 a.json
    pingo submit c.json
    go run b.json
    ends_with 0
    [ "$(state 3)" = FINISHED ]
    [ "$(action 1 one)" = READY ]
    [ "$(action 2 one)" = READY ]
    pingo pause 2
    go run --all
    ends_with 0
    [ "$(state 1)" = FINISHED ]
    [ "$(state 2)" = PAUSED ]
    pingo resume 2
    go run
    ends_with 0
    says "goes on: workflow 2 (c): 1 of 1 to do"
    [ "$(state 2)" = FINISHED ]
}

@test "pause, resume, kill: several operands, JSON, last, what has ended" {
    open_store
    flow a "one=echo a1 > output"
    flow b "one=echo b1 > output"
    pingo submit a.json
    pingo submit b.json
    go pause 1 last --json
    ends_with 0
    json '.workflows == [{"workflow": 1, "state": "PAUSED", "changed": true}, {"workflow": 2, "state": "PAUSED", "changed": true}]'
    go pause 1
    ends_with 0
    says "workflow 1 was paused before"
    go resume 7 1
    ends_with 5
    [ "$(state 1)" = PAUSED ]
    go kill 2
    ends_with 0
    [ "$(state 2)" = KILLED ]
    go pause 2
    ends_with 5
    says "has ended already (KILLED)"
    go resume 1 2 --json
    ends_with 5
    json '.workflows == [{"workflow": 1, "state": "RUNNING", "changed": true}]'
    go pause 1
    go resume 1
    ends_with 0
    [ "$(state 1)" = RUNNING ]
    go run 1
    ends_with 0
}

@test "what a live workflow needs of a paused one runs, with its ancestors, and nothing else" {
    open_store
    jq -n '{name: "w", actions: [
        {id: 1, name: "base", type: "command-line", command: "echo base > output"},
        {id: 2, name: "mid", type: "command-line", command: "cat in/b > output", parentActions: [{id: 1, as: "b"}]},
        {id: 3, name: "end", type: "command-line", command: "cat in/m > output", parentActions: [{id: 2, as: "m"}]},
        {id: 4, name: "alone", type: "command-line", command: "echo alone > output"}]}' >w.json
    jq '.name = "v" | .actions = .actions[:2]' w.json >v.json
    pingo submit w.json
    pingo pause 1
    go run v.json
    ends_with 0
    says "1 joined"
    [ "$(action 1 base)" = FINISHED ]
    [ "$(action 1 mid)" = FINISHED ]
    [ "$(action 1 end)" = READY ]
    [ "$(action 1 alone)" = READY ]
    # The same for who drives all, and of a killed one.
    jq '.name = "u" | .actions = .actions[:3]' w.json >u.json
    pingo submit u.json
    go run --all
    ends_with 0
    [ "$(action 1 end)" = FINISHED ]
    [ "$(action 1 alone)" = READY ]
    [ "$(state 1)" = PAUSED ]
}

@test "who needs a paused one and is paused itself starts nothing" {
    open_store
    flow a "one=echo a1 > output"
    pingo submit a.json
    pingo submit a.json
    pingo pause 1 2
    go tick
    [ "$(action 1 one)" = READY ]
    go run 2
    ends_with 0
    [ "$(state 1)" = FINISHED ]
}

@test "pause from another process: what has not started is taken back, and the run ends" {
    open_store
    pingo config executor.slots 1
    long
    start long.json
    until_true test -s started
    go pause 1
    ends_with 0
    until_true eval '[ "$(states 1)" = "READY READY RUNNING" ]'
    touch go
    ended
    ends_with 11
    says "workflow 1 was paused"
    [ "$(states 1)" = "FINISHED READY READY" ]
    [ "$(wc -l <started)" -eq 1 ]
    go fsck
    ends_with 0
}

@test "exec of a command that was paused before it started says so" {
    open_store
    pingo config executor.slots 1
    long
    start long.json
    until_true test -s started
    "$PINGO" exec echo here >out.exec 2>err.exec &
    local exec=$! rc=0
    STARTED="$STARTED $exec"
    until_true eval '[ "$(state 2)" = RUNNING ]'
    go pause 2
    ends_with 0
    wait "$exec" || rc=$?
    [ "$rc" -eq 11 ]
    grep -q "workflow 2 was paused" err.exec
    touch go
    ended
    ends_with 0
}

@test "a paused workflow whose running action is its last one ends" {
    open_store
    flow last "one=touch $PWD/started; while [ ! -e $PWD/go ]; do sleep 0.05; done; echo a > output"
    start last.json
    until_true test -e started
    kill -INT "$runner"
    until_true grep -q "nothing more starts" err
    touch go
    ended
    ends_with 0
    [ "$(state 1)" = FINISHED ]
}
