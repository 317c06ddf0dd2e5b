#!/usr/bin/perl
# Whatever a header of the library or of the programs gives away is used by another file, or by a test: what only its own
# file calls is static there, and what nobody calls is gone.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root sources slurp code_only);
use Test::More;

# Two functions of one file that call each other: one of them must be known before it is there.
my %others = map { $_ => 1 } qw(
    pingo__executor_clients_drain pingo__executor_crew_on_reaper pingo__view_members loop_sent
);

# The functions and tables that a header declares; and those that stand in it, as one statement of SQL.
sub declared {
    my ($code) = @_;
    my @names = $code =~ /^(?!static|typedef|#)[a-z][\w *]*?\b(\w+)\([^;{}]*\)[^;{}]*;/mg;
    push @names, $code =~ /^PINGO__(?:WRITE|CHANGE|NUMBER|EXISTS)\(\s*(\w+)\(/mg;
    push @names, $_ =~ /(\w+)/g for $code =~ /^extern [^;(]*?\b((?:\w+(?:, )?)+)(?:\[[^]]*\])*;/mg;
    return grep { !/^(?:const|struct|extern|int|char|bool|unsigned)$/ && !/__attribute__/ } @names;
}

# Those that no file but their own uses: the one where they are defined, which is no header.
sub unused {
    my ($texts) = @_;
    my (%users, @unused);
    for my $file (keys %$texts) {
        my %seen = map { $_ => 1 } $texts->{$file} =~ /\b([a-z]\w+)/g;
        push @{ $users{$_} }, $file for keys %seen;
    }
    for my $header (sort grep { m{^(?:lib|cli)/.*\.h$} } keys %$texts) {
        for my $name (declared($texts->{$header})) {
            my $n = grep { $_ ne $header } @{ $users{$name} };
            # A macro of the header is how others call it; or it stands here.
            $n++ if 1 < (() = $texts->{$header} =~ /\b$name\b/g) || $texts->{$header} =~ /^PINGO__[A-Z]+\(\s*$name\(/m;
            push @unused, "$header: $name" if $n < 2 && !$others{$name};
        }
    }
    return @unused;
}

my %texts = map { $_ => code_only(slurp(root() . "/$_")) } sources(root(), qr/\.[ch]$/, qw(lib cli include examples test));
# Pages and help are made into C when it is built.
$texts{'cli/texts.pl'} = slurp(root() . '/cli/texts.pl');
$texts{'cli/serve/page/pack.pl'} = slurp(root() . '/cli/serve/page/pack.pl');
cmp_ok(scalar(map { declared($texts{$_}) } grep { m{^lib/.*\.h$} } keys %texts), '>', 1000, 'headers give functions away');
my @unused = unused(\%texts);
is_deeply(\@unused, [], 'each has a caller elsewhere') or diag(join "\n", @unused);

# The test can fail.
my %small = ('lib/x/x.h' => "int pingo__x_get(int a);\nint pingo__x_set(int a,\n                 int b);\nextern const struct x pingo__x_one, pingo__x_two;\nPINGO__WRITE(pingo__x_put(DB, ERR), \"\", NONE);\nPINGO__NUMBER(\n    pingo__x_count(DB), n);\n",
    'lib/x/x.c' => "int pingo__x_get(int a)\n{\n}\nint pingo__x_set(int a, int b)\n{\n}\n = pingo__x_one pingo__x_two",
    'lib/y/y.c' => "    pingo__x_set(1, 2); pingo__x_two; pingo__x_count(db);");
is_deeply([ unused(\%small) ], [ map { "lib/x/x.h: pingo__x_$_" } qw(get put one) ], 'what nobody else uses is noticed');
done_testing();
