#!/usr/bin/env bash
# Builds step by step, and says before each step what it is and about how long it takes: build.sh tour|all
set -euo pipefail
cd "$(dirname "$0")/.."

# The times are those of two cores, from a clean clone.
products=$(swift build --configuration release --show-bin-path)
steps=3
if [ "$1" = tour ]; then steps=1; fi

say() {
    local state="about $3 on two cores the first time, seconds when little has changed"
    printf '\n[%s] %s: %s.\n' "$1" "$2" "$state"
}

build() {
    for product in "$@"; do
        swift build --configuration release --product "$product"
    done
}

say "1/$steps" "The system, its tools and the app Journal, which is what make demo needs" "4 minutes"
build greenroomd greenroom-keeper greenroom-bundle greenroom greenroom-simulator Journal

if [ "$1" = tour ]; then
    # A tour with transfers needs NIO and TLS. It gets them only where they have been built before.
    if [ -x "$products/greenroom-transferd" ]; then build greenroom-transferd Podcasts; fi
else
    say "2/3" "Background transfers, with SwiftNIO and two copies of BoringSSL" "11 minutes"
    build greenroom-transferd
    say "3/3" "The other example apps, benchmarks and fuzzers" "2 minutes"
    swift build --configuration release
fi
