#!/usr/bin/perl
# Unmanaged outputs: always computed, put at the user's path by rename, a file over a directory and
# the other way; writers wait for earlier writers and for who reads what lies there.
use strict;
use warnings;
use File::Path qw(make_path remove_tree);
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action eventually slurp spew);
use Test::More;

sub to {
    my ($s, $path) = @_;
    return (isManaged => JSON::PP::false, outputPath => $path);
}

sub beside { my ($s) = @_; return grep { /\.pingo-/ } glob($s->path('*') . ' ' . $s->path('.*')) }

subtest 'files and directories replace each other' => sub {
    my $s = Fault->new;
    my $out = $s->path('result');
    my %make = (file => 'echo file >output', directory => 'mkdir output output/d; echo inside >output/d/f',
        other => 'mkdir output; echo other >output/g', link => 'ln -s d output.d; echo link >output');
    for my $kind (qw(file directory other file file other link)) {
        is($s->pingo('run', '-q', $s->write('w', action(1, $make{$kind}, [], to($s, $out))))->{status}, 0, "a $kind");
        my $said = -d $out ? join(' ', map { slurp($_) } grep { -e } "$out/d/f", "$out/g") : slurp($out);
        is($said, { file => "file\n", directory => "inside\n", other => "other\n", link => "link\n" }->{$kind}, 'is what was made');
        ok(-w $out, 'and its owner may write it');
    }
    is_deeply([ beside($s) ], [], 'nothing is left beside it');
    is($s->pingo('run', '-q', $s->write('w', action(1, $make{link}, [], to($s, $out))))->{status}, 0, 'it is always computed');
    $s->clean('replaced');
};

subtest 'what Pingo did not write is not replaced' => sub {
    my $s = Fault->new;
    my $out = $s->path('mine');
    my $w = $s->write('w', action(1, 'echo pingo >output', [], to($s, $out)));
    mkdir $out;
    spew("$out/raw", 'mine');
    for my $command (qw(run submit plan)) {
        my $r = $s->pingo($command, $w);
        is($r->{status}, 5, "$command is refused");
        like($r->{err}, qr{action 1 \(a1\): outputPath: \Q$out\E: is there, and was not written by Pingo.*--force-outputs}, 'says what to do');
    }
    is(slurp("$out/raw"), 'mine', 'and it is there');
    is_deeply($s->json('status'), [], 'nothing was submitted');
    is($s->pingo('plan', '--force-outputs', $w)->{status}, 0, 'a dry run that says it');
    is($s->pingo('run', '-q', $w)->{status}, 5, 'allows nothing');
    is($s->pingo('run', '-q', '--force-outputs', $w)->{status}, 0, 'unless it is said');
    is(slurp($out), "pingo\n", 'then it is replaced');
    is($s->pingo('run', '-q', $w)->{status}, 0, 'and is ours');
    spew($out, 'edited');
    is($s->pingo('run', '-q', $w)->{status}, 5, 'as long as nobody changes it');
    my $n = $s->submit('--force-outputs', $w);
    spew($out, 'edited again');
    my $r = $s->pingo('run', $n);
    is($r->{status}, 1, 'what is allowed is what was there then');
    like($r->{err}, qr{\Q$out\E: was changed since Pingo wrote it}, 'the action says it');
    is(slurp($out), 'edited again', 'and leaves it');
    unlink $out;
    $n = $s->submit($w);
    spew($out, 'appeared');
    $r = $s->pingo('run', $n);
    is($r->{status}, 1, 'what appears before it is published');
    is(slurp($out), 'appeared', 'stays');
    is_deeply([ beside($s) ], [], 'nothing is left beside it');
};

# A library that stops its process (a signal in $AT_COPY) where it begins to copy a file.
sub shim {
    my ($s) = @_;
    spew($s->path('shim.c'), <<'END');
#define _GNU_SOURCE
#include <linux/fs.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (request == FICLONE && getenv("AT_COPY"))
        raise(atoi(getenv("AT_COPY")));
    return (int)syscall(SYS_ioctl, fd, request, argument);
}
END
    system($ENV{CC} // 'cc', '-shared', '-fPIC', '-o', $s->path('shim.so'), $s->path('shim.c')) == 0 or die "no shim\n";
    return $s->path('shim.so');
}

