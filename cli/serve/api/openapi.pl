#!/usr/bin/perl
# openapi.pl - the document of the API, but for the schemas of what the views write, which the server puts there.
#
#   perl cli/serve/api/openapi.pl openapi.json operations.json routes.h >openapi.c
#
# openapi.json, in which stand the operations of the table of routes.  Of each operations.json says what no table knows,
# below its tag: what it is for, and
#   "query": of a name of the route what it means, where "parameters" does not tell it: a description, of a text or
#       a list of texts, or an object with schema;
#   "headers": which of "parameters" it takes besides;
#   "isTagged": whether its answer has a tag, where not just what readers answer to GET has one;
#   "requestBody", and "responses" by status, or that of 200 alone: the description, and behind that the schema or the
#       media types; or the name of one of the components' responses; or the whole of it.
use strict;
use warnings;
use JSON::PP;

my ($document, $operations, $routes) = map { open my $fh, '<:raw', $_ or die "$_: $!\n"; local $/; <$fh> } @ARGV;
my $json = JSON::PP->new->utf8->canonical;
my $told = $json->decode($operations);
my %text = (type => 'string');
my %list = (type => 'array', items => \%text);

sub ref_to {
    my ($where, $name) = @_;
    return {'$ref' => "#/components/$where/$name"};
}

# own: what the operation says of it; undef.  schema: of what is only described.
sub parameter {
    my ($in, $name, $own, $schema) = @_;
    my $v = $own // $told->{parameters}{"$in $name"} // die "operations.json says nothing of $in $name\n";
    return {name => $name, in => $in, $in eq 'path' ? (required => JSON::PP::true) : (),
            ref $v ? %$v : (description => $v, schema => $schema)};
}

# An answer or a body; of what is described there may be more.
sub given {
    my ($v, %more) = @_;
    return ref_to('responses', $v) if !ref $v;
    return $v if ref $v eq 'HASH';
    my ($description, @of) = @$v;
    my %content = map { m{/} ? ($_ => {schema => \%text}) : ('application/json' => {schema => ref_to('schemas', $_)}) } @of;
    return {description => $description, content => \%content, %more};
}

sub operation {
    my ($method, $pattern, $role, $by, $id, $names) = @_;
    my ($tag) = grep { $told->{operations}{$_}{$id} } keys %{ $told->{operations} };
    my $op = $told->{operations}{ $tag // die "operations.json says nothing of $id\n" }{$id};
    my $is_tagged = $op->{isTagged} // ($method eq 'GET' && $by eq 'READER');
    my @parameters = map { parameter('path', $_, undef, \%text) } $pattern =~ /\{(\w+)\}/g;
    push @parameters, parameter('query', $_, $op->{query}{$_}, $names =~ /\b$_\*/ ? \%list : \%text) for $names =~ /\w+/g;
    push @parameters, parameter('header', $_, undef, \%text) for $is_tagged ? 'If-None-Match' : (), @{ $op->{headers} // [] };
    my $answers = ref $op->{responses} eq 'ARRAY' ? {200 => $op->{responses}} : $op->{responses};
    my %responses = ('4XX' => ref_to('responses', 'Problem'), '5XX' => ref_to('responses', 'Problem'));
    for my $status (keys %$answers) {
        my $has_tag = $is_tagged && $status eq '200';
        $responses{$status} = given($answers->{$status}, $has_tag ? (headers => {ETag => ref_to('headers', 'ETag')}) : ());
    }
    $responses{304} = ref_to('responses', 'NotModified') if $is_tagged;
    return {
        operationId => $id, tags => [$tag], parameters => \@parameters, responses => \%responses,
        (map { $op->{$_} ? ($_ => $op->{$_}) : () } qw(summary description)),
        $op->{requestBody} ? (requestBody => given($op->{requestBody}, required => JSON::PP::true)) : (),
        $role eq 'NOBODY' ? (security => []) : ('x-role' => lc $role)
    };
}

# Each path where the table has it first.
my %macro = $routes =~ /^#define (SERVE_\w+) (".*)$/mg;
my (%path, @order);
while ($routes =~ /^ +(?:ROUTE|BODY)\("(\w+)", "([^"]+)", (\w+), (\w+), \w+, "(\w+)", ([^,)]+)/mg) {
    my ($method, $pattern, $role, $by, $id, $names) = ($1, $2, $3, $4, $5, $6);
    1 while $names =~ s/(SERVE_\w+)/$macro{$1}/;
    $names =~ s/NULL|[" ]//g;
    push @order, $pattern if !$path{$pattern};
    $path{$pattern}{ lc $method } = operation($method, $pattern, $role, $by, $id, $names);
}
my $paths = join ",\n", map { "\"$_\":" . $json->encode($path{$_}) } @order;
$document =~ s/"\@PATHS\@": \{\}/$paths/;
print 'const char serve_openapi[] = {', join(',', unpack('c*', $document), 0), "};\n";
