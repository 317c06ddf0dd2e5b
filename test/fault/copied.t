#!/usr/bin/perl
# A store that was copied, moved to another disk or put back from a copy: what its files contain decides, not
# which files they are.  Nothing is computed again, nothing deleted; it is told once; and the copy leaves the
# original alone.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action eventually slurp spew);
use Test::More;
use File::Temp ();

# A store that lies in another one's directory from now on.
sub at {
    my ($dir) = @_;
    my $s = bless { dir => $dir }, 'Fault';
    Fault::adopt_store($s);
    return $s;
}

sub shell { my ($command) = @_; system('sh', '-c', $command) == 0 or die "$command: $?\n" }

sub project {
    my (%o) = @_;
    mkdir $o{dir} if $o{dir};
    my $s = Fault->new(%o);
    spew($s->path('text'), "b\na\n");
    my $file = $s->write('w', action(1, $s->note_run('a1') . '; cp in/text output', [], inputs => [ { name => 'text', path => 'text' } ]),
        action(2, $s->note_run('a2') . '; mkdir output; sort in/p1 >output/sorted; ln -s sorted output/link', [1]),
        action(3, $s->note_run('a3') . '; cat in/p2/link in/p1 >output', [ 1, 2 ]), action(4, $s->note_run('a4') . '; wc -l <in/p1 >output', [1]));
    is($s->pingo('run', '-q', $file)->{status}, 0, 'a workflow runs');
    # When the helpers have gone, nothing in the store changes while it is copied.
    $s->end_helpers;
    return ($s, $file);
}

my $noticed = qr/this store was copied/;

for my $way (
    [ 'cp -a',        'cp -a "$1" "$2"' ],
    [ 'cp -r',        'cp -r "$1" "$2"' ],
    [ 'tar',          'mkdir "$2" && tar -C "$1" -cf - . 2>/dev/null | tar -C "$2" -xf -' ],
    [ 'files alone',  'mkdir "$2" && cd "$1" && find . ! -type d ! -type s -print0 | tar --null -T - -cf - | tar -C "$2" -xf -' ],
    [ 'mv elsewhere', 'cp -a "$1" "$2" && chmod -R u+w "$1" && rm -r "$1"/* "$1"/.pingo' ],
) {
    my ($what, $command) = @$way;
    subtest $what => sub {
        my ($s, $file) = project();
        my $to = File::Temp::tempdir(CLEANUP => 1) . '/copy';
        my $set = join ' ', 'set', '--', map { "'$_'" } $s->{dir}, $to;
        shell("$set; $command");
        my $t = at($to);
        my $ran = slurp($s->path('ran'));    # of a copy's actions too
        my $plan = $t->pingo('plan', '--json', $file);
        is(JSON::PP::decode_json($plan->{out})->{summary}{compute}, 0, 'a plan computes nothing');
        like($plan->{err}, $noticed, 'and says that the store was copied');
        my $r = $t->pingo('run', $file);
        is($r->{status}, 0, 'a run is well') or diag($r->{err});
        unlike($r->{err}, $noticed, 'it is told once');
        unlike($r->{err}, qr/vanished|changed in/, 'nothing is called vanished');
        is(slurp($s->path('ran')), $what =~ /^mv/ ? '' : $ran, 'nothing is computed');
        my $fsck = $t->json('fsck', '--repair');
        is_deeply($fsck->{findings}, [], 'fsck --repair finds nothing to do');
        is($t->output(1, 'a3'), "a\nb\nb\na\n", 'the results are there');
        $t->clean($what);
        my $w = $t->submit($t->write('more', action(1, $s->note_run('a1') . '; cp in/text output', [], inputs => [ { name => 'text', path => 'text' } ]),
            action(5, 'cat in/p1 in/p1 >output', [1])));
        is($t->pingo('run', '-q', $w)->{status}, 0, 'and new actions read them');
        is($t->output($w, 'a5'), "b\na\nb\na\n", 'as they are');
    };
}

subtest 'a copy of which something was changed' => sub {
    my ($s, $file) = project();
    my $to = File::Temp::tempdir(CLEANUP => 1) . '/copy';
    shell("cp -a '$s->{dir}' '$to'");
    my $t = at($to);
    my $path = $t->well('path', 1, 'a3');
    chmod 0600, $path;
    my $size = -s $path;
    spew($path, 'x' x $size);    # of the same size
    my $r = $t->pingo('run', $file);
    is($r->{status}, 0, 'a run is well');
    like($r->{err}, qr/changed in the pool/, 'and says what was changed');
    is($s->runs->{a3}, 2, 'it is made again');    # noted where the original is
    is($s->runs->{a2}, 1, 'and nothing else');
    is($t->output(2, 'a3'), "a\nb\nb\na\n", 'as it was');
    $t->clean('changed');
};