subtest 'a killed one replaces nothing' => sub {
    my $s = Fault->new(slots => 2);
    my $out = $s->path('out.txt');
    $s->well('run', '-q', $s->write('first', action(1, 'echo >output')));    # the supervisor knows no shim
    my $old = $s->submit($s->write('old', action(1, 'echo OLD >output', [], to($s, $out))));
    my $pid = do {
        local @ENV{qw(LD_PRELOAD AT_COPY)} = (shim($s), 19);
        $s->start('run', '-q', $old);
    };
    ok(eventually { slurp("/proc/$pid/status") =~ /^State:\s+T/m }, 'its scheduler stops while it copies');
    $s->well('kill', $old);
    is($s->pingo('run', '-q', $s->write('new', action(1, 'echo NEW >output', [], to($s, $out))))->{status}, 0, 'a newer one writes');
    is(slurp($out), "NEW\n", 'its output');
    kill CONT => $pid;
    $s->finish($pid);
    is(slurp($out), "NEW\n", 'which stays');
    is($s->states($old)->{a1}, 'KILLED', 'the older one is killed');
    $s->pingo('tick');
    is_deeply([ beside($s) ], [], 'nothing is left beside it');
    $s->clean('killed');
};

subtest 'a killed scheduler leaves nothing beside the target' => sub {
    my $s = Fault->new(slots => 2);
    my $out = $s->path('out');
    my $n = do {
        $s->well('run', '-q', $s->write('first', action(1, 'echo >output')));
        $s->submit($s->write('w', action(1, 'mkdir output; echo 1 >output/f', [], to($s, $out))));
    };
    my $r = do {
        local @ENV{qw(LD_PRELOAD AT_COPY)} = (shim($s), 9);
        $s->pingo('run', '-q', $n);
    };
    is($r->{status}, 137, 'killed while it copied');
    is(scalar(beside($s)), 1, 'its copy is there');
    ok(!-e $out, 'and not under its name');
    is($s->pingo('run', '-q', $n)->{status}, 0, 'the next one goes on');
    is(slurp("$out/f"), "1\n", 'and writes it');
    is_deeply([ beside($s) ], [], 'nothing is left beside it');
    $s->clean('left');
};

subtest 'what was cut short where nobody can look any more stops nobody' => sub {
    my $s = Fault->new;
    my ($there, $away) = map { $s->path($_) } qw(there away);
    $s->well('run', '-q', $s->write('w', action(1, 'mkdir output; echo 1 >output/f')));
    mkdir $there;
    my $r = do {
        local @ENV{qw(LD_PRELOAD AT_COPY)} = (shim($s), 9);
        $s->pingo('export', 1, $there);
    };
    is($r->{status}, 137, 'an export is killed while it copies');
    is(scalar(glob("$there/.*.pingo-*")) ? 1 : 0, 1, 'its copy is there');
    rename $there, $away;
    symlink 'there', $there or die "no link\n";
    is($s->pingo('tick')->{status}, 0, 'a tick');
    is($s->pingo('run', '-q', $s->write('other', action(1, 'echo other >output')))->{status}, 0, 'a run');
    is($s->pingo('export', 1, $s->path('elsewhere'))->{status}, 0, 'and an export go on');
    unlink $there;
    rename $away, $there;
    is($s->pingo('tick')->{status}, 0, 'when it is back');
    is_deeply([ glob("$there/.*.pingo-*") ], [], 'nothing is left of it');
    $s->clean('out of sight');
};

subtest 'an output that cannot be put there' => sub {
    my $s = Fault->new;
    my $w = $s->write('w', action(1, 'echo 1 >output', [], to($s, $s->path('not/there/out'))), action(2, 'cat in/p1 >output', [1]));
    for my $command (qw(submit run plan)) {
        my $r = $s->pingo($command, $w);
        is($r->{status}, 3, "is refused by $command");
        like($r->{err}, qr{action 1 \(a1\): outputPath \S*/not/there/out: there is no directory \S*/not/there: make it first}, 'which says what is missing');
    }
    is_deeply($s->json('status'), [], 'and leaves nothing');
    make_path($s->path('not/there'));
    SKIP: { # root may write everywhere, but for where nobody may
        my @close = $> ? qw(chmod a-w) : qw(chattr +i);
        skip 'no directory can be closed to us here', 2 if system(@close, $s->path('not/there')) != 0;
        my $r = $s->pingo('submit', $w);
        system($> ? qw(chmod u+w) : qw(chattr -i), $s->path('not/there'));
        is($r->{status}, 3, 'a directory in which nothing can be made is refused as well');
        like($r->{err}, qr{not/there/out: nothing can be made in the directory \S*/not/there: }, 'with the reason');
    }
    is($s->pingo('submit', $w)->{status}, 0, 'then it is taken');
    remove_tree($s->path('not'));
    my $r = $s->pingo('run', 1);
    is($r->{status}, 1, 'a directory that is removed later fails the action');
    like($r->{err}, qr{not/there/out: there is no directory \S*/not/there$}m, 'and says where, and what is missing');
    is_deeply($s->states(1), { a1 => 'FAILED', a2 => 'CANCELLED' }, 'its reader is CANCELLED');
    $s->clean('cannot be put');
    is_deeply([ glob($s->path('.pingo/pool/staged/*')) ], [], 'nothing is left of it');
};

