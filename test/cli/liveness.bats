#!/usr/bin/env bats
# Who drives a workflow: status, wait, what is stopped, what was left; with real processes.
load helper

halt() { # PID: it goes on until it is on a processor again
    kill -STOP "$1"
    until_true grep -q '^State:.*T' "/proc/$1/status"
}

# Stops a process, but not within a transaction: whoever holds the store's lock then holds up everybody.
stop() { # PID
    local inode
    inode=$(stat -c %i .pingo/lock)
    halt "$1"
    while awk -v inode="$inode" '$6 ~ ":" inode "$" { found = 1 } END { exit !found }' /proc/locks; do
        kill -CONT "$1"
        sleep 0.05
        halt "$1"
    done
}

# gated.json: "first" says that it started and waits for the file go; "second" reads what it made.
gated() {
    jq -n --arg d "$PWD" '{name: "gated", actions: [
        {id: 1, name: "first", type: "command-line",
         command: "echo $$ >> \($d)/started; while [ ! -e \($d)/go ]; do sleep 0.05; done; echo a > output"},
        {id: 2, name: "second", type: "command-line", command: "cp in/a output", parentActions: [{id: 1, as: "a"}]}]}' >gated.json
}

start() { # in the background: its pid in $runner
    : >out 2>err # what an earlier one said; this one may be late to empty them
    "$PINGO" "$@" >out 2>err &
    runner=$!
    STARTED="$STARTED $runner"
}

ended() {
    status=0
    wait "$runner" || status=$?
    output=$(cat out)
    stderr=$(cat err)
}

state() { pingo status "$1" --json | jq -r '.state'; }
driven() { pingo status "$1" --json | jq -e "$2" >/dev/null; }

@test "nobody drives it: status says so, and wait ends with 11" {
    open_store
    gated
    pingo submit gated.json
    go status 1
    prints "no process runs it; go on with: pingo run 1"
    go status
    says "no process runs 1; go on with: pingo run 1"
    go status --json
    json '.[0].driven == false and .[0].drivers == []'
    go wait 1 --grace 100ms
    ends_with 11
    says "workflow 1: no process runs it; go on with: pingo run 1"
    pingo pause 1
    go wait 1 --grace 100ms
    ends_with 11
    says "workflow 1: paused; go on with: pingo run 1"
    # Who drives it cannot be asked: that is an error, and not that nobody does.
    python3 -c 'import sqlite3; sqlite3.connect(".pingo/pingo.db").execute("alter table owner rename to elsewhere")'
    go wait 1 --grace 100ms
    ends_with 4
    says "no such table"
    [[ $stderr != *"workflow 1:"* ]]
}

@test "somebody drives it: status says who, and wait waits" {
    open_store
    gated
    start run gated.json
    until_true test -s started
    driven 1 ".driven and .drivers[0].pid == $runner and .drivers[0].claims and (.drivers[0].stopped | not)"
    go status 1
    prints "process $runner drives it"
    pingo wait 1 --grace 100ms &
    waiter=$!
    touch go
    wait "$waiter"
    ended
    ends_with 0
    go status 1 --json
    json '.driven == null'
}

@test "the terminal is gone: wait collects what runs, and says that nobody goes on" {
    open_store
    gated
    start run gated.json
    until_true test -s started
    kill -HUP "$runner"
    ended
    ends_with 129
    driven 1 '.driven | not'
    start wait 1 --grace 200ms
    until_true grep -q "no process runs it" err
    kill -0 "$runner" # for something runs
    touch go
    ended
    ends_with 11
    go status 1 --json
    json '.actions[0].state == "FINISHED" and .actions[1].state == "READY"'
    go run 1
    ends_with 0
}

@test "what has ended unseen is RUNNING no more for who looks" {
    open_store
    gated
    start run gated.json
    until_true test -s started
    driven 1 '.actions[0].executor == "local" and .actions[1].executor == "local"'
    kill -TERM "$runner"
    ended
    driven 1 '.actions[0].state == "RUNNING" and .actions[0].uncollected == false'
    touch go
    until_true driven 1 '.actions[0].uncollected'
    go status 1
    prints "has ended; the next tick collects it"
    prints "no process runs it; go on with: pingo run 1"
    go status 1 --json
    json '.actions[0].ended != null and .actions[0].state == "RUNNING"'
    go run 1
    ends_with 0
    go status 1 --json
    json '.actions[0].uncollected == false and .actions[0].executor == "local"'
}

