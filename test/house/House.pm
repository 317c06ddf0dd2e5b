# House.pm - what the house's own tests share: finding and reading sources, scratch trees.
package House;
use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Find ();
use File::Path qw(make_path);
use File::Temp ();

our @EXPORT_OK = qw(root build sources slurp spew scratch code_only run public_functions functions %may @pure_rooms);

# The table of lib/README.md: room => the other rooms of lib/ that it may include and call.
my @floor0 = qw(base json);
my @floor1 = qw(workflow digest plan rules decision);
our %may   = (
    base     => [],
    json     => ['base'],
    http     => ['base'],
    hdfs     => [ @floor0, 'http' ],
    workflow => [@floor0],
    digest   => [ @floor0, 'workflow' ],
    plan     => [ @floor0, 'workflow', 'digest' ],
    rules    => ['base'],
    decision => [@floor0],
    store    => [ @floor0, @floor1 ],
    pool     => [ @floor0, @floor1, 'hdfs' ],
    runner   => [ @floor0, @floor1 ],
    executor => [ @floor0, @floor1, qw(http hdfs runner) ],
    manager  => [ @floor0, @floor1, qw(store pool executor) ],
    engine   => [ @floor0, @floor1, qw(http store pool executor manager) ], # http: hooks
    view     => ['base'],
    lab      => [ @floor0, @floor1 ],
);
# Rooms that reach no clock, file, database or network but through what is handed in.
our @pure_rooms = ('json', @floor1);

my $root = abs_path(dirname(__FILE__) . '/../..');

sub root  { return $root }
sub build { return $ENV{BUILD} // "$root/build" }

# Files below the folders of a tree whose names match, relative to the tree, sorted.
sub sources {
    my ($tree, $pattern, @folders) = @_;
    my @found;
    for my $folder (grep { -d "$tree/$_" } @folders) {
        File::Find::find({ no_chdir => 1, wanted => sub {
            push @found, substr($_, length($tree) + 1) if -f && /$pattern/;
        } }, "$tree/$folder");
    }
    return sort @found;
}

sub slurp {
    my ($path) = @_;
    open my $fh, '<', $path or die "$path: $!\n";
    local $/;
    return scalar(<$fh>) // '';
}

sub spew {
    my ($path, $text) = @_;
    make_path(dirname($path));
    open my $fh, '>', $path or die "$path: $!\n";
    print $fh $text;
    close $fh or die "$path: $!\n";
}

sub scratch { return File::Temp->newdir('pingo-house-XXXXXX', TMPDIR => 1) }

# C without comments, and with strings emptied unless they are to be kept; lines stay where they are.
sub code_only {
    my ($text, $keep_strings) = @_;
    my $blank = sub { my $t = shift; $t =~ s/[^\n]//g; return $t };
    $text =~ s{(/\*.*?\*/|//[^\n]*)|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')}
              { defined $1 ? ' ' . $blank->($1) : $keep_strings ? $2 : substr($2, 0, 1) x 2 }gse;
    return $text;
}

# Runs a command; returns its exit status and what it printed, both streams.
sub run {
    my (@command) = @_;
    my $pid = open(my $fh, '-|') // die "fork: $!\n";
    if (!$pid) {
        open STDERR, '>&', \*STDOUT;
        open STDIN, '<', '/dev/null';
        exec { $command[0] } @command or do { print "$command[0]: $!\n"; exit 127 };
    }
    local $/;
    my $said = <$fh> // '';
    close $fh;
    return ($? >> 8 || $? & 127, $said);
}

# The functions that a tree's public headers declare, those of libpingo or of another folder of include: name => header.
sub public_functions {
    my ($tree, $folder) = @_;
    my %functions;
    for my $header (sources($tree, qr/\.h$/, 'include/' . ($folder // 'pingo'))) {
        my $code = code_only(slurp("$tree/$header"));
        $functions{$1} = $header while $code =~ /\bPINGO_API\b[^;{]*?\b(pingo_\w+)\s*\(/g;
    }
    return %functions;
}

# The functions that a C file defines: [ name, first line, number of lines, head, body ].  Relies on the
# layout of .clang-format: a function's braces stand alone at the left margin.
sub functions {
    my ($text) = @_;
    my @lines = split /\n/, code_only($text), -1;
    my @functions;
    my $head = 0;
    for my $i (0 .. $#lines) {
        $head = $i if $i && $lines[ $i - 1 ] =~ /^(?:\}|#|\s*$)|;\s*$/ && $lines[$i] =~ /^\w/;
        next if $lines[$i] !~ /^\{/;
        my $before = join ' ', @lines[ $head .. $i - 1 ];
        my ($name) = $before =~ /(\w+)\s*\(/ or next;
        my $end = $i;
        $end++ while $end < $#lines && $lines[$end] !~ /^\}/;
        push @functions, [ $name, $head + 1, $end - $head + 1, $before, join "\n", @lines[ $i .. $end ] ];
    }
    return @functions;
}

1;
