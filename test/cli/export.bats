#!/usr/bin/env bats
# What export and exec -o write: nothing of the user's is replaced, names and templates, what a killed
# one leaves.
load helper

# shim.so: ioctl(FICLONE), with which each copy of a file begins, raises the signal $AT_COPY first.
shim() {
    cat >shim.c <<'END'
#define _GNU_SOURCE
#include <linux/fs.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int unlinkat(int dir, const char *name, int flags)
{
    int rc = (int)syscall(SYS_unlinkat, dir, name, flags);
    if (rc == 0 && getenv("AT_UNLINK") && strcmp(name, getenv("AT_UNLINK")) == 0)
        raise(SIGKILL);
    return rc;
}
int ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (request == FICLONE && getenv("AT_COPY"))
        raise(atoi(getenv("AT_COPY")));
    return (int)syscall(SYS_ioctl, fd, request, argument);
}
END
    "${CC:-cc}" -shared -fPIC -o shim.so shim.c
}

# Starts an export (its words) that stops itself when it has looked and begins to copy.
stopped() {
    AT_COPY=19 LD_PRELOAD=$PWD/shim.so "$PINGO" "$@" >said.out 2>said.err &
    pid=$!
    STARTED="$STARTED $pid"
    until_true grep -q '^State:.*T' "/proc/$pid/status"
}

go_on() {
    kill -CONT "$pid"
    status=0
    wait "$pid" || status=$?
    output=$(cat said.out) stderr=$(cat said.err)
}

@test "export: a directory and a file of the user's are not replaced; --force does" {
    store
    mkdir fastq
    echo raw >fastq/s1.fq
    one 'echo made > output' '{"name": "fastq"}'
    pingo run -q one.json
    go export last .
    ends_with 5
    says "fastq: is there, and was not written by Pingo, and is not replaced"
    says "--force"
    [ "$(cat fastq/s1.fq)" = raw ]
    rm -r fastq
    echo mine >fastq
    go export last .
    ends_with 5
    [ "$(cat fastq)" = mine ]
    ln -sf text.txt fastq
    go export last .
    ends_with 5
    [ -L fastq ]
    go export --link last .
    ends_with 5
    [ "$(readlink fastq)" = text.txt ]
    go export --force last .
    ends_with 0
    [ "$(cat fastq)" = made ]
    [ ! -L fastq ]
    [ "$(head -c 3 text.txt)" = the ]
}

@test "export: what is neither a file, a directory nor a link is not replaced, and nobody is told to force that" {
    store
    one 'echo made > output'
    pingo run -q one.json
    mkfifo one
    for how in '' --link; do
        go export $how last .
        ends_with 5
        says "$PWD/one: is there, and was not written by Pingo, and is not replaced: move it away"
        [ -z "$(grep -e --force <<<"$stderr")" ]
        go export $how --force last .
        ends_with 5
        says "$PWD/one: is neither a file nor a directory, and is not replaced: move it away"
    done
    [ -p one ]
}

@test "export: no DIR is not the working directory" {
    store
    one 'echo made > output'
    pingo run -q one.json
    go export last ''
    ends_with 2
    [ ! -e one ]
}

@test "export: where a file lies there can be no directory" {
    store
    one 'echo made > output'
    pingo run -q one.json
    echo mine >file
    for to in file file/below; do
        go export last "$to"
        ends_with 5
        says "$PWD/$to: is to be a directory, but something else lies there, or above it"
    done
    [ "$(cat file)" = mine ]
}

@test "export: nothing is written where one of the targets is refused" {
    words
    store
    pingo run -q words.json
    mkdir results
    echo mine >results/sort
    go export last results
    ends_with 5
    [ -z "$output" ]
    [ "$(ls results)" = sort ]
    echo mine >results/count.txt
    go export last results
    says "and 1 more"
}