@test "who is to run an action, by the setting too" {
    open_store
    go config executor nosuch
    ends_with 0
    says 'this program has no executor "nosuch"; actions that name none wait for one that has it'
    gated
    pingo submit gated.json
    go status 1
    prints 'waits for a scheduler with the executor "nosuch"'
    go status 1 --json
    json '.actions[0].executor == "nosuch" and .actions[1].executor == "nosuch"'
}

@test "what cannot start for several reasons is counted" {
    open_store
    jq -n '{name: "three", actions: [range(3) | {id: ., name: "a\(.)", type: "command-line",
         executor: (if . == 0 then "here" else "there\(.)" end), command: "echo \(.) > output"}]}' >three.json
    pingo submit three.json
    go status 1
    prints '1 action cannot start now: waits for a scheduler with the executor "here"'
    prints '2 more cannot start for other reasons'
}

@test "ticks alone, and nobody answers: actions wait and say why, and no attempt counts as lost" {
    open_store
    pingo config executor.slurm.url http://127.0.0.1:1
    pingo config --no-check executor slurm
    gated
    pingo submit gated.json
    tried() { pingo tick -q && [ "$(pingo status 1 --attempts --json | jq length)" -gt 1 ]; }
    until_true tried
    go status 1
    prints "could not be started: http://127.0.0.1:1: Could*n*t connect to server" # as this libcurl writes it
    go status 1 --attempts --json
    json 'length > 1 and all(.[]; .state == "not started" and .ended > .handed)'
}

@test "what is ready and cannot start says so while something else runs" {
    open_store
    jq -n --arg d "$PWD" '{name: "two", actions: [
        {id: 1, name: "first", type: "command-line",
         command: "touch \($d)/started; while [ ! -e \($d)/go ]; do sleep 0.05; done; echo a > output"},
        {id: 2, name: "far", type: "command-line", executor: "elsewhere", command: "echo b > output"}]}' >two.json
    start run two.json
    until_true grep -q '1 action of workflow 1 cannot start now: waits for a scheduler with the executor "elsewhere"' err
    go status 1
    prints '1 action cannot start now: waits for a scheduler with the executor "elsewhere"'
    touch go
    ended
    [ "$status" != 0 ]
    [ "$(grep -c "cannot start now" err)" = 1 ]
    says "needs an executor that nobody here has"
}

@test "what runs is told apart from what is armed, with its time" {
    open_store
    pingo config executor.slots 1
    jq -n --arg d "$PWD" '{name: "two", actions: [range(3) | {id: ., name: "a\(.)", type: "command-line",
         command: "echo $$ >> \($d)/started; while [ ! -e \($d)/go ]; do sleep 0.05; done; echo \("a\(.)") > output"}]}' >two.json
    start run two.json
    until_true test -s started
    armed='.counts.running == 3 and .counts.armed == 2'
    until_true driven 1 "$armed"
    go status 1
    prints "0 waiting, 0 ready, 2 armed, 1 running"
    [[ $output =~ RUNNING\ +a[0-9]\ +[0-9] ]]
    touch go
    ended
    ends_with 0
}

@test "a process that is stopped is named; who joined it takes over what runs" {
    open_store
    gated
    start run gated.json
    first=$runner
    until_true test -s started
    stop "$first"
    go status 1
    prints "process $first, which has 1 of its actions in hand, is stopped"
    driven 1 '(.driven | not) and .drivers[0].stopped'
    go wait 1 --grace 100ms
    ends_with 11
    says "is stopped; let it go on: kill -CONT $first"
    touch go
    go run gated.json
    ends_with 0
    says "waiting for process $first, which has 1 of the actions of workflow 2 in hand and is stopped"
    says "process $first is stopped"
    kill -CONT "$first"
    wait "$first" || status=$?
    ends_with 0
    [ "$(wc -l <started)" -eq 1 ]
    go fsck --deep
    ends_with 0
    [ "$(state 1)" = FINISHED ]
}

