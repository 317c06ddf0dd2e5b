#compdef pingo
# zsh completion for pingo; made by `pingo completion zsh`.
_pingo()
{
    local line tab=$'\t' files='' directories=''
    local -a candidates
    while IFS= read -r line; do
        case $line in
            :file) files=yes ;;
            :directory) directories=yes ;;
            *) line=${line//:/\\:}; candidates+=("${line/$tab/:}") ;;
        esac
    done < <("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
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
