#!/usr/bin/env bats
# decide: scenarios, algorithms by name and as plug-ins.  Needs no store.
load helper

PLUGIN=${BUILD:-$BATS_TEST_DIRNAME/../../build}/examples/decision-plugin.so

hash_of() {
    printf '%s' "$1" | sha256sum | cut -d' ' -f1
}

# a <- b <- c, then a <- d; a, b and d are stored.
scenario() {
    local a b c d
    a=$(hash_of a) b=$(hash_of b) c=$(hash_of c) d=$(hash_of d)
    cat >s.json <<END
{"freeBytes": ${1:-3500}, "history": [
  {"at": "2026-11-20T12:00:00Z", "user": "ana", "workflow": "w", "actions": [
    {"hash": "$a", "parents": [], "sizeBytes": 4000, "computeMs": 60000},
    {"hash": "$b", "parents": ["$a"], "sizeBytes": 1000, "computeMs": 2000},
    {"hash": "$c", "parents": ["$b"], "sizeBytes": 10, "computeMs": 2000, "leaf": true}]},
  {"at": "2026-11-20T12:01:00Z", "user": "ana", "workflow": "w", "actions": [
    {"hash": "$a", "parents": []},
    {"hash": "$d", "parents": ["$a"], "sizeBytes": 3000, "computeMs": 100, "leaf": true}]}],
 "stored": [{"hash": "$a"}, {"hash": "$b"}, {"hash": "$d"}]}
END
}

# The victims of an algorithm, by the letters they were made of.
victims() {
    local hash letter names=
    for hash in $(pingo decide --scenario s.json --algorithm "$1" --json | jq -r '.victims[].hash'); do
        for letter in a b c d; do
            [ "$hash" = "$(hash_of $letter)" ] && names+=$letter
        done
    done
    echo "$names"
}

@test "decide: each algorithm names its victims" {
    scenario
    [ "$(victims chain)" = db ]
    [ "$(victims dtr)" = db ]
    [ "$(victims gdsf:cost=local)" = db ]
    [ "$(victims largest-first)" = a ]
    [ "$(victims lru)" = a ] # b went first, and was not needed once a went
    [ "$(victims most-commonly-used)" = bd ]
    [ -n "$(victims random:seed=4)" ]
    scenario 35000
    [ "$(victims chain)" = dba ]
}

@test "decide: text, JSON, standard input, what is missing" {
    scenario
    go decide --scenario s.json
    ends_with 0
    prints "2 datasets would go, 3.9 KiB"
    prints "once in"
    [ -z "$stderr" ]
    run --separate-stderr bash -c '"$1" decide --scenario - --json <s.json' - "$PINGO"
    ends_with 0
    json '.algorithm == "chain" and (.victims | length) == 2 and .freedBytes == 4000 and .shortfallBytes == 0'
    json '[.victims[].score] == ([.victims[].score] | sort)'
    scenario 35000
    go decide --scenario s.json
    ends_with 0
    prints "26.4 KiB more cannot be freed"
    [ ! -e .pingo ]
}

@test "decide: --list shows algorithms, parameters, defaults" {
    go decide --list
    ends_with 0
    prints "most-commonly-used"
    prints "window=1000"
    go decide --list --json
    ends_with 0
    json '[.[].name] == ["chain","dtr","gdsf","lru","largest-first","most-commonly-used","random"]'
    json '.[2].parameters[0].choices == ["local","chain"]'
}

@test "decide: wrong algorithms, parameters and scenarios are refused with what would be right" {
    scenario
    go decide --scenario s.json --algorithm chian
    ends_with 2
    says 'did you mean "chain"'
    go decide --scenario s.json --algorithm chain:reach=0
    ends_with 2
    says "reach is an integer from 1 to 1000000"
    go decide --scenario s.json --algorithm chain:reech=5
    ends_with 2
    says 'did you mean "reach"'
    go decide
    ends_with 2
    says "give --scenario FILE"
    go decide --scenario nowhere.json
    ends_with 5
    says "nowhere.json"
    echo '{"freeBytes": 1, "stored": [], "history": [], "more": 1}' >bad.json
    go decide --scenario bad.json
    ends_with 2
    says 'line 1, column 47: unknown key "more"'
    [ -z "$output" ]
}

@test "decide: the example plug-in is loaded, with its parameters" {
    scenario
    [ -e "$PLUGIN" ]
    [ "$(victims "$PLUGIN")" = db ]
    [ "$(victims "$PLUGIN:per=byte")" = db ]
    cp "$PLUGIN" mine.so
    go decide --scenario s.json --algorithm ./mine.so:per=byte --json
    ends_with 0
    json '.algorithm == "cheapest" and .victims[1].score == 2'
    go decide --scenario s.json --algorithm ./mine.so:per=hour
    ends_with 2
    says 'per is dataset or byte, not "hour"'
}

# A plug-in with the given text behind the include.
compile() {
    printf '#include <pingo/decision.h>\n%s\n' "$2" >"$1.c"
    ${CC:-cc} -std=c11 -shared -fPIC -I"$BATS_TEST_DIRNAME/../../include" -o "$1.so" "$1.c"
}

@test "decide: plug-ins that do not fit are refused, and nothing of them runs" {
    scenario
    go decide --scenario s.json --algorithm ./nowhere.so
    ends_with 2
    says "nowhere.so"
    echo text >text.so
    go decide --scenario s.json --algorithm ./text.so
    ends_with 2
    compile none 'int other;'
    go decide --scenario s.json --algorithm ./none.so
    ends_with 2
    says "does not export pingo_decision_plugin"
    compile abi 'static const struct pingo_decision_algorithm a = {.abi_version = 99, .name = "a"};
const struct pingo_decision_algorithm *const pingo_decision_plugin = &a;'
    go decide --scenario s.json --algorithm ./abi.so
    ends_with 2
    says "was made for version 99"
    compile holes 'static const struct pingo_decision_algorithm a = {.abi_version = 1, .name = "holes"};
const struct pingo_decision_algorithm *const pingo_decision_plugin = &a;'
    go decide --scenario s.json --algorithm ./holes.so
    ends_with 2
    says "lacks open"
    compile symbol 'int pingo_no_such_function(void); int f(void) { return pingo_no_such_function(); }
static const struct pingo_decision_algorithm a = {.abi_version = 1, .name = "a"};
const struct pingo_decision_algorithm *const pingo_decision_plugin = &a;'
    go decide --scenario s.json --algorithm ./symbol.so
    ends_with 2
    says "pingo_no_such_function"
}