# Programs that are told in which process space they are number 1: a container that shares the store.
container() { # SHELL-COMMAND
    exec unshare -pf --kill-child --mount-proc sh -c "$1; :"
}

@test "a driver in another container is not taken for the process that has its number here" {
    (container true) 2>/dev/null || skip "only root has containers"
    open_store
    gated
    container "exec >out 2>err; '$PINGO' run gated.json" & # process 2
    first=$!
    STARTED="$STARTED $first"
    until_true test -s started
    (container "'$PINGO' status 1; '$PINGO' status 1") >status # process 2, which is not the driver
    [ "$(grep -c "a process of another container (PID namespace) drives it" status)" -eq 2 ]
    driven 1 '.driven and .drivers[0].pid == null and (.drivers[0].stopped | not)'
    # Those numbers are stopped processes there.
    (container "i=0; while [ \$i -lt 20 ]; do sleep 60 & kill -STOP \$!; i=\$((i + 1)); done
        '$PINGO' status 1; (until grep -q 'waiting for' said; do sleep 0.05; done; touch go) & timeout 600 '$PINGO' run 1") >other 2>said
    grep "a process of another container (PID namespace) drives it" other
    grep "waiting for a process of another container (PID namespace), which has 1 of the actions of workflow 1 in hand" said
    [ -z "$(grep stopped other said)" ]
    wait "$first"
    [ "$(wc -l <started)" -eq 1 ]
    go fsck --deep
    ends_with 0
}

@test "what a container starts reads the files that it sees, and not those of another one" {
    (container true) 2>/dev/null || skip "only root has containers"
    open_store
    mkdir files ours theirs
    head -c 2000000 /dev/zero | tr '\0' a >ours/file # more than is copied
    head -c 2000000 /dev/zero | tr '\0' b >theirs/file
    gated
    jq -n --arg d "$PWD" '{name: "reads", actions: [
        {id: 1, name: "one", type: "command-line", inputs: [{name: "file", path: "\($d)/files/file"}],
         command: "head -c 1 in/file >output"}]}' >reads.json
    container "mount --bind ours files; exec >out 2>err; '$PINGO' run gated.json" &
    first=$!
    STARTED="$STARTED $first"
    until_true test -s started
    (container "mount --bind theirs files; (until grep -q 'another container' said; do sleep 0.05; done; touch go) & timeout 600 '$PINGO' run reads.json") 2>said
    grep "is in another container (namespace of mounts, users or networks)" said
    [ "$(cat "$(pingo path last 1)")" = b ]
    wait "$first" # its second action waited for that
    [ "$(wc -l <started)" -eq 1 ]
    # Who sees the same files shares a supervisor.
    (container "mount --bind ours files; '$PINGO' run --force one reads.json & sleep 1; '$PINGO' run -q reads.json; wait") 2>said
    [ -z "$(grep "makes way" said)" ]
}

@test "containers that take turns lose nothing by it" {
    unshare -Ur true 2>/dev/null || skip "nobody has namespaces here"
    open_store
    for who in ours theirs; do
        jq -n --arg who $who '{name: $who, actions: [range(1; 9) |
            {id: ., name: "\(.)", type: "command-line", command: "echo \($who) \(.) >output; until [ -e \(env.PWD)/go ]; do sleep 0.05; done; sleep 0.5"}]}' >$who.json
    done
    start run -q ours.json
    until_true driven 1 '.counts.running > 0'
    unshare -Ur "$PINGO" run -q theirs.json 2>said 3>&- &
    theirs=$!
    STARTED="$STARTED $theirs"
    until_true grep -q 'another container' said
    touch go
    wait "$theirs"
    ended
    ends_with 0
    says "makes way"
    # What waits in turn was not refused, nor what was on its way just when a supervisor ended.
    [ "$(sqlite3 .pingo/pingo.db 'SELECT sum(refusals) FROM action')" -eq 0 ]
}

