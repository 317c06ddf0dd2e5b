#!/usr/bin/perl
# Database and pool on one file system, and that is full: what may go goes, and every command that
# would make room works.  One command that writes without end fails when nothing more can go.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action small_disk write_mb);
use File::Path qw(remove_tree);
use File::Temp ();
use Test::More;

my $disk = small_disk('24m');

# A store in a directory of the small disk, with n results of a megabyte that may go.
sub filled {
    my ($name, $n) = @_;
    my $dir = File::Temp::tempdir('pingo-fault-XXXXXX', TMPDIR => 1);
    mkdir "$disk/$name" or die;
    symlink "$disk/$name", "$dir/.pingo" or die;    # what the test itself writes is not on the small disk
    my $s = Fault->new(dir => $dir, slots => 1);
    my $w = $s->submit($s->write('old', map { action($_, write_mb(1, "o$_"), [], stdout => JSON::PP::true) } 1 .. $n));
    is($s->pingo('run', '-q', $w)->{status}, 0, "$n results of a megabyte");
    $s->well('release', $w);
    return $s;
}

sub stored { my ($s) = @_; return scalar grep { $_->{state} eq 'STORED' } @{ $s->json('datasets', '--state', 'STORED') } }

# What everybody else has written: all but so many kilobytes.
sub fill_up {
    my ($but_kb) = @_;
    my ($avail) = `df -k --output=avail $disk` =~ /(\d+)/;
    open my $fh, '>', "$disk/filler" or die;
    my $block = "\1" x 4096;
    for (my $kb = $avail; $kb > $but_kb; $kb -= 4) { syswrite $fh, $block or last }
    close $fh;
}

subtest 'an action that does not fit beside what may go' => sub {
    my $s = filled('one', 9);
    my $w = $s->submit($s->write('big', action(1, write_mb(14, 'big'), [], stdout => JSON::PP::true)));
    my $r = $s->pingo('run', '-q', $w);
    is($r->{status}, 0, 'room is made, and it ends well') or diag($r->{err});
    is(length $s->output($w, 'a1'), 14 * 1024 * 1024 + 4, 'it is whole');
    cmp_ok(stored($s), '<', 9, 'something went for it');
    $s->clean('fits');
    $s->end_helpers;
    remove_tree(glob("$disk/*"));
};

# As sort(1) does; when the full disk was met, which its runner notes at the pool's marker, in the time of a file.
subtest 'an action that removes what it wrote before it fails' => sub {
    my $s = filled('sorts', 9);
    my $met = "stat -c %y $s->{dir}/.pingo/pool/pingo-pool";
    my $w = $s->submit($s->write('sorts', action(1, "met=\$($met);" . ' head -c 14M /dev/zero >"$TMPDIR/x" || { until [ "$(' . $met . ')" != "$met" ]; do sleep 0.02; done; rm "$TMPDIR/x"; exit 2; }; echo 1 >output', [])));
    my $r = $s->pingo('run', '-q', $w);
    is($r->{status}, 0, 'room is made, and it ends well') or diag($r->{err});
    cmp_ok(stored($s), '<', 9, 'something went for it');
    $s->clean('sorts');
    $s->end_helpers;
    remove_tree(glob("$disk/*"));
};

subtest 'commands on a disk without a byte' => sub {
    my $s = filled('two', 6);
    ok(-s "$s->{dir}/.pingo/reserve", 'some space is kept in reserve');
    my $held = $s->submit($s->write('held', action(1, 'sleep 600', [])));
    my $w    = $s->submit($s->write('more', action(1, 'echo 1 >output', [])));
    fill_up(0);
    for my $command (['config', 'pool.failedDays', '3'], ['kill', $held], ['keep', 1, 'a1'], ['release', 1, 'a1'], ['rm', 1, 'a2'], ['tick']) {
        my $r = $s->pingo(@$command);
        is($r->{status}, 0, "@$command") or diag($r->{err});
    }
    ok(!-e "$s->{dir}/.pingo/reserve", 'the reserve was spent on it');
    is($s->pingo('run', '-q', $w)->{status}, 0, 'what fits now is run');
    unlink "$disk/filler";
    $s->well('config', 'pool.failedDays', '4');
    ok(-s "$s->{dir}/.pingo/reserve", 'with room again there is a reserve again');
    $s->clean('commands');
    $s->end_helpers;
    remove_tree(glob("$disk/*"));
};

