#!/usr/bin/perl
# run.t - workflows on a real Slurm: right to the byte by each way to it, what one executor has made the other reuses,
# and what a user sees of it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Slurm;
use Fault qw(action eventually slurp);
use Test::More;

Slurm::is_needed();
my $c = Slurm->new;

# Two hundred, some of them here.
my $s = $c->store('rest');
my ($file, $expected) = Slurm::graph($s, 'w', 200, each => sub { $_[0] % 10 ? () : (executor => 'local') });
my $r = $s->pingo('run', '-q', $file);
Slurm::is_right($s, $r, 'last', $expected, '200 actions');
my %by;
$by{ $_->{executor} // '' }++ for @{ $s->json('status', 'last')->{actions} };
is_deeply(\%by, { local => 20, slurm => 181 }, 'twenty ran here, the others on Slurm');
my %on = map { ($_->{node} // '') => 1 } grep { $_->{executor} eq 'slurm' } @{ $s->json('status', 'last')->{actions} };
is_deeply([ sort keys %on ], [qw(n1 n2 n3)], 'on three nodes, which are told');
is_deeply([ $c->jobs_left ], [], 'Slurm has nothing left of it');
$s->clean('200 actions');

# What one executor has made the other reuses.
is($s->json('plan', $file)->{summary}{compute}, 0, 'by Slurm again nothing is to be computed');
$s->well('config', 'executor', 'local');
is($s->json('plan', $file)->{summary}{compute}, 0, 'nor here');
$s->well('run', '-q', $s->write('more', action(1, $s->note_run('here') . '; echo 7 >output')));
$s->well('config', '--no-check', 'executor', 'slurm');
$r = $s->pingo('run', '-q', $s->write('more', action(1, $s->note_run('here') . '; echo 7 >output'),
    action(2, $s->note_run('there') . '; cat in/p1 >output; hostname >/dev/null', [1])));
is($r->{status}, 0, 'what was made here is read there') or diag($r->{err});
is($s->output('last', 'a2'), "7\n", 'and is the same');
is_deeply([ @{ $s->runs }{qw(here there)} ], [ 1, 1 ], 'each ran once');

# A name, an environment and a command that are hostile; what is granted.
my $bad = q{a'b"c $(touch PWNED) `touch PWNED` ;&|<>*?#~\\};
$r = $s->pingo('run', $s->write('names', { name => $bad, actions => [ {
    id => 1, name => $bad, type => 'command-line', env => { BAD => $bad, LONG => 'x' x 100_000 },
    resources => { cpus => 2, memoryMB => 300 },
    command => q{printf '%s\n' "$BAD" "${#LONG}" "$PINGO_CPUS" "$PINGO_MEMORY_MB" "$(env | grep -c ^SLURM)" >output} } ] }));
is($r->{status}, 0, 'a hostile name and a large environment') or diag($r->{err});
is($s->output('last', 1), "$bad\n100000\n2\n300\n0\n", 'reach the command as they are, and nothing of Slurm\'s does');
ok(!-e $s->path('PWNED') && !-e "$c->{dir}/PWNED", 'and no command comes of them');
my ($asked) = $c->command('squeue', '-h', '-t', 'all', '-S', '-i', '-o', '%C %m') =~ /\A(.*)/;
like($asked, qr/^2 3\d\dM$/, 'Slurm was asked for the processors and the memory');

# What is large lies in the pool, not in Slurm; what cannot be run is told before it is submitted.
sub variables { my ($n) = @_; return env => { map { ("V$_" => 'x' x 100_000) } 1 .. $n } }
my $taken = () = $c->jobs;
$r = $s->pingo('run', '-q', $s->write('large', action(1, 'echo "${#V1} ${#V15}" >output', undef, variables(15)),
    action(2, '# ' . 'x' x 140_000 . "\necho x >output"), action(3, 'echo x >output', undef, variables(43)),
    action(4, 'echo x >output', undef, executorOptions => { constraints => 'x' x 4_200_000 })));
my %said = map { $_->{name} => $_->{message} // '' } @{ $s->json('status', 'last')->{actions} };
is($s->output('last', 'a1'), "100000 100000\n", 'an environment of 1.5 MB');
is((() = $c->jobs) - $taken, 2, 'is one job, and the others are none');
like($said{a2}, qr/its command .* has 140017 bytes, .* 131071/, 'a script that no program can be given');
like($said{a3}, qr/command and environment have 43\d+ bytes; Slurm takes 4194304/, 'an environment beyond 4 MiB');
like($said{a4}, qr/executorOptions have 42\d+ bytes/, 'and options beyond them');
is(scalar(@{ [ Slurm::attempts($s, 'last', $_) ] }), 1, "$_ is tried once") for qw(a2 a3 a4);

# The other ways, the same; what the user has set for Slurm's commands changes nothing.
local @ENV{qw(SECRET SQUEUE_NAMES SBATCH_JOB_NAME SCANCEL_NAME)} = ('told nobody', ('another') x 3);
for my $via (qw(socket commands)) {
    my $t = $c->store($via);
    ($file, $expected) = Slurm::graph($t, 'w', 30);
    Slurm::is_right($t, $t->pingo('run', '-q', $file), 'last', $expected, "by $via");
    is_deeply([ $c->jobs_left ], [], "by $via: Slurm has nothing left of it");
    $t->clean("by $via");
}

my $t = $c->store('commands');
$r = $t->pingo('run', $t->write('env', action(1, q{tr '\\0' '\\n' </proc/$PPID/environ | sed -n 's/=.*//; /^SLURM\|^[A-Z_]*\(MCA\|HYDRA\|MPI\)_/!p' | sort >output})));
is($r->{status}, 0, 'by commands: the environment of a job') or diag($r->{err});
like($t->output('last', 1), qr/^(?:(?:ENVIRONMENT|HOSTNAME|PATH|PWD|OLDPWD|SHLVL|TMPDIR|_)\n)+\z/, 'has nothing of the scheduler\'s');

# A job of whoever it is, whose name is no UTF-8, keeps Slurm from telling of the others in no way.
my $odd = $c->batch('sleep 1000', "--job-name=caf\xe9");
for my $via (qw(rest commands)) {
    $t = $c->store($via);
    ($file, $expected) = Slurm::graph($t, 'w', 8);
    Slurm::is_right($t, $t->pingo('run', '-q', $file), 'last', $expected, "by $via, beside a job with a name of any bytes");
}
$c->command('scancel', $odd);
Slurm::until_true('the job ends', sub { !$c->jobs_left });

# Ticks alone drive it, as from cron: between them no scheduler lives, and nobody has told it that a job is over.
for my $via (qw(rest commands)) {
    $t = $c->store($via);
    ($file, $expected) = Slurm::graph($t, 'w', 4);
    my $workflow = $t->submit($file);
    my $ticks    = 0;
    ok(eventually(sub { $c->jobs_left and return 0; $ticks++; $t->well('tick', '-q'); $t->state_of($workflow) eq 'FINISHED' }),
        "$via: pingo tick, again and again, is enough");
    cmp_ok($ticks, '>=', 4, "$via: of which each did a part");
    Slurm::is_right($t, { status => 0 }, $workflow, $expected, "$via: by ticks");

    # One that closed a gate was killed before it could say so: nothing was lost, nor is it counted.
    $t->well('config', 'executor.maxStarts', 1);
    $c->command('scontrol', 'update', "nodename=n[1-3]", 'state=drain', 'reason=test');
    my $closed = $t->submit($t->write('g', action(1, $t->note_run('closed') . '; echo x >output')));
    $t->well('tick', '-q');
    my ($job) = glob $t->path('.pingo/pool/attempts/*/job');
    ok($job && rename($job, $job =~ s/job$/revoked/r), "$via: a gate is closed");
    $c->resume;
    ok(eventually(sub { $t->well('tick', '-q'); $t->state_of($closed) eq 'FINISHED' }), "$via: it is tried again")
        or diag($t->pingo('status', $closed)->{out});
    is($t->runs->{closed}, 1, "$via: and ran once");
}

# The hook of the administrator's: where it has told once, Slurm is asked no more until it tells again, and then at once.
# So an end is known long before the hour is over that may pass between two questions; and where the hook is silent it
# is not known until somebody touches the file.  The hook tells before the epilog, which takes longer
# than Slurm is asked after any news.
my $wake   = "$c->{dir}/wake";
my $script = slurp("$FindBin::Bin/../../examples/slurm/pingo-jobcomp") =~ s{^DIR=.*}{DIR=$wake}mr;
mkdir $wake or die;
Fault::spew("$wake/hook", $script);
Fault::spew("$wake/epilog", "#!/bin/sh\nexec sleep 5\n");
chmod 0755, "$wake/hook", "$wake/epilog";
my $hooked = Slurm->new('--nodes', 1, map { ('--set', $_) } 'JobCompType=jobcomp/script', "JobCompLoc=$wake/hook", "Epilog=$wake/epilog");
$t = $hooked->store('rest');
my $touched = "$wake/" . getpwuid($>);
for my $file ($touched, "$wake/silent") {
    Slurm::until_true('the node is tidied up', sub { $hooked->command('sinfo', '-h', '-p', 'debug', '-o', '%t') eq 'idle' });
    Fault::spew($file, '');
    $hooked->configure($t, 'rest', pollSeconds => 3600, wake => $file);
    my $name = $file eq $touched ? 'told' : 'silent';
    my $pid  = $t->start('run', '-q', $t->write($name, action(1, $t->note_run($name) . '; ' . $t->gate($name) . "; echo $name >output")));
    eventually { $t->runs->{$name} };
    $t->wait_state('last', 'a1', 'RUNNING');
    sleep 5; # it has stopped asking, for that was the last news
    $t->open_gate($name);
    Slurm::until_true('the job ends', sub { !$hooked->jobs_left });
    if ($name eq 'silent') {
        sleep 2;
        is($t->states('last')->{a1}, 'RUNNING', 'a silent hook: nobody knows that the job is over');
        utime undef, undef, $file;
    }
    $r = $t->finish($pid);
    is($r->{status}, 0, "the hook is $name: the end is known, long before the hour is over") or diag($r->{err});
}
done_testing();
