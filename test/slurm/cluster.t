#!/usr/bin/perl
# cluster.t - the Slurm that the other tests run on: what its script starts works, what it kills is dead and nothing
# else, what it ends leaves nothing.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use POSIX ();
use Slurm;
use Test::More;
use Time::HiRes qw(time sleep stat);

Slurm::is_needed();

my $began = time;
my $c = Slurm->new;
note(sprintf 'it is up after %.1f s', time - $began);
my $dir = $c->{dir};
is($c->command('sinfo', '-h', '-N', '-p', 'debug', '-o', '%N %T'), "n1 idle\nn2 idle\nn3 idle", 'three nodes wait');
like($c->verb('status'), qr/^controller: process \d+\n(?:.+\n)*\d+ processes, \d+ MB\n/m, 'its status tells of daemons and memory');

# Two ways to talk to it, and whom it believes.
is(($c->rest('GET', 'ping'))[0], 200, 'slurmrestd answers who has a token');
isnt(($c->rest('GET', 'jobs', undef, token => 'x'))[0], 200, 'and nobody else');
isnt(($c->rest('GET', 'jobs', undef, token => $c->verb('token', -60)))[0], 200, 'an expired token is none');
my ($status, $said) = Slurm::said('curl', '-s', '-o', '/dev/null', '-w', '%{http_code}', '--unix-socket', $c->{env}{REST_UNIX} =~ s/^unix://r,
    "http://localhost/slurm/$c->{env}{REST_API}/ping");
is($said, 200, 'by its socket it answers without');

# A job; and its controller is killed and comes back.
my $job = $c->batch('id -u; echo to the end');
$c->wait_job($job, 'COMPLETED');
is($c->out($job), "$>\nto the end\n", 'a job runs, as who started it all');
my ($controller) = $c->verb('status') =~ /^controller: process (\d+)$/m;
# What the controller knows it writes down up to 5 s later; what it did not it forgets.
my $before = (stat "$dir/state/job_state")[9] // 0;
$c->batch('true', '--hold');
Slurm::until_true('state written', sub { ((stat "$dir/state/job_state")[9] // 0) != $before });
$c->verb('kill', 'controller');
ok(!-e "/proc/$controller", 'its controller is gone');
unlike(($c->try_command('scontrol', 'ping'))[1], qr{ is UP}, 'and does not answer');
like($c->verb('status'), qr/^controller: dead$/m, 'it is told');
$c->verb('start', 'controller');
is($c->job($job)->{JobState}, 'COMPLETED', 'started again it knows the job');
like(($c->try('start', 'controller'))[1], qr/controller runs/, 'what runs is not started');
like(($c->try('kill', 'n9'))[1], qr/n9: there are munge, controller, n1/, 'what there is not cannot be killed');

# Without its slurmd a node's job goes on; a node that is lost runs nothing.
my @long = map { long_on($_) } 1, 2;
$c->wait_job($_, 'RUNNING') for @long;
my @pids = map { pid_on($_) } 1, 2;
$c->verb('kill', 'n1');
ok(-e "/proc/$pids[0]", 'a job goes on where slurmd was killed');
$c->verb('start', 'n1');
ok(-e "/proc/$pids[0]", 'and when it is there again');
$c->verb('lose', 'n2');
ok(!-e "/proc/$pids[1]", 'a lost node runs nothing');
ok(-e "/proc/$pids[0]", 'others do');
$c->verb('start', 'n2');

$c->verb('kill', 'rest');
is(($c->rest('GET', 'ping'))[0], 599, 'slurmrestd is killed');
$c->verb('start', 'rest');
is(($c->rest('GET', 'ping'))[0], 200, 'and back');

# Another, while the first is up.
my $wake = File::Temp::tempdir('pingo-slurm-XXXXXX', TMPDIR => 1, CLEANUP => 1);
open my $hook, '>', "$wake/hook" or die;
print {$hook} slurp("$FindBin::Bin/../../examples/slurm/pingo-jobcomp") =~ s/^DIR=.*/DIR=$wake/mr;
close $hook;
chmod 0755, $wake, "$wake/hook";
my $other = Slurm->new('--nodes', 1, '--set', 'MinJobAge=277', '--set', 'JobCompType=jobcomp/script', '--set', "JobCompLoc=$wake/hook");
is($other->command('sinfo', '-h', '-o', '%D', '-p', 'debug'), '1', 'another one beside it, with one node');
like($other->command('scontrol', 'show', 'config'), qr/^MinJobAge\s+= 277 sec/m, 'and a setting of its own');
is($other->batch('true'), 1, 'counts its own jobs');
$other->wait_job(1, 'COMPLETED');
is_deeply([ glob "$wake/[!h]*" ], [], 'the hook for administrators lets other jobs be');
$other->batch('false', '-J', 'pingo-x-1.1');
Slurm::until_true('woken', sub { -e "$wake/" . getpwuid($>) });
pass('and of one of Pingo\'s it tells, however it ends');

# Memory, by what Slurm itself measures.
my $eat = q{python3 -c "import time; b = bytearray(400 << 20); time.sleep(1000)"};
my $fat = $c->batch($eat, '--mem=100');
$c->wait_job($fat, 'FAILED');
like($c->out($fat), qr/^slurmstepd-n\d: error: Exceeded job memory limit/m, 'a job over its memory is ended by OverMemoryKill');

# All jobs forgotten.
$c->verb('wipe');
my ($code, $document) = $c->rest('GET', "job/$long[0]");
like("$code $document->{errors}[0]{error_number}", qr/^(?:500|404) 2017$/, 'a controller that was wiped knows no job');
is(long_on(3), 1, 'and counts from 1');

# The end; a job that ignores TERM and left its session does not stay.  Those from before were ended as nobody's.
my $last = pid_on(3);
my @left = $c->processes;
ok((grep { $_ == $last } @left), 'there are processes to end');
like($c->verb('down'), qr/^down in [\d.]+ s$/, 'it goes down, with all its processes');
is_deeply([ grep { -e "/proc/$_" && slurp("/proc/$_/stat") !~ /\) Z / } @left, @pids ], [], 'nothing is left of it');
isnt(($c->try('status'))[0], 0, 'it is down');
is($other->command('scontrol', 'ping') =~ /UP/, 1, 'the other one is up');
my ($keeper) = map { slurp("/proc/$_/stat") =~ /\) \S+ (\d+)/ } $other->verb('status') =~ /^controller: process (\d+)$/m;
kill KILL => $keeper;
Slurm::until_true('daemons go with their keeper', sub { !grep { slurp("/proc/$_/stat") !~ /\) Z / } grep { -e "/proc/$_" } $other->processes });
pass('daemons go with their keeper');

