#!/usr/bin/perl
# What actions read and somebody writes into meanwhile: originals that change and change back, tools that
# are shadowed for a while, and readers that write into the outputs of their parents, as root can.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action eventually slurp spew);
use Test::More;

sub message {
    my ($s, $w, $name) = @_;
    return (grep { $_->{name} eq $name } @{ $s->json('status', $w)->{actions} })[0]{message};
}

my $big = "x\n" x 1_000_000;    # too large to be copied into the scratch directory
sub write_big { my ($s, $first) = @_; spew($s->path('big'), "$first\n$big") }
sub reads { my ($s, $name) = @_; return (inputs => [ { name => $name, path => $s->path($name) } ]) }

subtest 'an original that changes and changes back while it is read' => sub {
    my $s = Fault->new;
    write_big($s, 'A');
    my $w = $s->submit($s->write('w', action(1, $s->note_run('a') . '; ' . $s->gate('x') . '; head -1 in/big >output; ' . $s->gate('y'), [], reads($s, 'big'))));
    my $run = $s->start('run', $w);
    eventually { $s->runs->{a} };
    write_big($s, 'B');
    $s->open_gate('x');
    my ($got) = eventually { glob("$s->{dir}/.pingo/pool/attempts/*/work/output") };
    eventually { slurp($got) =~ /\n/ };
    is(slurp($got), "B\n", 'a command reads what was not hashed');
    write_big($s, 'A');
    $s->open_gate('y');
    my $r = $s->finish($run);
    is($r->{status}, 0, 'the run is well');
    like($r->{err}, qr/big was written while it was read/, 'and says why the action runs once more');
    is($s->runs->{a}, 2, 'it does');
    is($s->output($w, 'a1'), "A\n", 'and what is kept is what was hashed');
    $s->clean('back');
};

subtest 'an original that never rests' => sub {
    my $s = Fault->new;
    write_big($s, 'A');
    my $w = $s->submit($s->write('w', action(1, $s->note_run('a') . "; touch '$s->{dir}/big'; head -1 in/big >output", [], reads($s, 'big'), retries => 5)));
    is($s->pingo('run', '-q', $w)->{status}, 1, 'the run fails');
    like(message($s, $w, 'a1'), qr/big changed while it was read, and back, 3 times/, 'and says which file');
    is($s->runs->{a}, 3, 'after three tries');
    $s->clean('restless');
};

subtest 'a tool that is shadowed for a while' => sub {
    my $s = Fault->new;
    mkdir $s->path($_) for qw(first second);
    my $tool = sub { my ($where, $says) = @_; spew($s->path("$where/tool"), "#!/bin/sh\necho $says\n"); chmod 0755, $s->path("$where/tool") };
    $tool->('second', 'declared');
    my @more = (tools => ['tool'], env => { PATH => $s->path('first') . ':' . $s->path('second') . ':/usr/bin:/bin' });
    my $w = $s->submit($s->write('w', action(1, $s->note_run('a') . '; tool >output', [], @more)));
    $tool->('first', 'shadow');
    is($s->pingo('run', '-q', $w)->{status}, 1, 'the run fails');
    like(message($s, $w, 'a1'), qr{tool "tool" is \S+/first/tool now, which is another program than \S+/second/tool was}, 'and says which programs');
    ok(!$s->runs->{a}, 'nothing was run');
    unlink $s->path('first/tool');
    $w = $s->submit('w.json');
    is($s->pingo('run', '-q', $w)->{status}, 0, 'without it the action runs');
    is($s->output($w, 'a1'), "declared\n", 'with its own tool');
    $w = $s->submit($s->write('v', action(1, $s->note_run('b') . '; ' . $s->gate('x') . '; tool >output', [], @more)));
    my $run = $s->start('run', '-q', $w);
    eventually { $s->runs->{b} };
    $tool->('first', 'shadow');
    $s->open_gate('x');
    is($s->finish($run)->{status}, 1, 'one that comes while the action runs fails it too');
    like(message($s, $w, 'a1'), qr{first/tool now}, 'and is told');
    $s->clean('shadow');
};

