#!/usr/bin/perl
# standby.t - a pool in a real HDFS with two NameNodes, of which one stands by: one is killed and the other takes over,
# and they change places, in the middle of workflows of this machine and of YARN; what they make is right to the byte, and
# nothing ran twice for it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fault", "$FindBin::Bin/../slurm";
use Hadoop;
use Slurm ();
use Test::More;

Hadoop::is_needed();
my $c = Hadoop->new('--standby', '--nodes', 1);
my ($first, $second) = split /,/, $c->{env}{NN_HTTP};
$c->{env}{NN_HTTP} = "$second,$first"; # who stands by is asked before who serves
my $store = $c->store(executor => 'local');

sub until_ran {
    my ($n) = @_;
    Hadoop::until_true("$n actions", sub { keys %{ $store->runs } >= $n });
}
sub states { return join ' ', map { local $c->{env}{NN_HTTP} = $_; ($c->dfs(GET => '/', 'GETFILESTATUS'))[0] } $first, $second }

is(states(), '200 403', 'one serves, and one stands by');
my ($file, $expected) = Slurm::graph($store, 'here', 8, nap => 0.3);
my $pid = $store->start('run', $file);
until_ran(3);
$c->verb('kill', 'namenode');
$c->verb('lead', 'namenode2');
until_ran(5);
$c->verb('revive', 'namenode');
is(states(), '403 200', 'who was killed comes back, and stands by');
Slurm::is_right($store, $store->finish($pid), 'last', $expected, 'a NameNode is killed, the other one takes over');
$store->clean('after it');

$store->well('config', '--no-check', 'executor', 'hadoop');
is($store->pingo('config', '--check', 'hadoop')->{status}, 0, 'YARN\'s containers find both');
my $ran = keys %{ $store->runs };
($file, $expected) = Slurm::graph($store, 'there', 5, nap => 0.5);
$pid = $store->start('run', $file);
until_ran($ran + 1);
$c->verb('lead', 'namenode');
until_ran($ran + 3);
$c->verb('lead', 'namenode2');
Slurm::is_right($store, $store->finish($pid), 'last', $expected, 'they change places while containers run');
$store->nothing_left($file, 'again');
$store->clean('afterwards');
done_testing();
