#!/usr/bin/env bats
# The sandbox as a user meets it: what is not declared fails at once, and nothing outside is written.
load helper

store() {
    pingo init >/dev/null
}

# FILE: a workflow of actions, each "NAME|INPUTS or PARENTS as JSON members, or nothing|COMMAND".
actions() {
    python3 - "$@" <<'E'
import json, sys
actions = []
for i, text in enumerate(sys.argv[2:], 1):
    name, more, command = text.split("|", 2)
    action = {"id": i, "name": name, "type": "command-line", "command": command}
    action.update(json.loads("{%s}" % more))
    actions.append(action)
json.dump({"name": "w", "actions": actions}, open(sys.argv[1], "w"))
E
}

needs_landlock() {
    python3 -c 'import ctypes
raise SystemExit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)' || skip "no Landlock"
}

@test "sandbox: a script sees neither its folder nor modules there, and leaves nothing beside itself" {
    store
    echo 'def fmt(x): return str(x)' >helpers.py
    printf 'import sys\nprint(sys.path[0])\nfrom helpers import fmt\nprint(fmt(3))\n' >agg.py
    actions w.json 'agg|"inputs": [{"name": "agg.py", "path": "agg.py"}]|python3 in/agg.py > output'
    go run w.json
    ends_with 1
    says "No module named 'helpers'"
    [ ! -e __pycache__ ]
    actions w.json 'agg|"inputs": [{"name": "agg.py", "path": "agg.py"}, {"name": "helpers.py", "path": "helpers.py"}]|python3 in/agg.py > output'
    go run w.json
    ends_with 0
    [ "$(tail -n 1 "$(pingo path last agg)")" = 3 ]
    [ ! -e __pycache__ ]
}

@test "sandbox: a command of versions changes nothing but what lies in a folder of its own" {
    needs_landlock
    store
    echo kept >kept
    printf '#!/bin/sh\necho "$TMPDIR" >&2\necho evil >%s/evil\nrm -f %s/kept\necho 1.0 >"$TMPDIR/v"\ncat "$TMPDIR/v"\nexit $1\n' "$PWD" "$PWD" >tool
    chmod 755 tool
    actions w.json "a|\"versions\": [[\"$PWD/tool\", \"0\"]]|echo x > output"
    go run w.json
    ends_with 0
    [ ! -e evil ]
    [ "$(cat kept)" = kept ]
    pingo provenance last a --json | grep -q '"1.0"'
    sed -i 's/"0"/"3"/' w.json
    go run w.json
    ends_with 8
    says 'Permission denied'
    says 'it can write below its TMPDIR alone'
    [[ $stderr =~ (/tmp/pingo-[A-Za-z0-9]*) ]]
    [ ! -e "${BASH_REMATCH[1]}" ]
}

@test "sandbox: an undeclared file, a write outside and a parent's output are denied, and it is said" {
    needs_landlock
    store
    echo secret >secret
    actions w.json \
        "parent||mkdir output; echo one > output/f" \
        "read||cat $PWD/secret > output" \
        "write||echo evil > $PWD/evil && cp $PWD/evil output" \
        'into|"parentActions": [{"id": 1, "as": "p"}]|echo two > in/p/f.fai && cat in/p/f > output'
    go run w.json
    ends_with 1
    for name in read write into; do
        [[ $stderr =~ "$name: exit status "[0-9]+": the sandbox may have denied it something" ]]
    done
    says "Permission denied"
    [ ! -e evil ]
    [ "$(ls "$(pingo path last parent)")" = f ]
    pingo fsck --deep
}

@test "sandbox: a pool on a file system that runs no program is told of" {
    needs_landlock
    store
    unshare -m mount --bind . . 2>/dev/null || skip "only root has file systems of his own"
    actions w.json 'script||cp /bin/true here && ./here && echo 1 > output'
    for sandbox in on off; do
        end_supervisors
        pingo config sandbox $sandbox
        run --separate-stderr unshare -m sh -c "mount --bind .pingo/pool .pingo/pool &&
            mount -o remount,noexec,bind .pingo/pool && '$PINGO' run w.json"
        ends_with 1
        says "the pool's file system is mounted noexec"
    done
    case $stderr in *'the sandbox'*) false ;; esac
    end_supervisors
    pingo run -q w.json
}

@test "sandbox: what can only work outside is told how" {
    needs_landlock
    store
    actions w.json "mount||mkdir m && mount -t tmpfs none m && echo x > output"
    go run w.json
    says '"sandbox": false'
}

