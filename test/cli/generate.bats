#!/usr/bin/env bats
# generate: histories made by chance, and workflow files of them that run for real.
load helper

MAN=$BATS_TEST_DIRNAME/../../man/pingo-generate.1

@test "generate: a history of JSON lines, the same each time, another one for another seed" {
    go generate --set actions=100
    ends_with 0
    [ -z "$stderr" ]
    [ "${#lines[@]}" -eq 10 ]
    jq -se 'length == 10 and ([.[].actions[]] | map(.hash) | unique | length) == 100
        and all(.[]; .actions | all(.sizeBytes >= 1000000 and .computeMs >= 1000 and (has("decision") | not)))' \
        <<<"$output" >/dev/null
    pingo generate --set actions=100 -o same.jsonl
    [ "$output" = "$(cat same.jsonl)" ]
    pingo generate --set actions=50,new=10 --set users=2 --seed 2 --output other.jsonl
    jq -se 'length == 5 and ([.[].user] | unique) == ["u1", "u2"]' other.jsonl >/dev/null
    [ "$(cat same.jsonl other.jsonl | jq -r '.actions[].hash' | sort -u | wc -l)" -eq 150 ]
}

@test "generate: each family by name, the default is uniform-n" {
    local family
    for family in uniform-n uniform-h recent-n recent-h zipf-n zipf-h iter-n iter-h; do
        pingo generate --family $family >$family.jsonl
        [ "$(wc -l <$family.jsonl)" -eq "$([[ $family == iter-* ]] && echo 260 || echo 240)" ]
    done
    [ "$(cat ./*.jsonl | sort -u | wc -l)" -eq 1960 ]
    pingo generate --seed 1 | cmp - uniform-n.jsonl
}

@test "generate: --list, --help and the man page tell the same parameters" {
    go generate --list
    ends_with 0
    prints "actions=2400  distinct actions in all (1 to 100000000)"
    prints "choice=uniform  how known actions are picked (uniform, recent, zipf)"
    local listed=$output name value meaning bounds
    go generate --help
    ends_with 0
    [[ $output == *"$listed"* ]]
    go generate --list --json
    ends_with 0
    json 'map(.name) == ["uniform-n","uniform-h","recent-n","recent-h","zipf-n","zipf-h","iter-n","iter-h"]'
    json '.[5].parameters | map({(.name): .default}) | add | .size == "lognormal" and .choice == "zipf"'
    # The first family that has a parameter says its default.
    jq -r '[.[].parameters[]] | reduce .[] as $p ([]; if any(.name == $p.name) then . else . + [$p] end)
        | .[] | [.name, (.default | tostring), .meaning, if .choices
            then "One of " + (.choices[:-1] | join(", ")) + " and " + .choices[-1] + "."
            else "From \(.minimum) to \(.maximum)." end] | @tsv' <<<"$output" >parameters.tsv
    jq -r '.[] | [.name, .summary] | @tsv' <<<"$output" >families.tsv
    [ "$(wc -l <parameters.tsv)" -gt 30 ]
    while IFS=$'\t' read -r name value meaning bounds; do
        grep -A2 -Fx ".It Ic $name Pq $value" "$MAN" >told || :
        sed -n 2p told | grep -qiFx "$meaning." && [ "$(sed -n 3p told)" = "$bounds" ] || {
            echo "the page lacks: $name ($value): $meaning $bounds"
            return 1
        }
    done <parameters.tsv
    [ "$(grep -c '^\.It Ic [a-z-]* Pq' "$MAN")" -eq "$(wc -l <parameters.tsv)" ]
    while IFS=$'\t' read -r name meaning; do
        grep -A1 -Fx ".It Cm $name" "$MAN" | tail -n 1 | grep -qiFx "$meaning." || {
            echo "the page lacks: $name: $meaning"
            return 1
        }
    done <families.tsv
}

