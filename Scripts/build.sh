#!/usr/bin/env bash
# Builds step by step, and says before each step what it builds and about how long that takes: build.sh demo|all|gateway
set -euo pipefail
cd "$(dirname "$0")/.."

build() { swift build --configuration release "$@"; }

# step NUMBER WHAT MINUTES: the times are those of two cores, from a clean clone.
step() {
    printf '\n[%s] %s.\n      The first time this takes about %s minutes on two cores; later, only changes are built.\n' \
        "$1" "$2" "$3"
}

programs="The daemon, its tools and the app Journal: all that make demo needs"
case $1 in
demo)
    step 1/1 "$programs" 4
    build --target DemoPrograms
    # The tour has transfers and notifications where make build has built their services before.
    for product in greenroom-transferd Podcasts greenroom-pushd; do
        if [ -x "$(build --show-bin-path)/$product" ]; then build --product $product; fi
    done
    ;;
gateway)
    step 1/1 "The push gateway, with SwiftNIO and BoringSSL, which two packages bring along" 6
    Scripts/nested.sh Gateway
    ;;
all)
    step 1/2 "$programs" 4
    build --target DemoPrograms
    step 2/2 "The services, the simulator, the other example apps, benchmarks and fuzzers" 5
    build
    ;;
esac
