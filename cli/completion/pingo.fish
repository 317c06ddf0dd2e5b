# fish completion for pingo; made by `pingo completion fish`.
function __pingo_candidates
    set -l words (commandline -opc | string replace -r '^~/' "$HOME/")
    set -l word (commandline -ct)
    if string match -qr '^["\']' -- $word
        set word (string sub -s 2 -- $word)
    else
        set word (string unescape -- $word)
    end
    set -l before (string match -r -- '^--[^=]*=' $word)
    set -l path (string replace -r -- '^--[^=]*=' '' "$word")
    for line in ($words[1] complete -- $words[2..] "$word" 2>/dev/null)
        switch $line
            case :file
                printf '%s\n' "$before"(__fish_complete_path "$path")
            case :directory
                printf '%s\n' "$before"(__fish_complete_directories "$path" '')
            case '*'
                printf '%s\n' "$before$line"
        end
    end
end
complete -c pingo -f -a '(__pingo_candidates)'
