#!/usr/bin/env bats
# trace: what ran, for other programs.
load helper

# Four actions: one makes what two equal ones read; one fails first.
traced() {
    store
    cat >w.json <<'X'
{"name": "w", "actions": [
 {"id": 1, "name": "split", "type": "command-line", "command": "tr ' ' '\\n' < in/text > output",
  "inputs": [{"name": "text", "path": "text.txt"}]},
 {"id": 2, "name": "sort", "type": "command-line", "command": ["sort", "-o", "output", "in/words"],
  "parentActions": [{"id": 1, "as": "words"}]},
 {"id": 3, "name": "sort", "type": "command-line", "command": ["sort", "-o", "output", "in/words"],
  "parentActions": [{"id": 1, "as": "words"}]},
 {"id": 4, "name": "say \"a,b\"", "type": "command-line", "retries": 1,
  "command": "test -e FLAG || { : > FLAG; exit 7; }; echo 1 > output"}]}
X
    sed -i "s|FLAG|$PWD/flag|g" w.json
    pingo run -q w.json
}

@test "trace: csv has Nextflow's columns, a line for each attempt and for what was not computed" {
    traced
    go trace last
    ends_with 0
    printf '%s\n' "$output" >t.csv
    /usr/bin/python3 - <<'P'
import csv
rows = list(csv.DictReader(open("t.csv", newline="")))
assert list(rows[0])[:14] == ("task_id hash native_id name status exit submit duration realtime %cpu peak_rss "
                              "peak_vmem rchar wchar").split(), rows[0]
told = [(r["task_id"], r["name"], r["status"], r["exit"], r["attempt"]) for r in rows]
assert told == [("1", "split", "COMPLETED", "0", "1"), ("2", "sort", "COMPLETED", "0", "1"),
                ("3", "sort", "CACHED", "0", ""), ("4", 'say "a,b"', "FAILED", "7", "1"),
                ("4", 'say "a,b"', "COMPLETED", "0", "2")], told
assert rows[1]["hash"] == rows[2]["hash"] and len(rows[1]["hash"]) == 12
for r in rows:
    if r["status"] != "CACHED":
        assert int(r["submit"]) <= int(r["start"]) <= int(r["complete"])
        assert int(r["duration"]) == int(r["complete"]) - int(r["submit"])
        assert r["queue"] == "local" and int(r["peak_rss"]) > 0
assert rows[2]["realtime"] == rows[1]["realtime"] and rows[2]["start"] == ""
P
    pingo run -q w.json
    go trace last
    [ "$(printf '%s\n' "$output" | grep ,CACHED, | cut -d, -f1 | tr '\n' ' ')" = "2 3 4 " ]
}

@test "trace: trace events have a slice for each attempt, and none of a thread overlap" {
    store
    jq -n '{name: "many", actions: [range(1; 13) | {id: ., name: "a\(.)", type: "command-line",
        command: "sleep 0.0\(. % 5); echo \(.) > output"}]}' >many.json
    pingo run -q many.json
    go trace last --format chrome
    ends_with 0
    json '.displayTimeUnit == "ms" and ([.traceEvents[] | select(.ph == "X")] | length == 12)'
    json '[.traceEvents[] | select(.ph == "M")] | length == 1 and (.[0].args.name | test("^local on "))'
    json '[.traceEvents[] | select(.ph == "X")] | all(.ts >= 0 and .dur >= 0 and .args.exitCode == 0 and .tid >= 1)'
    # Two slots: two threads, on each of which one ends before the next begins.
    json '[.traceEvents[] | select(.ph == "X")] | group_by(.tid) | length <= 2 and all(sort_by(.ts) | . as $t |
        [range(1; length) | $t[.].ts >= $t[. - 1].ts + $t[. - 1].dur] | all)'
    cat >slow.json <<X
{"name": "slow", "actions": [{"id": 1, "name": "slow", "type": "command-line",
  "command": ": > '$PWD/on'; while test ! -e '$PWD/go'; do sleep 0.1; done; : > output"}]}