subtest 'the original goes on' => sub {
    my $s = Fault->new(slots => 2);
    my $gate = $s->gate('x');
    my $file = $s->write('w', action(1, 'echo $$ >>' . "'$s->{dir}/pids'; echo 1 >output"), action(2, $s->note_run('a2') . "; $gate; cat in/p1 >output", [1]));
    my $w   = $s->submit($file);
    my $run = $s->start('run', '-q', $w);
    $s->wait_state($w, 'a2', 'RUNNING');
    my $to = File::Temp::tempdir(CLEANUP => 1) . '/copy';
    shell("cp -a '$s->{dir}' '$to'");
    my $t = at($to);
    my $other = $t->start('run', '-q', $w);
    $s->open_gate('x');
    is($t->finish($other)->{status}, 0, 'the copy ends what was running when it was made');
    is($s->finish($run)->{status}, 0, 'so does the original');
    is($s->runs->{a2}, 2, 'each by itself');
    for my $each ([ $s, 'the original' ], [ $t, 'the copy' ]) {
        is($each->[0]->output($w, 'a2'), "1\n", "$each->[1] has its result");
        $each->[0]->clean($each->[1]);
    }
    like($t->well('path', $w, 'a2'), qr{^\Q$to\E/}, 'in its own pool');
    $t->well('rm', $w, 'a2');
    $t->pingo('tick');
    ok(-e $s->well('path', $w, 'a2'), 'what the copy deletes the original keeps');
};

subtest 'a pool elsewhere is one store\'s' => sub {
    my $big = File::Temp::tempdir(CLEANUP => 1);
    my ($s, $file) = project(pool => "$big/pool");
    my $to = File::Temp::tempdir(CLEANUP => 1) . '/copy';
    shell("cp -a '$s->{dir}' '$to'");
    my $t = at($to);
    my $r = $t->pingo('run', $file);
    is($r->{status}, 4, 'the copy may not use the pool of the original');
    like($r->{err}, qr{is a copy of the store \Q$s->{dir}\E/\.pingo, .*cp -a \Q$big\E/pool \Q$to\E/\.pingo/pool}, 'and it is told what to do');
    $s->clean('the original');
    shell("cp -a '$big/pool' '$to/.pingo/pool'");
    $r = $t->pingo('run', '-q', $file);
    is($r->{status}, 0, 'then it is well') or diag($r->{err});
    is($s->runs->{a1}, 1, 'without computing anything');
    like($t->well('path', 'last', 'a3'), qr{^\Q$to\E/\.pingo/pool/}, 'in a pool of its own');
    $t->clean('the copy');
    my $moved = File::Temp::tempdir(CLEANUP => 1) . '/moved';
    $s->end_helpers;
    rename $s->{dir}, $moved or die "rename: $!\n";
    my $m = at($moved);
    is($m->pingo('run', '-q', $file)->{status}, 0, 'a store that was moved goes on with its pool');
    $m->clean('moved');
    shell("chmod -R u+w '$big'");
};

subtest 'a pool beside the store goes with it' => sub {
    my $top = File::Temp::tempdir(CLEANUP => 1);
    my ($s, $file) = project(dir => "$top/one", pool => 'data/pool');
    my $ran = slurp($s->path('ran'));
    shell("cp -a '$top/one' '$top/two'");
    my $t = at("$top/two");
    my $r = $t->pingo('run', '-q', $file);
    is($r->{status}, 0, 'a copy of both is well') or diag($r->{err});
    like($r->{err}, $noticed, 'and noticed');
    like($t->well('path', 'last', 'a3'), qr{^\Q$top\E/two/data/pool/}, 'it has its own pool');
    $t->well('rm', 'last', 'a3');
    $t->pingo('tick');
    $t->end_helpers;
    ok(-e $s->well('path', 'last', 'a3'), 'and the original its own');
    rename "$top/one", "$top/three" or die "rename: $!\n";
    my $m = at("$top/three");
    is($m->pingo('run', '-q', $file)->{status}, 0, 'what is moved is well');
    like($m->well('path', 'last', 'a3'), qr{^\Q$top\E/three/data/pool/}, 'with its pool');
    is($m->pingo('run', '-q', $file)->{status}, 0, 'also the next time');
    is(slurp($m->path('ran')), $ran, 'nothing was computed');
    $_->clean('beside') for $m, $t;
    shell("chmod -R u+w '$top'");
};

