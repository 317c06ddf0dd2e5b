#!/usr/bin/env bats
# simulate: histories from files, families and the store; lists, budgets, traces; the same each time.
load helper

PLUGIN=${BUILD:-$BATS_TEST_DIRNAME/../../build}/examples/decision-plugin.so

hash_of() {
    printf '%s' "$1" | sha256sum | cut -d' ' -f1
}

# a <- b <- c*, then a <- d*: 10, 20, 30 and 5 ms; 100, 50, 10 and 5 bytes.
history() {
    local a b c d
    a=$(hash_of a) b=$(hash_of b) c=$(hash_of c) d=$(hash_of d)
    cat <<END
{"at": 1000, "user": "ana", "workflow": "w, \"x\"", "actions": [{"hash": "$a", "parents": [], "sizeBytes": 100, "computeMs": 10}, {"hash": "$b", "parents": ["$a"], "sizeBytes": 50, "computeMs": 20}, {"hash": "$c", "parents": ["$b"], "sizeBytes": 10, "computeMs": 30, "leaf": true}]}
{"at": 2000, "user": "ana", "workflow": "w", "actions": [{"hash": "$a"}, {"hash": "$d", "parents": ["$a"], "sizeBytes": 5, "computeMs": 5, "leaf": true}]}
END
}

@test "simulate: a history run with a pencil" {
    history >h.jsonl
    go simulate h.jsonl --algorithm lru --budget 100 --json --trace t.jsonl
    ends_with 0
    [ -z "$stderr" ]
    [ "$(jq -c '.[0] | [.history, .algorithm, .budget, .budgetBytes, .slots, .seed]' <<<"$output")" = \
        '["h.jsonl","lru","100",100,1,1]' ]
    [ "$(jq -c '.[0] | [.actualMs, .idealMs, .noneMs, .scheduleMs, .rho, .recovered] | map(. + 0)' <<<"$output")" = \
        '[75,65,75,65,1.153846,0]' ]
    [ "$(jq -c '.[0] | [.peakBytes, .evictions, .evictedBytes, .shortfalls, .shortfallBytes]' <<<"$output")" = \
        '[160,3,250,1,15]' ]
    [ "$(jq -r .event t.jsonl | tr '\n' ' ')" = "begin submit run publish run publish evict run \
publish end submit run publish evict shortfall run publish evict end " ]
    [ "$(jq -c 'select(.event == "evict") | .bytes' t.jsonl | tr '\n' ' ')" = "100 50 100 " ]
    [ "$(jq -c 'select(.event == "end") | [.atMs, .submission]' t.jsonl | tr '\n' ' ')" = "[60,1] [75,2] " ]
    [ "$(jq -r 'select(.event == "publish" and .leaf) | .hash' t.jsonl | head -n 1)" = "$(hash_of c)" ]
}

@test "simulate: conditions, lists, standard input, CSV" {
    history >h.jsonl
    run --separate-stderr bash -c '"$1" simulate - --csv --algorithm gdsf:cost=local,reach=3,chain \
        --algorithm lru --budget 50%,1K --slots 1,2 --leaves outside --decide workflow-end --low 90 <h.jsonl' - "$PINGO"
    ends_with 0
    [ "$(wc -l <<<"$output")" -eq 13 ]
    prints 'history,algorithm,budget,budgetBytes,slots,seed,actualMs,idealMs'
    prints '-,"gdsf:cost=local,reach=3",50%,75,1,1,'
    prints '-,chain,1K,1024,2,1,60,60,'
    prints '-,lru,50%,75,2,1,'
    go simulate h.jsonl --algorithm "$PLUGIN" --budget 100
    ends_with 0
    prints "ALGORITHM"
}

