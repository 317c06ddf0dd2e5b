#!/usr/bin/env bats
# adopt: an output that was made before Pingo becomes that of an action that has not run.
load helper

# pipe.json: make (which fails), then use, which reads it.
pipe() {
    jq -n '{name: "pipe", actions: [
        {id: 1, name: "make", type: "command-line", command: "exit 1"},
        {id: 2, name: "use", type: "command-line", command: "cat in/made > output",
         parentActions: [{id: 1, as: "made"}]}]}' >pipe.json
}

@test "adopt: what was made before is the output; what reads it runs" {
    store
    pipe
    echo old >old.txt
    pingo submit pipe.json
    go adopt last make old.txt --json
    ends_with 0
    json '.workflow == 1 and .action == "make" and (.hash | length) == 64 and .path == "'"$PWD"'/old.txt"'
    go run last
    ends_with 0
    says "ran 1, reused 0"
    [ "$(cat "$(pingo path last use)")" = old ]
    [ "$(cat old.txt)" = old ]
    [ -w old.txt ]
    go status last --json
    json '.actions[0].state == "FINISHED" and .actions[0].attempts == 0 and
        .actions[0].adoptedFrom == "'"$PWD"'/old.txt" and .actions[1].adoptedFrom == null'
    go status last
    prints "adopted from $PWD/old.txt"
    go log last make
    says "nothing ran: the output was adopted"
    go datasets
    prints "make  (pinned)  (adopted)"
    go datasets --json
    json 'any(.[]; .name == "make" and .keep == true and .adoptedFrom == "'"$PWD"'/old.txt")'
    go provenance last use --json
    json 'any(.actions[]; .name == "make" and .adoptedFrom == "'"$PWD"'/old.txt")'
    go provenance last make
    prints "adopted from $PWD/old.txt"
    go fsck --deep
    ends_with 0
    # It is reused like any other, and evicted by nobody.
    rm old.txt
    pingo config pool.budget 0
    pingo tick
    go run pipe.json
    ends_with 0
    says "ran 0"
    go adopt last use text.txt
    ends_with 5
}

# That a command makes other content than what was adopted for it does not mean that it makes another one each time.
@test "adopt: who makes it after all, and differs, is not said to be at fault alone" {
    store
    one "echo made > output"
    pingo submit one.json
    pingo adopt last one text.txt
    go run --force one one.json
    ends_with 0
    says "made again with other content than before"
    says "or was adopted"
}

# What was evicted comes from elsewhere: that took no time of ours, and neither adds to what was lost nor takes from it.
@test "adopt: of what was evicted is no loss" {
    store
    jq -n '{name: "w", actions: [{id: 1, name: "make", type: "command-line", command: "echo made > output"},
        {id: 2, name: "use", type: "command-line", command: "cat in/p > output", parentActions: [{id: 1, as: "p"}]}]}' >one.json
    jq '.actions[1].command += "; echo more >> output"' one.json >two.json
    pingo run -q one.json
    pingo config pool.budget 0
    pingo tick
    pingo submit two.json
    pingo adopt last make text.txt
    go report --evictions --json
    json 'length == 1 and .[0].remade != null and .[0].regretMs == 0'
    go report --json
    json '.lostMs == 0 and .algorithms[0].lostMs == 0 and .regretted == []'
}

@test "adopt: a directory for an action that waits; equal actions end with it" {
    store
    mkdir -p old/d
    echo x >old/d/f
    ln -s d/f old/link
    jq -n '{name: "two", actions: [
        {id: 1, name: "first", type: "command-line", command: "echo 1 > output"},
        {id: 2, name: "dir", type: "command-line", command: "exit 1", parentActions: [{id: 1, as: "p"}]},
        {id: 3, name: "same", type: "command-line", command: "exit 1", parentActions: [{id: 1, as: "p"}]},
        {id: 4, name: "use", type: "command-line", command: "cat in/d/link > output",
         parentActions: [{id: 3, as: "d"}]}]}' >two.json
    pingo submit two.json
    go adopt 1 same old
    ends_with 0
    go run -q 1
    ends_with 0
    [ "$(cat "$(pingo path 1 use)")" = x ]
    go status 1 --json
    json '[.actions[].state] == ["CANCELLED", "FINISHED", "FINISHED", "FINISHED"]'
    json '[.actions[].adoptedFrom] == [null, "'"$PWD"'/old", "'"$PWD"'/old", null]'
    go status 1 same
    prints "adopted from $PWD/old"
    go log 1 same
    says "nothing ran: the output was adopted"
    go fsck --deep
    ends_with 0
    chmod -R u+w old
    rm -r old
}

