#!/usr/bin/env bats
# Commands that change: export, rm, release, kill.
load helper

@test "export: the leaves by name with the output's extension; what was written is printed" {
    words
    store
    pingo run -q words.json
    go export last results
    ends_with 0
    [ "$(sort <<<"$output" | xargs -n1 basename | xargs)" = "count.txt sort" ]
    [ "$(cat results/count.txt)" -eq 9 ]
    [ "$(wc -l <results/sort)" -eq 9 ]
    [ ! -L results/sort ]
    echo >>results/sort
    pingo fsck --deep >/dev/null
    go export last split here --json
    ends_with 0
    json '.workflow == 1 and (.exported | length) == 1 and .exported[0].name == "split" and .exported[0].id == 1
        and .exported[0].sizeBytes > 0 and (.exported[0].path | endswith("here/split"))'
    go export --force 1 results
    ends_with 0
    [ "$(wc -l <results/sort)" -eq 9 ]
}

@test "export: names that repeat get the id; --link makes links" {
    words
    store
    jq '.actions[1].name = "same" | .actions[2].name = "same" | .actions[2].output = "output" |
        .actions[2].command = "wc -l < in/words > output"' words.json >same.json
    pingo run -q same.json
    go export last d
    ends_with 0
    [ -f d/same-2 ]
    [ -f d/same-3 ]
    go export --link last 3 e
    [ -L e/same ]
    [ "$(cat e/same)" -eq 9 ]
}

@test "export: directories" {
    store
    one 'mkdir -p output/a/b; echo x > output/a/b/c; ln -s b output/a/l'
    pingo run -q one.json
    go export last .
    ends_with 0
    [ "$(cat one/a/l/c)" = x ]
    [ "$(readlink one/a/l)" = b ]
    rm -r one
}

@test "export: what is not computed, unknown, or cannot be written" {
    words
    store
    pingo submit words.json
    go export 1 d
    ends_with 5
    go export 9 d
    ends_with 5
    go export 1 nonsense d
    ends_with 5
    pingo run -q 1
    : >file
    go export 1 file
    [ "$status" -ne 0 ]
    [ ! -s file ]
}

@test "rm: the bytes go at the next tick, a later run computes it again" {
    words
    store
    pingo run -q words.json
    path=$(pingo path last split)
    go rm last split
    ends_with 0
    [ -z "$output" ]
    says "deleted"
    pingo tick >/dev/null
    [ ! -e "$path" ]
    go path last split
    ends_with 5
    says DELETED
    go rm last split
    ends_with 5
    go run --target split words.json
    ends_with 0
    says "ran 1"
    hash=$(pingo hash --json words.json | jq -r '.[0].hash')
    go rm "${hash:0:8}" --json
    json ".hash == \"$hash\""
}

@test "rm, keep: what no action has made is not said to be deleted" {
    store
    one false
    go run one.json
    ends_with 1
    for verb in rm keep; do
        go "$verb" last 1
        ends_with 5
        says "was never made: its action did not finish"
    done
}

@test "rm: what an unfinished action claims stays" {
    words
    store
    pingo config sandbox off # the gate lies outside
    pingo run -q --target split words.json
    one "touch $PWD/up; while [ ! -e $PWD/go ]; do sleep 0.05; done; cp in/words output"
    jq -s '.[0].actions[0] as $split | .[1] | .actions[0].id = 2 | .actions[0].parentActions = [{id: 1, as: "words"}] |
        .actions = [$split] + .actions' words.json one.json >held.json
    "$PINGO" run -q held.json &
    runner=$!
    STARTED=$runner
    until_true test -e up
    go rm 1 split
    ends_with 5
    says "claimed"
    go datasets --json
    json 'any(.[]; .name == "split" and .claims == 1)'
    # Of several it is named, and the others go all the same.
    printf '%s' '{"name": "others", "actions": [{"id": 1, "name": "a", "type": "command-line", "command": "echo a >output"}]}' >o.json
    pingo run -q o.json
    other=$(pingo datasets --json | jq -r '.[] | select(.name == "a").hash')
    held=$(pingo datasets --json | jq -r '.[] | select(.name == "split").hash')
    go rm "$held" "$other"
    ends_with 5
    says "${held:0:12}: the dataset is claimed by action"
    says "deleted ${other:0:12}"
    go datasets --json
    json 'all(.[]; .name != "a" or (.state | contains("DELET"))) and any(.[]; .name == "split")'
    touch go
    wait "$runner"
}

@test "release: a workflow's leaves, one dataset, by hash" {
    words
    store
    pingo run -q words.json
    go release last count --json
    ends_with 0
    json '.released == 1'
    [ "$(pingo datasets --json | jq -r '.[] | select(.name == "count").state')" = STORED ]
    go release 1
    ends_with 0
    says "released 1 dataset"
    [ "$(pingo datasets --state LEAF --json)" = "[]" ]
    go release nonsense
    ends_with 5
    pingo run -q words.json
    hash=$(pingo hash --json words.json | jq -r '.[2].hash')
    go release "${hash:0:16}"
    ends_with 0
}

