#!/usr/bin/perl
# libpingo.t - the pages of section 3 are those of the headers, whole: each function with its prototype and what it
# does, each member and each value, and a link for each function; libpingo(3) and libpingo-lab(3) lead to all of them;
# their examples compile without a warning, and those that can stand alone run.
use strict;
use warnings;
use Test::More;
use File::Basename qw(basename dirname);
use File::Path qw(make_path);
use lib dirname(__FILE__);
use Pages qw(displays slurp spew root run_sh scratch unescape);

my $build = ($ENV{BUILD} // 'build') =~ m{^/} ? $ENV{BUILD} : root() . '/' . ($ENV{BUILD} // 'build');

sub squeeze {
    my ($text) = @_;
    $text =~ s/\s+/ /g;
    $text =~ s/\s*([*(),])\s*/$1/g;
    $text =~ s/^ | $//g;
    return $text;
}

# What a header declares: { functions: name => prototype, members: struct => [...], values: name => number or undef }.
sub declared {
    my ($text) = @_;
    my %said = (functions => {}, members => {}, values => {});
    $text =~ s{/\*.*?\*/}{ }gs;
    while ($text =~ /^#define\s+(PINGO_\w+)[ \t]+(?!__attribute__)\S/mg) {
        $said{values}{$1} = undef;
    }
    $text =~ s/^#.*$//mg;
    $text =~ s/__attribute__\s*\(\(.*?\)\)\)?//gs;
    while ($text =~ /(?:PINGO_API|static inline)\s+([^;{]*?)\b(pingo_\w+)\s*\(([^;{]*)\)\s*[;{]/gs) {
        $said{functions}{$2} = squeeze("$1 $2($3)");
    }
    while ($text =~ /^(struct|enum)\s+(pingo_\w+)\s*\{(.*?)\};/gsm) {
        my ($kind, $name, $body) = ($1, $2, $3);
        if ($kind eq 'struct') {
            $said{members}{$name} = [map { squeeze($_) } grep { /\S/ } split /;/, $body];
        } else {
            $said{values}{$1} = $2 while $body =~ /\b(PINGO_\w+)\s*=\s*(-?\d+)/g;
        }
    }
    return \%said;
}

# What is wrong with the page of a header.
sub faults {
    my ($said, $page) = @_;
    my (%shown, %tells, @faults);
    while ($page =~ /^\.Ft (.*)\n(?:\.br\n)?\.Fo (\w+)\n(?:\.br\n)?((?:\.Fa .*\n)+)\.Fc\n(.*)/mg) {
        my ($type, $name, $arguments, $next) = ($1, $2, $3, $4);
        $type =~ s/^"|"$//g;
        my @arguments = map { /^\.Fa "?(.*?)"?$/ ? $1 : () } split /\n/, $arguments;
        push @faults, "$name: stands there twice" if exists $shown{$name};
        $shown{$name} = squeeze("$type $name(" . join(',', @arguments) . ')');
        $tells{$name} = $next =~ /^\.Bl -item/;
    }
    for my $name (sort keys %{ $said->{functions} }) {
        push @faults, "$name: not its prototype: " . ($shown{$name} // 'none') if ($shown{$name} // '') ne $said->{functions}{$name};
        push @faults, "$name: its header does not tell what it does" if exists $shown{$name} && !$tells{$name};
    }
    push @faults, map { "$_: is in no header" } grep { !exists $said->{functions}{$_} } sort keys %shown;
    for my $name (sort keys %{ $said->{members} }) {
        my ($list) = $page =~ /^\.Vt "struct \Q$name\E"\n\.Bl -item(.*?)^\.El\n\.El$/ms;
        my @members = map { /^\.It Va "?(.*?)"?$/ ? squeeze(unescape($1)) : () } split /\n/, $list // '';
        push @faults, "struct $name: @members" if "@members" ne "@{ $said->{members}{$name} }";
    }
    for my $name (sort keys %{ $said->{values} }) {
        my $number = $said->{values}{$name};
        my $wanted = defined $number ? qr/^\.It Dv \Q$name\E Pq \Q@{[ $number =~ s{^-}{\\-}r ]}\E$/m : qr/^\.Dv \Q$name\E Pq \S/m;
        push @faults, "$name: is not on the page" if $page !~ $wanted;
    }
    return @faults;
}

# ---- the pages
my ($nfunctions, $nmembers) = (0, 0);
my %named;    # a page that a library's own names => how often
for my $library (qw(libpingo libpingo-lab)) {
    $named{$_}++ for slurp(root() . "/man/$library.3") =~ /^\.It Xr (pingo_\w+) 3$/mg;
}
for my $path (sort glob(root() . '/include/*/*.h')) {
    my $name = 'pingo_' . basename($path, '.h');
    my $said = declared(slurp($path));
    $nfunctions += keys %{ $said->{functions} };
    $nmembers += keys %{ $said->{members} };
    my @faults = faults($said, slurp("$build/man/$name.3"));
    is_deeply(\@faults, [], "$name(3) tells all of its header") or diag(join "\n", @faults);
    my @lost = grep { $_ ne $name && (readlink("$build/man/$_.3") // '') ne "$name.3" } sort keys %{ $said->{functions} };
    is_deeply(\@lost, [], "$name(3): the name of each function leads to it");
    is(delete $named{$name}, 1, "$name(3) is named by its library's page");
}
is_deeply([ keys %named ], [], 'which name no other');
cmp_ok($nfunctions, '>=', 130, 'the headers declare functions');
cmp_ok($nmembers, '>=', 60, 'and structures');

# The test can fail, and what the script cannot read it refuses.
my $dir = scratch();
sub made {
    my ($header) = @_;
    make_path(map { "$dir/tree/$_" } qw(include/pingo man out));
    spew("$dir/tree/man/libpingo.3", ".Dd November 1, 2026\n");
    my $text = "/* x.h - an x.\n *\n * Of no use. */\n#ifndef PINGO_X_H\n#define PINGO_X_H\n\n$header\n#endif\n";
    spew("$dir/tree/include/pingo/x.h", $text);
    my ($status, $said) = run_sh("$dir/tree", 'perl ' . root() . '/man/pages.pl out');
    return ($status, $said, $status ? () : faults(declared($text), slurp("$dir/tree/out/pingo_x.3")));
}
my $good = "/* Returns `i`. */\nPINGO_API int pingo_x(int i);\nenum pingo_e { PINGO_E_A = 1 /* one */ };\n" .
    "struct pingo_s {\n    int a; /* first */\n    /* Called. */\n    int (*b)(void *c);\n};\n";
is_deeply([ made($good) ], [ 0, '', ], 'a header that tells all');
like((made("PINGO_API int pingo_x(int i);\n"))[2], qr/pingo_x: its header does not tell/, 'a function without a comment');
is((made("/* An x. */\nint pingo_x;\n"))[0] != 0, 1, 'a variable is refused');
my $other = declared("PINGO_API int pingo_x(long i);\nstruct pingo_s {\n    int a;\n};\nenum pingo_e { PINGO_E_A = 2 };\n");
made($good);
is(scalar faults($other, slurp("$dir/tree/out/pingo_x.3")), 3, 'a prototype, a member and a value of another header');

# ---- the examples
my $cc = $ENV{CC} // 'cc';
my @examples = map { displays(root() . "/man/$_.3", 'example') } qw(libpingo libpingo-lab);
is(scalar @examples, 4, 'the pages have examples');
for my $example (@examples) {
    my ($name, $text) = @$example;
    spew("$dir/$name", $text);
    my ($status, $said) = run_sh($dir, "$cc -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow "
        . '-Werror -I' . root() . "/include -c -o $name.o $name");
    is($status, 0, "the example $name compiles without a warning") or diag($said);
}
my $link = "$build/libpingo-lab.a $build/libpingo.a " . '$(pkg-config --libs sqlite3 libcjson nettle libuv) -pthread -lm';
my ($status, $said) = run_sh($dir, "$cc -o plan plan.c.o $link && ./plan");
is($status, 0, 'the example plan.c links and runs') or diag($said);
like($said, qr/^[0-9a-f]{64} compute$/, 'and plans');
($status, $said) = run_sh($dir, "$cc -o half half.c.o $link && ./half");
is($status, 0, 'the example half.c links and runs') or diag($said);
like($said, qr/^[1-9]\.\d\d of the least compute time$/, 'and simulates');
# Installed, the library knows where its helper programs lie; here it must be told.
my $run = slurp("$dir/run.c");
$run =~ s{pingo_scheduler_open\(store, NULL,}
         {pingo_scheduler_open(store, &(struct pingo_scheduler_options){.version = 1,
             .helper_dir = "$build/libexec"},} or die "run.c opens no scheduler\n";
spew("$dir/run.c", $run);
($status, $said) = run_sh($dir, "$cc -I" . root() . "/include -o run run.c $link && pingo init && ./run && ./run");
is($status, 0, 'the example run.c links and runs') or diag($said);
like($said, qr/^hello: FINISHED, 1 computed, 0 reused\nhello: FINISHED, 0 computed, 1 reused$/m,
    'it computes once and reuses the second time');
done_testing();
