#!/usr/bin/perl
# The example programs do what their head comments say.  They were built by `make examples`.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../house";
use House qw(build slurp spew scratch run);
use Test::More;

my $programs = build() . '/examples';
my $scratch  = scratch();
-x "$programs/$_" or BAIL_OUT("$programs/$_ is not there: run make examples") for qw(plan-only embed-executor embed-external embed-process);

# The lines that a program printed; fails the test unless it ended with $status.
sub lines_of {
    my ($what, $status, @command) = @_;
    my ($got, $said) = run('timeout', '600', @command);
    is($got, $status, $what) or diag($said);
    return split /\n/, $said;
}

sub said { my ($line, @lines) = @_; return scalar grep { $_ eq $line } @lines }

subtest 'plan-only' => sub {
    my $file = "$scratch/plan.json";
    spew("$scratch/words.txt", "b\na\n");
    spew($file, <<'JSON');
{"name": "plan", "actions": [
  {"id": 1, "name": "sort", "type": "command-line", "command": "sort in/words > output",
   "inputs": [{"name": "words", "path": "words.txt"}]},
  {"id": 2, "name": "count", "type": "command-line", "command": "wc -l in/sorted > output",
   "parentActions": [{"id": 1, "as": "sorted"}]},
  {"id": 3, "name": "head", "type": "command-line", "command": "head -1 in/sorted > output",
   "parentActions": [{"id": 1, "as": "sorted"}]}]}
JSON
    my @lines = lines_of('a plan without a store', 0, "$programs/plan-only", $file);
    my %hash = map { /^([0-9a-f]{64}) \w+ +(\w+) \(/ ? ($2 => $1) : () } @lines;
    is_deeply([ sort keys %hash ], [qw(count head sort)], 'each action has a hash');
    is($lines[-1], '3 to compute, 0 to reuse, 0 to join, 0 to skip', 'nothing is known: all is to compute');

    @lines = lines_of('the same with one dataset known', 0, "$programs/plan-only", $file, $hash{sort});
    is_deeply([ map { /^[0-9a-f]{64} (\w+) +(\w+)/ ? "$2 $1" : () } @lines ], [ 'sort reuse', 'count compute', 'head compute' ], 'it is reused');
    @lines = lines_of('with the results known', 0, "$programs/plan-only", $file, @hash{qw(count head)});
    is($lines[-1], '0 to compute, 2 to reuse, 0 to join, 1 to skip', 'what nothing needs is skipped');

    spew("$scratch/words.txt", "c\na\n");
    @lines = lines_of('with another input', 0, "$programs/plan-only", $file, values %hash);
    is($lines[-1], '3 to compute, 0 to reuse, 0 to join, 0 to skip', 'nothing is the same');

    spew($file, "{\"name\": \"bad\",\n \"actions\": [{\"id\": 1, \"name\": \"x\", \"type\": \"command-line\", \"command\": \"true\", \"parentActions\": [{\"id\": 7}]}]}");
    @lines = lines_of('a workflow that breaks a rule', 1, "$programs/plan-only", $file);
    ok(scalar(grep { /:2:\d+: error: .*\b7\b/ } @lines), 'is told with its place') or diag(@lines);
};

subtest 'embed-executor' => sub {
    mkdir "$scratch/host";
    spew("$scratch/host/input.txt", "one\ntwo\nthree\n");
    my @command = ("$programs/embed-executor", "$scratch/executor-store", "$scratch/host");
    my @lines = lines_of('a first run', 0, @command);
    ok(said('workflow 1: 2 to compute, 0 to reuse', @lines), 'both actions are to compute');
    my @finished = grep { /^action \d+: FINISHED$/ } @lines;
    is(scalar @finished, 2, 'both finish, driven by the loop') or diag(join "\n", @lines);
    ok(said('workflow 1: FINISHED', @lines), 'the workflow finishes');
    my ($path) = $lines[-1] =~ /^result of count: (.*) \(\d+ bytes\)$/;
    is($path && -f $path ? slurp($path) : '', "3 lines\n", 'the result is right');
    my ($status, $told) = run(build() . '/pingo', '-C', "$scratch/executor-store", 'status', 'last', '--json');
    is(() = $told =~ /"attempts":1,.*"started":"/g, 2, 'each has begun once, it is known when') or diag($told);

    @lines = lines_of('a second run', 0, @command);
    is($lines[0], 'workflow 2: 0 to compute, 1 to reuse', 'has nothing to compute');
    is(scalar(grep { /^action/ } @lines), 0, 'and no action moves');

    spew("$scratch/host/input.txt", "one\n");
    @lines = lines_of('a run over another text', 0, @command);
    ok(said('workflow 3: 2 to compute, 0 to reuse', @lines), 'computes again');
    is(slurp($path), "1 lines\n", 'and gives its result');

    @lines = lines_of('no directory', 2, $command[0], "$scratch/executor-store", "$scratch/nowhere");
};

subtest 'embed-external' => sub {
    my @lines = lines_of('the scheduler runs its jobs', 0, "$programs/embed-external", "$scratch/external-store");
    my $text = join "\n", @lines, '';
    like($text, qr/^harvest is workflow 1\n  fruit: compute\n  nuts: compute\n  basket: compute\n/, 'it learns what must run');
    my %at;
    $at{ $lines[$_] } //= $_ for 0 .. $#lines;
    ok(defined $at{"start $_"} && defined $at{"end $_"}, "$_ ran") for qw(fruit nuts basket);
    cmp_ok($at{'start basket'}, '>', $at{"end $_"}, "basket started after $_ had ended") for qw(fruit nuts);
    like($text, qr/^harvest: FINISHED$/m, 'the workflow finished');
    like($text, qr/^harvest again is workflow 2\n  fruit: skip\n  nuts: skip\n  basket: reuse\nharvest again: FINISHED$/m, 'the same again runs nothing');
    like($text, qr/^start siesta\nend siesta, killed\nsiesta: KILLED$/m, 'a kill reaches the running job');

    @lines = lines_of('another process with the same store', 0, "$programs/embed-external", "$scratch/external-store");
    like(join("\n", @lines), qr/^harvest is workflow 4\n  fruit: skip\n  nuts: skip\n  basket: reuse\nharvest: FINISHED$/m, 'finds what the first had made');
};
# Killed at any moment and started again, it finds its submission and its jobs, and starts nothing twice.
subtest 'embed-process' => sub {
    my $file = "$scratch/process.json";
    spew("$scratch/count", '');
    my $action = sub {
        my ($id, $command, $more) = @_;
        return qq({"id": $id, "name": "a$id", "type": "command-line", "command": "echo $id >>$scratch/count; $command"$more});
    };
    spew($file, '{"name": "long", "actions": [' . join(', ',
            $action->(1, "touch $scratch/up1; while [ ! -e $scratch/go ]; do sleep 0.05; done; echo one >output", ''),
            $action->(2, "touch $scratch/up2; while [ ! -e $scratch/go ]; do sleep 0.05; done; echo two >output", ''),
            $action->(3, "cat in/a in/b >output; echo said >&2", ', "versions": [["uname", "-r"]], "parentActions": [{"id": 1, "as": "a"}, {"id": 2, "as": "b"}]'))
        . ']}');
    # The actions count outside of their directories.
    is((run('env', "PINGO_DIR=$scratch/process-store", build() . '/pingo', @$_))[0], 0, "@$_") for ['init'], [ 'config', 'sandbox', 'off' ];
    my @command = ("$programs/embed-process", "$scratch/process-store", $file, build() . '/libexec');
    my $pid = fork() // die;
    if (!$pid) { open STDOUT, '>', '/dev/null'; exec @command or exit 127 }
    for (1 .. 600) { last if -e "$scratch/up1" && -e "$scratch/up2"; select undef, undef, undef, 0.1 }
    ok(-e "$scratch/up1" && -e "$scratch/up2", 'both jobs run');
    kill KILL => $pid;
    waitpid $pid, 0;
    spew("$scratch/go", '');
    my @lines = lines_of('started again after kill -9', 0, @command);
    is($lines[0], 'workflow 1, submitted before', 'it finds its submission');
    is($lines[-1], 'workflow 1: FINISHED', 'and sees it through');
    is(join('', sort split /(?<=\n)/, slurp("$scratch/count")), "1\n2\n3\n", 'no job was started twice');
    my ($out) = glob("$scratch/process-store/pool/objects/*/*.3.*");
    is(slurp($out // '/dev/null'), "one\ntwo\n", 'the result is right');
    my ($status, $said) = run('env', "PINGO_DIR=$scratch/process-store", 'timeout', '600', build() . '/pingo', 'log', '1', '3');
    like($said, qr/^said$/m, 'its log is found') or diag($said);
    ($status, $said) = run('env', "PINGO_DIR=$scratch/process-store", 'timeout', '600', build() . '/pingo', 'fsck', '--deep');
    is($status, 0, 'fsck finds nothing') or diag($said);
};

# Whatever becomes of a runner before the gate, the job is settled.
subtest 'embed-process: a runner that ends before the gate' => sub {
    my $file = "$scratch/broken.json";
    spew("$scratch/broken/pingo-runner", "#!/bin/sh\nexit 1\n");
    chmod 0755, "$scratch/broken/pingo-runner";
    spew($file, '{"name": "broken", "actions": [{"id": 1, "name": "a", "type": "command-line", "command": "echo >output"}]}');
    my @pingo = ('env', "PINGO_DIR=$scratch/broken-store", 'timeout', '600', build() . '/pingo');
    my $pid = fork() // die;
    if (!$pid) {
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', '/dev/null';
        exec "$programs/embed-process", "$scratch/broken-store", $file, "$scratch/broken" or exit 127;
    }
    my $said = '';
    for (1 .. 300) {
        (undef, $said) = run(@pingo, 'status', '1', '1') if -e "$scratch/broken-store/pingo.db";
        last if $said =~ /its runner ended before it began/;
        select undef, undef, undef, 0.1;
    }
    kill KILL => $pid;
    waitpid $pid, 0;
    like($said, qr/its runner ended before it began/, 'the job is settled, and tried again');
};
done_testing();
