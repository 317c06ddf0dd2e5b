#!/usr/bin/perl
# The Makefile makes again what has changed, flags and lists included, and nothing else; and
# `.ci/deps` installs what is missing, and only that.  In a small copy of the tree.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root slurp spew scratch run);
use Test::More;

delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CPPFLAGS LDFLAGS BUILD CC)};
my $scratch = scratch();
my $tree    = "$scratch/the tree";
mkdir $tree;
mkdir "$tree/lib";
system('cp', '-R', map({ root() . "/$_" } qw(Makefile include .ci)), $tree) == 0 or die;
system('cp', '-R', root() . '/lib/base', "$tree/lib") == 0 or die;

my $archive = 'build/libpingo.a';

# What make compiles and archives when asked for the archive.
sub made {
    my (@settings) = @_;
    my ($status, $said) = run(qw(make --no-print-directory -C), $tree, 'ROOMS=base', 'OPT=-O0', @settings, $archive);
    is($status, 0, "make @settings") or diag($said);
    return [ sort map { / -c -o \S+ (\S+)$/ ? $1 : /^ar / ? 'ar' : () } split /\n/, $said ];
}

my @all = map { s{^\Q$tree\E/}{}r } sort glob("'$tree'/lib/base/*.c");
is_deeply(made(), [ sort 'ar', @all ], 'at first everything is compiled');
is_deeply(made(), [], 'then nothing');
is_deeply(made('CFLAGS=-DOTHER'), [ sort 'ar', @all ], 'with another flag everything');
is_deeply(made('CFLAGS=-DOTHER'), [], 'and with that flag nothing again');
is_deeply(made('CPPFLAGS=-DOTHER'), [ sort 'ar', @all ], 'flags of the preprocessor are added to ours');
made('CFLAGS=-DOTHER');
is_deeply(made('CFLAGS=-DOTHER', 'PREFIX=/somewhere'), [], 'the prefix concerns those that know it');

is_deeply(made('CFLAGS=-DOTHER', 'WERROR=-Werror'), [], 'whether warnings are errors compiles nothing anew');
unlike((run(qw(make -n -B -C), $tree, 'ROOMS=base', $archive))[1], qr/-Werror/, 'a user\'s build takes warnings as such');