@test "sandbox: sandbox.read opens a place, sandbox off all" {
    needs_landlock
    store
    mkdir data
    echo one >data/f
    actions one.json "one||cat $PWD/data/f > output"
    actions two.json "two||cat $PWD/data/f > output && cat $PWD/text.txt >> output"
    go config sandbox.read data
    [ "$status" -ne 0 ]
    says "no absolute path"
    go config sandbox.read "$PWD/data:$PWD/nowhere"
    [ "$status" -ne 0 ]
    says "nowhere: No such file"
    pingo config sandbox.read "/usr:$PWD/data"
    go run -q one.json
    ends_with 0
    go run -q two.json
    ends_with 1
    go config sandbox maybe
    [ "$status" -ne 0 ]
    says "neither on nor off"
    pingo config sandbox off
    go run -q two.json
    ends_with 0
}

@test "sandbox: what is changed holds for a run that goes on" {
    needs_landlock
    store
    mkdir data
    echo one >data/f
    jq -n --arg f "$PWD/data/f" --arg go "$PWD/go" '{name: "w", actions: [
        {id: 1, name: "first", type: "command-line", command: "until [ -e \($go) ]; do sleep 0.05; done; echo > output"},
        {id: 2, name: "second", type: "command-line", command: "cat \($f) > output",
         parentActions: [{id: 1, as: "first"}]}]}' >w.json
    pingo submit w.json
    pingo run -q last 3>&- &
    until_true eval 'pingo status last --json | jq -e ".actions[0].state == \"RUNNING\"" >/dev/null'
    pingo config sandbox.read "$PWD/data"
    : >go
    wait $!
    [ "$(pingo status last --json | jq -r .state)" = FINISHED ]
}

@test "sandbox: temporary files are an action's own" {
    store
    # shellcheck disable=SC2016 # for the action's shell
    actions w.json 'tmp||t=$(mktemp); case $t in */attempts/*/tmp/*) echo fine > output ;; esac'
    go run -q w.json
    ends_with 0
}

@test "sandbox: an action's key stands above the setting, and status tells" {
    needs_landlock
    store
    echo secret >secret
    actions w.json "free|\"sandbox\": false, \"salt\": \"0\"|cat $PWD/secret > output" "held||cat $PWD/secret > output"
    go run -q w.json
    ends_with 1
    says "pingo audit 1 2"
    go status --json last
    json '[.actions[] | .confined] == [false, true]'
    pingo config sandbox off
    actions w.json "free|\"salt\": \"2\"|cat $PWD/secret > output" "held|\"sandbox\": true, \"salt\": \"1\"|cat $PWD/secret > output"
    go run -q w.json
    ends_with 1
    go status --json last
    json '[.actions[] | .confined] == [false, true]'
}

@test "audit: what is read, executed and written, of a failed and of a finished action" {
    command -v strace >/dev/null || skip "no strace"
    store
    echo 'fmt = str' >helpers.py
    echo data >data.txt
    mkdir many venv
    touch many/{1..20} venv/pyvenv.cfg
    echo x >venv/f
    printf '#!/bin/sh\necho tool\n' >tool
    chmod +x tool
    actions w.json "all|\"shell\": \"sh\"|{ cat data.txt $PWD/data.txt $PWD/many/* $PWD/venv/f; $PWD/tool; echo x > $PWD/stray; cd $PWD && cat helpers.py; echo y > out2; cat /etc/passwd; } > output; exit 3"
    go run -q w.json
    ends_with 1
    [ ! -e stray ]
    go audit last all --json
    ends_with 0
    says "ended with status 3"
    output=${output//"$PWD"/P} json '.exitCode == 3 and .signal == null and .name == "all" and .action == 1
        and .inputs == [{name: "data.txt", path: "P/data.txt"}, {name: "helpers.py", path: "P/helpers.py"},
            {name: "many", path: "P/many"}]
        and .tools == ["P/tool"] and .sandboxRead == ["P/venv"]
        and .writes == ["P/out2", "P/stray"]'
    go audit last all
    prints "pingo config sandbox.read $PWD/venv"
    prints '"name":"helpers.py"'
    prints '"sandbox": false'
    # What it says is enough.
    pingo config sandbox.read "$PWD/venv"
    actions w.json "all|\"inputs\": [{\"name\": \"data.txt\", \"path\": \"data.txt\"}], \"tools\": [\"$PWD/tool\"]|{ cat $PWD/data.txt $PWD/venv/f; $PWD/tool; } > output"
    go run -q w.json
    ends_with 0
    go audit last all
    ends_with 0
    [ "$output" = "nothing beyond what is declared was touched" ]
    [ -z "$(find /tmp "${TMPDIR:-/tmp}" -maxdepth 1 -name 'pingo-audit-*' -newer w.json 2>/dev/null)" ]
}

@test "audit: files of one name in several directories are inputs of several names" {
    command -v strace >/dev/null || skip "no strace"
    store
    mkdir x y
    echo 1 >x/d.txt
    echo 2 >y/d.txt
    actions w.json "cat|\"shell\": \"sh\"|cat $PWD/x/d.txt $PWD/y/d.txt > output"
    go run -q w.json
    go audit last cat --json
    output=${output//"$PWD"/P} json '.inputs == [{name: "d.txt", path: "P/x/d.txt"}, {name: "d.txt-2", path: "P/y/d.txt"}]'
    go audit last cat
    [ "${lines[*]}" = 'for "inputs":'"   {\"name\":\"d.txt\",\"path\":\"$PWD/x/d.txt\"},   {\"name\":\"d.txt-2\",\"path\":\"$PWD/y/d.txt\"}" ]
}

@test "audit: where nothing else was touched, a copy that is read-only may be what was denied" {
    needs_landlock
    command -v strace >/dev/null || skip "no strace"
    store
    # As others than root find it who copy a directory of the pool.
    actions w.json 'p||mkdir output; echo p > output/f' \
        'c|"parentActions": [{"id": 1, "as": "p"}]|cp -rL in/p output; [ "$(stat -c %a output/f)" != 444 ] || { echo "Permission denied" >&2; exit 1; }'
    go run -q w.json
    ends_with 1
    says "pingo audit 1 2"
    go audit last c
    ends_with 0
    prints "nothing beyond what is declared was touched"
    says "chmod -R u+w"
    # Not where another thing failed.
    actions other.json 'c||echo "no such file" >&2; exit 1'
    go run -q other.json
    go audit last c
    [[ $stderr != *chmod* ]]
    sed -i 's/cp -rL in.p output/&; chmod -R u+w output/' w.json
    go run -q w.json
    ends_with 0
    go audit last c
    [ -z "$stderr" ]
}

@test "audit: a place is told as a word for a shell, whatever is in its name" {
    command -v strace >/dev/null || skip "no strace"
    store
    mkdir "it's"
    touch "it's/pyvenv.cfg" "it's/f"
    jq -n --arg file "$PWD/it's/f" '{name: "w", actions: [{id: 1, name: "all", type: "command-line",
        command: ["cp", $file, "output"]}]}' >w.json
    pingo run -q w.json || :
    go audit last all
    eval "$(grep "sandbox.read " <<<"$output" | tail -n 1)"
    [ "$(pingo config sandbox.read)" = "$PWD/it's" ]
}

