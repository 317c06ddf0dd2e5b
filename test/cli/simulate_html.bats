#!/usr/bin/env bats
# simulate --html and --storage: one page, and the least budget for so much recomputation.
load helper

setup_file() {
    export FAMILY=iter-n:workflows=60
}

# The rho of an algorithm with a budget, as JSON has it.
rho() { # ALGORITHM BUDGET
    "$PINGO" simulate --family $FAMILY --algorithm "$1" -b "$2" --json | jq '.[0].rho'
}

# The document in a page.
data() { # PAGE
    sed -n '/id="answers"/,/<\/script/p' "$1" | sed '1d;$d' | jq '.answers["/simulation"]'
}

# Without npm's libraries there was nothing to make a page of.
drawable() {
    [ -e "${PINGO%/*}/libexec/report.html" ] || skip "built without its page"
}

# Is A op B true of numbers?
holds() { # A OP B
    [ "$(jq -n "$1 $2 $3")" = true ]
}

@test "simulate --storage: what is told is enough, and a little less is not" {
    go simulate --family $FAMILY --algorithm chain,lru -b 10%,25% --storage 5
    ends_with 0
    prints "$FAMILY: the least budget for at most 5 % recomputation, 1 slot"
    for algorithm in chain lru; do
        line=$(grep "^  $algorithm " <<<"$output")
        percent=$(awk '{print $2}' <<<"$line")
        less=$(awk -v p="$percent" 'BEGIN {printf "%.4f%%", p * 0.98}')
        holds "$(rho $algorithm "$percent%")" "<=" 1.05
        holds "$(rho $algorithm "$less")" ">" 1.05
    done
    # The same whatever was simulated before, to what is told of it.
    before=$(awk '$1 == "chain" && $3 == "%" {print $2}' <<<"$output")
    go simulate --family $FAMILY --algorithm chain -b 2G --storage 5
    ends_with 0
    after=$(awk '$1 == "chain" && $3 == "%" {print $2}' <<<"$output")
    holds "($before - $after | fabs)" "<=" "$before * 0.03"
}

@test "simulate --storage: the budget as it is printed gives the rho beside it" {
    options="--family recent-h:actions=600 --seeds 2 --algorithm clairvoyant --leaves outside"
    # shellcheck disable=SC2086 # a line of words
    read -r _ percent _ _ _ rho < <(pingo simulate $options --storage 1 | tail -1)
    # shellcheck disable=SC2086
    [ "$(pingo simulate $options -b "$percent%" | awk 'END {print $5}')" = "$rho" ]
}

@test "simulate --storage: nothing, all of it, and several numbers of slots" {
    go simulate --family $FAMILY --algorithm chain -b 5% --storage 1000
    ends_with 0
    grep -Eq '^  chain +nothing +0 B' <<<"$output"
    go simulate --family $FAMILY --algorithm chain,lru -b 5% --storage 0 --slots 1,3
    ends_with 0
    [ "$(grep -c 'the least budget for at most 0 %' <<<"$output")" -eq 2 ]
    [ "$(grep -Ec '^  (chain|lru) .* %.*  (1.000|0.9[0-9]*)$' <<<"$output")" -eq 4 ]
}

@test "simulate --html: one whole page with plots, whatever things are called" {
    drawable
    name='<svg onload=alert(1)>"&'"'"'.jsonl'
    pingo generate --family iter-n --set workflows=40 -o "$name"
    go simulate "$name" --algorithm chain,lru,clairvoyant -b 10%,2%,25% --html page.html --csv
    ends_with 0
    says "wrote page.html"
    [ "$(wc -l <<<"$output")" -eq 10 ]
    [ "$(find . -maxdepth 1 -name 'page.html*')" = ./page.html ]
    run ! grep -Eq 'src=|url\(|@import|<svg onload' page.html
    grep -q 'prefers-color-scheme: dark' page.html
    # What it looks like: test/page/report.t.
    data page.html | jq -e --arg name "$name" '.parts | length == 1 and (.[0] | .history == $name and (.least | length) == 3 and (.rows | length) == 9 and .cost.budget == "10%" and .cost.seed == 1)'
}

