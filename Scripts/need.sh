#!/usr/bin/env bash
# Makes sure that Debian packages are installed: need.sh PACKAGE…
set -euo pipefail

if ! command -v swift >/dev/null; then
    echo "There is no Swift: install Swift 6.3 or later from https://www.swift.org/install/linux/debian/12/" >&2
    exit 1
fi
if ! command -v dpkg-query >/dev/null; then
    echo "This is not Debian: make sure yourself that there is what these packages hold: $*" >&2
    exit 0
fi

missing=()
for package in "$@"; do
    status=$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "These Debian packages are missing: ${missing[*]}. Install them as root: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

echo "Installing from Debian: ${missing[*]}"
install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
    apt-get install --yes --quiet=2 --no-install-recommends "${missing[@]}")
# The package lists of a fresh machine are empty or old.
"${install[@]}" >/dev/null 2>&1 || { "${as_root[@]}" apt-get update --quiet=2 && "${install[@]}" >/dev/null; }
