#!/usr/bin/env bats
# What the language says: shells, versions, input names with folders, labels, and what a failure of
# a pipe means.
load helper

# A program "tool" in bin/ that says its version and counts how often it was asked: in the mode of a file, for it can
# write none.
tool() {
    mkdir -p bin
    [ -e asked ] || install -m 600 /dev/null asked
    printf '#!/bin/sh\ncd %s; chmod $(($(stat -c %%a asked) + 1)) asked\necho "tool %s"\n' "$PWD" "$1" >bin/tool.new
    chmod 755 bin/tool.new
    mv bin/tool.new bin/tool
}

asked() {
    echo $(($(stat -c %a asked) - 600))
}

with_versions() {
    one 'echo x > output' \
        "{\"env\": {\"PATH\": \"$PWD/bin:/usr/bin:/bin\"}, \"versions\": [[\"tool\", \"--version\"]]}"
}

@test "shell: a failing part of a pipe fails the action; with sh it does not" {
    store
    one 'nosuchtool | cat > output'
    go run -q one.json
    ends_with 1
    says 'exit status 127: a command was not found; PATH is /usr/local/bin:/usr/bin:/bin, or what "env" says'
    one 'nosuchtool | cat > output' '{"shell": "sh"}'
    go run -q one.json
    ends_with 0
    one 'false; echo x > output'
    go run -q one.json
    ends_with 1
    one 'echo "$undefined" > output'
    go run -q one.json
    ends_with 1
}

@test "shell: exit status 141 is explained, with pipefail alone" {
    store
    one 'yes | head -n 1 > output'
    go run one.json
    ends_with 1
    says 'exit status 141: a reader such as head closed the pipe'
    says 'sed -n 1,10p'
    one 'exit 141' '{"shell": "sh"}'
    go run one.json
    says 'exit status 141'
    [[ $stderr != *'a reader such as head'* ]]
    one 'yes | head -n 1 > output' '{"shell": "sh"}'
    go run one.json
    ends_with 0
}

@test "shell: the workflow's holds for all its actions, an array is a program and its arguments" {
    store
    one 'echo "${BASH_VERSION:-sh}" > output'
    jq '.shell = "sh"' one.json >sh.json
    pingo run -q sh.json
    [ "$(cat "$(pingo path last one)")" = sh ]
    pingo run -q one.json
    [ "$(cat "$(pingo path last one)")" != sh ]
    one 'print("from python")' '{"shell": ["python3", "-c"], "stdout": true}'
    pingo run -q one.json
    [ "$(cat "$(pingo path last one)")" = 'from python' ]
    go log --command last one
    prints 'python3 -c'
}

@test "shell: it is hashed where the command is a string, and an error beside an array" {
    store
    one 'true'
    a=$(pingo hash one.json)
    jq '.shell = "sh"' one.json >sh.json
    [ "$(pingo hash sh.json)" != "$a" ]
    jq '.actions[0].command = ["true"]' one.json >array.json
    jq '.shell = "sh"' array.json >both.json
    [ "$(pingo hash array.json)" = "$(pingo hash both.json)" ]
    jq '.actions[0].shell = "sh"' array.json >wrong.json
    go validate wrong.json
    ends_with 3
    says 'an array is executed as it is'
}

@test "versions: run once, remembered, and asked again when the program changes" {
    store
    tool 1.0
    with_versions
    pingo run -q one.json
    [ "$(asked)" -eq 1 ]
    go plan one.json
    prints '0 to compute, 1 reused'
    go run one.json
    says '0 to compute, 1 reused'
    [ "$(asked)" -eq 1 ]
    tool 1.1
    go plan one.json
    prints '1 to compute, 0 reused'
    [ "$(asked)" -eq 2 ]
    pingo run -q one.json
    go why last one
    prints 'version tool --version'
    # Another program that says the same is the same version.
    tool 1.0
    echo '# rebuilt' >>bin/tool
    go plan one.json
    prints '0 to compute, 1 reused'
}

@test "versions: the environment is that of the command" {
    store
    mkdir bin
    printf '#!/bin/sh\necho "$0 $LANG $TZ $HOME $COLOUR $(pwd) $(env | wc -l)"\n' >bin/tool
    chmod 755 bin/tool
    with_versions
    jq '.env = {COLOUR: "blue"}' one.json >env.json
    COLOUR=red SECRET=1 TZ=Asia/Tokyo pingo hash env.json >a
    COLOUR=green LANG=C pingo hash env.json >b
    cmp a b
    jq '.env.COLOUR = "red"' env.json >other.json
    ! pingo hash other.json | cmp -s - a
}

