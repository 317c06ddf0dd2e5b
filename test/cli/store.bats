#!/usr/bin/env bats
# init, how a store is found, config, fsck.
load helper

@test "init makes .pingo here and says where" {
    go init
    ends_with 0
    prints "$PWD/.pingo"
    [ -d .pingo ]
    [ "$(stat -c %a .pingo)" = 700 ]
    go fsck
    ends_with 0
}

@test "init twice: status 5 and the store is left alone" {
    words
    store
    pingo submit words.json
    go init
    ends_with 5
    [ -z "$output" ]
    [ "$(pingo status --json | jq length)" -eq 1 ]
}

@test "init --pool, -C, PINGO_DIR, --json" {
    mkdir there
    go -C there init --pool elsewhere/pool --json
    ends_with 0
    json ".directory == \"$PWD/there/.pingo\" and .pool == \"$PWD/elsewhere/pool\" and (.id | length > 8)"
    [ "$(stat -c %a elsewhere/pool)" = 700 ]
    PINGO_DIR=$PWD/by-environment go init
    ends_with 0
    [ -d by-environment ]
    PINGO_DIR=$PWD/by-environment go status --json
    ends_with 0
    go -C other init --pool nosuch://pool
    ends_with 2
    says "nosuch://pool: this library knows no pools of the kind nosuch"
    [ ! -e nosuch: ]
    [ ! -e other/.pingo ]
}

@test "init: git and backups leave the store and its pool out" {
    if command -v git >/dev/null; then git init -q .; fi
    go init --pool pool
    ends_with 0
    [ "$(cat .pingo/.gitignore)" = "*" ]
    [ "$(head -n 1 pool/CACHEDIR.TAG)" = "Signature: 8a477f597d28d172789f06886806bc55" ]
    one 'echo 1 > output'
    pingo run -q one.json
    if [ -d .git ]; then [ "$(git status --porcelain --untracked-files=all | grep -c pingo/)" -eq 0 ]; fi
    tar --exclude-caches -cf all.tar pool
    [ "$(tar -tf all.tar | grep -c objects)" -eq 0 ]
    mkdir mine
    echo mine >mine/CACHEDIR.TAG
    go -C mine init --pool mine
    ends_with 0
    [ "$(cat mine/CACHEDIR.TAG)" = mine ]
}

@test "init --pool: a directory of the user's is neither taken over nor emptied" {
    one 'echo 1 > output'
    mkdir -p big/trash/old big/attempts big/staged elsewhere
    echo x | tee big/trash/file big/trash/old/f big/attempts/file >big/staged/file
    find big | sort >before
    go init --pool big
    ends_with 5
    says "big/attempts: is there already and is not empty"
    [ ! -e .pingo ]
    find big | sort | cmp - before
    rm -r big
    mkdir big
    ln -s ../elsewhere big/objects
    go init --pool big
    ends_with 5
    says "big/objects: is there already and is no directory"
    rm big/objects
    echo file >big/trash
    go init --pool big
    ends_with 5
    [ "$(cat big/trash)" = file ]
    rm big/trash
    mkdir big/objects
    echo mine >big/notes
    go init --pool big
    ends_with 0
    pingo run -q one.json
    [ "$(cat big/notes)" = mine ]
    go init --pool ''
    ends_with 2
    go -C '' init
    ends_with 2
}

@test "a pool of another store is refused" {
    mkdir a b
    pingo -C a init --pool pool
    go -C b init --pool pool
    ends_with 4
    says pool
}

@test "the store: -C before PINGO_DIR before the nearest above" {
    words
    mkdir -p one two/deep/down three
    for d in one two three; do pingo -C $d init >/dev/null; done
    pingo -C one submit words.json >/dev/null
    for i in 1 2; do pingo -C two submit words.json >/dev/null; done
    for i in 1 2 3; do pingo -C three submit words.json >/dev/null; done
    cd two/deep/down
    [ "$(pingo status --json | jq length)" -eq 2 ]
    export PINGO_DIR=$BATS_TEST_TMPDIR/work/three/.pingo
    [ "$(pingo status --json | jq length)" -eq 3 ]
    [ "$(pingo -C ../../../one status --json | jq length)" -eq 1 ]
    [ "$(pingo -C ../../../one/.pingo status --json | jq length)" -eq 1 ]
    [ "$(pingo status --json -C ../../../one | jq length)" -eq 1 ]
    go -C /nowhere status
    ends_with 4
}

