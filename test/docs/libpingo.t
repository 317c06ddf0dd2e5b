#!/usr/bin/perl
# libpingo.t - libpingo(3), libpingo-lab(3) and the headers say the same: every function with its
# prototype, every structure with its members, every number; the examples
# compile without a warning, and those that can stand alone run.
use strict;
use warnings;
use Test::More;
use File::Basename qw(basename dirname);
use lib dirname(__FILE__);
use Pages qw(displays slurp spew root run_sh scratch unescape);

sub squeeze {
    my ($text) = @_;
    $text =~ s/\s+/ /g;
    $text =~ s/\s*([*(),])\s*/$1/g;
    $text =~ s/^ | $//g;
    return $text;
}

# A page and the folder of its headers.
for my $row (['libpingo', 'pingo'], ['libpingo-lab', 'pingo-lab']) {
    my ($name, $folder) = @$row;
    my $page = slurp(root() . "/man/$name.3");

    # ---- what the headers say
    my (%prototype, %member, %number);
    for my $header (glob(root() . "/include/$folder/*.h")) {
        my $text = slurp($header);
        $text =~ s{/\*.*?\*/}{ }gs;
        while ($text =~ /^#define\s+(PINGO_\w+)[ \t]+\S/mg) {
            $number{$1} = undef unless $1 =~ /_H$/;
        }
        $text =~ s/^#(?:[^\n]*\\\n)*[^\n]*$//mg;
        $text =~ s/__attribute__\s*\(\(.*?\)\)\)?//gs;
        while ($text =~ /PINGO_API\s+([^;]*?)\b(pingo_\w+)\s*\(([^;]*)\)\s*;/gs) {
            $prototype{$2} = squeeze("$1 $2($3)");
        }
        while ($text =~ /^(struct|enum)\s+(pingo_\w+)\s*\{(.*?)^\};/gsm) {
            my ($kind, $name, $body) = ($1, $2, $3);
            if ($kind eq 'enum') {
                $number{$1} = $2 while $body =~ /\b(PINGO_\w+)\s*=\s*(-?\d+)/g;
                next;
            }
            $number{$1} = undef while $body =~ s/enum\s*\{[^}]*?\b(PINGO_\w+)[^}]*\}/int/;
            $member{$name} = [map { squeeze($_) } grep { /\S/ } split /;/, $body];
        }
        # One-line enumerations.
        while ($text =~ /^enum\s+pingo_\w+\s*\{([^}\n]*)\};/gm) {
            my $body = $1;
            $number{$1} = $2 while $body =~ /\b(PINGO_\w+)\s*=\s*(-?\d+)/g;
        }
    }
    cmp_ok(scalar keys %prototype, '>=', $folder eq 'pingo' ? 90 : 15, "$name: the headers declare functions");
    cmp_ok(scalar keys %member, '>=', $folder eq 'pingo' ? 30 : 10, 'and structures');

    # ---- what the page says
    my %shown;
    while ($page =~ /^\.Ft (.*)\n\.Fo (pingo_\w+)\n((?:\.Fa .*\n)+)\.Fc$/mg) {
        my ($type, $name, $arguments) = ($1, $2, $3);
        s/^"|"$//g for $type;
        my @arguments = map { /^\.Fa "?(.*?)"?$/ ? $1 : () } split /\n/, $arguments;
        ok(!exists $shown{$name}, "$name is described once");
        $shown{$name} = squeeze("$type $name(" . join(',', @arguments) . ')');
    }
    is($shown{$_} // '(not on the page)', $prototype{$_}, "$_: the prototype is that of the header")
        for sort keys %prototype;
    ok(exists $prototype{$_}, "$_ is in a header") for sort keys %shown;

    # Each function has a text.
    while ($page =~ /^\.Fo (pingo_\w+)\n(?:\.Fa .*\n)+\.Fc\n\.Xc\n(.*)$/mg) {
        unlike($2, qr/^\.(?:It|El)/, "$1: the page says what it does");
    }

    for my $name (sort keys %member) {
        my ($list) = $page =~ /^\.Vt struct \Q$name\E(?: :)?\n(?:.*\n)*?\.Bl .*\n((?s:.*?))^\.El$/m;
        if (!defined $list) {
            fail("struct $name is on the page");
            next;
        }
        my @members = map { /^\.It Va "?(.*?)"?$/ ? squeeze(unescape($1)) : () } split /\n/, $list;
        my @wanted = @{$member{$name}};
        s/^int kind$/int kind/ for @wanted;
        is_deeply(\@members, \@wanted, "struct $name: the members are those of the header");
    }

    for my $name (sort keys %number) {
        if (defined $number{$name}) {
            like($page, qr/^\.It Dv \Q$name\E Pq \Q$number{$name}\E$/m, "$name is $number{$name}");
        } else {
            like($page, qr/\b\Q$name\E\b/, "$name is on the page");
        }
    }
}

# ---- the examples
my $cc = $ENV{CC} // 'cc';
my @examples = map { displays(root() . "/man/$_.3", 'example') } qw(libpingo libpingo-lab);
is(scalar @examples, 4, 'the pages have examples');
my $dir = scratch();
for my $example (@examples) {
    my ($name, $text) = @$example;
    spew("$dir/$name", $text);
    my ($status, $said) = run_sh($dir, "$cc -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow "
        . '-Werror -I' . root() . "/include -c -o $name.o $name");
    is($status, 0, "the example $name compiles without a warning") or diag($said);
}
my $build = ($ENV{BUILD} // 'build') =~ m{^/} ? $ENV{BUILD} : root() . '/' . ($ENV{BUILD} // 'build');
my $link = "$build/libpingo-lab.a $build/libpingo.a " . '$(pkg-config --libs sqlite3 libcjson libcrypto libuv) -pthread -lm';
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
