#!/usr/bin/perl
# numbers.pl - numbers.h of the rows of states.c and the values of the enums, for SQL that names states:
#
#   perl lib/rules/numbers.pl >lib/rules/numbers.h
#
# It runs in the top of the tree; test/house/states.t finds out when that was forgotten.
use strict;
use warnings;

sub slurp {
    my ($path) = @_;
    open(my $in, '<', $path) or die "$path: $!\n";
    local $/;
    return scalar <$in>;
}

my %number = (slurp('include/pingo/state.h') . slurp('lib/rules/states.h')) =~ /\bPINGO_(\w+) = (\d+)\b/g;
my $rows = slurp('lib/rules/states.c');

# Where a column is one of these numbers; word for word what stands in the indexes, or SQLite does not see that they fit.
sub condition {
    my ($first, @numbers) = @_;
    my (@runs, @terms);
    for my $n (@numbers) {
        if (@runs && $runs[-1][1] == $n - 1) { $runs[-1][1] = $n }
        else                                 { push @runs, [ $n, $n ] }
    }
    for (@runs) {
        my ($from, $to) = @$_;
        push @terms, $from == $to ? "= $from" : $from == $first ? '< ' . ($to + 1) : "BETWEEN $from AND $to";
    }
    my $all = join ' " OR " column ', map { qq{" $_"} } @terms;
    return @terms > 1 ? qq{"(" column $all ")"} : qq{column $all};
}

sub of_kind {
    my ($kind) = @_;
    my ($upper, %is, @states) = (uc $kind =~ s/^_//r);
    while ($rows =~ /\[PINGO_(\U$kind\E_(\w+))\] =\s*\{"(\w+)", ([A-Z_| ]+|0),/g) {
        my ($name, $words) = ($2, $4);
        my $number = $number{$1} // die "numbers.pl: $name has no number\n";
        push @states, [ $number, $name ];
        push @{ $is{$_} }, $number for grep { $_ ne '0' } split /[ |]+/, $words;
    }
    @states = sort { $a->[0] <=> $b->[0] } @states;
    my $last = $states[-1][0];
    print "\n/* ---- ${\lc $upper}s ---- */\n\n#define PINGO__${upper}_STATES ", $last + 1, " /* numbers below this; 0: none */\n";
    print qq{#define ${upper}_$_->[1] "$_->[0]"\n} for @states;
    print "#define ${upper}_IS_$_(column) ", condition($states[0][0], sort { $a <=> $b } @{ $is{$_} }), "\n" for sort keys %is;
    my @each = map { sprintf 'f(%s, %d)', lc $_->[1], $_->[0] }
        grep { my ($n) = @$_; !$is{SPACE} || grep { $_ == $n } @{ $is{SPACE} } } @states;
    print "/* f(name, number) of each", $is{SPACE} ? ' that takes space' : '', ", with commas between, as they are to be written. */\n",
        "#define ${upper}_EACH(f, comma) \\\n    ", join(' comma ', @each) =~ s/(?:\S+ ){15}\K/\\\n    /gr, "\n"
        if $upper =~ /^(?:ACTION|DATASET)$/;
}

print <<'END';
/* numbers.h - the states' numbers as text of SQL.  Made by numbers.pl of states.c: change that. */
#ifndef PINGO__RULES_NUMBERS_H
#define PINGO__RULES_NUMBERS_H
/* clang-format off */
END
of_kind($_) for qw(action dataset workflow _attempt);
print "\n#endif\n";
