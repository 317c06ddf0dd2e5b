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
my ($serial, @fakes) = (0);

# A store whose slurmrestd lies by these rules: { store, dir }.
sub liar {
    my (@rules) = @_;
    my $dir = "$c->{dir}/fake." . ++$serial;
    mkdir $dir or die;
    spew("$dir/rules", JSON::PP::encode_json(\@rules));
    my $pid = open(my $said, '-|', "$FindBin::Bin/fake-slurmrestd", $dir, $port) or die "fake-slurmrestd: $!\n";
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
    eventually { @unsaid = grep { !requests($liar, qr/ \Q$_\E /) } @{ $lies{$request} }; !@unsaid } 120;
    is_deeply(\@unsaid, [], "$request: all lies were told") or diag(requests($liar));
    $s->open_gate('all');
    Slurm::is_right($s, $s->finish($pid, 200), 'last', $expected, "$request, with lies");
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
    ok(eventually(sub { -e "$liar->{dir}/held" }, 30), "$when: the submission is on its way");
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