subtest 'a reader that changes the modes of its input' => sub {
    my $tree = 'mkdir -p output/bin; printf "#!/bin/sh\necho 1\n" >output/bin/tool; chmod +x output/bin/tool';
    for my $row (
        [ 'a file in a tree',      'mkdir -p output/bin; echo "echo 1" >output/bin/tool', 'chmod 777 in/p1/bin/tool; in/p1/bin/tool >output', qr/the mode of bin\/tool$/, '[ ! -x in/p1/bin/tool ]' ],
        [ 'a tool in a tree',      $tree, 'chmod a-x in/p1/bin/tool; sh in/p1/bin/tool >output', qr/the mode of bin\/tool$/, '[ -x in/p1/bin/tool ]' ],
        [ 'a file',                'echo "echo 1" >output', 'chmod +x in/p1; in/p1 >output', qr/its mode$/, '[ ! -x in/p1 ]' ],
        [ 'a tool',                'printf "#!/bin/sh\necho 1\n" >output; chmod +x output', 'chmod a-x in/p1; sh in/p1 >output', qr/its mode$/, '[ -x in/p1 ]' ],
    ) {
        my ($what, $makes, $changes, $message, $is_right) = @$row;
        my $s = Fault->new;
        my $a1 = $s->note_run('a1') . "; $makes";
        my $r = $s->pingo('run', $s->write('w', action(1, $a1), action(2, $s->note_run('a2') . "; $changes", [1], retries => 3)));
        is($r->{status}, 1, "$what: the run fails");
        like(message($s, 1, 'a2'), qr/the output of action 1 \(a1\) changed while action 2 \(a2\) ran: it changed/, 'and says who');
        like(message($s, 1, 'a2'), $message, 'did what');
        is($s->runs->{a2}, 1, 'it is not tried again');
        my $w = $s->submit($s->write('v', action(1, $a1), action(4, "$is_right; echo well >output", [1])));
        is($s->pingo('run', '-q', $w)->{status}, 0, 'others find it as it was');
        is($s->runs->{a1}, 2, 'made again');
        $s->pingo('tick');
        $s->clean($what);
    }
};

subtest 'who reads a changed mode before the one that changed it has ended' => sub {
    my $s = Fault->new(slots => 3);
    my $tree = action(1, $s->note_run('a1') . '; mkdir output; echo 1 >output/f');
    my $w = $s->submit($s->write('w', $tree, action(2, 'chmod 777 in/p1/f; ' . $s->note_run('a2') . '; ' . $s->gate('x') . '; cat in/p1/f >output', [1])));
    my $run = $s->start('run', $w);
    eventually { $s->runs->{a2} };
    my $v = $s->submit($s->write('v', $tree, action(3, $s->note_run('a3') . '; if [ -x in/p1/f ]; then echo wrong; else echo right; fi >output', [1])));
    my $other = $s->start('run', $v);
    eventually { $s->runs->{a3} };
    $s->open_gate('x');
    $s->finish($run);
    is($s->finish($other)->{status}, 0, 'it ends well');
    is($s->output($v, 'a3'), "right\n", 'with what was made, and not with what it read first');
    is($s->states($w)->{a2}, 'FAILED', 'the other fails');
    $s->pingo('tick');
    $s->clean('in between');
};

# The scheduler hears of both ends at once, as on a slow machine.
subtest 'a writer and a reader end together' => sub {
    for my $row ([ 2, 3 ], [ 3, 2 ]) {
        my $s = Fault->new(slots => 3);
        my $w = $s->submit($s->write('w', action(1, 'mkdir output; echo 1 >output/f'),
            action(2, 'chmod 777 in/p1/f; ' . $s->note_run('a2') . '; ' . $s->gate('2') . '; echo >output', [1]),
            action(3, $s->note_run('a3') . '; cat in/p1/f >output; ' . $s->gate('3'), [1])));
        my $run = $s->start('run', $w);
        eventually { $s->runs->{a2} && $s->runs->{a3} };
        kill STOP => $run;
        for my $nth (@$row) {
            $s->open_gate($nth);
            eventually { !-e $s->path(".pingo/pool/attempts/$nth.1") };    # its worker has told how it ended
        }
        kill CONT => $run;
        is($s->finish($run)->{status}, 1, "a$row->[0] before a$row->[1]: the run fails");
        is_deeply($s->states($w), { a1 => 'FINISHED', a2 => 'FAILED', a3 => 'FINISHED' }, 'for the one that changed it alone')
            or diag(message($s, $w, 'a3'));
        $s->pingo('tick');
        $s->clean('together');
    }
};

