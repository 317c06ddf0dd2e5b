#!/usr/bin/perl
# A quota that is reached is a full disk, though the file system has room for others: what may go goes, every command
# that would make room works, and what cannot fit says so.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action quota_disk);
use File::Path qw(remove_tree);
use Test::More;

my $home = quota_disk(30);

# The pool has the quota; the store lies elsewhere, as it should where nothing is written in place.
sub store {
    my ($name) = @_;
    return Fault->new(pool => "$home/$name", slots => 1);
}

# Bytes that nothing on the way makes fewer.
sub writes { my ($mb) = @_; return 'head -c ' . int($mb * 1048576) . ' /dev/urandom >output' }

# What the user has otherwise: until no byte is left.
sub fill_up {
    my $block = join '', map { chr int rand 256 } 1 .. 4096;
    open my $fh, '>', "$home/filler" or die;
    1 while syswrite $fh, $block;
    close $fh;
    system 'sync', '-f', $home;
    return;
}

sub end {
    my ($s) = @_;
    $s->end_helpers;
    remove_tree(glob("$home/*"));
    system 'sync', '-f', $home;
    return;
}

subtest 'actions that do not fit beside what may go' => sub {
    my $s = store('one');
    my $w = $s->submit($s->write('chain', action(1, writes(8)), map { action($_, writes(8 + $_ / 100), [ $_ - 1 ]) } 2 .. 5));
    my $r = $s->pingo('run', $w);
    is($r->{status}, 0, 'room is made, and all end well') or diag($r->{err});
    like($r->{err}, qr/the disk of the pool was full when it had written \d+(\.\d)? MiB/, 'the run says what happens');
    cmp_ok(scalar @{ $s->json('datasets', '--state', 'STORED') }, '<', 4, 'something went for it');
    $s->clean('a chain');
    end($s);
};

subtest 'commands with no byte left in the pool' => sub {
    my $s = store('two');
    $s->well('run', '-q', $s->write('old', map { action($_, writes(1)) } 1 .. 6));
    $s->well('release', 1);
    my $held = $s->submit($s->write('held', action(1, 'sleep 600')));
    my $more = $s->submit($s->write('more', action(1, 'echo 1 >output')));
    fill_up();
    for my $command (['kill', $held], ['keep', 1, 'a1'], ['release', 1, 'a1'], ['rm', 1, 'a2'], ['tick']) {
        my $r = $s->pingo(@$command);
        is($r->{status}, 0, "@$command") or diag($r->{err});
    }
    my $r = $s->pingo('run', '-q', $more);
    is($r->{status}, 0, 'what fits now is run') or diag($r->{err});
    unlink "$home/filler";
    system 'sync', '-f', $home;
    $s->clean('commands');
    end($s);
};

subtest 'an action that does not fit beside what the user has otherwise' => sub {
    my $s = store('three');
    system "head -c 20M /dev/urandom >$home/own; sync -f $home";
    my $w = $s->submit($s->write('big', action(1, $s->note_run('big') . '; ' . writes(13))));
    my $r = $s->pingo('run', '-q', $w);
    is($r->{status}, 7, 'is not its failure: the run stops') or diag($r->{err});
    like($r->{err}, qr/or a quota is reached.*action 1 of workflow $w had written \d+(\.\d)? MiB/s, 'and says why, and who wants how much');
    is($s->states($w)->{a1}, 'READY', 'READY');
    cmp_ok($s->runs->{big}, '<=', 8, 'after few tries');
    unlink "$home/own";
    system 'sync', '-f', $home;
    is($s->pingo('run', '-q', $w)->{status}, 0, 'with room it ends well');
    $s->clean('with room');
    end($s);
};

done_testing();
