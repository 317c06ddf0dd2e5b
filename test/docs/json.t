#!/usr/bin/perl
# json.t - what --json prints is as pingo help --schema says, and has the keys that the page's section JSON
# names, all of them and no others.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use JSON::PP;
use lib dirname(__FILE__);
use Pages qw(displays slurp spew root pingo run_sh scratch unescape);

-x pingo() or BAIL_OUT(pingo() . ' is not there: make first');

my $dir = scratch();
my ($words) = map { $_->[1] }
    grep { $_->[0] =~ /^words\.json/ } displays(root() . '/man/pingo-workflow.5', 'recipe');
spew("$dir/a.txt", "one two\nthree\n");
# A tool, a version, a directory, a uri and a parent, so that nothing that can be told is missing.
$words =~ s/"path": "a.txt"\}\]/"path": "a.txt"}, {"name": "u", "uri": "x:y", "version": "1"}, {"name": "d", "path": "dir"}],
 "tools": ["sort"], "versions": [["sort", "--version"]], "labels": {"sample": "1"}/ or die;
mkdir "$dir/dir";
spew("$dir/dir/file", "1\n");
spew("$dir/words.json", $words);
(my $other = $words) =~ s/sed -n \S+ >/sed -n 1,3p >/;
spew("$dir/other.json", $other);

spew("$dir/bad.json",
    '{"name": "bad", "actions": [{"id": 1, "name": "bad", "type": "command-line", "command": "exit 3"}]}');
spew("$dir/slow.json",
    '{"name": "slow", "actions": [{"id": 1, "name": "slow", "type": "command-line", "command": "sleep 600 > output"}]}');

my $hash = 'a' x 64;
spew("$dir/scenario.json", qq({"history": [{"at": "2026-11-20T12:00:00Z", "user": "u", "workflow": "w", "actions": [)
    . qq({"hash": "$hash", "parents": [], "sizeBytes": 1, "computeMs": 1}]}], "stored": [{"hash": "$hash"}], "freeBytes": 1}));

