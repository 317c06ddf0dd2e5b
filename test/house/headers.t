#!/usr/bin/perl
# Each public header compiles alone, twice in a row, as C11 and as C++17, with gcc and with clang,
# without a warning; and says of each callback whether it may call back, of each result how it can grow.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root sources slurp spew scratch run);
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

# ---- rules of the house that a machine can check -----------------------------------------------

# Functions of a header: [name, comment, parameters].
sub declared {
    my ($text) = @_;
    my @found;
    while ($text =~ m{((?:/\*(?:[^*]|\*(?!/))*\*/\s*)?)PINGO_API ([^;()]*\b(\w+)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\))[^;]*;}g) {
        push @found, [ $3, $1, $4 ];
    }
    return @found;
}

# What a header lacks: functions that take a callback and do not say whether it may call back, options likewise,
# and results, to be filled in, that can neither grow nor say that they never will.
sub faults {
    my ($text) = @_;
    my (@faults, %struct);
    $struct{$2} = [ $1, $3 ] while $text =~ m{((?:/\*(?:[^*]|\*(?!/))*\*/\n)?)^struct (pingo_\w+) \{\n(.*?)^\}}gms;
    for my $function (declared($text)) {
        my ($name, $comment, $parameters) = @$function;
        push @faults, "$name() does not say whether its callback may call back"
            if $parameters =~ /_fn\b|\(\*\w+\)/ && $comment !~ /\b(?:may|must not) call\s+(?:\*\s+)?back\b/;
        while ($parameters =~ /(const )?struct (pingo_\w+) \*(?!\*)(\w+)/g) {
            my ($const, $type) = ($1, $2);
            # Lent to it, opaque, of another header, or the library's own.
            next if $const || !$struct{$type} || $name =~ /_free$/ || $struct{$type}[0] =~ /\bborrowed\b/;
            push @faults, "$name() fills in struct $type, which has no size and is not fixed"
                if $struct{$type}[1] !~ /^    size_t size;/ && $struct{$type}[0] !~ /Fixed: it\s+(?:\*\s+)?never\s+(?:\*\s+)?grows/;
        }
    }
    # Tables of what somebody else writes: what holds for all functions stands before the struct.
    for my $type (grep { $struct{$_}[1] =~ /^    unsigned abi_version;/ } sort keys %struct) {
        push @faults, "struct $type does not say whether its functions may call back"
            if "$struct{$type}[0]$text" !~ /\bfunctions must not\s+(?:\*\s+)?call\s+(?:\*\s+)?back\b/;
    }
    for my $type (grep { /_(?:options|query|request|experiment)$/ } sort keys %struct) {
        my $body = $struct{$type}[1];
        push @faults, "struct $type does not say whether its callbacks may call back"
            if $body =~ /_fn \w+;|\(\*\w+\)\(/ && $body !~ /\b(?:may|must not)\s+call\s+back\b/;
        push @faults, "struct $type does not begin with its version" if $body !~ /^    unsigned version;/;
    }
    return @faults;
}

# The structs whose version the library looks at: each that has one, but for what it hands out itself.
sub versioned { my ($text) = @_; return grep { $_ ne 'pingo_executor_context' } $text =~ /^struct (pingo_\w+) \{\n    unsigned version;/gm }
my $library = join '', map { slurp(root() . "/$_") } sources(root(), qr/\.c$/, 'lib');
sub looks_at { my ($code, $type) = @_; return $code =~ /OPTIONS_TAKE\(\Q$type\E,|"\Q$type\E",/ }

my ($nfunctions, $ncallbacks, $nversioned) = (0, 0, 0);
for my $header (@headers) {
    my $text = slurp(root() . "/include/$header");
    $nfunctions += declared($text);
    $ncallbacks += grep { $_->[2] =~ /_fn\b|\(\*\w+\)/ } declared($text);
    is_deeply([ faults($text) ], [], "<$header> says who may call back, and what can grow");
    is_deeply([ grep { !looks_at($library, $_) } versioned($text) ], [], "<$header>: each version is looked at");
    $nversioned += versioned($text);
}
cmp_ok($nfunctions, '>=', 150, 'functions were looked at');
cmp_ok($ncallbacks, '>=', 20, 'and callbacks');
cmp_ok($nversioned, '>=', 40, 'and structs with a version');
ok(!looks_at('PINGO__OPTIONS_TAKE(pingo_ab, x)', 'pingo_a'), 'a version that nobody looks at is noticed');
is_deeply([ faults("/* Calls fn. */\nPINGO_API int pingo_a(pingo_b_fn fn, void *context);\n") ],
    ['pingo_a() does not say whether its callback may call back'], 'a silent callback is noticed');
is_deeply([ faults("struct pingo_r {\n    int a;\n};\n/* X. */\nPINGO_API int pingo_a(struct pingo_r *result);\n") ],
    ['pingo_a() fills in struct pingo_r, which has no size and is not fixed'], 'a result that cannot grow is noticed');
is_deeply([ faults("/* A table. */\nstruct pingo_t_type {\n    unsigned abi_version;\n    int (*f)(void);\n};\n") ],
    ['struct pingo_t_type does not say whether its functions may call back'], 'a silent table is noticed');
is_deeply([ faults("struct pingo_r_options {\n    unsigned version;\n    int (*f)(void);\n};\n") ],
    ['struct pingo_r_options does not say whether its callbacks may call back'], 'silent options are noticed');
done_testing();
