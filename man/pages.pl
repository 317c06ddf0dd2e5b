#!/usr/bin/perl
# pages.pl - the pages of section 3: one for each public header, made of its comments.
#
#   perl man/pages.pl DIRECTORY   writes pingo_NAME.3 of each include/*/NAME.h there, and for each function
#                                 a link to its page, so that `man pingo_scheduler_tick` finds it
#
# It runs in the top of the tree.  What a header's comments mean:
#   - the first one is "NAME.h - what it is.", and the page's description;
#   - "---- title ----" begins a section;
#   - one that stands right above a declaration, or behind it in its line, tells of it; others stand for themselves;
#   - an empty line ends a paragraph, and lines that are set in by four spaces are an example.
# Within them pingo_x(), PINGO_X, NULL, struct pingo_x, *argument, <pingo/x.h>, name(7) and `what one types` are marked.
use strict;
use warnings;

my $comment = qr{/\*(?:(?!\*/).)*\*/}s;
my $reading = '';    # which header

sub refuse { die "$reading: " . squeeze(substr($_[0], 0, 70)) . "\n" }

# ---- reading a header ---------------------------------------------------------------------------

sub slurp {
    my ($path) = @_;
    open(my $in, '<', $path) or die "$path: $!\n";
    local $/;
    return scalar <$in>;
}

