#!/usr/bin/env bash
# Installs the Debian packages that are missing: need.sh @GROUP|PACKAGE… Groups are in Scripts/packages.
#     need.sh --list @GROUP…    prints the packages of groups, one a line, and installs nothing
set -euo pipefail
lists=$(dirname "$0")/packages

# expand WORD…: packages, with every @GROUP replaced by its members.
expand() {
    local word line
    for word in "$@"; do
        if [[ $word != @* ]]; then
            echo "$word"
            continue
        fi
        line=$(sed -n "s/^${word#@}: //p" "$lists" | tr '\n' ' ')
        [ -n "$line" ] || { echo "Scripts/packages has no group ${word#@}" >&2; exit 1; }
        # shellcheck disable=SC2086
        expand $line
    done
}

if [ "${1:-}" = --list ]; then
    expand "${@:2}" | sort -u
    exit
fi

if ! command -v swift >/dev/null; then
    echo "There is no Swift: install Swift 6.3 or later from https://www.swift.org/install/linux/debian/12/" >&2
    exit 1
fi
packages=$(expand "$@" | sort -u)
if ! command -v dpkg-query >/dev/null; then
    echo "This is not Debian. Install what these Debian packages contain:" $packages >&2
    exit 0
fi

missing=()
for package in $packages; do
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
# Another installation may be at work, such as a fresh machine's own: apt waits for it.
install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
    apt-get install --yes --quiet=2 --no-install-recommends -o DPkg::Lock::Timeout=600 "${missing[@]}")
# The package lists of a fresh machine are empty or old.
"${install[@]}" >/dev/null 2>&1 || { "${as_root[@]}" apt-get update --quiet=2 && "${install[@]}" >/dev/null; }