# The writer waits after its change, so that the reader begins between the two, twice; a token holds the reader back
# until the second one.
subtest 'who twice reads what was changed before it began' => sub {
    my $s = Fault->new(slots => 3);
    $s->well('config', 'executor.local.licences', 'token=1');
    my $times = sub { my ($name) = @_; return $s->note_run($name) . "; n=\$(grep -c '^$name\$' '$s->{dir}/ran')" };
    my $w = $s->submit($s->write('w',
        action(1, $times->('a1') . '; [ "$n" != 2 ] || ' . $s->gate('made') . '; mkdir output; echo 1 >output/f'),
        action(2, 'chmod a+x in/p1/f; sleep 0.1; ' . $times->('a2') . "; while [ ! -e '$s->{dir}/gate.a2.'\$n ]; do sleep 0.02; done; cat in/p1/f >output", [1]),
        action(3, $s->gate('reader') . '; echo >output'),
        action(4, $s->note_run('a4') . '; if [ -x in/p1/f ]; then echo wrong; else echo right; fi >output', [ 1, 3 ], resources => { licences => { token => 1 } }),
        action(5, $s->gate('holder') . '; echo >output'),
        action(6, $s->note_run('a6') . '; ' . $s->gate('token') . '; echo >output', [5], resources => { licences => { token => 1 } })));
    my $run = $s->start('run', $w);
    eventually { $s->runs->{a2} };
    $s->open_gate('reader');
    eventually { ($s->runs->{a1} // 0) == 2 };
    $s->open_gate('holder');
    eventually { $s->runs->{a6} };
    $s->open_gate('made', 'a2.1');
    eventually { $s->runs->{a2} == 2 };
    $s->open_gate('token');
    eventually { $s->runs->{a4} >= 2 };
    $s->wait_state($w, 'a6', 'FINISHED');
    $s->open_gate(map {"a2.$_"} 2 .. 12);
    is($s->finish($run)->{status}, 1, 'the run fails');
    my $states = $s->states($w);
    is($states->{a4}, 'FINISHED', 'not by the reader') or diag(message($s, $w, 'a4'));
    is($s->output($w, 'a4'), "right\n", 'which has what was made');
    like(message($s, $w, 'a2'), qr/the output of action 1 \(a1\) changed while action 2 \(a2\) ran: it changed the mode of f$/, 'but by who changed it');
    $s->pingo('tick');
    $s->clean('twice');
};

subtest 'one that changed a mode and was killed' => sub {
    my $s = Fault->new;
    my $tree = action(1, $s->note_run('a1') . '; mkdir output; echo 1 >output/f');
    my $w = $s->submit($s->write('w', $tree, action(2, 'chmod 777 in/p1/f; ' . $s->note_run('a2') . '; ' . $s->gate('x') . '; echo >output', [1])));
    my $run = $s->start('run', $w);
    eventually { $s->runs->{a2} };
    $s->well('kill', $w);
    $s->finish($run);
    $w = $s->submit($s->write('v', $tree, action(3, '[ ! -x in/p1/f ]; echo well >output', [1])));
    is($s->pingo('run', '-q', $w)->{status}, 0, 'others find it as it was');
    is($s->runs->{a1}, 2, 'made again');
    $s->clean('killed');
};

subtest 'two that changed a mode and were killed, and one that waits to read' => sub {
    my $s = Fault->new(slots => 2);
    my $tree = action(1, $s->note_run('a1') . '; mkdir output; echo 1 >output/f');
    $s->well('config', 'executor.local.licences', 'token=1');
    my @token = (resources => { licences => { token => 1 } });
    my $v = $s->submit($s->write('v', $tree, action(9, '[ ! -x in/p1/f ]; echo well >output', [1], @token)));
    my $h = $s->submit($s->write('h', action(8, $s->note_run('a8') . '; ' . $s->gate('token') . '; echo >output', [], @token)));
    my $holder = $s->start('run', $h);
    eventually { $s->runs->{a8} };
    my $run = $s->start('run', $v);
    for my $id (2, 3) {
        my $w = $s->submit($s->write("w$id", $tree, action($id, 'chmod 777 in/p1/f; ' . $s->note_run("a$id") . '; ' . $s->gate('x') . '; echo >output', [1])));
        my $writer = $s->start('run', $w);
        eventually { $s->runs->{"a$id"} };
        $s->well('kill', $w);
        $s->finish($writer);
        eventually { $s->runs->{a1} == $id };    # made again
    }
    $s->open_gate('token');
    is($s->finish($_)->{status}, 0, 'it is nobody else\'s failure') for $run, $holder;
    is($s->output($v, 'a9'), "well\n", 'who waited reads what was made');
    $s->clean('two killed');
};

subtest 'what is touched and remains the same' => sub {
    my $s = Fault->new(slots => 3);
    my $a1 = $s->note_run('a1') . '; mkdir -p output/d; echo 1 >output/d/f; chmod +x output/d/f';
    my $w = $s->submit($s->write('w', action(1, $a1), action(2, 'echo 1 >output'),
        action(3, 'touch -d 2001-01-01 in/p1 in/p1/d/f in/p2; cat in/p1/d/f >output', [ 1, 2 ]),
        action(4, 'chmod -R u+w in/p1/d; sleep 0.1; cat in/p1/d/f >output', [1]),
        map { action($_, "sleep 0.$_; cat in/p1/d/f in/p2 >output", [ 1, 2 ]) } 5 .. 7));
    is($s->pingo('run', $w)->{status}, 0, 'nobody fails');
    is($s->runs->{a1}, 1, 'nothing is made again');
    my $at = $s->pingo('path', $w, 'a1')->{out} =~ s/\n//r;
    is((stat "$at/d/f")[2] & 07777, 0555, 'what could be written is read-only again');
    $s->clean('touched');
};

subtest 'an original whose mode its reader changes' => sub {
    my $s = Fault->new;
    write_big($s, 'A');
    mkdir $s->path('dir');
    spew($s->path("dir/$_"), "$_\n") for qw(f g);
    my $w = $s->submit($s->write('w', action(1, 'chmod +x in/big; head -1 in/big >output', [], reads($s, 'big')), action(2, 'chmod +x in/dir/f; cat in/dir/f >output', [], reads($s, 'dir'))));
    is($s->pingo('run', '-q', $w)->{status}, 1, 'the run fails');
    like(message($s, $w, 'a1'), qr/big changed while it was read, .* \(its mode and times count\).*: leave it alone .* let it work on a copy/, 'for a file');
    like(message($s, $w, 'a2'), qr/dir changed since submission \(last in it: f\)/, 'and for a directory');
    $s->clean('originals');
};

SKIP: {
    skip 'only root can write into what is read-only', 1 if $> != 0;

    subtest 'a reader that writes into its input' => sub {
        for my $row (
            [ 'a file',              'echo 1 >output',                                    'echo more >>in/p1; cat in/p1 >output' ],
            [ 'a file in a tree',    'mkdir -p output/sub; printf "b\na\n" >output/sub/list', 'sort -o in/p1/sub/list in/p1/sub/list; cat in/p1/sub/list >output' ],
            [ 'a new file in a tree', 'mkdir -p output/sub; echo 1 >output/ref.fa',         'echo 2 >in/p1/sub/ref.fai; cat in/p1/ref.fa >output' ],
        ) {
            my ($what, $makes, $writes) = @$row;
            my $s    = Fault->new;
            my $file = $s->write('w', action(1, $s->note_run('a1') . "; $makes"), action(2, $s->note_run('a2') . "; $writes", [1], retries => 3), action(3, 'cat in/p2 >output', [2]));
            my $r = $s->pingo('run', $file);
            is($r->{status}, 1, "$what: the run fails");
            like(message($s, 1, 'a2'), qr/the output of action 1 \(a1\) changed while action 2 \(a2\) ran: it writes into its inputs/, 'and says who writes where');
            unlike($r->{err}, qr/vanished/, 'nothing vanished');
            is($s->runs->{a2}, 1, 'it is not tried again');
            my $w = $s->submit($s->write('v', action(1, $s->note_run('a1') . "; $makes"), action(4, 'find in/p1/ -type f -exec cat {} + >output || cat in/p1 >output', [1])));
            is($s->pingo('run', '-q', $w)->{status}, 0, 'others have it');
            is($s->runs->{a1}, 2, 'made again');
            unlike($s->output($w, 'a4'), qr/more|a\nb|2/, 'and not what was written');
            $s->pingo('tick');
            $s->clean($what);
        }
    };

    subtest 'one that writes, and others that only read' => sub {
        my $s = Fault->new(slots => 3);
        my $w = $s->submit($s->write('w', action(1, 'mkdir output; echo 1 >output/f'),
            action(2, $s->note_run('a2') . '; echo 2 >>in/p1/f; sleep 0.2; cat in/p1/f >output', [1]),
            map { action($_, "sleep 0.3; cat in/p1/f >output; : $_", [1]) } 3, 4));
        is($s->pingo('run', '-q', $w)->{status}, 1, 'the run fails');
        is_deeply($s->states($w), { a1 => 'FINISHED', a2 => 'FAILED', a3 => 'FINISHED', a4 => 'FINISHED' }, 'for the one that writes');
        like(message($s, $w, 'a2'), qr/it writes into its inputs/, 'which is told');
        is($s->output($w, "a$_"), "1\n", 'the others have read what was made') for 3, 4;
        $s->pingo('tick');
        $s->clean('among others');
    };

    subtest 'in the sandbox it cannot' => sub {
        my $s = Fault->new(sandbox => 1);
        plan skip_all => 'no Landlock here' if slurp('/sys/kernel/security/lsm') !~ /landlock/;
        my $w = $s->submit($s->write('w', action(1, 'echo 1 >output'), action(2, 'echo more >>in/p1; cat in/p1 >output', [1])));
        is($s->pingo('run', '-q', $w)->{status}, 1, 'the action fails');
        is($s->output($w, 'a1'), "1\n", 'and its input is as it was');
        $s->clean('sandbox');
    };
}

done_testing();
