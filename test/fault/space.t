#!/usr/bin/perl
# A pool on a full disk: nobody's failure.  No retry is counted, the run stops with its own exit
# status and says what holds the space; after something is freed it goes on.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action small_disk write_mb);
use File::Path qw(remove_tree);
use Test::More;

my $disk     = small_disk('4m');
my $no_space = 7;    # of the table in `pingo help exit`

subtest 'the output of an action does not fit' => sub {
    my $s = Fault->new(pool => "$disk/pool", slots => 1);
    my $file = $s->write('a', action(1, write_mb(2, 'a') . ' ', [], stdout => JSON::PP::true));
    is($s->pingo('run', '-q', $file)->{status}, 0, 'two megabytes fit');
    my $big = $s->write('b', action(1, $s->note_run('b') . '; ' . write_mb(3, 'b'), [], stdout => JSON::PP::true, retries => 0), action(2, 'wc -c <in/p1 >output', [1]));
    my $w = $s->submit($big);
    my $r = $s->pingo('run', $w);
    is($r->{status}, $no_space, 'three more do not: the run stops with a status of its own') or diag($r->{err});
    like($r->{err}, qr/\Q$disk\E.*full/, 'says which disk is full');
    like($r->{err}, qr/leaves 2.0 MiB \(pingo release lets go of them\); make/, 'what holds the space');
    like($r->{err}, qr/pingo release, rm or kill; action 1 of workflow $w had written [12](\.\d)? [MK]iB/, 'what would give some, and who wants it');
    is($s->state_of($w), 'RUNNING', 'the workflow is not over');
    like($s->states($w)->{a1}, qr/^READY$/, 'its action is READY');
    my $status = $s->json('status', $w);
    is($status->{counts}{forSpace}, 1, 'status counts it');
    cmp_ok($status->{actions}[0]{diskFullBytes}, '>', 1 << 20, 'and tells what it had written');
    my $text = $s->well('status', $w);
    like($text, qr/1 waits for space.*pingo release/, 'the workflow says what helps');
    like($text, qr/a1 .*the disk of the pool was full when it had written [12](\.\d)? MiB/, 'and so does the action');
    $s->clean('full');
    $s->well('rm', 1, 'a1');
    $r = $s->pingo('run', '-q', $w);
    is($r->{status}, 0, 'after something is removed it goes on') or diag($r->{err});
    is($s->output($w, 'a2'), 3 * 1024 * 1024 + 2 . "\n", 'to the right end');
    $status = $s->json('status', $w);
    is($status->{counts}{forSpace}, 0, 'it waits no longer');
    is($status->{actions}[0]{diskFullBytes}, undef, 'for space');
    $s->clean('freed');
    $s->well('rm', $w, $_) for qw(a1 a2);
    $s->pingo('tick');
};

subtest 'a full disk while something can go' => sub {
    my $s = Fault->new(pool => "$disk/pool2", slots => 1);
    my $w = $s->submit($s->write('c', action(1, write_mb(2.5, 'c'), [], stdout => JSON::PP::true, keep => JSON::PP::false),
        action(2, 'wc -c <in/p1 >output', [1]), action(3, 'cat in/p2 >/dev/null; ' . write_mb(2.5, 'd'), [2], stdout => JSON::PP::true)));
    my $r = $s->pingo('run', '-q', $w);
    is($r->{status}, 0, 'what is to be deleted goes, and the run ends') or diag($r->{err});
    $s->clean('goes');
};

# The budget knows nothing of the disk's size, or there is none: what is stored goes all the same.
subtest 'a file system that is smaller than the budget' => sub {
    remove_tree(glob("$disk/*"));    # those before are over
    my $s = Fault->new(pool => "$disk/pool3", slots => 1);
    for my $n (1 .. 3) {
        $s->well('config', 'pool.budget', '100G') if $n == 3;
        my $w = $s->submit($s->write("s$n", action(1, $s->note_run("s$n") . '; ' . write_mb(1.8, "s$n"), [], stdout => JSON::PP::true),
            action(2, "wc -c <in/p1 >output; : $n", [1], keep => JSON::PP::true)));
        my $r = $s->pingo('run', '-q', $w);
        is($r->{status}, 0, "workflow $n ends") or diag($r->{err});
        is($s->states($w)->{a1}, 'FINISHED', 'no failure was counted');
        is($s->output($w, 'a2'), int(1.8 * 1024) * 1024 + 3 . "\n", 'it is right');
    }
    my $stored = $s->json('decide', '--dry-run')->{usage}{storedBytes};
    cmp_ok($stored, '<', 4 << 20, 'what was in the way has gone');
    cmp_ok($stored, '>', 1 << 20, 'and no more');
    my ($last) = $s->well('datasets', '--json') =~ /"hash":\s*"(\w+)"[^{}]*"state":\s*"STORED"/;
    $s->well('keep', $last);
    my $big = $s->submit($s->write('s6', action(1, write_mb(3, 's6'), [], stdout => JSON::PP::true)));
    my $r = $s->pingo('run', '-q', $big);
    is($r->{status}, $no_space, 'what cannot fit beside a kept one stops the run');
    like($r->{err}, qr/kept 1\.[78] MiB/, 'which says that it is kept');
    $s->clean('small');
};
# An outputPath on a disk of its own: nothing of the pool is in its way.
subtest 'the file system of an outputPath is full' => sub {
    remove_tree(glob("$disk/*"));
    my $s = Fault->new(slots => 1);
    is($s->pingo('run', '-q', $s->write('old', action(1, 'echo old', [], stdout => JSON::PP::true)))->{status}, 0, 'a result');
    $s->well('release', 1);
    is(system("head -c 3M /dev/zero >'$disk/filler'"), 0, 'others have filled most of it');
    my $w = $s->submit($s->write('u', action(1, write_mb(2, 'out'), [], stdout => JSON::PP::true, isManaged => JSON::PP::false, outputPath => "$disk/out")));
    my $r = $s->pingo('run', '-q', $w);
    is($r->{status}, $no_space, 'the run stops') or diag($r->{err});
    like($r->{err}, qr/\Q$disk\E\S*: .*not the pool's: make room there/, 'says where room is needed');
    unlike($r->{err}, qr/pingo rm/, 'and not that something of the pool should go for it');
    $s->well('run', '-q', $s->write('export', action(1, write_mb(2, 'export'), [], stdout => JSON::PP::true)));
    $r = $s->pingo('export', 'last', $disk);
    is($r->{status}, $no_space, 'nor does an export fit there');
    like($r->{err}, qr/\Q$disk\E\S*: .*not the pool's: make room there/, 'which says the same');
    unlike($r->{err}, qr/pingo rm/, 'and not that something of the pool should go for it');
    $s->well('release', 'last');
    $s->well('rm', 'last', 'a1');
    is($s->states($w)->{a1}, 'READY', 'the action is READY');
    like($s->well('status', $w), qr/\Q$disk\E/, 'and says so');
    is(scalar(@{ $s->json('datasets', '--state', 'STORED') }), 1, 'nothing of the pool went for it');
    unlink "$disk/filler";
    is($s->pingo('run', '-q', $w)->{status}, 0, 'with room it ends well');
    is(-s "$disk/out", 2 * 1024 * 1024 + 4, 'and it is there');
    $s->clean('outputPath');
};
done_testing();
