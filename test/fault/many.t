#!/usr/bin/perl
# Eight processes run one store with 2,000 actions: every action runs once, slots are kept over all
# of them, fsck is clean.  Once with a workflow that was submitted before, once with each of them
# submitting the same file itself.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action slurp);
use Test::More;

my ($processes, $slots) = (8, 3);

# Layers of 100, each action with two parents; the first one waits for the second, so that two run at once.
#  Every action notes its start and its end by one
# short write each, so that the order in the file is the order in time.
sub graph {
    my ($s, $n) = @_;
    my $log = "'" . $s->path('log') . "'";
    return map {
        my $i = $_;
        my @parents = $i > 100 ? ($i - 100, $i % 100 ? $i - 99 : $i - 199) : ();
        my $read = @parents ? "read -r a <in/p$parents[0]; read -r b <in/p$parents[1]; " : '';
        my $wait = $i == 1 ? "until grep -qx '+ 2' $log; do sleep 0.02; done; " : '';
        action($i, "echo '+ $i' >>$log; $wait${read}echo $i >output; echo '- $i' >>$log", \@parents);
    } 1 .. $n;
}

# How often each action started, and the most that ran at once.
sub look {
    my ($s) = @_;
    my (%runs, $now, $most);
    ($now, $most) = (0, 0);
    for (split /\n/, slurp($s->path('log'))) {
        my ($sign, $i) = split / /;
        $runs{$i}++ if $sign eq '+';
        $now += $sign eq '+' ? 1 : -1;
        $most = $now if $now > $most;
    }
    return (\%runs, $most);
}

sub check {
    my ($s, $n, $what, @pids) = @_;
    my @ends = map { $s->finish($_) } @pids;
    is_deeply([ map { $_->{status} } @ends ], [ (0) x @pids ], "$what: every process ends well")
        or diag(map { $_->{err} } @ends);
    my ($runs, $most) = look($s);
    is(scalar(keys %$runs), $n, "$what: every action ran");
    is_deeply([ grep { $runs->{$_} > 1 } keys %$runs ], [], "$what: none ran twice");
    cmp_ok($most, '<=', $slots, "$what: no more than $slots ran at once");
    cmp_ok($most, '>=', 2, "$what: and more than one did");
    $s->clean($what);
}

my $s = Fault->new(slots => $slots);
my $file = $s->write('w', graph($s, 2000));
my $workflow = $s->submit($file);
check($s, 2000, 'submitted before', map { $s->start('run', '-q', $workflow) } 1 .. $processes);
is($s->state_of($workflow), 'FINISHED', 'the workflow is FINISHED');
is($s->output($workflow, $_), "$_\n", "output $_ is right") for 1, 777, 2000;

$s = Fault->new(slots => $slots);
$file = $s->write('w', graph($s, 500));
check($s, 500, 'each submits', map { $s->start('run', '-q', $file) } 1 .. $processes);
is_deeply([ map { $s->state_of($_) } 1 .. $processes ], [ ('FINISHED') x $processes ], 'each has a workflow that is FINISHED');
$s->nothing_left($file, 'each submits');
done_testing();
