#!/usr/bin/perl
# What the library lets out and what it calls.  It exports the functions of the public headers and
# nothing else; it never prints, never exits, never forks, and keeps no mutable global state.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root build sources slurp spew scratch run public_functions);
use Test::More;

# Not for a library: to speak, to end or copy the process, or to change what all its threads share.
my %forbidden = map { $_ => 1 } qw(
    printf vprintf puts putchar putc fputc fputs fprintf vfprintf perror stdout stderr
    __printf_chk __fprintf_chk __vfprintf_chk
    exit _exit _Exit quick_exit abort atexit fork system popen
    chdir fchdir umask setenv putenv unsetenv setlocale signal
    rand srand random srandom strtok localtime gmtime ctime asctime readdir_r tmpnam
);

sub symbols_of {
    my (@nm) = @_;
    my ($status, $said) = run('nm', @nm);
    die "nm @nm: $said\n" if $status;
    return split /\n/, $said;
}

# [ member, forbidden symbol ] of an archive or object.
sub breaches {
    my ($archive) = @_;
    return map { /^.*?([^:\/]+\.o):.* U (\w+)/ && $forbidden{$2} ? "$1 calls $2" : () }
        symbols_of('-A', '-u', $archive);
}

# "member: name" of each object that can be written to while the program runs.
sub mutable {
    my ($archive) = @_;
    my ($status, $said) = run('objdump', '-t', $archive);
    die "objdump $archive: $said\n" if $status;
    my ($member, @mutable) = ('');
    for (split /\n/, $said) {
        $member = $1 if /^(\S+\.o):\s/;
        push @mutable, "$member: $2"
            if /\sO\s+(\.data|\.bss|\.tbss|\.tdata)(?:\.(?!rel\.ro)\S+)?\s+\S+\s+(?:\.hidden )?(\S+)/;
    }
    return @mutable;
}

my $archive = build() . '/libpingo.a';
my $shared  = build() . '/libpingo.so';
ok(-f $archive && -f $shared, 'the library is built') or BAIL_OUT('run make first');

my %public   = public_functions(root());
my %exported = map { /^\S+ [TWDBR] (\w+)/ ? ($1 => 1) : () } symbols_of('-D', '--defined-only', '--without-symbol-versions', $shared);
cmp_ok(scalar keys %public, '>', 50, 'the headers declare functions');
is_deeply([ grep { !/^pingo_[a-z]/ } sort keys %exported ], [], 'libpingo.so exports pingo_* alone');
is_deeply([ grep { !$public{$_} } sort keys %exported ], [], 'what it exports stands in a public header');
is_deeply([ grep { !$exported{$_} } sort keys %public ], [], 'what stands in a public header is exported');

my ($status, $said) = run('readelf', '-d', $shared);
like($said, qr/SONAME.*\[libpingo\.so\.0\.\d+\]/, 'it has a soname');
unlike($said, qr/TEXTREL/, 'and is position independent');

my @breaches = breaches($archive);
my @mutable  = mutable($archive);
is_deeply(\@breaches, [], 'no member prints, exits, forks or changes the process') or diag(join "\n", @breaches);
is_deeply(\@mutable, [], 'no member has mutable global state') or diag(join "\n", @mutable);

# Names across files begin with pingo, so that a static library disturbs nobody.
my @strange = map { /^.*?([^:\/]+\.o):\S* [TDBRCVW] (?!pingo_)(\w+)/ ? "$1: $2" : () }
    symbols_of('-A', '-g', '--defined-only', $archive);
is_deeply(\@strange, [], 'every global name of libpingo.a begins with pingo_');

# The test can fail.
my $scratch = scratch();
spew("$scratch/bad.c", <<'C');
#include <stdio.h>
#include <stdlib.h>
static int calls;
const char *const names[] = {"a", "b"};
void speak(void);
void speak(void)
{
    printf("%d\n", calls++);
    fprintf(stderr, "x");
    exit(1);
}
C
is(system('gcc', '-fPIC', '-c', '-o', "$scratch/bad.o", "$scratch/bad.c"), 0, 'a bad library compiles');
is(system("ar rcs $scratch/bad.a $scratch/bad.o"), 0, 'and is an archive');
my %calls = map { s/.* calls //r => 1 } breaches("$scratch/bad.a");
ok($calls{exit} && $calls{printf} && $calls{stderr}, 'what it calls is noticed');
is_deeply([ map { s/.*: //r } mutable("$scratch/bad.a") ], ['calls'], 'what it keeps is noticed');
done_testing();
