#!/usr/bin/env bats
# pingo report, the ledger, pingo keep, and pingo datasets by query: what reuse saved, what evictions cost.
load helper

# chain.json: three stages of 20 K each; what the first one is told changes everything, and the last costs least, also on a
# machine with much to do.
chain() { # WORD
    jq -n --arg word "$1" '{name: "chain", actions: [
        {id: 1, name: "a", type: "command-line",
         command: ("echo " + $word + "; sleep 0.4; head -c 20480 /dev/zero > output")},
        {id: 2, name: "b", type: "command-line", parentActions: [{id: 1, as: "a"}],
         command: "sleep 0.4; cat in/a > output"},
        {id: 3, name: "c", type: "command-line", parentActions: [{id: 2, as: "b"}],
         command: "cat in/b > output"}]}' >chain.json
}

# A budget that holds one chain and a half: something goes, and is made again.
full() {
    store
    pingo config pool.budget 90K
    for word in one two one two one; do
        chain $word
        pingo run -q chain.json
        pingo release last
    done
    pingo tick >/dev/null
}

@test "report: of an empty store" {
    store
    go report
    ends_with 0
    prints "submissions     0"
    prints "no budget"
    go report --json
    ends_with 0
    json '.submissions == 0 and .hitRate == null and .steps == [] and .valuable == [] and .algorithms == []'
    json '.pool.budgetBytes == null and .pool.usedBytes == 0 and (.states | length) == 5'
    go report --evictions
    ends_with 0
    [ -z "$output" ]
    says "0 evictions"
    go report --evictions --json
    json '. == []'
    drawable
    go report --html page.html
    ends_with 0
    [ -s page.html ]
}

@test "report: sums agree with history, datasets and the ledger" {
    full
    go report --json
    ends_with 0
    report=$output
    json '.submissions == 5 and .mentions == 15 and .evictions > 0 and .evictedBytes == .evictions * 20480'
    json '.pool | .budgetBytes == 92160 and .usedBytes <= .budgetBytes and .usedBytes == .storedBytes + .leafBytes'
    json '.pool | .storedBytes == .candidateBytes + .keptBytes + .claimedBytes'
    json '([.steps[].spentMs] | add) == .spentMs and ([.steps[].savedMs] | add) == .savedMs'
    json '([.steps[].lostMs] | add) == .lostMs and ([.steps[].evictedBytes] | add) == .evictedBytes'
    json '([.algorithms[].lostMs] | add) == .lostMs and ([.algorithms[].evictions] | add) == .evictions'
    json '.steps[-1].heldBytes >= .pool.usedBytes and ([.steps[].heldBytes] | max) > 40000'
    json '(.steps | length) <= 200 and .lostMs > 0 and (.regretted | length) > 0'
    json '[.valuable[].valueMs] == ([.valuable[].valueMs] | sort | reverse)'
    go history --json
    jq -e --argjson r "$report" '.[0] | .spentMs == $r.spentMs and .savedMs == $r.savedMs and .reuseRate == $r.hitRate' <<<"$output"
    go datasets --all --value --json
    jq -e --argjson r "$report" 'map({(.hash): .valueMs}) | add | add == $r.savedMs' <<<"$output"
    go report --evictions --json
    jq -e --argjson r "$report" 'length == $r.evictions and ([.[].regretMs // 0] | add) == $r.lostMs
        and (map(.at) == (map(.at) | sort | reverse)) and all(.[]; .algorithm == "chain" and .reason != "")
        and all(.[]; (.remade == null) == (.regretMs == null))' <<<"$output"
    go report
    prints "lost to evictions"
    prints "of a budget of 90.0 KiB"
    prints "The most regretted evictions"
    go report --evictions -n 1
    ends_with 0
    [ "${#lines[@]}" -eq 3 ]
    go report --until 1h --json
    json '.submissions == 0 and .evictions == 0 and .lostMs == 0 and .steps == []'
    go report --since 2020-01-01 --until 2021-01-01
    prints "period          none: nothing has happened then"
    go report --since 1h --limit 1 --json
    json '.submissions == 5 and (.valuable | length) == 1 and (.regretted | length) == 1'
}

