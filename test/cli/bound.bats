#!/usr/bin/env bats
# simulate --bound: no algorithm stays below it; where it does not hold it is not told.
load helper

setup_file() {
    if pingo simulate --family iter-n:workflows=20 --algorithm lru --budget 5% --bound 2>&1 |
        grep -q 'install Clp'; then
        export NO_SOLVER=1
    fi
}

setup() {
    [ -z "${NO_SOLVER:-}" ] || skip 'a build without a solver'
    cd "$BATS_TEST_TMPDIR" || return
}

few() {
    pingo simulate --family iter-n:workflows=60,uniform-n:actions=300 --seeds 2 --budget 5%,20% "$@"
}

@test "no algorithm stays below the bound, and the bound not below the ideal" {
    for when in publish workflow-end; do
        for where in inside outside; do
            few --bound --decide "$when" --leaves "$where" --algorithm lru,gdsf,chain,clairvoyant --json >rows
            jq -e 'length == 32 and all(.idealMs <= .boundMs and .boundMs <= .actualMs)' rows
            jq -e 'any(.boundMs > .idealMs)' rows
        done
    done
}

@test "the bound is a column, and in the table of means" {
    few --bound --algorithm chain >text
    grep -q 'BOUND' text
    few --bound --algorithm chain --csv >csv
    head -n 1 csv | grep -q ',boundMs,'
    few --bound --algorithm chain --json >with
    few --algorithm chain --json >without
    jq -e 'all(.boundMs == null)' without
    cmp <(jq 'map(del(.boundMs))' with) <(jq 'map(del(.boundMs))' without)
    run few --algorithm chain
    [ "$status" -eq 0 ]
    [[ $output != *BOUND* ]]
}

@test "with more than one slot there is none" {
    few --bound --slots 1,2 --algorithm chain --json >rows
    jq -e 'all((.boundMs == null) == (.slots == 2))' rows
    few --bound --slots 1,2 --algorithm chain --csv >csv
    [ "$(wc -l <csv)" -eq 17 ]
    run few --bound --slots 2
    [ "$status" -eq 2 ]
    [[ $output == *'--bound needs one slot'* ]]
}

@test "noise and a bound exclude each other" {
    run few --bound --noise 0.1
    [ "$status" -eq 2 ]
    [[ $output == *'exclude each other'* ]]
}

@test "a solver that comes to no end is stopped, and that is told" {
    cat >endless.c <<'END'
#include <stddef.h>
#define NOTHING(name) void Clp_##name(void *model) { (void)model; }
void *Clp_newModel(void) { return ""; }
NOTHING(deleteModel) NOTHING(setLogLevel) NOTHING(loadProblem)
NOTHING(setNumberIterations) NOTHING(setMaximumIterations) NOTHING(dual)
int Clp_numberIterations(void *model) { return model ? 100 : 0; }
int Clp_status(void *model) { return model ? 3 : 0; }
double *Clp_dualRowSolution(void *model) { static double duals[1000000]; return model ? duals : NULL; }
END
    cc -shared -fPIC -o libClp.so.1 endless.c || skip 'no compiler'
    few --algorithm lru --json >without
    LD_LIBRARY_PATH="$PWD${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" timeout 600 "$BUILD/pingo" simulate --family \
        iter-n:workflows=60,uniform-n:actions=300 --seeds 2 --budget 5%,20% --algorithm lru --bound --json >rows 2>told
    jq -e 'all(.idealMs <= .boundMs and .boundMs <= .actualMs)' rows
    cmp <(jq 'map(del(.boundMs))' rows) <(jq 'map(del(.boundMs))' without)
    [ "$(grep -c 'budget 20%: the solver was stopped before it was done' told)" -eq 4 ]
}
