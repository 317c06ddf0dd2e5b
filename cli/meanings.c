/* meanings.c - finding a command by its name, and what people call a command or an option elsewhere. */
#include <string.h>

#include "args.h"

/* What every program has, whatever its table. */
extern const struct cli_command cli_help, cli_version, cli_complete;

const struct cli_command *cli_command_find(const char *name)
{
    static const struct cli_command *const all[] = {&cli_help, &cli_version, &cli_complete};
    for (const struct cli_command *const *c = cli_commands(); *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}

/* What people call a command elsewhere, "a|b"; those that there are, are told. */
static const struct {
    const char *words, *commands[3];
} meanings[] = {
    {"clean|cleanup|gc|free", {"release", "rm"}},
    {"prune", {"release", "rm", "forget"}},
    {"purge", {"rm", "forget", "destroy"}},
    {"evict", {"release", "decide"}},
    {"delete|remove", {"rm", "release"}},
    {"unpin|unkeep", {"release"}},
    {"pin", {"keep"}},
    {"stop|interrupt", {"pause", "kill"}},
    {"cancel|abort", {"kill", "pause"}},
    {"suspend", {"pause"}},
    {"continue|restart", {"resume", "run", "rerun"}},
    {"unpause", {"resume"}},
    {"nice|urgent|reprioritize", {"priority"}},
    {"build|make", {"run"}},
    {"retry|redo|again|resubmit|repeat", {"rerun", "run"}},
    {"start", {"run", "submit"}},
    {"execute", {"run", "exec"}},
    {"dry-run", {"plan"}},
    {"diff", {"plan", "why"}},
    {"explain", {"why", "plan"}},
    {"reason", {"why"}},
    {"lint", {"validate"}},
    {"check", {"validate", "fsck"}},
    {"verify", {"fsck", "validate"}},
    {"repair", {"fsck"}},
    {"list|ls", {"status", "datasets"}},
    {"ps|jobs|workflows", {"status"}},
    {"show", {"status", "provenance", "log"}},
    {"watch", {"wait", "status"}},
    {"logs", {"log"}},
    {"strace|trace", {"audit"}},
    {"output", {"path", "log", "export"}},
    {"outputs", {"datasets", "export"}},
    {"cat", {"path", "log"}},
    {"get", {"export", "path"}},
    {"copy", {"export"}},
    {"results", {"export", "datasets"}},
    {"lineage|graph|dag|tree", {"provenance"}},
    {"settings|set", {"config"}},
    {"du", {"datasets", "report"}},
    {"stats", {"report"}},
    {"import-output", {"adopt"}},
    {"create|new", {"init"}},
};

static const char *nearest(const char *word)
{
    const char *names[64];
    size_t n = 0;
    for (const struct cli_command *const *c = cli_commands(); *c && n < 64; c++)
        names[n++] = (*c)->name;
    return pingo__text_nearest(word, names, n);
}

const char *cli_command_hint(char hint[CLI_HINT_SIZE], const char *word)
{
    const char *said[3];
    size_t n = 0;
    for (size_t i = 0; n == 0 && i < sizeof meanings / sizeof meanings[0]; i++)
        for (size_t k = 0; pingo__text_is_among(meanings[i].words, word) && k < 3; k++)
            if (meanings[i].commands[k] && cli_command_find(meanings[i].commands[k]))
                said[n++] = meanings[i].commands[k];
    if (n == 0 && (said[0] = nearest(word)))
        n = 1;
    hint[0] = '\0';
    for (size_t i = 0, at = 0; i < n && at < CLI_HINT_SIZE; i++) {
        const char *before = i == 0 ? "; did you mean " : i + 1 < n ? ", " : " or ";
        at += (size_t)snprintf(hint + at, CLI_HINT_SIZE - at, "%s\"%s\"%s", before, said[i],
                               i + 1 == n ? "?" : "");
    }
    return hint;
}

#define SUBMITS "run|submit|plan"

/* Options of make, of other workflow systems, of the usual tools, and of older versions: what does it here.  The first
 * that fits counts. */
static const struct {
    const char *words, *commands; /* "a|b"; commands NULL: all */
    const char *instead;
} options[] = {
    {"a", "simulate", "--algorithm LIST"},
    {"f", "simulate", "--family LIST"},
    {"j|jobs", "simulate", "--threads N"},
    {"f", "generate", "--family NAME"},
    {"s", "generate", "--seed N"},
    {"w", "generate", "--workflows DIR"},
    {"dry-run|dryrun|n|just-print|preview|simulate", "run|submit|exec",
     "pingo plan FILE, which shows what would run and changes nothing"},
    {"dry-run|dryrun|n", "plan", "without it: pingo plan changes nothing"},
    {"dry-run|dryrun|n", "tick|rm|release", "pingo decide --dry-run, which shows what would go"},
    {"keep-going|k|keep-incomplete", "run|tick|exec",
     "without it: what does not depend on a failure goes on (--fail-fast ends it)"},
    {"stop-on-error|S|exitfirst|x", "run", "--fail-fast"},
    {"cores|c|parallel|P|max-jobs|slots|processes|threads", "run|tick", "--jobs N"},
    {"jobs|j|cores|slots", NULL,
     "pingo run --jobs N, or for all runs: pingo config executor.slots N"},
    {"always-make|B|forceall|F|force-all|rerun|all-force",
     SUBMITS, "--force ACTION, for each; or another \"salt\" in the workflow, to disown all earlier results"},
    {"forcerun|R|invalidate", SUBMITS, "--force ACTION"},
    {"until|U|only|targets|to", SUBMITS, "--target ACTION"},
    {"resume|continue|rerun-incomplete|ri|restart", "run|submit",
     "pingo run, or pingo run WORKFLOW: both go on where it was left"},
    {"retries|retry|T|restart-times", SUBMITS, "the key \"retries\" of an action"},
    {"timeout|time-limit", SUBMITS, "the key \"timeLimitSeconds\" in \"resources\" of an action"},
    {"memory|mem|cpus", SUBMITS, "the keys \"memoryMB\" and \"cpus\" in \"resources\" of an action"},
    {"no-sandbox|sandbox", NULL, "\"sandbox\": false in an action, or pingo config sandbox off"},
    {"background|bg|b|daemon|nohup|detached", "run", "--detach"},
    {"detach|d", "submit|exec", "pingo run --detach FILE"},
    {"wait|w", "submit", "pingo run FILE"},
    {"touch|t", "run|submit|exec", "pingo adopt, which takes an output that is there"},
    {"unlock", NULL, "without it: no lock outlives its process"},
    {"config|set|profile", SUBMITS, "pingo config KEY VALUE"},
    {"file|f|s|snakefile|makefile", "run|submit|plan|validate|hash",
     "the file as it is: pingo COMMAND FILE"},
    {"reason|reasons|explain|debug|trace", "run|submit",
     "pingo plan --why FILE, or pingo why WORKFLOW behind it"},
    {"why|explain|reason", "status", "pingo why WORKFLOW"},
    {"verbose|v|printshellcmds|p|debug",
     NULL, "pingo log WORKFLOW ACTION shows what an action printed, pingo plan --why FILE what runs and why"},
    {"dag|graph|dot|rulegraph", SUBMITS "|status", "pingo provenance WORKFLOW ACTION --dot"},
    {"report|summary", "run|status", "pingo report"},
    {"lint", "run|submit|plan", "pingo validate --strict FILE"},
    {"cleanup|delete-temp-output|prune", "run",
     "\"keep\": false in an action, or pingo release and pingo rm"},
    {"follow|f", "log", "--follow"},
    {"lines|n|tail", "log", "pingo log WORKFLOW ACTION | tail -n N"},
    {"watch|w|follow|f", "status", "pingo wait WORKFLOW"},
    {"all|a", "status", "--limit 0"},
    {"force|f", "destroy", "--yes"},
    {"force|f|yes|y|recursive|r|rf", "rm|release|kill|forget", "without it: nothing is asked"},
    {"signal|s|9|KILL", "kill", "without it: what does not end is killed"},
    {"output|o|directory|d", "export", "the directory as it is: pingo export WORKFLOW DIR"},
    {"symlink|symbolic|s", "export", "--link"},
    {"output|o|format", NULL, "--json, where a command reports something"},
    {"silent|s", NULL, "--quiet"},
    {"color|colour|no-color|nocolor", NULL, "NO_COLOR=1 in the environment"},
    {"version|V", NULL, "pingo version"},
    {"directory|dir|store|workdir|d", NULL, "-C DIR"},
};

const char *cli_option_hint(const char *command, const char *word)
{
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (pingo__text_is_among(options[i].words, word) &&
            (!options[i].commands || (command && pingo__text_is_among(options[i].commands, command))))
            return options[i].instead;
    return NULL;
}
