#!/usr/bin/perl
# demo.t - the demo's workflow on a Slurm of its own: its claims hold, and nothing is left running.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../docs";
use Pages qw(slurp root pingo run_sh scratch);
use Slurm;
use Test::More;

Slurm::is_needed();
my $dir = scratch();
my ($status, $said) = run_sh($dir, root() . '/examples/demo/slurm.sh ' . pingo() . " $dir/demo");
is($status, 0, 'every claim of it holds') or diag($said);
like($said, qr/^down in [\d.]+ s$/m, 'its Slurm is stopped');
like(eval { slurp("$dir/demo/results/typical words.txt") } // '', qr/^LGPL\s+library \d+%/m, 'the result is that of the demo');
is_deeply([ grep { index(eval { slurp("$_/cmdline") } // '', "$dir/") >= 0 } glob('/proc/[0-9]*') ], [], 'nothing is left running');
done_testing();
