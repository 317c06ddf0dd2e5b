# table.awk - a line for each family's ranks (in/FAMILY.rank): its most typical
# words, and how many of 100 uses of the word in all licences are in this family.
BEGIN { printf "%-9s %s", "licence", "its most typical words, and its share of all uses of each" }
FNR == 1 {
    family = FILENAME
    sub(".*/", "", family)
    sub("[.]rank$", "", family)
    printf "\n%-9s ", family
}
{ printf "%s%s %d%%", FNR == 1 ? "" : ", ", $2, 100 * $3 / $4 }
END { printf "\n" }
