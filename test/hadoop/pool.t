#!/usr/bin/perl
# pool.t - a store whose datasets lie in HDFS: actions of this machine read and write it, and all of Pingo works on it; the
# scheduler is killed, the NameNode is killed, files in HDFS are changed.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fault";
use Hadoop;
use Fault qw(action eventually seed slurp spew);
use Test::More;
use Time::HiRes qw(sleep time);

Hadoop::is_needed();
seed();
my $c    = Hadoop->new('--hdfs');
my $base = "webhdfs://$c->{user}\@$c->{env}{NN_HTTP}";

# The path in HDFS of a URL.
sub in_hdfs { my ($url) = @_; return $url =~ s{^webhdfs://[^/]*}{}r }
sub objects {
    my ($s) = @_;
    return map { my $d = $_; map { "$s->{hdfs}/objects/$d/$_" } $c->names_in("$s->{hdfs}/objects/$d") } $c->names_in("$s->{hdfs}/objects");
}
sub store {
    my ($name, %o) = @_;
    my $s = Fault->new(slots => 2, pool => "$base$c->{home}/$name", %o);
    $s->{hdfs} = "$c->{home}/$name";
    return $s;
}
sub result {
    my ($s, $action) = @_;
    my $to = $s->path('out.' . ++$s->{outs});
    $s->well('export', '-q', 'last', $action, $to);
    return slurp((glob "$to/*")[0]);
}

# ---- where no pool can be ----------------------------------------------------------------------------------

# As an ordinary user, whom things are refused.
my $his = "$c->{home}/his";
$c->dfs(PUT => "$his/$_", 'MKDIRS') for qw(names bytes taken/trash);
$c->dfs(PUT => "$c->{home}/other", 'MKDIRS', permission => 755);
$c->put("$his/$_", 'x') for qw(file taken/trash/mine);
$c->dfs(PUT => "$his$_", 'SETOWNER', owner => 'him') for '', qw(/names /bytes /taken /taken/trash);
$c->dfs(PUT => "$his/names", 'SETQUOTA', namespacequota => 1);
$c->dfs(PUT => "$his/bytes", 'SETQUOTA', storagespacequota => 1);
my $nowhere = Fault->new(pool => "$base$c->{home}/zero");
my $taken = $nowhere->pingo('-C', $nowhere->path('second'), 'init', '--pool', "$base$c->{home}/zero");
like($taken->{err}, qr/is the pool of another store \(\w+\).*remove pingo-pool there/, 'a pool belongs to one store');
ok($taken->{status} && !-e $nowhere->path('second/pingo.db'), 'and there is no second one');
my %refused = ('/' => [ 2, qr/a pool has a directory of its own/ ], '/new' => [ 9, qr/Permission denied.*take a directory of your own, or another user/ ],
    "$c->{home}/other" => [ 9, qr/Permission denied/ ], "$c->{home}/other/pool" => [ 9, qr/Permission denied/ ],
    "$his/names" => [ 7, qr/quota .*is exceeded.*hdfs dfs -count -q tells/ ], "$his/bytes" => [ 7, qr/quota .*is exceeded.*hdfs dfs -count -q tells/ ],
    "$his/file" => [ 5, qr/it is a file, and a pool is a directory/ ], "$his/file/pool" => [ 5, qr/file \(is not a directory\)/ ],
    "$his/taken" => [ 5, qr/trash is there already and is not empty/ ]);
for my $path (sort keys %refused) {
    my ($status, $words) = @{ $refused{$path} };
    my $at = "webhdfs://him\@$c->{env}{NN_HTTP}$path";
    my $said = $nowhere->pingo('-C', $nowhere->path('nowhere'), 'init', '--pool', $at);
    is($said->{status}, $status, "no pool at $path") or diag($said->{err});
    like($said->{err}, qr/\Q$at\E: (?:no pool can be made there: )?.*$words/, 'and why is told');
    unlike($said->{err}, qr/datasets to see/, 'without advice for a store');
    ok(!-e $nowhere->path('nowhere/.pingo'), 'and no store is there');
}
is_deeply([ map { $c->names_in("$his/$_") } qw(names bytes taken taken/trash) ], [qw(trash mine)], 'nothing is left in HDFS');

# ---- a workflow of local commands ------------------------------------------------------------------------

my $s    = store('one');
my @many = (action(1, $s->note_run(1) . '; seq 2000 >output'),
    action(2, $s->note_run(2) . '; mkdir output; split -l 500 in/p1 output/part.', [1]),
    action(3, $s->note_run(3) . '; cat in/p2/* | tail -n 3 >output', [2]),
    action(4, $s->note_run(4) . '; wc -l <in/p1 >output; cat in/p3 >>output', [ 1, 3 ]));
my $file = $s->write('w', @many);
$s->well('run', '-q', $file);
is(result($s, 'a4'), "2000\n1998\n1999\n2000\n", 'what is made of datasets in HDFS is right');
my $url = $s->well('path', 'last', 'a3');
like($url, qr/^\Q$base$s->{hdfs}\E\/objects\//, 'path tells where it lies');
is($c->get(in_hdfs($url)), "1998\n1999\n2000\n", 'and there it is');
is(scalar objects($s), 4, 'each is there once');
$s->well('export', '-q', 'last', 'a4', $s->path('again')) for 1 .. 2;
is(slurp((glob $s->path('again/*'))[0]), "2000\n1998\n1999\n2000\n", 'what was exported is exported again');
$s->clean('after a run');
$s->well('run', '-q', $file);
is_deeply($s->runs, { 1 => 1, 2 => 1, 3 => 1, 4 => 1 }, 'again, nothing runs');
my @other = @many;
$other[2] = action(3, $s->note_run('3b') . '; cat in/p2/* | sed -n 1p >output', [2]);
$s->write('w', @other);
$s->well('run', '-q', $file);
like($s->well('why', 'last', 'a3'), qr/sed -n 1p/, 'why tells what is another');
is_deeply($s->runs, { 1 => 1, 2 => 1, 3 => 1, 4 => 2, '3b' => 1 }, 'what is the same is reused');
is(result($s, 'a4'), "2000\n1\n", 'with the right result');
like($s->well('provenance', 'last', 'a4'), qr/split -l 500/, 'provenance tells of all of it');

# ---- somebody changes it ---------------------------------------------------------------------------------

my $hurt = in_hdfs($s->well('path', 'last', 'a3'));
is(($c->dfs(DELETE => $hurt, 'DELETE'))[0], 200, 'a file in HDFS is removed');
is($c->put($hurt, "2\n"), 201, 'and another of the same length lies there');
my $found = $s->json('fsck', '--deep');
ok(!$found->{clean}, 'fsck --deep sees it');
like(join(' ', map { "$_->{object} $_->{message}" } @{ $found->{findings} }), qr/content differs/, 'and what');
$s->write('w', @other[ 0 .. 2 ], action(4, $s->note_run(4) . '; cat in/p3 >output', [3]));
$s->well('run', '-q', $file);
is(result($s, 'a4'), "1\n", 'who reads it has it made again');
is($s->runs->{'3b'}, 2, 'once');
$s->clean('afterwards');

# ---- its bytes are lost, and a DataNode is away -----------------------------------------------------------

my $lost = in_hdfs($s->well('path', 'last', 'a3'));
$c->dfs(PUT => $lost, 'SETTIMES', modificationtime => 1_700_000_000_000); # it is compared
$s->well('export', '-q', 'last', 'a4', $s->path('taken'));
$c->verb('kill', 'datanode');
$s->well('export', '-q', 'last', 'a4', $s->path('taken')); # none of its bytes is asked for
my $asked = $s->pingo('fsck', '--deep');
is($asked->{status}, 9, 'what no DataNode can tell now is not taken for lost') or diag($asked->{out}, $asked->{err});
$c->verb('revive', 'datanode');
$s->clean('when it is there again');
cmp_ok(unlink(grep { slurp($_) eq "1\n" } $c->find_blocks), '>', 0, 'the bytes of a file are removed below a DataNode');
$found = $s->json('fsck', '--deep');
ok(!$found->{clean}, 'bytes that no DataNode has are missed');
$s->pingo('fsck', '--deep', '--repair');
$s->well('run', '-q', $file);
is(result($s, 'a4'), "1\n", 'and what is lost is made again');
is($s->runs->{'3b'}, 3, 'once');
$s->clean('after that');

# ---- a budget --------------------------------------------------------------------------------------------

my $before = objects($s);
$s->well('config', 'pool.cache', 0);
$s->well('config', 'pool.budget', '4K');
$s->well('run', '-q', $file);
$s->well('tick') for 1 .. 2;
is(scalar objects($s), $before - 2, 'what is over the budget leaves HDFS') or diag($s->well('report'), $s->well('datasets'));
$s->write('w', @other[ 0, 1 ], action(3, 'cat in/p1 in/p2/* | wc -l >output', [ 1, 2 ]));
$s->well('run', '-q', $file);
is(result($s, 'a3'), "4000\n", 'and is made again where it is needed');
$s->clean('under a budget');

# ---- replicas --------------------------------------------------------------------------------------------

my $p = store('six');
$p->write('w', action(1, 'head -c 10000 /dev/zero >output'), action(2, 'head -c 1000 in/p1 >output', [1]));
$p->well('config', 'pool.budget', 16000);
$p->well('run', '-q', 'w.json');
$c->dfs(PUT => $_, 'SETREPLICATION', replication => 2) for objects($p), map { "$p->{hdfs}/$_" } $c->names_in($p->{hdfs});
$p->well('config', 'pool.countReplicas', 'on');
is_deeply([ @{ $p->json('report')->{pool} }{qw(usedBytes contentBytes replicatedBytes budgetBytes)} ], [ 22000, 11000, 22000, 16000 ], 'with replicas, and without');
like($p->well('report'), qr/replicated\s+2[12]\.\d KiB?\s+on disks, with all replicas; without 1\d\.\d/, 'as people read it');
$p->well('tick') for 1 .. 2;
is(scalar objects($p), 1, 'a budget that means replicas is kept with them');
$p->clean('with replicas');
$p->well('config', 'pool.countReplicas', 'off');
is($p->json('report')->{pool}{usedBytes}, 1000, 'and each byte counts once again');

# ---- what executors have brought there -----------------------------------------------------------------

my $o = store('seven');
my @first = action(1, 'echo 1 >output');
$o->write('w', @first);
$o->well('run', '-q', 'w.json'); # the first sweep is over
$o->write('w', @first, action(2, $o->note_run('open') . '; ' . $o->gate('later') . '; cat in/p1 >output', [1]));
$c->put("$o->{hdfs}/originals/$_", 'x') for qw(old new);
$c->put("$o->{hdfs}/bundles/$_/list", 'x') for qw(old new);
is(($c->dfs(PUT => "$o->{hdfs}/$_/old", 'SETTIMES', modificationtime => 1000 * int(time - 9 * 86400)))[0], 200, "something in $_ was not used for nine days") for qw(originals bundles);
my $open = $o->start('run', '-q', 'w.json');
Hadoop::until_true('an attempt is open', sub { $o->runs->{open} });
system('sqlite3', '-cmd', '.timeout 5000', $o->path('.pingo/pingo.db'), q(UPDATE attempt SET handed_ms = handed_ms - 10 * 86400000 WHERE state < 3; DELETE FROM meta WHERE key = 'sweep.at')) == 0 or die "sqlite3\n";
Hadoop::until_true('it is looked at', sub { `sqlite3 -cmd '.timeout 5000' @{[ $o->path('.pingo/pingo.db') ]} "SELECT count(*) FROM meta WHERE key = 'sweep.at'"` > 0 });
is(scalar(() = $c->names_in("$o->{hdfs}/originals")), 2, 'what an attempt that is open for longer may use stays');
$o->open_gate('later');
is($o->finish($open)->{status}, 0, 'it ends');
system('sqlite3', '-cmd', '.timeout 5000', $o->path('.pingo/pingo.db'), q(DELETE FROM meta WHERE key = 'sweep.at')) == 0 or die "sqlite3\n";
ok(eventually(sub { $o->well('tick'); join(' ', map { $c->names_in("$o->{hdfs}/$_") } qw(originals bundles trash)) eq 'new new' }), 'then what is old goes')
    or diag(map { "$_: " . join(' ', $c->names_in("$o->{hdfs}/$_")) . "\n" } qw(originals bundles trash));
$o->clean('without it');

# ---- adopted, and destroyed -------------------------------------------------------------------------------

my $a = store('two');
$a->write('w', action(1, 'exit 1'), action(2, 'cat in/p1 >output', [1]));
my $n = $a->submit('w.json');
spew($a->path('made'), "by hand\n");
$a->well('adopt', $n, 'a1', $a->path('made'));
$a->well('run', '-q', $n);
is(result($a, 'a2'), "by hand\n", 'what was adopted lies in HDFS, and is read from there');
$a->clean('with what was adopted');
$c->put("$a->{hdfs}/mine", 'x');
$a->well('destroy', '--yes');
is_deeply([ $c->names_in($a->{hdfs}) ], ['mine'], 'destroy leaves what is not Pingo\'s');
ok(!-e $a->path('.pingo'), 'and nothing here');

# ---- the scheduler is killed at each moment -----------------------------------------------------------------

my $k = store('three');
my %held = map { $_ => '; ' . $k->gate("held$_") } 3, 7, 10; # so that there is something left to kill, however fast the machine is
$k->write('w', map { my $i = $_; action($i, $k->note_run($i) . ($held{$i} // '') . "; { cat in/* 2>/dev/null || :; echo $i; } >output", $i > 2 ? [ $i - 1, $i - 2 ] : []) } 1 .. 10);
my $w = $k->submit('w.json');
for my $held (3, 7, 10) {
    for (1 .. 3) {
        my $pid = $k->start('run', '-q', $w);
        sleep 0.05 + rand 0.4;
        ok($k->is_running($pid), "it is killed while $held is held");
        $k->kill9($pid);
    }
    $k->open_gate("held$held");
}
$k->well('run', '-q', $w);
is($k->state_of($w), 'FINISHED', 'a run goes to the end all the same');
is_deeply($k->runs, { map { $_ => 1 } 1 .. 10 }, 'each action has run once');
is(scalar objects($k), 10, 'each is published once');
ok(eventually(sub { !$c->names_in("$k->{hdfs}/staged") or do { $k->sweep; 0 } }), 'and nothing is left on its way');
$k->clean('after kills');

# ---- HDFS is down --------------------------------------------------------------------------------------------

my $d = store('four');
$d->write('w', map { action($_, $d->note_run($_) . '; ' . $d->gate('go') . "; echo $_ >output", $_ > 1 ? [ $_ - 1 ] : []) } 1 .. 3);
my $down = $d->submit('w.json');
my $pid = $d->start('run', $down);
Hadoop::until_true('it runs', sub { $d->runs->{1} });
$c->verb('kill', 'namenode');
$d->open_gate('go');
Hadoop::until_true('it is told', sub { $d->so_far($pid) =~ /the pool cannot be used now/ });
sleep 3;
ok($d->is_running($pid), 'without HDFS nothing ends');
is(scalar(() = $d->so_far($pid) =~ /cannot be used now/g), 1, 'it is told once');
$c->verb('revive', 'namenode');
my $r = $d->finish($pid);
is($r->{status}, 0, 'and with it all goes on') or diag($r->{err});
is_deeply($d->runs, { 1 => 1, 2 => 1, 3 => 1 }, 'nothing has failed, or run twice');
$d->clean('after an outage');
my $stored = objects($d);
$c->verb('kill', 'namenode');
$d->well('rm', 'last', 'a3');
$d->well('tick');
is($d->pingo('datasets', '--json')->{out} =~ /TO_DELETE|DELETING/, 1, 'what cannot be deleted now waits');
$c->verb('revive', 'namenode');
ok(eventually(sub { $d->well('tick'); objects($d) == $stored - 1 }), 'and is deleted when HDFS is back');
$d->clean('after that');

# ---- a quota ----------------------------------------------------------------------------------------------------

my $q = store('five');
$q->write('w', action(1, 'seq 100 >output', [], retries => 0));
is(($c->dfs(PUT => $q->{hdfs}, 'SETQUOTA', namespacequota => 7))[0], 200, 'a quota is set');
$r = $q->pingo('run', '-q', 'w.json');
is($r->{status}, 7, 'a quota that is reached is a full disk') or diag($r->{err});
is(($c->dfs(PUT => $q->{hdfs}, 'SETQUOTA', namespacequota => 1000))[0], 200, 'it is raised');
$q->well('run', '-q', 'last');
is(result($q, 'a1'), join('', map { "$_\n" } 1 .. 100), 'and the same action, which did not fail, goes on');

done_testing();
