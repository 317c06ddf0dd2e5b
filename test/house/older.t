#!/usr/bin/perl
# Structs that cross the library's edge can grow.  A program that was compiled with older headers, whose
# structs end one member earlier, is served as one of today: nothing behind its structs is read or written.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root build sources slurp spew scratch run);
use Test::More;

my $scratch = scratch();
my %text    = map { $_ => slurp(root() . "/$_") } sources(root(), qr/\.h$/, 'include');

# Every struct with a size, and every function with a result to fill in.
my @grows = map { $text{$_} =~ /^struct pingo_(\w+) \{\n    size_t size;/mg } sort keys %text;
cmp_ok(scalar @grows, '>=', 14, 'there are results that can grow');

# The last member, and the comment that goes with it, is not there yet.
sub cut {
    my ($header, $name) = @_;
    my $member = qr/^    (?!\/\*|\s)[^;]*;[^\n]*\n(?:(?: {8,}|     \*| \*)[^\n]*\n)*/m;
    $header =~ /^struct pingo_$name \{\n(.*?)^\};/ms or die "no struct pingo_$name\n";
    my ($body, $at, $last) = ($1, $-[1]);
    $last = $-[0] while $body =~ /$member/g;
    substr($header, $at + $last, length($body) - $last) = '';
    return $header;
}

sub program {
    my ($dir, $version) = @_;
    my ($status, $said) = run('sh', '-c', "cc -std=c11 -D_GNU_SOURCE -DSUBMIT_VERSION=$version -I'$dir/include' -o '$dir/older'"
        . " '" . root() . "/test/house/older.c' '" . build() . "/libpingo-lab.a' '" . build() . "/libpingo.a'"
        . ' $(pkg-config --libs sqlite3 nettle libcjson libuv clp 2>/dev/null || pkg-config --libs sqlite3 nettle libcjson libuv) -pthread -lm -ldl');
    is($status, 0, "it compiles ($version)") or diag $said;
    return run("$dir/older", "$dir/store");
}

for my $age ([ 'today' => 3 ], [ 'older' => 2 ]) {
    my ($dir, $version) = ("$scratch/$age->[0]", $age->[1]);
    for my $path (keys %text) {
        my $header = $text{$path};
        if ($age->[0] eq 'older') {
            $header = cut($header, $_) for grep { $header =~ /^struct pingo_$_ \{\n    size_t size;/m } @grows;
            $header = cut($header, 'submit_options') if $path eq 'include/pingo/store.h';
        }
        spew("$dir/$path", $header);
    }
    my ($status, $said) = program($dir, $version);
    is($status, 0, "a program of $age->[0] is served") or diag $said;
    is_deeply([ sort split /\n/, $said ], [ sort map { "$_ written" } @grows ], 'all of what it has is filled in, each struct');
}

# The test can fail: what an older header cuts off is gone, and the options of version 3 lie at the edge.
unlike(slurp("$scratch/older/include/pingo/scheduler.h"), qr/size_t bringing;/, 'the last member was cut off');
unlike(slurp("$scratch/older/include/pingo/store.h"), qr/const char \*key; \/\* 1 to 255/, 'of options, too');
my ($status) = program("$scratch/older", 3);
isnt($status, 0, 'who reads behind the end is caught');
done_testing();
