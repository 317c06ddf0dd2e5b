#!/usr/bin/env bats
# forget: what a person wrote into a workflow is erased, from the files as well; the rest is as before.
load helper

# A secret in the command, in an env, in a label, in the name of the action and of a file of an input, and in what a
# command of versions says; the log says it too.
secret() { # NAME
    echo data >in-s3cr3t.txt
    mkdir -p tree
    echo data >tree/s3cr3t-file
    jq -n --arg name "$1" '{name: $name, actions: [
        {id: 1, name: "common", type: "command-line", command: "echo 1 > output # common-word"},
        {id: 2, name: "fetch-s3cr3t", type: "command-line",
         command: "echo \($name)-s3cr3t >&2; wc -c < in/p > output",
         inputs: [{name: "in-s3cr3t", path: "in-s3cr3t.txt"}, {name: "tree", path: "tree"}],
         versions: [["echo", "version s3cr3t"]], executorOptions: {queue: "s3cr3t"},
         env: {TOKEN: "s3cr3t-4711"}, labels: {key: "s3cr3t"}, parentActions: [{id: 1, as: "p"}]}]}' >"$1.json"
}

# In how many files of the store it stands.
found() { # WORD
    grep -rlaF "$1" .pingo | wc -l
}

@test "forget: the text is gone from all files, the results and the numbers are not" {
    words
    store
    secret one
    pingo run --detach one.json 3>&-
    pingo wait -q 1
    pingo run -q words.json
    grep -q s3cr3t .pingo/runs/1.log
    [ "$(found s3cr3t)" -ge 2 ]
    hash=$(pingo hash --json one.json | jq -r '.[1].hash')
    # Which dataset is cheapest depends on how long each took; its name is what is forgotten.
    pingo decide --dry-run --free 1 --json | jq "del(.usage.fileSystemBytes, .victims[].name)" >before.json
    go forget 1 --json
    ends_with 0
    json '.forgotten == 1 and .texts == 1 and .descriptions == 2 and .attempts == 1 and .shared == 0 and .sharedBy == null'
    [ "$(found s3cr3t)" -eq 0 ]
    [ "$(found common-word)" -eq 0 ]
    [ "$(stat -c %s .pingo/pingo.db-wal)" -eq 0 ]
    pingo decide --dry-run --free 1 --json | jq "del(.usage.fileSystemBytes, .victims[].name)" | diff before.json -
    go status --json
    json 'any(.[]; .workflow == 1 and .name == "(forgotten)" and .state == "FINISHED") and length == 2'
    for command in "status 1" "why 1" "export 1 there" "keep 1"; do
        # shellcheck disable=SC2086
        go $command
        ends_with 5
        says "forgotten"
        [[ $stderr != *try:* ]]
    done
    go path "${hash:0:12}"
    ends_with 0
    go provenance "${hash:0:12}"
    ends_with 0
    go fsck --deep
    ends_with 0
    go release 1
    ends_with 0
    says "released 1 dataset"
    go forget 1
    ends_with 0
    pingo history --json >/dev/null
}

@test "forget: the same workflow again is reused, and known again" {
    store
    secret one
    pingo run -q one.json
    pingo forget 1
    go run one.json
    ends_with 0
    says "1 reused"
    go provenance last fetch-s3cr3t
    prints "s3cr3t-4711"
    pingo forget 1 2
    [ "$(found s3cr3t)" -eq 0 ]
}

@test "forget: what another workflow needs stays" {
    store
    secret one
    jq '.name = "two" | del(.actions[1])' one.json >two.json
    pingo run -q one.json
    pingo run -q two.json
    pingo submit one.json
    go forget 1
    ends_with 0
    says "1 text stays, as workflow 3 has the same"
    [ "$(found s3cr3t)" -ge 1 ]
    go forget 3 --json
    json '.texts == 1 and .descriptions == 1'
    [ "$(found s3cr3t)" -eq 0 ]
    go provenance 2 common
    prints "common-word"
    go run two.json
    ends_with 0
}

@test "forget: of actions in a part of many graphs, their own words go, and those of others stay" {
    store
    for text in one two; do
        jq -n --arg name "$text-s3cr3t" '{name: $name, actions: ([range(900) | {id: ., name: "common\(.)",
            type: "command-line", command: "echo common-\(.) > output", labels: {key: "common\(.)"}}]
            + [{id: 900, name: $name, type: "command-line", command: "echo \($name) > output",
                labels: {key: $name}, executorOptions: {queue: $name}, resources: {licences: {($name): 1}}}])}' >$text.json
        pingo submit -q $text.json
    done
    [ "$(sqlite3 .pingo/pingo.db 'SELECT count(*) > count(DISTINCT part) FROM graph_part')" -eq 1 ]
    pingo kill 1
    pingo kill 2
    go forget 1
    ends_with 0
    [ "$(found one-s3cr3t)" -eq 0 ]
    [ "$(found two-s3cr3t)" -ge 1 ]
    [ "$(pingo status 2 --label key=common7 --json | jq -r '[.actions[].name] | join(" ")')" = common7 ]
    go log --command 2 common7
    prints "echo common-7"
    go forget 2
    ends_with 0
    [ "$(found s3cr3t)" -eq 0 ]
    [ "$(found common)" -eq 0 ]
    go fsck
    prints "clean"
}

@test "forget: not what has not ended, or is not there; all or none" {
    words
    store
    secret one
    pingo run -q one.json
    pingo submit words.json
    go forget 1 2
    ends_with 5
    says "workflow 2 has not ended"
    go forget 1 9
    ends_with 5
    go forget
    ends_with 2
    [ "$(found s3cr3t)" -ge 1 ]
    pingo kill 2
    go forget 1 2
    ends_with 0
    [ "$(found s3cr3t)" -eq 0 ]
}

@test "forget: somebody reads an old state: that is said, and the next one ends it" {
    store
    secret one
    pingo run -q one.json
    mkfifo hold
    python3 - <<'END' &
import sqlite3
db = sqlite3.connect(".pingo/pingo.db", isolation_level=None)
db.execute("BEGIN")
db.execute("SELECT count(*) FROM action").fetchall()
open("reads", "w").close()
open("hold").read()
END
    STARTED=$!
    until_true test -e reads
    go forget 1
    ends_with 6
    says "reads an old state"
    : >hold
    wait "$STARTED" || :
    go forget 1
    ends_with 0
    [ "$(found s3cr3t)" -eq 0 ]
}