@test "generate: wrong options are refused with what would be right, and nothing is written" {
    refused() { # MESSAGE OPTION...
        local message=$1
        shift
        go generate "$@"
        ends_with 2
        says "$message"
        [ -z "$output" ]
    }
    refused 'did you mean "recent-h"' --family recnt-h
    refused 'users is an integer from 1 to 100000, not "0"' --set users=0 -o h.jsonl
    refused 'did you mean "actions"' --set action=5 --workflows runs
    refused 'iter-n has no parameter "actions"' --family iter-n --set actions=10
    refused 'is not KEY=VALUE' --set 7
    refused 'a whole number' --seed -1
    refused '--json goes with --list' --json
    refused '--list goes without --family' --list --family zipf-n
    refused 'exclude each other' -o h.jsonl --workflows runs
    refused 'go with --workflows' --time-scale 2
    refused '--size-scale takes a decimal number greater than 0' --workflows runs --size-scale 0
    refused '--time-scale takes a decimal number from 0 on' --workflows runs --time-scale 1e-3
    refused '--from goes with --workflows' --from h.jsonl
    refused 'goes without --family' --from h.jsonl --workflows runs --seed 3
    go generate --from nowhere.jsonl --workflows runs
    ends_with 5
    says "nowhere.jsonl"
    echo '{"at": 1}' >bad.jsonl
    go generate --from bad.jsonl --workflows runs
    ends_with 2
    says 'bad.jsonl: line 1, column'
    [ ! -e runs ]
    [ ! -e h.jsonl ]
    mkdir runs
    touch runs/mine
    go generate --workflows runs
    ends_with 5
    says "runs is not empty"
    [ "$(ls runs)" = mine ]
    go generate -o nowhere/h.jsonl
    ends_with 5
    says "nowhere/h.jsonl"
}

# The bytes that the output of an action must hold: its parameters stand in its command.
expected() { # FILE NAME
    local command
    command=$(jq -r --arg name "$2" '.actions[] | select(.name == $name).command' "$1")
    [[ $command =~ yes\ ([0-9a-f]{16})\ \|\ head\ -c\ ([0-9]+)\  ]]
    yes "${BASH_REMATCH[1]}" | head -c "${BASH_REMATCH[2]}"
}

@test "generate: three workflows run for real, with the sizes of the history; what they share is reused" {
    local options=(--family uniform-n --seed 5 --set actions=24 --set new=8) file n size name
    pingo generate "${options[@]}" >h.jsonl
    pingo generate "${options[@]}" --workflows runs --time-scale 0.0002 --size-scale 0.0001
    [ "$(ls runs)" = $'0001.json\n0002.json\n0003.json' ]
    store
    for file in runs/*.json; do
        go validate --strict "$file"
        ends_with 0
        [ -z "$stderr" ]
        go run -q "$file"
        ends_with 0
    done
    # The distinct actions of the history were computed, once each, and nothing else.
    [ "$(jq -s '[.[].actions[]] | map(.hash) | unique | length' h.jsonl)" -eq 24 ]
    pingo history --json >told.json
    jq -e '.[0].submissions == 3 and .[0].computed == 24 and .[0].reused > 0' told.json
    # Action by action: the size of the history, scaled; the bytes that its description says.
    for n in 1 2 3; do
        file=runs/000$n.json
        paste -d ' ' <(jq -s --argjson n "$n" '.[$n - 1].actions[].sizeBytes * 0.0001 + 0.5 | floor' h.jsonl) \
            <(jq -r '.actions[].name' "$file") >wanted
        [ "$(wc -l <wanted)" -ge 8 ]
        while read -r size name; do
            expected "$file" "$name" >bytes
            [ "$(stat -c %s bytes)" -eq "$size" ]
            # What was skipped lies there as well: nothing is evicted.
            cmp bytes "$(pingo path "$n" "$name")"
        done <wanted
    done
    go fsck --deep
    ends_with 0
}

@test "generate: an action takes its time, and notices an input that is not what it should be" {
    local hash child command start
    hash=$(printf 'a%.0s' {1..64})
    child=$(printf 'b%.0s' {1..64})
    printf '{"at":1,"user":"u","workflow":"w","actions":[{"hash":"%s","sizeBytes":100,"computeMs":60000},{"hash":"%s","parents":["%s"],"sizeBytes":5000,"computeMs":60000}]}\n' \
        "$hash" "$child" "$hash" | pingo generate --from - --workflows runs --time-scale 0.005
    [ "$(ls runs)" = 0001.json ]
    command=$(jq -r '.actions[1].command' runs/0001.json)
    mkdir in
    yes "${hash:0:16}" | head -c 100 >"in/${hash:0:16}"
    start=${EPOCHREALTIME/./}
    sh -c "$command" 2>errors
    [ "$(((${EPOCHREALTIME/./} - start) / 1000))" -ge 300 ]
    [ ! -s errors ]
    yes "${child:0:16}" | head -c 5000 | cmp - output
    yes "${child:0:16}" | head -c 100 >"in/${hash:0:16}"
    run ! sh -c "$command"
    prints "in/${hash:0:16} holds something else"
    rm "in/${hash:0:16}"
    run ! sh -c "$command"
    ln -s nowhere "in/${hash:0:16}"
    run ! sh -c "$command"
    rm "in/${hash:0:16}"
    printf aaa >"in/${hash:0:16}" # as a smaller scale makes it
    sh -c "$command"
}
