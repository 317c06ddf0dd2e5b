#!/usr/bin/env bats
# pingo --server: a client of pingo serve prints what the store here does.
load helper

# A store in here/ with a server, of which $SOCKET and $URL are; PINGO_TOKEN is of a submitter.
serve() {
    [ -d here ] || { mkdir here && (cd here && store); }
    cd here || return 1
    "$PINGO" serve --port 0 >../served 2>&1 3>&- &
    STARTED="$STARTED $!"
    SERVER=$!
    until_true grep -q ^serving ../served
    SOCKET=$PWD/.pingo/serve.sock
    URL=$(sed -n 's|^TCP: \(http://127.0.0.1:[0-9]*\)/.*|\1|p' ../served)
    PINGO_TOKEN=$(pingo token create laptop --role submitter --quiet)
    export PINGO_TOKEN
    cd ..
}

teardown() {
    for pid in $STARTED; do kill -KILL "$pid" 2>/dev/null || :; done
    end_supervisors
    chmod -R u+w "$BATS_TEST_TMPDIR" 2>/dev/null || :
}

mixed() {
    cat >mixed.json <<'X'
{"name": "mixed", "labels": {"k": "v"}, "actions": [
 {"id": 1, "name": "tree", "type": "command-line",
  "command": "mkdir -p output/sub; echo hi > output/sub/f; ln -s f output/sub/l; ln -s ../sub output/sub/m; echo out; echo err >&2"},
 {"id": 2, "name": "a/b", "type": "command-line", "output": "x.txt", "command": "echo 42 > x.txt; sleep 0.5; echo done"},
 {"id": 3, "name": "bad", "type": "command-line", "command": "echo no >&2; exit 7"}]}
X
}

# Starts a proxy before the server, whose carry(client) is given; its port stands in the file port.
proxy() {
    { echo "import os, socket, sys, threading"; cat; cat <<'P'; } >proxy.py
listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
while True:
    threading.Thread(target=carry, args=(listening.accept()[0],), daemon=True).start()
P
    /usr/bin/python3 proxy.py "$SOCKET" >port 3>&- &
    STARTED="$STARTED $!"
    until_true test -s port
}

# The same of the store and over both ways to the server, with the same status; hints what to do next aside.
same() {
    local way here there
    here=$(cd here && pingo "$@" 2>&1 | grep -v ^try:; echo "= ${PIPESTATUS[0]}")
    for way in "$SOCKET" "$URL"; do
        there=$(pingo --server "$way" "$@" 2>&1 | grep -v ^try:; echo "= ${PIPESTATUS[0]}")
        [ "$here" = "$there" ] || {
            printf 'pingo %s by %s\nhere:\n%s\nthere:\n%s\n' "$*" "$way" "$here" "$there"
            return 1
        }
    done
}

@test "remote: so many names that no request takes them are told" {
    serve
    run pingo --server "$SOCKET" datasets $(seq -f name%g 1 95)
    [ "$status" -eq 5 ]
    run pingo --server "$SOCKET" datasets $(seq -f name%g 1 101)
    [ "$status" -ne 0 ]
    [[ $output == *"too many are named for one request to a server"* ]]
    run pingo --server "$SOCKET" datasets $(seq -f a-very-long-name-of-a-step-that-someone-has-generated-by-a-script-of-his-own-%064g 1 80)
    [[ $output == *"too many are named for one request to a server"* ]]
}

@test "remote: as many warnings and errors are told as of the store" {
    serve
    mkdir there
    for n in 10 11 12; do
        for where in here there; do # what was computed before is not warned of
            jq -n --argjson n $n --arg where $where '{name: "w", actions: [{id: 1, name: "a", type: "command-line",
                command: "echo \($where) \($n) >output", inputs: [range($n) | {name: "i\(.)", path: "/etc/hostname"}]}]}' >$where/warned.json
        done
        (cd here && pingo submit warned.json 2>../here.err)
        (cd there && pingo --server "$SOCKET" submit warned.json 2>../there.err)
        grep -q warning there.err
        diff here.err there.err
    done
    for n in 100 101 102; do
        jq -n --argjson n $n '{name: "w", actions: [range($n) | {id: ., name: "a", type: "nosuch"}]}' | tee here/wrong.json >there/wrong.json
        (cd here && ! pingo submit wrong.json 2>../here.err)
        (cd there && ! pingo --server "$SOCKET" submit wrong.json 2>../there.err)
        grep -q error there.err
        diff here.err there.err
    done
}

@test "remote: an empty workflow, and a target that is none, are refused as by the store, with all warnings" {
    serve
    echo '{"name": "w", "actions": [{"id": 1, "name": "a", "type": "command-line", "command": "echo >output",
        "inputs": [{"name": "i", "path": "/etc/hostname"}]}]}' | tee here/w.json >w.json
    for command in submit plan; do
        same $command /dev/null
        same $command w.json --target nope
    done
    go --server "$SOCKET" submit /dev/null
    ends_with 3
    go --server "$SOCKET" plan w.json --target nope
    says 'warning: the command never mentions the input'
}

@test "remote: what others have made counts, though where it lies is not told" {
    serve
    echo '{"name": "w", "actions": [{"id": 1, "name": "a", "type": "command-line", "command": "echo hello >output"}]}' >w.json
    pingo --server "$SOCKET" submit -q w.json
    pingo --server "$SOCKET" wait last
    (cd here && pingo config serve.private on)
    PINGO_TOKEN=$(cd here && pingo token create ann --user ann --role submitter --quiet)
    export PINGO_TOKEN
    pingo --server "$URL" submit -q w.json
    go --server "$URL" datasets
    says '1 dataset, 6 B'
}

@test "remote: an action is meant by a name that is no part of a path, and nothing else is" {
    serve
    cat >odd.json <<'X'
{"name": "odd", "actions": [
 {"id": 1, "name": "..", "type": "command-line", "command": "echo up; echo 1 >output"},
 {"id": 2, "name": "a/b", "type": "command-line", "command": "echo slash; echo 2 >output"},
 {"id": 3, "name": "a\\..\\b*", "type": "command-line", "command": "sleep 3000; echo 3 >output"},
 {"id": 4, "name": "twin/s", "type": "command-line", "command": "echo 4 >output"},
 {"id": 5, "name": "twin/s", "type": "command-line", "command": "echo 5 >output"},
 {"id": 6, "name": "a\nb\u007f", "type": "command-line", "command": "echo line; echo 6 >output"}]}
X
    pingo --server "$URL" submit -q odd.json
    until_true eval 'pingo --server "$URL" status 1 --json | jq -e "[.actions[] | select(.state == \"FINISHED\") | .id] == [1, 2, 4, 5, 6]"'
    for name in .. . a/b 'a/*' a/c twin/s $'a\nb\x7f' $'a\n' ''; do
        same log 1 "$name"
        same why 1 "$name"
        same provenance 1 "$name" --json
        same status 1 "$name" --attempts
    done
    same log 1 a/b --command
    same kill 1 ..
    same kill 1 .
    same kill 1 $'a\n'
    same kill 1 ''
    go --server "$URL" status 1 --json
    json '.state == "RUNNING"' # that one of its actions is meant, and not the workflow
    go --server "$URL" kill 1 'a?..?b*'
    ends_with 0
    says 'killed 1 action of workflow 1'
}

@test "remote: a word that can be no part of a path is told as what it is not, as by the store" {
    serve
    for word in '' . .. a/b %2e; do
        same status "$word"
        same status --follow "$word"
        same pause "$word"
        same provenance "$word" --json
    done
    go --server "$SOCKET" shares set 'a\b' --weight 2
    ends_with 0
    go --server "$SOCKET" shares set a/b --weight 2
    ends_with 2
    says '"a/b" is no user whom a server can be told of'
}

