#!/usr/bin/perl
# pingo serve with real sockets: what is refused, who may ask, uploads, streams, what clients do badly, and its end.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Serve qw(serve connect_to ask answer_of said_by status_of told);
use Fault qw(eventually slurp spew action);
use Test::More;
use POSIX ();
use Time::HiRes qw(time sleep);

$SIG{PIPE} = 'IGNORE';
my $store = Fault->new(slots => 2);
my $pid   = serve($store);
my $token = sub { my ($name, @o) = @_; my ($t) = $store->well('token', 'create', $name, @o) =~ /(pingo_\w+)/; return $t };

# ---- what is refused ------------------------------------------------------------------------------

my $rest = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
my @wrong = (
    [ 'two equal lengths', "POST /v1/workflows HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc$rest", 400 ],
    [ 'two lengths', "POST /v1/workflows HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabc$rest", 400 ],
    [ 'length and chunks', "POST /v1/workflows HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n$rest", 400 ],
    [ 'space before the colon', "POST /v1/workflows HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n$rest", 400 ],
    [ 'xchunked', "POST /v1/workflows HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n$rest", 501 ],
    [ 'bare LF', "GET /healthz HTTP/1.1\nHost: a\n\n$rest", 400 ],
    [ 'a folded line', "GET /healthz HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n$rest", 400 ],
    [ 'no Host', "GET /healthz HTTP/1.1\r\n\r\n$rest", 400 ],
    [ 'two Hosts', "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n$rest", 400 ],
    [ '+3', "POST /v1/workflows HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc$rest", 400 ],
    [ '-1', "POST /v1/workflows HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\nabc$rest", 400 ],
    [ '3, 3', "POST /v1/workflows HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\nabc$rest", 400 ],
    [ 'a NUL', "GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n$rest", 400 ],
    [ 'HTTP/9.9', "GET /healthz HTTP/9.9\r\nHost: a\r\n\r\n$rest", 505 ],
    [ 'a space in the target', "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n$rest", 400 ],
    [ 'a body that nobody takes', "GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc$rest", 413 ],
    [ 'another expectation', "POST /v1/workflows HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: x\r\n\r\nabc$rest", 417 ],
    [ 'a long line', 'GET /' . 'a' x 9000 . " HTTP/1.1\r\nHost: a\r\n\r\n$rest", 414 ],
    [ 'a chunk\'s extension that ends with LF', "POST /v1/workflows HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1;a\nX\r\n0\r\n\r\n$rest", 400 ],
);
for my $row (@wrong) {
    my ($what, $bytes, $status) = @$row;
    my $socket = connect_to($store);
    print {$socket} $bytes;
    my $said = said_by($socket) // 'it stays open';
    my $answers = () = $said =~ /^HTTP\/1\.1/mg;
    is_deeply([ answer_of($said)->[0], $answers ], [ $status, 1 ], "$what: $status, and nothing behind it is answered") or diag($said);
}

# ---- requests that follow each other, in any pieces ------------------------------------------------