@test "simulate: tables with means and pairs" {
    pingo generate --family iter-n --set workflows=40 --seed 5 >5.jsonl
    pingo generate --family iter-n --set workflows=40 --seed 6 >6.jsonl
    go simulate 5.jsonl 6.jsonl --together --algorithm chain,random,clairvoyant --budget 20%
    ends_with 0
    prints "together: 2 samples, 1 slot; ideal"
    prints "AGAINST chain"
    prints "+-"
    [ "$(grep -c -e '^chain ' -e '^random ' -e '^clairvoyant ' <<<"$output")" -eq 3 ]
    # The same generated on the way, but for the seed of random.
    go simulate --family iter-n:workflows=40 --seeds 5-6 --algorithm chain --budget 20% --json
    ends_with 0
    pingo simulate 5.jsonl 6.jsonl --algorithm chain --budget 20% --json |
        jq -c '.[] | [.actualMs, .idealMs, .evictions]' >files
    jq -c '.[] | [.actualMs, .idealMs, .evictions]' <<<"$output" | cmp - files
    [ "$(jq -c '[.[].seed]' <<<"$output")" = '[5,6]' ]
}

@test "simulate: the same with any number of threads" {
    local options=(simulate --family zipf-h:actions=300 --seeds 2 --budget "5%,20%" --slots "1,3" --noise 0.2 --json)
    pingo "${options[@]}" --threads 1 >1.json
    pingo "${options[@]}" --threads 5 >5.json
    pingo "${options[@]}" --trace trace.jsonl >t.json
    cmp 1.json 5.json
    cmp 1.json t.json
    [ "$(grep -c '"begin"' trace.jsonl)" -eq "$(jq length 1.json)" ]
    # Noise moves all policies of a seed alike.
    [ "$(jq -c '[.[] | select(.seed == 1 and .slots == 1) | .idealMs] | unique | length' 1.json)" = 1 ]
    [ "$(jq -c '[.[] | select(.slots == 1) | .idealMs] | unique | length' 1.json)" = 2 ]
}

@test "simulate: the store's own history" {
    store
    words
    pingo run -q words.json
    go simulate --store --json --budget 0 --algorithm lru
    ends_with 0
    [ "$(jq -c '.[0].history' <<<"$output")" = '"store"' ]
    [ "$(jq '.[0].computed' <<<"$output")" -eq 3 ]
}

@test "simulate: what is not known is told" {
    history | sed 's/"sizeBytes": 50, //' >h.jsonl
    go simulate h.jsonl --algorithm lru --budget 100
    ends_with 0
    says "h.jsonl: of 4 actions the time of 0 and the size of 1 are not known"
}

@test "simulate: budgets that results alone fill, and a history of nothing, are told" {
    pingo generate --family iter-n --set workflows=20 -o h.jsonl
    go simulate h.jsonl --algorithm lru --budget 1K,1T
    ends_with 0
    says "h.jsonl: 1 of 2 budgets cannot even hold the results"
    for option in "--leaves outside" --csv --json; do
        # shellcheck disable=SC2086
        go simulate h.jsonl --algorithm lru --budget 1K $option
        ends_with 0
        [ -z "$stderr" ]
    done
    : >empty.jsonl
    go simulate empty.jsonl --algorithm lru --budget 1K
    ends_with 0
    says "empty.jsonl: nothing was ever submitted"
}

@test "simulate: ended by a signal, it says by which" {
    local number
    mkfifo events
    for number in 2 15; do
        # It waits at its first events, until it is told to end.
        env --default-signal=INT "$PINGO" simulate --family uniform-n --algorithm lru -b 5% --trace events >out 2>err &
        local simulation=$! ended=0
        exec 4<events
        read -r -u 4
        kill -"$number" "$simulation"
        cat <&4 >/dev/null
        exec 4<&-
        wait "$simulation" || ended=$?
        [ "$ended" -eq $((128 + number)) ]
        [ ! -s out ]
    done
}

