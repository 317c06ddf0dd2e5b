#!/usr/bin/perl
# What ends otherwise than well: kills, failures, retries, --fail-fast, and what becomes of those who
# joined.  Only what no live workflow needs is killed; a failure touches its own descendants alone.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action eventually slurp spew);
use Test::More;

# What an action does: notes that it ran, waits for a gate, writes its name.
sub work {
    my ($s, $name, $gate) = @_;
    return join '; ', $s->note_run($name), "echo \$\$ >'" . $s->path("pid.$name") . "'",
        ($gate ? $s->gate($gate) : ()), "echo $name >output";
}

sub is_gone {
    my ($pid) = @_;
    return !-d "/proc/$pid" || slurp("/proc/$pid/stat") =~ /\) Z /;
}

subtest 'a workflow is killed' => sub {
    my $s = Fault->new;
    my $file = $s->write('w', action(1, work($s, 'a1', 'x')), action(2, work($s, 'a2'), [1]),
        action(3, work($s, 'a3'), [2]), action(4, work($s, 'a4', 'x')), action(5, work($s, 'a5'), [4]), action(6, work($s, 'a6', 'x')));
    my $w   = $s->submit($file);
    my $pid = $s->start('run', $w);
    eventually { -s $s->path('pid.a1') && -s $s->path('pid.a4') };
    $s->wait_state($w, 'a1', 'RUNNING');
    is($s->pingo('kill', $w)->{status}, 0, 'kill succeeds');
    is($s->finish($pid)->{status}, 1, 'the run that waits for it ends, and says that it failed');
    is($s->state_of($w), 'KILLED', 'the workflow is KILLED');
    my $states = $s->states($w);
    is("$states->{a1} $states->{a4}", 'KILLED KILLED', 'what ran is KILLED');
    is("$states->{a2} $states->{a3} $states->{a5}", 'CANCELLED CANCELLED CANCELLED', 'what waited is CANCELLED');
    is($states->{a6}, 'KILLED', 'and what was ready, KILLED');
    eventually { is_gone(slurp($s->path('pid.a1')) + 0) };
    ok(is_gone(slurp($s->path("pid.$_")) + 0), "the process of $_ is gone") for qw(a1 a4);
    is($s->pingo('kill', $w)->{status}, 5, 'a second kill is refused: it has ended');
    $s->clean('killed');
    $s->open_gate('x');
    is($s->pingo('run', '-q', $file)->{status}, 0, 'submitted again, it runs to its end');
    is($s->state_of($w), 'KILLED', 'and the killed one stays KILLED');
    is($s->states($w)->{a1}, 'KILLED', 'its actions, too');
    $s->clean('run again');
};

subtest 'one action is killed, and what descends from it' => sub {
    my $s = Fault->new(slots => 3);
    my $w = $s->submit($s->write('w', action(1, work($s, 'a1')), action(2, work($s, 'a2', 'x'), [1]),
        action(3, work($s, 'a3', 'y'), [1]), action(4, work($s, 'a4'), [ 2, 3 ]), action(5, work($s, 'a5'), [3])));
    my $pid = $s->start('run', '-q', $w);
    eventually { -s $s->path('pid.a2') && -s $s->path('pid.a3') };
    is($s->pingo('kill', $w, 'a2')->{status}, 0, 'kill succeeds');
    is($s->states($w)->{a4}, 'CANCELLED', 'the child is CANCELLED at once');
    $s->open_gate('y');
    is($s->finish($pid)->{status}, 1, 'the run fails');
    is_deeply($s->states($w), { a1 => 'FINISHED', a2 => 'KILLED', a3 => 'FINISHED', a4 => 'CANCELLED', a5 => 'FINISHED' },
        'the other branch has gone on');
    is($s->state_of($w), 'KILLED', 'the workflow is KILLED');
    is($s->pingo('kill', $w, 'a1')->{status}, 5, 'what has ended cannot be killed');
    $s->clean('one action');
};

subtest 'what another workflow joined goes on' => sub {
    my $s  = Fault->new;
    my @x  = (action(1, work($s, 'x0')), action(2, work($s, 'x', 'x'), [1]));
    my $w1 = $s->submit($s->write('w1', @x, action(3, work($s, 'y'), [2])));
    my $pid = $s->start('run', '-q', $w1);
    $s->wait_state($w1, 'a2', 'RUNNING');
    my $w2 = $s->submit($s->write('w2', @x, action(3, work($s, 'z'), [2])));
    is($s->json('status', $w2)->{actions}[1]{decision}, 'join', 'the second workflow joins');
    is($s->pingo('kill', $w1, 'a2')->{status}, 5, 'the joined action alone cannot be killed');
    is($s->pingo('kill', $w1)->{status}, 0, 'its workflow can');
    is($s->state_of($w1), 'KILLED', 'it is KILLED');
    is_deeply($s->states($w1), { a1 => 'FINISHED', a2 => 'RUNNING', a3 => 'CANCELLED' }, 'the joined action shows its true state');
    is($s->finish($pid)->{status}, 1, 'who ran the killed workflow is told');
    $s->open_gate('x');
    is($s->pingo('run', '-q', $w2)->{status}, 0, 'the second workflow ends well');
    is($s->runs->{x}, 1, 'the joined action ran once');
    is($s->states($w1)->{a2}, 'FINISHED', 'and is FINISHED in both');
    $s->clean('joined');
};

