#!/usr/bin/env bash
# Puts what was built where people look for it: the tools in .build/bin, the example apps as bundles in .build/apps.
set -euo pipefail
cd "$(dirname "$0")/.."

products=$(swift build --configuration release --show-bin-path)
bin=.build/bin
apps=.build/apps
mkdir -p "$bin" "$apps"

# A running program cannot be written over, but its name can be given to another file.
put() {
    cp -p "$1" "$2.new"
    mv -f "$2.new" "$2"
}

for tool in greenroom greenroom-import greenroom-replay greenroom-simulator greenroomd greenroom-keeper greenroom-bundle \
    greenroom-transferd greenroom-pushd greenroom-audiod greenroom-locationd greenroom-bench greenroom-bench-audio \
    greenroom-bench-location greenroom-sound; do
    if [ -x "$products/$tool" ]; then put "$products/$tool" "$bin/$tool"; fi
done
for tool in greenroom-pushgate greenroom-bench-push; do
    if [ -x "Gateway/.build/release/$tool" ]; then put "Gateway/.build/release/$tool" "$bin/$tool"; fi
done

# Services that come with the programs lie beside them, also where they were built; nobody else may write there.
for place in "$bin" "$products"; do
    install -d -m 755 "$place/services"
    install -m 644 Sources/Services/*/*.json "$place/services/"
done

# bundle NAME FOLDER: everything in FOLDER but the sources, and the executable.
bundle() {
    local target="$apps/$1.app"
    [ -f "$2/Info.plist" ] && [ -x "$products/$1" ] || return 0
    mkdir -p "$target"
    cp -p "$2/Info.plist" "$target/"
    if [ -d "$2/Resources" ]; then cp -Rp "$2/Resources/." "$target/"; fi
    put "$products/$1" "$target/$1"
}

bundle Journal Examples/Journal
bundle IconReel Examples/IconReel
bundle Uploader Examples/Uploader
bundle Classic Examples/Classic
bundle Podcasts Examples/Podcasts
bundle Reminder Examples/Reminder
bundle Radio Examples/Radio
bundle Navigator Examples/Navigator
bundle CaptureTheFlag Examples/CaptureTheFlag
bundle Misbehaver Fixtures/Misbehaver
bundle Beacon Fixtures/Beacon
bundle Reader Fixtures/Reader
bundle Recital Benchmarks/audio/Recital
bundle Tone Fixtures/Tone
bundle Wanderer Fixtures/Wanderer

rm -rf "$apps/Counter.app" "$apps/plain"
mkdir -p "$apps/Counter.app"
cp -p Examples/python/Counter.app/{Info.plist,counter,greenroom_app.py} "$apps/Counter.app/"
cp -p Examples/plain/*.desktop Examples/plain/server.py "$apps/"
