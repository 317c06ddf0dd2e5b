#!/usr/bin/env bats
# validate and hash, which need no store.
load helper

@test "validate: a valid workflow, from a file and from standard input" {
    words
    go validate words.json
    ends_with 0
    prints "3 actions"
    [ -z "$stderr" ]
    run --separate-stderr bash -c '"$1" validate - <words.json' - "$PINGO"
    ends_with 0
    prints "standard input is valid"
    go validate words.json --json
    ends_with 0
    json '.valid == true and .problems == []'
}

@test "validate: every violation with file, line, column and pointer, on standard error" {
    cat >bad.json <<'END'
{"name": "bad", "actions": [
  {"id": 1, "name": "a", "type": "command-line", "comand": "true"},
  {"id": 1, "name": "b", "type": "command-line", "command": "true", "parentActions": [{"id": 7}]}]}
END
    go validate bad.json
    ends_with 3
    [ -z "$output" ]
    says "bad.json:2:"
    says "bad.json:3:"
    says '"command"'
    says "(/actions/1"
    says "is not a valid workflow"
    go validate bad.json --json
    ends_with 3
    json '.valid == false and (.problems | length >= 3)'
    json 'all(.problems[]; (.severity | IN("error", "warning")) and (.line | type) == "number"
        and (.column | type) == "number" and (.pointer | type) == "string" and (.message | type) == "string")'
    json 'any(.problems[]; .line == 3 and .pointer == "/actions/1/id")'
}

@test "validate: warnings, and --strict" {
    one 'cat in/nothing > output'
    go validate one.json
    ends_with 0
    says "warning:"
    go validate one.json --json
    ends_with 0
    json '.valid == true and (.problems | length == 1) and .problems[0].severity == "warning"'
    go validate --strict one.json
    ends_with 3
    says "error:"
    go validate --strict --json one.json
    ends_with 3
    json '.valid == false'
}

@test "validate: an absolute path of a file that is there is warned of" {
    one "cat $PWD/text.txt > output"
    go validate one.json --json
    ends_with 0
    json '.problems[0].severity == "warning"'
    one "cat $PWD/not-there > output"
    go validate one.json --json
    json '.problems == []'
}

@test "validate: what is no JSON, empty, or not there" {
    printf '{"name": ' >broken.json
    : >empty.json
    head -c 100000 /dev/urandom >noise.json
    for f in broken.json empty.json noise.json; do
        go validate "$f"
        ends_with 3
        [ -z "$output" ]
        go validate --json "$f"
        ends_with 3
        json '.valid == false and (.problems | length) == 1'
    done
    go validate nowhere.json
    ends_with 5
    says "nowhere.json"
    ln -s loop loop
    for f in . loop; do
        go validate "$f"
        ends_with 5
        [ -z "$output" ]
    done
}

@test "hash: one line an action, JSON, and the same with and without a store" {
    words
    go hash words.json
    ends_with 0
    [ "${#lines[@]}" -eq 3 ]
    [[ ${lines[2]} =~ ^[0-9a-f]{64}\ \ 3\ \ count$ ]]
    without=$output
    go hash --json words.json
    json 'length == 3 and (.[0] | .id == 1 and .name == "split" and (.hash | test("^[0-9a-f]{64}$")))'
    store
    go hash words.json
    [ "$output" = "$without" ]
    run --separate-stderr bash -c '"$1" hash - <words.json' - "$PINGO"
    ends_with 0
    [ "$output" = "$without" ]
}

@test "hash: a store that cannot be used does not matter" {
    words
    without=$(pingo hash words.json)
    PINGO_DIR=/nowhere/at/all go hash words.json
    ends_with 0
    [ "$output" = "$without" ]
}

@test "hash: an input that is absent, an invalid workflow" {
    words
    rm text.txt
    go hash words.json
    ends_with 8
    [ -z "$output" ]
    says "text.txt"
    go hash --json words.json
    ends_with 8
    [ -z "$output" ]
    echo '{}' >bad.json
    go hash bad.json
    ends_with 3
    [ -z "$output" ]
}

@test "JSON is UTF-8 whatever a file is named" {
    cp text.txt $'caf\xe9 \xc3\xa9'
    go hash --json --input $'caf\xe9 \xc3\xa9'
    ends_with 0
    json '.path == "caf\ufffd \u00e9"'
    iconv -f UTF-8 -t UTF-8 <<<"$output" >/dev/null
}

@test "hash --input: files and trees, whatever their name" {
    cp text.txt other.txt
    go hash --input text.txt
    ends_with 0
    [[ $output =~ ^[0-9a-f]{64}$ ]]
    [ "$output" = "$(pingo hash --input other.txt)" ]
    mkdir -p tree/sub && cp text.txt tree/sub && cp -r tree again
    [ "$(pingo hash --input tree)" = "$(pingo hash -i again)" ]
    echo >>again/sub/text.txt
    [ "$(pingo hash --input tree)" != "$(pingo hash -i again)" ]
    go hash --json --input tree
    json '.path == "tree" and (.hash | length) == 64'
    go hash --input nowhere
    ends_with 8
    says nowhere
}
