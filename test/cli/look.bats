#!/usr/bin/env bats
# Commands that look: status, log, datasets, path, provenance, why.
load helper

@test "status: nothing yet, then the workflows, newest first" {
    words
    store
    go status
    ends_with 0
    [ -z "$output" ]
    says "nothing was submitted yet"
    go status --json
    [ "$output" = "[]" ]
    pingo run -q words.json
    one 'exit 1'
    pingo run -q one.json || :
    go status
    ends_with 0
    [[ ${lines[1]} == *2*FAILED*single* ]]
    [[ ${lines[2]} == *1*FINISHED*words*3/3* ]]
    go status --json
    json 'map(.workflow) == [2, 1] and map(.state) == ["FAILED", "FINISHED"] and map(.name) == ["single", "words"]'
    json 'all(.[]; .submitted | test("^20[0-9-]+T[0-9:]+\\.[0-9]{3}Z$"))'
    go status -n 1
    [ "${#lines[@]}" -eq 2 ]
}

@test "status N: every action, in the order of the definition" {
    words
    store
    pingo run -q words.json
    go status 1
    ends_with 0
    prints "workflow 1  words  FINISHED"
    grep -Eq '^ +1  FINISHED +split' <<<"$output"
    go status last --json
    json '.workflow == 1 and .name == "words" and .state == "FINISHED"'
    json '.actions | map(.id) == [1,2,3] and map(.name) == ["split","sort","count"]'
    json 'all(.actions[]; .decision == "compute" and .state == "FINISHED" and .attempts == 1 and .exitCode == 0
        and .wallMs >= 0 and .userMs >= 0 and .systemMs >= 0 and .maxRssBytes > 0 and (.hash | length) == 64)'
    pingo run -q words.json
    go status 2
    grep -Eq '^ +1  skipped +split' <<<"$output"
    grep -Eq '^ +2  reused +sort' <<<"$output"
    go status 2 --json
    json '.state == "FINISHED" and ([.actions[].decision] == ["skip","reuse","reuse"])'
    json 'all(.actions[]; .state == null and .attempts == null and .exitCode == null and .wallMs == null
        and .userMs == null and .systemMs == null and .maxRssBytes == null)'
}

@test "--after: lists come in parts, each from where the one before ended" {
    local list whole after parts
    words
    store
    pingo run -q words.json
    one 'echo 1 > output'
    pingo run -q one.json
    pingo config pool.budget 0
    pingo tick -q
    pingo tick -q
    for list in "status" "status --attempts 1" "datasets --sort name" "report --evictions"; do
        # shellcheck disable=SC2086 # several words
        whole=$(pingo $list --json | jq -c .)
        [ "$(jq length <<<"$whole")" -ge 1 ]
        after='' parts=''
        while :; do
            # shellcheck disable=SC2086
            go $list -n 1 --after "$after" --json
            ends_with 0
            json '.rows | length == 1'
            parts+=$(jq -c '.rows[0]' <<<"$output")
            after=$(jq -r '.next // ""' <<<"$output")
            [ -n "$after" ] || break
        done
        [ "$(jq -cs . <<<"$parts")" = "$whole" ]
    done
    go status 1 -n 2 --json
    json '(.actions | map(.id)) == [1, 2] and .next != null'
    after=$(jq -r .next <<<"$output")
    go status 1 -n 2
    says "there are more: go on with --after $after"
    go status 1 --after "$after"
    [[ ${lines[-1]} == *3*FINISHED*count* ]]
    [ -z "$stderr" ]
    go status 1 --json
    json '.next == null'
    go datasets --after nowhere
    ends_with 2
    says "no place in this list"
    go status 1 count -n 1
    ends_with 2
    go report --after "$after"
    ends_with 2
    pingo complete -- datasets --aft | grep -q '^--after'
}

