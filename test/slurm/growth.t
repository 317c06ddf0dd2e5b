#!/usr/bin/perl
# growth.t - memory that grows on a real Slurm: what dies of it is tried again with more, up to the largest node of its
# partition, and the next one starts right.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Slurm;
use Fault qw(action eventually);
use Test::More;

Slurm::is_needed();
my $c = Slurm->new('--memory', 400, '--nodes', 2);

# Takes so many MB and, where it was given less, holds them until that was seen.
sub eat {
    my ($mb) = @_;
    return ['python3', '-c', "import os, time; b = bytearray($mb << 20); b[::4096] = b'x' * len(b[::4096]); time.sleep(1000 if int(os.environ['PINGO_MEMORY_MB']) < $mb else 0); open('output', 'w').write('$mb')"];
}
sub given { my ($s, $w, $name) = @_; return [ map { $_->{memoryMB} } grep { $_->{name} eq $name } @{ $s->json('status', '--attempts', $w) } ] }
sub message_of { my ($s, $w, $name) = @_; return (map { $_->{message} // '' } grep { $_->{name} eq $name } @{ $s->json('status', $w)->{actions} })[0] }

for my $via (qw(rest commands)) {
    my $s = $c->store($via);
    # Some versions of the interface do not tell which partition is the default.
    $c->configure($s, $via, partition => 'debug') if $via eq 'rest' && $c->{env}{REST_API} =~ /v0\.0\.4[0-4]$/;
    my @actions = (action(1, eat(150), undef, resources => { memoryMB => 60 }),
        action(2, eat(500), undef, resources => { memoryMB => 250 }, retries => 0),
        action(3, eat(140), undef, resources => { memoryMB => 60, maxMemoryMB => 100 }));
    my $workflow = $s->submit($s->write('w', @actions));
    if ($via eq 'rest') {
        is($s->pingo('run', '-q', $workflow)->{status}, 1, "$via: two of three need more than there is");
    } else {    # each tick is another process, and asks Slurm anew
        my $ended = eventually { $s->pingo('tick', '-q'); $s->state_of($workflow) ne 'RUNNING' };
        ok($ended, "$via: driven by ticks alone")
            or diag($s->well('status', $workflow), $s->well('status', '--attempts', $workflow), $c->command('squeue'));
    }
    my $states = $s->states($workflow);
    is($states->{a1}, 'FINISHED', "$via: what grew enough ends well") or diag(message_of($s, $workflow, 'a1'));
    is_deeply(given($s, $workflow, 'a1'), [ 60, 120, 240 ], "$via: with double the memory each time");
    is_deeply(given($s, $workflow, 'a2'), [ 250, 384 ], "$via: up to what the largest node has left for it");
    like(message_of($s, $workflow, 'a2'), qr/needs more than 384 MB, and executor "slurm" has no more/, "$via: which is told");
    is_deeply(given($s, $workflow, 'a3'), [ 60, 100 ], "$via: up to its maxMemoryMB");
    like(message_of($s, $workflow, 'a3'), qr/needs more than 100 MB: raise resources\.maxMemoryMB/, "$via: which is told, too");
    $actions[0]{salt} = 'again';
    is($s->pingo('run', '-q', $s->write('v', $actions[0]))->{status}, 0, "$via: the same, disowned");
    is_deeply(given($s, 'last', 'a1'), [240], "$via: starts right");
}
done_testing();
