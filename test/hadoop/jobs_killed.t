#!/usr/bin/perl
# jobs_killed.t - a MapReduce job on a real Hadoop, whose scheduler is killed at each step from the hand-over to the end,
# whose client is killed between the job's number and its submission, whose ResourceManager and whose master's node are killed
# while it runs: it is made once, and published once; one that was given up and begins late is not published.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fault";
use Fault qw(slurp spew);
use Hadoop;
use JSON::PP ();
use Test::More;
use Time::HiRes qw(time);

Hadoop::is_needed();
my $c = Hadoop->new;
my $s = $c->store;
spew($s->path('lines'), "b\na\n");

sub job {
    my ($name, %keys) = @_;
    return $s->write($name, { id => 1, name => $name, type => 'map-reduce-1', streaming => JSON::PP::true, reduces => 0,
        configuration => { 'mapreduce.job.maps' => '1' }, inputs => [ { name => 'lines', path => 'lines' } ], mapper => $s->note_run($name) . '; ' . $s->gate($name) . "; sed s/^/$name-/",
        executorOptions => { 'mapreduce.job.ubertask.enable' => 'true' }, %keys });
}
sub ask { my ($sql) = @_; my $said = `sqlite3 -cmd '.timeout 5000' @{[ $s->path('.pingo/pingo.db') ]} "$sql"`; chomp $said; return $said }
sub rows { my ($where) = @_; return ask("SELECT count(*) FROM attempt WHERE $where") + 0 }
# What lies in the directories of the attempts that have not ended, here and in HDFS.
sub going { return split /\n/, ask(q{SELECT action || '.' || epoch FROM attempt WHERE ended_ms IS NULL}) }
sub near  { my ($name)  = @_; return map { glob($s->path(".pingo/near/attempts/$_/$name")) } going() }
sub far   { my ($below) = @_; return map { $c->names_in("$c->{home}/pool1/attempts/$_/$below") } going() }
sub runners { return grep { slurp("/proc/$_/cmdline") =~ m{pingo-runner\0\Q$s->{dir}\E/} && slurp("/proc/$_/stat") !~ /\) Z / } map { /(\d+)/ } glob '/proc/[0-9]*' }
sub app { my $job = ask('SELECT job FROM attempt ORDER BY handed_ms DESC LIMIT 1'); return $job ? $c->app($job) : {} }

my ($pid, $well) = (undef, 0);
# Starts a scheduler, and kills it as soon as this is so.
sub kill_when {
    my ($what, $file, $code) = @_;
    $pid = $s->start('run', '-q', $file);
    my $begun = time;
    Hadoop::until_true($what, sub { $code->() || !$s->is_running($pid) });
    ok($s->is_running($pid), "killed when $what");
    $s->kill9($pid);
    note(sprintf '%s: %.1f s', $what, time - $begun);
}
# It ends well, it has ended well once, and its output is right.
sub is_once {
    my ($name, $most, @pids) = @_;
    my @ends = map { $s->finish($_) } @pids;
    is(join(' ', map { $_->{status} } @ends), join(' ', map { 0 } @ends), "$name: ends well") or diag(map { $_->{err} } @ends);
    my $dir = $s->path("out-$name");
    $s->well('export', 'last', 1, $dir);
    is(join('', map { s/\t?\n/\n/gr } map { slurp($_) } sort glob("$dir/$name/*")), "$name-b\n$name-a\n", 'right to the byte');
    is(rows('reason = 0 AND exit_code = 0'), ++$well, 'it has ended well once');
    cmp_ok($s->runs->{$name}, '<=', $most, "and ran $most times at most");
    $s->nothing_left("$name.json", $name);
    $s->clean($name);
}

