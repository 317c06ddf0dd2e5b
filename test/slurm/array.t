#!/usr/bin/perl
# array.t - many short actions as few array jobs on a real Slurm: each is still an attempt of its own, whatever happens to
# the scheduler, to the array or to one of its tasks.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Slurm;
use Fault qw(action eventually slurp);
use Test::More;
use Time::HiRes qw(sleep);

Slurm::is_needed();
my $c = Slurm->new('--set', 'MaxArraySize=25', '--set', 'MinJobAge=2');

sub lists { my ($s) = @_; return glob $s->path('.pingo/pool/attempts/.bundles/*/list') }

# n actions that are alike, and do what they are told.
sub alike {
    my ($s, $n, $do) = @_;
    return $s->write('w', map { action($_, $s->note_run("a$_") . "; $do; echo a$_ >output") } 1 .. $n);
}

# How many submissions Slurm's controller has taken.
sub taken { my @ids = slurp("$c->{dir}/log/controller") =~ /_slurm_rpc_submit_batch_job: JobId=(\d+)/g; return scalar @ids }

# Right to the byte by each way, in few jobs where many are ready at once; more than Slurm takes in one array are several.
for my $via (qw(rest commands)) {
    my $s = $c->store($via);
    my ($file, $expected) = Slurm::graph($s, 'w', 60, each => sub { $_[0] % 2 ? () : (resources => { memoryMB => 100 }) });
    Slurm::is_right($s, $s->pingo('run', '-q', $file), 'last', $expected, "$via: 61 actions");
    my $before = taken();
    is($s->pingo('run', '-q', alike($s, 60, ': many'))->{status}, 0, "$via: 60 actions that are alike");
    my $jobs = taken() - $before;
    ok($jobs > 2 && $jobs < 20, "$via: in few jobs ($jobs)");
    is_deeply([ lists($s) ], [], "$via: no list is left");
    $s->clean("$via: arrays");
}

# One alone is killed, the others are not; one that Slurm requeues and one that is cancelled by hand start anew, alone.
my $s   = $c->store('rest');
my $pid = $s->start('run', '-q', alike($s, 16, $s->gate('all')));
eventually { keys %{ $s->runs } >= 12 };
my %states = map { split /\|/, $_, 2 } split /\n/, $c->command('squeue', '-h', '-r', '-o', '%i|%T');
is(scalar(keys %states), 16, 'sixteen tasks');
my ($array) = (sort keys %states)[0] =~ /^(\d+)_/ or diag(explain(\%states));
is(scalar(grep { /^\Q${array}\E_\d+$/ } keys %states), 16, 'of one array');
my $killed;
eventually { $killed = (Slurm::attempts($s, 'last', 'a1'))[0]{job} };
like($killed, qr/^\Q${array}\E_\d+$/, 'and the user is told which is whose');
my @waiting = grep { $states{$_} eq 'PENDING' && $_ ne $killed } keys %states;
$c->command('scancel', $waiting[0]); # before anything ends, so that it waits still
$s->well('kill', 'last', 'a1');
my ($running) = grep { $states{$_} eq 'RUNNING' && $_ ne $killed } sort keys %states;
$c->command('scontrol', 'update', "jobid=$running", 'requeue=1');
$c->command('scontrol', 'requeue', $running);
eventually {
    my %tries;
    $tries{ $_->{name} }++ for @{ $s->json('status', '--attempts', 'last') };
    2 == grep { $_ > 1 } values %tries;
};
$s->open_gate('all');
my $r = $s->finish($pid);
my %end = %{ $s->states('last') };
is(delete $end{a1}, 'KILLED', 'one task was killed');
is_deeply([ grep { $end{$_} ne 'FINISHED' } keys %end ], [], 'the others are well');
my @twice = grep { Slurm::attempts($s, 'last', $_) > 1 } keys %end;
is(scalar(@twice), 2, 'what was requeued and what was cancelled by hand has a second attempt') or diag(explain(\@twice, $r->{err}));
is(scalar(grep { $_ > 2 } values %{ $s->runs }), 0, 'and nothing ran more often');
$c->until_idle('one of them');
is_deeply([ lists($s) ], [], 'no list is left');

# The scheduler is killed in the middle of an array, and while it is down tasks end, and are purged: the next one knows
# whose they were.
for my $via (qw(rest commands)) {
    $s = $c->store($via);
    my $workflow = $s->submit(alike($s, 14, '[ -e gate ] || ' . $s->gate('all')));
    $pid = $s->start('run', '-q', $workflow);
    eventually { keys %{ $s->runs } >= 12 };
    $s->kill9($pid);
    is(scalar(@{ [ lists($s) ] }), 1, "$via: an array that nobody has in hand");
    my $again = $s->start('run', '-q', $workflow);
    eventually { -s $s->path('ran') && $s->is_running($again) };
    $s->kill9($again) if $via eq 'rest';
    $s->open_gate('all');
    Slurm::until_true('purged', sub { !$c->jobs }) if $via eq 'rest';
    $r = $via eq 'rest' ? $s->pingo('run', '-q', $workflow) : $s->finish($again);
    is($r->{status}, 0, "$via: the next one ends it") or diag($r->{err});
    is_deeply([ grep { $_ != 1 } values %{ $s->runs } ], [], "$via: and nothing ran twice");
    $s->clean("$via: an array taken over");
}

# Killed while most of it waits: what waits goes at once.
$s   = $c->store('rest');
my $workflow = $s->submit(alike($s, 20, 'sleep 1000'));
$s->well('config', 'executor.graceSeconds', 1);
$pid = $s->start('run', '-q', $workflow);
eventually { keys %{ $s->runs } >= 12 };
$s->well('kill', $workflow);
$s->finish($pid);
is($s->state_of($workflow), 'KILLED', 'killed while most of it waits');
is(scalar(keys %{ $s->runs }), 12, 'and what waited never starts');
$c->until_idle('killed');

# Each task's own words are found: one of two alike ends for its memory.
my $eat = q{python3 -c 'b = bytearray(400 << 20); import time; time.sleep(1000)'};
$s = $c->store('rest');
my %small = (resources => { memoryMB => 100, grow => JSON::PP::false() });
$r = $s->pingo('run', '-q', $s->write('w', action(1, 'echo x >output', undef, %small), action(2, "$eat; echo x >output", undef, %small),
    action(3, 'echo x >output', undef, %small)));
my %message = map { $_->{name} => $_->{message} // '' } @{ $s->json('status', 'last')->{actions} };
is_deeply([ @{ $s->states('last') }{qw(a1 a2 a3)} ], [qw(FINISHED FAILED FINISHED)], 'one of three alike fails');
like($message{a2}, qr/memory/, 'for its memory');

# A Slurm that is full.
my $full = Slurm->new('--set', 'MaxJobCount=24', '--set', 'MinJobAge=2');
$s   = $full->store('rest');
$r = $s->pingo('run', alike($s, 30, ':'));
is($r->{status}, 0, 'more than Slurm has room for') or diag($r->{err});
is(scalar(keys %{ $s->runs }), 30, 'have all run');
like($r->{err}, qr/takes no more jobs now/, 'and the user hears why they wait');
$s->clean('a full Slurm');
done_testing();
