#!/usr/bin/perl
# What lies in a pool is the affair of lib/pool: no other room calls file functions on it, and one file, with its
# header, knows the names that things have there.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root sources slurp code_only functions);
use Test::More;

my $grammar = 'lib/base/names.c';

# The rooms that work with a pool; others may say "attempts" of something else.
my $at_work = qr{^lib/(?:base|store|pool|runner|executor|manager|engine)/};

# A text that is, or holds, a name of the grammar; what a person is told in capitals (ACTION.EPOCH) is none.
my $name = qr{"(?:[^"]*/)?(?:objects|attempts|staged|trash)(?:"|/(?![A-Z]))|"\.ready\.|"%[^"]*\.copy"|"pingo-(?:pool|store)"};

# Functions that reach files: the system's, and the world's.
my $file_call = qr{(?:\b(?:open|openat|creat|fopen|opendir|l?stat|fstatat|statx|access|faccessat|chmod|fchmodat|mkdir|mkdirat
    |unlink|unlinkat|rmdir|remove|rename|renameat2?|link|linkat|symlink|symlinkat|readlink|readlinkat|truncate|realpath|statvfs
    |pingo__(?:tree_take|tree_remove|copy_tree|content_read|walk_enter|file_(?:read\w*|put|open|make_directory)))
    |->(?:open|stat|mkdir|unlink|rename|symlink|readlink|chmod))\s*\(}x;
my $gives_path = qr{\bpingo__pool_(?:path|shown|attempt_dir|staged_path)\s*\(|\bbackend->path\s*\(|\bpool->place\b|\bpool\.place\b};

sub faults {
    my ($file, $text) = @_;
    my @found;
    my @texts = split /\n/, code_only($text, 1);
    my @lines = split /\n/, code_only($text);
    for my $i ($file =~ $at_work && $file !~ m{^lib/base/names\.[ch]$} ? (0 .. $#texts) : ()) {
        next if $file =~ m{^lib/pool/(?:posix|hdfs)/} && $texts[$i] =~ /"pingo-store"/;
        push @found, "$file:" . ($i + 1) . ': a name of a pool: base/names.h prints and reads them'
            if $texts[$i] =~ $name;
    }
    if ($file =~ m{^lib/(?!pool/)}) {
        for my $i (0 .. $#lines) {
            push @found, "$file:" . ($i + 1) . ': the inside of a pool'
                if $lines[$i] =~ /struct pingo__pool_directory|pool(?:->|\.)(?:fd|path)\b/ || $texts[$i] =~ m{pool/posix/posix\.h};
        }
        for (functions($text)) {
            my ($called, $at, undef, undef, $body) = @$_;
            push @found, "$file:$at: $called() calls file functions on what lies in a pool"
                if $body =~ $gives_path && $body =~ $file_call;
        }
    }
    return @found;
}

my @files = sources(root(), qr/\.[ch]$/, qw(lib cli));
cmp_ok(scalar @files, '>', 100, 'there are sources to look at');
my @faults = map { faults($_, slurp(root() . "/$_")) } @files;
is_deeply(\@faults, [], 'nobody but lib/pool knows what lies in a pool') or diag(join "\n", @faults);
like(slurp(root() . "/$grammar"), $name, 'the grammar is where it should be');

# The test can fail.
my @bad = (
    [ 'lib/engine/a.c',   'int f(void)' . "\n{\n    snprintf(n, 9, \"staged/%d.%d\", 1, 2);\n}\n" ],
    [ 'lib/manager/a.c',  'int f(void)' . "\n{\n    return strncmp(n, \"objects/\", 8);\n}\n" ],
    [ 'lib/runner/a.c',   'int f(void)' . "\n{\n    return child(dir, \"attempts\");\n}\n" ],
    [ 'lib/engine/a.c',   'int f(void)' . "\n{\n    snprintf(n, 9, \"%s.copy\", name);\n}\n" ],
    [ 'lib/pool/posix/a.h', 'int f(void)' . "\n{\n    snprintf(n, 20, \"pingo-pool\");\n}\n" ],
    [ 'lib/engine/a.c',   'int f(void)' . "\n{\n    char *p = pingo__pool_path(pool, arena, n);\n    return stat(p, &st);\n}\n" ],
    [ 'lib/manager/a.c',  'int f(void)' . "\n{\n    p = pingo__pool_attempt_dir(pool, arena, key);\n    w->mkdir(w->context, AT_FDCWD, p, 0755);\n}\n" ],
    [ 'lib/engine/a.c',   'int f(void)' . "\n{\n    pingo__pool_path(pool, arena, n, &p, err);\n    return pingo__file_open(AT_FDCWD, p, &fd);\n}\n" ],
    [ 'lib/manager/a.c',  'int f(void)' . "\n{\n    return openat(c->pool->fd, n, 0);\n}\n" ],
);
my @good = (
    [ $grammar,          'int f(void)' . "\n{\n    snprintf(n, 9, \"staged/%d.%d\", 1, 2);\n}\n" ],
    [ 'lib/engine/a.c',  'int f(void)' . "\n{\n    link->target = pingo__pool_path(pool, arena, n);\n}\n" ],
    [ 'lib/engine/a.c',  'int f(void)' . "\n{\n    say(\"it is POOL/attempts/ACTION.EPOCH\");\n}\n" ],
);
for (@bad) {
    my ($line) = $_->[1] =~ /(\S[^\n]*;)\n\}\n$/;
    cmp_ok(scalar(my @found = faults(@$_)), '==', 1, "refused in $_->[0]: $line");
}
is_deeply([ faults(@$_) ], [], "allowed in $_->[0]") for @good;
done_testing();