my $socket = connect_to($store);
print {$socket} $rest x 50, "GET /version HTTP/1.0\r\n\r\n";
my $said    = said_by($socket) // '';
my $answers = () = $said =~ /^HTTP\/1\.1 200 OK/mg;
is($answers, 51, 'pipelined requests are answered one after the other, and HTTP/1.0 ends the connection');
is(scalar(() = $said =~ /^Connection: close\r$/mg), 1, 'which the last answer says');
$socket = connect_to($store);
for my $byte (split //, $rest) {
    print {$socket} $byte;
}
like(said_by($socket, qr/"ok"/) // '', qr/200 OK.*"ok"/s, 'byte by byte');
is(status_of($store, 'GET', '/nothing'), 404, 'there is no such path');
my $refused = ask($store, 'PUT', '/healthz');
is($refused->[0], 405, 'a method that is not taken');
like($refused->[1], qr/^Allow: GET, HEAD\r$/m, 'tells what is allowed');
my $head = ask($store, 'HEAD', '/healthz');
like($head->[1], qr/^Content-Length: 16\r$/m, 'HEAD tells the length');
is($head->[2], '', 'and no body');
like($head->[1], qr/^\Q$_\E: /m, "each answer has $_")
    for qw(Content-Security-Policy X-Content-Type-Options Referrer-Policy Cross-Origin-Resource-Policy);

# ---- who may ask -------------------------------------------------------------------------------------

my @tcp = (where => 'tcp');
is(status_of($store, 'GET', '/v1/workflows'), 200, 'the owner needs no token on the socket');
is(status_of($store, 'GET', '/v1/workflows', @tcp), 401, 'on TCP he does');
like(ask($store, 'GET', '/v1/workflows', @tcp)->[1], qr/^WWW-Authenticate: Bearer/m, 'which is told');
my ($viewer, $submitter) = ($token->('v', '--role', 'viewer'), $token->('s', '--role', 'submitter'));
my $workflow = JSON::PP::encode_json({ name => 'w', actions => [ action(1, 'echo hello >output') ] });
is(status_of($store, 'GET', '/v1/workflows', @tcp, headers => ["Authorization: Bearer $viewer"]), 200, 'a viewer sees');
is(status_of($store, 'POST', '/v1/workflows', @tcp, headers => ["Authorization: Bearer $viewer"], body => $workflow), 403, 'and submits nothing');
my $submitted = ask($store, 'POST', '/v1/workflows', @tcp, headers => ["Authorization: Bearer $submitter"], body => $workflow);
is($submitted->[0], 201, 'a submitter submits') or diag($submitted->[2]);
ok(eventually(sub { ($store->state_of(1) // '') eq 'FINISHED' }), 'and the server runs it');
is(status_of($store, 'PATCH', '/v1/settings', @tcp, headers => ["Authorization: Bearer $submitter"], body => '{}'), 403, 'settings are an admin\'s');
$store->well('token', 'revoke', 'v');
is(status_of($store, 'GET', '/v1/workflows', @tcp, headers => ["Authorization: Bearer $viewer"]), 401, 'what was revoked is good for nothing');
my @bad = map { status_of($store, 'GET', '/v1/workflows', @tcp, headers => ["Authorization: Bearer pingo_$_"]) } 1 .. 25; # in two minutes, should one end now
ok(scalar(grep { $_ == 429 } @bad), 'who tries many tokens is told to wait') or diag("@bad");
is(status_of($store, 'GET', '/v1/workflows', @tcp, headers => ["Authorization: Bearer $submitter"]), 200, 'who has one is not');

is(status_of($store, 'GET', "http://localhost:$store->{port}/healthz", @tcp), 200, 'a whole address is asked, as of a proxy');
is(status_of($store, 'GET', "http://evil.test:$store->{port}/healthz", @tcp), 421, 'then its name counts');
is(status_of($store, 'GET', '/healthz', @tcp, headers => ["Host: evil.test:$store->{port}"]), 421, 'another name leads here: 421');
is(status_of($store, 'GET', '/healthz', @tcp, headers => ["Host: LOCALHOST:$store->{port}"]), 200, 'localhost is ours');
is(status_of($store, 'GET', '/healthz', headers => ['Origin: https://evil.test']), 403, 'a page of elsewhere');
is(status_of($store, 'GET', '/healthz', headers => ['Host: localhost:1', 'Origin: http://localhost:1']), 200, 'one of ours');
is(status_of($store, 'GET', '/healthz', headers => ["Sec-Fetch-Site: $_"]), 403, "Sec-Fetch-Site: $_") for qw(cross-site same-site);
is(status_of($store, 'GET', '/healthz', headers => ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate']), 200, 'a link may lead here');
is(status_of($store, 'GET', '/v1/workflows', headers => ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate']), 403, 'but not to data');
$socket = connect_to($store);
print {$socket} "POST /v1/workflows HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}";
is(answer_of(said_by($socket))->[0], 415, 'a form of elsewhere can send text/plain: 415');

my $page = told($store, 'POST', '/v1/page/code');
like($page->{url}, qr{^http://127\.0\.0\.1:\d+/#t=\Q$page->{code}\E$}, 'a code for the page');
my $exchange = sub { told($store, 'POST', '/v1/page/token', @tcp, headers => ["Authorization: Bearer $page->{code}"])->{token} };
my $of_page = $exchange->();
is(status_of($store, 'GET', '/v1/settings', @tcp, headers => ["Authorization: Bearer $of_page"]), 200, 'is a token');
is($exchange->(), undef, 'once');
my $of_admin = told($store, 'POST', '/v1/tokens', body => '{"name": "boss", "role": "admin"}')->{token};
for my $token ($of_admin, $of_page) {
    my @by = (headers => ["Authorization: Bearer $token"]);
    is(status_of($store, 'POST', '/v1/page/code', @by, @$_), 403, 'a token, which may be revoked, gives no other that is not') for [], [@tcp];
}

my ($stale, $stale_since) = (told($store, 'POST', '/v1/page/code')->{code}, time);

# ---- uploads, slow and too long ----------------------------------------------------------------------

$socket = connect_to($store);
print {$socket} "POST /v1/validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n";
like(said_by($socket, qr/\r\n\r\n/) // '', qr/^HTTP\/1\.1 100 Continue/, '100 Continue');
my $large = JSON::PP::encode_json({ name => 'large', actions => [ map { action($_, 'echo ' . 'x' x 500 . ' >output') } 1 .. 8000 ] });
for (my $at = 0; $at < length $large; $at += 100_000) {
    my $piece = substr $large, $at, 100_000;
    printf {$socket} "%x\r\n%s\r\n", length $piece, $piece;
}
print {$socket} "0\r\n\r\n";
is(answer_of(said_by($socket, qr/\r\n\r\n\{/))->[0], 200, length($large) . ' bytes in chunks');
$socket = connect_to($store);
print {$socket} "POST /v1/validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99999999999999\r\n\r\n";
is(answer_of(said_by($socket))->[0], 413, 'a body that is too long is refused before it comes');
my $long = JSON::PP::encode_json({ name => 'long', actions => [ map { action($_, 'echo ' . 'x' x 5000 . ' >output') } 1 .. 800 ] });
is(status_of($store, 'POST', '/v1/workflows', body => $long), 201, 'a long workflow');
is(status_of($store, 'POST', '/v1/workflows/2/kill'), 202, 'which nobody needs');
my $taker = fork // die;
if (!$taker) {
    my $s = connect_to($store);
    print {$s} "GET /v1/workflows/2/text HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    my ($n, $at) = (0, time);
    for (1 .. 45) {
        $n += sysread($s, my $piece, 50_000) || last;
        sleep 1;
    }
    while (my $more = sysread($s, my $piece, 1_000_000)) { $n += $more }
    POSIX::_exit($n > length $long && time - $at > 40 ? 0 : 1);
}
my $begun = time;
my @slow = map { my $s = connect_to($store); print {$s} "POST /v1/validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"; $s } 1 .. 50;
is(status_of($store, 'GET', '/readyz'), 200, 'slow bodies stop nobody');
my @idle = map { connect_to($store) } 1 .. 20;
print { $idle[0] } 'GET /heal';
like(said_by($idle[0]) // '', qr/^HTTP\/1\.1 408/, 'half a head is answered 408');
is(said_by($idle[1]), '', 'and who says nothing is left');
like(said_by($slow[0]) // '', qr/^HTTP\/1\.1 408/, 'so is half a body');
cmp_ok(time - $begun, '>=', 25, 'after its time');
waitpid $taker, 0;
is($?, 0, 'who takes an answer slowly gets all of it');
is(status_of($store, 'GET', '/healthz'), 200, 'others go on');

# ---- streams -------------------------------------------------------------------------------------------

my $followed = $store->submit($store->write('follow', action(1, 'echo begun; ' . $store->gate('follow') . '; echo over; echo >output')));
ok(eventually(sub { ask($store, 'GET', "/v1/workflows/$followed/actions/1/stdout")->[2] =~ /begun/ }), 'an action runs');
my $follow = "GET /v1/workflows/$followed/actions/1/stdout?follow=1 HTTP/1.1\r\nHost: a\r\n\r\n";
my $gone = connect_to($store);
print {$gone} $follow;
like(said_by($gone, qr/begun/) // '', qr/chunked.*begun/s, 'its log is followed');
close $gone;
my @streams = map { my $s = connect_to($store); print {$s} $follow if $s; $s } 1 .. 300;
is(scalar(grep { $_ && (said_by($_, qr/begun/) // '') =~ /begun/ } @streams), 300, '300 streams');
is(status_of($store, 'GET', '/v1/pool'), 200, 'beside them others are answered');
my $last = pop @streams;
$store->open_gate('follow');
like(said_by($last, qr/over/) // '', qr/over/, 'what comes later is told');
my $stopped = $store->submit($store->write('stop', action(1, 'echo begun; ' . $store->gate('stop') . '; echo >output')));
ok(eventually(sub { ask($store, 'GET', "/v1/workflows/$stopped/actions/1/stdout")->[2] =~ /begun/ }), 'another action runs');
@streams = map { my $s = connect_to($store); print {$s} $follow =~ s{/$followed/}{/$stopped/}r if $s; $s } 1 .. 300;
is(scalar(grep { $_ && (said_by($_, qr/begun/) // '') =~ /begun/ } @streams), 300, 'and is followed');

# ---- a code that nobody took for a minute ------------------------------------------------------------------

eventually(sub { time - $stale_since > 60.5 }, 62);
is(status_of($store, 'POST', '/v1/page/token', @tcp, headers => ["Authorization: Bearer $stale"]), 401, 'a code is good for a minute');

# ---- its end ---------------------------------------------------------------------------------------------

my $second = $store->pingo('serve', '--no-tcp');
is($second->{status}, 6, 'a second server of a store is refused');
like($second->{err}, qr/runs already/, 'and says why');
is(status_of($store, 'GET', '/healthz'), 200, 'the first one keeps its socket');
$begun = time;
kill TERM => $pid;
is(scalar(grep { ($_ && said_by($_) // '') !~ /0\r\n\r\n\z/ } @streams), 300, 'no log of what goes on ends as if it were whole');
my $end = $store->finish($pid);
my $took = time - $begun;
is($end->{status}, 0, 'it was told to stop');
note(sprintf 'it took %.2f s', $took); # who is not done after five seconds is cut, and none was
ok(!-e $store->{socket}, 'its socket is gone');
is($store->state_of($stopped), 'RUNNING', 'what runs goes on');
$store->open_gate('stop');
$store->well('run', '-q');
is($store->state_of($stopped), 'FINISHED', 'to its end');

my $notes = $store->path('notes');
spew($notes, "mine\n");
is($store->pingo('serve', '--no-tcp', '--socket', $notes)->{status}, 9, 'no socket is made where a file lies');
ok(-s $notes, 'and the file stays');
my $nowhere = $store->pingo('serve', '--port', 0, '--behind-proxy', '300.1.1.1');
is("$nowhere->{status} $nowhere->{err}", "2 pingo: 300.1.1.1 is no IP address\n", 'nor does it listen where no address is');
my $far = $store->path('far' x 40); # longer than the address of a socket may be
mkdir $far;
$pid = serve($store, '--no-run', '--socket', "$far/others.sock");
$store->kill9($pid);
ok(-e $store->{socket} && -e "$far/others.sock", 'a server that was killed leaves its sockets');
$pid = serve($store, '--no-run', '--socket', "$far/others.sock");
is(status_of($store, 'GET', '/readyz'), 200, 'which the next one takes');
$store->submit($store->write('again', action(1, 'echo again >output')));
my $halves = connect_to($store);
print {$halves} "POST /v1/workflows HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{";
eventually { status_of($store, 'GET', '/healthz') == 200 };
$store->kill9($pid);
is_deeply([ glob($store->path('.pingo/serve.?*')) ], [ map { $store->path(".pingo/serve.$_") } qw(lock sock) ], 'half an upload leaves nothing');
$store->well('run', '-q');
$store->clean('after all of it');

my $small = Fault->new(slots => 1);
$small->well('config', 'pool.budget', '1K');
$pid = serve($small);
my $over = $small->submit($small->write('large', action(1, 'head -c 100000 /dev/zero >output')));
$small->well("wait", $over);
is(status_of($small, 'GET', '/readyz'), 200, 'a server whose pool is over its budget');
eventually { $small->so_far($pid) =~ /over its budget/ };
kill TERM => $pid;
my $said_of_it = $small->finish($pid)->{err};
is(scalar(() = $said_of_it =~ /over its budget/g), 1, 'says so once') or diag($said_of_it);
done_testing();
