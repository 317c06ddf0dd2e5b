#!/usr/bin/perl
# Habits that a machine can check: short functions and files, few parameters, one clean-up label, a head
# comment, no tabs, no trailing space, nothing left for later; and the one dialect of C.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root sources slurp code_only functions);
use Test::More;

my $longest_function = 100;
my $longest_line     = 120;
my $long_function    = 60;   # from here on a comment above it says why: "Long: ..."
my %longest_file     = (lib => 500, cli => 500, include => 500, examples => 200, test => 1000);
my $deepest          = 4;    # braces: the function's and three levels
my $most_parameters  = 5;

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
        # A row of a table is one line, and ends with what joins it to the next.
        push @faults, "$at: more than $longest_line columns"
            if length $lines[$i] > $longest_line && $folder =~ /^(?:lib|cli|include)$/ && $lines[$i] !~ /^    [A-Z]+\(.*\) \\$/;
        push @faults, "$at: a tab" if $lines[$i] =~ /\t/;
        push @faults, "$at: left for later" if $lines[$i] =~ /\b(?:TODO|FIXME|XXX|HACK)\b/;
    }
    push @faults, map { "$_->[1]: $_->[0]() has $_->[2] lines" } grep { $_->[2] > $longest_function } functions($text);
    push @faults, map { "$_->[1]: $_->[0]() has $_->[2] lines, and no comment above it says why: Long: ..." }
        grep { $_->[2] > $long_function && join("\n", @lines[ 0 .. $_->[1] - 2 ]) !~ m{/\* Long: [^/]*\*/\z} } functions($text)
        if $folder =~ /^(?:lib|cli)$/;
    return (@faults, faults_of_code($text), $folder =~ /^(?:lib|cli)$/ ? faults_of_dialect($file, $text) : ());
}