@test "status --attempts: every try, of all actions or of one" {
    store
    cat > tries.json <<'J'
{"name": "tries", "actions": [
  {"id": 1, "name": "again", "type": "command-line", "retries": 2, "output": "out",
   "command": "echo >> \"$ROOT/n\"; [ $(wc -l < \"$ROOT/n\") -eq 2 ] || exit 7; echo x > out", "env": {"ROOT": "'$PWD'"}},
  {"id": 2, "name": "once", "type": "command-line", "command": "echo y > output"}]}
J
    sed -i "s,'\$PWD',$PWD," tries.json
    pingo run -q tries.json
    go status --attempts 1
    ends_with 0
    [ "${#lines[@]}" -eq 4 ]
    [[ ${lines[1]} == *again*1*"exit 7"* ]]
    [[ ${lines[2]} == *again*2*"exit 0"* ]]
    go status --attempts last again --json
    json 'map(.exitCode) == [7, 0] and map(.epoch) == [1, 2] and all(.[]; .name == "again" and .state == "exited"
        and .wallMs >= 0 and .executor == "local" and (.started | length) > 0)'
    go status --attempts
    ends_with 2
    go status --attempts 1 'o*'
    ends_with 2
    says "--attempts takes an action by its id or name, not by a pattern"
    go status --attempts 1 --label k=v
    ends_with 2
    says "without --label"
    go status --follow 1 --label k=v
    ends_with 2
    says "without --attempts, --groups, --label"
    pingo run -q tries.json
    go status --attempts 2
    ends_with 0
    says "nothing of it was run"
}

@test "provenance: the nearest ancestors, and how to see the rest" {
    words
    store
    pingo run -q words.json
    go provenance last count --json
    json '(.actions | map(.name)) == ["count", "split"] and .more == false'
    go provenance last count --depth 0
    ends_with 0
    says "there are more ancestors: --limit 0 shows all of this depth"
    go provenance last count -n 1 --json
    json '(.actions | length) == 1 and .more'
    says "there are more ancestors: --limit 0 shows all"
    go provenance last count --depth 1
    [[ $stderr != *"more ancestors"* ]]
}

@test "status N ACTION: one of them; unknown and ambiguous ones" {
    words
    store
    pingo submit words.json
    go status 1 count
    ends_with 0
    prints "WAITING"
    prints "waits for 1 action"
    go status 1 3 --json
    json '(.actions | length) == 1 and .actions[0].name == "count" and .actions[0].waitsFor == 1'
    go status 1 nonsense
    ends_with 5
    go status 1 nonsense --json
    ends_with 5
    [ -z "$output" ]
    go status 2
    ends_with 5
    go status two
    ends_with 5
    jq '.actions[2].name = "sort"' words.json >twice.json
    pingo submit twice.json
    go status 2 sort
    ends_with 5
    says sort
    go status 2 3
    ends_with 0
}

@test "status: no digit of an id is lost" {
    store
    one true '{"id": 9007199254740991}'
    pingo submit one.json
    go status last --json
    grep -q '"id":9007199254740991,' <<<"$output"
    go status last 9007199254740991
    ends_with 0
    prints "9007199254740991"
}

@test "--time-style: iso, local, relative, epoch; JSON is always RFC 3339 in UTC" {
    words
    store
    pingo submit words.json
    go status
    [[ ${lines[1]} =~ \ 20[0-9-]+T[0-9:]+Z$ ]]
    go status --time-style epoch
    [[ ${lines[1]} =~ \ [0-9]{10}$ ]]
    go --time-style=relative status
    [[ ${lines[1]} =~ (ago|just\ now)$ ]]
    go status --time-style local
    there=$(TZ=Asia/Tokyo pingo status --time-style local)
    [[ ${lines[1]} =~ \ 20[0-9-]+\ [0-9:]+$ ]]
    [ -e /usr/share/zoneinfo/Asia/Tokyo ] && [ "$(TZ=UTC pingo status --time-style local)" != "$there" ]
    LC_ALL=de_DE.UTF-8 TZ=Asia/Tokyo go status --json --time-style local
    json '.[0].submitted | test("Z$")'
}

