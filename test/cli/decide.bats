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
    says "give --dry-run, --scenario FILE, or --list"
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

@test "decide: --list goes alone" {
    go decide --list --algorithm chain
    ends_with 2
    go decide --list --scenario s.json
    ends_with 2
    says "--list goes without"
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

@test "decide: what is exported under the right name and is no address of a table" {
    scenario
    compile table 'extern const struct pingo_decision_algorithm pingo_decision_plugin;
const struct pingo_decision_algorithm pingo_decision_plugin = {.abi_version = 1, .name = "table"};'
    go decide --scenario s.json --algorithm ./table.so
    ends_with 2
    says "table.so is no decision plug-in: what it exports is not the address of a table"
    compile function 'int pingo_decision_plugin(void) { return 1; }'
    go decide --scenario s.json --algorithm ./function.so
    ends_with 2
    says "is not the address of a table"
    compile empty 'const struct pingo_decision_algorithm *const pingo_decision_plugin = 0;'
    go decide --scenario s.json --algorithm ./empty.so
    ends_with 2
    says "pingo_decision_plugin is NULL"
}

# A plug-in that does nothing but what its choose says; s, r and e are its arguments.
chooser() {
    compile "$1" "#include <math.h>
static int open_(const struct pingo_history *h, const double *v, void **s, struct pingo_error *e) { return ${3:-0}; }
static void close_(void *s) {}
static int observe(void *s, uint32_t i, struct pingo_error *e) { return 0; }
static void missing(void *s, uint32_t d, bool evicted) {}
static int choose(void *s, const struct pingo_decision_request *r, struct pingo_error *e) { $2 }
static const struct pingo_decision_algorithm a = {.abi_version = PINGO_DECISION_ABI, .name = \"$1\",
    .open = open_, .close = close_, .observe = observe, .present = observe, .missing = missing, .choose = choose};
const struct pingo_decision_algorithm *const pingo_decision_plugin = &a;"
}

# It ends with an error that says so, and no victim is printed.
refused() {
    go decide --scenario s.json --algorithm "./$1.so"
    ends_with 5
    says "$2"
    [ -z "$output" ]
    go decide --json --scenario s.json --algorithm "./$1.so"
    ends_with 5
    [ -z "$output" ]
}

@test "decide: plug-ins that choose wrongly, or fail without a word" {
    scenario
    chooser twice 'struct pingo_decision_victim v = {0, 1}; r->victim(r->context, &v); r->victim(r->context, &v); return 0;'
    refused twice "named a dataset twice"
    chooser nan 'struct pingo_decision_victim v = {0, 1}, w = {1, NAN}; r->victim(r->context, &v); return r->victim(r->context, &w);'
    refused nan "a score that is no number"
    chooser few 'struct pingo_decision_victim v = {1, 1}; return r->victim(r->context, &v);'
    refused few "stopped before enough was freed"
    chooser seven 'return 7;'
    refused seven "failed with 7"
    chooser mute 'return PINGO_ESTATE;'
    refused mute "mute failed"
    chooser shut 'return 0;' 1
    refused shut "shut failed with 1"
    chooser curious 'for (uint32_t d = 0; d < 4000000000u; d += 65521) r->is_candidate(r->context, d); return 0;'
    refused curious "stopped before enough was freed"
}

@test "decide: a plug-in finds every function of the history in the program" {
    grep -o 'PINGO_API[^;]*' "$BATS_TEST_DIRNAME/../../include/pingo/history.h" | grep -oE 'pingo_(store_)?history[a-z_]*\(' |
        tr -d '(' | sort -u >wanted
    [ "$(wc -l <wanted)" -gt 25 ]
    for program in "$PINGO" "$(dirname "$PINGO")/libexec/pingo-lab"; do
        nm -D --defined-only "$program" | sed -n 's/.* [A-Z] //p' | sort -u >exported
        run comm -23 wanted exported
        [ -z "$output" ]
    done
}
