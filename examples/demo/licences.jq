# licences.jq - writes the demo's workflow: which words are typical of which licence?
#
# Use: jq -n -f licences.jq --arg trim GPL-3 --args /usr/share/common-licenses/*
# Each file is split into words, and they are counted; the counts of a family
# (GPL-1, GPL-2 and GPL-3 are one) are merged, and so are those of all families;
# each family is ranked against all; the ranks make one table.
# trim names a licence that is read only as far as its terms go, without the
# advice how to apply it ("" for none): the change that the demo makes.

def name: sub(".*/"; "");
def family: name | sub("-[0-9.]+$"; "");

def action($id; $name; $command): {id: $id, name: $name, type: "command-line", command: $command};
def parents(f): {parentActions: [f]};
def script($file): {inputs: [{name: $file, path: $file}], tools: ["awk"]};
def to_stdout: {stdout: true};

# One word a line, in lower case.
def words: "tr -cs A-Za-z '\\n' | tr A-Z a-z | grep .";
def terms: "sed '/END OF TERMS AND CONDITIONS/q'";

$ARGS.positional as $files
| ($files | map(family) | unique) as $families
# Ids: the files' two actions each, the families' merges, all, the families' ranks, the table.
| ($files | length) as $n
| ($families | length) as $m
| {split: 1, count: (1 + $n), merge: (1 + 2 * $n), all: (1 + 2 * $n + $m),
   rank: (2 + 2 * $n + $m), table: (2 + 2 * $n + 2 * $m)} as $id
| {
    name: "licences",
    actions: (
      [range($n) as $i | $files[$i] as $file
       | action($id.split + $i; "split \($file | name)";
           if ($file | name) == $trim then "\(terms) in/text | \(words)" else "< in/text \(words)" end)
         + {inputs: [{name: "text", path: $file}]} + to_stdout]
    + [range($n) as $i
       | action($id.count + $i; "count \($files[$i] | name)"; "sort in/words | uniq -c")
         + parents({id: ($id.split + $i), as: "words"}) + to_stdout]
    + [range($m) as $j | $families[$j] as $family
       | action($id.merge + $j; "merge \($family)"; "awk -f in/merge.awk in/*.counts | sort -k 2")
         + parents(range($n) as $i | select(($files[$i] | family) == $family)
                   | {id: ($id.count + $i), as: "\($files[$i] | name).counts"})
         + script("merge.awk") + to_stdout]
    + [action($id.all; "merge all"; "awk -f in/merge.awk in/*.counts | sort -k 2")
       + parents(range($m) as $j | {id: ($id.merge + $j), as: "\($families[$j]).counts"})
       + script("merge.awk") + to_stdout]
    + [range($m) as $j
       | action($id.rank + $j; "rank \($families[$j])";
           "awk -f in/rank.awk in/family in/all | sort -k 1,1nr -k 2,2 | sed -n 1,4p")
         + parents({id: ($id.merge + $j), as: "family"}, {id: $id.all, as: "all"})
         + script("rank.awk") + to_stdout]
    + [action($id.table; "typical words"; "awk -f in/table.awk in/*.rank > table.txt")
       + parents(range($m) as $j | {id: ($id.rank + $j), as: "\($families[$j]).rank"})
       + script("table.awk") + {output: "table.txt"}])
  }