# Without npm's libraries there was nothing to make a page of, which is said.
drawable() {
    [ ! -e "${PINGO%/*}/libexec/report.html" ] || return 0
    go report --html none.html
    ends_with 10
    [ ! -e none.html ]
    skip "built without its page"
}

@test "report --html: one whole page with plots, whatever things are called" {
    full
    drawable
    # Names that would do harm in HTML, in a script, or in a shell.
    # shellcheck disable=SC2016 # nothing shall expand
    name='x</svg><script>alert(1)</script>&"`touch PWNED`$(touch PWNED)#'"'"' ; system("touch PWNED") #'
    chain one
    # shellcheck disable=SC2016 # jq's variable
    jq --arg name "$name" '.name = $name | .actions[].name = $name' chain.json >evil.json
    pingo run -q evil.json
    # The name of what computed is what is shown; here that is all of them.
    python3 - "$name" <<'END'
import sqlite3, sys
with sqlite3.connect(".pingo/pingo.db") as store:
    store.execute("UPDATE node SET name = ?", sys.argv[1:])
END
    go report --html page.html
    ends_with 0
    [ -z "$output" ]
    says "wrote page.html"
    [ ! -e PWNED ]
    [ "$(find . -maxdepth 1 -name 'page.html*')" = ./page.html ]
    run ! grep -Eq 'src=|url\(|@import|<script>alert' page.html
    # The answers, what the modules are called, and the first of them: test/page/report.t opens it in a browser.
    [ "$(grep -c '</script' page.html)" -eq 3 ]
    grep -q 'prefers-color-scheme: dark' page.html
    sed -n '/id="answers"/,/<\/script/p' page.html | sed '1d;$d' | jq -e '.view == "/pool" and (.answers["/v1/pool/report"].regretted | length) > 0'
    # Over a page that is there.
    echo old >page.html
    go report --html page.html --since 1h
    ends_with 0
    grep -q '<!DOCTYPE html>' page.html
    [ "$(stat -c %a page.html)" = "$(printf '%o' $((0666 & ~$(umask))))" ]
}

@test "report WORKFLOW --html: one run, with the answers of the API" {
    store
    drawable
    chain one
    pingo run -q chain.json
    go report last --html run.html
    ends_with 0
    says "wrote run.html"
    sed -n '/id="answers"/,/<\/script/p' run.html | sed '1d;$d' >answers.json
    jq -e '.view == "/run/1"' answers.json
    jq -e --argjson s "$(pingo status 1 --json)" '.answers["/v1/workflows/1"].workflow == 1 and .answers["/v1/workflows/1/cost"].ran == 3 and .answers["/v1/workflows/1/actions?limit=1000"].items == $s.actions' answers.json
    jq -e --argjson a "$(pingo status --attempts 1 --json)" '.answers["/v1/workflows/1/attempts?limit=1000"].items == $a' answers.json
    one 'printf "why: \\0\\377\\303\\244" >&2; exit 1'
    go run -q one.json
    go report last --html run.html
    sed -n '/id="answers"/,/<\/script/p' run.html | sed '1d;$d' >answers.json
    jq -e '.answers["/v1/workflows/2/actions/1/stderr?tail=4K"] == "why: \ufffd\ufffd\u00e4"' answers.json
    go report 9 --html none.html
    ends_with 5
    [ ! -e none.html ]
    go report last
    ends_with 2
    says "of a workflow there is --html alone"
}

@test "report --html: where it cannot be written, nothing is there" {
    words
    store
    pingo run -q words.json
    drawable
    go report --html no/page.html
    ends_with 5
    says "cannot write no/page.html"
    mkdir folder
    go report --html folder
    ends_with 5
    [ "$(find . -maxdepth 1 -name 'folder*')" = ./folder ]
}

