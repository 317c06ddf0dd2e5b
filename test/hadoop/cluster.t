#!/usr/bin/perl
# cluster.t - the Hadoop that the other tests run on: what its script starts serves, what it kills is dead and nothing
# else, what it ends leaves nothing.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fcntl qw(:flock);
use Hadoop;
use Test::More;

Hadoop::is_needed();

my $c = Hadoop->new;
is(scalar(() = $c->verb('status') =~ /^\w+: process \d+/mg), 5, 'NameNode, DataNode, ResourceManager, two NodeManagers');
my (undef, $nodes) = $c->rm(GET => 'nodes');
is_deeply([ map { $_->{state} } @{ $nodes->{nodes}{node} } ], [ ('RUNNING') x 2 ], 'two nodes wait for containers');

# Files.
my $bytes = join '', map { chr($_ * 7 % 251) } 1 .. 5_000_000;
is($c->put("$c->{home}/f", $bytes), 201, 'a file of more than one block is written');
ok(($c->get("$c->{home}/f") // '') eq $bytes, 'and comes back byte for byte');
is($c->put("$c->{home}/f", 'x', overwrite => 'false'), 403, 'what is there is not written over');

# An application.
my $well = $c->shell("echo \$CONTAINER_ID >$c->{dir}/\$YARN_SHELL_ID; id -un >>$c->{dir}/1");
is($c->ended($well)->{finalStatus}, 'SUCCEEDED', 'an application runs');
like(Fault::slurp("$c->{dir}/1"), qr/^container_\d+_0001_01_000002\n\Q@{[ scalar getpwuid $> ]}\E$/, 'its script runs in a container, as who started it all');
my $long = $c->shell("echo \$\$ >$c->{dir}/pid; exec sleep 1000");
my $pid  = Hadoop::until_true('a script runs', sub { Fault::slurp("$c->{dir}/pid") =~ /^(\d+)\n/ && $1 });

# Each alone.
my %pid = $c->verb('status') =~ /^(\w+): process (\d+)/mg;
$c->verb('kill', sort keys %pid);
is_deeply([ grep { -e "/proc/$_" } values %pid ], [], 'all daemons are killed');
ok(-e "/proc/$pid", 'what their nodes run goes on');
is(($c->rm(GET => 'info'))[0], 599, 'none answers');
$c->verb('revive', 'namenode', 'datanode', 'resourcemanager');
ok(($c->get("$c->{home}/f") // '') eq $bytes, 'started again HDFS has its files');
is($c->app($well)->{finalStatus}, 'SUCCEEDED', 'and the ResourceManager knows what has ended');
like($c->app($long)->{state} // '', qr/^(?:ACCEPTED|RUNNING)$/, 'and what has not');
like(($c->try('revive', 'namenode'))[1], qr/namenode runs/, 'what runs is not started');
like(($c->try('kill', 'nm9'))[1], qr/nm9: there are namenode, datanode/, 'what there is not cannot be killed');
is(($c->rm(PUT => "apps/$long/state", { state => 'KILLED' }))[0] =~ /^20[02]$/, 1, 'it is told to kill');
$c->verb('lose', 'nm1', 'nm2') if eval { $c->verb('revive', 'nm1', 'nm2'); 1 };
Hadoop::until_true('lost nodes run nothing', sub { !-e "/proc/$pid" });
pass('lost nodes run nothing');

# Safe mode.
$c->verb('safemode', 'enter');
is($c->put("$c->{home}/g", 'x'), 403, 'in safe mode nothing is written');
$c->verb('safemode', 'leave');
is($c->put("$c->{home}/g", 'x'), 201, 'and afterwards it is');

# One more beside it, of HDFS alone, that goes when nobody uses it.
my $other = Hadoop->new('--hdfs', '--idle', 4, '--held'); # from before it is there
my $use   = $other->{use};
isnt($other->{env}{NN_HTTP}, $c->{env}{NN_HTTP}, 'another one beside it');
is($other->stat_of("$c->{home}/f"), undef, 'has files of its own');
ok(-e "/proc/$_", 'it is there while it is used') for $other->verb('status') =~ /^namenode: process (\d+)/m;
close $use;
Hadoop::until_true('unused', sub { ($other->try('status'))[0] });
is_deeply([ $other->processes ], [], 'unused it is gone');

my @left = $c->processes;
cmp_ok(scalar @left, '>=', 3, 'there are processes to end');
like($c->verb('stop'), qr/^down in [\d.]+ s$/, 'it is stopped');
is_deeply([ grep { -e "/proc/$_" && Fault::slurp("/proc/$_/stat") !~ /\) Z / } @left ], [], 'nothing is left of it');
is_deeply([ $c->processes ], [], 'nothing at all');
done_testing();
