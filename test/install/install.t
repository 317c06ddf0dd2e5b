#!/usr/bin/perl
# An installation can be used: a program outside the tree is built with nothing but pkg-config,
# shared and static, and runs.  What was left out of a build is left out of what links it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../house";
use House qw(root build slurp spew scratch run sources public_functions);
use Test::More;

my $scratch = scratch();
my $make    = $ENV{MAKE} // 'make';
my $build   = build();
chdir root();
-x "$build/pingo" or BAIL_OUT('run make first');
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CPPFLAGS LDFLAGS PKG_CONFIG_PATH LD_LIBRARY_PATH LIBRARY_PATH CPATH)};

sub ok_run {
    my ($what, @command) = @_;
    my ($status, $said) = run(@command);
    is($status, 0, $what) or diag($said);
    return $said;
}

sub files_below { return [ sort { $a cmp $b } sources($_[0], qr/./, '.') ] }

# The program of a stranger: plans a workflow, then opens a store and closes it.
spew("$scratch/outside/program.c", <<'C');
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pingo.h>
#include <pingo/executor.h>

int main(int argc, char **argv)
{
    const char *text = "{\"name\":\"w\",\"actions\":[{\"id\":1,\"name\":\"a\",\"type\":\"command-line\","
                       "\"command\":\"echo a > output\"}]}";
    struct pingo_submission submission = {.size = sizeof submission};
    struct pingo_store *store = NULL;
    struct pingo_error err = {0};

    if (argc != 2 || strcmp(pingo_version(), PINGO_VERSION) != 0)
        return 2;
    if (pingo_store_init(argv[1], NULL, &err) != 0 || pingo_store_open(argv[1], NULL, &store, &err) != 0 ||
        pingo_store_submit(store, &(struct pingo_document){text, strlen(text), NULL}, NULL, &submission, &err) != 0)
        fprintf(stderr, "%s\n", err.message);
    else
        printf("workflow %d, %d to compute, local %s\n", (int)submission.workflow,
               (int)submission.summary.compute, pingo_executor_local() ? "yes" : "no");
    pingo_store_close(store);
    return 0;
}
C

# Builds the program against a prefix, in the words of a person who has only read the manual.
sub build_outside {
    my ($what, $prefix, $program, $static) = @_;
    local $ENV{PKG_CONFIG_PATH} = "$prefix/lib/pkgconfig";
    my $flags = '$(pkg-config --cflags --libs ' . ($static ? '--static ' : '') . 'libpingo)';
    ok_run($what, 'sh', '-c', "cd $scratch/outside && cc -Wall -Wextra -Werror program.c -o $program $flags");
    my ($status, $needed) = run('sh', '-c', "readelf -d $scratch/outside/$program | sed -n 's/.*NEEDED.*\\[\\(.*\\)\\]/\\1/p'");
    return split /\n/, $needed;
}

sub run_outside {
    my ($what, $program, $expected, $prefix) = @_;
    local $ENV{LD_LIBRARY_PATH} = "$prefix/lib";
    my $store = "$scratch/store-$program";
    is(ok_run($what, "$scratch/outside/$program", $store), $expected, "$what: it says what it should");
}

# ---- everything -----------------------------------------------------------------------------

# A copy of the build: another PREFIX compiles what knows it anew, which is no concern of other tests.
my $prefix = "$scratch/prefix";
is(system('cp', '-a', $build, "$scratch/build"), 0, 'the build is copied');
my @install = ($make, '-s', '--no-print-directory', "BUILD=$scratch/build");
push @install, "CC=$ENV{CC}" if $ENV{CC};
my $umask = umask 077; # of a careful root
ok_run('make install', @install, "PREFIX=$prefix", 'install');
umask $umask;
my %installed = map { $_ => 1 } map { s{^\./}{}r } @{ files_below($prefix) };
ok($installed{$_}, "$_ is installed")
    for qw(bin/pingo bin/pingo-lab lib/libpingo.a lib/libpingo.so lib/libpingo.so.0.2 lib/pkgconfig/libpingo.pc
    lib/libpingo-lab.a lib/libpingo-lab.so lib/libpingo-lab.so.0.2 lib/pkgconfig/libpingo-lab.pc
    include/pingo.h include/pingo/store.h include/pingo-lab.h include/pingo-lab/simulate.h
    libexec/pingo/pingo-supervisor libexec/pingo/pingo-runner libexec/pingo/pingo-jobcomp libexec/pingo/pingo-lab share/man/man8/pingo-runner.8
    libexec/pingo/pingo-hadoop-runner share/man/man8/pingo-hadoop-runner.8
    share/man/man1/pingo.1 share/man/man3/libpingo.3 share/man/man3/libpingo-lab.3
    share/man/man3/pingo_scheduler.3 share/man/man5/pingo-workflow.5
    share/bash-completion/completions/pingo share/zsh/site-functions/_pingo share/fish/vendor_completions.d/pingo.fish);