# The scheduler, at each step.
my $file = job('steps');
kill_when('it is handed over', $file, sub { rows('ended_ms IS NULL') });
kill_when('it is armed',       $file, sub { near('job.xml') });
kill_when('its client runs',   $file, sub { near('started.*') });
kill_when('it has its number', $file, sub { far('staging/' . $c->{user} . '/.staging') });
kill_when('it runs',           $file, sub { $s->runs->{steps} });
my @both = map { $s->start('run', '-q', $file) } 1, 2;
Hadoop::until_true('one of two has it', sub { rows('ended_ms IS NULL AND job IS NOT NULL') });
$s->kill9(shift @both);
$s->open_gate('steps');
Hadoop::until_true('it is over', sub { (app()->{state} // '') eq 'FINISHED' });
$s->kill9(shift @both);
is_once('steps', 1, map { $s->start('run', '-q', $file) } 1, 2);

# Its client between the job's number and its submission, for which it writes to HDFS; and the scheduler.
$file = job('client');
$pid  = $s->start('run', '-q', $file);
Hadoop::until_true('a client', sub { near('started.*') });
$c->verb('signal', 'STOP', 'datanode');
Hadoop::until_true('a number', sub { far("staging/$c->{user}/.staging") });
kill KILL => runners();
$s->kill9($pid);
$c->verb('signal', 'CONT', 'datanode');
$s->open_gate('client');
is_once('client', 1, $s->start('run', '-q', $file));

# Given up while the ResourceManager is away, it begins when that is back, and may well end before anybody can have it ended:
# nothing of it counts. It takes long: with PINGO_SOAK alone, as `make soak` runs it.
if ($ENV{PINGO_SOAK}) {
    $c->verb('signal', 'STOP', 'nm1', 'nm2');
    $file = job('late');
    $pid  = $s->start('run', '-q', $file);
    Hadoop::until_true('it is submitted', sub { rows('ended_ms IS NULL AND job IS NOT NULL') });
    my $late = app()->{id};
    $c->verb('kill', 'resourcemanager');
    $s->well('kill', 'last');
    isnt($s->finish($pid)->{status}, 0, 'it is given up while the ResourceManager is away');
    is(rows('ended_ms IS NULL'), 1, 'and is in hand until that says more');
    $c->verb('revive', 'resourcemanager');
    $c->verb('signal', 'CONT', 'nm1', 'nm2');
    $s->open_gate('late');
    $c->ended($late);
    Hadoop::until_true('done with', sub { $s->well('tick'); !rows('ended_ms IS NULL') });
    $well = rows('reason = 0 AND exit_code = 0');
    is_deeply($s->states('last'), { late => 'KILLED' }, 'it stays killed, though it ran late');
    isnt($s->pingo('path', 'last', 'late')->{status}, 0, 'and there is nothing of it');
    $s->clean('late');
}

# The ResourceManager, and the node of the job's master: Hadoop goes on with the same job.
$file = job('away');
$pid  = $s->start('run', '-q', $file);
Hadoop::until_true('it runs', sub { $s->runs->{away} });
$c->verb('kill', 'resourcemanager');
$c->verb('revive', 'resourcemanager');
# A node that it does not know again yet it cannot miss.
sub nodes { my (undef, $said) = $c->rm(GET => 'nodes'); return grep { $_->{state} eq 'RUNNING' } @{ ($said->{nodes} // {})->{node} // [] } }
Hadoop::until_true('all is known again', sub { (app()->{state} // '') eq 'RUNNING' && nodes() == 2 && grep { $_->{numContainers} } nodes() });
my ($port) = app()->{amHostHttpAddress} =~ /:(\d+)$/;
my @nodes = split ' ', $c->{env}{NM_HTTP};
my ($lost) = grep { $nodes[$_] =~ /:$port$/ } 0 .. $#nodes;
my $before = rows('1');
$c->verb('lose', 'nm' . ($lost + 1));
Hadoop::until_true('it runs again', sub { $s->runs->{away} >= 2 });
$s->open_gate('away');
is_once('away', 3, $pid);
is(rows('1'), $before, 'with the same attempt');
done_testing();
