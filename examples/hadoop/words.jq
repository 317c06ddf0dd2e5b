# words.jq - writes the workflow of hadoop-demo: which words are the most frequent ones in some texts?
#
# Use: jq -n -f words.jq --arg reducer COMMAND --args FILE...
# A command on a node of the cluster makes the texts one, in lower case; a MapReduce job counts its words; another command
# sorts the counts.
{
  name: "words",
  actions: [
    {id: 1, name: "text", type: "command-line", inputs: [$ARGS.positional[] | {name: sub(".*/"; ""), path: .}],
     command: "cat in/* | tr A-Z a-z", stdout: true},
    {id: 2, name: "counts", type: "map-reduce-1", parentActions: [{id: 1, as: "text"}], streaming: true,
     mapper: "tr -cs a-z '\\n' | grep .", reducer: $reducer},
    {id: 3, name: "most frequent words", type: "command-line", parentActions: [{id: 2, as: "counts"}],
     command: "sort -k 2,2nr -k 1,1 in/counts/part-* | sed -n 1,10p", stdout: true}
  ]
}