@test "remote: what is printed, and the statuses, are those of the store" {
    serve
    mixed
    go --server "$URL" submit mixed.json
    ends_with 0
    [ "$output" = 1 ]
    go --server "$URL" wait last
    ends_with 1
    says 'workflow 1 FAILED'
    same status
    same status --json
    same status 1
    same status 1 --json
    same status last 1 3 --json
    same status 1 --attempts
    sqlite3 here/.pingo/pingo.db "UPDATE attempt SET progress = '{\"percent\":40,\"maps\":{\"done\":[2]}}'" # as an engine tells it
    same status 1 --attempts --json
    same status 1 'a*' --attempts
    same status 1 --groups
    same status 1 --groups --json
    same datasets
    same datasets --json --all --sort size
    same datasets nobody other
    same wait 1 --json
    same log 1 1
    same log 1 3 --stderr
    same log 1 2 --follow
    same log last 3 --command
    (cd here && pingo rm 1 tree)
    until_true eval '(cd here && pingo datasets --all tree) | grep -q " DELETED "'
    same datasets tree
    same datasets tree --all --json
    same datasets --all --all --state DELETED,LEAF --state STORED
    same datasets --state LEAF --state DELETED --json
    same datasets --state leaf,Stored-to-delete
    same kill 1
    same pause 1
    same priority 1 last --json
    same priority 99
    same status 99
    same status 1 nobody
    for i in 1 2 3; do pingo --server "$SOCKET" submit -q mixed.json; done >/dev/null
    pingo --server "$URL" wait -q || :
    same status --limit 2 --json
    cursor=$(pingo --server "$URL" status --limit 2 --after '' --json | jq -r .next)
    same status --limit 2 --after "$cursor" --json
    PINGO_SERVER=$URL go status --json
    json 'length == 4'
    go -C here --server "$URL" status
    ends_with 2
    PINGO_SERVER=$URL go -C here status --json # a store that is named is meant
    json 'length == 4'
    go --server "$URL" submit mixed.json --tag once --once --json
    json '.found == false and .workflow == 5'
    go --server "$URL" submit mixed.json --tag never --tag once --once --json # the last one counts
    json '.found == true and .workflow == 5'
    echo '{"name": "cut", "actions": [{"id": 1, "name": "bad", "type": "command-line", "command": "exit 7"},
        {"id": 2, "name": "child", "type": "command-line", "command": "cat in/bad >output", "parentActions": [{"id": 1}]}]}' >cut.json
    pingo --server "$URL" submit -q cut.json
    pingo --server "$URL" wait -q || :
    same log last 2
    go --server "$URL" log last 2
    says "nothing ran: the action was CANCELLED before it started"
    # What was reused or skipped has the log of another run, or an empty one.
    echo '{"name": "two", "actions": [{"id": 1, "name": "said", "type": "command-line", "command": "echo said; echo 1 >output"},
        {"id": 2, "name": "silent", "type": "command-line", "command": "cat in/1 >output", "parentActions": [{"id": 1}]},
        {"id": 3, "name": "last", "type": "command-line", "command": "cat in/1 >output; : 3", "parentActions": [{"id": 2}]}]}' >two.json
    for i in 1 2; do
        pingo --server "$URL" submit -q two.json
        pingo --server "$URL" wait -q || :
    done
    go --server "$URL" log last said
    says "skipped here: what follows is of workflow"
    for i in said silent last; do
        same log last "$i"
        same log last "$i" --stdout
    done
}

@test "remote: what some actions of a workflow are is asked once" {
    serve
    one ': > output'
    pingo --server "$SOCKET" submit -q one.json
    go --server "$SOCKET" status 1 'o*'
    ends_with 0
    prints 'one'
    [ "$(curl -s --unix-socket "$SOCKET" http://localhost/metrics | grep -c '^pingo_http_requests_total{route="listActions",code="2xx"} 1$')" -eq 1 ]
    go --server "$SOCKET" status 1 'o*' nobody
    ends_with 5
    [ -z "$output" ]
}

@test "remote: a priority is set there" {
    serve
    echo '{"name": "w", "actions": [{"id": 1, "name": "a", "type": "command-line", "command": "sleep 600"}]}' >w.json
    pingo --server "$URL" submit -q --priority -7 w.json
    go -C here priority 1
    [ "$output" = 'workflow 1 has priority -7' ]
    go --server "$SOCKET" priority --set -5 1 --json
    ends_with 0
    json '.workflows == [{workflow: 1, state: "RUNNING", priority: -5, changed: true}]'
    go -C here priority 1
    [ "$output" = 'workflow 1 has priority -5' ]
    go --server "$SOCKET" priority --set 9 1 99
    ends_with 5
    go --server "$URL" priority --set 1 1 # its token is a submitter's
    ends_with 5
    says 'may not do this'
    go --server "$URL" priority 1
    [ "$output" = 'workflow 1 has priority -5' ]
    pingo --server "$URL" kill -q 1
}

@test "remote: a plan is that of the store" {
    serve
    mixed
    same plan "$PWD/mixed.json"
    same plan "$PWD/mixed.json" --json
    same plan "$PWD/mixed.json" --check
    pingo --server "$URL" submit -q mixed.json
    pingo --server "$URL" wait -q 1 || :
    same plan "$PWD/mixed.json" --json
    same plan "$PWD/mixed.json" --target 1 --all
    same plan "$PWD/mixed.json" --target 1 --force 1
    same plan "$PWD/mixed.json" --target nobody
    jq '.actions += [{id: 4, name: "deaf", type: "command-line", parentActions: [{id: 1, as: "p"}], command: "true > output"}]' mixed.json >warned.json
    same plan "$PWD/warned.json"
    go --server "$URL" plan warned.json
    says 'never mentions the role'
    same plan "$PWD/warned.json" --strict
    same plan "$PWD/warned.json" -q --json
    go --server "$URL" status
    [ "$(grep -c mixed <<<"$output")" -eq 1 ]
}

@test "remote: who is new is told what to do next" {
    serve
    mixed
    hint() { # what is tried, and the call
        local hint=$1
        shift
        go "$@"
        [ "$status" -ne 0 ]
        grep -q "^try: .*$hint" <<<"$stderr" || { echo "$*"; echo "$stderr"; return 1; }
    }
    PINGO_TOKEN=nobody hint 'pingo token create NAME' --server "$URL" status
    PINGO_TOKEN='' hint 'PINGO_TOKEN_FILE' --server "$URL" status
    old=$(pingo -C here token create old --role viewer --quiet)
    pingo -C here token revoke -q old
    PINGO_TOKEN=$old hint 'pingo token create NAME' --server "$URL" status
    looks=$(pingo -C here token create looks --role viewer --quiet)
    PINGO_TOKEN=$looks hint 'pingo token list' --server "$URL" submit mixed.json
    hint "pingo --server $URL status" --server "$URL" status 9
    PINGO_SERVER=$URL hint 'pingo status' wait 9
    hint "http://${URL#http://}" --server "${URL#http://}" status
    hint 'pingo serve tells it' --server "$URL/v1" status
    hint 'pingo serve tells it' --server '' status
    hint 'here/.pingo/serve.sock' --server "$PWD/here" status
    ln -s here 'the store'
    hint "--server '$PWD/the store/.pingo/serve.sock'" --server "$PWD/the store" status
    hint "pingo --server '$PWD/the store/.pingo/serve.sock' status" --server "$PWD/the store/.pingo/serve.sock" status 9
    hint "--server 'http://a b'" --server 'a b' status
    mkdir 'a b'
    (cd 'a b' && store && exec "$PINGO" serve --no-tcp --no-run >../told 2>&1 3>&-) &
    STARTED="$STARTED $!"
    until_true grep -q ^serving told
    [ "$(sed -n 's/.*(\(curl .*\))/\1/p' told | sed 's/workflows$/me/' | sh 2>/dev/null | jq -r .role)" = admin ]
    hint 'a symbolic link' --server "/$(printf 'long%.0s' {1..30})/serve.sock" status
    hint 'speaks no https' --server "https://${URL#http://}" status
    hint 'pingo submit' --server "$URL" run mixed.json
    hint 'is pingo serve running' --server "$PWD/nobody.sock" status
}

@test "remote: rerun submits once more, and the server runs it" {
    serve
    mixed
    pingo --server "$URL" submit -q mixed.json
    go --server "$URL" wait 1
    ends_with 1
    go --server "$URL" rerun 1
    ends_with 0
    [ "$output" = 2 ]
    go --server "$SOCKET" rerun 1 last --json
    ends_with 0
    json 'map(.workflow) == [3, 4]'
    go --server "$URL" wait
    go --server "$URL" status 2 --json
    json '.state == "FAILED" and (.actions | map(.decision)) == ["reuse", "reuse", "compute"]'
    go --server "$URL" rerun 2 99 # nothing is submitted
    ends_with 5
    [ -z "$output" ]
    says 'workflow 99'
    go --server "$URL" rerun 2 last # of those before this command
    ends_with 0
    [ "$output" = $'5\n6' ]
    go --server "$URL" rerun 1 --detach
    ends_with 2
    says '--detach of rerun does not work with a server'
}

@test "remote: labels, patterns and several actions mean what they mean to the store" {
    serve
    jq -n '{name: "sweep", labels: {project: "x", sample: "none"}, actions: (
        [range(1; 4) as $s | (21, 31) as $k | {id: ($s * 100 + $k), name: "kmers_s\($s)_k\($k)", type: "command-line",
            labels: {sample: "\($s)", k: "\($k)"}, command: "echo \($s) \($k) > output"}]
        + [{id: 1, name: "summary", type: "command-line", command: "echo done > output"}])}' >sweep.json
    pingo --server "$URL" submit -q sweep.json
    pingo --server "$URL" wait -q 1
    same status 1 --label sample=2 --json
    same status 1 --label 'sample=[13]' --label k=21
    same status 1 'kmers_*_k31' summary --json
    same status last summary 221 kmers_s1_k21 --json
    same status 1 'kmers*' --label k=31
    same status 1 summary --json
    same status 1 '?ummary'
    same status 1 --label sample=9
    same status 1 'x*'
    same status 1 nobody
    same status 1 'kmers*' --limit 1
    same datasets 'kmers_s1*' --json
    same datasets --label sample=2
    same datasets --label sample=9
    (cd here && pingo export -q 1 --label sample=2 ../by-store)
    pingo --server "$URL" export -q 1 --label sample=2 by-server
    diff -r by-store by-server
    [ "$(find by-server -type f | wc -l)" -eq 2 ]
    same kill 1 'x*'
    same kill 1 summary 'kmers_*'
    go --server "$URL" status 1 --label sample
    ends_with 2
}