@test "export: a former export is replaced as long as nobody changed it" {
    store
    for n in 1 2 3; do
        one "mkdir -p output/d; echo $n > output/d/f; echo same > output/g"
        pingo run -q one.json
        go export last out
        ends_with 0
        [ "$(cat out/one/d/f)" = $n ]
    done
    one "mkdir output; echo 4 > output/g"
    pingo run -q one.json
    echo note >out/one/d/notes.txt
    go export last out
    ends_with 5
    says "was changed since Pingo wrote it"
    [ "$(cat out/one/d/notes.txt out/one/d/f)" = "note
3" ]
    rm out/one/d/notes.txt
    echo edited >out/one/g
    go export last out
    ends_with 5
    [ "$(cat out/one/g)" = edited ]
    echo same >out/one/g
    go export last out
    ends_with 0
    [ "$(cat out/one/g)" = 4 ]
    [ ! -e out/one/d ]
    # Equal to what is to be there: it stays as it is.
    inode=$(stat -c %i out/one/g)
    go export last out
    ends_with 0
    [ "$(stat -c %i out/one/g)" = "$inode" ]
    go export --link last out
    ends_with 0
    [ -L out/one ]
    one 'echo file > output'
    pingo run -q one.json
    go export last out
    ends_with 0
    [ "$(cat out/one)" = file ]
    [ "$(ls -A out)" = one ]
}

@test "export: a project that was copied with its store knows its exports" {
    mkdir project
    cd project
    store
    one 'echo 1 > output'
    pingo run -q one.json
    pingo export last results
    cd ..
    cp -a project other
    cd other
    one 'echo 2 > output'
    pingo run -q one.json
    go export last results
    ends_with 0
    [ "$(cat results/one)" = 2 ]
    echo mine >results/one
    one 'echo 3 > output'
    pingo run -q one.json
    go export last results
    ends_with 5
    [ "$(cat results/one)" = mine ]
}

@test "export: never the store, its pool, or what holds them" {
    mkdir sub
    cd sub
    store
    one 'echo made > output' '{"name": ".pingo"}'
    pingo run -q one.json
    go export last .
    ends_with 0
    [ "$(cat _pingo)" = made ]
    [ -f .pingo/pingo.db ]
    go export --force last .pingo
    ends_with 2
    says "lies inside the store"
    go export --force last .pingo/pool/objects
    ends_with 2
    one 'echo made > output' '{"name": "sub"}'
    pingo run -q one.json
    go export --force last ..
    ends_with 2
    says "would replace the directory that holds the store"
    cd ..
    ln -s sub/.pingo elsewhere
    go -C sub export --force last elsewhere
    ends_with 2
    [ -f sub/.pingo/pingo.db ]
    [ "$(pingo -C sub status --json | jq length)" -eq 2 ]
}

@test "exec -o: neither what the command reads nor what is the user's" {
    store
    mkdir src
    echo code >src/main.c
    go exec -i src -o src -- sh -c 'echo ran >&2; mkdir src; tar -cf src/a.tar -C in/src .'
    ends_with 2
    says "--output src would replace or change the input src"
    [ "$(cat src/main.c)" = code ]
    go exec -i src/main.c -o src -- mkdir src
    ends_with 2
    go exec -i . -o new -- touch new
    ends_with 2
    ln -s src link
    go exec -i link -o src -- mkdir src
    ends_with 2
    go exec -o .pingo -- mkdir .pingo
    ends_with 2
    says "lies inside the store"
    # Refused before it runs.
    go exec -o src -- sh -c 'echo ran > /dev/stderr; mkdir src'
    ends_with 5
    says "was not written by Pingo"
    says "--force-outputs"
    [ "$(pingo status --json)" = "[]" ]
    [ "$(cat src/main.c)" = code ]
    mkfifo fifo
    go exec --force-outputs -o fifo -- sh -c 'echo ran > /dev/stderr; echo 1 > fifo'
    ends_with 5
    says "is not replaced: move it away"
    [ "$(pingo status --json)" = "[]" ]
    go exec --force-outputs -o src -- mkdir src
    ends_with 0
    [ -z "$(ls src)" ]
    echo x >src/x
    go exec -o src -- sh -c 'mkdir src; echo 2 > src/f'
    ends_with 5
    rm src/x
    go exec -o src -- sh -c 'mkdir src; echo 2 > src/f'
    ends_with 0
    [ "$(cat src/f)" = 2 ]
}

@test "export: what appears or changes while it is copied is kept" {
    store
    shim
    one 'mkdir output; echo 1 > output/f'
    pingo run -q one.json
    stopped export last out
    mkdir out/one
    echo mine >out/one/f
    go_on
    ends_with 5
    says "was not written by Pingo"
    [ "$(cat out/one/f)" = mine ]
    [ "$(ls -A out)" = one ]
    rm -r out/one
    pingo export last out
    one 'mkdir output; echo 2 > output/f'
    pingo run -q one.json
    stopped export last out
    echo added >out/one/g
    go_on
    ends_with 5
    says "was changed since Pingo wrote it"
    [ "$(cat out/one/f out/one/g | xargs)" = "1 added" ]
    [ "$(ls -A out)" = one ]
    rm out/one/g
    go export last out
    ends_with 0
    [ "$(cat out/one/f)" = 2 ]
}

@test "export: what a killed one left beside its target goes with the next" {
    store
    shim
    one 'mkdir output; echo 1 > output/f'
    pingo run -q one.json
    AT_COPY=9 LD_PRELOAD=$PWD/shim.so go export last out
    ends_with 137
    [ -n "$(ls -A out)" ]
    [ ! -e out/one ]
    go export last elsewhere
    ends_with 0
    [ -z "$(ls -A out)" ]
    AT_COPY=9 LD_PRELOAD=$PWD/shim.so go exec -o dir -- sh -c 'mkdir dir; echo 1 > dir/f'
    ends_with 137
    [ "$(find . -maxdepth 1 -name '*pingo-*' | wc -l)" -eq 1 ]
    pingo tick
    [ "$(find . -maxdepth 1 -name '*pingo-*' | wc -l)" -eq 0 ]
}

@test "export: a former one that was half removed when it was killed goes with the next" {
    store
    shim
    one 'mkdir output; echo 1 > output/f; echo 1 > output/g'
    pingo run -q one.json
    pingo export last out
    one 'mkdir output; echo 2 > output/f; echo 2 > output/g'
    pingo run -q one.json
    AT_UNLINK=f LD_PRELOAD=$PWD/shim.so go export last out
    ends_with 137
    [ "$(cat out/one/f out/one/g | xargs)" = "2 2" ]
    [ "$(find out -mindepth 1 -maxdepth 1 | wc -l)" -eq 2 ]
    go export last out
    ends_with 0
    [ -z "$stderr" ]
    [ "$(ls -A out)" = one ]
}

@test "export: holes stay holes" {
    store
    one 'truncate -s 200M output; printf middle | dd of=output bs=1M seek=100 conv=notrunc status=none; truncate -s 300M output'
    pingo run -q one.json
    go export last out
    ends_with 0
    [ "$(stat -c %s out/one)" = 314572800 ]
    [ "$(stat -c %b out/one)" -lt 4000 ]
    [ "$(dd if=out/one bs=1M skip=100 count=1 status=none | head -c 6)" = middle ]
}

@test "export: a dataset that was tampered with is not handed out" {
    store
    one 'echo good > output'
    pingo run -q one.json
    path=$(pingo path last one)
    rm -f "$path"
    echo EVIL >"$path"
    go export last out
    ends_with 5
    says "was changed in the pool"
    [ ! -e out/one ]
    # What lies outside was never in the pool.
    one 'echo good > output' '{"isManaged": false, "outputPath": "here"}'
    pingo run -q one.json
    echo EVIL >here
    go export last one out
    ends_with 5
    says "the output of action 1 (one) was changed in its place"
    rm here
    go export last one out
    ends_with 5
    says "the output of action 1 (one) was removed from its place"
}

@test "export: all suffixes of the output's name" {
    store
    jq -n '{name: "names", actions: ([["call", "calls.vcf.gz"], ["call.vcf", "c.vcf.gz"], ["x.gz", "y.tar.gz"],
        ["words.txt", "w.txt"], ["plain", "output"], ["dot", ".rc.d"]] | to_entries | map(
        {id: .key, name: .value[0], output: .value[1], type: "command-line",
         command: "echo \(.key) > \(.value[1])"}))}' >names.json
    pingo run -q names.json
    go export last d
    ends_with 0
    [ "$(cd d && echo *)" = "call-0.vcf.gz call-1.vcf.gz dot.d plain words.txt x.tar.gz" ]
    [ "$(cat d/call-0.vcf.gz)" = 0 ]
    [ "$(cat d/call-1.vcf.gz)" = 1 ]
}

