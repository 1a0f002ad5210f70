#!/bin/sh
# Installs those of the named Debian packages that are missing, with sudo when not root, and says so.
set -eu

if ! command -v dpkg-query >/dev/null; then
	echo "This is no Debian: install what corresponds to: $*" >&2
	exit 0
fi

missing=
for name in "$@"; do
	case "$(dpkg-query -W -f '${Status}' "$name" 2>/dev/null || true)" in
	*' ok installed') ;;
	*) missing="$missing $name" ;;
	esac
done
[ -n "$missing" ] || exit 0

sudo=
if [ "$(id -u)" != 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "These Debian packages are missing; install them as root:$missing" >&2
		exit 1
	fi
	sudo=sudo
fi
echo "Installing Debian packages:$missing" >&2
$sudo apt-get update -qq
# shellcheck disable=SC2086 # a list of words
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing >/dev/null
