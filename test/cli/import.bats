#!/usr/bin/env bats
# import: runs of other systems become a history.  Needs no store.
load helper

# A run of N tasks: one makes what the others read, told apart by their arguments.  1.5.
split() { # N
    jq -n --argjson n "$1" '{name: "words-0", schemaVersion: "1.5", workflow: {
      specification: {
        files: [{id: "text", sizeInBytes: 100}, {id: "base", sizeInBytes: 50}],
        tasks: ([{name: "prep_ID0", id: "t0", parents: [], inputFiles: ["text"], outputFiles: ["base"]}] +
          [range(1; $n) | {name: "work_ID\(.)", id: "t\(.)", parents: ["t0"], inputFiles: ["base"]}])},
      execution: {tasks: [range(0; $n) | {id: "t\(.)", runtimeInSeconds: 2.5,
        command: {program: (if . == 0 then "prep" else "work" end), arguments: ["\(.)"]}}]}}}'
}

# The same in 1.4 (parents by name) or 1.3.
joined() { # N VERSION
    jq -n --argjson n "$1" --arg version "$2" '
      (if $version == "1.4" then ["sizeInBytes", "runtimeInSeconds"] else ["size", "runtime"] end) as [$size, $time] |
      {name: "words-0", schemaVersion: $version, wms: {name: "Pegasus", version: "5"}, workflow: {tasks: [
        range(0; $n) | {name: (if . == 0 then "prep_ID0" else "work_ID\(.)" end), id: "ID\(.)", type: "compute",
          parents: (if . == 0 then [] else ["prep_ID0"] end), ($time): 2.5,
          command: {program: (if . == 0 then "prep" else "work" end), arguments: ["\(.)"]},
          files: (if . == 0 then [{name: "text", ($size): 100, link: "input"}, {name: "base", ($size): 50, link: "output"}]
            else [{name: "base", ($size): 50, link: "input"}] end)}]}}'
}

# The numbers of actions of the submissions that were printed.
counts() {
    jq -c '.actions | length' <<<"$output" | tr '\n' ' '
}

@test "import: growth goes from small to large, whatever the order of files; versions agree" {
    split 6 >c.json
    joined 4 1.4 >a.json
    joined 2 1.3 >b.json
    go import wfformat a.json c.json b.json --submissions 3
    ends_with 0
    [ "$(counts)" = "2 4 6 " ]
    says "runs 3, applications 1, tasks 12, distinct 6; submissions 3, distinct actions 6"
    first=$output
    go import wfformat c.json b.json a.json --as growth --submissions 3
    [ "$output" = "$first" ]
    jq -es '.[0] | .at == "2020-01-01T00:00:00.000Z" and .user == "u1" and .workflow == "words"
      and .actions[0].sizeBytes == 50 and .actions[0].computeMs == 2500 and .actions[1].leaf
      and .actions[1].parents == [.actions[0].hash]' <<<"$first"
}

@test "import: seed, number of submissions, --output, standard input" {
    split 3 >a.json
    split 5 >b.json
    go import wfformat a.json b.json --output h.jsonl
    ends_with 0
    [ -z "$output" ]
    [ "$(wc -l <h.jsonl)" -eq 8 ]
    go import wfformat a.json b.json
    [ "$output" = "$(cat h.jsonl)" ]
    go import wfformat a.json b.json --seed 1 --submissions 20
    one=$output
    [ "$(wc -l <<<"$one")" -eq 20 ]
    go import wfformat a.json b.json --seed 2 --submissions 20
    [ "$output" != "$one" ]
    run --separate-stderr bash -c '"$1" import wfformat - --submissions 1 <b.json' - "$PINGO"
    ends_with 0
    [ "$(counts)" = "5 " ]
}

@test "import: each kind arranges in its own way" {
    split 3 >w-1l-2c-001.json
    split 5 >w-2l-1c-001.json
    split 7 >w-1l-10c-001.json
    go import wfformat w-*.json --as sweep --submissions 6
    ends_with 0
    [ "$(counts)" = "3 7 5 5 3 7 " ]
    go import wfformat w-*.json --as users --users 2 --submissions 30 --seed 4
    ends_with 0
    [ "$(jq -r .user <<<"$output" | sort -u | tr '\n' ' ')" = "u1 u2 " ]
    go import wfformat w-*.json --as code-change --every 5 --submissions 30
    ends_with 0
    says "distinct 7; submissions 30, "
    [ "$(jq -r '.actions[].hash' <<<"$output" | sort -u | wc -l)" -gt 7 ]
    go import wfformat w-*.json --as targets --targets 1 --submissions 9
    ends_with 0
    jq -es 'all(.[]; .actions == [.actions[0]] and .actions[0].leaf)' <<<"$output"
}

@test "import: what it prints is a history" {
    split 4 >a.json
    pingo import wfformat a.json >h.jsonl
    jq -s '{history: ., freeBytes: 1, stored: [{hash: .[0].actions[0].hash}]}' h.jsonl >s.json
    go decide --scenario s.json
    ends_with 0
    prints "1 dataset would go, 50 B"
}

@test "import: a bad file is refused with its place, and nothing is written" {
    split 3 >a.json
    jq '.workflow.tasks[1].parents = ["nobody"]' <(joined 2 1.4) >bad.json
    echo kept >h.jsonl
    go import wfformat a.json bad.json --output h.jsonl
    ends_with 2
    says "bad.json: line "
    says '/workflow/tasks/1/parents/0: no task has the id or the name "nobody"'
    [ -z "$output" ]
    [ "$(cat h.jsonl)" = kept ]
    echo '{"name": "x", "schemaVersion": "1.4", ' >broken.json
    go import wfformat broken.json
    ends_with 2
    says "broken.json: line 2, column 1: "
    go import wfformat nowhere.json
    ends_with 5
    says "nowhere.json"
    go import wfformat a.json --output nowhere/h.jsonl
    ends_with 5
    says "cannot write nowhere/h.jsonl"
}

@test "import: runs without times and sizes are told" {
    echo '{"name": "x", "schemaVersion": "1.6", "workflow": {"specification": {"tasks": [{"name": "a", "id": "a"}]}}}' >a.json
    go import wfformat a.json --submissions 1
    ends_with 0
    says "not known: the time of 1 of the tasks, the size of 1"
    json '.actions[0].computeMs == null and .actions[0].sizeBytes == null'
}

@test "import: wrong usage" {
    split 3 >a.json
    go import cwl a.json
    ends_with 2
    says "there is wfformat"
    go import wfformat
    ends_with 2
    ln -s a.json link.json
    cp a.json before.json
    go import wfformat a.json -o link.json
    ends_with 2
    says "--output link.json would be written over what is read"
    cmp a.json before.json
    go import wfformat a.json --as grow
    ends_with 2
    says "did you mean growth?"
    go import wfformat a.json --users 3
    ends_with 2
    says "--users does not go with this --as"
    go import wfformat a.json --users 0
    ends_with 2
    says "--users does not go with this --as"
    [ "$(grep -c "^pingo: " <<<"$stderr")" -eq 1 ]
    go import wfformat a.json --submissions 0
    ends_with 2
    go import wfformat a.json --seed x
    ends_with 2
}
