# Slurm.pm - what the tests on a real Slurm share: clusters of test/slurm/cluster, which go with the test, and what
# its own commands and slurmrestd say of them.
#
# Where Slurm's packages are not there, the test is skipped, loudly; in CI that is a failure.
package Slurm;
use strict;
use warnings;
use Cwd qw(abs_path);
use Digest::SHA qw(sha256_hex);
use File::Basename qw(dirname);
use File::Temp ();
use lib dirname(__FILE__) . '/../fault';
use Fault qw(eventually slurp spew until_true);
use HTTP::Tiny;
use JSON::PP ();
use Test::More;
use Time::HiRes qw(time sleep);

my $script = abs_path(dirname(__FILE__)) . '/cluster';
my $owner  = $$;
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

# To be called before all else.
sub is_needed {
    my (undef, $said) = said($script, 'up', '/dev/null/x');
    my ($missing) = $said =~ /packages are missing[^:]*: (.*)/ or return;
    BAIL_OUT("Slurm cannot be tested, there is no $missing") if $ENV{CI};
    diag("\n*** NOT TESTED: the executor on a real Slurm.  Missing packages: $missing (make deps-slurm) ***");
    plan(skip_all => "NOT TESTED, a real Slurm: missing packages $missing");
}

# Slurm->new(words for cluster up): a cluster in a directory of its own.
sub new {
    my ($class, @words) = @_;
    my $self = bless { dir => File::Temp::tempdir('pingo-slurm-XXXXXX', TMPDIR => 1) }, $class;
    push @clusters, $self;
    note($self->verb('up', @words, '--while', $$));
    ($self->{env}) = $self->environment;
    return $self;
}

sub try { my ($self, $verb, @words) = @_; return said($script, $verb, $self->{dir}, @words) }

# A verb of test/slurm/cluster, which must succeed; what it said.
sub verb {
    my ($self, @words) = @_;
    my ($status, $said) = $self->try(@words);
    die "cluster @words: $said" if $status;
    chomp $said;
    return $said;
}

# What `cluster env` tells.
sub environment {
    my ($self) = @_;
    return { map { /^export (\w+)='?(.*?)'?$/ ? ($1 => $2) : () } split /\n/, $self->verb('env') };
}

# A command of Slurm's, which must succeed; what it said.
sub command {
    my ($self, @words) = @_;
    my ($status, $said) = $self->try_command(@words);
    die "@words: $said" if $status;
    chomp $said;
    return $said;
}

sub try_command {
    my ($self, @words) = @_;
    return said('env', "SLURM_CONF=$self->{env}{SLURM_CONF}", @words);
}

# Submits a script as a batch job; its id.  Its outputs are DIR/ID.out.
sub batch {
    my ($self, $script_text, @words) = @_;
    return $self->command('sbatch', '--parsable', '-D', $self->{dir}, '-o', "$self->{dir}/%j.out", @words,
        '--wrap', $script_text);
}

