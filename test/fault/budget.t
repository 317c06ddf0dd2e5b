#!/usr/bin/perl
# A pool that holds a tenth of what passes through it: a history of workflows with real processes
# and files, whose results are right to the byte although most of what they need was evicted in
# between.  The same under kill -9 at any moment, by two who run at once; and a budget that is
# smaller than one workflow.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Digest::SHA qw(sha256_hex);
use Fault qw(action eventually seed slurp);
use JSON::PP ();
use Test::More;
use Time::HiRes qw(sleep time);

my $seed = seed();

# The workflow files of a generated history, in order.
sub generate {
    my ($s, $family, @set) = @_;
    my $dir = $s->path('wf');
    $s->well('generate', '--family', $family, '--seed', $seed % 1000 + 1, (map { ('--set', $_) } @set),
        '--workflows', $dir, '--size-scale', '0.0002', '--time-scale', '0.0001');
    return sort glob("$dir/*.json");
}

# What an action of such a file must make: its command says so, "yes WORD | head -c SIZE".
sub expected {
    my ($command) = @_;
    my ($word, $size) = $command =~ /yes (\w+) \| head -c (\d+) >output/ or die "not a command of ours: $command\n";
    my $line = "$word\n";
    return substr($line x ($size / length($line) + 1), 0, $size);
}

# The leaves of a file: name => what it must make.
sub leaves {
    my ($file) = @_;
    my $definition = JSON::PP::decode_json(slurp($file));
    my %is_parent  = map { $_->{id} => 1 } map { @{ $_->{parentActions} // [] } } @{ $definition->{actions} };
    return { map { $_->{name} => expected($_->{command}) } grep { !$is_parent{ $_->{id} } } @{ $definition->{actions} } };
}

sub wrong_leaves {
    my ($s, $workflow, $file) = @_;
    my $leaves = leaves($file);
    return map { "$file $_" } grep { $s->output($workflow, $_) ne $leaves->{$_} } sort keys %$leaves;
}

# What of the used bytes is above the budget although it might go.
sub excess {
    my ($s) = @_;
    my $pool = $s->json('report')->{pool};
    my $held = $pool->{keptBytes} + $pool->{claimedBytes} + $pool->{leafBytes} + $pool->{failedBytes} + $pool->{undeletableBytes};
    return $pool->{usedBytes} - $pool->{budgetBytes} - $held;
}

# Every byte below the pool's objects and trash belongs to a row.
sub is_all_known {
    my ($s, $what) = @_;
    my %known = map { $_->{path} => 1 } grep { defined $_->{path} } @{ $s->json('datasets', '--all') };
    my @strangers = grep { !$known{$_} } glob($s->path('.pingo/pool/objects/*/*'));
    is_deeply(\@strangers, [], "$what: no file that no row knows");
    my @trash = glob($s->path('.pingo/pool/trash/*'));
    is_deeply(\@trash, [], "$what: the trash is empty");
}

subtest 'ten times the budget' => sub {
    my $s = Fault->new(slots => 2);
    my @files = generate($s, 'zipf-h', 'actions=160');
    my (@wrong, @over, $bytes);

    $s->well('config', 'pool.budget', '900K');
    for my $file (@files) {
        my $w = $s->json('run', '-q', $file)->{workflows}[0]{workflow};
        push @wrong, wrong_leaves($s, $w, $file);
        push @over, $w if excess($s) > 0;
        $s->well('release', $w);
    }
    $s->well('tick');
    my $report = $s->json('report');
    $bytes += $_->{sizeBytes} for grep { defined $_->{sizeBytes} } @{ $s->json('datasets', '--all') };
    cmp_ok($bytes, '>=', 10 * 900 * 1024, 'ten times the budget was made in all');
    is_deeply(\@wrong, [], 'every result is right to the byte');
    is_deeply(\@over, [], 'after each run no more was used than the budget and what may not go');
    cmp_ok($report->{pool}{usedBytes}, '<=', 900 * 1024, 'in the end the pool is within its budget');
    cmp_ok($report->{evictions}, '>', 100, 'a good deal was evicted');
    cmp_ok($report->{lostMs}, '>', 0, 'some of it was missed, and that is booked');
    cmp_ok($report->{savedMs}, '>', 0, 'and reuse saved some, too');
    $s->clean('budget');
    is_all_known($s, 'budget');
};

subtest 'killed at any moment, by two at once' => sub {
    my $s = Fault->new(slots => 2);
    my @files = (generate($s, 'recent-h', 'actions=100'))[ 0 .. 9 ];
    my (@wrong, @broken);
    my $blows = 0;

    $s->well('config', 'pool.budget', '600K');
    for my $file (@files) {
        my $w = $s->submit($file);
        for my $try (1 .. 20) {
            my @pids = map { $s->start('run', '-q', $w) } 1 .. 2;
            if ($try < 4) {
                sleep 0.02 + rand 0.25;
                for my $pid (@pids) {
                    next if !$s->is_running($pid) || rand() < 0.3;
                    kill KILL => $pid;
                    $blows++;
                }
            }
            for my $pid (@pids) {
                my $r = $s->finish($pid);
                push @broken, "status $r->{status}: $r->{err}" if !$r->{signal} && $r->{status};
            }
            last if $s->state_of($w) ne 'RUNNING';
        }
        is($s->state_of($w), 'FINISHED', "workflow $w is FINISHED") or last;
        push @wrong, wrong_leaves($s, $w, $file);
        $s->well('release', $w);
    }
    note("$blows blows");
    is_deeply(\@broken, [], 'no run ended badly on the way') or diag(@broken);
    is_deeply(\@wrong, [], 'every result is right to the byte');
    ok(eventually(sub { $s->well('tick'); excess($s) <= 0 }), 'the pool comes to its budget');
    $s->well('tick');
    $s->clean('killed');
    is_all_known($s, 'killed');
};

subtest 'a budget smaller than one workflow' => sub {
    my $s = Fault->new(slots => 2);
    my @layers = map {
        my $layer = $_;
        map {
            my $i = $layer * 4 + $_;
            action($i, $s->note_run($i) . "; cat in/* >/dev/null 2>&1; yes $i | head -c 100000 >output",
                [ $layer ? map { ($layer - 1) * 4 + $_ } 1 .. 4 : () ], shell => 'sh')
        } 1 .. 4
    } 0 .. 5;
    my $file = $s->write('w', @layers);

    $s->well('config', 'pool.budget', '150K');
    my $r = $s->pingo('run', '-q', $file);
    is($r->{status}, 0, 'it ends well') or diag($r->{err});
    like($r->{err}, qr/over its budget of 150 KiB: (?:claimed|leaves) \d/, 'and says what holds the space');
    like($s->pingo('tick')->{err}, qr/over its budget of 150 KiB: leaves 391 KiB/, 'the results in the end');
    is_deeply($s->runs, { map { $_ => 1 } 1 .. 24 }, 'each action ran once: nothing was deleted and made again in circles');
    my $pool = $s->json('report')->{pool};
    is($pool->{leafBytes}, 400_000, 'the four results are there');
    is($pool->{candidateBytes}, 0, 'and nothing that might have gone');
    $s->clean('small');
    is_all_known($s, 'small');
};

done_testing();