# How many parameters a function has, by its head.
sub parameters {
    my ($head) = @_;
    my ($list) = $head =~ /\w\s*\((.*)\)[^()]*$/s or return 0;
    1 while $list =~ s/\([^()]*\)|\[[^\[\]]*\]//;
    return 1 + ($list =~ tr/,//);
}

# Names that are seen from other files begin with their room; base, which is everywhere, names its files.
sub is_named {
    my ($room, $name) = @_;
    return $name =~ /^pingo__${room}(?:_|$)/ if $room ne 'base';
    my ($noun) = $name =~ /^pingo__([a-z]+)/ or return 0;
    return $noun eq 'fail' || -f root() . "/lib/base/$noun.h" || -f root() . "/lib/base/${noun}s.h";
}

# What breaks the dialect: [ check, line, what ].
sub dialect {
    my ($file, $text) = @_;
    my ($room) = $file =~ m{^(?:lib/)?([^/]+)/};
    my $code  = code_only($text);
    my @lines = split /\n/, $code;
    my @found;
    for my $i (0 .. $#lines) {
        my $at = $i + 1;
        my ($name) = $lines[$i] =~ /^(?:[a-z].*?[ *])?(pingo__\w+)(?:\(| \{)/;
        push @found, [ 'null', $at, 'a comparison with NULL: p, !p' ] if $lines[$i] =~ /[!=]=\s*NULL\b/;
        push @found, [ 'answers', $at, 'an answer in a return code: 0 or an error, and a bool *' ]
            if $lines[$i] =~ /\brc\s*[!=]=\s*1\b|\brc\s*<\s*0\s*\?\s*rc\s*:\s*0/;
        push @found, [ 'declarations', $at + 1, 'a blank line after declarations' ]
            if $lines[$i] =~ /^ +(?!return|goto|else|case|break)(?:\w+[ *]+)+\w+(?:\[[^]]*\])*(?: =.*|, .*)?;/
            && defined $lines[ $i + 1 ] && $lines[ $i + 1 ] eq '' && $lines[$i] !~ /^ +\w+ = /
            && inside($i, \@lines);
        push @found, [ 'names', $at, "$name does not begin with its room" ]
            if $name && $file =~ m{^lib/.*\.h$} && !is_named($room, $name);
    }
    # Those of the store that are one statement: store/db.h.
    while ($code =~ /^(?:static )?PINGO__[A-Z]+\(((\w+)\((?:DB|[^()]|\([^()]*\))*?, ERR\)),/mg) {
        my ($name, $n, $before) = ($2, parameters($1), substr($code, 0, $-[0]));
        push @found, [ 'parameters', 1 + ($before =~ tr/\n//), "$name() has $n parameters" ] if $n > $most_parameters;
    }
    for (functions($text)) {
        my ($name, $at, undef, $head, $body) = @$_;
        my $n = parameters($head);
        push @found, [ 'parameters', $at, "$name() has $n parameters" ]
            if $n > $most_parameters;
        my ($other) = $head =~ /^(?:static )?int /
            ? $body =~ /^ +int (?:\w+(?: = [^,;]*)?, )*(r|ret|rv|res|result|status|code|e|err|error)\b(?= =|,|;)/m : ();
        push @found, [ 'rc', $at, "$name() returns $other, not rc" ] if $other && $body =~ /\breturn $other;/;
    }
    return @found;
}

# Is a line within a function?
sub inside {
    my ($i, $lines) = @_;
    for (my $k = $i; $k >= 0; $k--) {
        return 0 if $lines->[$k] =~ /^\}|^(?:struct|enum|union|static const struct)\b.*\{$/;
        return 1 if $lines->[$k] eq '{';
    }
    return 0;
}

sub faults_of_dialect { return map { "$_->[1]: $_->[2]" } dialect(@_) }

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
    [ 'a long function', $head . "/* Long: a reason. */\n" . $long, qr/^3: f\(\) has 102 lines$/ ],
    [ 'a long file',     $head . "int a;\n" x 500,                qr/^501: more than 500 lines$/ ],
    [ 'no head',         "int a;\n",                              qr/^1: no head/ ],
    [ 'trailing space',  $head . "int a; \n",                     qr/^2: trailing space$/ ],
    [ 'a tab',           $head . "\tint a;\n",                    qr/^2: a tab$/ ],
    [ 'work left',       $head . "/* TO" . "DO: more */\n",       qr/^2: left for later$/ ],
    [ 'another label',   $head . "void f(void)\n{\n    goto fail;\nfail:\n    return;\n}\n", qr/^4: a label fail/ ],
    [ 'deep nesting',    $head . "void f(int a)\n{\n" . "    if (a) {\n" x 4 . "    }\n" x 4 . "}\n", qr/^7: more than three/ ],
);
push @bad, map { [ $_->[0], $head . $_->[1], $_->[2] ] } (
    [ 'six parameters', "static int f(int a, int b, int (*c)(int, int), int d, int e,\n             int g)\n{\n    return a;\n}\n", qr/^2: f\(\) has 6 parameters$/ ],
    [ 'six of a statement', "PINGO__WRITE(f(DB, int a, int b, int c,\n             int d, ERR),\n             x);\n", qr/^2: f\(\) has 6 parameters$/ ],
    [ 'a comparison with NULL', "static int f(char *p)\n{\n    return p == NULL;\n}\n", qr/^4: a comparison/ ],
    [ 'another name for a return code', "static int f(int a)\n{\n    int r = g(a);\n    return r;\n}\n", qr/^2: f\(\) returns r, not rc$/ ],
    [ 'an answer among the errors', "static int f(int a)\n{\n    int rc = g(a);\n    return rc < 0 ? rc : 0;\n}\n", qr/^5: an answer/ ],
    [ 'declarations set apart', "static int f(int a)\n{\n    struct x *b, c[3];\n\n    return a;\n}\n", qr/^5: a blank line/ ],
    [ 'a long function without a reason', "static int f(int a)\n{\n" . "    a++;\n" x 58 . "    return a;\n}\n", qr/^2: f\(\) has 62 lines, and/ ],
);
for my $row (@bad) {
    my ($what, $text, $expected) = @$row;
    my @faults = faults('lib/x/x.c', $text);
    ok(@faults == 1 && $faults[0] =~ $expected, "$what is noticed") or diag(join "\n", @faults);
}
is_deeply([ faults('lib/x/x.c', $head . "/* Long: a reason. */\nstatic int f(int a)\n{\n" . "    a++;\n" x 58 . "    return a;\n}\n") ], [], 'a good file is not');
is_deeply([ faults('lib/x/x.h', $head . "int pingo__x_get(void);\nint pingo__y_get(void);\nstruct pingo__z {\n};\n") ],
    [ '3: pingo__y_get does not begin with its room', '4: pingo__z does not begin with its room' ], 'names are looked at');
done_testing();