@test "export --template" {
    words
    store
    pingo run -q words.json
    go export --template '{workflow}/{name}/{id}-{{x}}{ext}' last d
    ends_with 0
    [ "$(find d -type f | sort | xargs)" = "d/1/count/3-{x}.txt d/1/sort/2-{x}" ]
    hash=$(pingo hash words.json --json | jq -r '.. | objects | select(.id == 2) | .hash')
    go export --template '{hash}.{output}' last 2 e
    [ -f "e/$hash.output" ]
    go export --template 'all{ext}' last f
    ends_with 0
    go export --template 'all' last f
    ends_with 5
    says "gives all to action 2 (sort) and to action 3 (count)"
    go export --template '{nme}' last g
    ends_with 2
    says "knows no {nme}"
    for bad in '' '/{name}' '../{name}' '.git/{name}' 'a//{name}' '{name' '{name}}'; do
        go export --template "$bad" last g
        ends_with 2
    done
    [ ! -e g ]
    jq '.labels = {study: "a/b", sample: "none"} | .actions[1].labels = {sample: "S1"} |
        .actions[2].labels = {sample: ".S2"}' words.json >labels.json
    pingo run -q labels.json
    go export --template '{label.sample}/{label.study}/{name}{ext}' last l
    ends_with 0
    [ "$(find l -type f | sort | xargs)" = "l/S1/a_b/sort l/_S2/a_b/count.txt" ]
    go export --template '{label.lane}/{name}{ext}' last g
    ends_with 5
    says 'action 2 (sort) has no label "lane"'
    [ ! -e g ]
    jq '.actions[1].name = "../../x" | .actions[2].name = "n"' words.json >hostile.json
    pingo run -q hostile.json
    go export --template '{name}/f' last h
    ends_with 0
    [ "$(find h -type f | sort | xargs)" = "h/_._.._x/f h/n/f" ]
    jq '.actions[1].name = "n/../." | .actions[2].name = "n"' words.json >hostile.json
    pingo run -q hostile.json
    go export --template '{name}{output}' last i
    ends_with 0
}