@test "an attempt ran on the node where its supervisor is, whoever learns of its end" {
    unshare -u true 2>/dev/null || skip "only root has host names"
    open_store
    gated
    start_there() { # HOST
        rm -f started go
        unshare -u sh -c "hostname $1 && exec '$PINGO' run --force first gated.json" >out 2>err &
        until_true test -s started
        kill -KILL $!
        wait $! || :
    }
    start_there one.example
    touch go
    pingo run -q 1
    end_supervisors # that one serves for some seconds
    start_there two
    end_supervisors
    until_true eval "! kill -0 $(cat started) 2>/dev/null" # else it may end well yet
    touch go
    pingo run -q 2
    for workflow in 1 2; do
        pingo status --attempts --json $workflow | jq -r '.[] | select(.name == "first") | "\(.state) \(.node)"'
    done >nodes
    printf 'exited one.example\nlost two\nexited %s\n' "$(hostname)" | diff - nodes
}

# run.sh: runs one.json anew; its action has to be in the namespaces that this script is in.
@test "what is started in a namespace of users, or of networks, runs in that" {
    unshare -Urn true 2>/dev/null || skip "nobody has namespaces here"
    open_store
    one 'readlink /proc/self/ns/user /proc/self/ns/net >output'
    cat >run.sh <<END
set -e
'$PINGO' run -q --force one one.json
readlink /proc/self/ns/user /proc/self/ns/net | diff - "\$('$PINGO' path last 1)"
END
    sh run.sh
    unshare -Ur sh -c "sh run.sh && unshare -n sh run.sh" 2>said
    grep "is in another container (namespace of mounts, users or networks)" said
    sh run.sh
}

@test "kill ends what a stopped process has in hand" {
    open_store
    gated
    start run gated.json
    until_true test -s started
    pid=$(cat started)
    stop "$runner"
    go kill 1
    ends_with 0
    until_true eval "! kill -0 $pid 2>/dev/null"
    kill -CONT "$runner"
    ended
    ends_with 1
    go fsck
    ends_with 0
}

@test "kill ends what was left behind" {
    open_store
    gated
    start run gated.json
    until_true test -s started
    pid=$(cat started)
    kill -KILL "$runner"
    ended
    go kill 1
    ends_with 0
    until_true eval "! kill -0 $pid 2>/dev/null"
}

@test "run --detach goes on in a session of its own; pause stops it" {
    open_store
    gated
    go run --detach gated.json
    ends_with 0
    [ "$output" = 1 ]
    says "see it end: pingo wait 1; stop it: pingo pause 1"
    pid=$(pingo status 1 --json | jq '.drivers[0].pid')
    STARTED="$STARTED $pid"
    [ "$(ps -o sid= -p "$pid" | tr -d ' ')" = "$pid" ]
    [ "$(ps -o tty= -p "$pid" | tr -d ' ')" = "?" ]
    until_true test -s started
    go pause 1
    ends_with 0
    touch go
    until_true eval "! kill -0 $pid 2>/dev/null"
    grep -q "workflow 1 was paused" .pingo/runs/1.log
    go run --detach 1
    ends_with 0
    go wait --grace 600s 1
    ends_with 0
    go run --detach --json 1
    ends_with 0
    json '.workflows[0].state == "FINISHED"'
    go run --detach gated.json # all of it is there
    ends_with 0
    [ "$output" = 2 ]
}

@test "a reader that goes away does not end the run" {
    open_store
    gated
    ("$PINGO" run gated.json 2>&1; echo $? >code) | head -n 1 >out &
    until_true test -s started
    touch go
    until_true test -s code
    [ "$(cat code)" -eq 0 ]
    [ "$(state 1)" = FINISHED ]
}

@test "without a terminal lines tell how far it is" {
    open_store
    jq -n '{name: "three", actions: [range(3) | {id: ., name: "a\(.)", type: "command-line", command: "echo \(.) > output"}]}' >three.json
    go run three.json
    ends_with 0
    says "[1/3]"
    says "[2/3]"
    says "[3/3]"
}

@test "a clock that was set back does not hold an action for long" {
    open_store
    gated
    touch go
    pingo submit gated.json
    sqlite3 .pingo/pingo.db "UPDATE action SET not_before_ms = (strftime('%s') + 86400) * 1000"
    go run 1
    ends_with 0
}

