#!/usr/bin/env bash
# A bare Debian 12 in a folder, in which the README's first commands must work: with the packages that swift.org lists
# for the toolchain, git and make, and nothing else.
#     bare-machine.sh make DIR            creates it, in about a minute
#     bare-machine.sh run DIR COMMAND     runs a command in it as root, in its own mount and PID namespaces
# Needs root; installs debootstrap. The toolchain of this machine, and local copies of packages that git is configured
# to use, are visible in it; so are folders in BARE_SHARED, words of the form FOLDER or FOLDER:PLACE, at the same place or
# at that one. SWIFTPM_BUILD_DIR means the same inside.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)
usage="usage: $0 make|run DIR [COMMAND]"
verb=${1:?$usage} root=$(realpath -m "${2:?$usage}")

# The toolchain, and what `git config url.FOLDER.insteadOf` leads to.
toolchain=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")
shared_folders() {
    echo "$toolchain"
    { git config --get-regexp '^url\..*\.insteadof$' || true; } | sed -n 's|^url\.\(file://\)\{0,1\}\(/[^ ]*\)\.insteadof .*|\2|p' |
        while read -r folder; do [ ! -d "$folder" ] || realpath "$folder"; done
}

case $verb in
make)
    "$scripts/need.sh" @bare
    mirror=$({ cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null || true; } |
        awk '/^URIs:/ && !found { print $2; found = 1 } /^deb / && !found { print $2; found = 1 }')
    packages=$("$scripts/need.sh" --list @toolchain | paste -sd,)
    mkdir -p "$root"
    debootstrap --variant=minbase --include="$packages" bookworm "$root" "$mirror" >"$root.log" 2>&1 ||
        { tail -n 20 "$root.log" >&2; exit 1; }
    rm -f "$root/etc/apt/sources.list" "$root.log"
    # It reaches the same package servers, by the same names and certificates.
    for file in /etc/gitconfig /etc/gitignore /etc/resolv.conf /etc/hosts /etc/apt/sources.list; do
        [ ! -e "$file" ] || cp "$file" "$root$file"
    done
    [ ! -e "${HOME:-/root}/.gitconfig" ] || cp "${HOME:-/root}/.gitconfig" "$root/root/.gitconfig"
    for folder in /etc/apt/sources.list.d /etc/apt/apt.conf.d /etc/ssl/certs; do
        [ ! -d "$folder" ] || cp -a "$folder/." "$root$folder/"
    done
    # The build system recompiles a file if the inode of an included header differs. Hard links give equal headers the
    # same inode on both machines, so a build folder that they share stays valid.
    python3 - "$root" <<'EOF'
import filecmp, os, sys

root = sys.argv[1]
for top in ("/usr/include", "/usr/lib/gcc"):
    for folder, _, names in os.walk(root + top):
        for inside in (os.path.join(folder, name) for name in names):
            here = inside.removeprefix(root)
            if os.path.isfile(here) and not os.path.islink(inside) and filecmp.cmp(here, inside, shallow=False):
                try:
                    os.link(here, inside + ".same")
                except OSError:
                    sys.exit()  # It lies on another file system.
                os.rename(inside + ".same", inside)
EOF
    ;;
run)
    BARE_ROOT=$root BARE_COMMAND=${3:?$usage} BARE_SWIFT=$toolchain/usr/bin
    BARE_FOLDERS="$(shared_folders | sort -u) ${BARE_SHARED:-}"
    export BARE_ROOT BARE_COMMAND BARE_FOLDERS BARE_SWIFT
    # shellcheck disable=SC2016
    exec unshare --mount --pid --fork --kill-child --mount-proc="$root/proc" bash -euc '
        for folder in $BARE_FOLDERS; do
            mkdir -p "$BARE_ROOT${folder#*:}"
            mount --bind "${folder%%:*}" "$BARE_ROOT${folder#*:}"
        done
        mount --rbind /sys "$BARE_ROOT/sys"
        mount --rbind /dev "$BARE_ROOT/dev"
        exec chroot "$BARE_ROOT" /usr/bin/env -i HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 \
            http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" \
            ${SWIFTPM_BUILD_DIR:+"SWIFTPM_BUILD_DIR=$SWIFTPM_BUILD_DIR"} \
            PATH="$BARE_SWIFT:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" bash -euc "$BARE_COMMAND"'
    ;;
*)
    echo "$usage" >&2
    exit 2
    ;;
esac
