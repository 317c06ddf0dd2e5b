#!/usr/bin/env bats
# A bioinformatics pipeline of 16 actions with the real bwa, samtools and bcftools, and the traps
# that its users fall into.
load ../cli/helper

# As a user's store is: with the sandbox.
sandboxed() {
    store
    pingo config --unset sandbox
}

setup_file() {
    local sample
    command -v bwa samtools bcftools wgsim >/dev/null || skip "bwa, samtools or bcftools is not installed"
    mkdir -p "$BATS_FILE_TMPDIR/data/fastq"
    cd "$BATS_FILE_TMPDIR/data" || return 1
    /usr/bin/python3 - >ref.fa <<'END'
import random
r = random.Random(7)
print(">chr1")
s = "".join(r.choice("ACGT") for _ in range(20000))
for i in range(0, len(s), 60):
    print(s[i:i + 60])
END
    for sample in 1 2 3 4; do
        wgsim -N 1500 -S "$sample" -1 100 -2 100 ref.fa "fastq/s$sample.R1.fq" "fastq/s$sample.R2.fq" \
            >/dev/null 2>&1
        gzip -n "fastq/s$sample.R1.fq" "fastq/s$sample.R2.fq"
    done
}

# The pipeline as its user would write it: one jq program.  $1: further keys of the action "call".
pipeline() {
    cp -r "$BATS_FILE_TMPDIR/data/." .
    jq -n --argjson call "${1:-{\}}" '
        def version(p): {versions: [[p, "--version"]]};
        def action(i; name; more): {id: i, name: name, type: "command-line"} + more;
        [range(1; 5)] as $samples
        | {name: "variants", labels: {project: "demo"}, actions: (
            [action(1; "index"; {tools: ["bwa", "samtools"], inputs: [{name: "ref.fa", path: "ref.fa"}],
                command: "mkdir output; cp in/ref.fa output/; bwa index output/ref.fa; samtools faidx output/ref.fa"})]
            + [$samples[] | . as $s | action(10 + $s; "align s\($s)"; version("samtools") * {tools: ["bwa"], labels: {sample: "s\($s)"},
                parentActions: [{id: 1, as: "idx"}], output: "aligned.bam",
                inputs: [{name: "R1.fq.gz", path: "fastq/s\($s).R1.fq.gz"}, {name: "R2.fq.gz", path: "fastq/s\($s).R2.fq.gz"}],
                command: "bwa mem -R \"@RG\\tID:s\($s)\\tSM:s\($s)\" in/idx/ref.fa in/R1.fq.gz in/R2.fq.gz | samtools sort --no-PG -o aligned.bam -"})]
            + [$samples[] | . as $s | action(20 + $s; "markdup s\($s)"; version("samtools") * {labels: {sample: "s\($s)"},
                parentActions: [{id: (10 + $s), as: "bam"}], output: "marked.bam",
                command: "samtools collate --no-PG -O in/bam tmp | samtools fixmate --no-PG -m - - | samtools sort --no-PG - | samtools markdup --no-PG - marked.bam"})]
            + [$samples[] | . as $s | action(30 + $s; "flagstat s\($s)"; version("samtools") * {labels: {sample: "s\($s)"},
                parentActions: [{id: (20 + $s), as: "bam"}], output: "stats.txt",
                command: "samtools flagstat in/bam > stats.txt"})]
            + [action(40; "call"; version("bcftools") * {
                parentActions: ([{id: 1, as: "idx"}] + [$samples[] | {id: (20 + .), as: "s\(.).bam"}]), output: "calls.vcf.gz",
                command: "bcftools mpileup --no-version -f in/idx/ref.fa in/s*.bam | bcftools call --no-version -mv -Oz -o calls.vcf.gz"} + $call),
               action(41; "filter"; version("bcftools") * {parentActions: [{id: 40, as: "calls"}], output: "filtered.vcf.gz",
                command: "bcftools view --no-version -i \"QUAL>30\" -Oz -o filtered.vcf.gz in/calls"}),
               action(42; "report"; {parentActions: ([{id: 41, as: "vcf"}] + [$samples[] | {id: (30 + .), as: "s\(.).txt"}]), output: "report.txt",
                command: "{ echo variants $(zcat in/vcf | grep -vc \"^#\"); grep -h \"properly paired\" in/*.txt; } > report.txt"})])}' >w.json
}

