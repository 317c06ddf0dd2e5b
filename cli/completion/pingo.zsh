#compdef pingo
# zsh completion for pingo; made by `pingo completion zsh`.
_pingo()
{
    local line tab=$'\t' files='' directories=''
    local -a candidates
    local word="${(Q)PREFIX}"
    while IFS= read -r line; do
        case $line in
            :file) files=yes ;;
            :directory) directories=yes ;;
            *) line=${line//\\/\\\\}; line=${line//:/\\:}; candidates+=("${line/$tab/:}") ;;
        esac
    done < <("${${(Q)words[1]}/#\~\//$HOME/}" complete -- "${(@Q)words[2,CURRENT-1]}" "$word" 2>/dev/null)
    [[ $word == --*=* ]] && compset -P '*='
    (( ${#candidates} )) && _describe pingo candidates
    [[ -n $files ]] && _files
    [[ -n $directories ]] && _files -/
    return 0
}
if [[ ${funcstack[1]} == _pingo ]]; then
    _pingo "$@"
else
    compdef _pingo pingo
fi
