#!/usr/bin/perl
# node.t - pingo-hadoop-runner as a container starts it, with a real HDFS and no YARN: what it runs, brings, and leaves
# behind when it is ended, and that no attempt is run twice.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fault";
use Fault qw(eventually spew slurp);
use Hadoop;
use IO::Select;
use IO::Socket::INET;
use File::Temp ();
use POSIX qw(WNOHANG);
use Test::More;
use Time::HiRes qw(sleep time);

Hadoop::is_needed();
my $cluster = Hadoop->shared;
my $runner  = ($ENV{BUILD} || "$FindBin::Bin/../../build") . '/libexec/pingo-hadoop-runner';
my $scratch = File::Temp::tempdir('pingo-node-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $base    = "$cluster->{home}/pool";
my $pool    = "webhdfs://$cluster->{user}\@$cluster->{env}{NN_HTTP}$base";
my ($REASON_EXITED, $KILLED, $LOST, $NO_SPACE, $NOT_STARTED, $BAD_OUTPUT) = (0, 5, 6, 7, 8, 9);

# ---- HDFS, below the pool ---------------------------------------------------------------------------------------

sub hdfs {
    my ($method, $op, $path, %more) = @_;
    my ($status, $answer) = $cluster->dfs($method => $base . ($path eq '' ? '' : "/$path"), $op, %more);
    die "$op $path: $status\n" if $status != 200 && $status != 404;
    return $status == 200 ? $answer : undef;
}
sub make    { hdfs('PUT', 'MKDIRS', shift) }
sub put     { my ($path, $bytes) = @_; my $status = $cluster->put("$base/$path", $bytes); die "$path: $status\n" if $status != 201 }
sub get     { $cluster->get("$base/$_[0]") }
sub stat_of { $cluster->stat_of("$base/$_[0]") }
sub list    { $cluster->names_in("$base/$_[0]") }
# Everything in a tree: path => "dir", or mode and bytes.
sub tree {
    my ($path) = @_;
    my %found;
    for my $name (list($path)) {
        my $status = stat_of("$path/$name");
        if ($status->{type} eq 'DIRECTORY') {
            $found{$name} = 'dir';
            my $below = tree("$path/$name");
            $found{"$name/$_"} = $below->{$_} for keys %$below;
        } else {
            $found{$name} = (oct($status->{permission}) & 0100 ? 'x ' : '') . get("$path/$name");
        }
    }
    return \%found;
}

# ---- jobs, as lib/runner/record writes them, and outcomes, as it reads them --------------------------------------

sub checksum {
    my ($bytes) = @_;
    my $h = -3750763034362895579;
    { use integer; $h = ($h ^ $_) * 1099511628211 for unpack 'C*', $bytes; }
    $h &= 0xffffffffffffffff;
    return $h ^ ($h >> 29);
}
sub text  { pack 'L</a', shift() . "\0" }
sub texts { pack('L<', scalar @_) . join '', map { text($_) } @_ }

sub job {
    my ($key, %o) = @_;
    my ($action, $epoch) = split /\./, $key;
    my @links = @{ $o{links} // [] };
    my $bytes = pack('Q<L<Q<Q<Q<', 0x626f6a6f676e6970, $o{version} // 1, $o{log} // 10000, $o{grace_ms} // 2000, 1)
        . pack('Q<5', $action, $epoch, 1, 0, $o{limit_ms} // 0)
        . text("$pool/attempts/$key") . text("$pool/staged/$key")
        . (exists $o{output} && !defined $o{output} ? "\0" : "\1" . text($o{output} // 'out'))
        . texts(@{ $o{argv} // ['/bin/sh', '-c', $o{sh}] }) . texts('PATH=/usr/bin:/bin', "NOTES=$scratch", "KEY=$key")
        . pack('L<', scalar @links) . join('', map { text($_->[0]) . text($_->[1]) . "\0" . pack('Q<', 0) } @links)
        . ($o{confine} ? "\1" : "\0") . texts();
    return $bytes . pack 'Q<', checksum($bytes);
}
sub outcome {
    my ($key) = @_;
    my $bytes = get("attempts/$key/outcome") // return {reason => -1, message => 'there is none'};
    my %o;
    die "$key: an outcome of " . length($bytes) . " bytes\n" if length $bytes != 256 || unpack('Q<', substr $bytes, 248) != checksum(substr $bytes, 0, 248);
    @o{qw(reason kind signal exit)} = unpack 'C4', substr $bytes, 24, 4;
    @o{qw(size message)} = (unpack('Q<', substr $bytes, 80, 8), unpack 'Z120', substr $bytes, 128, 120);
    return \%o;
}
sub is_outcome {
    my ($key, $reason, $exit, $what) = @_;
    my $o = outcome($key);
    is("$o->{reason} $o->{exit}", "$reason $exit", $what) or diag($o->{message});
    return $o;
}

# ---- bundles ----------------------------------------------------------------------------------------------------

my $serial = 0;
my $action = 0;
# A bundle of such jobs; its application and its keys.
sub bundle {
    my (@jobs) = @_;
    my $application = sprintf 'application_%d_%04d', 1410450250506, ++$serial;
    my @keys = map { ++$action . '.1' } @jobs;
    put("attempts/$keys[$_]/job", ref $jobs[$_] ? job($keys[$_], %{ $jobs[$_] }) : $jobs[$_]) for 0 .. $#jobs;
    put("bundles/$application/list", join '', map { "$_\n" } @keys);
    return ($application, @keys);
}
# Starts the program in a container of it.
sub container {
    my ($application, $number, $containers, %env) = @_;
    my $id  = ($application =~ s/application/container/r) . sprintf '_01_%06d', $number;
    my $dir = "$scratch/$id";
    mkdir $dir;
    my $pid = fork // die;
    if (!$pid) {
        chdir $dir or POSIX::_exit(99);
        open STDERR, '>>', "$dir/err" or POSIX::_exit(99);
        %ENV = (%ENV, CONTAINER_ID => $id, NM_HOST => 'localhost', NM_PORT => 4711, NM_HTTP_PORT => 8042, %env);
        exec $runner, '--bundle', $pool, $application, $containers // 1 or POSIX::_exit(99);
    }
    return {pid => $pid, id => $id, dir => $dir};
}
# Its exit status, or "signal N".
sub finish {
    my ($c, $limit) = @_;
    my $end = time + ($limit // 200);
    until (waitpid($c->{pid}, WNOHANG) == $c->{pid}) {
        if (time > $end) { kill 'KILL', $c->{pid}; waitpid $c->{pid}, 0; return 'it did not end'; }
        sleep 0.02;
    }
    return $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
}
sub run_all {
    my ($application, %env) = @_;
    my $c = container($application, 2, 1, %env);
    my $status = finish($c);
    diag(slurp("$c->{dir}/err")) if $status ne '0' && !$env{QUIET};
    return $status;
}
sub ran { my ($key) = @_; return -e "$scratch/ran.$key" ? length slurp("$scratch/ran.$key") : 0 }
my $note = 'printf x >>"$NOTES/ran.$KEY";';

# ---- what it runs and brings ------------------------------------------------------------------------------------

make($_) for qw(attempts staged bundles objects originals);
put('objects/words', "some words\n");
put('objects/dir/a', 'A');
put('objects/dir/sub/run', "#!/bin/sh\necho it ran\n");
hdfs('PUT', 'SETPERMISSION', 'objects/dir/sub/run', permission => '755');
make('objects/dir/empty');
my @words = ['words', "$pool/objects/words"];
my ($application, @k) = bundle(
    {sh => "$note cat in/words in/words >out; echo told >&2", links => \@words},
    {sh => 'mkdir -p out/empty out/deep/er; cp -r in/d/. out; printf 1 >"out/deep/er/one name"; : >out/none; in/d/sub/run >out/deep/ran', links => [['d', "$pool/objects/dir"]]},
    {sh => 'echo no >&2; exit 3'},
    {sh => 'cat in/words; echo more', output => undef, links => \@words},
    {sh => 'chmod u+w in/words 2>/dev/null; echo spoiled >in/words; cp in/words out', links => \@words},
    {sh => 'cp in/words out', links => \@words},
    {sh => 'mkdir out; echo 1 >out/a:b'},
    {sh => 'true', links => [['gone', "$pool/objects/gone"]]},
    'these are no bytes of a job',
    {sh => 'true', version => 99},
    {sh => 'mkdir out; echo 1 >out/a; ln -s a out/b'},
    {sh => 'cat in/words >out; echo x >"$NOTES/secret"', confine => 1, links => \@words},
    {argv => ['no-such-command']},
    {sh => 'sleep 1000; echo 1 >out', limit_ms => 300},
    {sh => 'head -c 30000 /dev/zero >&2; echo 1 >out', log => 5000},
    {sh => ': >out'},
);
is(run_all($application), 0, 'a bundle is worked through');
is_outcome($k[0], $REASON_EXITED, 0, 'a command has ended well');
is(get("staged/$k[0]"), "some words\nsome words\n", 'and what it wrote is there');
is(get("attempts/$k[0]/stderr"), "told\n", 'with its log');
is_deeply([ sort +list("attempts/$k[0]") ], [ sort "started.container_1410450250506_0001_01_000002.localhost.4711.8042", qw(outcome stderr) ],
    'and who had it, and nothing else');
is_outcome($k[1], $REASON_EXITED, 0, 'one that makes a directory');
is_deeply(tree("staged/$k[1]"), {a => 'A', deep => 'dir', 'deep/er' => 'dir', 'deep/er/one name' => '1', 'deep/ran' => "it ran\n",
    empty => 'dir', none => '', sub => 'dir', 'sub/run' => "x #!/bin/sh\necho it ran\n"}, 'which is there with empty directories and executable files');
is_outcome($k[2], $REASON_EXITED, 3, 'one that fails');
is(get("attempts/$k[2]/stderr"), "no\n", 'says why in its log');
is(get("staged/$k[2]"), undef, 'and has no output');
is_outcome($k[3], $REASON_EXITED, 0, 'standard output may be the output');
is(get("staged/$k[3]"), "some words\nmore\n", 'it is that');
is(get("attempts/$k[3]/stdout"), undef, 'and no log');
is(get("staged/$k[4]"), "spoiled\n", 'an input can be spoiled by who has no sandbox');
is(get("staged/$k[5]"), "some words\n", 'and the next who reads it has it as it was');
like(is_outcome($k[6], $BAD_OUTPUT, 0, 'a name that HDFS cannot hold')->{message}, qr/^a:b: HDFS/, 'is told');
like(is_outcome($k[7], $NOT_STARTED, 0, 'an input that is not there')->{message}, qr/in\/gone/, 'is told');
like(is_outcome($k[8], $NOT_STARTED, 0, 'a job that is none')->{message}, qr/read back/, 'is told');
like(is_outcome($k[9], $NOT_STARTED, 0, 'a job of another version')->{message}, qr/another version/, 'is told');
is_outcome($k[10], $REASON_EXITED, 0, 'a link within the output');
is_deeply(tree("staged/$k[10]"), {a => "1\n", b => "1\n"}, 'becomes a copy');
is(outcome($k[10])->{size}, 4, 'which is counted');
is_outcome($k[11], $REASON_EXITED, 2, 'a sandbox lets it read its inputs');
ok(!-e "$scratch/secret", 'and write nowhere else');
like(is_outcome($k[12], $REASON_EXITED, 127, 'a command that is not there')->{message}, qr/no such command/, 'is told');
is_outcome($k[13], 2, 0, 'a limit of time holds');
my $log = get("attempts/$k[14]/stderr");
ok(length $log < 6000 && $log =~ /log cut at 5000 bytes/, 'a cap on a log holds');
is(outcome($k[15])->{size}, 0, 'an empty file is an output');
is(get("staged/$k[15]"), '', 'too');
is_deeply([ sort +list("bundles/$application") ], [ sort 'list', map { "ended.$_" } @k ], 'a bell has rung for each');
is_deeply([ grep { /\.copy/ } list('staged') ], [], 'nothing half is left');

# ---- several at once --------------------------------------------------------------------------------------------

($application, @k) = bundle(map { +{sh => "$note until test -e \$NOTES/all; do sleep 0.05; done; echo \$KEY >out"} } 1 .. 18);
my @containers = map { container($application, $_, 3) } 2 .. 4;
# Nobody goes on before each container has one.
ok(eventually(sub { 3 <= grep { -e "$scratch/ran.$_" } @k }), 'three run at once');
spew("$scratch/all", '');
is(finish($_), 0, "$_->{id} has worked") for @containers;
is_deeply([ map { ran($_) } @k ], [ (1) x @k ], 'each attempt ran once');
is_deeply([ map { get("staged/$_") } @k ], [ map { "$_\n" } @k ], 'and each has brought its output');
my %by = map { my ($s) = grep { /^started/ } list("attempts/$_"); ($s =~ s/^started\.(\w+).*/$1/r => 1) } @k;
is(scalar keys %by, 3, 'all three had some') or diag(join ' ', %by);

# ---- kill -9 ----------------------------------------------------------------------------------------------------

# YARN ends the process that it knows: what runs is ended by the one below it, which says so.
sub below { my ($c) = @_; my ($pid) = split ' ', slurp("/proc/$c->{pid}/task/$c->{pid}/children"); return $pid }
my $slow = "$note echo \$\$ >\$NOTES/pid; setsid sleep 1000 & wait; echo 1 >out";
($application, @k) = bundle({sh => $slow}, {sh => "$note echo 2 >out"});
my $c = container($application, 2);
ok(eventually(sub { -s "$scratch/pid" }), 'a command runs');
kill 'KILL', $c->{pid};
is(finish($c), 'signal 9', 'its container is killed');
ok(eventually(sub { get("attempts/$k[0]/outcome") }), 'there is an outcome all the same');
is_outcome($k[0], $KILLED, 0, 'it says that it was ended');
chomp(my $pid = slurp("$scratch/pid"));
ok(eventually(sub { !kill 0, $pid }), 'and it is');
is(ran($k[1]), 0, 'no other is begun');

# All of it is killed, and the same container starts again: what was claimed is not run again, and said to be lost.
unlink "$scratch/pid";
($application, @k) = bundle({sh => $slow}, {sh => "$note echo 2 >out"});
$c = container($application, 2);
ok(eventually(sub { -s "$scratch/pid" }), 'a command runs');
my $other = container($application, 2);
is(finish($other), 92, 'a second start beside the first does nothing');
kill 'KILL', $c->{pid}, below($c);
is(finish($c), 'signal 9', 'its runner is killed');
chomp($pid = slurp("$scratch/pid"));
ok(eventually(sub { !kill 0, $pid }), 'and the command with it');
ok(!grep({ $_ eq 'outcome' } list("attempts/$k[0]")), 'there is no outcome');
is(get("staged/$k[0]"), undef, 'and no output');
is(run_all($application), 0, 'the container is started anew');
is_outcome($k[0], $LOST, 0, 'what it had begun is lost');
is(ran($k[0]), 1, 'and was not run again');
is_outcome($k[1], $REASON_EXITED, 0, 'what it had not is run');

# The one below alone is killed: nothing of what it ran is left.
unlink "$scratch/pid";
($application, @k) = bundle({sh => "(trap '' TERM; echo \$\$ >\$NOTES/pid; setsid sleep 1000) & setsid sleep 1000"});
$c = container($application, 2);
ok(eventually(sub { -s "$scratch/pid" }), 'a command runs');
kill 'KILL', below($c);
is(finish($c), 137, 'its runner is killed for want of memory, say');
ok(!grep({ m{^/proc/\d+/environ$} && (eval { slurp($_) } // '') =~ /KEY=\Q$k[0]\E\0/ } glob '/proc/[0-9]*/environ'), 'and nothing of it runs on');

# While an output is on its way, and while an input is.
sub big { "head -c $_[0] /dev/zero" }
# It may be there before it was seen on its way, or HDFS may not have taken it; a fetch may be over: then it is tried
# again.
for my $try (1 .. 10) {
    ($application, @k) = bundle({sh => big('120M') . ' >out'});
    $c = container($application, 2);
    ok(eventually(sub { grep { /^\Q$k[0]\E(?:\.|$)/ } list('staged') }), 'a large output is on its way');
    kill 'KILL', $c->{pid}, below($c);
    finish($c);
    last if !grep { $_ eq $k[0] || $_ eq 'outcome' } list('staged'), list("attempts/$k[0]");
}
is(get("staged/$k[0]"), undef, 'nothing half has its name');
ok(!grep({ $_ eq 'outcome' } list("attempts/$k[0]")), 'and there is no outcome');
($application, @k) = bundle({sh => big('60M') . ' >out'}, {sh => 'cp in/big out', links => [['big', "$pool/staged/" . ($action + 1) . '.1']]});
is(run_all($application), 0, 'a large file goes there and back');
is(stat_of("staged/$_")->{length}, 62914560, 'whole') for @k;
my $big = "$pool/staged/$k[0]";
for my $try (1 .. 10) {
    ($application, @k) = bundle({sh => "$note cp in/big out", links => [['big', $big]]});
    $c = container($application, 2);
    ok(eventually(sub { grep { /^started/ } list("attempts/$k[0]") }), 'one is claimed');
    kill 'KILL', $c->{pid}, below($c);
    finish($c);
    last if !ran($k[0]);
}
is(run_all($application), 0, 'and its runner killed while it fetches, or before');
ok(!ran($k[0]), 'it is not run later');

# ---- told to end ------------------------------------------------------------------------------------------------

my $stubborn = "$note trap '' TERM; echo \$\$ >\$NOTES/pid; while :; do sleep 0.1; done";
unlink "$scratch/pid";
($application, @k) = bundle({sh => $stubborn}, {sh => "$note echo 2 >out"});
$c = container($application, 2);
ok(eventually(sub { -s "$scratch/pid" }), 'a command runs that does not hear TERM');
kill 'TERM', $c->{pid};
is(finish($c), 0, 'its runner hears it');
like(is_outcome($k[0], $KILLED, 0, 'the outcome says so')->{message}, qr/SIGTERM/, 'and why');
chomp($pid = slurp("$scratch/pid"));
ok(!kill(0, $pid), 'the command is gone');
ok(!ran($k[1]), 'no other is begun');
ok(grep({ $_ eq 'job' } list("attempts/$k[1]")), 'and can be by others');

unlink "$scratch/pid";
($application, @k) = bundle({sh => $stubborn, grace_ms => 300}, {sh => "$note echo 2 >out"});
$c = container($application, 2);
ok(eventually(sub { -s "$scratch/pid" }), 'one runs again');
make("attempts/$k[0]/kill");
is(finish($c), 0, 'one attempt alone can be ended');
is_outcome($k[0], $KILLED, 0, 'its outcome says so');
is_outcome($k[1], $REASON_EXITED, 0, 'the next one is run');

($application, @k) = bundle({sh => "$note echo 1 >out"}, {sh => "$note echo 2 >out"});
hdfs('PUT', 'RENAME', "attempts/$k[0]/job", destination => "$base/attempts/$k[0]/revoked", renameoptions => 'NONE');
is(run_all($application), 0, 'an attempt was revoked');
is(ran($k[0]) . ran($k[1]), '01', 'it is not run, and others are');

# ---- what is not there ------------------------------------------------------------------------------------------

is(run_all('application_1_9999', QUIET => 1), 91, 'there is no such bundle');
make('probes/p');
put('probes/p/question', 'is anybody there');
my $status = system $runner, '--probe', $pool, 'probes/p';
is($status, 0, 'a probe is answered');
my @answer = split /\n/, get('probes/p/answer');
is($answer[0], 'is anybody there', 'with its question');
ok(abs($answer[3] / 1000 - time) < 60, 'and the clock');
mkdir "$scratch/none";
spew("$scratch/none/libcurl.so.4", 'no library');
($application, @k) = bundle({sh => 'echo 1 >out'});
$c = container($application, 2, 1, LD_LIBRARY_PATH => "$scratch/none");
is(finish($c), 92, 'a node without libcurl runs nothing');
like(slurp("$c->{dir}/err"), qr/libcurl/, 'and says so');

# A NameNode that comes and goes, by way of a door to it; through one that loses answers no rename is lost, nor done twice.
my ($door, $port, @losing);
sub open_door {
    my $listener = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1', LocalPort => $port // 0, ReuseAddr => 1) // die "no door: $@\n";
    $port = $listener->sockport;
    $door = fork // die;
    return if $door;
    my ($select, %other, %lost) = IO::Select->new($listener);
    while (my @ready = $select->can_read) {
        for my $from (@ready) {
            if ($from == $listener) {
                my ($client, $server) = (scalar $listener->accept, IO::Socket::INET->new($cluster->{env}{NN_HTTP}));
                next if !$client || !$server;
                @other{$client, $server} = ($server, $client);
                $select->add($client, $server);
                next;
            }
            my $to = $other{$from} or next;
            my $n = sysread $from, my $bytes, 65536;
            if ($n && @losing && $bytes =~ m{^PUT (\S+?)\?op=(?:RENAME|MKDIRS)}s && !$lost{$1}++) {
                $losing[0]{$to} = 1;
                spew("$scratch/lost", scalar keys %lost);
            }
            if (!$n || $losing[0]{$from}) { # an answer that is lost; or either side has closed
                $select->remove($from, $to);
                delete @other{$from, $to};
                close $_ for $from, $to;
                next;
            }
            syswrite $to, $bytes;
        }
    }
    POSIX::_exit(0);
}
sub close_door { kill 'KILL', $door; waitpid $door, 0 }
my ($away, $direct) = ("$scratch/away", $pool);
unlink "$scratch/pid";
open_door();
$pool =~ s/:\d+\//:$port\//;
($application, @k) = bundle({sh => "$note echo \$\$ >\$NOTES/pid; until test -e \$NOTES/away; do sleep 0.1; done; echo 1 >out"}, map { +{sh => "$note echo 1 >out"} } 1, 2);
$c = container($application, 2);
ok(eventually(sub { -s "$scratch/pid" }), 'a command runs');
close_door();
spew($away, '');
sleep 3;
ok(!get("attempts/$k[0]/outcome"), 'it has ended while no NameNode answers');
open_door();
is(finish($c), 0, 'which comes back');
is_outcome($_, $REASON_EXITED, 0, 'the outcome is there') for @k;
close_door();
@losing = ({});
open_door();
($application, @k) = bundle(map { +{sh => "$note echo 1 >out"} } 1 .. 4);
@containers = map { container($application, $_, 2) } 2, 3;
is(finish($_), 0, 'answers are lost') for @containers;
cmp_ok(slurp("$scratch/lost"), '>=', 3 * @k, 'many of them');
is_deeply([ map { ran($_) } @k ], [ (1) x @k ], 'each attempt ran once');
is_outcome($_, $REASON_EXITED, 0, 'and its outcome is there') for @k;
is_deeply([ map { get("staged/$_") } @k ], [ ("1\n") x @k ], 'with its output');
close_door();
$pool = $direct;

# The disk of a node is not the pool's: another may have room.
SKIP: {
    ($application, @k) = bundle({sh => "$note cp in/big out", links => [['big', $big]]}, {sh => big('12M') . ' >out'}, {sh => 'echo 1 >out'});
    my $small = "$scratch/" . ($application =~ s/application/container/r) . '_01_000002';
    mkdir $small;
    skip('a small file system cannot be mounted here', 6) if $> != 0 || system qw(mount -t tmpfs -o size=8m pingo-test), $small;
    is(run_all($application), 0, 'a node has a small disk');
    system 'umount', '-l', $small;
    like(is_outcome($k[0], $LOST, 0, 'which an input fills')->{message}, qr/disk of localhost was full/, 'as is told');
    is_outcome($k[1], $LOST, 1, 'and a command');
    is_outcome($k[2], $REASON_EXITED, 0, 'others have room');
    ok(!ran($k[0]), 'what has no inputs is not run');
}

# Only so much may lie in the pool: what is too much is told, and the outcome finds room.
my $quota = eval { hdfs('PUT', 'SETQUOTA', '', storagespacequota => hdfs('GET', 'GETCONTENTSUMMARY', '')->{ContentSummary}{spaceConsumed} + (50 << 20), namespacequota => 9223372036854775807); 1 };
$quota or diag("the quota cannot be set: $@");
($application, @k) = bundle({sh => big('90M') . ' >out'}, {sh => 'echo 1 >out'});
is(run_all($application), 0, 'HDFS is full');
like(is_outcome($k[0], $NO_SPACE, 0, 'for a large output')->{message}, qr/./, 'which is told');
is_deeply([ grep { /^\Q$k[0]\E/ } list('staged') ], [], 'and nothing of it is left');
done_testing();
