#!/usr/bin/perl
# Each file of the library has a unit test of its name: lib/ROOM/FOLDER/X.c has test/unit/ROOM/FOLDER/test_X.c, or one in
# test/unit/ROOM.  A file of tables alone, or of SQL, is tested with who reads it; what stands for something that is left out,
# and what a program begins with, by the builds and the programs.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root slurp sources spew scratch);
use Test::More;

# Those of a tree that have none: folder => names.
sub without {
    my ($tree) = @_;
    my %test = map { $_ => 1 } sources($tree, qr{/test_\w+\.c$}, 'test/unit');
    my %found;
    for my $file (sources($tree, qr/\.c$/, 'lib')) {
        my ($room, $below, $name) = $file =~ m{^lib/([^/]+)((?:/[^/]+)*)/(\w+)\.c$} or next;
        next if $name eq 'main' || $below eq '/none' || slurp("$tree/$file") !~ /^\{|, ERR\),/m;
        push @{ $found{"$room$below"} }, $name
            if !$test{"test/unit/$room$below/test_$name.c"} && !$test{"test/unit/$room/test_$name.c"};
    }
    return %found;
}

my %found = without(root());
is_deeply(\%found, {}, 'each file of lib/ has a unit test of its name')
    or diag(map { "lib/$_: @{ $found{$_} }\n" } sort keys %found);

# The test can fail.
my $scratch = scratch();
spew("$scratch/$_", "int f(void)\n{\n}\n") for qw(lib/a/one.c lib/a/two.c lib/a/b/three.c lib/a/b/four.c lib/a/b/five.c
    test/unit/a/test_one.c test/unit/a/b/test_three.c test/unit/a/test_four.c);
spew("$scratch/lib/a/table.c", "const int table[] = {\n    1,\n};\n");
is_deeply({ without($scratch) }, { 'a' => ['two'], 'a/b' => ['five'] }, 'what has none is found');
done_testing();
