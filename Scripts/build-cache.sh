#!/usr/bin/env bash
# Prepares a folder outside the clone in which swift builds a package, and prints its path: build-cache.sh FOLDER [PACKAGE]
#
# What other packages bring stays there from one run to the next. Compilers are called with absolute paths, so it has to
# be the same folder each time, while clones may lie anywhere. Everything of ours is built from scratch: it is removed
# here. The folder is emptied when the toolchain or the manifest's dependencies change.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:?usage: $0 FOLDER [PACKAGE]}
package=${2:-.}
build=$folder/build
mkdir -p "$build"

manifest=$(SWIFTPM_BUILD_DIR=$build swift package --package-path "$package" dump-package)
targets=$(python3 -c 'import json, sys; print(*(t["name"] for t in json.load(sys.stdin)["targets"]))' <<<"$manifest")
key=$({
    swift --version 2>/dev/null
    python3 -c 'import json, sys; m = json.load(sys.stdin); print(m["dependencies"], m["toolsVersion"])' <<<"$manifest"
} | sha256sum)
if [ "$(cat "$folder/key" 2>/dev/null)" != "$key" ]; then
    rm -rf "$build"
    mkdir -p "$build"
    echo "$key" >"$folder/key"
fi

for products in "$build"/*/release "$build"/*/debug; do
    [ -d "$products" ] || continue
    for target in $targets; do
        rm -rf "$products/$target.build" "$products/$target-tool.build" "$products/$target.product" "$products/$target" \
            "$products/Modules/$target".* "$products/Modules-tool/$target".*
    done
    rm -rf "$products"/greenroom* "$products/services"
done
echo "$build"