@test "log: both streams, one of them, none" {
    store
    one 'echo out; echo err >&2; exit 1'
    pingo run -q one.json || :
    go log last one
    ends_with 0
    [ "$output" = "==> standard output <==
out

==> standard error <==
err" ]
    go log last 1 --stderr
    [ "$output" = err ]
    go log --stdout last 1
    [ "$output" = out ]
    go log --json last 1
    json '(.stdout | startswith("/")) and (.stderr | startswith("/"))'
    for line in "--json --command" "--json --follow" "--json --stdout" "--command --follow" "--command --stderr"; do
        # shellcheck disable=SC2086 # options
        go log last 1 $line
        ends_with 2 || { echo "$line"; return 1; }
        says "goes without"
    done
    go log last nonsense
    ends_with 5
    go log 9 1
    ends_with 5
    words
    pingo run -q words.json
    pingo run -q words.json
    go log last sort
    ends_with 0
    [ -z "$output" ]
    says "reused here: what follows is of workflow 2, action 2"
    says "empty, or older than pool.logDays"
    pingo config pool.failedDays 0
    pingo tick -q
    go log 1 one
    says "empty, or older than pool.failedDays"
}

@test "log: one that cannot be read to its end is told, also with --follow" {
    store
    one 'echo out; exit 1'
    pingo run -q one.json || :
    path=$(pingo log --json last 1 | jq -r .stdout)
    for follow in '' --follow; do
        # shellcheck disable=SC2086 # an option
        run --separate-stderr strace -qq -o trace -P "$path" -e inject=read:error=EIO "$PINGO" log last 1 $follow
        ends_with 9
        says "a log cannot be read to its end: Input/output error"
    done
}

@test "log: what was reused, skipped or joined shows the log of the run that made it" {
    store
    cat >chain.json <<'END'
{"name": "chain", "actions": [
  {"id": 1, "name": "top", "type": "command-line", "command": "echo made-top; echo 1 >output"},
  {"id": 5, "name": "end", "type": "command-line", "command": "echo made-end >&2; cp in/1 output", "parentActions": [{"id": 1}]},
  {"id": 7, "name": "same", "type": "command-line", "command": "echo made-end >&2; cp in/1 output", "parentActions": [{"id": 1}]}]}
END
    pingo run -q chain.json
    go status last
    prints "an equal action computed it"
    pingo run -q chain.json
    go log 2 top --stdout
    ends_with 0
    [ "$output" = made-top ]
    says "skipped here: what follows is of workflow 1, action 1"
    go log 2 end --stderr
    [ "$output" = made-end ]
    says "reused here: what follows is of workflow 1, action 5"
    go log 1 same --stderr
    [ "$output" = made-end ]
    says "joined here: what follows is of workflow 1, action 5"
    go log 2 top --json
    json '.workflow == 2 and .ranWorkflow == 1 and .ranId == 1 and (.stdout | endswith("/stdout"))'
    go log --follow 2 top
    prints made-top
    go log 1 end --stderr
    [ -z "$stderr" ]
}

@test "log -f: goes on while the action runs, and when it runs again" {
    store
    one "if [ -e $PWD/go ]; then echo again; echo done >&2; exit 1; fi; echo begun; while [ ! -e $PWD/go ]; do sleep 0.05; done; exit 1" '{"retries": 1}'
    "$PINGO" run -q one.json 2>/dev/null &
    runner=$!
    STARTED=$runner
    begun() { [ "$(pingo log last 1 --stdout 2>/dev/null)" = begun ]; }
    until_true begun
    "$PINGO" log --follow last one >followed &
    follower=$!
    STARTED="$runner $follower"
    until_true grep -q begun followed
    kill -0 "$follower"
    touch go
    wait "$follower"
    wait "$runner" || :
    [ "$(sort followed)" = "again
begun
done" ]
}

@test "log --command: a script that repeats the attempt" {
    words
    store
    pingo run -q words.json
    go log --command last sort
    ends_with 0
    mkdir by-hand
    TMPDIR=$PWD/by-hand sh -c "$output" 2>said
    cmp by-hand/*/work/output "$(pingo path last sort)"
    grep -q "$PWD/by-hand" said
    go log --command last split
    TMPDIR=$PWD/by-hand sh -c "$output"
    # A parent's output that is being deleted is no input.
    python3 -c 'import sqlite3, sys
sqlite3.connect(".pingo/pingo.db", isolation_level=None).execute("UPDATE dataset SET state = 8 WHERE hex(hash) = upper(?)", sys.argv[1:])' \
        "$(pingo hash --json words.json | jq -r '.[] | select(.name == "split").hash')"
    go log --command last sort
    ends_with 5
    says "is not in the pool now"
    go audit last sort
    ends_with 5
}

@test "log --command: who runs it changes no dataset, not even root" {
    store
    cat >w.json <<E
{"name": "w", "actions": [
    {"id": 1, "name": "make", "type": "command-line", "command": "mkdir output; echo 1 > output/f"},
    {"id": 2, "name": "read", "type": "command-line", "parentActions": [{"id": 1, "as": "p"}],
     "command": "if [ -e $PWD/write ]; then echo more 2>/dev/null >> in/p/f || true; fi; cat in/p/f > output"}]}
E
    pingo run -q w.json
    touch write
    go log --command 1 read
    ends_with 0
    mkdir by-hand
    TMPDIR=$PWD/by-hand sh -c "$output" 2>/dev/null
    head -n 1 by-hand/*/work/output | grep -qx 1
    [ "$(cat "$(pingo path 1 make)/f")" = 1 ]
    go fsck --deep
    ends_with 0
}

@test "datasets: the last used first, --state, JSON" {
    words
    store
    go datasets --json
    [ "$output" = "[]" ]
    pingo run -q words.json
    go datasets
    ends_with 0
    prints STORED
    prints LEAF
    says "3 datasets"
    go datasets --json
    json 'length == 3 and all(.[]; (.hash | length) == 64 and (.state | type) == "string" and .sizeBytes > 0
        and .computeMs >= 0 and (.path | startswith("/")) and .claims == 0 and has("keep") and (.lastUsed | test("Z$")))'
    json '. == sort_by(.lastUsed) or (map(.lastUsed) | . == (sort | reverse))'
    go datasets --state leaf --json
    json 'length == 2 and all(.[]; .state == "LEAF")'
    go datasets --state STORED --json
    json 'length == 1 and .[0].name == "split"'
    sleep 0.01
    pingo run -q --target sort words.json
    go datasets --json
    json '.[0].name == "sort"'
}

@test "path: by workflow and action, by hash; what is not there" {
    words
    store
    go path last count
    ends_with 5
    pingo submit words.json
    go path 1 count
    ends_with 5
    [ -z "$output" ]
    pingo run -q 1
    go path 1 count
    ends_with 0
    [ "$(cat "$output")" -eq 9 ]
    path=$output
    hash=$(pingo hash --json words.json | jq -r '.[2].hash')
    for prefix in "$hash" "${hash:0:12}" "${hash:0:5}"; do
        go path "$prefix"
        [ "$output" = "$path" ]
    done
    go path "${hash:0:3}"
    [ "$status" -ne 0 ]
    go path last count --json
    json ".hash == \"$hash\" and .path == \"$path\""
    go path ffffffffffff
    ends_with 5
    go path last
    ends_with 2
    says "ACTION"
}

@test "provenance: text, JSON, a graph; each ancestor once" {
    words
    store
    jq '.actions += [{id: 4, name: "both", type: "command-line", command: "cat in/* > output",
        parentActions: [{id: 2, as: "a"}, {id: 3, as: "b"}]}]' words.json >both.json
    pingo run -q both.json
    go provenance last both
    ends_with 0
    [ "$(grep -c '^[0-9a-f]\{12\}  ' <<<"$output")" -eq 4 ]
    prints "cat in/* > output"
    prints "text = content "
    prints "by workflow 1"
    go provenance last both --json
    json '.actions | map(.name) | sort == ["both","count","sort","split"]'
    json '.hash == .actions[0].hash and .actions[0].description.command == "cat in/* > output"'
    json '(.actions | map(.hash)) as $all | all(.actions[].parents[]; .hash | IN($all[]))'
    json '.actions[-1] | .name == "split" and .inputs[0].name == "text" and .inputs[0].kind == "content"'
    go provenance --dot last both
    ends_with 0
    [ "${lines[0]}" = "digraph provenance {" ]
    [ "$(grep -c -- '->' <<<"$output")" -eq 5 ]
    [ "$(grep -c 'shape=note' <<<"$output")" -eq 1 ]
    ! command -v dot >/dev/null || dot -Tsvg <<<"$output" >/dev/null
    one 'echo > output' '{"name": "a\"b\\c"}'
    pingo run -q one.json
    go provenance --dot last 1
    [[ $output =~ '[label="a\"b\\c\n'[0-9a-f]{12}'"];' ]] # no dashes: it is stored
    hash=$(pingo hash --json words.json | jq -r '.[1].hash')
    [ "$(pingo provenance "${hash:0:10}" --json | jq -r '.actions | map(.name) | join(" ")')" = "sort split" ]
    go provenance last nonsense
    ends_with 5
}

