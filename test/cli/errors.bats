#!/usr/bin/env bats
# What failed: sums and the attempts that they are of.
load helper

three() {
    store
    cat >w.json <<'X'
{"name": "w", "actions": [
 {"id": 1, "name": "good", "type": "command-line", "command": "echo 1 > output"},
 {"id": 2, "name": "bad", "type": "command-line", "command": "echo 'cannot open /a/b12.txt: 17' >&2; exit 3"},
 {"id": 3, "name": "worse", "type": "command-line", "command": "echo 'cannot open /q/b3.txt: 4' >&2; exit 3"},
 {"id": 4, "name": "flaky", "type": "command-line", "retries": 1,
  "command": "test -e FLAG || { : > FLAG; echo no flag >&2; exit 1; }; echo 1 > output"}]}
X
    sed -i "s|FLAG|$PWD/flag|g" w.json
    pingo run -q w.json || :
}

@test "errors: what failed alike is one, the retried are told apart, and nothing is counted twice" {
    three
    go errors
    ends_with 0
    prints 'new  cannot open b#.txt: # (exit 3)'
    prints '2 failed'
    prints 'pingo log 1 2'
    go errors --json
    json 'map(.failed) == [2, 1] and map(.retried) == [0, 1] and map(.category) == ["command", "command"]'
    json '.[0].text == "cannot open b#.txt: #" and .[0].isNew and (.[0].examples | map(.id) | sort) == [2, 3]'
    for by in node executor user; do
        go errors --by "$by" --step 1d --json
        json '(map(.failed) | add) == 3 and (map(.ended) | add) == 5 and (map(.retried) | add) == 1'
    done
    go errors --by name --json
    json 'map(.value) | sort == ["bad", "flaky", "worse"]'
    go errors --limit 1 --json
    json 'map(.isOther) == [false, true] and map(.failed) == [2, 1]'
    go errors --list --json
    json 'length == 3 and (map(select(.retried)) | map(.name)) == ["flaky"]'
    go errors --list --limit 2 --after '' --json
    json '(.rows | length) == 2 and .next != null'
    go errors --list --after "$(jq -r .next <<<"$output")" --json
    json '(.rows | length) == 1 and .next == null'
    go errors --csv --list --limit 2
    [ "${#lines[@]}" -eq 3 ]
    says 'there are more: go on with --after '
    go errors --csv --list --after nowhere
    ends_with 2
    [ "$output" = "" ]
    go errors --csv
    [ "${#lines[@]}" -eq 3 ]
    go errors --until 2020-01-01
    ends_with 0
    says 'nothing failed then'
    for filter in "--user nobody-here" "--list --node nix" "--executor locla" "--node $(hostname)x"; do
        # shellcheck disable=SC2086 # words
        go errors $filter
        ends_with 5
    done
    says "nothing has ended on a node \"$(hostname)x\" yet; did you mean \"$(hostname)\"?"
    go errors --list --executor locla
    says 'nothing has ended by an executor "locla" yet; did you mean "local"?'
    last=$(pingo errors --json | jq 'map(.error) | max')
    for list in "" --list; do
        for none in 7 9999; do
            # shellcheck disable=SC2086 # nothing, where it is empty
            go errors --error "$none" $list
            ends_with 5
            says "there is no error $none; the last is $last"
        done
    done
    go errors --error "$last" --until 2020-01-01
    ends_with 0
    says 'nothing failed then'
    go errors --user "$(id -un)" --node "$(hostname)" --executor local --until 2020-01-01 --json
    ends_with 0
    go errors --list --by code
    ends_with 2
    go fsck
    ends_with 0
    pingo run -q w.json || : # the next one fails again, and is the same
    go errors --json
    json 'map(.failed) == [4, 1] and length == 2'
    go fsck
    ends_with 0
}

@test "errors: without --since it is the day before --until" {
    three
    sqlite3 .pingo/pingo.db 'UPDATE attempt SET ended_ms = ended_ms - 72 * 3600000'
    go errors --list --until 60h --json
    json 'length == 3'
    go errors --by name --until 60h --json
    json 'map(.failed) | add == 3'
    go errors --list --until 96h --json
    json 'length == 0'
}

@test "errors: what was killed, and what is forgotten" {
    store
    one 'sleep 600'
    pingo submit one.json
    pingo kill 1
    go errors
    ends_with 0
    nended=$(sqlite3 .pingo/pingo.db 'SELECT count(*) FROM attempt WHERE state = 3')
    [ "$(sqlite3 .pingo/pingo.db 'SELECT total(n) FROM summary_day')" = "$nended.0" ]
    one 'echo the secret word >&2; exit 7'
    pingo run -q one.json || :
    go errors --json
    json 'map(.text) | index("the secret word") != null'
    pingo forget 2
    go errors --json
    json 'map(.text) | index("the secret word") == null and index("(forgotten)") != null'
    go errors
    prints "(forgotten)"
    [[ $output != *"pingo log 2"* ]] # it would find nothing
}

@test "errors: beyond 10,000 kinds a failure is one of the others of its category; old half hours go, days stay" {
    store
    one 'echo first >&2; exit 3'
    pingo run -q one.json || :
    kinds=$(sqlite3 .pingo/pingo.db 'SELECT count(*) FROM error WHERE id >= 32')
    sqlite3 .pingo/pingo.db "WITH RECURSIVE i(i) AS (SELECT 32 + $kinds UNION ALL SELECT i + 1 FROM i WHERE i < 10031)
        INSERT INTO error(id, digest, category, reason, text) SELECT i, randomblob(32), 1, 0, 'kind ' || i FROM i;
        INSERT INTO summary_30m SELECT step - 100 * 48, error, executor, node, user, n, wall_ms, cpu_ms, wait_ms, retried,
        retried_ms FROM summary_30m; INSERT INTO summary_day SELECT step - 100, error, executor, node, user, n, wall_ms, cpu_ms,
        wait_ms, retried, retried_ms FROM summary_day"
    old_days='SELECT count(DISTINCT step) FROM summary_day WHERE step < (SELECT max(step) FROM summary_day) - 50'
    days=$(sqlite3 .pingo/pingo.db "$old_days")
    [ "$days" -gt 0 ]
    one 'echo a word that is new >&2; exit 3'
    pingo run -q one.json || :
    go errors --json
    json 'map(.text) | index("(other)") != null and index("a word that is new") == null and index("first") != null'
    [ "$(sqlite3 .pingo/pingo.db 'SELECT count(*) FROM error WHERE id >= 32')" -eq 10000 ]
    one 'echo first >&2; exit 3' # a known one is still told apart
    pingo run -q one.json || :
    go errors --json
    json 'map(select(.text == "first"))[0].failed == 2'
    now=$(($(date +%s) / 1800))
    [ "$(sqlite3 .pingo/pingo.db "SELECT count(*) FROM summary_30m WHERE step < $now - 90 * 48")" -eq 0 ]
    [ "$(sqlite3 .pingo/pingo.db "$old_days")" -eq "$days" ]
}
