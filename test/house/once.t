#!/usr/bin/perl
# What one place says no other says again: whoever adds one more of it changes that place, and has changed all.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root sources slurp code_only);
use Test::More;

# What is asked there, how somebody else would write it, and where they may.
my @known = (
    [ 'what kind of an original an input is', qr/sha256\s*\?\s*PINGO__ORIGINAL_/, qr{^lib/digest/originals\.c$} ],
    [ 'how many bytes are in states of a kind', qr/bytes\[state\] : 0|bytes\[PINGO_DATASET_\w+\]\s*\+/, qr{^lib/store/decision/usage\.c$} ],
    [ 'what limits an executor has where none are named', qr/->(?:log_bytes|grace_ms) > 0 \?/, qr{^lib/executor/context\.c$} ],
    [ 'whose jobs on a cluster are ours', qr/s-%s", (?:context->)?store_id/, qr{^lib/executor/context\.c$} ],
    [ 'when an end that was not taken is told again', qr/#define \w*UNSETTLED_MS/, qr{^lib/executor/context\.h$} ],
    [ 'how many actions of a submission have a row', qr/->waiting \+ \w+->ready \+ \w+->running \+/, qr{^lib/view/views\.h$} ],
    [ 'how an attempt ends of which nothing else is known', qr/->output_kind = PINGO_OUTPUT_NONE;\s+(?:[^;]*;\s+){0,2}v?snprintf|== PINGO_END_EXITED \? 126/,
        qr{^lib/runner/record/job\.c$} ],
);

# The numbers of the lines in which a pattern begins.
sub lines_with {
    my ($text, $pattern) = @_;
    my @lines;
    push @lines, 1 + substr($text, 0, $-[0]) =~ tr/\n// while $text =~ /$pattern/g;
    return @lines;
}

my @files = grep { !m{^lib/store/migrations/} } sources(root(), qr/\.[ch]$/, qw(include lib cli));
my %text  = map { $_ => code_only(slurp(root() . "/$_"), 1) } @files;
cmp_ok(scalar @files, '>', 500, 'there are files to look at');
for my $row (@known) {
    my ($what, $pattern, $home) = @$row;
    my (@at_home, @elsewhere);
    for my $file (@files) {
        my @found = map { "$file:$_" } lines_with($text{$file}, $pattern);
        push @{ $file =~ $home ? \@at_home : \@elsewhere }, @found;
    }
    cmp_ok(scalar @at_home, '>', 0, "there is a place that says $what");
    is_deeply(\@elsewhere, [], "nobody else asks $what") or diag(join "\n", @elsewhere);
}

# The test can fail.
is_deeply([ lines_with("a;\nkind = in->sha256\n    ? PINGO__ORIGINAL_DECLARED : 0;\n", $known[0][1]) ], [2], 'a second place is noticed');
done_testing();