@test "provenance of what was deleted is still there" {
    words
    store
    pingo run -q words.json
    pingo rm last split
    pingo tick >/dev/null
    go provenance last sort --json
    json '.actions[1].name == "split" and .actions[1].state == "DELETED"'
}

@test "provenance, why: what failed, and what was cancelled with it, was never computed; what was made before was" {
    one "test -e $PWD/flag; echo > output"
    jq '.actions += [{id: 2, name: "two", type: "command-line", command: "cat in/* > output",
        parentActions: [{id: 1, as: "a"}]}]' one.json >two.json
    store
    pingo run -q two.json || :
    go provenance last two --json
    json 'all(.actions[]; .state == null and .workflow == null) and (.actions | map(.name)) == ["two", "one"]'
    go provenance last one
    prints '  state     never computed'
    go why last
    [ "${lines[0]}" = "2 actions were to be computed: never computed" ]
    touch flag
    pingo run -q two.json
    rm flag
    pingo rm last one
    pingo tick >/dev/null
    pingo run -q --force one two.json || :
    go provenance last one --json
    json '.actions[0] | .state == "DELETED" and .workflow == 2 and .made != null'
}

@test "why: never computed, then the field that differs, then the parent" {
    words
    store
    pingo run -q words.json
    go why last sort
    ends_with 0
    prints "never computed"
    jq '.actions[0].command = "tr '"' '"' x < in/text > output"' words.json >changed.json
    pingo run -q changed.json
    go why last split
    ends_with 0
    prints "command"
    prints "before: "
    prints "now: "
    go why last split --json
    json 'length == 1 and .[0].id == 1 and .[0].decision == "compute" and (.[0].differences | map(.field) | index("command")) != null'
    json '.[0].nearest.hash | length == 64'
    go why last
    ends_with 0
    prints split
    [[ $output != *" sort"* ]]
    go why last sort --json
    json '.[0] | .inherited == 1 and ([.differences[] | select(.inherited) | .field] == ["parent words"])'
    pingo run -q changed.json
    go why last sort
    ends_with 0
    prints "was reused"
    go why last nonsense
    ends_with 5
}

