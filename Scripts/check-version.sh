#!/usr/bin/env bash
# Builds a package that uses Greenroom by version, as strangers do, with code of Linux and of iOS: check-version.sh [FOLDER]
# The version is a tag on a copy of what is committed here. FOLDER keeps the package and what was built.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$(mktemp -d)}
[ -n "${1:-}" ] || trap 'rm -rf "$folder"' EXIT
version=0.2.0
unset SWIFTPM_BUILD_DIR

mkdir -p "$folder"
rm -rf "$folder/greenroom.git" "$folder/Stranger/Sources"
git clone --quiet --bare "$repository" "$folder/greenroom.git"
git -C "$folder/greenroom.git" tag --force "$version" HEAD >/dev/null

cd "$folder"
mkdir -p Stranger/Sources/Linux Stranger/Sources/iOS/Code
cat >Stranger/Package.swift <<END
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Stranger",
    dependencies: [.package(url: "file://$folder/greenroom.git", from: "$version")],
    targets: [
        .executableTarget(
            name: "Linux",
            dependencies: [
                .product(name: "UIKit", package: "greenroom"), .product(name: "BackgroundTransfer", package: "greenroom"),
            ]),
        // Its code lies in the target's own folder.
        .executableTarget(
            name: "iOS", dependencies: [.product(name: "UIKit", package: "greenroom")], exclude: ["ios.json"],
            sources: ["Sources.swift"], swiftSettings: [.swiftLanguageMode(.v5)],
            plugins: [.plugin(name: "IOSSources", package: "greenroom")]),
    ])
END
cat >Stranger/Sources/Linux/main.swift <<'END'
import UIKit

print(UIApplication.State.background.rawValue)
END
echo '// The code of this target is in Code.' >Stranger/Sources/iOS/Sources.swift
echo '{"sources": ["Code"]}' >Stranger/Sources/iOS/ios.json
cat >Stranger/Sources/iOS/Code/AppDelegate.swift <<'END'
import UIKit

@UIApplicationMain
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        NotificationCenter.default.addObserver(
            self, selector: #selector(leave), name: UIApplication.didEnterBackgroundNotification, object: nil)
        return true
    }

    @objc private func leave() { print("left") }
}
END
cd Stranger
swift build
[ "$(.build/debug/Linux)" = 2 ]
[ -x .build/debug/iOS ]
echo "A package with .package(url: …, from: \"$version\") builds and runs."