@test "config: list, get, set, unset" {
    store
    go config
    ends_with 0
    prints "executor.slots = 2"
    prints "pool.failedDays"
    go config --json
    json 'any(.[]; .key == "executor.slots" and .value == "2") and
        all(.[]; has("default") and (.meaning | length > 5))'
    go config executor.slots 3
    ends_with 0
    [ -z "$output" ]
    go config executor.slots
    [ "$output" = 3 ]
    go config executor.slots --json
    json '.key == "executor.slots" and .value == "3"'
    default=$(pingo config --json | jq -r '.[] | select(.key == "executor.slots").default')
    go config --unset executor.slots
    ends_with 0
    go config executor.slots
    [ "$output" = "$default" ]
}

@test "config: an unknown key and a bad value" {
    store
    go config executor.slot
    ends_with 5
    says executor.slots
    go config executor.slots many
    ends_with 2
    [ -z "$output" ]
    [ "$(pingo config executor.slots)" = 2 ]
}

@test "fsck: a clean store, as text and as JSON" {
    words
    store
    pingo run -q words.json
    go fsck
    ends_with 0
    [ "$output" = clean ]
    go fsck --deep --json
    ends_with 0
    json '.clean == true and .findings == []'
}

@test "fsck: a dataset that vanished, --repair, and the next run computes it again" {
    words
    store
    pingo run -q words.json
    path=$(pingo path last count)
    chmod u+w "$(dirname "$path")"
    rm -f "$path"
    go fsck
    ends_with 1
    prints "I4"
    says "fsck --repair"
    go fsck --json
    ends_with 1
    json '.clean == false and (.findings | length) > 0 and
        all(.findings[]; has("invariant") and has("object") and has("message") and has("repaired"))'
    go fsck --repair
    ends_with 0
    go fsck
    ends_with 0
    pingo run -q words.json
    [ "$(cat "$(pingo path last count)")" -eq 9 ]
}

@test "fsck --deep: bytes that changed" {
    words
    store
    pingo run -q words.json
    path=$(pingo path last count)
    chmod u+w "$path"
    printf '7\n' >"$path"
    go fsck
    go fsck --deep
    ends_with 1
    prints "$(pingo datasets --json | jq -r --arg p "$path" '.[] | select(.path == $p).hash' | cut -c1-12)"
}

@test "config: what an executor that pingo does not have is told is kept, and shown as such" {
    store
    go config executor.mine.url http://x
    ends_with 0
    says 'does not have executor "mine"'
    go config executor.mine.url
    prints http://x
    go config --json
    json '.[] | select(.key == "executor.mine.url") | .value == "http://x" and .default == null and
        (.meaning | contains("not checked"))'
    json '[.[].key] | . == sort'
    go config --unset executor.mine.url
    ends_with 0
    go config executor.mine.url
    ends_with 5
    go config executor.external.slots 4
    ends_with 5
    says '"external" has none of its own'
}

@test "config: a text of an executor is checked when it is set, whichever is the default" {
    store
    for wrong in "slurm.via x" "slurm.url ftp://x" "slurm.runner bin/pingo-runner" "slurm.token eyJhbGciOiJ.eyJleHAi.x" \
        "hadoop.fs file:///x" "hadoop.rm http://a/b" "hadoop.user a,b" "hadoop.amClasspath a;b"; do
        go config "executor.${wrong% *}" "${wrong#* }"
        ends_with 2
        says "executor.${wrong% *}"
    done
    go config --json
    json 'all(.[] | select(.key | test("slurm|hadoop")); .value == .default)'
    pingo config executor.slurm.via commands
    pingo config executor.slurm.url unix:/run/slurmrestd
    pingo config executor.slurm.url ""
    pingo config executor.hadoop.rm rm1:8088,https://rm2:8090
    pingo config executor.hadoop.fs hdfs://cluster
}

