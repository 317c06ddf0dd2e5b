#!/usr/bin/perl
# mapreduce.t - MapReduce jobs on a real Hadoop: right to the byte by both interfaces and as commands; what they make is
# read by commands here and on YARN and the other way round; killed clients and schedulers lose and double nothing; what
# is wrong is told in Hadoop's own words.
use strict;
use JSON::PP ();
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fault";
use Fault qw(action eventually slurp spew);
use Hadoop;
use Test::More;

Hadoop::is_needed();
my $c = Hadoop->shared;
my $s = $c->store;
my %small = (executorOptions => { 'mapreduce.job.ubertask.enable' => 'true', 'yarn.app.mapreduce.am.resource.mb' => 512 });
my $new = 'org.apache.hadoop.mapreduce.lib';
my $old = 'org.apache.hadoop.mapred.lib';

sub job {
    my ($id, $version, %keys) = @_;
    return { id => $id, name => "a$id", type => "map-reduce-$version", %small, %keys };
}
sub output_of {
    my ($id) = @_;
    my $dir = $s->path("out$id");
    $s->well('export', 'last', $id, $dir) if !-e $dir;
    return join '', map { slurp($_) } -d "$dir/a$id" ? sort glob("$dir/a$id/*") : "$dir/a$id";
}

# Words of a real text, counted here.
my $text = slurp("$FindBin::Bin/../../README.md");
spew($s->path('text'), $text);
spew($s->path('length.awk'), "{ print length(\$1) \"'\\\"\" }\n");
my (%words, %lengths);
$words{$_}++ for split ' ', $text;
$lengths{ length $_ }++ for keys %words;
my $want   = join '', map { "$_\t$words{$_}\n" } sort keys %words;
my @text   = (inputs => [ { name => 'text', path => 'text' } ]);
my @counts = (parentActions => [ { id => 1, as => 'counts' } ]);

my $file = $s->write('w',
    job(1, 2, @text, mapper => "$new.map.TokenCounterMapper", combiner => "$new.reduce.IntSumReducer",
        reducer => "$new.reduce.IntSumReducer", outputKey => 'org.apache.hadoop.io.Text', outputValue => 'org.apache.hadoop.io.IntWritable'),
    { %{ action(2, 'tr a-z A-Z <in/text >output') }, @text, executor => 'local' },
    job(3, 1, parentActions => [ { id => 2, as => 'text' } ], mapper => "$old.TokenCountMapper", reducer => "$old.LongSumReducer",
        outputKey => 'org.apache.hadoop.io.Text', outputValue => 'org.apache.hadoop.io.LongWritable'),
    job(4, 1, @counts, streaming => JSON::PP::true, inputs => [ { name => 'length.awk', path => 'length.awk' } ], input => ['counts'],
        mapper => [ 'awk', '-f', 'in/length.awk' ], reducer => q{sed "s/['\"].*//" | uniq -c | awk '{ print $2 "\t" $1 }'}),
    { %{ action(5, 'cat in/counts/* >output') }, @counts, executor => 'local' },
    { %{ action(6, 'cat in/counts/* >output') }, @counts, resources => { memoryMB => 64 } },
    { %{ action(7, ': on YARN; cat in/counts/* >output') }, @counts, resources => { memoryMB => 64 } });
sub run_all { my ($what) = @_; return $s->finish($s->start('run', '-q', $what)) }
my $r = run_all($file);
is($r->{status}, 0, 'jobs of both interfaces, commands in them, commands here and on YARN') or diag($r->{err});
is(output_of(1), $want, 'words are counted right by the new interface');
my %upper;
$upper{ uc $_ } += $words{$_} for keys %words;
is(output_of(3), join('', map { "$_\t$upper{$_}\n" } sort keys %upper), 'and by the old one, of what a command here has made');
is(join('', sort map { "$_\n" } split /\n/, output_of(4)), join('', sort map { "$_\t$lengths{$_}\n" } keys %lengths), 'commands count right');
is(output_of($_), $want, "what a job has made is read by a command: $_") for 5 .. 7;
my @readers = grep { $_->{id} >= 5 } @{ $s->json('status', '--attempts', 'last') };
is(scalar(grep { $_->{id} < 7 } @readers), 1, 'the same command here and on YARN has one hash, and is made once');
is_deeply([ map { $_->{executor} } grep { $_->{id} == 7 } @readers ], ['hadoop'], 'another one is made on YARN');
is_deeply([ grep { !/^part-/ } map { s{.*/}{}r } glob($s->path('out1/a1/*')) ], [], 'a dataset holds what the tasks wrote and no more');
my ($attempt) = grep { $_->{id} == 1 } @{ $s->json('status', '--attempts', 'last') };
is($attempt->{progress}{counters}{TaskCounter}{MAP_INPUT_RECORDS}, scalar(() = $text =~ /\n/g), 'counters are told');
like($attempt->{job}, qr/^application_\d+_\d+$/, 'and what YARN calls it');
$s->nothing_left($file, 'again');