subtest 'outputs inside the store are refused' => sub {
    my $s = Fault->new;
    is($s->pingo('submit', $s->write('w', action(1, 'echo 1 >output', [], to($s, $s->path('.pingo/pool/objects/x')))))->{status}, 3, 'in the pool');
    is($s->pingo('submit', $s->write('w', action(1, 'echo 1 >output', [], to($s, $s->path('.pingo/pingo.db')))))->{status}, 3, 'over the database');
    is_deeply($s->json('status'), [], 'and leave nothing');
};

subtest 'a writer waits for earlier writers and their readers' => sub {
    my $s = Fault->new(slots => 4);
    my $out = $s->path('out');
    my $writer = sub { my ($n, $gate) = @_; action($n, ($gate ? $s->gate($gate) . '; ' : '') . "echo $n >output", [], to($s, $out)) };
    my $w1 = $s->submit($s->write('w1', $writer->(1, 'write1'), action(2, $s->note_run('r1') . '; ' . $s->gate('read1') . '; cat in/p1 >output', [1])));
    my $w2 = $s->submit($s->write('w2', $writer->(3), action(4, 'cat in/p3 >output', [3])));
    my $pid = $s->start('run', '-q', $w1, $w2);
    $s->wait_state($w1, 'a1', 'RUNNING');
    is($s->states($w2)->{a3}, 'WAITING', 'the second writer waits for the first');
    $s->open_gate('write1');
    $s->wait_state($w1, 'a2', 'RUNNING');
    is(slurp($out), "1\n", 'the first has written');
    is($s->states($w2)->{a3}, 'WAITING', 'the second waits for the reader of the first');
    my $w3 = $s->submit($s->write('w3', $writer->(5)));
    $s->open_gate('read1');
    is($s->finish($pid)->{status}, 0, 'both end well');
    is($s->output($w1, 'a2'), "1\n", 'the first reader read the first');
    is($s->output($w2, 'a4'), "3\n", 'the second the second');
    is($s->pingo('run', '-q', $w3)->{status}, 0, 'the third ends well');
    is(slurp($out), "5\n", 'the last writer is the last');
    $s->clean('order');
};

subtest 'a writer that goes lets the next one on' => sub {
    my $s = Fault->new(slots => 4);
    my $out = $s->path('out');
    my $w1 = $s->submit($s->write('w1', action(1, $s->gate('never') . '; echo 1 >output', [], to($s, $out)), action(2, 'cat in/p1 >output', [1])));
    my $w2 = $s->submit($s->write('w2', action(1, 'echo 2 >output', [], to($s, $out))));
    my $pid = $s->start('run', '-q', $w2);
    $s->wait_state($w1, 'a1', 'RUNNING');
    is($s->states($w2)->{a1}, 'WAITING', 'it waits');
    $s->well('kill', $w1);
    is($s->finish($pid)->{status}, 0, 'after the kill it runs');
    is(slurp($out), "2\n", 'and writes');
    $s->pingo('tick');
    $s->clean('killed writer');
};

subtest 'an output that the user removed is made again for its reader' => sub {
    my $s = Fault->new(slots => 2);
    my $out = $s->path('out');
    my $w1 = $s->submit($s->write('w1', action(1, $s->note_run('u') . '; echo 1 >output', [], to($s, $out)),
        action(2, $s->gate('slow') . '; echo >output'), action(3, 'cat in/p1 >output', [ 1, 2 ])));
    my $pid = $s->start('run', '-q', $w1);
    $s->wait_state($w1, 'a1', 'FINISHED');
    my $w2 = $s->submit($s->write('w2', action(1, 'echo 2 >output', [], to($s, $out))));
    is($s->states($w2)->{a1}, 'WAITING', 'a second writer waits for the reader');
    unlink $out;
    $s->open_gate('slow');
    my $r = $s->finish($pid);
    is($r->{status}, 0, 'the reader ends well') or diag($r->{err}, explain($s->json('status', $w1)));
    is($s->runs->{u}, 2, 'its input was made again');
    is($s->pingo('run', '-q', $w2)->{status}, 0, 'then the second writer');
    is(slurp($out), "2\n", 'has the last word');
    $s->clean('made again');
};
done_testing();
