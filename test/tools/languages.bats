#!/usr/bin/env bats
# gcc, Python with a module, pandas, GNU sort, bubblewrap: what scientists run, and what they forget
# to declare.
load ../cli/helper

# As a user's store is: with the sandbox.
sandboxed() {
    store
    pingo config --unset sandbox
}

@test "gcc: headers in folders are inputs by name, one changed header compiles what reads it" {
    mkdir -p src/include
    echo '#define ANSWER 42' >src/include/answer.h
    echo '#define WORD "pingo"' >src/include/word.h
    printf '#include <stdio.h>\n#include "answer.h"\nint answer(void) { return ANSWER; }\n' >src/answer.c
    printf '#include <stdio.h>\n#include "word.h"\nint answer(void);\nint main(void) { printf("%%s %%d\\n", WORD, answer()); }\n' >src/main.c
    jq -n '
        def object(i; unit; header): {id: i, name: unit, type: "command-line", tools: ["gcc"],
            versions: [["gcc", "--version"]], output: "\(unit).o",
            inputs: [{name: "src/\(unit).c", path: "src/\(unit).c"},
                     {name: "include/\(header)", path: "src/include/\(header)"}],
            command: "gcc -O1 -Iin/include -c in/src/\(unit).c -o \(unit).o"};
        {name: "build", actions: [object(1; "answer"; "answer.h"), object(2; "main"; "word.h"),
            {id: 3, name: "program", type: "command-line", tools: ["gcc"], output: "program",
             parentActions: [{id: 1, as: "answer.o"}, {id: 2, as: "main.o"}],
             command: "gcc in/answer.o in/main.o -o program"}]}' >build.json
    sandboxed
    go run build.json
    ends_with 0
    [[ "$stderr" != *"never mentions"* ]]
    [ "$("$(pingo path last program)")" = "pingo 42" ]
    echo '#define ANSWER 43' >src/include/answer.h
    go run build.json
    ends_with 0
    says "ran 2, reused 1"
    [ "$("$(pingo path last program)")" = "pingo 43" ]
    # A header that nobody declared is not there.
    jq 'del(.actions[1].inputs[1])' build.json >trap.json
    go run trap.json
    [ "$status" -ne 0 ]
    says "word.h"
}

@test "python: an undeclared module is no part of the action, a declared one is" {
    echo 'def fmt(x): return "%.1f" % x' >helpers.py
    printf 'from helpers import fmt\nprint(fmt(3.14159))\n' >agg.py
    one '/usr/bin/python3 in/agg.py > output' '{"inputs": [{"name": "agg.py", "path": "agg.py"}]}'
    sandboxed
    go run one.json
    [ "$status" -ne 0 ]
    says "helpers"
    [ ! -e __pycache__ ]
    jq '.actions[0].inputs += [{name: "helpers.py", path: "helpers.py"}]' one.json >two.json
    go run two.json
    ends_with 0
    [ "$(cat "$(pingo path last one)")" = 3.1 ]
    [ ! -e __pycache__ ]
    echo 'def fmt(x): return "%.0f" % x' >helpers.py
    go run two.json
    ends_with 0
    [ "$(cat "$(pingo path last one)")" = 3 ]
}

@test "pandas: a chain over a table, with the version of the module in the identity" {
    /usr/bin/python3 -c 'import pandas' 2>/dev/null || skip "python3-pandas is not installed"
    printf 'k,v\na,1\nb,2\na,3\n' >table.csv
    printf 'import pandas as pd\nd = pd.read_csv("in/table.csv")\nd.groupby("k").sum().to_csv("output")\n' >sum.py
    one '/usr/bin/python3 in/sum.py' '{"inputs": [{"name": "sum.py", "path": "sum.py"}, {"name": "table.csv", "path": "table.csv"}],
        "versions": [["/usr/bin/python3", "-c", "import pandas; print(pandas.__version__)"]]}'
    sandboxed
    go run one.json
    ends_with 0
    [ "$(cat "$(pingo path last one)")" = $'k,v\na,4\nb,2' ]
    go provenance last one
    prints "$(/usr/bin/python3 -c 'import pandas; print(pandas.__version__)')"
}

@test "GNU sort: temporary files go to a folder of the attempt, and are gone afterwards" {
    seq 1 200000 >numbers
    # shellcheck disable=SC2016 # the action's shell expands it
    one 'echo $TMPDIR >&2; test -d "$TMPDIR"; sort -R -S 1M in/numbers | sort -n -S 1M > output' \
        '{"inputs": [{"name": "numbers", "path": "numbers"}]}'
    sandboxed
    go run one.json
    ends_with 0
    cmp numbers "$(pingo path last one)"
    directory=$(cat "$(pingo log last one --path 2>/dev/null || echo /dev/null)" 2>/dev/null || :)
    [[ "$directory" != /tmp ]]
    [ -z "$(find .pingo/pool/attempts -name 'sort*' 2>/dev/null)" ]
}

@test "what makes a container of its own does not work in the sandbox: it is said, and can be left out" {
    command -v bwrap >/dev/null || skip "bubblewrap is not installed"
    bwrap --ro-bind / / true 2>/dev/null || skip "bubblewrap does not work on this machine"
    one 'bwrap --ro-bind / / --bind "$PWD" "$PWD" sh -c "echo inside > output"'
    sandboxed
    go run one.json
    [ "$status" -ne 0 ]
    says '"sandbox": false'
    jq '.actions[0].sandbox = false' one.json >two.json
    go run two.json
    ends_with 0
    [ "$(cat "$(pingo path last one)")" = inside ]
}
