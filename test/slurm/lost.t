#!/usr/bin/perl
# lost.t - Slurm's daemons and nodes are killed in the middle: workflows end as if nothing had happened, no command runs
# twice and none is lost.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Slurm;
use Fault qw(action eventually);
use Test::More;
use Time::HiRes qw(sleep);

Slurm::is_needed();
my $c;

# A cluster with nothing behind it: where jobs were forgotten, nodes still have some, which Slurm ends when it hears of them,
# by ids that other jobs have by then.
sub begin {
    $c->verb('down') if $c;
    $c = Slurm->new('--set', 'BatchStartTimeout=1');
}
begin();

# Starts a run of n actions and does the blow when some have ended; the run's end.
sub with_blow {
    my ($what, $via, $n, $blow, %o) = @_;
    my $s = $o{store} // $c->store($via);
    my ($file, $expected) = Slurm::graph($s, 'w', $n, nap => 0.3);
    my $pid = $s->start('run', '-q', $file);
    eventually { $c->resume; keys %{ $s->runs } >= 3 } or diag("$what: nothing runs");
    $blow->($s);
    eventually { $c->resume; !$s->is_running($pid) };
    Slurm::is_right($s, $s->finish($pid), 'last', $expected, $what, most => $o{most});
    $c->until_idle($what);
    $s->clean($what);
    return $s;
}

with_blow('controller killed', 'rest', 14, sub {
    $c->verb('kill', 'controller');
    sleep 1;
    $c->verb('start', 'controller');
});
# Nobody there from the start: it waits and tells why.
for my $daemon (qw(controller rest)) {
    my $s = $c->store('rest');
    $c->verb('kill', $daemon);
    my $pid = $s->start('run', $s->write('w', action(1, $s->note_run('x') . '; echo x >output')));
    ok(eventually(sub { $s->so_far($pid) =~ /controller|connect/ }), "without $daemon: it is told") or diag($s->so_far($pid));
    $c->verb('start', $daemon);
    is($s->finish($pid)->{status}, 0, "without $daemon: it waits, and ends well");
    is($s->runs->{x}, 1, "without $daemon: it ran once");
}

with_blow('controller killed, by commands', 'commands', 8, sub { $c->verb('kill', 'controller'); $c->verb('start', 'controller') });
# Jobs that it has accepted and forgets, whose ids it gives to the next.  None begins before: no node takes any.
my $two = $c->store('rest');
$c->command('scontrol', 'update', "nodename=$_", 'state=drain', 'reason=waits') for split /\n/, $c->command('sinfo', '-h', '-N', '-o', '%N');
my $forgotten = $two->start('run', '-q', $two->write('w', map { action($_, $two->note_run("f$_") . '; sleep 0.2; echo x >output') } 1, 2));
eventually { (() = $c->command('squeue', '-h', '-r', '-o', '%i') =~ /\S+/g) >= 2 }; # tasks of one array, as a rule
$c->verb('kill', 'controller');
$c->verb('start', 'controller');
eventually { $c->resume; !$two->is_running($forgotten) };
is($two->finish($forgotten)->{status}, 0, 'jobs forgotten as soon as they were accepted: it ends well');
Slurm::is_seldom($two, 'last', 'jobs forgotten as soon as they were accepted');
$c->until_idle('forgotten at once');
with_blow('all jobs forgotten', 'rest', 14, sub { $c->verb('wipe') }, most => 2);
begin();
with_blow('slurmrestd killed', 'rest', 14, sub {
    $c->verb('kill', 'rest');
    sleep 1;
    $c->verb('start', 'rest');
});
with_blow('slurmd killed', 'socket', 14, sub { $c->verb('kill', 'n1', 'n2'); $c->verb('start', 'n1', 'n2') });

# A node goes with all that it ran: new attempts, no failures, though nothing may be retried.
my $s = with_blow('node lost', 'rest', 14, sub {
    $c->verb('lose', 'n1');
    $c->command('scontrol', 'update', 'nodename=n1', 'state=down', 'reason=lost');
    $c->verb('start', 'n1');
}, most => 2);

# A job that Slurm requeues does not start again what started.
$s = $c->store('rest');
my $file = $s->write('w', action(1, $s->note_run('x') . '; ' . $s->gate('x') . '; echo x >output'));
my $pid = $s->start('run', '-q', $file);
eventually { $s->runs->{x} };
my ($id) = $c->jobs_left;
$c->command('scontrol', 'update', "jobid=$id", 'requeue=1');
$c->command('scontrol', 'requeue', $id);
eventually { $s->runs->{x} > 1 };
$s->open_gate('x');
my $r = $s->finish($pid);
is($r->{status}, 0, 'a job was requeued: it ends well') or diag($r->{err});
is($s->runs->{x}, 2, 'and ran no more often than that explains');
is(scalar Slurm::attempts($s, 'last', 'a1'), 2, 'in two attempts');

# A job of higher priority takes the place of one that runs: who is thrown out runs again, who is suspended goes on.
for my $mode ('REQUEUE', 'CANCEL', 'SUSPEND,GANG') {
    $c->verb('down');
    $c = Slurm->new('--nodes', 1, '--cpus', 1, '--set', 'PreemptType=preempt/partition_prio', '--set', "PreemptMode=$mode",
        '--set', 'JobRequeue=1', '--set', "PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"
            . 'PartitionName=urgent Nodes=ALL PriorityTier=10 MaxTime=INFINITE State=UP');
    my $times = $mode =~ /SUSPEND/ ? 1 : 2;
    $s = $c->store('rest');
    $pid = $s->start('run', '-q', $s->write('w', action(1, $s->note_run('x') . '; ' . $s->gate('x') . '; echo x >output')));
    eventually { $s->runs->{x} };
    my $urgent = $c->batch($s->gate('urgent'), '-p', 'urgent');
    $c->wait_job($urgent, 'RUNNING');
    $s->open_gate('urgent');
    eventually { $s->runs->{x} == $times };
    $s->open_gate('x');
    $r = $s->finish($pid);
    is($r->{status}, 0, "preempted by $mode: it ends well") or diag($r->{err});
    is($s->runs->{x}, $times, 'and ran no more often than that explains');
    is(scalar Slurm::attempts($s, 'last', 'a1'), $times, 'in as many attempts');
}

done_testing();