sub out { my ($self, $id) = @_; open my $fh, '<', "$self->{dir}/$id.out" or return ''; local $/; return scalar(<$fh>) // '' }

# What scontrol tells of a job, as a hash; empty where it knows none.
sub job {
    my ($self, $id) = @_;
    my ($status, $said) = $self->try_command('scontrol', '-o', 'show', 'job', $id);
    return $status ? {} : { $said =~ /(\S+?)=(\S*)/g };
}

# name => state of all jobs.
sub jobs {
    my ($self) = @_;
    return map { split /\|/, $_, 2 } split /\n/, $self->command('squeue', '-h', '-a', '-t', 'all', '-o', '%j|%T');
}

# The ids of jobs that are not over.
sub jobs_left { my ($self) = @_; return split /\n/, $self->command('squeue', '-h', '-o', '%A') }

# Waits until no job is left.
sub until_idle {
    my ($self, $what) = @_;
    until_true("$what: jobs end", sub { $self->resume; !$self->jobs_left });
    pass("$what: Slurm has nothing left of it");
}

# What an administrator does after a controller was killed, while somebody waits; to be called again and again.  It has
# forgotten jobs and gives their ids to others; where both meet on a node it drains that node for somebody to look at.
# And it believes that those run which the node has refused, until the node tells what it runs: once a minute, or when
# both read their configuration.
sub resume {
    my ($self) = @_;
    my (undef, $drained) = $self->try_command('sinfo', '-h', '-N', '-t', 'drain,down', '-o', '%N');
    $self->try_command('scontrol', 'update', "nodename=$_", 'state=resume') for $drained =~ /^(n\d+)$/mg;
    $self->{reconfigured} //= time;
    return if time < $self->{reconfigured} + 4;
    $self->try_command('scontrol', 'reconfigure');
    $self->{reconfigured} = time;
}

# Waits until a job is in one of these states; its state.
sub wait_job {
    my ($self, $id, @states) = @_;
    my $state = '';
    eval { until_true('', sub { $state = $self->job($id)->{JobState} // 'unknown'; grep { $_ eq $state } @states }); 1 }
        or die "job $id is $state, never was @states\n";
    return $state;
}

# A request to slurmrestd with a token: HTTP status, the document.
sub rest {
    my ($self, $method, $path, $document, %o) = @_;
    my $env     = $self->environment;
    my %headers = ('X-SLURM-USER-NAME' => $env->{REST_USER},
        'X-SLURM-USER-TOKEN' => $o{token} // $self->verb('token'), 'Content-Type' => 'application/json');
    my $r = HTTP::Tiny->new(timeout => 100)->request($method, "$env->{REST_URL}/slurm/$env->{REST_API}/$path",
        { headers => \%headers, $document ? (content => JSON::PP::encode_json($document)) : () });
    return ($r->{status}, eval { JSON::PP::decode_json($r->{content}) });
}

# ---- stores whose actions run on it -------------------------------------------------------------------

# A new store (words for Fault->new) whose actions run here, by way of: rest (with tokens), socket, commands.
sub store {
    my ($self, $via, @words) = @_;
    my $store = Fault->new(slots => 4, @words);
    $self->configure($store, $via);
    $store->well('config', '--no-check', 'executor', 'slurm');
    return $store;
}

# Tells a store of this cluster, to ask it often; further settings as KEY => VALUE.
sub configure {
    my ($self, $store, $via, %more) = @_;
    $ENV{SLURM_CONF} = $self->{env}{SLURM_CONF};
    my %set = $via eq 'commands' ? (via => 'commands') : (url => $self->{env}{ $via eq 'socket' ? 'REST_UNIX' : 'REST_URL' });
    $set{token} = $self->{env}{TOKEN_COMMAND} if $via eq 'rest';
    %set = (%set, pollSeconds => 1, %more);
    $store->well('config', '--no-check', "executor.slurm.$_", $set{$_}) for sort keys %set;
}

# A workflow of n actions, each of which notes that it ran and hashes what up to three others have made; and one that
# reads them all.  Writes it, and gives its file and what the last one's output must be.
sub graph {
    my ($store, $name, $n, %o) = @_;
    my (@actions, @output);
    for my $i (1 .. $n) {
        my %parents = map { $_ => 1 } grep { $_ > 0 } int($i / 3), int($i / 4) - 1, $i - 40;
        my @parents = sort { $a <=> $b } keys %parents;
        my $read    = @parents ? 'cat in/*' : ':';
        my $nap     = $o{nap} ? "sleep $o{nap};" : '';
        push @actions, { id => $i, name => "a$i", type => 'command-line', parentActions => [ map { { id => $_, as => sprintf 'p%04d', $_ } } @parents ],
            command => $store->note_run("$name$i") . "; $nap { $read; echo $name$i; } | sha256sum >output", $o{each} ? $o{each}->($i) : () };
        $output[$i] = sha256_hex(join('', map { $output[$_] } @parents) . "$name$i\n") . "  -\n";
    }
    push @actions, { id => $n + 1, name => 'all', type => 'command-line', command => $store->note_run("${name}all") . '; cat in/* >output',
        parentActions => [ map { { id => $_, as => sprintf 'p%04d', $_ } } 1 .. $n ] };
    return ($store->write($name, @actions), join '', @output[ 1 .. $n ]);
}

# No action ran more often than (most => 1) and the attempts of it that the cluster ended, as on a machine that is so busy
# that its controller takes them for gone.
sub is_seldom {
    my ($store, $workflow, $what, %o) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $most   = $o{most} // 1;
    my $runs   = $store->runs;
    my %often  = map { $_ => $runs->{$_} } grep { $runs->{$_} > $most } keys %$runs;
    my %tries  = map { $_ => [ attempts($store, $workflow, s/^\D+/a/r) ] } grep { /\d/ } keys %often;
    for my $name (keys %tries) {
        delete $often{$name} if $often{$name} <= $most + grep { $_->{state} eq 'killed' } @{ $tries{$name} };
    }
    is_deeply(\%often, {}, "$what: no action ran more than $most times") or diag(explain([ @tries{ sort keys %often } ]));
}

# A workflow of graph() has ended well: status of its run, its bytes, and how often each action ran at most.
sub is_right {
    my ($store, $run, $workflow, $expected, $what, %o) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($run->{status}, 0, "$what: it ends well") or diag($run->{err});
    my $output = eval { $store->output($workflow, 'all') } // '';
    ok($output eq $expected, "$what: right to the byte") or diag(explain($store->states($workflow)));
    is_seldom($store, $workflow, $what, %o);
}

# The tries of an action, as `pingo status --attempts` tells them.
sub attempts {
    my ($store, $workflow, $action) = @_;
    return @{ $store->json('status', '--attempts', $workflow, $action) };
}

# Processes that have DIR in their environment: all that belongs to it, unless it hides.
sub processes {
    my ($self) = @_;
    my @found;
    for my $path (glob '/proc/[0-9]*/environ') {
        open my $fh, '<', $path or next;
        my $text = do { local $/; <$fh> } // '';
        push @found, $path =~ /(\d+)/ if index($text, "$self->{dir}/") >= 0;
    }
    return @found;
}

END {
    if ($$ == $owner) {
        my $status = $?;
        for my $cluster (@clusters) {
            $cluster->try('down');
            system 'rm', '-rf', $cluster->{dir} if !$ENV{SLURM_KEEP};
        }
        $? = $status;
    }
}

1;
