# Hadoop.pm - what the tests on a real Hadoop share: clusters of test/hadoop/up, files in HDFS by WebHDFS, applications
# by the ResourceManager's REST.
#
# Hadoop->shared is one cluster for all files that run at about the same time: it goes when nobody has used it for a
# while; who uses it stays in a directory of its own and kills nothing.  Hadoop->new is a cluster of the test's own.
# Where Hadoop's jars are not there, the test is skipped, loudly; in CI that is a failure.
package Hadoop;
use strict;
use warnings;
use Cwd qw(abs_path);
use Fcntl qw(:flock);
use File::Basename qw(basename dirname);
use File::Temp ();
use lib dirname(__FILE__) . '/../fault';
use Fault qw(slurp spew until_true);
use HTTP::Tiny;
use IO::Compress::Zip ();
use IO::Uncompress::Unzip ();
use JSON::PP ();
use Test::More;
use Time::HiRes qw(time sleep);

my $script = abs_path(dirname(__FILE__)) . '/up';
my $owner  = $$;
my $http   = HTTP::Tiny->new(timeout => 120);
my $json   = JSON::PP->new->utf8->canonical;
my @clusters;

# Runs words; their status, and what they said on both outputs.
sub said {
    my (@words) = @_;
    my $pid = open(my $pipe, '-|') // die "fork: $!\n";
    if (!$pid) {
        open STDERR, '>&', \*STDOUT or POSIX::_exit(126);
        open STDIN, '<', '/dev/null' or POSIX::_exit(126);
        exec 'timeout', '900', @words or POSIX::_exit(127);
    }
    my $said = do { local $/; <$pipe> } // '';
    close $pipe;
    return ($? >> 8, $said);
}

# To be called before all else; words for `up start` that need more than any cluster.
sub is_needed {
    my (@words) = @_;
    my (undef, $said) = said($script, 'start', '/dev/null/x', @words);
    my ($missing) = $said =~ /is missing: (.*)/ or return;
    BAIL_OUT("Hadoop cannot be tested, there are no $missing") if $ENV{CI};
    diag("\n*** NOT TESTED: a real Hadoop.  Missing: $missing ***");
    plan(skip_all => "NOT TESTED, a real Hadoop: missing $missing");
}

# A cluster of one's own: words for `up start`; --held: it is used from the beginning, as long as {use} is open.
sub new {
    my ($class, @words) = @_;
    my $self = bless { dir => File::Temp::tempdir('pingo-hadoop-XXXXXX', TMPDIR => 1), own => 1 }, $class;
    push @clusters, $self;
    if (grep { $_ eq '--held' } @words) {
        @words = grep { $_ ne '--held' } @words;
        mkdir "$self->{dir}/run";
        open $self->{use}, '>', "$self->{dir}/run/users" or die "$self->{dir}: $!\n";
        flock $self->{use}, LOCK_SH or die "$self->{dir}: $!\n";
    }
    note($self->verb('start', @words, '--while', $$));
    return $self->settle;
}

# The one that others use as well.
sub shared {
    my ($class) = @_;
    my $dir = $ENV{PINGO_TEST_HADOOP} // ($ENV{TMPDIR} // '/tmp') . "/pingo-hadoop-$<";
    my $self = bless { dir => $dir }, $class;
    open my $lock, '>', "$dir.lock" or die "$dir.lock: $!\n";
    flock $lock, LOCK_EX or die "$dir.lock: $!\n";
    if (($self->try('status'))[0]) {
        die "$dir is not ours\n" if -e $dir && !-o $dir;
        system 'rm', '-rf', $dir;
        note($self->verb('start', '--idle', 30));
    }
    # Held until this process is gone.
    open $self->{use}, '<', "$dir/run/users" or die "$dir: $!\n";
    flock $self->{use}, LOCK_SH or die "$dir: $!\n";
    close $lock;
    return $self->settle;
}

# What it is called, and the directory in HDFS that is this test's.
sub settle {
    my ($self) = @_;
    $self->{env}  = { map { /^export (\w+)='?(.*?)'?$/ ? ($1 => $2) : () } split /\n/, $self->verb('env') };
    $self->{user} = $self->{env}{HADOOP_USER};
    $self->{home} = '/user/' . basename($0, '.t') . "-$$";
    return $self;
}

sub try { my ($self, $verb, @words) = @_; return said($script, $verb, $self->{dir}, @words) }

# A verb of test/hadoop/up, which must succeed; what it said.
sub verb {
    my ($self, @words) = @_;
    my ($status, $said) = $self->try(@words);
    die "up @words: $said" if $status;
    chomp $said;
    return $said;
}

# ---- HDFS ---------------------------------------------------------------------------------------------

