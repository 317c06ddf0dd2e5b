#!/usr/bin/perl
# What actions read, and who changes it behind their back: originals and tools that change, declared
# digests that are wrong, outputs that vanish from the pool by hand.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action eventually slurp spew);
use Test::More;
use Digest::SHA qw(sha256_hex);
use Time::HiRes qw(stat utime);

sub reads { my ($path, %more) = @_; return (inputs => [ { name => 'text', path => $path, %more } ]) }

sub message {
    my ($s, $w, $name) = @_;
    return (grep { $_->{name} eq $name } @{ $s->json('status', $w)->{actions} })[0]{message};
}

# Takes an output away as a careless person does.
sub lose {
    my ($s, $w, $name) = @_;
    my $path = $s->well('path', $w, $name);
    chmod 0700, $path if -d $path;
    system('rm', '-rf', $path) == 0 or die "cannot remove $path\n";
    return $path;
}

subtest 'an original changes between submission and start' => sub {
    my $s = Fault->new;
    spew($s->path('a.txt'), "one\n");
    my $w = $s->submit($s->write('w', action(1, 'cat in/text >output', [], reads('a.txt'), retries => 5), action(2, 'cat in/p1 >output', [1])));
    spew($s->path('a.txt'), "two!\n");
    my $r = $s->pingo('run', $w);
    is($r->{status}, 1, 'the run fails');
    like(message($s, $w, 'a1'), qr/a\.txt changed since submission/, 'and says which file');
    is_deeply($s->states($w), { a1 => 'FAILED', a2 => 'CANCELLED' }, 'the action FAILED');
    is($s->json('status', $w)->{actions}[0]{attempts}, 0, 'without a try, though it has retries');
    is($s->pingo('run', '-q', 'w.json')->{status}, 0, 'submitted again it is well');
    is($s->output(2, 'a2'), "two!\n", 'with the new content');
    $s->clean('changed before');
};

subtest 'an original changes while it is read' => sub {
    my $s = Fault->new;
    spew($s->path('a.txt'), "one\n");
    my $w = $s->submit($s->write('w', action(1, 'cat in/text >output; ' . $s->note_run(1) . '; ' . $s->gate('x'), [], reads('a.txt'), retries => 5)));
    my $pid = $s->start('run', '-q', $w);
    eventually { $s->runs->{1} };
    spew($s->path('a.txt'), "two!\n");
    $s->open_gate('x');
    is($s->finish($pid)->{status}, 1, 'the run fails');
    like(message($s, $w, 'a1'), qr/a\.txt changed since submission/, 'and says which file');
    is($s->runs->{1}, 1, 'it is not tried again');
    is($s->json('plan', 'w.json')->{actions}[0]{reason}, 'never computed', 'nothing is published');
    $s->clean('changed between');
};

subtest 'the same size within one tick of the clock' => sub {
    my $s = Fault->new;
    my $path = $s->path('a.txt');
    my $file = $s->write('w', action(1, 'cat in/text >output', [], reads('a.txt')));
    for my $i (1 .. 12) { # every other time by a file with the very times of the one before
        my @before = stat $path;
        spew($path, "$i\n" x 2) if $i < 10;
        spew($path, ($i % 10) . "\n" . ($i % 7) . "\n") if $i >= 10;
        utime($before[8], $before[9], $path) if $i % 2 == 0;
        my $want = slurp($path);
        is($s->pingo('run', '-q', $file)->{status}, 0, "edit $i runs");
        is($s->output($i, 'a1'), $want, 'and is seen');
    }
    my $w = $s->submit($file);
    $s->clean('one tick');
};

