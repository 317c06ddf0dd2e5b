#!/usr/bin/perl
# jobs.t - what an action can say of a MapReduce job, on a real Hadoop: classes of one's own in jars, partitioners, formats,
# combiners, several reduces: right to the byte.  What is wrong is told in Hadoop's own words; how far one is, is told while
# it runs; one that is killed is ended in YARN, and leaves nothing.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fault";
use Fault qw(action slurp spew);
use Hadoop;
use IO::Compress::Gzip qw(gzip);
use JSON::PP ();
use Test::More;

Hadoop::is_needed();
my $c = Hadoop->shared;
my $s = $c->store;
my %small = (retries => 0, executorOptions => { 'mapreduce.job.ubertask.enable' => 'true', 'yarn.app.mapreduce.am.resource.mb' => 512,
        'mapreduce.map.maxattempts' => 1, 'mapreduce.reduce.maxattempts' => 1 });
my ($io, $new, $old) = map { "org.apache.hadoop.$_" } qw(io mapreduce.lib mapred.lib);
my %counted = (outputKey => "$io.Text", outputValue => "$io.IntWritable");

sub job {
    my ($id, $version, %keys) = @_;
    return { id => $id, name => "a$id", type => "map-reduce-$version", %small, %keys };
}
# What each of a dataset's files holds.
sub parts_of {
    my ($id) = @_;
    $s->well('export', 'last', $id, $s->path("out$id"));
    return map { slurp($_) } sort glob($s->path("out$id/a$id/*"));
}
sub lines { my ($of, @keys) = @_; return join '', map { "$_\t$of->{$_}\n" } sort @keys }
# Hadoop's hash of bytes, as an int of Java's without its sign.
sub hash {
    my ($bytes, $h) = @_;
    $h = (31 * $h + $_) & 0xffffffff for unpack 'c*', $bytes;
    return $h & 0x7fffffff;
}
# Keys as so many reduces have them, by what each is hashed by.
sub split_by { my ($n, $code, @keys) = @_; my @parts = map { [] } 1 .. $n; push @{ $parts[$code->($_) % $n] }, $_ for @keys; return @parts }

my $text = slurp("$FindBin::Bin/../../README.md");
my %words;
$words{$_}++ for split ' ', $text;
my @text = (inputs => [ { name => 'text', path => 'text' } ]);
spew($s->path('text'), $text);
gzip(\$text => $s->path('text.gz')) or die;
spew($s->path('pairs'), join '', map { "k$_;v;$_\n" } reverse 100 .. 199);
Hadoop::write_jar($s->path('own.jar'), 'pingo.test.Words' => "$new.map.TokenCounterMapper");
Hadoop::write_jar($s->path('sum.jar'), 'pingo.test.Sum' => "$new.reduce.IntSumReducer");
Hadoop::write_jar($s->path('old.jar'), 'pingo.test.Words' => "$old.TokenCountMapper", 'pingo.test.Sum' => "$old.LongSumReducer");

my $file = $s->write('w',
    # Classes in a jar and in one beside it, each word where its first byte sends it, and pairs of bytes that commands do not read.
    job(1, 2, jar => 'own.jar', libs => ['sum.jar'], inputs => [ map { { name => $_, path => $_ } } qw(own.jar sum.jar text) ],
        mapper => 'pingo.test.Words', combiner => 'pingo.test.Sum', reducer => 'pingo.test.Sum', %counted, reduces => 3,
        partitioner => "$new.partition.KeyFieldBasedPartitioner", outputFormat => "$new.output.SequenceFileOutputFormat",
        configuration => { 'mapreduce.partition.keypartitioner.options' => '-k1.1,1.1' }),
    # Read by the other interface.
    job(2, 1, parentActions => [ { id => 1, as => 'pairs' } ], inputFormat => 'org.apache.hadoop.mapred.SequenceFileInputFormat',
        mapper => "$old.IdentityMapper", reduces => 0, %counted),
    # A jar that an action has made; its classes are called as the others, and are not.
    { %{ action(3, 'cp in/old.jar output') }, inputs => [ { name => 'old.jar', path => 'old.jar' } ], executor => 'local' },
    job(4, 1, @text, parentActions => [ { id => 3, as => 'made' } ], jar => 'made', mapper => 'pingo.test.Words', combiner => 'pingo.test.Sum',
        reducer => 'pingo.test.Sum', outputKey => "$io.Text", outputValue => "$io.LongWritable", reduces => 2),
    job(5, 2, inputs => [ { name => 'pairs', path => 'pairs' } ], inputFormat => "$new.input.KeyValueTextInputFormat",
        mapper => 'org.apache.hadoop.mapreduce.Mapper', outputKey => "$io.Text", outputValue => "$io.Text",
        configuration => { 'mapreduce.input.keyvaluelinerecordreader.key.value.separator' => ';', 'nobody.reads.this' => 'x' }),
    # What is packed; commands, and only those that map.
    job(6, 1, inputs => [ { name => 'text.gz', path => 'text.gz' } ], streaming => JSON::PP::true, mapper => 'cat', reduces => 0),
);
# What waits for a gate, beside all that: an input of two files, of which one lets through.
my $gated = $c->store;
my %gated = (streaming => JSON::PP::true, reduces => 0, %small);
spew($gated->path('one'), "1\n");
spew($gated->path('two'), "2\n");
my $slow = $gated->start('run', '-q', $gated->write('gated', (map { my $id = $_; job($id, 1, %gated, inputs => [ map { { name => $_, path => $_ } } qw(one two) ],
        mapper => "read x; if [ \$x = 2 ]; then " . $gated->note_run("waits$id") . '; ' . $gated->gate($id) . '; fi; echo $x') } 1, 2),
    job(3, 1, %gated, inputs => [ { name => 'one', path => 'one' } ], mapper => $gated->gate(3), resources => { timeLimitSeconds => 5 })));
