#!/usr/bin/perl
# Database and pool on one file system, and that is full: what may go goes, and every command that
# would make room works.  One command that writes without end does not empty the pool.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action eventually slurp spew);
use File::Path qw(remove_tree);
use File::Temp ();
use Test::More;

# A small file system of its own: a tmpfs, which only root may mount.
my $disk = File::Temp::tempdir('pingo-full-XXXXXX', TMPDIR => 1);
if ($> != 0 || system('mount', '-t', 'tmpfs', '-o', 'size=24m,mode=0755', 'pingo-test', $disk) != 0) {
    rmdir $disk;
    plan skip_all => 'a small file system cannot be mounted here';
}
my $mounted_by = $$;
END {
    if ($mounted_by && $$ == $mounted_by) {
        my $status = $?;
        system 'umount', '-l', $disk;
        rmdir $disk;
        $? = $status;
    }
}

sub write_mb { my ($mb, $name) = @_; return "dd if=/dev/zero bs=65536 count=" . int($mb * 16) . " 2>/dev/null; echo $name" }

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

# What everybody else has written: all but some kilobytes.
sub fill_up {
    my ($but_kb) = @_;
    open my $fh, '>>', "$disk/filler" or die;
    my $block = "\1" x 4096;
    my $avail = sub { my ($line) = grep { /\Q$disk\E$/ } `df -k --output=avail,target $disk`; return 0 + ($line =~ /(\d+)/)[0] };
    while ($avail->() > $but_kb) { syswrite $fh, $block or last }
    close $fh;
}

subtest 'an action that does not fit beside what may go' => sub {
    my $s = filled('one', 9);
    my $w = $s->submit($s->write('big', action(1, write_mb(14, 'big'), [], stdout => JSON::PP::true)));
    my $r;
    for (1 .. 3) { last if ($r = $s->pingo('run', '-q', $w))->{status} == 0 }
    is($r->{status}, 0, 'room is made, and it ends well') or diag($r->{err});
    is(length $s->output($w, 'a1'), 14 * 1024 * 1024 + 4, 'it is whole');
    cmp_ok(stored($s), '<', 9, 'something went for it');
    $s->clean('fits');
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

subtest 'a command that writes without end' => sub {
    my $s = filled('three', 8);
    my $w = $s->submit($s->write('yes', action(1, 'yes runs away >output', [], retries => 3), action(2, 'cat in/p1 >output', [1])));
    my $r = $s->pingo('run', '-q', $w);
    is($r->{status}, 1, 'is its own failure') or diag($r->{err});
    is($s->states($w)->{a1}, 'FAILED', 'FAILED');
    like($r->{err}, qr/filled the disk twice.*runaway/s, 'and that is said');
    cmp_ok(stored($s), '>=', 6, 'most of the pool is still there');
    is($s->pingo('run', '-q', $s->write('next', action(1, 'echo next >output')))->{status}, 0, 'the next one has room');
    $s->clean('runaway');
};
done_testing();
