#!/usr/bin/env bats
# pingo history: what was submitted, computed and reused, in any period, and the way out of the store.
load helper

# Runs words.json, runs it again, forces one action, and runs another workflow as someone else.
four() {
    words
    store
    pingo run -q words.json
    pingo run -q words.json
    pingo run -q --force sort words.json
    one 'echo x > output'
    pingo run -q one.json
}

@test "history: nothing yet" {
    store
    go history
    ends_with 0
    prints "submissions     0"
    go history --by day
    ends_with 0
    [ -z "$output" ]
    says "nothing was submitted"
    go history --by day --json
    json 'length == 0'
    go history --export
    ends_with 0
    [ -z "$output" ]
}

@test "history: counts submissions, what was computed, reused and skipped" {
    four
    go history
    ends_with 0
    prints "submissions     4"
    prints "10: 5 computed, 0 joined, 4 reused, 1 skipped"
    prints "50.0 %"
    go history --json
    json 'length == 1 and .[0].submissions == 4 and .[0].mentions == 10 and .[0].computed == 5'
    json '.[0].reused == 4 and .[0].skipped == 1 and .[0].joined == 0 and .[0].reuseRate == 0.5'
    json '.[0].spentMs >= 0 and .[0].savedMs >= 0 and .[0].madeBytes > 0'
    json '.[0].from == null and .[0].user == null and .[0].workflow == null'
}

@test "history --by: a row for each workflow, user, minute, hour, day" {
    four
    go history --by workflow --json
    json 'map(.workflow) == ["single", "words"] and map(.submissions) == [1, 3] and map(.computed) == [1, 4]'
    go history --by user --json
    json 'length == 1 and .[0].user != null and .[0].submissions == 4'
    for by in minute hour day; do
        go history --by $by --json
        json '([.[].submissions] | add) == 4 and ([.[].mentions] | add) == 10 and (map(.from) == (map(.from) | sort))'
        json 'all(.[]; .from | test("^20[0-9-]+T[0-9:]+\\.000Z$"))'
    done
    go history --by day --json
    json 'all(.[]; .from | test("T00:00:00.000Z$"))'
    go history --by workflow
    ends_with 0
    [[ ${lines[0]} == WORKFLOW* ]]
    [[ ${lines[2]} == words*3*9* ]]
}

@test "history: workflows, users and actions can be picked" {
    four
    go history --workflow words --json
    json '.[0].submissions == 3 and .[0].mentions == 9'
    go history --workflow words --user "$(id -un)" --until 2020-01-01 --json
    json '.[0].submissions == 0 and .[0].reuseRate == null'
    go history --workflow word
    ends_with 5
    says 'no workflow named "word" was submitted; did you mean "words"?'
    for format in --json --export "--by day"; do
        # shellcheck disable=SC2086 # words
        go history --user nobody-here $format
        ends_with 5
        says "user nobody-here has submitted nothing"
    done
    hash=$(pingo status 1 --json | jq -r '.actions[] | select(.name == "sort") | .hash')
    go history --action "${hash:0:12}" --json
    json '.[0].submissions == 3 and .[0].mentions == 3 and .[0].computed == 2 and .[0].reused == 1'
    go history --action "$hash" --by workflow --json
    json 'map(.workflow) == ["words"]'
    go history --action 0123
    ends_with 5
    says "no action that was submitted then"
    go history --action 01
    ends_with 5
    says "give at least 4"
    go history --action 012x
    ends_with 5
    says "lower-case hex digits"
}

@test "history --since, --until: a period, in times or in how long ago" {
    four
    go history --since 1h --json
    json '.[0].submissions == 4'
    go history --until 1h --json
    json '.[0].submissions == 0'
    go history --since 2020-01-01 --until 2021-01-01T00:00:00+02:00 --json
    json '.[0].submissions == 0'
    at=$(pingo history --export | sed -n 2p | jq -r .at)
    go history --since "$at" --json
    json '.[0].submissions == 3'
    go history --until "$at" --json
    json '.[0].submissions == 1'
    for wrong in yesterday 7 7y -7d 2026-02-30 2026-13-01 2026-01-01T00:00:00 2026-01-01T00:00:00+1 ''; do
        go history "--since=$wrong"
        ends_with 2
        says "takes a time such as"
    done
}

@test "history --csv: names with commas and quotes" {
    store
    one 'echo x > output'
    sed -i 's/"single"/"a, \\"b\\""/' one.json
    pingo run -q one.json
    go history --by workflow --csv
    ends_with 0
    [ "${lines[0]}" = "from,workflow,user,submissions,mentions,computed,joined,reused,skipped,reuseRate,spentMs,savedMs,madeBytes,evictedBytes" ]
    [[ ${lines[1]} == ',"a, ""b""",,1,1,1,0,0,0,0.0000,'* ]]
    [ "${#lines[@]}" -eq 2 ]
}

