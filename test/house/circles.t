#!/usr/bin/perl
# No file needs one that needs it: who calls whom among the files of a room makes no circle.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root sources slurp code_only functions);
use Test::More;

# file => text; returns the circles, each as "FILE FILE ...: FILE needs FUNCTION of FILE, ...".
sub circles {
    my (%text) = @_;
    my (%home, %needs, %why);
    for my $file (keys %text) {
        $home{ $_->[0] }{$file} = 1 for grep { $_->[3] !~ /^static\b/ } functions($text{$file}); # of each program one
    }
    for my $file (sort keys %text) {
        my %named = map { $_ => 1 } code_only($text{$file}) =~ /\b(\w+)\b/g;
        for my $name (grep { $home{$_} && !$home{$_}{$file} } sort keys %named) {
            for my $home (sort keys %{ $home{$name} }) {
                $needs{$file}{$home} = 1;
                push @{ $why{$file}{$home} }, $name;
            }
        }
    }
    # Whom a file reaches; those that reach each other are a circle.
    my %reach;
    for my $file (keys %text) {
        my @next = keys %{ $needs{$file} // {} };
        while (defined(my $at = shift @next)) {
            push @next, keys %{ $needs{$at} // {} } if !$reach{$file}{$at}++;
        }
    }
    my (@circles, %done);
    for my $file (sort keys %text) {
        next if $done{$file} || !$reach{$file}{$file};
        my @all = grep { $reach{$file}{$_} && $reach{$_}{$file} } sort keys %text;
        $done{$_} = 1 for @all;
        push @circles, "@all: " . join ', ', map { my $f = $_; map { "$f needs @{ $why{$f}{$_} } of $_" }
            grep { $why{$f}{$_} } @all } @all;
    }
    return @circles;
}

for my $room (qw(lib/manager lib/executor/local/supervisor lib/rules lib/runner lib/store lib/engine cli)) {
    my %text = map { s{^\Q$room\E/}{}r => slurp(root() . "/$_") } sources(root(), qr/\.c$/, $room);
    cmp_ok(scalar keys %text, '>', 1, "there are files in $room");
    my @circles = circles(%text);
    is_deeply(\@circles, [], "no circle in $room") or diag(join "\n", @circles);
}

# The test can fail.
my %one = ('a.c' => "int a(void)\n{\n    return b();\n}\n", 'b.c' => "int b(void)\n{\n    return c();\n}\n",
    'c.c' => "static int d(void)\n{\n    return 0;\n}\nint c(void)\n{\n    return d();\n}\n");
is_deeply([ circles(%one) ], [], 'a chain is none');
$one{'c.c'} =~ s/return d/return a/;
is_deeply([ circles(%one) ], ['a.c b.c c.c: a.c needs b of b.c, b.c needs c of c.c, c.c needs a of a.c'], 'a circle is noticed');
$one{'c.c'} =~ s/return a\(\)/return g(a)/;
is(scalar circles(%one), 1, 'one through a pointer to a function too');
done_testing();
