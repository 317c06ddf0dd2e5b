#!/usr/bin/perl
# What the libraries let out and what they call.  They export the functions of their public headers and
# nothing else; they never print, never exit, never fork, and keep no mutable global state.
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

# name of the library => the folder of its headers.
my %library = (libpingo => 'pingo', 'libpingo-lab' => 'pingo-lab');
-f build() . "/$_.a" && -f build() . "/$_.so" or BAIL_OUT("no $_: run make first") for keys %library;

for my $name (sort keys %library) {
    my ($archive, $shared) = map { build() . "/$name.$_" } qw(a so);
    my %public   = public_functions(root(), $library{$name});
    my %exported = map { /^\S+ [TWDBR] (\w+)/ ? ($1 => 1) : () } symbols_of('-D', '--defined-only', '--without-symbol-versions', $shared);
    cmp_ok(scalar keys %public, '>', $name eq 'libpingo' ? 50 : 15, "$name: the headers declare functions");
    is_deeply([ grep { !/^pingo_[a-z]/ } sort keys %exported ], [], "$name.so exports pingo_* alone");
    is_deeply([ grep { !$public{$_} } sort keys %exported ], [], 'what it exports stands in a public header of its own');
    is_deeply([ grep { !$exported{$_} } sort keys %public ], [], 'what stands in a public header is exported');

    my ($status, $said) = run('readelf', '-d', $shared);
    like($said, qr/SONAME.*\[\Q$name\E\.so\.0\.\d+\]/, 'it has a soname');
    unlike($said, qr/TEXTREL/, 'and is position independent');

    my @breaches = breaches($archive);
    my @mutable  = mutable($archive);
    is_deeply(\@breaches, [], 'no member prints, exits, forks or changes the process') or diag(join "\n", @breaches);
    is_deeply(\@mutable, [], 'no member has mutable global state') or diag(join "\n", @mutable);

    # Names across files begin with pingo, so that a static library disturbs nobody.
    my @strange = map { /^.*?([^:\/]+\.o):\S* [TDBRCVW] (?!pingo_)(\w+)/ ? "$1: $2" : () }
        symbols_of('-A', '-g', '--defined-only', $archive);
    is_deeply(\@strange, [], "every global name of $name.a begins with pingo_");
}

# A history and a decider pass from one library to the other: what knows their inside is there once, in libpingo.so.
my @inside = qw(pingo_history_append pingo_history_size pingo_decider_choose);
is_deeply([ grep { my $s = $_; !grep { / U \Q$s\E$/ } symbols_of('--without-symbol-versions', build() . '/libpingo-lab.so') } @inside ],
    [], 'libpingo-lab.so has no copy of it');
is_deeply([ grep { / [tT] pingo__?(?:history|decider)_/ } symbols_of(build() . '/libpingo-lab.so') ], [], 'of none of it');
like((run('readelf', '-d', build() . '/libpingo-lab.so'))[1], qr/NEEDED.*\[libpingo\.so\.0\.\d+\]/, 'and it asks for libpingo.so');
unlike((run('nm', '-D', build() . '/libpingo-lab.so'))[1], qr/ U (?:sqlite3|uv)_/, 'and for nothing of the floors above');

# The program is thin: of the laboratory it has the names of three commands.
is_deeply([ grep { /\bpingo__?(?:workload|generate|import|experiment|clairvoyant|bound)_/ } symbols_of(build() . '/pingo') ],
    [], 'pingo holds nothing of the laboratory');

# pingo-runner goes to other machines, where there may be nothing of ours; libnettle is in it where there is one for that.
# With that of nodes of Hadoop travels libcjson.
my $has_archive = (run($ENV{CC} || 'gcc', '-print-file-name=libnettle.a'))[1] =~ m{/};
my @needed;
for (['pingo-runner'], ['pingo-hadoop-runner', 'libcjson']) {
    my ($program, @besides) = @$_;
    my $may = join '|', 'libc', @besides;
    @needed = (run('readelf', '-d', build() . "/libexec/$program"))[1] =~ /NEEDED.*\[(\w+)/g;
    ok(scalar(grep { $_ eq 'libc' } @needed), "$program is there");
    is_deeply([ grep { !/^(?:$may|libm|libpthread|ld-\w+|lib[atu]\w*san)$/ && ($has_archive || $_ ne 'libnettle') } @needed ], [],
        join ', but for ', 'and needs the C library alone', @besides);
}
SKIP: {
    skip 'it has a libcjson of its own', 1 if !grep { $_ eq 'libcjson' } @needed;
    my ($library) = (run('ldd', build() . '/libexec/pingo-hadoop-runner'))[1] =~ m{libcjson\.so\.1 => (/\S+)};
    my $node = scratch();
    run('cp', build() . '/libexec/pingo-hadoop-runner', $library, $node);
    rename "$node/" . ($library =~ s{.*/}{}r), "$node/libcjson.so.1";
    like((run('ldd', "$node/pingo-hadoop-runner"))[1], qr{libcjson\.so\.1 => \Q$node\E/libcjson}, 'which it takes from beside itself');
}

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