@test "history: what was evicted counts, and when; what a person removed does not" {
    four
    pingo rm "$(pingo status 4 --json | jq -r '.actions[0].hash')"
    pingo tick >/dev/null
    go history --workflow single --json
    json '.[0].evictedBytes == 0'
    pingo config pool.budget 0
    pingo tick >/dev/null
    go history --workflow words --json
    json '.[0].evictedBytes == 44'
    go history --workflow words --by day --json
    json '([.[].evictedBytes] | add) == 44'
    # It was made before the period, and evicted in it.
    at=$(pingo history --export | tail -n 1 | jq -r .at)
    go history --since "$at" --json
    json '.[0].evictedBytes == 44 and .[0].submissions == 1'
    go history --until "$at" --json
    json '.[0].evictedBytes == 0 and .[0].submissions == 3'
}

@test "history --export: a line of JSON for each submission" {
    four
    go history --export
    ends_with 0
    [ "${#lines[@]}" -eq 4 ]
    jq -se 'all(.[]; (.at | test("^20[0-9-]+T[0-9:]+\\.[0-9]{3}Z$")) and (.user | length) > 0)' <<<"$output"
    jq -se 'map(.workflow) == ["words", "words", "words", "single"]' <<<"$output"
    jq -se '.[0].actions | map(.parents | length) == [0, 1, 1] and .[1].parents[0] == .[0].hash
        and map(.leaf) == [false, true, true] and all(.[]; .sizeBytes > 0 and .computeMs >= 0 and .forced == false)' <<<"$output"
    jq -se 'map([.actions[].decision]) == [["compute","compute","compute"],["skip","reuse","reuse"],
        ["reuse","compute","reuse"],["compute"]]' <<<"$output"
    jq -se '[.[2].actions[].forced] == [false, true, false]' <<<"$output"
    go history --export --workflow single
    [ "${#lines[@]}" -eq 1 ]
    go history --export --action "$(pingo status 1 --json | jq -r '.actions[2].hash')"
    [ "${#lines[@]}" -eq 3 ] # those that have it, be it not their first
}

@test "history: of several generations the mean of the times, and the last size" {
    store
    one 'cat /proc/uptime > output'
    for _ in 1 2 3; do
        pingo run -q --force one one.json
    done
    python3 -c 'import sqlite3
with sqlite3.connect(".pingo/pingo.db") as store:
    store.execute("UPDATE dataset SET compute_ms = 10 * generation * generation")
    store.execute("UPDATE object SET size_bytes = (SELECT 100 * generation FROM dataset WHERE object = object.id)")'
    pingo history --export | tail -n 1 >last
    jq -e '.actions[0] | .computeMs == 46 and .sizeBytes == 300' last
    # What was not measured is no zero.
    python3 -c 'import sqlite3
with sqlite3.connect(".pingo/pingo.db") as store:
    store.execute("UPDATE dataset SET compute_ms = NULL WHERE generation = 2")'
    pingo history --export | jq -se '.[0].actions[0].computeMs == 50'
}

@test "history --export --anonymous: no name, no hash, the same graph" {
    four
    pingo history --export >plain
    pingo history --export --anonymous >other
    pingo history --export --anonymous >third
    run ! cmp -s other third
    run ! grep -Eq 'words|single' other
    jq -r '.actions[].hash' plain | sort -u >hashes
    run ! grep -qFf hashes other
    jq -se 'map(.user) == ["u1","u1","u1","u1"] and map(.workflow) == ["w1","w1","w1","w2"]' other
    # shellcheck disable=SC2016 # jq's variables
    shape='map(.actions | map(.hash) as $h | map([(.parents | map(. as $p | $h | index($p))), .sizeBytes, .computeMs, .leaf]))'
    [ "$(jq -cs "$shape" plain)" = "$(jq -cs "$shape" other)" ]
}

@test "history: options that do not go together are refused" {
    store
    go history --csv --json
    ends_with 2
    go history --export --by day
    ends_with 2
    go history --export --json
    ends_with 2
    go history --anonymous
    ends_with 2
    go history --by year
    ends_with 2
    says "minute, hour, day, workflow or user"
}

@test "history: a broken pipe ends it quietly, and no store is said" {
    four
    pingo history --export | head -c 1 >/dev/null
    cd /
    go history
    ends_with 4
}
