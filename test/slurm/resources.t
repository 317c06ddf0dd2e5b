#!/usr/bin/perl
# resources.t - GPUs and licences on a real Slurm, which counts them itself: by slurmrestd and by its commands.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Slurm;
use Fault qw(action eventually);
use Test::More;

Slurm::is_needed();
my $c = Slurm->new;

for my $via (qw(rest commands)) {
    my $s = $c->store($via);

    # One licence of matlab: who holds it has the file locked, and who finds it locked fails.
    my $lock = $s->path('lock');
    my @held = map { action($_, "flock -n '$lock' -c 'sleep 1; echo $_ >output'", [], resources => { licences => { matlab => 1 } }) } 1 .. 3;
    my @gpus = map { action($_, ": $_; " . 'echo "$PINGO_GPUS $CUDA_VISIBLE_DEVICES" >output', [], resources => { gpus => $_ - 3 }) } 4, 5;
    push @gpus, action(6, 'echo "${PINGO_GPUS-none} ${CUDA_VISIBLE_DEVICES-none}" >output');
    my $r = $s->pingo('run', '-q', $s->write('w', @held, @gpus));
    is($r->{status}, 0, "$via: licences and GPUs are waited for and given back") or diag($r->{err});
    like($s->output('last', 4), qr/^1 [01]$/, "$via: a GPU of two, and which");
    is($s->output('last', 5), "2 0,1\n", "$via: both");
    is($s->output('last', 6), "none none\n", "$via: who asks for none hears of none");
    my $asked = $c->command('squeue', '-h', '-t', 'all', '-o', '%W %b');
    is(scalar(() = $asked =~ /^matlab:1 /mg), 3 * ($via eq 'rest' ? 1 : 2), "$via: Slurm was asked for each licence") or diag($asked);
    like($asked, qr/gpu:2$/m, "$via: and for the GPUs");

    # What there is not: it waits, and says for what.
    my $pid = $s->start('run', $s->write('x', action(1, ': x', [], resources => { licences => { nope => 1 } }),
        action(2, ': y', [], resources => { gpus => 3 }),
        action(3, ': z', [], resources => { licences => { matlab => 1 } }, executorOptions => { licenses => 'nope' })));
    my @right = (undef, qr/[Ii]nvalid license specification; see scontrol show licenses/,
        qr/node configuration is not available; no node has so much/, qr/[Ii]nvalid license/);
    my $waits = eventually(sub {
        my $said = (eval { $s->json('status', 2) } // { actions => [ { id => 1 } ] })->{actions};
        return !grep { ($_->{message} // '') !~ $right[ $_->{id} ] } @$said;
    });
    ok($waits, "$via: unknown licences and too many GPUs are told") or diag($s->pingo('status', 2)->{out});
    $s->well('kill', 2);
    isnt($s->finish($pid)->{status}, 0, "$via: and who is killed waits no more");
    is_deeply([ $c->jobs_left ], [], "$via: Slurm has nothing left of it");

    # The same by ticks alone, which leave before Slurm has answered: what is refused is not lost, however often.
    $s->well('config', 'executor.maxStarts', 2);
    my $ticked = $s->submit($s->write('t', action(1, ': x', [], resources => { licences => { nope => 1 } }),
        action(2, ': y', [], resources => { gpus => 3 }), action(3, ': z', [], executorOptions => { partition => 'nope' })));
    $right[3] = qr/[Ii]nvalid partition/;
    my $tries = 0;
    eventually { $s->well('tick', '-q'); $tries = Slurm::attempts($s, $ticked, 1); $tries >= 4 };
    cmp_ok($tries, '>=', 4, "$via: by ticks: it was tried again and again");
    my @said = @{ $s->json('status', $ticked)->{actions} };
    is_deeply([ grep { $_->{state} ne 'READY' || $_->{message} !~ $right[ $_->{id} ] } @said ], [], "$via: by ticks: all wait, and say for what");
    $s->well('kill', $ticked);
    $s->clean($via);
}
done_testing();