# A request to the NameNode, operands as KEY => VALUE: HTTP status, what it answered as read from JSON or as it is.
sub dfs {
    my ($self, $method, $path, $op, %operands) = @_;
    my $query = $http->www_form_urlencode({ op => $op, 'user.name' => $self->{user}, %operands });
    my $escaped = $path =~ s{([^\w./-])}{sprintf '%%%02X', ord $1}ger;
    my $r = $http->request($method, "http://$self->{env}{NN_HTTP}/webhdfs/v1$escaped?$query");
    return ($r->{status}, eval { $json->decode($r->{content}) } // $r->{content});
}

# Writes a file; the status of the last answer.
sub put {
    my ($self, $path, $bytes, %more) = @_;
    my ($status, $answer) = $self->dfs(PUT => $path, 'CREATE', noredirect => 'true', %more);
    return $status if $status != 200;
    return $http->request('PUT', $answer->{Location}, { content => $bytes, headers => { 'Content-Type' => 'application/octet-stream' } })->{status};
}

# The bytes of a file; nothing where there is none.
sub get {
    my ($self, $path) = @_;
    my ($status, $answer) = $self->dfs(GET => $path, 'OPEN', noredirect => 'true');
    return if $status != 200;
    my $r = $http->get($answer->{Location});
    return $r->{success} ? $r->{content} : undef;
}

# FileStatus of a path; nothing where there is none.
sub stat_of {
    my ($self, $path) = @_;
    my ($status, $answer) = $self->dfs(GET => $path, 'GETFILESTATUS');
    return $status == 200 ? $answer->{FileStatus} : undef;
}

# The names in a directory, sorted.
sub names_in {
    my ($self, $path) = @_;
    my ($status, $answer) = $self->dfs(GET => $path, 'LISTSTATUS');
    return $status == 200 ? sort map { $_->{pathSuffix} } @{ $answer->{FileStatuses}{FileStatus} } : ();
}

# The files of DataNodes in which bytes lie.
sub find_blocks { my ($self) = @_; my @found = split /\n/, `find $self->{dir} -name 'blk_*' ! -name '*.meta' -type f`; return @found }

# ---- applications -------------------------------------------------------------------------------------

# A request to the ResourceManager: HTTP status, the document.
sub rm {
    my ($self, $method, $path, $document) = @_;
    my $r = $http->request($method, "http://$self->{env}{RM_HTTP}/ws/v1/cluster/$path" . ($path =~ /\?/ ? '&' : '?') . "user.name=$self->{user}",
        { headers => { 'Content-Type' => 'application/json' }, $document ? (content => $json->encode($document)) : () });
    return ($r->{status}, eval { $json->decode($r->{content}) } // {});
}

sub app { my ($self, $id) = @_; return ($self->rm(GET => "apps/$id"))[1]{app} // {} }

# Those with a tag, or all; newest last.
sub apps {
    my ($self, $tag) = @_;
    my (undef, $document) = $self->rm(GET => 'apps?deSelects=resourceRequests' . ($tag ? "&applicationTags=$tag" : ''));
    my $apps = ($document->{apps} // {})->{app} // [];
    return sort { $a->{id} cmp $b->{id} } ref $apps eq 'ARRAY' ? @$apps : $apps;
}

# Starts a script by the distributed shell, as the executor does; the application's id.
sub shell {
    my ($self, $text, %o) = @_;
    my $id   = ($self->rm(POST => 'apps/new-application'))[1]{'application-id'} // die "no id\n";
    my $path = "$self->{home}/shell/$id";
    $self->put($path, $text) == 201 or die "$path: not written\n";
    my $class_path = join '<CPS>', '{{CLASSPATH}}', './*', split /:/, $self->{env}{HADOOP_JARS};
    my %environment = (CLASSPATH => $class_path, DISTRIBUTEDSHELLSCRIPTLOCATION => $self->{env}{NN_RPC} . $path,
        DISTRIBUTEDSHELLSCRIPTLEN => length $text, DISTRIBUTEDSHELLSCRIPTTIMESTAMP => $self->stat_of($path)->{modificationTime});
    my $class  = 'org.apache.hadoop.yarn.applications.distributedshell.ApplicationMaster';
    my $memory = $o{memory} // 128;
    my ($status) = $self->rm(POST => 'apps', { 'application-id' => $id, 'application-name' => $o{name} // 'shell', queue => $o{queue} // 'default',
        'max-app-attempts' => 1, resource => { memory => 256, vCores => 1 }, 'am-container-spec' => {
            commands => { command => "{{JAVA_HOME}}/bin/java -Xmx128m $class --container_memory $memory --container_vcores 1"
                . ' --num_containers ' . ($o{containers} // 1) . ' --priority 0 1><LOG_DIR>/am.out 2><LOG_DIR>/am.err' },
            environment => { entry => [ map { { key => $_, value => "$environment{$_}" } } sort keys %environment ] } } });
    die "application: $status\n" if $status != 202;
    return $id;
}

# Waits until an application is over; what is then known of it.
sub ended {
    my ($self, $id) = @_;
    my $app;
    eval { until_true($id, sub { $app = $self->app($id); ($app->{state} // '') =~ /^(?:FINISHED|FAILED|KILLED)$/ }) }
        or die "$id is @{[ $app->{state} // 'unknown' ]}: @{[ $app->{diagnostics} // '' ]}\n";
    return $app;
}

# ---- jars ---------------------------------------------------------------------------------------------

# A class of Hadoop's MapReduce as it is, but under a name of ours, which no class path has: a class of one's own without
# a compiler.
sub class_as {
    my ($class, $name) = map { tr{.}{/}r } @_;
    my ($jar) = glob((Hadoop::said($script, 'fetch'))[1] =~ s/\n//r . '/lib/hadoop-mapreduce-client-core-*.jar');
    my $bytes;
    IO::Uncompress::Unzip::unzip($jar => \$bytes, Name => "$class.class") or die "$class: $IO::Uncompress::Unzip::UnzipError\n";
    # Its constants, of which texts alone have a length of their own: JVMS 4.4.
    my %size = (3 => 5, 4 => 5, 5 => 9, 6 => 9, 7 => 3, 8 => 3, 9 => 5, 10 => 5, 11 => 5, 12 => 5, 15 => 4, 16 => 3, 17 => 5, 18 => 5);
    my ($head, $count, $rest) = unpack 'a8 n a*', $bytes;
    my ($constants, $at) = ('', 0);
    for (my $i = 1; $i < $count; $i++) {
        my $tag  = ord substr $rest, $at, 1;
        my $size = $tag == 1 ? 3 + unpack('x n', substr $rest, $at, 3) : $size{$tag} // die "$class: constant $tag\n";
        my $constant = substr $rest, $at, $size;
        $constant = pack 'C n/a*', 1, substr($constant, 3) =~ s/\Q$class\E/$name/gr if $tag == 1;
        $constants .= $constant;
        $at += $size;
        $i++ if $tag == 5 || $tag == 6; # these count twice
    }
    return $head . pack('n', $count) . $constants . substr $rest, $at;
}

# Writes a jar: its own name of a class => the class of Hadoop's that it is.
sub write_jar {
    my ($path, %classes) = @_;
    my $zip;
    for my $name (sort keys %classes) {
        my @at = (Name => ($name =~ tr{.}{/}r) . '.class');
        $zip ? $zip->newStream(@at) : ($zip = IO::Compress::Zip->new($path, @at) or die "$path: $IO::Compress::Zip::ZipError\n");
        print {$zip} class_as($classes{$name}, $name);
    }
    close $zip;
}

# ---- stores whose pool is in HDFS ---------------------------------------------------------------------

# Where pools of this test are.
sub pool { my ($self, $name) = @_; return "webhdfs://$self->{user}\@$self->{env}{NN_HTTP}$self->{home}/" . ($name // 'pool') }

# A new store (words for Fault->new) with a pool of its own; its actions run here, unless it is told executor => 'local'.
sub store {
    my ($self, %o) = @_;
    my $store = Fault->new(pool => $self->pool('pool' . ++$self->{stores}), %o);
    $self->configure($store);
    $store->well('config', '--no-check', 'executor', $o{executor} // 'hadoop');
    return $store;
}

# Tells a store of this cluster, to ask it often; further settings as KEY => VALUE.
sub configure {
    my ($self, $store, %more) = @_;
    my $env = $self->{env};
    my %set = (rm => $env->{RM_HTTP}, fs => $env->{NN_RPC}, amClasspath => $env->{HADOOP_JARS}, java => "$env->{JAVA_HOME}/bin/java",
        client => $env->{HADOOP_JARS}, conf => $env->{HADOOP_CONF_DIR}, pollSeconds => 1, %more);
    $store->well('config', '--no-check', "executor.hadoop.$_", $set{$_}) for sort keys %set;
}

# Processes of the cluster: what has its directory in the environment or on the command line.
sub processes {
    my ($self) = @_;
    return grep { my $pid = $_; grep { index(slurp("/proc/$pid/$_"), "$self->{dir}/") >= 0 } qw(environ cmdline) }
        grep { $_ != $$ && slurp("/proc/$_/stat") !~ /\) Z / } map { /(\d+)/ } glob '/proc/[0-9]*';
}

END {
    if ($$ == $owner) {
        my $status = $?;
        for my $cluster (@clusters) {
            $cluster->try('stop');
            system 'rm', '-rf', $cluster->{dir} if !$ENV{HADOOP_KEEP};
        }
        $? = $status;
    }
}

1;
