#!/usr/bin/perl
# The C sources are laid out as .clang-format says: `make format` does it.  Another version of clang-format than that of
# Debian 12 lays out other things, so it says nothing.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root sources spew scratch run);
use Test::More;

my ($version) = eval { (run('clang-format', '--version'))[1] =~ /version (\d+)/ };
plan skip_all => 'there is no clang-format 14' if ($version // 0) != 14;

# The files that would be laid out otherwise.
sub faults {
    my ($tree, @files) = @_;
    my %wrong;
    while (my @some = splice @files, 0, 100) {
        my ($status, $said) = run('sh', '-c', 'cd "$1" && shift && exec clang-format --dry-run -Werror "$@" 2>&1', 'sh', $tree, @some);
        $wrong{$1} = 1 while $status && $said =~ /^([^:\s]+\.[ch]):\d+:\d+: error:/mg;
    }
    return sort keys %wrong;
}

# What is frozen stays as it is.
my @files = grep { $_ ne 'lib/store/migrations/migration_8.c' } sources(root(), qr/\.[ch]$/, qw(include lib cli examples test));
cmp_ok(scalar @files, '>', 900, 'there are sources');
my @wrong = faults(root(), @files);
is_deeply(\@wrong, [], 'all are laid out: else, make format') or diag(join "\n", @wrong);

# The test can fail.
my $scratch = scratch();
spew("$scratch/.clang-format", "BasedOnStyle: LLVM\n");
spew("$scratch/good.c", "int a;\n");
spew("$scratch/bad.c", "int  a ;\n");
is_deeply([ faults($scratch, 'good.c', 'bad.c') ], ['bad.c'], 'another layout is noticed');
done_testing();
