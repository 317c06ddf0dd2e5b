#!/usr/bin/perl
# site.t - what a site does with jobs on a real Slurm: its plug-in gives them other names, or refuses
# them; its administrator suspends one; its epilog takes long.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Slurm;
use Fault qw(action eventually slurp spew);
use Test::More;

Slurm::is_needed();
plan(skip_all => 'NOT TESTED: this Slurm has no job_submit/lua') if !glob '/usr/lib/*/slurm-wlm/job_submit_lua.so';
my $epilog = File::Temp::tempdir('pingo-slurm-XXXXXX', TMPDIR => 1, CLEANUP => 1);
spew("$epilog/epilog", "#!/bin/sh\n[ ! -e '$epilog/slow' ] || sleep 40\n");
chmod 0755, $epilog, "$epilog/epilog";
my $c = Slurm->new('--nodes', 4, '--cpus', 3, '--set', "Epilog=$epilog/epilog");
spew("$c->{dir}/etc/job_submit.lua", <<'LUA');
function slurm_job_submit(job, partitions, uid)
    if job.account == 'none' then
        slurm.log_user('your site wants an account')
        return slurm.ERROR
    end
    job.name = 'site_' .. uid
    return slurm.SUCCESS
end
function slurm_job_modify(job, old, partitions, uid)
    return slurm.SUCCESS
end
return slurm.SUCCESS
LUA
spew($c->{env}{SLURM_CONF}, "JobSubmitPlugins=lua\n" . slurp($c->{env}{SLURM_CONF}));
$c->verb('kill', 'controller');
$c->verb('start', 'controller');

for my $via (qw(rest commands)) {
    my $s   = $c->store($via);
    my $pid = $s->start('run', '-q', $s->write('w', map { action($_, $s->note_run("a$_") . '; ' . $s->gate('all') . "; echo a$_ >output") } 1 .. 14));
    eventually { keys %{ $s->runs } >= 12 };
    $s->kill9($pid);
    $pid = $s->start('run', '-q', 'last');
    $s->open_gate('all');
    is($s->finish($pid)->{status}, 0, "$via: jobs that have another name: it ends well");
    is_deeply($s->runs, { map { ("a$_" => 1) } 1 .. 14 }, "$via: and each ran once, though who submitted it was killed");
    is_deeply([ $c->jobs_left ], [], "$via: Slurm has nothing left of it");
}
# One that its rules do not take says so, and keeps the others from nothing.
my %why = (rest => qr/^could not be started: .*Unspecified error.*rules/, commands => qr/^could not be started: sbatch: your site wants an account/);
for my $via (qw(rest commands)) {
    my $s   = $c->store($via);
    my $pid = $s->start('run', $s->write('w', action(1, 'echo x >output', undef, executorOptions => { account => 'none' }), action(2, 'echo y >output')));
    ok(eventually(sub { $s->so_far($pid) =~ /(?:action a1 waits|of workflow \d+ cannot start now): could not be started: / && $s->so_far($pid) =~ /finished 2/ }), "$via: a job that the site refuses: the other runs") or diag($s->so_far($pid));
    my ($message) = map { $_->{message} // () } grep { $_->{name} eq 'a1' } @{ $s->json('status', 'last')->{actions} };
    like($message, $why{$via}, "$via: and why it is refused is told");
    $s->kill9($pid);
}
# While a job is suspended its time stands still.
{
    my $s   = $c->store('rest');
    my $pid = $s->start('run', '-q', $s->write('w', action(1, $s->note_run('a') . '; sleep 3; echo x >output', undef, resources => { timeLimitSeconds => 5 })));
    eventually { $s->runs->{a} };
    my ($job) = $c->jobs_left;
    $c->command('scontrol', 'suspend', $job);
    sleep 6;
    $c->command('scontrol', 'resume', $job);
    my $r = $s->finish($pid);
    is($r->{status}, 0, 'a job that was suspended for longer than its time limit ends well') or diag($r->{err});
}

# What a command has left is there before its node was tidied up.
spew("$epilog/slow", '');
for my $via (qw(rest commands)) {
    my $s     = $c->store($via);
    my $began = time;
    my $r     = $s->pingo('run', '-q', $s->write('w', action(1, 'echo x >output'), action(2, 'cat in/p1 >output', [1])));
    is($r->{status}, 0, "$via: with an epilog that takes long") or diag($r->{err});
    ok(time - $began < 30, "$via: nobody waits for it");
}
done_testing();