# The text of a comment without what makes it one.
sub said {
    my ($text) = @_;
    my ($first, @lines) = split /\n/, $text =~ s{^/\*[ ]?|\s*\*/$}{}gr;
    my $starred = !grep { !/^\s*\*/ } @lines;
    return join "\n", $first, map { $starred ? s/^\s*\*[ ]?//r : s/^\s+//r } @lines;
}

sub squeeze { return join ' ', split ' ', $_[0] }

# The members or values between the braces, as [DECLARATION, COMMENT].
sub pieces {
    my ($body, $end) = @_;
    my @pieces;
    while ($body =~ /\G\s*(?=\S)/gc) {
        $body =~ m{\G(?:($comment)\s*)?((?:(?!/\*)[^$end])+)(?:$end|(?=/\*)|\z)(?:[ \t]*($comment))?}gc
            or refuse('cannot read ' . substr($body, pos $body));
        push @pieces, [squeeze($2), join "\n\n", map { said($_) } grep { defined } $1, $3];
    }
    return \@pieces;
}

sub function_of {
    my ($declaration, $text) = @_;
    my ($type, $name, $arguments) = $declaration =~ /^(.*?[ *])(pingo_\w+)\((.*)\)$/ or refuse("no function: $declaration");
    my @arguments;
    my $depth = 0;
    for my $part (split /(?<=,)|(?=[()])/, $arguments) {
        $depth += ($part =~ tr/(//) - ($part =~ tr/)//);
        push @arguments, '' if !@arguments || $depth == 0 && $arguments[-1] =~ s/,$//;
        $arguments[-1] .= $part;
    }
    @arguments = map { squeeze($_) } @arguments;
    return { kind => 'function', name => $name, type => squeeze($type), arguments => \@arguments, text => $text };
}

# A declaration and what is told of it.
sub item_of {
    my ($code, $text) = @_;
    my $flat = squeeze($code);
    return function_of($flat =~ s/^PINGO_API |\s*;$//gr, $text) if $flat =~ /^PINGO_API /;
    return function_of($flat =~ s/^static inline | \{.*//gr, $text) if $flat =~ /^static inline /;
    return { kind => 'type', name => "$1", head => $flat =~ s/;$//r, text => $text } if $flat =~ /^typedef .*\(\*(\w+)\)\(.*;$/;
    return { kind => 'type', name => $1, head => "struct $1", text => $text } if $flat =~ /^struct (\w+);$/;
    return { kind => 'constant', name => $1, value => $2, text => $text } if $flat =~ /^#define (PINGO_\w+) \(?(.+?)\)?$/;
    my ($kind, $name, $body) = $code =~ /^(struct|enum)\s+(pingo_\w+)\s*\{(.*)\};$/s or refuse("cannot read $flat");
    return { kind => 'type', name => $name, head => "$kind $name", text => $text, of => $kind,
        parts => pieces($body, $kind eq 'enum' ? ',' : ';') };
}

# A header as { name, folder, file, is, text, includes, sections: [{ title, items }] }.
sub header_of {
    ($reading) = @_;
    my $text = slurp($reading);
    my ($folder, $base) = $reading =~ m{^include/([^/]+)/(\w+)\.h$} or refuse('a name that is not expected');
    $text =~ s{^($comment)\n#ifndef (PINGO_\w+_H)\n#define \2\n(.*)#endif\n\z}{$3}s or refuse('no comment at its head, or no guard');
    my ($is, $description) = said($1) =~ /^\Q$base\E\.h - (.*?)\.?(?:\n\n(.*))?$/s or refuse('its head does not say what it is');
    my @includes = $text =~ /^#include <(pingo[^>]*)>/mg;
    $text =~ s/^#include.*\n//mg;
    $text =~ s/^#if.*?^#endif\n//msg;
    my %header = (name => "pingo_$base", folder => $folder, file => "$folder/$base.h", is => squeeze($is),
        text => $description // '', includes => \@includes, sections => [{ title => '', items => [] }]);
    my $code = qr{(?:\#define[^\n]*?(?=[ \t]*(?:/\*|\n)) | static\ inline\ .*?^\} |
        (?:struct|enum)\ \w+\s*\{.*?\}; | (?:struct|typedef|PINGO_API)\b[^;\{]*;)}xms;
    while ($text =~ /\G\s*(?=\S)/gc) {
        my $items = $header{sections}[-1]{items};
        if ($text =~ m{\G/\* ---- (.*?) -+ \*/}gc) {
            push @{ $header{sections} }, { title => ucfirst $1, items => [] };
        } elsif ($text =~ m{\G($comment)(?!\n$code)}gc || $text =~ m{\G($comment)(?=\n#define.*\n#define)}gc) {
            push @$items, { kind => 'text', text => said($1) };
        } elsif ($text =~ m{\G(?:($comment)\n)?($code)(?:[ \t]*($comment))?}gc) {
            my ($declaration, $said) = ($2, join "\n\n", map { said($_) } grep { defined } $1, $3);
            push @$items, item_of($declaration, $said) if $said !~ /^<.*>$/;    # who is named is of another header
        } else {
            refuse('cannot read ' . substr($text, pos $text));
        }
    }
    return \%header;
}

# ---- writing a page -----------------------------------------------------------------------------

my %page_of;    # function, type or header => the page's name

sub escape {
    my ($text) = @_;
    $text =~ s/\\/\\e/g;
    $text =~ s/\^/\\(ha/g;
    $text =~ s/~/\\(ti/g;
    $text =~ s/(^|[\s(\["=])-(?=\w)/$1\\-/g;
    return $text;
}

sub argument {
    my ($text) = @_;
    $text = escape($text) =~ s/"/\\(dq/gr;
    return $text =~ / / || $text eq '' ? "\"$text\"" : $text;
}

# The macro that marks a word, or undef.  $see collects the pages that it leads to.
sub macro_of {
    my ($word, $arguments, $see) = @_;
    my ($refers) = $word =~ /^(?:struct |enum )?(pingo_\w+)(?:\(\))?$|^<(pingo.*)>$/ ? $1 // $2 : '';
    $see->{"$page_of{$refers} 3"} = 1 if $page_of{$refers};
    $see->{"$1 $2"} = 1 if $word =~ /^([a-z][\w-]*)\(([1-8])\)$/;
    return "Fn $1" if $word =~ /^([a-z_]\w*)\(\)$/;
    return "Vt \"$word\"" if $word =~ /^(?:struct|enum) pingo_\w+$/;
    return "In $1" if $word =~ m{^<(pingo[\w/.-]*\.h)>$};
    return "Xr $1 $2" if $word =~ /^([a-z][\w-]*)\(([1-8])\)$/;
    return "Fa $word" if $word =~ /^\*(\w+)$/ && $arguments->{$1};
    return "Dv $word" if $word =~ /^(?:PINGO_\w+|NULL)$/;
    return 'Ql ' . argument($1) if $word =~ /^`(.*)`$/;
    return undef;
}

# A paragraph as lines of mdoc, one a sentence.
sub paragraph {
    my ($text, $arguments, $see) = @_;
    my (@lines, $line);
    my $flush = sub {
        push @lines, map { s/^([.'])/\\&$1/r } $line =~ /\G(\S.{0,78}\S|\S+)(?:\s+|\z)/g if defined $line;
        $line = undef;
    };
    while ($text =~ /\G\s*((?:[^\s`]*`[^`]+`|[("]*(?:struct|enum) pingo_\w+)\S*|\S+)/g) {
        my $word = $1;
        my ($before, $core, $after) = $word =~ /^([("\[]*)(.*?)([)"\].,;:!?]*)$/s;
        ($core, $after) = ("$core()", substr $after, 1) if $core =~ /\($/ && $after =~ /^\)/ && $core =~ s/\($//;
        ($core, $after) = ("$core)", substr $after, 1) if $core =~ /\(\d$/ && $after =~ /^\)/;
        my $macro = macro_of($core, $arguments, $see);
        if ($macro) {
            $flush->();
            $before =~ s/"/\\(dq/g;
            $macro = "No \\&$before Ns $macro" if $before ne '';
            push @lines, ".$macro" . join '', map { $_ eq '"' ? ' Ns \\(dq' : " $_" } split //, $after;
        } else {
            $line = (defined $line ? "$line " : '') . escape($word);
            $flush->() if $word =~ /\w\S*[.!?][)"]*$/ && $word !~ /\.\.$/ && $text =~ /\G\s+["(]*[A-Z*<`\d]/;
        }
    }
    $flush->();
    return @lines;
}

# The text of a comment as lines of mdoc.
sub prose {
    my ($text, $arguments, $see) = @_;
    my (@lines, @words);
    my $in_example = '';
    for (split(/\n/, $text), "") {
        my $line = $_;
        my $is_example = $line =~ s/^ {4}//;
        if (@words && ($is_example || $line eq '')) {
            push @lines, @lines && $lines[-1] ne '.Ed' ? '.Pp' : (), paragraph("@words", $arguments, $see);
            @words = ();
        }
        push @lines, $is_example ? '.Bd -literal -offset indent' : '.Ed' if $is_example ne $in_example;
        push @lines, escape($line) =~ s/^([.'])/\\&$1/r if $is_example;
        push @words, $line if !$is_example && $line ne '';
        $in_example = $is_example;
    }
    return @lines;
}

# What stands for a declaration: its head, and set in its text and its parts.
sub item {
    my ($item, $see) = @_;
    my (@head, %argument, @body);
    if ($item->{kind} eq 'function') {
        my @arguments = @{ $item->{arguments} };
        %argument = map { /\(\*(\w+)\)/ || /(\w+)(?:\[\w*\])?$/ ? ($1 => 1) : () } @arguments;
        # A formatter may not break a line within an argument.
        my $breaks = length("$item->{type} $item->{name}($arguments[0]") > 72;
        @head = ('.Ft ' . argument($item->{type}), $breaks ? '.br' : (), ".Fo $item->{name}",
            length("$item->{name}($arguments[0]") > 72 ? '.br' : (), (map { '.Fa ' . argument($_) } @arguments), '.Fc');
    } elsif ($item->{kind} eq 'constant') {
        @head = ".Dv $item->{name} Pq " . argument($item->{value});
    } else {
        @head = '.Vt ' . argument($item->{head});
    }
    for my $part (@{ $item->{parts} // [] }) {
        my ($declaration, $text) = @$part;
        my ($name, $value) = $declaration =~ /^(PINGO_\w+) = (.*)$/;
        push @body, $item->{of} eq 'enum' ? ".It Dv $name Pq " . argument($value) : '.It Va ' . argument($declaration);
        push @body, prose($text, {}, $see);
    }
    @body = ('.Bl -tag -width 2n -compact', @body, '.El') if @body;
    @body = (prose($item->{text}, \%argument, $see), @body);
    return @body ? (@head, '.Bl -item -compact -offset 4n', '.It', @body, '.El') : @head;
}

sub page_of {
    my ($header, $date) = @_;
    my %see = ("lib$header->{folder} 3" => 1);
    my @body = prose($header->{text}, {}, \%see);
    for my $section (@{ $header->{sections} }) {
        push @body, ".Ss $section->{title}" if $section->{title} ne '';
        for my $item (@{ $section->{items} }) {
            push @body, '.Pp' if $body[-1] !~ /^\.S/;
            push @body, $item->{kind} eq 'text' ? prose($item->{text}, {}, \%see) : item($item, \%see);
        }
    }
    $see{"$page_of{$_} 3"} = 1 for grep { $page_of{$_} } @{ $header->{includes} };
    delete $see{"$header->{name} 3"};
    my @see = sort { (split / /, $a)[1] <=> (split / /, $b)[1] || $a cmp $b } keys %see;
    my $libraries = join ' ', map { "\\-l$_" } $header->{folder}, $header->{folder} eq 'pingo' ? () : 'pingo';
    return join "\n", ".\\\" Made of include/$header->{file} by man/pages.pl.",
        ".Dd $date", '.Dt ' . uc($header->{name}) . ' 3', '.Os',
        '.Sh NAME', ".Nm $header->{name}", '.Nd ' . escape($header->{is}),
        '.Sh LIBRARY', "lib$header->{folder} ($libraries)",
        '.Sh SYNOPSIS', ".In $header->{file}",
        '.Sh DESCRIPTION', @body,
        '.Sh SEE ALSO', join(" ,\n", map { ".Xr $_" } @see), '';
}

# ---- all of them --------------------------------------------------------------------------------

@ARGV == 1 or die "usage: pages.pl DIRECTORY\n";
my ($where) = @ARGV;
my @headers = map { header_of($_) } sort glob('include/*/*.h');
my %link;    # function => its page
for my $header (@headers) {
    !grep { $_->{name} eq $header->{name} && $_ != $header } @headers or die "two headers make $header->{name}(3)\n";
    $page_of{$header->{file}} = $header->{name};
    for my $item (map { @{ $_->{items} } } @{ $header->{sections} }) {
        next if $item->{kind} eq 'text';
        $page_of{$item->{name}} = $header->{name} if $item->{parts} || !$page_of{$item->{name}};
        $link{$item->{name}} = $header->{name} if $item->{kind} eq 'function';
    }
}
delete $link{$_->{name}} for @headers;
my ($date) = slurp('man/libpingo.3') =~ /^\.Dd (.*)$/m;
for my $header (@headers) {
    open(my $out, '>', "$where/$header->{name}.3") or die "$where/$header->{name}.3: $!\n";
    print $out page_of($header, $date);
    close($out) or die "$where/$header->{name}.3: $!\n";
}
for my $function (sort keys %link) {
    unlink "$where/$function.3";
    symlink "$link{$function}.3", "$where/$function.3" or die "$where/$function.3: $!\n";
}
