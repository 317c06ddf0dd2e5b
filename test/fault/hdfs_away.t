#!/usr/bin/perl
# hdfs_away.t - a store whose pool lies in HDFS, while HDFS is away, or is somebody else's: what needs it waits, and what
# does not works at once.  The HDFS is the one of the unit tests, which counts what it is asked.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action eventually seed slurp spew);
use HTTP::Tiny;
use IPC::Open2;
use JSON::PP;
use Test::More;

seed();
my $server = open2(my $says, my $hears, "$FindBin::Bin/../unit/hdfs/server.py");
my ($port) = <$says> =~ /^(\d+)/;
my $http = HTTP::Tiny->new(timeout => 100);
END { if ($server) { my $status = $?; kill KILL => $server; waitpid $server, 0; $? = $status } }

sub tell_server {
    my ($way) = @_;
    my $r = $http->put("http://127.0.0.1:$port/$way");
    die "$way: $r->{status}: $r->{content}" if !$r->{success};
    return $r->{content};
}
# All requests from now on are answered so, or not at all.
sub from_now { my ($word) = @_; tell_server('clear'); tell_server("fault/0/$word/-/1000000") if $word }
sub marker {
    my ($text) = @_;
    my $file = "http://127.0.0.1:$port/webhdfs/v1/pool/pingo-pool";
    $http->request(DELETE => "$file?op=DELETE");
    my $r = $http->put("http://127.0.0.1:$port/data0/webhdfs/v1/pool/pingo-pool?op=CREATE&permission=644", { content => $text });
    die "marker: $r->{status} $r->{content}" if $r->{status} != 201;
}

sub rows {
    my ($path, $after) = @_;
    my $r = $http->get("http://127.0.0.1:$port/webhdfs/v1$path?op=LISTSTATUS_BATCH&startAfter=$after");
    return @{ JSON::PP::decode_json($r->{content})->{DirectoryListing}{partialListing}{FileStatuses}{FileStatus} };
}

# All that lies there.
sub listing {
    my @found;
    my @left = ('/pool');
    while (defined(my $path = shift @left)) {
        my $after = '';
        while (my @rows = rows($path, $after)) {
            push @found, map { "$path/$_->{pathSuffix} $_->{fileId} $_->{permission}" } @rows;
            push @left, map { "$path/$_->{pathSuffix}" } grep { $_->{type} eq 'DIRECTORY' } @rows;
            $after = $rows[-1]{pathSuffix};
        }
    }
    return [ sort @found ];
}

sub objects { return scalar grep { m{/objects/../} } @{ listing() } }

my $pool = "webhdfs://me\@127.0.0.1:$port/pool";
my $s    = Fault->new(pool => $pool);
my $id   = $http->get("http://127.0.0.1:$port/data0/webhdfs/v1/pool/pingo-pool?op=OPEN&offset=0&length=99")->{content};
my $file = $s->write('w', action(1, 'echo one >output'), action(2, 'cat in/p1 in/p1 >output', [1]),
    action(3, 'echo bad >&2; exit 3', undef, retries => 0));
is($s->pingo('run', '-q', $file)->{status}, 1, 'a workflow ran, and one of its actions failed');
is_deeply($s->states('last'), { a1 => 'FINISHED', a2 => 'FINISHED', a3 => 'FAILED' }, 'and the others did not');

# ---- who asks nothing of the pool does not ask it ------------------------------------------------------------

my @looks = (['status'], [ 'status', 'last' ], [ 'status', 'last', '--json' ], [ 'why', 'last', 'a2' ], [ 'provenance', 'last', 'a2' ],
    ['datasets'], ['report'], ['history']);
tell_server('clear');
my @said = map { $s->well(@$_) } @looks;
is(tell_server('count/-'), 0, 'status, why, provenance, datasets, report ask HDFS for nothing');

from_now('slam');
is_deeply([ map { $s->well(@$_) } @looks[ 1 .. 5 ] ], [ @said[ 1 .. 5 ] ], 'and say the same while it is away');

# ---- work goes on when it is back ----------------------------------------------------------------------------

$s->write('w', action(1, 'echo one >output'), action(4, $s->note_run(4) . '; cat in/p1 >output; echo new >>output', [1]));
my $pid = $s->start('run', $file);
ok(eventually(sub { $s->so_far($pid) =~ /cannot be used now/ }), 'a scheduler begins while HDFS is away, and says so')
    or diag($s->so_far($pid));
ok($s->is_running($pid), 'and waits');
is_deeply([ $s->in_state('last', 'FAILED') ], [], 'and nothing fails');
from_now('');
my $r = $s->finish($pid);
is($r->{status}, 0, 'when it is back all is done') or diag($r->{err});
is(() = $r->{err} =~ /cannot be used now/g, 1, 'that was told once');

# ---- a deletion meanwhile ------------------------------------------------------------------------------------

$s->well('run', '-q', $s->write('many', map { action($_, "echo many $_ >output") } 11 .. 20));
my $there = objects();
$s->well('rm', 'last', 'a*');
from_now('slam');
$r = $s->pingo('tick');
is(() = $r->{err} =~ /cannot be used now/g, 1, 'that deletions wait is told once for all of them') or diag($r->{err});
unlike($r->{err}, qr/cannot be deleted/, 'and not for each');
from_now('');
ok(eventually(sub { $s->well('tick'); objects() == $there - 10 }), 'then they go');

# ---- it says nothing, and somebody wants to stop --------------------------------------------------------------

$pid = $s->start('run', $s->write('silent', action(31, $s->note_run('s') . '; ' . $s->gate('s') . '; echo s >output')));
ok(eventually(sub { $s->runs->{s} }), 'an action runs');
from_now('hang');
for my $said (qr/interrupted: nothing more starts/, qr/interrupted again/) {
    kill INT => $pid;
    ok(eventually(sub { $s->so_far($pid) =~ $said }), "INT: $said") or diag($s->so_far($pid));
}
ok(eventually(sub { !$s->is_running($pid) }), 'who stops ends') or kill KILL => $pid;
like($s->so_far($pid), qr/and nobody waits longer/, 'and does not wait for an answer that takes a minute');
$s->finish($pid);
from_now('');
$s->open_gate('s');
$s->well('run', '-q', 'last');
is($s->states('last')->{a31}, 'FINISHED', 'and the next one ends it');

# ---- it is another store's -----------------------------------------------------------------------------------

marker("somebody-else\n");
$s->write('w', action(5, $s->note_run(5) . '; echo five >output'), action(4, 'cat in/p5 in/p5 >output', [5]));
my $before = listing();
$pid = $s->start('run', $file);
ok(eventually(sub { $s->so_far($pid) =~ /is not this store's pool/ }), "a pool that is another store's by now is seen with its first answer");
$s->kill9($pid);
is_deeply(listing(), $before, 'and not changed');
$r = $s->pingo('status');
isnt($r->{status}, 0, 'then the store does not open');
like($r->{err}, qr/its pingo-pool says "somebody-else"/, 'and says why');
marker($id);
$s->well('run', '-q', $file);
is($s->states('last')->{a4}, 'FINISHED', 'until it is its own again');
$s->clean('at the end');
done_testing();
