#!/usr/bin/perl
# Moving to the archive is killed at each of its writes, done by several at once, and met by a full disk: no attempt is lost
# or there twice, and every answer is what it was.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action small_disk);
use File::Path qw(remove_tree);
use File::Temp ();
use Test::More;

my @now = ('archive', '--now', '--seal', '--before', '0s');

# Three workflows; one of them failed and was tried again, one has more attempts than are deleted at once.
sub ended {
    my ($s) = @_;
    $s->well('config', 'pool.failedDays', '0');
    $s->pingo('run', '-q', $s->write("w$_", action(1, "echo $_ >output"), action(2, 'cat in/p1 >output', [1]),
        action(3, "echo no $_ >&2; false", [], retries => 1))) for 1 .. 3;
    sql($s, q(UPDATE meta SET value = '0' WHERE key = 'sweep.at'));
    $s->well('tick');    # nothing of what failed is kept
    sql($s, q(WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 7000) INSERT INTO attempt(action, epoch,
        executor, state, reason, exit_code, handed_ms, started_ms, ended_ms, wall_ms) SELECT 4, i, 'local', 3, 0, 0, t.handed_ms,
        t.started_ms, t.ended_ms, 1 FROM n, attempt t WHERE t.action = 4 AND t.epoch = 1));
    $s->pingo('fsck', '--repair');    # they are summed
    $s->clean('made');
    return $s;
}

sub sql {
    my ($s, $sql) = @_;
    my $said = qx(sqlite3 -cmd '.timeout 10000' '$s->{dir}/.pingo/pingo.db' "$sql");
    die "sqlite3: $sql" if $?;
    chomp $said;
    return $said;
}

sub answers {
    my ($s) = @_;
    return join "\n", map { $s->well(@$_) } (map { [ 'status', '--attempts', '--json', $_ ] } 1, 3),
        [ 'status', '--json', 2 ], map { [ 'errors', @$_, '--since', '2020-01-01', '--json' ] } ['--list'], [qw(--by name)], [];
}

sub moved {
    my ($s, $before, $what) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok(answers($s) eq $before, "$what: the answers are the same");
    is(sql($s, 'SELECT (SELECT count(*) FROM attempt) + (SELECT count(*) FROM dependency) + (SELECT count(*) FROM leaving)'), 0,
        "$what: nothing is left in the database");
    is(sql($s, 'SELECT sum(workflows) FROM archive'), 3, "$what: all moved, once");
    $s->clean($what);
}

subtest 'killed at each write' => sub {
    plan skip_all => 'no strace' if system('command -v strace >/dev/null') != 0;
    my $s      = ended(Fault->new);
    my $before = answers($s);
    my $dir    = $s->path('.pingo');
    $s->end_helpers;
    system('cp', '-a', $dir, "$dir.old") == 0 or die;
    my ($n, $killed, %at) = (0, 0);
    while (1) {
        $n += $n < 20 ? 2 : 7;
        remove_tree($dir);
        system('cp', '-a', "$dir.old", $dir) == 0 or die;
        my $calls = 'pwrite64,fdatasync,fsync,ftruncate,unlink,rename,mkdir,fchmod';
        system('timeout', 600, 'strace', '-f', '-qq', '-o', $s->path('trace'), '-e', "trace=$calls",
            '-e', "inject=$calls:signal=KILL:when=$n", Fault::program(), '-C', $s->{dir}, @now, '--json');
        last if $? == 0;
        $killed++;
        my $state = sql($s, 'SELECT (SELECT count(*) FROM workflow WHERE archived > 0) || (SELECT count(*) > 0 FROM leaving) || (SELECT count(*) FROM archive WHERE sealed)');
        next if $at{$state}++ > 2;    # enough of these
        ok(answers($s) eq $before, "killed at write $n ($state): the answers are the same");
        $s->clean("killed at write $n");
        is($s->pingo(@now)->{status}, 0, 'it goes on');
        moved($s, $before, "after write $n");
    }
    cmp_ok($killed, '>', 10, "it was killed $killed times");
    cmp_ok(scalar keys %at, '>=', 3, 'in different states: ' . join ' ', sort keys %at);
    moved($s, $before, 'not killed');
};

subtest 'by several at once' => sub {
    my $s      = ended(Fault->new);
    my $before = answers($s);
    my @pids   = map { $s->start(@now) } 1 .. 4;
    is(answers($s), $before, 'while they move, the answers are the same');
    my @status = map { $s->finish($_)->{status} } @pids;
    is(scalar(grep { $_ != 0 && $_ != 6 } @status), 0, "each moves, or is told that another does: @status");
    $s->well(@now);
    moved($s, $before, 'at once');
};

subtest 'by whoever ticks, beside whoever asks' => sub {
    my $s      = ended(Fault->new);
    my $before = answers($s);
    $s->well('config', 'archive.afterDays', '0');
    my @pids = map { $s->start('tick') } 1 .. 3;
    is(answers($s), $before, 'while they move, the answers are the same');
    $s->finish($_) for @pids;
    for (1 .. 50) {
        $s->well('tick');
        last if !sql($s, 'SELECT (SELECT count(*) FROM attempt) + (SELECT count(*) FROM leaving)');
    }
    moved($s, $before, 'by ticks');
};

subtest 'on a full disk' => sub {
    my $disk = small_disk('12m');
    my $dir  = File::Temp::tempdir('pingo-fault-XXXXXX', TMPDIR => 1);
    mkdir "$disk/s" or die;
    symlink "$disk/s", "$dir/.pingo" or die;
    my $s      = ended(Fault->new(dir => $dir));
    my $before = answers($s);
    $s->end_helpers;
    my ($avail) = `df -k --output=avail $disk` =~ /(\d+)/;
    system("head -c @{[ ($avail - 200) * 1024 ]} /dev/zero >'$disk/filler'");
    my $r = $s->pingo(@now);
    is($r->{status}, 7, 'it says that there is no space') or diag($r->{err});
    is(answers($s), $before, 'the answers are the same');
    is($s->pingo('tick')->{status}, 0, 'who ticks goes on');
    unlink "$disk/filler";
    $s->clean('full');
    $s->well(@now);
    moved($s, $before, 'with room again');
    $s->end_helpers;
};
done_testing();
