#!/usr/bin/perl
# hdfs.t - pools and files in a real HDFS: what the unit tests of both ask of any pool; and what holds where clients and
# daemons are killed.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Hadoop;
use File::Temp ();
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep);

Hadoop::is_needed();
my $unit = ($ENV{BUILD} || "$FindBin::Bin/../../build") . '/test/unit';
-x "$unit/hdfs/test_hdfs" && -x "$unit/pool/test_pool" or BAIL_OUT('run make unit-programs first');
my $scratch = File::Temp::tempdir('pingo-hdfs-XXXXXX', TMPDIR => 1, CLEANUP => 1);
chdir "$FindBin::Bin/../.." or die "$!\n"; # where unit tests find their files

sub url { my ($c, $path, $user) = @_; return 'webhdfs://' . ($user // $c->{user}) . "\@$c->{env}{NN_HTTP}$c->{home}/$path" }

# A unit test, case by case.
sub unit {
    my ($what, $least, @words) = @_;
    my (undef, $said) = Hadoop::said('env', 'CMOCKA_MESSAGE_OUTPUT=TAP', @words);
    my @cases = $said =~ /^((?:not )?ok \d+.*)/mg;
    cmp_ok(scalar @cases, '>=', $least, "$what: its cases are run") or diag($said);
    is_deeply([ grep { /^not ok|# skip/i } @cases ], [], "$what: each is well") or diag($said);
}

my $own = Hadoop->new('--hdfs');

# As a superuser, whom nothing is refused, and as an ordinary user.
my %home = map { $_ => "/user/$_-$$" } qw(other full);
for my $name (qw(other full)) {
    $own->dfs(PUT => $home{$name}, 'MKDIRS');
    $own->dfs(PUT => $home{$name}, 'SETOWNER', owner => 'other');
}
unit('files', 1, 'PINGO_TEST_HDFS=' . url($own, 'files'), "$unit/hdfs/test_hdfs");
{ local $own->{home} = $home{other}; unit('the pool', 15, 'PINGO_TEST_POOL_webhdfs=' . url($own, 'pool', 'other'), "$unit/pool/test_pool") }

# ---- what is killed ---------------------------------------------------------------------------------------------

# One call of the room by a process of its own: its id, and where it says what came of it.
sub begin {
    my ($user, @words) = @_;
    open(my $pipe, '-|', 'env', 'PINGO_TEST_HDFS=' . url($own, 'd', $user), 'PINGO_TEST_PATIENCE_MS=' . ($ENV{PATIENCE_MS} // 150_000), 'timeout', '250',
        "$unit/hdfs/test_hdfs", @words) or die "$!\n";
    return $pipe;
}
sub came { my ($pipe) = @_; my $said = <$pipe> // 'nothing'; close $pipe; chomp $said; return $said }
sub there { return join ' ', $own->names_in("$own->{home}/" . shift) }

my $size = 96 << 20;
open my $f, '>', "$scratch/large" or die;
print {$f} pack('N', $_) x 262144 for 1 .. $size >> 20;
close $f;
sub whole { my $s = $own->stat_of("$own->{home}/d/$_[0]"); return $s && $s->{length} == $size }

# Of a client that is killed in the middle nothing has the name.
open $f, '>', "$scratch/larger" or die;
truncate $f, 20 * $size or die; # and nothing on the disk
close $f;
my $put = open(my $pipe, '-|', "env", 'PINGO_TEST_HDFS=' . url($own, 'd'), "$unit/hdfs/test_hdfs", 'put', "$scratch/larger", 'cut') // die;
# It goes on only while nobody looks.
Hadoop::until_true('it is being sent', sub { kill STOP => $put; return 1 if there('d') =~ /cut/; kill CONT => $put; return 0 });
kill 9, $put;
close $pipe;
isnt(there('d'), 'cut', 'a client is killed while it sends: nothing has the name');
is(came(begin(undef, 'put', "$scratch/large", 'cut')), '0 well', 'sent again');
ok(whole('cut'), 'it is there, whole');
is(came(begin(undef, 'get', 'cut', "$scratch/back")), '0 well', 'fetched');
is(system('cmp', '-s', "$scratch/large", "$scratch/back"), 0, 'byte for byte');

# A DataNode that is killed while bytes go through it.
$pipe = begin(undef, 'put', "$scratch/large", 'killed');
Hadoop::until_true('it is being sent', sub { there('d') =~ /killed/ });
$own->verb('kill', 'datanode');
$own->verb('revive', 'datanode');
my $said = came($pipe);
like($said, qr/^(?:0 well|-23 )/, 'a DataNode is killed: it is sent again, or that is said') or diag($said);
is(whole('killed') ? 1 : 0, $said eq '0 well' ? 1 : 0, 'and it has its name only where it is whole');

# A NameNode that is killed, while names change.
$pipe = begin(undef, 'move', 'from', 'to');
Hadoop::until_true('names change', sub { there('d/to') =~ /\b20\b/ });
$own->verb('kill', 'namenode');
$own->verb('revive', 'namenode');
is(came($pipe), '0 well', 'a NameNode is killed while names change: all of them do');
is(scalar(() = there('d/to') =~ /\d+/g), 300, 'each is there once');
is(there('d/from'), '', 'and nothing where it was');

# Safe mode is waited for, and told.
$own->verb('safemode', 'enter');
{ local $ENV{PATIENCE_MS} = 1000; like(came(begin(undef, 'put', "$scratch/large", 'safe')), qr/^-20 .*safe mode/i, 'safe mode is told where it does not end') }
$pipe = begin(undef, 'move', 'safe', 'there');
$own->verb('safemode', 'leave');
is(came($pipe), '0 well', 'and waited for');

# Who may not.
like(came(begin('nobody', 'put', "$scratch/large", 'mine')), qr/^-8 .*Permission denied/, 'who may not write is told so');

# A quota.
$own->verb('run', 'org.apache.hadoop.hdfs.tools.DFSAdmin', '-setSpaceQuota', '20m', $home{full});
local $own->{home} = $home{full};
like(came(begin('other', 'put', "$scratch/large", 'much')), qr/^-14 /, 'a quota that is full is told as no space');
is(there('d'), '', 'and leaves nothing');

done_testing;
