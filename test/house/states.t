#!/usr/bin/perl
# The states are known to lib/rules alone: elsewhere C asks by name, and SQL through rules/numbers.h, which is made
# of the table; so one can be added, which this does.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root sources slurp spew scratch code_only run);
use Test::More;

# ---- nobody else knows numbers

my $numbers = qr{(?:<>|<=|>=|=|<|>|\bIS(?: NOT)?|\b(?:NOT )?BETWEEN|\b(?:NOT )?IN) *\(?[1-9]};

# The lines of a C text that compare a state with a number, or two states by their numbers.
sub with_numbers {
    my ($text) = @_;
    my @lines = split /\n/, code_only($text, 1);
    return grep {
        my $sql  = join '', $lines[ $_ - 1 ] =~ /"((?:\\.|[^"\\])*)"/g;
        my $code = $lines[ $_ - 1 ] =~ s/"(?:\\.|[^"\\])*"/""/gr;
        $sql =~ /\bstate +$numbers/ || $sql =~ /\bstate (?:WHEN [1-9]|\+)/ || $sql =~ /[(]\?\d +(?:=|IN) +\(?[2-9]/
            || $code =~ /(?<![<>-])[<>]=? *PINGO_(?:ACTION|DATASET|WORKFLOW)_(?!STATE|TYPE)[A-Z]/
            || $code =~ /\bPINGO_(?:ACTION|DATASET|WORKFLOW)_[A-Z_]+ *(?:[<>](?![<>])=? *[a-z(]|[-+] *1)/
            || $code =~ /(?:->|\.)state *(?:[!=<>]=|[<>]) *[1-9]/ || $code =~ /\[state < sizeof/;
    } 1 .. @lines;
}

my ($looked, @found) = (0);
for my $file (sources(root(), qr/\.[ch]$/, qw(include lib cli examples))) {
    # Migrations are what was released: they change no more.
    next if $file =~ m{^lib/rules/|^lib/store/(?:schema\.[ch]$|migrations/)|^lib/(?:decision|lab)/};
    $looked++;
    push @found, map { "$file:$_" } with_numbers(slurp(root() . "/$file"));
}
is_deeply(\@found, [], 'no state is compared by its number') or diag(join "\n", @found);
cmp_ok($looked, '>', 200, 'there were files to look at');

# The test can fail.
for my $bad ('run("WHERE a.state < 6");', 'run("WHERE state IN (4, 5)");', 'run("SET state = 9 WHERE id = ?");',
    'run("a.state BETWEEN 2 AND 5");', 'run("CASE a.state WHEN 3 THEN 1 END");', 'run("iif(?3 = 9, 1, 2)");',
    'if (row->state >= PINGO_ACTION_FINISHED)', 'if (row.state == 4)', 'if (PINGO_DATASET_STORED <= state)',
    'int64_t n[PINGO_DATASET_DELETED + 1];', '++*of[state < sizeof of / sizeof *of ? state : 0];') {
    is_deeply([ with_numbers("x = 1;\n$bad\n") ], [2], "noticed: $bad");
}
for my $good ('run("WHERE state = ?2 AND x < 6");', 'run("a.state = " ACTION_READY);', '/* state < 3 */',
    'if (row->state == PINGO_ACTION_READY)', 'if (s->state != 0)', 'run("?1 IN (0, a.workflow)");') {
    is_deeply([ with_numbers("$good\n") ], [], "fine: $good");
}

# ---- the table, and what is made of it

chdir root() or die;
sub made { my ($status, $text) = run($^X, 'lib/rules/numbers.pl'); die $text if $status; return $text }
is(made(), slurp('lib/rules/numbers.h'), 'numbers.h is what numbers.pl makes of states.c');

# A tree in which there is one state more, of an action that nobody is to start.
my $tree = scratch();
spew("$tree/include/pingo/state.h", slurp('include/pingo/state.h') =~ s/(PINGO_ACTION_CANCELLED = 9)/$1, PINGO_ACTION_PARKED = 10/r);
my $row = '[PINGO_ACTION_PARKED] = {"PARKED", UNFINISHED | IDLE, A(READY) | A(KILLED)},';
spew("$tree/lib/rules/states.c", slurp('lib/rules/states.c') =~ s/(\[PINGO_ACTION_CANCELLED\] = .*\n)/$1    $row\n/r);
spew("$tree/lib/rules/$_", slurp("lib/rules/$_")) for qw(states.h effects.h effects.c numbers.pl);
chdir "$tree" or die;
my $new = made();
chdir root() or die;
spew("$tree/lib/rules/numbers.h", $new);
isnt($new, slurp('lib/rules/numbers.h'), 'with a state more it is another');
like($new, qr/ACTION_IS_UNFINISHED\(column\) "\(" column " < 6" " OR " column " = 10" "\)"/, 'which SQL counts as unfinished');
like($new, qr/ACTION_IS_CLAIMED\(column\) column " BETWEEN 3 AND 5"/, 'and not as claimed');

# What lists them or counts by them takes one more as it is.
my @counting = grep { slurp(root() . "/$_") =~ /\bPINGO__(?:ACTION|DATASET)_STATES\b|\b(?:ACTION|DATASET)_EACH\(/ }
    sources(root(), qr/\.c$/, 'lib');
cmp_ok(scalar @counting, '>', 3, 'there is what counts by states');
my ($fits, $why) = run('gcc', '-std=c11', '-D_GNU_SOURCE', '-fsyntax-only', map({ ("-I$_/include", "-I$_/lib") } "$tree", root()),
    grep { !m{^lib/rules/} } @counting);
is($fits, 0, 'and it takes a state more') or diag($why);

# The test of the rules holds there, C and SQL say the same; with the old numbers it does not.
sub test_of {
    my ($name, @include) = @_;
    my $program = "$tree/$name";
    my ($status, $said) = run('gcc', '-std=c11', '-O0', (map { ("-I$_/include", "-I$_/lib") } @include, root()),
        '-o', $program, 'test/unit/rules/test_states.c', "$tree/lib/rules/states.c", "$tree/lib/rules/effects.c",
        '-lcmocka', '-lsqlite3');
    return ($status, $said) if $status;
    return run($program);
}
my ($status, $said) = test_of('all', "$tree");
is($status, 0, 'all that is said of states holds with one more') or diag($said);
unlink "$tree/lib/rules/numbers.h";
spew("$tree/lib/rules/numbers.h", slurp('lib/rules/numbers.h') =~ s/(PINGO__ACTION_STATES) 10/$1 11/r);
($status, $said) = test_of('stale', "$tree");
isnt($status, 0, 'not with numbers.h as it was');
like($said, qr/unfinished: C and SQL differ of 10/, 'and the test says so');
done_testing();
