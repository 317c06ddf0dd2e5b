#!/bin/sh
# Compiles libpingo with Pingo, in a copy of the source tree, and shows what is compiled when.
#
#   sh examples/build-libpingo/run.sh [MAKE_VARIABLE=VALUE ...]
#
# PINGO names the program (default: build/pingo of this tree).  Nothing outside a temporary
# directory is changed.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
: "${PINGO:=$root/build/pingo}"
unset PINGO_DIR MAKEFLAGS MFLAGS MAKELEVEL

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 130' INT
mkdir "$work/tree"
cp -R "$root/Makefile" "$root/include" "$root/lib" "$work/tree/"
cd "$work"
"$PINGO" init >/dev/null

# Writes the workflow and says what Pingo would do; then does it.
build() {
    python3 "$here/workflow.py" tree "$@" >workflow.json
    "$PINGO" plan --json workflow.json |
        jq -r '.summary | "   \(.compute) to compute, \(.reuse) to reuse, \(.skip) not needed"'
    "$PINGO" run -q workflow.json
}

echo "1. Each source with its headers is an action, and so is the archive. The first run:"
build "$@"

echo "2. The second run compiles nothing:"
build "$@"

header=lib/base/map.h
echo "3. $header is touched. make would compile; the content is what it was:"
touch "tree/$header"
build "$@"

echo "4. A line is added to $header. What includes it is compiled, and the archive is made:"
cp -p "tree/$header" map.h.before
echo "/* changed */" >>"tree/$header"
build "$@"
"$PINGO" status last --json | jq -r '.actions[] | select(.decision == "compute") | "   " + .name'

echo "5. The line is taken away again. That library is known:"
cp -p map.h.before "tree/$header"
build "$@"

echo "6. make builds the same tree with the same flags. The archives' members:"
(cd tree && CFLAGS="-ffile-prefix-map=$(pwd -P)=." make -s BUILD=build "$@" build/libpingo.a)
ours=$("$PINGO" path last libpingo.a)
ar t "$ours" >ours.txt
ar t tree/build/libpingo.a | cmp - ours.txt
sort -u ours.txt | while read -r member; do
    # One name may stand for several members; p prints them all.
    ar p "$ours" "$member" >ours.o
    ar p tree/build/libpingo.a "$member" | cmp - ours.o
done
echo "   the same $(wc -l <ours.txt | tr -d ' ') members in the same order, byte for byte"
