# Pages.pm - reads what the documentation shows: displays of man pages and of
# the README, as a reader would type them.
package Pages;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(displays blocks slurp spew unescape root pingo run_sh scratch);
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);

# The top of the source tree.
sub root { return abs_path(dirname(__FILE__) . '/../..') }

# The program under test: $PINGO, else the one in $BUILD.
sub pingo {
    my $path = $ENV{PINGO} // (($ENV{BUILD} // 'build') . '/pingo');
    $path = root() . "/$path" unless $path =~ m{^/};
    return $path;
}

sub slurp {
    my ($path) = @_;
    open(my $in, '<', $path) or die "$path: $!\n";
    local $/;
    return scalar <$in>;
}

sub spew {
    my ($path, $text) = @_;
    open(my $out, '>', $path) or die "$path: $!\n";
    print $out $text;
    close($out) or die "$path: $!\n";
}

# What a formatter prints for the escapes that our displays use.
sub unescape {
    my ($text) = @_;
    my %glyph = (aq => "'", dq => '"', ga => '`', ha => '^', ti => '~', mi => '-', bu => '*');
    $text =~ s/\\(?:\((\w\w)|(e|-|&))/defined $1 ? $glyph{$1} \/\/ die("unknown glyph $1\n") : $2 eq 'e' ? '\\' : $2 eq '-' ? '-' : ''/ge;
    return $text;
}

# The literal displays of a page that follow a comment .\" KIND: WORDS, in order,
# as [WORDS, TEXT].
sub displays {
    my ($page, $kind) = @_;
    my (@found, $words, $text);
    for my $line (split /\n/, slurp($page)) {
        if (defined $text) {
            if ($line =~ /^\.Ed/) {
                push @found, [$words, $text];
                ($words, $text) = ();
            } else {
                $text .= unescape($line) . "\n";
            }
        } elsif ($line =~ /^\.\\"\s*\Q$kind\E:\s*(.*?)\s*$/) {
            $words = $1;
        } elsif (defined $words && $line =~ /^\.Bd\s.*-literal/) {
            $text = '';
        }
    }
    die "$page: a display has no end\n" if defined $text;
    return @found;
}

# The fenced blocks of a Markdown file that follow a line <!-- KIND: WORDS -->.
sub blocks {
    my ($file, $kind) = @_;
    my $text = slurp($file);
    my @found;
    while ($text =~ /<!--\s*\Q$kind\E:\s*(.*?)\s*-->\n+```\w*\n(.*?)^```/gms) {
        push @found, [$1, $2];
    }
    return @found;
}

# Runs a script in a directory; gives its exit status and its output and errors together.
sub run_sh {
    my ($dir, $script) = @_;
    local $ENV{PATH} = dirname(pingo()) . ":$ENV{PATH}";
    delete local $ENV{PINGO_DIR};
    my $pid = open(my $out, '-|') // die "fork: $!\n";
    if ($pid == 0) {
        open(STDERR, '>&', \*STDOUT);
        open(STDIN, '<', '/dev/null');
        chdir $dir or die "$dir: $!\n";
        exec '/bin/sh', '-c', $script or die "sh: $!\n";
    }
    my $text = do { local $/; <$out> };
    close($out);
    return ($? >> 8 | ($? & 127 ? 128 + ($? & 127) : 0), $text // '');
}

sub scratch {
    return tempdir('pingo-docs-XXXXXX', TMPDIR => 1, CLEANUP => 1);
}

1;
