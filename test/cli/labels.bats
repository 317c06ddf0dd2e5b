#!/usr/bin/env bats
# Labels, and patterns for names: what commands mean by them.
load helper

# sweep.json: kmers of three samples with two lengths, labelled; a summary without labels of its own.
sweep() {
    jq -n '{name: "sweep", labels: {project: "x", sample: "none"}, actions: (
        [range(1; 4) as $s | (21, 31) as $k | {id: ($s * 100 + $k), name: "kmers_s\($s)_k\($k)", type: "command-line",
            labels: {sample: "\($s)", k: "\($k)"}, command: "echo \($s) \($k) > output"}]
        + [{id: 1, name: "summary", type: "command-line", command: "echo done > output"}])}' >sweep.json
}

ids() { # of status --json
    go status last --json "$@"
    ends_with 0
    jq -r '[.actions[].id] | join(" ")' <<<"$output"
}

@test "status: labels, patterns, several actions; no match is an error" {
    sweep
    store
    pingo submit sweep.json
    go status last 121 --json
    json '.actions[0].labels == {k: "21", project: "x", sample: "1"}'
    [ "$(ids --label sample=2)" = "221 231" ]
    [ "$(ids --label sample=2 --label k=31)" = "231" ]
    [ "$(ids --label 'sample=[13]' --label k=21)" = "121 321" ]
    [ "$(ids --label project=x)" = "121 131 221 231 321 331 1" ]
    [ "$(ids --label sample=none)" = "1" ]
    [ "$(ids 'kmers_*_k31' summary)" = "131 231 331 1" ]
    [ "$(ids summary 221 kmers_s1_k21)" = "121 221 1" ]
    [ "$(ids 'kmers*' --label k=31)" = "131 231 331" ]
    go status last --label sample=2
    prints kmers_s2_k21
    [[ $output != *s3* ]]
    go status last --label sample=9
    ends_with 5
    [ -z "$output" ]
    says "no action of workflow 1 has the label sample=9"
    go status last 'x*'
    ends_with 5
    says 'has a name like "x*"'
    go status last --label sample
    ends_with 2
    # Without a workflow: those that have such an action.
    one 'echo > output' '{"labels": {"sample": "7"}}'
    pingo submit one.json
    [ "$(pingo status --json --label sample=2 | jq -c 'map(.workflow)')" = "[1]" ]
    [ "$(pingo status --json --label 'sample=[27]' | jq -c 'map(.workflow)')" = "[2,1]" ]
    [ "$(pingo status --json --label 'sample=*' --limit 1 | jq -c 'map(.workflow)')" = "[2]" ]
    go status --label sample=7
    ends_with 0
    prints single
    [[ $output != *sweep* ]]
    go status --label sample=2 --label k=99
    ends_with 5
    says "no workflow has an action with these labels"
    go status --label sample
    ends_with 2
    go status --label sample=2 --after '' --limit 1 # it would tell of no next one
    ends_with 2
    # One that was forgotten has no labels any more, and hides none of the others.
    pingo kill -q 2
    pingo forget -q 2
    [ "$(pingo status --json --label 'sample=[27]' | jq -c 'map(.workflow)')" = "[1]" ]
}

@test "datasets: by label over the whole store; the labels are told" {
    sweep
    store
    pingo run -q sweep.json
    jq '.name = "other" | .labels = {project: "y"} | .actions |= map(select(.id < 130) | .command += " 2>&1")' sweep.json >other.json
    pingo run -q other.json
    names() {
        go datasets --json "$@"
        ends_with 0
        jq -r '[.[].name] | sort | join(" ")' <<<"$output"
    }
    [ "$(names --label sample=3)" = "kmers_s3_k21 kmers_s3_k31" ]
    [ "$(names --label sample=1 --label k=21)" = "kmers_s1_k21 kmers_s1_k21" ]
    [ "$(names --label sample=1 --label project=y)" = "kmers_s1_k21" ]
    [ "$(names --label sample=1 --label k=21 -w sweep)" = "kmers_s1_k21" ]
    [ "$(names --label 'sample=[12]' 'kmers*_k31')" = "kmers_s1_k31 kmers_s2_k31" ]
    go datasets --label sample=2 --label k=21 --json
    json '.[0].labels == {k: "21", project: "x", sample: "2"}'
    go datasets --label sample=8
    ends_with 5
    says "no such dataset was made by an action with this label"
    go datasets --label =8
    ends_with 2
    pingo rm 1 'kmers_s3*'
    pingo tick
    go datasets --label sample=3
    ends_with 5
    says "what actions with this label made is deleted (--all shows it)"
    go datasets --label sample=3 --all
    ends_with 0
    go provenance 1 231
    prints "label     sample=2"
    go provenance 1 231 --json
    json '.actions[0].labels.k == "31"'
}

