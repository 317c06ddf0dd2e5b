#!/usr/bin/perl
# fake.t - replies that a real slurmrestd cannot be made to give, by one that lies in front of it: whatever it says, each
# action runs once and ends well; and the scheduler is killed just before and just after a submission.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Slurm;
use Fault qw(action eventually slurp spew);
use JSON::PP ();
use Test::More;
use Time::HiRes qw(sleep);

Slurm::is_needed();
my $c = Slurm->new;
my ($port) = $c->{env}{REST_URL} =~ /:(\d+)$/;
my ($api)  = $c->{env}{REST_API} =~ /(\d+)$/;
my ($serial, @fakes) = (0);

# A store whose slurmrestd lies by these rules: { store, dir }.
sub liar { return speaker('', @_) }

# The same, in another version of the interface: 39, ...; '': the real one's.
sub speaker {
    my ($version, @rules) = @_;
    my $dir = "$c->{dir}/fake." . ++$serial;
    mkdir $dir or die;
    spew("$dir/rules", JSON::PP::encode_json(\@rules));
    my $pid = open(my $said, '-|', "$FindBin::Bin/fake-slurmrestd", $dir, $port, $api, $version || ()) or die "fake-slurmrestd: $!\n";
    push @fakes, { pid => $pid, said => $said };
    my ($listens) = scalar(<$said>) =~ /^(\d+)$/ or die "fake-slurmrestd does not start\n";
    my $s = $c->store('rest');
    $c->configure($s, 'rest', url => "http://127.0.0.1:$listens");
    return { store => $s, dir => $dir, url => "http://127.0.0.1:$listens" };
}

sub requests { my ($liar, $like) = @_; return grep { !$like || /$like/ } split /\n/, slurp("$liar->{dir}/requests") }

# What is on its way is on few connections.
my $honest = liar();
my ($file, $expected) = Slurm::graph($honest->{store}, 'w', 20);
Slurm::is_right($honest->{store}, $honest->{store}->pingo('run', '-q', $file), 'last', $expected, 'no lies');
my %connections = map { (split)[0] => 1 } requests($honest);
cmp_ok(scalar(keys %connections), '<=', 8, 'few connections, which are kept') or diag(requests($honest));

