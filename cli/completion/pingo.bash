# bash completion for pingo; made by `pingo completion bash`.

# What the shell would make of a word, in $plain, and in $open the quote that it leaves open.
_pingo_plain()
{
    local rest=$1 c
    plain='' open=''
    while [[ -n $rest ]]; do
        c=${rest:0:1} rest=${rest:1}
        case $open$c in
            \'\' | \"\") open='' ;;
            \' | \") open=$c ;;
            \\ | \"\\) plain+=${rest:0:1} rest=${rest:1} ;;
            *) plain+=$c ;;
        esac
    done
}

# What a word is written as behind the quote that is open.
_pingo_quoted()
{
    local c
    quoted=$1
    case $open in
        \') quoted=${quoted//\'/"'\''"} ;;
        \") for c in '\' '"' '$' '`'; do quoted=${quoted//"$c"/"\\$c"}; done ;;
        *) printf -v quoted '%q' "$quoted" && quoted=${quoted//\\,/,} ;;
    esac
}

_pingo()
{
    local line piece plain quoted open program word='' before=''
    local -a words=()
    COMPREPLY=()
    _pingo_plain "$1"
    program=${plain/#'~/'/"$HOME/"}
    # readline parts words at = and :, and replaces the last part alone
    for piece in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        _pingo_plain "$piece"
        if [[ ${#words[@]} -gt 0 && ( $piece == [=:] || $word == [=:] ) ]]; then
            before=${words[-1]}
            words[-1]+=$plain
        else
            before=''
            words+=("$plain")
        fi
        word=$plain
    done
    if [[ $word == [=:] ]]; then before+=$word word=''; fi
    if [[ ${words[-1]} == --*=* ]]; then before=${before#--*=}; fi
    while IFS= read -r line; do
        case $line in
            :file)
                compopt -o filenames 2>/dev/null
                mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
                ;;
            :directory)
                compopt -o filenames 2>/dev/null
                mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$word")
                ;;
            *)
                line=${line%%$'\t'*}
                _pingo_quoted "${line#"$before"}"
                COMPREPLY+=("$quoted")
                ;;
        esac
    done < <("$program" complete -- "${words[@]}" 2>/dev/null)
}
complete -F _pingo pingo
