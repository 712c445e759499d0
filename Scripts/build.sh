#!/usr/bin/env bash
# Builds step by step, and says before each step what it builds and about how long that takes: build.sh demo|all
set -euo pipefail
cd "$(dirname "$0")/.."

build() { swift build --configuration release "$@"; }

# step NUMBER WHAT MINUTES: the times are those of two cores, from a clean clone.
step() {
    printf '\n[%s] %s.\n      The first time this takes about %s minutes on two cores; later, only changes are built.\n' \
        "$1" "$2" "$3"
}

programs="The daemon, its tools and the app Journal: all that make demo needs"
if [ "$1" = demo ]; then
    step 1/1 "$programs" 4
    build --target DemoPrograms
    # With transfers the tour would need SwiftNIO and TLS. It has them where make build has built them before.
    if [ -x "$(build --show-bin-path)/greenroom-transferd" ]; then
        build --product greenroom-transferd
        build --product Podcasts
    fi
    if [ -x "$(build --show-bin-path)/greenroom-pushd" ]; then build --product greenroom-pushd; fi
else
    step 1/3 "$programs" 4
    build --target DemoPrograms
    step 2/3 "Background transfers, with SwiftNIO and BoringSSL, which two packages bring along" 11
    build --product greenroom-transferd
    step 3/3 "The simulator, the other example apps, benchmarks and fuzzers" 4
    build
fi
