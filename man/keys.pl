#!/usr/bin/perl
# keys.pl - what the pages of section 1 say of --json, made of the schemas that the program prints.
#
#   perl man/keys.pl PROGRAM DIRECTORY   writes each man/*.1 there; below a line
#                                        .\" keys: COMMAND [KEY]...
#                                        come the keys of `PROGRAM help --schema COMMAND`, what is below a KEY left out
#
# It runs in the top of the tree.
use strict;
use warnings;

my ($program, $directory) = @ARGV;
my $width = 68;

# ---- JSON, with the keys in their order ---------------------------------------------------------

# Objects are arrays of [KEY, VALUE] blessed as Object; only what the schemas have is understood.
sub value_of {
    my ($text) = @_;
    return { list => list_of($text, ']', sub { value_of($text) }) } if $$text =~ /\G\s*\[/gc;
    return bless { members => list_of($text, '}', sub { [member_of($text)] }) }, 'Object' if $$text =~ /\G\s*\{/gc;
    return unquote($1) if $$text =~ /\G\s*"((?:[^"\\]|\\.)*)"/gc;
    return $1 if $$text =~ /\G\s*([\w.+-]+)/gc;
    die "a schema that cannot be read\n";
}

sub member_of {
    my ($text) = @_;
    my $key = value_of($text);
    $$text =~ /\G\s*:/gc or die "a schema that cannot be read\n";
    return ($key, value_of($text));
}

sub list_of {
    my ($text, $end, $element) = @_;
    my @list;
    until ($$text =~ /\G\s*\Q$end\E/gc) {
        push @list, $element->();
        $$text =~ /\G\s*,/gc;
    }
    return \@list;
}

sub unquote {
    my ($text) = @_;
    my %plain = (n => "\n", t => "\t", r => "\r", b => "\b", f => "\f");
    $text =~ s/\\(?:u(....)|(.))/defined $1 ? chr hex $1 : $plain{$2} \/\/ $2/ge;
    return $text;
}

sub get {
    my ($object, $key) = @_;
    my ($found) = grep { $_->[0] eq $key } @{ $object->{members} };
    return $found ? $found->[1] : undef;
}

# ---- a page ------------------------------------------------------------------------------------

sub escape {
    my ($text) = @_;
    $text =~ s/\\/\\e/g;
    $text =~ s/^([.'])/\\&$1/;
    return $text;
}

# The keys of an object, as a display shows them: pieces between which a line may end.
sub shape_of {
    my ($schema, $hidden) = @_;
    my $items = get($schema, 'items');
    my $object = $items && get($items, 'properties') ? $items : $schema;
    my $properties = get($object, 'properties') or return $items ? '[...]' : '{...}';
    my @pieces = $object == $schema ? '{' : '[{';
    for my $member (@{ $properties->{members} }) {
        my ($key, $value) = @$member;
        my $type   = get($value, 'type') // '';
        my @types  = ref $type ? @{ $type->{list} } : $type;
        my $nested = grep { /^(?:object|array)$/ } @types;
        my @below  = !$nested ? () : $hidden->{$key} ? ($types[0] eq 'array' ? '[...]' : '{...}') : shape_of($value, $hidden);
        push @pieces, $nested ? ("\"$key\": ", @below) : "\"$key\"";
        $pieces[-1] .= ', ';
    }
    $pieces[-1] =~ s/, $//;
    return (@pieces, $object == $schema ? '}' : '}]');
}

sub display {
    my (@pieces) = @_;
    my (@lines, @indents, $line);
    for my $i (0 .. $#pieces) {
        my $piece = $pieces[$i];
        my $next  = $piece =~ /": $/ ? $pieces[$i + 1] . ($pieces[$i + 2] // '') : '';    # they stand together
        $line //= '';
        if ($piece !~ /^[\[{}]/ && length($line . $piece . $next) > $width + 1 && $line =~ /[",]/) {
            push @lines, $line =~ s/ +$//r;
            $line = ' ' x $indents[-1];
        }
        $line .= $piece;
        push @indents, 2 * @indents + length $piece if $piece =~ /^\[?\{$/;
        pop @indents if $piece =~ /^\}/;
    }
    return join '', map { "$_\n" } @lines, $line;
}

# A list of the keys with what they mean; PATH before each.
sub meanings {
    my ($schema, $hidden, $path) = @_;
    my $object     = get($schema, 'items') && get(get($schema, 'items'), 'properties') ? get($schema, 'items') : $schema;
    my $properties = get($object, 'properties') or return '';
    my $text       = '';
    for my $member (@{ $properties->{members} }) {
        my ($key, $value) = @$member;
        my $meaning = get($value, 'description') or next;
        $text .= ".It Ql $path$key\n" . escape($meaning) . "\n";
        $text .= meanings($value, $hidden, "$path$key.") if !$hidden->{$key};
    }
    return $text;
}

sub section_of {
    my ($command, @hidden) = @_;
    open(my $in, '-|', $program, 'help', '--schema', $command) or die "$program: $!\n";
    my $json = do { local $/; <$in> };
    close $in or die "$program help --schema $command failed\n";
    my $schema  = value_of(\$json);
    my %hidden  = map { $_ => 1 } @hidden;
    my $section = '';
    for my $document (@{ get($schema, 'anyOf')->{list} }) {
        my $when = get($document, 'title');
        $section .= ".Pp\n" if $section ne '';
        $section .= ucfirst("$when:\n") if $when;
        $section .= ".Bd -literal -offset indent\n" . display(shape_of($document, \%hidden)) . ".Ed\n";
        my $keys = meanings($document, \%hidden, '');
        $section .= ".Bl -tag -width Ds\n$keys.El\n" if $keys ne '';
    }
    return $section;
}

for my $page (glob 'man/*.1') {
    open(my $in, '<', $page) or die "$page: $!\n";
    my $text = do { local $/; <$in> };
    $text =~ s/^(\.\\" keys: (.*)\n)/$1 . section_of(split ' ', $2)/gme;
    open(my $out, '>', $directory . '/' . $page =~ s{.*/}{}r) or die "$directory: $!\n";
    print $out $text;
    close $out or die "$directory: $!\n";
}
