#!/usr/bin/perl
# A worker that is slow to reach the gate, its scheduler killed, the next one interrupted: whatever
# comes to be of an attempt, its action is never left in nobody's hands.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action eventually slurp spew);
use Test::More;

# Started by nothing but the store's own programs; one worker, stopped before it can reach the gate.
sub slow_worker {
    my $s = Fault->new(slots => 1);
    $s->well('run', '-q', $s->write('first', action(1, 'echo first >output')));
    my ($worker) = $s->workers;
    kill STOP => $worker;
    return ($s, $worker);
}

sub rows {
    my ($s, $sql) = @_;
    my $rows = qx(sqlite3 -cmd '.timeout 10000' '$s->{dir}/.pingo/pingo.db' "$sql" 2>&1);
    chomp $rows;
    return $rows;
}

for my $said (0, 1) {
    for my $signal ('KILL', 'TERM') {
        my $what = "$signal, " . ($said ? 'said to run' : 'slow');
        my ($s, $worker) = slow_worker();
        my $one = $s->start('run', $s->write('w', action(1, 'echo done >output')));
        ok(eventually { rows($s, 'SELECT count(*) FROM attempt WHERE state < 3') eq '1' }, "$what: it is handed out");
        select undef, undef, undef, 0.2;    # longer than it takes to tell of a start
        isnt($s->states(2)->{a1}, 'RUNNING', "$what: it is not said to run before it has started");
        kill $signal => $one;
        $s->finish($one);
        rows($s, 'UPDATE attempt SET state = 2 WHERE state = 1; UPDATE action SET state = 5 WHERE state = 4;'
            . ' UPDATE progress SET running = running + 1, submitted = submitted - 1 WHERE submitted = 1') if $said;
        my $two = $s->start('run', 2);
        ok(eventually { rows($s, "SELECT pid FROM owner JOIN attempt ON owner.id = attempt.owner WHERE state < 3") eq $two },
            "$what: the next run adopts it");
        kill INT => $two;
        is($s->finish($two)->{status}, 130, "$what: and is interrupted");
        is($s->states(2)->{a1}, 'READY', "$what: it is READY again");
        kill CONT => $worker;
        my $end = $s->pingo('run', '-q', 2);
        is($end->{status}, 0, "$what: the third run ends") or diag($end->{err});
        is($s->output(2, 'a1'), "done\n", "$what: with the output");
        $s->clean($what);
    }
}

# The constraint, and what is made of a row that breaks it all the same.
{
    my ($s, $worker) = slow_worker();
    $s->submit($s->write('w', action(1, 'echo done >output')));
    $s->well('tick');
    like(rows($s, 'DELETE FROM attempt WHERE state < 3'), qr/goes before its action/, 'an open attempt cannot be deleted');
    like(rows($s, 'UPDATE attempt SET state = 3 WHERE state < 3'), qr/ends before its action/, 'nor ended');
    rows($s, 'DROP TRIGGER attempt_goes_last; DELETE FROM attempt WHERE state < 3');
    like(rows($s, 'UPDATE action SET state = 5 WHERE state = 4'), qr/without an attempt/, 'nor may it run without one');
    kill KILL => $s->helpers;
    my $r = $s->pingo('run', 2);
    is($r->{status}, 0, 'a row without an attempt is tried again');
    like($r->{err}, qr/nobody has it/, 'and it is said');
}

done_testing();
