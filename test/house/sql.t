#!/usr/bin/perl
# SQL text lives in lib/store alone.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root sources slurp code_only);
use Test::More;

my $sql = qr/\b(?:SELECT\s+[\w*(?'].*|INSERT\s+(?:OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM\s|(?:CREATE|DROP|ALTER)\s+(?:TABLE|INDEX|VIEW|TRIGGER)
    |BEGIN\s+(?:IMMEDIATE|EXCLUSIVE)|PRAGMA\s+\w+|SAVEPOINT\s+\w+|WHERE\s+\w+\s*(?:=|IS\b|IN\b))/x;

# The lines of a C text whose strings hold SQL.
sub lines_with_sql {
    my ($text) = @_;
    my @lines = split /\n/, code_only($text, 1);
    return grep { join('', $lines[ $_ - 1 ] =~ /"((?:\\.|[^"\\])*)"/g) =~ $sql } 1 .. @lines;
}

my ($elsewhere, $at_home) = (0, 0);
my @found;
for my $file (sources(root(), qr/\.[ch]$/, qw(lib cli examples include))) {
    my @lines = lines_with_sql(slurp(root() . "/$file"));
    if ($file =~ m{^lib/store/}) { $at_home += @lines; next }
    $elsewhere++;
    push @found, map { "$file:$_" } @lines;
}
is_deeply(\@found, [], 'no SQL outside lib/store') or diag(join "\n", @found);
cmp_ok($elsewhere, '>', 20, 'there were files to look at');
cmp_ok($at_home, '>', 10, 'and there is SQL in lib/store');

# The test can fail.
is_deeply([ lines_with_sql("x = 1;\nrun(\"SELECT id FROM action\");\n") ], [2], 'a SELECT is noticed');
is_deeply([ lines_with_sql("run(\"INSERT OR IGNORE INTO t\");\n") ], [1], 'an INSERT is noticed');
is_deeply([ lines_with_sql("/* \"SELECT id\" */ p(\"select a name\");\n") ], [], 'a comment and prose are not');
done_testing();