@test "remote: many actions are killed by few requests" {
    serve
    jq -n '{name: "many", actions: [range(1; 251) | {id: ., name: "a\(.)", type: "external",
        description: "\(.)"}]}' >many.json
    pingo --server "$URL" submit -q many.json
    proxy <<'P'
kills = []
def carry(client):
    asked = client.recv(65536)
    kills.extend([1] * (b"/kill?" in asked))
    if len(kills) == 2:
        client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
        return client.close()
    server = socket.socket(socket.AF_UNIX); server.connect(sys.argv[1])
    server.sendall(asked.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
    while some := server.recv(65536): client.sendall(some)
    client.close()
P
    go --server "http://127.0.0.1:$(cat port)" kill 1 'a*' --json
    ends_with 5
    json '.killed == 100'
    go --server "$URL" kill 1 'a*'
    ends_with 0
    says 'killed 150 actions of workflow 1'
    curl -sS --unix-socket "$SOCKET" http://localhost/metrics >metrics
    grep -q '^pingo_http_requests_total{route="killWorkflow",code="2xx"} 3$' metrics
    same kill 1 'a*'
}

# A workflow that ends when the file "gate" is there, with this command then.
gated() {
    one "until [ -e $PWD/gate ]; do sleep 0.1; done; $1" '{"sandbox": false}'
}

@test "remote: status --follow tells what changes until the end, also behind a server that went" {
    serve
    gated ': > output'
    pingo --server "$SOCKET" submit -q one.json
    "$PINGO" --server "$SOCKET" status --follow 1 >followed 2>&1 3>&- &
    follower=$!
    STARTED="$STARTED $follower"
    begun() { grep -q 'workflow 1 RUNNING' followed; }
    until_true begun
    kill -KILL "$SERVER"
    wait "$SERVER" 2>/dev/null || : # until it is gone its lock is held
    (cd here && exec "$PINGO" serve --no-tcp >../served2 2>&1 3>&-) &
    STARTED="$STARTED $!"
    : >gate
    wait "$follower"
    grep -q 'workflow 1 action 1 (one) FINISHED' followed
    [ "$(tail -n 1 followed | grep -c 'workflow 1 FINISHED')" -eq 1 ]
    go --server "$SOCKET" status --follow last
    ends_with 0
    prints 'workflow 1 FINISHED'
    rm gate
    gated 'exit 3'
    pingo --server "$SOCKET" submit -q one.json
    "$PINGO" --server "$SOCKET" status --follow 2 --json >followed 2>&1 3>&- &
    follower=$!
    STARTED="$STARTED $follower"
    begun() { jq -es 'any(.kind == "workflow" and .to == "RUNNING")' followed >/dev/null; }
    until_true begun
    : >gate
    status=0
    wait "$follower" || status=$?
    [ "$status" -eq 1 ]
    jq -es 'map(select(.kind == "action" and .to == "FAILED")) | length == 1 and .[0].name == "one" and .[0].action == 1' followed
    jq -es '.[-1] | .kind == "workflow" and .workflow == 2 and .to == "FAILED"' followed
    go --server "$SOCKET" status --follow 9
    ends_with 5
    go --server "$SOCKET" status --follow 1 1
    ends_with 2
}

@test "remote: log --follow tells all of a log once, also behind a server that went" {
    serve
    cat >grows.json <<'X'
{"name": "grows", "actions": [{"id": 1, "name": "one", "type": "command-line", "sandbox": false,
 "command": "seq 300000; echo begun >&2; until [ -e GATE ]; do sleep 0.1; done; echo end; echo ended >&2; : >output"}]}
X
    sed -i "s|GATE|$PWD/gate|" grows.json
    pingo --server "$SOCKET" submit -q grows.json
    "$PINGO" --server "$SOCKET" log --follow --stdout 1 1 >followed 2>said 3>&- &
    follower=$!
    STARTED="$STARTED $follower"
    "$PINGO" --server "$SOCKET" log --follow 1 1 >both 2>/dev/null 3>&- &
    STARTED="$STARTED $!"
    both=$!
    until_true grep -qx 300000 followed
    until_true grep -q begun both
    kill -KILL "$SERVER"
    wait "$SERVER" 2>/dev/null || :
    : >gate
    until_true grep -q 'does not answer; it is asked for a minute' said
    (cd here && exec "$PINGO" serve --no-tcp >../served2 2>&1 3>&-) &
    STARTED="$STARTED $!"
    wait "$follower"
    wait "$both"
    cmp followed <(seq 300000; echo end)
    [ "$(grep -o begun both | wc -l)" -eq 1 ] # it may stand within a line of the other
    [ "$(grep -o ended both | wc -l)" -eq 1 ]
    [ "$(wc -l <both)" -eq 300003 ]
}

@test "remote: what is followed goes on behind a proxy that keeps a connection, and says nothing on it any more" {
    serve
    cat >proxy.py <<'P'
import os, socket, sys, threading
s = socket.socket(socket.AF_UNIX); s.bind("proxy.sock"); s.listen(8)
open("proxies", "w").close()
def pipe(a, b, is_old):
    while data := a.recv(65536):
        if is_old and os.path.exists("silent"): continue
        b.sendall(data)
    b.shutdown(socket.SHUT_WR)
while True:
    c, _ = s.accept()
    o = socket.socket(socket.AF_UNIX); o.connect(sys.argv[1])
    is_old = not os.path.exists("silent")
    for a, b in (c, o), (o, c): threading.Thread(target=pipe, args=(a, b, is_old), daemon=True).start()
P
    /usr/bin/python3 proxy.py "$SOCKET" 3>&- &
    STARTED="$STARTED $!"
    until_true test -e proxies
    gated 'echo end; : >output'
    pingo --server "$SOCKET" submit -q one.json
    "$PINGO" --server ./proxy.sock status --follow 1 >followed 2>&1 3>&- &
    follower=$!
    "$PINGO" --server ./proxy.sock log --follow 1 1 >logged 2>&1 3>&- &
    logger=$!
    STARTED="$STARTED $follower $logger"
    until_true grep -q 'workflow 1 RUNNING' followed
    sleep 1
    : >silent
    : >gate
    pingo --server "$SOCKET" wait -q 1
    until_true grep -q 'workflow 1 FINISHED' followed # a minute later
    until_true grep -qx end logged
    wait "$follower"
    wait "$logger"
    [ "$(cat logged)" = end ]
}