@test "report: options that do not go together, or make no sense, are refused" {
    store
    for line in "--html x --json" "--html x --evictions" "--since yesterday" "--limit 0" "--limit -1"; do
        # shellcheck disable=SC2086 # a line of words
        go report $line
        ends_with 2
    done
    [ ! -e x ]
    cd /
    go report
    ends_with 4
}

@test "evicted: made again with other content, that is said for ever" {
    store
    one 'date +%N > output'
    pingo run -q one.json
    before=$(pingo datasets --json | jq -r '.[0].content')
    pingo config pool.budget 0
    pingo release last
    pingo tick >/dev/null
    pingo tick >/dev/null
    go datasets --all --json
    json '.[0] | .state == "DELETED" and .sizeBytes > 0 and .computeMs >= 0 and .made != null and .wasDifferent == false'
    [ "$(jq -r '.[0].content' <<<"$output")" = "$before" ]
    go run -q one.json
    ends_with 0
    says "made again with other content"
    go datasets --json
    json '.[0] | .state == "LEAF" and .generation == 2 and .wasDifferent == true'
    go datasets
    prints "differs from an earlier generation"
    go report --evictions --json
    json 'length == 1 and .[0].remade != null and .[0].regretMs >= 0 and .[0].name == "one"'
}

@test "keep: pins a dataset or a workflow's leaves, and saves what is on its way out" {
    words
    store
    pingo run -q words.json
    go keep last split
    ends_with 0
    says "kept 1 dataset"
    go keep last split
    ends_with 0
    says "nothing to keep"
    go keep last --json
    json '.kept == 2'
    go keep 1 --json
    json '.kept == 0'
    go datasets --json
    json 'all(.[]; .keep == true)'
    go datasets
    prints "(pinned)"
    # Nothing may go, so nothing goes.
    pingo config pool.budget 1
    pingo tick >/dev/null 2>&1
    go datasets --state STORED,LEAF --json
    json 'length == 3'
    go report --json
    json '.pool | .keptBytes > 0 and .candidateBytes == 0'
    pingo config pool.budget none
    hash=$(pingo datasets --json | jq -r '.[] | select(.name == "split").hash')
    pingo rm "$hash"
    go keep "${hash:0:12}"
    ends_with 0
    pingo tick >/dev/null
    go datasets --json
    json '.[] | select(.name == "split") | .state == "STORED" and .keep == true'
    go release last split
    says "released 1 dataset"
    go release last split
    ends_with 0
    says "nothing to release"
    go release last split --json
    json '.released == 0'
    pingo rm last split
    pingo tick >/dev/null
    go keep last split
    ends_with 5
    says "deleted already"
    for wrong in 9 nonsense "last nobody" 0123456789; do
        # shellcheck disable=SC2086 # words
        go keep $wrong
        ends_with 5
    done
    go keep
    ends_with 2
}

# The names of the datasets that a query gives.
names() {
    go datasets --json "$@"
    ends_with 0
    jq -r 'map(.name) | join(" ")' <<<"$output"
}

