#!/usr/bin/perl
# What comes next has a place: each drill adds one thing in a file or folder of its own, with a unit test, and at most two lines
# changed elsewhere, in a copy of the tree, which then builds, keeps the house's rules and shows what was added where users look.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../house";
use House qw(root build slurp spew scratch run);
use JSON::PP ();
use Test::More;

my $scratch = scratch();
my $tree    = "$scratch/tree";
my $pingo   = "$tree/build/pingo";
my $make    = $ENV{MAKE} // 'make';
-x build() . '/pingo' or BAIL_OUT('run make first');
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CPPFLAGS LDFLAGS PINGO PINGO_DIR)};

# Sources and objects, by copies that keep their times: only what a drill touches is made again.
mkdir $_ or die "$_: $!" for $tree, "$tree/build", "$tree/test";
sub copy { system('cp', '-a', @_) == 0 or die "cp @_\n" }
copy((map { root() . "/$_" } qw(Makefile README.md include lib cli man examples)), $tree);
copy((map { root() . "/test/$_" } qw(house unit)), "$tree/test");
copy((grep { !m{/(?:test|test-output|examples)$} } glob(build() . '/*')), "$tree/build");

# Puts files into the tree and changes lines: [ file, line as it is, line as it is to be, or lines ].  Unit tests among the
# files are run.
sub drill {
    my ($what, $files, @changes) = @_;
    my @tests = map { m{^(test/unit/.*)\.c$} ? "build/$1" : () } sort keys %$files;
    cmp_ok(scalar @changes, '<=', 2, "$what: at most two lines are changed");
    for my $to (sort keys %$files) {
        spew("$tree/$to", slurp("$FindBin::Bin/$files->{$to}"));
    }
    for (@changes) {
        my ($file, $from, $to) = @$_;
        my $text = slurp("$tree/$file");
        my $n    = () = $text =~ /\Q$from\E/g;
        is($n, 1, "$what: $file has the line") or diag($from);
        cmp_ok(($to =~ tr/\n//) - ($from =~ tr/\n//), '<=', 1, "$what: it is one line");
        $text =~ s/\Q$from\E/$to/;
        spew("$tree/$file", $text);
    }
    my ($status, $said) = run('sh', '-c', "cd $tree && $make -s -j2 WERROR=-Werror BUILD=build" . ($ENV{CC} ? " CC=$ENV{CC}" : '')
        . " build/pingo build/libexec/pingo-supervisor @tests" . ($what eq 'a column' ? ' build/man.stamp' : ''));
    is($status, 0, "$what: the tree builds") or diag($said);
    for (@tests) {
        ($status, $said) = run("$tree/$_");
        is($status, 0, "$what: $_") or diag($said);
    }
}

my $store = "$scratch/store";
mkdir $store;

sub pingo {
    my (@words) = @_;
    my ($status, $said) = run('timeout', '600', 'sh', '-c', 'cd "$1" && shift && exec "$@"', 'sh', $store, $pingo, @words);
    return $status ? "status $status: $said" : $said;
}
sub json { my @words = @_; my $said = pingo(@words, '--json'); return eval { JSON::PP::decode_json($said) } // diag("@words: $said") }
sub workflow { my ($name, @actions) = @_; spew("$store/$name.json", JSON::PP->new->encode({ name => $name, actions => \@actions })) }

# ---- an executor ------------------------------------------------------------------------------------------

drill('an executor',
    { (map { ("lib/executor/nothing/$_" => "executor/$_") } qw(nothing.c nothing.h)),
        'test/unit/executor/nothing/test_nothing.c' => 'executor/test_nothing.c' },
    [ 'lib/executor/registry.c', '_(external) ', '_(external) _(nothing) ' ]);
pingo('init');
like(pingo('config'), qr/^executor\.nothing\.node = nowhere$/m, 'an executor: its setting is listed, with its default');
is_deeply([ map { $_->{value} } grep { $_->{key} eq 'executor.nothing.node' } @{ json('config') } ], ['nowhere'], 'an executor: in JSON too');
pingo('config', 'executor.nothing.node', 'somewhere');
workflow('both', { id => 1, name => 'far', type => 'command-line', command => 'exit 1', executor => 'nothing' },
    { id => 2, name => 'near', type => 'command-line', command => 'wc -c <in/far >output', parentActions => [ { id => 1, as => 'far' } ] });
unlike(pingo('run', '-q', 'both.json'), qr/^status/, 'an executor: it runs an action that another one reads, who runs elsewhere');
is_deeply([ map { [ $_->{name}, $_->{executor}, $_->{node} ] } @{ json('status', 'last')->{actions} } ]->[0], [ 'far', 'nothing', 'somewhere' ],
    'an executor: status says who ran it, and where');
chomp(my $path = pingo('path', 'last', 'near'));
is(slurp($path), "0\n", 'an executor: what it did is what the other one read');

# ---- an action type with a number ---------------------------------------------------------------------------

drill('an action type',
    { 'lib/workflow/types/repeat.c' => 'type/repeat.c', 'test/unit/workflow/types/test_repeat.c' => 'type/test_repeat.c' },
    [ 'lib/workflow/types/builtin.c', '#define TYPES(_) _(command_line) _(external)', '#define TYPES(_) _(command_line) _(external) _(repeat)' ],
    [ 'lib/executor/local/client.c', 'action_types[] = {"command-line", NULL};', 'action_types[] = {"command-line", "repeat", NULL};' ]);
my %repeat = (id => 1, name => 'again', type => 'repeat', text => 'so it is');
workflow('repeat', { %repeat, times => 3 });
unlike(pingo('run', '-q', 'repeat.json'), qr/^status/, 'an action type: it runs');
chomp($path = pingo('path', 'last', 'again'));
is(slurp($path), "so it is\n" x 3, 'an action type: so many times');
like(pingo('provenance', 'last', 'again'), qr/^\s*times\s+3$/m, 'an action type: its number is shown');
my $said = pingo('provenance', 'last', 'again', '--json');
like($said, qr/"times":\s*3\b/, 'an action type: as a number in JSON') or diag($said);
is(json('plan', 'repeat.json')->{summary}{compute}, 0, 'an action type: it is known again');
workflow('repeat', { %repeat, times => 4 });
is(json('plan', 'repeat.json')->{summary}{compute}, 1, 'an action type: another number is another action');
workflow('wrong', { %repeat, times => 1.5 });
like(pingo('validate', 'wrong.json'), qr/"times" must be an integer from 0 to \d+, not 1\.5/, 'an action type: what is none is told');
workflow('wrong', { %repeat, type => 'reapet' });
like(pingo('validate', 'wrong.json'), qr/"repeat"/, 'an action type: it is among those that are known');

# ---- a pool in memory -----------------------------------------------------------------------------------------

drill('a pool', { 'lib/pool/memory/memory.c' => 'pool/memory.c', 'test/unit/pool/memory/test_memory.c' => 'pool/test_memory.c' },
    [ 'lib/pool/backends.c', "#define KINDS(_) _(posix) _(hdfs)", "#define KINDS(_) _(posix) _(memory) _(hdfs)" ]);
SKIP: {
    skip 'no file system in memory here', 6 if !-d '/dev/shm' || !-w _;
    my $place = "memory://drill-$$";
    pingo('destroy', '--yes');
    like(pingo('init', '--pool', 'memory://a/b'), qr/memory:\/\/NAME/, 'a pool: what is no name is told');
    unlike(pingo('init', '--pool', $place), qr/^status/, 'a pool: a store has its pool there');
    unlike(pingo('run', '-q', 'both.json'), qr/^status/, 'a pool: a workflow runs');
    chomp($path = pingo('path', 'last', 'near'));
    like($path, qr{^/dev/shm/pingo-pool-drill-$$/}, 'a pool: its output lies in memory');
    is(slurp($path), "0\n", 'a pool: and is read there');
    is(json('fsck', '--deep')->{clean}, JSON::PP::true, 'a pool: fsck finds nothing');
    pingo('destroy', '--yes');
    ok(!-e "/dev/shm/pingo-pool-drill-$$/pingo-pool", 'a pool: destroyed with its store');
}

# ---- a command, and a setting -----------------------------------------------------------------------------------

my $row = qq(    {"greet.whom", WORDS, 0, 0, "world", "whom pingo greet greets", NULL},\n);
my $next = qq(    {"hook.command", PROGRAM, 0, 0, "none",\n);
drill('a command', { 'cli/commands/greet.c' => 'command/greet.c', 'man/pingo-greet.1' => 'command/pingo-greet.1' },
    [ 'cli/commands.c', ' _(serve)', ' _(serve) _(greet)' ],
    [ 'lib/engine/settings.c', $next, "$row$next" ]);
pingo('init');
is(pingo('greet'), "hello, world\n", 'a command: it runs, and a setting has its default');
pingo('config', 'greet.whom', 'you');
is(pingo('greet', '-e'), "good evening, you\n", 'a command: it has the option of its page, and the setting is set');
is_deeply(json('greet'), { whom => 'you' }, 'a command: in JSON');
like(pingo('greet', '--help'), qr/^usage: pingo greet \[OPTION\].*greet as in the evening/si, 'a command: its help is made of its page');
like(pingo('help'), qr/^\s+greet\s+greet somebody$/m, 'a command: it is listed');
like(pingo('help', '--schema', 'greet'), qr/"description":"who is greeted"/, 'a command: in the schema');
like(pingo('gret'), qr/did you mean "greet"/, 'a command: it is among those that are known');
like(pingo('config'), qr/^greet\.whom = you +\(default: world\)$/m, 'a setting: it is listed');
pingo('destroy', '--yes');

# ---- a column of status -----------------------------------------------------------------------------------------

my $before = '    COLUMN("wallMs", MS, wall_ms, "how long the last attempt took", OF_ROW, HEADED("TIME", 8),' . "\n";
drill('a column', {},
    [ 'lib/view/action.c', $before, qq(    COLUMN("row", COUNT, row, "its number in the store", OF_ROW, HEADED("ROW", 6)),\n$before) ]);
pingo('init');
pingo('run', '-q', 'repeat.json');
like(pingo('status', 'last'), qr/^\s*ID.*\bROW\b.*\n\s*1\s.*again.*\s1\s/m, 'a column: in the table');
is(json('status', 'last')->{actions}[0]{row}, 1, 'a column: a key of JSON');
like(pingo('help', '--schema', 'status'), qr/"row":\{"type":\["integer","null"\],"description":"its number in the store"/, 'a column: in the schema');
like(slurp("$tree/build/man/pingo-status.1"), qr/"row"/, 'a column: in the page');
pingo('destroy', '--yes');

# ---- all of them ----------------------------------------------------------------------------------------------

for my $test (qw(callers circles includes names pool purity sql style tests)) {
    my ($status, $told) = run('sh', '-c', "cd $tree && BUILD=$tree/build prove -Q test/house/$test.t");
    is($status, 0, "the house's rules hold: $test") or diag($told);
}
done_testing();