@test "simulate --html: the same page each time; the bound; sizes for budgets" {
    drawable
    pingo simulate --family $FAMILY --algorithm chain,random --seeds 2 --slots 1,2 -b 1G,3G --html 1.html --threads 1
    pingo simulate --family $FAMILY --algorithm chain,random --seeds 2 --slots 1,2 -b 1G,3G --html 2.html --threads 2
    cmp 1.html 2.html
    data 1.html | jq -e '(.parts | length) == 2 and (.hasBounds | not)'
    go simulate --family $FAMILY --algorithm chain --bound -b 5% --html 3.html
    [ "$status" -ne 10 ] || skip "no solver"
    ends_with 0
    data 3.html | jq -e '.hasBounds and all(.parts[].rows[]; .bound != null)'
}

@test "simulate --html: what was computed again is what unlimited storage would have spared" {
    drawable
    pingo simulate --family $FAMILY --algorithm chain,lru -b 20% --slots 3 --noise 0.2 --leaves outside --html page.html
    pingo simulate --family $FAMILY --algorithm chain,lru -b 20%,9T --slots 3 --noise 0.2 --leaves outside --json >runs
    data page.html | jq -e --slurpfile runs runs '.parts[0].cost.lostMs | all(.[]; . == sort) and
        map(.[-1]) == ($runs[0] | map(.computeMs) | [.[0] - .[2], .[1] - .[3]]) and all(.[]; .[-1] > 0)'
}

@test "simulate --html: what is forced is computed again whatever is stored, and nothing is lost by it" {
    drawable
    for n in 1 2 3; do
        echo '{"at": 0, "user": "u", "workflow": "w", "actions": [{"hash": "'"$(printf '%064d' 1)"'", "sizeBytes": 9, "computeMs": 7, "forced": true}]}'
    done >forced.jsonl
    pingo simulate forced.jsonl --algorithm lru -b 1K --html page.html
    data page.html | jq -e '.parts[0].cost.lostMs == [[0, 0, 0, 0]]'
}

@test "simulate --html, --storage: what cannot be is refused, and leaves nothing" {
    drawable
    for line in "--storage x" "--storage -1" "--storage 1001" "--storage 5 --json" "--storage 5 --csv"; do
        # shellcheck disable=SC2086 # a line of words
        go simulate --family $FAMILY --algorithm lru -b 5% $line
        ends_with 2
    done
    echo old >page.html
    mkdir bin
    [ "$(cat page.html)" = old ]
    [ "$(find . -maxdepth 1 -name 'page.html*')" = ./page.html ]
    go simulate --family $FAMILY --algorithm lru -b 5% --html no/page.html
    ends_with 5
    says "cannot write no/page.html"
    # Before anything is run: these histories would take minutes.
    for page in no/page.html bin; do
        run --separate-stderr timeout 600 "$PINGO" simulate --family uniform-n:actions=1000000 --html $page
        ends_with 5
    done
}

@test "simulate --html: a page that is replaced keeps its mode" {
    drawable
    echo old >page.html
    chmod 600 page.html
    pingo simulate --family $FAMILY --algorithm lru -b 5% --html page.html
    [ "$(stat -c %a page.html)" = 600 ]
    grep -q '"parts"' page.html
}

@test "simulate --html: what is no file is written to and stays what it is, and a link leads where it led" {
    drawable
    pingo simulate --family $FAMILY --algorithm lru -b 5% --html page.html >table
    mkfifo pipe
    cat pipe >piped.html &
    pingo simulate --family $FAMILY --algorithm lru -b 5% --html pipe
    wait $!
    [ -p pipe ]
    cmp page.html piped.html
    mkdir folder
    go simulate --family $FAMILY --algorithm lru -b 5% --html folder
    ends_with 5
    says "cannot write folder: Is a directory"
    echo old >real.html
    ln -s real.html link.html
    pingo simulate --family $FAMILY --algorithm lru -b 5% --html link.html
    [ -L link.html ]
    cmp page.html real.html
    [ "$(find . -maxdepth 1 -name '*.html.*')" = "" ]
}