@test "simulate: wrong usage is refused with what would be right" {
    history >h.jsonl
    go simulate
    ends_with 2
    says "give HISTORY files, --family NAME, or --store"
    go simulate h.jsonl --seeds 100001
    ends_with 2
    says "at most 100000"
    cp h.jsonl before.jsonl
    go simulate h.jsonl --trace ./h.jsonl
    ends_with 2
    says "would be written over what is read"
    go simulate h.jsonl --html h.jsonl
    ends_with 2
    cmp h.jsonl before.jsonl
    local wrong
    for wrong in "--algorithm nosuch" "--algorithm chain:reach=x" "--algorithm clairvoyant:no=1" \
        "--budget x" "--budget 1001%" "--budget -5%" "--slots 0" "--slots 1,x" "--seeds 0" "--seeds 5-2" \
        "--decide now" "--leaves no" "--low 101" "--low 95.55" "--noise 11" "--threads 0" "--family nosuch" \
        "--family uniform-n:actions=x" "--csv --json" "- -"; do
        # shellcheck disable=SC2086
        go simulate h.jsonl $wrong <h.jsonl
        ends_with 2
        [ -z "$output" ]
        [ -n "$stderr" ]
    done
    go simulate nothing.jsonl
    ends_with 5
    says "cannot read nothing.jsonl: No such file"
    echo '{"at": 1}' >bad.jsonl
    go simulate bad.jsonl
    ends_with 2
    says "bad.jsonl: line 1"
    go simulate .
    ends_with 5
    says "cannot read .: Is a directory"
    go simulate h.jsonl -b 5 --algorithm lru --csv
    ends_with 0
    says "a budget of 5 is so many bytes; a share would be 5%"
    go simulate h.jsonl --trace -
    ends_with 2
    says "the name of a file, not -"
    go simulate h.jsonl --trace one --html one
    ends_with 2
    says "name the same file"
    [ ! -e one ]
    go simulate h.jsonl --trace nowhere/t
    ends_with 5
    says "nowhere/t"
    go simulate h.jsonl --trace /dev/full
    ends_with 9
    says "/dev/full"
}

# Lines of a history: USER AT FIRST N, of actions that take 100 ms.
submissions() {
    local user at first n
    while read -r user at first n; do
        jq -nc --arg user "$user" --argjson at "$at" --argjson first "$first" --argjson n "$n" '{at: $at, user: $user,
            workflow: "w", actions: [range($n) | {hash: (($first + .) | tostring | ("0" * (64 - length)) + .), parents: [],
            sizeBytes: 1, computeMs: 100, leaf: true}]}'
    done
}

@test "simulate: where submissions arrive at their times, users take turns" {
    submissions >h <<<$'ann 0 1 60\nbob 0 101 60\ncem 500 201 20'
    go simulate h --slots 3 --arrive times --algorithm lru --budget 100% --json
    ends_with 0
    json '.[0] | .jain >= 0.95 and .computed == 140 and .longestWaitMs > 1000 and
          [.users[] | [.user, .weight, .starts, .computeMs]] ==
          [["ann", 1, 60, 6000], ["bob", 1, 60, 6000], ["cem", 1, 20, 2000]] and .users[2].endMs < 3500'
    go simulate h --slots 2 --arrive times --weight cem=8,ann=2 --algorithm lru,random --budget 50%,100%
    ends_with 0
    prints 'USER  WEIGHT   STARTS   COMPUTE  MEAN WAIT  LONGEST WAIT       END'
    prints "Jain's index while all had something ready: "
    go simulate h --arrive times --weight cem=8,ann=2 --weight bo=3 --algorithm lru --budget 100% --json
    ends_with 0
    json '[.[0].users[].weight] == [2, 1, 8]'
    says "no user is called bo"
    # Without turns the order is that of submissions.
    go simulate h --slots 2 --algorithm lru --budget 100% --json
    json '.[0] | .jain == null and .users == []'
    go simulate h --arrive sometimes
    ends_with 2
    go simulate h --weight ann=2
    ends_with 2
    says 'needs --arrive times'
    go simulate h --arrive times --weight ann=0
    ends_with 2
    go simulate h --arrive times --bound
    ends_with 2
}
