#!/usr/bin/perl
# Who may include whom: the table of lib/README.md, read from the #include lines.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root sources slurp spew scratch code_only %may @pure_rooms);
use Test::More;

# Public header => the room whose it is.  Headers for extenders (executor.h, action_type.h) are
# contracts: the tables that they declare belong to no one room, so rooms from workflow up see them.
my %owner = (
    'version.h'  => 'base',     'error.h'    => 'base',
    'workflow.h' => 'workflow', 'digest.h'   => 'digest',
    'plan.h'     => 'plan',     'decision.h' => 'decision',
    'history.h'  => 'decision', 'store.h'    => 'store',    'state.h'     => 'rules',
    'scheduler.h' => 'engine',  'pool.h'     => 'store',    'dataset.h'   => 'store',
    'query.h'     => 'store',
    'access.h'    => 'store',  'feed.h'     => 'store',
    'summary.h'   => 'store',
    'users.h'     => 'engine',
    'archive.h'   => 'engine',
);
my %contract = map { $_ => 1 } qw(executor.h action_type.h);

# Programs outside => the folders of lib/ whose headers they may include besides the public ones; they have those of the folders
# that they lie in, too.
my %outside = (
    'cli'        => [qw(base view)],
    'cli/serve'  => [qw(http/server json)],
    'cli/remote' => [qw(http json)],
);

# Foreign header => the only rooms and programs that may know the library behind it.
my @foreign = (
    [ qr{^(?:cjson/)?cJSON}, 'json' ],
    [ qr{^sqlite3},          'store' ],
    [ qr{^nettle/},         'digest' ],
    [ qr{^uv[./]},           'executor', 'manager', 'cli/serve/loop', 'examples' ],
    [ qr{^(?:coin/)?Clp},    'lab' ],
    [ qr{^curl/},            'http' ],
);

# What floor 1 may take from the system: nothing that opens, waits, or tells the time.  digest is
# told what a file is through the world's functions and so knows their types.
my $pure   = qr{^(?:assert|ctype|errno|float|inttypes|limits|math|stdalign|stdarg|stdbool|stddef|stdint|stdio|stdlib|string)\.h$};
my $digest = qr{^(?:fcntl|pthread|stdatomic|sys/stat|sys/types)\.h$};

# The managers of the thesis meet only through rows of the store; but who finds in its transaction
# that a dataset is gone lets the Workflow Manager plan again in the same one.
my $a_manager = qr{^manager/\w+/(action_manager|dataset_manager|decision_manager)};

# Every breach of the table in a tree, as "FILE:LINE: what".
sub breaches {
    my ($tree) = @_;
    my @breaches;
    for my $file (sources($tree, qr/\.[ch]$/, qw(lib cli examples))) {
        my @lines = split /\n/, code_only(slurp("$tree/$file"), 1);
        for my $i (0 .. $#lines) {
            my ($mark, $header) = $lines[$i] =~ /^\s*#\s*include\s*([<"])([^>"]+)[>"]/ or next;
            my $wrong = $file =~ m{^lib/([^/]+)/}
                ? breach_in_room($tree, $file, $1, $mark, $header)
                : breach_outside($tree, $file, $mark, $header);
            push @breaches, "$file:" . ($i + 1) . ": $wrong" if $wrong;
        }
    }
    return @breaches;
}

sub breach_in_room {
    my ($tree, $file, $room, $mark, $header) = @_;
    return "there is no room $room in the table" if !$may{$room};
    return breach_of_library($file, $room, $header) if $mark eq '<';
    my ($target) = $header =~ m{^([^/]+)/};
    my $beside = $file =~ s{[^/]+$}{}r . $header;
    return "$header: not found from lib/" if !-f "$tree/lib/$header" && !-f "$tree/$beside";
    return '' if !-f "$tree/lib/$header" && $header !~ m{\.\.};
    return "$header: write it from lib/, without .." if $header =~ m{\.\.};
    return "$room may not include $target" if $target ne $room && !grep { $_ eq $target } @{ $may{$room} };
    my ($mine)   = substr($file, 4) =~ $a_manager;
    my ($theirs) = $header =~ $a_manager;
    return "$mine may not know $theirs: managers meet in the store"
        if $mine && $theirs && $mine ne $theirs;
    return '';
}

