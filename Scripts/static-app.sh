#!/usr/bin/env bash
# Builds an example app with Swift's libraries in it, as a bundle in .build/static-apps: it starts sooner, and runs where no
# Swift is installed. docs/STARTING.md says what that costs.
#
#     Scripts/static-app.sh Journal Examples/Journal
set -euo pipefail
cd "$(dirname "$0")/.."

name=$1
folder=$2
# At a fixed address nothing has to be relocated at the start: that is two thirds of the memory that it would write to.
options=(--configuration release --static-swift-stdlib -Xswiftc -Xclang-linker -Xswiftc -no-pie)
# Not --scratch-path: this variable is stronger, and CI sets it.
export SWIFTPM_BUILD_DIR=$PWD/.build/static
bundle=.build/static-apps/$name.app

swift build "${options[@]}" --product "$name"
mkdir -p "$bundle"
cp -p "$folder/Info.plist" "$bundle/"
if [ -d "$folder/Resources" ]; then cp -Rp "$folder/Resources/." "$bundle/"; fi
# A running program cannot be written over, but its name can be given to another file. What debuggers need stays behind.
strip --strip-debug -o "$bundle/$name.new" "$(swift build "${options[@]}" --show-bin-path)/$name"
mv -f "$bundle/$name.new" "$bundle/$name"
echo "$bundle"
