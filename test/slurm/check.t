#!/usr/bin/perl
# check.t - `pingo config` tries the settings on a real Slurm: what is missing is told in plain words, with what to do;
# a cluster that is down keeps nobody from setting anything; nothing stays of what was tried.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Slurm;
use Fault qw(spew);
use JSON::PP ();
use Test::More;

Slurm::is_needed();
my $c = Slurm->new;
my $s = $c->store('rest');

# What `pingo config --check` finds: its exit status, and { what => "result: message" }.
sub checked {
    my $r = $s->pingo('config', '--check', '--json');
    return ($r->{status}, { map { $_->{what} => "$_->{result}: $_->{message}" } @{ JSON::PP::decode_json($r->{out}) } });
}

sub set { my ($key, @value) = @_; my $r = $s->pingo('config', @value ? () : '--unset', "executor.slurm.$key", @value); is($r->{status}, 0, "$key: is set"); return $r->{err} }

my ($pool, $attempts) = map { $s->path(".pingo/$_") } qw(pool pool/attempts);
# Runners that do not run, or are of other times and other machines.
sub runners {
    my $real = "$ENV{BUILD}/libexec/pingo-runner";
    spew($s->path('r1'), "#!/bin/sh\necho no libnettle >&2\nexit 127\n");
    spew($s->path('r2'), "#!/bin/sh\n$real \"\$@\" && sed -i '2s/.*/0.0.1/; 4s/.*/5000000/; 6s/.*/0/' answer\n");
    spew($s->path('r3'), "#!/bin/sh\nhead -c 300 /dev/urandom >answer\n");
    chmod 0755, map { $s->path($_) } qw(r1 r2 r3);
    like(set(runner => $s->path('r1')), qr{runner: \S+/r1 cannot be run on n\d: no libnettle}, "one that does not run");
    my $said = set(runner => $s->path('r2'));
    like($said, qr{runner: .*version 0\.0\.1, and this is}, "one of another version");
    like($said, qr{clock: the clock of n\d is \d+ s behind}, "a clock that differs");
    like($said, qr{sandbox: n\d cannot confine}, "a node without Landlock");
    like(set(runner => $s->path('r3')), qr{executor slurm, (?:pool|job|runner): }, "an answer that is none");
    return;
}

for my $via (qw(rest commands)) {
    set(via => $via);
    my ($status, $found) = checked();
    is($status, 0, "$via: all is well") or diag(explain($found));
    is_deeply([ sort keys %$found ], [qw(clock job pool reach runner sandbox)], "$via: all is looked at");
    is(scalar(grep { !/^well: / } values %$found), 0, "$via: and well") or diag(explain($found));

    like(set(runner => '/no/pingo-runner'), qr{runner: /no/pingo-runner is not there on n\d: install.*executor\.slurm\.runner}s, "$via: no runner");
    runners() if $via eq 'rest';
    is(set('runner'), "executor slurm was tried, and runs actions\n", "$via: and back");
    like(set(partition => 'nope'), qr/job: Slurm takes no job: .*partition name.*executor\.slurm\.partition/, "$via: no such partition");
    set('partition');

    # A file system that the nodes do not see.
  SKIP: {
        my @alone = ('unshare', '-m', 'sh', '-c', "mount -t tmpfs none /mnt && cp -a '$pool/.' /mnt && mount --bind /mnt '$pool' && exec \"\$@\"", '-');
        skip('nothing can be mounted here', 1) if system(@alone, 'true') != 0;
        my ($exit, $words) = Slurm::said(@alone, Fault::program(), '-C', $s->path(''), 'config', '--check');
        is($exit, 1, "$via: a pool that the node does not see");
        like($words, qr/^pool: wrong: n\d does not see \S+, .*under one path$/m, "$via: is told");
    }
}
opendir my $dir, $attempts or die;
is_deeply([ grep { !/^\.\.?$/ } readdir $dir ], [], 'nothing is left in the pool');
ok(eval { $c->until_idle('checks'); 1 }, 'nor in Slurm');

# Tokens.
set(via => 'rest');
like(set(token => 'exit 3'), qr/reach: executor\.slurm\.token: "exit 3" ended with status 3/, 'a token that cannot be had');
like(set('token'), qr/not let in .*executor\.slurm\.token is not set/, 'none');
like(set(token => "$FindBin::Bin/cluster token $c->{dir} -60"), qr/has expired by this machine's clock/, 'one that has expired');
set(token => $c->{env}{TOKEN_COMMAND});

# A queue in which it waits, and nobody there: set all the same, and told how it is tried later.
$c->command('scontrol', 'update', "nodename=n$_", 'state=drain', 'reason=test') for 1 .. 3;
my $pid = $s->start('config', '--check');
Slurm::until_true('the job waits', sub { $c->jobs_left });
kill INT => $pid;
my $r = $s->finish($pid);
is($r->{status}, 130, 'interrupted');
like($r->{out}, qr/job: unknown: job \d+ of Slurm's waits to be started.*; it is cancelled/, 'what it waits for');
$c->until_idle('interrupted');
$c->verb('kill', 'rest');
my $said = set(partition => 'short');
like($said, qr/reach: .*connect to server.*\nit could not be tried .* later: \S+ config --check/, 'nobody is there');
is($s->well('config', 'executor.slurm.partition'), "short", 'and the setting is kept');
is((checked())[0], 1, '--check says so by its status');
done_testing();