is_deeply([ grep { ((stat "$prefix/$_")[2] & 0444) != 0444 } sort keys %installed ], [], 'everybody may read all of it');
is_deeply([ grep { !$installed{$_} } sources(root(), qr/\.h$/, 'include') ], [], 'every public header is installed');

is(readlink("$prefix/share/man/man3/pingo_scheduler_tick.3"), 'pingo_scheduler.3', 'the name of a function leads to its page');

my $version = ok_run('pkg-config knows it', 'sh', '-c', "PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --modversion libpingo");
chomp $version;
like(slurp(root() . '/include/pingo/version.h'), qr/#define PINGO_VERSION "\Q$version\E"/, 'with the version of the headers');

my @needed = build_outside('a shared build outside the tree', $prefix, 'shared');
ok(scalar(grep { $_ eq 'libpingo.so.0.2' } @needed), 'needs the library of this minor version') or diag("@needed");
run_outside('the shared program', 'shared', "workflow 1, 1 to compute, local yes\n", $prefix);
{
    local $ENV{PKG_CONFIG_PATH} = "$prefix/lib/pkgconfig";
    my $cflags = ok_run('the flags of a client', 'pkg-config', '--cflags', 'libpingo');
    is($cflags =~ s/\s+\z//r, "-I$prefix/include", 'name our headers and no other\'s');
    ok_run('where the shared library lies beside, the archive is linked by name', 'sh', '-c',
        "cd $scratch/outside && cc program.c -o beside " .
        '$(pkg-config --cflags libpingo) $(pkg-config --variable=static libpingo)');
    unlike(ok_run('what it needs', 'readelf', '-d', "$scratch/outside/beside"), qr/libpingo/, 'it needs no libpingo.so');
}

# The laboratory: of its own, with the history of the other library.
spew("$scratch/outside/lab.c", <<'C');
#include <stdio.h>
#include <pingo.h>
#include <pingo-lab.h>

int main(void)
{
    struct pingo_history *history = NULL;
    struct pingo_workload *workload = NULL;
    struct pingo_simulation_options options = {.version = 1, .algorithm = pingo_clairvoyant(), .budget_bytes = 1000000};
    struct pingo_simulation_result result = {.size = sizeof result};
    struct pingo_error err = {0};

    if (pingo_generate(NULL, &history, &err) != 0 || pingo_workload_new(history, &workload, &err) != 0 ||
        pingo_workload_simulate(workload, &options, &result, &err) != 0)
        fprintf(stderr, "%s\n", err.message);
    else
        printf("%d submissions, %s\n", (int)pingo_history_count_submissions(history), result.nevictions > 0 ? "evictions" : "none");
    pingo_workload_free(workload);
    pingo_history_free(history);
    return 0;
}
C
sub lab_outside {
    my ($from, $flags, $what) = @_;
    local $ENV{PKG_CONFIG_PATH} = "$from/lib/pkgconfig";
    local $ENV{LD_LIBRARY_PATH} = "$from/lib";
    my $said = ok_run("the laboratory, $what", 'sh', '-c',
        "cd $scratch/outside && cc -Wall -Wextra -Werror lab.c -o lab \$(pkg-config --cflags libpingo-lab) \$(pkg-config $flags libpingo-lab) && ./lab");
    like($said, qr/^240 submissions, evictions$/, "$what: simulates");
    return (run('readelf', '-d', "$scratch/outside/lab"))[1];
}
like(lab_outside($prefix, '--libs', 'shared'), qr/libpingo-lab\.so\.0\.2/, 'needs the library of this minor version');
unlike(lab_outside($prefix, '--variable=static', 'the archives by name'), qr/libpingo/, 'needs no library of ours');

# A binding loads the library with RTLD_LOCAL: a plug-in that names the library as its own need works there too.
spew("$scratch/outside/binding.c", <<'C');
#include <dlfcn.h>
#include <stdio.h>
#include <pingo.h>

int main(int argc, char **argv)
{
    void *lib = argc == 4 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*init)(const char *, const char *, struct pingo_error *);
    int (*open_store)(const char *, const struct pingo_store_options *, struct pingo_store **, struct pingo_error *);
    int (*set)(struct pingo_store *, const char *, const char *, struct pingo_error *);
    struct pingo_store *store = NULL;
    struct pingo_error err = {0};

    if (lib == NULL || !(init = dlsym(lib, "pingo_store_init")) || !(open_store = dlsym(lib, "pingo_store_open")) ||
        !(set = dlsym(lib, "pingo_store_set")))
        return 2;
    if (init(argv[2], NULL, &err) || open_store(argv[2], NULL, &store, &err) ||
        set(store, "decision.algorithm", argv[3], &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    return 0;
}
C
my $plugin = root() . '/examples/decision-plugin/cheapest.c';
ok_run('a plug-in that is linked with the library', 'sh', '-c', "PKG_CONFIG_PATH=$prefix/lib/pkgconfig; export PKG_CONFIG_PATH;" .
    " cc -std=c11 -shared -fPIC -o $scratch/cheapest.so $plugin \$(pkg-config --cflags --libs libpingo)");
# Each example that embeds the library says how it is built where the library is installed.
for my $example (qw(embed-executor embed-external embed-process plan-only)) {
    my ($line) = slurp(root() . "/examples/$example/$example.c") =~ /^ \*     (cc .*)$/m;
    ok($line, "$example says how it is built") or next;
    local $ENV{PKG_CONFIG_PATH} = "$prefix/lib/pkgconfig";
    ok_run('and is built so', 'sh', '-c', "cp -R examples/$example $scratch/outside/ && cd $scratch/outside/$example && $line");
}

ok_run('a program that loads the library', 'sh', '-c', "cc -I$prefix/include $scratch/outside/binding.c -o $scratch/binding -ldl");
{
    local $ENV{LD_LIBRARY_PATH} = "$prefix/lib";
    ok_run('the plug-in where the library is RTLD_LOCAL', "$scratch/binding", "$prefix/lib/libpingo.so", "$scratch/store-local", "$scratch/cheapest.so");
}

my $said = ok_run('the installed pingo runs a workflow', 'sh', '-c', <<"SH");
mkdir $scratch/there && cd $scratch/there &&
printf '{"name":"w","actions":[{"id":1,"name":"a","type":"command-line","command":"echo hello > output"}]}' >w.json &&
$prefix/bin/pingo init >&2 && $prefix/bin/pingo run -q w.json >&2 && cat "\$($prefix/bin/pingo path last a)"
SH
like($said, qr/^hello$/m, 'with the installed helper');
unlike(ok_run('the installed pingo lists its commands', "$prefix/bin/pingo", 'help'), qr/other programs|jobcomp/,
    'and no program beside it that is for others');

# Its programs are found wherever the prefix is moved, and where it was installed when the program alone is.
sub families { return ok_run("$_[0]: the laboratory is found", $_[1], 'generate', '--list') }
my $families = families('installed', "$prefix/bin/pingo");
like($families, qr/^  uniform-n /m, 'and answers');
is((run("$prefix/bin/pingo-lab", 'generate', '--list'))[1], $families, 'as by its own name');
ok(rename($prefix, "$scratch/moved"), 'the prefix is moved');
is(families('moved', "$scratch/moved/bin/pingo"), $families, 'it says the same');
is((run("$scratch/moved/bin/pingo-lab", 'generate', '--list'))[1], $families, 'and by its own name');
like(ok_run('the moved pingo runs a workflow', 'sh', '-c', "cd $scratch/there && P=$scratch/moved/bin/pingo && " .
    'sed s/hello/moved/ w.json >m.json && $P run -q m.json >&2 && cat "$($P path last a)"'), qr/^moved$/m, 'with the moved helper');
ok(rename("$scratch/moved", $prefix), 'and moved back');
ok_run('the program alone', 'cp', "$prefix/bin/pingo", "$scratch/alone");
is(families('elsewhere', "$scratch/alone"), $families, 'it says the same');

# DESTDIR moves the files and nothing in them; uninstall leaves nothing.
ok_run('make install DESTDIR', @install, "PREFIX=$prefix", "DESTDIR=$scratch/dest", 'install');
is_deeply(files_below("$scratch/dest$prefix"), files_below($prefix), 'the same files below DESTDIR');
is(slurp("$scratch/dest$prefix/lib/pkgconfig/libpingo.pc"), slurp("$prefix/lib/pkgconfig/libpingo.pc"), 'the same libpingo.pc');
is(families('below DESTDIR', "$scratch/dest$prefix/bin/pingo"), $families, 'it says the same');
spew("$scratch/dest$prefix/lib/libother.a", 'another\'s');
ok_run('make uninstall DESTDIR', @install, "PREFIX=$prefix", "DESTDIR=$scratch/dest", 'uninstall');
is_deeply(files_below("$scratch/dest$prefix"), ['./lib/libother.a'], 'leaves what is another\'s and nothing else');
ok(!-l "$scratch/dest$prefix/share/man/man3/pingo_scheduler_tick.3", 'no link to a page either');

# ---- static: a prefix without the shared library ----------------------------------------------

my $static = "$scratch/static";
ok_run('make install WITHOUT="shared"', @install, "PREFIX=$static", 'WITHOUT=shared', 'install');
ok(!-e "$static/lib/libpingo.so", 'has no shared library');
for my $words (0, 1) { # with and without --static
    @needed = build_outside('a static build outside the tree', $static, "static$words", $words);
    ok(!grep({ /pingo/ } @needed), 'needs no libpingo.so') or diag("@needed");
    run_outside('the static program', "static$words", "workflow 1, 1 to compute, local yes\n", $static);
}

# The flags of a prefix with a space are for a shell that reads them once more.
my $spaced = "$scratch/a b";
ok_run('make install where there is a space', @install, "PREFIX=$spaced", 'WITHOUT=shared', 'install');
{
    local $ENV{PKG_CONFIG_PATH} = "$spaced/lib/pkgconfig";
    ok_run('a build against it', 'sh', '-c', "cd $scratch/outside && eval \"cc program.c -o spaced \$(pkg-config --cflags --libs libpingo)\"");
}
run_outside('its program', 'spaced', "workflow 1, 1 to compute, local yes\n", $spaced);

unlike(lab_outside($static, '--libs', 'static'), qr/libpingo/, 'needs no library of ours');

# A program that only plans takes from the archive what planning needs: it links without the
# database and the event loop, and holds nothing of them.
my $plan_only = root() . '/examples/plan-only/plan-only.c';
ok_run('a program that only plans links without sqlite and libuv', 'sh', '-c',
    "cc -D_GNU_SOURCE -I$static/include $plan_only -o $scratch/plan-only $static/lib/libpingo.a -lcjson -lnettle -pthread -lm");
my $symbols = ok_run('its symbols', 'nm', "$scratch/plan-only");
unlike($symbols, qr/\b(?:sqlite3|uv)_\w+/, 'it holds no symbol of sqlite or libuv');
unlike($symbols, qr/\bpingo__(?:store|executor|local|manager|engine)_\w+/, 'nor of the rooms above the planner');
like($symbols, qr/\bT pingo_plan\b/, 'but the planner');

# ---- without the local executor -----------------------------------------------------------------

# From the same objects: what is left out changes what is archived and linked, and no flag.
my $lean = "$scratch/lean";
ok_run('make WITHOUT="local" builds', @install, "PREFIX=$lean", 'WITHOUT=local', 'install');
ok(!-e "$lean/libexec/pingo/pingo-supervisor", 'it has no helper');
my (undef, $dynamic) = run('readelf', '-d', "$lean/lib/libpingo.so");
unlike($dynamic, qr/libuv/, 'nothing else in the library needs libuv');
unlike((run('nm', '-D', "$lean/lib/libpingo.so"))[1], qr/\buv_(?:pipe|spawn|listen)/, 'but nothing of a supervisor is asked of it');
my %exported = map { /\bT (pingo_\w+)/ ? ($1 => 1) : () } split /\n/, (run('nm', '-D', '--defined-only', '--without-symbol-versions', "$lean/lib/libpingo.so"))[1];
my %public   = public_functions(root());
is_deeply([ grep { !$exported{$_} } sort keys %public ], [], 'every public function is there all the same');
build_outside('a program against it', $lean, 'lean');
run_outside('the program without the local executor', 'lean', "workflow 1, 1 to compute, local no\n", $lean);
done_testing();
