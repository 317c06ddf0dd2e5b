#!/bin/sh
# examples/build-libpingo: the workflow that compiles libpingo itself, on a copy of the sources, here
# some rooms of it (ROOMS= for all: make soak).  make is the judge: it says what a changed header
# touches, and its archive is compared.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
: "${PINGO:=$root/build/pingo}"
: "${ROOMS=base json workflow}"
unset PINGO_DIR MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CPPFLAGS LDFLAGS
header=lib/base/map.h
fast="OPT=-O0 -g" # half the time; the same for both

work=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/tree"
cp -R "$root/Makefile" "$root/include" "$root/lib" "$root/examples" "$work/tree/"
cd "$work" || exit 1

tests=0
# ok STATUS NAME
ok() {
    tests=$((tests + 1))
    if [ "$1" -eq 0 ]; then echo "ok $tests - $2"; else echo "not ok $tests - $2"; fi
}

write() { python3 tree/examples/build-libpingo/workflow.py tree "$fast" "ROOMS=$ROOMS" >workflow.json; }

# The names of what a plan would compute, in order.
computes() { "$PINGO" plan --json workflow.json | jq -r '.actions[] | select(.decision == "compute").name'; }

by_make() { (cd tree && CFLAGS="-ffile-prefix-map=$(pwd -P)=." make --no-print-directory BUILD=build "$fast" "ROOMS=$ROOMS" "$@"); }

members_are_equal() {
    ours=$("$PINGO" path last libpingo.a) || return 1
    theirs=tree/build/libpingo.a
    ar t "$ours" >ours.txt && ar t "$theirs" >theirs.txt && cmp ours.txt theirs.txt || return 1
    [ "$(wc -l <ours.txt)" -gt 20 ] || return 1
    sort -u ours.txt | while read -r member; do
        # One name may stand for several members; p prints them all.
        ar p "$ours" "$member" >ours.o && ar p "$theirs" "$member" >theirs.o && cmp ours.o theirs.o ||
            exit 1
    done
}

"$PINGO" init >&2
write
ok $? "the workflow is written"
"$PINGO" validate --strict workflow.json >&2
ok $? "it is valid, without a warning"

compiled() { sed -n 's/.* -c -o [^ ]* \([^ ]*\.c\)$/\1/p'; }
by_make -n build/libpingo.a | compiled | sort >sources.txt
computes | sed '$d' | sort | cmp - sources.txt >&2
ok $? "every source of make is compiled at first"
computes | tail -n 1 | grep -qx libpingo.a
ok $? "and the archive is made"
"$PINGO" run -q workflow.json >&2
ok $? "the first run"
by_make -s -j2 build/libpingo.a >&2
members_are_equal >&2
ok $? "the archive's members are those of make, in its order, byte for byte"

write
"$PINGO" plan --check workflow.json >&2
ok $? "a second run would compile nothing"
"$PINGO" run -q workflow.json >&2 &&
    [ "$("$PINGO" status last --json | jq '[.actions[] | select(.attempts > 0)] | length')" = 0 ]
ok $? "and compiles nothing"

touch "tree/$header"
write
"$PINGO" plan --check workflow.json >&2
ok $? "nor does it after a header is touched"

cp -p "tree/$header" header.before
printf '/* changed */\n' >>"tree/$header"
write
# What make compiles now, and the archive.  (Not by -n, which takes every stamp for changed.)
{ by_make build/libpingo.a | compiled; echo libpingo.a; } >make.txt
computes | cmp - make.txt >&2
ok $? "a changed header compiles again what make does, and no more"
[ "$(wc -l <make.txt)" -gt 2 ] && [ "$(wc -l <make.txt)" -lt "$(wc -l <sources.txt)" ]
ok $? "which is something, and not everything"
"$PINGO" run -q workflow.json >&2 && members_are_equal >&2
ok $? "the members are make's again"

cp -p header.before "tree/$header"
write
"$PINGO" plan --check workflow.json >&2
ok $? "the former header needs nothing"

mkdir -p small/examples && cp -R tree/Makefile tree/include tree/lib small/ &&
    cp -R tree/examples/build-libpingo small/examples/
PINGO=$PINGO sh small/examples/build-libpingo/run.sh "ROOMS=base" "$fast" >tour.txt 2>&1
status=$?
[ $status -eq 0 ] || cat tour.txt >&2
ok $status "the tour in run.sh, over one room"
grep -q 'the same [1-9][0-9]* members in the same order, byte for byte' tour.txt
ok $? "it ends with equal members"
echo "1..$tests"
