#!/usr/bin/perl
# demo.t - the demo runs, its claims hold, and its result is the same each time.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/../docs';
use Pages qw(slurp root pingo run_sh scratch);

-x pingo() or BAIL_OUT(pingo() . ' is not there: make first');
my ($missing) = run_sh('/', 'command -v jq');
plan(skip_all => 'jq is not installed') if $missing;

my $dir = scratch();
my ($demo, $pingo) = (root() . '/examples/demo/demo.sh', pingo());
my @table;
for my $where ("$dir/demo", "$dir/the demo") {
    my ($status, $said) = run_sh($dir, "$demo $pingo '$where'");
    is($status, 0, "in $where every claim of the demo holds") or diag($said);
    push @table, slurp("$where/results/typical words.txt");
    $said =~ s/\n# / /g;
    like($said, qr/pingo -C '\Q$where\E' serve/, 'and its last hint can be typed');
}
my @left = grep { index(eval { slurp("$_/cmdline") } // '', "$dir/") >= 0 } glob('/proc/[0-9]*');
is(scalar @left, 0, 'nothing is left running');
is($table[0], $table[1], 'the result is the same to the byte');
like($table[0], qr/^GPL\s+program \d+%/m, 'the word most typical of the GPL is "program"');
like($table[0], qr/^LGPL\s+library \d+%/m, 'the word most typical of the LGPL is "library"');

# A claim that is not true ends the demo: here pingo computes nothing at all.
my $sham = "$dir/sham/pingo";
mkdir "$dir/sham";
Pages::spew($sham, "#!/bin/sh\necho '{\"actions\": []}'\n");
chmod 0755, $sham;
my ($status, $said) = run_sh($dir, "$demo $sham $dir/other");
is($status, 1, 'the demo fails where its claims do not hold');
like($said, qr/actions computed in the first run: 0, but it should be \d+/, 'and says which');

# It empties only what it made.
mkdir "$dir/precious";
Pages::spew("$dir/precious/file", "mine\n");
($status, $said) = run_sh($dir, "$demo $pingo $dir/precious");
is($status, 1, 'a directory that is no demo\'s is refused');
is(slurp("$dir/precious/file"), "mine\n", 'and left alone');
done_testing();
