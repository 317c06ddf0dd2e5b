# Fault.pm - what the fault tests share: a store in a directory of its own, processes of pingo that
# are started, waited for and killed by their pid, and looks at what became of it all.
#
# $PINGO names the program.  Nothing may hang: every wait has a limit.  Whatever a test has started,
# helper processes of its stores included, is ended when it ends, by pid.
package Fault;
use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Temp ();
use JSON::PP ();
use POSIX qw(WNOHANG);
use Test::More;
use Time::HiRes qw(time sleep);

our @EXPORT_OK = qw(eventually until_true slurp spew action seed small_disk quota_disk write_mb);

my $pingo = $ENV{PINGO} // abs_path(dirname(__FILE__) . '/../..') . '/build/pingo';
$pingo = abs_path($pingo) // $pingo;
delete @ENV{qw(PINGO_DIR NO_COLOR)};
my $limit = 900;    # seconds that a command may take, or what is waited for: for what hangs, not for what is slow
my @stores;
my %running;        # pid => what it is
my $owner = $$;

sub program { return $pingo }

# A seed that is told, so that what failed can be repeated: FAULT_SEED=... prove ...
sub seed {
    my $seed = $ENV{FAULT_SEED} // int(rand(1_000_000));
    srand($seed);
    note("FAULT_SEED=$seed");
    return $seed;
}

sub slurp {
    my ($path) = @_;
    open my $fh, '<', $path or return '';
    local $/;
    return scalar(<$fh>) // '';
}

sub spew {
    my ($path, $text) = @_;
    open my $fh, '>', $path or die "$path: $!\n";
    print {$fh} $text;
    close $fh or die "$path: $!\n";
}

