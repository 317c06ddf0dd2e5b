#!/usr/bin/perl
# Links in outputs: one that leads out of its output would dangle when the scratch directory or another
# dataset goes, and is refused at once; those into the system's directories stay.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action slurp spew);
use Test::More;

sub message {
    my ($s, $w, $name) = @_;
    return (grep { $_->{name} eq $name } @{ $s->json('status', $w)->{actions} })[0]{message};
}

my $s = Fault->new;
spew($s->path('ref.fa'), "x\n" x 2_000_000);    # too large to be copied into the scratch directory
my @ref = (inputs => [ { name => 'ref.fa', path => $s->path('ref.fa') } ]);
my $n   = 0;

for my $row (
    [ 'a link into in/', qr{output/ref\.fa: is a link out of the output .*POOL/attempts/\d+\.\d+/work/in/ref\.fa},
        'mkdir output; ln -s "$PWD/in/ref.fa" output/ref.fa; echo index >output/ref.idx', @ref ],
    [ 'a link of in/ that was copied', qr{output/ref\.fa: is a link out of the output .*ref\.fa}, 'mkdir output; cp -a in/ref.fa output/', @ref ],
    [ 'a link upwards', qr{output/d/up: is a link out of the output .*to \.\./\.\./other}, 'mkdir -p output/d; ln -s ../../other output/d/up' ],
    [ 'a link to the user', qr{output/x: is a link out of the output .*to /home/me}, 'mkdir output; ln -s /home/me output/x' ],
    [ 'a link as the output', qr{symbolic link}, 'ln -s /usr/bin/env output' ],
    [ 'a link at outputPath', qr{output/x: is a link out of the output}, 'mkdir output; ln -s /home/me output/x', isManaged => JSON::PP::false(), outputPath => $s->path('outside') ],
) {
    my ($what, $said, $command, @more) = @$row;
    my $w = $s->submit($s->write('w' . ++$n, action(1, $s->note_run("w$n") . "; $command", [], retries => 4, @more)));
    is($s->pingo('run', '-q', $w)->{status}, 1, "$what fails the action");
    like(message($s, $w, 'a1'), $said, 'and names link and target');
    is($s->runs->{"w$n"}, 1, 'at once: it is not tried again');
}
ok(!-e $s->path('outside'), 'nothing is put at outputPath');

# The dataset of a parent: in/p1 is a link, and in/p2/f lies in another dataset.
my $w = $s->submit($s->write('bundle', action(1, 'echo 1 >output'), action(2, 'mkdir output; echo 2 >output/f'),
    action(3, 'mkdir output; cp -a in/* output/', [ 1, 2 ]), action(4, 'mkdir output; ln -s "$(readlink -f in/p2)/f" output/f', [2])));
is($s->pingo('run', '-q', $w)->{status}, 1, 'a bundle of links to other datasets is not kept');
like(message($s, $w, 'a3'), qr{output/p1: is a link out of the output .*POOL/objects/}, 'and the message names a link');
like(message($s, $w, 'a4'), qr{output/f: is a link out of the output .*POOL/objects/}, 'also for one inside a dataset');

$w = $s->submit($s->write('fine', action(1, 'mkdir -p output/bin output/lib; echo 1 >output/lib/a; ln -s ../lib/a output/bin/a; ln -s lib output/lib64;'
    . ' ln -s /usr/bin/env output/bin/env; ln -s nowhere output/dangling'), action(2, 'cat in/p1/bin/a >output; test -x in/p1/bin/env', [1])));
is($s->pingo('run', '-q', $w)->{status}, 0, 'links within, and into the system\'s directories, are kept');
is($s->output($w, 'a2'), "1\n", 'and lead where they should');
$s->clean('links');
done_testing();