# The database of before, the pool of after; as when only one of them was put back.
subtest 'fsck --repair keeps before it deletes' => sub {
    my ($s, $file) = project();
    my $back = File::Temp::tempdir(CLEANUP => 1);
    shell("cp -a '$s->{dir}'/.pingo/pingo.db* '$back'");
    $s->well('rm', 1, "a$_") for 3, 4;
    $s->pingo('tick');
    is($s->pingo('run', '-q', $file)->{status}, 0, 'two results are made again');
    $s->end_helpers;
    my $ran = slurp($s->path('ran'));
    shell("rm '$s->{dir}'/.pingo/pingo.db*; cp -a '$back'/pingo.db* '$s->{dir}/.pingo'");
    my $found = $s->json('fsck', '--repair');
    is(scalar(grep { $_->{message} =~ /it is kept/ } @{ $found->{findings} }), 2, 'a database that was put back finds them by their content');
    ok($found->{clean}, 'and is clean');
    is($s->pingo('run', '-q', $file)->{status}, 0, 'a run');
    is(slurp($s->path('ran')), $ran, 'computes nothing');
    $s->clean('adopted');

    # All of it was given up, as version 0.1 did with a copy, but lies there.
    shell("cp -a '$s->{dir}/.pingo/pool/objects' '$back/objects'");
    $s->well('rm', 1, "a$_") for 1 .. 4;
    $s->pingo('tick');
    shell("rm -r '$s->{dir}/.pingo/pool/objects'; cp -a '$back/objects' '$s->{dir}/.pingo/pool/objects'");
    $found = $s->json('fsck', '--repair');
    is(scalar(grep { $_->{message} =~ /it is kept/ } @{ $found->{findings} }), 4, 'what was given up and lies there is kept');
    is($s->pingo('run', '-q', $file)->{status}, 0, 'a run');
    is(slurp($s->path('ran')), $ran, 'computes nothing');
    $s->clean('kept');
};

# The database is put back while an attempt of its later life still runs; its number was given after the copy was made.
subtest 'a database that is put back does not take an attempt for another' => sub {
    my ($s, $file) = project();
    my $back = File::Temp::tempdir(CLEANUP => 1);
    shell("cp -a '$s->{dir}'/.pingo/pingo.db* '$back'");
    my $later = $s->submit($s->write('later', action(5, $s->gate('later') . '; echo later >output')));
    my $run   = $s->start('run', '-q', $later);
    $s->wait_state($later, 'a5', 'RUNNING');
    $s->kill9($run);
    shell("rm '$s->{dir}'/.pingo/pingo.db*; cp -a '$back'/pingo.db* '$s->{dir}/.pingo'");
    my $mine = $s->start('run', '-q', $s->write('mine', action(6, $s->note_run('a6') . '; echo mine >output')));
    eventually { $s->runs->{a6} } 20;
    $s->open_gate('later');
    is($s->finish($mine)->{status}, 0, 'a run is well');
    is($s->output('last', 'a6'), "mine\n", 'its result is its own');
    eventually { !$s->workers };
    $s->end_helpers;
    $s->well('fsck', '--repair');
    $s->clean('put back while it ran');
};

# The copy was made before the attempt, which has left its end in the journal of the supervisor.
subtest 'a database that is put back does not take an old end for that of a new attempt' => sub {
    my ($s) = project();
    my $bad = $s->path('bad');
    my $again = $s->submit($s->write('again', action(5, "if [ -e '$bad' ]; then exit 5; fi; " . $s->gate('again') . '; echo well >output')));
    my $back = File::Temp::tempdir(CLEANUP => 1);
    shell("cp -a '$s->{dir}'/.pingo/pingo.db* '$back'");
    spew($bad, '');
    is($s->pingo('run', '-q', $again)->{status}, 1, 'it fails');
    $s->end_helpers;
    unlink $bad or die "unlink: $!\n";
    shell("rm '$s->{dir}'/.pingo/pingo.db*; cp -a '$back'/pingo.db* '$s->{dir}/.pingo'");
    $s->well('fsck', '--repair');
    $s->well('tick');
    my $run = $s->start('run', '-q', $again);
    $s->open_gate('again');
    is($s->finish($run)->{status}, 0, 'what made it fail is gone, and it is well');
    is($s->output($again, 'a5'), "well\n", 'its result is its own');
    $s->end_helpers;
    $s->clean('tried anew');
};

# First one that was too old, in which it is tried anew, and then the right one.
subtest 'a database that is put back after another does not take an old end for that of a new attempt' => sub {
    my ($s) = project();
    my $bad = $s->path('bad');
    my $again = $s->submit($s->write('again', action(5, "if [ -e '$bad' ]; then exit 5; fi; echo well >output")));
    my @back = map { File::Temp::tempdir(CLEANUP => 1) } 1 .. 2;
    shell("cp -a '$s->{dir}'/.pingo/pingo.db* '$back[0]'");
    $s->submit($s->write("later$_", action(6, "echo $_ >output"))) for 1 .. 20;
    shell("cp -a '$s->{dir}'/.pingo/pingo.db* '$back[1]'");
    $s->well('kill', $again);
    spew($bad, '');
    for my $status (1, 0) {
        my $copy = shift @back;
        shell("rm '$s->{dir}'/.pingo/pingo.db*; cp -a '$copy'/pingo.db* '$s->{dir}/.pingo'");
        $s->well('fsck', '--repair');
        $s->well('tick');
        is($s->pingo('run', '-q', $again)->{status}, $status, $status ? 'it fails' : 'what made it fail is gone, and it is well');
        $s->end_helpers;
        unlink $bad;
    }
    is($s->output($again, 'a5'), "well\n", 'its result is its own');
    $s->well('run', '-q', '--all');
    $s->end_helpers;
    $s->clean('put back twice');
};

done_testing();