my $future = time + 10;
utime $future, $future, "$tree/lib/base/map.h";
my @users = sort grep { slurp("$tree/$_") =~ m{#include "base/map\.h"} } @all;
cmp_ok(scalar @users, '>', 0, 'something includes base/map.h');
is_deeply(made('CFLAGS=-DOTHER'), [ sort 'ar', @users ], 'a changed header compiles what includes it');

utime $future - 3600, $future - 3600, "$tree/lib/base/map.h"; # else it is newer than what was just compiled
unlink "$tree/lib/base/map.c";
is_deeply(made('CFLAGS=-DOTHER'), ['ar'], 'a source that is gone changes the archive');
unlike((run('ar', 't', "$tree/$archive"))[1], qr/^map\.o$/m, 'which no longer has it');

my $makefile = slurp("$tree/Makefile");
unlike($makefile, qr/\$\(abspath/, 'abspath takes a path with a space apart');
my %place = ('build' => "$tree/build", '/else/where' => '/else/where');
is((run(qw(make -s -C), $tree, "BUILD=$_", '--eval=where: ; @echo $(ABS_BUILD)', 'where'))[1], "$place{$_}\n", "BUILD=$_ is at $place{$_}")
    for sort keys %place;
my ($help)   = (run('make', '-s', '-C', $tree, 'help'))[1];
my ($phony)  = $makefile =~ /^\.PHONY: ((?:.*\\\n)*.*)/m;
like($help, qr/^  make \Q$_\E /m, "make help tells of $_")
    for grep { !/^(?:FORCE|unit-programs|\\)$/ } split ' ', $phony;

# Of 32 bits an action's id would be cut, and its child be another's.  Without that machine's C library the file that
# says for which calls it has none is missing.
spew("$scratch/32/gnu/stubs-32.h", '');
my @of_32 = ('gcc', qw(-m32 -fsyntax-only -std=c11 -D_GNU_SOURCE), map { "-isystem$_" } "$scratch/32", '/usr/include/x86_64-linux-gnu');
SKIP: {
    skip 'gcc knows no machine of 32 bits here', 2 if (run(@of_32, '-xc', '-include', 'stdlib.h', '/dev/null'))[0] != 0;
    my ($status, $said) = run(@of_32, map({ '-I' . root() . "/$_" } qw(include lib)), root() . '/lib/workflow/links.c');
    isnt($status, 0, 'a build for 32 bits is refused');
    like($said, qr/processor of 64 bits/, 'and says what it needs');
}

# .ci/deps with an apt-get that only notes what it was asked for.
my $bin = "$scratch/bin";
spew("$bin/apt-get", "#!/bin/sh\necho \"\$*\" >>$scratch/asked\n");
spew("$bin/id",      "#!/bin/sh\necho 0\n");
chmod 0755, "$bin/apt-get", "$bin/id";

sub deps {
    my (@groups) = @_;
    unlink "$scratch/asked";
    local $ENV{PATH} = "$bin:$ENV{PATH}";
    my ($status, $said) = run('sh', "$tree/.ci/deps", @groups);
    return ($status, $said, -e "$scratch/asked" ? slurp("$scratch/asked") : '');
}

is_deeply([ deps('build') ], [ 0, '', '' ], 'nothing is missing: nothing is said or installed');
spew("$bin/pkg-config", "#!/bin/sh\ncase \"\$*\" in *libuv*) exit 1 ;; esac\n");
chmod 0755, "$bin/pkg-config";
my ($status, $said, $asked) = deps('build');
is($status, 0, 'a library is missing');
like($said, qr/libuv1-dev$/m, 'it is named');
is($asked, "update\ninstall -y --no-install-recommends libuv1-dev\n", 'and it alone installed');

# make test has them installed in one go, and group by group where that cannot be.  Two are missing, whatever this
# machine has.
my $recipe = slurp("$tree/.ci/deps");
spew("$tree/.ci/deps", $recipe =~ s/^ *need\w* (?!slurm-client|maven).*\n//gmr =~ s/need slurm-client \K\w+/absent-one/r =~ s/need maven \K\w+/absent-two/r);
spew("$bin/apt-get", <<"X");
#!/bin/sh
echo "\$*" >>$scratch/asked
case "\$*" in *slurm*maven*) test ! -e $scratch/refuses || exit 1 ;; esac
case "\$*" in *slurm*) cp $bin/id $bin/absent-one ;; esac
case "\$*" in *maven*) cp $bin/id $bin/absent-two ;; esac
X
spew("$bin/perl",       "#!/bin/sh\n");
spew("$bin/pkg-config", "#!/bin/sh\n");
chmod 0755, "$bin/perl";

sub test_asks {
    unlink "$scratch/asked", "$bin/absent-one", "$bin/absent-two";
    local $ENV{PATH} = "$bin:$ENV{PATH}";
    run(qw(make -s -C), $tree, 'test');
    return [ split /\n/, slurp("$scratch/asked") =~ s/install -y --no-install-recommends //gr ];
}
is_deeply(test_asks(), [ 'update', 'slurm-client maven' ], 'make test: what is missing is installed at once');
spew("$scratch/refuses", '');
is_deeply(test_asks(), [ 'update', 'slurm-client maven', 'update', 'slurm-client', 'update', 'maven' ], 'or each by itself');
unlink "$bin/perl";

spew("$tree/.ci/deps", $recipe);
spew("$bin/pkg-config", "#!/bin/sh\ncase \"\$*\" in *libuv*) exit 1 ;; esac\n");
spew("$bin/apt-get", "#!/bin/sh\necho no network\nexit 100\n");
($status, $said) = deps('build');
isnt($status, 0, 'a failure is one');
like($said, qr/no network/, 'and shows what apt-get said');
isnt((deps('kitchen'))[0], 0, 'there is no group kitchen');
done_testing();
