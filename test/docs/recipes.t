#!/usr/bin/perl
# recipes.t - every recipe of pingo-workflow(5) is a valid workflow, without a
# warning, and those that need nothing special run, and run nothing twice.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Pages qw(displays spew root pingo run_sh scratch);

-x pingo() or BAIL_OUT(pingo() . ' is not there: make first');

my @recipes = displays(root() . '/man/pingo-workflow.5', 'recipe');
cmp_ok(scalar @recipes, '>=', 10, 'the page has recipes');

my $dir = scratch();
my %text = (
    'a.txt' => "One word or two,\nand then a few more words;\nthe end of it.\n",
    'b.txt' => "zebra\napple\nmelon\n",
    'c.txt' => "pear\nbanana\n",
    'tool.sif' => "stands for an image\n",
    'length.awk' => "{ print length(\$1) }\n",
    'rank.awk' => "{ print NF, \$0 }\n",
);
$text{'run.json'} = <<'JSON';
{"name": "longest", "schemaVersion": "1.5", "workflow": {
  "specification": {
    "tasks": [
      {"name": "split", "id": "split_1", "parents": [], "children": ["sort_1", "sort_2"], "inputFiles": ["a.txt"], "outputFiles": ["xaa", "xab"]},
      {"name": "sort", "id": "sort_1", "parents": ["split_1"], "children": ["merge_1"], "inputFiles": ["xaa"], "outputFiles": ["s1"]},
      {"name": "sort", "id": "sort_2", "parents": ["split_1"], "children": ["merge_1"], "inputFiles": ["xab"], "outputFiles": ["s2"]},
      {"name": "merge", "id": "merge_1", "parents": ["sort_1", "sort_2"], "children": [], "inputFiles": ["s1", "s2", "b.txt"], "outputFiles": ["all"]}],
    "files": [{"id": "a.txt", "sizeInBytes": 60}]},
  "execution": {"makespanInSeconds": 1, "executedAt": "2026-11-01T00:00:00Z", "tasks": [
    {"id": "split_1", "runtimeInSeconds": 0.1, "command": {"program": "split", "arguments": ["-l", "2", "a.txt"]}},
    {"id": "sort_1", "runtimeInSeconds": 0.1, "command": {"program": "sort", "arguments": ["-o", "s1", "xaa"]}},
    {"id": "sort_2", "runtimeInSeconds": 0.1, "command": {"program": "sort", "arguments": ["-o", "s2", "xab"]}},
    {"id": "merge_1", "runtimeInSeconds": 0.1, "command": {"program": "sort", "arguments": ["-m", "-o", "all", "s1", "s2", "b.txt"]}}]}}}
JSON
spew("$dir/$_", $text{$_}) for keys %text;
is((run_sh($dir, 'pingo init'))[0], 0, 'a store is made');

sub check_validate {
    my ($file) = @_;
    my ($status, $said) = run_sh($dir, "pingo validate --strict $file");
    is($status, 0, "$file is valid, without a warning") or diag($said);
}

# What is forced or unmanaged runs each time; all else is reused.
sub check_run {
    my ($file) = @_;
    my ($status, $said) = run_sh($dir, "pingo run $file");
    is($status, 0, "$file runs") or diag($said);
    my $always = $file =~ /^(?:keep|unmanaged)\.json$/;
    ($status, $said) = run_sh($dir, "pingo plan --check $file");
    is($status, $always ? 1 : 0, "$file: " . ($always ? 'something' : 'nothing') . ' would run again')
        or diag($said);
    ($status, $said) = run_sh($dir, 'pingo status last --json');
    like($said, qr/"state":\s*"FINISHED"/, "$file: the workflow is FINISHED");
}

for my $recipe (@recipes) {
    my ($words, $body) = @$recipe;
    my ($name, @rest) = split ' ', $words;
    my ($file, $run) = ($name, scalar grep { $_ eq 'run' } @rest);
    spew("$dir/$name", $body);
    if ($name =~ /\.sh$/) {
        $file = $words =~ /makes (\S+)/ ? $1 : die "$name: makes what?\n";
        my $needs = $body =~ /^(jq|python3)\b/ ? $1 : 'sh';
        my ($missing) = run_sh($dir, "command -v $needs");
      SKIP: {
            skip "$needs is not installed", 1 if $missing;
            my ($status, $said) = run_sh($dir, "sh -e ./$name");
            is($status, 0, "$name writes $file") or diag($said);
        }
        next if $missing;
    }
    check_validate($file);
    check_run($file) if $run;
}

is(Pages::slurp("$dir/a.txt"), $text{'a.txt'}, 'no input was changed');
like(Pages::slurp("$dir/report.txt"), qr/in\/text/, 'the unmanaged output is where it was wanted');
done_testing();
