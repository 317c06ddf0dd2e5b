#!/usr/bin/perl
# `pingo tick` alone, in a loop, in several loops at once, and after others have died.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action eventually slurp spew);
use Test::More;
use Time::HiRes qw(sleep);

sub chain {
    my ($s, $n) = @_;
    return map { my @p = $_ > 2 ? ($_ - 2) : (); action($_, $s->note_run($_) . '; cat in/* >output 2>/dev/null || :; ' . "echo $_ >>output", \@p) } 1 .. $n;
}

sub ran_once { my ($s, $n) = @_; return is_deeply($s->runs, { map { $_ => 1 } 1 .. $n }, 'every action ran once') }

subtest 'one loop' => sub {
    my $s = Fault->new;
    my $w = $s->submit($s->write('w', chain($s, 12)));
    my $ticks = 0;
    ok(eventually(sub { $ticks++; $s->pingo('tick')->{status} == 0 or die "a tick fails\n"; $s->state_of($w) ne 'RUNNING' }), 'comes to an end');
    is($s->state_of($w), 'FINISHED', 'a good one');
    ran_once($s, 12);
    is($s->output($w, 'a12'), join('', map { 2 * $_ . "\n" } 1 .. 6), 'and the output is right');
    my $idle = $s->json('tick');
    is_deeply([ @$idle{qw(recovered settled started deleted active)} ], [ 0, 0, 0, 0, 0 ], 'then a tick does nothing');
    $s->clean('one loop');
    note("$ticks ticks");
};

subtest 'several loops' => sub {
    my $s = Fault->new(slots => 3);
    my $w = $s->submit($s->write('w', chain($s, 60)));
    my @loops;
    for (1 .. 4) {
        my $pid = fork // die;
        if (!$pid) { # a shell that ticks until the workflow has ended
            open STDOUT, '>', '/dev/null';
            open STDERR, '>>', $s->path('loops.err');
            chdir $s->{dir};
            exec 'timeout', '900', 'sh', '-c', 'while "$0" tick && "$0" status "$1" | grep -q RUNNING; do :; done', Fault::program(), $w;
        }
        push @loops, $pid;
    }
    waitpid $_, 0 for @loops;
    is(slurp($s->path('loops.err')), '', 'say nothing');
    is($s->state_of($w), 'FINISHED', 'bring it to its end');
    ran_once($s, 60);
    $s->clean('several loops');
};

subtest 'ticks among blows' => sub {
    my $s = Fault->new(slots => 2);
    my $w = $s->submit($s->write('w', chain($s, 40)));
    for my $round (1 .. 25) {
        my $pid = $s->start('tick');
        sleep rand 0.03;
        $s->is_running($pid) ? $s->kill9($pid) : $s->finish($pid);
        last if $s->state_of($w) ne 'RUNNING';
    }
    ok(eventually(sub { $s->pingo('tick'); $s->state_of($w) ne 'RUNNING' }), 'it comes to an end');
    is($s->state_of($w), 'FINISHED', 'a good one');
    ran_once($s, 40);
    $s->clean('blows');
};

subtest 'takeover after death' => sub {
    my $s = Fault->new(slots => 2);
    my $w = $s->submit($s->write('w', action(1, $s->note_run(1) . "; echo \$\$ >'" . $s->path('pid') . "'; " . $s->gate('x') . '; echo 1 >output'),
        action(2, $s->note_run(2) . '; cat in/p1 >output', [1])));
    my $pid = $s->start('run', '-q', $w);
    ok(eventually(sub { -s $s->path('pid') }), 'an attempt runs');
    $s->kill9($pid);
    my $first = $s->json('tick');
    is($first->{recovered}, 1, 'a tick takes over what the dead process left');
    is($first->{started}, 0, 'and starts nothing anew');
    $s->open_gate('x');
    ok(eventually(sub { $s->pingo('tick'); $s->state_of($w) eq 'FINISHED' }), 'ticks bring it to its end');
    ran_once($s, 2);

    $w = $s->submit($s->write('v', action(1, $s->gate('never') . '; echo 1 >output', [], salt => 'v'), action(2, 'echo 2 >output', [], salt => 'v')));
    $pid = $s->start('run', '-q', $w);
    $s->wait_state($w, 'a1', 'RUNNING');
    $s->kill9($pid);
    my $busy = sub { return grep { my $p = $_; grep { slurp("/proc/$_/stat") =~ /^\d+ \(.*\) \S+ $p / } map { m{/(\d+)$} } glob '/proc/[0-9]*' } $s->workers };
    ok(eventually(sub { $busy->() }), 'without a scheduler the attempt runs on');
    $s->well('kill', $w);
    ok(eventually(sub { !$busy->() }), 'a kill where no scheduler is ends the attempt itself');
    $s->pingo('tick');
    is($s->states($w)->{a1}, 'KILLED', 'it is KILLED');
    $s->clean('takeover');
};

subtest 'who gave an attempt up died before it could say so' => sub {
    my $s = Fault->new(slots => 1);
    my $w = $s->submit($s->write('w', action(1, $s->gate('x') . '; echo 1 >output'), action(2, $s->note_run(2) . '; echo 2 >output'),
        action(3, 'cat in/p1 >output', [1])));
    my $pid = $s->start('run', '-q', $w);
    $s->wait_state($w, 'a1', 'RUNNING');
    $s->wait_state($w, 'a2', 'SUBMITTED');
    $s->kill9($pid);
    # The file is how a scheduler gives up what is armed; it comes before everything else that it does.
    spew($s->path('.pingo/pool/attempts/2.1'), '');
    $pid = $s->start('run', '-q', $w);
    $s->wait_state($w, 'a1', 'RUNNING');
    is($s->states($w)->{a2}, 'SUBMITTED', 'the attempt is adopted, for it is still armed');
    $s->open_gate('x');
    is($s->finish($pid)->{status}, 0, 'the next one to run it ends well');
    is($s->runs->{2}, 1, 'and the action ran once');
    is_deeply([ grep { -f } glob($s->path('.pingo/pool/attempts/*')) ], [], 'the file is gone');
    $s->clean('given up');
};

subtest 'a tick of few jobs' => sub {
    my $s = Fault->new(slots => 4);
    my $w = $s->submit($s->write('w', map { action($_, $s->gate('x') . "; echo $_ >output") } 1 .. 4));
    is($s->json('tick', '-j', 1)->{started}, 1, '-j bounds what it starts');
    is($s->json('tick', '-j', 1)->{started}, 0, 'and what it took over counts');
    $s->open_gate('x');
    ok(eventually(sub { $s->pingo('tick'); $s->state_of($w) eq 'FINISHED' }), 'without -j the rest goes on');
    $s->clean('few');
};
done_testing();