@test "audit: nothing is written elsewhere: neither a parent's output nor a file of the user" {
    needs_landlock
    command -v strace >/dev/null || skip "no strace"
    store
    echo mine >mine
    actions w.json 'p||echo p > output' "c|\"shell\": \"sh\", \"parentActions\": [{\"id\": 1, \"as\": \"p\"}]|echo x >> in/p; rm -f $PWD/mine; echo y > $PWD/mine; echo c > output; exit 1"
    go run -q w.json
    ends_with 1
    go audit last c
    ends_with 0
    [ "$(cat mine)" = mine ]
    [ "$(cat "$(pingo path last p)")" = p ]
    prints "$PWD/mine"
    prints "$(pingo path last p)"
    # What the command said is shown line by line.
    says $'\n  | '
    go fsck --deep
    ends_with 0
}

@test "audit: a file that is made beside what lies in in/ is told, a link into in/ of its own is not" {
    needs_landlock
    command -v strace >/dev/null || skip "no strace"
    store
    # As programs do that make an index where there is none.
    actions w.json 'ref||mkdir output; echo r > output/ref' \
        'index|"parentActions": [{"id": 1, "as": "ref"}]|ln -s in/ref/ref own; echo i > in/ref/ref.idx; cp own output'
    go run -q w.json
    ends_with 1
    go audit last index --json
    ends_with 0
    path=$(pingo path last ref) json '.writes == ["\($ENV.path)/ref.idx"]'
    go audit last index
    prints "$(pingo path last ref)/ref.idx"
    says "in/ is read-only"
    actions w.json 'ref||mkdir output; echo r > output/ref' \
        'index|"parentActions": [{"id": 1, "as": "ref"}]|ln -s in/ref/ref own; echo i > own.idx; cp own output'
    go run -q w.json
    ends_with 0
    go audit last index
    [ "$output" = "nothing beyond what is declared was touched" ]
    [ -z "$stderr" ]
}

@test "audit: what is missing is named, and so is strace" {
    store
    echo one >one.txt
    actions w.json 'p||echo p > output' \
        'c|"inputs": [{"name": "one.txt", "path": "one.txt"}], "parentActions": [{"id": 1, "as": "p"}]|cat in/* > output'
    pingo run -q w.json
    rm one.txt
    go audit last c
    ends_with 8
    says "one.txt"
    echo one >one.txt
    mkdir bin
    run --separate-stderr env PATH="$PWD/bin" "$PINGO" audit last c
    ends_with 10
    says "strace"
    run --separate-stderr env -u PATH "$PINGO" audit last c
    ends_with 0
    pingo release last
    pingo rm last p
    pingo tick
    go audit last c
    ends_with 5
    says "in/p is not in the pool"
    go audit last nosuch
    ends_with 5
}
