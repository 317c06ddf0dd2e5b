#!/usr/bin/env bats
# Reasons before and after a run: what differs, where it lay, which files of a directory changed; and where
# the originals of a dataset lay.
load helper

# align.json: two samples and a reference directory, and what merges them.
align() {
    mkdir -p fastq ref/sub bin
    echo a >fastq/s1.fq
    echo b >fastq/s2.fq
    echo 1 >ref/a
    echo 2 >ref/sub/b
    printf '#!/bin/sh\ncat "$@"\n' >bin/mytool
    chmod +x bin/mytool
    jq -n --arg bin "$PWD/bin" '
        def sample(i): {id: i, name: "align_s\(i)", type: "command-line", command: "mytool in/R1.fq > output; ls in/ref >> output",
            tools: ["mytool"], env: {PATH: "\($bin):/usr/bin:/bin"}, sandbox: false,
            inputs: [{name: "R1.fq", path: "fastq/s\(i).fq"}, {name: "ref", path: "ref"}]};
        {name: "align", actions: [sample(1), sample(2),
            {id: 3, name: "merge", type: "command-line", command: "cat in/* > output", parentActions: [{id: 1}, {id: 2}]}]}' >align.json
}

@test "plan --why: before the run, which input changed and where it lies; nothing is submitted" {
    align
    store
    go plan --why align.json
    ends_with 0
    prints "3 actions would be computed: never computed"
    pingo run -q align.json
    echo more >>fastq/s1.fq
    go plan --why align.json
    ends_with 0
    prints "1 align_s1"
    prints "would be computed: never computed"
    prints "of workflow 1; what differs:"
    grep -Eq '^    input R1.fq \(fastq/s1.fq\): content [0-9a-f]{12} -> content [0-9a-f]{12}$' <<<"$output"
    prints "1 more action would be computed because a parent differs"
    [[ ${output#*would be computed} != *align_s2* ]]
    go plan --why align.json --json
    json '[.actions[] | select(.why != null) | .id] == [1, 3]'
    json '.actions[0].why | .nearest.workflow == 1 and .group == 1 and (.differences | length) == 1'
    json ".actions[0].why.differences[0] | .field == \"input R1.fq\" and .afterPath == \"$PWD/fastq/s1.fq\""
    json '.actions[2].why | .inherited == 1 and .group == null'
    [ "$(pingo status --json | jq length)" = 1 ]
    go plan align.json --json
    json 'all(.actions[]; .why == null)'
    # The same after the run.
    pingo run -q align.json
    go why last
    ends_with 0
    grep -Eq '^    input R1.fq \(fastq/s1.fq\): content [0-9a-f]{12} -> content [0-9a-f]{12}$' <<<"$output"
    [[ $output != *merge* ]]
    prints "1 more action was to be computed because a parent differs, and for nothing else"
    go why last --json
    json 'map(.id) == [1]'
}

@test "why: one change for many actions is one group" {
    align
    store
    pingo run -q align.json
    echo '# newer' >>bin/mytool
    go plan --why align.json
    prints "2 actions would be computed: never computed"
    prints "  1 align_s1, 2 align_s2"
    [ "$(grep -c 'tool mytool (bin/mytool): ' <<<"$output")" = 1 ]
    pingo run -q align.json
    go why last
    prints "2 actions were to be computed: never computed"
    [ "$(grep -c 'tool mytool (bin/mytool): ' <<<"$output")" = 1 ]
    go why last --json
    json 'map(.group) == [1, 1] and map(.id) == [1, 2]'
    go why last merge
    prints "parents that differ in turn: 1, 2"
}

@test "why: a parent that came or went is a reason of its own" {
    align
    store
    pingo run -q align.json
    jq '.actions |= .[:2] + [.[1] + {id: 4, name: "align_s3", env: (.[1].env + {N: "3"})}] + [.[2] + {parentActions: [{id: 1}, {id: 2}, {id: 4}]}]' align.json >more.json
    go plan --why more.json
    grep -q '^    parent 3: added$' <<<"$output"
    [[ $output != *"because a parent differs"* ]]
    pingo run -q more.json
    go why last
    prints "3 merge "
    grep -q '^    parent 3: added$' <<<"$output"
    jq '.actions |= map(if .id == 3 then .parentActions |= .[:1] else . end)' more.json | pingo run -q -
    go why last
    grep -q '^    parent 2: removed$' <<<"$output"
}

@test "why: of a directory, which files changed" {
    align
    store
    pingo run -q align.json
    echo 3 >>ref/a
    rm ref/sub/b
    mkdir ref/new
    echo 4 >ref/new/c
    ln -s a ref/l
    go plan --why align.json
    prints "changed: a"
    prints "added:   l"
    prints "added:   new"
    prints "removed: sub/b"
    [[ $output != *new/c* ]]
    pingo run -q align.json
    go why last align_s2 --json
    json '.[0].differences[0] | .field == "input ref" and .changedFiles == 4 and (.files | map(.path)) == ["a", "l", "new", "sub/b"]'
    json '.[0].differences[0].files[0] | (.before | test("^file [0-9a-f]{16}$")) and .before != .after'
    json '.[0].differences[0].files[3].after == null'
}

@test "why: of a directory with too many files it says that it does not know" {
    store
    mkdir many
    (cd many && seq -f '%.0fxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' 12000 | xargs touch)
    one 'ls in/many > output' '{"inputs": [{"name": "many", "path": "many"}]}'
    pingo run -q one.json
    touch many/more
    go plan --why one.json
    prints "input many: tree"
    prints "which of its files is not known"
}

@test "why: the nearest of many with one name is that of the same id" {
    store
    jq -n '{name: "many", actions: [range(1; 40) | {id: ., name: "same", type: "command-line", command: "echo \(.) > output",
        env: {A: "\(.)", B: "\(.)"}}]}' >many.json
    pingo run -q many.json
    jq '.actions[0].salt = "x"' many.json >salted.json
    go plan --why salted.json --json
    json '.actions[0].why.differences | map(.field) == ["salt"]'
}