@test "a supervisor that is stopped is named, and TERM is obeyed at once" {
    open_store
    gated
    start run gated.json
    until_true test -s started
    worker=$(ps -o ppid= -p "$(cat started)" | tr -d ' ')
    supervisor=$(ps -o ppid= -p "$worker" | tr -d ' ')
    stop "$supervisor"
    until_true grep -q "process $supervisor, is stopped" err
    kill -TERM "$runner"
    has_left() { [ -z "$(grep -v Z <(grep ^State: "/proc/$runner/status"))" ]; }
    until_true has_left # while that one is stopped
    ended
    kill -CONT "$supervisor"
    ends_with 143
    touch go
    go run 1
    ends_with 0
}

@test "where /proc is that of another container no action is started, for its processes could not be ended" {
    unshare -Urpf true 2>/dev/null || skip "nobody has namespaces here"
    open_store
    one 'setsid sleep 100 & sleep 0.3; echo >output'
    run --separate-stderr timeout 600 unshare -Urpf --kill-child "$PINGO" run one.json
    ends_with 9
    says "/proc shows another PID namespace"
    go run 1
    ends_with 0
}

@test "a supervisor that is stopped in another container is told of by who waits for its answer" {
    (container true) 2>/dev/null || skip "only root has containers"
    open_store
    gated
    container "exec '$PINGO' run gated.json >out 2>err" &
    STARTED="$STARTED $!"
    until_true test -s started
    worker=$(pgrep -f "^pingo-worker --worker $PWD/") # as it is called here
    supervisor=$(ps -o ppid= -p "$worker" | tr -d ' ')
    stop "$supervisor"
    one 'echo > output'
    (container "exec '$PINGO' run one.json") 2>said &
    STARTED="$STARTED $!"
    until_true grep "has not answered for ten seconds, as one in a container that is stopped" said
    kill -CONT "$supervisor"
    touch go
    wait $!
    go fsck
    ends_with 0
}

@test "a supervisor of another version: what to do, and how to go on" {
    open_store
    one 'echo > output'
    mkdir -p .pingo/executor
    # It welcomes whoever comes, in version 1.
    perl -MIO::Socket::UNIX -e '
        my $s = IO::Socket::UNIX->new(Type => SOCK_STREAM, Local => ".pingo/executor/local.sock", Listen => 9) or die $!;
        chmod 0600, ".pingo/executor/local.sock";
        while (my $c = $s->accept) { syswrite $c, pack("VCVVV", 13, 16, 1, 0, 0); push @all, $c; }' &
    STARTED="$STARTED $!"
    until_true test -S .pingo/executor/local.sock
    go run one.json
    ends_with 9
    says "of another version of Pingo (it speaks 1,"
    says "try again in a moment"
    says "unfinished; go on: pingo run 1"
}

@test "an action that stops its worker: it is told, goes on, and has its time limit" {
    store
    one 'kill -STOP $PPID; sleep 100; echo x > output' '{"resources": {"timeLimitSeconds": 3}}'
    start run one.json
    until_true grep 'was stopped: it goes on' err
    ended
    ends_with 1
    says "time limit of 3 s"
    # One that is to end is not waited for.
    one 'kill -STOP $PPID; echo > '"$PWD"'/stops; sleep 100; echo x > output'
    start run one.json
    until_true test -e stops
    pingo kill last
    ended
    ends_with 1
}

# Nothing can be put into the pool, until then.
closed() { # SECONDS
    unshare -m mount --bind . . 2>/dev/null || skip "only root has file systems of his own"
    open_store
    one "echo a >output; sleep 11"
    pingo submit -q one.json
    run --separate-stderr unshare -m sh -c "mount --bind .pingo/pool .pingo/pool
        mount -o remount,ro,bind .pingo/pool
        (sleep $1; mount -o remount,rw,bind .pingo/pool) >/dev/null 2>&1 3>&- &
        timeout 600 '$PINGO' run 1 3>&-; status=\$?; kill \$!; exit \$status"
    says "action one waits: could not be started"
}

@test "a run ends where nothing can be put among the pool's attempts for long" {
    closed 50
    ends_with 9
    says "nothing starts, for the pool's attempts cannot be written: Read-only file system"
    says "unfinished; go on: pingo run 1"
}

@test "a run goes on where the pool's attempts can be written again soon" {
    closed 4
    ends_with 0
    [[ $stderr != *"nothing starts"* ]]
}
