#!/usr/bin/perl
# Every script of the tree is sound: shellcheck for shells, a compile check for perl and python.
# (SC2034: the counter of a loop that only counts; SC2154: what bats sets.)
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root sources slurp spew scratch run);
use Test::More;

# The language of a script, from its first line or its name.
sub language {
    my ($file, $text) = @_;
    return 'sh'     if $text =~ m{^#!\s*\S*(?:/|\s)(?:sh|bash|dash)\b} || $file =~ /\.sh$/;
    return 'bats'   if $file =~ /\.(?:bats|bash)$/;
    return 'perl'   if $text =~ m{^#!.*\bperl} || $file =~ /\.pm$/;
    return 'python' if $text =~ m{^#!.*\bpython} || $file =~ /\.py$/;
    return '';
}

my %check = (
    sh     => sub { run('shellcheck', '-x', '-S', 'style', '-e', 'SC2034', @_) },
    bats   => sub { run('shellcheck', '-x', '-s', 'bats', '-S', 'warning', '-e', 'SC2034,SC2154', @_) },
    perl   => sub { run('perl', '-I' . root() . '/test/house', '-wc', $_[0]) },
    python => sub { run('python3', '-c', "import ast, sys\nfor f in sys.argv[1:]: ast.parse(open(f).read(), f)", @_) },
);

chdir root();
my @files = grep { !m{/(?:data)/} } sources(root(), qr{(?:^|/)[^.][^/]*$}, qw(.ci test examples man));
my %found;
for my $file (@files) {
    next if -B $file && -s $file;
    my $language = language($file, slurp($file)) or next;
    push @{ $found{$language} }, $file;
}
# Those that can be are checked by one process; what it says names the file.
for my $language (sort keys %found) {
    for my $files ($language eq 'perl' ? map { [$_] } @{ $found{perl} } : $found{$language}) {
        my ($status, $said) = $check{$language}->(@$files);
        is($status, 0, "@$files ($language)") or diag($said);
    }
}
cmp_ok(scalar @{ $found{$_} // [] }, '>', 0, "there are scripts of $_") for qw(sh perl);

# The test can fail.
my $scratch = scratch();
my %bad = (sh => "#!/bin/sh\nrm \$1\n", perl => "#!/usr/bin/perl\nmy = ;\n", python => "#!/usr/bin/python3\ndef f(:\n", bats => "f() {\n  cd \$1\n  local x=\$(g)\n}\n");
for my $language (sort keys %bad) {
    spew("$scratch/bad.$language", $bad{$language});
    my ($status) = $check{$language}->("$scratch/bad.$language");
    isnt($status, 0, "a bad script of $language is noticed");
}
done_testing();
