#!/usr/bin/env bats
# exec: one cached command without a workflow file.
load helper

@test "exec prints what the command prints; the second time nothing runs" {
    store
    go exec -- date +%s.%N
    ends_with 0
    [ -z "$stderr" ]
    first=$output
    [[ $first =~ ^[0-9]+\.[0-9]+$ ]]
    go exec date +%s.%N
    ends_with 0
    [ "$output" = "$first" ]
    go exec --stdout -- date +%s.%N
    [ "$output" = "$first" ]
    go exec --salt again -- date +%s.%N
    [ "$output" != "$first" ]
    go exec --force -- date +%s.%N
    [ "$output" != "$first" ]
    [ "$(pingo status --json | jq '[.[] | .summary.compute] | add')" -eq 3 ]
}

@test "exec: an output that cannot be read to its end is no success" {
    store
    pingo exec -- seq 100000 >all
    path=$(pingo path last 1)
    run --separate-stderr strace -qq -o trace -P "$path" -e inject=read:error=EIO:when=3+ "$PINGO" exec -- seq 100000
    ends_with 9
    says "cannot read the output $path to its end: Input/output error"
}

@test "exec --input: read as in/BASENAME, names made fit and apart" {
    store
    go exec --input text.txt -- sort in/text.txt
    ends_with 0
    [ "$output" = "$(LC_ALL=C sort text.txt)" ]
    mkdir 'a b' dir
    echo one >'a b/odd name,.txt'
    echo two >dir/odd_name_.txt
    go exec -i 'a b/odd name,.txt' -i dir/odd_name_.txt -- cat in/odd_name_.txt in/odd_name_.txt-2
    ends_with 0
    [ "$output" = "one
two" ]
    go exec -i dir/ -- ls in/dir
    [ "$output" = "odd_name_.txt" ]
    echo more >>text.txt
    go exec --input text.txt -- sort in/text.txt
    [[ $output == *more* ]]
    go exec --input nowhere -- true
    ends_with 8
    says nowhere
}

@test "exec: thousands of inputs of one name are told apart" {
    store
    mkdir other
    echo 1 >x
    echo 2 >other/x-2
    local -a inputs=()
    for ((i = 0; i < 4000; i++)); do inputs+=(-i x); done
    go exec "${inputs[@]}" -i other/x-2 sh -c 'ls in | wc -l; cat in/x-4000 in/x-2-2'
    ends_with 0
    [ "$output" = $'4001\n1\n2' ]
}

@test "exec --output: a file or a directory into the working directory" {
    store
    go exec -i text.txt -o sorted.txt -- sort -o sorted.txt in/text.txt
    ends_with 0
    [ -z "$output" ]
    LC_ALL=C sort text.txt | cmp - sorted.txt
    rm sorted.txt
    go exec -i text.txt -o sorted.txt -- sort -o sorted.txt in/text.txt
    ends_with 0
    [ -f sorted.txt ]
    [ "$(pingo status last --json | jq -r '.actions[0].decision')" = reuse ]
    go exec -o tree.d -- mkdir -p tree.d/a
    ends_with 0
    [ -d tree.d/a ]
    go exec -o archive.tar.gz -- sh -c 'echo x > archive.tar.gz'
    ends_with 0
    [ "$(cat archive.tar.gz)" = x ]
    go exec -o .hidden -- touch .hidden
    ends_with 0
    [ -f .hidden ]
    go exec -o a/b -- true
    ends_with 3
    says '"output" must be the plain name'
}

@test "exec --output: what is equal is newer than its inputs, so that make asks once" {
    command -v make >/dev/null || skip "no make"
    store
    mkdir include
    echo 1 >include/h
    printf '%s\n' 'all: a b' 'a: text.txt' \
        '	$(PINGO) exec -q -i text.txt -o a -- cp in/text.txt a' 'b: include/h' \
        '	$(PINGO) exec -q -i include -o b -- touch b' >Makefile
    make -s PINGO="$PINGO"
    make -q
    sleep 0.05
    touch text.txt include/h
    run make -q
    ends_with 1
    make -s PINGO="$PINGO"
    make -q
    printf '%s\n' '#!/bin/sh' 'cat in/text.txt >c' >tool
    chmod +x tool
    printf '%s\n' 'all: c' 'c: text.txt tool' \
        '	$(PINGO) exec -q -i text.txt --tool $(CURDIR)/tool -o c $(CURDIR)/tool' >>Makefile
    make -s PINGO="$PINGO"
    sleep 0.05
    echo '# well' >>tool
    make -s PINGO="$PINGO"
    make -q
    # It is still known for what Pingo wrote.
    echo more >>text.txt
    make -s PINGO="$PINGO"
    cmp a text.txt
}

@test "exec --output: what is newer than all that lies in its inputs keeps its time, and is not read" {
    store
    mkdir -p include/deep
    echo 1 >include/deep/h
    sleep 0.05
    local make=(exec -q -i include -o o -- cp in/include/deep/h o)
    pingo "${make[@]}"
    local made
    made=$(stat -c %y o)
    sleep 0.05
    pingo "${make[@]}"
    [ "$(stat -c %y o)" = "$made" ]
    touch include/deep/h
    pingo "${make[@]}"
    [ "$(stat -c %y o)" != "$made" ]
}

@test "exec: the command's exit status, and what it said" {
    store
    go exec -- sh -c 'echo no >&2; exit 7'
    ends_with 7
    [ -z "$output" ]
    says "no"
    says "exit status 7"
    go exec -- sh -c 'kill -9 $$'
    ends_with 137
    says "signal 9"
    run -127 --separate-stderr pingo exec -- no-such-command-anywhere
    [ -z "$output" ]
    says no-such-command-anywhere
}

@test "exec --env; options of the command are its own" {
    store
    go exec --env GREETING=hello -e 'NAME=a=b c' -- sh -c 'echo "$GREETING $NAME"'
    ends_with 0
    [ "$output" = "hello a=b c" ]
    go exec echo -n --json --help
    ends_with 0
    [ "$output" = "--json --help" ]
    go exec --env 1x -- true
    ends_with 2
}

@test "exec --tool: another content is another result" {
    store
    mkdir bin
    printf '#!/bin/sh\necho first\n' >bin/mine
    chmod +x bin/mine
    go exec --tool "$PWD/bin/mine" -- "$PWD/bin/mine"
    ends_with 0
    [ "$output" = first ]
    printf '#!/bin/sh\necho second\n' >bin/mine
    go exec --tool "$PWD/bin/mine" -- "$PWD/bin/mine"
    [ "$output" = second ]
}

@test "exec: bytes go through unchanged, however many" {
    store
    go exec -- true
    ends_with 0
    [ -z "$output" ]
    head -c 3000000 /dev/urandom >noise
    "$PINGO" exec -i noise -- cat in/noise | cmp - noise
    "$PINGO" exec -i noise -- cat in/noise | cmp - noise
}

@test "exec: who closes the pipe ends it, whether it was computed or reused" {
    local i
    store
    for i in computed reused; do
        run --separate-stderr bash -c '"$1" exec -- head -c 1000000 /dev/zero | head -c 1 >/dev/null; exit "${PIPESTATUS[0]}"' \
            - "$PINGO"
        ends_with 141
        [ -z "$stderr" ]
    done
}
