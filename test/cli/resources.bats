#!/usr/bin/env bats
# What actions take beside slots: GPUs and licences, which are counted; and what each try gets.
load helper

# kinds RESOURCES... : kinds.json, one action each, which waits for the file go.
kinds() {
    jq -n --arg go "$PWD/go" '{name: "kinds", actions: [$ARGS.positional | to_entries[] |
        {id: (.key + 1), name: "a\(.key + 1)", type: "command-line", resources: (.value | fromjson),
         command: "while [ ! -e \($go) ]; do sleep 0.05; done; echo \(.key) > output"}]}' --args "$@" >kinds.json
}

states() { pingo status "$1" --json | jq -r '[.actions[].state] | join(" ")'; }

@test "licences and GPUs are counted; who waits says for what, and is overtaken by others alone" {
    open_store
    pingo config executor.slots 8
    pingo config executor.local.licences ansys=1,matlab=2
    pingo config executor.local.gpus 2
    kinds '{"licences":{"matlab":1}}' '{"licences":{"matlab":1}}' '{"licences":{"matlab":1,"ansys":1}}' \
        '{"licences":{"ansys":1}}' '{"gpus":2}' '{"gpus":1}' '{}'
    "$PINGO" run kinds.json >out 2>err &
    runner=$!
    STARTED="$STARTED $runner"
    # Which of equals goes first is of no matter here: two licences of matlab at most, one of ansys, 2 GPUs. At least three
    # run: who waits for both licences and came before the others keeps them from matlab.
    held() {
        pingo status 1 --json | jq -e --slurpfile w kinds.json '
            [.actions[] | select(.state == "RUNNING") | .id as $id | $w[0].actions[] | select(.id == $id) | .resources] |
            ([.[].licences.matlab // 0] | add // 0) <= 2 and ([.[].licences.ansys // 0] | add // 0) <= 1 and
            ([.[].gpus // 0] | add // 0) <= 2' >/dev/null
    }
    full() {
        pingo status 1 --json | jq -e '.actions[6].state == "RUNNING" and
            ([.actions[] | select(.state == "RUNNING")] | length >= 3) and
            ([.actions[] | select(.state == "READY" and .message)] | length >= 2)' >/dev/null
    }
    until_true full
    held
    go status 1 --json
    json '[.actions[] | select(.state == "READY")] | length >= 2 and
          all(.message // "" | test("^waits (behind action \"a[1-7]\", which waits )?for [12] (of the licence \"(matlab|ansys)\"|GPUs?): [12] of [12] held$") or . == "")'
    go status 1
    prints 'waits for'
    touch go
    wait "$runner"
    [ "$(states 1)" = "FINISHED FINISHED FINISHED FINISHED FINISHED FINISHED FINISHED" ]
}

@test "who waits behind one that keeps what there is, says so" {
    open_store
    pingo config executor.slots 8
    pingo config executor.local.licences ansys=1,matlab=1
    kinds '{"licences":{"ansys":1}}'
    "$PINGO" run kinds.json >out 2>err &
    first=$!
    STARTED="$STARTED $first"
    runs() { [ "$(states 1)" = RUNNING ]; }
    until_true runs
    # The first of the next submission wants both, what comes behind it the one that is free.
    jq '.name = "both" | .actions[0] |= (.name = "both" | .salt = "1" | .resources.licences = {matlab: 1, ansys: 1})' kinds.json >both.json
    jq '.name = "one" | .actions[0] |= (.name = "one" | .salt = "2" | .resources.licences = {matlab: 1})' kinds.json >one.json
    pingo submit -q both.json
    pingo submit -q one.json
    "$PINGO" run -q --all 2>/dev/null &
    other=$!
    STARTED="$STARTED $other"
    go status 2 --json
    json '.actions[0] | .state == "READY" and .message == "waits for 1 of the licence \"ansys\": 1 of 1 held"'
    go status 3 --json
    json '.actions[0] | .state == "READY" and .message ==
        "waits behind action \"both\" of submission 2, which waits for 1 of the licence \"ansys\": 1 of 1 held"'
    go status 3
    prints 'waits behind action "both" of submission 2'
    touch go
    wait "$first" "$other"
    [ "$(states 2) $(states 3)" = "FINISHED FINISHED" ]
    go status 3 --json
    json '.actions[0].message == null or .actions[0].message == ""'
}

@test "who asks for more than there is fails, and is told of the setting" {
    open_store
    kinds '{"licences":{"matlab":2}}' '{"gpus":1}' '{}'
    touch go
    pingo config executor.local.licences matlab=1
    go run -q kinds.json
    ends_with 1
    says 'asks for 2 of the licence "matlab", and the executor "local" has 1: pingo config executor.local.licences'
    says 'asks for 1 GPU, and the executor "local" has 0: pingo config executor.local.gpus'
    [ "$(states 1)" = "FAILED FAILED FINISHED" ]
    # The same actions with other resources: these count, though their hashes are the same.
    kinds '{"licences":{"matlab":1}}' '{"memoryMB":[10,20]}' '{}'
    go run -q kinds.json
    ends_with 0
    kinds '{"licences":{"matlab":2}}' '{"gpus":1}' '{}'
    jq '.actions[].forceComputation = true' kinds.json >forced.json
    go run -q forced.json
    ends_with 1
    [ "$(states 3)" = "FAILED FAILED FINISHED" ]
    jq '.actions[].salt = "new"' kinds.json >salted.json
    mv salted.json kinds.json
    pingo config executor.local.licences matlab=2,other@host=0
    pingo config executor.local.gpus 1
    go run -q kinds.json
    ends_with 0
}

@test "an action hears how many GPUs it has" {
    pingo init >/dev/null
    pingo config executor.local.gpus 2
    one 'echo "${PINGO_GPUS-none}" >output' '{"resources": {"gpus": 2}}'
    pingo run -q one.json
    [ "$(cat "$(pingo path 1 one)")" = 2 ]
    one 'echo "${PINGO_GPUS-none}" >output; : again'
    pingo run -q one.json
    [ "$(cat "$(pingo path 2 one)")" = none ]
}

@test "settings of counters are checked" {
    store
    local value
    for value in x 'a b=1' a=-1 'a=1,' =1 a=x 'a@=1'; do
        go config executor.local.licences "$value"
        ends_with 2
        says 'is not NAME=NUMBER'
    done
    go config executor.local.licences lic=1,a=1,lica=3,lic=2
    ends_with 2
    says '"lic=1,a=1,lica=3,lic=2" names lic twice'
    pingo config executor.local.licences lic=1,lica=3
    # A store that has such a list from before can be used.
    sqlite3 .pingo/pingo.db "UPDATE setting SET value = 'lic=1,lic=2' WHERE key LIKE '%licences'"
    one 'echo 1 >output' '{"resources": {"licences": {"lic": 2}}}'
    pingo run -q one.json
    go config executor.local.gpus 65
    ends_with 2
    pingo config executor.local.licences none
    go config executor.local.licences
    prints none
}

@test "each try gets what the list says, and the last of it beyond its end" {
    store
    # Once more after the list's end.
    one 'echo "$PINGO_CPUS $PINGO_MEMORY_MB" >>'"$PWD"'/tries; [ "$(wc -l <'"$PWD"'/tries)" -eq 3 ] && echo x >output' \
        '{"retries": 2, "resources": {"memoryMB": [100, 200], "cpus": [2, 1, 2]}}'
    go run -q one.json
    ends_with 0
    [ "$(cat tries)" = "$(printf '2 100\n1 200\n2 200')" ]
    # It is no part of the hash.
    one "$(jq -r '.actions[0].command' one.json)" '{"resources": {"gpus": 3, "licences": {"x": 1}, "grow": false}}'
    go plan one.json
    prints '0 to compute, 1 reused'
}