@test "16 actions: right to the byte, each runs once, nothing the second time" {
    pipeline
    [ "$(jq '.actions | length' w.json)" -eq 16 ]
    sandboxed
    go run w.json
    ends_with 0
    says "ran 16, reused 0"
    go run w.json
    ends_with 0
    says "ran 0,"
    # By hand, without Pingo.
    mkdir hand
    cp ref.fa hand/
    bwa index hand/ref.fa 2>/dev/null
    samtools faidx hand/ref.fa
    for s in 1 2 3 4; do
        bwa mem -R "@RG\tID:s$s\tSM:s$s" hand/ref.fa fastq/s$s.R1.fq.gz fastq/s$s.R2.fq.gz 2>/dev/null |
            samtools collate --no-PG -O - hand/tmp$s | samtools fixmate --no-PG -m - - |
            samtools sort --no-PG - | samtools markdup --no-PG - hand/s$s.bam
    done
    bcftools mpileup --no-version -f hand/ref.fa hand/s?.bam 2>/dev/null | bcftools call --no-version -mv |
        bcftools view --no-version -i 'QUAL>30' - | grep -v '^#' >hand/calls
    [ -s hand/calls ]
    zcat "$(pingo path last filter)" | grep -v '^#' | cmp - hand/calls
    [ "$(head -n 1 "$(pingo path last report)")" = "variants $(wc -l <hand/calls)" ]
    go fsck --deep
    ends_with 0
}

@test "one sample changes: only what descends from it runs, and plan says why with the path" {
    pipeline
    sandboxed
    pingo run -q w.json
    cp fastq/s1.R1.fq.gz other.gz
    zcat other.gz | head -n 4000 | gzip -n >fastq/s1.R1.fq.gz
    zcat fastq/s1.R2.fq.gz | head -n 4000 | gzip -n >other.gz
    mv other.gz fastq/s1.R2.fq.gz
    go plan --why w.json
    ends_with 0
    prints "fastq/s1.R1.fq.gz"
    go run w.json
    ends_with 0
    says "ran 6, reused "
    go why last
    ends_with 0
    prints "fastq/s1.R1.fq.gz"
    go provenance last report
    ends_with 0
    prints "fastq/s4.R2.fq.gz"
    prints "samtools 1."
}

@test "found by sample; exported with both suffixes; the raw data stay" {
    pipeline
    sandboxed
    pingo run -q w.json
    go path last --label sample=s3
    ends_with 0
    [ "$(wc -l <<<"$output")" -eq 1 ] || [ "$(wc -l <<<"$output")" -eq 3 ]
    go export last filter results
    ends_with 0
    [ -f results/filter.vcf.gz ]
    zcat results/filter.vcf.gz >/dev/null
    # An action that is named like the user's own directory.
    one 'echo not your data > output' '{"name": "fastq"}'
    pingo run -q one.json
    go export last .
    [ "$status" -ne 0 ]
    says "fastq"
    [ "$(find fastq -name '*.gz' | wc -l)" -eq 8 ]
}

@test "a failing part of a pipe is a failure: no empty VCF is kept" {
    pipeline '{"command": "bcftools mpileup --no-version -f in/idx/nosuch.fa in/s*.bam | bcftools call --no-version -mv -Oz -o calls.vcf.gz || true; nosuchtool | cat > calls.vcf.gz"}'
    sandboxed
    go run w.json
    [ "$status" -ne 0 ]
    says "nosuchtool"
    go path last call
    [ "$status" -ne 0 ]
}

@test "a tool that writes beside its input is stopped, and the parent's output stays whole" {
    pipeline
    # Without samtools faidx, mpileup makes ref.fa.fai in the output of "index".
    jq '(.actions[] | select(.name == "index") | .command) |= sub("; samtools faidx output/ref.fa"; "")' w.json >trap.json
    sandboxed
    go run trap.json
    [ "$status" -ne 0 ]
    says "ref.fa"
    [[ "$stderr" != *vanished* ]]
    [ ! -e "$(pingo path last index)/ref.fa.fai" ]
    go fsck --deep
    ends_with 0
    # The right workflow goes on with what is right already.
    go run w.json
    ends_with 0
}

@test "a link to the scratch directory inside an index is refused, with its name" {
    pipeline
    jq '(.actions[] | select(.name == "index") | .command) = "mkdir output; ln -s $PWD/in/ref.fa output/ref.fa; bwa index output/ref.fa"' w.json >trap.json
    sandboxed
    go run trap.json
    [ "$status" -ne 0 ]
    says "ref.fa"
    says "link"
    go path last index
    [ "$status" -ne 0 ]
}
