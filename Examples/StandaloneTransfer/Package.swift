// swift-tools-version: 6.2
import PackageDescription

// A program of its own, for any Linux: of Greenroom it uses the transfer product alone.
let package = Package(
    name: "StandaloneTransfer",
    dependencies: [.package(name: "greenroom", path: "../..")],
    targets: [
        .executableTarget(
            name: "standalone-transfer",
            dependencies: [.product(name: "BackgroundTransfer", package: "greenroom")])
    ]
)
