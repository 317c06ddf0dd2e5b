#!/usr/bin/perl
# pingo serve with other users, with more connections than it has places, on a full disk, with sockets that systemd would give
# it, and behind nginx.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Serve qw(serve connect_to ask answer_of said_by status_of told);
use Fault qw(eventually slurp spew action small_disk);
use File::Temp ();
use IO::Socket::IP;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep);

# More connections than the usual limit of descriptors.
exec 'sh', '-c', 'ulimit -n 16000 && RAISED=1 exec "$@"', 'sh', $^X, $0 if !$ENV{RAISED};
$SIG{PIPE} = 'IGNORE';
my $store = Fault->new(slots => 1);
chmod 0755, $store->{dir};

# ---- a group for a second socket ----------------------------------------------------------------

$store->well('config', 'serve.group', 'no-such-group');
my $refused = $store->pingo('serve', '--no-run', '--socket', $store->path('group.sock'));
is($refused->{status}, 9, 'a group that is not there');
like($refused->{err}, qr/serve\.group: there is no group no-such-group here/, 'is said to be none');
SKIP: {
    # As directories of a site number their groups; a container may have none of these.
    spew($store->path('probe'), '');
    skip 'files cannot be given to a group of no name here', 1 if $> || !chown -1, 4_000_000_017, $store->path('probe');
    $store->well('config', 'serve.group', '4000000017');
    my $grouped = serve($store, '--socket', $store->path('group.sock'), '--no-run');
    is((stat $store->path('group.sock'))[5], 4_000_000_017, 'one without a name is known by its number');
    kill TERM => $grouped;
    $store->finish($grouped);
}
$store->well('config', '--unset', 'serve.group');

# ---- other users on a second socket ----------------------------------------------------------------

my $others = $store->path('others.sock');
$store->well('config', 'serve.users', 'nobody=viewer bin=admin');
$store->well('config', 'serve.trustedProxyUid', scalar getpwnam 'bin');
isnt($store->pingo('config', 'serve.users', 'nobody=king')->{status}, 0, 'a role is one of three');
my $pid = serve($store, '--socket', $others, '--no-run');
is(sprintf('%o', (stat $others)[2] & 0777), '660', 'its mode');
is(sprintf('%o', (stat $store->{socket})[2] & 0777), '600', 'and that of the store\'s own');
SKIP: {
    skip 'only root can be others', 8 if $>;
    chmod 0666, $others;
    my $as = sub {
        my ($uid, @words) = @_;
        open my $fh, '-|', 'setpriv', "--reuid=$uid", '--clear-groups', 'curl', '-s', '-o', '/dev/null', '-w', '%{http_code}', @words or die;
        return scalar <$fh>;
    };
    is($as->('nobody', '--unix-socket', $others, 'http://localhost/v1/workflows'), 200, 'who is listed sees');
    is($as->('nobody', '--unix-socket', $others, '-X', 'POST', 'http://localhost/v1/page/code'), 403, 'but may not what his role may not');
    is($as->('daemon', '--unix-socket', $others, 'http://localhost/v1/workflows'), 403, 'who is not listed may nothing');
    $store->well('config', 'serve.users', 'bin=admin');
    is($as->('nobody', '--unix-socket', $others, 'http://localhost/v1/workflows'), 403, 'nor who is listed no more');
    $store->well('config', 'serve.users', 'nobody=viewer bin=admin');
    my @by_proxy = ('bin', '--unix-socket', $others, 'http://localhost/v1/settings');
    is($as->(@by_proxy), 401, 'a proxy that names nobody asks for nobody, whatever it may itself');
    is($as->(@by_proxy, '-H', 'X-Forwarded-User;'), 401, 'so it is with an empty name');
    is($as->(@by_proxy, '-H', 'X-Forwarded-User: nobody'), 403, 'and else for who is named');
    is($as->('nobody', '--unix-socket', $store->{socket}, 'http://localhost/v1/workflows'), '000', 'the store\'s own socket is the owner\'s');
}

# ---- many connections ------------------------------------------------------------------