subtest 'declared digests' => sub {
    my $s = Fault->new;
    spew($s->path('a.txt'), "one\n");
    my $right = sha256_hex("one\n");
    my $file  = $s->write('wrong', action(1, 'cat in/text >output', [], reads('a.txt', sha256 => sha256_hex('two'))));
    is($s->pingo('run', '-q', $file)->{status}, 1, 'a wrong one fails the run');
    like(message($s, 1, 'a1'), qr/a\.txt: its SHA-256 is not the one declared/, 'and is told');
    $file = $s->write('right', action(1, 'cat in/text >output', [], reads('a.txt', sha256 => $right)));
    is($s->pingo('run', '-q', $file)->{status}, 0, 'a right one is well');
    unlink $s->path('a.txt');
    my $again = $s->pingo('run', '-q', $file);
    is($again->{status}, 0, 'the file may be absent when nobody must read it') or diag($again->{err});
    $s->well('rm', 2, 'a1');
    $s->pingo('tick');
    my $r = $s->pingo('submit', $file);
    is($r->{status}, 8, 'but not when an action must be computed');
    like($r->{err}, qr/a\.txt/, 'and its path is told');
    is(scalar @{ $s->json('status') }, 3, 'such a submission leaves nothing');
    $file = $s->write('plain', action(1, 'cat in/text >output', [], reads('b.txt')));
    $r = $s->pingo('submit', $file);
    is($r->{status}, 8, 'an original without a digest that is absent is an error');
    like($r->{err}, qr/b\.txt/, 'with its path');
    $s->clean('declared');
};

subtest 'a tool that changes' => sub {
    my $s = Fault->new;
    my $tool = sub { spew($s->path('bin/tool'), "#!/bin/sh\necho $_[0]\n"); chmod 0755, $s->path('bin/tool') };
    mkdir $s->path('bin');
    $tool->('one');
    my $file = $s->write('w', action(1, 'tool >output', [], tools => ['tool'], env => { PATH => $s->path('bin') . ':/usr/bin:/bin' }));
    is($s->pingo('run', '-q', $file)->{status}, 0, 'it runs');
    $tool->('another');
    is($s->json('plan', $file)->{actions}[0]{decision}, 'compute', 'a changed tool is another computation');
    my $w = $s->submit($file);
    $tool->('a third');
    is($s->pingo('run', '-q', $w)->{status}, 1, 'a tool that changes before the start fails the action');
    like(message($s, $w, 'a1'), qr{bin/tool changed since submission}, 'and is told');
    is($s->pingo('run', '-q', $file)->{status}, 0, 'submitted again it is well');
    is($s->output(3, 'a1'), "a third\n", 'with the tool as it is now');
    $s->clean('tool');
};

subtest 'an input vanishes before its reader starts' => sub {
    my $s = Fault->new(slots => 3);
    my $w = $s->submit($s->write('w', action(1, $s->note_run('a') . '; echo 1 >output'), action(2, $s->note_run('b') . '; mkdir output; cp in/p1 output/f', [1]),
        action(3, $s->gate('x') . '; echo >output'), action(4, 'cat in/p2/f >output', [ 2, 3 ]), action(5, 'cat in/p1 in/p2/f >output', [ 1, 2, 3 ])));
    my $pid = $s->start('run', '-q', $w);
    $s->wait_state($w, 'a2', 'FINISHED');
    lose($s, $w, 'a2');
    $s->open_gate('x');
    my $r = $s->finish($pid);
    is($r->{status}, 0, 'the user sees no error') or diag($r->{err});
    is_deeply($s->runs, { a => 1, b => 2 }, 'what was lost is made again, and only that');
    is($s->output($w, 'a5'), "1\n1\n", 'both readers have it');
    is(join(' ', sort values %{ $s->states($w) }), join(' ', ('FINISHED') x 5), 'every action is FINISHED');
    $s->clean('vanished');
};

subtest 'an input and what it was made from vanish' => sub {
    my $s = Fault->new(slots => 3);
    my $file = $s->write('w', action(1, $s->note_run('a') . '; echo 1 >output'), action(2, $s->note_run('b') . '; cat in/p1 >output', [1]),
        action(3, 'cat in/p2 >output', [2]));
    is($s->pingo('run', '-q', $file)->{status}, 0, 'it runs');
    my $w = $s->submit($s->write('v', action(1, $s->note_run('a') . '; echo 1 >output'), action(2, $s->note_run('b') . '; cat in/p1 >output', [1]),
        action(4, 'cat in/p2; cat in/p2 >output', [2])));
    lose($s, 1, $_) for qw(a1 a2);
    is($s->pingo('run', '-q', $w)->{status}, 0, 'a reader that was submitted before runs');
    is_deeply($s->runs, { a => 2, b => 2 }, 'both are made again');
    is($s->output($w, 'a4'), "1\n", 'and read');
    $s->clean('two vanished');
};