# Later versions of the interface, one of them later than what Pingo knows.
for my $version (grep { $_ > $api } 40, 43, 45) {
    my $s = speaker($version)->{store};
    my $r = $s->pingo('run', $s->write('w', action(1, 'echo x >output', undef, resources => { memoryMB => 100, timeLimitSeconds => 60 },
        executorOptions => { partition => 'debug', constraints => 'on_n1', nodelist => 'n1', exclude_nodes => 'n[2-3]', gres => 'gpu:1', licenses => 'matlab:1', nice => 5 }),
        action(2, 'exit 7'), action(3, 'kill -9 $$'), map { action($_, $s->note_run($_) . "; echo $_ >output") } 4 .. 9));
    my %note = map { $_->{name} => ($_->{message} // '') } @{ $s->json('status', 'last')->{actions} };
    is($s->states('last')->{a1}, 'FINISHED', "v0.0.$version: all that can be asked for") or diag($note{a1});
    like($note{a2}, qr/^exit status 7/, "v0.0.$version: an exit status");
    like($note{a3}, qr/signal 9/, "v0.0.$version: a signal");
    is_deeply($s->runs, { map { $_ => 1 } 4 .. 9 }, "v0.0.$version: each ran once");
    is(scalar(() = $r->{err} =~ /none newer than v0\.0\.43: it is tried as that/g), $version > 43 ? 1 : 0, "v0.0.$version: is it told that it is newer?") or diag($r->{err});

    # Of an array one is killed, and then all: those that run and those that wait.
    my $workflow = $s->submit($s->write('k', map { action($_, $s->note_run("k$_") . '; ' . $s->gate('k'), undef, resources => { cpus => 2 }) } 1 .. 10));
    my $pid = $s->start('run', '-q', $workflow);
    my @run;
    eventually { (@run = grep { /^k/ } keys %{ $s->runs }) >= 6 };
    $s->well('kill', $workflow, $run[0] =~ s/^k/a/r);
    eventually { (@run = grep { /^k/ } keys %{ $s->runs }) >= 7 };
    is(scalar(grep { $_ eq 'KILLED' } values %{ $s->states($workflow) }), 1, "v0.0.$version: one is killed, and another starts");
    $s->well('kill', $workflow);
    $s->finish($pid);
    Slurm::until_true('jobs end', sub { !$c->jobs_left });
    is_deeply([ sort map { $s->runs->{$_} } grep { /^k/ } keys %{ $s->runs } ], [ (1) x 7 ], "v0.0.$version: all that waited are killed, too");
}

# And earlier ones, by a real slurmrestd; one that is too old is told.
for my $version (grep { $_ ne $c->{env}{REST_API} } split ' ', $c->{env}{REST_APIS}) {
    my $old = Slurm->new('--api', $version);
    my $s   = $old->store('rest');
    if ($version eq 'v0.0.36') {
        like($s->pingo('config', '--check')->{out}, qr/^reach: wrong: .*none of the interfaces v0\.0\.37/m, "$version: is told");
    } else {
        my ($file, $expected) = Slurm::graph($s, 'w', 8);
        Slurm::is_right($s, $s->pingo('run', '-q', $file), 'last', $expected, $version);
    }
    $old->verb('down');
}

# All lies, each between two truths: first about what became of jobs, then about submissions.
my %lies = ('GET job' => [qw(lose error html garbage empty types nest truncate slow chunked banner refuse huge delay-1)],
    'POST job/submit' => [qw(lose error error-after html garbage empty types nest truncate slow chunked banner refuse delay-1)]);
for my $request (sort keys %lies) {
    my ($method, $path) = split ' ', $request;
    my $liar = liar(map { my $do = $_; map { { method => $method, path => $path, do => $_, times => 1 } } $do, 'pass' } @{ $lies{$request} });
    my $s    = $liar->{store};
    $c->configure($s, 'rest', url => $liar->{url}, bundle => 2); # so many submissions, of jobs and of arrays
    my ($file, $expected) = Slurm::graph($s, 'w', 60, nap => $method eq 'GET' ? '0.1; ' . $s->gate('all') : 0);
    my $pid = $s->start('run', '-q', $file);
    my @unsaid;
    eventually { @unsaid = grep { !requests($liar, qr/ \Q$_\E /) } @{ $lies{$request} }; !@unsaid };
    is_deeply(\@unsaid, [], "$request: all lies were told") or diag(requests($liar));
    $s->open_gate('all');
    Slurm::is_right($s, $s->finish($pid), 'last', $expected, "$request, with lies");
    $s->clean("$request, with lies");
}
Slurm::until_true('jobs end', sub { !$c->jobs_left });

# Killed when Slurm has not seen the submission; when it has, and the scheduler does not know.
for my $when (qw(hold hold-after)) {
    my $liar = liar({ method => 'POST', path => 'job/submit', do => $when, times => 1 });
    my $s    = $liar->{store};
    my ($file, $expected) = Slurm::graph($s, 'w', 3);
    my $workflow = $s->submit($file);
    my $pid      = $s->start('run', '-q', $workflow);
    ok(eventually(sub { -e "$liar->{dir}/held" }), "$when: the submission is on its way");
    $s->kill9($pid);
    my $again = $s->start('run', '-q', $workflow);
    sleep 0.5;
    spew("$liar->{dir}/go", '');
    Slurm::is_right($s, $s->finish($again), $workflow, $expected, "$when: killed, and run again");
    Slurm::until_true('jobs end', sub { !$c->jobs_left });
    $s->clean("$when: killed");
}
for my $fake (@fakes) {
    kill KILL => $fake->{pid};
    close $fake->{said};
}
done_testing();