# Waits until the code gives something true; nothing after the limit.
sub eventually (&;$) {
    my ($code, $seconds) = @_;
    my $end = time + ($seconds // $limit);
    while (1) {
        my $got = $code->();
        return $got if $got;
        return if time > $end;
        sleep 0.02;
    }
}

# The same, and dies after the limit.
sub until_true {
    my ($what, $code) = @_;
    return &eventually($code) || die "$what: not in time\n";
}

# One action: action(ID, COMMAND, [PARENT, ...], more keys).  Parents get the roles pID.
sub action {
    my ($id, $command, $parents, %more) = @_;
    my %action = (id => $id, name => "a$id", type => 'command-line', command => $command, %more);
    $action{parentActions} = [ map { { id => $_, as => "p$_" } } @$parents ] if $parents && @$parents;
    return \%action;
}

# ---- a small disk --------------------------------------------------------------------------------

my @disks;

# A small file system of its own: a tmpfs, which only root may mount.  Gives its directory; without one the test is
# skipped.  Gone with the test.
sub small_disk {
    my ($size) = @_;
    my $disk = File::Temp::tempdir('pingo-disk-XXXXXX', TMPDIR => 1);
    if ($> != 0 || system('mount', '-t', 'tmpfs', '-o', "size=$size,mode=0755", 'pingo-test', $disk) != 0) {
        rmdir $disk;
        plan(skip_all => 'a small file system cannot be mounted here');
    }
    push @disks, $disk;
    return $disk;
}

# A directory with a quota of its own, of so many megabytes: a subvolume of a btrfs, whose free bytes do not tell it, and
# which writes nothing in place.
sub quota_disk {
    my ($mb) = @_;
    my $disk  = small_disk('600m');
    my $image = "$disk/image";
    my $btrfs = "$disk/btrfs";
    mkdir $btrfs;
    my $made = !system("truncate -s 500M $image && mkfs.btrfs -q $image >/dev/null && mount -o loop $image $btrfs 2>/dev/null");
    unshift @disks, $btrfs if $made;
    plan(skip_all => 'no btrfs with quotas here')
        if !$made || system("btrfs quota enable $btrfs && btrfs subvolume create $btrfs/home >/dev/null && btrfs qgroup limit ${mb}M $btrfs/home");
    return "$btrfs/home";
}

# A command that writes so much to standard output, and a word.
sub write_mb { my ($mb, $word) = @_; return 'dd if=/dev/zero bs=1024 count=' . int($mb * 1024) . " 2>/dev/null; echo $word" }

# ---- stores --------------------------------------------------------------------------------------

# Fault->new(slots => 2, pool => DIR, sandbox => 1): a directory with an empty store.  The tests' gates and notes lie
# outside what a sandbox lets an action see.
sub new {
    my ($class, %o) = @_;
    my $self = bless {
        dir => $o{dir} // File::Temp::tempdir('pingo-fault-XXXXXX', TMPDIR => 1),
        pool => $o{pool} // '',
    }, $class;
    push @stores, $self;
    $self->well('init', $o{pool} ? ('--pool', $o{pool}) : ());
    $self->well('config', 'executor.slots', $o{slots} // 2);
    $self->well('config', 'sandbox', 'off') if !$o{sandbox};
    return $self;
}

# A store that was made otherwise is cleaned up as well.
sub adopt_store { my ($self) = @_; push @stores, $self; return $self }

sub path { my ($self, $name) = @_; return "$self->{dir}/$name" }

# Writes a workflow; a list of actions, or a document.
sub write {
    my ($self, $name, @actions) = @_;
    my $document = @actions == 1 && !$actions[0]{id} && $actions[0]{actions} ? $actions[0]
        : { name => $name, actions => \@actions };
    spew($self->path("$name.json"), JSON::PP->new->canonical->encode($document));
    return "$name.json";
}

# The command's part that notes, outside the pool, that an action ran.
sub note_run { my ($self, $what) = @_; return "echo $what >>'$self->{dir}/ran'" }

# A gate: the command's part that waits for it, and how to open it.
sub gate { my ($self, $name) = @_; return "while [ ! -e '$self->{dir}/gate.$name' ]; do sleep 0.02; done" }
sub open_gate { my ($self, @names) = @_; spew($self->path("gate.$_"), '') for @names }

# How often each action ran: what => times.
sub runs {
    my ($self) = @_;
    my %runs;
    $runs{$_}++ for split /\n/, slurp($self->path('ran'));
    return \%runs;
}

# ---- processes -------------------------------------------------------------------------------------

sub start {
    my ($self, @words) = @_;
    my $said = $self->path('said.' . ++$self->{serial});
    my $pid  = fork // die "fork: $!\n";
    if (!$pid) {
        open STDIN,  '<', '/dev/null' or POSIX::_exit(126);
        open STDOUT, '>', "$said.out" or POSIX::_exit(126);
        open STDERR, '>', "$said.err" or POSIX::_exit(126);
        chdir $self->{dir} or POSIX::_exit(126);
        exec { $pingo } $pingo, @words or POSIX::_exit(127);
    }
    $running{$pid} = { words => "@words", said => $said };
    return $pid;
}

# Waits for a process: { status, signal, out, err }.  It is killed at the limit.
sub finish {
    my ($self, $pid, $seconds) = @_;
    my $job  = delete $running{$pid} or die "no such process of ours\n";
    my $end  = time + ($seconds // $limit);
    my $nap  = 0.002;
    my $late = 0;
    while (waitpid($pid, WNOHANG) == 0) {
        if (time > $end && !$late++) {
            diag("pingo $job->{words}: took too long");
            kill KILL => $pid;
        }
        sleep $nap;
        $nap *= 1.5 if $nap < 0.03;
    }
    my $status = $?;
    return { status => $status & 127 ? 128 + ($status & 127) : $status >> 8, signal => $status & 127,
        out => slurp("$job->{said}.out"), err => slurp("$job->{said}.err") };
}

sub is_running {
    my ($self, $pid) = @_;
    return $running{$pid} && kill(0 => $pid) && slurp("/proc/$pid/stat") !~ /\) Z /;
}

# What a process that runs has said on standard error.
sub so_far { my ($self, $pid) = @_; return slurp("$running{$pid}{said}.err") }

sub kill9 {
    my ($self, $pid) = @_;
    kill KILL => $pid;
    return $self->finish($pid);
}

sub pingo { my ($self, @words) = @_; return $self->finish($self->start(@words)) }

# It must succeed; gives what it printed.
sub well {
    my ($self, @words) = @_;
    my $r = $self->pingo(@words);
    die "pingo @words: status $r->{status}, signal $r->{signal}\n$r->{err}" if $r->{status} || $r->{signal};
    chomp $r->{out};
    return $r->{out};
}

sub json {
    my ($self, @words) = @_;
    my $r = $self->pingo(@words, '--json');
    my $document = eval { JSON::PP::decode_json($r->{out}) };
    die "pingo @words --json: status $r->{status}: $r->{out}$r->{err}" if !defined $document;
    return $document;
}

sub submit { my ($self, @words) = @_; return $self->well('submit', @words) }

# The helper processes of this store: the supervisor, its workers.
sub helpers {
    my ($self, $kind) = @_;
    my @found;
    for my $pid (map { m{/(\d+)$} } glob('/proc/[0-9]*')) {
        my @words = split /\0/, slurp("/proc/$pid/cmdline");
        next if !@words || $words[0] !~ m{pingo-(?:supervisor|worker)$};
        my $is_worker = ($words[1] // '') eq '--worker';
        next if ($words[ $is_worker ? 2 : 1 ] // '') ne "$self->{dir}/.pingo";
        push @found, $pid if !$kind || $kind eq ($is_worker ? 'worker' : 'supervisor');
    }
    # A worker's child is called as it is until it is the command: killed then, the command was ended by a signal.
    @found = grep { my ($parent) = slurp("/proc/$_/stat") =~ /\) \S+ (\d+)/; !grep { $_ == ($parent // 0) } @found } @found
        if ($kind // '') eq 'worker';
    return @found;
}

sub supervisor { my ($self) = @_; return $self->helpers('supervisor') }
sub workers    { my ($self) = @_; return $self->helpers('worker') }

# ---- looking ------------------------------------------------------------------------------------------

# name => state of a workflow's actions (undef where there is no row).
sub states {
    my ($self, $workflow) = @_;
    return { map { $_->{name} => $_->{state} } @{ $self->json('status', $workflow)->{actions} } };
}

sub state_of { my ($self, $workflow) = @_; return $self->json('status', $workflow)->{state} }

sub in_state {
    my ($self, $workflow, $state) = @_;
    my $states = $self->states($workflow);
    return sort grep { ($states->{$_} // '') eq $state } keys %$states;
}

# Waits until an action of a workflow is in one of these states.
sub wait_state {
    my ($self, $workflow, $name, @states) = @_;
    my $ok = eventually { my $s = $self->states($workflow)->{$name} // ''; grep { $_ eq $s } @states };
    die "$name of workflow $workflow never was @states\n" if !$ok;
}

sub output {
    my ($self, $workflow, $action) = @_;
    my $path = $self->well('path', $workflow, $action);
    return slurp($path) if $path !~ m{^webhdfs://(.*?)@(.*?)(/.*)};
    require HTTP::Tiny;
    my ($user, $hosts, $file, $r) = ($1, $2, $3);
    my @urls = map { "http://$_/webhdfs/v1$file?op=OPEN&user.name=$user" } split /,/, $hosts;
    for my $try (1 .. 60) { # a NameNode that has just come back knows no DataNode yet, and of two one stands by
        sleep 1 if $try > @urls;
        $r = HTTP::Tiny->new(timeout => 60)->get($urls[$try % @urls]);
        last if $r->{status} != 403 && (@urls == 1 || $r->{status} != 599);
    }
    return by_ticket($path) if $r->{status} == 401;
    return $r->{success} ? $r->{content} : die "$path: $r->{status}\n";
}

# A file of an HDFS that believes tickets alone.
sub by_ticket {
    my ($path) = @_;
    my ($host, $file) = $path =~ m{@([^/,]+).*?(/.*)};
    open(my $curl, '-|', qw(curl -sfL -m 60 --negotiate -u :), "http://$host/webhdfs/v1$file?op=OPEN") or die "curl: $!\n";
    my $bytes = do { local $/; <$curl> };
    return close $curl ? $bytes : die "$path: curl says $?\n";
}

# The sweep of each hour, now.
sub sweep {
    my ($self) = @_;
    system('sqlite3', '-cmd', '.timeout 5000', $self->path('.pingo/pingo.db'), "DELETE FROM meta WHERE key = 'sweep.at'") == 0 or die "sqlite3\n";
    return $self->well('tick', '-q');
}

# fsck finds nothing; with content.  In HDFS a DataNode may make the file of an upload long after its sender was killed, and
# after what that had left was swept: what lies in staged/ and nothing else is waited for, as the next sweep finds it.
sub clean {
    my ($self, $what) = @_;
    my ($found, $late);
    eventually {
        $found = $self->json('fsck', '--deep');
        $late = $found->{findings} && !grep { $_->{object} !~ m{^staged/} } @{ $found->{findings} };
        return 1 if $found->{clean} || !$late || ($self->{pool} // '') !~ m{^webhdfs:};
        $self->sweep;
        return 0;
    } 60;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return ok($found->{clean}, "$what: fsck --deep is clean")
        || diag(map { "$_->{invariant} $_->{object}: $_->{message}\n" } @{ $found->{findings} });
}

# Submitted once more, nothing is computed.
sub nothing_left {
    my ($self, $file, $what) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is($self->json('plan', $file)->{summary}{compute}, 0, "$what: a plan would compute nothing");
}

# ---- the end ---------------------------------------------------------------------------------------------

sub end_helpers {
    my ($self) = @_;
    eventually {
        my @left = $self->helpers;
        kill KILL => $_ for @left;
        !@left;
    } 30;
}

END {
    if ($$ == $owner) {
        my $status = $?;
        for my $pid (keys %running) {
            kill KILL => $pid;
            waitpid $pid, 0;
        }
        for my $store (@stores) {
            $store->end_helpers;
            next if $ENV{FAULT_KEEP} || !-d $store->{dir};
            system 'chmod', '-R', 'u+w', $store->{dir};
            system 'rm', '-rf', $store->{dir};
        }
        for my $disk (@disks) {
            system 'umount', '-l', $disk;
            rmdir $disk;
        }
        $? = $status;
    }
}

1;