# What cannot be, likewise.
my $bad = $c->store;
spew($bad->path('text'), $text);
spew($bad->path('no.jar'), 'this is no archive');
my $cannot = $bad->start('run', '-q', $bad->write('bad',
    job(1, 2, inputs => [ map { { name => $_, path => $_ } } qw(no.jar text) ], jar => 'no.jar', mapper => 'pingo.test.Words'),
    job(2, 2, @text, mapper => "$new.map.TokenCounterMapper", outputKey => "$io.LongWritable", outputValue => "$io.IntWritable"),
    job(3, 2, @text, mapper => "$io.Text"),
    job(4, 2, @text, mapper => 'org.apache.hadoop.mapreduce.Mapper', outputFormat => "$new.output.NullOutputFormat"),
    job(5, 1, @text, mapper => "$old.TokenCountMapper", outputKey => "$io.Text", outputValue => "$io.LongWritable", inputFormat => "$old.NLineInputFormat",
        configuration => { 'mapreduce.input.lineinputformat.linespermap' => 'many' })));
my $r = $s->finish($s->start('run', '-q', $file));
is($r->{status}, 0, 'jobs') or diag($r->{err});
my @want = split_by(3, sub { hash(substr($_[0], 0, 1), 0) }, keys %words);
is(scalar(grep { @$_ } @want), 3, 'words of each part');
is_deeply([ map { substr($_, 0, 3) } parts_of(1) ], [ ('SEQ') x 3 ], 'a format of its own');
is_deeply([ sort(parts_of(2)) ], [ sort map { lines(\%words, @$_) } @want ], 'classes in jars, a combiner, a partitioner: the other interface reads it');
is_deeply([ parts_of(4) ], [ map { lines(\%words, @$_) } split_by(2, sub { hash($_[0], 1) }, keys %words) ], 'classes that an action has made, in two parts');
is(join('', parts_of(5)), join('', map { "k$_\tv;$_\n" } 100 .. 199), 'keys and values of text');
is(join('', parts_of(6)) =~ s/\t?\n/\n/gr, $text =~ s/\t?\n/\n/gr, 'what is packed');
$s->clean('jobs');

# How far it is; one that is killed is ended in YARN, and leaves nothing.
sub attempt { my ($id) = @_; return (grep { $_->{id} == $id } @{ $gated->json('status', '--attempts', 'last') })[-1] // {} }
sub in_yarn { my ($state) = @_; return grep { $_->{state} eq $state } map { $c->app($_->{job}) } grep { $_->{job} } attempt(1), attempt(2) }
Hadoop::until_true('both wait', sub { keys %{ $gated->runs } == 2 });
ok(eval { Hadoop::until_true('part of it', sub { (attempt(1)->{progress} // {})->{percent} }) }, 'a part of it is done') or diag(explain(attempt(1)));
is(attempt(1)->{state}, 'running', 'and it runs');
like($gated->well('status', '--attempts', 'last'), qr/\brunning \d+%/, 'both are told');
is(in_yarn('RUNNING'), 2, 'YARN runs both');
$gated->well('kill', 'last', 'a2');
$gated->open_gate(1);
isnt($gated->finish($slow)->{status}, 0, 'one is killed');
is_deeply($gated->states('last'), { a1 => 'FINISHED', a2 => 'KILLED', a3 => 'FAILED' }, 'the other ends well');
like((grep { $_->{name} eq 'a3' } @{ $gated->json('status', 'last')->{actions} })[0]{message}, qr/longer than its time limit of 5 s/, 'and one that takes too long does not');
Hadoop::until_true('it has ended in YARN', sub { in_yarn('KILLED') == 1 && in_yarn('FINISHED') == 1 });
pass('it has ended in YARN, and it alone');
Hadoop::until_true('its attempt says so', sub { $gated->well('tick'); attempt(2)->{state} eq 'killed' });
isnt($gated->pingo('path', 'last', 'a2')->{status}, 0, 'and there is nothing of it');
$gated->clean('one that was killed');

# What cannot be.
$r = $bad->finish($cannot);
my %said = map { $_->{name} => $_ } @{ $bad->json('status', 'last')->{actions} };
my %why  = (
    a1 => qr/no archive of Java's/,
    a2 => qr/Type mismatch in key from map: expected org\.apache\.hadoop\.io\.LongWritable, received org\.apache\.hadoop\.io\.Text/,
    a3 => qr/class org\.apache\.hadoop\.io\.Text cannot be cast to class org\.apache\.hadoop\.mapreduce\.Mapper/,
    a4 => qr/nothing lies where its output was to be/,
    a5 => qr/NumberFormatException: For input string: "many"/);
like($said{$_}{message}, $why{$_}, "what is wrong is told: $_") for sort keys %why;
is_deeply([ map { $_->{state} } @said{ sort keys %why } ], [ ('FAILED') x 5 ], 'and fails');
$bad->clean('what cannot be');
done_testing();
