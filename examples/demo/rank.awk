# rank.awk - how typical is each word of a family, compared with the other licences?
#
# Use: awk -f rank.awk FAMILY ALL, both lists of "COUNT WORD"; ALL includes FAMILY.
# Prints "SCORE WORD TIMES-IN-FAMILY TIMES-IN-ALL".  The score is the
# log-likelihood ratio (Dunning, 1993): high where a word is much more frequent
# here than elsewhere, and there is enough text to say so.

NR == FNR { here[$2] = $1; words_here += $1; next }
{ all[$2] = $1; words_all += $1 }

END {
    for (word in here) {
        if (length(word) < 3 || here[word] < 2) continue
        expected = all[word] * words_here / words_all
        if (here[word] <= expected) continue
        there = all[word] - here[word]
        score = here[word] * log(here[word] / expected)
        if (there > 0) score += there * log(there / (all[word] - expected))
        printf "%.3f %s %d %d\n", 2 * score, word, here[word], all[word]
    }
}