@test "export: a directory on a disk whose files are all executable is known again, and read by actions" {
    store
    cat >modes.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
int fstatat(int dir, const char *name, struct stat *st, int flags)
{
    char link[64], path[8192] = "";
    int rc = (int)syscall(SYS_newfstatat, dir, name, st, flags);
    snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
    if (*name != '/' && readlink(link, path, 4096) < 0)
        return rc;
    strncat(strcat(path, "/"), name, 4096);
    if (rc == 0 && S_ISREG(st->st_mode) && strstr(path, "/share/"))
        st->st_mode |= 0777;
    return rc;
}
END
    "${CC:-cc}" -shared -fPIC -o modes.so modes.c
    one 'mkdir output; echo 1 > output/f'
    pingo run -q one.json
    LD_PRELOAD=$PWD/modes.so go export last share
    ends_with 0
    before=$(stat -c %i share/one)
    LD_PRELOAD=$PWD/modes.so go export last share
    ends_with 0
    [ "$(stat -c %i share/one)" = "$before" ]
    echo 2 >share/one/g
    LD_PRELOAD=$PWD/modes.so go export last share
    ends_with 5
    says "was changed since Pingo wrote it"
    cat >two.json <<'END'
{"name": "two", "actions": [
 {"id": 1, "name": "made", "type": "command-line", "command": "mkdir output; echo 1 >output/f",
  "isManaged": false, "outputPath": "share/dir"},
 {"id": 2, "name": "read", "type": "command-line", "command": "cat in/made/f >output",
  "parentActions": [{"id": 1, "as": "made"}]}]}
END
    LD_PRELOAD=$PWD/modes.so go run two.json
    ends_with 0
    LD_PRELOAD=$PWD/modes.so go run two.json
    ends_with 0
    says '1 to compute, 1 reused'
}

# acl FILE set: sets a list that lets in user 1, but not the group; "given": for what is made in a directory.  Else:
# is that its list?  "none": has it none?
acl() {
    python3 - "$1" "${2:-}" <<'END'
import os, struct, sys
path, what = sys.argv[1:]
name = "system.posix_acl_access"
rights = b"".join(struct.pack("<HHI", *e) for e in (
    (1, 6, 2**32 - 1), (2, 4, 1), (4, 0, 2**32 - 1), (16, 4, 2**32 - 1), (32, 0, 2**32 - 1)))
if what == "set":
    os.setxattr(path, name, struct.pack("<I", 2) + rights)
elif what == "given":
    os.setxattr(path, "system.posix_acl_default", struct.pack("<I", 2) + rights)
elif what == "none":
    sys.exit(name in os.listxattr(path))
elif os.getxattr(path, name) != struct.pack("<I", 2) + rights:
    sys.exit("another list")
END
}

@test "export: whom an access control list lets in is let in with what replaces the file, and the group is not" {
    store
    one 'echo 1 > output'
    pingo run -q one.json
    pingo export -q last out
    acl out/one set || skip "no access control lists here"
    one 'echo 2 > output'
    pingo run -q one.json
    go export last out
    ends_with 0
    [ "$(cat out/one)" = 2 ]
    acl out/one
    # What nobody but its owner may read lets in nobody else.
    one 'echo 3 > output; chmod 600 output'
    pingo run -q one.json
    go export last out
    ends_with 0
    [ "$(stat -c %a out/one)" = 600 ]
    one 'echo 1 > output' '{"isManaged": false, "outputPath": "here"}'
    pingo run -q one.json
    acl here set
    one 'echo 2 > output' '{"isManaged": false, "outputPath": "here"}'
    go run -q one.json
    ends_with 0
    [ "$(cat here)" = 2 ]
    acl here
}

@test "export: whom a file kept out is not let in with what replaces it by the list of its directory" {
    store
    one 'echo 1 > output'
    pingo run -q one.json
    pingo export -q last out
    chmod 640 out/one
    acl out given || skip "no access control lists here"
    one 'echo 2 > output'
    pingo run -q one.json
    go export last out
    ends_with 0
    [ "$(cat out/one)" = 2 ]
    [ "$(stat -c %a out/one)" = 640 ]
    acl out/one none
    mkdir there
    echo old >there/one
    chmod 640 there/one
    acl there given
    one 'echo 3 > output' '{"isManaged": false, "outputPath": "there/one"}'
    go run -q --force-outputs one.json
    ends_with 0
    [ "$(cat there/one)" = 3 ]
    acl there/one none
}
