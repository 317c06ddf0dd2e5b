#!/usr/bin/perl
# Schedulers and supervisors are killed at random moments, many times, while random workflows run;
# each must end as if nothing had happened (see soak.py, which `make soak` runs for longer).  The
# seeds are fixed, so the workflows and the blows are the same each time, though not the moments.
use strict;
use warnings;
use FindBin;
use Test::More tests => 3;

my $soak = "$FindBin::Bin/../soak/soak.py";
for my $seed (1, 1001, 2001) {
    my $said   = `python3 $soak 4 $seed 2>&1 </dev/null`;
    my $status = $?;
    ok($status == 0 && $said =~ /^seed $seed: well/, "four seconds of crashes from seed $seed") or diag($said);
}
