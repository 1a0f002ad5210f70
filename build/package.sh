#!/bin/sh
# Makes a Debian package and a tarball of the built program in build/bin. The same commit gives the same bytes.
#   package.sh VERSION
# DEBFULLNAME and DEBEMAIL name who makes the package, as everywhere in Debian: the project has no address of its own.
set -eu
cd "$(dirname "$0")/.."

version=$1
arch=$(dpkg --print-architecture)
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y LICENSE)}"
export SOURCE_DATE_EPOCH
maintainer="${DEBFULLNAME:-The Callboard authors} <${DEBEMAIL:-callboard@localhost}>"
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# put FILE PLACE [MODE]
put() { install -D -m "${3:-644}" "$1" "$2"; }

# The tree of the package; README and LICENSE stand in it once.
deb=$work/deb
put build/bin/callboard "$deb/usr/bin/callboard" 755
put build/linux/callboard.desktop "$deb/usr/share/applications/callboard.desktop"
put build/linux/callboard.xml "$deb/usr/share/mime/packages/callboard.xml"
put build/linux/callboard.metainfo.xml "$deb/usr/share/metainfo/localhost.callboard.callboard.metainfo.xml"
put frontend/public/icon.svg "$deb/usr/share/icons/hicolor/scalable/apps/callboard.svg"
put build/appicon.png "$deb/usr/share/icons/hicolor/512x512/apps/callboard.png"
for size in 16 22 24 32 48 64 128 256; do
	put build/linux/icons/$size.png "$deb/usr/share/icons/hicolor/${size}x$size/apps/callboard.png"
done
put README.md "$deb/usr/share/doc/callboard/README.md"
date=$(date -u -R -d "@$SOURCE_DATE_EPOCH")
go run ./build/licences -debian >"$work/copyright"
put "$work/copyright" "$deb/usr/share/doc/callboard/copyright"
printf 'callboard (%s) unstable; urgency=medium\n\n  * Version %s.\n\n -- %s  %s\n' \
	"$version" "$version" "$maintainer" "$date" | gzip -9n >"$deb/usr/share/doc/callboard/changelog.gz"
mkdir -p "$deb/usr/share/man/man1"
gzip -9nc build/linux/callboard.1 >"$deb/usr/share/man/man1/callboard.1.gz"

mkdir "$deb/DEBIAN"
size=$(du -sk --apparent-size "$deb/usr" | cut -f1)
cat >"$deb/DEBIAN/control" <<-CONTROL
	Package: callboard
	Version: $version
	Architecture: $arch
	Maintainer: $maintainer
	Installed-Size: $size
	Depends: libc6 (>= 2.34), libgtk-3-0 (>= 3.21.4) | libgtk-3-0t64, libwebkit2gtk-4.1-0 (>= 2.39.91)
	Recommends: desktop-file-utils, shared-mime-info, xdg-utils
	Suggests: chromium, docker.io, gnome-keyring
	Section: devel
	Priority: optional
	Description: studio for agents that call tools
	 Callboard shows every call of an agent as it happens, lets you approve what
	 needs approving, keeps the thread, and opens it again exactly as it was.
CONTROL
(cd "$deb" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$deb/DEBIAN/md5sums"
chmod 644 "$deb/DEBIAN/control" "$deb/DEBIAN/md5sums"
dpkg-deb --root-owner-group -Zxz --build "$deb" "build/bin/callboard_${version}_$arch.deb" >/dev/null

# The tarball, for every other Linux.
name=callboard-$version-linux-$arch
tree=$work/$name
put build/bin/callboard "$tree/callboard" 755
put README.md "$tree/README.md"
put LICENSE "$tree/LICENSE"
go run ./build/licences -text >"$work/licences"
put "$work/licences" "$tree/LICENCES-OF-PARTS"
put build/linux/INSTALL "$tree/INSTALL"
put build/linux/callboard.desktop "$tree/callboard.desktop"
put build/linux/callboard.xml "$tree/callboard.xml"
put frontend/public/icon.svg "$tree/callboard.svg"
put build/linux/callboard.1 "$tree/callboard.1"
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$name" |
	gzip -9n >"build/bin/$name.tar.gz"

echo "build/bin/callboard_${version}_$arch.deb"
echo "build/bin/$name.tar.gz"
