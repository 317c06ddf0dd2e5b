# shellcheck shell=sh
# steps.sh - what all demos begin with; they read it.  They set: name (what its directory is called, too), and $@ as it
# was given.  From here on they have: top, the tree; pingo, the program; dir, where they work and are in; texts.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
pingo=${1:-${PINGO:-$top/build/pingo}}
# shellcheck disable=SC2154 # name is theirs
dir=${2:-$(dirname "$pingo")/$name}
texts=/usr/share/common-licenses

fail() {
    printf '\n%s: %s\n' "$name" "$*" >&2
    exit 1
}

say() {
    printf '\n'
    printf '%s ' "$@" | fold -s -w 76 | sed 's/^/# /; s/ *$//'
    printf '\n'
}

# Shows a command line as one would type it, and runs it.
show() {
    printf '\n$ %s\n' "$1"
    sh -ec "$1"
}

expect() { # WHAT IS WANTED
    [ "$2" = "$3" ] || fail "$1: $2, but it should be $3"
}

[ -x "$pingo" ] || fail "$pingo is not there: make first"
command -v jq > /dev/null || fail "jq is not installed: apt-get install jq"
[ -d "$texts" ] || fail "$texts is not there (it belongs to Debian's base-files)"
if [ -e "$dir" ]; then
    [ -e "$dir/.pingo" ] || [ -z "$(ls -A "$dir")" ] || fail "$dir is there and is no demo's"
    chmod -R u+w "$dir"
    rm -rf "$dir"
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
exec 2>&1
PATH=$(cd "$(dirname "$pingo")" && pwd):$PATH
export PATH
unset PINGO_DIR
for file in "$here"/*.jq "$here"/*.awk; do
    [ ! -e "$file" ] || cp "$file" "$dir"
done
cd "$dir"
