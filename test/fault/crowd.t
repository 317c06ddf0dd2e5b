#!/usr/bin/perl
# Eight processes run one store at once: every action runs once, the slots are kept over all of
# them, and nothing is left unsound.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../house";
use House qw(build spew slurp scratch run);
use Test::More;

my $pingo   = $ENV{PINGO} // build() . '/pingo';
my $scratch = scratch();
my ($actions, $processes, $slots) = (2000, 8, 3);
chdir $scratch;

sub pingo { my ($status, $said) = run('timeout', '120', $pingo, @_); return $status == 0 ? $said : "exit $status\n$said" }

# Each action enters a room, counts who is there, and leaves: 40 layers of 50, two parents each.
mkdir 'room';
my @list;
for my $id (1 .. $actions) {
    my @parents = $id > 50 ? map { { id => $_ } } $id - 50, ($id % 50 ? $id - 49 : $id - 99) : ();
    my $parents = join ', ', map { "{\"id\": $_->{id}}" } @parents;
    my $command = "mkdir $scratch/room/$id; ls $scratch/room | wc -l >>$scratch/crowd; echo $id >>$scratch/ran; "
        . "rmdir $scratch/room/$id; " . (@parents ? "cat in/* > output; " : "") . "echo $id >> output";
    push @list, "{\"id\": $id, \"name\": \"a$id\", \"type\": \"command-line\", \"command\": \"$command\", \"parentActions\": [$parents]}";
}
spew("$scratch/w.json", '{"name": "crowd", "actions": [' . join(",\n", @list) . ']}');

unlike(pingo('init'), qr/^exit/, 'init');
pingo('config', 'executor.slots', $slots);
is(pingo('submit', 'w.json'), "1\n", 'submit');
my @pids;
for my $n (1 .. $processes) {
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        open STDIN,  '<', '/dev/null';
        open STDOUT, '>', "$scratch/said.$n";
        open STDERR, '>&', \*STDOUT;
        exec 'timeout', '150', $pingo, 'run', '-q', '1' or exit 127;
    }
    push @pids, $pid;
}
for my $n (1 .. $processes) {
    waitpid $pids[ $n - 1 ], 0;
    is($?, 0, "process $n ends well") or diag(slurp("$scratch/said.$n"));
}

my @ran = split /\n/, slurp("$scratch/ran");
is(scalar @ran, $actions, 'as many runs as actions');
my %once = map { $_ => 1 } @ran;
is(scalar keys %once, $actions, 'each action ran once');
my ($most) = sort { $b <=> $a } split /\n/, slurp("$scratch/crowd");
cmp_ok($most, '<=', $slots, "never more than $slots at once");
cmp_ok($most, '>', 1, 'but more than one');
like(pingo('fsck', '--json'), qr/"clean":\s*true/, 'fsck is clean');
like(pingo('plan', 'w.json', '--json'), qr/"compute":\s*0\b/, 'nothing is left to compute');
chdir '/';
done_testing();