@test "path, rm, keep, release: several operands, patterns, labels, hashes" {
    sweep
    store
    pingo run -q sweep.json
    go path last 'kmers_s1*' summary
    ends_with 0
    [ "${#lines[@]}" = 3 ]
    # In the order of the operands' actions, not of their hashes.
    go path last --label project=x --json
    json '[.[].name] == (map(.name) | sort)'
    go path last --label k=21 --json
    json 'length == 3 and all(.[]; (.path | startswith("/")) and (.name | endswith("k21")))'
    go path last summary --json
    json '.state == "LEAF"'
    go release last 'kmers_s1*' 'kmers_s2*'
    says "released 4 datasets"
    go keep last --label sample=1
    says "kept 2 datasets"
    go rm last 'kmers_s3*' summary --json
    ends_with 0
    json '.hashes | length == 3'
    # What a pattern meets and is gone is passed over; what is named must be there.
    go rm last 'kmers_s[23]*' --json
    ends_with 0
    json '(.hashes | length) == 2 and .passedOver == 2'
    go rm last 'kmers_s3*'
    ends_with 5
    says "nothing of what is meant is stored"
    go rm last summary 121
    ends_with 5
    says "is being deleted already; the next tick removes its bytes"
    [[ $stderr != *STORED_TO_DELETE* ]]
    pingo tick
    go rm last summary
    ends_with 5
    says "is deleted already"
    [[ $stderr != *DELETED* ]]
    mapfile -t hashes < <(pingo datasets --json | jq -r '.[].hash[:12]')
    [ "${#hashes[@]}" = 1 ]
    go path "${hashes[0]}"
    ends_with 0
    go path last 'nothing*'
    ends_with 5
    go rm last
    ends_with 2
    says "name the action too"
}

@test "kill: several actions and patterns; what ended with another is passed over" {
    sweep
    store
    pingo submit sweep.json
    go kill last 'kmers_s1*' summary
    ends_with 0
    says "killed 3 actions"
    [ "$(pingo status last --json | jq '[.actions[] | select(.state == "KILLED")] | length')" = 3 ]
    go kill last 'kmers_s[12]*'
    says "killed 2 actions"
    go kill last 'kmers_s1*'
    ends_with 5
    says "has ended already"
    go kill last
    ends_with 0
}

@test "keep, release, kill: many actions are on the disk after one sync, before they are told" {
    command -v strace >/dev/null || skip "no strace"
    sweep
    store
    pingo run -q sweep.json
    local command
    for command in "release last kmers* summary" "keep last kmers*" "kill last kmers*"; do
        [[ $command != kill* ]] || { jq ".actions[].command += \" \"" sweep.json >more.json && pingo submit more.json; }
        # shellcheck disable=SC2086 # words
        strace -qq -f -e trace=fdatasync,write -o trace "$PINGO" ${command%% *} --json ${command#* }
        # No more than a small log is synced at the end.
        [ "$(grep -c fdatasync trace)" -le 2 ]
        [[ $(grep -E 'fdatasync|write\(1,' trace | tail -n 1) == *'write(1,'* ]]
    done
}

@test "export: several actions, patterns, labels; names that repeat get their ids" {
    sweep
    store
    jq '.actions[0].name = "same" | .actions[2].name = "same"' sweep.json >twice.json
    pingo run -q twice.json
    go export last 'same*' summary out
    ends_with 0
    [ "$(cd out && echo *)" = "same-121 same-221 summary" ]
    go export last --label k=31 out31
    [ "$(cd out31 && echo *)" = "kmers_s1_k31 kmers_s2_k31 kmers_s3_k31" ]
    go export last 'nothing*' none
    ends_with 5
    [ ! -e none ]
}
