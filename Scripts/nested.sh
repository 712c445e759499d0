#!/usr/bin/env bash
# Builds a package that lies in a folder of this one: nested.sh FOLDER ARGUMENT…, with the arguments of swift build.
# It has a build folder of its own, in GREENROOM_BUILDS if that is set, and FOLDER/.build/release leads to it.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
shift
unset SWIFTPM_BUILD_DIR
[ -z "${GREENROOM_BUILDS:-}" ] || export SWIFTPM_BUILD_DIR=$GREENROOM_BUILDS/$folder/build
swift build --configuration release --package-path "$folder" "$@"
if [ -n "${SWIFTPM_BUILD_DIR:-}" ]; then
    mkdir -p "$folder/.build"
    ln -sfn "$(swift build --configuration release --package-path "$folder" --show-bin-path)" "$folder/.build/release"
fi
