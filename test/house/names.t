#!/usr/bin/perl
# Executors, types of actions and pools are asked for what their tables say: no manager, and nothing of the engine or of a
# view, knows one by its name.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root sources slurp code_only);
use Test::More;

# The names are read from where they are registered.
sub names_of {
    my ($file, $pattern) = @_;
    return slurp(root() . "/$file") =~ /$pattern/g;
}
my @names = (
    names_of('include/pingo/executor.h', qr/PINGO_EXECUTOR_DEFAULT "([\w-]+)"/),
    (map { names_of($_, qr/^const struct pingo_executor_type pingo__executor_\w+ = \{[^}]*\.name = "([\w-]+)"/m) } sources(root(), qr/\.c$/, 'lib/executor')),
    (map { names_of($_, qr/^ +\.name = "([\w-]+)"/m) } grep { !/builtin/ } sources(root(), qr/\.c$/, 'lib/workflow/types')),
);
for my $name (qw(local external slurm hadoop command-line map-reduce-2)) {
    ok((grep { $_ eq $name } @names), "$name is registered");
}
my $named = join '|', map { quotemeta } @names;

# The lines of a C text in which one of them stands as a text of its own.
sub knows { my ($text) = @_; my @lines = split /\n/, code_only($text, 1); return grep { $lines[ $_ - 1 ] =~ /"(?:$named)"/ } 1 .. @lines }

my ($looked, @found) = (0);
for my $file (sources(root(), qr/\.[ch]$/, qw(lib/manager lib/engine lib/view))) {
    $looked++;
    push @found, map { "$file:$_" } knows(slurp(root() . "/$file"));
}
is_deeply(\@found, [], 'nobody knows one by its name') or diag(join "\n", @found);
cmp_ok($looked, '>', 150, 'there were files to look at');

# The test can fail.
is_deeply([ knows("int f;\nif (strcmp(name, \"slurm\") == 0)\n") ], [2], 'a name is noticed');
is_deeply([ knows("/* \"slurm\" */ say(\"the executor slurm\");\n") ], [], 'a comment, or words, are none');
done_testing();
