#!/usr/bin/perl
# Deletion by several processes at once, among publishers and rescuers; by processes that are killed
# while they are at it; and of what cannot be deleted.  In the end the pool holds what the rows say,
# to the byte.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action eventually slurp spew seed);
use File::Find ();
use Test::More;
use Time::HiRes qw(sleep time);

seed();
my $false = JSON::PP::false;

# n actions whose outputs are directories and go when their reader, the last action, has finished.
sub many {
    my ($s, $name, $n, $gate) = @_;
    my $make = 'mkdir -p output/a/b; for i in 1 2 3 4; do echo $SALT$i >output/$i; echo $SALT$i >output/a/b/$i; done';
    my $last = ($gate ? $s->gate($gate) . '; ' : '') . "ls in | wc -l >output";
    return $s->write($name,
        (map { action($_, $make, [], keep => $false, env => { SALT => "$name.$_." }) } 1 .. $n),
        action($n + 1, $last, [ 1 .. $n ], name => 'last'));
}

# Reads some of them: what is still there is rescued or claimed, the rest is made again.
sub reader {
    my ($s, $of, $n, $step) = @_;
    my @of = grep { $_ % $step == 0 } 1 .. $n;
    my $document = JSON::PP::decode_json(slurp($s->path("$of.json")));
    my %actions  = map { $_->{id} => $_ } @{ $document->{actions} };
    return $s->write("reader-$of-$step", (map { $actions{$_} } @of),
        action($n + 2, 'cat in/*/a/b/3 >output', [@of], name => 'all'));
}

sub expected { my ($of, $n, $step) = @_; return join '', map { "$of.${_}.3\n" } sort { "p$a" cmp "p$b" } grep { $_ % $step == 0 } 1 .. $n }

# What lies in the pool is what the rows say.
sub adds_up {
    my ($s, $what) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($bytes, @known) = (0);
    for my $d (@{ $s->json('datasets', '--all') }) {
        next if $d->{state} !~ /^(?:STORED|LEAF|STORED_TO_DELETE)$/;
        push @known, $d->{path};
        $bytes += $d->{sizeBytes};
    }
    my $pool = $s->path('.pingo/pool');
    my @there = glob("$pool/objects/*/*");
    is_deeply([ sort @there ], [ sort @known ], "$what: the pool holds what the rows know");
    my $held = 0;
    File::Find::find({ no_chdir => 1, wanted => sub { $held += -s _ if lstat && -f _ } }, "$pool/objects");
    is($held, $bytes, "$what: to the byte");
    is_deeply([ glob("$pool/trash/{*,.[!.]*} $pool/staged/*") ], [], "$what: and nothing besides");
    $s->clean($what);
}

sub in_states { my ($s, @states) = @_; my %want = map { $_ => 1 } @states; return grep { $want{ $_->{state} } } @{ $s->json('datasets', '--all') } }

sub objects { my ($s) = @_; return scalar(my @there = glob($s->path('.pingo/pool/objects/*/*'))) }