@test "adopt: what came before it for nobody else does not run" {
    store
    jq -n --arg here "$PWD" 'def action(id; name; parents): {id: id, name: name, type: "command-line",
        command: "echo \(id) >> \($here)/ran; echo > output", parentActions: [parents[] | {id: ., as: "p\(.)"}]};
        {name: "deep", actions: [action(1; "raw"; []), action(2; "shared"; []), action(3; "only"; [1, 2]),
        action(4; "made"; [3]), action(5; "use"; [4]), action(6; "other"; [2]), action(7; "twin"; [1])]}' >deep.json
    pingo submit --target use --target other deep.json
    echo old >old.txt
    go adopt 1 made old.txt
    ends_with 0
    go status 1 --json
    json '[.actions[:4][].state] == ["CANCELLED", "READY", "CANCELLED", "FINISHED"] and
        .actions[0].message == "not needed: the output of action 4 (made) was adopted"'
    go run 1
    ends_with 0
    says 'ran 3'
    [ "$(sort ran | tr "\n" " ")" = "2 5 6 " ]
    go status 1 --json
    json '.state == "FINISHED"'
    go fsck --deep
    ends_with 0
    # Submitted anew, what was spared is computed where it is asked for.
    go run --target only deep.json
    ends_with 0
    [ "$(sort ran | tr "\n" " ")" = "1 2 3 5 6 " ]
}

# What was spared does not descend from what fails.
@test "adopt: who reads it fails, and that is no reason of what did not run for it" {
    store
    pipe
    jq '.actions[1].command = "exit 1" | .actions += [{id: 3, name: "raw", type: "command-line", command: "exit 1"}] |
        .actions[0].parentActions = [{id: 3, as: "raw"}]' pipe.json >deep.json
    pingo submit deep.json
    pingo adopt last make text.txt
    go run last
    ends_with 1
    says "failed: 2 use"
    says "cancelled: 1 action that had not started"
}

@test "adopt: what is refused, and changes nothing" {
    store
    pipe
    pingo submit pipe.json
    go adopt last make nowhere
    ends_with 8
    says nowhere
    mkdir out
    ln -s "$PWD/text.txt" out/link
    go adopt last make out
    ends_with 8
    says link
    mkfifo fifo
    go adopt last make fifo
    [ "$status" -ne 0 ]
    go adopt last nonsense text.txt
    ends_with 5
    go adopt 9 make text.txt
    ends_with 5
    go status last --json
    json '[.actions[].state] == ["READY", "WAITING"]'
    go fsck
    ends_with 0
    go run -q last
    ends_with 1
    go adopt last make text.txt
    ends_with 5
    says "is FAILED"
    one 'echo 1 > output'
    pingo run -q one.json
    pingo submit one.json
    go adopt last one text.txt
    ends_with 5
    [ "$(cat "$(pingo path 3 one)")" = 1 ]
}

@test "adopt: what changes while it is copied is not kept" {
    store
    cat >shim.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (request == FICLONE && getenv("CHANGES")) {
        int file = open(getenv("CHANGES"), O_WRONLY);
        if (file < 0 || pwrite(file, "x", 1, 0) != 1)
            abort();
        close(file);
    }
    return (int)syscall(SYS_ioctl, fd, request, argument);
}
END
    "${CC:-cc}" -shared -fPIC -o shim.so shim.c
    one 'exit 1'
    pingo submit one.json
    mkdir out
    seq 1000 >out/b
    sleep 0.1
    CHANGES=$PWD/out/b LD_PRELOAD=$PWD/shim.so go adopt last one out
    ends_with 8
    says 'out: changed while it was copied'
    [ -z "$(find .pingo/pool/objects .pingo/pool/staged -mindepth 1)" ]
    go adopt last one out
    ends_with 0
    cmp "$(pingo path last one)/b" out/b
}

@test "adopt: what holds the store is no output" {
    store
    pipe
    pingo submit pipe.json
    ln -s . here
    for path in . here .pingo .pingo/pool; do
        go adopt last make "$path"
        ends_with 2
        says "holds the store"
    done
    [ -z "$(find .pingo/pool/objects .pingo/pool/staged .pingo/pool/trash -mindepth 1)" ]
}

@test "adopt: of several at once for one action one is kept, whole" {
    store
    local i k
    for i in 1 2 3; do
        one "exit $i"
        pingo submit one.json
        for k in 1 2 3; do
            head -c 1000000 /dev/zero | tr '\0' "$k" >"out$k"
            timeout 600 pingo adopt last one "out$k" 3>&- &
        done
        wait
        go path last one
        ends_with 0
        cmp "$output" out1 || cmp "$output" out2 || cmp "$output" out3
    done
    go fsck --deep
    ends_with 0
}
