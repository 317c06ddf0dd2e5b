#!/usr/bin/perl
# kill -9, again and again: of `pingo run`, of the supervisor, of a worker, of all at once.  Then one
# more `pingo run` ends as if nothing had happened, and nothing that had finished runs again.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action eventually seed slurp);
use Test::More;
use Time::HiRes qw(sleep);

seed();
my $n = 24;

sub parents {
    my ($i) = @_;
    my %parents = $i > 4 ? (int($i / 2) => 1, $i - 3 => 1) : ();
    return sort { $a <=> $b } keys %parents;
}

# A graph in which every action reads up to two others and says so in its output.
sub graph {
    my ($s) = @_;
    my @actions;
    for my $i (1 .. $n) {
        my @parents = parents($i);
        my $nap     = $i % 4 ? 0.02 : 0.15;
        my $read    = @parents ? 'cat in/*' : ':';
        push @actions, action($i, $s->note_run($i) . "; sleep $nap; { $read; echo $i; } | sort -nu >output", \@parents);
    }
    return @actions;
}

# What output I must be: itself and all its ancestors.
sub expected {
    my ($i) = @_;
    my (%seen, @todo);
    for (@todo = ($i); @todo;) {
        my $at = pop @todo;
        next if $at < 1 || $seen{$at}++;
        push @todo, parents($at);
    }
    return join '', map { "$_\n" } sort { $a <=> $b } keys %seen;
}

# Runs the workflow under blows until it has ended or the blows are used up; then to its end.
# $blow->(store, pid of pingo run) returns true when it killed the run as well.
sub batter {
    my ($what, $blows, $blow) = @_;
    my $s = Fault->new(slots => 2);
    my $file = $s->write('w', graph($s));
    my $workflow = $s->submit($file);
    my (%finished_with, $given, @broken);    # name => runs it had when it was seen FINISHED

    for ($given = 0; $given < $blows;) {
        my $pid = $s->start('run', '-q', $workflow);
        while ($given < $blows) {
            sleep 0.05 + rand 0.3;
            last if !$s->is_running($pid);
            $given++;
            last if $blow->($s, $pid);
        }
        my $r = $s->is_running($pid) ? $s->kill9($pid) : $s->finish($pid);
        push @broken, "status $r->{status}: $r->{err}" if !$r->{signal} && $r->{status};
        my $runs = $s->runs;
        $finished_with{$_} //= $runs->{ substr $_, 1 } for $s->in_state($workflow, 'FINISHED');
        last if $s->state_of($workflow) ne 'RUNNING';
    }
    note("$what: $given blows");
    my $r = $s->pingo('run', $workflow);
    is($r->{status}, 0, "$what: the last run ends well") or diag($r->{err});
    is_deeply(\@broken, [], "$what: no run ended badly on the way") or diag(@broken);
    is($s->state_of($workflow), 'FINISHED', "$what: the workflow is FINISHED");
    is(scalar(() = $s->in_state($workflow, 'FINISHED')), $n, "$what: and every action");
    my $runs = $s->runs;
    my @again = grep { $runs->{ substr $_, 1 } != $finished_with{$_} } keys %finished_with;
    is_deeply(\@again, [], "$what: nothing that had finished ran again (@{[ scalar keys %finished_with ]} had)");
    my @wrong = grep { $s->output($workflow, $_) ne expected($_) } 1 .. $n;
    is_deeply(\@wrong, [], "$what: every output is right");
    $s->clean($what);
    $s->nothing_left($file, $what);
    return ($s, $runs, $given);
}

# The attempts live on without the scheduler, and their ends are kept: none is run twice.
my ($s, $runs) = batter('pingo run', 8, sub { return 1 });
is_deeply([ grep { $runs->{$_} != 1 } 1 .. $n ], [], 'pingo run: every action ran exactly once');

($s, $runs, my $blows) = batter('supervisor', 4, sub {
    my ($store) = @_;
    kill KILL => $_ for $store->supervisor;
    return 0;
});
is_deeply([ grep { $runs->{$_} > 1 + $blows } 1 .. $n ], [], 'supervisor: no action ran more often than the blows explain');

($s, $runs, $blows) = batter('worker', 4, sub {
    my ($store) = @_;
    my @workers = $store->workers;
    kill KILL => $workers[ rand @workers ] if @workers;
    return 0;
});
my $more = 0;
$more += $runs->{$_} - 1 for 1 .. $n;
cmp_ok($more, '<=', $blows, 'worker: each blow cost at most one attempt');

($s, $runs, $blows) = batter('all at once', 4, sub {
    my ($store, $pid) = @_;
    kill KILL => $pid, $store->helpers;
    return 1;
});
is_deeply([ grep { $runs->{$_} > 1 + $blows } 1 .. $n ], [], 'all at once: no action ran more often than the blows explain');

# What was running when everything died is seen gone before it is tried again.
$s = Fault->new(slots => 1);
my $file = $s->write('w', action(1, 'echo $$ >>' . "'" . $s->path('pids') . "'" . '; [ "$(wc -l <' . "'" . $s->path('pids') . "'" . ')" -gt 1 ] || sleep 1000; echo x >output'));
my $workflow = $s->submit($file);
my $pid = $s->start('run', '-q', $workflow);
eventually { -s $s->path('pids') };
kill KILL => $pid, $s->helpers;
$s->finish($pid);
my ($first) = split /\n/, slurp($s->path('pids'));
$pid = $s->start('run', '-q', $workflow);
eventually { (my @pids = split /\n/, slurp($s->path('pids'))) == 2 };
ok(!-d "/proc/$first" || slurp("/proc/$first/stat") =~ /\) Z /, 'an orphan of the first attempt is gone when the second starts');
is($s->finish($pid)->{status}, 0, 'and the second ends well');
$s->clean('orphan');
done_testing();