@test "provenance: where originals and tools lay, how large, from when" {
    align
    store
    touch -d 2026-11-20T08:00:00Z fastq/s1.fq
    pingo run -q align.json
    go provenance last merge
    ends_with 0
    prints "fastq/s1.fq, 2 B, of 2026-11-20T08:00:00Z"
    prints "fastq/s2.fq, 2 B"
    prints "bin/mytool, 19 B"
    prints "ref = tree "
    go provenance last merge --json
    json ".actions[] | select(.name == \"align_s1\").inputs[0] | .path == \"$PWD/fastq/s1.fq\" and .sizeBytes == 2
        and .modified == \"2026-11-20T08:00:00.000Z\" and .seen != null"
    json ".actions[] | select(.name == \"align_s2\") | .tools[0].path == \"$PWD/bin/mytool\" and .inputs[1].path == \"$PWD/ref\""
    go provenance last merge --dot
    grep -Fq 'label="R1.fq\nfastq/s1.fq\n2 B"' <<<"$output"
    grep -Fq 'label="R1.fq\nfastq/s2.fq\n2 B"' <<<"$output"
    # Moved: the hash is the same, and it is told where it was seen last.
    hash=$(pingo hash align.json --json | jq -r '.[0].hash')
    mv fastq reads
    sed -i 's/fastq/reads/' align.json
    [ "$(pingo hash align.json --json | jq -r '.[0].hash')" = "$hash" ]
    pingo run -q align.json
    go provenance last merge
    prints "reads/s1.fq, 2 B"
}