# What the reserve has left belongs to what makes room.
subtest 'submissions to a disk without a byte' => sub {
    my $s    = filled('submissions', 6);
    my $file = $s->write('more', action(1, 'echo 1 >output', []));
    fill_up(0);
    is($s->pingo('submit', $file)->{status}, 7, 'each of them is refused') for 1 .. 3;
    ok(!-e "$s->{dir}/.pingo/reserve", 'and the reserve is given up');
    unlink "$disk/filler";
    is($s->pingo('run', '-q', $file)->{status}, 0, 'with room again it is taken');
    $s->end_helpers;
    remove_tree(glob("$disk/*"));
};

# Its need shows only try by try: a first eviction does not suffice.  It is none as long as something may go.
subtest 'an action that needs nearly all of the disk' => sub {
    my $s = filled('much', 12);
    my $w = $s->submit($s->write('big', action(1, $s->note_run('big') . '; head -c 17M /dev/zero >output')));
    my $r = $s->pingo('run', $w);
    is($r->{status}, 0, 'ends well') or diag($r->{err});
    like($r->{err}, qr/action a1: the disk of the pool was full when it had written \d+(\.\d)? MiB/, 'the run says what happens');
    is($s->states($w)->{a1}, 'FINISHED', 'FINISHED');
    cmp_ok($s->runs->{big}, '>', 1, 'after a try that met the full disk');
    $s->clean('nearly all');
    $s->end_helpers;
    remove_tree(glob("$disk/*"));
};

subtest 'a command that writes without end' => sub {
    my $s = filled('three', 8);
    my $w = $s->submit($s->write('yes', action(1, $s->note_run('yes') . '; yes runs away >output', [], retries => 3), action(2, 'cat in/p1 >output', [1])));
    my $r = $s->pingo('run', '-q', $w);
    is($r->{status}, 1, 'is its own failure') or diag($r->{err});
    is($s->states($w)->{a1}, 'FAILED', 'FAILED');
    like($r->{err}, qr/it had written \d+(\.\d)? MiB when nothing in the pool was left that may go.*runaway/s, 'and that is said');
    cmp_ok($s->runs->{yes}, '<=', 4, 'after few tries');
    is($s->pingo('run', '-q', $s->write('next', action(1, 'echo next >output')))->{status}, 0, 'the next one has room');
    $s->clean('runaway');
    $s->end_helpers;
    remove_tree(glob("$disk/*"));
};

# The same command where others' bytes are what is in the way: whoever made them can give room.
subtest 'a command that does not fit beside what others hold' => sub {
    my $s = filled('four', 3);
    my $w = $s->submit($s->write('big', action(1, write_mb(14, 'big'), [], stdout => JSON::PP::true)));
    fill_up(9 * 1024);
    my $r = $s->pingo('run', '-q', $w);
    is($r->{status}, 7, 'is not its failure: the run stops') or diag($r->{err});
    like($r->{err}, qr/file system is full .*action 1 of workflow $w had written \d+(\.\d)? MiB/s, 'and says who wants how much');
    is(stored($s), 0, 'after all that may go has gone');
    is($s->states($w)->{a1}, 'READY', 'READY');
    unlink "$disk/filler";
    is($s->pingo('run', '-q', $w)->{status}, 0, 'with room it ends well');
    $s->clean('others');
};

# Of files, not of bytes.
subtest 'a file system without inodes' => sub {
    my $small = small_disk('40m,nr_inodes=60');
    my $s     = Fault->new(slots => 1, pool => "$small/pool");
    my $w     = $s->submit($s->write('many', map { action($_, "mkdir output; for k in 1 2 3 4 5 6; do echo $_ >output/\$k; done") } 1 .. 12));
    my $r     = $s->pingo('run', '-q', $w);
    is($r->{status}, 7, 'the run stops') or diag($r->{err});
    like($r->{err}, qr/file system is full, or has no inode left.* \([\d.]+ MiB free\)/, 'and says what may lack');
    is($s->json('status', $w)->{counts}{failed} // 0, 0, 'nothing has failed');
};
done_testing();