@test "remote: log --follow goes on behind a proxy that speaks HTTP/1.0, and for which a log that broke off has ended" {
    serve
    proxy <<'P'
def carry(client):
    asked = client.recv(65536)
    server = socket.socket(socket.AF_UNIX); server.connect(sys.argv[1])
    server.sendall(asked.replace(b" HTTP/1.1\r\n", b" HTTP/1.0\r\n").replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
    all = b""
    while some := server.recv(65536):
        all += some
        if b"follow=1" in asked and all.endswith(b"begun\n") and not os.path.exists("broken"):
            open("broken", "w").close()
            break
    head, _, body = all.partition(b"\r\n\r\n")
    lines = [l for l in head.split(b"\r\n") if not l.lower().startswith((b"connection", b"content-length"))]
    client.sendall(b"\r\n".join(lines) + b"\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    client.close()
P
    one "echo begun; until [ -e $PWD/gate ]; do sleep 0.1; done; echo end; : >output" '{"sandbox": false}'
    pingo --server "$SOCKET" submit -q one.json
    "$PINGO" --server "http://127.0.0.1:$(cat port)" log --follow --stdout 1 1 >followed 3>&- &
    follower=$!
    STARTED="$STARTED $follower"
    until_true test -e broken
    sleep 1
    : >gate
    wait "$follower"
    [ "$(cat followed)" = $'begun\nend' ]
}

@test "remote: a server that goes is waited for behind a proxy, too, which answers in its stead" {
    serve
    proxy <<'P'
def pump(a, b):
    try:
        while (some := a.recv(65536)):
            if b"wait=25" in some: open("waits", "w").close()
            b.sendall(some)
        a.shutdown(socket.SHUT_RDWR)
    except OSError: pass
    try: b.shutdown(socket.SHUT_RDWR)
    except OSError: pass
def carry(client):
    server = socket.socket(socket.AF_UNIX)
    is_busy = os.path.exists("busy")
    try:
        server.connect("/nowhere" if is_busy else sys.argv[1])
    except OSError:
        client.recv(65536)
        its, text = (open("busy", "rb").read(), b'{"detail": "too many of you"}') if is_busy else (b"502 Bad Gateway\r\nContent-Type: text/html", b"<html>")
        client.sendall(b"HTTP/1.1 %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (its, len(text), text))
        return client.close()
    threading.Thread(target=pump, args=(client, server), daemon=True).start()
    pump(server, client)
P
    URL=http://127.0.0.1:$(cat port)
    cat >waits.json <<'X'
{"name": "waits", "actions": [{"id": 1, "name": "one", "type": "command-line", "sandbox": false,
 "command": "echo begun; until [ -e GATE ]; do sleep 0.1; done; echo end; : >output"}]}
X
    sed -i "s|GATE|$PWD/gate|" waits.json
    pingo --server "$URL" submit -q waits.json
    "$PINGO" --server "$URL" log --follow 1 1 >log 2>log.said 3>&- &
    log=$!
    "$PINGO" --server "$URL" wait 1 >waited 2>wait.said 3>&- &
    wait=$!
    "$PINGO" --server "$URL" status --follow 1 >follow 2>&1 3>&- &
    follow=$!
    STARTED="$STARTED $log $wait $follow"
    until_true grep -q begun log
    until_true grep -q RUNNING follow
    until_true test -e waits # that it was answered once tells it from a wrong URL
    kill -KILL "$SERVER"
    wait "$SERVER" 2>/dev/null || :
    : >gate
    until_true grep -q 'does not answer; it is asked for a minute' log.said
    until_true grep -q 'does not answer; it is asked for a minute' wait.said
    go --server "$URL" status
    ends_with 4
    says 'a proxy answered with the status 502'
    says 'is pingo serve running behind it'
    (cd here && exec "$PINGO" serve --no-tcp >../served2 2>&1 3>&-) &
    SERVER=$!
    STARTED="$STARTED $SERVER"
    wait "$log"
    wait "$wait"
    wait "$follow"
    [ "$(cat log)" = $'begun\nend' ]
    grep -q FINISHED follow
    printf '503 Busy\r\nContent-Type: application/problem+json' >now
    mv now busy # what pingo serve itself says is told
    go --server "$URL" status
    ends_with 6
    says 'pingo: too many of you'
    rm busy gate # and one that says so for long is asked for as long as one that says nothing
    sed -i 's/echo begun/echo two/' waits.json
    pingo --server "$URL" submit -q waits.json
    "$PINGO" --server "$URL" log --follow 2 1 >log 2>log.said 3>&- &
    log=$!
    STARTED="$STARTED $log"
    until_true grep -q two log
    printf '503 Busy\r\nContent-Type: application/problem+json' >now
    mv now busy
    kill -KILL "$SERVER"
    wait "$SERVER" 2>/dev/null || :
    : >gate
    until_true grep -q 'too many of you; it is asked for a minute' log.said
    (cd here && exec "$PINGO" serve --no-tcp >../served3 2>&1 3>&-) &
    STARTED="$STARTED $!"
    until_true grep -q ^serving served3
    rm busy
    wait "$log"
    [ "$(cat log)" = $'two\nend' ]
}

@test "remote: wait stays where a proxy has it come later (429)" {
    serve
    proxy <<'P'
def carry(client):
    some = client.recv(65536)
    if os.path.exists("often"):
        text = b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/html\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>"
    else:
        server = socket.socket(socket.AF_UNIX)
        server.connect(sys.argv[1])
        server.sendall(some.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
        if b"wait=25" in some: open("waits", "w").close()
        text = b""
        while (more := server.recv(65536)):
            text += more
    client.sendall(text)
    client.close()
P
    one "until [ -e $PWD/gate ]; do sleep 0.1; done; echo end; : >output" '{"sandbox": false}'
    pingo --server "$SOCKET" submit -q one.json
    "$PINGO" --server "http://127.0.0.1:$(cat port)" wait 1 >waited 2>said 3>&- &
    waiter=$!
    STARTED="$STARTED $waiter"
    until_true test -e waits # that it was answered once tells it from a wrong URL
    : >often
    until_true grep -q 'the status 429, and not as pingo serve does; it is asked for a minute' said
    rm often
    : >gate
    wait "$waiter"
}

@test "remote: export brings files and directories, and stays below its directory" {
    serve
    mixed
    pingo --server "$SOCKET" submit -q mixed.json
    pingo --server "$SOCKET" wait -q 1 || :
    go --server "$URL" export 1 1 2 out --json
    ends_with 0
    json '.workflow == 1 and (.exported | map(.id)) == [1, 2] and .exported[1].sizeBytes == 3'
    [ "$(cat out/a_b.txt)" = 42 ]
    [ "$(cat out/tree/sub/l)" = hi ]
    [ "$(readlink out/tree/sub/m)" = ../sub ]
    [ "$(stat -c %a out/tree)" = "$(stat -c %a out)" ] # it is as open as any new one
    go --server "$URL" export 1 2 out
    ends_with 5
    says 'is there already'
    go --server "$URL" export 1 2 out --force
    ends_with 0
    # As a store here does: a directory is replaced too, by a directory and by a file, and a link, which is not followed.
    chmod 700 out/tree
    touch out/tree/mine kept
    ln -sf ../kept out/a_b.txt
    go --server "$URL" export 1 1 2 out
    ends_with 5
    go --server "$URL" export 1 1 2 out --force
    ends_with 0
    [ "$(cd out && ls -A | tr '\n' ' ')$(stat -c %a out/tree)" = 'a_b.txt tree 700' ]
    [ "$(ls out/tree | tr '\n' ' ')$(cat out/a_b.txt)" = 'sub 42' ]
    [ ! -s kept ]
    rm -r out
    mkdir -p out/a_b.txt/x
    ln -s ../kept out/tree
    go --server "$URL" export 1 1 2 out --force
    ends_with 0
    [ "$(cd out && ls -A | tr '\n' ' ')$(cat out/a_b.txt)" = 'a_b.txt tree 42' ]
    [ -d out/tree/sub ] && [ ! -L out/tree ]
    rm -r out
    mkdir out
    mkfifo out/tree
    go --server "$URL" export 1 1 2 out --force
    ends_with 5
    says 'out/tree: is neither a file nor a directory, and is not replaced: move it away'
    [ "$(ls -A out)" = tree ] # nor is anything else exported
    rm out/tree
    mkdir -p out/tree/.pingo
    go --server "$URL" export 1 1 2 out --force
    ends_with 5
    says 'out/tree: holds a store, and is not replaced: move it away'
    rm -r out/tree
    go --server "$URL" export 1 2 out
    ends_with 0
    echo 'int link(const char *a, const char *b) { (void)a; (void)b; return -1; }' >link.c
    "${CC:-cc}" -shared -fPIC -o link.so link.c # as on a disk with FAT, or a share, that knows no hard links
    LD_PRELOAD=$PWD/link.so go --server "$URL" export 1 1 2 stick
    ends_with 0
    [ "$(cat stick/a_b.txt)" = 42 ]
    go --server "$URL" export 1 3 out
    ends_with 5
    go --server "$URL" export 1 't?ee' 'a*' 2 some --json
    ends_with 0
    json '.exported | map(.id) == [1, 2]'
    [ "$(cat some/a_b.txt some/tree/sub/f)" = $'42\nhi' ]
    go --server "$URL" export 1 1 'x*' none
    ends_with 5
    says 'has a name like "x*"'
    [ ! -e none ]
    [ "$(find out -name '.*' | wc -l)" -eq 0 ]
}

@test "remote: what may be run may be run where it is exported, too, as far as the umask lets it" {
    serve
    cat >runs.json <<'X'
{"name": "runs", "actions": [
 {"id": 1, "name": "tool", "type": "command-line", "command": "echo '#!/bin/sh' >output; echo 'echo ran' >>output; chmod 755 output"},
 {"id": 2, "name": "text", "type": "command-line", "command": "echo >output"}]}
X
    pingo --server "$SOCKET" submit -q runs.json
    pingo --server "$SOCKET" wait -q 1
    (umask 027 && pingo --server "$URL" export 1 out)
    [ "$(out/tool)" = ran ]
    [ "$(cd out && stat -c %a tool text | tr '\n' ' ')" = '750 640 ' ]
    # Who was kept from what is replaced is kept from what replaces it.
    chmod 700 out/tool
    chmod 600 out/text
    (umask 022 && pingo --server "$URL" export --force 1 out)
    [ "$(out/tool)" = ran ]
    [ "$(cd out && stat -c %a tool text | tr '\n' ' ')" = '700 600 ' ]
    # Nor does the directory's list let in whom the file kept out.
    chmod 640 out/text
    python3 - <<'X' || skip "no access control lists here"
import os, struct
rights = ((1, 6, 2**32 - 1), (2, 4, 1), (4, 4, 2**32 - 1), (16, 4, 2**32 - 1), (32, 0, 2**32 - 1))
os.setxattr("out", "system.posix_acl_default",
            struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in rights))
X
    (umask 022 && pingo --server "$URL" export --force 1 out)
    python3 -c 'import os, sys; sys.exit("system.posix_acl_access" in os.listxattr("out/text"))'
    [ "$(stat -c %a out/text)" = 640 ]
}

@test "remote: without names what was wanted is exported, targets too" {
    serve
    cat >targets.json <<'X'
{"name": "t", "actions": [
 {"id": 1, "name": "one", "type": "command-line", "command": "echo 1 > output"},
 {"id": 2, "name": "two", "type": "command-line", "command": "cat in/p > output", "parentActions": [{"id": 1, "as": "p"}]}]}
X
    pingo --server "$SOCKET" submit -q targets.json --target one
    pingo --server "$SOCKET" wait -q 1
    (cd here && pingo export -q 1 ../by-store)
    pingo --server "$SOCKET" export -q 1 by-server
    [ "$(ls by-server)" = one ]
    diff -r by-store by-server
}

@test "remote: what is exported is called as the store calls it" {
    serve
    long=$(printf 'é%.0s' {1..150})
    jq -n --arg long "$long" '[["call.vcf", "x.vcf.gz"], ["a.gz", "x.vcf.gz"], ["a.b", "output"], ["a.b", "output"], [$long, "d.x"],
        ["c\u009bd\u202e", "x.t"], [".hid/den", "output"], ["twice.x", "a.x"], ["twice", "b.x"]] |
        {name: "names", actions: [to_entries[] | {id: (.key + 1), name: .value[0], type: "command-line", output: .value[1],
            command: "echo \(.key) > \(.value[1])"}]}' >names.json
    pingo --server "$SOCKET" submit -q names.json
    pingo --server "$SOCKET" wait -q 1
    (cd here && pingo export -q 1 ../by-store)
    pingo --server "$SOCKET" export -q 1 by-server
    diff -r by-store by-server
    [ -e by-server/call.vcf.gz ] && [ -e by-server/a.b-3 ] && [ -e by-server/twice-9.x ]
    [ "$(find by-server -type f | wc -l)" -eq 9 ]
}

@test "remote: tokens, and what does not work there" {
    serve
    PINGO_TOKEN='' go --server "$URL" status
    ends_with 5
    says 'PINGO_TOKEN'
    PINGO_TOKEN=pingo_0000000000000000000000000000000000000000000 go --server "$URL" status
    ends_with 5
    PINGO_TOKEN='a b' go --server "$URL" status
    ends_with 2
    printf '%s\n' "$PINGO_TOKEN" >token
    chmod 644 token
    PINGO_TOKEN='' PINGO_TOKEN_FILE=$PWD/token go --server "$URL" status
    ends_with 2
    says 'chmod 600'
    chmod 600 token
    PINGO_TOKEN='' PINGO_TOKEN_FILE=$PWD/token go --server "$URL" status
    ends_with 0
    for host in example.org localhost.example.org 127.0.0.1.example.org; do
        go --server "http://$host" status
        ends_with 2
        says 'unencrypted'
    done
    go --server ftp://x status
    ends_with 2
    go --server "$URL" run x.json
    ends_with 2
    says 'run does not work with a server'
    # Which commands do is in the page, too.
    says 'submit, plan, rerun, '
    sed -n '/^[.]Ss Servers/,/^and end with the same/p' "$BATS_TEST_DIRNAME/../../man/pingo.1" >page
    for command in $(sed -n 's/.*with a server; \(.*\) do$/\1/p' <<<"$stderr" | tr -d ,); do
        grep -qw -- "$command" page || { echo "pingo(1) lacks $command"; return 1; }
    done
    go --server "$URL" status --label k=v
    ends_with 2
    says '--label needs a workflow'
    PINGO_SERVER=$URL go gc
    ends_with 2
    PINGO_SERVER=$URL go version
    ends_with 0
    # What asks no store works here, whatever the variable says, unless it is told to ask one.
    printf '{"name":"x","actions":[{"id":1,"name":"a","type":"command-line","command":"true >output"}]}' >alone.json
    PINGO_SERVER=$URL go hash alone.json
    ends_with 0
    PINGO_SERVER=$URL go generate --family recent-n --set actions=5 --output alone.jsonl
    ends_with 0
    PINGO_SERVER=$URL go simulate alone.jsonl
    ends_with 0
    PINGO_SERVER=$URL go simulate --store
    ends_with 2
    says 'simulate does not work with a server'
    PINGO_SERVER=$URL go decide --list
    ends_with 0
    echo '{"history": [], "stored": [], "freeBytes": 0}' >none.json
    PINGO_SERVER=$URL go decide --scenario none.json
    ends_with 0
    PINGO_SERVER=$URL go decide --dry-run
    ends_with 2
    says 'decide does not work with a server'
    mkdir alone && cd alone
    PINGO_SERVER=$URL go init
    ends_with 0
    [ -d .pingo ]
    cd ..
    go --server "$URL" hash alone.json
    ends_with 2
    says 'asks no store'
    # Inputs that lie here: named, one by one.
    words
    go --server "$URL" submit words.json
    ends_with 3
    says "$PWD/text.txt is on this machine"
    go --server "$SOCKET" submit words.json # whose machine is this one
    ends_with 0
    go --server "$URL" submit /nowhere.json
    ends_with 5
    printf '{"name": 3}' >wrong.json
    go --server "$URL" submit wrong.json
    ends_with 3
    says 'wrong.json:1:'
}

@test "remote: a server that goes, and one that comes again" {
    serve
    one ': > output'
    pingo --server "$SOCKET" submit -q one.json
    gated ': > output'
    pingo --server "$SOCKET" submit -q one.json
    "$PINGO" --server "$SOCKET" wait --grace 600s 1 2 >waited 2>&1 3>&- &
    waiter=$!
    STARTED="$STARTED $waiter"
    answered() { grep -q 'workflow 1 FINISHED' waited; }
    until_true answered
    kill -KILL "$SERVER"
    wait "$SERVER" 2>/dev/null || : # until it is gone its lock is held
    gone() { grep -q 'does not answer' waited; }
    until_true gone
    (cd here && exec "$PINGO" serve --no-tcp >../served2 2>&1 3>&-) &
    STARTED="$STARTED $!"
    : >gate
    wait "$waiter" # it asked again until there was one, and the action has ended meanwhile or since
    grep -q 'workflow 2 FINISHED' waited
    go --server "$PWD/nobody.sock" status
    ends_with 4
    says 'is pingo serve running there?'
}

@test "remote: a socket that one may not write to is not taken for one where nobody listens" {
    [ "$(id -u)" -eq 0 ] || skip "only root can become another user"
    command -v setpriv >/dev/null || skip "no setpriv"
    open=$(mktemp -d) # the directories of the tests are closed to others
    chmod 755 "$open"
    cp "$PINGO" "$open/program"
    python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$open/s.sock"
    chmod 660 "$open/s.sock"
    run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups "$open/program" --server "$open/s.sock" status
    rm -r "$open"
    ends_with 4
    says "try: as a user who may write to that socket"
}

# A server that says whatever lies in the file "answer", to each that asks.
liar() {
    cat >liar.py <<'P'
import socket, sys, os
count = 0; before = []
s = socket.socket(socket.AF_UNIX); s.bind("liar.sock"); s.listen(8)
open("ready", "w").close()
while True:
    c, _ = s.accept()
    try:
        asked = b""
        while b"\r\n\r\n" not in asked:
            more = c.recv(65536)
            if not more: break
            asked += more
        path = asked.split(b" ")[1].decode() if asked else ""
        name = "content" if path.endswith("/content") else "text" if path.endswith("/text") else \
            "dataset" if "/datasets/" in path else "action" if "/actions/" in path else \
            "meant" if "/actions?" in path and os.path.exists("meant") else "answer"
        if name == "answer" and os.path.exists("answers"):  # one line after the other, and from the first again
            lines = open("answers", "rb").read().splitlines()
            count = count if lines == before else 0
            before = lines
            open("answer", "wb").write(b"application/json\n" + lines[count % len(lines)])
            count += 1
        kind, body = open(name, "rb").read().split(b"\n", 1)
        status = open("status", "rb").read() if os.path.exists("status") else b"200 OK"
        c.sendall(b"HTTP/1.1 " + status + b"\r\nContent-Type: " + kind + b"\r\n")
        if body == b"huge":
            open("huge", "a").write("once\n")
            c.sendall(b"Transfer-Encoding: chunked\r\n\r\n")
            for _ in range(2000): c.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
        else:
            c.sendall(b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body)
    except OSError: pass
    c.close()
P
    /usr/bin/python3 liar.py 3>&- &
    STARTED="$STARTED $!"
    until_true test -e ready
}

@test "remote: what a server, or a proxy in its stead, does not take is told with what to do" {
    liar
    mixed
    # What the store needs is away; the server is not.
    printf '503 Service Unavailable' >status
    printf 'application/problem+json\n{"detail": "hdfs://nn does not answer", "code": "PINGO_EAWAY", "status": 503}' >answer
    go --server ./liar.sock status
    ends_with 9
    says 'pingo: hdfs://nn does not answer'
    [[ $stderr != *'is pingo serve running'* ]]
    printf '413 Request Entity Too Large' >status
    printf 'text/html\n<html>' >answer
    go --server ./liar.sock submit mixed.json
    ends_with 3
    says 'with the status 413, and not as pingo serve does'
    says 'try: *proxy *client_max_body_size'
}

@test "remote: a server that lies is refused, and nothing is written outside" {
    liar
    answers() { # BODY [STATUS]
        printf 'application/json\n%s' "$1" >answer
        go --server ./liar.sock status
        ends_with "${2:-9}"
        [ -z "$output" ] || [ "$output" = '[' ]
    }
    answers '{"items": [{"workflow": "one"}], "next": null}'
    answers '{"items": [{"workflow": 1.5}], "next": null}'
    answers '{"items": [{"workflow": 1, "state": "DANCING"}], "next": null}'
    answers '{"items": [7], "next": null}'
    answers '{"items": 7}'
    answers '[1, 2'
    answers ''
    answers 'huge' 4
    [ "$(cat huge)" = once ] # it would be as long again
    # What is short, and many: of each would be made ninety times its bytes.
    many=$(printf '0,%.0s' {1..5000})
    { printf '{"items": ['; for _ in {1..1000}; do printf %s "$many"; done; printf '0], "next": null}'; } >many
    printf 'application/json\n' | cat - many >answer
    run --separate-stderr bash -c 'ulimit -v 400000; exec "$0" --server ./liar.sock status' "$PINGO"
    ends_with 9
    says 'more than 4194304 values'
    lies() { # BODY ARGUMENT...
        printf 'application/json\n%s' "$1" | tee answer >action
        shift
        for how in '' --json; do
            # shellcheck disable=SC2086
            go --server ./liar.sock "$@" $how
            ends_with 9 || { echo "of $(tail -n +2 answer): $*"; return 1; }
        done
    }
    mixed
    lies '{"items": [{"error": "x", "failed": 1}], "next": null}' errors
    lies '{"items": [{"failed": 1, "category": "boredom"}], "next": null}' errors
    lies '{"items": [{"failed": 1, "examples": {"id": 1}}], "next": null}' errors
    lies '{"items": [{"failed": 1, "examples": [1]}], "next": null}' errors --step 1d
    lies '{"items": [{"workflow": 1, "error": "1"}], "next": null}' errors --list
    lies '{"items": [{"user": 7}], "next": null}' shares
    lies '{"items": [{"user": "x", "part": "much"}], "next": null}' shares
    lies '{"items": [{"file": []}], "next": null}' archive
    lies '{"items": [{"score": {}}], "next": null}' report --evictions
    lies '{"workflow": 1, "decision": "compute", "differences": 7}' why 1 1
    lies '{"workflow": 1, "decision": "compute", "differences": [[]]}' why 1 1
    lies '{"workflow": 1, "decision": "compute", "nearest": 7}' why 1 1
    lies '{"actions": [{"id": 1, "decision": "compute", "why": 7}]}' plan --why mixed.json
    lies '{"actions": [{"id": 1, "decision": "compute", "why": {"differences": [{"files": 1}]}}]}' plan --why mixed.json
    printf 'application/json\n{"hash": 7' >dataset
    go --server ./liar.sock provenance abcde --json
    ends_with 9
    [ -z "$output" ]
    printf 'application/json\n{"workflow": 1, "decision": "compute", "nearest": {}, "differences": [{}, {"field": "input x", "files": [{}]}, {"field": "tool "}], "inherited": 99}' | tee answer >action
    go --server ./liar.sock why 1 1 # and what is missing is unknown
    ends_with 0
    printf 'application/json\n{"actions": [{"why": {}}, {"why": null}]}' >answer
    go --server ./liar.sock plan --why mixed.json
    ends_with 0
    printf 'application/json\n{"items": [], "next": "again"}' >answer
    go --server ./liar.sock status # a list without an end ends
    ends_with 0
    # A change of what this program does not know is left out, as a newer server may tell it.
    change='{"number": %d, "at": "2026-01-01T00:00:00Z", "kind": "%s", "workflow": 1, "action": null, "name": null, "row": null, "epoch": null, "from": null, "to": "%s", "hash": null}'
    # shellcheck disable=SC2059 # the format is made of it
    printf "text/event-stream\nid: 1\nevent: begin\ndata: {}\n\nid: 3\nevent: workflow\ndata: [$change, $change]\n\n" 2 dance STEP 3 workflow FINISHED >answer
    "$PINGO" --server ./liar.sock status --follow >followed 2>/dev/null 3>&- &
    STARTED="$STARTED $!"
    until_true grep -q 'workflow 1 FINISHED' followed
    kill "$!"
    wait "$!" || :
    [ "$(grep -cv 'workflow 1 FINISHED' followed)" -eq 0 ]
    printf 'application/json\n{"workflow": 1, "state": "FINISHED", "name": "\x5cu001b[31m"}' >answer
    printf 'application/json\n{"id": 1, "name": "x", "hash": "%064d", "state": "FINISHED"}' 5 >action
    printf 'application/json\n{"items": [{"id": 1, "name": "x"}], "next": null}' >meant
    printf 'application/json\n{"hash": "%064d", "state": "LEAF", "name": "x", "sizeBytes": 8}' 5 >dataset
    printf 'application/json\n{"name": "w", "actions": [{"id": 1, "name": "../x", "type": "command-line", "command": "x"}]}' >text
    /usr/bin/python3 - <<'P'
import io, os, tarfile
def tar(name, *entries, cut=None, sparse=None):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as t:
        for path, kind, target, *mode in entries:
            i = tarfile.TarInfo(path); i.type = kind; i.linkname = target
            i.mode = mode[0] if mode else 0o755 if kind == tarfile.DIRTYPE else 0o644
            data = b"evil" if kind == tarfile.REGTYPE else b""
            i.size = len(data); t.addfile(i, io.BytesIO(data))
    data = bytearray(out.getvalue())
    if sparse:  # the first entry: nothing but a hole of so many bytes
        data[156:157] = b"S"; data[124:136] = b"%011o\0" % 0; data[386:410] = b"%011o\0%011o\0" % (sparse, 0)
        data[483:495] = b"%011o\0" % sparse; data[148:156] = b" " * 8
        data[148:156] = b"%06o\0 " % sum(data[:512]); del data[512:1024]
    open(name, "wb").write(b"application/x-tar\n" + data[:cut])
F, D, L, H, C, P = tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE
tar("bad1", ("../evil", F, ""))
tar("bad2", ("a", D, ""), ("a/../../evil", F, ""))
tar("bad3", ("/tmp/evil", F, ""))
tar("bad4", ("l", L, ".."), ("l/evil", F, ""))
tar("bad5", ("l", L, "/home/me/evil"))
tar("bad6", ("d", D, ""), ("l", L, "../."), ("d/m", L, "../l"), ("d/m/evil", F, ""))
tar("bad7", ("h", H, "../../answer"))
tar("bad8", ("c", C, ""))
tar("bad9", ("d", D, ""), ("d/l", L, "../.."))
tar("bada", ("l", L, "d/.."), ("m", L, "l/.."))
tar("badb", ("x", F, ""), ("x", F, ""))
tar("badd", ("l/", L, "../answer"))
tar("bade", ("./", D, ""), ("./f", F, ""), cut=1536)
tar("badf", ("p", P, ""))
tar("badg", ("h", H, os.getcwd() + "/answer"))
tar("badh", ("l", L, "../answer"), ("h", H, "l"), ("h", F, ""))
tar("badi", ("l", L, "."), ("l/l/l/m", L, "../.."))
tar("badj", ("a\n/../../evil", F, ""))
tar("badk", ("evil", F, ""), sparse=1 << 32)
tar("badl", ("a", F, ""), ("a", L, ".."), ("a/evil", F, ""))
tar("badm", ("a", D, ""), ("a", L, ".."), ("a/evil", F, ""))
tar("badn", ("d", D, "", 0), ("d/l", L, "/"))
tar("badp", ("d", D, ""), ("l", L, "."), ("m", L, "d/../l/../evil"))
tar("badq", ("l", L, "/usr"), ("m", L, "l/../evil"))
tar("badr", ("l", L, "/proc/self/root/evil"))
tar("bado", ("a", F, ""), cut=512 + 2)
tar("modes", ("./", D, "", 0o555), ("./none", D, "", 0), ("./none/f", F, "", 0), ("./s", F, "", 0o6755),
    ("./t", D, "", 0o7777), ("./a\nb", F, "", 0o444), ("./x", F, "", 0o500), ("./e", D, "", 0o700))
tar("good", ("./", D, ""), ("./d/", D, ""), ("./d/f", F, ""), ("./d/l", L, "../d/f"), ("./h", H, "./d/f"),
    ("./up", L, "d/../d/f"), ("./python", L, "/usr/bin/python3"), ("./" + "n" * 200, F, ""))
P
    printf 'application/x-tar\nshort' >badc
    for bad in bad?; do
        cp "$bad" content
        go --server ./liar.sock export 1 1 out
        ends_with 9 || { echo "of $bad"; return 1; }
        says 'refused'
        [ ! -e evil ] && [ ! -e out/evil ] && [ ! -e /tmp/evil ]
        [ "$(find out -mindepth 1 | wc -l)" -eq 0 ]
    done
    cp good content
    go --server ./liar.sock export 1 1 out
    ends_with 0
    [ "$(cat out/_._x/d/l out/_._x/h)" = evilevil ] || [ "$(cat out/*/d/l)" = evil ]
    [ "$(find out -name 'nnnn*' | wc -l)" -eq 1 ]
    [ "$(cat out/*/up)" = evil ]
    [ "$(readlink out/*/python)" = /usr/bin/python3 ]
    # All have what the umask gives, and who may run one may run it.
    rm -r out
    cp modes content
    run --separate-stderr bash -c 'umask 026; TAR_OPTIONS=--interactive exec "$0" --server ./liar.sock export 1 1 out' "$PINGO"
    ends_with 0
    (cd out/* && LC_ALL=C find . -printf '%p %m\0' | sort -z | tr '\0\n' ' ~') >modes
    [ "$(cat modes)" = '. 751 ./a~b 640 ./e 751 ./none 751 ./none/f 640 ./s 751 ./t 751 ./x 751 ' ]
}

@test "remote: without tar no directory comes, and it is said so" {
    serve
    one 'mkdir output; : >output/f'
    pingo --server "$SOCKET" submit -q one.json
    pingo --server "$SOCKET" wait -q 1
    run --separate-stderr env PATH=/nowhere "$PINGO" --server "$SOCKET" export 1 out
    ends_with 9
    says 'a directory comes as tar'
    [ "$(find out -mindepth 1 | wc -l)" -eq 0 ]
}

@test "remote: lists without an end, and answers without a pause, end with a reason" {
    liar
    row='"items": [{"workflow": 1, "state": "FINISHED", "name": "x"}]'
    printf '{%s, "next": "%s"}\n' "$row" a "$row" b "$row" c "$row" d "$row" e >answers
    go --server ./liar.sock status --json
    ends_with 9
    says 'a list does not end'
    printf '{%s, "next": "%s"}\n' "$row" a >answers
    go --server ./liar.sock wait
    ends_with 9
    says 'a list does not end'
    printf '{%s, "next": "%0300d"}\n' "$row" 1 >answers
    go --server ./liar.sock status --json
    ends_with 9
    says 'cursor'
    printf '{"items": [{"workflow": 2, "state": "FINISHED", "name": "x"}, {"workflow": 1, "state": "FINISHED", "name": "x"}], "next": null}\n' >answers
    go --server ./liar.sock status -n 1 --after '' --json
    ends_with 9
    says 'more than was asked for'
    # Events that are none.
    printf 'text/event-stream\nevent: workflow\ndata: [{"number": "x"}]\n\n' >answer
    mv answers lists
    go --server ./liar.sock status --follow
    ends_with 9
    says 'not of pingo'
    printf 'text/event-stream\nhuge' >answer
    go --server ./liar.sock status --follow
    ends_with 9
    says 'too long'
    # It was asked to wait, and does not.
    for _ in 1 2 3 4; do echo '{"workflow": 1, "state": "RUNNING", "name": "x", "driven": true}'; done >answers # the first says that it is there
    echo '{"workflow": 1, "state": "FINISHED", "name": "x"}' >>answers
    begun=$(date +%s%N)
    go --server ./liar.sock wait 1
    ends_with 0
    [ $((($(date +%s%N) - begun) / 1000000)) -ge 1400 ] # three pauses
}

@test "remote: export takes no more than was told, and names apart what is another's name with its id" {
    liar
    printf 'application/json\n{"workflow": 1, "state": "FINISHED", "name": "w"}' >answer
    printf 'application/json\n{"id": 1, "name": "x", "hash": "%064d", "state": "FINISHED"}' 5 >action
    printf 'application/json\n{"items": [{"id": 1, "name": "x"}], "next": null}' >meant
    printf 'application/json\n{"hash": "%064d", "state": "LEAF", "name": "x", "sizeBytes": 4}' 5 >dataset
    printf 'application/json\n{"name": "w", "actions": [{"id": 1, "name": "x", "type": "command-line", "command": "x"},
        {"id": 3, "name": "x", "type": "command-line", "command": "x"}, {"id": 4, "name": "x-3", "type": "command-line", "command": "x"}]}' >text
    refused() { # what is said
        go --server ./liar.sock export 1 1 out
        ends_with "${2:-9}"
        says "$1"
        [ "$(find out -mindepth 1 | wc -l)" -eq 0 ]
    }
    printf 'application/octet-stream\nhuge' >content
    refused 'more than the 4 bytes'
    printf 'application/octet-stream\n12345' >content
    refused 'sends 5 bytes of the 4'
    printf 'application/octet-stream\n123' >content
    refused 'sends 3 bytes of the 4'
    printf 'application/octet-stream\n1234' >content
    cp dataset told
    sed -i 's/"sizeBytes": 4/"sizeBytes": null/' dataset # it is finished between this answer and the next
    refused 'nothing of it any more, or not yet' 5
    mv told dataset
    go --server ./liar.sock export 1 1 1 out
    ends_with 0
    [ "$output" = "$PWD/out/x" ]
    printf 'application/json\n{"items": [{"id": 2, "name": "x"}], "next": null}' >meant
    go --server ./liar.sock export 1 2 out
    ends_with 9
    says 'tells of an action 2 that its workflow does not have'
    jq -n '"application/json", {items: [{id: 1, name: "x"}, {id: 3, name: "x"}, {id: 4, name: "x-3"}] | map(.wanted = true), next: null}' -r >meant
    go --server ./liar.sock export 1 out --force # as in a store here
    ends_with 0
    [ "$(ls out | tr '\n' ' ')" = 'x x-1 x-3 x-3-4 ' ]
}

@test "remote: a disk that is full here is told as that, not as a server that is gone" {
    serve
    one 'head -c 3000000 /dev/zero >output; head -c 3000000 /dev/zero'
    pingo --server "$SOCKET" submit -q one.json
    pingo --server "$SOCKET" wait -q 1
    # As much as a file may have here stands for the disk.
    run --separate-stderr bash -c 'ulimit -f 1000; exec "$0" --server "$1" export 1 out' "$PINGO" "$SOCKET"
    [ "$status" -ne 0 ] && [ "$status" -ne 4 ]
    says 'cannot write'
    [ "$(find out -mindepth 1 | wc -l)" -eq 0 ]
    run --separate-stderr bash -c '"$0" --server "$1" log 1 1 >/dev/full' "$PINGO" "$SOCKET"
    ends_with 9
    says 'No space left'
}

@test "remote: so is one that is full when a directory is unpacked" {
    serve
    one 'mkdir output; : >output/f'
    pingo --server "$SOCKET" submit -q one.json
    pingo --server "$SOCKET" wait -q 1
    mkdir bin
    for said in 'Wrote only 3584 of 10240 bytes' 'Cannot write: No space left on device' 'Cannot mkdir: Disk quota exceeded'; do
        printf '#!/bin/sh\necho "tar: ./f: %s" >&2; exit 2\n' "$said" >bin/tar # as it does
        chmod +x bin/tar
        run --separate-stderr env PATH="$PWD/bin:$PATH" "$PINGO" --server "$SOCKET" export 1 out
        [ "$status" -ne 0 ]
        says "/out/.pingo-export-"
        says "no room for what comes: tar: ./f: $said"
        [ "$(find out -mindepth 1 | wc -l)" -eq 0 ]
    done
}

@test "remote: what an export has left that was killed goes with the next one, and what another still fetches stays" {
    serve
    one 'mkdir output; : >output/f'
    pingo --server "$SOCKET" submit -q one.json
    pingo --server "$SOCKET" wait -q 1
    mkdir bin
    printf '#!/bin/sh\necho $$ >tar.pid; exec sleep 300\n' >bin/tar
    chmod +x bin/tar
    env PATH="$PWD/bin:$PATH" "$PINGO" --server "$SOCKET" export 1 out 3>&- &
    exporter=$!
    STARTED="$STARTED $exporter"
    until_true test -s tar.pid
    go --server "$SOCKET" export 1 out
    ends_with 0
    [ "$(find out -name '.pingo-export-*' | wc -l)" -eq 2 ]
    kill -KILL "$exporter" "$(cat tar.pid)"
    wait "$exporter" || :
    go --server "$SOCKET" export 1 out # of which nothing comes
    ends_with 5
    [ "$(ls -A out)" = one ]
}

@test "remote: errors and shares are those of the store" {
    serve
    mixed
    since=(--since 2026-01-01)
    same errors "${since[@]}"
    same shares
    for i in 1 2 3; do pingo --server "$SOCKET" submit -q mixed.json; done >/dev/null
    echo '{"name": "w", "actions": [{"id": 1, "name": "k", "type": "command-line", "command": "kill -9 $$"}]}' >w.json
    pingo --server "$URL" submit -q w.json
    pingo --server "$URL" wait -q || :
    for by in code node executor user name; do
        same errors "${since[@]}" --by "$by"
        same errors "${since[@]}" --by "$by" --json
        same errors "${since[@]}" --by "$by" --step 1d
    done
    same errors "${since[@]}" --csv
    same errors "${since[@]}" --step 1d --json
    same errors "${since[@]}" --limit 1 --json
    same errors "${since[@]}" --name bad --json
    same errors "${since[@]}" --until 2026-01-02
    same errors "${since[@]}" --by nothing
    same errors "${since[@]}" --by user --by code # of what is no list the last one counts
    same errors --user nobody-here
    same errors --list --user nobody-here --json
    same errors --node nix
    same errors --list --executor locla
    same errors --user "$(id -un)" --node "$(hostname)" --executor local --until 2020-01-01
    same errors "${since[@]}" --after ''
    same errors "${since[@]}" --csv --json
    same errors "${since[@]}" --list
    same errors "${since[@]}" --list --json
    same errors "${since[@]}" --list --csv
    same errors "${since[@]}" --list --error 1 --limit 1
    same errors "${since[@]}" --list --limit 2 --after '' --json
    same errors "${since[@]}" --list --limit 0
    same status --attempts last --limit many
    same datasets --limit -1
    go --server "$URL" errors --list --json
    json 'length == 4 and (map(.category) | unique) == ["command", "signal"]'
    same shares
    same shares --json
    same shares --csv
    same shares set
    same shares set anna
    same shares --weight 2
    go --server "$SOCKET" shares set anna --weight 3 --slots 4 --actions 5 --bytes 6K
    ends_with 0
    go --server "$SOCKET" shares set ben --weight 1 --slots 2
    ends_with 0
    go --server "$SOCKET" shares set ben --slots 0
    ends_with 0
    go --server "$SOCKET" shares set 'DOM\al' --weight 4 # as a machine in a domain of Windows calls one
    ends_with 0
    same shares --json
    go -C here shares --json
    json '[.[] | select(.user == "anna")] | length == 1 and (.[0] | [.weight, .maxSlots, .maxActions, .maxBytes]) == [3, 4, 5, 6144]'
    json '[.[] | select(.user == "ben")][0] | [.weight, .maxSlots] == [1, null]'
    go --server "$URL" shares set ben --weight 2 # its token is a submitter's
    ends_with 5
    says 'may not do this'
}

@test "remote: why is that of the store, of an action, a workflow and a plan" {
    serve
    data=$BATS_FILE_TMPDIR/data # below neither of the directories that paths are told from
    mkdir -p "$data/tree"
    echo one >"$data/text"
    echo a >"$data/tree/a"
    tailed() { # COMMAND
        cat <<X
{"name": "w", "actions": [
 {"id": 1, "name": "text", "type": "command-line", "inputs": [{"name": "text", "path": "$data/text"}], "command": "cat in/text > output"},
 {"id": 2, "name": "tree", "type": "command-line", "inputs": [{"name": "tree", "path": "$data/tree"}], "command": "cat in/tree/* > output"},
 {"id": 3, "name": "tail", "type": "command-line", "parentActions": [{"id": 1, "as": "a"}, {"id": 2, "as": "b"}], "command": "cat in/a in/b; $1 > output"},
 {"id": 4, "name": "end", "type": "command-line", "parentActions": [{"id": 3, "as": "c"}], "command": "cat in/c > output"},
 {"id": 5, "name": "same", "type": "command-line", "command": "true > output"},
 {"id": 6, "name": "more", "type": "command-line", "inputs": [{"name": "text", "path": "$data/text"}], "command": "wc in/text > output"}]}
X
    }
    tailed 'echo 1' >w.json
    pingo --server "$SOCKET" submit -q w.json
    pingo --server "$SOCKET" wait -q last
    same why 1
    same why 1 --json
    echo two >"$data/text"
    echo b >"$data/tree/a"
    echo c >"$data/tree/c"
    tailed 'echo 2' >w.json
    same plan --why "$PWD/w.json"
    same plan --why "$PWD/w.json" --json
    same plan --why "$PWD/w.json" --all --target 2
    pingo --server "$SOCKET" submit -q w.json
    pingo --server "$SOCKET" wait -q last
    same why last
    same why 2 --json
    for action in 1 tree tail 4 same nobody; do
        same why 2 "$action"
        same why 2 "$action" --json
    done
    same why 99
    go --server "$URL" why 2 --json
    json 'map(.name) == ["text", "tree", "tail", "more"] and (map(.group) | unique | length) == 3'
    go --server "$URL" why 2 tree
    prints 'added:   c'
    pingo --server "$SOCKET" submit -q w.json
    pingo --server "$SOCKET" wait -q last
    same why 3
    same why 3 --json
    same why 3 tail
    # What waits says why.
    echo '{"name": "far", "actions": [{"id": 1, "name": "far", "type": "command-line", "executor": "elsewhere", "command": "echo far > output"}]}' >far.json
    pingo --server "$SOCKET" submit -q far.json
    same why 4 far
    go --server "$URL" why 4
    says '1 action cannot start now: waits for a scheduler with the executor "elsewhere"'
    same why 4
    same status 4
    pingo --server "$SOCKET" kill -q 4
}

# A store of which the ledger and the archive have something in them, before a server comes.
old() {
    mkdir here
    cd here || return 1
    store
    pingo config pool.budget 90K
    for word in one two one two one; do
        jq -n --arg word "$word" '{name: "old", actions: [range(1; 4) | {id: ., name: "a\(.)", type: "command-line",
            command: "echo \($word) \(.); sleep 0.05; head -c 20480 /dev/zero > output"}]}' >old.json
        pingo run -q old.json
        pingo release last
    done
    pingo tick >/dev/null
    pingo archive --now --before 0s
    pingo config --unset pool.budget
    cd ..
}

@test "remote: provenance, report and archive are those of the store, as far as a server tells them" {
    old
    serve
    cat >chain.json <<'X'
{"name": "chain", "actions": [
 {"id": 1, "name": "first", "type": "command-line", "command": "echo 1 > output"},
 {"id": 2, "name": "second", "type": "command-line", "parentActions": [{"id": 1, "as": "a"}], "command": "cat in/a > output"},
 {"id": 3, "name": "third", "type": "command-line", "parentActions": [{"id": 2, "as": "b"}], "command": "cat in/b > output"}]}
X
    pingo --server "$SOCKET" submit -q chain.json
    pingo --server "$SOCKET" wait -q last
    hash=$(pingo -C here status last --json | jq -r '.actions[2].hash')
    same provenance last 3 --json
    same provenance last third --json
    same provenance "${hash:0:12}" --json
    same provenance last 3 --json --depth 1
    same provenance last 3 --json --limit 2
    same provenance last 3 --json --limit 0
    same provenance 1 --json
    same provenance last nobody --json
    same provenance 99 1 --json
    same provenance 00000000 --json
    go --server "$URL" provenance 1 3
    ends_with 2
    says 'try: --json'
    go --server "$URL" provenance 1 3 --dot
    ends_with 2
    same archive
    same archive --json
    go --server "$URL" archive --now
    ends_with 2
    go -C here archive --json
    json 'length > 0 and (map(.workflows) | add) == 5'
    go -C here report --evictions --json
    json 'length > 2'
    same report --evictions
    same report --evictions --json
    same report --evictions --limit 1 --after '' --json
    same report --evictions --until 2026-01-01
    same report --after ''
    now=$(date -u +%FT%T.%3NZ)
    pingo -C here report --until "$now" --limit 1 --json | jq 'del(.pool)' >report.here # of a disk that others use, too
    pingo --server "$URL" report --until "$now" --limit 1 --json | jq 'del(.pool)' >report.there
    diff report.here report.there
    go --server "$URL" report
    ends_with 2
    says 'try: --json'
    go --server "$URL" report 1 --html report.html
    ends_with 2
    go --server "$URL" log 1 1 --json
    ends_with 2
    says 'without it'
    go --server "$URL" trace 1
    ends_with 2
    says 'status WORKFLOW --attempts --json'
    go --server "$URL" status --label k=v
    says 'datasets --label'
}
