#!/usr/bin/env bats
# pingo status --follow: what others change is told as it changes, and to its end.
load helper

@test "follow: what another process changes is seen, until the workflow ends" {
    store
    cat >w.json <<JSON
{"name": "w", "actions": [
 {"id": 1, "name": "first", "type": "command-line", "command": "echo 1 > output"},
 {"id": 2, "name": "second", "type": "command-line", "command": "while [ ! -e $PWD/go ]; do sleep 0.05; done; cat in/p > output",
  "parentActions": [{"id": 1, "as": "p"}]}]}
JSON
    pingo submit w.json
    "$PINGO" status --follow >all.txt 2>err &
    all=$!
    STARTED="$STARTED $all"
    until_true eval 'pingo pause -q 1; pingo resume -q 1; test -s all.txt' # it follows
    "$PINGO" status --follow --json 1 >one.json 2>>err &
    one=$!
    STARTED="$STARTED $one"
    until_true grep -q '"kind": *"workflow"' one.json
    "$PINGO" run -q 1 &
    runner=$!
    STARTED="$STARTED $runner"
    until_true grep -q '"name": *"second".*"to": *"RUNNING"' one.json
    [ "$(jq -r 'select(.name == "first") | .to' one.json | tail -1)" = FINISHED ]
    kill -0 "$one"
    touch go
    wait "$one"
    wait "$runner"
    [ "$(jq -r 'select(.kind == "workflow") | .to' one.json | tr '\n' ' ')" = "RUNNING FINISHED " ]
    # In order, each once, and nothing of others.
    [ "$(jq -s '[.[1:][].number] | . == unique' one.json)" = true ]
    until_true grep -q 'workflow 1 FINISHED' all.txt
    grep -q 'workflow 1 action 2 (second) RUNNING' all.txt
    pingo submit w.json
    until_true grep -q 'workflow 2' all.txt
    kill -INT "$all"
    status=0
    wait "$all" || status=$?
    [ "$status" -eq 130 ]
}

@test "follow: a workflow that has ended, one that failed, and none" {
    store
    printf '{"name": "f", "actions": [{"id": 1, "name": "a", "type": "command-line", "command": "false"}]}' >f.json
    run -1 pingo run -q f.json
    go status --follow last
    ends_with 1
    prints 'workflow 1 FAILED'
    go status --follow 7
    ends_with 5
    go status --follow 1 a
    ends_with 2
    # What is too much to be told one by one is one line.
    jq -n '{name: "many", actions: [range(1; 401) | {id: ., name: "m\(.)", type: "command-line", command: "echo \(.)"}]}' >many.json
    "$PINGO" status --follow >all.txt &
    all=$!
    STARTED="$STARTED $all"
    sleep 0.3
    until_true eval 'pingo kill last >/dev/null 2>&1; pingo submit many.json >/dev/null; grep -q "workflow [0-9]* much has changed" all.txt'
    kill "$all"
}

@test "status --groups: how many of what are done" {
    store
    jq -n '{name: "g", actions: ([range(1; 6) | {id: ., name: "map_\(.)", type: "command-line",
        command: (if . == 3 then "false" else "echo \(.) > output" end)}]
        + [{id: 9, name: "sum", type: "command-line", command: "cat in/* > output",
            parentActions: [range(1; 6) | {id: ., as: "p\(.)"}]}])}' >g.json
    run -1 pingo run -q g.json
    [ "$(pingo status --groups last --json | jq -c '[.[] | [.name, .actions, .finished, .failed, [.parents[].group]]]')" = \
        '[["map_#",5,4,1,[]],["sum",1,0,1,[0]]]' ]
    go status --groups last
    [[ $output == GROUP*map_#*sum* ]]
    go status --groups
    ends_with 2
    for line in "--groups --attempts" "--groups --follow" "--groups -n 1" "--groups --label k=v"; do
        # shellcheck disable=SC2086 # options
        go status last $line
        ends_with 2 || { echo "$line"; return 1; }
    done
    go status --groups 99
    ends_with 5
}
