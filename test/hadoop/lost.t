#!/usr/bin/perl
# lost.t - actions in containers of a real Hadoop, whose ResourceManager and nodes are killed: what they make is right to
# the byte, and runs again only where it was lost.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fault", "$FindBin::Bin/../slurm";
use Fault qw(slurp spew);
use Hadoop;
use Slurm ();
use Test::More;

Hadoop::is_needed();
my $c     = Hadoop->new('--set', 'yarn.scheduler.minimum-allocation-mb=512');
my $store = $c->store;

# Containers are larger than what is asked for, and that is told.
$store->well('config', '--no-check', 'executor.hadoop.queue', 'nope');
like($store->pingo('config', '--check', 'hadoop')->{out}, qr/asks for 1088 MB and takes 1536: YARN rounds up to multiples of 512/, 'the smallest container is told');
$store->well('config', '--unset', 'executor.hadoop.queue');

# The ResourceManager knows what runs when it is there again; and the scheduler was killed meanwhile.
my ($file, $expected) = Slurm::graph($store, 'led', 5, nap => 0.5);
my $pid = $store->start('run', $file);
Hadoop::until_true('one has run', sub { keys %{ $store->runs } });
$c->verb('kill', 'resourcemanager');
kill KILL => $pid;
$store->finish($pid);
$pid = $store->start('run', $file);
$c->verb('revive', 'resourcemanager');
Slurm::is_right($store, $store->finish($pid), 'last', $expected, 'ResourceManager with recovery, and scheduler');

# The nodes are lost with what they run; then the ResourceManager forgets everything.
my $long = $store->write('long', { id => 1, name => 'long', type => 'command-line',
        command => $store->note_run('long') . '; ' . $store->gate('long') . '; echo long >output' });
$pid = $store->start('run', $long);
Hadoop::until_true('it runs', sub { $store->runs->{long} });
$c->verb('lose', 'nm1', 'nm2');
$c->verb('revive', 'nm1', 'nm2');
Hadoop::until_true('it runs again', sub { $store->runs->{long} >= 2 });
$c->verb('kill', 'resourcemanager');
system 'rm', '-rf', "$c->{dir}/applications";
$c->verb('revive', 'resourcemanager');
$store->open_gate('long');
my $run = $store->finish($pid);
is($run->{status}, 0, 'nodes lost, then a ResourceManager that forgot everything: it ends well') or diag($run->{err});
is(eval { $store->output('last', 'long') } // '', "long\n", 'right to the byte');
cmp_ok($store->runs->{long}, '<=', 3, 'it ran again for each loss at most');

# It was submitted, and is given up while the ResourceManager is away, or takes what it is asked and says nothing: it begins
# late, and does nothing.
my $number = 0;
sub late {
    $c->verb('signal', 'STOP', 'nm1', 'nm2');
    my %before = map { $_->{id} => 1 } $c->apps;
    my $file = $store->write('late', { id => 1, name => 'late' . ++$number, type => 'command-line', command => $store->note_run('late') . "; echo late >output; : $number" });
    my $pid = $store->start('run', $file);
    my $is_new = sub { return map { $_->{id} } grep { !$before{ $_->{id} } } $c->apps };
    Hadoop::until_true('it is submitted', $is_new);
    return ($file, $pid, $is_new->());
}
sub armed { my $at = $c->{home} . '/pool1/attempts'; return grep { my $name = $_; grep { $_ eq 'job' } $c->names_in("$at/$name") } $c->names_in($at) }
sub unwanted { return `sqlite3 -cmd '.timeout 5000' @{[ $store->path('.pingo/pingo.db') ]} 'SELECT count(*) FROM attempt WHERE unwanted'` + 0 }
my ($late, $id);
for my $way ([ ['kill'], ['revive'], 'away' ], [ [qw(signal STOP)], [qw(signal CONT)], 'silent' ]) {
    my ($strike, $mend, $how) = @$way;
    ($late, $pid, $id) = late();
    $c->verb(@$strike, 'resourcemanager');
    is(scalar(armed()), 1, 'it is armed');
    $store->well('kill', 'last');
    isnt($store->finish($pid)->{status}, 0, "it is given up while the ResourceManager is $how");
    is_deeply([ armed() ], [], 'its gate is closed before that goes on');
    $c->verb(@$mend, 'resourcemanager');
    $c->verb('signal', 'CONT', 'nm1', 'nm2');
    $c->ended($id);
    ok(!$store->runs->{late}, 'and does nothing when it begins');
}

# While HDFS says nothing nobody knows that its gate is closed: it stays in hand, and whoever ticks next closes it.
($late, $pid, $id) = late();
$c->verb('signal', 'STOP', 'namenode');
$store->well('kill', 'last');
isnt($store->finish($pid)->{status}, 0, 'it is given up while the NameNode is silent');
is(unwanted(), 1, 'and is not done with');
$c->verb('signal', 'CONT', 'namenode');
Hadoop::until_true('it is told', sub { $store->well('tick') if unwanted(); !unwanted() });
is(unwanted(), 0, 'it is, when HDFS has said so');
is_deeply([ armed() ], [], 'its gate is closed');
$c->verb('signal', 'CONT', 'nm1', 'nm2');
$c->ended($id);
ok(!$store->runs->{late}, 'and it never began');
is($store->finish($store->start('run', $late))->{status}, 0, 'wanted again, it ends well');
is($store->runs->{late}, 1, 'and ran once');

# A ResourceManager that remembers nothing by its option is killed while some run, and some have ended.
my $site = "$c->{env}{HADOOP_CONF_DIR}/yarn-site.xml";
my $text = slurp($site);
is($text =~ s{(recovery\.enabled</name><value>)true}{$1false}, 1, 'recovery is an option');
spew($site, $text);
my $before = keys %{ $store->runs };
($file, $expected) = Slurm::graph($store, 'forgotten', 4, nap => 0.5);
$pid = $store->start('run', $file);
Hadoop::until_true('some have run', sub { keys %{ $store->runs } >= $before + 2 });
$c->verb('kill', 'resourcemanager');
$c->verb('revive', 'resourcemanager');
is(scalar(grep { $_->{id} eq $id } $c->apps), 0, 'it remembers nothing');
Slurm::is_right($store, $store->finish($pid), 'last', $expected, 'ResourceManager without recovery', most => 3);
my %often;
$often{$_}++ for map { chomp; $_ } `sqlite3 -cmd '.timeout 5000' @{[ $store->path('.pingo/pingo.db') ]} 'SELECT action FROM attempt WHERE reason = 0 AND exit_code = 0'`;
is_deeply([ grep { $_ > 1 } values %often ], [], 'what has ended well is not made again');
$store->clean('afterwards');
done_testing();
