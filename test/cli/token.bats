#!/usr/bin/env bats
# Tokens: made, told once, listed without their text, revoked.
load helper

@test "token: made, listed, revoked" {
    store
    go token create --role submitter --user ada laptop
    ends_with 0
    token=$output
    [[ $token =~ ^pingo_[0-9A-Za-z]{43}$ ]]
    says "ada may run any command as this Unix user"
    go token create desk
    says "may look at everything"
    go token create --role admin laptop
    ends_with 5
    says 'there is a token "laptop" (of ada)'
    [ "$(pingo token list --json | jq -r 'map("\(.name) \(.user) \(.role)") | join(", ")')" = \
        "laptop ada submitter, desk $(id -un) viewer" ]
    [ "$(pingo token list --json | jq '.[0] | [.expiresAt, .createdAt] | map(sub("[.][0-9]*Z"; "Z") | fromdate) | .[0] - .[1]')" -eq $((90 * 86400)) ]
    [ "$(pingo token list --json | jq -c 'map(.usedAt)')" = "[null,null]" ]
    go token list
    [[ $output == NAME*laptop*desk* ]]
    # Nowhere in the store is the token itself.
    run ! grep -rqF "${token#pingo_}" .pingo
    go token revoke laptop
    ends_with 0
    go token revoke laptop
    ends_with 5
    go token list --json
    [ "$(jq length <<<"$output")" = 1 ]
    [ "$(pingo token list --all --json | jq -r '.[0].revokedAt != null')" = true ]
    go token create --expires 0d laptop --json
    ends_with 0
    [ "$(pingo token list --json | jq -r '.[1].expiresAt')" = null ]
    # What is told to take it back does, whatever it is called.
    for name in "it's mine" -x; do
        go token create -- "$name"
        ends_with 0
        eval "$(sed -n 's/.*take it back: //p' <<<"$stderr")"
    done
    [ "$(pingo token list --json | jq 'map(.name) | index("it\u0027s mine", "-x")')" = $'null\nnull' ]
}

@test "token: what is wrong is said" {
    store
    go token
    ends_with 2
    go token make x
    ends_with 2
    says 'none of create, list, revoke and url'
    go token create
    ends_with 2
    go token list x
    ends_with 2
    go token create --role root x
    ends_with 2
    go token revoke --role viewer x
    ends_with 2
    go token create --all x
    ends_with 2
    go token create "$(printf 'a\nb')"
    ends_with 2
    for name in a/b / . ..; do # by a server it could not be revoked
        go token create "$name"
        ends_with 2
        says 'has no "/"'
    done
    [ "$(pingo token list --all --json)" = "[]" ]
}

@test "token url, serve --open: a browser comes in once, by an address that nobody else can read" {
    store
    go token url
    ends_with 4
    says 'is pingo serve running there?'
    go token url x
    ends_with 2
    go serve --no-tcp --open
    ends_with 2
    # A browser that leaves what it was given; the terminal is a real one.
    mkdir bin
    printf '#!/bin/sh\nprintf "%%s\\n" "$@" >"%s/opened"\n' "$PWD" >bin/xdg-open
    chmod +x bin/xdg-open
    DISPLAY=:99 PATH=$PWD/bin:$PATH script -qec 'echo $$ >pid; exec pingo serve --open --port 0 --no-run' /dev/null >said 2>&1 </dev/null 3>&- &
    # The terminal may show what was printed later than the browser comes.
    until_true eval '[ -s opened ] && grep -q "#t=" said || grep -q "there is no page to open" said'
    address=$(tr -d '\r' <said | grep -o '^http://127[^ ]*#t=[0-9a-f]*$') || {
        cat said
        grep -q 'there is no page to open' said # npm was missing
        kill "$(cat pid)"
        return 0
    }
    [ "$(cat opened)" = "$(realpath .pingo)/serve.html" ]
    [ "$(stat -c %a .pingo/serve.html)" = 600 ]
    grep -qF "$address" .pingo/serve.html
    for address in "$address" "$(pingo token url)" "$(pingo token url --json | jq -r .url)"; do
        code=${address#*#t=} base=${address%%#*}
        [[ $code =~ ^[0-9a-f]{64}$ ]]
        token=$(curl -sf -X POST -H "Authorization: Bearer $code" "${base}v1/page/token" | jq -r .token)
        [ "$(curl -s -o /dev/null -w '%{http_code}' -X POST -H "Authorization: Bearer $code" "${base}v1/page/token")" = 401 ]
        [ "$(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $token" "${base}v1/settings")" = 200 ]
    done
    kill "$(cat pid)"
    wait
    [ ! -e .pingo/serve.html ]
}