subtest 'four processes delete, while others publish and rescue' => sub {
    my $n = 300;
    my $s = Fault->new(slots => 2);
    my $file = many($s, 'w', $n, 'x');
    my @readers = map { reader($s, 'w', $n, $_) } 40, 60, 100;
    my $other = $s->write('other', map { action($_, "echo $_ >output", [], salt => 'other') } 1 .. 60);
    my $run = $s->start('run', '-q', $s->submit($file));
    ok(eventually(sub { ($s->states(1)->{last} // '') eq 'RUNNING' }), 'all is made');
    $s->kill9($run);    # so that it is the four who delete
    $s->open_gate('x');
    my @pids;
    for (1 .. 4) {
        my $pid = fork // die;
        if (!$pid) {
            open STDOUT, '>', '/dev/null';
            open STDERR, '>>', $s->path('loops.err');
            chdir $s->{dir};
            exec 'timeout', '900', 'sh', '-c', 'while [ ! -e gate.end ]; do "$0" tick || exit; done', Fault::program();
        }
        push @pids, $pid;
    }
    my @runs;
    for my $file ($other, @readers) {
        push @runs, $s->start('run', '-q', $s->submit($file));
        sleep 0.1;
    }
    my @ends = map { $s->finish($_) } @runs;
    is_deeply([ map { $_->{status} } @ends ], [ 0, 0, 0, 0 ], 'who publishes and rescues ends well') or diag(map { $_->{err} } @ends);
    $s->open_gate('end');
    waitpid $_, 0 for @pids;
    is(slurp($s->path('loops.err')), '', 'who deletes says nothing');
    $s->pingo('tick');
    my %step = (3 => 40, 4 => 60, 5 => 100);
    is($s->output($_, 'all'), expected('w', $n, $step{$_}), "what was rescued or made again is right in workflow $_") for 3, 4, 5;
    is($s->output(1, 'last'), "$n\n", 'the last action had them all');
    is(scalar(in_states($s, qw(PROCESSING DELETING STORED_TO_DELETE))), 0, 'nothing is on its way out');
    cmp_ok(scalar(in_states($s, 'DELETED')), '>=', $n - 30, 'what was to go is gone');
    adds_up($s, 'four');
};

subtest 'killed while they delete' => sub {
    my $n = 200;
    my $s = Fault->new(slots => 2);
    my $file = many($s, 'v', $n);
    my $run = $s->start('run', '-q', $s->submit($file));
    eventually { in_states($s, 'DELETING', 'DELETED') || $s->state_of(1) ne 'RUNNING' };
    $s->kill9($run);
    my $rescued = reader($s, 'v', $n, 50);
    my $submitted;
    for my $round (1 .. 8) { # the blow falls when some more have gone
        my @pids = map { $s->start('tick') } 1 .. 2;
        my $until = objects($s) - int rand 30;
        my $end = time + 5;
        sleep 0.001 while objects($s) > $until && time < $end && grep { $s->is_running($_) } @pids;
        $s->is_running($_) ? $s->kill9($_) : $s->finish($_) for @pids;
        $submitted = $s->submit($rescued) if $round == 3; # some of it is wanted back
    }
    note(scalar(in_states($s, qw(STORED_TO_DELETE PROCESSING DELETING))) . ' are left to be deleted');
    is($s->pingo('run', '-q', $submitted)->{status}, 0, 'what was wanted back ends well');
    is($s->output($submitted, 'all'), expected('v', $n, 50), 'and right');
    is($s->pingo('tick')->{status}, 0, 'a tick goes on');
    is(scalar(in_states($s, qw(STORED_TO_DELETE PROCESSING DELETING))), 0, 'to the end');
    adds_up($s, 'killed');
};

subtest 'a tick waits for what it deletes, and counts it' => sub {
    my $s = Fault->new;
    is($s->pingo('run', '-q', $s->write('u', map { action($_, "mkdir output; echo $_ >output/f", [], salt => 'u') } 1 .. 3))->{status}, 0, 'three results');
    $s->well('rm', 1, "a$_") for 1, 2;
    is($s->json('tick')->{deleted}, 2, 'a tick tells how many have gone');
    my $idle = $s->json('tick');
    is("$idle->{deleted} $idle->{idle}", '0 ' . JSON::PP::true, 'and then that there is nothing');
    adds_up($s, 'tick');
};

# ---- what cannot be deleted ------------------------------------------------------------------------

# Prepares a result that is a directory, does something to it, lets it go, and ticks.
sub resisting {
    my ($s, $do) = @_;
    is($s->pingo('run', '-q', $s->write('t', action(1, 'mkdir -p output/below/deeper; echo 1 >output/below/file; ln -s /usr output/below/link'), action(2, 'echo 2 >output')))->{status}, 0, 'a result');
    my $path = $s->well('path', 1, 'a1');
    $do->($path);
    $s->well('rm', 1, "a$_") for 1, 2;
    my $r = $s->pingo('tick');
    is($r->{status}, 0, 'a tick goes well all the same');
    like($r->{err}, qr/pool\/\S+: cannot be deleted: .*count as used/, 'and says where something stays, and why') or diag($r->{err});
    is($s->json('tick')->{deleted}, 0, 'the next one does not try again at once');
    my ($d) = in_states($s, 'DELETING');
    ok($d, 'it is still DELETING');
    is(scalar(in_states($s, 'DELETED')), 1, 'the other one is gone');
    $s->clean('resisting');
    return $d ? $d->{path} : $path;
}

sub files_in {
    my ($dir) = @_;
    my @files;
    File::Find::find({ no_chdir => 1, wanted => sub { push @files, $_ if lstat && !-d _ } }, $dir);
    return @files;
}

# The wait that the store notes is passed over.
sub later {
    my ($s) = @_;
    system('python3', '-c', 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute("UPDATE undeletable SET not_before_ms = 0"); c.commit()', $s->path('.pingo/pingo.db')) == 0 or die "no python3\n";
    return $s->json('tick')->{deleted};
}

SKIP: {
    skip 'only root may mount and make files immutable', 3 if $> != 0;

    subtest 'mounts inside' => sub {
        my $s = Fault->new;
        my $outside = $s->path('outside');
        mkdir $outside;
        spew("$outside/precious", "1\n");
        chmod 0500, $outside;
        my @mounted;
        my $stays = eval {
            resisting($s, sub {
                my ($path) = @_;
                system('mount', '--bind', $outside, "$path/below/deeper") == 0 or die "no mount\n";
                push @mounted, 1;
            });
        };
        my $error = $@;
        if (!@mounted) {
            plan skip_all => 'nothing can be mounted here';
        }
        is(slurp("$outside/precious"), "1\n", 'what is mounted there was not touched');
        is((stat $outside)[2] & 0777, 0500, 'nor changed');
        is($error, '', 'no error');
        my ($point) = map { (split)[4] } grep { m{\Q$s->{dir}\E/\.pingo/pool/} } split /\n/, slurp('/proc/self/mountinfo');
        ok($point, 'it is still mounted') and system('umount', $point);
        is(later($s), 1, 'after it was taken away the dataset goes');
        is(slurp("$outside/precious"), "1\n", 'without it');
        adds_up($s, 'mounts');
    };

    subtest 'what an action mounts and leaves' => sub {
        my $s = Fault->new;
        my $outside = $s->path('outside');
        mkdir $outside;
        spew("$outside/precious", "1\n");
        chmod 0644, "$outside/precious";
        my $w = $s->submit($s->write('w', action(1, "mkdir d; mount --bind '$outside' d; echo 1 >output"),
            action(2, "mkdir -p output/d; mount --bind '$outside' output/d; echo 2 >output/f")));
        is($s->pingo('run', '-q', $w)->{status}, 1, 'a run');
        my @points = map { (split)[4] } grep { m{\Q$s->{dir}\E/\.pingo/pool/} } split /\n/, slurp('/proc/self/mountinfo');
        is(slurp("$outside/precious"), "1\n", 'what is mounted in a scratch directory is not removed with it');
        is((stat "$outside/precious")[2] & 0777, 0644, 'nor becomes read-only as part of an output');
        system('umount', $_) for @points;
        plan skip_all => 'nothing can be mounted here' if !@points;
        is_deeply($s->states($w), { a1 => 'FINISHED', a2 => 'FAILED' }, 'such an output is not kept');
        $s->clean('mounted by actions');
    };

    subtest 'immutable' => sub {
        my $s = Fault->new;
        spew($s->path('probe'), '');
        plan skip_all => 'no attributes of files here' if system('chattr +i "$0" 2>/dev/null' =~ s/"\$0"/'@{[ $s->path('probe') ]}'/r) != 0;
        system('chattr', '-i', $s->path('probe'));
        my $stays = resisting($s, sub { system('chattr', '+i', "$_[0]/below/file") });
        is(scalar(files_in($stays)), 1, 'all but the file has gone');
        is(later($s), 0, 'as long as it is so, it stays');
        system('chattr', '-i', files_in($stays));
        is(later($s), 1, 'then it goes');
        adds_up($s, 'immutable');

        $s = Fault->new;
        $stays = resisting($s, sub { system('chattr', '+i', $_[0]) });
        like($stays, qr{/objects/}, 'a dataset that is immutable itself stays where it is');
        system('chattr', '-i', $stays);
        is(later($s), 1, 'then it goes too');
        adds_up($s, 'immutable itself');
    };
}

subtest 'no permission' => sub {
    plan skip_all => 'root may everything' if $> == 0;
    my $s = Fault->new;
    my $shard;
    resisting($s, sub { ($shard) = $_[0] =~ m{(.*)/}; chmod 0500, $shard });
    chmod 0700, $shard;
    is(later($s), 1, 'then it goes');
    adds_up($s, 'permission');
};
# Who removes many does it in a few transactions, each whole or not at all.
subtest 'rm of many is killed at its writes' => sub {
    plan skip_all => 'no strace' if system('command -v strace >/dev/null') != 0;
    my ($s, $n, $killed, %seen) = (Fault->new, 260, 0);
    $s->well('run', '-q', $s->write('m', map { action($_, "echo $_ >output") } 1 .. $n));
    $s->end_helpers;
    my $dir = $s->path('.pingo');
    system('cp', '-a', $dir, "$dir.old") == 0 or die;
    for my $at (1, 8, 20, 60, 120, 200, 300) {
        system('rm', '-rf', $dir) == 0 && system('cp', '-a', "$dir.old", $dir) == 0 or die;
        my $program = Fault::program();
        system("timeout 600 strace -f -qq -o /dev/null -e trace=pwrite64,fdatasync -e inject=pwrite64,fdatasync:signal=KILL:when=$at"
            . " '$program' -C '$s->{dir}' rm last '[0-9a-z]*' --json >'$s->{dir}/said'");
        my $done = $? == 0;
        $killed += !$done;
        my $going = in_states($s, 'STORED_TO_DELETE', 'DELETING', 'DELETED');
        $seen{$going}++;
        like($going, $done ? qr/^$n$/ : qr/^(?:0|200|$n)$/, "at write $at: $going go, all of a transaction or none");
        $s->clean("killed at write $at");
        last if $done;
    }
    cmp_ok($killed, '>', 1, "it was killed $killed times: " . join ', ', sort keys %seen);
    $s->pingo('rm', 'last', '[0-9a-z]*');
    $s->well('tick');
    is(scalar(in_states($s, 'STORED', 'LEAF')), 0, 'again: all go');
    adds_up($s, 'again');
    $s->end_helpers;
};

done_testing();
