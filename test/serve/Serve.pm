# Serve.pm - what the server's tests share: a store with a server, requests as bytes, and whole answers.
package Serve;
use strict;
use warnings;
use Exporter qw(import);
use File::Basename qw(dirname);
use FindBin;
use IO::Select;
use IO::Socket::IP;
use IO::Socket::UNIX;
use JSON::PP ();
use Test::More;
use Time::HiRes qw(time sleep);
use lib dirname(__FILE__) . '/../fault';
use Fault qw(eventually slurp);

our @EXPORT_OK = qw(serve connect_to ask answer_of said_by status_of told);

# Starts a server of a store; gives its pid, with the port and the socket in the store's hash.
sub serve {
    my ($store, @options) = @_;
    $store->{server} = $store->start('serve', '--port', 0, @options);
    my $said = eventually { my $s = $store->so_far($store->{server}); $s =~ /^serving/m ? $s : !$store->is_running($store->{server}) && "gone: $s" } 600;
    like($said, qr/^serving/m, 'the server is there') or BAIL_OUT('it does not start');
    ($store->{port}) = $said =~ m{^TCP[^\n]*http://127\.0\.0\.1:(\d+)/}m;
    $store->{socket} = $store->path('.pingo/serve.sock');
    return $store->{server};
}

# where: tcp, or a path.
sub connect_to {
    my ($store, $where) = @_;
    $where //= $store->{socket};
    my $socket = $where eq 'tcp'
        ? IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => $store->{port})
        : IO::Socket::UNIX->new(Peer => $where);
    $socket->autoflush(1) if $socket;
    return $socket;
}

# All that comes until the end of the connection, or until it matches; undef after so many seconds.
sub said_by {
    my ($socket, $until, $seconds) = @_;
    my ($said, $end) = ('', time + ($seconds // 600));
    my $select = IO::Select->new($socket);
    while (time < $end) {
        next if !$select->can_read(0.5);
        my $n = sysread($socket, $said, 65536, length $said);
        return $said if !$n || defined $until && $said =~ $until;
    }
    return;
}

# One request, answered whole: [ status, headers, body ].
sub answer_of {
    my ($said) = @_;
    my ($head, $body) = ($said // '') =~ /\A(HTTP\/1\.1 .*?)\r\n\r\n(.*)\z/s or return [ 0, '', $said // '' ];
    my ($status) = $head =~ /^HTTP\/1\.1 (\d+)/;
    return [ $status, $head, $body ];
}

sub ask {
    my ($store, $method, $path, %o) = @_;
    my $socket = connect_to($store, $o{where}) or return [ 0, '', "no connection: $!" ];
    my $body = $o{body} // '';
    my $headers = join '', map { "$_\r\n" } 'Connection: close', @{ $o{headers} // [] };
    $headers .= 'Content-Length: ' . length($body) . "\r\nContent-Type: application/json\r\n" if length $body;
    $headers .= "Host: localhost\r\n" if $headers !~ /^Host:/m;
    local $SIG{PIPE} = 'IGNORE';
    print {$socket} "$method $path HTTP/1.1\r\n$headers\r\n$body";
    return answer_of(said_by($socket));
}

sub status_of { return ask(@_)->[0] }
sub told { return JSON::PP::decode_json(ask(@_)->[2] || '{}') }

1;
