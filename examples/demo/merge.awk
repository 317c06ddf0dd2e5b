# merge.awk - adds up lists of "COUNT WORD".
{ times[$2] += $1 }
END { for (word in times) print times[word], word }