@test "versions: one that fails is an error of the submission, with status and what it said" {
    store
    mkdir bin
    printf '#!/bin/sh\necho "no such option: $1" >&2\nexit 3\n' >bin/tool
    chmod 755 bin/tool
    with_versions
    go submit one.json
    ends_with 8
    says '"tool --version" ended with exit status 3: no such option: --version'
    says '(/actions/0/versions/0)'
    printf '#!/bin/sh\n' >bin/tool
    go submit one.json
    says 'printed nothing'
    printf '#!/bin/sh\nkill -SEGV $$\n' >bin/tool
    go submit one.json
    says 'ended by signal 11'
    printf '#!/bin/sh\nyes\n' >bin/tool
    go submit one.json
    says 'printed more than'
    printf 'not a program' >bin/tool
    go submit one.json
    says 'cannot be run'
    rm bin/tool
    go submit one.json
    says 'there is no such executable'
    go status --json
    json 'length == 0'
}

@test "versions: what a command leaves behind does not hold up the submission" {
    store
    mkdir bin
    printf '#!/bin/sh\necho 1\nsleep 3000.%s &\n' $$ >bin/tool
    chmod 755 bin/tool
    with_versions
    go hash one.json
    ends_with 0
    # Nothing of it is left: its whole group was ended.
    until_true eval '! grep -qsxz "3000[.]$$" /proc/[0-9]*/cmdline'
}

@test "versions: a program that changes before its action starts is noticed" {
    store
    tool 1.0
    with_versions
    pingo submit one.json
    tool 1.1
    go run -q 1
    ends_with 1
    says "changed since submission: pingo rerun takes it as it is"
}