subtest 'when the last who needs it is killed, it goes as well' => sub {
    my $s  = Fault->new;
    my $w1 = $s->submit($s->write('w1', action(1, work($s, 'x', 'x'))));
    my $pid = $s->start('run', '-q', $w1);
    $s->wait_state($w1, 'a1', 'RUNNING');
    eventually { -s $s->path('pid.x') };
    my $w2 = $s->submit($s->write('w2', action(1, work($s, 'x', 'x')), action(2, work($s, 'z'), [1])));
    $s->well('kill', $w1);
    is($s->states($w1)->{a1}, 'RUNNING', 'needed by the second workflow, it runs on');
    $s->finish($pid);
    $pid = $s->start('run', '-q', $w2);
    $s->well('kill', $w2);
    $s->finish($pid);
    $s->pingo('tick');
    ok(eventually(sub { is_gone(slurp($s->path("pid.x")) + 0) }), 'its process ends with the second');
    eventually { $s->pingo('tick'); $s->states($w1)->{a1} ne 'RUNNING' };
    is($s->states($w1)->{a1}, 'KILLED', 'and it is KILLED');
    $s->clean('last');
};

subtest 'a joined action fails: the oldest joiner is next' => sub {
    my $s  = Fault->new;
    # Fails until it has run three times.  retries is not in the hash, so all join.
    my $command = $s->note_run('x') . '; ' . $s->gate('x') . "; [ \$(wc -l <'" . $s->path('ran') . "') -ge 3 ] && echo x >output";
    my @w;
    my @retries = (0, 1, 5);
    for my $i (0 .. 2) {
        push @w, $s->submit($s->write("w$i", action(1, $command, [], retries => $retries[$i]), action(2, "echo $i >output; cat in/p1 >>output", [1])));
        last if $i == 2;
        next if $i;
    }
    my $pid = $s->start('run', '-q', @w);
    $s->wait_state($w[0], 'a1', 'RUNNING');
    is($s->states($w[$_])->{a1}, 'WAITING', "workflow $_ joined") for 1, 2;
    $s->open_gate('x');
    is($s->finish($pid)->{status}, 1, 'one of the workflows fails');
    is_deeply($s->states($w[0]), { a1 => 'FAILED', a2 => 'CANCELLED' }, 'the first: it has no retry');
    is_deeply($s->states($w[$_]), { a1 => 'FINISHED', a2 => 'FINISHED' }, "not workflow $_") for 1, 2;
    is($s->runs->{x}, 3, 'once for the first, twice for the second with its own retry, never for the third');
    is($s->json('status', $w[1])->{actions}[0]{attempts}, 2, 'the attempts are those of the one that computed');
    $s->clean('promoted');
};

subtest 'a killed action hands its joiners on' => sub {
    my $s  = Fault->new;
    my $w1 = $s->submit($s->write('w1', action(1, work($s, 'x', 'x')), action(2, work($s, 'x', 'x'))));
    my $pid = $s->start('run', '-q', $w1);
    eventually { -s $s->path('pid.x') };
    is($s->runs->{x}, 1, 'equal actions of one workflow are one computation');
    $s->well('kill', $w1, 1);
    is_deeply($s->states($w1), { a1 => 'KILLED', a2 => 'KILLED' }, 'and end together');
    is($s->finish($pid)->{status}, 1, 'the run ends');
    $s->clean('equal');
};

subtest 'retries, and cancelling of descendants' => sub {
    my $s = Fault->new;
    my $until = sub { my ($name, $n) = @_;
        $s->note_run($name) . "; [ \$(grep -c '^$name\$' '" . $s->path('ran') . "') -ge $n ] && echo $name >output" };
    my $w = $s->submit($s->write('w', action(1, $until->('a', 3), [], retries => 2), action(2, $until->('b', 3), [], retries => 1),
        action(3, work($s, 'c'), [2]), action(4, work($s, 'd'), [3]), action(5, work($s, 'e'), [ 1, 4 ]), action(6, work($s, 'f'), [1])));
    my $r = $s->pingo('run', $w);
    is($r->{status}, 1, 'the run fails');
    is_deeply($s->states($w), { a1 => 'FINISHED', a2 => 'FAILED', a3 => 'CANCELLED', a4 => 'CANCELLED', a5 => 'CANCELLED', a6 => 'FINISHED' },
        'the retried one is FINISHED, the other FAILED with all that descends from it');
    is($s->runs->{a}, 3, 'two retries make three runs');
    is($s->runs->{b}, 2, 'one retry makes two');
    my @actions = @{ $s->json('status', $w)->{actions} };
    is("$actions[0]{attempts} $actions[1]{attempts} $actions[1]{exitCode}", '3 2 1', 'status tells attempts and the exit code');
    is($s->state_of($w), 'FAILED', 'the workflow is FAILED');
    $s->clean('retries');
};

subtest 'fail fast' => sub {
    my $s = Fault->new(slots => 3);
    my $w = $s->submit($s->write('w', action(1, work($s, 'a1', 'never')), action(2, $s->gate('x') . '; exit 3'), action(3, work($s, 'a3', 'never'), [1])));
    my $pid = $s->start('run', '-q', '--fail-fast', $w);
    eventually { -s $s->path('pid.a1') };
    $s->open_gate('x');
    is($s->finish($pid)->{status}, 1, 'the run fails');
    my $states = $s->states($w);
    is("$states->{a1} $states->{a2} $states->{a3}", 'KILLED FAILED CANCELLED', 'the rest is killed');
    ok(eventually(sub { is_gone(slurp($s->path('pid.a1')) + 0) }), 'and gone');
    $s->pingo('tick');
    $s->clean('fail fast');
};
done_testing();