@test "release: what is not made yet will be no result" {
    words
    store
    pingo submit words.json
    go release 1 count
    ends_with 0
    says "1 dataset is not made yet, and will be no result"
    go release 1 --json
    json '.released == 0 and .unmade == 2' # of all that it had wanted
    pingo run -q 1
    [ "$(pingo datasets --state LEAF --json)" = "[]" ]
    go release 1
    ends_with 0
    says 'nothing'
}

@test "release: what another submission asked for stays, until that releases it too" {
    words
    store
    pingo run -q words.json
    jq '.actions += [{id: 4, name: "more", type: "command-line", command: "cat in/words > output",
        parentActions: [{id: 1, as: "words"}]}]' words.json >more.json
    pingo run -q more.json
    go release 1
    ends_with 0
    says "2 of these stay: they are also results of workflow 2"
    leaves() { pingo datasets --state LEAF --json | jq -r '[.[].name] | sort | join(" ")'; }
    [ "$(leaves)" = "count more sort" ]
    go release 1 --json
    json '.released == 0 and .wanted == 2 and .wantedBy == 2'
    go release 2 count
    says "released 1 dataset"
    [ "$(leaves)" = "more sort" ]
    pingo run -q words.json
    [ "$(leaves)" = "count more sort" ]
    go release 2 sort
    says "1 of these stays: it is also a result of workflow 3"
    go release 2
    says "released 1 dataset"
    [ "$(leaves)" = "count sort" ]
    hash=$(pingo hash --json words.json | jq -r '.[1].hash')
    go release "${hash:0:16}"
    says "released 1 dataset"
    go release 3 --json
    json '.released == 1 and .wanted == 0 and .wantedBy == null'
}

@test "release --superseded: what the newest submission of a name no longer asks for" {
    words
    store
    pingo run -q words.json
    jq 'del(.actions[2])' words.json >less.json
    for target in sort split; do pingo run -q --target $target less.json; done
    go release --superseded words
    ends_with 0
    says "released 2 datasets"
    [ "$(pingo datasets --state LEAF --json | jq -r '.[].name')" = split ]
    go release --superseded words
    says "nothing to release"
    go release --superseded nobody
    ends_with 5
    go release --superseded words 1
    ends_with 2
    go release
    ends_with 2
}

@test "kill: what waits at once; a workflow that has ended: status 5" {
    words
    store
    pingo submit words.json
    go kill 1 --json
    ends_with 0
    json '.workflow == 1 and .killed == 3'
    go status 1 --json
    json '.state == "KILLED"'
    go kill 1
    ends_with 5
    go kill 9
    ends_with 5
}

@test "kill: what another workflow needs goes on, and that is said" {
    words
    store
    pingo submit words.json
    pingo submit words.json
    go kill 1
    ends_with 0
    says "killed 0 actions of workflow 1"
    says "others need"
    go status 1 --json
    json '.state == "KILLED"'
    go kill 2
    ends_with 0
    ! grep -q "others need" <<<"$stderr"
}

@test "kill one action: what descends from it goes too, the rest goes on" {
    words
    store
    pingo submit words.json
    go kill 1 count
    ends_with 0
    go run 1
    ends_with 1
    go status 1 --json
    json '[.actions[].state] == ["FINISHED","FINISHED","KILLED"]'
}

@test "keep: of several, what cannot be is named, and the others are" {
    store
    jq -n '{name: "w", actions: [
        {id: 1, name: "good", type: "command-line", command: "echo > output"},
        {id: 2, name: "bad", type: "command-line", command: "exit 1"}]}' >w.json
    go run w.json
    ends_with 1
    go keep --json last good bad
    ends_with 5
    says "  bad: the dataset was never made: its action did not finish"
    json '.kept == 1'
}

@test "export: a name that another gets by its id; one that is missing does not keep the rest" {
    store
    jq -n '{name: "names", actions: ([[1, "a"], [2, "a"], [3, "a-2"], [4, "bad"], [5, "z"]] | map(
        {id: .[0], name: .[1], type: "command-line",
         command: (if .[1] == "bad" then "exit 1" else "echo \(.[0]) > output" end)}))}' >names.json
    go run -q names.json
    ends_with 1
    go export last d --json
    ends_with 5
    says "action 4 (bad) is not there: it did not finish"
    json '[.exported[].id] == [1, 2, 3, 5]'
    [ "$(cd d && echo *)" = "a-1 a-2 a-2-3 z" ]
    [ "$(cat d/a-1 d/a-2 d/a-2-3 d/z | xargs)" = "1 2 3 5" ]
}
