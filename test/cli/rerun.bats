#!/usr/bin/env bats
# rerun: what was submitted once is submitted once more, and runs.
load helper

@test "rerun: what failed is computed, what is there is reused, and the text is that of then" {
    store
    cat >flaky.json <<'J'
{"name": "flaky", "actions": [
 {"id": 1, "name": "first", "type": "command-line", "command": "echo 1 > output"},
 {"id": 2, "name": "second", "type": "command-line", "command": "cat in/one \"$WANTED\" > output",
  "parentActions": [{"id": 1, "as": "one"}], "sandbox": false, "env": {"WANTED": "/nowhere"}}]}
J
    sed -i "s|/nowhere|$PWD/wanted|" flaky.json
    go run flaky.json
    ends_with 1
    rm flaky.json
    go run 1
    ends_with 1
    says 'pingo rerun 1'
    echo 2 >wanted
    go rerun 1
    ends_with 0
    [ -z "$output" ]
    says 'workflow 2 (1 again): 1 to compute, 1 reused'
    says 'ran 1, reused 1'
    [ "$(cat "$(pingo path 2 2)")" = "1
2" ]
    go rerun last --json -q
    ends_with 0
    json '.workflows[0].workflow == 3 and .workflows[0].state == "FINISHED" and .ran == 0'
    go rerun 1 2 --force first -q --json
    ends_with 0
    json '(.workflows | map(.workflow)) == [4, 5] and .ran + .joined >= 2'
}

@test "rerun: the targets are those of then, until others are named" {
    words
    store
    pingo run -q --target split words.json
    go rerun 1 --json -q
    ends_with 0
    json '.workflows[0].summary.compute == 0'
    [ "$(jq '.workflows[0].actions | map(select(.state != null)) | length' <<<"$output")" -le 1 ]
    go rerun 1 --target count --json -q
    ends_with 0
    json '.workflows[0].summary.compute > 0'
    go rerun 1 --target nobody
    ends_with 5
}

@test "rerun: what is not there, was forgotten, or wants what is gone" {
    words
    store
    go rerun
    ends_with 2
    go rerun words.json
    ends_with 5
    go rerun 1
    ends_with 5
    pingo run -q words.json
    go rerun 1 99
    ends_with 5
    go run words.json 99
    ends_with 5
    says 'workflow 99'
    go status 2 # nothing was submitted before that was found
    ends_with 5
    mv text.txt elsewhere
    go rerun 1
    ends_with 8
    says 'text.txt'
    mv elsewhere text.txt
    pingo forget 1
    go rerun 1
    ends_with 5
    says 'forgotten'
    go rerun --once 1
    ends_with 2
}

@test "rerun: in another process, and by the words of others" {
    store
    one 'echo 1 > output; sleep 0.2'
    pingo run -q one.json
    go rerun 1 --force 1 --detach
    ends_with 0
    [ "$output" = 2 ]
    go wait --grace 600s 2
    ends_with 0
    go retry 1
    ends_with 2
    says '"rerun"'
}