@test "versions: an action that is planned again asks nothing anew, and needs no version to be there" {
    store
    tool 1.0
    with_versions
    jq '.actions = [{id: 0, name: "parent", type: "command-line", command: "echo p > output"},
        (.actions[0] | .parentActions = [{id: 0, as: "p"}] | .command = "cat in/p > output")]' one.json >two.json
    jq '.actions = [.actions[0]]' two.json >parent.json
    pingo run -q parent.json
    pingo submit two.json
    before=$(asked)
    # The parent vanishes after the submission: its reader is planned again.
    chmod -R u+w .pingo/pool/objects
    rm -rf .pingo/pool/objects/*/*
    go run -q 2
    ends_with 0
    [ "$(asked)" -eq "$before" ]
    [ "$(cat "$(pingo path 2 one)")" = p ]
}

@test "inputs: names with folders are found there, and by hand" {
    store
    mkdir include
    echo '#define A 1' >include/a.h
    echo '#define B 2' >include/b.h
    one 'cat in/include/a.h in/include/deep/er/b.h > output; find in | sort >> output' \
        '{"inputs": [{"name": "include/a.h", "path": "include/a.h"},
                     {"name": "include/deep/er/b.h", "path": "include/b.h"}]}'
    go run -q one.json
    ends_with 0
    [ "$(sed -n 2p "$(pingo path last one)")" = '#define B 2' ]
    grep -qx 'in/include/deep/er/b.h' "$(pingo path last one)"
    # Several attempts in the same worker's directories, with and without folders.
    jq '.actions = [range(8) as $i | .actions[0] + {id: $i, salt: "\($i)"}
        | if $i % 2 == 1 then .inputs[0].name = "include" | .command = "cat in/include > output" |
          .inputs = [.inputs[0]] else . end]' one.json >many.json
    go run -q many.json
    ends_with 0
    pingo log --command 1 one >again.sh
    timeout 600 sh again.sh 2>/dev/null
    timeout 600 sh again.sh a/fresh/directory 2>/dev/null
    [ -e a/fresh/directory/work/output ]
    go provenance last 0
    prints 'input     include/deep/er/b.h'
}

@test "inputs: a name that is a folder of another is an error" {
    one 'true' '{"inputs": [{"name": "a/b", "path": "text.txt"}, {"name": "a", "path": "text.txt"}]}'
    go validate one.json
    ends_with 3
    says 'no name may be a folder of another'
    one 'true' '{"inputs": [{"name": "a/../b", "path": "text.txt"}]}'
    go validate one.json
    ends_with 3
    says 'must be a letter, a digit or _'
}

@test "labels, executorOptions, sandbox: not hashed" {
    one 'true'
    a=$(pingo hash one.json)
    one 'true' '{"labels": {"sample": "3"}, "executorOptions": {"queue": "long", "nodes": 2}, "sandbox": false,
        "executor": "local"}'
    [ "$(pingo hash one.json)" = "$a" ]
    jq '.labels = {project: "x"} | .executorOptions = {account: "y"}' one.json >more.json
    [ "$(pingo hash more.json)" = "$a" ]
    jq '.labels = {"a b": "x"} | .actions[0].executorOptions = {x: [1]}' one.json >wrong.json
    go validate wrong.json
    ends_with 3
    says "the label's name"
    says '/actions/0/executorOptions/x'
}

@test "warnings: a header by its folder is mentioned, equal ones are told once, -q says none" {
    store
    for h in a b c; do echo "#define $h" >$h.h; done
    echo 'int main(void) { return 0; }' >main.c
    jq -n '{name: "build", actions: [range(20) as $i | {id: $i, name: "cc \($i)", type: "command-line",
        command: "cat in/main.c > output; : -Iin/include",
        inputs: [{name: "main.c", path: "main.c"}, (("a", "b", "c") | {name: "include/\(.).h", path: "\(.).h"})]}]}' >build.json
    go validate --strict build.json
    ends_with 0
    [ -z "$stderr" ]
    # The same without a word of the folder.
    sed 's/; : -Iin.include//' build.json >silent.json
    go validate silent.json
    ends_with 0
    [ "$(grep -c 'never mentions' <<<"$stderr")" -eq 3 ]
    says 'never mentions the input "include/b.h": it would be in/include/b.h; and so in 19 more places'
    go validate --json silent.json
    json '[.problems[] | .times] == [20, 20, 20]'
    go validate --strict silent.json
    ends_with 3
    go run -q silent.json
    ends_with 0
    [ -z "$stderr" ]
}

@test "inputs: all that is missing is told at once, with the violations of rules" {
    store
    jq -n '{name: "w", actions: [range(4) as $i | {id: $i, name: "a", type: "command-line",
        command: ["cat", "in/x"], inputs: [{name: "x", path: "missing-\($i)"}]}]}
        | .actions[3] += {tools: ["nosuchtool"], versions: [["false"]]}' >missing.json
    for command in submit plan hash run; do
        go $command missing.json
        ends_with 8
        for i in 0 1 2 3; do says "missing-$i: cannot be read: No such file or directory (/actions/$i/inputs/0/path)"; done
        says 'nosuchtool: there is no such executable'
        says '"false" ended with exit status 1'
        says '6 of its inputs, tools and versions cannot be read'
    done
    # pingo validate, which reads no inputs, would not tell the rest.
    jq '.actions = [.actions[0] | range(150) as $i | .id = $i | .inputs[0].path = "missing-\($i)"]' missing.json >hundreds.json
    go submit hundreds.json
    ends_with 8
    grep -qx 'pingo: hundreds.json: 50 more errors' <<<"$stderr"
    jq '.actions[1].id = 0 | .actions[2].retries = -1' missing.json >both.json
    go submit both.json
    ends_with 3
    says 'missing-3: cannot be read'
    says 'the id 0 belongs to'
    says '"retries" must be'
    go status --json
    json 'length == 0'
}

@test "inputs: a directory that holds the store is none" {
    store
    jq -n '{name: "w", actions: [{id: 1, name: "a", type: "command-line", command: "ls in/src > output",
        inputs: [{name: "src", path: "."}]}]}' >dot.json
    for command in "run" "plan" "submit"; do
        go $command dot.json
        ends_with 8
        says "action 1 (a): input src: $PWD holds the store, which changes with each run"
    done
    [ "$(pingo status --json)" = "[]" ]
    go exec -i . -- true
    ends_with 8
    jq '.actions[0].inputs[0].identity = "stat"' dot.json | pingo run -q -
}

@test "validate: of many problems a hundred are printed and the rest are counted" {
    jq -n -c '{name: "w", actions: [range(20000) as $i | {id: 7, name: "a", type: "command-line", command: "true", retry: 1}]}' >many.json
    go validate many.json
    ends_with 3
    [ "$(wc -l <<<"$stderr")" -eq 102 ]
    says 'more errors; more of them: pingo validate --json'
    says '39999 errors'
    go validate --json many.json
    json '(.problems | length) == 1001 and .problems[-1].times == 38999'
    # A cycle of them all is a line that can be read.
    jq -n -c '{name: "w", actions: [range(20000) as $i | {id: $i, name: "action \($i)", type: "external",
        description: "d", parentActions: [{id: (($i + 1) % 20000)}]}]}' >cycle.json
    go validate cycle.json
    ends_with 3
    says '(20000 actions)'
    [ "${#stderr}" -lt 2000 ]
}

@test "submit: warnings hide no error, and with --quiet there are none" {
    store
    jq -n -c '{name: "w", actions: ([range(150) | {id: ., name: "a\(.)", type: "command-line",
        command: ["touch", "output"], parentActions: [{id: 1000, as: "r\(.)"}]}] +
        [{id: 1000, name: "z", type: "command-line", command: ["cp", "in/gone", "output"],
          inputs: [{name: "gone", path: "gone.txt"}]}])}' >warned.json
    "$PINGO" serve -q --no-tcp 3>&- &
    STARTED="$STARTED $!"
    curl -sS --retry 30 --retry-all-errors --unix-socket .pingo/serve.sock http://localhost/readyz
    for command in 'plan' 'run' 'submit' '--server .pingo/serve.sock submit'; do
        go $command warned.json
        ends_with 8
        says 'gone.txt: cannot be read'
        [ "$(grep -c 'warning:' <<<"$stderr")" -eq 10 ]
        says '140 more warnings; all of them: pingo validate'
        says 'warned.json: 1 of its inputs, tools and versions cannot be read'
        go $command -q warned.json
        ends_with 8
        says 'gone.txt: cannot be read'
        [ "$(grep -c 'warning' <<<"$stderr")" -eq 0 ]
    done
}

@test "inputs: on tmpfs a change that leaves the times as they are is seen" {
    [ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip 'no tmpfs'
    store
    dir=$(mktemp -d -p /dev/shm)
    echo "rm -rf '$dir'" >cleanup
    echo 1111 >"$dir/x"
    one 'cat in/x > output' "{\"inputs\": [{\"name\": \"x\", \"path\": \"$dir/x\"}]}"
    sleep 0.1
    a=$(pingo hash one.json)
    pingo run -q one.json
    python3 -c '
import mmap, os, sys
before = os.stat(sys.argv[1])
with open(sys.argv[1], "r+b") as f, mmap.mmap(f.fileno(), 0) as m:
    m[0:4] = b"2222"
after = os.stat(sys.argv[1])
sys.exit(before.st_mtime_ns != after.st_mtime_ns or before.st_ctime_ns != after.st_ctime_ns)' "$dir/x" ||
        { sh cleanup; skip 'the times changed'; }
    b=$(pingo hash one.json)
    pingo run -q one.json
    said=$(cat "$(pingo path last one)")
    sh cleanup
    [ "$a" != "$b" ]
    [ "$said" = 2222 ]
}

@test "inputs: times after 2262 differ, and a workflow file has one base from wherever it is named" {
    store
    one 'true' '{"inputs": [{"name": "x", "path": "text.txt", "identity": "stat"}]}'
    touch -d '2300-01-01 UTC' text.txt
    [ "$(stat -c %Y text.txt)" -gt 10000000000 ] || skip 'this file system ends before 2262'
    a=$(pingo hash one.json)
    touch -d '2301-01-01 UTC' text.txt
    [ "$(pingo hash one.json)" != "$a" ]
    ln -s . lk
    [ "$(pingo hash lk/one.json)" = "$(cd lk && pingo hash one.json)" ]
    [ "$(pingo hash lk/one.json)" = "$(pingo hash "$PWD/lk/lk/one.json")" ]
}

@test "stat: a change that a disk with whole seconds leaves at the same time is seen" {
    local i
    store
    one 'cat in/x >output' '{"inputs": [{"name": "x", "path": "text.txt", "identity": "stat"}]}'
    for i in 1 2 3; do
        echo "$i" >text.txt
        touch -d "@$(date +%s)" text.txt # as FAT has it
        pingo run -q one.json
        [ "$(cat "$(pingo path last one)")" = "$i" ]
    done
}
