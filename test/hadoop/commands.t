#!/usr/bin/perl
# commands.t - commands on a real YARN, with a pool in HDFS: right to the byte, many in few applications, each once
# whatever is killed; what was given up does no harm later; what is wrong is told in Hadoop's own words.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fault";
use Fault qw(action eventually slurp spew);
use Hadoop;
use Test::More;
use Time::HiRes qw(time);

Hadoop::is_needed();
my $c = Hadoop->shared;
my $s = $c->store;
my $small = { memoryMB => 64 };
sub output_of {
    my ($id) = @_;
    $s->well('export', 'last', $id, $s->path("out$id"));
    return slurp($s->path("out$id/a$id"));
}
sub mine { return grep { my $id = $_->{id}; !$_[0]{$id} } $c->apps }
sub is_final { return $_[0]{state} =~ /^(?:FINISHED|FAILED|KILLED)$/ }
sub before { return { map { $_->{id} => 1 } $c->apps } }

# The settings are tried, and what is wrong is told before anything runs.
my $r = $s->pingo('config', '--check', 'hadoop');
is($r->{status}, 0, 'the settings are well') or diag($r->{out}, $r->{err});
like($r->{out}, qr/a container on \S+ reads and writes it/, 'a container has answered');
sub wrong {
    my ($key, $value, $pattern) = @_;
    my $was = $s->json('config', "executor.hadoop.$key")->{value};
    $s->well('config', '--no-check', "executor.hadoop.$key", $value);
    my $told = $s->pingo('config', '--check', 'hadoop');
    isnt($told->{status}, 0, "executor.hadoop.$key $value: not well");
    like($told->{out} . $told->{err}, $pattern, 'and that is said');
    $s->well('config', '--no-check', defined $was ? ("executor.hadoop.$key", $was) : ('--unset', "executor.hadoop.$key"));
}
wrong(queue => 'nope', qr/there is no queue nope; there are: default/);
wrong(rm => '127.0.0.1:1', qr/no ResourceManager answers/);
wrong(rm => $c->{env}{NN_HTTP}, qr/no ResourceManager|not the active/);
wrong(fs => 'hdfs://127.0.0.1:1', qr{does executor\.hadoop\.fs \(hdfs://127\.0\.0\.1:1\) lead the nodes to the pool});
wrong(amMemory => '900GB', qr/YARN gives at most/);

# A file of this machine, many like each other, and one that reads them all: right, once each, in few applications.
spew($s->path('in.txt'), join '', map { "$_\n" } 1 .. 100);
symlink 'in.txt', $s->path('link.txt') or die;
my $before = before();
my $many   = 30;
my $file   = $s->write('w', (map { action($_, $s->note_run("m$_") . "; awk '{ n += \$1 } END { print n \".$_\" }' in/in.txt >output", undef,
        resources => $small, inputs => [ { name => 'in.txt', path => $_ % 5 ? 'in.txt' : 'link.txt' } ]) } 2 .. $many),
    action($many + 1, 'cat in/p* >output; echo told; echo aloud >&2', [ 2 .. $many ], resources => $small));
my $begun = time;
$r = $s->pingo('run', '-q', $file);
is($r->{status}, 0, 'a workflow on YARN') or diag($r->{err});
note(sprintf '%d actions in %.1f s', $many, time - $begun);
is(output_of($many + 1), join('', map { "5050.$_\n" } sort(2 .. $many)), 'is right to the byte');
is_deeply($s->runs, { map { ("m$_" => 1) } 2 .. $many }, 'each ran once');
cmp_ok(scalar(mine($before)), '<=', 6, 'and a few applications were enough');
like($s->well('log', 'last', $many + 1), qr/aloud/, 'what it said is kept');
$s->nothing_left($file, 'again');
$s->clean('commands on YARN');

# A name is the bytes that a command gave it; Java would write these two as one.
$r = $s->pingo('run', '-q', $s->write('names',
    action(1, q{mkdir output; for n in $(printf 'e\314\201 \303\251'); do echo "$n" >"output/$n"; done}, undef, resources => $small),
    action(2, 'for n in in/p1/*; do grep -xF "${n##*/}" "$n"; done | LC_ALL=C sort >output', [1], resources => $small)));
is($r->{status}, 0, 'names that differ in how a letter is written') or diag($r->{err});
is(output_of(2), "e\xcc\x81\n\xc3\xa9\n", 'are both there, as they were given');

# What fails, fails with the reason, and keeps nobody from running who could have shared its application.
mkdir $s->path('colon') or die;
spew($s->path('colon/a:b'), 'x');
$r = $s->pingo('run', '-q', $s->write('bad', action(1, 'echo x; exit 3', undef, resources => $small, retries => 0),
    action(2, 'echo x >output', undef, resources => { memoryMB => 900_000 }, retries => 0),
    action(3, 'echo y >output', undef, executorOptions => { partition => 'x' }, retries => 0),
    action(4, 'sleep 1000; echo x >output', undef, resources => { %$small, timeLimitSeconds => 2 }, retries => 0),
    # The runner cannot see it: YARN does, whose container is over its memory.
    action(5, "if mkdir '" . $s->path('first') . q{'; then exec perl -e 'kill STOP => getppid; $x = "x" x 4e8; sleep 1000'; fi; echo grown >output}, undef,
        resources => $small, shell => 'sh'),
    action(6, 'ls in/colon >output', undef, resources => $small, inputs => [ { name => 'colon', path => 'colon' } ])));
isnt($r->{status}, 0, 'what cannot succeed does not');
my %said = map { $_->{name} => $_ } @{ $s->json('status', 'last')->{actions} };
is($said{a1}{exitCode}, 3, 'an exit status is told');
like($said{a2}{message}, qr/YARN gives at most \d+ MB/, 'more memory than YARN gives');
like($said{a3}{message}, qr/hadoop takes queue and nodeLabel/, 'and an option of Slurm\'s');
like($said{a6}{message}, qr/can hold no name with a colon/, 'an input that HDFS cannot hold');
like($said{a4}{message}, qr/time limit of 2 s/, 'what takes too long');
is(output_of(5), "grown\n", 'whom YARN has ended for its memory gets more');
is(scalar(grep { $_->{id} == 5 } @{ $s->json('status', '--attempts', 'last') }), 2, 'with the second try');

# The scheduler is killed: the next one takes over what runs, and nothing runs twice.
my $long = $s->write('long', map { action($_, $s->note_run("k$_") . '; ' . $s->gate('k') . '; echo x >output', undef, resources => $small) } 1 .. 2);
my $pid = $s->start('run', '-q', $long);
ok(eventually(sub { keys %{ $s->runs } >= $many + 1 }), 'two run');
$s->kill9($pid);
my $other = $s->start('run', '-q', $long);
my $third = $s->start('run', '-q', $long);
$s->open_gate('k');
is($s->finish($_)->{status}, 0, 'a scheduler that comes after it finishes them') for $other, $third;
is_deeply([ @{ $s->runs }{qw(k1 k2)} ], [ 1, 1 ], 'and each ran once');

# One that runs is killed and ended; one that was given up before it began never begins.
$before = before();
$pid = $s->start('run', '-q', $s->write('kill', action(1, $s->note_run('x') . '; sleep 1000', undef, resources => $small)));
ok(eventually(sub { $s->runs->{x} }), 'it runs');
$s->well('kill', 'last');
isnt($s->finish($pid)->{status}, 0, 'it is killed');
my $early;
for my $try (1 .. 10) { # who is slow to give it up finds that it has begun: then another one
    $early = "early$try";
    my $then = before();
    $pid = $s->start('run', '-q', $s->write('early', action(1, $s->note_run($early) . '; echo x >output', undef, resources => $small)));
    ok(eventually(sub { mine($then) }), 'another is submitted');
    $s->well('kill', 'last');
    isnt($s->finish($pid)->{status}, 0, 'and given up at once');
    last if !$s->runs->{$early};
}
ok(eventually(sub { !grep { !is_final($_) } mine($before) }), 'YARN has nothing left of them');
ok(!$s->runs->{$early}, 'what was given up never began') or diag(explain($s->runs));
$s->clean('all of it');
done_testing;
