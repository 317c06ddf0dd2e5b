/* completion.c - pingo completion: the scripts by which bash and zsh complete command lines.
 *
 * They hold no list of their own: they ask `pingo complete` (complete.c), which reads the tables
 * of the commands and, for workflows and actions, the store. */
#include <string.h>

#include "args.h"
#include "message.h"

static const char bash[] =
    "# bash completion for pingo; made by `pingo completion bash`.\n"
    "_pingo()\n"
    "{\n"
    "    local line quoted piece word='' before=''\n"
    "    local -a words=()\n"
    "    COMPREPLY=()\n"
    "    # readline parts words at = and :, and replaces the last part alone\n"
    "    for piece in \"${COMP_WORDS[@]:1:COMP_CWORD}\"; do\n"
    "        if [[ ${#words[@]} -gt 0 && ( $piece == [=:] || $word == [=:] ) ]]; then\n"
    "            before=${words[-1]}\n"
    "            words[-1]+=$piece\n"
    "        else\n"
    "            before=''\n"
    "            words+=(\"$piece\")\n"
    "        fi\n"
    "        word=$piece\n"
    "    done\n"
    "    if [[ $word == [=:] ]]; then before+=$word word=''; fi\n"
    "    if [[ ${words[-1]} == --*=* ]]; then before=${before#--*=}; fi\n"
    "    while IFS= read -r line; do\n"
    "        case $line in\n"
    "            :file)\n"
    "                compopt -o filenames 2>/dev/null\n"
    "                mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- \"$word\")\n"
    "                ;;\n"
    "            :directory)\n"
    "                compopt -o filenames 2>/dev/null\n"
    "                mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -d -- \"$word\")\n"
    "                ;;\n"
    "            *)\n"
    "                line=${line%%$'\\t'*}\n"
    "                printf -v quoted '%q' \"${line#\"$before\"}\"\n"
    "                COMPREPLY+=(\"${quoted//\\\\,/,}\")\n"
    "                ;;\n"
    "        esac\n"
    "    done < <(\"$1\" complete -- \"${words[@]}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _pingo pingo\n";

static const char zsh[] =
    "#compdef pingo\n"
    "# zsh completion for pingo; made by `pingo completion zsh`.\n"
    "_pingo()\n"
    "{\n"
    "    local line tab=$'\\t' files='' directories=''\n"
    "    local -a candidates\n"
    "    while IFS= read -r line; do\n"
    "        case $line in\n"
    "            :file) files=yes ;;\n"
    "            :directory) directories=yes ;;\n"
    "            *) line=${line//:/\\\\:}; candidates+=(\"${line/$tab/:}\") ;;\n"
    "        esac\n"
    "    done < <(\"${words[1]}\" complete -- \"${(@)words[2,CURRENT]}\" 2>/dev/null)\n"
    "    (( ${#candidates} )) && _describe pingo candidates\n"
    "    [[ -n $files ]] && _files\n"
    "    [[ -n $directories ]] && _files -/\n"
    "    return 0\n"
    "}\n"
    "if [[ ${funcstack[1]} == _pingo ]]; then\n"
    "    _pingo \"$@\"\n"
    "else\n"
    "    compdef _pingo pingo\n"
    "fi\n";

static int run(struct cli *cli, const struct cli_args *args)
{
    const char *shell = cli_operand(args, 0);
    (void)cli;
    if (strcmp(shell, "bash") != 0 && strcmp(shell, "zsh") != 0)
        return cli_usage(args, "there are scripts for bash and zsh");
    fputs(strcmp(shell, "bash") == 0 ? bash : zsh, stdout);
    return CLI_OK;
}

const struct cli_command cli_completion = {
    .name = "completion",
    .synopsis = "bash | zsh",
    .summary = "print a completion script",
    .description = "Prints the script by which bash or zsh completes command lines of pingo.",
    .example = "  . <(pingo completion bash)\n",
    .flags = CLI_HIDDEN,
    .min_operands = 1,
    .max_operands = 1,
    CLI_OPERANDS("shell"),
    .run = run,
};
