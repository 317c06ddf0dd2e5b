#!/usr/bin/perl
# jobs_away.t - several MapReduce jobs on a real Hadoop, for which two schedulers care: the NameNode is away when they end, and
# a ResourceManager remembers none of them; what they make is right to the byte, and made once. One that has to go for a budget
# comes back when somebody wants to read it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fault";
use Fault qw(action slurp spew);
use Hadoop;
use JSON::PP ();
use Test::More;

Hadoop::is_needed();
my $c = Hadoop->new;
my $s = $c->store;
spew($s->path('lines'), "b\na\n");

# It waits, if it is told to; each line with its name before it.
sub job {
    my ($id, $name, $waits) = @_;
    return { id => $id, name => $name, type => 'map-reduce-1', streaming => JSON::PP::true, reduces => 0, configuration => { 'mapreduce.job.maps' => '1' },
        inputs => [ { name => 'lines', path => 'lines' } ], mapper => join('; ', $s->note_run($name), $waits ? $s->gate($name) : (), "sed s/^/$name-/"),
        executorOptions => { 'mapreduce.job.ubertask.enable' => 'true', 'yarn.app.mapreduce.am.resource.mb' => 512 } };
}
# A command of this machine that reads what they make, byte for byte as they are named.
sub reader { my ($id, @jobs) = @_; return { %{ action($id, 'cat ' . join(' ', map { "in/p$_/*" } @jobs) . ' >output', [@jobs]) }, executor => 'local' } }
sub lines { return join '', map { "$_-b\n$_-a\n" } @_ }
sub ask { my ($sql) = @_; my $said = `sqlite3 -cmd '.timeout 5000' @{[ $s->path('.pingo/pingo.db') ]} "$sql"`; chomp $said; return $said }
sub run_twice { my ($what) = @_; my $w = $s->submit($what); return ($w, map { $s->start('run', '-q', $w) } 1, 2) }
sub is_right {
    my ($w, $reader, $expected, $what, @pids) = @_;
    my @ends = map { $s->finish($_) } @pids;
    is(join(' ', map { $_->{status} } @ends), join(' ', (0) x @pids), "$what: ends well") or diag(map { $_->{err} } @ends);
    is($s->output($w, $reader) =~ s/\t?\n/\n/gr, $expected, 'right to the byte');
    is(ask('SELECT count(*) FROM (SELECT 1 FROM attempt WHERE reason = 0 AND exit_code = 0 GROUP BY action HAVING count(*) > 1)'), 0, 'nothing has ended well twice');
    $s->clean($what);
}

# They end while the NameNode is away.
my ($w, @pids) = run_twice($s->write('ends', job(1, 'one', 1), job(2, 'two', 1), job(3, 'three'), reader(4, 1, 2, 3)));
Hadoop::until_true('all run', sub { keys %{ $s->runs } == 3 });
$c->verb('kill', 'namenode');
$s->open_gate($_) for qw(one two);
Hadoop::until_true('both have mapped', sub { !grep { slurp("/proc/$_/cmdline") =~ m{\Q$s->{dir}\E/gate[.]} } map { /(\d+)/ } glob '/proc/[0-9]*' });
$c->verb('revive', 'namenode');
is_right($w, 'a4', lines(qw(one two three)), 'the NameNode is away when jobs end', @pids);
cmp_ok($s->runs->{$_}, '<=', 3, "$_ ran for each loss at most") for qw(one two three);

# The ResourceManager remembers nothing by its option: what ran is gone with it, what had ended is not made again.
my $site = "$c->{env}{HADOOP_CONF_DIR}/yarn-site.xml";
my $text = slurp($site);
is($text =~ s{(recovery\.enabled</name><value>)true}{$1false}, 1, 'recovery is an option');
spew($site, $text);
($w, @pids) = run_twice($s->write('forgotten', job(1, 'four', 1), job(2, 'five'), reader(3, 1, 2)));
Hadoop::until_true('one runs, one has ended', sub { $s->runs->{four} && $s->states($w)->{five} eq 'FINISHED' });
my %before = map { $_->{id} => 1 } $c->apps;
$c->verb('kill', 'resourcemanager');
$c->verb('revive', 'resourcemanager');
is_deeply([ grep { $before{$_} } map { $_->{id} } $c->apps ], [], 'it remembers nothing'); # what is new may be there
kill KILL => $pids[0];
$s->finish(shift @pids);
$s->open_gate('four');
is_right($w, 'a3', lines(qw(four five)), 'a ResourceManager without recovery', @pids);
is($s->runs->{five}, 1, 'what had ended is not made again');

# It goes for a budget, and comes back.
$s->well('release', $w);
$s->well('config', 'pool.budget', '1');
Hadoop::until_true('it is gone', sub { $s->well('tick'); !@{ $s->json('datasets', '--state', 'STORED,STORED_TO_DELETE,DELETING') } });
$s->well('config', '--unset', 'pool.budget');
$w = $s->submit($s->write('again', job(1, 'five'), { %{ reader(2, 1) }, salt => 'again' }));
is_right($w, 'a2', lines('five'), 'an intermediate that was evicted', $s->start('run', '-q', $w));
is($s->runs->{five}, 2, 'is made again');
$s->nothing_left('again.json', 'again');
done_testing();
