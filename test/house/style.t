#!/usr/bin/perl
# Habits that a machine can check: short functions and files, one clean-up label, a head comment,
# no tabs, no trailing space, nothing left for later.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root sources slurp code_only functions);
use Test::More;

my $longest_function = 100;
my %longest_file     = (lib => 500, cli => 500, include => 500, examples => 200, test => 1000);
my $deepest          = 4;    # braces: the function's and three levels

# Everything wrong with a file of C, as "LINE: what".
sub faults {
    my ($file, $text) = @_;
    my ($folder) = $file =~ m{^([^/]+)/};
    my @lines = split /\n/, $text;
    my @faults;
    push @faults, scalar(@lines) . ": more than $longest_file{$folder} lines" if @lines > $longest_file{$folder};
    push @faults, '1: no head comment that says what the file is'
        if $text !~ ($folder eq 'test' ? qr{^/\* \S} : qr{^/\* \S+ - });
    push @faults, scalar(@lines) . ': no newline at the end' if $text !~ /\n$/;
    for my $i (0 .. $#lines) {
        my $at = $i + 1;
        push @faults, "$at: trailing space" if $lines[$i] =~ /\s$/;
        push @faults, "$at: a tab" if $lines[$i] =~ /\t/;
        push @faults, "$at: left for later" if $lines[$i] =~ /\b(?:TODO|FIXME|XXX|HACK)\b/;
    }
    push @faults, map { "$_->[1]: $_->[0]() has $_->[2] lines" } grep { $_->[2] > $longest_function } functions($text);
    return (@faults, faults_of_code($text));
}

sub faults_of_code {
    my ($text) = @_;
    my @lines = split /\n/, code_only($text);
    my ($depth, @faults) = (0);
    for my $i (0 .. $#lines) {
        my $at = $i + 1;
        push @faults, "$at: a label $1, not out" if $lines[$i] =~ /\bgoto\s+(\w+)/ && $1 ne 'out';
        next if $lines[$i] =~ /^\s*#/;
        $depth = 0 if $lines[$i] =~ /^[{}]/;
        my $deep = $depth;
        for my $brace ($lines[$i] =~ /[{}]/g) {
            $depth += $brace eq '{' ? 1 : -1;
            $deep = $depth if $depth > $deep;
        }
        push @faults, "$at: more than three levels of nesting"
            if $deep > $deepest && $lines[$i] =~ /\{$/ && $lines[$i] =~ /^\s*(?:\} )?(?:if|else|for|while|do|switch)\b/;
    }
    return @faults;
}

my @files = sources(root(), qr/\.[ch]$/, qw(lib cli include examples test));
cmp_ok(scalar @files, '>', 40, 'there are sources');
my @found = map { my $f = $_; map { "$f:$_" } faults($f, slurp(root() . "/$f")) } @files;
is_deeply(\@found, [], 'no fault of style') or diag(join "\n", @found);

my @others = sources(root(), qr{(?:\.(?:sh|t|pm|py|bats|awk|jq|md)|/run|/lint|/deps|\.[1-8])$},
    qw(test examples man lib .ci));
my @later;
for my $file (@others) {
    my $text = slurp(root() . "/$file");
    push @later, $file if $file !~ m{/style\.t$} && $text =~ /\b(?:TODO|FIXME)\b/;
    push @later, "$file: trailing space" if $text =~ /[ \t]$/m;
}
is_deeply(\@later, [], 'nor in scripts and pages') or diag(join "\n", @later);

# The test can fail.
my $head = "/* x.c - a file. */\n";
my $long = "static int f(int a)\n{\n" . "    a++;\n" x 98 . "    return a;\n}\n";
my @bad = (
    [ 'a long function', $head . $long,                           qr/^2: f\(\) has 102 lines$/ ],
    [ 'a long file',     $head . "int a;\n" x 500,                qr/^501: more than 500 lines$/ ],
    [ 'no head',         "int a;\n",                              qr/^1: no head/ ],
    [ 'trailing space',  $head . "int a; \n",                     qr/^2: trailing space$/ ],
    [ 'a tab',           $head . "\tint a;\n",                    qr/^2: a tab$/ ],
    [ 'work left',       $head . "/* TO" . "DO: more */\n",       qr/^2: left for later$/ ],
    [ 'another label',   $head . "void f(void)\n{\n    goto fail;\nfail:\n    return;\n}\n", qr/^4: a label fail/ ],
    [ 'deep nesting',    $head . "void f(int a)\n{\n" . "    if (a) {\n" x 4 . "    }\n" x 4 . "}\n", qr/^7: more than three/ ],
);
for my $row (@bad) {
    my ($what, $text, $expected) = @$row;
    my @faults = faults('lib/x.c', $text);
    ok(@faults == 1 && $faults[0] =~ $expected, "$what is noticed") or diag(join "\n", @faults);
}
is_deeply([ faults('lib/x.c', $head . "static int f(int a)\n{\n    return a;\n}\n") ], [], 'a good file is not');
done_testing();
