#!/usr/bin/perl
# kerberos.t - a real Hadoop that believes tickets alone, of a realm of its own: a pool in its HDFS, commands and a job of
# MapReduce on its YARN; without a ticket, with one that has expired and with somebody else's nothing is done, nothing is
# lost, and what is missing is said.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fault", "$FindBin::Bin/../slurm";
use Fault qw(slurp);
use File::Temp ();
use Hadoop;
use Slurm ();
use Test::More;

Hadoop::is_needed('--kerberos');
my $c = Hadoop->new('--kerberos', '--nodes', 1);
my $ticket = File::Temp::tempdir(CLEANUP => 1) . '/ticket';
$ENV{KRB5_CONFIG} = $c->{env}{KRB5_CONFIG};
$ENV{KRB5CCNAME}  = "FILE:$ticket";
my $url = "webhdfs://$c->{env}{NN_HTTP}/user/pingo/pool"; # it names no user: the ticket tells

sub ticket { my (@words) = @_; $c->verb('ticket', $ticket, @words) }
sub said_so {
    my ($store, $pid, $wanted, $what) = @_;
    ok(Fault::eventually(sub { $store->so_far($pid) =~ $wanted }), $what) or diag($store->so_far($pid));
}

my $none = bless { dir => File::Temp::tempdir(CLEANUP => 1) }, 'Fault';
my $r = $none->pingo('init', '--pool', $url);
isnt($r->{status}, 0, 'without a ticket there is no pool');
like($r->{err}, qr/asks for Kerberos, and takes no ticket of ours: kinit/, 'and it says what is missing');
ok(!-e $none->path('.pingo'), 'nothing is left of it');

ticket($c->{user});
my $store = Fault->new(pool => $url);
$c->configure($store);
$store->well('config', '--no-check', 'executor', 'local');
my ($file, $expected) = Slurm::graph($store, 'here', 6);
Slurm::is_right($store, $store->pingo('run', $file), 'last', $expected, 'actions of this machine');
$store->nothing_left($file, 'again');
my $out = $store->path('out');
$store->well('export', 'last', 'all', $out);
is(slurp("$out/all"), $expected, 'exported to the byte');

# ---- tickets that are none ----
($file, $expected) = Slurm::graph($store, 'late', 3);
ticket($c->{user}, '-l', 1);
sleep 2;
my $pid = $store->start('run', $file);
said_so($store, $pid, qr/the pool cannot be used now: .*takes no ticket of ours: kinit/, 'a ticket that has expired: it waits, and says why');
ticket($c->{user});
Slurm::is_right($store, $store->finish($pid), 'last', $expected, 'with a new one it goes on');
($file, $expected) = Slurm::graph($store, 'theirs', 3);
ticket('other');
$pid = $store->start('run', $file);
said_so($store, $pid, qr/Permission denied: user=other/, 'somebody else\'s: it waits, and says why');
ticket($c->{user});
Slurm::is_right($store, $store->finish($pid), 'last', $expected, 'with one\'s own it goes on');

# ---- on YARN ----
$store->well('config', '--no-check', 'executor', 'hadoop');
$r = $store->pingo('config', '--check', 'hadoop');
is($r->{status}, 0, 'config --check: YARN takes the ticket, and its containers the token') or diag($r->{out}, $r->{err});
($file, $expected) = Slurm::graph($store, 'there', 3, nap => 0.5);
$pid = $store->start('run', $file);
my $begun = keys(%{ $store->runs }) + 1;
Hadoop::until_true('an action of YARN', sub { keys %{ $store->runs } >= $begun });
unlink $ticket;
like($store->pingo('config', '--check', 'hadoop')->{out}, qr/reach: .*asks for Kerberos, and takes no ticket of ours: kinit.*No credentials/, 'config --check without a ticket: it says what is missing');
ticket($c->{user});
Slurm::is_right($store, $store->finish($pid), 'last', $expected, 'containers go on by their token when the ticket goes');
# Maps alone: to hand over what maps have made a NodeManager needs Hadoop's native library, which Maven does not have.
$file = $store->write('count', { id => 1, name => 'words', type => 'command-line', command => 'mkdir output; echo a word and a word >output/1' },
    { id => 2, name => 'count', type => 'map-reduce-2', reduces => 0, retries => 0, parentActions => [ { id => 1, as => 'words' } ],
      mapper => 'org.apache.hadoop.mapreduce.lib.map.TokenCounterMapper',
      outputKey => 'org.apache.hadoop.io.Text', outputValue => 'org.apache.hadoop.io.IntWritable' });
$r = $store->finish($store->start('run', $file));
is($r->{status}, 0, 'a job of MapReduce') or diag($r->{err});
$store->well('export', 'last', 'count', $out);
is(join('', map { slurp($_) } glob "$out/count/part-*"), "a\t1\nword\t1\nand\t1\na\t1\nword\t1\n", 'right to the byte');
$store->clean('afterwards');
done_testing();
