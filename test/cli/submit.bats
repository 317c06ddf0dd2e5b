#!/usr/bin/env bats
# plan and submit.
load helper

@test "submit prints the number alone" {
    words
    store
    go submit words.json
    ends_with 0
    [ "$output" = 1 ]
    [ -z "$stderr" ]
    go submit --json words.json
    json '.workflow == 2 and .state == "RUNNING" and (.summary | has("compute") and has("reuse") and has("join") and has("skip"))'
    run --separate-stderr bash -c '"$1" submit - <words.json' - "$PINGO"
    ends_with 0
    [ "$output" = 3 ]
}

@test "relative paths start at the file's directory, or the working directory for standard input" {
    words
    store
    mkdir elsewhere
    cd elsewhere
    go submit ../words.json
    ends_with 0
    run --separate-stderr bash -c '"$1" submit - <../words.json' - "$PINGO"
    ends_with 8
    says "elsewhere/text.txt"
    cd ..
    go status --json
    json 'length == 1'
}

@test "an invalid workflow, a missing input, a missing file: nothing is left in the store" {
    words
    store
    echo '{"name": "x", "actions": []}' >bad.json
    go submit bad.json
    ends_with 3
    [ -z "$output" ]
    says "bad.json:1:"
    rm text.txt
    go submit words.json
    ends_with 8
    says "text.txt"
    go submit nowhere.json
    ends_with 5
    go status --json
    json '. == []'
}

@test "plan: decisions and reasons; changes nothing" {
    words
    store
    go plan words.json
    ends_with 0
    prints "3 to compute, 0 reused, 0 joined, 0 skipped"
    prints "never computed"
    go plan --json words.json
    json '.workflow == "words" and (.actions | length) == 3 and .summary == {"compute":3,"reuse":0,"join":0,"skip":0}'
    json 'all(.actions[]; (.id | type) == "number" and (.name | type) == "string"
        and (.hash | test("^[0-9a-f]{64}$")) and .decision == "compute" and (.reason | length > 0))'
    go status --json
    json '. == []'
    [ "$(pingo plan --json words.json | jq -c '[.actions[].hash]')" = "$(pingo hash --json words.json | jq -c 'map(.hash)')" ]
}

@test "plan after a run: reuse and skip; --check; expected time and bytes" {
    words
    store
    go plan --check words.json
    ends_with 1
    pingo run -q words.json
    go plan --check words.json
    ends_with 0
    prints "0 to compute, 2 reused, 0 joined, 1 skipped"
    [[ $output != *split* ]]
    go plan --all words.json
    prints split
    go plan --json words.json
    json '.summary == {"compute":0,"reuse":2,"join":0,"skip":1}'
    json '[.actions[] | .decision] == ["skip","reuse","reuse"]'
    go plan --force split --json words.json
    json '.summary.compute == 3 and all(.actions[]; .expectedMs >= 0 and .expectedBytes > 0)'
}

@test "plan: what is being computed is joined" {
    words
    store
    pingo submit words.json
    go plan --json words.json
    json '.summary.join == 2 and .summary.compute == 0'
}

@test "--target and --force, by id and by name; unknown and ambiguous ones" {
    words
    store
    go plan --json --target sort words.json
    json '.summary == {"compute":2,"reuse":0,"join":0,"skip":1}'
    go plan --json -t 1 words.json
    json '[.actions[] | select(.decision == "compute").name] == ["split"]'
    pingo run -q words.json
    go plan --json --force 2 words.json
    json '[.actions[] | select(.decision == "compute").name] == ["sort"]'
    go plan --json --force split words.json
    json '.summary.compute == 3'
    go plan --target nonsense words.json
    ends_with 5
    says nonsense
    jq '.actions[2].name = "sort"' words.json >twice.json
    go submit --force sort twice.json
    ends_with 5
    says sort
    go status --json
    json 'length == 1'
}

@test "--priority goes into the store; --strict refuses warnings" {
    words
    store
    pingo submit --priority 7 words.json
    pingo submit --priority=-7 words.json
    go status --json
    json 'map(.priority) == [-7, 7]'
    one 'cat in/nothing > output'
    go submit one.json
    ends_with 0
    says "warning"
    [ "$output" = 3 ]
    go submit --strict one.json
    ends_with 3
    go plan --strict one.json
    ends_with 3
}

@test "a tag finds a submission again, and once submits once" {
    words
    store
    go submit --tag 'job 7' words.json
    ends_with 0
    [ "$output" = 1 ]
    go submit --tag 'job 7' --once words.json
    ends_with 0
    [ "$output" = 1 ]
    go submit --tag 'job 7' --once --json words.json
    json '.workflow == 1 and .found == true'
    go submit --tag 'job 7' words.json
    [ "$output" = 2 ]
    go status --json 1
    json '.tag == "job 7"'
    go status 1
    [[ $output == *'as "job 7"'* ]]
    go run --tag another --once words.json
    ends_with 0
    go run --tag another --once words.json
    ends_with 0
    says "workflow 3 has this tag"
    go submit --once words.json
    ends_with 2
    says "submit: --once goes with --tag"
    go submit --tag "$(printf 'a\nb')" words.json
    says "control characters"
}

@test "one tick reads a large input that declares its sha256, and starts its readers" {
    open_store
    head -c 3000000 /dev/zero >big
    jq -n --arg sum "$(sha256sum big | cut -c1-64)" '{name: "big", actions: [range(1; 3) | {id: ., name: "a\(.)",
        type: "command-line", command: "wc -c < in/big > output; echo \(.) >> output",
        inputs: [{name: "big", path: "big", sha256: $sum}]}]}' >big.json
    pingo submit big.json
    go tick --json
    json '.started == 2'
    go run 1
    ends_with 0
    [ "$(head -n 1 "$(pingo path 1 a1)")" = 3000000 ]
    jq '.actions[].inputs[].sha256 |= "0" * 64 | .name = "other"' big.json >other.json
    go run other.json
    [ "$status" != 0 ]
    says "its SHA-256 is not the one declared"
}
