#!/usr/bin/perl
# ends.t - how actions on a real Slurm end that do not end well, and what is told of it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Slurm;
use Fault qw(action eventually slurp small_disk write_mb);
use Test::More;
use Time::HiRes qw(sleep time);

Slurm::is_needed();
my $c = Slurm->new('--set', 'MinJobAge=2');
my $eat = q{python3 -c 'import time; b = bytearray(400 << 20); time.sleep(1000)'; echo x >output};

sub message_of { my ($s, $name) = @_; return (map { $_->{message} // '' } grep { $_->{name} eq $name } @{ $s->json('status', 'last')->{actions} })[0] }

# Failures are the action's own.
for my $via (qw(rest commands)) {
    my $s = $c->store($via);
    my $r = $s->pingo('run', $s->write('w', action(1, 'echo well >output'), action(2, 'echo oh >&2; exit 7'), action(3, 'kill -SEGV $$'),
        action(4, 'true'), action(5, 'sleep 1000; echo x >output', undef, resources => { timeLimitSeconds => 1 }),
        action(6, $eat, undef, resources => { memoryMB => 100, grow => JSON::PP::false() })));
    is($r->{status}, 1, "$via: a run with failures");
    is($s->states('last')->{a1}, 'FINISHED', "$via: what does not fail does not");
    like(message_of($s, 'a2'), qr/^exit status 7/, "$via: an exit status");
    like($s->well('log', 'last', 'a2'), qr/^oh$/m, "$via: its log is there");
    like(message_of($s, 'a3'), qr/signal 11|SEGV/, "$via: a signal");
    like(message_of($s, 'a4'), qr/output/, "$via: no output");
    like(message_of($s, 'a5'), qr/time limit/i, "$via: the time limit");
    like(message_of($s, 'a6'), qr/memory/i, "$via: the memory limit");
    is_deeply([ $c->jobs_left ], [], "$via: Slurm has nothing left of it");
}

# Killed: what runs ends, what waits in Slurm's queue never starts.
for my $via (qw(rest commands)) {
    my $s = $c->store($via);
    $s->well('config', 'executor.graceSeconds', 1);
    my $workflow = $s->submit($s->write('w', map { action($_, $s->note_run("k$_") . '; sleep 1000; echo x >output', undef, resources => { cpus => 2 }) } 1 .. 10));
    my $pid = $s->start('run', '-q', $workflow);
    eventually { keys %{ $s->runs } >= 6 };
    $s->well('kill', $workflow);
    my $r = $s->finish($pid);
    is($s->state_of($workflow), 'KILLED', "$via: a killed workflow");
    is(scalar(keys %{ $s->runs }), 6, "$via: what had not started does not");
    Slurm::until_true('jobs end', sub { !$c->jobs_left });
    pass("$via: and Slurm has nothing left of it");
}

# Partitions: one that is not there, and one that gives less time than is asked.
my ($s, $w, $pid, $r);
for my $via (qw(rest commands)) {
    $s = $c->store($via);
    $w = $s->write('w', map { action($_, 'echo p >output') } 1 .. 3);
    $c->configure($s, $via, partition => 'nope');
    $pid = $s->start('run', $w);
    ok(eventually(sub { (eval { Slurm::attempts($s, 'last', 'a1') } // 0) >= 6 }), "$via: a partition that is not there: it is tried again");
    like(message_of($s, 'a1'), qr/^could not be started: .*partition name.*executor\.slurm\.partition/, "$via: why, and what to do, is told");
    is(scalar(() = $s->so_far($pid) =~ /partition name/g), 1, "$via: by a run once, for all its actions and tries") or diag($s->so_far($pid));
    $s->kill9($pid);
    $c->configure($s, $via, partition => 'short');
    $r = $s->pingo('run', 'last');
    is($r->{status}, 0, "$via: one that is there makes it right") or diag($r->{err});
}

# Jobs that ended and were purged before anybody asked.
$s = $c->store('rest');
my $workflow = $s->submit($s->write('w', action(1, $s->note_run('p') . '; echo purged >output'), action(2, 'exit 3')));
Slurm::until_true('submitted', sub { $s->well('tick', '-q'); $c->jobs || $s->runs->{p} });
Slurm::until_true('purged', sub { $s->runs->{p} && !$c->jobs });
ok(eventually(sub { $s->well('tick', '-q'); $s->state_of($workflow) ne 'RUNNING' }), 'jobs that Slurm does not know any more');
is($s->output($workflow, 'a1'), "purged\n", 'are settled by what their directories say');
like(message_of($s, 'a2'), qr/^exit status 3/, 'failures too');
is($s->runs->{p}, 1, 'and nothing ran twice');

# A runner that died and left no outcome, by ticks alone, of which none waits until that is sure: they end all the same.
for my $via (qw(rest commands)) {
    my $t = $c->store($via);
    my $ticked = $t->submit($t->write('w', action(1, $t->note_run('$$') . "; [ \$(wc -l <$t->{dir}/ran) -gt 1 ] || sleep 1000; echo x >output")));
    Slurm::until_true('it runs', sub { $t->well('tick', '-q'); keys %{ $t->runs } });
    my ($command) = keys %{ $t->runs };
    my ($runner) = slurp("/proc/$command/stat") =~ /\) \S (\d+)/;
    kill KILL => $runner;
    Slurm::until_true('it has ended', sub { $t->well('tick', '-q'); $t->state_of($ticked) ne 'RUNNING' });
    my $told = $t->json('status', '--attempts', $ticked)->[0];
    is($told->{state}, 'lost', "$via: a runner that was killed, by ticks alone: it is lost") or diag(explain($told));
    is($t->state_of($ticked), 'FINISHED', "$via: and the next try goes well");
}

# A memory limit that a cgroup keeps.
SKIP: {
    skip('cgroups cannot be made here', 1) if $> != 0 || !-w '/sys/fs/cgroup/memory';
    my $held = Slurm->new('--cgroup', '--nodes', 1);
    my $t    = $held->store('rest');
    $t->pingo('run', $t->write('w', action(1, $eat, undef, resources => { memoryMB => 100, grow => JSON::PP::false() })));
    like(message_of($t, 'a1'), qr/memory/i, 'a memory limit that a cgroup keeps');
}

# A full pool is not the action's failure: room is made, and where none can be the run stops.
my $disk = small_disk('24m');
$s = $c->store('rest', pool => "$disk/pool");
my @stdout = (stdout => JSON::PP::true());
is($s->pingo('run', '-q', $s->write('old', map { action($_, write_mb(3, "o$_"), [], @stdout) } 1 .. 4))->{status}, 0, 'twelve megabytes');
$s->well('release', 'last');
$r = $s->pingo('run', '-q', $s->write('big', action(1, write_mb(16, 'big'), [], @stdout)));
is($r->{status}, 0, 'sixteen more in a pool of 24: room is made') or diag($r->{err});
is(length $s->output('last', 'a1'), 16 * 1024 * 1024 + 4, 'and they are whole');
$r = $s->pingo('run', '-q', $s->write('huge', action(1, write_mb(20, 'huge'), [], @stdout)));
isnt($r->{status}, 0, 'what cannot fit stops the run');
unlike(join(' ', values %{ $s->states('last') }), qr/FAILED/, 'no action fails of it');
like($r->{err}, qr/full|space/, 'and it is told');
done_testing();
