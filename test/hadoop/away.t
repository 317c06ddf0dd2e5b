#!/usr/bin/perl
# away.t - actions of this machine, whose pool is in a real HDFS, where daemons are killed, and refuse to write: what
# they make is right to the byte, and nothing ran twice for it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../slurm";
use Hadoop;
use Slurm ();
use Test::More;
use Time::HiRes qw(sleep);

Hadoop::is_needed();
my $c = Hadoop->new('--hdfs');

# Waits until so many actions have run.
sub until_ran {
    my ($store, $n) = @_;
    Hadoop::until_true("$n actions", sub { keys %{ $store->runs } >= $n }, 250);
}

my $store = Fault->new(pool => $c->pool);
my ($file, $expected) = Slurm::graph($store, 'away', 10, nap => 0.3);
my $pid = $store->start('run', $file);
until_ran($store, 2);
$c->verb('kill', 'namenode', 'datanode');
sleep 1;
$c->verb('revive', 'namenode', 'datanode');
until_ran($store, 5);
# It refuses, and then the scheduler is not there either.
$c->verb('safemode', 'enter');
kill KILL => $pid;
$store->finish($pid);
$pid = $store->start('run', $file);
sleep 1;
$c->verb('safemode', 'leave');
Slurm::is_right($store, $store->finish($pid, 250), 'last', $expected, 'NameNode and DataNode, safe mode and scheduler');
$store->clean('afterwards');
done_testing();
