#!/usr/bin/env bash
# Prepares a folder outside the clone in which swift builds a package, and prints its path: build-cache.sh FOLDER [PACKAGE]
#
# What was built stays there from one run to the next. The folder is emptied when the toolchain or the manifest's
# dependencies change. When anything else in the manifest or in that of the root package changes, all that is ours is
# removed: a target may be gone, and others would still find its module.
#
#     build-cache.sh --clean FOLDER       makes the next call remove all that is ours
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = --clean ]; then
    rm -f "${2:?usage: $0 --clean FOLDER}/manifest"
    exit
fi
folder=${1:?usage: $0 FOLDER [PACKAGE]}
package=${2:-.}
build=$folder/build
mkdir -p "$build"

# changed NAME TEXT: whether this is another text than the last time.
changed() {
    [ "$(cat "$folder/$1" 2>/dev/null)" != "$2" ] || return 1
    echo "$2" >"$folder/$1"
}

dump() { SWIFTPM_BUILD_DIR=$build swift package --package-path "$1" dump-package; }
manifest=$(dump "$package")
manifests=$manifest
[ "$package" = . ] || manifests+=$'\n'$(dump .)
key=$({
    swift --version 2>/dev/null
    python3 -c 'import json, sys; m = json.load(sys.stdin); print(m["dependencies"], m["toolsVersion"])' <<<"$manifest"
} | sha256sum)
if changed key "$key"; then
    rm -rf "$build"
    mkdir -p "$build"
fi

if changed manifest "$(sha256sum <<<"$manifests")"; then
    # What the manifests name now, and what they named before.
    list='import json, sys; print(*(target["name"] for target in json.load(sys.stdin)["targets"]), sep="\n")'
    { python3 -c "$list" <<<"$manifest"; [ "$package" = . ] || dump . | python3 -c "$list"; } >"$folder/targets.new"
    touch "$folder/targets"
    targets=$(sort -u "$folder/targets" "$folder/targets.new")
    mv "$folder/targets.new" "$folder/targets"
    for products in "$build"/*/release "$build"/*/debug; do
        [ -d "$products" ] || continue
        for target in $targets; do
            rm -rf "$products/$target.build" "$products/$target-tool.build" "$products/$target.product" \
                "$products/$target" "$products/Modules/$target".* "$products/Modules-tool/$target".*
        done
        rm -rf "$products"/greenroom* "$products/services"
    done
fi
echo "$build"
