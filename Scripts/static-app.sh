#!/usr/bin/env bash
# Builds an example app with Swift's libraries in it, as a bundle in .build/static-apps: it starts sooner, and runs where no
# Swift is installed. docs/STARTING.md says what that costs.
#
#     Scripts/static-app.sh Journal Examples/Journal
set -euo pipefail
cd "$(dirname "$0")/.."

name=$1
folder=$2
bundle=.build/static-apps/$name.app

# --static-swift-stdlib would compile everything again. This links the existing objects with SwiftPM's own command and Swift's
# static libraries.
swift build --configuration release --product "$name"
products=$(swift build --configuration release --show-bin-path)
mapfile -t command < <(python3 - "$name" "${SWIFTPM_BUILD_DIR:-.build}/release.yaml" <<'EOF'
import json
import sys

name, manifest = sys.argv[1:]
with open(manifest) as file:
    commands = [json.loads(line.split(":", 1)[1]) for line in file if line.startswith("    args: ")]
links = [words for words in commands if any(word.endswith(f"/{name}.product/Objects.LinkFileList") for word in words)]
if len(links) != 1:
    sys.exit(f"{manifest}: {len(links)} commands link {name}, and not one")
print("\n".join(links[0]))
EOF
)
wait $!
libraries=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/swift_static/linux
options=(-Xlinker --start-group)
for library in "$libraries"/lib{Foundation,CoreFoundation,_}*.a; do options+=(-Xlinker "$library"); done
# Apps that use FoundationNetworking or FoundationXML need these.
options+=(-Xlinker --end-group -Xlinker --as-needed)
for library in curl xml2; do
    if [ -e "/usr/lib/$(uname -m)-linux-gnu/lib$library.so" ]; then options+=("-l$library"); fi
done
# At a fixed address nothing has to be relocated at the start: that is two thirds of the memory that it would write to.
options+=(-static-stdlib -Xclang-linker -no-pie)

mkdir -p "$bundle"
linked=$(mktemp -p "$bundle")
trap 'rm -f "$linked"' EXIT
"${command[@]}" "${options[@]}" -o "$linked"
cp -p "$folder/Info.plist" "$bundle/"
if [ -d "$folder/Resources" ]; then cp -Rp "$folder/Resources/." "$bundle/"; fi
# A running program cannot be written over, but its name can be given to another file. What debuggers need stays behind.
strip --strip-debug -o "$bundle/$name.new" "$linked"
chmod 755 "$bundle/$name.new"
mv -f "$bundle/$name.new" "$bundle/$name"
echo "$bundle"