@test "versions: what a command of versions said, in why and in provenance" {
    store
    mkdir bin
    printf '#!/bin/sh\necho mytool 1.0\necho more\n' >bin/mytool
    chmod +x bin/mytool
    one 'echo x > output' "$(jq -n --arg bin "$PWD/bin" '{versions: [["mytool", "--version"]], env: {PATH: "\($bin):/usr/bin:/bin"}}')"
    pingo run -q one.json
    go provenance last one
    prints "version   mytool --version = mytool 1.0 (output "
    prints "bin/mytool"
    go provenance last one --json
    json ".actions[0].versions[0] | .command == [\"mytool\", \"--version\"] and .text == \"mytool 1.0\" and .path == \"$PWD/bin/mytool\""
    sed -i 's/1\.0/1.1/' bin/mytool
    go plan --why one.json
    grep -Eq '^    version mytool --version \(bin/mytool\): mytool 1.0 \([0-9a-f]{12}\) -> mytool 1.1 \([0-9a-f]{12}\)$' <<<"$output"
}

@test "why: commands that differ only in digits of what did not change are one reason" {
    store
    # what, for two of the twelve: another number
    fan() { jq -n --arg o "$1" --arg two "$2" '{name: "w", actions: [range(12) | {id: ., name: "part \(.)", type: "command-line",
        command: "echo \(if . < 2 then $two else $o end) >output; : part-\(.)"}]}' >fan.json; }
    fan -O1 -O1
    pingo run -q fan.json
    fan -O2 -O12
    go plan --why fan.json
    ends_with 0
    [ "$(grep -c 'would be computed' <<<"$output")" = 2 ]
    [[ $output == *'2 actions would be computed: never computed'* ]]
    [[ $output == *'10 actions would be computed: never computed'* ]]
    [[ $output == *'of workflow 1; what differs, of the first and likewise of the others:'*'echo -O2 >output; : part-2'* ]]
    pingo run -q fan.json
    [ "$(pingo why last --json | jq -c '[.[].group] | unique')" = '[1,2]' ]
    # Other reasons: of what changed, each digit of a number; what stands behind it; what it is that has changed.
    apart() { # BEFORE BEFORE-OF-TWO AFTER AFTER-OF-TWO
        fan "$1" "$2" && pingo run -q fan.json && fan "$3" "$4" && go plan --why fan.json
        [ "$(grep -c 'would be computed: ' <<<"$output")" = 2 ] || { echo "$output"; return 1; }
    }
    apart 12 22 13 23
    apart 12 13 22 23
    apart 'a <1' 'a <1 x' 'b <1' 'b <1 x'
    fan() { jq -n --arg o "$1" --arg two "$2" '{name: "w", actions: [range(12) | {id: ., name: "part \(.)", type: "command-line",
        command: ": \(.) >output", env: (if . < 2 then {X: $two} else {Y: $o} end)}]}' >fan.json; }
    apart a a b b
}

@test "why: commands that differ only in names of files are one reason" {
    store
    build() { jq -n --arg o "$1" '{name: "w", actions: [("lib/arena.c", "lib/map.c", "text.c", "lib/io/file.c") | {id: length, name: ., type: "command-line",
        command: "cc \($o) -c -o out.o in/\(.) || echo \(.) > output"}]}' >build.json; }
    build -O0
    pingo run -q build.json
    build -O2
    go plan --why build.json
    ends_with 0
    [ "$(grep -c 'would be computed: ' <<<"$output")" = 1 ]
    prints '4 actions would be computed: never computed'
    prints 'now:    cc -O2 -c -o out.o in/lib/arena.c || echo lib/arena.c > output'
    # Not those of words that may be something else.
    sed -i 's/cc -O2 -c -o out.o in.text.c/sort -O2 -c -o out.o text.c/; s/-O2/-O3/g' build.json
    go plan --why build.json
    [ "$(grep -c 'would be computed: ' <<<"$output")" = 2 ]
    # What changed may stand twice, with a name between.
    genome() { jq -n --arg g "$1" '{name: "w", actions: [("s1", "ann", "x") | {id: length, name: ., type: "command-line",
        command: "echo \($g) in/\(.).fq \($g) > output"}]}' >genome.json; }
    genome hg19
    pingo run -q genome.json
    genome hg38.p1
    go plan --why genome.json
    [ "$(grep -c 'would be computed: ' <<<"$output")" = 1 ]
}