X
    pingo run -q slow.json 3>&- &
    until_true test -e on
    until_true eval "pingo trace last --format chrome | grep -q '\"B\"'" # it is known a moment after
    go trace last --format chrome
    : >go
    json '[.traceEvents[] | select(.ph == "B")] | length == 1 and .[0].cat == "running"'
    wait
}

@test "trace: what wfformat says is imported again: the same actions, edges, sizes and times" {
    traced
    pingo run -q w.json # nothing is computed, and all is known
    for number in 1 2; do
        go trace "$number" --format wfformat
        ends_with 0
        json '.schemaVersion == "1.5" and (.workflow.specification | (.tasks | length == 4) and (.files | length == 5))'
        json '.workflow.specification.tasks | all(.name != "" and .id != "" and (.parents | type) == "array" and
            (.children | type) == "array") and .[0].children == ["2", "3"] and .[1].parents == ["1"] and
            .[1].inputFiles == .[0].outputFiles'
        json '[.workflow.specification | .files[].id, .tasks[].id] | all(test("^[0-9a-zA-Z-_.]+$"))'
        json '.workflow.execution | (.tasks | length == 4) and .makespanInSeconds >= 0 and (.executedAt | length > 0)'
        json '.workflow.execution.tasks[0].command | .program == "tr" and (.arguments[0] | endswith("< in/text > output"))'
        printf '%s\n' "$output" >"w$number.json"
        pingo import wfformat "w$number.json" --submissions 1 2>said >"h$number"
        grep -q 'tasks 4, distinct 3' said
    done
    # The two are the same run, and so equal work: nothing is distinct that was not before.
    cmp h1 h2
    pingo datasets --all --json >datasets.json
    jq -es --slurpfile h h1 '.[0] | map({sizeBytes, computeMs}) | unique == ($h[0].actions | map({sizeBytes, computeMs}) |
        unique)' datasets.json
    # Edges: both sorts have split as their parent, the other action none.
    jq -e '.actions | map(.parents | length) | sort == [0, 0, 1, 1]' h1
    # What differs in what the command does not tell is other work.
    jq '.actions[3].env = {A: "b"}' w.json >other.json
    pingo run -q other.json
    pingo trace last --format wfformat >w3.json
    go import wfformat w1.json w3.json --submissions 2
    says 'tasks 8, distinct 4'
}

@test "trace: of wfformat what failed is no work: imported again, it takes what it took when it was done" {
    store
    cat >f.json <<X
{"name": "f", "actions": [
 {"id": 1, "name": "made", "type": "command-line", "command": "sleep 0.1; echo 1 > output"},
 {"id": 2, "name": "fails", "type": "command-line", "sandbox": false,
  "command": "test -e '$PWD/mended' || { sleep 0.3; exit 7; }; echo 2 > output"},
 {"id": 3, "name": "always", "type": "command-line", "command": "exit 8"},
 {"id": 4, "name": "last", "type": "command-line", "command": "cat in/p > output; echo 4 >> output",
  "parentActions": [{"id": 2, "as": "p"}]}]}
X
    go run -q f.json
    ends_with 1
    pingo trace last --format wfformat >w1.json
    : >mended
    go rerun last -q
    ends_with 1
    pingo trace last --format wfformat >w2.json
    jq -e '.workflow | (.specification.tasks | length == 4) and (.execution.tasks | map(.id) == ["1"])' w1.json
    jq -e '.workflow | (.specification.tasks | length == 4) and (.execution.tasks | map(.id) == ["1", "2", "4"])' w2.json
    # What was imported of both runs is what the store knows of its datasets; of what never was made, nothing.
    pingo import wfformat w1.json w2.json --submissions 2 >h
    pingo datasets --all --json >datasets.json
    jq -es --slurpfile h h '(.[0] | map({sizeBytes, computeMs}) |
        map(select(.sizeBytes)) | sort) == ($h[0].actions | map({sizeBytes, computeMs}) |
        map(select(.sizeBytes)) | sort) and ($h[0].actions | length == 4)' datasets.json
}

