#!/usr/bin/perl
# What becomes of datasets: deleted after their readers, kept, removed, released, rescued; forced
# generations that replace a former one, which its readers still read.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action eventually slurp spew);
use Test::More;

# hash => dataset, of all generations (the newest last).
sub datasets {
    my ($s) = @_;
    my %by_hash;
    push @{ $by_hash{ $_->{hash} } }, $_ for @{ $s->json('datasets', '--all') };
    return \%by_hash;
}

sub hash_of { my ($s, $w, $name) = @_; return (grep { $_->{name} eq $name } @{ $s->json('status', $w)->{actions} })[0]{hash} }

sub dataset {
    my ($s, $w, $name) = @_;
    my $hash = hash_of($s, $w, $name);
    my ($now) = grep { $_->{hash} eq $hash } @{ $s->json('datasets') };
    return $now // { state => 'none' };
}

sub objects { my ($s) = @_; return grep { -e } glob($s->path('.pingo/pool/objects/*/*')) }

subtest 'keep: false goes after its readers, keep: true and leaves stay' => sub {
    my $s = Fault->new;
    my $w = $s->submit($s->write('w', action(1, 'echo 1 >output', [], keep => JSON::PP::false),
        action(2, 'cat in/p1 >output', [1], keep => JSON::PP::true), action(3, $s->gate('x') . '; cat in/p1 in/p2 >output', [ 1, 2 ])));
    my $pid = $s->start('run', '-q', $w);
    $s->wait_state($w, 'a3', 'RUNNING');
    my $d = dataset($s, $w, 'a1');
    is("$d->{state} $d->{claims}", 'STORED_TO_DELETE 1', 'while a reader runs it is claimed');
    is(slurp($d->{path}), "1\n", 'and there');
    is($s->pingo('rm', $w, 'a2')->{status}, 5, 'what is claimed cannot be removed');
    $s->open_gate('x');
    is($s->finish($pid)->{status}, 0, 'the run ends');
    $s->pingo('tick');
    ok(eventually(sub { !-e $d->{path} }), 'then its bytes go');
    is($s->output($w, 'a3'), "1\n1\n", 'its readers had them');
    is(dataset($s, $w, 'a2')->{keep}, JSON::PP::true, 'the other is pinned');
    is(scalar(objects($s)), 2, 'and there with the leaf');
    $s->clean('keep');
};

# A workflow whose first action keeps nothing, or all.
sub two_of { my ($s, $name, $keep, $gate) = @_;
    return $s->write($name, action(1, "${gate}echo 1 >output", [], keep => $keep ? JSON::PP::true : JSON::PP::false), action(2, 'cat in/p1 >output', [1])) }

subtest 'what is pinned stays, though an action with keep: false makes it' => sub {
    my $s = Fault->new;
    my $w = $s->submit(two_of($s, 'never', 0, $s->gate('x') . '; '));
    my $pid = $s->start('run', '-q', $w);
    $s->wait_state($w, 'a1', 'RUNNING');
    my $kept = $s->submit(two_of($s, 'always', 1, $s->gate('x') . '; '));
    $s->open_gate('x');
    is($s->finish($pid)->{status}, 0, 'while it is made, somebody else wants to keep it, but does not need it');
    $s->well('run', '-q', $kept);
    $s->pingo('tick');
    my $d = dataset($s, $w, 'a1');
    is("$d->{state} $d->{keep}", 'STORED 1', 'it is kept');
    unlink $d->{path};
    $s->well('rm', $w, 'a2');
    $s->pingo('tick');
    $s->well('run', '-q', two_of($s, 'never', 0, $s->gate('x') . '; '));
    $s->pingo('tick');
    is(dataset($s, $w, 'a1')->{state}, 'STORED', 'so it is made again after it was lost');
    $s->clean('pinned');
    $s = Fault->new;
    $w = $s->submit(two_of($s, 'never', 0, ''));
    spew($s->path('mine'), "1\n");
    $s->well('adopt', $w, 'a1', $s->path('mine'));
    $s->well('run', '-q', $w);
    $s->pingo('tick');
    is(dataset($s, $w, 'a1')->{state}, 'STORED', 'what was adopted stays until it is released');
    $s->well('release', $w, 'a1');
    $s->clean('adopted');
};

subtest 'a result that was lost is one again, whoever makes it' => sub {
    my $s = Fault->new;
    $s->well('run', '-q', $s->write('w1', action(1, 'echo 1 >output')));
    unlink dataset($s, 1, 'a1')->{path};
    $s->well('run', '-q', two_of($s, 'reads', 0, ''));
    $s->pingo('tick');
    is(dataset($s, 1, 'a1')->{state}, 'LEAF', 'though for another submission it is to be deleted');
    $s->well('release', 1, 'a1');
    $s->pingo('tick');
    $s->clean('lost and made');
};

subtest 'a result that failed for who wanted it is one, whoever makes it' => sub {
    my $s   = Fault->new;
    my $bad = $s->path('bad');
    my $one = action(1, "if [ -e '$bad' ]; then exit 3; fi; echo 1 >output");
    spew($bad, '');
    is($s->pingo('run', '-q', $s->write('w1', $one))->{status}, 1, 'it fails');
    unlink $bad or die "unlink: $!\n";
    $s->well('run', '-q', $s->write('w2', $one, action(2, 'cat in/p1 >output', [1])));
    is(dataset($s, 1, 'a1')->{state}, 'LEAF', 'though the other submission only reads it');
    $s->well('release', 1, 'a1');
    is(dataset($s, 1, 'a1')->{state}, 'STORED', 'until it is released');
    $s->clean('failed and made');
};

