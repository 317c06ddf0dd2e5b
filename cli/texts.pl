#!/usr/bin/perl
# texts.pl - what the program says at length, made of files when it is built: see texts.h.
#
#   perl cli/texts.pl FILE... >texts.c   a page of section 1 becomes the help of its command, any other file its lines
#
# The help of a command is, of its page: the summary, the synopsis without its options, the first paragraph of the
# description, of each option the first sentence without what it refers to, the commands of the examples with the
# sentence above them, the exit statuses, and the other pages.  What pingo.1 alone has of options is of every command.
use strict;
use warnings;

my $width = 79;

# ---- mdoc as plain text ---------------------------------------------------------------------------

my %macro = map { $_ => 1 } qw(Ar Cm Em Ev Fl Ic Li Nm No Ns Oc Oo Op Pa Pq Ql Sq Dq Sx Va Xr);
my %quotes = (Pq => ['(', ')'], Op => ['[', ']'], Ql => ['"', '"'], Sq => ['"', '"'], Dq => ['"', '"']);

sub plain {
    my ($text) = @_;
    my %glyph = (aq => "'", dq => '"', mi => '-', em => '-');
    $text =~ s/\\(?:\((..)|(e)|.)/defined $1 ? $glyph{$1} \/\/ die("unknown glyph $1\n") : $2 ? '\\' : ''/ge;
    return $text;
}

# One line of a page; $name: what .Nm stands for.
sub line_text {
    my ($line, $name) = @_;
    return plain($line) if $line !~ s/^\.//;
    my @words = grep { defined && $_ ne '' } $line =~ /"([^"]*)"|([^\s"]\S*)/g;
    my ($text, $macro, $glued, $close, @after) = ('', 'No', 1, '');
    unshift @after, pop @words while @words > 1 && $words[-1] =~ /^[.,;:?)]$/;
    my $put = sub {
        my ($word) = @_;
        $text .= ' ' if !$glued && $word !~ /^[.,;:?)\]]$/;
        $text .= $word;
        $glued = $word =~ /^[(\[]$/;
    };
    while (defined(my $word = shift @words)) {
        if ($word eq 'Ns') { $glued = 1 }
        elsif ($word eq 'Oo') { $put->('[') }
        elsif ($word eq 'Oc') { $text .= ']'; $glued = 0 }
        elsif ($word eq 'Nm' && (!@words || $macro{$words[0]})) { $put->($name) }
        elsif ($word eq 'Xr') { my $page = shift @words; $put->($page . '(' . shift(@words) . ')') }
        elsif ($word eq 'Ql' || $word eq 'Sq' || $word eq 'Dq') { $put->(plain(join ' ', splice @words) =~ s/^[^"]*$/"$&"/r) }
        elsif ($quotes{$word}) { $put->($quotes{$word}[0]); $close = $quotes{$word}[1] . $close }
        elsif ($macro{$word}) { $macro = $word }
        else { $put->($macro eq 'Fl' && $word =~ /^[\w-]/ ? "-$word" : plain($word)) }
    }
    return join '', $text, $close, @after;
}

# Paragraphs of text of the lines between two places of a page.
sub text_of {
    my ($name, @lines) = @_;
    my $text = join ' ', map { line_text($_, $name) } grep { !/^\.\\"/ } @lines;
    $text =~ s/ \.\.\./.../g;
    $text =~ s/(?<=[.?]) (?=[A-Z"(])/  /g;
    return $text;
}

# Up to the end of the first sentence.
sub first_sentence {
    my @lines;
    for my $line (@_) {
        push @lines, $line;
        last if $line =~ /[.?]$/;
    }
    return @lines;
}

# As an entry of a list: without what it refers to, and without the marks of a sentence.
sub entry_of {
    my ($name, @lines) = @_;
    my $text = text_of($name, first_sentence(grep { !/^\.\\"/ } @lines));
    $text =~ s/ \((?:see )?[\w-]+\(\d\)\)//g;
    $text =~ s/[;:,] (?:see )?(?:(?<=see )[A-Z][\w ]+|[A-Z][A-Z ]+|[\w-]+\(\d\))\.$/./;
    $text =~ s/\.$//;
    return $text =~ /^[A-Z][a-z ]/ ? lcfirst $text : $text;
}

sub wrap {
    my ($text, $first, $rest) = @_;
    my ($line, @lines) = $first;
    for my $word (split /(?<=\S) (?=\S)|(?<=\S)(?=  )/, $text) {
        my $space = $word =~ s/^ +// ? '  ' : ' ';
        if (length("$line$space$word") > $width && $line =~ /\S/) {
            push @lines, $line;
            $line = $rest . $word;
        } else {
            $line .= ($line =~ /\S$/ ? $space : '') . $word;
        }
    }
    return (@lines, $line);
}

# ---- a page ---------------------------------------------------------------------------------------

sub lines_of {
    my ($path) = @_;
    open(my $in, '<', $path) or die "$path: $!\n";
    chomp(my @lines = <$in>);
    return @lines;
}

sub sections_of {
    my (%section, $title);
    for my $line (@_) {
        if ($line =~ /^\.Sh (.*)/) { $title = $1 }
        elsif (defined $title) { push @{ $section{$title} }, $line }
    }
    return \%section;
}

# The items of a list, as [HEAD, LINE...]; a line that ends the list ends the last.
sub items_of {
    my ($pattern, @lines) = @_;
    my (@items, $open);
    for my $line (@lines) {
        $open = 0 if $line =~ /^\.(?:El|It|Ss|Pp)/;
        $open = push @items, [$1] if $line =~ /^\.It $pattern/;
        push @{ $items[-1] }, $line if $open && $line !~ /^\.It /;
    }
    return @items;
}

sub options_of {
    my ($name, @lines) = @_;
    my @options;
    for my $item (items_of(qr/(Fl .*)/, @lines)) {
        my ($head, @body) = @$item;
        my ($long, $argument) = $head =~ /Fl -([\w-]+)(?: Ar (\S+))?/ or next;
        my $help = entry_of($name, @body);
        $help .= '; repeatable' if grep { $_ eq 'May be repeated.' } @body;
        my ($words) = map { /^\.\\" words: (.*)/ } @body;
        $words =~ tr/ /|/ if defined $words;
        push @options, { words => $words, short => $head =~ /^Fl (\w)\b/ ? $1 : '', long => $long, argument => $argument, help => $help };
    }
    return @options;
}

# Of each form what is no option, or is one that must be given.
sub synopses_of {
    my ($command, @lines) = @_;
    my @forms;
    for my $line (@lines) {
        if ($line =~ /^\.Nm/) { push @forms, [] }
        elsif ($line ne ".Cm $command" && $line !~ /^\.Op Fl (?!-$)/) { push @{ $forms[-1] }, $line }
    }
    my @texts = map { text_of('', @$_) } @forms;
    s/ \.\.\./.../g for @texts;
    return @texts;
}

# The commands, each with its further lines; above them the sentence that leads to them.
sub examples_of {
    my ($name, @lines) = @_;
    my (@out, @above, $shown, $goes_on);
    for my $line (@lines) {
        if ($line =~ /^\.Bd/) {
            push @out, wrap(text_of($name, @above), '  # ', '  # ') if @above;
            ($shown, $goes_on, @above) = (1);
        } elsif ($line =~ /^\.Ed/) {
            $shown = 0;
        } elsif ($shown && ($goes_on || $line =~ s/^\$ //)) {
            push @out, '  ' . plain($line);
            $goes_on = $out[-1] =~ /\\$/;
        } elsif (!$shown && $line !~ /^\.(?:Pp|\\"|Dl)/) {
            push @above, $line;
        }
    }
    return @out;
}

# The first paragraph, with the list that it ends with.
sub description_of {
    my ($name, @lines) = @_;
    my ($in_list, @parts) = (0, [['', '']]);
    for my $line (@lines) {
        last if $line =~ /^\.(?:Ss|Bl -tag)/ || $line eq '.Pp' && !$in_list;
        $in_list = $line =~ /^\.Bl/ || $in_list && $line !~ /^\.El/;
        if ($line eq '.It') { push @parts, [['  - ', '    ']] }
        elsif ($line !~ /^\.(?:Bl|El)/) { push @{ $parts[-1] }, $line }
    }
    return map { my ($indents, @text) = @$_; wrap(text_of($name, @text), @$indents) } @parts;
}

sub page_of {
    my ($path) = @_;
    my ($command) = $path =~ m{/(?:pingo-)?(\w+)\.1$} or die "$path: no page of a command\n";
    my $section = sections_of(lines_of($path));
    my $name    = "pingo $command";
    my ($summary) = map { /^\.Nd (.*)/ } @{ $section->{NAME} };
    return {
        command     => $command,
        summary     => $summary,
        synopses    => [synopses_of($command, @{ $section->{SYNOPSIS} })],
        description => [description_of($name, @{ $section->{DESCRIPTION} })],
        also        => join(' ', '', map { line_text($_, $name) } grep { /^\.Xr/ } @{ $section->{'SEE ALSO'} }) =~ s/,$//r,
        options     => [options_of($name, map { @$_ } @$section{sort keys %$section})],
        examples    => [examples_of($name, @{ $section->{EXAMPLES} // [] })],
        exits       => [map { [$_->[0], entry_of($name, @$_[1 .. $#$_])] } items_of(qr/(\d+)/, @{ $section->{'EXIT STATUS'} })],
    };
}

# ---- the help -------------------------------------------------------------------------------------

sub option_lines {
    my ($o) = @_;
    my $head = sprintf '  %s --%s%s', $o->{short} ? "-$o->{short}," : '   ', $o->{long}, $o->{argument} ? " $o->{argument}" : '';
    my $rest = ' ' x 29;
    my @lines = wrap($o->{help}, $rest, $rest);
    return ($head, @lines) if length $head > 27;
    substr($lines[0], 0, length $head) = $head;
    return @lines;
}

sub exit_lines {
    my ($page) = @_;
    return ('exit status:', map { wrap($_->[1], sprintf('  %3d  ', $_->[0]), ' ' x 7) } @{ $page->{exits} });
}

sub help_lines {
    my ($page) = @_;
    my @forms = @{ $page->{synopses} };
    my @usage = map { wrap("pingo $page->{command} [OPTION]... $forms[$_]" =~ s/ $//r, $_ == 0 ? 'usage: ' : '   or: ', ' ' x 9) } 0 .. $#forms;
    return (@usage, '', @{ $page->{description} }, '',
        'options:', (map { option_lines($_) } @{ $page->{options} }), '',
        'example:', @{ $page->{examples} }, '', exit_lines($page), '',
        wrap("pingo-$page->{command}(1),$page->{also}", 'see also: ', ' ' x 10));
}

# ---- as C -----------------------------------------------------------------------------------------

sub quote {
    my ($text) = @_;
    return 'NULL' if !defined $text;
    $text =~ s/[\\"]/\\$&/g;
    $text =~ s/\?\?/?\\?/g;
    return "\"$text\"";
}

sub put_lines {
    my ($symbol, @lines) = @_;
    print "static const char *const $symbol\[] = {\n", (map { '    ' . quote($_) . ",\n" } @lines), "    NULL};\n";
}

sub put_options {
    my ($symbol, @options) = @_;
    print "static const struct cli_option $symbol\[] = {\n";
    printf "    {%s, %s, %s, %s, %s},\n", $_->{short} ? "'$_->{short}'" : 0, map { quote($_) } @$_{qw(long argument help words)} for @options;
    print "    {0}};\n";
}

my @pages = map { page_of($_) } grep { /\.1$/ } @ARGV;
my @files = grep { !/\.1$/ } @ARGV;
my ($pingo) = grep { $_->{command} eq 'pingo' } @pages;
my %told = map { $_->{long} => 1 } map { $_ == $pingo ? () : @{ $_->{options} } } @pages;
my @shared = grep { !$told{ $_->{long} } } @{ $pingo->{options} };
for my $page (@pages) {
    push @{ $page->{options} }, @shared if $page != $pingo;
}

print "/* Made by texts.pl. */\n#include \"texts.h\"\n";
put_options('shared', @shared);
put_lines('help_none', 'for completion scripts');
for my $page (@pages) {
    put_options("options_$page->{command}", @{ $page->{options} });
    put_lines("help_$page->{command}", $page == $pingo ? exit_lines($page) : help_lines($page));
}
print "const struct cli_help cli_helps[] = {\n";
for my $page (@pages) {
    my $c = $page->{command};
    printf "    {%s, %s, %s, options_$c, help_$c},\n", quote($c), quote($page->{summary}), quote($page->{synopses}[0]);
}
print "    {NULL, \"for completion scripts\", \"\", shared, help_none}};\n";
put_lines("file_$_", map { "$_\n" =~ s/\n$//r } lines_of($files[$_])) for 0 .. $#files;
print "const struct cli_file cli_files[] = {\n";
printf "    {%s, file_%d},\n", quote($files[$_] =~ s{.*/}{}r), $_ for 0 .. $#files;
print "    {NULL, NULL}};\n";
