# bash completion for pingo; made by `pingo completion bash`.
_pingo()
{
    local line quoted piece word='' before=''
    local -a words=()
    COMPREPLY=()
    # readline parts words at = and :, and replaces the last part alone
    for piece in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if [[ ${#words[@]} -gt 0 && ( $piece == [=:] || $word == [=:] ) ]]; then
            before=${words[-1]}
            words[-1]+=$piece
        else
            before=''
            words+=("$piece")
        fi
        word=$piece
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
                printf -v quoted '%q' "${line#"$before"}"
                COMPREPLY+=("${quoted//\\,/,}")
                ;;
        esac
    done < <("$1" complete -- "${words[@]}" 2>/dev/null)
}
complete -F _pingo pingo
