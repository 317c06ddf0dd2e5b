#!/usr/bin/perl
# killed.t - the scheduler is killed at random moments, and its tokens expire: no command runs twice and none is lost.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Slurm;
use Fault qw(action eventually slurp spew);
use Test::More;
use Time::HiRes qw(sleep);

Slurm::is_needed();
my $c = Slurm->new;

# Tokens that are good for five seconds, of which a run needs three, and one that has expired: nothing fails, it waits and tells why.
my $s = $c->store('rest');
spew("$c->{dir}/token", "#!/bin/sh\necho x >>$c->{dir}/fetched\nexec $FindBin::Bin/cluster token $c->{dir} 5\n");
chmod 0755, "$c->{dir}/token";
$c->configure($s, 'rest', token => "$c->{dir}/token");
my ($file, $expected) = Slurm::graph($s, 'w', 8, nap => '0.1; ' . $s->gate('expired'));
my $pid = $s->start('run', '-q', $file);
ok(eventually(sub { length(slurp("$c->{dir}/fetched")) >= 6 }), 'a token expires, and the next one');
$s->open_gate('expired');
Slurm::is_right($s, $s->finish($pid), 'last', $expected, 'tokens of five seconds');
$s = $c->store('rest');
spew("$c->{dir}/token", "#!/bin/sh\nexec $FindBin::Bin/cluster token $c->{dir} \$(cat $c->{dir}/life)\n");
spew("$c->{dir}/life", '-60');
$c->configure($s, 'rest', token => "$c->{dir}/token");
$file = $s->write('w', action(1, $s->note_run('t') . '; echo t >output'));
$pid = $s->start('run', $file);
ok(eventually(sub { $s->so_far($pid) =~ /token/ }), 'an expired token is told') or diag($s->so_far($pid));
ok($s->is_running($pid), 'and the run waits');
spew("$c->{dir}/life", '60');
my $r = $s->finish($pid);
is($r->{status}, 0, 'until there is a good one') or diag($r->{err});
is($s->runs->{t}, 1, 'and it ran once');

# The scheduler is killed at random moments, again and again.
for my $via (qw(rest commands)) {
    $s = $c->store($via);
    ($file, $expected) = Slurm::graph($s, 'w', 14, nap => 0.1);
    my $workflow = $s->submit($file);
    for my $blow (1 .. 6) {
        $pid = $s->start('run', '-q', $workflow);
        sleep 0.1 + rand 0.7;
        $s->kill9($pid);
    }
    Slurm::is_right($s, $s->pingo('run', '-q', $workflow), $workflow, $expected, "scheduler killed, by $via");
    $c->until_idle("scheduler killed, by $via");
    $s->clean("scheduler killed, by $via");
}
done_testing();
