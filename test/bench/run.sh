#!/bin/sh
# The benchmarks: sh test/bench/run.sh [PART]..., of null, one, plan, rate, shapes, history, decide,
# simulate, algorithms, agree, serve, shares, archive, slurm and hadoop; all of them without a name.
# They say what they measured and never fail for being slow.  `make bench` calls this with PINGO
# (the program) and BUILD (where libpingo.a lies).  BENCH_WORK: where graphs and stores are made.
# It should lie on a disk, for a file system in memory makes everything durable at no cost; and if
# that is ext4, on one with a journal: without, ext4 passes over every inode that was freed in the
# last minutes each time a file is made, and a benchmark measures what was deleted before it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
: "${BUILD:=$root/build}"
: "${PINGO:=$BUILD/pingo}"
: "${BENCH_WORK:=$BUILD/bench/work}"
BENCH_TOOLS=$BUILD/bench
export PINGO BENCH_WORK BENCH_TOOLS
unset PINGO_DIR MAKEFLAGS MFLAGS MAKELEVEL

mkdir -p "$BENCH_TOOLS" "$BENCH_WORK"
trap 'rm -rf "$BENCH_WORK"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

for tool in prepare plan submit_many bench_history bench_decide; do
    # shellcheck disable=SC2046 # words
    "${CC:-gcc}" -std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -I"$root/include" \
        -o "$BENCH_TOOLS/$tool" "$here/$tool.c" "$BUILD/libpingo.a" \
        $(pkg-config --libs sqlite3 libcjson nettle libuv) -pthread -ldl -lm
done

[ $# -gt 0 ] || set -- null one rate plan shapes history decide simulate algorithms agree serve shares archive slurm hadoop
echo "$(uname -sr), $(nproc) processors, $(df --output=fstype "$BENCH_WORK" | tail -n 1)," \
    "$(make --version | head -n 1), ninja $(ninja --version), load $(cut -d ' ' -f 1-3 /proc/loadavg)"
for part; do
    echo
    PYTHONDONTWRITEBYTECODE=1 python3 "$here/$part.py"
done
