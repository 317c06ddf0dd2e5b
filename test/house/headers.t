#!/usr/bin/perl
# Each public header compiles alone, twice in a row, as C11 and as C++17, with gcc and with clang,
# without a warning.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root sources spew scratch run);
use Test::More;

my @compilers = (
    [ 'gcc',     'c',   'c11' ],
    [ 'clang',   'c',   'c11' ],
    [ 'g++',     'cpp', 'c++17' ],
    [ 'clang++', 'cpp', 'c++17' ],
);
my $scratch = scratch();

# What a compiler says of a file that includes nothing but one header.
sub complaint {
    my ($compiler, $include, $header) = @_;
    my ($cc, $suffix, $standard) = @$compiler;
    my $file = "$scratch/alone.$suffix";
    spew($file, "#include <$header>\n#include <$header>\nint alone_in_the_house;\n");
    my ($status, $said) = run($cc, "-std=$standard", qw(-Wall -Wextra -Wpedantic -Werror),
        '-fsyntax-only', "-I$include", $file);
    return $status || $said ne '' ? "exit $status\n$said" : '';
}

my @headers = map { s{^include/}{}r } sources(root(), qr/\.h$/, 'include');
cmp_ok(scalar @headers, '>=', 10, 'there are public headers');
for my $compiler (@compilers) {
    for my $header (@headers) {
        my $said = complaint($compiler, root() . '/include', $header);
        is($said, '', "<$header> alone, $compiler->[0] -std=$compiler->[2]");
    }
    # The test can fail: a header that needs another one, and one that C++ does not like.
    spew("$scratch/bad/needs.h", "size_t needs(void);\n");
    isnt(complaint($compiler, "$scratch/bad", 'needs.h'), '', "$compiler->[0] notices a missing include");
    spew("$scratch/bad/twice.h", "struct twice { int a; };\n");
    isnt(complaint($compiler, "$scratch/bad", 'twice.h'), '', "$compiler->[0] notices a missing guard");
}
spew("$scratch/bad/class.h", "#ifndef C\n#define C\nint f(int class);\n#endif\n");
isnt(complaint($compilers[2], "$scratch/bad", 'class.h'), '', 'C++ is C++');
done_testing();