@test "datasets: sorted and filtered" {
    words
    store
    pingo run -q words.json
    one 'sleep 0.1; head -c 3000 /dev/zero > output'
    pingo run -q one.json
    pingo run -q one.json
    [ "$(names --sort name)" = "count one sort split" ]
    [ "$(names --sort name --reverse --limit 2)" = "split sort" ]
    [ "$(names --sort size -n 1)" = one ]
    [ "$(names --sort value -n 1)" = one ]
    [ "$(names --sort workflow -n 1)" = one ]
    [ "$(names --sort state --sort name -s stored)" = split ]
    [ "$(names -s STORED,leaf --sort name)" = "count one sort split" ]
    [ "$(names -s STORED -s leaf --sort name)" = "count one sort split" ]
    [ "$(names --min-size 2K)" = one ]
    [ "$(names --max-size 2.5K --sort name)" = "count sort split" ]
    [ "$(names --min-size 3000 --max-size 3000)" = one ]
    [ "$(names --max-size 2)" = count ]
    [ "$(names --max-size 9223372036854775807)" = "$(names)" ]
    [ "$(names --min-value 100ms)" = one ]
    [ "$(names --min-value 1h)" = "" ]
    [ "$(names --older 1h)" = "" ]
    [ "$(names --newer 1h --sort name)" = "count one sort split" ]
    [ "$(names --workflow words --sort name)" = "count sort split" ]
    [ "$(names --workflow last)" = one ]
    [ "$(names --workflow 1 --sort name)" = "count sort split" ]
    [ "$(names --user "$(id -un)" --sort name)" = "count one sort split" ]
    go datasets --workflow word --json
    ends_with 5
    says 'no workflow named "word" was submitted; did you mean "words"?'
    go datasets --user nobody-here
    ends_with 5
    says "user nobody-here has submitted nothing"
    go datasets --json -w last
    json '.[0] | .workflow == 2 and .user != null and .leaf == true and .valueMs == null'
    go datasets --json -w last --value
    json '.[0].valueMs >= 100'
    go datasets --value
    [[ ${lines[0]} == *VALUE* ]]
    go datasets
    [[ ${lines[0]} != *VALUE* ]]
    says "4 datasets"
    for line in "--sort colour" "--state STORED," "--min-size 1Q" "--min-size 1.5" "--min-size 1.5B" "--min-size 1KBB" "--max-size 1.K" "--min-size -1" "--min-value 5" \
        "--older soon" "--limit 0" "--max-size 99999999999T"; do
        # shellcheck disable=SC2086 # words
        go datasets $line
        ends_with 2
    done
    go datasets --state STORED,leef
    ends_with 2
    says 'not "LEEF"; did you mean LEAF?'
    go datasets --workflow 99
    ends_with 5
    go datasets --workflow 99 --json
    ends_with 5
}

@test "datasets: what is deleted is not listed nor counted unless asked for; names and patterns" {
    words
    store
    pingo run -q words.json
    pingo rm last split
    pingo tick
    [ "$(names --sort name)" = "count sort" ]
    go datasets
    says "2 datasets, 46 B"
    [ "$(names --all --sort name)" = "count sort split" ]
    [ "$(names --state deleted)" = split ]
    [ "$(names 's*')" = sort ]
    [ "$(names count '[r-s]o?t' --sort name)" = "count sort" ]
    go datasets split
    ends_with 5
    [ -z "$output" ]
    says 'named "split" made is deleted (--all shows it)'
    go datasets 'x*'
    ends_with 5
    says 'no such dataset was made by an action named "x*"'
    go datasets split x{1..20}
    ends_with 5
    says 'named "split" made is deleted (--all shows it)'
    says 'no such dataset was made by an action named "x9"'
    [[ $stderr != *'"x10"'* ]]
    says "nor is there one of the other 11 names"
    go datasets --min-size 1T
    ends_with 0
    says "0 datasets"
    one 'echo 12345 > output' '{"isManaged": false, "outputPath": "here.txt"}'
    pingo run -q one.json
    go datasets
    says "3 datasets, 46 B in the pool, 6 B outside"
}

@test "sizes: units of 1024 and of 1000, one parser for settings and options" {
    words
    store
    pingo run -q words.json
    for line in "10GB 10000000000" "10GiB 10737418240" "10G 10737418240" "10_GiB 10737418240" "1.5k 1536" "1.5kB 1500"; do
        size=${line% *}
        pingo config pool.budget "${size/_/ }"
        go report --json
        json ".pool.budgetBytes == ${line#* }"
        [ "$(names --min-size "${size/_/ }")" = "" ]
    done
    pingo config --unset pool.budget
    head -c 1010 /dev/zero >text.txt
    pingo run -q words.json
    [ "$(names --min-size 1KB --sort name)" = "sort split" ]
    [ "$(names --min-size 1KiB)" = "" ]
    go config pool.budget 10XB
    ends_with 2
    says "is not none or a size in bytes (500M, 10GB, 1.5 GiB)"
}
