#!/bin/sh
# Install hob from a release:
#
#   curl -fsSL https://raw.githubusercontent.com/hobjobs/hob/main/install.sh | sh
#   curl -fsSL https://raw.githubusercontent.com/hobjobs/hob/main/install.sh | sh -s 1.2.3
#
# The argument is a version; the default is the latest release. Environment:
#
#   PREFIX        install into $PREFIX/bin (default: ~/.local)
#   HOB_BASE_URL  download from this URL or absolute directory instead of GitHub;
#                 it holds the archives and the SHA256SUMS of a release
#
# The script changes nothing but the programs hob, hob-holder and hob-holder-linux-* in that directory.
set -eu

fail() {
	printf 'install.sh: %s\n' "$1" >&2
	exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# download copies file $1 of the release to $2.
download() {
	case $base in
	/*) cp "$base/$1" "$2" ;;
	*)
		if have curl; then
			curl -fsSL --retry 3 -o "$2" "$base/$1"
		elif have wget; then
			wget -q -O "$2" "$base/$1"
		else
			fail "cannot download: install curl or wget"
		fi
		;;
	esac || fail "cannot download $base/$1"
}

# checksum prints the SHA-256 of file $1.
checksum() {
	if have sha256sum; then
		sha256sum <"$1"
	elif have shasum; then
		shasum -a 256 <"$1"
	elif have sha256; then
		sha256 -q "$1"
	else
		fail "cannot verify the download: install sha256sum or shasum"
	fi
}

# detect sets os and arch to the names that archives have.
detect() {
	case $(uname -s) in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	FreeBSD) os=freebsd ;;
	NetBSD) os=netbsd ;;
	OpenBSD) os=openbsd ;;
	MINGW* | MSYS* | CYGWIN*) fail "on Windows use scoop or winget" ;;
	*) fail "no release for the operating system $(uname -s)" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) fail "no release for the architecture $(uname -m); with Go: go install github.com/hobjobs/hob@latest" ;;
	esac
}

# choose sets archive and sum from the list of checksums $1. The list names the
# archives of its release, so the latest version need not be known before.
choose() {
	while read -r sum archive; do
		# shellcheck disable=SC2254 # without a version, * matches any
		case $archive in
		*/*) ;;
		hob_${version:-*}_"${os}_$arch.tar.gz") return ;;
		esac
	done <"$1"
	fail "$base has no archive of hob${version:+ $version} for $os/$arch"
}

# place installs the program $1 in the directory $bin. A rename replaces a program that
# is running; writing into its file would fail.
place() {
	name=${1##*/}
	new=$bin/.$name.$$
	if ! { cp "$1" "$new" && chmod 755 "$new" && mv -f "$new" "$bin/$name"; }; then
		rm -f "$new"
		fail "cannot write to $bin; set PREFIX to another directory"
	fi
}

main() {
	[ $# -le 1 ] || fail "usage: install.sh [VERSION]"
	version=${1:-}
	version=${version#v}
	bin=${PREFIX:-${HOME:?}/.local}/bin
	releases=https://github.com/hobjobs/hob/releases
	if [ -n "${HOB_BASE_URL:-}" ]; then
		base=$HOB_BASE_URL
	elif [ -n "$version" ]; then
		base=$releases/download/v$version
	else
		base=$releases/latest/download
	fi
	detect

	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 1' HUP INT TERM
	download SHA256SUMS "$tmp/SHA256SUMS"
	choose "$tmp/SHA256SUMS"
	printf 'Downloading %s/%s\n' "$base" "$archive"
	download "$archive" "$tmp/$archive"
	got=$(checksum "$tmp/$archive")
	[ "${got%% *}" = "$sum" ] || fail "wrong checksum for $archive: got ${got%% *}, want $sum; nothing was installed"
	tar -xzf "$tmp/$archive" -C "$tmp"

	mkdir -p "$bin" || fail "cannot create $bin; set PREFIX to another directory"
	for program in "$tmp"/*/hob-holder* "$tmp"/*/hob; do
		[ ! -f "$program" ] || place "$program" # hob-holder itself is for Linux and macOS only
	done
	printf 'Installed %s in %s\n' "${archive%.tar.gz}" "$bin"

	case :$PATH: in
	*":$bin:"*)
		found=$(command -v hob)
		[ "$found" = "$bin/hob" ] || printf 'Another hob comes first in your PATH: %s\n' "$found"
		;;
	*) printf '%s\n' "To run it as hob, add this line to the profile of your shell:" "" "    export PATH=\"$bin:\$PATH\"" ;;
	esac
}

# Called last, so that a script cut off in the middle does nothing.
main "$@"