subtest 'an input vanishes under its readers' => sub {
    my $s = Fault->new(slots => 4);
    my $w = $s->submit($s->write('w', action(1, $s->note_run('a') . '; echo 1 >output'),
        (map { action($_, $s->note_run("r$_") . '; ' . $s->gate("g$_") . '; cat in/p1 >output', [1]) } 2 .. 4),
        action(5, 'cat in/* >output', [ 2 .. 4 ])));
    my $pid = $s->start('run', '-q', $w);
    $s->wait_state($w, $_, 'RUNNING') for qw(a2 a3 a4);
    lose($s, $w, 'a1');
    $s->open_gate('g2');
    ok(eventually(sub { ($s->runs->{r2} // 0) == 2 }), 'the first that reads is tried again');
    $s->open_gate('g3', 'g4');
    my $r = $s->finish($pid);
    is($r->{status}, 0, 'the user sees no error') or diag($r->{err}, explain($s->states($w)));
    is_deeply($s->runs, { a => 2, r2 => 2, r3 => 2, r4 => 2 }, 'the input is made again once, each reader tried again once');
    is($s->output($w, 'a5'), "1\n" x 3, 'and all is there');
    $s->clean('under readers');
};

subtest 'a command that hides the loss is not believed' => sub {
    my $s = Fault->new(slots => 2);
    my $w = $s->submit($s->write('w', action(1, 'echo 1 >output'),
        action(2, $s->note_run('r') . '; ' . $s->gate('x') . '; cat in/p1 >output 2>/dev/null || echo nothing >output', [1])));
    my $pid = $s->start('run', '-q', $w);
    $s->wait_state($w, 'a2', 'RUNNING');
    lose($s, $w, 'a1');
    $s->open_gate('x');
    is($s->finish($pid)->{status}, 0, 'it ends well');
    is($s->output($w, 'a2'), "1\n", 'with the right output');
    is($s->runs->{r}, 2, 'because it was tried again');
    $s->clean('hidden');
};

subtest 'interrupted after its input vanished' => sub {
    my $s = Fault->new(slots => 2);
    my $w = $s->submit($s->write('w', action(1, $s->note_run('a') . '; echo 1 >output'),
        action(2, $s->gate('x') . '; cat in/p1 >output', [1]), action(3, $s->gate('y') . '; cat in/p1 >output', [1])));
    my $pid = $s->start('run', $w);
    $s->wait_state($w, $_, 'RUNNING') for qw(a2 a3);
    lose($s, $w, 'a1');
    $s->open_gate('x'); # its failure makes the loss known
    ok(eventually(sub { ($s->runs->{a} // 0) == 2 }), 'the input is made again');
    for my $said (qr/nothing more starts/, qr/interrupted again/) {
        kill INT => $pid;
        ok(eventually(sub { $s->so_far($pid) =~ $said }), "INT: $said") or diag($s->so_far($pid));
    }
    is($s->finish($pid)->{status}, 130, 'the run is interrupted');
    $s->open_gate('y');
    my $r = $s->pingo('run', '-q', $w);
    is($r->{status}, 0, 'and can go on') or diag($r->{err}, explain($s->json('status', $w)->{actions}));
    is($s->runs->{a}, 2, 'with the input as it was made again');
    $s->clean('interrupted');
};

# Whatever makes the input is undone at once, as often as it is made.  The reader may be faster than we
# are and read it all the same; then nothing was lost a second time, and we try again.
sub lose_twice {
    my $s = Fault->new(slots => 2);
    my $w = $s->submit($s->write('w', action(1, $s->note_run('a') . '; echo 1 >output'),
        action(2, $s->gate('x1') . '; echo >output'), action(3, 'cat in/p1 >output', [ 1, 2 ]), action(4, 'cat in/p3 >output', [3])));
    my $pid = $s->start('run', $w);
    $s->wait_state($w, 'a1', 'FINISHED');
    my $objects = $s->path('.pingo/pool/objects');
    my $hash = $s->json('status', $w)->{actions}[0]{hash};
    my $undo = sub { unlink glob("$objects/*/$hash.*") };
    $undo->();
    $s->open_gate('x1');
    eventually { $undo->(); !$s->is_running($pid) };
    return ($s, $w, $s->finish($pid));
}

subtest 'the second loss fails the reader' => sub {
    my ($s, $w, $r, $states);
    for my $try (1 .. 20) {
        ($s, $w, $r) = lose_twice();
        $states = $s->states($w);
        last if $states->{a3} ne 'FINISHED';
    }
    is($r->{status}, 1, 'the run fails');
    is("$states->{a3} $states->{a4}", 'FAILED CANCELLED', 'the reader FAILED');
    like(message($s, $w, 'a3'), qr/vanished from the pool for the second time/, 'and says why');
    cmp_ok($s->runs->{a}, '<=', 3, 'it does not go on for ever');
    $s->clean('second loss') or diag($r->{err});
};

subtest 'a promoted joiner whose originals are gone' => sub {
    my $s = Fault->new;
    mkdir $s->path('bin');
    spew($s->path('bin/tool'), "#!/bin/sh\necho one\n");
    chmod 0755, $s->path('bin/tool');
    spew($s->path('a.txt'), "one\n");
    my %env = (tools => ['tool'], env => { PATH => $s->path('bin') . ':/usr/bin:/bin' });
    my $x = action(1, $s->gate('x') . '; tool; cat in/text; exit 3', [], %env, reads('a.txt', sha256 => sha256_hex("one\n")));
    my $y = action(1, $s->gate('x') . '; tool; exit 3', [], %env, id => 7, name => 'a7');
    my $w1 = $s->submit($s->write('w1', $x, $y));
    my $pid = $s->start('run', '-q', $w1);
    $s->wait_state($w1, $_, 'RUNNING') for qw(a1 a7);
    my $w2 = $s->submit($s->write('w2', $x, $y, action(2, 'cat in/p1 >output', [1]), action(3, 'echo 3 >output')));
    unlink $s->path('a.txt'), $s->path('bin/tool');
    $s->open_gate('x');
    is($s->finish($pid)->{status}, 1, 'the first workflow fails');
    is($s->pingo('run', '-q', $w2)->{status}, 1, 'so does the second, and nothing hangs');
    is_deeply($s->states($w2), { a1 => 'FAILED', a7 => 'FAILED', a2 => 'CANCELLED', a3 => 'FINISHED' }, 'but for what needs none of it');
    like(message($s, $w2, 'a1'), qr/tool|a\.txt/, 'and says what is missing');
    like(message($s, $w2, 'a7'), qr/tool/, 'of the tool, too');
    $s->clean('promoted without originals');
};

subtest 'a leaf that was removed by hand' => sub {
    my $s = Fault->new;
    my $file = $s->write('w', action(1, $s->note_run('a') . '; echo 1 >output'), action(2, $s->note_run('b') . '; cat in/p1 >output', [1]));
    is($s->pingo('run', '-q', $file)->{status}, 0, 'it runs');
    lose($s, 1, 'a2');
    is($s->json('fsck')->{clean}, JSON::PP::false, 'fsck sees the loss');
    is($s->pingo('run', '-q', $file)->{status}, 0, 'the next submission');
    is_deeply($s->runs, { a => 1, b => 2 }, 'computes it again, and only it');
    is($s->output(2, 'a2'), "1\n", 'and it is there');
    $s->clean('leaf');
    lose($s, 2, 'a2');
    is($s->pingo('fsck', '--repair')->{status}, 0, 'fsck --repair forgets what is gone');
    $s->clean('repaired');
    is($s->json('plan', $file)->{summary}{compute}, 1, 'and it would be computed');
};
done_testing();