# <...> within a room: a public header, or the system's.
sub breach_of_library {
    my ($file, $room, $header) = @_;
    if ($header =~ m{^pingo-lab}) {
        return $room eq 'lab' ? '' : "$room may not include <$header>, which is lab's";
    }
    if ($header =~ m{^pingo(?:/(.*)|\.h)$}) {
        return 'rooms include the public headers that they need, not the umbrella' if !defined $1;
        return $room =~ /^(?:base|json|http)$/ ? "$room may not include <$header>" : '' if $contract{$1};
        my $owner = $owner{$1} // return "<$header> has no owner in the table";
        return '' if $room eq 'view'; # it sees what users see
        return $owner eq $room || grep({ $_ eq $owner } @{ $may{$room} })
            ? '' : "$room may not include <$header>, which is ${owner}'s";
    }
    for (@foreign) {
        my ($pattern, @homes) = @$_;
        return "only @homes may know <$header>" if $header =~ $pattern && !grep { $_ eq $room } @homes;
        return '' if $header =~ $pattern;
    }
    return "$room is pure and may not include <$header>"
        if grep({ $_ eq $room } @pure_rooms) && $header !~ $pure
        && !($room eq 'digest' && $header =~ $digest);
    return '';
}

sub breach_outside {
    my ($tree, $file, $mark, $header) = @_;
    my ($folder) = $file =~ m{^(.*)/};
    return '' if $mark eq '"' && $header !~ m{\.\.} && (-f "$tree/$folder/$header" || $folder =~ m{^cli/} && -f "$tree/cli/$header");
    return 'pingo itself has nothing of the laboratory' if $folder =~ m{^cli(?:/commands)?$} && $header =~ m{^pingo-lab};
    my ($from) = $header =~ m{^(.*)/};
    my @may = map { @{ $outside{$_} } } grep { index("$folder/", "$_/") == 0 } keys %outside;
    return '' if $mark eq '"' && defined $from && grep({ $_ eq $from } @may) && -f "$tree/lib/$header";
    return 'the loop waits for no store' if $folder eq 'cli/serve/loop' && $header eq 'pingo/store.h';
    return "programs outside include <pingo...> and what the table says, not \"$header\"" if $mark eq '"';
    for (@foreign) {
        my ($pattern, @homes) = @$_;
        return "programs outside reach the library through <pingo...> only, not <$header>"
            if $header =~ $pattern && !grep { index("$folder/", "$_/") == 0 } @homes;
    }
    return '';
}

my @breaches = breaches(root());
my @seen     = sources(root(), qr/\.[ch]$/, qw(lib cli examples));
cmp_ok(scalar @seen, '>', 20, 'there are sources to look at');
is_deeply(\@breaches, [], 'no #include breaks the table') or diag(join "\n", @breaches);

# lib/README.md and this test tell the same rooms.
my $readme = slurp(root() . '/lib/README.md');
my %told   = map { $_ => 1 } $readme =~ /^\| [014-9\d] \| `(\w+)\/`/mg;
is_deeply([ sort keys %told ], [ sort keys %may ], 'lib/README.md has a line for each room');
is_deeply([ grep { !$told{$_} } map { m{^lib/([^/]+)/} } grep { m{^lib/} } @seen ], [],
    'each folder of lib/ is one of them');

