#!/usr/bin/perl
# pack.pl - the page as the server and the reports carry it, made when they are built.
#
#   perl cli/serve/page/pack.pl NPM OUT REPORT   OUT/NAME.gz of each file, OUT/files.c with them, REPORT: all in one
#
# NPM is a directory with node_modules, of which two libraries are taken; without them there is no page, and files.c says so.
# The files of a page lie at page/VERSION/, where VERSION is of all their bytes, so that a browser may keep them for ever.
# A report is one file: the modules are data: addresses of an import map, so a module that imports ./x.js asks for page:x.js.
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use File::Basename qw(basename dirname);
use File::Path qw(make_path);
use MIME::Base64 qw(encode_base64);

my ($npm, $out, $report) = @ARGV;
my $here = dirname(__FILE__);
my %type = (html => 'text/html; charset=utf-8', css => 'text/css; charset=utf-8', js => 'text/javascript; charset=utf-8');

sub slurp {
    my ($path) = @_;
    open my $fh, '<:raw', $path or return;
    local $/;
    return scalar <$fh>;
}

sub spew {
    my ($path, $text) = @_;
    make_path(dirname($path));
    open my $fh, '>:raw', $path or die "$path: $!\n";
    print {$fh} $text;
    close $fh or die "$path: $!\n";
}

sub gzip {
    my ($path) = @_;
    system('gzip', '-9nkf', $path) == 0 or die "gzip $path failed\n";
    return "$path.gz";
}

# ---- what there is --------------------------------------------------------------------------------

my %file;
for my $path (glob("$here/*.css $here/*.js $here/*/*.js")) {
    $file{ $path =~ s{^\Q$here\E/}{}r } = slurp($path);
}
my $lit   = slurp("$npm/node_modules/lit-html/lit-html.js");
my $uplot = slurp("$npm/node_modules/uplot/dist/uPlot.iife.min.js");
my $style = slurp("$npm/node_modules/uplot/dist/uPlot.min.css");
if (!defined $lit || !defined $uplot || !defined $style) {
    spew("$out/files.c", "#include \"serve/page/page.h\"\nconst char serve_page_version[] = \"\";\nconst struct serve_page serve_pages[] = {{0}};\n");
    unlink $report;
    exit 0;
}
$lit =~ s{^//# sourceMappingURL.*$}{}m;
$file{'lib/lit-html.js'} = $lit;
$file{'lib/uplot.js'}    = "$uplot\nexport default uPlot;\n";
$file{'style.css'} .= $style;
# The licences ask to travel with the code.
$file{'lib/licences.js'} = join '', map { my $text = slurp("$npm/node_modules/$_/LICENSE") // die "$_ has no licence\n"; $text =~ s{\*/}{* /}g; "/* $_\n$text*/\n" } qw(lit-html uplot);

my $version = substr sha256_hex(map { ($_, "\0", $file{$_}) } sort keys %file), 0, 16;
my $index   = slurp("$here/index.html") =~ s/\@VERSION\@/$version/gr;

# ---- for the server -------------------------------------------------------------------------------

my ($code, $rows, $n) = ("#include \"serve/page/page.h\"\n/* Made by pack.pl. */\n", '', 0);
for my $name ('index.html', sort keys %file) {
    my $packed = gzip(do { spew("$out/files/$name", $name eq 'index.html' ? $index : $file{$name}); "$out/files/$name" });
    my ($end) = $name =~ /\.(\w+)$/;
    $code .= "extern const char serve_page_$n\[], serve_page_${n}_end[];\n__asm__(\".pushsection .rodata\\n.hidden serve_page_$n\\n.global serve_page_$n\\n.hidden serve_page_${n}_end\\n.global serve_page_${n}_end\\n\"\n"
        . "        \"serve_page_$n:\\n.incbin \\\"$packed\\\"\\nserve_page_${n}_end:\\n.byte 0\\n.popsection\\n\");\n";
    $rows .= "    {\"$name\", \"$type{$end}\", serve_page_$n, serve_page_${n}_end},\n";
    $n++;
}
spew("$out/files.c", "${code}const char serve_page_version[] = \"$version\";\nconst struct serve_page serve_pages[] = {\n$rows    {0}};\n");

# ---- for reports ----------------------------------------------------------------------------------

# ./x.js and ../parts/x.js of a module as a name from the top.
sub from_top {
    my ($module, $path) = @_;
    my @at = split m{/}, dirname($module) eq '.' ? '' : dirname($module);
    $_ eq '..' ? pop @at : $_ eq '.' ? () : push @at, $_ for split m{/}, $path;
    return join '/', @at;
}
my @modules;
for my $name (grep { /\.js$/ && $_ ne 'lib/licences.js' } sort keys %file) {
    my $text = $file{$name} =~ s{(\bfrom\s*)'(\.{1,2}/[^']+)'}{"$1'page:" . from_top($name, $2) . "'"}ger;
    push @modules, "\"page:$name\":\"data:text/javascript;base64," . encode_base64($text, '') . '"';
}
my $map = join ",\n", @modules;
spew($report, <<"END");
<!DOCTYPE html>
<!-- A report of Pingo: the page of pingo serve with the answers that it would have had, in one file that needs and loads nothing else. -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-$version'; style-src 'nonce-$version'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Pingo</title>
<link rel="icon" href="data:,">
<style nonce="$version">
$file{'style.css'}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<div id="app"></div>
<noscript>This page draws itself with a script of its own, which has to be allowed. It loads nothing.</noscript>
<script type="application/json" id="answers">
\@DATA\@
</script>
<script type="importmap" nonce="$version">
{"imports":{
$map
}}
</script>
<script type="module" nonce="$version">
import 'page:app.js';
$file{'lib/licences.js'}</script>
</body>
</html>
END
