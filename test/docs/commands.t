#!/usr/bin/perl
# commands.t - "pingo COMMAND --help" and the man pages say the same: commands,
# summaries, options with their arguments, exit statuses.  Every page is clean
# mdoc, and refers to pages that exist.
use strict;
use warnings;
use Test::More;
use File::Basename qw(basename dirname);
use lib dirname(__FILE__);
use JSON::PP qw(decode_json);
use Pages qw(slurp root pingo run_sh scratch);

-x pingo() or BAIL_OUT(pingo() . ' is not there: make first');
my $man = root() . '/man';

sub said {
    my ($command) = @_;
    my ($status, $text) = run_sh('/', $command);
    is($status, 0, $command) or diag($text);
    return $text;
}

sub section {
    my ($page, $name) = @_;
    return $page =~ /^\.Sh \Q$name\E\n(.*?)(?=^\.Sh |\z)/ms ? $1 : undef;
}

# The options of a page: the heads of its list of options.
sub page_options {
    my ($page) = @_;
    my %found;
    while ($page =~ /^\.It (Fl .*)$/mg) {
        my $head = $1;
        my ($long) = $head =~ /Fl -([\w-]+)/ or next;
        my ($argument) = $head =~ /Fl -[\w-]+ Ar (\S+)/;
        my ($short) = $head =~ /^Fl (\w)\b/;
        $found{$long} = join ' ', "--$long", $argument // '', $short ? "-$short" : '';
    }
    return \%found;
}

sub help_options {
    my ($help) = @_;
    my %found;
    my ($list) = $help =~ /^options:\n(.*?)\n\n/ms;
    while (($list // '') =~ /^  (?:-(\w),|   ) --([\w-]+)(?: (\S+))?(?:  | *$)/mg) {
        $found{$2} = join ' ', "--$2", $3 // '', $1 ? "-$1" : '';
    }
    return \%found;
}

sub statuses {
    my ($text, $pattern) = @_;
    return [sort { $a <=> $b } $text =~ /$pattern/mg];
}

my $overview = slurp("$man/pingo.1");
my %summary = said('pingo help') =~ /^  ([a-z]+) {2,}(\S.*)$/mg;
my @commands = grep { /^\w+$/ } split /\n/, said('pingo help --commands');
cmp_ok(scalar @commands, '>=', 20, 'there are commands');

my $common = page_options($overview);
for my $command (@commands) {
    my $path = "$man/pingo-$command.1";
    if (!-e $path) {
        fail("pingo-$command.1 is there");
        next;
    }
    my $page = slurp($path);
    my ($nd) = $page =~ /^\.Nd (.*)$/m;
    is($nd, $summary{$command}, "pingo-$command.1: its summary is that of the help");
    like($overview, qr/^\.It Xr pingo-$command 1\n\Q$summary{$command}\E/mi,
        "pingo.1 lists pingo-$command(1)");
    my $help = said("pingo $command --help");
    unlike($help, qr/""|\bsee [A-Z]\w+$|\w:  \S/m, "pingo $command --help: refers to no section, quotes once, and is spaced as a text");
    # -C, -q and -h are told in pingo(1) alone.
    my ($wanted, $got) = (help_options($help), page_options($page));
    for my $shared (qw(directory server quiet help)) {
        is(delete $wanted->{$shared}, $common->{$shared}, "pingo.1 has the option --$shared of $command");
    }
    is_deeply($got, $wanted, "pingo-$command.1: its options are those of the help");
    my ($synopsis) = section($page, 'SYNOPSIS');
    like($synopsis, qr/\bFl (?:-$_|\w)\b/, "pingo-$command.1: --$_ is in the synopsis") for sort keys %$got;
    my ($exits) = $help =~ /^exit status:\n(.*)\z/ms;
    is_deeply(statuses(section($page, 'EXIT STATUS') // '', qr/^\.It (\d+)$/m),
        statuses($exits // '', qr/^ +(\d+)  /m), "pingo-$command.1: its exit statuses are those of the help");
    like($page, qr/^\.\\" session:/m, "pingo-$command.1 shows a session");
}

my %exit = reverse(said('pingo help exit') =~ /^ +(\d+)  (.*)$/mg);
while (my ($meaning, $status) = each %exit) {
    my $list = section($overview, 'EXIT STATUS');
    my ($told) = $list =~ /^\.It \Q$status\E\n(.*?)(?=^\.It|^\.El)/ms;
    ok(defined $told, "pingo.1 has the exit status $status");
}

# The settings, with their defaults.
my $dir = scratch();
my ($made) = run_sh($dir, 'pingo init');
is($made, 0, 'a store is made');
my ($told, $settings) = run_sh($dir, 'pingo config --json');
is($told, 0, 'pingo config --json');
my $known = decode_json($settings);
my %documented = slurp("$man/pingo-config.1") =~ /^\.It Ic (\w+(?:\.\w+)*) Pq (\S+)$/mg;
is_deeply(\%documented, { map { $_->{key} => $_->{default} // 'none' } @$known },
    'pingo-config.1: its settings and their defaults are those of the store');
for my $executor (qw(slurm hadoop)) {
    my $page = slurp("$man/pingo-$executor.7");
    for my $key (map { $_->{key} =~ /^executor\.$executor\.(\w+)$/ } @$known) {
        like($page, qr/^\.It Ic (?:\w+ , )*$key\b/m, "pingo-$executor.7 has the setting $key");
    }
}

my %is_command = map { $_ => 1 } @commands;
# The pages of the headers are made; links lead to them.
my $pages = dirname(pingo()) . "/man";
for my $path (sort(glob("$man/*.[2-9]")), grep { !-l } sort glob("$pages/*.[13]")) {
    my $page = slurp($path);
    my $name = basename($path);
    if ($name =~ /^pingo-(?!lab\b)(\w+)\.1$/) {
        ok($is_command{$1}, "$name: there is such a command");
    }
    while ($page =~ /\bXr (pingo[\w-]*|libpingo) (\d)/g) {
        ok(-e "$man/$1.$2" || -e "$pages/$1.$2", "$name: $1($2) is there");
    }
  SKIP: {
        my ($missing) = run_sh('/', 'command -v mandoc');
        skip 'mandoc is not installed', 1 if $missing;
        my (undef, $lint) = run_sh('/', "mandoc -T lint -W warning $path");
        is($lint, '', "$name is clean");
    }
}
done_testing();