# Down, and up again with what was known.
$c->verb('up', '--while', $$);
is($c->batch('true'), 2, 'up again it goes on counting');
like(($c->try('up'))[1], qr/a cluster is up there/, 'it is not started twice');
$c->verb('down');

# It goes with whom it is for.
my $pid = fork // die;
if (!$pid) { sleep 1000; POSIX::_exit(0) }
$c->verb('up', '--while', $pid);
kill KILL => $pid;
waitpid $pid, 0;
Slurm::until_true('down', sub { ($c->try('status'))[0] != 0 });
Slurm::until_true('all of it is gone', sub { !$c->processes });
pass('with the process that it was for it goes too');
like((Slurm::said("$FindBin::Bin/cluster", 'up', '/tmp/' . 'x' x 90))[1], qr/too long/, 'a directory whose sockets would have no name is refused');

SKIP: {
    skip('only root can be another user', 2) if $> != 0;
    my $nobody = File::Temp::tempdir('pingo-slurm-XXXXXX', TMPDIR => 1, CLEANUP => 1);
    chown 65534, 65534, $nobody;
    my @as = ('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups');
    # This tree may be nobody's to read.
    mkdir "$nobody/$_" for qw(slurm clusters);
    Fault::spew("$nobody/$_", slurp("$FindBin::Bin/../$_")) for qw(slurm/cluster clusters/keeper.py);
    my @script = (@as, '/usr/bin/python3', "$nobody/slurm/cluster");
    ($status, $said) = Slurm::said(@script, 'up', "$nobody/c", '--while', $$);
    is($status, 0, 'an ordinary user has one as well') or diag($said);
    Slurm::said(@as, 'sh', '-c', "cd $nobody; SLURM_CONF=$nobody/c/etc/slurm.conf exec timeout 600 sbatch -W --wrap 'id -u' -o $nobody/out");
    is(slurp("$nobody/out"), "65534\n", 'whose jobs are theirs');
    Slurm::said(@script, 'down', "$nobody/c");
}
SKIP: {
    skip('cgroups cannot be made here', 1) if $> != 0 || !-w '/sys/fs/cgroup/memory';
    my $held = Slurm->new('--cgroup', '--nodes', 1);
    my $id   = $held->batch($eat, '--mem=100');
    is($held->wait_job($id, 'FAILED', 'OUT_OF_MEMORY'), 'OUT_OF_MEMORY', 'a job over its memory is ended by its cgroup');
}
done_testing();

# A job that ignores TERM and has a session of its own, on a node; its id, and its process.
sub long_on { my ($i) = @_; return $c->batch("echo \$\$ >$dir/pid.$i; trap '' TERM; setsid sleep 1000", '-w', "n$i", '--requeue') }

sub pid_on {
    my ($i) = @_;
    return Slurm::until_true("job on n$i", sub { slurp("$dir/pid.$i") =~ /(\d+)\n/ && $1 });
}

sub slurp { my ($path) = @_; open my $fh, '<', $path or return ''; local $/; return scalar(<$fh>) // '' }
