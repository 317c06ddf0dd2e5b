#!/usr/bin/perl
# The page's modules: node reads each, and what one takes from another that one gives.  No browser is needed for it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Basename qw(dirname);
use House qw(root sources slurp);
use Test::More;

my $at      = 'cli/serve/page';
my @modules = sources(root(), qr/\.js$/, $at);
cmp_ok(scalar @modules, '>', 10, 'there are modules');

# What is wrong with a text, or nothing.
sub said {
    my ($text) = @_;
    open my $node, '|-', 'node --check --input-type=module - >/dev/null 2>&1' or die "node: $!\n";
    print {$node} $text;
    return close $node ? '' : 'node cannot read it';
}

# [name, module that should give it], of a module.
sub taken {
    my ($file, $text) = @_;
    my @taken;
    while ($text =~ /^import\s+\{([^}]*)\}\s+from\s+'([^']+)';/mg) {
        my ($names, $path) = ($1, dirname($file) . "/$2");
        1 while $path =~ s{[^/]+/\.\./}{} || $path =~ s{/\./}{/};
        push @taken, map { [ s/\s+as\s.*//r, $path ] } grep { length } split /[\s,]*,\s*|^\s+|\s+$/, $names;
    }
    return @taken;
}

sub gives {
    my ($text, $name) = @_;
    return $text =~ /^export\s+(?:(?:async\s+)?function\*?|class|const|let)\s+\Q$name\E\b/m || $text =~ /^export\s+\{[^}]*\b\Q$name\E\b/m;
}

my ($n, @wrong) = (0);
for my $file (@modules) {
    my $text = slurp(root() . "/$file");
    my $said = said($text);
    push @wrong, "$file: $said" if $said;
    for my $pair (taken($file, $text)) {
        my ($name, $from) = @$pair;
        next if $from =~ m{/lib/}; # of libraries that are fetched when the page is made
        $n++;
        push @wrong, "$file: there is no $from" and next if !-e root() . "/$from";
        push @wrong, "$file: $from gives no $name" if !gives(slurp(root() . "/$from"), $name);
    }
}
is_deeply(\@wrong, [], 'modules are whole') or diag(join "\n", @wrong);
cmp_ok($n, '>', 50, 'and take from each other');

# The test can fail.
isnt(said("const x = ;\n"), '', 'what is no module is noticed');
is_deeply([ taken('a/b/c.js', "import { one, two as three } from '../d.js';\n") ], [ [ 'one', 'a/d.js' ], [ 'two', 'a/d.js' ] ], 'names are found');
ok(!gives("export const other = 1;\n", 'one') && gives("export async function one() {}\n", 'one'), 'and so is one that is not given');
done_testing();