@test "status and log of what was skipped, cancelled, and joined" {
    store
    jq -n '{name: "fails", actions: [
        {id: 1, name: "bad", type: "command-line", command: "exit 1"},
        {id: 2, name: "below", type: "command-line", command: "cat in/* > output", parentActions: [{id: 1}]},
        {id: 3, name: "good", type: "command-line", command: "echo > output"}]}' >fails.json
    go submit fails.json
    go submit fails.json
    go status
    [[ ${lines[1]} == *RUNNING*" 0/2 "* ]]
    go run 1 2
    ends_with 1
    go log 1 below
    says "nothing ran: the action was CANCELLED before it started"
    go log 2 good
    says "joined here: what follows is of workflow 1, action 3"
    go run fails.json
    go status
    [[ ${lines[1]} == *FAILED*" 1/3 "*" 2 "* ]]
    go log last good
    says "reused here: what follows is of workflow 1, action 3"
}

@test "actions are looked at, and planned again, without the workflow's text" {
    store
    cat >w.json <<'END'
{"name": "w", "labels": {"of": "w"}, "actions": [
 {"id": 3, "name": "first", "type": "command-line", "command": "echo first; echo 1 > output",
  "inputs": [{"name": "data", "path": "data.txt"}]},
 {"id": 5, "name": "second", "type": "command-line", "command": "cat in/up in/data > output",
  "inputs": [{"name": "data", "path": "data.txt"}], "parentActions": [{"id": 3, "as": "up"}]}]}
END
    echo data >data.txt
    pingo run -q -t first w.json
    [ "$(pingo submit w.json)" = 2 ]
    sqlite3 .pingo/pingo.db "UPDATE document SET text = x'7b'"
    go status 2 --label of=w
    prints '     3  reused      first'
    go status 2 'sec*' --json
    json '.actions | length == 1 and .[0].id == 5 and .[0].decision == "compute"'
    go why 2 second
    prints 'never computed'
    go log 2 first
    prints first
    go path 2 3
    rm -f "$output"
    go run -q 2 # which makes the first one again
    ends_with 0
    go path 2 second
    [ "$(cat "$output")" = "$(printf '1\ndata')" ]
    go why 2 first
    prints 'planned again'
    go log --command 2 second
    prints "original $PWD/data.txt data"
    go provenance 2 second
    prints 'in/up'
    go export 2 out
    [ "$(cat out/second)" = "$(printf '1\ndata')" ]
    go keep 2
    says 'kept 1 dataset'
    go export 2 first out
    [ "$(cat out/first)" = 1 ]
    go fsck
    prints clean
}