# In this order; the status is that of the command.  Without one: a line that only prepares.
my @calls = (
    ['init', ''],
    [undef, 'pingo config hook.command /bin/true'],
    ['version', ''],
    ['validate', 'words.json'],
    ['hash', 'words.json'],
    ['hash', '--input a.txt'],
    ['decide', '--list'],
    ['generate', '--list'],
    ['decide', '--scenario scenario.json'],
    ['run', 'words.json'],
    [undef, 'echo 2 > dir/file'],
    ['plan', '--why other.json'],
    ['submit', 'other.json'],
    ['tick', ''],
    ['run', 'last'],
    ['wait', 'last'],
    ['status', ''],
    ['status', 'last'],
    ['status', '--attempts last'],
    ['status', '--follow last'],
    ['status', '--groups last'],
    ['status', q(--after '')],
    ['status', q(--attempts --after '' last)],
    ['why', 'last'],
    ['provenance', 'last top'],
    ['datasets', ''],
    ['datasets', q(--limit 1 --after '')],
    ['history', ''],
    ['decide', '--dry-run --free 1'],
    ['simulate', '--store --arrive times'],
    ['path', 'last top'],
    ['log', 'last top'],
    [undef, q(printf '{"name": "u", "actions": [{"id": 1, "name": "a", "type": "command-line",
        "command": "cat %s > output", "sandbox": false}]}' "$PWD/a.txt" >undeclared.json; pingo run -q undeclared.json 2>/dev/null)],
    ['audit', 'last a'],
    [undef, q(printf '{"name": "v", "actions": [{"id": 1, "name": "old", "type": "command-line",
        "command": "false"}]}' >adopt.json; pingo submit adopt.json)],
    ['adopt', 'last old a.txt'],
    [undef, 'pingo run -q words.json'],
    ['export', 'last results'],
    ['archive', '--now --before 0s'],
    ['archive', ''],
    ['shares', ''],
    ['shares', 'set ada --weight 2'],
    ['token', 'create laptop'],
    ['token', 'list'],
    ['token', 'revoke laptop'],
    [undef, q(pingo serve -q --port 0 --no-run >/dev/null 2>&1 & echo $! >serve.pid;
        curl -s -o readyz --retry 60 --retry-delay 1 --retry-all-errors --unix-socket .pingo/serve.sock http://localhost/healthz)],
    ['token', 'url'],
    ['rerun', '--server .pingo/serve.sock last'],
    [undef, 'kill $(cat serve.pid)'],
    ['release', 'last'],
    # Something is evicted, and made again.
    [undef, 'pingo config pool.budget 0'],
    ['tick', ''],
    ['tick', ''],
    [undef, 'pingo config pool.budget none'],
    ['run', 'words.json'],
    ['keep', 'last'],
    ['run', 'words.json'],
    ['rerun', 'last'],
    ['report', ''],
    ['report', '--evictions'],
    ['report', q(--evictions --after '')],
    ['rm', 'last top'],
    ['forget', 'last'],
    ['fsck', ''],
    ['config', ''],
    ['config', 'executor.slots'],
    ['config', '--check slurm'], # which has no settings
    # Something is driven.
    ['run', '--detach slow.json'],
    ['status', 'last'],
    [undef, 'pingo kill last'],
    ['rerun', '--detach last'],
    [undef, 'pingo kill last'],
    ['submit', '--force count words.json'],
    ['pause', 'last'],
    ['priority', 'last'],
    ['resume', 'last'],
    ['kill', 'last'],
    [undef, 'pingo run -q bad.json || :'],
    ['errors', ''],
    ['hooks', ''],
    ['hooks', q(--after '')],
    ['errors', '--list'],
    ['errors', q(--list --after '')],
);

# Keys at any depth; a description's are those of the action's type.
sub keys_of {
    my ($value, $found) = @_;
    if (ref $value eq 'ARRAY') {
        keys_of($_, $found) for @$value;
    } elsif (ref $value eq 'HASH') {
        for my $key (keys %$value) {
            $found->{$key} = 1;
            keys_of($value->{$key}, $found) if $key !~ /^(?:description|labels)$/;
        }
    }
    return $found;
}

# The keys in the displays of the section JSON, and those of pages that it refers to.
sub keys_told {
    my ($command) = @_;
    my ($section) = slurp(dirname(pingo()) . "/man/pingo-$command.1") =~ /^\.Sh JSON\n(.*?)(?=^\.Sh )/ms;
    die "pingo-$command.1 has no section JSON\n" unless defined $section;
    my %told;
    while ($section =~ /^\.Bd [^\n]*-literal[^\n]*\n(.*?)^\.Ed/gms) {
        $told{$_} = 1 for unescape($1) =~ /"(\w+)"/g;
    }
    return (\%told, $command =~ /^(?:re)?run$/ ? keys_told('status') : {});
}

my (%printed, $ndocuments);
mkdir "$dir/documents";
spew("$dir/wrong.json", '{"name": "wrong", "actions": []}');
for my $call (@calls, ['validate', 'wrong.json'], [undef, 'for i in $(seq 200); do ls .pingo/owners | grep -q . || break; sleep 0.05; done; echo mine >.pingo/mine'], ['destroy', '--yes']) {
    my ($command, $operands) = @$call;
    if (!defined $command) {
        is((run_sh($dir, $operands))[0], 0, $operands);
        next;
    }
    my ($status, $text) = run_sh($dir, "pingo $command --json $operands 2> errors");
    is($status, $operands eq 'wrong.json' ? 3 : $operands =~ /^--check/ ? 1 : 0, "pingo $command --json $operands")
        or diag(slurp("$dir/errors"));
    my $value = eval { JSON::PP->new->decode($text) };
    ok(defined $value, "pingo $command $operands: one JSON document") or diag($text);
    spew("$dir/documents/$command." . ++$ndocuments, $text);
    $printed{$command} //= {};
    keys_of($value, $printed{$command});
}

my ($checked, $wrong) = run_sh($dir, '/usr/bin/python3 ' . root() . '/test/cli/documents.py ' . pingo() . ' documents');
is($checked, 0, 'each document is as its schema says') or diag($wrong);
# That can fail: a key more, one less, another type.
for my $bad ('{"workflow": 1, "killed": 1, "more": 1}', '{"workflow": 1}', '{"workflow": null, "killed": 1}', '[]', '{"workflow": 1, "killed": 1, "killed": 2}') {
    mkdir "$dir/bad";
    spew("$dir/bad/kill.1", $bad);
    my ($status, $said) = run_sh($dir, '/usr/bin/python3 ' . root() . '/test/cli/documents.py ' . pingo() . ' bad');
    ok($status == 1 && $said =~ /^pingo kill --json: /, "refused: $bad") or diag($said);
}

# What a store in order has none of.
my %cannot_be_seen = (fsck => [qw(invariant object message repaired repairable)]);
for my $command (sort keys %printed) {
    my ($told, $elsewhere) = keys_told($command);
    delete @{$told}{@{$cannot_be_seen{$command} // []}};
    my @untold = sort grep { !$told->{$_} && !$elsewhere->{$_} } keys %{$printed{$command}};
    my @unseen = sort grep { !$printed{$command}{$_} } keys %$told;
    is("@untold", '', "pingo-$command.1: every key that is printed is told");
    is("@unseen", '', "pingo-$command.1: every key that is told is printed");
}

# The keys of a schema that say nothing, as paths.
sub unexplained {
    my ($schema, $path) = @_;
    return map { unexplained($_, $path) } @{$schema->{anyOf}} if $schema->{anyOf};
    my $members = ($schema->{items} // $schema)->{properties} // {};
    return map { my $key = "$path/$_"; (length($members->{$_}{description} // '') > 2 ? () : $key, unexplained($members->{$_}, $key)) }
        sort keys %$members;
}
is_deeply([unexplained({anyOf => [{properties => {a => {description => 'what a is', items => {properties => {b => {}}}}}}]}, '')],
    ['/a/b'], 'a key without a meaning is noticed');
for my $command (sort keys %printed) {
    my ($status, $text) = run_sh('/', "pingo help --schema $command");
    my $schema = $status == 0 ? JSON::PP->new->decode($text) : {};
    ok(@{$schema->{anyOf} // []} > 0, "pingo help --schema $command");
    is_deeply([unexplained($schema, '')], [], "$command: each key is explained");
}
is((run_sh('/', 'pingo help --schema complete'))[0], 2, 'a command without --json has none');

# Every command that takes --json is here.
my (undef, $options) = run_sh($dir, 'pingo help --commands');
my @wanted = $options =~ /^(\w+) --json$/mg;
is_deeply([sort keys %printed], [sort @wanted], 'every command with --json was called');
done_testing();