subtest 'rm, release, rescue' => sub {
    my $s = Fault->new;
    my $file = $s->write('w', action(1, $s->note_run(1) . '; echo 1 >output'), action(2, $s->note_run(2) . '; cat in/p1 >output', [1]));
    is($s->pingo('run', '-q', $file)->{status}, 0, 'a workflow');
    is(dataset($s, 1, 'a2')->{state}, 'LEAF', 'its leaf is a LEAF');
    $s->well('release', 1, 'a2');
    is(dataset($s, 1, 'a2')->{state}, 'STORED', 'released it is STORED');
    is($s->pingo('run', '-q', $file)->{status}, 0, 'submitted again');
    is(dataset($s, 1, 'a2')->{state}, 'LEAF', 'it is a LEAF again');
    $s->well('rm', 1, 'a2');
    is(dataset($s, 1, 'a2')->{state}, 'STORED_TO_DELETE', 'removed, it is on its way out');
    my $plan = $s->json('plan', $file);
    is($plan->{actions}[1]{decision}, 'reuse', 'a plan would rescue it');
    $s->submit($file);
    is(dataset($s, 1, 'a2')->{state}, 'LEAF', 'a submission before the next tick does');
    $s->pingo('tick');
    is($s->output(1, 'a2'), "1\n", 'its bytes are there');
    $s->well('rm', 1, 'a2');
    $s->pingo('tick');
    is(scalar(objects($s)), 1, 'after a tick its bytes are gone');
    is($s->pingo('path', 1, 'a2')->{status}, 5, 'and it has no path');
    $s->clean('rm');
    is($s->pingo('run', '-q', $file)->{status}, 0, 'run again');
    is_deeply($s->runs, { 1 => 1, 2 => 2 }, 'only what was removed is computed');
    is(scalar(@{ datasets($s)->{ hash_of($s, 1, 'a2') } }), 2, 'as a second generation');
    $s->clean('made again');
};

subtest 'a forced generation replaces the former one, whose readers keep it' => sub {
    my $s = Fault->new(slots => 3);
    my $a1 = action(1, $s->note_run(1) . "; wc -l <'" . $s->path('ran') . "' >output");
    my $w1 = $s->submit($s->write('w1', $a1, action(2, $s->gate('x') . '; cat in/p1 >output', [1])));
    my $pid = $s->start('run', '-q', $w1);
    $s->wait_state($w1, 'a2', 'RUNNING');
    my $before = dataset($s, $w1, 'a1')->{path};
    my $file = $s->write('w2', $a1, action(3, 'cat in/p1 >output', [1]));
    is($s->pingo('run', '-q', '--force', 'a1', $file)->{status}, 0, 'another workflow forces it');
    is($s->output(2, 'a3'), "2\n", 'its own reader reads the new one');
    my $now = dataset($s, $w1, 'a1')->{path};
    isnt($now, $before, 'the new generation has a path of its own');
    $s->pingo('tick');
    is(slurp($before), "1\n", 'the former is there as long as it is claimed');
    $s->open_gate('x');
    is($s->finish($pid)->{status}, 0, 'its reader ends well');
    is($s->output($w1, 'a2'), "1\n", 'with what it was given');
    $s->pingo('tick');
    ok(eventually(sub { !-e $before }), 'then the former goes');
    is(slurp($now), "2\n", 'and the new one stays');
    $s->clean('forced');
};

subtest 'a forced action that fails leaves the former current' => sub {
    my $s = Fault->new;
    my $file = $s->write('w', action(1, $s->note_run(1) . "; [ ! -e '" . $s->path('fail') . "' ] && echo 1 >output"), action(2, 'cat in/p1 >output', [1]));
    is($s->pingo('run', '-q', $file)->{status}, 0, 'once well');
    spew($s->path('fail'), '');
    is($s->pingo('run', '-q', '--force', 'a1', $file)->{status}, 1, 'forced, it fails');
    is($s->output(1, 'a1'), "1\n", 'what was there is there');
    is(dataset($s, 1, 'a2')->{state}, 'LEAF', 'the leaf as well');
    is($s->json('plan', $file)->{summary}{compute}, 0, 'and is reused');
    $s->clean('forced and failed');
};

subtest 'forced: descendants are made anew, and join nothing' => sub {
    my $s = Fault->new(slots => 3);
    my @actions = map { action($_->[0], $s->note_run($_->[0]) . "; $_->[2]cat in/* >output 2>/dev/null || :; echo >>output", $_->[1]) }
        [ 1, [], '' ], [ 2, [1], $s->gate('x') . '; ' ], [ 3, [2], '' ];
    my $file = $s->write('w', @actions);
    my $w = $s->submit($file);
    my $pid = $s->start('run', '-q', $w);
    $s->wait_state($w, 'a2', 'RUNNING');
    my $forced = $s->submit('--force', 'a1', $file);
    is_deeply([ map { $_->{decision} } @{ $s->json('status', $forced)->{actions} } ], [ ('compute') x 3 ], 'all three are computed');
    my $third = $s->submit($file);
    is_deeply([ map { $_->{decision} } @{ $s->json('status', $third)->{actions} } ], [ 'skip', 'skip', 'join' ], 'who comes then joins one of them');
    $s->open_gate('x');
    is($s->finish($pid)->{status}, 0, 'the first ends');
    is($s->pingo('run', '-q', $forced, $third)->{status}, 0, 'the others as well');
    is_deeply($s->runs, { 1 => 2, 2 => 2, 3 => 2 }, 'two generations of each');
    $s->pingo('tick');
    is(scalar(objects($s)), 3, 'of which one is left');
    $s->clean('descendants');
};
done_testing();
