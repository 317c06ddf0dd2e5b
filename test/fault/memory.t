#!/usr/bin/perl
# Memory that grows: actions that really take so much, kill -9 of the scheduler between a death and the next try, what
# the history remembers, and that small actions do not starve what grew.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Fault qw(action eventually slurp);
use Test::More;

# Takes so many MB and, where it was given less, holds them until that was seen.
sub eat {
    my ($mb) = @_;
    return ['python3', '-c', "import os, time; b = bytearray($mb << 20); b[::4096] = b'x' * len(b[::4096]); time.sleep(1000 if int(os.environ['PINGO_MEMORY_MB']) < $mb else 0); open('output', 'w').write('$mb')"];
}
sub attempts { my ($s, $w, $name) = @_; return grep { $_->{name} eq $name } @{ $s->json('status', '--attempts', $w) } }
# Of the tries that have begun: one may have been handed out and not started when its scheduler was killed.
sub given { return join ' ', map { $_->{memoryMB} . ($_->{memoryFrom} eq 'growth' ? '+' : '') } grep { $_->{started} } attempts(@_) }

# The scheduler is killed, again and again, whenever another attempt has died.
my $s = Fault->new;
my $eats = action(1, eat(200), undef, resources => { memoryMB => 60 });
my $w = $s->submit($s->write('w', $eats));
for my $deaths (1, 2) {
    my $pid = $s->start('run', '-q', $w);
    ok(eventually(sub { (grep { $_->{state} eq 'memory limit' } attempts($s, $w, 'a1')) >= $deaths }), "death $deaths is settled");
    $s->kill9($pid);
}
my $r = $s->pingo('run', '-q', $w);
is($r->{status}, 0, 'it ends well') or diag($r->{err});
is(given($s, $w, 'a1'), '60 120+ 240+', 'with double the memory each time, and no try twice') or diag(explain([ attempts($s, $w, 'a1') ]));
like($s->well('why', $w, 'a1'), qr/^memory: 240 MB, for it had died of less \(2 times\)/m, 'why tells');
like($s->well('status', $w), qr/3 attempts; grew to 240 MB/, 'status, too');

# The history: the same, disowned; others of the same program; and what says that it may not grow.
$eats->{salt} = 'again';
is($s->pingo('run', '-q', $s->write('v', $eats))->{status}, 0, 'the same once more');
is(given($s, 'last', 'a1'), '240', 'starts right');
is((attempts($s, 'last', 'a1'))[0]{memoryFrom}, 'history', 'as the history says');
is($s->pingo('run', '-q', $s->write('u', action(1, eat(190), undef, resources => { memoryMB => 60 })))->{status}, 0, 'another one');
is(given($s, 'last', 'a1'), '240', 'of its program, too');
$r = $s->pingo('run', '-q', $s->write('t', action(1, eat(180), undef, resources => { memoryMB => 60, grow => JSON::PP::false() }),
    action(2, eat(170), undef, resources => { memoryMB => 60, maxMemoryMB => 90 })));
is($r->{status}, 1, 'what may not grow fails');
is(given($s, 'last', 'a1'), '60', 'at its first try');
is(given($s, 'last', 'a2'), '90', 'or at its most');
like($r->{err}, qr/60 MB of memory .*; raise resources\.memoryMB, or let it grow/, 'what to do is told');
like($r->{err}, qr/needs more than 90 MB: raise resources\.maxMemoryMB/, 'of both');

$s->well('config', 'executor.local.limitMemory', 'off');
is($s->pingo('run', '-q', $s->write('r', action(2, [ map { s/1000 if/0 if/r } @{ eat(160) } ], undef, resources => { memoryMB => 60, maxMemoryMB => 90 })))->{status}, 0, 'nobody but the kernel ends it where it is set so');

# Small ones and one that grows, under a tight limit: each small one that ends makes room for another small one, but
# not as long as the grown one gathers.
$s = Fault->new(slots => 4);
$s->well('config', 'executor.memoryMB', 200);
my @small = map { action($_, $s->gate('died') . "; sleep 0.3; echo $_ >output", undef, resources => { memoryMB => 60 }) } 2 .. 40;
push @small, action(61, 'cat in/p1 >output', [1]);    # so that it begins first
$w = $s->submit($s->write('w', action(1, eat(150), [], resources => { memoryMB => 100 }), @small));
my $pid = $s->start('run', '-q', $w);
ok(eventually(sub { grep { $_->{state} eq 'memory limit' } attempts($s, $w, 'a1') }), 'a large one dies beside small ones');
$s->open_gate('died');
$r = $s->finish($pid);
is($r->{status}, 0, 'small ones and a large one') or diag($r->{err});
is(given($s, $w, 'a1'), '100 200+', 'it grew to all that there is');
my ($first, $second) = attempts($s, $w, 'a1');
my $overtook = grep { $_->{name} ne 'a1' && $_->{started} gt $second->{handed} && $_->{started} lt $second->{started} } @{ $s->json('status', '--attempts', $w) };
cmp_ok($overtook, '<=', 3, 'hardly any small one started before it, once it waited') or diag("$overtook of 39");
my $after = grep { $_->{name} ne 'a1' && $_->{started} gt $second->{started} } @{ $s->json('status', '--attempts', $w) };
cmp_ok($after, '>', 20, 'most had to wait for it');

# Whom the kernel ends is told apart from whom somebody ends, and grows even without a limit of its own.
SKIP: {
    my $group = "/sys/fs/cgroup/memory/pingo-test-$$";
    skip('a group with little memory cannot be made here', 3) if $> != 0 || !mkdir $group;
    Fault::spew("$group/memory.limit_in_bytes", 150_000_000);
    $s = Fault->new;
    $s->well('config', 'executor.memoryMB', 400);
    my $file = $s->write('w', action(1, 'head -c 300000000 /dev/zero | tail -c 300000000 | wc -c >output'), action(2, 'kill -9 $$'));
    my $program = Fault::program();
    system('timeout', '600', 'sh', '-c', "cd '$s->{dir}' && echo \$\$ >$group/cgroup.procs && exec '$program' run -q $file 2>err");
    my @tries = map { $_->{memoryMB} // 0 } attempts($s, 'last', 'a1');
    cmp_ok($tries[1], '>', $tries[0], 'what the kernel ended is given more');
    like(slurp($s->path('err')), qr/the kernel ended it for want of memory .* needs more than 400 MB/, 'as long as there is more');
    is((attempts($s, 'last', 'a2'))[0]{state}, 'signaled', 'what was killed otherwise is not');
    for my $pid (split /\s+/, slurp("$group/cgroup.procs")) {    # a supervisor that is about to end
        Fault::spew('/sys/fs/cgroup/memory/cgroup.procs', $pid);
    }
    rmdir $group or diag("$group: $!");
}
done_testing();
