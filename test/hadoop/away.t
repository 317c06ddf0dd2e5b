#!/usr/bin/perl
# away.t - actions of this machine, whose pool is in a real HDFS, where daemons are killed, and refuse to write: what
# they make is right to the byte, and nothing ran twice for it; one scheduler, and two.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fault", "$FindBin::Bin/../slurm";
use Hadoop;
use Fault qw(action);
use Slurm ();
use Test::More;
use Time::HiRes qw(sleep);

Hadoop::is_needed();
my $c = Hadoop->new('--hdfs');

# Waits until so many actions have run.
sub until_ran {
    my ($store, $n) = @_;
    Hadoop::until_true("$n actions", sub { keys %{ $store->runs } >= $n });
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
Slurm::is_right($store, $store->finish($pid), 'last', $expected, 'NameNode and DataNode, safe mode and scheduler');
$store->clean('afterwards');

# Two schedulers of one store, for submissions that share most of their actions, under a budget that the large ones are
# over: daemons and schedulers are killed in the middle of uploads and of evictions.
my $two  = Fault->new(pool => $c->pool('two'), slots => 8); # those that wait to be made leave room
my $size = 50_000_000;
my $sums = sub { my ($i) = @_; return $two->note_run("sum$i") . '; cat in/* | cksum >output' };
# Two are made from the beginning, and two more when something was struck, and again: there is something left to strike.
my @large = map { action($_, $two->note_run("large$_") . ($_ > 2 ? '; ' . $two->gate('struck' . int(($_ - 1) / 2)) : '') . "; head -c $size /dev/zero | tr '\\0' $_ >output") } 1 .. 6;
my @sums = map { action(6 + $_, $sums->($_), [ 2 * $_ - 1, 2 * $_ ]) } 1 .. 3;
$two->well('config', 'pool.budget', '80M');
$two->well('config', 'pool.cache', 0);
my %whose = map { my $last = $_; ($last => $two->submit($two->write($last, @large, @sums, action(10, $two->note_run($last) . "; cat in/* >output; : $last", [ 7 .. 9 ])))) } qw(one other);
my %pids = map { $_ => $two->start('run', '-q', $whose{$_}) } sort keys %whose;
my $evicted = sub { `sqlite3 -cmd '.timeout 5000' @{[ $two->path('.pingo/pingo.db') ]} 'SELECT count(*) FROM eviction'` + 0 };
my $made    = sub { `sqlite3 -cmd '.timeout 5000' @{[ $two->path('.pingo/pingo.db') ]} 'SELECT count(DISTINCT action) FROM attempt WHERE reason = 0 AND exit_code = 0 AND wall_ms IS NOT NULL'` + 0 };
my $is_over = sub { return !grep { $two->state_of($whose{$_}) !~ /^F/ } keys %whose };
my %moments = (upload => sub { grep { /[.]copy[.]/ } $c->names_in($c->{home} . '/two/staged') }, eviction => $evicted);
my $struck = 0;
for my $strike ([ upload => 'datanode' ], [ upload => 'namenode' ], [ upload => 'one' ], [ eviction => 'namenode' ], [ upload => 'other' ]) {
    my ($moment, $victim) = @$strike;
    $two->open_gate("struck$struck");
    note("$victim in the middle of an $moment");
    # What was too fast to be seen is over: then it is struck behind it.
    Hadoop::until_true($moment, sub { $moments{$moment}->() || $made->() >= 2 * ($struck + 1) || $is_over->() });
    last if $is_over->();
    $struck++;
    if (my $pid = $pids{$victim}) {
        kill KILL => $pid;
        $two->finish($pid);
        $pids{$victim} = $two->start('run', '-q', $whose{$victim});
    } else {
        $c->verb('kill', $victim);
        $c->verb('revive', $victim);
    }
}
cmp_ok($struck, '>=', 3, "two schedulers: $struck times something is killed");
for my $name (sort keys %pids) {
    my $run = $two->finish($pids{$name});
    is($run->{status}, 0, "$name of two schedulers ends well") or diag($run->{err});
}
my @published = map { chomp; $_ } `sqlite3 -cmd '.timeout 5000' @{[ $two->path('.pingo/pingo.db') ]} "SELECT n FROM (SELECT count(*) AS n FROM attempt WHERE reason = 0 AND exit_code = 0 GROUP BY action) WHERE n > 1"`;
is_deeply(\@published, [], 'no action is published twice');
is_deeply([ grep { $_ > 1 } values %{ $two->runs } ], [], 'and none has run twice');
my $expected_sums = join '', map { my $i = $_; `{ head -c $size /dev/zero | tr '\\0' @{[ 2 * $i - 1 ]}; head -c $size /dev/zero | tr '\\0' @{[ 2 * $i ]}; } | cksum` } 1 .. 3;
is($two->output($whose{$_}, 'a10'), $expected_sums, "what $_ made is right to the byte") for sort keys %whose;
$two->well('tick') for 1 .. 2;
cmp_ok($evicted->(), '>=', 2, 'something had to go');
$two->clean('after two schedulers');
done_testing();