my $get  = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
my (@many, $said);
for (1 .. 10_000) {
    my $one = IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => $store->{port}) or last;
    syswrite $one, $get;
    push @many, $one if sysread($one, $said, 4096) && $said =~ /200 OK/;
}
is(scalar @many, 10_000, '10,000 connections: each is answered, and stays') or diag($!);
# On a slow machine the first of them have been idle for a minute by now.
cmp_ok(scalar(() = glob("/proc/$pid/fd/*")), '>', 4_200, 'beside the others') if !$>;
is(ask($store, GET => '/v1/workflows')->[0], 200, 'who comes then is answered, too');
my ($memory) = slurp("/proc/$pid/status") =~ /^VmRSS:\s+(\d+)/m;
note("its memory: $memory kB");
close $_ for splice @many;
kill TERM => $pid;
is($store->finish($pid)->{status}, 0, 'it stops');
ok(!-e $others, 'and takes its sockets away');

# ---- sockets that were opened before -----------------------------------------------------------------

my $given = IO::Socket::IP->new(LocalHost => '127.0.0.1', LocalPort => 0, Listen => 20) or die;
my $port  = $given->sockport;
$store->{port} = $port;
my $early = connect_to($store, 'tcp');
print {$early} $get;
spew($store->path('given.sh'), "ulimit -n 1200; exec 3<&\$1\nLISTEN_PID=\$\$ LISTEN_FDS=1 exec '@{[ Fault::program() ]}' -C '$store->{dir}' serve --no-run\n");
{
    require Fcntl;
    fcntl($given, Fcntl::F_SETFD(), 0);
    $pid = fork // die;
    if (!$pid) { open STDERR, '>', $store->path('given.err'); exec 'bash', $store->path('given.sh'), fileno $given }
}
like(said_by($early, qr/"ok"/) // '', qr/200 OK/, 'who connected before the server was there is answered');
like(slurp($store->path('given.err')), qr{http://127\.0\.0\.1:$port/}, 'it is told where');

# It has 644 places.  Who is idle for the longest makes room.
@many = grep { $_ } map { connect_to($store, 'tcp') } 1 .. 700;
is(scalar @many, 700, 'more connections than places');
is(ask($store, GET => '/healthz', where => 'tcp')->[0], 200, 'who comes late is answered, when those have gone that say nothing');
my $has = () = glob("/proc/$pid/fd/*");
cmp_ok($has, '<', 1000, 'it takes as many as it has places for');
close $_ for splice @many;
kill TERM => $pid;
waitpid $pid, 0;
is($?, 0, 'it stops');

# ---- a full disk ---------------------------------------------------------------------------------------

SKIP: {
    skip 'only root mounts a small disk', 3 if $>;
    my $disk = small_disk('32M');
    mkdir "$disk/store" or die;
    my $full = Fault->new(dir => "$disk/store", slots => 1);
    serve($full, '--no-run');
    my $socket = connect_to($full);
    print {$socket} "POST /v1/validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 60000000\r\n\r\n";
    for (1 .. 600) { print {$socket} ' ' x 100_000 or last }
    is(answer_of(said_by($socket))->[0], 507, 'a body that the disk has no room for');
    is(status_of($full, 'GET', '/v1/workflows'), 200, 'others are answered');
    is(status_of($full, 'POST', '/v1/validate', body => '{"actions":[]}'), 200, 'and there is room again');
    kill TERM => $full->{server};
    $full->finish($full->{server});
}

# ---- behind nginx ----------------------------------------------------------------------------------------

{
    chomp(my $nginx = `command -v nginx || ls /usr/sbin/nginx 2>/dev/null`);
    my $dir = File::Temp->newdir;
    $pid = serve($store, '--no-run');
    my ($recipe) = slurp("$FindBin::Bin/../../man/pingo-serve.1") =~ /^(server \{\n.*?^\}\n)/ms or die 'no recipe';
    system("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=pingo.example.org -addext subjectAltName=DNS:pingo.example.org,DNS:localhost -keyout $dir/key -out $dir/pem 2>/dev/null") == 0 or die;
    $recipe =~ s{/etc/ssl/pingo\.(\w+)}{$dir/$1}g;
    my $front;
    my $configure = sub { my $at = $recipe =~ s/listen 443/listen 127.0.0.1:$front/r =~ s/127\.0\.0\.1:7646/127.0.0.1:$store->{port}/r; spew("$dir/conf", "pid $dir/pid; daemon off; error_log $dir/log info;\nevents {}\nhttp { access_log off; client_body_temp_path $dir/b; proxy_temp_path $dir/p; fastcgi_temp_path $dir/f; uwsgi_temp_path $dir/u; scgi_temp_path $dir/s;\n$at}\n") };
    my ($proxy, $curl);
    my $begin = sub { # on a port that nobody else has taken meanwhile
        for (1 .. 20) {
            $front = IO::Socket::IP->new(LocalHost => '127.0.0.1', LocalPort => 0, Listen => 1)->sockport;
            $configure->();
            $proxy = fork // die;
            if (!$proxy) { exec $nginx, '-c', "$dir/conf", '-p', "$dir" or POSIX::_exit(127) }
            last if eventually { -s "$dir/pid" || waitpid($proxy, POSIX::WNOHANG()) == $proxy } and -s "$dir/pid";
        }
        $curl = "curl -sk --max-time 100 --resolve pingo.example.org:$front:127.0.0.1 -w '\\n%{http_code}' https://pingo.example.org:$front";
    };
    $begin->();
    ok(eventually(sub { `$curl/healthz` =~ /421$/ }), 'a name that is not ours is refused, through a proxy too') or diag(`$curl/healthz`, slurp("$dir/log"));
    kill TERM => $pid;
    $store->finish($pid);
    $store->well('config', 'serve.hosts', 'pingo.example.org');
    $pid = serve($store, '--no-run');
    kill TERM => $proxy;
    waitpid $proxy, 0;
    unlink "$dir/pid";
    $begin->();
    ok(eventually(sub { `$curl/healthz` =~ /"ok".*200$/s }), 'with TLS, by the recipe of the page') or diag(`$curl/healthz`);
    my ($token) = $store->well('token', 'create', 'n', '--role', 'viewer') =~ /(pingo_\w+)/;
    like(`$curl/v1/workflows -H 'Authorization: Bearer $token'`, qr/200$/, 'and a token');
    like(`$curl/v1/workflows -H 'Authorization: Bearer $token' -H 'Origin: https://pingo.example.org:$front'`, qr/200$/, 'a page of another port than 443 is ours');
    like(`$curl/ga4gh/wes/v1/service-info -H 'Authorization: Bearer $token'`, qr{"url":"https://pingo\.example\.org:$front/"}, 'addresses of WES are those of the proxy, with TLS');
    my $pingo  = $ENV{PINGO} // "$FindBin::Bin/../../build/pingo";
    my $by_tls = sub {
        my ($authority, $host) = @_;
        local @ENV{qw(PINGO_TOKEN PINGO_CACERT)} = ($token, $authority);
        return `$pingo --server https://$host:$front status --json 2>&1` . "= " . ($? >> 8);
    };
    like($by_tls->("$dir/pem", 'localhost'), qr/^\[.*= 0$/s, 'pingo --server trusts whom PINGO_CACERT names');
    my $refused = sub { scalar(() = slurp("$dir/log") =~ /alert unknown ca/g) };
    my $before = $refused->();
    like($by_tls->('', 'localhost'), qr/self-signed certificate.*^try: PINGO_CACERT.*= 4$/ms, 'and else nobody but whom the system trusts');
    ok(eventually(sub { $refused->() > $before }), 'the proxy has met that') or diag(slurp("$dir/log"));
    is($refused->(), $before + 1, 'which is not asked for again: it would be the same');
    like($by_tls->("$dir/pem", '127.0.0.1'), qr/certificate.*'127\.0\.0\.1'.*^try: PINGO_CACERT.*= 4$/ms, 'the certificate must be for the name');
    like($by_tls->("$dir/none", 'localhost'), qr/none: PINGO_CACERT names it.*= 9$/s, 'a file that is not there is told');
    like($by_tls->("$dir/conf", 'localhost'), qr/certificate.*conf\n^try: PINGO_CACERT.*= 4$/ms, 'and one that has none');
    open my $events, '-|', "exec $curl/v1/events -N -H 'Authorization: Bearer $token'" or die;
    like(said_by($events, qr/^event: /m) // '', qr/^event: /m, 'a stream begins');
    $store->submit($store->write('streamed', action(1, 'true')));
    $store->submit($store->write('streamed', action(1, 'true')));
    like(said_by($events, qr/^event: workflow/m) // '', qr/^event: workflow/m, 'and tells what changes while it is open');
    kill TERM => $proxy, $pid;
    close $events;
    waitpid $proxy, 0;
    $store->finish($pid);
}
done_testing();
