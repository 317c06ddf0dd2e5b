#!/usr/bin/perl
# lost.t - actions in containers of a real Hadoop, whose ResourceManager and nodes are killed: what they make is right to
# the byte, and runs again only where it was lost.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../slurm";
use Hadoop;
use Slurm ();
use Test::More;

Hadoop::is_needed();
my $c     = Hadoop->new;
my $store = $c->store;

# The ResourceManager knows what runs when it is there again; and the scheduler was killed meanwhile.
my ($file, $expected) = Slurm::graph($store, 'led', 5, nap => 0.5);
my $pid = $store->start('run', $file);
Hadoop::until_true('one has run', sub { keys %{ $store->runs } }, 120);
$c->verb('kill', 'resourcemanager');
kill KILL => $pid;
$store->finish($pid);
$pid = $store->start('run', $file);
$c->verb('revive', 'resourcemanager');
Slurm::is_right($store, $store->finish($pid, 250), 'last', $expected, 'ResourceManager with recovery, and scheduler');

# The nodes are lost with what they run; then the ResourceManager forgets everything.
my $long = $store->write('long', { id => 1, name => 'long', type => 'command-line',
        command => $store->note_run('long') . '; ' . $store->gate('long') . '; echo long >output' });
$pid = $store->start('run', $long);
Hadoop::until_true('it runs', sub { $store->runs->{long} }, 120);
$c->verb('lose', 'nm1', 'nm2');
$c->verb('revive', 'nm1', 'nm2');
Hadoop::until_true('it runs again', sub { $store->runs->{long} == 2 }, 240);
$c->verb('kill', 'resourcemanager');
system 'rm', '-rf', "$c->{dir}/applications";
$c->verb('revive', 'resourcemanager');
$store->open_gate('long');
my $run = $store->finish($pid, 250);
is($run->{status}, 0, 'nodes lost, then a ResourceManager that forgot everything: it ends well') or diag($run->{err});
is(eval { $store->output('last', 'long') } // '', "long\n", 'right to the byte');
cmp_ok($store->runs->{long}, '<=', 3, 'it ran again for each loss at most');
$store->clean('afterwards');
done_testing();