# And it names each file of a folder that has more than ten.
sub unnamed {
    my ($text, @files) = @_;
    my (%names, @unnamed);
    m{^lib/(.*)/([^/]+)\.[ch]$} and $names{$1}{$2} = 1 for @files;
    for my $folder (sort keys %names) {
        my ($section) = $text =~ /^### `\Q$folder\E\/`\n(.*?)(?=^#|\z)/ms;
        next if !defined $section && keys %{ $names{$folder} } <= 10;
        my %said = map { $_ => 1 } ($section // '') =~ /`(\w+)`/g;
        push @unnamed, map { "$folder/$_" } grep { !$said{$_} } sort keys %{ $names{$folder} };
        push @unnamed, map { "$folder/$_ is not there" } grep { !$names{$folder}{$_} } sort keys %said;
    }
    return @unnamed;
}
my @unnamed = unnamed($readme, grep { m{^lib/} } @seen);
is_deeply(\@unnamed, [], 'lib/README.md names the files of large folders') or diag(join "\n", @unnamed);
is_deeply([ unnamed("### `x/`\n- few: `a`, `gone`\n", map { "lib/x/$_.c" } 'a' .. 'k') ],
    [ (map { "x/$_" } 'b' .. 'k'), 'x/gone is not there' ], 'the test notices what is not named, and what is gone');

# The test can fail: each row breaks one rule in a small tree of its own.
my @bad = (
    [ 'lib/base/a.c',     '#include "json/json.h"' ],
    [ 'lib/json/a.c',     '#include "workflow/w.h"' ],
    [ 'lib/http/a.c',     '#include "json/json.h"' ],
    [ 'lib/http/a.c',     '#include <pingo/executor.h>' ],
    [ 'lib/workflow/a.c', '#include "http/h.h"' ],
    [ 'lib/executor/local/a.c', '#include <curl/curl.h>' ],
    [ 'lib/workflow/a.c', '#include "digest/d.h"' ],
    [ 'lib/digest/a.c',   '#include "plan/p.h"' ],
    [ 'lib/decision/a.c', '#include "workflow/w.h"' ],
    [ 'lib/plan/a.c',     '#include "store/s.h"' ],
    [ 'lib/rules/a.c',    '#include "plan/p.h"' ],
    [ 'lib/rules/a.c',    '#include <pingo/store.h>' ],
    [ 'lib/store/a.c',    '#include "executor/e.h"' ],
    [ 'lib/executor/local/a.c', '#include "store/s.h"' ],
    [ 'lib/manager/a.c',  '#include "engine/e.h"' ],
    [ 'lib/lab/a.c',      '#include "store/s.h"' ],
    [ 'lib/kitchen/a.c',  '#include "base/b.h"' ],
    [ 'lib/view/a.c',     '#include "store/s.h"' ],
    [ 'lib/view/a.c',     '#include "json/json.h"' ],
    [ 'lib/view/a.c',     '#include <pingo-lab/simulate.h>' ],
    [ 'lib/engine/a.c',   '#include "view/v.h"' ],
    [ 'examples/e/a.c',   '#include "view/v.h"' ],
    [ 'cli/a.c',          '#include <cJSON.h>' ],
    [ 'lib/plan/a.c',     '#include "../store/s.h"' ],
    [ 'lib/plan/a.c',     '#include "nowhere/n.h"' ],
    [ 'lib/plan/a.c',     '#include <time.h>' ],
    [ 'lib/workflow/a.c', '#include <unistd.h>' ],
    [ 'lib/plan/a.c',     '#include <pthread.h>' ],
    [ 'lib/store/a.c',    '#include <cjson/cJSON.h>' ],
    [ 'lib/engine/a.c',   '  #  include <sqlite3.h>' ],
    [ 'lib/store/a.c',    '#include <nettle/sha2.h>' ],
    [ 'lib/engine/a.c',   '#include <uv.h>' ],
    [ 'lib/plan/a.c',     '#include <pingo/store.h>' ],
    [ 'lib/base/a.c',     '#include <pingo/executor.h>' ],
    [ 'lib/engine/a.c',   '#include <pingo.h>' ],
    [ 'lib/plan/a.c',     '#include <pingo/unknown.h>' ],
    [ 'lib/manager/attempt/action_manager.c', '#include "manager/dataset/dataset_manager.h"' ],
    [ 'lib/engine/a.c',   '#include <pingo-lab/simulate.h>' ],
    [ 'lib/lab/a.c',      '#include <pingo/store.h>' ],
    [ 'cli/a.c',          '#include <pingo-lab.h>' ],
    [ 'cli/commands/a.c', '#include <pingo-lab.h>' ],
    [ 'cli/lab/a.c',      '#include "engine/e.h"' ],
    [ 'examples/e/a.c',   '#include "base/b.h"' ],
    [ 'cli/a.c',          '#include "../lib/base/b.h"' ],
    [ 'cli/a.c',          '#include <sqlite3.h>' ],
    [ 'examples/x/a.c',   '#include "store/s.h"' ],
    [ 'cli/serve/api/a.c', '#include "http/h.h"' ],
    [ 'cli/serve/api/a.c', '#include <uv.h>' ],
    [ 'cli/serve/loop/a.c', '#include <pingo/store.h>' ],
    [ 'cli/commands/a.c', '#include "http/server/p.h"' ],
    [ 'cli/commands/a.c', '#include "json/json.h"' ],
    [ 'cli/remote/a.c',   '#include "http/server/p.h"' ],
);
my @good = (
    [ 'lib/plan/a.c',     "/*\n#include \"store/s.h\"\n*/\n#include <pingo/plan.h>\n#include \"digest/d.h\"\n#include <string.h>" ],
    [ 'lib/manager/a.c',  '#include "store/s.h"' ],
    [ 'lib/http/a.c',     "#include \"base/b.h\"\n#include <curl/curl.h>" ],
    [ 'lib/executor/slurm/a.c', '#include "http/h.h"' ],
    [ 'lib/engine/a.c',   '#include "manager/dataset/dataset_manager.h"' ],
    [ 'lib/lab/a.c',      "#include \"decision/d.h\"\n#include <pingo-lab/simulate.h>" ],
    [ 'lib/view/a.c',     "#include \"base/b.h\"\n#include <pingo/store.h>\n#include <pingo/history.h>" ],
    [ 'cli/a.c',          "#include \"view/v.h\"" ],
    [ 'cli/a.c',          "#include \"cli.h\"\n#include <pingo.h>\n#include <time.h>" ],
    [ 'cli/commands/a.c', "#include \"cli.h\"\n#include <pingo.h>" ],
    [ 'cli/lab/a.c',      "#include \"cli.h\"\n#include <pingo-lab.h>\n#include \"base/b.h\"" ],
    [ 'cli/remote/a.c',   "#include \"json/json.h\"\n#include \"base/b.h\"\n#include <pingo.h>" ],
    [ 'examples/x/a.c',   "#include <uv.h>\n#include <pingo/executor.h>" ],
    [ 'cli/serve/loop/a.c', "#include \"http/server/p.h\"\n#include <uv.h>" ],
);
my @headers = qw(lib/json/json.h lib/http/h.h lib/http/server/p.h lib/workflow/w.h lib/digest/d.h lib/plan/p.h lib/store/s.h lib/executor/e.h
    lib/engine/e.h lib/base/b.h lib/view/v.h lib/decision/d.h lib/manager/dataset/dataset_manager.h cli/cli.h);

for my $row (@bad, @good) {
    my ($file, $text) = @$row;
    my $tree = scratch();
    spew("$tree/$_", "\n") for @headers;
    spew("$tree/$file", "$text\n");
    my @found = breaches("$tree");
    my $is_bad = grep { $_ == $row } @bad;
    $text =~ s/\n.*//s;
    ok($is_bad ? @found == 1 && $found[0] =~ /^\Q$file\E:1: / : !@found,
        ($is_bad ? 'refused' : 'allowed') . " in $file: $text") or diag(join "\n", @found);
}
# ---- what is included is used -----------------------------------------------------------------------

# Standard header => what a file takes of it.
my %gives = (
    'ctype.h'    => qr{\b(?:is(?:alnum|alpha|digit|xdigit|space|upper|lower|print|punct|cntrl|graph|blank)|to(?:lower|upper))\b},
    'dirent.h'   => qr{\b(?:DIR|dirent|\w+dir|scandir(?:at)?|alphasort|dirfd|DT_\w+)\b},
    'errno.h'    => qr{\b(?:errno|E[A-Z0-9]{2,}|program_invocation\w*)\b},
    'inttypes.h' => qr{\b(?:PRI|SCN)\w+|\bstrto[iu]max\b},
    'limits.h'   => qr{\b(?:[A-Z]+_(?:MAX|MIN)|CHAR_BIT)\b},
    'stdio.h'    => qr{\b(?:\w*printf|FILE|std(?:in|out|err)|f(?:open|close|puts|read|write|flush|gets|seek|tell|eof|error|ileno|dopen)|put(?:s|c|char)|get(?:c|char|line|delim)|rename(?:at2?)?|remove|EOF|BUFSIZ|open_memstream|sscanf|rewind|clearerr|setvbuf|SEEK_\w+|RENAME_\w+|va_list)\b},
    'search.h'   => qr{\b(?:lfind|t(?:search|find|delete|walk|destroy)|VISIT)\b},
    'stdlib.h'   => qr{\b(?:free|malloc|calloc|realloc|qsort(?:_r)?|bsearch|\w*getenv|strto[a-z]+|_?exit|abort|abs|llabs|mk[ds]temp|mkostemps?|realpath|\w*setenv|clearenv|ato[il]|atexit|EXIT_\w+|ptsname|posix_memalign|environ)\b},
    'string.h'   => qr{\b(?:mem|str)\w*\s*\(|\b(?:mem(?:cmp|cpy|move|set)|str(?:cmp|len))\b|\b(?:explicit_bzero|basename)\b},
    'sys/stat.h' => qr{\b(?:\w*stat(?:at|x|_\w+)?|S_\w+|mkdir(?:at)?|f?chmod(?:at)?|umask|utimens(?:at)?|futimens|mk(?:fifo|nod)(?:at)?|mode_t|UTIME_\w+|STATX_\w+)\b},
);

# "FILE: HEADER", of a file's text.
sub unused {
    my ($file, $text) = @_;
    my $code = code_only($text) =~ s/^\s*#\s*include.*$//gmr;
    return map { "$file: <$_>" } grep { $gives{$_} && $code !~ $gives{$_} } $text =~ /^#include <([^>]+)>/mg;
}
my @unused = map { unused($_, slurp(root() . "/$_")) } sources(root(), qr/\.[ch]$/, qw(lib cli examples include));
is_deeply(\@unused, [], 'a file takes something of each standard header that it includes') or diag(join "\n", @unused);
is_deeply([ unused('a.c', "#include <stdio.h>\n#include <stdlib.h>\nint x; /* printf() */\nvoid y(void) { free(0); }\n") ],
    ['a.c: <stdio.h>'], 'one of which it takes nothing is told');
done_testing();