# What is wrong; also in a configuration that keeps actions from what they say, and would have made something else.
my $site = "$c->{env}{HADOOP_CONF_DIR}/mapred-site.xml";
my $other = $c->store;
system 'cp', '-r', $c->{env}{HADOOP_CONF_DIR}, $other->path('etc');
spew($other->path('etc/mapred-site.xml'), slurp($site) =~ s{(?=</configuration>)}{<property><name>mapreduce.output.fileoutputformat.compress</name><value>true</value><final>true</final></property>}r);
$c->configure($other, conf => $other->path('etc'));
spew($other->path('text'), $text);
my $final = $other->start('run', '-q', $other->write('final', map { job($_, 1, @text, streaming => JSON::PP::true, mapper => 'cat', retries => 0,
        configuration => { ('mapreduce.output.fileoutputformat.compress', 'mapred.output.compress')[$_ - 1] => 'false' }) } 1, 2));
# The first try holds too much, and uses all of it, until it is ended for it, however long YARN takes to look: what a process
# that sleeps holds may be swapped out, and is counted no more.  Its Java does not hear that it is ended, and so tells what
# became of the command before YARN tells why.
spew($s->path('deaf'), "trap '' TERM\n");
my $hold = q|$SIG{TERM} = "DEFAULT"; open Z, "<", "/dev/zero"; sysread Z, $x, 3.6e8; if ($ENV{mapreduce_map_memory_mb} <= 384) {|
    . q| for (1 .. 240) { for ($i = 0; $i < 3.6e8; $i += 4096) { substr($x, $i, 1) = "y" } sleep 1 } } print <STDIN>|;
$r = run_all($s->write('bad', job(1, 2, @text, mapper => 'no.such.Map', retries => 0),
    job(2, 2, @text, mapper => 'org.apache.hadoop.mapreduce.Mapper', retries => 0, executorOptions => { queue => 'nosuch' }),
    job(3, 1, @text, streaming => JSON::PP::true, reduces => 0, mapper => qq{perl -e '$hold'}, resources => { memoryMB => 384 },
        executorOptions => { 'mapreduce.map.maxattempts' => 2, 'mapreduce.map.java.opts' => '-Xmx128m', 'mapreduce.map.env' => 'BASH_ENV=' . $s->path('deaf') }),
    job(4, 1, @text, streaming => JSON::PP::true, mapper => 'echo something is broken >&2; exit 3', retries => 0,
        executorOptions => { %{ $small{executorOptions} }, 'mapreduce.map.maxattempts' => 1 })));
isnt($r->{status}, 0, 'what cannot succeed does not');
like($s->well('log', '--stderr', 'last', 4), qr/could not be done .*^something is broken$/ms, 'a failed task\'s words are with the client\'s');
my %said = map { $_->{name} => $_ } @{ $s->json('status', 'last')->{actions} };
like($said{a1}{message}, qr/ClassNotFoundException: Class no\.such\.Map not found/, 'a class that is not there is told') or diag($s->well('log', '--stderr', 'last', 1));
like($said{a2}{message}, qr/unknown queue: nosuch/, 'and a queue');
is($said{a3}{state}, 'FINISHED', 'whose task YARN has ended for its memory gets more') or diag($said{a3}{message});
cmp_ok(scalar(grep { $_->{id} == 3 } @{ $s->json('status', '--attempts', 'last') }), '>=', 2, 'with the next try');
$other->finish($final);
%said = map { $_->{name} => $_ } @{ $other->json('status', 'last')->{actions} };
like($said{a1}{message}, qr/fileoutputformat\.compress is "true", and "false" was asked for: the cluster marks it final/, 'what the cluster marks final is told');
like($said{a2}{message}, qr/mapred\.output\.compress is .* asked for: the cluster marks it final/, 'under its older name, too');
$other->clean('what the cluster marks final');

# The client that submits is killed, then the scheduler: the action is made once.
my $once = $s->write('once', job(1, 1, @text, streaming => JSON::PP::true, mapper => 'cat', reducer => 'sort', salt => "$$"));
my $pid = $s->start('run', '-q', $once);
my $runner = eventually {
    my ($found) = grep { slurp("/proc/$_/cmdline") =~ m{pingo-runner\0\Q$s->{dir}\E/} && slurp("/proc/$_/stat") !~ /\) Z / } map { /(\d+)/ } glob '/proc/[0-9]*';
    $found;
};
ok($runner, 'a client submits');
kill 9, $runner if $runner;
Hadoop::until_true('another one', sub { grep { $_->{job} } @{ $s->json('status', '--attempts', 'last') } });
$s->kill9($pid);
$r = run_all($once);
is($r->{status}, 0, 'killed clients and schedulers lose nothing') or diag($r->{err});
my @attempts = @{ $s->json('status', '--attempts', 'last') };
cmp_ok(scalar(grep { ($_->{exitCode} // 1) == 0 } @attempts), '<=', 1, 'and double nothing');
$s->clean('MapReduce');
done_testing();
