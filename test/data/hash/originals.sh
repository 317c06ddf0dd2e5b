#!/bin/sh
# originals.sh ROOT - makes the original datasets and tools of the golden vectors
# below ROOT, which stands for / (the workflows lie in /golden).  A script makes
# them, as no archive of sources keeps empty directories, times and odd names.
set -eu
umask 022
mkdir -p "$1/golden" "$1/usr/bin" "$1/usr/local/bin" "$1/bin" "$1/opt/tools"
cd "$1/golden"

printf 'pear\napple\n' >text.txt
cp text.txt copy.txt
cp text.txt executable.txt
chmod 755 executable.txt
printf 'plum\n' >other.txt
: >empty
printf '\000\001\377\n\r' >binary
ln -s text.txt to-file

mkdir tree tree/sub tree/sub/empty
printf alpha >tree/a
printf dot >tree/a.b
printf upper >tree/B
printf hidden >tree/.hidden
printf '#!/bin/sh\n' >tree/run
chmod 755 tree/run
printf deep >tree/sub/deep
ln -s ../a tree/sub/up
ln -s nowhere tree/dangling
printf odd >"tree/$(printf 'a b\nc')"
printf latin >"tree/$(printf '\351')"
printf utf8 >"tree/$(printf '\303\251')"
ln -s tree to-tree
cp -R tree tree-copy
cp -R tree tree-executable
chmod 744 tree-executable/a
mkdir hollow
mkdir -p d/empty
cp text.txt d/text.txt
ln -s text.txt d/link

printf dated >dated
touch -d '2023-11-14 22:13:20.123456789 UTC' dated
ln -s dated to-dated
printf old >old
touch -d '1969-12-31 23:59:58.5 UTC' old

cd "$1"
printf 'not executable' >usr/local/bin/sorter
printf 'sorter 1' >usr/bin/sorter
printf 'sorter 2' >opt/tools/sorter
printf 'cutter' >bin/cutter
mkdir usr/local/bin/cutter
ln -s sorter opt/tools/linked
chmod 755 usr/bin/sorter bin/cutter
chmod 645 opt/tools/sorter

# What a command of "versions" says: its arguments and its environment, or nothing but complaints.
cat >opt/tools/teller <<'END'
#!/bin/sh
printf '%s|' teller "$@" "$LANG" "$TZ" "$HOME" "${TOLD-}" "$(pwd)"
echo complaint >&2
END
printf '#!/bin/sh\necho muttering 1.0 >&2\n' >opt/tools/muttering
chmod 755 opt/tools/teller opt/tools/muttering
