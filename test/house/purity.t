#!/usr/bin/perl
# What the objects of a room call.  The rooms of floor 1 and json call arithmetic on memory and what
# is handed in: no file, clock, process, database or network.  And no room calls up: what the table
# of lib/README.md says of #include lines holds for the symbols as well.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use House qw(root build sources spew scratch run %may @pure_rooms);
use Test::More;

# What a pure room may call outside the library.
my $common = qr{^(?:mem(?:chr|cmp|cpy|mem|move|rchr|set)|str(?:chr|chrnul|cmp|cpy|csn?pn|cspn|dup|len|ncmp|ndup|nlen|pbrk|rchr|spn|str|casecmp|ncasecmp)
    |(?:__isoc23_)?strto(?:l|ul|ll|ull|imax|umax|d)|malloc|calloc|realloc|reallocarray|free|qsort|qsort_r|bsearch|lfind
    |v?snprintf|isspace|isdigit|isalnum|isalpha|tolower|toupper|__ctype_\w+_loc|strerror_r|__xpg_strerror_r
    |__errno_location|__assert_fail|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|stpcpy|llabs|labs|abs|__isoc(?:99|23)_sscanf
    |v?asprintf|__tls_get_addr)$}x;
my %besides = (
    json     => qr/^cJSON_\w+$/,
    digest   => qr/^(?:nettle_\w+|pthread_\w+)$/,
    decision => qr/^sqrt$/,
    manager  => qr/^(?:pthread_\w+|eventfd(?:_read|_write)?|close|poll|dl(?:open|sym|error|close|addr1)|sigfillset|sigdescr_np|strerror|strncat|sqlite3_changes)$/,
);
# Threads and plug-ins aside, the managers reach clock, files and processes through the world that they are handed: a simulator
# may drive them with another one.
my @worldly = ('manager');

# Object => [ [ symbol, letter ], ... ], of all of them at once.
sub symbols {
    my (@objects) = @_;
    my ($status, $said) = run('nm', '-g', '-P', '-A', @objects);
    die "nm: $said\n" if $status;
    my %symbols = map { $_ => [] } @objects;
    push @{ $symbols{ $_->[0] } }, [ @$_[ 1, 2 ] ] for map { /^(.+?): (\w+) ([A-Za-z])/ ? [ $1, $2, $3 ] : () } split /\n/, $said;
    return %symbols;
}

# What an object of a room calls and should not; %$home: symbol => the room that defines it.
sub breaches {
    my ($room, $object, $symbols, $home) = @_;
    # Of http the server's side is pure: it sees no socket.
    my $is_pure = grep({ $_ eq $room } @pure_rooms, @worldly) || $object =~ m{(?:^|/)lib/http/server/};
    my @breaches;
    for my $symbol (map { $_->[1] =~ /^[Uwv]$/ ? $_->[0] : () } @$symbols) {
        if (my $there = $home->{$symbol}) {
            next if $room eq 'view' && $symbol =~ /^pingo_[a-z]/; # it calls what users call
            push @breaches, "$symbol of $there"
                if $there ne $room && !grep { $_ eq $there } @{ $may{$room} };
        } elsif ($is_pure && $symbol !~ /^pingo_/ && $symbol !~ $common
            && !($besides{$room} && $symbol =~ $besides{$room})) {
            push @breaches, $symbol;
        }
    }
    return @breaches;
}

# Symbol => room, of what objects below lib/ define.
sub homes {
    my (%symbols) = @_;
    my %home;
    for my $object (keys %symbols) {
        my ($room) = $object =~ m{(?:^|/)lib/([^/]+)/};
        $home{ $_->[0] } = $room for grep { $_->[1] =~ /^[A-TV-Z]$/ } @{ $symbols{$object} };
    }
    return %home;
}

# Objects of sources that are there now, not of files that were renamed since.
my @objects = grep { -f root() . '/' . s/\.o$/.c/r && !m{/supervisor/} } sources(build(), qr/\.o$/, 'lib');
cmp_ok(scalar @objects, '>', 10, 'the library is built') or BAIL_OUT('run make first');
chdir build() or die;
my %symbols = symbols(@objects);
my %home    = homes(%symbols);
cmp_ok(scalar keys %home, '>', @objects, 'which define symbols');
for my $room (sort keys %may) {
    my @mine = grep { m{^lib/\Q$room\E/} } @objects;
    my @bad  = map { my $o = $_; map { "$o calls $_" } breaches($room, $o, $symbols{$o}, \%home) } @mine;
    is_deeply(\@bad, [], "$room (" . @mine . ' objects) calls what it may call')
        or diag(join "\n", @bad)
        if @mine;
}
for my $room (qw(json workflow digest plan http/server)) {
    ok(scalar(grep { m{^lib/\Q$room\E/} } @objects), "there are objects of $room");
}

# The test can fail.
my $scratch = scratch();
my @bad     = (
    [ plan     => 'int open(const char *p, int f, ...); int t(void); int t(void) { return open("x", 0); }', ['open'] ],
    [ plan     => 'long time(long *t); long t(void); long t(void) { return time(0); }', ['time'] ],
    [ workflow => 'int sqlite3_open(const char *, void **); int t(void); int t(void) { return sqlite3_open(0, 0); }', ['sqlite3_open'] ],
    [ decision => 'double exp(double); double t(double x); double t(double x) { return exp(x); }', ['exp'] ],
    [ plan     => 'int pingo__store_db(void); int t(void); int t(void) { return pingo__store_db(); }', ['pingo__store_db of store'] ],
    [ store    => 'int pingo__up(void); int t(void); int t(void) { return pingo__up(); }', ['pingo__up of engine'] ],
    [ manager  => 'int unlink(const char *p); int t(void); int t(void) { return unlink("x"); }', ['unlink'] ],
    [ view     => 'int pingo__store_db(void); int t(void); int t(void) { return pingo__store_db(); }', ['pingo__store_db of store'] ],
    [ engine   => 'long time(long *t); int pingo__store_db(void); long t(void); long t(void) { return time(0) + pingo__store_db(); }', [] ],
);
for my $row (@bad) {
    my ($room, $text, $expected) = @$row;
    spew("$scratch/t.c", "$text\n");
    system('gcc', '-fPIC', '-fno-builtin', '-w', '-c', '-o', "$scratch/t.o", "$scratch/t.c") == 0 or die;
    my %of    = symbols("$scratch/t.o");
    my @found = breaches($room, "$scratch/t.o", $of{"$scratch/t.o"}, { 'pingo__store_db' => 'store', 'pingo__up' => 'engine' });
    is_deeply(\@found, $expected, "$room: " . (@$expected ? "@$expected is noticed" : 'may do so'));
}
done_testing();
