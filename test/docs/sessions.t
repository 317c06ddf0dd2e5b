#!/usr/bin/perl
# sessions.t - every session that the README and the man pages show is typed in,
# in order; each command must end as the page says, and where the page shows
# what it prints, it must print that, but for numbers.
#
# A session is a literal display after a comment .\" session: SETUP [exits N], in the
# README a block after <!-- session: ... -->.  Lines that begin with "$ " are
# commands, those that follow are what they print (none: not looked at).  SETUP:
#   files   words.json of pingo-workflow(5), a.txt, b.txt, c.txt
#   store   the same, and a store
#   ran     the same, and words.json ran
#   changed the same, then its second command was changed, and it ran again
#   failed  the same as ran, then a workflow failed
# exits N is the status of the last command; the others end with 0.
use strict;
use warnings;
use Test::More;
use File::Basename qw(basename dirname);
use lib dirname(__FILE__);
use Pages qw(displays blocks slurp spew root pingo run_sh scratch);

-x pingo() or BAIL_OUT(pingo() . ' is not there: make first');

my ($words) = map { $_->[1] }
    grep { $_->[0] =~ /^words\.json/ } displays(root() . '/man/pingo-workflow.5', 'recipe');

sub prepare {
    my ($setup, $dir) = @_;
    spew("$dir/a.txt", "One word or two,\nand then a few more words;\nthe end of it.\n");
    spew("$dir/b.txt", "zebra\napple\nmelon\n");
    spew("$dir/c.txt", "pear\nbanana\n");
    spew("$dir/words.json", $words);
    my @steps = ([files => ':'], [store => 'pingo init'], [ran => 'pingo run -q words.json']);
    push @steps, [changed => 'sed -i "s/sort -rn/sort -n/" words.json && pingo run -q words.json']
        if $setup eq 'changed';
    if ($setup eq 'failed') {
        (my $broken = $words) =~ s/sed -n \S+ >/sed -n 1,ten >/ or die;
        spew("$dir/broken.json", $broken);
        push @steps, [failed => '! pingo run -q broken.json'];
    }
    for my $step (@steps) {
        my ($status, $said) = run_sh($dir, $step->[1]);
        $status == 0 or BAIL_OUT("setup $step->[0]: $said");
        return if $step->[0] eq $setup;
    }
    die "unknown setup $setup\n";
}

# What does not differ from run to run: numbers that count nothing, hashes, paths and widths aside.
sub normal {
    my ($text, $dir) = @_;
    $text =~ s/(?<!once in )\b(\d{1,3})(?= (?!min\b)[a-z]{3})/$1 =~ tr{0-9}{a-j}r/ge;
    $text =~ s{\Q$dir\E|/home/me/words}{~}g;
    $text =~ s/\b[0-9a-f]{12,64}\b/HASH/g;
    $text =~ s/\b\d[\d:.]*(?:e[-+]\d+)?(?: (?:ms|s|min|h|d|B|[KMGT]iB)\b)?/N/g;
    $text =~ s/[ \t]+/ /g;
    $text =~ s/ ?$//mg;
    return $text;
}

sub check_session {
    my ($where, $marker, $body, $dir) = @_;
    my ($setup) = $marker =~ /^(\w+)/;
    my $last_status = $marker =~ /\bexits (\d+)/ ? $1 : 0;
    if (!defined $dir) {
        $dir = scratch();
        prepare($setup, $dir);
    }
    my @commands;
    for my $line (split /\n/, $body) {
        if ($line =~ /^\$ (.*)/) {
            push @commands, [$1, ''];
        } elsif (@commands && $commands[-1][0] =~ /\\$/ && $commands[-1][1] eq '') {
            $commands[-1][0] .= "\n$line";
        } elsif (@commands) {
            $commands[-1][1] .= "$line\n";
        }
    }
    cmp_ok(scalar @commands, '>', 0, "$where: a session has commands");
    for my $i (0 .. $#commands) {
        my ($command, $shown) = @{$commands[$i]};
        my ($status, $said) = run_sh($dir, $command);
        my $wanted = $i == $#commands ? $last_status : 0;
        $wanted = 10 if $command =~ / --html / && !-e dirname(pingo()) . '/libexec/report.html'; # built without its page
        $command =~ s/\s*\\?\n\s*/ /g;
        is($status, $wanted, "$where: $command") or diag($said);
        next if $shown =~ /^\s*$/;
        is(normal($said, $dir), normal($shown, $dir), "$where: what it prints: $command");
    }
}

my $sessions = 0;
for my $page (sort glob(root() . '/man/*.[1-9]')) {
    for my $session (displays($page, 'session')) {
        check_session(basename($page), @$session);
        $sessions++;
    }
    # No page shows a command that this test does not see.
    my $hidden = 0;
    my $marked = 0;
    for my $line (split /\n/, slurp($page)) {
        $marked = 1 if $line =~ /^\.\\" (?:session|api):/; # api: test/serve/api.t runs them
        $marked = 0 if $line =~ /^\.Ed/;
        $hidden++ if $line =~ /^\$ / && !$marked;
    }
    is($hidden, 0, basename($page) . ': every command line belongs to a session');
}
cmp_ok($sessions, '>=', 20, 'the pages show sessions');

# The README brings its own workflow, and its sessions go on from one another.
my $readme = root() . '/README.md';
my $dir = scratch();
my @files = blocks($readme, 'file');
is(scalar @files, 1, 'README.md: there is a workflow to save');
spew("$dir/$_->[0]", $_->[1]) for @files;
my @told = blocks($readme, 'session');
cmp_ok(scalar @told, '>=', 2, 'README.md: there are sessions');
check_session('README.md', $_->[0], $_->[1], $dir) for @told;
done_testing();