@test "who reads what was lost is planned again at once, however many they are" {
    store
    python3 - >w.json <<'END'
import json
reader = lambda i: {"id": i, "name": "r%d" % i, "type": "command-line", "command": "cat in/up > output; : %d" % i,
                    "parentActions": [{"id": 0, "as": "up"}]}
print(json.dumps({"name": "w", "actions": [
    {"id": 0, "name": "up", "type": "command-line", "command": "echo up > output"}] + [reader(i) for i in range(1, 1001)]}))
END
    pingo run -q -t up w.json
    pingo submit w.json
    rm -f "$(pingo path 1 up)"
    go tick
    says 'vanished from the pool'
    [ "$(sqlite3 .pingo/pingo.db 'SELECT count(*) FROM action WHERE workflow = 2 AND state = 1')" -eq 1000 ]
    [ "$(sqlite3 .pingo/pingo.db 'SELECT count(*) FROM dependency')" -eq 1000 ]
    go status 2 r7
    prints '1000 waiting, '
    go kill 2 r7
    ends_with 0
    go fsck
    prints clean
    # What a driver that was killed has left is found by the next one.
    sqlite3 .pingo/pingo.db 'INSERT INTO lost SELECT id FROM dataset WHERE state = 9 LIMIT 1'
    go tick
    [ "$(sqlite3 .pingo/pingo.db 'SELECT count(*) FROM lost')" -eq 0 ]
}