@test "status: the machine that ran an attempt is told" {
    words
    store
    pingo run -q words.json >"$BATS_TEST_TMPDIR/run" 2>&1
    go status 1 --json
    json "[.actions[] | select(.state == \"FINISHED\") | .node] | unique == [\"$(hostname)\"]"
}

@test "init: on NFS, which has no lock for a directory either, it says where to put the store" {
    cat >nfs.c <<'END'
#include <errno.h>
#include <string.h>
#include <sys/vfs.h>
int statfs(const char *path, struct statfs *told)
{
    (void)path;
    memset(told, 0, sizeof *told);
    told->f_type = 0x6969;
    return 0;
}
int flock(int fd, int operation)
{
    (void)fd, (void)operation;
    errno = EBADF;
    return -1;
}
END
    "${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -o nfs.so nfs.c
    LD_PRELOAD=$PWD/nfs.so go init
    ends_with 4
    says 'lies on NFS'
    [ -z "$(ls -A .pingo)" ]
}

@test "init: a disk that keeps no modes, or has no links, is refused" {
    cat >usb.c <<'END'
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
int fstatat(int dir, const char *name, struct stat *st, int flags)
{
    int rc = (int)syscall(SYS_newfstatat, dir, name, st, flags);
    if (rc == 0 && getenv("NO_MODES") && S_ISREG(st->st_mode))
        st->st_mode |= 0777;
    return rc;
}
int symlinkat(const char *target, int dir, const char *name)
{
    (void)target, (void)dir, (void)name;
    errno = EPERM;
    return -1;
}
END
    "${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -o usb.so usb.c
    NO_MODES=1 LD_PRELOAD=$PWD/usb.so go init
    ends_with 4
    says '/.pingo: its file system has no modes for each file'
    [ ! -e .pingo ]
    LD_PRELOAD=$PWD/usb.so go init --pool pool
    ends_with 4
    says '/pool: its file system has no symbolic links'
    [ ! -e .pingo ] && [ ! -e pool ]
    mkdir pool .pingo
    LD_PRELOAD=$PWD/usb.so go init --pool pool
    ends_with 4
    [ -d pool ] && [ -z "$(ls -A pool)" ]
    go init --pool pool
    ends_with 0
}

@test "init: the pool is not the directory of the store itself" {
    ln -s .pingo other
    for pool in .pingo "$PWD/.pingo" other; do
        go init --pool "$pool"
        ends_with 2
        says "is the directory of the store itself"
        [ -z "$(ls -A .pingo)" ]
    done
    go init --pool pool
    ends_with 0
}

@test "init: a file in the place of the store is left as it is" {
    echo mine >.pingo
    chmod 644 .pingo
    go init
    [ "$status" -ne 0 ]
    says "/.pingo: making the directory: Not a directory"
    [ "$(stat -c %a .pingo) $(cat .pingo)" = "644 mine" ]
}

@test "a working directory that is gone stands for no other" {
    store
    one 'echo > output'
    here=$PWD
    mkdir gone
    cd gone
    rmdir ../gone
    for command in init status "destroy --yes"; do
        # shellcheck disable=SC2086
        go $command
        [ "$status" -ne 0 ]
        says "the working directory has no path: No such file or directory"
    done
    go -C "$here" run - <"$here/one.json"
    ends_with 9
    says "the working directory has no path: No such file or directory"
    go -C "$here" exec -o out -- touch out
    ends_with 9
    go -C "$here" run "$here/one.json"
    ends_with 0
    go -C "$here" export last out
    ends_with 9
    says "the working directory has no path"
    go -C "$here" hash "$here/one.json"
    ends_with 0
    [ ! -e /.pingo ]
}