@test "trace: pandas reads the tables, and others the documents, whatever happened and whatever it is called" {
    if ! /usr/bin/python3 -c 'import pandas, jsonschema' 2>/dev/null; then
        [ "${CI:-}" != true ]
        skip "python3-pandas or python3-jsonschema is not installed"
    fi
    store
    jq -n --arg here "$PWD" '{name: "h\u00fcbsch, \"quoted\"", actions: [
        {id: 1, name: "NA", command: "cat in/text > output", inputs: [{name: "text", path: "text.txt"}]},
        {id: 2, name: "two, \"a\"\u2028\u0438", command: "sort in/1 > output", parentActions: [{id: 1, as: "1"}]},
        {id: 3, name: "two, \"a\"\u2028\u0438", command: "sort in/1 > output", parentActions: [{id: 1, as: "1"}]},
        {id: 4, name: "1e400", retries: 1, sandbox: false,
         command: "test -e \u0027\($here)/f\u0027 || { : > \u0027\($here)/f\u0027; exit 7; }; echo 1 > output"},
        {id: 5, name: "=1+1", retries: 1, command: "echo \u0027no, \"not\" 1;2\u0027 >&2; exit 3"},
        {id: 6, name: "true", command: ["true"], parentActions: [{id: 5, as: "x"}]},
        {id: 7, name: "007", command: "kill -9 $$"}] | map(.type = "command-line")}' >h.json
    go run -q h.json
    ends_with 1
    go run -q h.json # what was made is cached, and what failed is tried again
    ends_with 1
    jq '{name: "runs", actions: [.actions[0], {id: 8, name: "null", type: "command-line", sandbox: false,
        command: (": > \u0027" + env.PWD + "/on\u0027; while test ! -e \u0027" + env.PWD +
        "/go\u0027; do sleep 0.1; done; : > output")}, {id: 9, name: "later", type: "command-line", command: ": > output",
        parentActions: [{id: 8, as: "x"}]}, {id: 10, name: "b", type: "command-line", command: "echo 10 > output"}]}' \
        h.json >runs.json
    pingo run -q runs.json 3>&- &
    until_true eval "pingo trace last | grep -q ',RUNNING,' && pingo trace last | grep -q ',COMPLETED,'"
    said=$(/usr/bin/python3 "$BATS_TEST_DIRNAME/traces.py" "$PINGO" 1 2 3 2>&1) || { echo "$said"; false; }
    : >go
    wait
}

@test "trace: in wfformat two files known by their stat are two files, though their paths begin alike" {
    store
    mkdir a-folder-with-a-long-name
    echo 1 >a-folder-with-a-long-name/a
    echo two >a-folder-with-a-long-name/b
    jq -n '{name: "w", actions: [["a", "b", "a"] | to_entries[] | {id: .key, name: .value, salt: "\(.key)",
        type: "command-line", command: "cat in/x > output",
        inputs: [{name: "x", path: "a-folder-with-a-long-name/\(.value)", identity: "stat"}]}]}' >w.json
    go run -q w.json
    ends_with 0
    go trace last --format wfformat
    json '[.workflow.specification.tasks[].inputFiles[]] | .[0] != .[1] and .[0] == .[2]'
    json '[.workflow.specification.files[] | select(.id | startswith("x-")) | .sizeInBytes] == [2, 4]'
}

@test "trace: what is not there" {
    store
    go trace last
    ends_with 5
    go trace 7 --format svg
    ends_with 2
    says 'csv, chrome or wfformat'
    words
    pingo submit -q words.json # nothing ran
    go trace last --format wfformat
    ends_with 0
    json '.workflow | has("execution") | not'
    json '.workflow.specification.files == [] or ([.workflow.specification.files[].id] | all(startswith("text-")))'
    go trace last
    [ "${#lines[@]}" -eq 1 ]
    pingo kill last
    pingo forget last -q || pingo forget last
    go trace last --format wfformat
    ends_with 5
}
