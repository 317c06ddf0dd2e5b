#!/usr/bin/perl
# site.t - what a site does with jobs on a real Slurm: its plug-in gives them other names, or takes none without an account.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Slurm;
use Fault qw(action eventually slurp spew);
use Test::More;

Slurm::is_needed();
plan(skip_all => 'NOT TESTED: this Slurm has no job_submit/lua') if !glob '/usr/lib/*/slurm-wlm/job_submit_lua.so';
my $c = Slurm->new;
spew("$c->{dir}/etc/job_submit.lua", <<'LUA');
function slurm_job_submit(job, partitions, uid)
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
done_testing();
